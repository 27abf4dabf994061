"""Adversaries that are somebody's: follow_leader's, the Perceptron's, and the search for the worst stream of anybody."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil

import pytest
import river.linear_model
import sklearn.linear_model

import littlestone as ls
from littlestone import LittlestoneError, concepts
from littlestone.checks import games
from littlestone.games.adversaries import best_response, leaders_bane, meet, named, perceptron_disjunction, two_experts
from littlestone.protocol.players import player
from littlestone.theory.experts import leader
from littlestone.theory.perceptron import disjunction as perceptron_bound


class Scripted:
    """Predicts what is written down: all scripts are all deterministic rules."""

    def __init__(self, script):
        self.script, self.t = script, 0

    def predict(self, x):
        return self.script[self.t]

    def update(self, x, y):
        self.t += 1


class Rosenblatt:
    """The Perceptron in whole numbers, with a bias feature of value 1; at a tie it says `tie`."""

    def __init__(self, tie: bool, begins_with_1: bool = False):
        self.w, self.b, self.tie, self.fresh = {}, 0, tie, begins_with_1

    def predict(self, x):
        score = sum(self.w.get(i, 0) * v for i, v in x.items()) + self.b
        return self.fresh or score > 0 or (score == 0 and self.tie)

    def update(self, x, y):
        step = (y - (not y)) * (self.predict(x) != y)
        self.fresh = False
        self.b += step
        for i, v in x.items():
            self.w[i] = self.w.get(i, 0) + step * v


# ---------------------------------------------------------------------------------------------------- rules over experts


@pytest.mark.parametrize("n, m", [*product(range(1, 7), range(4)), (40, 5)])
def test_only_the_leader_errs(n, m):
    adversary = leaders_bane(n, m)
    game = meet(ls.follow_leader(), adversary)
    assert game.mistakes == len(game.rounds) == game.lower_bound == n * m + n - 1 == leader(n, m)
    assert (game.witness.mistakes, game.witness.assume) == (m, f"expert:m={m}")
    if game.rounds:
        run = ls.play(ls.follow_leader(), [votes for votes, _ in game.stream], [y for _, y in game.stream])
        assert [(claim.observed, claim.limit) for claim in run.bounds(game.witness.assume)] == [(game.mistakes, game.mistakes)] * 2


def test_who_need_not_fear_it():
    assert named("leaders_bane:n=4", k=3) == leaders_bane(4, 3) == leaders_bane(4, k=3)
    game = meet(ls.weighted_majority(), leaders_bane(5, 3))
    assert (game.mistakes, game.lower_bound) == (0, None) and "proved for follow_leader" in game.excuse
    assert leaders_bane(5, 3).excuse(player(ls.hedge(n=5))) == "its predictions are drawn at random"
    begun = ls.follow_leader(n=3).start()
    begun.update([0, 1, 1], 1)
    assert meet(begun, leaders_bane(3, 1)).excuse == "it has seen rounds already"
    game = meet(ls.follow_leader(), leaders_bane(5, 3), rounds=7)
    assert (game.mistakes, game.lower_bound, game.witness.mistakes, game.witness.number) == (7, None, 1, 2)
    with pytest.raises(LittlestoneError, match="leaders_bane gives votes"):
        meet(ls.perceptron(), leaders_bane())


@pytest.mark.parametrize("T", [1, 2, 33])
def test_two_who_disagree(T):
    game = meet(ls.follow_leader(), two_experts(T))
    assert game.mistakes == game.lower_bound == T and game.witness.mistakes <= T / 2


def test_two_experts_and_all_rules_there_are():
    for script in product((False, True), repeat=7):
        game = meet(Scripted(script), two_experts(7))
        assert game.mistakes == game.lower_bound == 7
        for stop in range(8):
            best = two_experts(7).witness(game.stream[:stop])
            assert best.mistakes == sum(best(x) != y for x, y in game.stream[:stop]) <= stop / 2
    assert two_experts().excuse(player(ls.randomized_weighted_majority(n=2)))


# ---------------------------------------------------------------------------------------------------- the Perceptron's bad stream


def test_the_number_of_the_bad_stream():
    """Exactly, in whole numbers, whichever way ties fall: never a number that was only observed."""
    for n in range(1, 41):
        for k in range(1, min(n, 6) + 1):
            adversary = perceptron_disjunction(n, k)
            assert adversary.forces == 2 * k * (n - k + 1)
            for tie, first in ((True, False), (False, False), (False, True)):
                game = meet(Rosenblatt(tie, first), adversary)
                assert game.mistakes == len(game.rounds) == adversary.forces + tie <= perceptron_bound(n, k)


@pytest.mark.parametrize("n, k", [(1, 1), (2, 2), (3, 1), (9, 4), (40, 6)])
def test_our_perceptron_errs_so_often(n, k):
    game = meet(ls.perceptron(bias=1), perceptron_disjunction(n, k))
    assert (game.mistakes, game.lower_bound) == (2 * k * (n - k + 1) + 1, 2 * k * (n - k + 1))
    assert all(game.witness(x) == y for x, y in game.stream) and game.witness.assume == f"disjunction:r={k}"
    variant = meet(ls.perceptron(bias=1, margin=2, averaged=True), game.adversary)
    assert (variant.stream, variant.lower_bound) == (game.stream, game.lower_bound)


def test_other_biases():
    for bias in (0, Fraction(1, 2), Fraction(5, 4), 2):
        for n, k in ((2, 1), (3, 3), (7, 2)):
            if n == k and not bias:
                continue  # without a bias {} is always taken for a 1
            game = meet(ls.perceptron(bias=bias), perceptron_disjunction(n, k, bias=bias))
            assert (game.mistakes, game.lower_bound) == (2 * k * ceil(n - k + bias**2) + 1, 2 * k * ceil(n - k + bias**2))
            assert meet(ls.perceptron(bias=bias + 1), game.adversary).mistakes >= game.lower_bound
    best = ls.perceptron(n=60, preset="disjunction", k=3)
    assert meet(best, perceptron_disjunction(60, 3)).mistakes > 2 * 3 * 58 + 1
    assert meet(ls.perceptron(), perceptron_disjunction(3, 3, bias=0)).complete  # it leaves whoever errs for ever


@pytest.mark.parametrize("n, k", [(1, 1), (2, 2), (5, 1), (6, 3)])
def test_other_libraries_perceptrons_err_so_often(n, k):
    for learner in (river.linear_model.Perceptron(), sklearn.linear_model.Perceptron()):
        game = meet(learner, perceptron_disjunction(n, k))
        assert game.mistakes == game.lower_bound == 2 * k * (n - k + 1)


def test_the_number_is_for_perceptrons():
    adversary = perceptron_disjunction(6, 2)
    begun = river.linear_model.Perceptron()
    begun.learn_one({0: 1.0}, True)
    told = ls.perceptron(bias=1).start()
    told.update({0: 1}, False)
    for learner, words in [
        (ls.winnow(), "winnow is another learner"),
        (Rosenblatt(True), "Rosenblatt is another learner"),
        (ls.perceptron(bias=0), "bias=0"),
        (told, "learned already"),
        (begun, "learned already"),
        (river.linear_model.Perceptron(l2=0.1), "its setting l2 is not 0.0"),
        (sklearn.linear_model.Perceptron(fit_intercept=False), "its setting fit_intercept is not True"),
        (sklearn.linear_model.SGDClassifier(), "another learner"),
    ]:
        game = meet(learner, adversary)
        assert words in game.excuse and game.lower_bound is None
    assert "value 1" in meet(river.linear_model.Perceptron(), perceptron_disjunction(4, 1, bias=2)).excuse
    for always in (True, False):
        assert meet(Scripted([always] * 10_000), adversary).complete


def test_winnow_hardly_errs_where_the_perceptron_does():
    game = meet(ls.perceptron(bias=1), perceptron_disjunction(300, 5))
    assert game.mistakes == 2961
    winnow = ls.winnow(n=300).start()
    for x, y in game.stream:
        winnow.observe(x, y)
    assert winnow.rounds == 2961 and winnow.mistakes <= 30
    assert meet(ls.winnow(), game.adversary).mistakes <= 30


def test_how_far_the_bad_stream_is_from_the_worst():
    """Beside the exact worst case: attained where every variable is relevant."""
    for n in range(1, 4):
        for k in range(1, n + 1):
            worst = games.perceptron([(*x, 1) for x in product((0, 1), repeat=n)], (2,) * k + (0,) * (n - k) + (-1,))
            made = perceptron_disjunction(n, k).forces + 1
            assert made <= worst and (made == worst or k < n)


# ---------------------------------------------------------------------------------------------------- the search


class TiesSay0(games.PerceptronGame):
    """The worst case of a Perceptron that says 0 at a tie, as River's and scikit-learn's do."""

    def after(self, state):
        erring = [(x, y) for x, y in self.labels.items() if (games.dot(state, x) > 0) != y]
        return tuple({games.moved(state, x, y) for x, y in erring if y == label} for label in (True, False))


def found(learner, adversary):
    game = meet(learner, adversary)
    assert game.mistakes == len(game.rounds) and game.lower_bound is adversary.forces is None
    for stop in range(len(game.rounds) + 1):
        target = adversary.witness(game.stream[:stop])
        assert all(target(x) == y for x, y in game.stream[:stop])
    return game.mistakes


def test_the_search_finds_winnows_worst_case():
    for n, k in ((3, 1), (3, 2), (4, 1), (4, 2), (5, 1), (5, 2)):
        assert found(ls.winnow(), best_response(n, k)) == games.winnow(n, k)


def test_the_search_finds_the_perceptrons_worst_case():
    for n, k in ((2, 1), (3, 1), (3, 2), (3, 3)):
        points, target = [(*x, 1) for x in product((0, 1), repeat=n)], (2,) * k + (0,) * (n - k) + (-1,)
        assert found(ls.perceptron(bias=1), best_response(n, k)) == games.perceptron(points, target)
        assert found(river.linear_model.Perceptron(), best_response(n, k)) == games.worst_case(TiesSay0(points, target))
    assert found(sklearn.linear_model.Perceptron(), best_response(2, 1)) == games.worst_case(
        TiesSay0([(*x, 1) for x in product((0, 1), repeat=2)], (2, 0, -1))
    )
    assert found(ls.perceptron(bias=1), best_response(4, 2)) == 16  # docs/worst_cases.md


def test_the_search_finds_the_worst_case_of_finite_classes():
    assert found(ls.halving("conjunctions", n=3), best_response(3, concepts="conjunctions")) == 4
    assert found(ls.halving("conjunctions", n=4), best_response(4, concepts="conjunctions")) == 5
    assert found(ls.halving("disjunctions", n=4), best_response(4, concepts="disjunctions")) == 4
    assert found(ls.halving("half_intervals", n=15), best_response(15, concepts="half_intervals")) == 4
    assert found(ls.halving("dictators", n=4), best_response(4, concepts="dictators")) == 2
    rows = [[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]]
    assert found(ls.halving(rows), best_response(concepts=rows)) == 1
    assert found(ls.winnow(), best_response(concepts=concepts.k_of_r(4, 2, 3))) == games.winnow(4, 3, k=2)


class Counter:
    """Says 1 until it has seen three 0s. It cannot be pickled."""

    def __init__(self):
        self.zeros, self.opaque = 0, lambda: None

    def __deepcopy__(self, memo):
        other = Counter()
        other.zeros = self.zeros
        return other

    def predict(self, x):
        return self.zeros < 3

    def update(self, x, y):
        self.zeros += not y


def test_the_search_leaves_no_trace_and_knows_no_chance():
    adversary, learner = best_response(4, 2, width=7), player(ls.winnow(), 4)
    streams = [adversary.search.worst(learner) for _ in range(2)]
    assert streams[0] == streams[1] and learner.same(player(ls.winnow(n=4))) is not False
    assert learner.model.rounds == 0
    assert found(Counter, best_response(2, 1, width=4, most=9)) == 9
    assert len(meet(ls.winnow(), best_response(4, 2, width=1)).rounds) <= 7
    with pytest.raises(LittlestoneError, match="each is tried"):
        best_response(13)
    with pytest.raises(LittlestoneError, match="width=0"):
        best_response(3, width=0)
    assert found(ls.halving("disjunctions", n=3), best_response(3, concepts="conjunctions")) >= 1  # rounds it refuses are left out
