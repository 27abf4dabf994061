"""Who does pure work: this process. A cluster has the same methods (`littlestone.cluster`), and whoever spreads work knows of none."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

STAY = 1.15  # so much more may the one with most to do have, before work moves to another
SENT = 2**16  # features up to which rounds are not worth sending


def balanced(seconds: Sequence[float], count: int, before: Sequence[int] | None = None) -> list[int]:
    """Who does which work, so that all have about as much of it; `before` stays where it is nearly as good, since moving costs, too.

    >>> balanced([4.0, 1.0, 2.0, 1.0], 2), balanced([4.0, 1.0, 2.0, 1.1], 2, before=[1, 0, 0, 0])
    ([0, 1, 1, 1], [1, 0, 0, 0])
    """
    places, loads = [0] * len(seconds), [0.0] * count
    for k in sorted(range(len(seconds)), key=lambda k: -seconds[k]):
        places[k] = min(range(count), key=loads.__getitem__)
        loads[places[k]] += seconds[k]
    if before is not None and max(before) < count:
        known = [sum(s for s, place in zip(seconds, before, strict=True) if place == w) for w in range(count)]
        if max(known) <= STAY * max(loads):
            return [*before]
    return places


def itself(value: Any) -> Any:
    """What is sent once, for several tasks to be given."""
    return value


class OneProcess:
    """Does at once, in this process, what a cluster would do elsewhere.

    >>> here = OneProcess()
    >>> here.gather([here.submit(max, 1, 2), here.submit(min, 1, 2)])
    [2, 1]
    """

    count = 1
    ahead = 0  # tasks that are worth submitting before they are asked for

    def submit(self, work: Callable[..., Any], *arguments: Any, place: int | None = None) -> Any:
        """A task: a function that changes none of its arguments, and what it is given; what `submit` gave may be among it.

        Tasks of one `place` belong together: what one leaves another needs.
        """
        return work(*arguments)

    def send(self, value: Any) -> Any:
        """What is sent once, for several tasks to be given."""
        return value

    def is_done(self, task: Any) -> None:
        """What a task was made of need not be held any longer."""

    def gather(self, tasks: Iterable[Any]) -> list[Any]:
        """What the tasks gave, in their order."""
        return list(tasks)
