"""Pipes by name are read as standard input is; closed standard streams and readers that stop reading are told apart from errors."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.cli.standard_streams import broken_pipes
from littlestone.errors import LittlestoneError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
SECONDS = 60
LEARNER = ("--learner", "perceptron", "--quiet")
FORMATS = ("a.libsvm", "a.libsvm.gz", "a.vw", "a.csv", "a.jsonl", "a.parquet", "a.arrow")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("a.libsvm").open("w") as file:
        file.writelines(f"{k * 7919 % 3 == 0:d} {1 + k % 5}:1 {6 + k * k % 11}:{1 + k % 4}\n" for k in range(900))
    os.mkfifo("pipe")
    return tmp_path


def through_pipe(path, pipe="pipe"):
    """Start to write a file into a named pipe; whoever reads it gets all of it, once."""

    def write():
        with Path(path).open("rb") as file, Path(pipe).open("wb") as out:
            out.write(file.read())

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("name", FORMATS)
def test_a_named_pipe_is_read_as_a_file_of_its_format_is(rows, littlestone, name):
    if name != "a.libsvm":
        assert littlestone("convert", "a.libsvm", name, "--quiet").returncode == 0
    of_file = json.loads(littlestone("run", name, *LEARNER, "--json", "--certificate", "c.json").stdout)
    writer = through_pipe(name)
    done = littlestone("run", "pipe", *LEARNER, "--json", "--model", "m.littlestone")
    writer.join(SECONDS)
    assert done.returncode == 0, done.stderr
    of_pipe = json.loads(done.stdout)
    assert all(of_pipe[key] == of_file[key] for key in ("rounds", "mistakes"))
    writer = through_pipe(name)
    done = littlestone("verify", "c.json", "pipe", "--json")
    writer.join(SECONDS)
    assert done.returncode == 0 and json.loads(done.stdout)["verified"] is True, done.stderr
    writer = through_pipe(name)
    done = littlestone("predict", "m.littlestone", "pipe", "--quiet")
    writer.join(SECONDS)
    assert done.stdout == littlestone("predict", "m.littlestone", name, "--quiet").stdout and done.stdout.count("\n") == 900


def test_what_the_shell_calls_a_pipe_is_read_as_standard_input_is(rows):
    littlestone = f"'{sys.executable}' -m littlestone run {{}} --learner perceptron --json --quiet"
    ways = ["cat a.libsvm | " + littlestone.format("-"), "cat a.libsvm | " + littlestone.format("/dev/stdin")]
    ways.append(littlestone.format("<(cat a.libsvm)"))
    done = [subprocess.run(["bash", "-c", way], capture_output=True, text=True, timeout=SECONDS) for way in ways]
    assert [each.stderr for each in done] == [""] * 3
    results = [json.loads(each.stdout) for each in done]
    counts = [{name: result[name] for name in ("rounds", "mistakes", "metrics")} for result in results]
    assert counts[0]["rounds"] == 900 and counts[0] == counts[1] == counts[2]


def test_several_pipes_and_files_come_one_after_the_other(rows):
    os.mkfifo("second")
    writers = [through_pipe("a.libsvm"), through_pipe("a.libsvm", "second")]
    run = ls.play(ls.perceptron(), ls.open_stream("a.libsvm", "pipe", "second"))
    assert run.rounds == 2700 and run.mistakes == ls.play(ls.perceptron(), ls.open_stream(*["a.libsvm"] * 3)).mistakes
    for writer in writers:
        writer.join(SECONDS)


def test_a_pipe_is_not_read_twice(rows, littlestone):
    """Whoever waits for a pipe to be written again waits for good."""
    vote = "truth,a,b\n1,1,0\n0,0,1\n"
    (rows / "votes.csv").write_text(vote)
    cases = {
        ("run", "pipe", "pipe", *LEARNER): "pipe can be read only once; expected 'pipe' once",
        ("run", "pipe", *LEARNER, "--passes", "2"): "--passes 2: a pipe can be read only once; expected files",
        ("experts", "pipe"): "a table of experts is read more than once; expected a file, and pipe can be read only once",
        ("run", "pipe", *LEARNER, "--follow"): "pipe: only a plain file can be followed as it grows",
    }
    for arguments, expected in cases.items():
        writer = through_pipe("a.libsvm")
        done = littlestone(*arguments)
        assert (done.returncode, done.stderr) == (2, f"littlestone: {expected}\n"), arguments
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)  # where no command has opened it
        writer.join(SECONDS)
        os.close(reader)
        assert not writer.is_alive()
    writer = through_pipe("a.libsvm")
    stream = ls.open_stream("pipe")
    assert ls.play(ls.perceptron(), stream).rounds == 900
    with pytest.raises(LittlestoneError, match="pipe has been read already, and can be read only once"):
        ls.play(ls.perceptron(), stream)
    ls.certify(ls.play(ls.perceptron(), ls.open_stream("a.libsvm"), passes=2), ls.open_stream("a.libsvm")).save("two.json")
    done = littlestone("verify", "two.json", "pipe")
    assert (done.returncode, done.stderr) == (
        2,
        "littlestone: pipe can be read only once, and the certificate is of 2 passes over the stream; expected a file\n",
    )


COMMANDS = {
    "run of a file": ("run", "a.libsvm", *LEARNER),
    "run of standard input": ("run", "-", *LEARNER),
    "convert": ("convert", "a.libsvm", "-", "--to", "vw"),
    "learners": ("learners",),
    "help": ("--help",),
    "version": ("--version",),
}


def started(arguments, **how):
    command = [sys.executable, "-m", "littlestone", *arguments]
    return subprocess.run(command, text=True, timeout=SECONDS, **how)


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_closed_output_is_told_of(rows, arguments):
    with Path("a.libsvm").open() as stream:
        done = started(arguments, stdin=stream, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    expected = "littlestone: standard output is closed; expected a terminal, a file or a pipe to print to\n"
    assert (done.returncode, done.stderr) == (2, expected)


def test_a_closed_input_is_told_of_where_it_is_read(rows):
    closed = {"preexec_fn": lambda: os.close(0), "capture_output": True}
    expected = "littlestone: standard input is closed; expected something to read there, or the name of a file\n"
    for arguments in (COMMANDS["run of standard input"], ("dimension", "-")):
        done = started(arguments, **closed)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", expected), arguments
    done = started((*COMMANDS["run of a file"], "--predictions", "p.txt"), **closed)
    assert done.returncode == 0 and (rows / "p.txt").read_text().count("\n") == 900  # no output has taken the place of standard input
    done = started((*COMMANDS["run of a file"], "--predictions", "p.txt"), stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0 and "mistakes in 900 rounds" in done.stdout


def gone():
    """The end to write to of a pipe that nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    return write


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_reader_that_stops_reading_ends_a_command_quietly(rows, arguments):
    """As `littlestone run ... | head -1` does."""
    for out in (gone, lambda: gone_socket()):
        number = out()
        with Path("a.libsvm").open() as stream:
            done = started(arguments, stdin=stream, stdout=number, stderr=subprocess.PIPE)
        os.close(number)
        assert (done.returncode, done.stderr) == (141, "")


