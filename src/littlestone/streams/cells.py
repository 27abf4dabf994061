"""What a cell of a table says, in plain Python: the definition of numbers, missing cells, label tests and features in one cell."""

from __future__ import annotations

import datetime
import json
import math
import operator
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError
from littlestone.streams.libsvm import LARGEST_FLOAT32, LARGEST_INDEX
from littlestone.streams.parsed import Fault

MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"))
NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+\Z")  # possessive: digits are not tried in every way
CANONICAL = re.compile(r"(0|[1-9][0-9]{0,9})\Z")
BAR = "|"  # the column that holds features as VW text writes them
ESCAPES = {"%20": " ", "%09": "\t", "%0A": "\n", "%0D": "\r", "%3A": ":", "%7C": "|", "%25": "%"}
ESCAPED = re.compile("|".join(ESCAPES))

COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne}
BLANK = " \t\r\n"  # around a cell, these do not count
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
    text = cell.strip(BLANK)
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
        text = text_of(cell).strip(BLANK)
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
        if not name:
            raise Fault(BAR, token, "the name of a feature before ':'")
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
        if cell and BAR in cell:
            raise Fault(BAR, cell, "features without a bar (%7C stands for one in a name)")
        return [self[token] for token in cell.translate(BLANKS).split(" ") if token] if cell else []


def features_of(kind: str, name: str, value: Any, column: str) -> Pairs:
    """What a list or an object gives; `name` is what the names of its features begin with.

    >>> features_of("map", "", {"a": 2, "b": {"c": "x"}, "d": [1, 0.5]}, "features")
    [('a', 2.0), ('b.c=x', 1.0), ('d[0]', 1.0), ('d[1]', 0.5)]
    """
    if value is None:
        return []
    if kind == "vector":
        _expect(isinstance(value, list), column, value, "a list of numbers")
        return [(f"{name}[{j}]", floated(one, column)) for j, one in enumerate(value) if one is not None]
    if kind == "items":
        odd = [one for one in value if isinstance(one, list | dict)] if isinstance(value, list) else [value]
        _expect(not odd, column, odd and odd[0], "a list of texts")
        return [(f"{name}={text_of(one)}", 1.0) for one in value if one is not None]
    _expect(isinstance(value, dict), column, value, "an object")
    found: Pairs = []
    for key, one in value.items():
        found += flattened(f"{name}.{key}" if name else key, one, column)
    return found


def flattened(name: str, value: Any, column: str) -> Pairs:
    """Features of a value whose kind only itself tells."""
    if isinstance(value, dict):
        return features_of("map", name, value, column)
    if isinstance(value, list):
        first = next((one for one in value if one is not None), "")
        return features_of("vector" if isinstance(first, bool | int | float | Decimal) else "items", name, value, column)
    if isinstance(value, bool | int | float | Decimal):
        return [(name, floated(value, column))]
    return [] if value is None else [(f"{name}={text_of(value)}", 1.0)]


def _expect(condition: object, column: str, found: Any, expected: str) -> None:
    if not condition:
        raise Fault(column, found if isinstance(found, str) else json.dumps(found, default=str), expected)


def floated(value: Any, column: str) -> float:
    """A number of JSON or Arrow."""
    _expect(isinstance(value, bool | int | float | Decimal), column, value, "numbers")
    try:
        return checked(float(value), column)
    except OverflowError:
        raise Fault(column, str(value), f"a number of size at most {LARGEST_FLOAT32:.6g}") from None
