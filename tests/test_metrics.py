"""Rates, AUC and log-loss against their definitions, pair by pair and round by round."""

import json
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.kernels import native
from littlestone.protocol import Marks, Metrics
from littlestone.protocol.metrics import BITS


def plain_auc(labels, scores):
    """The share of pairs, a positive and a negative, in which the positive scores higher; equal scores count half."""
    high = [s for y, s in zip(labels, scores, strict=True) if y == 1]
    low = [s for y, s in zip(labels, scores, strict=True) if y == 0]
    won = sum(Fraction(2 * int(a > b) + int(a == b), 2) for a in high for b in low)
    return won / (len(high) * len(low)) if high and low else None


numbers = st.one_of(st.integers(-300, 300).map(float), st.floats(-1e300, 1e300), st.sampled_from([0.0, -0.0, 5e-324, -5e-324]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([1, 0, -1]), numbers), max_size=40), st.integers(1, 7))
def test_auc_is_within_what_it_says_of_the_definition(rounds, cut):
    labels, scores = np.array([y for y, _ in rounds], np.int32), np.array([s for _, s in rounds], float)
    marks = Marks()
    for start in range(0, len(rounds), cut):
        marks.add(labels[start : start + cut], scores[start : start + cut])
    expected, found = plain_auc(labels, scores), marks.auc()
    assert (expected is None) == (found is None) and marks.rounds == int((labels >= 0).sum())
    if expected is not None:
        assert abs(expected - Fraction(found[0])) <= Fraction(found[1]) + Fraction(1, 2**50)
        if all(s == int(s) and abs(s) < 256 for s in scores):
            assert found[1] == 0.0  # small whole numbers have a bin each


@pytest.mark.parametrize("name", ["perceptron", "adaptive", "halving"])
def test_a_run_gives_the_rates_of_its_predictions(name):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (400, 6)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] > 0) if name == "halving" else (X @ [1, -1, 2, 0, 1, -2] + rng.standard_normal(400) > 0.5)
    learner = ls.halving(n=6, concepts="disjunctions") if name == "halving" else getattr(ls, name)()
    run = ls.play(learner, X, y, scores=name != "halving")
    said, yhat = run.metrics, run.predictions
    assert said.accuracy == (yhat == y).mean() and said.recall == yhat[y].mean() and said.false_positive_rate == yhat[~y].mean()
    assert said.precision == y[yhat].mean() and said.false_negative_rate == pytest.approx(1 - said.recall)
    assert said.f1 == pytest.approx(2 / (1 / said.precision + 1 / said.recall))
    if name == "halving":
        assert said.auc is None and said.log_loss is None
        return
    assert said.auc == pytest.approx(float(plain_auc(y, run.scores)), abs=said.auc_off_by + 1e-12) and said.auc_off_by < 1e-3
    if name == "adaptive":
        odds = zip(y, run.scores.tolist(), strict=True)
        assert said.log_loss == pytest.approx(-sum(log(1 / (1 + exp(-s if truth else s))) for truth, s in odds) / len(y))
        p = run.probabilities
        assert said.brier == pytest.approx(((p - y) ** 2).mean())
        assert said.average_precision == pytest.approx(average_precision_score(y, run.scores), abs=1e-3)
        bins = [(p[of], y[of]) for of in ((p * 20).astype(int) == k for k in range(20)) if of.any()]
        assert said.calibration.error == pytest.approx(sum(abs(some.sum() - ones.sum()) for some, ones in bins) / len(y))
        expected = [(len(some), some.mean(), ones.mean()) for some, ones in bins]
        assert [(row.count, row.forecast, row.share) for row in said.calibration.bins] == [pytest.approx(row) for row in expected]
        drawn = np.random.default_rng(0).random((200, len(y))) < p  # the error of labels that are drawn with these probabilities
        chance = [sum(abs((p - some)[(p * 20).astype(int) == k].sum()) for k in range(20)) / len(y) for some in drawn]
        assert said.calibration.by_chance == pytest.approx(np.mean(chance), rel=0.1)
        assert said.calibration.deviation == pytest.approx(np.std(chance), rel=0.3)
    else:
        assert said.log_loss is None


