"""Sets, halfspaces and consistent concepts to compare with: against all of them on tiny cases, and the bounds that they give."""

from fractions import Fraction
from itertools import combinations, product
from time import perf_counter

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import faults
import littlestone as ls
from littlestone.checks.games import Refuted
from littlestone.errors import LittlestoneError
from littlestone.theory import judge, winnow, winnow_doubling, winnow_elimination, winnow_real
from littlestone.witnesses.consistent import conjunction_witness, same_instance
from littlestone.witnesses.halfspaces import separator
from littlestone.witnesses.sets import attribute_errors, disjunction_set, elimination_set, k_of_r_set, presence
from searches.any_stream import search_agnostic_elimination
from searches.consistent_disjunctions import disjunction_witness, smallest_disjunction


def halfspace_errors(mistakes, mu, delta, n=None):
    """A for μ, from the mistake rounds: {feature: value} of each, and its label. With n, feature n+i of μ is the complement 1-x_i."""
    straight = {i: Fraction(v) for i, v in mu.items() if n is None or i < n}
    turned = {i - n: Fraction(v) for i, v in mu.items() if n is not None and i >= n}
    ahead, A = sum(turned.values(), Fraction(0)), Fraction(0)
    for x, label in mistakes:
        dot = ahead + sum((Fraction(v) * (straight.get(i, 0) - turned.get(i, 0)) for i, v in x.items()), Fraction(0))
        A += max(Fraction(0), 1 - dot if label else dot - (1 - Fraction(delta)))
    return A


def subsets(n):
    return [np.array(S, np.int64) for r in range(n + 1) for S in combinations(range(n), r)]


def tiny(count, seed=0, most=25):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rounds, n = int(rng.integers(1, most)), int(rng.integers(1, 8))
        yield (rng.random((rounds, n)) < rng.choice([0.2, 0.5])).astype(int), rng.random(rounds) < 0.6, rng


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_set_is_better(k):
    for X, y, rng in tiny(100, seed=k):
        cost, weights = int(rng.integers(0, 4)), rng.integers(1, 4, len(y))
        totals = [cost * len(S) + attribute_errors(presence(X), y, S, k, weights) for S in subsets(X.shape[1])]
        found = k_of_r_set(X, y, k=k, cost=cost, weights=weights)
        assert (found.how, found.gap, found.total) == ("exact", 0, min(totals))
        assert found.total == cost * len(found.set) + attribute_errors(presence(X), y, found.set, k, weights)
        quick = k_of_r_set(X, y, k=k, cost=cost, weights=weights, exact=False)
        assert quick.total >= found.total and (quick.how == "greedy" or quick.total == found.total)


def test_local_search_leaves_nothing_to_drop_add_or_exchange():
    for X, y, _ in tiny(60, seed=9):
        found, n = disjunction_set(X, y, cost=1, exact=False), X.shape[1]
        S = set(found.set.tolist())
        near = [S - {i} for i in S] + [S | {i} for i in range(n)] + [S - {i} | {j} for i in S for j in range(n)]
        assert all(len(T) + attribute_errors(presence(X), y, np.array(sorted(T), np.int64)) >= found.total for T in near)


def test_the_errors_are_those_of_the_theory():
    X, y = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]), np.array([1, 1, 0, 0])
    assert attribute_errors(presence(X), y == 1, np.array([0, 1])) == 1 + 2
    assert attribute_errors(presence(X), y == 1, np.array([0, 1]), 2) == 2


