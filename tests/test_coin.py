"""Coin betting against its formula, and where the contract's short rows do not reach."""

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.reference.replay import Book


def rows_of(X, y):
    return [({int(i): float(row[i]) for i in row.nonzero()[0]}, bool(label)) for row, label in zip(X, y, strict=True)]


def drawn(seed, rounds=120, n=6):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((rounds, n)) * 10.0 ** rng.integers(-3, 4, n) * (rng.random((rounds, n)) < 0.6)).astype(np.float32)
    return (
        X,
        X[:, 0] + 0.3 * rng.standard_normal(rounds) * np.abs(X[:, 0]).max() > 0,
        rng.choice([0, 1, 1, 0.25, 3], rounds).astype(np.float32),
    )


def test_the_score_is_the_formula():
    X, y, weights = drawn(1)
    run = ls.play(ls.coin(wealth=3, bias=2), X, y, sample_weight=weights, scores=True)
    rows = np.column_stack([X.astype(float), np.full(len(X), 2.0)])
    s, L, Z, G, won = np.zeros((5, rows.shape[1]))
    lengths = []
    for x, label, weight, score in zip(rows, y, weights.astype(float), run.scores, strict=True):
        on = x != 0

        def bets(scale, peak, Z=Z, G=G, won=won):
            c = scale * peak
            return np.where(c > 0, (3 + won) * Z / np.where(c > 0, c * (c + G), 1), 0)

        grown = np.maximum(s, np.abs(x))
        length = ((x[on] / grown[on]) ** 2).sum()
        assert score == pytest.approx(bets(grown, L) @ x / np.mean([*lengths, length]), abs=1e-9)
        if weight == 0:
            continue
        lengths.append(length)
        g = weight * (1 / (1 + np.exp(-score)) - label)
        s, L = grown, np.where(on, np.maximum(L, max(1, abs(g))), L)
        w = bets(s, L)
        won, Z, G = won - g * x * w, Z - g * x, G + abs(g * x)


def test_the_reference_agrees_with_weights_and_on_the_loss():
    X, y, weights = drawn(2, 300)
    run, book = ls.play(ls.coin(bias="1/2"), X, y, sample_weight=weights, check_invariants=True), Book()
    twin = reference.coin(rows_of(X, y), wealth=4, bias=0.5, weights=weights.tolist(), book=book)
    assert run.predictions.tolist() == list(twin)
    assert book.facts["loss"] == run.learner.facts(run)["loss"] and run.bounds()[0].holds


def test_a_coin_that_always_loses_is_not_ruined():
    """Values double, and the label is always the other one: each round costs the coin a share of all it owns."""
    model = ls.coin().start()
    for k in range(-140, 125):
        x = {0: 2.0**k}
        model.update(x, not model.predict(x), 2.0**60)
    owned = model.state.V[0]
    assert 0 < owned < 1e-15 and np.isfinite(model.state.w).all()


def test_rounds_without_a_label_leave_no_trace():
    X, y, _ = drawn(3)
    labels = [bool(label) if t % 3 else None for t, label in enumerate(y)]
    X[::3] *= 1000
    told = [t for t in range(len(y)) if t % 3]
    whole, part = ls.play(ls.coin(bias=1), X, labels), ls.play(ls.coin(bias=1), X[told], y[told])
    assert all(np.array_equal(a, b) for a, b in zip(whole.state, part.state, strict=True))
