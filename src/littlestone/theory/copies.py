"""Copies of a learner, one more after each alarm: whose answer is given, and what an alarm costs that was not needed.

Copy 1 begins with the run, and plays as if there were no alarm. Each alarm begins one copy more. At most three play at once: copy 1, which
stays to the end, and two others; where a fourth begins, the later copy of the least weight goes.

**Whose answer.** The copies are experts under fixed share. A new one begins with the weight of the heaviest. The answer is the one that has
the most weight behind it; of answers with the same weight, that of the oldest copy. After a labelled round in which some copies erred and
others did not, the weights of those that erred are multiplied by 3/5, all are divided by their sum, and each copy gives away a share 1/64,
which is divided equally among all. Of the copies with the answer given the heaviest spoke, of equally heavy ones the oldest.

**What it costs.** Let M be the mistakes of the run, and M_1 those of copy 1: what the run would have made without an alarm. In a round in
which another answer than copy 1's would be given, copy 1 answers all the same, unless

    (a)  M - M_1 + 1 ≤ max(3, M_1/100), both counted before the round, or
    (b)  a later copy is clearly ahead of copy 1: since it began, one of the two alone was right in n ≥ 1 rounds, and the later one in
         (n + 3√n)/2 of them or more, which is three standard deviations above half.

Let X be the rounds that (b) alone allowed, where copy 1 was right and the answer was wrong. Then

    M ≤ M_1 + max(3, ⌊M_1/100⌋) + X.

Proof: D = M - M_1 - X begins at 0. It grows only in rounds where copy 1 is right and the answer wrong, and by 1; not where (b) alone
allowed it, since X grows as well. So it grows where (a) held, which is D + X + 1 ≤ max(3, M_1/100), to D ≤ max(3, M_1/100), as X ≥ 0. M_1
never falls, so it stays so; and D is a whole number. Nothing is used of the copies, of the weights, or of when an alarm is raised.

X = 0 where no later copy is ever clearly ahead. That is what an alarm means that was not needed: it costs 3 mistakes or 1 %, whichever is
more. Where rules lose parts of 1 in a round (the advice of experts), read losses for mistakes, and no ⌊⌋.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import sqrt

from littlestone.theory.bound import Bound, Claim, hindsight, judge

MOST = 3  # copies that play at once
FACTOR, SHARE = 3 / 5, 1 / 64  # what a mistake multiplies a weight by, and what each weight gives away
FEW, PART = 3, 100  # mistakes that alarms may cost in any case, and which part of copy 1's
CLEARLY = 3.0  # standard deviations


class CopyChoice:
    """The copies of a run, from their answers alone: who speaks in each round, and what the alarms have cost so far."""

    def __init__(self) -> None:
        self.copies = [1]  # those that play, the oldest first
        self.weights = [1.0]
        self.leads: list[float] = [0]  # by how much copy 1 lost more than each, since that began
        self.apart: list[float] = [0]  # what they lost in rounds in which one of the two lost more
        self.first: float = 0  # M_1
        self.more: float = 0  # M - M_1
        self.beyond: float = 0  # X
        self.begun = 1  # copies so far

    def begin(self) -> int | None:
        """Begin another copy; the number of the one that goes, where there are too many."""
        gone = None
        if len(self.copies) == MOST:
            place = min(range(1, MOST), key=lambda k: self.weights[k])
            gone = self.copies[place]
            for each in (self.copies, self.weights, self.leads, self.apart):
                del each[place]
        self.weights.append(max(self.weights))
        self.begun += 1
        self.copies.append(self.begun)
        self.leads.append(0)
        self.apart.append(0)
        return gone

    @property
    def within(self) -> bool:
        """(a): may another answer than copy 1's cost a mistake?"""
        return PART * (self.more + 1) <= max(PART * FEW, self.first)

    @property
    def clear(self) -> bool:
        """(b): is a later copy clearly ahead?"""
        return any(n >= 1 and lead >= CLEARLY * sqrt(n) for lead, n in zip(self.leads, self.apart, strict=True))

    @property
    def heaviest(self) -> int:
        """The place of the copy that speaks where all answer alike."""
        return self.weights.index(max(self.weights))

    @property
    def leader(self) -> int:
        """The place of the copy that a model keeps: the heaviest, or copy 1 where the others may not answer."""
        return self.heaviest if self.within or self.clear else 0

    def speaker(self, answers: Sequence[Hashable]) -> int:
        """The place of the copy that speaks in a round where answers differ."""
        chosen = answers[0]
        if self.within or self.clear:
            behind: dict[Hashable, float] = {}
            for answer, weight in zip(answers, self.weights, strict=True):
                behind[answer] = behind.get(answer, 0.0) + weight
            chosen = max(behind, key=lambda answer: behind[answer])  # of two the one that came first
        own = [weight if answer == chosen else -1.0 for answer, weight in zip(answers, self.weights, strict=True)]
        return own.index(max(own))

    def learn(self, place: int, losses: Sequence[float]) -> None:
        """Learn what each copy lost in a round in which that one spoke."""
        first, more = losses[0], losses[place] - losses[0]
        if more > 0 and not self.within:
            self.beyond += more
        self.first += first
        self.more += more
        if min(losses) == max(losses):
            return
        for k, loss in enumerate(losses):
            self.leads[k] += first - loss
            self.apart[k] += abs(first - loss)
        left = [weight * FACTOR**loss for weight, loss in zip(self.weights, losses, strict=True)]
        total, gift = sum(left), SHARE / len(left)
        self.weights = [(1 - SHARE) * weight / total + gift for weight in left]

    def agree(self, lost: Iterable[float]) -> None:
        """Learn what all copies alike lost in some rounds, one after the other: so sums of doubles do not depend on how rounds are cut."""
        for loss in lost:
            self.first += loss


def most(first: int, beyond: int = 0) -> int:
    """M_1 + max(3, ⌊M_1/100⌋) + X.

    >>> most(28), most(4193), most(4193, 5)
    (31, 4234, 4239)
    """
    return first + max(FEW, first // PART) + beyond


COST: Bound = hindsight(
    "alarm-cost",
    "M ≤ M_1 + max(3, ⌊M_1/100⌋) + X,  M_1 = the mistakes of copy 1, which are those without an alarm, X = mistakes where copy 1 was "
    "right, allowed only since a later copy was clearly ahead of it",
    lambda first, beyond: Fraction(most(first, beyond)),
    "derived in theory/copies.py",
    witness="run",
)


def cost(mistakes: int, first: int, beyond: int) -> Claim:
    """What the theorem says of a run.

    >>> claim = cost(26, 28, 0)
    >>> claim.observed, claim.limit, claim.holds
    (26, 31, True)
    """
    return judge(COST, mistakes, {"first": first, "beyond": beyond})
