"""An alarm that assumes nothing of the learner and asks nothing of the user: has the stream changed?

**What is doubted.** Rounds are exchangeable: every order of them is equally likely. Independent draws from one distribution are so,
whatever the distribution, and so is a file whose rows were shuffled.

**One hypothesis.** After s labelled rounds the learner's hypothesis of that moment is frozen. It is a function of the rounds before, and
given these the later ones are exchangeable still. So are the e_1, e_2, ... that say on which of them the frozen hypothesis errs. (The
mistakes of a learner that goes on learning are not: they grow fewer.) Let it err K times in the n rounds after s. Given K and the rounds
that come after these n, every choice of K places among n is equally likely.

**Blocks.** The rounds after s are cut into blocks of B = 50. Let block b end at round n and hold k of the K errors. Its errors are ordered
by their number first, and then by their places, later ones above: of C(B, k) arrangements let r be below it. Then

    p_b = P(more than k of the K in the last B of n) + P(k of them there)·(1 - r/C(B, k)),   hypergeometric,

is the chance of this arrangement or one above, so that P(p_b ≤ x) ≤ x for all x, given K and the rounds after n. The p-values of later
blocks are functions of K and these rounds. So, from the last block to the first, p_1, p_2, ... are at least as large as independent
uniform ones. The hypothesis's own error, which nobody knows, is not in them, and no coin is tossed: the places of errors are the coin.

**Looks.** The score of a block is how many of the 28 levels P(N ≥ i/4), i = -7, ..., 20, N a normal deviate, its p-value does not exceed.
A look is taken after every block, at the last w = 2, 9 and 36 blocks (100, 450 and 1,800 rounds), as soon as half as many blocks (rounded
down) stand before these: T is the sum of their scores. With independent uniform p-values T would be larger, and its law is known. If L
looks are taken at a window,

    P(T ≥ c at any of them) ≤ P(T ≥ c) + (L - 1)·P(T ≥ c, and not at the look before),

for the first look at which T ≥ c is the first of all, or has one before it at which T < c (Hunter 1976, Worsley 1982). Two looks in a row
share w - 1 blocks, and the law of their sum is counted out.

**All looks.** Hypothesis j = 0, 1, ... is frozen after s_j = 125·2^j rounds, and looks are taken from s_j rounds later to 3·s_j rounds
later, or to 1,500 rounds later where that is more. Window w of it has the part u_j·v_w of δ. The v_w are 1/20, 18/20 and 1/20, divided by
the sum of those of the windows that have any look, and the u_j are 3/50, 4/50, 6/50, 17/50, 11/50, and then 9/50 of 1/2, 1/6, 1/12, ...
All parts add up to δ. So on an exchangeable stream,
however long, the probability that there is ever an alarm is at most δ. (A model that goes on is frozen at once, in place of hypothesis 0.)

The alarm says of its look that the bound above, at c = T and divided by u_j·v_w, bounds the probability of an alarm as strong as this one,
at any look.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, islice, pairwise
from math import comb, erfc, exp, inf, lgamma, log, sqrt
from typing import NamedTuple

FIRST, GROWTH = 125, 2  # s_0 and s_{j+1}/s_j
AT_LEAST = 1500  # rounds for which a hypothesis is judged
BLOCK = 50
SHARES = {2: Fraction(1, 20), 9: Fraction(18, 20), 36: Fraction(1, 20)}  # v_w, where all windows have looks
PARTS = [Fraction(part, 50) for part in (3, 4, 6, 17, 11)]  # u_0, u_1, ...; what is left is shared by all others
LOOSE = 1e-9  # what doubles may be off, relative: p is taken for so much more
LEVELS = [erfc(i / 4 / sqrt(2)) / 2 for i in range(20, -8, -1)]  # of p-values, the smallest first


class Sign(NamedTuple):
    """A look that proves a change: k mistakes in the last W of n rounds, where K are in all of them."""

    n: int
    K: int
    W: int
    k: int
    chance: float  # of an alarm as strong as this, at any look, on a stream that does not change
    change: int  # after so many of the n rounds the change is likeliest to have come


def tail(n: int, K: int, W: int, k: int) -> float:
    """P(at least k of K places lie among the last W of n), all choices of places being equally likely; rounded up.

    >>> round(tail(10, 4, 5, 4), 6), tail(10, 4, 5, 0)
    (0.02381, 1.0)
    """
    least, most = max(0, W - (n - K)), min(K, W)
    if k <= least:
        return 1.0
    if k > most:
        return 0.0
    logs = [lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1) for a, b in ((K, k), (n - K, W - k), (n, W))]
    term = total = 1.0
    for i in range(k, most):  # the ratio of neighbouring terms
        term *= (K - i) * (W - i) / ((i + 1) * (n - K - W + i + 1))
        total += term
        if term < total * 1e-18:
            break
    return min(1.0, exp(logs[0] + logs[1] - logs[2]) * total * (1 + LOOSE * (1 + n * 1e-3)))


def p_value(errors: Sequence[int], n: int) -> float:
    """Of the block that ends at round n, rounded up; `errors` are those after 0, 1, ... rounds.

    >>> [round(p_value(errors, 100), 3) for errors in ([0] * 51 + [1] * 50, [0] * 100 + [1], [0] * 101)]
    [0.5, 0.01, 1.0]
    """
    K, k = errors[n], errors[n] - errors[n - BLOCK]
    places = [t for t in range(BLOCK) if errors[n - BLOCK + t + 1] > errors[n - BLOCK + t]]
    below = sum(comb(place, i) for i, place in enumerate(places, 1)) / comb(BLOCK, k)
    return tail(n, K, BLOCK, k + 1) * below + tail(n, K, BLOCK, k) * (1 - below)


@cache
def laws(w: int) -> tuple[list[float], list[float]]:
    """Of the sum T of w scores of independent uniform p-values: P(T ≥ c), and P(T ≥ c, and not at the look before), for all c."""
    above = [1.0, *reversed(LEVELS), 0.0]  # P(score ≥ i)
    shared = [1.0]  # the law of the sum of w - 1 scores
    for _ in range(w - 1):
        wider = [0.0] * (len(shared) + len(LEVELS))
        for i, chance in enumerate(a - b for a, b in pairwise(above)):
            for s, weight in enumerate(shared):
                wider[s + i] += chance * weight
        shared = wider
    beyond = [*reversed([*accumulate(reversed(shared))]), *[0.0] * len(LEVELS)]  # P(it is ≥ c)
    last = [(i, top) for i, top in enumerate(above) if 0 < i <= len(LEVELS)]
    parts = [[(top, shared[c - i]) for i, top in last if 0 <= c - i < len(shared)] for c in range(len(beyond))]
    at_least = [all_of_it + sum(top * weight for top, weight in part) for all_of_it, part in zip(beyond, parts, strict=True)]
    return at_least, [sum(top * (1 - top) * weight for top, weight in part) for part in parts]


def ever(w: int, looks: int, c: int) -> float:
    """A bound on P(T ≥ c at any of so many looks)."""
    at_least, upward = laws(w)
    return (at_least[c] + (looks - 1) * upward[c]) * (1 + LOOSE)


class Judge:
    """A frozen hypothesis under judgement: how often it has erred after each round, and what its looks say."""

    def __init__(self, j: int, delta: Fraction) -> None:
        frozen = FIRST * GROWTH**j
        self.last = max(3 * frozen, AT_LEAST)  # rounds after which it is judged no longer
        begins = {w: max(frozen // BLOCK + 1, w + w // 2) for w in SHARES}
        self.looks = {w: self.last // BLOCK - begin + 1 for w, begin in begins.items() if begin <= self.last // BLOCK}
        whole = sum(SHARES[w] for w in self.looks)
        self.parts = {w: part_of(j) * SHARES[w] / whole for w in self.looks}
        self.least = {w: self._least(w, float(delta * part)) for w, part in self.parts.items()}  # the T of an alarm
        self.errors = array("q", [0])  # after 0, 1, ... rounds
        self.scores = array("q", [0])  # added up, after 0, 1, ... blocks

    def _least(self, w: int, level: float) -> int:
        sums = range(w * len(LEVELS) + 1)
        return bisect_left(sums, True, key=lambda c: bool(level >= ever(w, self.looks[w], c)))

    @property
    def rounds(self) -> int:
        return len(self.errors) - 1

    def add(self, errs: Iterable[bool]) -> Sign | None:
        """Some more rounds; the first look among them that proves a change."""
        self.errors.extend(islice(accumulate(errs, initial=self.errors[-1]), 1, None))
        for b in range(len(self.scores), min(self.rounds, self.last) // BLOCK + 1):
            p = p_value(self.errors, b * BLOCK) * (1 + LOOSE)
            self.scores.append(self.scores[-1] + len(LEVELS) - bisect_left(LEVELS, p))
            for w, looks in self.looks.items():
                T = self.scores[b] - self.scores[max(0, b - w)]
                if b > self.last // BLOCK - looks and self.least[w] <= T:
                    return self._sign(b * BLOCK, w, T)
        return None

    def _sign(self, n: int, w: int, T: int) -> Sign:
        K, W = self.errors[n], w * BLOCK
        chance = ever(w, self.looks[w], T) / float(self.parts[w])
        return Sign(n, K, W, K - self.errors[n - W], chance, change_in(self.errors[: n + 1]))


def part_of(j: int) -> Fraction:
    """u_j, the part of δ that hypothesis j has.

    >>> sum(part_of(j) for j in range(104))
    Fraction(4991, 5000)
    """
    k = j - len(PARTS)
    return PARTS[j] if k < 0 else (1 - sum(PARTS, Fraction(0))) / ((k + 1) * (k + 2))


def change_in(errors: Sequence[int]) -> int:
    """After how many rounds the rate of errors is likeliest to have risen; `errors` are those after 0, 1, ... rounds.

    >>> change_in([0] * 41 + [1, 1, 2, 3, 3, 4])
    40
    """
    n, K = len(errors) - 1, errors[-1]

    def parted(t: int) -> float:
        """The logarithm of the likelihood, of one rate for the first t rounds and one for the others."""
        k = errors[t]
        return likelihood(k, t) + likelihood(K - k, n - t) if k * n <= K * t else -inf

    return max(range(n), key=parted, default=0)


def likelihood(k: int, n: int) -> float:
    """ln of the likelihood of k ones in n rounds, at the rate that fits best."""
    return (k * log(k / n) if k else 0.0) + ((n - k) * log(1 - k / n) if k < n else 0.0)


def frozen_after(rounds: int, *, at_once: bool) -> int | None:
    """Which hypothesis is frozen after so many labelled rounds; `at_once`: the first one at the start, where something is learned already.

    >>> [frozen_after(rounds, at_once=False) for rounds in (0, 125, 250, 375, 500)], frozen_after(0, at_once=True)
    ([None, 0, 1, None, 2], 0)
    """
    if rounds == (0 if at_once else FIRST):
        return 0
    j = round(log(max(rounds, 1) / FIRST, GROWTH))
    return j if j >= 1 and rounds == FIRST * GROWTH**j else None


def next_frozen(rounds: int) -> int:
    """After how many labelled rounds the next hypothesis is frozen.

    >>> [next_frozen(rounds) for rounds in (0, 124, 125, 500)]
    [125, 125, 250, 1000]
    """
    due = FIRST
    while due <= rounds:
        due *= GROWTH
    return due
