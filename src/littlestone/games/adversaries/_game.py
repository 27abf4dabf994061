"""What an adversary is, and a game against it.

An adversary chooses instances and labels.  It sees a learner only through `predict`, and the labels it gives agree with some concept of
its class, which it hands over as witness when asked.  Its `rounds` read like the proof of a lower bound: ask, and say the opposite.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from littlestone.concepts import ConceptClass
from littlestone.errors import LittlestoneError, require
from littlestone.protocol.players import Instance, Player, player


class Adversary(ABC):
    """One lower bound, as someone to play against. Subclasses are frozen dataclasses; their fields are the settings."""

    #: Whom its number is proved for, in words: "every deterministic learner".
    against: ClassVar[str] = "every deterministic learner"
    #: Where the lower bound is from.
    source: ClassVar[str] = ""
    #: Does it play to an end, if nobody stops it?
    ends: ClassVar[bool] = True
    #: "features": an instance is {feature: value}; "votes": the row of the experts' votes.
    gives: ClassVar[str] = "features"
    #: Are its rounds the user's own, that answer to nobody? Learners are then made as for any stream.
    own: ClassVar[bool] = False

    #: The finite class its labels are from, for learners that must be told one: a field or a property, where there is one. It has no
    #: value here, for that would be the default of a field; ask with `class_of`.
    concepts: ConceptClass | None
    n: int  # the number of features, or of experts: what a learner may have to know beforehand (a field, or a property)

    @property
    @abstractmethod
    def forces(self) -> int | None:
        """The mistakes it forces of whoever it is `against`; None where there is no end of them, or no number is proved."""

    @abstractmethod
    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        """Instance and label of one round after the other; the learner has been told all those before."""

    @abstractmethod
    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Any:
        """A concept of its class that gives every label of this stream, which it made: callable on instances, with `.assume`, the text
        that `run.bounds` takes, and `.witness`, the target as `ls.play(..., witness=...)` takes it. For votes: the best expert."""

    def excuse(self, learner: Player) -> str:
        """Why the number is not proved for this learner; "" where it is."""
        if learner.learner is not None and (self.gives == "votes") != hasattr(learner.learner, "advice"):
            raise LittlestoneError(f"{self.name} gives {self.gives}; {learner.name} takes something else")
        return "its predictions are drawn at random" if getattr(learner.learner, "randomized", False) else ""

    @property
    def name(self) -> str:
        """The function of `littlestone.games.adversaries` that makes it."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def settings(self) -> Mapping[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.settings.items() if value is not None)})"


def class_of(adversary: Adversary) -> ConceptClass | None:
    """The finite class an adversary's labels are from; None where there is none, or it is too large."""
    return getattr(adversary, "concepts", None)


class GameRound(NamedTuple):
    """One round: what was shown, what was predicted, what was right."""

    x: Instance
    predicted: bool
    y: bool

    @property
    def mistake(self) -> bool:
        return self.predicted != self.y


@dataclass(frozen=True)
class Game:
    """A learner against an adversary, from the first round to the last."""

    adversary: Adversary
    player: Player  # as it stands at the end
    rounds: tuple[GameRound, ...]
    complete: bool  # did the adversary play to its end?
    excuse: str  # why its number is not proved for this learner

    @property
    def mistakes(self) -> int:
        return sum(played.mistake for played in self.rounds)

    @property
    def stream(self) -> list[tuple[Instance, bool]]:
        return [(played.x, played.y) for played in self.rounds]

    @property
    def witness(self) -> Any:
        """A concept of the adversary's class that gave every label."""
        return self.adversary.witness(self.stream)

    @property
    def lower_bound(self) -> int | None:
        """What the adversary promised: None where its number is not proved for this learner, or it was stopped before its end."""
        return self.adversary.forces if self.complete and not self.excuse else None


class Asked(Player):
    """A learner as an adversary sees it, with a memory for what was answered in this round: proofs say the opposite of an answer, and so
    need one answer to each question."""

    def __init__(self, inner: Player) -> None:
        self.inner, self.name, self.learner = inner, inner.name, inner.learner
        self.heard: dict[Hashable, bool] = {}
        self.excuse = ""

    def predict(self, x: Instance) -> bool:
        return self._noted([x], [self.inner.predict(x)])[0]

    def answers(self, xs: Sequence[Instance]) -> list[bool]:
        return self._noted(xs, self.inner.answers(xs))

    def _noted(self, xs: Sequence[Instance], answers: list[bool]) -> list[bool]:
        for x, y in zip(xs, answers, strict=True):
            question = frozenset(x.items()) if isinstance(x, Mapping) else tuple(x)
            if self.heard.setdefault(question, y) != y:
                self.excuse = "it answered the same question in two ways"
        return answers

    def update(self, x: Instance, y: bool) -> None:
        self.inner.update(x, y)

    def copy(self) -> Player:
        return self.inner.copy()

    def same(self, other: Player) -> bool | None:
        return self.inner.same(other)


def meet(
    learner: Any, adversary: Adversary, *, rounds: int | None = None, watch: Callable[[int, GameRound, Player], None] | None = None
) -> Game:
    """Play to the adversary's end, or so many rounds. `watch` is told each round, counted from 1, with the learner after it.

    >>> import littlestone as ls
    >>> game = meet(ls.disjunctions(), ls.adversaries.unit_vectors(5))
    >>> game.mistakes, game.lower_bound, game.witness
    (5, 5, 0)
    """
    require(rounds is None or rounds >= 1, f"rounds={rounds!r} must be a positive number of rounds")
    require(adversary.ends or rounds is not None, f"{adversary!r} never ends: expected a number of rounds")
    plays = player(learner, adversary.n)
    excuse = adversary.excuse(plays)
    played: list[GameRound] = []
    asked = Asked(plays)
    source = adversary.rounds(asked)
    for x, y in islice(source, rounds):
        played.append(GameRound(x, asked.predict(x), bool(y)))
        asked.heard.clear()
        try:
            plays.update(x, bool(y))
        except LittlestoneError as refusal:  # a learner of another class, most likely: say which concept gave the labels
            target = adversary.witness([(a.x, a.y) for a in played])
            raise LittlestoneError(f"{plays.name} against {adversary!r}: {refusal}; the labels are those of {target}") from None
        if watch is not None:
            watch(len(played), played[-1], plays)
    complete = rounds is None or len(played) < rounds or next(source, None) is None
    return Game(adversary, plays, tuple(played), complete, excuse or asked.excuse)
