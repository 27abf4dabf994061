"""Whatever a file holds: a model, or models by key."""

from typing import Any

from littlestone.models import file
from littlestone.models.keyed import is_store, load_store


def load(path: Any, learner: Any = None) -> Any:
    """The model in a file, of whatever kind it is, to go on where it stopped; models by key are read as they are asked for.

    A learner of your own is not looked for: give it, or the function that makes it, as `learner`.
    """
    return load_store(path, learner) if is_store(path) else file.load(path, learner)
