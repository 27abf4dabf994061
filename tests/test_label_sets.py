"""Which labels may come: declared ones alone, any, or where nothing is said all but late ones that look like a misspelling."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LateLabel, UndeclaredLabel
from littlestone.protocol.labels import ClassMap, is_slip

ROWS = [{"a": 1}, {"b": 1}] * 60
BASE = ["ham", "spam"] * 60
WITH_SLIP, WITH_LATE = [*BASE, "Spam"], [*BASE, "eggs"]
SEVERAL = [ls.panel(["arow", "perceptron"]), ls.one_vs_rest(ls.arow())]
NEAREST = "expected ham or spam, as declared; the nearest is spam"


def written(path, labels):
    path.write_text("word,y\n" + "".join(f"w{k % 3},{label}\n" for k, label in enumerate(labels)))
    return path


def ways(tmp_path, labels):
    """The same labels as a file, a frame, and an array beside rows."""
    frame = pd.DataFrame({"word": [f"w{k % 3}" for k in range(len(labels))], "y": labels})
    rows = [{f"w{k % 3}": 1} for k in range(len(labels))]
    return {
        "file": (lambda: ls.open_stream(written(tmp_path / "s.csv", labels), label="y"), None),
        "frame": (lambda: ls.open_stream(frame, label="y"), None),
        "rows": (lambda: rows, labels),
        "array": (lambda: np.eye(3)[[k % 3 for k in range(len(labels))]], np.array(labels)),
    }


@pytest.mark.parametrize("way", ["file", "frame", "rows", "array"])
@pytest.mark.parametrize("learner", SEVERAL, ids=["panel", "one_vs_rest"])
def test_a_late_misspelling_is_refused_and_another_late_label_brings_one_warning(tmp_path, learner, way):
    X, y = ways(tmp_path, WITH_SLIP)[way]
    with pytest.raises(
        UndeclaredLabel, match=r"(line 122|row 121|round 121).*found label '?Spam'?, expected spam, the nearest known label"
    ):
        ls.play(learner, X(), y)
    assert len(ls.play(learner, X(), y, labels="any").classes) == 3
    X, y = ways(tmp_path, [*WITH_LATE, *BASE, "eggs"])[way]
    with pytest.warns(LateLabel) as told:
        run = ls.play(learner, X(), y)
    assert len(told) == 1 and "round 121: label 'eggs' is new" in str(told[0].message) and set(run.classes) == {"ham", "spam", "eggs"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.play(learner, X(), y, labels=["ham", "spam", "eggs"])


@pytest.mark.parametrize("way", ["file", "frame", "rows", "array"])
@pytest.mark.parametrize("learner", [*SEVERAL, ls.perceptron()], ids=["panel", "one_vs_rest", "perceptron"])
def test_a_closed_set_refuses_every_other_label_and_names_the_nearest(tmp_path, learner, way):
    X, y = ways(tmp_path, ["ham", "spam", "Spam", *BASE])[way]
    with pytest.raises(UndeclaredLabel, match=r"(line 4|row 3|round 3)\b.*found label '?Spam'?, " + NEAREST):
        ls.play(learner, X(), y, labels=["ham", "spam"])
    X, y = ways(tmp_path, BASE)[way]
    model = ls.play(learner, X(), y, labels=["ham", "spam"], ledger=True).model
    model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    assert again.reading["labels"] == ["ham", "spam"] and again.reading["declared"]
    for late in ("eggs", "Spam"):
        X, y = ways(tmp_path, ["ham", late])[way]
        with pytest.raises(UndeclaredLabel, match="as declared"):
            ls.play(again, X(), y)
        before = again.rounds
        with pytest.raises(UndeclaredLabel, match=f"round {before + 1}: found label '{late}', expected ham or spam, as declared"):
            again.update({0: 1} if way == "array" else {"a": 1}, late)
        assert again.rounds == before


def test_more_than_two_declared_labels_make_a_panel_of_several(tmp_path):
    """Also where the first rows have two of them alone."""
    stream = lambda: ls.open_stream(written(tmp_path / "s.csv", BASE), label="y", labels=("ham", "spam", "eggs"))  # noqa: E731
    run = ls.play(ls.panel(), stream())
    assert run.learner.kind == "several classes" and run.classes == ("ham", "spam")
    ls.verify(ls.certify(run, stream()), stream())
    with pytest.raises(ls.LittlestoneError, match="3 labels are declared, ham, spam or eggs, and this learner tells two apart"):
        ls.play(ls.perceptron(), stream())
    with pytest.raises(ls.LittlestoneError, match="3 labels are declared, 0, 1 or 2, and this learner tells two apart"):
        ls.play(ls.perceptron(), np.eye(3), [0, 1, 2], labels=[0, 1, 2])


@pytest.mark.parametrize("labels", [None, ["ham", "spam"], "ham,spam,eggs", "any"])
def test_events_keep_to_the_labels_that_may_come(labels):
    model = ls.panel(["arow", "perceptron"]).start(labels=labels)
    for row, y in zip(ROWS, BASE, strict=True):
        model.update(row, y)
    model.update({"a": 1}, "")  # an empty text is no label
    model.update({"a": 1}, " ")
    assert (model.rounds, model.unlabelled) == (120, 2)
    if labels == "any":
        model.update({"c": 1}, "Spam")
        assert list(model.classes) == ["ham", "spam", "Spam"]
        return
    with pytest.raises(UndeclaredLabel, match="round 123: found label 'Spam', expected .*the nearest"):
        model.update({"c": 1}, "Spam")
    assert (model.rounds, model.unlabelled) == (120, 2) and "c" not in model.features
    if labels == ["ham", "spam"]:
        with pytest.raises(UndeclaredLabel, match="found label 'eggs'"):
            model.observe({"c": 1}, "eggs")
    elif labels is None:
        with pytest.warns(LateLabel, match="round 123: label 'eggs' is new"):
            model.update({"c": 1}, "eggs")
    else:
        model.update({"c": 1}, "eggs")


def test_a_late_label_brings_one_warning_at_the_line_of_the_caller():
    rows, labels = [{"a": 1, "b": t % 2} for t in range(150)], [0, 1] * 75
    late = [*rows, {"a": 1}], [*labels, 2]
    two, several = (ls.play(learner, rows, labels, ledger=True).model for learner in SEVERAL)
    waiting = ls.play(SEVERAL[0], rows, labels, ledger=True).model
    waiting.predict({"a": 1}, id="later")
    for call in (
        lambda: two.update({"a": 1}, 2),
        lambda: several.update({"a": 1}, 2),
        lambda: waiting.label("later", 2),
        lambda: ls.play(SEVERAL[0], *late),
        lambda: ls.play(SEVERAL[1], *late),
    ):
        with pytest.warns(LateLabel, match="round 151: label '2' is new") as told:
            call()
        assert len(told) == 1
        assert (told[0].filename, told[0].lineno) == (call.__code__.co_filename, call.__code__.co_firstlineno)
    for model in (two, several, waiting):
        model.update({"a": 1}, 2)  # it is known by now
        with pytest.warns(LateLabel, match="round 153: label '3' is new") as told:
            model.update({"a": 1}, 3)
        assert len(told) == 1


def test_an_empty_label_is_none_wherever_labels_are_told(tmp_path):
    labels = ["ham", "spam", "", " ", None] * 6
    rows = [{f"w{k % 3}": 1} for k in range(len(labels))]
    for learner in (*SEVERAL, ls.perceptron()):
        run = ls.play(learner, rows, labels)
        assert (run.rounds, run.unlabelled) == (12, 18)
        stream = ls.open_stream(written(tmp_path / "s.csv", ["" if y is None else y for y in labels]), label="y")
        run = ls.play(learner, stream)
        assert (run.rounds, run.unlabelled) == (12, 18)
    frame = pd.DataFrame({"w": [1.0] * 30, "y": pd.array(labels, "string")})
    assert ls.play(SEVERAL[1], ls.open_stream(frame, label="y")).rounds == 12
    assert ls.play(SEVERAL[1], rows, frame["y"]).rounds == 12


def test_only_long_labels_may_differ_by_one_letter():
    slips = [("Ham", "ham"), ("ham ", "ham"), ("entertain", "entertan"), ("sports", "sportz"), ("sports", "sport"), ("xspam1", "spam1")]
    assert all(is_slip(a, b) and is_slip(b, a) for a, b in slips)
    meant = [("ham", "hat"), ("class1", "class2"), ("topic12", "topic1"), ("entertain", "entertian"), ("tea", "coffee")]
    assert not any(is_slip(a, b) or is_slip(b, a) for a, b in meant)


def test_the_command_line_declares_labels_in_each_way(tmp_path):
    path, names = written(tmp_path / "s.csv", [*WITH_LATE, "Spam"]), tmp_path / "names.txt"
    names.write_text("ham\nspam\n\neggs\n")
    run = lambda *more: CliRunner().invoke(app, ["run", str(path), "--label", "y", "--quiet", *more])  # noqa: E731
    for labels, line in (
        ("ham,spam", "line 122, column 'y': found label eggs, "),
        (f"@{names}", "line 123, column 'y': found label Spam, "),
    ):
        refused = run("--labels", labels)
        assert refused.exit_code != 0 and line in str(refused.exception) and "the nearest is" in str(refused.exception)
    any_label = run("--labels", "any", "--json")
    assert any_label.exit_code == 0 and json.loads(any_label.stdout)["rounds"] == 122 and "is new" not in any_label.output
    undeclared = run()
    assert "found label Spam, expected spam" in str(undeclared.exception)
    told = CliRunner().invoke(app, ["run", str(written(tmp_path / "late.csv", WITH_LATE)), "--label", "y", "--quiet"])
    assert told.exit_code == 0 and told.stderr.count("round 121: label 'eggs' is new") == 1
    left_out = run("--labels", f"@{names}", "--skip-bad", "--json")
    assert json.loads(left_out.stdout)["rounds"] == 121
    for labels, why in (("ham", "two labels or more"), ("ham,ham", "stands there twice"), (f"@{tmp_path}/none", "cannot be read")):
        assert why in str(run("--labels", labels).exception)


def test_a_command_goes_on_with_a_closed_set(tmp_path):
    first, then = written(tmp_path / "a.csv", ["ham", "spam", "eggs"] * 9), written(tmp_path / "b.csv", ["ham", "Eggs"])
    model = ["--model", str(tmp_path / "m"), "--label", "y", "--quiet"]
    assert CliRunner().invoke(app, ["run", str(first), *model, "--labels", "ham,spam,eggs"]).exit_code == 0
    refused = CliRunner().invoke(app, ["run", str(then), "--from", str(tmp_path / "m"), "--label", "y", "--quiet"])
    assert "line 3, column 'y': found label Eggs, expected ham, spam or eggs, as declared; the nearest is eggs" in str(refused.exception)


def test_adapters_take_a_closed_set():
    from littlestone.adapters.river import Online
    from littlestone.adapters.sklearn import ArowClassifier, OnlineClassifier

    X, y = np.eye(2)[[0, 1] * 6], np.array(["ham", "spam"] * 6)
    for classifier in (ArowClassifier(labels=["ham", "spam"]), OnlineClassifier("arow", labels="ham,spam")):
        assert classifier.fit(X, y).predict(X).tolist() == y.tolist()
        for method in (classifier.fit, classifier.partial_fit):
            with pytest.raises(UndeclaredLabel, match="row 1: found label 'Spam', " + NEAREST):
                method(X[:2], ["ham", "Spam"])
    model = Online("arow", labels=["ham", "spam"])
    model.learn_one({"a": 1.0}, "ham")
    with pytest.raises(UndeclaredLabel, match="round 2: found label 'Spam', " + NEAREST):
        model.learn_one({"a": 1.0}, "Spam")
    assert model.rounds == 1


def rows_of_dicts(many=120):
    return [{("w" if k % 2 else "v"): 1.0, "n": k % 3} for k in range(many)]


BLANK = {
    "two": (["ham", "spam"], None),
    "two declared": (["ham", "spam"], ["ham ", "spam"]),
    "three": (["a", "b", "c"], None),
    "three declared": (["a", "b", "c"], ["a", " b", "c\t"]),
}


def answers_by(way, y, labels, tmp_path):
    """What a panel predicts of the same rows, however they and their labels come."""
    dicts = rows_of_dicts()
    cells = {name: [row.get(name, 0.0) for row in dicts] for name in "wvn"}
    frame = pd.DataFrame({**cells, "class": y})
    if way == "events":
        model, answers = ls.panel().start(labels=labels), []
        for row, label in zip(dicts, y, strict=True):
            answers.append(model.predict(row))
            model.update(row, label)
        return answers[1:]
    if way == "file":
        frame.to_csv(tmp_path / "a.csv", index=False)
    X, y = {
        "file": lambda: (ls.open_stream(tmp_path / "a.csv", label="class"), None),
        "column of a frame": lambda: (frame, "class"),
        "column of arrow": lambda: (pa.Table.from_pandas(frame), "class"),
        "beside a frame": lambda: (frame.drop(columns="class"), frame["class"]),
        "beside dicts": lambda: (dicts, y),
        "in dicts": lambda: ([{**row, "class": label} for row, label in zip(dicts, y, strict=True)], "class"),
        "an array": lambda: (np.array(frame.drop(columns="class")), np.array(y)),
    }[way]()
    return ls.play(ls.panel(), X, y, labels=labels).predictions.tolist()[1:]


@pytest.mark.parametrize("kind", BLANK)
@pytest.mark.parametrize(
    "way", ["file", "column of a frame", "column of arrow", "beside a frame", "beside dicts", "in dicts", "an array", "events"]
)
def test_blanks_around_labels_are_no_part_of_them(way, kind, tmp_path):
    names, declared = BLANK[kind]
    y = [names[k % len(names)] for k in range(120)]
    spaced = [f" {label} \t" if k % 5 == 0 else label for k, label in enumerate(y)]
    plain = answers_by(way, y, None if declared is None else names, tmp_path)
    assert answers_by(way, spaced, declared, tmp_path) == plain and set(plain) <= {*names, None}


def test_labels_with_blanks_are_certified_and_kept(tmp_path):
    X = rows_of_dicts()
    y = [" spam" if k % 4 == 1 else "spam\n" if k % 2 else "ham" for k in range(120)]
    run = ls.play(ls.panel(), X, y, ledger=True)
    assert ls.verify(ls.certify(run, X, y), X, y)
    run.model.save(tmp_path / "m")
    model = ls.load(tmp_path / "m")
    model.update(X[1], " spam ")
    assert model.predict(X[1]) == "spam" and type(model) is type(run.model)


def test_a_class_that_a_model_of_before_has_with_blanks_stays():
    classes = ClassMap({" tea": 0, "milk": 1})
    classes.kind = "text"
    assert classes.of(np.array([" tea", "milk", "milk ", "tea"], dtype=object)).tolist() == [0, 1, 1, 2]


def test_the_warning_of_a_late_label_says_how_to_undo_it():
    model = ls.one_vs_rest(ls.perceptron()).start()
    for row, label in zip(ROWS, BASE, strict=True):
        model.update(row, label)
    with pytest.warns(LateLabel, match=r"rollback MODEL 120` \(model\.rollback\(120\)\) undoes it.*--labels \(labels=\).*closes the set"):
        model.update({"a": 1}, "spm")
    assert list(model.classes) == ["ham", "spam", "spm"] and list(model.rollback(120).classes) == ["ham", "spam"]


def test_verify_takes_the_column_of_the_label():
    X = [{**row, "class": label} for row, label in zip(ROWS, BASE, strict=True)]
    certificate = ls.certify(ls.play(ls.panel(), X, label="class"), X, label="class")
    assert ls.verify(certificate, X, label="class") and ls.verify(certificate, X, "class")
    with pytest.raises(ls.LittlestoneError, match="leave one of them out"):
        ls.verify(certificate, ROWS, BASE, label="class")
