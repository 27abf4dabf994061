"""The lecture in Python: every learner in its slow, obvious form. What the fast passes are compared with.

A twin takes the rounds, pairs of (features, label), and yields its prediction for each before it looks at the label.
Features are a mapping from feature to value; a label is True, False, or None when it is not told (of several classes, any other value).

>>> from littlestone.reference import winnow
>>> list(winnow([({0: 1}, True), ({0: 1}, True), ({1: 1}, False)], n=2))
[False, True, False]
"""

from littlestone.reference.adaptive import adaptive
from littlestone.reference.alma import alma
from littlestone.reference.arow import arow
from littlestone.reference.arow_full import arow_full
from littlestone.reference.balanced_winnow import balanced_winnow
from littlestone.reference.coin import coin
from littlestone.reference.conjunctions import conjunctions
from littlestone.reference.conservative import conservative
from littlestone.reference.disjunctions import disjunctions
from littlestone.reference.halving import halving
from littlestone.reference.memorizer import memorizer
from littlestone.reference.multiclass_perceptron import multiclass_perceptron
from littlestone.reference.naive_bayes import naive_bayes
from littlestone.reference.normalized import normalized
from littlestone.reference.one_vs_rest import all_pairs, one_vs_rest
from littlestone.reference.optimal import optimal
from littlestone.reference.pairs import pairs
from littlestone.reference.passive_aggressive import passive_aggressive
from littlestone.reference.perceptron import perceptron
from littlestone.reference.pnorm import pnorm
from littlestone.reference.winnow import winnow
from littlestone.reference.winnow_doubling import winnow_doubling
from littlestone.reference.winnow_elimination import winnow_elimination
from littlestone.reference.winnow_real import winnow_real

__all__ = [
    "adaptive",
    "all_pairs",
    "alma",
    "arow",
    "arow_full",
    "balanced_winnow",
    "coin",
    "conjunctions",
    "conservative",
    "disjunctions",
    "halving",
    "memorizer",
    "multiclass_perceptron",
    "naive_bayes",
    "normalized",
    "one_vs_rest",
    "optimal",
    "pairs",
    "passive_aggressive",
    "perceptron",
    "pnorm",
    "winnow",
    "winnow_doubling",
    "winnow_elimination",
    "winnow_real",
]
