"""One lock a model: whoever reads or changes it holds the lock, so that nobody reads a state that another thread is writing.

A fork takes them all first: the child gets models that stand between two updates, and locks that nobody holds. Several threads may fork at
once: each knows its own locks, takes them in the same order, and waits for no longer than `PATIENCE`.
"""

import os
from itertools import count
from threading import RLock, get_ident
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

PATIENCE = 5.0  # seconds that a fork waits: an event takes less, and whoever holds a lock for longer only reads, or waits to fork, too

_models: WeakValueDictionary[int, Any] = WeakValueDictionary()  # by number; read and written in single steps, so that it needs no lock
_numbers = count()
_held: dict[int, list[Any]] = {}  # the locks that each thread holds over its fork


def lock_of(model: Any) -> Any:
    """Return a lock for a new model. A thread that holds the lock of an older model may take that of a newer one, never the other way."""
    model.number = next(_numbers)
    _models[model.number] = model
    return RLock()


def _living() -> list[Any]:
    """Return the models that are there, the oldest first."""
    models = [model for reference in _models.valuerefs() if (model := reference()) is not None]
    return sorted(models, key=lambda model: model.number)


def _hold_all() -> None:
    """Take the locks of all models before a fork."""
    held = _held[get_ident()] = []
    until = monotonic() + PATIENCE
    for lock in [model.lock for model in _living() if hasattr(model, "lock")]:  # a model that is being made has none yet
        if lock.acquire(timeout=max(0.0, until - monotonic())):
            held.append(lock)


def _release_all() -> None:
    """Release the locks in the process that has forked."""
    for lock in reversed(_held.pop(get_ident(), [])):
        lock.release()


def _renew_all() -> None:
    """Give every model of the child a new lock: the threads that held the old ones, or waited for them, are gone."""
    _held.clear()
    for model in _living():
        model.lock = RLock()
        model._close_fast_path()  # it takes the old one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_release_all, after_in_child=_renew_all)
