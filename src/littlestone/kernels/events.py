"""Events as Python has them, a dict or a pair of arrays, read, checked, predicted, learned from and counted in one call of compiled code.

Handing over an array costs as much as a short loop, and a dict of seventy numbers is packed as slowly as it is read and played; a method
written in Python costs as much as ten names. So `predict`, `update` and `observe` are compiled themselves. They look at objects where these
lie, by their addresses, with what Python and numpy promise of their C interfaces; and all else, the state of the model, its counts and the
row that was made last, is found through one table of addresses. Whatever is not plain (an index that is new, a number that is not finite, a
key of another type) is left alone, and goes the long way, which knows what to say of it.

Nobody else runs meanwhile: Python's own lock is held from beginning to end, so that that of the model need only be looked at.
"""

import sys
from ctypes import c_double, c_ssize_t, c_uint32
from functools import cache
from threading import RLock, get_ident
from typing import Any

import numpy as np

from littlestone.kernels.compiler import (
    add_methods,
    are_chainable,
    call_table,
    columns_at,
    compare_texts,
    double_of,
    held,
    item_of,
    jit_held,
    jit_lent,
    kind_of_part,
    let_go,
    next_item,
    numbers_at,
    prefetch_entry,
    put_item,
    sends_on,
    table_call,
    tells,
    this_thread,
    whole_number,
    words_at,
    words_of,
)
from littlestone.kernels.rows import sort_row

ROOM = 1024  # features of a row that there is room for
# what stands at the beginning of a table: addresses of objects, what was met, the two calls, the last row, and room for cursors;
OBJECTS = (None, True, False, dict, int, float, str, tuple, np.ndarray, np.dtype(np.uint32), np.dtype(np.float32))
NONE, TRUE, FALSE, DICT, INT, FLOAT, STR, TUPLE, ARRAY, UINT32, FLOAT32 = range(len(OBJECTS))
PREDICT, UPDATE, NAMES, MOST_NAMES, DOMAIN, ALWAYS, START, FRESH, ITEMS, DIGIT, SORTS, SPARE, SPARE_VALUES, CURSOR = range(
    len(OBJECTS), len(OBJECTS) + 14
)
# the model's lock and where in it the holder's thread stands, its counts, a page of its ledger, its two answers; and of the dict that was
# predicted last its version (0: none), after how many rounds, and the prediction
LOCK, HOLDER, COUNTS, PAGE, NEGATIVE, POSITIVE, TAGGED, SEEN, SEEN_AT, SEEN_YHAT = range(CURSOR + 3, CURSOR + 13)
HEAD = SEEN_YHAT + 1
# in the counts: rounds, and which columns have been met: the largest, and was 0 among them
ROUNDS, MISTAKES, UNLABELLED, TOP, ZERO, COUNTED = *range(5), 5
PART = 3  # words of a part in a table; see `compiled.Chain`
INDICES, VALUES, LO, HI, Y, YHAT, WEIGHT = range(HEAD, HEAD + 7 * PART, PART)
DOMAINS = {"real": 0, "unit": 1, "boolean": 2}
UNIT, BOOLEAN = DOMAINS["unit"], DOMAINS["boolean"]
LONG_WAY = -1
# a page of a ledger: how many entries and features it holds, how many it may, where they are; of an entry round, label, prediction, length
ENTRIES, FEATURES, MOST_ENTRIES, MOST_FEATURES, PAGE_ENTRIES, PAGE_INDICES, PAGE_VALUES, PAGE_HEAD = range(8)
ENTRY = 4
PAGE_ROOM, PAGE_ENTRIES_ROOM = 2**14, 2**10
METHODS = ("predict", "update", "observe")
TO_PREDICT, TO_UPDATE, TO_OBSERVE = range(3)
send_on = sends_on(*(f"_long_{name}" for name in METHODS))
tell_that_it_failed = tells("_after_failure")


