"""Selective sampling: a Perceptron that asks for a label only where it is unsure, by the toss of a coin.

Predict sign(w·x), sign(0) = +1.  Look at the label with probability b/(b + |w·x|); where it is looked at and the prediction was wrong, add
y·x.  A small b asks for few labels.  The coin of a round depends on the seed and the number of labelled rounds before it, so a run can be
repeated.

>>> import littlestone as ls
>>> rows, labels = [[1], [-1]] * 500, [1, 0] * 500
>>> run = ls.play(ls.selective(b="1/10"), rows, labels)
>>> run.mistakes, int(run.state.z[1])                                 # mistakes, and labels that were looked at
(1, 87)

Where a label costs something, ask first (`ls.asks`), and buy it only then:

>>> model, bought = ls.selective(b="1/10").start(), 0
>>> for row, label in zip(rows, labels):
...     yhat, asked = model.predict(row), ls.asks(model, row)
...     bought += asked
...     model.update(row, label if asked else yhat)                   # nothing is learned from its own prediction
>>> bought, model.state.w.tolist() == run.state.w.tolist()
(87, True)

Theorem (Cesa-Bianchi, Gentile, Zaniboni 2006): E[M] ≤ (1 + R²/(2b))·L + |u|²·(2b + R²)²/(8b) for every u, L its hinge loss over all rounds,
M all mistakes, those nobody noticed too; the labels asked are on average S = Σ b/(b + |w·x|), and with probability 1-δ at most
5·((e^(1/5) - 1)·S + ln(1/δ)).
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST
from littlestone.theory import selective as theory

Params = namedtuple("Params", "price rho2 seed")


# z: labelled rounds, labels asked, Σ b/(b + |p|), the largest |x|² of them, Σ (1 + |p|/b) over the updates, updates
class State(NamedTuple):
    w: Any = Column()
    ever: Any = Column(size=1)
    z: Any = Column(size=6, within=(0, [2**53, 2**53, 2**53, MOST, MOST, 2**53]))


class Selective(Learner):
    """A learner that looks at some labels."""

    def asked(self, before: int, scores: np.ndarray, labelled: np.ndarray) -> np.ndarray:
        """In which rounds of a block a label is looked at, after so many labelled rounds before it."""
        price, _, seed = self.params
        asked = np.zeros(len(scores), np.bool_)
        for k, t in enumerate(np.flatnonzero(labelled).tolist(), before):
            asked[t] = native.core.coin(seed, k) * (price + abs(float(scores[t]))) < price
        return asked


def asks(model: Any, x: Any) -> bool:
    """Does this model of a `selective` learner want the label of x? Tell it the label if so, and its own prediction if not: from that
    nothing is learned, and the next coin is tossed for the next row."""
    require(
        getattr(model.learner, "name", "") == "selective", f"asks: {model.learner!r} looks at every label; ls.selective() asks for some"
    )
    return bool(model.learner.asked(int(model.state[2][0]), np.array([model.score(x)]), np.ones(1, np.bool_))[0])


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    rho, ever = params.rho2**0.5, state.ever[0]
    return linear(state.w[indices], values, others=bias_term(rho, rho * ever, params.rho2 * ever))


def facts(run: Run) -> dict:
    R2 = Fraction(float(run.state.z[3])) * (1 + Fraction(run.widest_row + 4, 2**52))
    return {"R2": R2, "b": run.learner.settings["b"], "asked": int(run.state.z[1]), "expected": float(run.state.z[2])}


WHEN = "labels cost something: it asks for one only where it is unsure"
SAMPLES: tuple[dict, ...] = ({}, {"b": "1/10", "bias": 1, "seed": 3})


def selective(n: int | None = None, *, b: float | Fraction = 1, bias: float | Fraction = 0, seed: int = 0) -> Learner:
    """A Perceptron that asks for labels with probability b/(b + |w·x|); `bias` is the value of a feature in every row, 0 for none."""
    settings = theory.FAMILY.take(n=n, b=b, bias=bias, seed=seed)
    params = Params(float(settings["b"]), float(settings["bias"] ** 2), np.int64(settings["seed"]))
    return Selective(
        "selective",
        settings,
        params,
        State,
        algorithm=native.core.Selective,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
