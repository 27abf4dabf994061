"""Naive Bayes: mistakes from its own log-loss.

M·ln 2 ≤ Λ, Λ = Σ log-loss over the labelled rounds (`theory.log_loss`): the score is the logarithm of the odds under the rule's own model,
in which the features of a row are drawn one by one, each by itself once the label is known.

No regret bound is stated, and against linear rules there is none.  What counting promises (Krichevsky, Trofimov) is a short code for rows
and labels together, -ln P(x, y).  The loss that counts here is -ln P(y | x), which is that less -ln P(x); where rows are not drawn as the
model says, the two may differ by ever more.  A feature that is right 7 times of 10 and stands in ten columns counts ten times, and outvotes
for ever one that is right 99 times of 100: a share of all rounds is lost that a linear rule does not lose.
"""

from fractions import Fraction

from littlestone.theory.bound import Invariant, Moment
from littlestone.theory.families import Family
from littlestone.theory.log_loss import measured_regret, own_loss
from littlestone.theory.settings import FEATURES, MODERATE, number

LOSS = own_loss("naive-bayes")
MEASURED = measured_regret("naive-bayes")


def _counted(m: Moment) -> tuple[Fraction, Fraction]:
    """What each label's features count is what its total says; the difference, and what rounding may make it."""
    off, total = Fraction(0), Fraction(0)
    for j, own in enumerate((("ones", "less_ones"), ("zeros", "less_zeros"))):
        counted = m.state["totals"].get(j, Fraction(0))
        off += abs(counted - sum(sum(m.state[name].values()) for name in own))
        total += counted
    return off, total * m.slack


def _met(m: Moment) -> tuple[Fraction, Fraction]:
    """V is the number of features, told apart by sign, that either label has counted."""
    pairs = (("ones", "zeros"), ("less_ones", "less_zeros"))
    met = sum(len({i for name in pair for i, c in m.state[name].items() if c > 0}) for pair in pairs)
    return abs(m.state["totals"].get(4, Fraction(0)) - met), Fraction(0)


INVARIANTS = (
    Invariant("totals", "t1 = Σ c1_i and t0 = Σ c0_i", _counted),
    Invariant("features met", "V = |{i: c1_i + c0_i > 0}|", _met),
)


FAMILY = Family(
    "naive_bayes",
    {"n": FEATURES, "alpha": number("1e-12", "1e12", MODERATE)},
    (LOSS, MEASURED),
    ties="score = 0 predicts 1",
    weighted=True,
    updates_on="always",
    invariants=INVARIANTS,
    featurewise=True,
    odds=True,
    source="McCallum, Nigam 1998 (multinomial naive Bayes)",
)
