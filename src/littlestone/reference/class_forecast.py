"""The forecasts of a panel of several classes, in plain Python: a probability for each class, before the label is told.

Each blend gives the known classes scores u_c (`reference.class_blend`); it forecasts class c with a probability in proportion to e^(β·u_c),
β a slope of its own, which Newton's steps for the logarithmic loss learn.  A class that was never seen has the probability 1/(t + 2)
after t rounds, and the others share the rest.  A mixture over the blends forecasts: weights begin at π (one half for `blend-each`, one half
for the others), are multiplied by the probability that each gave the label, and after round t a share 1/(t + 10) of them goes back to π.
"""

from collections.abc import Sequence

from littlestone.reference.blend import FAR
from littlestone.reference.class_blend import EACH, RIVALS
from littlestone.reference.forecast import HOLD, prior
from littlestone.reference.hyperbolic import exp, log
from littlestone.reference.log_loss import BITS, LARGE, SMALL

FORECASTERS = (EACH.name, *(blend.name for blend in RIVALS))
PRIOR = prior(1, len(FORECASTERS))
FLAT = 0.001  # the least slope


def likely(slope: float, scores: Sequence[float]) -> list[float]:
    """Probabilities in proportion to e^(β·u), none below e^-30 of the largest.

    >>> likely(2.0, [0.0, 0.0]), likely(1.0, [])
    ([0.5, 0.5], [])
    """
    top = max((slope * u for u in scores), default=0.0)
    shares, total = [exp(-min(top - slope * u, FAR)) for u in scores], 0.0
    for share in shares:
        total += share
    return [share / total for share in shares]


class ClassForecaster:
    """The forecasts of a panel of several classes at play.

    >>> forecaster = ClassForecaster()
    >>> for y in (0, 1, 1, 1):
    ...     chances = forecaster.chances([[0.0, 1.0][: min(t, 2)] for t in [forecaster.rounds] * 3])
    ...     forecaster.learn(y, len(chances))
    >>> [round(chance, 3) for chance in chances], forecaster.mistakes, [round(loss, 3) for loss in forecaster.losses()]
    ([0.182, 0.618], 2, [2.873, 2.873, 2.873, 2.873])
    """

    def __init__(self) -> None:
        size = len(FORECASTERS)
        self.slopes, self.curvatures, self.weights = [1.0] * size, [1.0] * size, list(PRIOR)
        self.rounds, self.mistakes = 0, 0
        self.products, self.halvings = [1.0] * (size + 1), [0] * (size + 1)  # of each, and of the mixture
        self.scores: list[Sequence[float]] = []
        self.own: list[list[float]] = []
        self.mixed: list[float] = []

    @property
    def new(self) -> float:
        """The probability of a class that was never seen."""
        return 1.0 / (self.rounds + 2.0)

    def chances(self, blended: Sequence[Sequence[float]]) -> list[float]:
        """The probability of each known class, from the scores of the blends of rivals and of `blend-each`, in this order."""
        self.scores = [blended[-1], *blended[:-1]]
        self.own = [likely(slope, u) for slope, u in zip(self.slopes, self.scores, strict=True)]
        self.mixed = [0.0] * len(self.scores[0])
        for weight, own in zip(self.weights, self.own, strict=True):
            self.mixed = [sum_ + weight * p for sum_, p in zip(self.mixed, own, strict=True)]
        return [(1.0 - self.new) * p for p in self.mixed]

    @property
    def likeliest(self) -> int | None:
        """The class with the largest probability in the row asked about last, the first of several; None before any is known."""
        return self.mixed.index(max(self.mixed)) if self.mixed else None

    def learn(self, y: int, known: int) -> None:
        """The class of the row asked about last, by its number; the next one is new."""
        new, total = self.new, 0.0
        for weight in self.weights:
            total += weight
        rights = [(1.0 - new) * own[y] if y < known else new for own in self.own]
        right = (1.0 - new) * self.mixed[y] if y < known else new * total
        self.mistakes += y >= known or self.likeliest != y
        self.rounds += 1
        share = 1.0 / (self.rounds + HOLD)
        kept = (1.0 - share) / right
        self.weights = [kept * w * p + share * first for w, p, first in zip(self.weights, rights, PRIOR, strict=True)]
        for i, p in enumerate((*rights, right)):
            self.products[i] *= p
            while self.products[i] < SMALL:
                self.products[i], self.halvings[i] = self.products[i] * LARGE, self.halvings[i] + BITS
        if y < known:
            self._turn(y)

    def _turn(self, y: int) -> None:
        """A step of each slope."""
        for i, (u, own) in enumerate(zip(self.scores, self.own, strict=True)):
            mean = spread = 0.0
            for p, score in zip(own, u, strict=True):
                mean += p * score
            for p, score in zip(own, u, strict=True):
                spread += p * (score - mean) * (score - mean)
            self.curvatures[i] += spread
            self.slopes[i] = max(self.slopes[i] + (u[y] - mean) / self.curvatures[i], FLAT)

    def losses(self) -> list[float]:
        """Of each forecaster, and of the mixture last."""
        return [halvings * log(2.0) - log(product) for product, halvings in zip(self.products, self.halvings, strict=True)]
