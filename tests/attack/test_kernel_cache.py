"""The cache of compiled kernels: what is torn or another's is compiled again, and no folder is used that others may write in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.kernels import compiler

SPOILED = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "garbage": lambda data: os.urandom(len(data)),
    "bit": lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:],
    "pickle": lambda data: b"cos\nsystem\n(S'false'\ntR.",
}
KERNEL = "from littlestone.kernels.compiler import cache_folder, jit\n"
KERNEL += "".join(f"@jit\ndef {name}(x):\n    return {k} + x\n" for k, name in enumerate(SPOILED))
WORK = """
import sys
sys.path.insert(0, ".")
import kernel
kernels = [kernel.cut, kernel.empty, kernel.garbage, kernel.bit, kernel.pickle]
print(sum(k(7) for k in kernels), sum(sum(k.stats.cache_hits.values()) for k in kernels), kernel.cache_folder())
"""


@pytest.fixture
def own(tmp_path):
    """A file with five small kernels, and a process that calls them: what they give, how many were found on disk, and where."""
    (tmp_path / "kernel.py").write_text(KERNEL)

    def run(folder=None, **environment):
        home = {"LITTLESTONE_CACHE_DIR": str(tmp_path / "cache" if folder is None else folder)}
        kept = {
            key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "LITTLESTONE_CACHE_DIR", "XDG_CACHE_HOME")
        }
        command = [sys.executable, "-W", "error", "-c", WORK]
        done = subprocess.run(command, cwd=tmp_path, env={**kept, **(environment or home)}, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        answer, hits, where = done.stdout.split()
        assert answer == "45"
        return int(hits), where

    return run


def files(folder, ending):
    return sorted(path for path in Path(folder).rglob(f"*.{ending}"))


def test_a_torn_or_foreign_cache_is_compiled_again(own, tmp_path):
    """Each of the kernels finds files that are spoiled in another way."""
    assert own()[0] == 0 and own()[0] == 5
    for ending in ("nbc", "nbi"):
        for path in files(tmp_path / "cache", ending):
            path.write_bytes(next(spoil for name, spoil in SPOILED.items() if f".{name}-" in path.name)(path.read_bytes()))
    assert own()[0] == 0
    assert own()[0] == 5, "it was not written anew"
    cut, bit = (next(path for path in files(tmp_path / "cache", "nbc") if name in path.name) for name in (".cut-", ".bit-"))
    cut.write_bytes(bit.read_bytes())  # whole, and of another kernel
    assert own()[0] == 4


def test_an_empty_or_relative_place_is_none(own, tmp_path):
    for place in ("", "here"):
        _, where = own(XDG_CACHE_HOME=place, HOME=str(tmp_path / "home"))
        assert Path(where).is_relative_to(tmp_path / "home" / ".cache" / "littlestone")
        assert not (tmp_path / "here").exists() and not files(tmp_path / "littlestone", "nbi")
    _, where = own(XDG_CACHE_HOME=str(tmp_path / "elsewhere"), HOME=str(tmp_path / "home"))
    assert Path(where).is_relative_to(tmp_path / "elsewhere" / "littlestone")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such modes")
def test_a_folder_is_made_for_its_user_alone_and_used_by_no_other(own, tmp_path):
    usual = os.umask(0)
    try:
        _, where = own()
    finally:
        os.umask(usual)
    for folder in (Path(where), Path(where).parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    for lax in (Path(where), Path(where).parent):
        lax.chmod(0o770)
        assert own() == (0, "None"), "a folder that others may write in was used"
        lax.chmod(0o700)
    assert own() == (5, where)


def test_a_folder_of_another_user_or_a_link_is_not_private(tmp_path, monkeypatch):
    assert compiler.is_private(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    owner = tmp_path.stat().st_uid
    assert not compiler.is_private(tmp_path / "link")
    if hasattr(os, "getuid"):
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
        assert not compiler.is_private(tmp_path)


def test_a_place_that_cannot_be_written_means_no_cache(own, tmp_path):
    (tmp_path / "file").write_text("")
    assert own(tmp_path / "file" / "below") == (0, "None")
