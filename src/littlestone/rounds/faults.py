"""What can be wrong with a row: one wording for each fault, whoever reads the row."""

import json
from typing import Any

from littlestone.errors import LittlestoneError, bad_input

LONGEST_SHOWN = 40
ONCE = "each feature once in a row; --sum-duplicates (sum_duplicates=True) adds them up"
UTF8 = "text in UTF-8; --encoding (encoding=) names another"
LINE_ENDS = "lines that end with a newline, not with a carriage return alone"
KEEPS_NAMES = "--names (names=True) keeps all features by name"
QUOTES = "--quotes (quotes=True) takes cells in quotes, which may hold delimiters and line ends"
NO_QUOTES = "--no-quotes (quotes=False) takes quotes for characters like others"


class Fault(Exception):
    """What is wrong with a row: where in its line (counted from 0, or the name of a column), what was found, what was expected."""

    def __init__(self, column: int | str | None, found: Any, expected: str) -> None:
        text = shown(found)
        self.column, self.expected = column, expected
        self.found = text if text == "nothing" else repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…")

    def error(self, path: str, line: int, unit: str = "line") -> LittlestoneError:
        """The error that names the file and the line; `unit` is "row" in tables that are not text."""
        if isinstance(self.column, int):
            return bad_input(path, line, self.column + 1, self.found, self.expected)
        where = f"{path}, {unit} {line}" if self.column is None else f"{path}, {unit} {line}, column {self.column!r}"
        return LittlestoneError(
            f"{where}: found {self.found}, expected {self.expected}", path=path, line=line, found=self.found, expected=self.expected
        )


def shown(value: Any) -> str:
    """A value as a message shows it.

    >>> shown(b"caf\\xe9"), shown(2.0), shown(None), shown([1, "a"]), shown("half a pair: \\ud800")
    ('caf\ufffd', '2', 'null', '[1, "a"]', 'half a pair: \ufffd')
    """
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value if value.isascii() else "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return json.dumps(value, default=str)
