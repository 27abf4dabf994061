"""The figures of docs/theory, each computed here from the code: worst case, bound, typical run. `python scripts/figures.py [NAME ...]`.

What a figure shows is worked out by the function of its name in `scripts/curves`; the numbers are kept in the PNG's description, so that
a test can hold a figure against the code that drew it.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import time
from io import BytesIO
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from curves import FIGURES, Figure
from littlestone.report.look import BLUE, INK, MUTED, ORANGE

FOLDER = Path(__file__).parents[1] / "docs" / "theory" / "figures"
GREEN, VIOLET = "#2a9d63", "#9b4dca"
TICKS = 13  # up to so many places, each is named

#: How a kind of line looks, wherever it occurs.
STYLES: dict[str, dict] = {
    "bound": {"color": INK, "linestyle": "--", "linewidth": 1.6, "zorder": 5},
    "bound 2": {"color": VIOLET, "linestyle": "--", "linewidth": 1.4},
    "claim": {"color": MUTED, "linestyle": ":", "linewidth": 1.6},
    "worst": {"color": BLUE, "marker": "o", "markersize": 5, "linewidth": 2.4, "zorder": 3},
    "adversary": {"color": GREEN, "marker": "^", "markersize": 9, "markerfacecolor": "none", "linewidth": 1.2, "zorder": 4},
    "typical": {"color": ORANGE, "marker": "s", "markersize": 4, "linewidth": 1.6},
    "typical 2": {"color": VIOLET, "marker": "D", "markersize": 4, "linewidth": 1.3},
}


def draw(figure: Figure, path: Path) -> None:
    """One figure, in the look that all of them have."""
    canvas, axes = plt.subplots(figsize=(7.2, 4.3), dpi=110)
    for line in figure.lines:
        points = [(x, y) for x, y in zip(line.x or figure.x, line.y, strict=True) if y is not None]
        axes.plot(*zip(*points, strict=True), label=line.label, **STYLES[line.kind])
    axes.set_xscale("log" if "x" in figure.log else "linear")
    axes.set_yscale("log" if "y" in figure.log else "linear")
    for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if letter in figure.log:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,g}" if v < 1e4 else f"{v:,.0f}"))
            axis.set_minor_locator(NullLocator())
    if len(figure.x) <= TICKS:
        axes.set_xticks(list(figure.x), [f"{x:,g}" for x in figure.x])
    elif "x" not in figure.log:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "y" not in figure.log:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(figure.xlabel)
    axes.set_ylabel(figure.ylabel)
    axes.set_title(figure.title, loc="left", color=INK, fontsize=11.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, which="major", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles, labels, frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(-0.02, -0.15), ncols=2, borderaxespad=0.0)
    shown = BytesIO()
    canvas.savefig(shown, bbox_inches="tight", pad_inches=0.12)
    plt.close(canvas)
    kept = PngInfo()
    kept.add_text("Description", described(figure))
    Image.open(shown).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, pnginfo=kept, optimize=True)


def described(figure: Figure) -> str:
    """The numbers of a figure, as its PNG keeps them."""
    return json.dumps({line.label: list(line.y) for line in figure.lines})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which figures (all without): {', '.join(FIGURES)}")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder they go to")
    chosen = parser.parse_args()
    for name in chosen.names or FIGURES:
        begun = time.perf_counter()
        draw(FIGURES[name](), chosen.out / f"{name}.png")
        print(f"{name}.png  {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
