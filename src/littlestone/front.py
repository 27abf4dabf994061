"""`play`: takes whatever the user has, makes Blocks of it, and plays them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import rows
from littlestone.protocol import Advice, AdviceRun, AdviceRunner, Block, FeatureMap, Learner, Rule, Runner
from littlestone.protocol.block import ROWS
from littlestone.protocol.run import refuse_broken
from littlestone.streams import Stream
from littlestone.theory import Moment


def play(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    boolean: bool = False,
    check_invariants: bool = False,
    witness: Any = None,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    scores: bool = False,
    block_rows: int = ROWS,
) -> Any:
    """Play a learner over a stream, predicting each round before its label is told.

    X is a scipy sparse matrix, a dense array, a list of dicts or of sets, Blocks, or `open_stream(path)`; y has one label a round (True and
    False, 1 and 0, +1 and -1; None or NaN where there is none), and is left out when X carries the labels. `boolean` takes presence for
    value. With `check_invariants` the lemmas behind the learner's bounds are checked, exactly, after every update; those that speak of a
    target need `witness`: the set of relevant features, or a weight for each feature.

    `sample_weight` has a number for each round, `class_weight` one for each label ({True: 5} or {1: 5, 0: 1}); a round whose weight is c
    then counts and teaches c times, where the learner can honour that. `scores` keeps each round's score in `run.scores`.
    """
    if isinstance(learner, Rule):
        return play_advice(learner, X, y)
    require(isinstance(learner, Learner), f"play takes a learner first, such as ls.perceptron(); got {learner!r}")
    require(block_rows >= 1, f"block_rows={block_rows!r} must be at least 1")
    counted = isinstance(X, Stream) and learner.needs_n and learner.n is None
    if counted:
        learner = learner.sized(X.count_features())
    source = _source(X, y, block_rows)

    weigh = _weighing(sample_weight, class_weight)

    def blocks() -> Iterator[Block]:
        start = 0
        for block in source.blocks():
            if boolean:
                block = block.presence(any_value=True)
            yield weigh(block, start) if weigh else block
            start += len(block)

    runner = Runner(learner, columns=source.columns, measuring=not source.again, counted=counted)
    watch = Watch(runner, witness) if check_invariants else None
    require(not scores or learner.kernels.score is not None, f"{learner.name} predicts without a score")
    predictions: list[np.ndarray] = []
    scored: list[np.ndarray] = []
    begun = perf_counter()
    for block in blocks():
        if scores:
            scored.append(np.empty(len(block)))
        predictions.append(watch.take(block) if watch else runner.take(block, scored[-1] if scores else None))
    seconds = perf_counter() - begun
    together = np.concatenate(predictions) if predictions else np.empty(0, np.bool_)

    def measure() -> np.ndarray:
        lengths, start = np.zeros(4), 0
        for block in blocks():
            rows.measure(block.indptr, block.values, block.labels, block.weights, together[start : start + len(block)], lengths)
            start += len(block)
        return lengths

    kept = (np.concatenate(scored) if scored else np.empty(0)) if scores else None
    return runner.run(together, seconds, measure if source.again else None, watch.checked if watch else 0, kept)


def _weighing(sample_weight: Any, class_weight: Mapping | None) -> Callable[[Block, int], Block] | None:
    """What puts the weights the user gave on a block's rounds, or None when there are none."""
    if sample_weight is None and class_weight is None:
        return None
    given = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    by_class = np.ones(3)  # for 0, 1 and, at -1, no label
    for label, weight in (class_weight or {}).items():
        require(label in (0, 1, -1), f"class_weight has {label!r}; expected True or False, 1 or 0, +1 or -1")
        by_class[1 if label == 1 else 0] = weight

    def weigh(block: Block, start: int) -> Block:
        weights = by_class[block.labels]
        if given is not None:
            stop = start + len(block)
            require(
                given.ndim == 1 and len(given) >= stop,
                f"sample_weight has shape {given.shape}; expected a weight for each of at least {stop} rounds",
            )
            weights = weights * given[start:stop]
        with np.errstate(over="ignore"):  # too large becomes infinite, and is refused by name
            return replace(block, weights=weights.astype(np.float32))

    return weigh


