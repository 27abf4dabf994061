"""Certificates of tables of experts: the plain reader makes the same advice, bit for bit; what is not the table of the run is refused."""

import json
from math import isnan

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import littlestone as ls
from forgery import resealed
from littlestone.api import certify_advice
from littlestone.cli import app
from littlestone.errors import LittlestoneError, Refused
from littlestone.rounds.expert_tables import advice_in
from littlestone.rounds.sources import Files
from littlestone.streams.expert_tables import ExpertTable
from littlestone.verifier.table_words import amount

NAN = float("nan")
DAYS = 40


def forecasts(asleep=0.2, untold=()):
    """Four who forecast a number, some of them absent, and the names of the days."""
    rng = np.random.default_rng(6)
    truth = np.round(50 + rng.normal(0, 10, DAYS).cumsum(), 2)
    said = np.round(truth[:, None] + rng.normal(0, [1, 5, 3, 20], (DAYS, 4)), 2)
    said[rng.random((DAYS, 4)) < asleep] = NAN
    truth[list(untold)] = NAN
    return {"day": [f"d{t}" for t in range(DAYS)], "truth": truth} | {name: said[:, k] for k, name in enumerate("abcd")}


def csv_text(columns, delimiter=","):
    def cell(value):
        return "" if isinstance(value, float) and isnan(value) else f"{value}"

    rows = zip(*(map(cell, values) for values in columns.values()), strict=True)
    return "\n".join(delimiter.join(row) for row in [columns, *rows]) + "\n"


def nulls(columns):
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def written(columns, folder, kind, **options):
    path = folder / f"t.{kind}"
    if kind == "csv":
        path.write_text(csv_text(columns, **options))
    elif kind == "parquet":
        pa.parquet.write_table(nulls(columns), path)
    elif kind == "arrow":
        with pa.ipc.new_file(path, (table := nulls(columns)).schema) as file:
            file.write_table(table)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in nulls(columns).to_pylist()))
    return path


def long_of(columns, names="abcd"):
    """The same, a row for each forecast that there is."""
    rows = [
        (columns["day"][t], name, columns["truth"][t], columns[name][t])
        for t in range(DAYS)
        for name in names
        if not isnan(columns[name][t])
    ]
    return dict(zip(("round", "expert", "truth", "forecast"), map(list, zip(*rows, strict=True)), strict=True))


def test_a_certificate_of_a_csv_table_is_verified_against_it_in_every_format(tmp_path):
    columns = forecasts()
    path = written(columns, tmp_path, "csv")
    cert = ls.certify(ls.experts(path, gradient=False))
    cert.save(tmp_path / "c.json")
    stated = cert.content["stream"]["table"]
    assert stated["experts"] == list("abcd") and stated["measured"] and stated["loss"] == "squared" and stated["ignore"] == ["day"]
    verdict = ls.verify(tmp_path / "c.json", path, replay=True)
    assert verdict.replayed and not verdict.unchecked and "stands for" in str(verdict) and "expert 0, a" in str(verdict)
    lines = str(verdict).split("\n")
    lost = f"{cert.content['counts']['observed'] * stated['scale']:,.7g}"
    assert lines[2] == "  read as csv, wide, truth in truth, advice forecast, 4 experts"
    own = "the weighted mean of the experts' losses; the rule's own forecast lost no more"
    assert lines[3] == f"  in the table's units: no more than {lost}, {own}"
    assert sum(" by sleeping-adahedge, compared" in line for line in lines) == 3  # those nearest to their limits
    assert lines[-1] == "  and 1 more by sleeping-adahedge, further from their limits (--json has all)"
    for kind in ("parquet", "arrow", "jsonl"):
        assert ls.verify(cert, written(columns, tmp_path, kind)), kind
    assert ls.verify(cert, written(columns, tmp_path, "csv", delimiter=";")) and ls.verify(cert, nulls(columns))
    halves = [
        written({k: v[part] for k, v in columns.items()}, tmp_path, kind) for kind, part in (("csv", slice(9)), ("jsonl", slice(9, None)))
    ]
    assert ls.verify(cert, Files([str(one) for one in halves]))


