"""The Passive-Aggressive rules: the vector of a support vector machine at the learner's own C."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from littlestone.theory import passive_aggressive as theory
from littlestone.witnesses.floor import WORK, evenly, loss_above, spread
from littlestone.witnesses.hinge import losses, split, squared, vector_of
from littlestone.witnesses.machines import machine, pa_vector
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above
from littlestone.witnesses.rows import Descent, Work
from littlestone.witnesses.taught_rounds import Candidates, Played


def pa_comparator_all(played: Played, effort: float) -> Candidates:
    """With its loss over all rounds: a support vector machine of the whole stream at the learner's own C."""
    settings, everything = played.learner.settings, played.all_rounds
    if settings["C"] is None or settings["variant"] == "II":
        X, y, c = spread(everything.X, everything.y, everything.c, WORK * effort)
        yield from compared(played, everything, pa_machine(settings, X, y, np.ones(len(y)) if c is None else c, effort))
        return
    rho, C = float(settings["bias"]), float(settings["C"])
    part = evenly(everything.X, everything.y, everything.c, rho, WORK * effort)
    vector = machine(Descent(part, C, work=Work(effort)))

    def limit(u: np.ndarray) -> float:
        plain, ever = split(u, rho)
        gaps = np.maximum(0.0, 1.0 - everything.y * (everything.X @ plain + ever))
        return float(u @ u) + 2 * C * float(gaps @ everything.weights)

    whole, exponent = quantised(vector, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    facts = {"u2": above(squared(np.append(u, bias))), "drift": drift_of(played), "C": settings["C"]}
    yield witness, facts | {"L": loss_above(played, u, settings["bias"], bias, exponent)}


def drift_of(played: Played) -> Decimal:
    """What the rounding of the run's steps may have added."""
    settings, c = played.learner.settings, played.weights
    rho = float(settings["bias"])
    lengths = played.squares + rho * rho
    short = lengths * (1 - (played.run.widest_row + 8) * 2.0**-51)  # |x|², rounded down a little
    steps = np.divide(1.0, short, out=np.zeros(len(c)), where=(c > 0) & (lengths > 0))
    if settings["C"] is not None:
        steps = np.minimum(steps, 2 * c * float(settings["C"]))
    grown = 1 + (len(c) + 8) * 2.0**-52
    return above(float(theory.rounding(int((c > 0).sum()), played.run.widest_row)) * float(np.sum(steps)) * grown)


def pa_machine(settings: Mapping[str, Any], X: Any, y: np.ndarray, c: np.ndarray, effort: float) -> np.ndarray:
    """The machine of the learner's own variant and C, on rounds of these weights."""
    C, moved = None if settings["C"] is None else float(settings["C"]), np.flatnonzero(c > 0)
    how: dict[str, Any] = {"C": C, "variant": settings["variant"], "bias": float(settings["bias"]), "effort": effort}
    return pa_vector(X[moved], y[moved], c[moved] if C is not None else None, **how)


def pa_comparator(played: Played, effort: float) -> Candidates:
    yield from compared(played, played, pa_machine(played.learner.settings, played.X, played.y, played.weights, effort))


def compared(played: Played, rounds: Played, vector: np.ndarray) -> Candidates:
    """The vector as a witness, with what it loses on these rounds."""
    settings = played.learner.settings
    rho, second = float(settings["bias"]), settings["variant"] == "II"
    C = None if settings["C"] is None else float(settings["C"])
    c, lengths = rounds.weights, rounds.squares + rho * rho
    short = lengths * (1 - (played.run.widest_row + 8) * 2.0**-51)  # |x|², rounded down a little
    full = (c > 0) & (lengths > 0)

    def loss(plain: np.ndarray, ever: float) -> np.ndarray:
        """What each round adds to L, or without C to b²."""
        gaps = losses(rounds, plain, ever)
        if C is not None:
            return c * (gaps**2 if second else gaps)
        return np.divide(gaps**2, short, out=np.zeros(len(c)), where=full)

    def limit(u: np.ndarray) -> float:
        lost, size = float(np.sum(loss(*split(u, rho)))), float(u @ u)
        return size + 2 * C * lost if C is not None else np.sqrt(lost) + np.sqrt(lost + size)

    whole, exponent = quantised(vector, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    grown = 1 + (len(c) + 8) * 2.0**-52
    lost = above(float(np.sum(loss(u, rho * bias))) * grown)
    facts = {"u2": above(squared(np.append(u, bias))), "drift": drift_of(played)}
    yield witness, facts | ({"b2": lost} if C is None else {"L": lost, "C": settings["C"]})


SEARCHES = {"pa-comparator": pa_comparator, "pa-comparator-all": pa_comparator_all}
