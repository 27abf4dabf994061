"""Random examples: an instance from a distribution, with the label of the concept; or a row of a table, with the label it has there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from littlestone.concepts import ConceptClass, half_intervals, halfspaces, table
from littlestone.concepts.classes import active
from littlestone.concepts.half_intervals import HalfInterval
from littlestone.concepts.halfspaces import Halfspace
from littlestone.concepts.instances import Distribution
from littlestone.concepts.instances import distribution as named
from littlestone.concepts.table import Listed
from littlestone.errors import LittlestoneError, require
from littlestone.games.oracles.membership import Example, instance, rule
from littlestone.protocol import Block
from littlestone.protocol.model import label
from littlestone.protocol.players import Instance


class Exhausted(LittlestoneError):
    """There is no further example: every row of the table has been drawn once."""


class EX:
    """Draws examples (x, y), independent of each other: x from the distribution, y = concept(x).

    >>> from littlestone import concepts
    >>> C = concepts.disjunctions(6, r=2)
    >>> ex = EX(C.of({0, 3}), "balanced", n=6, seed=4)
    >>> ex(), ex(), ex.drawn
    (({3: 1}, True), ({2: 1, 3: 1, 5: 1}, True), 2)

    The distribution is a name (see `littlestone.concepts.instances`), or a function of a random generator and n; of the generator alone
    where no n is given. Instances are rows of n bits, unless the concept, or the class given as `concepts`, has others:

    >>> EX(concepts.half_intervals(10).concept(4), seed=2).draw(3)
    [({8: 1}, True), ({2: 1}, False), ({5: 1}, True)]
    >>> EX(lambda x: x[0] + x[1] > 1, lambda rng: {0: round(rng.random(), 2), 1: round(rng.random(), 2)}, seed=2)()
    ({0: 0.26, 1: 0.3}, False)

    The t-th example depends on the seed and on t alone; it is the t-th round of `concepts.blocks(..., target=concept, seed=seed)`.
    """

    def __init__(
        self,
        concept: Any,
        distribution: str | Distribution | Callable[[np.random.Generator], Any] = "uniform",
        *,
        n: int | None = None,
        concepts: ConceptClass | None = None,
        seed: int = 0,
    ) -> None:
        self.concept, self.seed, self.drawn = concept, seed, 0
        self._concepts = _home(concept) if concepts is None else concepts
        if self._concepts is not None:
            require(n is None or n == self._concepts.n, f"n={n!r}: {self._concepts!r} has n={self._concepts.n}")
            n = self._concepts.n
        require(n is not None or callable(distribution), f"distribution={distribution!r} needs n, the number of features")
        self.n, self._rule, self._distribution = n, rule(concept, n), distribution
        where = _Cube(n) if self._concepts is None else self._concepts
        self._instances: Callable = distribution if n is None else named(distribution, where, concept)  # type: ignore[arg-type, assignment]

    def __call__(self) -> Example:
        """The next example."""
        rng = np.random.default_rng((self.seed, self.drawn))
        x = instance(self._instances(rng) if self.n is None else self._instances(rng, self.n))
        y = self._rule(x)
        self.drawn += 1
        return x, y

    def draw(self, m: int) -> list[Example]:
        """The next m examples."""
        return [self() for _ in range(m)]

    def __repr__(self) -> str:
        return f"EX({self.concept!r}, {self._distribution!r}, seed={self.seed})"

    @staticmethod
    def of(rows: Any, labels: Any = None, seed: int = 0, *, once: bool = False) -> ExamplesOfRows:
        """Draws rows of a table with their labels: with replacement, or each `once`, in random order, and then raises `Exhausted`.

        Rows are mappings {feature: value}, sets of active features, or dense (an array, or lists of numbers); or one `Block`, which has
        its labels. Rows without a label are left out.

        >>> ex = EX.of([[1, 0], [0, 1], [1, 1]], [1, 0, 1], once=True)
        >>> sorted(ex.draw(3), key=str), ex.left
        ([({0: 1, 1: 1}, True), ({0: 1}, True), ({1: 1}, False)], 0)
        >>> ex()
        Traceback (most recent call last):
        ...
        littlestone.games.oracles.examples.Exhausted: all 3 rows have been drawn
        """
        return ExamplesOfRows(rows, labels, seed, once)


class ExamplesOfRows(EX):
    """Examples from a table: its rows, each as likely as any other."""

    def __init__(self, rows: Any, labels: Any, seed: int, once: bool) -> None:
        self.seed, self.drawn, self.once = seed, 0, once
        if isinstance(rows, Block):
            require(labels is None, "a Block has its labels: give no others")
            codes, self._row = [None if y < 0 else bool(y) for y in rows.labels.tolist()], _row_of_block(rows)
        else:
            require(labels is not None, "rows need labels, one for each")
            codes, self._row = [label(y) for y in labels], _row_of_list(rows)
            require(len(rows) == len(codes), f"{len(rows)} rows and {len(codes)} labels; expected as many of one as of the other")
        self._labels = codes
        self._places = np.flatnonzero([y is not None for y in codes])
        require(len(self._places) > 0, "a table without a single label: expected rows to draw from")
        if once:
            self._places = np.random.default_rng((seed,)).permutation(self._places)

    def __call__(self) -> Example:
        """The next example."""
        if self.once:
            if not self.left:
                raise Exhausted(f"all {self.drawn:,} rows have been drawn")
            t = int(self._places[self.drawn])
        else:
            t = int(self._places[np.random.default_rng((self.seed, self.drawn)).integers(len(self._places))])
        self.drawn += 1
        return self._row(t), self._labels[t]  # type: ignore[return-value]

    @property
    def left(self) -> int | None:
        """How many rows are left; None where there is no end of draws."""
        return len(self._places) - self.drawn if self.once else None

    def __repr__(self) -> str:
        return f"EX.of({len(self._places):,} rows, seed={self.seed}{', once=True' if self.once else ''})"


class _Cube:
    """Rows of n bits, for a concept that nobody has told the class of."""

    domain = "cube"

    def __init__(self, n: int | None) -> None:
        self.n = n


def _home(concept: Any) -> ConceptClass | None:
    """The class whose instances a concept takes, where they are not rows of bits."""
    if isinstance(concept, Halfspace):
        return halfspaces(len(concept.weights), concept.gamma)
    if isinstance(concept, HalfInterval):
        return half_intervals(concept.n)
    return table([concept.labels], domain=concept.domain) if isinstance(concept, Listed) else None


def _row_of_block(block: Block) -> Callable[[int], Instance]:
    def row(t: int) -> Instance:
        part = slice(block.indptr[t], block.indptr[t + 1])
        return instance(active(block.indices[part], None if block.values is None else block.values[part]))

    return row


def _row_of_list(rows: Any) -> Callable[[int], Instance]:
    require(isinstance(rows, Sequence | np.ndarray), f"rows of type {type(rows).__name__}: expected a list, an array or a Block")

    def row(t: int) -> Instance:
        row_t = rows[t]
        if isinstance(row_t, Mapping | set | frozenset):
            return instance(row_t)
        dense = np.asarray(row_t)
        require(dense.ndim == 1, f"row {t}: expected {{feature: value}}, a set of active features, or a flat row of numbers")
        return {i: v for i, v in enumerate(dense.tolist()) if v}

    return row
