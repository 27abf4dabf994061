"""Rules over advice, by name: what their theorems need to be checked without the rule itself.

What a setting may be is said here a second time, as in the rule's own file: a certificate of other settings is about no rule there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

from littlestone.errors import require
from littlestone.theory import experts as theory
from littlestone.theory.advised import Advised, Mix, One, Path
from littlestone.theory.bound import Bound

NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?\Z")
KINDS = ("vote", "probability", "loss")
RUN_FACTS = ("gaps", "F")  # what only the run, or a replay of it, can tell
BILLIONTH, TRILLIONTH = Fraction(1, 10**9), Fraction(1, 10**12)

TIES = "1 where the weighted mean is at least 1/2; where it rounds to within 10⁻⁹ of that, as the run had it"
EXACT_TIES = "1 where at least half the weight says 1"
COIN = "1 where the coin of the seed falls below the share of a 1"
LEADS = "the first of the least losses leads; 1 where it says 1/2 or more"
DRAWN = "the expert at whose weight the coin of the seed falls; 1 where a second coin falls below what it says"


@dataclass(frozen=True)
class RuleFamily:
    """A rule with its settings."""

    name: str
    settings: Mapping[str, Any]
    bounds: Mapping[tuple[str, str], Bound]
    cost: str = "loss"
    updates_on: str = "always"
    arithmetic: str = "float"
    ties: str = COIN
    sleeps: bool = False
    bandit: bool = False
    tossed: bool = True  # is a coin tossed for a prediction?

    @property
    def n(self) -> int:
        return self.settings["n"]

    @property
    def advice(self) -> str:
        return self.settings["advice"]

    @property
    def whole(self) -> bool:
        """Do its theorems count mistakes?"""
        return self.cost == "mistakes" or (self.name == "follow_leader" and self.advice == "vote")

    def observes(self, bound: Bound) -> str:
        """What a bound speaks of: "mistakes", "loss" or, of one draw, what was "chosen"."""
        if bound.counts == "one draw":
            return "chosen" if self.bandit or self.advice == "loss" else "mistakes"
        return "mistakes" if self.whole else "loss"

    def own_rounds(self, bound: Bound) -> bool:
        """Does it speak of the rounds alone on which its witness is awake?"""
        return self.sleeps and bound.witness == "expert"

    def counted(self, table: Advised, mistakes: Sequence[int]) -> Sequence[int]:
        """The rows on which an expert's losses count."""
        return mistakes if self.updates_on == "mistakes" else table.told

    def stated(self, T: int) -> dict[str, Any]:
        """Facts that follow from the settings and the number of rounds."""
        facts = {key: value for key, value in self.settings.items() if key in ("n", "eta", "beta", "alpha", "epsilon")}
        if self.bandit:
            facts["eta"] = Fraction(0) if facts["eta"] is None else Fraction(float(facts["eta"]))
        slack: Any = 0 if self.advice == "vote" else theory.slip(T)
        return {**facts, "T": T, "played": T, "slack": slack}

    def measure(self, bound: Bound, table: Advised, mistakes: Sequence[int], witness: Any) -> dict[str, Any]:
        """What the witness makes of the table, exactly."""
        rows = self.counted(table, mistakes)
        facts = self.stated(len(table.told)) | {"Z": len(table.asleep & set(mistakes if self.cost == "mistakes" else table.told))}
        if isinstance(witness, One):
            require(witness.expert < table.n, f"its witness is expert {witness.expert}, and there are {table.n}, counted from 0")
            facts["m"] = table.loss(witness.expert, rows)
            if self.own_rounds(bound):
                facts["T"] = len(table.awake(witness.expert, table.told))
        elif isinstance(witness, Mix):
            require(len(witness.weights) == table.n, f"its distribution is over {len(witness.weights)} experts, and there are {table.n}")
            lost = [table.loss(i, rows) if w else Fraction(0) for i, w in enumerate(witness.weights)]
            facts["m"], facts["kl"] = theory.mixed(witness.weights, lost)
        elif isinstance(witness, Path):
            strange = [i for _, i in witness.path if not 0 <= i < table.n]
            require(not strange, f"its path names expert {strange[:1]}, and there are {table.n}, counted from 0")
            require(
                witness.path[-1][0] <= max(1, len(table.rows)),
                f"its path goes on to row {witness.path[-1][0]}, and there are {len(table.rows)}",
            )
            facts["m"], facts["S"] = table.loss_of_path(witness.path, rows), len(witness.path) - 1
        return facts


