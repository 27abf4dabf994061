"""A panel of several classes, as the definition reads: members who name a class, blends that learn from the members' scores, and AdaHedge.

A member of two classes plays one against the rest: a learner for each class, which hears of every round whether it is of that class, those
before the class first came among them; it names the class with the largest score.  The class with the largest share of the weight is
predicted, or with `label_by="forecast"` the one with the largest probability; the first that appeared where they tie.  Where the panel
heeds weights (`weigh`), a round of weight c costs every voter that errs c, and teaches blends and discriminant c times; forecasts are made
of blends that count each round once.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import repeat
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.reference.adahedge import adahedge
from littlestone.reference.class_blend import CLASS_BLENDS, ClassBlends
from littlestone.reference.class_discriminant import Discriminant
from littlestone.reference.class_forecast import ClassForecaster
from littlestone.reference.experts import Notes
from littlestone.reference.panel import CLOSE, NEAR, family_of
from littlestone.reference.replay import played
from littlestone.reference.seated import SeatedStudent
from littlestone.reference.student import Student
from littlestone.theory.class_panel import ALONE
from littlestone.theory.families import Family


def class_panel(
    rounds: Iterable[tuple[Mapping, Hashable]],
    *,
    members: str,
    blend: bool,
    n: int | None = None,
    discriminant: bool = False,
    logs: bool = False,
    weigh: bool = False,
    label_by: str = "vote",
    weights=None,
    book=None,
) -> Iterator[Hashable]:
    """The weighted plurality of the members and the blends, or the likeliest class of the forecast; None before any class was seen.

    >>> rounds = [({0: 1}, "a"), ({1: 1}, "b"), ({2: 1}, "c")] * 3
    >>> list(class_panel(rounds, members="perceptron arow", blend=False))
    [None, 'a', 'a', 'a', 'b', 'c', 'a', 'b', 'c']
    """
    how = {"blend": blend, "discriminant": discriminant, "logs": logs, "weigh": weigh}
    table = PlainTable([family_of(text, n) for text in members.split()], **how)
    by_forecast = label_by == "forecast"
    for (x, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        winner = table.play(x, y, c)
        if book is not None:
            book.close = not by_forecast and table.close
        yield table.likeliest if by_forecast else winner
        table.learn(y, c)


class PlainTable:
    """The members of a panel of several classes at play, its blends and its rule.

    The learners of a class that comes late hear of all earlier rounds when it does; where it is known how many classes will come, they are
    there from the first round on, and no round is kept.
    """

    def __init__(
        self,
        members: Sequence[Family],
        *,
        blend: bool,
        discriminant: bool = False,
        logs: bool = False,
        weigh: bool = False,
        classes: int | None = None,
    ) -> None:
        self.families, self.weigh = members, weigh
        self.classes: list[Hashable] = []
        self.seats: list[Any] = [
            seated(family) if family.name == ALONE else [seated(family) for _ in range(classes or 0)] for family in members
        ]
        self.past: list[tuple[Any, float]] | None = [] if classes is None else None  # rounds with a label
        self.discriminants = [Discriminant(on) for on, sits in ((False, discriminant), (True, logs)) if sits]
        heard = sum(family.name != ALONE for family in members) + len(self.discriminants)
        self.blends = ClassBlends(heard) if blend else None
        self.plain = self.blends  # whom the forecaster hears: blends to whom every round weighs 1
        self.forecaster = ClassForecaster() if blend else None
        self.number = len(members) + (len(CLASS_BLENDS) if blend else 0) + len(self.discriminants)
        self.notes = Notes()
        self.rule = Student(partial(adahedge, n=self.number, notes=self.notes))
        self.votes: list[Hashable] = []  # who named which class in the row asked about last
        self.near: list[bool] = []  # and whether that hangs on rounding
        self.close = False  # does the winner?
        self.row: Any = None

    def play(self, x: Any, y: Hashable, weight: float) -> Hashable:
        """The class of a row. The members learn its label when they are asked again; the blends and the rule by `learn`."""
        self.row, self.votes, self.near, heard = x, [], [], []
        for family, seat in zip(self.families, self.seats, strict=True):
            label = None if weight == 0 and not family.weighted else y  # to members that honour no weights
            if family.name == ALONE:
                self.votes.append(seat.play(x, label, weight))
                self.near.append(False)
                continue
            scores = [self._score(learner, x, label, c, family, weight) for c, learner in zip(self.classes, seat, strict=False)]
            for learner in seat[len(self.classes) :]:  # of classes that will come: this row is of none of them, unless it brings the first
                first = y is not None and y not in self.classes and learner is seat[len(self.classes)]
                self._score(learner, x, label, y if first else None, family, weight)
            heard.append(scores)
            self._vote(scores, 0.0)
        own = [discriminant.scores(x, len(self.classes)) for discriminant in self.discriminants]
        if self.blends is not None:
            heard += own
            blended = self.blends.scores(heard)
            for scores in blended:
                self._vote(scores, NEAR)
            if self.forecaster is not None and self.plain is not None:
                self.forecaster.chances(blended if self.plain is self.blends else self.plain.scores(heard))
        for scores in own:
            self._vote(scores, NEAR)
        self.rule.predict([0.0] * self.number)  # only to know the weights
        return self._elected(self.notes.weights)

    @property
    def likeliest(self) -> Hashable:
        """The class that the forecast gives the largest probability in the row asked about last; None before any class was seen."""
        code = None if self.forecaster is None else self.forecaster.likeliest
        return None if code is None else self.classes[code]

    def learn(self, y: Hashable, weight: float) -> None:
        """The label of the row asked about last."""
        if y is None:
            return
        if weight > 0:  # what weighs nothing teaches nothing
            code, heeded = self.classes.index(y) if y in self.classes else len(self.classes), weight if self.weigh else 1.0
            self.rule.play([float(vote != y) for vote in self.votes], 0, heeded)
            for discriminant in self.discriminants:
                discriminant.learn(self.row, code, heeded)
            if self.blends is not None and self.plain is not None and self.forecaster is not None:
                self.forecaster.learn(code, len(self.classes))
                if heeded != 1 and self.plain is self.blends:
                    self.plain = deepcopy(self.blends)
                self.blends.learn(code, heeded)
                if self.plain is not self.blends:
                    self.plain.learn(code)
        if y not in self.classes:
            self.classes.append(y)
            for blends in {id(blends): blends for blends in (self.blends, self.plain) if blends is not None}.values():
                blends.join()
            for family, seat in zip(self.families, self.seats, strict=True):
                if family.name != ALONE and self.past is not None:
                    seat.append(seated(family))
                    for t, (x, c) in enumerate((*self.past, (self.row, weight))):
                        self._hear(seat[-1], x, None if c == 0 and not family.weighted else t == len(self.past), family, c)
        if self.past is not None:
            self.past.append((self.row, weight))

    def _score(self, learner: SeatedStudent, x: Any, y: Hashable, c: Hashable, family: Family, weight: float) -> float:
        return learner.score(self._hear(learner, x, None if y is None else y == c, family, weight))

    def _hear(self, learner: SeatedStudent, x: Any, label: bool | None, family: Family, weight: float) -> Any:
        return learner.play(x, label, weight) if family.weighted else learner.play(x, label)

    def _vote(self, scores: Sequence[float], near: float) -> None:
        """The class with the largest score, the first of them."""
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        self.votes.append(None if best is None else self.classes[best])
        self.near.append(best is not None and any(0 < scores[best] - score < near for score in scores))

    def _elected(self, weights: Sequence[float]) -> Hashable:
        if not self.classes:
            return None
        total, shares = sum(weights), dict.fromkeys(self.classes, 0.0)
        for vote, weight in zip(self.votes, weights, strict=True):
            shares[vote] += weight
        winner = max(self.classes, key=shares.__getitem__)
        self.close = any(abs(shares[winner] - share) < CLOSE * total for c, share in shares.items() if c != winner)
        return winner


def seated(family: Family) -> SeatedStudent:
    return SeatedStudent(partial(played, family))


def playable(members: str, blend: bool, n: int | None = None, **choices: bool) -> bool:
    """Do the settings tell enough to play it again? Not where members are a user's own."""
    try:
        for text in members.split():
            family_of(text, n)
    except LittlestoneError:
        return False
    return True
