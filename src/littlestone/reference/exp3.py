"""Exp3, as the lectures print it."""

from collections.abc import Iterator
from math import log, sqrt

from littlestone.reference.doubles import exp, picked, total, weights
from littlestone.reference.experts import Notes, Rounds, coin

RENEWED = 64  # rounds after which weights that were multiplied down are made anew


def exp3(rounds: Rounds, *, n: int, eta=None, seed: int, explore: bool = False, notes: Notes | None = None) -> Iterator[float]:
    """Choose by weight; only the chosen expert's estimate grows, by loss/p, or by loss/(p + η/2) with implicit exploration."""
    estimates, w, t, notes = [0.0] * n, [1.0] * n, 0, notes or Notes()
    for advice, y in rounds:
        awake = [a is not None for a in advice]
        rate = float(eta) if eta is not None else sqrt(log(max(2, n)) / n / (t + 1))
        w = weights(estimates, rate, min(estimates)) if eta is None else w
        v, mass = w, total([weight * here for weight, here in zip(w, awake, strict=True)])
        if not all(awake) and not mass > 1e-200:  # those awake weigh nothing beside the sleepers
            v = weights(estimates, rate, min((estimate for estimate, here in zip(estimates, awake, strict=True) if here), default=0.0))
            mass = total([weight * here for weight, here in zip(v, awake, strict=True)])
        notes.weights = v
        yield total([weight * float(a or 0) for weight, a in zip(v, advice, strict=True)]) / mass if mass > 0 else 0.5
        if y is None:
            continue
        i = picked(v, advice, coin(seed, t) * mass)
        t += 1
        if i is not None and mass > 0:
            loss = abs(float(advice[i]) - y)
            estimate = loss / (v[i] / mass + 0.5 * rate) if explore else loss * mass / v[i]
            estimates[i] += estimate
            w[i] *= exp(-rate * estimate if explore else -rate * loss * mass / v[i])
        if t % RENEWED == 0 or not total(w) > 1e-200:
            w = weights(estimates, rate, min(estimates))
