"""One event at a time: a learner, its state, and the names of the features it has met."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cache
from math import exp, inf
from struct import Struct
from struct import error as StructError
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import rows
from littlestone.protocol.block import Block
from littlestone.protocol.learner import LARGEST_INDEX, UNDECIDED, Learner, copied, out_of_range

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


class FeatureMap(dict):
    """Names to columns, append-only: asking for a new name gives it the next column.

    >>> columns = FeatureMap()
    >>> columns["free"], columns["offer"], columns["free"]
    (0, 1, 0)
    """

    def __missing__(self, name: str) -> int:
        self[name] = column = len(self)
        return column


UINT32, FLOAT32, FLAT = np.dtype(np.uint32), np.dtype(np.float32), (4,)


@cache
def _packers(m: int) -> tuple[Callable, Callable]:
    """Writers of m numbers into an array, as indices and as values: the quickest way from Python numbers to a row."""
    return Struct(f"{m}I").pack_into, Struct(f"{m}f").pack_into


class Model:
    """Learns as events come. Each event is a dict (string names or integer columns), a set of active features, a pair
    (indices, values), or a dense row.

    >>> import littlestone as ls
    >>> model = ls.perceptron().start()
    >>> model.predict({"free": 1, "offer": 2})
    True
    >>> model.update({"free": 1, "offer": 2}, False)
    >>> model.observe({"offer": 1}, False), model.mistakes, model.rounds
    (False, 1, 2)
    """

    def __init__(self, learner: Learner, state: tuple | None = None) -> None:
        self.learner = learner
        self.features = FeatureMap()
        self.named: bool | None = None  # until the first event says whether features are names or columns
        self.mistakes = self.rounds = 0
        self._state = learner.first_state(16) if state is None else copied(state)
        self._room = learner.room_of(self._state)
        self._arguments = (*learner.params, *self._state)  # what every kernel call begins with
        self._predict, self._update = learner.kernels[:2]
        self._weight: tuple = (1.0,) if learner.weighted else ()
        self._conservative, self._prepared = learner.updates_on == "mistakes", learner.prepare is not None
        self._top = -1 if state is None else self._room - 1
        self._zero = self._predicted = False
        self._sure = 4 * self._top + 3  # row codes up to this have no index that is new
        self._boolean, self._unit = learner.domain == "boolean", learner.domain == "unit"
        self._indices: Any = np.empty(64, np.uint32)
        self._values: Any = np.empty(64, np.float32)
        self._places: dict[int, tuple] = {}
        self._row: tuple = (self._indices, self._values, 0, 0)
        self._seen: Any = None  # the instance that `_row` was made from, and a copy to tell whether it has changed since
        self._seen_copy: Any = None

    @property
    def state(self) -> tuple:
        """The state after the last update."""
        width = self._top + 1 if self.learner.n is None else self.learner.n
        return self.learner.trimmed(self._state, min(max(width, self._top + 1), self._room))

    def predict(self, x: Any) -> bool:
        """The prediction for x; changes nothing that a later prediction depends on."""
        self._seen = None
        if self._quick(x):
            if type(x) is dict:
                self._seen, self._seen_copy = x, x.copy()
        else:
            self._convert(x, learn=False)
        self._predicted = yhat = self._predict_row()
        return yhat

    def score(self, x: Any) -> float:
        """How far the prediction for x lies from the border: 1 is predicted where it is ≥ 0."""
        self.predict(x)
        indices, values, lo, hi = self._row
        return self.learner.score(self._state, indices[lo:hi], None if values is None else values[lo:hi])

    def probability(self, x: Any) -> float:
        """The probability that the label of x is 1, of a learner that gives any."""
        require(self.learner.probabilities, f"{self.learner.name} gives no probabilities")
        return 1 / (1 + exp(-max(-700.0, self.score(x))))

    def update(self, x: Any, y: Any, weight: float = 1.0) -> None:
        """Tell the label of x: counts the round, and the mistake if there was one, and learns."""
        truth = y if y is True or y is False else label(y)
        if x is self._seen and x == self._seen_copy:  # converted and predicted already, and not changed since
            yhat = self._predicted
        else:
            self._seen = None
            if not self._quick(x):
                self._convert(x, learn=True)
            yhat = self._predict_row()
        self._learn(truth, yhat, weight)

    def observe(self, x: Any, y: Any, weight: float = 1.0) -> bool:
        """Predict x, count, and learn from its label, in one call; the prediction made before learning."""
        truth = y if y is True or y is False else label(y)
        self._seen = None
        if not self._quick(x):
            self._convert(x, learn=True)
        yhat = self._predict_row()
        self._learn(truth, yhat, weight)
        return yhat

    def _predict_row(self) -> bool:
        if self._prepared:
            self._prepare()
        yhat = self._predict(*self._arguments, *self._row)
        if yhat is True or yhat is False:
            return yhat
        if yhat == UNDECIDED and self.learner.settle is not None:
            indices, _, lo, hi = self._row
            yhat = self.learner.settle(self.learner.settings, self._state, indices[lo:hi])
        return bool(yhat)

    def _learn(self, y: bool | None, yhat: bool, weight: float) -> None:
        self._seen = None  # an update ends the round
        if weight != 1.0 or self._weight:
            self._check_weight(weight)
        if y is None:
            return
        self.rounds += 1
        if y != yhat:
            self.mistakes += 1
        elif self._conservative:
            return
        self._update(*self._arguments, *self._row, y, yhat, *self._weight)
        if self.learner.broken is not None and (why := self.learner.broken(self._state)):
            self.rounds, self.mistakes = self.rounds - 1, self.mistakes - (y != yhat)  # a round that was refused does not count
            raise LittlestoneError(f"round {self.rounds + 1}: {self.learner.name}: {why}")

    def _check_weight(self, weight: float) -> None:
        require(self.learner.weighted or weight == 1.0, f"{self.learner.name} honours no weights: each round counts once")
        require(0 <= weight < inf, f"weight={weight!r} must be a finite number, 0 or more")
        if self.learner.weighted:
            self._weight = (float(np.float32(weight)),)

    def _prepare(self) -> None:
        """Room for what this row will add, where that is more than its features."""
        assert self.learner.prepare is not None
        indices, values, lo, hi = self._row
        row = Block(np.array([0, hi - lo]), indices[lo:hi], None if values is None else values[lo:hi], np.zeros(1, np.int32))
        self._state = self.learner.prepare(self._state, row)
        self._arguments = (*self.learner.params, *self._state)

    def _convert(self, x: Any, *, learn: bool) -> None:
        """Make `_row` of x: indices and values as the kernels want them, checked."""
        if isinstance(x, dict):
            known = self._from_features(x, x.values(), learn)
        elif isinstance(x, set | frozenset):
            known = self._from_features(x, None, learn)
        else:  # cheap to convert, so not worth remembering
            known = False
            if isinstance(x, tuple) and len(x) == 2 and hasattr(x[0], "__len__"):
                self._from_pair(*x)
            else:
                self._from_dense(x)
        self._seen = None
        if known and not learn:
            self._seen, self._seen_copy = x, x.copy()

    def _quick(self, x: Any) -> bool:
        """The usual events without ceremony: columns and sound values. False sends x the long way, which says what is wrong."""
        if self.named is not False or self._boolean or self._unit:
            return False
        kind = type(x)
        if kind is dict:
            m = len(x)
            pack, buffer, indices, values = self._places.get(m) or self._place(m)
            try:
                pack(buffer, 0, *x, *x.values())
            except (StructError, TypeError, OverflowError):
                return False
        elif kind is tuple and len(x) == 2:
            indices, values = x
            if getattr(indices, "dtype", None) is not UINT32 or getattr(values, "dtype", None) is not FLOAT32:
                return False
            m = len(indices)
            if indices.strides != FLAT or values.strides != FLAT or len(values) != m:
                return False
        else:
            return False
        code = rows.row_code(indices, values, m)
        if code < 0 or (code & 1 and kind is tuple):
            return False
        if code > self._sure or (code & 2 and not self._zero):
            self._admit(code)
        self._row = (indices, values, 0, m)
        return True

    def _place(self, m: int) -> tuple:
        """Where rows of m features are put: a writer of m indices and m values at once, its buffer, and the two as arrays."""
        buffer = np.empty(2 * m, np.uint32)
        self._places[m] = place = (Struct(f"{m}I{m}f").pack_into, buffer, buffer[:m], buffer[m:].view(np.float32))
        return place

    def _from_features(self, keys: Any, values: Any, learn: bool) -> bool:
        """True when every feature had its column already (or columns were given), so that the row may be kept."""
        m = len(keys)
        if m > len(self._indices):
            self._indices, self._values = np.empty(2 * m, np.uint32), np.empty(2 * m, np.float32)
        pack_indices, pack_values = _packers(m)
        known = True
        try:
            if self.named:
                raise TypeError
            pack_indices(self._indices, 0, *keys)
            if m and self.named is None:
                self.named = False
        except (StructError, TypeError):
            known = self._from_names(keys, m, learn)
        if values is None or self._boolean:
            if values is not None:
                m = self._present(keys, values, m)
            row_values = None
        else:
            try:
                pack_values(self._values, 0, *values)
            except (StructError, TypeError, OverflowError):
                self._refuse_value(keys, values)
            row_values = self._values
        self._check(self._indices, row_values, m)
        # the real-valued kernels are compiled for arrays of values; a set is a row of ones
        if row_values is None and not self._boolean:
            self._values[:m] = 1
            row_values = self._values
        self._row = (self._indices, row_values, 0, m)
        return known

    def _from_names(self, keys: Any, m: int, learn: bool) -> bool:
        for key in keys:
            if not isinstance(key, str):
                if not isinstance(key, int | np.integer) or isinstance(key, bool):
                    raise LittlestoneError(f"feature {key!r}: expected a name (a string) or a column (a whole number, 0 or more)")
                require(key >= 0, f"feature index {key} must not be negative")
                require(key <= LARGEST_INDEX, f"feature index {key} is out of range: the largest is {LARGEST_INDEX}")
                raise LittlestoneError(f"feature {key!r}: names and column numbers cannot be mixed in one model")
        symmetric = getattr(self.learner.concepts, "symmetric", True)
        require(symmetric, f"feature names: {self.learner!r} tells instances apart by the numbers of their features")
        require(self.named is not False, "feature names after column numbers: one model takes one kind of feature")
        self.named = True
        features = self.features
        fresh = [key for key in keys if key not in features]
        n = self.learner.n
        require(
            n is None or len(features) + len(fresh) <= n,
            f"feature {fresh[-1]!r} would be number {len(features) + len(fresh)}; this {self.learner.name} was made for n={n}"
            if fresh
            else "",
        )
        if learn or not fresh:
            columns = array("I", map(features.__getitem__, keys))
        else:  # a prediction gives no column away: new names sit after the known ones for its sake alone
            beyond = {key: len(features) + k for k, key in enumerate(fresh)}
            columns = array("I", (features[key] if key in features else beyond[key] for key in keys))
        self._indices[:m] = columns
        return learn or not fresh

    def _present(self, keys: Any, values: Any, m: int) -> int:
        """A learner on boolean features takes 1 (present) and 0 (absent), and refuses the rest."""
        if set(values) <= {1}:
            return m
        kept = 0
        for position, (key, value) in enumerate(zip(keys, values, strict=True)):
            if value == 1:
                self._indices[kept] = self._indices[position]
                kept += 1
            elif value != 0:
                raise LittlestoneError(
                    f"feature {key!r} has value {value!r}, and {self.learner.name} takes boolean features (0 or 1); "
                    "give the set of active features to take presence only"
                )
        return kept

    def _from_pair(self, indices: Any, values: Any) -> None:
        given = np.asarray(indices)
        if given.dtype != np.uint32:
            require(
                given.dtype.kind in "iu" or given.size == 0,
                f"indices of type {given.dtype} must be whole numbers: the columns of the active features",
            )
            require(given.size == 0 or given.min() >= 0, f"feature index {given.min(initial=0)} must not be negative")
            largest = given.max(initial=0)
            require(largest <= LARGEST_INDEX, f"feature index {largest} is out of range: the largest is {LARGEST_INDEX}")
            given = given.astype(np.uint32)
        numbers = None if values is None else np.asarray(values)
        require(
            given.ndim == 1 and (numbers is None or numbers.shape == given.shape),
            "indices and values must be flat and equally long",
        )
        require(not self.named, "column numbers after feature names: one model takes one kind of feature")
        self.named = False
        m = len(given)
        if self._boolean and numbers is not None:
            bad = (numbers != 0) & (numbers != 1)
            if bad.any():
                raise LittlestoneError(
                    f"feature {given[bad][0]} has value {numbers[bad][0]!r}, and {self.learner.name} takes boolean features "
                    "(0 or 1); give (indices, None) to take presence only"
                )
            given, numbers = given[numbers == 1], None
            m = len(given)
        elif not self._boolean:
            numbers = np.ones(m, np.float32) if numbers is None else numbers.astype(np.float32, copy=False)
        if self._check(given, numbers, m) and len(np.unique(given)) < m:
            columns, times = np.unique(given, return_counts=True)
            raise LittlestoneError(f"feature {columns[times > 1][0]} is given twice; expected each feature once")
        self._row = (given, numbers, 0, m)

    def _from_dense(self, x: Any) -> None:
        try:
            dense = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError):
            dense = None
        if dense is None or dense.ndim != 1:
            raise LittlestoneError(
                f"instance of type {type(x).__name__}: expected a dict, a set of features, a pair (indices, values) or a flat row"
            )
        n = self.learner.n
        require(n is None or len(dense) <= n, f"a row of {len(dense)} values; this {self.learner.name} was made for n={n}")
        (active,) = np.nonzero(dense)
        self._from_pair(active.astype(np.uint32), dense[active])

    def _admit(self, code: int) -> None:
        """Take note of an index that is new to the model, or refuse it; make room for it."""
        top, zero = max(code >> 2, self._top), self._zero or bool(code & 2)
        n = self.learner.n
        if n is not None and (top > n or (top == n and zero and not self.named)):
            raise LittlestoneError(out_of_range(top, n))
        require(top <= LARGEST_INDEX, f"feature index {top} is out of range: the largest is {LARGEST_INDEX}")
        if top >= self._room:
            room = max(top + 1, 2 * self._room)
            self._state = self.learner.grown(self._state, room)
            self._arguments = (*self.learner.params, *self._state)
            self._room = room
        self._top, self._zero, self._sure = top, zero, 4 * top + 3  # last: a refusal above must leave the model as it was

    def _check(self, indices: np.ndarray, values: np.ndarray | None, m: int) -> bool:
        """Refuse what no kernel may see, make room for the rest; True when the indices do not increase strictly."""
        if m == 0:
            return False
        code = rows.row_code(indices, values, m)
        if code < 0:
            k = -1 - code
            raise LittlestoneError(f"the value of feature {self._name(indices[k])!r} is {values[k]}; expected a finite number")  # type: ignore[index]
        if self._unit and values is not None and not (values[:m].min() >= 0 and values[:m].max() <= 1):
            k = int(np.flatnonzero((values[:m] < 0) | (values[:m] > 1))[0])
            taken = f"{self.learner.name} takes values from 0 to 1"
            raise LittlestoneError(f"feature {self._name(indices[k])!r} has value {values[k]:g}, and {taken}")
        if code > self._sure or (code & 2 and not self._zero):
            self._admit(code)
        return bool(code & 1)

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


def label(y: Any) -> bool | None:
    """True or False for a label; None for no label (None or NaN)."""
    if y is True or y is False or y is None:
        return y
    if y == 1:
        return True
    if y == 0 or y == -1:
        return False
    if y != y:
        return None
    raise LittlestoneError(f"label {y!r}: expected True or False, 1 or 0, +1 or -1, or None for no label")
