"""Several calls in one, so that no exception raised by a signal's handler comes between them."""

from collections.abc import Iterable
from itertools import starmap
from operator import call
from typing import Any

Call = tuple[Any, ...]  # what is called, and its arguments


def together(results: list, calls: Iterable[Call]) -> None:
    """Make some calls one after the other, and append the result of each.

    Python runs handlers of signals between two steps of its own code. Where every call is one of compiled code, such as `dict.update`,
    `list.append` or the update of a native learner, there is no such step from the first of them to the last: all are made or none. Where
    the first one raises, none of the others is made.

    >>> counts, rows, results = {"rounds": 2}, ["a", "b"], []
    >>> together(results, [(counts.update, {"rounds": 3}), (rows.append, "c")])
    >>> counts, rows, results
    ({'rounds': 3}, ['a', 'b', 'c'], [None, None])
    """
    results.extend(starmap(call, calls))
