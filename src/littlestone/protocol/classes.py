"""Several classes: a learner that names one of them each round, the runner that plays it, and what a run leaves.

Classes are numbered 0, 1, 2, ... in the order in which their labels first appear, and may appear at any time. Before any label was told
there is no prediction (-1). A first appearance is a mistake that nobody can avoid, and counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.hooks import above
from littlestone.kernels.native import core
from littlestone.protocol.block import Block
from littlestone.protocol.class_costs import LeastCost
from littlestone.protocol.counts import ClassRunnerCounts, RunnerCounts
from littlestone.protocol.family import OfFeatures, chosen_family, takes_family
from littlestone.protocol.labels import ClassMap, labels_as_array
from littlestone.protocol.learner import Learner, fields
from littlestone.protocol.ledger import Ledger
from littlestone.protocol.metrics import ClassMarks, ClassMetrics
from littlestone.protocol.run_claims import FeatureRun
from littlestone.protocol.validate import ValidatingRunner, lengths_of
from littlestone.rounds.reading import reading_of_events

if TYPE_CHECKING:
    from littlestone.protocol.class_model import ClassModel
    from littlestone.theory.claims import Known

MOST_CLASSES = 2**31 - 2
NOBODY = -700.0  # the log-odds of what is named before any class was seen


class Engine(Protocol):
    """A class learner at work. Codes are classes; y = seen is the first appearance of a new one.

    A state is what `state` gives: a tuple of arrays, or of the states of members.
    """

    @property
    def inner(self) -> Learner | None: ...  # whom its members are made of, where it has members

    @property
    def seen(self) -> int: ...  # classes so far

    def make_room(self, room: int) -> None: ...

    def play(self, block: Block, predictions: np.ndarray, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> None:
        """Play a block. `scores`, rounds × classes, takes the score of each class known by then; `updates`, all False, is set where the
        rule updated."""

    def predict(self, row: tuple) -> int: ...

    def learn(self, row: tuple, y: int, yhat: int, weight: float) -> bool: ...  # did it update?

    def foresee(self, row: Block) -> tuple[int, Any]: ...  # as `predict`, in a run whose labels come late

    def learn_late(self, row: Block, y: int, yhat: int, memo: Any) -> bool: ...  # with what `foresee` gave; did anything change?

    def state(self, width: int, *, lent: bool = False) -> Any: ...

    def resume(self, state: Any, seen: int, accounts: tuple[RunnerCounts, ...] = ()) -> None: ...

    def width_of(self, state: Any) -> int: ...  # for how many features a state has room

    def alike(self, a: Any, b: Any) -> bool: ...  # equal bit for bit, spare room aside

    def named(self, state: Any) -> dict[str, np.ndarray]: ...  # its arrays by name

    def members(self, labels: tuple, *, lent: bool = False) -> Any: ...  # runs by label, or who sits on a panel

    def accounts(self) -> tuple[RunnerCounts, ...]: ...  # those of its members

    def copy(self) -> Engine: ...


class Opening(NamedTuple):
    """What an engine is told when it begins: for how many features, and whether rounds will come one by one."""

    room: int = 1
    columns: int | None = None
    counted: bool = False
    events: bool = False


@takes_family
@dataclass(frozen=True, eq=False, repr=False)
class ClassLearner(OfFeatures):
    """ŷ = one of the classes seen so far. `engine` makes what plays it."""

    kind = "several classes"
    name: str
    settings: Mapping[str, Any]
    engine: Callable[[Opening], Engine]
    n: int | None = None
    needs_n: bool = False
    with_n: Callable[[int], ClassLearner] | None = None
    family: Any = None  # what is true of it whatever plays it: its theorems, how it updates, its definition (`Family`)
    facts: Callable[..., Mapping[str, Any]] | None = None  # facts(run): what its bounds need of the run
    exact_when: Callable[..., bool] | None = None
    known: Callable[[Any], Known] | None = None  # known(run): where bounds come from members
    concepts: Any = None  # the finite class of its members, where these go on only while a concept of it agrees with every label
    final: Callable[[Any], tuple[ClassLearner, Any]] | None = None  # the hypothesis to keep, where it is not the last one
    scored: bool = False  # does a run keep scores, that of the class which is named?
    probabilities: bool = False  # are its scores logarithms of the odds of the classes?

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", chosen_family(self.family, self.name, self.settings, self.engine))

    @property
    def of_experts(self) -> bool:
        """Is it made of panels, whose theorems are about their members?"""
        return getattr(self.settings.get("learner"), "of_experts", False)

    @property
    def code(self) -> Callable[..., Any]:
        """A function of its own, or the class of its engine: the file in which it stands is the learner's."""
        engine = self.engine.func if isinstance(self.engine, partial) else self.engine
        return self.engine.args[0] if isinstance(self.engine, partial) and engine is KernelEngine else engine

    def seats(self, state: Any) -> tuple:
        """None sit on it whose votes are weighed."""
        return ()

    def forecasts_of(self, state: Any) -> Any:
        """What its forecasts lost so far (`theory.forecast.Forecasts`), of a panel that makes any."""
        return None

    def vote_of(self, state: Any) -> Any:
        """The mistakes of its vote so far (`theory.panel.VoteMistakes`), of a panel that predicts by its forecast."""
        return None

    def votes_before(self, state: Any) -> int:
        """How many mistakes its vote made before this state; 0 where no vote is counted beside the label."""
        vote = self.vote_of(state)
        return 0 if vote is None else vote.mistakes

    def chosen(self, state: Any, name: str | None = None) -> tuple[str, ClassLearner, Any]:
        """The named one of those that sit on it, or the most trusted, with its own state."""
        raise LittlestoneError(f"{self.name} has no members whose votes are weighed; a panel has")

    def alike(self, a: Any, b: Any) -> bool:
        """Are two states equal bit for bit? Spare room is no part of a state."""
        return self.engine(Opening()).alike(a, b)

    def start(self, run: ClassRun | None = None, *, ledger: bool | int = True, labels: Any = None, **columns: Any) -> ClassModel:
        """A model that learns one event at a time, from nothing or from where a run ended. `labels` are those that may come; "any" lets
        all in. `columns` says how keys of dicts are read, as of learners of two classes."""
        model = above("ClassModel")(self, *(() if run is None else (run.state, run.classes)), ledger=ledger)
        if run is None or columns:
            model.reading = reading_of_events(columns, presence=self.domain != "real")
        return model if labels is None else model.with_labels(labels)


