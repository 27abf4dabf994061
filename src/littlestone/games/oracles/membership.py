"""Membership queries: what is the label of this instance?"""

from collections.abc import Callable, Mapping
from typing import Any

from littlestone.protocol.players import Instance, Player, player

Example = tuple[Instance, bool]


def rule(thing: Any, n: int | None = None) -> Callable[[Instance], bool]:
    """A concept or hypothesis as a function of instances: a function as it is, a player by its predictions as they stand when asked,
    anything else that predicts as a player made of it."""
    if isinstance(thing, Player):
        return thing.predict
    if callable(thing) and not hasattr(thing, "predict") and not hasattr(thing, "predict_one"):
        return lambda x: bool(thing(x))
    return player(thing, n).predict


def instance(row: Any) -> Instance:
    """{feature: value} without those that are 0; of a row that is given so, or as its active features."""
    if isinstance(row, Mapping):
        return {i: v for i, v in row.items() if v} if 0 in row.values() else row
    return {int(i): 1 for i in (row if isinstance(row, list) else sorted(row))}


class MQ:
    """Answers membership queries about a concept: anything callable on an instance, or anything that predicts.

    >>> from littlestone import concepts
    >>> mq = MQ(concepts.disjunctions(5).of({1, 3}))
    >>> mq({1: 1, 2: 1}), mq({0: 1})
    (True, False)

    A learner, ours or another library's, may be the concept:

    >>> import littlestone as ls
    >>> learned = ls.players.player(ls.perceptron())
    >>> learned.update({0: 1}, False)
    >>> MQ(learned)({0: 1})
    False
    """

    def __init__(self, concept: Any, *, n: int | None = None) -> None:
        self.concept, self._rule = concept, rule(concept, n)

    def __call__(self, x: Instance) -> bool:
        """The label of x."""
        return self._rule(x)

    def __repr__(self) -> str:
        return f"MQ({self.concept!r})"
