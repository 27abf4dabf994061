"""A panel at one table with one state, row by row: members, blends, forecasts and rule in one call, bit for bit what they do in a block."""

from collections.abc import Iterator
from operator import is_not
from typing import Any

import numpy as np

from littlestone.kernels.compiler import ROW_INDICES, ROW_VALUES, Chain, are_chainable, jit_lent, prefetch_entry
from littlestone.learners.reductions._blend import estimate_rounds, newton, squashed, vote
from littlestone.learners.reductions._forecast import AGAINST, binned, calibrated, heard, mixed, thinned
from littlestone.learners.reductions._table import FORECASTS, LINE, NOBODY, PLAIN, Table, count_wrong
from littlestone.reference.forecast import OFTEN, SLOW

ROOM = 1024  # features of a row, for which each chain has room
PREDICT, SCORE = -1, -2  # a row without a label: what is asked of it
HELD = 2  # more than the label of a row that was predicted just now: nothing has changed since, and what it told still lies there
LABELLED, SILENT, FORECAST, TOLD, UNTOLD = (">=", 0), ("<", 0), ("!=", PREDICT), (">=", HELD), ("<", HELD)


class Sitting:
    """The arrays of a state, and those that a row needs on its way; they are lent to the chain, so it is for one thread at a time."""

    def __init__(self, table: Table, state: tuple) -> None:
        self.table, self.gap, self.predicted = table, np.ones(1, np.int64), np.zeros(1, np.int64)
        self.hold(state)
        self.chains: dict[tuple[bool, int], Any] = {}  # for rows with values and without, and of so many features at most
        self.mix, self.forecast, self.limits, self.label = np.empty(1), np.empty(1), np.zeros(2, np.int64), np.empty(1, np.int32)

    def hold(self, state: tuple) -> None:
        """Take a state, and lay it out."""
        self.predicted[0] = 0
        self.state = state if self.table.is_spaced(state) else self.table.spaced(state) or state
        self.lent, self.gap[0] = self.table.lent(self.state)

    def moved(self, state: tuple) -> "Sitting":
        """Go on with another state, of arrays of the same kinds: all but those of the members are those that are here."""
        before, own = self.lent, self.table.rule_place.start
        self.hold(state)
        changed = [(array, other) for array, other in zip(before[:own], self.lent[:own], strict=True) if array is not other]
        for chain in self.chains.values():
            chain.put(changed)
        if any(map(is_not, before[own:], self.lent[own:])):
            self.chains.clear()
        return self

    def grown(self, room: int) -> tuple | None:
        """The state with room for so many features, where it is laid out in a way of its own."""
        return self.table.spaced(self.state, room)

    def predict(self, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> bool:
        if self.table.by_forecast:
            return self.score(indices, values, lo, hi) >= 0.0
        return self.ask(PREDICT, indices, values, lo, hi) and bool(self.mix[0] >= 0.5)

    def score(self, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> float:
        self.ask(SCORE, indices, values, lo, hi)
        return float(self.forecast[0] if self.table.forecast else 2 * self.mix[0] - 1)

    def update(self, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, y: bool, yhat: bool, weight: float) -> bool:
        if weight != 1.0:
            self.predicted[0] = 0
            return self.table.learn(self.lent, int(self.gap[0]), indices, values, lo, hi, y, yhat, weight)
        return self.ask(int(y), indices, values, lo, hi)

    def learning(self, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, y: bool) -> tuple:
        """Return the call that learns from a row of weight 1; what it returns is negative unless a kernel stopped short."""
        return self.asking(int(y), indices, values, lo, hi)

    def asking(self, label: int, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> tuple:
        """Return the call that plays a row through every kernel."""
        size, self.predicted[0] = ROOM if hi - lo <= ROOM else 1 << (hi - lo - 1).bit_length(), 0
        chain = self.chains.get((values is not None, size)) or self.chain(values is not None, size)
        if lo:
            indices, values = indices[lo:], None if values is None else values[lo:]
        return chain.calling(indices, values, hi - lo, label)

    def ask(self, label: int, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> bool:
        play, *arguments = self.asking(label, indices, values, lo, hi)
        stopped = play(*arguments)
        assert stopped < 0, f"call {stopped} of the panel stopped short"
        return True

    def chain(self, valued: bool, size: int) -> Any:
        plans = self.table.plans.setdefault(size, {})
        self.chains[valued, size] = chain = Chain(list(self.calls(size)), self.limits, self.label, valued, plans)
        return chain

    def calls(self, size: int) -> Iterator[tuple]:
        """Every kernel in its turn, with its arguments and the labels for which it is called; for rows of at most so many features."""
        table, state, label, members, wide = self.table, self.lent, self.label, len(self.table.members), np.empty(size, np.uint32)
        yield shown, (label,), TOLD
        yield spread, (ROW_INDICES, self.limits, self.gap, wide), UNTOLD
        if table.columns:
            yield ask_for_lines, (state[table.columns[0]], wide, self.limits, self.gap), SILENT  # a question comes before what is learned
        for k, member in enumerate(table.members):
            known = not member.spaced and hasattr(member.kernels.play, "overloads")  # another library's model has a state of its own
            for array, grows in zip(state[table.places[k]], member._growing, strict=True) if known else ():
                if grows:
                    yield ask_for_places, (array, ROW_INDICES, self.limits), SILENT
        answers, marks = np.empty((table.voters, 1), np.bool_), np.empty((members, 1))
        for k, member in table.preparing:
            if member.roomy is not None:
                yield member.roomy, (*member.params, *state[table.places[k]]), None
        for k, member in enumerate(table.members):
            own = marks[k] if member.kernels.score is not None else None
            updates = np.empty(1, np.bool_) if member.updates_on == "margin" else None
            begin, teach = (*member.params, *state[table.places[k]]), None if own is None else member.kernels.teach
            row = self.limits, wide if member.spaced else ROW_INDICES, ROW_VALUES, label
            yield member.kernels.play, (*begin, *row, None, answers[k], own, updates), UNTOLD if teach else None
            if teach:
                yield teach, (*begin, *row, own), TOLD
            if own is None:
                yield voiced, (answers[k], marks[k]), None
        if table.blends or table.forecast:
            yield from self.blend(answers, marks)
        votes, rule, rule_state = np.empty((1, table.voters), np.float32), table.rule, state[table.rule_place]
        lent = [array.copy() for array in rule_state]  # a question changes nothing
        yield cast, (answers, votes), None
        for array, copy in zip(rule_state, lent, strict=True):
            yield lend, (array.ravel(), copy.ravel()), SILENT
        yield rule.play, (*rule.params, *lent, votes, label, self.mix, NOBODY), SILENT
        yield rule.play, (*rule.params, *rule_state, votes, label, self.mix, NOBODY), LABELLED
        yield count_wrong, (self.mix, votes, label, PLAIN, PLAIN, np.empty(1, np.bool_), *table.counts(state)), LABELLED

    def blend(self, answers: np.ndarray, marks: np.ndarray) -> Iterator[tuple]:
        """The blends, and the forecasts, of one row: see `Table.blend`."""
        table, at, state, label, members = self.table, self.table.at, self.lent, self.label, len(self.table.members)
        z, odds, mild = np.empty((1, members + 1)), np.empty((1, members + 1)), np.empty((1, members))
        ones, zeros = np.empty((1, len(table.prior))), np.empty((1, len(table.prior)))
        estimates, seldom = np.empty((len(table.minds) + table.calibrate, 1)), np.empty(1, np.int32)
        yield squashed, (marks, label, state[at["squares"]], state[at["seen"]], z, mild), None
        if table.forecast:
            counts, calibration = state[at["forecast_counts"]], state[at["forecast_calibration"]]
            yield thinned, (label, counts, OFTEN, seldom), FORECAST
            if table.calibrate:
                asked = table.givers, table.asked, counts, state[at["forecast_sums"]], calibration
                yield heard, (marks, label, seldom, *asked, odds, ones, zeros), FORECAST
            else:
                yield calibrated, (mild, seldom, calibration, odds, ones, zeros), FORECAST
        for b, (mind, w, P) in enumerate(table.minds):
            own = b < len(table.blends)
            rows, taught = (z, label) if own else (odds, seldom if mind.memory == 1.0 else label)
            learned, asked_too = (mind.logistic, mind.stiffness, mind.memory, state[w], state[P]), own or table.by_forecast
            if asked_too:  # a question takes no room for a step that is not made
                yield estimate_rounds, (rows, state[w], estimates[b]), SILENT
            yield newton, (rows, taught, PLAIN, *learned, estimates[b]), LABELLED if asked_too else FORECAST
        if table.blends:
            yield vote, (estimates, table.estimators, answers[members:]), None
        if table.calibrate:
            bins = state[at["forecast_bins"]], state[at["forecast_bin_counts"]]
            yield binned, (estimates[table.binned], label, AGAINST, *bins, estimates[-1]), FORECAST
        if table.forecast:
            accounts, slow = (state[at[name]] for name in ("forecast_weights", *FORECASTS)), SLOW if table.calibrate else 1.0
            yield mixed, (estimates[table.estimators :], label, table.prior, ones, zeros, *accounts, slow, self.forecast), FORECAST


def sitting(table: Table, state: tuple) -> Sitting | None:
    """A state at the table, where every kernel is compiled and no round is ever undecided; else None."""
    if table.chainable is False:
        return None
    seated = Sitting(table, state)
    if table.chainable is None:
        undecided = table.rule.settle is not None or any(member.settle is not None for member in table.members)
        table.chainable = not undecided and are_chainable(seated.calls(ROOM))
    return seated if table.chainable else None


@jit_lent
def spread(indices, limits, gap, wide):
    """Indices for arrays with gaps; there is room for those of the row."""
    for k in range(limits[0], limits[1]):
        wide[k] = np.uint32(gap[0]) * indices[k]


@jit_lent
def ask_for_lines(array, wide, limits, gap):
    """Ask the memory for all that members keep of each feature, before any of them waits for its part."""
    for k in range(limits[1]):
        for j in range(0, gap[0], LINE):
            prefetch_entry(array, np.uint64(wide[k]) + np.uint64(j))


@jit_lent
def ask_for_places(array, indices, limits):
    """The same of an array that lies by itself."""
    for k in range(limits[1]):
        prefetch_entry(array, np.uint64(indices[k]))


@jit_lent
def shown(label):
    """The label alone, of a row that was predicted just now."""
    label[0] -= HELD


@jit_lent
def voiced(answers, marks):
    """A member without scores has its votes."""
    for t in range(len(answers)):
        marks[t] = 1.0 if answers[t] else -1.0


@jit_lent
def cast(answers, votes):
    """Answers, a row for each voter, as votes, a row for each round."""
    for t in range(votes.shape[0]):
        for k in range(votes.shape[1]):
            votes[t, k] = answers[k, t]


@jit_lent
def lend(array, copy):
    for i in range(len(array)):
        copy[i] = array[i]
