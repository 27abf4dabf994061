"""Pairs: what can be said of it.

The loss of a round is h = max(0, 1 - y·v·z) of the weights before the update, z the scaled features and their products.  On a mistake
y·v·z ≤ 0, so the loss is at least 1: M ≤ Λ, Λ the sum of the losses over the labelled rounds, which are those of the updates (elsewhere
h = 0).  In a round of weight c both sides count c times.  Λ is the run's own: it is small where the rule learned, and no comparator is
needed to say so.

The scales move while the rule learns, and pairs beyond the first `room` are left out, so the regret bound of a fixed set of features at a
fixed scale (AdaGrad's) does not speak of it.  No bound is stated beforehand.

Rounding (u = 2^-53): a term of Λ is right to a relative 3u given the score that decided, and the sum of k terms to ku.
"""

from fractions import Fraction

from littlestone.theory.all_rounds import HingeMeter
from littlestone.theory.bound import Invariant, Moment, hindsight
from littlestone.theory.families import Family
from littlestone.theory.normalized import from_loss, measured_regret
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, number, whole

MOST = 1024  # a row of so many features has half a million pairs
ROOM = 2**28

MEASURED = measured_regret("pairs", meter=HingeMeter)
LOSS = hindsight(
    "pairs-loss", "M ≤ Λ,  Λ = the run's own loss, Σ max(0, 1 - y·v·z)", from_loss, "on a mistake the loss is at least 1", witness="run"
)


def _lengths(m: Moment) -> tuple[Fraction, Fraction]:
    """No scaled feature and no product is larger than 1: Σ|z|² is at most the number of updates times that of all of them."""
    extra, width, most = m.state["extra"], m.settings["n_seen"], m.settings["most"]
    products = Fraction(most * (most + 1), 2)
    return extra.get(3, Fraction(0)), extra.get(2, Fraction(0)) * (width + products + Fraction(m.settings["bias"]) ** 2) * (1 + m.slack)


INVARIANTS = (
    Invariant("scaled", "Σ|z|² ≤ k·(n + most·(most + 1)/2 + ρ²)", _lengths),
    Invariant("no more pairs than room", "pairs ≤ room", lambda m: (m.state["tally"].get(0, Fraction(0)), Fraction(m.settings["room"]))),
)


FAMILY = Family(
    "pairs",
    {
        "n": FEATURES,
        "eta": number("1e-12", "1e12", MODERATE),
        "most": whole(1, MOST, f"must be a whole number from 1 to {MOST:,}"),
        "room": whole(1, ROOM, f"must be a whole number from 1 to {ROOM:,}"),
        "bias": BIAS,
    },
    (LOSS, MEASURED),
    ties="v·z = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    source="the rule of normalized; Ross, Mineiro, Langford 2013 (scales); Karampatziakis, Langford 2011 (steps)",
)
