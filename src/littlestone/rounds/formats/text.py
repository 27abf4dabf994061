"""Text: lines of a label, a tab and text. Features are words, and neighbours joined by a blank."""

from littlestone.rounds.faults import LINE_ENDS, Fault
from littlestone.rounds.features import NUMBER, PlainRow, bag, label_of
from littlestone.rounds.files import decoded
from littlestone.rounds.formats import Format
from littlestone.rounds.reading import COLUMN_CHOICES, Reading

SHAPE = "a label, a tab and text"


def row_of(line: bytes, reading: Reading) -> PlainRow | None:
    """One line; without a label the tab comes first."""
    parts = label_and_text(line)
    if parts is None:
        return None
    label, text = parts
    words = [(word, float(count)) for word, count in bag(text, reading.ngrams, reading.version, reading.chars).items()]
    return PlainRow(label_of(label), 1.0, None, [("", words)])


def label_and_text(line: bytes, bare: bool = False) -> tuple[str | None, str] | None:
    """Both parts of a line; None where it is blank. `bare`: a line without a tab is text without a label.

    >>> label_and_text(b"spam\\tFree offer"), label_and_text(b"Free offer", bare=True)
    (('spam', 'Free offer'), (None, 'Free offer'))
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if not line.strip(b" "):
        return None
    if b"\r" in line:
        raise Fault(line.index(b"\r"), b"\r", LINE_ENDS)
    label, tab, text = decoded(line).partition("\t")
    if tab:
        return label or None, text
    if bare:
        return None, label
    raise Fault(0, line, SHAPE)


def looks(lines: list[bytes]) -> int:
    """Two cells a line, the first one of few labels without a blank, the second one of words; and no header of a table.

    A line without a tab is no row of a table: then the texts may be of one word each. The last line may be cut.
    """
    cells = [parts for line in lines if len(parts := line.split(b"\t")) == 2]
    headed = lines[0].split(b"\t")[0].lower() in (b"label", b"y", b"target", b"class")
    if len(cells) < (len(lines) + 1) // 2 or headed:
        return 0
    labels = {label for label, _ in cells}
    bare = any(b"\t" not in line for line in lines[:-1]) and not any(NUMBER.fullmatch(text.decode("latin-1")) for _, text in cells)
    wordy = bare or sum(len(text.split()) for _, text in cells) >= 2 * len(cells)
    return 5 if len(labels) <= 50 and not any(b" " in label for label in labels) and wordy else 0


FORMAT = Format(
    shape=f"lines of {SHAPE}",
    row_of=row_of,
    has="words alone",
    lacks=(*COLUMN_CHOICES, "id", "ignore", "cross"),
    written_endings=(".txt",),
    looks=looks,
)
