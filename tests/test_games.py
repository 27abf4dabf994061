"""The exhaustive search: known worst cases, an independent recount, and that a false bound does not pass."""

from fractions import Fraction
from itertools import product
from math import log2

import pytest

from littlestone import LittlestoneError, reference
from littlestone.checks import games
from littlestone.theory import perceptron as perceptron_theory
from littlestone.theory import winnow as winnow_theory
from littlestone.theory import winnow_elimination as elimination_theory
from searches import any_stream, tables

WINNOW = {
    (3, 1): 3,
    (4, 1): 4,
    (4, 2): 7,
    (5, 1): 6,
    (5, 2): 10,
    (6, 1): 6,
    (6, 2): 12,
    (7, 1): 7,
    (8, 1): 7,
    (8, 2): 14,
}
ELIMINATION = {(3, 1): 2, (4, 1): 2, (4, 2): 3, (5, 1): 3, (5, 2): 5, (6, 1): 4, (6, 2): 6, (7, 1): 4, (8, 1): 4}
HALF = Fraction(3, 2)


def mistakes(twin, stream, **settings):
    return sum(yhat != y for yhat, (_, y) in zip(twin(stream, **settings), stream, strict=True))


def in_layers(n, r, k, up, down, theta):
    """The worst case again: every instance, no symmetry, fractions, and all states after m mistakes as one layer."""
    layer, m = {(Fraction(1),) * n}, 0
    while True:
        following = set()
        for w in layer:
            for x in product((0, 1), repeat=n):
                y = sum(x[:r]) >= k
                if (sum(v for v, on in zip(w, x, strict=True) if on) >= theta) != y:
                    factor = up if y else down
                    following.add(tuple(v * factor if on else v for v, on in zip(w, x, strict=True)))
        if not following:
            return m
        layer, m = following, m + 1


@pytest.mark.parametrize("n, r", WINNOW)
def test_winnow_known_worst_cases(n, r):
    assert games.winnow(n, r) == WINNOW[n, r]


@pytest.mark.parametrize("n, r", ELIMINATION)
def test_elimination_known_worst_cases(n, r):
    assert games.winnow_elimination(n, r) == ELIMINATION[n, r]


def test_k_of_r_known_worst_case():
    assert games.winnow(6, 3, HALF, k=2) == 21


@pytest.mark.parametrize("n", range(1, 5))
def test_symmetry_loses_nothing(n):
    for r in range(n + 1):
        assert games.winnow(n, r) == in_layers(n, r, 1, 2, Fraction(1, 2), n)
        assert games.winnow(n, r, HALF, Fraction(n, 2)) == in_layers(n, r, 1, HALF, 1 / HALF, Fraction(n, 2))
        assert games.winnow_elimination(n, r) == in_layers(n, r, 1, 2, 0, Fraction(n, 2))
        if r >= 2:
            assert games.winnow(n, r, HALF, k=2) == in_layers(n, r, 2, HALF, 1 / HALF, n)


@pytest.mark.parametrize("n, r, k, alpha", [(5, 2, 1, 2), (6, 3, 1, 2), (8, 1, 1, 2), (5, 2, 1, HALF), (6, 3, 2, HALF)])
def test_the_worst_stream_is_one_mistake_after_another(n, r, k, alpha):
    stream = games.worst_stream(games.WinnowGame(n, r, alpha, k=k))
    assert all((len(x.keys() & range(r)) >= k) == y for x, y in stream)
    assert mistakes(reference.winnow, stream, n=n, alpha=alpha) == len(stream) == games.winnow(n, r, alpha, k=k)


def test_the_worst_stream_of_the_others():
    stream = games.worst_stream(games.EliminationGame(7, 3))
    assert mistakes(reference.winnow_elimination, stream, n=7) == len(stream) == games.winnow_elimination(7, 3)
    points = [x for x in games.grid(2, 2) if 3 * x[0] + 2 * x[1]]
    stream = games.worst_stream(games.PerceptronGame(points, (3, 2)))
    assert all((3 * x[0] + 2 * x[1] > 0) == y for x, y in stream)
    assert mistakes(reference.perceptron, stream, number=Fraction) == len(stream) == games.perceptron(points, (3, 2))


def test_bounds_hold_on_small_cases():
    for n in range(1, 6):
        for r in range(n + 1):
            assert games.winnow(n, r) <= winnow_theory.disjunction(n, r)
            promotions = games.winnow(n, r, counts="promotions")
            assert promotions == r * winnow_theory.promotions_of_one_weight(2, n)  # attained
    for n in range(1, 7):
        for r in range(n + 1):
            assert games.winnow_elimination(n, r) <= elimination_theory.disjunction(n, r)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_striking_out_errs_exactly_as_often_as_its_bound_allows(n):
    for size in range(n + 1):
        assert games.disjunctions(n, size) == n - size
        for negated in range(size + 1):
            assert games.conjunctions(n, size, negated) == n + 1 - size
    stream = games.worst_stream(games.ConjunctionGame(n, 0))
    assert mistakes(reference.conjunctions, stream) == len(stream) == n + 1
    stream = games.worst_stream(games.DisjunctionGame(n, 1))
    assert mistakes(reference.disjunctions, stream) == len(stream) == n - 1