def play_advice(rule: Rule, table: Any, truth: Any = None) -> AdviceRun:
    """Play a rule over advice: rounds × experts, NaN where an expert is asleep, and the truths (none when the advice is losses)."""
    if not isinstance(table, np.ndarray):
        try:
            table = np.asarray(table, dtype=np.float32)
        except (TypeError, ValueError):
            raise LittlestoneError("advice must be a table of numbers, rounds × experts, NaN where an expert is asleep") from None
    require(
        table.ndim == 2 and table.shape[1] >= 1 and table.dtype.kind in "biuf",
        f"advice has shape {table.shape} and type {table.dtype}; expected numbers, rounds × experts",
    )
    if rule.advice == "loss":
        require(truth is None, "the advice is losses: there is no truth to tell")
        labels = np.zeros(len(table), np.int32)
    else:
        labels = labels_of(truth, len(table))
    size = max(1, 2**18 // table.shape[1])  # about a megabyte: it stays in the cache

    def advices() -> Iterator[Advice]:
        for start in range(0, len(table), size):
            yield Advice(np.ascontiguousarray(table[start : start + size], np.float32), labels[start : start + size], start)

    runner = AdviceRunner(rule, table.shape[1], counting=False)
    begun = perf_counter()
    parts = [runner.part(advice) for advice in advices()]
    return runner.run(parts, perf_counter() - begun, advices)


class _Source(NamedTuple):
    """Where blocks come from, how many columns they have where that is known, and whether they can be had again."""

    blocks: Callable[[], Iterable[Block]]
    columns: int | None = None
    again: bool = False


def _source(X: Any, y: Any, size: int) -> _Source:
    if isinstance(X, Stream):
        require(y is None, "the stream carries its own labels; y must be left out")
        return _Source(X.lent_blocks)
    if isinstance(X, Block):
        require(y is None, "the block carries its own labels; y must be left out")
        return _Source(lambda: _cut(X, size), again=True)
    if hasattr(X, "tocsr"):
        return _from_csr(X.tocsr(), labels_of(y, X.shape[0]), size)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return _from_dense(X, labels_of(y, len(X)), size)
    if isinstance(X, Iterator):
        return _Source(lambda: (piece for block in X for piece in _cut(_block(block), size)))
    if isinstance(X, Sequence):
        if len(X) and isinstance(X[0], Block):
            return _Source(lambda: (piece for block in X for piece in _cut(_block(block), size)), again=True)
        if len(X) == 0 or isinstance(X[0], Mapping | set | frozenset):
            labels = labels_of(y, len(X))
            return _Source(lambda: _from_features(X, labels, size), again=True)
        table = np.asarray(X)
        if table.ndim == 2 and table.dtype.kind in "biuf":
            return _from_dense(table, labels_of(y, len(table)), size)
    raise LittlestoneError(
        f"instances of type {type(X).__name__}: expected a scipy sparse matrix, a 2-D array, a list of dicts or sets, Blocks, "
        "or ls.open_stream(path)"
    )


def _block(thing: Any) -> Block:
    require(isinstance(thing, Block), f"expected a Block, got {type(thing).__name__}")
    return thing


def _cut(block: Block, size: int) -> Iterator[Block]:
    for start in range(0, len(block), size):
        yield block.cut(start, min(start + size, len(block)))


def labels_of(y: Any, rounds: int) -> np.ndarray:
    """Labels as codes 1, 0 and -1 (none), from True/False, 1/0, +1/-1, or 2/1; None and NaN are no label."""
    if y is None:
        return np.full(rounds, -1, np.int32)
    given = np.asarray(y)
    require(
        given.ndim == 1 and len(given) == rounds,
        f"y has shape {given.shape}; expected one label for each of {rounds} rounds",
    )
    if given.dtype == np.bool_:
        return given.astype(np.int32)
    if given.dtype.kind in "iu" and (not rounds or (given.min() >= 0 and given.max() <= 1)):
        return given.astype(np.int32, copy=False)
    if given.dtype == object:
        given = np.array([np.nan if v is None else v for v in given], dtype=object)
    try:
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise LittlestoneError(f"labels of type {given.dtype}: expected True/False, 1/0, +1/-1, or None for no label") from None
    told = ~np.isnan(numbers)
    if not (told & (numbers != 0) & (numbers != 1)).any():  # the usual case, without sorting
        return np.where(told, numbers, -1).astype(np.int32)
    kinds = set(np.unique(numbers[told]).tolist())
    for negative, positive in ((0, 1), (-1, 1), (1, 2)):
        if kinds <= {negative, positive}:
            return np.where(told, numbers == positive, -1).astype(np.int32)
    t = int(np.flatnonzero(told & ~np.isin(numbers, [-1, 0, 1]))[0]) if kinds - {-1.0, 0.0, 1.0} else int(np.flatnonzero(numbers == -1)[0])
    raise LittlestoneError(
        f"round {t + 1}: label {given[t]!r}; expected two classes, as True/False, 1/0, +1/-1 or 2/1, or None for no label"
    )


def _from_csr(X: Any, labels: np.ndarray, size: int) -> _Source:
    rounds, columns = X.shape
    indptr = X.indptr.astype(np.int64, copy=False)
    require(X.data.dtype.kind in "biuf", f"instances of type {X.data.dtype} must be numbers")
    require(X.indices.dtype.kind in "iu", f"the matrix has column indices of type {X.indices.dtype}; expected whole numbers")
    if X.indices.dtype.itemsize > 4:
        require(columns <= 2**31, f"the matrix has {columns} columns; at most {2**31} can be numbered")
        inside = not len(X.indices) or (int(X.indices.min()) >= 0 and int(X.indices.max()) < columns)
        require(inside, f"the matrix has entries outside its {columns} columns")
    # a negative index becomes a huge one, and is refused when its block is checked
    indices = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices.astype(np.uint32)
    boolean = X.data.dtype == np.bool_ and bool(X.data.all())
    require(
        indptr[0] == 0 and indptr[-1] <= len(X.indices) and bool((np.diff(indptr) >= 0).all()),
        "the matrix is malformed: its row pointers must grow from 0 to the number of entries",
    )

    def blocks() -> Iterator[Block]:
        for start in range(0, rounds, size):
            stop = min(start + size, rounds)
            lo, hi = indptr[start], indptr[stop]
            values = None if boolean else _float32(X.data[lo:hi], start)
            yield Block(indptr[start : stop + 1] - lo, indices[lo:hi], values, labels[start:stop], None, start)

    return _Source(blocks, columns, again=True)


def _float32(data: np.ndarray, first_round: int) -> np.ndarray:
    if data.dtype == np.float32:
        return data
    with np.errstate(over="ignore"):  # a double too large becomes infinite, and is refused by name when the block is checked
        return data.astype(np.float32)


def _from_dense(X: np.ndarray, labels: np.ndarray, size: int) -> _Source:
    require(X.dtype.kind in "biuf", f"instances of type {X.dtype} must be numbers")

    def blocks() -> Iterator[Block]:
        for start in range(0, len(X), size):
            part = X[start : start + size]
            where, indices = np.nonzero(part)
            indptr = np.zeros(len(part) + 1, np.int64)
            np.cumsum(np.bincount(where, minlength=len(part)), out=indptr[1:])
            values = None if X.dtype == np.bool_ else _float32(part[where, indices], start)
            yield Block(indptr, indices.astype(np.uint32), values, labels[start : start + size], None, start)

    return _Source(blocks, X.shape[1], again=True)


def _from_features(X: Sequence, labels: np.ndarray, size: int) -> Iterator[Block]:
    columns = FeatureMap()
    named: bool | None = None
    remaining = iter(X)
    start = 0
    while chunk := list(islice(remaining, size)):
        keys = [key for row in chunk for key in row]
        for key in keys:
            kind = isinstance(key, str)
            if named is None:
                named = kind
            if not kind and not isinstance(key, int | np.integer):
                raise LittlestoneError(f"feature {key!r}: expected a name (a string) or a column (a whole number, 0 or more)")
            if kind != named:
                raise LittlestoneError(f"feature {key!r}: names and column numbers cannot be mixed")
            require(kind or 0 <= key < 2**31, f"feature index {key} must lie between 0 and {2**31 - 1}")
        indices = np.fromiter((columns[key] for key in keys) if named else keys, np.uint32, len(keys))
        indptr = np.cumsum([0, *map(len, chunk)], dtype=np.int64)
        values = None
        if any(isinstance(row, Mapping) for row in chunk):
            try:
                numbers = [v for row in chunk for v in (row.values() if isinstance(row, Mapping) else [1] * len(row))]
                values = _float32(np.array(numbers, dtype=np.float64), start)
            except (TypeError, ValueError):
                t, key, value = next(
                    (t, k, v)
                    for t, row in enumerate(chunk)
                    if isinstance(row, Mapping)
                    for k, v in row.items()
                    if not isinstance(v, int | float | np.number)
                )
                raise LittlestoneError(f"round {start + t + 1}: feature {key!r} has value {value!r}; expected a number") from None
        yield Block(indptr, indices, values, labels[start : start + len(chunk)], None, start)
        start += len(chunk)


class Watch:
    """Plays by the definition, and checks after every update the lemmas that the learner's proofs rest on."""

    def __init__(self, runner: Runner, witness: Any) -> None:
        self.runner = runner
        self.witness = _witness(witness)
        self.checked = 0
        self.promotions = self.demotions = self.errors = 0
        self.sum_squares = self.margins = self.weights = self.squared_weights = Fraction(0)
        self.largest = Fraction(0)

    def take(self, block: Block) -> np.ndarray:
        runner, learner = self.runner, self.runner.learner
        block = runner.admit(block)
        predictions = np.empty(len(block), np.bool_)
        for t, (indices, values, y) in enumerate(block.rounds()):
            predictions[t] = yhat = learner.predict(runner.state, indices, values)
            if y < 0:
                continue
            before = runner.state
            weight = 1.0 if block.weights is None else float(block.weights[t])
            after = learner.update(before, indices, values, y == 1, yhat, weight)
            if learner.broken is not None and learner.broken(after):
                runner.record(block.cut(0, t), predictions[:t])
                refuse_broken(learner, after, block, t)
            runner.state = after
            if yhat != y or self._changed(before, after):
                self._note(indices, values, y == 1, Fraction(weight))
                self._check(block.first_round + t + 1)
        runner.record(block, predictions)
        return predictions

    def _changed(self, before: tuple, after: tuple) -> bool:
        """Did the round teach anything? Arrays that only keep accounts do not tell."""
        names = getattr(after, "_fields", range(len(after)))
        ledger = self.runner.learner.ledger
        return any(name not in ledger and not np.array_equal(a, b) for name, a, b in zip(names, before, after, strict=True))

    def _note(self, indices: np.ndarray, values: np.ndarray | None, y: bool, c: Fraction) -> None:
        x = (
            {int(i): Fraction(1) for i in indices}
            if values is None
            else {int(i): Fraction(float(v)) for i, v in zip(indices, values, strict=True)}
        )
        self.promotions += y
        self.demotions += not y
        self.weights += c
        self.squared_weights += c * c
        self.sum_squares += c * c * sum((v * v for v in x.values()), Fraction(0))
        self.largest = max([self.largest, *(abs(v) for v in x.values())])
        if self.witness is not None:
            dot = sum((v * self.witness.get(i, Fraction(0)) for i, v in x.items()), Fraction(0))
            bias = Fraction(self.runner.learner.settings.get("bias") or 0) * self.witness.get(-1, Fraction(0))
            self.margins += c * (dot + bias) * (1 if y else -1)
            active = sum(i in self.witness for i in x)
            self.errors += (active == 0) if y else active

    def _check(self, round_number: int) -> None:
        runner, learner = self.runner, self.runner.learner
        fresh = learner.init(runner.room)
        names = getattr(runner.state, "_fields", tuple(map(str, range(len(runner.state)))))
        state = {}
        for name, array, untouched in zip(names, runner.state, fresh, strict=True):
            (where,) = np.nonzero(array != untouched if len(array) == len(untouched) else array)
            state[name] = {int(i): Fraction(array[i].item()) for i in where}
        exact = learner.arithmetic != "float" or (learner.exact_when is not None and runner.whole and not runner.weighted)
        moment = Moment(
            settings={**learner.settings, "n_seen": learner.n or runner.top + 1, "X": self.largest or Fraction(1)},
            state=state,
            promotions=self.promotions,
            demotions=self.demotions,
            sum_squares=self.sum_squares,
            witness=self.witness,
            margins=self.margins,
            weights=self.weights,
            squared_weights=self.squared_weights,
            errors=self.errors,
            slack=Fraction(0) if exact else Fraction(1, 2**30),
        )
        for lemma in learner.invariants:
            if lemma.needs_witness and self.witness is None:
                continue
            left, right = lemma.sides(moment)
            self.checked += 1
            if left > right:
                raise LittlestoneError(
                    f"round {round_number}: {learner.name} breaks its invariant {lemma.name!r}, {lemma.statement}: "
                    f"the left side is {float(left):g}, the right side {float(right):g}"
                )


def _witness(given: Any) -> dict[int, Fraction] | None:
    """A target as {feature: weight}: from a set of features, a mapping, or a weight for each column (bias last: key -1)."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {int(i): Fraction(v) if not isinstance(v, np.generic) else Fraction(v.item()) for i, v in given.items()}
    if isinstance(given, set | frozenset):
        return {int(i): Fraction(1) for i in given}
    return {i: Fraction(float(v)) for i, v in enumerate(given) if v}
