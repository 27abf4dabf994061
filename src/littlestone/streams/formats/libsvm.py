"""libsvm text, compiled: what nearly all lines need. A line it is not sure of is handed to `rounds.formats.libsvm`."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from littlestone.kernels.compiler import is_compiled, jit_lent
from littlestone.rounds.formats.libsvm import names_in, row_of, unnamed
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.line_rows import LineRows, LineScratch
from littlestone.streams.lines import LineReader
from littlestone.streams.number_kernels import (
    BAR,
    COLON,
    HASH,
    LIMIT,
    NEWLINE,
    NONE,
    ONE,
    U,
    blank,
    collect,
    collect_usual,
    convert,
    index_at,
    number,
    value_at,
)  # fmt: skip # isort: skip

WARM = b"1 1:1\n"


@jit_lent
def parse(text, start, stop, state, labels, lines, indptr, indices, values, batch):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from row state[0] and line state[1] on.

    Returns the place: `stop`, or where a line begins that plain Python judges.
    """
    p, stop, row, line = U(start), U(stop), U(state[0]), state[1]
    done, many = U(indptr[row]), NONE  # features converted, and those that are collected for it
    while p < stop:
        begin, sure = p, True
        while blank(text[p]):
            p += ONE
        if text[p] != NEWLINE and text[p] != HASH:
            label, after = number(text, p)
            c = text[after]
            if c == COLON:
                label = np.nan  # there is none
            else:
                p = after
            sure = after != NONE and (c == COLON or c == NEWLINE or blank(c))
            while sure:
                while blank(text[p]):
                    p += ONE
                if text[p] == NEWLINE or text[p] == HASH:
                    break
                place = p
                p, done, many = collect_usual(text, p, done, many, batch, indices, values, False)
                if p > place:
                    continue
                index, p = index_at(text, p)
                sure = text[p] == COLON and p > place and index <= LIMIT
                if sure:
                    value, p = value_at(text, p + ONE)
                    sure = p != NONE and text[p] != BAR
                    done, many = collect(done, many, batch, indices, values, index, value)
            if not sure:
                p = begin
                first = U(indptr[row])
                done, many = min(done, first), max(done, first) - done  # the line's features are taken back
                break
            labels[row] = label
            lines[row] = line
            row += ONE
            indptr[row] = done + many
        while text[p] != NEWLINE:
            p += ONE
        p += ONE
        line += 1
    convert(done, many, batch, indices, values)
    state[0], state[1] = row, line
    return p


class ParsedLibsvm(LineRows):
    """One chunk of whole lines. Features are numbers, and get names when they are settled, if any are wanted."""

    row_of = staticmethod(row_of)

    def __init__(
        self, path: str, skip: bool, scratch: LineScratch, reading: Reading, snapshot: Any = None, named: Sequence[str] | None = None
    ) -> None:
        super().__init__(path, scratch, reading, by_name=False)
        self.named = named  # the names of features 0, 1, ..., where a file beside this one has them
        self.state[5] = 1  # values stay, whatever they are
        s = scratch
        self.parse(parse, (s.labels, s.lines, s.indptr, s.indices, s.values, s.numbers), skip)
        self.cut()

    def settle(self, names: Any) -> None:
        named, adds_up = self.named, self.reading.adds_up
        if named is not None and len(self.indices) and self.indices.max() >= len(named):
            self._refuse_unnamed(len(named))
        if names is None or not adds_up:
            self.settle_numbers()
        if names is None:
            return
        if self.reading.bits is not None:
            self.indices = (
                names.columns_of_numbers(self.indices) if named is None else names.columns_of([named[i] for i in self.indices.tolist()])
            )
        else:
            kinds, first, where = np.unique(self.indices, return_index=True, return_inverse=True)
            order = np.argsort(first)  # names get their columns in the order of their first appearance
            columns = np.empty(len(kinds), np.uint32)
            columns[order] = names.columns_of([str(i) if named is None else named[i] for i in kinds[order].tolist()])
            self.indices = columns[where]
        self.examined = None
        if adds_up:
            self.add_up(names.stamps, int(self.indices.max(initial=0)) + 1)

    def _refuse_unnamed(self, count: int) -> None:
        beyond = np.flatnonzero(self.indices >= count)
        rows = np.searchsorted(self.indptr, beyond, side="right") - 1
        bad, first = np.unique(rows, return_index=True)
        faults = {row: unnamed(int(self.indices[k]), count) for row, k in zip(bad.tolist(), beyond[first].tolist(), strict=True)}
        self.refuse(bad, faults.__getitem__)


def settled(reading: Reading, source: Input) -> Reading:
    """Features have names where that is asked for, or where a file beside has them."""
    return reading.but(named=reading.named or reading.names or names_beside(source) is not None)


def names_beside(source: Input) -> list[str] | None:
    if source.span is None:
        return names_in(source.path, source.head(1).split(b"\n", 1)[0])
    with closing(Input(source.path)) as whole:  # its first line is not that of the part
        return names_beside(whole)


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    def beside(source: Input) -> dict[str, Any]:
        return {} if names is None else {"named": names_beside(source)}

    return LineReader(ParsedLibsvm, LineScratch, reading, skip, names, beside)


def compiled(reading: Reading) -> bool:
    return is_compiled(parse)


def writer() -> type:
    from littlestone.streams.write.lines import Libsvm

    return Libsvm
