"""Adversaries keep their word: so many mistakes of whoever plays, and labels that are some concept's of their class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import log2
from random import Random

import pytest
import river.linear_model
import river.tree
import sklearn.linear_model
import sklearn.naive_bayes

import littlestone as ls
from littlestone import LittlestoneError, concepts
from littlestone.concepts.dimension import littlestone_dimension, vc_dimension
from littlestone.concepts.halfspaces import Separator
from littlestone.games.adversaries import (
    bisection,
    block_bisection,
    conjunction,
    littlestone_tree,
    meet,
    named,
    orthonormal,
    shattered_set,
    unit_vectors,
)
from littlestone.games.adversaries._game import Adversary


class Lookup:
    """A learner that is nobody's: it remembers what it was told, and guesses 0."""

    def __init__(self):
        self.told = {}

    def predict(self, x):
        return self.told.get(tuple(sorted(x.items())), False)

    def update(self, x, y):
        self.told[tuple(sorted(x.items()))] = y


class Scripted:
    """Predicts what is written down. An adversary sees predictions only, so all scripts are all deterministic learners."""

    def __init__(self, script):
        self.script, self.t = script, 0

    def predict(self, x):
        return self.script[self.t]

    def update(self, x, y):
        self.t += 1


CONTESTANTS = {
    "perceptron": ls.perceptron,
    "winnow": ls.winnow,
    "own": Lookup,
    "river.Perceptron": river.linear_model.Perceptron,
    "river.LogisticRegression": river.linear_model.LogisticRegression,
    "river.PAClassifier": river.linear_model.PAClassifier,
    "river.HoeffdingTree": river.tree.HoeffdingTreeClassifier,
    "sklearn.Perceptron": sklearn.linear_model.Perceptron,
    "sklearn.SGDClassifier": lambda: sklearn.linear_model.SGDClassifier(loss="log_loss", random_state=3),
    "sklearn.BernoulliNB": sklearn.naive_bayes.BernoulliNB,
}
TABLE = [[0, 1, 1, 0, 0], [1, 1, 0, 0, 1], [0, 0, 0, 1, 1], [1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [0, 1, 0, 1, 0]]
# The point that divides these most evenly leaves too little on one side: it must be passed over.
UNEVEN = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1]]
BOOLEAN = [  # instances of 0 and 1
    unit_vectors(6),
    conjunction(1),
    conjunction(6),
    bisection(5),
    block_bisection(13, 3),
    orthonormal("3/8"),
    shattered_set("conjunctions", n=4),
    shattered_set("half_intervals", n=9),
    shattered_set(TABLE),
    littlestone_tree("conjunctions", n=4),
    littlestone_tree("half_intervals", n=21),
    littlestone_tree("dictators", n=9),
    littlestone_tree(concepts.k_of_r(6, 2, 3)),
    littlestone_tree(TABLE),
]
REAL = [bisection(7, numbers=True), orthonormal("2/3", D=2), orthonormal(n=7, D="1/2")]
NUMBERS = {
    "unit_vectors:n=6": 6,
    "conjunction:n=1": 2,
    "conjunction:n=6": 7,
    "bisection:n=5": 5,
    "bisection:n=7:numbers=true": 7,
    "block_bisection:n=13:k=3": 6,
    "block_bisection:n=64:k=4": 16,
    "block_bisection:n=6:k=3": 3,
    "orthonormal": 16,
    "orthonormal:gamma=1/10": 100,
    "orthonormal:gamma=3/8": 7,
    "orthonormal:gamma=2/3:D=2": 9,
    "orthonormal:n=7": 7,
    "shattered_set:concepts=conjunctions:n=4": 4,
    "shattered_set:concepts=half_intervals:n=9": 1,
    "littlestone_tree:concepts=conjunctions:n=4": 5,
    "littlestone_tree:concepts=half_intervals:n=21": 4,
    "littlestone_tree:concepts=dictators:n=9": 3,
}


