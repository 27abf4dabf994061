"""Kernels in plain Python, with all that they call: where an index out of place is an error."""

from types import CellType, FunctionType
from typing import Any

from littlestone.kernels import compiler, interpreted

HELPERS = {
    id(value): getattr(interpreted, name) for name, value in vars(compiler).items() if callable(value) and hasattr(interpreted, name)
}


def plain(kernel: Any, made: dict[int, Any] | None = None) -> Any:
    """The kernel as Python runs it, and so all that it calls; what works on eight numbers at once looks at its places, as numpy does."""
    made = HELPERS.copy() if made is None else made
    if id(kernel) in made or not hasattr(kernel, "py_func"):
        return made.get(id(kernel), kernel)
    function = kernel.py_func
    names, code = dict(function.__globals__), function.__code__
    cells = tuple(CellType(plain(cell.cell_contents, made)) for cell in function.__closure__ or ())
    copied = FunctionType(code, names, function.__name__, function.__defaults__, cells)
    made[id(kernel)] = interpreted.jit(copied)  # before what it calls, which may be itself
    names.update({name: plain(names[name], made) for name in code.co_names if name in names})
    return made[id(kernel)]
