"""The blends of a panel, in plain Python: members that learn from what the others say, by Newton's steps over the members' scores.

A score is divided by the root of the mean square of its member's scores so far, this one included, and squashed into (-1, 1): z/√(1 + z²).
With x the squashed scores and a 1, P is the inverse of λI + Σ h·xx' (old rounds are forgotten at the rate φ, where φ < 1), kept by the
formula of Sherman and Morrison, and after each label w moves by P·x·g.  For the logistic loss g = y - p, p = 1/(1 + e^(-w·x)), and
h = max(p(1-p), 1/100); for least squares g = ±1 - w·x and h = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any, NamedTuple

from littlestone.reference.hyperbolic import exp
from littlestone.theory.certificate import exactly
from littlestone.theory.numbers import fraction

FAR = 30.0  # scores of a blend beyond this are taken for it where a probability is made
LARGEST = 1e15  # scores of members beyond this are taken for it: squares stay finite
STEEP = 0.01  # the least curvature
ROOM = 10.0  # the trace of P, where rounds are forgotten, stays below so many times what it began with


class Blend(NamedTuple):
    """What it is called, its loss, λ, φ, and the weight it begins with, shared by all members."""

    name: str
    logistic: bool
    stiffness: float
    memory: float
    trust: float

    def stated(self) -> dict[str, Any]:
        """What it is made of, as a certificate writes it.

        >>> BLENDS[1].stated()
        {'logistic': True, 'stiffness': 4, 'memory': '999/1000', 'trust': 10}
        """
        made = {key: value for key, value in self._asdict().items() if key != "name"}
        return {key: value if isinstance(value, bool) else exactly(fraction(value, key)) for key, value in made.items()}


#: Those that learn: from all of the past, from about the last thousand rounds of it, and from the last hundred.
BLENDS = (
    Blend("blend", False, 4.0, 1.0, 1.0),
    Blend("blend-1000", True, 4.0, 0.999, 10.0),
    Blend("blend-100", True, 1.0, 0.99, 10.0),
)
MEAN = "blend-mean"  # the mean of what they say, squashed: one more voter, which has nothing to learn


def voices(blends: tuple[Blend, ...]) -> tuple[str, ...]:
    """Who votes beside the members: the blends, and their mean."""
    return (*(blend.name for blend in blends), MEAN) if blends else ()


def blended(heard: Sequence[Sequence[float]], labels: Sequence[bool | None], blends: tuple[Blend, ...] = BLENDS) -> Iterator[list[float]]:
    """The scores of the blends and of their mean, round by round; `heard` has the scores of each member. A score ≥ 0 votes 1.

    A member that is always wrong is in the end believed the other way round:

    >>> [[score >= 0 for score in row] for row in blended([[1, -1] * 40], [False, True] * 40)][-2:]
    [[False, False, False, False], [True, True, True, True]]
    """
    rows, minds = squashed(heard, labels), [Mind(len(heard), blend) for blend in blends]
    for x, y in zip(rows, labels, strict=True):
        scores = [mind.score(x) for mind in minds]
        total = 0.0
        for blend, s in zip(blends, scores, strict=True):
            half = 0.5 * s if blend.logistic else s  # a logarithm of odds, or an estimate of ±1
            total += half / sqrt(1.0 + half * half)
        yield [*scores, total]
        if y is not None:
            for mind, s in zip(minds, scores, strict=True):
                mind.learn(x, s, y)


def squashed(heard: Sequence[Sequence[float]], labels: Sequence[bool | None]) -> Iterator[list[float]]:
    """A row of numbers in (-1, 1) and a 1 for each round; what is typical of a member is learned from rounds with a label."""
    squares, seen = [0.0] * len(heard), 0.0
    for t, y in enumerate(labels):
        row, sums = [], []
        for told, square in zip(heard, squares, strict=True):
            s = told[t] if told[t] == told[t] else 0.0
            s = min(max(s, -LARGEST), LARGEST)
            sum2 = square + s * s
            root = sqrt(sum2 / (seen + 1.0))
            ratio = s / root if root > 0.0 else 0.0
            row.append(ratio / sqrt(1.0 + ratio * ratio))
            sums.append(sum2)
        if y is not None:
            squares, seen = sums, seen + 1.0
        yield [*row, 1.0]


class Mind:
    """What a blend has learned: w and P."""

    def __init__(self, members: int, blend: Blend) -> None:
        n = members + 1
        self.blend, self.w = blend, [blend.trust / members] * members + [0.0]
        self.P = [[1.0 / blend.stiffness if i == j else 0.0 for j in range(n)] for i in range(n)]

    def score(self, x: Sequence[float]) -> float:
        s = 0.0
        for w, v in zip(self.w, x, strict=True):
            s += w * v
        return s

    def learn(self, x: Sequence[float], s: float, y: bool) -> None:
        """A step towards the label, where the score was s."""
        n, P, memory = len(x), self.P, self.blend.memory
        h, g = 1.0, 2.0 * y - 1.0 - s
        if self.blend.logistic:
            p = 1.0 / (1.0 + exp(-min(max(s, -FAR), FAR)))
            h, g = max(p * (1.0 - p), STEEP), y - p
        px = [0.0] * n
        for v, row in zip(x, P, strict=True):
            px = [part + v * one for part, one in zip(px, row, strict=True)]
        q = memory / h
        for part, v in zip(px, x, strict=True):
            q += part * v
        step, fade = g / h / q, 1.0 / memory
        self.w = [w + step * part for w, part in zip(self.w, px, strict=True)]
        # one half, and the other by it
        lower = [[(one - (px[i] / q) * part) * fade for one, part in zip(P[i][: i + 1], px, strict=False)] for i in range(n)]
        self.P = P = [lower[i] + [lower[k][i] for k in range(i + 1, n)] for i in range(n)]
        if memory < 1.0:
            most, trace = ROOM * n / self.blend.stiffness, 0.0
            for i in range(n):
                trace += P[i][i]
            if trace > most:
                share = most / trace
                self.P = [[one * share for one in row] for row in P]
