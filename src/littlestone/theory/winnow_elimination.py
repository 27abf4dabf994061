"""Winnow with elimination: double on a missed 1, set to zero on a false 1 (Littlestone's Winnow1; θ = n/2).

P promotions, E eliminations, W = Σ w_i, L = max(0, ⌈log2 θ⌉).  A promotion adds w·x < θ to W, an elimination takes
w·x ≥ θ from it, W ≥ Σ_S w_i, a relevant weight is never eliminated and is doubled only while below θ.

On any stream, for every set S of r variables: call a member alive until a false 1 has it active.  A missed 1 with a living active member
doubles it, which happens to each at most L times; B missed 1s have none: P ≤ Σ_S p_i + B ≤ rL + B.  The `living` members that no false 1
eliminated still weigh 2^p_i:  M = P + E ≤ 2P + (n - Σ_living 2^p_i)/θ, strictly where P ≥ 1.  2p - 2^p/θ grows with p up to L, so
M < n/θ + 2(rL + B) - living·2^L/θ.  That covers P = 0, where M ≤ (n - living)/θ, unless rL + B = 0; then weights are whole, and at least
⌈θ⌉ goes each time.

With 0s of all rounds in place of the false 1s a member lives no longer, and with 1s of all rounds in place of the missed ones B is no
smaller.  The bound does not fall as B grows or `living` falls, so it holds with both over all rounds, and then compares.
"""

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from littlestone.errors import require
from littlestone.theory.all_rounds import CoverMeter
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import Exact, at_most, strictly_below
from littlestone.theory.potentials import Line, Proof, factor
from littlestone.theory.settings import NEEDED, checked
from littlestone.theory.winnow import LITTLESTONE, promotions_of_one_weight


def disjunction(n: int, r: int, theta: Exact | None = None) -> int:
    """Mistakes on any stream labelled by a monotone disjunction of exactly r of n variables.

    >>> [disjunction(n, 1) for n in (3, 4, 5, 6, 7, 8)], [disjunction(n, 0) for n in (4, 5)], disjunction(2, 1)
    ([2, 2, 4, 4, 4, 4], [2, 1], 1)
    """
    theta = Fraction(n, 2) if theta is None else Fraction(theta)
    L = promotions_of_one_weight(2, theta)
    if r == n:
        return r * L  # only the empty instance has label 0, and it is never predicted 1: no eliminations
    if L == 0 or r == 0:
        return (n - r) // ceil(theta)  # nothing is promoted; weights are whole, so at least ⌈θ⌉ goes each time
    return strictly_below(n / theta + r * (2 * L - 2**L / theta))


def disjunction_at_most(n: int, r: int, theta: Exact) -> int:
    return max(disjunction(n, k, theta) for k in {0, min(r, n - 1), min(r, n)})


def from_promotions(n: int, P: int, theta: Exact) -> int:
    """M ≤ 2P + n/θ, on any stream: eliminations are paid for by promotions and the first weight."""
    return at_most(2 * P + n / Fraction(theta))


def agnostic(n: int, r: int, living: int, B: int, theta: Exact) -> int:
    """Mistakes on any stream, for every set of r variables: `living` of them in no false 1, B missed 1s without a living active member.

    >>> agnostic(16, 2, 2, 0, 8), agnostic(16, 2, 1, 10, 8), agnostic(16, 0, 0, 10, 8)
    (11, 32, 21)
    """
    theta, L = Fraction(theta), promotions_of_one_weight(2, theta)
    if r * L + B == 0:
        return (n - living) // ceil(theta)
    return strictly_below(n / theta + 2 * (r * L + B) - living * 2**L / theta)


def uncovered(mistakes: Iterable[tuple[Collection, bool]], S: Iterable) -> tuple[int, int]:
    """B and `living` for a set S, from the mistake rounds in their order: the active features of each, and its label.

    >>> uncovered([({0, 3}, True), ({1, 2}, False), ({1}, True), ({0}, True)], {0, 1})
    (1, 1)
    """
    alive, B = set(S), 0
    for active, label in mistakes:
        if label:
            B += alive.isdisjoint(active)
        else:
            alive.difference_update(active)
    return B, len(alive)


