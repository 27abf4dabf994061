"""The Perceptron's bad stream on disjunctions: 2k(n-k+1) mistakes, where Winnow makes O(k·log n).

The target is x_0 ∨ ... ∨ x_{k-1}; the other m = n - k variables, I, are irrelevant.  Two kinds of instance are nearly enough: I alone,
which is a 0, and I with one relevant variable, which is a 1.  A round is given only if the learner errs on it.

Theorem.  A Perceptron with a bias feature of value ρ makes 2k⌈m+ρ²⌉ + 1 mistakes if it says 1 at a tie, and 2k(m+1) if it says 0 and ρ = 1.
Proof.  Let w_i be the weight of variable i, v that of every irrelevant variable and b·ρ that of the bias; all begin at 0.  Every 1 that is
shown has one relevant variable on, so P = Σ w_i of the mistakes are missed 1s, and N = P - b are false 1s.
Ties say 1.  Let v = b = 0.  I scores 0: a mistake, and v = b = -1.  I with i scores w_i - m - ρ²: a mistake as long as w_i < m + ρ², and
then v = b = 0 again.  So it goes on until every w_i is ⌈m+ρ²⌉ and I has been given once more: b = -1.
Ties say 0.  Let v = 0, b = 1.  I scores 1: a mistake, v = -1 and b = 0.  I with i scores w_i - m: a mistake as long as w_i ≤ m, and then
v = 0, b = 1 again.  So it goes on until every w_i is m + 1 and I has been given once more: b = 0.
The beginning.  If the learner says 0 of {0}, ties say 0, and {0} is given: w_0 = b = 1, v = 0.  Otherwise ties say 1, or it says 1 of
everything until it has been told a label (scikit-learn's does, as we play it).  Then I is given, and I without its last variable j but with
0, which scores -(m-1) - ρ².  Now w_0 = 1, v_j = -1, and all else is 0.  I without j scores 0.  If it errs there, ties say 1, and after it
v = b = -1.  If not, ties say 0; {0, j} scores 1 - 1 = 0, which is a mistake, and after it w_0 = 2, v = 0, b = 1.  (This test needs m ≥ 1,
and m ≥ 2 if ρ = 0.  If m = 1 and ρ = 0, no test is made, and none is needed where ties say 1.  If m = 0 and ρ = 1, {} and {0} leave b = 0:
where ties say 0, {} is right, and each other {i} errs and then {}, with b = 1 and b = 0.)  ∎

The upper bound is (n+1)(4k+1), some twice as much.  Without a bias feature ρ = 0.  A margin or averaging changes nothing, as no round
that was predicted right is shown.  Kivinen, Warmuth and Auer (1997) were the first to show growth like k·n.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from littlestone.concepts.disjunctions import Disjunction, Disjunctions, whole
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Ours, Player, River, ScikitLearn
from littlestone.theory.settings import MODERATE_NUMBER

#: Settings of other libraries' Perceptrons that make them ours: steps of 1, no penalty, an intercept.
SCIKIT_LEARN = {"penalty": None, "fit_intercept": True, "eta0": 1.0, "class_weight": None}
RIVER = {"l2": 0.0, "l1": 0.0, "intercept_init": 0.0, "initializer": "Zeros"}


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
    if isinstance(learner, Ours) and learner.name == "perceptron":
        has = Fraction(learner.model.learner.settings["bias"])
        if has < bias:
            return f"its bias feature has value {has}, and the number is for {bias} or more: see the setting bias={has}"
        return "it has learned already" if any(array.any() for array in learner.state) else ""
    if isinstance(learner, River | ScikitLearn) and learner.name in ("river.Perceptron", "sklearn.Perceptron"):
        plain = SCIKIT_LEARN if isinstance(learner, ScikitLearn) else RIVER
        actual = {key: getattr(learner.thing, key, value) for key, value in plain.items()}
        changed = [key for key, value in plain.items() if value not in (actual[key], type(actual[key]).__name__)]
        if changed:
            return f"its setting {changed[0]} is not {plain[changed[0]]}"
        if bias > 1:
            return f"its intercept is a bias feature of value 1, and the number is for {bias} or more"
        return "it has learned already" if hasattr(learner.thing, "coef_") or getattr(learner.thing, "weights", None) else ""
    return f"its number is proved for Perceptrons, and {learner.name} is another learner"


def perceptron_disjunction(n: int = 10, k: int = 2, *, bias: int | float | Fraction = 1) -> PerceptronDisjunction:
    """Disjunctions of k of n variables against a Perceptron whose bias feature has the value `bias` or more; 0 if it has none.

    >>> import littlestone as ls
    >>> from littlestone.theory import perceptron as theory
    >>> adversary = perceptron_disjunction(100, 3)
    >>> game = ls.adversaries.meet(ls.perceptron(bias=1), adversary)
    >>> adversary.forces, game.mistakes, int(theory.disjunction(100, 3))
    (588, 589, 1313)
    >>> ls.adversaries.meet(ls.winnow(), adversary).mistakes
    11
    """
    require(whole(k, "k") <= whole(n, "n"), f"k={k!r} must be at most n={n}")
    value = MODERATE_NUMBER.take(bias, "bias")
    require(value >= 0, f"bias={bias!r} must not be negative")
    return PerceptronDisjunction(n, k, value)
