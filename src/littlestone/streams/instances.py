"""Instances: whatever the user has, as Blocks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, filterfalse, islice, pairwise, repeat
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, ThirdLabel, require
from littlestone.kernels.native import core
from littlestone.protocol import Block, FeatureMap
from littlestone.protocol.block import LentBlock
from littlestone.protocol.events import answers_of, ordered, unusual
from littlestone.protocol.labels import LabelRules, is_missing, kind_of, whole_number
from littlestone.protocol.labels import listed as listed_labels
from littlestone.protocol.learner import LARGEST_GROWTH
from littlestone.rounds.features import BLANKS, DictRules, spelled
from littlestone.rounds.files import is_column
from littlestone.streams import Stream
from littlestone.streams.frames import FrameStream, as_frame
from littlestone.streams.label_codes import REGRESSION, rank
from littlestone.streams.stream import CORES


def weighing(sample_weight: Any, by_class: Callable[[], np.ndarray] | None) -> Callable[[Block, int], Block] | None:
    """What puts the weights the user gave on a block's rounds, or None when there are none.

    `by_class` gives a weight for each code of a label, and one more, at -1, for rounds without a label.
    """
    if sample_weight is None and by_class is None:
        return None
    try:
        factors = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise LittlestoneError("sample_weight must be numbers, one for each round") from None

    def weigh(block: Block, start: int) -> Block:
        weights = np.ones(len(block)) if by_class is None else by_class()[block.labels]
        if block.weights is not None:  # the stream brings its own
            weights = weights * block.weights
        if factors is not None:
            stop = start + len(block)
            require(
                factors.ndim == 1 and len(factors) >= stop,
                f"sample_weight has shape {factors.shape}; expected a weight for each of at least {stop} rounds",
            )
            weights = weights * factors[start:stop]
        with np.errstate(over="ignore"):  # too large becomes infinite, and is refused by name
            return replace(block, weights=weights.astype(np.float32))

    return weigh


def require_mapping(class_weight: Any) -> Mapping:
    """What labels weigh, by name. (A stream does not tell beforehand how often each class will come, so there is no "balanced".)"""
    require(isinstance(class_weight, Mapping), f"class_weight={class_weight!r}: expected a weight for each label, such as {{True: 5}}")
    return class_weight


LabelWeights = Mapping | tuple[float, float]  # what rounds weigh by their label: by name, or the negative one first

#: How to play more than two classes.
SEVERAL = "; ls.one_vs_rest(learner) plays several classes"


class Lent(NamedTuple):
    """Blocks of a matrix where they lie, for whoever can play them there, and whether all its values are 1."""

    blocks: Callable[[], Iterator[LentBlock]]
    boolean: bool


class Source(NamedTuple):
    """Where blocks come from, how many columns they have where that is known, and whether they can be had again."""

    blocks: Callable[[], Iterable[Block]]
    columns: int | None = None
    again: bool = False
    names: Iterable[str] | None = None  # the names of the columns, growing as blocks are made; empty where columns go by their numbers
    lent: Lent | None = None


class KnownNames(NamedTuple):
    """The columns that names of features have, whether features are names (None: not known yet), and how the model's stream was read."""

    columns: FeatureMap
    named: bool | None
    reading: Mapping[str, Any] | None = None
    sorts: bool = True  # are zeros dropped, and the features of a row sorted by column?
    rules: DictRules | None = None  # how values of dicts are read, where a model says it

    @classmethod
    def of(cls, model: Any, reading: Mapping[str, Any] | None) -> "KnownNames":
        """Return what a model knows; of none, the beginning of what rows that are read so will make known."""
        if model is None:
            return cls(FeatureMap(), None, reading)
        return cls(FeatureMap(model.features), model.named, model.reading, model.sorts, DictRules.of(model.reading))


def streamed(X: Any, y: Any) -> Any:
    """A frame as the stream that it is; anything else as it is."""
    X = as_frame(X)
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, Stream) and not is_column(X):
        return FrameStream(X, labelled=y is None)
    return X


