"""Mixing: one learner over S shards of a stream, for several epochs; after each the shards' weights are mixed, and all go on from there.

In epoch e shard s makes k_{s,e} mistakes, and counts with the share μ_{s,e}, Σ_s μ_{s,e} = 1: 1/S each, or in proportion to its mistakes.
K̄ = ΣΣ μ·k are the mistakes of the mixture, P = Σ_e max_s k_{s,e} at least as many. All M = ΣΣ k of them are at most S·K̄: Σ_s k ≤ S·Σ_s μk
where μ = 1/S by definition, and where μ ∝ k by Cauchy and Schwarz. That factor S is what mixing gives up against one pass in sequence,
whose bound has none; the work of an epoch is done in the S-th part of the time.

Perceptron.  In a shard a mistake adds y·(u·x) ≥ 1 - hinge to u·w, and at most R² to |w|².  The mixture of the w has the mixture of the u·w,
and at most that of the |w|², which is convex.  So K̄ - L̄ ≤ |u|·√(R²K̄), L̄ = ΣΣ μ·hinge:  K̄ ≤ ((√Q + √(Q + 4L̄))/2)², Q = R²|u|².

Winnow, mixed by the geometric or by the arithmetic mean.  Every w_i stays below αθ.  The sum of log_α w_i over a set of r features grows by
at least 1 with each promotion, but for A, its attribute errors; the geometric mean keeps the mixture of these sums, and the arithmetic mean
is no smaller (log is concave).  So K̄₊ ≤ r(1 + log_α θ) + Ā.  The sum W of all w grows by less than (α-1)θ with a promotion, shrinks by
at least (1-1/α)θ with a demotion, and mixing never makes it larger than the mixture of the W (geometric ≤ arithmetic mean).  W > 0, so
K̄₋ < αn/((α-1)θ) + αK̄₊.  There are no ceilings: mixed exponents are fractions.

Merging, where nothing is averaged: what is possible after an epoch is what every shard has left possible, an intersection.  It is exact, it
does not change when it is done twice, and each epoch loses at least what the shard with the most mistakes has lost, so that P is within the
bound of one pass, and M ≤ S·P: every k is at most max_s k.
Elimination strikes out a variable with each false 1: P ≤ n - r where a disjunction of r of n labels the stream.  On any stream the
variables that a 0 has on, E of them, are struck out after the first epoch, and no others ever; a missed 1 has no other variable on, and B
such rounds can be missed in every epoch.  So M ≤ S·E + epochs·B, where B is what the disjunction of all others errs in a pass.
Conjunctions remove a literal with each missed 1, and n of 2n with the first: P ≤ n + 1 - size.  On any stream the literals that some 1
contradicts are removed after the first epoch, and no others ever.  Of each feature one literal at least is removed, and both of those that
1s have on as well as off, `changing` of them: so at most 1 + changing 1s are missed on the longest way.  A false 1 makes all others true,
as B rounds do.  So M ≤ S·(1 + changing) + epochs·B.
Version spaces: a mistake halves V, or lowers its dimension, and an intersection is no larger, nor is its dimension: M ≤ S·⌊log2(|C|/|V|)⌋
and S·(Ldim(C) - Ldim(V)), V what is left at the end.
Eliminations, and version spaces that learn from every round, know after one epoch exactly what one pass in sequence knows.

What doubles add.  v = 2^-53; rows have at most d features, so a sum is off by at most g = 2(d+3)v of the sum of its terms' sizes; a
mixture by h = (S+4)·2^-43 of its size (a logarithm of a double is below 745, and is rounded S+3 times).  Along any chain of shards at most
P mistakes are made, so that |w| ≤ B = 2RP while (P+1)g + Eh ≤ 2^-10.  A mistake may then add 2gBR + 3v(B+R)² more to |w|², and lose
v|u|(B+R) of u·w; a mixture 3hB² and h|u|B.  Winnow's weights are off by at most ε = (P+1)g + Eh, relatively.  All of this is in the limits.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from littlestone.errors import require
from littlestone.theory import contradictions
from littlestone.theory.bound import Bound, Claim, judge, looked_for, parse_assumption
from littlestone.theory.certificate import exactly
from littlestone.theory.json_shape import object_with
from littlestone.theory.numbers import DIGITS, Real, real, root_up, up
from littlestone.theory.sealed import Sealed, checked_content, sealed_content

ULP = Fraction(1, 2**53)
WEIGHTS, MEANS = ("uniform", "mistakes"), ("geometric", "arithmetic")
SOURCE = "McDonald, Hall, Mann, Distributed training strategies for the structured perceptron, 2010; with hinge loss and slack here"
OWN = "derived in theory/mixing.py"


def shares(weights: str, mistakes: Sequence[int]) -> list[Fraction]:
    """What each shard counts in the mixture of an epoch.

    >>> shares("mistakes", [3, 1]), shares("mistakes", [0, 0]), shares("uniform", [3, 1])
    ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)])
    """
    parts = [*mistakes] if weights == "mistakes" and any(mistakes) else [1] * len(mistakes)
    return [Fraction(part, sum(parts)) for part in parts]


def _rounding(S: int, E: int, P: int, d: int) -> tuple[Fraction, Fraction]:
    """Return limits on the rounding error of a sum, and of a mixture."""
    g, h = 2 * (d + 3) * ULP, (S + 4) * Fraction(1, 2**43)
    require((P + 1) * g + E * h <= Fraction(1, 1024), "so many mistakes leave doubles no digit to rely on")
    return g, h


def mixed_perceptron(S: int, E: int, P: int, d: int, R2: Real, u2: Real, L: Real) -> Real:
    """S·((√Q + √(Q + 4L))/2)², with what doubles add to Q and L.

    >>> float(mixed_perceptron(2, 1, 10, 5, 1, 4, 0)) - 8 < 1e-3
    True
    """
    g, h = _rounding(S, E, P, d)
    with localcontext(DIGITS):
        R, u = root_up(R2), root_up(u2)
        B = 2 * R * P
        more = 2 * real(g) * B * R + 3 * real(ULP) * (B + R) ** 2
        Q = real(u2) * (real(R2) + more)
        loss = real(L) + u * (root_up(3 * E * h) * B + real(ULP) * (B + R) * P + E * real(h) * B)
        K = ((root_up(Q) + root_up(Q + 4 * loss)) / 2) ** 2
        return up(S * K)


def mixed_margin(S: int, E: int, P: int, d: int, R2: Real, gamma: Real) -> Real:
    require(gamma > 0, f"gamma={gamma} must be above 0")
    return mixed_perceptron(S, E, P, d, R2, 1 / Fraction(gamma) ** 2, 0)


def mixed_winnow(S: int, E: int, P: int, d: int, n: int, alpha: Real, theta: Real, r: int, A: Real) -> Real:
    """S·(K̄₊ + K̄₋) by the two sums.

    >>> float(mixed_winnow(1, 1, 20, 4, 100, 2, 100, 2, 0)) - (2 + 3 * 2 * (1 + 6.643856189774724)) < 1e-6
    True
    """
    g, h = _rounding(S, E, P, d)
    with localcontext(DIGITS):
        a, t, e = real(alpha), real(theta), real((P + 1) * g + E * h)
        promotions = real(r) * (1 + (t.ln() + 4 * e) / a.ln()) + real(A)
        most = 2 * (n + (a - 1) * t * P)
        demotions = (a / ((a - 1) * t) * (n + 2 * e * most) + a * (1 + real(g)) * promotions) / (1 - real(g))
        return up(S * (promotions + demotions))


@dataclass(frozen=True)
class MixingTheorems:
    """What is true of a learner over shards: how what they know may become one, its bounds, and how the facts of these are measured."""

    means: tuple[str, ...]  # the usual one first
    bounds: Any  # or a function of the settings
    measured: Callable[["ShardRounds", Mapping[str, Any], Any], "ShardFacts"]  # of the rounds, a witness, and what the last epoch left
    refuses: Callable[[Mapping[str, Any]], str] = lambda settings: ""  # why a learner with these settings cannot be mixed
    misstated: Callable[[Mapping[str, Any], Mapping[str, Any]], str] = lambda facts, declared: ""  # why what was declared cannot be meant
    witness: str = ""  # what a certificate states of the witness of the bound in hindsight, if anything
    arithmetic: str = "float"

    def bounds_of(self, settings: Mapping[str, Any]) -> tuple[Bound, ...]:
        return self.bounds(settings) if callable(self.bounds) else self.bounds


def judged(bound: Bound, M: int, assume: str, facts: Mapping[str, Any], looks: Any, theorems: MixingTheorems, settings: Mapping) -> Claim:
    """Return what a bound says where something was declared: void where the rows, as `looks` has them, contradict it."""
    declared = parse_assumption(assume)[1]
    void = theorems.misstated(facts, declared)
    row = None if void else contradictions.find(bound, assume, looks, (), facts, settings)
    claim = judge(bound, M, facts, void or ("" if row is None else contradictions.reason(row)))
    if claim.limit is None and not void and row is None and contradictions.met(bound, assume, looks, facts, settings):
        return judge(bound, M, facts, met=True)  # too many mistakes, and the rows are as declared
    return claim


class ShardFacts(NamedTuple):
    """Facts as a stream and the counts tell them: some exactly, of others the least that they can be."""

    exactly: dict[str, Any]
    at_least: Mapping[str, Any] = {}


@dataclass(frozen=True)
class ShardRounds:
    """The rounds of all shards, and how often each of them counts in the mixture of each epoch."""

    settings: Mapping[str, Any]
    shards: Sequence[Sequence[tuple[Mapping[Any, float], bool | None]]]
    shares: Sequence[Sequence[Fraction]]

    @property
    def labelled(self) -> Iterator[tuple[Mapping[Any, float], bool]]:
        return ((x, y) for shard in self.shards for x, y in shard if y is not None)

    def features(self, *labels: bool | None) -> set:
        """Those of the rounds with one of these labels."""
        return {i for shard in self.shards for x, y in shard if y in labels for i in x}

    def weighed(self, loss: Callable[[Mapping[Any, float], bool], Fraction]) -> Fraction:
        """What a witness loses in all epochs, each shard as often as it counts."""
        own = [sum((loss(x, y) for x, y in shard if y is not None), Fraction(0)) for shard in self.shards]
        return sum((mu * lost for epoch in self.shares for mu, lost in zip(epoch, own, strict=True)), Fraction(0))


# ------------------------------------------------------------------------------------------------------------------ the certificate

FORMAT, VERSION = "littlestone mixing certificate", 1
_WHOLE, _TEXT = {"type": "integer", "minimum": 0}, {"type": "string"}
_LIST = {"type": "array", "items": _WHOLE}
_EXACT = {"type": ["integer", "string"]}


_STREAM = object_with(
    digest={"type": "string", "pattern": "sha256(-tree)?:[0-9a-f]{64}"}, boolean={"type": "boolean"}, weighted={"type": "boolean"},
    labels={"anyOf": [{"type": "array", "items": {"type": ["string", "number"]}}, {"type": "null"}]},
)  # fmt: skip
_STREAM["properties"] |= {"reading": {"type": "object"}, "row_version": {"enum": [2]}}
_BOUND = object_with(name=_TEXT, kind=_TEXT, formula=_TEXT, facts={"type": "object"}, limit={"type": ["integer", "null"]}, observed=_WHOLE,
                 holds={"type": ["boolean", "null"]}, reason=_TEXT)  # fmt: skip
SCHEMA = object_with(
    format=_TEXT, version=_WHOLE, littlestone=_TEXT, about=_TEXT, stream=_STREAM,
    learner=object_with(name=_TEXT, settings={"type": "object"}),
    mixing=object_with(epochs=_WHOLE, shards=_LIST, weights=_TEXT, mean=_TEXT, arithmetic=_TEXT,
                   counts={"type": "array", "items": {"type": "array", "items": _LIST}},
                   shares={"type": "array", "items": {"type": "array", "items": _EXACT}}),
    witness={"type": "object"}, assume={"type": ["string", "null"]}, bounds={"type": "array", "items": _BOUND}, digest=_TEXT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MixingCertificate(Sealed):
    """A run over shards as a value that a stranger can check: `content` is the JSON object."""

    @property
    def mistakes(self) -> int:
        return sum(sum(pair) for epoch in self.content["mixing"]["counts"] for pair in epoch)


def sealed(**parts: Any) -> MixingCertificate:
    return MixingCertificate(sealed_content(FORMAT, VERSION, {"about": "mixing", **parts}))


def read(source: Any) -> MixingCertificate:
    """A certificate from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    return MixingCertificate(checked_content(source, FORMAT, (VERSION,), SCHEMA, _refuse_misstated))


