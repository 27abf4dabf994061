"""What every concept class can do: draw a target, list its concepts, make streams, and lay itself out as a table of bits.

>>> from littlestone import concepts
>>> C = concepts.disjunctions(4, r=2)
>>> C, C.size, C.concept(0), C.concept(0)([1, 3]), C.concept(0).assume
(disjunctions(n=4, r=2), 6, x0 ∨ x1, True, 'disjunction:r=2')
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np

from littlestone.concepts.instances import Distribution, distribution
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Block
from littlestone.theory.classes import KEYS

MOST_BITS = 2**33  # of a table: a gigabyte
MOST_WRITTEN = 2**24  # entries of a table in a certificate
DOMAINS = ("cube", "points", "real")

Row = Collection[int] | Mapping[int, float]


class Concept(ABC):
    """A function from instances to labels. An instance is the set of its active features, or {feature: value}."""

    #: The concept as `ls.play(..., witness=...)` takes it: a set of relevant features, or a weight for each.
    witness: Any = None

    @abstractmethod
    def __call__(self, row: Row) -> bool: ...

    @property
    def assume(self) -> str:
        """What a stream labelled by this concept lets one assume: `run.bounds(concept.assume)`."""
        return "class"

    @property
    def balance(self) -> float | None:
        """How likely each bit must be on, independently, for this concept to say 1 half the time; None where no such number is known."""
        return None

    def label(self, rows: Block | Iterable[Row]) -> Block:
        """The rows as a block, labelled by this concept; a round of a block that has no label is left without one."""
        if isinstance(rows, Block):
            labelled = rows.labels >= 0
            labels = np.array([self(active(i, v)) for i, v, _ in rows.rounds()], np.int32)
            return replace(rows, labels=np.where(labelled, labels, -1).astype(np.int32))
        listed = [row if isinstance(row, Mapping) else sorted(row) for row in rows]
        return Block.of(listed, [int(self(row)) for row in listed])


def active(indices: np.ndarray, values: np.ndarray | None) -> Row:
    """A row of a block, as a concept takes it."""
    return indices.tolist() if values is None else dict(zip(indices.tolist(), values.tolist(), strict=True))


def present(row: Row) -> set[int]:
    """The features of a row that are not 0."""
    return {i for i, v in row.items() if v} if isinstance(row, Mapping) else set(row)


class ConceptClass(ABC):
    """A set of concepts over the same instances.

    The domain is "cube" (rows of n boolean features; a row is the point Σ 2^i over its active features), "points" (n points; the row whose
    only active feature is i is point i) or "real". `symmetric` classes stay the same when their features are renumbered.
    """

    n: int
    domain: str = "cube"
    symmetric: bool = True
    #: "any" (all monotone disjunctions) or "all" (all monotone conjunctions): concept c is the subset c, and no table is needed.
    subsets: str | None = None

    @property
    @abstractmethod
    def size(self) -> int | None:
        """|C|, exactly; None where there is no end of them."""

    def concept(self, c: int) -> Any:
        """The c-th concept, counted from 0."""
        if self.size is not None:
            whole = isinstance(c, int | np.integer) and not isinstance(c, bool)
            require(whole and 0 <= c < self.size, f"concept {c!r} of {self!r}: they are numbered 0 to {self.size - 1}")
        return self._concept(c)

    @abstractmethod
    def _concept(self, c: int) -> Any:
        """The c-th concept, c in range."""

    def __len__(self) -> int:
        return self._finite()

    def __iter__(self) -> Iterator[Any]:
        return map(self.concept, range(self._finite()))

    def __repr__(self) -> str:
        shown = ((f.name, getattr(self, f.name), f.default) for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"{self.name}({', '.join(f'{name}={value}' for name, value, default in shown if value != default)})"

    @property
    def name(self) -> str:
        """The function of `littlestone.concepts` that makes it."""
        return type(self).__module__.rpartition(".")[2]

    def _finite(self) -> int:
        if self.size is None:
            raise LittlestoneError(f"{self!r} has no end of concepts; expected a finite class")
        return self.size

    def draw(self, seed: int = 0) -> Any:
        """A target, each concept as likely as any other; the same seed gives the same one."""
        return self.concept(Random(f"target {seed}").randrange(self._finite()))

    @property
    def points(self) -> int:
        """How many instances there are."""
        if self.domain == "real":
            raise LittlestoneError(f"{self!r} has no end of instances")
        return 2**self.n if self.domain == "cube" else self.n

    def row(self, point: int) -> list[int]:
        """The active features of a point."""
        return [i for i in range(self.n) if point >> i & 1] if self.domain == "cube" else [point]

    def answers(self, point: int) -> np.ndarray:
        """What each concept says of a point, in the order of the concepts."""
        row = self.row(point)
        return np.fromiter((c(row) for c in self), np.bool_, self._finite())

    def columns(self) -> np.ndarray:
        """The class as a table of bits: bit c (of 64 to a word) of row x tells what concept c says of point x."""
        size, points = self._finite(), self.points
        words = -(-size // 64)
        require(
            points * size <= MOST_BITS,
            f"{self!r} has {size:,} concepts on {points:,} points: a table of {points * size:,} bits; at most {MOST_BITS:,} are made",
        )
        table = np.zeros((points, 8 * words), np.uint8)
        for point in range(points):
            bits = np.packbits(self.answers(point), bitorder="little")
            table[point, : len(bits)] = bits
        return table.view("<u8").astype(np.uint64, copy=False)

    def described(self) -> dict[str, Any]:
        """The class as a certificate writes it: its name and its numbers, or else as a table, a row of 0s and 1s for each concept."""
        if self.name in KEYS and self.name != "table" and type(self).__module__.startswith("littlestone.concepts."):
            return {"class": self.name, **{f.name: getattr(self, f.name) for f in fields(self) if f.init}}  # type: ignore[arg-type]
        require(
            self._finite() * self.points <= MOST_WRITTEN, f"a class of {self.size:,} concepts is too large to be written down as a table"
        )
        answers = np.array([self.answers(point) for point in range(self.points)], np.uint8).T
        rows = "/".join("".join(map(str, row)) for row in answers.tolist())
        return {"class": "table", "domain": self.domain, "rows": rows}

    def blocks(
        self,
        rounds: int,
        *,
        instances: str | Distribution = "uniform",
        target: Callable[[Row], bool] | None = None,
        label_noise: float = 0.0,
        attribute_noise: float = 0.0,
        seed: int = 0,
        rows: int = 256,
    ) -> Iterator[Block]:
        """Rounds labelled by a target: `draw(seed)` unless one is given.

        `instances` names a distribution (see `concepts.instances`) or is a function of a random generator and n. A label is flipped with
        probability `label_noise`. With `attribute_noise` each feature is flipped with that probability after the label was given. The same
        seed gives the same rounds, however many rows a block has.
        """
        require(rounds >= 0 and rows >= 1, f"rounds={rounds!r} must not be negative, and rows={rows!r} at least 1")
        for name, noise in (("label_noise", label_noise), ("attribute_noise", attribute_noise)):
            require(0 <= noise <= 1, f"{name}={noise!r} must lie between 0 and 1")
        labels_by = self.draw(seed) if target is None else target
        drawn = distribution(instances, self, labels_by)
        for start in range(0, rounds, rows):
            instances_drawn: list[Row] = []
            labels = []
            for t in range(start, min(start + rows, rounds)):
                rng = np.random.default_rng((seed, t))
                row = drawn(rng, self.n)
                labels.append(int(bool(labels_by(row)) != (label_noise > 0 and rng.random() < label_noise)))
                instances_drawn.append(self.disturbed(row, attribute_noise, rng) if attribute_noise else row)
            yield replace(Block.of(instances_drawn, labels), first_round=start)

    def disturbed(self, row: Row, noise: float, rng: np.random.Generator) -> Row:
        """The row with attribute noise: on the cube each bit flipped with that probability, a point replaced by any point."""
        if self.domain == "points":
            return [int(rng.integers(self.n))] if rng.random() < noise else row
        return sorted(present(row) ^ set(np.flatnonzero(rng.random(self.n) < noise).tolist()))


def masks(subsets: Iterable[Iterable[int]]) -> np.ndarray:
    """Sets of features as numbers, Σ 2^i."""
    return np.array([sum(1 << i for i in subset) for subset in subsets], np.uint64)


def literals(names: Sequence[str], sign: str, empty: str) -> str:
    return f" {sign} ".join(names) or empty
