"""Winnow: a few relevant variables among many (Littlestone 1988).

Letters: n features, r relevant, α the factor, θ the threshold, L = max(0, ⌈log_α θ⌉), P promotions (missed 1s),
N demotions (false 1s), W = Σ w_i.  Three facts carry every bound here.
1. A promotion adds (α-1)·w·x < (α-1)θ to W, a demotion takes (1-1/α)·w·x ≥ (1-1/α)θ from it, and W > 0.
   Hence N < αn/((α-1)θ) + αP.
2. A weight is promoted only while it is below θ, so no exponent ever passes L.
3. The exponents of a set S change by the number of its active members, + on promotions, - on demotions.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.mixing import OWN, MixingTheorems, ShardFacts, ShardRounds, mixed_winnow
from littlestone.theory.numbers import Exact, at_most, ceil_log, strictly_below
from littlestone.theory.potentials import Line, Proof, factor
from littlestone.theory.settings import NEEDED, checked, whole

LITTLESTONE = "Littlestone 1988, Machine Learning 2:285-318"


def promotions_of_one_weight(alpha: Exact, theta: Exact) -> int:
    """L = max(0, ⌈log_α θ⌉): no weight is promoted more often than this, net of demotions."""
    return max(0, ceil_log(alpha, theta))


def _demotions_ahead(n: int, alpha: Exact, theta: Exact) -> Fraction:
    """αn/((α-1)θ): the demotions that the first total weight n can pay for."""
    return Fraction(alpha) * n / ((Fraction(alpha) - 1) * Fraction(theta))


def factor_for(k: int, choice: str = "k-1") -> Fraction:
    """α = 1+ε for "at least k of r": ε = 1/(2(k-1)) (1 where k = 1), or with choice "k" ε = 1/(2k). Both have (k-1)ε ≤ 1/2.

    >>> [str(factor_for(k)) for k in (1, 2, 3)], [str(factor_for(k, "k")) for k in (1, 2, 3)]
    (['2', '3/2', '5/4'], ['3/2', '5/4', '7/6'])
    """
    parts = k if choice == "k" else k - 1
    return 1 + Fraction(1, 2 * parts) if parts else Fraction(2)


def disjunction(n: int, r: int, alpha: Exact = 2, theta: Exact | None = None) -> int:
    """Mistakes on any stream labelled by a monotone disjunction of exactly r of n variables.

    Keeps in W the relevant weights: N < αn/((α-1)θ) + αP - (α/((α-1)θ))·Σ_S α^{p_i}, with P ≤ Σ_S p_i, p_i ≤ L;
    the sum of the two grows with each p_i up to L.

    >>> [disjunction(n, 1) for n in (3, 4, 5, 6, 7, 8)], disjunction(100, 2), disjunction(1, 1), disjunction(1, 0)
    ([5, 5, 7, 8, 8, 8], 38, 0, 1)
    """
    theta = n if theta is None else theta
    L = promotions_of_one_weight(alpha, theta)
    if r == n:
        return r * L  # only the empty instance has label 0, and it is never predicted 1: no demotions
    ahead = _demotions_ahead(n, alpha, theta)
    return strictly_below(ahead + r * ((1 + Fraction(alpha)) * L - Fraction(alpha) ** L * ahead / n))


def disjunction_at_most(n: int, r: int, alpha: Exact, theta: Exact) -> int:
    """The same for at most r variables: below r = n the bound is linear in r, so its ends decide."""
    return max(disjunction(n, k, alpha, theta) for k in {0, min(r, n - 1), min(r, n)})


def disjunction_agnostic(n: int, r: int, A: int, alpha: Exact = 2, theta: Exact | None = None) -> int:
    """Mistakes on any stream whatever, for every set S of r variables with A attribute errors.

    A counts, on mistake rounds, 1 for each missed 1 with no active member of S and the active members of S for each
    false 1.  Facts 2 and 3 give P - A ≤ Σ_S e_i ≤ rL; fact 1 does the rest.

    >>> disjunction_agnostic(16, 2, 0), disjunction_agnostic(16, 2, 10)
    (25, 55)
    """
    theta = n if theta is None else theta
    P = r * promotions_of_one_weight(alpha, theta) + A
    return strictly_below((1 + Fraction(alpha)) * P + _demotions_ahead(n, alpha, theta))


def k_of_r(n: int, k: int, r: int, alpha: Exact, theta: Exact | None = None, A: int = 0) -> int:
    """Mistakes on streams labelled by "at least k of these r", needing (k-1)(α-1) < 1; A attribute errors are allowed for.

    A promotion raises at least k relevant exponents, a demotion lowers at most k-1: kP - (k-1)N ≤ rL + A.

    >>> k_of_r(6, 2, 3, Fraction(3, 2)), k_of_r(8, 3, 4, Fraction(5, 4)), k_of_r(10, 2, 5, Fraction(3, 2))
    (92, 229, 167)
    """
    theta = n if theta is None else theta
    require(k >= 1 and 0 <= r <= n, f"k={k}, r={r}: the bound needs k ≥ 1 and 0 ≤ r ≤ n = {n}")
    require((k - 1) * (Fraction(alpha) - 1) < 1, f"k={k}, alpha={alpha}: the bound needs (k-1)(α-1) < 1")
    L, ahead = promotions_of_one_weight(alpha, theta), _demotions_ahead(n, alpha, theta)
    P = at_most((r * L + A + (k - 1) * ahead) / (1 - (k - 1) * (Fraction(alpha) - 1)))
    return P + strictly_below(ahead + Fraction(alpha) * P)


def separable(n: int, U: Exact, delta: Exact, alpha: Exact, theta: Exact | None = None) -> int:
    """Mistakes when some μ ≥ 0, Σμ = U, has μ·x ≥ 1 on the 1s and μ·x ≤ 1-δ on the 0s; needs (1-δ)α < 1.

    >>> separable(100, 4, Fraction(1, 2), Fraction(5, 4))
    522
    """
    theta = n if theta is None else theta
    L, ahead = promotions_of_one_weight(alpha, theta), _demotions_ahead(n, alpha, theta)
    require(0 < delta <= 1 and U > 0, f"delta={delta}, U={U}: the bound needs 0 < δ ≤ 1 and U > 0")
    gap = 1 - Fraction(delta)
    require(gap * Fraction(alpha) < 1, f"delta={delta}, alpha={alpha}: the bound needs (1-δ)α < 1")
    P = at_most((U * L + gap * ahead) / (1 - gap * Fraction(alpha)))
    return P + strictly_below(ahead + Fraction(alpha) * P)


DISJUNCTION = a_priori(
    "winnow-disjunction",
    "disjunction",
    "M < αn/((α-1)θ) + r·((1+α)L - α^(L+1)/((α-1)θ)),  L = ⌈log_α θ⌉",
    disjunction_at_most,
    f"{LITTLESTONE}; constants refined",
)
AGNOSTIC = hindsight(
    "winnow-disjunction-agnostic",
    "M < (1+α)(rL + A) + αn/((α-1)θ),  A = attribute errors of S on the mistake rounds",
    disjunction_agnostic,
    f"{LITTLESTONE}; derived",
    witness="set",
    loss="A",
)
K_OF_R = a_priori(
    "winnow-k-of-r",
    "k_of_r",
    "P ≤ (rL + (k-1)αn/((α-1)θ))/(1-(k-1)(α-1)),  N < αn/((α-1)θ) + αP",
    lambda n, k, r, alpha, theta: k_of_r(n, k, r, alpha, theta),
    "Vempala, Lecture 2, Theorem 2; constants derived",
)
K_OF_R_AGNOSTIC = hindsight(
    "winnow-k-of-r-agnostic",
    "P ≤ (rL + A + (k-1)αn/((α-1)θ))/(1-(k-1)(α-1)),  N < αn/((α-1)θ) + αP",
    lambda n, k, r, A, alpha, theta: k_of_r(n, k, r, alpha, theta, A),
    "derived from Vempala, Lecture 2, Theorem 2",
    witness="set",
    loss="A",
)
SEPARABLE = a_priori(
    "winnow-separable",
    "separable",
    "P ≤ (UL + (1-δ)αn/((α-1)θ))/(1-(1-δ)α),  N < αn/((α-1)θ) + αP",
    lambda n, U, delta, alpha, theta: separable(n, U, delta, alpha, theta),
    f"{LITTLESTONE}; constants derived",
)


def _total_weight(m: Moment) -> Fraction:
    """W, exactly: every feature the run never touched still weighs 1."""
    alpha, e = Fraction(m.settings["alpha"]), m.state["e"]
    powers = {k: alpha ** int(k) for k in set(e.values())}
    return m.settings["n"] - len(e) + sum((powers[k] for k in e.values()), Fraction(0))


def _weight_sides(m: Moment) -> tuple[Fraction, Fraction]:
    alpha, theta = Fraction(m.settings["alpha"]), Fraction(m.settings["theta"])
    paid = (alpha - 1) * theta * m.promotions - (1 - 1 / alpha) * theta * m.demotions
    return _total_weight(m), m.settings["n"] + paid


def _demotion_sides(m: Moment) -> tuple[int, int]:
    ahead = _demotions_ahead(m.settings["n"], m.settings["alpha"], m.settings["theta"])
    return m.demotions, strictly_below(ahead + Fraction(m.settings["alpha"]) * m.promotions)


def _exponent_sides(m: Moment) -> tuple[Fraction, int]:
    top = max(m.state["e"].values(), default=Fraction(0))
    return top, promotions_of_one_weight(m.settings["alpha"], m.settings["theta"])


def _relevant_sides(m: Moment) -> tuple[Fraction, Fraction]:
    S = m.witness or {}
    return Fraction(m.promotions), sum((m.state["e"].get(i, Fraction(0)) for i in S), Fraction(0)) + m.errors


INVARIANTS = (
    Invariant("total weight", "W ≤ n + (α-1)θP - (1-1/α)θN", _weight_sides),
    Invariant("demotions", "N < αn/((α-1)θ) + αP (α = 2, θ = n: Q ≤ 2P + 1)", _demotion_sides),
    Invariant("no weight passes", "w_i ≤ α^L < αθ, L = ⌈log_α θ⌉", _exponent_sides),
    Invariant("relevant exponents", "P ≤ Σ_S e_i + A_S", _relevant_sides, needs_witness=True),
)


def _chain(m: Moment) -> tuple[int, Fraction, int]:
    S = m.witness or {}
    L = promotions_of_one_weight(m.settings["alpha"], m.settings["theta"])
    return m.promotions, sum((m.state["e"].get(i, Fraction(0)) for i in S), Fraction(0)), len(S) * L


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    n, alpha, theta = settings["n"], Fraction(settings["alpha"]), Fraction(settings["theta"])
    paid = f"{n} + {factor((alpha - 1) * theta)}P - {factor((1 - 1 / alpha) * theta)}N"
    total, letters = Line(("W", paid), _weight_sides, ("W",)), "W = Σw_i, P missed 1s, N false 1s"
    if not witness:
        return Proof((total,), letters, True)
    of_set = f"e the exponents of the r relevant weights, L = ⌈log θ/log α⌉, α = {alpha}, θ = {theta}"
    return Proof((total, Line(("P", "Σe", "rL"), _chain, ("P", "Σe"))), f"{letters}, {of_set}", True)


def measure(e: Evidence, S: Features | None) -> dict:
    """The settings, and of a set its size and its attribute errors."""
    facts = {name: e.settings[name] for name in ("n", "alpha", "theta")}
    return facts if S is None else facts | {"r": len(S.features), "A": S.errors(e), "k": S.k}


def mixed(rounds: ShardRounds, witness: Mapping[str, Any], last: Any) -> ShardFacts:
    """The settings; and, of a set of features, its size and its attribute errors."""
    settings, met = rounds.settings, len(rounds.features(True, False, None))
    require(met <= settings["n"], f"winnow was made for n={settings['n']} features, and the stream has {met}")
    facts = {"n": settings["n"], "alpha": Fraction(settings["alpha"]), "theta": Fraction(settings["theta"])}
    if "features" not in witness:
        return ShardFacts(facts)
    chosen = set(witness["features"])

    def errors(x: Mapping[Any, float], y: bool) -> Fraction:
        active = len(chosen & x.keys())
        return Fraction((0 if active else 1) if y else active)

    return ShardFacts({**facts, "r": len(chosen)}, {"A": rounds.weighed(errors)})


OVER_SHARDS = MixingTheorems(
    ("geometric", "arithmetic"),
    (
        a_priori(
            "winnow-mixing-disjunction",
            "disjunction",
            "M < S·(αn/((α-1)θ) + (1+α)·r(1+log_α θ)), and what doubles add",
            lambda S, E, P, d, n, alpha, theta, r: mixed_winnow(S, E, P, d, n, alpha, theta, r, 0),
            OWN,
        ),
        hindsight(
            "winnow-mixing-agnostic",
            "M < S·(αn/((α-1)θ) + (1+α)(r(1+log_α θ) + A)),  A = Σμ·errors, all rounds; and for doubles",
            mixed_winnow,
            OWN,
            witness="features",
            every=True,
            loss="A",
        ),
    ),
    mixed,
    lambda settings: "its theorem over shards is about disjunctions, k = 1" if settings["k"] else "",
    witness="features",
)

FAMILY = Family(
    "winnow",
    {
        "n": NEEDED,
        "k": whole(1, 2**63, "must be a whole number, 1 or more", optional=True),
        "alpha": checked(
            (lambda v: v > 1, "must exceed 1, or no weight ever grows"),
            (lambda v: v >= 1 + Fraction(1, 10_000), "must be at least 1.0001, below it the table of powers is too long"),
        ),
        "theta": checked((lambda v: Fraction(1, 2**500) < v < 2**53, "must be positive (above 2^-500), and below 2^53")),
    },
    (DISJUNCTION, K_OF_R, SEPARABLE, AGNOSTIC, K_OF_R_AGNOSTIC),
    measure,
    ties="w·x = θ predicts 1",
    arithmetic="filtered",
    invariants=INVARIANTS,
    proof=proof,
    domain="boolean",
    multiplicative=True,
    featurewise=True,
    mixing=OVER_SHARDS,
    source="Littlestone 1988",
)
