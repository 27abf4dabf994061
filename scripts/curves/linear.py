"""Figures of the Perceptron and of Winnow."""

from __future__ import annotations

from math import log, log2
from statistics import mean

import numpy as np

import littlestone as ls
from curves.base import SEEDS, F, Figure, Line, figure, played, usual
from littlestone.checks import games, notes
from littlestone.games.adversaries import meet
from littlestone.theory import (
    balanced_winnow,
    perceptron,
    winnow,
    winnow_elimination,
)


@figure
def perceptron_() -> Figure:
    inverse = [2, 3, 4, 5, 6, 7, 8, 10, 12]
    return Figure(
        "Perceptron: D²/γ² mistakes, for every learner if there is room",
        "D/γ",
        inverse,
        [
            Line("bound", "bound: D²/γ²", [float(perceptron.margin(1, F(1, g))) for g in inverse]),
            Line(
                "worst",
                "worst case: orthonormal",
                [meet(ls.perceptron(), ls.adversaries.orthonormal(gamma=F(1, g))).mistakes for g in inverse],
            ),
            Line(
                "adversary",
                "the same against passive_aggressive",
                [meet(ls.passive_aggressive(), ls.adversaries.orthonormal(gamma=F(1, g))).mistakes for g in inverse],
            ),
            Line(
                "typical",
                "typical: n = 144, 2,000 rounds",
                [usual(ls.perceptron(), ls.concepts.halfspaces(144, gamma=1 / g), 2000) for g in inverse],
            ),
        ],
        log="xy",
    )


@figure
def hinge() -> Figure:
    u, most = (1, F(1, 2)), 30
    points = [x for x in games.grid(2, 1) if any(x)]
    K = 2 * games.dot((2, 1), (2, 1)) * F(1, 4)
    worst = notes.least_hinge(points, u, most)
    rng = np.random.default_rng(0)
    typical: list[tuple[float, int]] = []
    for flips in (0, 1, 2, 3, 4, 6, 8, 10, 12):
        rows = [points[i] for i in rng.integers(len(points), size=400)]
        labels = np.array([games.dot((2, 1), x) > 0 for x in rows])
        labels[rng.choice(len(rows), flips, replace=False)] ^= True
        predicted = ls.play(ls.perceptron(), rows, labels).predictions
        erred = np.flatnonzero(predicted != labels)
        typical.append((float(sum(max(F(0), 1 - (1 if labels[t] else -1) * (rows[t][0] + F(rows[t][1], 2))) for t in erred)), len(erred)))
    typical = [(L, M) for L, M in sorted(typical) if worst[-1] >= L]
    losses = list(map(float, worst))
    return Figure(
        "Perceptron on any labels: mistakes against the hinge loss of u = (1, 1/2)",
        "L, the hinge loss of u on the mistake rounds (points of {-1,0,1}²)",
        losses,
        [
            Line("claim", "Theorem 5.11: K + 2L", [float(K + 2 * L) for L in worst]),
            Line("bound", "sharpened: ((√K + √(K+4L))/2)²", [float(perceptron.hinge(K, L)) for L in worst]),
            Line("worst", "worst case, by search over all streams", list(range(len(worst)))),
            Line("typical", "typical: 400 rounds, some labels flipped", [M for _, M in typical], [L for L, _ in typical]),
        ],
    )


@figure
def perceptron_disjunctions() -> Figure:
    k, sizes = 2, [8, 16, 32, 64, 128, 256]
    return Figure(
        "Disjunctions of 2 variables: the Perceptron pays n, Winnow log n",
        "n, the variables",
        sizes,
        [
            Line("bound", "bound: (n+1)(4k+1)", [float(perceptron.disjunction(n, k)) for n in sizes]),
            Line(
                "bound 2",
                "with the best bias: (2√(nk) + 1)²",
                [float(perceptron.disjunction(n, k, perceptron.bias_for(n, k) ** 2)) for n in sizes],
            ),
            Line(
                "worst",
                "perceptron_disjunction against it",
                [meet(ls.perceptron(bias=1), ls.adversaries.perceptron_disjunction(n, k)).mistakes for n in sizes],
            ),
            Line("claim", "Winnow's bound", [winnow.disjunction(n, k) for n in sizes]),
            Line(
                "typical",
                "typical: 2,000 balanced rounds",
                [usual(ls.perceptron(bias=1), ls.concepts.disjunctions(n, k), 2000, instances="balanced") for n in sizes],
            ),
        ],
        log="xy",
    )


