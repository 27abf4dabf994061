"""One against the rest: several classes by any binary learner, one for each class.

Class j has a learner of its own, made when j first appears and told "j or not" from that round on.  Predict the class whose learner
says 1; where several do, or none does, the one of them with the largest score, and without scores, or at a tie, the first that appeared.

>>> import littlestone as ls
>>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 3, ["tea", "coffee", "milk"] * 3
>>> run = ls.play(ls.one_vs_rest(ls.winnow(n=3)), X, y)
>>> run.predictions.tolist(), run.mistakes
([None, 'tea', 'tea', 'tea', 'tea', 'tea', 'tea', 'coffee', 'milk'], 5)
>>> {label: member.mistakes for label, member in run.members.items()}
{'tea': 2, 'coffee': 2, 'milk': 2}
>>> [(claim.name, claim.limit) for claim in run.bounds("disjunction:r=1")]
[('one_vs_rest-winnow-disjunction', 18), ('one_vs_rest-mistakes', 9), ('one_vs_rest-bounds', 24)]

Theorem: where no member errs, exactly one says 1 and it is right.  So M ≤ k + Σ M_j, for k classes (a first appearance is a mistake that
nobody can avoid) and M_j mistakes of member j; and each M_j is within the bound of the learner on the member's own stream.
"""

from typing import Any

import numpy as np

from littlestone.kernels import native
from littlestone.learners.reductions._committee import Committee, Member, reduced
from littlestone.protocol import ClassLearner, Learner
from littlestone.theory.one_vs_rest import FAMILY


class OneVsRest(Committee):
    scored = True

    def recruits(self, c: int) -> list[Member]:
        return [(c,)]

    def codes_for(self, member: Member, y: Any) -> Any:
        return np.where(y < 0, -1, y == member[0]) if isinstance(y, np.ndarray) else y == member[0]

    def open_ballot(self, rounds: int) -> Any:
        return np.zeros(rounds, np.bool_), np.zeros(rounds), np.full(rounds, -1, np.int32)

    def cast(self, ballot: Any, member: Member, votes: np.ndarray, scores: np.ndarray | None, since: int) -> None:
        native.core.outbid(votes, scores, since, member[0], *ballot)

    def elect(self, ballot: Any, labels: np.ndarray, seen: int, winners: np.ndarray) -> None:
        winners[:] = ballot[2]

    def rate(self, member: Member, votes: np.ndarray, scores: np.ndarray | None, columns: np.ndarray) -> None:
        """The member's own score; +1 or -1 where it has none."""
        columns[:, member[0]] = np.where(votes, 1.0, -1.0) if scores is None else scores

    def between(self, c: int, rival: int) -> tuple[Member, bool]:
        return (c,), True

    def choose(self, row: tuple) -> int:
        ones = [member for member, answer in self.answers.items() if answer] or list(self.answers)
        if len(ones) > 1 and self.scored:
            return max(ones, key=lambda member: self.at_work[member].score_row(row))[0]
        return ones[0][0]


WHEN = "several classes, by any learner of two classes, each class against all others"


def one_vs_rest(learner: Learner) -> ClassLearner:
    """Several classes by this binary learner, one for each class against the rest."""
    return reduced("one_vs_rest", OneVsRest, learner, one_vs_rest, FAMILY)
