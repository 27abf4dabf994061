"""Monotone disjunctions of few variables among many, over random boolean instances."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row, literals, masks, present
from littlestone.errors import require
from littlestone.protocol import Block


def disjunction_blocks(
    n: int, r: int, rounds: int, *, density: float = 0.1, noise: float = 0.0, seed: int = 0, rows: int = 256
) -> Iterator[Block]:
    """Rounds labelled by x_0 ∨ … ∨ x_{r-1}; half the labels are 1.

    Each relevant variable is on with probability 1 - 2^(-1/r), each other one with probability `density`; `noise` labels are flipped. The
    same seed gives the same rounds, however many rows a block has.

    >>> block = next(disjunction_blocks(50, 2, 100, seed=1))
    >>> all((block.indices[a:b] < 2).any() == y for a, b, y in zip(block.indptr, block.indptr[1:], block.labels))
    True
    """
    require(0 < r < n, f"r={r!r} must lie between 1 and n-1={n - 1}")
    require(0 < density < 1, f"density={density!r} must lie between 0 and 1")
    on = 1 - 2 ** (-1 / r)
    for start in range(0, rounds, rows):
        counts, pieces, labels = [], [], []
        for t in range(start, min(start + rows, rounds)):
            rng = np.random.default_rng((seed, t))
            relevant = np.flatnonzero(rng.random(r) < on)
            # gaps between successes of a Bernoulli sequence are geometric: cheap when few of many are on
            expected = (n - r) * density
            gaps = rng.geometric(density, int(expected + 6 * expected**0.5 + 10))
            others = r - 1 + np.cumsum(gaps)
            others = others[: np.searchsorted(others, n)]
            pieces += [relevant, others]
            counts.append(len(relevant) + len(others))
            labels.append((len(relevant) > 0) != (noise > 0 and rng.random() < noise))
        indices = np.concatenate(pieces).astype(np.uint32)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        yield Block(indptr, indices, None, np.array(labels, np.int32), None, start)


@dataclass(frozen=True)
class Disjunction(Concept):
    """x_i ∨ x_j ∨ …: 1 where some variable of S is on."""

    S: frozenset[int]

    def __call__(self, row: Row) -> bool:
        return not self.S.isdisjoint(present(row))

    def __repr__(self) -> str:
        return literals([f"x{i}" for i in sorted(self.S)], "∨", "0")

    @property
    def witness(self) -> frozenset[int]:
        return self.S

    @property
    def assume(self) -> str:
        return f"disjunction:r={len(self.S)}"

    @property
    def balance(self) -> float | None:
        return 1 - 2 ** (-1 / len(self.S)) if self.S else None


@dataclass(frozen=True, repr=False)
class Disjunctions(ConceptClass):
    n: int
    r: int | None = None

    @property
    def subsets(self) -> str | None:  # type: ignore[override]
        return "any" if self.r is None else None

    @property
    def size(self) -> int:
        return 2**self.n if self.r is None else comb(self.n, self.r)

    def of(self, variables: Iterable[int]) -> Disjunction:
        """The disjunction of these variables."""
        return Disjunction(chosen(self, variables))

    def _concept(self, c: int) -> Disjunction:
        return Disjunction(subset(self.n, self.r, c))

    def answers(self, point: int) -> np.ndarray:
        return (_masks(self.n, self.r) & np.uint64(point)) != 0


def disjunctions(n: int, r: int | None = None) -> Disjunctions:
    """The monotone disjunctions over n variables: all 2^n of them, or those of exactly r variables.

    >>> C = disjunctions(3)
    >>> C.size, [str(c) for c in C][:5], C.of({0, 2})([1, 2])
    (8, ['0', 'x0', 'x1', 'x0 ∨ x1', 'x2'], True)
    >>> target = disjunctions(1000, r=3).draw(seed=1)
    >>> import littlestone as ls
    >>> run = ls.play(ls.winnow(n=1000), disjunctions(1000, r=3).blocks(500, instances="balanced", seed=1))
    >>> [claim.holds for claim in run.bounds(target.assume)]
    [True, True]
    """
    whole(n, "n")
    require(r is None or 0 <= whole(r, "r", 0) <= n, f"r={r!r} must lie between 0 and n={n}")
    return Disjunctions(n, r)


def subset(n: int, r: int | None, c: int) -> frozenset[int]:
    """The c-th set of variables: c itself read as bits, or, of exactly r variables, the c-th in the order of the dictionary."""
    if r is None:
        return frozenset(i for i in range(c.bit_length()) if c >> i & 1)
    chosen: list[int] = []
    left = comb(n, r)  # sets of the variables from i on, r of them
    for i in range(n):
        if len(chosen) == r:
            break
        size = left * (r - len(chosen)) // (n - i)  # of them with i
        if c < size:
            chosen.append(i)
            left = size
        else:
            c -= size
            left -= size
    return frozenset(chosen)


@cache
def _masks(n: int, r: int | None) -> np.ndarray:
    return np.arange(2**n, dtype=np.uint64) if r is None else masks(combinations(range(n), r))


def chosen(of: ConceptClass, variables: Iterable[int]) -> frozenset[int]:
    """The variables the user named, refused where the class has none such."""
    members = frozenset(variables)
    bad = sorted(i for i in members if not 0 <= i < of.n)
    require(not bad, f"variable {bad[0] if bad else ''} is out of range: {of!r} numbers its variables 0 to {of.n - 1}")
    r = getattr(of, "r", None)
    require(r is None or len(members) == r, f"{len(members)} variables; expected r={r}")
    return members


def whole(value: int, name: str, least: int = 1) -> int:
    """The setting, refused unless it is a whole number that large."""
    require(
        isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least,
        f"{name}={value!r} must be a whole number, at least {least}",
    )
    return value
