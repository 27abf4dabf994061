"""What a setting may be, described once: the factory that takes it from a user and the verifier that reads it from a certificate agree."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.theory.numbers import fraction

NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?\Z")
KINDS: dict[str, tuple[type, ...]] = {
    "number": (int, Fraction),
    "whole": (int,),
    "flag": (bool,),
    "text": (str,),
    "class": (Mapping,),  # of concepts, as a certificate describes it
}
Check = tuple[Callable[[Any], bool], str]  # what must be true of a value, and how a message says so


@dataclass(frozen=True)
class Setting:
    """A setting of a learner or a rule: what kind of value it takes, and what must be true of it."""

    kind: str
    checks: tuple[Check, ...] = ()
    optional: bool = False  # may it be left open?
    spare: bool = False  # does a certificate leave it out where it is not used?

    def take(self, value: Any, name: str) -> Any:
        """A user's value, checked; numbers as they were written."""
        if value is None and self.optional:
            return None
        exact = fraction(value, name) if self.kind == "number" else value
        if self.kind == "whole" and not isinstance(value, bool | int) and hasattr(value, "__index__"):
            exact = int(value)
        for holds, must in self.checks:
            require(holds(exact), f"{name}={value!r} {must}")
        return exact

    def parsed(self, text: str, name: str) -> Any:
        """A value that is written in NAME:key=value."""
        if self.kind == "flag":
            return text.lower() == "true"
        value: Any = int(text) if self.kind == "whole" and text.lstrip("-").isdigit() else text
        return None if self.optional and text == "None" else self.take(value, name)

    def fits(self, value: Any) -> bool:
        """Could a certificate of a learner that exists have this value?"""
        if value is None:
            return self.optional
        right = isinstance(value, KINDS[self.kind]) and (self.kind == "flag" or not isinstance(value, bool))
        return right and all(holds(value) for holds, _ in self.checks)


def number(low: Any, high: Any, *checks: Check, must: str = "", optional: bool = False) -> Setting:
    """A number from `low` to `high`; `checks` come first, so that they have the first word."""
    a, b = Fraction(low), Fraction(high)
    return Setting("number", (*checks, (lambda v: a <= v <= b, must or f"must lie between {low} and {high}")), optional)


def whole(low: int, high: int, must: str = "", optional: bool = False) -> Setting:
    return Setting(
        "whole",
        (
            (
                lambda v: isinstance(v, int) and not isinstance(v, bool) and low <= v <= high,
                must or f"must be a whole number from {low} to {high}",
            ),
        ),
        optional,
    )


def choice(*texts: str) -> Setting:
    return Setting("text", ((lambda v: v in texts, f"must be {' or '.join(map(repr, texts))}"),))


def checked(*checks: Check, optional: bool = False) -> Setting:
    """A number of which these things are true."""
    return Setting("number", checks, optional)


MODERATE: Check = (lambda v: v == 0 or Fraction(1, 10**30) <= abs(v) <= 10**30, "must be 0, or lie between 1e-30 and 1e30")
MODERATE_NUMBER = checked(MODERATE)
FLAG = Setting("flag")
CONCEPTS = Setting("class")
NEEDED = whole(1, 2**31 - 1, "must be a positive number of features, below 2^31")
FEATURES = whole(1, 2**31 - 1, "must be a positive number of features", optional=True)
BIAS = checked(MODERATE, (lambda v: v >= 0, "must not be negative: it is the value of a feature, its weight has the sign"))


def read(name: str, settings: Mapping[str, Setting], stated: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as a certificate states them, as numbers: "3/2" is a fraction, "I" stays text. Others than the learner's are refused."""
    required = {key for key, setting in settings.items() if not setting.spare}
    require(required <= set(stated) <= set(settings), f"{name} has the settings {', '.join(settings)}; found {', '.join(stated)}")
    values = {}
    for key, value in stated.items():
        absurd = len(value) > 100_000 or re.search("/0+$", value) if isinstance(value, str) else type(value) is int and abs(value) >= 2**65
        if absurd:
            raise LittlestoneError(f"{name}: the setting {key} is nothing it can be")
        values[key] = Fraction(value) if isinstance(value, str) and NUMBER.match(value) else value
        require(settings[key].fits(values[key]), f"{name}: the setting {key} is {value!r}, which is nothing it can be")
    return values
