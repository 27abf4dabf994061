"""The Perceptron: w·u grows by at least the margin at each mistake, |w|² by at most |x|² (Block, Novikoff 1962).

K = R²|u|², L the hinge loss of u on the mistake rounds.  Summing the two growths over the M mistakes and using
Cauchy-Schwarz: M - L ≤ u·w ≤ |u||w| ≤ √(KM), which solved for M is M ≤ ((√K + √(K+4L))/2)².
Everything may be restricted to the mistake rounds: no other round enters the sums.

Weights: a mistake of weight c adds c·y·x, so u·w ≥ Σc - Σc·hinge and |w|² ≤ Σc²|x|² ≤ max(c|x|²)·Σc.  With M = Σc over the mistakes,
R² = max c|x|², K = |u|²·Σc²|x|²/Σc and L = Σc·hinge, the bounds read the same.

Margin β > 0 of the rule: it also updates where 0 < y·w·x ≤ β, and then |w|² grows by at most |x|² + 2β.  So R² + 2β takes the place of R²,
K = |u|²·(mean|x|² + 2β), everything over the updates (with weights: c²|x|² + 2cβ); the bound is on them, and each mistake is one.

Where u has y·(u·x) ≥ g > 0 on every round, u·w ≥ gM, and M ≤ K/g² (`separated`).  Sums over the updates alone cannot tell a good u from
u = 0, for which L = M: so a hinge loss is compared by the least K + 2L, which is 2M at u = 0, and a separating u by all rounds.
"""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Bound, Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.mixing import SOURCE as MIXING
from littlestone.theory.mixing import MixingTheorems, ShardFacts, ShardRounds, mixed_margin, mixed_perceptron
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up
from littlestone.theory.potentials import Line, Proof, Root, Term, dot, over_root
from littlestone.theory.settings import BIAS, FEATURES, FLAG, MODERATE, checked

NOVIKOFF = "Novikoff 1962; Kanade, Lecture 10, Theorem 9"


def rounding(M: int, nnz: int) -> Fraction:
    """Factor on K that covers the rounding of a run in doubles (u = 2^-53, at most nnz features a row).

    A computed score is off by at most γ_nnz|w||x|, so a mistake has y·w·x ≤ γ|w||x|, and each new weight is off by a
    relative u.  With |w_k| ≤ 2R√k: |w_M|² ≤ R²M(1 + 4γ√M + 11uM), and u·w loses at most 2.2uM^1.5·R|u|.
    Both together are below this factor as long as it is below 1.01; beyond that nothing is claimed.
    With weights c|x| takes the place of |x| and Q = Σc²|x|² that of R²M: |w_k| ≤ 2√Q, and Σc|x| ≤ √(MQ), M the number of mistakes.
    """
    return 1 + Fraction(20 * (nnz + 3) * (M + 1), 2**53)


