"""Bounds by hand: values worked out on paper, claims of the notes that are false with what breaks them, and the notes' own examples."""

from fractions import Fraction
from math import ceil, log, log2

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.theory import balanced_winnow, perceptron, winnow, winnow_elimination
from littlestone.theory.numbers import ceil_log


def e(i, n):
    return {i: 1} if i < n else {}


def test_promotions_may_exceed_r_log2_n():
    """n = 3, r = 1, x = e_1 twice: two promotions, where r·log2 n = 1.58."""
    run = ls.play(ls.winnow(n=3), np.array([[1, 0, 0], [1, 0, 0]]), [1, 1])
    assert run.false_negatives == 2 > log2(3)
    assert run.false_negatives <= winnow.promotions_of_one_weight(2, 3)


def test_the_natural_logarithm_is_too_small():
    """3r(1 + ln n) is false: the search finds 12 mistakes at n = 17, r = 1. The bound printed allows them."""
    assert 3 * (1 + log(17)) < 12 and winnow.disjunction(17, 1) >= 12


@pytest.mark.parametrize(("n", "r", "limit"), [(100, 2, 38), (3, 1, 5), (8, 3, 22), (9, 3, 27), (10, 2, 19), (1, 0, 1), (1, 1, 0)])
def test_winnow_on_disjunctions(n, r, limit):
    assert winnow.disjunction(n, r) == limit


def test_winnow_refined_is_never_above_the_textbook():
    for n in range(2, 200):
        for r in range(1, min(n, 12)):
            assert winnow.disjunction(n, r) <= 3 * r * ceil(log2(n)) + 1
            assert winnow.disjunction(n, r) < 3 * r * log2(n) + 2
            assert winnow_elimination.disjunction(n, r) <= 2 * r * log2(n) + 2


@pytest.mark.parametrize(("n", "r", "limit"), [(3, 1, 2), (4, 2, 3), (5, 2, 6), (6, 2, 7), (4, 0, 2), (5, 0, 1), (2, 1, 1), (2, 2, 0)])
def test_elimination_on_disjunctions(n, r, limit):
    assert winnow_elimination.disjunction(n, r) == limit


def test_k_of_r_totals_and_their_range():
    assert winnow.k_of_r(6, 2, 3, Fraction(3, 2)) == 92
    assert winnow.k_of_r(5, 1, 2, 2) >= winnow.disjunction(5, 2)
    with pytest.raises(ls.LittlestoneError, match=r"\(k-1\)\(α-1\) < 1"):
        winnow.k_of_r(6, 2, 3, 2)
    with pytest.raises(ls.LittlestoneError, match="δ"):
        winnow.separable(6, 3, Fraction(1, 4), 2)


def test_winnow_presets_and_their_clashes():
    assert ls.winnow(n=8, k=3).settings["alpha"] == Fraction(5, 4) and ls.winnow(n=8, k=3, choice="k").settings["alpha"] == Fraction(7, 6)
    assert ls.winnow(n=8, k=1).settings["alpha"] == 2 == ls.winnow(n=8, preset="disjunctions").settings["alpha"]
    assert ls.winnow(k=3).sized(8).settings == ls.winnow(n=8, k=3).settings
    assert ls.winnow(n=8, k=3, alpha="11/10").settings["alpha"] == Fraction(11, 10)  # smaller than asked for still learns k of r
    run = ls.play(ls.winnow(n=8, k=3), np.array([[1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 1, 1, 1, 1]]), [1, 0])
    assert run.bounds("k_of_r:k=3,r=4")[0].limit == 229
    for settings in (
        {"k": 3, "alpha": 2},
        {"k": 0},
        {"k": 2, "choice": "r"},
        {"preset": "disjunctions", "alpha": 3},
        {"preset": "disjunctions", "k": 2},
        {"preset": "disjunctions", "theta": 4},
        {"preset": "halfspaces"},
        {"alpha": 1},
    ):
        with pytest.raises(ls.LittlestoneError, match="|".join(settings)):
            ls.winnow(n=8, **settings)


def test_logarithms_are_exact():
    assert ceil_log(2, 2**49 + 1) == 50 and ceil_log(2, 2**49) == 49
    assert ceil_log(Fraction(11, 10), Fraction(11, 10) ** 400) == 400
    assert ceil_log(Fraction(11, 10), Fraction(11, 10) ** 400 + Fraction(1, 10**60)) == 401
    for n in range(1, 300):
        assert ceil_log(2, n) == (n - 1).bit_length()


