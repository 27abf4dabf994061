"""Streams to try a learner on: any stream at all, and for each assumption streams that meet it, with the facts that go with them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from littlestone.protocol import Block, Learner
from littlestone.theory.winnow_real import complemented

DEFAULT_N = 6


def width(learner: Learner) -> int:
    return learner.n or DEFAULT_N


def values(learner: Learner, whole: bool) -> st.SearchStrategy:
    if learner.domain == "unit":
        return st.integers(0, 1) if whole else st.floats(0, 1, width=32) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
    return st.integers(-3, 3) if whole else st.floats(-2, 2, width=32) | st.integers(-3, 3).map(float)


@st.composite
def rows(draw, learner: Learner, *, whole: bool = False, most: int = 40):
    """Rows of features in no particular order; real values, whole ones, or presence, as the learner takes them.

    A few rows, each met again and again: what drives a learner to its limits is seldom new.
    """
    n = width(learner)
    row: st.SearchStrategy = st.lists(st.integers(0, n - 1), unique=True, max_size=n)
    if getattr(learner.concepts, "domain", "") == "points":  # an instance is one point
        row = st.integers(0, n - 1).map(lambda point: [point])
    if learner.domain != "boolean":
        value = values(learner, whole)
        row = row.flatmap(lambda keys: st.tuples(*[value] * len(keys)).map(lambda values: dict(zip(keys, values, strict=True))))
    pool = draw(st.lists(row, min_size=1, max_size=8))
    return draw(st.lists(st.sampled_from(pool), min_size=1, max_size=most))


@st.composite
def blocks(draw, learner: Learner, *, whole: bool = False, most: int = 40) -> Block:
    """Any stream at all, some rounds without a label; of a learner that other streams empty, one that a concept of its class labels."""
    instances = draw(rows(learner, whole=whole, most=most))
    label = st.sampled_from([0, 1, 0, 1, 0, 1, -1])
    labels = draw(st.lists(label, min_size=len(instances), max_size=len(instances)))
    return block_of(learner, instances, labels, None if learner.concepts is None else draw(st.integers(0, len(learner.concepts) - 1)))


@st.composite
def weighed(draw, block: Block) -> Block:
    """The same rounds with weights: none, small, large, and ones that no double adds exactly."""
    weight = st.sampled_from([1.0, 1.0, 0.0, 0.5, 2.0, 3.0, 100.0]) | st.floats(0, 4, width=32)
    weights = draw(st.lists(weight, min_size=len(block), max_size=len(block)))
    return replace(block, weights=np.array(weights, np.float32))


@st.composite
def weighted_blocks(draw, learner: Learner, *, most: int = 40) -> Block:
    """Any stream at all, each round with a weight."""
    return draw(weighed(draw(blocks(learner, most=most))))


def growing(learner: Learner) -> Block:
    """One feature outgrows the others and comes back: what a learner keeps to scale must be rescaled, all of it."""
    n, rng = width(learner), np.random.default_rng(1988)
    instances = []
    for t in range(150):
        rest = dict(enumerate(rng.integers(-3, 4, n).astype(float).tolist()))
        instances.append({0: 2.0 ** (t // 6)} if t % 3 == 0 else rest if t % 3 == 1 else {1: 3.0, n - 1: -2.0})
    # at first two mistakes, the second far larger; then a little of its feature against much of the other: which of the two decides tells
    # whether both are kept to one scale
    first = [{1: 3.0}, {0: 2.0**12}, *({0: a / 4, 1: 300.0 * b} for a in (1, -1) for b in (1, -1))]
    return block_of(learner, first + instances, [0, 0, -1, -1, -1, -1, *rng.integers(0, 2, 150)])


def block_of(learner: Learner, instances, labels, concept: int | None = None) -> Block:
    """These rounds as a block. Where the learner has a class, its concept of that number (the middle one) labels them instead."""
    if learner.concepts is not None:
        C = learner.concepts
        if C.domain == "points":
            instances = [row[:1] or [0] for row in instances]
        return C.concept(len(C) // 2 if concept is None else concept).label(Block.of(instances, labels))
    block = Block.of(instances, labels)
    if learner.domain != "boolean" and block.values is None:  # one compilation for all: rows of a real learner carry values
        return Block(block.indptr, block.indices, np.ones(len(block.indices), np.float32), block.labels)
    return block


@st.composite
def disjunction(draw, learner: Learner):
    """A stream labelled by a monotone disjunction, the set, and r."""
    S = draw(st.sets(st.integers(0, width(learner) - 1)))
    instances = boolean_rows(draw, learner)
    return labelled(learner, instances, [bool(S & set(row)) for row in instances]), S, {"r": len(S & met(learner, instances))}


@st.composite
def conjunction(draw, learner: Learner):
    """A stream labelled by a conjunction, {feature: +1 or -1}, and its size."""
    signs = draw(st.lists(st.sampled_from([1, -1, 0]), min_size=width(learner), max_size=width(learner)))
    target = {i: sign for i, sign in enumerate(signs) if sign}
    instances = boolean_rows(draw, learner)
    if draw(st.booleans()):  # few random rows satisfy a long conjunction: make some do so, and some all but one literal of it
        broken = draw(st.lists(st.sampled_from([None, *target]), min_size=len(instances), max_size=len(instances)))
        on, off = ({i for i in target if target[i] == sign} for sign in (1, -1))
        instances = [sorted(((set(row) | on) - off) ^ ({i} - {None})) for row, i in zip(instances, broken, strict=True)]
    labels = [all((i in row) == (sign > 0) for i, sign in target.items()) for row in instances]
    return labelled(learner, instances, labels), target, {"size": len(target.keys() & met(learner, instances))}


@st.composite
def function(draw, learner: Learner):
    """A stream on which the same instance always has the same label; and how many of its instances have a 1."""
    instances = draw(rows(learner, most=60))
    bare = [set(row) if not isinstance(row, dict) else frozenset((i, v) for i, v in row.items() if v) for row in instances]
    labels = {frozenset(instance): draw(st.booleans()) for instance in bare}
    block = labelled(learner, instances, [labels[frozenset(instance)] for instance in bare])
    return block, None, {"size": sum(labels.values())}


def met(learner: Learner, instances) -> set[int]:
    """The features a bound counts: those declared, or as many as the stream shows there are."""
    return set(range(learner.n if learner.n is not None else max([-1, *(i for row in instances for i in row)]) + 1))


@st.composite
def k_of_r(draw, learner: Learner):
    """A stream labelled by "at least k of these r", for a k that the learner's α can learn."""
    n, alpha = width(learner), Fraction(learner.settings.get("alpha", 1))  # without an α of its own it must learn every k
    S = draw(st.sets(st.integers(0, n - 1), min_size=1))
    k = draw(st.sampled_from([k for k in range(1, len(S) + 1) if (k - 1) * (alpha - 1) < 1]))
    instances = boolean_rows(draw, learner)
    return labelled(learner, instances, [len(S & set(row)) >= k for row in instances]), S, {"k": k, "r": len(S)}


