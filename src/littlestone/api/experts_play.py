"""A rule played over a table of experts, and what is counted meanwhile: a few numbers for each round and each expert, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.kernels import expert_tables as kernels
from littlestone.protocol import Advice, AdviceRun, AdviceRunner, Rule
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.expert_tables import ExpertTable, unscaled_losses


@dataclass(eq=False)
class Played:
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

    @property
    def own(self) -> np.ndarray:
        return np.concatenate([np.empty(0), *self.parts["own"]])

    @property
    def uniform(self) -> np.ndarray:
        return np.concatenate([np.empty(0), *self.parts["uniform"]])

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

    def take(self, block: tuple[Advice, Any, Any], mix: np.ndarray, own: np.ndarray | None, chosen: np.ndarray | None) -> None:
        """Count some rounds: the rule's mixtures, its own forecasts where it makes some, the experts chosen where only these are seen."""
        advice, forecasts, truths = block
        told = advice.truth >= 0
        if forecasts is not None and self.reading.played == "loss":
            self._take_forecasts(forecasts, truths, told, own, chosen)
            return
        codes, rounds = np.maximum(advice.truth, 0), np.arange(len(advice))
        said = mix if chosen is None else np.where(chosen >= 0, advice.table[rounds, np.maximum(chosen, 0)], np.abs(codes - 0.5))
        lost = np.where(told, self.units(np.abs(said - codes)), np.nan)
        mean = np.empty(len(advice))
        kernels.add_cells(
            self.lost, self.wrong, self.awake, self.beside, self.whole, advice.table, advice.truth, lost, np.ones(len(self.lost)), mean,
            self.reading.advice == "probability",
        )  # fmt: skip
        empty = np.isnan(mean)
        self.nobody += int((empty & told).sum())
        if self.reading.played == "loss":  # where nobody says anything nothing is lost, in the units of the table
            lost, told = np.where(empty, np.nan, lost), told & ~empty
        mean[empty] = 0.5  # as a rule has it then, and is charged for it
        self._keep(lost, np.where(told, self.units(np.abs(mean - codes)), np.nan), None)
        if self.reading.played != "loss":
            self.uniform_wrong += int(((mean >= 0.5) != (codes == 1))[told].sum())

    def _take_forecasts(self, forecasts: np.ndarray, truths: np.ndarray, told: np.ndarray, own: Any, chosen: Any) -> None:
        mean = np.empty(len(forecasts))
        kernels.means(forecasts, mean)
        self.nobody += int((np.isnan(mean) & told).sum())
        if chosen is not None:
            own = np.where(chosen >= 0, forecasts[np.arange(len(forecasts)), np.maximum(chosen, 0)], np.nan)
        lost = unscaled_losses(self.reading, own, truths)
        self._keep(lost, unscaled_losses(self.reading, mean, truths), own)
        kernels.add_rows(self.lost, self.awake, self.beside, unscaled_losses(self.reading, forecasts, truths[:, None]), lost)

    def _keep(self, own: np.ndarray, uniform: np.ndarray, forecast: np.ndarray | None) -> None:
        self.parts["own"].append(own)
        self.parts["uniform"].append(uniform)
        if forecast is not None:
            self.parts["forecast"].append(forecast)

    def finish(self) -> None:
        """Put together what was counted apart, and bring it to the units of the table."""
        self.awake += int(self.whole[0])
        self.beside += self.whole[1]
        if self.reading.advice != "forecast" or self.reading.played == "vote":
            if self.reading.played == "vote":
                self.wrong[:] = self.lost
            offset = (self.reading.low or 0.0) if self.reading.advice == "loss" else 0.0
            self.lost = self.lost * (self.reading.scale or 1.0) + offset * self.awake