def test_perceptron_bounds():
    assert perceptron.margin(50, 1) == 50  # x in [0,1]^50, margin 1
    assert perceptron.disjunction(100, 2, 1) == 101 * 9  # (n+1)(4r+1)
    rho2 = Fraction(35, 10)  # near √(n/4k) = 3.54 for n = 100, k = 2
    assert perceptron.disjunction(100, 2, rho2) < (2 * (100 * 2) ** 0.5 + 1) ** 2 + 0.1
    assert int(perceptron.hinge(9, 0)) == 9
    for K, L in ((1, 6), (4, 3), (Fraction(7, 3), Fraction(11, 5))):
        M = perceptron.hinge(K, L)
        assert float(M) <= float(K) + 2 * float(L) + 1e-9  # never above Theorem 5.11
        assert abs(float(M) - float(L) - (float(K) * float(M)) ** 0.5) < 1e-9  # solves M = L + √(KM)


def test_balanced_winnow_at_its_best_rate():
    n, gamma = 1000, Fraction(1, 10)
    eta = Fraction(gamma)  # η = γ/(UX²), close to artanh
    assert float(balanced_winnow.margin(n, eta, 1, gamma)) <= 2 * 100 * log(2 * n) + 1
    with pytest.raises(ls.LittlestoneError, match="too large"):
        balanced_winnow.margin(n, 5, 1, gamma)


def test_the_disjunctions_of_the_notes():
    """y = x1 ∨ x4 over five variables, and S = {x2, x4}."""
    table = [((1, 0, 1, 0, 0), 1), ((0, 1, 1, 0, 0), 0), ((0, 1, 1, 1, 0), 1), ((0, 0, 0, 0, 0), 0)]
    for x, y in table:
        assert max(x[0], x[3]) == y
    for x, y in (((1, 0, 1, 0, 0), 0), ((1, 1, 0, 0, 0), 1), ((0, 0, 0, 1, 1), 1)):
        assert max(x[1], x[3]) == y
    stream = table * 12
    for learner in (ls.winnow(n=5), ls.winnow_elimination(n=5), ls.perceptron(bias=1), ls.disjunctions(n=5), ls.winnow_doubling(n=5)):
        run = ls.play(learner, np.array([x for x, _ in stream]), [y for _, y in stream], check_invariants=True)
        claim = run.bounds("disjunction:r=2")[0]
        assert claim.holds and run.predictions[-4:].tolist() == [bool(y) for _, y in table]


def test_the_second_disjunction_of_the_notes():
    """S = {x2, x4}: 10100 is 0, 11000 and 00011 are 1. Elimination strikes out x1 and x3 at once, and errs no more."""
    X, y = np.array([[1, 0, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]]), [0, 1, 1]
    run = ls.play(ls.disjunctions(), X, y, check_invariants=True, witness={1, 3})
    assert run.predictions.tolist() == [True, True, True] and run.state.gone.tolist() == [1, 0, 1, 0, 0]
    assert run.bounds("disjunction:r=2")[0].limit == 3
    assert ls.play(ls.memorizer(), np.tile(X, (3, 1)), y * 3).mistakes == 2  # the instances with label 1, once each


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_the_worst_stream_for_conjunctions(n):
    """1^n, then 1^n with bit i cleared, all with label 1: every round a mistake, n + 1 of them."""
    X = np.ones((n + 1, n)) - np.vstack([np.zeros(n), np.eye(n)])
    run = ls.play(ls.conjunctions(), X, [1] * (n + 1), check_invariants=True, witness={})
    assert run.mistakes == n + 1 == run.bounds("conjunction")[0].limit and run.predictions.sum() == 0
    target = {0: 1, n - 1: 1} if n > 1 else {0: 1}  # for x_0 ∧ x_{n-1} two of the cleared rows are 0s
    labels = X[:, list(target)].all(axis=1)
    run = ls.play(ls.conjunctions(), X, labels, check_invariants=True, witness=target)
    assert run.mistakes == n + 1 - len(target) == run.bounds(f"conjunction:size={len(target)}")[0].limit


def test_invariants_of_conjunctions_speak_of_literals():
    X, y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]]), [1, 1, 0]
    assert ls.play(ls.conjunctions(), X, y, check_invariants=True, witness={0: 1, 2: -1}).invariants_checked == 4
    assert ls.play(ls.conjunctions(), X, y).state.seen.tolist() == [2, 1, 0]  # x_0 and ¬x_2 live