def test_nothing_is_said_where_there_is_nothing_to_divide_by():
    said = Metrics.of(0, 0, 0, 0, Marks())
    assert set(said.as_json().values()) == {None}
    assert Metrics.of(5, 0, 0, 0, Marks()).auc is None  # the scores are not those of these rounds


def test_rates_of_several_classes():
    X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 10
    run = ls.play(ls.multiclass_perceptron(), X, ["a", "b", "c"] * 10)
    said = run.metrics
    assert said.accuracy == 1 - run.mistakes / 30 and [one.rounds for one in said.classes] == [10, 10, 10]
    hits = [sum(p == t == label for p, t in zip(run.predictions, ["a", "b", "c"] * 10, strict=True)) for label in "abc"]
    assert [one.recall for one in said.classes] == [h / 10 for h in hits]
    assert said.macro_f1 == pytest.approx(sum(one.f1 for one in said.classes) / 3)


@pytest.mark.parametrize("kind", ["perceptron", "adaptive", "several", "late", "not kept"])
def test_the_metrics_of_a_window_are_those_of_its_rounds(kind):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((700, 5))
    y = (X @ [1, -1, 2, 0, 1] > 0).astype(int) + (2 * (X[:, 0] > 1) if kind == "several" else 0)
    learner = {"several": ls.multiclass_perceptron, "perceptron": ls.perceptron}.get(kind, ls.adaptive)()
    run = ls.play(
        learner, X, y, **({"delay": 5} if kind == "late" else {"predictions": False, "window": 300} if kind == "not kept" else {})
    )
    assert run.over(700).as_json() == run.metrics.as_json() if kind != "several" else run.over(700).macro_f1 == run.metrics.macro_f1
    assert run.last_rounds(700).mistakes == run.mistakes
    if kind in ("late", "not kept"):
        return
    for window, until in ((300, None), (200, 450), (1000, 100), (1, 1)):
        rows = slice(max(0, (until or 700) - window), until)
        assert run.over(window, until).accuracy == pytest.approx(
            np.mean([a == b for a, b in zip(run.predictions[rows], y[rows], strict=True)])
        )
    for bad in ({"window": 0}, {"window": 2.5}, {"window": True}, {"until": 701}, {"until": -1}):
        with pytest.raises(ls.LittlestoneError, match="must be"):
            run.over(**bad)


def test_a_score_that_is_no_number_is_counted_in_some_bin():
    bins, first, held = np.zeros((2, 1 << BITS), np.int64), np.zeros(1 << BITS), np.zeros(1 << BITS, np.uint8)
    losses, reliability = np.zeros(2), np.zeros((20, 4))
    native.core.tally(np.array([np.nan, 0.0]), np.array([1, 0], np.int32), bins, first, held, losses, reliability, True)
    assert reliability[:, 0].sum() == 2 and bins.sum() == 2


