"""`fit`: rows in, a hypothesis out, with a promise for its error on fresh rows and its error on rows that the method never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.api.class_count import is_tested, refuse_targets, rules_for
from littlestone.api.compare import order
from littlestone.api.inputs import inputs_of, refuse_missing_labels
from littlestone.api.play import loop
from littlestone.api.sources import Choices, of_two_classes
from littlestone.errors import LittlestoneError, ThirdLabel, require
from littlestone.games import batch
from littlestone.games.oracles import Exhausted
from littlestone.hooks import above
from littlestone.kernels.native import core
from littlestone.protocol import Block, ClassLearner, Learner, Ledger, Model, Rule, Runner
from littlestone.protocol.block import ROWS
from littlestone.protocol.labels import LabelRules
from littlestone.protocol.players import Ours, Player, player
from littlestone.rounds.reading import label_choices
from littlestone.streams import Stream
from littlestone.streams.instances import streamed
from littlestone.streams.label_codes import refuse_numbers
from littlestone.theory import pac, parse_assumption
from littlestone.theory.claims import Known, match
from littlestone.theory.numbers import fraction
from littlestone.theory.risk import risk

SIZES = (("R2", "R", "length |x|"), ("X", "X", "the size of a value"), ("active", "active", "the number of its features"))
FEW = 16  # right predictions after which several rows are predicted at once


@dataclass(frozen=True)
class Fit:
    """What `fit` found. `error` is measured on `unseen` rows: those held out, and those that the method did not need."""

    learner: str
    by: str
    epsilon: float
    delta: float
    bound: int | None  # on the mistakes, as given or as the learner's theorem has it
    rows: int  # with a label
    held_out: int
    examples: int  # rows that were drawn
    most: int | None  # how many the theorem allows
    mistakes: int
    tests: int  # hypotheses that were tried
    reached: bool
    why: str  # why the promise was not reached
    hypothesis: str  # which one it is
    promise: dict[str, Any] | None
    unseen: int
    wrong: int  # of the unseen
    copies: int  # of the unseen: how many have the features of a row that was drawn
    error: float | None
    error_interval: tuple[float, float]  # exact (Clopper-Pearson), at the level 1-δ
    majority: int  # of the unseen: how many the more frequent label of the drawn rows gets wrong
    seconds: float
    seed: int
    in_order: bool
    described: str = ""  # the learner with its settings
    theorem: str = ""  # the theorem that the bound is from
    refuted: str = ""  # how the rows prove that the bound is none
    provided: str = ""  # what the bound supposes of fresh rows, where its facts were measured in these and not declared
    risk: float | None = None  # where the promise was not reached: the average over those that played, with probability 1-δ
    enough_for: float | None = None  # the same: the least epsilon for which the method needs no more rows than there were
    model: Model | None = None  # what `ls.fit(...).model.save(path)` saves; None for a learner of another library
    player: Player | None = None  # the hypothesis, as something that predicts

    def __repr__(self) -> str:
        promised = "no promise" if self.promise is None else f"err ≤ {self.promise['epsilon']:.4g} {self.promise['kind']}"
        return f"<{self.learner} by {self.by}: {promised}; {self.wrong:,} wrong of {self.unseen:,} rows it never saw>"

    def as_json(self) -> dict[str, Any]:
        fields = asdict(replace(self, model=None, player=None))
        return {key: value for key, value in fields.items() if key not in ("model", "player", "described")}


class OnRows(Ours):
    """A learner of ours that takes the rows of a block that has been checked, by their places.

    A hypothesis is asked about row after row until it errs. The longer it has been right, the more rows ahead are predicted at once, by the
    pass; what it learns makes these predictions worthless, and they are made anew.
    """

    def __init__(self, learner: Learner, block: Block, room: int, state: tuple | None = None) -> None:
        super().__init__(learner.start(state, ledger=False))
        self.model.make_room(room)
        self.block, self._ends = block, block.indptr
        self._ahead, self._from, self._asked = np.empty(0, np.bool_), 0, 0

    def predict(self, x: Any) -> bool:
        k = x - self._from
        if 0 <= k < len(self._ahead):
            return bool(self._ahead[k])
        self._asked += 1
        if self._asked < FEW:
            return self.model.predict_row(self._row(x))
        self._from, self._ahead = x, self.model.predict_rows(self.block.cut(x, min(x + max(FEW, 2 * len(self._ahead)), len(self.block))))
        return bool(self._ahead[0])

    def update(self, x: Any, y: bool) -> None:
        row = self._row(x)
        self.model.learn_row(row, bool(y), self.model.predict_row(row))
        self._ahead, self._asked = self._ahead[:0], 0

    def copy(self) -> OnRows:
        return OnRows(self.model.learner, self.block, self.model._room, self.model._state)

    def _row(self, x: int) -> tuple:
        return self.block.indices, self.block.values, int(self._ends[x]), int(self._ends[x + 1])


class Draws:
    """The first rows of a block as examples, each once, in order: by their places, or for other libraries' learners as {column: value}."""

    def __init__(self, block: Block, rows: int, n: int, *, plain: bool) -> None:
        self.block, self.rows, self.n, self.left, self.plain = block, rows, n, rows, plain
        self._labels = (block.labels == 1).tolist()

    def __call__(self) -> tuple[Any, bool]:
        t = self.rows - self.left
        if not self.left:
            raise Exhausted(f"all {t:,} rows have been drawn")
        self.left -= 1
        return self.row(t) if self.plain else t, self._labels[t]

    def row(self, t: int) -> dict[int, float]:
        block, part = self.block, slice(self.block.indptr[t], self.block.indptr[t + 1])
        values = [1] * (part.stop - part.start) if block.values is None else block.values[part].tolist()
        return dict(zip(block.indices[part].tolist(), values, strict=True))


