"""Whom a rule over advice is compared with: the best expert, the best mixture of experts, the best sequence of them."""

from fractions import Fraction
from math import exp, fsum, log
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.theory.experts import mixed
from littlestone.theory.numbers import Exact, Real

SHARPEST = 2**30  # the weight of the best expert in a mixture; weights are whole numbers, so that anyone can check them exactly
MANY = 1_000  # different losses beyond which weights are taken from a scale
LARGEST_TABLE = 400_000_000  # numbers that the notes of all paths may take


class Mixture(NamedTuple):
    """Experts mixed in proportion to whole numbers: what the mixture loses, and its divergence from trusting all alike, rounded up."""

    weights: np.ndarray
    m: Fraction
    kl: Real


class ExpertPath(NamedTuple):
    """An expert for each round."""

    experts: np.ndarray
    switches: int
    m: Fraction

    @property
    def segments(self) -> list[tuple[int, int]]:
        """Where each stretch begins, counted from 0, and its expert."""
        begins = np.flatnonzero(np.diff(self.experts, prepend=-1))
        return [(int(t), int(self.experts[t])) for t in begins]


def mixture(losses: Any, eta: float) -> Mixture:
    """The mixture q with the least η·(q·L) + KL(q‖uniform): q_i in proportion to e^(-η·L_i). At η = ∞ the best experts alike.

    >>> best = mixture([1.0, 1.0, 9.0, 9.0], float("inf"))
    >>> best.weights.tolist(), best.m, round(float(best.kl), 6)       # two of four: KL = ln 2
    ([1, 1, 0, 0], Fraction(1, 1), 0.693147)
    """
    added = _totals(losses)
    require(eta > 0, f"eta={eta!r} must be positive")
    behind = added - added.min()
    different, place = np.unique(behind, return_inverse=True)
    shares = np.array([SHARPEST if b == 0 else round(SHARPEST * exp(-min(700.0, eta * b))) for b in different.tolist()], np.int64)
    if len(different) > MANY:  # near the best mixture others are nearly as good: few different weights are soon checked
        step = np.round(8 * np.log2(np.maximum(shares, 1)))
        shares = np.where(shares > 0, np.round(2 ** (step / 8)), 0).astype(np.int64)
    shares //= np.gcd.reduce(shares)
    weights = shares[place]
    m, kl = mixed(weights.tolist(), [Fraction(loss) for loss in added.tolist()])
    return Mixture(weights, m, kl)


def best_path(losses: Any, most: int) -> list[ExpertPath | None]:
    """For each number of changes from 0 to `most`, the sequence of experts with the least loss that changes no more often; None if asleep.

    `losses` has a row for each round and a column for each expert, NaN while one sleeps: nobody follows a sleeper.

    >>> [(path.switches, str(path.m)) for path in best_path([[0, 1], [0, 1], [1, 0], [1, 0.5]], 2)]
    [(0, '2'), (1, '1/2'), (1, '1/2')]
    """
    table = _table(losses)
    require(int(most) == most >= 0, f"most={most!r} must be a whole number of changes, 0 or more")
    most = min(int(most), max(0, len(table) - 1))
    fits = (most + 1) * (table.shape[1] + 2 * len(table)) <= LARGEST_TABLE
    require(fits, f"{len(table)} rounds and {most} changes: too many to keep; best_switches finds the path for a price of a change")
    paths, costs = np.zeros((most + 1, len(table)), np.int32), np.empty(most + 1)
    native.core.paths_with_changes(table, most, paths, costs)
    return [_path(table, experts) if cost < np.inf else None for experts, cost in zip(paths, costs, strict=True)]


def best_switches(losses: Any, *, alpha: Exact, eta: Exact | None = None, beta: Exact | None = None) -> ExpertPath | None:
    """The sequence of experts for which fixed share's bound is least; None if in some round everybody slept.

    Both bounds are linear in the loss m and the changes S, so a change has a price, and no number of changes need be tried: with η the
    price is (ln n + ln(1/α) - ln(1/(1-α)))/η (`theory.experts.shifting`), with β (ln(n/α) + ln(1-α))/ln(1/β) (`shifting_mistakes`, over the
    rule's mistake rounds: pass only those rows).

    >>> path = best_switches([[0, 1]] * 20 + [[1, 0]] * 30, alpha=Fraction(1, 20), eta=1)
    >>> path.switches, str(path.m), path.segments
    (1, '0', [(0, 0), (20, 1)])
    """
    table = _table(losses)
    require((eta is None) != (beta is None), "give eta (the randomised form) or beta (the deterministic one)")
    code = log(table.shape[1]) - log(alpha) + log(1 - alpha)
    price = max(0.0, code / (float(eta) if eta is not None else -log(beta)))  # type: ignore[arg-type]
    experts = np.zeros(len(table), np.int32)
    return _path(table, experts) if native.core.path_at_a_price(table, price, experts) < np.inf else None


def losses_of(advice: Any, truth: Any) -> np.ndarray:
    """|a - y| for each round that was told and each expert, NaN while asleep: the table that paths are made from."""
    codes = np.asarray(truth)
    known = codes >= 0
    return np.abs(np.asarray(advice, np.float64)[known] - codes[known, None])


def _path(table: np.ndarray, experts: np.ndarray) -> ExpertPath:
    lost = table[np.arange(len(table)), experts]
    return ExpertPath(experts, int((experts[1:] != experts[:-1]).sum()), Fraction(fsum(lost)))


def _totals(losses: Any) -> np.ndarray:
    added = np.asarray(losses, np.float64)
    require(added.ndim == 1 and len(added) > 0 and bool(np.isfinite(added).all()), "losses must have a finite number for each expert")
    return added


def _table(losses: Any) -> np.ndarray:
    table = np.ascontiguousarray(losses, np.float64)
    require(table.ndim == 2 and table.shape[1] > 0, f"losses must be rounds × experts; got the shape {table.shape}")
    return table
