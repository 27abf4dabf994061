"""Winnow for "at least k of r" variables when neither k nor r is known: guess, and double the guess.

Guess g = 1 and play Winnow with θ = n and α = 1 + 1/(2g) (α = 2 at g = 1).  Count its mistakes: the theorem allows B(g) if k ≤ r ≤ g.
One more proves the guess too small; then all weights are 1 again, and the guess is 2g.  The last guess, the first power of two that
is n or `largest` or more, is kept whatever happens.

As in Winnow the state has exponents, and where doubles come too close to θ exact arithmetic decides.

>>> import littlestone as ls
>>> run = ls.play(ls.winnow_doubling(n=4), [[1, 1, 0, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]] * 5, [1, 0, 1, 0] * 5)
>>> run.mistakes, run.state.e.tolist(), [int(z) for z in run.state.z]
(4, [1, 1, -2, -2], [0, 4, 2])
>>> run.bounds("k_of_r:r=2")[0].limit, run.bounds()[0].limit
(69, 7)

Theorem: on a threshold function of r variables at most Σ_{i<j} (B(2^i) + 1) + B(2^j) mistakes, 2^j the first power of two that is
r or more: the price of not knowing k and r is what the smaller guesses cost.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.powers import LOWEST, powers_of, reaches_exactly
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.protocol.soundness import within
from littlestone.theory import winnow_doubling as theory

Params = namedtuple("Params", "theta low starts powers exact_low exact_high limits")  # from low on, an entry for each guess


class State(NamedTuple):
    e: Any = Column(np.int32)
    z: Any = Column(np.int64, size=3)  # which guess, its mistakes, and its missed 1s


def settle(settings: dict, state: State, indices: np.ndarray) -> bool:
    guess = theory.guesses(settings["n"], settings["largest"])[state.z[0]]
    return reaches_exactly(guess.alpha, Fraction(settings["n"]), state.e[indices])


def tables(n: int, largest: int) -> Params:
    """Winnow's table of powers for each guess, one after the other."""
    guesses = theory.guesses(n, largest)
    parts = [powers_of(guess.alpha, Fraction(n)) for guess in guesses]
    starts = np.cumsum([0, *(len(part.powers) for part in parts)])
    low, exact_low, exact_high = (np.array([getattr(part, name) for part in parts]) for name in ("low", "exact_low", "exact_high"))
    limits = np.array([guess.limit for guess in guesses])
    return Params(float(n), low, starts, np.concatenate([part.powers for part in parts]), exact_low, exact_high, limits)


def sound(params: Params, state: State) -> None:
    within(state, z=(0, [len(params.limits) - 1, 2**53, 2**53]))
    guess = state.z[0]
    within(state, e=(LOWEST, params.low[guess] + params.starts[guess + 1] - params.starts[guess] - 1))


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    guess = state.z[0]
    e, low, powers = state.e[indices].astype(np.int64), params.low[guess], params.powers[params.starts[guess] :]
    words = f"guess {guess + 1} of {len(params.limits)}; a new guess begins with all exponents 0"
    return linear(powers[np.maximum(e, low) - low], None, levels=e, kind="exponent", threshold=params.theta, words=words)


def facts(run: Run) -> dict:
    segment, _, P = map(int, run.state.z)
    return {**run.learner.settings, "segment": segment, "P": P, "witness": "the empty disjunction in the last segment"}


WHEN = "at least k of r boolean features make a 1, and you know neither k nor r"
SAMPLES: tuple[dict, ...] = ({"n": 3}, {"n": 6}, {"n": 5, "largest": 2})


def winnow_doubling(n: int | None = None, *, largest: int = 256) -> Learner:
    """Winnow with a doubling guess over n boolean features. Guesses stop at the first that is `largest` or more, or n or more."""
    require(
        isinstance(largest, int) and 1 <= largest <= 4096,
        f"largest={largest!r} must be a whole number from 1 to 4096: beyond it the table of powers is too long",
    )
    require(n is None or 1 <= n < 2**31, f"n={n!r} must be a positive number of features, below 2^31")
    return Learner(
        name="winnow_doubling",
        family=theory.FAMILY,
        settings={"n": n, "largest": largest},
        params=() if n is None else tables(n, largest),
        state=Layout(State, sound=sound),
        algorithm=native.core.WinnowDoubling,
        with_n=partial(winnow_doubling, largest=largest),
        settle=settle,
        facts=facts,
        parts=parts,
    )