def fit(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    epsilon: Any = "1/20",
    delta: Any = "1/20",
    by: Any = "controlled_testing",
    bound: int | None = None,
    assume: str | None = None,
    holdout: Any = "1/5",
    seed: int = 0,
    in_order: bool = False,
    boolean: bool = False,
    cluster: Any = None,
    **reading: Any,
) -> Any:
    """Learn from rows until the error on fresh ones is promised to be at most epsilon, but for a chance of delta.

    X and y are as `ls.play` takes them, with `label`, `labels` and the choices for texts; labels are of two classes, and rows without one
    are left out. The rows are shuffled by the seed (`in_order` keeps their order), and the last ⌈holdout·rows⌉ are held out. The others are
    drawn one after the other by a method of `littlestone.games.batch`: to_pac, controlled_testing, random_stopping, longest_survivor,
    log_free or anytime. The first and the third to fifth need a bound on the mistakes: `bound`, or `assume` ("disjunction:r=5"), from which
    the learner's theorem gives one.

    `by` may be a list of methods: each then learns from the same rows, and a list of what they found comes back, in their order. Each
    promise stands for itself: whoever looks at k of them and takes the best has a chance of k·delta.
    `cluster` is as in `ls.play`: workers then do a method each, and give back what it found without its player (`model` predicts).

    The promise is about fresh draws from whatever the rows are independent draws of. Where rows come in time and what they show changes,
    or some are copies of others, they are not, and a shuffle does not make them so: it only hides their order.

    The learner is one of ours, or anything with predict and update, or River's and scikit-learn's methods; those are given
    {column: value}.

    >>> import littlestone as ls
    >>> X = [{k % 7: 1, 7 + k % 5: 1} for k in range(2000)]
    >>> found = ls.fit(ls.winnow(), X, [k % 7 < 2 for k in range(2000)], epsilon=0.05, delta=0.05)
    >>> found.reached, found.examples, found.mistakes, found.wrong, found.unseen
    (True, 199, 8, 0, 1801)
    """
    made = inputs_of(X, y, "fit", reading)
    X, y, of_labels = made.X, made.y, label_choices(made.labels)
    refuse_missing_labels(X, y, "fit")
    if isinstance(X, Stream) and of_labels:
        X.declare(**of_labels)
    options: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "bound": bound, "assume": assume, "holdout": holdout}
    options |= {"seed": seed, "in_order": in_order, "boolean": boolean, "labels": of_labels, "texts": made.texts}
    if isinstance(by, str):
        require(cluster is None, f"cluster: {by} is one method, and has nobody to send to workers; a list of them (by=[...]) has")
        return fit_by(learner, X, y, by=by, **options)
    methods = list(by)
    require(methods, "by=[]: expected a method, or some of them")
    for method in methods:
        refuse_unknown(method)
    if cluster is None:
        return [fit_by(learner, X, y, by=method, **options) for method in methods]
    with above("connected")(cluster) as workers:
        sent = workers.send((learner, X, y))
        return workers.gather([workers.submit(fit_apart, sent, {**options, "by": method}) for method in methods])


