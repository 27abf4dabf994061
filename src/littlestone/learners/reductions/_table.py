"""Where the members of a panel sit: plays them, hears them, and lets the rule decide."""

import os
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from operator import is_
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels import native
from littlestone.learners.reductions._blend import first_state
from littlestone.learners.reductions._forecast import AGAINST, first_bins, first_calibration
from littlestone.protocol import Advice, AdviceRunner, Block, Learner, Rule, play_through
from littlestone.protocol.far import outline
from littlestone.protocol.layout import Room
from littlestone.protocol.learner import fields, state_of_arrays
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import NOT_NEGATIVE, REAL, within
from littlestone.protocol.workers import balanced
from littlestone.reference.blend import Blend, voices
from littlestone.reference.forecast import BINNED, LEAST, OFTEN, SLOW, forecasters, prior, stacks
from littlestone.reference.log_loss import SMALL

SHARED = 20_000  # features times members below which a block is not worth two threads
MANY = 64  # pieces of work that are handed over at a time, at most about so many
ITEM, LINE = 8, 8  # bytes of a number, and numbers in a line of the cache
MOST_THREADS = 8
FEW = 256  # features that a new model has room for
PIECE = 64  # rows of numbers that are laid out at a time
LITTLE = 2**18  # bytes up to which a cache holds all of a state
LARGE, LARGEST = 2**22, 2**26  # bytes of a state for which large pages pay, and beyond which they might hold much that nobody looks at
NO_ONE = np.empty(0, np.uint64)
NOBODY = np.empty(0, np.int32)  # nobody asks whom the rule drew
PLAIN = np.empty(0, np.float32)  # every round weighs 1
ACCOUNTS = ("mistakes", "loss")  # of each member; and Σ of the shares of wrong weight
FORECASTS = ("forecast_products", "forecast_halvings", "forecast_counts")  # of each forecaster and the mixture; rounds and mistakes
CALIBRATES = ("forecast_sums", "forecast_bins", "forecast_bin_counts")  # scores and squares added up; weights and counts in each bin
count_wrong = native.core.count_wrong
VOTE_MISTAKES = "vote_mistakes"  # where the label is the forecast's: the mistakes of the vote, their weight, and the largest weight of one


