"""Conjunctions of features, made as a stream is read: `rounds.features.joined` says what they are, this does many rows at once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import MOST_JOINED, ampersand, joined, joined_name, not_boolean, too_many_joined, width_joined
from littlestone.streams.parsed import Parsed
from littlestone.streams.vocabulary import Vocabulary


def expanded(row: Any, k: int = 2) -> dict[str, float]:
    """A row in memory, a set or a dict of features that are 0 or 1, with the conjunctions of up to k of them, as `expand=k` of a stream has
    it: for rows that are played, and for a model that was made with `--expand`.

    >>> list(expanded({"offer": 1, "free": 1, "lunch": 0}))
    ['offer', 'free', 'free&offer']
    """
    require(type(k) is int and 1 <= k <= 8, f"k={k!r} must be a whole number from 1 to 8")
    features = row if isinstance(row, Mapping) else dict.fromkeys(sorted(row, key=lambda name: (isinstance(name, str), name)), 1)
    try:
        return dict.fromkeys(joined({str(name): float(value) for name, value in features.items()}, k), 1.0)
    except Fault as fault:
        raise LittlestoneError(f"found {fault.found}, expected {fault.expected}") from None


@cache
def positions(m: int, size: int) -> np.ndarray:
    """Every choice of so many of the places 0 to m - 1, a row for each."""
    return np.array(list(combinations(range(m), size)), np.int64).reshape(-1, size)


def on_in_rows(parsed: Parsed) -> tuple[np.ndarray, np.ndarray]:
    """Which features are on, and how many of them each row has."""
    on = np.ones(len(parsed.indices), np.bool_) if parsed.values is None else parsed.values != 0
    return on, np.diff(np.concatenate(([0], np.cumsum(on)))[parsed.indptr])


class Products:
    """The conjunctions of up to k features, by the columns of their parts. `names` has a column for every one of them, in the order in
    which they first appear; a model's own come first."""

    def __init__(self, parts: Vocabulary, k: int, known: Iterable[str] | None) -> None:
        self.parts, self.k, self.names = parts, k, Vocabulary(known or ())
        self.columns: dict[tuple[int, ...], int] = {}  # of the parts' columns, in order

    def expand(self, parsed: Parsed, boolean: bool, *, in_order: bool = True) -> None:
        """Put the conjunctions of every row behind its features; what is off is left out. `in_order`: names that are new in a row get their
        columns in UTF-8 order."""
        self.refuse_unfit(parsed, boolean)
        on, lengths = on_in_rows(parsed)
        indices, starts = parsed.indices[on].astype(np.int64), np.concatenate(([0], np.cumsum(lengths)))
        widths = {m: width_joined(m, self.k) for m in np.unique(lengths).tolist()}
        indptr = np.concatenate(([0], np.cumsum([widths[m] for m in lengths.tolist()]))).astype(np.int64)
        made = np.empty(indptr[-1], np.uint32)
        waiting = []
        for m in widths:
            (rows,) = np.nonzero(lengths == m)
            table = indices[starts[rows][:, None] + np.arange(m)]
            before = indptr[rows]
            for size in range(1, min(self.k, m) + 1):
                chosen = positions(m, size)
                some = np.sort(table[:, chosen].reshape(-1, size), axis=1)
                places = (before[:, None] + np.arange(len(chosen))).reshape(-1)
                before = before + len(chosen)
                waiting.append((places, some))
        self.number(made, waiting, indptr if in_order else None)
        parsed.indptr, parsed.indices, parsed.values, parsed.examined = indptr, made, None, None

    def number(self, made: np.ndarray, waiting: Sequence[tuple[np.ndarray, np.ndarray]], indptr: np.ndarray | None = None) -> None:
        """Give conjunctions their columns, new ones in the order in which they stand; or, where the row pointers are given, those of a row
        in UTF-8 order."""
        kinds = []
        for places, some in waiting:
            parts, first, which = np.unique(some, axis=0, return_index=True, return_inverse=True)
            kinds.append((parts, places[first] if len(places) else first, which.reshape(-1), places))
        met = [pair for parts, first, _, _ in kinds for pair in zip(first.tolist(), map(tuple, parts.tolist()), strict=True)]
        fresh = dict[tuple[int, ...], int]()
        for place, key in sorted(met):
            if key not in self.columns:
                fresh.setdefault(key, place)
        if fresh:
            places = np.array([*fresh.values()]) if indptr is None else np.searchsorted(indptr, [*fresh.values()], side="right")
            named = sorted(
                (place, joined_name([self.parts.name(i) for i in key]), key) for key, place in zip(fresh, places.tolist(), strict=True)
            )
            columns = self.names.columns_of([name for _, name, _ in named]).tolist()
            self.columns.update(zip([key for _, _, key in named], columns, strict=True))
        for parts, _, which, places in kinds:
            made[places] = np.array([self.columns[key] for key in map(tuple, parts.tolist())], np.uint32)[which] if len(parts) else 0

    def refuse_unfit(self, parsed: Parsed, boolean: bool) -> None:
        """Rows whose values are not 0 or 1, or that would have too many conjunctions, or a name that no conjunction can hold."""
        bad: dict[int, int] = {}
        row_of = np.repeat(np.arange(len(parsed.labels)), np.diff(parsed.indptr))
        values = parsed.values
        if values is not None and not boolean:
            for place in np.flatnonzero((values != 0) & (values != 1)).tolist():
                bad.setdefault(int(row_of[place]), place)
        known = [name for name in self.parts if "&" in name]  # seldom any
        if known:
            columns = self.parts.columns_of(known)
            for place in np.flatnonzero(np.isin(parsed.indices, columns)).tolist():
                bad.setdefault(int(row_of[place]), place)
        lengths = on_in_rows(parsed)[1].tolist()
        wide = {row for row, m in enumerate(lengths) if width_joined(m, self.k) > MOST_JOINED}

        def fault(row: int) -> Fault:
            if row not in bad:
                return too_many_joined(lengths[row], self.k)
            place = bad[row]
            name = self.parts.name(int(parsed.indices[place]))
            return ampersand(name) if "&" in name else not_boolean(name, float(values[place]))  # type: ignore[index]

        if bad or wide:
            parsed.refuse(np.array(sorted({*bad, *wide}), np.int64), fault)
