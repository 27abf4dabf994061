"""Text: lines of a label, a tab and text, and columns of text in a table. Features are words, and neighbours joined by a blank.

`words` and `parse_line` are plain Python, and the definition; `text_kernels` does ASCII, and hands the rest to them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.rounds.reading import Reading
from littlestone.streams.named import Named, Scratch
from littlestone.streams.names import SLACK, new_batch
from littlestone.streams.parsed import Fault
from littlestone.streams.text_kernels import bag_rows, fold_cells, fold_lines, kind_of
from littlestone.streams.vocabulary import NOTHING, Snapshot

WORD = re.compile(r"\w+")
SHAPE = "a label, a tab and text"


def words(text: str) -> list[str]:
    """The words of a text, in lower case.

    >>> words("Don't PANIC: 42")
    ['don', 't', 'panic', '42']
    """
    return WORD.findall(text.lower())


def bag(text: str, ngrams: int = 1) -> dict[str, int]:
    """How often each word stands in a text, and each group of up to `ngrams` neighbours; words first, by first appearance.

    >>> bag("to be or not to be", 2)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1, 'to be': 2, 'be or': 1, 'or not': 1, 'not to': 1}
    """
    found = words(text)
    groups = (" ".join(found[i : i + n]) for n in range(1, ngrams + 1) for i in range(len(found) + 1 - n))
    return dict(Counter(groups))


def parse_line(line: bytes, bare: bool = False) -> tuple[str | None, str] | None:
    """(label or None, text) of a line, or None when it is blank; raises Fault. `bare`: a line without a tab is text without a label.

    >>> parse_line(b"spam\\tFree offer"), parse_line(b"Free offer", bare=True)
    (('spam', 'Free offer'), (None, 'Free offer'))
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if not line.strip(b" "):
        return None
    if b"\r" in line:
        raise Fault(line.index(b"\r"), b"\r", "a line that ends with \\n or \\r\\n")
    try:
        label, tab, text = line.decode().partition("\t")
    except UnicodeDecodeError as error:
        raise Fault(error.start, line[error.start : error.end], "text in UTF-8; --encoding (encoding=) names another") from None
    if not tab:
        if bare:
            return None, label
        raise Fault(0, line, SHAPE)
    return label or None, text


def guess(lines: Sequence[bytes]) -> dict[str, Any]:
    """What the first lines settle: words are names."""
    return {"named": True}


class ParsedText(Named):
    """One chunk of whole lines of a label, a tab and text."""

    counts = True

    def __init__(
        self, path: str, skip_bad: bool, scratch: Scratch, reading: Reading, snapshot: Snapshot | None, bare: bool = False
    ) -> None:
        super().__init__(path, scratch, reading.but(named=True))
        self.bare = bare
        s, state, most = self.scratch, self.state, len(scratch.labels)
        out = s.more("out", 2 * len(s.text) + SLACK, np.uint8)
        cells, kinds = s.more("cells", most + 1, np.int64), s.more("kinds", (most, 3), np.uint64)
        cells[0], place = 0, s.begin
        while place < s.length:
            place = int(fold_lines(self.text, place, s.length, state, s.labels, s.lines, kinds, out, cells))
            if place < s.length:
                place = self._by_line(place, kinds, out, cells)
                if self.faults and not skip_bad:
                    break
        rows, known = int(state[0]), int(state[2])
        self.words = [s.text[at : at + n].decode() for at, n in kinds[:known, 1:].tolist()]
        end = int(cells[rows])
        features = int(np.count_nonzero(out[:end] == ord(" "))) * reading.ngrams  # at most
        if features > len(s.indices):
            self._make_room(features)
        spans = s.more("spans", (most, 2), np.uint32)
        table = tuple(snapshot or NOTHING)
        more = (s.indptr, s.batch, table, self.bits, s.indices, self.prints, self.waiting)
        waits = bag_rows(out, cells[: rows + 1], 0, 0, np.uint8(0), reading.ngrams, spans, *more)
        state[2], state[5], state[6] = 0, 0, waits
        self.cut()
        self.text = out

    def _by_line(self, place: int, kinds: np.ndarray, out: np.ndarray, cells: np.ndarray) -> int:
        """The plain way, for a line that begins here; where the next one does."""
        s, state = self.scratch, self.state
        end = s.text.index(b"\n", place) + 1
        row, line = int(state[0]), int(state[1])
        state[1] += 1
        try:
            found = parse_line(bytes(s.text[place:end]), self.bare)
        except Fault as fault:
            self.faults.append((line, fault))
            return end
        if found is None:
            return end
        label, text = found
        s.labels[row], s.lines[row] = np.nan, line
        if label is not None:
            s.labels[row], state[2] = kind_of(self.text, np.uint64(place), np.uint64(len(label.encode())), kinds, state[2])
        cells[row + 1] = put_words(text, out, int(cells[row]))
        state[0] += 1
        return end


