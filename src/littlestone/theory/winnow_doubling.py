"""Winnow with a doubling guess: k and r are not known, and g = 1, 2, 4, … is tried in place of both.

With guess g it plays Winnow at θ = n and α = 1 + 1/(2g) (α = 2 at g = 1).  B(g) is the bound for "g of g" variables at that α.  At fixed
α and θ the bound for k of r, P ≤ (rL + (k-1)a)/(1 - (k-1)(α-1)) with a = α/(α-1) and N < a + αP, grows with k, with r and with P: so if a
k-of-r function with k ≤ r ≤ g labels the stream, no segment at guess g makes more than B(g) mistakes.  A segment that makes B(g) + 1
proves that the guess is too small; it ends there, and the next begins afresh at 2g.  So the guess never passes the first power of two
that is r or more, 2^j:  M ≤ Σ_{i<j} (B(2^i) + 1) + B(2^j).

The last guess is never given up: it is the first power of two that is n or `largest` or more.  Whatever the stream, segments before the
current one made B + 1 mistakes each, and Winnow's agnostic bound with no relevant variable, N < a + αP, holds within the current one.

So does the agnostic bound for every k and every set S, with A its attribute errors on the mistakes since the segment began (`since`).  And
whatever segment the run ends in: with A on all mistakes, a segment whose agnostic bound C(g) is at most B(g) never ends, so
M ≤ Σ_{i<j} (B(2^i) + 1) + C(2^j), 2^j the first such guess, or the last of all.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from littlestone.errors import require
from littlestone.theory.all_rounds import AttributeMeter
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import strictly_below
from littlestone.theory.potentials import Line, Proof
from littlestone.theory.settings import NEEDED, whole
from littlestone.theory.winnow import factor_for, k_of_r, promotions_of_one_weight


class Guess(NamedTuple):
    """A guess, its α, and the mistakes its segment may make."""

    g: int
    alpha: Fraction
    limit: int


@cache
def guesses(n: int, largest: int) -> tuple[Guess, ...]:
    """1, 2, 4, … up to the first that is n or `largest` or more.

    >>> [(guess.g, str(guess.alpha), guess.limit) for guess in guesses(6, 256)]
    [(1, '2', 10), (2, '5/4', 72), (4, '9/8', 317), (8, '17/16', 811)]
    """
    tried: list[Guess] = []
    g = 1
    while not tried or tried[-1].g < min(n, largest):
        alpha = Fraction(2) if g == 1 else factor_for(g, "k")
        k = min(g, n)
        tried.append(Guess(g, alpha, k_of_r(n, k, k, alpha)))
        g *= 2
    return tuple(tried)


def before(n: int, largest: int, segment: int) -> int:
    """Mistakes of the segments that are over, when segment number `segment` (from 0) is being played."""
    return sum(guess.limit + 1 for guess in guesses(n, largest)[:segment])


def doubling(n: int, r: int, largest: int, k: int = 1) -> int:
    """Mistakes on streams labelled by "at least k of these r", for whatever k ≤ r.

    >>> doubling(6, 1, 256), doubling(6, 2, 256), doubling(6, 3, 256)
    (10, 83, 401)
    """
    require(k >= 1 and 0 <= r <= n, f"k={k}, r={r}: the bound needs k ≥ 1 and 0 ≤ r ≤ n = {n}")
    known = guesses(n, largest)
    require(r <= known[-1].g, f"r={r} is too large for the guesses, which stop at {known[-1].g}; largest={r} would do")
    segment = next(i for i, guess in enumerate(known) if guess.g >= r)
    return before(n, largest, segment) + known[segment].limit


def any_stream(n: int, largest: int, segment: int, P: int) -> int:
    """Mistakes on any stream that ends in this segment, with P missed 1s in it."""
    return before(n, largest, segment) + strictly_below(_within(guesses(n, largest)[segment].alpha, P) + P)


def agnostic(n: int, largest: int, segment: int, k: int, r: int, A: int) -> int:
    """Mistakes on any stream that ends in this segment, for every k and set of r variables with A attribute errors since it began.

    >>> agnostic(6, 256, 0, 1, 1, 2), agnostic(6, 256, 1, 2, 3, 0), before(6, 256, 1)
    (16, 110, 11)
    """
    return before(n, largest, segment) + k_of_r(n, k, r, guesses(n, largest)[segment].alpha, None, A)


def agnostic_overall(n: int, largest: int, k: int, r: int, A_all: int) -> int:
    """Mistakes on any stream, for every k and set of r variables with A_all attribute errors on the mistakes, whatever the last segment.

    >>> agnostic_overall(6, 256, 1, 1, 0), agnostic_overall(6, 256, 1, 1, 5), doubling(6, 1, 256)
    (10, 47, 10)
    """
    require(k >= 1 and 0 <= r <= n, f"k={k}, r={r}: the bound needs k ≥ 1 and 0 ≤ r ≤ n = {n}")
    known = guesses(n, largest)
    for segment, guess in enumerate(known[:-1]):
        if (k - 1) * (guess.alpha - 1) < 1:
            limit = k_of_r(n, k, r, guess.alpha, None, A_all)
            if limit <= guess.limit:
                return before(n, largest, segment) + limit
    return before(n, largest, len(known) - 1) + k_of_r(n, k, r, known[-1].alpha, None, A_all)


def since(n: int, largest: int, M: int) -> tuple[int, int]:
    """The segment that a run with M mistakes is in, and how many of them were made before it began.

    >>> since(6, 256, 10), since(6, 256, 11), since(6, 256, 100)
    ((0, 0), (1, 11), (2, 84))
    """
    segment = max(j for j in range(len(guesses(n, largest))) if before(n, largest, j) <= M)
    return segment, before(n, largest, segment)


def _within(alpha: Fraction, P: int) -> Fraction:
    """α/(α-1) + αP: what the false 1s of a segment stay below."""
    return alpha / (alpha - 1) + alpha * P


K_OF_R = a_priori(
    "winnow-doubling",
    "k_of_r",
    "M ≤ Σ_{i<j} (B(2^i) + 1) + B(2^j),  2^j ≥ r the first such, B(g) = Winnow's bound for g of g at α = 1 + 1/(2g)",
    doubling,
    "derived from Vempala, Lecture 2, Theorem 2",
    says="some threshold function of at most r variables, k of them for whatever k, labels every round",
)
DISJUNCTION = a_priori(
    "winnow-doubling-disjunction", "disjunction", K_OF_R.formula, lambda n, r, largest: doubling(n, r, largest), K_OF_R.source
)
ANY_STREAM = hindsight(
    "winnow-doubling-any-stream",
    "M < Σ_{i<j} (B(2^i) + 1) + (1+α)P + α/(α-1),  j = segments that are over, P = missed 1s since",
    any_stream,
    "derived",
)
AGNOSTIC = hindsight(
    "winnow-doubling-agnostic",
    "M ≤ Σ_{i<j} (B(2^i) + 1) + C(2^j),  C = Winnow's bound for k of r with A attribute errors since the segment began",
    agnostic,
    K_OF_R.source,
    witness="set",
)
AGNOSTIC_OVERALL = hindsight(
    "winnow-doubling-agnostic-overall",
    "M ≤ Σ_{i<j} (B(2^i) + 1) + C(2^j),  2^j the first guess with C ≤ B, C = Winnow's bound for k of r with A errors in all",
    agnostic_overall,
    K_OF_R.source,
    witness="set",
    loss="A_all",
    meter=AttributeMeter,
)


def _moment(m: Moment) -> tuple[int, int, int, Guess]:
    """The segment, its mistakes and its missed 1s, as the state has them, and its guess."""
    z = m.state["z"]
    segment = int(z.get(0, 0))
    return segment, int(z.get(1, 0)), int(z.get(2, 0)), guesses(m.settings["n"], m.settings["largest"])[segment]


def _no_sooner(m: Moment) -> tuple[int, int]:
    segment, mistakes, _, _ = _moment(m)
    return before(m.settings["n"], m.settings["largest"], segment) + mistakes, m.updates


def _within_its_limit(m: Moment) -> tuple[int, int]:
    _, mistakes, _, guess = _moment(m)
    last = guess == guesses(m.settings["n"], m.settings["largest"])[-1]
    return mistakes, mistakes if last else guess.limit


def _weight(m: Moment) -> tuple[Fraction, Fraction]:
    _, mistakes, P, guess = _moment(m)
    n, alpha, e = m.settings["n"], guess.alpha, m.state["e"]
    W = n - len(e) + sum((alpha ** int(k) for k in e.values()), Fraction(0))
    return W, n * (1 + (alpha - 1) * P - (1 - 1 / alpha) * (mistakes - P))


def _exponents(m: Moment) -> tuple[Fraction, int]:
    alpha = _moment(m)[3].alpha
    return max(m.state["e"].values(), default=Fraction(0)), promotions_of_one_weight(alpha, m.settings["n"])


INVARIANTS = (
    Invariant("no segment ends too soon", "Σ_{i<j} (B(2^i) + 1) + mistakes since ≤ M", _no_sooner),
    Invariant("no segment ends too late", "M ≤ Σ_{i<j} (B(2^i) + 1) + mistakes since", lambda m: _no_sooner(m)[::-1]),
    Invariant("within its limit", "mistakes since ≤ B(g), unless g is the last guess", _within_its_limit),
    Invariant("total weight", "W ≤ n·(1 + (α-1)P - (1-1/α)N), P and N since the segment began", _weight),
    Invariant("no weight passes", "w_i ≤ α^L < αn, L = ⌈log_α n⌉", _exponents),
)


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("W", "n(1+(α-1)P-(1-1/α)N)"), _weight, ("W",))
    return Proof((line,), "W = Σw_i, P missed 1s and N false 1s since the present guess of r began, α its factor", True)


def measure(e: Evidence, S: Features | None) -> dict:
    """The segment follows from the number of mistakes; P and A are counted on the mistakes since it began, A_all on all of them."""
    n, largest = e.settings["n"], e.settings["largest"]
    segment, gone = since(n, largest, len(e.taught))
    now = e.taught[gone:]
    facts = {"n": n, "largest": largest, "segment": segment, "P": sum(row.y for row in now)}
    if S is None:
        return facts
    return facts | {"k": S.k, "r": len(S.features), "A": S.errors(replace(e, taught=now)), "A_all": S.errors(e)}


FAMILY = Family(
    "winnow_doubling",
    {"n": NEEDED, "largest": whole(1, 4096, "must be a whole number from 1 to 4096: beyond it the table of powers is too long")},
    (K_OF_R, DISJUNCTION, ANY_STREAM, AGNOSTIC, AGNOSTIC_OVERALL),
    measure,
    ties="w·x = θ predicts 1",
    arithmetic="filtered",
    invariants=INVARIANTS,
    proof=proof,
    domain="boolean",
    multiplicative=True,
    featurewise=True,
    source="Littlestone 1988; the doubling derived",
)
