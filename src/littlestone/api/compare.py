"""`compare`: several learners on the same rounds, as they come and in random orders, beside two rules that look at no feature."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, sqrt
from typing import Any

import numpy as np

from littlestone.api.class_count import fitting
from littlestone.api.inputs import inputs_of, refuse_missing_labels
from littlestone.api.observers import Observer
from littlestone.api.play import loop, play
from littlestone.api.sources import SOURCES, Choices, Rounds, of_advice
from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.learners.experts.adahedge import adahedge
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block, ClassLearner, Learner, Rule
from littlestone.protocol.labels import LabelRules
from littlestone.protocol.runners import runner_of
from littlestone.rounds.reading import label_choices
from littlestone.streams import Stream
from littlestone.streams.instances import streamed
from littlestone.theory import experts as theory
from littlestone.theory.claims import best

MASK = 2**64 - 1


@dataclass(frozen=True)
class Shuffled:
    """Mistakes over random orders of the rounds."""

    mistakes: tuple[int, ...]

    @property
    def mean(self) -> float:
        return sum(self.mistakes) / len(self.mistakes)

    @property
    def deviation(self) -> float | None:
        """The standard deviation, of two orders or more."""
        if len(self.mistakes) < 2:
            return None
        return sqrt(sum((m - self.mean) ** 2 for m in self.mistakes) / (len(self.mistakes) - 1))

    def as_json(self) -> dict[str, Any]:
        spread = {"least": min(self.mistakes), "most": max(self.mistakes)}
        return {"mean": self.mean, "deviation": self.deviation, **spread, "mistakes": list(self.mistakes)}


@dataclass(frozen=True)
class ComparedLearner:
    """One learner, or baseline. `reason` says why there is nothing, where it cannot play these rounds, or why no bound."""

    name: str
    mistakes: int | float | None = None  # of rules over experts, what their theorems bound: mistakes, or the loss
    rate: float | None = None
    bound: str | None = None  # the smallest that holds of those that compare, and its limit; a comparator is not searched for
    limit: int | float | None = None
    shuffled: Shuffled | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"shuffled": None if self.shuffled is None else self.shuffled.as_json()}


@dataclass(frozen=True)
class Selected:
    """Which learner AdaHedge over all of them would have you keep, and what trusting it to find out costs.

    Who follows, in each round, a learner drawn by the weights of that moment makes `expected` mistakes on average, at most `limit`: that of
    the best learner and 2Δ more. No choice made without seeing the end can promise less than some such regret.
    """

    name: str
    mistakes: int
    weight: float  # what it has earned
    weights: Mapping[str, float]
    expected: float
    regret_bound: float  # 2Δ, as this run measured it
    worst_case: float  # √(T·ln K) + 4/3·ln K + 2: what 2Δ can be at most for so many rounds and learners
    limit: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"Keep {self.name}: {self.mistakes:,} mistakes, weight {self.weight:.3f}. Who had followed the weights round by round "
            f"would have made {self.expected:,.1f} in expectation: regret {self.expected - self.mistakes:,.1f}, "
            f"at most {self.regret_bound:,.1f} (AdaHedge's 2Δ; {self.worst_case:,.1f} in the worst case)."
        )


@dataclass(frozen=True)
class Comparison:
    """What each learner made of the rounds; `str` of it is a table."""

    rounds: int
    shuffles: int
    seed: int
    learners: tuple[ComparedLearner, ...]
    baselines: tuple[ComparedLearner, ...]
    selected: Selected | None = None  # where it was asked for
    counted: str = "mistakes"  # what the column is called: of rules over experts, "loss"

    def __getitem__(self, name: str) -> ComparedLearner:
        return next(entry for entry in (*self.learners, *self.baselines) if entry.name == name)

    def __str__(self) -> str:
        return self.table() + (f"\n{self.selected}" if self.selected else "")

    def table(self, width: int = 100, *, reasons: bool = True) -> str:
        """A line each, no wider than this; `reasons`: with why a learner could not play, as far as there is room."""
        entries = (*self.learners, *self.baselines)
        bounded = any(entry.limit is not None for entry in entries)
        shuffled = ["mean", "deviation", "least", "most"] if self.shuffles else []
        heads = [self.counted, "rate", *(["bound"] if bounded else []), *shuffled]
        cells = [[entry.name, *_cells(entry, bounded, bool(self.shuffles))] for entry in entries]
        sizes = [max(len(row[k]) for row in [["", *heads], *(c for c in cells if len(c) > 2)]) for k in range(1, len(heads) + 1)]
        room = max(12, min(max(len(row[0]) for row in cells), width - sum(sizes) - 2 * len(sizes)))
        lines = [" " * room + "".join(f"  {head:>{size}}" for head, size in zip(heads, sizes, strict=True))]
        for row in cells:
            name = row[0] if len(row[0]) <= room else row[0][: room - 1] + "…"
            if len(row) == 2:  # a reason
                line = f"{name:<{room}}  {row[1] if reasons else 'refused these rounds'}"
                lines.append(line if len(line) <= width else line[: width - 1] + "…")
            else:
                lines.append(f"{name:<{room}}" + "".join(f"  {cell:>{size}}" for cell, size in zip(row[1:], sizes, strict=True)))
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"rounds": self.rounds, "shuffles": self.shuffles, "seed": self.seed}
        fields |= {"learners": [entry.as_json() for entry in self.learners], "baselines": [entry.as_json() for entry in self.baselines]}
        return fields | ({} if self.selected is None else {"selected": self.selected.as_json()})


def _cells(entry: ComparedLearner, bounded: bool, shuffled: bool) -> list[str]:
    if entry.mistakes is None:
        return [entry.reason]
    cells = [
        f"{entry.mistakes:,}" if isinstance(entry.mistakes, int) else f"{entry.mistakes:,.2f}",
        "-" if entry.rate is None else f"{100 * entry.rate:.2f} %",
    ]
    limit = entry.limit  # where rounds have weights it may be broken; it is rounded up, so that it stays a limit
    if bounded:
        cells.append("-" if limit is None else f"{limit:,}" if isinstance(limit, int) else f"{ceil(limit * 100) / 100:,.2f}")
    if shuffled and entry.shuffled is not None:
        spread = entry.shuffled
        cells += [f"{spread.mean:,.1f}", "-" if spread.deviation is None else f"{spread.deviation:,.1f}"]
        cells += [_cost(min(spread.mistakes)), _cost(max(spread.mistakes))]
    elif shuffled:
        cells += ["-"] * 4
    return cells


def _cost(cost: int | float) -> str:
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.2f}"


def compare(
    learners: Iterable[Learner | ClassLearner | Rule] | Mapping[str, Learner | ClassLearner | Rule],
    X: Any,
    y: Any = None,
    *,
    shuffles: int = 0,
    seed: int = 0,
    boolean: bool = False,
    assume: str | None = None,
    select: bool = False,
    observers: Sequence[Observer] = (),
    cluster: Any = None,
    **reading: Any,
) -> Comparison:
    """The mistakes of several learners on the same rounds: in the order given, and over so many random orders.

    X and y are as `play` takes them, and so are `label`, `labels` and what else says how rows are read. Rules over experts are compared by
    what their theorems bound, on a table of advice. Order k depends on the seed, k and the number of rounds alone, so every learner meets
    the same orders, on any machine. Shuffling keeps all rounds in memory. A learner that cannot take the rounds is listed with the reason.
    `select=True` also says which one to keep, with the regret bound of that choice (`Selected`). `observers` are told of the rounds in the
    order given, and begin with the `Contest`, which knows what each has cost so far.

    `cluster` is a Dask Client, the address of a scheduler, or a number of processes: orders, and learners where these are few, are then
    tasks of their own, and the answer is the same. Workers read files for themselves, and are sent what is in memory.

    >>> import littlestone as ls
    >>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 20, [1, 1, 0] * 20
    >>> print(ls.compare([ls.perceptron(bias=0), ls.winnow()], X, y, shuffles=3))
                                                  mistakes     rate  mean  deviation  least  most
    perceptron(bias=0, margin=0, averaged=False)         1   1.67 %   1.0        0.0      1     1
    winnow(alpha=2)                                      4   6.67 %   4.0        0.0      4     4
    always the majority                                 20  33.33 %  20.0        0.0     20    20
    same as the last label                              39  65.00 %  28.0        1.0     27    29
    """
    require(shuffles >= 0, f"shuffles={shuffles} must not be negative")
    named = dict(learners) if isinstance(learners, Mapping) else {repr(learner): learner for learner in learners}
    require(named, "compare takes at least one learner, such as [ls.perceptron(), ls.winnow()]")
    for name, learner in named.items():
        known = isinstance(learner, Learner | ClassLearner | Rule)
        require(known, f"{name}: expected a learner, such as ls.perceptron(); got {learner!r}")
    X, y, labels, texts = inputs_of(X, y, "compare", reading)
    if any(learner.kind != "advice" for learner in named.values()):
        refuse_missing_labels(X, y, "compare")
    if isinstance(X, Stream) and labels is not None:
        X.declare(**label_choices(labels))
    rules = None if labels is None else LabelRules.of(label_choices(labels))
    if any(isinstance(learner, Panel) for learner in named.values()):
        X = streamed(X, y)
        named = {name: fitting(learner, X, y, rules) for name, learner in named.items()}
    kind = kind_of_all(named.values())
    require(
        not select or kind != "advice",
        "select: rules over experts choose among experts already; compare learners to choose among these",
    )
    counted = any(learner.needs_n and learner.n is None for learner in named.values())
    held = shuffles > 0 or (cluster is not None and kind == "advice")
    choices = Choices(boolean=boolean, rules=rules, texts=texts)
    rounds = ComparedRounds(kind, next(iter(named.values())), X, y, choices, kept=held, sent=cluster is not None, counted=counted)
    plan = ContestPlan(rounds, seed, assume, select)
    orders: Iterable[int | None] = range(shuffles)
    if cluster is None or observers:
        contest = Contest(named, rounds, noting=select)
        for observer in observers:
            observer.begins(contest)  # type: ignore[arg-type]
        loop(contest, rounds.blocks, observers)
        outcome = contest.outcome(assume)
    else:
        orders = (None, *orders)
        outcome = Outcome(Constant(), {}, {}, {}, {})
    if cluster is None:
        spread = [played_apart(outcome.others(named), plan, k) for k in orders]
    else:
        if counted:
            rounds.count()
        with above("connected")(cluster) as workers:
            spread = _spread(workers, named, plan, orders)
    if None in orders:
        outcome = spread.pop(0)
    baselines = () if kind == "advice" else outcome.constant.baselines(shuffles, [other.constant.changes for other in spread])
    chosen, cost = selected(outcome) if select else None, "loss" if kind == "advice" else "mistakes"
    return Comparison(outcome.constant.rounds, shuffles, seed, _entries(named, rounds, outcome, spread), baselines, chosen, cost)


def _entries(
    names: Iterable[str], rounds: "ComparedRounds", outcome: "Outcome", spread: Sequence["Outcome"]
) -> tuple[ComparedLearner, ...]:
    """What each made of the rounds as they come, and over the other orders."""
    failed: dict[str, LittlestoneError] = {}
    for other in reversed((outcome, *spread)):
        failed |= other.failed  # in this order it met something that it refuses
    for error in failed.values():
        rounds.name(error)  # a worker that was sent the rounds knows features by their numbers
    compared = []
    for name in names:
        entry = ComparedLearner(name, reason=str(failed[name])) if name in failed else outcome.entries[name]
        costs = tuple(other.costs[name] for other in spread if name in other.costs)
        compared.append(replace(entry, shuffled=Shuffled(costs)) if spread and entry.mistakes is not None else entry)
    return tuple(compared)


def kind_of_all(learners: Iterable[Any]) -> str:
    """What kind of rounds all of them can play."""
    kinds = {learner.kind for learner in learners}
    require("advice" not in kinds or len(kinds) == 1, "rules over experts play advice, and other learners features: compare them apart")
    return kinds.pop() if len(kinds) == 1 else "two classes"


class ComparedRounds:
    """The rounds to compare on, from wherever they come; in memory where they are to be shuffled, or can be had but once and have features
    to be counted or bounds that need a second look.
    """

    def __init__(self, kind: str, learner: Any, X: Any, y: Any, choices: Choices, *, kept: bool, sent: bool, counted: bool) -> None:
        self.kind, self.choices, self.boolean = kind, choices, choices.boolean
        rounds = self._opened(learner, X, y)
        self._file = rounds.stream if rounds.stream is not None and rounds.stream.is_file else None
        self._whole: Any = None
        self._count: int | None = None
        kept = kept or (sent and (self._file is None or not self._file.lies_there))
        second_look = kind == "advice" or (counted and rounds.columns is None)
        if kept or (second_look and not (rounds.again or rounds.repeatable or self._file)):
            blocks = [block.copy() for block in rounds.blocks()]
            one_file = blocks and kind != "advice" and len({block.origin for block in blocks}) == 1
            self._whole = next(Block.ranges(blocks, 2**62)) if one_file else (type(blocks[0]) if blocks else Block).joined(blocks)

    def _opened(self, learner: Any, X: Any, y: Any) -> Rounds:
        chosen = self.choices
        rounds = of_advice(learner, X, y, chosen) if self.kind == "advice" else SOURCES[self.kind](None, X, y, chosen)
        self.columns, self.classes = rounds.columns, (0, 1) if rounds.classes is None else rounds.classes
        self._rounds: Rounds | None = rounds
        return rounds

    def __getstate__(self) -> dict[str, Any]:
        """What a worker is sent: the rounds that are in memory, or where the file is."""
        kept = {name: value for name, value in vars(self).items() if name != "_rounds"}
        return kept if self._whole is None else {**kept, "_file": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._rounds = None
        if self._whole is None:
            self._opened(None, self._file, None)

    def count(self) -> int:
        """How many different features there are."""
        if self._count is None:
            if self._file is not None:
                self._count = self._file.count_features()
            else:
                met: set[int] = set()
                for block in self.blocks():
                    met.update(np.unique(block.indices).tolist())
                self._count = max(1, len(met))
        return self._count

    def name(self, error: LittlestoneError) -> None:
        """Say in a message which feature it is about, where that is known here."""
        if self._rounds is not None:
            self._rounds.name(error)

    def blocks(self) -> Iterable[Any]:
        return self._whole.pieces() if self._whole is not None else self._rounds.blocks()  # type: ignore[union-attr]

    def shuffled(self, seed: int, k: int) -> Iterable[Any]:
        assert self._whole is not None
        return self._whole.rows(order(len(self._whole), seed, k)).pieces()


class Constant:
    """The rules that look at no feature, and how many rounds there were."""

    def __init__(self) -> None:
        self.rounds = self.changes = 0
        self.last = -1
        self.counts: dict[int, int] = {}

    def take(self, labels: np.ndarray) -> None:
        codes = labels[labels >= 0]
        if not len(codes):
            return
        self.rounds += len(codes)
        self.changes += int((np.diff(codes) != 0).sum()) + (self.last >= 0 and self.last != int(codes[0]))
        self.last = int(codes[-1])
        for label, count in zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True):
            self.counts[label] = self.counts.get(label, 0) + count

    def baselines(self, shuffles: int, changes: list[int]) -> tuple[ComparedLearner, ...]:
        """Two rules that look at no feature; `changes` are the mistakes of the second one over random orders."""
        majority = self.rounds - max(self.counts.values(), default=0)
        rules = [("always the majority", majority, [majority] * shuffles), ("same as the last label", self.changes, changes)]
        return tuple(
            ComparedLearner(name, made, made / self.rounds if self.rounds else None, shuffled=Shuffled(tuple(spread)) if shuffles else None)
            for name, made, spread in rules
        )


@dataclass(frozen=True)
class Outcome:
    """What a contest leaves: plain values, which go from one process to another."""

    constant: Constant
    failed: Mapping[str, LittlestoneError]  # why, by name
    entries: Mapping[str, ComparedLearner]
    costs: Mapping[str, Any]
    wrong: Mapping[str, np.ndarray]  # on which labelled rounds each erred, where that was asked for

    def others(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Who has not failed."""
        return {name: learner for name, learner in named.items() if name not in self.failed}


