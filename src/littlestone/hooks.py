"""What stands in a room above, found by its name: the package says where each thing is when it is imported."""

from collections.abc import Callable
from typing import Any

_finders: list[Callable[[str], Any]] = []


def fill(finder: Callable[[str], Any]) -> None:
    """Say how things are found by their names; `littlestone/__init__.py` does so, before any room is entered."""
    _finders[:] = [finder]


def above(name: str) -> Any:
    """The function or class of that name in a room above this one.

    >>> above("save").__module__
    'littlestone.models.file'
    """
    return _finders[0](name)
