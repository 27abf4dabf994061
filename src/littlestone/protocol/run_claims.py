"""What every kind of run can do: hold its learner's theorems against what happened."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory import Claim
from littlestone.theory.claims import Known, first_declared, match
from littlestone.theory.delay import Delay
from littlestone.theory.risk import Risk, risk


class WithRisk:
    """What a run says of fresh examples, where its rounds were independent draws."""

    rounds: Any
    mistakes: Any

    def risk(self, delta: float | str | Fraction = Fraction(1, 20)) -> Risk:
        """How often the hypotheses of this run err on fresh examples, from its mistakes alone, with probability at least 1-δ.

        It is true of any learner, provided that the rounds are independent draws from one distribution: that you declare by asking.

        >>> import littlestone as ls
        >>> run = ls.play(ls.perceptron(), [[1, 0], [0, 1]] * 500, [1, 0] * 500)
        >>> run.mistakes, round(run.risk(delta=0.01).average, 4), round(run.risk(delta=0.01).majority_vote, 4)
        (1, 0.01, 0.0199)
        """
        return risk(self.mistakes, self.rounds, delta)


class WithClaims(WithRisk):
    """What every kind of run can do: hold its learner's theorems against what happened."""

    learner: Any
    resumed: bool
    weighted_mistakes: Any

    def bounds(self, assume: str | None = None) -> list[Claim]:
        """Every bound of the learner that this run's facts can evaluate; `assume` declares what you know beforehand.

        >>> import littlestone as ls
        >>> run = ls.play(ls.winnow(n=4), [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], [1, 1, 0])
        >>> [(claim.name, claim.observed, claim.limit, claim.holds) for claim in run.bounds("disjunction:r=1")]
        [('winnow-disjunction', 2, 5, True), ('winnow-disjunction-agnostic', 2, 7, True)]
        """
        require(not self.resumed, "this run went on from a state that earlier rounds had made; its bounds need those rounds too")
        return first_declared(match(self.known(), assume))

    def known(self) -> Known:
        """What this run gives the matcher of claims: its facts, and why they may say nothing."""
        if self.learner.known is not None:
            return self.learner.known(self)
        facts = dict(self.learner.facts(self)) if self.learner.facts else {}
        return Known(self.learner.name, self.learner.bounds, facts, self.weighted_mistakes, self.delayed)

    @property
    def delayed(self) -> Delay | None:
        """That labels came late, where they did."""
        return Delay(self.overlap, self.made, self.weighted) if getattr(self, "overlap", 0) else None  # type: ignore[attr-defined]

    @property
    def segments(self) -> tuple:
        """The runs it is made of: itself, unless an alarm began a new one (`alarm="restart"`)."""
        return (self,)
