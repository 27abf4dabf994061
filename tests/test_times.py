"""Dates and identifiers in tables: which features they give, whoever reads them, and what a model keeps of them."""

import json
import subprocess
import sys
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import littlestone as ls
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of
from littlestone.rounds.times import moment_of

FIRST = datetime(2026, 1, 5, 8, 13, 7)
COLUMNS = "id,sent,day,sender,amount,label"


def rows(n: int = 60) -> list[dict]:
    """Messages with an identifier, a date-time and a date; late ones are spam."""
    times = [FIRST + timedelta(minutes=517 * k) for k in range(n)]
    return [
        {"id": f"MSG-{7919 * k % 1000:03}", "sent": at, "day": at.date(), "sender": "ab"[k % 2], "amount": k / 4, "label": at.hour >= 17}
        for k, at in enumerate(times)
    ]


def written(folder, format: str, table: list[dict] | None = None):
    path, table = folder / f"mail.{format}", rows() if table is None else table
    texts = [{**row, "sent": row["sent"].isoformat(), "day": row["day"].isoformat(), "label": int(row["label"])} for row in table]
    if format == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in texts))
    elif format in ("csv", "tsv"):
        between = "," if format == "csv" else "\t"
        path.write_text("".join(between.join(map(str, row)) + "\n" for row in (COLUMNS.split(","), *(row.values() for row in texts))))
    else:
        arrow = pa.Table.from_pylist([{**row, "label": int(row["label"])} for row in table])
        (pyarrow.parquet.write_table if format == "parquet" else pyarrow.feather.write_feather)(arrow, str(path))
    return path


def features_in(stream) -> list[dict[str, float]]:
    """The features of each row by name, as a fast reader makes them."""
    made = []
    for block in stream.blocks():
        names = stream.names.names()
        for lo, hi in zip(block.indptr[:-1], block.indptr[1:], strict=True):
            values = np.ones(hi - lo) if block.values is None else block.values[lo:hi]
            made.append(dict(zip([names[i] for i in block.indices[lo:hi]], values.tolist(), strict=True)))
    return made


def plain_features(path, reading: Reading) -> list[dict[str, float]]:
    """The same as the plain reader makes them."""
    return [
        dict(zip(round.keys, round.values, strict=True)) for round in rounds_of(path, None, boolean=False, labels=[0, 1], reading=reading)
    ]


def expected(row: dict) -> dict[str, float]:
    sent, day = row["sent"], row["day"]
    features = {f"sent.hour={sent.hour}": 1.0, f"sent.weekday={sent:%a}": 1.0, f"sent.month={sent.month}": 1.0}
    features |= {"sent.days": float(np.float32((sent - FIRST) / timedelta(days=1)))}
    features |= {f"day.weekday={day:%a}": 1.0, f"day.month={day.month}": 1.0, "day.days": float((day - FIRST.date()).days)}
    return {name: value for name, value in {**features, f"sender={row['sender']}": 1.0, "amount": row["amount"]}.items() if value}


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_times_and_identifiers_mean_the_same_in_every_format(format, tmp_path):
    path = written(tmp_path, format)
    stream = ls.open_stream(path)
    assert features_in(stream) == [expected(row) for row in rows()]
    assert stream.reading.identifiers == ("id",)
    assert plain_features(path, stream.reading) == [expected(row) for row in rows()]
    assert stream.columns_in_words == (
        "id: identifier, left out · sent: time, as hour, weekday, month, days · day: date, as weekday, month, days · sender: 2 names · "
        "amount: number"
    )
    run = ls.play(ls.perceptron(), ls.open_stream(path))
    certificate = ls.certify(run, ls.open_stream(path))
    for other in ("csv", "parquet"):
        assert ls.verify(certificate, str(written(tmp_path, other)))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_times_and_identifiers_of_frames(kind):
    table = pa.Table.from_pylist(rows())
    frame = {"pandas": pd.DataFrame(rows()), "polars": pl.DataFrame(rows()), "pyarrow": table}[kind]
    assert features_in(ls.open_stream(frame, label="label")) == [expected(row) for row in rows()]
    y = [row["label"] for row in rows()]
    apart = frame.drop(columns="label") if kind == "pandas" else frame.drop("label") if kind == "polars" else frame.drop_columns(["label"])
    run = ls.play(ls.perceptron(), apart, y)
    assert run.mistakes == ls.play(ls.perceptron(), ls.open_stream(frame, label="label")).mistakes
    assert ls.verify(ls.certify(run, apart, y), apart, y)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Amsterdam"])
