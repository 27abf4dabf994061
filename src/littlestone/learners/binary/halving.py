"""Halving: predict with the majority of the concepts that are still possible.

Predict 1 iff at least half of the living concepts say 1.  Then drop those that were wrong: after every round (`updates="always"`), or
only after a mistake (`updates="mistakes"`).  If none is left, the stream is refused at that round, and what was learned before it is
kept.

>>> import littlestone as ls
>>> from littlestone import concepts
>>> binary_search = concepts.half_intervals(16, empty=False)  # 1 from some point a on, a = 0 to 15
>>> run = ls.play(ls.halving(binary_search), [{7}, {11}, {9}, {8}], [0, 1, 1, 0])  # a = 9
>>> run.predictions.tolist(), run.mistakes, int(run.state.tally[0])
([1, 1, 1, 1], 2, 1)
>>> [(claim.name, claim.limit) for claim in run.bounds("class")]
[('halving-class', 4), ('halving-survivors', 4)]

Theorem (Kanade, Theorem 8): each mistake halves the living concepts, so on a stream that some concept labels M ≤ ⌊log2 |C|⌋.

The living are bits.  What each says of an instance is a column of the class's table; of all monotone disjunctions (or conjunctions)
over n variables it is worked out as the pass goes, so that 2^24 of them need two megabytes and no table.

With `agnostic=True` no stream is refused: a wrong concept keeps its vote, which is worth β for each of its mistakes (β = 1/2 unless
given), and the heavier side predicts.  Doubles weigh; where they come too close to a tie to be sure, exact arithmetic decides.

>>> noisy = ls.play(ls.halving(binary_search, agnostic=True), [{7}, {11}, {9}, {8}, {9}, {8}], [0, 1, 1, 0, 0, 0])  # once 9 is a 0
>>> noisy.mistakes, int(noisy.state.counts.min()), [(claim.name, claim.limit) for claim in noisy.bounds()]
(3, 1, [('halving-agnostic', 12)])

Theorem (Littlestone, Warmuth 1994): a mistake leaves at most (1+β)/2 of all weight, so M ≤ (m·ln(1/β) + ln |C|)/ln(2/(1+β)) for every
concept, m its mistakes over all rounds.
"""

from collections import Counter, namedtuple
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from littlestone.concepts.classes import MOST_BITS
from littlestone.concepts.finite import EMPTIED, finite, strangers_refused
from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.powers import outweighs
from littlestone.protocol import Block, Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.mixture import Intersection
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import within
from littlestone.theory import halving as theory

ALL = np.uint64(2**64 - 1)  # a word in which every concept is
CUBE, POINTS, ANY, EVERY = range(4)  # how a row is read: a point of a table, or a set that each subset is to meet, or to lie in
ALIVE, MISTAKES, BROKEN = range(3)  # the places of the tally

Params = namedtuple("Params", "reading n always columns")


class State(NamedTuple):
    alive: Any = Column(np.uint64, size=None)
    tally: Any = Column(np.int64, size=3)


LEAST, MOST = range(2)  # the places of the tally of an agnostic learner: the fewest and the most mistakes of a concept
FAINT = 2.0**-150  # a weight below it counts as none beside the heaviest: the exact sum decides wherever it could matter
MOST_WEIGHED = 2**26  # concepts with a count each

WeighedParams = namedtuple("WeighedParams", "reading n columns powers exact")  # exact: up to this spread of counts doubles add exactly


class Weighed(NamedTuple):
    counts: Any = Column(np.int64, size=None, within=(0, 2**31))  # each concept's mistakes so far
    tally: Any = Column(np.int64, size=2)


# ---- agnostic: a vote for every concept, worth β^(its mistakes) ----


def words_of(params: Any, count: int, indices: np.ndarray) -> np.ndarray:
    """What the concepts say of an instance, a bit each."""
    words = np.empty(count, np.uint64)
    native.core.said_by_concepts(params.reading, params.n, params.columns, indices, words)
    return words


