"""Binary search, against the prediction: n mistakes on the half-intervals of 2^n points, and no end of them on the rationals.

The half-intervals are c_a(x) = 1 iff x ≥ a, a = 0 to 2^n - 1.  While several a are possible, show the point that half of them have reached,
and say the opposite of what is predicted: half are left.  After n rounds one is left.  (No two points are shattered, VCD is 1.)

Between two rationals lies a third.  So there the search never ends, and no learner has a mistake bound: a halfspace needs a margin.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction
from typing import Any

from littlestone.concepts.disjunctions import whole
from littlestone.concepts.half_intervals import HalfInterval, HalfIntervals
from littlestone.concepts.halfspaces import Separator
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Player

MOST_POINTS, MOST_NUMBERS = 24, 100  # a feature a point, 2^24 of them; a number must fit a float
DOWN, UP = Context(6, ROUND_DOWN), Context(6, ROUND_UP)


@dataclass(frozen=True, repr=False)
class Bisection(Adversary):
    """On 2^n points: point i is the instance {i: 1}."""

    exponent: int

    source = "Kanade, Lecture 10, section 3, Binary Search"

    @property
    def n(self) -> int:  # type: ignore[override]
        return 2**self.exponent

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"n": self.exponent}

    @property
    def forces(self) -> int | None:
        return self.exponent

    @property
    def concepts(self) -> HalfIntervals | None:  # type: ignore[override]
        return HalfIntervals(self.n, empty=False)

    @property
    def start(self) -> tuple[Any, Any]:
        """Points known to be 0 and 1 beforehand, whatever the concept (-1 is no point, but the search may think so)."""
        return -1, 2**self.exponent - 1

    def between(self, zero: Any, one: Any) -> Any:
        """The point in the middle; None if there is none between."""
        return (zero + one) // 2 if one - zero > 1 else None

    def instance(self, point: Any) -> Instance:
        return {point: 1}

    def point(self, x: Instance) -> Any:
        assert isinstance(x, Mapping)
        return next(iter(x))

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        zero, one = self.start
        while (point := self.between(zero, one)) is not None:
            x = self.instance(point)
            y = not learner.predict(x)
            zero, one = (zero, point) if y else (point, one)
            yield x, y

    def reached(self, stream: Sequence[tuple[Instance, bool]]) -> tuple[Any, Any]:
        """The last point that is known to be 0, and the first that is known to be 1."""
        zero, one = self.start
        for x, y in stream:
            zero, one = (zero, self.point(x)) if y else (self.point(x), one)
        return zero, one

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Any:
        return HalfInterval(self.reached(stream)[0] + 1, self.n)


@dataclass(frozen=True, repr=False)
class OfNumbers(Bisection):
    """The same points as numbers: i is the instance {0: i, 1: 1}. The constant gives a linear learner a threshold."""

    @property
    def n(self) -> int:  # type: ignore[override]
        return 2

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"n": self.exponent, "numbers": True}

    @property
    def concepts(self) -> None:  # type: ignore[override]
        """(Its instances are numbers, not points of a finite class.)"""
        return None

    def instance(self, point: Any) -> Instance:
        return {0: point, 1: 1}

    def point(self, x: Instance) -> Any:
        return x[0]

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Separator:
        """x ≥ a, a half way between the last 0 and the first 1: as a vector (1, -a), whose margin shrinks as the search goes on."""
        zero, one = map(Fraction, self.reached(stream))
        a, apart = (zero + one) / 2, (one - zero) / 2
        longest = max((Fraction(self.point(x)) ** 2 for x, _ in stream), default=Fraction(0)) + 1
        gamma, R = (_root(square, way) for square, way in ((apart**2 / (1 + a**2), DOWN), (longest, UP)))
        return Separator({0: Fraction(1), 1: -a}, gamma, R)


@dataclass(frozen=True, repr=False)
class OfRationals(OfNumbers):
    """Rationals between 0 and 1, exactly."""

    ends = False

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"rationals": True}

    @property
    def forces(self) -> None:
        return None

    @property
    def start(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(1)

    def between(self, zero: Any, one: Any) -> Fraction:
        return (zero + one) / 2


def _root(square: Fraction, way: Context) -> Decimal:
    """The root to six figures, never above it (DOWN) or never below it (UP)."""
    wide = Context(60)
    root = way.plus(wide.sqrt(wide.divide(Decimal(square.numerator), Decimal(square.denominator))))
    if way is DOWN:
        return root if Fraction(root) ** 2 <= square else root.next_minus(way)
    return root if Fraction(root) ** 2 >= square else root.next_plus(way)


def bisection(n: int | None = None, *, numbers: bool = False, rationals: bool = False) -> Bisection:
    """n mistakes (4 unless given) on the half-intervals of 2^n points, a feature each. `numbers=True` shows a point as a number, and the
    constant 1 as a second feature. `rationals=True` has no end.

    >>> import littlestone as ls
    >>> game = ls.adversaries.meet(ls.halving("half_intervals", n=256), bisection(8))
    >>> game.mistakes, game.witness
    (8, HalfInterval(a=127))
    >>> game = ls.adversaries.meet(ls.perceptron(), bisection(rationals=True), rounds=20)
    >>> game.mistakes, game.witness, game.witness.assume
    (20, x0 - 1398101/2097152·x1 ≥ 0, 'margin:gamma=3.96752E-7,R=1.25')
    """
    if rationals:
        require(n is None, f"n={n!r}: the rationals have no end; expected no n, and a number of rounds")
        return OfRationals(0)
    exponent = whole(4 if n is None else n, "n")
    most = MOST_NUMBERS if numbers else MOST_POINTS
    instead = "" if numbers else "; numbers=True has no feature for each"
    require(exponent <= most, f"n={n!r}: 2^{n} points; expected n up to {most}{instead}")
    return OfNumbers(exponent) if numbers else Bisection(exponent)
