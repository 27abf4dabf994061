"""The approximate test of a change (`alarm_test="drift"`): what it finds, what it leaves alone, and what it goes with.

benchmarks/drift.py measures it on 200 streams of each kind, beside the detectors of River.
"""

import json
from functools import cache

import numpy as np
import pytest

import littlestone as ls
from littlestone.protocol import detector as protocol_detector
from littlestone.protocol.detector import Detector


def errors(seed, *parts, rho=0.0):
    """Rounds, and the rate of errors in them, part by part; an error is by rho likelier right after an error than at first."""
    rng, made, last = np.random.default_rng(seed), [], False
    for rounds, rate in parts:
        for toss in rng.random(rounds).tolist():
            last = toss < rate + rho * ((1 - rate) if last else -rate)
            made.append(last)
    return made


def alarms(streams, delta=0.05):
    """After how many rounds each stream raises an alarm; None where it does not."""
    return [None if (rise := Detector(delta).add(stream)) is None else rise.n for stream in streams]


@pytest.mark.parametrize(("rate", "rho"), [(0.05, 0.0), (0.2, 0.0), (0.05, 0.6), (0.1, 0.6), (0.3, 0.8)])
def test_a_quiet_stream_raises_no_alarm(rate, rho):
    found = alarms(errors(seed, (5000, rate), rho=rho) for seed in range(20))
    assert found == [None] * 20


@pytest.mark.parametrize(("before", "after", "most"), [(0.05, 0.2, 120), (0.1, 0.3, 120), (0.0, 0.2, 150)])
def test_a_change_is_found(before, after, most):
    found = alarms(errors(seed, (5000, before), (500, after)) for seed in range(20))
    assert None not in found and min(found) > 5000 and np.median(found) - 5000 <= most


def test_a_change_is_found_where_errors_come_in_runs():
    found = alarms(errors(seed, (5000, 0.05), (2500, 0.2), rho=0.6) for seed in range(10))
    assert None not in found and min(found) > 5000 and np.median(found) - 5000 <= 1000


def test_who_does_not_allow_for_runs_is_wrong_on_them(monkeypatch):
    monkeypatch.setattr(protocol_detector, "of_runs", lambda *_: 1.0)
    monkeypatch.setattr(Detector, "_of_blocks", lambda self, n: 1.0)
    found = alarms(errors(seed, (5000, 0.1), rho=0.6) for seed in range(10))
    assert sum(alarm is not None for alarm in found) >= 8


def test_both_measures_of_dependence_are_needed(monkeypatch):
    """Errors in every second round of some stretches never follow each other: blocks see them."""
    rng = np.random.default_rng(0)
    stretches = np.repeat(rng.random(250) < 0.1, 40) & (np.arange(10_000) % 2 == 0)
    assert Detector(0.05).add(stretches.tolist()) is None
    monkeypatch.setattr(Detector, "_of_blocks", lambda self, n: 1.0)
    assert Detector(0.05).add(stretches.tolist()) is not None


def test_fewer_errors_are_no_alarm_and_pieces_do_not_matter():
    assert alarms([errors(0, (3000, 0.3), (3000, 0.05))]) == [None]
    stream = errors(1, (2000, 0.05), (500, 0.3))
    whole, pieces = Detector(0.05), Detector(0.05)
    rise = whole.add(stream)
    for start in range(0, len(stream), 7):
        if (found := pieces.add(stream[start : start + 7])) is not None:
            break
    assert (
        found == rise
        and abs(rise.change - 2000) < 30
        and sum(stream[: rise.n]) == rise.K
        and rise.k == sum(stream[rise.n - rise.w : rise.n])
    )


# ------------------------------------------------------------------------------------------------------------------- in a run


