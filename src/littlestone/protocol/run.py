"""A run: the definition in plain Python, the native pass block by block, and what is left when it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.errors import Contradiction, LittlestoneError, require
from littlestone.kernels.native import core
from littlestone.protocol.block import Block, LentBlock
from littlestone.protocol.counts import RunnerCounts
from littlestone.protocol.labels import in_labels
from littlestone.protocol.learner import LARGEST_INDEX, Learner, copied
from littlestone.protocol.metrics import Marks, Metrics
from littlestone.protocol.operating import Operating
from littlestone.protocol.run_claims import FeatureRun
from littlestone.protocol.validate import ValidatingRunner, lengths_of

if TYPE_CHECKING:
    from littlestone.protocol.ledger import Ledger


MINUS_ZERO_BITS = 0x80000000


def play(learner: Learner, block: Block, state: tuple | None = None) -> tuple[tuple, list[bool]]:
    """The definition of a run; every native pass must agree with it, bit for bit."""
    room = max([int(block.indices.max()) + 1 if len(block.indices) else 1, learner.n or 1])
    state = learner.first_state(room) if state is None else copied(state)
    predictions = []
    state = learner.prepare(state, block) if learner.prepare else state
    for t, (indices, values, y) in enumerate(block.rounds()):  # (a) the instance
        yhat = learner.predict(state, indices, values)  # (b) the prediction
        predictions.append(yhat)
        if y >= 0:  # (c) the label
            state = learner.update(state, indices, values, y == 1, yhat, 1.0 if block.weights is None else block.weights[t])
            refuse_broken(learner, state, block, t)
    return state, predictions


def refuse_broken(learner: Learner, state: tuple, block: Block, t: int) -> None:
    """Stop, and name the round, where the learner cannot go on after it."""
    if learner.broken is not None and (why := learner.broken(state)):
        raise Contradiction(f"{block.round(t)}: {learner.name}: {why}")


def play_through(
    learner: Learner,
    state: tuple,
    block: Block,
    predictions: np.ndarray,
    scores: np.ndarray | None = None,
    updates: np.ndarray | None = None,
) -> int:
    """The pass over a block, overwriting the state; rounds that doubles cannot decide are settled exactly on the way.

    The round it stopped before, which the learner cannot take, or the end.
    """
    done = 0
    while True:
        done = learner.play(state, block, predictions, scores, done, updates)
        if done == len(block) or learner.settle is None:
            break
        lo, hi, y = block.indptr[done], block.indptr[done + 1], block.labels[done]
        if scores is not None:
            scores[done] = learner.score(state, block.indices[lo:hi], None if block.values is None else block.values[lo:hi])
        predictions[done] = yhat = learner.settle(learner.settings, state, block.indices[lo:hi])
        if y >= 0:
            weight = 1.0 if block.weights is None else float(block.weights[done])
            row = (block.indices, block.values, int(lo), int(hi), bool(y == 1), bool(yhat), weight)
            updated = learner.over(state).update(*row)
            if updates is not None:
                updates[done] = updated
        done += 1
        if done == len(block):
            break
    return done


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Run(FeatureRun):
    """What a run leaves: counts, predictions, the state, and the facts its bounds need. `mistakes` is the count."""

    learner: Learner
    codes: Any  # predictions as booleans, or as 1, 0 and -1 for a row that only brings a label; None when they were not kept
    positives: int
    false_positives: int
    false_negatives: int
    negative: bool  # is any value below 0?
    measure: Callable[[], np.ndarray]  # over the mistake rounds: max c|x|², Σc²|x|², Σc, max c (c: a round's weight, else 1)
    updates: Any = None  # an array of booleans, on which rounds it updated, of a learner that may update on correct ones
    invariants_checked: int = 0
    marks: Marks | None = None  # the scores in bins, where they were asked for
    labels: tuple[Any, Any] | None = None  # negative and positive, where they are not True and False, 1 and 0, +1 and -1
    operating: Operating | None = None  # the operating point, where one was chosen, and what came of it
    answer_codes: Any = None  # the answers at that point, as booleans; None when they were not kept

    @property
    def answers(self) -> Any:
        """What was answered in each round at the operating point, in the labels of the stream; the predictions where none was chosen."""
        return self.predictions if self.answer_codes is None else in_labels(self.answer_codes, self.labels)

    def __repr__(self) -> str:
        return f"<{self.learner!r}: {self.mistakes:,} mistakes in {self.rounds:,} rounds>"

    @property
    def predictions(self) -> Any:
        """What was predicted in each round, in the labels of the stream: an array; None when it was not kept."""
        return self.codes if self.codes is None else in_labels(self.codes, self.labels)

    @property
    def metrics(self) -> Metrics:
        """Rates of error by class, precision, recall and F1; AUC and log-loss of a learner with probabilities, or where asked for.

        Of a run that goes on from a model they are those of its own rounds, which were scored; `mistakes` and other counts are of all.

        >>> import littlestone as ls
        >>> first = ls.play(ls.adaptive(), [[1, 0], [0, 1]] * 5, [1, 0] * 5)
        >>> run = ls.play(first.model, [[1, 0], [0, 1]], [1, 0])
        >>> run.mistakes, run.rounds, run.part, run.metrics.accuracy, run.metrics.auc
        (1, 12, RoundCounts(rounds=2, mistakes=0), 1.0, 1.0)
        """
        counts = np.array([self.rounds, self.positives, self.false_positives, self.false_negatives])
        if self.opening is not None:
            counts -= self.opening.tally[1:5]
        rounds, positives, false_positives, false_negatives = counts.tolist()
        return Metrics.of(rounds, positives, false_positives, false_negatives, self.marks, self.learner.probabilities)

    @property
    def mistakes(self) -> int:
        return self.false_positives + self.false_negatives

    @cached_property
    def _measured(self) -> tuple[float, ...]:
        return tuple(map(float, self.measure()))

    @property
    def squares(self) -> tuple[float, float]:
        """The largest c|x|² among the mistake rounds, and Σ c²|x|², where c is the weight of a round: 1 unless weights were given."""
        return self._measured[:2]  # type: ignore[return-value]

    @property
    def weighted_mistakes(self) -> int | float:
        return self._measured[2] if self.weighted else self.mistakes

    @property
    def largest_weight(self) -> float:
        """The largest weight of a mistake round; 1 without weights."""
        return self._measured[3] if self.weighted else 1.0

    def _ended(self) -> Any:
        return self.learner.start(self.state, ledger=False)

    @property
    def baselines(self) -> dict[str, int]:
        """Mistakes of two rules that look at no feature: the more frequent label always, and the label before this one."""
        return {"majority": min(self.positives, self.rounds - self.positives), "same_as_last": self.changes}

    @property
    def members(self) -> tuple:
        """Who sits on the panel: name, mistakes and weight of each."""
        seats = self.learner.seats(self.state)
        require(seats, f"{self.learner.name} has no members; ls.panel() has")
        return seats

    @property
    def expert_losses(self) -> np.ndarray:
        """The mistakes of each member of a panel."""
        return np.array([seat.mistakes for seat in self.members])


class Runner(ValidatingRunner):
    """Plays Blocks through a learner's pass, and keeps the counts. Results do not depend on how rounds are cut."""

    learner: Learner
    prediction_type = np.bool_
    makes = "BinaryModel"
    labels: Callable[[], tuple[Any, Any] | None] = staticmethod(lambda: None)  # those of the stream, where it has its own

    def __init__(
        self,
        learner: Learner,
        *,
        columns: int | None = None,
        state: tuple | None = None,
        measuring: bool = True,
        counted: bool = False,
        accounts: RunnerCounts | None = None,
        ledger: Ledger | None = None,
        marks: Marks | None = None,
    ) -> None:
        self.learner = learner.sized(columns)
        self.marks = marks if self.learner.scored else None  # filled as blocks are played
        self.measuring = measuring  # False when the caller can measure the mistake rounds later, should a bound ask
        self.state = self.learner.first_state(columns or 1) if state is None else copied(state)
        resumed = state is not None and accounts is None
        super().__init__(columns, counted, self.learner.room_of(self.state), resumed=resumed, ledger=ledger)
        self.tally = np.zeros(7, np.int64)
        self.tally[6] = -1
        self.lengths = np.zeros(4)
        if state is not None:
            self._go_on(0 if self.room > LARGEST_INDEX else self.room)
            self.forecasts_before = self.learner.forecasts_of(state)
            self.votes_before = self.learner.votes_before(state) if resumed else 0
        if accounts is not None:
            accounts.open(self)

    @property
    def mistakes(self) -> int:
        return int(self.tally[3] + self.tally[4])

    def copy(self) -> Self:
        other = super().copy()
        other.state = copied(self.state)
        other.marks = self.marks and self.marks.copy()
        return other

    def answer(self, row: Block) -> bool:
        """The prediction for a row that cannot be learned from."""
        return self.learner.predict(self.state, row.indices, row.values)

    def in_labels(self, predictions: np.ndarray) -> np.ndarray:
        """Predictions as a user reads them."""
        return in_labels(predictions, self.labels())

    def make_room(self, room: int) -> None:
        self.state = self.learner.grown(self.state, room)

    def admit(self, block: Block) -> Block:
        """Check a block, and make room for all that it will add; who plays it elsewhere makes room there."""
        block = super().admit(block)
        if self.learner.prepare is not None and block.far is None:
            self.state = self.learner.prepare(self.state, block)
        return block

    def feeds(self, *, boolean: bool) -> bool:
        """Can it play rows where they lie? Not where others want to see them afterwards, nor where a block must be looked at beforehand."""
        learner = self.learner
        ready = learner.native is not None and learner.prepare is None and learner.broken is None
        fits = learner.domain == "real" or (learner.domain == "boolean" and boolean)
        return ready and fits and self.ledger is None and self.met is None

    def _take_lent(self, block: LentBlock, scores: np.ndarray | None, updates: np.ndarray | None) -> np.ndarray:
        """Play rows where they lie; those that need a closer look with their block, as any other."""
        predictions = np.empty(len(block), np.bool_)
        if scores is None and self.marks is not None:
            scores = np.empty(len(block))
        if updates is None and self.learner.updates_on == "margin":
            updates = np.zeros(len(block), np.bool_)
        start = 0
        while start < len(block):
            part = slice(start, self._feed(block, start, predictions, scores, updates))
            marks, changes = (None if array is None else array[part] for array in (scores, updates))
            self._count(block.labels[part], predictions[part], marks)
            start = part.stop
            if start < len(block):
                copied = block.copied_from(start)
                part = slice(start, start + len(copied))
                marks, changes = (None if array is None else array[part] for array in (scores, updates))
                predictions[part] = self.take(copied, marks, changes)
                start = part.stop
        return predictions

    def _feed(self, block: LentBlock, start: int, predictions: np.ndarray, scores: np.ndarray | None, updates: np.ndarray | None) -> int:
        """Play rows from one on until one needs a closer look, which is returned; and note what `admit` would of the others."""
        learner, rows = self.learner, slice(start, None)
        limit = min(limit for limit in (self.room, self.columns, None if self.counted else learner.n) if limit is not None)
        parts = (
            block.labels[rows],
            predictions[rows],
            None if scores is None or not learner.scored else scores[rows],
            None if updates is None or learner.updates_on != "margin" else updates[rows],
        )
        lengths = self.lengths if self.measuring else None
        labels, *made = parts
        played, top, bottom, widest, entries, largest, negative, whole = learner.native_for(self.state).feed(
            block.indptr[rows], block.indices, block.values, labels, limit, block.widest, *made, lengths
        )
        if entries:
            self.top, self.bottom, self.widest = max(self.top, top), min(self.bottom, bottom), max(self.widest, widest)
        self.whole = self.whole and whole
        self.largest_value = max(self.largest_value, largest if block.values is not None else float(entries > 0))
        self.negative = self.negative or negative
        self.nonzeros += entries
        self.admitted += played
        return start + played

    def take(self, block: Any, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play one block; its predictions, and where there are arrays for them its scores, and on which rounds the rule updated."""
        if isinstance(block, LentBlock):
            return self._take_lent(block, scores, updates)
        block = self.admit(block)
        predictions = np.empty(len(block), np.bool_)
        learner = self.learner
        if scores is None and self.marks is not None:
            scores = np.empty(len(block))
        if updates is None and self.ledger is not None:
            updates = np.empty(len(block), np.bool_)
        if updates is not None:
            updates[:] = False
        if block.far is not None:
            self.state = learner.play_there(self.state, block, predictions, scores)  # type: ignore[attr-defined]
        done = len(block) if block.far is not None else play_through(learner, self.state, block, predictions, scores, updates)
        if done < len(block):
            if updates is not None:
                updates[:done] = self._updates(block.cut(0, done), predictions[:done], updates[:done])
            part = (predictions[:done], None if updates is None else updates[:done], None if scores is None else scores[:done])
            self.record(block.cut(0, done), *part)  # what was learned before this round is kept, and counted
            refuse_broken(learner, self.state, block, done)
            raise LittlestoneError(f"{block.round(done)}: {learner.name}: the pass stopped")
        if updates is not None:
            updates[:] = self._updates(block, predictions, updates)
        if self.met is not None and updates is not None:
            self.refuse_more_features(block, updates)
        self.record(block, predictions, updates, scores)
        return predictions

    def foresee(self, row: Block) -> tuple[bool, float, None]:
        """The prediction for a row that was admitted, and its score (0 where there is none); nothing changes."""
        if not self.learner.scored:
            return self.learner.predict(self.state, row.indices, row.values), 0.0, None
        score = self.learner.score(self.state, row.indices, row.values)
        decides = self.learner.decides_by_score
        return score >= 0.0 if decides else self.learner.predict(self.state, row.indices, row.values), score, None

    def learn(self, row: Block, yhat: bool, memo: None = None) -> bool:
        """Learn the label of a row that was predicted so; did the rule update? The caller records the round."""
        learner, y = self.learner, bool(row.labels[0] == 1)
        if y == yhat and learner.updates_on == "mistakes":
            return False
        if learner.prepare is not None:
            self.state = learner.prepare(self.state, row)
        weight = 1.0 if row.weights is None or not learner.weighted else float(row.weights[0])
        arguments = (row.indices, row.values, 0, len(row.indices), y, bool(yhat), weight)
        updated = learner.over(self.state).update(*arguments)
        refuse_broken(learner, self.state, row, 0)
        return learner.updates_on != "margin" or bool(updated)

    def _updates(self, block: Block, predictions: np.ndarray, updates: np.ndarray) -> np.ndarray:
        """On which rounds the rule updated: a learner with a margin says so, of the others it follows."""
        if self.learner.updates_on == "margin":
            return updates
        return (block.labels >= 0) & ((self.learner.updates_on == "always") | (predictions != block.labels))

    def record(self, block: Any, predictions: np.ndarray, updates: np.ndarray | None = None, scores: np.ndarray | None = None) -> None:
        """Count a played block, and enter its updates into the ledger where one is kept."""
        self.enter(block, predictions, updates)
        self.weigh_labels(block, lambda: (self.tally[1] - self.tally[2], self.tally[2]))
        self._count(block.labels, predictions, scores)
        if self.measuring:
            core.measure(*lengths_of(block), block.labels, block.weights, predictions, self.lengths)
        self.cut_ledger()

    def _count(self, labels: np.ndarray, predictions: np.ndarray, scores: np.ndarray | None) -> None:
        if self.marks is not None and scores is not None:
            self.marks.add(labels.astype(np.int32, copy=False), scores, self.learner.probabilities)
        core.count(labels, predictions, self.tally)

    def run(
        self,
        predictions: np.ndarray | None = None,
        seconds: float = 0.0,
        measure: Callable[[], np.ndarray] | None = None,
        invariants_checked: int = 0,
        scores: np.ndarray | None = None,
        updates: np.ndarray | None = None,
        lent: bool = False,
    ) -> Run:
        """What has been played so far, as a value; of a state that is `lent`, until the next block is taken."""
        _, _, positives, false_positives, false_negatives, changes, _ = self.tally.tolist()
        return Run(
            **self.sizes(),
            state=self.learner.trimmed(self.state, min(self.span, self.room), lent=lent),
            codes=predictions,
            positives=positives,
            false_positives=false_positives,
            false_negatives=false_negatives,
            changes=changes,
            negative=self.negative,
            weighed=self.weighed and replace(self.weighed),
            measure=measure or self.lengths.copy,
            scores=scores,
            updates=updates,
            seconds=seconds,
            invariants_checked=invariants_checked,
            marks=self.marks,
            labels=self.labels(),
        )
