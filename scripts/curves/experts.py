"""Figures of prediction with experts."""

from __future__ import annotations

from collections.abc import Callable
from math import log, log2
from statistics import mean
from typing import Any

import numpy as np

import littlestone as ls
from curves.base import SEEDS, F, Figure, Line, figure, played
from littlestone.checks import notes
from littlestone.games.adversaries import meet
from littlestone.theory import (
    experts,
)


@figure
def weighted_majority() -> Figure:
    n, m = 4, list(range(11))

    def typical(errors: int) -> float:
        losses = []
        for seed in SEEDS:
            rng = np.random.default_rng((seed, errors))
            votes = rng.random((200, n)) < 0.5
            votes[:, 0] = True
            votes[rng.choice(200, errors, replace=False), 0] = False
            losses.append(played(ls.weighted_majority(), votes, [1] * 200))
        return mean(losses)

    return Figure(
        "Weighted majority over 4 experts",
        "m, the mistakes of the best expert",
        m,
        [
            Line("claim", "Theorem 4: 2.5m + 2.5·log2 n", [2.5 * (k + log2(n)) for k in m]),
            Line("bound", "bound: (m·ln 2 + ln n)/ln(4/3)", [float(experts.majority(n, k, F(1, 2))) for k in m]),
            Line("worst", "worst case, by search", [notes.majority(n, k) for k in m]),
            Line("typical", "typical: the others guess, 200 rounds", [typical(k) for k in m]),
        ],
    )


@figure
def randomized_weighted_majority() -> Figure:
    rounds, epsilon = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], F(1, 2)

    def every_round(votes: np.ndarray) -> list[float]:
        return [ls.play(ls.randomized_weighted_majority(epsilon=epsilon), votes[:T], [1] * T).expected_mistakes for T in rounds]

    guesses = [np.column_stack([np.ones(1000), np.random.default_rng(seed).random(1000) < 0.5]).astype(int) for seed in SEEDS]
    return Figure(
        "Randomised weighted majority, ε = 1/2: one expert is perfect, one is not",
        "T, the rounds",
        rounds,
        [
            Line("claim", "updating on mistakes only, as printed", [notes.on_mistakes_only(T, 0.5) for T in rounds]),
            Line("bound", "bound: ln 2/ε", [float(experts.randomized(2, 0, epsilon, T)) for T in rounds]),
            Line("worst", "worst case: the other is always wrong", every_round(np.array([[1, 0]] * 1000))),
            Line("typical", "typical: the other guesses", [mean(column) for column in zip(*map(every_round, guesses), strict=True)]),
        ],
        "expected mistakes",
        log="x",
    )


@figure
def follow_leader() -> Figure:
    n, m = 5, list(range(0, 21, 2))

    def typical(errors: int) -> float:
        losses = []
        for seed in SEEDS:
            rng = np.random.default_rng((seed, errors))
            votes = rng.random((300, n)) < 0.5
            votes[:, 2] = True
            votes[rng.choice(300, errors, replace=False), 2] = False
            losses.append(played(ls.follow_leader(), votes, [1] * 300))
        return mean(losses)

    return Figure(
        "Follow the leader over 5 experts",
        "m, the mistakes of the best expert",
        m,
        [
            Line("claim", "n·m, as the notes have it", [n * k for k in m]),
            Line("bound", "bound: n·m + n - 1", [int(experts.leader(n, k)) for k in m]),
            Line("worst", "worst case: leaders_bane", [meet(ls.follow_leader(), ls.adversaries.leaders_bane(n, k)).mistakes for k in m]),
            Line("typical", "typical: the others guess, 300 rounds", [typical(k) for k in m]),
        ],
    )


@figure
def extensions() -> Figure:
    n, rounds = 4, [100, 200, 500, 1000, 2000, 5000]

    def regrets(make: Callable[..., Any], losses: Callable[[int, int], np.ndarray]) -> list[float]:
        found = []
        for T in rounds:
            runs = [ls.play(make(T, seed), losses(T, seed)) for seed in SEEDS]
            found.append(mean(float(run.regret) for run in runs))
        return found

    def drawn(T: int, seed: int) -> np.ndarray:
        return (np.random.default_rng(seed).random((T, n)) < [0.4] + [0.5] * (n - 1)).astype(float)

    def bandit(T: int, seed: int) -> Any:
        return ls.exp3(rounds=T, advice="loss", seed=seed)

    def full(T: int, seed: int) -> Any:
        return ls.hedge(rounds=T, advice="loss")

    def perturbed(T: int, seed: int) -> Any:
        return ls.perturbed_leader(advice="loss", seed=seed)

    eta = [float(ls.exp3(n=n, rounds=T, advice="loss").settings["eta"]) for T in rounds]
    return Figure(
        "4 experts, one a little better: regret with and without the others' costs",
        "T, the rounds",
        rounds,
        [
            Line("bound", "bound: Exp3, √(2Tn·ln n)", [float(experts.exp3(n, 0, T, F(e))) for T, e in zip(rounds, eta, strict=True)]),
            Line("typical", "Exp3: only the chosen expert's cost is told", regrets(bandit, drawn)),
            Line(
                "bound 2", "bound: Hedge, √(T·ln n/2)", [float(experts.hedge_regret(n, 0, F((8 * log(n) / T) ** 0.5), T)) for T in rounds]
            ),
            Line("typical 2", "Hedge: all costs are told", regrets(full, drawn)),
            Line("adversary", "perturbed leader: a random offset each", regrets(perturbed, drawn)),
        ],
        "regret",
        log="xy",
    )
