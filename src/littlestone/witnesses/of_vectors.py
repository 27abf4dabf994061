"""Vectors for the bounds in hindsight: where each is looked for, and what it makes of the rounds, rounded outward.

Sums are over the updates, and there u = 0 has the limit "as many as there were", which no vector beats.  So a vector is chosen by a weaker
form that does not collapse: the Perceptron's K + 2L (at u = 0 it is 2M), ALMA's with rows of length 1, the p-norm Perceptron's likewise;
balanced Winnow's 2L + 2(|u|₁/η)·ln 2n with |u|₁ ≤ η/(2g).  Then the bound itself is stated for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.theory import passive_aggressive as theory
from littlestone.theory.alma import constant
from littlestone.theory.balanced_winnow import growth as growth_of
from littlestone.theory.evidence import Vector
from littlestone.witnesses.machines import ball_vector, pnorm_machine
from littlestone.witnesses.played import Played
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.separating import separating_vector
from littlestone.witnesses.vectors import FAR, pa_vector

Candidates = Iterator[tuple[Any, dict[str, Any]]]
TWELVE = Context(prec=12, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)
TWELVE_DOWN = Context(prec=12, rounding=ROUND_FLOOR, Emin=-999_999, Emax=999_999)
OUTWARD = 1 + 2.0**-40


def above(x: float) -> Decimal:
    """A decimal of twelve digits that is x or a little more, and more than x itself may have lost in doubles.

    >>> above(0.1), above(0.0)
    (Decimal('0.100000000001'), Decimal('0'))
    """
    return TWELVE.create_decimal(Decimal(x * OUTWARD)) if x else Decimal(0)


def below(x: float) -> Decimal:
    """The same, x or a little less, of a positive x.

    >>> below(0.1)
    Decimal('0.0999999999999')
    """
    return TWELVE_DOWN.create_decimal(Decimal(x / OUTWARD))


def vector_of(
    played: Played, whole: np.ndarray, exponent: int, biased: bool = False, level: Fraction = Fraction(1)
) -> tuple[Vector, np.ndarray, float]:
    """A vector of whole numbers over 2^exponent as a witness, as doubles, and the doubles' last entry where it is a bias."""
    up = max(0, -exponent)
    bias = int(whole[-1]) << up if biased else 0
    features = whole[:-1] if biased else whole
    (where,) = np.nonzero(features)
    weights = {played.name(int(i)): int(features[i]) << up for i in where}
    u = value_of(features, exponent)
    return Vector(weights, exponent + up, bias, level), u, float(value_of(whole[-1:], exponent)[0]) if biased else 0.0


def slips(played: Played, X: Any, u: np.ndarray, ever: float) -> np.ndarray:
    """What rounding may have done to u·x in each row."""
    sizes = played.sizes if X is played.X else abs(X)
    return (sizes @ np.abs(u) + abs(ever)) * ((played.run.widest_row + 4) * 2.0**-52)


def losses(played: Played, u: np.ndarray, ever: float = 0.0, X: Any = None, level: float = 1.0) -> np.ndarray:
    """max(0, level - y·(u·x)) of each round, rounded up; `ever` is what a bias feature adds to u·x."""
    X = played.X if X is None else X
    return np.maximum(0.0, level - played.y * (X @ u + ever) + slips(played, X, u, ever))


def total(played: Played, amounts: np.ndarray) -> Decimal:
    """Σ c·amount over the rounds, rounded up."""
    return above(float(np.sum(amounts * played.weights)) * (1 + len(amounts) * 2.0**-53))


def split(u: np.ndarray, rho: float) -> tuple[np.ndarray, float]:
    """A vector and what its last entry, the bias, adds to every u·x."""
    return (u[:-1], rho * float(u[-1])) if rho > 0 else (u, 0.0)


# ---- the Perceptron ----


def price(played: Played, rho: float, beta: float) -> float:
    """κ, with K = κ|u|²: the mean of c²|x|², and 2β."""
    c = played.weights
    count = float(np.sum(c))
    mean = float(np.sum(c * c * (played.squares + rho * rho))) / count if count else 0.0
    return (mean + 2 * beta) * (1 + (len(c) + 8) * 2.0**-52)


def squared(u: np.ndarray) -> float:
    """|u|², rounded up a little."""
    return float(u @ u) * (1 + (len(u) + 2) * 2.0**-52)


