"""A panel, as the definition reads: members who vote, blends that learn from the members' scores and vote too, and a rule over the votes.

Members and blends learn from every label, as they would alone.  Beside them a forecaster (reference/forecast.py) makes a probability of the
members' scores.  With `label_by="forecast"` 1 is predicted where that probability is at least one half; else where the rule's share of
weight for 1 is.  Where the rule heeds weights, a round of
weight c costs every voter that errs c, and teaches the blends c times; forecasts are of rounds, each counted once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import Parameter, signature
from itertools import repeat
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.reference.blend import BLENDS, Blends, voices
from littlestone.reference.catalogue import definition_named
from littlestone.reference.forecast import Forecaster
from littlestone.reference.replay import played
from littlestone.reference.seated import SeatedStudent
from littlestone.reference.student import Student
from littlestone.theory import families
from littlestone.theory.families import Family
from littlestone.theory.panel import heeds_weights

NEAR = 1e-6  # of a tie: scores of blends this small had the other sign in some runs of earlier releases, by rounding
CLOSE = 1e-9  # shares that lie nearer to one half may fall on either side


def panel(
    rounds: Iterable[tuple[Mapping, bool | None]],
    *,
    members: str,
    rule: str,
    blend: bool,
    n: int | None = None,
    forecast: bool = False,
    weigh: bool | None = None,
    calibrate: bool = False,
    label_by: str = "vote",
    weights=None,
    book=None,
) -> Iterator[bool]:
    """The weighted majority of the members and the blends, or the likelier label of the forecast.

    A `book` hears the forecast, or else the share, from -1 to 1.

    >>> rounds = [({0: 1}, False), ({1: 1}, True), ({0: 1}, False), ({1: 1}, True)]
    >>> list(panel(rounds, members="perceptron arow", rule="adahedge", blend=False))
    [True, True, False, True]
    """
    family = family_of(rule, len(members.split()) + (len(voices(BLENDS)) if blend else 0))
    heeds = heeds_weights(family.name, {"forecast": forecast} | ({} if weigh is None else {"weigh": weigh}))
    voters = Voters([family_of(text, n) for text in members.split()], blend=blend, forecast=forecast, weigh=heeds, calibrate=calibrate)
    ruler = Student(partial(played, family))
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1.0), strict=False)):
        scores = voters.play(x, y, c)
        heard = y if c > 0 else None  # what weighs nothing teaches nothing
        share = ruler.play([float(score >= 0) for score in scores], None if heard is None else int(heard), c if heeds else 1.0)
        odds = voters.odds
        near, label = abs(share - 0.5) < CLOSE, share >= 0.5
        if label_by == "forecast" and odds is not None:
            near, label = False, odds >= 0  # the odds are the run's bit by bit
        if book is not None:
            book.hear(2 * share - 1 if odds is None else odds)
            book.close = near
            if book.hangs is None and heard is not None and voters.near:
                book.hangs = t
        yield label
        voters.learn(heard, c)


def rule_of_panel(members: str, rule: str, blend: bool, n: int | None = None, **choices: Any) -> Any:
    """The family of a panel's rule, made for as many experts as there are members and blends."""
    return family_of(rule, len(members.split()) + (len(voices(BLENDS)) if blend else 0))


class Members:
    """The members of a panel at play."""

    def __init__(self, families: Sequence[Family]) -> None:
        self.seats = [(SeatedStudent(partial(played, family)), family.weighted) for family in families]

    def scores(self, x: Any, y: bool | None, weight: float) -> list[float]:
        """Of a row. They learn its label when they are asked again; to members that honour no weights a round that weighs nothing is one
        without a label."""
        scores = []
        for seat, weighted in self.seats:
            vote = seat.play(x, y, weight) if weighted else seat.play(x, y if weight > 0 else None)
            scores.append(seat.score(vote))
        return scores


class Voters:
    """The members of a panel at play, its blends and its forecaster."""

    def __init__(
        self, members: Sequence[Family], *, blend: bool, forecast: bool = False, weigh: bool = False, calibrate: bool = False
    ) -> None:
        self.weigh = weigh  # do the blends hear the weights of rounds? The forecaster never does
        self.members = Members(members)
        self.blends = Blends(len(members), BLENDS if blend else ()) if blend or forecast else None
        givers = [family.odds for family in members] if calibrate else None
        self.forecaster = Forecaster(len(members), sum(b.logistic for b in BLENDS) if blend else 0, givers) if forecast else None
        self.odds: float | None = None  # of the last row, where there is a forecaster
        self.near = False  # is a blend so near to a tie that its vote hangs on rounding?

    def play(self, x: Any, y: bool | None, weight: float) -> list[float]:
        """The scores of the members and the blends. The members learn the label when they are asked again, the blends by `learn`."""
        scores = self.members.scores(x, y, weight)
        if self.blends is not None:
            blended = self.blends.scores(scores)
            if self.forecaster is not None:
                self.odds = self.forecaster.odds(scores, self.blends.sizes.mild, self.blends.odds())
            if self.blends.minds:
                self.near = any(0 < abs(score) < NEAR for score in blended)
                scores += blended
        return scores

    def learn(self, y: bool | None, weight: float = 1.0) -> None:
        if y is not None and self.blends is not None:
            self.blends.learn(y, weight if self.weigh else 1.0)
        if y is not None and self.forecaster is not None:
            self.forecaster.learn(y)


def playable(members: str, rule: str, blend: bool, n: int | None = None, **choices: Any) -> bool:
    """Do the settings of a panel tell enough to play it again? Not where members are a user's own."""
    try:
        for text in (*members.split(), rule):
            family_of(text, n)
    except LittlestoneError:
        return False
    return True


def family_of(text: str, n: int | None = None) -> Family:
    """The family that NAME:key=value names; settings that are not written are those of the definition."""
    name, *parts = [part for part in re.split("[:,]", text) if part] or [""]
    family, twin = families.family(name), definition_named(name)
    require(twin is not None, f"{name} has no definition here")
    written = dict(part.partition("=")[::2] for part in parts)
    taken = signature(twin).parameters  # type: ignore[arg-type]
    strange = set(written) - set(family.settings)
    if not set(family.settings) - {"n", "advice", "seed"} <= set(written):  # what is not written may follow from a setting such as these
        strange |= set(written) - {*taken, "n", "advice", "seed"}
    require(not strange, f"{text}: its definition takes no {min(strange, default='')}")
    unused: dict[str, Any] = {
        key: False if setting.kind == "flag" else None for key, setting in family.settings.items() if key not in taken
    }
    values = {key: unused[key] for key in unused if family.settings[key].optional or family.settings[key].kind == "flag"}
    values |= {key: taken[key].default for key in taken if taken[key].default is not Parameter.empty}
    values |= {"n": n, "advice": "vote", "seed": 0}
    values |= {key: family.settings[key].parsed(value, key) for key, value in written.items()}
    require(set(family.settings) <= set(values), f"{text}: it does not tell all settings")
    return family.chosen({key: values[key] for key in family.settings})
