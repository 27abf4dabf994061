"""The vectors that learners are compared with: as good as they can be, the same every time, and no surprise at the edges."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.theory import alma as alma_theory
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.separating import separating_vector
from searches.least_limits import alma_vector, hinge_limit, hinge_search, hinge_vector


def draw(seed, T=60, n=5, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((T, n)) * (rng.random((T, n)) < 0.6)
    y = np.sign(X @ rng.standard_normal(n) + noise * rng.standard_normal(T))
    y[y == 0] = 1.0
    return X, y, rng


def least(f, n, seed, starts=6):
    """A slow minimum: many simplex searches, each started again where it stopped."""
    rng = np.random.default_rng(seed)
    best = np.inf
    for _ in range(starts):
        u = rng.standard_normal(n)
        for _ in range(4):
            u = minimize(f, u, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-10, "fatol": 1e-10}).x
        best = min(best, f(u))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_hinge_vector_is_as_good_as_any(seed):
    X, y, rng = draw(seed, noise=[0.0, 0.3, 1.0][seed % 3])
    c = rng.integers(1, 4, len(y)) / 2 if seed % 2 else None
    bias = [0.0, 0.5][seed // 3]
    kappa = 0.2 + rng.random()
    found = hinge_search(X, y, c, kappa=kappa, bias=bias)
    limit = hinge_limit(X, y, c, kappa=kappa, bias=bias)
    assert limit(found.u) == pytest.approx(found.limit)
    slow = least(limit, 5 + (bias > 0), seed)
    assert found.ended == "proved"
    assert found.least <= slow * (1 + 1e-9)
    assert found.limit <= slow * 1.0011


def test_a_bias_is_a_last_feature():
    X, y, _ = draw(3)
    wide = np.hstack([X, np.full((len(y), 1), 0.7)])
    u, v = hinge_search(X, y, bias=0.7, kappa=1.0), hinge_search(wide, y, kappa=1.0)
    assert u.limit == pytest.approx(v.limit, rel=2e-3) and len(u.u) == len(v.u) == 6
    assert hinge_limit(X, y, bias=0.7, kappa=1.0)(u.u) == pytest.approx(hinge_limit(wide, y, kappa=1.0)(u.u))


def test_a_weight_counts_as_often():
    X, y, rng = draw(4, T=30)
    c = rng.integers(1, 4, len(y))
    often = np.repeat(np.arange(len(y)), c)
    one, many = hinge_search(X, y, c, kappa=0.5), hinge_search(X[often], y[often], kappa=0.5)
    assert one.limit == pytest.approx(many.limit, rel=2e-3)
    # and by itself κ is Σc²|x|²/Σc + extra, which two orders of adding give to the last digits
    K = (c**2 * (X**2).sum(1)).sum() / c.sum() + 0.25
    assert hinge_search(X, y, c, extra=0.25).limit == pytest.approx(hinge_search(X, y, c, kappa=K).limit, rel=1e-9)


@pytest.mark.parametrize("margin", [0, 1.5])
def test_over_the_updates_alone_nothing_is_better_than_the_zero_vector(margin):
    """So over them the limit is Σc itself, and it takes all rounds to say something."""
    X, y, rng = draw(5, T=400, n=8)
    weights = rng.integers(1, 4, len(y)).astype(float)
    run = ls.play(ls.perceptron(margin=margin, bias=1), X, y, sample_weight=weights)
    w, b, updates = np.zeros(8), 0.0, []
    for t in range(len(y)):
        if y[t] * (X[t] @ w + b) <= margin and (margin or (X[t] @ w + b >= 0) != (y[t] > 0)):
            updates.append(t)
            w, b = w + weights[t] * y[t] * X[t], b + weights[t] * y[t]
    assert np.allclose(w, run.state.w)
    found = hinge_search(X[updates], y[updates], weights[updates], bias=1.0, extra=2 * margin)
    assert found.ended == "proved" and not found.u.any() and found.limit == found.least == weights[updates].sum()


def test_the_same_every_time_in_either_precision():
    X, y, _ = draw(6, T=3000, n=40)
    X = sp.csr_matrix(X.astype(np.float32))
    one, two = hinge_vector(X, y, kappa=3.0), hinge_vector(X.copy(), y, kappa=3.0)
    assert one.tobytes() == two.tobytes()
    assert np.allclose(one, hinge_vector(X.astype(np.float64), y, kappa=3.0))


def test_edges():
    assert hinge_vector(sp.csr_matrix((0, 4)), []).tolist() == [0.0] * 4
    assert hinge_vector(sp.csr_matrix((0, 4)), [], bias=1.0).tolist() == [0.0] * 5
    assert hinge_vector(np.zeros((3, 2)), [1, -1, 1]).tolist() == [0.0, 0.0]  # rows without features
    one_class = hinge_search([[1.0, 0.0]] * 9, [1] * 9, kappa=1.0)
    assert one_class.limit == pytest.approx(1.0, rel=2e-3) and one_class.u == pytest.approx([1.0, 0.0], rel=1e-2)
    mixed = hinge_search([[1.0, 0.0]] * 9 + [[0.0, 0.0]] * 2, [1] * 9 + [-1] * 2, kappa=1.0)
    assert mixed.limit == pytest.approx(4.0, rel=2e-3)  # K = 1 and two losses that nothing helps
    assert hinge_search([[1.0]], [1], [0.0], kappa=1.0).limit == 0.0
    twice = sp.csr_matrix((np.ones(4), np.array([0, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 2))
    assert hinge_vector(twice, [1, -1], kappa=0.5).tolist() == hinge_vector([[2.0, 0], [0, 2.0]], [1, -1], kappa=0.5).tolist()
    assert twice.nnz == 4  # and the caller's own matrix stays as it was
    for X, y, c in (([[1.0]], [1, 1], None), ([[1.0]], [0], None), ([[np.nan]], [1], None), ([[1e99]], [1], None), ([[1.0]], [1], [-1.0])):
        with pytest.raises(LittlestoneError):
            hinge_vector(X, y, c)


def test_a_search_that_may_not_look_is_told():
    X, y, _ = draw(7, T=2000, n=30, noise=1.0)
    assert hinge_search(X, y, kappa=1.0, effort=0.0, tolerance=1e-9).ended == "work"


@pytest.mark.parametrize("seed", range(4))
def test_separating_vector_has_the_largest_margin(seed):
    X, y, _ = draw(seed, T=40, n=3, noise=0)
    X = X[np.abs(X).sum(1) > 0]
    y = np.sign(X @ [1.0, -2.0, 0.5])
    u = separating_vector(X, y, first=[0, 1])
    assert (y * (X @ u) >= 1).all()
    best = max(((y * (X @ v)).min() / np.linalg.norm(v) for v in _directions(3, u)), default=0)
    assert np.linalg.norm(u) <= 1.002 / best


def _directions(n, near):
    """Directions all around, and many close to a given one."""
    rng = np.random.default_rng(0)
    yield from rng.standard_normal((20000, n))
    for size in (0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
        yield from near / np.linalg.norm(near) + size * rng.standard_normal((5000, n))


def test_separating_vector_adds_the_rows_it_needs_and_gives_up_where_there_is_none():
    X, y, _ = draw(9, T=5000, n=10, noise=0)
    y = np.sign(X @ np.arange(1, 11.0))
    wide = np.abs(X @ np.arange(1, 11.0)) > 1.0
    u = separating_vector(X[wide], y[wide], first=[3])
    assert (y[wide] * (X[wide] @ u) >= 1).all()
    noisy = y.copy()
    noisy[::10] *= -1
    noisy[noisy == 0] = 1
    assert separating_vector(X, noisy) is None
    assert separating_vector([[1.0], [1.0]], [1, -1]) is None
    assert separating_vector([[1.0], [0.0]], [1, 1]) is None
    assert separating_vector([[1.0], [2.0]], [1, -1]) is None
    with_bias = separating_vector([[1.0], [2.0]], [1, -1], bias=1.0)
    assert with_bias == pytest.approx([-2.0, 3.0], rel=1e-2)
    assert separating_vector(sp.csr_matrix((0, 2)), []).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("variant, C", [("I", 0.5), ("II", 0.5), ("I", None)])
def test_pa_vector_is_as_good_as_any(seed, variant, C):
    X, y, rng = draw(seed, T=40, n=3, noise=0.8)
    X = X[np.abs(X).sum(1) > 0.1]
    y = y[: len(X)]
    c = None if C is None else rng.integers(1, 4, len(y)) / 2
    weight = np.ones(len(y)) if c is None else c

    def value(u):
        hinge = np.maximum(0, 1 - y * (X @ u))
        if C is None:
            b2 = (hinge**2 / (X**2).sum(1)).sum()
            return np.sqrt(b2) + np.sqrt(b2 + u @ u)
        return u @ u + 2 * C * (weight @ (hinge if variant == "I" else hinge**2))

    u = pa_vector(X, y, c, C=C, variant=variant)
    assert value(u) <= 1.001 * least(value, 3, seed)


def test_the_bound_of_pa_without_C_holds():
    """M ≤ √Q·(b + √(b² + |u|²)) for every u: on drawn streams, for drawn u."""
    for seed in range(30):
        X, y, rng = draw(seed, T=50, n=4, noise=0.5)
        w, mistakes, Q, updates = np.zeros(4), 0, 0.0, []
        for x, s in zip(X, y, strict=True):
            if not x.any():
                continue
            loss = 1 - s * (w @ x)
            if (w @ x >= 0) != (s > 0):
                mistakes, Q = mistakes + 1, Q + x @ x
            if loss > 0:
                updates.append((x, s))
                w = w + loss / (x @ x) * s * x
        for u in [*rng.standard_normal((20, 4)), w, np.zeros(4)]:
            b2 = sum(max(0, 1 - s * (u @ x)) ** 2 / (x @ x) for x, s in updates)
            assert mistakes <= np.sqrt(Q) * (np.sqrt(b2) + np.sqrt(b2 + u @ u)) + 1e-9


@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_alma_vector(bias):
    X, y, _ = draw(11, T=80, n=3, noise=0.2)
    A = float(alma_theory.constant(1, 4)) / 4
    u, level = alma_vector(X, y, A=A, bias=bias)
    rows = np.hstack([X, np.full((len(y), 1), bias)]) if bias else X
    unit = rows / np.maximum(1e-300, np.linalg.norm(rows, axis=1))[:, None]

    def limit(u, g):
        L = np.maximum(0, g - y * (unit @ u)).sum()
        return ((A + np.sqrt(A * A + 4 * g * L)) / (2 * g)) ** 2

    assert np.linalg.norm(u) <= 1

    def ball(z):
        return limit(z[:-1] / max(1, np.linalg.norm(z[:-1])), abs(z[-1]) + 1e-9)

    assert limit(u, level) <= 1.002 * least(ball, len(u) + 1, 0, starts=2)
    u, level = alma_vector(X[:3], y[:3], A=100.0)
    assert not u.any() and limit_of_nothing(3, 100.0, level) == pytest.approx(3, rel=1e-3)


def limit_of_nothing(m, A, g):
    return ((A + np.sqrt(A * A + 4 * g * g * m)) / (2 * g)) ** 2


def test_quantised_vectors_are_exact_and_short():
    rng = np.random.default_rng(0)
    for bits, size in product((1, 5, 30, 52), (1e-300, 1e-3, 1.0, 1e9)):
        u = size * rng.standard_normal(50)
        ints, exponent = quantised(u, bits)
        assert ints.dtype == np.int64 and np.abs(ints).max() <= 2**bits
        assert np.abs(value_of(ints, exponent) - u).max() <= 2.0 ** -(exponent + 1)
    assert quantised(np.zeros(3))[0].tolist() == [0, 0, 0]
    X, y, _ = draw(12, T=500, n=20, noise=0.3)
    found = hinge_search(X, y, kappa=1.0)
    limit = hinge_limit(X, y, kappa=1.0)
    ints, exponent = quantised(found.u, limit=limit)
    assert limit(value_of(ints, exponent)) <= 1.001 * found.limit * (1 + 1e-12)
    assert np.abs(ints).max() < 2**14
    with pytest.raises(LittlestoneError):
        quantised([np.inf])
