"""Binary learners, made as classes appear, whose predictions together name a class. What the reductions share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Self

import numpy as np

from littlestone.errors import Lost, require
from littlestone.protocol import Block, ClassLearner, ClassRun, Learner, Ledger, Opening, Runner, RunnerCounts
from littlestone.protocol.learner import LARGEST_INDEX, fields, state_of_arrays
from littlestone.theory import Bound, reductions
from littlestone.theory.claims import Candidate, Known, beforehand, least, match

Member = tuple[int, ...]  # the classes it is about


class Committee(ABC):
    """Plays the members. A subclass says who they are, what each is told, and how they elect a class."""

    scored = False  # do scores matter in the election?
    plays_there = True  # can workers play its members?

    def __init__(self, learner: Learner, opening: Opening) -> None:
        self.learner = self.inner = learner
        self.opening = opening
        self.seen, self.room = 0, opening.room
        self.at_work: dict[Member, Any] = {}  # a Runner each, or a Model each where rounds come one by one
        self.answers: dict[Member, bool] = {}
        self.scored = self.scored and learner.scored

    @abstractmethod
    def recruits(self, c: int) -> list[Member]:
        """Who joins when class c appears."""

    @abstractmethod
    def codes_for(self, member: Member, y: Any) -> Any:
        """The codes that a member is told for classes y, -1 for a round that is not about it."""

    @abstractmethod
    def open_ballot(self, rounds: int) -> Any:
        """A ballot for so many rounds."""

    @abstractmethod
    def cast(self, ballot: Any, member: Member, votes: np.ndarray, scores: np.ndarray | None, since: int) -> None:
        """Add what a member says of the rounds from `since` on."""

    @abstractmethod
    def elect(self, ballot: Any, labels: np.ndarray, seen: int, winners: np.ndarray) -> None:
        """Write down the class of each round; `seen` classes were known before the first."""

    @abstractmethod
    def rate(self, member: Member, votes: np.ndarray, scores: np.ndarray | None, columns: np.ndarray) -> None:
        """Add what a member says of some rounds to the scores of the classes, rounds × classes."""

    @abstractmethod
    def between(self, c: int, rival: int) -> tuple[Member, bool]:
        """Who decides whether c or its rival is named, and whether a 1 of that member speaks for c."""

    @abstractmethod
    def choose(self, row: tuple) -> int:
        """The class of one row, from what the members said of it."""

    def make_room(self, room: int) -> None:
        self.room = room
        if self.opening.events:
            for model in self.at_work.values():
                model.make_room(room)

    def _hired(self, state: tuple | None = None, accounts: RunnerCounts | None = None) -> Any:
        """A member, new or with the state that it had."""
        if not self.opening.events:
            runner = Runner(self.learner, columns=self.opening.columns, state=state, counted=self.opening.counted, accounts=accounts)
            runner.largest_index = LARGEST_INDEX  # whoever hands out the blocks has looked at their indices
            return runner
        model = self.learner.start(state, ledger=False)
        model.make_room(self.room)
        return model

    def _recruit(self, c: int) -> None:
        for member in self.recruits(c):
            self.at_work[member] = self._hired()
        self.seen = c + 1

    def play(self, block: Block, predictions: np.ndarray, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> None:
        """Every member plays the whole block, a new one from the round on in which its class first appears.

        Where rounds come one by one, blocks are only predicted: they must have no labels.
        """
        known, born = self.seen, {}
        for c in range(known, int(block.labels.max(initial=-1)) + 1):
            born[c] = int(np.argmax(block.labels == c))
            self._recruit(c)
        ballot = self.open_ballot(len(block))
        scored = self.scored or (scores is not None and self.learner.scored)
        begins = {member: born.get(member[-1], 0) for member in self.at_work}
        for member, (votes, marks, taught) in self._all_played(block, begins, scored, updates is not None, known):
            begin = begins[member]
            since = 1 if member[-1] in born else 0  # in the round in which a class appears nobody can name it yet
            replies = (votes[since:], None if marks is None else marks[since:])
            self.cast(ballot, member, *replies, begin + since)
            if scores is not None:
                self.rate(member, *replies, scores[begin + since :])
            if updates is not None and taught is not None:
                updates[begin:] |= taught
        self.elect(ballot, block.labels, known, predictions)

    def _all_played(
        self, block: Block, begins: Mapping[Member, int], scored: bool, noted: bool, known: int
    ) -> Iterable[tuple[Member, tuple]]:
        try:
            yield from self._played(block, begins, scored, noted)
        except Lost:  # nobody has played these rounds: who joined in them has not
            self.at_work = {member: self.at_work[member] for member in self.joined(known)}
            self.seen = known
            raise

    def _played(self, block: Block, begins: Mapping[Member, int], scored: bool, noted: bool) -> Iterable[tuple[Member, tuple]]:
        """Every member, with its votes, scores and updates from its first round of this block on."""
        codes_of = {member: partial(self.codes_for, member) for member in begins}
        if block.far is None:
            for member, runner in self.at_work.items():
                yield member, play_member(runner, block, begins[member], codes_of[member], scored, noted)
            return
        far, members = block.far, list(self.at_work)
        groups = [members[k :: 2 * far.workers.count] for k in range(2 * far.workers.count)]
        tasks = [
            far.workers.submit(play_apart, [stripped(self.at_work[m]) for m in group], [begins[m] for m in group],
                               [self.codes_for(m, block.labels).astype(np.int32) for m in group], scored, noted, *far.tasks)
            for group in groups if group
        ]  # fmt: skip
        played = {}
        for group, results in zip(filter(None, groups), far.workers.gather(tasks), strict=True):
            for member, (runner, *replies) in zip(group, results, strict=True):
                self.at_work[member], played[member] = dressed(runner), tuple(replies)
        yield from ((member, played[member]) for member in members)

    def predict(self, row: tuple) -> int:
        self.answers = {member: model.predict_row(row) for member, model in self.at_work.items()}
        return self.choose(row) if self.seen else -1

    def learn(self, row: tuple, y: int, yhat: int, weight: float) -> bool:
        if y == self.seen:
            self._recruit(y)
        updated = False
        for member, model in self.at_work.items():
            code = int(self.codes_for(member, y))
            if code >= 0:
                answer = self.answers[member] if member in self.answers else model.predict_row(row)
                updated |= model.learn_row(row, code == 1, answer, weight)
        return updated

    def foresee(self, row: Block) -> tuple[int, dict[Member, tuple]]:
        """The class of a row whose label will come late, and what the members said of it."""
        answers = {member: runner.foresee(runner.admit(row.labelled(-1))) for member, runner in self.at_work.items()}
        winners = np.full(1, -1, np.int32)
        if self.seen:
            ballot = self.open_ballot(1)
            for member, (yhat, score, _) in answers.items():
                self.cast(ballot, member, np.array([yhat]), np.array([score]) if self.scored else None, 0)
            self.elect(ballot, np.full(1, -1, np.int32), self.seen, winners)
        return int(winners[0]), answers

    def learn_late(self, row: Block, y: int, yhat: int, memo: dict[Member, tuple]) -> bool:
        """Tell the members of a label, each with what it said when the row was predicted; who joined since is asked now."""
        if y == self.seen:
            self._recruit(y)
        updated = False
        for member, runner in self.at_work.items():
            code = int(self.codes_for(member, y))
            answer = memo[member] if member in memo else runner.foresee(runner.admit(row.labelled(-1)))
            labelled = row.labelled(code)
            if code >= 0:
                updated = runner.learn(labelled, answer[0]) or updated
            runner.record(labelled, np.array([answer[0]]), scores=np.array([answer[1]]))
        return updated

    def state(self, width: int, *, lent: bool = False) -> tuple:
        """The states of the members, in the order in which they joined, all with room for that many features."""
        if self.opening.events:
            return tuple(model.state_for(width) for model in self.at_work.values())
        for runner in self.at_work.values():
            if runner.room < width:  # it joined late, or was not told of all
                runner.make_room(width)
                runner.room = width
        return tuple(self.learner.trimmed(runner.state, min(width, runner.room), lent=lent) for runner in self.at_work.values())

    def joined(self, seen: int) -> list[Member]:
        """Who is there once so many classes have appeared, in the order in which they joined."""
        return [member for c in range(seen) for member in self.recruits(c)]

    def resume(self, state: tuple, seen: int, accounts: tuple[RunnerCounts, ...] = ()) -> None:
        """Go on from the states of members."""
        members = self.joined(seen)
        for member, theirs, kept in zip(members, state, accounts or [None] * len(members), strict=True):
            self.at_work[member] = self._hired(theirs, kept)
        self.seen = seen

    def width_of(self, state: tuple) -> int:
        rooms = (self.learner.room_of(theirs) for theirs in state)
        return max((room for room in rooms if room <= LARGEST_INDEX), default=0)

    def alike(self, a: tuple, b: tuple) -> bool:
        return len(a) == len(b) and all(map(self.learner.alike, a, b))

    def named(self, state: tuple) -> dict[str, np.ndarray]:
        """The arrays of the first member are m1_..., those of the second m2_..., and so on."""
        pairs = ((k, name, array) for k, theirs in enumerate(state, 1) for name, array in zip(fields(theirs), theirs, strict=True))
        return {f"m{k}_{name}": array for k, name, array in pairs}

    def accounts(self) -> tuple[RunnerCounts, ...]:
        return tuple(runner.accounts() for runner in self.at_work.values())

    def ledger_of(self, member: Member, ledger: Ledger) -> Ledger:
        """Of the rounds on which any member updated those on which this one did, or erred; labels are those that it was told."""
        block = ledger.block()
        born = int(np.argmax(block.labels == member[-1])) if (block.labels == member[-1]).any() else len(block)
        codes = self.codes_for(member, block.labels).astype(np.int32)
        codes[:born] = -1
        votes, updates = np.zeros(len(block), np.bool_), np.zeros(len(block), np.bool_)
        if born < len(block):
            rounds = replace(block, labels=codes).cut(born, len(block))
            votes[born:] = Runner(self.learner, counted=self.opening.counted).take(rounds, None, updates[born:])
        which = (codes >= 0) & (updates | (votes != codes))
        part, own = ledger.part(which), Ledger()
        own.extend((part.rounds, codes[which], votes[which], part.weights, part.lengths), part.indices, part.values)
        for round in part.unlabelled.tolist():
            own.skip(round)
        return own

    def members(self, labels: tuple, *, lent: bool = False) -> Mapping[Any, Any]:
        """Their runs, by label, or by the labels where they are about several."""
        named = {member: tuple(labels[c] for c in member) for member in self.at_work}
        return {name[0] if len(name) == 1 else name: self.at_work[member].run(lent=lent) for member, name in named.items()}

    def copy(self) -> Self:
        """A committee of its own that stands where this one does."""
        other = copy(self)
        other.at_work = {member: runner.copy() for member, runner in self.at_work.items()}
        return other


def play_member(runner: Any, block: Block, begin: int, codes_of: Callable[[np.ndarray], np.ndarray], scored: bool, noted: bool) -> tuple:
    """A member plays a block from the round `begin` on: its votes, scores and updates."""
    part = block.cut(begin, len(block)) if begin else block
    marks = np.zeros(len(part)) if scored else None
    taught = np.zeros(len(part), np.bool_) if noted else None
    if isinstance(runner, Runner):
        return runner.take(replace(part, labels=codes_of(part.labels).astype(np.int32)), marks, taught), marks, taught
    return runner.predict_rows(part, marks), marks, taught


def play_apart(
    runners: Sequence[Runner], begins: Sequence[int], codes: Sequence[np.ndarray], scored: bool, noted: bool, *ranges: tuple[Block, Any]
) -> list[tuple]:
    """Some members play rounds, as a task, which leaves what it was given alone: each with its runner after it."""
    played, block = [], Block.joined([block for block, _ in ranges]) if len(ranges) > 1 else ranges[0][0]
    for runner, begin, labels in zip(runners, begins, codes, strict=True):
        own = dressed(runner).copy()
        replies = play_member(own, replace(block, labels=labels), begin, lambda labels: labels, scored, noted)
        played.append((stripped(own), *replies))
    return played


def stripped(runner: Runner) -> Runner:
    """A runner whose state is plain arrays, to be sent."""
    other = copy(runner)
    other.state = tuple(runner.state)
    return other


def dressed(runner: Runner) -> Runner:
    """The same with a state of the learner's own kind, in memory of its own."""
    other = copy(runner)
    other.state, other.tally, other.lengths = state_of_arrays(runner.learner, runner.state), runner.tally.copy(), runner.lengths.copy()
    return other


