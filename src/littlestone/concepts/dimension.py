"""Dimensions of a finite class, exactly: how many mistakes must be made, how many points can be shattered.

Ldim(V) = max over points x of 1 + min(Ldim(V where c(x) = 0), Ldim(V where c(x) = 1)), 0 for a single function, -1 for none: the
mistakes that the best deterministic learner makes in the worst case (Littlestone 1988).  VCD is the largest set of points on which
every labelling is some concept's.  The best randomised learner expects as many mistakes as the same recursion gives with (1 + a + b)/2
for 1 + min(a, b), where a and b differ by at most 1, and max(a, b) where they differ by more.  The threshold dimension is the largest k
with concepts c_1, ..., c_k and points x_1, ..., x_k such that c_i(x_j) = 1 iff i ≤ j (Shelah 1978, Hodges 1997; Alon, Livni, Malliaris,
Moran 2019).

>>> from littlestone import concepts
>>> conjunctions = concepts.conjunctions(2, contradictory=True)
>>> littlestone_dimension(conjunctions), vc_dimension(conjunctions), randomised_optimum(conjunctions)
(3, 2, Fraction(13, 8))
>>> dims = dimension(conjunctions)
>>> dims.threshold, dims.halving, dims.shattered, dims.tree.point
(3, 3, (0, 1), 0)
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.table import table
from littlestone.concepts.version_spaces import EFFORT, Split, Unsettled, VersionSpaces, refuse_large, whole_number
from littlestone.hooks import above

SMALL = 2**10  # concepts times points: up to here plain Python is done before the compiled search is loaded

__all__ = [
    "ClassDimensions",
    "Dimensions",
    "Split",
    "Unsettled",
    "dimension",
    "littlestone_dimension",
    "randomised_optimum",
    "vc_dimension",
]


@dataclass(frozen=True)
class ClassDimensions:
    """The dimensions of a class. A value that was not settled is None, and `unsettled` says why, by its name."""

    size: int  # distinct concepts
    points: int
    vc: int | None
    littlestone: int | None
    randomized: Fraction | None
    threshold: int | None
    halving: int | None
    listed: int  # concepts, equal ones counted as often as they are listed
    shattered: tuple[int, ...] | None = field(repr=False)  # points, vc of them
    tree: Split | int | None = field(repr=False)  # of depth littlestone; a leaf is the number of a concept
    unsettled: dict[str, str] = field(default_factory=dict)


SEARCHES = (("littlestone", "tree"), ("vc",), ("halving",), ("randomized",), ("threshold",))  # what one search knows helps the next


def dimension(concepts: Any, *, effort: int = EFFORT, partial: bool = False, cluster: Any = None) -> ClassDimensions:
    """All dimensions of a finite class, or of a boolean matrix with a row for each concept.

    A search that would remember more than `effort` version spaces is given up: that is an error, or with `partial` a value None.
    `cluster` is as in `ls.play`: workers do a search each, and what comes out is the same.

    >>> dims = dimension([[0, 0], [0, 1], [1, 0]])
    >>> dims
    ClassDimensions(size=3, points=2, vc=1, littlestone=1, randomized=Fraction(3, 4), threshold=1, halving=1, listed=3, unsettled={})
    >>> dims.tree
    Split(point=0, zero=0, one=2)
    """
    C = _class(concepts)
    spaces = VersionSpaces(C, effort)
    if cluster is None:
        values, unsettled = settled([name for names in SEARCHES for name in names], spaces, partial)
    else:
        with above("connected")(cluster) as workers:
            sent = workers.send(spaces)
            parts = workers.gather([workers.submit(settled, names, sent, partial) for names in SEARCHES])
        values, unsettled = ({name: value for part in parts for name, value in part[k].items()} for k in (0, 1))
    vc, shattered = values.pop("vc") or (None, None)
    return ClassDimensions(
        size=spaces.size,
        points=C.points,
        listed=len(C),
        vc=vc,
        shattered=None if shattered is None else tuple(shattered),
        unsettled=unsettled,
        **values,
    )


def settled(names: Sequence[str], spaces: VersionSpaces, partial: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """Some of the values, and why others were not settled, by name, as a task."""
    spaces, values, unsettled = copy(spaces), dict[str, Any](), dict[str, str]()
    searches: dict[str, Callable[[], Any]] = {
        "littlestone": spaces.littlestone,
        "tree": spaces.tree,
        "vc": spaces.vc,
        "halving": spaces.halving,
        "randomized": spaces.randomised,
        "threshold": spaces.threshold,
    }
    for name in names:
        try:
            values[name] = None if name == "tree" and "littlestone" in unsettled else searches[name]()
        except Unsettled as error:
            if not partial:
                raise
            values[name], unsettled[name] = None, str(error)
    return values, unsettled


class Dimensions:
    """The Littlestone dimension of every version space of one class. A version space is a number: bit c is 1 while concept c is in it."""

    def __init__(self, concepts: Any) -> None:
        self.concepts = C = _class(concepts)
        refuse_large(C)
        self.all = (1 << len(C)) - 1
        self.ones = [int.from_bytes(column.tobytes(), "little") for column in C.columns().astype("<u8")]
        self.distinct = sorted({min(ones, self.all ^ ones) for ones in self.ones} - {0})  # 0 and 1 may be exchanged
        self._known: dict[int, int] = {0: -1}
        self._spaces: VersionSpaces | None = None

    def littlestone(self, V: int) -> int:
        """Ldim(V)."""
        known = self._known.get(V)
        if known is None:
            small = len(self.distinct) * self.all.bit_length() <= SMALL
            self._known[V] = known = self._searched(V) if small else self._compiled(V)
        return known

    def _searched(self, V: int) -> int:
        """A part of m concepts has Ldim at most log2 m, so most points need no look."""
        depth = 0
        for smaller, part, rest in self._splits(V):
            if smaller.bit_length() <= depth:
                break
            a = self.littlestone(part)
            if 1 + a > depth:
                depth = max(depth, 1 + min(a, self.littlestone(rest)))
        return depth

    def _splits(self, V: int) -> Iterator[tuple[int, int, int]]:
        """The ways a point divides V, the most even first: (size of the smaller part, the two parts)."""
        smaller_parts = set()
        for ones in self.distinct:
            part = V & ones
            if part and part != V:
                smaller_parts.add(min(part, V ^ part))
        parts = [(min(part.bit_count(), (V ^ part).bit_count()), part, V ^ part) for part in smaller_parts]
        yield from sorted(parts, reverse=True)

    def _compiled(self, V: int) -> int:
        if self._spaces is None:
            self._spaces = VersionSpaces(self.concepts)
        spaces = self._spaces
        if spaces.size < len(self.concepts):  # of equal concepts the first stands for all
            V = sum(1 << place for place in {int(spaces.place[c]) for c in range(V.bit_length()) if V >> c & 1})
        return spaces.ldim(whole_number(V, len(spaces.all)))


def _class(concepts: Any) -> ConceptClass:
    return concepts if isinstance(concepts, ConceptClass) else table(concepts)


def littlestone_dimension(concepts: Any) -> int:
    """Ldim of a finite class, or of a boolean matrix: the mistakes the best deterministic learner makes in the worst case."""
    return VersionSpaces(_class(concepts)).littlestone()


def vc_dimension(concepts: Any) -> int:
    """VCD of a finite class, or of a boolean matrix."""
    return VersionSpaces(_class(concepts)).vc()[0]


def randomised_optimum(concepts: Any) -> Fraction:
    """The mistakes the best randomised learner expects in the worst case (Filmus, Hanneke, Mehalel, Moran 2023)."""
    return VersionSpaces(_class(concepts)).randomised()