@st.composite
def separable(draw, learner: Learner):
    """The same seen as a halfspace: μ = 1/k on the r variables, so U = r/k and δ = 1/k. For values in [0,1], any halfspace with a gap."""
    if learner.domain == "unit":
        return draw(gap(learner))
    block, S, facts = draw(k_of_r(learner))
    k, r = facts["k"], facts["r"]
    if (1 - Fraction(1, k)) * Fraction(learner.settings["alpha"]) >= 1:
        k = 1
        instances = [indices.tolist() for indices, _, _ in block.rounds()]
        block = labelled(learner, instances, [bool(S & set(row)) for row in instances])
    return block, S, {"U": Fraction(r, k), "delta": Fraction(1, k)}


@st.composite
def gap(draw, learner: Learner):
    """A stream in [0,1], a few rows met again and again, 1 where a·x ≥ b, 0 where a·x ≤ b - gap; a_i < 0 where 1-x_i is a feature too."""
    n, complement = width(learner), bool(learner.settings["complement"])
    weights = draw(st.lists(st.integers(-2 if complement else 0, 3), min_size=n, max_size=n))
    b = Fraction(draw(st.integers(1, 6)), 2)
    value = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    pool = draw(st.lists(st.lists(value, min_size=n, max_size=n), min_size=1, max_size=10))
    scores = {tuple(row): sum((a * Fraction(v) for a, v in zip(weights, row, strict=True)), Fraction(0)) for row in pool}
    U, _ = complemented(weights, b, 0)
    need = U and Fraction(learner.settings["delta"]) * (b + sum(-a for a in weights if a < 0))  # the gap that the learner's δ is made for
    kept = [row for row in scores if scores[row] >= b or scores[row] <= b - need]
    assume(kept)
    instances = draw(st.lists(st.sampled_from(kept), min_size=1, max_size=80))
    labels = [scores[row] >= b for row in instances]
    witness = {} if complement else {i: Fraction(a) / b for i, a in enumerate(weights) if a}
    facts = {"U": U, "delta": Fraction(learner.settings["delta"])}
    return labelled(learner, [{i: v for i, v in enumerate(row) if v} for row in instances], labels), witness, facts


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
    if any("U" in bound.needs for bound in learner.bounds if bound.assumes == "margin"):  # it measures u by Σ|u_i|
        return block, dict(enumerate(target)), {"gamma": smallest, "U": Fraction(sum(map(abs, target)))}
    length = Fraction(isqrt(sum(t * t for t in target) * 10**12) + 1, 10**6)  # |target|, rounded up
    return block, dict(enumerate(target)), {"gamma": smallest / length}


@st.composite
def close_calls(draw, learner: Learner):
    """A state of exponents and a row whose weights come as near θ as we can make them: greedily from above, then a long tail."""
    alpha, theta = Fraction(learner.settings.get("alpha", 2)), Fraction(learner.settings.get("theta", width(learner)))
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


@st.composite
def concept_class(draw, learner: Learner):
    """A stream labelled by a concept of the learner's class; its size is known to the learner."""
    block = draw(blocks(learner, most=80))
    return block, None, {}


ASSUMED = {
    "class": concept_class,
    "conjunction": conjunction,
    "disjunction": disjunction,
    "function": function,
    "k_of_r": k_of_r,
    "separable": separable,
    "margin": margin,
}


def boolean_rows(draw, learner: Learner):
    n = width(learner)
    pool = draw(st.lists(st.lists(st.integers(0, n - 1), unique=True, max_size=n), min_size=1, max_size=12))
    return draw(st.lists(st.sampled_from(pool), min_size=1, max_size=80))


def labelled(learner: Learner, instances, labels) -> Block:
    return block_of(learner, instances, [int(y) for y in labels])