def fit_apart(rows: tuple, options: Mapping[str, Any]) -> Fit:
    """What one method finds, as a task; its player plays by the rows, which stay where they are."""
    result = fit_by(*rows, **options)
    return result if result.model is None else replace(result, player=None)


def refuse_unknown(by: str) -> None:
    require(by in batch.names(), f"by={by!r} is not known; expected one of {', '.join(batch.names())}")


def fit_by(
    learner: Any,
    X: Any,
    y: Any,
    *,
    epsilon: Any,
    delta: Any,
    by: str,
    bound: int | None,
    assume: str | None,
    holdout: Any,
    seed: int,
    in_order: bool,
    boolean: bool,
    labels: Mapping[str, Any],
    texts: dict[str, Any] | None,
) -> Fit:
    """What one method finds."""
    refuse_unknown(by)
    goal, part = pac.goal_of(epsilon, delta), fraction(holdout, "holdout")
    require(0 < part < 1, f"holdout={holdout!s} must lie between 0 and 1: it is the share of the rows that is held out")
    refuse(learner)
    try:
        data = FitRows(learner, X, y, boolean, LabelRules.of(labels) if labels else None, texts)
    except ThirdLabel as error:  # its last words are of learners of several classes
        ways = "what fit promises is of two labels: --label COLUMN=LABEL (label=, or y == LABEL) tells one from the rest"
        raise LittlestoneError(f"{str(error).rpartition(';')[0]}; {ways}") from None
    B, theorem, provided = data.limit(bound, assume) if bound is not None or assume else (None, "", "")
    if batch.needs_bound(by) and B is None:
        raise LittlestoneError(
            f"{by} needs a bound on the mistakes: give one (bound=B, --bound B), or what it follows from (assume='disjunction:r=5', "
            "--assume disjunction:r=5); controlled_testing and anytime need none"
        )
    labelled = np.flatnonzero(data.block.labels >= 0)
    total, held = len(labelled), ceil(part * len(labelled))
    require(total - held >= 1, f"{total:,} rows with a label: expected at least one to learn from beside {held:,} held out")
    block = data.block.rows(labelled if in_order else labelled[order(total, seed, 0)])
    draws = Draws(block, total - held, data.width, plain=data.gate is None)
    begun = perf_counter()
    made = batch.factory(by)(data.player(block), draws, epsilon=goal.epsilon, delta=goal.delta, bound=B, seed=seed)
    model = data.model(block.rows(np.asarray(made.taught, np.int64)))
    unseen, known = block.cut(made.examples, total), None if model is None else data.says(model, block.cut(made.examples, total))
    says = [made.hypothesis.predict(draws.row(t)) for t in range(made.examples, total)] if known is None else known
    seconds = perf_counter() - begun
    made, refuted = _held_against(made, by, B, data.errors(made.last, block, draws) if made.mistakes == B else 0, goal)
    if provided and made.promise is not None and batch.needs_bound(by):
        made = replace(made, promise={**made.promise, "if": provided})
    short = not made.reached
    return Fit(
        learner=made.hypothesis.name,
        by=by,
        epsilon=float(goal.epsilon),
        delta=float(goal.delta),
        bound=B,
        rows=total,
        held_out=held,
        **_of_method(made),
        **_of_unseen(np.asarray(says), unseen, block.labels[: made.examples], goal),
        copies=_copies(block, made.examples),
        seconds=seconds,
        seed=seed,
        in_order=in_order,
        described=repr(data.learner) if isinstance(data.learner, Learner) else made.hypothesis.name,
        theorem=theorem,
        refuted=refuted,
        provided=provided,
        risk=risk(made.mistakes, made.played, goal.delta).average if short and made.played else None,
        enough_for=pac.enough_for(by, total - held, None if refuted else B, goal.delta) if short and made.promise is not None else None,
        model=model,
        player=made.hypothesis,
    )


def _of_method(made: batch.Fitted) -> dict[str, Any]:
    """What the method says of its hypothesis."""
    names = ("examples", "most", "mistakes", "tests", "reached", "why", "promise")
    return {name: getattr(made, name) for name in names} | {"hypothesis": made.chosen}


