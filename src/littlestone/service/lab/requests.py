"""What the page asks for, as it came: every part is looked at before it is used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from littlestone.errors import require


class LabRequest:
    """An object of JSON whose parts must be of the kind that is expected."""

    def __init__(self, value: Any, where: str = "the request") -> None:
        require(isinstance(value, Mapping), f"{where}: expected an object")
        self.value, self.where = value, where

    def text(self, key: str, most: int, default: str | None = None) -> str:
        value = self.value.get(key, default)
        require(isinstance(value, str), f"{key}: expected a text")
        require(len(value) <= most, f"{key} has {len(value):,} letters; expected at most {most:,}")
        require(value.isprintable() or most > LINE, f"{key}: expected letters that can be shown")
        return value

    def whole(self, key: str, least: int, most: int, default: int | None = None) -> int:
        value = self.value.get(key, default)
        require(isinstance(value, int) and not isinstance(value, bool), f"{key}: expected a whole number from {least:,} to {most:,}")
        require(least <= value <= most, f"{key}={shortened(value)}: expected a whole number from {least:,} to {most:,}")
        return value

    def choice(self, key: str, choices: Collection[str], default: str | None = None) -> str:
        value = self.value.get(key, default)
        require(isinstance(value, str) and value in choices, f"{key}={shortened(value)}: expected one of {', '.join(choices)}")
        return value

    def items(self, key: str, least: int, most: int) -> list[Any]:
        value = self.value.get(key, [])
        require(isinstance(value, list) and least <= len(value) <= most, f"{key}: expected a list of {least:,} to {most:,}")
        return value

    def part(self, key: str) -> LabRequest:
        return LabRequest(self.value.get(key), key)


LINE = 1000  # letters; what is longer may have lines


def shortened(value: Any, most: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
