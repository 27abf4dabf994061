"""The lecture in Python: every learner and every rule in its slow, obvious form. What the fast passes are compared with.

A definition takes the rounds, pairs of (features, label), and yields its prediction for each before it looks at the label.
Features are a mapping from feature to value; a label is True, False, or None when it is not told (of several classes, any other value).
One definition, one file, found by walking this folder: the function NAME of reference/NAME.py.

>>> from littlestone.reference import winnow
>>> list(winnow([({0: 1}, True), ({0: 1}, True), ({1: 1}, False)], n=2))
[False, True, False]
"""

from littlestone.reference.catalogue import definitions

globals().update(definitions())  # the function, where a file and what it defines have one name