def play_table(rule: Rule, table: ExpertTable, runner: AdviceRunner | None = None) -> tuple[AdviceRun, Played]:
    """Play a rule over a table, or let a runner of it go on.

    A rule's own forecast is the weighted mean of the experts'. The compiled pass gives weighted means of rows, and a row without a truth
    changes nothing: so each round is told twice, once as forecasts, shifted and scaled to [0, 1], and once as losses.
    """
    n, r = len(table.names), table.reading
    runner = AdviceRunner(rule, n, counting=True) if runner is None else runner
    played = Played(r, np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    parts, seconds = [], 0.0
    for block in table.advices():
        advice, forecasts, _ = block
        own: np.ndarray | None = None
        begun = perf_counter()
        if forecasts is not None and r.played == "loss" and not runner.named:
            low, wide, both = twice(advice, forecasts)
            first = int(runner.state[-1][0])
            mix, choices = runner.take(both)
            own = np.where(np.isnan(advice.table).all(axis=1), np.nan, low + mix[0::2] * wide)
            part: tuple[np.ndarray, ...] = (advice.truth, np.ascontiguousarray(mix[1::2]), choices, np.empty(0))
            runner.count(part[0], part[1], part[3], first)
        else:
            part = runner.part(advice)
        seconds += perf_counter() - begun
        parts.append(part)
        played.take(block, part[1], own, part[2] if runner.named else None)

    played.finish()

    def again() -> Iterator[Advice]:
        return (advice for advice, _, _ in table.advices())

    return runner.run(parts, seconds, again), played


def twice(advice: Advice, forecasts: np.ndarray) -> tuple[np.ndarray, np.ndarray, Advice]:
    """Each round as forecasts, from the least (0) to the largest (1) of the round, without a truth; and then as it is."""
    low, wide = np.empty(len(advice)), np.empty(len(advice))
    kernels.spans(forecasts, low, wide)
    table = np.empty((2 * len(advice), forecasts.shape[1]), np.float32)
    table[0::2] = np.minimum((forecasts - low[:, None]) / np.where(wide > 0, wide, 1.0)[:, None], 1.0)
    table[1::2] = advice.table
    truth = np.full(2 * len(advice), -1, np.int32)
    truth[1::2] = advice.truth
    return low, wide, Advice(table, truth, advice.first_round)


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


def play_gradient(rule: Rule, table: ExpertTable) -> tuple[AdviceRun, Played]:
    """Play a rule over linearised losses: expert i is charged g·x_i, g the slope of the loss at the rule's own forecast p·x.

    By convexity loss(p·x) - loss(u·x) ≤ g·(p·x - u·x) for every combination u. So what a theorem says of the regret over these charges,
    which are linear in u, it says of the loss beside the best convex combination. Within a round a constant may be added: charges are
    measured from the end of the range that g favours, and lie in [0, 1] once divided by `gradient_scale`. They depend on the rule, so
    rounds go one by one.
    """
    n, r = len(table.names), table.reading
    scale, low, high = gradient_scale(r), r.low or 0.0, r.high or 0.0
    runner = AdviceRunner(rule, n, counting=True)
    played = Played(r, np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    parts, kept, untold = [], [], np.full(1, -1, np.int32)
    begun = perf_counter()
    for advice, forecasts, truths in table.advices():
        assert forecasts is not None and truths is not None
        least, wide = np.empty(len(advice)), np.empty(len(advice))
        kernels.spans(forecasts, least, wide)
        shares = np.minimum((forecasts - least[:, None]) / np.where(wide > 0, wide, 1.0)[:, None], 1.0).astype(np.float32)
        charges, own = shares.copy(), np.full(len(advice), np.nan)
        silent: Any = np.isnan(forecasts).all(axis=1)
        for t in range(len(advice)):
            if not silent[t]:
                own[t] = least[t] + float(runner.take(Advice(shares[t : t + 1], untold))[0][0]) * wide[t]
            if advice.truth[t] >= 0 and not silent[t]:
                g = slope(r, own[t], truths[t])
                charges[t] = np.clip((g * (forecasts[t] - low) if g >= 0 else g * (forecasts[t] - high)) / scale, 0.0, 1.0)
            parts.append(runner.part(Advice(charges[t : t + 1], advice.truth[t : t + 1], advice.first_round + t)))
        kept.append(Advice(charges, advice.truth, advice.first_round))
        played.take((advice, forecasts, truths), np.empty(0), own, None)
    played.finish()
    return runner.run(parts, perf_counter() - begun, lambda: iter(kept)), played
