"""Anytime: play until the mistakes made so far prove a risk of ε, for any learner and with no bound. (theory/risk.py has the proof.)"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, exp, log
from random import Random
from typing import Any

from littlestone.errors import require
from littlestone.games.batch._fitted import SURE, Fitted, Trial, promised, ran_out
from littlestone.games.oracles import Exhausted
from littlestone.protocol.players import Instance, Player, player
from littlestone.theory import pac as theory
from littlestone.theory.risk import risk

OF_ONE = f"{SURE}, in expectation over which hypothesis was drawn"
RETURNS = ("random", "majority")
PROVES = "with so few, and mistakes: {:,}, no smaller risk is proved"


def anytime(
    learner: Any, examples: Any, *, epsilon: Any, delta: Any, bound: int | None = None, seed: int = 0, returns: str = "random"
) -> Fitted:
    """Stops at the first T at which the mistakes made so far prove that (err(h_1) + ... + err(h_T))/T ≤ ε, with probability at least 1-δ.

    h_t is the hypothesis that predicted example t, and the probability is for all T at once. Nothing is proved of the last hypothesis. What
    comes back, and what is promised of it:

    - `returns="random"`: one of h_1, ..., h_T, drawn. In expectation over that draw err ≤ ε, with probability at least 1-δ over the
      examples; a single one may be worse (by Markov's inequality err > k·ε has probability below 1/k). The learner is told every label.
    - `returns="majority"`: the vote of all of them. It errs at most twice as often as they do on average, so it stops when that average is
      proved to be ε/2: err ≤ ε with probability at least 1-δ. The learner is taught its mistakes only, so that few hypotheses vote; each is
      kept, with as many votes as examples it predicted.

    It may go on for ever where the learner does not come down to ε. `most` is known where a `bound` on the
    mistakes is given that is not refuted.

    >>> import littlestone as ls
    >>> C = ls.concepts.disjunctions(4)
    >>> fitted = ls.anytime(ls.disjunctions(n=4), ls.oracles.EX(C.of({1}), n=4, seed=1), epsilon=0.2, delta=0.1)
    >>> fitted.examples, fitted.mistakes, fitted.promise["epsilon"] <= 0.2
    (40, 2, True)
    """
    goal = theory.goal_of(epsilon, delta)
    require(returns in RETURNS, f"returns={returns!r} must be one of {', '.join(RETURNS)}")
    target = goal.epsilon if returns == "random" else goal.epsilon / 2
    most = None if bound is None else longest(theory.mistakes_allowed(bound), target, goal.delta)
    enough = Enough(target, goal.delta)
    fitted = (_random if returns == "random" else _majority)(learner, examples, goal, enough, most, seed)
    return fitted if bound is None or fitted.mistakes <= bound else replace(fitted, most=None)


class Enough:
    """Are T examples enough for M mistakes? Decided in exact arithmetic, of which doubles say beforehand when it is worth the while."""

    def __init__(self, target: Fraction, delta: Fraction) -> None:
        self.target, self.delta = target, delta
        self._mistakes, self._from = -1, 0.0

    def __call__(self, mistakes: int, T: int) -> bool:
        if mistakes != self._mistakes:
            self._mistakes, self._from = mistakes, near(mistakes, float(self.delta)) / float(self.target) * (1 - 1e-9)
        return self._from <= T and risk(mistakes, T, self.delta).average <= self.target


def near(mistakes: int, delta: float) -> float:
    """The limit of theory/risk.py on the sum of the errors, in doubles."""
    least, j = float("inf"), 0
    while True:
        sure = log((j + 1) * (j + 2) / delta)
        if sure * 2**j > least:
            return least
        least = min(least, (mistakes / 2**j + sure) / -(exp(-(0.5**j)) - 1))
        j += 1


def longest(bound: int, target: Fraction, delta: Fraction) -> int:
    """So many examples are enough, whatever happens, for a learner that makes at most so many mistakes."""
    T = ceil(near(bound, float(delta)) / float(target) * (1 + 1e-9))
    while risk(bound, T, delta).average > target:
        T += 1
    return T


def _random(learner: Any, examples: Any, goal: theory.Goal, enough: Enough, most: int | None, seed: int) -> Fitted:
    play, lots = player(learner, getattr(examples, "n", None)), Random(seed)
    mistakes = T = tau = 0
    kept, why = play, ""
    try:
        while not (T and enough(mistakes, T)):
            x, y = examples()
            T += 1
            if not lots.randrange(T):  # each of the T so far is kept with the same chance
                kept, tau = play.copy(), T
            mistakes += play.predict(x) != y
            play.update(x, y)
    except Exhausted:
        why = ran_out(T, PROVES.format(mistakes))
    return Fitted(
        hypothesis=kept,
        examples=T,
        most=most,
        mistakes=mistakes,
        tests=1,
        promise=promised(risk(mistakes, T, goal.delta).average, goal.delta, OF_ONE),
        reached=not why,
        chosen=f"the hypothesis that predicted example {tau:,}, drawn from those of all {T:,}" if T else "the first hypothesis",
        why=why,
        played=T,
        taught=range(max(0, tau - 1)),
        last=play,
    )


def _majority(learner: Any, examples: Any, goal: theory.Goal, enough: Enough, most: int | None, seed: int) -> Fitted:
    trial, why = Trial(learner, examples), ""
    voters: list[tuple[Player, int]] = []
    try:
        while not (trial.drawn and enough(trial.mistakes, trial.drawn)):
            if not trial.passes():
                voters.append((trial.player.copy(), trial.right + 1))
                trial.learn()
    except Exhausted:
        why = ran_out(trial.drawn, PROVES.format(trial.mistakes))
    if trial.right or not voters:
        voters.append((trial.player, max(1, trial.right)))
    return trial.fitted(
        hypothesis=Majority(voters),
        most=most,
        tests=len(voters),
        promise=promised(risk(trial.mistakes, trial.drawn, goal.delta).majority_vote, goal.delta),
        reached=not why,
        chosen=f"the majority vote of the hypotheses that predicted the {trial.drawn:,} examples; {len(voters):,} of them differ",
        why=why,
    )


class Majority(Player):
    """The vote of several players, each with its number of votes; a tie is a 1. It learns nothing more."""

    def __init__(self, voters: Sequence[tuple[Player, int]]) -> None:
        self.voters, self.all = tuple(voters), sum(votes for _, votes in voters)
        self.name = f"majority of {len(self.voters)} hypotheses of {self.voters[0][0].name}"

    def predict(self, x: Instance) -> bool:
        return 2 * sum(votes for voter, votes in self.voters if voter.predict(x)) >= self.all

    def update(self, x: Instance, y: bool) -> None:
        """What is voted on is fixed."""
