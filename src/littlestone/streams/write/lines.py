"""Formats of one line a round."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.errors import LittlestoneError, require
from littlestone.files import STANDARD, bare, beside
from littlestone.protocol import Block
from littlestone.rounds.features import is_index
from littlestone.rounds.reading import LOOK_ROWS, MISSING
from littlestone.streams.write import cells
from littlestone.streams.write.cells import (
    NOTHING,
    Spelled,
    data,
    id_texts,
    joined,
    label_texts,
    numbers,
    rows,
    scalar,
    vw_tokens,
    weights_of,
)
from littlestone.streams.write.shape import Shape, refused, spelled

NEWLINE = scalar("\n")
TABBED = frozenset("\t\r\n")  # what no cell of tsv can hold without quotes


class Lines(ABC):
    """A writer whose rows are lines; `lines` makes them."""

    format: ClassVar[str]
    cannot: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[bool] = True

    def __init__(self, shape: Shape, out: Any, path: str) -> None:
        self.shape, self.out, self.path = shape, out, path
        self.names = Spelled(shape.names, self.spell)
        head = self.head()
        if head:
            out.write(head)

    def spell(self, name: str) -> str:
        return cells.escaped(name)

    @property
    def labels(self) -> tuple[str, ...]:
        """By code; of several classes there may be more by now."""
        return tuple(map(spelled, self.shape.labels))

    def head(self) -> bytes:
        return b""

    def take(self, block: Block) -> None:
        for start, stop in cells.pieces(block):
            part = block.cut(start, stop)
            self.out.write(data(self.lines(part), part))

    @abstractmethod
    def lines(self, block: Block) -> pa.Array:
        """A line of text for each row."""

    def finish(self) -> None:
        """Nothing comes after the last line."""
        return


class Libsvm(Lines):
    """`label index:value ...`. Names go to a file beside it, and the first line says which."""

    format = "libsvm"
    cannot = ("weights", "ids")
    words = False

    def __init__(self, shape: Shape, out: Any, path: str) -> None:
        self.last = 0  # the feature met last
        super().__init__(shape, out, path)
        self.names = Spelled(None, str)  # in the lines they are numbers

    @property
    def beside(self) -> Path:
        return Path(bare(self.path) + ".names")

    def head(self) -> bytes:
        if self.shape.names is None:
            return b""
        require(
            self.path != STANDARD, "libsvm text has numbers for features, and their names go to a file beside it; expected a file, not -"
        )
        name = self.beside.name
        require(name.isprintable() and name == name.strip(), f"{self.path}: its name must be plain text, for it stands in the first line")
        return f"# littlestone names: {name}\n".encode()

    def lines(self, block: Block) -> pa.Array:
        values = scalar("1") if block.values is None else numbers(block.values)
        features = rows(block, joined(self.names.of(block.indices), scalar(":"), values))
        silent = np.flatnonzero((block.labels < 0) & (np.diff(block.indptr) == 0))
        if len(silent):  # a blank line would be no round: a feature of value 0 changes nothing and keeps it
            texts = features.to_pylist()
            for t in silent.tolist():
                before = block.indices[block.indptr[t] - 1] if block.indptr[t] else self.last
                texts[t] = f"{before}:0"
            features = pa.array(texts, cells.TEXT)
        if len(block.indices):
            self.last = int(block.indices[-1])
        between = pc.if_else(pa.array((block.labels >= 0) & (np.diff(block.indptr) > 0)), scalar(" "), NOTHING)
        return joined(label_texts(block, self.labels), between, features, NEWLINE)

    def finish(self) -> None:
        if self.shape.names is not None:
            with beside(self.beside) as file:
                for name in self.shape.names.names() or ["0"]:  # rows without features may have needed one that is always 0
                    file.write(cells.quoted(name).encode() + b"\n")


class VW(Lines):
    """`label weight 'id | name:value ...`: no namespaces, since names have theirs already."""

    format = "vw"
    words = False

    def lines(self, block: Block) -> pa.Array:
        parts = [label_texts(block, tuple(f"{label} " for label in self.labels))]
        if self.shape.weights and block.weights is not None:
            weights = weights_of(block)
            other = weights != 1
            lost = other & (block.labels < 0)
            if lost.any():
                row = block.round(int(lost.argmax()))
                raise refused(
                    row, "has a weight and no label", "VW text", "csv, jsonl, parquet and arrow can, and --drop weights leaves it out"
                )
            parts.append(pc.if_else(pa.array(other), joined(numbers(weights), scalar(" ")), NOTHING))
        if block.ids is not None:
            parts.append(id_texts(block.ids, lambda id: f"'{cells.escaped(id)} ", "", len(block)))
        return joined(*parts, scalar("| "), rows(block, vw_tokens(block, self.names)), NEWLINE)


class CSV(Lines):
    """`label,weight,id,|`: the last column has the features, as VW text writes them."""

    format = "csv"
    delimiter = ","

    def head(self) -> bytes:
        columns = ["label", *["weight"] * self.shape.weights, *["id"] * self.shape.ids, "|"]
        return (self.delimiter.join(columns) + "\n").encode()

    def lines(self, block: Block) -> pa.Array:
        comma = scalar(self.delimiter)
        parts = [self.cell(label_texts(block, self.labels)), comma]
        if self.shape.weights:
            parts += [numbers(weights_of(block)), comma]
        if self.shape.ids:
            parts += [self.cell(id_texts(block.ids, str, "", len(block))), comma]
        features = rows(block, vw_tokens(block, self.names))
        # a row whose only feature is called NA would be a cell with nothing in it
        gone = pc.is_in(features, pa.array(sorted(MISSING - {""}), cells.TEXT))
        if pc.any(gone).as_py():
            features = pc.if_else(gone, joined(features, scalar(":1")), features)
        return joined(*parts, self.cell(features), NEWLINE)

    def cell(self, texts: pa.Array) -> pa.Array:
        """In quotes where it needs them."""
        special = pc.match_substring_regex(texts, f'["\r\n{self.delimiter}]')
        if not pc.any(special).as_py():
            return texts
        return pc.if_else(special, joined(scalar('"'), pc.replace_substring(texts, '"', '""'), scalar('"')), texts)


class TSV(CSV):
    """The same with tabs, and no quotes: a reader of tsv takes them for characters unless the first rows say otherwise."""

    format = "tsv"
    delimiter = "\t"

    def lines(self, block: Block) -> pa.Array:
        for t, id in enumerate(block.ids or ()):
            if id and (id.startswith('"') or set(id) & TABBED):
                raise refused(
                    block.round(t), f"has the id {id!r}", "tsv", "csv, vw, jsonl, parquet and arrow can, and --drop ids leaves it out"
                )
        for code, label in enumerate(self.labels):
            if set(label) & TABBED and (block.labels == code).any():
                t = int((block.labels == code).argmax())
                raise refused(block.round(t), f"has the label {label!r}", "tsv", "csv, jsonl, parquet and arrow can")
        return super().lines(block)

    def cell(self, texts: pa.Array) -> pa.Array:
        """After a blank where a quote comes first: readers strip labels and features, and a quote inside a cell is one either way."""
        first = pc.starts_with(texts, '"')
        return pc.if_else(first, joined(scalar(" "), texts), texts) if pc.any(first).as_py() else texts


class JSONLines(Lines):
    """`{"label": 1, "weight": 2, "id": "a", "features": {"name": 1}}`"""

    format = "jsonl"

    def spell(self, name: str) -> str:
        return cells.quoted(name)

    def lines(self, block: Block) -> pa.Array:
        labels = tuple(
            cells.quoted(label) if isinstance(label, str) else text for label, text in zip(self.shape.labels, self.labels, strict=True)
        )
        parts = [scalar('{"label": '), label_texts(block, labels, "null")]
        if self.shape.weights:
            parts += [scalar(', "weight": '), numbers(weights_of(block))]
        if self.shape.ids:
            parts += [scalar(', "id": '), id_texts(block.ids, cells.quoted, "null", len(block))]
        values = scalar("1") if block.values is None else numbers(block.values)
        features = rows(block, joined(self.names.of(block.indices), scalar(": "), values), ", ")
        return joined(*parts, scalar(', "features": {'), features, scalar("}}\n"))


class Text(Lines):
    """`label<TAB>words`, for rounds whose features are words and whose values are how often they occur."""

    format = "text"
    cannot = ("weights", "ids")
    others = "libsvm, vw, csv, jsonl, parquet and arrow can"

    def __init__(self, shape: Shape, out: Any, path: str) -> None:
        self.good = np.empty(0, np.bool_)
        super().__init__(shape, out, path)

    def spell(self, name: str) -> str:
        return name

    def take(self, block: Block) -> None:
        if block.values is not None:
            self._check_counts(block)
        self._check_words(block)
        counts = np.ones(len(block.indices), np.int64) if block.values is None else block.values.astype(np.int64)
        sums = np.concatenate([[0], np.cumsum(counts)])
        cost = np.diff(sums[block.indptr])
        if len(cost) and cost.max() > cells.LONGEST_LINE // 2:
            row = block.round(int(cost.argmax()))
            raise LittlestoneError(f"{row} would be a line of more than {cells.LONGEST_LINE} bytes, which no reader takes")
        for start, stop in cells.pieces(block, cost):
            part = block.cut(start, stop)
            lo, hi = block.indptr[start], block.indptr[stop]
            ends = (sums[lo : hi + 1] - sums[lo])[part.indptr]
            repeated = Block(ends, np.repeat(part.indices, counts[lo:hi]), None, part.labels)
            self.out.write(data(self.lines(repeated), part))

    def lines(self, block: Block) -> pa.Array:
        return joined(label_texts(block, self.labels), scalar("\t"), rows(block, self.names.of(block.indices)), NEWLINE)

    def _check_counts(self, block: Block) -> None:
        assert block.values is not None
        bad = (block.values < 0) | (block.values != np.floor(block.values))
        if bad.any():
            k = int(bad.argmax())
            what = f"has value {block.values[k]:g}"
            raise refused(self._place(block, k), what, "text (words and how often they occur)", self.others)

    def _check_words(self, block: Block) -> None:
        if self.shape.names is None:
            return
        names = self.shape.names
        if len(self.good) < len(names):
            new = [cells.is_word(names.name(i)) for i in range(len(self.good), len(names))]
            self.good = np.concatenate([self.good, np.array(new, np.bool_)])
        used = self.good[block.indices]
        if block.values is not None:
            used |= block.values == 0
        if not used.all():
            raise refused(self._place(block, int(used.argmin())), "is no word in lower case", "text", self.others)

    def _place(self, block: Block, k: int) -> str:
        t = int(np.searchsorted(block.indptr, k, side="right")) - 1
        names = self.shape.names
        name = str(block.indices[k]) if names is None else names.name(int(block.indices[k]))
        return f"{block.round(t)}: feature {name!r}"


def looks_numbered(head: list[Block], names: Any) -> bool:
    """Would a reader of VW text or of a `|` column take these names for numbers, from the first rows?"""
    rows_left, seen = LOOK_ROWS, False
    for block in head:
        last = block.indptr[min(rows_left, len(block))]
        for column in np.unique(block.indices[:last]).tolist():
            if not is_index(names.name(column)):
                return False
            seen = True
        rows_left -= min(rows_left, len(block))
    return seen or rows_left == 0
