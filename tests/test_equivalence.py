"""Mistakes and equivalence queries: each theorem against every target of small classes, and both ways round."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river.linear_model import Perceptron as RiverPerceptron

import littlestone as ls
from littlestone import concepts
from littlestone.games.oracles import EQ, EX, counting
from littlestone.games.oracles.equivalence import domain
from littlestone.protocol.players import player
from littlestone.theory import queries as theory

H5 = concepts.half_intervals(5, empty=False)
C3, D4, H8 = concepts.conjunctions(3, contradictory=True), concepts.disjunctions(4), concepts.half_intervals(8, empty=False)

#: A learner, the class it learns, and its mistake bound there.
CASES = {
    "conjunctions": (ls.conjunctions(n=3), C3, 4),
    "disjunctions": (ls.disjunctions(n=4), D4, 4),
    "halving": (ls.halving(H8), H8, 3),
    "optimal": (ls.optimal(C3), C3, 4),
    "halving always": (ls.halving(D4, updates="always"), D4, 4),
}


@pytest.mark.parametrize("kind", ["exhaustive", "adversarial"])
@pytest.mark.parametrize("name", CASES)
def test_a_learner_with_bound_b_asks_b_plus_1_queries(name, kind):
    learner, C, B = CASES[name]
    asks, most = ls.to_equivalence_queries(learner, bound=B), 0
    for target in C:
        eq = counting(getattr(EQ, kind)(target, C))
        found = asks.learn(eq)
        assert all(found.predict(x) == target(x) for x in domain(C))
        most = max(most, eq.count)
    assert most <= asks.most == B + 1
    if kind == "adversarial":
        assert most == B + 1  # each of these bounds is met by some target


def test_a_false_bound_is_found_out():
    with pytest.raises(ls.LittlestoneError, match="counterexample number 4, and disjunctions was to make at most 3 mistakes"):
        ls.to_equivalence_queries(ls.disjunctions(n=4), bound=3).learn(EQ.adversarial(D4.of(()), D4))
    with pytest.raises(ls.LittlestoneError, match="is no counterexample"):
        ls.to_equivalence_queries(ls.disjunctions(n=4)).learn(lambda hypothesis: ({0: 1}, True))
    with pytest.raises(ls.LittlestoneError, match="bound=-1"):
        ls.to_equivalence_queries(ls.disjunctions(n=4), bound=-1)


class Conjunctions:
    """The classical learner of conjunctions by equivalence queries alone: all literals, less those a counterexample lacks."""

    ends_with_yes = True

    def __init__(self, n):
        self.n, self.most = n, n + 2

    def learn(self, eq):
        literals = set(product(range(self.n), (False, True)))
        while True:
            hypothesis = self.saying(frozenset(literals))
            if (answer := eq(hypothesis)) is None:
                return hypothesis
            literals = {(i, on) for i, on in literals if (i in answer[0]) == on}

    @staticmethod
    def saying(literals):
        return lambda x: all((i in x) == on for i, on in literals)


class Narrowing:
    """Asks for the concept in the middle of those left; when one is left it knows, and does not ask."""

    def __init__(self, n):
        self.C, self.most = concepts.half_intervals(2**n, empty=False), n

    def learn(self, eq):
        low, high = 0, self.C.size - 1
        while low < high:
            middle = (low + high) // 2
            if (answer := eq(self.C.concept(middle))) is None:
                return self.C.concept(middle)
            ((point,), y) = answer
            low, high = (low, min(high, point)) if y else (max(low, point + 1), high)
        return self.C.concept(low)


class Listing:
    """Asks for one concept after the other, but not for the last, which must be right then."""

    most = 4

    def learn(self, eq):
        *others, last = H5
        return next((c for c in others if eq(c) is None), last)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(target=st.integers(0, C3.size - 1), points=st.lists(st.integers(0, 7), max_size=30))
def test_a_query_learner_that_ends_with_yes_makes_q_less_1_mistakes(target, points):
    learner, wrong, c = ls.from_equivalence_queries(Conjunctions(3)), 0, C3.concept(target)
    for point in points:
        x = dict.fromkeys(C3.row(point), 1)
        wrong += learner.predict(x) != c(x)
        learner.update(x, c(x))
    assert wrong == len(learner.counterexamples) <= learner.most == 4


def mistakes_forced(learner, target, C):
    """How many mistakes the worst order of instances makes it make on this target."""
    wrong = [(x, target(x)) for x in domain(C) if learner.predict(x) != target(x)]
    worst = 0
    for x, y in wrong:
        told = learner.copy()
        told.update(x, y)
        worst = max(worst, 1 + mistakes_forced(told, target, C))
    return worst


def test_a_query_learner_that_need_not_end_with_yes_may_make_q_mistakes():
    narrowing, listing = ls.from_equivalence_queries(Narrowing(3)), ls.from_equivalence_queries(Listing())
    assert narrowing.most == 3 and max(mistakes_forced(narrowing, target, H8) for target in H8) == 3
    assert listing.most == 4 and max(mistakes_forced(listing, target, H5) for target in H5) == 4
    closing = ls.from_equivalence_queries(Conjunctions(2))
    C2 = concepts.conjunctions(2, contradictory=True)
    assert closing.most == 3 and max(mistakes_forced(closing, target, C2) for target in C2) == 3


@pytest.mark.parametrize("name", CASES)
def test_the_round_trip_from_mistakes_loses_nothing(name):
    """B -> B + 1 -> B: the same learner, fed its mistakes alone, and so within B mistakes on every stream of a concept."""
    learner, C, B = CASES[name]
    there_and_back = ls.from_equivalence_queries(ls.to_equivalence_queries(learner, bound=B))
    assert there_and_back.most == B
    assert max(mistakes_forced(there_and_back, target, C) for target in list(C)[:: max(1, C.size // 4)]) <= B

    @settings(max_examples=15, deadline=None, derandomize=True)
    @given(st.lists(st.integers(0, C.points - 1), max_size=25), st.integers(0, C.size - 1))
    def same(points, number):
        one, two, target = there_and_back.copy(), player(ls.conservative(learner)), C.concept(number)
        for point in points:
            x = dict.fromkeys(C.row(point), 1)
            assert one.predict(x) == two.predict(x)
            for each in (one, two):
                each.update(x, target(x))
        assert len(one.counterexamples) <= B

    same()


def test_the_round_trip_from_queries_loses_nothing():
    """Q -> Q - 1 -> Q, for one that ends with yes."""
    back = ls.from_equivalence_queries(Conjunctions(3))
    asks = ls.to_equivalence_queries(back, bound=back.most)
    assert asks.most == Conjunctions(3).most
    for target in C3:
        straight, round_trip = (counting(EQ.exhaustive(target, C3)) for _ in range(2))
        Conjunctions(3).learn(straight)
        asks.learn(round_trip)
        assert [answer for _, answer in straight.asked] == [answer for _, answer in round_trip.asked]


def test_a_query_learner_must_be_deterministic():
    class Fickle:
        runs = 0

        def learn(self, eq):
            type(self).runs += 1
            run = self.runs
            while eq(lambda x: run % 2 == 1) is not None:
                pass

    learner = ls.from_equivalence_queries(Fickle())
    with pytest.raises(ls.LittlestoneError, match="asked another hypothesis"):
        learner.update({0: 1}, False)
    with pytest.raises(ls.LittlestoneError, match="no query learner"):
        ls.from_equivalence_queries(lambda eq: None)


def test_what_a_player_is_holds_of_a_query_learner():
    learner = ls.from_equivalence_queries(Conjunctions(3))
    other = learner.copy()
    assert learner.same(other) and "Conjunctions" in learner.name
    other.update({0: 1}, True)
    assert learner.same(other) is None and learner.predict({0: 1}) is False and other.predict({0: 1}) is True
    game = ls.adversaries.meet(
        ls.from_equivalence_queries(ls.to_equivalence_queries(ls.disjunctions(n=5), bound=5)), ls.adversaries.unit_vectors(5)
    )
    assert game.mistakes == 5 == game.player.most


def test_another_librarys_learner_goes_both_ways():
    asks = ls.to_equivalence_queries(RiverPerceptron())
    learner, target, wrong = ls.from_equivalence_queries(asks), D4.of({0, 2}), 0
    for point in [*range(1, 16)] * 6:
        x = dict.fromkeys(D4.row(point), 1)
        wrong += learner.predict(x) != target(x)
        learner.update(x, target(x))
    assert wrong == len(learner.counterexamples) > 0 and all(
        learner.predict(dict.fromkeys(D4.row(p), 1)) == target(D4.row(p)) for p in range(1, 16)
    )


@pytest.mark.parametrize("seed", range(5))
def test_sampled_queries_are_controlled_testing(seed):
    """Theorem 4 again, from Proposition 6: the same examples are drawn, and the same hypothesis is found."""
    C = concepts.disjunctions(12, r=3)
    target, learner = C.draw(seed), ls.winnow(n=12)
    wanted = {"epsilon": "1/10", "delta": "1/20"}
    eq = EQ.sampled(EX(target, "balanced", n=12, seed=seed), **wanted)
    made = counting(eq)
    found = ls.to_equivalence_queries(learner).learn(made)
    fitted = ls.controlled_testing(learner, EX(target, "balanced", n=12, seed=seed), **wanted)
    assert (fitted.examples, fitted.tests, fitted.mistakes) == (eq.examples, made.count, made.count - 1)
    assert found.same(fitted.hypothesis) and eq.examples <= theory.examples(fitted.mistakes, **wanted) == fitted.most


def test_a_query_learner_that_asks_more_than_it_says_is_told_off():
    class Upwards:
        def __init__(self, most, ends_with_yes):
            self.most, self.ends_with_yes = most, ends_with_yes

        def learn(self, eq):
            a = 0
            while a < 3 and eq(lambda x, a=a: min(x) >= a) is not None:
                a += 1
            return lambda x: min(x) >= a

    rounds = [({0: 1}, False), ({1: 1}, False), ({2: 1}, False)]
    for most, last, bound in ((3, False, 3), (4, True, 3)):
        fine = ls.from_equivalence_queries(Upwards(most, last))
        for x, y in rounds:
            fine.update(x, y)
        assert fine.most == bound == len(fine.counterexamples) and fine.done
    liar = ls.from_equivalence_queries(Upwards(2, False))
    liar.update(*rounds[0])
    with pytest.raises(ls.LittlestoneError, match=r"\(Upwards\): query number 3, and it was to ask at most 2"):
        liar.update(*rounds[1])
    liar = ls.from_equivalence_queries(Upwards(3, True))
    for x, y in rounds[:2]:
        liar.update(x, y)
    with pytest.raises(
        ls.LittlestoneError, match=r"query number 3 got a counterexample, and the last of its 3 was always to be answered yes"
    ):
        liar.update(*rounds[2])


def test_a_learner_that_learns_nothing_does_not_ask_for_ever():
    stubborn = type("Stubborn", (), {"predict": lambda self, x: False, "update": lambda self, x, y: None})
    C = concepts.disjunctions(3)
    with pytest.raises(ls.LittlestoneError, match=r"Stubborn was given .* 10,000 times in a row, and learns nothing from it"):
        ls.to_equivalence_queries(stubborn).learn(EQ.exhaustive(C.of({1}), C))