def in_class(adversary: Adversary, target: object, stream: list) -> bool:
    match adversary.name:
        case "unit_vectors":
            return target.S.issubset(range(adversary.n))
        case "block_bisection":
            return target.S.issubset(range(adversary.n)) and len(target.S) == adversary.k
        case "conjunction":
            return target.on | target.off <= set(range(adversary.n)) and (adversary.n == 1 or target.on.isdisjoint(target.off))
        case "bisection" if not isinstance(target, Separator):
            return 0 <= target.a < adversary.n == target.n
        case "shattered_set" | "littlestone_tree":
            return any(all(c(row) == target(row) for row, _ in stream) and str(c) == str(target) for c in adversary.concepts)
    assert isinstance(target, Separator)
    length = sum(w * w for w in target.weights.values())
    gamma, R = Fraction(target.gamma), Fraction(target.R)
    for x, y in stream:
        along = sum(target.weights[i] * Fraction(v) for i, v in x.items()) * (1 if y else -1)
        if along <= 0 or along**2 < gamma**2 * length or sum(Fraction(v) ** 2 for v in x.values()) > R**2:
            return False
    return adversary.name != "orthonormal" or (length <= 1 and gamma == adversary.gamma and target.R == adversary.D)


def faults(adversary: Adversary, learner: object, rounds: int | None = None) -> list[str]:
    """What an adversary is to be blamed for after a game."""
    game = meet(learner, adversary, rounds=rounds)
    found = []
    if game.lower_bound is not None and game.mistakes < game.lower_bound:
        found.append(f"{game.mistakes} mistakes, not {game.lower_bound}")
    for stop in range(len(game.stream) + 1):
        seen = game.stream[:stop]
        try:
            target = adversary.witness(seen)
        except ValueError:
            found.append(f"no concept gives the labels of {stop} rounds")
            continue
        if not all(target(x) == y for x, y in seen):
            found.append(f"{target} does not give the labels of {stop} rounds")
        elif not in_class(adversary, target, seen):
            found.append(f"{target} is not of the class, after {stop} rounds")
    return found


@pytest.mark.parametrize("name", CONTESTANTS)
def test_everybody_errs_as_often_as_promised(name):
    fits = BOOLEAN if name == "winnow" else BOOLEAN + REAL
    for adversary in fits:
        assert not faults(adversary, CONTESTANTS[name]), adversary


@pytest.mark.parametrize("name", ls.learners.names())
def test_every_learner_of_the_catalogue(name):
    for adversary, given in ((conjunction(4), "conjunctions"), (orthonormal(n=6), "disjunctions")):
        own = name in ("halving", "optimal")
        learner = ls.learners.factory(name)(given, n=adversary.n) if own else ls.learners.factory(name)()
        assert meet(learner, adversary).lower_bound == adversary.forces
        assert not faults(adversary, learner), adversary


def test_the_panel():
    for adversary in (conjunction(4), littlestone_tree("half_intervals", n=15)):
        assert not faults(adversary, ls.panel(["perceptron", "winnow"]))


@pytest.mark.parametrize("text", NUMBERS)
def test_the_number_of_each(text):
    assert named(text).forces == NUMBERS[text]


SMALL = [
    conjunction(1),
    conjunction(2),
    conjunction(3),
    conjunction(4),
    unit_vectors(5),
    bisection(4),
    bisection(4, numbers=True),
    block_bisection(11, 2),
    block_bisection(6, 3),
    orthonormal("2/5"),
    shattered_set("disjunctions", n=4, r=2),
    littlestone_tree("conjunctions", n=3),
    littlestone_tree("disjunctions", n=5, r=2),
    littlestone_tree(TABLE),
    littlestone_tree(UNEVEN),
    littlestone_tree([[1 - y for y in row] for row in UNEVEN]),
]


@pytest.mark.parametrize("adversary", SMALL, ids=[f"{number}-{adversary.name}" for number, adversary in enumerate(SMALL)])
def test_all_deterministic_learners_there_are(adversary):
    """A script is as long as the longest game (a conjunction of n variables may take 2n rounds)."""
    longest = 2 * adversary.n if adversary.name == "conjunction" else adversary.forces
    exact = adversary.name != "conjunction"
    for script in product((False, True), repeat=max(longest, adversary.forces) + 1):
        assert not faults(adversary, Scripted(script)), script
        if exact:
            assert meet(Scripted(script), adversary).mistakes == adversary.forces


