"""Exp3, as the lectures print it."""

from collections.abc import Iterator
from math import log, sqrt

from littlestone.reference.experts import Notes, Rounds, coin, drawn, mean, weights


def exp3(rounds: Rounds, *, n: int, eta=None, seed: int, explore: bool = False, notes: Notes | None = None) -> Iterator[float]:
    """Choose by weight; only the chosen expert's estimate grows, by loss/p, or by loss/(p + η/2) with implicit exploration."""
    estimates, t, notes = [0.0] * n, 0, notes or Notes()
    for advice, y in rounds:
        rate = float(eta) if eta is not None else sqrt(log(max(2, n)) / n / (t + 1))
        notes.weights = w = weights(estimates, advice, rate)
        yield mean(w, advice)
        if y is None:
            continue
        i = drawn(w, advice, coin(seed, t))
        if i is not None:
            total = sum(v for v, a in zip(w, advice, strict=True) if a is not None)
            estimates[i] += abs(float(advice[i]) - y) / (w[i] / total + (rate / 2 if explore else 0.0))
        t += 1
