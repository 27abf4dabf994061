"""How the native core is built, installed for editing, and refused where it is not the one of the sources beside it."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import fresh
import native_backend
from littlestone.kernels import native
from littlestone.kernels.sources import digest_of

ROOT = Path(__file__).parents[1]


def program(folder, name, code):
    """A stand-in for a compiler, which exits with a code."""
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    """The choice of a compiler where the path is one empty folder."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CXX", "LITTLESTONE_ZIG_TARGET"):
        monkeypatch.delenv(name, raising=False)
    return native_backend.chosen_compiler.__wrapped__


linux = pytest.mark.skipif(sys.platform != "linux", reason="CMake chooses the compiler elsewhere")


@linux
def test_without_a_compiler_the_package_index_brings_one(chosen, monkeypatch):
    assert chosen() == "zig"
    monkeypatch.setattr(native_backend, "chosen_compiler", chosen)
    assert [name.partition(">")[0] for name in native_backend.requirements()] == ["ziglang"]


@linux
def test_the_first_compiler_that_knows_the_language_is_chosen(chosen, monkeypatch, tmp_path):
    program(tmp_path, "c++", 1)
    assert chosen() == "zig"
    good = program(tmp_path, "clang++", 0)
    assert chosen() == good
    monkeypatch.setattr(native_backend, "chosen_compiler", chosen)
    assert native_backend.requirements() == []


@linux
def test_a_compiler_that_was_named_is_taken_or_refused(chosen, monkeypatch, tmp_path):
    program(tmp_path, "c++", 0)
    monkeypatch.setenv("CXX", f"{program(tmp_path, 'own', 0)} -v")
    assert chosen() == f"{tmp_path / 'own'} -v"
    for strange in (program(tmp_path, "old", 1), str(tmp_path / "missing")):
        monkeypatch.setenv("CXX", strange)
        with pytest.raises(SystemExit, match=f"CXX={re.escape(strange)}: does not build a C\\+\\+20 program"):
            chosen()
    monkeypatch.setenv("CXX", "zig")
    assert chosen() == "zig"


@linux
def test_a_fresh_clone_can_be_made_to_find_no_compiler(monkeypatch, tmp_path):
    place = tmp_path / "programs"
    place.mkdir()
    compilers = ("c++", "g++-12", "x86_64-linux-gnu-g++-12", "clang++", "cc", "cmake", "ninja")
    others = ("make", "git", "c++filt", "occ")
    for name in (*compilers, *others):
        program(place, name, 0)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{tmp_path / 'missing'}")
    folder = fresh.programs_without_compilers(tmp_path / "links")
    assert {path.name for path in folder.iterdir()} == {*others}


def test_an_editable_wheel_is_metadata_and_a_path(monkeypatch, tmp_path):
    pytest.importorskip("scikit_build_core")
    monkeypatch.chdir(ROOT)
    built = []
    monkeypatch.setattr(native_backend, "build_in_place", built.append)
    name = native_backend.build_editable(str(tmp_path), {"cmake.define.LITTLESTONE_WARNINGS": "ON", "other": "1"})
    assert built == [{"LITTLESTONE_WARNINGS": "ON"}] and name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(tmp_path / name) as wheel:
        outside = [file for file in wheel.namelist() if ".dist-info/" not in file]
        assert outside == ["littlestone.pth"] and wheel.read("littlestone.pth").decode() == f"{ROOT / 'src'}\n"
        (record,) = (file for file in wheel.namelist() if file.endswith("/RECORD"))
        assert [line.partition(",")[0] for line in wheel.read(record).decode().splitlines()] == wheel.namelist()
        assert any(file.endswith("/entry_points.txt") for file in wheel.namelist())


def started(folder, **environment):
    """Import the core in a process of its own, from a copy of the package; return the last line of what it says."""
    code = "from littlestone.kernels import native; print(native.described())"
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "LITTLESTONE_NATIVE": ""} | environment
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment)
    return (done.stdout or done.stderr).splitlines()[-1]