def test_an_hour_is_that_of_the_clock_in_the_column_s_own_zone(unit, zone, tmp_path):
    times = pa.array([row["sent"] for row in rows()], pa.timestamp("us")).cast(pa.timestamp(unit, zone), safe=False)
    table = pa.table({"sent": times, "label": [int(row["label"]) for row in rows()]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    stream = ls.open_stream(tmp_path / "a.parquet")
    made = features_in(stream)
    hours = [at.hour for at in table["sent"].cast(pa.timestamp("us", zone), safe=False).to_pylist()]
    assert all(f"sent.hour={hour}" in row for hour, row in zip(hours, made, strict=True))
    assert plain_features(tmp_path / "a.parquet", stream.reading) == made


def test_days_are_of_the_same_moment_whatever_offset_is_written():
    for text in ("2026-01-05T08:13:07", "2026-01-05 08:13:07Z", "2026-01-05T08:13:07.000+02:00", "2026-01-05 08:13:07 UTC"):
        assert moment_of(text).at == FIRST
    for text in ("2026-1-5", "05.01.2026", "2026-02-30", "2026-01-05T25:00", "20260105", "2026-01-05T", "", None, 5, True):
        assert moment_of(text) is None
    assert moment_of(np.datetime64("2026-01-05T08:13:07.5")).at == FIRST.replace(microsecond=500_000)
    assert moment_of(pd.NaT) is None and moment_of(np.datetime64("NaT")) is None
    assert moment_of(date(2026, 1, 5)) == (datetime(2026, 1, 5), False)


def test_cells_that_are_missing_or_no_times(tmp_path):
    path = tmp_path / "a.csv"
    lines = [f"2026-01-{k + 5:02}T0{k}:00,{k % 2}" for k in range(9)]
    path.write_text("sent,label\n" + "\n".join([*lines[:4], ",1", "NA,0", *lines[4:]]) + "\n")
    stream = ls.open_stream(path)
    made = features_in(stream)
    assert made[4] == made[5] == {"sent is missing": 1.0} and made[0] == {"sent.hour=0": 1.0, "sent.weekday=Mon": 1.0, "sent.month=1": 1.0}
    assert plain_features(path, stream.reading) == made
    path.write_text(path.read_text() + "soon,1\n")
    expectation = r"a.csv, line 13, column 'sent': found 'soon', expected a date or a date-time, such as .*--categorical sent"
    with pytest.raises(ls.LittlestoneError, match=expectation):
        features_in(ls.open_stream(path))
    with pytest.raises(ls.LittlestoneError, match=expectation):
        plain_features(path, stream.reading)
    left_out = ls.open_stream(path, skip_bad=True)
    assert features_in(left_out) == made and left_out.bad_lines == 1
    assert {"sent=soon": 1.0} in features_in(ls.open_stream(path, categorical="sent"))


def test_lines_of_json_without_a_time(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"label": 1, "sent": "2026-01-05"}\n' * 5 + '{"label": 0, "sent": null}\n{"label": 1}\n{"label": 0, "sent": "?"}\n')
    stream = ls.open_stream(path)
    made = features_in(stream)
    assert made[5:] == [{"sent is missing": 1.0}, {}, {"sent is missing": 1.0}]
    assert plain_features(path, stream.reading) == made


def test_what_is_said_of_a_column_overrules(tmp_path):
    path = written(tmp_path, "csv")
    kept = features_in(ls.open_stream(path, categorical=["id", "sent"], ignore="day"))
    assert kept[0] == {"id=MSG-000": 1.0, "sent=2026-01-05T08:13:07": 1.0, "sender=a": 1.0}
    crossed = ls.open_stream(path, cross="id*sender")
    assert "id=MSG-000*sender=a" in features_in(crossed)[0]  # a column that is asked for is no identifier
    few = tmp_path / "few.csv"
    few.write_text("at,label\n" + "x,0\n" * 3 + "2026-01-05,1\n" * 2)
    assert features_in(ls.open_stream(few))[3] == {"at=2026-01-05": 1.0}
    with pytest.raises(ls.LittlestoneError, match="line 2, column 'at': found 'x', expected a date"):
        features_in(ls.open_stream(few, time="at"))
    few.write_text("at,label\n" + "?,0\n" * 3 + "2026-01-05,1\n" * 2)
    assert features_in(ls.open_stream(few, time="at"))[4] == {"at.weekday=Mon": 1.0, "at.month=1": 1.0}
    with pytest.raises(ls.LittlestoneError, match="line 2, column 'sender': found 'a', expected a number"):
        features_in(ls.open_stream(path, numeric="sender"))
    with pytest.raises(ls.LittlestoneError, match="--time when: no such column"):
        ls.open_stream(path, time="when").begin()


@pytest.mark.parametrize(
    "cells",
    [["Ann", "Bob"] * 5, [f"{name} {k}" for k, name in enumerate(["Ann", "Bob"] * 5)], [f"A{k}" for k in range(9)], ["UA", "AA", "KL"]],
    ids=["twice", "words", "few", "short"],
)
def test_columns_that_are_no_identifiers(cells, tmp_path):
    (tmp_path / "a.csv").write_text("who,label\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells)))
    assert ls.open_stream(tmp_path / "a.csv").begin().kinds == {"who": "categorical"}


def test_a_model_keeps_how_its_columns_were_read(tmp_path):
    run = ls.play(ls.perceptron(), ls.open_stream(written(tmp_path, "csv", rows()[:40])), ledger=True)
    run.model.save(tmp_path / "m")
    model, rest = ls.load(tmp_path / "m"), rows()[40:]
    later = written(tmp_path, "jsonl", rest)
    whole = ls.play(ls.perceptron(), ls.open_stream(written(tmp_path, "csv")))
    assert ls.play(model, ls.open_stream(later)).mistakes == whole.mistakes
    for row in rest:
        event = {**row, "sent": row["sent"].isoformat()}
        del event["label"]
        assert model.predict(event) == model.predict({**event, "sent": row["sent"], "day": row["day"].isoformat()})
        assert model.observe(event, row["label"]) in (True, False)
    assert model.mistakes == whole.mistakes and not any(name.startswith(("id", "sent=")) for name in model.features)
    assert ls.play(model, pd.DataFrame(rest).drop(columns="label"), [row["label"] for row in rest]).rounds == 20


def test_a_reading_of_before_keeps_dates_and_identifiers_as_categories(tmp_path):
    for format in ("csv", "parquet"):
        kinds = ls.open_stream(written(tmp_path, format), reading=Reading(version=2)).begin().kinds
        assert kinds == {"id": "categorical", "sent": "categorical", "day": "categorical", "sender": "categorical", "amount": "numeric"}


def test_the_command_says_what_it_made_of_each_column(tmp_path):
    path = written(tmp_path, "csv")

    def started(*arguments, **how):
        command = [sys.executable, "-m", "littlestone", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True, **how)

    ran = started("run", path, "--learner", "perceptron", "--time", "day", "--ignore", "sender", "--model", tmp_path / "m", "--json")
    line = "id: identifier, left out · sent: time, as hour, weekday, month, days · day: date, as weekday, month, days · sender: left out"
    assert ran.stderr.splitlines()[0] == f"{line} · amount: number"
    piped = started("run", "-", "--format", "csv", "--learner", "perceptron", "--ignore", "sender", "--json", input=path.read_text())
    assert piped.stderr.splitlines()[0] == f"{line} · amount: number"
    assert json.loads(piped.stdout)["mistakes"] == json.loads(ran.stdout)["mistakes"]
    assert not started("run", path, "--learner", "perceptron", "--quiet").stderr
    shown = started("show", tmp_path / "m").stdout
    assert "time: sent, day; numeric: amount; left out: sender; left out as identifiers: id" in " ".join(shown.split())
    assert started("predict", tmp_path / "m", path).stdout == started("predict", tmp_path / "m", written(tmp_path, "parquet")).stdout


def test_many_columns_are_told_of_together(tmp_path):
    names = [f"c{k}" for k in range(20)]
    (tmp_path / "a.csv").write_text(f"{','.join(names)},at,label\n" + f"{','.join('7' * 20)},2026-01-05,1\n" * 3)
    assert ls.open_stream(tmp_path / "a.csv", categorical="c1").columns_in_words == (
        "c0, c2, c3 and 16 more: number · c1: names · at: date, as weekday, month, days"
    )


def test_a_moment_that_no_reader_could_have_made_is_refused():
    plain = Reading(format="csv", named=True, columns=("at",), kinds={"at": "time"}, times={"at": "2026-01-05"}).as_json()
    assert Reading.from_json(plain).times == {"at": "2026-01-05"}
    for times in ({"at": "soon"}, {}, {"at": 7}, 5):
        with pytest.raises(ls.LittlestoneError):
            Reading.from_json({**plain, "times": times})


def without_labels(table: list[dict]) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "label"} for row in table]


def test_dicts_give_the_same_features_and_a_model_keeps_how(tmp_path):
    table, y = without_labels(rows()), [row["label"] for row in rows()]
    texts = [{**row, "sent": row["sent"].isoformat(), "day": row["day"].isoformat()} for row in table]
    frame = ls.play(ls.perceptron(), ls.open_stream(pd.DataFrame(rows()), label="label"))
    for X in (table, texts):
        run = ls.play(ls.perceptron(), X, y, ledger=True)
        assert run.mistakes == frame.mistakes
        assert set(run.model.features) == {name for row in rows() for name in expected(row)} | {"amount"}
        certificate = ls.certify(run, X, y)
        assert ls.verify(certificate, X, y) and ls.verify(certificate, texts if X is table else table, y)
        assert certificate.content["stream"]["reading"]["identifiers"] == ["id"]
        run.model.save(tmp_path / "m")
        model = ls.load(tmp_path / "m")
        answers = [run.model.predict(row) for row in table]
        assert [model.predict(row) for row in texts] == answers == model.predict_many(table).tolist()
    started = ls.play(ls.perceptron(), texts[:20], y[:20], ledger=True).model
    for row, label in zip(texts[20:], y[20:], strict=True):
        started.observe({**row, "id": 17}, label)  # an identifier that is a number is left out, too
    assert started.mistakes == frame.mistakes and ls.play(ls.perceptron(), texts[:20], y[:20]).mistakes <= frame.mistakes
    resumed = ls.play(ls.play(ls.perceptron(), texts[:20], y[:20], ledger=True).model, texts[20:], y[20:], ledger=True).model
    assert resumed.mistakes == frame.mistakes and "id" not in started.features


def test_values_of_dicts_that_are_missing_or_no_times():
    X = [{"sent": "2026-01-05"}, {"sent": None}, {"sent": "2026-01-06"}, {"amount": 2}, {"sent": float("nan")}, {"sent": pd.NaT}] * 2
    model = ls.play(ls.perceptron(), X, [True, False] * 6, ledger=True).model
    assert set(model.features) == {"sent.weekday=Mon", "sent.month=1", "sent is missing", "sent.weekday=Tue", "sent.days", "amount"}
    with pytest.raises(ls.LittlestoneError, match=r"feature 'sent': found 'soon', expected a date"):
        model.observe({"sent": "soon"}, True)


def test_several_classes_of_dicts():
    table, y = without_labels(rows()), ["abc"[k % 3] for k in range(60)]
    run = ls.play(ls.multiclass_perceptron(), table, y)
    assert run.mistakes == ls.play(ls.multiclass_perceptron(), pd.DataFrame(table), y).mistakes
    assert ls.verify(ls.certify(run, table, y), table, y)


def test_a_model_of_dicts_from_before_keeps_dates_as_categories():
    model = ls.perceptron().start()
    model.reading = {}  # as models of events were kept
    model.observe({"sent": "2026-01-05", "id": "x7"}, True)
    assert set(model.features) == {"sent=2026-01-05", "id=x7"}
    ls.play(model, [{"sent": f"2026-01-{k:02}"} for k in range(10, 20)], [True, False] * 5)
    assert model.features and not any(name.startswith("sent.") for name in model.features)


@pytest.mark.parametrize("kind", ["dicts", "frame"])
def test_what_is_said_of_keys_overrules(kind):
    table, y = without_labels([{**row, "at": "soon", "zip": 10 + k % 2} for k, row in enumerate(rows())]), [row["label"] for row in rows()]
    table = [{**row, "day": row["day"].isoformat(), "at": "?" if k else "2026-01-05"} for k, row in enumerate(table)]
    X = table if kind == "dicts" else pd.DataFrame(table)
    said = {"categorical": ["id", "zip"], "ignore": "sent", "time": ["day", "at"]}
    run = ls.play(ls.perceptron(), X, y, ledger=True, **said)
    starts = {"id=", "zip=", "day.weekday=", "day.month=", "day.days", "at.weekday=", "at.month=", "at is missing", "sender=", "amount"}
    assert {name if "=" not in name else name[: name.index("=") + 1] for name in run.model.features} == starts
    certificate = ls.certify(run, X, y, **said)
    assert ls.verify(certificate, X, y)
    assert run.model.predict(table[3]) in (True, False)
    with pytest.raises(ls.LittlestoneError, match="ls.open_stream"):
        ls.play(ls.perceptron(), ls.open_stream("a.csv"), **said)
    with pytest.raises(ls.LittlestoneError, match=r"ignore='sent': expected a frame or a list of dicts"):
        ls.play(ls.perceptron(), np.eye(2), [0, 1], ignore="sent")
    if kind == "dicts":
        with pytest.raises(ls.LittlestoneError, match="the model keeps how its rows are read"):
            ls.play(run.model, X, y, ignore="sent")
