"""The one claim matcher: bounds beside the facts of a run, and what each of them says of it.

A run knows facts (`Known`), its learner's family has bounds; `match` takes those bounds that assume what was declared, or nothing, puts
the facts in and judges them by what was observed.  Whoever knows more than a run by itself (the members of a reduction, the witnesses of a
certificate) is another `Known`: it gives other facts, bound by bound, and judges nothing.

Reasons that make a bound void whatever its facts are given to the matcher too: labels that came late (`delay`), experts who slept (`void`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.theory.assumptions import ASSUMPTIONS
from littlestone.theory.bound import Bound, Claim, judge, parse_assumption
from littlestone.theory.contradictions import reason
from littlestone.theory.delay import Delay

HAIR = 1 + Fraction(1, 2**20)  # rows scaled to length 1 in single precision are seldom of length 1
CHOSEN = ("r", "k", "A", "U", "L", "K", "witness")  # facts of a witness in hindsight: nothing that was declared rests on them

Declared = Mapping[str, Fraction]
Candidate = tuple[Any, Mapping[str, Any]]  # a witness and the facts it makes; no witness where the run's own facts do


@dataclass
class Known:
    """What is known of one run when its theorems are matched: facts, and what its bounds count. A kind of run overrides what is special."""

    who: str  # as messages name the learner
    bounds: Sequence[Bound]
    facts: Mapping[str, Any] = field(default_factory=dict)
    count: Any = 0  # what the bounds speak of
    delay: Delay | None = None  # labels came late

    def observed(self, bound: Bound, facts: Mapping[str, Any]) -> Any:
        """What a bound speaks of."""
        return self.count

    def void(self, bound: Bound) -> str:
        """Why a bound says nothing of this run, whatever its facts."""
        return ""

    def declared(self, bound: Bound, declared: Declared) -> tuple[Mapping[str, Any], str]:
        """The facts of a bound that assumes what was declared, and how the run contradicts the declaration, where it does."""
        return declared_facts(self.who, bound, declared, self.facts)

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        """What a bound in hindsight may be evaluated with. A witness that nobody looked for is no claim."""
        if set(bound.needs) <= set(self.facts):
            yield None, self.facts

    def contradiction(self, bound: Bound, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Where the stream contradicts what was declared, of a bound with these facts; a run by itself has no stream to look at."""
        return None

    def met(self, bound: Bound, facts: Mapping[str, Any]) -> bool:
        """Is the stream known to meet what was declared? Then more mistakes than a bound allows are no fault of the stream."""
        return False


def match(known: Known, assume: str | None = None) -> list[Claim]:
    """Every bound that assumes what was declared, or nothing, evaluated on what is known, in the order of the bounds."""
    kind, declared = parse_assumption(assume) if assume else ("none", {})
    refuse_unassumed(known, kind)
    claims: list[Claim] = []
    for bound in known.bounds:
        if bound.kind == "a priori" and bound.assumes != kind:
            continue
        late, why = bound, known.void(bound)
        if known.delay is not None:
            late, why = known.delay.proved(bound)
        if bound.kind == "hindsight":
            claims += _after(known, bound, late, why)
        elif known.delay is not None and why:
            claims.append(judge(bound, known.count, known.facts, why))
        else:
            facts = known.facts if known.delay is None else known.delay.facts(known.facts)
            claims.append(beforehand(replace(known, facts=facts), late, declared, why))
    return claims


def beforehand(known: Known, bound: Bound, declared: Declared, why: str = "") -> Claim:
    """What a bound that assumes what was declared says of a run."""
    facts, void = known.declared(bound, declared)
    claim = judge(bound, known.observed(bound, facts), facts, void or why)
    row = known.contradiction(bound, claim.facts)
    if row is not None:
        return replace(judge(bound, claim.observed, claim.facts, reason(row)), contradiction=row)
    passed = claim.limit is None and not (void or why)
    return judge(bound, claim.observed, facts, met=True) if passed and known.met(bound, claim.facts) else claim


def stated_of(bounds: Iterable[Bound], assume: str | None) -> list[Bound]:
    """Those of the bounds that a certificate states: in hindsight, or on what was declared."""
    kind = assume.partition(":")[0] if assume else ""
    return [bound for bound in bounds if bound.kind == "hindsight" or bound.assumes == kind]


def void_when_late(delay: Delay, bounds: Iterable[Bound], observed: Callable[[Bound], Any], assume: str | None) -> list[Claim]:
    """The bounds that a certificate states and that say nothing where labels came late, each with its reason; what was declared first."""
    reasons = [(bound, delay.proved(bound)[1]) for bound in stated_of(bounds, assume)]
    return first_declared(judge(bound, observed(bound), {}, why) for bound, why in reasons if why)


def _after(known: Known, bound: Bound, late: Bound, why: str) -> Iterable[Claim]:
    for witness, facts in known.candidates(bound):
        facts = facts if known.delay is None or why else known.delay.facts(facts)
        claim = judge(late, known.observed(late, facts), facts, why)
        yield claim if witness is None else replace(claim, comparator=witness, witness="")


def refuse_unassumed(known: Known, kind: str) -> None:
    """Refuse a declaration that no theorem assumes."""
    if kind == "none" or any(bound.kind == "a priori" and bound.assumes == kind for bound in known.bounds):
        return
    assumed = sorted({bound.assumes for bound in known.bounds} - {"none"})
    example = ASSUMPTIONS[assumed[0]].example if len(assumed) == 1 else ""
    also = f"{', '.join(assumed) or 'none'}{example and f', such as {example}'}"
    raise LittlestoneError(f"{known.who} has no theorem that assumes {kind!r}; it has: {also}")


