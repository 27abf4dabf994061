"""A detector of changes for streams whose errors depend on each other. It is approximate: there is no theorem about it.

An exact test of exchangeable rounds takes errors that come in runs for a change, and is right: such rounds are not exchangeable. This one
asks whether the *rate* of errors has risen, and measures how much its errors depend on each other.

After n rounds with K errors, k of them in the last w and the other K - k in the m before, it compares two rates with one:

    G = ℓ(k, w) + ℓ(K - k, m) - ℓ(K, n),   ℓ(k, n) = k·ln(k/n) + (n - k)·ln(1 - k/n).

With independent errors exp(-G) is about the chance of such a rise. Errors that come in runs are worth fewer independent ones: as many as
the variance of their sum says, V times fewer, and G/V stands for G. V is the largest of

- (1 + ρ)/(1 - ρ), as of a Markov chain with the autocorrelation ρ = (q - r)/(1 - r). Here q is how often an error follows an error, taken
  at the upper end of its 90 % interval (Wilson 1927), and r how often one would where they are independent: the two rates, each weighed by
  its errors;
- the variance of the errors in blocks of 10, and of 40, of the m rounds, divided by that of independent ones, where there are 8 blocks.

A change is seen where G/V > ln(n/δ) + 3/2 for some w of 20, 24, 28, ... (a fifth more each time), with m ≥ 100, w ≤ m, w ≥ 25·V and
k ≥ 8·V. A look is taken after every eighth round from 200 on.

What it assumes: errors whose dependence dies out within some tens of rounds, and does not change where the rate does not. How often it is
wrong is measured by `benchmarks/drift.py detector`, beside the detectors of River.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import NamedTuple

from littlestone.theory.change_alarm import change_in, likelihood

LOOK = 8  # rounds between looks
PAST, FIRST = 100, 200  # rounds that a rate is compared with, at least; and before the first look
WIDE, ERRORS = 25, 8  # rounds, and errors, of the shortest window where errors are independent
WINDOWS = [int(20 * 1.2**k) for k in range(56)]
BLOCKS, ENOUGH = (10, 40), 8  # rounds of a block, and how many blocks there must be
Z = 1.64  # of the interval of how often an error follows an error
LARGEST = 0.95  # autocorrelation
SPARE = 1.5  # beyond ln(n/δ)


class Rise(NamedTuple):
    """A rise of the rate: k errors in the last w of n rounds, where K are in all of them; V as above."""

    n: int
    K: int
    w: int
    k: int
    V: float
    change: int  # after so many of the n rounds the change is likeliest to have come


class Detector:
    """Looks for a rise of the rate of errors. What it finds does not depend on how they come in pieces."""

    def __init__(self, delta: float) -> None:
        self.delta = delta
        self.errors = array("q", [0])  # after 0, 1, ... rounds
        self.pairs = array("q", [0])  # of errors, one right after the other
        self.squares: dict[int, list[int]] = {size: [0] for size in BLOCKS}  # of the errors in each block, added up
        self.blocks = array("d", [1.0])  # what blocks say of V, after 0, 1, ... looks

    @property
    def rounds(self) -> int:
        return len(self.errors) - 1

    def add(self, errs: Iterable[bool]) -> Rise | None:
        """Some more rounds; the first rise that is seen among them."""
        errors = self.errors
        for err in errs:
            follows = len(errors) > 1 and errors[-1] > errors[-2]
            self.pairs.append(self.pairs[-1] + (1 if err and follows else 0))
            errors.append(errors[-1] + (1 if err else 0))
            n = len(errors) - 1
            for size, squares in self.squares.items():
                if n % size == 0:
                    squares.append(squares[-1] + (errors[n] - errors[n - size]) ** 2)
            if n % LOOK == 0:
                self.blocks.append(self._of_blocks(n))
                if n >= FIRST and (rise := self._look(n)) is not None:
                    return rise
        return None

    def _of_blocks(self, n: int) -> float:
        """The variance of the errors in blocks of the first n rounds, divided by that of independent ones."""
        most = 1.0
        for size, squares in self.squares.items():
            count = n // size
            total = self.errors[count * size]
            if count >= ENOUGH and 0 < total < count * size:
                rate = total / (count * size)
                variance = (squares[count] - total * total / count) / (count - 1)
                most = max(most, variance / (size * rate * (1 - rate)))
        return most

    def _look(self, n: int) -> Rise | None:
        K, level = self.errors[n], log(n / self.delta) + SPARE
        for w in WINDOWS:
            m = n - w
            if m < max(PAST, w):
                return None
            k = K - self.errors[m]
            if k < ERRORS or k * n <= K * w:
                continue
            V = max(self.blocks[m // LOOK], of_runs(self.pairs[n], K, ((k, w), (K - k, m))))
            if w >= WIDE * V and k >= ERRORS * V and likelihood(k, w) + likelihood(K - k, m) - likelihood(K, n) > V * level:
                return Rise(n, K, w, k, V, change_in(self.errors))
        return None


def of_runs(pairs: int, errors: int, parts: Sequence[tuple[int, int]]) -> float:
    """V of a Markov chain, from pairs of errors, one right after the other, and the errors and rounds of parts that may differ in rate.

    >>> [round(of_runs(pairs, 500, [(500, 5000)]), 2) for pairs in (50, 200, 300)]
    [1.06, 2.19, 3.94]
    """
    rho = autocorrelation(pairs, errors, parts, Z)
    return (1 + rho) / (1 - rho)


def autocorrelation(pairs: int, errors: int, parts: Sequence[tuple[int, int]], z: float = 0.0) -> float:
    """By how much likelier an error is right after an error; at most 0.95, and at least 0. With `z` the upper end of an interval."""
    q = pairs / errors
    upper = (q + z * z / (2 * errors) + z * sqrt(q * (1 - q) / errors + z * z / (4 * errors * errors))) / (1 + z * z / errors)
    expected = sum(k * k / n for k, n in parts if n) / errors
    return min(LARGEST, max(0.0, (upper - expected) / (1 - expected))) if expected < 1 else 0.0
