"""One look at a stream: what a certificate's claims are held against."""

import gc
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import frexp
from sys import intern
from typing import Any, Protocol

from littlestone.errors import Refused
from littlestone.reference.replay import ASKED
from littlestone.rounds.digest import Round, StreamDigest, in_one_go
from littlestone.theory import contradictions
from littlestone.theory.evidence import Evidence, Taught
from littlestone.verifier.case import check_counts, growing
from littlestone.verifier.schedule import Event, Overlap


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


class NamesOfKeys(dict):
    """Keys of rows to names: numbers to their digits."""

    def __missing__(self, key: Any) -> str:
        self[key] = name = str(key)
        return name


class Sizes:
    """What bounds need to know of every round: which features there are, how many in a row, how large, and whether all are whole."""

    def __init__(self) -> None:
        self.keys: set[Any] = set()
        self.largest, self.smallest, self.whole, self.negative = 0.0, 1.0, True, False  # of values that are not 0
        self.widest = 0

    def add(self, keys: Sequence[Any], values: Sequence[float]) -> None:
        if not keys:
            return
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

    @property
    def exponent(self) -> int:
        """The power of two over which all values are whole: a float32 has 24 bits, and the smallest value says the rest."""
        return max(0, min(149, 24 - frexp(self.smallest)[1]))


def kept(example: Round) -> Round:
    """A row that is kept, in little room."""
    whole = all(type(key) is int and -(2**63) <= key < 2**63 for key in example.keys)
    keys = array("q", example.keys) if whole else [intern(key) if type(key) is str else key for key in example.keys]
    return Round(example.y, keys, array("f", example.values), b"", example.c)


class ScaledRows(Sequence[Taught]):
    """Rows in whole numbers, made when they are asked for: of all at once they would take five times the room."""

    def __init__(self, rows: Sequence[tuple[int, Round]], scaled: Callable[[int, Round], Taught]) -> None:
        self.rows, self.scaled = rows, scaled

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return ScaledRows(self.rows[place], self.scaled) if isinstance(place, slice) else self.scaled(*self.rows[place])

    def __iter__(self) -> Iterator[Taught]:
        return (self.scaled(row, example) for row, example in self.rows)


class Meter(Protocol):
    """What is added up over all labelled rounds, whatever was predicted there."""

    row: int  # of the round that it is shown next

    def add(self, keys: Sequence[Any], values: Sequence[float], y: bool, c: float, exponent: int) -> None: ...