def test_numbers_are_the_dimensions_of_the_classes():
    """No more can be forced of the best learner, so none of these can be raised; a block bisection is a lower bound only."""
    for n in range(2, 5):
        assert conjunction(n).forces == littlestone_dimension(concepts.conjunctions(n))
        assert bisection(n).forces == littlestone_dimension(concepts.half_intervals(2**n, empty=False))
        assert unit_vectors(n).forces == littlestone_dimension(concepts.disjunctions(n))
    assert conjunction(1).forces == littlestone_dimension(concepts.conjunctions(1, contradictory=True))
    assert littlestone_dimension(concepts.conjunctions(1)) == 1  # so the constant 0 is needed there
    for n, k in ((4, 1), (8, 1), (9, 1), (4, 2), (5, 2), (8, 2), (6, 3)):
        assert block_bisection(n, k).forces <= littlestone_dimension(concepts.disjunctions(n, k))
    assert block_bisection(8, 1).forces == littlestone_dimension(concepts.disjunctions(8, 1)) == 3


def test_tables_drawn_at_random():
    rng = Random(5)
    for _ in range(60):
        size, points = rng.randint(1, 14), rng.randint(1, 6)
        given = [[rng.randint(0, 1) for _ in range(points)] for _ in range(size)]
        tree, shattered = littlestone_tree(given), shattered_set(given)
        assert shattered.forces == vc_dimension(given) <= tree.forces == littlestone_dimension(given) <= log2(size)
        assert len({tuple(row[p] for p in shattered.points) for row in given}) == 2**shattered.forces
        for adversary in (tree, shattered):
            for learner in (Lookup, Scripted([rng.random() < 0.5 for _ in range(6)]), ls.optimal(given)):
                assert not faults(adversary, learner)
                assert meet(learner, adversary).mistakes == adversary.forces
    cube = concepts.table([[(p >> i) & 1 for p in range(8)] for i in range(3)], domain="cube")  # the dictators of three variables
    assert littlestone_tree(cube).forces == shattered_set(cube).forces == 1
    assert not faults(littlestone_tree(cube), Lookup)


