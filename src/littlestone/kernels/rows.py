"""Where `dot` and `add` stood for files of the user's own. They are in `littlestone.jit` now, and can be imported from here for one version
more.
"""

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    if name not in ("dot", "add"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from littlestone.kernels import jit

    warnings.warn(f"littlestone.kernels.rows will go: expected from littlestone.jit import {name}", DeprecationWarning, stacklevel=2)
    return getattr(jit, name)
