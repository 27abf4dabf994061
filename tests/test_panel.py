"""The panel: members play as they would alone, the rule hears their votes, and the theorems of both hold."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.learners.reductions import _class_table, _table
from littlestone.learners.reductions import panel as module
from littlestone.learners.reductions._table import FORECASTS, Table
from littlestone.protocol import Opening
from littlestone.theory.sealed import digest_of

MEMBERS = ["perceptron:bias=1", "arow", "adaptive:eta=1/10", "winnow"]


def stream(rounds=600, n=12, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = (rng.random((rounds, n)) < 0.3).astype(np.float32)
    y = (X[:, 0] + X[:, 3] - X[:, 5] > 0).astype(int)
    y[rng.random(rounds) < noise] ^= 1
    return X, y


def test_members_play_as_they_would_alone_and_the_rule_hears_their_votes():
    X, y = stream()
    run = ls.play(ls.panel(MEMBERS, blend=False, label_by="vote"), X, y, boolean=True)
    alone = [ls.play(ls.learners.named(name), X, y, boolean=True) for name in MEMBERS]
    assert [seat.mistakes for seat in run.members] == [one.mistakes for one in alone]
    votes = np.stack([one.predictions for one in alone], axis=1).astype(np.float32)
    rule = ls.play(ls.adahedge(), votes, y)
    assert run.predictions.tolist() == (rule.mix >= 0.5).tolist()
    assert run.mistakes == rule.majority_mistakes
    np.testing.assert_allclose([seat.weight for seat in run.members], rule.weights, rtol=1e-12)


@pytest.mark.parametrize("rule", ["adahedge", "weighted_majority", "fixed_share:alpha=1/100", "hedge", "follow_leader", "tracking"])
def test_no_stream_exceeds_the_bounds(rule):
    for seed in range(6):
        X, y = stream(200, 6, seed, noise=0.1 * seed)
        run = ls.play(ls.panel(["perceptron", "arow:bias=1", "adaptive"], rule=rule), X, y)
        claims = run.bounds() + run.forecasts.bounds
        assert len(claims) >= 4 and all(claim.holds for claim in claims), [(c.name, c.observed, c.limit) for c in claims]
        best = min(seat.mistakes for seat in run.members)
        assert all(claim.facts["m"] == best for claim in claims if "m" in claim.facts)


def test_a_panel_that_decides_wrongly_exceeds_its_bounds(monkeypatch):
    """The tests above can fail: a panel that predicts against the majority errs more often than it may."""

    right = _table.count_wrong

    def minority(mix, votes, labels, heeded, weights, predictions, *accounts):
        right(mix, votes, labels, heeded, weights, predictions, *accounts)
        predictions[:] = ~predictions

    monkeypatch.setattr(Table, "native_for", lambda self, state: None)
    monkeypatch.setattr(_table, "count_wrong", minority)
    X, y = stream(noise=0.0)
    run = ls.play(ls.panel(["perceptron", "arow"], label_by="vote"), X, y)
    assert not all(claim.holds for claim in run.bounds())


def unlikelier(right):
    """The less likely label of each round has the larger probability; what is lost is counted as it was."""

    def blend(*arguments, **how):
        return -right(*arguments, **how)

    return blend


def voting_wrong(right):
    """The vote's mistakes are counted as if it had predicted the other label."""

    def count_wrong(mix, votes, labels, heeded, weights, predictions, mistakes, loss, vote_mistakes):
        known, before = (labels >= 0).sum(), vote_mistakes[0]
        right(mix, votes, labels, heeded, weights, predictions, mistakes, loss, vote_mistakes)
        vote_mistakes[:2] = before + known - (vote_mistakes[0] - before)

    return count_wrong