def drawn(classes, rows=500):
    """Rows of noise around a rule, and their labels."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((rows, 4)).astype(np.float32)
    code = np.digitize(X @ [1, -1, 0.5, 0] + 0.7 * rng.standard_normal(rows), [0.0] if classes == 2 else [-0.6, 0.6])
    return X, np.array(["ham", "spam"] if classes == 2 else ["b", "g", "r"])[code]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("counted", [True, False], ids=["with accounts", "without"])
def test_a_run_that_goes_on_tells_the_rates_of_its_own_rounds(classes, counted):
    X, y = drawn(classes)
    whole, first = ls.play(ls.panel(), X, y, scores=True), ls.play(ls.panel(), X[:300], y[:300])
    before = first.model
    if not counted:  # an event nobody has measured
        before.update(X[300], y[300])
    start = before.rounds
    run = ls.play(before, X[start:], y[start:])
    later, yhat, rates = y[start:], whole.predictions[start:], run.metrics
    assert run.total == (500, whole.mistakes) and run.part == (500 - start, int((later != yhat).sum()))
    assert (run.rounds, run.mistakes) == (run.total if counted else run.part)
    assert rates.accuracy == (later == yhat).mean()
    if classes == 2:
        positive, scores = later == "spam", whole.scores[start:]
        assert rates.precision == positive[yhat == "spam"].mean() and rates.recall == (yhat == "spam")[positive].mean()
        assert rates.auc == pytest.approx(float(plain_auc(positive, scores)), abs=rates.auc_off_by + 1e-12)
        assert rates.log_loss == pytest.approx(np.log1p(np.exp(np.where(positive, -scores, scores))).mean())
        assert rates.calibration.bins and sum(row.count for row in rates.calibration.bins) == run.part.rounds
    else:
        for row in rates.classes:
            assert row.rounds == (later == row.label).sum() and row.precision == (later == row.label)[yhat == row.label].mean()
        lost = whole.forecasts.loss - ls.play(ls.panel(), X[:start], y[:start]).forecasts.loss
        assert rates.log_loss == pytest.approx(lost / run.part.rounds) and 0.5 < rates.auc < 1 and rates.brier < 2 / 3
    assert run.over(100).accuracy == (later == yhat)[-100:].mean()


@pytest.mark.filterwarnings("ignore::littlestone.errors.LateLabel")
def test_a_third_label_that_comes_in_a_later_part_leaves_the_rates_of_that_part():
    X, y = drawn(3)
    two = np.flatnonzero(y[:300] != "g")
    first = ls.play(ls.panel(), X[two], y[two])
    run = ls.play(first.model, X[300:], y[300:])
    assert run.part.rounds == 200 and {row.label: row.rounds for row in run.metrics.classes} == {x: (y[300:] == x).sum() for x in "bgr"}
    assert run.metrics.accuracy == 1 - run.part.mistakes / 200 and run.total == (len(two) + 200, first.mistakes + run.part.mistakes)


@pytest.mark.parametrize("late", [False, True])
def test_the_command_line_says_which_numbers_are_of_this_part(tmp_path, late):
    X, y = drawn(2)
    files = []
    for name, rows in (("monday.csv", slice(0, 300)), ("tuesday.csv", slice(300, 500))):
        files.append(str(tmp_path / name))
        lines = [",".join([*map(str, row), label]) for row, label in zip(X[rows].tolist(), y[rows], strict=True)]
        (tmp_path / name).write_text("\n".join(["a,b,c,d,y", *lines]) + "\n")
    model, told = str(tmp_path / "m"), ["--label", "y", "--quiet"]

    def said(*arguments):
        result = CliRunner().invoke(app, ["run", *arguments, *told])
        assert result.exit_code == 0, result.output
        return result.stdout

    said(files[0], "--model", model, *(["--delay", "2"] if late else []))
    plain = json.loads(said(files[1], "--from", model, "--json", "--window", "50"))
    before, part, total = ls.load(model), plain["this_part"], plain["total"]
    assert part["rounds"] == 200 and total["rounds"] == 500 and total["mistakes"] == before.mistakes + part["mistakes"]
    assert plain["metrics"]["accuracy"] == 1 - part["mistakes"] / 200 and total["rate"] == total["mistakes"] / 500
    assert None not in plain["metrics"].values() and plain["window"]["rounds"] == 50
    words = " ".join(said(files[1], "--from", model).split())
    rate = f"{100 * part['mistakes'] / 200:.2f} %"
    assert f"made {total['mistakes']} mistakes in 500 rounds" in words and "in the 300 of the model and in the 200 of this part" in words
    assert f"This part alone: {part['mistakes']} mistakes in 200 rounds ({rate}). Precision {plain['metrics']['precision']:.3f}" in words
    assert f"AUC {plain['metrics']['auc']:.4f}, log-loss {plain['metrics']['log_loss']:.4f}." in words
    assert f"To compare ({'in this part' if late else 'in all these rounds'})" in words and "Trusted most (by all rounds)" in words
