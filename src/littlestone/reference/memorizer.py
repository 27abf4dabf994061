"""The memorizer: what was last told of exactly this instance."""

from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.calls import served


def memorizer(rounds: Iterable[tuple[Mapping, bool | None]]) -> Iterator[bool]:
    """Predict the label remembered for this instance, else 0; remember it on a mistake. A feature of value 0 is an absent one.

    >>> list(memorizer([({0: 1.0}, True), ({0: 1.0, 1: 0.0}, True), ({0: 2.0}, True), ({1: 1.0, 0: 1.0}, False)]))
    [False, True, False, False]
    """
    labels: dict = {}
    for x, y in rounds:
        instance = frozenset((i, v) for i, v in x.items() if v != 0)
        yhat = labels.get(instance, False)
        yhat = served(yhat, (yield yhat))
        if y is not None and y != yhat:
            labels[instance] = y
