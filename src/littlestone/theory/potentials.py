"""The line of a proof that a lecturer writes on the board: terms from left to right, none below the one before it.

A `Line` has the symbols and, at a moment of a run, the numbers that stand for them.  Each mistake pushes the left end up or the right end
down, and where they meet is the theorem's bound.  The lemmas (`Invariant`) say the same of one learner's state; where no line is written
here for a learner, its lemmas are its lines.

What a moment's settings carry besides the learner's own: γ and R² of the witness on the whole stream (`gamma`, `R2`), the dimensions of an
optimal learner (`ldim`, `left`), what a rule has lost in the mean (`loss`), and how many `mistakes` there were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

from littlestone.theory import balanced_winnow, conjunctions, winnow, winnow_doubling, winnow_elimination, winnow_real
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


def proof_of(name: str, settings: Mapping[str, Any], invariants: Iterable[Invariant] = (), witness: bool = False) -> Proof:
    """The lines of the named learner's proof, with those that speak of a witness where there is one; else its lemmas.

    `conservative` has the state and the settings of the learner inside, which has been told of the mistakes alone: its proof is that one's.
    """
    name = settings["learner"] if name == "conservative" else name
    if name in PROOFS:
        return PROOFS[name](settings, witness)
    short = [lemma for lemma in invariants if lemma.statement.count(" ≤ ") == 1 and (witness or not lemma.needs_witness)]
    return Proof(tuple(_of_lemma(lemma) for lemma in short if len(_of_lemma(lemma).statement) <= LONGEST))


def _of_lemma(lemma: Invariant) -> Line:
    left, _, right = lemma.statement.partition(" ≤ ")
    right = right.partition(" over ")[0].partition(", ")[0]
    return Line((left, right), lemma.sides, (left,))


def _sides(family: Any, name: str) -> Callable[[Moment], tuple[Any, Any]]:
    """Both sides of a lemma of a family."""
    return next(lemma.sides for lemma in family.INVARIANTS if lemma.name == name)


# ---- linear learners: the witness w* is taken at length 1, γ is its margin on the whole stream ----


def _dot(w: Mapping[int, Fraction], u: Mapping[int, Fraction]) -> Fraction:
    return sum((v * u.get(i, Fraction(0)) for i, v in w.items()), Fraction(0))


def _over(value: Fraction, square: Fraction) -> Root:
    """value/√square."""
    return Root(value * value / square, -1 if value < 0 else 1)


def _perceptron_length(m: Moment) -> Fraction:
    rho2, b = Fraction(m.settings["bias"]) ** 2, m.state["b"].get(0, Fraction(0))
    return sum((v * v for v in m.state["w"].values()), Fraction(0)) + rho2 * b * b


def _perceptron_top(m: Moment) -> Fraction:
    return (m.settings["R2"] + 2 * Fraction(m.settings["margin"])) * m.updates


def _perceptron_chain(m: Moment) -> tuple[Term, ...]:
    u = m.witness or {}
    square = sum((v * v for v in u.values()), Fraction(0))
    rho = Fraction(m.settings["bias"])
    dot = _dot(m.state["w"], u) + rho * m.state["b"].get(0, Fraction(0)) * u.get(-1, Fraction(0))
    ends = _over(m.settings["gamma"] * m.updates, square), _over(dot, square)
    return *ends, Root(_perceptron_length(m)), Root(_perceptron_top(m))


def _perceptron(settings: Mapping[str, Any], witness: bool) -> Proof:
    top = "√((R²+2β)M)" if settings["margin"] else "R√M"
    count = "M counts updates" if settings["margin"] else "M the mistakes"
    squared = "(R²+2β)M" if settings["margin"] else "R²M"
    square = Line(("|w|²", squared), lambda m: (_perceptron_length(m), _perceptron_top(m)), ("|w|²",))
    if not witness:
        return Proof((square,), f"w the weights, R the longest instance, {count}")
    chain = Line(("γM", "w·w*", "|w|", top), _perceptron_chain, ("w·w*", "|w|"))
    return Proof((chain, square), f"w the weights, w* the witness at length 1, γ its margin, R the longest instance, {count}")


def _pnorm_chain(m: Moment) -> tuple[Term, ...]:
    p, u = int(m.settings["p"]), m.witness or {}
    with localcontext(DIGITS):
        q = real(Fraction(p, p - 1))
        size = (sum((_power(abs(v), q) for v in u.values() if v), Decimal(0)).ln() / q).exp()
        theta = sum((real(abs(v)) ** p for v in m.state["theta"].values()), Decimal(0))
        length = (theta.ln() / p).exp() if theta else Decimal(0)
        ends = real(m.settings["gamma"] * m.updates) / size, real(_dot(m.state["theta"], u)) / size
        return *ends, length, (real((p - 1) * m.settings["R2"] * m.updates)).sqrt()


def _power(v: Fraction, q: Decimal) -> Decimal:
    return (real(v).ln() * q).exp()


def _pnorm(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("γM", "θ·w*", "|θ|_p", "R√((p-1)M)"), _pnorm_chain, ("θ·w*", "|θ|_p"))
    return Proof(
        (line,) if witness else (), "θ the sum of the mistakes, w* the witness with |w*|_q = 1, γ its margin, R the longest instance"
    )


def _balanced_chain(m: Moment) -> tuple[Term, ...]:
    u, eta = m.witness or {}, Fraction(m.settings["eta"])
    size = sum((abs(v) for v in u.values()), Fraction(0))
    lnZ, grown = _sides(balanced_winnow, "potential")(m)
    with localcontext(DIGITS):
        two = real(2).ln()
        ends = real(eta * m.settings["gamma"] * m.updates / size), real(eta * _dot(m.state["c"], u) / size)
        return *ends, lnZ + two, grown + two


def _balanced(settings: Mapping[str, Any], witness: bool) -> Proof:
    if not witness:
        return Proof(
            (Line(("ln Z", "ln n + M·D"), _sides(balanced_winnow, "potential"), ("ln Z",)),), "Z = Σcosh(ηc_i), D its growth in a mistake"
        )
    line = Line(("ηγM", "η·c·w*", "ln 2Z", "ln 2n + M·D"), _balanced_chain, ("η·c·w*", "ln 2Z"))
    return Proof(
        (line,), "c the sum of the mistakes, w* the witness with |w*|₁ = 1, γ its margin, Z = Σcosh(ηc_i), D its growth in a mistake"
    )


# ---- weights that are multiplied ----


def _factor(value: Any) -> str:
    """A number before a letter: nothing for 1."""
    return "" if value == 1 else f"{value}·" if Fraction(value).denominator > 1 else f"{value}"


def _exponents(m: Moment) -> tuple[Term, ...]:
    S = m.witness or {}
    L = winnow.promotions_of_one_weight(m.settings["alpha"], m.settings["theta"])
    return m.promotions, sum((m.state["e"].get(i, Fraction(0)) for i in S), Fraction(0)), len(S) * L


def _winnow(settings: Mapping[str, Any], witness: bool) -> Proof:
    n, alpha, theta = settings["n"], Fraction(settings["alpha"]), Fraction(settings["theta"])
    paid = f"{n} + {_factor((alpha - 1) * theta)}P - {_factor((1 - 1 / alpha) * theta)}N"
    lines = [Line(("W", paid), _sides(winnow, "total weight"), ("W",))]
    if witness:
        lines.append(Line(("P", "Σe", "rL"), _exponents, ("P", "Σe")))
    return Proof(tuple(lines), _winnow_letters(witness, "N false 1s", f"L = ⌈log θ/log α⌉, α = {alpha}, θ = {theta}"), True)


def _winnow_letters(witness: bool, demotions: str, last: str) -> str:
    of_set = f", e the exponents of the r relevant weights, {last}" if witness else ""
    return f"W = Σw_i, P missed 1s, {demotions}{of_set}"


def _elimination(settings: Mapping[str, Any], witness: bool) -> Proof:
    n, theta = settings["n"], Fraction(settings["theta"])
    lines = [Line(("W", f"{n} + {_factor(theta)}(P - E)"), _sides(winnow_elimination, "total weight"), ("W",))]
    if witness:
        lines.append(Line(("P", "rL"), _sides(winnow_elimination, "promotions (Claim 15)"), ("P",)))
    letters = f"W = Σw_i, P missed 1s, E false 1s, which eliminate{f', r relevant variables, L = ⌈log2 θ⌉, θ = {theta}' if witness else ''}"
    return Proof(tuple(lines), letters, True)


def _doubling(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("W", "n(1+(α-1)P-(1-1/α)N)"), _sides(winnow_doubling, "total weight"), ("W",))
    return Proof((line,), "W = Σw_i, P missed 1s and N false 1s since the present guess of r began, α its factor", True)


def _real(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("W", "d(1+(α-1)P-(1-1/α)N)"), _sides(winnow_real, "total weight"), ("W",))
    return Proof((line,), f"W = Σw_i, P missed 1s, N false 1s, d features with complements, α = {settings['alpha']}", True)


# ---- what is left ----


def _halving(settings: Mapping[str, Any], witness: bool) -> Proof:
    def terms(m: Moment) -> tuple[Term, ...]:
        size = m.settings["concepts"].size
        return 1, m.state["tally"].get(0, size), Fraction(size, 2 ** m.settings["mistakes"])

    return Proof((Line(("1", "|V|", "|C|/2^M"), terms, ("|V|",)),), f"V the concepts that are left of C, |C| = {settings['concepts'].size}")


def _optimal(settings: Mapping[str, Any], witness: bool) -> Proof:
    def terms(m: Moment) -> tuple[Term, ...]:
        return 0, m.settings["left"], m.settings["ldim"] - m.settings["mistakes"]

    return Proof(
        (Line(("0", "Ldim(V)", "Ldim(C)-M"), terms, ("Ldim(V)",)),), "V the concepts that are left of C, Ldim the Littlestone dimension"
    )


def _conjunctions(settings: Mapping[str, Any], witness: bool) -> Proof:
    def terms(m: Moment) -> tuple[Term, ...]:
        return (len(m.witness or {}), *living(m)) if witness else living(m)

    living = _sides(conjunctions, "literals that live")
    symbols = ("literals left", "n+1-F")
    letters = "F missed 1s, the only mistakes where a conjunction labels the stream"
    line = Line(("|c|", *symbols) if witness else symbols, terms, ("literals left",))
    return Proof((line,), f"c the witness, {letters}" if witness else letters)


def _disjunctions(settings: Mapping[str, Any], witness: bool) -> Proof:
    def terms(m: Moment) -> tuple[Term, ...]:
        n = m.settings["n_seen"]
        left = n - len(m.state["gone"]), n - m.demotions
        return (len(m.witness or {}), *left) if witness else left

    symbols = ("variables left", "n-N")
    letters = "N false 1s, the only mistakes where a disjunction labels the stream"
    line = Line(("r", *symbols) if witness else symbols, terms, ("variables left",))
    return Proof((line,), f"r variables of the witness, {letters}" if witness else letters)


# ---- rules over experts: a moment's state is whole, an entry for each expert ----


def _weight_of_all(costs: Mapping[int, Fraction], beta: Fraction) -> Fraction:
    whole = all(c.denominator == 1 for c in costs.values())
    if whole:
        return sum((beta ** int(c) for c in costs.values()), Fraction(0))
    with localcontext(DIGITS):
        return Fraction(sum(((real(beta).ln() * real(c)).exp() for c in costs.values()), Decimal(0)))


def _majority(settings: Mapping[str, Any], witness: bool) -> Proof:
    beta, n = Fraction(settings["beta"]), settings["n"]

    def terms(m: Moment) -> tuple[Term, ...]:
        costs = m.state["costs"]
        kept = beta ** int(min(costs.values()))
        return kept, _weight_of_all(costs, beta), n * ((1 + beta) / 2) ** m.settings["mistakes"]

    symbols = (f"({beta})^m" if beta else "[m = 0]", "W", f"{n}·({(1 + beta) / 2})^M")
    counted = "on the rule's mistakes" if settings.get("updates") == "mistakes" else "so far"
    return Proof((Line(symbols, terms, ("W",)),), f"W the weight of all experts, m mistakes of the best {counted}")


def _mixture(beta: Callable[[Mapping[str, Any]], Real | None]) -> Callable[[Mapping[str, Any], bool], Proof]:
    def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
        factor = beta(settings)
        if factor is None:
            return Proof()

        def terms(m: Moment) -> tuple[Term, ...]:
            losses = m.state["losses"].values()
            with localcontext(DIGITS):
                log = real(factor).ln()
                W = sum(((log * real(lost)).exp() for lost in losses), Decimal(0))
                top = settings["n"] * (-(1 - real(factor)) * real(m.settings["loss"])).exp()
                return (log * real(min(losses))).exp(), W, top

        line = Line(("β^m", "W", f"{settings['n']}·e^(-(1-β)L)"), terms, ("W",))
        return Proof(
            (line,), f"W the weight of all experts, β = {float(factor):.4g}, m the losses of the best, L those to expect of the rule"
        )

    return proof


def _of_rate(settings: Mapping[str, Any]) -> Real | None:
    if settings["eta"] is None:
        return None
    with localcontext(DIGITS):
        return (-real(settings["eta"])).exp()


def _leader(settings: Mapping[str, Any], witness: bool) -> Proof:
    n = settings["n"]

    def terms(m: Moment) -> tuple[Term, ...]:
        losses = m.state["losses"].values()
        best = min(losses)
        return m.settings["mistakes"], sum((min(lost, best + 1) for lost in losses), Fraction(0)), n * best + n - 1

    line = Line(("M", "Σmin(L_j,m+1)", f"{n}m+{n - 1}"), terms, ("Σmin(L_j,m+1)",))
    return Proof((line,), "L_j the mistakes of expert j, m the fewest of them: the leader's")


PROOFS: dict[str, Callable[[Mapping[str, Any], bool], Proof]] = {
    "perceptron": _perceptron,
    "pnorm": _pnorm,
    "balanced_winnow": _balanced,
    "winnow": _winnow,
    "winnow_elimination": _elimination,
    "winnow_doubling": _doubling,
    "winnow_real": _real,
    "halving": _halving,
    "optimal": _optimal,
    "conjunctions": _conjunctions,
    "disjunctions": _disjunctions,
    "weighted_majority": _majority,
    "randomized_weighted_majority": _mixture(lambda settings: 1 - Fraction(settings["epsilon"])),
    "hedge": _mixture(_of_rate),
    "follow_leader": _leader,
}
