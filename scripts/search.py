"""Every stream of the small cases, against the bounds: prints the tables; with --write, also docs/worst_cases.md.

Takes about eight minutes and 700 MB on one core. A bound that some stream exceeds stops it with that stream.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import groupby
from math import log2
from pathlib import Path
from typing import Any

from littlestone.checks import games, short_streams
from littlestone.errors import LittlestoneError
from littlestone.hooks import above
from littlestone.learners import binary
from littlestone.protocol.workers import OneProcess
from searches import any_stream, concept_classes, tables
from searches.tables import Row

PAGE = Path(__file__).parents[1] / "docs" / "worst_cases.md"
F = Fraction

ABOUT = {
    "Winnow": "α = 2, θ = n, on monotone disjunctions of r of n variables; the bound is `theory.winnow.disjunction`.",
    "Winnow, promotions": "The same game, counting missed 1s only; the bound is r·⌈log2 n⌉.",
    "Winnow, other α and θ": "α in 3/2, 2, 3 and θ in 1/2, 1, 3/2, n/2, n, 2n; the same bound.",
    "Winnow with elimination": "θ = n/2; the bound is `theory.winnow_elimination.disjunction`.",
    "Winnow with elimination, other θ": "θ in 1/2, 1, 3/2, n, 2n; the same bound.",
    "Elimination": "The disjunction of the variables not struck out; the bound is n - r.",
    "Conjunctions": "All 2n literals less the contradicted ones, r of them in the target; the bound is n + 1 - r.",
    "Winnow, k of r": 'Labels "at least k of these r", α = 1 + 1/(2(k-1)), θ = n; the bound is `theory.winnow.k_of_r`.',
    "Perceptron": "Labels sign(t·x), points with t·x = 0 left out; the bound is ⌊R²|t|²/min(t·x)²⌋. (It speaks of the t"
    " named. Where another vector labels the points alike with a wider margin, its bound is smaller.)",
    "Perceptron on disjunctions": "With a bias feature of value 1; the bound is `theory.perceptron.disjunction`.",
}
SUMMARY_ONLY = ("Winnow, other α and θ", "Winnow with elimination, other θ")  # too many lines to print

AGNOSTIC = [  # n, mistakes, α, θ, k
    (2, 40, 2, 2, 1),
    (3, 30, 2, 3, 1),
    (4, 14, 2, 4, 1),
    *((3, 20, alpha, theta, 1) for alpha in (F(3, 2), F(3)) for theta in (F(1, 2), F(3, 2), F(3), F(6))),
    (3, 24, F(3, 2), 3, 2),
    (3, 24, F(5, 4), 3, 2),
    (3, 20, F(5, 4), 3, 3),
    (4, 12, F(3, 2), 4, 2),
    (4, 12, F(5, 4), 4, 3),
]
HINGE = [  # dimension, side of the grid of points, mistakes, largest coordinate of u, steps to 1
    (1, 3, 12, 3, 4),
    (2, 1, 8, 2, 4),
    (2, 2, 5, 2, 2),
    (3, 1, 4, 1, 2),
]

INTRODUCTION = """\
A bound is a promise about every stream. For small cases all streams can be tried, and were: this page sets the true
worst case of each learner beside the bound that `littlestone.theory` gives. No bound was exceeded.

Written by `make search` (some seven minutes; `python scripts/search.py` only prints). The search itself is
`littlestone.checks.games`.

A round without a mistake changes nothing, so a stream is as long as its mistakes. The adversary may give any round on
which the learner errs and that agrees with the target. The states reachable that way are finite and are kept as whole
numbers; the worst case is the longest path among them. Cells read: worst case / bound."""

ANY_LABELS = """\
The hindsight bounds assume nothing: they hold on every stream, for every witness. Only mistake rounds enter them, and
every instance errs with one of its two labels, so following all sequences of m mistakes covers every stream with at
most m mistakes. Counted below are the labelled streams of at most m rounds, times the witnesses. Sequences that lead to
the same state are followed as one, the one with the least cost, so they were not walked one by one.