@pytest.mark.parametrize(
    ("place", "name", "mutant", "broken"), [(Table, "blend", unlikelier, "log-loss"), (_table, "count_wrong", voting_wrong, "loss")]
)
def test_a_label_that_is_not_the_forecasts_exceeds_its_bounds(place, name, mutant, broken, monkeypatch):
    """M ≤ Λ/ln 2 is about the label; M ≤ B + M - M_vote is about the vote, and would hold of any label."""
    X, y = stream(noise=0.0)
    right = ls.play(ls.panel(["perceptron", "arow"]), X, y)
    assert all(claim.holds for claim in right.bounds())
    monkeypatch.setattr(Table, "native_for", lambda self, state: None)
    monkeypatch.setattr(place, name, mutant(getattr(place, name)))
    run = ls.play(ls.panel(["perceptron", "arow"]), X, y)
    cert = ls.certify(run, X, y) if name == "blend" else None
    monkeypatch.undo()
    if cert is None:
        with pytest.raises(LittlestoneError, match="not what this run was played on"):
            ls.certify(run, X, y)
    else:
        with pytest.raises(LittlestoneError, match="mistakes: replaying the forecasts, row"):
            ls.verify(cert, X, y, replay=True)
    assert {claim.name for claim in run.bounds() if claim.holds is False} >= {f"panel-{broken}"}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_label_is_the_forecasts(classes, weighted, tmp_path):
    """In a block, event by event, and from a file that was saved; the vote stands beside it, and is asked for by name."""
    X, y = stream(150)
    labels = y if classes == 2 else y + (X[:, 1] > 0)
    weights = np.random.default_rng(5).choice([0.5, 1.0, 3.0], len(y)) if weighted else None
    run = ls.play(ls.panel(), X, labels, sample_weight=weights, scores=True)
    vote = ls.play(ls.panel(label_by="vote"), X, labels, sample_weight=weights, scores=True)
    assert run.forecasts == vote.forecasts and run.members == vote.members, "the label has no part in what is learned"
    assert run.mistakes == run.forecast_mistakes == vote.forecast_mistakes and run.vote_mistakes == vote.mistakes == vote.vote_mistakes
    assert run.mistakes != vote.mistakes, "the stream tells them apart"
    likelier = run.scores >= 0 if classes == 2 else None
    model = ls.panel().start() if classes == 2 else ls.class_panel().start()
    for t, (x, label) in enumerate(zip(X, labels, strict=True)):
        assert model.predict(x) == run.predictions[t]
        if classes == 2:
            assert model.predict(x) == likelier[t] == (model.probability(x) >= 0.5)
        elif t:
            chances = model.probabilities(x)
            assert model.predict(x) == max(chances, key=chances.get)
        model.update(x, label, *(() if weights is None else (weights[t],)))
    assert (model.mistakes, model.vote_mistakes) == (run.mistakes, run.vote_mistakes)
    run.model.save(tmp_path / "panel.littlestone")
    again = ls.load(tmp_path / "panel.littlestone")
    assert again.learner.label_by == "forecast" and again.vote_mistakes == run.vote_mistakes
    assert again.predict_many(X).tolist() == model.predict_many(X).tolist()


def test_both_as_likely_is_a_1():
    """Before any label every forecaster gives 1/2, whatever rounding makes of it; so does a row that says nothing."""
    rng = np.random.default_rng(1)
    for members in (["perceptron", "arow"], ["adaptive"], ["adaptive", "passive_aggressive", "coin"]):
        X = rng.standard_normal((1, 5)).astype(np.float32)
        run = ls.play(ls.panel(members), X, [0], scores=True)
        assert run.predictions.tolist() == [True] and run.mistakes == run.forecast_mistakes == 1
        assert run.scores.tolist() == [0.0] and ls.panel(members).start().predict(X[0]) is True


def test_panels_of_before_keep_the_votes_label(tmp_path):
    """Their settings do not name `label_by`."""
    X, y = stream(200)
    whole = ls.play(ls.panel(MEMBERS, label_by="vote"), X, y)
    assert "label_by" not in whole.learner.settings
    ls.play(ls.panel(MEMBERS, label_by="vote"), X[:90], y[:90]).model.save(tmp_path / "before.littlestone")
    before = ls.load(tmp_path / "before.littlestone")
    after = ls.play(before, X[90:], y[90:])
    assert before.learner.label_by == "vote" and after.mistakes == whole.mistakes and all(map(np.array_equal, after.state, whole.state))
    assert after.predictions.tolist() == whole.predictions[90:].tolist()


def peeking(patch):
    """The others among the forecasters, and the mixture, are counted as if they knew the label."""
    right = Table.blend

    def blend(self, state, *arguments, **how):
        odds = right(self, state, *arguments, **how)
        products, halvings, counts = (state[self.at[name]] for name in FORECASTS)
        products[len(self.members) :], halvings[len(self.members) :], counts[1] = 1.0, 0.0, 0
        return odds

    patch.setattr(Table, "blend", blend)


