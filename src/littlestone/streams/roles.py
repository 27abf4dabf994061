"""Labels, weights and ids of the rows of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.streams.arrays import distinct_of, is_text, numbers_of, types
from littlestone.streams.cells import NUMBER, Target, checked, number_in, number_text, other_kind, text_of
from littlestone.streams.libsvm import LARGEST_FLOAT32
from littlestone.streams.parsed import Fault

if TYPE_CHECKING:
    from littlestone.streams.columns import Table

Faults = dict[int, Fault]  # by row; the first of each


def checked_numbers(name: str, column: Any, faults: Faults) -> np.ndarray:
    """Doubles, NaN where the cell is missing; what float32 cannot hold is a fault, and missing from then on."""
    if is_text(column.type) or (types.is_dictionary(column.type) and is_text(column.type.value_type)):
        codes, values = distinct_of(column)
        table = np.full(len(values) + 1, np.nan)
        for code, value in enumerate(values):
            try:
                table[code] = math.nan if value is None else number_in(value, name, other_kind(name))
            except Fault as fault:
                for row in np.flatnonzero(codes == code).tolist():
                    faults.setdefault(row, fault)
        return table[codes]
    numbers = numbers_of(column)
    bad = np.abs(numbers) > LARGEST_FLOAT32
    if bad.any():
        for row in np.flatnonzero(bad).tolist():
            refuse(row, name, float(numbers[row]), faults)
        numbers = np.where(bad, np.nan, numbers)
    return numbers


def refuse(row: int, name: str, number: float, faults: Faults) -> None:
    """Note a number that float32 cannot hold."""
    try:
        checked(number, name)
    except Fault as fault:
        faults.setdefault(row, fault)


def labels_of(target: Target | None, table: Table, faults: Faults) -> tuple[np.ndarray, list[str] | None]:
    """Numbers, NaN for none; or places in the list of words."""
    if target is None or target.column not in table.columns:
        return np.full(table.rows, np.nan), None
    column = table.columns[target.column]
    if types.is_floating(column.type) or types.is_integer(column.type):
        numbers = numbers_of(column)
        for row in np.flatnonzero(np.isinf(numbers)).tolist():
            faults.setdefault(row, Fault(target.column, number_text(float(numbers[row])), "a label: a finite number, or text"))
        if not target.compare:
            return numbers, None
        if target.ordered or NUMBER.match(target.value):
            return np.where(np.isnan(numbers), np.nan, target.truths(numbers)), None
    codes, cells = distinct_of(column)
    labels: list[float | str | None] = []
    for code, cell in enumerate(cells):
        try:
            labels.append(target.label(cell))
        except Fault as fault:
            labels.append(None)
            for row in np.flatnonzero(codes == code).tolist():
                faults.setdefault(row, fault)
    found: dict[str, int] = {}
    if any(isinstance(label, str) for label in labels):
        labels = [
            None if label is None else found.setdefault(label if isinstance(label, str) else number_text(label), len(found))
            for label in labels
        ]
    codes_of = np.array([*(math.nan if label is None else label for label in labels), math.nan], np.float64)
    return codes_of[codes], list(found) or None


def weights_of(name: str | None, table: Table, faults: Faults) -> np.ndarray | None:
    """float32; missing ones are 1; None when all are."""
    if name is None or name not in table.columns:
        return None
    numbers = checked_numbers(name, table.columns[name], faults)
    for row in np.flatnonzero(numbers < 0).tolist():
        faults.setdefault(row, Fault(name, number_text(float(numbers[row])), "a weight of at least 0"))
    weights = np.where(np.isnan(numbers), 1, numbers).astype(np.float32)
    return None if (weights == 1).all() else weights


def ids_of(name: str | None, table: Table) -> list[str | None] | None:
    """Text; None for a row that has none."""
    if name is None or name not in table.columns:
        return None
    column = table.columns[name]
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return [None if cell is None or cell == "" else text_of(cell) for cell in column.to_pylist()]
