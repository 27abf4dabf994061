"""A pytest plugin that puts the core of build/sanitize in the place of the installed one. Set LITTLESTONE_SANITIZED to its path."""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

_spec = spec_from_file_location("littlestone._native", os.environ["LITTLESTONE_SANITIZED"])
assert _spec is not None and _spec.loader is not None
_module = module_from_spec(_spec)
sys.modules["littlestone._native"] = _module
_spec.loader.exec_module(_module)
