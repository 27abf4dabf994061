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
from littlestone.protocol.operating import Operating
from littlestone.rounds.reading import Reading
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
    assert "target recall=0.5 cannot be reached: the stream has no rounds with label 1" in " ".join(output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["good.csv"]
    with pytest.raises(LittlestoneError, match="multiclass_perceptron does not learn two classes"):
        ls.play(ls.multiclass_perceptron(), X[:3], ["a", "b", "c"], cost="1:4")


def test_positives_that_weigh_more_are_found_more_often():
    few = ls.panel("perceptron:bias=1 arow:bias=1 adaptive:eta=1/10:bias=1")
    before, after = ls.play(few, X, Y), ls.play(few, X, Y, cost="1:4")
    assert after.metrics.recall > before.metrics.recall + 0.15
    assert after.operating.threshold == 0.2 and after.operating.cost < (np.where(Y, 4, 1)[before.predictions != Y]).sum()
    assert all(claim.holds for claim in after.bounds()) and after.weighted_mistakes < (np.where(Y, 4, 1)[before.predictions != Y]).sum()


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
    for options in (["--threshold", "0.3"], ["--target", "recall=0.9"]):
        refused = CliRunner().invoke(app, [*how, *options, "--predictions", str(out)])
        assert "is about two labels" in str(refused.exception) and not out.exists()
    with pytest.raises(ls.LittlestoneError, match="threshold: class_panel learns several classes"):
        ls.play(ls.panel(), X, y, threshold=0.3)
    with pytest.raises(ls.LittlestoneError, match="gives no probabilities of several classes"):
        ls.play(ls.multiclass_perceptron(), X, y, cost=costs)
