"""Frames: their names and how they are read stay with the model; a model reads on as its stream was read."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError


@pytest.fixture
def flights():
    rows = [(["UA", "AA", "DL"][t % 3], t % 5, (t * 7) % 11 - 3) for t in range(60)]
    return pd.DataFrame(rows, columns=["carrier", "hour", "late"])


@pytest.fixture
def saved(flights, tmp_path):
    """A model of a frame, and a file with its rows."""
    run = ls.play(ls.perceptron(), flights.drop(columns="late"), flights.late > 2, ledger=True)
    run.model.save(tmp_path / "m")
    flights.to_csv(tmp_path / "a.csv", index=False)
    flights[::-1].to_csv(tmp_path / "b.csv", index=False)
    return tmp_path


def on_file(folder, file):
    return CliRunner().invoke(app, ["predict", str(folder / "m"), str(folder / file), "--label", "late>2", "--test", "--quiet"]).output


def test_a_model_of_a_frame_keeps_its_names_whatever_the_order_of_rows(saved):
    model = ls.load(saved / "m")
    assert list(model.features) == ["carrier=UA", "carrier=AA", "hour", "carrier=DL"]
    assert on_file(saved, "a.csv").split(" ", 1)[0] == on_file(saved, "b.csv").split(" ", 1)[0]
    file = ls.play(ls.perceptron(), ls.open_stream(saved / "a.csv", label="late>2"), ledger=True).model
    assert {name: file.explain({name: 1}).score for name in file.features} == {
        name: model.explain({name: 1}).score for name in model.features
    }


def test_a_model_reads_a_frame_as_its_own_stream(flights, saved):
    options = {"label": "late>2", "categorical": "hour", "cross": "carrier*hour"}
    whole = ls.play(ls.perceptron(), ls.open_stream(saved / "a.csv", saved / "a.csv", **options), ledger=True)
    first = ls.play(ls.perceptron(), ls.open_stream(saved / "a.csv", **options), ledger=True).model
    for X, y in ((flights.drop(columns="late"), flights.late > 2), (ls.open_stream(saved / "a.csv", label="late>2"), None)):
        again = ls.play(first, X, y)
        assert again.mistakes == whole.mistakes and dict(again.model.features) == dict(whole.model.features)


def test_a_frame_can_be_opened_with_options(flights, saved):
    options = {"label": "late>2", "bins": {"hour": 2}}
    frame, file = ls.open_stream(flights, **options), ls.open_stream(saved / "a.csv", **options)
    assert ls.play(ls.arow(), frame).mistakes == ls.play(ls.arow(), file).mistakes and list(frame.names) == list(file.names)
    with pytest.raises(LittlestoneError, match="open_stream takes paths, or one frame; got int"):
        ls.open_stream(3)


def test_a_category_of_numbers_is_a_category(flights):
    X = flights.drop(columns="late").astype({"hour": "category"})
    stream = ls.open_stream(X.assign(label=flights.late > 2))
    ls.play(ls.perceptron(), stream)
    assert "hour=4" in list(stream.names)


def test_names_are_refused_by_a_model_of_numbers(flights, saved):
    (saved / "s.libsvm").write_text("1 1:1\n0 2:1\n")
    ls.play(ls.perceptron(), ls.open_stream(saved / "s.libsvm"), ledger=True).model.save(saved / "m")
    result = CliRunner().invoke(app, ["predict", str(saved / "m"), str(saved / "a.csv"), "--label", "late>2"])
    assert isinstance(result.exception, LittlestoneError) and "the model knows its features by their numbers" in str(result.exception)


@pytest.mark.parametrize("name", ["c.parquet", "c.jsonl", "c.csv", "c.vw"])
def test_a_model_predicts_what_convert_made_of_its_stream(saved, name):
    stream = ls.open_stream(saved / "a.csv", label="late>2", cross="carrier*hour")
    ls.play(ls.perceptron(), stream, ledger=True).model.save(saved / "m")
    ls.convert(stream, saved / name)
    said = [
        CliRunner().invoke(app, ["predict", str(saved / "m"), str(saved / file), "--test", "--quiet"]).output for file in ("a.csv", name)
    ]
    assert said[0] == said[1] and " in 60 rounds" in said[0]


def test_predict_takes_rows_whatever_their_labels(saved):
    (saved / "odd.csv").write_text("carrier,hour,late\nUA,1,soon\n")
    result = CliRunner().invoke(app, ["predict", str(saved / "m"), str(saved / "odd.csv"), "--label", "late", "--quiet"])
    assert result.exit_code == 0 and result.output.splitlines()[-1] in ("0", "1")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("made", ["frame", "jsonl", "parquet"])
def test_rows_to_be_predicted_need_no_column_of_the_label(flights, tmp_path, made, ending):
    flights["late"] = 3 * flights.hour - 4
    bare, new = tmp_path / f"bare.{ending}", tmp_path / f"new.{ending}"
    write = {
        "csv": lambda frame, path: frame.to_csv(path, index=False),
        "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda frame, path: frame.to_parquet(path, index=False),
        "arrow": lambda frame, path: frame.to_feather(path, compression="uncompressed"),
    }
    if made != "frame":
        write[made](flights, tmp_path / f"own.{made}")
    stream = ls.open_stream(flights if made == "frame" else tmp_path / f"own.{made}", label="late>2")
    write[ending](flights, new)
    write[ending](flights.drop(columns="late"), bare)
    model = ls.play(ls.panel(["arow", "perceptron"]), stream, ledger=True).model
    model.save(tmp_path / "m")
    expected = model.predict(flights).tolist()
    assert 0 < sum(expected) < 60
    for path in (bare, new):
        assert model.predict(ls.open_stream(path)).tolist() == ls.load(tmp_path / "m").predict(ls.open_stream(path)).tolist() == expected
        said = CliRunner().invoke(app, ["predict", str(tmp_path / "m"), str(path), "--quiet"])
        assert said.exit_code == 0 and list(map(int, said.stdout.split())) == expected
        why = CliRunner().invoke(app, ["explain", str(tmp_path / "m"), "--stream", str(path), "--round", "1"])
        assert why.exit_code == 0 and f"predicted {expected[0]}" in why.stdout
    with pytest.raises(LittlestoneError, match="label='delay': there is no such column"):
        model.predict(ls.open_stream(bare, label="delay"))


def test_a_run_goes_out_as_a_frame_of_the_kind_that_came_in(flights):
    X, y = flights.drop(columns="late").set_index(pd.Index(range(100, 160))), (flights.late > 2).map({True: "late", False: "no"})
    X["name"] = [f"n{t}" for t in range(60)]
    expected = ls.play(ls.adaptive(), X, y, scores=True, ids=X.name)
    frame = expected.to_frame()
    assert frame.index.equals(X.index) and list(frame) == ["round", "id", "label", "prediction", "score", "probability"]
    assert frame["id"].tolist() == X.name.tolist() and frame["round"].tolist() == list(range(1, 61)) and frame.label.tolist() == y.tolist()
    assert frame.prediction.tolist() == expected.predictions.tolist() and (frame.label != frame.prediction).sum() == expected.mistakes
    assert frame.probability.tolist() == expected.probabilities.tolist() and frame.score.tolist() == expected.scores.tolist()
    for table, kind in ((pl.from_pandas(X), pl.DataFrame), (pa.Table.from_pandas(X, preserve_index=False), pa.Table)):
        other = ls.play(ls.adaptive(), table, y, scores=True, ids=X.name).to_frame()
        assert type(other) is kind and pa.table(other).to_pylist() == pa.Table.from_pandas(frame, preserve_index=False).to_pylist()
    several = ls.play(ls.multiclass_perceptron(), [[1, 0], [0, 1], [1, 1]], [5, 7, None]).to_frame()
    assert several.select(["label", "prediction", "score"]).to_pylist()[1:] == [
        {"label": 7, "prediction": 5, "score": None},
        {"label": None, "prediction": 5, "score": None},
    ]
    late = ls.play(ls.perceptron(), [[1, 0], [0, 1], [0, 0]], [None, 1, 0], ids=["a", "b", "a"]).to_frame()
    assert late["prediction"].to_pylist() == [True, True, None] and late["label"].to_pylist() == [None, True, False]
    advised = ls.play(ls.adahedge(), [[1, 0], [0, 1]], [1, 0]).to_frame()
    assert advised["label"].to_pylist() == [True, False] and advised["score"].to_pylist()[0] == 0.5
    assert ls.play(ls.adahedge(advice="loss"), [[1, 0], [0, 1]]).to_frame()["label"].to_pylist() == [None, None]
    assert ls.play(ls.perceptron(), X, y, skip=3).to_frame()["round"].tolist()[0] == 4
    with pytest.raises(LittlestoneError, match="kept no rounds for a frame"):
        ls.play(ls.perceptron(), X, y, predictions=False).to_frame()
