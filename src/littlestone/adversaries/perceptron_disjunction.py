"""The Perceptron's bad stream on disjunctions: 2k(n-k+1) mistakes and more, where Winnow makes few.

The target is x_0 ∨ ... ∨ x_{k-1}; the other m = n - k variables, I, are irrelevant.  Two kinds of instance are nearly enough: I alone, which
is a 0, and I with one relevant variable i, which is a 1.  Only rounds on which the learner errs are given.

Theorem.  A Perceptron with a bias feature of value ρ makes 2k⌈m+ρ²⌉ + 1 mistakes if it says 1 at a tie, and 2k(m+1) if it says 0 (ρ = 1).
Proof.  Let w_i be the weight of variable i, v that of every irrelevant one and b the bias, in units of ρ; all begin at 0.
Ties say 1.  Take v = b = 0.  I alone scores 0: a mistake, and v = b = -1.  I with i scores w_i - m - ρ²: a mistake as long as
w_i < m + ρ², and v = b = 0 again, with w_i one larger.  So each relevant variable costs ⌈m+ρ²⌉ such pairs, and I alone errs once more.
Ties say 0.  Take v = 0, b = 1.  I alone scores 1: a mistake, v = -1 and b = 0.  I with i scores w_i - m: a mistake as long as w_i ≤ m, and
v = 0, b = 1 again.  So each relevant variable has weight m + 1 in the end, and I alone errs once more.
How it begins.  If {0} is predicted 0, it is given: w_0 = b = 1, and the second kind of play goes on from w_0 = 1: 1 + 2(m + (k-1)(m+1)) + 1
in all.  Otherwise the learner says 1 at a tie, or says 1 until it has been told a label (scikit-learn's, as we play it).  I is given, and
then all of I but its last variable j, with variable 0, which scores -(m-1) - ρ²: now w_0 = 1, v_j = -1, and everything else is 0.  I without j
scores 0.  If that is an error, ties say 1, and after it v = b = -1: as if the pair had been an ordinary one.  If it is none, ties say 0;
{0, j} scores 1 - 1 = 0 and errs, which leaves w_0 = 2, v = 0, b = 1: 3 + 2(m-1 + (k-1)(m+1)) + 1 in all.  (Where m = 0, or m = 1 and
ρ = 0, there is no such test: with ρ = 1 the two kinds of instance are {} and {i}, and 2k or 2k + 1 errors are counted directly.)  ∎

The theorem's bound is (n+1)(4k+1), some twice as much.  Without a bias feature m takes the place of m + ρ².  A margin or averaging changes
nothing: no round that was predicted right is ever shown.  Kivinen, Warmuth and Auer were the first to have such a stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from littlestone.adversaries.game import Adversary
from littlestone.concepts.disjunctions import Disjunction, Disjunctions, whole
from littlestone.errors import require
from littlestone.players import Instance, Ours, Player, River, ScikitLearn
from littlestone.theory.numbers import moderate


@dataclass(frozen=True, repr=False)
class PerceptronDisjunction(Adversary):
    n: int
    k: int
    bias: Fraction

    source = "Kivinen, Warmuth, Auer 1997; construction derived"

    @property
    def against(self) -> str:  # type: ignore[override]
        return f"every Perceptron with a bias feature of value {self.bias} or more" if self.bias else "every Perceptron"

    @property
    def pairs(self) -> int:
        """How many pairs of mistakes each relevant variable costs at least."""
        return ceil(self.n - self.k + Fraction(float(self.bias**2)))

    @property
    def forces(self) -> int:
        return 2 * self.k * self.pairs

    @property
    def concepts(self) -> Disjunctions | None:  # type: ignore[override]
        return Disjunctions(self.n) if self.n <= 24 else None  # a bit for each of them

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        others = range(self.k, self.n)
        I, less, last = dict.fromkeys(others, 1), dict.fromkeys(others[:-1], 1), self.n - 1

        def errs(x: Instance, y: bool) -> bool:
            return learner.predict(x) != y

        # Which way does it fall at a tie? And leave no tie to one that says 0.
        if errs({0: 1}, True):
            yield {0: 1}, True
        elif errs(I, False):
            yield I, False
            if I and errs({0: 1, **less}, True):
                yield {0: 1, **less}, True
                if errs(less, False):
                    yield less, False
                elif errs({0: 1, last: 1}, True):
                    yield {0: 1, last: 1}, True

        for i in range(self.k):
            for _ in range(2 * (self.n + self.pairs)):  # whoever never learns is left alone after that
                shown = 0
                for x, y in ((I, False), ({i: 1, **I}, True)):
                    if errs(x, y):
                        yield x, y
                        shown += 1
                if not shown:
                    break

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Disjunction:
        return Disjunction(frozenset(range(self.k)))

    def excuse(self, learner: Player) -> str:
        return super().excuse(learner) or not_that_perceptron(learner, self.bias)


def not_that_perceptron(learner: Player, bias: Fraction) -> str:
    """Why the theorem does not speak of this learner; "" where it does."""
    if not learner.name.lower().endswith("perceptron") or "." in learner.name and not isinstance(learner, River | ScikitLearn):
        return f"its number is proved for Perceptrons, and {learner.name} is none"
    if isinstance(learner, Ours):
        if learner.name != "perceptron":
            return f"its number is proved for Perceptrons, and {learner.name} is another learner"
        has = Fraction(learner.model.learner.settings["bias"])
        if has < bias:
            return f"its bias feature has value {has}, and the number is for {bias} or more: see the setting bias={has}"
        return "it has learned already" if any(array.any() for array in learner.state) else ""
    return _foreign(learner, bias)


def _foreign(learner: Player, bias: Fraction) -> str:
    """Another library's Perceptron, with the settings it has unless told otherwise: steps of 1, no penalty, an intercept."""
    thing = getattr(learner, "thing", None)
    if isinstance(learner, ScikitLearn):
        plain = {"penalty": None, "fit_intercept": True, "eta0": 1.0, "class_weight": None}
        changed = [key for key, value in plain.items() if getattr(thing, key, value) != value]
        begun = hasattr(thing, "coef_")
    elif isinstance(learner, River):
        plain = {"l2": 0.0, "l1": 0.0, "intercept_init": 0.0}
        changed = [key for key, value in plain.items() if getattr(thing, key, value) != value]
        begun = bool(getattr(thing, "weights", None))
    else:
        return f"its number is proved for Perceptrons; what {learner.name} does is not known"
    if changed:
        return f"its setting {changed[0]} is not {plain[changed[0]]}"
    if bias > 1:
        return f"its intercept is a bias feature of value 1, and the number is for {bias} or more"
    return "it has learned already" if begun else ""


def perceptron_disjunction(n: int = 10, k: int = 2, *, bias: int | float | Fraction = 1) -> PerceptronDisjunction:
    """Disjunctions of k of n variables against a Perceptron whose bias feature has the value `bias` or more; 0 if it has none.

    >>> import littlestone as ls
    >>> adversary = perceptron_disjunction(1000, 5)
    >>> game = ls.adversaries.meet(ls.perceptron(bias=1), adversary)
    >>> adversary.forces, game.mistakes, ls.theory.perceptron.disjunction(1000, 5)
    (9960, 9961, Fraction(21021, 1))
    >>> ls.adversaries.meet(ls.winnow(), adversary).mistakes
    0
    """
    require(whole(k, "k") <= whole(n, "n"), f"k={k!r} must be at most n={n}")
    value = moderate(bias, "bias")
    require(value >= 0, f"bias={bias!r} must not be negative")
    return PerceptronDisjunction(n, k, value)
