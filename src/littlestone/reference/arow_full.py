"""AROW with a full covariance among the features that came first, and a variance for each of the others."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.covariances import Covariances
from littlestone.theory.arow_full import rounding


def arow_full(rounds: Iterable[tuple[Mapping, bool | None]], *, r=1, dense=64, bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict sign(μ·x); where ℓ = 1 - y·μ·x is positive, μ += α·y·Σx with α = ℓ/(x·Σx + r), then Σ⁻¹ += xxᵀ/r.

    In a round of weight c, r/c takes the place of r. A `book` is told the updates, Γ and Σq.

    >>> list(arow_full([({0: 2}, False), ({0: 200}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    r, rho = float(r), float(bias)
    mu: dict = defaultdict(float)
    sigma: dict = {}
    scale: dict = {}
    C = Covariances(1.0 if rho > 0 else 0.0)
    b = gain = worth = 0.0
    updates = 0
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        score = ordered_sum([mu[i] * float(v) for i, v in x.items()]) + rho * b
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        if not loss > 0 or not c > 0:
            continue
        row = [(i, float(v)) for i, v in x.items() if v != 0]
        spread = 0.0
        for i, v in row:
            if i not in scale:
                scale[i] = abs(v)
                if len(C.owner) <= dense:
                    C.admit(i, 1.0 / (v * v))
                else:
                    sigma[i] = 1.0 / (v * v)
            elif abs(v) > scale[i]:  # what was learned is weighed anew, as if the first confidence had been that of the larger unit
                more, scale[i] = v * v - scale[i] * scale[i], abs(v)
                if i in sigma:
                    share = 1.0 / (1.0 + more * sigma[i])
                    mu[i] *= share
                    sigma[i] *= share
                else:
                    b -= widen(mu, C, C.place[i], more)
            if i in sigma:
                spread += sigma[i] * v * v
        px = C.times(row, rho)
        if rho > 0:
            spread += px[0] * rho
        for i, v in row:
            if i in C.place:
                spread += px[C.place[i]] * v
        q = max(spread, 0.0) + r / c
        step = sign * (loss / q)
        b += C.move(mu, step, px)
        C.shrink(px, q)
        for i, v in row:
            if i in sigma:
                pull = sigma[i] * v
                mu[i] += step * pull
                sigma[i] /= 1.0 + pull * v * (c / r)
        relative = q * (c / r)
        gain += c * loss * loss / relative
        if (score >= 0) != y:
            worth += c * relative
        updates += 1
        if book is not None:
            book.updates.append(t)
    if book is not None:
        more = 1 + rounding(updates)
        book.facts["gain"], book.facts["worth"] = Fraction(gain) * more, Fraction(worth) * more


def widen(mu: dict, C: Covariances, j: int, more: float) -> float:
    """A confidence of `more` beside what place j has, and the weights as if it had been there; what the bias loses by it."""
    line = list(C.P[j])
    share = 1.0 / (1.0 + more * line[j])
    part = (more * share) * mu[C.owner[j]]
    for k in range(1, len(C.owner)):
        mu[C.owner[k]] -= line[k] * part
    for k in range(len(C.owner)):
        drop = (more * share) * line[k]
        C.P[k] = [p - drop * other for p, other in zip(C.P[k], line, strict=True)]
        C.P[k][j] = line[k] * share
    C.P[j] = [p * share for p in line]
    return line[0] * part