@jit_lent
def kind_of(x):
    """The address of an object's type."""
    return words_at(x, 2)[1]


@jit_lent
def whole_of(table, x):
    """A whole number of Python; one of a single digit is read where it lies."""
    words = words_at(x, 4)
    return words[3] & 0xFFFFFFFF if words[2] == table[DIGIT] else whole_number(x)


@jit_lent
def ask_for(x):
    """Ask the memory for an object: its head, and what it holds."""
    words = words_at(x, 7)
    prefetch_entry(words, np.uint64(0))
    prefetch_entry(words, np.uint64(6))


@jit_lent
def items_of(table, address, x):
    """Note the addresses of the keys and values of a dict, and ask for all of them before any is looked at, for they are scattered in
    memory; how many they are, or LONG_WAY."""
    items, cursor, m = words_at(table[ITEMS], 2 * ROOM), address + 8 * CURSOR, np.int64(0)
    place = words_at(cursor, 3)
    place[0] = 0
    while next_item(x, cursor) != 0:
        if m == ROOM:
            return np.int64(LONG_WAY)
        items[2 * m], items[2 * m + 1] = place[1], place[2]
        ask_for(place[1])
        ask_for(place[2])
        m += 1
    return m


@jit_lent
def read_dict(table, address, x, names):
    """The items of a dict as a row without zeros, sorted by column: how many, or LONG_WAY. Keys are columns, or names where `names` is
    their map; those that it has not are put behind the others, in the order of their bytes, for the sake of this row."""
    indices, values = columns_at(table[INDICES], ROOM), numbers_at(table[VALUES], ROOM)
    counts, items = words_at(table[COUNTS], COUNTED), words_at(table[ITEMS], 2 * ROOM)
    limit, start, fresh, domain = table[MOST_NAMES], np.int64(0), np.int64(0), table[DOMAIN]
    named = names != table[NONE]
    if named:
        start = words_at(names, 3)[2]
        if start > counts[TOP] + 1:
            return np.int64(LONG_WAY)
    sorts, falls, last = table[SORTS] != 0, np.int64(0), np.int64(-1)
    length, m, top, zero = items_of(table, address, x), np.int64(0), np.int64(0), False
    for k in range(length):
        key, value = items[2 * k], items[2 * k + 1]
        kind = kind_of(value)
        if kind == table[FLOAT]:
            exact = double_of(words_at(value, 3)[2])
        elif kind == table[INT]:
            whole = whole_of(table, value)
            if whole < -(2**53) or whole > 2**53:
                return np.int64(LONG_WAY)
            exact = np.float64(whole)
        else:
            return np.int64(LONG_WAY)
        number = np.float32(exact)
        if not np.isfinite(number) or (domain == UNIT and not (0 <= number <= 1)) or (domain == BOOLEAN and exact != 1):
            return np.int64(LONG_WAY)
        column, name = np.int64(0), key
        if kind_of(key) != table[STR if named else INT]:
            return np.int64(LONG_WAY)
        if sorts and number == 0:
            continue
        if named:
            key = item_of(names, name)
        if key != 0:
            column = whole_of(table, key)
            if column < 0:
                return np.int64(LONG_WAY)
            top = max(top, column)
        else:
            column = start + fresh
            items[2 * fresh + 1] = name  # in a place that has been read
            fresh += 1
        indices[m], values[m] = np.uint32(column), number
        zero = zero or column == 0
        falls += column < last
        last = column
        m += 1
    if m <= 0 or top > counts[TOP] or (fresh > 0 and start + fresh > limit):
        return np.int64(LONG_WAY)
    if (zero or named) and counts[ZERO] == 0:
        return np.int64(LONG_WAY)
    if sorts and fresh > 1:
        if not order_names(table, m, start, fresh):
            return np.int64(LONG_WAY)
        falls = np.int64(1)
    if sorts and falls > 0:
        sort_row(indices, values, 0, m, columns_at(table[SPARE], ROOM), numbers_at(table[SPARE_VALUES], ROOM))
    table[START], table[FRESH] = start, fresh
    return m


