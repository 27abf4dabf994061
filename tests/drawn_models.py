"""Streams to make models of, and when two models are the same."""

import numpy as np

from littlestone.ledger.compare import alike


def drawn(rounds=300, n=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)).astype(np.float32) * (rng.random((rounds, n)) < 0.4)
    y = (X @ rng.standard_normal(n) + rng.standard_normal(rounds) > 0).astype(float)
    y[rng.random(rounds) < 0.05] = np.nan
    return X, y


def same(one, two):
    counts = [(m.rounds, m.mistakes, m.unlabelled, m.features, m.named, m.counted) for m in (one, two)]
    assert counts[0] == counts[1]
    assert alike(one.learner, one.state, two.state)
    assert (one.ledger is None) == (two.ledger is None)
    assert one.ledger is None or one.ledger.same(two.ledger)
    return True
