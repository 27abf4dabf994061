"""The one look of every figure: its colours, its frame, and where matplotlib is asked for. matplotlib is an extra, `plot`."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, one_line

INK, MUTED, BLUE, ORANGE = "#222222", "#6b6b6b", "#1f6fb4", "#d9660a"
GREEN, PURPLE, RED, BROWN, PINK, TEAL = "#2a9d63", "#9b4dca", "#c43a4f", "#7a5c3e", "#d98cb3", "#5f9ea0"
SILVER, PALE, GRID, PAPER = "#b9b9b9", "#dcdcdc", "#ececec", "#ffffff"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, RED, BROWN, PINK, TEAL)

#: By its name in a style sheet, each colour on white paper and on a dark screen.
COLOURS = {
    "ink": (INK, "#e6edf3"),
    "muted": (MUTED, "#9aa4af"),
    "blue": (BLUE, "#6cb6ff"),
    "orange": (ORANGE, "#f0883e"),
    "green": (GREEN, "#5fc48a"),
    "purple": (PURPLE, "#c297ff"),
    "red": (RED, "#ff8b8f"),
    "brown": (BROWN, "#c9a27c"),
    "pink": (PINK, "#f0b4d2"),
    "teal": (TEAL, "#86c5c7"),
    "silver": (SILVER, "#6e7681"),
    "pale": (PALE, "#3d444d"),
    "grid": (GRID, "#2a3038"),
    "paper": (PAPER, "#0d1117"),
}

STYLE: dict[str, Any] = {
    "text.parse_math": False,  # names may hold signs that would be taken for mathematics
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "littlestone",  # the same run, the same file
}
NO_MATPLOTLIB = "drawing needs matplotlib: install the extra 'plot', or matplotlib itself"


def look() -> AbstractContextManager:
    """Within it figures look like ours, whatever the user's own settings are."""
    try:
        from matplotlib import style
    except ImportError:
        raise LittlestoneError(NO_MATPLOTLIB) from None
    return style.context(["default", STYLE])


def bare_figure(
    *grid: int, figsize: tuple[float, float], dpi: int = 100, layout: str | None = "constrained", **looks: Any
) -> tuple[Any, Any]:
    """A figure that belongs to no window, and its axes; to be used within `look`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize, dpi=dpi, layout=layout)  # type: ignore[arg-type]
    return figure, figure.subplots(*grid, **looks)


@contextmanager
def canvas(path: Path | str, *grid: int, **looks: Any) -> Iterator[tuple[Any, Any]]:
    """A figure and its axes; written to the file (.png, .pdf, .svg) when all is drawn."""
    with look():
        figure, axes = bare_figure(*grid, **looks)
        try:
            yield figure, axes
            figure.savefig(path)
        except (OSError, ValueError) as error:
            raise LittlestoneError(f"the figure cannot be written to {path}: {error}") from None


def plain_frame(axes: Any, grid: str = GRID) -> None:
    """Two sides of a frame, and a faint grid below what is drawn."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, which="major", color=grid, linewidth=0.8)
    axes.set_axisbelow(True)


def plain_ticks(axis: Any, written: Callable[[float], str]) -> None:
    """Ticks as plain text: on a logarithmic scale matplotlib would write mathematics, which is shown here as it stands."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: written(value)))
    axis.set_minor_formatter(NullFormatter())


def name_of(thing: Any, room: int = 28) -> str:
    """A name of the user's as a figure shows it: on one line, shortened to its room.

    >>> name_of("a name of more than twenty-eight letters"), name_of("$x$")
    ('a name of more than twenty-…', '$x$')
    """
    name = one_line(thing)
    return name if len(name) <= room else f"{name[: room - 1]}…"
