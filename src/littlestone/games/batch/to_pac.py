"""Theorem 4: a learner of at most B mistakes is a PAC learner. It stops at B mistakes, or when it has been right s times in a row."""

from typing import Any

from littlestone.games.batch._fitted import Fitted, Survivor, Trial, hypothesis_number, needed, promised, ran_out
from littlestone.games.oracles import Exhausted
from littlestone.theory import pac as theory

NEEDS_BOUND = True


def to_pac(learner: Any, examples: Any, *, epsilon: Any, delta: Any, bound: int | None = None, seed: int = 0) -> Fitted:
    """The hypothesis that is first right s times in a row, or else the one after B mistakes, which is exact; at most B·s examples.

    err < ε with probability at least 1-δ, if no stream of examples can cause more than `bound` mistakes; s = ⌈ln(B/δ)/-ln(1-ε)⌉.
    The learner is taught its mistakes only. (`seed` is for methods that draw lots.)

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.to_pac(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.2, delta=0.1, bound=4)
    >>> fitted.reached, fitted.examples, fitted.most, fitted.chosen
    (True, 19, 68, 'hypothesis 3 (after 2 mistakes), right on 17 examples in a row')
    """
    goal, B = theory.goal_of(epsilon, delta), needed(bound, "to_pac")
    s = theory.run_length(B, *goal)
    trial, best = Trial(learner, examples), Survivor()
    try:
        while trial.mistakes < B and trial.right < s:
            if not trial.passes():
                best.see(trial, goal.delta / B)
                trial.learn()
    except Exhausted:
        best.see(trial, goal.delta / B)
        why = ran_out(trial.drawn, f"no hypothesis was right {s:,} times in a row")
        return best.when_exhausted(trial, goal.delta, most=B * s, why=why)
    exact = trial.mistakes == B
    what = "exact, if the bound on the mistakes holds" if exact else f"right on {trial.right:,} examples in a row"
    return trial.fitted(most=B * s, promise=promised(*goal), chosen=hypothesis_number(trial.number, what))
