"""A panel played again: its members, its blends and its forecaster, each in a process of its own where there are several.

The members do not hear one another, so that they can be shared out; the blends hear the members' scores, and the forecaster both.
"""

from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError
from littlestone.reference.blend import BLENDS, Blends
from littlestone.reference.forecast import Forecaster
from littlestone.reference.panel import NEAR, Members
from littlestone.reference.replay import ToldReplay
from littlestone.rounds.digest import Round
from littlestone.theory import families
from littlestone.verifier.processes import Place, ProcessEnded, Processes, Recipe, cores

BATCH = 256  # rounds that are handed on together
AHEAD = 128  # batches, at most, whose answers are waited for: this process may be so far ahead
PER_ROUND = 0.001  # seconds of one core for a round of the default panel, where rows have some twenty features
SHARED = 4  # cores that are of use: the blends, one after the other, take a fourth of the time

Played = tuple[Mapping[str, float], bool | None, float]  # a row as members hear it: features, label, weight


def seconds_of_replay(rounds: int) -> float:
    """About how long a panel takes to be played again on this machine.

    >>> seconds_of_replay(1_000_000) >= 250
    True
    """
    return rounds * PER_ROUND / min(cores(), SHARED)


def heard(y: bool | None, c: float) -> bool | None:
    """The label as blends and rule hear it: what weighs nothing teaches nothing."""
    return y if c > 0 else None


class MembersPart:
    """Some of the members. Of one of them, `whom`, the predictions are told as well, and whether they hang on rounding."""

    def __init__(self, stated: Sequence[tuple[str, Mapping[str, Any]]], whom: int | None) -> None:
        self.members = Members([families.family(name).stated(settings) for name, settings in stated])
        self.seat = None if whom is None else self.members.seats[whom][0]

    def take(self, batch: Sequence[Played]) -> tuple[list[list[float]], list[tuple[Any, bool]]]:
        scores: list[list[float]] = []
        votes: list[tuple[Any, bool]] = []
        for row in batch:
            scores.append(self.members.scores(*row))
            if self.seat is not None:
                votes.append((self.seat.vote, self.seat.book.close))
        return scores, votes

    def end(self) -> Any:
        """What that member wrote down."""
        if self.seat is None:
            return None
        self.seat.close()
        return self.seat.book


class BlendsPart:
    """The blends, or, of a panel without any, what is typical of its members' scores alone."""

    def __init__(self, members: int, blend: bool, weigh: bool) -> None:
        self.blends, self.weigh = Blends(members, BLENDS if blend else ()), weigh

    def take(self, batch: Sequence[tuple[Sequence[float], bool | None, float]]) -> list[tuple]:
        answers = []
        for scores, y, c in batch:
            blended = self.blends.scores(scores)
            answers.append((blended if self.blends.minds else [], self.blends.sizes.mild, self.blends.odds()))
            if y is not None:
                self.blends.learn(y, c if self.weigh else 1.0)
        return answers

    def end(self) -> None:
        """All has been told."""


class ForecasterPart:
    def __init__(self, members: int, blend: bool, givers: Sequence[bool] | None) -> None:
        self.forecaster = Forecaster(members, sum(b.logistic for b in BLENDS) if blend else 0, givers)

    def take(self, batch: Sequence[tuple]) -> list[float]:
        answers = []
        for scores, mild, odds, y in batch:
            answers.append(self.forecaster.odds(scores, mild, odds))
            if y is not None:
                self.forecaster.learn(y)
        return answers

    def end(self) -> tuple:
        return self.forecaster.mixture, self.forecaster.bins


class BatchAsked(NamedTuple):
    """A batch of rounds, and the answers that will come."""

    first: int
    rows: list[Played]
    members: list[Future]
    blends: Future | None
    forecaster: Future | None


