"""A monotone disjunction of few variables labels the stream."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, among):
    """A 1 whose features are all on in 0s; or more 1s apart from each other than r variables can cover."""
    row = looks.uncovered()
    if row is None and "r" in declared and among != "r":  # at most r of them
        row = looks.apart(int(declared["r"]))
    return row


ASSUMPTION = Assumption("disjunction", "some monotone disjunction of at most r variables labels every round", contradicted)
