"""Halfspaces through the origin with a margin: y = sign(u·x), |u| = 1, and no instance nearer the border than γ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row
from littlestone.concepts.disjunctions import whole
from littlestone.errors import LittlestoneError, require


@dataclass(frozen=True, eq=False)
class Halfspace(Concept):
    """1 where u·x ≥ 0."""

    weights: np.ndarray = field(repr=False)
    gamma: float

    def __call__(self, row: Row) -> bool:
        values = row.items() if isinstance(row, dict) else ((i, 1.0) for i in row)
        return bool(sum(v * self.weights[i] for i, v in values) >= 0)

    @property
    def witness(self) -> dict[int, float]:
        return dict(enumerate(self.weights.tolist()))

    @property
    def assume(self) -> str:
        return f"margin:gamma={self.gamma}"


@dataclass(frozen=True)
class Separator(Concept):
    """1 where u·x ≥ 0, in exact arithmetic. On the stream it was made for y·(u·x)/|u| ≥ γ, and |x| ≤ R.

    >>> from fractions import Fraction
    >>> u = Separator({0: Fraction(1), 1: Fraction(-3, 8)}, Fraction(1, 9), Fraction(2))
    >>> u, u({0: Fraction(1, 3), 1: 1}), u.assume
    (x0 - 3/8·x1 ≥ 0, False, 'margin:gamma=1/9,R=2')
    """

    weights: Mapping[int, Fraction]
    gamma: Fraction | Decimal
    R: Fraction | Decimal

    def __call__(self, row: Row) -> bool:
        values = row.items() if isinstance(row, Mapping) else ((i, 1) for i in row)
        return sum((self.weights.get(i, Fraction(0)) * Fraction(v) for i, v in values), Fraction(0)) >= 0

    def __repr__(self) -> str:
        def times(w: Fraction) -> str:
            return "" if w == 1 else f"{w}·" if len(str(w)) <= 24 else f"≈{float(w):.9g}·"

        terms = [f"{'-' if w < 0 else '+'} {times(abs(w))}x{i}" for i, w in sorted(self.weights.items())]
        shown = " ".join(terms if len(terms) <= 8 else [*terms[:7], "+ …"]).removeprefix("+ ")
        return f"{'-' + shown[2:] if shown.startswith('- ') else shown or '0'} ≥ 0"

    @property
    def witness(self) -> dict[int, Fraction]:
        return dict(self.weights)

    @property
    def assume(self) -> str:
        return f"margin:gamma={self.gamma},R={self.R}"


@dataclass(frozen=True, repr=False)
class Halfspaces(ConceptClass):
    n: int
    gamma: float

    domain = "real"
    size = None

    def _concept(self, c: int) -> Halfspace:
        raise LittlestoneError("halfspaces are not numbered: use draw(seed) or of(weights)")

    def of(self, weights: Any) -> Halfspace:
        """The halfspace of these weights, scaled to length 1."""
        direction = np.asarray(weights, np.float64)
        require(direction.shape == (self.n,), f"weights of shape {direction.shape}; expected n={self.n} of them")
        require(np.isfinite(direction).all() and direction.any(), "weights must be finite numbers, and not all 0")
        direction = direction / np.abs(direction).max()
        return Halfspace(direction / np.sqrt(direction @ direction) * (1 - 2.0**-50), self.gamma)  # never longer than 1

    def draw(self, seed: int = 0) -> Halfspace:
        return self.of(np.random.default_rng((seed,)).standard_normal(self.n))

    def disturbed(self, row: Row, noise: float, rng: np.random.Generator) -> Row:
        """Attribute noise: each value changes its sign with that probability."""
        assert isinstance(row, dict)
        flipped = rng.random(len(row)) < noise
        return {i: -v if flip else v for (i, v), flip in zip(row.items(), flipped, strict=True)}


def halfspaces(n: int, gamma: float) -> Halfspaces:
    """The halfspaces of n real features; their instances have length 1 and lie at least γ from the border.

    >>> import littlestone as ls
    >>> C = halfspaces(20, gamma=0.1)
    >>> run = ls.play(ls.perceptron(bias=0), C.blocks(1000, seed=5))
    >>> claim = run.bounds(C.draw(seed=5).assume)[0]
    >>> claim.name, claim.limit, claim.holds
    ('perceptron-margin', 100, True)
    """
    whole(n, "n")
    require(0 < gamma < 1, f"gamma={gamma!r} must lie between 0 and 1: instances have length 1")
    return Halfspaces(n, float(gamma))