class Table:
    """Where the members sit: plays them, hears them, and lets the rule decide."""

    def __init__(
        self,
        members: tuple[Learner, ...],
        rule: Rule,
        blends: tuple[Blend, ...] = (),
        forecast: bool = False,
        weigh: bool = False,
        calibrate: bool = False,
        by_forecast: bool = False,
    ) -> None:
        self.members, self.rule, self.blends, self.forecast, self.weigh = members, rule, blends, forecast, weigh
        self.by_forecast = by_forecast  # is the label the forecast's, and not the vote's?
        self.calibrate, self.stacks = calibrate, stacks(calibrate) if forecast else ()
        self.givers, self.asked = (
            np.array([k for k, member in enumerate(members) if member.family.odds is kind], np.uint64) for kind in (True, False)
        )  # whose scores are logarithms of odds, and whose are not
        self.prior = np.asarray(prior(len(members), len(forecasters([""] * len(members), blends, calibrate))), np.float64)
        self.voters = len(members) + len(voices(blends))
        self.listen: Callable[[np.ndarray, np.ndarray], None] | None = None  # takes the votes of each block, and the label they elect
        self.preparing = [(k, member) for k, member in enumerate(members) if member.prepare is not None]
        self.plays_natively: bool | None = None  # are its members and its rule part of the native core? Found out at the first state
        self.first: tuple | None = None  # a first state with room for a few features, which models begin with
        self.sides: list[int] | None = None  # which worker plays which member, where workers do
        self.columns: list[int] = []  # the arrays that can be spaced, by their places in a state
        self.first_row: list[float] = []  # what each of them holds at first, at every place
        self.seconds = np.zeros(len(members))  # what each took for the last block: those that take long go first, so that no core waits
        firsts = [member.init(1) for member in members]
        ends = np.cumsum([0, *map(len, firsts)]).tolist()
        self.places = [slice(a, b) for a, b in pairwise(ends)]
        self.kinds = [type(first) for first in firsts]
        for member, first, begin in zip(members, firsts, ends, strict=False):
            growing = [j for j, grows in enumerate(member._growing) if grows] if member.spaced else []
            self.columns += [begin + j for j in growing]
            self.first_row += [float(first[j][0]) for j in growing]
        own = rule.first_state()
        self.rule_kind, self.rule_place = type(own), slice(ends[-1], ends[-1] + len(own))
        named = [f"m{k}_{name}" for k, first in enumerate(firsts, 1) for name in fields(first)]
        named += [*(f"rule_{name}" for name in fields(own)), *ACCOUNTS, *((VOTE_MISTAKES,) if by_forecast else ())]
        if blends or forecast:
            named += ["squares", "seen"]
        named += [f"blend{b}_{name}" for b in range(1, len(blends) + 1) for name in ("w", "P")]
        if forecast:
            named += ["forecast_calibration", "forecast_weights", *FORECASTS, *(CALIBRATES if calibrate else ())]
        named += [f"stack{b}_{name}" for b in range(1, len(self.stacks) + 1) for name in ("w", "P")]
        self.kind = kind_of_state(*named)
        self.at = {name: k for k, name in enumerate(named)}  # where an array stands
        blended = [(blend, self.at[f"blend{b}_w"], self.at[f"blend{b}_P"]) for b, blend in enumerate(blends, 1)]
        self.minds = [*blended, *((stack, self.at[f"stack{b}_w"], self.at[f"stack{b}_P"]) for b, stack in enumerate(self.stacks, 1))]
        self.estimators = sum(not blend.logistic for blend in blends)  # those that give no odds stand before the others

    def init(self, room: int) -> tuple:
        if room != FEW:
            return self.made(room)
        if self.first is None:
            self.first = self.made(room)
        if not all(isinstance(array, np.ndarray) for array in self.first):  # another library's model is nobody else's
            return self.made(room)
        return self.kind(*(array.copy() for array in self.first))

    def made(self, room: int) -> tuple:
        """A first state."""
        states = side_by_side([array for member in self.members for array in member.init(room)])
        own = [np.zeros(self.voters, np.int64), np.zeros(1), *((np.zeros(3),) if self.by_forecast else ())]
        if self.blends or self.forecast:
            own += [np.zeros(len(self.members)), np.zeros(1)]
        own += [array for blend in self.blends for array in first_state(len(self.members), blend)]
        if self.forecast:
            several, asked = len(self.prior) + 1, len(self.asked) if self.calibrate else len(self.members)
            own += [first_calibration(asked), self.prior.copy(), np.ones(several), np.zeros(several), np.zeros(2, np.int64)]
            own += [np.zeros(2 * asked), *first_bins()] if self.calibrate else []
            own += [array for stack in self.stacks for array in first_state(len(self.members), stack)]
        return self.kind(*states, *self.rule.first_state(), *own)

    def is_spaced(self, state: Sequence) -> bool:
        """Do the numbers that members keep of one feature lie side by side in memory?"""
        return bool(self.columns) and state[self.columns[0]].strides[0] > ITEM

    def spaced(self, state: Sequence, room: int = 0) -> tuple | None:
        """The same state, with room for so many features or as it is, and what members keep of one feature side by side, in whole lines of
        the cache; None where that does not pay. An event looks at all of it, and would wait for each array by itself: a row of 70 features
        touches 3,000 lines, and so a third."""
        if len(self.columns) < LINE:
            return None
        arrays, gap, room = list(state), -(-len(self.columns) // LINE) * LINE, max(room, len(state[self.columns[0]]))
        if not LITTLE <= ITEM * gap * room <= LARGEST:
            return None
        for k, member in enumerate(self.members):
            if not member.spaced and member.room_of(self.state_of(k, state)) < room:
                arrays[self.places[k]] = member.grown(self.state_of(k, state), room)
        pieces = -(-room // PIECE)
        whole = np.empty(gap * PIECE * pieces + LINE)
        begin = -address_of(whole) % (ITEM * LINE) // ITEM
        piece, memory = np.zeros((PIECE, gap)), whole[begin : begin + gap * PIECE * pieces]
        piece[:, : len(self.first_row)] = self.first_row
        memory.reshape(pieces, -1)[:] = piece.ravel()  # one pass over the memory, whatever they hold at first
        memory = memory.reshape(-1, gap)[:room]
        for j, place in enumerate(self.columns):
            memory[: len(state[place]), j] = state[place]
            arrays[place] = memory[:, j]
        return self.kind(*arrays)

    def lent(self, state: Sequence) -> tuple[Sequence, int]:
        """The state as kernels take it, which know nothing of gaps: arrays that are spaced with all that lies between, and the number that
        indices are to be multiplied with for those members."""
        if not self.is_spaced(state):
            return state, 1
        arrays, first = list(state), state[self.columns[0]]
        gap, memory = first.strides[0] // ITEM, first.base
        begin = (address_of(first) - address_of(memory)) // ITEM
        for j, place in enumerate(self.columns, begin):
            arrays[place] = memory[j : j + gap * (len(first) - 1) + 1]
        return arrays, gap

    def state_of(self, k: int, state: Sequence) -> tuple:
        arrays = state[self.places[k]]
        return self.kinds[k](*arrays) if hasattr(self.kinds[k], "_fields") else tuple(arrays)

    def rule_state(self, state: Sequence) -> Any:
        return self.rule_kind(*state[self.rule_place])

    def accounts(self, state: Sequence) -> Sequence:
        return state[self.rule_place.stop : self.rule_place.stop + len(ACCOUNTS)]

    def counts(self, state: Sequence) -> tuple:
        """The arrays in which `count_wrong` counts; the last is kept only where the label is not the vote's."""
        return (*self.accounts(state), state[self.at[VOTE_MISTAKES]] if self.by_forecast else np.zeros(3))

    def size(self) -> int:
        return len(self.kind._fields)

    # ------------------------------------------------------------------------------------------------- what a learner's kernels do

    def native_for(self, state: Sequence) -> Any:
        """Return the panel of the native core over the arrays of a state, which it overwrites as it learns; None where a member or the rule
        is no part of the core, or may come to a round that doubles cannot decide."""
        if self.plays_natively is False or self.listen is not None:
            return None
        lent, gap = self.lent(state)
        members = [
            None if member.settle is not None else member.native_for(self.state_of(k, lent)) for k, member in enumerate(self.members)
        ]
        self.plays_natively = self.rule.native is not None and self.rule.settle is None and None not in members
        if not self.plays_natively:
            return None
        seats = [(native_member, member.spaced, member.weighted) for native_member, member in zip(members, self.members, strict=True)]
        hearing = self.hearing(lent) if self.blends or self.forecast else None
        spaced = lent[self.columns[0]] if gap > 1 else None
        rule = self.rule.native(*self.rule.params, *lent[self.rule_place])
        return native.core.Panel(seats, spaced, gap, hearing, rule, *self.counts(lent), self.weigh, self.by_forecast, native_threads())

    def play(self, *arguments: Any) -> None:
        """Play a block."""
        state, block = arguments[: self.size()], arguments[self.size() :]
        panel = self.native_for(state)
        if panel is None:
            self.play_apart(state, *block)
        else:
            panel.play(*block)

    def play_apart(
        self,
        state: Sequence,
        indptr: np.ndarray,
        indices: np.ndarray,
        values: np.ndarray | None,
        labels: np.ndarray,
        weights: np.ndarray | None,
        predictions: np.ndarray,
        scores: np.ndarray | None,
        updates: np.ndarray | None = None,
    ) -> None:
        """Every member plays the whole block, then the rule hears them round by round."""
        block = Block(indptr, indices, values, labels, weights)
        answers, marks = self.room_for(len(block))
        plain = self.play_members(state, block, answers, marks)
        self.hear(state, plain.labels, weights, answers, marks, predictions, scores)

    def play_members(self, state: Sequence, block: Block, answers: np.ndarray, marks: np.ndarray | None) -> Block:
        """Fill in the answers of the members and, where `marks` has room for them, their scores. Return the rounds that teach."""
        plain, indices = plainly(block), block.indices
        order = np.argsort(-self.seconds, kind="stable").tolist()
        lent, gap = self.lent(state)
        wide = None if gap == 1 else indices * np.uint32(gap)

        def play_member(place: int) -> None:
            k, begun = order[place], perf_counter()
            member, own = self.members[k], None if marks is None else marks[k]
            rows = block if member.weighted else plain
            if wide is not None and member.spaced:
                rows = replace(rows, indices=wide)
            play_seat(member, self.state_of(k, lent), rows, answers[k], own)
            self.seconds[k] = perf_counter() - begun

        _each(play_member, len(self.members), len(indices))
        return plain

    def blend_scores(self, state: Sequence, block: Block) -> np.ndarray:
        """Return the scores of the blends, of their mean, of the stacks and of the bins for the rows of a block without labels, a row of
        numbers for each; changes nothing."""
        answers, marks = self.room_for(len(block))
        estimates = np.empty((len(self.minds) + self.calibrate, len(block)))
        self.play_members(state, block, answers, marks)
        assert marks is not None, "a panel without blends and forecasts has no scores of theirs"
        self.blend(state, marks, block.labels, PLAIN, answers, estimates=estimates)
        scores = list(estimates)
        if self.blends:
            halves = [s if b < self.estimators else 0.5 * s for b, s in enumerate(estimates[: len(self.blends)])]
            scores.insert(len(self.blends), np.sum([half / np.sqrt(1.0 + half * half) for half in halves], axis=0))
        return np.array(scores)

    def room_for(self, rounds: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Where the answers of all go, and the scores of the members where somebody hears them."""
        marks = np.empty((len(self.members), rounds)) if self.blends or self.forecast else None
        return np.empty((self.voters, rounds), np.bool_), marks

    def hear(
        self,
        state: Sequence,
        teaching: np.ndarray,
        weights: np.ndarray | None,
        answers: np.ndarray,
        marks: np.ndarray | None,
        predictions: np.ndarray,
        scores: np.ndarray | None,
    ) -> None:
        """What blends, forecaster and rule make of the members' answers."""
        own_weights = weights if self.weigh and weights is not None else PLAIN
        forecasts = self.blend(state, marks, teaching, own_weights, answers) if marks is not None else None
        votes = np.ascontiguousarray(answers.T, np.float32)
        mix = self.decide(state[self.rule_place], votes, teaching, own_weights)
        heeded = own_weights if len(own_weights) else None
        count_wrong(mix, votes, teaching, heeded, weights, predictions, *self.counts(state))
        if self.listen is not None:
            self.listen(votes, predictions.copy())
        if self.by_forecast and forecasts is not None:
            predictions[:] = forecasts >= 0.0
        if scores is not None:
            scores[:] = 2 * mix - 1 if forecasts is None else forecasts

    def play_there(self, state: Sequence, block: Any, predictions: np.ndarray, scores: np.ndarray | None) -> tuple:
        """The same of rounds that workers hold: they play the members, and go on to the ranges after these before they are heard.

        Who takes long goes first, so that no worker waits for one. The state in the end.
        """
        far, scored = block.far, bool(self.blends or self.forecast)
        tasks = far.begun.pop(self, None) or self.sent(far, [tuple(state[place]) for place in self.places], scored)
        before = tasks
        for later in far.after:  # noted there, not here: the panel outlives the run, and other runs may have it too
            before = later.begun[self] = later.begun.get(self) or self.sent(later, before, scored)
        answers, marks = self.room_for(len(block))
        arrays = list(state)
        for k, played in enumerate(far.workers.gather(tasks)):
            arrays[self.places[k]], answers[k], self.seconds[k] = played.state, played.votes, played.seconds
            if marks is not None:
                marks[k] = played.scores
        state = self.kind(*arrays)
        self.hear(state, plainly(block).labels, block.weights, answers, marks, predictions, scores)
        return state  # type: ignore[return-value]

    def sent(self, far: Any, before: Sequence, scored: bool) -> list[Any]:
        """A task for each member: to play these rounds from where it stood before, which may be a task as well."""
        tasks: list[Any] = [None] * len(self.members)
        if self.seconds.any():
            self.sides = balanced(self.seconds.tolist(), far.workers.count, self.sides)
        for k in np.argsort(-self.seconds, kind="stable").tolist():
            place = None if self.sides is None else self.sides[k]
            tasks[k] = far.workers.submit(seat_apart, self.members[k], before[k], scored, *far.tasks, place=place)
        return tasks

    def blend(
        self,
        state: Sequence,
        marks: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray,
        answers: np.ndarray,
        *,
        forecast: bool = True,
        estimates: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """What the blends make of the members' scores; returns the forecasts, None where it makes none, or nobody asks.

        Blends learn by the weights of the rounds. Forecasts do not: a probability is a share of rounds, whatever an error costs.
        `estimates`, where it is given, takes the scores of the blends, the stacks and the bins.
        """
        forecast, count = forecast and self.forecast, len(labels)
        odds = np.empty(count) if forecast else None
        if forecast and estimates is None:
            estimates = np.empty((len(self.minds) + self.calibrate, count))
        own_weights = weights if len(weights) else None
        self.hearing(state).play(marks, labels, own_weights, answers[len(self.members) :], estimates if forecast else None, odds)
        return odds

    def hearing(self, state: Sequence) -> Any:
        """What hears the members' scores, and makes estimates and forecasts of them, over the arrays of a state."""
        minds = [native.core.Mind(mind.logistic, mind.stiffness, mind.memory, state[w], state[P]) for mind, w, P in self.minds]
        own, forecaster = len(self.blends), None
        if self.forecast:
            givers = (self.givers, self.asked) if self.calibrate else (NO_ONE, np.arange(len(self.members), dtype=np.uint64))
            kept = [state[self.at[name]] for name in ("forecast_calibration", "forecast_weights", *FORECASTS)]
            more = [state[self.at[name]] for name in CALIBRATES] if self.calibrate else (None, None, None)
            slow = SLOW if self.calibrate else 1.0
            forecaster = native.core.Forecaster(*givers, OFTEN, BINNED, self.prior, slow, minds[own:], *kept, more[0], AGAINST, *more[1:])
        return native.core.Hearing(state[self.at["squares"]], state[self.at["seen"]], minds[:own], self.estimators, forecaster)

    def decide(self, rule_state: Sequence, votes: np.ndarray, labels: np.ndarray, weights: np.ndarray = PLAIN) -> np.ndarray:
        """The share of the weight that says 1, round by round; the rule learns from the labels, overwriting its state."""
        rule, mix = self.rule, np.empty(len(labels))
        heeded = weights if len(weights) and rule.hears_weights else None
        played = rule.play_block(rule_state, votes, labels, mix, NOBODY, heeded)
        if played < len(labels):  # a round that doubles cannot decide
            runner = AdviceRunner(rule, self.voters, state=self.rule_kind(*rule_state), counting=False)
            mix[played:], _ = runner.take(Advice(votes[played:], labels[played:]))
            for kept, new in zip(rule_state, runner.state, strict=True):
                kept[...] = new
        return mix

    def votes(self, state: Sequence, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> np.ndarray:
        """What all of them vote on one row; nothing changes."""
        return self.heard(state, indices, values, lo, hi)[0]

    def heard(
        self, state: Sequence, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, *, forecast: bool = False
    ) -> tuple[np.ndarray, float | None]:
        """What all of them vote on one row, and the forecast where it is asked for; nothing changes."""
        row = one_row(indices, values, lo, hi, -1)
        answers, marks = self.room_for(1)
        self.play_members(state, row, answers, marks)
        odds = None if marks is None else self.blend(state, marks, row.labels, PLAIN, answers, forecast=forecast)
        return np.ascontiguousarray(answers.T, np.float32), None if odds is None else float(odds[0])

    def share(self, state: Sequence, votes: np.ndarray) -> float:
        """The share of the weight that says 1 of one row; nothing changes."""
        return float(self.decide([array.copy() for array in state[self.rule_place]], votes, np.array([-1], np.int32))[0])

    def score(self, *arguments: Any) -> float:
        state, row = arguments[: self.size()], arguments[self.size() :]
        panel = self.native_for(state)
        if panel is not None:
            return panel.score(*row)
        votes, odds = self.heard(state, *row, forecast=self.forecast)
        return 2 * self.share(state, votes) - 1 if odds is None else odds

    def predict(self, *arguments: Any) -> bool:
        state, row = arguments[: self.size()], arguments[self.size() :]
        panel = self.native_for(state)
        if panel is not None:
            return panel.predict(*row) == 1
        if self.by_forecast:
            return self.score(*arguments) >= 0.0
        return self.share(state, self.votes(state, *row)) >= 0.5

    def update(self, *arguments: Any) -> bool:
        state, (indices, values, lo, hi, y, yhat, weight) = arguments[: self.size()], arguments[self.size() :]
        panel = self.native_for(state)
        if panel is not None:
            panel.update(indices, values, lo, hi, y, yhat, weight)
        elif weight > 0:
            row = one_row(indices, values, lo, hi, int(y))
            weights = None if weight == 1.0 else np.array([weight], np.float32)
            self.play_apart(state, row.indptr, row.indices, row.values, row.labels, weights, np.empty(1, np.bool_), None)
        return True

    # ------------------------------------------------------------------------------------------------- what else a learner can do

    def prepare(self, state: Sequence, block: Block) -> tuple:
        """Room for what a block will add, where members need more than a place for a feature."""
        return self._with(state, {k: member.prepare(self.state_of(k, state), block) for k, member in self.preparing if member.prepare})

    def roomy(self, *state: Any) -> bool:
        """Is there room for one more row, whatever it holds?"""
        return all(member.roomy(*member.params, *state[self.places[k]]) for k, member in self.preparing if member.roomy)

    def compact(self, state: Sequence) -> tuple:
        members = enumerate(self.members)
        return self._with(state, {k: member.compact(self.state_of(k, state)) for k, member in members if member.compact})

    @property
    def room(self) -> Room | None:
        """How its states make room, where those of members do."""
        if not self.preparing:
            return None
        compact = self.compact if any(member.compact for member in self.members) else None
        return Room(self.prepare, compact, self.roomy if all(member.roomy for _, member in self.preparing) else None)

    def _with(self, state: Sequence, changed: Mapping[int, tuple]) -> tuple:
        arrays = list(state)
        for k, theirs in changed.items():
            arrays[self.places[k]] = theirs
        return state if all(map(is_, arrays, state)) else self.kind(*arrays)  # type: ignore[return-value]

    def spare(self) -> list[bool]:
        """Which arrays of a state have a length that is a member's own affair."""
        members = [spare for member in self.members for spare in member.spare()]
        return [*members, *[False] * (self.size() - len(members))]

    def sound(self, params: tuple, state: Any) -> None:
        """Each member and the rule has a sound state, and the accounts are counts."""
        for k, member in enumerate(self.members):
            if member.sound is not None:
                member.sound(member.params, self.state_of(k, state))
        if self.rule.sound is not None:
            self.rule.sound(self.rule.params, self.rule_state(state))
        names = [*ACCOUNTS, *((VOTE_MISTAKES,) if self.by_forecast else ()), *(("squares", "seen") if self.blends or self.forecast else ())]
        within(state, **dict.fromkeys(names, NOT_NEGATIVE))
        if self.forecast:
            within(state, forecast_calibration=REAL, forecast_weights=(0, 1.001), forecast_products=(SMALL, 1))
            within(state, forecast_halvings=NOT_NEGATIVE, forecast_counts=NOT_NEGATIVE)
        if self.calibrate:
            within(state, forecast_sums=REAL, forecast_bins=(LEAST, 1.001), forecast_bin_counts=NOT_NEGATIVE)
            counts = state[self.at["forecast_bin_counts"]]
            if (counts[:, 1] > counts[:, 0]).any():
                raise LittlestoneError("forecast_bin_counts: more 1s than labels in a bin")

    def parts(self, names: Sequence[str], params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
        """Who says what, and with which weight: a vote for 1 adds the weight, a vote for 0 takes it away."""
        assert self.rule.weights is not None
        votes = self.votes(state, indices, values, 0, len(indices))[0].tolist()
        weights = self.rule.weights(self.rule, self.rule_state(state))
        terms = [
            Term(name, 1.0 if vote else -1.0, float(w), float(w) if vote else -float(w), float(w))
            for name, vote, w in zip(names, votes, weights, strict=True)
        ]
        words = "a panel is explained by its members: +1 votes for 1, -1 for 0, by the weight that each has earned"
        return whole(*terms, words=words)


@lru_cache(64)
def kind_of_state(*named: str) -> Any:
    """States of panels with the same arrays are of one kind; to make another takes longer than all else of a table."""
    return namedtuple("PanelState", named)


def address_of(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def side_by_side(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The same arrays in one piece of memory, where that is worth it: numpy asks the system for large pages for it. An event looks at all
    of them, and would wait at each for the page that it is in."""
    if not all(isinstance(array, np.ndarray) for array in arrays):  # another library's model is held as it is
        return arrays
    sizes = [-(-array.nbytes // 64) * 64 for array in arrays]  # lines of the cache
    if not LARGE <= sum(sizes) <= LARGEST:
        return arrays
    memory, parts, start = np.zeros(sum(sizes), np.uint8), [], 0
    for array, size in zip(arrays, sizes, strict=True):
        parts.append(memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape))
        start += size
        if array.any():
            parts[-1][...] = array
    return parts


def play_seat(member: Learner, state: tuple, block: Block, answers: np.ndarray, marks: np.ndarray | None) -> None:
    """One member plays a block, overwriting its state; `marks` are its scores, where blends hear them."""
    own = marks if member.scored else None
    done = play_through(member, state, block, answers, own)
    if marks is not None and own is None:  # a member without scores has its votes
        marks[:] = np.where(answers, 1.0, -1.0)
    if done < len(block):
        raise LittlestoneError(f"{block.round(done)}: {member!r}, a member of the panel, cannot go on")


class SeatPlayed(NamedTuple):
    """What a member is after some rounds, and what it said of them."""

    state: tuple
    votes: np.ndarray
    scores: np.ndarray | None
    seconds: float


def seat_apart(member: Learner, before: Any, scored: bool, *ranges: tuple[Block, Any]) -> SeatPlayed:
    """One member plays rounds, as a task, which leaves what it was given alone: from a state's arrays, or from where a task left it."""
    begun, block = perf_counter(), Block.joined([block for block, _ in ranges]) if len(ranges) > 1 else ranges[0][0]
    state = state_of_arrays(member, before.state if isinstance(before, SeatPlayed) else before)
    top, room = int(block.indices.max(initial=0)), member.room_of(state)
    if top >= room:
        state = member.grown(state, max(top + 1, 2 * room))
    if member.prepare is not None:
        state = member.prepare(state, block)
    answers, marks = np.empty(len(block), np.bool_), np.empty(len(block)) if scored else None
    play_seat(member, state, block if member.weighted else plainly(block), answers, marks)
    return SeatPlayed(tuple(state), answers, marks, perf_counter() - begun)


def one_row(indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, label: int) -> Block:
    """A block of one row."""
    own = None if values is None else values[lo:hi]
    return Block(np.array([0, hi - lo]), indices[lo:hi], own, np.array([label], np.int32))


def plainly(block: Block) -> Block:
    """Rounds for members that honour no weights: what weighs nothing teaches nothing."""
    if block.weights is None:
        return block
    own = block if block.far is None else outline(block)
    return replace(own, labels=np.where(block.weights > 0, block.labels, np.int32(-1)), weights=None)


@cache
def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def native_threads() -> int:
    """On how many threads native code plays members: it makes them anew for each block, and more would wait for the slowest member."""
    return min(cores(), MOST_THREADS)


@cache
def _pool() -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(cores(), "littlestone-panel") if cores() > 1 else None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads, and would wait for them


def _each(work: Callable[[int], None], members: int, features: int) -> None:
    """Do it for every member, on all cores where that pays: members share nothing, so who goes first changes nothing. Very many, such as a
    member for each of very many classes, are handed over some at a time: to hand over one takes longer than what it has to do."""
    pool, step = _pool() if features * members > SHARED else None, max(1, members // MANY)

    def some(first: int) -> None:
        for place in range(first, min(first + step, members)):
            work(place)

    for _ in map(some, range(0, members, step)) if pool is None else pool.map(some, range(0, members, step)):
        pass
