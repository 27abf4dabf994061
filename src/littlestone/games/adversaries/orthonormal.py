"""Orthogonal instances of length D, each with the label that was not predicted: ⌊(D/γ)²⌋ mistakes at margin γ. The Perceptron's is optimal.

x_t = D·e_t tells nothing about any later instance.  With m = ⌊(D/γ)²⌋ of them and ±1 for the labels, u = (γ/D)·Σ y_t·e_t has
y_t·(u·x_t) = γ on every round, and |u|² = m·γ²/D² ≤ 1.  So the labels are those of a halfspace of margin γ, whatever they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from littlestone.concepts.disjunctions import whole
from littlestone.concepts.halfspaces import Separator
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Player
from littlestone.theory.settings import MODERATE_NUMBER

MOST = 10**7  # mistakes: a gamma that asks for more is a slip of the pen


@dataclass(frozen=True, repr=False)
class Orthonormal(Adversary):
    n: int
    gamma: Fraction
    D: Fraction

    source = "Kanade, Lecture 10, section 4 (Sheet 6, Problem 3)"

    @property
    def forces(self) -> int:
        return number(self.D, self.gamma)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        length = int(self.D) if self.D.denominator == 1 else self.D
        for t in range(self.forces):
            x = {t: length}
            yield x, not learner.predict(x)

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Separator:
        share = self.gamma / self.D
        return Separator({t: share if y else -share for x, y in stream if isinstance(x, Mapping) for t in x}, self.gamma, self.D)


def number(D: Fraction, gamma: Fraction) -> int:
    """⌊(D/γ)²⌋."""
    return int((D / gamma) ** 2)


def margin_for(n: int, D: Fraction) -> Fraction:
    """A margin γ with ⌊(D/γ)²⌋ = n: the largest of least numerator, in units of D.

    >>> margin_for(16, Fraction(1)), margin_for(8, Fraction(1)), number(Fraction(3), margin_for(8, Fraction(3)))
    (Fraction(1, 4), Fraction(6, 17), 8)
    """
    p = 1
    while (q := 1 + isqrt(p * p * n - 1)) ** 2 >= p * p * (n + 1):  # q is the least whole number with (q/p)² ≥ n
        p += 1
    return D * Fraction(p, q)


def orthonormal(gamma: Any = None, *, n: int | None = None, D: Any = 1) -> Orthonormal:
    """⌊(D/γ)²⌋ mistakes on a halfspace of margin γ, instances of length D, in as many dimensions (or n, if that is more).

    Given n alone, the margin is one that makes it n mistakes.

    >>> import littlestone as ls
    >>> game = ls.adversaries.meet(ls.perceptron(), orthonormal("1/4"))
    >>> game.mistakes, game.witness.assume
    (16, 'margin:gamma=1/4,R=1')
    >>> orthonormal(n=8)
    orthonormal(n=8, gamma=6/17, D=1)
    """
    length = MODERATE_NUMBER.take(D, "D")
    q = length.denominator
    require(
        length > 0 and length.numerator < 2**24 and q & (q - 1) == 0,
        f"D={D!r} must be a positive number that single precision holds exactly, such as 1, 2 or 1/2: instances are kept so",
    )
    dimensions = None if n is None else whole(n, "n")
    if gamma is not None:
        width = MODERATE_NUMBER.take(gamma, "gamma")
    else:
        require(n is None or n <= MOST, f"n={n!r}: at most {MOST:,} rounds are played")
        width = length / 4 if dimensions is None else margin_for(dimensions, length)
    require(0 < width <= length, f"gamma={gamma!r} must lie between 0 and D={D}: no instance is further than D from a border through 0")
    m = number(length, width)
    require(m <= MOST, f"gamma={gamma!r} and D={D}: {m:,} mistakes, and as many features; at most {MOST:,} are played")
    require(n is None or n >= m, f"n={n}: at gamma={gamma}, {m:,} instances are to be orthogonal; expected at least n={m}")
    return Orthonormal(m if dimensions is None else dimensions, width, length)