@cache
def changed(rounds=4000, n=8, seed=0):
    """A linear rule with labels of which a twentieth are wrong, and from the middle on another linear rule."""
    rng = np.random.default_rng(seed)
    X, rules = rng.standard_normal((rounds, n)), rng.standard_normal((2, n))
    y = np.where(np.arange(rounds) < rounds // 2, X @ rules[0] > 0, X @ rules[1] > 0) ^ (rng.random(rounds) < 0.05)
    return X, y.astype(int)


def losing(X):
    return np.where((np.arange(len(X)) < len(X) // 2)[:, None] == (np.arange(4) < 2), 0.2, 1.0) * (X[:, :4] > 0)


KINDS = {
    "two classes": lambda X, y: (ls.arow(), X, y),
    "panel": lambda X, y: (ls.panel(["perceptron", "arow"]), X, ((X[:, 0] > 0) ^ (np.arange(len(X)) >= 2000)).astype(int)),
    "several classes": lambda X, y: (ls.one_vs_rest(ls.arow()), X, np.array(["a", "b", "c"])[y + (X[:, 0] > 1)]),
    "votes": lambda X, y: (ls.adahedge(), (X[:, :4] > 0).astype(int), np.where(np.arange(len(X)) < len(X) // 2, X[:, 0] > 0, X[:, 1] > 0)),
    "losses": lambda X, y: (ls.adahedge(advice="loss"), losing(X), None),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_learner_can_be_watched(kind):
    learner, X, y = KINDS[kind](*changed())
    runs = {mode: ls.play(learner, X, y, alarm=mode, alarm_test="drift") for mode in ("stop", "report", "restart")}
    alarm = runs["report"].alarm
    assert alarm == runs["stop"].alarm == runs["restart"].alarm and 2000 < alarm.round <= 2400 and abs(alarm.since - 2001) < 100
    assert alarm.bound == "drift" and alarm.chance is None and "an approximate test, no theorem" in str(alarm)
    assert runs["stop"].rounds == alarm.round and runs["report"].rounds == 4000 == runs["restart"].rounds
    for size in (1, 50, 999):
        other = ls.play(learner, X[:2500], None if y is None else y[:2500], alarm="restart", alarm_test="drift", block_rows=size)
        assert other.alarm == alarm and other.speakers.tolist() == runs["restart"].speakers[:2500].tolist()
    if kind not in ("losses", "votes"):
        plain = ls.play(learner, X, y)
        assert runs["report"].predictions.tolist() == plain.predictions.tolist() and runs["restart"].first.mistakes == plain.mistakes
        assert runs["restart"].bounds()[0].holds


def test_ledgers_scores_and_models_are_those_of_the_rounds_played():
    X, _ = changed()
    learner = ls.passive_aggressive()
    y = (X[:, 0] > 0) ^ (np.arange(4000) >= 2000)
    for mode in ("stop", "report", "restart"):
        run = ls.play(learner, X, y, alarm=mode, alarm_test="drift", scores=True, ledger=True)
        rounds = run.rounds
        assert len(run.scores) == len(run.predictions) == rounds
        model, first = run.model, 0 if mode != "restart" else run.model_copy.first_round
        alone = ls.play(learner, X[first:rounds], y[first:rounds], ledger=True).model
        assert model.rounds == alone.rounds and model.mistakes == alone.mistakes
        assert model.ledger.rounds.tolist() == alone.ledger.rounds.tolist() and model.replay().mistakes == alone.mistakes
    scores = ls.play(learner, X[: run.alarm.round], y[: run.alarm.round], scores=True).scores
    assert run.scores[: run.alarm.round].tolist() == scores.tolist()


def test_a_restart_on_this_alarm_has_a_certificate():
    X, y = changed()
    run = ls.play(ls.arow(), X, y, alarm="restart", alarm_test="drift")
    assert ls.verify(ls.certify(run, X, y), X, y).verified and run.mistakes < 0.6 * run.first.mistakes


@cache
def in_runs(rounds=6000):
    """Labels that are wrong one after the other; nothing changes."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((rounds, 6)), rng.standard_normal(6)
    return X, (X @ w > 0) ^ np.array(errors(2, (rounds, 0.15), rho=0.9))


def test_the_exact_alarm_names_the_other_test_where_errors_come_in_runs():
    X, y = in_runs()
    exact = ls.play(ls.arow(), X, y, alarm="stop").alarm
    assert "its errors come in runs (autocorrelation 0." in str(exact) and "--alarm-test drift (alarm_test='drift')" in str(exact)
    assert ls.play(ls.arow(), X, y, alarm="stop", alarm_test="drift").alarm is None
    X, y = changed()
    assert "runs" not in str(ls.play(ls.arow(), X, y, alarm="stop").alarm)  # a change is no run of errors


REFUSED = [
    ({"alarm": "stop", "alarm_test": "adwin"}, "alarm_test='adwin' must be one of exchangeable, drift"),
    ({"alarm_test": "drift"}, "alarm_test='drift' goes with alarm"),
    ({"alarm": "stop", "alarm_test": "drift", "assume": "margin:gamma=1"}, "and without assume"),
    ({"alarm": "stop", "alarm_test": "drift", "passes": 2}, "those of a second pass are no new ones"),
    ({"alarm": "stop", "alarm_test": "drift", "delay": 3}, "labels that come at once"),
    ({"alarm": "stop", "alarm_test": "drift", "alarm_delta": 0}, "delta=0 must lie between 0 and 1"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(ls.LittlestoneError, match=message):
        ls.play(ls.perceptron(bias=0), [[1.0]], [1], **options)


def test_the_command_line(littlestone, tmp_path):
    X, y = changed()
    path, table = tmp_path / "changed.libsvm", tmp_path / "experts.csv"
    path.write_text("".join(f"{t} " + " ".join(f"{i}:{v:.3f}" for i, v in enumerate(x)) + "\n" for x, t in zip(X, y, strict=True)))
    use = ("run", path, "--learner", "arow", "--quiet", "--alarm-test", "drift")
    done = littlestone(*use, "--alarm", "--json")
    alarm = json.loads(done.stdout)["alarm"]
    assert done.returncode == 1 and 2000 < alarm["round"] <= 2400 and alarm["bound"] == "drift" and alarm["chance"] is None
    assert "2 segments, 1 alarm" in " ".join(littlestone(*use, "--restart-on-alarm").stdout.split())
    refused = littlestone(*use[:5], "--alarm", "--alarm-test", "ddm")
    assert refused.returncode == 2 and "must be one of exchangeable, drift" in refused.stderr
    truth, first, second = np.arange(4000) % 7, np.arange(4000) < 2000, np.arange(4000) % 3 == 0
    lines = [f"{t},{t + (0 if early else 3)},{t + (2 if odd else 1)}" for t, early, odd in zip(truth, first, second, strict=True)]
    table.write_text("truth,a,b\n" + "\n".join(lines) + "\n")
    done = littlestone("experts", table, "--rule", "hedge:eta=1/1000", "--alarm-report", "--alarm-test", "drift", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert 2000 < json.loads(done.stdout)["alarm"]["round"] < 2400