def test_stored_zeros_are_no_features():
    X = csr_array((np.array([1.0, 0.0, 2.5]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 3))
    assert disjunction_set(X, [1, 0], cost=0).set.tolist() == [0]


def test_over_the_mistakes_of_winnow_no_set_beats_the_empty_one():
    """L·|S| + A_S ≥ P: the theorem's own proof. Over all rounds a set may be better."""
    rng = np.random.default_rng(2)
    for alpha in (2, "3/2"):
        X = (rng.random((400, 12)) < 0.3).astype(int)
        y = (X[:, :2].any(axis=1) ^ (rng.random(400) < 0.05)).astype(int)
        run = ls.play(ls.winnow(n=12, alpha=alpha), X, y)
        wrong = run.predictions != y
        L = winnow.promotions_of_one_weight(Fraction(alpha), 12)
        assert disjunction_set(X[wrong], y[wrong], cost=L).total == run.false_negatives
        whole = disjunction_set(X, y, cost=L)
        assert whole.set.tolist() == [0, 1] and whole.total < y.sum()


def test_large_inputs_cost_less_than_a_second():
    X = random_array((70_000, 47_000), density=70 / 47_000, format="csr", rng=np.random.default_rng(0))
    y = np.arange(70_000) % 2
    disjunction_set(np.ones((9, 2)), np.ones(9), cost=3, exact=False)  # compiles
    begun = perf_counter()
    found = disjunction_set(X, y, cost=16, exact=False)
    assert perf_counter() - begun < 5 and found.how == "greedy"  # under a second on a quiet machine


def test_a_time_limit_is_reported_with_what_is_proven():
    rng = np.random.default_rng(1)
    X, y = (rng.random((120, 40)) < 0.1).astype(int), rng.random(120) < 0.8
    found = disjunction_set(X, y, cost=2, effort=1e-9)
    assert found.how == "work limit" and found.gap > 0 and disjunction_set(X, y, cost=2).total >= found.total - found.gap


def test_bad_input_is_refused():
    with pytest.raises(LittlestoneError, match="2 labels for 1 rounds"):
        disjunction_set([[1, 0]], [1, 0], cost=1)
    with pytest.raises(LittlestoneError, match="cost"):
        disjunction_set([[1, 0]], [1], cost=0.5)
    with pytest.raises(LittlestoneError, match="k=0"):
        k_of_r_set([[1, 0]], [1], k=0, cost=1)


# Consistent concepts


def literals_of(signs):
    return [(i, s > 0) for i, s in enumerate(signs) if s]


def test_the_conjunction_is_the_longest_there_is():
    for X, y, rng in tiny(200, seed=3, most=8):
        y = y.astype(int) if rng.random() < 0.5 else X[:, 0] * (1 - X[:, -1]) if rng.random() < 0.8 else np.zeros(len(X), int)
        agree = [
            len(literals_of(signs))
            for signs in product((1, -1, 0), repeat=min(5, X.shape[1]))
            if all(all((row[i] == 1) == on for i, on in literals_of(signs)) == bool(label) for row, label in zip(X, y, strict=True))
        ]
        found = conjunction_witness(X[:, :5], y)
        assert found.exists == bool(agree)
        if agree:
            assert found.size == max(agree) and not set(found.positive) & set(found.negative)
            said = X[:, found.positive].all(axis=1) & ~X[:, found.negative].any(axis=1)
            assert said.astype(int).tolist() == y.tolist()
        elif y.any():
            row, ones = X[found.round, :5], X[y == 1][:, :5]
            assert not y[found.round]
            assert all(row[i] for i in range(row.size) if ones[:, i].all()) and not any(
                row[i] for i in range(row.size) if not ones[:, i].any()
            )


def test_the_disjunction_or_why_there_is_none():
    for X, y, rng in tiny(200, seed=4, most=8):
        y = y.astype(int) if rng.random() < 0.4 else X[:, :2].any(axis=1).astype(int)
        agree = [S for S in subsets(X.shape[1]) if X[:, S].any(axis=1).astype(int).tolist() == y.tolist()]
        found, small = disjunction_witness(X, y), smallest_disjunction(X, y)
        assert found.exists == bool(agree) == (small is not None)
        if agree:
            assert found.size == max(map(len, agree)) and len(small.set) == min(map(len, agree)) and small.how == "exact"
            for S in (found.positive, small.set):
                assert X[:, S].any(axis=1).astype(int).tolist() == y.tolist()
        else:
            assert y[found.round] and set(found.others) == set(np.flatnonzero(X[found.round]))
            assert all(X[t, i] and not y[t] for i, t in found.others.items())


def test_rounds_without_a_label_say_nothing():
    X = [[1, 0], [1, 0], [0, 1]]
    assert same_instance(X, [1, -1, 0]) is None and same_instance(X, [1, 0, 0]) == (0, 1)
    assert disjunction_witness(X, [1, -1, 0]).positive.tolist() == [0] and conjunction_witness(X, [1, -1, 0]).size == 2
    assert same_instance([[0.5], [0.25], [0.5]], [1, 0, 0]) == (0, 2)


# Bounds of Winnow's variants, for every witness


def hard_streams(learner, count, rounds, seed=0, values=(1.0,)):
    """A few rows met again and again; mostly the label that the learner does not say, by a fixed target now and then."""
    rng, n = np.random.default_rng(seed), learner.n
    for _ in range(count):
        pool = rng.choice(values, (4, n)) * (rng.random((4, n)) < 0.6)
        target, honest = rng.random(n) < 0.4, rng.choice([0.0, 0.5, 1.0])
        model, X, y = learner.start(), [], []
        for _ in range(rounds):
            row = pool[rng.integers(4)]
            x = {i: float(v) for i, v in enumerate(row) if v}
            label = bool((row * target).sum() >= 0.75) if rng.random() < honest else not model.predict(x)
            model.observe(x, label)
            X.append(row)
            y.append(label)
        yield np.array(X), np.array(y)


def mistakes_of(learner, X, y):
    run = ls.play(learner, X, y)
    wrong = run.predictions != y
    return run, X[wrong], y[wrong]


def exceeded(run, bound, **facts):
    claim = judge(bound, run.mistakes, {**run.learner.settings, **facts})
    return claim.limit is not None and not claim.holds


def elimination_breaks(learner):
    for X, y in hard_streams(learner, 30, 40):
        run, M, labels = mistakes_of(learner, X, y)
        rounds = [(np.flatnonzero(row), label) for row, label in zip(M, labels, strict=True)]
        for S in subsets(learner.n):
            B, living = winnow_elimination.uncovered(rounds, S.tolist())
            if exceeded(run, winnow_elimination.AGNOSTIC, r=len(S), living=living, B=B):
                return True
    return False


def doubling_breaks(learner):
    n, largest = learner.n, learner.settings["largest"]
    for X, y in hard_streams(learner, 12, 250):
        run, M, labels = mistakes_of(learner, X, y)
        segment, earlier = winnow_doubling.since(n, largest, run.mistakes)
        rows = presence(M)
        for S in subsets(n):
            for k in (1, 2, 3):
                A_all = attribute_errors(rows, labels, S, k)
                A = attribute_errors(rows[earlier:], labels[earlier:], S, k)
                facts = {"k": k, "r": len(S), "segment": segment}
                if exceeded(run, winnow_doubling.AGNOSTIC, A=A, **facts) or exceeded(
                    run, winnow_doubling.AGNOSTIC_OVERALL, A_all=A_all, **facts
                ):
                    return True
    return False


def real_breaks(learner):
    rng = np.random.default_rng(11)
    complement = learner.settings["complement"]
    d, n = learner.n * (2 if complement else 1), learner.n
    grid = [(0,) * d, *(tuple(map(Fraction, rng.choice([0, 0, 0.5, 1, 2], d))) for _ in range(25))]
    for X, y in hard_streams(learner, 8, 60, values=(0.25, 0.5, 1.0)):
        run, M, labels = mistakes_of(learner, X, y)
        rounds = [({i: Fraction(float(v)) for i, v in enumerate(row) if v}, label) for row, label in zip(M, labels, strict=True)]
        for mu in grid:
            weights = {i: v for i, v in enumerate(mu) if v}
            for delta in (learner.settings["delta"], Fraction(1), Fraction(2, 3)):
                A = halfspace_errors(rounds, weights, delta, n if complement else None)
                facts = run.learner.facts(run) | {"V": sum(weights.values(), Fraction(0)), "A": A, "delta": delta}
                if exceeded(run, winnow_real.AGNOSTIC, **facts):
                    return True
    return False


BROKEN = [
    (elimination_breaks, ls.winnow_elimination(n=5), faults.NO_ELIMINATION),
    (elimination_breaks, ls.winnow_elimination(n=5), faults.NO_DOUBLING),
    (doubling_breaks, ls.winnow_doubling(n=3), faults.NO_FALLING),
    (doubling_breaks, ls.winnow_doubling(n=3), faults.NO_RISING),
    (real_breaks, ls.winnow_real(n=3), faults.TURNED),
    (real_breaks, ls.winnow_real(n=3), faults.ONLY_RISING),
    (real_breaks, ls.winnow_real(n=2, alpha="3/2", complement=True), faults.TURNED_COMPLEMENTS),
]


@pytest.mark.parametrize(
    ("breaks", "learner"),
    [
        (elimination_breaks, ls.winnow_elimination(n=5)),
        (elimination_breaks, ls.winnow_elimination(n=5, theta="3/4")),
        (elimination_breaks, ls.winnow_elimination(n=5, theta=5)),
        (doubling_breaks, ls.winnow_doubling(n=3)),
        (doubling_breaks, ls.winnow_doubling(n=4, largest=2)),
        (real_breaks, ls.winnow_real(n=3)),
        (real_breaks, ls.winnow_real(n=2, alpha="3/2", complement=True)),
        (real_breaks, ls.winnow_real(n=3, alpha=2, delta=1)),
    ],
    ids=lambda value: getattr(value, "__name__", repr(value)),
)
def test_the_bounds_hold_for_every_witness(breaks, learner):
    assert not breaks(learner)


@pytest.mark.parametrize(("breaks", "learner", "fault"), BROKEN, ids=lambda value: getattr(value, "__name__", str(value)[:30]))
def test_a_broken_learner_breaks_them(breaks, learner, fault, with_fault):
    assert breaks(with_fault(learner, fault))


def test_elimination_on_every_stream_of_small_cases():
    assert search_agnostic_elimination(3, 12).slack == 0 == search_agnostic_elimination(3, 10, 3).slack
    with pytest.raises(Refuted):
        search_agnostic_elimination(3, 10, bound=lambda r, living, B: winnow_elimination.agnostic(3, r, living, B, Fraction(3, 2)) - 1)
    for broken in ({"promote": 1}, {"eliminate": 1}):
        with pytest.raises(Refuted):
            search_agnostic_elimination(4, 9, **broken)


def test_no_set_is_better_for_elimination():
    """θ > 1, so that each variable has its price."""
    for X, y, _ in tiny(80, seed=6):
        theta, n = Fraction(7, 3), X.shape[1]
        rounds = [(np.flatnonzero(row), bool(label)) for row, label in zip(X, y, strict=True)]

        def price(S, rounds=rounds, theta=theta):
            B, living = winnow_elimination.uncovered(rounds, S.tolist())
            return 2 * (2 * len(S) + B) - living * 4 / theta

        found = elimination_set(X, y, theta=theta)
        assert (found.errors, found.living) == winnow_elimination.uncovered(rounds, found.set.tolist())
        assert found.how == "exact" and found.gap == 0 and price(found.set) == min(map(price, subsets(n)))
        assert elimination_set(X, y, theta=1).living == int((X[~y].sum(axis=0) == 0).sum())


@pytest.mark.parametrize("complement", [False, True])
def test_a_halfspace_is_found_and_beats_a_grid(complement):
    learner = ls.winnow_real(n=3, complement=complement)
    settings, d = learner.settings, 6 if complement else 3
    rng = np.random.default_rng(8)
    for X, y in hard_streams(learner, 5, 80, seed=4, values=(0.5, 1.0)):
        run, M, labels = mistakes_of(learner, X, y)
        rounds = [({i: Fraction(float(v)) for i, v in enumerate(row) if v}, label) for row, label in zip(M, labels, strict=True)]

        def bound(mu, delta, rounds=rounds):
            weights = {i: Fraction(float(v)) for i, v in enumerate(mu) if v}
            A = halfspace_errors(rounds, weights, delta, 3 if complement else None)
            return float(winnow_real.agnostic(d, sum(weights.values(), Fraction(0)), A, delta, settings["alpha"]))

        found = separator(M, labels, alpha=settings["alpha"], delta=settings["delta"], complement=complement)
        mine = bound(found.mu, found.delta)
        assert abs(mine - found.bound) < 1e-6 and run.mistakes <= mine
        assert mine <= min(bound(rng.choice([0, 0, 0.5, 1, 2], d), settings["delta"]) for _ in range(100)) + 1e-9
        assert mine <= bound(np.zeros(d), Fraction(1)) + 1e-9
