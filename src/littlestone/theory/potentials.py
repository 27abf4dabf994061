"""The line of a proof that a lecturer writes on the board: terms from left to right, none below the one before it.

A `Line` has the symbols and, at a moment of a run, the numbers that stand for them.  Each mistake pushes the left end up or the right end
down, and where they meet is the theorem's bound.  The `proof` of a learner's family has its lines.  The lemmas (`Invariant`) say the same
of the learner's state; where a family has no proof written, its lemmas are its lines.

What a moment's settings carry besides the learner's own: γ and R² of the witness on the whole stream (`gamma`, `R2`), the dimensions of an
optimal learner (`ldim`, `left`), what a rule has lost in the mean (`loss`), and how many `mistakes` there were.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

from littlestone.theory.bound import Invariant, Moment
from littlestone.theory.numbers import DIGITS, Real, real

LONGEST = 40  # letters of a lemma that can head a column


@dataclass(frozen=True)
class Root:
    """±√square, exactly."""

    square: Fraction
    sign: int = 1

    def __float__(self) -> float:
        with localcontext(DIGITS):
            return self.sign * float(real(self.square).sqrt())


Term = Real | Root


@dataclass(frozen=True)
class Line:
    """symbols[0] ≤ symbols[1] ≤ …; `terms` gives their numbers at a moment. `potentials` are the symbols that the state decides."""

    symbols: tuple[str, ...]
    terms: Callable[[Moment], tuple[Term, ...]]
    potentials: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        return " ≤ ".join(self.symbols)


@dataclass(frozen=True)
class Proof:
    """The lines of one learner's proof, and what its letters mean."""

    lines: tuple[Line, ...] = ()
    letters: str = ""
    counts: bool = False  # does it speak of P missed 1s and N false 1s?


def rises(terms: Iterable[Term], slack: Real = 0) -> bool:
    """Is no term below the one before it? Fractions and roots of them are compared exactly.

    >>> rises([1, Root(Fraction(2)), Fraction(3, 2)]), rises([Root(Fraction(2)), Fraction(7, 5)])
    (True, False)
    """
    return all(_at_most(a, b, Fraction(slack)) for a, b in pairwise(terms))


def _at_most(a: Term, b: Term, slack: Fraction) -> bool:
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        with localcontext(DIGITS):
            left, right = (term if isinstance(term, Decimal) else _decimal(term) for term in (a, b))
            return left <= right + (abs(left) + abs(right)) * (real(slack) + Decimal("1e-30"))
    x, y = _signed_square(a), _signed_square(b)
    return x <= y + 4 * slack * (abs(x) + abs(y))


def _signed_square(term: Any) -> Fraction:
    return term.sign * term.square if isinstance(term, Root) else Fraction(term) * abs(term)


def _decimal(term: Any) -> Decimal:
    return term.sign * real(term.square).sqrt() if isinstance(term, Root) else real(term)


def proof_of(family: Any, settings: Mapping[str, Any], witness: bool = False) -> Proof:
    """The lines of a learner's proof, with those that speak of a witness where there is one; else its lemmas."""
    if family.proof is not None:
        return family.proof(settings, witness)
    short = [lemma for lemma in family.invariants if lemma.statement.count(" ≤ ") == 1 and (witness or not lemma.needs_witness)]
    return Proof(tuple(_of_lemma(lemma) for lemma in short if len(_of_lemma(lemma).statement) <= LONGEST))


def _of_lemma(lemma: Invariant) -> Line:
    left, _, right = lemma.statement.partition(" ≤ ")
    right = right.partition(" over ")[0].partition(", ")[0]
    return Line((left, right), lemma.sides, (left,))


# ---- terms that several proofs have ----


def dot(w: Mapping[int, Fraction], u: Mapping[int, Fraction]) -> Fraction:
    return sum((v * u.get(i, Fraction(0)) for i, v in w.items()), Fraction(0))


def over_root(value: Fraction, square: Fraction) -> Root:
    """value/√square."""
    return Root(value * value / square, -1 if value < 0 else 1)


def factor(value: Any) -> str:
    """A number before a letter: nothing for 1."""
    return "" if value == 1 else f"{value}·" if Fraction(value).denominator > 1 else f"{value}"


def mixture(n: int, beta: Real) -> Proof:
    """A mixture of experts whose weights a loss of 1 multiplies by β. (A moment's state has an entry for each expert.)"""

    def terms(m: Moment) -> tuple[Term, ...]:
        losses = m.state["losses"].values()
        with localcontext(DIGITS):
            log = real(beta).ln()
            W = sum(((log * real(lost)).exp() for lost in losses), Decimal(0))
            return (log * real(min(losses))).exp(), W, n * (-(1 - real(beta)) * real(m.settings["loss"])).exp()

    line = Line(("β^m", "W", f"{n}·e^(-(1-β)L)"), terms, ("W",))
    return Proof((line,), f"W the weight of all experts, β = {float(beta):.4g}, m the losses of the best, L those to expect of the rule")
