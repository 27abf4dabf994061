"""A panel's replay in several processes: the same verdicts as in one, and nobody left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from forgery import resealed
from littlestone.cli.replays import of_a_panel
from littlestone.errors import LittlestoneError, Refused
from littlestone.verifier import processes
from littlestone.verifier.panel_replay import BATCH
from littlestone.verifier.processes import Elsewhere, ProcessEnded, Processes, RunningTotal

ROUNDS = 3 * BATCH + 7
rng = np.random.default_rng(5)
X = np.round(rng.normal(size=(ROUNDS, 5)), 3)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=ROUNDS) > 0).astype(float)
Y[40::90] = np.nan  # rounds without a label
MEMBERS = ["perceptron", "arow", "naive_bayes", "adaptive", "pairs"]


class Fussy:
    """A part that refuses what it is given."""

    def take(self, batch):
        raise LittlestoneError(f"no {batch}")

    def end(self):
        return None


@pytest.fixture
def several(monkeypatch):
    """Short streams, too, are shared out."""
    monkeypatch.setattr("littlestone.verifier.FEW", 0)


@pytest.fixture(scope="module")
def certificate():
    return ls.certify(ls.play(ls.panel(MEMBERS), X, Y), X, Y)


@pytest.mark.parametrize("number", [2, 3, 9])
def test_any_number_of_processes_gives_one_verdict(certificate, several, number):
    assert str(ls.verify(certificate, X, Y, processes=number)) == str(ls.verify(certificate, X, Y, processes=1))
    assert ls.verify(certificate, X, Y, processes=number).verified


@pytest.mark.parametrize("options", [{"blend": False}, {"blend": False, "forecast": True}, {"blend": True, "forecast": False}], ids=str)
def test_panels_of_other_kinds(several, options):
    weights = np.where(np.arange(ROUNDS) % 7 == 3, 0.0, 1.0 + np.arange(ROUNDS) % 3)
    cert = ls.certify(ls.play(ls.panel(MEMBERS, **options), X, Y, sample_weight=weights), X, Y, sample_weight=weights)
    assert ls.verify(cert, X, Y, sample_weight=weights, processes=3).verified


def test_what_a_replay_alone_can_tell_is_refused_in_the_same_words(several):
    """The certificate of a run over other members' settings, under these names."""
    cert = ls.certify(ls.play(ls.panel(["arow:r=10", "perceptron"], blend=False), X, Y), X, Y)
    content = json.loads(json.dumps(cert.content).replace("arow:r=10", "arow:r=1"))
    for member in content["panel"]["members"]:
        member["settings"] |= {"r": 1} if "r" in member["settings"] else {}
    content["panel"]["best"] = None
    words = []
    for number in (1, 3):
        with pytest.raises(Refused) as refused:
            ls.verify(resealed(content), X, Y, processes=number)
        words.append(str(refused.value))
    assert words[0] == words[1] and "replaying" in words[0]


def test_where_no_process_can_be_started(certificate, several, monkeypatch):
    def no(*_, **__):
        raise OSError("no")

    monkeypatch.setattr(processes.subprocess, "Popen", no)
    assert ls.verify(certificate, X, Y, processes=3).verified


def test_where_processes_do_not_find_this_package(certificate, several, monkeypatch):
    monkeypatch.setattr(processes, "PROGRAM", "raise SystemExit(1)")
    assert ls.verify(certificate, X, Y, processes=3).verified


def test_a_part_elsewhere_is_the_part_here():
    for most in (1, 2):
        with Processes(most) as started:
            sums = started.places([(RunningTotal, [k]) for k in range(3)])
            assert [place.ask(lambda k=k: k).result() for k, place in enumerate(sums)] == [0, 2, 4]
            assert [place.end() for place in sums] == [0, 2, 4]
        assert started.started == []


def test_errors_come_back():
    with Processes(2) as started:
        [place] = started.places([(Fussy, [])])
        assert isinstance(place, Elsewhere) or place.ask(lambda: 1).exception() is not None
        with pytest.raises(LittlestoneError, match="no 1"):
            place.ask(lambda: 1).result()


def test_a_process_that_somebody_ended_says_nothing_of_the_certificate():
    with Processes(2) as started:
        [place] = started.places([(RunningTotal, [0])])
        place.process.kill()
        with pytest.raises(ProcessEnded, match="was ended before it was done"):
            place.ask(lambda: 1).result()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_processes_end_with_who_started_them():
    program = (
        "from littlestone.verifier.processes import Processes, RunningTotal\nimport time\n"
        "with Processes(2) as p:\n  [place] = p.places([(RunningTotal, [0])])\n  print(place.process.pid, flush=True)\n  time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
    for _ in range(500):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        status = Path(f"/proc/{child}/stat")
        if status.exists() and status.read_text().split()[2] == "Z":  # ended, and nobody has asked yet how
            return
        time.sleep(0.02)
    raise AssertionError("the process goes on by itself")


def test_a_long_replay_is_announced():
    assert of_a_panel(100) is None
    words = of_a_panel(5_000_000)
    assert "5,000,000 rounds again" in words and "minutes" in words and "exit code 3" in words
