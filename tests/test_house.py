"""The house itself: what holds of the tree of files, whatever they do. Layers are those of pyproject.toml."""

import ast
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "littlestone"
FILES = sorted(SRC.rglob("*.py"))

#: Each file of an algorithm has its own, and they are only ever seen as `learner.params` and `run.state`.
OF_EVERY_LEARNER = {"Params", "State"}


def name_of(path):
    """`littlestone.games.oracles`, of its file."""
    parts = ("littlestone", *path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path):
    return name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]


MODULES = {name_of(path): path for path in FILES}


@cache
def tree(path):
    return ast.parse(path.read_text("utf-8"))


@cache
def heights():
    """How high each room stands: the errors at 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {room.strip(): height for height, layer in enumerate(reversed(layers)) for room in re.split("[|:]", layer)}


def room_of(module):
    """The room that a module of the package stands in; None of the package's own files."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in heights() else None


def imported(node):
    """The modules of the package that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in MODULES]
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "littlestone":
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if name in MODULES else node.module for name in names]
    return []


def inside_functions(path):
    """The import statements that run when a function is called, not when the file is imported."""
    functions = (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node for function in functions for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)}


@cache
def at_import(module):
    """What a module imports as it is imported itself."""
    path = MODULES[module]
    local = inside_functions(path)
    only_typed = {node for test in ast.walk(tree(path)) if is_type_checking(test) for node in ast.walk(test)}
    return {name for node in ast.walk(tree(path)) if node not in local and node not in only_typed for name in imported(node)}


def is_type_checking(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def reaches(start, goal):
    """Does importing one module import the other?"""
    seen, left = {start}, [start]
    while left:
        module = left.pop()
        if module == goal:
            return True
        new = at_import(module) - seen
        seen |= new
        left += new
    return False


def cases(pattern):
    """A case for each file whose text has the pattern: files are parsed in tests, since every worker collects all of them."""
    return [pytest.param(path, id=name_of(path)) for path in FILES if re.search(pattern, path.read_text("utf-8"), re.MULTILINE)]


def test_no_two_public_classes_share_a_name():
    homes = defaultdict(list)
    for path in FILES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in OF_EVERY_LEARNER:
                homes[node.name].append(name_of(path))
    twice = {name: where for name, where in homes.items() if len(where) > 1}
    assert twice == {}


def modules_imported_by_name(path):
    """The text, as far as it is written there, of what `import_module` is given."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            yield ast.unparse(node.args[0])


#: A catalogue's own folder: the package that the file says, or that it was made for.
OWN_FOLDER = ("f'{__name__}.", "f'{self.package}.", "f'{here}.")


@pytest.mark.parametrize("path", cases("import_module"))
def test_no_import_is_hidden_from_the_linter(path):
    """A catalogue walks its own folder; a user's file may be anywhere; the package's `__init__` knows every room."""
    if path == SRC / "__init__.py":
        return
    own = (*OWN_FOLDER, f"f'{package_of(path)}.")
    hidden = [text for text in modules_imported_by_name(path) if not text.startswith(own)]
    assert [text for text in hidden if room_of(name_of(path)) != "cli" or "littlestone" in text] == []


def dodged(module):
    """Imports inside functions of what stands as high or higher, and imports this module in turn: a cycle that waits for the call."""
    mine = room_of(module)
    if mine is None or mine == "cli":  # the command line imports when a command runs, so that help is quick
        return []
    targets = {name for node in inside_functions(MODULES[module]) for name in imported(node)}
    level = {name for name in targets if room_of(name) is None or heights()[room_of(name)] >= heights()[mine]}
    return sorted(name for name in level if reaches(name, module) or (room_of(name) and heights()[room_of(name)] > heights()[mine]))


@pytest.mark.parametrize("path", cases(r"^\s+(from|import) "))
def test_no_import_inside_a_function_dodges_a_cycle(path):
    assert dodged(name_of(path)) == []


#: They say when a value arrived, or who said it, and not what it is; `one` may stand beside `zero`.
SAYS_NOTHING = {"found", "said", "given", "told", "one"}
#: What must keep its name: `error.found` and whoever fills it; arrays of states, which model files name; a 1 in an array of numbers.
MUST = {
    "found": {"errors", "rounds.faults", "streams.label_codes"},
    "told": {"learners.binary.apple_tasting", "learners.binary.memorizer", "learners.multiclass.banditron"},
    "one": {
        "concepts.version_spaces", "learners.binary.balanced_winnow", "learners.binary.naive_bayes",
        "learners.reductions._forecast", "reference.balanced_winnow",
    },
    "given": {"streams.stream"},
}  # fmt: skip


def local_names(function):
    """What a function calls its arguments and its own values."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_locals_say_what_they_are():
    nameless = []
    for path in FILES:
        module = name_of(path).removeprefix("littlestone.")
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.Lambda):
                names = set(local_names(node))
                odd = names & SAYS_NOTHING - ({"one"} if "zero" in names else set())
                nameless += [(module, node.lineno, name) for name in sorted(odd) if module not in MUST.get(name, ())]
    assert nameless == []


def test_there_are_at_most_twelve_layers():
    assert len(set(heights().values())) <= 12


def test_nobody_imports_the_command_line():
    users = {name_of(path) for path in FILES for node in ast.walk(tree(path)) for name in imported(node) if room_of(name) == "cli"}
    assert {name for name in users if room_of(name) != "cli"} == {"littlestone.__main__"}


LONG, MANY = 90, 20


def test_functions_are_short_and_what_belongs_together_is_one_value():
    functions = [
        (name_of(path).removeprefix("littlestone."), node)
        for path in FILES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
    ]
    long = [(module, node.name) for module, node in functions if node.end_lineno - node.lineno + 1 >= LONG]
    wide = {(module, node.name) for module, node in functions if len(node.args.posonlyargs) + len(node.args.args) >= MANY}
    assert (long, wide) == ([], set())


def users_in_native(words):
    """The native files in which one of these words stands."""
    return {path.name for path in (ROOT / "native").rglob("*.h") if re.search(words, path.read_text("utf-8"))}


def test_memory_is_asked_ahead_in_one_way_that_every_compiler_knows():
    assert users_in_native(r"__builtin_prefetch") == {"prefetch.h"}


def test_predictions_need_no_exponential_of_the_systems():
    """It is not the same on every machine: what is made of it may only be counted."""
    counted = {"second_order.h", "score_bins.h"}  # a potential that a bound is made of, and the log-loss
    assert users_in_native(r"std::(exp|expm1|exp2|log|log1p|log2|log10|pow|sinh|cosh|tanh|cbrt|hypot)\b") == counted