def test_a_bound_is_void_when_the_stream_contradicts_its_assumption():
    X, y = np.array([[1, 0]] * 40), [0, 1] * 20
    run = ls.play(ls.perceptron(bias=0), X, y)
    claim = run.bounds("margin:gamma=1")[0]
    assert claim.holds is None and claim.limit is None and "assumption is false" in claim.reason
    declared = ls.play(ls.perceptron(bias=0), 10 * X, y).bounds("margin:gamma=1/100,R=2")[0]
    assert declared.holds is None and "|x| = 10, more than the declared R=2" in declared.reason


def test_invariants_catch_a_state_that_no_run_reaches(monkeypatch):
    learner = ls.winnow(n=4)
    real = type(learner).step

    def tampered(self, state, *row):
        after = real(self, state, *row)
        after[0].e[0] += 5
        return after

    monkeypatch.setattr(type(learner), "step", tampered)
    with pytest.raises(ls.LittlestoneError, match="round 1: winnow breaks its invariant 'total weight'"):
        ls.play(learner, np.eye(4), [1, 0, 0, 0], check_invariants=True)


def noisy(rounds, n, seed=3):
    """Boolean rows labelled by x_0 ∨ x_1, a third of the labels flipped; the upper half of the features go with the 0s and sink."""
    rng = np.random.default_rng(seed)
    active = rng.random((rounds, n)) < 0.3
    y = (active[:, 0] | active[:, 1]) ^ (rng.random(rounds) < 0.33)
    active[:, n // 2 :] = rng.random((rounds, n - n // 2)) < np.where(y, 0.05, 0.5)[:, None]
    return active, y


def test_winnow_is_exact_on_many_noisy_rounds():
    """Predictions of the compiled pass against integer arithmetic, n = 16, α = 2: weights from 2^4 down to what no double holds."""
    active, y = noisy(300_000, 16)
    run = ls.play(ls.winnow(n=16), active, y)
    exponents = [0] * 16
    rows = [np.flatnonzero(row).tolist() for row in active]
    wrong = 0
    for row, truth, predicted in zip(rows, y.tolist(), run.predictions.tolist(), strict=True):
        low = min((exponents[i] for i in row), default=0)
        shift = max(0, -low)
        exact = sum(1 << (exponents[i] + shift) for i in row) >= 16 << shift
        wrong += exact != predicted
        if exact != truth:
            step = 1 if truth else -1
            for i in row:
                exponents[i] += step
    assert wrong == 0
    assert run.state.e.tolist() == exponents
    assert run.state.e.min() < -1100  # a weight no double can hold


@pytest.mark.parametrize("alpha", ["3/2", "11/10", 3])
def test_winnow_is_exact_for_other_factors(alpha):
    active, y = noisy(4_000, 8, seed=9)
    run = ls.play(ls.winnow(n=8, alpha=alpha), active, y)
    rounds = [(dict.fromkeys(np.flatnonzero(row).tolist(), 1), bool(truth)) for row, truth in zip(active, y, strict=True)]
    assert run.predictions.tolist() == list(reference.winnow(rounds, n=8, alpha=Fraction(alpha)))


def test_the_filter_is_needed():
    """The example of weights 2^5, ..., 2^-57 that sum to 64 - 2^-57, which a double rounds to 64."""
    learner = ls.winnow(n=64)
    state = learner.first_state(64)
    state.e[:63] = np.arange(5, -58, -1)
    row = np.arange(63, dtype=np.uint32)
    assert float(np.sum(2.0 ** state.e[:63].astype(float))) == 64.0
    assert learner.predict(state, row, None) is False
    state.e[63] = -57
    assert learner.predict(state, np.arange(64, dtype=np.uint32), None) is True


def test_facts_of_a_perceptron_run():
    """R² counts the bias feature, the slack is there exactly when the run was in doubles."""
    X, y = np.array([[3, 4], [0, 1], [3, 4]]), [0, 1, 0]
    facts = ls.perceptron(bias=2).facts(ls.play(ls.perceptron(bias=2), X, y))
    assert facts["R2"] == 25 + 4 and facts["rho2"] == 4 and facts["slack"] == 1
    for learner, data in ((ls.perceptron(bias=0), X + 0.3), (ls.perceptron(bias="1/2"), X), (ls.perceptron(bias=0), X * 2**26)):
        run = ls.play(learner, data, y)
        assert run.arithmetic == "float" and learner.facts(run)["slack"] > 1
    assert ls.play(ls.perceptron(bias=0), X, y).arithmetic == "exact"


def test_balanced_winnow_survives_values_of_any_size():
    X = np.array([[1e20, 1.0], [1.0, 1e20], [3e38, 0.0], [1e-38, 1.0]])
    for margin in (0, "1/10"):
        run = ls.play(ls.balanced_winnow(margin=margin), np.tile(X, (5, 1)), [1, 0, 0, 1] * 5)
        assert np.isfinite(run.state.s).all() and all(claim.holds for claim in run.bounds())


def test_a_narrow_success_is_judged_by_the_row_alone():
    """Weights that came and went leave nothing behind."""
    X = [[0, 55.0, 0], [60.0, 0, 0], [60.0, 0, 0], [0, 55.0, 0]] + [[0, 0, 1.0]] * 20
    run = ls.play(ls.balanced_winnow(eta=1, margin="1/10"), np.array(X), [0, 0, 1, 1] + [1] * 20)
    assert run.state.c[2] == 1.0


@pytest.mark.parametrize(("alpha", "theta"), [("1.0001", None), ("1.001", "1/1000000000"), (1000, None), ("1e20", "7.3"), (2, 2**53 - 1)])
def test_winnow_takes_extreme_factors_and_thresholds(alpha, theta):
    active, y = noisy(300, 8, seed=2)
    learner = ls.winnow(n=8, alpha=alpha, theta=theta)
    run = ls.play(learner, active, y)
    rounds = [(dict.fromkeys(np.flatnonzero(row).tolist(), 1), bool(truth)) for row, truth in zip(active, y, strict=True)]
    assert run.predictions.tolist() == list(learner.twin(rounds))
    assert all(claim.holds for claim in run.bounds())


def test_parameters_outside_a_theorem_are_refused_not_evaluated():
    run = ls.play(ls.perceptron(bias=1), np.array([[0.01], [0.0]] * 30), [1, 0] * 30)
    assert run.bounds("disjunction:r=1")[0].limit is None  # its margin needs 0/1 features
    whole = ls.play(ls.perceptron(bias=1), np.array([[1], [0]] * 30), [1, 0] * 30)
    assert whole.bounds("disjunction:r=1")[0].limit == 10  # (1+1)(4+1)
    for text in ("margin:gamma=-1", "margin:gamma=0"):
        assert "must be positive" in ls.play(ls.perceptron(bias=0), np.eye(2), [1, 0]).bounds(text)[0].reason
    winnow_run = ls.play(ls.winnow(n=4), np.eye(4), [1, 0, 0, 0])
    for text in ("separable:U=1,delta=2", "separable:U=-3,delta=1", "k_of_r:k=0,r=1"):
        assert winnow_run.bounds(text)[0].limit is None


def test_a_resumed_run_makes_no_claim_about_rounds_it_did_not_see():
    from littlestone.protocol import Runner

    first = Runner(ls.perceptron(bias=0))
    first.take(ls.Block.of([{0: 1000.0}] * 2, [0, 1]))
    second = Runner(ls.perceptron(bias=0), state=first.run().state)
    second.take(ls.Block.of([{0: 1.0}] * 5, [1] * 5))
    with pytest.raises(ls.LittlestoneError, match="its bounds need those rounds too"):
        second.run().bounds()


def drawn(rounds=120, n=8, seed=5, whole=False):
    """Real rows, a third of the labels of a halfspace flipped."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)) if whole else rng.normal(size=(rounds, n)).astype(np.float32)
    return X, (X @ rng.normal(size=n) > 0) ^ (rng.random(rounds) < 0.33)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_averaged_perceptron_keeps_the_mean_of_what_each_round_met(weighted):
    X, y = drawn(whole=True)
    labels = [None if t % 7 == 3 else bool(label) for t, label in enumerate(y)]
    c = np.arange(len(y)) % 4 if weighted else np.ones(len(y), int)
    run = ls.play(ls.perceptron(bias=1, averaged=True), X, labels, sample_weight=c)
    w, together, clock = [Fraction(0)] * 9, [Fraction(0)] * 9, 0
    for x, label, weight in zip(X.tolist(), labels, c.tolist(), strict=True):
        if label is not None:
            together = [a + weight * b for a, b in zip(together, w, strict=True)]
            clock += weight
            if (sum(a * b for a, b in zip([*x, 1], w, strict=True)) >= 0) != label:
                w = [a + (weight if label else -weight) * b for a, b in zip(w, [*x, 1], strict=True)]
    kept = run.hypothesis
    assert np.allclose([*kept.state.w, kept.state.b[0]], [float(a / clock) for a in together], rtol=1e-12)
    plain = ls.play(ls.perceptron(bias=1), X, labels, sample_weight=c)
    assert plain.predictions.tolist() == run.predictions.tolist() and kept.learner.final is None
    assert ls.perceptron(averaged=True, bias=0).start().predict({0: 1}) is True


def test_the_preset_for_disjunctions():
    learner = ls.perceptron(n=100, preset="disjunction", k=2)
    assert learner.settings["bias"] == Fraction(15, 8)
    rng = np.random.default_rng(1)
    X = rng.random((4000, 100)) < 0.02
    run = ls.play(learner, X, X[:, 3] | X[:, 5])
    said = run.bounds("disjunction:r=2")
    assert [claim.name for claim in said] == ["perceptron-disjunction", "perceptron-hinge"] and all(claim.holds for claim in said)
    for settings, match in (({"preset": "disjunction"}, "needs n and k"), ({"k": 2}, "goes with"), ({"preset": "x"}, "must be 'disj")):
        with pytest.raises(ls.LittlestoneError, match=match):
            ls.perceptron(**settings)


@pytest.mark.parametrize(("variant", "power"), [("I", 1), ("II", 2)])
def test_no_comparator_beats_the_dual_value(variant, power):
    """2Στ - |w|² (- Στ²/(2C)) ≤ |u|² + 2CΣhinge^power over the updates, for every u; and the bound is at least the mistakes."""
    X, y = drawn(seed=8)
    for C in (Fraction(1, 20), 1, 5):
        learner = ls.passive_aggressive(C=C, variant=variant)
        run = ls.play(learner, X, y)
        facts = learner.facts(run)
        rng = np.random.default_rng(2)
        for scale in (0, 0.1, 0.5, 2):
            u = rng.normal(size=8) * scale if scale < 2 else run.state.w
            L = (np.maximum(0, 1 - np.where(y, 1, -1) * (X @ u)) ** power).sum()
            assert facts["dual_value"] <= Fraction(float(u @ u)) + 2 * C * Fraction(float(L))
        assert all(said.holds for said in run.bounds())


@pytest.mark.parametrize(
    ("make", "settings", "match"),
    [
        ("passive_aggressive", {"C": 0}, "C=0"),
        ("passive_aggressive", {"variant": "III"}, "variant='III'"),
        ("passive_aggressive", {"C": None, "variant": "II"}, "without C"),
        ("alma", {"alpha": 2}, "alpha=2"),
        ("arow", {"r": 0}, "r=0"),
        ("adaptive", {"eta": -1}, "eta=-1"),
        ("naive_bayes", {"alpha": 0}, "alpha=0"),
        ("coin", {"wealth": 0}, "wealth=0"),
        ("pnorm", {"p": 1.5}, "p=1.5"),
        ("pnorm", {"p": 1}, "p=1"),
        ("perceptron", {"margin": -1}, "margin=-1"),
        ("arow", {"bias": -1}, "bias=-1"),
    ],
)
def test_bad_settings_are_refused_by_name(make, settings, match):
    with pytest.raises(ls.LittlestoneError, match=match):
        getattr(ls, make)(**settings)


@pytest.mark.parametrize("make", [ls.pnorm, ls.passive_aggressive, ls.alma, ls.arow, ls.adaptive, ls.naive_bayes, ls.coin, ls.perceptron])
def test_values_of_any_size_leave_finite_weights_and_true_bounds(make):
    X = np.array([[1e20, 1.0, 0], [1.0, 1e20, 0], [3e38, 0.0, 0], [1e-38, 1.0, 0], [0, 0, 1e-44], [0, 0, 0]])
    settings = {"p": 30} if make is ls.pnorm else {}
    run = ls.play(make(**settings), np.tile(X, (10, 1)), [1, 0, 0, 1, 0, 0] * 10)
    assert all(np.isfinite(array).all() for array in run.state) and all(claim.holds for claim in run.bounds())


def test_a_pnorm_for_every_n():
    assert ls.play(ls.pnorm(), np.eye(100), [1, 0] * 50).learner.settings["p"] == 10
    assert ls.pnorm(n=47_000).settings["p"] == 22 and ls.pnorm(n=1).settings["p"] == 2