@figure
def winnow_elimination_() -> Figure:
    k, sizes = 2, list(range(3, 13))
    return Figure(
        "Winnow with elimination: disjunctions of k = 2 of n variables",
        "n, the variables",
        sizes,
        [
            Line("claim", "Theorem 12: 2k·log2 n + 2", [2 * k * log2(n) + 2 for n in sizes]),
            Line("bound", "sharper bound", [winnow_elimination.disjunction(n, k) for n in sizes]),
            Line("worst", "worst case, by search", [games.winnow_elimination(n, k) for n in sizes]),
            Line(
                "typical",
                "typical: 500 balanced rounds",
                [usual(ls.winnow_elimination(n=n), ls.concepts.disjunctions(n, k), 500, instances="balanced") for n in sizes],
            ),
        ],
    )


@figure
def winnow_() -> Figure:
    r, sizes = 1, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    beyond = [*sizes, 12, 13, 14, 15, 16, 17]
    return Figure(
        "Winnow: one relevant variable of n",
        "n, the variables",
        beyond,
        [
            Line("claim", "3r·log2 n + 1", [3 * r * log2(n) + 1 for n in beyond]),
            Line("bound 2", "3r(1 + ln n): false", [3 * r * (1 + log(n)) for n in beyond]),
            Line("bound", "bound: ⌈2 + r(3L - 2^(L+1)/n)⌉ - 1", [winnow.disjunction(n, r) for n in beyond]),
            Line("worst", "worst case, by search", [games.winnow(n, r) for n in sizes], sizes),
            Line("adversary", "a stream found at n = 17", [played(ls.winnow(n=17), *zip(*notes.SEVENTEEN, strict=True))], [17]),
            Line(
                "typical",
                "typical: 500 balanced rounds",
                [usual(ls.winnow(n=n), ls.concepts.disjunctions(n, r), 500, instances="balanced") for n in beyond],
            ),
        ],
    )


@figure
def k_of_r() -> Figure:
    k, r, sizes = 2, 3, [3, 4, 5, 6, 7]
    alpha = winnow.factor_for(k)
    return Figure(
        "Winnow: at least 2 of 3 variables among n, α = 3/2",
        "n, the variables",
        sizes,
        [
            Line("claim", "Littlestone: 8k² + 5r + 14kr·ln n", [8 * k * k + 5 * r + 14 * k * r * log(n) for n in sizes]),
            Line("bound", "bound", [winnow.k_of_r(n, k, r, alpha) for n in sizes]),
            Line("worst", "worst case, by search", [games.winnow(n, r, alpha, k=k) for n in sizes]),
            Line("typical", "typical: 500 uniform rounds", [usual(ls.winnow(n=n, k=k), ls.concepts.k_of_r(n, k, r), 500) for n in sizes]),
        ],
    )


@figure
def halfspaces() -> Figure:
    weights, threshold, alpha = (2, 1, 1), 2, F(5, 4)
    sizes = [3, 4, 5]
    wide = [3, 4, 5, 6, 8, 10, 12, 16]
    U, delta = F(sum(weights), threshold), F(1, threshold)

    def typical(n: int) -> float:
        mistakes = []
        for seed in SEEDS:
            X = (np.random.default_rng(seed).random((1000, n)) < 0.4).astype(int)
            mistakes.append(played(ls.winnow(n=n, alpha=alpha), X, X[:, :3] @ np.array(weights) >= threshold))
        return mean(mistakes)

    return Figure(
        "Winnow on the halfspace 2x1 + x2 + x3 ≥ 2 among n variables, α = 5/4",
        "n, the variables",
        wide,
        [
            Line("bound", "bound for δ-separable targets", [winnow.separable(n, U, delta, alpha) for n in wide]),
            Line(
                "worst",
                "worst case, by search",
                [games.worst_case(notes.HalfspaceGame((*weights, *(0,) * (n - 3)), threshold, alpha)) for n in sizes],
                sizes,
            ),
            Line("typical", "typical: 1,000 rounds", [typical(n) for n in wide]),
        ],
    )


@figure
def balanced() -> Figure:
    sizes = [4, 8, 16, 32, 64, 128, 256]

    def stream(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        X = np.random.default_rng(seed).choice([-1, 1], (2000, n))
        return X, X[:, 0] + X[:, 1] + X[:, 2] > 0  # u = (1,1,1)/3: |u|₁ = 1, margin 1/3

    gamma, eta = F(1, 3), F(1, 3)
    return Figure(
        "A vote of 3 among n signs, margin 1/3: log n against n",
        "n, the features, each +1 or -1",
        sizes,
        [
            Line("bound", "Balanced Winnow's bound", [float(balanced_winnow.margin(n, eta, 1, gamma)) for n in sizes]),
            Line("claim", "the Perceptron's bound", [float(perceptron.margin(3 * n, 1)) for n in sizes]),
            Line(
                "typical",
                "Balanced Winnow, 2,000 uniform rounds",
                [mean(played(ls.balanced_winnow(eta=eta), *stream(n, s)) for s in SEEDS) for n in sizes],
            ),
            Line("typical 2", "Perceptron, the same rounds", [mean(played(ls.perceptron(), *stream(n, s)) for s in SEEDS) for n in sizes]),
        ],
        log="xy",
    )
