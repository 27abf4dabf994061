"""What a duel compares with: the witness as the learner's proof takes it, and the upper bound that its theorems give for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from littlestone.errors import LittlestoneError
from littlestone.protocol import AdviceRun, Block, Learner, Run
from littlestone.theory import Bound, Claim
from littlestone.theory.claims import least
from littlestone.theory.numbers import DIGITS, at_most, real
from littlestone.witnesses.separating import separating_vector

STEPS = (1, 2, 3, 4, 6, 12)  # a vector that was searched for is looked at in these parts of 1 first


@dataclass(frozen=True)
class Target:
    """The witness as a proof takes it: {feature: weight}, the weight of a bias at -1. None where it speaks of no witness."""

    weights: Mapping[int, Fraction] | None = None
    vector: bool = False
    gamma: Fraction = Fraction(0)  # the least y·(u·x) of all rounds
    longest: Fraction = Fraction(0)  # the largest |x|², the bias among them
    searched: bool = False  # was it found here, not handed over?

    @property
    def squared(self) -> Fraction:
        return sum((v * v for v in (self.weights or {}).values()), Fraction(0))


@dataclass(frozen=True)
class Upper:
    """A theorem's limit on the mistakes; or why there is none."""

    limit: int | None = None
    name: str = ""
    assumes: str = ""  # the assumption as `run.bounds` takes it
    kind: str = ""
    formula: str = ""
    source: str = ""
    why: str = ""


def target_of(witness: Any, learner: Learner, block: Block) -> Target:
    """The adversary's witness in the form that the learner's proof speaks of."""
    concept: Any = getattr(witness, "witness", None)
    kinds = {bound.witness for bound in learner.bounds}
    rho = Fraction(learner.settings.get("bias") or 0)
    rounds = [(dict(zip(i.tolist(), _values(v, len(i)), strict=True)), y) for i, v, y in block.rounds()]
    longest = max((sum((v * v for v in x.values()), Fraction(0)) for x, _ in rounds), default=Fraction(0)) + rho * rho
    if "vector" in kinds and learner.domain == "real":
        for weights in _vectors(witness, rho):
            gamma = _least(weights, rounds, rho)
            if gamma > 0:
                return Target(weights, True, gamma, longest)
        separator = _searched(block, rho, rounds)
        return Target(longest=longest) if separator is None else Target(separator, True, _least(separator, rounds, rho), longest, True)
    if "conjunction" in kinds:
        proper = hasattr(witness, "off") and not witness.on & witness.off
        return Target({i: Fraction(v) for i, v in concept.items()} if proper else None, longest=longest)
    if isinstance(concept, set | frozenset):
        return Target({i: Fraction(1) for i in concept}, longest=longest)
    own = "set" not in kinds and isinstance(concept, Mapping)
    return Target({i: Fraction(v) for i, v in concept.items()} if own else None, longest=longest)


def _values(values: np.ndarray | None, count: int) -> list[Fraction]:
    return [Fraction(1)] * count if values is None else [Fraction(float(v)) for v in values]


def _least(u: Mapping[int, Fraction], rounds: list[tuple[dict[int, Fraction], int]], rho: Fraction) -> Fraction:
    """The least y·(u·x), the bias among the features."""
    ever = rho * u.get(-1, Fraction(0))
    sums = ((ever + sum((v * u.get(i, Fraction(0)) for i, v in x.items()), Fraction(0))) * (1 if y else -1) for x, y in rounds)
    return min(sums, default=Fraction(0))


def _vectors(witness: Any, rho: Fraction) -> Iterator[dict[int, Fraction]]:
    """Vectors that say what the witness says."""
    concept = getattr(witness, "witness", None)
    if isinstance(concept, Mapping):
        weights = {int(i): Fraction(v) for i, v in concept.items()}
        yield weights
        if rho and hasattr(witness, "off"):  # a conjunction: all its literals, less half of one
            yield {**weights, -1: (Fraction(1, 2) - len(witness.on)) / rho}
    elif isinstance(concept, set | frozenset) and rho:
        yield {**{i: Fraction(1) for i in concept}, -1: Fraction(-1, 2) / rho}


def _searched(block: Block, rho: Fraction, rounds: list[tuple[dict[int, Fraction], int]]) -> dict[int, Fraction] | None:
    """The vector of the largest margin on the stream, in round numbers where they do as well."""
    width = int(block.indices.max()) + 1 if len(block.indices) else 1
    values = np.ones(len(block.indices)) if block.values is None else block.values.astype(np.float64)
    X = csr_array((values, block.indices.astype(np.int64), block.indptr), shape=(len(block), width))
    vector = separating_vector(X, np.where(block.labels == 1, 1, -1), bias=float(rho))
    if vector is None:
        return None
    for parts in (*STEPS, 2**20):
        u = {i: Fraction(round(v * parts), parts) for i, v in enumerate(vector.tolist()) if round(v * parts)}
        if rho and width in u:
            u[-1] = u.pop(width)
        least = _least(u, rounds, rho)
        if least > 0 and sum(v * v for v in u.values()) <= Fraction(float(vector @ vector)) * least**2 * (1 + Fraction(1, 10**4)):
            return u
    return None


