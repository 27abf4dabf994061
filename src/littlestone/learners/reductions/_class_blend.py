"""The blends of a panel of several classes as `reference.class_blend` defines them, compiled."""

from collections import namedtuple
from math import sqrt

import numpy as np

from littlestone.kernels.compiler import jit, jit_lent
from littlestone.kernels.hyperbolic import exp
from littlestone.learners.reductions._blend import first_state, narrow
from littlestone.reference.blend import FAR, LARGEST, ROOM, STEEP
from littlestone.reference.class_blend import EACH, RIVALS

# squares: of each member's scores, mean over the classes, added up; rounds: learned from; w and P of the blends of rivals, a row each; and
# of `blend-each`, a row for each class
BlendState = namedtuple("BlendState", "squares rounds rival_w rival_P each_w each_P")
PlainBlends = namedtuple("PlainBlends", "plain_rival_w plain_rival_P plain_each_w plain_each_P")  # the same, where every round weighs 1
STIFFNESS, MEMORY = (np.array([getattr(blend, key) for blend in (*RIVALS, EACH)]) for key in ("stiffness", "memory"))


def first_blends(members: int, classes: int) -> BlendState:
    """With room for so many classes."""
    rivals = [first_state(members, blend) for blend in RIVALS]
    w, P = first_state(members, EACH)
    return BlendState(
        np.zeros(members), np.zeros(1), np.stack([w for w, _ in rivals]), np.stack([P for _, P in rivals]),
        np.repeat(w[None], classes, axis=0), np.repeat(P[None], classes, axis=0),
    )  # fmt: skip


@jit
def blended(scores, labels, weights, seen, stiffness, memory, squares, rounds, rival_w, rival_P, each_w, each_P, votes, odds):
    """The votes of the blends, rounds × blends, from the members' scores, members × classes × rounds; labels below 0 teach nothing.

    Without weights every round weighs 1.  `seen[t]` classes are known before round t.  `odds`, rounds × blends × classes, takes what the
    blends make of each class.
    """
    members, n = len(squares), len(squares) + 1
    blend_rounds(
        scores, labels, weights, seen, stiffness, memory, squares, rounds, rival_w, rival_P, each_w, each_P, votes, odds,
        np.empty((scores.shape[1], n)), np.empty(members), np.empty(n), np.empty(n), np.empty(n),
    )  # fmt: skip


@jit_lent
def blend_rounds(
    scores,
    labels,
    weights,
    seen,
    stiffness,
    memory,
    squares,
    rounds,
    rival_w,
    rival_P,
    each_w,
    each_P,
    votes,
    odds,
    x,
    sums,
    difference,
    Px,
    u,
):
    """The pass; x takes what the members make of each class, the others what a step needs."""
    blends, n = len(rival_w), len(squares) + 1
    for t in range(len(labels)):
        known = seen[t]
        squash(scores, t, known, squares, rounds[0], x, sums)
        for b in range(blends + 1):
            best = 0 if known > 0 else -1
            for c in range(known):
                w, s = rival_w[b] if b < blends else each_w[c], 0.0
                for i in range(n):
                    s += w[i] * x[c, i]
                odds[t, b, c] = s
                if s > odds[t, b, best]:
                    best = c
            votes[t, b] = best
        y = labels[t]
        if y < 0:
            continue
        weight = np.float64(weights[t]) if len(weights) else 1.0
        for k in range(len(squares)):
            squares[k] = sums[k]
        rounds[0] += 1.0
        if y < known and known > 1:
            for b in range(blends):
                rival = 0 if y != 0 else 1
                for c in range(known):
                    if c != y and odds[t, b, c] > odds[t, b, rival]:
                        rival = c
                for i in range(n):
                    difference[i] = x[y, i] - x[rival, i]
                step(difference, odds[t, b, y] - odds[t, b, rival], 1.0, weight, stiffness[b], memory[b], rival_w[b], rival_P[b], Px, u)
        for c in range(known):
            step(x[c], odds[t, blends, c], 1.0 if c == y else 0.0, weight, stiffness[blends], memory[blends], each_w[c], each_P[c], Px, u)


@jit_lent
def squash(scores, t, known, squares, rounds, x, sums):
    """For each class numbers in (-1, 1) and a 1; and what the members' squares will be."""
    members = len(squares)
    for k in range(members):
        total = 0.0
        for c in range(known):
            s = scores[k, c, t] if scores[k, c, t] == scores[k, c, t] else 0.0
            x[c, k] = s = min(max(s, -LARGEST), LARGEST)
            total += s * s
        sums[k] = total = squares[k] + total / max(1, known)
        root = sqrt(total / (rounds + 1.0))
        for c in range(known):
            ratio = x[c, k] / root if root > 0.0 else 0.0
            x[c, k] = ratio / sqrt(1.0 + ratio * ratio)
    for c in range(known):
        x[c, members] = 1.0


@jit_lent
def step(x, s, y, weight, stiffness, memory, w, P, Px, u):
    """A logistic step by Newton towards y, where the score was s and the round weighs so much."""
    n = len(w)
    p = 1.0 / (1.0 + exp(-min(max(s, -FAR), FAR)))
    h, g = max(p * (1.0 - p), STEEP), y - p
    pull = g / h / narrow(x, h * weight, memory, ROOM * n / stiffness, P.reshape(n, n), Px, u)
    for i in range(n):
        w[i] += pull * Px[i]