def sides(params: WeighedParams, state: Weighed, indices: np.ndarray) -> tuple[Counter, Counter]:
    """How many concepts with so many mistakes say 1 of an instance, and how many say 0."""
    words = words_of(params, -(-len(state.counts) // 64), indices)
    ones = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")[: len(state.counts)] == 1
    return Counter(state.counts[ones].tolist()), Counter(state.counts[~ones].tolist())


def settle(params: WeighedParams, settings: dict, state: Weighed, indices: np.ndarray) -> bool:
    return outweighs(settings["beta"], *sides(params, state, indices))


def powers_of(beta: Fraction, size: int) -> tuple[np.ndarray, int]:
    """1, β, β², … down to what no longer counts, and the spread of counts up to which doubles add so many of them without rounding."""
    with localcontext(Context(prec=60)):
        base, powers = Decimal(beta.numerator) / beta.denominator, [Decimal(1)]
        while powers[-1] > Decimal(FAINT):
            powers.append(powers[-1] * base)
    twos = beta.denominator.bit_length() - 1
    exact = (53 - size.bit_length()) // twos if beta.denominator == 1 << twos else 0
    return np.array([*map(float, powers), 0.0]), max(0, exact)


def parts_weighed(params: WeighedParams, state: Weighed, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a vote: the concepts that say 1 on one side, those that say 0 on the other; the best concept's vote is worth 1."""
    last, least = len(params.powers) - 1, int(state.tally[LEAST])
    two = [
        (side.total(), sum(count * float(params.powers[min(c - least, last)]) for c, count in side.items()))
        for side in sides(params, state, indices)
    ]
    (ones, a), (zeros, b) = two
    words = f"{ones:,} of {ones + zeros:,} concepts say 1"
    return whole(Term("concepts that say 1", ones, None, a, ones), Term("concepts that say 0", zeros, None, 0.0 - b, zeros), words=words)


def sound_weighed(params: WeighedParams, state: Weighed) -> None:
    fits = state.tally.tolist() == [state.counts.min(), state.counts.max()]
    require(fits, f"its tally is {state.tally.tolist()}; expected the fewest and the most mistakes of a concept")


def facts_weighed(run: Run) -> dict:
    best = int(np.argmin(run.state.counts))
    settings = run.learner.settings
    facts = {"size": settings["concepts"].size, "m": int(run.state.counts[best]), "beta": settings["beta"]}
    return {**facts, "witness": f"the concept {settings['concepts'].concept(best)}, the best over all rounds"}


def weighed(C: Any, params: Params, beta: Fraction) -> dict[str, Any]:
    """What an agnostic learner has in the place of living concepts."""
    size = len(C)

    def init(room: int) -> Weighed:
        return Weighed(np.zeros(size, np.int64), np.zeros(2, np.int64))

    require(size <= MOST_WEIGHED, f"{C!r} has {size:,} concepts; at most {MOST_WEIGHED:,} can be weighed, a count each")
    powers, exact = powers_of(beta, size)
    weighing = WeighedParams(params.reading, params.n, params.columns, powers, exact)
    return {
        "params": weighing,
        "state": Layout(Weighed, init, sound_weighed, room=strangers_refused(C)),
        "algorithm": native.core.AgnosticHalving,
        "settle": partial(settle, weighing),
        "facts": facts_weighed,
        "parts": parts_weighed,
    }


def first_state(size: int) -> State:
    alive = np.full(-(-size // 64), ALL)
    if size % 64:
        alive[-1] = 2 ** (size % 64) - 1
    return State(alive, np.array([size, 0, 0]))


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a vote: +1 for every living concept that says 1, -1 for every one that says 0."""
    ones = float(native.core.size_of_set(state.alive & words_of(params, len(state.alive), indices)))
    zeros = float(state.tally[ALIVE]) - ones
    words = f"{ones:,.0f} of {ones + zeros:,.0f} living concepts say 1"
    return whole(
        Term("concepts that say 1", ones, 1.0, ones, ones), Term("concepts that say 0", zeros, -1.0, 0.0 - zeros, zeros), words=words
    )


def sound(size: int, params: Params, state: State) -> None:
    within(state, tally=([1, 0, 0], [size, 2**53, 1]))
    every = first_state(size).alive
    fits = (state.alive | every == every).all() and native.core.size_of_set(state.alive) == state.tally[ALIVE]
    require(fits, f"its alive is no set of {state.tally[ALIVE]} concepts of the class")


def facts(run: Run) -> dict:
    return {"size": run.learner.concepts.size, "alive": int(run.state.tally[ALIVE]), "witness": "the concepts still alive"}


def broken(state: tuple) -> str:
    return EMPTIED if state[1][BROKEN] else ""


class MergedHalving(Intersection):
    """Over shards: a concept lives that lives in every shard."""

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> State:
        alive = np.bitwise_and.reduce([alive for alive, _ in states])
        left = native.core.size_of_set(alive)
        require(left, f"{learner.name}: {EMPTIED[:-6]}of all shards")
        return State(alive, np.array([left, max(int(tally[MISTAKES]) for _, tally in states), 0]))

    def losses(self, learner: Learner, state: tuple, block: Block, witnesses: Sequence[Any]) -> list[float]:
        return [0.0]

    def facts(self, learner: Learner, state: tuple, witness: Any, lost: Any) -> dict[str, Any]:
        return {"size": learner.concepts.size, "alive": int(state[1][ALIVE])}

    def in_words(self, witness: Any) -> str:
        return "the concepts that are left"


WHEN = "one of finitely many concepts that you can write down labels every round"
SAMPLES: tuple[dict, ...] = (
    {"concepts": "disjunctions", "n": 7},
    {"concepts": "disjunctions", "n": 7, "updates": "mistakes"},
    {"concepts": "monotone_conjunctions", "n": 5},
    {"concepts": "conjunctions", "n": 4},
    {"concepts": "half_intervals", "n": 9},
    {"concepts": "disjunctions", "n": 5, "agnostic": True},
    {"concepts": "half_intervals", "n": 9, "beta": "1/3"},
)


def halving(
    concepts: Any = "disjunctions",
    *,
    n: int | None = None,
    r: int | None = None,
    updates: str = "always",
    agnostic: bool = False,
    beta: float | Fraction | None = None,
) -> Learner:
    """Halving over a finite class: one of `littlestone.concepts`, its name with n (and r, of disjunctions), or a boolean matrix.

    `agnostic` weighs the concepts in place of dropping them, a mistake leaving `beta` of a vote, 1/2 unless given; given, it says so too.
    """
    require(updates in ("always", "mistakes"), f"updates={updates!r} must be 'always' or 'mistakes'")
    C = finite(concepts, n, r)
    size = C.size or 0  # (`len` takes no number so large)
    require(size <= MOST_BITS, f"{C!r} has {size:,} concepts; at most {MOST_BITS:,} can be kept, a bit each")
    worked_out = {"any": ANY, "all": EVERY}.get(C.subsets or "")
    reading = worked_out if worked_out is not None else CUBE if C.domain == "cube" else POINTS
    params = Params(reading, C.n, updates == "always", C.columns() if worked_out is None else np.zeros((1, 1), np.uint64))
    settings: dict[str, Any] = {"concepts": C, "updates": updates}
    kind: dict[str, Any] = {
        "params": params,
        "state": Layout(State, lambda room: first_state(size), partial(sound, size), broken, strangers_refused(C)),
        "algorithm": native.core.Halving,
        "facts": facts,
        "parts": parts,
        "mixture": MergedHalving(),
    }
    if agnostic or beta is not None:
        require(updates == "always", f"updates={updates!r}: an agnostic learner counts every mistake of every concept (updates='always')")
        settings["beta"] = theory.FAMILY.settings["beta"].take(Fraction(1, 2) if beta is None else beta, "beta")
        kind = weighed(C, params, settings["beta"])

    return Learner(name="halving", family=theory.FAMILY, settings=settings, **kind)
