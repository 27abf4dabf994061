"""All pairs: several classes by any binary learner, one for each pair of classes, and most votes win.

The learner of classes i and j, i the earlier one, is made when j first appears, and from that round on told "i" (1) or "j" (0) whenever the
label is one of the two.  Each round all of them vote; predict the class with most votes, the first that appeared where they tie.

>>> import littlestone as ls
>>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], ["tea", "coffee", "milk"] * 2
>>> run = ls.play(ls.all_pairs(ls.perceptron(bias=0)), X, y)
>>> run.predictions.tolist(), run.mistakes
([None, 'tea', 'tea', 'tea', 'coffee', 'milk'], 3)
>>> {pair: member.mistakes for pair, member in run.members.items()}
{('tea', 'coffee'): 1, ('tea', 'milk'): 1, ('coffee', 'milk'): 1}

Theorem: where no learner of the true class errs, that class has all their votes and every other class lacks one.  So M ≤ k + Σ M_ij, for
k classes (a first appearance is a mistake that nobody can avoid) and M_ij mistakes of member (i, j) on the rounds it is told.
"""

from typing import Any

import numpy as np

from littlestone.kernels import native
from littlestone.learners.reductions._committee import Committee, Member, reduced
from littlestone.protocol import ClassLearner, Learner
from littlestone.theory.all_pairs import FAMILY


class AllPairs(Committee):
    def recruits(self, c: int) -> list[Member]:
        return [(i, c) for i in range(c)]

    def codes_for(self, member: Member, y: Any) -> Any:
        i, j = member
        if isinstance(y, np.ndarray):
            return np.where(y == i, 1, np.where(y == j, 0, -1))
        return 1 if y == i else 0 if y == j else -1

    def open_ballot(self, rounds: int) -> Any:
        return np.zeros((max(1, self.seen), rounds), np.int32)

    def cast(self, ballot: Any, member: Member, answers: np.ndarray, scores: np.ndarray | None, since: int) -> None:
        native.core.add_votes(answers, since, *member, ballot)

    def elect(self, ballot: Any, labels: np.ndarray, seen: int, winners: np.ndarray) -> None:
        native.core.most_votes(ballot, labels, seen, winners)

    def rate(self, member: Member, answers: np.ndarray, scores: np.ndarray | None, columns: np.ndarray) -> None:
        """A vote for one of the two."""
        columns[:, member[0]] += answers
        columns[:, member[1]] += ~answers

    def between(self, c: int, rival: int) -> tuple[Member, bool]:
        return (min(c, rival), max(c, rival)), c < rival

    def choose(self, row: tuple) -> int:
        votes = [0] * self.seen
        for (i, j), answer in self.answers.items():
            votes[i if answer else j] += 1
        return votes.index(max(votes))


WHEN = "several classes that are easier to tell apart two at a time, by any learner of two classes"


def all_pairs(learner: Learner) -> ClassLearner:
    """Several classes by this binary learner, one for each pair of classes."""
    return reduced("all_pairs", AllPairs, learner, all_pairs, FAMILY)
