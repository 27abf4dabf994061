"""Families: one record for each learner and each rule, standing beside its theorems.

`FAMILY` of theory/NAME.py says everything about NAME that is true whatever runs it: its settings and what they may be, its bounds and
lemmas, how the facts of a bound are measured, how it decides ties, which features it takes, when it updates and how exactly it computes.
The learner, the catalogue, the verifier and the replay read it; its definition is the function NAME of reference/NAME.py.  A user's own
learner brings a family of its own.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache, cached_property, wraps
from importlib import import_module, util
from typing import Any, Self

from littlestone.errors import LittlestoneError, require
from littlestone.theory import experts
from littlestone.theory.advised import Advised
from littlestone.theory.all_rounds import over_all, with_all
from littlestone.theory.bound import Bound
from littlestone.theory.evidence import Evidence
from littlestone.theory.potentials import Proof
from littlestone.theory.settings import Setting, read

Settings = Mapping[str, Any]


def nothing(evidence: Evidence, witness: Any) -> dict[str, Any]:
    """Facts of theorems that only a replay can tell."""
    return {}


#: What families said before, and what tells it today.
GONE = {
    "drops_zeros": "domain='boolean'",
    "scored": "a score among its kernels",
    "overall": "sleepers='all rounds'",
    "alike": "sleepers='alike'",
    "sleeps": "sleepers='own rounds'",
}
MEANT = {"overall": "all rounds", "alike": "alike", "sleeps": "own rounds"}


def takes_earlier_words(cls: type) -> type:
    """Let families be made with words of before for one more version; a message says what took the place of each."""
    make = cls.__init__  # type: ignore[misc]

    @wraps(make)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        before = {word: named.pop(word) for word in GONE if word in named}
        for word in before:
            warnings.warn(f"{word}= of a family will go: expected {GONE[word]}", DeprecationWarning, stacklevel=2)
        meant = [MEANT[word] for word in before if word in MEANT and before[word]]
        make(self, *arguments, **named, **({"sleepers": meant[0]} if meant else {}))

    cls.__init__ = __init__  # type: ignore[misc]
    return cls


@takes_earlier_words
@dataclass(frozen=True)
class Family:
    """What is true of a learner whatever runs it. Where a field depends on the settings it is a function of them, until they are chosen."""

    name: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    theorems: Any = ()  # its bounds; as a function of the settings it also refuses those that do not go together
    measure: Callable[[Evidence, Any], dict] = nothing
    ties: Any = ""
    domain: str = "real"  # which features it takes: "boolean" (a feature of value 0 is an absent one), "unit" or "real"
    weighted: bool = False  # does it honour the weights of rounds?
    updates_on: Any = "mistakes"
    arithmetic: Any = "float"
    exact_on: Callable[[Evidence], bool] | None = None  # exact_on(evidence): was this run exact, though not every run is?
    invariants: Any = ()  # lemmas of its proofs (`Invariant`)
    proof: Callable[[Settings, bool], Proof] | None = None  # its lines, for these settings, and for a witness where there is one
    never: str = ""  # "false_positives" or "false_negatives": mistakes it never makes where its assumption holds
    multiplicative: bool = False  # does it multiply weights, so that the geometry of entropies suits it?
    featurewise: bool = False  # are its features all alike, each with numbers of its own, so that they may be numbered anew?
    odds: bool = False  # is its score the logarithm of the odds of a 1?
    source: str = ""
    twin: Callable[..., Any] | None = None  # a user's own definition; ours stands in reference/
    own: Mapping[str, str] | None = None  # of a user's own: the name of the file it stands in, and its digest
    mixing: Any = None  # its theorems over shards (`theory.mixing.MixingTheorems`), where it can be mixed
    inner: Any = None  # of a learner made of another: the other, with its settings
    values: Settings | None = None  # the settings that were chosen

    bandit = False  # is it told only whether the class it named was right, or what the expert it chose lost?

    @property
    def drops_zeros(self) -> bool:
        """Is a feature of value 0 absent?"""
        return self.domain == "boolean"

    @property
    def passed_on(self) -> bool:
        """Does the learner inside hear of the mistakes alone, and of no other round?"""
        return self.inner is not None and self.updates_on == "mistakes" != self.inner.updates_on

    def chosen(self, settings: Settings) -> Self:
        """The same with these settings."""
        decided = {f.name: getattr(self, f.name)(settings) for f in fields(self) if f.name in DEPENDS and callable(getattr(self, f.name))}
        return replace(self, values=settings, **decided)

    def take(self, **choices: Any) -> dict[str, Any]:
        """A user's settings, checked one by one; numbers as they were written."""
        return {key: self.settings[key].take(value, key) for key, value in choices.items()}

    def stated(self, settings: Settings) -> Self:
        """The same with settings as a certificate writes them; others than its own are refused."""
        return self.chosen(read(self.name, self.settings, settings))

    @cached_property
    def bounds(self) -> dict[tuple[str, str], Bound]:
        """Those that a certificate may state, by name and kind."""
        return {(bound.name, bound.kind): bound for bound in with_all(self.theorems) if bound.witness != "none"}

    def arithmetic_on(self, evidence: Evidence) -> str:
        """How exactly this run was computed."""
        return "exact" if self.exact_on is not None and self.exact_on(evidence) else self.arithmetic


