"""The Standard Optimal Algorithm: the label whose concepts could still cost the most mistakes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from littlestone.errors import LittlestoneError
from littlestone.reference.halving import Concept, over_shards_of, says
from littlestone.theory.classes import PlainClass


def optimal(
    rounds: Iterable[tuple[Mapping, bool | None]], *, concepts: Iterable[Concept] | Mapping | PlainClass, points: Sequence[Mapping] = ()
) -> Iterator[bool]:
    """Predict 1 iff the living concepts that say 1 have at least the Littlestone dimension of those that say 0; drop those that were wrong.

    >>> from_a_on = [lambda x, a=a: min(x) >= a for a in range(4)]
    >>> list(optimal([({1: 1}, False), ({2: 1}, True)], concepts=from_a_on, points=[{x: 1} for x in range(4)]))
    [True, True]
    """
    if isinstance(concepts, Mapping | PlainClass):  # as a certificate describes it; its points are known
        yield from in_bits(rounds, PlainClass.of(concepts))
        return

    @cache
    def dimension(functions: frozenset[tuple[bool, ...]]) -> int:
        if len(functions) <= 1:
            return len(functions) - 1
        best = 0
        for p in range(len(points)):
            ones = frozenset(f for f in functions if f[p])
            if ones and ones != functions:
                best = max(best, 1 + min(dimension(ones), dimension(functions - ones)))
        return best

    def richness(group: list[Concept]) -> int:
        return dimension(frozenset(tuple(says(c, p) for p in points) for c in group))

    alive = list(concepts)
    for t, (x, y) in enumerate(rounds, 1):
        saying = {label: [c for c in alive if says(c, x) == label] for label in (True, False)}
        yield richness(saying[True]) >= richness(saying[False])
        if y is not None:
            alive = saying[y]
            if not alive:
                raise LittlestoneError(f"round {t}: no concept of the class agrees with every label so far")


def in_bits(rounds: Iterable[tuple[Mapping, bool | None]], C: PlainClass) -> Iterator[bool]:
    """The same with the living concepts as one number, bit c for concept c."""
    alive, numbers = C.all, {}  # type: ignore[var-annotated]
    for t, (x, y) in enumerate(rounds, 1):
        ones = alive & C.ones(C.active(x, numbers))
        yield C.ldim(ones) >= C.ldim(alive ^ ones)
        if y is not None:
            alive = ones if y else alive ^ ones
            if not alive:
                raise LittlestoneError(f"round {t}: no concept of the class agrees with every label so far")


over_shards = over_shards_of(lambda C, alive, ones: C.ldim(alive & ones) >= C.ldim(alive & ~ones))
