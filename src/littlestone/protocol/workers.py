"""Who does pure work: this process. A cluster has the same methods (`littlestone.cluster`), and whoever spreads work knows of none."""

from collections.abc import Callable, Iterable
from typing import Any

SENT = 2**16  # features up to which rounds are not worth sending


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

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """A task: a function that changes none of its arguments, and what it is given; what `submit` gave may be among it."""
        return work(*arguments)

    def send(self, value: Any) -> Any:
        """What is sent once, for several tasks to be given."""
        return value

    def is_done(self, task: Any) -> None:
        """What a task was made of need not be held any longer."""

    def gather(self, tasks: Iterable[Any]) -> list[Any]:
        """What the tasks gave, in their order."""
        return list(tasks)