def trusting_the_worst(patch):
    """After each block all weight lies on who lost most."""
    right = Table.blend

    def blend(self, state, *arguments, **how):
        odds = right(self, state, *arguments, **how)
        weights, products, halvings = (state[self.at[name]] for name in ("forecast_weights", *FORECASTS[:2]))
        lost = halvings[:-1] - np.log2(products[:-1])
        weights[:] = lost == lost.max()
        weights /= weights.sum()
        return odds

    patch.setattr(Table, "blend", blend)


def far_off(patch):
    """The bins take the odds for other ones."""
    patch.setattr(_table, "AGAINST", 5.0 * _table.AGAINST)


def another_stack(patch):
    """The bins put another stack right."""
    patch.setattr(_table, "BINNED", _table.BINNED - 1)


@pytest.mark.parametrize(
    ("mutant", "caught_by"), [(peeking, "replay"), (trusting_the_worst, "bound"), (far_off, "replay"), (another_stack, "replay")]
)
def test_forecasts_that_are_wrong_are_caught(mutant, caught_by, monkeypatch):
    X, y = stream(150, 6)
    with monkeypatch.context() as patch:
        patch.setattr(Table, "native_for", lambda self, state: None)
        mutant(patch)
        run = ls.play(ls.panel(["perceptron", "arow"], label_by="vote"), X, y, block_rows=5)
    cert = ls.certify(run, X, y)
    assert all(claim.holds for claim in run.forecasts.bounds) == (caught_by == "replay")
    with pytest.raises(LittlestoneError, match="panel.forecasts: the log-loss of"):
        ls.verify(cert, X, y, replay=True)


def test_forged_forecasts_are_refused():
    X, y = stream(60, 6)
    text = json.dumps(ls.certify(ls.play(ls.panel(["perceptron", "arow"]), X, y), X, y).content)
    for key in ("log_loss", "mistakes", "rounds", "forecasters", "bounds", "bins"):
        content = json.loads(text)
        forecasts = content["panel"]["forecasts"]
        forecasts[key] = forecasts[key][::-1] if isinstance(forecasts[key], list) else forecasts[key] + 1
        with pytest.raises(LittlestoneError, match="panel.forecasts"):
            ls.verify({**content, "digest": digest_of(content)}, X, y, replay=True)


def test_panels_of_before_there_were_bins_stay_what_they_were(tmp_path):
    """Their settings do not name the bins; a certificate verifies, and a model goes on as it began."""
    X, y = stream(120, 6)
    members = ["perceptron", "adaptive:eta=1"]
    before, whole = ls.panel(members, calibrate=False), ls.play(ls.panel(members, calibrate=False), X, y)
    cert = ls.certify(whole, X, y)
    assert "calibrate" not in cert.content["learner"]["settings"] and "bins" not in cert.content["panel"]["forecasts"]
    assert ls.verify(cert, X, y, replay=True).replayed and whole.forecasts.names[-3:] == ("stack-1", "stack-10", "stack-1000")
    assert all(claim.holds for claim in whole.forecasts.bounds) and len(whole.forecasts.bounds) == 2
    ls.play(before, X[:60], y[:60]).model.save(tmp_path / "before.littlestone")
    after = ls.play(ls.load(tmp_path / "before.littlestone"), X[60:], y[60:])
    assert all(map(np.array_equal, after.state, whole.state))


def test_probabilities_are_written_beside_predictions(file, tmp_path):
    out, lines, other = tmp_path / "out", tmp_path / "out.jsonl", tmp_path / "other"
    few = ("--members", "perceptron arow", "--quiet", "--probabilities", "--predictions")
    done = littlestone("run", file, *few, out)
    assert "expected calibration error" in done.stdout and "by panel-forecast" in done.stdout
    littlestone("run", file, *few, lines)
    texts, objects = out.read_text().splitlines(), [json.loads(line) for line in lines.read_text().splitlines()]
    assert texts == [f"{one['label']}\t{one['probability']!r}" for one in objects]
    assert all(one["probability"] == pytest.approx(1 / (1 + np.exp(-one["score"]))) for one in objects)
    refused = littlestone("run", file, "--learner", "perceptron", "--probabilities", "--predictions", other)
    assert "--probabilities: perceptron gives none" in str(refused.exception) and not other.exists()


