"""A rule played over a table of experts, and what is counted meanwhile: a few numbers for each round and each expert, and no more."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.observers import Observer, Taken
from littlestone.api.play import Playing, play
from littlestone.kernels import native
from littlestone.protocol import Advice, AdviceRun, LateRunner, Model, Rule, RuleRunner
from littlestone.protocol.advice import weights_awake
from littlestone.protocol.around import RunnerAround
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.expert_tables import ExpertTable, unscaled_losses

UNTOLD = np.full(1, -1, np.int32)


class Error(NamedTuple):
    """How far forecasts were from the truth: the root of the mean squared error, and the mean absolute error."""

    rmse: float
    mae: float


@dataclass(eq=False)
class Errors:
    """Sums of squared and absolute errors of each expert, then of the rule and of the plain average; and the rule's on the same rounds."""

    rounds: np.ndarray
    squared: np.ndarray
    absolute: np.ndarray
    squared_beside: np.ndarray
    absolute_beside: np.ndarray

    @classmethod
    def of(cls, n: int) -> "Errors":
        return cls(np.zeros(n + 2, np.int64), *np.zeros((4, n + 2)))

    def add(self, errors: np.ndarray) -> None:
        """Add rounds × (experts, the rule, the plain average); NaN where one is asleep, or nothing is known."""
        absolute = np.abs(errors)
        with np.errstate(over="ignore"):
            squared = absolute * absolute
        native.core.add_rows(self.absolute, self.rounds, self.absolute_beside, absolute, absolute[:, -2].copy())
        native.core.add_rows(self.squared, np.zeros_like(self.rounds), self.squared_beside, squared, squared[:, -2].copy())

    def each(self, loss: str | None, lost: Any, *, rule: bool = False) -> list[Error]:
        """Return the errors of each column over its own rounds; with `rule` those of the rule on the same rounds. `lost` is the total of
        the `loss` of each: where that is one of the two sums it is taken for it, so that no figure is rounded in two ways."""
        squared, absolute = (self.squared_beside, self.absolute_beside) if rule else (self.squared, self.absolute)
        squared, absolute = (lost if loss == "squared" else squared), (lost if loss == "absolute" else absolute)
        counts = np.where(self.rounds > 0, self.rounds, np.nan)
        return list(map(Error, np.sqrt(squared / counts).tolist(), (absolute / counts).tolist()))


