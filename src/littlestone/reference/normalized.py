"""Normalized: features divided by their largest value so far, a falling rate for each, steps that stop at a margin of 1."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from math import sqrt

from littlestone.reference.hyperbolic import exp
from littlestone.theory.normalized import rounding


def normalized(rounds: Iterable[tuple[Mapping, bool | None]], *, eta=2, loss="hinge", bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict v·z ≥ 0, z_i = x_i/s_i; where m = y·v·z < 1: G_i += g²z_i², v_i += ε·τ·y·z_i/√G_i.

    Hinge: g = c and τ = min(c, (1-m)/a) in a round of weight c; squared: g = 2c(1-m), τ = (1-m)(1-e^(-2ca))/a. a = Σ ε·z_i²/√G_i.

    >>> list(normalized([({0: 2}, False), ({0: 200}, False), ({1: 2}, True)], eta=1))
    [True, False, True]
    """
    eta, rho, squared = float(eta), float(bias), loss == "squared"
    v: dict = defaultdict(float)
    G: dict = defaultdict(float)
    scale: dict = defaultdict(float)
    b = bias_G = 0.0
    learned, lengths, total, updates = 0.0, 0.0, 0.0, 0
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        score = rho * b
        row = [(i, float(value)) for i, value in x.items() if value != 0]
        for i, value in row:
            w = v.get(i)
            if w:
                size, largest = abs(value), scale[i]
                score += w * (value / (largest if largest > size else size))
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        short = 1.0 - sign * score
        if not short > 0 or not c > 0:
            continue
        total += c * short * short if squared else c * short
        updates += 1
        if book is not None:
            book.updates.append(t)
        g = 2.0 * c * short if squared else c
        length2, scaled = rho * rho, []
        for i, value in row:
            size, largest = abs(value), scale[i]
            if size > largest:
                scale[i] = largest = size
            z = value / largest
            length2 += z * z
            G[i] = sums = G[i] + (g * z) * (g * z)
            if sums > 0:
                scaled.append((i, z, sqrt(sums)))
        if not length2 > 0:
            continue
        bias_G += (g * rho) * (g * rho)
        learned, lengths = learned + 1.0, lengths + length2
        rate = eta * sqrt(learned / lengths)
        gain = rho * rho * (rate / sqrt(bias_G)) if rho > 0 else 0.0
        for _, z, root in scaled:
            gain += z * z * (rate / root)
        if not gain > 0:
            continue
        tau = short * (1.0 - exp(-2.0 * c * gain)) / gain if squared else min(c, short / gain)
        step = sign * (rate * tau)
        if rho > 0:
            b += step * rho / sqrt(bias_G)
        for i, z, root in scaled:
            v[i] += step * z / root
    if book is not None:
        book.facts["losses"] = Fraction(total) * (1 + rounding(updates))
