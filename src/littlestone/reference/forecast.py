"""The forecasts of a panel, in plain Python: the probability of a 1, made of the members' scores before the label is told.

Each member's score, divided by what is typical of it and squashed mildly (`reference.blend.ScoreSizes`), becomes the logarithm of the odds
of a 1 by a slope and an offset of its own, which Newton's steps for the logistic loss learn.  Stacks are blends over these logarithms.  A
mixture over the members, the blends that give odds and the stacks forecasts: weights begin at π (one half for the members, one half for the
others), are multiplied by the probability that each gave the label, and after round t a share 1/(t + 10) of them goes back to π.  After
8,192 labels the slopes, the offsets and the stacks that forget nothing learn from every fourth label alone.
"""

from collections.abc import Sequence

from littlestone.reference.blend import BLENDS, FAR, STEEP, Blend, Mind
from littlestone.reference.hyperbolic import exp, log
from littlestone.reference.log_loss import BITS, LARGE, SMALL

HOLD = 10.0  # of the share after round t, 1/(t + HOLD)
OFTEN, SELDOM = (
    8192,
    4,
)  # after so many labels what has all of the past for its memory learns from every fourth alone: little is left to learn

#: Blends over the members' log-odds: of two strengths of regularisation, and one that forgets.
STACKS = (
    Blend("stack-1", True, 1.0, 1.0, 1.0),
    Blend("stack-10", True, 10.0, 1.0, 1.0),
    Blend("stack-1000", True, 3.0, 0.999, 1.0),
)


def forecasters(members: Sequence[str], blends: Sequence[Blend] = BLENDS) -> tuple[str, ...]:
    """Who forecasts: every member, the blends that give odds, and the stacks.

    >>> forecasters(["arow"])
    ('arow', 'blend-1000', 'blend-100', 'stack-1', 'stack-10', 'stack-1000')
    """
    return (*members, *(blend.name for blend in blends if blend.logistic), *(stack.name for stack in STACKS))


def prior(members: int, forecasters: int) -> list[float]:
    """One half for the members, one half for the others."""
    return [0.5 / members] * members + [0.5 / (forecasters - members)] * (forecasters - members)


def chances(s: float) -> tuple[float, float]:
    """The probabilities of a 1 and of a 0, s the logarithm of the odds."""
    e = exp(-min(abs(s), FAR))
    likely = 1.0 / (1.0 + e)
    return (likely, e * likely) if s >= 0.0 else (e * likely, likely)


class Calibration:
    """The slope and the offset of one member: Newton's steps for the logistic loss. H = I + Σ h·(z, 1)(z, 1)'."""

    def __init__(self) -> None:
        self.slope, self.offset = 1.0, 0.0
        self.zz, self.z1, self.one = 1.0, 0.0, 1.0

    def odds(self, z: float) -> float:
        return min(max(self.slope * z + self.offset, -FAR), FAR)

    def learn(self, z: float, y: bool) -> None:
        p, q = chances(self.odds(z))
        h, g = max(p * q, STEEP), q if y else -p
        self.zz += h * z * z
        self.z1 += h * z
        self.one += h
        step = g / (self.zz * self.one - self.z1 * self.z1)
        self.slope += step * (self.one * z - self.z1)
        self.offset += step * (self.zz - self.z1 * z)


class ForecastMixture:
    """A Bayesian mixture of forecasters with a share that falls, and the losses of all of them.

    >>> mixture = ForecastMixture([0.5, 0.5])
    >>> for y in (True, True, True, False):
    ...     odds = mixture.odds([2.0, -2.0])
    ...     mixture.learn(y)
    >>> round(odds, 3), mixture.mistakes, [round(float(loss), 3) for loss in mixture.losses()]
    (1.697, 1, [2.508, 6.508, 3.011])
    """

    def __init__(self, prior: Sequence[float]) -> None:
        self.prior, self.weights = list(prior), list(prior)
        self.rounds, self.mistakes = 0, 0
        self.products, self.halvings = [1.0] * (len(prior) + 1), [0] * (len(prior) + 1)  # of each, and of the mixture
        self.chances: list[tuple[float, float]] = []
        self.ones, self.zeros = 0.5, 0.5

    def odds(self, odds: Sequence[float]) -> float:
        """The logarithm of the odds of a 1, from those that the forecasters give."""
        self.chances, self.ones, self.zeros = [], 0.0, 0.0
        for weight, s in zip(self.weights, odds, strict=True):
            one, zero = chances(s)
            self.chances.append((one, zero))
            self.ones += weight * one
            self.zeros += weight * zero
        return log(self.ones / self.zeros)

    def learn(self, y: bool) -> None:
        """The label of the row asked about last."""
        rights, mixed = [one if y else zero for one, zero in self.chances], self.ones if y else self.zeros
        self.rounds += 1
        self.mistakes += (self.ones >= self.zeros) != y
        share = 1.0 / (self.rounds + HOLD)
        kept = (1.0 - share) / mixed
        self.weights = [kept * w * right + share * p for w, right, p in zip(self.weights, rights, self.prior, strict=True)]
        for i, right in enumerate((*rights, mixed)):
            self.products[i] *= right
            if self.products[i] < SMALL:
                self.products[i], self.halvings[i] = self.products[i] * LARGE, self.halvings[i] + BITS

    def losses(self) -> list[float]:
        """Of each forecaster, and of the mixture last."""
        return [halvings * log(2.0) - log(product) for product, halvings in zip(self.products, self.halvings, strict=True)]


class Forecaster:
    """The forecasts of a panel at play."""

    def __init__(self, members: int, blends: int) -> None:
        self.calibrations = [Calibration() for _ in range(members)]
        self.stacks = [Mind(members, stack) for stack in STACKS]
        self.mixture = ForecastMixture(prior(members, members + blends + len(STACKS)))
        self.z: list[float] = []
        self.x: list[float] = []
        self.estimates: list[float] = []

    def odds(self, mild: Sequence[float], blended: Sequence[float]) -> float:
        """The logarithm of the odds of a 1, from the members' scores, squashed, and from the odds that blends give."""
        self.z = list(mild)
        own = [calibration.odds(z) for calibration, z in zip(self.calibrations, mild, strict=True)]
        self.x = [*own, 1.0]
        self.estimates = [stack.score(self.x) for stack in self.stacks]
        return self.mixture.odds([*own, *blended, *self.estimates])

    def learn(self, y: bool) -> None:
        """The label of the row asked about last."""
        self.mixture.learn(y)
        learns = self.mixture.rounds <= OFTEN or self.mixture.rounds % SELDOM == 0
        for stack, s in zip(self.stacks, self.estimates, strict=True):
            if learns or stack.blend.memory < 1.0:
                stack.learn(self.x, s, y)
        for calibration, z in zip(self.calibrations, self.z, strict=True):
            if learns:
                calibration.learn(z, y)
