"""A piece of a table as rounds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from littlestone.kernels.rows import examine, most_negative
from littlestone.streams.columns import Columns, Table
from littlestone.streams.gather import by_appearance, repeated_in, summed, woven
from littlestone.streams.libsvm import LARGEST_INDEX
from littlestone.streams.parsed import Fault, Parsed, beyond_float32
from littlestone.streams.roles import Faults, ids_of, labels_of, weights_of
from littlestone.streams.vocabulary import Hashed, Vocabulary

INFINITE = 0x7F800000  # the bits of a float32 from which on it is no finite number
ONCE = "each feature once in a row; --sum-duplicates (sum_duplicates=) adds them up"


class ParsedTable(Parsed):
    """Rows of a table. Their features are places in `names` until `settle`, where these are names."""

    names: list[str] | None = None

    def __init__(
        self,
        path: str,
        columns: Columns,
        table: Table,
        lines: np.ndarray,
        line_count: int,
        faults: Iterable[tuple[int, Fault]] = (),
        unit: str = "line",
    ) -> None:
        self.path, self.line_count, self.faults, self.unit = path, line_count, list(faults), unit
        self.label_column = columns.target.column if columns.target else 1
        self._columns, reading = columns, columns.reading
        while True:
            found: Faults = {}
            self.labels, self.words = labels_of(columns.target, table, found)
            self.weights = weights_of(reading.weight, table, found)
            if columns.lists == "indices" and not reading.named:
                self._by_number(table, found)
            else:
                self._by_name(table, found)
            if not found:
                break
            good = np.ones(table.rows, np.bool_)
            good[list(found)] = False
            self.faults += [(int(lines[row]), fault) for row, fault in found.items()]
            table, lines = table.only(good), lines[good]
        self.ids = ids_of(reading.id, table)
        self.lines = lines
        for _, fault in self.faults:
            fault.unit = unit

    def _by_number(self, table: Table, found: Faults) -> None:
        lists = self._columns.as_they_lie(table)
        if lists is None or not self._examine(*lists):
            lists = self._columns.numbered(table, found)
            if found or not self._examine(*lists):
                return
        self.indptr, self.indices, self.values = lists
        assert self.examined is not None
        reading = self._columns.reading
        if self.examined[2] and reading.bits is None:  # rows whose indices do not increase
            numbers, codes = np.unique(self.indices, return_inverse=True)
            again = repeated_in(self.indptr, codes.astype(np.int32), len(numbers))
            if again and reading.sum_duplicates:
                codes = self._summed(codes.astype(np.int32), len(numbers))
                self.indices, self.examined = numbers[codes], None
                found.update(self._beyond())
            elif again:
                found.update({row: Fault("indices", str(self.indices[k]), ONCE) for row, k in again.items()})
        if reading.bits is not None:
            numbers, codes = np.unique(self.indices, return_inverse=True)
            self.names, self.codes = [str(number) for number in numbers.tolist()], codes.astype(np.int32)

    def _examine(self, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray | None) -> bool:
        """Look at all of it once: can it be played as it is?"""
        bits = None if values is None else values.view(np.int32)
        self.examined = examine(indptr, indices, bits)
        top, _, _, _, least, most = self.examined
        finite = bits is None or not len(bits) or (most < INFINITE and (least >= 0 or most_negative(bits) < INFINITE - 2**31))
        return top <= LARGEST_INDEX and finite

    def _by_name(self, table: Table, found: Faults) -> None:
        parts = self._columns.features(table, found)
        if found:
            return
        self.indptr, codes, self.values, names, apart = woven(parts, table.rows)
        if not apart and self._columns.reading.bits is None:  # with bits all that share a bucket are summed, in `settle`
            again = repeated_in(self.indptr, codes, len(names))
            if again and self._columns.reading.sum_duplicates:
                codes = self._summed(codes, len(names))
                found.update(self._beyond())
            elif again:
                found.update({row: Fault(None, names[codes[k]], ONCE) for row, k in again.items()})
                return
        self.names, self.codes = by_appearance(codes, names), codes

    def settle(self, names: Vocabulary | Hashed | None) -> None:
        reading = self._columns.reading
        if self.names is None:
            return
        if names is None or (not reading.named and reading.bits is None):
            self.indices = np.array(self.names, np.uint32)[self.codes] if self.names else np.empty(0, np.uint32)
            return
        self.examined = None
        if isinstance(names, Vocabulary):
            self.indices = names.columns_of(self.names)[self.codes]
            return
        self.indices = names.columns_in_rows(self.names, self.codes, self.indptr)
        buckets, codes = np.unique(self.indices, return_inverse=True)
        if repeated_in(self.indptr, codes.astype(np.int32), len(buckets)):  # names that share a bucket
            codes = self._summed(codes.astype(np.int32), len(buckets))
            self.indices = buckets[codes]
            beyond = self._beyond()
            if beyond:
                bad = np.zeros(len(self.labels), np.bool_)
                bad[list(beyond)] = True
                for row, fault in beyond.items():
                    fault.unit = self.unit
                    self.faults.append((int(self.lines[row]), fault))
                self.leave_out(bad)

    def _summed(self, codes: np.ndarray, size: int) -> np.ndarray:
        """Sum features that stand twice in a row; the codes that remain."""
        self.indptr, codes, self.values = summed(self.indptr, codes, self.values, size)
        return codes

    def _beyond(self) -> Faults:
        """Rows with a sum that float32 cannot hold."""
        assert self.values is not None
        rows = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))[~np.isfinite(self.values)]
        return {row: beyond_float32() for row in np.unique(rows).tolist()}
