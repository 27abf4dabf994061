"""AROW, adaptive regularisation of weights, with a diagonal: a weight and a variance for each feature."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import localcontext
from fractions import Fraction
from itertools import repeat

from littlestone.reference.arithmetic import ordered_sum
from littlestone.theory.arow import rounding
from littlestone.theory.numbers import DIGITS, real


def arow(rounds: Iterable[tuple[Mapping, bool | None]], *, r=1, bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict sign(μ·x); where ℓ = 1 - y·μ·x is positive, μ_i += α·y·σ_i x_i with α = ℓ/(Σσ_i x_i² + r), then 1/σ_i += x_i²/r.

    In a round of weight c, r/c takes the place of r. A `book` is told the rounds it learned from, and at the end Σq and 2Σα + E - |μ|²_A.

    >>> list(arow([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    r, rho = float(r), float(bias)
    mu: dict = defaultdict(float)
    sigma: dict = defaultdict(lambda: 1.0)
    b, variance, widest = 0.0, 1.0, 0
    alphas = growths = worth = 0.0
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        widest = max(widest, len(x))
        score = ordered_sum([mu[i] * float(v) for i, v in x.items()]) + rho * b
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        if loss > 0 and c > 0:
            spread = ordered_sum([sigma[i] * float(v) * float(v) for i, v in x.items()]) + variance * rho * rho
            q, rate, growth = spread + r / c, c / r, 0.0
            alpha = loss / q
            step = sign * alpha
            for i, v in x.items():
                pull = sigma[i] * float(v)
                mu[i] += step * pull
                sigma[i] /= 1.0 + pull * float(v) * rate
                growth += (float(v) * mu[i]) * (float(v) * mu[i])
            pull = variance * rho
            b += step * pull
            variance /= 1.0 + pull * rho * rate
            growth += (rho * b) * (rho * b)
            alphas, growths = alphas + alpha, growths + growth * rate
            if (score >= 0) != y:
                worth += c * c * q
            if book is not None:
                book.updates.append(t)
    if book is not None:
        with localcontext(DIGITS):
            shares = [real(v) * real(v) / real(sigma[i]) for i, v in mu.items()]
            length2 = Fraction(sum(shares, real(b) * real(b) / real(variance)))
        most = 2 * Fraction(alphas) + Fraction(growths)
        book.facts["gain"] = most - length2 + rounding(len(book.updates), widest) * most
        book.facts["worth"] = Fraction(worth) * (1 + Fraction(widest + len(book.updates) + 8, 2**51))