def test_tables_hold_and_say_what_they_are():
    rows = list(tables.tables(size=4))
    assert {row.learner for row in rows} >= {"Winnow", "Winnow with elimination", "Winnow, k of r", "Perceptron"}
    assert all(row.gap == row.bound - row.worst >= 0 for row in rows)
    assert all(row.parameters.count("; ") == 1 for row in rows)


def test_false_bounds_are_refuted():
    with pytest.raises(games.Refuted, match="2 promotions exceed 1"):
        games.judged(games.WinnowGame(3, 1), 1 * log2(3), "r·log2 n", "promotions")
    with pytest.raises(games.Refuted, match="6 mistakes exceed 4"):
        games.judged(games.WinnowGame(5, 1), 2 * log2(5), "2r·log2 n")
    with pytest.raises(games.Refuted, match="4 mistakes exceed 3"):
        games.judged(games.EliminationGame(6, 1), elimination_theory.disjunction(6, 1) - 1, "one less")


def test_the_false_promotion_claim_by_hand():
    stream = [({0: 1}, True), ({0: 1}, True)]  # labelled by the disjunction of variable 0 alone
    assert mistakes(reference.winnow, stream, n=3) == 2 > log2(3)


def test_endless_games_are_refused():
    with pytest.raises(LittlestoneError, match="never end"):
        games.winnow(4, 3, k=3)  # (k-1)(α-1) = 2
    with pytest.raises(LittlestoneError, match="no label"):
        games.perceptron([(1, 0), (0, 1)], (1, 0))


def test_agnostic_winnow_against_every_stream_one_by_one():
    n, length = 2, 4
    instances = [{i: 1 for i in range(n) if x[i]} for x in product((0, 1), repeat=n)]
    sets = [set(), {0}, {1}, {0, 1}]
    pairs, slack = 0, 99
    for rounds in range(1, length + 1):
        for stream in product(product(instances, (False, True)), repeat=rounds):
            erring = [s for s, yhat in zip(stream, reference.winnow(stream, n=n), strict=True) if yhat != s[1]]
            for S in sets:
                A = sum(not x.keys() & S if y else len(x.keys() & S) for x, y in erring)
                pairs += 1
                slack = min(slack, winnow_theory.disjunction_agnostic(n, len(S), A) - len(erring))
    found = any_stream.search_agnostic_winnow(n, length)
    assert (found.pairs, found.slack) == (pairs, slack)


@pytest.mark.parametrize("alpha, k", [(2, 1), (HALF, 1), (HALF, 2), (Fraction(5, 4), 3)])
def test_agnostic_winnow_on_longer_streams(alpha, k):
    assert any_stream.search_agnostic_winnow(3, 14, alpha, k=k).slack >= 0


def test_false_agnostic_bounds_are_refuted():
    with pytest.raises(games.Refuted, match="True"):  # attribute errors cost more than one mistake each
        any_stream.search_agnostic_winnow(3, 14, bound=lambda r, A: 6 * r + A + 1)
    with pytest.raises(games.Refuted):
        any_stream.search_hinge(games.grid(2, 1), any_stream.rational_grid(2, 1, 2), 5, bound=lambda K, L: K + L)


def test_hinge_against_every_stream_one_by_one():
    points, length = [(1, 0), (0, 1), (1, 1), (-1, 2)], 3
    us = any_stream.rational_grid(2, 1, 2)
    pairs, slack = 0, 99
    for rounds in range(1, length + 1):
        for stream in product(product(points, (False, True)), repeat=rounds):
            told = [(dict(enumerate(x)), y) for x, y in stream]
            guesses = reference.perceptron(told, number=Fraction)
            erring = [(x, 1 if y else -1) for (x, y), yhat in zip(stream, guesses, strict=True) if yhat != y]
            M = len(erring)
            pairs += len(us)
            for u in us if M else []:
                L = sum(max(Fraction(0), 1 - y * (u[0] * x[0] + u[1] * x[1])) for x, y in erring)
                K = (u[0] ** 2 + u[1] ** 2) * Fraction(sum(x[0] ** 2 + x[1] ** 2 for x, _ in erring), M)
                assert L >= M or (M - L) ** 2 <= K * M  # the bound before it is solved for M, exactly
                slack = min(slack, perceptron_theory.hinge(K, L) - M)
    found = any_stream.search_hinge(points, us, length)
    assert found.pairs == pairs and round(found.slack, 20) == round(slack, 20)