def listed(X: Any) -> Any:
    """A column of texts as a list of them; anything else as it is."""
    column = np.asarray(X) if is_column(X) else X
    if isinstance(column, np.ndarray) and column.ndim == 1 and len(column) and isinstance(column[0], str):
        return column.tolist()
    return X


def source_of(X: Any, y: Any, size: int, labels_of: Callable[[Any, int], np.ndarray], names: KnownNames | None = None) -> Source:
    """X as blocks of that many rows; `labels_of` makes codes of y. `names` are those of the model that the rounds are for."""
    sorts = names is None or names.sorts

    def labels_of_blocks(rounds: int) -> np.ndarray:
        return labels_of(y, rounds).astype(np.int32, copy=False)

    listed = isinstance(X, Sequence) and (len(X) == 0 or isinstance(X[0], Mapping | set | frozenset))
    mixed = names is not None and names.named is True and not listed and not isinstance(X, Stream)
    require(not mixed, "column numbers after feature names: one model takes one kind of feature")
    if isinstance(X, Stream):
        frame = X if isinstance(X, FrameStream) else None
        require(y is None or frame is not None, "the stream carries its own labels; y must be left out")
        if frame is not None and y is not None:
            frame.leave_labels()
        if names is not None and names.named is not None:
            X.go_on(names.columns if names.named else None, names.reading)
        X.sorts = sorts
        X.begin()
        again = frame is not None and frame.is_file
        if frame is not None and y is not None:
            return _labelled(frame, labels_of_blocks(len(y)), again)
        return Source(X.lent_blocks, again=again, names=X.names)
    if isinstance(X, Block):
        require(y is None, "the block carries its own labels; y must be left out")
        return Source(lambda: _owned(X, size, sorts), again=True)
    if hasattr(X, "tocsr"):
        X = X.tocsr() if X.ndim == 2 else X.reshape(1, -1).tocsr()  # a row of a csr_array has one dimension
        return _from_csr(X, labels_of(y, X.shape[0]), size, sorts)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return _from_dense(X, labels_of_blocks(len(X)), size, sorts)
    if isinstance(X, Iterator):
        first = next(X, None)
        require(first is not None, "the iterator of Blocks gave none: it is spent, or was empty; make it anew, or a list of it")
        return Source(lambda: (piece for block in chain([first], X) for piece in _owned(block, size, sorts)))
    if isinstance(X, Sequence):
        if len(X) and isinstance(X[0], Block):
            return Source(lambda: (piece for block in X for piece in _owned(block, size, sorts)), again=True)
        if listed:
            labels = labels_of_blocks(len(X))
            known = KnownNames(FeatureMap(), None) if names is None else names
            return Source(lambda: _from_features(X, labels, size, known), again=True, names=known.columns)
        table = np.asarray(X)
        if table.ndim == 2 and table.dtype.kind in "biuf":
            return _from_dense(table, labels_of_blocks(len(table)), size, sorts)
    raise LittlestoneError(
        f"instances of type {type(X).__name__}: expected a scipy sparse matrix, a 2-D array, a list of dicts or sets, a frame, Blocks, "
        "or ls.open_stream(path)"
    )


def _owned(block: Any, size: int, sorts: bool) -> Iterator[Block]:
    """A user's block in pieces, each in memory of its own: what is checked is what is played, whatever others write meanwhile."""
    require(isinstance(block, Block), f"expected a Block, got {type(block).__name__}")
    starts, size_of_all = block.indptr, len(block.indices)
    grows = starts[0] == 0 and starts[-1] == size_of_all and bool((np.diff(starts) >= 0).all())
    require(grows, f"block.indptr must grow from 0 to {size_of_all}, the number of indices")
    pieces = (piece.copy() for piece in block.pieces(size))
    return (replace(piece.ordered(), examined=None) for piece in pieces) if sorts else pieces  # its labels are yet to be checked


