"""Rows in memory: labels that are there and are classes, as many columns as before, and labels that come back as they came."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app

ROWS = np.eye(4)[[0, 1, 2, 3] * 6]
TWO = [0, 1] * 12
LEARNERS = [ls.panel(["arow", "perceptron"]), ls.perceptron(), ls.one_vs_rest(ls.arow())]
PRICES = np.random.default_rng(0).integers(100, 900, 300)
NUMBERS = np.random.default_rng(1).random((300, 3))
WAYS = r"--label-threshold X \(label_threshold=X\) makes two classes of them, .*--labels any"


def frame_of(labels):
    return pd.DataFrame({"word": ["a", "b"] * (len(labels) // 2), "x": [1.0, 2.0] * (len(labels) // 2), "class": labels})


# ---- labels that are there ----


def test_rows_without_labels_are_refused():
    for verb in (ls.play, ls.fit):
        for rows in (ROWS, sp.csr_matrix(ROWS), ROWS.tolist(), [{"a": 1}], [{"a"}], ["free offer"]):
            with pytest.raises(ls.LittlestoneError, match=f"{verb.__name__} needs the labels of the rows: expected y"):
                verb(ls.perceptron(), rows)
        for name in ("mail.libsvm", Path("mail.libsvm")):
            with pytest.raises(ls.LittlestoneError, match=r"expected a .*or ls.open_stream\(path\)"):
                verb(ls.perceptron(), name)
    assert ls.play(ls.perceptron(), ROWS, [None] * 24).unlabelled == 24


# ---- numbers that are no labels ----


@pytest.mark.parametrize("learner", LEARNERS, ids=["panel", "perceptron", "one_vs_rest"])
def test_whole_numbers_to_be_predicted_are_refused_before_any_round(tmp_path, learner):
    frame = pd.DataFrame(NUMBERS, columns=list("abc")).assign(price=PRICES)
    frame.to_csv(tmp_path / "prices.csv", index=False)
    streams = [lambda: ls.open_stream(tmp_path / "prices.csv", label="price"), lambda: ls.open_stream(frame, label="price")]
    for rows, labels in ((NUMBERS, PRICES), (NUMBERS, PRICES.tolist()), *((stream(), None) for stream in streams)):
        with pytest.raises(ls.LittlestoneError, match=f"different numbers as labels, .* on 3 rows or fewer; .*regression.*{WAYS}"):
            ls.play(learner, rows, labels)
    if learner.kind == "several classes":
        assert ls.play(learner, NUMBERS, PRICES, labels="any").learner.kind == "several classes"
        return
    expected = ls.play(learner, NUMBERS, PRICES > 500).mistakes
    assert ls.play(learner, NUMBERS, PRICES, label_threshold=500).mistakes == expected
    run = ls.play(learner, streams[0](), label_threshold=500)
    assert run.model.reading["label"] == "price>500" and run.rounds == 300
    assert ls.play(learner, frame, "price", label_threshold=500).mistakes == run.mistakes
    ls.verify(ls.certify(run, streams[0](), label_threshold=500), tmp_path / "prices.csv")


def test_counts_and_squares_are_no_codes_and_few_codes_in_a_row_are():
    for labels in ([1, 4, 9, 16, 25], np.random.default_rng(0).geometric(0.1, 100).tolist()):
        with pytest.raises(ls.LittlestoneError, match="regression"):
            ls.play(ls.panel(), np.ones((len(labels), 1)), labels)
    for labels in ([0, 1, 2], [1, 2, 3, 4, 5, 6], [-1, 0, 1], [3, 1, 2] * 2, list(range(40)) * 5, [10, 20, 30] * 2):
        assert ls.play(LEARNERS[0], np.ones((len(labels), 1)), labels).rounds == len(labels)
    model = LEARNERS[2].start(labels="any")
    for label in (1, 4, 9, 16, 25):  # single events are never judged
        model.update({"a": 1}, label)
    assert list(model.classes) == [1, 4, 9, 16, 25]


def test_the_command_line_refuses_numbers_before_any_output(tmp_path):
    path, out, model = tmp_path / "prices.csv", tmp_path / "out.txt", tmp_path / "m"
    pd.DataFrame(NUMBERS, columns=list("abc")).assign(price=PRICES).to_csv(path, index=False)
    how = ["run", str(path), "--label", "price", "--quiet", "--predictions", str(out), "--model", str(model)]
    for learner in ([], ["--learner", "arow"], ["--learner", "one_vs_rest:learner=arow"]):
        refused = CliRunner().invoke(app, [*how, *learner])
        assert refused.exit_code != 0 and "different numbers as labels" in str(refused.exception) and not refused.stdout
        assert not out.exists() and not model.exists()
    taken = CliRunner().invoke(app, [*how, "--label-threshold", "500"])
    assert taken.exit_code == 0 and "300 rounds" in taken.stdout and len(out.read_text().split()) == 300
    both = CliRunner().invoke(app, ["run", str(path), "--label", "price>3", "--label-threshold", "500"])
    assert "expected the name of a column beside a threshold" in str(both.exception)
    (tmp_path / "rows.libsvm").write_text("".join(f"{price} 1:{k}\n" for k, price in enumerate(PRICES)))
    assert CliRunner().invoke(app, ["run", str(tmp_path / "rows.libsvm"), "--quiet", "--label-threshold", "500.5"]).exit_code == 0


# ---- as many columns as before ----


def test_a_matrix_of_another_width_is_refused_with_both_numbers(tmp_path):
    for learner in LEARNERS:
        model = ls.play(learner, ROWS, TWO, ledger=True).model
        model.save(tmp_path / "m")
        for again in (model, ls.load(tmp_path / "m")):
            for rows, width in ((ROWS[:, :3], 3), (np.hstack([ROWS, ROWS]), 8)):
                for form in (rows, sp.csr_matrix(rows), rows.tolist()):
                    with pytest.raises(ls.LittlestoneError, match=f"{width} columns, and the model was made of rows with 4"):
                        again.predict(form)
                    with pytest.raises(ls.LittlestoneError, match=f"{width} columns, and the model was made of rows with 4"):
                        ls.play(again, form, TWO)
                with pytest.raises(ls.LittlestoneError, match=f"a row of {width} values; the model was made of rows with 4 columns"):
                    again.predict(rows[0])
            assert len(again.predict(ROWS[:2])) == 2


@pytest.mark.parametrize("learner", LEARNERS, ids=["panel", "perceptron", "one_vs_rest"])
def test_a_frame_is_predicted_as_the_matrix_that_the_model_was_made_of(tmp_path, learner):
    labels = (NUMBERS[:, 1] > 0.5).astype(int)
    frame = pd.DataFrame(NUMBERS, columns=list("abc"))
    named = frame.set_index(pd.Index(range(7, 307), name="id"))
    for rows in (NUMBERS, sp.csr_matrix(NUMBERS)):
        ls.play(learner, rows, labels, ledger=True).model.save(tmp_path / "m")
        model = ls.load(tmp_path / "m")
        expected = model.predict(NUMBERS).tolist()
        assert len(set(expected)) == 2
        for table in (frame, named, pd.DataFrame(NUMBERS), pl.from_pandas(frame), pa.Table.from_pandas(frame)):
            assert model.predict(table).tolist() == expected
        assert model.predict(frame[["c", "a", "b"]]).tolist() != expected  # columns count by their order
        of_numbers = "made of a matrix: expected its 3 columns of numbers, in its order; "
        for other, why in (
            (frame[["a", "b"]], "got a frame with 2: a, b"),
            (frame.assign(label=labels), "got a frame with 4: a, b, c and 1 more"),
            (frame.assign(b="x"), "column 'b' of the frame has none"),
        ):
            with pytest.raises(ls.LittlestoneError, match=of_numbers + why):
                model.predict(other)


def test_a_frame_is_predicted_as_dicts_and_a_model_of_texts_says_what_it_expects():
    records = [{"who": who, "n": float(t % 3)} for t, who in enumerate(["al", "bo"] * 20)]
    model = ls.play(ls.perceptron(), records, TWO[:2] * 20).model
    expected = model.predict(records).tolist()
    assert len(set(expected)) == 2 and model.predict(pd.DataFrame(records)).tolist() == expected
    texts = ["free offer", "see you"] * 12
    model = ls.play(ls.perceptron(), texts, TWO).model
    frame = pd.DataFrame({"n": range(24), "body": texts})
    expected = r"made of texts: expected a list of texts, or one column of them such as frame\['body'\]; got a frame with n, body"
    with pytest.raises(ls.LittlestoneError, match=expected):
        model.predict(frame)
    assert model.predict(frame["body"]).tolist() == model.predict(texts).tolist()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, "csv"], ids=["pandas", "polars", "arrow", "csv"])
def test_a_table_with_other_columns_is_refused_with_both_numbers_and_the_names(tmp_path, kind):
    def table(frame):
        if kind == "csv":
            frame.to_csv(tmp_path / "rows.csv", index=False)
            return ls.open_stream(tmp_path / "rows.csv", label="class")
        return kind(frame if kind is pd.DataFrame else pa.Table.from_pandas(frame))

    frame = frame_of(["no", "yes"] * 6)
    model = ls.play(LEARNERS[0], table(frame), label="class").model
    shorter, longer, other = frame.drop(columns=["x"]), frame.assign(z=1), frame.rename(columns={"x": "speed"})
    for changed, why in (
        (shorter, "1 columns of features, and the model was made with 2: 'x' is missing"),
        (longer, "3 columns of features, and the model was made with 2: 'z' is not among them"),
        (other, "2 columns of features, and the model was made with 2: 'x' is missing; 'speed' is not among them"),
    ):
        with pytest.raises(ls.LittlestoneError, match=why):
            model.predict_many(table(changed))
        with pytest.raises(ls.LittlestoneError, match=why):
            ls.play(model, table(changed))
    assert len(model.predict_many(table(frame[["x", "class", "word"]]))) == 12


# ---- labels come back ----


@pytest.mark.parametrize("learner", LEARNERS, ids=["panel", "perceptron", "one_vs_rest"])
@pytest.mark.parametrize(
    "labels",
    [(0, 1), (-1, 1), (10, 20), (False, True), ("no", "yes"), (1, 2)],
    ids=["0/1", "-1/+1", "10/20", "booleans", "texts", "1/2"],
)
def test_labels_come_back_as_they_were_given(tmp_path, learner, labels):
    y, kind = list(labels) * 12, type(labels[0])
    sets = [{f"f{k % 4}"} for k in range(24)]
    frame = pd.DataFrame({"word": [f"w{k % 4}" for k in range(24)], "y": y})
    arrays = [(ROWS, form(y)) for form in (list, np.array, pd.Series, pd.Categorical)]
    for rows, given in (*arrays, (sets, y), (frame, "y"), (pl.from_pandas(frame), "y")):
        run = ls.play(learner, rows, given, ledger=True)
        said = [label for label in run.predictions.tolist() if label is not None]
        assert set(said) == set(labels) and {type(label) for label in said} == {kind}
        run.model.save(tmp_path / "m")
        row = {"word": "w1"} if rows is not ROWS and rows is not sets else rows[1]
        for model in (run.model, ls.load(tmp_path / "m")):
            answer = model.predict(row)
            assert answer == labels[1] and isinstance(answer, kind)
        many = run.model.predict_many(ls.open_stream(rows, label="y") if isinstance(given, str) else rows)
        assert set(many.tolist()) == set(labels) and {type(label) for label in many.tolist()} == {kind}


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (False, True)], ids=["0/1", "-1/+1", "booleans"])
def test_events_answer_in_the_labels_that_they_were_told(tmp_path, labels):
    for order in (labels, labels[::-1]):
        model = ls.perceptron().start()
        for _ in range(40):  # so that events come in the quick way, too
            for label in order:
                model.update({f"is {label}": 1}, label)
        model.save(tmp_path / "m")
        for again in (model, ls.load(tmp_path / "m")):
            answers = [again.predict({f"is {label}": 1}) for label in labels]
            assert answers == list(labels) and [type(answer) for answer in answers] == [type(label) for label in labels]
            assert again.observe({f"is {labels[0]}": 1}, labels[0]) == labels[0]


def test_missing_labels_among_booleans_of_pandas_are_none():
    run = ls.play(ls.perceptron(), ROWS[:4], pd.array([True, None, False, True], "boolean"))
    assert (run.rounds, run.unlabelled) == (3, 1) and {type(label) for label in run.predictions.tolist()} == {bool}


# ---- which column is the label ----


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas, lambda frame: frame.to_dict("records")])
def test_the_label_may_be_named_as_a_column(kind):
    frame = frame_of(["no", "yes"] * 40)
    table, apart = kind(frame), frame["class"].tolist()
    expected = ls.play(ls.perceptron(), kind(frame.drop(columns=["class"])), apart)
    for how in ((table, "class", {}), (table, None, {"label": "class"})):
        run = ls.play(ls.perceptron(), how[0], how[1], **how[2])
        assert run.mistakes == expected.mistakes and run.predictions.tolist() == expected.predictions.tolist()
        ls.verify(ls.certify(run, how[0], how[1], **how[2]), kind(frame.drop(columns=["class"])), apart)
        assert ls.fit(ls.perceptron(), how[0], how[1], **how[2]).rows == 80
    with pytest.raises(ls.LittlestoneError, match="both name the column of the label"):
        ls.play(ls.perceptron(), table, "class", label="class")
    with pytest.raises(ls.LittlestoneError, match="give|leave one of them out"):
        ls.play(ls.perceptron(), table, apart, label="class")
    with pytest.raises(ls.LittlestoneError, match="no such column|no row has it"):
        ls.play(ls.perceptron(), table, "klass")
    with pytest.raises(ls.LittlestoneError, match="names a column; expected a frame, a stream or rows as dicts, not ndarray"):
        ls.play(ls.perceptron(), ROWS, "class")
    with pytest.raises(TypeError, match=r"play\(\) got an unexpected keyword argument 'lable'"):
        ls.play(ls.perceptron(), table, lable="class")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas, lambda frame: frame.to_dict("records")])
def test_verify_takes_the_name_of_the_labels_column(kind, tmp_path):
    frame = frame_of(["no", "yes"] * 40)
    table, bare = kind(frame), kind(frame.drop(columns=["class"]))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    certificate = ls.certify(ls.play(LEARNERS[0], table, y="class"), table, y="class")
    assert ls.verify(certificate, table, y="class").status == "verified"
    assert str(ls.verify(certificate, table, "class")) == str(ls.verify(certificate, bare, frame["class"].tolist()))
    with pytest.raises(ls.LittlestoneError, match="y='klass': (no row has it|the certificate says that the label is the column 'class')"):
        ls.verify(certificate, table, y="klass")
    with pytest.raises(ls.LittlestoneError, match="y='class' names a column; expected a frame, a file or rows as dicts, not ndarray"):
        ls.verify(certificate, ROWS, y="class")
    with pytest.raises(ls.LittlestoneError, match="row 2: found 'label nay', expected no or yes, as the certificate says"):
        ls.verify(certificate, bare, ["no", "nay"] * 40)
    if not isinstance(table, list):
        assert ls.verify(certificate, tmp_path / "rows.csv", y="class").status == "verified"
        apart = ls.certify(ls.play(ls.perceptron(), bare, frame["class"]), bare, frame["class"])
        with pytest.raises(ls.LittlestoneError, match="the certificate knows no column of labels; expected what was played"):
            ls.verify(apart, table, y="class")


def test_verify_by_key_takes_the_name_of_the_labels_column():
    frame = frame_of(["no", "yes"] * 40)
    records, users = frame.to_dict("records"), ["u1", "u2", "u2"] * 26 + ["u1"] * 2
    certificate = ls.certify(ls.play(ls.perceptron(), records, y="class", key=users), records, y="class", key=users)
    assert ls.verify(certificate, records, y="class", key=users).status == "verified"
    frame = frame.assign(user=users)
    certificate = ls.certify(ls.play(ls.perceptron(), frame, y="class", key="user"), frame, y="class", key="user")
    assert ls.verify(certificate, frame, y="class").status == "verified"


# ---- lists of texts ----


@pytest.mark.parametrize("how", [{"ngrams": 2}, {"chars": 3}, {"ngrams": 3, "chars": 2}, {"bits": 8}, {"bits": 8, "chars": 3}, {}])
def test_lists_of_texts_are_read_as_files_are(tmp_path, how):
    texts = ["free offer now", "see you later", "späte Grüße :)", "a"] * 5
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{y}\t{text}\n" for y, text in zip(TWO, texts, strict=False)))
    stream = lambda: ls.open_stream(path, format="text", **how)  # noqa: E731
    for learner in (ls.panel(["arow", "perceptron"]), ls.one_vs_rest(ls.arow())):
        run, filed = ls.play(learner, texts, TWO[:20], **how), ls.play(learner, stream())
        assert run.predictions.tolist() == filed.predictions.tolist() and list(run.model.features) == list(filed.model.features)
        table = ls.play(learner, pd.DataFrame({"text": texts, "y": TWO[:20]}), "y", **how)
        assert table.predictions.tolist() == run.predictions.tolist()
        run.model.save(tmp_path / "m")
        for model in (run.model, ls.load(tmp_path / "m")):
            assert (
                [model.predict(text) for text in texts[:4]]
                == model.predict_many(texts[:4]).tolist()
                == filed.model.predict_many(texts[:4]).tolist()
            )
        ls.verify(ls.certify(run, texts, TWO[:20], **how), texts, TWO[:20])
        ls.verify(ls.certify(filed, stream()), path)
        again = ls.play(run.model, texts, TWO[:20])
        assert again.rounds == 40
        with pytest.raises(ls.LittlestoneError, match="the model reads texts with"):
            ls.play(run.model, texts, TWO[:20], ngrams=5)
    with pytest.raises(ls.LittlestoneError, match="expected a list of texts, a frame or a stream"):
        ls.play(ls.perceptron(), ROWS, TWO, ngrams=2)


def test_characters_are_an_option_of_the_command_line(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("spam\tfree offer\nham\tsee you\n" * 5)
    assert CliRunner().invoke(app, ["run", str(path), "--quiet", "--chars", "3", "--model", str(tmp_path / "m")]).exit_code == 0
    model = ls.load(tmp_path / "m")
    assert model.reading["chars"] == 3 and {"free", "~<fr", "~ee>", "~you"} < set(model.features)
    for wrong in (1, 17):
        with pytest.raises(ls.LittlestoneError, match=f"chars={wrong}: expected a whole number from 2 to 16"):
            ls.open_stream(path, chars=wrong)


# ---- frames ----


def test_a_run_is_a_frame_of_the_kind_that_came_in():
    frame = frame_of(["no", "yes"] * 6).set_index(pd.Index(range(100, 112)))
    kinds = {pd.DataFrame: frame, pl.DataFrame: pl.from_pandas(frame), pa.Table: pa.Table.from_pandas(frame, preserve_index=False)}
    for kind, table in kinds.items():
        for learner in LEARNERS:
            assert type(ls.play(learner, table, "class").to_frame()) is kind
    assert ls.play(LEARNERS[0], frame, "class").to_frame().index.tolist() == frame.index.tolist()
    columns = {pd.DataFrame: frame["class"], pl.DataFrame: pl.Series(frame["class"].tolist()), pa.Table: frame["class"].tolist()}
    for kind, labels in columns.items():
        assert type(ls.play(ls.perceptron(), ROWS[:12], labels).to_frame()) is kind
        assert type(ls.play(ls.perceptron(), [{"a": 1}] * 12, labels).to_frame()) is kind
    votes = pd.DataFrame({"one": [True, False] * 6, "two": [True, True] * 6})
    assert type(ls.play(ls.weighted_majority(), votes, [True, False] * 6).to_frame()) is pd.DataFrame
    assert ls.play(ls.perceptron(), frame, "class").to_frame()["label"].tolist() == frame["class"].tolist()
