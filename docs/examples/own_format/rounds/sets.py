"""Sets: `label: name, name, ...`, a line a round; a line that begins with the colon has no label."""

from __future__ import annotations

from littlestone.rounds.faults import Fault
from littlestone.rounds.features import PlainRow, label_of
from littlestone.rounds.files import decoded
from littlestone.rounds.formats import Format
from littlestone.rounds.reading import COLUMN_CHOICES, Reading


def row_of(line: bytes, reading: Reading) -> PlainRow | None:
    """One line; None where it is blank, a Fault where it is no round."""
    text = decoded(line).strip()
    if not text:
        return None
    label, colon, names = text.partition(":")
    if not colon:
        raise Fault(0, text, "a label, a colon and names")
    features = [(name.strip(), 1.0) for name in names.split(",") if name.strip()]
    return PlainRow(label=label_of(label), weight=1.0, id=None, groups=[("", features)])


FORMAT = Format(
    shape="lines of a label, a colon and names",
    row_of=row_of,
    has="names alone",
    lacks=(*COLUMN_CHOICES, "id", "ignore", "cross", "ngrams"),
    endings=(".sets",),
)
