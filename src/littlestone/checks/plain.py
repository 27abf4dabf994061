"""Functions that were compiled, in plain Python with all that they call: where an index out of place is an error."""

from types import CellType, FunctionType
from typing import Any


def plain(function: Any, made: dict[int, Any] | None = None) -> Any:
    """Return the function as Python runs it, and so all that it calls; itself where it was never compiled."""
    made = {} if made is None else made
    if id(function) in made or not hasattr(function, "py_func"):
        return made.get(id(function), function)
    source = function.py_func
    names, code = dict(source.__globals__), source.__code__
    cells = tuple(CellType(plain(cell.cell_contents, made)) for cell in source.__closure__ or ())
    made[id(function)] = FunctionType(code, names, source.__name__, source.__defaults__, cells)  # before what it calls, which may be itself
    names.update({name: plain(names[name], made) for name in code.co_names if name in names})
    return made[id(function)]
