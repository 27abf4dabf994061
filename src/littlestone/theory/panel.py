"""A panel of learners under a rule over experts: the rule's theorem about the members' predictions, and theirs about the stream.

Each round the members vote, and a rule puts weights on them.  f is the share of the weight that is wrong, F = Σf over the labelled rounds.
The panel predicts 1 where at least half of the weight says 1.  So a mistake has f ≥ 1/2, and M ≤ 2F.  The rule's theorems bound F by what
the best member loses: for AdaHedge F ≤ m + 2Δ, m the mistakes of the best member, so

    M ≤ 2(m + 2Δ) ≤ 2(m + √(T·ln K) + 4/3·ln K + 2),     K members, T rounds;

and m ≤ B for every bound B of any member's on its mistakes, since all of them see the whole stream and learn from it as they would alone.
The rule's theorem holds for every member i, F ≤ m_i + 2Δ; so the chain may take the one with the least B_i, whoever erred least.
A rule that bounds mistakes (the deterministic weighted majority, fixed share at mistakes), or follows one member, has no factor of 2: its
predictions are the panel's.  Who follows the draw of a member by weight errs F times in expectation: the factor is the price of no coin.
Weights: members that honour them learn from a round of weight c as c rounds; the rule counts rounds.  The weights of M rounds add up to
at most c·M, c the largest of them; and a member whose mistakes weigh at most B together erred at most B/w times, w the least of their
weights.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.all_rounds import ALL
from littlestone.theory.bound import Bound, Claim, hindsight
from littlestone.theory.certificate import number
from littlestone.theory.claims import Candidate, Known, match, tightest
from littlestone.theory.comparators import comparator_from
from littlestone.theory.comparators.expert import One
from littlestone.theory.experts import EVERY_ROUND, slip
from littlestone.theory.families import Family, RuleFamily
from littlestone.theory.numbers import DIGITS, Exact, Real, at_most, real, up
from littlestone.theory.reductions import rests_on
from littlestone.theory.settings import FEATURES, FLAG, Setting

CHAIN = "panel-chain"
SOURCE = "proof in theory/panel.py; the rule's and the members' own sources"


def from_loss(F: Real, T: int) -> Real:
    """M ≤ 2F.

    >>> int(from_loss(7, 10))
    14
    """
    with localcontext(DIGITS):
        return up(2 * (real(F) + slip(T)))


LOSS = hindsight("panel-loss", "M ≤ 2F,  F = Σ of the shares of wrong weight", from_loss, SOURCE, witness="run")


#: What m is, by the kind of witness it is measured with.
WHOSE = {
    "": "; m = mistakes of the best member",
    "path": "; m = mistakes of the best sequence of members that changes S times",
    "distribution": "; q·L of the members' mistakes",
}


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
    whose = "path" if "S" in bound.needs else bound.witness  # declared or measured, it is of a sequence
    formula = _doubled(bound.formula, factor) + WHOSE.get(whose, WHOSE[""])
    says = bound.says.replace("expert", "member").replace("loses", "errs")
    return replace(bound, name=f"panel-{bound.name}", formula=formula, value=value, counts="mistakes", says=says)


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


def _doubled(formula: str, factor: int) -> str:
    return formula if factor == 1 else f"M ≤ 2L, {formula}"


FAMILY = Family(
    "panel",
    {"members": Setting("text"), "n": FEATURES, "rule": Setting("text"), "blend": FLAG, "forecast": Setting("flag", spare=True)},
    ties="1 where at least half of the weight says 1; where it rounds to within 10⁻⁹ of that, as the run had it",
    updates_on="always",
    weighted=True,
    source=SOURCE,
)
NO_RULE = "cannot rule a panel: its theorem is about the average over its draws, and a panel is made of one"


def factor_of(family: RuleFamily) -> int:
    """2 where the rule's theorems bound its loss, 1 where they bound its mistakes, which are then the panel's."""
    require(family.whole or (family.tossed and not family.bandit), f"{family.name} {NO_RULE}")
    return 1 if family.whole else 2


def theorems_of(family: RuleFamily, *, weighted: bool) -> tuple[Bound, ...]:
    """Every theorem about a panel under this rule."""
    bounds = bounds_of_rule(family.theorems, factor_of(family))
    return tuple(map(weighed, bounds)) if weighted else bounds


def proved(family: RuleFamily) -> list[Bound]:
    """The rule's theorems that hold for certain where nobody sleeps: there is no coin in a panel, and members always vote."""
    return [bound for bound in family.bounds.values() if not bound.chance and "Z" not in bound.needs and bound is not EVERY_ROUND]


def chained(family: RuleFamily) -> list[Bound]:
    """Those of them that speak of one member, and are not loosened. AdaHedge's own gaps are never more than in the worst case."""
    own = [bound for bound in proved(family) if not bound.name.endswith(ALL)]
    comparing = [bound for bound in own if bound.kind == "hindsight" and bound.witness in ("expert", "path")]
    return [bound for bound in comparing if "gaps" in bound.needs] or comparing


