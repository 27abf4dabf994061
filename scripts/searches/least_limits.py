"""The vector whose bound is least, for the Perceptron, ALMA, the p-norm Perceptron and balanced Winnow, and a proof of how near it is.

A bound charges for a vector u: the limit B(u) solves B = L(u) + λ(B)·|u|, L the hinge loss of u.

λ grows with B, and more slowly than B, so B ≤ t exactly when L(u) + λ(t)|u| ≤ t: these sets are convex, and a descent ends at the least B.

How small B can be at all: take 0 ≤ α ≤ c, A = Σα and v = Σ α·y·x.  Then L(u) ≥ Σα(1 - y·u·x) ≥ A - |u||v|, |v| in the dual norm; so if
|v| ≤ λ(A), L(u) + λ(A)|u| ≥ A and B(u) ≥ A for every u.  Where |v| is larger, a smaller multiple of α does it.

With L over the updates alone, α = c gives Σc, which u = 0 attains: the proof of each bound says |v| ≤ λ(Σc) for the v that the learner
collected.  So over the updates no u is better than 0, whose limit is the number of mistakes itself.  Over all rounds B says something.

So certificates choose their vectors by a weaker form (`littlestone.witnesses.searches`), and these searches say what the bounds could be.

For the Perceptron, ½|u|² + CΣc·hinge is least at a support vector machine whose C is not known beforehand: at the optimum C·|v| = |u| and
|v|² = κB.  So a pass of dual coordinate descent (Hsieh et al. 2008) and a step of C take turns, both from where they stand.  The p-norm
Perceptron has the p-norm of v in the dual: min (C/2)|v|_p² - Σα over 0 ≤ α ≤ c, and u = C·∇½|v|_p², |u|_q = C|v|_p.  For balanced Winnow
and a limit B it is Σc·hinge + λ|u|₁ with λ = (ln 2n + gB)/η.

>>> u = pnorm_vector([[1, 0, 1], [1, 1, 0], [0, 1, 1]], [1, 1, -1], p=4, kappa=0.1)
>>> u.round(1).tolist()
[1.5, -0.5, -0.5]
>>> X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]] * 50, float)
>>> l1_vector(X, [1, 1, -1, -1] * 50, n=3, eta=0.1, nu=0, X_max=1).round(1).tolist()
[2.0, 0.0, -1.0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf, log, log2
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.theory.balanced_winnow import growth
from littlestone.theory.numbers import fraction
from littlestone.witnesses.floor import Quadratic
from littlestone.witnesses.machines import CHECK
from littlestone.witnesses.rows import IN_CACHE, TOLERANCE, Descent, SignedRows, Work, best_scale, euclidean, rounds, visits
from littlestone.witnesses.searches.alma import FAR
from littlestone.witnesses.sparse import WIDTHS, SparseDescent, margins_of


class Least(NamedTuple):
    """What a search found: the vector, its limit in doubles, and a number that no vector's limit is below, in doubles too.

    `ended` is "proved" where the two are close, "budget" after the work allowed for this size, "work" where the far limit ended it.
    """

    u: np.ndarray
    limit: float
    least: float
    ended: str


@dataclass(frozen=True)
class Fractional:
    """B = (ln 2n + ηL/U)/(η/U - g), that is (aU + L)/(1 - hU) with a = ln(2n)/η and h = g/η: balanced Winnow, U = |u|₁ < 1/h.

    >>> Fractional(2, 0.25).limit(3, 2), Fractional(2, 0.25).rate(4), Fractional(2, 0.25).least(10, 6.5)
    (14.0, 3.0, 5.0)
    """

    a: float
    h: float

    def limit(self, loss: float, size: float) -> float:
        left = 1 - self.h * size
        return (self.a * size + loss) / left if left > 0 else inf

    def rate(self, limit: float) -> float:
        return self.a + self.h * limit

    def least(self, total: float, pull: float) -> float:
        over = pull - self.h * total
        return total * min(1.0, self.a / over) if over > 0 else total


# ---- the Perceptron, and ALMA


def hinge_vector(
    X: Any, y: Any, c: Any = None, *, bias: float = 0.0, extra: float = 0.0, kappa: float | None = None, effort: float = 1.0
) -> np.ndarray:
    """The u with the least ((√K + √(K+4L))/2)², K = κ|u|², L = Σc·hinge over these rounds; `bias` > 0 adds an entry for it, the last.

    κ is Σc²|x|²/Σc + `extra` over these rounds, or `kappa` where the caller knows it: the mean over the updates, when these are all rounds.
    """
    return hinge_search(X, y, c, bias=bias, extra=extra, kappa=kappa, effort=effort).u


def hinge_search(
    X: Any,
    y: Any,
    c: Any = None,
    *,
    bias: float = 0.0,
    extra: float = 0.0,
    kappa: float | None = None,
    effort: float = 1.0,
    tolerance: float = TOLERANCE,
) -> Least:
    """`hinge_vector` with what is known of its quality."""
    data = rounds(X, y, c, bias)
    if kappa is None:
        total = float(data.weights.sum())
        kappa = (float(data.weights**2 @ data.lengths()) / total if total > 0 else 0.0) + extra
    require(kappa >= 0, f"kappa={kappa!r} must not be negative")
    return least_vector(data, Quadratic(kappa), tolerance, Work(effort))


def hinge_limit(X: Any, y: Any, c: Any = None, *, kappa: float, bias: float = 0.0) -> Callable[[np.ndarray], float]:
    """What `hinge_vector` makes small, as a function of u, in doubles."""
    data, price = rounds(X, y, c, bias), Quadratic(kappa)

    def limit(u: np.ndarray) -> float:
        full = data.zeros()
        full[: data.width] = u
        return price.limit(native.core.hinge_losses(data.margins(full), data.weights, 1.0)[0], euclidean(full))

    return limit


def least_vector(data: SignedRows, price: Quadratic, tolerance: float, work: Work) -> Least:
    """Passes of dual coordinate descent, C moved between them until |v|² = κA."""
    total = float(data.weights.sum())
    nothing = np.zeros(data.width)
    start = data.combine(data.weights)
    if price.kappa == 0.0 or price.least(total, euclidean(start)) >= total:
        # α = c proves that 0 is best; κ = 0: no row has a feature
        return Least(nothing, total, total, "proved")
    descent = Descent(data, 1 / price.kappa, work=work)
    best, limit, least = nothing, total, 0.0
    while descent.visited < visits(data):
        far = max(descent.turn() for _ in range(CHECK))
        size = euclidean(descent.u)
        scale, value = best_scale(price, data.margins(descent.u), data.weights, size)
        if value < limit:
            limit, best = value, (scale * descent.u)[: data.width]
        A, v = float(descent.a.sum()) / descent.C, size / descent.C
        least = max(least, price.least(A, v))
        if limit <= (1 + tolerance) * least:
            return Least(best, limit, least, "proved")
        if work.over():
            return Least(best, limit, least, "work")
        step = price.balance(A, v) ** 1.25  # with 1 it creeps, with 1.5 it overshoots where few rows matter
        if abs(step - 1) > tolerance / 4:
            rescale(descent, step)
        elif far < tolerance / 4:
            descent.refresh()
    return Least(best, limit, least, "budget")


def alma_vector(X: Any, y: Any, *, A: float, bias: float = 0.0, effort: float = 1.0) -> tuple[np.ndarray, float]:
    """(u, g), |u| ≤ 1, with the least ((A + √(A² + 4gL))/(2g))², L = Σ max(0, g - y·u·x/|x|) over these rounds.

    With u = g·u' it is the Perceptron's limit for u' on rows of length 1, κ = A², and best at g = 1/|u'|.
    `A` is `theory.alma.constant` times the run's slack.
    """
    rows: Any = sp.csr_matrix(X, dtype=np.float64)
    if bias > 0:
        rows = sp.hstack([rows, sp.csr_matrix(np.full((rows.shape[0], 1), float(bias)))]).tocsr()
    lengths = np.sqrt(np.repeat(rounds(rows, y).lengths(), np.diff(rows.indptr)))
    unit = sp.csr_matrix((rows.data / np.where(lengths > 0, lengths, 1), rows.indices, rows.indptr), shape=rows.shape)
    u = hinge_search(unit, y, kappa=A * A, effort=effort).u
    size = euclidean(u)
    if size == 0.0:
        return u, FAR
    return u / size * (1 - 2.0**-40), 1 / size


def rescale(descent: Descent, factor: float) -> None:
    """Another C; α = a/C stays."""
    descent.C *= factor
    descent.u *= factor
    descent.a = np.minimum(descent.a * factor, descent.C * descent.weights)
    if abs(factor - 1) > 0.01:  # else the rows left out hardly notice
        descent.refresh()


# ---- balanced Winnow


def l1_price(n: int, eta: Any, nu: Any, X_max: Any) -> Fractional:
    """The limit as a function of L and U."""
    rate = fraction(eta, "eta")
    return Fractional(log(2 * n) / float(rate), float(growth(rate, fraction(X_max, "X_max"), fraction(nu, "nu"))) / float(rate))


def l1_vector(X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any, effort: float = 1.0) -> np.ndarray:
    """The u with the least limit over these rounds; never 0, so that the limit is always finite.  η, ν and X are the run's, n its width."""
    return l1_search(X, y, c, n=n, eta=eta, nu=nu, X_max=X_max, effort=effort).u