@pytest.mark.parametrize(
    "adversary, learner",
    [
        (conjunction(7), ls.conjunctions()),
        (unit_vectors(7), ls.disjunctions()),
        (bisection(6), ls.halving(concepts.half_intervals(64, empty=False))),
        (orthonormal("1/7"), ls.perceptron(bias=0)),
        (orthonormal(n=50, D=4), ls.perceptron(bias=0)),
        (littlestone_tree("disjunctions", n=5), ls.halving("disjunctions", n=5)),
        (littlestone_tree("conjunctions", n=4), ls.optimal("conjunctions", n=4)),
        (littlestone_tree(TABLE), ls.optimal(TABLE)),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_upper_and_lower_bound_meet(adversary, learner):
    """The learner's own theorem on the stream that was played, under what the witness lets one assume."""
    game = meet(learner, adversary)
    xs, ys = zip(*game.stream, strict=True)
    run = ls.play(learner, [dict(x) for x in xs], ys)
    claim = run.bounds("class" if learner.concepts else game.witness.assume)[0]
    assert claim.kind == "a priori" and claim.holds
    assert run.mistakes == game.mistakes == adversary.forces == claim.limit


def test_no_end_on_the_rationals():
    endless = bisection(rationals=True)
    assert endless.forces is None and not endless.ends
    for name, learner in CONTESTANTS.items():
        if name != "winnow":
            game = meet(learner, endless, rounds=40)
            assert game.mistakes == 40 and game.lower_bound is None and not game.complete
            assert not faults(endless, learner, rounds=12)
    game = meet(ls.perceptron(bias=0), endless, rounds=100)
    assert {type(x[0]) for x, _ in game.stream} == {Fraction} and len({x[0] for x, _ in game.stream}) == 100
    assert all(0 < x[0] < 1 for x, _ in game.stream)
    assert all(game.witness(x) == y for x, y in game.stream)
    margins = [Fraction(endless.witness(game.stream[:t]).gamma) for t in range(1, 101)]
    assert all(0 < b < a for a, b in pairwise(margins)) and margins[-1] < Fraction(1, 2**100)
    # what the Perceptron's theorem allows grows fourfold a round, and is kept
    run = ls.play(ls.perceptron(bias=0), [dict(x) for x, _ in game.stream[:20]], [y for _, y in game.stream[:20]])
    assert run.mistakes == 20 <= run.bounds(endless.witness(game.stream[:20]).assume)[0].limit < 10 * 4**20


def test_stopped_early_it_promises_nothing():
    for adversary in BOOLEAN + REAL:
        if adversary.forces > 2:
            game = meet(Lookup, adversary, rounds=2)
            assert (game.mistakes, game.lower_bound, game.complete) == (2, None, False)
            assert all(game.witness(x) == y for x, y in game.stream)
            assert meet(Lookup, adversary, rounds=10**6).complete


@dataclass(frozen=True, repr=False)
class Mutant(Adversary):
    """An adversary that fails: once it says what was predicted, or it takes a label back."""

    of: Adversary
    fault: str

    @property
    def n(self):
        return self.of.n

    @property
    def name(self):
        return self.of.name

    @property
    def forces(self):
        return self.of.forces

    def __getattr__(self, name):
        return getattr(self.of, name)

    def rounds(self, learner):
        for t, (x, y) in enumerate(self.of.rounds(learner)):
            yield x, y != (self.fault == "gives in" and t == 1)
            if self.fault == "takes back" and t == 1:
                yield x, not y

    def witness(self, stream):
        return self.of.witness(stream)


@pytest.mark.parametrize("fault", ["gives in", "takes back"])
def test_an_adversary_that_fails_is_caught(fault):
    for adversary in BOOLEAN + REAL:
        if adversary.forces > 1:
            assert faults(Mutant(adversary, fault), Lookup), adversary
            assert not faults(Mutant(adversary, "none"), Lookup), adversary


@pytest.mark.parametrize(
    "text, words",
    [
        ("conjunction:n=0", "n=0 must be a whole number, at least 1"),
        ("bisection:n=25", "numbers=True"),
        ("bisection:n=101:numbers=true", "n up to 100"),
        ("bisection:n=3:rationals=true", "the rationals have no end"),
        ("block_bisection:n=7:k=4", "at least 2k"),
        ("block_bisection:k=0", "k=0 must be a whole number"),
        ("orthonormal:gamma=0", "between 0 and D=1"),
        ("orthonormal:gamma=2", "between 0 and D=1"),
        ("orthonormal:gamma=1/10:n=99", "at least n=100"),
        ("orthonormal:gamma=1e-9", "at most 10,000,000"),
        ("orthonormal:n=100000000", "at most 10,000,000"),
        ("orthonormal:gamma=wide", "gamma='wide' must be a finite number"),
        ("orthonormal:D=1/3", "single precision"),
        ("orthonormal:D=-1", "positive"),
        ("littlestone_tree:concepts=cubes", "must be a class"),
        ("littlestone_tree:n=3:r=2", "only disjunctions"),
        ("shattered_set:n=14", "dimensions are worked out up to"),
        ("littlestone_tre", "did you mean littlestone_tree"),
    ],
)
def test_settings_that_cannot_be(text, words):
    with pytest.raises(LittlestoneError) as refused:
        _ = named(text).forces
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "learner, adversary, words",
    [
        (ls.winnow(), bisection(4, numbers=True), "winnow takes boolean features"),
        (ls.winnow_real(), orthonormal(D=2), "winnow_real takes values from 0 to 1"),
        (ls.winnow(n=3), conjunction(4), "one too many: n=3"),
        (ls.halving("half_intervals", n=8), bisection(5), "out of range: n=8"),
        (ls.optimal("half_intervals", n=4), conjunction(4), "is one point"),
        (ls.halving("disjunctions", n=4), conjunction(4), "the labels are those of ¬x0 ∧ x1 ∧ x2 ∧ x3"),
        (ls.hedge(n=4), conjunction(4), "conjunction gives features"),
        (ls.one_vs_rest(ls.perceptron(bias=0)), conjunction(4), "cannot play"),
        (ls.perceptron(bias=0), bisection(rationals=True), "never ends"),
    ],
    ids=lambda given: getattr(given, "name", None),
)
def test_learners_that_cannot_play(learner, adversary, words):
    with pytest.raises(LittlestoneError) as refused:
        meet(learner, adversary)
    assert words in str(refused.value)
