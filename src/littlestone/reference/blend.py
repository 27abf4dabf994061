"""The blends of a panel, in plain Python: members that learn from what the others say, by Newton's steps over the members' scores.

A score is divided by the root of the mean square of its member's scores so far, this one included, and squashed into (-1, 1): z/√(1 + z²).
With x the squashed scores and a 1, P is the inverse of λI + Σ h·xx' (old rounds are forgotten at the rate φ, where φ < 1), kept by the
formula of Sherman and Morrison, and after each label w moves by P·x·g.  For the logistic loss g = y - p, p = 1/(1 + e^(-w·x)), and
h = max(p(1-p), 1/100); for least squares g = ±1 - w·x and h = 1.  A round of weight c has c·g and c·h (c·h at most 2^40).
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

from littlestone.reference.hyperbolic import exp
from littlestone.theory.certificate import exactly
from littlestone.theory.numbers import fraction

FAR = 30.0  # scores of a blend beyond this are taken for it where a probability is made
LARGEST = 1e15  # scores of members beyond this are taken for it: squares stay finite
STEEP = 0.01  # the least curvature
SHARP = 2.0**40  # the largest, of rounds that weigh much: beyond it P would keep nothing but rounding
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


class ScoreSizes:
    """What is typical of each member: the squares of its scores so far.

    >>> sizes = ScoreSizes(2)
    >>> sizes.hear([3.0, -0.5])
    >>> [round(v, 3) for v in sizes.x], [round(v, 3) for v in sizes.mild]
    ([0.707, -0.707, 1.0], [0.841, -0.841])
    """

    def __init__(self, members: int) -> None:
        self.squares, self.seen = [0.0] * members, 0.0
        self.sums: list[float] = []
        self.x: list[float] = []  # the row heard last: numbers in (-1, 1) and a 1
        self.mild: list[float] = []  # the same, squashed less: they grow like a root

    def hear(self, scores: Sequence[float]) -> None:
        """The members' scores of one row."""
        self.x, self.mild, self.sums = [], [], []
        for score, square in zip(scores, self.squares, strict=True):
            s = score if score == score else 0.0
            s = min(max(s, -LARGEST), LARGEST)
            sum2 = square + s * s
            root = sqrt(sum2 / (self.seen + 1.0))
            ratio = s / root if root > 0.0 else 0.0
            length = sqrt(1.0 + ratio * ratio)
            self.x.append(ratio / length)
            self.mild.append(ratio / length * sqrt(length))
            self.sums.append(sum2)
        self.x.append(1.0)

    def learn(self) -> None:
        """The row heard last has a label."""
        self.squares, self.seen = self.sums, self.seen + 1.0


class Blends:
    """The blends of a panel at play.

    A member that is always wrong is in the end believed the other way round:

    >>> blends = Blends(1)
    >>> for t in range(80):
    ...     scores = blends.scores([-1.0 if t % 2 else 1.0])
    ...     blends.learn(t % 2 == 1)
    >>> [score >= 0 for score in scores]
    [True, True, True, True]
    """

    def __init__(self, members: int, blends: tuple[Blend, ...] = BLENDS) -> None:
        self.minds, self.sizes = [Mind(members, blend) for blend in blends], ScoreSizes(members)
        self.estimates: list[float] = []

    def scores(self, heard: Sequence[float]) -> list[float]:
        """The scores of the blends and of their mean, from those of the members. A score ≥ 0 votes 1."""
        self.sizes.hear(heard)
        self.estimates = [mind.score(self.sizes.x) for mind in self.minds]
        total = 0.0
        for mind, s in zip(self.minds, self.estimates, strict=True):
            half = 0.5 * s if mind.blend.logistic else s  # a logarithm of odds, or an estimate of ±1
            total += half / sqrt(1.0 + half * half)
        return [*self.estimates, total]

    def odds(self) -> list[float]:
        """The estimates of the last row that are logarithms of odds."""
        return [s for mind, s in zip(self.minds, self.estimates, strict=True) if mind.blend.logistic]

    def learn(self, y: bool, weight: float = 1.0) -> None:
        """The label of the row asked about last; what is typical of a member is learned too."""
        self.sizes.learn()
        for mind, s in zip(self.minds, self.estimates, strict=True):
            mind.learn(self.sizes.x, s, y, weight)


class Mind:
    """What a blend has learned: w and P."""

    def __init__(self, members: int, blend: Blend) -> None:
        n = members + 1
        self.blend, self.w = blend, [blend.trust / members] * members + [0.0]
        self.P = [[1.0 / blend.stiffness if i == j else 0.0 for j in range(n)] for i in range(n)]

    def score(self, x: Sequence[float]) -> float:
        return dot(self.w, x)

    def learn(self, x: Sequence[float], s: float, y: bool, weight: float = 1.0) -> None:
        """A step towards the label, where the score was s."""
        n, P, memory = len(x), self.P, self.blend.memory
        h, g = 1.0, 2.0 * y - 1.0 - s
        if self.blend.logistic:
            p = 1.0 / (1.0 + exp(-min(max(s, -FAR), FAR)))
            h, g = max(p * (1.0 - p), STEEP), y - p
        px = [dot(row, x) for row in P]
        q = dot(px, x, memory / min(h * weight, SHARP))
        step, root = g / h / q, sqrt(q)
        self.w = [w + step * part for w, part in zip(self.w, px, strict=True)]
        u = [part / root for part in px]
        if memory == 1.0:
            self.P = [[p - a * b for p, b in zip(row, u)] for row, a in zip(P, u)]  # noqa: B905 (strict costs a tenth)
            return
        fade, most = 1.0 / memory, ROOM * n / self.blend.stiffness
        self.P = P = [[(p - a * b) * fade for p, b in zip(row, u)] for row, a in zip(P, u)]  # noqa: B905
        trace = 0.0
        for i in range(n):
            trace += P[i][i]
        if trace > most:
            less = most / trace
            self.P = [[p * less for p in row] for row in P]


def dot(a: Sequence[float], b: Sequence[float], total: float = 0.0) -> float:
    """The products of two rows, added up one after the other."""
    for p, q in zip(a, b):  # noqa: B905
        total += p * q
    return total
