"""Random stopping (Theorem 5.12): the hypothesis that the learner has at a random time errs on ε of fresh examples in expectation."""

from random import Random
from typing import Any

from littlestone.games.batch._fitted import MEAN, Fitted, needed, promised, ran_out, refutation
from littlestone.games.oracles import Exhausted
from littlestone.protocol.players import player
from littlestone.theory import pac as theory

NEEDS_BOUND = True


def random_stopping(learner: Any, examples: Any, *, epsilon: Any, delta: Any = "1/20", bound: int | None = None, seed: int = 0) -> Fitted:
    """h_τ, the hypothesis that would predict example τ, τ uniform in 1, ..., T = ⌈B/ε⌉; τ-1 examples are drawn.

    E[err] ≤ ε, over the examples and τ, if the learner makes at most `bound` mistakes. That is no promise of one run, so there is no δ; by
    Markov's inequality err > k·ε has probability below 1/k. The learner is told every label, and learns as it always does.

    Where the examples say that fewer than T-1 of them are `left`, τ is drawn from as many as there can be, and the promise is B over that.

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.random_stopping(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.2, bound=4, seed=1)
    >>> fitted.examples, fitted.most, fitted.promise["kind"], fitted.chosen
    (4, 19, 'in expectation', 'the hypothesis that predicts example 5, a time drawn from 1 to 20')
    """
    goal, B = theory.goal_of(epsilon, delta), needed(bound, "random_stopping")
    T = max(1, theory.random_stopping(B, goal.epsilon))
    left = getattr(examples, "left", None)
    times = T if left is None else min(T, left + 1)
    tau = Random(seed).randint(1, times)
    play, mistakes, drawn = player(learner, getattr(examples, "n", None)), 0, 0

    def fitted(drawn: int, **parts: Any) -> Fitted:
        return Fitted(play, drawn, T - 1, mistakes, played=drawn, taught=range(drawn), last=play, **parts)

    try:
        for drawn in range(tau - 1):
            x, y = examples()
            mistakes += play.predict(x) != y
            play.update(x, y)
            if mistakes > B:
                why = refutation(B, mistakes)
                return fitted(drawn + 1, tests=mistakes + 1, promise=None, reached=False, chosen="the last hypothesis", why=why)
    except Exhausted:
        why = ran_out(drawn, f"stopped at no random time of {T:,}, and nothing is promised")
        return fitted(drawn, tests=drawn + 1, promise=None, reached=False, chosen="the last hypothesis", why=why)
    reached = times == T
    return fitted(
        tau - 1,
        tests=1,
        promise=promised(goal.epsilon if reached else min(1.0, B / times), None, MEAN),
        reached=reached,
        chosen=f"the hypothesis that predicts example {tau:,}, a time drawn from 1 to {times:,}",
        why="" if reached else f"{left:,} examples are fewer than the {T - 1:,} that stopping at any of {T:,} times can need",
    )
