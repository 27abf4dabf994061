"""Apple tasting: a label is seen only where 1 was predicted, and what the theorem says in expectation is so over many coins."""

import numpy as np
import pytest

import littlestone as ls


def stream(rows=300):
    draw = np.random.default_rng(4)
    X = (draw.random((rows, 6)) < 0.4).astype(float)
    return X, X[:, 0] + X[:, 1] > 0


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_are_not_seen_do_not_matter(seed):
    X, y = stream()
    learner = ls.apple_tasting(bias=1, taste="1/4", seed=seed)
    run = ls.play(learner, X, y)
    assert 0 < (~run.predictions).sum() < len(X)
    assert np.array_equal(ls.play(learner, X, y & run.predictions).predictions, run.predictions)  # what was left was bad, all of it
    assert np.array_equal(ls.play(learner, X, y | ~run.predictions).predictions, run.predictions)  # or good
    assert not np.array_equal(ls.play(learner, X, y ^ run.predictions).predictions, run.predictions)


@pytest.mark.parametrize("taste", [0.1, 0.5])
def test_what_is_missed_is_to_what_is_gained_as_the_coin_says(taste):
    """E[missed] = ((1-p)/p)·E[gained] and E[idle] ≤ pT, over coins; so E[M] is at most R²/(γ²p) + pT."""
    X, y = stream(200)
    sums = np.array([ls.play(ls.apple_tasting(bias=1, taste=taste, seed=seed), X, y).state.sums for seed in range(150)])
    gained, lost, idle, missed = sums[:, :4].mean(axis=0)
    gap = missed - (1 - taste) / taste * gained
    error = (sums[:, 3] - (1 - taste) / taste * sums[:, 0]).std() / np.sqrt(len(sums))
    assert abs(gap) < 4 * error and idle <= taste * len(X)
    u = np.array([1, 1, 0, 0, 0, 0, -0.5])  # margin 1/2 at length 1.5
    squares = (X**2).sum(axis=1).max() + 1
    assert lost + idle + missed <= squares * (u @ u) / 0.25 / taste + taste * len(X)
    always = ls.play(ls.apple_tasting(bias=1, taste=1), X, y)
    assert always.predictions.all() and always.false_negatives == 0
