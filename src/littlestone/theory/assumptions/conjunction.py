"""A conjunction of literals labels the stream."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, bound):
    """A 0 that satisfies every literal that all the 1s satisfy."""
    return looks.satisfied()


def met(looks, declared, settings, bound):
    """The conjunction of all literals that the 1s satisfy labels the stream; of features that no 1 has, ¬x is one of them."""
    if not declared.get("size"):
        return True
    ones = [set(x) for _, y, x in looks.labelled() if y]
    if not ones or not settings.get("n"):
        return False
    return settings["n"] - len(set.union(*ones) - set.intersection(*ones)) >= declared["size"]


ASSUMPTION = Assumption(
    "conjunction",
    "some satisfiable conjunction of at least `size` literals labels every round",
    contradicted,
    met,
    lambda declared: not declared.get("size"),
)
