"""The same for experts, and for a panel's members: what is declared is how much the best of them loses at most.

No theorem is needed to prove that false: it is false with the round in which the last of them has lost more. Where the best may change,
the theorem is asked: more mistakes than it allows prove that no such sequence of experts has lost so little.
"""

from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.protocol.allowance import Limit
from littlestone.theory import parse_assumption


class ExpertAllowance:
    """Evaluates, after any round, what is declared of the best expert."""

    def __init__(self, learner: Any, assume: str) -> None:
        kind, declared = parse_assumption(assume)
        require(kind == "expert", f"{learner.name} has no theorem that assumes {kind!r}; it has: expert, such as expert:m=5")
        require("m" in declared, "assumption 'expert' needs m=...: what the best expert loses at most")
        self.assume, self.member, self.m = assume, learner, declared["m"]
        self.changes = int(declared.get("S", 0))

    def counts(self, run: Any) -> dict[str, Any]:
        """What the best of them has lost, never above the true sum; or, where the best may change, what the theorem bounds."""
        if self.changes:
            return {claim.name: claim.observed for claim in self._claims(run)}
        loss = run.expert_losses.min().item()
        return {"the best expert": loss if isinstance(loss, int) else Fraction(loss) * (1 - Fraction(run.rounds + 2, 2**52))}

    def limits(self, run: Any, settled: bool) -> dict[str, Limit]:
        if not self.changes:
            most = int(self.m) if self.m.denominator == 1 else float(self.m)
            return {name: Limit(count, most, "loss") for name, count in self.counts(run).items()}
        # a claim is void where what it counts exceeds its limit
        return {c.name: Limit(c.observed, c.observed - 1 if c.limit is None else c.limit, "loss") for c in self._claims(run)}

    def excess(self, name: str, limit: Limit) -> str:
        """A count above its limit, in words."""
        if self.changes:
            return f"{float(limit.count):,.6g} exceed what {name} allows under {self.assume}"
        return f"with it the best expert has lost {float(limit.count):,.6g}, more than the declared m={self.m}"

    def too_large(self, block: Any) -> tuple[int, str]:
        """Nothing is declared of the size of a row."""
        return len(block), ""

    def _claims(self, run: Any) -> list[Any]:
        return [claim for claim in run.bounds(self.assume) if claim.kind == "a priori"]
