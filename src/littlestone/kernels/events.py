"""Events as Python has them, a dict or a pair of arrays, read, checked, predicted and learned from in one call of compiled code.

Handing over an array costs as much as a short loop, and a dict of seventy numbers is packed as slowly as it is read and played. So the
objects are looked at where they lie, by their addresses, with what Python and numpy promise of their C interfaces; and all else, the state
of the model and the row that was made last, is found through one table of addresses. Whatever is not plain (an index that is new, a number
that is not finite, a key of another type) is left alone, and goes the long way, which knows what to say of it.
"""

import sys
from ctypes import c_double, c_ssize_t
from functools import cache
from typing import Any

import numpy as np

from littlestone.kernels.compiler import (
    are_chainable,
    builtin,
    call_table,
    columns_at,
    held,
    item_of,
    jit_held,
    jit_lent,
    made_number,
    next_item,
    numbers_at,
    put_item,
    real_number,
    table_call,
    whole_number,
    words_at,
    words_of,
)

ROOM = 1024  # features of a row that there is room for
# what stands at the beginning of a table: addresses of objects, what was met, the two calls, the last row, and room for cursors
OBJECTS = (None, True, False, dict, int, float, str, tuple, np.ndarray, np.dtype(np.uint32), np.dtype(np.float32))
NONE, TRUE, FALSE, DICT, INT, FLOAT, STR, TUPLE, ARRAY, UINT32, FLOAT32 = range(len(OBJECTS))
PREDICT, UPDATE, SURE, ZERO, NAMES, MOST_NAMES, DOMAIN, ALWAYS, START, FRESH, CURSOR = range(len(OBJECTS), len(OBJECTS) + 11)
HEAD = CURSOR + 3
PART = 3  # words of a part in a table; see `compiled.Chain`
INDICES, VALUES, LO, HI, Y, YHAT, WEIGHT = range(HEAD, HEAD + 7 * PART, PART)
DOMAINS = {"real": 0, "unit": 1, "boolean": 2}
UNIT, BOOLEAN = DOMAINS["unit"], DOMAINS["boolean"]
LONG_WAY = -1
# a page of a ledger: how many entries and features it holds, how many it may, where they are; of an entry round, label, prediction, length
ENTRIES, FEATURES, MOST_ENTRIES, MOST_FEATURES, PAGE_ENTRIES, PAGE_INDICES, PAGE_VALUES, PAGE_HEAD = range(8)
ENTRY = 4
PAGE_ROOM, PAGE_ENTRIES_ROOM = 2**14, 2**10
# what comes of a round: the prediction, whether it was wrong, is yet to be entered, had names that are new, and could not be learned from
ANSWER, MISTAKE, UNENTERED, NEW_NAMES, FAILED = 1, 2, 4, 8, 16


@jit_lent
def kind_of(x):
    """The address of an object's type."""
    return words_at(x, 2)[1]


@jit_lent
def read_dict(table, address, x, names):
    """The items of a dict as a row: how many, or LONG_WAY. Keys are columns, or names where `names` is their map; one that it has not is
    put behind the others for the sake of this row."""
    indices, values = columns_at(table[INDICES], ROOM), numbers_at(table[VALUES], ROOM)
    cursor = address + 8 * CURSOR
    place = words_at(cursor, 3)
    place[0] = 0
    limit, start, fresh, domain = table[MOST_NAMES], np.int64(0), np.int64(0), table[DOMAIN]
    named = names != table[NONE]
    if named:
        start = words_at(names, 3)[2]
        if start > (table[SURE] >> 2) + 1:
            return np.int64(LONG_WAY)
    m, top, zero = np.uint64(0), np.int64(0), False
    while next_item(x, cursor) != 0:
        key, value = place[1], place[2]
        kind = kind_of(value)
        if m == ROOM:
            return np.int64(LONG_WAY)
        if kind == table[FLOAT]:
            number = np.float32(real_number(value))
        elif kind == table[INT]:
            whole = whole_number(value)
            if whole < -(2**53) or whole > 2**53:
                return np.int64(LONG_WAY)
            number = np.float32(np.float64(whole))
        else:
            return np.int64(LONG_WAY)
        if not np.isfinite(number) or (domain == UNIT and not (0 <= number <= 1)) or (domain == BOOLEAN and number != 1):
            return np.int64(LONG_WAY)
        column = np.int64(0)
        if named:
            if kind_of(key) != table[STR]:
                return np.int64(LONG_WAY)
            key = item_of(names, key)
        if key != 0:
            if kind_of(key) != table[INT]:
                return np.int64(LONG_WAY)
            column = whole_number(key)
            if column < 0:
                return np.int64(LONG_WAY)
            top = max(top, column)
        else:
            column = start + fresh
            fresh += 1
        indices[m], values[m] = np.uint32(column), number
        zero = zero or column == 0
        m += np.uint64(1)
    if m == 0 or 4 * top + 3 > table[SURE] or (fresh > 0 and start + fresh > limit):
        return np.int64(LONG_WAY)
    if (zero or named) and table[ZERO] == 0:
        return np.int64(LONG_WAY)
    table[START], table[FRESH] = start, fresh
    return np.int64(m)


