"""Columns of Arrow as arrays of numpy: numbers, codes of different values, lists; and the parts that they make."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.rounds.reading import Reading
from littlestone.streams.vocabulary import Vocabulary
from littlestone.streams.weave import FeatureColumn
from littlestone.streams.word_bags import bags

types = pa.types
NOT_THERE = -2  # the code of a row that has not this column at all; -1 is the one of null


def is_text(kind: pa.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def is_number(kind: pa.DataType) -> bool:
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind) or types.is_null(kind)


def is_list(kind: pa.DataType) -> bool:
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def held(column: pa.Array) -> np.ndarray:
    """The numbers or truth values of a column without nulls, as they lie in memory. (Arrow's `to_numpy` loads pandas.)"""
    if types.is_boolean(column.type):
        return np.from_dlpack(column.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(column)


def numbers_of(column: pa.Array) -> np.ndarray:
    """As doubles, NaN where there is none."""
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not types.is_float64(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
    return held(pc.fill_null(column, np.nan) if column.null_count else column)


def distinct_of(column: pa.Array) -> tuple[np.ndarray, list[Any]]:
    """(code of each row, -1 where it is null; the different values)."""
    if types.is_string_view(column.type):
        column = pc.cast(column, pa.string())
    encoded = column if types.is_dictionary(column.type) else pc.dictionary_encode(column)
    codes = encoded.indices
    if codes.null_count:
        codes = pc.fill_null(pc.cast(codes, pa.int32()), -1)
    kind = encoded.dictionary.type
    values = encoded.dictionary
    if types.is_timestamp(kind) or types.is_time64(kind):  # Python's own have microseconds
        values = pc.cast(values, pa.timestamp("us", kind.tz) if types.is_timestamp(kind) else pa.time64("us"), safe=False)
    return held(codes).astype(np.int32, copy=False), values.to_pylist()


def coded(codes: np.ndarray, cells: Sequence[str | None], null: str | None = None) -> FeatureColumn:
    """One feature a row: what its code stands for, `null` where that is -1, none where that is NOT_THERE; None gives none."""
    places: dict[str, int] = {}
    table = np.array([-1 if cell is None else places.setdefault(cell, len(places)) for cell in (*cells, None, null)], np.int32)
    mapped = table[codes]
    there = mapped >= 0
    return FeatureColumn(there.astype(np.int32), mapped[there], None, list(places))


def listed(column: pa.Array) -> tuple[np.ndarray, pa.Array]:
    """(length of each row's list, everything in them)."""
    lengths = held(pc.fill_null(pc.list_value_length(column), 0))
    return lengths.astype(np.int32, copy=False), column.flatten()


def from_pairs(rows: Sequence[Sequence[tuple[str, float]]]) -> FeatureColumn:
    """Features that plain Python found; zeros are dropped."""
    names: dict[str, int] = {}
    codes: list[int] = []
    values: list[float] = []
    counts: list[int] = []
    for row in rows:
        before = len(codes)
        for name, value in row:
            if value:
                codes.append(names.setdefault(name, len(names)))
                values.append(value)
        counts.append(len(codes) - before)
    numbers = np.array(values, np.float32)
    return FeatureColumn(
        np.array(counts, np.int32), np.array(codes, np.int32), None if (numbers == 1).all() else numbers, list(names), apart=False
    )


def spread(part: FeatureColumn, codes: np.ndarray) -> FeatureColumn:
    """Return the features of rows: row t has those of the row codes[t] of `part`, counted from its end where that is negative."""
    counts, starts = part.counts[codes], (np.cumsum(part.counts) - part.counts)[codes]
    ends = np.cumsum(counts)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
    return part._replace(counts=counts, codes=part.codes[places], values=None if part.values is None else part.values[places])


def words_part(column: pa.Array, prefix: str, reading: Reading) -> FeatureColumn:
    """Words of a column of text, counted."""
    column = pc.fill_null(column if types.is_string(column.type) else pc.cast(column, pa.string()), "")
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    data = column.buffers()[2]
    local = Vocabulary()
    cells = offsets, np.frombuffer(data if data is not None else b"", np.uint8)
    indptr, codes, counts = bags(*cells, local, prefix, reading.ngrams, reading.version, reading.chars)
    return FeatureColumn(np.diff(indptr).astype(np.int32), codes.astype(np.int32), counts, local.names())


def kept(lengths: np.ndarray, there: np.ndarray) -> np.ndarray:
    """How many of each row's entries are there."""
    so_far = np.concatenate(([0], np.cumsum(there)))
    ends = np.cumsum(lengths)
    return (so_far[ends] - so_far[ends - lengths]).astype(np.int32)


def validity(column: pa.Array) -> np.ndarray:
    return held(column.is_valid())