def contradiction(table: Advised, declared: Mapping[str, Fraction]) -> dict[str, Any] | None:
    """The row with which what was declared of the experts has become false; None where it has not."""
    if table.first_asleep is not None:
        row, expert = table.first_asleep
        why = f"expert {expert} sleeps, and the theorem is about experts who are always awake; see sleeping_adahedge"
    else:
        m, changes = declared["m"], int(declared.get("S", 0))
        found = table.passed(m, changes)
        if found is None:
            return None
        whom = "every expert" if not changes else f"every sequence of experts that changes at most {changes} times"
        row, why = found, f"with it {whom} has lost more than the declared m={m}"
    one = table.rows[row - 1]
    instance = {str(i): a for i, a in enumerate(one.said) if a is not None}
    return {"row": row, "why": why, "rows": [], "label": int(bool(one.y)), "instance": instance}


def check_declared(name: str, bounds: Mapping[tuple[str, str], Bound], kind: str, declared: Mapping[str, Fraction]) -> None:
    """Refuse what the rule's theorems do not assume."""
    before = [bound for bound in bounds.values() if bound.kind == "a priori" and bound.assumes == kind]
    require(before, f"{name} has no theorem that assumes {kind!r}")
    takes = [key for key in ("m", "S") if key in before[0].needs]
    for key, value in declared.items():
        require(key in takes, f"assumption {kind!r} of {name} takes {', '.join(takes)}; not {key!r}")
        require(value >= 0 and (key == "m" or value.denominator == 1), f"assumption: {key}={value} must be a number, not negative; S whole")
    require("m" in declared, "assumption 'expert' needs m=...: what the best expert loses at most")


def rule_family(name: str, given: Mapping[str, Any]) -> RuleFamily:
    """The rule of this name with these settings, as a certificate writes them."""
    require(name in RULES, f"rule {name!r} is not one whose theorems are known here")
    wanted, make = RULES[name]
    require(set(given) == set(wanted), f"{name} has the settings {', '.join(wanted)}; found {', '.join(given)}")
    settings = {key: Fraction(v) if isinstance(v, str) and NUMBER.match(v) else v for key, v in given.items()}
    for key, value in settings.items():
        require(SETTINGS[key](value), f"{name}: the setting {key} is {given[key]!r}, which is nothing it can be")
    return make(name, settings)


def _between(low: Any, high: Any) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int | Fraction) and not isinstance(v, bool) and low <= v <= high


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high


SETTINGS: dict[str, Callable[[Any], bool]] = {
    "n": _whole(1, 10_000_000),
    "advice": lambda v: v in KINDS,
    "seed": _whole(-(2**63), 2**64 - 1),
    "updates": lambda v: v in ("mistakes", "always"),
    "form": lambda v: v in ("randomized", "deterministic"),
    "beta": _between(0, 1 - TRILLIONTH),
    "alpha": _between(TRILLIONTH, 1 - TRILLIONTH),
    "epsilon": _between(BILLIONTH, 1 - TRILLIONTH),
    "eta": lambda v: v is None or _between(BILLIONTH, 700)(v),
    "rounds": lambda v: v is None or _whole(1, 10**15)(v),
}


def _named(*bounds: Any) -> dict[tuple[str, str], Bound]:
    found: dict[tuple[str, str], Bound] = {}
    for one in (*bounds, theory.EVERY_ROUND):
        for bound in one if isinstance(one, tuple) else (one,):
            found[bound.name, bound.kind] = bound
    return found


def _either(*bounds: Any) -> dict[tuple[str, str], Bound]:
    """These bounds, and those in hindsight for sleepers too."""
    known = _named(*bounds)
    sleepy = [theory.asleep(bound) for bound in known.values() if bound.witness in ("expert", "distribution", "path")]
    return known | {(bound.name, bound.kind): bound for bound in sleepy if bound.kind == "hindsight"}


def _near(a: Any, b: float) -> bool:
    return a is not None and abs(float(a) - b) <= 1e-12 * abs(b)


def _rate(settings: Mapping[str, Any], most: int, best: Callable[[int], float] | None = None) -> None:
    """η where there must be one, no larger than the rule takes; with `rounds`, the best for so many."""
    eta, rounds = settings["eta"], settings.get("rounds")
    require(eta is None or eta <= most, f"eta={eta} must be at most {most}")
    require(best is not None or eta is not None, "eta is missing")
    if rounds is not None and best is not None:
        require(_near(eta, best(rounds)), f"eta={eta} is not the rate for {rounds} rounds")


def _leader(name: str, s: Mapping[str, Any]) -> RuleFamily:
    return RuleFamily(name, s, _either(theory.LEADER), ties=LEADS, tossed=False)


def _majority(name: str, s: Mapping[str, Any]) -> RuleFamily:
    votes = s["advice"] == "vote"
    require(s["advice"] != "loss", "weighted_majority takes vote or probability")
    require(s["beta"] >= TRILLIONTH or (s["beta"] == 0 and votes), f"beta={s['beta']} must be 0, with votes, or at least 1e-12")
    return RuleFamily(
        name, s, _either(theory.MAJORITY, theory.MAJORITY_MIXED), "mistakes", s["updates"], "filtered" if votes else "float",
        EXACT_TIES if votes else TIES, tossed=False,
    )  # fmt: skip


