"""Frames: their names and how they are read stay with the model; a model reads on as its stream was read."""

import pandas as pd
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