class TwoLabels:
    """Which of two labels is which. `both` are the negative and the positive one as y has them; None until y shows others than booleans.

    `reading` is that of the model that y is for, and `rules` say which labels may come. Truths beside votes are `of_votes`: a vote of 1 is
    for the label 1, so that no two other numbers will do.
    """

    def __init__(
        self, reading: Mapping[str, Any] = MappingProxyType({}), rules: LabelRules | None = None, *, of_votes: bool = False
    ) -> None:
        self.of_votes = of_votes
        self.rules = rules or LabelRules(any_label=True)
        known = reading if self.rules.declared is None else {"labels": tuple(self.rules.declared.values())}
        labels = known.get("labels") or (0, 1)
        require(len(labels) == 2, f"{len(labels)} labels are declared, {listed_labels(labels)}, and this learner tells two apart{SEVERAL}")
        self.both = answers_of(known)

    @property
    def closed(self) -> bool:
        """Are these two all there may be?"""
        return self.rules.declared is not None

    def of_rounds(self, y: Any, rounds: int) -> np.ndarray:
        """The same in the type that blocks and advice have."""
        return self.bytes_of(y, rounds).astype(np.int32)

    def bytes_of(self, y: Any, rounds: int) -> np.ndarray:
        """Labels as codes 1, 0 and -1 (none), from booleans, two whole numbers, or two texts; None, NaN and empty texts are no label."""
        if y is None:
            return np.full(rounds, -1, np.int8)
        raw = np.asarray(y)
        require(
            raw.ndim == 1 and len(raw) == rounds,
            f"y has shape {raw.shape}; expected one label for each of {rounds} rounds",
        )
        require(raw.dtype.kind != "c", f"labels of type {raw.dtype}: expected True/False, 1/0, +1/-1, or None for no label{SEVERAL}")
        if raw.dtype == np.bool_:
            return raw.astype(np.int8)
        # are 1 and 0, and +1 and -1, the two labels, whatever the labels of the model are called?
        usual = not self.closed and (self.both is None or unusual(self.both) is None or any(isinstance(label, str) for label in self.both))
        if usual and raw.dtype.kind in "iu" and (not rounds or (raw.min() >= 0 and raw.max() <= 1)):
            self.both = self.both or (0, 1)
            return raw.astype(np.int8)
        truths = False
        if raw.dtype == object:
            raw = np.array([np.nan if is_missing(label) else label for label in raw], dtype=object)
            truths = any(isinstance(label, bool | np.bool_) for label in raw)
        try:
            numbers = raw.astype(np.float64)
        except (TypeError, ValueError):
            return self._of_texts(raw if hasattr(y, "dtype") else y)
        labelled = ~np.isnan(numbers)
        if usual and not (labelled & (numbers != 0) & (numbers != 1)).any():  # without sorting
            self.both = self.both or (None if truths else (0, 1))
            return np.where(labelled, numbers, -1).astype(np.int8)
        kinds = np.unique(numbers[labelled]).tolist()
        pairs: Any = ((0, 1), (-1, 1), (1, 2)) if usual else (self.both,)
        if (
            self.both is None
            and not self.of_votes
            and len(kinds) == 2
            and (self.rules.any_label or all(kind.is_integer() for kind in kinds))
        ):
            pairs = (*pairs, (whole_number(kinds[0]), whole_number(kinds[1])))
        for negative, positive in pairs:
            if set(kinds) <= {negative, positive}:
                self.both = self.both or (negative, positive)
                return np.where(labelled, numbers == positive, -1).astype(np.int8)
        strange = labelled & ~np.isin(numbers, [-1, 0, 1] if usual else [label for label in pairs[0] if not isinstance(label, str)])
        real = strange & (numbers % 1 != 0)
        t = int(np.flatnonzero(real if real.any() else strange if strange.any() else numbers == -1)[0])
        raw_label = raw[t].item() if isinstance(raw[t], np.generic) else raw[t]
        if self.closed:
            self.rules.check(raw_label, t + 1, (), self.rules.row_of_y(t))
        label = f"round {t + 1}: label {raw_label!r}"
        require(not real.any(), f"{label}; {self._expected(f'; {REGRESSION}')}")
        raise ThirdLabel(f"{label}; {self._expected()}")

    def _of_texts(self, y: Any) -> np.ndarray:
        """Labels that are texts, two of them: the later one in the alphabet is positive, as where a file has them."""
        labels = [None if is_missing(label) else label for label in y]
        for t, label in enumerate(labels):
            require(
                label is None or isinstance(label, str),
                f"round {t + 1}: label {label!r} is {kind_of(label)}, and others are text; expected labels of one kind",
            )
        texts = [None if label is None else label.strip(BLANKS) for label in labels]
        first: dict[Any, int] = {}
        for t, text in enumerate(texts):
            first.setdefault(text, t)
        first.pop(None, None)
        met: list[Any] = list(self.both or ())
        for text, t in first.items():
            if text in met:
                continue
            if len(met) < 2 or self.rules.objection(text, t + 1, met):
                self.rules.check(text, t + 1, met, self.rules.row_of_y(t))
            met.append(text)
        if self.both is None and met:
            alone = f"y has one label only, {met[0]!r}, and it may be either; expected two, or True and False"
            require(len(met) > 1, alone)
            self.both = (min(met[:2], key=rank), max(met[:2], key=rank))
        codes: dict[Any, int] = {None: -1} | dict(zip(self.both or (), (0, 1), strict=False))
        for t, text in enumerate(texts):
            if text not in codes:
                raise ThirdLabel(f"round {t + 1}: label {text!r}; {self._expected()}")
        return np.fromiter((codes[text] for text in texts), np.int8, len(texts))

    def _expected(self, rest: str = SEVERAL) -> str:
        both = (
            "two classes, as True/False, 1/0, +1/-1, two other whole numbers or two texts"
            if self.both is None
            else f"{self.both[0]} or {self.both[1]}"
        )
        return f"expected {both}, or None for no label{rest}"

    def weights(self, class_weight: LabelWeights | None) -> Callable[[], np.ndarray] | None:
        """The weights of 0, 1 and no label, from {True: 5}, {1: 5, 0: 1}, {"spam": 5} or two numbers, the negative label's first."""
        if class_weight is None:
            return None
        if isinstance(class_weight, tuple):
            both_and_none = np.array([*class_weight, 1.0])
            return lambda: both_and_none
        by_name = require_mapping(class_weight)
        codes, by_class = dict(zip(self.both or (), (0, 1), strict=False)), np.ones(3)
        for label, weight in by_name.items():
            both = " or ".join(map(str, codes)) or "True or False, 1 or 0, +1 or -1"
            require(label in codes or label in (0, 1, -1), f"class_weight has {label!r}; expected {both}")
            by_class[codes.get(label, 1 if label == 1 else 0)] = weight
        return lambda: by_class


