"""What the figures of docs/theory show: the worst case from searches and adversaries, the bound from `littlestone.theory`, a typical run
from the streams of `littlestone.concepts`. No number of a figure is typed in."""

from curves import classes, experts, linear, models
from curves.base import FIGURES, Figure

__all__ = ["FIGURES", "Figure", "classes", "experts", "linear", "models"]
