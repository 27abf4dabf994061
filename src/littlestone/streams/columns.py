"""The feature map, in arrays: columns of Arrow as sparse rows, by the kinds that a settled Reading names.

Every check here only asks whether all is as it should be. Where it is not, `Unsure` is raised, and the plain reader says what is wrong.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.protocol.owners import Owners
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import BLANKS, LARGEST, LARGEST_INDEX, SIGNS, missing_name, written
from littlestone.rounds.formats import format_named
from littlestone.rounds.formats.vw import feature_in
from littlestone.rounds.reading import MISSING_ONCE, Reading
from littlestone.rounds.tables import BAR, Pairs, TableRows, bin_names, says_nothing
from littlestone.streams.arrays import (
    NOT_THERE,
    coded,
    distinct_of,
    from_pairs,
    held,
    is_list,
    is_number,
    is_text,
    kept,
    listed,
    numbers_of,
    spread,
    types,
    validity,
    words_part,
)  # fmt: skip
from littlestone.streams.plain_rows import coded_labels
from littlestone.streams.weave import FeatureColumn, crossed, woven

SEVERAL = 4  # rounds of a key in a piece, from which on keys are told apart where they are read


class Unsure(Exception):
    """These rows are left to the plain reader."""


class ColumnBatch:
    """Some rows: columns of Arrow, and the line in which each row begins, counted from 0 at the beginning of the piece.

    `absent` says of columns in which rows they are not there at all, where they may be left out; a null in other rows is a missing cell.
    """

    def __init__(self, columns: dict[str, Any], lines: np.ndarray, absent: Mapping[str, np.ndarray] | None = None) -> None:
        self.columns, self.lines, self.absent = columns, lines, absent or {}

    def __len__(self) -> int:
        return len(self.lines)


class TableFeatures:
    """The feature map of one settled Reading. `rows` is the same in plain Python."""

    def __init__(self, reading: Reading) -> None:
        format = format_named(reading.format)
        self.reading, self.texts = reading, format.texts
        self.kinds = dict(reading.kinds or {})
        columns = list(reading.columns or ())
        self.rows = TableRows(
            reading, columns, texts=format.texts, path="the table", open=reading.format == "jsonl", labelled=reading.label is not None
        )
        self.label, self.test = self.rows.label, self.rows.test
        self.lists = self.rows.holder  # the column that lists features, as `convert` writes them

    def labels(self, batch: ColumnBatch) -> tuple[np.ndarray, list[str] | None]:
        """Numbers, NaN for none; or places in the list of words."""
        column = batch.columns.get(self.label) if self.label else None
        if column is None:
            return np.full(len(batch), np.nan), None
        if types.is_floating(column.type) or types.is_integer(column.type):
            numbers = numbers_of(column)
            if np.isinf(numbers).any():
                raise Unsure
            if self.test is None:
                return numbers, None
            if isinstance(self.test.value, float):
                return np.where(np.isnan(numbers), np.nan, SIGNS[self.test.sign](numbers, self.test.value)), None
        codes, cells = distinct_of(column)
        try:
            values, words = coded_labels([self.rows.label_in({self.label: cell}) for cell in cells])
        except Fault:
            raise Unsure from None
        return np.append(values, np.nan)[codes], words

    def has_truths(self, batch: ColumnBatch) -> bool:
        """Does the column of the label hold truth values?"""
        column = batch.columns.get(self.label) if self.label else None
        return column is not None and types.is_boolean(column.type)

    def weights(self, batch: ColumnBatch) -> np.ndarray | None:
        """float32; missing ones are 1; None when all are."""
        name = self.reading.weight
        if name is None or name not in batch.columns:
            return None
        numbers = self._numbers(name, batch.columns[name])
        if (numbers < 0).any():
            raise Unsure
        weights = np.where(np.isnan(numbers), 1, numbers).astype(np.float32)
        return None if (weights == 1).all() else weights

    def ids(self, batch: ColumnBatch) -> list[str | None] | None:
        """Text; None for a row that has none."""
        return self._names(batch, self.reading.id)

    def keys(self, batch: ColumnBatch) -> Owners | None:
        """Text, of every row; each different one is looked at once."""
        name = self.reading.key
        if name is None:
            return None
        column = batch.columns.get(name)
        if column is None or column.null_count:
            raise Unsure
        known = column if types.is_dictionary(column.type) else column.dictionary_encode()
        often = SEVERAL * len(known.dictionary) <= len(known)  # else to tell keys apart takes longer than it saves
        cells = (known.dictionary if often else known.dictionary_decode()).to_pylist()
        if None in cells or "" in cells:
            raise Unsure
        names = cells if is_text(known.type.value_type) else list(map(written, cells))
        return Owners.of_cells(names, known.indices.to_numpy(zero_copy_only=False)) if often else Owners(names)

    def of_key(self, batch: ColumnBatch, key: str) -> ColumnBatch:
        """The rows of that key alone."""
        own = np.array([name == key for name in self.keys(batch) or ()], np.bool_)
        columns = {name: column.filter(pa.array(own)) for name, column in batch.columns.items()}
        return ColumnBatch(columns, batch.lines[own], {name: absent[own] for name, absent in batch.absent.items()})

    def _names(self, batch: ColumnBatch, name: str | None) -> list[str | None] | None:
        if name is None or name not in batch.columns:
            return None
        column = batch.columns[name]
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return [None if cell is None or cell == "" else written(cell) for cell in column.to_pylist()]

    def features(self, batch: ColumnBatch) -> list[FeatureColumn]:
        """One part for each column that gives features, in order, then the crosses."""
        batch = self._without_bare(batch)
        try:
            if self.lists:
                return [self._side_by_side(batch)]
            parts = {name: self._part(name, batch.columns[name], batch.absent.get(name)) for name in self.kinds if name in batch.columns}
        except Fault:
            raise Unsure from None
        crosses = []
        for cross in self.reading.cross:
            first, *rest = cross.split("*")
            product = parts[first]
            for name in rest:
                product = crossed(product, parts[name])
            crosses.append(product if product.values is None else product._replace(values=_float32(product.values)))
        return [*parts.values(), *crosses]

    def _without_bare(self, batch: ColumnBatch) -> ColumnBatch:
        """The same; rows that bring a label for the round of their name, and nothing else, have no cells that are missing."""
        ids = self.ids(batch) if self.reading.marks_missing and not self.lists else None
        if ids is None:
            return batch
        bare = np.array([id is not None for id in ids], np.bool_) & ~np.isnan(self.labels(batch)[0])
        used = {name: batch.columns[name] for name in self.kinds if name in batch.columns}
        for column in used.values():
            empty = np.flatnonzero(bare)
            if not len(empty):
                return batch
            bare[empty] = [self.rows.is_missing(cell) for cell in column.take(pa.array(empty)).to_pylist()]
        return ColumnBatch(batch.columns, batch.lines, {name: bare | batch.absent.get(name, False) for name in used})

    def _part(self, name: str, column: Any, absent: np.ndarray | None) -> FeatureColumn:
        kind, prefix = self.kinds[name], "" if name == "features" else f"{name}."
        if kind == "numeric":
            return self._numeric(name, column, absent)
        if name == BAR and self.texts:
            return self._tokens(column)
        if types.is_struct(column.type):
            return self._struct(name, prefix, column)
        if types.is_map(column.type):
            return self._map(name, prefix, column)
        if is_list(column.type):
            return self._list(name, column, kind)
        missing = self.rows.missing
        if kind == "time":
            codes, values = distinct_of(column)
            codes = codes if absent is None else np.where(absent, NOT_THERE, codes)
            return spread(from_pairs([*(self.rows.features(name, value) for value in values), [], self.rows.nothing(name)]), codes)
        if kind == "text":
            if not is_text(column.type):
                column = pa.array([None if cell is None else written(cell) for cell in column.to_pylist()], pa.string())
            elif missing:
                column = pc.cast(column, pa.string()) if types.is_string_view(column.type) else column
                column = pc.if_else(pc.is_in(pc.utf8_trim(column, characters=BLANKS), pa.array(sorted(missing), pa.string())), "", column)
            return words_part(column, "" if name == "text" else f"{name}=", self.reading)
        codes, values = distinct_of(column)
        if absent is not None:
            codes = np.where(absent, NOT_THERE, codes)
        nothing = missing_name(name) if self.reading.marks_missing else None
        cells = (None if value is None else written(value).strip(BLANKS) for value in values)
        return coded(codes, [nothing if cell is None or cell in missing else f"{name}={cell}" for cell in cells], nothing)

    def _numbers(self, name: str, column: pa.Array) -> np.ndarray:
        """Doubles that float32 can hold, NaN where the cell is missing."""
        if is_text(column.type) or (types.is_dictionary(column.type) and is_text(column.type.value_type)):
            codes, cells = distinct_of(column)
            declared = name in self.reading.numeric or name == self.reading.weight
            words = MISSING_ONCE if name == self.reading.weight else self.reading.missing
            missing = [cell is None or says_nothing(cell, words) for cell in cells]
            try:
                table = [np.nan if no else self.rows.number(name, cell, "", text=declared) for cell, no in zip(cells, missing, strict=True)]
            except Fault:
                raise Unsure from None
            return np.array([*table, np.nan])[codes]
        numbers = numbers_of(column)
        if (np.abs(numbers) > LARGEST).any():
            raise Unsure
        return numbers

    def _numeric(self, name: str, column: pa.Array, absent: np.ndarray | None) -> FeatureColumn:
        numbers = self._numbers(name, column)
        edges, missing = self.reading.edges.get(name), np.isnan(numbers)
        marked = missing & self.reading.marks_missing if absent is None else missing & ~absent
        nothing = [missing_name(name)] if marked.any() else []
        if edges is not None:
            names, there = bin_names(name, tuple(edges)), marked | ~missing
            bins = np.where(missing, len(names), np.searchsorted(np.array(edges, np.float64), numbers, side="left"))
            return FeatureColumn(there.astype(np.int32), bins[there].astype(np.int32), None, [*names, *nothing])
        values = np.where(missing, marked, numbers).astype(np.float32)
        there = values != 0
        if not there.all():
            values, missing = values[there], missing[there]
        return FeatureColumn(there.astype(np.int32), missing.astype(np.int32), values, [name, *nothing])

    def _numbered(self, part: FeatureColumn, inner: pa.Array) -> FeatureColumn:
        """Codes with numbers beside them; null and zero give nothing."""
        values = _float32(np.where(validity(inner), numbers_of(inner), 0))
        there = values != 0
        if there.all():
            return part._replace(values=values)
        return part._replace(counts=kept(part.counts, there), codes=part.codes[there], values=values[there])

    def _tokens(self, column: pa.Array) -> FeatureColumn:
        """Features as VW text writes them: every different token is read once."""
        if pc.any(pc.match_substring(column, BAR)).as_py():
            raise Unsure
        if pc.any(pc.match_substring_regex(column, "[\t\r\n]")).as_py():
            column = pc.replace_substring_regex(column, "[\t\r\n]", " ")
        lengths, inner = listed(pc.split_pattern(column, " "))
        codes, tokens = distinct_of(inner)
        features = [feature_in(token.encode(), 0, "", 1.0, self.reading.by_name) if token else ("", 0.0) for token in tokens]
        part = coded(codes, [name if value else None for name, value in features])
        values = np.array([value for _, value in features], np.float32)[codes][part.counts > 0]
        return part._replace(counts=kept(lengths, part.counts), values=None if (values == 1).all() else values, apart=False)

    def _list(self, name: str, column: pa.Array, kind: str) -> FeatureColumn:
        lengths, inner = listed(column)
        if kind == "vector" and is_number(inner.type):
            places = np.arange(len(inner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            names = [f"{name}[{j}]" for j in range(lengths.max(initial=0))]
            return self._numbered(FeatureColumn(lengths, places.astype(np.int32), None, names), inner)
        codes, values = distinct_of(inner)
        part = coded(codes, [None if value is None else f"{name}={written(value)}" for value in values])
        return part._replace(counts=kept(lengths, part.counts), apart=False)

    def _struct(self, name: str, prefix: str, column: pa.StructArray) -> FeatureColumn:
        parts = []
        for field, inner in zip(column.type, column.flatten(), strict=True):
            path = prefix + field.name
            if is_number(inner.type):
                once = FeatureColumn(np.ones(len(inner), np.int32), np.zeros(len(inner), np.int32), None, [path])
                parts.append(self._numbered(once, inner))
            elif is_text(inner.type):
                codes, texts = distinct_of(inner)
                parts.append(coded(codes, [None if text is None else f"{path}={text}" for text in texts]))
            else:
                parts.append(from_pairs([self.rows.entries(name, {field.name: cell}, prefix) for cell in inner.to_pylist()]))
        indptr, codes, values, names, apart = woven(parts, len(column))
        return FeatureColumn(np.diff(indptr).astype(np.int32), codes, values, names, apart)

    def _map(self, name: str, prefix: str, column: pa.MapArray) -> FeatureColumn:
        if column.null_count or not is_number(column.type.item_type) or not is_text(column.type.key_type):
            return from_pairs([self.rows.entries(name, Pairs(cell or ()), prefix) for cell in column.to_pylist()])
        ends = held(column.offsets)
        keys, items = (inner.slice(ends[0], ends[-1] - ends[0]) for inner in (column.keys, column.items))
        codes, distinct = distinct_of(keys)
        part = FeatureColumn(np.diff(ends).astype(np.int32), codes, None, [prefix + key for key in distinct], apart=False)
        return self._numbered(part, items)

    def _side_by_side(self, batch: ColumnBatch) -> FeatureColumn:
        """Lists of names (or of indices, kept by name) with their values beside them."""
        lengths, inner = listed(batch.columns[self.lists])
        if inner.null_count:
            raise Unsure
        codes, names = distinct_of(inner)
        part = FeatureColumn(lengths, codes, None, [written(name) for name in names], apart=False)
        values = self._values_beside(batch, lengths)
        if values is None:
            return part
        there = _float32(values) != 0
        return part._replace(counts=kept(lengths, there), codes=codes[there], values=values[there])

    def _values_beside(self, batch: ColumnBatch, lengths: np.ndarray) -> np.ndarray | None:
        """The column `values` as float32, as it lies in memory where it can; there must be as many as features."""
        if "values" not in self.kinds:
            return None
        column = batch.columns["values"]
        beside, inner = listed(column)
        if inner.null_count or not np.array_equal(beside, lengths):
            raise Unsure
        return held(inner) if types.is_float32(inner.type) else _float32(numbers_of(inner))

    def numbered(self, batch: ColumnBatch) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Lists of indices with their values: row pointers, indices, values, without copying where the types allow.

        Indices that 32 bits cannot hold are refused here; the others, and the values, when all of it is looked at.
        """
        column = batch.columns["indices"]
        lengths, inner = listed(column)
        if inner.null_count:
            raise Unsure
        numbers = held(inner)
        if numbers.dtype.itemsize != 4 and len(numbers) and not 0 <= numbers.min() <= numbers.max() <= LARGEST_INDEX:
            raise Unsure
        indices = numbers.view(np.uint32) if numbers.dtype.itemsize == 4 else numbers.astype(np.uint32)
        indptr = np.zeros(len(batch) + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        return indptr, indices, self._values_beside(batch, lengths)


def _float32(values: np.ndarray) -> np.ndarray:
    if not (np.abs(values) <= LARGEST).all():
        raise Unsure
    return values.astype(np.float32, copy=False)