@jit_lent
def flat_array(table, x, kind):
    """Where the numbers of an array lie, and how many they are; 0 where it is not flat, or of another type."""
    fields = words_at(x, 9)
    flat = kind_of(x) == table[ARRAY] and np.int32(fields[3]) == 1 and fields[7] == kind and (fields[8] & 0x101) == 0x101
    return (fields[2], words_at(fields[4], 1)[0]) if flat else (np.int64(0), np.int64(-1))


@jit_lent
def read_pair(table, x):
    """A pair of arrays, columns and values, as a row of its own: how many, or LONG_WAY."""
    fields = words_at(x, 5)
    if fields[2] != 2 or table[DOMAIN] == BOOLEAN:
        return np.int64(LONG_WAY)
    columns, m = flat_array(table, fields[3], table[UINT32])
    numbers, n = flat_array(table, fields[4], table[FLOAT32])
    if m != n or m <= 0 or m > ROOM:
        return np.int64(LONG_WAY)
    source, floats = columns_at(columns, m), numbers_at(numbers, m)
    indices, values = columns_at(table[INDICES], m), numbers_at(table[VALUES], m)
    for k in range(m):
        indices[k] = source[k]
        values[k] = floats[k]
    faults, sizes = np.uint32(0), np.float32(0)
    for k in range(m):
        sizes += values[k] * np.float32(0)  # NaN where it is not finite
    for k in range(1, m):
        faults |= np.uint32(indices[k] <= indices[k - 1])
    if faults != 0 or sizes != 0 or 4 * np.int64(indices[m - 1]) + 3 > table[SURE] or (indices[0] == 0 and table[ZERO] == 0):
        return np.int64(LONG_WAY)
    if table[DOMAIN] == UNIT:
        for k in range(m):
            if values[k] < 0 or values[k] > 1:
                return np.int64(LONG_WAY)
    table[START], table[FRESH] = 0, 0
    return m


@jit_lent
def read_event(table, address, x, names):
    kind = kind_of(x)
    if kind == table[DICT]:
        return read_dict(table, address, x, names)
    if kind == table[TUPLE] and names == table[NONE]:
        return read_pair(table, x)
    return np.int64(LONG_WAY)


@jit_lent
def note_names(table, address, x, names):
    """Let the names that are new have the columns that the row has given them; False where there is no memory for it."""
    if table[FRESH] == 0:
        return True
    indices, cursor, k = columns_at(table[INDICES], ROOM), address + 8 * CURSOR, np.uint64(0)
    place = words_at(cursor, 3)
    place[0] = 0
    while next_item(x, cursor) != 0:
        column = np.int64(indices[k])
        if column >= table[START] and put_item(names, place[1], column) != 0:
            return False
        k += np.uint64(1)
    return True


@jit_lent
def enter(table, page, round, m):
    """Enter the row that was made last into a page of a ledger; False where there is no room."""
    head = words_at(page, PAGE_HEAD)
    entries, features = head[ENTRIES], head[FEATURES]
    if entries == head[MOST_ENTRIES] or features + m > head[MOST_FEATURES]:
        return False
    entry = words_at(head[PAGE_ENTRIES] + 8 * ENTRY * entries, ENTRY)
    entry[0], entry[1], entry[2], entry[3] = round, table[Y], table[YHAT], m
    indices, values = columns_at(table[INDICES], m), numbers_at(table[VALUES], m)
    columns, numbers = columns_at(head[PAGE_INDICES] + 4 * features, m), numbers_at(head[PAGE_VALUES] + 4 * features, m)
    for k in range(m):
        columns[k] = indices[k]
        numbers[k] = values[k]
    head[ENTRIES], head[FEATURES] = entries + 1, features + m
    return True


@jit_held
def play_event(itself, arguments, count):
    """play(x) predicts: True or False. play(x, y, page, round) learns as well: what came of it, as a number.

    None where x has to go the long way, and nothing was done. `page` is the address of a ledger's, or None.
    """
    address = whole_number(words_at(itself, 4)[3])  # the first of a tuple
    table, handed = words_at(address, HEAD + 7 * PART), words_at(arguments, 4)
    x, names, nothing = handed[0], table[NAMES], table[NONE]
    m = read_event(table, address, x, names)
    if m < 0:
        return held(nothing)
    table[HI] = m
    yhat = call_table(table[PREDICT], address)
    if yhat != 0 and yhat != 1:  # it is undecided
        return held(nothing)
    if count == 1:
        return held(table[TRUE] if yhat == 1 else table[FALSE])
    outcome, y, page = yhat * ANSWER, np.int64(handed[1] == table[TRUE]), handed[2]
    if table[FRESH] != 0:
        if not note_names(table, address, x, names):
            return np.int64(0)
        outcome |= NEW_NAMES
    if y != yhat:
        outcome |= MISTAKE
    elif table[ALWAYS] == 0:
        return made_number(outcome)
    table[Y], table[YHAT] = y, yhat
    updated = call_table(table[UPDATE], address)
    if updated < 0:
        return made_number(outcome | FAILED)
    if (y != yhat or updated == 1) and page != nothing and not enter(table, whole_number(page), whole_number(handed[3]), m):
        outcome |= UNENTERED
    return made_number(outcome)