def perceptron_hinge(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    kappa = price(played, rho, beta)
    found = np.zeros(played.X.shape[1] + (rho > 0))
    if kappa > 0:
        found = pa_vector(played.X, played.y, played.c, C=1 / kappa, bias=rho, seconds=seconds)

    def limit(u: np.ndarray) -> float:
        plain, ever = split(u, rho)  # (to choose how many bits are enough, rounding need not be looked at)
        return kappa * float(u @ u) + 2 * float(np.maximum(0.0, 1.0 - played.y * (played.X @ plain + ever)) @ played.weights)

    whole, exponent = quantised(found, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    K = above(kappa * squared(np.append(u, bias)))
    yield witness, {"K": K, "L": total(played, losses(played, u, rho * bias))}


HOPELESS = 1_000  # mistakes in the second half, beside one round in twenty


def perceptron_separable(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    late = int((played.rows[played.wrong] > (played.first + played.last) // 2).sum())
    if late > HOPELESS + (played.last - played.first) // 40:
        return  # one round in twenty is still a mistake in the second half: a margin, if there is one, is too small to be worth the search
    if not len(played.y) or separating_vector(played.X, played.y, bias=rho, seconds=seconds) is None:
        return  # the updates alone cannot be separated, so neither can all rounds
    X, y, taught = played.every
    found = separating_vector(X, y, bias=rho, first=taught, seconds=seconds)
    if found is None:
        return

    def least(u: np.ndarray) -> float:
        plain, ever = split(u, rho)
        return float((y * (X @ plain + ever) - slips(played, X, plain, ever)).min())

    def limit(u: np.ndarray) -> float:
        g = least(u)
        return float(u @ u) / (g * g) if g > 0 else np.inf

    whole, exponent = quantised(found, limit=limit)
    g = least(value_of(whole, exponent))
    if g > 0:
        witness, u, bias = vector_of(played, whole, exponent, rho > 0)
        yield witness, {"K": above(price(played, rho, beta) * squared(np.append(u, bias))), "g": below(g)}


# ---- the Passive-Aggressive rules ----


def pa_comparator(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, second = float(settings["bias"]), settings["variant"] == "II"
    C = None if settings["C"] is None else float(settings["C"])
    c, lengths = played.weights, played.squares + rho * rho
    short = lengths * (1 - (played.run.widest_row + 8) * 2.0**-51)  # |x|², rounded down a little
    moved = np.flatnonzero(c > 0)
    found = pa_vector(
        played.X[moved], played.y[moved], c[moved] if C is not None else None, C=C, variant=settings["variant"], bias=rho, seconds=seconds
    )
    full = (c > 0) & (lengths > 0)

    def loss(plain: np.ndarray, ever: float) -> np.ndarray:
        """What each update adds to L, or without C to b²."""
        gaps = losses(played, plain, ever)
        if C is not None:
            return c * (gaps**2 if second else gaps)
        return np.divide(gaps**2, short, out=np.zeros(len(c)), where=full)

    def limit(u: np.ndarray) -> float:
        lost, size = float(np.sum(loss(*split(u, rho)))), float(u @ u)
        return size + 2 * C * lost if C is not None else np.sqrt(lost) + np.sqrt(lost + size)

    whole, exponent = quantised(found, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    grown = 1 + (len(c) + 8) * 2.0**-52
    lost = above(float(np.sum(loss(u, rho * bias))) * grown)
    steps = np.divide(1.0, short, out=np.zeros(len(c)), where=full)
    if C is not None:
        steps = np.minimum(steps, 2 * c * C)
    drift = above(float(theory.rounding(len(moved), played.run.widest_row)) * float(np.sum(steps)) * grown)
    facts = {"u2": above(squared(np.append(u, bias))), "drift": drift}
    yield witness, facts | ({"b2": lost} if C is None else {"L": lost, "C": settings["C"]})


# ---- ALMA ----


def alma_hinge(played: Played, seconds: float) -> Candidates:
    """With u = g·u' it is the Perceptron's bound for u' on rows of length 1, κ = A², and best at g = 1/|u'|."""
    settings = played.learner.settings
    rho = float(settings["bias"])
    A = float(constant(settings["alpha"], 4))
    X: Any = played.X
    if rho > 0:
        X = sparse.hstack([X, sparse.csr_matrix(np.full((len(played.y), 1), rho))]).tocsr()
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    unit = sparse.diags(np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)) @ X
    found = pa_vector(unit, played.y, C=1 / (A * A), seconds=seconds)
    size = float(np.sqrt(found @ found))
    u, g = (found / size * (1 - 2.0**-12), 1 / size) if size else (found, FAR)

    def limit(u: np.ndarray) -> float:
        return A * A / (g * g) + 2 * float(np.sum(losses(played, u, X=unit, level=g))) / g

    whole, exponent = quantised(u, limit=limit)
    while float(value_of(whole, exponent) @ value_of(whole, exponent)) > 1 - 2.0**-40:  # rounding has taken it out of the ball
        whole = np.trunc(whole * (1 - 2.0**-6)).astype(np.int64)
    level = Fraction(max(1, int(g * 2**24)), 2**24) if g < FAR else Fraction(FAR)
    witness, _, _ = vector_of(played, whole, exponent, rho > 0, level)
    u = value_of(whole, exponent)
    slip = (abs(unit) @ np.abs(u)) * ((played.run.widest_row + 16) * 2.0**-50)  # a quotient and a root more than elsewhere
    yield witness, {"level": level, "L": total(played, np.maximum(0.0, float(level) - played.y * (unit @ u) + slip))}


# ---- the p-norm Perceptron ----


def pnorm_hinge(played: Played, seconds: float) -> Candidates:
    p, c = played.learner.settings["p"], played.weights
    rows = abs(played.X)
    largest = float(rows.data.max(initial=0.0))
    if largest:
        rows.data /= largest
    longest = float((c * np.asarray(rows.power(p).sum(axis=1)).ravel() ** (2 / p)).max(initial=0.0)) * largest * largest
    kappa = (p - 1) * longest
    found = np.zeros(played.X.shape[1])
    if kappa > 0:
        found = pnorm_machine(played.X, played.y, played.c, p=p, C=1 / kappa, seconds=seconds)

    def length2(u: np.ndarray) -> float:
        """|u|_q², rounded up: powers by the machine's own pow, good to far more than 2^-34."""
        top = float(np.abs(u).max(initial=0.0))
        return top * top * float(np.sum((np.abs(u) / top) ** (p / (p - 1)))) ** (2 - 2 / p) * (1 + 2.0**-34) if top else 0.0

    def limit(u: np.ndarray) -> float:
        return kappa * length2(u) + 2 * float(np.sum(losses(played, u) * c))

    whole, exponent = quantised(found, limit=limit)
    witness, u, _ = vector_of(played, whole, exponent)
    yield witness, {"K": above(kappa * (1 + 2.0**-34) * length2(u)), "L": total(played, losses(played, u))}


# ---- balanced Winnow ----


def balanced_hinge(played: Played, seconds: float) -> Candidates:
    settings, X = played.learner.settings, played.X
    eta, nu = settings["eta"], settings["margin"]
    n = max(1, len(np.unique(X.indices[X.data != 0])))
    largest = Fraction(float(np.abs(X.data).max(initial=0.0))) or Fraction(1)
    growth = float(growth_of(eta, largest, nu))
    a, cap = float(np.log(2 * n)) / float(eta), float(eta) / (2 * growth) if growth > 0 else np.inf
    cap = min(cap, 2.0**60)
    found = ball_vector(X, played.y, a=a, cap=cap, seconds=seconds)
    if not found.any():  # no feature is worth its price: then the least loss in the ball, whatever it costs
        found = ball_vector(X, played.y, a=len(played.y) / 100 / cap, cap=cap, seconds=seconds)
    if not found.any():  # a tiny entry has a finite limit all the same
        pull = np.asarray(X.T @ played.y).ravel()
        k = int(np.abs(pull).argmax())
        found[k] = np.copysign(min(cap, 2.0**-20 / float(largest)), pull[k])

    def limit(u: np.ndarray) -> float:
        size = float(np.abs(u).sum())
        return (float(np.sum(losses(played, u))) + a * size) / max(2.0**-20, 1 - size / (2 * cap)) if size > 0 else np.inf

    whole, exponent = quantised(found, limit=limit)
    witness, u, _ = vector_of(played, whole, exponent)
    yield witness, {"n": n, "X": largest, "U": witness.absolute(), "L": total(played, losses(played, u))}


#: By the bound's name.
VECTORS: dict[str, Callable[[Played, float], Candidates]] = {
    "alma-hinge": alma_hinge,
    "balanced-winnow-hinge": balanced_hinge,
    "pa-comparator": pa_comparator,
    "perceptron-hinge": perceptron_hinge,
    "perceptron-separable": perceptron_separable,
    "pnorm-hinge": pnorm_hinge,
}
