"""A panel: a learner made of learners. Each member plays, their predictions are advice, and a rule over experts makes one of it.

Nothing is tuned: members differ in kind and in rates, each sees every round and learns from it in its own way, and the rule (AdaHedge
unless another is named) weighs their votes.  A forecast is made of their scores (reference/forecast.py), and the panel predicts the label
that it calls likelier; with `label_by="vote"` it predicts by weighted majority: 1 where at least half of the weight says 1.
Blends sit beside the members: they learn from the members' scores (reference/blend.py), and vote like any other.

>>> import littlestone as ls
>>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]] * 25, [1, 0, 1, 1] * 25
>>> run = ls.play(ls.panel(["perceptron", "arow", "adaptive:eta=1/10"], blend=False), X, y)
>>> run.mistakes, [(member.name, member.mistakes) for member in run.members]
(4, [('perceptron', 3), ('arow', 1), ('adaptive:eta=1/10', 1)])

Theorems: a mistake means that the true label had probability at most 1/2, so M ≤ Λ/ln 2, Λ the log-loss of the forecasts.  A mistake of the
vote means that at least half of the weight was wrong, so M_vote ≤ 2F, F the shares of wrong weight added up; and F is within the rule's
bound against the best member: M_vote ≤ 2(m + 2Δ) for AdaHedge, m the mistakes of the best member, which are within its own bound.  What is
counted, M - M_vote, makes a limit on M_vote one on M.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from littlestone import learners
from littlestone.errors import require
from littlestone.learners import experts
from littlestone.learners.reductions._sitting import sitting
from littlestone.learners.reductions._table import ACCOUNTS, FEW, FORECASTS, VOTE_MISTAKES, Table
from littlestone.protocol import Block, Kernels, Learner, Rule
from littlestone.protocol.layout import Column, Layout
from littlestone.reference.blend import BLENDS, Blend, voices
from littlestone.reference.forecast import forecasters
from littlestone.theory import Bound
from littlestone.theory import panel as theory
from littlestone.theory.claims import Candidate, Known, KnownOfExperts
from littlestone.theory.forecast import LABEL_BOUNDS, Forecasts
from littlestone.theory.panel import VoteMistakes


class Seat(NamedTuple):
    """A member at work: what it is called, its mistakes, and the weight it has earned."""

    name: str
    mistakes: int
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class Panel(Learner):
    """A learner with members and a rule. Its state is theirs, one after the other, and its accounts."""

    of_experts = True
    few = FEW
    widens = True  # where a third label comes, it goes on as a panel of several classes

    n: int | None = None
    members: tuple[Learner, ...] = ()
    names: tuple[str, ...] = ()  # of the members, then of the blends
    rule: Rule | None = None
    blends: tuple[Blend, ...] = ()
    weigh: bool = False  # do blends and rule hear the weights of rounds?
    calibrate: bool = False  # do its forecasts take members at their word, and put a stack right by bins?
    label_by: str = "vote"  # whose label it predicts: "forecast" or "vote"
    label_chosen: bool = True  # was that asked for, or is it the default?
    again: Callable[..., Panel] = field(default=lambda **changes: panel(**changes))  # the same panel with some settings changed

    @property
    def forecasts(self) -> bool:
        """Does it forecast the probability of a 1?"""
        return bool(self.settings.get("forecast"))

    @property
    def probabilities(self) -> bool:
        return self.forecasts

    @property
    def decides_by_score(self) -> bool:
        return self.label_by == "forecast" or not self.forecasts

    @property
    def known(self) -> Callable[[Any], Known]:
        return known_of_members

    @property
    def bound(self) -> Callable[[tuple], Any]:
        return partial(sitting, self.playing)

    def forecasters(self) -> tuple[str, ...]:
        """Who forecasts: the members, the blends that give odds, and the stacks over the members' odds; nobody where it does not."""
        return forecasters(self.names[: len(self.members)], self.blends, self.calibrate) if self.forecasts else ()

    @property
    def blend_names(self) -> tuple[str, ...]:
        """The blends, their mean, and what else learns from the members' scores to forecast: stacks and bins."""
        members = len(self.members)
        return tuple(dict.fromkeys((*self.names[members:], *self.forecasters()[members:])))

    def blend_scores(self, state: tuple, block: Block) -> dict[str, np.ndarray]:
        """Return, for each of `blend_names`, the scores of the rows of a block without labels."""
        return dict(zip(self.blend_names, self.table.blend_scores(state, block), strict=True)) if self.blend_names else {}

    def trust(self, state: tuple) -> dict[str, float]:
        """Return the weight of each forecaster in the next forecast; they add up to 1."""
        weights = state[self.table.at["forecast_weights"]]
        return dict(zip(self.forecasters(), (weights / weights.sum()).tolist(), strict=True))

    def forecasts_of(self, state: tuple) -> Forecasts | None:
        """What its forecasts lost so far, and what each forecaster did."""
        if not self.forecasts:
            return None
        products, halvings, counts = (state[self.table.at[name]] for name in FORECASTS)
        bins = state[self.table.at["forecast_bin_counts"]].astype(int).tolist() if self.calibrate else None
        return Forecasts.of(self.forecasters(), len(self.members), products.tolist(), halvings.tolist(), counts.tolist(), bins)

    def vote_of(self, state: tuple) -> VoteMistakes | None:
        """The mistakes that the vote made so far; None where the label is the vote's, and they are the panel's own."""
        return VoteMistakes.of(state[self.table.at[VOTE_MISTAKES]]) if self.label_by == "forecast" else None

    def relabelled(self, state: tuple, label_by: str, mistakes: int) -> tuple[Panel, tuple]:
        """Return the panel that predicts the other label, and its state; `mistakes` are those that were made with this one."""
        if label_by == self.label_by:
            return self, state
        other, vote = self.again(label_by=label_by), np.array([mistakes, mistakes, 1.0])
        names = other.table.kind._fields
        return other, other.table.kind(*(getattr(state, name, vote) for name in names))

    def silent(self) -> Panel:
        """The same without forecasts, for whoever asks for votes alone."""
        return self.again(forecast=False, weigh=self.weigh, calibrate=False, label_by="vote") if self.forecasts else self

    def listening(self, hear: Callable[[np.ndarray, np.ndarray], None]) -> Panel:
        """The same; of each block it plays `hear` takes all votes, a row for each round, and the labels that they elect."""
        table = self.table
        table.listen = hear
        kernels: Any = self.kernels
        return replace(self, algorithm=kernels._replace(play=table.play))

    @property
    def playing(self) -> Table:
        """The table that plays it."""
        kernels: Any = self.kernels
        return kernels.play.__self__

    def play_there(self, state: tuple, block: Any, predictions: np.ndarray, scores: np.ndarray | None) -> tuple:
        """Play rounds that workers hold: they play the members. The state in the end."""
        return self.playing.play_there(state, block, predictions, scores)

    def native_for(self, state: tuple) -> Any:
        return self.playing.native_for(state)

    def __repr__(self) -> str:
        """The usual members are too many to be told each time."""
        usual = self.settings["members"] == " ".join(MEMBERS)
        left = {"forecast", "weigh", "calibrate", "label_by", *(("members",) if usual else ())}
        shown = [f"{key}={value}" for key, value in self.settings.items() if value is not None and key not in left]
        asked = ("label_by=vote",) if self.forecasts and self.label_by == "vote" else ()
        return f"panel({', '.join([*shown, *asked, *(() if self.forecasts else ('forecast=False',))])})"

    @property
    def table(self) -> Table:
        assert self.rule is not None
        return Table(self.members, self.rule, self.blends, self.forecasts, self.weigh, self.calibrate, self.label_by == "forecast")

    def spare(self) -> list[bool]:
        return self.table.spare()

    def chosen(self, state: tuple, name: str | None = None) -> tuple[str, Learner, tuple]:
        """The named member, or the one with the largest weight (the first of them), with its own state; blends are no members."""
        known = self.names[: len(self.members)]
        if name is not None:
            require(name in known, f"member {name!r}: the members are {', '.join(known)}")
        k = known.index(name) if name is not None else int(np.argmax([seat.weight for seat in self.seats(state)[: len(known)]]))
        return self.names[k], self.members[k], self.table.state_of(k, state)

    def seats(self, state: tuple) -> tuple[Seat, ...]:
        """Who sits on it, with the mistakes and the weight of each in this state."""
        assert self.rule is not None and self.rule.weights is not None
        table = self.table
        weights = self.rule.weights(self.rule, table.rule_state(state))
        return tuple(map(Seat, self.names, map(int, table.accounts(state)[0]), map(float, weights)))


