"""Model files: what a spoilt one gets, kills while saving, an old version, and the commands that write and read them."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from importlib import util
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.models.file import _digest, _zipped, read, write_whole

OLD = Path(__file__).parent / "data" / "version-1.littlestone"


def drawn(rounds=300, n=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)).astype(np.float32) * (rng.random((rounds, n)) < 0.4)
    y = (X @ rng.standard_normal(n) + rng.standard_normal(rounds) > 0).astype(float)
    y[rng.random(rounds) < 0.05] = np.nan
    return X, y


def same(one, two):
    counts = [(m.rounds, m.mistakes, m.unlabelled, m.features, m.named, m.counted) for m in (one, two)]
    assert counts[0] == counts[1]
    assert one.learner.alike(one.state, two.state)
    assert (one.ledger is None) == (two.ledger is None)
    assert one.ledger is None or one.ledger.same(two.ledger)
    return True


@pytest.fixture
def saved(tmp_path):
    model = ls.perceptron(margin=1, bias=0).start()
    for mail, spam in [({"free": 1.5, "offer": 1}, False), ({"minutes": 1}, True), ({"free": 1}, None), ({"offer": 2}, True)]:
        model.update(mail, spam)
    path = tmp_path / "mail.littlestone"
    model.save(path)
    return path, model


def respoilt(path, change, *, head=True, digests=True):
    """The file with its members changed by hand, and as many digests made right again as an attacker would."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(members["model.json"])
    change(told, members)
    if digests:
        told["members"] = {name: hashlib.sha256(data).hexdigest() for name, data in members.items() if name != "model.json"}
    if head:
        told["digest"] = _digest(told)
    if "model.json" in members:
        members["model.json"] = json.dumps(told).encode()
    path.write_bytes(_zipped(members))


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


SPOILT = [
    ("version 99", lambda head, members: head.update(version=99), {}),
    ("is none", lambda head, members: head.update(version="1"), {}),
    ("no littlestone model", lambda head, members: head.update(format="something"), {}),
    ("model.json was changed", lambda head, members: head.update(mistakes=1), {"head": False}),
    ("state/w.npy was changed", lambda head, members: members.update({"state/w.npy": npy(np.zeros(3))}), {"digests": False}),
    ("state/w.npy is missing", lambda head, members: members.pop("state/w.npy"), {"digests": False}),
    ("does not belong there", lambda head, members: members.update(extra=b"hello"), {"digests": False}),
    ("it has no model.json", lambda head, members: members.pop("model.json"), {}),
    ("NaN or infinity", lambda head, members: members.update({"state/w.npy": npy(np.array([0, np.nan, 0]))}), {}),
    ("NaN or infinity", lambda head, members: members.update({"ledger/values.npy": npy(np.full(4, np.inf, np.float32))}), {}),
    ("has type float32; expected float64", lambda head, members: members.update({"state/w.npy": npy(np.zeros(3, np.float32))}), {}),
    ("which no state of", lambda head, members: members.update({"state/b.npy": npy(np.zeros(2))}), {}),
    ("which no state of", lambda head, members: members.update({"state/w.npy": npy(np.zeros((3, 1)))}), {}),
    ("a state for 2 features", lambda head, members: members.update({"state/w.npy": npy(np.zeros(2))}), {}),
    ("has type object", lambda head, members: members.update({"state/w.npy": npy(np.array([None]), allow_pickle=True)}), {}),
    ("is no array", lambda head, members: members.update({"state/w.npy": b"PK and so on"}), {}),
    ("and 8 bytes", lambda head, members: members.update({"state/b.npy": npy(np.zeros(10**6))[:136]}), {}),
    ("do not fit together", lambda head, members: members.update({"ledger/lengths.npy": npy(np.array([2, 1, 9]))}), {}),
    ("rounds must grow", lambda head, members: members.update({"ledger/rounds.npy": npy(np.array([1, 2, 9]))}), {}),
    ("label that is not", lambda head, members: members.update({"ledger/labels.npy": npy(np.array([0, 5, 1], np.int8))}), {}),
    ("beyond", lambda head, members: members.update({"ledger/indices.npy": npy(np.array([0, 1, 2, 99], np.uint32))}), {}),
    ("must be a count", lambda head, members: head.update(rounds=-1), {}),
    ("mistakes", lambda head, members: head.update(mistakes=0), {}),
    ("names, each once", lambda head, members: head.update(features=["a", "a"]), {}),
    ("is not known", lambda head, members: head["learner"].update(name="os.system"), {}),
    ("cannot be made", lambda head, members: head["learner"]["settings"].update(bias="x"), {}),
    ("cannot be made", lambda head, members: head["learner"]["settings"].update(surprise=1), {}),
    ("no code is run", lambda head, members: head["learner"].update(file="evil.py"), {}),
    ("no sound model file", lambda head, members: head.pop("rounds"), {}),
    ("no sound model file", lambda head, members: head.update(accounts={"tally": 3}), {}),
]


