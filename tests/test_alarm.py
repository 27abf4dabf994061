"""The alarm: at the round that proves an assumption false, no sooner and no later; segments; the command line.

That it is never false and never late is asked of every learner by the contract suite (littlestone.checks.alarms).
"""

import json
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, product
from math import inf, prod, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.checks import alarms
from littlestone.cli import app
from littlestone.errors import Refused
from littlestone.protocol import alarm as protocol_alarm
from littlestone.protocol import allowance
from littlestone.protocol import drift as protocol_drift
from littlestone.theory import change_alarm


@cache
def drift(rounds=3000, n=40):
    """A disjunction of two variables, and from the middle on of two others."""
    rng = np.random.default_rng(1)
    X = (rng.random((rounds, n)) < 0.2).astype(int)
    return X, np.where(np.arange(rounds) < rounds // 2, X[:, :2].any(axis=1), X[:, 5:7].any(axis=1)).astype(int)


def test_drift_is_noticed_after_it_happens_and_in_the_same_round_however_the_rounds_are_cut():
    X, y = drift()
    learner = ls.winnow(n=40)
    plain = ls.play(learner, X, y)
    limit = plain.bounds("disjunction:r=2")[0]
    assert limit.limit is None  # void: the whole run exceeds it
    rows = {size: ls.play(learner, X, y, assume="disjunction:r=2", alarm="stop", block_rows=size) for size in (1, 3, 64, 999, 4096)}
    assert len({run.alarm.row for run in rows.values()}) == 1
    run = rows[64]
    mistakes = np.cumsum(plain.predictions != y)
    assert run.alarm.row == int(np.argmax(mistakes > run.alarm.limit)) >= 1500
    assert run.alarm.mistakes == run.mistakes == run.alarm.limit + 1 and run.rounds == run.alarm.round
    assert run.predictions.tolist() == plain.predictions[: run.rounds].tolist()
    assert run.alarm.bound == "winnow-disjunction" and str(run.alarm).startswith(f"round {run.alarm.round}: ")
    assert ls.play(learner, X[:1500], y[:1500], assume="disjunction:r=2", alarm="stop").alarm is None


def test_reporting_changes_nothing_but_the_report():
    X, y = drift()
    stopped, told, plain = (
        ls.play(ls.winnow(n=40), X, y, **({"assume": "disjunction:r=2", "alarm": mode} if mode else {})) for mode in ("stop", "report", "")
    )
    assert told.alarm == stopped.alarm and told.predictions.tolist() == plain.predictions.tolist()
    assert told.state.e.tolist() == plain.state.e.tolist() if hasattr(plain.state, "e") else told.mistakes == plain.mistakes


def test_after_a_restart_the_segments_are_runs_of_their_own():
    X, y = drift()
    run = ls.play(ls.winnow(n=40), X, y, assume="disjunction:r=2", alarm="restart")
    first, second = run.segments
    assert (first.first_round, second.first_round) == (0, first.alarm.round) and second.alarm is None
    alone = ls.play(ls.winnow(n=40), X[second.first_round :], y[second.first_round :])
    assert second.predictions.tolist() == alone.predictions.tolist() and second.mistakes == alone.mistakes
    assert run.mistakes == first.mistakes + second.mistakes and run.rounds == 3000 == len(run.predictions)
    assert run.alarm == run.alarms[0] == first.alarm and run.mistakes == run.risk().M
    assert second.bounds("disjunction:r=2")[0].holds and "2 segments" in repr(run)
    assert run.hypothesis.predict({5}) and run.state is second.state
    with pytest.raises(ls.LittlestoneError, match="segments"):
        run.bounds()


def test_limits_that_grow_with_the_stream_are_those_of_the_round():
    """Without a declared R the largest row so far sets the limit: 5 mistakes are too many for rows of length 1, and not for longer ones."""
    gamma = "margin:gamma=0.5"
    short = ls.play(ls.perceptron(bias=0), [[1.0]] * 6, [0, 1, 0, 1, 0, 1], assume=gamma, alarm="stop")
    assert (short.alarm.row, short.alarm.mistakes, short.alarm.limit) == (4, 5, 4)
    grows = ls.play(ls.perceptron(bias=0), [[1.0]] * 4 + [[2.0]], [0, 1, 0, 1, 0], assume=gamma, alarm="stop")
    assert grows.mistakes == 5 and grows.alarm is None
    assert {late(size).alarm.row for size in (1, 2, 6)} == {4}


def late(size):
    """A longer row that comes too late to excuse what went before."""
    return ls.play(
        ls.perceptron(bias=0), [[1.0]] * 5 + [[9.0]], [0, 1, 0, 1, 0, 1], assume="margin:gamma=0.5", alarm="stop", block_rows=size
    )


def test_a_row_larger_than_declared_is_itself_a_contradiction():
    X = [[1.0, 0.0], [0.6, 0.8], [3.0, 4.0], [1.0, 0.0]]
    for size in (1, 4):
        run = ls.play(ls.perceptron(bias=0), X, [1, 1, 1, 0], assume="margin:gamma=0.1,R=1", alarm="stop", block_rows=size)
        assert run.alarm.row == 2 and run.rounds == 3 and "|x| = 5, more than the declared R=1" in run.alarm.reason
    run = ls.play(ls.balanced_winnow(), X, [1, 1, None, 0], assume="margin:gamma=0.9,X=3", alarm="stop")
    assert run.alarm.row == 2 and "max|x_i| = 4, more than the declared X=3" in run.alarm.reason
    unit = np.random.default_rng(3).normal(size=(300, 9))
    unit = (unit / np.linalg.norm(unit, axis=1, keepdims=True)).astype(np.float32)  # of length 1, give or take single precision
    assert ls.play(ls.perceptron(bias=0), unit, unit[:, 0] > 0, assume="margin:gamma=0.001,R=1", alarm="stop").alarm is None
    with_bias = ls.play(ls.perceptron(bias=1), [[1.0]], [1], assume="margin:gamma=0.1,R=1", alarm="stop")
    assert with_bias.alarm.row == 0  # the bias is a feature


def test_a_class_that_empties_raises_the_alarm_and_no_error():
    X, y = [{0}, {1}, {0}, {0}, {1}], [1, 0, 0, 0, 1]
    learner = ls.halving("disjunctions", n=3)
    with pytest.raises(ls.LittlestoneError, match="round 3"):
        ls.play(learner, X, y)
    for mode in ("stop", "report"):  # it cannot go on, so a report ends the run too
        run = ls.play(learner, X, y, assume="class", alarm=mode)
        assert run.alarm.row == 2 and run.alarm.refused and run.rounds == 2 == len(run.predictions)
        assert run.alarm.limit == 3 and "no concept of the class agrees" in run.alarm.reason
    run = ls.play(learner, X, y, assume="class", alarm="restart")
    assert [(s.first_round, s.rounds) for s in run.segments] == [(0, 2), (3, 2)]
    assert len(run.predictions) == 5 and run.predictions[2] and run.rounds == 4
    assert [claim.holds for s in run.segments for claim in s.bounds("class")] == [True] * 4
    assert (run.refused, run.risk().M, run.risk().T) == (1, run.mistakes + 1, 5)  # a refused round is a mistake


def test_risk_after_restarts_counts_what_was_refused():
    """Coins over one feature: any rule errs on half of fresh examples, and halving alone would say that it never errs."""
    rng = np.random.default_rng(1)
    X, y = [{0} if coin else set() for coin in rng.random(1000) < 0.5], rng.random(1000) < 0.5
    run = ls.play(ls.halving("dictators", n=1), X, y, assume="class", alarm="restart")
    assert run.mistakes == 0 and run.refused > 400 and run.risk(0.05).average > 0.5


def test_mistakes_of_a_kind_that_never_happens():
    run = ls.play(ls.disjunctions(3), [{0}, {0}], [0, 1], assume="disjunction", alarm="stop")
    assert run.alarm.row == 1 and "false negative" in run.alarm.reason
    run = ls.play(ls.conjunctions(4), [{0, 1}, {0}, {0}], [1, 1, 0], assume="conjunction", alarm="stop")
    assert run.alarm.row == 2 and "false positive" in run.alarm.reason
    run = ls.play(ls.memorizer(), [{0}, {0}, {0}], [1, 1, 0], assume="function:size=5", alarm="stop")
    assert run.alarm.row == 2 and "false positive" in run.alarm.reason


def test_features_still_to_come_are_not_held_against_the_target():
    X, y = [{0}, {1}, {2}, {5}, {6}], [0, 0, 0, 1, 1]  # x5 ∨ x6: three mistakes before either is met
    run = ls.play(ls.disjunctions(), X, y, assume="disjunction:r=2", alarm="stop")
    assert run.mistakes == 3 and run.alarm is None
    run = ls.play(ls.disjunctions(4), [{0}, {1}, {2}], [0, 0, 0], assume="disjunction:r=2", alarm="stop")
    assert run.alarm.row == 2  # with n known, three of four variables cannot be struck out
    X, y = [{0}, {0, 1}, {3}, {4}], [1, 1, 0, 0]  # ¬x3 ∧ ¬x4, after two mistakes
    run = ls.play(ls.conjunctions(), X, y, assume="conjunction:size=2", alarm="stop")
    assert run.mistakes == 2 and run.alarm is None


def test_weights_are_added_up():
    X, y = [[1.0]] * 6, [0, 1, 0, 1, 0, 1]
    run = ls.play(ls.perceptron(bias=0), X, y, sample_weight=[1, 1, 0.5, 1, 1, 1], assume="margin:gamma=0.5", alarm="stop")
    plain = ls.play(ls.perceptron(bias=0), X, y, sample_weight=[1, 1, 0.5, 1, 1, 1])
    sums = np.cumsum((plain.predictions != y) * [1, 1, 0.5, 1, 1, 1])
    assert run.alarm is not None and run.alarm.row == int(np.argmax(sums > 4)) and run.alarm.mistakes == pytest.approx(sums[run.alarm.row])


def test_scores_are_kept_as_far_as_the_run_goes():
    X, y = drift()
    run = ls.play(ls.perceptron(bias=1), X, y, assume="margin:gamma=0.6", alarm="stop", scores=True, block_rows=50)
    plain = ls.play(ls.perceptron(bias=1), X, y, scores=True)
    assert run.alarm and len(run.scores) == run.rounds and np.array_equal(run.scores, plain.scores[: run.rounds])


CLASSES = [
    (ls.multiclass_perceptron(), "margin:gamma=0.5,R=4"),
    (ls.one_vs_rest(ls.winnow(n=40)), "disjunction:r=2"),
    (ls.all_pairs(ls.winnow(n=40)), "disjunction:r=2"),
    (ls.one_vs_rest(ls.halving("disjunctions", n=6)), "class"),
]


@pytest.mark.parametrize(("learner", "assume"), CLASSES, ids=lambda value: str(value)[:30])
def test_several_classes(learner, assume):
    rng = np.random.default_rng(2)
    n = learner.n or 40
    X = (rng.random((400, n)) < 0.3).astype(int)
    y = np.array(["tea", "milk", "gin", "rum"])[np.where(np.arange(400) < 200, X[:, 0] + X[:, 1] * 2, 3 - X[:, 2])]
    runs = [ls.play(learner, X, y, assume=assume, alarm="stop", block_rows=size) for size in (1, 7, 4096)]
    assert len({run.alarm.row for run in runs}) == 1
    row = runs[0].alarm.row
    assert runs[0].rounds == row + (not runs[0].alarm.refused)
    if row:  # the round before, nothing was wrong: the definition
        before = ls.play(learner, X[:row], y[:row])
        assert all("exceed" not in claim.reason for claim in before.bounds(assume))
    run = ls.play(learner, X, y, assume=assume, alarm="restart", block_rows=33)
    start = 0
    for segment in run.segments:
        size = segment.rounds
        if size:
            alone = ls.play(learner, X[start : start + size], y[start : start + size])
            assert segment.first_round == start and segment.classes == alone.classes
            assert segment.predictions.tolist() == alone.predictions.tolist() and segment.mistakes == alone.mistakes
            assert run.predictions[start : start + size].tolist() == alone.predictions.tolist()
        start += size + (segment.alarm is not None and segment.alarm.refused)
    assert start == 400 == len(run.predictions) and len(run.segments) > 1


def test_a_class_learner_that_meets_its_assumption_raises_none():
    X, _ = drift()
    y = np.where(X[:, 0] == 1, "a", "b")  # each class is a disjunction, or its opposite; elimination of one of two features
    X = np.hstack([X, 1 - X[:, :1]])
    assert ls.play(ls.one_vs_rest(ls.winnow(n=41)), X, y, assume="disjunction:r=1", alarm="stop").alarm is None


def test_bad_input_after_the_alarm_does_not_hide_it():
    X = [{0: 1.0}] * 6 + [{0: np.inf}]
    for size in (1, 7):
        run = ls.play(ls.perceptron(bias=0), X, [0, 1, 0, 1, 0, 1, 1], assume="margin:gamma=0.5", alarm="stop", block_rows=size)
        assert run.alarm.row == 4
        with pytest.raises(ls.LittlestoneError, match="inf"):
            ls.play(ls.perceptron(bias=0), X, [0, 1, 0, 1, 0, 1, 1], assume="margin:gamma=0.5", alarm="report", block_rows=size)


BAD_USE = [
    ({"alarm": "bell", "assume": "margin:gamma=1"}, "alarm='bell' must be one of stop, report, restart"),
    ({"alarm": "stop", "passes": 2}, "those of a second pass are no new ones"),
    ({"alarm": "stop", "alarm_delta": 2}, "delta=2 must lie between 0 and 1"),
    ({"alarm": "stop", "delay": 3}, "labels that come at once"),
    ({"assume": "margin:gamma=1"}, "assume goes with alarm"),
    ({"alarm": "stop", "assume": "disjunction:r=1"}, "no theorem that assumes 'disjunction'"),
    ({"alarm": "stop", "assume": "margin"}, "needs gamma"),
    ({"alarm": "stop", "assume": "margin:gamma=1,r=2"}, "not 'r'"),
    ({"alarm": "stop", "assume": "margin:gamma=1", "check_invariants": True}, "leave one of them out"),
]


@pytest.mark.parametrize(("options", "message"), BAD_USE)
def test_bad_use_is_refused(options, message):
    with pytest.raises(ls.LittlestoneError, match=message):
        ls.play(ls.perceptron(bias=0), [[1.0]], [1], **options)


RULE = ([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 0, 0])  # the first expert errs twice, the second one too


def test_an_alarm_for_a_rule_is_raised_when_the_last_expert_has_lost_too_much():
    for size in (1, 2, 3):
        run = ls.play(ls.weighted_majority(n=2), *RULE, assume="expert:m=1", alarm="stop", block_rows=size)
        assert run.alarm.round == 3 and "more than the declared m=1" in run.alarm.reason
    assert ls.play(ls.weighted_majority(n=2), *RULE, assume="expert:m=2", alarm="stop").alarm is None
    with pytest.raises(ls.LittlestoneError, match="no theorem that assumes 'margin'"):
        ls.play(ls.weighted_majority(n=2), *RULE, assume="margin:gamma=1", alarm="stop")


def later(most):
    """A limit that forgets what the rounds so far showed: the first one for ever."""
    seen = {}

    def wrong(self, bound, run, measured, settled):
        return seen.setdefault((id(self), bound.name, run.first_round), most(self, bound, run, measured, settled))

    return wrong


MUTANTS = [
    ("disjunctions", {}, "_most", lambda most: lambda s, b, run, m, settled: most(s, b, run, m, True)),  # holds unmet features against it
    ("perceptron", {"bias": 0}, "_most", later),  # false alarms where rows grow
    ("perceptron", {"bias": 0}, "_most", lambda most: lambda *given: (most(*given) or 1) - 1),  # one too few
    ("winnow", {"n": 6}, "_most", lambda most: lambda *given: (most(*given) or 0) + 1),  # one too many
    ("perceptron", {"bias": 0}, "too_large", lambda _: lambda self, block: (len(block), "")),  # lets long rows pass
    (
        "memorizer",
        {},
        "counts",
        lambda counts: lambda s, run: {k: v for k, v in counts(s, run).items() if k in {b.name for b in s.theorems}},
    ),
]


@pytest.mark.parametrize(("name", "settings", "method", "change"), MUTANTS, ids=range(len(MUTANTS)))
def test_a_broken_alarm_is_caught(monkeypatch, name, settings, method, change):
    monkeypatch.setattr(allowance.Allowance, method, change(getattr(allowance.Allowance, method)))
    with pytest.raises(AssertionError):
        for check in (
            alarms.check_no_alarm_is_raised_where_the_assumption_holds,
            alarms.check_the_alarm_is_raised_at_the_first_round_beyond_a_limit,
        ):
            check(getattr(ls, name)(**settings))


def test_an_alarm_that_looks_only_at_ends_of_blocks_is_caught(monkeypatch):
    def sloppy(self, before):
        self._look(self.runner)
        return not any(limit.exceeded for limit in self.limits.values())

    monkeypatch.setattr(protocol_alarm.Guard, "_within", sloppy)
    assert late(6).alarm is None


def littlestone(*arguments):
    """The command, in this process: starting one takes longer than what is tested."""
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "140"})
    error = None if result.exception is None or isinstance(result.exception, SystemExit) else result.exception
    assert error is None or isinstance(error, ls.LittlestoneError), error
    code = result.exit_code if error is None else 1 if isinstance(error, Refused) else 2
    return SimpleNamespace(returncode=code, stdout=result.stdout, stderr=f"{result.stderr}{error or ''}")


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    X, y = drift()
    path = tmp_path_factory.mktemp("alarm") / "drift.libsvm"
    path.write_text("".join(f"{label} " + " ".join(f"{i + 1}:1" for i in np.flatnonzero(x)) + "\n" for x, label in zip(X, y, strict=True)))
    return path


