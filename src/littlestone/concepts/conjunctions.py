"""Conjunctions of literals: 1 where every variable named is on, and every variable named with a bar is off."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row, literals, present
from littlestone.concepts.disjunctions import chosen, whole
from littlestone.errors import require


@dataclass(frozen=True)
class Conjunction(Concept):
    """The variables in `on` are 1 and those in `off` are 0; a variable in both makes it the constant 0."""

    on: frozenset[int]
    off: frozenset[int] = frozenset()

    def __call__(self, row: Row) -> bool:
        here = present(row)
        return self.on <= here and self.off.isdisjoint(here)

    def __repr__(self) -> str:
        names = [f"x{i}" if i in self.on else f"¬x{i}" for i in sorted(self.on | self.off)]
        return "0" if self.on & self.off else literals(names, "∧", "1")

    @property
    def witness(self) -> dict[int, int]:
        return {i: 1 if i in self.on else -1 for i in sorted(self.on | self.off)}

    @property
    def assume(self) -> str:
        return "class" if self.on & self.off else f"conjunction:size={len(self.on) + len(self.off)}"

    @property
    def balance(self) -> float | None:
        return 2 ** (-1 / len(self.on)) if self.on and not self.off else None


@dataclass(frozen=True, repr=False)
class Conjunctions(ConceptClass):
    n: int
    monotone: bool = False
    contradictory: bool = False

    @property
    def subsets(self) -> str | None:  # type: ignore[override]
        return "all" if self.monotone and not self.contradictory else None

    @property
    def size(self) -> int:
        return (2 if self.monotone else 3) ** self.n + self.contradictory

    def of(self, on: Iterable[int] | Mapping[int, int] = (), off: Iterable[int] = ()) -> Conjunction:
        """The conjunction of these variables, and of the negations of those; or of {variable: +1 or -1}, as a witness has them."""
        if isinstance(on, Mapping):
            on, off = ([i for i, sign in on.items() if sign * side > 0] for side in (1, -1))
        return Conjunction(chosen(self, on), chosen(self, off))

    def _concept(self, c: int) -> Conjunction:
        """Each digit of c says of one variable: 0 not there, 1 on, 2 off; the last concept may be the constant 0."""
        base = 2 if self.monotone else 3
        if c == base**self.n:
            return Conjunction(frozenset([0]), frozenset([0]))
        digits = []
        for _ in range(self.n):
            c, digit = divmod(c, base)
            digits.append(digit)
        on, off = (frozenset(i for i, d in enumerate(digits) if d == side) for side in (1, 2))
        return Conjunction(on, off)

    def answers(self, point: int) -> np.ndarray:
        on, off = _masks(self)
        x = np.uint64(point)
        return ((on & ~x) == 0) & ((off & x) == 0)


@cache
def _masks(C: Conjunctions) -> tuple[np.ndarray, np.ndarray]:
    base = 2 if C.monotone else 3
    rest = np.arange(base**C.n, dtype=np.uint64)
    on, off = np.zeros_like(rest), np.zeros_like(rest)
    for i in range(C.n):
        digit = rest % np.uint64(base)
        on |= (digit == 1).astype(np.uint64) << np.uint64(i)
        off |= (digit == 2).astype(np.uint64) << np.uint64(i)
        rest //= np.uint64(base)
    if C.contradictory:
        unit = np.ones(1, np.uint64)
        on, off = np.concatenate((on, unit)), np.concatenate((off, unit))
    return on, off


def conjunctions(n: int, *, monotone: bool = False, contradictory: bool = False) -> Conjunctions:
    """The conjunctions over n variables: the 3^n satisfiable ones of the 2n literals, or the 2^n monotone ones, which negate nothing.

    With `contradictory` the constant 0 is one more.

    >>> [conjunctions(n, contradictory=True).size for n in (2, 3, 4)], conjunctions(3, monotone=True).size
    ([10, 28, 82], 8)
    >>> c = conjunctions(4).of({0}, off={2})
    >>> c, c([0, 1]), c([0, 2]), c.assume
    (x0 ∧ ¬x2, True, False, 'conjunction:size=2')
    """
    whole(n, "n")
    require(monotone in (True, False), f"monotone={monotone!r} must be True or False")
    return Conjunctions(n, bool(monotone), bool(contradictory))