@takes_earlier_words
@dataclass(frozen=True)
class RuleFamily(Family):
    """What is true of a rule over advice whatever runs it."""

    bandit: bool = False
    asleep: Any = ()  # more bounds, for advice in which experts sleep
    cost: Any = "loss"  # what its theorems bound: its loss, or its mistakes
    whole: Any = None  # do its theorems count mistakes? Where they bound mistakes, or as this says
    sleepers: str = ""  # of experts that may sleep its theorems speak on their "own rounds", "alike" for every expert, or on "all rounds"
    weighable: bool = False  # does its theorem hold of losses of any size, so that a round may weigh more than another?
    leads: bool = False  # does it follow one expert, and make no forecast of its own?
    tossed: Any = True  # is a coin tossed for a prediction?
    run_facts: tuple[str, ...] = ()  # facts of its theorems that only the run, or a replay of it, can tell
    takes: Any = ("vote", "probability", "loss")
    changes: Callable[[Settings], Sequence[Mapping[str, Any]]] | None = None  # shares and rates, each of which sets the price of a change

    def chosen(self, settings: Settings) -> Self:
        made = super().chosen(settings)
        require(made.sleepers in SLEEPERS, f"sleepers={made.sleepers!r} must be one of {', '.join(SLEEPERS[1:])}, or left out")
        require(made.advice in made.takes, f"advice={made.advice!r}: {self.name} takes {' or '.join(made.takes)}")
        theorems, asleep = (tuple(map(made.counted_bound, bounds)) for bounds in (made.theorems, made.asleep))
        return replace(made, whole=made.cost == "mistakes" if made.whole is None else made.whole, theorems=theorems, asleep=asleep)

    @property
    def sleeps(self) -> bool:
        """Do its theorems allow experts that sleep?"""
        return self.sleepers != ""

    @property
    def overall(self) -> bool:
        """Do its theorems speak of all rounds, of an expert that sleeps too?"""
        return self.sleepers == "all rounds"

    @property
    def alike(self) -> bool:
        """Is its regret beside an expert that sleeps limited alike for every expert, whatever it lost?"""
        return self.sleepers == "alike"

    @property
    def n(self) -> int:
        return self.values["n"]  # type: ignore[index]

    @property
    def advice(self) -> str:
        return self.values["advice"]  # type: ignore[index]

    @cached_property
    def bounds(self) -> dict[tuple[str, str], Bound]:
        """Those that a certificate may state. What an expert loses over all rounds is no less than over the mistakes, and no limit falls as
        m grows: so a theorem that counts m over the mistakes holds with m over all rounds, too, and then compares."""
        own = (*self.theorems, experts.EVERY_ROUND, *self.asleep)
        more = (over_all(bound) for bound in own if bound.loss == "m" and not bound.every)
        return {(bound.name, bound.kind): bound for bound in (*own, *more)}

    def observes(self, bound: Bound) -> str:
        """What a bound speaks of: "mistakes", "loss" or, of one draw, what was "chosen"."""
        if bound.counts == "one draw":
            return "chosen" if self.bandit or self.advice == "loss" else "mistakes"
        return "mistakes" if self.whole else "loss"

    def own_rounds(self, bound: Bound) -> bool:
        """Does it speak of the rounds alone on which its witness is awake?"""
        return self.sleeps and not self.overall and bound.witness == "expert"

    def counted_bound(self, bound: Bound) -> Bound:
        """The bound, knowing that what its experts lose is counted over all rounds, where it is."""
        counted = bound.kind == "hindsight" and "m" in bound.needs
        return replace(bound, loss="m", every=self.updates_on != "mistakes") if counted else bound

    def counted(self, table: Advised, mistakes: Sequence[int]) -> Sequence[int]:
        """The rows on which an expert's losses count."""
        return mistakes if self.updates_on == "mistakes" else table.labelled

    def prices(self) -> Sequence[Mapping[str, Any]]:
        """Of a rule that is compared with paths: the share and the rate by which a change has its price, or several of them."""
        settings = self.values or {}
        if self.changes is not None:
            return self.changes(settings)
        return [{key: settings[key] for key in ("alpha", "beta" if self.cost == "mistakes" else "eta")}]

    def follows(self, T: int) -> dict[str, Any]:
        """Facts that follow from the settings and the number of rounds."""
        facts = {key: value for key, value in (self.values or {}).items() if key in ("n", "eta", "beta", "alpha", "epsilon")}
        if self.bandit:
            facts["eta"] = Fraction(0) if facts["eta"] is None else Fraction(float(facts["eta"]))
        slack: Any = 0 if self.advice == "vote" else experts.slip(T)
        return {**facts, "T": T, "played": T, "slack": slack}

    def measured(self, bound: Bound, table: Advised, mistakes: Sequence[int], witness: Any) -> dict[str, Any]:
        """What the witness makes of the table, exactly."""
        rows = table.labelled if bound.every else self.counted(table, mistakes)
        facts = self.follows(len(table.labelled)) | {"Z": len(table.asleep & set(mistakes if self.cost == "mistakes" else table.labelled))}
        if witness is not None:
            facts |= witness.measured(table, rows)
            if self.own_rounds(bound):
                facts["T"] = len(table.awake(witness.expert, table.labelled))
        return facts