def l1_limit(X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any) -> Callable[[np.ndarray], float]:
    """What `l1_vector` makes small, as a function of u, in doubles."""
    data, price = rounds(X, y, c), l1_price(n, eta, nu, X_max)
    return lambda u: price.limit(native.core.hinge_losses(margins_of(data, u), data.weights, 1.0)[0], float(np.abs(u).sum()))


def l1_search(
    X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any, effort: float = 1.0, tolerance: float = TOLERANCE
) -> Least:
    """`l1_vector` with what is known of its quality."""
    require(n >= 1, f"n={n!r} must be a positive number of features")
    data, work, price = rounds(X, y, c), Work(effort), l1_price(n, eta, nu, X_max)
    total = float(data.weights.sum())
    pull = data.combine(data.weights)[: data.width]
    tiny = _tiny(data, pull, price, total)
    limit = price.limit(native.core.hinge_losses(margins_of(data, tiny), data.weights, 1.0)[0], float(np.abs(tiny).sum()))
    least = price.least(total, float(np.abs(pull).max(initial=0.0)))
    best = tiny
    if limit <= (1 + tolerance) * least:
        return Least(best, limit, least, "proved")
    search = SparseDescent(data, price, best, limit, least, tolerance, work)
    for coarse in (True, False):
        search.descend(WIDTHS[:4] if coarse else WIDTHS[4:])
        if not search.done() and coarse:
            search.programme()
        if search.done():
            break
    return Least(search.best, search.limit, search.least, "proved" if search.proved() else "work" if work.over() else "budget")


