"""What a figure is, and what typical runs are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Any

import littlestone as ls

F = Fraction
SEEDS = range(10)


@dataclass(frozen=True)
class Line:
    kind: str  # how it looks: a key of figures.STYLES
    label: str
    y: Sequence[float | None]
    x: Sequence[float] | None = None  # where it has places of its own


@dataclass(frozen=True)
class Figure:
    title: str
    xlabel: str
    x: Sequence[float]
    lines: Sequence[Line]
    ylabel: str = "mistakes"
    log: str = ""  # "x", "y" or "xy"


FIGURES: dict[str, Callable[[], Figure]] = {}


def figure(make: Callable[[], Figure]) -> Callable[[], Figure]:
    FIGURES[make.__name__.rstrip("_")] = make
    return make


def usual(learner: Any, concepts: Any, rounds: int, **how: Any) -> float:
    """Mistakes of a typical run: the mean over ten seeds, each with a target of its own."""
    return mean(ls.play(learner, concepts.blocks(rounds, seed=seed, **how)).mistakes for seed in SEEDS)


def played(learner: Any, X: Any, y: Any) -> int:
    return ls.play(learner, X, y).mistakes
