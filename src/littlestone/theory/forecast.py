"""The forecasts of a panel: what a Bayesian mixture with a share that falls loses beside each of its forecasters.

A forecaster gives the label of round t the probability p_t(i); Λ_i = -Σ ln p_t(i) over the labelled rounds is its log-loss.  The mixture
has weights w_t with w_1 = π, gives the label p_t = Σ_i w_t(i)·p_t(i), and then

    w_{t+1}(i) = (1 - α_t)·w_t(i)·p_t(i)/p_t + α_t·π_i,     α_t = 1/(t + H),  H = 10.

**Theorem.** Λ ≤ Λ_i + ln(1/π_i) + ln((T + H - 1)/H) for every forecaster i and every T ≥ 1.
Proof: w_{t+1}(i) ≥ (1 - α_t)·w_t(i)·p_t(i)/p_t, hence p_1···p_{T-1}·w_T(i) ≥ π_i·Π_{t<T}(1 - α_t)·p_t(i), and p_T ≥ w_T(i)·p_T(i).  With
1 - α_t = (t + H - 1)/(t + H) the product of the first T - 1 telescopes to H/(T + H - 1).  Take logarithms.  ∎

Without the share the second logarithm would be 0: it is the price for going back to a forecaster that was bad for long.

**Mistakes.** Where the likelier label is predicted, 1 where both are as likely, a mistake loses at least ln 2: M_f ≤ Λ/ln 2.

Rounding: every sum here is of positive numbers, so that w_{t+1}(i) is below what stands above by a factor of (1 - 2^-53)^6 at most, each
product of probabilities by one of 1 - 2^-53 a round: 2^-50 a round in all.  Logarithms and their sums are right to a relative 2^-48.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Self

from littlestone.theory.bound import Bound, Claim, hindsight, judge
from littlestone.theory.log_loss import from_loss, ln2
from littlestone.theory.numbers import DIGITS, Real, real, up

HOLD = 10
ROUND = Fraction(1, 2**48)  # what rounding can add to a loss in each round, and to each nat of it
SOURCE = "proof in theory/forecast.py; fixed share: Herbster & Warmuth 1998, with a share that falls"


def within(loss: Real, chance: Real, T: int) -> Decimal:
    """Λ_i + ln(1/π_i) + ln((T + 9)/10).

    >>> within(Decimal(7), Fraction(1, 32), 1000).quantize(Decimal("0.001"))
    Decimal('15.080')
    """
    with localcontext(DIGITS):
        return up(real(loss) * real(1 + ROUND) + real(T * ROUND) - real(chance).ln() + (real(Fraction(max(T, 1) + HOLD - 1, HOLD))).ln())


LOSS = hindsight(
    "panel-forecast",
    "Λ ≤ Λ_i + ln(1/π_i) + ln((T + 9)/10),  Λ_i = the log-loss of forecaster i, π_i = the weight it begins with",
    within,
    SOURCE,
    counts="log-loss",
    witness="expert",
    every=True,
    loss="loss",
)


def errs(loss: Real) -> Decimal:
    """M_f ≤ Λ/ln 2."""
    return from_loss(real(loss) * real(1 + ROUND))


MISTAKES: Bound = hindsight(
    "panel-forecast-mistakes",
    "M_f ≤ Λ/ln 2,  M_f = mistakes of the forecasts at 1/2",
    errs,
    "on a mistake the true label had probability at most 1/2",
    witness="run",
)


def prior_of(members: int, forecasters: int) -> list[Fraction]:
    """The weights that forecasters begin with: one half for the members, one half for the others.

    >>> prior_of(2, 3)
    [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    """
    others = forecasters - members
    return [Fraction(1, 2 * members)] * members + [Fraction(1, 2 * others)] * others


@dataclass(frozen=True)
class Forecasts:
    """What the forecasts of a run lost, and what each forecaster did: the first `members` of them are the panel's members.

    >>> forecasts = Forecasts(("arow", "stack"), 1, (20.0, 12.5), 13.0, 6, 100)
    >>> [(claim.observed, round(claim.limit, 3), claim.witness) for claim in forecasts.bounds]
    [(13.0, 15.582, 'stack'), (6, 18, '')]
    """

    names: tuple[str, ...]
    members: int
    losses: tuple[float, ...]
    loss: float  # of the mixture: Λ
    mistakes: int  # of the forecasts at 1/2
    rounds: int

    @classmethod
    def of(cls, names: Sequence[str], members: int, products: Sequence[float], halvings: Sequence[float], counts: Sequence[int]) -> Self:
        """From products of probabilities, those of the mixture last: each is product·2^-halvings."""
        *losses, loss = (-(real(Fraction(p)).ln() - int(h) * ln2()) for p, h in zip(products, halvings, strict=True))
        return cls(tuple(names), members, tuple(map(float, losses)), float(loss), int(counts[1]), int(counts[0]))

    @property
    def bounds(self) -> list[Claim]:
        """Both theorems, beside the forecaster that makes the limit smallest."""
        facts: list[Mapping[str, Any]] = [
            {"loss": Fraction(loss), "chance": chance, "T": self.rounds, "witness": name}
            for name, loss, chance in zip(self.names, self.losses, prior_of(self.members, len(self.names)), strict=True)
        ]
        best = min(facts, key=lambda these: within(these["loss"], these["chance"], self.rounds))
        return [judge(LOSS, self.loss, best), judge(MISTAKES, self.mistakes, {"loss": Fraction(self.loss)})]

    def as_json(self) -> dict[str, Any]:
        """As a certificate and `--json` write it, without the bounds."""
        each = [{"name": name, "log_loss": loss} for name, loss in zip(self.names, self.losses, strict=True)]
        return {"rounds": self.rounds, "log_loss": self.loss, "mistakes": self.mistakes, "forecasters": each}