@dataclass(frozen=True)
class ContestPlan:
    """On which rounds learners meet, in which orders, and what is to be known of them."""

    rounds: ComparedRounds
    seed: int
    assume: str | None
    noting: bool


def played_apart(named: Mapping[str, Any], plan: ContestPlan, k: int | None) -> Outcome:
    """What these learners make of the rounds, in random order k, or as they come."""
    contest = Contest(named, plan.rounds, noting=plan.noting and k is None)
    loop(contest, plan.rounds.blocks if k is None else partial(plan.rounds.shuffled, plan.seed, k), ())
    return contest.outcome(plan.assume if k is None else None, judged=k is None)


def _spread(workers: Any, named: Mapping[str, Any], plan: ContestPlan, orders: Iterable[int | None]) -> list[Outcome]:
    """The same of each order: a task for all learners, which share the work of making it, or for some where a worker would be idle."""
    sent, orders = workers.send(plan), list(orders)
    groups = min(len(named), ceil(2 * workers.count / max(1, len(orders))))
    chosen = [{name: named[name] for name in list(named)[k::groups]} for k in range(groups)]
    tasks = [[workers.submit(played_apart, some, sent, k) for some in chosen] for k in orders]
    return [_joined(workers.gather(parts), named) for parts in tasks]


def _joined(parts: Sequence[Outcome], names: Iterable[str]) -> Outcome:
    """One outcome of several that are of other learners, and of the same rounds; learners in the order of these names."""
    whole = [{name: value for part in parts for name, value in getattr(part, field).items()} for field in PER_LEARNER]
    return Outcome(parts[0].constant, *({name: values[name] for name in names if name in values} for values in whole))