def put_words(text: str, out: np.ndarray, to: int) -> int:
    """Fold text the plain way; where it ends."""
    folded = "".join([word + " " for word in words(text)]).encode()
    out[to : to + len(folded)] = np.frombuffer(folded, np.uint8)
    return to + len(folded)


def bags(offsets: np.ndarray, data: np.ndarray, names: Any, prefix: str, ngrams: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words of the cells data[offsets[t]:offsets[t+1]], UTF-8, as rows: (indptr int64, indices uint32, counts float32).

    A feature is called prefix + word. `names` gives the columns, and new ones by cell: a table with several columns of features keeps its
    features in order by taking names of its own for each column first.

    >>> from littlestone.streams.vocabulary import Vocabulary
    >>> names = Vocabulary()
    >>> cells = np.array([0, 8, 13]), np.frombuffer(b"Go go up" b"go on", np.uint8)
    >>> [found.tolist() for found in bags(*cells, names, "said=", 1)], names.names()
    ([[0, 2, 4], [0, 1, 0, 2], [2.0, 1.0, 1.0, 1.0]], ['said=go', 'said=up', 'said=on'])
    """
    rows, before = len(offsets) - 1, prefix.encode()
    if len(before) == 1:  # a prefix is some bytes and one that joins
        return _plain_bags(offsets, data, names, prefix, ngrams)
    offsets = offsets.astype(np.int64, copy=False)
    size = int(offsets[-1] - offsets[0])
    out, cells = np.empty(2 * size + rows + len(before) + SLACK, np.uint8), np.empty(rows + 1, np.int64)
    out[: len(before)] = np.frombuffer(before, np.uint8)
    cells[0] = begin = len(before)
    row = 0
    while True:
        row = int(fold_cells(data, offsets, row, out, cells))
        if row == rows:
            break
        cells[row + 1] = put_words(data[offsets[row] : offsets[row + 1]].tobytes().decode(), out, int(cells[row]))
        row += 1
    many = int(np.count_nonzero(out[begin : cells[rows]] == ord(" ")))
    features, bits = many * ngrams, names.bits or 0
    indptr, indices = np.zeros(rows + 1, np.int64), np.empty(features, np.uint32)
    prints, waiting = np.empty(features if bits else 0, np.uint32), np.empty((0 if bits else features, 4), np.uint64)
    spans, joint = np.empty((many, 2), np.uint32), np.uint8(before[-1] if before else 0)
    where = (begin, max(len(before) - 1, 0), joint, ngrams, spans, indptr, new_batch())
    waits = bag_rows(out, cells, *where, tuple(names.snapshot() or NOTHING), bits, indices, prints, waiting)
    indices = indices[: indptr[-1]]
    if bits:
        found = names.settle(indptr, indices, prints[: len(indices)])
    else:
        found = names.settle(indptr, indices, waiting, waits, out, int(joint), refuse=False)
    counts = np.ones(len(indices), np.float32)
    if found.repeats:
        remain, _ = names.marks.add_up(indptr, indices, counts, found.top + 1)
        indices, counts = indices[:remain], counts[:remain]
    return indptr, indices, counts


def _plain_bags(offsets: np.ndarray, data: np.ndarray, names: Any, prefix: str, ngrams: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same in plain Python."""
    indptr: list[int] = [0]
    indices: list[int] = []
    counts: list[float] = []
    for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        found, row = bag(data[a:b].tobytes().decode(), ngrams), dict[int, float]()
        for column, count in zip(names.columns_of([prefix + word for word in found]).tolist(), found.values(), strict=True):
            row[column] = row.get(column, 0) + count
        indices += row.keys()
        counts += row.values()
        indptr.append(len(indices))
    return np.array(indptr, np.int64), np.array(indices, np.uint32), np.array(counts, np.float32)
