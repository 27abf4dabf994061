"""One lock a model: whoever reads or changes it holds the lock, so that no kernel reads a state that another thread is writing.

A fork takes them all first: the child gets models that stand between two updates, and locks that nobody holds.
"""

import os
from itertools import count
from threading import Lock, RLock
from typing import Any
from weakref import WeakSet

_models: WeakSet = WeakSet()
_listing = Lock()
_numbers = count()
_held: list[Any] = []


def lock_of(model: Any) -> Any:
    """A lock for a new model. Who holds that of an older model may take that of a newer one, never the other way round."""
    with _listing:
        model.number = next(_numbers)
        _models.add(model)
    return RLock()


def _hold_all() -> None:
    with _listing:
        _held[:] = sorted(_models, key=lambda model: model.number)
    for model in _held:
        model.lock.acquire()


def _release_all() -> None:
    for model in reversed(_held):
        model.lock.release()
    _held.clear()


def _renew_all() -> None:
    """In the child the threads that waited for a lock are gone."""
    for model in _held:
        model.lock = RLock()
        model._close_door()  # compiled code looks at the old one
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_release_all, after_in_child=_renew_all)
