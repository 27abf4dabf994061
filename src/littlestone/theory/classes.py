"""Finite classes of concepts in plain Python, rebuilt from what a certificate says of them.

A class is written as its name and its numbers, {"class": "disjunctions", "n": 5}, or as a table, a row of 0s and 1s for each concept.  A
set of concepts is one whole number: bit c is 1 where concept c is in it.  So a million concepts are kept or dropped in one operation.

Instances are sets of features, by name.  Where the class stays the same when its features are renumbered, names get numbers as they
come; else the names must be numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any

from littlestone.errors import LittlestoneError, require

MOST = 2**26  # concepts: beyond it a set of them is too long a number to work with
MOST_SETS = 2**17  # sets of concepts whose dimension is remembered: the recursion is exponential
KEYS = {
    "disjunctions": ("n", "r"),
    "dictators": ("n",),
    "conjunctions": ("n", "monotone", "contradictory"),
    "half_intervals": ("n", "empty"),
    "k_of_r": ("n", "k", "r"),
    "table": ("domain", "rows"),
}


class PlainClass:
    """A finite class: its size, and which of its concepts say 1 of an instance.

    >>> C = PlainClass({"class": "disjunctions", "n": 3, "r": None})
    >>> C.size, [bin(alive).count("1") for alive in C.living([({"a": 1}, False), ({"a": 1, "b": 1}, True)])], C.ldim(C.all)
    (8, [4, 2], 3)
    """

    def __init__(self, stated: Mapping[str, Any]) -> None:
        name = str(stated.get("class"))
        require(name in KEYS, f"the class {name!r} is not known; expected one of {', '.join(KEYS)}")
        require(
            set(stated) == {"class", *KEYS[name]}, f"the class {name!r} is written with {', '.join(KEYS[name])}; found {', '.join(stated)}"
        )
        self.stated, self.name = dict(stated), name
        self.points_only = name == "half_intervals" or stated.get("domain") == "points"
        self.symmetric = name not in ("half_intervals", "table")
        if name == "table":
            self.rows = self._table(stated["rows"], stated["domain"])
            self.n = len(self.rows[0]) if self.points_only else len(self.rows[0]).bit_length() - 1
        else:
            self._check_numbers(name)
            self.n = stated["n"]
        require(
            name not in ("disjunctions", "k_of_r") or (stated["r"] or 0) <= 64, f"the class {name!r}: r={stated.get('r')} is too large here"
        )
        self.size = self._size()
        require(self.n * self.size <= 2**33, f"the class has {self.size:,} concepts of {self.n:,} features: too many for plain Python")
        require(self.size <= MOST, f"the class has {self.size:,} concepts; at most {MOST:,} are worked out in plain Python")
        self.all = (1 << self.size) - 1
        self._dimensions: dict[int, int] = {0: -1}

    @staticmethod
    def of(stated: Any) -> PlainClass:
        """The class, however it is given: written down, or itself."""
        return stated if isinstance(stated, PlainClass) else known(tuple((key, type(stated[key]), stated[key]) for key in sorted(stated)))

    def _check_numbers(self, name: str) -> None:
        for key in KEYS[name]:
            value = self.stated[key]
            flag = key in ("monotone", "contradictory", "empty")
            fine = isinstance(value, bool) if flag else type(value) is int or (value is None and (name, key) == ("disjunctions", "r"))
            require(
                fine and (flag or value is None or value >= (0 if key == "r" else 1)),
                f"the class {name!r}: {key}={value!r} is nothing it can be",
            )
        n, r, k = self.stated.get("n"), self.stated.get("r"), self.stated.get("k", 1)
        require(n is None or n <= 2**20, f"the class {name!r}: n={n!r} is too large to be worked out in plain Python")
        require(r is None or (k <= max(r, 1) and r <= n), f"the class {name!r}: k={k!r}, r={r!r} and n={n!r} do not go together")

    @staticmethod
    def _table(text: Any, domain: Any) -> list[str]:
        require(domain in ("points", "cube"), f"the table's domain is {domain!r}; expected 'points' or 'cube'")
        rows = text.split("/") if isinstance(text, str) else [""]
        width = len(rows[0])
        require(
            width > 0 and all(len(row) == width and set(row) <= {"0", "1"} for row in rows),
            "the table must be rows of 0 and 1, all of one length",
        )
        require(domain == "points" or width & (width - 1) == 0, f"{width} points are no cube; expected a power of 2")
        return rows

    def _size(self) -> int:
        s, n = self.stated, self.n
        if self.name == "disjunctions":
            return 1 << n if s["r"] is None and n <= 26 else comb(n, s["r"]) if s["r"] is not None else MOST + 1
        if self.name == "conjunctions":
            return (2 if s["monotone"] else 3) ** n + s["contradictory"] if n <= 26 else MOST + 1
        return {
            "dictators": n,
            "half_intervals": n + s.get("empty", 0),
            "k_of_r": comb(n, s.get("r", 0)),
            "table": len(getattr(self, "rows", ())),
        }[self.name]

    @property
    def points(self) -> int:
        return self.n if self.points_only else 1 << self.n

    def active(self, x: Iterable[Any], numbers: dict[Any, int]) -> frozenset[int]:
        """An instance as numbers of features; `numbers` remembers what names have got."""
        if self.symmetric:
            features = frozenset(numbers.setdefault(name, len(numbers)) for name in x)
            require(len(numbers) <= self.n, f"the stream has more than the {self.n} features of the class")
            return features
        named = [str(name) for name in x]
        require(
            all(name.isascii() and name.isdigit() and int(name) < self.n for name in named),
            f"an instance of the class has features 0 to {self.n - 1}; found {named[:3]}",
        )
        require(not self.points_only or len(named) == 1, f"an instance of the class is one point; found {len(named)}")
        return frozenset(map(int, named))

    def ones(self, x: frozenset[int]) -> int:
        """The concepts that say 1 of an instance, its features by number."""
        s = self.stated
        if self.name == "table":
            point = sum(x) if self.points_only else sum(1 << i for i in x)
            return int("".join(row[point] for row in reversed(self.rows)), 2)
        if self.name == "half_intervals":
            return ((2 << min(x)) - 1) & self.all
        if self.name == "conjunctions":
            return self._conjunctions(x)
        with_so_many, columns = [self.all, *[0] * s.get("k", 1)], self.columns
        for i in x:  # with_so_many[j]: the concepts with at least j of the features so far
            for j in range(len(with_so_many) - 1, 0, -1):
                with_so_many[j] |= with_so_many[j - 1] & columns[i]
        return with_so_many[-1]

    def _conjunctions(self, x: frozenset[int]) -> int:
        wrong = 0
        for i in range(self.n):
            wrong |= self.columns[self.n + i] if i in x else self.columns[i]
        return self.all & ~wrong

    @property
    def columns(self) -> list[int]:
        """Of each feature, the concepts that name it; of conjunctions, then those that name its negation."""
        return _columns(
            self.name, self.n, self.stated.get("r"), self.stated.get("monotone", False), self.stated.get("contradictory", False)
        )

    def living(self, rounds: Iterable[tuple[Iterable[Any], bool]]) -> Iterator[int]:
        """After each round, the concepts that agree with every label so far."""
        alive, numbers = self.all, {}  # type: ignore[var-annotated]
        for x, y in rounds:
            ones = self.ones(self.active(x, numbers))
            alive &= ones if y else ~ones
            yield alive

    def ldim(self, V: int) -> int:
        """The Littlestone dimension of a set of concepts, -1 of none."""
        known = self._dimensions.get(V)
        if known is None:
            known = 0
            parts = {min(part, V ^ part) for part in (V & ones for ones in self.splits) if part and part != V}
            for part in sorted(parts, key=lambda part: -min(part.bit_count(), (V ^ part).bit_count())):
                if min(part.bit_count(), (V ^ part).bit_count()).bit_length() <= known:  # m concepts have dimension log2 m at most
                    break
                known = max(known, 1 + min(self.ldim(part), self.ldim(V ^ part)))
            require(len(self._dimensions) < MOST_SETS, "the dimension of the class takes too long to work out in plain Python")
            self._dimensions[V] = known
        return known

    @cached_property
    def splits(self) -> list[int]:
        """What each point says, points that say the same (or the opposite) once."""
        require(self.size * self.points <= 2**24, "the class is too large for its dimension")
        rows = ([p] if self.points_only else [i for i in range(self.n) if p >> i & 1] for p in range(self.points))
        columns = {self.ones(frozenset(row)) for row in rows}
        return sorted({min(ones, self.all ^ ones) for ones in columns} - {0})


@cache
def known(stated: tuple) -> PlainClass:
    """One class for one description, so that what was worked out stays. (1 and True are two descriptions.)"""
    return PlainClass({key: value for key, _, value in stated})


@cache
def _columns(name: str, n: int, r: int | None, monotone: bool, contradictory: bool) -> list[int]:
    if name == "dictators":
        return [1 << i for i in range(n)]
    if name == "conjunctions":
        base = 2 if monotone else 3
        extra = 1 << base**n if contradictory else 0  # the constant 0: feature 0 on and off
        digits = [[_periodic(base**i, base, digit, base**n) for i in range(n)] for digit in (1, 2)]
        digits[1] = [0] * n if monotone else digits[1]
        for side in digits:
            side[0] |= extra
        return digits[0] + digits[1]
    if r is None:
        return [_periodic(1 << i, 2, 1, 1 << n) for i in range(n)]
    columns = [bytearray(-(-comb(n, r) // 8)) for _ in range(n)]
    for c, chosen in enumerate(combinations(range(n), r)):
        for i in chosen:
            columns[i][c >> 3] |= 1 << (c & 7)
    return [int.from_bytes(column, "little") for column in columns]


def _periodic(run: int, base: int, digit: int, length: int) -> int:
    """Of the numbers below `length`, as bits, those whose digit of weight `run` in that base is this one."""
    pattern, period = ((1 << run) - 1) << run * digit, run * base
    while period < length:
        pattern |= pattern << period
        period *= 2
    return pattern & ((1 << length) - 1)


def theorems_of_class(*bounds: Any) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """The same theorems for every class; one that a certificate describes and nobody knows is refused."""

    def theorems(settings: Mapping[str, Any]) -> tuple[Any, ...]:
        if isinstance(settings["concepts"], Mapping):
            refuse_unknown(settings["concepts"])
        return bounds

    return theorems


def refuse_unknown(stated: Any) -> None:
    """Refuse a class that cannot be rebuilt from what is written."""
    require(isinstance(stated, Mapping), f"the class is {stated!r}; expected its name and its numbers")
    try:
        PlainClass.of(stated)
    except TypeError:
        raise LittlestoneError(f"the class {dict(stated)!r} is not one that can be rebuilt") from None
