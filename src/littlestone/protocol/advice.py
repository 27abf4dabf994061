"""Learning from advice: each round n experts speak, the rule predicts, the truth is told.

A row holds what each expert says, NaN when it is asleep: votes (0 or 1), probabilities of a 1, or losses in [0, 1] given outright. What
expert i costs is |a_i - y|; a row of losses is a row of probabilities whose truth is 0, so one pass serves all three. When nobody is awake
there is nothing to go by: the share of a 1 is then 1/2, and the rule is charged for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import fsum, nextafter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.kernels import native
from littlestone.protocol.block import owned
from littlestone.protocol.family import OfFamily, chosen_rule
from littlestone.protocol.learner import copied, like
from littlestone.protocol.metrics import ClassMetrics, Metrics
from littlestone.protocol.recent import WINDOW, Lately, best_awake, span
from littlestone.protocol.run_claims import RESUMED, RunRecord
from littlestone.reference.replay import played as defined
from littlestone.theory import Bound, Claim
from littlestone.theory.claims import KnownOfExperts, match
from littlestone.theory.delay import Delay
from littlestone.theory.experts import slip
from littlestone.theory.families import RuleFamily
from littlestone.theory.numbers import fraction
from littlestone.theory.regrets import about, mean

if TYPE_CHECKING:
    from littlestone.protocol.advice_model import AdviceModel

KINDS = ("vote", "probability", "loss")
LARGEST_N = 10_000_000
ROUNDS = 2**14  # that are added up at a time
ASLEEP = "an expert slept, and this theorem is about experts who are always awake; see sleeping_adahedge"


@dataclass(frozen=True, eq=False)
class Advice:
    """Some rounds of advice: a row of experts each, and the truths as codes 1, 0, or -1 for a round without one.

    >>> advice = Advice.of([[0, 1, 1], [1, float("nan"), 0]], [1, 0])
    >>> advice.table.shape, advice.truth.tolist()
    ((2, 3), [1, 0])
    """

    table: np.ndarray
    truth: np.ndarray
    first_round: int = 0
    ids: Sequence[str | None] | None = None  # what its rounds are called, where they have such
    forecasts: np.ndarray | None = None  # what the experts forecast, where `table` has what they lose by it
    outcomes: np.ndarray | None = None  # what came true, where that is a number and not a label
    scale: float = 1.0  # what the losses of forecasts were divided by

    def __post_init__(self) -> None:
        sound = self.table.ndim == 2 and self.table.dtype == np.float32 and self.table.flags.c_contiguous
        if not sound or self.truth.dtype != np.int32 or self.truth.shape != self.table.shape[:1]:
            raise LittlestoneError(
                f"Advice takes a table float32 of rounds × experts and truths int32, one a round; got "
                f"{self.table.dtype}{self.table.shape}, {self.truth.dtype}{self.truth.shape}"
            )

    def __len__(self) -> int:
        return len(self.truth)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(owned(state))

    @classmethod
    def of(cls, table: Any, truth: Any, first_round: int = 0) -> Advice:
        """From anything numpy can read."""
        return cls(np.ascontiguousarray(table, np.float32), np.asarray(truth, np.int32), first_round)

    lines = None  # a table's rounds go by their numbers

    @property
    def labels(self) -> np.ndarray:
        """The truths, by the name that rounds of any kind have for them."""
        return self.truth

    @property
    def any_empty(self) -> bool:
        """Does nobody speak in some round?"""
        return bool(np.isnan(self.table).all(axis=1).any())

    def round(self, t: int) -> str:
        """Row t, for messages."""
        return f"round {self.first_round + t + 1}"

    def cut(self, start: int, stop: int) -> Advice:
        """The rounds from start to stop, sharing memory."""
        parts = (self.ids, self.forecasts, self.outcomes)
        rest: Any = [None if part is None else part[start:stop] for part in parts]
        return Advice(self.table[start:stop], self.truth[start:stop], self.first_round + start, rest[0], rest[1], rest[2], self.scale)

    def rows(self, numbers: np.ndarray) -> Advice:
        """These rounds of it, in this order."""
        forecasts, outcomes = (None if part is None else part[numbers] for part in (self.forecasts, self.outcomes))
        return Advice(self.table[numbers], self.truth[numbers], forecasts=forecasts, outcomes=outcomes, scale=self.scale)

    def pieces(self, size: int = 2**12) -> Iterable[Advice]:
        """The same in parts of that many rounds, sharing memory."""
        return (self.cut(start, min(start + size, len(self))) for start in range(0, len(self), size))

    def copy(self) -> Advice:
        """The same rounds in memory of their own."""
        arrays: dict[str, Any] = {name: value.copy() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, **arrays)

    def labelled(self, y: int) -> Advice:
        """The same rounds with this truth."""
        return replace(self, truth=np.full(len(self), y, np.int32))

    @classmethod
    def of_forecasts(cls, rule: Rule, forecasts: Any, outcomes: Any, scale: float | None = None) -> Advice:
        """Rounds of forecasts, NaN while asleep, and what came true, NaN where it is not known, for a rule that is told gradients."""
        forecasts, outcomes = np.ascontiguousarray(forecasts, np.float64), np.asarray(outcomes, np.float64)
        with np.errstate(over="ignore"):
            losses = rule.cost_of(forecasts, outcomes[:, None])
        for t, i in np.argwhere(np.isinf(losses))[:1].tolist():
            where, lost = f"round {t + 1}: forecast {forecasts[t, i]} of expert {i}", f"{rule.settings['loss']} loss"
            raise LittlestoneError(f"{where}, and what came true is {outcomes[t]}: expected a {lost} that a double holds")
        if scale is None:
            scale = float(np.nanmax(losses, initial=0.0)) or 1.0
        known = ~np.isnan(outcomes)
        with np.errstate(over="ignore"):  # the table says who is awake: a loss that single precision does not hold is one, too
            table = np.where(known[:, None] | np.isnan(forecasts), losses / scale, 0.0).astype(np.float32)
        return cls(table, np.where(known, 0, -1).astype(np.int32), 0, None, forecasts, outcomes, scale)

    @classmethod
    def joined(cls, advices: Sequence[Advice]) -> Advice:
        """One of all of them."""
        first = advices[0]
        more: dict[str, Any] = {
            name: np.concatenate([getattr(advice, name) for advice in advices])
            for name in ("forecasts", "outcomes")
            if getattr(first, name) is not None
        }
        tables, truths = [advice.table for advice in advices], [advice.truth for advice in advices]
        return cls(np.concatenate(tables), np.concatenate(truths), **more, scale=first.scale)


class OfLosses(NamedTuple):
    """Of a rule whose state is, every so many rounds, a function of what its experts have lost."""

    remake: Callable[[Any], None]  # remake(state): makes all else of a state anew from its losses
    period: int


@dataclass(frozen=True, eq=False)
class Rule(OfFamily):
    """Whom to trust today. Parameters and states are plain tuples of numbers and arrays, as a Learner's are.

    Rounds are played by a class of the native core, made of params and state, or by a function of a user's own:

    play(*params, *state, table, truth, mix, choices) -> rounds played, or None for all

    It overwrites the state, and fills `mix` with the weighted mean of the advice (the share of a 1; of a row of losses, the loss to
    expect). `choices`, unless it is empty, takes the expert that was followed or drawn. A round whose truth is -1 is predicted and changes
    nothing. It stops before a row it cannot take. z[0] of the state counts the rounds learnt, z[1] is 1 once an expert has slept.
    """

    kind = "advice"
    of_experts = True
    scored = True  # the share of a 1; of losses, the loss to expect
    needs_n = False  # a table says how many experts there are
    updates_on = "always"

    family: RuleFamily  # what is true of the rule whatever plays it
    settings: Mapping[str, Any]
    params: Any  # a named tuple of numbers
    init: Callable[[int], Any]  # the first state, for n experts
    with_n: Callable[[int], Rule]
    native: Any = None  # its class in the native core
    play: Callable[..., Any] | None = None  # a user's own function, where there is no such class
    hears_weights: bool = False  # may a round of votes weigh more than another? Then `play` takes weights last, where rounds have any
    randomized: bool = False  # is the prediction drawn, 1 with probability `mix`? Otherwise it is 1 where mix ≥ 1/2
    settle: Callable[..., tuple[bool, tuple]] | None = (
        None  # settle(rule, state, row, y): a round that doubles cannot decide, and the next state
    )
    weights: Callable[[Rule, Any], np.ndarray] | None = None  # the weights a state stands for, adding up to 1
    weights_in: Callable[[Rule, Any, np.ndarray], np.ndarray] | None = None  # the same in a round, where they depend on its advice
    facts: Callable[..., Mapping[str, Any]] | None = None  # facts(run): what its bounds need beyond n, T and the losses
    measured: Callable[[Any, float], Mapping[str, Any]] | None = (
        None  # measured(state, scale): of a rule by regret, what its prices are made of
    )
    sound: Callable[[Any, Any], None] | None = None  # sound(params, state): refuses, by name, a state that no run can have left
    expectation: Callable[..., np.ndarray] | None = None  # expectation(rule, advices): `mix` averaged over draws, where one run is one draw
    of_losses: OfLosses | None = None  # where its state is a function of what its experts have lost

    def __post_init__(self) -> None:
        require((self.native is None) != (self.play is None), f"{self.family.name}: expected a class of the native core, or play=")
        object.__setattr__(self, "family", chosen_rule(self.family, self.settings, self.code))
        require(self.n is None or 1 <= self.n <= LARGEST_N, f"n={self.n!r} must be a positive number of experts, at most {LARGEST_N}")
        if "seed" in self.family.settings:
            self.family.settings["seed"].take(self.seed, "seed")

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def n(self) -> int | None:
        return self.settings["n"]

    @property
    def advice(self) -> str:
        return self.settings["advice"]

    @property
    def seed(self) -> int:
        return self.settings.get("seed", 0)

    @property
    def takes(self) -> tuple[str, ...]:
        return self.family.takes

    @property
    def cost(self) -> str:
        """What its theorems bound: its loss, or its mistakes."""
        return self.family.cost

    @property
    def sleeps(self) -> bool:
        """Do its theorems allow experts that sleep?"""
        return self.family.sleeps

    @property
    def bandit(self) -> bool:
        """Does it see only the loss of the expert it chose?"""
        return self.family.bandit

    @property
    def gradient(self) -> bool:
        """Is it told forecasts and what came true, and learns from the slope of a loss?"""
        return self.settings.get("loss") is not None

    def cost_of(self, forecasts: Any, outcomes: Any) -> Any:
        """What forecasts lose, of a rule that is told gradients."""
        d, q = forecasts - outcomes, float(self.settings.get("quantile") or 0)
        loss = self.settings["loss"]
        return d * d if loss == "squared" else np.maximum(-q * d, (1 - q) * d) if loss == "pinball" else np.abs(d)

    def lost_by(self, own: np.ndarray, outcomes: np.ndarray, scale: float) -> np.ndarray:
        """What its own forecasts lose, as a run counts it: divided by `scale`, and nothing where there is none."""
        lost = np.minimum(self.cost_of(own, outcomes) / scale, 1.0)
        return np.where(np.isnan(lost), 0.0, lost)

    def plain_loss(self, advice: Advice, own: np.ndarray) -> np.ndarray:
        """What the plain average of those awake loses in rounds of losses; `own`, what the rule does, where nobody is."""
        advised: Any = advice.forecasts if self.gradient else advice.table
        outcomes: Any = advice.outcomes
        awake = ~np.isnan(advised)
        count = awake.sum(axis=1)
        mean = np.where(awake, advised, 0.0).sum(axis=1, dtype=float) / np.maximum(1, count)
        return np.where(count > 0, self.lost_by(mean, outcomes, advice.scale) if self.gradient else mean, own)

    def twin(self, rounds: Iterable) -> Iterator[Any]:
        """Its reference definition, with these settings."""
        return defined(self.family, rounds)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.settings.items() if v is not None)})"

    @property
    def coin(self) -> int:
        """The seed of the coin that turns a share into a prediction; 0 where none is tossed. It is not the one that draws experts."""
        tossed = self.randomized or (self.expectation is not None and self.advice == "probability")
        return (self.seed + 1) * 0x9E3779B97F4A7C15 % 2**63 if tossed else 0

    @property
    def code(self) -> Callable[..., Any]:
        """A function of its own: the file in which it stands is the rule's."""
        return getattr(self.with_n, "func", self.with_n) if self.play is None else self.play

    def sized(self, n: int) -> Rule:
        """This rule for n experts."""
        if self.n is None:
            return self.with_n(n)
        require(n == self.n, f"the advice has {n} experts, and {self.name} was made for n={self.n}")
        return self

    def play_block(
        self,
        state: Any,
        table: np.ndarray,
        truth: np.ndarray,
        mix: np.ndarray,
        choices: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> int:
        """Play rounds, overwriting a state; return how many, up to one that it cannot take. Weights are for rules that hear them."""
        if self.native is not None:
            return self.native(*self.params, *state).play(table, np.ascontiguousarray(truth), mix, choices, weights)
        assert self.play is not None
        more = () if weights is None or not self.hears_weights else (weights,)
        with np.errstate(all="ignore"):  # compiled or not, it divides by zero and wraps without a word
            played = self.play(*self.params, *state, table, truth, mix, choices, *more)
        return len(truth) if played is None else played

    def first_state(self) -> Any:
        if self.n is None:
            raise LittlestoneError(f"{self.name} needs n, the number of experts")
        return self.init(self.n)

    def start(self, state: tuple | None = None) -> AdviceModel:
        """A model that takes one round at a time."""
        return above("AdviceModel")(self, state)

    def alike(self, a: tuple, b: tuple) -> bool:
        """Are two states equal bit for bit?"""
        return len(a) == len(b) and all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def weights_awake(rule: Rule, state: Any, row: np.ndarray) -> np.ndarray:
    """Return the weights of the experts that are awake in a row of advice (not NaN), adding up to 1; 0 for the others."""
    assert rule.weights is not None
    weights = np.where(np.isnan(row), 0.0, rule.weights(rule, state)) if rule.weights_in is None else rule.weights_in(rule, state, row)
    return weights / weights.sum() if weights.sum() > 0 else weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AdviceRun(RunRecord):
    """What a run over advice leaves. `mistakes` counts wrong predictions; of a randomised rule, those of one draw, by its seed."""

    rule: Rule
    mix: Any  # each round's weighted mean of the advice
    truth: Any
    predictions: Any  # booleans; None when the advice is losses
    followed: Any  # the expert followed each round, where the run wrote it down
    slept: bool  # was an expert ever asleep?
    counted: Any = None  # each expert's losses, where they were counted while the run went
    scale: float = 1.0  # of a rule that is told forecasts, what their losses are divided by

    def __repr__(self) -> str:
        cost = f"{self.mistakes:,} mistakes" if self.predictions is not None else f"loss {self.loss:.6g}"
        return f"<{self.rule!r}: {cost} in {self.rounds:,} rounds>"

    @property
    def learner(self) -> Rule:
        return self.rule

    def _ended(self) -> AdviceModel:
        return self.rule.start(self.state)

    @property
    def rounds(self) -> int:
        return int((self.truth >= 0).sum())

    @property
    def unlabelled(self) -> int:
        return len(self.truth) - self.rounds

    @cached_property
    def loss(self) -> float:
        """The share of the weight that was wrong, added up over the rounds: of a randomised rule, what it loses in expectation."""
        return self._lost(self.mix)

    def _lost(self, mix: np.ndarray) -> float:
        """What these shares lose, added up exactly: some rounds at a time, since a number of Python's is large."""
        parts = (slice(start, start + ROUNDS) for start in range(0, len(mix), ROUNDS))
        return fsum(chain.from_iterable(np.abs(mix[part] - self.truth[part])[self.truth[part] >= 0].tolist() for part in parts))

    @cached_property
    def expected_loss(self) -> float:
        """The loss to expect over the rule's coin, not sampled: the sum of the wrong fractions. Without a coin, the loss.

        Of a bandit, whose weights depend on what it chose, it is what each round was to be expected to cost, given the choices before it.
        Where truths came late, one run stays one draw.
        """
        if self.rule.expectation is None or self.order is not None:
            return self.loss
        return self._lost(self.rule.expectation(self.rule, self._again()))

    @cached_property
    def losses(self) -> np.ndarray:
        """Each expert's loss, over the rounds it was awake."""
        if self.counted is not None:
            return self.counted
        losses = np.zeros(self.rule.n or 0)
        for advice in self._again():
            native.core.count_losses(losses, advice.table, np.ascontiguousarray(advice.truth))
        return losses

    @property
    def mistakes(self) -> int:
        return self._wrong(self.predictions)

    @property
    def expected_mistakes(self) -> float:
        """The mistakes to expect over the rule's coin, not sampled: the sum of the wrong fractions. Without a coin, the mistakes."""
        self._wrong(self.predictions)
        coin = self.rule.randomized or self.rule.expectation is not None
        return self.expected_loss if coin else float(self.mistakes)

    @property
    def majority_mistakes(self) -> int:
        """Mistakes of the deterministic reading: predict 1 where the weighted mean is at least 1/2. At most twice the loss."""
        return self._wrong(None if self.predictions is None else self.mix >= 0.5)

    def _wrong(self, predictions: Any) -> int:
        require(predictions is not None, "the advice is losses: there are no mistakes to count; see run.loss")
        return int(((predictions != (self.truth == 1)) & (self.truth >= 0)).sum())

    @property
    def cost(self) -> int | float:
        """What the rule's theorems bound: its mistakes, or its loss."""
        if self.rule.cost == "mistakes":
            return self.mistakes
        whole = self.rule.advice == "vote" and not self.rule.randomized and self.rule.expectation is None
        return round(self.loss) if whole else self.expected_loss  # one expert's votes are right or wrong

    @property
    def realised(self) -> int | float:
        """What one draw of the coin cost: mistakes, or the loss of the experts drawn."""
        return self.chosen_loss if self.rule.bandit or self.rule.advice == "loss" else self.mistakes

    @cached_property
    def choices(self) -> np.ndarray:
        """The expert followed or drawn each round, of losses and bandits. A rule that sees every loss draws them in a second look."""
        if self.followed is not None:
            return self.followed
        require(self.rule.advice == "loss", f"{self.rule.name} weighs {self.rule.advice}s; it follows no single expert")
        runner = AdviceRunner(self.rule, self.rule.n or 0, counting=False, naming=True)
        return np.concatenate([np.empty(0, np.int32), *(runner.take(advice)[1] for advice in self._again())])

    @cached_property
    def chosen_loss(self) -> float:
        """What the experts followed or drawn lost."""
        start, total = 0, 0.0
        for advice in self._again():
            total = native.core.loss_of_chosen(total, advice.table, advice.truth, self.choices[start : start + len(advice)])
            start += len(advice)
        return total

    def _again(self) -> Iterable[Advice]:
        if self.again is None:
            raise LittlestoneError("this needs a second look at the advice, and the stream was read once")
        return self.again()

    @property
    def expert_losses(self) -> np.ndarray:
        return self.losses

    @property
    def best(self) -> int:
        """The expert with the least loss, the first of them."""
        return int(np.argmin(self.losses))

    @property
    def regret(self) -> float:
        """What the rule lost beyond the best expert."""
        return float(self.cost) - float(self.losses.min())

    @property
    def weights(self) -> np.ndarray:
        """The weights after the last round, adding up to 1."""
        if self.rule.weights is None:
            raise LittlestoneError(f"{self.rule.name} has no weights")
        return self.rule.weights(self.rule, self.state)

    @property
    def baselines(self) -> dict[str, float]:
        """What the best expert lost, the worst, and what one drawn afresh each round would lose."""
        return {"best": float(self.losses.min()), "worst": float(self.losses.max()), "average": float(self.losses.mean())}

    def over(self, window: int = WINDOW, until: int | None = None) -> Metrics | ClassMetrics | Lately:
        """The metrics of the last rounds, as of every run; where the advice is losses, what was lost in these.

        >>> from littlestone import hedge, play
        >>> play(hedge(advice="loss"), [[0.25, 0.25]] * 30 + [[0.5, 0.5]] * 10).over(10)
        Lately(rounds=10, loss=5.0, mistakes=None, uniform=5.0, best=0, best_mean_loss=0.5)
        """
        if self.rule.advice != "loss":
            return super().over(window, until)
        require(self.order is None or self.delay is not None, "truths came in rows of their own, so no rounds are the last; see run.loss")
        first, last = span(self.rounds, window, until)
        rows = np.flatnonzero(self.truth >= 0)[first:last]
        losses, plain, start = [np.empty((0, self.rule.n or 1))], [np.empty(0)], 0
        for advice in self._again():
            known = rows[(rows >= start) & (rows < start + len(advice))] - start
            if len(known):
                losses.append(advice.table[known])
                plain.append(self.rule.plain_loss(advice.rows(known), self.mix[start + known]))
            start += len(advice)
        uniform = fsum(np.concatenate(plain).tolist())
        best = best_awake(np.concatenate(losses)) if len(rows) else (None, None)
        return Lately(len(rows), fsum(self.mix[rows].tolist()), None, uniform, *best)

    def bounds(self, assume: str | None = None, *, delta: float = 0.01) -> list[Claim]:
        """Every theorem of the rule on this run; `assume="expert:m=3"` declares beforehand what the best expert loses at most.

        A theorem about one draw of the coin holds with probability at least 1-δ.
        """
        require(not self.resumed, RESUMED)
        return match(self.known(delta), assume)

    def known(self, delta: float = 0.01) -> KnownOfAdvice:
        """What this run gives the matcher of claims: its facts, and why they may say nothing."""
        best, risk = Fraction(float(self.losses.min())), fraction(delta, "delta")
        require(0 < risk < 1, f"delta={delta!r} must lie between 0 and 1: it is a probability")
        facts: dict[str, Any] = {**self.rule.settings, "n": len(self.losses), "T": self.rounds, "m": best, "F": Fraction(self.loss)}
        facts |= {"delta": risk, "played": self.rounds, "witness": f"expert {self.best}, the best"}
        facts["slack"] = 0 if self.rule.advice == "vote" else slip(self.rounds)
        facts |= self.rule.facts(self) if self.rule.facts else {}
        facts |= self.nearest() if self.rule.measured else {}
        delay = Delay(self.overlap, self.made) if self.overlap else None
        return KnownOfAdvice(self.rule.name, self.rule.bounds, facts, self.cost, delay, best=best, run=self)

    def measured(self, shares: Sequence[Any]) -> dict[str, Any]:
        """What the theorems of a rule by regret need beside the loss of a combination of the experts, which has these shares."""
        assert self.rule.measured is not None
        facts = self.rule.measured(self.state, self.scale)
        return {name: Fraction(mean(value, shares)) for name, value in facts.items()}

    @cached_property
    def beside(self) -> np.ndarray:
        """What the rule lost while each expert was awake."""
        if not self.slept:
            return np.full(self.rule.n or 0, self.expected_loss)
        start, total = 0, np.zeros(self.rule.n or 0)
        for advice in self._again():
            known = advice.truth >= 0
            paid = np.abs(self.mix[start : start + len(advice)] - advice.truth)[known]
            total += paid @ ~np.isnan(advice.table[known])
            start += len(advice)
        return total

    def nearest(self) -> dict[str, Any]:
        """The facts of the expert for whom a theorem that holds for all of them is nearest to its limit."""
        assert self.rule.measured is not None
        prices = about(self.rule.n or 1, self.rule.measured(self.state, self.scale))
        i = int(np.argmin(prices + self.losses - (0.0 if self.rule.family.overall else self.beside)))
        own = self.slept and not self.rule.family.overall
        where = ", over the rounds it was awake" if own else ""
        return {
            **self.measured(one_hot(i, self.rule.n or 0)),
            "m": Fraction(float(self.losses[i])),
            "observed": float(self.beside[i]) if own else self.expected_loss,
            "witness": f"expert {i}, for whom it is nearest to the limit{where}",
        }


def one_hot(i: int, n: int) -> list[int]:
    """All of it for one of n."""
    return [int(j == i) for j in range(n)]


@dataclass
class KnownOfAdvice(KnownOfExperts):
    """What a run over advice says of its rule's theorems."""

    run: Any = None

    def observed(self, bound: Bound, facts: Mapping[str, Any]) -> Any:
        return self.run.realised if bound.counts == "one draw" else facts.get("observed", self.count)

    def void(self, bound: Bound) -> str:
        combined = bound.witness == "combination"
        return ASLEEP if self.run.slept and (combined or not self.run.rule.sleeps) else ""


def _on_lines(state: Any) -> Any:
    """A copy of a state whose arrays begin with a line of the cache: a vector that lies in two of them takes twice as long."""
    copies = []
    for array in state:
        room = np.empty(array.nbytes + 64, np.uint8)
        start = -room.ctypes.data % 64
        copies.append(room[start : start + array.nbytes].view(array.dtype).reshape(array.shape))
        copies[-1][...] = array
    return like(state, copies)


class AdviceRunner:
    """Plays Advice through a rule's pass. Results do not depend on how rounds are cut.

    Without `counting`, experts' losses that the rule itself does not keep are left for a second look at the advice, should anyone ask; and
    only with `naming` does a rule that sees every loss write down whom it drew.
    """

    def __init__(self, rule: Rule, n: int, *, state: tuple | None = None, counting: bool = True, naming: bool = False) -> None:
        self.rule = rule.sized(n)
        self.resumed = state is not None
        self.state: Any = _on_lines(self.rule.first_state() if state is None else state)
        self.first = int(self.state[-1][0])  # coins go on where an earlier run stopped
        missing = counting and not hasattr(self.state, "losses")
        self.losses = np.zeros(n) if missing else None
        self.named = self.rule.bandit or naming  # does a round end with the name of an expert?
        self.own = np.empty(0)  # of a rule that is told gradients, its forecasts of the last rounds

    def beside(self) -> AdviceRunner:
        """Return a runner that stands where this one does, in memory of its own."""
        other = copy(self)
        other.state, other.losses = _on_lines(copied(self.state)), None if self.losses is None else self.losses.copy()
        return other

    def take(self, advice: Advice) -> tuple[np.ndarray, np.ndarray]:
        """Play some rounds: the mixtures, and the experts followed (none where the rule names none)."""
        rule, done = self.rule, 0
        mix = np.empty(len(advice))
        require(advice.table.shape[1] == rule.n, f"the advice has {advice.table.shape[1]} experts, and {rule.name} was made for n={rule.n}")
        choices = np.full(len(advice) if self.named else 0, -1, np.int32)
        if rule.gradient:
            return self._forecast(advice, mix, choices)
        try:
            while done < len(advice):
                done += rule.play_block(self.state, advice.table[done:], advice.truth[done:], mix[done:], choices[done:])
                if done < len(advice):
                    self._refuse_or_settle(advice, done, mix)
                    done += 1
        finally:  # of rounds before one that is refused, too
            if self.losses is not None:
                native.core.count_losses(self.losses, advice.table[:done], np.ascontiguousarray(advice.truth[:done]))
        return mix, choices

    def _forecast(self, advice: Advice, mix: np.ndarray, choices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rounds of forecasts: `mix` is what the rule's own forecast loses; where nobody is awake there is none, and nothing is lost."""
        forecasting = advice.forecasts is not None or not len(advice)
        require(forecasting, f"{self.rule!r} is told forecasts and what came true: ls.play(rule, forecasts, outcomes)")
        forecasts = np.empty((0, self.rule.n or 1)) if advice.forecasts is None else np.ascontiguousarray(advice.forecasts)
        unknown: Any = advice.outcomes is None or advice.truth < 0
        outcomes = np.where(unknown, np.nan, np.full(len(advice), np.nan) if advice.outcomes is None else advice.outcomes)
        self.own = np.empty(len(advice))
        self.rule.play_block(self.state, forecasts, outcomes, self.own, choices)
        mix[:] = self.rule.lost_by(self.own, outcomes, advice.scale)
        if self.losses is not None:
            native.core.count_losses(self.losses, advice.table, np.ascontiguousarray(advice.truth))
        return mix, choices

    def _refuse_or_settle(self, advice: Advice, t: int, mix: np.ndarray) -> None:
        row = advice.table[t]
        votes = self.rule.advice == "vote"
        bad = ~np.isnan(row) & ((row != 0) & (row != 1) if votes else (row < 0) | (row > 1))
        if bad.any() or self.rule.settle is None:
            i = int(np.flatnonzero(bad)[0])
            expected = "a vote, 0 or 1" if votes else f"a {self.rule.advice} between 0 and 1"
            hint = '; advice="probability" or "loss" takes numbers between 0 and 1' if votes and 0 < row[i] < 1 else ""
            raise LittlestoneError(
                f"round {advice.first_round + t + 1}: expert {i} says {row[i]:g}; expected {expected}, or NaN when asleep{hint}"
            )
        before: Any = copied(self.state)
        yhat, self.state = self.rule.settle(self.rule, self.state, row, int(advice.truth[t]))
        share = native.core.share(before.w, row)  # rounded, so it may stand on the wrong side of the tie
        mix[t] = max(share, 0.5) if yhat else min(share, nextafter(0.5, 0.0))
