"""Events: one instance at a time, in any form a user has it, as a row that learners take."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from struct import Struct
from struct import error as StructError
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.kernels.native import core
from littlestone.protocol.block import Block
from littlestone.protocol.labels import LabelRules, whole_number
from littlestone.protocol.learner import LARGEST_GROWTH, LARGEST_INDEX, out_of_range, too_large
from littlestone.rounds.features import DictRules, is_nan, spelled
from littlestone.rounds.files import is_column

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
# places in the counts of a model, which the native core counts too (`native/events/row_reader.h`): labelled rounds, mistakes, rounds
# without a label; the largest column that the model has met, and whether it has met column 0
ROUNDS, MISTAKES, UNLABELLED, TOP, ZERO, COUNTED = *range(5), 5


class FeatureMap(dict):
    """Names to columns, append-only: asking for a new name gives it the next column.

    >>> columns = FeatureMap()
    >>> columns["free"], columns["offer"], columns["free"]
    (0, 1, 0)
    """

    def __missing__(self, name: str) -> int:
        self[name if type(name) is str else str.__str__(name)] = column = len(self)  # compared by no code of a user's
        return column


def ordered(features: Any) -> list:
    """A set of features in an order of its own: that in which Python lists a set of names changes from run to run."""
    try:
        return sorted(features)
    except TypeError:  # names and numbers mixed: refused by name, later
        return list(features)


NUMBERS = (int, float, np.number)
TEXTS, WHOLES, PLAIN = frozenset({str}), frozenset({int}), frozenset({int, float, bool})  # kinds of objects that run no code of a user's
UINT32, FLOAT32, FLAT = np.dtype(np.uint32), np.dtype(np.float32), (4,)


@cache
def _packers(m: int) -> tuple[Callable, Callable]:
    """Writers of m numbers into an array, as indices and as values: the quickest way from Python numbers to a row."""
    return Struct(f"{m}I").pack_into, Struct(f"{m}f").pack_into


def as_name(key: Any) -> Any:
    """Return a feature's key, a text of a type of its own as plain text: it is compared by no code of a user's."""
    return str.__str__(key) if isinstance(key, str) else key


def as_plain(value: Any) -> Any:
    """Return the number that a feature's value stands for as Python's own; anything that is no number as it is, to be refused by name.

    >>> from fractions import Fraction
    >>> as_plain(Fraction(1, 4)), as_plain(np.float32(0.5)), as_plain("1"), as_plain(None)
    (0.25, 0.5, '1', None)
    """
    if type(value) in PLAIN or not hasattr(value, "__float__") or isinstance(value, np.complexfloating):
        return value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return value


def many(x: Any, texts: bool = False) -> bool:
    """Is it a batch of instances, and not one of them: a matrix, a frame, a stream, Blocks, a list of rows, or a column of `texts`?"""
    if is_column(x):
        return texts
    if hasattr(x, "tocsr") or hasattr(x, "__arrow_c_stream__") or hasattr(x, "lent_blocks") or isinstance(x, Block):
        return True
    if isinstance(x, np.ndarray):
        return x.ndim == 2 or (texts and x.ndim == 1)
    if not isinstance(x, list | tuple) or not len(x) or isinstance(x[0], dict | set | frozenset | str | Block):
        return isinstance(x, list | tuple)
    pair = isinstance(x, tuple) and len(x) == 2  # indices and values: one instance
    return not pair and isinstance(x[0], list | tuple | np.ndarray)


def answers_of(reading: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """The two labels as a stream that was read so has them, the positive one last; None where they are booleans, or none are known.

    >>> answers_of({"labels": ["ham", "spam"]}), answers_of({"labels": [-1.0, 1.0]})
    (('ham', 'spam'), (-1, 1))
    >>> answers_of({"labels": ["false", "true"], "truths": True})
    """
    labels = reading.get("labels")
    if labels is None or len(labels) != 2 or reading.get("truths") or isinstance(labels[1], bool):
        return None
    negative, positive = map(whole_number, labels)
    return negative, positive


def unusual(labels: Sequence[Any] | None) -> Sequence[Any] | None:
    """Two labels, where they are not True and False, 1 and 0, or +1 and -1: all that a certificate needs to name.

    >>> unusual(("ham", "spam")), unusual((-1, 1))
    (('ham', 'spam'), None)
    """
    return None if labels is None or all(label in (-1, 0, 1) for label in labels) else labels


class ByFeatures(dict):
    """A row by its features, of which no name is that of a key any more, whatever it is called."""

    def copy(self) -> "ByFeatures":
        return ByFeatures(self)


class EventRow(NamedTuple):
    """An instance as learners take it, what is predicted of it, and a state with room for it."""

    indices: np.ndarray
    values: np.ndarray | None
    prediction: Any
    state: Any
    guests: dict[int, int]  # columns that stand for larger ones, which the model has not met

    @property
    def columns(self) -> np.ndarray:
        """The columns of its features, as a model has them that has met all of them."""
        return np.array([self.guests.get(column, column) for column in self.indices.tolist()], np.uint32)

    def block(self) -> Block:
        """It alone, without a label."""
        return Block(np.array([0, len(self.indices)]), self.indices, self.values, np.full(1, -1, np.int32))


class Events(ABC):
    """Makes rows of events, checked, and remembers the names of the features; a model of instances is one of these."""

    learner: Any
    state: Any
    rounds: int
    rows: Any
    lock: Any
    largest_index = LARGEST_GROWTH  # for which a state that grows by index makes room
    sorts: bool
    _kept: tuple[int, Any] = (-1, None)  # the hypothesis to keep, and after how many rounds it was made
    _named: bool | None = None
    _fast: Any = None  # the native fast path of plain events, while it is open

    def __init__(self, learner: Any, room: int, top: int = -1) -> None:
        self.learner = learner
        self.features = FeatureMap()
        self.reading = {}
        self.counted = False  # was n counted, so that an index may be larger?
        self._room, self._top = room, top
        self._zero = False
        self._averages = learner.final is not None  # is the hypothesis to keep not the last one?
        self._boolean, self._unit = learner.domain == "boolean", learner.domain == "unit"
        self._indices: Any = np.empty(64, np.uint32)
        self._values: Any = np.empty(64, np.float32)
        self._places: dict[int, tuple] = {}
        self._row: tuple = (self._indices, self._values, 0, 0)
        self._seen: Any = None  # the instance that `_row` was made from, and a copy to tell whether it has changed since
        self._seen_copy: Any = None
        self._seen_at = 0  # after how many rounds that was
        self._guests: dict[int, int] | None = (
            None  # None where the model has met all of `_row`; else places there that stand for larger columns
        )

    @property
    def features(self) -> FeatureMap:
        """The columns of the features by their names, where they have such."""
        return self._features

    @features.setter
    def features(self, features: FeatureMap) -> None:
        self._features = features
        self._close_fast_path()

    @property
    def named(self) -> bool | None:
        """Are features names, or columns? None until the first event says so."""
        return self._named

    @named.setter
    def named(self, named: bool | None) -> None:
        if named is not self._named:
            self._named = named
            self._close_fast_path()

    @property
    def reading(self) -> dict[str, Any]:
        """How its stream was read: the two labels, presence for value, ..."""
        return self._reading

    @reading.setter
    def reading(self, reading: dict[str, Any]) -> None:
        self._reading, self.answers, self._rules = reading, answers_of(reading), LabelRules.of(reading)
        self._texts = reading.get("format") == "text"
        columns = {*(reading.get("columns") or ()), *(reading.get("kinds") or ())}
        self._table = columns if columns and reading.get("kinds") else None  # the columns of its table, where it was made from one
        self.dict_rules = DictRules.of(reading)  # of the values of dicts
        self._joined = reading.get("expand", 1) > 1  # has it features that are conjunctions of others?
        self._interpreted = self._joined or self._table is not None or bool(self.dict_rules.kinds)  # are dicts more than their numbers?
        self._close_fast_path()

    def _close_fast_path(self) -> None:  # noqa: B027 (most kinds of models have none)
        """Play all events in Python until the fast path is opened again: something that it holds is about to change."""

    @abstractmethod
    def _grow(self, room: int) -> None:
        """Let the state have a place for that many features."""

    @abstractmethod
    def predict_round(self, x: Any) -> Any:
        """What the learner would predict if x were the next round; makes `_row` of it."""

    @abstractmethod
    def _final(self) -> Any:
        """The hypothesis to keep, where that is not the last one."""

    def _keeps_another(self) -> Any:
        """The model to predict with, where that is not this one (the averaged Perceptron): made once after each update."""
        with self.lock:
            if self._kept[0] != self.rounds:
                self._kept = (self.rounds, self._beside(self._final(), shared=True))
            return self._kept[1]

    def row(self, x: Any) -> EventRow:
        """x as a row, with its prediction; the model is left as it was."""
        with self.lock:
            met, named = (self._top, self._zero), self.named
            try:
                prediction = self.predict_round(x)
                indices, values, lo, hi = self._row
                self._top = max(self._top, int(indices[lo:hi].max(initial=0)))  # so that the state has a place for each
                kept = indices[lo:hi].copy(), None if values is None else values[lo:hi].copy()
                return EventRow(*kept, prediction, self.state, dict(self._guests or {}))
            finally:
                self._known(*met)
                self.named, self._seen = named, None

    def instance(self, x: Any) -> Any:
        """A text as its words, and a row of the table that the model was made from, by its columns, as its features; others as they are."""
        if isinstance(x, str):
            made = "a text is for a model of texts, such as ls.play(learner, texts, labels).model"
            require(self._texts, f"instance {x[:40]!r}: {made}; expected a dict, a set of names or a row of numbers")
            return above("row_of_text")(self.reading, x)
        if is_column(x):
            named = hasattr(x, "to_dict") and len(x) and isinstance(x.index[0], str)
            x = x.to_dict() if named else np.asarray(x)
        if self._table is not None and isinstance(x, dict) and self._by_columns(x):
            return above("row_of_columns")(self.reading, x)
        return above("with_conjunctions")(self.reading, x) if self._joined and isinstance(x, dict | set | frozenset) else x

    def _by_columns(self, x: dict) -> bool:
        """Has it values of columns, and not of features? Where each key is a feature and each value a number, features are meant."""
        known = all(isinstance(value, NUMBERS) and not is_nan(value) for value in x.values()) and all(key in self.features for key in x)
        return bool(x) and not known and x.keys() <= self._table  # type: ignore[operator]

    def _spelled(self, x: Any) -> Any:
        """A dict with texts among its values as its features. A model of a table knows its columns, and such a dict has others."""
        return spelled(x, self.dict_rules) if isinstance(x, dict) and self._table is None and not isinstance(x, ByFeatures) else x

    def by_features(self, x: Any) -> Any:
        """Return an instance by its features: a text by its words, a row of columns and a dict by what the model makes of the values."""
        features = self._spelled(self.instance(x))
        return ByFeatures(features) if isinstance(features, dict) and self.dict_rules.kinds else features

    def _plain(self, x: Any) -> Any:
        """Return an instance as a dict of plain numbers, or as a pair of arrays of its own, which is what events are made of.

        Reading a user's object may run a user's code, and that may call this model: so it is done before the model is touched.
        """
        x = self.instance(x)
        if isinstance(x, dict):
            features = self._spelled(x)
            values = list(features.values())
            if not PLAIN.issuperset(map(type, values)):
                values = [as_plain(value) for value in values]
            return dict(zip(map(as_name, features), values, strict=True))
        if isinstance(x, set | frozenset):
            return dict.fromkeys(map(as_name, ordered(x)), 1.0)
        if isinstance(x, tuple) and len(x) == 2 and hasattr(x[0], "__len__"):
            return np.array(x[0]), None if x[1] is None else np.array(x[1])  # copies: what is checked is what is played
        try:
            dense = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError):
            dense = None
        if dense is None or dense.ndim != 1:
            raise LittlestoneError(
                f"instance of type {type(x).__name__}: expected a dict, a set of features, a pair (indices, values) or a flat row"
            )
        n, width = self.learner.n, self.reading.get("width")
        require(width is None or len(dense) == width, f"a row of {len(dense)} values; the model was made of rows with {width} columns")
        require(n is None or len(dense) <= n, f"a row of {len(dense)} values; this {self.learner.name} was made for n={n}")
        (active,) = np.nonzero(dense)
        return active.astype(np.uint32), dense[active]

    def _kept_row(self, x: Any) -> Any:
        """Return the plain instance that was converted last, to be converted again later: by names where it has names."""
        if self.named and isinstance(x, dict):
            return x
        indices, values, lo, hi = self._row
        columns = indices[lo:hi].copy()
        for place, column in (self._guests or {}).items():
            require(column <= self.largest_index, f"feature index {column}: {too_large(self.largest_index)}")
            columns[columns == place] = column
        return columns, None if values is None else values[lo:hi].copy()

    def _block(self) -> Block:
        """The row that was converted last, without a label."""
        indices, values, lo, hi = self._row
        return Block(np.array([0, hi - lo]), indices[lo:hi], None if values is None else values[lo:hi], np.full(1, -1, np.int32))

    def _beside(self, other: Any, *, shared: bool = False) -> Any:
        """Another model, with the features of this one; it shares the map of their names only where it will learn nothing."""
        other.features = self.features if shared else FeatureMap(self.features)
        other.named, other.reading, other.counted, other.sorts = self.named, dict(self.reading), self.counted, self.sorts
        other._known(self._top, self._zero)
        return other

    def _follow(self, before: Any) -> None:
        super()._follow(before)  # type: ignore[misc]
        self._known(max(self._top, before._top), self._zero or before._zero)

    def _met(self) -> tuple:
        """Which features have been met, to go back to."""
        return len(self.features), self._top, self._zero, self.named

    def _go_back(self, names: int, top: int, zero: bool, named: bool | None) -> None:
        """Forget what was met since: a row that is refused leaves the model as it was."""
        while len(self.features) > names:
            self.features.popitem()
        self._known(top, zero)
        self.named = named

    def _convert(self, x: Any, *, learn: bool) -> tuple:
        """Make `_row` of x: indices and values as learners want them, checked; return what was met before it."""
        kept = x.copy() if isinstance(x, dict | set | frozenset) and not learn else None
        row = self._plain(x if kept is None else kept)
        met = self._met()
        try:
            known = self._from_features(row, learn) if isinstance(row, dict) else self._from_pair(row[0], row[1], learn)
        except BaseException:
            self._go_back(*met)
            raise
        self._seen = None
        if known and kept is not None and self._guests is None:  # arrays are cheap to convert, so not worth remembering
            self._seen, self._seen_copy, self._seen_at = x, kept, self.rows
        return met

    def _quick(self, x: Any, learn: bool) -> bool:
        """The usual events without ceremony: columns or known names, and sound values. False sends x the long way, which says what is
        wrong."""
        named = self.named
        if named is None or self._boolean or self._unit:
            return False
        kind = type(x)
        if kind is dict:
            m, keys, values = len(x), list(x), list(x.values())
            # no code of a user's may run between here and the prediction, and none does where kinds are Python's own
            if not (PLAIN.issuperset(map(type, values)) and (TEXTS if named else WHOLES).issuperset(map(type, keys))):
                return False
            if named:
                if self._interpreted or not self._zero or self._top + 1 < len(self.features):
                    return False
                columns = [*map(self.features.get, keys)]
                fresh = self._numbered(keys, columns) if None in columns else []
            else:
                columns, fresh = keys, []
            pack, buffer, indices, row_values = self._places.get(m) or self._place(m)
            try:
                pack(buffer, 0, *columns, *values)
            except (StructError, TypeError, OverflowError):
                return False
            code = core.row_code(indices, row_values, m)
            if code < 0 or (self.sorts and not row_values.all()):
                return False
            if code & 1 and self.sorts:
                self._sort(indices, row_values, m)
            if fresh and learn:
                self._admit(4 * (len(self.features) + len(fresh) - 1) + 2)
                for name in fresh:
                    self.features[name]
            elif not learn and not fresh:
                self._seen, self._seen_copy, self._seen_at = x, x.copy(), self.rows
            if named:  # its columns are all there, or have just been numbered
                self._guests = {} if fresh and not learn else None
                self._row = (indices, row_values, 0, m)
                return True
            values = row_values
        elif named:
            return False
        elif kind is tuple and len(x) == 2:
            columns, numbers = x
            if getattr(columns, "dtype", None) is not UINT32 or getattr(numbers, "dtype", None) is not FLOAT32:
                return False
            m = len(columns)
            if columns.strides != FLAT or numbers.strides != FLAT or len(numbers) != m:
                return False
            _, _, indices, values = self._places.get(m) or self._place(m)
            code = core.copied_row_code(columns, numbers, indices, values, m)
            if code & 1 or (self.sorts and not values.all()):
                return False
        else:
            return False
        if code < 0:
            return False
        if code >> 2 > self._top or (code & 2 and not self._zero):
            self._seen = None
            if not learn:
                return False
            self._admit(code)
        self._guests = None
        self._row = (indices, values, 0, m)
        return True

    def _numbered(self, keys: Sequence[str], columns: list) -> list[str]:
        """Number the names that are new, None among the columns, behind the known ones; which they are, in their order. Where there may be
        something to say of them, or no room, they stay None, which cannot be packed."""
        start = len(self.features)
        fresh = [key for key, column in zip(keys, columns, strict=True) if column is None]
        if self.sorts:
            fresh.sort()
        plain = getattr(self.learner.concepts, "symmetric", True)
        if plain and start + len(fresh) <= self._most_names:
            number = dict(zip(fresh, count(start), strict=False))
            columns[:] = [number[key] if column is None else column for key, column in zip(keys, columns, strict=True)]
        return fresh

    def _sort(self, indices: np.ndarray, values: np.ndarray | None, m: int) -> None:
        """Sort the first m features by column."""
        core.sort_row(indices, values, m)

    def _place(self, m: int) -> tuple:
        """Where rows of m features are put: a writer of m indices and m values at once, its buffer, and the two as arrays."""
        buffer = np.empty(2 * m, np.uint32)
        self._places[m] = place = (Struct(f"{m}I{m}f").pack_into, buffer, buffer[:m], buffer[m:].view(np.float32))
        return place

    def _from_features(self, row: dict, learn: bool) -> bool:
        """True when every feature had its column already (or columns were given), so that the row may be kept."""
        keys, values, m = list(row), list(row.values()), len(row)
        if m > len(self._indices):
            self._indices, self._values = np.empty(2 * m, np.uint32), np.empty(2 * m, np.float32)
        named = self.named or (m > 0 and TEXTS.issuperset(map(type, keys)))
        if named:
            self._require_names(keys)
        else:
            try:
                _packers(m)[0](self._indices, 0, *keys)
            except (StructError, TypeError):
                self._refuse_keys(keys)
        if self._boolean:
            kept = self._present(keys, values)
            row_values = None
        else:
            try:
                _packers(m)[1](self._values, 0, *values)
            except (StructError, TypeError, OverflowError):
                self._refuse_value(keys, values)
            row_values = self._values
            kept = row_values[:m].nonzero()[0].tolist() if self.sorts else list(range(m))
        if len(kept) < m:
            m, keys = len(kept), [keys[k] for k in kept]
            self._indices[:m] = self._indices[kept]
            self._values[:m] = self._values[kept]
        known = True
        if named:
            known = self._from_names(keys, learn)
        elif m and self.named is None:
            self.named = False
        if self.sorts and core.row_code(self._indices, None, m) & 1:
            self._sort(self._indices, row_values, m)
        self._row = (self._check(self._indices, row_values, m, learn), row_values, 0, m)
        return known

    def _require_names(self, keys: Any) -> None:
        """Refuse keys of which some are no names, or that can be none to this model."""
        if not TEXTS.issuperset(map(type, keys)):
            self._refuse_keys(keys)
        if not getattr(self.learner.concepts, "symmetric", True):
            raise LittlestoneError(f"feature names: {self.learner!r} tells instances apart by the numbers of their features")
        require(self.named is not False, "feature names after column numbers: one model takes one kind of feature")
        self.named = True

    def _from_names(self, keys: Sequence[str], learn: bool) -> bool:
        """Put the columns of names into `_indices`; True when the row may be kept."""
        features, n = self.features, self.learner.n
        fresh = [key for key in keys if key not in features]
        if n is not None and len(features) + len(fresh) > n:
            raise LittlestoneError(
                f"feature {fresh[-1]!r} would be number {len(features) + len(fresh)}; this {self.learner.name} was made for n={n}"
            )
        # a prediction gives no column away: new names sit after the known ones for its sake alone
        number = dict(zip(sorted(fresh) if self.sorts else fresh, count(len(features)), strict=False))
        columns = [number[key] if key in number else features[key] for key in keys]
        if learn:
            for name in number:
                features[name]
        _packers(len(columns))[0](self._indices, 0, *columns)
        return learn or not fresh

    def _refuse_keys(self, keys: Any) -> None:
        """Say what is wrong with keys of which some are no names; texts of a type of their own are names."""
        for key in keys:
            if not isinstance(key, str):
                if not isinstance(key, int | np.integer) or isinstance(key, bool):
                    raise LittlestoneError(f"feature {key!r}: expected a name (a string) or a column (a whole number, 0 or more)")
                require(key >= 0, f"feature index {key} must not be negative")
                require(key <= LARGEST_INDEX, f"feature index {key} is out of range: the largest is {LARGEST_INDEX}")
                raise LittlestoneError(f"feature {key!r}: names and column numbers cannot be mixed in one model")

    def _present(self, keys: Sequence, values: Sequence) -> list[int]:
        """The places of the features that are there: a learner on boolean features takes 1 and 0 (absent), and refuses the rest."""
        for key, value in zip(keys, values, strict=True):
            if value != 0 and value != 1:
                raise LittlestoneError(
                    f"feature {key!r} has value {value!r}, and {self.learner.name} takes boolean features (0 or 1); "
                    "give the set of active features to take presence only"
                )
        return [k for k, value in enumerate(values) if value == 1]

    def _from_pair(self, columns: np.ndarray, numbers: np.ndarray | None, learn: bool) -> bool:
        """False: a row of arrays is not kept."""
        if columns.dtype != np.uint32:
            require(
                columns.dtype.kind in "iu" or columns.size == 0,
                f"indices of type {columns.dtype} must be whole numbers: the columns of the active features",
            )
            require(columns.size == 0 or columns.min() >= 0, f"feature index {columns.min(initial=0)} must not be negative")
            largest = columns.max(initial=0)
            require(largest <= LARGEST_INDEX, f"feature index {largest} is out of range: the largest is {LARGEST_INDEX}")
            columns = columns.astype(np.uint32)
        require(
            columns.ndim == 1 and (numbers is None or numbers.shape == columns.shape),
            "indices and values must be flat and equally long",
        )
        require(not self.named, "column numbers after feature names: one model takes one kind of feature")
        self.named = False
        falls = bool((columns[1:] <= columns[:-1]).any())
        if falls:
            repeated, times = np.unique(columns, return_counts=True)
            if len(repeated) < len(columns):
                raise LittlestoneError(f"feature {repeated[times > 1][0]} is given twice; expected each feature once")
        if self._boolean and numbers is not None:
            bad = (numbers != 0) & (numbers != 1)
            if bad.any():
                raise LittlestoneError(
                    f"feature {columns[bad][0]} has value {numbers[bad][0]!r}, and {self.learner.name} takes boolean features "
                    "(0 or 1); give (indices, None) to take presence only"
                )
            columns, numbers = columns[numbers == 1], None
        elif not self._boolean:
            numbers = np.ones(len(columns), np.float32) if numbers is None else numbers.astype(np.float32, copy=False)
            if self.sorts and not numbers.all():
                columns, numbers = columns[numbers != 0], numbers[numbers != 0]
        if falls and self.sorts:
            order = np.argsort(columns)
            columns, numbers = columns[order], None if numbers is None else numbers[order]
        self._row = (self._check(columns, numbers, len(columns), learn), numbers, 0, len(columns))
        return False

    @property
    def columns(self) -> int:
        """How many columns the features met so far take: one more than the largest."""
        return self._top + 1

    def _known(self, top: int, zero: bool) -> None:
        """Say which indices have been met: the largest, and whether 0 was among them. There is a place for each."""
        if top >= self._room:
            self._grow(top + 1)
            self._room = top + 1
        self._top, self._zero = top, zero
        if self._fast is not None:
            self._fast.set_room(self._most_names)

    @property
    def _most_names(self) -> int:
        """How many names of features there is room for."""
        n = self.learner.n
        return self._room if n is None else min(n, self._room)

    def _refuse_beyond(self, top: int, zero: bool) -> None:
        """Refuse an index that is too large, where the largest is `top` and 0 is among those met or not."""
        n = self.learner.n
        if n is not None and not self.counted and (top > n or (top == n and zero and not self.named)):
            raise LittlestoneError(out_of_range(top, n))
        require(top <= LARGEST_INDEX, f"feature index {top} is out of range: the largest is {LARGEST_INDEX}")

    def _received(self, indices: np.ndarray, m: int, code: int) -> np.ndarray:
        """The row of a prediction with indices that are new to the model, which is left as it was.

        Those for which there is no place are numbered one after the other behind those it has met: what was never met is all alike.
        """
        if not getattr(self.learner.concepts, "symmetric", True):  # they are not alike to a class of concepts
            self._admit(code)
            return indices
        self._refuse_beyond(max(code >> 2, self._top), self._zero or bool(code & 2))
        self._guests = {}
        if code >> 2 < self._room:
            return indices
        columns, start = indices[:m].copy(), max(self._top + 1, len(self.features))
        (new,) = np.nonzero(columns >= start)
        places = range(start, start + len(new))
        self._guests = dict(zip(places, columns[new].tolist(), strict=True))
        columns[new] = places
        if places.stop > self._room:
            self._grow(2 * places.stop)
            self._room = 2 * places.stop
        return columns

    def _admit(self, code: int) -> None:
        """Take note of an index that is new to the model, or refuse it; make room for it."""
        top, zero = max(code >> 2, self._top), self._zero or bool(code & 2)
        self._refuse_beyond(top, zero)
        if top >= self._room:
            n = self.learner.n
            grows = not self.named and (n is None or self.counted)
            require(not grows or top <= self.largest_index, f"feature index {top}: {too_large(self.largest_index)}")
            room = max(top + 1 + top // 16, 2 * self._room)  # the next row may go a little further, and growing copies all there is
            self._grow(room)
            self._room = room
        self._known(top, zero)  # last: a refusal above must leave the model as it was

    def _check(self, indices: np.ndarray, values: np.ndarray | None, m: int, learn: bool) -> np.ndarray:
        """Refuse what no learner may see, make room for the rest: the indices as learners take them."""
        self._guests = None
        if m == 0:
            return indices
        code = core.row_code(indices, values, m)
        if code < 0:
            k = -1 - code
            raise LittlestoneError(f"the value of feature {self._name(indices[k])!r} is {values[k]}; expected a finite number")  # type: ignore[index]
        if self._unit and values is not None and not (values[:m].min() >= 0 and values[:m].max() <= 1):
            k = int(np.flatnonzero((values[:m] < 0) | (values[:m] > 1))[0])
            taken = f"{self.learner.name} takes values from 0 to 1"
            raise LittlestoneError(f"feature {self._name(indices[k])!r} has value {values[k]:g}, and {taken}")
        if code >> 2 > self._top or (code & 2 and not self._zero):
            if learn:
                self._admit(code)
            else:
                indices = self._received(indices, m, code)
        return indices

    def _name(self, column: int) -> str | int:
        return next((name for name, known in self.features.items() if known == column), int(column))

    def _refuse_value(self, keys: Any, values: Any) -> None:
        for key, value in zip(keys, values, strict=True):
            try:
                fits = not isinstance(value, str) and abs(float(value)) <= LARGEST_FLOAT32
            except (TypeError, ValueError, OverflowError):
                fits = False
            if not fits:
                raise LittlestoneError(f"feature {key!r} has value {value!r}; expected a finite number (at most {LARGEST_FLOAT32:g})")
