"""The forecasts of a panel, in plain Python: the probability of a 1, made of the members' scores before the label is told.

A member whose scores are logarithms of odds is taken at its word.  Of the others the score, less the mean of its scores so far and divided
by their spread, is squashed mildly (they grow like a root), and becomes the logarithm of the odds of a 1 by a slope and an offset of its
own, which Newton's steps for the logistic loss learn.  Stacks are blends over these logarithms; those of members that are taken at their
word they hear squashed, mildly below 8.  `stack-10-bins` puts what stack-10 says right, bin by bin (`Bins`).  A mixture over the members,
the blends that give odds, the stacks and the bins forecasts: weights begin at π (one half for the members, one half for the others), are
multiplied by the probability that each gave the label, and after round t a share 1/(4t + 40) of them goes back to π.  After 8,192 labels
the slopes, the offsets and the stacks that forget nothing learn from every fourth label alone.

Panels of before there were bins took no member at its word, divided scores by the root of their mean square (`reference.blend.ScoreSizes`),
had other stacks, and gave back a share 1/(t + 10).
"""

from collections.abc import Sequence
from math import sqrt

from littlestone.reference.blend import BLENDS, FAR, LARGEST, STEEP, Blend, Mind
from littlestone.reference.hyperbolic import exp, log
from littlestone.reference.log_loss import BITS, LARGE, SMALL

HOLD = 10.0  # of the share after round t, 1/(t + HOLD)
SLOW = 4.0  # so many times less of it is given back where there are bins
KNEE = 8.0  # a stack hears a logarithm of odds s as s/√(1 + |s|/8)
SHIFTS = (-0.5, -0.25, 0.0, 0.25, 0.5)  # of the logarithm of the odds in a bin
BINS, LOW = 10, -5.0  # of width 1 from here on; the first has all that lies below it, the last all above
TIE = 2.0**-40  # a logarithm of odds nearer to 0 is 0: both labels are as likely, but for rounding
LEAST = 2.0**-600  # no weight in a bin is smaller: products of smaller ones would be slow
OFTEN, SELDOM = (
    8192,
    4,
)  # after so many labels what has all of the past for its memory learns from every fourth alone: little is left to learn

#: Blends over the members' log-odds: of two strengths of regularisation, and one that forgets.
STACKS = (
    Blend("stack-300", True, 300.0, 1.0, 1.0),
    Blend("stack-10", True, 10.0, 1.0, 1.0),
    Blend("stack-1000", True, 3.0, 0.999, 1.0),
)
FIRST_STACKS = (Blend("stack-1", True, 1.0, 1.0, 1.0), *STACKS[1:])  # of before there were bins
BINNED = 1  # which of the stacks the bins put right


def stacks(calibrate: bool) -> tuple[Blend, ...]:
    """The stacks of a panel with bins, or of one before there were any."""
    return STACKS if calibrate else FIRST_STACKS


def forecasters(members: Sequence[str], blends: Sequence[Blend] = BLENDS, calibrate: bool = True) -> tuple[str, ...]:
    """Who forecasts: every member, the blends that give odds, the stacks, and the bins.

    >>> forecasters(["arow"])
    ('arow', 'blend-1000', 'blend-100', 'stack-300', 'stack-10', 'stack-1000', 'stack-10-bins')
    """
    others = (*(blend.name for blend in blends if blend.logistic), *(stack.name for stack in stacks(calibrate)))
    return (*members, *others, *((f"{STACKS[BINNED].name}-bins",) if calibrate else ()))


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


class Spread:
    """A member's scores, less their mean and divided by their spread so far, and squashed mildly; the mean has one score of 0 more.

    >>> spread = Spread()
    >>> round(spread.squashed(4.0), 3)
    0.46
    >>> spread.learn()
    >>> round(spread.squashed(6.0), 3)
    0.531
    """

    def __init__(self) -> None:
        self.sum, self.squares, self.rounds, self.last = 0.0, 0.0, 0.0, 0.0

    def squashed(self, score: float) -> float:
        self.last = s = clipped(score)
        mean = (self.sum + s) * (1.0 / (self.rounds + 2.0))
        spread = (self.squares + s * s) * (1.0 / (self.rounds + 1.0)) - mean * mean
        ratio = (s - mean) / sqrt(spread) if spread > 0.0 else 0.0
        return ratio / sqrt(1.0 + abs(ratio))

    def learn(self) -> None:
        """The score asked about last has a label."""
        self.sum, self.squares, self.rounds = self.sum + self.last, self.squares + self.last * self.last, self.rounds + 1.0


