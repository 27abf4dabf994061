"""What a table of advice says, exactly, and whom a rule may be compared with: one expert, a mixture of them, a sequence of them.

Advice is float32, so a loss |a - y| is a whole number over a power of two; sums of them are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import frexp
from typing import Any, ClassVar, NamedTuple

from littlestone.errors import require


class AdvisedRow(NamedTuple):
    """A round: the truth (None where none was told; False where the advice is losses), and what each expert says, None while asleep."""

    y: bool | None
    said: Sequence[float | None]


def fields(record: Mapping[str, Any], *keys: str) -> None:
    kind = record["kind"]
    require(
        set(record) == {"kind", *keys},
        f"a witness of kind {kind!r} has {', '.join(keys)}; found {', '.join(sorted(set(record) - {'kind'}))}",
    )


@dataclass(frozen=True)
class One:
    """One expert, counted from 0."""

    kind: ClassVar[str] = "expert"
    expert: int

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> One:
        fields(record, "expert")
        return cls(record["expert"])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "expert": self.expert}


@dataclass(frozen=True)
class Mix:
    """Expert i has the share weights[i]/2^exponent; together they have all of it."""

    kind: ClassVar[str] = "distribution"
    weights: Sequence[int]
    exponent: int

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Mix:
        fields(record, "weights", "exponent")
        weights, exponent = record["weights"], record["exponent"]
        require(exponent <= 1000 and all(w >= 0 for w in weights), "a distribution has weights that are not negative, over a power of two")
        require(sum(weights) == 1 << exponent, f"the weights of the distribution must add up to 2^{exponent}, which is all")
        return cls(list(weights), exponent)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "exponent": self.exponent, "weights": list(self.weights)}


@dataclass(frozen=True)
class Path:
    """From each row on (counted from 1) the expert that stands beside it."""

    kind: ClassVar[str] = "path"
    path: Sequence[Sequence[int]]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Path:
        fields(record, "path")
        path = record["path"]
        require(path and all(len(step) == 2 for step in path), "a path has steps [row, expert]")
        require(path[0][0] == 1, f"a path begins at row 1; this one at row {path[0][0]}")
        for (a, i), (b, j) in pairwise(path):
            require(a < b and i != j, f"a path goes on to later rows and to other experts: {[a, i]} then {[b, j]}")
        return cls([list(step) for step in path])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "path": [list(step) for step in self.path]}


WITNESSES: dict[str, Any] = {one.kind: one for one in (One, Mix, Path)}


class Advised:
    """The rows of a table, and the exact losses of its experts."""

    def __init__(self, n: int, rows: Sequence[AdvisedRow]) -> None:
        self.n, self.rows = n, rows
        self.told = [t for t, row in enumerate(rows, 1) if row.y is not None]

    @cached_property
    def one(self) -> int:
        """A loss of 1, as the whole numbers have it: a float32 has 24 bits, so the smallest says over which power of two all are whole."""
        smallest = min((min(filter(None, row.said), default=1.0) for row in self.rows if row.y is not None), default=1.0)
        return 1 << (0 if self._votes else max(0, min(149, 24 - frexp(smallest)[1])))

    @cached_property
    def _votes(self) -> bool:
        return all(a in (0.0, 1.0, None) for row in self.rows if row.y is not None for a in row.said)

    def losses(self, t: int) -> list[int | None]:
        """What each expert loses in row t, in whole numbers; None while asleep."""
        (y, said), one = self.rows[t - 1], self.one
        scale = float(one)
        if y:
            return [None if a is None else one - int(a * scale) for a in said]
        return [None if a is None else int(a * scale) for a in said]

    def loss(self, i: int, rows: Iterable[int]) -> Fraction:
        """What expert i loses in these rows, where it is awake."""
        one, total = self.one, 0
        scale = float(one)
        for t in rows:
            y, said = self.rows[t - 1]
            a = said[i]
            if a is not None:
                total += one - int(a * scale) if y else int(a * scale)
        return Fraction(total, one)

    def awake(self, i: int, rows: Iterable[int]) -> list[int]:
        return [t for t in rows if self.rows[t - 1].said[i] is not None]

    @cached_property
    def first_asleep(self) -> tuple[int, int] | None:
        """The first row whose truth is told and in which somebody sleeps, and who."""
        for t in self.told:
            said = self.rows[t - 1].said
            if None in said:
                return t, list(said).index(None)
        return None

    @cached_property
    def asleep(self) -> set[int]:
        """The rows whose truth is told and in which somebody sleeps."""
        return {t for t in self.told if None in self.rows[t - 1].said}

    def loss_of_path(self, path: Sequence[Sequence[int]], rows: Iterable[int]) -> Fraction:
        """What a sequence of experts loses in these rows, which grow."""
        total, step = 0, 0
        for t in rows:
            while step + 1 < len(path) and path[step + 1][0] <= t:
                step += 1
            lost = self.losses(t)[path[step][1]]
            require(lost is not None, f"the path follows expert {path[step][1]} in row {t}, where it is asleep")
            total += lost or 0
        return Fraction(total, self.one)

    def passed(self, m: Fraction, changes: int) -> int | None:
        """The row with which every sequence of experts that changes no more often has lost more than m; None where one has not."""
        most, limit = min(changes, max(0, len(self.told) - 1)), m * self.one
        if most == len(self.told) - 1:  # as often as one likes
            total = 0
            for t in self.told:
                total += min(loss for loss in self.losses(t) if loss is not None)
                if total > limit:
                    return t
            return None
        lost = [[0] * self.n for _ in range(most + 1)]
        for t in self.told:
            now = self.losses(t)
            for s in range(most, -1, -1):
                before = min(lost[s - 1]) if s else None
                lost[s] = [(a if before is None or a < before else before) + (b or 0) for a, b in zip(lost[s], now, strict=True)]
            if min(lost[most]) > limit:
                return t
        return None

    def contradiction(self, declared: Mapping[str, Fraction]) -> dict[str, Any] | None:
        """The row with which what was declared of the experts has become false; None where it has not."""
        if self.first_asleep is not None:
            row, expert = self.first_asleep
            why = f"expert {expert} sleeps, and the theorem is about experts who are always awake; see sleeping_adahedge"
        else:
            m, changes = declared["m"], int(declared.get("S", 0))
            passed = self.passed(m, changes)
            if passed is None:
                return None
            whom = "every expert" if not changes else f"every sequence of experts that changes at most {changes} times"
            row, why = passed, f"with it {whom} has lost more than the declared m={m}"
        y, said = self.rows[row - 1]
        instance = {str(i): a for i, a in enumerate(said) if a is not None}
        return {"row": row, "why": why, "rows": [], "label": int(bool(y)), "instance": instance}
