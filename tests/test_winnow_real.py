"""Winnow over [0,1]: long noisy streams, both ways of numbering features, and what the bound says of halfspaces with negative weights."""

from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.theory import winnow, winnow_real


def noisy(rounds, n, first=0, seed=5):
    """Rows with a few values in [0,1], labels half noise, in long spells of one label, so that weights go far both ways."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for t in range(rounds):
        keys = rng.permutation(n)[: rng.integers(0, n)] + first
        rows.append({int(i): float(v) for i, v in zip(keys, rng.choice([0.125, 0.5, 1.0], len(keys)), strict=True)})
        labels.append(bool((t // 150) % 2) if rng.random() < 0.7 else bool(rng.random() < 0.5))
    return rows, labels


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("alpha", ["9/8", 3, 1024])
def test_long_noisy_streams_are_those_of_the_reference(alpha, first, complement):
    rows, labels = noisy(1500, 5, first)
    learner = ls.winnow_real(n=5, alpha=alpha, complement=complement)
    block = ls.Block.of(rows, labels)
    whole, cut = ls.play(learner, block), ls.play(learner, block, block_rows=7)
    assert whole.predictions.tolist() == list(learner.twin(zip(rows, labels, strict=True)))
    assert all(np.array_equal(a, b) and np.isfinite(a).all() for a, b in zip(whole.state, cut.state, strict=True))
    assert all(claim.holds for claim in whole.bounds())


def test_weights_leap_and_nothing_overflows():
    """A missed 1 of ones pays for many false 1s of values just large enough, so c sinks for ever, and h leaps after it."""
    learner = ls.winnow_real(n=2, alpha=50, complement=True)
    model, rows, labels = learner.start(), [], []
    for _ in range(400):
        weight = float(np.ones(2) @ model.state.w) if rows else 2.0
        value = 1.05 * 4 / weight
        rows.append({0: 1.0, 1: 1.0} if value > 1 else {0: float(np.float32(value)), 1: float(np.float32(value))})
        labels.append(value > 1)
        model.observe(rows[-1], labels[-1])
    run = ls.play(learner, ls.Block.of(rows, labels))
    assert run.predictions.tolist() == list(learner.twin(zip(rows, labels, strict=True)))
    assert run.state.z[0] < -100 and run.state.z[1] < 0 and np.isfinite(run.state.tree).all() and all(claim.holds for claim in run.bounds())
    assert all(np.array_equal(a, b) for a, b in zip(model.state, run.state, strict=True))


def test_a_file_may_number_its_features_as_it_likes(tmp_path):
    """n is then the number of distinct features, and indices go far beyond it."""
    path = tmp_path / "far.libsvm"
    path.write_text("".join(f"{t % 2} 7:{0.5 if t % 2 else 1} 900:0.25 {100000 + t % 3}:1\n" for t in range(60)))
    run = ls.play(ls.winnow_real(complement=True, alpha=2), ls.open_stream(path))
    assert run.learner.n == 5 and run.rounds == 60 and all(claim.holds for claim in run.bounds())
    assert run.state.z[3] <= 5


def test_complemented_features_are_what_they_say():
    """The learner on x with complement=True predicts as the one on the 2n features (x, 1-x) does, rounding aside."""
    rng = np.random.default_rng(8)
    X = rng.choice([0.0, 0.25, 0.5, 1.0], (400, 4))
    y = X @ [2, -1, 0, 1] >= 1
    one = ls.play(ls.winnow_real(n=4, delta="1/3", complement=True), X, y)
    two = ls.play(ls.winnow_real(n=8, delta="1/3"), np.hstack([X, 1 - X]), y)
    assert one.predictions.tolist() == two.predictions.tolist()
    U, delta = winnow_real.complemented([2, -1, 0, 1], 1, Fraction(1, 4))
    assert (U, delta) == (2, Fraction(1, 8))
    made = ls.play(ls.winnow_real(n=4, delta=delta, complement=True), X, y)
    claim = made.bounds(f"separable:U={U},delta={delta}")[0]
    assert claim.holds and claim.observed < claim.limit


def test_its_exact_twin_on_boolean_rows_is_winnow():
    rng = np.random.default_rng(2)
    X, y = rng.random((300, 6)) < 0.4, rng.random(300) < 0.5
    rounds = [(dict.fromkeys(np.flatnonzero(row).tolist(), 1), bool(truth)) for row, truth in zip(X, y, strict=True)]
    run = ls.play(ls.winnow_real(n=6, alpha="7/5"), X.astype(float), y)
    assert run.predictions.tolist() == list(reference.winnow(rounds, n=6, alpha=Fraction(7, 5)))


def test_the_bound_by_hand():
    assert int(winnow_real.separable(100, 4, Fraction(1, 2), Fraction(5, 4))) == 588
    assert winnow_real.separable(100, 0, 1, 2) == 1  # no 1 can occur; α/(α-1) = 2, and W > 0
    for U in (1, 2, 5, 40):
        for delta in (Fraction(1, 8), Fraction(1, 2), Fraction(1)):
            alpha = 1 + delta / 2
            bound = winnow_real.separable(50, U, delta, alpha)
            assert bound <= winnow_real.separable(50, U + 1, delta, alpha) and bound <= winnow_real.separable(
                50, U, delta, alpha, Fraction(1, 1000)
            )
            assert bound <= 2 * winnow.separable(50, U, delta, alpha)  # no worse than the boolean one by much
    with pytest.raises(ls.LittlestoneError, match="< 1"):
        winnow_real.separable(10, 2, Fraction(1, 4), 2)
    for settings, name in (({"delta": 0}, "delta"), ({"delta": 2}, "delta"), ({"alpha": 1}, "alpha"), ({"alpha": 2**40}, "alpha")):
        with pytest.raises(ls.LittlestoneError, match=name):
            ls.winnow_real(n=4, **settings)
