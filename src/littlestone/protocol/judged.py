"""What every kind of run can do: hold its learner's theorems against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.theory import Bound, Claim, judge, parse_assumption
from littlestone.theory.delay import LATE, WHY, late_facts
from littlestone.theory.risk import Risk, risk


def best(claims: Sequence[Claim]) -> Claim | None:
    """The smallest limit among the bounds that hold; what was declared beforehand goes first."""
    valid = [claim for claim in claims if claim.limit is not None]
    return min(valid, key=lambda claim: (claim.kind != "a priori", claim.limit), default=None)


class AtRisk:
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


class Judged(AtRisk):
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
        if self.learner.claims is not None:
            return self.learner.claims(self, assume)
        kind, declared = parse_assumption(assume) if assume else ("none", {})
        theorems = [bound for bound in self.learner.bounds if bound.assumes == kind]
        if assume and not theorems:
            known = sorted({b.assumes for b in self.learner.bounds} - {"none"})
            raise LittlestoneError(f"{self.learner.name} has no theorem that assumes {kind!r}; it has: {', '.join(known) or 'none'}")
        measured = dict(self.learner.facts(self)) if self.learner.facts else {}
        if getattr(self, "overlap", 0):
            return self._late(theorems, declared, measured)
        claims = [self._a_priori(bound, declared, measured) for bound in theorems if bound.kind == "a priori"]
        for bound in self.learner.bounds:
            if bound.kind == "hindsight" and set(bound.needs) <= set(measured):
                claims.append(judge(bound, self.weighted_mistakes, measured))
        return claims

    def _late(self, theorems: list[Bound], declared: Mapping[str, Fraction], measured: Mapping[str, Any]) -> list[Claim]:
        """The same where labels came late: few theorems have a proof for that."""
        facts, claims = late_facts(measured, self.overlap, self.made), []  # type: ignore[attr-defined]
        weighted = getattr(self, "weighted", False)
        wanted = [b for b in theorems if b.kind == "a priori"]
        wanted += [b for b in self.learner.bounds if b.kind == "hindsight" and set(b.needs) <= set(measured)]
        for bound in wanted:
            proved = LATE.get(bound.name)
            if proved is None or weighted:
                void = WHY if proved is None else "labels came late, and its proof for that is of rounds that all weigh 1"
                claims.append(judge(bound, self.weighted_mistakes, measured, void))
            else:
                claims.append(self._a_priori(proved, declared, facts) if bound.kind == "a priori" else judge(proved, self.mistakes, facts))
        return claims

    @property
    def segments(self) -> tuple:
        """The runs it is made of: itself, unless an alarm began a new one (`alarm="restart"`)."""
        return (self,)

    def _a_priori(self, bound: Bound, declared: Mapping[str, Fraction], measured: Mapping[str, Any]) -> Claim:
        return judge(bound, self.weighted_mistakes, *self.declared_facts(bound, declared, measured))

    def declared_facts(self, bound: Bound, declared: Mapping[str, Fraction], measured: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The facts a bound is to be evaluated with, and how the stream contradicts the sizes declared, where it does."""
        void, facts = "", {k: v for k, v in measured.items() if k not in ("r", "k", "A", "U", "L", "K", "witness")}
        sizes = {name: fact for name, fact in (("R", "R2"), ("X", "X")) if fact in measured}
        known = [*sizes, *(name for name in bound.needs if name not in measured or name in ("r", "U", "size"))]
        for key in declared:
            require(key in known, f"assumption {bound.assumes!r} of {self.learner.name} takes {', '.join(known) or 'nothing'}; not {key!r}")
        for key, value in declared.items():
            if key in ("r", "k", "size"):
                require(
                    value.denominator == 1 and value >= 0,
                    f"assumption: {key}={value} must be a whole number, not negative",
                )
                least = measured.get("size", 1) if bound.assumes == "class" else 0
                require(
                    value >= least,
                    f"assumption class: size={value} must be a whole number, no smaller than the {least:,} concepts of the class at hand",
                )
                facts[key] = int(value)
            elif key in sizes:  # a declared size replaces the measured one, unless the stream exceeds it
                fact, size = sizes[key], value**2 if key == "R" else value
                if measured[fact] > size * (1 + Fraction(1, 2**20)):
                    found = float(measured[fact]) ** (0.5 if key == "R" else 1)
                    void = f"a round has {'|x|' if key == 'R' else 'max|x_i|'} = {found:.6g}, more than the declared {key}={value}"
                facts[fact] = max(size, measured[fact])  # a hair above what was declared is taken as measured
            else:
                facts[key] = value
        facts |= {name: default for name, default in bound.optional.items() if name not in facts}
        lacking = [name for name in bound.needs if name not in facts]
        require(not lacking, f"assumption {bound.assumes!r} needs {', '.join(f'{name}=...' for name in lacking)}")
        return facts, void
