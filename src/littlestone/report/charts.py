"""What is drawn of a run, each on axes that somebody else has made: the page, a notebook, a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from littlestone.report.look import BLUE, GREEN, INK, MUTED, ORANGE, PALE, PAPER, RED, SERIES, SILVER, name_of, plain_frame, plain_ticks
from littlestone.report.timeline import Sample, Steps
from littlestone.theory import Claim

FAR = 2.5  # a limit so many times the mistakes would flatten them: on a linear scale it is said, not drawn
MOST_BOUNDS = 4
NAMED = 8
DASHES = ((0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))


def counted(axes: Any, *, across: bool = True) -> None:
    """Thousands apart, and few ticks."""
    from matplotlib.ticker import MaxNLocator

    for axis in (axes.xaxis, axes.yaxis) if across else (axes.yaxis,):
        plain_ticks(axis, short)
        if axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(5))
    plain_frame(axes)


def short(value: float) -> str:
    """A number of a tick.

    >>> short(1500), short(20000.0), short(2_500_000), short(1.4e9), short(0.25), short(0)
    ('1,500', '20k', '2.5M', '1.4G', '0.25', '0')
    """
    if abs(value) >= 1e9:
        return f"{value / 1e9:g}G"
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1e3:g}k" if abs(value) >= 1e4 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def in_percent() -> Any:
    """Ticks that are shares, in percent."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: f"{100 * value:.3g} %")


def mistakes(
    axes: Any, steps: Steps, claims: Sequence[Claim] = (), samples: Sequence[Sample] = (), *, log: bool = False, two: bool = True
) -> None:
    """Mistakes over rounds, beside each bound that compares: as it grew where that is known, else what it allows in the end."""
    rounds, made = steps.rounds, steps.mistakes
    axes.plot(
        rounds,
        made,
        color=BLUE,
        linewidth=2.2,
        label=f"mistakes: {made[-1]:,}",
        zorder=4,
        drawstyle="steps-post" if steps.width == 1 else None,
    )
    if two:
        constant = steps.majority
        axes.plot(rounds, constant, color=SILVER, linewidth=1.4, label=f"the more frequent label so far: {constant[-1]:,}", zorder=2)
    top = highest = max(float(made[-1]), float(steps.majority[-1]) if two else 0.0, 1.0)
    for claim, colour, dashes in zip(comparing(claims), (ORANGE, GREEN, RED, INK), DASHES, strict=False):
        limit = float(claim.limit)  # type: ignore[arg-type]
        label = f"{claim.name}: at most {claim.limit:,.6g}"
        style: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.7, "zorder": 3}
        if not log and limit > FAR * highest:
            axes.plot([], [], label=f"{label} (above the figure)", **style)
            continue
        grown = [(sample.rounds, sample.limits[claim.name]) for sample in samples if claim.name in sample.limits]
        if len(grown) > 1:
            axes.plot(*zip(*grown, strict=True), label=label, **style)
        else:
            axes.plot([max(1, rounds[0]) if log else 0, rounds[-1]], [limit, limit], label=f"{label} in the end", **style)
        top = max(top, limit)
    over_rounds(axes, rounds[-1], 1.08 * top, "mistakes", log=log)


def over_rounds(axes: Any, last: int, top: float, what: str, *, log: bool) -> None:
    """Something that adds up, to so much, over so many rounds; on both scales alike."""
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlim(1 if log else 0, max(2 if log else 1, last))
    axes.set_ylim(0.8 if log else 0, None if log else top)
    axes.set_xlabel("rounds")
    axes.set_ylabel(what)
    counted(axes)


def comparing(claims: Sequence[Claim]) -> list[Claim]:
    """The bounds that compare with somebody over all rounds, and hold or are broken, the smallest first; of equal names the first."""
    stated = sorted((c for c in claims if c.limit is not None and c.compares), key=lambda c: float(c.limit))  # type: ignore[arg-type]
    return list({claim.name: claim for claim in reversed(stated)}.values())[::-1][:MOST_BOUNDS]


def rate(axes: Any, steps: Steps, window: int | None = None) -> None:
    """How often it errs: in the last so many rounds, and in all so far."""
    ends, shares, wide = steps.windowed(steps.mistakes, window)
    rounds = steps.rounds[1:]
    axes.plot(ends, shares, color=BLUE, linewidth=1.5, label=f"in the last {wide:,} rounds: {100 * shares[-1]:.2f} %")
    so_far = steps.mistakes[1:] / rounds
    later = rounds >= ends[0]
    axes.plot(
        rounds[later],
        so_far[later],
        color=MUTED,
        linewidth=1.5,
        linestyle=(0, (5, 2)),
        label=f"in all rounds so far: {100 * so_far[-1]:.2f} %",
    )
    _shares(axes, max(float(shares.max()), float(so_far[later].max())), steps)
    axes.set_ylabel("share of wrong rounds")


