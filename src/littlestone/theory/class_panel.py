"""A panel of learners of several classes under AdaHedge: the theorems of `theory.panel`, for any number of classes.

Each round every member names a class, and AdaHedge puts weights on the members.  f is the share of the weight that names another class than
the true one, F = Σf over the labelled rounds.  The panel names the class with the largest share, the first that appeared where they tie.
If the true class had more than half of the weight, no other could have as much; so a mistake has f ≥ 1/2, and M ≤ 2F.  AdaHedge hears
of each member only whether it erred, a loss of 0 or 1, so that its theorems bound F by what the best member errs, whatever the number of
classes:

    M ≤ 2(m + 2Δ) ≤ 2(m + √(T·ln K) + 4/3·ln K + 2),     K members, T rounds, m the mistakes of the best member;

and m ≤ B for every bound B on the mistakes of a member that has a theorem about several classes, and plays as it would alone.
A round in which a class first appears is a mistake of every member, f = 1: nobody can avoid it.

Weights.  Under the setting `weigh` blends, discriminants and rule heed them, as in `theory.panel`: in a round of weight c_t a wrong vote
costs c_t, and f_t = c_t·(the share of the weight that is wrong).  Nothing above hangs on c_t: a mistake has at least half of the weight
wrong, so it costs c_t ≤ 2f_t, and the mistakes of the panel weigh at most 2F.  AdaHedge hears losses in {0, c_t}, and F ≤ m + 2Δ for losses
of any size, so that they weigh at most 2(m + 2Δ), m what the mistakes of the best member weigh.  In units of C ≥ c_t the losses lie in [0,
1], where the bound on Δ in the worst case holds.  Panels without the setting count rounds in their rule: then the weights of M rounds add
up to at most c·M, c the largest of them.

A panel that predicts the likeliest class of its forecast makes M = M_vote + D mistakes, D counted, and M ≤ Λ/ln 2, as in `theory.panel`:
where another class was predicted, or the class was new, the true one had probability at most 1/2.
"""

from collections.abc import Mapping
from typing import Any

from littlestone.theory.bound import Bound
from littlestone.theory.families import Family, rule_family
from littlestone.theory.panel import LABEL_BY, bounds_of_rule
from littlestone.theory.settings import FEATURES, FLAG, Setting

SOURCE = "proof in theory/class_panel.py; the members' own sources; de Rooij, van Erven, Grünwald, Koolen 2014"
RULE = "adahedge"
ALONE = "multiclass_perceptron"  # the learner of several classes that sits on a panel as it is


def rule_of(experts: int, advice: str = "vote") -> Any:
    """The family of the rule over so many voters: it hears who erred, or what everybody loses (`loss`)."""
    return rule_family(RULE, {"n": experts, "advice": advice, "seed": 0})


def theorems(settings: Mapping[str, Any]) -> tuple[Bound, ...]:
    return bounds_of_rule(rule_of(2).theorems, 2)


TIES = "the class with the largest share of the weight, the first that appeared of several; within 10⁻⁹ of that, as the run had it"
FORECAST_TIES = "the class with the largest probability, the first that appeared of several"
FORECAST_TIES_ONCE = f"{FORECAST_TIES}; within 10⁻⁶ of that, as the run had it"  # as certificates said it until replays were exact

FAMILY = Family(
    "class_panel",
    {"members": Setting("text"), "n": FEATURES, "blend": FLAG}
    | dict.fromkeys(("discriminant", "logs", "weigh"), Setting("flag", spare=True))
    | {"label_by": LABEL_BY},
    theorems,
    ties=lambda settings: FORECAST_TIES if settings.get("label_by") == "forecast" else TIES,
    updates_on="always",
    weighted=True,
    source=SOURCE,
)