# --------------------------------------------------------------------------------------------------------------------- its theorems


def factor_of(rule: Rule) -> int:
    """2 where the rule's theorems bound its loss, 1 where they bound its mistakes, or it follows one member."""
    return 1 if rule.cost == "mistakes" or not rule.randomized else 2


@dataclass
class KnownOfPanel(KnownOfExperts):
    """What the members' votes say of the rule's theorems; `expert:m=5` declares that some member errs at most 5 times."""

    needed: str = "how often the best member errs at most"
    whole: bool = True
    named: str = ""  # the best member
    label: theory.ForecastLabel | None = None  # of a panel whose label is its forecast's

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        if self.label is not None and bound.name in LABEL_BOUNDS:
            yield from self.label.candidates(bound)
        elif set(bound.needs) <= set(self.facts):  # the run's own losses are compared with nobody
            yield None, self.facts if "m" in bound.needs else {**self.facts, "witness": ""}

    def too_much(self, m: Any) -> str:
        made = f"made {self.best:,} mistakes" if self.whole else f"made mistakes that weigh {float(self.best):g}"
        return f"the best member, {self.named}, {made}, more than the declared m={m}"


def known_of_members(run: Any) -> Known:
    learner: Panel = run.learner
    table = learner.table
    assert learner.rule is not None
    mistakes, loss = table.accounts(run.state)
    heeds = run.weighted and learner.weigh
    rule_state = table.rule_state(run.state)
    lost = rule_state.losses if heeds else None
    vote = learner.vote_of(run.state)
    c = (run.largest_weight if vote is None else vote.largest, run.largest_weight)
    return known_of(run, learner.rule, learner.names, mistakes, float(loss[0]), rule_state, c, lost)