def margin(R2: Exact, gamma: Exact, slack: Exact = 1, beta: Exact = 0) -> Exact:
    """M ≤ (R² + 2β)/γ² for a unit vector of margin γ; β is the margin of the rule, 0 for none.

    >>> margin(1, Fraction(1, 10)), margin(50, 1)
    (Fraction(100, 1), Fraction(50, 1))
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return (Fraction(R2) + 2 * Fraction(beta)) * slack / Fraction(gamma) ** 2


def hinge(K: Real, L: Real, slack: Exact = 1) -> Decimal:
    """M ≤ ((√K + √(K+4L))/2)², rounded up; at L = 0 it is K.

    >>> hinge(9, 0).quantize(Decimal(1)), hinge(1, 6).quantize(Decimal(1))
    (Decimal('9'), Decimal('9'))
    """
    with localcontext(DIGITS):
        K = up(real(K) * real(slack))
        return up(((root_up(K) + root_up(K + 4 * real(L))) / 2) ** 2)


def separated(K: Real, g: Real, slack: Exact = 1) -> Decimal:
    """M ≤ K/g², rounded up: u has y·(u·x) ≥ g > 0 on every labelled round.

    >>> separated(9, 2).quantize(Decimal("0.01"))
    Decimal('2.25')
    """
    require(g > 0, f"g={float(g):.6g} must be positive: the witness separates the rounds only then")
    with localcontext(DIGITS):
        return up(real(K) * real(slack) / real(g) ** 2)


def disjunction(active: Exact, r: int, rho2: Exact = 1, slack: Exact = 1, beta: Exact = 0) -> Fraction:
    """M ≤ 4(a+ρ²+2β)(r + 1/(4ρ²)) on disjunctions of r variables over 0/1 features, at most a of them on, and a bias of value ρ.

    The target (1_S, -1/(2ρ)) has margin 1/2 and squared length r + 1/(4ρ²).

    >>> disjunction(100, 2)        # (n+1)(4r+1)
    Fraction(909, 1)
    """
    return 4 * (Fraction(active) + rho2 + 2 * Fraction(beta)) * (r + 1 / (4 * Fraction(rho2))) * slack


def bias_for(n: int, k: int) -> Fraction:
    """The bias value ρ that is best for disjunctions of k of n variables, (n/4k)^(1/4), as a whole number of 64ths.

    4(n+ρ²)(k + 1/(4ρ²)) is (2√(nk) + 1)² at the best ρ, and hardly more beside it.

    >>> bias_for(100, 2), float(disjunction(100, 2, bias_for(100, 2) ** 2)), round((2 * 200**0.5 + 1) ** 2, 2)
    (Fraction(15, 8), 857.5694444444445, 857.57)
    """
    return Fraction(max(1, isqrt(isqrt(n * 64**4 // (4 * k)))), 64)


MARGIN = a_priori(
    "perceptron-margin",
    "margin",
    "M ≤ (R²+2β)/γ²",
    margin,
    NOVIKOFF,
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R",
    euclidean=True,
)
HINGE = hindsight(
    "perceptron-hinge",
    "M ≤ ((√K + √(K+4L))/2)²,  K = |u|²·(mean|x|²+2β), L = hinge loss of u, both over the updates",
    hinge,
    "Blum, Hopcroft, Kannan, Foundations of Data Science, Theorem 5.11; sharpened",
    witness="vector",
    loss="L",
)
SEPARATED = hindsight(
    "perceptron-separable",
    "M ≤ K/g²,  K = |u|²·(mean|x|²+2β) over the updates, g = least y·(u·x) of all labelled rounds",
    separated,
    f"{NOVIKOFF}; the mean in place of R²",
    witness="vector",
    every=True,
    loss="0",
    falling=("g",),
)
DISJUNCTION = a_priori(
    "perceptron-disjunction",
    "disjunction",
    "M ≤ 4(a+ρ²+2β)(r + 1/(4ρ²)),  a = most features on in an update",
    disjunction,
    "Kanade, Lecture 10, section 5",
)


def _squared(m: Moment) -> Fraction:
    """|w|², the bias among them."""
    rho2, b = Fraction(m.settings["bias"]) ** 2, m.state["b"].get(0, Fraction(0))
    return sum((v * v for v in m.state["w"].values()), Fraction(0)) + rho2 * b * b


def _product(m: Moment) -> Fraction:
    """w·u, u the witness."""
    u = m.witness or {}
    return dot(m.state["w"], u) + Fraction(m.settings["bias"]) * m.state["b"].get(0, Fraction(0)) * u.get(-1, Fraction(0))


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    rho2, beta = Fraction(m.settings["bias"]) ** 2, Fraction(m.settings["margin"])
    return _squared(m), (m.sum_squares + rho2 * m.squared_weights + 2 * beta * m.weights) * (1 + m.slack)


def _alignment(m: Moment) -> tuple[Fraction, Fraction]:
    u, w = m.witness or {}, m.state["w"]
    size = sum((abs(v) for v in w.values()), Fraction(0)) * max((abs(v) for v in u.values()), default=Fraction(0))
    return m.margins - m.slack * size, _product(m)


INVARIANTS = (
    Invariant("length (Lemma 11)", "|w|² ≤ Σ(|x|²+2β) over the updates ≤ (R²+2β)M", _length),
    Invariant("alignment (Lemma 10)", "w·u ≥ Σ y·(u·x) over the updates ≥ γM", _alignment, needs_witness=True),
)


def _top(m: Moment) -> Fraction:
    """(R²+2β)M."""
    return (m.settings["R2"] + 2 * Fraction(m.settings["margin"])) * m.updates


def _chain(m: Moment) -> tuple[Term, ...]:
    square = sum((v * v for v in (m.witness or {}).values()), Fraction(0))
    ends = over_root(m.settings["gamma"] * m.updates, square), over_root(_product(m), square)
    return *ends, Root(_squared(m)), Root(_top(m))


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    """The witness w* is taken at length 1, γ is its margin on the whole stream."""
    top = "√((R²+2β)M)" if settings["margin"] else "R√M"
    count = "M counts updates" if settings["margin"] else "M the mistakes"
    squared = "(R²+2β)M" if settings["margin"] else "R²M"
    square = Line(("|w|²", squared), lambda m: (_squared(m), _top(m)), ("|w|²",))
    if not witness:
        return Proof((square,), f"w the weights, R the longest instance, {count}")
    chain = Line(("γM", "w·w*", "|w|", top), _chain, ("w·w*", "|w|"))
    return Proof((chain, square), f"w the weights, w* the witness at length 1, γ its margin, R the longest instance, {count}")


def updates_on(settings: Mapping[str, Any]) -> str:
    """(An average moves in every round, but the theorems speak of the weights that are averaged.)"""
    return "margin" if settings["margin"] else "always" if settings["averaged"] else "mistakes"


def theorems(settings: Mapping[str, Any]) -> tuple[Bound, ...]:
    return (MARGIN, DISJUNCTION, HINGE, SEPARATED) if settings["bias"] else (MARGIN, HINGE, SEPARATED)


def exact_arithmetic(updates: int, widest: int, largest: Exact, whole: bool, weighted: bool, rho2: Exact, beta: Exact) -> bool:
    """Whole numbers, small enough that no sum of the run can pass 2^53: then doubles make no error."""
    sums = (updates + 1) * (widest * Fraction(largest) ** 2 + rho2)
    return whole and not weighted and Fraction(rho2).denominator == 1 and float(beta) == beta and sums < 2**53


def exact_on(e: Evidence) -> bool:
    rho2, beta = Fraction(e.settings["bias"]) ** 2, Fraction(e.settings["margin"])
    return exact_arithmetic(len(e.taught), e.widest, e.largest, e.whole, e.weighted, rho2, beta)


def measure(e: Evidence, u: Vector | None) -> dict:
    """The facts of every bound of this file; K and L where there is a witness."""
    rho, beta = Fraction(e.settings["bias"]), Fraction(e.settings["margin"])
    fours, ones = 1 << 2 * e.exponent, rho * rho
    if e.weighted:
        squares = [row.c * (Fraction(s, fours) + ones) for row, s in zip(e.taught, e.squares, strict=True)]
        longest = max((row.c * Fraction(s, fours) for row, s in zip(e.taught, e.squares, strict=True)), default=Fraction(0))
        R2 = longest + ones * max((row.c for row in e.taught), default=Fraction(0)) if not beta else max(squares, default=Fraction(0))
        count = sum((row.c for row in e.taught), Fraction(0))
        total = sum((row.c * s for row, s in zip(e.taught, squares, strict=True)), Fraction(0))
    else:
        count = Fraction(len(e.taught))
        R2 = Fraction(max(e.squares, default=0), fours) + ones if e.taught or not beta else Fraction(0)
        total = Fraction(sum(e.squares), fours) + count * ones
    exact = exact_on(e)
    facts = {
        "R2": R2,
        "active": R2 - rho * rho if e.zero_one else None,
        "rho2": rho * rho,
        "beta": beta,
        "slack": 1 if exact else rounding(len(e.taught), e.widest),
    }
    if u is not None:
        mean = total / count if count else Fraction(0)
        facts |= {"K": u.squared() * (mean + 2 * beta), "size": u.squared() * R2, "L": u.hinge(e, rho), "g": u.least(e, rho)}
    return facts


def mixed(rounds: ShardRounds, witness: Mapping[str, Any], last: Mapping[Any, float] | None) -> ShardFacts:
    """R²; and, of the last weights so many times, the squared length and the hinge loss."""
    rho2 = Fraction(rounds.settings["bias"]) ** 2
    least = {"R2": max((sum(Fraction(v) ** 2 for v in x.values()) + rho2 for x, _ in rounds.labelled), default=Fraction(0))}
    if last is None or "times" not in witness:
        return ShardFacts({}, least)
    u = {i: Fraction(witness["times"]) * Fraction(w) for i, w in last.items()}
    bias = rho2 * u.get(None, Fraction(0))

    def hinge_of(x: Mapping[Any, float], y: bool) -> Fraction:
        score = sum((u.get(i, Fraction(0)) * Fraction(v) for i, v in x.items()), bias)
        return max(Fraction(0), 1 - (score if y else -score))

    squared = sum((v * v * (rho2 if i is None else 1) for i, v in u.items()), Fraction(0))
    return ShardFacts({}, {**least, "u2": squared, "L": rounds.weighed(hinge_of)})


OVER_SHARDS = MixingTheorems(
    ("arithmetic",),
    (
        a_priori("perceptron-mixing-margin", "margin", "M ≤ S·R²/γ², and what doubles add", mixed_margin, MIXING, euclidean=True),
        hindsight(
            "perceptron-mixing-hinge",
            "M ≤ S·((√Q + √(Q+4L))/2)²,  Q = R²|u|², L = Σμ·hinge of u, all rounds; and for doubles",
            mixed_perceptron,
            MIXING,
            witness="vector",
            every=True,
            loss="L",
        ),
    ),
    mixed,
    lambda settings: "a margin, or an average, is more than its weights" if settings["margin"] or settings["averaged"] else "",
    witness="times",
)

FAMILY = Family(
    "perceptron",
    {"n": FEATURES, "bias": BIAS, "margin": checked(MODERATE, (lambda v: v >= 0, "must not be negative")), "averaged": FLAG},
    theorems,
    measure,
    ties="w·x = 0 predicts 1",
    weighted=True,
    updates_on=updates_on,
    exact_on=exact_on,
    invariants=INVARIANTS,
    proof=proof,
    featurewise=True,
    mixing=OVER_SHARDS,
    source="Rosenblatt 1958",
)
