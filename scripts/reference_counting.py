"""Does compiled code count references in a loop? Asked by the tests of the contract."""

import re

LABEL = re.compile(r"^(\"?[-\w.$]+\"?):[ ]*(?:; preds = (.*))?$", re.MULTILINE)  # of a block, and of those from which it is reached


def counts_in_loops(kernel) -> bool:
    """Does what the kernel was compiled to count references again and again? That may halve its speed; `jit_lent` never does."""
    modules = [code.library._get_module_for_linking() for code in kernel.overloads.values()]
    functions = [function for module in modules for function in module.functions if not function.name.startswith("NRT_")]
    for text in map(str, functions):
        _, *parts = LABEL.split(text) if "@NRT_" in text or "atomicrmw" in text else [""]
        before = {name: (origins or "").replace("%", "").split(", ") for name, origins in zip(parts[::3], parts[1::3], strict=True)}
        for name, body in zip(parts[::3], parts[2::3], strict=True):
            reached: set[str] = set()
            waiting = [name] if "@NRT_" in body or "atomicrmw" in body else []
            while waiting:
                new = set(before.get(waiting.pop(), ())) - reached
                reached |= new
                waiting += new
            if name in reached:  # it comes again after itself
                return True
    return False