def known_of(
    run: Any,
    rule: Rule,
    names: Sequence[str],
    mistakes: np.ndarray,
    loss: float,
    rule_state: Any,
    largest: tuple[float, float],
    lost: np.ndarray | None = None,
) -> Known:
    """What a panel's accounts say: the mistakes of each voter, the shares of wrong weight added up, the state of the rule, and the largest
    weight of a mistake of the vote and of the label; `lost` is what the mistakes of each voter weigh, where the rule heeds weights."""
    heeds, each = lost is not None, mistakes if lost is None else lost
    bounds, best = list(run.learner.bounds), int(np.argmin(each))
    m = Fraction(float(each[best])) if heeds else int(each[best])
    facts: dict[str, Any] = {"S": 0, **rule.settings, "n": len(mistakes), "T": run.rounds, "m": m}
    facts |= {"F": Fraction(loss), "slack": 0, "c": Fraction(largest[0]), "witness": f"{names[best]}, the best member"}
    facts["C"] = theory.unit_of(float(each.max()))  # where nobody errs nothing is lost, whatever the round weighs
    rule_run = SimpleNamespace(rule=rule, state=rule_state, rounds=run.rounds, loss=loss)
    own = rule.facts(rule_run) if rule.facts else {}
    facts |= {key: value for key, value in own.items() if key not in ("witness", "observed", "m", "T")}
    sharp = any("gaps" in bound.needs for bound in bounds)  # what the run measured is never more than what it might have been
    bounds = [bound for bound in bounds if not (sharp and bound.name.endswith("worst-case-hindsight"))]
    if run.weighted:
        bounds = [theory.in_weights(bound) if heeds else theory.weighed(bound) for bound in bounds]
    label = forecast_label(run, largest[1])
    if label is not None:
        bounds, facts["difference"] = [*map(theory.of_label, bounds), *label.bounds], label.difference
    counts: dict[str, Any] = {"whole": not heeds, "best": m, "named": names[best], "label": label}
    return KnownOfPanel("a panel", bounds, facts, run.weighted_mistakes, run.delayed, **counts)


