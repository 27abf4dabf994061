"""The lecture in Python: every learner in its slow, obvious form. What the fast passes are compared with.

A twin takes the rounds, pairs of (features, label), and yields its prediction for each before it looks at the label.
Features are a mapping from feature to value; a label is True, False, or None when it is not told.

>>> from littlestone.reference import winnow
>>> list(winnow([({0: 1}, True), ({0: 1}, True), ({1: 1}, False)], n=2))
[False, True, False]
"""

from littlestone.reference.balanced_winnow import balanced_winnow
from littlestone.reference.conjunctions import conjunctions
from littlestone.reference.disjunctions import disjunctions
from littlestone.reference.memorizer import memorizer
from littlestone.reference.perceptron import perceptron
from littlestone.reference.winnow import winnow
from littlestone.reference.winnow_doubling import winnow_doubling
from littlestone.reference.winnow_elimination import winnow_elimination
from littlestone.reference.winnow_real import winnow_real

__all__ = [
    "balanced_winnow",
    "conjunctions",
    "disjunctions",
    "memorizer",
    "perceptron",
    "winnow",
    "winnow_doubling",
    "winnow_elimination",
    "winnow_real",
]
