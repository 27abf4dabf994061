"""What a method leaves, and what several of them do alike: teach a learner its mistakes, and watch how long its hypotheses survive."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import log
from typing import Any

from littlestone.errors import require
from littlestone.protocol.players import Player, player
from littlestone.theory import pac as theory

SURE = "with probability 1-δ"
MEAN = "in expectation"


@dataclass(frozen=True)
class Fitted:
    """A hypothesis, and what is promised of its error on fresh examples.

    `promise` has `epsilon`, `delta` and `kind`: err ≤ epsilon "with probability 1-δ" or "in expectation". Where the examples ran out it is
    what they were enough for; None where nothing can be promised, because the bound on the mistakes proved false.
    """

    hypothesis: Player
    examples: int  # drawn
    most: int | None  # how many the theorem allows
    mistakes: int
    tests: int  # hypotheses that were tried
    promise: dict[str, Any] | None
    reached: bool  # is the promise what was asked for?
    chosen: str  # which hypothesis it is
    why: str = ""  # why the promise was not reached
    played: int = 0  # examples that the learner predicted while it learned: mistakes/played is its rate
    taught: Sequence[int] = field(default=(), repr=False)  # which of the examples, counted from 0, the hypothesis was told
    last: Player | None = field(default=None, repr=False)  # the hypothesis after all these mistakes; that after B of them never errs


def promised(epsilon: float | Fraction, delta: float | Fraction | None, kind: str = SURE) -> dict[str, Any]:
    return {"epsilon": float(epsilon), "delta": None if delta is None else float(delta), "kind": kind}


def needed(bound: int | None, name: str) -> int:
    """The bound, of a method that cannot do without."""
    require(bound is not None, f"{name} needs bound=, the most mistakes the learner can make; controlled_testing and anytime need none")
    return theory.mistakes_allowed(bound)


class Trial:
    """A learner that draws examples, and is taught its mistakes only."""

    def __init__(self, learner: Any, examples: Any) -> None:
        self.player = player(learner, getattr(examples, "n", None))
        self.draw = examples
        self.drawn = 0
        self.right = 0  # in a row, of the hypothesis it has now
        self.taught: list[int] = []
        self._wrong: Any = None

    @property
    def mistakes(self) -> int:
        return len(self.taught)

    @property
    def number(self) -> int:
        """Of the hypothesis it has now, counted from 1."""
        return len(self.taught) + 1

    def passes(self) -> bool:
        """Draw an example: is the hypothesis right on it?"""
        x, y = self.draw()
        self.drawn += 1
        if self.player.predict(x) == y:
            self.right += 1
            return True
        self._wrong = (x, y)
        return False

    def learn(self) -> None:
        """From the example that it got wrong."""
        self.player.update(*self._wrong)
        self.taught.append(self.drawn - 1)
        self.right = 0

    def fitted(self, **parts: Any) -> Fitted:
        """The hypothesis it has now, and how it came by it; `parts` are what is promised, and what differs."""
        return Fitted(
            **{
                "hypothesis": self.player,
                "examples": self.drawn,
                "mistakes": self.mistakes,
                "tests": self.number,
                "reached": "why" not in parts,
                "played": self.drawn,
                "taught": self.taught,
                "last": self.player,
                **parts,
            }
        )

    def refuted(self, bound: int, most: int) -> Fitted:
        """After more mistakes than the bound allows: nothing that rests on it can be promised."""
        return self.fitted(most=most, promise=None, chosen="the last hypothesis", why=refutation(bound, self.mistakes))


@dataclass
class Survivor:
    """The hypothesis whose right predictions in a row say most of it: err ≤ 1 - chance^(1/length), but for its share of δ."""

    player: Player | None = None
    number: int = 0
    length: int = 0
    chance: Fraction = Fraction(1)
    worth: float = -1.0

    def see(self, trial: Trial, chance: Fraction) -> None:
        """A hypothesis that has come to its end; it is copied only if it is the best so far."""
        worth = trial.right / -log(chance)
        if worth > self.worth:
            self.player, self.number, self.length, self.chance, self.worth = trial.player.copy(), trial.number, trial.right, chance, worth

    def fitted(self, trial: Trial, **parts: Any) -> Fitted:
        """It, in the place of the trial's last hypothesis."""
        assert self.player is not None
        chosen = hypothesis_number(self.number, f"right on {self.length:,} examples in a row")
        return trial.fitted(**{"hypothesis": self.player, "chosen": chosen, "taught": trial.taught[: self.number - 1], **parts})

    def when_exhausted(self, trial: Trial, delta: Fraction, **parts: Any) -> Fitted:
        """What there is when examples run out: the survivor, and what may be said of it."""
        return self.fitted(trial, promise=promised(theory.error_after(self.length, self.chance), delta), **parts)


def hypothesis_number(number: int, what: str) -> str:
    """Which hypothesis it is, counted from 1, in words.

    >>> [hypothesis_number(k, "right") for k in (1, 2, 4)]
    ['the first hypothesis, right', 'hypothesis 2 (after 1 mistake), right', 'hypothesis 4 (after 3 mistakes), right']
    """
    if number == 1:
        return f"the first hypothesis, {what}"
    return f"hypothesis {number:,} (after {number - 1:,} mistake{'' if number == 2 else 's'}), {what}"


def erred(fitted: Fitted, errors: int, bound: int) -> Fitted:
    """The hypothesis after `bound` mistakes would be exact, and has erred: what rests on the bound is taken back."""
    return replace(fitted, promise=None, reached=False, why=refutation(bound, bound, errors))


def refutation(bound: int, mistakes: int, errors: int = 0, of: str = "examples") -> str:
    """How a bound is proved to be none: by more mistakes, or by errors of the hypothesis after as many as it allows.

    >>> refutation(3, 4)
    'the bound is refuted: 4 mistakes prove that at most 3 is no bound for these examples'
    >>> refutation(1, 1, 2, "rows")
    'the bound is refuted: 2 errors after 1 mistake prove that at most 1 is no bound for these rows'
    """
    made = f"{mistakes:,} mistake{'' if mistakes == 1 else 's'}"
    proof = f"{errors:,} error{'' if errors == 1 else 's'} after {made}" if mistakes <= bound else made
    singular = (errors if mistakes <= bound else mistakes) == 1
    return f"the bound is refuted: {proof} prove{'s' if singular else ''} that at most {bound:,} is no bound for these {of}"


def ran_out(drawn: int, needs: str) -> str:
    return f"the examples ran out after {drawn:,}: {needs}"
