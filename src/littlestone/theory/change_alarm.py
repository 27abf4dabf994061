"""An alarm that assumes nothing of the learner and asks nothing of the user: has the stream changed?

**What is doubted.** Rounds are exchangeable: every order of them is equally likely. Independent draws from one distribution are so,
whatever the distribution, and so is a file whose rows were shuffled.

**One hypothesis.** After s labelled rounds the learner's hypothesis of that moment is frozen. It is a function of the rounds before, and
given these the later ones are exchangeable still. So are the e_1, e_2, ... that say on which of them the frozen hypothesis errs. (The
mistakes of a learner that goes on learning are not: they grow fewer.) Let it err K times in the n rounds after s, and k times in the last
W of these. Given K, every choice of K places among n is equally likely, so k is hypergeometric, and

    p = P(k or more of the K fall into the last W) = Σ_{i≥k} C(K, i)·C(n-K, W-i)/C(n, W)

is a p-value: P(p ≤ α) ≤ α. It is exact, and the hypothesis's own error, which nobody knows, is not in it.

**Many looks.** A look is taken every 50th labelled round after s, at windows W of 100, 450 and 1,800 rounds, as soon as n ≥ 2W. Hypothesis
j = 0, 1, ... is frozen after s_j = 125·4^j rounds and judged until round 8·s_j. Window W has L_jW looks in that time, and is tested at each
of them at level α_jW = δ·u_j·v_jW/L_jW. The v_jW are 1/20, 17/20 and 2/20, divided by the sum of those of the windows that have any look,
and the u_j are 1/20, 10/20, 5/20, and then 4/20 of 1/2, 1/6, 1/12, ... All levels add up to δ, and each is that of a look that is taken.
So on an exchangeable stream, however long, the probability that there is ever an alarm is at most δ. (The number of tests with p ≤ α,
divided by δ, is an e-process: it never falls, and its expectation is at most 1.)

The alarm says of its look that p·δ/α, which is at most δ, bounds the probability of an alarm as strong as this one, at any look.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, islice
from math import exp, inf, lgamma, log, sqrt
from typing import NamedTuple

FIRST, GROWTH, JUDGED = 125, 4, 8  # s_0, s_{j+1}/s_j, and at how many times s_j a hypothesis is judged no longer
STEP = 50
SHARES = {100: Fraction(1, 20), 450: Fraction(17, 20), 1800: Fraction(2, 20)}  # v_W, where all windows have looks
LOOSE = 1e-9  # what doubles may be off, relative: p is taken for so much more


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


class Judge:
    """A frozen hypothesis under judgement: how often it has erred after each round, and what its looks say."""

    def __init__(self, j: int, delta: Fraction) -> None:
        self.last = (JUDGED - 1) * FIRST * GROWTH**j  # rounds after which it is judged no longer
        self.delta = float(delta)
        looks = {W: (self.last - 2 * W) // STEP + 1 for W in SHARES if self.last >= 2 * W}
        whole = sum(SHARES[W] for W in looks)
        self.levels = {W: float(delta * part_of(j) * SHARES[W] / whole / count) for W, count in looks.items()}
        self.errors = array("q", [0])  # after 0, 1, ... rounds

    @property
    def rounds(self) -> int:
        return len(self.errors) - 1

    def add(self, errs: Iterable[bool]) -> Sign | None:
        """Some more rounds; the first look among them that proves a change."""
        before = self.rounds
        self.errors.extend(islice(accumulate(errs, initial=self.errors[-1]), 1, None))
        for n in range((before // STEP + 1) * STEP, min(self.rounds, self.last) + 1, STEP):
            for W, level in self.levels.items():
                if n < 2 * W:
                    break
                K = self.errors[n]
                k = K - self.errors[n - W]
                if plausible(n, K, W, k) and (p := tail(n, K, W, k)) <= level:
                    return Sign(n, K, W, k, p * self.delta / level, change_in(self.errors[: n + 1]))
        return None


def part_of(j: int) -> Fraction:
    """u_j, the part of δ that hypothesis j has.

    >>> sum(part_of(j) for j in range(103))
    Fraction(504, 505)
    """
    return Fraction((1, 10, 5)[j], 20) if j < 3 else Fraction(4, 20 * (j - 2) * (j - 1))


def plausible(n: int, K: int, W: int, k: int) -> bool:
    """May so many be significant? Two standard deviations above the mean at least; no level is so large that fewer were."""
    mean = W * K / n
    return k > mean + 2 * sqrt(mean * (1 - K / n) * (1 - W / n))


def change_in(errors: Sequence[int]) -> int:
    """After how many rounds the rate of errors is likeliest to have risen; `errors` are those after 0, 1, ... rounds.

    >>> change_in([0] * 41 + [1, 1, 2, 3, 3, 4])
    40
    """
    n, K = len(errors) - 1, errors[-1]

    def likelihood(t: int) -> float:
        """The logarithm, of one rate for the first t rounds and one for the others."""
        k = errors[t]
        return _fit(k, t) + _fit(K - k, n - t) if k * n <= K * t else -inf

    return max(range(n), key=likelihood, default=0)


def _fit(k: int, n: int) -> float:
    """ln of the likelihood of k ones in n rounds, at the rate that fits best."""
    return (k * log(k / n) if k else 0.0) + ((n - k) * log(1 - k / n) if k < n else 0.0)


def frozen_after(rounds: int, *, at_once: bool) -> int | None:
    """Which hypothesis is frozen after so many labelled rounds; `at_once`: the first one at the start, where something is learned already.

    >>> [frozen_after(rounds, at_once=False) for rounds in (0, 125, 250, 500, 2000)], frozen_after(0, at_once=True)
    ([None, 0, None, 1, 2], 0)
    """
    if rounds == (0 if at_once else FIRST):
        return 0
    j = round(log(max(rounds, 1) / FIRST, GROWTH))
    return j if j >= 1 and rounds == FIRST * GROWTH**j else None


def next_frozen(rounds: int) -> int:
    """After how many labelled rounds the next hypothesis is frozen.

    >>> [next_frozen(rounds) for rounds in (0, 124, 125, 500)]
    [125, 125, 500, 2000]
    """
    due = FIRST
    while due <= rounds:
        due *= GROWTH
    return due
