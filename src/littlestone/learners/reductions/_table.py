"""Where the members of a panel sit: plays them, hears them, and lets the rule decide."""

import os
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import pairwise
from operator import is_
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels.compiler import jit_lent
from littlestone.kernels.log_loss import SMALL
from littlestone.learners.reductions._blend import first_state, newton, squashed, vote
from littlestone.learners.reductions._forecast import AGAINST, binned, calibrated, first_bins, first_calibration, heard, mixed, thinned
from littlestone.protocol import Advice, AdviceRunner, Block, Learner, Rule, play_through
from littlestone.protocol.far import outline
from littlestone.protocol.learner import fields, state_of_arrays
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import NOT_NEGATIVE, REAL, within
from littlestone.reference.blend import Blend, voices
from littlestone.reference.forecast import BINNED, LEAST, OFTEN, SLOW, forecasters, prior, stacks

SHARED = 20_000  # features times members below which a block is not worth two threads
LARGE, LARGEST = 2**22, 2**26  # bytes of a state for which large pages pay, and beyond which they might hold much that nobody looks at
NOBODY = np.empty(0, np.int32)  # nobody asks whom the rule drew
PLAIN = np.empty(0, np.float32)  # every round weighs 1
ACCOUNTS = ("mistakes", "loss")  # of each member; and Σ of the shares of wrong weight
FORECASTS = ("forecast_products", "forecast_halvings", "forecast_counts")  # of each forecaster and the mixture; rounds and mistakes
CALIBRATES = ("forecast_sums", "forecast_bins", "forecast_bin_counts")  # scores and squares added up; weights and counts in each bin


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
    ) -> None:
        self.members, self.rule, self.blends, self.forecast, self.weigh = members, rule, blends, forecast, weigh
        self.calibrate, self.stacks = calibrate, stacks(calibrate) if forecast else ()
        self.givers, self.asked = (
            np.array([k for k, member in enumerate(members) if member.family.odds is kind], np.uint64) for kind in (True, False)
        )  # whose scores are logarithms of odds, and whose are not
        self.prior = np.asarray(prior(len(members), len(forecasters([""] * len(members), blends, calibrate))), np.float64)
        self.voters = len(members) + len(voices(blends))
        self.listen: Callable[[np.ndarray], None] | None = None  # is told the votes of each block, where somebody asks
        self.preparing = [(k, member) for k, member in enumerate(members) if member.prepare is not None]
        self.chainable: bool | None = None  # can a row be played in one call? Found out at the first; see `_sitting`
        self.ahead: dict[Any, list[Any]] = {}  # tasks of the members for the rounds that workers are to play next
        self.seconds = np.zeros(len(members))  # what each took for the last block: those that take long go first, so that no core waits
        firsts = [member.init(1) for member in members]
        ends = np.cumsum([0, *map(len, firsts)]).tolist()
        self.places = [slice(a, b) for a, b in pairwise(ends)]
        self.kinds = [type(first) for first in firsts]
        own = rule.first_state()
        self.rule_kind, self.rule_place = type(own), slice(ends[-1], ends[-1] + len(own))
        named = [f"m{k}_{name}" for k, first in enumerate(firsts, 1) for name in fields(first)]
        named += [*(f"rule_{name}" for name in fields(own)), *ACCOUNTS]
        if blends or forecast:
            named += ["squares", "seen"]
        named += [f"blend{b}_{name}" for b in range(1, len(blends) + 1) for name in ("w", "P")]
        if forecast:
            named += ["forecast_calibration", "forecast_weights", *FORECASTS, *(CALIBRATES if calibrate else ())]
        named += [f"stack{b}_{name}" for b in range(1, len(self.stacks) + 1) for name in ("w", "P")]
        self.kind: Any = namedtuple("PanelState", named)  # type: ignore[misc]
        self.at = {name: k for k, name in enumerate(named)}  # where an array stands
        blended = [(blend, self.at[f"blend{b}_w"], self.at[f"blend{b}_P"]) for b, blend in enumerate(blends, 1)]
        self.minds = [*blended, *((stack, self.at[f"stack{b}_w"], self.at[f"stack{b}_P"]) for b, stack in enumerate(self.stacks, 1))]
        self.binned = len(blends) + BINNED  # the estimates that bins put right
        self.estimators = sum(not blend.logistic for blend in blends)  # those that give no odds stand before the others

    def init(self, room: int) -> tuple:
        states = side_by_side([array for member in self.members for array in member.init(room)])
        own = [np.zeros(self.voters, np.int64), np.zeros(1)]
        if self.blends or self.forecast:
            own += [np.zeros(len(self.members)), np.zeros(1)]
        own += [array for blend in self.blends for array in first_state(len(self.members), blend)]
        if self.forecast:
            several, asked = len(self.prior) + 1, len(self.asked) if self.calibrate else len(self.members)
            own += [first_calibration(asked), self.prior.copy(), np.ones(several), np.zeros(several), np.zeros(2, np.int64)]
            own += [np.zeros(2 * asked), *first_bins()] if self.calibrate else []
            own += [array for stack in self.stacks for array in first_state(len(self.members), stack)]
        return self.kind(*states, *self.rule.first_state(), *own)

    def state_of(self, k: int, state: Sequence) -> tuple:
        arrays = state[self.places[k]]
        return self.kinds[k](*arrays) if hasattr(self.kinds[k], "_fields") else tuple(arrays)

    def rule_state(self, state: Sequence) -> Any:
        return self.rule_kind(*state[self.rule_place])

    def accounts(self, state: Sequence) -> Sequence:
        return state[self.rule_place.stop : self.rule_place.stop + len(ACCOUNTS)]

    def size(self) -> int:
        return len(self.kind._fields)

    # ------------------------------------------------------------------------------------------------- what a learner's kernels do

    def play(self, *arguments: Any) -> None:
        """Every member plays the block, then the rule hears them round by round."""
        state, (indptr, indices, values, labels, weights, predictions, scores, _) = arguments[: self.size()], arguments[self.size() :]
        block = Block(indptr, indices, values, labels, weights)
        plain = plainly(block)
        answers, marks = self.room_for(len(block))
        order = np.argsort(-self.seconds, kind="stable").tolist()

        def play_member(place: int) -> None:
            k, begun = order[place], perf_counter()
            rows, own = block if self.members[k].weighted else plain, None if marks is None else marks[k]
            play_seat(self.members[k], self.state_of(k, state), rows, answers[k], own)
            self.seconds[k] = perf_counter() - begun

        _each(play_member, len(self.members), len(indices))
        self.hear(state, plain.labels, weights, answers, marks, predictions, scores)

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
        odds = self.blend(state, marks, teaching, own_weights, answers) if marks is not None else None
        votes = np.ascontiguousarray(answers.T, np.float32)
        if self.listen is not None:
            self.listen(votes)
        mix = self.decide(state[self.rule_place], votes, teaching, own_weights)
        count_wrong(mix, votes, teaching, own_weights, predictions, *self.accounts(state))
        if scores is not None:
            scores[:] = 2 * mix - 1 if odds is None else odds

    def play_there(self, state: Sequence, block: Any, predictions: np.ndarray, scores: np.ndarray | None) -> tuple:
        """The same of rounds that workers hold: they play the members, and begin with the rounds after them before these are heard.

        Who takes long goes first, so that no worker waits for one. The state in the end.
        """
        far, scored = block.far, bool(self.blends or self.forecast)
        tasks = self.ahead.pop(far.tasks, None) or self.sent(far, [tuple(state[place]) for place in self.places], scored)
        if far.after is not None:
            self.ahead = {far.after.tasks: self.sent(far.after, tasks, scored)}
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
        for k in np.argsort(-self.seconds, kind="stable").tolist():
            tasks[k] = far.workers.submit(seat_apart, self.members[k], before[k], scored, *far.tasks)
        return tasks

    def blend(
        self, state: Sequence, marks: np.ndarray, labels: np.ndarray, weights: np.ndarray, answers: np.ndarray, *, forecast: bool = True
    ) -> np.ndarray | None:
        """What the blends make of the members' scores; and the forecasts of a panel that makes any, unless nobody asks for them.

        Blends learn by the weights of the rounds. Forecasts do not: a probability is a share of rounds, whatever an error costs.
        """
        forecast, at, members = forecast and self.forecast, self.at, len(self.members)
        z, mild = np.empty((len(labels), members + 1)), np.empty((len(labels), members))
        squashed(marks, labels, state[at["squares"]], state[at["seen"]], z, mild)
        seldom, odds = labels, z
        if forecast:
            odds, ones, zeros = np.empty_like(z), *np.empty((2, len(labels), len(self.prior)))
            seldom = np.empty_like(labels)
            counts, calibration = state[at["forecast_counts"]], state[at["forecast_calibration"]]
            thinned(labels, counts, OFTEN, seldom)
            if self.calibrate:
                sums = state[at["forecast_sums"]]
                heard(marks, labels, seldom, self.givers, self.asked, counts, sums, calibration, odds, ones, zeros)
            else:
                calibrated(mild, seldom, calibration, odds, ones, zeros)
        minds = self.minds if forecast else self.minds[: len(self.blends)]
        estimates = np.empty((len(minds) + (forecast and self.calibrate), len(labels)))

        def step(b: int) -> None:
            mind, w, P = minds[b]
            own = b < len(self.blends)
            rows, taught = (z, labels) if own else (odds, seldom if mind.memory == 1.0 else labels)
            newton(rows, taught, weights if own else PLAIN, mind.logistic, mind.stiffness, mind.memory, state[w], state[P], estimates[b])

        _each(step, len(minds), z.size)
        if self.blends:
            vote(estimates, self.estimators, answers[members:])
        if not forecast:
            return None
        forecasts = np.empty(len(labels))
        if self.calibrate:
            binned(estimates[self.binned], labels, AGAINST, state[at["forecast_bins"]], state[at["forecast_bin_counts"]], estimates[-1])
        accounts = (state[at[name]] for name in ("forecast_weights", *FORECASTS))
        mixed(estimates[self.estimators :], labels, self.prior, ones, zeros, *accounts, SLOW if self.calibrate else 1.0, forecasts)
        return forecasts

    def decide(self, rule_state: Sequence, votes: np.ndarray, labels: np.ndarray, weights: np.ndarray = PLAIN) -> np.ndarray:
        """The share of the weight that says 1, round by round; the rule learns from the labels, overwriting its state."""
        rule, mix = self.rule, np.empty(len(labels))
        if len(weights) and rule.play_weighted is not None:
            rule.play_weighted(*rule.params, *rule_state, votes, labels, mix, NOBODY, weights)
            return mix
        played = rule.play(*rule.params, *rule_state, votes, labels, mix, NOBODY)
        if played is not None and played < len(labels):  # a round that doubles cannot decide
            runner = AdviceRunner(rule, self.voters, state=self.rule_kind(*rule_state), counting=False)
            mix[played:], _ = runner.take(Advice(votes[played:], labels[played:]))
            for kept, new in zip(rule_state, runner.state, strict=True):
                kept[...] = new
        return mix

    def listen_to(
        self,
        state: Sequence,
        indices: np.ndarray,
        values: np.ndarray | None,
        lo: int,
        hi: int,
        label: int = -1,
        weights: np.ndarray = PLAIN,
        *,
        forecast: bool = False,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """What all of them vote on one row, and the forecast where it is asked for; blends and forecaster learn the label, if any."""
        row = indices[lo:hi], None if values is None else values[lo:hi]
        marked, marks, says = bool(self.blends) or forecast, [], []
        for k, member in enumerate(self.members):
            score, kernel = None, member.kernels.score if marked else None
            if kernel is not None:
                score = kernel(*member.params, *state[self.places[k]], *row, 0, len(row[0]))
            yhat = score >= 0.0 if score is not None and member.decides_by_score else member.predict(self.state_of(k, state), *row)
            says.append(yhat)
            marks.append(score if score is not None else 1.0 if yhat else -1.0)
        answers, odds = np.empty((self.voters, 1), np.bool_), None
        answers[: len(says), 0] = says
        if marked:
            odds = self.blend(state, np.array(marks)[:, None], np.array([label], np.int32), weights, answers, forecast=forecast)
        return np.ascontiguousarray(answers.T, np.float32), odds

    def votes(self, state: Sequence, *row: Any) -> np.ndarray:
        """What all of them vote on one row; nothing changes."""
        return self.listen_to(state, *row)[0]

    def share(self, state: Sequence, votes: np.ndarray) -> float:
        """The share of the weight that says 1 of one row; nothing changes."""
        return float(self.decide([array.copy() for array in state[self.rule_place]], votes, np.array([-1], np.int32))[0])

    def score(self, *arguments: Any) -> float:
        state, row = arguments[: self.size()], arguments[self.size() :]
        votes, odds = self.listen_to(state, *row, forecast=self.forecast)
        return 2 * self.share(state, votes) - 1 if odds is None else float(odds[0])

    def predict(self, *arguments: Any) -> bool:
        state, row = arguments[: self.size()], arguments[self.size() :]
        return 2 * self.share(state, self.votes(state, *row)) - 1 >= 0.0

    def update(self, *arguments: Any) -> bool:
        state, (indices, values, lo, hi, y, _, weight) = arguments[: self.size()], arguments[self.size() :]
        label = int(y) if weight > 0 else -1
        weights = np.array([weight], np.float32) if self.weigh and weight != 1.0 else PLAIN
        votes, _ = self.listen_to(state, indices, values, lo, hi, label, weights, forecast=self.forecast)
        labels = np.array([label], np.int32)
        mix = self.decide(state[self.rule_place], votes, labels, weights)
        count_wrong(mix, votes, labels, weights, np.empty(1, np.bool_), *self.accounts(state))
        for k, member in enumerate(self.members if weight > 0 else ()):
            row = (indices, values, lo, hi, bool(y), bool(votes[0, k]), float(weight) if member.weighted else 1.0)
            member.kernels.update(*member.params, *state[self.places[k]], *row)
        return True

    # ------------------------------------------------------------------------------------------------- what else a learner can do

    def prepare(self, state: Sequence, block: Block) -> tuple:
        """Room for what a block will add, where members need more than a place for a feature."""
        return self._with(state, {k: member.prepare(self.state_of(k, state), block) for k, member in self.preparing if member.prepare})

    def roomy(self, state: Sequence) -> bool:
        """Is there room for one more row, whatever it holds?"""
        return all(member.roomy is not None and member.roomy(self.state_of(k, state)) for k, member in self.preparing)

    def compact(self, state: Sequence) -> tuple:
        members = enumerate(self.members)
        return self._with(state, {k: member.compact(self.state_of(k, state)) for k, member in members if member.compact})

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
        names = [*ACCOUNTS, *(("squares", "seen") if self.blends or self.forecast else ())]
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
    own = marks if member.kernels.score is not None else None
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


def plainly(block: Block) -> Block:
    """Rounds for members that honour no weights: what weighs nothing teaches nothing."""
    if block.weights is None:
        return block
    own = block if block.far is None else outline(block)
    return replace(own, labels=np.where(block.weights > 0, block.labels, np.int32(-1)), weights=None)


@jit_lent
def count_wrong(mix, votes, labels, weights, predictions, mistakes, loss):
    """Decide, and count what each member got wrong, and how much of the weight: so many times as the round weighs."""
    for t in range(len(labels)):
        predictions[t] = mix[t] >= 0.5
        if labels[t] >= 0:
            loss[0] += abs(mix[t] - labels[t]) * (weights[t] if len(weights) else 1.0)
            for k in range(len(mistakes)):
                mistakes[k] += votes[t, k] != labels[t]


@cache
def _pool() -> ThreadPoolExecutor | None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(cores, "littlestone-panel") if cores > 1 else None


def _each(work: Callable[[int], None], members: int, features: int) -> None:
    """Do it for every member, on all cores where that pays: members share nothing, so who goes first changes nothing."""
    pool = _pool() if features * members > SHARED else None
    for _ in map(work, range(members)) if pool is None else pool.map(work, range(members)):
        pass
