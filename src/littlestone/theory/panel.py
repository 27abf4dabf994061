"""A panel of learners under a rule over experts: the rule's theorem about the members' predictions, and theirs about the stream.

Each round the members vote, and a rule puts weights on them.  f is the share of the weight that is wrong, F = Σf over the labelled rounds.
The panel predicts 1 where at least half of the weight says 1.  So a mistake has f ≥ 1/2, and M ≤ 2F.  The rule's theorems bound F by what
the best member loses: for AdaHedge F ≤ m + 2Δ, m the mistakes of the best member, so

    M ≤ 2(m + 2Δ) ≤ 2(m + √(T·ln K) + 4/3·ln K + 2),     K members, T rounds;

and m ≤ B for every bound B of any member's on its mistakes, since all of them see the whole stream and learn from it as they would alone.
A rule that bounds mistakes (the deterministic weighted majority, fixed share at mistakes), or follows one member, has no factor of 2: its
predictions are the panel's.  Who follows the draw of a member by weight errs F times in expectation: the factor is the price of no coin.
Weights: members that honour them learn from a round of weight c as c rounds; the rule counts rounds.  The weights of M rounds add up to
at most c·M, c the largest of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from decimal import localcontext
from typing import Any

from littlestone.theory.bound import Bound
from littlestone.theory.experts import slip
from littlestone.theory.numbers import DIGITS, Real, real, up

SOURCE = "proof in theory/panel.py; the rule's and the members' own sources"


def from_loss(F: Real, T: int) -> Real:
    """M ≤ 2F.

    >>> int(from_loss(7, 10))
    14
    """
    with localcontext(DIGITS):
        return up(2 * (real(F) + slip(T)))


LOSS = Bound("panel-loss", "none", "hindsight", "M ≤ 2F,  F = Σ of the shares of wrong weight", from_loss, SOURCE, witness="run")


def of_rule(bound: Bound, factor: int) -> Bound:
    """The rule's theorem as one about the panel: `factor` is 2 where it bounds the rule's loss, 1 where it bounds its mistakes.

    >>> from littlestone.theory.experts import ADAHEDGE
    >>> of_rule(ADAHEDGE[2], 2).formula
    "M ≤ 2L, L ≤ m + 2Δ, Δ = the run's mixability gaps; m = mistakes of the best member"
    """

    def value(**facts: Any) -> Real:
        with localcontext(DIGITS):
            return up(factor * real(bound.value(**facts)))

    value.__signature__ = inspect.signature(bound.value)  # type: ignore[attr-defined]
    formula = bound.formula if factor == 1 else f"M ≤ 2L, {bound.formula}"
    said = f"{formula}; m = mistakes of the best member"
    says = bound.says.replace("expert", "member").replace("loses", "errs")
    return replace(bound, name=f"panel-{bound.name}", formula=said, value=value, counts="mistakes", says=says)


def weighed(bound: Bound) -> Bound:
    """The same of the weights of the rounds with mistakes: c times as much, c the largest of them."""

    def value(c: Real, **facts: Any) -> Real:
        with localcontext(DIGITS):
            return up(real(c) * real(bound.value(**facts)))

    known = inspect.signature(bound.value).parameters.values()
    weight = inspect.Parameter("c", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    value.__signature__ = inspect.Signature([weight, *known])  # type: ignore[attr-defined]
    return replace(bound, formula=f"{bound.formula}; times c, the largest weight of a mistake", value=value)


def bounds_of_rule(bounds: Sequence[Bound], factor: int) -> tuple[Bound, ...]:
    """Every theorem of the rule about what it does on average or for certain; those about one draw of a coin do not concern a panel."""
    return (*(of_rule(bound, factor) for bound in bounds if bound.counts != "one draw" and bound.witness != "distribution"), LOSS)