def first_declared(claims: Iterable[Claim]) -> list[Claim]:
    """What was declared goes first, then hindsight; each in its order."""
    return sorted(claims, key=lambda claim: claim.kind != "a priori")


def tightest(claims: Iterable[Claim], every: Collection[str] = ()) -> list[Claim]:
    """For a certificate: what was declared, then of each theorem in hindsight the smallest limit, and the smallest that compares with
    something; the smallest of all first. Of theorems named in `every`, all that hold."""
    before: list[Claim] = []
    after: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim.kind == "a priori":
            before.append(claim)
        elif claim.limit is not None:
            after.setdefault(claim.name, []).append(claim)
    kept: list[Claim] = []
    for name, held in after.items():
        if name in every:
            kept += held
            continue
        for some in (held, [claim for claim in held if claim.comparator]):
            best = min(some, key=lambda claim: claim.limit, default=None)  # type: ignore[arg-type,return-value]
            if best is not None and best not in kept:
                kept.append(best)
    return before + smallest_first(kept)


def smallest_first(claims: Iterable[Claim]) -> list[Claim]:
    """Bounds that compare, then accounts; of each the smallest limit first."""
    return sorted(claims, key=lambda claim: (not claim.compares, claim.limit))


def best(claims: Iterable[Claim]) -> Claim | None:
    """The smallest limit among the bounds that compare; what was declared beforehand goes first. Accounts are no headline.

    What holds only on average over a coin is taken where nothing else compares: of several such bounds the one that happened to hold on
    this run would be chosen by its luck.
    """
    comparing = [claim for claim in claims if claim.compares]
    return least([claim for claim in comparing if not claim.by_chance] or comparing)


def least(claims: Iterable[Claim]) -> Claim | None:
    """The smallest limit among the bounds that hold, accounts too; what was declared beforehand goes first."""
    valid = [claim for claim in claims if claim.holds]
    return min(valid, key=lambda claim: (claim.kind != "a priori", claim.limit), default=None)


# ---- what a declaration makes of the facts ----


def declared_facts(who: str, bound: Bound, declared: Declared, measured: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The facts that a bound on a stream is evaluated with, and how the stream contradicts the sizes declared, where it does."""
    void, facts = "", {k: v for k, v in measured.items() if k not in CHOSEN}
    sizes = {name: fact for name, fact in (("R", "R2"), ("X", "X")) if fact in measured}
    known = [*sizes, *(name for name in bound.needs if name not in measured or name in ("r", "U", "size"))]
    for key in declared:
        require(key in known, f"assumption {bound.assumes!r} of {who} takes {', '.join(known) or 'nothing'}; not {key!r}")
    for key, value in declared.items():
        if key in ("r", "k", "size"):
            require(value.denominator == 1 and value >= 0, f"assumption: {key}={value} must be a whole number, not negative")
            least = measured.get("size", 1) if bound.assumes == "class" else 0
            require(
                value >= least,
                f"assumption class: size={value} must be a whole number, no smaller than the {least:,} concepts of the class at hand",
            )
            facts[key] = int(value)
        elif key in sizes:  # a declared size replaces the measured one, unless the stream exceeds it
            fact, size = sizes[key], value**2 if key == "R" else value
            if measured[fact] > size * HAIR:
                largest = float(measured[fact]) ** (0.5 if key == "R" else 1)
                void = f"a round has {'|x|' if key == 'R' else 'max|x_i|'} = {largest:.6g}, more than the declared {key}={value}"
            facts[fact] = max(size, measured[fact])  # a hair above what was declared is taken as measured
        else:
            facts[key] = value
    facts |= {name: default for name, default in bound.optional.items() if name not in facts}
    lacking = [name for name in bound.needs if name not in facts]
    require(not lacking, f"assumption {bound.assumes!r} needs {', '.join(f'{name}=...' for name in lacking)}")
    return facts, void


@dataclass
class KnownOfExperts(Known):
    """A run over advice, or of a panel: what is declared is m, what the best of the experts loses, and S, how often the best changes."""

    best: Any = 0  # what the best of them lost
    needed: str = "what the best expert loses at most"
    whole: bool = False  # must m be a whole number too?

    def declared(self, bound: Bound, declared: Declared) -> tuple[Mapping[str, Any], str]:
        stated = declared_of_experts(self.who, bound, declared, self.needed, self.whole)
        passed = self.best > stated["m"] and not stated.get("S")
        return {**bound.optional, **self.facts, **stated}, self.too_much(stated["m"]) if passed else ""

    def met(self, bound: Bound, facts: Mapping[str, Any]) -> bool:
        """The best of them is known, and is as good as was declared; with S, a sequence of them would have to be found."""
        return not facts.get("S")

    def too_much(self, m: Any) -> str:
        """The best of them lost more than m, in words."""
        return f"the best expert lost {float(self.best):g}, more than the declared m={m}"


def declared_of_experts(who: str, bound: Bound, declared: Declared, needed: str, whole: bool = False) -> dict[str, Any]:
    """m and S as they were declared; refused where they are nothing that the bound takes."""
    takes = [key for key in ("m", "S") if key in bound.needs]
    for key, value in declared.items():
        require(key in takes, f"assumption {bound.assumes!r} of {who} takes {', '.join(takes)}; not {key!r}")
        loose = key == "m" and not whole
        require(
            value >= 0 and (loose or value.denominator == 1),
            f"assumption: {key}={value} must be a {'' if loose else 'whole '}number, not negative",
        )
    require("m" in declared, f"assumption 'expert' needs m=...: {needed}")
    return {key: int(value) if value.denominator == 1 else value for key, value in declared.items()}