SLEEPERS = ("", "own rounds", "alike", "all rounds")

#: Fields that may be functions of the settings.
DEPENDS = ("theorems", "ties", "updates_on", "arithmetic", "invariants", "asleep", "cost", "whole", "tossed", "takes")


@cache
def family(name: str) -> Family:
    """The family of a learner of this library, by its name."""
    module = _module(name)
    require(isinstance(getattr(module, "FAMILY", None), Family), f"learner {name!r} is not one whose theorems are known here")
    return module.FAMILY


def rule_family(name: str, stated: Settings) -> RuleFamily:
    """The rule of this name with these settings, as a certificate writes them."""
    rule = getattr(_module(name), "FAMILY", None)
    if not isinstance(rule, RuleFamily):
        raise LittlestoneError(f"rule {name!r} is not one whose theorems are known here")
    return rule.stated(stated)


def known(name: str) -> bool:
    """Is there a learner or rule of this name whose theorems are known here?"""
    return isinstance(getattr(_module(name), "FAMILY", None), Family)


def known_with(name: str, stated: Settings, weighted: bool = False) -> Family | None:
    """The family of a learner whose theorems are known, with these settings, and with weights where rounds carry some; None else."""
    try:
        chosen = family(name).stated(stated)
    except LittlestoneError:
        return None
    return chosen if chosen.bounds and (chosen.weighted or not weighted) else None


def _module(name: str) -> Any:
    here = name.isidentifier() and util.find_spec(f"littlestone.theory.{name}") is not None
    return import_module(f"littlestone.theory.{name}") if here else None
