"""A file of the user's own: what it calls by a name."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, require


def named_in_file(path: Path, name: str) -> Any:
    """What a Python file calls by this name."""
    require(path.is_file(), f"{path}: no such file; expected a Python file with a function {name!r} that returns a Learner")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))  # so that the file may import its neighbours, as a script may
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line is not None else ""
        raise LittlestoneError(f"{path}{where}: cannot be imported ({type(error).__name__}: {error})") from error
    require(hasattr(module, name), f"{path}: has no function or class {name!r}")
    return getattr(module, name)
