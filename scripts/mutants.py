"""`make mutants`: build the native core once more, with every fault of `scripts/faults.py` behind a switch.

The headers are copied to build/mutants, where each fault stands beside the text that it takes the place of. The module `_native_mutants`
has the learners and the rules, and `choose_mutant(number)`, by which they have that fault until another is chosen; 0 is none. What is built
is built again only where the sources or the faults have changed.
"""

import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import faults

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[1]
NATIVE, PLACE = ROOT / "native", ROOT / "build" / "mutants"
NAME = "_native_mutants"
PARTS = ("learners", "linear", "combinatorial", "classes", "rules")  # of native/bind

SWITCH = "// Which fault the core has; 0: none.\n#pragma once\nnamespace littlestone {\nextern int mutant;\n}\n"
MODULE = """// The learners and rules of the core, and the choice of their fault.
#include "bind/parts.h"
#include "mutant.h"

int littlestone::mutant = 0;

NB_MODULE(_native_mutants, module) {{
    nanobind::set_leak_warnings(false);
    module.def("choose_mutant", [](int number) {{ littlestone::mutant = number; }});
{parts}}}
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(mutants LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS *.cpp bind/*.cpp)
nanobind_add_module(_native_mutants FREE_THREADED NOMINSIZE NB_DOMAIN _native_mutants ${sources})
target_include_directories(_native_mutants PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
# A fault must not write beyond its arrays: every index of a column is looked at.
target_compile_definitions(_native_mutants PRIVATE LITTLESTONE_CHECKED)
if(MSVC)
  target_compile_options(_native_mutants PRIVATE /fp:precise)
else()
  target_compile_options(_native_mutants PRIVATE -O1 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi)
endif()
install(TARGETS _native_mutants LIBRARY DESTINATION .)
"""


class CannotBuild(Exception):
    """There is nothing here to build with, or nothing to build."""


# ---- the text: every fault beside what it takes the place of ----


def place_of(text: str, header: str, old: str) -> tuple[int, int]:
    """Return from where to where the marked part of a text stands in a header, or all of the text, where no part is marked.

    >>> place_of("a = b + c;", "x.h", "b + «c»")
    (8, 9)
    """
    before, _, rest = old.partition("«") if "«" in old else ("", "", old)
    marked, _, after = rest.partition("»")
    whole = before + marked + after
    found = text.count(whole)
    if found != 1:
        raise SystemExit(f"native/{header} has {whole!r} {found} times; a fault is made where it stands once: see scripts/faults.py")
    begin = text.index(whole) + len(before)
    return begin, begin + len(marked)


def switched(text: str, header: str, wanted: list[tuple[int, str, str]]) -> str:
    """Return a header with faults, each a number, what stands there, and what stands there instead, behind the switch.

    >>> print(switched("y = a + b;", "x.h", [(1, "a + b", "a - b"), (2, "y = a + b;", ";"), (3, "+ «b»", "c")]))
    if (littlestone::mutant == 2) { ; } else { y = (littlestone::mutant == 1 ? (a - b) : (a + (littlestone::mutant == 3 ? (c) : (b)))); }
    """
    at: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, old, new in wanted:
        at.setdefault(place_of(text, header, old), []).append((number, new))
    places = sorted(at, key=lambda place: (place[0], -place[1]))

    def rewritten(begin: int, end: int, inside: list[tuple[int, int]]) -> str:
        parts, done = [], begin
        while inside:
            (a, b), rest = inside[0], inside[1:]
            if b > end:
                raise SystemExit(f"native/{header}: the faults at {text[a:b]!r} overlap others: see scripts/faults.py")
            within = [place for place in rest if place[0] < b]
            parts += [text[done:a], choice(text[a:b], rewritten(a, b, within), at[a, b])]
            done, inside = b, rest[len(within) :]
        return "".join([*parts, text[done:end]])

    return rewritten(0, len(text), places)


def choice(old: str, sound: str, instead: list[tuple[int, str]]) -> str:
    """Return the code that is `sound` but where one of the faults is chosen."""
    for number, new in instead:
        chosen = f"littlestone::mutant == {number}"
        sound = f"if ({chosen}) {{ {new} }} else {{ {sound} }}" if old.endswith(";") else f"({chosen} ? ({new}) : ({sound}))"
    return sound


