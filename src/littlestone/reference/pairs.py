"""Pairs: the hinge rule of `normalized` over the scaled features and, in rows of few features, the products of two of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, repeat
from math import sqrt

from littlestone.theory.normalized import rounding


def pairs(rounds: Iterable[tuple[Mapping, bool | None]], *, eta=2, most=40, room=2**20, bias=1, weights=None, book=None) -> Iterator[bool]:
    """Predict v·z ≥ 0, z_i = x_i/s_i and products of two; where m = y·v·z < 1, weight c: G += c²z², v += ε·min(c, (1-m)/a)·y·z/√G.

    a = Σ ε·z²/√G. A pair is known from the first update that has it on, while fewer than `room` are known; others are left out.

    >>> list(pairs([({0: 1, 1: 1}, False), ({0: 1}, True), ({1: 1}, True)] * 6, eta=2, most=2, room=1))[-3:]
    [False, True, True]
    """
    eta, rho = float(eta), float(bias)
    v: dict = defaultdict(float)
    G: dict = defaultdict(float)
    scale: dict = defaultdict(float)
    known: dict = {}  # of each pair, as a set of its features: its v and G
    b = bias_G = 0.0
    learned, lengths, total, updates = 0.0, 0.0, 0.0, 0
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        z = {i: float(value) / max(scale[i], abs(float(value))) for i, value in x.items() if value != 0}
        both = list(combinations_with_replacement(z, 2)) if len(z) <= most else []
        products = {frozenset(pair): z[pair[0]] * z[pair[1]] for pair in both if pair[0] != pair[1] or abs(z[pair[0]]) != 1}
        score = rho * b
        for i, part in z.items():
            score += v[i] * part
        for pair, p in products.items():
            if pair in known:
                score += known[pair][0] * p
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        short = 1.0 - sign * score
        if not short > 0 or not c > 0:
            continue
        total, updates = total + c * short, updates + 1
        if book is not None:
            book.updates.append(t)
        bias_G += (c * rho) * (c * rho)
        length2, slope = rho * rho, rho * (rho / sqrt(bias_G)) if bias_G > 0 else 0.0
        for i, part in z.items():
            scale[i] = max(scale[i], abs(float(x[i])))
            length2 += part * part
            G[i] += (c * part) * (c * part)
            slope += part * (part / sqrt(G[i])) if G[i] > 0 else 0.0
        more = steeper = 0.0
        for pair, p in products.items():
            if pair in known or len(known) < room:
                weight = known.setdefault(pair, [0.0, 0.0])
                weight[1] += (c * p) * (c * p)
                more += p * p
                steeper += p * (p / sqrt(weight[1])) if weight[1] > 0 else 0.0
        length2, slope = length2 + more, slope + steeper
        if not length2 > 0 or not slope > 0:
            continue
        learned, lengths = learned + 1.0, lengths + length2
        rate = eta * sqrt(learned / lengths)
        step = sign * (rate * min(c, short / (rate * slope)))
        if bias_G > 0:
            b += step * (rho / sqrt(bias_G))
        for i, part in z.items():
            if G[i] > 0:
                v[i] += step * (part / sqrt(G[i]))
        for pair, p in products.items():
            if pair in known and known[pair][1] > 0:
                known[pair][0] += step * (p / sqrt(known[pair][1]))
    if book is not None:
        book.facts["losses"] = Fraction(total) * (1 + rounding(updates))
