"""Where the members of a panel of several classes sit: what plays them, hears them, and lets the rule decide.

A member of two classes has a state for each class, one against the rest, and before them the one that every new class begins with: that of
a class which has not come yet.  The learner of several classes among them has its own.  Rows are checked once for all of them, and played
piece by piece, so that what is made for a piece stays small whatever the number of classes.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from operator import is_
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native
from littlestone.learners.reductions._class_blend import MEMORY, STIFFNESS, BlendState, PlainBlends, first_blends
from littlestone.learners.reductions._class_discriminant import DiscriminantState, LogsState, first_discriminant, places_of, resized
from littlestone.learners.reductions._class_forecast import FIRST, ForecastState, first_forecasts
from littlestone.learners.reductions._table import _each as each
from littlestone.learners.reductions._table import native_threads
from littlestone.learners.reductions.panel import Seat
from littlestone.protocol import Block, ClassLearner, Learner, Opening, Rule
from littlestone.protocol.classes import NOBODY
from littlestone.protocol.learner import LARGEST_INDEX, copied, fields
from littlestone.protocol.run import play_through
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, TINY, within
from littlestone.reference.class_blend import CLASS_BLENDS
from littlestone.reference.class_discriminant import PLACES
from littlestone.reference.class_forecast import FLAT
from littlestone.reference.log_loss import SMALL

PIECE = 4096  # rounds played together, fewer where classes are many
SCORES = 2**19  # scores held at a time: 4 MB; with fewer, very many classes are called for a few rounds each
MOST_CLASSES = 1_000  # beyond them labels are taken for numbers to be predicted

# members: for each its states, one a class, or that of a learner of several classes; then the rule's, and the accounts: mistakes of each
# voter; Σ of the shares of wrong weight, and the largest weight of a round that the panel got wrong; `plain`: what the blends would be if
# every round weighed 1, for the forecasts of a panel whose blends heed weights
# where the label is the forecast's: the vote's mistakes, their weight, the largest weight of one; the largest weight of one of the label
State = namedtuple("State", "members losses z mistakes loss blends forecasts discriminant plain logs vote")
VoteState = namedtuple("VoteState", "vote_mistakes label_weight")


class ClassTable:
    """A panel of several classes at work (`protocol.classes.Engine`)."""

    inner = None

    def __init__(
        self,
        members: Sequence[Learner | ClassLearner],
        names: Sequence[str],
        rule: Rule,
        blend: bool,
        discriminant: bool,
        logs: bool,
        weigh: bool,
        by_forecast: bool,
        opening: Opening,
    ) -> None:
        self.learners: Sequence[Any] = members
        self.names, self.rule, self.weigh = names, rule, weigh
        self.vote_mistakes: np.ndarray | None = np.zeros(3) if by_forecast else None  # counted where the label is not the vote's
        self.label_weight: np.ndarray = np.zeros(1)  # the largest of a round that the label of the forecast got wrong
        self.heard = [k for k, member in enumerate(members) if isinstance(member, Learner)]  # whose scores the blends hear
        self.room, self.capacity, self.seen = max(1, opening.room), 4, 0
        self.states: list[Any] = [[member.init(self.room)] if isinstance(member, Learner) else member.engine(opening) for member in members]
        self.losses, self.z = rule.first_state()
        self.mistakes: np.ndarray = np.zeros(len(self.losses), np.int64)
        self.loss: np.ndarray = np.zeros(2)
        sit = ((DiscriminantState, discriminant), (LogsState, logs))
        self.discriminants = [first_discriminant(kind, self.capacity) for kind, sits in sit if sits]
        self.place = [np.zeros(self.room, np.int32) for _ in self.discriminants]  # of features in each
        self.voices = len(self.heard) + len(self.discriminants)  # whose scores the blends hear
        self.blends = first_blends(self.voices, self.capacity) if blend else None
        self.plain: PlainBlends | None = None  # None while it is the same: before any weight but 1 was heeded
        self.forecasts = first_forecasts() if blend else None
        self.named_odds = NOBODY  # the score of the class that was foreseen last
        self.native_seats: Any = None  # members of the native core
        self.seats_at: list | None = None  # and the states that they play
        self.listen: Callable[[np.ndarray, np.ndarray], None] | None = None  # takes the votes of each piece, and the class they elect

    # ------------------------------------------------------------------------------------------------------------- playing

    def play(self, block: Block, predictions: np.ndarray, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> None:
        classes = max(self.seen, int(block.labels.max(initial=-1)) + 1)
        size = max(1, min(PIECE, SCORES // (len(self.learners) * max(1, classes))))
        for start in range(0, len(block), size):
            stop = min(start + size, len(block))
            piece = block.cut(start, stop) if (start, stop) != (0, len(block)) else block
            self._play(piece, predictions[start:stop], None if scores is None else scores[start:stop])
        if updates is not None:
            updates[:] = block.labels >= 0

    def _play(self, block: Block, predictions: np.ndarray, scores: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        """Every member plays the rounds, then the rule hears them. Return the members' scores, voices × classes × rounds, and those of
        the blends, rounds × blends × classes, where there are any."""
        known, labels = self.seen, block.labels
        top = int(labels[0]) if len(labels) == 1 else int(labels.max(initial=-1))
        classes = max(known, top + 1)
        self._join(classes)
        teaching = (
            labels if block.weights is None else np.where(block.weights > 0, labels, np.int32(-1))
        )  # what weighs nothing teaches nothing
        plain = block if teaching is labels else replace(block, labels=teaching, weights=None)  # for members that honour no weights
        heeded = block.weights if self.weigh else None
        marks = np.zeros((self.voices, max(1, classes), len(block)))
        votes = np.empty((len(block), len(self.losses)), np.int32)
        learns = top >= 0 if teaching is labels else bool((teaching >= 0).any())
        first = -1 if learns else 0  # what a new class begins with learns from every label
        seats = self._native_seats(block)
        if seats is None:
            self._play_apart(block, plain, first, classes, marks)
        elif not seats.play(
            block.indptr, block.indices, block.values, block.labels, block.weights, teaching, learns, marks, native_threads()
        ):
            raise LittlestoneError("a member of the panel cannot go on")
        for k, member in enumerate(self.learners):
            if not isinstance(member, Learner):
                own = np.empty(len(block), np.int32)
                self.states[k].play(block if member.weighted else plain, own)
                votes[:, k] = own
        seen = known_before(labels, known)
        columns = list(self.heard)
        rows = (block.indptr, block.indices, block.values, teaching, heeded, seen)
        for own, place, at in zip(self.discriminants, self.place, range(-len(self.place), 0), strict=True):
            native.core.discriminate_classes(isinstance(own, LogsState), place, *rows, *own, marks[at])
            columns.append(len(self.losses) + at)
        native.core.name_largest(marks, seen, np.array(columns, np.int64), votes)
        odds: np.ndarray | None = None
        if self.blends is not None and self.forecasts is not None:
            odds = np.empty((len(block), len(CLASS_BLENDS), max(1, classes)))
            named = votes[:, len(self.learners) : len(self.learners) + len(CLASS_BLENDS)]
            if self.plain is None and heeded is not None and (heeded[teaching >= 0] != 1).any():
                self.plain = PlainBlends(*(array.copy() for array in self.blends[2:]))
            sizes = None if self.plain is None else [array.copy() for array in self.blends[:2]]  # both squash alike
            native.core.blend_classes(marks, teaching, heeded, seen, STIFFNESS, MEMORY, *self.blends, named, odds)
            if self.plain is not None and sizes is not None:  # a probability is a share of rounds, whatever they weigh
                apart = np.empty((len(block), len(CLASS_BLENDS)), np.int32)
                native.core.blend_classes(marks, teaching, None, seen, STIFFNESS, MEMORY, *sizes, *self.plain, apart, odds)
            chances = np.empty((len(block), max(1, classes))) if scores is None else scores
            likeliest = np.empty(len(block), np.int32)
            native.core.forecast_classes(odds, teaching, seen, FIRST, FLAT, *self.forecasts, chances, likeliest)
        shares = np.empty((len(block), max(1, classes)))
        if scores is not None and self.blends is None:  # nobody forecasts
            shares = scores
        accounts = self.mistakes, self.loss, np.zeros(3) if self.vote_mistakes is None else self.vote_mistakes
        strict, ln_n, *_ = self.rule.params
        native.core.elect(strict, ln_n, self.weigh, votes, teaching, block.weights, self.losses, self.z, predictions, shares, *accounts)
        if self.listen is not None:
            self.listen(votes, predictions.copy())
        if self.vote_mistakes is not None:
            predictions[:] = likeliest
            wrong = (teaching >= 0) & (likeliest != teaching) if learns else None
            if wrong is not None and wrong.any():
                self.label_weight[0] = max(self.label_weight[0], 1.0 if block.weights is None else block.weights[wrong].max())
        return marks, odds

    def _native_seats(self, block: Block) -> Any:
        """The learners of the native core for the members that tell two classes apart, with room for a block; None where one of them is no
        part of the core, or may come to a round that doubles cannot decide. They are made once for the arrays of the states."""
        states = [state for k in self.heard for state in self.states[k]]
        known = self.seats_at is not None and len(states) == len(self.seats_at) and all(map(is_, states, self.seats_at))
        if known and self.native_seats is not None and len(block) == 1 and self.native_seats.has_room(block.indices, block.values):
            return self.native_seats
        for k in self.heard:
            member = self.learners[k]
            if member.prepare is not None:
                self.states[k] = [member.prepare(state, block) for state in self.states[k]]
        states = [state for k in self.heard for state in self.states[k]]
        if self.seats_at is None or len(states) != len(self.seats_at) or not all(map(is_, states, self.seats_at)):
            members = [
                ([self.learners[k].native_for(state) for state in self.states[k]], self.learners[k].weighted)
                for k in self.heard
                if self.learners[k].settle is None
            ]
            whole = len(members) == len(self.heard) and not any(None in learners for learners, _ in members)
            self.seats_at, self.native_seats = states, native.core.ClassSeats(members) if whole else None
        return self.native_seats

    def _play_apart(self, block: Block, plain: Block, first: int, classes: int, marks: np.ndarray) -> None:
        """Every member plays the rounds by itself; `marks` takes their scores."""
        against_rest = [one_class(block, c) for c in range(first, classes)]
        plainly = against_rest if plain is block else [one_class(plain, c) for c in range(first, classes)]

        def play_one(task: int) -> None:
            k, c = tasks[task]
            member = self.learners[k]
            rows = (against_rest if member.weighted else plainly)[c - first]
            self._play_class(member, self.states[k], rows, c, marks[self.heard.index(k), c] if c >= 0 else None)

        tasks = [(k, c) for k in self.heard for c in range(first, classes)]
        each(play_one, len(tasks), len(block.indices))

    def blend_scores(self, block: Block) -> dict[str, np.ndarray]:
        """Return, for each blend and discriminant by its name, the scores that it gives the classes, rows × classes; changes nothing."""
        marks, odds = self._play(block.silent(), np.empty(len(block), np.int32), None)
        blends = [] if odds is None else list(odds.transpose(1, 0, 2))
        discriminants = [own.T for own in marks[len(self.heard) :]]
        return dict(zip(self.names[len(self.learners) :], [*blends, *discriminants], strict=True))

    def _play_class(self, member: Learner, states: list[tuple], rows: Block, c: int, marks: np.ndarray | None) -> None:
        """One class against the rest; c = -1 is one that has not come yet."""
        if member.prepare is not None:
            states[c + 1] = member.prepare(states[c + 1], rows)
        answers, scores = np.empty(len(rows), np.bool_), marks if member.scored else None
        done = play_through(member, states[c + 1], rows, answers, scores)
        if scores is None and marks is not None:  # a member without scores has its votes
            marks[:] = np.where(answers, 1.0, -1.0)
        if done < len(rows):
            raise LittlestoneError(f"{rows.round(done)}: {member!r}, a member of the panel, cannot go on")

    def _join(self, classes: int) -> None:
        """Room for so many classes; one that is new begins with the state of a class that has not come yet."""
        if classes <= self.seen and self.heard and len(self.states[self.heard[-1]]) > classes:
            return
        require(
            classes <= MOST_CLASSES,
            f"more than {MOST_CLASSES:,} different labels: a panel takes them for numbers to be predicted (regression), which this library "
            "does not do; ls.multiclass_perceptron() and ls.one_vs_rest(learner) take any number of classes",
        )
        if classes > self.capacity:
            self.capacity = max(classes, 2 * self.capacity)
            if self.blends is not None:
                self.blends = self._blends(self.blends, self.capacity)
            if self.plain is not None:
                self.plain = self._blends(self.plain, self.capacity)
            self.discriminants = [resized(own, self.capacity) for own in self.discriminants]
        for k in self.heard:
            self.states[k] += [copied(self.states[k][0]) for _ in range(classes + 1 - len(self.states[k]))]
        self.seen = max(self.seen, classes)

    def _blends(self, blends: Any, classes: int) -> Any:
        """The same, heeding weights or not, with room for more classes, or for fewer; in memory of its own."""
        each = first_blends(self.voices, classes)[-2:]
        for old, new in zip(blends[-2:], each, strict=True):
            new[: len(old)] = old[: len(new)]
        return type(blends)(*(array.copy() for array in blends[:-2]), *each)

    def _discriminants(self, classes: int) -> tuple[Any, Any]:
        """That of the values and that of their logarithms, with room for so many classes; None for one that does not sit here."""
        by_kind = {type(own): resized(own, classes) for own in self.discriminants}
        return by_kind.get(DiscriminantState), by_kind.get(LogsState)

    # --------------------------------------------------------------------------------------------------------- event by event

    def predict(self, row: tuple) -> int:
        predictions = np.empty(1, np.int32)
        self._play(_block(row, -1, 1.0), predictions, None)
        return int(predictions[0])

    def learn(self, row: tuple, y: int, yhat: int, weight: float) -> bool:
        self._play(_block(row, y, weight), np.empty(1, np.int32), None)
        return True

    def foresee(self, row: Block) -> tuple[int, None]:
        predictions, scores = np.empty(1, np.int32), np.zeros((1, max(1, self.seen)))
        self._play(row.silent(), predictions, scores)
        self.named_odds = float(scores[0, predictions[0]]) if predictions[0] >= 0 else NOBODY
        return int(predictions[0]), None

    def learn_late(self, row: Block, y: int, yhat: int, memo: None) -> bool:
        """Members, blends and rule learn from what they make of the row now."""
        self._play(row.labelled(y), np.empty(1, np.int32), None)
        return True

    def ballot(self, row: Block) -> list[int]:
        """Which class each voter names of a row; nothing changes."""
        votes: list[np.ndarray] = []
        before, self.listen = self.listen, lambda named, elected: votes.append(named)
        try:
            self._play(row.silent(), np.empty(1, np.int32), None)
        finally:
            self.listen = before
        return votes[0][0].tolist()

    # ------------------------------------------------------------------------------------------------------------- its state

    def make_room(self, room: int) -> None:
        if room > self.room:
            self.room = room
            self.place = [np.concatenate([place, np.zeros(room - len(place), np.int32)]) for place in self.place]
            for k, member in enumerate(self.learners):
                if isinstance(member, Learner):
                    self.states[k] = [member.grown(state, room) for state in self.states[k]]
                else:
                    self.states[k].make_room(room)

    def state(self, width: int, *, lent: bool = False) -> State:
        width = max(1, min(width, self.room))
        members = tuple(
            tuple(member.trimmed(state, width, lent=lent) for state in states)
            if isinstance(member, Learner)
            else states.state(width, lent=lent)
            for member, states in zip(self.learners, self.states, strict=True)
        )
        blends = None if self.blends is None else self._blends(self.blends, self.seen)
        plain = None
        if blends is not None and self.weigh:
            plain = PlainBlends(*blends[2:]) if self.plain is None else self._blends(self.plain, self.seen)
        forecasts = None if self.forecasts is None else ForecastState(*(array.copy() for array in self.forecasts))
        discriminant, logs = self._discriminants(self.seen)
        own = self.losses.copy(), self.z.copy(), self.mistakes.copy(), self.loss.copy()
        vote = None if self.vote_mistakes is None else VoteState(self.vote_mistakes.copy(), self.label_weight.copy())
        return State(members, *own, blends, forecasts, discriminant, plain, logs, vote)

    def resume(self, state: State, seen: int, accounts: tuple = ()) -> None:
        self.seen, self.room, self.capacity = seen, max(1, self.width_of(state)), max(4, seen)
        for k, (member, theirs) in enumerate(zip(self.learners, state.members, strict=True)):
            if isinstance(member, Learner):
                self.states[k] = list(map(copied, theirs))
            else:
                self.states[k].resume(theirs, seen)
        self.losses, self.z, self.mistakes, self.loss = (array.copy() for array in state[1:5])
        if state.vote is not None:
            self.vote_mistakes, self.label_weight = (array.copy() for array in state.vote)
        if state.blends is not None:
            self.blends = self._blends(state.blends, self.capacity)
            self.forecasts = ForecastState(*(array.copy() for array in state.forecasts))
            same = state.plain is None or _equal(state.plain, state.blends[2:])
            self.plain = None if same else self._blends(state.plain, self.capacity)
        self.discriminants = [resized(own, self.capacity) for own in (state.discriminant, state.logs) if own is not None]
        self.place = [places_of(own, self.room) for own in self.discriminants]

    def width_of(self, state: State) -> int:
        rooms = [self.learners[k].room_of(part) for k in self.heard for part in state.members[k]]
        rooms += [len(state.members[k][0]) for k in range(len(self.learners)) if k not in self.heard]
        return max((room for room in rooms if room <= LARGEST_INDEX), default=0)

    def alike(self, a: State, b: State) -> bool:
        for k, member in enumerate(self.learners):
            mine, theirs = a.members[k], b.members[k]
            if isinstance(member, Learner):
                if len(mine) != len(theirs) or not all(map(member.alike, mine, theirs)):
                    return False
            elif not self.states[k].alike(mine, theirs):
                return False
        rest = [[*state[1:5], *(array for part in state[5:] for array in part or ())] for state in (a, b)]
        return _equal(*rest)

    def named(self, state: State) -> dict[str, np.ndarray]:
        """m1_c1_... is the state of the first member for the first class, m1_c0_... that of one that has not come yet; m1_... where the
        member is a learner of several classes."""
        arrays: dict[str, np.ndarray] = {}
        for prefix, _, theirs in self.places(state):
            arrays |= {f"{prefix}{name}": array for name, array in zip(fields(theirs), theirs, strict=True)}
        arrays |= {name: getattr(state, name) for name in OWN}
        for own in state[5:]:
            arrays |= {} if own is None else own._asdict()
        return arrays

    def places(self, state: State) -> list[tuple[str, Learner | ClassLearner, tuple]]:
        """The states of the members, each with the prefix of its arrays."""
        made: list[tuple[str, Learner | ClassLearner, tuple]] = []
        for k, (member, theirs) in enumerate(zip(self.learners, state.members, strict=True), 1):
            if isinstance(member, Learner):
                made += [(f"m{k}_c{c}_", member, part) for c, part in enumerate(theirs)]
            else:
                made.append((f"m{k}_", member, theirs))
        return made

    def stated(self, parts: Mapping[str, tuple], own: Mapping[str, np.ndarray]) -> State:
        """The state whose members' states have these prefixes, and with these arrays of its own."""
        members = tuple(
            tuple(theirs for prefix, theirs in parts.items() if prefix.startswith(f"m{k}_c"))
            if isinstance(member, Learner)
            else parts[f"m{k}_"]
            for k, member in enumerate(self.learners, 1)
        )
        kinds: tuple[Any, ...] = (BlendState, ForecastState, DiscriminantState, PlainBlends, LogsState, VoteState)
        discriminant, logs = self._discriminants(1)
        there = (self.blends, self.forecasts, discriminant, self.blends if self.weigh else None, logs, self.vote_mistakes)
        parts_of_its_own = (
            None if mine is None else kind(*(own[name] for name in kind._fields)) for mine, kind in zip(there, kinds, strict=True)
        )
        return State(members, *(own[name] for name in OWN), *parts_of_its_own)

    def admit(self, classes: int) -> None:
        """So many classes are known, before any round."""
        self._join(classes)
        for k, member in enumerate(self.learners):
            if isinstance(member, ClassLearner):
                self.states[k]._admit(classes)
                self.states[k].arrays[-1][0] = classes

    def blank(self, classes: int) -> State:
        """A state of so many classes before any round, with room for one feature."""
        self.admit(classes)
        return self.state(1)

    def sound(self, state: State) -> None:
        """Refuses a state that no run can have left."""
        for _, member, theirs in self.places(state):
            if isinstance(member, Learner) and member.sound is not None:
                member.sound(member.params, theirs)
        if self.rule.sound is not None:
            self.rule.sound(self.rule.params, type(self.rule.first_state())(state.losses, state.z))
        within(state, mistakes=NOT_NEGATIVE, loss=NOT_NEGATIVE)
        if state.blends is not None:
            within(state.blends, squares=NOT_NEGATIVE, rounds=NOT_NEGATIVE)
            within(state.forecasts, slopes=(FLAT, MOST), curvatures=(1, MOST), trust=(TINY, 1), products=(SMALL, 1), halvings=NOT_NEGATIVE)
            within(state.forecasts, counts=NOT_NEGATIVE)
        if state.vote is not None:
            within(state.vote, vote_mistakes=NOT_NEGATIVE, label_weight=NOT_NEGATIVE)
        for own, name in ((state.discriminant, "discriminant"), (state.logs, "logs")):
            if own is not None:
                places = (0, max(0, self.width_of(state) - 1))
                within(own, **{f"{name}_counts": NOT_NEGATIVE, f"{name}_tally": (0, [PLACES + 1, MOST]), f"{name}_owner": places})
        widths = {member.room_of(part) for _, member, part in self.places(state) if isinstance(member, Learner)}
        require(len(widths - {LARGEST_INDEX + 1}) <= 1, f"its members have places for {sorted(widths)} features; expected one number")

    def members(self, labels: tuple, *, lent: bool = False) -> Any:
        """Who votes, with the mistakes and the weight of each."""
        return self.seats(self.losses, self.z, self.mistakes)

    def seats(self, losses: np.ndarray, z: np.ndarray, mistakes: np.ndarray) -> tuple[Seat, ...]:
        assert self.rule.weights is not None
        weights = self.rule.weights(self.rule, type(self.rule.first_state())(losses, z))
        return tuple(map(Seat, self.names, map(int, mistakes), map(float, weights)))

    def accounts(self) -> tuple:
        return ()

    def copy(self) -> ClassTable:
        other = copy(self)
        other.native_seats = other.seats_at = None
        other.states = [list(map(copied, states)) if isinstance(states, list) else states.copy() for states in self.states]
        other.losses, other.z, other.mistakes, other.loss = (a.copy() for a in (self.losses, self.z, self.mistakes, self.loss))
        other.blends = None if self.blends is None else self._blends(self.blends, self.capacity)
        other.vote_mistakes, other.label_weight = (
            None if self.vote_mistakes is None else self.vote_mistakes.copy(),
            self.label_weight.copy(),
        )
        other.plain = None if self.plain is None else self._blends(self.plain, self.capacity)
        other.forecasts = None if self.forecasts is None else ForecastState(*(array.copy() for array in self.forecasts))
        other.discriminants = [resized(own, self.capacity) for own in self.discriminants]
        other.place = [place.copy() for place in self.place]
        return other


OWN = ("losses", "z", "mistakes", "loss")


def _equal(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> bool:
    return len(a) == len(b) and all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def one_class(block: Block, c: int) -> Block:
    """The same rounds with the labels 1 for class c, and 0 for the rest."""
    return replace(block, labels=np.where(block.labels < 0, np.int32(-1), block.labels == c).astype(np.int32))


def _block(row: tuple, y: int, weight: float) -> Block:
    indices, values, lo, hi = row
    weights = None if weight == 1.0 else np.array([weight], np.float32)
    values = None if values is None else values[lo:hi]
    return Block(np.array([0, hi - lo]), indices[lo:hi], values, np.array([y], np.int32), weights)


def known_before(labels: np.ndarray, known: int) -> np.ndarray:
    """How many classes are known before each round."""
    seen = np.empty(len(labels), np.int64)
    native.core.count_known(labels, known, seen)
    return seen
