"""The forecasts of a panel: what a Bayesian mixture with a share that falls loses beside each of its forecasters.

A forecaster gives the label of round t the probability p_t(i); Λ_i = -Σ ln p_t(i) over the labelled rounds is its log-loss.  The mixture
has weights w_t with w_1 = π, gives the label p_t = Σ_i w_t(i)·p_t(i), and then

    w_{t+1}(i) = (1 - α_t)·w_t(i)·p_t(i)/p_t + α_t·π_i,     α_t = 1/(t + H),  H = 10.

**Theorem.** Λ ≤ Λ_i + ln(1/π_i) + ln((T + H - 1)/H) for every forecaster i and every T ≥ 1.
Proof: w_{t+1}(i) ≥ (1 - α_t)·w_t(i)·p_t(i)/p_t, hence p_1···p_{T-1}·w_T(i) ≥ π_i·Π_{t<T}(1 - α_t)·p_t(i), and p_T ≥ w_T(i)·p_T(i).  With
1 - α_t = (t + H - 1)/(t + H) the product of the first T - 1 telescopes to H/(T + H - 1).  Take logarithms.  ∎

Without the share the second logarithm would be 0: it is the price for going back to a forecaster that was bad for long.  A panel with bins
gives back a quarter of it, α_t = 1/(4(t + H)): since 1 - x/4 ≥ (1 - x)^(1/4), the product is at least (H/(T + H - 1))^(1/4), and

    Λ ≤ Λ_i + ln(1/π_i) + ¼·ln((T + H - 1)/H).

**Calibration.** One of its forecasters, `stack-10-bins`, puts a stack right.  What the stack says, a logarithm of odds, falls into one of
ten bins.  In each bin a Bayesian mixture of six forecasts, with equal weights at first: five give the stack's odds times e^(k/4), k from -2
to 2, the sixth (m + 1/2)/(n + 1), m of the n labels of the bin so far having been 1s (Krichevsky and Trofimov).  Let n_b labels fall into
bin b, m_b of them 1s, h(q) = -q·ln q - (1 - q)·ln(1 - q).

**Theorem.** Λ ≤ Σ_b (n_b·h(m_b/n_b) + ½·ln n_b + ln 12) + ln(1/π) + ¼·ln((T + H - 1)/H), the sum over bins with n_b > 0, π the weight that
the bins begin with.
Proof: in a bin the probabilities of the mixture multiply to Σ_k (1/6)·Π_t p_t(k), at least 1/6 of the sixth's product (weights that are
held up at 2^-600 only make that larger), and the sixth's is at least (m/n)^m·((n-m)/n)^(n-m)/(2√n) (Willems, Shtarkov, Tjalkens 1995).
So the bins lose at most Σ_b (n_b·h(m_b/n_b) + ½·ln n_b + ln 2 + ln 6).  Add the mixture's price.  ∎

Σ_b n_b·h(m_b/n_b) is what the stack would lose if each of its bins had been given its true share of 1s in hindsight: no other number for
a bin loses less.  This is calibeating (Foster, Hart 2023), in log-loss: the forecasts do at least as well as these numbers, up to a price
of about 5·ln T + 30; what a stack loses because it says 0.3 throughout a bin in which 0.4 come true, they do not lose for long.  What the
stack knows inside a bin is not in the sum, so that a stack may lose less than its bins put right; and since the bins are one of the
forecasters, the limit is never below the one of the first theorem.  It tells what of calibration is proved, and is not the sharper limit.

**Mistakes.** Where the likelier label is predicted, 1 where both are as likely, a mistake loses at least ln 2: M_f ≤ Λ/ln 2.

Rounding: every sum here is of positive numbers, so that w_{t+1}(i) is below what stands above by a factor of (1 - 2^-53)^6 at most, each
product of probabilities by one of 1 - 2^-53 a round: 2^-50 a round in all.  Logarithms and their sums are right to a relative 2^-48.
The bins hand on a logarithm of odds, of at most 31, whose rounding moves a probability by a relative 2^-46 at most; the mixture takes one
beyond 30 for 30, which makes the probability of a label smaller by a relative e^-30 at most, 2^-43.  Weights of a bin that are held up at
2^-600 may add up to more than 1, by less than 2^-597.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.bound import Bound, Claim, hindsight, judge
from littlestone.theory.log_loss import from_loss, ln2
from littlestone.theory.numbers import DIGITS, Real, float_above, real, up

Counts = Sequence[tuple[int, int]]  # of labels, and of 1s among them

HOLD = 10
ROUND = Fraction(1, 2**48)  # what rounding can add to a loss in each round, and to each nat of it
QUARTER = Fraction(1, 4)
SOURCE = "proof in theory/forecast.py; fixed share: Herbster & Warmuth 1998, with a share that falls"


def within(loss: Real, chance: Real, T: int) -> Decimal:
    """Λ_i + ln(1/π_i) + ln((T + 9)/10).

    >>> within(Decimal(7), Fraction(1, 32), 1000).quantize(Decimal("0.001"))
    Decimal('15.080')
    """
    return priced(loss, chance, T, Fraction(1))


def priced(loss: Real, chance: Real, T: int, share: Fraction) -> Decimal:
    """The same, with so much of the last logarithm."""
    with localcontext(DIGITS):
        price = real(share) * (real(Fraction(max(T, 1) + HOLD - 1, HOLD))).ln() - real(chance).ln()
        return up(real(loss) * real(1 + ROUND) + real(T * ROUND) + price)


def within_slowly(loss: Real, chance: Real, T: int) -> Decimal:
    """Λ_i + ln(1/π_i) + ¼·ln((T + 9)/10)."""
    return priced(loss, chance, T, QUARTER)


def entropy(bins: Counts) -> Decimal:
    """Σ_b n_b·h(m_b/n_b), a little above.

    >>> entropy([(4, 2), (9, 0), (0, 0)]).quantize(Decimal("0.001"))
    Decimal('2.773')
    """
    with localcontext(DIGITS):
        parts = [k * (real(Fraction(n, k))).ln() for n, m in bins for k in (m, n - m) if k]
        return up(sum(parts, Decimal(0)))


def relabelled(entropy: Real, product: int, bins: int, chance: Real, T: int) -> Decimal:
    """Σ_b (n_b·h(m_b/n_b) + ½·ln n_b + ln 12) + ln(1/π) + ¼·ln((T + 9)/10); `product` is that of the n_b."""
    with localcontext(DIGITS):
        loss = real(entropy) + real(product).ln() / 2 + bins * real(12).ln()
        return up(priced(loss, chance, T, QUARTER) + real(T * 64 * ROUND))


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


SLOW_LOSS = replace(
    LOSS,
    formula="Λ ≤ Λ_i + ln(1/π_i) + ¼·ln((T + 9)/10),  Λ_i = the log-loss of forecaster i, π_i = the weight it begins with",
    value=within_slowly,
)
CALIBRATION = hindsight(
    "panel-forecast-calibration",
    "Λ ≤ Σ_b (n_b·h(m_b/n_b) + ½·ln n_b + ln 12) + ln(1/π) + ¼·ln((T + 9)/10),  m_b of the n_b labels in bin b of stack-10 are 1s",
    relabelled,
    "proof in theory/forecast.py; calibeating: Foster & Hart 2023; Krichevsky & Trofimov 1981",
    counts="log-loss",
    witness="expert",
    every=True,
    loss="entropy",
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


LABEL_LOSS: Bound = hindsight(
    "panel-log-loss",
    "M ≤ Λ/ln 2,  Λ = the log-loss of the forecasts, the likeliest label of which is predicted",
    errs,
    "on a mistake the true label had probability at most 1/2",
    witness="run",
)


def label_chain(theorem: Bound, *, weighted: bool = False) -> Bound:
    """Return M ≤ Λ/ln 2 with what `theorem` allows for Λ beside one forecaster; `bits` is that forecaster's log-loss divided by ln 2.

    Where rounds weigh, the mistakes weigh at most c·Λ/ln 2, c the largest weight of a mistake, and `bits` is c times as much.

    >>> int(label_chain(SLOW_LOSS).value(bits=100, chance=Fraction(1, 32), T=1000))
    106
    >>> int(label_chain(SLOW_LOSS, weighted=True).value(bits=400, chance=Fraction(1, 32), T=1000, c=4))
    426

    Mistakes in rounds of weight 0 weigh nothing, whatever the forecaster lost:

    >>> int(label_chain(SLOW_LOSS, weighted=True).value(bits=0, chance=Fraction(1, 32), T=1000, c=0))
    0
    """

    def value(bits: Real, chance: Real, T: int) -> Decimal:
        with localcontext(DIGITS):
            loss = up(real(bits) * ln2())
        return errs(theorem.value(loss, chance, T))

    def weighted_value(bits: Real, chance: Real, T: int, c: Real) -> Decimal:
        if not c:  # mistakes that weigh nothing
            return Decimal(0)
        with localcontext(DIGITS):
            return up(real(c) * value(up(real(bits) / real(c)), chance, T))

    formula = f"M ≤ Λ/ln 2,  {theorem.formula}" + ("; times c, the largest weight of a mistake" if weighted else "")
    more: dict[str, Any] = {"witness": "expert", "every": True, "loss": "bits"}
    return hindsight("panel-log-loss-chain", formula, weighted_value if weighted else value, SOURCE, **more)


LABEL_BOUNDS = (LABEL_LOSS.name, label_chain(LOSS).name)


def beside_vote(difference: Any) -> str:
    """Return, for the end of a sentence about a limit, what M - M_vote adds to it.

    >>> beside_vote(-5), beside_vote(Fraction(5, 2)), beside_vote(0)
    (", less 5, the vote's mistakes beyond the label's", ", plus 2.5, the label's mistakes beyond the vote's", '')
    """
    if not difference:
        return ""
    more, less = ("label", "vote") if difference > 0 else ("vote", "label")
    return f", {'plus' if difference > 0 else 'less'} {abs(float(difference)):,.6g}, the {more}'s mistakes beyond the {less}'s"


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
    bins: Counts | None = None  # of a panel that puts a stack right: of each bin

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        members: int,
        products: Sequence[float],
        halvings: Sequence[float],
        counts: Sequence[int],
        bins: Counts | None = None,
    ) -> Self:
        """From products of probabilities, those of the mixture last: each is product·2^-halvings."""
        for name, p in zip((*names, "the mixture"), products, strict=True):  # a state that was tampered with may lead to any number
            require(0 < p <= 1, f"the probabilities that {name} gave multiply to {p}; expected a number above 0, and at most 1")
        *losses, loss = (-(real(Fraction(p)).ln() - int(h) * ln2()) for p, h in zip(products, halvings, strict=True))
        return cls(tuple(names), members, tuple(map(float, losses)), float(loss), int(counts[1]), int(counts[0]), bins)

    @property
    def theorem(self) -> Bound:
        """What bounds the log-loss of the mixture."""
        return LOSS if self.bins is None else SLOW_LOSS

    def _beside_best(self) -> Mapping[str, Any]:
        """The facts of the forecaster that makes the limit on the log-loss smallest."""
        facts: list[Mapping[str, Any]] = [
            {"loss": Fraction(loss), "chance": chance, "T": self.rounds, "witness": name}
            for name, loss, chance in zip(self.names, self.losses, prior_of(self.members, len(self.names)), strict=True)
        ]
        return min(facts, key=lambda these: self.theorem.value(these["loss"], these["chance"], self.rounds))

    def label_facts(self, c: Real = 1) -> dict[str, Any]:
        """The facts of the bounds on the mistakes of the likeliest label; c is the largest weight of one of them."""
        best = self._beside_best()
        with localcontext(DIGITS):
            bits = Fraction(float_above(up(real(c) * real(best["loss"]) / ln2())))
        return {"loss": Fraction(self.loss), "bits": bits, "chance": best["chance"], "T": self.rounds, "forecaster": best["witness"]}

    @property
    def bounds(self) -> list[Claim]:
        """Its theorems, the first beside the forecaster that makes the limit smallest."""
        chances = prior_of(self.members, len(self.names))
        theorem, best = self.theorem, self._beside_best()
        claims = [judge(theorem, self.loss, best), judge(MISTAKES, self.mistakes, {"loss": Fraction(self.loss)})]
        return [*claims, *(() if self.bins is None else (self._calibration(self.bins, chances[-1]),))]

    def _calibration(self, bins: Counts, chance: Fraction) -> Claim:
        own = [n for n, _ in bins if n]
        facts: dict[str, Any] = {"entropy": Fraction(float_above(entropy(bins))), "product": prod(own), "bins": len(own), "chance": chance}
        return judge(CALIBRATION, self.loss, facts | {"T": self.rounds, "witness": "stack-10, each bin relabelled in hindsight"})

    def as_json(self) -> dict[str, Any]:
        """As a certificate and `--json` write it, without the bounds."""
        each = [{"name": name, "log_loss": loss} for name, loss in zip(self.names, self.losses, strict=True)]
        bins = {} if self.bins is None else {"bins": [list(pair) for pair in self.bins]}
        return {"rounds": self.rounds, "log_loss": self.loss, "mistakes": self.mistakes, "forecasters": each, **bins}
