"""The cache of compiled kernels: what is torn or another's is compiled again, and no folder is used that others may write in."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from littlestone.files import in_turn
from littlestone.kernels import compiled as compiler

SPOILED = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "garbage": lambda data: os.urandom(len(data)),
    "bit": lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:],
    "pickle": lambda data: b"cos\nsystem\n(S'false'\ntR.",
}
KERNEL = "from littlestone.kernels.compiler import jit\n"
KERNEL += "".join(f"@jit\ndef {name}(x):\n    return {k} + x\n" for k, name in enumerate(SPOILED))
WORK = """
import sys
sys.path.insert(0, ".")
import kernel
kernels = [kernel.cut, kernel.empty, kernel.garbage, kernel.bit, kernel.pickle]
print(sum(k(7) for k in kernels), sum(sum(k.stats.cache_hits.values()) for k in kernels))
"""


@pytest.fixture
def own(tmp_path):
    """A file with five small kernels, and a process that calls them: how many were found on disk."""
    (tmp_path / "kernel.py").write_text(KERNEL)

    def run(folder=tmp_path / "cache", code=tmp_path):
        kept = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
        environment = {**kept, "LITTLESTONE_CACHE_DIR": str(folder)}
        command = [sys.executable, "-W", "error", "-c", WORK]
        done = subprocess.run(command, cwd=code, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        answer, hits = done.stdout.split()
        assert answer == "45"
        return int(hits)

    return run


def files(folder, ending):
    return sorted(path for path in Path(folder).rglob(f"*.{ending}"))


def test_a_torn_or_foreign_cache_is_compiled_again(own, tmp_path):
    """Each of the kernels finds files that are spoiled in another way."""
    assert own() == 0 and own() == 5
    for ending in ("nbc", "nbi"):
        for path in files(tmp_path / "cache", ending):
            path.write_bytes(next(spoil for name, spoil in SPOILED.items() if f".{name}-" in path.name)(path.read_bytes()))
    assert own() == 0
    assert own() == 5, "it was not written anew"
    cut, bit = (next(path for path in files(tmp_path / "cache", "nbc") if name in path.name) for name in (".cut-", ".bit-"))
    cut.write_bytes(bit.read_bytes())  # whole, and of another kernel
    assert own() == 4


def test_what_the_files_say_counts_not_when_or_where_they_were_written(own, tmp_path):
    assert own() == 0
    os.utime(tmp_path / "kernel.py", (1, 1))
    assert own() == 5
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kernel.py").write_text(KERNEL)
    assert own(code=elsewhere) == 5
    (elsewhere / "kernel.py").write_text(KERNEL.replace("0 + x", "x"))
    assert own(code=elsewhere) == 0


def test_a_kernel_depends_on_what_its_file_imports_of_its_room(tmp_path, monkeypatch):
    """Directly or not; of a folder that is imported, on every file of it."""
    texts = {
        "a.py": "from littlestone.room.b import b\n",
        "b.py": "def b():\n    import littlestone.room.deep.c\n",
        "deep/__init__.py": "",
        "deep/c.py": "from littlestone.other.x import x\n",
        "d.py": "from littlestone.room.deep import c\n",
        "e.py": "",
    }
    monkeypatch.setattr(compiler, "PACKAGE", tmp_path / "littlestone")
    room = compiler.PACKAGE / "room"
    for name, text in texts.items():
        (room / name).parent.mkdir(parents=True, exist_ok=True)
        (room / name).write_text(text)
    depends = lambda name: {path.relative_to(room).as_posix() for path in compiler.imported_by(room / name, room)}  # noqa: E731
    assert depends("a.py") == {"a.py", "b.py", "deep/c.py"}
    assert depends("d.py") == {"d.py", "deep/__init__.py", "deep/c.py"}
    assert depends("e.py") == {"e.py"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a new process would keep its kernels, in such an environment."""
    monkeypatch.chdir(tmp_path)

    def chosen(**environment):
        for name in ("NUMBA_CACHE_DIR", "LITTLESTONE_CACHE_DIR", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"HOME": str(tmp_path / "home"), **environment}.items():
            monkeypatch.setenv(name, value)
        return compiler.cache_folder.__wrapped__()

    return chosen


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its own place")
def test_an_empty_or_relative_place_is_none(folder, tmp_path):
    for place in ("", "here"):
        assert folder(XDG_CACHE_HOME=place).parent == tmp_path / "home" / ".cache" / "littlestone"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
    assert folder(XDG_CACHE_HOME=str(tmp_path / "elsewhere")).parent == tmp_path / "elsewhere" / "littlestone"
    assert folder(LITTLESTONE_CACHE_DIR=str(tmp_path / "chosen")).parent == tmp_path / "chosen"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such modes")
def test_a_folder_is_made_for_its_user_alone_and_used_by_no_other(folder, tmp_path):
    chosen = str(tmp_path / "chosen")
    usual = os.umask(0)
    try:
        where = folder(LITTLESTONE_CACHE_DIR=chosen)
    finally:
        os.umask(usual)
    for made in (where, where.parent):
        assert made.stat().st_mode & 0o777 == 0o700
        made.chmod(0o770)
        assert folder(LITTLESTONE_CACHE_DIR=chosen) is None, "a folder that others may write in was used"
        made.chmod(0o755)
    where.parent.chmod(0o1777)  # as /tmp: others may write in it, and not move what is there
    assert folder(LITTLESTONE_CACHE_DIR=chosen) == where
    where.rename(where.with_name("real"))
    where.symlink_to(where.with_name("real"))
    assert folder(LITTLESTONE_CACHE_DIR=chosen) is None, "a link was followed"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such modes")
def test_the_usual_place_is_emptied_where_others_could_write_in_it(folder):
    where = folder()
    (where / "planted.nbc").write_bytes(b"code")
    where.parent.chmod(0o775)
    assert folder() == where
    assert not list(where.iterdir())
    assert where.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such modes")
def test_a_folder_of_another_user_is_not_used(folder, tmp_path, monkeypatch):
    assert folder() is not None
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert folder() is None


def test_a_place_that_cannot_be_written_means_no_cache(own, folder, tmp_path):
    (tmp_path / "file").write_text("")
    assert folder(LITTLESTONE_CACHE_DIR=str(tmp_path / "file" / "below")) is None
    assert own(tmp_path / "file" / "below") == 0


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such locks there")
def test_what_another_process_compiles_is_waited_for(own, tmp_path):
    assert own() == 0
    place = next(path for path in files(tmp_path / "cache", "nbc") if ".bit-" in path.name)
    code = place.read_bytes()
    place.unlink()
    with ThreadPoolExecutor() as pool:
        with in_turn(place.with_suffix(".lock"), 60):
            hits = pool.submit(own)
            sleep(3)  # by now it has come to the kernel that is missing, and waits
            place.write_bytes(code)
        assert hits.result() == 5
    assert not files(tmp_path / "cache", "lock")


def test_nobody_waits_for_ever_nor_where_nothing_can_be_written(tmp_path):
    turns = []
    with in_turn(tmp_path / "lock", 60), in_turn(tmp_path / "lock", 0.05):
        turns.append("late")
    with in_turn(tmp_path / "no" / "lock", 60):
        turns.append("alone")
    assert turns == ["late", "alone"]
