"""Mistakes and equivalence queries: how a bound on one becomes a bound on the other, and what a sampled answer is worth.

An equivalence query asks of a hypothesis h whether it is the target c.  The answer is yes, or an instance x with h(x) ≠ c(x).

From mistakes to queries.  Let a deterministic learner make at most B mistakes on every stream that some concept of the class labels.
Ask for h_1, its prediction rule before the first round; show it the counterexample and its label; ask for the rule it then has, and so
on.  The counterexamples are a stream that c labels, and the learner errs on each of them, so there are at most B.  The query after the
last one is answered yes: at most B + 1 queries.  The hypotheses are prediction rules, which need not be concepts of the class.

From queries to mistakes.  Let a query learner, whatever counterexamples it gets, know c after at most Q queries.  Predict by the
hypothesis of the query it is about to ask, and on a mistake answer the query with that round; when it asks no more, by what it has
found.  Each mistake is one query answered, and none is answered yes.  So there are at most Q mistakes; and at most Q - 1 if its last
query is always answered yes.  B -> B + 1 -> B loses nothing: the learner that `from_equivalence_queries(to_equivalence_queries(A))`
makes is A, fed its mistakes alone.

Sampled answers.  Answer the i-th query, i = 1, 2, ..., by q_i = ⌈ln(1/δ_i)/ε⌉ fresh examples, δ_i = δ/(i+2)²: the first that h_i gets
wrong, or yes where there is none.  If err(h_i) ≥ ε, yes has probability at most (1-ε)^q_i ≤ e^(-εq_i) ≤ δ_i, given all that came before;
and Σδ_i = δ(1/9 + 1/16 + ...) < 0.4δ.  So with probability at least 1-δ no query with an error of ε or more is ever answered yes.  With at
most B + 1 queries, that is PAC learning from mistakes, with at most q_1 + ... + q_(B+1) examples.
"""

from decimal import localcontext
from fractions import Fraction
from math import ceil

from littlestone.errors import require
from littlestone.theory.numbers import DIGITS, fraction, real, up

SOURCE = "Kanade, Lecture 10, Propositions 6 and 7"


def queries(B: int) -> int:
    """The most equivalence queries of a learner with mistake bound B.

    >>> queries(5)
    6
    """
    return B + 1


def mistakes(Q: int, ends_with_yes: bool = False) -> int:
    """The most mistakes of a query learner of at most Q queries, turned into one that predicts.

    >>> mistakes(6), mistakes(queries(5), ends_with_yes=True)
    (6, 5)
    """
    least = int(ends_with_yes)
    require(least <= Q, f"Q={Q!r} must be a number of queries, at least {least}")
    return Q - ends_with_yes


def chance(value: object, name: str) -> Fraction:
    """The number the user typed for ε or δ, exactly."""
    exact = fraction(value, name)
    require(0 < exact < 1, f"{name}={value!s} must lie between 0 and 1")
    return exact


def draws(i: int, epsilon: object, delta: object) -> int:
    """q_i = ⌈ln((i+2)²/δ)/ε⌉: the examples that answer the i-th query, i = 1, 2, ...

    >>> draws(1, "0.1", "0.05"), draws(10, "0.1", "0.05")
    (52, 80)
    """
    with localcontext(DIGITS):
        return ceil(up((real((i + 2) ** 2 / chance(delta, "delta"))).ln() / real(chance(epsilon, "epsilon"))))


def examples(B: int, epsilon: object, delta: object) -> int:
    """The most examples that B + 1 sampled queries take: q_1 + ... + q_(B+1).

    >>> examples(5, "0.1", "0.05")
    380
    """
    return sum(draws(i, epsilon, delta) for i in range(1, queries(B) + 1))