DISJUNCTION = a_priori(
    "elimination-disjunction",
    "disjunction",
    "M < n/θ + r·(2L - 2^L/θ),  L = ⌈log2 θ⌉",
    disjunction_at_most,
    f"{LITTLESTONE}; Kanade, Lecture 10, Theorem 12; constants refined",
)
PROMOTIONS = hindsight("elimination-promotions", "M ≤ 2P + n/θ,  P = missed 1s", from_promotions, "Kanade, Lecture 10, Claim 14")
AGNOSTIC = hindsight(
    "elimination-agnostic",
    "M < n/θ + 2(rL + B) - living·2^L/θ,  B = missed 1s without a living active member of S",
    agnostic,
    f"derived from {LITTLESTONE}",
    witness="set",
    falling=("living",),
    loss="B",
)
AGNOSTIC_ALL = hindsight(
    "elimination-agnostic-all",
    "M < n/θ + 2(rL + errors - drops) - living·2^L/θ,  errors = of S over all rounds, its members dropped by the first 0 that has them on; "
    "drops = such 0s",
    lambda n, r, living, drops, errors, theta: agnostic(n, r, living, errors - drops, theta),
    f"derived from {LITTLESTONE}",
    witness="set",
    falling=("living", "drops"),
    every=True,
    loss="errors",
    meter=CoverMeter,
)

NOTHING = (Fraction(0), Fraction(0))


def _total(m: Moment) -> tuple[Fraction, Fraction]:
    w, theta = m.state["w"], Fraction(m.settings["theta"])
    left = m.settings["n"] - len(w) + sum(w.values(), Fraction(0))
    return left, m.settings["n"] + theta * (m.promotions - m.demotions)


def _claim_13(m: Moment) -> tuple[Fraction, Fraction]:
    theta = Fraction(m.settings["theta"])
    return max(m.state["w"].values(), default=Fraction(1)), Fraction(2 ** promotions_of_one_weight(2, theta))


def _claim_14_sharp(m: Moment) -> tuple[Fraction, Fraction]:
    if m.errors:
        return NOTHING  # the witness does not label this stream
    w = m.state["w"]
    relevant = sum((w.get(i, Fraction(1)) for i in m.witness or {}), Fraction(0))
    left = (m.settings["n"] - relevant) / Fraction(m.settings["theta"])
    return Fraction(m.demotions), Fraction(m.promotions + at_most(left))


def _claim_15(m: Moment) -> tuple[Fraction, Fraction]:
    if m.errors:
        return NOTHING  # the witness does not label this stream
    r, theta = len(m.witness or {}), Fraction(m.settings["theta"])
    return Fraction(m.promotions), Fraction(r * promotions_of_one_weight(2, theta))


def _never_eliminated(m: Moment) -> tuple[Fraction, Fraction]:
    if m.errors:
        return NOTHING  # the witness does not label this stream
    return Fraction(1), min((m.state["w"].get(i, Fraction(1)) for i in m.witness or {}), default=Fraction(1))


INVARIANTS = (
    Invariant("total weight", "W ≤ n + θ(P - E)", _total),
    Invariant("no weight passes (Claim 13)", "w_i ≤ 2^L (θ = n/2: w_i < n)", _claim_13),
    Invariant(
        "eliminations (Claim 14)",
        "E ≤ P + n/θ",
        lambda m: (Fraction(m.demotions), m.promotions + m.settings["n"] / Fraction(m.settings["theta"])),
    ),
    Invariant("eliminations, sharp", "E ≤ P + ⌊(n - Σ_S w_i)/θ⌋ (θ = n/2, r ≥ 1: E ≤ P + 1)", _claim_14_sharp, True),
    Invariant("promotions (Claim 15)", "P ≤ r·L", _claim_15, True),
    Invariant("relevant weights stay", "w_i ≥ 1 for i in S", _never_eliminated, True),
)


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    n, theta = settings["n"], Fraction(settings["theta"])
    total = Line(("W", f"{n} + {factor(theta)}(P - E)"), _total, ("W",))
    letters = "W = Σw_i, P missed 1s, E false 1s, which eliminate"
    if not witness:
        return Proof((total,), letters, True)
    return Proof((total, Line(("P", "rL"), _claim_15, ("P",))), f"{letters}, r relevant variables, L = ⌈log2 θ⌉, θ = {theta}", True)


def measure(e: Evidence, S: Features | None) -> dict:
    """The settings and the missed 1s; of a set its size, its members that live, and the missed 1s that they leave uncovered."""
    facts = {"n": e.settings["n"], "theta": e.settings["theta"], "P": e.P}
    if S is None:
        return facts
    require(S.k == 1, f"k={S.k}: the theorem is about disjunctions, k = 1")
    B, living = uncovered(((row.x.keys(), row.y) for row in e.taught), S.features)
    return facts | {"r": len(S.features), "living": living, "B": B}


FAMILY = Family(
    "winnow_elimination",
    {"n": NEEDED, "theta": checked((lambda v: 0 < v < 2**31, "must be positive and below 2^31, so that no sum overflows"))},
    (DISJUNCTION, PROMOTIONS, AGNOSTIC, AGNOSTIC_ALL),
    measure,
    ties="w·x = θ predicts 1",
    arithmetic="exact",
    invariants=INVARIANTS,
    proof=proof,
    domain="boolean",
    multiplicative=True,
    featurewise=True,
    source="Littlestone 1988",
)
