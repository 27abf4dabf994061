"""Duels: the proof at each mistake, both bounds, and false claims found."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.concepts.disjunctions import Disjunction
from littlestone.games import adversaries
from littlestone.games.adversaries.unit_vectors import UnitVectors
from littlestone.protocol import Kernels
from littlestone.report.duel import summary
from littlestone.theory import Invariant, Moment
from littlestone.theory import winnow as winnow_theory
from littlestone.theory.families import family
from littlestone.theory.potentials import Root, rises

# ---- the game itself ----


@pytest.mark.parametrize(
    ("learner", "foe", "mistakes", "theorem"),
    [
        ("perceptron", "orthonormal:gamma=1/4", 16, "perceptron-margin"),
        ("follow_leader", "leaders_bane:n=4,m=1", 7, "follow-leader"),
        ("optimal", "littlestone_tree:n=3", 4, "optimal-class"),
        ("conjunctions", "conjunction:n=5", 6, "conjunctions"),
        ("disjunctions", "unit_vectors:n=7", 7, "elimination"),
    ],
)
def test_the_bounds_meet_where_learner_and_adversary_are_both_optimal(learner, foe, mistakes, theorem):
    duel = ls.duel(getattr(ls, learner), foe)
    assert (duel.lower_bound, duel.mistakes, duel.upper_bound) == (mistakes, mistakes, mistakes)
    assert duel.upper.name == theorem and duel.holds
    assert len(duel.steps) == mistakes
    last = list(duel.steps.values())[-1].numbers[0]
    assert (rises(last) and rises(last[::-1])) or learner == "perceptron", "the ends of the proof meet"


def test_the_perceptron_s_line_is_the_lecture_s():
    duel = ls.duel(ls.perceptron(bias=0), adversaries.orthonormal("1/5"))
    for M, step in enumerate(duel.steps.values(), 1):
        low, dot, length, high = step.numbers[0]
        assert low == dot == Root(Fraction(M, 5) ** 2) and length == high == Root(Fraction(M))
        assert step.potentials["|w|²"] == M


def test_a_searched_vector_is_in_round_numbers():
    duel = ls.duel(ls.perceptron, "unit_vectors:n=5")
    assert duel.target.searched and {abs(v) for v in duel.target.weights.values()} == {1}
    assert duel.upper_bound == 5


@given(
    name=st.sampled_from(["winnow", "perceptron", "optimal", "conjunctions", "disjunctions"]),
    n=st.integers(2, 6),
)
@settings(max_examples=40, deadline=None)
def test_every_line_rises_at_each_mistake(name, n):
    for foe in ("unit_vectors", "conjunction", "block_bisection:k=1"):
        made = adversaries.named(foe, n=n)
        duel = ls.duel(getattr(ls, name), made)
        assert duel.holds, duel.faults
        assert duel.mistakes >= duel.lower_bound and len(duel.steps) == duel.mistakes
        for step in duel.steps.values():
            assert len(step.numbers) == len(duel.proof.lines) > 0
            assert all(rises(terms, Fraction(1, 2**30)) for terms in step.numbers)


def moments(rounds, beta, follow):
    """A rule over experts in plain Python, one moment for each of its mistakes; updates of the majority on mistakes only."""
    n = len(rounds[0][0])
    costs, mistakes = [0] * n, 0
    for votes, y in rounds:
        if follow is not None:
            said = votes[follow(costs)]
        else:
            said = sum(beta**c * (1 if v else -1) for c, v in zip(costs, votes, strict=True)) >= 0
        wrong = bool(said) != y
        if wrong or follow is not None:
            costs = [c + (bool(v) != y) for c, v in zip(costs, votes, strict=True)]
        if wrong:
            mistakes += 1
            state = {i: Fraction(c) for i, c in enumerate(costs)}
            yield Moment({"mistakes": mistakes}, {"costs": state, "losses": state}, 0, 0, Fraction(0), None, Fraction(0))


advice = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(st.lists(st.booleans(), min_size=n, max_size=n), st.booleans()), min_size=1)
)


@given(rounds=advice, beta=st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10))
@settings(max_examples=100, deadline=None)
def test_the_lines_of_rules_over_experts_rise(rounds, beta):
    n = len(rounds[0][0])
    (majority,) = family("weighted_majority").proof({"beta": beta, "n": n}, False).lines
    (leader,) = family("follow_leader").proof({"n": n}, False).lines
    assert all(rises(majority.terms(moment)) for moment in moments(rounds, beta, None))
    assert all(rises(leader.terms(moment)) for moment in moments(rounds, beta, lambda costs: costs.index(min(costs))))


def test_the_lines_of_broken_rules_do_not():
    """A minority in place of the majority; the last of the experts in place of the leader."""
    rounds = [([False, True, True], True), ([True, True, False], False)] * 6
    (majority,) = family("weighted_majority").proof({"beta": Fraction(1, 2), "n": 3}, False).lines
    upside_down = [([not v for v in votes], y) for votes, y in rounds]
    assert all(rises(majority.terms(moment)) for moment in moments(rounds, Fraction(1, 2), None))
    wrong = [replace(m, settings={"mistakes": m.settings["mistakes"] + 3}) for m in moments(upside_down, Fraction(1, 2), None)]
    assert not all(rises(majority.terms(moment)) for moment in wrong), "more mistakes than its weight has paid for"
    (leader,) = family("follow_leader").proof({"n": 2}, False).lines
    stream = [([True, False], True)] * 5
    assert not all(rises(leader.terms(moment)) for moment in moments(stream, 0, lambda costs: 1))


def test_others_play_without_a_theorem():
    class Stubborn:
        def predict(self, x):
            return True

        def update(self, x, y):
            pass

    duel = ls.duel(Stubborn, "unit_vectors:n=3")
    assert (duel.mistakes, duel.lower_bound, duel.upper_bound, duel.learner) == (3, 3, None, "Stubborn")
    assert "no theorem about Stubborn" in duel.upper.why and duel.holds


def test_a_game_that_is_stopped_promises_nothing():
    duel = ls.duel(ls.disjunctions, "unit_vectors:n=9", rounds=4)
    assert (duel.mistakes, duel.lower_bound, duel.rounds) == (4, None, 4)
    assert "stopped after 4 rounds" in duel.lower_words
    assert ls.duel(ls.perceptron, "bisection:rationals=true", rounds=6).mistakes == 6


# ---- false claims are found ----


def test_a_mutant_learner_breaks_its_line():
    plain = ls.winnow(n=6)

    def grows(*arguments):
        """Promotes on false 1s too: the total weight outgrows what mistakes pay for."""
        *own, indices, values, lo, hi, _, yhat, weight = arguments
        inside = plain.native(*own)
        inside.update(indices, values, lo, hi, True, yhat, weight)
        return inside.update(indices, values, lo, hi, True, False, weight)

    def predict(*arguments):
        return plain.native(*arguments[:-4]).predict(*arguments[-4:])

    def play(*arguments):
        return plain.native(*arguments[:-8]).play(*arguments[-8:])

    mutant = replace(plain, algorithm=Kernels(predict, grows, play))

    class Halves(UnitVectors):
        def rounds(self, learner):
            for i in (0, 1, 2, 3):
                x = dict.fromkeys(range(i, 6), 1)
                yield x, not learner.predict(x)

        def witness(self, stream):
            return Disjunction(frozenset())

    duel = ls.duel(mutant, Halves(6))
    assert not duel.holds and "W ≤ 6 + 6P - 3N is false" in " ".join(duel.faults)


def test_a_false_lower_bound_a_false_upper_bound_and_a_false_witness_are_found(monkeypatch):
    class Boastful(UnitVectors):
        @property
        def forces(self):
            return self.n + 1

    assert "fewer than 5" in ls.duel(ls.disjunctions, Boastful(4)).faults[0]

    class Forgetful(UnitVectors):
        def witness(self, stream):
            return Disjunction(frozenset([0]))

    assert any("gives another label" in fault for fault in ls.duel(ls.winnow, Forgetful(4)).faults)
    low = replace(winnow_theory.DISJUNCTION, value=lambda n, r, alpha, theta: 3)
    duel = ls.duel(replace(ls.winnow(n=5), bounds=(low,)), "unit_vectors:n=5")
    assert duel.upper_bound == 3 and "more than 3" in duel.faults[0]


# ---- the proofs ----


def test_lemmas_stand_for_lines_where_none_is_written():
    struck = Invariant("each false 1 strikes out", "N ≤ variables struck out", lambda m: (m.demotions, len(m.state["gone"])))
    own = replace(ls.disjunctions(3), name="own", bounds=(), invariants=(struck,), facts=None)
    duel = ls.duel(own, "unit_vectors:n=3")
    assert [line.statement for line in duel.proof.lines] == ["N ≤ variables struck out"]
    assert [step.numbers for step in duel.steps.values()] == [((1, 1),), ((2, 2),), ((3, 3),)]
    assert "The learner's lemmas at each mistake." in summary(duel) and duel.upper_bound is None


# ---- learners that answer in two ways ----


def flips(self, x):
    self.looks += 1
    return self.looks % 2 == 0


def flips_when_asked_again(self, x):
    again, self.last = self.last == x, dict(x)
    return not again


@pytest.mark.parametrize("foe", ["unit_vectors:n=6", "bisection:n=3", "conjunction:n=3", "block_bisection:n=8,k=2"])
@pytest.mark.parametrize("predict", [flips, flips_when_asked_again])
def test_a_learner_that_answers_in_two_ways_is_promised_nothing(predict, foe):
    class Fickle:
        looks, last = 0, None
        update = lambda self, x, y: setattr(self, "last", None)  # noqa: E731

    Fickle.predict = predict
    duel = ls.duel(Fickle(), foe)
    assert duel.game.excuse == "it answered the same question in two ways"
    assert duel.lower_bound is None and duel.holds and "FALSE" not in summary(duel)


# ---- numbers that the learner does not keep ----


def test_there_is_no_upper_bound_for_a_stream_that_the_learner_saw_otherwise():
    duel = ls.duel(ls.perceptron, "bisection:rationals=true", rounds=24)
    assert duel.upper_bound is not None and duel.upper.name == "perceptron-margin"
    for foe, rounds, first in (("bisection:rationals=true", 60, 25), ("bisection:n=60,numbers=true", 60, 1)):
        duel = ls.duel(ls.perceptron, foe, rounds=rounds)
        assert duel.upper_bound is None and duel.holds and duel.mistakes == rounds
        said = f"single precision; from round {first} on it sees other numbers than were shown"
        assert said in duel.upper.why and summary(duel, 1000).count(said) == 1
    assert duel.lower_bound == 60