class Bins:
    """What a stack says, put right in each bin of it by a Bayesian mixture of six: its logarithm of odds shifted by one of five
    numbers, and the share of 1s so far in the bin, (m + 1/2)/(n + 1) after m of n.

    >>> bins = Bins()
    >>> for _ in range(40):
    ...     odds = bins.odds(0.3)
    ...     bins.learn(True)
    >>> round(odds, 2), bins.counts[5]
    (4.37, [40.0, 40.0])
    """

    def __init__(self) -> None:
        self.weights = [[1.0 / (len(SHIFTS) + 1)] * (len(SHIFTS) + 1) for _ in range(BINS)]
        self.counts = [[0.0, 0.0] for _ in range(BINS)]  # of the labels in a bin, and of the 1s among them
        self.bin = 0
        self.ones: list[float] = []
        self.zeros: list[float] = []
        self.sums = (0.5, 0.5)

    def odds(self, s: float) -> float:
        """The logarithm of the odds of a 1, from the stack's."""
        place = min(max(s - LOW, 0.0), BINS - 1.0)
        self.bin = int(place)
        n, m = self.counts[self.bin]
        far = exp(-min(max(s, -FAR), FAR))
        self.ones, self.zeros = [], []
        for shift in SHIFTS:
            against = far * exp(-shift)
            self.ones.append(1.0 / (1.0 + against))
            self.zeros.append(against * self.ones[-1])
        self.ones.append((m + 0.5) / (n + 1.0))
        self.zeros.append((n - m + 0.5) / (n + 1.0))
        one = zero = 0.0
        for weight, p, q in zip(self.weights[self.bin], self.ones, self.zeros, strict=True):
            one += weight * p
            zero += weight * q
        self.sums = one, zero
        return log(one / zero)

    def learn(self, y: bool) -> None:
        """The label of the row asked about last."""
        kept = 1.0 / self.sums[0 if y else 1]
        rights = self.ones if y else self.zeros
        self.weights[self.bin] = [max(w * right * kept, LEAST) for w, right in zip(self.weights[self.bin], rights, strict=True)]
        self.counts[self.bin][0] += 1.0
        self.counts[self.bin][1] += y


def clipped(score: float) -> float:
    """A member's score; one that is no number is 0."""
    return min(max(score if score == score else 0.0, -LARGEST), LARGEST)


class ForecastMixture:
    """A Bayesian mixture of forecasters with a share that falls, and the losses of all of them.

    >>> mixture = ForecastMixture([0.5, 0.5])
    >>> for y in (True, True, True, False):
    ...     odds = mixture.odds([2.0, -2.0])
    ...     mixture.learn(y)
    >>> round(odds, 3), mixture.mistakes, [round(float(loss), 3) for loss in mixture.losses()]
    (1.697, 1, [2.508, 6.508, 3.011])
    """

    def __init__(self, prior: Sequence[float], slow: float = 1.0) -> None:
        self.prior, self.weights, self.slow = list(prior), list(prior), slow
        self.rounds, self.mistakes = 0, 0
        self.products, self.halvings = [1.0] * (len(prior) + 1), [0] * (len(prior) + 1)  # of each, and of the mixture
        self.chances: list[tuple[float, float]] = []
        self.ones, self.zeros = 0.5, 0.5
        self.last = 0.0  # the logarithm of the odds given last

    def odds(self, odds: Sequence[float]) -> float:
        """The logarithm of the odds of a 1, from those that the forecasters give."""
        self.chances, self.ones, self.zeros = [], 0.0, 0.0
        for weight, s in zip(self.weights, odds, strict=True):
            one, zero = chances(s)
            self.chances.append((one, zero))
            self.ones += weight * one
            self.zeros += weight * zero
        made = log(self.ones / self.zeros)
        self.last = made if abs(made) >= TIE else 0.0
        return self.last

    def learn(self, y: bool) -> None:
        """The label of the row asked about last."""
        rights, mixed = [one if y else zero for one, zero in self.chances], self.ones if y else self.zeros
        self.rounds += 1
        self.mistakes += (self.last >= 0.0) != y
        share = 1.0 / (self.slow * (self.rounds + HOLD))
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
    """The forecasts of a panel at play; `givers` tells whose scores are logarithms of odds, and is None where there are no bins."""

    def __init__(self, members: int, blends: int, givers: Sequence[bool] | None = None) -> None:
        self.givers, self.bins = givers, None if givers is None else Bins()
        self.spreads = [Spread() for _ in range(members)]
        self.calibrations = [Calibration() for _ in range(members)]
        self.stacks = [Mind(members, stack) for stack in stacks(givers is not None)]
        others = blends + len(self.stacks) + (givers is not None)
        self.mixture = ForecastMixture(prior(members, members + others), 1.0 if givers is None else SLOW)
        self.z: list[float] = []
        self.x: list[float] = []
        self.estimates: list[float] = []

    def odds(self, scores: Sequence[float], mild: Sequence[float], blended: Sequence[float]) -> float:
        """The logarithm of the odds of a 1, from the members' scores, plain and squashed, and from the odds that blends give."""
        if self.givers is None:
            self.z = list(mild)
        else:
            self.z = [spread.squashed(score) for spread, score in zip(self.spreads, scores, strict=True)]
        own = [calibration.odds(z) for calibration, z in zip(self.calibrations, self.z, strict=True)]
        self.x = [*own, 1.0]
        for k, (score, giver) in enumerate(zip(scores, self.givers or (), strict=False)):
            if giver:
                own[k] = s = min(max(score if score == score else 0.0, -FAR), FAR)
                self.x[k] = s / sqrt(1.0 + abs(s) * (1.0 / KNEE))
        self.estimates = [stack.score(self.x) for stack in self.stacks]
        if self.bins is not None:
            self.estimates.append(self.bins.odds(self.estimates[BINNED]))
        return self.mixture.odds([*own, *blended, *self.estimates])

    def learn(self, y: bool) -> None:
        """The label of the row asked about last."""
        self.mixture.learn(y)
        learns = self.mixture.rounds <= OFTEN or self.mixture.rounds % SELDOM == 0
        for stack, s in zip(self.stacks, self.estimates, strict=False):
            if learns or stack.blend.memory < 1.0:
                stack.learn(self.x, s, y)
        for calibration, z in zip(self.calibrations, self.z, strict=True):
            if learns:
                calibration.learn(z, y)
        for spread in self.spreads:
            spread.learn()
        if self.bins is not None:
            self.bins.learn(y)
