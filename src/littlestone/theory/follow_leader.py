"""Follow the leader: M ≤ nm + n - 1 (theory/experts.py)."""

from fractions import Fraction

from littlestone.theory import experts
from littlestone.theory.bound import Moment
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.potentials import Line, Proof, Term


def proof(settings: Settings, witness: bool) -> Proof:
    n = settings["n"]

    def terms(m: Moment) -> tuple[Term, ...]:
        losses = m.state["losses"].values()
        best = min(losses)
        return m.settings["mistakes"], sum((min(lost, best + 1) for lost in losses), Fraction(0)), n * best + n - 1

    line = Line(("M", "Σmin(L_j,m+1)", f"{n}m+{n - 1}"), terms, ("Σmin(L_j,m+1)",))
    return Proof((line,), "L_j the mistakes of expert j, m the fewest of them: the leader's")


FAMILY = RuleFamily(
    "follow_leader",
    {"n": experts.EXPERTS, "advice": experts.ADVICE},
    experts.LEADER,
    asleep=experts.for_sleepers(experts.LEADER),
    ties=experts.LEADS,
    updates_on="always",
    proof=proof,
    whole=lambda settings: settings["advice"] == "vote",  # one expert's votes are right or wrong
    leads=True,
    tossed=False,
    source="Hannan 1957",
)
