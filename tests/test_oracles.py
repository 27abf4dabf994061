"""Oracles: examples, membership and equivalence queries, and what counts or remembers them."""

import numpy as np
import pytest
from river.linear_model import Perceptron as RiverPerceptron
from sklearn.linear_model import Perceptron as SklearnPerceptron

import littlestone as ls
from littlestone import concepts
from littlestone.games.oracles import EQ, EX, MQ, Exhausted, cached, counting
from littlestone.games.oracles.equivalence import domain
from littlestone.protocol.players import player
from littlestone.theory import queries as theory

DRAWN = {
    "disjunctions": (concepts.disjunctions(8, r=2), "balanced"),
    "conjunctions": (concepts.conjunctions(6), "uniform"),
    "half_intervals": (concepts.half_intervals(9), "zipf"),
    "halfspaces": (concepts.halfspaces(5, gamma=0.1), "uniform"),
    "table": (concepts.table([[True, False, True], [False, False, True]]), "uniform"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_examples_are_the_rounds_of_a_stream(name):
    """Whether the class is told or found out from the concept."""
    C, instances = DRAWN[name]
    target = C.draw(seed=7)
    (block,) = C.blocks(20, instances=instances, target=target, seed=3, rows=20)
    expected = [(dict(zip(i.tolist(), [1] * len(i) if v is None else v.tolist(), strict=True)), y == 1) for i, v, y in block.rounds()]
    assert EX(target, instances, concepts=C, seed=3).draw(20) == expected
    n = C.n if C.domain == "cube" else None
    ex = EX(target, instances, n=n, seed=3)
    assert [ex() for _ in range(20)] == expected and ex.drawn == 20
    assert EX(target, instances, n=n, seed=4).draw(20) != expected


def test_a_users_own_function_and_sampler():
    def sampler(rng):
        return {0: float(rng.random()), 3: 0}

    x, y = EX(lambda x: x[0] > 0.5, sampler, seed=1)()
    assert list(x) == [0] and y == (x[0] > 0.5)  # what is 0 is left out
    with pytest.raises(ls.LittlestoneError, match="needs n, the number of features"):
        EX(lambda x: True)
    with pytest.raises(ls.LittlestoneError, match="n=5: half_intervals"):
        EX(concepts.half_intervals(4).concept(1), n=5)


def test_rows_of_a_table_are_drawn():
    rows = [{0: 1.5}, {1, 2}, [0, 0, 0, 2.0], {0: 0, 4: 1}]
    labels = [1, 0, None, 1]
    known = [({0: 1.5}, True), ({1: 1, 2: 1}, False), ({4: 1}, True)]
    again = EX.of(rows, labels, seed=2).draw(300)
    assert all(again.count(one) > 60 for one in known) and len(again) == sum(again.count(one) for one in known)
    once = EX.of(rows, labels, seed=2, once=True)
    assert once.left == 3 and sorted(once.draw(3), key=str) == sorted(known, key=str) and once.left == 0
    with pytest.raises(Exhausted, match="all 3 rows"):
        once()
    assert once.drawn == 3
    block = ls.Block.of([[0, 2], [1]], [1, -1])
    assert EX.of(block, once=True).draw(1) == [({0: 1, 2: 1}, True)]
    assert EX.of(np.array([[0, 2.5]]), [0]).draw(1) == [({1: 2.5}, False)]
    with pytest.raises(ls.LittlestoneError, match="without a single label"):
        EX.of(rows, [None] * 4)
    with pytest.raises(ls.LittlestoneError, match="4 rows and 3 labels"):
        EX.of(rows, [1, 1, 0])


def test_an_exhaustive_oracle_finds_every_error():
    C = concepts.conjunctions(3)
    for target in C:
        eq = EQ.exhaustive(target, C)
        for other in C:
            wrong = [(x, target(x)) for x in domain(C) if target(x) != other(x)]
            assert eq(other) == (wrong[0] if wrong else None)


def test_a_sampled_oracle_draws_what_the_theorem_says():
    c = concepts.disjunctions(6).of({0})
    ex = EX(c, n=6, seed=5)
    eq = EQ.sampled(ex, "1/5", "1/10")
    drawn = []
    for i in range(1, 6):
        assert eq(c) is None
        drawn.append(ex.drawn - sum(drawn))
        q = drawn[-1]
        assert np.exp(-q / 5) <= 0.1 / (i + 2) ** 2 < np.exp(-(q - 1) / 5)
    assert (eq.queries, eq.examples) == (5, ex.drawn) and drawn == [theory.draws(i, "1/5", "1/10") for i in range(1, 6)]


def test_a_sampled_oracle_seldom_calls_a_bad_hypothesis_right():
    """An error of exactly 1/4; yes has probability at most δ/9 at the first query, here about 1/100, where δ/9 is 1/45."""
    c = concepts.disjunctions(2).of({0, 1})
    said = [EQ.sampled(EX(c, n=2, seed=seed), "1/5", "1/5")(lambda x: 0 in x) for seed in range(400)]
    assert said.count(None) <= 400 / 45 + 3 * (400 / 45) ** 0.5
    assert all(answer in (None, ({1: 1}, True)) for answer in said)


def test_the_adversarial_oracle_chooses_what_hurts_most():
    C = concepts.half_intervals(8)
    for target in C:
        learner, eq, plain = player(ls.halving(C)), EQ.adversarial(target, C), EQ.exhaustive(target, C)
        harm = {}
        for x, y in plain.wrong(learner):
            told = learner.copy()
            told.update(x, y)
            left = len(list(plain.wrong(told)))
            harm[min(x)] = (min(1, left), left)
        answer = eq(learner)
        assert (answer is None) == (not harm)
        if answer:
            worst = max(harm.values())
            assert min(answer[0]) == next(point for point, found in harm.items() if found == worst)
    assert EQ.adversarial(C.concept(3), C)(C.concept(5)) == ({3: 1}, True)  # a plain function cannot be tried


def test_looking_further_ahead_finds_the_worst_case():
    """Winnow's exact worst case on one of four variables is 4 mistakes; whoever looks one step ahead finds 3."""
    C = concepts.disjunctions(4)
    counts = []
    for depth in (1, 3):
        ls.to_equivalence_queries(ls.winnow(n=4), bound=5).learn(eq := counting(EQ.adversarial(C.of({0}), C, depth=depth)))
        counts.append(eq.count)
    assert counts == [4, 5]


def test_looking_as_far_as_the_bound_is_the_whole_game():
    """As many queries as any order of counterexamples gives."""
    C = concepts.disjunctions(3)
    asks = ls.to_equivalence_queries(ls.disjunctions(n=3), bound=3)
    for target in C:
        counts = []
        for eq in (EQ.exhaustive(target, C), EQ.adversarial(target, C), EQ.adversarial(target, C, depth=3)):
            asks.learn(counted := counting(eq))
            counts.append(counted.count)
        assert counts[2] == max(counts) == 4 - len(target.S)


def test_wrappers_compose_over_all_three():
    C = concepts.disjunctions(4)
    c = C.of({2})
    inside = counting(MQ(c), keep=False)
    outside = counting(cached(inside))
    assert [outside(x) for x in ({2: 1}, {1: 1}, {2: 1, 0: 0}, {2: 1.0})] == [True, False, True, True]
    assert (outside.count, inside.count, outside.saved, inside.asked) == (4, 2, 2, [])
    ex = cached(counting(EX(c, n=4)))
    first = ex.draw(3)
    ex.rewind()
    assert ex.draw(5)[:3] == first and (ex.count, ex.drawn, ex.saved, ex.seed) == (5, 5, 3, 0)
    eq = counting(EQ.exhaustive(c, C))
    elimination = ls.disjunctions(n=4)
    asked, learner = cached(eq), player(elimination)
    found = ls.to_equivalence_queries(elimination).learn(asked)
    assert asked(found) is None and eq.count == 4 and asked.saved == 1  # the same hypothesis is right again
    assert asked(learner) == eq.asked[0][1] and eq.count == 4  # a counterexample that is known
    assert eq.asked[-1][1] is None and eq.asked[0][0].same(learner) and not eq.asked[1][0].same(learner)
    with pytest.raises(TypeError, match="cached takes EX, MQ, EQ"):
        cached(lambda x: True)


def test_a_refused_draw_does_not_count():
    ex = counting(EX.of([{0: 1}], [1], once=True))
    ex()
    with pytest.raises(Exhausted):
        ex.draw(1)
    assert ex.count == 1 and ex.left == 0


@pytest.mark.parametrize("thing", [RiverPerceptron(), player(SklearnPerceptron(), 4)], ids=["river", "sklearn"])
def test_another_librarys_learner_asks_and_is_asked(thing):
    """It learns from queries, then stands behind the oracles itself, as the concept."""
    C = concepts.disjunctions(4)
    found = ls.to_equivalence_queries(thing).learn(EQ.exhaustive(C.of({0, 1, 2, 3}), domain(C)[1:]))
    assert all(MQ(found)(x) for x in domain(C)[1:])
    assert EQ.exhaustive(found, domain(C)[1:])(lambda x: True) is None
    x, y = EX(found, n=4, seed=3)()
    assert y == found.predict(x)


def test_an_estimator_behind_an_oracle_answers_as_it_was_fitted():
    C = concepts.disjunctions(4)
    fitted = SklearnPerceptron().fit([[1, 0, 0, 0], [0, 1, 0, 0]], [1, 0])
    table = np.array([[float(i in x) for i in range(4)] for x in domain(C)])
    said = [bool(y) for y in fitted.predict(table)]
    assert False in said and True in said
    mq = MQ(fitted)
    assert [mq(x) for x in domain(C)] == said
    own = dict(zip(map(str, domain(C)), said, strict=True))
    assert EQ.exhaustive(lambda x: own[str(x)], C)(fitted) is None
    wrong = EQ.exhaustive(C.of({1}), C)(fitted)
    assert wrong is not None and cached(EQ.exhaustive(C.of({1}), C))(fitted) == wrong
    assert EQ.sampled(EX(C.of({1}), n=4, seed=1), 0.1, 0.1)(fitted) is not None
    assert {y for _, y in EX(fitted, n=4, seed=1).draw(20)} == {False, True}


def test_an_estimator_that_was_never_fitted_is_told_the_number_of_features():
    C = concepts.disjunctions(3)
    for eq in (EQ.exhaustive(C.of(()), C), EQ.exhaustive(C.of(()), domain(C)), cached(EQ.sampled(EX(C.of(()), n=3), 0.1, 0.1))):
        assert eq(SklearnPerceptron())[1] is False
