"""The Banditron: several classes, and the learner is told only whether it was right.

Somebody was shown an advertisement and did not click: which one would have been clicked, nobody knows.  ŷ = argmax_c W_c·x over the
classes seen so far.  With probability 1-e name ŷ; with probability e (`explore`) any of them, by a coin that depends on the seed and the
number of labels so far.  If the class named was right, add x/P to its weights, P the chance with which it was named; right or wrong,
subtract x from those of ŷ.  On average that is the step of the Perceptron over several classes.  From a file the label is used to say right
or wrong, and to register a class that appears for the first time; which other known class would have been right is never looked at.

>>> import littlestone as ls
>>> X, ads = [{0: 1}, {1: 1}, {2: 1}] * 100, ["shoes", "books", "tea"] * 100
>>> run = ls.play(ls.banditron(explore="1/10"), X, ads)
>>> run.mistakes, run.rounds
(26, 300)

Theorem: for every matrix U, L its hinge loss over all rounds, D = |U|²R², E[M] ≤ k + (1-e)·B + e(1-1/k)T in expectation over the coin,
B = L + (Db + √(D²b² + 4D(bL + gT)))/2, b ≈ k/e and g ≈ e.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import ClassLearner, ClassRun, KernelEngine
from littlestone.theory import banditron as theory

Params = namedtuple("Params", "explore seed")
State = namedtuple("State", "W told longest seen")  # W[feature, class], labels so far, the largest |x|² among them, classes


def init(room: int, classes: int) -> State:
    return State(np.zeros((room, classes)), np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.int64))


def facts(run: ClassRun) -> dict:
    """What the run knows of its stream."""
    k, rounded = len(run.classes), 1 + Fraction(run.widest_row + 4, 2**52)
    R2 = Fraction(float(run.state.longest[0])) * rounded
    return {"first": k, "T": run.rounds - k, "R2": R2, "explore": run.learner.settings["explore"]}


WHEN = "several classes, and nobody says which would have been right: advertisements, advice that is taken or not"
SAMPLES: tuple[dict, ...] = ({}, {"explore": "1/2", "seed": 3})


def banditron(n: int | None = None, *, explore: float | Fraction = Fraction(1, 10), seed: int = 0) -> ClassLearner:
    """The Perceptron over several classes that is told only right or wrong, and names any class with probability `explore`.

    `n` is only checked; another `seed` is another coin.
    """
    settings = theory.FAMILY.take(n=n, explore=explore, seed=seed)
    params = Params(float(settings["explore"]), settings["seed"])
    return ClassLearner(
        name="banditron",
        settings=settings,
        engine=partial(KernelEngine, init, native.core.Banditron, params=params, always=True),
        n=n,
        family=theory.FAMILY,
        facts=facts,
    )