Winnow, for every set S of r variables with A attribute errors on the mistake rounds
(`theory.winnow.disjunction_agnostic` where k = 1, else `theory.winnow.k_of_r`):"""

HINGE_TEXT = """\
The Perceptron, for every u of a grid, with K = |u|²·mean|x|² and the hinge loss L, both on the mistake rounds
(`theory.perceptron.hinge`):"""


CLASSES_TEXT = """\
Halving and the optimal learner, over every stream that some concept of the class labels (`scripts/searches/concept_classes.py`).
Halving errs at most ⌊log2 |C|⌋ times, whether it shrinks the class always or on mistakes only; the optimal learner errs
exactly Ldim times in the worst case, and no deterministic learner less. The bounds in hindsight were checked for every
version space that a stream can leave. Dimensions are those of `littlestone.concepts.dimension`; the last column is what
the best randomised learner expects. The last class was found at random: halving is not always optimal."""
NODES = 600
SHORT = """\
`littlestone.checks.short_streams`: every stream over all boolean rows of three features (and, for learners that take them, over a few real
rows), as deep as some hundred different states reach; after every round every bound in hindsight, and every a priori bound for
every target of a small family that agrees with the stream so far. Rounds
that are predicted right and change nothing are left out, which loses nothing."""


def cells(row: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, row))} |"


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    head = list(head)
    return [cells(head), cells(["---"] * len(head)), *map(cells, rows)]


def by_r(rows: list[Row]) -> list[str]:
    """One line for each setting, one column for each r, "worst case / bound" in each cell."""
    lines: dict[str, dict[str, str]] = {}
    for row in rows:
        setting, r = row.parameters.split("; ")
        lines.setdefault(setting, {})[r] = f"{row.worst} / {row.bound}"
    columns = list(dict.fromkeys(r for line in lines.values() for r in line))
    columns.sort(key=lambda r: int(r.removeprefix("r=")))
    return table(["", *columns], ([setting, *(line.get(r, "") for r in columns)] for setting, line in lines.items()))


def one_a_line(rows: list[Row]) -> list[str]:
    head = ["points", "t", "worst case", "bound", "gap"]
    return table(head, ([*row.parameters.replace("t=", "").split("; "), *row[2:]] for row in rows))


def summary(rows: list[Row]) -> list[str]:
    lines = []
    for learner, cases in grouped(rows):
        widest = max(cases, key=lambda row: row.gap)
        attained = sum(row.gap == 0 for row in cases)
        lines.append([learner, len(cases), attained, widest.gap, f"{widest.parameters}: {widest.worst} / {widest.bound}"])
    return table(["", "cases", "bound attained", "largest gap", "where: worst case / bound"], lines)


def grouped(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    return [(learner, list(cases)) for learner, cases in groupby(rows, key=lambda row: row.learner)]


def refuted() -> Iterator[str]:
    """Claims that the search shows to be false, each with its smallest case."""
    n, r = next((n, r) for n in range(2, 6) for r in range(1, n + 1) if games.winnow(n, r, counts="promotions") > r * log2(n) + 1e-9)
    P = games.winnow(n, r, counts="promotions")
    yield f'- "Winnow makes at most r·log2 n promotions" is false: at n = {n}, r = {r} it can be made to make {P}, and'
    yield f"  {r}·log2 {n} = {r * log2(n):.3f}. With ⌈log2 n⌉ it is true, and attained in every case above."
    ends, endless = [], []
    for n in range(2, 7):
        for k in range(2, n + 1):
            for r in range(k, n + 1):
                try:
                    ends.append((n, k, r, games.winnow(n, r, k=k)))
                except LittlestoneError:
                    endless.append((n, k, r))
    n, k, r = endless[0]
    alike = {k: sum(k == case[1] for case in endless) for k in sorted({case[1] for case in endless})}
    yield '- "Winnow with α = 2 learns every k of r" is false. The theorem needs (k-1)(α-1) < 1; without it play can return'
    yield f"  to an earlier state, and then the mistakes never end. First at n = {n}, k = {k}, r = {r}; for n ≤ 6, in"
    by_k = ", ".join(f"k = {k}: {count}" for k, count in alike.items())
    yield f"  {len(endless)} of {len(endless) + len(ends)} cases ({by_k})."
    if 2 not in alike:
        n, _, r, M = max((case for case in ends if case[1] == 2), key=lambda case: case[3])
        yield f"  At k = 2, where (k-1)(α-1) = 1, in none: at most {M} mistakes, at n = {n}, r = {r}."


def each(workers: Any, work: Callable[..., Any], cases: Iterable[tuple]) -> list[Any]:
    """What the work makes of each case, in their order."""
    return workers.gather([workers.submit(work, *case) for case in cases])


def finite(workers: Any) -> Iterator[list[object]]:
    for worst_cases in each(workers, concept_classes.search, ((concepts,) for concepts in concept_classes.small_classes())):
        limit = worst_cases.size.bit_length() - 1
        worst = [worst_cases.always, worst_cases.mistakes, worst_cases.optimal]
        yield [f"`{worst_cases.concepts}`", worst_cases.size, limit, *worst, worst_cases.ldim, worst_cases.vcd, worst_cases.randomised]


def agnostic(workers: Any) -> Iterator[list[object]]:
    searches = each(workers, any_stream.search_agnostic_winnow, AGNOSTIC)
    for (n, mistakes, alpha, theta, k), search in zip(AGNOSTIC, searches, strict=True):
        where = ", ".join(f"{name}={value}" for name, value in search.where.items())
        yield [n, alpha, theta, k, mistakes, f"{float(search.pairs):.1e}", search.slack, where]


def hinge(workers: Any) -> Iterator[list[object]]:
    grids = [any_stream.rational_grid(d, top, parts) for d, _, _, top, parts in HINGE]
    cases = [([x for x in games.grid(d, side) if any(x)], us, m) for (d, side, m, *_), us in zip(HINGE, grids, strict=True)]
    searches = each(workers, any_stream.search_hinge, cases)
    for (d, side, mistakes, *_), us, search in zip(HINGE, grids, searches, strict=True):
        where = ", ".join(f"{name}={value}" for name, value in search.where.items() if name != "u")
        u = f"({search.where['u']})"
        yield [
            f"{{-{side}..{side}}}^{d}",
            len(us),
            mistakes,
            f"{float(search.pairs):.1e}",
            f"{search.slack:.3f}",
            u,
            where,
        ]


def short(workers: Any) -> Iterator[list[object]]:
    """Every learner of the catalogue at the settings its file names, three features at most."""
    samples = [(name, settings) for name in binary.names() for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES]
    learners = [binary.factory(name)(**{k: min(3, v) if k == "n" else v for k, v in settings.items()}) for name, settings in samples]
    searches = each(workers, partial(short_streams.search, nodes=NODES), ((learner,) for learner in learners))
    for learner, search in zip(learners, searches, strict=True):
        for bound, times in sorted(search.checked.items()):
            yield [f"`{learner!r}`", search.depth, bound, times, f"{search.slack[bound]:g}"]


def page(workers: Any) -> Iterator[str]:
    yield from ("# Worst cases, searched exhaustively", "")
    yield from INTRODUCTION.splitlines()
    rows = list(tables.tables())
    yield from ("", "## Summary", "", *summary(rows))
    for learner, cases in grouped(rows):
        if learner not in SUMMARY_ONLY:
            body = one_a_line(cases) if learner == "Perceptron" else by_r(cases)
            yield from ("", f"## {learner}", "", ABOUT[learner], "", *body)
    yield from ("", "## Finite classes", "", *CLASSES_TEXT.splitlines())
    head = ["class", "size", "⌊log2 size⌋", "halving, always", "halving, on mistakes", "optimal", "Ldim", "VCD", "randomised"]
    yield from ("", *table(head, finite(workers)))
    yield from ("", "## Left to the summary", "")
    yield from (f"- {learner}: {ABOUT[learner]}" for learner in SUMMARY_ONLY)
    yield from ("", "## Claims that the search refutes", "", *refuted())
    yield from ("", "## Any labels at all", "")
    yield from ANY_LABELS.splitlines()
    head = ["n", "α", "θ", "k", "m", "(stream, S) pairs covered", "smallest slack", "where"]
    yield from ("", *table(head, agnostic(workers)))
    yield from ("", *HINGE_TEXT.splitlines())
    head = ["points", "vectors u", "m", "(stream, u) pairs covered", "smallest slack", "u", "where"]
    yield from ("", *table(head, hinge(workers)))
    yield from ("", "## Short streams, every learner", "", *SHORT.splitlines())
    head = ["learner", "all streams to depth", "bound", "judged", "smallest slack"]
    yield from ("", *table(head, short(workers)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"rewrite {PAGE.name}")
    parser.add_argument("--workers", type=int, help="spread the searches over so many processes, by Dask; the tables are the same")
    chosen = parser.parse_args()
    write = chosen.write
    gc.disable()  # millions of small tuples and no cycles among them
    began, lines = time.perf_counter(), []
    with nullcontext(OneProcess()) if chosen.workers is None else above("connected")(chosen.workers) as workers:
        for line in page(workers):
            lines.append(line)
            print(line, flush=True)
    if write:
        PAGE.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"\n{time.perf_counter() - began:.0f} s" + (f", written to {PAGE}" if write else ""))


if __name__ == "__main__":
    main()
