"""The feature map: columns of Arrow as sparse rows, by the kinds that a settled Reading names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.rounds.reading import Reading
from littlestone.streams.arrays import (
    coded,
    distinct_of,
    from_pairs,
    in_rows,
    is_list,
    is_number,
    is_text,
    kept,
    listed,
    numbers_of,
    types,
    validity,
    words_part,
)
from littlestone.streams.cells import BAR, BLANK, MISSING, Pairs, Target, Tokens, features_of, flattened, number_text, text_of
from littlestone.streams.gather import Part, crossed, woven
from littlestone.streams.guess import side_by_side
from littlestone.streams.libsvm import LARGEST_FLOAT32, LARGEST_INDEX
from littlestone.streams.parsed import Fault
from littlestone.streams.roles import Faults, checked_numbers, refuse

NOT_IN_LOOK: Any = ()  # no text, since that may be a key: a column of features under keys that the look has not shown


class Table:
    """Some rows: columns of Arrow, or lists of features that plain Python has found."""

    def __init__(self, columns: dict[str, Any], rows: int) -> None:
        self.columns, self.rows = columns, rows

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> Table:
        return cls(dict(zip(batch.schema.names, batch.columns, strict=True)), batch.num_rows)

    def only(self, good: np.ndarray) -> Table:
        """The rows that are good."""
        mask, places = pa.array(good), np.flatnonzero(good).tolist()
        columns = {
            name: [column[row] for row in places] if isinstance(column, list) else column.filter(mask)
            for name, column in self.columns.items()
        }
        return Table(columns, len(places))


def bin_names(name: str, edges: tuple[float, ...]) -> list[str]:
    """
    >>> bin_names("x", (1.0, 2.5)), bin_names("x", ())
    (['x<=1', '1<x<=2.5', '2.5<x'], ['x'])
    """
    if not edges:
        return [name]
    ends = [number_text(float(edge)) for edge in edges]
    return [f"{name}<={ends[0]}", *(f"{a}<{name}<={b}" for a, b in pairwise(ends)), f"{ends[-1]}<{name}"]


def _flattened(prefix: str, column: str, value: Any) -> Pairs:
    return flattened(prefix, value, column)


class Columns:
    """The feature map of one settled Reading."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.kinds = dict(reading.kinds or {})
        self.target = None if reading.label is None else Target.of(reading.label, reading.columns or ())
        self.tokens = Tokens(bool(reading.named))
        self.missing = MISSING if reading.format in ("csv", "tsv") else frozenset()
        # features side by side in lists, as `convert` writes them
        found = side_by_side(self.kinds) if reading.format in ("parquet", "arrow") else set()
        self.lists = "indices" if "indices" in found else "names" in found and "names"
        if self.lists and set(self.kinds) - {self.lists, "values"}:
            self.lists = False

    def features(self, table: Table, faults: Faults) -> list[Part]:
        """One part for each column that gives features, in order, then the crosses."""
        if self.lists:
            return [self._side_by_side(table, self.lists, faults)]
        parts = {name: self._part(name, table.columns[name], faults) for name in self.kinds if name in table.columns}
        others = [from_pairs(table.columns[NOT_IN_LOOK])] if NOT_IN_LOOK in table.columns else []
        for cross in self.reading.cross:
            first, *rest = cross.split("*")
            product = parts[first]
            for name in rest:
                product = crossed(product, parts[name])
            if product.values is not None:
                product = product._replace(values=self._float32(product, cross, faults))
            others.append(product)
        return [*parts.values(), *others]

    def _part(self, name: str, column: Any, faults: Faults) -> Part:
        kind, bare = self.kinds[name], "" if name == "features" else name
        if isinstance(column, list):
            return from_pairs(column)
        if kind == "numeric":
            return self._numeric(name, column, faults)
        if name == BAR and self.reading.format in ("csv", "tsv"):
            return from_pairs(self._each(column, self.tokens.of, faults))
        if types.is_struct(column.type):
            return self._struct(bare, column, name, faults)
        if types.is_map(column.type):
            return self._map(bare, column, name, faults)
        if is_list(column.type):
            return self._list(name, column, kind, faults)
        if kind == "text":
            if is_text(column.type):
                if self.missing:
                    column = pc.if_else(pc.is_in(pc.utf8_trim(column, characters=BLANK), pa.array(self.missing, pa.string())), "", column)
            else:
                column = pa.array([None if cell is None else text_of(cell) for cell in column.to_pylist()], pa.string())
            return words_part(column, "" if name == "text" else f"{name}=", self.reading.ngrams)
        codes, values = distinct_of(column)
        cells = (None if value is None else text_of(value).strip(BLANK) for value in values)
        return coded(codes, [None if cell is None or cell in self.missing else f"{name}={cell}" for cell in cells])

    def _each(self, column: pa.Array, read: Callable[[Any], Pairs], faults: Faults) -> list[Pairs]:
        """What plain Python reads in every cell."""
        rows: list[Pairs] = []
        for row, cell in enumerate(column.to_pylist()):
            rows.append([])
            try:
                rows[-1] = read(cell)
            except Fault as fault:
                faults.setdefault(row, fault)
        return rows

    def _numeric(self, name: str, column: pa.Array, faults: Faults) -> Part:
        numbers = checked_numbers(name, column, faults)
        edges = self.reading.edges.get(name)
        if edges is not None:
            there = numbers == numbers
            bins = np.searchsorted(np.array(edges, np.float64), numbers[there], side="left")
            return Part(there.astype(np.int32), bins.astype(np.int32), None, bin_names(name, tuple(edges)))
        values = numbers.astype(np.float32)
        there = (values != 0) & (values == values)
        if not there.all():
            values = values[there]
        return Part(there.astype(np.int32), np.zeros(len(values), np.int32), values, [name])

    def _float32(self, part: Part, name: str, faults: Faults) -> np.ndarray:
        """Values of a part, as float32; what that cannot hold is a fault."""
        assert part.values is not None
        bad = ~(np.abs(part.values) <= LARGEST_FLOAT32)
        if not bad.any():
            return part.values.astype(np.float32, copy=False)
        rows = np.repeat(np.arange(len(part.counts)), part.counts)
        for k in np.flatnonzero(bad).tolist():
            refuse(int(rows[k]), name, float(part.values[k]), faults)
        return np.where(bad, 0, part.values).astype(np.float32)

    def _numbered(self, name: str, part: Part, inner: pa.Array, faults: Faults) -> Part:
        """Codes with numbers beside them; null and zero give nothing."""
        there = validity(inner)
        part = part._replace(values=np.where(there, numbers_of(inner), 0))
        values = self._float32(part, name, faults)
        there = values != 0
        if there.all():
            return part._replace(values=values)
        return part._replace(counts=kept(part.counts, there), codes=part.codes[there], values=values[there])

    def _list(self, name: str, column: pa.Array, kind: str, faults: Faults) -> Part:
        lengths, inner = listed(column)
        if kind == "vector" and is_number(inner.type):
            places = np.arange(len(inner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            names = [f"{name}[{j}]" for j in range(lengths.max(initial=0))]
            return self._numbered(name, Part(lengths, places.astype(np.int32), None, names), inner, faults)
        codes, values = distinct_of(inner)
        part = coded(codes, [None if value is None else f"{name}={text_of(value)}" for value in values])
        return part._replace(counts=kept(lengths, part.counts), apart=False)

    def _struct(self, prefix: str, column: pa.StructArray, name: str, faults: Faults) -> Part:
        parts = []
        for field, inner in zip(column.type, column.flatten(), strict=True):
            path = f"{prefix}.{field.name}" if prefix else field.name
            if is_number(inner.type):
                once = Part(np.ones(len(inner), np.int32), np.zeros(len(inner), np.int32), None, [path])
                parts.append(self._numbered(name, once, inner, faults))
            elif is_text(inner.type):
                codes, texts = distinct_of(inner)
                parts.append(coded(codes, [None if text is None else f"{path}={text}" for text in texts]))
            else:
                parts.append(from_pairs(self._each(inner, partial(_flattened, path, name), faults)))
        indptr, codes, values, names, apart = woven(parts, len(column))
        return Part(np.diff(indptr).astype(np.int32), codes, values, names, apart)

    def _map(self, prefix: str, column: pa.MapArray, name: str, faults: Faults) -> Part:
        def read(cell: list[tuple[str, Any]] | None) -> Pairs:  # keys may repeat: one object for each
            return [pair for key, value in cell or [] for pair in features_of("map", prefix, {key: value}, name)]

        if column.null_count or not is_number(column.type.item_type) or not is_text(column.type.key_type):
            return from_pairs(self._each(column, read, faults))
        ends = column.offsets.to_numpy()
        keys, items = (one.slice(ends[0], ends[-1] - ends[0]) for one in (column.keys, column.items))
        codes, inner = distinct_of(keys)
        names = [f"{prefix}.{key}" if prefix else key for key in inner]
        return self._numbered(name, Part(np.diff(ends).astype(np.int32), codes, None, names, apart=False), items, faults)

    def _side_by_side(self, table: Table, first: str, faults: Faults) -> Part:
        """Lists of names (or of indices, kept by name) with their values beside them."""
        lengths, inner = listed(table.columns[first])
        codes, names = distinct_of(inner)
        if inner.null_count:
            self._refuse_null(first, lengths, inner, faults)
            codes, names = np.where(codes < 0, np.int32(len(names)), codes), [*names, ""]
        part = Part(lengths, codes, None, [text_of(name) for name in names], apart=False)
        values = self._values_beside(table, first, lengths, faults)
        if values is None:
            return part
        there = values != 0
        return part._replace(counts=kept(lengths, there), codes=codes[there], values=values[there])

    def _refuse_null(self, name: str, lengths: np.ndarray, inner: pa.Array, faults: Faults) -> None:
        for row in in_rows(lengths, ~validity(inner)):
            faults.setdefault(row, Fault(name, "null", "a feature"))

    def _values_beside(self, table: Table, first: str, lengths: np.ndarray, faults: Faults) -> np.ndarray | None:
        """The column `values` as float32, as it lies in memory where it can; lists of other lengths are faults."""
        if "values" not in self.kinds:
            return None
        beside, inner = listed(table.columns["values"])
        if not np.array_equal(beside, lengths):
            for row in np.flatnonzero(beside != lengths).tolist():
                faults.setdefault(row, Fault("values", f"{beside[row]} values", f"{lengths[row]}, as many as {first}"))
            return np.ones(int(lengths.sum()), np.float32)
        if inner.null_count:
            self._refuse_null("values", lengths, inner, faults)
            inner = pc.fill_null(inner, 0)
        values = inner.to_numpy() if types.is_float32(inner.type) else numbers_of(inner)
        return self._float32(Part(lengths, lengths, values, []), "values", faults)

    def as_they_lie(self, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
        """Lists of indices with their values, unchecked and not copied; None where their types do not allow that."""
        lengths, inner = listed(table.columns["indices"])
        if inner.null_count or inner.type not in (pa.int32(), pa.uint32()):
            return None
        indptr = np.zeros(table.rows + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        if "values" not in self.kinds:
            return indptr, inner.to_numpy().view(np.uint32), None
        beside, values = listed(table.columns["values"])
        if values.null_count or not types.is_float32(values.type) or not np.array_equal(beside, lengths):
            return None
        return indptr, inner.to_numpy().view(np.uint32), values.to_numpy()

    def numbered(self, table: Table, faults: Faults) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Lists of indices with their values: row pointers, indices, values, without copying where the types allow."""
        lengths, inner = listed(table.columns["indices"])
        if inner.null_count:
            self._refuse_null("indices", lengths, inner, faults)
            inner = pc.fill_null(inner, 0)
        numbers = inner.to_numpy(zero_copy_only=False)
        indices = numbers.view(np.uint32) if numbers.dtype.itemsize == 4 else numbers.astype(np.uint32)
        wrong = numbers if numbers.dtype.itemsize == 8 else indices if numbers.dtype.itemsize == 4 else numbers.astype(np.int64)
        if len(numbers) and (wrong.max() > LARGEST_INDEX or wrong.min() < 0):
            rows = np.repeat(np.arange(len(lengths)), lengths)
            for k in np.flatnonzero((wrong > LARGEST_INDEX) | (wrong < 0)).tolist():
                faults.setdefault(int(rows[k]), Fault("indices", str(numbers[k]), f"a feature index from 0 to {LARGEST_INDEX}"))
        indptr = np.zeros(table.rows + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        return indptr, indices, self._values_beside(table, "indices", lengths, faults)