def forecast_label(run: Any, largest: float) -> theory.ForecastLabel | None:
    """Return what a run says of labels by forecast; None where the label is the vote's. `largest` is the largest weight of a mistake."""
    vote = run.learner.vote_of(run.state)
    if vote is None:
        return None
    forecasts = run.learner.forecasts_of(run.state)
    if not run.weighted:
        return theory.ForecastLabel(run.mistakes - vote.mistakes, forecasts, None)
    difference = Fraction(run.weighted_mistakes) - Fraction(vote.weight)
    return theory.ForecastLabel(difference, forecasts, Fraction(largest))


# ----------------------------------------------------------------------------------------------------------------- making a panel

#: Who sits on the panel unless others are named.
MEMBERS = (
    "perceptron:bias=1",
    "balanced_winnow:eta=1/2:margin=1/10",
    "passive_aggressive:C=1/10:variant=II:bias=1",
    "arow:bias=1",
    "arow:r=10:bias=1",
    "arow_full:bias=1",
    "adaptive:eta=1:bias=1",
    "adaptive:eta=1/10:bias=1",
    "adaptive:eta=1/100:bias=1",
    "normalized:eta=2:bias=1",
    "normalized:eta=1/2:loss=squared:bias=1",
    "normalized:eta=1/10:loss=squared:bias=1",
    "naive_bayes:alpha=1/10",
    "naive_bayes:alpha=1",
    "pairs:bias=1",
    "coin:bias=1",
)


LABELS = ("forecast", "vote")  # what `label_by` can be

#: It is a learner of two classes, not of several.
TWO_CLASSES = True

WHEN = "any stream of two classes, when you do not know which learner is best on it"
SAMPLES: tuple[dict, ...] = (
    {"members": "perceptron:bias=1 arow adaptive:eta=1/10"},
    {"members": ("passive_aggressive", "balanced_winnow"), "rule": "weighted_majority", "blend": False},
)


def refuse_member(member: Any, name: str) -> None:
    """Who cannot sit on a panel: whoever is no learner of two classes, or may refuse to go on, or keeps another hypothesis."""
    require(isinstance(member, Learner), f"member {name!r}: expected a learner of two classes, such as perceptron:bias=1")
    require(
        member.broken is None and member.final is None,
        f"member {name!r}: {member.name} cannot sit on a panel: it refuses streams that contradict its class"
        if member.broken is not None
        else f"member {name!r}: its hypothesis is not its last one, and a panel hears what members predict",
    )


def chosen_label(label_by: Any, forecasts: bool, without: str) -> str:
    """Return whose label a panel predicts: as asked for, else the forecast's where it makes forecasts. `without` says why it makes none."""
    require(label_by in (None, *LABELS), f"label_by={label_by!r} must be {' or '.join(map(repr, LABELS))}")
    require(forecasts or label_by != "forecast", f"label_by='forecast': {without} makes a panel without forecasts; expected 'vote'")
    return label_by or LABELS[0 if forecasts else 1]


def sized(member: Any, n: int | None) -> Any:
    """A member for n features, where it needs to know and n is known."""
    return member.sized(n) if n is not None and isinstance(member, Learner) else member


def panel(
    members: str | Sequence[str | Learner] | None = None,
    *,
    n: int | None = None,
    rule: str | Rule = "adahedge",
    blend: bool = True,
    forecast: bool = True,
    weigh: bool | None = None,
    calibrate: bool | None = None,
    label_by: str | None = None,
) -> Panel:
    """A panel of these members, each `NAME:key=value...` or a learner; `rule` decides whom to trust.

    `blend=False` leaves out the blends, which learn from the members' scores. `forecast=False` leaves out the probabilities: the score of a
    row is then the share of the weight that says 1, from -1 to 1. `weigh` says whether blends and rule count a round as often as it weighs,
    as members do; unless told otherwise they do where there are forecasts: panels of before there were forecasts did not.
    `calibrate` says whether forecasts take members that give odds at their word, and put a stack right by bins; unless told otherwise they
    do: panels of before there were bins did not.
    `label_by` says whose label is predicted: "forecast", the likelier label (1 where both are as likely), or "vote", that of the weighted
    majority. Left out, it is the forecast's where there are forecasts.
    """
    chosen = (members if isinstance(members, str | None) else tuple(members), n, rule, blend, forecast, weigh, calibrate, label_by)
    plain = (str, int, bool, type(None))
    return (known_panel if all(type(part) in plain for part in chosen) else made_panel)(*chosen)


