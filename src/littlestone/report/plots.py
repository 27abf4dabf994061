"""Figures. matplotlib is an extra, `plot`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError

INK, MUTED, BLUE, ORANGE = "#222222", "#777777", "#1f6fb4", "#d9660a"


@contextmanager
def canvas(path: Path | str, *grid: int, **looks: Any) -> Iterator[tuple[Any, Any]]:
    """A figure and its axes, as `plt.subplots` makes them; written to the file (.png, .pdf, .svg) when all is drawn."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise LittlestoneError("drawing needs matplotlib: install the extra 'plot', or matplotlib itself") from None
    figure, axes = plt.subplots(*grid, **looks)
    try:
        yield figure, axes
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise LittlestoneError(f"the figure cannot be written to {path}: {error}") from None
    finally:
        plt.close(figure)


def plain_frame(axes: Any, grid: str = "#ececec") -> None:
    """Two sides of a frame, and a faint grid below what is drawn."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, which="major", color=grid, linewidth=0.8)
    axes.set_axisbelow(True)


def contest(
    path: Path,
    sizes: Sequence[int],
    mistakes: Mapping[str, Sequence[int]],
    bounds: Mapping[str, Sequence[int]],
    rounds: int,
    title: str,
) -> None:
    """Mistakes (solid) and bounds (dashed) of two learners as the number of features grows."""
    with canvas(path, figsize=(8, 5.2), dpi=150) as (figure, axes):
        for (name, made), colour in zip(mistakes.items(), (BLUE, ORANGE), strict=True):
            axes.plot(sizes, bounds[name], "--", color=colour, linewidth=1.4)
            axes.plot(sizes, made, "o-", color=colour, linewidth=2.2, markersize=5)
            beside: Any = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "color": colour}
            axes.annotate(name, (sizes[-1], made[-1]), fontweight="bold", **beside)
            axes.annotate("its bound", (sizes[-1], bounds[name][-1]), **beside)
        axes.axhline(rounds, color=MUTED, linewidth=0.8)
        ends = f"{rounds:,} rounds: the stream ends"
        axes.annotate(ends, (sizes[0], rounds), (0, 5), textcoords="offset points", color=MUTED, fontsize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(sizes[0] * 0.8, sizes[-1] * 6)
        axes.set_xlabel("features n")
        axes.set_ylabel("mistakes")
        axes.set_title(title, loc="left", color=INK, fontsize=12)
        plain_frame(axes, "#e6e6e6")
        figure.tight_layout()
