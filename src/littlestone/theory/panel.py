"""A panel of learners under a rule over experts: the rule's theorem about the members' predictions, and theirs about the stream.

Each round the members vote, and a rule puts weights on them.  f is the share of the weight that is wrong, F = Σf over the labelled rounds.
The panel predicts 1 where at least half of the weight says 1.  So a mistake has f ≥ 1/2, and M ≤ 2F.  The rule's theorems bound F by what
the best member loses: for AdaHedge F ≤ m + 2Δ, m the mistakes of the best member, so

    M ≤ 2(m + 2Δ) ≤ 2(m + √(T·ln K) + 4/3·ln K + 2),     K members, T rounds;

and m ≤ B for every bound B of any member's on its mistakes, since all of them see the whole stream and learn from it as they would alone.
The rule's theorem holds for every member i, F ≤ m_i + 2Δ; so the chain may take the one with the least B_i, whoever erred least.
A rule that bounds mistakes (the deterministic weighted majority, fixed share at mistakes), or follows one member, has no factor of 2: its
predictions are the panel's.  Who follows the draw of a member by weight errs F times in expectation: the factor is the price of no coin.
Weights.  Members that honour them learn from a round of weight c as c rounds.  AdaHedge heeds them too: in a round of weight c_t a wrong
vote costs c_t, f_t = c_t·(the share of the weight that is wrong), and a mistake costs c_t ≤ 2f_t.  Its proof asks nothing of the size of
losses: the mix losses add up to at most m + ln K/η_T = m + Δ, the gaps are what the run measured, so F ≤ m + 2Δ with all of it in weights,
and the mistakes of the panel weigh at most 2(m + 2Δ), m what the mistakes of the best member weigh.  Nothing changes when all losses are
divided by a number: with C ≥ c_t the losses c_t/C lie in [0, 1], where the bound on Δ in the worst case holds, and the rule's certificate
is one about these losses.  C is a power of two, so that dividing rounds nothing.
Other rules count rounds, and so did every panel without the setting `weigh`, or forecasts: then the weights of M rounds add up to at most
c·M, c the largest of them; and a member whose mistakes weigh at most B together erred at most B/w times, w the least of their weights.

The label of the forecast.  All of this is about M_vote, the mistakes of the weighted majority.  A panel that predicts the likelier label of
its forecast makes M mistakes, and M = M_vote + D with D = M - M_vote.  D is counted, on the rounds in which the two labels differ, and is
bounded by nothing.  So every bound B on M_vote gives M ≤ B + D: it says of this run exactly what M_vote ≤ B says.  Beside it stands what is
true of the label itself: a mistake gave the true label a probability of at most 1/2, so it lost at least ln 2, and

    M ≤ Λ/ln 2,  Λ ≤ Λ_i + ln(1/π_i) + ¼·ln((T + 9)/10) for every forecaster i          (theory/forecast.py).

The forecasts count each round once.  Where rounds weigh, the mistakes weigh at most c·Λ/ln 2, c the largest weight of a mistake.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import localcontext
from fractions import Fraction
from math import frexp
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory import families
from littlestone.theory.all_rounds import ALL
from littlestone.theory.bound import Bound, Claim, hindsight, parse_assumption
from littlestone.theory.certificate import number
from littlestone.theory.claims import Candidate, Known, match, tightest
from littlestone.theory.comparators import comparator_from
from littlestone.theory.comparators.expert import One
from littlestone.theory.comparators.forecaster import OneForecaster
from littlestone.theory.experts import EVERY_ROUND, slip
from littlestone.theory.families import Family, RuleFamily
from littlestone.theory.forecast import LABEL_BOUNDS, LABEL_LOSS, SLOW_LOSS, Forecasts, label_chain
from littlestone.theory.forecast import LOSS as FORECAST_LOSS
from littlestone.theory.numbers import DIGITS, Exact, Real, at_most, real, up
from littlestone.theory.reductions import rests_on
from littlestone.theory.settings import FEATURES, FLAG, Setting, choice

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


IN_WEIGHTS = ("m", "gaps", "F", "B", "lost")  # facts that are sums over rounds of so much each


def heeds_weights(rule: str, settings: Mapping[str, Any]) -> bool:
    """Do the rule and the blends of a panel with these settings hear the weights of rounds?

    >>> heeds_weights("adahedge", {"forecast": True}), heeds_weights("hedge", {"forecast": True}), heeds_weights("adahedge", {})
    (True, False, False)
    """
    return (
        families.known(rule)
        and getattr(families.family(rule), "weighable", False)
        and bool(settings.get("weigh", settings.get("forecast", False)))
    )


def unit_of(largest: Exact | float) -> Fraction:
    """The least power of two that no weight exceeds.

    >>> unit_of(4.0), unit_of(5), unit_of(0.3), unit_of(0)
    (Fraction(4, 1), Fraction(8, 1), Fraction(1, 2), Fraction(1, 1))
    """
    part, exponent = frexp(float(largest) or 1.0)
    return Fraction(2) ** (exponent - (part == 0.5))


def times(value: Any, unit: Exact) -> Any:
    """A fact in other units; what was rounded up stays so."""
    if isinstance(value, int | Fraction):
        exact = Fraction(value) * Fraction(unit)
        return int(exact) if exact.denominator == 1 else exact
    with localcontext(DIGITS):
        return up(real(value) * real(unit))


def in_units(facts: Mapping[str, Any], unit: Exact) -> dict[str, Any]:
    """Facts about losses, each so many times as large; others as they are."""
    return {key: times(value, unit) if key in IN_WEIGHTS and value is not None else value for key, value in facts.items()}


def in_losses(assume: str | None, unit: Exact) -> str | None:
    """What was declared of the best member, as it is declared of losses of which 1 stands for `unit`.

    >>> in_losses("expert:m=5", 4), in_losses(None, 4)
    ('expert:m=5/4', None)
    """
    kind, declared = parse_assumption(assume) if assume else ("", {})
    if kind != "expert" or "m" not in declared:
        return assume
    scaled = {**declared, "m": declared["m"] / Fraction(unit)}
    return "expert:" + ",".join(f"{key}={value}" for key, value in scaled.items())


def in_weights(bound: Bound) -> Bound:
    """The same where a mistake counts as much as its round weighs, with facts in weights too.

    >>> from littlestone.theory.experts import ADAHEDGE
    >>> int(in_weights(of_rule(ADAHEDGE[2], 2)).value(C=4, m=40, gaps=3, T=100))                                    # 2(m + 2Δ)
    92
    """

    def value(C: Exact, **facts: Any) -> Real:
        with localcontext(DIGITS):
            return up(real(C) * real(bound.value(**in_units(facts, 1 / Fraction(C)))))

    known = inspect.signature(bound.value).parameters.values()
    unit = inspect.Parameter("C", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    value.__signature__ = inspect.Signature([unit, *known])  # type: ignore[attr-defined]
    return replace(bound, formula=f"{bound.formula}; a round counts as much as it weighs, at most C", value=value)


def bounds_of_rule(bounds: Sequence[Bound], factor: int) -> tuple[Bound, ...]:
    """Every theorem of the rule about what it does on average or for certain; those about one draw of a coin do not concern a panel."""
    return (*(of_rule(bound, factor) for bound in bounds if bound.counts != "one draw" and bound.witness != "distribution"), LOSS)


def _doubled(formula: str, factor: int) -> str:
    return formula if factor == 1 else f"M ≤ 2L, {formula}"


TIES = "1 where at least half of the weight says 1; where it rounds to within 10⁻⁹ of that, as the run had it"
FORECAST_TIES = "1 where its probability is at least 1/2; a logarithm of its odds within 2⁻⁴⁰ of 0 is 0"
#: As certificates said it until replays were held to be equal bit by bit. They still are: it is the same label.
FORECAST_TIES_ONCE = "1 where its probability is at least 1/2; where the logarithm of its odds is within 10⁻⁶ of 0, as the run had it"
LABEL_BY = replace(choice("forecast"), spare=True)  # certificates name it where the label is the forecast's

FAMILY = Family(
    "panel",
    {"members": Setting("text"), "n": FEATURES, "rule": Setting("text"), "blend": FLAG}
    | dict.fromkeys(("forecast", "weigh", "calibrate"), Setting("flag", spare=True))
    | {"label_by": LABEL_BY},
    ties=lambda settings: FORECAST_TIES if settings.get("label_by") == "forecast" else TIES,
    updates_on="always",
    weighted=True,
    source=SOURCE,
)
NO_RULE = "cannot rule a panel: its theorem is about the average over its draws, and a panel is made of one"


def factor_of(family: RuleFamily) -> int:
    """2 where the rule's theorems bound its loss, 1 where they bound its mistakes, which are then the panel's."""
    require(family.whole or (family.tossed and not family.bandit), f"{family.name} {NO_RULE}")
    return 1 if family.whole else 2


def theorems_of(family: RuleFamily, settings: Mapping[str, Any], *, weighted: bool) -> tuple[Bound, ...]:
    """Every theorem about a panel with these settings under this rule; `weighted`: do rounds carry weights?"""
    bounds = bounds_of_rule(family.theorems, factor_of(family))
    if weighted:
        bounds = tuple(map(in_weights if heeds_weights(family.name, settings) else weighed, bounds))
    if settings.get("label_by") != "forecast":
        return bounds
    return (*map(of_label, bounds), *label_bounds(SLOW_LOSS if settings.get("calibrate") else FORECAST_LOSS, weighted=weighted))


def label_bounds(theorem: Bound, *, weighted: bool) -> list[Bound]:
    """The theorems about labels by forecast: by what `theorem` allows for the log-loss beside a forecaster, and by the log-loss itself."""
    return [label_chain(theorem, weighted=weighted), weighed(LABEL_LOSS) if weighted else LABEL_LOSS]


def proved(family: RuleFamily) -> list[Bound]:
    """The rule's theorems that hold for certain where nobody sleeps: there is no coin in a panel, and members always vote."""
    return [bound for bound in family.bounds.values() if not bound.chance and "Z" not in bound.needs and bound is not EVERY_ROUND]