@pytest.mark.parametrize(("why", "change", "made_right"), SPOILT, ids=lambda value: value if isinstance(value, str) else "")
def test_a_spoilt_file_is_refused_by_its_name_and_fault(saved, why, change, made_right):
    path, _ = saved
    respoilt(path, change, **made_right)
    with pytest.raises(ls.LittlestoneError, match=why) as refusal:
        ls.load(path)
    assert str(path) in str(refusal.value)


def put(name, array):
    return lambda head, members: members.update({f"{name}.npy": npy(array)})


SPOILT_CLASSES = [
    ("none of two classes", lambda head, members: head.update(kind="three")),
    ("is not known", lambda head, members: head.update(kind="two classes")),
    ("labels, each once", lambda head, members: head.update(classes=["tea", "tea", "milk"])),
    ("labels, each once", lambda head, members: head.update(classes=["tea", ["coffee"], "milk"])),
    ("earlier labels are text", lambda head, members: head.update(classes=["tea", 1, "milk"])),
    ("has a state of 6 arrays", lambda head, members: head.update(classes=["tea", "coffee"])),
    ("has a state of 6 arrays", lambda head, members: head.update(classes=[f"c{k}" for k in range(10**5)])),
    ("which no state of", put("state/m2_b", np.zeros(2))),
    ("expected one number", put("state/m2_w", np.zeros(9))),
    ("expected float64", put("state/m3_w", np.zeros(4, np.float32))),
    ("expected int32", put("ledger/labels", np.zeros(5, np.int8))),
    ("not there yet", put("ledger/labels", np.array([0, 2, 1, 1, 2], np.int32))),
    ("not there yet", put("ledger/labels", np.array([0, 1, 1, 1, 1], np.int32))),
    ("not there yet", put("ledger/predictions", np.array([-1, 2, 0, 0, 0], np.int32))),
    ("mistakes, and", put("ledger/predictions", np.array([-1, 0, 0, 1, 2], np.int32))),
    ("a state for 4 features", lambda head, members: head.update(largest_index=4)),
    ("accounts", lambda head, members: head["accounts"]["confusion"].pop()),
    ("members", lambda head, members: head["accounts"]["members"].pop()),
    ("contradict", lambda head, members: head["accounts"]["tally"].__setitem__(2, 1)),
    ("its learner is|cannot be made", lambda head, members: head["learner"]["settings"]["learner"]["settings"].update(bias="7/x")),
    ("no code is run", lambda head, members: head["learner"]["settings"]["learner"].update(file="evil.py")),
    ("is not known", lambda head, members: head["learner"].update(name="conservative")),
    ("no sound model file", lambda head, members: head.pop("classes")),
]


@pytest.mark.parametrize(("why", "change"), SPOILT_CLASSES)
def test_a_spoilt_file_of_several_classes_is_refused(tmp_path, why, change):
    model = ls.one_vs_rest(ls.perceptron(bias=0)).start()
    runner = model.runner(4)
    codes = [runner.classes.code(label) for label in ("tea", "coffee", "milk", "coffee", "milk", "tea")]
    runner.take(ls.Block.of([{0: 1.0, 3: 1.0}, {1: 1.0, 3: 1.0}, {2: 1.0, 3: 1.0}, {1: 1.0}, {2: 1.0, 3: 1.0}, {0: 1.0}], codes))
    made = ls.Model.of(runner, model)
    made.save(tmp_path / "m")
    assert len(made.ledger) == 5 and ls.load(tmp_path / "m").diff(made).lines() == ["the same: settings, counts, weights and rounds"]
    respoilt(tmp_path / "m", change)
    with pytest.raises(ls.LittlestoneError, match=why):
        ls.load(tmp_path / "m")


SPOILT_WEIGHTS = [
    ("has seen 3 classes", put("state/seen", np.array([3]))),
    ("expected \\(4, 2\\)", put("state/W", np.zeros((4, 3)))),
    ("expected float64", put("state/W", np.zeros((4, 2), np.float32))),
    ("place for each feature", put("state/W", np.zeros((0, 2)))),
]


@pytest.mark.parametrize(("why", "change"), SPOILT_WEIGHTS)
def test_a_spoilt_file_of_weights_by_class_is_refused(tmp_path, why, change):
    model = ls.multiclass_perceptron().start()
    for row, label in [([1, 0, 0, 1], 1), ([0, 1, 1, 0], 2), ([0, 1, 1, 0], 2)]:
        model.update(row, label)
    model.save(tmp_path / "m")
    respoilt(tmp_path / "m", change)
    with pytest.raises(ls.LittlestoneError, match=why):
        ls.load(tmp_path / "m")


