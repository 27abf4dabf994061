"""Devices, pipes and huge files where a model, a certificate or a table is expected: refused at once, in little memory."""

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.files import bytes_in

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names, no devices")
DEVICES = [path for path in ("/dev/zero", "/dev/full") if Path(path).exists()]
MEMORY, SECONDS = 8 * 2**30, 60  # of address space, most of which is never used
HUGE = 2**40  # bytes of a file that has none on the disk


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "rows.libsvm").write_text("1 1:1\n-1 2:1\n" * 30)
    run = ls.play(ls.perceptron(), ls.open_stream(str(folder / "rows.libsvm")))
    run.model.save(folder / "m.littlestone")
    ls.certify(run, ls.open_stream(str(folder / "rows.libsvm"))).save(folder / "c.json")
    os.mkfifo(folder / "pipe")
    for name, begins in {"huge": b"", "huge.zip": b"PK\x03\x04"}.items():
        (folder / name).write_bytes(begins)
        os.truncate(folder / name, HUGE)
    return folder


def refusal(folder, *arguments):
    """What a command says that ends with exit code 2, in little time and memory."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # noqa: E731
    command = [sys.executable, "-m", "littlestone", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


RUN = ("run", "rows.libsvm", "--learner", "perceptron", "--quiet")


@pytest.mark.parametrize("path", [*DEVICES, "pipe"])
def test_a_model_is_not_saved_over_a_device_or_a_pipe(folder, path):
    said = refusal(folder, *RUN, "--model", path)
    assert said == f"littlestone: --model {path}: is a pipe or a device; expected a model file to replace, or a name that is free\n"


@pytest.mark.parametrize("path", ["huge", "huge.zip"])
def test_a_huge_file_named_by_mistake_is_no_model_to_save_over(folder, path):
    said = refusal(folder, *RUN, "--model", path)
    assert said.startswith(f"littlestone: --model {path} would overwrite a file that is no sound model: {path}: is no littlestone model")
    assert (folder / path).stat().st_size == HUGE


@pytest.mark.parametrize("path", [*DEVICES, "huge", "huge.zip"])
def test_every_reader_refuses_what_it_cannot_be(folder, path):
    for read in (ls.load, lambda path: ls.verify(path, [{"a": 1}], [1])):
        with pytest.raises(LittlestoneError, match="is a device|is no littlestone model|is not JSON"):
            read(path if path.startswith("/") else str(folder / path))


def test_commands_refuse_devices_by_name(folder):
    for arguments in (("verify", "/dev/zero", "rows.libsvm"), ("predict", "/dev/zero", "rows.libsvm"), ("dimension", "/dev/zero")):
        assert "/dev/zero: is a device; expected a" in refusal(folder, *arguments), arguments
    assert "can be read only once" in refusal(folder, "experts", "/dev/zero")
    for arguments in (("run", "/dev/zero", "--format", "libsvm", "--learner", "perceptron"), ("verify", "c.json", "/dev/zero")):
        assert "begins with a zero byte; expected rows" in refusal(folder, *arguments), arguments


@pytest.mark.parametrize("format", ["libsvm", "vw", "text"])
def test_a_pipe_without_an_end_of_line_is_bounded(folder, format):
    command = f"(printf 1; cat /dev/zero) | '{sys.executable}' -m littlestone run - --format {format} --learner perceptron --quiet"
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # noqa: E731
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit)
    assert done.stderr == "littlestone: standard input: a line of more than 268435456 bytes; expected lines of text\n", done.stderr


def test_a_model_and_a_certificate_come_through_a_pipe(folder):
    """As `predict <(zcat m.gz) rows` hands a model over."""
    for name in ("m.littlestone", "c.json"):
        data = (folder / name).read_bytes()
        writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(data,), daemon=True)
        writer.start()
        if name == "c.json":
            assert ls.verify(folder / "pipe", ls.open_stream(str(folder / "rows.libsvm"))).status == "verified"
        else:
            assert ls.load(folder / "pipe").rounds == 60
        writer.join(SECONDS)
        assert not writer.is_alive()


def test_what_comes_through_a_pipe_is_bounded(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for begins, most in ((b"{", 2**21), (b"[", 2**30)):  # the second is known from its first byte
        read, write = os.pipe()
        path = f"/dev/fd/{read}" if Path(f"/dev/fd/{read}").exists() else None
        if path is None:
            pytest.skip("no names of open pipes")

        def endless(write=write, begins=begins):
            try:
                os.write(write, begins)
                while True:
                    os.write(write, b"1," * 2**15)
            except BrokenPipeError:
                os.close(write)

        writer = threading.Thread(target=endless, daemon=True)
        writer.start()
        if begins == b"{":
            with pytest.raises(LittlestoneError, match="has more than 2,097,152 bytes; expected JSON"):
                bytes_in(path, most, "JSON", b"{")
        else:
            assert len(bytes_in(path, most, "JSON", b"{")) <= 2**20
        os.close(read)
        writer.join(SECONDS)
        assert not writer.is_alive()


def test_members_may_not_be_larger_than_the_file(folder):
    """Members that lie over each other unpack to more than there is."""
    data = bytearray((folder / "m.littlestone").read_bytes())
    place = data.index(b"PK\x01\x02")
    for at in (20, 24):  # the two sizes of the first member, in the list at the end of the file
        data[place + at : place + at + 4] = (2**31).to_bytes(4, "little")
    (folder / "large").write_bytes(data)
    with pytest.raises(LittlestoneError, match="has members that are larger than the file"):
        ls.load(folder / "large")


def test_an_output_that_is_a_pipe_is_not_opened_beforehand(folder):
    """To open it and close it again would tell whoever reads it that all is written."""
    texts = []
    reader = threading.Thread(target=lambda: texts.append((folder / "pipe").read_text()), daemon=True)
    reader.start()
    command = [sys.executable, "-m", "littlestone", *RUN, "--certificate", "pipe"]
    assert subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS).returncode == 0
    reader.join(SECONDS)
    assert json.loads(texts[0])["about"] == "stream"