@pytest.fixture
def copy(tmp_path):
    """As much of the package as imports the core, with the sources of the core beside it."""
    package = ROOT / "src" / "littlestone"
    kernels = tmp_path / "src" / "littlestone" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").touch()
    for name in ("__init__.py", "native.py", "sources.py"):
        (kernels / name).write_bytes((package / "kernels" / name).read_bytes())
    built = native.MODULES if native.core.__name__.endswith("avx2") else native.MODULES[:1]
    for module in (native.LOADERS[name]().__file__ for name in built):
        (kernels.parent / Path(module).name).symlink_to(module)
    for path in (ROOT / "native").rglob("*.*"):
        place = tmp_path / "native" / path.relative_to(ROOT / "native")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    return tmp_path


def test_a_core_of_other_sources_is_refused(copy):
    assert started(copy) == native.described()
    header = next((copy / "native").rglob("*.h"))
    header.write_text(header.read_text("utf-8") + "\n", "utf-8")
    expected = "ImportError: littlestone's native core was built from other sources than those in native/: run `make build`"
    assert started(copy) == expected


def test_a_core_that_is_missing_or_damaged_is_refused(copy):
    modules = [path for path in (copy / "src" / "littlestone").iterdir() if path.suffix in (".so", ".pyd")]
    assert modules
    for path in modules:
        path.unlink()
    advice = "install the package, or run `make build` in a checkout"
    assert started(copy) == f"ImportError: littlestone's native core is not built: {advice}"
    for path in modules:
        path.write_bytes(b"no module")
    assert re.fullmatch(rf"ImportError: littlestone's native core cannot be loaded \(.+\): {advice}", started(copy))


def test_only_a_module_that_exists_can_be_named(copy):
    said = started(copy, LITTLESTONE_NATIVE="_native_sse")
    assert said == "ImportError: LITTLESTONE_NATIVE='_native_sse': expected _native or _native_avx2"
    assert started(copy, LITTLESTONE_NATIVE="_native").startswith("native core _native, built by ")


def test_the_digest_is_over_names_and_contents(tmp_path):
    (tmp_path / "a.h").write_text("one")
    first = digest_of(tmp_path)
    (tmp_path / "notes.txt").write_text("not compiled")
    assert digest_of(tmp_path) == first
    (tmp_path / "a.h").rename(tmp_path / "b.h")
    renamed = digest_of(tmp_path)
    (tmp_path / "b.h").write_text("two")
    assert len({first, renamed, digest_of(tmp_path)}) == 3


PLAYED = """
import hashlib
import numpy as np
import littlestone as ls
rng = np.random.default_rng(3)
size = (300, 129)
x = np.where(rng.random(size) < 0.3, rng.standard_normal(size) * 10.0 ** rng.integers(-30, 15, size), 0).astype(np.float32)
y = rng.integers(0, 2, 300)
for learner, rows in ((ls.perceptron(bias=1), x), (ls.perceptron(averaged=True), x), (ls.winnow(n=129), x > 0)):
    run = ls.play(learner, rows, y)
    arrays = [run.predictions, *(part for part in run.state if isinstance(part, np.ndarray))]
    print(learner.name, run.mistakes, *(hashlib.sha256(np.ascontiguousarray(array)).hexdigest() for array in arrays))
"""


def test_both_modules_give_the_same_bits():
    if not native.core.__name__.endswith("avx2"):
        pytest.skip("this processor has no AVX2, or no module was built for it")
    played = [
        subprocess.run(
            [sys.executable, "-c", PLAYED], capture_output=True, text=True, check=True, env=os.environ | {"LITTLESTONE_NATIVE": name}
        )
        for name in native.MODULES
    ]
    assert played[0].stdout == played[1].stdout and played[0].stdout.count("\n") == 3