SPOILT_RULES = [
    ("expected float64", put("state/losses", np.zeros(3, np.float32))),
    ("expected float64", put("state/losses", np.zeros(4))),
    ("names, each once", lambda head, members: head.update(experts=["a", "b"])),
    ("names, each once", lambda head, members: head.update(experts=["a", "b", "b"])),
    ("must be a number", lambda head, members: head.update(loss=-1)),
    ("NaN or infinity", put("state/losses", np.full(3, np.nan))),
    ("has a ledger", lambda head, members: head.update(ledger=True)),
    ("needs n", lambda head, members: (head["learner"]["settings"].update(n=None), head.update(n=None))),
    ("and its learner has n", lambda head, members: head.update(n=4)),
    ("is not known", lambda head, members: head["learner"].update(name="perceptron")),
]


@pytest.mark.parametrize(("why", "change"), SPOILT_RULES)
def test_a_spoilt_file_of_a_rule_is_refused(tmp_path, why, change):
    model = ls.adahedge(n=3).start()
    model.update([1, 0, 1], 1)
    model.save(tmp_path / "m")
    respoilt(tmp_path / "m", change)
    with pytest.raises(ls.LittlestoneError, match=why):
        ls.load(tmp_path / "m")


def test_no_byte_can_be_changed_and_no_end_cut_off_unnoticed(saved):
    path, model = saved
    whole, rng = path.read_bytes(), np.random.default_rng(5)
    for size in rng.integers(0, len(whole), 60).tolist():
        path.write_bytes(whole[:size])
        with pytest.raises(ls.LittlestoneError, match="mail.littlestone"):
            ls.load(path)
    harmless = 0
    for place in rng.integers(0, len(whole), 600).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << int(rng.integers(8)))]) + whole[place + 1 :])
        try:
            again = ls.load(path)
        except ls.LittlestoneError as refusal:
            assert "mail.littlestone" in str(refusal)
        else:  # a date or a flag of the zip, which says nothing about the model
            harmless += same(again, model)
    assert harmless < 300