@dataclass(eq=False)
class ExpertCounts(Observer):
    """What was counted, in the units of the table. `own` and `uniform` are losses of each round, NaN where it does not count."""

    reading: TableReading
    lost: np.ndarray  # by each expert, while awake
    awake: np.ndarray
    beside: np.ndarray  # what the rule lost on these rounds
    wrong: np.ndarray  # each expert's mistakes, where its advice is a vote or a probability
    whole: np.ndarray = field(default_factory=lambda: np.zeros(2))  # rounds without sleepers, counted once for all experts; the rule's loss
    uniform_wrong: int = 0
    nobody: int = 0  # rounds in which all slept
    parts: dict[str, list[np.ndarray]] = field(default_factory=lambda: {"own": [], "uniform": [], "forecast": []})
    errors: Errors | None = None  # of real-valued forecasts
    last_weights: np.ndarray | None = None  # those that made the last forecast or prediction; None where an alarm ended the run before it
    ahead: np.ndarray | None = None  # those of the piece that is played next
    scores = True  # the mixtures
    runner: Any = None
    named: bool = False
    batches: list[tuple] = field(default_factory=list)  # rounds whose truths have come, where they come by name

    @property
    def own(self) -> np.ndarray:
        return np.concatenate([np.empty(0), *self.parts["own"]])

    @property
    def uniform(self) -> np.ndarray:
        return np.concatenate([np.empty(0), *self.parts["uniform"]])

    def some(self, name: str, rows: np.ndarray) -> np.ndarray:
        """One kind over these rows, which increase; what came before them is not put together."""
        first, start, parts = int(rows[0]) if len(rows) else 0, 0, [np.empty(0)]
        for part in self.parts[name]:
            if start + len(part) > first:
                parts.append(part[max(0, first - start) :])
            start += len(part)
        return np.concatenate(parts)[rows - first]

    def total(self, name: str) -> float:
        """All of one kind added up, exactly, over the rounds that count."""
        return fsum(chain.from_iterable(part[~np.isnan(part)].tolist() for part in self.parts[name]))

    @property
    def forecast(self) -> np.ndarray:
        """The rule's own forecast of each round, NaN where everybody slept; of votes and losses there is none."""
        return np.concatenate([np.empty(0), *self.parts["forecast"]])

    def losses_of(self, advice: Advice, forecasts: np.ndarray | None, truths: np.ndarray | None) -> tuple[np.ndarray, Any]:
        """What each expert loses each round, in the units of the table: NaN while asleep."""
        r = self.reading
        if forecasts is not None and r.played == "loss":
            assert truths is not None
            return unscaled_losses(r, forecasts, truths[:, None]), truths
        scaled = np.abs(advice.table.astype(np.float64) - np.maximum(advice.truth, 0)[:, None])
        return self.units(scaled), advice.truth

    def units(self, scaled: np.ndarray) -> np.ndarray:
        if self.reading.played != "loss":
            return scaled
        return scaled * (self.reading.scale or 1.0) + ((self.reading.low or 0.0) if self.reading.advice == "loss" else 0.0)

    def begins(self, playing: Playing) -> None:
        self.runner = playing.runner
        self.named = isinstance(self.runner, LateRunner) and self.runner.delay is None  # do truths come by the names of rounds?
        if self.named:
            self.batches = self.runner.batches()

    def cut(self, block: Advice) -> Iterator[Advice]:
        """Yield the block in two pieces, the second from the last round on in which an expert is awake, and note the weights there."""
        (awake,) = np.nonzero(~np.isnan(block.table).all(axis=1))
        start = int(awake[-1]) if len(awake) else len(block)
        if start:
            yield block.cut(0, start)
        rule = self.runner.learner
        if start < len(block):
            if rule.weights is not None:
                row = (block.table if block.forecasts is None else block.forecasts)[start]
                self.ahead = weights_awake(rule, self.runner.state, row.astype(np.float64))
            yield block.cut(start, len(block))

    def after(self, taken: Taken) -> None:
        """Count some rounds: the rule's mixtures, its own forecasts where it makes some, the experts chosen where only these are seen."""
        self.note_weights()
        if self.named:
            self._late()
        else:
            played = len(taken.predictions)  # an alarm may have ended the run within the block
            mix = None if taken.scores is None else taken.scores[:played]
            self._count(taken.block.cut(0, played), mix, self.runner.forecasts())

    def note_weights(self) -> None:
        """A piece has been played: the weights noted before it, if there are any, made its last forecast."""
        self.last_weights, self.ahead = self.ahead, None

    def _late(self) -> None:
        """Count the rounds whose truths have come."""
        for advice, _, mix in self.batches:
            self._count(advice, mix, None)
        self.batches.clear()

    def _chosen(self, rounds: int) -> np.ndarray:
        """The experts that were chosen in the last so many rounds, which a guard may have played in several pieces."""
        pieces = [np.empty(0, np.int32)]
        for part in reversed(self.runner.parts):
            pieces.append(part[2])
            if sum(map(len, pieces)) >= rounds:
                break
        return np.concatenate(pieces[::-1])[-rounds:] if rounds else pieces[0]

    def _count(self, advice: Advice, mix: Any, own: np.ndarray | None) -> None:
        chosen = self._chosen(len(advice)) if self.runner.engine.named else None
        forecasts, truths, labelled = advice.forecasts, advice.outcomes, advice.truth >= 0
        if forecasts is not None and self.reading.played == "loss":
            self._take_forecasts(forecasts, truths, labelled, own, chosen)
            return
        codes, rounds = np.maximum(advice.truth, 0), np.arange(len(advice))
        advised = mix if chosen is None else np.where(chosen >= 0, advice.table[rounds, np.maximum(chosen, 0)], np.abs(codes - 0.5))
        lost = np.where(labelled, self.units(np.abs(advised - codes)), np.nan)
        mean = np.empty(len(advice))
        native.core.add_cells(
            self.lost, self.wrong, self.awake, self.beside, self.whole, advice.table, advice.truth, lost, mean,
            self.reading.advice == "probability",
        )  # fmt: skip
        empty = np.isnan(mean)
        self.nobody += int((empty & labelled).sum())
        if self.reading.played == "loss":  # where nobody says anything nothing is lost, in the units of the table
            lost, labelled = np.where(empty, np.nan, lost), labelled & ~empty
        mean[empty] = 0.5  # as a rule has it then, and is charged for it
        self._keep(lost, np.where(labelled, self.units(np.abs(mean - codes)), np.nan), None)
        if self.reading.played != "loss":
            self.uniform_wrong += int(((mean >= 0.5) != (codes == 1))[labelled].sum())

    def _take_forecasts(self, forecasts: np.ndarray, truths: Any, labelled: np.ndarray, own: Any, chosen: Any) -> None:
        mean = np.empty(len(forecasts))
        native.core.means(forecasts, mean)
        self.nobody += int((np.isnan(mean) & labelled).sum())
        if chosen is not None:
            own = np.where(chosen >= 0, forecasts[np.arange(len(forecasts)), np.maximum(chosen, 0)], np.nan)
        lost = unscaled_losses(self.reading, own, truths)
        if self.errors is None:
            self.errors = Errors.of(forecasts.shape[1])
        self.errors.add(np.column_stack([forecasts, own, mean]) - truths[:, None])
        self._keep(lost, unscaled_losses(self.reading, mean, truths), own)
        native.core.add_rows(self.lost, self.awake, self.beside, unscaled_losses(self.reading, forecasts, truths[:, None]), lost)

    def _keep(self, own: np.ndarray, uniform: np.ndarray, forecast: np.ndarray | None) -> None:
        self.parts["own"].append(own)
        self.parts["uniform"].append(uniform)
        if forecast is not None:
            self.parts["forecast"].append(forecast)

    def ends(self) -> None:
        """Put together what was counted apart, and bring it to the units of the table."""
        if self.named:
            self._late()
        self.awake += int(self.whole[0])
        self.beside += self.whole[1]
        if self.reading.advice != "forecast" or self.reading.played == "vote":
            if self.reading.played == "vote":
                self.wrong[:] = self.lost
            offset = (self.reading.low or 0.0) if self.reading.advice == "loss" else 0.0
            self.lost = self.lost * (self.reading.scale or 1.0) + offset * self.awake