def test_late_labels_leave_out_what_is_proved_of_forecasts(file):
    """The account of a panel is of what it would have said when a label came, and not of what it said."""
    late = littlestone("run", file, "--members", "perceptron arow", "--delay", 20, "--quiet", "--probabilities").stdout
    assert "Labels came late: the theorems about forecasts" in late and "by panel-forecast" not in late and "log-loss" in late
    X, y = stream(60, 6)
    runs = [ls.play(ls.panel(["perceptron"]), X, np.where(X[:, 0] > 0, 2, y), delay=delay) for delay in (None, 5)]
    assert [run.metrics.log_loss is None for run in runs] == [False, True]


@pytest.mark.parametrize("classes", [2, 3])
def test_threads_change_nothing(classes, monkeypatch):
    X, y = stream(2000, 40)
    learner, labels = (ls.panel(MEMBERS), y) if classes == 2 else (ls.class_panel(), y + (X[:, 1] > 0))
    runs = []
    for threads in (1, 3):
        for table in (_table, _class_table):
            monkeypatch.setattr(table, "native_threads", lambda threads=threads: threads)
        runs.append(ls.play(learner, X, labels, boolean=True, scores=True))
    one, many = runs
    assert one.predictions.tolist() == many.predictions.tolist() and one.scores.tobytes() == many.scores.tobytes()
    assert learner.engine(Opening()).alike(one.state, many.state) if classes == 3 else learner.alike(one.state, many.state)