def made_panel(
    members: str | tuple[str | Learner, ...] | None,
    n: int | None,
    rule: str | Rule,
    blend: bool,
    forecast: bool,
    weigh: bool | None,
    calibrate: bool | None,
    label_by: str | None,
) -> Panel:
    """The panel of these settings."""
    asked, label_by = label_by, chosen_label(label_by, bool(forecast), "forecast=False")
    calibrate = bool(forecast) if calibrate is None else calibrate
    for name, value in (
        ("blend", blend),
        ("forecast", forecast),
        ("weigh", forecast if weigh is None else weigh),
        ("calibrate", calibrate),
    ):
        require(value in (True, False), f"{name}={value!r} must be true or false")
    blends = BLENDS if blend else ()
    chosen_members = MEMBERS if members is None else members.split() if isinstance(members, str) else members
    require(len(chosen_members) >= 1, "a panel needs at least one member")
    made = tuple(learners.named(member, n) if isinstance(member, str) else sized(member, n) for member in chosen_members)
    names = tuple(member if isinstance(member, str) else learners.text_of(member) for member in chosen_members)
    for member, name in zip(made, names, strict=True):
        refuse_member(member, name)
    chosen = experts.named(rule) if isinstance(rule, str) else rule
    require(isinstance(chosen, Rule) and not chosen.bandit, f"rule={rule!r}: expected a rule that sees every expert, such as adahedge")
    require(chosen.advice == "vote", f"rule={rule!r}: members vote; expected advice=vote")
    require(chosen.expectation is None, f"rule={rule!r}: {chosen.name} {theory.NO_RULE}; expected one such as adahedge")
    chosen = chosen.sized(len(made) + len(voices(blends)))
    require(chosen.weights is not None, f"rule={rule!r} has no weights")
    heeds = bool(forecast if weigh is None else weigh) and chosen.hears_weights
    calibrate = bool(calibrate and forecast)
    by_forecast = label_by == "forecast"
    table = Table(made, chosen, blends, bool(forecast), heeds, calibrate, by_forecast)
    written = rule if isinstance(rule, str) else experts.text_of(rule)
    called = (*names, *voices(blends))
    domain = next(domain for domain in ("boolean", "unit", "real") if domain in {member.domain for member in made})
    settings = {"members": " ".join(names), "n": n, "rule": written, "blend": bool(blend)}
    settings |= {"forecast": True} if forecast else {}  # files of before there were forecasts do not name it
    settings |= {"calibrate": True} if calibrate else {}  # nor those of before there were bins this
    settings |= {} if weigh is None or bool(weigh) == bool(forecast) else {"weigh": bool(weigh)}
    settings |= {"label_by": label_by} if by_forecast else {}  # files of before the label was the forecast's do not name it
    theorems = theory.bounds_of_rule(chosen.bounds, factor_of(chosen))

    def again(**changes: Any) -> Panel:
        same = {"n": n, "rule": rule, "blend": blend, "forecast": forecast, "weigh": weigh, "calibrate": calibrate, "label_by": asked}
        return panel(chosen_members, **(same | changes))

    needs_n = any(member.needs_n for member in made)
    unsized = any(member.needs_n and member.n is None for member in made)
    accounts = (*ACCOUNTS, *((VOTE_MISTAKES,) if by_forecast else ()), *(FORECASTS if forecast else ()))
    return Panel(
        name="panel",
        settings=settings,
        params=(),
        state=Layout(
            {name: Column(size=None, account=True) for name in accounts},
            lambda room: table.init(room),  # of this file, which tells the story
            table.sound,
            room=table.room,
        ),
        algorithm=Kernels(table.predict, table.update, table.play, table.score),
        n=n if not needs_n else None if unsized else next(member.n for member in made if member.needs_n),
        with_n=(lambda size: again(n=size)) if needs_n else None,
        again=again,
        family=replace(theory.FAMILY.chosen(settings), domain=domain, theorems=theorems),
        parts=partial(table.parts, called),
        members=made,
        names=called,
        rule=chosen,
        blends=blends,
        weigh=heeds,
        calibrate=calibrate,
        label_by=label_by,
        label_chosen=asked is not None,
    )


#: The same, made once: a panel never changes, and to make one takes as long as a hundred events.
known_panel = lru_cache(16, typed=True)(made_panel)