def ways(axes: Any, steps: Steps, window: int | None = None) -> None:
    """Which way it errs."""
    top = 0.0
    for name, so_far, colour, style in (
        ("positives", steps.false_positives, ORANGE, "-"),
        ("negatives", steps.false_negatives, BLUE, (0, (5, 2))),
    ):
        ends, shares, _ = steps.windowed(so_far, window)
        axes.plot(ends, shares, color=colour, linestyle=style, linewidth=1.5, label=f"false {name}: {so_far[-1]:,} in all")
        top = max(top, float(shares.max()))
    _shares(axes, top, steps)
    axes.set_ylabel("share of all rounds")


def _shares(axes: Any, top: float, steps: Steps) -> None:
    axes.set_xlim(0, max(1, steps.total))
    axes.set_ylim(0, min(1.0, 1.1 * top) or 0.01)
    axes.set_xlabel("rounds")
    counted(axes)
    axes.yaxis.set_major_formatter(in_percent())


def calibration(axes: Any, reliability: Any) -> None:
    """Forecasts beside what came: on the line where they are right. A bar is what chance alone does, 19 times of 20."""
    forecasts, came, counts = (np.array([getattr(row, name) for row in reliability.bins]) for name in ("forecast", "share", "count"))
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.2, linestyle=(0, (5, 2)), label="as forecast")
    chance = 1.96 * np.sqrt(forecasts * (1 - forecasts) / counts)
    axes.vlines(
        forecasts, np.maximum(forecasts - chance, 0), np.minimum(forecasts + chance, 1), color=PALE, linewidth=4, label="chance alone, 95 %"
    )
    sizes = 12 + 90 * counts / counts.max()
    axes.scatter(forecasts, came, s=sizes, color=BLUE, edgecolors=PAPER, linewidths=0.8, zorder=3, label="what came; larger: more rounds")
    _unit_square(axes, "probability forecast", "share that came true")


def roc(axes: Any, curve: tuple[np.ndarray, np.ndarray], auc: float | None) -> None:
    """What share of the positives is found, for each share of the negatives that is taken for positive."""
    label = "the run's scores" if auc is None else f"the run's scores: AUC {auc:.4f}"
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.2, linestyle=(0, (5, 2)), label="a coin: 0.5")
    axes.plot(*thinned(*curve), color=BLUE, linewidth=2, label=label)
    _unit_square(axes, "negatives taken for positive", "positives found")


def _unit_square(axes: Any, across: str, up: str) -> None:
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    plain_frame(axes)


def thinned(x: np.ndarray, y: np.ndarray, least: float = 1 / 500) -> tuple[np.ndarray, np.ndarray]:
    """A rising curve without points that are nearer than this to the one before; the first and the last stay."""
    if len(x) < 3:
        return x, y
    steps = ((x + y) / least).astype(np.int64)
    kept = np.concatenate([[True], np.diff(steps) > 0])
    kept[-1] = True
    return x[kept], y[kept]


def weights(axes: Any, samples: Sequence[Sample], members: Sequence[str]) -> None:
    """Whom a panel trusts, over time."""
    table = np.array([sample.weights for sample in samples])
    shares(axes, np.array([sample.rounds for sample in samples]), table, members)


def regret(axes: Any, samples: Sequence[Sample], claims: Sequence[Claim] = ()) -> None:
    """How many mistakes more a panel has made than the member who has made the fewest so far, and what the best theorem allows."""
    rounds, fewest = (np.array([getattr(sample, name) for sample in samples]) for name in ("rounds", "fewest"))
    more = np.array([sample.made for sample in samples]) - fewest
    axes.plot(rounds, more, color=BLUE, linewidth=2, label=f"more than the best member: {more[-1]:,}", zorder=3)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    watched = next((claim.name for claim in comparing(claims) if all(claim.name in sample.limits for sample in samples)), None)
    if watched:
        allowed = np.array([sample.limits[watched] for sample in samples]) - fewest
        axes.plot(rounds, allowed, color=INK, linewidth=1.5, linestyle=DASHES[0], label=f"{watched} allows {allowed[-1]:,.6g}")
    axes.set_xlim(0, max(1, rounds[-1]))
    axes.set_xlabel("rounds")
    axes.set_ylabel("mistakes")
    counted(axes)


def shares(axes: Any, rounds: np.ndarray, table: np.ndarray, names: Sequence[str]) -> None:
    """Shares that add up to 1: those trusted long or in the end by name, the others together."""
    held = table.mean(axis=0) + table[-1]
    top = np.argsort(-held, kind="stable")[:NAMED]
    top = top[held[top] > 0.002]
    parts, labels = [table[:, i] for i in top], [name_of(names[i]) for i in top]
    colours, others = list(SERIES[: len(top)]), len(names) - len(top)
    if others:
        parts.append(np.maximum(0.0, 1.0 - table[:, top].sum(axis=1)))
        labels, colours = [*labels, f"{others:,} others"], [*colours, PALE]
    axes.stackplot(rounds, *parts, labels=labels, colors=colours, linewidth=0.3, edgecolor=PAPER)
    axes.set_ylim(0, 1)
    axes.set_xlim(rounds[0], max(rounds[-1], rounds[0] + 1))
    axes.set_xlabel("rounds")
    axes.set_ylabel("share of the weight")
    counted(axes)


