"""Streams to try a learner on: any stream at all, and for each assumption streams that meet it, with the facts that go with them."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
from hypothesis import strategies as st

from littlestone.protocol import Block, Learner

DEFAULT_N = 6


def width(learner: Learner) -> int:
    return learner.n or DEFAULT_N


@st.composite
def rows(draw, learner: Learner, *, whole: bool = False, most: int = 40):
    """Rows of features in no particular order; real values, whole ones, or presence, as the learner takes them.

    A few rows, each met again and again: what drives a learner to its limits is seldom new.
    """
    n = width(learner)
    row: st.SearchStrategy = st.lists(st.integers(0, n - 1), unique=True, max_size=n)
    if learner.domain == "real":
        value = st.integers(-3, 3) if whole else st.floats(-2, 2, width=32) | st.integers(-3, 3).map(float)
        row = row.flatmap(lambda keys: st.tuples(*[value] * len(keys)).map(lambda values: dict(zip(keys, values, strict=True))))
    pool = draw(st.lists(row, min_size=1, max_size=8))
    return draw(st.lists(st.sampled_from(pool), min_size=1, max_size=most))


@st.composite
def blocks(draw, learner: Learner, *, whole: bool = False, most: int = 40) -> Block:
    """Any stream at all, some rounds without a label."""
    instances = draw(rows(learner, whole=whole, most=most))
    label = st.sampled_from([0, 1, 0, 1, 0, 1, -1])
    return block_of(learner, instances, draw(st.lists(label, min_size=len(instances), max_size=len(instances))))


def block_of(learner: Learner, instances, labels) -> Block:
    block = Block.of(instances, labels)
    if learner.domain == "real" and block.values is None:  # one compilation for all: rows of a real learner carry values
        return Block(block.indptr, block.indices, np.ones(len(block.indices), np.float32), block.labels)
    return block


@st.composite
def disjunction(draw, learner: Learner):
    """A stream labelled by a monotone disjunction, the set, and r."""
    S = draw(st.sets(st.integers(0, width(learner) - 1)))
    instances = boolean_rows(draw, learner)
    return labelled(learner, instances, [bool(S & set(row)) for row in instances]), S, {"r": len(S)}


@st.composite
def k_of_r(draw, learner: Learner):
    """A stream labelled by "at least k of these r", for a k that the learner's α can learn."""
    n, alpha = width(learner), Fraction(learner.settings["alpha"])
    S = draw(st.sets(st.integers(0, n - 1), min_size=1))
    k = draw(st.sampled_from([k for k in range(1, len(S) + 1) if (k - 1) * (alpha - 1) < 1]))
    instances = boolean_rows(draw, learner)
    return labelled(learner, instances, [len(S & set(row)) >= k for row in instances]), S, {"k": k, "r": len(S)}


@st.composite
def separable(draw, learner: Learner):
    """The same seen as a halfspace: μ = 1/k on the r variables, so U = r/k and δ = 1/k."""
    block, S, facts = draw(k_of_r(learner))
    k, r = facts["k"], facts["r"]
    if (1 - Fraction(1, k)) * Fraction(learner.settings["alpha"]) >= 1:
        k = 1
        instances = [indices.tolist() for indices, _, _ in block.rounds()]
        block = labelled(learner, instances, [bool(S & set(row)) for row in instances])
    return block, S, {"U": Fraction(r, k), "delta": Fraction(1, k)}


@st.composite
def margin(draw, learner: Learner):
    """A stream labelled by a halfspace through the origin, none of its points on the border; γ for the learner's own norm."""
    n = width(learner)
    target = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n).filter(any))
    instances = draw(rows(learner, whole=True, most=60))
    scores = [sum(target[i] * v for i, v in row.items()) for row in instances]
    kept = [(row, score) for row, score in zip(instances, scores, strict=True) if score != 0]
    block = labelled(learner, [row for row, _ in kept], [score > 0 for _, score in kept])
    smallest = Fraction(int(min((abs(score) for _, score in kept), default=1)))
    if learner.name == "balanced_winnow":
        return block, dict(enumerate(target)), {"gamma": smallest, "U": Fraction(sum(map(abs, target)))}
    length = Fraction(isqrt(sum(t * t for t in target) * 10**12) + 1, 10**6)  # |target|, rounded up
    return block, dict(enumerate(target)), {"gamma": smallest / length}


@st.composite
def close_calls(draw, learner: Learner):
    """A state of exponents and a row whose weights come as near θ as we can make them: greedily from above, then a long tail."""
    alpha, theta = Fraction(learner.settings["alpha"]), Fraction(learner.settings["theta"])
    exponents: list[int] = []
    left, e = theta, draw(st.integers(-3, 6))
    depth, touching = draw(st.integers(0, 90)), draw(st.booleans())
    while len(exponents) < 200 and e > -depth:
        if alpha**e < left or (touching and alpha**e == left):
            exponents.append(e)
            left -= alpha**e
        else:
            e -= 1
    tail = draw(st.lists(st.integers(-200, -depth), max_size=3))
    nudge = draw(st.sampled_from(["none", "drop the last", "repeat the last"]))
    if exponents and nudge != "none":
        exponents = exponents[:-1] if nudge == "drop the last" else [*exponents, exponents[-1]]
    state = learner.init(256)
    row = draw(st.permutations([*exponents, *tail]))
    state[0][: len(row)] = row
    return state, np.arange(len(row), dtype=np.uint32)


ASSUMED = {"disjunction": disjunction, "k_of_r": k_of_r, "separable": separable, "margin": margin}


def boolean_rows(draw, learner: Learner):
    n = width(learner)
    pool = draw(st.lists(st.lists(st.integers(0, n - 1), unique=True, max_size=n), min_size=1, max_size=12))
    return draw(st.lists(st.sampled_from(pool), min_size=1, max_size=80))


def labelled(learner: Learner, instances, labels) -> Block:
    return block_of(learner, instances, [int(y) for y in labels])
