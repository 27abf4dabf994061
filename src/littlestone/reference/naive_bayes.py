"""Naive Bayes: counts of each feature with each label."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat

from littlestone.reference.hyperbolic import log
from littlestone.reference.log_loss import LogLoss, chances

HIGH, LOW = 2.0**300, 2.0**-300


def naive_bayes(rounds: Iterable[tuple[Mapping, bool | None]], *, alpha=Fraction(1, 10), weights=None, book=None) -> Iterator[bool]:
    """Predict ln((n1+1)/(n0+1)) + Σ|x|·(ln((c1+α)/(c0+α)) + ln((t0+α(V+1))/(t1+α(V+1)))) ≥ 0 over features met before; then count.

    A feature is a name and a sign, c a sum of |x|; a round of weight w counts w times. A `book` is told at the end the log-loss of all.

    >>> list(naive_bayes([({0: 1}, False), ({0: 1, 1: 2}, False), ({1: 1}, True)], alpha=0.1))
    [True, False, False]
    """
    alpha = float(alpha)
    met: tuple = ({}, {})  # by sign: features, and the sums of |x| with a 0 and with a 1
    t, n = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    loss = LogLoss()
    for (x, y), weight in zip(rounds, weights or repeat(1.0), strict=False):
        row = [(met[v > 0], i, abs(float(v))) for i, v in x.items() if v != 0]
        known = [(sums[i], v) for sums, i, v in row if i in sums]
        score, product = 0.0, (n[True] + 1.0) / (n[False] + 1.0)
        for (with_0, with_1), v in known:
            ratio = (with_1 + alpha) / (with_0 + alpha)
            if v != 1:
                score += v * log(ratio)
                continue
            product *= ratio
            if not LOW < product < HIGH:
                score, product = score + log(product), 1.0
        score += log(product)
        if known:
            length = 0.0
            for _, v in known:
                length += v
            more = alpha * (len(met[0]) + len(met[1]) + 1)
            score += length * log((t[False] + more) / (t[True] + more))
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None or weight == 0:
            continue
        loss.add(chances(score, y)[0], weight)
        added = 0.0
        for sums, i, v in row:
            if weight * v > 0:
                sums.setdefault(i, [0.0, 0.0])[y] += weight * v
                added += weight * v
        t[y] += added
        n[y] += weight
    if book is not None:
        book.facts["loss"] = loss.total()
