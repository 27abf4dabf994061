"""Costs and operating points: labels that weigh, thresholds and targets, in play, in events, in files and on the command line."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.protocol import Opening
from littlestone.protocol.operating import CheaperOfTwo, Operating
from littlestone.rounds.reading import Reading
from littlestone.streams import lines
from littlestone.theory.operating import within

RNG = np.random.default_rng(5)
X = RNG.standard_normal((500, 4)).astype(np.float32)
Y = RNG.random(500) < 1 / (1 + np.exp(2 - X @ [1, -1, 2, 0]))
LEARNER = "adaptive:eta=1/10:bias=1"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("costs") / "rows.csv"
    rows = "".join(f"{','.join(map(str, x))},{'bad' if y else 'good'}\n" for x, y in zip(X.tolist(), Y.tolist(), strict=True))
    path.write_text("a,b,c,d,what\n" + rows)
    return path


def command(*arguments, code=0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if code == 2 and isinstance(result.exception, LittlestoneError):
        return str(result.exception)  # the line that the program prints
    assert result.exit_code == code, result.output
    return result.output


def run(table, *options, code=0):
    chosen = ("--label", "what", "--labels", "good,bad", "--learner", LEARNER, "--quiet", *options)
    return command("run", table, *chosen, code=code)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-30, 30), st.sampled_from([-1, 0, 1])), max_size=120),
    st.sampled_from(["recall", "precision", "fpr"]),
    st.floats(0.01, 0.99),
)
def test_a_target_is_reached_whatever_comes(rounds, name, share):
    """The theorem of theory/operating.py; that a round weighs nothing, or comes alone, changes nothing."""
    scores, labels = np.array([z for z, _ in rounds]), np.array([y for _, y in rounds], int)
    point, alone = Operating.at(target=f"{name}={share}"), Operating.at(target=f"{name}={share}")
    answers = point.take(labels, scores)
    for z, y in rounds:
        alone.take(np.array([y]), np.array([z]))
        alone.take(np.array([y]), np.array([z]), np.zeros(1, np.float32))
    assert alone == point
    told = labels >= 0
    bearing = told & {"recall": labels == 1, "precision": answers, "fpr": labels == 0}[name]
    about = point.reached()
    assert about["rounds"] == bearing.sum() and (about["reached"] is None) == (not bearing.any())
    if bearing.any():
        reached = ((labels == 1) if name == "precision" else answers)[bearing].mean()
        assert about["reached"] == pytest.approx(reached) and reached >= share - within(bearing.sum()) - 1e-9
        assert name == "precision" or reached <= share + within(bearing.sum()) + 1e-9


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=60), st.integers(0, 60))
def test_following_the_cheaper_of_two_costs_at_most_twice_as_much_as_it(costs, cut):
    """The theorem of theory/operating.py, its sum of turns, and that rounds may be cut anywhere."""
    table = np.array(costs, float).reshape(-1, 2)
    whole, parts = CheaperOfTwo(), CheaperOfTwo()
    followed = whole.take(table[:, 0], table[:, 1])
    cuts = [parts.take(*part.T) for part in (table[:cut], table[cut:])]
    assert np.concatenate(cuts).tolist() == followed.tolist() and parts == whole
    cost, turns, before = 0.0, 0.0, [0.0, 0.0]
    for row, by_forecast in zip(table, followed, strict=True):
        assert by_forecast == (before[1] < before[0])  # known before the round
        cost += row[int(by_forecast)]
        before = [before[0] + row[0], before[1] + row[1]]
        turns += abs(before[0] - before[1]) if (before[1] < before[0]) != by_forecast else 0.0
    assert cost == min(before) + turns <= whole.limit


def test_the_operating_point_of_costs_follows_what_has_cost_less(tmp_path):
    """Answers by the forecast alone may cost more than predictions; both are told, in play, in events and by a saved model."""
    panel = ls.panel(["arow:bias=1", "adaptive:eta=1:bias=1"])
    whole = ls.play(panel, X, Y, cost="1:4", scores=True)
    two, weights = whole.operating.two, np.where(Y, 4, 1)
    by_forecast = whole.scores >= whole.operating.log_odds
    assert (two.prediction_cost, two.forecast_cost) == (weights[whole.predictions != Y].sum(), weights[by_forecast != Y].sum())
    assert whole.operating.cost == weights[whole.answers != Y].sum() <= two.limit
    assert set(np.flatnonzero(whole.answers != whole.predictions)) <= set(np.flatnonzero(by_forecast != whole.predictions))
    half = ls.play(panel, X[:250], Y[:250], cost="1:4").model
    half.save(tmp_path / "half")
    model = ls.load(tmp_path / "half")
    answers = [model.observe(x, y, 4.0 if y else 1.0) for x, y in zip(X[250:], Y[250:], strict=True)]
    assert answers == whole.answers[250:].tolist() and model.operating == whole.operating
    before = {key: value for key, value in model.operating.kept().items() if key != "two"}  # as files had it
    assert Operating.opened(before).answers(np.array([-1.0]), np.array([False])).tolist() == [True]
    with pytest.raises(LittlestoneError, match="three costs"):
        Operating.opened({**before, "two": [1.0, -1.0, 0.0]})


def test_baselines_are_told_in_the_weights_of_the_rounds(tmp_path):
    weights = RNG.integers(1, 9, 500)
    run = ls.play(ls.arow(bias=1), X, Y, sample_weight=weights)
    changed = np.concatenate([[False], Y[1:] != Y[:-1]])
    expected = {"majority": min(weights[Y].sum(), weights[~Y].sum()), "same_as_last": weights[changed].sum()}
    assert run.weighted_baselines == expected and ls.play(ls.arow(bias=1), X, Y).weighted_baselines is None
    half = ls.play(ls.arow(bias=1), X[:200], Y[:200], sample_weight=weights[:200]).model
    half.save(tmp_path / "half")
    rest = ls.play(ls.load(tmp_path / "half"), X[200:], Y[200:], sample_weight=weights[200:])
    assert rest.weighted_baselines == expected
    plain = ls.play(ls.arow(bias=1), X[:200], Y[:200]).model
    later = np.concatenate([np.ones(200), weights[200:]])  # rounds of before, which had no weights, weigh 1 each
    expected = {"majority": min(later[Y].sum(), later[~Y].sum()), "same_as_last": later[changed].sum()}
    assert ls.play(plain, X[200:], Y[200:], sample_weight=weights[200:]).weighted_baselines == expected
    three = np.where(X[:, 0] > 1, "a", np.where(Y, "b", "c"))
    classes = ls.play(ls.one_vs_rest(ls.arow(bias=1)), X, three, sample_weight=weights)
    assert classes.weighted_baselines["majority"] == weights.sum() - max(weights[three == label].sum() for label in "abc")


@pytest.mark.parametrize("heavy", [range(400, 500), range(100)], ids=["late", "early"])
@pytest.mark.parametrize("learner", [ls.arow(bias=1), ls.one_vs_rest(ls.arow(bias=1))], ids=lambda learner: learner.name)
def test_rows_of_a_file_without_a_weight_weigh_1_wherever_they_are_cut(learner, heavy, tmp_path, monkeypatch):
    rows = [f"{2 * int(y) - 1} {3 if t in heavy else 1} | x:{x[0]:g}\n" for t, (x, y) in enumerate(zip(X, Y, strict=True))]
    (tmp_path / "rows.vw").write_text("".join(rows))
    weights, changed = np.where(np.isin(np.arange(500), heavy), 3, 1), np.concatenate([[False], Y[1:] != Y[:-1]])
    expected = {"majority": min(weights[Y].sum(), weights[~Y].sum()), "same_as_last": weights[changed].sum()}
    for chunk in (lines.CHUNK, 2000):  # one piece, and several, some of which have no weight but 1
        monkeypatch.setattr(lines, "CHUNK", chunk)
        assert ls.play(learner, ls.open_stream(tmp_path / "rows.vw")).weighted_baselines == expected


def test_predict_says_how_it_answers_and_where_vote_and_forecast_differ(table, tmp_path):
    chosen = ("--label", "what", "--labels", "good,bad", "--members", "arow:bias=1 coin:bias=1 naive_bayes", "--quiet")
    output = " ".join(command("run", table, *chosen, "--cost", "1:4", "--model", tmp_path / "cost").split())
    assert (
        "in the same weights: always the label that costs least" in output and "or as predicted where that had cost less so far" in output
    )
    model = ls.load(tmp_path / "cost")
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "cost"), str(table)])
    words = "Answered at the model's operating point: bad from probability 0.2 on, which has cost less so far"
    assert (words if model.operating.two.by_forecast else "Answered as the learner predicts: under the costs") in " ".join(
        result.stderr.split()
    )
    assert "At the operating point, bad from probability 0.2 on" in output
    told = command("run", table, *chosen, "--threshold", "0.3", "--model", tmp_path / "led")
    assert "At the operating point, bad from probability 0.3 on" in " ".join(told.split())
    told = CliRunner().invoke(app, ["predict", str(tmp_path / "led"), str(table)]).stderr
    assert "operating point: bad from probability 0.3 on." in " ".join(told.split())
    command("run", table, *chosen, "--model", tmp_path / "plain")
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "plain"), str(table), "--json"])
    assert all((row["label"] == "bad") == (row["probability"] >= 0.5) for row in map(json.loads, result.stdout.splitlines()))
    assert "differ" not in result.stderr
    by_vote = CliRunner().invoke(app, ["predict", str(tmp_path / "plain"), str(table), "--json", "--label-by", "vote"])
    command("run", table, *chosen, "--model", tmp_path / "plain", "--label-by", "vote")
    result = CliRunner().invoke(app, ["predict", str(tmp_path / "plain"), str(table), "--json"])
    assert result.stdout == by_vote.stdout, "a model can be asked for the vote afterwards, too"
    rows = list(map(json.loads, result.stdout.splitlines()))
    apart = sum((row["label"] == "bad") != (row["probability"] >= 0.5) for row in rows)
    assert apart and f"{apart} rows of 500: vote and forecast differ; the label is the vote's" in " ".join(result.stderr.split())
    number = next(t for t, row in enumerate(rows, 1) if (row["label"] == "bad") != (row["score"] >= 0))
    explained = " ".join(command("explain", tmp_path / "plain", "--stream", table, "--round", number).split())
    assert "forecast: bad has probability" in explained and "the prediction is the vote's, which has the mistake bound" in explained
    answered = command("explain", tmp_path / "cost", "--stream", table, "--round", number, "--json")
    assert json.loads(answered)["answer"] == model.predict(ls.open_stream(table, label="what", labels=("good", "bad")))[number - 1]


@pytest.mark.parametrize("how", [{"threshold": 0.2}, {"target": "recall=0.8"}, {"target": "precision=0.6"}, {"cost": "1:4"}], ids=str)
def test_answers_are_the_same_in_blocks_in_events_and_resumed(how, tmp_path):
    learner = ls.adaptive(eta="1/10", bias=1)
    whole = ls.play(learner, X, Y, **how)
    half = ls.play(learner, X[:250], Y[:250], **how).model
    half.save(tmp_path / "half.littlestone")
    rest = ls.play(ls.load(tmp_path / "half.littlestone"), X[250:], Y[250:], **({"cost": how["cost"]} if "cost" in how else {}))
    assert rest.operating == whole.operating and rest.answers.tolist() == whole.answers[250:].tolist()
    events, weights = ls.load(tmp_path / "half.littlestone"), np.where(Y, 4.0, 1.0) if "cost" in how else np.ones(500)
    answers = [events.observe(*event) for event in zip(X[250:], Y[250:].tolist(), weights[250:].tolist(), strict=True)]
    assert answers == rest.answers.tolist() and events.operating == whole.operating
    told = [events.predict(x) for x in X]
    assert events.predict_many(X).tolist() == told and ("cost" in how or told != [events.predict_round(x) for x in X])
    plain = ls.play(learner, X, Y, **({"cost": how["cost"]} if "cost" in how else {}))
    assert whole.predictions.tolist() == plain.predictions.tolist()  # those that the bounds speak of
    assert "cost" in how or whole.answers.tolist() != plain.predictions.tolist()
    wrong = whole.answers != Y
    assert whole.operating.false_negatives == (wrong & Y).sum() and whole.operating.cost == weights[wrong].sum()


def test_the_command_line_tells_both(table, tmp_path):
    told = json.loads(
        run(table, "--cost", "1:4", "--json", "--predictions", tmp_path / "p", "--model", tmp_path / "m", "--certificate", tmp_path / "c")
    )
    mine = ls.play(ls.adaptive(eta="1/10", bias=1), X, Y, cost=(1, 4))
    assert told["mistakes"] == mine.mistakes and told["operating"] == mine.operating.as_json() and told["operating"]["threshold"] == 0.5
    assert (tmp_path / "p").read_text().split() == ["bad" if y else "good" for y in mine.answers]
    assert "verified and replayed" in command("verify", tmp_path / "c", table)
    command("convert", table, tmp_path / "rows.libsvm", "--label", "what", "--labels", "good,bad")
    assert "verified and replayed" in command("verify", tmp_path / "c", tmp_path / "rows.libsvm")
    assert command("predict", tmp_path / "m", table, "--quiet").split().count("bad") == mine.model.predict_many(X).sum()
    twice = json.loads(run(table, "--class-weight", "good=2,bad=8", "--json"))
    assert twice["mistakes"] != json.loads(run(table, "--json"))["mistakes"] and "operating" not in twice
    words = [" ".join(run(table, "--target", target).split()) for target in ("recall=0.8", "fpr=0.1")]
    assert (
        "recall 0.7759 for a target of 0.8 (surely within 0.35 of it" in words[0] and "fpr 0.0990 for a target of 0.1 (surely" in words[1]
    )


BAD = {
    ("--cost", "1:-4"): "cost '1:-4': expected FP:FN",
    ("--cost", "dear"): "cost 'dear': expected FP:FN",
    ("--cost", "1:nan"): "two numbers above 0",
    ("--class-weight", "bad"): "--class-weight 'bad': expected LABEL=W",
    ("--class-weight", "ugly=2"): "class_weight has 'ugly'; expected a label of the stream, 'good' or 'bad'",
    ("--threshold", "1.5"): "threshold '1.5': expected a probability between 0 and 1",
    ("--target", "recall=1.5"): "target 'recall=1.5' cannot be reached: expected recall=P",
    ("--target", "luck=0.5"): "target 'luck=0.5': expected recall=P",
    ("--target", "recall=0.5", "--threshold", "0.5"): "threshold and target: one at a time",
    ("--target", "recall=0.5", "--delay", "3"): "--target needs labels that come at once",
    ("--threshold", "0.5", "--learner", "arow"): "--threshold: arow gives no probabilities; expected a learner such as panel",
    ("--cost", "1:4", "--learner", "winnow"): "--cost: winnow honours no weights; expected a learner that does, such as panel",
}


@pytest.mark.parametrize("options", BAD, ids=" ".join)
def test_what_cannot_be_is_refused_in_one_line(table, options, tmp_path):
    output = run(table, *options, "--predictions", tmp_path / "p", "--model", tmp_path / "m", code=2)
    assert BAD[options] in " ".join(output.split()) and not list(tmp_path.iterdir())


def test_numbers_are_named_as_files_write_them():
    with pytest.raises(LittlestoneError, match="class_weight has 2; expected a label of the stream, 1 or 0$"):
        Reading(class_weight={"2": 3}).weights_of((1.0, 0.0))


def three_classes(rows):
    rng = np.random.default_rng(3)
    codes = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    return (np.eye(3)[codes] + rng.normal(size=(rows, 3))).astype(np.float32), np.array(["g", "b", "r"])[codes]


def test_a_panel_of_several_classes_heeds_weights(tmp_path):
    """The weighted class is found, the bound is in weights, and the certificate, the model and the replay say the same."""
    X, y = three_classes(400)
    how = {"members": "perceptron:bias=1 arow multiclass_perceptron", "discriminant": True}
    panel, before = ls.class_panel(**how), ls.class_panel(**how, weigh=False)
    weights = np.where(y == "r", 4.0, 1.0)
    plain, heavy, old = ls.play(panel, X, y), ls.play(panel, X, y, sample_weight=weights), ls.play(before, X, y, sample_weight=weights)
    recalls = [np.mean(run.predictions[y == "r"] == "r") for run in (plain, heavy)]
    assert recalls[0] < 0.6 and recalls[1] > recalls[0] + 0.15
    limits = [min(bound.limit for bound in run.bounds() if bound.limit is not None) for run in (heavy, old)]
    assert heavy.weighted_mistakes <= limits[0] < limits[1] / 1.5 and heavy.weighted_mistakes < old.weighted_mistakes
    share = heavy.metrics.log_loss / plain.metrics.log_loss  # a probability is a share of rounds, whatever they weigh
    assert share < 1.1
    certificate = ls.certify(heavy, X, y, sample_weight=weights, assume="expert:m=300").as_json()
    assert ls.verify(certificate, X, y, sample_weight=weights, replay=True).replayed
    half = ls.play(panel, X[:200], y[:200], sample_weight=weights[:200])
    half.model.save(tmp_path / "half")
    rest, engine = ls.play(ls.load(tmp_path / "half"), X[200:], y[200:], sample_weight=weights[200:]), panel.engine(Opening())
    assert engine.alike(rest.state, heavy.state) and rest.predictions.tolist() == heavy.predictions[200:].tolist()
    ones = ls.play(panel, X, y, sample_weight=np.ones(400))
    assert engine.alike(ones.state, plain.state) and engine.alike(ones.state._replace(plain=None), ls.play(before, X, y).state)


def test_a_weight_for_a_label_that_never_comes_is_told(tmp_path):
    X, y = three_classes(30)
    (tmp_path / "rows.csv").write_text("a,what\n" + "".join(f"{x:.3f},{label}\n" for x, label in zip(X[:, 0], y, strict=True)))
    told = command("run", tmp_path / "rows.csv", "--label", "what", "--learner", "multiclass_perceptron", "--class-weight", "z=2")
    assert "--class-weight z: no round has this label; the labels that came are " in " ".join(told.split())


def test_a_target_without_rounds_is_refused(tmp_path):
    (tmp_path / "good.csv").write_text("a,what\n" + "1,good\n" * 30)
    output = run(tmp_path / "good.csv", "--target", "recall=0.5", "--predictions", tmp_path / "p", "--model", tmp_path / "m", code=2)
    assert "target recall=0.5 cannot be reached: the stream has no rounds with the positive label" in " ".join(output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["good.csv"]
    with pytest.raises(LittlestoneError, match="multiclass_perceptron does not learn two classes"):
        ls.play(ls.multiclass_perceptron(), X[:3], ["a", "b", "c"], cost="1:4")


def test_positives_that_weigh_more_are_found_more_often():
    few = ls.panel("perceptron:bias=1 arow:bias=1 adaptive:eta=1/10:bias=1")
    before, after = ls.play(few, X, Y), ls.play(few, X, Y, cost="1:4")
    assert after.metrics.recall > before.metrics.recall + 0.15
    assert after.operating.threshold == 0.2 and after.operating.cost < (np.where(Y, 4, 1)[before.predictions != Y]).sum()
    assert all(claim.holds for claim in after.bounds()) and after.weighted_mistakes < (np.where(Y, 4, 1)[before.predictions != Y]).sum()


def test_events_answer_and_count_where_a_matrix_of_costs_says():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 500)
    X = (np.array([[0, 0], [1, 1], [2, 0]])[codes] + rng.normal(size=(500, 2))).round(3).astype(np.float32)
    y = np.array(["eggs", "ham", "spam"])[codes]
    costs = {"eggs": {"ham": 10, "spam": 1}, "ham": {"eggs": 1, "spam": 3}, "spam": {"eggs": 1, "ham": 5}}
    learner = ls.panel(["arow:bias=1", "normalized:bias=1"])
    run = ls.play(learner, X, y, cost=costs)
    half = ls.play(learner, X[:250], y[:250], cost=costs).model
    events = half.copy()
    answers = [events.observe(x, label) for x, label in zip(X[250:].tolist(), y[250:], strict=True)]
    assert answers == run.answers[250:].tolist() != run.predictions[250:].tolist()
    assert (events.operating, events.mistakes) == (run.operating, run.mistakes)
    for x, label in zip(X[250:].tolist(), y[250:], strict=True):
        row = dict(enumerate(x))
        told = half.predict(row)
        half.update(row, label)
        assert told == answers.pop(0)
    assert half.operating == run.operating and half.observe(X[0].tolist(), None) == half.predict(X[0].tolist())
    for call in (lambda: half.observe([0.0, 1.0], "tea"), lambda: half.predict({0: 1.0}, id=1)):
        with pytest.raises(ls.LittlestoneError, match="matrix"):
            call()
    assert half.operating == run.operating and half.rounds == 500 and "tea" not in half.classes


def test_a_matrix_of_costs_leads_the_answers_of_several_classes(tmp_path):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 500)
    X = (np.array([[0, 0], [1, 1], [2, 0]])[codes] + rng.normal(size=(500, 2))).round(3).astype(np.float32)
    y = np.array(["eggs", "ham", "spam"])[codes]
    costs = {"eggs": {"ham": 10, "spam": 10}, "ham": {"eggs": 1, "spam": 1}, "spam": {"eggs": 1, "ham": 1}}
    run = ls.play(ls.panel(["arow:bias=1", "normalized:bias=1"]), X, y, cost=costs)
    said = (
        run.answers,
        run.predictions,
        ls.play(ls.panel(["arow:bias=1", "normalized:bias=1"]), X, y).predictions,
    )  # the last of one told nothing
    paid = [sum(costs[a][b] for a, b in zip(y[1:], they[1:], strict=True) if a != b) for they in said]
    assert 0 <= run.operating.cost - paid[0] <= 10 and max(paid[:2]) < paid[2] and run.weighted
    path, table = tmp_path / "s.csv", tmp_path / "costs.csv"
    path.write_text("a,b,label\n" + "".join(f"{a},{b},{label}\n" for (a, b), label in zip(X.tolist(), y, strict=True)))
    table.write_text(",eggs,ham,spam\neggs,0,10,10\nham,1,0,1\nspam,1,1,0\n")
    out, model = tmp_path / "out", tmp_path / "m.littlestone"
    how = ["run", str(path), "--label", "label", "--quiet", "--json", "--members", "arow:bias=1 normalized:bias=1"]
    done = CliRunner().invoke(app, [*how, "--cost", str(table), "--predictions", str(out), "--model", str(model)])
    assert json.loads(done.stdout)["operating"]["cost"] == pytest.approx(run.operating.cost)
    assert out.read_text().split("\n")[1:-1] == run.answers[1:].tolist()
    kept = ls.load(model)
    assert (
        kept.operating.cost == run.operating.cost
        and kept.predict({"a": 1.0, "b": 0.2}) == kept.predict([{"a": 1.0, "b": 0.2}])[0] == "eggs"
    )
    for cost, why in (
        ("eggs:ham=5", "label 'spam' is left out of the cost matrix"),
        ("eggs:ham=-1", "expected a number above 0"),
        ("eggs:eggs=1", "being right costs nothing"),
    ):
        refused = CliRunner().invoke(app, [*how, "--cost", cost, "--predictions", str(out)])
        assert why in str(refused.exception), cost
        assert "left out" not in why or not out.exists()  # nothing is half written
        out.unlink(missing_ok=True)
    for options in (["--threshold", "0.3"], ["--target", "recall=0.9"], ["--cost", "1:4"]):
        refused = CliRunner().invoke(app, [*how, *options, "--predictions", str(out)])
        assert "is about two labels, and the stream has more" in str(refused.exception) and not out.exists()
    refused = CliRunner().invoke(app, [*how[:-2], "--learner", "class_panel", "--cost", "1:4"])
    assert "--cost is about two labels, and class_panel learns several classes" in str(refused.exception)
    with pytest.raises(ls.LittlestoneError, match="threshold: class_panel learns several classes"):
        ls.play(ls.panel(), X, y, threshold=0.3)
    with pytest.raises(ls.LittlestoneError, match="gives no probabilities of several classes"):
        ls.play(ls.multiclass_perceptron(), X, y, cost=costs)


@pytest.mark.filterwarnings("error")
def test_rounds_weigh_by_the_whole_matrix_wherever_the_stream_is_cut():
    codes = np.arange(60) % 3
    X, y = np.eye(3, dtype=np.float32)[np.roll(codes, codes[0] + 1)], np.array(["eggs", "ham", "spam"])[codes]
    costs = {"eggs": {"ham": 2, "tofu": 10}, "ham": {"eggs": 3}, "spam": {"eggs": 4}}  # tofu never comes
    learner = ls.panel(["arow:bias=1", "normalized:bias=1"])
    whole = ls.play(learner, X, y, cost=costs)
    wrong = [(a, b) for a, b in zip(y, whole.answers, strict=True) if a != b]
    assert wrong[0] == ("eggs", None) and whole.operating.cost == sum(10 if b is None else costs[a].get(b, 1) for a, b in wrong)
    model = ls.play(learner, X[:1], y[:1], cost=costs).model
    for start, end in ((1, 2), (2, 5), (5, 60)):
        model = ls.play(model, X[start:end], y[start:end], cost=costs).model
    assert model.operating == whole.operating
    early = ls.play(learner, X[:4], [None, None, *y[:2]], cost=costs, block_rows=1)  # in a block where no class is known
    assert early.operating == ls.play(learner, X[:4], [None, None, *y[:2]], cost=costs).operating and early.rounds == 2


@pytest.mark.parametrize("both", [(0, 1), (1, 2), (-1, 1), (False, True), ("ham", "spam")], ids=str)
@pytest.mark.parametrize(
    "weigh", [{"cost": "1:4"}, {"cost": (2, 1), "threshold": 0.4}, {"class_weight": {1: 3}}, {"sample_weight": 2.5}], ids=str
)
def test_what_labels_weigh_stands_in_a_certificate_of_rows_in_memory(both, weigh):
    learner, y = ls.panel(["arow:bias=1", "perceptron"]), [both[int(label)] for label in Y[:60]]
    how = {name: {both[1]: 3} if name == "class_weight" else value for name, value in weigh.items()}
    how |= {"sample_weight": np.where(Y[:60], 2.5, 0.1)} if "sample_weight" in weigh else {}
    run = ls.play(learner, X[:60], y, **how)
    usual = ls.play(learner, X[:60], Y[:60], **{**how, **({"class_weight": {True: 3}} if "class_weight" in how else {})})
    assert run.weighted_mistakes == usual.weighted_mistakes and run.operating == usual.operating
    how.pop("threshold", None)
    cert = ls.certify(run, X[:60], y, **how)
    how = {name: value for name, value in how.items() if name == "sample_weight"}
    assert ls.verify(cert, X[:60], y, **how).verified and ("label_weights" in cert.content["stream"]) == ("sample_weight" not in how)
    with pytest.raises(ls.LittlestoneError, match="the stream is not the one of the certificate"):
        ls.verify(cert, X[:60], y, sample_weight=np.full(60, 2.0))


def test_what_labels_of_several_classes_weigh_stands_in_a_certificate():
    codes = np.arange(60) % 3
    X, y = np.eye(3, dtype=np.float32)[np.roll(codes, 1)], np.array(["eggs", "ham", "spam"])[codes]
    for how in ({"cost": {"eggs": {"ham": 2.5}, "ham": {"eggs": 3}, "spam": {"eggs": 4}}}, {"class_weight": {"ham": 0.3}}):
        cert = ls.certify(ls.play(ls.panel(["arow:bias=1", "perceptron"]), X, y, **how), X, y, **how)
        assert ls.verify(cert, X, y).verified and len(cert.content["stream"]["label_weights"]) == 3
