"""Models at rest: the ledger, the file, going on, rolling back, forgetting; and what a spoilt file gets."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from importlib import import_module, util
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.ledger.compare import alike
from littlestone.ledger.describe import described, made
from littlestone.ledger.file import _digest, _zipped, read, write_whole
from littlestone.protocol import Ledger

HERE = Path(__file__).parent
OLD = HERE / "data" / "version-1.littlestone"


def drawn(rounds=300, n=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)).astype(np.float32) * (rng.random((rounds, n)) < 0.4)
    y = (X @ rng.standard_normal(n) + rng.standard_normal(rounds) > 0).astype(float)
    y[rng.random(rounds) < 0.05] = np.nan
    return X, y


def same(one, two):
    counts = [(m.rounds, m.mistakes, m.unlabelled, m.features, m.named, m.counted) for m in (one, two)]
    assert counts[0] == counts[1]
    assert alike(one.learner, one.state, two.state)
    assert (one.ledger is None) == (two.ledger is None)
    assert one.ledger is None or one.ledger.same(two.ledger)
    return True


LEARNERS = [
    ls.perceptron(),
    ls.perceptron(margin=2, bias=1),
    ls.passive_aggressive(),
    ls.alma(),
    ls.arow(bias="1/2"),
    ls.balanced_winnow(eta="1/4", margin="1/10"),
    ls.adaptive(),
    ls.memorizer(),
]


# ------------------------------------------------------------------------------------------------------------ ledgers


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_events_and_blocks_keep_the_same_ledger(learner, tmp_path):
    X, y = drawn(80)
    batch = ls.play(learner, X, y, ledger=True).model
    events = learner.start()
    for row, label in zip(X, y, strict=True):
        events.update(row, None if np.isnan(label) else bool(label))
    batch.accounts = None
    assert alike(learner, batch.state, events.state)
    assert batch.ledger is events.ledger is None or batch.ledger.same(events.ledger)
    events.save(tmp_path / "m")
    same(ls.load(tmp_path / "m"), events)


def test_a_ledger_holds_the_mistakes_with_their_rows_labels_and_weights():
    X = [{"a": 1, "b": 2}, {"b": 1}, {"c": 3}, {"a": 1}]
    run = ls.play(ls.perceptron(), X, [0, None, 0, 1], sample_weight=[2, 1, 0.5, 1], ledger=True)
    entries = [(e.round, e.label, e.predicted, e.weight, e.indices.tolist(), e.values.tolist()) for e in run.model.ledger]
    assert entries == [
        (1, False, True, 2.0, [0, 1], [1.0, 2.0]),
        (3, False, True, 0.5, [2], [3.0]),
        (4, True, False, 1.0, [0], [1.0]),
    ]
    assert run.model.ledger.unlabelled.tolist() == [2]
    assert run.model.features == {"a": 0, "b": 1, "c": 2}


def test_a_margin_updates_on_correct_rounds_and_the_run_says_where():
    X, y = drawn()
    run = ls.play(ls.perceptron(margin=3), X, y, ledger=True)
    wrong = run.predictions != (y == 1)
    assert run.updates.sum() > (wrong & ~np.isnan(y)).sum()
    assert run.model.ledger.rounds.tolist() == (np.flatnonzero(run.updates) + 1).tolist()
    assert ls.play(ls.perceptron(), X, y).updates is None
    assert ls.play(ls.arow(), X, y, check_invariants=True).updates.tolist() == ls.play(ls.arow(), X, y).updates.tolist()


def test_rows_with_and_without_values_make_one_ledger():
    ledger = Ledger()
    ledger.append(1, True, False, 1.0, np.array([3], np.uint32), None)
    ledger.append(2, False, True, 1.0, np.array([1, 2], np.uint32), np.array([0.5, 2], np.float32))
    ledger.append(4, False, True, 1.0, np.array([], np.uint32), None)
    assert ledger.values.tolist() == [1, 0.5, 2] and ledger.block().indptr.tolist() == [0, 1, 3, 3]
    assert ledger.find(2) == 1 and ledger.find(3) == -1
    ledger.silence(3), ledger.silence(1), ledger.silence(3)
    assert ledger.unlabelled.tolist() == [1, 3]


def test_a_model_may_be_told_to_keep_none():
    model = ls.perceptron().start(ledger=False)
    model.update({0: 1}, False)
    assert model.ledger is None
    with pytest.raises(ls.LittlestoneError, match="has no ledger"):
        model.replay()


# ------------------------------------------------------------------------------------------- going on, back, without


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_going_on_equals_never_having_stopped(learner, tmp_path):
    X, y = drawn()
    whole = ls.play(learner, X, y, ledger=True)
    model = ls.play(learner, X[:100], y[:100], ledger=True).model
    model.save(tmp_path / "m")
    before = read(tmp_path / "m")
    run = ls.play(ls.load(tmp_path / "m"), X[100:], y[100:])
    same(run.model, whole.model)
    assert (run.rounds, run.mistakes, run.predictions.tolist()) == (whole.rounds, whole.mistakes, whole.predictions[100:].tolist())
    assert [(c.name, c.limit, c.observed) for c in run.bounds()] == [(c.name, c.limit, c.observed) for c in whole.bounds()]
    model.save(tmp_path / "m")  # the model that was given is as it was
    assert json.dumps(read(tmp_path / "m").head) == json.dumps(before.head)


def test_events_and_runs_take_turns():
    X, y = drawn(90)
    y = np.nan_to_num(y)
    whole = ls.play(ls.perceptron(), X, y, ledger=True).model
    model = ls.play(ls.perceptron(), X[:30], y[:30], ledger=True).model
    for row, label in zip(X[30:60], y[30:60], strict=True):
        model.update(row, bool(label))
    run = ls.play(model, X[60:], y[60:])
    same(run.model, whole)
    assert run.resumed and run.rounds == 30
    with pytest.raises(ls.LittlestoneError, match="earlier rounds"):
        run.bounds()


def test_a_narrower_stream_loses_no_weight():
    X, y = drawn(60)
    model = ls.play(ls.perceptron(), X, y, ledger=True).model
    after = ls.play(model, X[:0, :2], []).model
    assert alike(model.learner, after.state, model.state)


def test_names_are_shared_with_the_model():
    first = ls.play(ls.perceptron(), [{"a": 1}, {"b": 1}], [0, 0], ledger=True).model
    second = ls.play(first, [{"c": 1, "b": 1}], [0]).model
    assert second.features == {"a": 0, "b": 1, "c": 2} and first.features == {"a": 0, "b": 1}
    assert second.predict({"a": 1}) is False and second.observe({"d": 1}, False) is True
    with pytest.raises(ls.LittlestoneError, match="column numbers after feature names"):
        ls.play(first, np.eye(2), [0, 1])
    with pytest.raises(ls.LittlestoneError, match="cannot be mixed"):
        ls.play(first, [{3: 1}], [0])
    columns = ls.play(ls.perceptron(), np.eye(2), [0, 1], ledger=True).model
    with pytest.raises(ls.LittlestoneError, match="cannot be mixed"):
        ls.play(columns, [{"a": 1}], [0])


@pytest.mark.parametrize("learner", [ls.perceptron(margin=1), ls.arow(), ls.perceptron(n=12), ls.memorizer()], ids=repr)
def test_rollback_is_the_model_as_it_stood(learner):
    X, y = drawn(60)
    model = ls.play(learner, X, y, ledger=True).model
    for t in (0, 1, 7, 33, 60):
        then = ls.play(learner, X[:t], y[:t], ledger=True).model
        back = model.rollback(t)
        assert (back.rounds, back.mistakes, back.unlabelled) == (then.rounds, then.mistakes, then.unlabelled)
        assert alike(learner, back.state, then.state) and back.ledger.same(then.ledger)
    same(ls.play(model.rollback(33), X[33:], y[33:]).model, model)
    for bad in (-1, 61, 2.5, True):
        with pytest.raises(ls.LittlestoneError, match="round="):
            model.rollback(bad)


def test_forgetting_a_round_is_learning_without_it():
    X, y = drawn(120)
    learner = ls.perceptron(margin=1)
    model = ls.play(learner, X, y, ledger=True).model
    rounds = model.ledger.rounds
    for number in rounds[[0, 5, -1]].tolist():
        gone = model.forget(number)
        rows = [t - 1 for t in rounds.tolist() if t != number]
        other = ls.play(learner, X[rows], y[rows], ledger=True)
        assert alike(learner, gone.model.state, other.state)
        assert gone.model.mistakes == other.mistakes and gone.model.rows == model.rows
        kept = model.ledger.predictions[rounds != number]
        assert gone.otherwise == [rows[t] + 1 for t in np.flatnonzero(other.predictions != kept)]
        assert number not in gone.model.ledger.rounds and gone.taught and f"without round {number}" in repr(gone)
        weights = {i: (a, b) for i, (a, b) in enumerate(zip(model.state.w.tolist(), other.state.w.tolist(), strict=True)) if a != b}
        assert gone.weights == weights
        same(gone.model.replay(), gone.model)
    quiet = next(t for t in range(1, 121) if t not in set(rounds.tolist()) | set(model.ledger.unlabelled.tolist()))
    gone = model.forget(quiet)
    assert not gone.taught and not gone.weights and "taught nothing" in repr(gone)
    assert alike(learner, gone.model.state, model.state) and gone.model.rounds == model.rounds - 1


def test_who_always_updates_refers_to_the_stream(tmp_path):
    model = ls.adaptive().start()
    model.update({"a": 1}, True)
    model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    assert again.ledger is None and again.score({"a": 1}) == model.score({"a": 1})
    for act in (again.replay, lambda: again.rollback(0), lambda: again.forget(1)):
        with pytest.raises(ls.LittlestoneError, match="refers to the whole stream"):
            act()


def test_a_replay_that_makes_another_model_is_refused():
    model = ls.perceptron().start()
    model.update({0: 1}, False), model.update({0: 1}, True), model.update({1: 1}, False)
    model.ledger.labels[0] = 1
    with pytest.raises(ls.LittlestoneError, match="round 2 of the ledger was predicted False, and replayed True"):
        model.replay()


def test_diff_tells_settings_counts_weights_and_rounds():
    X, y = drawn(60)
    one = ls.play(ls.perceptron(), X, y, ledger=True).model
    two = ls.play(ls.perceptron(bias=2), X[:50], y[:50], ledger=True).model
    found = one.diff(two)
    assert found and found.settings == {"bias": ("0", "2")} and set(found.counts) <= {"rounds", "mistakes"}
    assert set(found.only_first) == set(one.ledger.rounds.tolist()) - set(two.ledger.rounds.tolist())
    assert found.weights and "weights differ" in repr(found)
    assert not one.diff(one.replay()) and "the same" in repr(one.diff(one))


@pytest.mark.parametrize("name", ls.learners.names())
def test_every_learner_comes_back_from_its_text(name):
    for settings in import_module(f"littlestone.learners.{name}").SAMPLES:
        learner = ls.learners.factory(name)(**settings)
        again = made(json.loads(json.dumps(described(learner))))
        assert repr(again) == repr(learner) and (again.n, again.updates_on) == (learner.n, learner.updates_on)
        numbers = [[p for p in one.params if isinstance(p, int | float | np.ndarray)] for one in (again, learner)]
        assert all(np.array_equal(a, b) for a, b in zip(*numbers, strict=True))


def test_halving_comes_back_by_the_name_of_its_class(tmp_path):
    for learner in (
        ls.halving("disjunctions", n=5, r=2),
        ls.halving("monotone_conjunctions", n=4, updates="mistakes"),
        ls.optimal("half_intervals", n=6),
    ):
        model = learner.start()
        model.update({0}, True)
        model.save(tmp_path / "m")
        same(ls.load(tmp_path / "m"), model)
    with pytest.raises(ls.LittlestoneError, match="cannot be written to a file"):
        ls.halving([[True, False], [False, False]]).start().save(tmp_path / "m")


def test_other_kinds_of_model_are_refused_by_name(tmp_path):
    for model in (ls.multiclass_perceptron().start(), ls.one_vs_rest(ls.perceptron()).start(), ls.weighted_majority(n=3).start()):
        with pytest.raises(ls.LittlestoneError, match="cannot be saved"):
            model.save(tmp_path / "m")
    with pytest.raises(ls.LittlestoneError, match="no ledger"):
        ls.play(ls.multiclass_perceptron(), np.eye(2), ["a", "b"], ledger=True)


# --------------------------------------------------------------------------------------------------------------- the file


@pytest.fixture
def saved(tmp_path):
    model = ls.perceptron(margin=1).start()
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
    assert read(OLD).head["version"] == 1
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

    own = replace(ls.perceptron(), name="my_perceptron")
    model = own.start()
    model.update({"a": 1}, False)
    model.save(tmp_path / "m")
    with pytest.raises(ls.LittlestoneError, match="no code is run"):
        ls.load(tmp_path / "m")
    same(ls.load(tmp_path / "m", learner=own), model)
    with pytest.raises(ls.LittlestoneError, match="its learner is my_perceptron"):
        ls.load(tmp_path / "m", learner=ls.perceptron())


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
    learner = ("--learner", "perceptron:margin=1", "--quiet", "--json")
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
        ("needs --model", ("run", stream, "--checkpoint-every", "5")),
        ("no sound model", ("run", stream, "--model", tmp_path / "first.libsvm")),
        ("that is the stream itself", ("run", stream, "--model", stream)),
        ("cannot be saved", ("run", stream, "--model", tmp_path / "x", "--learner", "multiclass_perceptron")),
        ("has only 200 rounds", ("run", stream, "--skip", "201")),
        ("is no littlestone model", ("show", stream)),
    ):
        result = littlestone(*arguments, "--quiet") if arguments[0] == "run" else littlestone(*arguments)
        assert result.returncode == 2 and words in result.stderr, result.stderr


def test_a_model_with_counted_features_goes_on(tmp_path):
    stream, m = tmp_path / "s.libsvm", tmp_path / "m"
    stream.write_text("1 5:1 90:1\n0 7:1\n1 5:1\n")
    assert littlestone("run", stream, "--learner", "winnow", "--model", m, "--quiet").returncode == 0
    model = ls.load(m)
    assert (model.learner.n, model.counted, model.predict({500})) == (3, True, False)
    assert littlestone("run", stream, "--from", m, "--quiet").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to a process there")
def test_control_c_saves_what_was_learned(tmp_path):
    stream, m = tmp_path / "s.libsvm", tmp_path / "m"
    write_stream(stream, 300)
    command = [sys.executable, "-m", "littlestone", "run", "-", "--model", str(m), "--checkpoint-every", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
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
