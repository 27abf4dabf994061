"""Coin betting: mistakes from its own log-loss, and why no coin is ever ruined.

M·ln 2 ≤ Λ, Λ = Σ log-loss over the labelled rounds (`theory.log_loss`).

Solvency: a coin owns V > 0 and c > 0 is at least every |g·x| it has met, this round's included.  It bets w = V·Z/(c(c + G)), Z = -Σg·x and
G = Σ|g·x| over the rounds before, so |Z| ≤ G and |w|·c ≤ V·G/(c + G).  The round changes V by -g·x·w, and

    |g·x·w| ≤ c·|w| ≤ V·G/(c + G) < V,

so V stays positive, whatever comes.  c grows before the bet is taken, never after, and a larger c makes the bet smaller.  In doubles too:
rounding keeps order, so |Z| ≤ G holds of the rounded sums; G ≤ k·c after k rounds, so the least distance, V/(k + 1), is beyond rounding.

No regret bound is stated.  Of the bets themselves there is one (Orabona, Pál 2016); but the score is their sum divided by a mean that moves
with the stream, and the gradient is taken there, not where the coins stand.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from littlestone.theory.bound import Invariant, Moment
from littlestone.theory.families import Family
from littlestone.theory.log_loss import measured_regret, own_loss
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, number

LOSS = own_loss("coin")
MEASURED = measured_regret("coin")


class _Coin(NamedTuple):
    w: Fraction
    c: Fraction
    G: Fraction
    V: Fraction


def _coins(m: Moment) -> Iterator[_Coin]:
    """The coin of every feature met, and of the bias."""
    zero, full = Fraction(0), Fraction(1)
    state, extra = m.state, m.state["extra"]
    for i, scale in state["scale"].items():
        c = scale * state["peak"].get(i, zero)
        yield _Coin(state["w"].get(i, zero), c, state["G"].get(i, zero), state["V"].get(i, full))
    c = Fraction(m.settings["bias"]) * extra.get(1, zero)
    yield _Coin(extra.get(0, zero), c, extra.get(3, zero), extra.get(4, full))


def _ruined(m: Moment) -> tuple[int, int]:
    """No coin has lost all it owns: the number of those that have is 0."""
    return sum(coin.V <= 0 for coin in _coins(m)), 0


def _bets(m: Moment) -> tuple[Fraction, Fraction]:
    """The largest bet, as a share of what theory allows it."""
    shares = [abs(coin.w) * coin.c * (coin.c + coin.G) / (coin.V * coin.G) for coin in _coins(m) if coin.w and coin.V > 0 and coin.G]
    return max(shares, default=Fraction(0)), 1 + m.slack


INVARIANTS = (
    Invariant("no coin is ruined", "V_i > 0 for every i", _ruined),
    Invariant("bets", "|w_i|·c_i·(c_i + G_i)/(V_i·G_i) ≤ 1 for every i", _bets),
)


FAMILY = Family(
    "coin",
    {"n": FEATURES, "wealth": number("1e-12", "1e12", MODERATE), "bias": BIAS},
    (LOSS, MEASURED),
    ties="score = 0 predicts 1",
    weighted=True,
    updates_on="always",
    invariants=INVARIANTS,
    featurewise=True,
    odds=True,
    source="Orabona, Tommasi 2017 (COCOB); the scales and the mean are Vowpal Wabbit's",
)