def play_table(rule: Rule | Model, table: ExpertTable, *, linearised: bool = False, **choices: Any) -> tuple[AdviceRun, ExpertCounts]:
    """Play a rule over a table, counting what each expert loses meanwhile."""
    n = len(table.names)
    counts = ExpertCounts(table.reading, np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    wrap = (lambda runner: LinearisedRunner(runner, table.reading)) if linearised else None
    return play(rule, table, observers=[counts, *choices.pop("observers", ())], wrap=wrap, **choices), counts


def gradient_scale(r: TableReading) -> float:
    """The widest spread of slope × forecast within a round, for forecasts and truths within the range."""
    width = (r.high or 0.0) - (r.low or 0.0)
    if r.loss == "squared":
        return 2 * width * width or 1.0
    return (max(r.quantile or 0.0, 1 - (r.quantile or 0.0)) if r.loss == "pinball" else 1.0) * width or 1.0


def slope(r: TableReading, x: float, y: float) -> float:
    """The derivative of the loss at a forecast x; at a kink, 0, which lies between the two.

    >>> reading = TableReading(advice="forecast", loss="pinball", quantile=0.75)
    >>> slope(reading, 1.0, 2.0), slope(reading, 3.0, 2.0), slope(reading, 2.0, 2.0)
    (-0.75, 0.25, 0.0)
    """
    if r.loss == "squared":
        return 2 * (x - y)
    down, up = (-(r.quantile or 0.0), 1 - (r.quantile or 0.0)) if r.loss == "pinball" else (-1.0, 1.0)
    return up if x > y else down if x < y else 0.0


class LinearisedRunner(RunnerAround):
    """A runner around that of a rule: expert i is charged g·x_i, g the slope of the loss at the rule's own forecast p·x.

    By convexity loss(p·x) - loss(u·x) ≤ g·(p·x - u·x) for every combination u. So what a theorem says of the regret over these charges,
    which are linear in u, it says of the loss beside the best convex combination. Within a round a constant may be added: charges are
    measured from the end of the range that g favours, and lie in [0, 1] once divided by `gradient_scale`. They depend on the rule, so
    rounds go one by one.
    """

    def __init__(self, runner: RuleRunner, reading: TableReading) -> None:
        self.runner, self.reading = runner, reading
        self.charged: list[Advice] = []
        self.own: np.ndarray | None = None  # the forecasts of the last block

    def take(self, advice: Advice, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        forecasts, truths, reading = advice.forecasts, advice.outcomes, self.reading
        assert forecasts is not None and truths is not None
        scale, low, high = gradient_scale(reading), reading.low or 0.0, reading.high or 0.0
        least, wide = np.empty(len(advice)), np.empty(len(advice))
        native.core.spans(forecasts, least, wide)
        shares = np.minimum((forecasts - least[:, None]) / np.where(wide > 0, wide, 1.0)[:, None], 1.0).astype(np.float32)
        charges, own = shares.copy(), np.full(len(advice), np.nan)
        silent: Any = np.isnan(forecasts).all(axis=1)
        predictions = []
        for t in range(len(advice)):
            if not silent[t]:
                own[t] = least[t] + float(self.runner.engine.take(Advice(shares[t : t + 1], UNTOLD))[0][0]) * wide[t]
            if advice.truth[t] >= 0 and not silent[t]:
                g = slope(reading, own[t], truths[t])
                charges[t] = np.clip((g * (forecasts[t] - low) if g >= 0 else g * (forecasts[t] - high)) / scale, 0.0, 1.0)
            row = Advice(charges[t : t + 1], advice.truth[t : t + 1], advice.first_round + t)
            predictions.append(self.runner.take(row, None if scores is None else scores[t : t + 1]))
        self.charged.append(Advice(charges, advice.truth, advice.first_round))
        self.own = own
        return np.concatenate(predictions)

    def forecasts(self) -> np.ndarray | None:
        return self.own

    def run(self, *arguments: Any, **named: Any) -> AdviceRun:
        return self.runner.run(*arguments, **{**named, "again": lambda: iter(self.charged)})