def sources() -> dict[str, str]:
    """Return the text of all files to be compiled, by name."""
    wanted: dict[str, list[tuple[int, str, str]]] = {}
    for number, fault in enumerate(faults.ALL, 1):
        changes = [(fault.old, fault.new)] if isinstance(fault.old, str) else zip(fault.old, fault.new, strict=True)
        wanted.setdefault(fault.header, []).extend((number, old, str(new)) for old, new in changes)
    made = {"mutant.h": SWITCH, "CMakeLists.txt": CMAKE}
    made["module.cpp"] = MODULE.format(parts="".join(f"    littlestone::bind::define_{part}(module);\n" for part in PARTS))
    for path in [*NATIVE.rglob("*.h"), *(NATIVE / "bind" / f"{part}.cpp" for part in PARTS)]:
        name = path.relative_to(NATIVE).as_posix()
        made[name] = path.read_text("utf-8")
        if name in wanted:
            made[name] = '#include "mutant.h"\n' + switched(made[name], name, wanted.pop(name))
    if wanted:
        raise SystemExit(f"native/ has no {', '.join(wanted)}: see scripts/faults.py")
    return made


# ---- the build ----


def build() -> Path:
    """Build the module, unless it is built of just these sources; return where it is."""
    if not NATIVE.is_dir():
        raise CannotBuild("the sources of the native core are not here")
    made = sources()
    told = hashlib.sha256("\0".join([sys.version, os.environ.get("CXX", ""), *map("\0".join, sorted(made.items()))]).encode()).hexdigest()
    record, module = PLACE / "digest.txt", PLACE / f"{NAME}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    PLACE.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(PLACE / "lock"):
        if not (module.exists() and record.exists() and record.read_text("utf-8") == told):
            record.unlink(missing_ok=True)
            write(PLACE / "source", made)
            compile_all()
            record.write_text(told, "utf-8")
    return module


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Wait until no other process builds, where the system has locks that end with a process."""
    with lock.open("wb") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write(folder: Path, made: dict[str, str]) -> None:
    """Bring the files of a folder up to date; those that stay as they are keep their time, and are not compiled again."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def compile_all() -> None:
    """Compile what changed, with the compiler that the core itself is built with."""
    before = os.environ.copy()
    try:
        compile_with(build_backend())
    finally:
        os.environ.clear()
        os.environ.update(before)


def compile_with(backend: Any) -> None:
    try:
        backend.prepare()
        cmake, ninja = backend.program("cmake"), backend.program("ninja")
    except SystemExit as reason:
        raise CannotBuild(str(reason)) from None
    basis = [] if sys.platform == "win32" else ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    basis += [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=None", *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    folder, compiler = PLACE / "build", PLACE / "compiler.txt"
    if compiler.exists() and compiler.read_text("utf-8") != os.environ.get("CXX", ""):
        shutil.rmtree(folder, ignore_errors=True)  # CMake remembers it
    compiler.write_text(os.environ.get("CXX", ""), "utf-8")
    run(cmake, "-S", PLACE / "source", "-B", folder, *basis)
    run(cmake, "--build", folder)
    run(cmake, "--install", folder, "--prefix", PLACE)


def build_backend() -> Any:
    """Return packaging/native_backend.py as a module."""
    spec = importlib.util.spec_from_file_location("native_backend", ROOT / "packaging" / "native_backend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*command: object) -> None:
    """Run a tool; what it printed is shown only where it failed."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}the core with faults was not built: {Path(str(command[0])).name} failed, as told above")


# ---- learners and rules that have a fault ----


@cache
def module() -> Any:
    """Return the built module."""
    spec = importlib.util.spec_from_file_location(NAME, build())
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def choose(fault: faults.Fault | None) -> None:
    """Let learners and rules of the module have this fault from now on."""
    module().choose_mutant(0 if fault is None else faults.ALL.index(fault) + 1)


def played_by_mutants(made: Any) -> Any:
    """Return the same learner, learner of several classes, or rule, played by the class of its name in the module with faults."""
    if isinstance(made, type) and made.__module__.rpartition(".")[2] in ("_native", "_native_avx2"):
        return getattr(module(), made.__name__)
    if isinstance(made, partial):
        words = {name: played_by_mutants(value) for name, value in made.keywords.items()}
        return partial(made.func, *map(played_by_mutants, made.args), **words)
    if is_dataclass(made) and not isinstance(made, type):
        parts = {field.name for field in fields(made)} & {"algorithm", "native", "engine"}
        return replace(made, **{name: played_by_mutants(getattr(made, name)) for name in parts})
    return made


if __name__ == "__main__":
    try:
        build()
    except CannotBuild as reason:
        sys.exit(str(reason))
