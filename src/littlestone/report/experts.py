"""Experts over time, as a figure: what each has lost, the regret beside its bound, and whom the rule trusts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.api.experts import ExpertsRun
from littlestone.api.observers import Observer, Taken
from littlestone.api.play import loop
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Advice, AdviceRun, RuleRunner
from littlestone.report import charts
from littlestone.report.expert_words import number
from littlestone.report.look import BLUE, INK, MUTED, ORANGE, SILVER, canvas, name_of, plain_frame, plain_ticks

POINTS = 240  # of a line
CHECKED = 40  # points at which the theorems are asked again
MOST_CELLS = 20_000_000  # beyond, the theorems are asked at the end only: each asking may look at all rounds before it
PACK = 200  # lines of the pack; of more experts, those in even steps from the best to the worst
BESIDE: Any = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "fontsize": 8.5, "reverse": True}


class History(Observer):
    """A run at some of its rounds. A sleeper is charged what the rule loses, so that all lines speak of the same rounds."""

    scores = True  # the mixtures

    def __init__(self, run: AdviceRun, runner: RuleRunner, places: np.ndarray, checks: set[int], own: Any, uniform: Any) -> None:
        self.run, self.runner, self.checks, self.own_losses, self.uniform_losses = run, runner, checks, own, uniform
        self.slept, self.theorem, self.rounds = run.slept, _theorem(run), places
        self.lines: list[tuple[float, float, np.ndarray]] = []  # at each place, what the rule has lost, the plain average, each expert
        self.shares: list[np.ndarray] = []  # and the weights
        self.asked: list[int] = []  # rounds at which the theorems were asked
        self.regret: list[float] = []  # what the rule lost beyond whom its theorem compares with
        self.bound: list[float] = []  # and at most could have
        self._ahead, self._done = places.tolist()[::-1], 0
        self._line: tuple[float, float, np.ndarray] = (0.0, 0.0, np.zeros(run.rule.n or 0))

    @cached_property
    def rule(self) -> np.ndarray:
        return np.array([lost for lost, _, _ in self.lines])

    @cached_property
    def uniform(self) -> np.ndarray:
        """What trusting all alike has lost."""
        return np.array([average for _, average, _ in self.lines])

    @cached_property
    def losses(self) -> np.ndarray:
        """A row for each place, an expert in each column."""
        return np.array([each for _, _, each in self.lines])

    @cached_property
    def weights(self) -> np.ndarray | None:
        return np.array(self.shares) if self.shares else None

    def cut(self, block: Advice) -> Iterator[Advice]:
        """The block in pieces that end at the places."""
        start, before = 0, self._done
        while start < len(block):
            stop = min(len(block), self._ahead[-1] - before) if self._ahead else len(block)
            yield block.cut(start, stop)
            start = stop

    def after(self, taken: Taken) -> None:
        advice, labelled = taken.block, taken.block.truth >= 0
        assert taken.scores is not None
        rows, truth, mix = advice.table[labelled].astype(np.float64), advice.truth[labelled], taken.scores[labelled]
        costs = np.abs(rows - truth[:, None])
        here = slice(self._done, self._done + len(advice))
        paid = np.abs(mix - truth) if self.own_losses is None else self.own_losses[here][labelled]
        paid = np.where(np.isnan(paid), 0.0, paid)  # nobody was awake to make a forecast of
        asleep = np.isnan(costs)
        awake = np.maximum((~asleep).sum(axis=1), 1)
        alike = np.where(asleep, 0.0, costs).sum(axis=1) / awake if self.uniform_losses is None else self.uniform_losses[here][labelled]
        lost, average, each = self._line
        average += float(np.where(asleep.all(axis=1), paid, alike).sum())
        self._line = (lost + float(paid.sum()), average, each + np.where(asleep, paid[:, None], costs).sum(axis=0))
        self._done += len(advice)
        if self._ahead and self._done == self._ahead[-1]:
            self._note(self._ahead.pop())

    def _note(self, place: int) -> None:
        rule = self.run.rule
        self.lines.append(self._line)
        if rule.weights is not None:
            self.shares.append(rule.weights(rule, self.runner.state))
        if place in self.checks and self.theorem:
            so_far = self.runner.run(again=partial(first_rounds, self.run, place))
            claim = next((c for c in so_far.bounds() if c.name == self.theorem), None)
            if claim is not None and claim.limit is not None:
                m = float(claim.facts["m"])
                self.asked.append(place)
                self.regret.append(float(claim.observed - m))
                self.bound.append(float(claim.limit) - m)


def history(run: AdviceRun, own: np.ndarray | None = None, uniform: np.ndarray | None = None) -> History:
    """Play the rule once more, and look at it now and then.

    `own` and `uniform` are what the rule's own forecast and the plain average lost each round, NaN where it does not count; without them,
    the weighted and the plain mean of the experts' losses.
    """
    if run.again is None:
        raise LittlestoneError("a figure needs a second look at the advice, and the stream was read once")
    total, n = len(run.truth), run.rule.n or 0
    require(total > 0, "there is no round to draw")
    places = np.unique(np.linspace(1, total, min(POINTS, total)).round().astype(int))
    small = total * n <= MOST_CELLS
    checks = set(places[np.unique(np.linspace(0, len(places) - 1, CHECKED).round().astype(int))].tolist()) if small else {total}
    runner = RuleRunner(run.rule, n, counting=True)
    past = History(run, runner, places, checks, own, uniform)
    loop(runner, partial(first_rounds, run, total), [past], scored=True)
    return past


def _theorem(run: AdviceRun) -> str:
    """Of the theorems that compare with an expert, the one that says most of this run."""
    claims = [c for c in run.bounds() if c.limit is not None and "m" in c.facts and not c.name.endswith("-mixture")]
    return min(claims, key=lambda c: float(c.limit or 0) - float(c.facts["m"])).name if claims else ""


def first_rounds(run: AdviceRun, count: int) -> Iterator[Advice]:
    """The advice of so many rounds."""
    assert run.again is not None
    for advice in run.again():
        if count <= 0:
            return
        yield advice.cut(0, min(count, len(advice)))
        count -= len(advice)


def draw_experts(run: ExpertsRun, path: Path | str) -> None:
    """A run over a table of experts, in the units of the table."""
    require(run.gradient is None, "a figure is of the experts' own losses, and this rule was told gradients: draw the run without them")
    drawn_of(run).save(path)


def drawn_of(run: ExpertsRun) -> Drawn:
    """What is drawn of a run over a table, in its units."""
    reading = run.reading
    scale, low = reading.scale or 1.0, (reading.low or 0.0) if reading.advice == "loss" else 0.0
    past = history(run.run, (run.played.own - low) / scale, (run.played.uniform - low) / scale)
    what = {"vote": "wrong votes", "probability": "distance from the truth", "loss": "as given", "gain": "gain forgone"}
    real = reading.advice == "forecast" and reading.loss != "zero_one"
    unit = f"{reading.loss} loss" if real else what["vote" if reading.loss else reading.advice or ""]
    name = f"{Path(run.table.source.path).name}: " if run.table.source.path else ""
    title = f"{name}{run.rule.name}, {len(run.names):,} experts, {run.rounds:,} rounds"
    forecasts = reading.played == "loss" and reading.judged and not run.rule.bandit
    return Drawn(past, run.names, title, run.names.index(run.best.name), unit, scale, low, forecasts)


def drawn_of_advice(run: AdviceRun) -> Drawn:
    """What is drawn of a rule over advice in memory, whose experts have numbers."""
    names = [f"expert {i}" for i in range(run.rule.n or 0)]
    return Drawn(history(run), names, f"{run.rule.name}, {len(names):,} experts, {run.rounds:,} rounds", run.best)


@dataclass(frozen=True)
class Drawn:
    """Three panels over time: losses, regret beside its bound, weights. A loss is scale·loss + low for each round.

    `means`: the bound is about the mean of the experts' losses, and the rule's own line about its forecast, which loses no more.
    """

    past: History
    names: Sequence[str]
    title: str
    best: int
    unit: str = ""
    scale: float = 1.0
    low: float = 0.0
    means: bool = False

    def save(self, path: Path | str) -> None:
        """All three in one file."""
        shape: dict[str, Any] = {"figsize": (9.6, 10.4), "dpi": 130, "sharex": True, "height_ratios": (1.15, 0.85, 1.0)}
        with canvas(path, 3, 1, **shape) as (figure, panels):
            self.draw(figure, panels)

    def draw(self, figure: Any, panels: Any) -> None:
        """All three on axes one below the other."""
        figure.suptitle(self.title, x=0.01, ha="left", color=INK, fontsize=12.5, fontweight="bold")
        charged = "; a sleeper is charged what the rule loses" if self.past.slept else ""
        headings = (f"loss so far{self.unit and f', {self.unit}'}{charged}", "regret", "weights")
        for axes, draw, heading in zip(panels, (self.losses, self.regret, self.weights), headings, strict=True):
            draw(axes)
            axes.legend(**BESIDE) if axes.get_legend_handles_labels()[0] else None
            axes.set_title(heading, loc="left", color=INK, fontsize=10.5)
        for axes in panels[:2]:
            axes.set_xlabel("")

    def _framed(self, axes: Any, what: str) -> None:
        plain_frame(axes)
        axes.margins(x=0)
        axes.set_xlim(0, int(self.past.rounds[-1]))
        axes.set_xlabel("rounds")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        if what:
            plain_ticks(axes.yaxis, charts.short)
            axes.set_ylabel(what)

    def losses(self, axes: Any) -> None:
        """What the rule has lost, the best expert, the plain average, and all others."""
        past, scale = self.past, self.scale
        order = np.argsort(past.losses[-1], kind="stable")
        shown = order if len(order) <= PACK else order[np.linspace(0, len(order) - 1, PACK).astype(int)]
        base = self.low * past.rounds
        for i in shown[::-1]:
            axes.plot(past.rounds, scale * past.losses[:, i] + base, color=SILVER, linewidth=0.7, alpha=0.6, zorder=1)
        asleep = ",\nand the rule\nwhile it slept" if past.slept else ""
        lines = [
            ("uniform average", past.uniform, MUTED, "--", 1.6),
            (f"best expert,\n{name_of(self.names[self.best])}{asleep}", past.losses[:, self.best], ORANGE, "-", 1.8),
            ("the rule", past.rule, BLUE, "-", 2.4),
        ]
        for name, line, colour, style, width in lines:
            total = scale * line + base
            axes.plot(past.rounds, total, style, color=colour, linewidth=width, label=f"{name}:\n{number(total[-1])}", zorder=3)
        axes.plot([], [], color=SILVER, linewidth=0.9, label=f"{len(self.names):,} experts")
        if self.low == 0:
            pack = max(past.uniform[-1], float(np.median(past.losses[-1])))
            highest = scale * max(past.rule[-1], min(pack, 3 * past.rule[-1]))  # the worst may leave; the rule and the best must show
            axes.set_ylim(0, 1.15 * highest if highest > 0 else 1)
        self._framed(axes, "loss")

    def regret(self, axes: Any) -> None:
        """What the rule lost beyond the best, and what its theorem allows."""
        past, scale = self.past, self.scale
        behind = scale * (past.rule - past.losses[:, self.best])
        label = f"the rule behind\n{name_of(self.names[self.best])}:\n{number(behind[-1])}"
        axes.plot(past.rounds, behind, color=BLUE, linewidth=1.8, label=label)
        if past.asked:
            bound, regret = scale * np.array(past.bound), scale * np.array(past.regret)
            dot = {"marker": "o"} if len(bound) == 1 else {}
            whom = "the expert\nfor whom the bound is nearest" if past.slept else "the best so far"
            who = "the mean of the losses\nbehind" if self.means else "the rule behind"
            label = f"{who} {whom}:\n{number(regret[-1])}"
            axes.plot(past.asked, regret, color=ORANGE, linewidth=1.4, label=label, **dot)
            axes.plot(past.asked, bound, "--", color=INK, linewidth=1.6, label=f"its bound,\n{past.theorem}:\n{number(bound[-1])}", **dot)
            axes.fill_between(past.asked, regret, bound, color=INK, alpha=0.05, linewidth=0)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        self._framed(axes, "regret")

    def weights(self, axes: Any) -> None:
        """Whom the rule trusts."""
        if self.past.weights is None:
            axes.set_ylim(0, 1)
            axes.annotate("this rule has no weights", (0.5, 0.5), xycoords="axes fraction", ha="center", color=MUTED)
        else:
            charts.shares(axes, self.past.rounds, self.past.weights, self.names)
        self._framed(axes, "")
