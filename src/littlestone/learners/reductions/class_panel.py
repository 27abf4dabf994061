"""A panel of several classes: learners that each name a class, and a rule over experts that finds out whom to trust.

A member of two classes plays one against the rest, with a learner for each class that hears of every round, those before the class first
came among them, and names the class with the largest score.  Blends learn from the members' scores (reference/class_blend.py) and vote like
any other, and so does Fisher's linear discriminant, of values and of their logarithms (reference/class_discriminant.py).  AdaHedge hears
who erred.  The class that the blends' forecast calls likeliest is predicted (reference/class_forecast.py); without blends, or with
`label_by="vote"`, the one with the largest share of the weight.  It is what `ls.panel()` becomes where there are more than two labels.

>>> import littlestone as ls
>>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]] * 25, ["tea", "coffee", "milk", "tea"] * 25
>>> run = ls.play(ls.panel(["perceptron", "arow"], blend=False), X, y)
>>> run.mistakes, [(member.name, member.mistakes) for member in run.members]
(4, [('perceptron', 4), ('arow', 3)])

Theorem: a mistake of the vote means that at least half of the weight was wrong, so M_vote ≤ 2F, F the shares of wrong weight added up; and
F is within AdaHedge's bound against the best member: M_vote ≤ 2(m + 2Δ), m the mistakes of the best member, which are within its own bound.
Where rounds weigh, all of it is in weights.  What is counted, M - M_vote, is added for the label of the forecast, and M ≤ Λ/ln 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from littlestone import learners
from littlestone.errors import require
from littlestone.learners import experts, multiclass
from littlestone.learners.reductions import panel as two_classes
from littlestone.learners.reductions._class_table import MOST_CLASSES, ClassTable, State, VoteState
from littlestone.learners.reductions.one_vs_rest import one_vs_rest
from littlestone.learners.reductions.panel import Panel, Seat
from littlestone.protocol import ClassLearner, Learner, Opening, Rule, naming
from littlestone.reference.class_blend import CLASS_BLENDS
from littlestone.reference.class_discriminant import LOGS, NAME
from littlestone.reference.class_forecast import FORECASTERS
from littlestone.theory import class_panel as theory
from littlestone.theory.claims import Known
from littlestone.theory.forecast import Forecasts
from littlestone.theory.panel import VoteMistakes

__all__ = ["MOST_CLASSES", "ClassPanel", "class_panel", "of_panel"]


@dataclass(frozen=True, eq=False, repr=False)
class ClassPanel(ClassLearner):
    """A learner of several classes with members and a rule."""

    of_experts = True

    members: tuple[Learner | ClassLearner, ...] = ()
    names: tuple[str, ...] = ()  # of the members, then of the blends
    rule: Rule | None = None
    weigh: bool = False  # do blends, discriminant and rule hear the weights of rounds?
    label_by: str = "vote"  # whose label it predicts: "forecast" or "vote"
    label_chosen: bool = True  # was that asked for, or is it the default?
    again: Callable[..., ClassPanel] = field(default=lambda **changes: class_panel(**changes))  # the same panel with some settings changed

    def __repr__(self) -> str:
        """The usual members are too many to be told each time."""
        usual = self.settings["members"] == " ".join(MEMBERS)
        left = {"discriminant", "logs", "weigh", "label_by", *(("members",) if usual else ())}
        shown = [f"{key}={value}" for key, value in self.settings.items() if value is not None and key not in left]
        asked = ("label_by=vote",) if self.probabilities and self.label_by == "vote" else ()
        return f"class_panel({', '.join([*shown, *asked])})"

    def seats(self, state: State) -> tuple[Seat, ...]:
        """Who votes, with the mistakes and the weight of each in this state."""
        return self.engine(Opening()).seats(state.losses, state.z, state.mistakes)  # type: ignore[attr-defined]

    @property
    def blend_names(self) -> tuple[str, ...]:
        """The blends and the discriminants."""
        return self.names[len(self.members) :]

    def trust(self, state: State) -> dict[str, float]:
        """Return the weight of each forecaster in the next forecast; they add up to 1."""
        weights = state.forecasts.trust
        return dict(zip(FORECASTERS, (weights / weights.sum()).tolist(), strict=True))

    def forecasts_of(self, state: State) -> Forecasts | None:
        """What its forecasts lost so far, and what each forecaster did."""
        if state.forecasts is None:
            return None
        accounts = (getattr(state.forecasts, name).tolist() for name in ("products", "halvings", "counts"))
        return Forecasts.of(FORECASTERS, 1, *accounts)

    def vote_of(self, state: State) -> VoteMistakes | None:
        """The mistakes that the vote made so far; None where the label is the vote's, and they are the panel's own."""
        return None if state.vote is None else VoteMistakes.of(state.vote.vote_mistakes)

    def relabelled(self, state: State, label_by: str, mistakes: int) -> tuple[ClassPanel, State]:
        """Return the panel that predicts the other label, and its state; `mistakes` are those that were made with this one."""
        if label_by == self.label_by:
            return self, state
        vote = None if label_by == "vote" else VoteState(np.array([mistakes, mistakes, 1.0]), np.ones(1))
        return self.again(label_by=label_by), state._replace(vote=vote)

    def chosen(self, state: State, name: str | None = None) -> tuple[str, ClassLearner, Any]:
        """The named member, or the one with the largest weight (the first of them), as a learner of several classes with its own state."""
        known = self.names[: len(self.members)]
        require(name is None or name in known, f"member {name!r}: the members are {', '.join(known)}")
        k = known.index(name) if name is not None else int(np.argmax([seat.weight for seat in self.seats(state)[: len(known)]]))
        member = self.members[k]
        if isinstance(member, ClassLearner):
            return known[k], member, state.members[k]
        return known[k], one_vs_rest(member), state.members[k][1:]


def known(run: Any) -> Known:
    """What the votes say of the rule's theorems."""
    learner, state = run.learner, run.state
    rule = learner.rule
    rule_state = type(rule.first_state())(state.losses, state.z)
    loss, c = state.loss.tolist()
    lost = state.losses if run.weighted and learner.weigh else None
    largest = (c, float(state.vote.label_weight[0]) if state.vote is not None else c) if run.weighted else (1.0, 1.0)
    return two_classes.known_of(run, rule, learner.names, state.mistakes, loss, rule_state, largest, lost)


