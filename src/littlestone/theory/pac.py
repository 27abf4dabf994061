"""From a mistake bound to learning from examples (PAC): how many examples each method draws, and what it then promises.

Examples are independent draws from one distribution, labelled by a concept on which the learner makes at most B mistakes, in whatever
order its examples come; err(h) is the chance that h is wrong on a fresh one. The learner is taught its mistakes only (it is conservative,
and keeps its bound: Proposition 3), so that it has a first hypothesis h_1 and one more after each mistake. h_{B+1} is exact: an example
that it got wrong would be mistake number B+1. h_i depends on the examples before its time alone; those it is tried on are fresh.

**Survival.** Let p = err(h_i) and let h_i be right L_i times in a row before its first mistake (or before the examples end). It is right
ℓ times in a row with probability (1-p)^ℓ, so (1-p)^{L_i} < c happens with probability below c, for any c: with ℓ the least number that
has (1-p)^ℓ < c, L_i must have been at least ℓ. Chances c_i that add up to δ, chosen beforehand, therefore give with probability at least
1-δ

    (1 - err(h_i))^{L_i} ≥ c_i,  that is  err(h_i) ≤ 1 - c_i^(1/L_i),  for all hypotheses at once,

and the one to keep may be chosen afterwards. All but two of the methods below are this sentence with other c_i:

`to_pac` (Theorem 4): c_i = δ/B for h_1, ..., h_B, and h_{B+1} is exact. It stops at B mistakes, or when a hypothesis has been right s
times in a row, s the least number with B(1-ε)^s ≤ δ; the notes' s = ⌈ln(B/δ)/ε⌉ is no smaller, since -ln(1-ε) ≥ ε. At most s-1 examples
are right before each mistake: if it stops at mistake B it has drawn at most B·s; if a hypothesis passes after k ≤ B-1 mistakes, at most
k·s + s.

`controlled_testing`: c_i = δ_i = δ/(i+2)², i = 1, 2, ...; Σ 1/(i+2)² = π²/6 - 1 - 1/4 = 0.39..., so Σδ_i ≤ δ. h_i passes when it is right
on n_i = ⌈ln(1/δ_i)/ε⌉ fresh examples; (1-ε)^{n_i} ≤ e^{-ε·n_i} ≤ δ_i. Its first mistake ends a test, and each test but the last is a
mistake: a learner that makes M mistakes draws at most n_1 + ... + n_{M+1} examples. Nothing needs to be known of M.

`longest_survivor`: a sample of fixed size, and the hypothesis that was right most often in a row. With s as in `to_pac` and m = (B+1)·s
examples at least m - B = (B+1)(s-1) + 1 are right, shared by at most B+1 hypotheses: one of them was right s times in a row at least. If
the longest survivor is one of the first B it is wrong with err > ε with probability at most B(1-ε)^s ≤ δ; else it is exact. (The notes
have (B+1)ℓ + B examples with ℓ = ⌈ln((B+1)/δ)/ε⌉: no more is promised for them.)

**Random stopping** (Theorem 5.12): let h_t be the hypothesis that predicts example t, T = ⌈B/ε⌉, and τ uniform in 1, ..., T. E[err(h_t)]
is the chance of a mistake at t, so E[err(h_τ)] = E[mistakes on T examples]/T ≤ B/T ≤ ε: in expectation over examples and τ, with no δ.
Here the learner may be told every label. h_τ is known after τ-1 ≤ T-1 examples.

**Log-free** (after Littlestone 1989): first m1 = ⌈(2/ε)·max(2B, 8·ln(2/δ))⌉ examples. While every hypothesis has err ≥ ε/2, the mistakes
are no fewer than those of m1 coins of bias ε/2, whose mean is μ = m1·ε/2 ≥ 2B; that at most B ≤ μ/2 fall has probability at most e^{-μ/8}
≤ δ/2 (Chernoff). So with probability at least 1 - δ/2 some hypothesis has err < ε/2. Then all of them, at most B+1, are tried on m2 =
⌈(32/ε)·ln(2(B+1)/δ)⌉ fresh examples, and the one with the fewest errors is taken. The good one errs on 3ε/4 of them or more with
probability at most e^{-m2·(ε/2)·(1/2)²/(2 + 1/2)} = e^{-m2·ε/20}; one with err > ε on at most 3ε/4 of them with probability at most
e^{-m2·ε·(1/4)²/2} = e^{-m2·ε/32}. At most B+1 such events, each of probability at most δ/(2(B+1)). The logarithm of B stands beside 1/ε
alone, no longer beside B/ε.

With B = 0 the first hypothesis is exact, and no example is needed. Every size is a whole number, computed to a hundred digits and rounded
up.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, log
from typing import NamedTuple

from littlestone.errors import require
from littlestone.theory.numbers import DIGITS, Exact, float_above, fraction, real, up
from littlestone.theory.queries import draws

LEAST = Fraction(1, 10**12)  # of epsilon and delta: doubles hold 1-δ and the sizes of samples with many digits to spare


class Goal(NamedTuple):
    """What a promise is to say: err ≤ epsilon, but for a chance of delta."""

    epsilon: Fraction
    delta: Fraction


def goal_of(epsilon: object, delta: object) -> Goal:
    """The numbers the user typed, exactly.

    >>> goal_of(0.05, "1/20")
    Goal(epsilon=Fraction(1, 20), delta=Fraction(1, 20))
    """
    error, chance = fraction(epsilon, "epsilon"), fraction(delta, "delta")
    require(0 < error < 1, f"epsilon={epsilon!s} must lie between 0 and 1: it is the error that is allowed")
    require(0 < chance < 1, f"delta={delta!s} must lie between 0 and 1: it is the probability that the promise is not kept")
    require(error >= LEAST, f"epsilon={epsilon!s} is smaller than any number of rows can show: expected at least 1e-12")
    require(chance >= LEAST, f"delta={delta!s} is too small to tell 1-delta from 1: expected at least 1e-12")
    return Goal(error, chance)


def mistakes_allowed(bound: object) -> int:
    """The bound as a whole number of mistakes."""
    require(isinstance(bound, int) and bound >= 0, f"bound={bound!r} must be a whole number of mistakes, 0 or more")
    return int(bound)  # type: ignore[call-overload]


def right_in_a_row(chance: Exact, epsilon: Exact) -> int:
    """The least s ≥ 1 with (1-ε)^s ≤ chance: so often right in a row is a hypothesis with err ≥ ε with probability at most that.

    >>> right_in_a_row(Fraction(1, 8), Fraction(1, 2)), right_in_a_row(Fraction(1, 9), Fraction(1, 2))
    (3, 4)
    """
    with localcontext(DIGITS):
        near = real(chance).ln() / real(1 - Fraction(epsilon)).ln()
        s = max(1, ceil(near - Decimal("1e-30")))
        # a power of a fraction may meet the chance exactly: there the logarithm cannot tell
        return s if abs(near - round(near)) > Decimal("1e-30") or (1 - Fraction(epsilon)) ** s <= chance else s + 1


def examples_for(chance: Exact, epsilon: Exact) -> int:
    """⌈ln(1/chance)/ε⌉: the same with ε in place of -ln(1-ε), as the notes have it; no smaller.

    >>> examples_for(Fraction(1, 8), Fraction(1, 2)), examples_for(1, Fraction(1, 2))
    (5, 0)
    """
    with localcontext(DIGITS):
        return 0 if chance == 1 else ceil(up(-real(chance).ln() / real(epsilon)))


def run_length(B: int, epsilon: Exact, delta: Exact) -> int:
    """s of `to_pac`: the least with B(1-ε)^s ≤ δ.

    >>> run_length(38, Fraction(1, 20), Fraction(1, 20)), run_length(0, Fraction(1, 20), Fraction(1, 20))
    (130, 0)
    """
    return right_in_a_row(Fraction(delta) / B, epsilon) if B else 0


def run_length_of_the_notes(B: int, epsilon: Exact, delta: Exact) -> int:
    """⌈ln(B/δ)/ε⌉.

    >>> run_length_of_the_notes(38, Fraction(1, 20), Fraction(1, 20))
    133
    """
    return examples_for(Fraction(delta) / B, epsilon) if B else 0


def to_pac(B: int, epsilon: Exact, delta: Exact) -> int:
    """B·s: the most examples that `to_pac` draws."""
    return B * run_length(B, epsilon, delta)


def share(i: int, delta: Exact) -> Fraction:
    """δ_i = δ/(i+2)²: the chance that test i, counted from 1, may be passed wrongly."""
    return Fraction(delta) / (i + 2) ** 2


def size_of_test(i: int, epsilon: Exact, delta: Exact) -> int:
    """n_i = ⌈ln(1/δ_i)/ε⌉: how many fresh examples test i has, as many as answer the i-th sampled equivalence query.

    >>> [size_of_test(i, Fraction(1, 20), Fraction(1, 20)) for i in (1, 2, 3)]
    [104, 116, 125]
    """
    near = log((i + 2) ** 2 / delta) / float(epsilon)  # off by far less than a billionth of it: a noisy stream has very many tests
    return ceil(near) if abs(near - round(near)) > 1e-9 * near else draws(i, epsilon, delta)


def controlled_testing(M: int, epsilon: Exact, delta: Exact) -> int:
    """n_1 + ... + n_{M+1}: the most examples that `controlled_testing` draws if the learner makes at most M mistakes.

    >>> controlled_testing(2, Fraction(1, 20), Fraction(1, 20))
    345
    """
    return sum(size_of_test(i, epsilon, delta) for i in range(1, M + 2))


def longest_survivor(B: int, epsilon: Exact, delta: Exact) -> int:
    """(B+1)·s: the sample of `longest_survivor`."""
    return (B + 1) * run_length(B, epsilon, delta)


def random_stopping(B: int, epsilon: Exact) -> int:
    """T = ⌈B/ε⌉; the hypothesis that predicts one of these examples is taken.

    >>> random_stopping(38, Fraction(1, 20)), random_stopping(1, Fraction(3, 10))
    (760, 4)
    """
    return ceil(B / Fraction(epsilon))


def log_free(B: int, epsilon: Exact, delta: Exact) -> tuple[int, int]:
    """(m1, m2): the examples that `log_free` learns from, and those that it chooses by.

    >>> log_free(38, Fraction(1, 20), Fraction(1, 20)), log_free(0, Fraction(1, 20), Fraction(1, 20))
    ((3040, 4706), (0, 0))
    """
    if not B:
        return 0, 0
    with localcontext(DIGITS):
        half = 8 * -(real(delta) / 2).ln()
        first = ceil(2 * Fraction(2 * B) / Fraction(epsilon)) if half <= 2 * B else ceil(up(2 * half / real(epsilon)))
        return first, ceil(up(32 * -real(Fraction(delta) / (2 * (B + 1))).ln() / real(epsilon)))


def error_after(length: int, chance: Exact) -> float:
    """1 - chance^(1/L), rounded up: what L right predictions in a row say of a hypothesis, but for that chance.

    >>> error_after(59, Fraction(1, 20)) <= 0.05 < error_after(58, Fraction(1, 20)), error_after(0, Fraction(1, 20))
    (True, 1.0)
    """
    if not length:
        return 1.0
    with localcontext(DIGITS):
        return float_above(min(Decimal(1), up(1 - (real(chance).ln() / length).exp())))


def epsilon_within(rows: int, most: Callable[[Fraction], int]) -> Fraction | None:
    """The least ε, to a ten-thousandth, for which a method needs no more than so many examples; None where none below 1 is enough.

    >>> epsilon_within(4_940, lambda epsilon: to_pac(38, epsilon, Fraction(1, 20)))
    Fraction(249, 5000)
    """
    low, high = 0, 10_000  # most falls as ε grows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if most(Fraction(middle, 10_000)) <= rows else (middle, high)
    return Fraction(high, 10_000) if high < 10_000 else None


def enough_for(by: str, rows: int, B: int | None, delta: Exact) -> float | None:
    """The least ε for which so many examples are enough for the named method, whatever happens, if B bounds the mistakes.

    >>> enough_for("to_pac", 4_940, 38, Fraction(1, 20)), enough_for("random_stopping", 99, 5, 0), enough_for("anytime", 99, 5, 0)
    (0.0498, 0.05, None)
    """
    if B is None or by == "anytime":
        return None
    if by == "random_stopping":
        return min(1.0, B / (rows + 1))
    sizes = {"to_pac": to_pac, "controlled_testing": controlled_testing, "longest_survivor": longest_survivor}
    size = sizes.get(by, lambda *of: sum(log_free(*of)))
    least = epsilon_within(rows, lambda epsilon: size(B, epsilon, delta))
    return None if least is None else float(least)
