"""One look at a stream: what a certificate's claims are held against."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import frexp
from typing import Any

from littlestone.errors import Refused
from littlestone.reference.replay import Times, overlap
from littlestone.rounds.digest import Round, digest_of
from littlestone.theory import contradictions
from littlestone.theory.evidence import Evidence, Taught
from littlestone.verifier.case import check_counts, growing


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
        self.first, self.last = rows_of(content)
        also = content["updates"] if content["updates"] is not None else []
        self.mistakes, self.also = _increasing(content["mistakes"], "mistakes"), _increasing(also, "updates")
        self.kept: list[tuple[int, Round]] = []  # rows that taught
        self.all: list[Round] = []
        self.keys: set[Any] = set()
        self.largest, self.smallest, self.whole, self.negative = 0.0, 1.0, True, False  # sizes of values that are not 0
        self.rounds = self.positives = self.widest = 0
        self.P = self.N = 0
        self.labelled: list[int] = []  # rows with a label
        self.times: Times | None = None  # when each row was predicted, and when its label came, where labels came late

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
        self.labelled.append(row)
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
        stream = self.content["stream"]
        if stream.get("delay"):
            self.times = delayed(row - self.first + 1, stream["delay"], stream.get("passes", 1))

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

    def _check_counts(self) -> None:
        expected = {
            "rounds": self.rounds,
            "positives": self.positives,
            "mistakes": len(self.mistakes),
            "false_positives": self.N,
            "false_negatives": self.P,
        }
        check_counts(self.content["counts"], expected, "stream")

    def overlap(self) -> int:
        """The most updates that came between a prediction and its label, of rows that were mistakes or updates."""
        if self.times is None:
            return 0
        made = self.labelled if self.content["updates"] is None else self.wanted
        return overlap(self.times, [row - self.first for row in made])

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

        taught = [scaled(row, one) for row, one in self.kept]
        if not every or family.passed_on:  # a learner inside another hears of nothing but these rounds
            labelled = taught if every else None
        else:
            labelled = [scaled(row, one) for row, one in enumerate(self.all, self.first) if one.y is not None]
        return Evidence(
            settings=settings,
            taught=taught,
            every=labelled,
            exponent=exponent,
            rounds=self.rounds if family.inner is None else len(taught),  # a learner inside another hears of these alone
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
    played = in_segment(rounds, first.first, first.last, told["segment"])
    stream = digest_of(played, **{key: told[key] for key in ("weighted", "boolean", "segment")})
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


def delayed(rows: int, delay: int, passes: int) -> Times:
    """When rows are predicted, and when their labels come: so many rows later, or at the end of the pass."""
    length = rows // passes
    return [(t, min(t + delay, t - t % length + length - 1)) for t in range(rows)]


def told(rounds: Iterator[Round], order: Sequence[int]) -> tuple[list[Round], Times]:
    """Rounds in the order in which their labels came by name, and when; `order` has for each label of the stream the row it belongs to."""
    rows, labels, known = list(rounds), iter(order), set[int]()
    found, times = [], []
    for t, one in enumerate(rows):
        if one.y is None:
            continue
        row = next(labels, -1)
        if not 0 <= row <= t + 1 or row in known or (row != t + 1 and one.keys):
            raise Refused(f"stream.order: the label in row {t + 1} cannot be that of row {row}")
        if row:
            known.add(row)
            came = rows[row - 1]
            found.append(Round(one.y, came.keys, came.values, came.coded, came.c))
            times.append((row - 1, t))
    if next(labels, None) is not None:
        raise Refused("stream.order has more labels than the stream")
    return found, times


def in_segment(rounds: Iterator[Round], first: int, last: int, segment: bool) -> Iterator[Round]:
    """The rows that a certificate speaks of; only of a segment may the stream go on."""
    for row, one in enumerate(rounds, 1):
        if row > last:
            if not segment:
                raise Refused(f"the stream goes on after row {last}, where the certificate's ends")
            return
        if row >= first:
            yield one


def rows_of(content: Mapping[str, Any]) -> tuple[int, int]:
    """The first and the last row that a certificate speaks of."""
    labels = content["stream"]["labels"] if content["about"] != "classes" else None
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
    if not growing(rows):
        raise Refused(f"{what}: the rows must be numbers from 1 on that grow")
    return list(rows)
