"""Tables of experts: read from every format alike, played as their definition says, and refused by name."""

import gzip
import json
import math

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import littlestone as ls
from littlestone.api.experts import rule_named
from littlestone.api.experts_play import play_table
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.learners import experts as catalogue
from littlestone.report.expert_words import number, summary
from littlestone.rounds.table_reading import TableReading
from littlestone.streams import expert_columns, expert_sources
from littlestone.streams.expert_tables import ExpertTable, narrow, truth_codes

NAN = math.nan


def command(*arguments, code=0):
    result = CliRunner().invoke(app, ["experts", *map(str, arguments)])
    if isinstance(result.exception, LittlestoneError):
        return str(result.exception)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result.stdout


def told(*arguments):
    found = json.loads(command(*arguments, "--json", "--quiet"))
    del found["seconds"], found["tables"]
    return found


def frame(rounds=40, n=4, asleep=0.0, seed=3):
    """Forecasts of a random walk; the dates before the truth are no experts."""
    rng = np.random.default_rng(seed)
    truth = np.cumsum(rng.normal(size=rounds)) + 20
    columns = {"day": [f"2020-01-{k % 28 + 1:02}" for k in range(rounds)], "code": np.arange(rounds), "truth": truth.round(3)}
    for i in range(n):
        said = (truth + rng.normal(scale=0.3 * (i + 1), size=rounds)).round(3)
        columns[f"e.{i}"] = np.where(rng.random(rounds) < asleep, NAN, said)
    return pandas.DataFrame(columns)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    frame().to_csv(path, index=False)
    return path


@pytest.fixture
def sleepy(tmp_path):
    path = tmp_path / "sleepy.csv"
    frame(asleep=0.4).to_csv(path, index=False)
    return path


def test_a_table_by_hand(table):
    data = frame()
    x, y = data.filter(like="e.").to_numpy(), data["truth"].to_numpy()
    squared = (x - y[:, None]) ** 2
    run = ls.experts(table, gradient=False)
    assert run.names == ("e.0", "e.1", "e.2", "e.3") and run.reading.ignore == ("day", "code") and run.rule.name == "adahedge"
    assert run.reading.scale == squared.max() and run.reading.measured and not run.slept
    assert [one.loss for one in run.experts] == pytest.approx(squared.sum(axis=0))
    assert run.best.name == "e.0" and [one.awake for one in run.experts] == [40] * 4
    assert run.uniform["loss"] == pytest.approx(((x.mean(axis=1) - y) ** 2).sum())
    # the rule, a round at a time: its weights before the round make its forecast
    model, own, mean = ls.adahedge(n=4, advice="loss").start(), [], []
    for t, scaled in enumerate((squared / squared.max()).astype(np.float32)):
        own.append(model.weights @ x[t])
        mean.append(model.weights @ squared[t])
        model.update(scaled)
    assert run.predictions == pytest.approx(own)
    assert run.loss == pytest.approx(sum((np.array(own) - y) ** 2)) and run.mixture_loss == pytest.approx(sum(mean), rel=1e-6)
    assert run.loss <= run.mixture_loss and run.regret == pytest.approx(run.loss - run.best.loss)
    assert [one.rule_loss for one in run.experts] == pytest.approx([run.loss] * 4)
    assert sum(run.weights.values()) == pytest.approx(1)
    assert run.convex.loss <= min(run.best.loss, run.uniform["loss"])
    assert [one.switches for one in run.switching] == [0, 1, 2, 3] and run.switching[0].loss == pytest.approx(run.best.loss)
    assert all(claim.holds for claim in run.bounds)
    claim = next(claim for claim in run.bounds if claim.name == "adahedge")
    assert run.limit_in_units(claim) == pytest.approx(claim.limit * run.reading.scale) and run.mixture_loss <= run.limit_in_units(claim)


def written(data, path, kind):
    if kind == "csv.gz":
        path.write_bytes(gzip.compress(data.to_csv(index=False).encode()))
    elif kind == "tsv":
        data.to_csv(path, index=False, sep="\t")
    elif kind == "semicolons.csv":
        data.to_csv(path, index=False, sep=";", na_rep="NA")
    elif kind == "jsonl":
        data.to_json(path, orient="records", lines=True, double_precision=15)
    elif kind == "parquet":
        data.to_parquet(path, row_group_size=7)
    else:
        with pa.ipc.new_file(path, pa.Table.from_pandas(data).schema) as out:
            out.write_table(pa.Table.from_pandas(data), max_chunksize=9)


