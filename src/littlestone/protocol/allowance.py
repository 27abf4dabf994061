"""What a declared assumption allows a learner, evaluated after any round of a run: counts, their limits, sizes of rows."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels.native import core
from littlestone.protocol.block import Block
from littlestone.protocol.classes import ClassLearner, ClassRun
from littlestone.protocol.learner import Learner
from littlestone.protocol.run import Run
from littlestone.theory import Bound, parse_assumption
from littlestone.theory.bound import limit_of
from littlestone.theory.claims import declared_facts
from littlestone.theory.numbers import at_most, float_above
from littlestone.theory.reductions import together


class Limit(NamedTuple):
    """A count of a run, and the most that it can be where the assumption holds (None where nothing can be said)."""

    count: Any  # never above the true count: sums of weights are rounded down
    most: int | float | None
    counts: str = "mistakes"

    @property
    def exceeded(self) -> bool:
        return self.most is not None and self.count > self.most


class Allowance:
    """Evaluates, after any round, what an assumption allows a learner."""

    def __init__(self, learner: Learner | ClassLearner, assume: str) -> None:
        self.assume = assume
        self.kind, self.declared = parse_assumption(assume)
        self.member: Any = learner.settings["learner"] if isinstance(learner, ClassLearner) and learner.known else learner
        require(
            not (isinstance(self.member, Learner) and self.member.known),
            f"{self.member.name} has no alarm: what it assumes is about its members, not about the rounds; expected a learner "
            "whose theorem is about these, such as winnow or perceptron (--learner NAME)",
        )
        self.theorems = [b for b in self.member.bounds if b.kind == "a priori" and b.assumes == self.kind]
        if not self.theorems:
            known = sorted({b.assumes for b in learner.bounds} - {"none"})
            raise LittlestoneError(f"{learner.name} has no theorem that assumes {self.kind!r}; it has: {', '.join(known) or 'none'}")

    def counts(self, run: Run | ClassRun) -> dict[str, Any]:
        """What is counted, by name."""
        if isinstance(run, ClassRun) and run.learner.known:
            theirs = {f"member {label!r}: {name}": n for label, member in run.members.items() for name, n in self.counts(member).items()}
            return theirs | {f"{run.learner.name}-{bound.name}": surely(run) for bound in self.theorems}
        counts = {bound.name: surely(run) for bound in self.theorems}
        never = getattr(run.learner, "never", "")
        return counts | ({never: getattr(run, never)} if never else {})

    def limits(self, run: Run | ClassRun, settled: bool) -> dict[str, Limit]:
        """The same with their limits. `settled` says that the number of features is known, and not still being counted."""
        count = self.counts(run)
        if not (isinstance(run, ClassRun) and run.learner.known):
            measured = dict(run.learner.facts(run)) if run.learner.facts else {}
            limits = {b.name: Limit(count[b.name], self._most(b, run, measured, settled)) for b in self.theorems}
            return {name: limits.get(name) or Limit(n, 0, name.removesuffix("s").replace("_", " ")) for name, n in count.items()}
        theirs = {label: self.limits(member, settled) for label, member in run.members.items()}
        every = {f"member {label!r}: {name}": limit for label, limits in theirs.items() for name, limit in limits.items()}
        for bound in self.theorems:
            each = {str(label): limits[bound.name].most for label, limits in theirs.items()}
            most = None if None in each.values() else self._together(run, each)
            every[f"{run.learner.name}-{bound.name}"] = Limit(surely(run), most)
        return every

    def _most(self, bound: Bound, run: Run | ClassRun, measured: Mapping[str, Any], settled: bool) -> int | float | None:
        facts, void = declared_facts(run.learner.name, bound, self.declared, measured)
        if bound.among in self.declared and not settled:
            facts[bound.among] = 0  # the features it speaks of may still be to come
        return None if void else limit_of(bound, facts, whole=isinstance(run.weighted_mistakes, int))[1]

    @staticmethod
    def _together(run: ClassRun, members: Mapping[str, Any]) -> int | float:
        """k + ΣB_j, as `reductions` has it."""
        if not run.weighted:
            return at_most(together(len(run.classes), members))
        slack = 1 + Fraction(run.rounds * (len(run.members) + 2), 2**52)
        return float_above(together(Fraction(run.lengths.first), members, slack))

    def too_large(self, block: Block) -> tuple[int, str]:
        """The first row that is larger than was declared, labelled or not, and in what; the end, where there is none.

        A hair is allowed, as in the bounds: rows scaled to length 1 in single precision are seldom of length 1.
        """
        if not {"R", "X"} & set(self.declared):
            return len(block), ""
        squares, largest = np.empty(len(block)), np.empty(len(block))
        core.measure_rows(block.indptr, block.values, squares, largest)
        beyond = np.zeros(len(block), np.bool_)
        if "R" in self.declared:
            squares += float(Fraction(self.member.settings.get("bias") or 0) ** 2)
            squares *= 1.0 if block.weights is None else block.weights
            beyond |= squares > float(self.declared["R"] ** 2 * (1 + Fraction(1, 2**20)))
        if "X" in self.declared:
            beyond |= largest > float(self.declared["X"] * (1 + Fraction(1, 2**20)))
        if not beyond.any():
            return len(block), ""
        t = int(np.flatnonzero(beyond)[0])
        sizes = [("|x|", "R", float(np.sqrt(squares[t]))), ("max|x_i|", "X", float(largest[t]))]
        name, key, size = next(entry for entry in sizes if entry[1] in self.declared)
        return t, f"the row has {name} = {size:.6g}, more than the declared {key}={self.declared[key]}"


def surely(run: Run | ClassRun) -> Any:
    """The mistakes; their weights added up, less what a sum of doubles may have gained."""
    counted = run.weighted_mistakes
    return counted if isinstance(counted, int) else Fraction(counted) * (1 - Fraction(run.mistakes + 2, 2**52))
