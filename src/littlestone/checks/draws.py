"""Streams to try a learner on: any stream at all, and for each assumption streams that meet it, with the facts that go with them.

Hypothesis draws how long a stream is, of how many different rows, and a seed (`dice`) that decides the rest; it shrinks the first two.
Drawn one by one, numbers and labels would take several times as long as the learner does.
"""

from dataclasses import replace
from fractions import Fraction
from math import isqrt
from random import Random

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from littlestone.protocol import Block, Learner
from littlestone.theory.winnow_real import complemented

DEFAULT_N = 6
ROUNDED = [float(np.float32(x)) for x in (0.1, 1 / 3, 0.7, 1.1, 1.9)]
EDGES = [0.0, -0.0, 2.0**-149, 2.0**-126, 2.0**-60, 2.0**-23, 1 - 2.0**-24, 1 + 2.0**-23, 2.0, *ROUNDED]

dice = st.integers(0, 2**32 - 1).map(Random)


def lengths(most: int) -> st.SearchStrategy[int]:
    """How many rounds: half of the streams are short."""
    return st.integers(1, most) | st.integers(1, max(1, most // 8))


def width(learner: Learner) -> int:
    return learner.n or DEFAULT_N


def value(chance: Random, learner: Learner, whole: bool) -> float:
    """A value that the learner takes: whole numbers, numbers at the edge of something, and any others, each now and then."""
    unit, kind = learner.domain == "unit", chance.random()
    if whole:
        return chance.randint(0, 1) if unit else chance.randint(-3, 3)
    if kind < 0.5:
        return chance.choice((0.0, 0.25, 0.5, 1.0)) if unit else float(chance.randint(-3, 3))
    x = (
        chance.choice(EDGES)
        if kind < 0.65
        else float(np.float32(chance.uniform(0, 2) * 10.0 ** -(chance.randint(0, 9) if kind < 0.7 else 0)))
    )
    return min(x, 1.0) if unit else x if chance.random() < 0.5 else -x


def subset(chance: Random, n: int) -> list[int]:
    """Some of n features, in no particular order."""
    return chance.sample(range(n), chance.randint(0, n))


@st.composite
def rows(draw, learner: Learner, *, whole: bool = False, most: int = 40):
    """Rows of features in no particular order; real values, whole ones, or presence, as the learner takes them.

    A few rows, each met again and again: what drives a learner to its limits is seldom new.
    """
    n, size, length, chance = width(learner), draw(st.integers(1, 8)), draw(lengths(most)), draw(dice)
    points = getattr(learner.concepts, "domain", "") == "points"  # an instance is one point
    pool: list = [[chance.randrange(n)] if points else subset(chance, n) for _ in range(size)]
    if learner.domain != "boolean":
        pool = [{i: value(chance, learner, whole) for i in keys} for keys in pool]
    return chance.choices(pool, k=length)


@st.composite
def blocks(draw, learner: Learner, *, whole: bool = False, most: int = 40) -> Block:
    """Any stream at all, some rounds without a label; of a learner that other streams empty, one that a concept of its class labels."""
    instances = draw(rows(learner, whole=whole, most=most))
    labels = draw(dice).choices((0, 1, -1), (3, 3, 1), k=len(instances))
    return block_of(learner, instances, labels, draw(st.integers(0, len(learner.concepts) - 1)) if learner.broken is not None else None)


@st.composite
def weighed(draw, block: Block) -> Block:
    """The same rounds with weights: none, small, large, and ones that no double adds exactly."""
    chance = draw(dice)
    plain = chance.choices((1.0, 1.0, 0.0, 0.5, 2.0, 3.0, 100.0, 2.0**-149), k=len(block))
    weights = [w if chance.random() < 0.5 else chance.uniform(0, 4) for w in plain]
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
    """These rounds as a block, in whose rows features are sorted and no value is 0, as learners get them. Of a learner that other streams
    empty, the concept of that number (the middle one) labels them instead."""
    C = learner.concepts
    if C is not None and C.domain == "points":
        instances = [row[:1] or [0] for row in instances]
    if getattr(learner, "broken", None) is not None:
        return C.concept(len(C) // 2 if concept is None else concept).label(Block.of(instances, labels))
    block = replace(Block.of(instances, labels).ordered(), examined=None)
    if learner.domain != "boolean" and block.values is None:  # one compilation for all: rows of a real learner carry values
        return Block(block.indptr, block.indices, np.ones(len(block.indices), np.float32), block.labels)
    return block


@st.composite
def disjunction(draw, learner: Learner):
    """A stream labelled by a monotone disjunction, the set, and r."""
    S = set(subset(draw(dice), width(learner)))
    instances = boolean_rows(draw, learner)
    return labelled(learner, instances, [bool(S & set(row)) for row in instances]), S, {"r": len(S & met(learner, instances))}


@st.composite
def conjunction(draw, learner: Learner):
    """A stream labelled by a conjunction, {feature: +1 or -1}, and its size."""
    chance = draw(dice)
    target = {i: sign for i in range(width(learner)) if (sign := chance.choice((1, -1, 0)))}
    instances = boolean_rows(draw, learner)
    if draw(st.booleans()):  # few random rows satisfy a long conjunction: make some do so, and some all but one literal of it
        broken = chance.choices([None, *target], k=len(instances))
        on, off = ({i for i in target if target[i] == sign} for sign in (1, -1))
        instances = [sorted(((set(row) | on) - off) ^ ({i} - {None})) for row, i in zip(instances, broken, strict=True)]
    labels = [all((i in row) == (sign > 0) for i, sign in target.items()) for row in instances]
    return labelled(learner, instances, labels), target, {"size": len(target.keys() & met(learner, instances))}


@st.composite
def function(draw, learner: Learner):
    """A stream on which the same instance always has the same label; and how many of its instances have a 1."""
    instances, chance = draw(rows(learner, most=60)), draw(dice)
    bare = [set(row) if not isinstance(row, dict) else frozenset((i, v) for i, v in row.items() if v) for row in instances]
    labels = {frozenset(instance): chance.random() < 0.5 for instance in bare}
    block = labelled(learner, instances, [labels[frozenset(instance)] for instance in bare])
    return block, None, {"size": sum(labels.values())}


def met(learner: Learner, instances) -> set[int]:
    """The features a bound counts: those declared, or as many as the stream shows there are."""
    return set(range(learner.n if learner.n is not None else max([-1, *(i for row in instances for i in row)]) + 1))


@st.composite
def k_of_r(draw, learner: Learner):
    """A stream labelled by "at least k of these r", for a k that the learner's α can learn."""
    n, alpha = width(learner), Fraction(learner.settings.get("alpha", 1))  # without an α of its own it must learn every k
    chance = draw(dice)
    S = set(subset(chance, n)) or {chance.randrange(n)}
    k = chance.choice([k for k in range(1, len(S) + 1) if (k - 1) * (alpha - 1) < 1])
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
    size, length, chance = draw(st.integers(1, 10)), draw(lengths(80)), draw(dice)
    weights = [chance.randint(-2 if complement else 0, 3) for _ in range(n)]
    b = Fraction(chance.randint(1, 6), 2)
    pool = [chance.choices((0.0, 0.25, 0.5, 1.0), k=n) for _ in range(size)]
    scores = {tuple(row): sum((a * Fraction(v) for a, v in zip(weights, row, strict=True)), Fraction(0)) for row in pool}
    U, _ = complemented(weights, b, 0)
    need = U and Fraction(learner.settings["delta"]) * (b + sum(-a for a in weights if a < 0))  # the gap that the learner's δ is made for
    kept = [row for row in scores if scores[row] >= b or scores[row] <= b - need]
    assume(kept)
    instances = chance.choices(kept, k=length)
    labels = [scores[row] >= b for row in instances]
    witness = {} if complement else {i: Fraction(a) / b for i, a in enumerate(weights) if a}
    facts = {"U": U, "delta": Fraction(learner.settings["delta"])}
    return labelled(learner, [{i: v for i, v in enumerate(row) if v} for row in instances], labels), witness, facts


@st.composite
def margin(draw, learner: Learner):
    """A stream labelled by a halfspace through the origin, none of its points on the border; γ for the learner's own norm."""
    n, chance = width(learner), draw(dice)
    target = [chance.randint(-3, 3) for _ in range(n)]
    target[0] += not any(target)
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
    """A state of exponents and a row whose weights come as near θ as we can make them: greedily from above, then a long tail. Of concepts
    that vote, as many on one side as on the other with so many mistakes."""
    if learner.concepts is not None:
        chance, votes, i = draw(dice), learner.init(1), draw(st.integers(0, width(learner) - 1))
        ones = learner.concepts.answers(i if learner.concepts.domain == "points" else 1 << i)
        votes[0][:] = [chance.randint(500, 600) for _ in ones]  # those that are left over decide, and weigh next to nothing
        for a, b in zip(np.flatnonzero(ones), chance.sample(np.flatnonzero(~ones).tolist(), int((~ones).sum())), strict=False):
            votes[0][a] = votes[0][b] = chance.randrange(40)
        votes[1][:] = votes[0].min(), votes[0].max()
        return votes, np.array([i], np.uint32)
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
    chance = draw(dice)
    tail = [chance.randint(-200, -depth) for _ in range(chance.randint(0, 3))]
    nudge = draw(st.sampled_from(["none", "drop the last", "repeat the last"]))
    if exponents and nudge != "none":
        exponents = exponents[:-1] if nudge == "drop the last" else [*exponents, exponents[-1]]
    state = learner.init(256)
    row = [*exponents, *tail]
    chance.shuffle(row)
    state[0][: len(row)] = row
    return state, np.arange(len(row), dtype=np.uint32)


@st.composite
def concept_class(draw, learner: Learner):
    """A stream labelled by a concept of the learner's class; its size is known to the learner."""
    block, C = draw(blocks(learner, most=80)), learner.concepts
    return C.concept(draw(st.integers(0, len(C) - 1))).label(block), None, {}


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
    size, length, chance = draw(st.integers(1, 12)), draw(lengths(80)), draw(dice)
    return chance.choices([subset(chance, width(learner)) for _ in range(size)], k=length)


def labelled(learner: Learner, instances, labels) -> Block:
    return block_of(learner, instances, [int(y) for y in labels])