class Look:
    """One look at the stream: its digest, its counts, and the rows on which the certificate says the learner updated."""

    def __init__(self, content: Mapping[str, Any], *, keep_all: bool) -> None:
        self.content, self.keep_all = content, keep_all
        self.first, self.last = rows_of(content)
        also = content["updates"] if content["updates"] is not None else []
        self.mistakes, self.also = _increasing(content["mistakes"], "mistakes"), _increasing(also, "updates")
        self.wrong = set(self.mistakes)
        if both := self.wrong & set(self.also):
            raise Refused(f"row {min(both)} is both a mistake and an update without one")
        self.teaching = self.wrong | set(self.also)
        self.kept: list[tuple[int, Round]] = []  # rows that taught
        self.all: list[Round] = []
        self.meters: list[Meter] = []  # what is added up over all labelled rounds
        self.sizes = Sizes()
        self.rounds = self.positives = self.P = self.N = 0
        self.weight = 0.0  # of all labelled rounds
        how = {key: content["stream"][key] for key in ("weighted", "boolean", "segment")}
        self.digest = StreamDigest(**how, whole=in_one_go(content["stream"]["digest"]))
        self.overlap = Overlap()
        self.row = self.first - 1

    def take(self, row: int, example: Round, when: str) -> None:
        """A row of the stream; it counts once its label has come."""
        if when == ASKED:
            self.overlap.asked(row)
            return
        self.row = row
        self.digest.add(example.y, example)
        if example.c != 1.0 and not self.content["stream"]["weighted"]:
            raise Refused(f"row {row} has weight {example.c:g}, and the certificate says that rounds carry none")
        self.note(example)
        if self.keep_all:
            self.all.append(kept(example))
        teaches = row in self.teaching
        self.overlap.answered(row, when, example.y is not None and (teaches or self.content["updates"] is None))
        if example.y is None:
            if teaches:
                raise Refused(f"row {row} has no label, and is said to be a mistake or an update")
            return
        self.rounds += 1
        self.weight += example.c
        self.positives += example.y
        for meter in self.meters:
            meter.row = row  # for vectors that take turns
            meter.add(example.keys, example.values, example.y, example.c, self.sizes.exponent)
        if teaches:
            self.kept.append((row, self.all[-1] if self.keep_all else kept(example)))
            if row in self.wrong:
                self.P += example.y
                self.N += not example.y

    def note(self, example: Round) -> None:
        self.sizes.add(example.keys, example.values)

    def end(self) -> None:
        if self.row != self.last:
            raise Refused(f"the stream ends at row {self.row}, and the certificate speaks of rows {self.first} to {self.last}")
        if self.digest.text() != self.content["stream"]["digest"]:
            raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
        expected = {
            "rounds": self.rounds,
            "positives": self.positives,
            "mistakes": len(self.mistakes),
            "false_positives": self.N,
            "false_negatives": self.P,
        }
        check_counts(self.content["counts"], expected, "stream")

    @property
    def rows(self) -> contradictions.Rows:
        return contradictions.Rows(self.all, self.first)

    @property
    def weighted_mistakes(self) -> int | Fraction:
        if not self.content["stream"]["weighted"]:
            return len(self.mistakes)
        return sum((Fraction(example.c) for row, example in self.kept if row in self.wrong), Fraction(0))

    def evidence(self, settings: Mapping[str, Any], family: Any, every: bool = False) -> Evidence:
        """The same as whole numbers over one power of two; `every` labelled round where a bound speaks of them."""
        wrong, sizes = self.wrong, self.sizes
        scale, names = float(1 << sizes.exponent), NamesOfKeys()
        boolean, one_exactly = family.domain == "boolean", Fraction(1)

        def scaled(row: int, example: Round) -> Taught:
            x = dict(zip(map(names.__getitem__, example.keys), map(int, map(scale.__mul__, example.values)), strict=True))
            if boolean and 0 in x.values():
                x = {name: v for name, v in x.items() if v}
            y = bool(example.y)
            return Taught(row, x, y, y != (row in wrong), Fraction(example.c) if example.c != 1.0 else one_exactly)

        taught = ScaledRows(self.kept, scaled)
        if not every or family.passed_on:  # a learner inside another hears of nothing but these rounds
            labelled = taught if every else None
        else:
            labelled = ScaledRows([(row, example) for row, example in enumerate(self.all, self.first) if example.y is not None], scaled)
        return Evidence(
            settings=settings,
            taught=taught,
            every=labelled,
            exponent=sizes.exponent,
            rounds=self.rounds if family.inner is None else len(taught),  # a learner inside another hears of these alone
            P=self.P,
            N=self.N,
            features=len(sizes.names),  # one file may have names, another numbers
            widest=sizes.widest,
            largest=Fraction(sizes.largest),
            whole=sizes.whole,
            negative=sizes.negative,
            weighted=self.content["stream"]["weighted"],
            arithmetic=self.content["learner"]["arithmetic"],
        )


class Watches(Protocol):
    """Whatever looks at the events of a stream, one after the other."""

    def take(self, row: int, example: Any, when: str) -> None: ...

    def end(self) -> None: ...


def watch(case: Watches, events: Iterable[Event]) -> None:
    """All of the stream."""
    for event in events:
        case.take(*event)
    case.end()


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