# ----------------------------------------------------------------------------------------------------------------- making a panel

#: Who sits on it unless others are named.
MEMBERS = (
    "multiclass_perceptron",
    "arow:bias=1",
    "arow:r=10:bias=1",
    "adaptive:eta=1:bias=1",
    "adaptive:eta=1/10:bias=1",
    "normalized:eta=2:bias=1",
    "normalized:eta=1/2:loss=squared:bias=1",
    "normalized:eta=1/10:loss=squared:bias=1",
    "naive_bayes:alpha=1/10",
    "pairs:most=16:bias=1",
)

WHEN = "any stream of several classes, when you do not know which learner is best on it: what `panel` becomes there"
SAMPLES: tuple[dict, ...] = (
    {"members": "perceptron:bias=1 arow multiclass_perceptron", "discriminant": True, "logs": True},
    {"members": ("adaptive", "pairs"), "blend": False},
)


def class_panel(
    members: str | Sequence[str | Learner | ClassLearner] | None = None,
    *,
    n: int | None = None,
    blend: bool = True,
    discriminant: bool | None = None,
    logs: bool | None = None,
    weigh: bool = True,
    label_by: str | None = None,
) -> ClassPanel:
    """A panel of these members over several classes, each `NAME:key=value...` or a learner of two classes; AdaHedge decides whom to trust.

    `blend=False` leaves out the blends, which learn from the members' scores. `discriminant` says whether Fisher's linear discriminant sits
    beside the members (reference/class_discriminant.py), `logs` whether that of the logarithms of the values does; they do where no members
    are named, unless told otherwise.
    `weigh` says whether blends, discriminant and rule count a round as often as it weighs, as members do.
    `label_by` says whose label is predicted: "forecast", the likeliest class, or "vote", the class with the largest share of the weight.
    Left out, it is the forecast's where there are blends, which make it.
    """
    discriminant = members is None if discriminant is None else discriminant
    logs = members is None if logs is None else logs
    for name, value in (("blend", blend), ("discriminant", discriminant), ("logs", logs), ("weigh", weigh)):
        require(value in (True, False), f"{name}={value!r} must be true or false")
    chosen = MEMBERS if members is None else members.split() if isinstance(members, str) else tuple(members)
    require(len(chosen) >= 1, "a panel needs at least one member")
    made = tuple(_member(member, n) if isinstance(member, str) else two_classes.sized(member, n) for member in chosen)
    names = tuple(member if isinstance(member, str) else _text(member) for member in chosen)
    for member, name in zip(made, names, strict=True):
        if getattr(member, "name", "") != theory.ALONE:
            two_classes.refuse_member(member, name)
    blend = blend and any(isinstance(member, Learner) for member in made)
    asked, label_by = label_by, two_classes.chosen_label(label_by, bool(blend), "blend=False")
    by_forecast = label_by == "forecast"
    called = (*names, *(voter.name for voter in CLASS_BLENDS if blend), *((NAME,) if discriminant else ()), *((LOGS,) if logs else ()))
    rule = experts.named(theory.RULE).sized(len(called))
    needing = [member for member in made if member.needs_n]
    domain = next(domain for domain in ("boolean", "unit", "real") if domain in {member.domain for member in made})
    settings = {"members": " ".join(names), "n": n, "blend": bool(blend)}
    settings |= {"discriminant": True} if discriminant else {}  # files of before there was one do not name it
    settings |= {"logs": True} if logs else {}  # nor this
    settings |= {"weigh": True} if weigh else {}  # nor this
    settings |= {"label_by": label_by} if by_forecast else {}  # nor this

    def again(**changes: Any) -> ClassPanel:
        same = {"n": n, "blend": blend, "discriminant": discriminant, "logs": logs, "weigh": weigh, "label_by": asked}
        return class_panel(chosen, **(same | changes))

    return ClassPanel(
        name="class_panel",
        settings=settings,
        engine=partial(ClassTable, made, called, rule, blend, bool(discriminant), bool(logs), bool(weigh), by_forecast),
        n=n if not needing else None if any(member.n is None for member in needing) else needing[0].n,
        needs_n=bool(needing),
        with_n=lambda size: again(n=size),
        family=replace(theory.FAMILY.chosen(settings), domain=domain),
        known=known,
        probabilities=blend,  # blends forecast, where there are any
        scored=blend,
        members=made,
        names=called,
        rule=rule,
        weigh=bool(weigh),
        label_by=label_by,
        label_chosen=asked is not None,
        again=again,
    )


