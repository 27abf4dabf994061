"""Naive Bayes against its formula, and where the contract's short rows do not reach."""

import numpy as np
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.reference.replay import Book


def rows_of(X, y):
    return [({int(i): float(row[i]) for i in row.nonzero()[0]}, bool(label)) for row, label in zip(X, y, strict=True)]


def test_the_score_is_the_formula():
    rng = np.random.default_rng(1)
    X = (rng.integers(-2, 4, (80, 6)) * (rng.random((80, 6)) < 0.5)).astype(np.float32)
    y, weights, alpha = rng.random(80) < 0.4, rng.choice([0, 1, 0.5, 3], 80), 0.3
    run = ls.play(ls.naive_bayes(alpha=alpha), X, y, sample_weight=weights, scores=True)
    signed = np.hstack([np.maximum(X, 0), np.maximum(-X, 0)]).astype(float)
    for t in range(80):
        c1, c0 = ((weights[:t] * (y[:t] == label)) @ signed[:t] for label in (True, False))
        n1, n0 = (weights[:t][y[:t] == label].sum() for label in (True, False))
        met = c1 + c0 > 0
        more = alpha * (met.sum() + 1)
        each = np.log((c1 + alpha) / (c0 + alpha)) + np.log((c0.sum() + more) / (c1.sum() + more))
        assert run.scores[t] == pytest.approx(np.log((n1 + 1) / (n0 + 1)) + signed[t][met] @ each[met], abs=1e-9)


def test_the_reference_agrees_on_rows_whose_odds_no_double_holds():
    rng = np.random.default_rng(2)
    y = rng.random(60) < 0.5
    X = (rng.random((60, 400)) < 0.5) * np.hstack([np.tile(y[:, None], 200), np.tile(~y[:, None], 200)])
    run = ls.play(ls.naive_bayes(alpha="1/1000000"), X.astype(np.float32), y, scores=True)
    assert np.isfinite(run.scores).all() and np.abs(run.scores).max() > 1000
    assert run.predictions.tolist() == list(reference.naive_bayes(rows_of(X, y), alpha=1e-6))


def test_the_reference_agrees_with_weights_and_on_the_loss():
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((200, 8)) * (rng.random((200, 8)) < 0.6)).astype(np.float32)
    y, weights = X[:, 0] + rng.standard_normal(200) > 0, rng.choice([1, 1, 0, 0.25, 3], 200).astype(np.float32)
    run, book = ls.play(ls.naive_bayes(), X, y, sample_weight=weights), Book()
    assert run.predictions.tolist() == list(reference.naive_bayes(rows_of(X, y), alpha=0.1, weights=weights.tolist(), book=book))
    assert book.facts["loss"] == run.learner.facts(run)["loss"] and run.bounds()[0].holds
