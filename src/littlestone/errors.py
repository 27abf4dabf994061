"""One error type, and one kind of it. A message names the thing, its value, the limit, and why there is one."""

import re
from typing import Any

#: What a terminal obeys instead of showing it: control characters, those that turn the direction of writing, and halves of characters.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
LINE = re.compile(f"[\t\n{CONTROLS}]")


def one_line(text: Any) -> str:
    r"""Text of a file as a line of a message or of a table may show it: what is no plain character as its escape.

    >>> one_line("free\x1b[31m\nVERIFIED")
    'free\\x1b[31m\\nVERIFIED'
    """
    return LINE.sub(escaped, str(text))


def escaped(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


class LittlestoneError(ValueError):
    """Something the caller can act on.

    For bad input `path`, `line` and `column` say where (counted from 1), `found` and `expected` say what. `feature` is the number of the
    feature that the message is about, where whoever raised it knows features by numbers alone.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        found: str | None = None,
        expected: str | None = None,
        feature: int | None = None,
    ) -> None:
        super().__init__(shortened(message))
        self.feature = feature
        self.path, self.line, self.column, self.expected = path, line, column, expected
        self.found = None if found is None else shortened(found)


LONGEST_MESSAGE = 4_000


def shortened(text: str) -> str:
    """A text that a person can read: of one that is too long (a cell of 50 MB, perhaps) its beginning and its end."""
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE // 2]} … {text[-LONGEST_MESSAGE // 4 :]}"


class Refused(LittlestoneError):
    """A claim that does not hold: a certificate that was changed, or that speaks of another stream; an assumption proved false."""


class Contradiction(LittlestoneError):
    """A round after which a learner cannot go on: it contradicts what the learner takes for granted."""


class Lost(LittlestoneError):
    """Whoever does the work is gone, and the run ends where it stands."""


class ThirdLabel(LittlestoneError):
    """A label of a stream that is neither of the two that came before it."""


class UndeclaredLabel(LittlestoneError):
    """A label of a stream that is none of those that were declared, or that looks like a slip of one that came before."""


class LateLabel(UserWarning):
    """A label that nobody declared, and that a stream has only after many rounds."""


def require(condition: object, message: str) -> None:
    """Raise `LittlestoneError(message)` unless the condition is true.

    >>> require(2 > 1, "never seen")
    >>> require(0 > 1, "alpha=0 must exceed 1, or no weight ever grows")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: alpha=0 must exceed 1, or no weight ever grows
    """
    if not condition:
        raise LittlestoneError(message)


def bad_input(path: str, line: int, column: int, found: str, expected: str) -> LittlestoneError:
    """The error for a malformed place in a file.

    >>> bad_input("mail.libsvm", 3, 7, "'7:abc'", "a number after ':'").args[0]
    "mail.libsvm, line 3, column 7: found '7:abc', expected a number after ':'"
    """
    return LittlestoneError(
        f"{path}, line {line}, column {column}: found {found}, expected {expected}",
        path=path,
        line=line,
        column=column,
        found=found,
        expected=expected,
    )
