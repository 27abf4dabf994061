"""The lecture in Python: every learner and every rule in its slow, obvious form. What the fast passes are compared with.

A definition takes the rounds, pairs of (features, label), and yields its prediction for each before it looks at the label.
Features are a mapping from feature to value; a label is True, False, or None where there is none (of several classes, any other value).
One definition, one file: the function NAME of reference/NAME.py, imported when it is asked for.

>>> from littlestone.reference import winnow
>>> list(winnow([({0: 1}, True), ({0: 1}, True), ({1: 1}, False)], n=2))
[False, True, False]
"""

import sys
from types import ModuleType
from typing import Any

from littlestone.reference.catalogue import defined_in, definition_named


def __getattr__(name: str) -> Any:
    if (function := definition_named(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function


class Definitions(ModuleType):
    """This package. Where a file and the function in it have one name, the name means the function, whoever imported the file first."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, (isinstance(value, ModuleType) and defined_in(value, name)) or value)


sys.modules[__name__].__class__ = Definitions