def chained(family: RuleFamily) -> list[Bound]:
    """Those of them that speak of one member, and are not loosened. AdaHedge's own gaps are never more than in the worst case."""
    own = [bound for bound in proved(family) if not bound.name.endswith(ALL)]
    comparing = [bound for bound in own if bound.kind == "hindsight" and bound.witness in ("expert", "path")]
    return [bound for bound in comparing if "gaps" in bound.needs] or comparing


def chain(bounds: Sequence[Bound], factor: int, *, weighted: bool = False, comparing: bool = False, heeds: bool = False) -> Bound:
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
        m = B if heeds else most_errors(B, w)
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


@dataclass(frozen=True)
class VoteMistakes:
    """The mistakes that the vote of a panel made, what their rounds weigh together, and the largest weight of one of them."""

    mistakes: int
    weight: float
    largest: float

    @classmethod
    def of(cls, counts: Iterable[float]) -> Self:
        mistakes, weight, largest = counts
        return cls(int(mistakes), float(weight), float(largest) if mistakes else 1.0)


def of_label(bound: Bound) -> Bound:
    """A theorem about the vote as one about another label of the same rounds: M ≤ B + (M - M_vote).

    >>> from littlestone.theory.experts import ADAHEDGE
    >>> int(of_label(of_rule(ADAHEDGE[2], 2)).value(m=10, gaps=3, T=100, difference=-4))                            # 2(m + 2Δ) - 4
    28
    """

    def value(difference: Exact, **facts: Any) -> Real:
        with localcontext(DIGITS):
            return up(real(bound.value(**facts)) + real(difference))

    counted = inspect.Parameter("difference", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    value.__signature__ = inspect.Signature([counted, *inspect.signature(bound.value).parameters.values()])  # type: ignore[attr-defined]
    return replace(bound, formula=f"{bound.formula}; of the vote, and M - M_vote is added, counted and not bounded", value=value)


@dataclass(frozen=True)
class ForecastLabel:
    """What is known of a panel whose label is its forecast's."""

    difference: Exact  # M - M_vote, in weights where rounds have any
    forecasts: Forecasts
    c: Exact | None  # the largest weight of a mistake; None where rounds carry no weights

    @property
    def bounds(self) -> list[Bound]:
        """The theorems about the label itself: by the log-loss, and by that of the forecaster that makes the limit smallest."""
        return label_bounds(self.forecasts.theorem, weighted=self.c is not None)

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        """The facts with which one of these bounds is evaluated, and the forecaster that it compares with."""
        facts = self.forecasts.label_facts(1 if self.c is None else self.c)
        witness = None if bound.name == LABEL_LOSS.name else OneForecaster(facts["forecaster"])
        yield witness, {**facts, "c": self.c, "witness": ""}


@dataclass
class KnownOfRecords(Known):
    """What the records of the rule's certificate on the votes, and the best member's own certificate, say of the panel."""

    records: Sequence[Mapping[str, Any]] = ()
    best: Best | None = None
    first: int = 1  # the row of the stream that is the rule's first round
    unit: Exact | None = None  # what a loss of 1 stands for in these records, where the rule heeds weights
    label: ForecastLabel | None = None  # of a panel whose label is its forecast's

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
        if self.label is not None and bound.name in LABEL_BOUNDS:
            yield from self.label.candidates(bound)
        elif bound.name == LOSS.name:
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
        facts = {key: number(value) for key, value in record["facts"].items()}
        return {
            **(facts if self.unit is None else in_units(facts, self.unit)),
            **{key: self.facts[key] for key in ("c", "C", "difference")},
        }


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
    unit: Exact | None = None,
    label: ForecastLabel | None = None,
) -> list[Claim]:
    """What follows for the panel from the records of the rule's certificate and from that of its best member.

    What was declared comes first, then hindsight, the smallest limit first.  Of several records of one theorem the smallest limit is taken.
    c is the largest weight of a mistake of the vote; None where rounds carry no weights. `first` is the row of the stream with which the
    run began.
    Where the rule heeds the weights, `unit` is what a loss of 1 stands for in its certificate. `label` is what is known of a panel whose
    label is its forecast's: `observed` are then the mistakes of that label.
    """
    factor, known = factor_of(family), {(bound.name, bound.kind): bound for bound in proved(family)}
    names = dict.fromkeys((record["name"], record["kind"]) for record in records)
    bounds = [*(of_rule(known[name], factor) for name in names if name in known), LOSS]
    chainable = [bound for bound in chained(family) if (bound.name, bound.kind) in names]
    if best is not None and chainable:
        heeds = unit is not None
        weighted = c is not None and not heeds
        bounds.append(chain(chainable, factor, weighted=weighted, comparing=best.lost is not None, heeds=heeds))
    if c is not None:
        bounds = [weighed(bound) if unit is None else in_weights(bound) for bound in bounds]
    if label is not None:
        bounds = [*map(of_label, bounds), *label.bounds]
    facts = {"F": F, "T": T, "c": c, "C": unit, "difference": None if label is None else label.difference}
    panel = KnownOfRecords("a panel", bounds, facts, observed, records=records, best=best, first=first, unit=unit, label=label)
    return tightest(match(panel, assume))
