"""Contradictions are found the same in plain Python and in arrays; classes of concepts are rebuilt as they were."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

import littlestone as ls
from littlestone import concepts
from littlestone.concepts.dimension import Dimensions
from littlestone.errors import LittlestoneError, Refused
from littlestone.reference import halving, optimal
from littlestone.theory.classes import PlainClass, refuse_unknown
from littlestone.theory.contradictions import Rows
from littlestone.witnesses.contradictions import WholeStream

CLASSES = [
    concepts.disjunctions(5), concepts.disjunctions(6, 2), concepts.disjunctions(4, 0), concepts.dictators(4), concepts.conjunctions(3),
    concepts.conjunctions(3, contradictory=True), concepts.conjunctions(4, monotone=True),
    concepts.conjunctions(2, monotone=True, contradictory=True), concepts.half_intervals(7), concepts.half_intervals(6, empty=False),
    concepts.k_of_r(5, 2, 3), concepts.k_of_r(6, 3, 3), concepts.table([[0, 1, 1], [1, 0, 0]]),
    concepts.table([[0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]], domain="cube"),
]  # fmt: skip


def both(rows, labels, first=1):
    """The same rounds for the one who looks in plain Python, and for the one with arrays."""
    plain = [
        SimpleNamespace(x={str(i): v for i, v in row.items()}, y=None if y < 0 else bool(y)) for row, y in zip(rows, labels, strict=True)
    ]
    parts = [
        (np.array([len(row)]), np.array(list(row), np.uint32), np.array(list(row.values()), np.float32), np.array([y], np.int32))
        for row, y in zip(rows, labels, strict=True)
    ]
    return Rows(plain, first), WholeStream.of(parts, first, str)


def drawn(random, boolean):
    n = random.randint(1, 6)
    values = [1.0] if boolean else [0.0, -0.5, 0.25, 1.0, -2.0]
    pool = [{i: random.choice(values) for i in random.sample(range(n), random.randint(0, n))} for _ in range(random.randint(1, 8))]
    rows = random.choices(pool, k=random.randint(1, 12))
    kind = random.choice(["any", "any", "function", "disjunction", "conjunction"])
    S = set(random.sample(range(n), random.randint(0, n)))
    told = {tuple(sorted(row.items())): random.randint(0, 1) for row in pool}
    label = {
        "any": lambda row: random.randint(0, 1),
        "function": lambda row: told[tuple(sorted(row.items()))],
        "disjunction": lambda row: int(any(row.get(i, 0) for i in S)),
        "conjunction": lambda row: int(all(row.get(i, 0) for i in S)),
    }[kind]
    return rows, [random.choice([label(row), label(row), label(row), -1]) for row in rows]


@pytest.mark.parametrize("boolean", [True, False])
def test_plain_python_and_arrays_find_the_same(boolean):
    random, met = Random(4), set()
    for _ in range(800):
        rows, labels = drawn(random, boolean)
        plain, quick = both(rows, labels, random.choice([1, 7]))
        R, X, rho2 = Fraction(random.randint(1, 4), 2), Fraction(random.randint(1, 4), 2), Fraction(random.choice([0, 1]))
        for name, arguments in {
            "same_instance": (), "uncovered": (), "satisfied": (), "oversized": (R, None, rho2), "featureless": (), "apart": (int(X),),
            "below": (), "crowded": (int(X),)
        }.items():  # fmt: skip
            found, again = getattr(plain, name)(*arguments), getattr(quick, name)(*arguments)
            assert found == again, (name, rows, labels)
            met.add((name, found is None))
            if found is not None:
                assert plain.example(found["row"]) == quick.example(found["row"])
        for either in ((None, X, rho2), (R, X, rho2)):
            assert plain.oversized(*either) == quick.oversized(*either)
    assert len(met) == 16, "some finding was never met, or always"


FALSE = [
    (ls.perceptron(bias=0), "margin:gamma=1,R=1", [[1, 0], [0, 1]], [1, 1], "the mean of y·x"),  # the best margin is 1/√2
    (ls.perceptron(bias=1), "margin:gamma=3/4,R=2", [[1, 0], [0, 1], [1, 1]], [1, 1, 0], "the mean of y·x"),
    (ls.passive_aggressive(), "margin:gamma=3/4", [[0.5, 0], [0, 2]], [1, 0], "the mean of y·x"),
    (ls.winnow(n=2), "separable:U=3,delta=1", [{0, 1}, {0}], [0, 1], "none of its values is above that of row 1"),
    (ls.winnow(n=2), "k_of_r:k=1,r=2", [{0, 1}, {0}], [0, 1], "none of its values is above that of row 1"),
    (ls.winnow(n=3), "k_of_r:k=1,r=2", [{0}, {1}, {0, 1}, {2}], [0, 0, 1, 1], "each of its features is on in a row whose label is 0"),
    (ls.winnow(n=3), "k_of_r:k=1,r=2", [{0}, {1}, {2}], [1, 1, 1], "no variable that is off in all rows with label 0"),
    (ls.memorizer(), "function:size=1", [{0}, {1}], [1, 1], "more than 1 different instances have the label 1"),
]


@pytest.mark.parametrize(("learner", "assume", "X", "y", "why"), FALSE, ids=lambda value: str(value)[:30])
def test_what_is_false_is_called_so(learner, assume, X, y, why):
    cert = ls.certify(ls.play(learner, X, y), X, y, assume=assume)
    assert cert.bounds[0].limit is None and why in cert.bounds[0].reason
    assert ls.verify(cert, X, y).verified and "not every one is looked for" not in str(ls.verify(cert, X, y))


def test_what_nobody_settles_is_not_called_met():
    X, y = [{0, 1}, {0}, set()], [1, 1, 0]
    for learner, assume, words in (
        (ls.perceptron(bias=1), "margin:gamma=1/8", "not every one is looked for"),
        (ls.winnow(n=2), "disjunction:r=1", "not every one is looked for"),
        (ls.disjunctions(2), "disjunction", "(this stream meets it)"),
    ):
        assert words in str(ls.verify(ls.certify(ls.play(learner, X, y), X, y, assume=assume), X, y))


def test_margins_are_refuted_only_where_they_are_false():
    rng = np.random.default_rng(3)
    for _ in range(40):
        u = rng.normal(size=3)
        X = rng.normal(size=(12, 3)).astype(np.float32)
        margins = X.astype(float) @ u / np.linalg.norm(u)
        gamma = Fraction(float(np.abs(margins).min())).limit_denominator(10**6) * Fraction(999, 1000)
        for bound, assume in ((ls.perceptron(bias=0), f"margin:gamma={gamma}"),):
            run = ls.play(bound, X, margins > 0)
            assert ls.certify(run, X, margins > 0, assume=assume).bounds[0].holds


def test_rows_that_are_only_just_too_long():
    edge = Fraction(1) + Fraction(1, 2**20)
    for value in (1.0, float(np.float32(1 + 2.0**-21)), float(np.float32(1 + 2.0**-20)), float(np.float32(1 + 2.0**-19))):
        plain, quick = both([{0: value}], [1])
        for R, X in ((Fraction(1), None), (None, Fraction(1)), (None, edge)):
            assert plain.oversized(R, X, Fraction(0)) == quick.oversized(R, X, Fraction(0))


@pytest.mark.parametrize("C", CLASSES, ids=str)
def test_a_class_is_rebuilt_from_what_is_written(C):
    P = PlainClass(C.described())
    assert (P.size, P.points, P.n) == (C.size, C.points, C.n)
    for point in range(C.points):
        assert P.ones(frozenset(C.row(point))) == int.from_bytes(np.packbits(C.answers(point), bitorder="little").tobytes(), "little")
    dimensions = Dimensions(C)
    assert P.ldim(P.all) == dimensions.littlestone(dimensions.all)


@pytest.mark.parametrize("C", CLASSES, ids=str)
def test_concepts_as_bits_learn_as_concepts_do(C):
    random, P = Random(3), PlainClass(C.described())
    for _ in range(5):
        c = C.concept(random.randrange(C.size))
        rounds = [
            (dict.fromkeys(row, 1), random.choice([c(row), c(row), None])) for row in (C.row(random.randrange(C.points)) for _ in range(12))
        ]
        for updates in ("always", "mistakes"):
            assert list(halving(rounds, concepts=list(C), updates=updates)) == list(halving(rounds, concepts=P, updates=updates))
        if C.size * C.points <= 64:  # the definition is slow
            points = [dict.fromkeys(C.row(p), 1) for p in range(C.points)]
            assert list(optimal(rounds, concepts=list(C), points=points)) == list(optimal(rounds, concepts=P))


def test_a_class_that_is_its_own_is_written_as_a_table():
    @dataclass(repr=False)
    class Mine(concepts.ConceptClass):
        n: int
        domain, symmetric, size = "points", False, 3

        def _concept(self, c):
            return lambda row: c in row

    assert Mine(3).described() == {"class": "table", "domain": "points", "rows": "100/010/001"}


@pytest.mark.parametrize(
    "stated",
    [
        {"class": "parities", "n": 3},
        {"class": "disjunctions", "n": 3},
        {"class": "disjunctions", "n": 0, "r": None},
        {"class": "disjunctions", "n": 30, "r": None},
        {"class": "disjunctions", "n": 3, "r": 4},
        {"class": "k_of_r", "n": 3, "k": 3, "r": 2},
        {"class": "conjunctions", "n": 3, "monotone": 1, "contradictory": False},
        {"class": "table", "domain": "points", "rows": "01/0"},
        {"class": "table", "domain": "cube", "rows": "010"},
        {"class": "table", "domain": "line", "rows": "01"},
        {"class": "table", "domain": "points", "rows": []},
        {"class": ["disjunctions"], "n": 3, "r": None},
        "disjunctions",
    ],
    ids=str,
)
def test_a_class_that_cannot_be_rebuilt_is_refused(stated):
    with pytest.raises(LittlestoneError):
        refuse_unknown(stated)


def test_a_stream_that_no_concept_labels_is_named():
    """Halving that learns from mistakes alone may go on where no concept is left."""
    X, y = [{0}, {0, 1}, {1}, {0, 1}], [1, 1, 1, 0]
    learner = ls.halving(concepts.dictators(2), updates="mistakes")
    run = ls.play(learner, X[:3], y[:3])
    cert = ls.certify(run, X[:3], y[:3], assume="class")
    (before, *_) = cert.bounds
    assert before.limit is None
    assert before.reason == "row 3 contradicts the assumption: no concept of the class agrees with its label and all before it"
    assert ls.verify(cert, X[:3], y[:3], replay=True).replayed
    with pytest.raises(Refused, match="stream"):
        ls.verify(cert, X, y)