def labelled_by(learner: Any, label_by: str) -> Any:
    """Return a panel like this one that predicts the forecast's label, or the vote's."""
    require(isinstance(learner, Panel | ClassPanel), f"label_by={label_by!r}: {learner.name} has one label alone; expected a panel")
    return learner if learner.label_by == label_by else learner.again(label_by=label_by)


def with_vote(learner: Any) -> Any:
    """Return a panel like this one that predicts the vote's label, unless the forecast's was asked for; any other learner as it is.

    Votes and rule hear what the rounds with a label weigh, and forecasts do not.
    """
    return labelled_by(learner, "vote") if isinstance(learner, Panel | ClassPanel) and not learner.label_chosen else learner


def of_panel(panel: Panel) -> ClassPanel:
    """The panel of several classes that a panel of two becomes: of the same members, where they were chosen."""
    settings = panel.settings
    require(
        settings["rule"] == theory.RULE,
        f"rule={settings['rule']}: a panel of several classes is ruled by {theory.RULE}; ls.one_vs_rest(panel) takes any rule",
    )
    usual = settings["members"] == " ".join(two_classes.MEMBERS)
    chosen = [
        name if settings["members"].split()[k] == name and member.family.own is None else member
        for k, (name, member) in enumerate(zip(panel.names, panel.members, strict=False))
    ]
    label_by = None if not panel.label_chosen and panel.forecasts else panel.label_by if settings["blend"] else "vote"
    return class_panel(None if usual else chosen, n=settings["n"], blend=settings["blend"], weigh=panel.weigh, label_by=label_by)


def _member(text: str, n: int | None) -> Learner | ClassLearner:
    name, parts = naming.split(text)
    if name == theory.ALONE:
        return naming.made("member", text, multiclass.factory(name), parts, n=n)
    return learners.named(text, n)


def _text(member: Learner | ClassLearner) -> str:
    return member.name if isinstance(member, ClassLearner) else learners.text_of(member)
