"""For each bound in hindsight: where its witness is looked for, and what the witness makes of the rounds, rounded outward.

A search gives candidates; each is written down exactly (whole numbers over a power of two), and its facts are measured on what was written
down: upper ends of sums in doubles, a relative 10⁻¹¹ above the truth at most.

One learner, one file, found by walking this folder. `SEARCHES` of a file has a search for each bound by its name. `facts_of_stream`, where
there is one, gives the facts of that learner that a look at the stream decides, in the place of the run's own.

Sums are over the updates, and there the vector u = 0 has the limit "as many as there were", which no vector beats.  So a vector is chosen
by a weaker form that does not collapse: the Perceptron's K + 2L (at u = 0 it is 2M), ALMA's with rows of length 1, the p-norm Perceptron's
likewise; balanced Winnow's 2L + 2(|u|₁/η)·ln 2n with |u|₁ ≤ η/(2g).  Then the bound itself is stated for it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from littlestone.witnesses.taught_rounds import Played

_FILES = {file.name: import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__)}

#: By the bound's name: (witness, facts) of each candidate, with so much effort: 1 is the usual, and scales the work.
SEARCHES: dict[str, Callable[[Played, float], Iterator[tuple[Any, dict[str, Any]]]]] = {
    bound: search for file in _FILES.values() for bound, search in file.SEARCHES.items()
}

#: By the learner's name.
PRIOR: dict[str, Callable[[Played], Mapping[str, Any]]] = {
    name: file.facts_of_stream for name, file in _FILES.items() if hasattr(file, "facts_of_stream")
}
