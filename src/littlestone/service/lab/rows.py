"""Rows that the user pastes or uploads, in any format that the library reads."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from littlestone.errors import LittlestoneError, one_line, require
from littlestone.games.adversaries import RecordedRounds
from littlestone.rounds.formats import FORMATS
from littlestone.service.lab.requests import LabRequest
from littlestone.streams import Stream, open_stream

MOST_BYTES = 2**18  # of rows, as they are uploaded
MOST_ROWS = 1000
PASTED = "rows"  # the name of rows that come without one
MOST_FEATURES = 200_000  # of all rows together
MOST_COLUMNS = 100_000


@dataclass(frozen=True)
class PastedRows:
    """Rows of two classes, with the names of their features and labels."""

    name: str
    stream: Stream
    recorded: RecordedRounds
    features: tuple[str, ...]  # by column; none where they are numbers
    labels: tuple[str, str]


@contextmanager
def opened(asked: LabRequest) -> Iterator[PastedRows]:
    """The rows of a request, in a file of their own while they are looked at."""
    if "base64" in asked.value:
        try:
            content = b64decode(asked.text("base64", 2 * MOST_BYTES), validate=True)
        except Error:
            raise LittlestoneError("base64: this is none") from None
    else:
        content = asked.text("text", MOST_BYTES).encode("utf-8", "surrogatepass")
    require(len(content) <= MOST_BYTES, f"the rows have {len(content):,} bytes; expected at most {MOST_BYTES:,}")
    require(content.strip(), "there are no rows; expected some, each with its label")
    name, label = Path(asked.text("name", 200, PASTED) or PASTED).name or PASTED, asked.text("label", 200, "")
    form = asked.choice("format", ("auto", *FORMATS), "auto")
    with TemporaryDirectory(prefix="littlestone-lab-") as folder:
        path = Path(folder) / "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)[-80:]
        path.write_bytes(content)
        try:
            yield _read(open_stream(str(path), format=form, label=label or None, boolean=asked.value.get("boolean") is True), name)
        except LittlestoneError as error:
            raise LittlestoneError(one_line(error).replace(str(path), name)) from None


def _read(stream: Stream, name: str) -> PastedRows:
    rounds: list[tuple[dict[int, float], bool]] = []
    features = top = 0
    for block in stream.blocks():
        require(block.weights is None, f"{name}: its rows have weights, and in the lab each counts once")
        features += len(block.indices)
        many = len(rounds) + len(block) > MOST_ROWS or features > MOST_FEATURES
        require(
            not many, f"{name} has more than {MOST_ROWS:,} rows, or {MOST_FEATURES:,} features in them; littlestone run plays larger ones"
        )
        for t, (indices, values, y) in enumerate(block.rounds()):
            require(y >= 0, f"{block.round(t)}: it has no label, and in the lab each row needs one")
            numbers = [1.0] * len(indices) if values is None else values.tolist()
            rounds.append((dict(zip(indices.tolist(), numbers, strict=True)), bool(y)))
            top = max([top, *(i + 1 for i in indices.tolist())])
    require(top <= MOST_COLUMNS, f"{name} has a feature numbered {top - 1:,}; in the lab the last one is {MOST_COLUMNS - 1:,}")
    assert stream.codes is not None
    names = () if stream.names is None or stream.reading.bits else tuple(map(str, stream.names.names()))
    labels = (_text(stream.codes.negative, "0"), _text(stream.codes.positive, "1"))
    return PastedRows(
        name,
        stream,
        RecordedRounds(max(1, top), tuple(rounds), f"the rows of {name}" if name != PASTED else "rows of your own"),
        names,
        labels,
    )


def _text(label: Any, otherwise: str) -> str:
    return otherwise if label is None else f"{label:g}" if isinstance(label, float) else str(label)