def test_what_cannot_be_opened_or_written_is_named(saved, tmp_path):
    path, model = saved
    with pytest.raises(ls.LittlestoneError, match="nowhere.littlestone: cannot be read"):
        ls.load(tmp_path / "nowhere.littlestone")
    with pytest.raises(ls.LittlestoneError, match="cannot be written"):
        model.save(tmp_path / "nowhere" / "m.littlestone")
    with pytest.raises(ls.LittlestoneError, match="cannot be written"):
        model.save(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_saving_twice_gives_the_same_bytes_and_keeps_the_mode_and_the_link(saved, tmp_path):
    path, model = saved
    first = path.read_bytes()
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    model.save(link)
    assert link.is_symlink() and path.read_bytes() == first and path.stat().st_mode & 0o777 == 0o640


def test_an_old_file_is_still_read():
    model = ls.load(OLD)
    spec = util.spec_from_file_location("make_model", OLD.with_name("make_model.py"))
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert read(OLD).head["version"] == 1 and "row_version" not in read(OLD).head and not model.sorts
    same(model, script.model())
    same(model.replay(), model)
    assert list(model.features)[:3] == ["free", "offer", "minutes"] and model.ledger.weights.max() == 1.5


KILLS = """
import os, random, signal, sys, time
import littlestone as ls
path = sys.argv[1]
model = ls.memorizer().start()
for t in range(400):
    model.update({f"w{t}": 1.0, f"v{t}": 2.0}, True)
model.save(path)
for kill in range(15):
    before = model.rounds
    saver = os.fork()
    while saver == 0:
        model.update({f"x{model.rounds}": 1.0}, True)
        model.save(path)
    time.sleep(random.Random(kill).uniform(0.0, 0.15))
    os.kill(saver, signal.SIGKILL)
    os.waitpid(saver, 0)
    model = ls.load(path)
    assert model.rounds == model.mistakes == len(model.ledger) >= before
print(model.rounds)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process cannot be split here")
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    """A process that saves all the time, killed at random moments: the file is always one that was complete."""
    result = subprocess.run([sys.executable, "-c", KILLS, str(tmp_path / "m")], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > 400 + 15, "hardly a save was made between the kills"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ls.LittlestoneError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_learner_of_ones_own_must_be_given(tmp_path):
    from dataclasses import replace

    own = replace(ls.perceptron(bias=0), name="my_perceptron")
    model = own.start()
    model.update({"a": 1}, False)
    model.save(tmp_path / "m")
    with pytest.raises(ls.LittlestoneError, match="no code is run"):
        ls.load(tmp_path / "m")
    same(ls.load(tmp_path / "m", learner=own), model)
    with pytest.raises(ls.LittlestoneError, match="its learner is my_perceptron"):
        ls.load(tmp_path / "m", learner=ls.perceptron(bias=0))


# -------------------------------------------------------------------------------------------------------- the command line


class Answer(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def littlestone(*arguments):
    """The command in this process: a dozen of them in one test would take long to start."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if isinstance(result.exception, ls.LittlestoneError):
        return Answer(2, result.stdout, str(result.exception))
    return Answer(result.exit_code, result.stdout, str(result.exception))


def write_stream(path, rounds, seed=2):
    X, y = drawn(rounds, seed=seed)
    names = {0.0: "-1 ", 1.0: "+1 "}
    path.write_text("".join(f"{names.get(label, '')}{' '.join(f'{i + 1}:{v:g}' for i, v in enumerate(row) if v) or '1:1'}\n"
                            for row, label in zip(X, y, strict=True)))  # fmt: skip


def test_the_command_line_saves_goes_on_shows_and_compares(tmp_path):
    stream, m, half, whole = (tmp_path / name for name in ("s.libsvm", "m", "half", "whole"))
    write_stream(stream, 200)
    learner = ("--learner", "perceptron:bias=0:margin=1", "--quiet", "--json")
    assert littlestone("run", stream, "--model", whole, *learner).returncode == 0
    lines = stream.read_text().splitlines(keepends=True)
    (tmp_path / "first.libsvm").write_text("".join(lines[:80]))
    assert littlestone("run", tmp_path / "first.libsvm", "--model", half, "--checkpoint-every", "10", *learner).returncode == 0
    after = littlestone("run", stream, "--from", half, "--skip", "80", "--model", m, "--quiet", "--json")
    assert after.returncode == 0, after.stderr
    assert m.read_bytes() == whole.read_bytes()
    said, shown = json.loads(after.stdout), json.loads(littlestone("show", m, "--json").stdout)
    model = ls.load(m)
    assert said["model"] == str(m) and (said["rounds"], said["mistakes"]) == (model.rounds, model.mistakes)
    assert (shown["rounds"], shown["mistakes"], shown["ledger"]["rounds"]) == (model.rounds, model.mistakes, len(model.ledger))
    assert shown["weights"][0][1] == max(model.state.w.tolist(), key=abs)
    text = littlestone("show", m).stdout
    assert "perceptron(bias=0, margin=1" in text and f"ledger: {len(model.ledger):,} rounds" in text
    assert "rounds: " in littlestone("diff", half, whole).stdout and "the same" in littlestone("diff", m, whole).stdout
    assert json.loads(littlestone("diff", m, whole, "--json").stdout)["weights"] == {}
    for words, arguments in (
        ("has its learner already", ("run", stream, "--from", m, "--learner", "winnow")),
        ("needs --model", ("run", stream, "--learner", "perceptron:bias=0", "--checkpoint-every", "5")),
        ("no sound model", ("run", stream, "--learner", "perceptron:bias=0", "--model", tmp_path / "first.libsvm")),
        ("that is the stream itself", ("run", stream, "--learner", "perceptron:bias=0", "--model", stream)),
        ("has only 200 rounds", ("run", stream, "--learner", "perceptron:bias=0", "--skip", "201")),
        ("is no littlestone model", ("show", stream)),
    ):
        result = littlestone(*arguments, "--quiet") if arguments[0] == "run" else littlestone(*arguments)
        assert result.returncode == 2 and words in result.stderr, result.stderr
    assert littlestone("run", stream, "--model", tmp_path / "x", "--learner", "multiclass_perceptron", "--quiet").returncode == 0
    assert ls.load(tmp_path / "x").rounds == model.rounds


def test_a_model_with_counted_features_goes_on(tmp_path):
    stream, m = tmp_path / "s.libsvm", tmp_path / "m"
    stream.write_text("1 5:1 90:1\n0 7:1\n1 5:1\n")
    assert littlestone("run", stream, "--learner", "winnow", "--model", m, "--quiet").returncode == 0
    model = ls.load(m)
    assert (model.learner.n, model.counted, model.predict({500})) == (3, True, False)
    assert littlestone("run", stream, "--from", m, "--quiet").returncode == 0


def heed_interrupts():
    """A job that a shell has put in the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to a process there")
def test_control_c_saves_what_was_learned(tmp_path):
    stream, m = tmp_path / "s.libsvm", tmp_path / "m"
    write_stream(stream, 300)
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "run",
        "-",
        "--learner",
        "perceptron:bias=0",
        "--model",
        str(m),
        "--checkpoint-every",
        "1",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    ) as process:
        text = stream.read_bytes()
        for _ in range(400):  # the pipe stays open: whatever has been read has been played
            process.stdin.write(text)
            process.stdin.flush()
            if m.exists():
                break
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
        assert process.wait(60) == 130, said
    model = ls.load(m)
    assert f"--from {m} --skip {model.rows}" in said
    same(model.replay(), model)
