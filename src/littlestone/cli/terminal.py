"""The one place that prints. Text from files (names, labels, messages about them) is made safe on its way to a terminal."""

import json
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from littlestone.cli.standard_streams import discard
from littlestone.errors import CONTROLS, LateLabel, escaped, one_line

UNSAFE = re.compile(f"[{CONTROLS}]")  # line ends and tabs are the program's own

HARD = "\N{NO-BREAK SPACE}"


def safe(text: str) -> str:
    r"""The text with every character that a terminal would obey as its escape.

    >>> safe("free\x1b[31m offer\n")
    'free\\x1b[31m offer\n'
    """
    return UNSAFE.sub(escaped, text)


def put(text: str = "") -> None:
    """Print a result."""
    print(safe(text), flush=True)


def put_wrapped(text: str, indent: int = 4) -> None:
    """The same, each line in so many as the terminal needs."""
    put(wrapped(text, indent=indent))


def put_json(value: Any, **layout: Any) -> None:
    """The same as one JSON object."""
    put(json_text(value, **layout))


def put_lines(lines: list[str]) -> None:
    """Lines of data, at once: as they are in a file or a pipe, safe on a terminal."""
    text = "".join(f"{line}\n" for line in lines)
    sys.stdout.write(safe(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def note(text: str) -> None:
    """Tell the person something beside the result, on standard error; on a terminal in lines that fit."""
    _remark(safe(wrapped(text) if sys.stderr.isatty() else text) + "\n")


@contextmanager
def late_labels_noted() -> Iterator[None]:
    """Tell of labels that come late as of anything else beside the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", LateLabel)
        usual = warnings.showwarning

        def show(message: Any, category: Any, *others: Any, **more: Any) -> None:
            if issubclass(category, LateLabel):
                note(f"{str(message).removesuffix('.')}.")
            else:
                usual(message, category, *others, **more)

        warnings.showwarning = show
        yield


def note_over(text: str = "") -> None:
    """The same in place of the line that stands there, on a terminal."""
    _remark(f"\r\x1b[K{one_line(text)}")


def _remark(text: str) -> None:
    """Write to standard error. Where that cannot be written, the results still can: remarks are lost from then on."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def json_text(value: Any, **layout: Any) -> str:
    r"""JSON that a person can read, and a terminal does not obey: `"\u009b"` for that character, which means the same.

    >>> json_text({"name": "é\x9b"})
    '{"name": "é\\u009b"}'
    """
    text = json.dumps(value, ensure_ascii=False, **layout)
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def width(least: int = 1) -> int:
    """Of the terminal, as far as lines are read with ease."""
    return max(least, min(140, shutil.get_terminal_size((140, 24)).columns))


def wrapped(text: str, columns: int | None = None, indent: int = 4) -> str:
    """The text in lines that fit. Options and names are not broken, nor a number from its %.

    >>> wrapped("wrong in (18.60 %) of them", 17).split("\\n")
    ['wrong in', '    (18.60 %) of', '    them']
    """
    fit = textwrap.TextWrapper(columns or width(), subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False)
    return "\n".join(fit.fill(line.replace(" %", f"{HARD}%")).replace(HARD, " ") for line in text.split("\n"))