def chain(bounds: Sequence[Bound], factor: int, *, weighted: bool = False, comparing: bool = False) -> Bound:
    """Both theorems in one: the rule's, with what a member's own theorem allows it in place of its mistakes.

    >>> from littlestone.theory.experts import ADAHEDGE
    >>> int(chain(ADAHEDGE[2:], 2).value(B=10, gaps=3, T=100))                                                      # 2(B + 2Δ)
    32
    >>> int(chain(ADAHEDGE[2:], 2, weighted=True).value(B=10, w=Fraction(1, 2), gaps=3, T=100))
    52
    """
    needs: dict[str, inspect.Parameter] = {}
    for bound in bounds:
        needs |= inspect.signature(bound.value).parameters
    own = [fact for name, fact in needs.items() if name not in ("m", "S")]

    def value(B: Exact, w: Exact = 1, lost: Exact = 0, **facts: Any) -> Real:
        m = most_errors(B, w)
        with localcontext(DIGITS):
            limits = [real(bound.value(m=m, **{name: facts[name] for name in bound.needs if name in facts})) for bound in bounds]
            return up(factor * min(limits))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    new = [inspect.Parameter(name, kind) for name in ("B", *(("w",) if weighted else ()), *(("lost",) if comparing else ()))]
    facts = [*new, *(fact.replace(default=fact.empty) for fact in own)]
    value.__signature__ = inspect.Signature(facts)  # type: ignore[attr-defined]
    formula = _doubled(" and ".join(bound.formula for bound in bounds), factor)
    most = "m ≤ B/w, w = the least weight of its mistakes" if weighted else "m ≤ B"
    formula = f"{formula}{'; S = 0' if 'S' in needs else ''}; {most}, B = the limit of the best member's own certificate"
    if not comparing:
        return hindsight(CHAIN, formula, value, SOURCE, witness="expert")
    return hindsight(CHAIN, f"{formula}, whose comparator loses `lost`", value, SOURCE, witness="expert", every=True, loss="lost")


def most_errors(B: Exact, w: Exact) -> int:
    """How often a member erred at most whose mistakes weigh at most B together, and none of them less than w."""
    return at_most(Fraction(B) / Fraction(w))


@dataclass(frozen=True)
class Best:
    """A member with a certificate of its own: which one it is, what that allows it, and the least weight of a round it got wrong.

    Rounds that weigh nothing do not count: members and rule hear no label there.
    """

    member: int
    limit: Exact
    least: Exact = 1
    lost: Exact | None = None  # what the comparator of its certificate loses over all rounds; None before version 3, which does not say

    @property
    def errs(self) -> int:
        """How often it errs at most."""
        return most_errors(self.limit, self.least)


def best_of(member: int, certificate: Mapping[str, Any], least: Exact) -> Best | None:
    """What a member's certificate allows it, with the least weight of a round it got wrong."""
    record = rests_on(certificate)
    if record is None:
        return None
    lost = None if certificate["version"] < 3 else Fraction(record["comparator_loss"])
    return Best(member, Fraction(record["limit"]), least, lost)


@dataclass
class KnownOfRecords(Known):
    """What the records of the rule's certificate on the votes, and the best member's own certificate, say of the panel."""

    records: Sequence[Mapping[str, Any]] = ()
    best: Best | None = None
    first: int = 1  # the row of the stream that is the rule's first round

    def declared(self, bound: Bound, declared: Mapping[str, Fraction]) -> tuple[Mapping[str, Any], str]:
        (record,) = self._of(bound)
        return self._facts(record), ""

    def contradiction(self, bound: Bound, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
        row = self._of(bound)[0]["contradiction"]
        return row and {**row, "row": row["row"] + self.first - 1, "rows": [other + self.first - 1 for other in row["rows"]]}

    def met(self, bound: Bound, facts: Mapping[str, Any]) -> bool:
        """The rule's certificate has looked for a contradiction in the votes, and found none."""
        return True

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        if bound.name == LOSS.name:
            yield None, self.facts
        elif bound.name == CHAIN and self.best is not None:
            stated = [self._facts(record) for record in self.records if record["kind"] == "hindsight"]
            facts = {key: value for some in stated for key, value in some.items()}
            yield One(self.best.member), {**facts, "B": self.best.limit, "w": self.best.least, "lost": self.best.lost}
        else:
            yield from ((comparator_from(record["witness"]), self._facts(record)) for record in self._of(bound))

    def _of(self, bound: Bound) -> list[Mapping[str, Any]]:
        return [record for record in self.records if (f"panel-{record['name']}", record["kind"]) == (bound.name, bound.kind)]

    def _facts(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {**{key: number(value) for key, value in record["facts"].items()}, "c": self.facts["c"]}


def claims_of(
    family: RuleFamily,
    records: Sequence[Mapping[str, Any]],
    observed: int | float,
    assume: str | None = None,
    *,
    F: Real,
    T: int,
    c: Exact | None,
    best: Best | None,
    first: int = 1,
) -> list[Claim]:
    """What follows for the panel from the records of the rule's certificate and from that of its best member.

    What was declared comes first, then hindsight, the smallest limit first.  Of several records of one theorem the smallest limit is taken.
    c is the largest weight of a mistake; None where rounds carry no weights. `first` is the row of the stream with which the run began.
    """
    factor, known = factor_of(family), {(bound.name, bound.kind): bound for bound in proved(family)}
    names = dict.fromkeys((record["name"], record["kind"]) for record in records)
    bounds = [*(of_rule(known[name], factor) for name in names if name in known), LOSS]
    chainable = [bound for bound in chained(family) if (bound.name, bound.kind) in names]
    if best is not None and chainable:
        bounds.append(chain(chainable, factor, weighted=c is not None, comparing=best.lost is not None))
    bounds = bounds if c is None else [weighed(bound) for bound in bounds]
    facts = {"F": F, "T": T, "c": c}
    return tightest(match(KnownOfRecords("a panel", bounds, facts, observed, records=records, best=best, first=first), assume))