def gone_socket():
    here, there = socket.socketpair()
    there.close()
    return here.detach()


def test_a_result_is_printed_though_nobody_reads_the_remarks(rows):
    number = gone()
    done = started(("run", "a.libsvm", "--learner", "perceptron"), stdout=subprocess.PIPE, stderr=number)
    os.close(number)
    assert done.returncode == 0 and "mistakes in 900 rounds" in done.stdout


def test_an_error_is_told_though_nobody_reads_the_output(rows):
    number = gone()
    done = started(("run", "no such file", *LEARNER), stdout=number, stderr=subprocess.PIPE)
    os.close(number)
    assert (done.returncode, done.stderr) == (2, "littlestone: no such file: no such file\n")


def test_any_other_broken_pipe_is_an_error(rows, monkeypatch):
    """Of a certificate written to a pipe whose reader has ended, say."""

    def read_nothing():
        os.close(os.open("pipe", os.O_RDONLY))

    reader = threading.Thread(target=read_nothing, daemon=True)
    reader.start()
    code = (
        "import sys, time; from littlestone import files\n"
        "write = files.device\n"
        "import littlestone.cli, contextlib\n"
        "@contextlib.contextmanager\n"
        "def late(place):\n"
        "    with write(place) as file:\n"
        "        time.sleep(0.5)\n"  # by now the reader has gone
        "        yield file\n"
        "files.device = late\n"
        "littlestone.cli.main()\n"
    )
    command = [sys.executable, "-c", code, *COMMANDS["run of a file"], "--certificate", "pipe"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    reader.join(SECONDS)
    assert done.returncode == 2, done.stderr
    assert done.stderr == "littlestone: pipe: a pipe is broken: the program at its other end has ended\n"
    with pytest.raises(LittlestoneError, match="^a pipe is broken: the program at its other end has ended$"), broken_pipes():
        raise BrokenPipeError


def test_no_command_dies_of_a_broken_pipe(littlestone, monkeypatch):
    """SIGPIPE would kill a process for any pipe or socket whose other end is gone, and say nothing."""
    seen = []
    monkeypatch.setattr("littlestone.cli.prepare", lambda: seen.append(signal.getsignal(signal.SIGPIPE)))
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        assert littlestone("learners").returncode == 0
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert seen == [signal.SIG_IGN]
