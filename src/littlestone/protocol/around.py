"""A runner around a runner: late labels, an alarm, lemmas that are checked."""

from typing import Any


class RunnerAround:
    """Whatever else is asked of a runner, the one inside answers."""

    runner: Any

    def __getattr__(self, name: str) -> Any:
        if name == "runner":  # a copy under way has none yet
            raise AttributeError(name)
        return getattr(self.runner, name)
