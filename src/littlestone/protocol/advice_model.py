"""A model of a rule over experts: the rule, its state, and what it has cost so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native
from littlestone.protocol.advice import Advice, AdviceRunner, Rule, weights_awake
from littlestone.protocol.events import FeatureMap, many
from littlestone.protocol.learner import copied, fields
from littlestone.protocol.ledger import Ledger
from littlestone.protocol.locks import lock_of
from littlestone.protocol.model import Model, label
from littlestone.protocol.rule_runner import RuleRunner
from littlestone.protocol.serving import Served
from littlestone.protocol.together import Call, together
from littlestone.rounds.files import is_column

LATE_BANDITS = (
    "sees only what the expert that it chose has lost: when the truth comes late it would choose another, and learn of that one; "
    "take a rule that sees every loss, such as adahedge"
)


MUCH, FEW = 0.1, 0.05  # of the weight; of the rounds


def short_records(names: Sequence[Any], weights: Any, awake: Sequence[int], rounds: int) -> str:
    """A remark on experts with much weight that were awake in few rounds; empty where there are none.

    >>> short_records(["a", "b"], [0.3, 0.7], [42, 18126], 18126)
    'a has weight 0.3 and was awake in 42 of 18,126 rounds: so short a record says little of it'
    """
    records = zip(names, weights, awake, strict=True)
    little = [(name, w, k) for name, w, k in records if w >= MUCH and k <= FEW * rounds]
    rows = [f"{name} has weight {w:.2g} and was awake in {k:,} of {rounds:,} rounds" for name, w, k in little]
    return f"{'; '.join(rows)}: so short a record says little of {'it' if len(rows) == 1 else 'them'}" if rows else ""


class AdviceModel(Model):
    """Takes one round at a time. It keeps no ledger, since a rule learns from every round.

    >>> import littlestone as ls
    >>> model = ls.weighted_majority(n=3).start()
    >>> [model.observe(row, y) for row, y in [([1, 1, 0], 0), ([1, 0, 0], 0), ([1, 0, 0], 0)]], model.mistakes
    ([True, False, False], 1)
    >>> model.scores()
    {0: 0.25, 1: 0.25, 2: 0.5}
    """

    kind = "advice"

    def __init__(self, rule: Rule, state: tuple | None = None) -> None:
        self.lock, self.waiting = lock_of(self), {}
        self.rule = rule if rule.n is not None or state is None else rule.with_n(len(state[0]))
        n = self.rule.n
        self._runner = None if n is None else AdviceRunner(self.rule, n, state=state, naming=rule.advice == "loss")
        self.features, self.reading = FeatureMap(), {}
        self.experts: tuple[str, ...] = ()  # their names, where they have such
        self.awake: tuple[int, ...] | None = ()  # in how many rounds each was; empty where nobody ever slept, None where it is not known
        self.loss = 0.0
        self._fresh = state is None

    def __repr__(self) -> str:
        cost = f"loss {self.loss:.6g}" if self.rule.advice == "loss" else f"{self.mistakes:,} mistakes"
        return f"<model of {self.rule!r}: {cost} in {self.rounds:,} rounds>"

    @property
    def learner(self) -> Rule:
        return self.rule

    @property
    def state(self) -> tuple:
        """The state after the last update."""
        with self.lock:
            return self.rule.first_state() if self._runner is None else copied(self._runner.state)

    def _alone(self) -> AdviceModel:
        return AdviceModel(self.rule, None if self._runner is None else self.state)

    def arrays(self) -> dict[str, np.ndarray]:
        state = self.state
        return dict(zip(fields(state), state, strict=True))

    @classmethod
    def made_by(cls, runner: RuleRunner) -> AdviceModel:
        model = cls(runner.learner, runner.state)
        # of forecasts the loss is in their own units, whatever a table's was divided by
        model.loss, model.awake = runner.loss * (runner.scale if runner.learner.gradient else 1.0), None if runner.state.z[1] else ()
        return model

    def blank(self) -> AdviceModel:
        other = AdviceModel(self.rule)
        other.reading, other.experts = self.reading, self.experts
        return other

    def _opened(self, columns: int | None, ledger: Ledger | None, state: Any, accounts: Any) -> RuleRunner:
        n = self.rule.n if self.rule.n is not None else columns
        if n is None:
            raise LittlestoneError(f"{self.rule.name} needs n, the number of experts")
        return RuleRunner(self.rule, n, state=state, counting=True)

    def _follow(self, before: Any) -> None:
        super()._follow(before)
        self.experts = before.experts

    @property
    def of_forecasts(self) -> bool:
        """True if the rule learned from a table of forecasts, and its prediction is the weighted mean of them."""
        told_losses = self.rule.advice == "loss" and self.reading.get("threshold") is None
        return told_losses and self.reading.get("advice") == "forecast" and not self.rule.bandit

    @property
    def short_records(self) -> str:
        """A remark on experts with much weight that were awake in few rounds."""
        return short_records(self.names, self.weights, self.awake, self.rounds) if self.awake and self.rule.weights is not None else ""

    def _awake_after(self, row: Any) -> tuple[int, ...] | None:
        """Return in how many rounds each expert was awake after one more, which is not counted yet."""
        here = ~np.isnan(np.array(self.in_order(row), np.float64).ravel())
        if self.awake is None or not (self.awake or not here.all()):
            return self.awake
        before = self.awake or (self.rounds,) * len(here)
        return tuple(k + int(a) for k, a in zip(before, here.tolist(), strict=True))

    def _publish(self, runner: AdviceRunner, row: Any, loss: float, more: tuple[Call, ...] = (), *, mistake: bool = False) -> None:
        """Count a round of this row, and let the runner that has learned from it be the model's: all of it or nothing."""
        counts = {"rounds": self.rounds + 1, "mistakes": self.mistakes + mistake, "loss": self.loss + loss, "awake": self._awake_after(row)}
        together([], [(vars(self).update, {"_runner": runner, **counts}), *more])

    def _count_unlabelled(self, more: tuple[Call, ...] = ()) -> None:
        together([], [(vars(self).update, {"unlabelled": self.unlabelled + 1}), *more])

    def counts(self) -> dict[str, Any]:
        return {**super().counts(), "loss": self.loss}

    def uncounted(self) -> AdviceModel:
        self.loss = 0.0
        return super().uncounted()

    @property
    def names(self) -> list[str | int]:
        """The names of the experts, or their numbers where they have none."""
        return list(self.experts) or list(range(self.rule.n or 0))

    @property
    def weights(self) -> np.ndarray:
        """The weights now, adding up to 1."""
        if self.rule.weights is None:
            raise LittlestoneError(f"{self.rule.name} has no weights")
        return self.rule.weights(self.rule, self.state)

    def weights_in(self, row: Any) -> np.ndarray:
        """The weights of those awake in a round of this advice, adding up to 1; some rules' depend on what the others say."""
        require(self.rule.weights is not None, f"{self.rule.name} has no weights")
        return weights_awake(self.rule, self.state, np.array(self.in_order(row), np.float64).ravel())

    def mixture(self, row: Any) -> float:
        """The weighted mean of this advice: of votes and probabilities, the share of a 1. Changes nothing."""
        return self._play(row, -1)[0]

    def score(self, row: Any) -> float:
        """How far the share of a 1 lies from one half: 1 is predicted where it is ≥ 0, unless a coin or one expert decides."""
        return self.mixture(row) - 0.5

    def scores(self, row: Any = None) -> Any:
        """The weight of each expert; with a row of advice, the share of a 1 and of a 0 (of losses there is none); with a table, an array
        of the shares of a 1."""
        if row is not None and many(row):
            return self.predict_many(row, scores=True)
        if row is None:
            return dict(zip(self.names, map(float, self.weights), strict=True))
        require(self.rule.advice != "loss", f"{self.rule.name} was made for losses: model.scores() has the weights of the experts")
        share = self.mixture(row)
        return {0: 1 - share, 1: share}

    def choose(self) -> int:
        """The expert to follow this round, of a rule that names one (losses and bandits). Changes nothing."""
        require(self.rule.bandit or self.rule.advice == "loss", f"{self.rule.name} weighs votes; it follows no single expert")
        require(self.rule.n is not None, f"{self.rule.name} needs n, the number of experts")
        return self._play(np.zeros(self.rule.n), -1)[1]

    def predict(self, row: Any, *, id: Any = None) -> Any:
        """The prediction for this advice; changes nothing. Of a table, rounds × experts, it is an array.

        With an `id` it waits for its truth: `model.label(id, y)`.
        """
        if type(row) is not dict and many(row):
            return self._predict_all(row, id)
        if self.rule.gradient:
            return self._foretell(row, None) if id is None else self._predict_by_id(row, id)
        if self.of_forecasts and id is None:
            return float(self.predict_many([list(self.in_order(row))])[0])
        require(self.rule.advice != "loss", f"{self.rule.name} was made for losses: it chooses an expert, and predicts no label")
        return self._decide(row)[0] if id is None else self._predict_by_id(row, id)

    def _serve(self, row: Any) -> tuple[bool | float, Served]:
        require(not self.rule.bandit, f"{self.rule.name} {LATE_BANDITS}")
        row = self.in_order(row)
        if self.rule.gradient:
            own = self._foretell(row, None)
            return own, Served(np.array(row, np.float64), own)
        yhat, mix = self._decide(row)
        return yhat, Served(np.array(row, np.float32), yhat, mix)

    def _settle(self, served: Served, y: Any, weight: float, *more: Call) -> None:
        require(weight == 1.0, f"{self.rule.name} honours no weights: each round counts once")
        if self.rule.gradient:
            self._foretell(served.x, y, learn=True, made=served.yhat, more=more)
        else:
            self._learn(served.x, label(y), served.yhat, served.memo, *more)

    def update(self, row: Any, y: Any = None) -> None:
        """Tell the truth of a round (of losses: there is none to tell, the row says it all)."""
        self.observe(row, y)

    def observe(self, row: Any, y: Any = None) -> bool | float:
        """Predict, count and learn in one call; the prediction made before learning, or the loss to expect when the advice is losses.

        Of losses, a bandit may be told only that of the expert it chose: `i = model.choose(); model.observe(loss_of_i)`. (NaN says that an
        expert is asleep, not that it was not looked at.)
        """
        with self.lock: return self._event(row, y)  # fmt: skip  # noqa: E701 (in one line, after which nothing is left to do)

    def _event(self, row: Any, y: Any) -> bool | float:
        if self.rule.gradient:
            return self._foretell(row, y, learn=True)
        if self.rule.advice == "loss":
            require(y is None, "the advice is losses: there is no truth to tell")
            return self._lose(row)
        truth = label(y)
        yhat, mix = self._decide(row)
        self._learn(row, truth, yhat, mix)
        return yhat

    def _foretell(self, row: Any, y: Any, *, learn: bool = False, made: float | None = None, more: tuple[Call, ...] = ()) -> float:
        """The rule's own forecast of a round, from those of the experts; and what came true is learned, where it is known. What is lost is
        the loss of this forecast, or of the one that was `made` when the truth was not yet known."""
        x = _numbers(self.in_order(row), "forecasts").reshape(1, -1)
        outcome = float(_numbers(np.nan if y is None else y, "what came true").reshape(()))
        for i in np.flatnonzero(np.isinf(x[0]))[:1].tolist():
            who = self.experts[i] if self.experts else i
            raise LittlestoneError(f"forecast of expert {who}: {x[0, i]}; expected a finite number, or NaN where it is asleep")
        require(abs(outcome) != np.inf, f"what came true: {outcome}; expected a finite number, or NaN where it is not known")
        with self.lock: return self._forecast(x, outcome, row, learn, made, more)  # fmt: skip  # noqa: E701

    def _forecast(self, x: np.ndarray, outcome: float, row: Any, learn: bool, made: float | None, more: tuple[Call, ...]) -> float:
        runner = self._opened_for(x.shape[1]).beside()
        runner.take(Advice.of_forecasts(self.rule, x, np.array([outcome]), 1.0))
        own = float(runner.own[0])
        if learn and np.isnan(outcome):
            self._count_unlabelled(more)
        elif learn:
            lost = float(self.rule.cost_of(own if made is None else made, outcome))
            self._publish(runner, row, 0.0 if np.isnan(lost) else lost, more)  # where all sleep, nothing is said
        return own

    def _learn(self, row: Any, truth: bool | None, yhat: bool, mix: float, *more: Call) -> None:
        if truth is None:
            self._count_unlabelled(more)
            return
        runner, _, _ = self._played(row, int(truth))
        self._publish(runner, row, abs(mix - truth), more, mistake=yhat != truth)

    def _lose(self, row: Any) -> float:
        row = self.in_order(row)
        if self.rule.bandit and np.ndim(row) == 0:  # all that was seen: the loss of the expert it chose
            seen, row = row, np.zeros(self.rule.n or 1)
            row[self.choose()] = seen
        runner, mix, _ = self._played(row, 0)
        self._publish(runner, row, mix)
        return mix

    def _decide(self, row: Any) -> tuple[bool, float]:
        """The prediction, and the share of a 1 behind it."""
        with self.lock: mix, chosen, tossed = self._mixture(row)  # fmt: skip  # noqa: E701 (in one line: no exception comes before the exit)
        says = mix if not self.rule.bandit else float(np.asarray(self.in_order(row), np.float32)[chosen]) if chosen >= 0 else 0.5
        return bool(native.core.coin(self.rule.coin, tossed) < says) if self.rule.coin else says >= 0.5, mix

    def _mixture(self, row: Any) -> tuple[float, int, int]:
        """Return the share of a 1, the expert that is followed, and the number of the coin: each round that is learned from has its own."""
        mix, chosen = self._play(row, -1)
        assert self._runner is not None
        return mix, chosen, int(self._runner.state.z[0]) + len(self.waiting)

    def in_order(self, row: Any) -> Any:
        """Return a row in the order of the experts; a dict, or a row of a frame, has their names. It may have the columns of the model's
        table that were not used, or held the truth."""
        if is_column(row) and hasattr(row, "to_dict") and set(self.names) & set(row.index):
            row = row.to_dict()
        if type(row) is not dict:
            return row
        names, unused = set(self.names), {self.reading.get("truth"), *(self.reading.get("ignore") or ())}
        expected = ", ".join(map(str, self.names))
        require(names <= set(row) <= names | unused, f"advice of {', '.join(map(str, row))}; expected that of {expected}")
        return [row[name] for name in self.names]

    def _opened_for(self, n: int) -> AdviceRunner:
        """The runner, which the first row tells how many experts there are."""
        if self._runner is None:
            self._runner = AdviceRunner(self.rule, n, naming=self.rule.advice == "loss")
            self.rule = self._runner.rule
        require(n == self.rule.n, f"a row of {n} experts; this {self.rule.name} has n={self.rule.n}")
        return self._runner

    def _play(self, row: Any, y: int) -> tuple[float, int]:
        """Return the mixture of a row without a label, and the expert that is followed, if one is. It changes nothing."""
        if self.rule.gradient:
            return self._foretell(row, None), -1
        with self.lock: return self._played(row, y)[1:]  # fmt: skip  # noqa: E701

    def _played(self, row: Any, y: int) -> tuple[AdviceRunner, float, int]:
        """Return a runner that has played a row, its mixture, and the expert that it followed; the model's own runner is left as it was."""
        table = np.array(self.in_order(row), np.float32).reshape(1, -1)  # a copy: the row is the caller's, who may change it
        runner = self._opened_for(table.shape[1]).beside()
        mix, choices = runner.take(Advice(table, np.array([y], np.int32), self.rounds))
        return runner, float(mix[0]), int(choices[0]) if len(choices) else -1


def _numbers(value: Any, what: str) -> np.ndarray:
    try:
        return np.array(value, np.float64)
    except (TypeError, ValueError):
        raise LittlestoneError(f"{what}: {value!r}; expected numbers") from None