def compared(axes: Any, courses: Mapping[str, tuple[np.ndarray, np.ndarray]], *, log: bool = False, cost: str = "mistakes") -> None:
    """Mistakes, or losses, of several over the same rounds, the best in the end first."""
    ranked = sorted(courses.items(), key=lambda item: float(item[1][1][-1]))
    most, last = 1.0, 1
    for place, (name, (rounds, made)) in enumerate(ranked):
        colour = SERIES[place] if place < len(SERIES) else SILVER
        total = f"{made[-1]:,.0f}" if float(made[-1]).is_integer() else f"{made[-1]:,.2f}"
        label = f"{name_of(name, 44)}: {total}" if place < len(SERIES) else None
        axes.plot(
            rounds,
            made,
            color=colour,
            linewidth=2.2 if place == 0 else 1.4,
            linestyle="-" if place < 4 else (0, (5, 2)),
            label=label,
            zorder=20 - place,
        )
        most, last = max(most, float(made[-1])), max(last, int(rounds[-1]))
    if len(ranked) > len(SERIES):
        axes.plot([], [], color=SILVER, label=f"{len(ranked) - len(SERIES)} others")
    over_rounds(axes, last, 1.05 * most, cost, log=log)


def limits(axes: Any, claims: Sequence[Claim], observed: float, cost: str = "mistakes") -> None:
    """What each bound allows: what its comparator loses, and the price of not knowing it; and what was observed."""
    stated = [claim for claim in claims if claim.limit is not None]
    for row, claim in enumerate(reversed(stated)):
        limit = float(claim.limit)  # type: ignore[arg-type]
        lost = float(claim.comparator_loss or 0)
        if claim.compares:
            axes.barh(row, lost, color=BLUE, height=0.5)
            axes.barh(row, limit - lost, left=lost, color=PALE, height=0.5)
        else:
            axes.barh(row, limit, color=PAPER, edgecolor=SILVER, height=0.5)
        axes.annotate(f" {claim.limit:,.6g}", (limit, row), va="center", color=INK, fontsize=9)
    axes.barh(0, 0, color=BLUE, label="lost by whom it compares with")
    axes.barh(0, 0, color=PALE, label="for not knowing whom")
    if not all(claim.compares for claim in stated):
        axes.barh(0, 0, color=PAPER, edgecolor=SILVER, label="an account: it compares with nobody")
    axes.axvline(
        observed, color=ORANGE, linewidth=2.2, label=f"{cost} made: {observed:,.6g}" if cost == "mistakes" else f"{cost}: {observed:,.6g}"
    )
    axes.set_yticks(range(len(stated)), [name_of(claim.name, 34) for claim in reversed(stated)])
    largest = max([float(claim.limit) for claim in stated if claim.limit is not None] + [observed, 1.0])
    axes.set_xlim(0, 1.18 * largest)
    axes.set_xlabel(cost)
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(4))
    plain_ticks(axes.xaxis, short)
    plain_frame(axes)
    axes.grid(False, axis="y")


def confusion(axes: Any, labels: Sequence[Any], counts: np.ndarray) -> None:
    """Which class is taken for which: shares of each row, the true class."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [name_of(label, 14) for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    if len(names) <= 12:
        for i, j in np.ndindex(counts.shape):
            axes.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", fontsize=8, color=PAPER if shares[i, j] > 0.5 else INK)


def promise(axes: Any, fit: Any) -> None:
    """The error on rows never seen with its interval, what was promised, and the majority."""
    low, high = fit.error_interval
    made = fit.wrong / max(1, fit.unseen)
    bars = [("always the majority", fit.majority / max(1, fit.unseen), SILVER), ("the hypothesis", made, BLUE)]
    for row, (_, share, colour) in enumerate(bars):
        axes.barh(row, share, color=colour, height=0.5)
    axes.plot([low, high], [1, 1], color=INK, linewidth=2, marker="|", markersize=12, label=f"interval, {100 * (1 - fit.delta):g} %")
    largest = max(high, bars[0][1])
    if fit.promise is not None:
        allowed = float(fit.promise["epsilon"])
        axes.axvline(
            allowed,
            color=ORANGE,
            linewidth=2.2,
            linestyle=(0, (5, 2)),
            label=f"{'promised' if fit.reached else 'what the rows were enough for'}: at most {100 * allowed:.3g} %",
        )
        largest = max(largest, allowed)
    from matplotlib.ticker import MaxNLocator

    axes.set_yticks(range(len(bars)), [f"{name}: {100 * share:.2f} %" for name, share, _ in bars])
    axes.set_xlim(0, 1.1 * largest or 0.01)
    axes.set_xlabel("share of wrong rows")
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(in_percent())
    plain_frame(axes)
    axes.grid(False, axis="y")
