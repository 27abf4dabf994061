"""A duel as a figure: mistakes as a staircase between both bounds, and below it the terms of the proof."""

from itertools import accumulate
from math import log2
from pathlib import Path
from typing import Any

from littlestone.api.duel import Duel
from littlestone.report.duel import number, title
from littlestone.report.look import BLUE, INK, MUTED, ORANGE, canvas, plain_frame, plain_ticks

COLOURS = (MUTED, BLUE, ORANGE, INK)
FAR = 6  # an upper bound so many times the mistakes would flatten the staircase: it is said, not drawn
BAND: dict[str, Any] = {"linewidth": 6, "alpha": 0.3, "solid_capstyle": "butt"}  # what bounds is a band, so that what lies on it is seen


def draw_duel(duel: Duel, path: Path | str) -> None:
    """Draw it to a file (.png, .pdf, .svg)."""
    proved = bool(duel.proof.lines) and bool(duel.steps)
    shape: dict[str, Any] = {"figsize": (9.2, 7.8 if proved else 4.6), "dpi": 130, "layout": "constrained", "squeeze": False}
    with canvas(path, 2 if proved else 1, 1, **shape) as (figure, panels):
        named = title(duel).replace(" against ", "\nagainst ")
        figure.suptitle(named, x=0.01, ha="left", color=INK, fontsize=12, fontweight="bold")
        drawings = ((staircase, "mistakes"), (terms, f"the proof: {duel.proof.lines[0].statement}" if proved else ""))
        for axes, (draw, heading) in zip(panels[:, 0], drawings, strict=False):
            draw(axes, duel)
            axes.set_title(heading, loc="left", color=INK, fontsize=10.5)
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9)


def _framed(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain_frame(axes)


def staircase(axes: Any, duel: Duel) -> None:
    """Mistakes over rounds, between both bounds."""
    made = [0, *accumulate(int(played.mistake) for played in duel.game.rounds)]
    axes.step(range(len(made)), made, where="post", color=BLUE, linewidth=2.4, label=f"mistakes: {duel.mistakes:,}", zorder=3)
    high, low = duel.upper_bound, duel.lower_bound
    if high is not None:
        label = f"upper bound {high:,}\n{duel.upper.name}"
        if high <= FAR * max(1, duel.mistakes):
            axes.axhline(high, color=INK, label=label, **BAND)
        else:
            axes.plot([], [], color=INK, label=f"{label}\n(above the panel)", **BAND)
    if low is not None:
        axes.axhline(low, linestyle=":", color=ORANGE, linewidth=2.2, label=f"lower bound {low:,}\n{duel.adversary!r}")
    axes.set_xlim(0, 1.01 * max(1, duel.rounds))
    axes.set_ylim(0, None)
    axes.set_xlabel("rounds")
    axes.set_ylabel("mistakes")
    _framed(axes)


def terms(axes: Any, duel: Duel) -> None:
    """The first inequality of the proof, term by term, at each mistake."""
    line = duel.proof.lines[0]
    numbers = [[float(term) for term in step.numbers[0]] for step in duel.steps.values()]
    counted = list(accumulate(int(played.mistake) for played in duel.game.rounds))
    xs = [counted[t - 1] for t in duel.steps]
    few = {"marker": "o", "markersize": 4} if len(xs) <= 40 else {}
    for j, symbol in reversed(list(enumerate(line.symbols))):
        own = symbol in line.potentials
        colour = COLOURS[min(j, 3)] if len(line.symbols) > 2 else (BLUE, INK)[j]
        style: dict[str, Any] = {"linewidth": 2.2, **few} if own else BAND
        axes.plot(
            xs,
            [row[j] for row in numbers],
            label=f"{symbol}: {number(numbers[-1][j])}",
            zorder=3 if own else 2,
            color=colour,
            **style,
        )
    least = min(v for row in numbers for v in row)
    if least > 0 and "^" in line.statement:  # a factor for each mistake
        axes.set_yscale("log", base=2)
        plain_ticks(axes.yaxis, lambda value: f"2^{log2(value):g}")
    elif least >= 0:
        axes.set_ylim(0, None)
    axes.set_xlabel("mistakes")
    _framed(axes)
