"""How rounds of advice are made of a table: every choice, declared by the user or settled by looking at the table.

It is kept in certificates, so that a stranger makes the same advice of the same table. The arithmetic of a loss stands here, in doubles and
in one order of operations, so that whoever computes it gets the same bits.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, fields
from math import isfinite, isnan
from typing import Any, Self

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.formats import FORMATS, format_named
from littlestone.rounds.reading import ReadingBase

TABLE_FORMATS = tuple(name for name in FORMATS if format_named(name).is_table)
LAYOUTS = ("wide", "long")
ADVICE = ("vote", "probability", "forecast", "loss", "gain")
LOSSES = ("squared", "absolute", "pinball", "zero_one")


@dataclass(frozen=True)
class TableReading(ReadingBase):
    """The choices; docs/command_line.md says what each does."""

    format: str = "auto"
    layout: str | None = None
    truth: str | None = None  # the column of the truth; None for losses and gains
    round: str | None = None  # columns of the long layout
    expert: str | None = None
    forecast: str | None = None
    experts: tuple[str, ...] | None = None  # their names: columns, or values of the expert's column by first appearance
    ignore: tuple[str, ...] = ()  # columns that are neither
    advice: str | None = None
    loss: str | None = None  # of forecasts
    quantile: float | None = None  # of the pinball loss
    threshold: float | None = None  # of the zero_one loss: x >= threshold is a vote for 1
    low: float | None = None  # the range of forecasts and truths, of losses, or of gains
    high: float | None = None
    measured: bool = False  # is the range what the table turned out to hold, and was not declared?
    scale: float | None = None  # what a loss is divided by
    delimiter: str | None = None  # between the cells of csv
    version: int = 1  # of what a table means

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.format in ("auto", *TABLE_FORMATS), f"format={self.format!r} is no table; expected one of {', '.join(TABLE_FORMATS)}")
        require(self.layout in (None, *LAYOUTS), f"layout={self.layout!r} is not known; expected wide or long")
        require(self.advice in (None, *ADVICE), f"advice={self.advice!r} is not known; expected one of {', '.join(ADVICE)}")
        require(self.loss in (None, *LOSSES), f"loss={self.loss!r} is not known; expected one of {', '.join(LOSSES)}")
        for name in ("quantile", "threshold", "low", "high", "scale"):
            value = getattr(self, name)
            number = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value))
            require(number, f"{name}={value!r}: expected a finite number")
        require(self.quantile is None or 0 < self.quantile < 1, f"quantile={self.quantile!r} must lie between 0 and 1")
        require((self.low is None) == (self.high is None), "a range has two ends: LOW:HIGH")
        ordered = self.low is None or self.high is None or self.low < self.high or (self.measured and self.low == self.high)
        require(ordered, f"range={self.low!r}:{self.high!r}: the low end must lie below the high one")
        require(self.scale is None or self.scale > 0, f"scale={self.scale!r} must exceed 0")
        require(
            self.loss != "pinball" or self.quantile is not None, "the pinball loss needs its quantile, such as --quantile 0.9 (quantile=)"
        )
        require(self.loss != "zero_one" or self.threshold is not None, "the zero_one loss needs its threshold: --threshold T (threshold=)")
        require(self.quantile is None or self.loss in (None, "pinball"), f"quantile={self.quantile!r} is of the pinball loss only")
        require(self.threshold is None or self.loss in (None, "zero_one"), f"threshold={self.threshold!r} is of the zero_one loss only")
        forecasts = self.loss is None or self.advice in (None, "forecast")
        require(forecasts, f"loss={self.loss!r} is a loss of forecasts, and the advice is {self.advice!r}")

    @property
    def settled(self) -> bool:
        """Is everything known that the table has to say?"""
        return None not in (self.layout, self.experts, self.advice, self.scale) and self.format != "auto"

    @property
    def played(self) -> str:
        """What a rule is told of it: "vote", "probability" or "loss"."""
        if self.advice == "forecast":
            return "vote" if self.loss == "zero_one" else "loss"
        return {"vote": "vote", "probability": "probability"}.get(self.advice or "", "loss")

    @property
    def judged(self) -> bool:
        """Is a truth needed to say what a round costs?"""
        return self.advice not in ("loss", "gain")

    @property
    def widest(self) -> float:
        """What the widest error within the range costs, not yet scaled.

        >>> TableReading(advice="forecast", loss="squared", low=-1, high=3).widest
        16.0
        """
        assert self.low is not None and self.high is not None
        if self.advice == "forecast" and self.loss != "zero_one":
            unscaled = self.but(scale=1.0).loss_of()
            return max(unscaled(self.low, self.high), unscaled(self.high, self.low))
        return float(self.high - self.low) if self.advice in ("loss", "gain") else 1.0

    def loss_of(self) -> Callable[[float, float], float]:
        """What advice x costs where y is the truth, in units of the scale, as a double: the definition.

        >>> TableReading(advice="forecast", loss="pinball", quantile=0.75, scale=2.0).loss_of()(1.0, 5.0)
        1.5
        """
        scale, q, t = self.scale or 1.0, self.quantile or 0.0, self.threshold or 0.0
        low, high = self.low or 0.0, self.high or 0.0
        if self.advice == "gain":
            return lambda x, y: (high - x) / scale
        if self.advice == "loss":
            return lambda x, y: (x - low) / scale
        if self.loss == "squared":
            return lambda x, y: ((x - y) * (x - y)) / scale
        if self.loss == "pinball":
            return lambda x, y: max(q * (y - x), (q - 1.0) * (y - x)) / scale
        if self.loss == "zero_one":
            return lambda x, y: float((x >= t) != (y >= t))
        return lambda x, y: abs(x - y) / scale

    def cell_of(self) -> Callable[[float, float], float]:
        """What stands in a round of advice for a number x of the table, where y is the truth (NaN where it is missing): a float32.

        Where the truth is missing there is no loss; the cell is then 0, and not counted.

        >>> TableReading(advice="forecast", loss="squared", scale=9.0).cell_of()(1.0, 2.0)
        0.1111111119389534
        """
        if self.played == "loss":
            loss, judged = self.loss_of(), self.judged
            return lambda x, y: x if isnan(x) else 0.0 if judged and isnan(y) else narrow(loss(x, y))
        if self.advice == "forecast":
            t = self.threshold or 0.0
            return lambda x, y: x if isnan(x) else float(x >= t)
        return lambda x, y: narrow(x)

    def truth_of(self) -> Callable[[float], int]:
        """The truth as a code: 1, 0, or -1 where it is missing. Losses are advice whose truth is 0."""
        if not self.judged:
            return lambda y: 0
        if self.played == "loss":
            return lambda y: -1 if isnan(y) else 0
        t = self.threshold if self.advice == "forecast" else 1.0
        return lambda y: -1 if isnan(y) else int(y >= t)  # type: ignore[operator]

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """What `as_json` wrote; anything else is refused.

        >>> TableReading.from_json(TableReading(format="csv", truth="load", experts=("a", "b")).as_json()).experts
        ('a', 'b')
        """
        require(isinstance(plain, dict), f"a reading is an object, not {plain!r}")
        known = {entry.name: entry.type for entry in fields(cls)}
        choices: dict[str, Any] = {}
        for name, value in plain.items():
            require(name in known, f"a reading of a table of experts has no {name!r}")
            many = name in ("experts", "ignore")
            texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
            require(texts or not many, f"this is no reading: {name} is {value!r}; expected a list of names")
            kind = bool if name == "measured" else int if name == "version" else int | float if "float" in str(known[name]) else str
            require(many or value is None or isinstance(value, kind), f"this is no reading: {name} is {value!r}")
            choices[name] = tuple(value) if many else value
        try:
            return cls(**choices)
        except (TypeError, ValueError) as error:
            raise LittlestoneError(f"this is no reading: {error}") from None


def narrow(x: float) -> float:
    """A share or a loss as float32 has it, at most 1, and 0 without a sign: there are two ways to write it.

    >>> narrow(0.1), narrow(1.0000000001), narrow(3e38), narrow(-0.0)
    (0.10000000149011612, 1.0, 1.0, 0.0)
    """
    return struct.unpack("<f", struct.pack("<f", min(x, 1.0) + 0.0))[0] if x == x else x