class ClassKernels(NamedTuple):
    """The functions in Python of a class learner with a state of its own, whose last array holds the number of classes seen.

    predict(*params, *state, indices, values, lo, hi) -> class, -1 before any was seen
    update(*params, *state, indices, values, lo, hi, y, yhat, weight) -> True where it updated; registers a class that is new
    play(*params, *state, indptr, indices, values, labels, weights, predictions, scores, updates)

    The order is that of `Kernels`. `scores`, rounds × classes, takes the score of each class known by then, or is None; `updates` is None:
    it updates on mistakes, of which first appearances are some, or on every label.
    """

    predict: Callable[..., Any]
    update: Callable[..., Any]
    play: Callable[..., Any]


class OwnClassPlayer:
    """Functions in Python over the arrays of one state, with the methods that a class learner of the native core has."""

    def __init__(self, kernels: ClassKernels, own: tuple) -> None:
        self.predict, self.update = partial(kernels.predict, *own), partial(kernels.update, *own)
        self._play = partial(kernels.play, *own)

    def play(self, *block: Any) -> None:
        self._play(*block, None)


class KernelEngine:
    """Plays a class learner by a class of the native core, or by functions in Python. `init(room, classes)` is its first state, with room
    for so many of both.

    `params` are what stands before the state; `always` says that it learns from every label, and not from mistakes alone.
    """

    inner = None

    def __init__(
        self, init: Callable[[int, int], tuple], kernels: Any, opening: Opening, *, params: tuple = (), always: bool = False
    ) -> None:
        self.init, self.kernels, self.params, self.always = init, kernels, params, always
        self.room, self.capacity = max(1, opening.room), 4
        self.arrays = init(self.room, self.capacity)
        self._player: tuple[tuple, Any] = (), None

    @property
    def player(self) -> Any:
        """What predicts, updates and plays over the arrays of now."""
        if self._player[0] is not self.arrays:
            own = (*self.params, *self.arrays)
            self._player = self.arrays, OwnClassPlayer(self.kernels, own) if isinstance(self.kernels, ClassKernels) else self.kernels(*own)
        return self._player[1]

    @property
    def seen(self) -> int:
        return int(self.arrays[-1][0])

    def make_room(self, room: int) -> None:
        self._grow(max(room, self.room), self.capacity)

    def _grow(self, room: int, capacity: int) -> None:
        """Capacity is no part of a result: new places hold what a first state holds."""
        fresh = self.init(room, capacity)
        for old, new in zip(self.arrays, fresh, strict=True):
            new[tuple(map(slice, old.shape))] = old
        self.arrays, self.room, self.capacity = fresh, room, capacity

    def _admit(self, classes: int) -> None:
        if classes > self.capacity:  # in fours, and by a quarter at least: the weights of a feature should lie close together
            self._grow(self.room, -(-max(classes, self.capacity * 5 // 4) // 4) * 4)

    def play(self, block: Block, predictions: np.ndarray, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> None:
        self._admit(int(block.labels.max(initial=-1)) + 1)
        row = (block.indptr, block.indices, block.values, block.labels, block.weights)
        self.player.play(*row, predictions, scores)
        if updates is not None:
            updates[:] = (block.labels >= 0) & (self.always | (predictions != block.labels))

    def predict(self, row: tuple) -> int:
        return int(self.player.predict(*row))

    def learn(self, row: tuple, y: int, yhat: int, weight: float) -> bool:
        self._admit(y + 1)
        self.player.update(*row, y, yhat, weight)
        return self.always or y != yhat

    def foresee(self, row: Block) -> tuple[int, None]:
        return self.predict((row.indices, row.values, 0, len(row.indices))), None

    def learn_late(self, row: Block, y: int, yhat: int, memo: None) -> bool:
        weight = 1.0 if row.weights is None else float(row.weights[0])
        features = (row.indices, row.values, 0, len(row.indices))
        if yhat < 0:  # no class was known when the row came, and kernels take classes: what would be said of it now stands for that
            yhat = self.predict(features)
        return self.learn(features, y, yhat, weight)

    def state(self, width: int, *, lent: bool = False) -> tuple:
        small = self.init(max(1, min(width, self.room)), max(1, self.seen))
        arrays = [old[tuple(map(slice, new.shape))] for old, new in zip(self.arrays, small, strict=True)]
        return type(small)(*(arrays if lent else [array.copy() for array in arrays]))

    def resume(self, state: tuple, seen: int, accounts: tuple[RunnerCounts, ...] = ()) -> None:
        """Go on from a state."""
        self.room, self.capacity = state[0].shape
        self.arrays = type(state)(*(array.copy() for array in state))

    def width_of(self, state: tuple) -> int:
        return state[0].shape[0]

    def alike(self, a: tuple, b: tuple) -> bool:
        room, capacity = (max(sizes) for sizes in zip(a[0].shape, b[0].shape, strict=True))
        grown = []
        for state in (a, b):
            self.resume(state, 0)
            self._grow(room, capacity)
            grown.append(self.arrays)
        return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in zip(*grown, strict=True))

    def named(self, state: tuple) -> dict[str, np.ndarray]:
        return dict(zip(fields(state), state, strict=True))

    def members(self, labels: tuple, *, lent: bool = False) -> Mapping[Any, Any]:
        return {}

    def accounts(self) -> tuple[RunnerCounts, ...]:
        return ()

    def copy(self) -> KernelEngine:
        other = copy(self)
        other.arrays = type(self.arrays)(*(array.copy() for array in self.arrays))
        return other


class Lengths(NamedTuple):
    """Over the mistakes that are not first appearances, c the weight of a round; and Σc over the first appearances."""

    square: float  # the largest |x|²
    weighted_square: float  # the largest c|x|²
    sum_squares: float  # Σc²|x|²
    weight: float  # Σc
    first: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassRun(FeatureRun):
    """What a run over several classes leaves. `mistakes` is the count."""

    learner: ClassLearner
    classes: tuple  # the labels, in order of appearance
    codes: Any  # each round's prediction as a place in `classes`, -1 before any was seen; None when they were not kept
    mistakes: int
    confusion: np.ndarray  # counts[true, predicted]; the first labelled round has no prediction and is not in it
    unpredicted: np.ndarray  # how many rounds of each class came before any class was known
    lengths: Lengths
    members: Any  # runs of the binary learners that a reduction is made of, by label; or who sits on a panel
    marks: ClassMarks | None = None  # of the probabilities, where the learner gives any
    operating: LeastCost | None = None  # where errors have costs: what the answers that cost least came to
    answer_codes: Any = None  # these answers, as places in `classes`; None when they were not kept
    forecasts_before: Any = None  # what the forecasts of the model it went on from had lost

    def __repr__(self) -> str:
        return f"<{self.learner!r}: {self.mistakes:,} mistakes in {self.rounds:,} rounds of {len(self.classes)} classes>"

    def _ended(self) -> Any:
        return self.learner.start(self, ledger=False)

    @cached_property
    def predictions(self) -> Any:
        """The label predicted in each round, None before any was seen."""
        return None if self.codes is None else labels_as_array(self.classes)[self.codes]

    @property
    def answers(self) -> Any:
        """The answer that costs least in each round, where errors have costs; else the predictions."""
        return self.predictions if self.answer_codes is None else labels_as_array(self.classes)[self.answer_codes]

    @property
    def expert_losses(self) -> np.ndarray:
        """Of a panel: the mistakes of its members; of panels, those of the best member, in the panel where these are most."""
        if seats := self.learner.seats(self.state):
            return np.array([seat.mistakes for seat in seats])
        return np.array([max((int(member.expert_losses.min()) for member in self.members.values()), default=0)])

    @property
    def counts(self) -> dict:
        """How many rounds each label had."""
        return dict(zip(self.classes, self._totals.tolist(), strict=True))

    @property
    def _totals(self) -> np.ndarray:
        return self.confusion.sum(axis=1) + self.unpredicted

    @property
    def metrics(self) -> ClassMetrics:
        """Accuracy, and precision, recall and F1 of each class; the log-loss of a panel's forecasts, unless labels came late: its account
        is of what it would have said when they came. Of a run that goes on from a model they are those of its own rounds."""
        confusion, unpredicted = self.confusion.copy(), self.unpredicted.copy()
        if self.opening is not None:
            known = len(self.opening.confusion)
            before = np.reshape(self.opening.confusion, (known, known)).astype(np.int64)
            confusion[:known, :known] -= before
            unpredicted[:1] -= self.opening.rounds - before.sum()  # the first class is the one that came before any was known
        rounds, mistakes = self.part
        return ClassMetrics.of(self.classes, rounds, mistakes, confusion, unpredicted, self._log_loss, self.marks)

    @property
    def _log_loss(self) -> float | None:
        """Of a panel's forecasts, a round."""
        forecasts = self.learner.forecasts_of(self.state) if self.delayed is None else None
        if forecasts is None:
            return None
        before = self.forecasts_before
        loss, rounds = (
            (forecasts.loss, forecasts.rounds) if before is None else (forecasts.loss - before.loss, forecasts.rounds - before.rounds)
        )
        return loss / rounds if rounds else None

    @property
    def weighted_mistakes(self) -> int | float:
        return self.lengths.weight + self.lengths.first if self.weighted else self.mistakes

    @property
    def baselines(self) -> dict[str, int]:
        """Mistakes of two rules that look at no feature: the most frequent label always, and the label before this one."""
        return {"majority": self.rounds - int(self._totals.max(initial=0)), "same_as_last": self.changes}


class ClassRunner(ValidatingRunner):
    """Plays Blocks whose labels are codes of classes, and keeps the counts. Results do not depend on how rounds are cut.

    `classes` are the labels by the codes that the stream gives them, growing as blocks are read. The runner numbers them anew where it
    begins in the middle of a stream, plays it in another order, or learns of labels late.
    """

    most = MOST_CLASSES
    prediction_type = np.int32
    makes = "ClassModel"
    counts_type = ClassRunnerCounts
    point: LeastCost | None = None  # answers by what errors cost, where that was said
    answers: Any = None  # to the block that was played last

    def __init__(
        self,
        learner: ClassLearner,
        *,
        columns: int | None = None,
        counted: bool = False,
        classes: ClassMap | None = None,
        state: Any = None,
        known: int | None = None,
        accounts: ClassRunnerCounts | None = None,
        ledger: Ledger | None = None,
        marks: ClassMarks | None = None,
    ) -> None:
        """It begins with the first round, or from a `state` in which so many classes are `known`, all of them where nothing is said."""
        self.learner = learner.sized(columns)
        self.classes = ClassMap() if classes is None else classes  # labels to codes; filled by whoever makes the blocks
        super().__init__(columns, counted, columns or 1, resumed=state is not None and accounts is None, ledger=ledger)
        self.engine = self.learner.engine(Opening(self.room, columns, counted))
        self.marks = marks if self.learner.probabilities else None  # filled as blocks are played
        known = 0 if state is None else len(self.classes) if known is None else known
        self.numbered = list(range(known))  # codes of the stream, in the order in which they were learned
        self.counted_classes = known  # whose first appearance has been counted
        self.tally = np.zeros(5, np.int64)
        self.tally[4] = -1
        self.lengths = np.zeros(5)
        self.confusion = np.zeros((4, 4), np.int64)
        if state is not None:
            self.engine.resume(state, known, () if accounts is None else accounts.members)
            self._go_on(self.engine.width_of(state))
            self.room = max(self.room, self.width)
            self.engine.make_room(self.room)
            self.forecasts_before = self.learner.forecasts_of(state)
            self.votes_before = self.learner.votes_before(state) if self.resumed else 0
        if accounts is not None:
            accounts.open(self)
        self.unpredicted = np.zeros(len(self.confusion), np.int64)  # rounds of each class before any class was known
        self.unpredicted[0] = self.tally[1] - self.confusion.sum()

    @property
    def mistakes(self) -> int:
        return int(self.tally[2])

    def copy(self) -> Self:
        other = super().copy()
        other.marks = self.marks and self.marks.copy()
        other.engine, other.classes = self.engine.copy(), self.classes  # labels are numbered once, by whoever makes the blocks
        return other

    def answer(self, row: Block) -> int:
        """Of a row that cannot be learned from, nothing is said."""
        return -1

    def in_labels(self, predictions: np.ndarray) -> np.ndarray:
        """Codes of the stream as the labels they stand for."""
        return labels_as_array(self.classes)[predictions]

    def make_room(self, room: int) -> None:
        self.engine.make_room(room)

    def admit(self, block: Block) -> Block:
        block = super().admit(block)
        if block.examined is None and block.far is None:  # a reduction's members need not look again
            bits = None if block.values is None else block.values.view(np.int32)
            block = replace(block, examined=core.examine(block.indptr, block.indices, bits))
        return block

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play one block; the codes it predicted."""
        block = self._recoded(self.admit(block))
        seen, predictions = self.engine.seen, np.empty(len(block), np.int32)
        if updates is None and self.ledger is not None:
            updates = np.zeros(len(block), np.bool_)
        if self.point is None and self.marks is None and (scores is None or scores.ndim == 2):
            self.engine.play(block, predictions, scores, updates)
        else:
            table = np.full((len(block), max(seen, int(block.labels.max(initial=-1)) + 1) + 1), NOBODY)  # the last column is nobody's
            self.engine.play(block, predictions, table[:, :-1], updates)
            if scores is not None and scores.ndim == 2:
                scores[:] = table[:, :-1]
            elif scores is not None:
                scores[:] = table[np.arange(len(block)), predictions]
            if self.marks is not None:
                self.marks.add(block.labels, table[:, :-1])
            if self.point is not None:
                self.answers = self._as_in_stream(self.point.take(table[:, :-1], block.labels, block.weights, self.labels(), predictions))
        if self.met is not None and updates is not None:
            self.refuse_more_features(block, updates)
        self._count(block, predictions, updates, seen)
        return self._as_in_stream(predictions)

    def foresee(self, row: Block) -> tuple[int, float, Any]:
        """The code predicted for a row that was admitted, and what the members said of it; nothing changes."""
        code, memo = self.engine.foresee(row)
        return self.numbered[code] if code >= 0 else -1, getattr(self.engine, "named_odds", 0.0), memo

    def learn(self, row: Block, yhat: int, memo: Any = None) -> bool:
        """Learn the label of a row that was predicted so; the caller records the round."""
        y = int(self._recoded(row).labels[0])
        return self.engine.learn_late(row, y, self.numbered.index(yhat) if yhat >= 0 else -1, memo)

    def record(self, block: Block, predictions: np.ndarray, updates: np.ndarray | None = None, scores: np.ndarray | None = None) -> None:
        """Count rounds whose labels came late."""
        self._count(self._recoded(block), self._own(predictions), updates, self.counted_classes)

    def _count(self, block: Block, predictions: np.ndarray, updates: np.ndarray | None, seen: int) -> None:
        """Count a played block, and enter its updates into the ledger where one is kept; `seen` classes were known before it."""
        self.enter(block, predictions, updates)
        self.weigh_labels(block, lambda: self.confusion.sum(axis=1) + self.unpredicted)
        size = len(self.confusion)
        if self.engine.seen > size:
            larger = np.zeros((max(self.engine.seen, 2 * size),) * 2, np.int64)
            larger[:size, :size] = self.confusion
            self.confusion, self.unpredicted = larger, np.concatenate([self.unpredicted, np.zeros(len(larger) - size, np.int64)])
        counts = (self.confusion, self.tally, self.lengths)
        core.count_classes(*lengths_of(block), block.labels, block.weights, predictions, seen, *counts)
        if predictions.min(initial=0) < 0:
            unknown = block.labels[(predictions < 0) & (block.labels >= 0)]
            self.unpredicted += np.bincount(unknown, minlength=len(self.unpredicted))
        self.counted_classes = self.engine.seen
        self.cut_ledger()

    def _recoded(self, block: Block) -> Block:
        """The codes of the classes as this runner numbers them, in the order in which it learns of them.

        Where a stream is played from its beginning, these are the codes that the stream has given them, and nothing is to be done.
        """
        known = len(self.numbered)
        if self._in_order() and block.labels.max(initial=-1) < known:
            return block
        _, first = np.unique(block.labels, return_index=True)
        codes = [code for code in block.labels[np.sort(first)].tolist() if code >= 0]
        self.numbered += [code for code in codes if code not in self.numbered]
        return block if self._in_order() else block.relabelled(self._own(block.labels))

    def _in_order(self) -> bool:
        """Are the stream's codes those of this runner?"""
        return not self.numbered or (self.numbered[-1] == len(self.numbered) - 1 and self.numbered == list(range(len(self.numbered))))

    def _own(self, codes: np.ndarray) -> np.ndarray:
        """Codes of the stream as this runner's own."""
        if self._in_order():
            return codes
        place = np.full(max(self.numbered, default=0) + 2, -1, np.int32)
        place[self.numbered] = np.arange(len(self.numbered))
        return place[codes]

    def _as_in_stream(self, predictions: np.ndarray) -> np.ndarray:
        return predictions if self._in_order() else np.array([*self.numbered, -1], np.int32)[predictions]

    def labels(self) -> tuple:
        """The labels of the classes seen so far, in the order in which they were learned."""
        known = tuple(self.classes)
        return tuple(known[code] if code < len(known) else code for code in self.numbered[: self.engine.seen])

    def run(
        self,
        predictions: np.ndarray | None = None,
        seconds: float = 0.0,
        measure: Any = None,
        invariants_checked: int = 0,
        scores: np.ndarray | None = None,
        updates: np.ndarray | None = None,
        lent: bool = False,
    ) -> ClassRun:
        """What has been played so far, as a value."""
        seen, classes = self.engine.seen, self.labels()
        return ClassRun(
            **self.sizes(),
            state=self.engine.state(self.span, lent=lent),
            classes=classes,
            codes=None if predictions is None else self._own(predictions),
            mistakes=self.mistakes,
            confusion=self.confusion[:seen, :seen].copy(),
            unpredicted=self.unpredicted[:seen].copy(),
            changes=int(self.tally[3]),
            weighed=self.weighed and replace(self.weighed),
            lengths=Lengths(*self.lengths.tolist()),
            members=self.engine.members(classes, lent=lent),
            scores=scores,
            seconds=seconds,
            marks=self.marks,
            forecasts_before=self.forecasts_before,
        )
