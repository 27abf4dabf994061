"""What a cell of a table says, in plain Python: the definition of numbers, missing cells, label tests and features in one cell."""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError
from littlestone.streams.libsvm import LARGEST_FLOAT32, LARGEST_INDEX
from littlestone.streams.parsed import Fault

MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"))
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
CANONICAL = re.compile(r"(0|[1-9][0-9]{0,9})\Z")
BAR = "|"  # the column that holds features as VW text writes them
ESCAPES = {"%20": " ", "%09": "\t", "%0A": "\n", "%0D": "\r", "%3A": ":", "%7C": "|", "%25": "%"}
ESCAPED = re.compile("|".join(ESCAPES))

COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne}
BLANKS = str.maketrans("\t\r\n", "   ")

Pairs = list[tuple[str, float]]


def number_text(x: float) -> str:
    """A number as names of features show it.

    >>> number_text(3.0), number_text(0.1), number_text(1e22), number_text(7)
    ('3', '0.1', '1e+22', '7')
    """
    return repr(x).removesuffix(".0")


def checked(x: float, column: str, found: str | None = None) -> float:
    """The number, refused where float32 cannot hold it."""
    if not abs(x) <= LARGEST_FLOAT32:
        expected = f"a number of size at most {LARGEST_FLOAT32:.6g}" if math.isinf(x) or abs(x) > LARGEST_FLOAT32 else "a finite number"
        raise Fault(column, number_text(x) if found is None else found, expected)
    return x


def number_in(cell: str, column: str, remedy: str = "") -> float:
    """The number in a cell of text, NaN where the cell is missing.

    >>> number_in(" 2.5", "size"), number_in("NA", "size")
    (2.5, nan)
    """
    text = cell.strip()
    if NUMBER.match(text):
        return checked(float(text), column, text)
    if text in MISSING:
        return math.nan
    raise Fault(column, text, f"a number{remedy}")


def other_kind(column: str) -> str:
    return f"; --categorical {column} (categorical=) takes the column as text"


def text_of(value: Any) -> str:
    """A value of a typed table (JSON, Arrow) as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


class Target(NamedTuple):
    """Where the label is: a column, or a comparison of it that makes the label 1 or 0."""

    column: str
    compare: str = ""
    value: str = ""

    @classmethod
    def of(cls, label: str, columns: Sequence[str]) -> Target | None:
        """None when no column fits; a column whose whole name is the text comes first.

        >>> Target.of("delay>15", ["delay", "hour"]), Target.of("a=b", ["a", "a=b"])
        (Target(column='delay', compare='>', value='15'), Target(column='a=b', compare='', value=''))
        """
        if label in columns:
            return cls(label)
        for match in re.finditer(r">=|<=|!=|>|<|=", label):
            column, value = label[: match.start()].strip(), label[match.end() :].strip()
            if column in columns:
                if match[0] not in ("=", "!=") and not NUMBER.match(value):
                    raise LittlestoneError(f"label={label!r}: expected a number after {match[0]}")
                return cls(column, match[0], value)
        return None

    @property
    def ordered(self) -> bool:
        """Does it compare numbers by size?"""
        return self.compare in (">", ">=", "<", "<=")

    def truths(self, x: Any) -> Any:
        """The comparison of a number, or of an array of them, with a number."""
        return COMPARE[self.compare](x, float(self.value))

    def label(self, cell: Any) -> float | str | None:
        """The label that a cell gives: a number, text, or None. Cells of text may hold numbers."""
        if cell is None:
            return None
        text = text_of(cell).strip()
        if text in MISSING:
            return None
        number = None if isinstance(cell, bool) or not NUMBER.match(text) else float(text)
        if number is not None and not math.isfinite(number):
            raise Fault(self.column, text, "a label: a finite number, or text")
        if not self.compare:
            return text if number is None else number
        if self.ordered:
            if number is None:
                raise Fault(self.column, text, f"a number, to compare with {self.compare} {self.value}")
            return float(self.truths(number))
        same = number == float(self.value) if number is not None and NUMBER.match(self.value) else text == self.value
        return float(same == (self.compare == "="))


def unescaped(name: str) -> str:
    """
    >>> unescaped("free%20offer"), unescaped("100%")
    ('free offer', '100%')
    """
    return ESCAPED.sub(lambda m: ESCAPES[m[0]], name) if "%" in name else name


class Tokens(dict):
    """Features as VW text writes them, token by token; those met before are remembered."""

    def __init__(self, named: bool) -> None:
        self.named = named

    def __missing__(self, token: str) -> tuple[str, float]:
        name, colon, text = token.partition(":")
        if colon and not NUMBER.match(text):
            raise Fault(BAR, token, "a number after ':' (%3A stands for a colon in a name)")
        name = unescaped(name)
        if not self.named and (not CANONICAL.match(name) or int(name) > LARGEST_INDEX):
            raise Fault(BAR, token, "a number of a feature, as in the first rows; --names keeps all features by name")
        found = name, checked(float(text), BAR, token) if colon else 1.0
        if len(self) < 1_000_000:
            self[token] = found
        return found

    def of(self, cell: str | None) -> Pairs:
        """
        >>> Tokens(True).of("free:2 offer")
        [('free', 2.0), ('offer', 1.0)]
        """
        return [self[token] for token in cell.translate(BLANKS).split(" ") if token] if cell else []


def flattened(prefix: str, value: Any, column: str) -> Iterator[tuple[str, float]]:
    """Features of a value that may hold others: lists and objects, as deep as they go."""
    if value is None:
        return
    if isinstance(value, str):
        yield f"{prefix}={value.strip()}", 1.0
    elif isinstance(value, dict):
        for inner, one in value.items():
            yield from flattened(f"{prefix}.{inner}" if prefix else inner, one, column)
    elif isinstance(value, list | tuple):
        for j, one in enumerate(value):
            if isinstance(one, str):
                yield f"{prefix}={one}", 1.0
            elif isinstance(one, bool | int | float):
                yield f"{prefix}[{j}]", floated(one, column)
            elif one is not None:
                raise Fault(column, text_of(one), "numbers or text in a list")
    elif isinstance(value, bool | int | float):
        yield prefix, floated(value, column)
    else:
        yield f"{prefix}={text_of(value)}", 1.0


def features_of(prefix: str, column: str, value: Any) -> Pairs:
    return list(flattened(prefix, value, column))


def floated(value: float, column: str) -> float:
    """A number of JSON or Arrow."""
    try:
        return checked(float(value), column)
    except OverflowError:
        raise Fault(column, str(value), f"a number of size at most {LARGEST_FLOAT32:.6g}") from None