def _labelled(stream: FrameStream, labels: np.ndarray, again: bool) -> Source:
    """A frame whose labels are given apart."""

    def blocks() -> Iterator[Block]:
        start = 0
        for block in stream.unlabelled_blocks():
            enough = start + len(block) <= len(labels)
            require(enough, f"y has {len(labels)} labels, and the table more rows; expected one label for each row")
            yield replace(block, labels=labels[start : start + len(block)])
            start += len(block)
        require(start == len(labels), f"y has {len(labels)} labels, and the table {start} rows; expected one label for each row")

    return Source(blocks, again=again, names=stream.names)


LENT = 64  # blocks of a matrix that are lent together
MALFORMED = "the matrix is malformed: its row pointers must grow from 0 to the number of entries"
WORTH_LENDING = 2**20  # features of a matrix that is played where it lies: smaller ones are copied soon enough


def _from_csr(X: Any, labels: np.ndarray, size: int, sorts: bool = True) -> Source:
    rounds, columns = X.shape
    indptr = X.indptr if is_plain(X.indptr, np.int32, np.int64) else X.indptr.astype(np.int64)
    widest = core.longest_row(indptr, len(X.indices))
    require(widest >= 0, MALFORMED)
    require(X.data.dtype.kind in "biuf", f"instances of type {X.data.dtype} must be numbers")
    require(X.indices.dtype.kind in "iu", f"the matrix has column indices of type {X.indices.dtype}; expected whole numbers")
    if X.indices.dtype.itemsize > 4:
        require(columns <= 2**31, f"the matrix has {columns} columns; at most {2**31} can be numbered")
        inside = not len(X.indices) or (int(X.indices.min()) >= 0 and int(X.indices.max()) < columns)
        require(inside, f"the matrix has entries outside its {columns} columns")
    # a negative index becomes a huge one, and is refused when its block is checked
    indices = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices.astype(np.uint32)
    boolean = X.data.dtype == np.bool_ and bool(X.data.all())
    longest = min(int(np.diff(indptr[[*range(0, rounds, size), rounds]]).max(initial=0)), len(X.indices))
    many = -(-rounds // size)

    def rooms() -> list[tuple]:
        return [(np.empty(longest, np.uint32), np.empty(0 if boolean else longest, np.float32)) for _ in range(min(2, many))]

    def block_from(rooms: list[tuple], start: int) -> Block:
        # copies: what is checked is what is played, whatever others write to the matrix meanwhile
        stop, (kept, numbers) = min(start - start % size + size, rounds), rooms[start // size % len(rooms)]
        starts = indptr[start : stop + 1].astype(np.int64)
        lo, hi = int(starts[0]), int(starts[-1])
        require(lo >= 0 and hi <= len(indices) and hi - lo <= longest and bool((np.diff(starts) >= 0).all()), MALFORMED)
        starts, kept, values = starts - lo, kept[: hi - lo], None if boolean else numbers[: hi - lo]
        kept[:] = indices[lo:hi]
        if values is not None:
            with np.errstate(over="ignore"):  # as in `_float32`
                values[:] = X.data[lo:hi]
        examined = core.examine(starts, kept, None if values is None else values.view(np.int32))
        block = Block(starts, kept, values, labels[start:stop].astype(np.int32, copy=False), None, start, examined=examined)
        return block.ordered() if sorts else block

    def lent() -> Iterator[LentBlock]:
        step = LENT * size
        for start in range(0, rounds, step):
            pointers, values = indptr[start : start + step + 1], None if boolean else X.data
            copied_from = lambda t, first=start: block_from(rooms(), first + t)  # noqa: E731
            yield LentBlock(pointers, indices, values, labels[start : start + step], widest, copied_from)

    as_it_is = X.indices.dtype == np.int32 and (boolean or X.data.dtype in (np.float32, np.float64)) and X.data.shape == X.indices.shape
    as_it_is = as_it_is and labels.dtype == np.int8
    flat = X.indices.flags.c_contiguous and X.data.flags.c_contiguous and X.data.flags.aligned
    # a wider one says little of how many features there are: a state grows with those that come
    return Source(
        lambda: one_ahead(partial(block_from, rooms()), range(0, rounds, size)),
        columns if columns <= LARGEST_GROWTH + 1 else None,
        again=True,
        lent=Lent(lent, boolean) if as_it_is and flat and len(indices) >= WORTH_LENDING else None,
    )


def is_plain(array: np.ndarray, *kinds: Any) -> bool:
    """Is it of one of these types, and laid out as the loops take it?"""
    return array.dtype in kinds and array.flags.c_contiguous and array.flags.behaved and array.ndim == 1


def one_ahead(block_from: Callable[[int], Block], starts: range) -> Iterator[Block]:
    """The blocks that begin there; each is made while the one before it is played, where there is a core for that."""
    if len(starts) < 2 or CORES < 2:
        yield from map(block_from, starts)
        return
    with ThreadPoolExecutor(1, "littlestone-rows") as pool:
        waiting = pool.submit(block_from, starts[0])
        for start in starts[1:]:
            block = waiting.result()
            waiting = pool.submit(block_from, start)
            yield block
        yield waiting.result()


def _float32(data: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # a double too large becomes infinite, and is refused by name when the block is checked
        return data.astype(np.float32)


def _from_dense(X: np.ndarray, labels: np.ndarray, size: int, sorts: bool) -> Source:
    require(X.dtype.kind in "biuf", f"instances of type {X.dtype} must be numbers")

    def blocks() -> Iterator[Block]:
        for start in range(0, len(X), size):
            part = X[start : start + size]
            where, indices = np.nonzero(part)
            indptr = np.zeros(len(part) + 1, np.int64)
            np.cumsum(np.bincount(where, minlength=len(part)), out=indptr[1:])
            values = None if X.dtype == np.bool_ else _float32(part[where, indices])
            block = Block(indptr, indices.astype(np.uint32), values, labels[start : start + size], None, start)
            yield block.ordered() if sorts else block  # a double may be too small for a float32

    return Source(blocks, X.shape[1], again=True)


def _from_features(X: Sequence, labels: np.ndarray, size: int, names: KnownNames) -> Iterator[Block]:
    columns, named, reading, sorts, rules = names
    rules = DictRules.of(reading) if rules is None else rules
    remaining = iter(X)
    start = 0
    while chunk := list(islice(remaining, size)):
        chunk = [ordered(row) if isinstance(row, set | frozenset) else spelled(row, rules) for row in chunk]
        keys = [key for row in chunk for key in row]
        for key in keys:
            kind = isinstance(key, str)
            if named is None:
                named = kind
            if not kind and not isinstance(key, int | np.integer):
                raise LittlestoneError(f"feature {key!r}: expected a name (a string) or a column (a whole number, 0 or more)")
            if kind != named:
                raise LittlestoneError(f"feature {key!r}: names and column numbers cannot be mixed in one model")
            require(kind or 0 <= key < 2**31, f"feature index {key} must lie between 0 and {2**31 - 1}")
        indptr = np.cumsum([0, *map(len, chunk)], dtype=np.int64)
        values = None
        if any(isinstance(row, Mapping) for row in chunk):
            try:
                numbers = [v for row in chunk for v in (row.values() if isinstance(row, Mapping) else [1] * len(row))]
                values = _float32(np.array(numbers, dtype=np.float64))
            except (TypeError, ValueError):
                t, key, value = next(
                    (t, k, v)
                    for t, row in enumerate(chunk)
                    if isinstance(row, Mapping)
                    for k, v in row.items()
                    if not isinstance(v, int | float | np.number)
                )
                raise LittlestoneError(f"round {start + t + 1}: feature {key!r} has value {value!r}; expected a number") from None
        if named and sorts:
            number_new_names(columns, keys, indptr, values)
        # a name that the map has not stands with the value 0 alone: it is dropped
        places: Any = keys if not named else map(columns.get, keys, repeat(0)) if sorts else map(columns.__getitem__, keys)
        indices = np.fromiter(places, np.uint32, len(keys))
        if sorts and values is not None and not values.all():
            kept = values != 0
            indptr = np.concatenate(([0], np.cumsum(kept)))[indptr].astype(np.int64)
            indices, values = indices[kept], values[kept]
        block = Block(indptr, indices, values, labels[start : start + len(chunk)], None, start)
        yield block.ordered() if sorts else block
        start += len(chunk)


def number_new_names(columns: FeatureMap, keys: Sequence[str], indptr: np.ndarray, values: np.ndarray | None) -> None:
    """Number the names that the map has not, row by row, those of a row in the order of their bytes; not those with the value 0."""
    if all(map(columns.__contains__, keys)):
        return
    for lo, hi in pairwise(indptr.tolist()):
        row = keys[lo:hi] if values is None else [key for key, value in zip(keys[lo:hi], values[lo:hi].tolist(), strict=True) if value]
        for name in sorted(map(str.__str__, filterfalse(columns.__contains__, row))):
            columns[name]