def _of_unseen(says: np.ndarray, unseen: Block, drawn: np.ndarray, goal: pac.Goal) -> dict[str, Any]:
    """How the hypothesis did on rows that it never saw, and how the more frequent of the labels that were drawn does there."""
    wrong, usual = int(np.count_nonzero(says != (unseen.labels == 1))), int(2 * np.count_nonzero(drawn == 1) >= len(drawn))
    return {
        "unseen": len(unseen),
        "wrong": wrong,
        "error": wrong / len(unseen),
        "error_interval": batch.interval(wrong, len(unseen), 1 - float(goal.delta)),
        "majority": int(np.count_nonzero(unseen.labels != usual)),
    }


def refuse(learner: Any) -> None:
    """A learner whose error nothing is promised of."""
    several = isinstance(learner, ClassLearner)
    require(not several, f"{getattr(learner, 'name', '')} takes several classes; what fit promises is of two: expected a binary learner")
    require(not isinstance(learner, Rule), f"{getattr(learner, 'name', '')} takes advice; fit takes a learner, such as ls.perceptron()")
    averaged = isinstance(learner, Learner) and learner.final is not None
    require(not averaged, "averaged=True predicts by other weights than those that play; fit promises the error of these: leave it out")


def _held_against(made: batch.Fitted, by: str, B: int | None, errors: int, goal: pac.Goal) -> tuple[batch.Fitted, str]:
    """What is left of what was found, and how the bound is refuted: by more mistakes, or by errors of the hypothesis after B of them.

    That one errs on none of the rows, drawn or not, if the bound holds: such a row could come next. What needs no bound keeps its promise.
    """
    if B is None or (made.mistakes <= B and not errors):
        return made, ""
    why = batch.refutation(B, made.mistakes, errors, "rows")
    if batch.needs_bound(by):
        return replace(made, promise=None, reached=False, why=why), why
    return replace(made, most=pac.controlled_testing(made.mistakes, *goal) if by == "controlled_testing" else None), why


