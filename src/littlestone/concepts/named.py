"""Classes by their names and numbers, with names for their points and concepts."""

from collections.abc import Callable
from typing import NamedTuple

from littlestone import concepts
from littlestone.errors import require

#: The classes that have a name, with the numbers they need.
CLASSES = {
    "conjunctions": "n",
    "monotone_conjunctions": "n",
    "disjunctions": "n",
    "k_of_r": "nkr",
    "half_intervals": "n",
    "thresholds": "n",
    "dictators": "n",
    "dictators_on_unit_vectors": "n",
}


class NamedClass(NamedTuple):
    """A class, and what to call it, its points and its concepts."""

    name: str
    concepts: concepts.ConceptClass
    point: Callable[[int], str]
    concept: Callable[[int], str]
    written: str = ""  # how points are written


def named(name: str, n: int | None, k: int | None, r: int | None, satisfiable: bool, unit_vectors: bool) -> NamedClass:
    """A class by its name and numbers."""
    need = CLASSES[name]
    for letter, value, taken, example in (("n", n, True, 4), ("k", k, "k" in need, 2), ("r", r, "r" in need or name == "disjunctions", 3)):
        require(letter not in need or value is not None, f"{name} needs --{letter}, such as --{letter} {example}")
        require(taken or value is None, f"--{letter} {value}: {name} takes no such number")
    assert n is not None
    require(not satisfiable or name == "conjunctions", f"--satisfiable is for conjunctions; {name} has no constant 0 to leave out")
    require(not unit_vectors or name.startswith("dictators"), f"--unit-vectors is for dictators, not for {name}")
    alone = unit_vectors or name == "dictators_on_unit_vectors"
    most = 4096 if alone else 64
    require(1 <= n <= most, f"--n {n}: expected a number from 1 to {most}; larger classes are beyond what can be searched")
    if alone:
        unit = concepts.table([[i == x for x in range(n)] for i in range(n)])
        return NamedClass(f"dictators_on_unit_vectors(n={n})", unit, lambda x: f"e{x}", lambda c: f"x{c}")
    if name in ("half_intervals", "thresholds"):
        line = concepts.half_intervals(2**n, empty=False)
        return NamedClass(f"half_intervals(2^{n} points)", line, str, lambda c: f"x ≥ {c}")
    if name == "conjunctions":
        C = concepts.conjunctions(n, contradictory=not satisfiable)
        title = f"conjunctions(n={n}){'' if satisfiable else ' and the constant 0'}"
        return NamedClass(title, C, lambda x: bits(x, n), lambda c: repr(C.concept(c)), written(n))
    made: concepts.ConceptClass = {
        "monotone_conjunctions": lambda: concepts.conjunctions(n, monotone=True),
        "disjunctions": lambda: concepts.disjunctions(n, r),
        "k_of_r": lambda: concepts.k_of_r(n, k or 0, r or 0),
        "dictators": lambda: concepts.dictators(n),
    }[name]()
    return NamedClass(repr(made), made, lambda x: bits(x, n), lambda c: repr(made.concept(c)), written(n))


def bits(point: int, n: int) -> str:
    """A point of the cube, x0 first."""
    return "".join(str(point >> i & 1) for i in range(n))


def written(n: int) -> str:
    """How a point of the cube is written, as a part of a sentence."""
    return f", written {''.join(f'x{i}' for i in range(n)) if n <= 3 else f'x0x1...x{n - 1}'}"
