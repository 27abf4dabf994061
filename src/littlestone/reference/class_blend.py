"""The blends of a panel of several classes, in plain Python: voters that learn from the members' scores of the classes.

Every member gives each class a score.  It is divided by the root of the mean square of that member's scores so far, over rounds and
classes, this round included, and squashed into (-1, 1): z/√(1 + z²).  With x_c the squashed scores of class c and a 1, a blend gives class
c the score w·x_c, and names the class with the largest, the first that appeared where they tie.

Blends of rivals have one w for all classes, and learn to tell the true class from its strongest rival: a logistic step by Newton for
x_y - x_r, r the other class with the largest score.  `blend-each` has a w for each class, and learns "this class or not".  The steps are
those of `reference.blend`, for a round of weight c too.
"""

from collections.abc import Sequence
from math import sqrt

from littlestone.reference.blend import LARGEST, Blend, Mind

RIVALS = (Blend("blend-1000", True, 4.0, 0.999, 10.0), Blend("blend-100", True, 1.0, 0.99, 10.0))
EACH = Blend("blend-each", True, 4.0, 0.999, 10.0)
CLASS_BLENDS = (*RIVALS, EACH)


class ClassBlends:
    """The blends of a panel of several classes at play.

    >>> blends = ClassBlends(1)
    >>> for t in range(60):
    ...     scores = blends.scores([[0.5, -0.5, 0.1][: blends.known]])
    ...     blends.learn(t if t < 3 else 0)
    ...     if t < 3:
    ...         blends.join()
    >>> [max(range(3), key=row.__getitem__) for row in scores]
    [0, 0, 0]
    """

    def __init__(self, members: int) -> None:
        self.members = members
        self.rivals = [Mind(members, blend) for blend in RIVALS]
        self.each: list[Mind] = []
        self.squares, self.rounds = [0.0] * members, 0.0
        self.x: list[list[float]] = []  # of the row asked about last, for each class: numbers in (-1, 1) and a 1
        self.sums: list[float] = []
        self.last: list[list[float]] = []

    @property
    def known(self) -> int:
        """How many classes there are."""
        return len(self.each)

    def scores(self, heard: Sequence[Sequence[float]]) -> list[list[float]]:
        """For each blend the scores of the classes, from those that each member gives them."""
        classes = range(self.known)
        self.x, self.sums = [[] for _ in classes], []
        for row, square in zip(heard, self.squares, strict=True):
            clipped = [min(max(s if s == s else 0.0, -LARGEST), LARGEST) for s in row]
            total = 0.0
            for s in clipped:
                total += s * s
            total = square + total / max(1, self.known)
            root = sqrt(total / (self.rounds + 1.0))
            for c in classes:
                ratio = clipped[c] / root if root > 0.0 else 0.0
                self.x[c].append(ratio / sqrt(1.0 + ratio * ratio))
            self.sums.append(total)
        for x in self.x:
            x.append(1.0)
        self.last = [[mind.score(x) for x in self.x] for mind in self.rivals]
        self.last.append([mind.score(x) for mind, x in zip(self.each, self.x, strict=True)])
        return self.last

    def learn(self, y: int, weight: float = 1.0) -> None:
        """The class of the row asked about last, by its number; that of a class that is new is the next one."""
        self.squares, self.rounds = self.sums, self.rounds + 1.0
        if y < self.known and self.known > 1:
            for mind, scores in zip(self.rivals, self.last, strict=False):
                rival = max((c for c in range(self.known) if c != y), key=scores.__getitem__)
                x = [a - b for a, b in zip(self.x[y], self.x[rival], strict=True)]
                mind.learn(x, scores[y] - scores[rival], True, weight)
        for c, (mind, x, s) in enumerate(zip(self.each, self.x, self.last[-1], strict=True)):
            mind.learn(x, s, c == y, weight)

    def join(self) -> None:
        """A class appears."""
        self.each.append(Mind(self.members, EACH))
