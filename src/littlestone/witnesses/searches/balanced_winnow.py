"""Balanced Winnow: a vector of few features and small hinge loss."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from littlestone.theory.balanced_winnow import growth as growth_of
from littlestone.witnesses.floor import WORK, spread
from littlestone.witnesses.hinge import losses, total, vector_of
from littlestone.witnesses.machines import ball_vector
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.taught_rounds import Candidates, Played


def balanced_hinge(played: Played, effort: float, *, every: bool = False) -> Candidates:
    """n and X of the updates; the loss of the vector over the updates, or over every round."""
    settings, X = played.learner.settings, played.X
    eta, nu = settings["eta"], settings["margin"]
    n = max(1, len(np.unique(X.indices[X.data != 0])))
    largest = Fraction(float(np.abs(X.data).max(initial=0.0))) or Fraction(1)
    growth = float(growth_of(eta, largest, nu))
    a, cap = float(np.log(2 * n)) / float(eta), float(eta) / (2 * growth) if growth > 0 else np.inf
    cap = min(cap, 2.0**60)
    if every:
        played = played.all_rounds
    rows, y, c = spread(played.X, played.y, None, WORK * effort / 4 if every else np.inf)
    vector = ball_vector(rows, y, c, a=a, cap=cap, effort=effort)
    if not vector.any():  # no feature is worth its price: then the least loss in the ball, whatever it costs
        vector = ball_vector(rows, y, c, a=len(played.y) / 100 / cap, cap=cap, effort=effort)
    pull = np.asarray(played.X.T @ played.y).ravel()
    if not vector.any() and pull.any():  # a tiny entry has a finite limit all the same; without a pull, 0 itself is as good as any
        k = int(np.abs(pull).argmax())
        vector[k] = np.copysign(min(cap, 2.0**-20 / float(largest)), pull[k])

    def limit(u: np.ndarray) -> float:
        size = float(np.abs(u).sum())
        return (float(np.sum(losses(played, u))) + a * size) / max(2.0**-20, 1 - size / (2 * cap)) if size > 0 else np.inf

    whole, exponent = quantised(vector, limit=limit)
    witness, u, _ = vector_of(played, whole, exponent)
    yield witness, {"n": n, "X": largest, "U": witness.absolute(), "L": total(played, losses(played, u))}


def facts_of_stream(played: Played) -> dict[str, Any]:
    return {"n": max(1, played.features)}


SEARCHES = {"balanced-winnow-hinge": balanced_hinge, "balanced-winnow-hinge-all": partial(balanced_hinge, every=True)}
