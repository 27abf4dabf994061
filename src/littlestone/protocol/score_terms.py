"""A score taken apart: what each feature of a row adds to it, and what else does."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Term(NamedTuple):
    """A part of a score that is no feature of the row: a bias, a vote, a feature that is missed (its column is the name), or a product of
    features (the name is their columns)."""

    name: str | int | tuple[int, ...]
    value: float
    weight: float | None
    contribution: float
    level: float  # the number that updates move; 0 where a state has no such term


class ScoreTerms(NamedTuple):
    """What the score of a row is made of; 1 is predicted where it reaches the threshold. The arrays are in the order of the row.

    `levels` are the numbers that updates move: the weights themselves, or what they are made of; `kind` is the name of these numbers.
    Arrays are None where a row counts as a whole. Weights and contributions are also None where nobody knows them.
    """

    weights: np.ndarray | None
    contributions: np.ndarray | None
    levels: np.ndarray | None
    others: tuple[Term, ...] = ()
    threshold: float | None = 0.0
    kind: str = "weight"
    words: str = ""  # what the numbers do not say


def linear(
    weights: np.ndarray,
    values: np.ndarray | None,
    *,
    levels: np.ndarray | None = None,
    kind: str = "weight",
    others: Iterable[Term] = (),
    threshold: float = 0.0,
    words: str = "",
) -> ScoreTerms:
    """The parts of a weighted sum.

    >>> linear(np.array([2.0, -1.0]), np.array([1, 3], np.float32)).contributions.tolist()
    [2.0, -3.0]
    """
    contributions = weights if values is None else weights * values
    return ScoreTerms(weights, contributions, weights if levels is None else levels, tuple(others), float(threshold), kind, words)


def whole(*terms: Term, threshold: float = 0.0, words: str = "") -> ScoreTerms:
    """The parts where the instance counts as a whole."""
    return ScoreTerms(None, None, None, terms, threshold, "count", words)


def bias_term(value: float, weight: float, contribution: float | None = None) -> tuple[Term, ...]:
    """The feature of that value in every instance; none where the value is 0. `contribution` is given where the score rounds otherwise."""
    if value == 0:
        return ()
    value, weight = float(value), float(weight)
    return (Term("bias", value, weight, value * weight if contribution is None else float(contribution), weight),)