USE = ["--learner", "winnow", "--n", "40", "--assume", "disjunction:r=2", "--quiet"]


def test_the_command_line_stops_with_1(stream):
    X, y = drift()
    expected = ls.play(ls.winnow(n=40), X, y, assume="disjunction:r=2", alarm="stop").alarm
    out = stream.with_name("out.txt")
    said = littlestone("run", stream, *USE, "--alarm", "--json", "--predictions", out)
    found = json.loads(said.stdout)
    assert said.returncode == 1 and found["alarm"]["round"] == expected.round == found["rounds"] == len(out.read_text().split())
    assert (found["alarm"]["mistakes"], found["alarm"]["limit"]) == (expected.mistakes, expected.limit)
    said = littlestone("run", stream, *USE, "--alarm")
    assert said.returncode == 1 and f"Alarm at {stream}, line {expected.round}:" in " ".join(said.stdout.split())


def test_the_command_line_reports_and_restarts_with_0(stream):
    X, y = drift()
    said = littlestone("run", stream, *USE, "--alarm-report", "--json", "--iid", "0.05")
    found = json.loads(said.stdout)
    assert said.returncode == 0 and found["rounds"] == 3000 and found["alarm"]["round"] > 1500
    assert found["risk"] == ls.play(ls.winnow(n=40), X, y).risk(0.05).as_json()
    said = littlestone("run", stream, *USE, "--restart-on-alarm", "--json")
    found = json.loads(said.stdout)
    run = ls.play(ls.winnow(n=40), X, y, assume="disjunction:r=2", alarm="restart")
    assert said.returncode == 0 and found["mistakes"] == run.mistakes and found["alarm"] == found["segments"][0]["alarm"]
    shown = [(s["first_round"], s["rows"], s["mistakes"]) for s in found["segments"]]
    assert shown == [(s.first_round, s.rounds, s.mistakes) for s in run.segments]
    assert all(bound["holds"] for bound in found["segments"][-1]["bounds"])
    lines = littlestone("run", stream, *USE, "--restart-on-alarm").stdout
    assert "2 segments, 1 alarm" in " ".join(lines.split()) and "Segment 2, rounds" in lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alarm", "--passes", "2"], "those of a second pass are no new ones"),
        (["--alarm", "--alarm-delta", "0"], "delta=0 must lie between 0 and 1"),
        (["--window", "0"], "--window 0 must be at least 1"),
        (["--alarm", "--alarm-report", "--assume", "margin:gamma=1"], "one at a time"),
        (["--iid", "2"], "delta=2 must lie between 0 and 1"),
    ],
)
def test_the_command_line_refuses_bad_use(stream, options, message):
    said = littlestone("run", stream, "--learner", "perceptron:bias=0", "--quiet", *options)
    assert said.returncode == 2 and message in said.stderr and "Traceback" not in said.stderr


