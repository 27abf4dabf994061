"""Longest survivor: of a sample of fixed size, the hypothesis that was right most often in a row."""

from typing import Any

from littlestone.games.batch._fitted import Fitted, Survivor, Trial, needed, promised, ran_out
from littlestone.games.oracles import Exhausted
from littlestone.theory import pac as theory

NEEDS_BOUND = True


def longest_survivor(learner: Any, examples: Any, *, epsilon: Any, delta: Any, bound: int | None = None, seed: int = 0) -> Fitted:
    """The hypothesis that was right most often in a row on (B+1)·s examples, the first of equals; s as in `to_pac`.

    err ≤ ε with probability at least 1-δ, if the learner makes at most `bound` mistakes. All examples are used: the survivor has often
    been right far more than s times. The learner is taught its mistakes only.

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.longest_survivor(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.2, delta=0.1, bound=4)
    >>> fitted.reached, fitted.examples, fitted.chosen
    (True, 85, 'hypothesis 3 (after 2 mistakes), right on 83 examples in a row')
    """
    goal, B = theory.goal_of(epsilon, delta), needed(bound, "longest_survivor")
    m = theory.longest_survivor(B, *goal)
    chance = goal.delta / max(1, B)
    trial, best, why = Trial(learner, examples), Survivor(), ""
    try:
        while trial.drawn < m:
            if not trial.passes():
                best.see(trial, chance)
                trial.learn()
                if trial.mistakes > B:
                    return trial.refuted(B, m)
    except Exhausted:
        why = ran_out(trial.drawn, f"the sample is to have {m:,}")
    best.see(trial, chance)
    if why:
        return best.when_exhausted(trial, goal.delta, most=m, why=why)
    return best.fitted(trial, most=m, promise=promised(*goal))