@pytest.mark.parametrize("kind", ["csv.gz", "tsv", "semicolons.csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("asleep", [0.0, 0.4], ids=["awake", "asleep"])
def test_every_format_gives_the_same(kind, asleep, table, sleepy, tmp_path, monkeypatch):
    expected = told(sleepy if asleep else table)
    assert expected["rule"].startswith("rule_of_rules")
    path = tmp_path / f"other.{kind}"
    written(frame(asleep=asleep), path, kind)
    monkeypatch.setattr(expert_sources, "PIECE", 700 if kind in ("csv.gz", "tsv", "semicolons.csv", "jsonl") else 8)  # many pieces
    monkeypatch.setattr(expert_columns, "CELLS", 16)
    assert told(path) == expected


@pytest.mark.parametrize("asleep", [0.0, 0.4], ids=["awake", "asleep"])
def test_frames_and_long_tables_give_the_same(asleep, tmp_path, monkeypatch):
    data = frame(asleep=asleep)
    path = tmp_path / "wide.csv"
    data.to_csv(path, index=False)
    expected = told(path)

    def compared(*tables, **choices):
        found = ls.experts(*tables, **choices).as_json()
        del found["seconds"]
        return {"seconds": 0, **found} | {"seconds": 0}

    expected = expected | {"seconds": 0}
    plain = json.loads(json.dumps(compared(data)))
    assert plain == expected
    assert json.loads(json.dumps(compared(polars.from_pandas(data)))) == expected
    assert json.loads(json.dumps(compared(pa.Table.from_pandas(data).to_reader(max_chunksize=5)))) == expected
    halves = [tmp_path / "a.csv", tmp_path / "b.csv"]
    data[:13].to_csv(halves[0], index=False)
    data[13:].to_csv(halves[1], index=False)
    assert json.loads(json.dumps(compared(*halves))) == expected
    long = data.melt(["code", "truth"], [f"e.{i}" for i in range(4)], "expert", "forecast").rename(columns={"code": "round"})
    long["place"] = long["expert"].str[-1]
    long = long.sort_values(["round", "place"])
    spoken = long.dropna() if asleep else long
    if asleep:  # in order of appearance
        order = list(dict.fromkeys(spoken["expert"]))
        expected = json.loads(json.dumps(compared(data, experts=order)))
    spoken.to_csv(tmp_path / "long.csv", index=False)
    monkeypatch.setattr(expert_sources, "PIECE", 700)
    found = told(tmp_path / "long.csv") | {"seconds": 0}
    assert found["experts"] == expected["experts"] and found["loss"] == expected["loss"] and found["bounds"] == expected["bounds"]


@pytest.mark.parametrize("name", catalogue.names())
@pytest.mark.parametrize("kind", ["forecast", "vote"])
def test_telling_a_round_twice_changes_nothing(name, kind, sleepy):
    """The rule's own forecast is asked for by a row without a truth: mixtures and states are those of the losses alone."""
    table = ExpertTable(sleepy, **({"threshold": 20.0} if kind == "vote" else {}))
    try:
        rule = rule_named(name, table.reading.played)
    except LittlestoneError:
        return  # takes no losses
    run, played = play_table(rule, table)
    advices = [advice for advice, _, _ in table.advices()]
    rows, truth = np.concatenate([a.table for a in advices]), np.concatenate([a.truth for a in advices])
    alone = ls.play(rule, rows, None if kind == "forecast" else truth)
    assert np.array_equal(run.mix, alone.mix) and run.slept and alone.slept
    assert all(np.array_equal(a, b) for a, b in zip(run.state, alone.state, strict=True))
    assert np.array_equal(run.losses, alone.losses)
    counted = np.nansum(np.abs(rows.astype(float) - truth[:, None]), axis=0) * table.reading.scale
    assert played.lost == pytest.approx(counted, rel=1e-5)
    assert played.awake.tolist() == (~np.isnan(rows)).sum(axis=0).tolist()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["squared", "absolute", "pinball", "zero_one", "loss", "gain", "vote", "probability"]),
    st.lists(st.tuples(st.floats(-1e6, 1e6) | st.just(NAN), st.floats(-1e6, 1e6) | st.just(NAN)), min_size=1, max_size=8),
    st.floats(1e-3, 1e12),
)
def test_plain_and_compiled_losses_are_the_same_bits(kind, pairs, scale):
    low, high = (-1e6, 1e6) if kind in ("loss", "gain") else (None, None)
    if kind in ("vote", "probability"):
        pairs = [
            (NAN if x != x else abs(x) / 1e6 if kind == "probability" else float(x > 0), NAN if y != y else float(y > 0)) for x, y in pairs
        ]
    forecast = kind in ("squared", "absolute", "pinball", "zero_one")
    reading = TableReading(
        advice="forecast" if forecast else kind,
        loss=kind if forecast else None,
        quantile=0.3 if kind == "pinball" else None,
        threshold=0.25 if kind == "zero_one" else None,
        low=low,
        high=high,
        scale=2e6 if low is not None else scale,
    )
    assert TableReading.from_json(json.loads(json.dumps(reading.as_json()))) == reading
    x, y = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    cell, code = reading.cell_of(), reading.truth_of()
    truths = y if reading.judged else None
    found = narrow(reading, x[:, None], truths)[:, 0] if forecast or low is not None else x.astype(np.float32)
    plain = np.array([cell(a, b) for a, b in pairs], np.float32)
    assert np.array_equal(np.isnan(found), np.isnan(plain))
    assert np.array_equal(found[~np.isnan(found)].view(np.uint32), plain[~np.isnan(plain)].view(np.uint32))
    assert truth_codes(reading, truths, len(x)).tolist() == [code(b) for b in y.tolist()]