class FitRows:
    """All rows in memory, checked, and the learner made for them."""

    def __init__(
        self, learner: Any, X: Any, y: Any, boolean: bool, rules: LabelRules | None = None, texts: dict[str, Any] | None = None
    ) -> None:
        X = streamed(X, y)
        refuse_targets(learner, X, y, rules or rules_for(X))
        if isinstance(X, Stream) and y is None:
            refuse_numbers({} if is_tested(X) else X.labels_ahead(), f"{', '.join(X.paths)}: the first rows have")
        self.source = source = of_two_classes(None, X, y, Choices(boolean, block_rows=ROWS, rules=rules, texts=texts))
        blocks = [block.copy() for block in source.blocks()]
        weighed = next((block for block in blocks if block.weights is not None), None)
        require(weighed is None, "rows with weights: a promise counts every row once; leave the weights out")
        self.columns, self.counted, self.gate, self.learner = source.columns, False, None, learner
        self.n_given = isinstance(learner, Learner) and learner.n is not None
        if isinstance(learner, Learner):
            self.counted = source.columns is None and learner.needs_n and learner.n is None
            self.learner = learner.sized(_count(blocks) if self.counted else source.columns)
            self.gate = Runner(self.learner, columns=self.columns, counted=self.counted)
            blocks = [self.gate.admit(block) for block in blocks]
        self.block = Block.joined(blocks)
        require(len(self.block), "there are no rows")
        self.rows = len(self.block)
        self.width = self.columns or (int(self.block.indices.max()) + 1 if len(self.block.indices) else 1)

    def player(self, block: Block) -> Player:
        return player(self.learner, self.width) if self.gate is None else OnRows(self.learner, block, self.gate.room)

    def limit(self, bound: int | None, assume: str | None) -> tuple[int, str, str]:
        """A bound on the mistakes, the theorem it is from, and what it supposes of fresh rows beside what was declared."""
        require(bound is None or not assume, "a bound and an assumption that it follows from: give one of them")
        if bound is not None:
            return pac.mistakes_allowed(bound), "as given", ""
        assert assume is not None
        kind, declared = parse_assumption(assume)
        learner = self.learner
        require(isinstance(learner, Learner), "assume= needs a learner of this library, whose theorems are known; give bound= instead")
        theorems = [b for b in learner.bounds if b.kind == "a priori" and b.assumes == kind and b.counts == "mistakes"]
        if not theorems:
            known = sorted({b.assumes for b in learner.bounds if b.kind == "a priori"})
            raise LittlestoneError(
                f"{learner.name} has no bound beforehand that assumes {kind!r}; it has: {', '.join(known) or 'none'}; or give a bound "
                "(bound=B, --bound B)"
            )
        run = self._all_mistakes()
        measured = dict(learner.facts(run)) if learner.facts else {}
        if "R2" in measured:
            rho2 = Fraction(learner.settings.get("bias") or 0) ** 2
            longest = (Fraction(run.squares[0]) + rho2) * (1 + Fraction(run.widest_row + 4, 2**52))
            measured["R2"] = max(Fraction(measured["R2"]), longest)
        if kind == "function":
            require("size" in declared, "assume='function' needs the number of instances with label 1: function:size=K")
        claims = match(Known(learner.name, theorems, measured), assume)
        limits = [(claim.limit, claim.name, b.needs) for b, claim in zip(theorems, claims, strict=True) if claim.limit is not None]
        require(limits, f"{assume}: {'; '.join(claim.reason for claim in claims)}")
        least, name, needs = min(limits)
        return int(least), name, self._provided(needs, declared)

    def _provided(self, needs: tuple[str, ...], declared: Any) -> str:
        """What rows have shown of themselves is true of the source only if fresh rows show no more.

        If they do not, the bound is the one that the facts of the source give, whatever was drawn: the promise holds then.
        """
        feature = self.columns is None and not self.n_given and not {"n", "d"}.isdisjoint(needs)
        size = [what for fact, key, what in SIZES if fact in needs and key not in declared]
        more = [f"has a feature that none of these {self.rows:,} rows has"] * feature
        more += [
            f"exceeds all of them in {' or '.join(size)}" if feature else f"exceeds these {self.rows:,} rows in {' or '.join(size)}"
        ] * bool(size)
        return f"no fresh row {' or '.join(more)}" if more else ""

    def _all_mistakes(self) -> Any:
        """A run in which every round was a mistake, for what theorems ask of the rows: the longest, the largest value, the features."""
        assert self.gate is not None
        gate, block = self.gate.copy(), self.block
        wrong = block.labels != 1
        core.count(block.labels, wrong, gate.tally)
        core.measure(block.indptr, block.values, None, block.labels, None, wrong, gate.lengths)
        return gate.run()

    def model(self, taught: Block) -> Model | None:
        """The hypothesis as a model: the learner after these rows, with the names of its features and its ledger."""
        if self.gate is None:
            return None
        ledger = None if self.learner.updates_on == "always" else Ledger()
        runner = Runner(self.learner, columns=self.columns, counted=self.counted, ledger=ledger)
        loop(runner, taught.pieces, ())
        model = Model.of(runner)
        self.source.tell(model, runner.top)
        return model

    def errors(self, last: Player | None, block: Block, draws: Draws) -> int:
        """Of a hypothesis on all rows."""
        assert last is not None
        if isinstance(last, OnRows):
            says = self.says(last.model, block)
        else:
            says = np.array([last.predict(draws.row(t)) for t in range(len(block))])
        return int(np.count_nonzero(says != (block.labels == 1)))

    def says(self, model: Model, block: Block) -> np.ndarray:
        """What the hypothesis predicts of rows; it is told nothing."""
        assert self.gate is not None
        teller = self.learner.start(model.state, ledger=False)
        teller.make_room(self.gate.room)
        return np.concatenate([np.empty(0, np.bool_), *(teller.predict_rows(part) for part in block.pieces())])


def _copies(block: Block, drawn: int) -> int:
    """How many of the later rows have the same features, with the same values, as one of the first.

    Rows are compared by 64-bit sums over their features: two that differ agree with a chance of about 2^-64.
    """
    values = np.ones(len(block.indices), np.float32) if block.values is None else block.values
    mixed = (block.indices.astype(np.uint64) << np.uint64(32)) | values.view(np.uint32)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed[values == 0] = 0
    until = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed)])[block.indptr]
    marks = until[1:] - until[:-1]
    return int(np.count_nonzero(np.isin(marks[drawn:], marks[:drawn])))


def _count(blocks: list[Block]) -> int:
    """How many different features there are, those that are always 0 left out."""
    met = [np.unique(block.indices if block.values is None else block.indices[block.values != 0]) for block in blocks]
    return max(1, len(np.unique(np.concatenate([np.empty(0, np.uint32), *met]))))
