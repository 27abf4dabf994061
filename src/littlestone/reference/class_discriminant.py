"""Fisher's linear discriminant, in plain Python: a voter of a panel of several classes for tables of few columns.

It takes the rows of each class for normal draws around a mean μ_c, with one covariance for all classes.  Places are given to the first 64
features that rows with labels have; a feature that is absent is 0.  P is the inverse of a sum over the rounds, k/(k+1)·(x - μ_y)(x - μ_y)ᵀ,
μ_y the mean of the k rows of the class before it, and over the features, the square of the first value of each.  After t rounds, n_c of
them of class c, normal draws would make the logarithm of the probability of c, up to a constant,

    ln(n_c + 1/2) + (t + 1)·(x·Pμ_c - μ_c·Pμ_c/2),

no less than 30 below the largest.  The score of c is the logarithm of its odds against all other classes, 0 where it is the only one.  It
names the class with the largest, the first that appeared where they tie.  Where a 65th feature comes, the rows are no table of few columns:
then ln(n_c + 1/2) is all it has.  A round of weight w counts as w rows at one place: k and n_c are weights added up, t is all of them, and
the sum grows by kw/(k+w)·(x - μ_y)(x - μ_y)ᵀ.

Sizes that span many orders, incomes or counts, are more like normal draws on a scale of logarithms.  `discriminant-logs` is the same voter
of x ↦ ±ln(1 + 1024·|x|), which leaves 0 where it is, so that a feature that is absent has still nothing to say.
"""

from collections.abc import Mapping, Sequence

from littlestone.reference.blend import FAR
from littlestone.reference.hyperbolic import exp, log

NAME, LOGS = "discriminant", "discriminant-logs"
FINE = 1024.0  # sizes far below 1/1024 are alike on the scale of logarithms
PLACES = 64


def on_logs(x: float) -> float:
    """A value on the scale of logarithms.

    >>> round(on_logs(1.0), 3), round(on_logs(-1000.0), 3), on_logs(0.0)
    (6.932, -13.839, 0.0)
    """
    size = log(1.0 + FINE * abs(x))
    return size if x >= 0.0 else -size


def odds(scores: Sequence[float]) -> list[float]:
    """The logarithm of the odds of each class, from logarithms of probabilities up to a constant.

    >>> [round(score, 9) for score in odds([0.0, 0.0, log(2.0)])], odds([5.0])
    ([-1.098612289, -1.098612289, 0.0], [0.0])
    """
    if len(scores) < 2:
        return [0.0] * len(scores)
    top, total = scores[0], 0.0
    for score in scores:
        top = max(top, score)
    shares = [exp(-min(top - score, FAR)) for score in scores]
    for share in shares:
        total += share
    return [log(share / (total - share)) for share in shares]


class Discriminant:
    """The voter at play.

    >>> voter = Discriminant()
    >>> for x, y in [({0: 1.0}, 0), ({0: 9.0}, 1), ({0: 2.0}, 0), ({0: 8.0}, 1)]:
    ...     scores = voter.scores(x, min(voter.rounds, 2))
    ...     voter.learn(x, y)
    >>> [round(score, 2) for score in voter.scores({0: 6.0}, 2)]
    [-17.5, 17.5]
    """

    def __init__(self, logs: bool = False) -> None:
        self.heard = on_logs if logs else float
        self.place: dict[object, int] = {}
        self.full = False  # has a feature come for which there is no place?
        self.P: list[list[float]] = []
        self.means: list[list[float]] = []  # of each class; and P times it
        self.pulls: list[list[float]] = []
        self.counts: list[float] = []
        self.rounds = 0

    def _row(self, x: Mapping) -> list[float]:
        z = [0.0] * len(self.place)
        for feature, value in x.items():
            if feature in self.place:
                z[self.place[feature]] = self.heard(float(value))
        return z

    def _join(self, classes: int) -> None:
        while len(self.counts) < classes:
            self.counts.append(0.0)
            self.means.append([0.0] * len(self.place))
            self.pulls.append([0.0] * len(self.place))

    def scores(self, x: Mapping, known: int) -> list[float]:
        """Of the known classes."""
        self._join(known)
        z, scores, total = self._row(x), [], 0.0
        for count in self.counts:
            total += count
        for c in range(known):
            s = 0.0
            if not self.full:
                for value, mean, pull in zip(z, self.means[c], self.pulls[c], strict=True):
                    s += pull * (value - 0.5 * mean)
            scores.append(log(self.counts[c] + 0.5) + (total + 1.0) * s)
        return odds(scores)

    def learn(self, x: Mapping, y: int, weight: float = 1.0) -> None:
        """The class of a row, by its number."""
        self._join(y + 1)
        for feature, value in x.items():
            heard = self.heard(float(value))
            if heard and feature not in self.place and not self.full:  # a size below 1e-19 is 0 on the scale of logarithms
                if len(self.place) == PLACES:
                    self.full = True
                else:
                    self._admit(feature, heard)
        if not self.full:
            self._step(self._row(x), y, weight)
        self.counts[y] += weight
        self.rounds += 1

    def _admit(self, feature: object, value: float) -> None:
        self.place[feature] = len(self.place)
        for row in (*self.P, *self.means, *self.pulls):
            row.append(0.0)
        self.P.append([0.0] * len(self.place))
        self.P[-1][-1] = 1.0 / (value * value)

    def _step(self, z: list[float], y: int, weight: float) -> None:
        n, size = self.counts[y], range(len(z))
        d = [value - mean for value, mean in zip(z, self.means[y], strict=True)]
        v = [0.0] * len(z)
        for i in size:
            for j in size:
                v[i] += self.P[i][j] * d[j]
        q = 0.0
        for i in size:
            q += d[i] * v[i]
        share = n * weight / (n + weight)
        kappa = share / (1.0 + share * q)
        for i in size:
            for j in size:
                self.P[i][j] -= kappa * v[i] * v[j]
        for c in range(len(self.counts)):
            along = 0.0
            for i in size:
                along += v[i] * self.means[c][i]
            for i in size:
                self.pulls[c][i] -= kappa * along * v[i]
        rest = 1.0 - kappa * q
        for i in size:
            self.means[y][i] += d[i] * weight / (n + weight)
            self.pulls[y][i] += rest * v[i] * weight / (n + weight)
