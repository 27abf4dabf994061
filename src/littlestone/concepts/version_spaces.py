"""The version spaces of a finite class, searched in compiled code: its dimensions, and halving's worst case.

Concepts that are equal count once; points that say the same of every concept, or the opposite, or the same of all, are one point or none.
On at most 16 points that are left each quantity is one sweep over the 3^16 partial labellings (`native/search/labellings.h`), whatever the
class.  On more it is a search that remembers the sets of concepts it has met (`version_sets.h`, `expectations.h` and `threshold_chains.h`
beside it), up to `effort` of them; `Unsettled` is raised where that is not enough.  A short search is tried before a long sweep, too: many
classes have structure.  The largest shattered set is a search of its own (`shattering.h`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.concepts.classes import ConceptClass
from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native

MOST_BITS = 2**24  # of a table
MOST_SWEPT = 16  # points
AT_ONCE = 11  # points, up to which a sweep takes no time
SHORT = 2**13  # version spaces of a search that is tried before a sweep
MOST_BYTES = 2**30  # of a memo
MOST_SIZES = 2048  # concepts, up to which the limits by size are worked out: that takes their square
EFFORT = 2**20
LOW: int = native.core.LOW_DIGITS  # the least number of points of a sweep


class Unsettled(LittlestoneError):
    """A value that the search did not settle within its effort."""


@dataclass(frozen=True)
class Split:
    """A node of a tree of mistakes: a point, and what is below it where the label is 0 and where it is 1, a Split or a concept's number."""

    point: int
    zero: Split | int
    one: Split | int