MOST_ORDERED = 64  # new names of a row that are put in order here


@jit_lent
def order_names(table, m, start, fresh):
    """Number the new names of a row, from column `start` on, in the order of their bytes; False where they are many."""
    if fresh > MOST_ORDERED:
        return False
    indices, items, place = columns_at(table[INDICES], ROOM), words_at(table[ITEMS], 2 * ROOM), columns_at(table[SPARE], ROOM)
    for j in range(fresh):  # place[j]: which of the new names, in the order of the row, comes as the j-th
        name, k = items[2 * j + 1], j
        while k > 0 and compare_texts(items[2 * np.int64(place[k - 1]) + 1], name) > 0:
            place[k] = place[k - 1]
            k -= 1
        place[k] = np.uint32(j)
    for j in range(fresh):  # of all items the addresses have been read, so that there is room for columns and names
        items[2 * np.int64(place[j])], items[ROOM + j] = start + j, items[2 * np.int64(place[j]) + 1]
    for j in range(fresh):
        items[2 * j + 1] = items[ROOM + j]
    for k in range(m):
        if indices[k] >= start:
            indices[k] = np.uint32(items[2 * (np.int64(indices[k]) - start)])
    return True


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
        faults |= np.uint32(values[k] == 0)
    for k in range(1, m):
        faults |= np.uint32(indices[k] <= indices[k - 1])
    counts = words_at(table[COUNTS], COUNTED)
    if faults != 0 or sizes != 0 or np.int64(indices[m - 1]) > counts[TOP] or (indices[0] == 0 and counts[ZERO] == 0):
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
def note_names(table, names):
    """Let the names that are new have the columns that the row has given them; False where there is no memory for it."""
    items, counts = words_at(table[ITEMS], 2 * ROOM), words_at(table[COUNTS], COUNTED)
    for j in range(table[FRESH]):
        column = table[START] + j
        if put_item(names, items[2 * j + 1], column) != 0:
            return False
        counts[TOP] = max(counts[TOP], column)
    return True


@jit_lent
def has_room(page, m):
    """Has a page of a ledger room for one more row?"""
    head = words_at(page, PAGE_HEAD)
    return head[ENTRIES] < head[MOST_ENTRIES] and head[FEATURES] + m <= head[MOST_FEATURES]


@jit_lent
def enter(table, page, round, m):
    """Enter the row that was made last into a page of a ledger."""
    head = words_at(page, PAGE_HEAD)
    entries, features = head[ENTRIES], head[FEATURES]
    entry = words_at(head[PAGE_ENTRIES] + 8 * ENTRY * entries, ENTRY)
    entry[0], entry[1], entry[2], entry[3] = round, table[Y], table[YHAT], m
    indices, values = columns_at(table[INDICES], m), numbers_at(table[VALUES], m)
    columns, numbers = columns_at(head[PAGE_INDICES] + 4 * features, m), numbers_at(head[PAGE_VALUES] + 4 * features, m)
    for k in range(m):
        columns[k] = indices[k]
        numbers[k] = values[k]
    head[ENTRIES], head[FEATURES] = entries + 1, features + m


@jit_lent
def predict_event(table, address, x):
    """The prediction for an event, 0 or 1, whose row is made; LONG_WAY where it is not plain. One that was predicted just now, and has not
    changed since, is not looked at again: every change gives a dict another version."""
    counts = words_at(table[COUNTS], COUNTED)
    rows, version = counts[ROUNDS] + counts[UNLABELLED], np.int64(0)
    if table[TAGGED] != 0 and kind_of(x) == table[DICT]:
        version = words_at(x, 4)[3]
    if version != 0 and version == table[SEEN] and rows == table[SEEN_AT]:
        return table[SEEN_YHAT]
    table[SEEN] = 0
    m = read_event(table, address, x, table[NAMES])
    if m < 0:
        return np.int64(LONG_WAY)
    table[HI] = m
    yhat = call_table(table[PREDICT], address)
    if yhat != 0 and yhat != 1:  # it is undecided
        return np.int64(LONG_WAY)
    table[SEEN], table[SEEN_AT], table[SEEN_YHAT] = version, rows, yhat
    return yhat


