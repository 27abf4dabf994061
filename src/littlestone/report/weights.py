"""The weights of a model by name, and what they are called."""

from typing import Any

from littlestone.models.compare import weight_tables

Listed = tuple[str, list[list[Any]], int]  # a heading, the largest weights by name, and how many are not 0


def weight_tables_of(model: Any, top: int) -> list[Listed]:
    """The largest weights: one table, or one for each class or pair of classes."""
    tables = []
    for name, table in weight_tables(model).items():
        ranked = sorted(table.items(), key=lambda item: -abs(item[1]))[:top]
        tables.append((heading_of(model, name), [list(item) for item in ranked], len(table)))
    return tables


def heading_of(model: Any, name: str) -> str:
    """What the weights are."""
    if model.kind == "advice":
        return "experts, by weight"
    if model.kind == "several classes" and model.learner.seats(model.state):
        return f"weights of {name}, by {model.learner.chosen(model.state)[0]}, the most trusted of those with weights of their own"
    if model.kind == "several classes":
        scored = not model.reduced or model.learner.settings["learner"].scored
        return f"weights of {name}" if scored else f"{called(next(iter(model.arrays()), 'm1_').partition('_')[2])} of {name}"
    if model.learner.seats(model.state):
        return f"weights of {model.learner.chosen(model.state)[0]}, the most trusted of those with weights of their own"
    return "weights" if model.learner.scored else called(next(iter(model.arrays())))


def called(array: str) -> str:
    """What an array of a state is to a reader."""
    return {"e": "exponents e (a weight is α to the power e)"}.get(array, array)