def memo(words: int, notes: int, effort: int) -> Any:
    """Sets of concepts and what is known of them: room for as many as the effort, and the memory, allow."""
    return native.core.Memo(words, notes, max(1, min(effort, MOST_BYTES // (8 * (words + notes + 3)))))


class VersionSpaces:
    """A finite class, ready to be searched. Concepts are the distinct ones, by their place among them: `numbers` are their
    own numbers, `place` says of every concept which of them it is."""

    def __init__(self, C: ConceptClass, effort: int = EFFORT) -> None:
        require(
            isinstance(effort, int) and not isinstance(effort, bool) and effort >= 1,
            f"effort={effort!r} must be a whole number, at least 1",
        )
        refuse_large(C)
        self.name, self.effort = repr(C), effort
        labels = np.unpackbits(C.columns().astype("<u8").view(np.uint8), axis=1, count=len(C), bitorder="little")
        self.numbers, self.place = first_of_each(np.ascontiguousarray(labels.T))
        self.labels = np.ascontiguousarray(labels[:, self.numbers])  # what is said of each point by each concept
        self.size = len(self.numbers)
        turned = self.labels[:, 0] == 1  # so that the first concept says 0 of every point
        bent = self.labels ^ turned[:, None]
        varied = np.flatnonzero(bent.any(axis=1))
        first, group = first_of_each(bent[varied])
        self.points = varied[first]  # one of each kind, in their order
        self.kinds = bent[self.points]
        self.straight, self.flipped = np.zeros((2, len(self.points)), np.bool_)
        self.straight[group[~turned[varied]]] = self.flipped[group[turned[varied]]] = True
        self.turned = turned[self.points]
        self.columns = packed(self.kinds)
        self.all = packed(np.ones((1, self.size), np.uint8))[0]
        self._littlestone: int | None = None
        self._labelled: np.ndarray | None = None  # Ldim + 1 of every partial labelling, where they were swept
        self._sets = memo(len(self.all), 2, effort)  # what the search for it knows

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a search has found: native memory goes to no other process, which searches by itself."""
        return {name: value for name, value in vars(self).items() if name != "_sets"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _sets=memo(len(state["all"]), 2, state["effort"]))

    @property
    def log2(self) -> int:
        return self.size.bit_length() - 1

    @cached_property
    def _depth(self) -> int:
        """The Littlestone dimension, or where that is not settled, log2 of the size."""
        try:
            return self.littlestone()
        except Unsettled:
            return self.log2

    def vc(self) -> tuple[int, list[int]]:
        """The largest number of points on which every labelling occurs, and such points."""
        limit = self._depth
        if limit == 0:
            return 0, []
        points = native.core.shattered(self.kinds, limit, 4 * self.effort)
        if points is None:
            raise self._unsettled("VC dimension", f"at most {limit}", "sets of points", 4 * self.effort)
        return len(points), self.points[points].tolist()

    def littlestone(self) -> int:
        """The Littlestone dimension."""
        if self._littlestone is None:
            self._littlestone = self._either(self._searched_littlestone, self._swept_littlestone)
        return self._littlestone

    def _searched_littlestone(self, effort: int) -> int:
        self._sets = memo(len(self.all), 2, effort)
        return self._most("Littlestone dimension", self._sets, native.core.littlestone_at_least, self.columns)

    def _swept_littlestone(self) -> int:
        m, values = self._labellings(np.uint8)
        native.core.sweep_littlestone(values, m)
        self._labelled = values
        return int(values[-1]) - 1

    def _either(self, search: Callable[[int], Any], sweep: Callable[[], Any], points: int | None = None) -> Any:
        """What a sweep finds, or a search: the sweep if it takes no time, or if there is one and the search takes long."""
        points = len(self.points) if points is None else points
        if points <= min(AT_ONCE, MOST_SWEPT):
            return sweep()
        try:
            return search(min(self.effort, SHORT) if points <= MOST_SWEPT else self.effort)
        except Unsettled:
            if points > MOST_SWEPT:
                raise
        return sweep()

    def tree(self) -> Split | int:
        """A tree of mistakes as deep as the Littlestone dimension, all its leaves that deep: an adversary that goes down it, always to the
        label that was not predicted, is wrong about no concept at the leaf. Of the points that may stand at a node it has the one that
        parts the concepts most evenly, of these the first; at a leaf the first concept."""
        depth = self.littlestone()
        ones = [int.from_bytes(column.astype("<u8").tobytes(), "little") for column in self.columns]

        def below(V: int, labelling: int, d: int) -> Split | int:
            if d == 0:
                return int(self.numbers[(V & -V).bit_length() - 1])
            size, parts = V.bit_count(), []
            for j, column in enumerate(ones):
                less = (V & column).bit_count()
                if min(less, size - less) >= 1 << (d - 1):
                    parts.append((-min(less, size - less), j))
            for _, j in sorted(parts):
                sides = [(V & ~ones[j], labelling - 2 * 3**j), (V & ones[j], labelling - 3**j)]
                if all(self._at_least(*side, d - 1) for side in sides):
                    zero, one = (below(part, left, d - 1) for part, left in sides)
                    return Split(int(self.points[j]), *((one, zero) if self.turned[j] else (zero, one)))
            raise AssertionError("a version space of this dimension has a point that parts it")

        return below((1 << self.size) - 1, 3 ** max(len(self.points), LOW) - 1, depth)

    def _at_least(self, V: int, labelling: int, d: int) -> bool:
        if self._labelled is not None:
            return bool(self._labelled[labelling] > d)
        answer: bool | None = native.core.littlestone_at_least(whole_number(V, len(self.all)), d, self.columns, self._sets)
        if answer is None:
            raise self._unsettled("tree", f"of depth {self._littlestone}")
        return answer

    def ldim(self, V: np.ndarray) -> int:
        """The Littlestone dimension of some of the concepts, given as words of bits; by the search, whatever the class."""
        return self._most("Littlestone dimension", self._sets, native.core.littlestone_at_least, self.columns, V=V)

    def halving(self) -> int:
        """The most mistakes of halving (ties predict 1, every round drops the concepts that were wrong) on a stream of some concept."""
        return self._either(self._searched_halving, self._swept_halving)

    def _searched_halving(self, effort: int) -> int:
        sets = memo(len(self.all), 2, effort)
        return self._most("worst case of halving", sets, native.core.halving_errs, self.columns, self.straight, self.flipped)

    def _swept_halving(self) -> int:
        m, values = self._labellings(np.uint8)
        sizes = values.astype(np.uint16)  # that of all 2^16 is 0 then, but no point parts more than them
        straight, flipped = np.zeros((2, m), np.bool_)
        straight[: len(self.points)], flipped[: len(self.points)] = self.straight, self.flipped
        native.core.sweep_halving(values, sizes, m, straight, flipped)
        return int(values[-1]) - 1

    def randomised(self) -> Fraction:
        """The mistakes that the best randomised learner expects against the worst stream."""
        return self._either(self._searched_randomised, self._swept_randomised)

    def _swept_randomised(self) -> Fraction:
        m, values = self._labellings(np.int32, 2 ** max(len(self.points), LOW))
        native.core.sweep_randomised(values, m, 2**m)
        return Fraction(int(values[-1]), 2**m) - 1

    def _searched_randomised(self, effort: int) -> Fraction:
        bits = min(len(self.points), self.size - 1)
        words = (bits + 8) // 64 + 1
        unit = whole_number(1 << bits, words)
        limits = self.limits(bits, words)
        sets, value = memo(len(self.all), words + 1, effort), np.zeros_like(unit)
        if native.core.worth(self.all, np.zeros_like(unit), value, limits, unit, self.columns, sets) is None:
            most = int.from_bytes(limits[self.size].tobytes(), "little") / 2**bits - 1
            raise self._unsettled(
                "randomised dimension", f"at least {(self._littlestone or 0) / 2:g}, at most {most:.6g}", effort=sets.most
            )
        return Fraction(int.from_bytes(value.tobytes(), "little"), 2**bits) - 1

    def limits(self, bits: int, words: int) -> np.ndarray:
        """The most that so many concepts of this class can be worth, plus one and times 2^bits: half of log2, or less."""
        depth, sizes = self._depth, min(self.size, MOST_SIZES)
        table = np.zeros((depth + 1, sizes + 1, words), np.uint64)
        native.core.limits_by_size(table.reshape(-1, words), sizes + 1, whole_number(1 << bits, words))
        beyond = [whole_number((2 + (size - 1).bit_length()) << (bits - 1), words) for size in range(sizes + 1, self.size + 1)]
        return np.concatenate((table[depth], np.array(beyond, np.uint64).reshape(-1, words)))

    def threshold(self) -> int:
        """The most concepts c_1, c_2, ... and points x_1, x_2, ... with c_i(x_j) = 1 iff i ≤ j. Here 0 and 1 are not alike."""
        labels = self.labels[first_of_each(self.labels)[0]]
        labels = labels[labels.any(axis=1)]  # a point where all are 1 may be the last of a chain
        return self._either(lambda effort: self._searched_threshold(labels, effort), lambda: self._swept_threshold(labels), len(labels))

    def _swept_threshold(self, labels: np.ndarray) -> int:
        m, values = self._labellings(np.uint8, 1, labels)
        return native.core.sweep_threshold(values, m)

    def _searched_threshold(self, labels: np.ndarray, effort: int) -> int:
        rows, columns = packed(np.ascontiguousarray(labels.T)), packed(labels)
        V = np.concatenate((self.all, packed(np.ones((1, len(labels)), np.uint8))[0]))
        sets, most = memo(len(V), 2, effort), min(self.size, len(labels))
        return self._most("threshold dimension", sets, native.core.chain_at_least, rows, columns, V=V, most=most, begin=greedy(labels))

    def _labellings(self, kind: type, unit: int = 1, labels: np.ndarray | None = None) -> tuple[int, np.ndarray]:
        """Room for a quantity of every partial labelling, the unit at those that are concepts. Points are added up to LOW."""
        labels = self.kinds if labels is None else labels
        m = max(len(labels), LOW)
        values = np.zeros(3**m, kind)
        values[(labels.T.astype(np.int64) * 3 ** np.arange(len(labels))).sum(axis=1)] = unit
        return m, values

    def _most(
        self, what: str, sets: Any, kernel: Any, *arguments: Any, V: np.ndarray | None = None, begin: int = 0, most: int | None = None
    ) -> int:
        """The largest d, from one that is known to hold, for which a search says yes."""
        d, most = begin, self.log2 if most is None else most
        while d < most and (answer := kernel(self.all if V is None else V, d + 1, *arguments, sets)) is not False:
            if answer is None:
                raise self._unsettled(what, f"at least {d}, at most {most}", effort=sets.most)
            d += 1
        return d

    def _unsettled(self, what: str, known: str, of: str = "version spaces", effort: int | None = None) -> Unsettled:
        return Unsettled(
            f"the {what} of {self.name} ({known}) is not settled within {effort or self.effort:,} {of}; "
            f"a larger effort may do (effort={self.effort} now; --effort on the command line)"
        )


def greedy(labels: np.ndarray) -> int:
    """The length of the chain that takes the concept of most points, and of these the point where most concepts are 0; points in rows."""
    length, concepts, points = 0, np.ones(labels.shape[1], np.bool_), np.ones(len(labels), np.bool_)
    of_concepts, of_points = labels.sum(axis=0, dtype=np.int64), labels.sum(axis=1, dtype=np.int64)
    while (most := np.where(concepts, of_concepts, 0)).any():
        chosen = int(most.argmax())
        inside = points & (labels[:, chosen] == 1)
        first = int(np.where(inside, of_points, labels.shape[1] + 1).argmin())
        of_concepts -= labels[points & ~inside].sum(axis=0, dtype=np.int64)
        of_points -= labels[:, concepts & (labels[first] == 1)].sum(axis=1, dtype=np.int64)
        concepts &= labels[first] == 0
        points, length = inside, length + 1
    return length


def refuse_large(C: ConceptClass) -> None:
    size, points = C.size or 0, C.points  # (`len` takes no number so large)
    require(
        size * points <= MOST_BITS,
        f"{C!r} has {size:,} concepts on {points:,} points; dimensions are worked out up to {MOST_BITS:,} concepts times points",
    )


def first_of_each(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of all rows that are equal, in their order; and for each row its place among them."""
    if not len(rows):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    whole = np.packbits(rows, axis=1)
    _, first, group = np.unique(whole.view(np.dtype((np.void, whole.shape[1]))).reshape(-1), return_index=True, return_inverse=True)
    place = np.empty_like(first)
    place[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), place[group]


def packed(rows: np.ndarray) -> np.ndarray:
    """Rows of 0 and 1 as words of 64 bits, the first the lowest."""
    bits = np.packbits(rows, axis=1, bitorder="little")
    words = np.zeros((len(rows), 8 * -(-rows.shape[1] // 64)), np.uint8)
    words[:, : bits.shape[1]] = bits
    return words.view("<u8").astype(np.uint64, copy=False)


def whole_number(value: int, words: int) -> np.ndarray:
    return np.frombuffer(value.to_bytes(8 * words, "little"), "<u8").astype(np.uint64)
