"""libsvm text: the native parser reads what nearly all lines need, and hands one it is not sure of to `rounds.formats.libsvm`."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from littlestone.kernels.native import core
from littlestone.rounds.formats.libsvm import names_in, row_of, unnamed
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.line_rows import LineRows, LineScratch
from littlestone.streams.lines import LineReader


class ParsedLibsvm(LineRows):
    """One chunk of whole lines. Features are numbers, and get names when they are settled, if any are wanted."""

    row_of = staticmethod(row_of)

    def __init__(
        self, path: str, skip: bool, scratch: LineScratch, reading: Reading, snapshot: Any = None, named: Sequence[str] | None = None
    ) -> None:
        super().__init__(path, scratch, reading, by_name=False)
        self.named = named  # the names of features 0, 1, ..., where a file beside this one has them
        self.progress.valued = 1  # values stay, whatever they are
        s = scratch
        self.parse(core.parse_libsvm, (s.labels, s.lines, s.indptr, s.indices, s.values), skip)
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


def writer() -> type:
    from littlestone.streams.write.lines import Libsvm

    return Libsvm
