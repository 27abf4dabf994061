"""One look at a stream: what a certificate's claims are held against."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from math import frexp
from typing import Any

from littlestone.errors import Refused
from littlestone.rounds.digest import Round, digest_of
from littlestone.theory import contradictions
from littlestone.theory.evidence import Evidence, Taught


@contextmanager
def no_collector() -> Iterator[None]:
    """Rows by the hundred thousand are kept and none refers to another: looking for cycles among them would take most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Names(dict):
    """Keys of rows to names: numbers to their digits."""

    def __missing__(self, key: Any) -> str:
        self[key] = name = str(key)
        return name


class Look:
    """One look at the stream: its digest, its counts, and the rows on which the certificate says the learner updated."""

    def __init__(self, content: Mapping[str, Any], *, keep_all: bool) -> None:
        self.content, self.keep_all = content, keep_all
        self.first, self.last = _rows(content)
        also = content["updates"] if content["updates"] is not None else []
        self.mistakes, self.also = _increasing(content["mistakes"], "mistakes"), _increasing(also, "updates")
        self.kept: list[tuple[int, Round]] = []  # rows that taught
        self.all: list[Round] = []
        self.keys: set[Any] = set()
        self.largest, self.smallest, self.whole, self.negative = 0.0, 1.0, True, False  # sizes of values that are not 0
        self.rounds = self.positives = self.widest = 0
        self.P = self.N = 0

    def at(self, rounds: Iterator[Round]) -> None:
        look_together([self], rounds)

    def begin(self) -> None:
        self.wrong = set(self.mistakes)
        both = self.wrong & set(self.also)
        if both:
            raise Refused(f"row {min(both)} is both a mistake and an update without one")
        self.wanted = self.wrong | set(self.also)

    def take(self, row: int, one: Round) -> None:
        """One round, the rows being counted from 1."""
        self._note(one.keys, one.values)
        if self.keep_all:
            self.all.append(one)
        if one.y is None:
            if row in self.wanted:
                raise Refused(f"row {row} has no label, and is said to be a mistake or an update")
            return
        self.rounds += 1
        self.positives += one.y
        if row in self.wanted:
            self.kept.append((row, one))
            if row in self.wrong:
                self.P += one.y
                self.N += not one.y

    def end(self, row: int, digest: str) -> None:
        if row != self.last:
            raise Refused(f"the stream ends at row {row}, and the certificate speaks of rows {self.first} to {self.last}")
        if digest != self.content["stream"]["digest"]:
            raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
        self._check_counts()

    def _note(self, keys: Sequence[Any], values: Sequence[float]) -> None:
        """What bounds need to know of every round: which features there are, how many in a row, how large, and whether all are whole."""
        if keys:
            self.keys.update(keys if 0.0 not in values else [key for key, v in zip(keys, values, strict=True) if v])
            self.widest = max(self.widest, len(keys))
            low, high = min(values), max(values)
            if low <= 0:
                self.negative = self.negative or low < 0
                low = min(map(abs, filter(None, values)), default=1.0)
                high = max(high, -min(values))
            self.largest, self.smallest = max(self.largest, high), min(self.smallest, low)
            if self.whole:
                self.whole = all(map(float.is_integer, values))

    @property
    def names(self) -> set[str]:
        return set(map(str, self.keys))

    def segment(self, rounds: Iterator[Round]) -> Iterator[Round]:
        for row, one in enumerate(rounds, 1):
            if row > self.last:
                if not self.content["stream"]["segment"]:
                    raise Refused(f"the stream goes on after row {self.last}, where the certificate's ends")
                return
            if row >= self.first:
                yield one

    def _check_counts(self) -> None:
        counts = self.content["counts"]
        found = {
            "rounds": self.rounds,
            "positives": self.positives,
            "mistakes": len(self.mistakes),
            "false_positives": self.N,
            "false_negatives": self.P,
        }
        for key, value in found.items():
            if counts[key] != value:
                raise Refused(f"counts.{key} is {counts[key]}, and the stream and the rows of the mistakes say {value}")

    @property
    def rows(self) -> contradictions.Rows:
        return contradictions.Rows(self.all, self.first)

    @property
    def weighted_mistakes(self) -> int | Fraction:
        if not self.content["stream"]["weighted"]:
            return len(self.mistakes)
        wrong = set(self.mistakes)
        return sum((Fraction(one.c) for row, one in self.kept if row in wrong), Fraction(0))

    def evidence(self, settings: Mapping[str, Any], family: Any, every: bool = False) -> Evidence:
        """The same as whole numbers over one power of two; `every` labelled round where a bound speaks of them."""
        wrong = set(self.mistakes)
        # a float32 has 24 bits: the smallest value says over which power of two all of them are whole
        exponent = max(0, min(149, 24 - frexp(self.smallest)[1]))
        scale, names = float(1 << exponent), Names()
        boolean, one_exactly = family.domain == "boolean", Fraction(1)

        def scaled(row: int, one: Round) -> Taught:
            x = dict(zip(map(names.__getitem__, one.keys), map(int, map(scale.__mul__, one.values)), strict=True))
            if boolean and 0 in x.values():
                x = {name: v for name, v in x.items() if v}
            y = bool(one.y)
            return Taught(row, x, y, y != (row in wrong), Fraction(one.c) if one.c != 1.0 else one_exactly)

        return Evidence(
            settings=settings,
            taught=[scaled(row, one) for row, one in self.kept],
            every=[scaled(row, one) for row, one in enumerate(self.all, self.first) if one.y is not None] if every else None,
            exponent=exponent,
            rounds=self.rounds,
            P=self.P,
            N=self.N,
            features=len(self.names),  # one file may tell names, another numbers
            widest=self.widest,
            largest=Fraction(self.largest),
            whole=self.whole,
            negative=self.negative,
            weighted=self.content["stream"]["weighted"],
            arithmetic=self.content["learner"]["arithmetic"],
        )


def look_together(looks: Sequence[Look], rounds: Iterator[Round]) -> None:
    """One pass for several certificates that speak of the same rows of one stream."""
    for look in looks:
        look.begin()
    first, told = looks[0], looks[0].content["stream"]
    stream = digest_of(first.segment(rounds), **{key: told[key] for key in ("weighted", "boolean", "segment")})
    row = first.first - 1
    while True:
        try:
            one = next(stream)
        except StopIteration as end:
            for look in looks:
                look.end(row, end.value)
            return
        row += 1
        if one.c != 1.0 and not told["weighted"]:
            raise Refused(f"row {row} has weight {one.c:g}, and the certificate says that rounds carry none")
        for look in looks:
            look.take(row, one)


def _rows(content: Mapping[str, Any]) -> tuple[int, int]:
    labels = content["stream"]["labels"]
    sizes = [abs(label) for label in labels or () if not isinstance(label, str)]
    if labels is not None and (len(labels) != 2 or labels[0] == labels[1] or max(sizes, default=0) > 1e38):
        raise Refused(f"stream.labels is {labels}; expected the negative and the positive label")
    rows = content["stream"]["rows"]
    if len(rows) != 2 or rows[0] < 1 or rows[1] < rows[0] - 1:
        raise Refused(f"stream.rows is {rows}; expected the first and the last row")
    if rows[0] > 1 and not content["stream"]["segment"]:
        raise Refused(f"stream.rows begins with row {rows[0]}, and it is not said to be a segment")
    return rows[0], rows[1]


def _increasing(rows: list[int], what: str) -> list[int]:
    if any(a >= b for a, b in pairwise(rows)) or (rows and rows[0] < 1):
        raise Refused(f"{what}: the rows must be numbers from 1 on that grow")
    return list(rows)
