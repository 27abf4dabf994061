"""The Passive-Aggressive rule: as little as is needed to be right by a margin of 1."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from math import inf

from littlestone.reference.arithmetic import ordered_sum
from littlestone.theory.passive_aggressive import rounding


def passive_aggressive(
    rounds: Iterable[tuple[Mapping, bool | None]], *, C=1, variant="I", bias=0, weights=None, book=None
) -> Iterator[bool]:
    """Predict sign(w·x); where the loss ℓ = 1 - y·w·x is positive add τ·y·x, τ = min(C, ℓ/|x|²) or ℓ/(|x|² + 1/(2C)).

    In a round of weight c, c·C takes the place of C. A `book` is told the rounds it learned from, and at the end 2Στ - |w|².

    >>> list(passive_aggressive([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], C=1))
    [True, False, True]
    """
    limit, C, rho2, widest = C, float(inf if C is None else C), float(bias * bias), 0
    w: dict = defaultdict(float)
    b = taus = squares = 0.0
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        widest = max(widest, len(x))
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho2 * b
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        square = ordered_sum([float(v) * float(v) for v in x.values()]) + rho2
        if loss > 0 and c > 0:
            if variant == "II":
                tau = loss / (square + 0.5 / (c * C))
            elif square > 0:
                tau = min(c * C, loss / square)
            else:  # a row without features: w stays, and so it does without C
                tau = c * C if inf > C else 0.0
            for i, v in x.items():
                w[i] += sign * tau * float(v)
            b += sign * tau
            taus += tau
            squares += tau * tau / c
            if book is not None:
                book.updates.append(t)
    if book is not None:
        length2 = sum((Fraction(v) ** 2 for v in w.values()), Fraction(bias) ** 2 * Fraction(b) ** 2)
        ridge = Fraction(squares) / (2 * Fraction(limit)) if variant == "II" else 0
        book.facts["dual_value"] = (2 + rounding(len(book.updates), widest)) * Fraction(taus) - length2 - ridge