def _tiny(data: SignedRows, pull: np.ndarray, price: Fractional, total: float) -> np.ndarray:
    """A power of two on the feature that pulls hardest: every margin is at most 1, and the limit a millionth above Σc at most."""
    u = np.zeros(data.width)
    if data.width:
        cost = price.rate(total) / max(total, 1.0)  # how fast the limit grows with U, as a share of Σc
        largest = float(np.abs(data.values).max(initial=0.0))
        k = int(np.abs(pull).argmax())
        u[k] = 2.0 ** floor(log2(min(2.0**-20 / max(cost, 2.0**-100), 2.0**-20 / max(largest, price.h, 2.0**-100)))) * (
            -1 if pull[k] < 0 else 1
        )
    return u


# ---- the p-norm Perceptron


def pnorm_vector(X: Any, y: Any, c: Any = None, *, p: int, kappa: float | None = None, effort: float = 1.0) -> np.ndarray:
    """The u with the least limit over these rounds.  κ = (p-1)·max c|x|_p² over them, unless given: over the mistakes, say."""
    return pnorm_search(X, y, c, p=p, kappa=kappa, effort=effort).u


def pnorm_search(
    X: Any, y: Any, c: Any = None, *, p: int, kappa: float | None = None, effort: float = 1.0, tolerance: float = TOLERANCE
) -> Least:
    """`pnorm_vector` with what is known of its quality."""
    require(2 <= p <= 256, f"p={p!r} must be a whole number from 2 to 256")
    data, work = rounds(X, y, c), Work(effort)
    lengths = np.empty(data.count)
    native.core.row_powers(p, data.indptr, data.values, lengths)
    if kappa is None:
        kappa = (p - 1) * float((data.weights * lengths).max(initial=0.0))
    price = Quadratic(kappa)
    total, nothing = float(data.weights.sum()), np.zeros(data.width)
    a = data.weights.copy()
    v, s, z = _start(data, p, a)
    if kappa == 0.0 or price.least(total, float(z[0] * z[2])) >= total:
        return Least(nothing, total, total, "proved")
    a *= min(1.0, kappa * total / float(z[0] * z[2]) ** 2)  # now |v|² = κA
    v, s, z = _start(data, p, a)
    C, high, low, active = 1 / kappa, inf, -inf, np.arange(data.count)
    block, seed, visited = 1 if data.work() < IN_CACHE else 32, 1, 0
    best, limit, least, turn = nothing, total, 0.0, 0
    while visited < visits(data):
        visited += max(len(active), data.count // 8)
        turn += 1
        blocks = np.arange(-(-len(active) // block))
        seed = native.core.shuffle(blocks, seed)
        top, bottom = native.core.descend_pnorm(
            p, data.indptr, data.indices, data.values, data.signs, lengths, C, data.weights, a, v, s, z, active, blocks, block, high, low
        )
        active = active[active >= 0]
        high, low = top if top > 0 else inf, bottom if bottom < 0 else -inf
        if turn % 2:
            continue
        v, s, z = _start(data, p, a)
        if z[0] == 0.0:
            break
        u = C * z[0] / z[2] ** (p - 2) * s
        size, A = float(z[0] * z[2]), float(a.sum())
        scale, value = best_scale(price, data.margins(u), data.weights, C * size)
        if value < limit:
            limit, best = value, (scale * u)[: data.width]
        least = max(least, price.least(A, size))
        if limit <= (1 + tolerance) * least:
            return Least(best, limit, least, "proved")
        if work.over():
            return Least(best, limit, least, "work")
        step = price.balance(A, size)
        C *= step
        if abs(step - 1) > 0.01 or top - bottom < tolerance / 4:
            active, high, low = np.arange(data.count), inf, -inf
    return Least(best, limit, least, "budget")


def _start(data: SignedRows, p: int, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    v = data.combine(a)
    s, z = np.empty_like(v), np.empty(3)
    native.core.restart_pnorm(p, v, s, z)
    return v, s, z
