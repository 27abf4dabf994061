"""Logistic regression with a rate for each coordinate: mistakes from log-loss, log-loss from regret (AdaGrad).

M·ln 2 ≤ Λ, Λ = Σ log-loss over the labelled rounds (`theory.log_loss`).

Regret: g_i is the i-th partial derivative of the loss at w, G_i = Σg_i² so far, this round included, and w_i moves by -η·g_i/√G_i.  Then

    g_i(w_i - u_i) = √G_i/(2η)·((w_i - u_i)² - (w_i' - u_i)²) + η·g_i²/(2√G_i),

w' the weights after.  Summed over the rounds by parts, with |w_i - u_i| ≤ B_i + |u_i|, B_i the largest |w_i| of the run, and Σg²/√G ≤
2√G, the loss being convex:

    Λ ≤ Λ(u) + Σ_i √G_i·((B_i + |u_i|)²/(2η) + η)     for every u.

u = 0 costs nothing: Λ(0) = T·ln 2, T the labelled rounds.  Weights: the loss of a round of weight c is c times as large, and so is g; Λ,
T and M are then sums of c.

Rounding: each probability is right to a relative 2^-49, as are sums of losses and roots; a share 2^-30 is added.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.theory.bound import Invariant, Moment, hindsight
from littlestone.theory.families import Family
from littlestone.theory.log_loss import SHARE, ln2, measured_regret, own_loss
from littlestone.theory.numbers import DIGITS, Real, real, up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, number

DUCHI = "Duchi, Hazan, Singer 2011 (AdaGrad); derived with its constants"


def from_regret(loss_u: Real, regret: Real) -> Decimal:
    """M ≤ (Λ(u) + Σ_i √G_i·((B_i + |u_i|)²/(2η) + η))/ln 2."""
    with localcontext(DIGITS):
        return up((real(loss_u) + real(regret)) * real(1 + SHARE) / ln2())


LOSS = own_loss("adaptive")
MEASURED = measured_regret("adaptive")
REGRET = hindsight(
    "adaptive-regret", "M ≤ (Λ(u) + Σ_i √G_i·((B_i + |u_i|)²/(2η) + η))/ln 2,  Λ(u) = log-loss of u", from_regret, DUCHI, witness="none"
)  # for reading: it is never below the bound by the loss, so no certificate states it


def _regret(m: Moment) -> tuple[Decimal, Decimal]:
    """Λ ≤ T·ln 2 + Σ_i √G_i·(B_i²/(2η) + η): the regret bound against u = 0, after every round."""
    sums, eta = m.state["sums"], real(m.settings["eta"])
    with localcontext(DIGITS):
        loss = int(sums.get(1, Fraction(0))) * ln2() - real(sums.get(0, Fraction(1))).ln() + real(sums.get(2, Fraction(0)))
        regret = real(sums.get(3, Fraction(0))) * ln2()
        for squares, largest in (("G", "top"), ("bias_G", "bias_top")):
            for i, G in m.state[squares].items():
                regret += real(G).sqrt() * (real(m.state[largest].get(i, Fraction(0))) ** 2 / (2 * eta) + eta)
        return loss * real(1 - m.slack), regret * real(1 + m.slack) + real(m.slack)


INVARIANTS = (Invariant("regret against u = 0", "Λ ≤ T·ln 2 + Σ_i √G_i·(B_i²/(2η) + η)", _regret),)


FAMILY = Family(
    "adaptive",
    {"n": FEATURES, "eta": number("1e-12", "1e12", MODERATE), "bias": BIAS},
    (LOSS, MEASURED, REGRET),
    ties="w·x = 0 predicts 1",
    weighted=True,
    updates_on="always",
    invariants=INVARIANTS,
    featurewise=True,
    odds=True,
    source="Duchi, Hazan, Singer 2011",
)