def csv(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_votes_probabilities_losses_and_gains(tmp_path):
    votes = told(csv(tmp_path, "truth,a,b,c\n1,1,0,1\n0,0,0,1\n1,1,1,0\n"))
    assert (votes["advice"], votes["scale"], votes["best"]["name"], votes["best"]["mistakes"]) == ("vote", 1, "a", 0)
    assert votes["uniform"] == {"loss": pytest.approx(1.0), "mistakes": 0} and votes["convex"]["weights"] == {"a": 1.0}
    chances = told(csv(tmp_path, "y,a,b\n1,0.9,0.2\n0,0.1,0.5\n"))
    assert chances["advice"] == "probability" and chances["experts"][1]["mistakes"] == 2
    assert chances["experts"][0]["loss"] == pytest.approx(0.2) and chances["convex"]["weights"] == {"a": 1.0}
    brier = told(csv(tmp_path, "y,a,b\n1,0.9,0.2\n0,0.1,0.5\n"), "--loss", "squared")
    assert brier["advice"] == "forecast" and brier["experts"][0]["loss"] == pytest.approx(0.02) and brier["mistakes"] is None
    losses = told(csv(tmp_path, "a,b\n0.5,1\n0.25,0\n"), "--advice", "loss")
    assert losses["scale"] == 1 and [one["loss"] for one in losses["experts"]] == [0.75, 1.0] and not losses["range"]["measured"]
    shifted = told(csv(tmp_path, "a,b\n-3,1\n2,5\n"), "--advice", "loss")
    assert shifted["range"] == {"low": -3, "high": 5, "measured": True} and [one["loss"] for one in shifted["experts"]] == [-1, 6]
    assert shifted["loss"] == pytest.approx(shifted["mixture_loss"])
    gains = told(csv(tmp_path, "item,a,b\n7,100,0\n8,50,100\n"), "--advice", "gain", "--range", "0:200")
    assert gains["scale"] == 200 and [one["loss"] for one in gains["experts"]] == [250, 300]
    assert [one["name"] for one in gains["experts"]] == ["a", "b"]


def test_a_mistake_means_the_same_in_every_command(tmp_path):
    """Of a rule that tosses a coin the weighted majority's where a table is played, and one draw's in a model; both are said."""
    table, model = tmp_path / "votes.csv", tmp_path / "votes.littlestone"
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (60, 4))
    table.write_text("truth,a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    for rule in ("hedge:eta=1/10", "weighted_majority", "fixed_share:alpha=1/10:eta=1"):
        mistakes = told(table, "--rule", rule, "--model", model)["mistakes"]
        lines = tmp_path / "said.txt"
        command(table, "--rule", rule, "--predictions", lines, "--quiet")
        assert mistakes == sum(int(line) != row[0] for line, row in zip(lines.read_text().split(), rows, strict=True))
        drawn, coin = ls.load(model).mistakes, ls.load(model).rule.randomized
        shown = " ".join(CliRunner().invoke(app, ["show", str(model)]).stdout.split())
        assert f"60 rounds, {drawn} mistakes" in shown and ("drawn by its coin" in shown) == coin
        text = " ".join(command(table, "--rule", rule, "--quiet").split())
        assert (f"drawn by its coin made {drawn} mistakes" in text) == coin
        assert coin or drawn == mistakes
        test = CliRunner().invoke(app, ["predict", str(model), str(table), "--test", "--json"]).stdout
        predicted = CliRunner().invoke(app, ["predict", str(model), str(table)]).stdout.split()
        assert json.loads(test)["mistakes"] == sum(int(line) != row[0] for line, row in zip(predicted, rows, strict=True))


def test_losses_of_forecasts(tmp_path):
    path = csv(tmp_path, "a,b,y\n1,3,2\n4,0,1\n")
    assert [one["loss"] for one in told(path, "--loss", "absolute")["experts"]] == [4, 2]
    pinball = told(path, "--quantile", "0.75", "--range", "0:4")
    assert [one["loss"] for one in pinball["experts"]] == [0.75 + 0.75, 0.25 + 0.75] and pinball["scale"] == 3.0
    votes = told(path, "--threshold", "2")
    assert votes["loss_name"] == "zero_one" and [one["mistakes"] for one in votes["experts"]] == [2, 0]
    squared = told(path, "--range", "0:10")
    assert squared["scale"] == 100 and squared["range"] == {"low": 0, "high": 10, "measured": False}
    bound = squared["bounds"][0]
    assert bound["limit_in_units"] == pytest.approx(100 * bound["limit"])


def test_a_round_without_a_truth_is_predicted_and_not_counted(tmp_path):
    path = csv(tmp_path, "truth,a,b\n1,2,1\n,5,7\n3,3,\n")
    run = ls.experts(path)
    assert run.rounds == 2 and [one.awake for one in run.experts] == [2, 1] and run.slept
    assert len(run.predictions) == 3 and 5 <= run.predictions[1] <= 7 and run.predictions[2] == 3
    assert "1 round without a truth" in command(path)
    silent = ls.experts(csv(tmp_path, "truth,a,b\n1,2,1\n5,,\n3,3,4\n"))
    assert silent.predictions[1] is None and math.isnan(silent.played.own[1]) and silent.played.nobody == 1


def test_predictions_are_written(table, tmp_path):
    out, objects = tmp_path / "out.txt", tmp_path / "out.jsonl"
    command(table, "--predictions", out, "--quiet")
    command(table, "--predictions", objects, "--quiet")
    run = ls.experts(table)
    assert [float(line) for line in out.read_text().splitlines()] == run.predictions
    rows = [json.loads(line) for line in objects.read_text().splitlines()]
    assert [row["round"] for row in rows] == list(range(1, 41)) and sum(row["loss"] for row in rows) == pytest.approx(run.loss)
    gains = csv(tmp_path, "a,b\n1,0\n1,0\n1,0\n", "gains.csv")
    command(gains, "--advice", "gain", "--predictions", out, "--quiet")
    assert set(out.read_text().split()) <= {"a", "b"}
    assert "that is the stream itself" in command(gains, "--advice", "gain", "--predictions", gains)


def test_a_bandit_sees_what_it_chose(table):
    run = ls.experts(table, bandit=True, seed=5)
    assert run.rule.name == "exp3_ix" and run.rule.seed == 5
    data = frame()
    chosen = data.filter(like="e.").to_numpy()[np.arange(40), run.run.choices]
    assert run.predictions == chosen.tolist() and run.loss == pytest.approx(((chosen - data["truth"]) ** 2).sum())
    assert "looks at the loss of every expert" in command(table, "--bandit", "--rule", "hedge")


def test_no_result_depends_on_the_blocks(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    data, rng = frame(rounds=300, asleep=0.3), np.random.default_rng(8)
    for name in ("e.0", "e.1", "e.2", "e.3"):  # errors of every size, so that no order of adding them is exact
        data[name] = data["truth"] + (data[name] - data["truth"]) * 10 ** rng.uniform(-5, 3, 300)
    data.to_parquet(path, row_group_size=300)
    for options in ([], ["--bandit"], ["--threshold", "20"], ["--rule", "perturbed_leader", "--advice", "loss", "--ignore", "code"]):
        whole = told(path, *options)
        with monkeypatch.context() as small:
            small.setattr(expert_sources, "PIECE", 8)  # batches of 64 rounds
            assert told(path, *options) == whole


def test_the_text_fits_a_terminal(table, sleepy, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    for path in (table, sleepy):
        text = command(path, "--quiet")
        assert text.startswith("rule_of_rules over 4 experts, 40 rounds of forecasts, squared loss.")
        assert (
            "best expert: e.0" in text
            and "uniform average" in text
            and "Regret:" in text
            and "The weights that made the last forecast, " in " ".join(text.split())
        )
        assert len(text.splitlines()) <= 26 and all(len(line) <= 100 for line in text.splitlines())
    assert "best convex combination" in command(table)


LONG = "round,expert,forecast,truth\n1,a,5,4\n1,b,3,4\n2,a,6,7\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n", [], "which column is the truth? --truth COLUMN"),
        ("a,b\n1,2\n", ["--truth", "c"], "--truth c: no such column; the columns are: a, b"),
        ("truth,a\n1,2\n3,x\n", ["--experts", "a"], "t.csv, line 3, column 'a': found 'x', expected a number, or an empty cell"),
        ("truth,a\n1,2\nx,3\n", [], "t.csv, line 3, column 'truth': found 'x', expected a number, or an empty cell"),
        (LONG + "2,b,x,7\n", [], "t.csv, line 5, column 'forecast': found 'x', expected a number, or an empty cell"),
        ("truth,a,a\n1,2,3\n", [], "column 'a' stands twice"),
        ("1,2\n3,4\n", [], "line 1: found only numbers; expected the names of the columns"),
        ("truth,word\n1,x\n", [], "no column can be an expert"),
        ("truth,a,b\n1,2,3\n4,5\n", [], "t.csv, line 3: found '4,5', expected 3 cells, as in the first line, not 2"),
        ("truth,a\n1,2\n", ["--range", "5"], "--range '5': expected two numbers, LOW:HIGH"),
        ("truth,a\n1,2\n", ["--range", "5:1"], "the low end must lie below the high one"),
        ("truth,a\n1,2\n3,9\n", ["--range", "0:5"], "t.csv, line 3, column 'a': found '9', expected a number between 0 and 5"),
        ("truth,a\n1,2\n9,3\n", ["--range", "0:5"], "t.csv, line 3, column 'truth': found '9', expected a number between 0 and 5"),
        ("truth,a\n1,2\n3,inf\n", ["--experts", "a"], "t.csv, line 3, column 'a': found 'inf', expected a finite number"),
        ("truth,a\n1,0.5\n0,0.2\n", ["--advice", "vote"], "t.csv, line 2, column 'a': found '0.5', expected a vote, 0 or 1"),
        ("truth,a\n2,0.5\n", ["--advice", "probability"], "column 'truth': found '2', expected a truth, 0 or 1"),
        ("truth,a\n1,2\n", ["--loss", "pinball"], "the pinball loss needs its quantile"),
        ("truth,a\n1,2\n", ["--loss", "log"], "loss='log' is not known"),
        ("truth,a\n1,2\n", ["--advice", "loss", "--loss", "squared"], "is a loss of forecasts"),
        ("truth,a\n1,2\n", ["--rule", "hedg"], "rule 'hedg' is not known"),
        ("truth,a\n1,2\n", ["--rule", "hedge:eta"], "must have the form key=value"),
        ("truth,a\n1,2\n", ["--rule", "hedge:n=3"], "hedge has no setting 'n'"),
        ("truth,a\n1,2\n", ["--rule", "weighted_majority"], "weighted_majority takes vote or probability"),
        ("truth,a\n", [], "has no rows"),
        (LONG + "1,c,3,4\n", [], "t.csv, line 5, column 'round': found '1', expected the rows of a round side by side"),
        (LONG + "2,a,3,7\n", [], "t.csv, line 5, column 'expert': found 'a', expected one forecast an expert and round"),
        (LONG + "2,b,3,8\n", [], "t.csv, line 5, column 'truth': found '8', expected 7, the truth of round '2'"),
        (LONG + "2,,3,7\n", [], "t.csv, line 5, column 'expert': found nothing"),
        (LONG, ["--layout", "long", "--round", "expert"], "stand in columns of their own"),
        ("truth,a\n1,2\n", ["--layout", "long"], "which column is the round?"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value and "\n" not in value else "",
)
def test_what_is_refused(tmp_path, text, options, message):
    assert message in command(csv(tmp_path, text), *options)


def test_an_early_cell_is_named_too(tmp_path):
    """A column that lacks one number is no text to be passed over, whichever row it is."""
    left_out = "where there is none; --ignore b (ignore=) leaves the column out"
    for row in (0, 5, 998):
        rows = ["truth,a,b", *(f"{k},{k + 1},{'?' if k == row else k - 1}" for k in range(1200))]
        path = csv(tmp_path, "\n\n".join(rows) + "\n")
        assert f"t.csv, line {2 * row + 3}, column 'b': found '?', expected a number, or an empty cell {left_out}" in command(path)
        assert ls.experts(path, ignore=["b"]).names == ("a",)
    rows = ['{"truth": 1, "a": 2, "b": 3}', '{"truth": 2, "a": 2, "b": "3"}', '{"truth": 1, "a": 2, "b": 1}']
    path = csv(tmp_path, "\n".join(rows), "t.jsonl")
    assert f"t.jsonl, line 2, column 'b': found '3', expected a number, or null {left_out}" in command(path)
    with pytest.raises(LittlestoneError, match="the table: --experts b: the column is text"):
        ls.experts(pandas.DataFrame({"truth": [1, 2], "b": ["1", "2"]}), experts=["b"])


def test_columns_of_text_are_not_used(tmp_path):
    places = [f"{k:02d}" for k in range(1, 56)] + ["US"]
    days = [f"2020-01-{k % 28 + 1:02d}" for k in range(56)]
    rows = [f"{k},{k + 1},{places[k]},{days[k]},{'b7' if k % 2 else k},{'' if k else 'as seen on Monday'}" for k in range(56)]
    table = ExpertTable(csv(tmp_path, "\n".join(["truth,a,place,day,model,note", *rows])))
    assert table.names == ("a",) and "not used: place, day, model, note" in table.notes[0]
    rows = ['{"truth": 1, "a": 2, "place": "1"}'] * 3
    assert ExpertTable(csv(tmp_path, "\n".join(rows), "t.jsonl")).names == ("a",)  # text that looks like numbers is text in JSON


def test_a_late_cell_is_named(tmp_path):
    rows = ["truth,a,b", *(f"{k},{k + 1},{k - 1}" for k in range(1200)), '5,"7\n8",6', "1,2, "]
    path = csv(tmp_path, "\n".join(rows) + "\n")
    assert r"line 1202, column 'a': found '7\n8', expected a number, or an empty cell" in command(path)
    rows[-2] = "5,\t7 ,6"
    run = ls.experts(csv(tmp_path, "\n\n".join(rows) + "\n"))  # blanks around a cell, and blank lines, do not count
    assert run.experts[1].awake == 1201 and run.experts[0].awake == 1202
    votes = ["truth,a", *["1,1"] * 1100, "0,0.5"]
    assert "line 1102, column 'a': found '0.5', expected a vote, 0 or 1; --advice forecast" in command(csv(tmp_path, "\n".join(votes)))
    objects = ['{"truth": 1, "a": 2}'] * 1100
    late = csv(tmp_path, "\n".join([*objects, '{"truth": 1, "a": "x"}']), "t.jsonl")
    assert "t.jsonl, line 1101, column 'a': found 'x', expected a number, or null where there is none" in command(late)
    late = csv(tmp_path, "\n".join([*objects, "{"]), "t.jsonl")
    assert "t.jsonl, line 1101, column 2: found nothing, expected a JSON object" in command(late)
    late = csv(tmp_path, "\n".join([*objects, '{"truth": 1, "b": 3}']), "t.jsonl")
    assert "column 'b'" in command(late)
    mixed = csv(tmp_path, '{"truth": 1, "a": 2, "note": 1}\n{"truth": 1, "a": 2, "note": [1]}\n', "t.jsonl")
    assert ls.experts(mixed).names == ("a",)  # what nobody asked for may hold anything
    yes = csv(tmp_path, '{"truth": true, "a": true}\n{"truth": false, "a": null}\n', "t.jsonl")
    assert ls.experts(yes).reading.advice == "vote"


def test_what_is_no_table(tmp_path):
    assert "no such file" in command(tmp_path / "none.csv")
    assert "looks like libsvm" in command(csv(tmp_path, "1 3:1\n-1 4:1\n", "rows"))
    assert "is empty" in command(csv(tmp_path, ""))
    (tmp_path / "latin.csv").write_bytes(b"truth,caf\xe9\n1,2\n")
    assert "latin.csv, line 1: found" in command(tmp_path / "latin.csv")
    (tmp_path / "latin.csv").write_bytes(b"truth,a\n1,2\n3,\xff\n")
    assert "latin.csv, line 3, column 'a': found '�', expected a number" in command(tmp_path / "latin.csv", "--experts", "a")
    assert "begins with b'PAR'" in command(csv(tmp_path, "PAR", "t.parquet"))
    with pytest.raises(LittlestoneError, match="a file or a frame"):
        ls.experts(7)


def test_whole_numbers_without_empty_cells_are_read_once(tmp_path):
    """Parquet says beforehand that nobody sleeps; then the table is not measured."""
    data = pandas.DataFrame({"truth": [0, 1, 1, 0] * 30, "a": [0, 1, 0, 0] * 30, "b": [1, 1, 1, 0] * 30}).astype({"a": "uint8", "b": bool})
    data.to_parquet(tmp_path / "votes.parquet", row_group_size=16)
    table = ExpertTable(tmp_path / "votes.parquet")
    assert table.rounds is None and table.slept is False
    data["b"] = data["b"].astype("boolean").mask(data.index == 70)
    data.to_parquet(tmp_path / "votes.parquet", row_group_size=16)
    assert ExpertTable(tmp_path / "votes.parquet").slept


def test_a_round_in_which_all_sleep_costs_nothing_in_the_units_of_the_table(tmp_path):
    path = csv(tmp_path, "a,b\n5,6\n7,8\n,\n9,10\n")
    runs = [ls.experts(path, advice="loss", **choice) for choice in ({}, {"range": (0, 100)}, {"range": (0, 1000)})]
    assert all(run.as_json()["uniform"]["loss"] == pytest.approx(22.5) for run in runs)
    assert all(run.loss < 23 for run in runs)


def test_an_expert_with_much_weight_and_a_short_record_is_remarked_upon(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    late = np.where(np.arange(400) < 385, NAN, truth)
    path, saved = tmp_path / "table.csv", tmp_path / "saved"
    pandas.DataFrame({"truth": truth, "a": truth + rng.normal(size=400), "late": late}).to_csv(path, index=False)
    remark = "was awake in 15 of 400 rounds: so short a record says little of it"
    assert remark in " ".join(command(path, "--quiet", "--model", saved).split())
    for verb in (["show", saved], ["explain", saved, "a:1", "late:2"]):
        assert remark in " ".join(CliRunner().invoke(app, list(map(str, verb))).stdout.split())
    model = ls.load(saved)
    assert model.awake == (400, 15) and ls.experts(path, rule=model).model.awake == (800, 30)
    model.observe([0.5, NAN], 0.4)
    assert model.awake == (401, 15)


def test_columns_are_named_together_or_one_by_one(littlestone, tmp_path):
    """As `run` takes them: where the last alone counted, a column that was to be ignored became an expert."""
    path = tmp_path / "t.csv"
    path.write_text("day,hour,truth,a,b\n1,7,1,1,0\n2,8,0,0,0\n3,9,1,1,1\n")
    for options in (["--ignore", "day,hour"], ["--ignore", "day", "--ignore", "hour"], ["--experts", "a", "--experts", "b"]):
        told = littlestone("experts", path, "--truth", "truth", "--json", *options)
        assert sorted(expert["name"] for expert in json.loads(told.stdout)["experts"]) == ["a", "b"]


def test_the_last_rounds_are_told_apart(table, tmp_path):
    """Against sums by hand, with sleepers and without, of forecasts and of votes."""
    data = frame(rounds=40, asleep=0.3)
    for run in (ls.experts(table), ls.experts(csv(tmp_path, data.to_csv(index=False)))):
        for window, until in ((7, None), (10, 25), (500, None)):
            recent, rows = run.over(window, until), slice(max(0, (until or 40) - window), until or 40)
            own, uniform = run.played.own[rows], run.played.uniform[rows]
            assert (recent.rounds, recent.mistakes) == (len(own), None)
            assert recent.loss == pytest.approx(np.nansum(own)) and recent.uniform == pytest.approx(np.nansum(uniform))
            part = np.concatenate([run.played.losses_of(*block)[0] for block in run.table.advices()])[rows]
            often = (~np.isnan(part)).sum(axis=0) >= (len(part) + 1) // 2
            means = {name: np.nanmean(part[:, i]) for i, name in enumerate(run.names) if often[i]}
            assert recent.best == min(means, key=means.get) and recent.best_mean_loss == pytest.approx(min(means.values()))
    votes = ls.experts(csv(tmp_path, "truth,a,b\n" + "1,1,0\n" * 30 + "0,1,0\n" * 10), advice="vote")
    assert votes.over(40).mistakes == votes.mistakes and votes.over(10).best == "b" and votes.over(10, until=30).best == "a"
    assert "The last 7 rounds: rule_of_rules lost" in " ".join(command(table, "--window", "7").split())
    assert "The last" not in command(table) and told(table, "--window", "7")["window"]["rounds"] == 7
    with pytest.raises(LittlestoneError, match="window=0 must be a number of rounds, at least 1"):
        ls.experts(table).over(0)


def test_a_truth_that_never_comes_is_refused_and_the_model_stays(table, tmp_path):
    model = tmp_path / "model"
    command(table, "--model", model, "--quiet")
    before, rows = model.read_bytes(), table.read_text().splitlines()
    place = rows[0].split(",").index(ls.experts(table).reading.truth)
    lines = [rows[0], *(",".join("" if i == place else cell for i, cell in enumerate(row.split(","))) for row in rows[1:])]
    empty = csv(tmp_path, "\n".join(lines) + "\n", "empty.csv")
    for choices in ((), ("--from", model)):
        assert "is empty in all 40 rounds; expected a truth in one of them" in command(empty, *choices, "--model", model, code=2)
    assert model.read_bytes() == before


def test_an_alarm_and_charges_that_depend_on_the_rule_are_refused_together(table):
    said = command(table, "--rule", "hedge:eta=1", "--gradient", "--alarm", code=2)
    assert "hedge is told charges that depend on it" in " ".join(said.split())


@pytest.mark.parametrize("rule", ["exp3", "exp3_ix"])
def test_an_alarm_is_reported_of_a_rule_that_sees_what_it_chose(tmp_path, rule):
    losses = np.random.default_rng(2).random((400, 3)).round(3)
    path = tmp_path / "losses.csv"
    path.write_text("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in losses))
    with_alarm, without = (ls.experts(path, advice="loss", rule=rule, **how) for how in ({"alarm": "report"}, {}))
    assert with_alarm.loss == pytest.approx(without.loss) and with_alarm.best.rule_loss == pytest.approx(without.best.rule_loss)


def predicted(model, *arguments):
    result = CliRunner().invoke(app, ["predict", str(model), *map(str, arguments)])
    assert result.exit_code == 0, result.exception
    return result.stdout.split("\n")[:-1]


@pytest.mark.parametrize("rule", ["rule_of_rules", "boa", "adahedge", "hedge:eta=1/2", "follow_leader"])
def test_tomorrows_forecast_needs_no_truth(rule, tmp_path):
    """A table without the column of the truth, or with some truths, gives the same forecasts; and so does a row, a frame or an array."""
    days, saved = frame(rounds=44), tmp_path / "saved"
    days[:40].to_csv(tmp_path / "days.csv", index=False)
    command(tmp_path / "days.csv", "--rule", rule, "--model", saved, "--quiet")
    tomorrow, experts = days[40:], ["e.0", "e.1", "e.2", "e.3"]
    some, none = tomorrow.assign(truth=[NAN, 20.0, NAN, NAN]), tomorrow.assign(truth=NAN)
    tables = [tomorrow, some, none, tomorrow.drop(columns="truth"), tomorrow[experts], tomorrow[["day", *experts[::-1]]]]
    answers = []
    for k, table in enumerate(tables):
        table.to_csv(tmp_path / f"{k}.csv", index=False)
        answers.append(predicted(saved, tmp_path / f"{k}.csv"))
    assert len(answers[0]) == 4 and all(answer == answers[0] for answer in answers)
    objects = predicted(saved, tmp_path / "3.csv", "--json")
    assert [repr(json.loads(line)["label"]) for line in objects] == answers[0]
    model, exact = ls.load(saved), np.array(list(map(float, answers[0])))
    rows = tomorrow[experts].to_numpy()
    for X in (tmp_path / "3.csv", tomorrow[experts], tomorrow.drop(columns="truth"), pa.table({"truth": pa.nulls(4), **tomorrow[experts]})):
        assert np.array_equal(model.predict_many(X), exact)
    for X in (rows, rows.tolist(), tomorrow.to_dict("records")):
        assert model.predict(X) == pytest.approx(exact, rel=1e-12)
    for row in (rows[1], tomorrow.iloc[1], tomorrow[experts[::-1]].iloc[1], tomorrow.iloc[1].to_dict()):
        assert model.predict(row) == pytest.approx(exact[1], rel=1e-6)
        assert model.explain(row).prediction == pytest.approx(exact[1], rel=1e-6)
    explained = CliRunner().invoke(app, ["explain", str(saved), "--stream", str(tmp_path / "4.csv"), "--round", "2"]).stdout
    assert explained.startswith(f"round 2 of {tmp_path / '4.csv'}, no label\npredicted {exact[1]:.6g}")
    with pytest.raises(LittlestoneError, match=r"advice of e.0, other; expected that of e.0, e.1, e.2, e.3"):
        model.predict({"e.0": 1.0, "other": 2.0})
    with pytest.raises(LittlestoneError, match="--truth truth: no such column"):
        ls.experts(tmp_path / "4.csv", rule=model)  # it would learn nothing


def test_votes_and_long_tables_need_no_truth_either(tmp_path):
    votes, saved = csv(tmp_path, "truth,a,b\n1,1,0\n0,0,0\n1,1,1\n", "votes.csv"), tmp_path / "saved"
    command(votes, "--model", saved, "--quiet")
    assert predicted(saved, csv(tmp_path, "b,a\n0,1\n1,0\n", "tomorrow.csv")) == ["1", "0"]
    long = "day,who,said{}\nmon,a,3{}\nmon,b,5{}\ntue,b,4{}\n"
    columns = ("--round", "day", "--expert", "who", "--forecast", "said")
    command(csv(tmp_path, long.format(",truth", ",3.1", ",3.1", ",4"), "long.csv"), *columns, "--model", saved, "--quiet")
    answers = predicted(saved, csv(tmp_path, long.format("", "", "", ""), "tomorrow.csv"))
    assert answers == predicted(saved, tmp_path / "long.csv") and len(answers) == 2 and float(answers[1]) == 4


@pytest.mark.parametrize("gradient", [None, False])
@pytest.mark.parametrize("loss", ["squared", "absolute", "pinball"])
@pytest.mark.parametrize("asleep", [0.0, 0.4])
def test_errors_and_weights_are_those_of_the_forecasts(gradient, loss, asleep, tmp_path):
    """RMSE and MAE come from the forecasts and truths themselves, and the weights times the last row are the last forecast."""
    data = frame(rounds=60, asleep=asleep, seed=7)
    data.loc[57, ["e.0", "e.1"]] = 20.0, 21.0  # some expert is awake there
    data.loc[58:, ["e.0", "e.1", "e.2", "e.3"]] = NAN  # and nobody afterwards
    data.loc[[11, 57], "truth"] = NAN
    run = ls.experts(data, loss=loss, gradient=gradient, quantile=0.3 if loss == "pinball" else None, switches=0)
    truth, x = data["truth"].to_numpy(), data[["e.0", "e.1", "e.2", "e.3"]].to_numpy()
    own = np.array([NAN if made is None else made for made in run.predictions])
    with np.errstate(invalid="ignore"):
        mean = np.array([row[~np.isnan(row)].mean() if not np.isnan(row).all() else NAN for row in x])

    def errors(forecast, where=None):
        e = (forecast - truth)[~np.isnan(forecast - truth) & (True if where is None else ~np.isnan(where))]
        return pytest.approx((np.sqrt((e * e).mean()), np.abs(e).mean()), rel=1e-9)

    assert tuple(run.errors["rule"]) == errors(own) and tuple(run.errors["uniform"]) == errors(mean)
    for i, expert in enumerate(run.experts):
        assert tuple(expert.errors) == errors(x[:, i]) and tuple(expert.rule_errors) == errors(own, x[:, i])
    plain = run.as_json()
    assert (plain["rmse"], plain["mae"]) == tuple(run.errors["rule"]) and plain["uniform"]["rmse"] == run.errors["uniform"].rmse
    assert (plain["best"]["rmse"], plain["experts"][1]["mae"]) == (run.best.errors.rmse, run.experts[1].errors.mae)
    weights, last = np.array(list(run.weights.values())), x[57]
    assert np.nansum(weights * last) == pytest.approx(own[57], rel=1e-6) and weights.sum() == pytest.approx(1)
    assert not weights[np.isnan(last)].any() and plain["weights"] == run.weights
    assert run.experts[2].weight == run.weights["e.2"]
    text = summary(run)
    head, rule, *others = text.splitlines()[1:6]
    assert head.split() == ["loss", "a", "round", "RMSE", "MAE", "rounds"]
    assert f"{number(run.errors['rule'].rmse)}  " in rule and f"  {number(run.errors['rule'].mae)}" in rule
    assert any(number(run.best.errors.mae) in line and "best expert" in line for line in others)
    assert f"The weights that made the last forecast, {number(own[57])}: " in text
    assert f"{run.experts[0].weight:.3f}" in next(line for line in text.splitlines() if line.startswith("  e.0 "))


def test_weights_are_those_before_the_last_truth(tmp_path):
    """The last truth changes the weights of the model, and neither the last forecast nor the weights that made it."""
    data = frame(rounds=40)
    before, run = ls.experts(data[:39]).model, ls.experts(data)
    row = data[["e.0", "e.1", "e.2", "e.3"]].to_numpy()[39]
    assert list(run.weights.values()) == pytest.approx(before.weights_in(row), rel=1e-6) and run.predictions[-1] == before.predict(row)
    assert list(run.weights.values()) != pytest.approx(run.model.weights, rel=1e-4)
    votes = pa.table({"truth": [0, 1, 1, 0], "a": [0, 1, 1, 0], "b": [1, 1, 0, 0]})
    first = ls.experts(votes.slice(0, 3)).model
    assert list(ls.experts(votes).weights.values()) == pytest.approx(first.weights) and ls.experts(votes).errors is None
    assert "The weights that made the last prediction: a" in summary(ls.experts(votes))
    assert "The weights that the rule had in the last round: " in summary(ls.experts(votes.select(["a", "b"]), advice="loss"))
    stopped = ls.experts(votes, assume="expert:m=0", alarm="stop", experts=["b"])
    assert stopped.rounds < 4 and list(stopped.weights.values()) == [1.0]
