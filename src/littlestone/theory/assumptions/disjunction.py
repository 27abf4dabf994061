"""A monotone disjunction of few variables labels the stream."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, bound):
    """A 1 whose features are all on in 0s; or more 1s apart from each other than r variables can cover."""
    row = looks.uncovered()
    if row is None and "r" in declared and bound.among != "r":  # at most r of them
        row = looks.apart(int(declared["r"]))
    return row


def met(looks, declared, settings, bound):
    """The disjunction of all variables that no 0 has labels the stream; one of few is found greedily, or not at all."""
    if "r" not in declared:
        return True
    rows = [(y, set(x)) for _, y, x in looks.labelled()]
    struck = {name for y, x in rows if not y for name in x}
    if bound.among == "r":  # at least r of them
        return bool(settings.get("n")) and settings["n"] - len(struck) >= declared["r"]
    left, size = [x - struck for y, x in rows if y], 0
    while left and size < declared["r"]:
        counts: dict[str, int] = {}
        for x in left:
            for name in x:
                counts[name] = counts.get(name, 0) + 1
        best = min(counts, key=lambda name: (-counts[name], str(name)), default=None)
        left, size = [x for x in left if best not in x], size + 1
    return not left


ASSUMPTION = Assumption(
    "disjunction",
    "some monotone disjunction of at most r variables labels every round",
    contradicted,
    met,
    lambda declared: "r" not in declared,
)