@pytest.mark.parametrize(
    ("column", "value"),
    [("a", 1.0), ("c", NAN), ("truth", 3.5), ("d", 1e6), ("truth", NAN)],
    ids=["said", "sleep", "truth", "far", "untold"],
)
def test_one_changed_cell_is_refused(tmp_path, column, value):
    columns = forecasts()
    cert = ls.certify(ls.experts(written(columns, tmp_path, "csv"), gradient=False))
    awake = next(t for t in range(7, DAYS) if not isnan(columns[column][t]))
    columns[column][awake] = value
    for kind in ("csv", "parquet"):
        with pytest.raises(Refused, match="not that of the certificate"):
            ls.verify(cert, written(columns, tmp_path, kind))


def test_other_rows_columns_and_kinds_are_refused(tmp_path):
    columns = forecasts()
    cert = ls.certify(ls.experts(written(columns, tmp_path, "csv"), gradient=False))
    with pytest.raises(Refused):
        ls.verify(cert, written({k: v[1:] for k, v in columns.items()}, tmp_path, "csv"))
    with pytest.raises(LittlestoneError, match="t.csv, line 1: found .*expected a column 'b', once"):
        ls.verify(cert, written({k: v for k, v in columns.items() if k != "b"}, tmp_path, "csv"))
    path = written(columns, tmp_path, "csv")
    path.write_text(path.read_text().replace("\nd3,", "\nd3,so", 1))
    with pytest.raises(LittlestoneError, match="t.csv, line 5, column 'truth': found 'so.*expected a number"):
        ls.verify(cert, path)
    columns["b"] = ["so" if t == 2 else str(x) for t, x in enumerate(columns["b"])]
    for kind in ("parquet", "arrow", "jsonl"):
        columns["b"][:2] = [None, None]
        with pytest.raises(LittlestoneError, match=f"t.{kind}, (row|line) 3, column 'b': found 'so', expected a number"):
            ls.verify(cert, written(columns, tmp_path, kind))
    with pytest.raises(LittlestoneError, match="the table, row 3, column 'b'"):
        ls.verify(cert, nulls(columns))
    array = ls.certify(ls.play(ls.adahedge(), [[1, 0]] * 3, [1, 1, 0]), [[1, 0]] * 3, [1, 1, 0])
    with pytest.raises(LittlestoneError, match="made from arrays"):
        ls.verify(array, path)


def test_rounds_without_a_truth_and_the_long_layout(tmp_path):
    columns = forecasts(untold=(3, 11))
    cert = ls.certify(run := ls.experts(written(columns, tmp_path, "csv")))
    assert cert.rounds == run.rounds == DAYS - 2 and ls.verify(cert, tmp_path / "t.csv", replay=True)
    rows = long_of(columns)
    long = ls.certify(ls.experts(written(rows, tmp_path, "csv"), threshold=50.0))
    assert ls.verify(long, tmp_path / "t.csv", replay=True) and ls.verify(long, written(rows, tmp_path, "parquet"))
    rows["forecast"][5] = 100.0 - rows["forecast"][5]
    with pytest.raises(Refused, match="not that of the certificate"):
        ls.verify(long, written(rows, tmp_path, "csv"))
    for change, reason in (("round", "ended before"), ("expert", "has spoken"), ("truth", "in the rows before")):
        odd = {name: list(values) for name, values in rows.items()}
        odd[change][6 if change != "round" else -1] = odd[change][5 if change != "round" else 0] + (1.0 if change == "truth" else "")
        with pytest.raises(LittlestoneError, match=reason):
            ls.verify(long, written(odd, tmp_path, "csv"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scale": 1e6}, "scale is 1000000.0, and this table has"),
        ({"measured": ...}, "scale is"),
        ({"measured": False}, "not as a reading of a table is written"),
        ({"round": "day"}, "are of the long layout"),
        ({"advice": "probability", "loss": ...}, "a range is of losses"),
        ({"low": -1e9}, "low is"),
        ({"loss": "absolute"}, "scale is"),
        ({"experts": ["b", "a", "c", "d"]}, "digest"),
        ({"experts": ["a", "a", "c", "d"]}, "each expert once"),
        ({"advice": "vote"}, "loss of forecasts"),
        ({"loss": None}, "table.loss is None"),
        ({"scale": -1.0}, "must exceed 0"),
        ({"format": "vw"}, "expected one of"),
        ({"layout": "long"}, "needs the columns"),
        ({"advice": "probability"} | dict.fromkeys(("loss", "low", "high", "measured"), ...), "makes probability .* the rule takes loss"),
        ({"truth": ...}, "no column is its truth"),
        ({"surprise": 1}, "surprise is not known"),
    ],
)  # fmt: skip
def test_a_reading_that_is_not_of_this_table_is_refused(tmp_path, change, reason):
    path = written(forecasts(), tmp_path, "csv")
    whole = json.loads(json.dumps(ls.certify(ls.experts(path, gradient=False)).content))
    table = whole["stream"]["table"]
    table.update(change)
    for key in [key for key, value in change.items() if value is ...]:
        del table[key]
    with pytest.raises(Refused, match=reason):
        ls.verify(resealed(whole), path)