PER_LEARNER = ("failed", "entries", "costs", "wrong")


def selected(outcome: Outcome) -> Selected | None:
    """What AdaHedge makes of the mistakes of those that took all rounds; None where nobody did."""
    names = list(outcome.wrong)
    if not names or not outcome.constant.rounds:
        return None
    lost = np.stack([outcome.wrong[name] for name in names], axis=1)
    run = play(adahedge(advice="loss"), lost.astype(np.float32))
    best, weights, n = run.best, run.weights, len(names)
    gaps, worst = Fraction(float(run.state.z[2])), float(theory.adahedge_worst(n, 0, run.rounds))
    shares = dict(zip(names, map(float, weights), strict=True))
    mistakes = int(run.losses[best])
    limit = float(theory.adahedge(mistakes, gaps, run.rounds))
    return Selected(names[best], mistakes, shares[names[best]], shares, run.loss, 2 * float(gaps), worst, limit)


class Contest:
    """A runner of several runners: each learner plays the same rounds. One that refuses a round is out, with the reason."""

    stopped = False

    def __init__(self, named: Mapping[str, Any], rounds: ComparedRounds, *, noting: bool = False) -> None:
        self.rounds, self.constant = rounds, Constant()
        self.wrong: dict[str, list[np.ndarray]] | None = {name: [] for name in named} if noting else None  # a byte a round and learner
        self.runners: dict[str, Any] = {}
        self.failed: dict[str, LittlestoneError] = {}
        for name, learner in named.items():
            try:
                counted = rounds.columns is None and learner.needs_n and learner.n is None
                if counted:
                    learner = learner.sized(rounds.count())
                self.runners[name] = runner_of(learner, columns=rounds.columns, counted=counted, classes=rounds.classes)
            except LittlestoneError as error:
                self.failed[name] = error

    def take(self, block: Any, scores: None = None, updates: None = None) -> np.ndarray:
        self.constant.take(block.labels)
        labelled = block.labels >= 0
        for name, runner in list(self.runners.items()):
            try:
                predictions = runner.take(block)
                if self.wrong is not None:
                    self.wrong[name].append(predictions[labelled] != block.labels[labelled])
            except LittlestoneError as error:
                self.rounds.name(error)
                self.failed[name] = error
                del self.runners[name]
        return np.empty(0, np.bool_)

    def finish(self) -> None:
        """The stream has ended."""

    def outcome(self, assume: str | None, *, judged: bool = True) -> Outcome:
        """What is left of it; `judged`: with the bounds of each."""
        entries = {name: self.entry(name, assume) for name in self.runners} if judged else {}
        wrong = {name: np.concatenate(self.wrong[name]) for name in self.runners if self.wrong[name]} if self.wrong is not None else {}
        return Outcome(self.constant, self.failed, entries, {name: self.cost(name) for name in self.runners}, wrong)

    def entry(self, name: str, assume: str | None) -> ComparedLearner:
        run = self.run(name)
        why = ""
        try:
            claims = run.bounds(assume)
        except LittlestoneError as error:  # it has no theorem that assumes this
            claims, why = run.bounds(), str(error)
        claim, cost = best(claims), self.cost(name)
        rate = cost / run.rounds if run.rounds else None
        if claim is not None:
            return ComparedLearner(name, cost, rate, claim.name, claim.limit)
        void = [f"{void.name} is void: {void.reason}" for void in claims if void.kind == "a priori" and void.limit is None]
        return ComparedLearner(name, cost, rate, reason=why or "; ".join(void))

    def run(self, name: str) -> Any:
        again = {"again": self.rounds.blocks} if self.rounds.kind == "advice" else {}
        return self.runners[name].run(**again)

    def cost(self, name: str) -> int | float:
        """What a learner is compared by: its mistakes; of a rule what its theorems bound, its loss or its mistakes."""
        return self.run(name).cost if self.rounds.kind == "advice" else self.runners[name].mistakes


def order(rounds: int, seed: int, k: int) -> np.ndarray:
    """Permutation k: rounds in the order of keys that are made of the seed, k and their number.

    >>> order(5, 0, 0).tolist(), order(5, 0, 1).tolist()
    ([0, 4, 3, 2, 1], [1, 2, 3, 0, 4])
    """
    start = np.uint64(mixed(mixed(seed & MASK) ^ (k + 1)))
    with np.errstate(over="ignore"):
        keys = start + np.arange(1, rounds + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.argsort(keys ^ (keys >> np.uint64(31)), kind="stable")


def mixed(x: int) -> int:
    """The finisher of splitmix64: every bit of x has its say in every bit that comes out."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)
