"""Outputs on a disk that is full: all of it is written, or the command says that it is not."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.errors import LittlestoneError
from littlestone.files import beside, output, write_all

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


class Partial:
    """A file that takes three bytes at a time, as a raw one may, and is full after twenty."""

    def __init__(self):
        self.taken = b""

    def write(self, data):
        if len(self.taken) >= 20:
            raise OSError(28, "No space left on device")
        self.taken += bytes(data[:3])
        return len(data[:3])


def test_all_is_written_or_it_fails():
    file = Partial()
    write_all(file, b"twelve bytes")
    assert file.taken == b"twelve bytes"
    with pytest.raises(OSError, match="No space"):
        write_all(file, b"and more than it takes")
    with pytest.raises(BlockingIOError):
        write_all(type("Busy", (), {"write": lambda self, data: None})(), b"x")


def limited(size):
    """A process whose files may have so many bytes: a write beyond that takes a part."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "rows.libsvm").write_text("1 1:1\n-1 2:1\n" * 3_000)
    (folder / "votes.csv").write_text("truth,a,b\n" + "1,1,0\n0,0,1\n" * 3_000)
    command = [sys.executable, "-m", "littlestone", "run", "rows.libsvm", "--learner", "perceptron", "--model", "m.littlestone"]
    assert subprocess.run(command, cwd=folder, capture_output=True).returncode == 0
    return folder


CUT_SHORT = {
    "predictions of a run": "run rows.libsvm --learner perceptron --predictions cut.txt",
    "predictions of a rule": "experts votes.csv --predictions cut.txt",
    "standard output without a buffer": "predict m.littlestone rows.libsvm",
    "a converted file on standard output": "convert rows.libsvm - --to vw",
}


@pytest.mark.parametrize("command", CUT_SHORT.values(), ids=CUT_SHORT)
def test_a_disk_that_is_full_half_way_is_told_of(made, command):
    with (made / "out.txt").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-u", "-m", "littlestone", *command.split()],
            cwd=made, stdout=out, stderr=subprocess.PIPE, text=True, preexec_fn=limited(4_097),
        )  # fmt: skip
    assert done.returncode == 2 and "cannot be written" in done.stderr and "File too large" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@needs_full
@pytest.mark.parametrize(
    "command", ["predict m.littlestone rows.libsvm", "show m.littlestone", "run rows.libsvm --learner perceptron --json --quiet"]
)
def test_a_device_that_is_full_is_told_of(made, command):
    for unbuffered in ([], ["-u"]):
        with FULL.open("wb") as out:
            done = subprocess.run(
                [sys.executable, *unbuffered, "-m", "littlestone", *command.split()],
                cwd=made, stdout=out, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "No space left on device" in done.stderr, done.stderr


def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with beside(pipe) as file:
        file.write(b"so")
    assert os.read(reader, 9) == b"so" and pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
    os.close(reader)
    if FULL.exists():
        (tmp_path / "full").symlink_to(FULL)
        cannot = pytest.raises(LittlestoneError, match=r"full: cannot be written \(No space left on device\)")
        with cannot, output(str(tmp_path / "full")) as file:
            file.write(b"so")
        assert FULL.is_char_device()
