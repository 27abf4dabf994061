"""AROW with a full covariance among the features that came first, and a variance for each of the others."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat

from littlestone.reference.arithmetic import ordered_sum
from littlestone.theory.arow_full import rounding


def arow_full(rounds: Iterable[tuple[Mapping, bool | None]], *, r=1, dense=64, bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict sign(μ·x); where ℓ = 1 - y·μ·x is positive, μ += α·y·Σx with α = ℓ/(x·Σx + r), then Σ⁻¹ += xxᵀ/r.

    In a round of weight c, r/c takes the place of r. Place 0 of the covariances P is the bias. A `book` is told the updates, Γ and Σq.

    >>> list(arow_full([({0: 2}, False), ({0: 200}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    r, rho = float(r), float(bias)
    mu: dict = defaultdict(float)
    sigma: dict = {}
    scale: dict = {}
    place: dict = {}
    owner: list = [None]
    P = [[1.0 if rho > 0 else 0.0]]
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
                if len(owner) <= dense:
                    place[i] = len(owner)
                    owner.append(i)
                    for line in P:
                        line.append(0.0)
                    P.append([0.0] * len(owner))
                    P[-1][-1] = 1.0 / (v * v)
                else:
                    sigma[i] = 1.0 / (v * v)
            elif abs(v) > scale[i]:  # what was learned is weighed anew, as if the first confidence had been that of the larger unit
                more, scale[i] = v * v - scale[i] * scale[i], abs(v)
                if i in sigma:
                    share = 1.0 / (1.0 + more * sigma[i])
                    mu[i] *= share
                    sigma[i] *= share
                else:
                    j, line = place[i], list(P[place[i]])
                    share = 1.0 / (1.0 + more * line[j])
                    part = (more * share) * mu[i]
                    b -= line[0] * part
                    for k in range(1, len(owner)):
                        mu[owner[k]] -= line[k] * part
                    for k in range(len(owner)):
                        drop = (more * share) * line[k]
                        P[k] = [p - drop * other for p, other in zip(P[k], line, strict=True)]
                        P[k][j] = line[k] * share
                    P[j] = [p * share for p in line]
            if i in sigma:
                spread += sigma[i] * v * v
        px = [p * rho for p in P[0]] if rho > 0 else [0.0] * len(owner)
        for i, v in row:
            if i in place:
                px = [sum_ + p * v for sum_, p in zip(px, P[place[i]])]  # noqa: B905 (strict costs a tenth)
        if rho > 0:
            spread += px[0] * rho
        for i, v in row:
            if i in place:
                spread += px[place[i]] * v
        q = max(spread, 0.0) + r / c
        step = sign * (loss / q)
        b += step * px[0]
        for j in range(1, len(owner)):
            mu[owner[j]] += step * px[j]
        for j, line in enumerate(P):
            if px[j] != 0:
                shrink = px[j] / q
                P[j] = [p - shrink * other for p, other in zip(line, px)]  # noqa: B905
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