def test_without_an_alarm_the_command_line_says_so(stream):
    said = littlestone("run", stream, "--learner", "winnow", "--n", "40", "--assume", "disjunction:r=20", "--quiet", "--alarm")
    assert said.returncode == 0 and "No alarm" in said.stdout


@pytest.mark.parametrize("mode", ["--alarm", "--alarm-report", "--restart-on-alarm"])
def test_without_an_alarm_the_drift_test_says_only_what_it_looked_at(tmp_path, mode):
    quiet = tmp_path / "quiet.libsvm"
    quiet.write_text("1 1:1\n0 2:1\n" * 200)
    said = littlestone("run", quiet, "--learner", "perceptron", "--quiet", mode, "--alarm-test", "drift")
    words = " ".join(said.stdout.split())
    assert said.returncode == 0 and "stream has changed" not in words
    assert "No alarm: this test looked at how often the run itself erred, and found no lasting rise." in words
    exact = " ".join(littlestone("run", quiet, "--learner", "perceptron", "--quiet", mode).stdout.split())
    assert "No alarm: nothing in these rounds shows that the stream has changed." in exact


def test_of_a_rule_the_drift_test_says_the_same(tmp_path):
    table = tmp_path / "votes.csv"
    table.write_text("a,b,truth\n" + "1,0,1\n0,1,0\n" * 200)
    said = " ".join(littlestone("experts", table, "--rule", "weighted_majority", "--alarm", "--alarm-test", "drift").stdout.split())
    assert "No alarm: this test looked at how often the run itself erred, and found no lasting rise." in said


