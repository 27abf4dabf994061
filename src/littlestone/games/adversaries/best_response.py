"""The worst stream that a search can find: nothing is proved, but the number is what this very learner made.

The learner is tried out on copies: from each of the best positions so far, every instance on which it errs and that leaves some concept
of the class possible; the most promising positions are kept (see `_search`).  What is found is then played.  It is a lower bound on the
worst case of this learner, and of no other; with enough width it is the worst case itself on small classes.

Where all concepts of the class are alike up to the names of their variables, as disjunctions of k variables are, the first is the target.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.dictators import Dictators
from littlestone.concepts.disjunctions import disjunctions, whole
from littlestone.concepts.finite import finite
from littlestone.errors import require
from littlestone.games.adversaries._finite import ClassAdversary
from littlestone.games.adversaries._search import Search
from littlestone.protocol.players import Instance, Player

MOST_POINTS = 2**12
N = 5  # of a class that is named without


@dataclass(frozen=True, repr=False)
class BestResponse(ClassAdversary):
    width: int = 30
    most: int = 100

    against = "any learner; nothing is proved"
    source = "beam search"

    @property
    def forces(self) -> None:
        return None

    @property
    def search(self) -> Search:
        return Search(self.concepts, alike(self.concepts), self.width, self.most)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        yield from self.search.worst(learner)


def alike(concepts: ConceptClass) -> bool:
    """Does a renaming of the features turn any concept of the class into any other?"""
    return isinstance(concepts, Dictators) or (concepts.symmetric and getattr(concepts, "r", None) is not None)


def best_response(n: int | None = None, k: int | None = None, *, concepts: Any = None, width: int = 30, most: int = 100) -> BestResponse:
    """The worst stream found, labelled by some concept of a class: unless one is given, the disjunctions of k (1) of n (5) variables.

    `concepts` is a class of `littlestone.concepts`, its name (k: the variables of a disjunction), or a boolean matrix with a row for each
    concept. `width` is how many positions are kept at each step; a wider search finds more and takes longer. It ends after `most` mistakes.

    >>> import littlestone as ls
    >>> [ls.adversaries.meet(ls.winnow(), best_response(n)).mistakes for n in (3, 4, 5)]      # the worst case itself
    [3, 4, 6]
    """
    if concepts is None:
        chosen: ConceptClass = disjunctions(N if n is None else n, 1 if k is None else k)
    else:
        chosen = finite(concepts, N if n is None and isinstance(concepts, str) else n, k)
    require(chosen.domain != "real", f"{chosen!r} has no end of instances; expected a finite domain")
    require(chosen.points <= MOST_POINTS, f"{chosen!r} has {chosen.points:,} instances, and each is tried; at most {MOST_POINTS:,}")
    return BestResponse(chosen, whole(width, "width"), whole(most, "most"))