def reduced(
    name: str,
    committee: Callable[[Learner, Opening], Committee],
    learner: Learner,
    again: Callable[[Learner], ClassLearner],
    family: reductions.CommitteeFamily,
) -> ClassLearner:
    """The class learner that a committee of binary ones is."""
    require(isinstance(learner, Learner), f"{name} takes a binary learner, such as ls.perceptron(); got {learner!r}")
    learner = learner.silent()
    last = learner.final

    def final(states: tuple) -> tuple[ClassLearner, tuple]:
        """The same of the hypotheses that the members keep."""
        assert last is not None
        kept = [last(theirs) for theirs in states]
        return again(last(learner.first_state(1))[0]), tuple(state for _, state in kept)

    return ClassLearner(
        name=name,
        settings={"learner": learner},
        engine=partial(committee, learner),
        n=learner.n,
        needs_n=learner.needs_n,
        with_n=lambda n: again(learner.sized(n)),
        family=family.of(learner.family),
        known=partial(known, name, learner),
        concepts=learner.concepts,
        final=None if last is None else final,
    )


@dataclass
class KnownOfMembers(Known):
    """What the members of a committee give: their bounds, each on its own stream, and their mistakes."""

    run: Any = None
    name: str = ""

    def declared(self, bound: Bound, declared: Mapping[str, Fraction]) -> tuple[Mapping[str, Any], str]:
        theirs = {}
        for label, member in self._members():
            own = member.known()
            theorem = next(b for b in own.bounds if b.kind == "a priori" and f"{self.name}-{b.name}" == bound.name)
            theirs[label] = beforehand(own, theorem, declared)
        void = next((f"member {label!r}: {claim.reason}" for label, claim in theirs.items() if claim.limit is None), "")
        return {**self.facts, "members": {label: claim.limit or 0 for label, claim in theirs.items()}}, void

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        if bound.name == reductions.of_mistakes(self.name).name:
            mistakes = {label: member.weighted_mistakes for label, member in self._members()}
            yield None, {**self.facts, "members": mistakes, "witness": "the members' own mistakes"}
            return
        if bound.compares:
            return  # without their streams nobody was found to compare the members with
        limits = {label: least(match(member.known())) for label, member in self._members()}
        if None not in limits.values():
            members = {label: claim.limit for label, claim in limits.items() if claim is not None}
            yield None, {**self.facts, "members": members, "witness": "what the members' bounds compare with"}

    def _members(self) -> list[tuple[str, Any]]:
        return [(_text(label), member) for label, member in self.run.members.items()]


def known(name: str, learner: Learner, run: ClassRun) -> Known:
    slack = 1 + Fraction(run.rounds * (len(run.members) + 2), 2**52) if run.weighted else 1
    facts = {"first": Fraction(run.lengths.first) if run.weighted else len(run.classes), "slack": slack}
    return KnownOfMembers(
        learner.name, reductions.theorems_of(name, learner.bounds), facts, run.weighted_mistakes, run.delayed, run=run, name=name
    )


def _text(label: Any) -> str:
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)
