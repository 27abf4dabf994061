"""Winnow for values in [0, 1]: halfspaces without negative weights."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from littlestone.theory.comparators.vector import Vector
from littlestone.theory.winnow_real import eta_of, size_of
from littlestone.witnesses.floor import PASSES, spread
from littlestone.witnesses.halfspaces import GRAIN, separator
from littlestone.witnesses.hinge import slips
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played


def halfspace(played: Played, effort: float, *, every: bool = False) -> Candidates:
    """μ and δ; a weight below 0 is one on the complement, what a feature and its complement have in common is a constant. With A over all
    rounds (`every`), of many rows some stand for all."""
    settings, rounds = played.learner.settings, played.all_rounds if every else played
    n, alpha, complement = (settings[name] for name in ("n", "alpha", "complement"))
    yield _halfspace(rounds, np.zeros(rounds.X.shape[1]), np.zeros(0), Fraction(1), 20)
    X, y, _ = spread(rounds.X, rounds.y, None, PROGRAM * effort * PASSES[0]) if every else (rounds.X, rounds.y, None)
    if not len(y):
        return
    best = separator(X, y > 0, alpha=alpha, delta=settings["delta"], complement=complement, n=n, effort=effort)
    whole, width = np.round(best.mu * GRAIN), X.shape[1]
    yield _halfspace(rounds, whole[:width], whole[width:], best.delta, GRAIN.bit_length() - 1)


def _halfspace(played: Played, straight: np.ndarray, turned: np.ndarray, delta: Fraction, exponent: int) -> tuple[Vector, dict[str, Any]]:
    n, complement = (played.learner.settings[name] for name in ("n", "complement"))
    turned = turned if len(turned) else np.zeros(len(straight))
    bias = int(np.minimum(straight, turned).sum())
    weights = straight - turned
    here = np.zeros(len(weights), np.bool_)
    here[played.met[played.met < len(weights)]] = True
    bias += int(-weights[~here & (weights < 0)].sum())  # the complement of a feature that is never on is 1 throughout
    weights[~here] = 0
    (where,) = np.nonzero(weights)
    witness = Vector({played.name(int(i)): int(weights[i]) for i in where}, exponent, bias, delta)
    u, ever = np.ldexp(weights, -exponent), float(np.ldexp(bias - weights[weights < 0].sum(), -exponent))
    dots = played.X @ u + ever
    losses = np.maximum(0.0, np.where(played.y > 0, 1.0 - dots, dots - float(1 - delta)) + slips(played, played.X, u, ever) + 2.0**-52)
    A = above(float(losses.sum()) * (1 + len(losses) * 2.0**-52))
    return witness, {"V": size_of(witness, n, played.features, complement), "A": A, "delta": delta}


def facts_of_stream(played: Played) -> dict[str, Any]:
    run = played.run
    return {"eta": eta_of(run.mistakes, run.false_negatives, run.widest_row, run.whole, played.learner.settings)}


PROGRAM = 60_000  # entries of rows in a linear program over all rounds
SEARCHES = {"winnow-real-agnostic-all": partial(halfspace, every=True), "winnow-real-agnostic": halfspace}
