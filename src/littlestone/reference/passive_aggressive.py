"""The Passive-Aggressive rule: as little as is needed to be right by a margin of 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import inf

from littlestone.reference.arithmetic import ordered_sum


def passive_aggressive(rounds: Iterable[tuple[Mapping, bool | None]], *, C=1, variant="I", bias=0) -> Iterator[bool]:
    """Predict sign(w·x); where the loss ℓ = 1 - y·w·x is positive add τ·y·x, τ = min(C, ℓ/|x|²) or ℓ/(|x|² + 1/(2C)).

    >>> list(passive_aggressive([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], C=1))
    [True, False, True]
    """
    C, rho2 = float(inf if C is None else C), float(bias * bias)
    w: dict = defaultdict(float)
    b = 0.0
    for x, y in rounds:
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho2 * b
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        square = ordered_sum([float(v) * float(v) for v in x.values()]) + rho2
        if loss > 0 and square > 0:
            tau = loss / (square + 0.5 / C) if variant == "II" else min(C, loss / square)
            for i, v in x.items():
                w[i] += sign * tau * float(v)
            b += sign * tau