def test_a_table_too_large_is_refused_by_name(tmp_path, monkeypatch):
    run = ls.experts(written(forecasts(), tmp_path, "csv"))
    monkeypatch.setattr(certify_advice, "MOST_CELLS", 100)
    with pytest.raises(LittlestoneError, match="more than 100 cells"):
        ls.certify(run)
    with pytest.raises(LittlestoneError, match="knows its table"):
        ls.certify(run, [[1, 0]])


def command(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    return result.exit_code, result.stdout


@pytest.mark.parametrize(
    "options", [[], ["--bandit"], ["--rule", "fixed_share"], ["--threshold", "50", "--rule", "specialists"]], ids=" ".join
)
def test_the_command_writes_what_verify_takes(tmp_path, options):
    columns = forecasts()
    path, cert = written(columns, tmp_path, "csv"), tmp_path / "c.json"
    assert command("experts", path, "--certificate", cert, "--quiet", *options)[0] == 0
    code, said = command("verify", cert, path, "--replay")
    chosen = "what the experts that it chose lost" in " ".join(said.split())  # on one line or on two
    assert code == 0 and "verified and replayed" in said and ("--bandit" not in options or chosen)
    assert command("verify", cert, written(columns, tmp_path, "parquet"), "--quiet") == (0, "")
    columns["a"][8] = 1.0 if isnan(columns["a"][8]) else 100 - columns["a"][8]
    code, said = command("verify", cert, written(columns, tmp_path, "csv"))
    assert code == 1 and said.startswith("REFUSED")


KINDS = [
    {"advice": "vote"}, {"advice": "probability"}, {"advice": "forecast", "loss": "squared"}, {"advice": "forecast", "loss": "absolute"},
    {"advice": "forecast", "quantile": 0.3}, {"advice": "forecast", "threshold": 0.25}, {"advice": "loss"}, {"advice": "gain"},
    {"advice": "forecast", "loss": "squared", "low": -2e3, "high": 2e3}, {"advice": "gain", "low": -1e3, "high": 1e3},
]  # fmt: skip
SHARE = st.floats(0, 1) | st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e-40, 5e-324])
ANY = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 0.1, 0.25, 1e-200, 999.9999999])


@pytest.mark.parametrize("choices", KINDS, ids=["-".join(str(v) for v in kind.values()) for kind in KINDS])
def test_plain_and_compiled_advice_are_the_same_bits(choices):
    number = {"vote": st.sampled_from([0.0, -0.0, 1.0]), "probability": SHARE}.get(choices["advice"], ANY)
    truth = st.sampled_from([0.0, 1.0]) if choices["advice"] in ("vote", "probability") else ANY
    rounds = st.lists(st.tuples(truth | st.just(NAN), st.lists(number | st.just(NAN), min_size=3, max_size=3)), min_size=1, max_size=8)

    @settings(max_examples=40, deadline=None, derandomize=True, database=None)
    @given(rounds)
    def claim(drawn):
        judged = choices["advice"] not in ("loss", "gain")
        columns = {"y": np.array([y for y, _ in drawn])} if judged else {}
        frame = pa.table(columns | {name: np.array([said[k] for _, said in drawn]) for k, name in enumerate("abc")})
        table = ExpertTable(frame, truth="y" if judged else None, **choices)
        blocks = [advice for advice, _, _ in table.advices()]
        plain = list(advice_in(frame, table.reading))
        assert [-1 if one.truth is None else one.truth for one in plain] == np.concatenate([block.truth for block in blocks]).tolist()
        cells, said = np.concatenate([block.table for block in blocks]), np.array([row.advice for row in plain], np.float32)
        assert np.array_equal(np.isnan(cells), np.isnan(said))
        assert np.array_equal(cells.view(np.uint32)[~np.isnan(cells)], said.view(np.uint32)[~np.isnan(said)])

    claim()


