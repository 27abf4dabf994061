"""The vectors for balanced Winnow and the p-norm Perceptron: as good as any, never without a limit, and true."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog, minimize

import littlestone as ls
from littlestone.theory import balanced_winnow
from littlestone.witnesses import sparse
from littlestone.witnesses.quantised import quantised
from searches.least_limits import hinge_search, l1_limit, l1_price, l1_search, l1_vector, pnorm_search, pnorm_vector


def draw(seed, T=150, n=6, noise=0.1):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((T, n)), 2) * (rng.random((T, n)) < 0.6) * rng.choice([-1, 1], (T, n))
    y = np.where(X[:, 0] - X[:, 1] + noise * rng.standard_normal(T) >= 0, 1.0, -1.0)
    return X, y, rng


def best_l1(price, X, y, c):
    """The least limit by one linear programme over ũ = u/(1 - hU)."""
    T, n = X.shape
    rows = X * y[:, None]
    wants = np.hstack([price.h - rows, price.h + rows, -np.eye(T)])
    return linprog(np.concatenate([np.full(2 * n, price.a), c]), A_ub=wants, b_ub=-np.ones(T)).fun


@pytest.mark.parametrize("seed", range(8))
def test_l1_vector_is_as_good_as_any(seed):
    X, y, rng = draw(seed, noise=[0.0, 0.3][seed % 2])
    c = rng.integers(1, 4, len(y)) / 2 if seed % 3 else np.ones(len(y))
    settings = {"n": 6, "eta": Fraction(1, [2, 10, 40][seed % 3]), "nu": Fraction(seed % 2, 20), "X_max": 1}
    found = l1_search(X, y, c, **settings)
    exact = best_l1(l1_price(**settings), X, y, c)
    assert l1_limit(X, y, c, **settings)(found.u) == pytest.approx(found.limit)
    assert found.ended == "proved"
    assert found.least * (1 - 1e-9) <= exact <= found.limit * (1 + 1e-9) and found.limit <= exact * 1.0011
    loss = (c * np.maximum(0, 1 - y * (X @ found.u))).sum()
    nu = settings.pop("nu")
    X_max = settings.pop("X_max")
    U = float(np.abs(found.u).sum())
    assert float(balanced_winnow.hinge(**settings, X=X_max, U=U, L=float(loss), nu=nu)) == pytest.approx(found.limit)


def test_l1_descends_where_a_linear_programme_would_be_too_large(monkeypatch):
    monkeypatch.setattr("littlestone.witnesses.sparse.PROGRAMME", 0)
    X, y, _ = draw(1, T=600)
    settings = {"n": 6, "eta": Fraction(1, 20), "nu": 0, "X_max": 1}
    found = l1_search(X, y, **settings)
    assert found.limit <= 1.005 * best_l1(l1_price(**settings), X, y, np.ones(600))


@pytest.mark.parametrize("eta", ["1/1000", "1/10", 1, 300])
def test_a_run_of_balanced_winnow_always_has_a_limit(eta):
    eta = Fraction(eta)
    for seed in range(6):
        X, y, _ = draw(seed, noise=0.5)
        run = ls.play(ls.balanced_winnow(eta=eta), X, y)
        settings = {"n": run.width, "eta": eta, "nu": 0, "X_max": run.largest_value}
        wrong = np.flatnonzero(run.predictions != (y > 0))
        for rows, count in ((wrong, len(wrong)), (np.arange(len(y)), len(y))):
            found = l1_search(X[rows], y[rows], **settings)
            assert run.mistakes <= found.limit <= count * 1.00001 and found.u.any()
            ints, exponent = quantised(found.u, limit=l1_limit(X[rows], y[rows], **settings))
            L = Fraction(0)
            for t in rows:
                dot = sum(Fraction(float(X[t, i])) * int(v) for i, v in enumerate(ints) if v) / Fraction(2) ** exponent
                L += max(0, 1 - Fraction(float(y[t])) * dot)
            U = Fraction(int(np.abs(ints).sum())) / Fraction(2) ** exponent
            exact = balanced_winnow.hinge(run.width, eta, Fraction(run.largest_value), U, L)
            assert run.mistakes <= exact <= found.limit * 1.0011


def test_l1_edges():
    settings = {"n": 4, "eta": 1, "nu": 0, "X_max": 1}
    empty = l1_search(sp.csr_matrix((0, 4)), [], **settings)
    assert empty.limit < 1e-4 and empty.u.any()
    nothing = l1_search(np.zeros((3, 4)), [1, -1, 1], **settings)
    assert nothing.limit == pytest.approx(3, rel=1e-5) and np.isfinite(nothing.limit)
    one_class = l1_search([[1.0, 0, 0, 0]] * 200, [-1] * 200, **settings)
    assert one_class.u[0] < 0 and one_class.limit == pytest.approx(
        best_l1(l1_price(**settings), -np.eye(4)[[0] * 200], np.ones(200), np.ones(200))
    )
    X, y, _ = draw(3, T=2000, n=30)
    X = sp.csr_matrix(X.astype(np.float32))
    small = {"n": 30, "eta": "1/50", "nu": 0, "X_max": 1}
    assert l1_vector(X, y, **small).tobytes() == l1_vector(X.copy(), y, **small).tobytes()


@pytest.mark.parametrize("seed, p", [(0, 2), (1, 3), (2, 8), (3, 8), (4, 30)])
def test_pnorm_vector_is_as_good_as_any(seed, p):
    X, y, rng = draw(seed, T=60, n=3, noise=0.2)
    c = rng.integers(1, 4, len(y)) / 2 if seed % 2 else np.ones(len(y))
    kappa, q = 0.3 * (p - 1) ** 0.5, p / (p - 1)

    def limit(u):
        K, L = kappa * (np.abs(u) ** q).sum() ** (2 / q), (c * np.maximum(0, 1 - y * (X @ u))).sum()
        return ((np.sqrt(K) + np.sqrt(K + 4 * L)) / 2) ** 2

    found = pnorm_search(X, y, c, p=p, kappa=kappa)
    assert limit(found.u) == pytest.approx(found.limit) and found.ended == "proved"
    slow = min(_simplex(limit, start) for start in rng.standard_normal((6, 3)))
    assert found.least <= slow * (1 + 1e-9) and found.limit <= 1.0011 * slow


def _simplex(f, u):
    for _ in range(4):
        u = minimize(f, u, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-10, "fatol": 1e-10}).x
    return f(u)


def test_p_of_two_is_the_perceptron():
    X, y, _ = draw(5, T=300)
    assert pnorm_search(X, y, p=2, kappa=0.5).limit == pytest.approx(hinge_search(X, y, kappa=0.5).limit, rel=1.1e-3)


def test_pnorm_edges():
    assert pnorm_vector(sp.csr_matrix((0, 4)), [], p=5).tolist() == [0.0] * 4
    assert pnorm_vector(np.zeros((3, 2)), [1, -1, 1], p=5).tolist() == [0.0] * 2
    opposed = pnorm_search([[1.0], [1.0]], [1, -1], p=5, kappa=0.1)
    assert opposed.limit == 2.0 and not opposed.u.any()
    X, y, _ = draw(6, T=2000, n=30)
    X = sp.csr_matrix(X.astype(np.float32))
    assert pnorm_vector(X, y, p=9, kappa=3.0).tobytes() == pnorm_vector(X.copy(), y, p=9, kappa=3.0).tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_the_limits_over_all_rounds_hold(seed):
    """Each learner's mistakes against the best vector on all rounds: below, and without knowing which rounds were mistakes."""
    X, y, _ = draw(seed, T=3000, n=8, noise=0.02)
    run = ls.play(ls.perceptron(bias=0), X, y)
    assert run.mistakes <= hinge_search(X, y, kappa=float((X**2).sum(1).max())).limit < len(y)
    run = ls.play(ls.pnorm(8), X, y)
    assert run.mistakes <= pnorm_search(X, y, p=run.learner.settings["p"]).limit < len(y)
    run = ls.play(ls.balanced_winnow(eta="1/8"), X, y)
    assert run.mistakes <= l1_search(X, y, n=8, eta="1/8", nu=0, X_max=1).limit < len(y)


def test_looks_count_as_work_where_rows_are_few(monkeypatch):
    """Rows of absurd sizes: sweeps never settle, and cost next to nothing; without a price for each look the search went on for minutes."""
    looks, note = [], sparse.SparseDescent.note

    def counted(self, u, margins):
        looks.append(1)
        assert len(looks) < 20_000
        note(self, u, margins)

    monkeypatch.setattr(sparse.SparseDescent, "note", counted)
    for seed in range(3):
        random = Random(seed)
        X = [{0: random.choice((-1, 1)) * 10.0 ** random.randint(3, 12)} for _ in range(3)]
        ls.certify(ls.play(ls.balanced_winnow(), X, [1, 0, 1]), X, [1, 0, 1])