def _refuse_misstated(content: Mapping[str, Any]) -> None:
    about, weighted = content["about"], content["stream"]["weighted"]
    require(about == "mixing", f"about is {about!r}; expected 'mixing'")
    require(not weighted, "stream.weighted is true, and shards are mixed of rounds without weights")


def record_of(claim: Claim) -> dict[str, Any]:
    """Return a claim as a certificate of mixing writes it."""
    parts = ("name", "kind", "formula", "limit", "observed", "holds", "reason")
    return {**{key: getattr(claim, key) for key in parts}, "facts": exactly(dict(claim.facts))}


def in_words(record: Mapping[str, Any], assume: str | None) -> str:
    """Return what a bound says, with the condition where it has one.

    >>> in_words({"name": "b", "kind": "a priori", "limit": 9, "holds": True}, "disjunction:r=2")
    'at most 9 by b, if disjunction:r=2 (no contradiction was found, and not every one is looked for)'
    """
    if record["limit"] is None:
        return f"void: {record['name']}{f' ({assume})' if record['kind'] == 'a priori' else ''}: {record['reason']}"
    condition = f", if {assume} ({looked_for(assume)})" if assume is not None and record["kind"] == "a priori" else ""
    return f"at most {record['limit']:,} by {record['name']}{condition}{': BROKEN' if record['holds'] is False else ''}"


def decimal_up(number: float) -> Decimal:
    """A number as a certificate states it, not below what it was measured to be within twelve digits."""
    with localcontext(DIGITS):
        return real(number) * (1 + Decimal("1e-12")) if number else Decimal(0)