WITH_TOO_MANY_THREADS = """
import resource
from pathlib import Path
import numpy as np
import littlestone as ls
from littlestone.learners.reductions import _class_table, _table

rng = np.random.default_rng(5)
X = (rng.random((2000, 40)) < 0.5).astype(np.float32)
labels = [X[:, 0] > 0, X[:, 0] + (X[:, 1] > 0)]
learners = [ls.panel(["perceptron", "arow"]), ls.class_panel(["perceptron", "arow"])]
wanted = [ls.play(learner, X, y, boolean=True).mistakes for learner, y in zip(learners, labels)]
for table in (_table, _class_table):
    table.native_threads = lambda: 500
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 400 * 2**20, resource.RLIM_INFINITY))
assert [ls.play(learner, X, y, boolean=True).mistakes for learner, y in zip(learners, labels)] == wanted
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nobody tells how large a process is")
def test_a_system_that_gives_no_more_threads_stops_nobody():
    done = subprocess.run([sys.executable, "-c", WITH_TOO_MANY_THREADS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_threads_of_members_in_python_change_nothing(monkeypatch):
    X, y = stream(2000, 40)
    monkeypatch.setattr(Table, "native_for", lambda self, state: None)
    monkeypatch.setattr(_table, "_pool", lambda: None)
    one = ls.play(ls.panel(MEMBERS), X, y, boolean=True)
    monkeypatch.setattr(_table, "SHARED", 0)
    with ThreadPoolExecutor(3) as pool:
        monkeypatch.setattr(_table, "_pool", lambda: pool)
        many = ls.play(ls.panel(MEMBERS), X, y, boolean=True)
    assert one.predictions.tolist() == many.predictions.tolist()
    assert all(np.array_equal(a, b) for a, b in zip(one.state, many.state, strict=True))
    monkeypatch.undo()
    natively = ls.play(ls.panel(MEMBERS), X, y, boolean=True)
    assert natively.predictions.tolist() == one.predictions.tolist() and all(map(np.array_equal, natively.state, one.state))


def test_declared_members(tmp_path):
    X, y = stream()
    run = ls.play(ls.panel(["perceptron", "arow"]), X, y)
    m = min(seat.mistakes for seat in run.members)
    declared = next(claim for claim in run.bounds(f"expert:m={m}") if claim.kind == "a priori")
    assert declared.holds and declared.limit >= 2 * m
    void = next(claim for claim in run.bounds(f"expert:m={m - 1}") if claim.kind == "a priori")
    assert void.limit is None and "made" in void.reason
    with pytest.raises(LittlestoneError, match="no theorem that assumes 'margin'"):
        run.bounds("margin:gamma=1")


def test_a_panel_is_saved_goes_on_and_is_explained(tmp_path):
    X, y = stream()
    model = ls.panel(["perceptron:bias=1", ls.arow(r=2)], rule="weighted_majority", blend=False).start()
    for x, label in zip(X[:300], y[:300], strict=True):
        model.observe(x, label)
    model.save(tmp_path / "panel.littlestone")
    again = ls.load(tmp_path / "panel.littlestone")
    assert again.learner.settings == model.learner.settings
    for x, label in zip(X[300:], y[300:], strict=True):
        assert model.observe(x, label) == again.observe(x, label)
    whole = ls.play(ls.panel(["perceptron:bias=1", "arow:r=2"], rule="weighted_majority", blend=False), X, y)
    assert (again.mistakes, again.rounds) == (whole.mistakes, whole.rounds)
    found = again.explain(X[0])
    assert {share.name for share in found.features} == {*X[0].nonzero()[0].tolist(), "the rest"}
    assert found.score == again.score(X[0]) == pytest.approx(sum(share.contribution for share in found.features))
    member = again.member("perceptron:bias=1")
    alone = ls.play(ls.perceptron(bias=1), X, y)
    assert [member.predict(x) for x in X[:20]] == [alone.hypothesis.predict(x) for x in X[:20]]
    assert {share.name for share in member.explain(X[0]).features} <= {*range(12), "bias"}
    with pytest.raises(LittlestoneError, match="the members are"):
        again.member("nobody")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"members": []}, "at least one member"),
        ({"members": ["nobody"]}, "'nobody' is not known"),
        ({"members": ["halving:n=3"]}, "cannot sit on a panel"),
        ({"members": ["perceptron:averaged=true"]}, "not its last one"),
        ({"members": ["perceptron"], "rule": "exp3"}, "sees every expert"),
        ({"members": ["perceptron"], "rule": "nobody"}, "'nobody' is not known"),
        ({"members": ["perceptron:speed=3"]}, "has no setting 'speed'"),
    ],
)
def test_what_cannot_be_made_is_refused_by_name(settings, said):
    with pytest.raises(LittlestoneError, match=said):
        ls.panel(**settings)


def littlestone(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "140"})


@pytest.fixture
def file(tmp_path):
    X, y = stream()
    path = tmp_path / "rounds.libsvm"
    path.write_text("".join(f"{label} {' '.join(f'{i}:1' for i in np.flatnonzero(x))}\n" for x, label in zip(X, y, strict=True)))
    return path


def test_run_plays_a_panel_unless_told_otherwise(file, tmp_path):
    done = littlestone("run", file, "--json", "--quiet")
    said = json.loads(done.stdout)
    assert said["learner"] == "panel" and [one["name"] for one in said["members"]] == [*module.MEMBERS]
    assert [one["name"] for one in said["blends"]] == [*module.voices(module.BLENDS)]
    assert said["mistakes"] <= min(bound["limit"] for bound in said["bounds"])
    few = littlestone(
        "run",
        file,
        "--members",
        "perceptron arow:bias=1",
        "--learner",
        "panel:blend=false:rule=fixed_share:alpha=1/50",
        "--json",
        "--quiet",
    )
    said = json.loads(few.stdout)
    assert said["settings"] == {
        "members": "perceptron arow:bias=1",
        "n": None,
        "rule": "fixed_share:alpha=1/50",
        "blend": False,
        "forecast": True,
        "calibrate": True,
        "label_by": "forecast",
    }
    assert [one["name"] for one in said["members"]] == ["perceptron", "arow:bias=1"]
    kept = tmp_path / "kept.littlestone"
    assert littlestone("run", file, "--model", kept, "--quiet").exit_code == 0
    shown = littlestone("show", kept)
    assert "members, by vote weight" in shown.stdout and "the most trusted of those with weights" in shown.stdout
    settings = "rule=adahedge, blend=True, forecast=True, calibrate=True, label_by=forecast"  # its members are listed below
    assert shown.stdout.startswith(f"panel({settings}), ")
    assert repr(ls.panel()) == "panel(rule=adahedge, blend=True)" != repr(ls.panel(["arow"]))
    refused = littlestone("run", file, "--learner", "perceptron:bias=0", "--members", "arow")
    assert "has no members" in str(refused.exception)


FEW = ("--members", "perceptron arow", "--learner", "panel:blend=false", "--quiet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--assume", "margin:gamma=1", "--alarm"), "panel has no theorem that assumes 'margin'; it has: expert; learners that have: "),
        (("--assume", "margin:gamma=0.1"), "panel has no theorem that assumes 'margin'; it has: expert; learners that have: "),
        (("--assume", "expert"), "needs m=...: how often the best member errs at most"),
        (("--members", "perceptron,arow"), "--members perceptron,arow: arow is no setting; members stand between blanks"),
    ],
    ids=["alarm", "margin", "expert", "commas"],
)
def test_what_a_panel_does_not_take_is_said(file, options, said):
    assert said in str(littlestone("run", file, *FEW, *options).exception)


def test_a_panel_takes_what_other_learners_take(file, tmp_path):
    told = {
        name: json.loads(littlestone("run", file, *FEW, *options, "--json").stdout)
        for name, options in {
            "plain": ("--assume", "expert:m=1000", "--iid", "0.1"),
            "late": ("--delay", 3),
            "passes": ("--passes", 2),
        }.items()
    }
    plain = told["plain"]
    assert (
        plain["bounds"][0]["kind"] == "a priori"
        and all(bound["holds"] for bound in plain["bounds"])
        and plain["risk"]["M"] == plain["mistakes"]
    )
    assert [bound["witness"] != "" for bound in plain["bounds"] if bound["kind"] == "hindsight"] == [True, False, True, False]
    assert all(bound["limit"] is None and "labels came late" in bound["reason"] for bound in told["late"]["bounds"])
    assert told["passes"]["passes"][0]["mistakes"] == plain["mistakes"] and told["passes"]["rounds"] == 2 * plain["rounds"]
    one, three = tmp_path / "one.libsvm", tmp_path / "three.libsvm"
    one.write_text("1 1:1\n" * 10)
    three.write_text("1 1:1\n2 2:1\n3 3:1\n")
    assert json.loads(littlestone("run", one, *FEW, "--json").stdout)["mistakes"] == 0
    assert json.loads(littlestone("run", three, *FEW, "--json").stdout)["classes"] == [1, 2, 3]
    assert "expected 1 or 2, as declared" in str(littlestone("run", three, *FEW, "--labels", "1,2").exception)
    one.write_text("")
    assert "has no rounds" in str(littlestone("run", one, *FEW).exception)


def test_a_panels_model_goes_on_predicts_and_is_explained(file, tmp_path):
    half, whole, first = tmp_path / "half", tmp_path / "whole", tmp_path / "first.libsvm"
    lines = file.read_text().splitlines(keepends=True)
    first.write_text("".join(lines[:100]))
    littlestone("run", first, *FEW, "--model", half)
    on = json.loads(littlestone("run", file, "--from", half, "--skip", 100, "--model", half, "--json", "--quiet").stdout)
    once = json.loads(littlestone("run", file, *FEW, "--model", whole, "--json").stdout)
    assert {key: on[key] for key in ("rounds", "mistakes", "members", "bounds")} == {
        key: once[key] for key in ("rounds", "mistakes", "members", "bounds")
    }
    assert littlestone("diff", half, whole).stdout.startswith("the same")
    assert len(littlestone("predict", half, first).stdout.split()) == 100
    why = littlestone("explain", half, "--stream", file, "--round", 3).stdout
    assert "forecast: 1 has probability" in why and "exact change of the score" in why


def test_compare_says_whom_to_keep(file):
    done = littlestone(
        "compare", file, "--learner", "perceptron:bias=0", "--learner", "arow", "--learner", "halving:n=20", "--select", "--json"
    )
    said = json.loads(done.stdout)
    kept = said["selected"]
    counts = {one["name"]: one["mistakes"] for one in said["learners"]}
    assert counts.pop("halving:n=20") is None  # it refuses the noise, and cannot be kept
    assert kept["mistakes"] == min(counts.values()) == counts[kept["name"]]
    assert kept["expected"] <= kept["limit"] <= kept["mistakes"] + kept["worst_case"] + 1e-6
    assert sum(kept["weights"].values()) == pytest.approx(1)
    assert "Keep " in littlestone("compare", file, "--learner", "perceptron:bias=0", "--learner", "arow", "--select").stdout


def drifting(rounds=4000, seed=1):
    """The first half is labelled by few features of many, the second by the sum of dense ones."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 60)).astype(np.float32)
    X[: rounds // 2] = rng.random((rounds // 2, 60)) < 0.1
    y = np.where(np.arange(rounds) < rounds // 2, X[:, :2].max(axis=1) > 0.5, X.sum(axis=1) > 0).astype(int)
    return X, y


def test_fixed_share_follows_a_change_of_the_best_member():
    X, y = drifting()
    members = ["balanced_winnow:eta=1/2", "arow"]
    share = ls.play(ls.panel(members, rule="fixed_share:alpha=1/1000"), X, y)
    assert all(claim.holds for claim in share.bounds())
    best = min(seat.mistakes for seat in share.members)
    assert share.mistakes <= best + 5