@jit_lent
def learn_event(table, address, y, yhat):
    """Count the event whose row was made last, and learn from its label: 0, or 1 where that failed; -1 where there is no memory."""
    counts = words_at(table[COUNTS], COUNTED)
    if not note_names(table, table[NAMES]):
        return np.int64(-1)
    counts[ROUNDS] += 1
    table[SEEN] = 0
    if y != yhat:
        counts[MISTAKES] += 1
    elif table[ALWAYS] == 0:
        return np.int64(0)
    table[Y], table[YHAT] = y, yhat
    updated = call_table(table[UPDATE], address)
    if updated < 0:  # what was not learned does not count
        counts[ROUNDS] -= 1
        counts[MISTAKES] -= np.int64(y != yhat)
        return np.int64(1)
    if table[PAGE] != 0 and (y != yhat or updated == 1):
        enter(table, table[PAGE], counts[ROUNDS] + counts[UNLABELLED], table[HI])
    return np.int64(0)


@jit_lent
def is_plain(table, arguments, count, keywords, method):
    """Is it a call with the usual arguments, of a model that no other thread is at work on?"""
    holder = words_at(table[LOCK], table[HOLDER] + 1)[table[HOLDER]]
    if keywords != 0 or count < 1 or (holder != 0 and holder != this_thread()):
        return False
    if method == TO_PREDICT:
        return count == 1
    if count < 2 or count > 3:
        return False
    handed = words_at(arguments, count)
    if handed[1] != table[TRUE] and handed[1] != table[FALSE]:
        return False
    return count == 2 or (kind_of(handed[2]) == table[FLOAT] and double_of(words_at(handed[2], 3)[2]) == 1.0)


@jit_held
def play_event(model, arguments, count, keywords, method):
    """model.predict(x), model.update(x, y) or model.observe(x, y), by the number of the method; see `compiled.add_methods`."""
    holder = words_at(model, 3)[2]
    if holder == 0:  # no door is open
        return send_on(model, method, arguments, count, keywords)
    address = words_at(holder, 3)[2]
    table = words_at(address, HEAD + 7 * PART)
    if not is_plain(table, arguments, count, keywords, method):
        return send_on(model, method, arguments, count, keywords)
    x = words_at(arguments, 1)[0]
    yhat = predict_event(table, address, x)
    if yhat < 0:
        return send_on(model, method, arguments, count, keywords)
    y = yhat
    if method != TO_PREDICT:
        y = np.int64(words_at(arguments, 2)[1] == table[TRUE])
        if table[PAGE] != 0 and (y != yhat or table[ALWAYS] != 0) and not has_room(table[PAGE], table[HI]):
            return send_on(model, method, arguments, count, keywords)
    answer = held(table[POSITIVE] if yhat == 1 else table[NEGATIVE]) if method != TO_UPDATE else held(table[NONE])
    if method == TO_PREDICT:
        return answer
    failed = learn_event(table, address, y, yhat)
    if failed < 0 or (failed != 0 and tell_that_it_failed(model, y, yhat) == 0):  # the table may be gone then
        return let_go(answer)
    return answer


