"""Controlled testing: each hypothesis is put to a test of fresh examples, and the first that passes is taken. It needs no bound."""

from typing import Any

from littlestone.games.batch._fitted import Fitted, Survivor, Trial, hypothesis_number, promised, ran_out
from littlestone.games.oracles import Exhausted
from littlestone.theory import pac as theory


def controlled_testing(learner: Any, examples: Any, *, epsilon: Any, delta: Any, bound: int | None = None, seed: int = 0) -> Fitted:
    """The first hypothesis h_i that is right on n_i = ⌈ln(1/δ_i)/ε⌉ fresh examples, δ_i = δ/(i+2)²; i = 1, 2, ...

    err < ε with probability at least 1-δ, for any learner. One that makes at most M mistakes draws at most n_1 + ... + n_{M+1} examples;
    `most` is that for `bound`, or where there is none, or more mistakes were made, for those. The learner is taught its mistakes only.

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.controlled_testing(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.2, delta=0.1)
    >>> fitted.reached, fitted.examples, fitted.most, fitted.chosen
    (True, 30, 77, 'hypothesis 3 (after 2 mistakes), right on 28 examples in a row')
    """
    goal = theory.goal_of(epsilon, delta)
    allowed = None if bound is None else theory.mistakes_allowed(bound)
    trial, best = Trial(learner, examples), Survivor()
    size = theory.size_of_test(1, *goal)
    try:
        while trial.right < size:
            if not trial.passes():
                best.see(trial, theory.share(trial.number, goal.delta))
                trial.learn()
                size = theory.size_of_test(trial.number, *goal)
    except Exhausted:
        best.see(trial, theory.share(trial.number, goal.delta))
        why = ran_out(trial.drawn, f"none of {trial.number:,} hypotheses passed its test")
        return best.when_exhausted(trial, goal.delta, most=_most(trial, allowed, goal), why=why)
    chosen = hypothesis_number(trial.number, f"right on {trial.right:,} examples in a row")
    return trial.fitted(most=_most(trial, allowed, goal), promise=promised(*goal), chosen=chosen)


def _most(trial: Trial, allowed: int | None, goal: theory.Goal) -> int:
    """The examples that may be needed for as many mistakes as the bound allows, or as were made where it is refuted."""
    return theory.controlled_testing(trial.mistakes if allowed is None else max(allowed, trial.mistakes), *goal)