@cache
def objects_are_known() -> bool:
    """Do Python's objects lie in memory as the kernels of this file take them to?"""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32 or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False

    def word(x: Any, k: int) -> int:
        return c_ssize_t.from_address(id(x) + 8 * k).value

    number, pair, items, array = 1.5, (1, "a"), {"a": 1, "b": 2}, np.arange(3, dtype=np.uint32)
    row = [array.ctypes.data, id(array.dtype), 3]
    return (
        all(word(x, 1) == id(type(x)) for x in (number, pair, items, array, "a", 1))
        and c_double.from_address(id(number) + 16).value == number
        and [word(pair, k) for k in (2, 3, 4)] == [2, id(pair[0]), id(pair[1])]
        and word(items, 2) == len(items)
        and [word(array, 2), word(array, 7), c_ssize_t.from_address(word(array, 4)).value] == row
        and (word(array, 3) & 0xFFFFFFFF, word(array, 8) & 0x101) == (1, 0x101)
    )


class Door:
    """Where events of one model come in: its arrays, the row that was made last, and the function `play`: see `play_event`.

    It is for one thread at a time, and for as long as the arrays of the state stay where they are.
    """

    def __init__(self, predict: Any, update: Any, arguments: tuple, names: dict | None, domain: str, always: bool) -> None:
        self.indices, self.values, self.arguments = np.empty(ROOM, np.uint32), np.empty(ROOM, np.float32), arguments
        self.names = names  # columns by their names, where features have such
        row = [self.indices, self.values, 0, 0, False, False, 1.0]
        parts = [*row, *arguments]
        self.table = table = np.zeros(HEAD + PART * len(parts), np.int64)
        table[: len(OBJECTS)] = [id(x) for x in OBJECTS]
        for k, part in enumerate(parts):
            table[HEAD + PART * k : HEAD + PART * (k + 1)] = words_of(part)
        if domain == "boolean":
            row[1] = None
        own = [HEAD + PART * k for k in range(len(row), len(parts))]
        table[PREDICT] = table_call(predict, (*arguments, *row[:4]), (*own, INDICES, VALUES, LO, HI))
        table[UPDATE] = table_call(update, (*arguments, *row), (*own, INDICES, VALUES, LO, HI, Y, YHAT, WEIGHT))
        table[NAMES], table[DOMAIN], table[ALWAYS] = id(names), DOMAINS[domain], always
        self.play = builtin(play_event, table.ctypes.data, (table, self.indices, self.values, arguments, names))

    def met(self, sure: int, zero: bool, names: int) -> None:
        """Say which columns have been met, and for how many names there is room."""
        self.table[SURE], self.table[ZERO], self.table[MOST_NAMES] = sure, zero, names

    @property
    def row(self) -> tuple:
        """The row that was made last."""
        return self.indices, None if self.table[DOMAIN] == BOOLEAN else self.values, 0, int(self.table[HI])


class LedgerPage:
    """Entries of a ledger as `play_event` writes them: four numbers each, and their rows one after the other."""

    def __init__(self, valued: bool) -> None:
        self.valued, self.entries = valued, np.empty((PAGE_ENTRIES_ROOM, ENTRY), np.int64)
        self.indices, self.values = np.empty(PAGE_ROOM, np.uint32), np.empty(PAGE_ROOM, np.float32)
        places = [array.ctypes.data for array in (self.entries, self.indices, self.values)]
        self.head = np.array([0, 0, len(self.entries), 0, *places], np.int64)
        self.address = self.head.ctypes.data

    def __bool__(self) -> bool:
        """Are there any?"""
        return bool(self.head[ENTRIES])

    def limit(self, features: float) -> None:
        """So many features it may hold, or as many as there is room for."""
        self.head[MOST_FEATURES] = max(0, min(features, PAGE_ROOM))

    def taken(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """What it holds: entries, indices and values; it is empty then."""
        entries, features = self.head[[ENTRIES, FEATURES]].tolist()
        self.head[[ENTRIES, FEATURES]] = 0
        return self.entries[:entries].T, self.indices[:features], self.values[:features] if self.valued else None


def can_open(predict: Any, update: Any, arguments: tuple) -> bool:
    """Can there be a door for these kernels?"""
    return are_chainable([(predict, arguments, None), (update, arguments, None)]) and objects_are_known()