def upper_of(run: Run | AdviceRun, witness: Any, target: Target) -> Upper:
    """The smallest limit among the theorems that assume no more than the witness shows; else one in hindsight."""
    if isinstance(run, AdviceRun):
        return _of_rule(run)
    learner, uppers = run.learner, []
    proved = {bound.assumes for bound in learner.bounds}
    for text in dict.fromkeys(_implied(witness, target, learner)):
        if text.partition(":")[0] in proved:
            uppers += [_judged(claim, text, learner.bounds) for claim in _claims(run, text) if claim.kind == "a priori"]
    known = [upper for upper in uppers if upper.limit is not None]
    if known:
        return min(known, key=lambda upper: (upper.limit, len(upper.assumes)))
    claim = least(_claims(run, None))
    if claim is not None and isinstance(claim.limit, int):
        return _judged(claim, "", learner.bounds)
    assumed = getattr(witness, "assume", "class").partition(":")[0]
    others = ", ".join(sorted(proved - {"none"}))
    why = next((upper.why for upper in uppers if upper.why), "")
    return Upper(why=why or f"{learner.name} has no theorem that assumes {assumed!r}" + (f"; it has: {others}" if others else ""))


def _claims(run: Run, text: str | None) -> list[Claim]:
    try:
        return run.bounds(text)
    except LittlestoneError:  # it speaks of something else, or of sizes that this stream does not have
        return []


def _implied(witness: Any, target: Target, learner: Learner) -> Iterator[str]:
    """What a stream that the witness labels lets one assume, as `run.bounds` takes it."""
    concept = getattr(witness, "witness", None)
    if hasattr(witness, "assume"):
        yield witness.assume
    if isinstance(concept, set | frozenset):
        yield f"disjunction:r={len(concept)}"
        yield f"k_of_r:k=1,r={len(concept)}"
        if concept:
            yield f"separable:U={len(concept)},delta=1"
    if learner.broken is not None:
        yield "class"  # some concept was left to the end
    if target.vector and target.gamma > 0 and target.weights is not None:
        summed = any("U" in bound.needs for bound in learner.bounds if bound.assumes == "margin")  # |u|₁, or the length |u|?
        size = sum((abs(v) for v in target.weights.values()), Fraction(0))
        per_unit = target.gamma / size
        yield f"margin:gamma={_root_below(per_unit**2)},U=1" if summed else f"margin:gamma={_root_below(target.gamma**2 / target.squared)}"
    yield "function"


def _root_below(square: Fraction) -> Fraction | Decimal:
    """√square: exactly where it is a short fraction, else twelve digits of it, rounded down.

    >>> _root_below(Fraction(1, 4)), _root_below(Fraction(1, 6))
    (Fraction(1, 2), Decimal('0.408248290463'))
    """
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator < 10**12:
        return Fraction(top, bottom)
    with localcontext(Context(prec=12, rounding=ROUND_FLOOR)):
        return +real(square).sqrt(DIGITS)


def _judged(claim: Claim, text: str, bounds: tuple[Bound, ...]) -> Upper:
    """A claim as an upper bound. Where the mistakes exceed it, `judge` calls the assumption false; here a witness shows it true."""
    limit, why = claim.limit, claim.reason
    if limit is None and "exceed the limit" in why:
        bound = next(bound for bound in bounds if (bound.name, bound.kind) == (claim.name, claim.kind))
        limit, why = at_most(bound.value(**claim.facts)), ""
    return Upper(
        None if limit is None else int(limit),
        claim.name,
        text,
        claim.kind,
        claim.formula,
        claim.source,
        f"{claim.name}: {why}" if why else "",
    )


def _of_rule(run: AdviceRun) -> Upper:
    """The theorem for the m mistakes of the best expert. Where it bounds the loss to expect of a coin, no run's mistakes are bounded."""
    m = int(min(run.losses))
    text = f"expert:m={m}"
    try:
        claims = [claim for claim in run.bounds(text) if claim.kind == "a priori"]
    except LittlestoneError:
        claims = [claim for claim in run.bounds() if claim.limit is not None]
        text = ""
    if run.rule.coin or run.rule.randomized or run.rule.expectation is not None:
        expected = [
            f"{claim.formula}: at most {claim.limit:.4g}, and it was {claim.observed:.4g}" for claim in claims if claim.limit is not None
        ]
        remark = f" ({expected[0]})" if expected else ""
        return Upper(why=f"the theorems about {run.rule.name} bound the loss to expect over its coin, not the mistakes of one run{remark}")
    uppers = [_judged(claim, text, run.rule.bounds) for claim in claims]
    known = [upper for upper in uppers if upper.limit is not None]
    if known:
        return min(known, key=lambda upper: upper.limit or 0)
    return Upper(why=next((upper.why for upper in uppers if upper.why), f"{run.rule.name} has no theorem about its mistakes here"))