def _randomized(name: str, s: Mapping[str, Any]) -> RuleFamily:
    return RuleFamily(name, s, _either(theory.RANDOMIZED, theory.RANDOMIZED_MIXED, theory.ONE_DRAW))


def _hedge(name: str, s: Mapping[str, Any]) -> RuleFamily:
    _rate(s, 700, lambda rounds: sqrt(8 * log(max(2, s["n"])) / rounds))
    bounds = (theory.ANYTIME, theory.ANYTIME_MIXED) if s["eta"] is None else (theory.HEDGE, theory.HEDGE_MIXED)
    return RuleFamily(name, s, _either(*bounds, theory.ONE_DRAW))


def _adahedge(name: str, s: Mapping[str, Any]) -> RuleFamily:
    known = _either(theory.ADAHEDGE, theory.ADAHEDGE_MIXED, theory.ONE_DRAW)
    del known["adahedge-worst-case-hindsight-asleep", "hindsight"]  # gaps among those awake are not what it bounds
    return RuleFamily(name, s, known)


def _sleeping_adahedge(name: str, s: Mapping[str, Any]) -> RuleFamily:
    return RuleFamily(name, s, _named(theory.SLEEPING_ADAHEDGE, theory.ONE_DRAW), sleeps=True)


def _formed(name: str, s: Mapping[str, Any], loss: Any, mistakes: Any, sleeps: bool = False) -> RuleFamily:
    _rate(s, 100)
    require(s["beta"] > 0 and _near(s["beta"], exp(-float(s["eta"]))), f"beta={s['beta']} must be e^-eta")
    if s["form"] == "randomized":
        return RuleFamily(name, s, (_named if sleeps else _either)(loss, theory.ONE_DRAW), sleeps=sleeps)
    require(s["advice"] != "loss", f"the deterministic form of {name} takes vote or probability")
    return RuleFamily(name, s, _named(mistakes), "mistakes", "mistakes", ties=TIES, sleeps=sleeps, tossed=False)


def _fixed_share(name: str, s: Mapping[str, Any]) -> RuleFamily:
    return _formed(name, s, theory.FIXED_SHARE, (*theory.FIXED_SHARE_MISTAKES, theory.FIXED_SHARE_MISTAKES_ASLEEP))


def _specialists(name: str, s: Mapping[str, Any]) -> RuleFamily:
    return _formed(name, s, theory.SPECIALISTS, theory.SPECIALISTS_MISTAKES, sleeps=True)


def _perturbed(name: str, s: Mapping[str, Any]) -> RuleFamily:
    _rate(s, 100)
    tossed = s["advice"] == "probability"
    return RuleFamily(name, s, _either(theory.PERTURBED), ties=f"{LEADS}, by the coin of the seed" if tossed else LEADS, tossed=tossed)


def _bandit(name: str, s: Mapping[str, Any]) -> RuleFamily:
    _rate(s, 100, lambda rounds: sqrt(2 * log(max(2, s["n"])) / (rounds * s["n"])))
    bounds = _either(theory.EXP3, theory.ONE_DRAW) if name == "exp3" else _named(theory.EXP3_IX, theory.ONE_DRAW)
    return RuleFamily(name, s, bounds, ties=DRAWN, bandit=True)


RULES: dict[str, tuple[tuple[str, ...], Callable[[str, Mapping[str, Any]], RuleFamily]]] = {
    "follow_leader": (("n", "advice"), _leader),
    "weighted_majority": (("n", "beta", "updates", "advice"), _majority),
    "randomized_weighted_majority": (("n", "epsilon", "advice", "seed"), _randomized),
    "hedge": (("n", "eta", "rounds", "advice", "seed"), _hedge),
    "adahedge": (("n", "advice", "seed"), _adahedge),
    "sleeping_adahedge": (("n", "advice", "seed"), _sleeping_adahedge),
    "fixed_share": (("n", "alpha", "eta", "beta", "form", "advice", "seed"), _fixed_share),
    "specialists": (("n", "eta", "beta", "form", "advice", "seed"), _specialists),
    "perturbed_leader": (("n", "eta", "advice", "seed"), _perturbed),
    "exp3": (("n", "eta", "rounds", "advice", "seed"), _bandit),
    "exp3_ix": (("n", "eta", "rounds", "advice", "seed"), _bandit),
}


def margin_of(T: int) -> Decimal:
    """What the rounding of a run and that of its replay may lie apart."""
    return 2 * theory.slip(T)
