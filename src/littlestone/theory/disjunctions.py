"""Elimination: the disjunction of all variables that no false 1 has struck out.

A prediction of 1 needs an active variable still there, and a false 1 strikes out all active ones, at least that one: false 1s ≤
variables struck out, on every stream.  If a disjunction labels the stream, none of its variables is active where the label is 0, so
none is struck out; the hypothesis then contains the target and never misses a 1: M ≤ n - r.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import require
from littlestone.theory.bound import Bound, Invariant, Moment


def disjunction(n: int, r: int = 0) -> int:
    """Mistakes on streams labelled by a disjunction of r or more of n variables.

    >>> disjunction(5, 2), disjunction(5)
    (3, 5)
    """
    require(0 <= r <= n, f"r={r} must lie between 0 and n = {n}, the features of the stream")
    return n - r


def eliminated(E: int, P: int) -> int:
    """M ≤ E + P on any stream: E variables struck out, P missed 1s."""
    return E + P


DISJUNCTION = Bound(
    name="elimination",
    assumes="disjunction",
    kind="a priori",
    formula="M ≤ n - r",
    value=disjunction,
    source="Blum, Hopcroft, Kannan, Section 5.8",
    among="r",
    says="some monotone disjunction of at least r of the stream's n features labels every round",
)
ELIMINATED = Bound(
    name="elimination-any-stream",
    assumes="none",
    kind="hindsight",
    formula="M ≤ E + P,  E = variables struck out, P = missed 1s",
    value=eliminated,
    source="derived",
)


def _each_strikes(m: Moment) -> tuple[int, int]:
    return m.demotions, len(m.state["gone"])


def _target_stays(m: Moment) -> tuple[int, int]:
    return sum(i in m.state["gone"] for i in m.witness or {}), m.errors


def _misses(m: Moment) -> tuple[Fraction, Fraction]:
    return Fraction(m.promotions), Fraction(m.errors)


INVARIANTS = (
    Invariant("each false 1 strikes out", "N ≤ variables struck out", _each_strikes),
    Invariant("relevant variables stay", "variables of S struck out ≤ A_S, its attribute errors", _target_stays, True),
    Invariant("no 1 is missed", "P ≤ A_S", _misses, True),
)