def test_numbers_written_in_every_way_are_the_same(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('truth,a,"b ""x"""\r\n 1 ,+.5,"1e0"\r\n\r\n0,NA,-0\n1,0.1000000000000000055511151231257827, 1.\n"",1,0\n')
    cert = ls.certify(run := ls.experts(path))
    assert run.reading.advice == "probability" and run.rounds == 3 and ls.verify(cert, path, replay=True)
    for bad, reason in (
        ("2", "between 0 and 1"),
        ("1_0", "expected a number"),
        ("inf", "expected a finite number"),
        ("0,1", "3 cells, as in the first line, not 4"),
    ):
        path.write_text(f'truth,a,"b ""x"""\n1,{bad},1\n')
        with pytest.raises(LittlestoneError, match=reason):
            ls.verify(cert, path)


def test_the_best_combination_that_experts_prints_is_the_witness(tmp_path):
    """The same comparator and the same price in the table's units, by both commands."""
    rng = np.random.default_rng(3)
    y = rng.normal(500, 50, 80)
    table = pa.table({"truth": y, "a": y + 30, "b": y - 30, "c": rng.normal(500, 50, 80)})
    run = ls.experts(table)
    cert = ls.certify(run)
    (combined,) = [bound for bound in cert.bounds if bound.name == "rule-of-rules-combination"]
    scale = cert.content["stream"]["table"]["scale"]
    name, most = run.gradient_bound
    assert name == combined.name and combined.comparator.weights[2] == 0
    assert abs(float(combined.comparator_loss) * scale - run.convex.loss) <= 1e-6 * scale
    assert abs(float(combined.price) * scale - most) <= 1e-6 * most
    text = str(ls.verify(cert, table))
    assert "by rule-of-rules-combination, compared with a convex combination of 2 experts" in text
    assert (
        f"(in the table's units {amount(float(combined.comparator_loss) * scale)}, and {amount(float(combined.price) * scale)} more)"
        in text
    )


def test_an_explanation_adds_up_where_the_median_is_trusted():
    rng = np.random.default_rng(0)
    y = rng.normal(0, 5, 200)
    model = ls.experts(pa.table({"truth": y} | {f"e{i}": y + rng.standard_t(1.2, 200) for i in range(5)})).model
    for row in ([0.0, 1.0, 4.0, 9.0, 16.0], [0.0, 1.0, NAN, 9.0, 16.0]):
        named = dict(zip(model.names, row, strict=True))
        why = model.explain(named)
        assert why.prediction == pytest.approx(model.predict(named)) and why.prediction == pytest.approx(model.predict(row))
        assert sum(share.contribution for share in why.features) == pytest.approx(why.prediction)


def test_losses_that_rounding_hides_are_not_told_in_the_tables_units(tmp_path):
    """A range so wide that what rounding may add is more than what was lost."""
    truth = np.random.default_rng(0).normal(size=60)
    path = tmp_path / "days.csv"
    pa.csv.write_csv(pa.table({"truth": truth, "near": truth + 1, "nearer": truth - 0.5}), path)
    for width, coarse in ((10, False), (1e7, True)):
        verdict = str(ls.verify(ls.certify(ls.experts(path, rule="ml_poly", range=(-width, width))), path))
        assert ("too coarsely to tell" in verdict, "  in the table's units" in verdict) == (coarse, not coarse)