class PanelReplay:
    """The members' definitions played again, and, where all members have one, the blends; and the rows that each got wrong.

    Within 10⁻⁶ of a tie either vote of a blend is its own, as the certificate has it.

    `best` hears what the member of that number predicts, and `progress` how many rounds have been played. The forecast is the run's bit by
    bit, so that its label needs no word of the certificate.
    """

    def __init__(
        self,
        members: Sequence[Mapping[str, Any]],
        processes: Processes,
        *,
        best: tuple[int, ToldReplay] | None = None,
        forecast: bool = False,
        weigh: bool = False,
        calibrate: bool = False,
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        known = [k for k, member in enumerate(members) if member["alone"] and families.known(member["name"])]
        alone = sum(member["alone"] for member in members)
        blend = alone < len(members) and len(known) == alone
        self.seats = [*known, *(range(alone, len(members)) if blend else ())]
        self.aside = tuple(member["text"] for k, member in enumerate(members) if k not in self.seats)
        self.best = None if best is None else best[1]
        groups = max(1, min(processes.most, len(known)))
        self.order = [known[g::groups] for g in range(groups)]  # whose scores each group tells
        recipes: list[Recipe] = []
        for group in self.order:
            whom = group.index(best[0]) if best is not None and best[0] in group else None
            recipes.append((MembersPart, ([(members[k]["name"], members[k]["settings"]) for k in group], whom)))
        forecast = forecast and len(known) == alone
        if blend or forecast:
            recipes.append((BlendsPart, (len(known), blend, weigh)))
        if forecast:
            givers = [families.family(members[k]["name"]).odds for k in known] if calibrate else None
            recipes.append((ForecasterPart, (len(known), blend, givers)))
        places = list(processes.places(recipes))
        self.forecaster: Place | None = places.pop() if forecast else None
        self.blends: Place | None = places.pop() if blend or forecast else None
        self.groups = places
        self.mixture: Any = None  # what was forecast, and by which bins, at the end
        self.bins: Any = None
        self.label_wrong = array("q")  # the rows that the label of the forecast gets wrong
        self.stated = [frozenset(members[k]["mistakes"]) if k >= alone else None for k in self.seats]
        self.wrong = [array("q") for _ in self.seats]
        self.fault: LittlestoneError | None = None
        self.batch: list[Played] = []
        self.first, self.done, self.progress = 0, 0, progress  # the first row of the batch; rounds whose answers have come, and who hears
        self.asked: deque[BatchAsked] = deque()

    def take(self, row: int, example: Round) -> None:
        if self.fault is not None:
            return
        if not self.batch:
            self.first = row
        self.batch.append((example.x, example.y, example.c))
        if len(self.batch) == BATCH:
            self._ask()
            while self.asked and (len(self.asked) > AHEAD or self._come(self.asked[0])):
                self._hear(self.asked.popleft())

    def end(self) -> None:
        """Wait for all answers."""
        if self.batch:
            self._ask()
        while self.asked:
            self._hear(self.asked.popleft())
        if self.fault is not None:
            return
        books = [group.end() for group in self.groups]
        if self.best is not None:
            self.best.book = next(book for book in books if book is not None)
        if self.forecaster is not None:
            self.mixture, self.bins = self.forecaster.end()

    def _ask(self) -> None:
        """Hand on the batch: to the members, and what they answer to those who hear them."""
        rows, self.batch = self.batch, []
        members = [group.ask(lambda: rows) for group in self.groups]
        blends = None if self.blends is None else self.blends.ask(lambda: self._to_blends(rows, members))
        last = None
        if self.forecaster is not None and blends is not None:
            last = self.forecaster.ask(partial(self._to_forecaster, rows, members, blends))
        self.asked.append(BatchAsked(self.first, rows, members, blends, last))

    def _scores(self, members: Sequence[Future]) -> list[list[float]]:
        """The members' scores of each row, in the members' order."""
        answers = [answer.result()[0] for answer in members]
        if len(answers) == 1:
            return answers[0]
        number = sum(map(len, self.order))
        scores = []
        for parts in zip(*answers, strict=True):
            row = [0.0] * number
            for g, part in enumerate(parts):
                row[g :: len(parts)] = part
            scores.append(row)
        return scores

    def _to_blends(self, rows: Sequence[Played], members: Sequence[Future]) -> list[tuple]:
        return [(scores, heard(y, c), c) for scores, (_, y, c) in zip(self._scores(members), rows, strict=True)]

    def _to_forecaster(self, rows: Sequence[Played], members: Sequence[Future], blends: Future) -> list[tuple]:
        blended = blends.result()
        return [
            (scores, mild, odds, heard(y, c))
            for scores, (_, mild, odds), (_, y, c) in zip(self._scores(members), blended, rows, strict=True)
        ]

    def _come(self, asked: BatchAsked) -> bool:
        """Are all answers there?"""
        return all(answer.done() for answer in (*asked.members, asked.blends, asked.forecaster) if answer is not None)

    def _hear(self, asked: BatchAsked) -> None:
        """The answers to a batch."""
        if self.fault is not None:
            return
        try:
            scores = self._scores(asked.members)
            blended = None if asked.blends is None else asked.blends.result()
            odds = None if asked.forecaster is None else asked.forecaster.result()
        except ProcessEnded:
            raise
        except LittlestoneError as error:
            self.fault = error
            if self.best is not None:
                self.best.fault = error
            return
        votes = next((predicted for answer in asked.members if (predicted := answer.result()[1])), None)
        for t, (_, y, c) in enumerate(asked.rows):
            row = asked.first + t
            if self.best is not None and votes is not None:
                self.best.count(row, y, *votes[t])
            if odds is not None and y is not None and (odds[t] >= 0) != y:
                self.label_wrong.append(row)
            if heard(y, c) is None:
                continue
            every = scores[t] if blended is None else [*scores[t], *blended[t][0]]
            for score, stated, wrong in zip(every, self.stated, self.wrong, strict=True):
                if row in stated if stated is not None and abs(score) < NEAR else (score >= 0) != y:
                    wrong.append(row)
        self.done += len(asked.rows)
        self.progress(self.done)
