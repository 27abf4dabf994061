"""From mistakes to risk: what the mistakes of a run say of fresh examples, where the rounds are independent draws.

Let (x_t, y_t) be the labelled rounds, h_t the hypothesis that predicted round t, p_t = err(h_t) its chance to err on a fresh example,
M_T the mistakes of the first T rounds.  h_t depends on the past alone (and on coins that no example has seen), so that given the past a
mistake happens with probability p_t, and E[e^(-λX_t) | past] = 1 - p_t(1 - e^-λ) ≤ exp(-p_t(1 - e^-λ)), X_t = 1 on a mistake.  Hence
exp((1 - e^-λ)·Σp_t - λM_T) is a supermartingale that begins at 1.  By Ville's inequality it ever reaches 1/δ with probability at most δ:
with probability at least 1-δ, for all T at once,

    Σ_{t≤T} err(h_t) ≤ (λM_T + ln(1/δ))/(1 - e^-λ).

λ must be chosen before the run.  Take λ_j = 2^-j with δ_j = δ/((j+1)(j+2)), j = 0, 1, 2, ...: Σδ_j = δ·Σ(1/(j+1) - 1/(j+2)) = δ, so all
of them hold together with probability at least 1-δ, and the least may be read off afterwards.  From j on no value is below
2^j·ln(1/δ_j), as 1 - e^-λ ≤ λ; that ends the search.

Σp_t/T is the average of the risks of h_1, ..., h_T.  It is also the chance to err of whoever tosses a coin afresh for each example and asks
the hypothesis it falls on (Gibbs).  It is no bound on the risk of one hypothesis: one that was drawn and kept may be worse, and so may the
last one.  Where the majority of them errs (with several classes: the
most frequent class is wrong), at least half of them do; so the majority vote errs at most twice as often.

A round without a label changes nothing and does not count.  Whether a label is told must not depend on the example; else the risk is that
of examples whose labels are told.  Weights teach the learner, and so choose h_t; a mistake counts once whatever its round weighs.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from math import nextafter
from typing import Any

from littlestone.errors import require
from littlestone.theory.numbers import DIGITS, Exact, float_above, fraction, real, rounded_up, up


@dataclass(frozen=True)
class Risk:
    """With probability at least 1-δ over independent rounds, for all T at once; each limit is rounded up."""

    total: float  # Σ err(h_t) over the T hypotheses that made the predictions
    average: float  # the average of their risks
    majority_vote: float  # the risk of their majority vote
    j: int  # the place in the grid of λ that gave the least
    lam: float
    delta: float
    T: int  # labelled rounds
    M: int  # mistakes

    def as_json(self) -> dict[str, int | float]:
        return asdict(self)


def total(M: int, lam: Exact, delta: Exact) -> Decimal:
    """(λM + ln(1/δ))/(1 - e^-λ), rounded up, for one λ chosen beforehand.

    >>> total(10, 1, Fraction(1, 20)).quantize(Decimal("0.001"))
    Decimal('20.559')
    """
    with localcontext(DIGITS):
        return up((real(lam) * M - real(delta).ln()) / (1 - (-real(lam)).exp()))


def risk(M: int, T: int, delta: object = Fraction(1, 20)) -> Risk:
    """What M mistakes in T labelled rounds say of fresh examples, with probability at least 1-δ.

    >>> claim = risk(100, 10_000)
    >>> round(claim.average, 5), round(claim.majority_vote, 5), claim.j
    (0.01378, 0.02756, 2)
    >>> risk(0, 0).average, risk(3, 4).average
    (1.0, 1.0)
    """
    chance = fraction(delta, "delta")
    require(0 < chance < 1, f"delta={delta!s} must lie between 0 and 1: it is the probability that the claim is false")
    near = float(chance)  # what is written down is what is meant: a decimal that a double holds, and no more than was asked for
    chance = Fraction(repr(near)) if Fraction(repr(near)) <= chance else Fraction(repr(nextafter(near, 0.0)))
    require(0 <= M <= T, f"M={M!r}, T={T!r}: the mistakes must be a number from 0 to the rounds")
    best: tuple[Decimal, int] | None = None
    j = 0
    with localcontext(DIGITS):
        while True:
            share = chance / ((j + 1) * (j + 2))
            if best is not None and -real(share).ln() * 2**j > best[0]:
                break
            reached = (total(M, Fraction(1, 2**j), share), j)
            best = reached if best is None else min(best, reached)
            j += 1
        least = min(best[0], Decimal(T))  # each err is at most 1
        average = min(Decimal(1), up(best[0] / T)) if T else Decimal(1)
    return Risk(
        total=float_above(least),
        average=float_above(average),
        majority_vote=float_above(min(Decimal(1), 2 * average)),
        j=best[1],
        lam=2.0 ** -best[1],
        delta=float(chance),
        T=T,
        M=M,
    )


def of_certificate(content: Mapping[str, Any], delta: object) -> Risk:
    """What the mistakes of a certificate say of fresh examples. Of several passes the first is counted: the others are no fresh draws."""
    counts, stream = content["counts"], content["stream"]
    passes, (first, last) = stream.get("passes", 1), stream["rows"]
    if passes == 1:
        return risk(counts["mistakes"], counts["rounds"], delta)
    whole = (last - first + 1) % passes == 0 == counts["rounds"] % passes
    require(whole, f"iid: the run ended amid one of its {passes} passes, and only the first is made of fresh draws: play one")
    one_pass = (last - first + 1) // passes
    return risk(sum(row < first + one_pass for row in content["mistakes"]), counts["rounds"] // passes, delta)


def in_words(stated: Mapping[str, Any]) -> str:
    """A bound on the risk in a sentence: of whom it is, and of whom it is not.

    >>> in_words(risk(100, 10_000).as_json())  # doctest: +ELLIPSIS
    'if the rounds are independent draws (each row by chance from one source that does not change), then with probability at least 0.95 ...
    """
    average, vote, sure = share(stated["average"]), share(stated["majority_vote"]), sureness(stated["delta"])
    return (
        "if the rounds are independent draws (each row by chance from one source that does not change), then with probability "
        f"at least {sure} the hypotheses of this run err on "
        f"at most {average} of fresh examples on average, and their majority vote on at most {vote}; "
        "a single one of them, such as the last, may be worse"
    )


def share(part: float) -> str:
    """As a percentage, never less than it is.

    >>> share(0.05), share(0.085398)
    ('5 %', '8.54 %')
    """
    return _percentage(part, ROUND_CEILING)


def span(lower: float, upper: float) -> str:
    """Two percentages that hold all between lower and upper.

    >>> span(0.0129999, 0.0400101)
    'from 1.299 % to 4.002 %'
    """
    return f"from {_percentage(lower, ROUND_FLOOR)} to {_percentage(upper, ROUND_CEILING)}"


def _percentage(part: float, rounding: str) -> str:
    text = rounded_up(100 * Decimal(repr(float(part))), rounding)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def sureness(delta: float) -> str:
    """1-δ, never more than it is.

    >>> sureness(0.05), sureness(1e-12)
    ('0.95', '1 - 1e-12')
    """
    with localcontext(DIGITS):
        return str(1 - Decimal(repr(delta))) if delta >= 1e-9 else f"1 - {delta!r}"
