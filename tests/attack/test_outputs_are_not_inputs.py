"""Outputs that would destroy inputs, or one another: refused before a byte is written, whatever links and spellings lead to a file."""

import os
import shutil
import threading

import pytest
from typer.testing import CliRunner

from littlestone.cli import app

ROWS = "label,a,b\n" + "1,1,0\n0,0,1\n" * 10
TABLE = "truth,a,b\n" + "1,1,0\n0,0,1\n" * 10
OWN = "import littlestone as ls\n\n\ndef own(n=None):\n    return ls.perceptron(n)\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("made")
    for name, text in (("day-1.csv", ROWS), ("day-2.csv", ROWS), ("votes.csv", TABLE), ("own.py", OWN)):
        (tmp_path / name).write_text(text)
    for command in (
        f"run {tmp_path}/day-1.csv --learner perceptron --model {tmp_path}/m.littlestone",
        f"experts {tmp_path}/votes.csv --model {tmp_path}/rule.littlestone",
        f"convert {tmp_path}/day-1.csv {tmp_path}/day.libsvm",
    ):
        assert CliRunner().invoke(app, command.split()).exit_code == 0
    return tmp_path


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    tmp_path = tmp_path / "copy"
    shutil.copytree(made, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("day-1.csv")
    os.link("day-2.csv", "hard.csv")
    (tmp_path / "sub").mkdir()
    return tmp_path


RUN = ("run", "--learner", "perceptron", "--quiet")
ATTACKS = [
    (*RUN, "day-1.csv", "--predictions", "day-1.csv"),
    (*RUN, "day-*.csv", "--predictions", "day-2.csv"),
    (*RUN, "day-*.csv", "--certificate", "day-1.csv"),
    (*RUN, "day-*.csv", "--model", "day-1.csv"),
    (*RUN, "day-1.csv", "--predictions", "./sub/../day-1.csv"),
    (*RUN, "day-1.csv", "--predictions", "link.csv"),
    (*RUN, "link.csv", "--predictions", "day-1.csv"),
    (*RUN, "day-2.csv", "--certificate", "hard.csv"),
    (*RUN, "day-1.csv", "--predictions", "out", "--certificate", "out"),
    (*RUN, "day-1.csv", "--predictions", "out", "--certificate", "sub/../out"),
    (*RUN, "day-1.csv", "--model", "m.littlestone", "--predictions", "m.littlestone"),
    (*RUN, "day.libsvm", "--predictions", "day.libsvm.names"),
    ("run", "day-1.csv", "--quiet", "--from", "m.littlestone", "--predictions", "m.littlestone"),
    ("run", "day-1.csv", "--quiet", "--learner", "own.py::own", "--predictions", "own.py"),
    ("run", "day-1.csv", "--quiet", "--learner", "one_vs_rest:learner=own.py::own", "--predictions", "own.py"),
    ("certify", "day-*.csv", "--learner", "perceptron", "--quiet", "-o", "day-2.csv"),
    ("experts", "votes.csv", "--quiet", "--predictions", "votes.csv"),
    ("experts", "v*.csv", "--quiet", "--model", "votes.csv"),
    ("experts", "votes.csv", "--quiet", "--from", "rule.littlestone", "--plot", "rule.littlestone"),
    ("experts", "votes.csv", "--quiet", "--predictions", "out", "--certificate", "out"),
    ("fit", "day-*.csv", "--quiet", "--model", "day-1.csv"),
    ("duel", "own.py::own", "unit_vectors:n=4", "--quiet", "--plot", "own.py"),
    ("rollback", "m.littlestone", "3", "--stream", "day-1.csv", "-o", "day-1.csv"),
    ("forget", "m.littlestone", "3", "--stream", "day-*.csv", "-o", "day-2.csv"),
    ("convert", "day-*.csv", "day-2.csv"),
    ("convert", "link.csv", "day-1.csv"),
    ("convert", "day.libsvm", "day.libsvm.names", "--to", "vw"),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda words: " ".join(words))
def test_no_output_destroys_an_input(attack, folder, littlestone):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = littlestone(*attack)
    assert done.returncode == 2 and "expected another file" in done.stderr, (done.stdout, done.stderr)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_numbered_certificates_spare_the_stream(folder, littlestone):
    """`--restart-on-alarm` numbers its certificates: day.csv would become day-1.csv, which is a stream."""
    broken = "label,a,b\n" + "1,1,0\n0,1,0\n" * 12
    (folder / "day-1.csv").write_text(broken)
    options = ("--learner", "winnow:n=2", "--assume", "disjunction:r=1", "--restart-on-alarm", "--quiet")
    done = littlestone("run", "day-1.csv", *options, "--certificate", "day.csv")
    assert done.returncode == 2 and "that is the stream itself" in done.stderr
    assert (folder / "day-1.csv").read_text() == broken


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_or_a_device_is_written_to_and_never_replaced(folder, littlestone):
    os.mkfifo("pipe")
    heard = []
    reader = threading.Thread(target=lambda: heard.append((folder / "pipe").read_bytes()), daemon=True)
    reader.start()
    done = littlestone("convert", "day-1.csv", "pipe", "--to", "vw", "--quiet")
    reader.join(20)
    assert done.returncode == 0 and (folder / "pipe").is_fifo() and heard[0].startswith(b"1 |")


def test_a_model_may_be_saved_over_the_one_it_goes_on_from(folder, littlestone):
    shutil.copy("m.littlestone", "before.littlestone")
    done = littlestone("run", "day-2.csv", "--from", "m.littlestone", "--model", "m.littlestone", "--quiet", "--predictions", "/dev/null")
    assert done.returncode == 0 and (folder / "m.littlestone").read_bytes() != (folder / "before.littlestone").read_bytes()
    assert littlestone(*RUN, "day-1.csv", "--predictions", "/dev/null", "--certificate", "c.json").returncode == 0
    assert littlestone("convert", "day.libsvm", "day.libsvm.gz", "--quiet").returncode == 0