# ---------------------------------------------------------------------------------------------------- the alarm without an assumption


@cache
def changed(rounds=4000, n=8, seed=0):
    """A linear rule with labels of which a twentieth are wrong, and from the middle on another linear rule."""
    rng = np.random.default_rng(seed)
    X, rules = rng.standard_normal((rounds, n)), rng.standard_normal((2, n))
    y = np.where(np.arange(rounds) < rounds // 2, X @ rules[0] > 0, X @ rules[1] > 0) ^ (rng.random(rounds) < 0.05)
    return X, y.astype(int)


KINDS_OF_LEARNERS = {
    "two classes": lambda X, y: (ls.perceptron(), X, y),
    "panel": lambda X, y: (ls.panel(["perceptron", "arow"]), X, y),
    "several classes": lambda X, y: (ls.multiclass_perceptron(), X, np.array(["a", "b", "c"])[y + (X[:, 0] > 1)]),
    "votes": lambda X, y: (ls.adahedge(), (X[:, :4] > 0).astype(int), np.where(np.arange(len(X)) < len(X) // 2, X[:, 0] > 0, X[:, 1] > 0)),
    "losses": lambda X, y: (
        ls.adahedge(advice="loss"),
        np.where((np.arange(len(X)) < len(X) // 2)[:, None] == (np.arange(4) < 2), 0.2, 1.0) * (X[:, :4] > 0),
        None,
    ),
}


@pytest.mark.parametrize("kind", KINDS_OF_LEARNERS)
def test_a_change_is_found_without_an_assumption(kind):
    learner, X, y = KINDS_OF_LEARNERS[kind](*changed())
    runs = [ls.play(learner, X, y, alarm=mode) for mode in ("report", "stop", "restart")]
    alarm = runs[0].alarm
    assert alarm == runs[1].alarm == runs[2].alarm and 2000 < alarm.round <= 2500 and alarm.chance <= 0.05 and abs(alarm.since - 2001) < 100
    assert runs[1].rounds == alarm.round and runs[0].rounds == 4000 == runs[2].rounds and runs[2].segments[1].first_round == alarm.round
    assert (ls.play(learner, X, y).state[0] == runs[0].state[0]).all() if kind == "two classes" else True  # watching changes nothing
    if kind == "two classes":
        assert {ls.play(learner, X, y, alarm="stop", block_rows=size).alarm for size in (1, 50, 999)} == {alarm}
        half = ls.play(learner, X[:1000], y[:1000], ledger=True).model
        assert 1000 < ls.play(half, X[1000:], y[1000:], alarm="stop").alarm.round <= 1500


def test_the_tail_is_that_of_all_arrangements():
    for n, K, W in ((7, 3, 4), (8, 5, 3), (9, 4, 8)):
        arranged = [sum(place >= n - W for place in places) for places in combinations(range(n), K)]
        for k in range(W + 2):
            assert change_alarm.tail(n, K, W, k) == pytest.approx(sum(count >= k for count in arranged) / len(arranged), rel=1e-8)


def test_p_values_of_blocks_are_no_smaller_than_independent_uniform_ones(monkeypatch):
    """Over all arrangements of the errors, together: however small each of them is asked to be."""
    monkeypatch.setattr(change_alarm, "BLOCK", 3)
    levels = (0.02, 0.1, 0.2, 0.35, 0.5, 0.8, 1.0)
    for K in range(10):
        ps = []
        for places in combinations(range(9), K):
            errors = [0, *accumulate(t in places for t in range(9))]
            ps.append([change_alarm.p_value(errors, n) for n in (3, 6, 9)])
        for limits in product(levels, repeat=3):
            share = sum(all(p <= x for p, x in zip(row, limits, strict=True)) for row in ps) / len(ps)
            assert share <= limits[0] * limits[1] * limits[2] * (1 + 1e-6)
        assert K in (0, 9) or len({p for row in ps for p in row}) > 5  # places count, not numbers alone


def test_the_chance_of_looks_that_overlap_is_bounded(monkeypatch):
    """Against all sequences of scores, where there are three."""
    monkeypatch.setattr(change_alarm, "LEVELS", [0.2, 0.7])
    change_alarm.laws.cache_clear()
    for w, looks in ((1, 4), (2, 4), (3, 3), (3, 1)):
        chances = (0.3, 0.5, 0.2)
        at_least, _ = change_alarm.laws(w)
        for c in range(2 * w + 1):
            first = ever = 0.0
            for scores in product(range(3), repeat=w + looks - 1):
                chance = prod(chances[i] for i in scores)
                sums = [sum(scores[t : t + w]) for t in range(looks)]
                first += chance * (sums[0] >= c)
                ever += chance * (max(sums) >= c)
            bound = change_alarm.ever(w, looks, c)
            assert at_least[c] == pytest.approx(first) and ever <= bound <= looks * first + 1e-8
            assert looks > 2 or w > 1 or bound == pytest.approx(ever)
    change_alarm.laws.cache_clear()


def look_times(j, w):
    """After how many rounds: from s on to 3·s, or to 1,500, and not before w blocks have half as many before them."""
    frozen = 125 * 2**j
    return [n for n in range(50, max(3 * frozen, 1500) + 1, 50) if n > frozen and n // 50 - w >= w // 2]


def test_the_parts_of_all_looks_add_up_to_delta():
    judges = [change_alarm.Judge(j, Fraction(1, 20)) for j in range(24)]
    assert all(sum(judge.parts.values()) == change_alarm.part_of(j) for j, judge in enumerate(judges))
    assert Fraction(98, 100) < sum(map(change_alarm.part_of, range(24))) < 1
    for j, judge in enumerate(judges[:6]):
        for w, looks in judge.looks.items():
            level = float(judge.parts[w]) / 20
            assert change_alarm.ever(w, looks, judge.least[w]) <= level < change_alarm.ever(w, looks, judge.least[w] - 1)
            assert looks == len(look_times(j, w))


def test_looks_are_taken_when_they_were_counted_and_at_no_other_time():
    """Where every look would raise an alarm."""
    for j in range(4):
        for w in change_alarm.Judge(j, Fraction(1, 20)).looks:
            judge = change_alarm.Judge(j, Fraction(1, 20))
            judge.least = {each: 0 if each == w else inf for each in judge.least}
            looks = [n for n in range(50, 5000, 50) if judge.add([False] * 50)]
            assert looks == look_times(j, w) and len(looks) == judge.looks[w]


def test_no_part_of_delta_is_spent_twice():
    for at_once in (False, True):
        frozen = [j for n in range(5000) if (j := change_alarm.frozen_after(n, at_once=at_once)) is not None]
        assert frozen == [0, 1, 2, 3, 4, 5]


def test_the_chance_of_an_alarm_is_the_least_delta_that_raises_it():
    errs = (np.random.default_rng(5).random(3000) < np.where(np.arange(3000) < 1500, 0.1, 0.2)).tolist()
    sign = change_alarm.Judge(3, Fraction(1, 20)).add(errs)
    assert change_alarm.Judge(3, Fraction(sign.chance) * Fraction(1001, 1000)).add(errs[: sign.n]) == sign
    assert change_alarm.Judge(3, Fraction(sign.chance) * Fraction(999, 1000)).add(errs[: sign.n]) is None


@pytest.mark.parametrize("kind", [*KINDS_OF_LEARNERS, "forecasts"])
def test_a_frozen_hypothesis_errs_on_a_round_whatever_the_rounds_before_it(monkeypatch, kind):
    """So its errors are exchangeable where the rounds are: in another order of these they come in that order."""
    rng = np.random.default_rng(2)
    if kind == "forecasts":
        learner, y = ls.ml_prod(advice="loss", loss="squared"), rng.standard_normal(700)
        X = y[:, None] + rng.standard_normal((700, 3))
    else:
        learner, X, y = KINDS_OF_LEARNERS[kind](*changed(rounds=700))
    y = None if y is None else np.array(y, float if kind == "forecasts" else object)
    if y is not None:
        y[300::7] = np.nan if kind == "forecasts" else None  # no label
    errs = protocol_drift.Frozen.errs
    order, found = np.concatenate([np.arange(300), 300 + rng.permutation(400)]), []
    for rows, size in ((np.arange(700), 700), (order, 11)):
        made = []
        monkeypatch.setattr(
            protocol_drift.Frozen, "errs", lambda frozen, block, made=made: made.append((frozen.after, errs(frozen, block))) or made[-1][1]
        )
        ls.play(learner, X[rows], None if y is None else y[rows], alarm="report", alarm_delta=1e-90, block_rows=size)
        labelled = np.array([y is None or (y[row] == y[row] and y[row] is not None) for row in rows])
        by_row = dict(
            zip(rows[np.flatnonzero(labelled)[250:]].tolist(), np.concatenate([part for after, part in made if after == 250]), strict=True)
        )
        found.append(by_row)
    assert found[0] == found[1] and 0 < sum(found[0].values()) < len(found[0])


def test_each_segment_is_watched_from_where_it_stands():
    X, y = changed()
    X, y = np.concatenate([X, X[:2000]]), np.concatenate([y, y[:2000]])  # and back
    run = ls.play(ls.perceptron(), X, y, alarm="restart")
    first = run.segments[1].first_round
    alone = ls.play(ls.perceptron(), X[first:], y[first:], alarm="stop").alarm
    assert len(run.segments) == 3 and run.alarms[1].row == first + alone.row and run.alarms[1].chance == alone.chance
    learned = ls.play(ls.perceptron(), X[1000:1850], y[1000:1850], ledger=True).model
    going_on = ls.play(learned, X[1850:2250], y[1850:2250], alarm="stop")  # it has learned something already, and the next one has not
    anew = ls.play(ls.perceptron(), [[1.0]] * 400, np.arange(400) >= 200, alarm="stop")
    assert "hypothesis of the beginning " in str(going_on.alarm) and "hypothesis of round 125 " in str(anew.alarm)


STEADY = {
    "a tenth": lambda rng, n: rng.random(n) < 0.1,
    "a half": lambda rng, n: rng.random(n) < 0.5,
    "one of a hundred": lambda rng, n: rng.random(n) < 0.01,
    "as many, shuffled": lambda rng, n: rng.permutation(np.arange(n) < n // 8),
    "five, shuffled": lambda rng, n: rng.permutation(np.arange(n) < 5),
    "a rate of its own": lambda rng, n: rng.random(n) < rng.random(),
}


@pytest.mark.parametrize("kind", STEADY)
def test_false_alarms_are_as_rare_as_promised(kind):
    """Errors of frozen hypotheses, drawn; benchmarks/drift.py plays whole streams."""
    rng, delta = np.random.default_rng(5), Fraction(9, 10)
    false = sum(change_alarm.Judge(3, delta).add(STEADY[kind](rng, 3000).tolist()) is not None for _ in range(200))
    most = float(delta * change_alarm.part_of(3)) * 200
    assert false <= most + 2 * sqrt(most)
    assert false >= most / 2 or kind in ("one of a hundred", "five, shuffled")  # and δ is used


def test_a_change_of_ten_points_is_found():
    rng = np.random.default_rng(5)
    for least, before in ((98, 0.02), (95, 0.1), (75, 0.2)):
        found = 0
        for _ in range(100):
            errs = rng.random(2700) < np.where(np.arange(2700) < 2200, before, before + 0.1)
            sign = change_alarm.Judge(3, Fraction(1, 20)).add(errs.tolist())
            found += sign is not None and sign.n > 2200
        assert found >= least


def test_a_change_is_found_early_in_a_stream():
    """After 800 rounds, by the first hypotheses, which are judged beside the later ones."""
    rng, found = np.random.default_rng(5), 0
    for _ in range(100):
        errs = (rng.random(1300) < np.where(np.arange(1300) < 800, 0.1, 0.2)).tolist()
        signs = [change_alarm.Judge(j, Fraction(1, 20)).add(errs[125 * 2**j :]) for j in range(3)]
        ends = [125 * 2**j + sign.n for j, sign in enumerate(signs) if sign is not None]
        found += bool(ends) and min(ends) > 800
    assert found >= 85


def test_an_alarm_of_forecasts_watches_what_the_forecasts_lose():
    """A rule that is told gradients forecasts itself: what a frozen one loses is known from the truth alone."""
    rng = np.random.default_rng(3)
    truth = rng.standard_normal(2000)
    forecasts = truth[:, None] + rng.standard_normal((2000, 5)) * np.linspace(0.3, 2, 5)
    forecasts[1200:] += rng.standard_normal((800, 1))  # all of them err alike
    for rule in (ls.rule_of_rules(advice="loss", loss="squared"), ls.ml_poly(advice="loss", loss="absolute")):
        runs = [ls.play(rule, forecasts, truth, alarm=mode) for mode in ("stop", "report")]
        assert runs[0].alarm == runs[1].alarm and 1200 < runs[0].alarm.round <= 1400 and "lost much" in str(runs[0].alarm)
        assert ls.play(rule, forecasts[:1200], truth[:1200], alarm="stop").alarm is None
        assert ls.play(rule, forecasts, truth).loss == runs[1].loss


def test_the_command_line_finds_a_change(tmp_path):
    X, y = changed()
    path, model = tmp_path / "changed.libsvm", tmp_path / "model"
    path.write_text("".join(f"{t} " + " ".join(f"{i}:{v:.3f}" for i, v in enumerate(x)) + "\n" for x, t in zip(X, y, strict=True)))
    use = ("run", path, "--learner", "perceptron", "--quiet", "--json")
    stopped = littlestone(*use, "--alarm", "--model", model)
    reported = json.loads(littlestone(*use, "--alarm-report", "--window", "300").stdout)
    alarm = json.loads(stopped.stdout)["alarm"]
    assert stopped.returncode == 1 and alarm == reported["alarm"] and 2000 < alarm["round"] <= 2500 and alarm["chance"] < 0.05
    assert ls.load(model).rounds == alarm["round"] and reported["rounds"] == 4000 and reported["window"]["rounds"] == 300
    words = " ".join(littlestone("run", path, "--learner", "perceptron", "--quiet", "--restart-on-alarm").stdout.split())
    assert "2 segments, 1 alarm" in words and "the stream has changed" in words and "The last 1,000 rounds:" in words
