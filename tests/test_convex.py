"""The best convex combination in hindsight: each answer carries its proof, the floor that no combination undercuts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.errors import LittlestoneError
from littlestone.witnesses import convex
from littlestone.witnesses.convex import best_convex

LOSSES = [("squared", None), ("absolute", None), ("pinball", 0.9), ("pinball", 0.25)]


def total(x, y, w, loss, quantile):
    d = x @ w - y
    if loss == "squared":
        return float((d * d).sum())
    return float(np.abs(d).sum() if loss == "absolute" else np.maximum(-quantile * d, (1 - quantile) * d).sum())


def worst(x, y, loss, quantile):
    return max(total(x, y, w, loss, quantile) for w in np.eye(x.shape[1]))


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_loss_and_floor_meet(loss, quantile, data):
    """Few different numbers, so that experts coincide, lie in a plane, are right, or have the truth between them."""
    rounds, n = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 6))
    cells = st.integers(-3, 3) if data.draw(st.booleans()) else st.floats(-1e6, 1e6, width=32)
    x = np.array(data.draw(st.lists(st.lists(cells, min_size=n, max_size=n), min_size=rounds, max_size=rounds)), float)
    y = np.array(data.draw(st.lists(cells, min_size=rounds, max_size=rounds)), float)
    found = best_convex(x, y, loss, quantile)
    assert found.weights is not None, found.reason
    assert (found.weights >= 0).all() and found.weights.sum() == pytest.approx(1, abs=1e-12)
    slack = (1e-12 if loss == "squared" else 2e-9) * worst(x, y, loss, quantile)
    assert found.loss == pytest.approx(total(x, y, found.weights, loss, quantile), rel=1e-9, abs=slack)
    assert found.floor <= found.loss <= found.floor * (1 + 2e-6) + slack
    others = np.random.default_rng(0).dirichlet(np.full(n, 0.5), 20)
    assert all(total(x, y, w, loss, quantile) >= found.floor * (1 - 1e-9) - slack for w in (*others, *np.eye(n)))


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_many_experts_alike(loss, quantile):
    """Forecasts that err together, as those of one trade do."""
    rng = np.random.default_rng(1)
    y = rng.normal(50_000, 8_000, 300)
    x = y[:, None] + rng.normal(0, 900, (300, 1)) + rng.normal(0, 1, (300, 60)) * rng.uniform(1, 2_000, 60)
    found = best_convex(x, y, loss, quantile)
    assert found.loss <= found.floor * (1 + 1e-6)
    assert found.loss <= min(total(x, y, w, loss, quantile) for w in np.eye(60))
    again = best_convex(x, y, loss, quantile)
    assert again.loss == found.loss and again.weights.tolist() == found.weights.tolist()


def test_a_thousand_rounds_without_truth_change_nothing():
    x, y = np.array([[0, 4], [2, 2], [0, 8]], float), np.array([1.0, 2.0, 3.0])
    gaps = best_convex(np.vstack([x, np.full((9, 2), 7.0)]), np.concatenate([y, np.full(9, np.nan)]))
    assert gaps.loss == best_convex(x, y).loss


def test_what_is_too_large_has_a_reason(monkeypatch):
    monkeypatch.setattr(convex, "MOST_CELLS", 5)
    found = best_convex(np.ones((3, 2)), np.ones(3))
    assert found.weights is None and found.loss is None and found.reason == "3 rounds × 2 experts are more than 5 cells"


@pytest.mark.parametrize(
    ("forecasts", "loss", "quantile", "said"),
    [
        ([[1.0, np.nan]], "squared", None, "an expert that sleeps"),
        ([[1.0, 2.0]], "pinball", None, "quantile=None"),
        ([[1.0, 2.0]], "cubic", None, "expected squared, absolute or pinball"),
        ([1.0, 2.0], "squared", None, "rounds × experts"),
    ],
    ids=["asleep", "no-quantile", "no-such-loss", "shape"],
)
def test_refusals(forecasts, loss, quantile, said):
    with pytest.raises(LittlestoneError, match=said):
        best_convex(forecasts, [1.0], loss, quantile)
