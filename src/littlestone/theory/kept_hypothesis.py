"""One hypothesis of a run, chosen and kept: each candidate is tested on the rounds after it, and the least limit on the error is kept.

Let the rounds be independent draws from one distribution, and c_1 < c_2 < ... < c_64 numbers of rounds that were fixed before the first of
them.  h_i is the hypothesis after round c_i.  It depends on the rounds up to c_i alone, so that it errs on each of the n_i labelled rounds
after c_i independently, with probability err(h_i): its mistakes there, k_i, are binomial.  Let U(k, n, ε) be the largest p for which k
mistakes or fewer in n rounds have a probability above ε (the upper limit of Clopper and Pearson).  Then err(h_i) > U(k_i, n_i, δ/64) has
a probability of at most δ/64, and with probability at least 1-δ

    err(h_i) ≤ U(k_i, n_i, δ/64)  for all 64 candidates at once.

So any of them may be chosen by whatever was seen; the one with the least limit is.  Candidates may be dropped on the way, by whatever was
seen, too: what is said of the others does not change.  The number of rounds must not depend on what they hold: who stops a run when its
mistakes please him has chosen n_i by looking.

This is the penalised suffix rule (Cesa-Bianchi, Conconi, Gentile 2004: of all T hypotheses, the one with the least error on its suffix plus
a penalty √(ln(T(T+1)/δ)/(2n))), for 64 candidates in place of T, which makes it linear and not quadratic in T, and with the exact tail in
place of Hoeffding's.  The candidates are ⌊2^(k/2)⌋, k = 3, ..., 66: of T rounds, T up to 2^33, some candidate has been taught between about
a half and seven tenths, and is tested on the rest.

A round without a label does not count.  Whether a label is told must not depend on the example; else the error is that of examples whose
labels are told.  A mistake counts once, whatever its round weighs.
"""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import factorial, isqrt

from littlestone.errors import require
from littlestone.theory.numbers import Exact, real

CANDIDATES = tuple(isqrt(2**k) for k in range(3, 67))
CONDITION = "if rounds are independent draws from one distribution, and nothing seen in the run decided its length"
STEPS = 2**40  # limits are multiples of 1/STEPS, rounded up

# Sixty digits: of each tail some thirty are lost to the logarithms of factorials of at most thirty digits, and fewer to its terms.
TAIL = Context(prec=60, Emin=-999_999_999, Emax=999_999_999)
BERNOULLI = [Fraction(*pair) for pair in ((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510))]
BERNOULLI += [Fraction(*pair) for pair in ((43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730))]
EXACT = 256  # factorials up to this are multiplied out
TWO_PI = Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725606965068")
SLACK = Decimal("1e-15")  # far above what is lost, far below what would matter


@lru_cache(4096)
def log_factorial(n: int) -> Decimal:
    """ln n!, to twenty-five digits after the point or more, by Stirling's series, whose error is below its first term left out.

    >>> round(float(log_factorial(300)), 9), round(float(log_factorial(10)), 9)
    (1414.905849945, 15.104412573)
    """
    with localcontext(TAIL):
        if n <= EXACT:
            return Decimal(factorial(n)).ln()
        series = sum((real(B / (2 * k * (2 * k - 1))) / Decimal(n) ** (2 * k - 1) for k, B in enumerate(BERNOULLI, 1)), Decimal(0))
        return (n + Decimal("0.5")) * Decimal(n).ln() - n + TWO_PI.ln() / 2 + series


def tail(k: int, n: int, p: Fraction) -> Decimal:
    """At least the probability of k or fewer mistakes in n rounds, p above k/n the probability of each; above by a part of 1e-15 at most.

    >>> round(float(tail(1, 4, Fraction(1, 2))), 9), round(float(tail(0, 100, Fraction(1, 100))), 6)
    (0.3125, 0.366032)
    """
    with localcontext(TAIL):
        q = real(1 - p)
        odds = q / real(p)
        log_term = log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * real(p).ln() + (n - k) * q.ln()
        term = total = log_term.exp()
        for i in range(k, 0, -1):
            ratio = odds * i / (n - i + 1)  # below 1, and smaller with every step
            term *= ratio
            total += term
            if term * ratio < total * (1 - ratio) * SLACK / 4:
                total += term * ratio / (1 - ratio)  # all that follow are less than this geometric series
                break
        return total * (1 + SLACK / 2)


def upper_limit(k: int, n: int, chance: Exact) -> float:
    """U(k, n, chance), rounded up to a multiple of 2^-40: no error above it leaves so few mistakes with a greater chance.

    >>> round(upper_limit(0, 100, Fraction(1, 20)), 6), round(upper_limit(3, 20, Fraction(1, 40)), 6), upper_limit(0, 0, Fraction(1, 20))
    (0.029513, 0.378927, 1.0)
    """
    require(0 <= k <= n, f"k={k!r}, n={n!r}: the mistakes must be a number from 0 to the rounds")
    if k == n:
        return 1.0
    allowed = real(chance)
    low, high = k * STEPS // n, STEPS  # the tail falls as p grows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(k, n, Fraction(middle, STEPS)) <= allowed else (middle, high)
    return high / STEPS


def kept_limit(k: int, n: int, delta: Fraction) -> float:
    """What k mistakes in the n labelled rounds after a candidate say of its error, with probability at least 1-δ for all candidates.

    >>> round(kept_limit(0, 1000, Fraction(1, 20)), 5), round(kept_limit(20, 1000, Fraction(1, 20)), 5)
    (0.00713, 0.03818)
    """
    return upper_limit(k, n, delta / len(CANDIDATES))
