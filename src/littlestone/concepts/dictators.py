"""Dictators: the label is one of the n variables."""

from dataclasses import dataclass

import numpy as np

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.disjunctions import Disjunction, whole


@dataclass(frozen=True, repr=False)
class Dictators(ConceptClass):
    n: int

    @property
    def size(self) -> int:
        return self.n

    def _concept(self, c: int) -> Disjunction:
        return Disjunction(frozenset([c]))

    def answers(self, point: int) -> np.ndarray:
        return np.array([point >> i & 1 for i in range(self.n)], np.bool_)


def dictators(n: int) -> Dictators:
    """The n functions c_i(x) = x_i on {0,1}^n.

    >>> C = dictators(4)
    >>> C.size, C.concept(2), C.concept(2)([0, 2]), C.concept(2).assume
    (4, x2, True, 'disjunction:r=1')
    """
    whole(n, "n")
    return Dictators(n)
