"""The perturbed leader: give every expert a random head start, once, and follow the leader.

The head start of expert i is E_i/η, E_i exponential with mean 1, drawn by `seed`.  A run follows one draw; over all draws, expert i
leads with a probability that has a formula, so the loss to expect is computed too, not sampled: `run.expected_mistakes` (it reads the
advice once more).

>>> import littlestone as ls
>>> run = ls.play(ls.perturbed_leader(n=3, eta=1), [[0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]] * 5, [1] * 20)
>>> run.mistakes, round(run.expected_mistakes, 3), run.losses.tolist()
(8, 6.274, [20.0, 15.0, 5.0])

Theorem (Kalai, Vempala 2005; Hutter, Poland 2005): E[L] ≤ e^η·(m + (H_n-1)/η), H_n = 1 + 1/2 + ... + 1/n, on any stream fixed
beforehand.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import of_the_leader, sound_leader, strictness
from littlestone.protocol import Rule
from littlestone.theory.perturbed_leader import FAMILY

Params = namedtuple("Params", "strict eta")
State = namedtuple("State", "losses start z")  # z: rounds learnt, has anyone slept, the leader

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


def expectation(rule: Rule, advices) -> np.ndarray:
    """What the leader says on average over all head starts, for each round."""
    n, parts = rule.n or 1, []
    losses = np.zeros(n)
    for advice in advices:
        mix = np.empty(len(advice))
        native.core.expected_leader(rule.params.eta, losses, NODES, NODE_WEIGHTS, advice.table, advice.truth, mix)
        parts.append(mix)
    return np.concatenate(parts) if parts else np.empty(0)


def head_starts(n: int, eta: float, seed: int) -> np.ndarray:
    return np.array([-native.core.log(1.0 - native.core.coin(seed, i)) / eta for i in range(n)])


def first(n: int, eta: float, seed: int) -> State:
    start = head_starts(n, eta, seed)
    return State(np.zeros(n), start, np.array([0.0, 0.0, float(np.argmax(start))]))


def weights(rule: Rule, state: State) -> np.ndarray:
    return of_the_leader(state.losses, state.z[2])


WHEN = "very many experts, and finding the leader is cheap"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "eta": "1/5", "advice": "loss", "seed": 4}, {"n": 9, "advice": "probability"})


def perturbed_leader(n: int | None = None, *, eta: float | Fraction = Fraction(1, 4), advice: str = "vote", seed: int = 0) -> Rule:
    """Follow the leader among n experts, after random head starts of mean 1/η."""
    rate = FAMILY.settings["eta"].take(eta, "eta")
    settings = {"n": n, "eta": rate, "advice": advice, "seed": seed}
    params, init = Params(strictness(advice), float(rate)), partial(first, eta=float(rate), seed=seed)
    again = partial(perturbed_leader, eta=eta, advice=advice, seed=seed)
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        again,
        weights=weights,
        sound=sound_leader,
        expectation=expectation,
        native=native.core.PerturbedLeader,
    )
