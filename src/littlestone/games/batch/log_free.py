"""Log-free: learn from one sample, and choose among the hypotheses by a second one."""

from typing import Any

from littlestone.games.batch._fitted import Fitted, Survivor, Trial, erred, hypothesis_number, needed, promised, ran_out
from littlestone.games.oracles import Exhausted
from littlestone.theory import pac as theory

NEEDS_BOUND = True


def log_free(learner: Any, examples: Any, *, epsilon: Any, delta: Any, bound: int | None = None, seed: int = 0) -> Fitted:
    """The hypothesis with the fewest errors on m2 = ⌈(32/ε)·ln(2(B+1)/δ)⌉ examples, the last of equals, of those that
    m1 = ⌈(2/ε)·max(2B, 8·ln(2/δ))⌉ examples before made.

    err ≤ ε with probability at least 1-δ, if the learner makes at most `bound` mistakes. It pays where B is large: no B·ln B. All
    hypotheses are kept until the end. The learner is taught its mistakes only.

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.log_free(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.4, delta=0.5, bound=4)
    >>> fitted.examples, fitted.chosen
    (296, 'hypothesis 3 (after 2 mistakes), wrong on 0 of 240 examples that no hypothesis had learned from')
    """
    goal, B = theory.goal_of(epsilon, delta), needed(bound, "log_free")
    first, second = theory.log_free(B, *goal)
    most = first + second
    chance = goal.delta / max(1, B)
    trial, best = Trial(learner, examples), Survivor()
    kept, errors = [trial.player.copy()], [0]
    try:
        while trial.drawn < first:
            if not trial.passes():
                best.see(trial, chance)
                trial.learn()
                kept.append(trial.player.copy())
                if trial.mistakes > B:
                    return trial.refuted(B, most)
        best.see(trial, chance)
        errors = [0] * len(kept)
        while trial.drawn < most:
            x, y = examples()
            trial.drawn += 1
            for k, hypothesis in enumerate(kept):
                errors[k] += hypothesis.predict(x) != y
    except Exhausted:
        if trial.drawn < first:
            best.see(trial, chance)
        why = ran_out(trial.drawn, f"{first:,} are to learn from, and {second:,} to choose by")
        fitted = best.when_exhausted(trial, goal.delta, most=most, why=why, played=min(trial.drawn, first))
    else:
        k = min(range(len(kept)), key=lambda number: (errors[number], -number))
        fitted = trial.fitted(
            hypothesis=kept[k],
            most=most,
            tests=len(kept),
            promise=promised(*goal),
            chosen=hypothesis_number(k + 1, f"wrong on {errors[k]:,} of {second:,} examples that no hypothesis had learned from"),
            played=first,
            taught=trial.taught[:k],
        )
    return erred(fitted, errors[-1], B) if trial.mistakes == B and errors[-1] else fitted
