"""The native core (`native/`), refused where it was built from other sources than those beside it.

A class of it is a learner: `Perceptron(*params, *state)` borrows the arrays of a state, and plays rows with them.
"""

import os
from pathlib import Path
from typing import Any

from littlestone.kernels.sources import digest_of

SOURCES = Path(__file__).parents[3] / "native"  # of a checkout; an installed package has none
MODULES = ("_native", "_native_avx2")


def _load() -> Any:
    from littlestone import _native

    return _native


def _load_avx2() -> Any:
    from littlestone import _native_avx2

    return _native_avx2


LOADERS = dict(zip(MODULES, (_load, _load_avx2), strict=True))


def module_for(choice: str) -> Any:
    """Return the module that is named, or with "" the fastest that this processor runs; both give the same bits."""
    if choice not in ("", *MODULES):
        raise ImportError(f"LITTLESTONE_NATIVE={choice!r}: expected {' or '.join(MODULES)}")
    try:
        core = LOADERS[choice or MODULES[0]]()
    except ImportError as error:
        # The package itself has no such name, or the module that is there does not load.
        missing = (error.path or "").endswith("__init__.py")
        fault = "is not built" if missing else f"cannot be loaded ({error})"
        raise ImportError(f"littlestone's native core {fault}: install the package, or run `make build` in a checkout") from error
    if (SOURCES / "CMakeLists.txt").exists() and digest_of(SOURCES) != core.source_digest():
        raise ImportError("littlestone's native core was built from other sources than those in native/: run `make build`")
    return module_for(MODULES[1]) if not choice and core.prefers_avx2() else core


core = module_for(os.environ.get("LITTLESTONE_NATIVE", ""))


def described() -> str:
    """Say which module is used and what compiled it."""
    return f"native core {core.__name__.rpartition('.')[2]}, built by {core.compiler()}"