@cache
def objects_are_known() -> bool:
    """Do Python's objects lie in memory as the kernels of this file take them to?"""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32 or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False

    def word(x: Any, k: int) -> int:
        return c_ssize_t.from_address(id(x) + 8 * k).value

    number, pair, items, array, door = 1.5, (1, "a"), {"a": 1, "b": 2}, np.arange(3, dtype=np.uint32), Doored()
    row, closed = [array.ctypes.data, id(array.dtype), 3], word(door, 2)
    door.door_table = array
    return (
        all(word(x, 1) == id(type(x)) for x in (number, pair, items, array, "a", 1))
        and c_double.from_address(id(number) + 16).value == number
        and [word(pair, k) for k in (2, 3, 4)] == [2, id(pair[0]), id(pair[1])]
        and word(items, 2) == len(items)
        and [word(array, 2), word(array, 7), c_ssize_t.from_address(word(array, 4)).value] == row
        and (word(array, 3) & 0xFFFFFFFF, word(array, 8) & 0x101) == (1, 0x101)
        and (closed, word(door, 2)) == (0, id(array))
        and place_of_holder() > 0
    )


@cache
def single_digit() -> int:
    """What stands before the one digit of a whole number above 0 that has no other; where numbers lie otherwise, what stands nowhere."""

    def words(x: int) -> list[int]:
        return [c_ssize_t.from_address(id(x) + 16).value, c_uint32.from_address(id(x) + 24).value]

    sign, few, others = words(1)[0], (1, 255, 2**16, 2**30 - 1), (0, -1, -5, 2**30, 2**40, -(2**40))
    known = all(words(x) == [sign, x] for x in few) and all(words(x)[0] != sign for x in others)
    return sign if known and sys.int_info.bits_per_digit == 30 else -(2**63)


@cache
def place_of_holder() -> int:
    """At which word of a lock the thread stands that holds it, 0 where nobody does; 0 where that is not known."""
    lock = RLock()
    words: list[list[int]] = []

    def look() -> None:
        words.append([c_ssize_t.from_address(id(lock) + 8 * k).value for k in range(lock.__sizeof__() // 8)])

    look()
    with lock:
        look()
    look()
    usual = (0, c_ssize_t(get_ident()).value, 0)
    return next((k for k, word in enumerate(zip(*words, strict=True)) if k > 1 and word == usual), 0)


@cache
def dicts_have_versions() -> bool:
    """Does a word of a dict change whenever the dict does, and is it never the same in two of them?"""

    class Thing:
        pass

    def version(x: dict) -> int:
        return c_ssize_t.from_address(id(x) + 24).value

    thing, items = Thing(), {"a": 1.0}
    own: dict = vars(thing)
    others: list[dict] = [{}, {1: 1.0}, dict(items), items.copy(), {**items}]
    first = [items, own, *others]
    seen = [version(x) for x in first]
    changes: tuple[tuple[dict, Any], ...] = (
        (items, lambda: items.update(a=2.0)),
        (items, lambda: items.__setitem__("a", 3.0)),
        (items, lambda: items.__setitem__("b", 4.0)),
        (items, lambda: items.pop("a")),
        (items, lambda: items.setdefault("c", 1.0)),
        (items, lambda: items.popitem()),
        (items, lambda: items.__ior__({"d": 1.0})),
        (items, lambda: items.clear()),
        (own, lambda: setattr(thing, "x", 1.0)),
        (own, lambda: setattr(thing, "x", 2.0)),
        (own, lambda: delattr(thing, "x")),
    )
    for x, change in changes:
        change()
        seen.append(version(x))
    return 0 not in seen and len(set(seen)) == len(seen)


class Doored:
    """Has a place for the table of a door that is open, where compiled code finds it: behind the head of the object, before all else."""

    __slots__ = ("door_table",)
    door_table: np.ndarray


class Door:
    """Where events of one model come in: its arrays, its counts, and the row that was made last.

    Where the arrays of the state move, it has to be told.
    """

    def __init__(
        self,
        predict: Any,
        update: Any,
        arguments: tuple,
        names: dict | None,
        domain: str,
        always: bool,
        counts: np.ndarray,
        lock: Any,
        sorts: bool,
    ) -> None:
        self.indices, self.values, self.arguments = np.empty(ROOM, np.uint32), np.empty(ROOM, np.float32), arguments
        self.kernels, self.kinds = (predict, update), [*map(kind_of_part, arguments)]
        self.names, self.counts, self.lock = names, counts, lock  # columns by their names, where features have such
        self.items = np.empty(2 * ROOM, np.int64)  # addresses of keys and values
        self.spare = np.empty(ROOM, np.uint32), np.empty(ROOM, np.float32)  # where rows are sorted
        row = [self.indices, self.values, 0, 0, False, False, 1.0]
        parts = [*row, *arguments]
        self.table = table = np.zeros(HEAD + PART * len(parts), np.int64)
        self._words = table.data  # quicker, number by number
        table[: len(OBJECTS)] = [id(x) for x in OBJECTS]
        for k, part in enumerate(parts):
            table[HEAD + PART * k : HEAD + PART * (k + 1)] = words_of(part)
        if domain == "boolean":
            row[1] = None
        own = [HEAD + PART * k for k in range(len(row), len(parts))]
        table[PREDICT] = table_call(predict, (*arguments, *row[:4]), (*own, INDICES, VALUES, LO, HI))
        table[UPDATE] = table_call(update, (*arguments, *row), (*own, INDICES, VALUES, LO, HI, Y, YHAT, WEIGHT))
        table[NAMES], table[DOMAIN], table[ALWAYS] = id(names), DOMAINS[domain], always
        table[LOCK], table[HOLDER], table[COUNTS], table[TAGGED] = id(lock), place_of_holder(), counts.ctypes.data, dicts_have_versions()
        table[ITEMS], table[DIGIT] = self.items.ctypes.data, single_digit()
        table[SORTS], table[SPARE], table[SPARE_VALUES] = sorts, *(array.ctypes.data for array in self.spare)
        self.answer((False, True), None)

    def answer(self, answers: tuple[Any, Any], ledger: Any) -> None:
        """Say what stands for the two labels, and into which ledger rounds are entered, where there is one."""
        self.answers, self.ledger = answers, ledger
        self.table[NEGATIVE], self.table[POSITIVE], self.table[PAGE] = id(answers[0]), id(answers[1]), 0 if ledger is None else ledger.page

    def moved(self, predict: Any, update: Any, arguments: tuple) -> bool:
        """Go on with other arguments, such as arrays that have grown; False where they are of other kinds, or for other kernels."""
        if (predict, update) != self.kernels or [*map(kind_of_part, arguments)] != self.kinds:
            return False
        first = HEAD + 7 * PART
        for k, (before, part) in enumerate(zip(self.arguments, arguments, strict=True)):
            if part is not before:
                self.table[first + PART * k : first + PART * (k + 1)] = words_of(part)
        self.arguments = arguments
        return True

    def met(self, names: int) -> None:
        """Other columns have been met, and there is room for so many names."""
        words = self._words
        words[MOST_NAMES], words[SEEN] = names, 0

    @property
    def row(self) -> tuple:
        """The row that was made last."""
        return self.indices, None if self.table[DOMAIN] == BOOLEAN else self.values, 0, int(self.table[HI])


@cache
def give_doors(kind: type) -> None:
    """Let a class of models have compiled methods in the place of its own, which have to be there under other names too, as `_long_predict`
    and so on: what is not plain, or comes to a model without a door, is sent on to these."""
    add_methods(kind, play_event, *METHODS)


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

    def clearing(self) -> tuple:
        """Return the call that empties it."""
        return self.head.__setitem__, slice(ENTRIES, FEATURES + 1), 0

    def held(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return what it holds: entries, indices and values."""
        entries, features = self.head[[ENTRIES, FEATURES]].tolist()
        return self.entries[:entries].T, self.indices[:features], self.values[:features] if self.valued else None


def can_open(predict: Any, update: Any, arguments: tuple) -> bool:
    """Can there be a door for these kernels?"""
    return are_chainable([(predict, arguments, None), (update, arguments, None)]) and objects_are_known()
