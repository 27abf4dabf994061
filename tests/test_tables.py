"""Tables as rounds: the same features from every format, whichever parser read them and however the file was cut."""

from __future__ import annotations

import io
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of_files
from littlestone.streams.columns import Unsure
from littlestone.streams.files import Input
from littlestone.streams.formats import arrow, csv, jsonl, parquet, table_settled
from littlestone.streams.label_codes import read
from littlestone.streams.stream import ParserTask
from littlestone.streams.vocabulary import Vocabulary

ROWS = [
    {"hour": 7.0, "carrier": "UA", "note": "the plane was late again", "far": True, "y": 1},
    {"hour": None, "carrier": "B6", "note": "the late, late plane came", "far": False, "y": 0},
    {"hour": 0.0, "carrier": None, "note": "nothing to say of it", "far": None, "y": None},
    {"hour": -2.5, "carrier": "UA", "note": "so it goes; so it goes", "far": True, "y": 1},
]


def rounds(stream):
    """(label, weight, id, features in order) of each round."""
    found = []
    for block in stream.blocks():
        for t, (indices, values, label) in enumerate(block.rounds()):
            names = [str(i) if stream.names is None else stream.names.name(int(i)) for i in indices]
            numbers = [1.0] * len(names) if values is None else values.tolist()
            weight = 1.0 if block.weights is None else float(block.weights[t])
            found.append((label, weight, None if block.ids is None else block.ids[t], list(zip(names, numbers, strict=True))))
    return found


def played(folder, name, content, **options):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return rounds(ls.open_stream(path, **options))


def pieces(reader, source, names=None):
    """Every row of a reader, and what is wrong with the others: (line, label, features in order), (line, message)."""
    rows, faults, before = [], [], 0
    names = Vocabulary() if names is None else names
    for job in reader.unparsed(source):
        if job is None:
            continue
        parsed = job[0]()
        parsed.settle_in_order(names)
        for t, line in enumerate(parsed.lines.tolist()):
            lo, hi = parsed.indptr[t], parsed.indptr[t + 1]
            columns = parsed.indices[lo:hi].tolist()
            shown = [names.name(c) for c in columns] if reader.reading.named else columns
            values = [1.0] * len(columns) if parsed.values is None else parsed.values[lo:hi].tolist()
            label = parsed.labels[t].item()
            label = None if math.isnan(label) else label if parsed.words is None else read(parsed.words[int(label)])
            rows.append((before + line, label, list(zip(shown, values, strict=True))))
        faults += [(before + line, str(fault.error("x", before + line + 1, parsed.unit))) for line, fault in parsed.faults]
        before += parsed.line_count
    return rows, sorted(faults), before


def test_all_formats_give_the_same_rounds(tmp_path):
    table = pa.Table.from_pylist(ROWS)
    csv = ["hour,carrier,note,far,y"]
    for row in ROWS:
        cells = (
            "" if v is None else str(int(v)) if isinstance(v, bool) else f'"{v}"' if isinstance(v, str) else str(v) for v in row.values()
        )
        csv.append(",".join(cells))
    pq.write_table(table, tmp_path / "a.parquet")
    pa.feather.write_feather(table, tmp_path / "a.arrow")
    with pa.ipc.new_stream(tmp_path / "b.arrow", table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "a.csv").write_text("\r\n".join(csv))
    (tmp_path / "a.tsv").write_text("\n".join(csv).replace(",", "\t").replace("late\t late", "late, late"))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    expected = rounds(ls.open_stream(tmp_path / "a.csv", ngrams=2, cross="carrier*hour"))
    assert expected[0] == (
        1, 1.0, None,
        sorted([
            ("hour", 7.0), ("carrier=UA", 1.0), *((f"note={w}", 1.0) for w in ("the", "plane", "was", "late", "again")),
            *((f"note={w}", 1.0) for w in ("the plane", "plane was", "was late", "late again")), ("far", 1.0), ("carrier=UA*hour", 7.0),
        ]),
    )  # fmt: skip
    assert [label for label, *_ in expected] == [1, 0, -1, 1]
    for name in ("a.tsv", "a.jsonl", "a.parquet", "a.arrow", "b.arrow"):
        assert rounds(ls.open_stream(tmp_path / name, ngrams=2, cross="carrier*hour")) == expected, name
    frames = table, pd.DataFrame(ROWS), pl.DataFrame(ROWS), table.to_reader()
    for frame in frames:
        reading = Reading(format="arrow", ngrams=2, cross=("carrier*hour",))
        source = arrow.FrameInput(frame)
        found, faults, _ = pieces(arrow.ArrowReader(table_settled(reading, source)), source)
        assert [features for *_, features in found] == [features for *_, features in expected], type(frame)
        assert not faults


def strangers(path, reading, labels=(0.0, 1.0)):
    """The rounds as the verifier reads them: (label, features in order)."""
    return [
        (-1 if one.y is None else int(one.y), [(str(name), value) for name, value in zip(one.keys, one.values, strict=True)])
        for one in rounds_of_files([str(path)], reading, labels)
    ]


WORDS = 'a\tNOUN\n"\tPUNCT\nb\tNOUN\n"\tPUNCT\nc\tVERB\n'


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_a_quote_may_be_a_word(tmp_path, chunk, end):
    for name, options in (("a.tsv", {}), ("a.tsv", {"quotes": False}), ("a.csv", {"quotes": False, "delimiter": "\t"})):
        path = tmp_path / name
        path.write_bytes(WORDS.replace("\n", end).encode())
        stream = ls.open_stream(path, label="2=PUNCT", header=False, **options)
        found = [(label, features) for label, _, _, features in rounds(stream)]
        assert found == [(0, [("1=a", 1.0)]), (1, [('1="', 1.0)]), (0, [("1=b", 1.0)]), (1, [('1="', 1.0)]), (0, [("1=c", 1.0)])]
        assert stream.reading.quotes is False
        assert strangers(path, Reading.from_json(stream.reading.as_json())) == found
        with closing(Input(str(path))) as source:
            rows, faults, lines = pieces(csv.CsvReader(stream.reading, chunk=chunk), source)
        assert ([line for line, *_ in rows], faults, lines) == ([0, 1, 2, 3, 4], [], 5)


def test_a_reading_of_old_takes_quotes(tmp_path):
    (tmp_path / "a.tsv").write_text(WORDS)
    old = ls.open_stream(tmp_path / "a.tsv", label="2=PUNCT", header=False).begin().but(quotes=None)
    assert len(rounds(ls.open_stream(tmp_path / "a.tsv", reading=old))) == len(strangers(tmp_path / "a.tsv", old)) == 3


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_certificates_say_whether_there_are_quotes(tmp_path, name):
    path, options = tmp_path / name, {"label": "2=PUNCT", "header": False, "quotes": False}
    path.write_text(WORDS if name == "a.tsv" else WORDS.replace("\t", ","))
    stream = ls.open_stream(path, **options)
    certificate = ls.certify(ls.play(ls.perceptron(), stream), stream)
    assert certificate.content["stream"]["reading"]["quotes"] is False
    for converted in ("b.csv", "b.tsv"):
        ls.convert(path, tmp_path / converted, **options)
    for same in (name, "b.csv", "b.tsv"):
        assert ls.verify(certificate, str(tmp_path / same)), same


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_cell_in_quotes_may_hold_line_ends_and_delimiters(tmp_path, name):
    path, d = tmp_path / name, "," if name == "a.csv" else "\t"
    path.write_text(f'"a"{d}y\n"x\n{d}""z"{d}1\n"w"{d}0\n', newline="")
    stream = ls.open_stream(path, quotes=True)
    found = [(label, features) for label, _, _, features in rounds(stream)]
    assert found == [(1, [(f'a=x\n{d}"z', 1.0)]), (0, [("a=w", 1.0)])] == strangers(path, stream.reading)


def test_rows_that_fit_only_with_quotes_or_without_say_so(tmp_path):
    (tmp_path / "a.tsv").write_text('a\ty\n"x\nz"\t1\nw\t0\n')
    with pytest.raises(LittlestoneError, match=r"line 2: found '\"x', expected 2 cells, as in the first line, not 1; --quotes "):
        rounds(ls.open_stream(tmp_path / "a.tsv"))
    (tmp_path / "a.csv").write_text('a,b,y\n",x,1\n1,",1\n1,1,0\n')
    with pytest.raises(LittlestoneError, match=r"line 2: .* expected 3 cells, as in the first line, not 2; --no-quotes "):
        rounds(ls.open_stream(tmp_path / "a.csv"))


# of the tokens that matter here, whatever comes of it: both readers must read the same, with quotes and without
odd_rows = st.lists(
    st.lists(st.sampled_from(['"', '""', '"a"', "b", '"\n', '"c"d', "\r"]), max_size=3).map("".join), min_size=2, max_size=12
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(cells=odd_rows, quotes=st.sampled_from([None, True, False]), chunk=st.sampled_from([1, 1000]))
def test_strangers_read_quotes_as_streams_do(tmp_path_factory, cells, quotes, chunk):
    path = tmp_path_factory.mktemp("odd") / "a.tsv"
    path.write_bytes(("a\ty\n" + "".join(f"{cell}\t{k % 2}\n" for k, cell in enumerate(cells))).encode())
    reading = ls.open_stream(path, quotes=quotes, categorical="a").begin()
    with closing(Input(str(path))) as source:
        rows, faults, _ = pieces(csv.CsvReader(reading, chunk=chunk), source)
    try:
        found = strangers(path, reading)
    except LittlestoneError:
        assert faults
    else:
        assert not faults
        assert found == [(-1 if label is None else int(label), features) for _, label, features in rows]


def test_frames_are_played(tmp_path):
    rows = [{"a": float(k % 7), "b": "xyz"[k % 3], "y": k % 2} for k in range(3000)]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "a.parquet")
    expected = ls.play(ls.perceptron(), ls.open_stream(tmp_path / "a.parquet")).mistakes
    for frame in (table, table.to_reader(100), table.to_pandas(), pl.DataFrame(rows)):
        assert ls.play(ls.perceptron(), frame).mistakes == expected, type(frame)
    labels = [row["y"] for row in rows]
    assert ls.play(ls.perceptron(), table.drop_columns("y"), labels).mistakes == expected
    for wrong in (labels[1:], [*labels, 1]):
        with pytest.raises(LittlestoneError, match=f"y has {len(wrong)} labels, and the table .* expected one label for each row"):
            ls.play(ls.perceptron(), table.drop_columns("y"), wrong)


def test_labels_weights_ids_and_tests(tmp_path):
    text = "a,w,who,y\n1,2,x,ham\n2,,y,spam\n3,0.5,,NA\n"
    assert played(tmp_path, "a.csv", text, weight="w", id="who") == [
        (0, 2.0, "x", [("a", 1.0)]), (1, 1.0, "y", [("a", 2.0)]), (-1, 0.5, None, [("a", 3.0)]),
    ]  # fmt: skip
    for label, expected in (("a>1", [0, 1, 1]), ("a<=2", [1, 1, 0]), ("y=spam", [0, 1, -1]), ("y!=spam", [1, 0, -1]), ("a=2.0", [0, 1, 0])):
        assert [row[0] for row in played(tmp_path, "a.csv", text, label=label)] == expected, label
    as_json = '{"a": 1, "y": true}\n{"a": 2, "y": false}\n'
    assert [row[0] for row in played(tmp_path, "a.jsonl", as_json)] == [1, 0]


def test_bins(tmp_path):
    text = "a,y\n1,0\n2,1\n3,0\n,1\n0,0\n"
    assert [row[3] for row in played(tmp_path, "a.csv", text, bins=2)] == [
        [("a<=1", 1.0)], [("1<a", 1.0)], [("1<a", 1.0)], [("a is missing", 1.0)], [("a<=1", 1.0)],
    ]  # fmt: skip


def test_missing_cells_say_so_and_keys_left_out_do_not(tmp_path):
    """The fast reader of JSON, the plain one, and that of CSV agree; so does the first meaning of a file."""
    lines = [
        '{"y": 0, "a": 1, "b": "u", "say": ", \\"a\\": null"}', '{"y": 1, "a":null , "b": "?"}', '{"y": 1 ,"b" :null}',
        '{"y": 0, "a": 2, "b": " NA", "say": "A"}',
    ]  # fmt: skip
    expected = [[("a", 1.0), ("b=u", 1.0)], [("a is missing", 1.0), ("b is missing", 1.0)], [("b is missing", 1.0)], [("a", 2.0)]]
    expected[3].append(("b is missing", 1.0))
    for more in ("", "\\u0041"):  # an escape leaves it to the plain reader
        text = "\n".join(lines).replace('"A"', f'"A{more}"') + "\n"
        assert [row[3] for row in played(tmp_path, "a.jsonl", text, ignore="say")] == expected
    table = "y,a,b\n0,1,u\n1,?,?\n1,nan,None\n0,2, NA\n"
    expected[2].insert(0, ("a is missing", 1.0))
    assert [row[3] for row in played(tmp_path, "a.csv", table)] == expected
    first = played(tmp_path, "b.csv", table, reading=Reading(version=1), numeric="a", categorical="b", skip_bad=True)
    assert [row[3] for row in first] == [[("a", 1.0), ("b=u", 1.0)], [], [("a", 2.0)]]  # there "?" is a word, and no number
    for cell, why in (("seven", "line 5, column 'a': found 'seven', expected a number"), ("07a", "line 5, column 'a': found '07a'")):
        with pytest.raises(ls.LittlestoneError, match=why):
            played(tmp_path, "c.csv", f"y,a\n0,1\n1,2\n0,3\n1,{cell}\n")


def bucket(name, bits):
    data, h = name.encode(), 0x9E3779B97F4A7C15 ^ len(name.encode())
    for k in range(0, len(data) + 8, 8):  # the words, and one more turn at the end
        word = int.from_bytes(data[k : k + 8], "little") if k < len(data) else None
        if word is not None:
            h = ((h ^ word) * 0xD6E8FEB86659FD93) % 2**64
            h ^= h >> 32
    h = (h * 0xD6E8FEB86659FD93) % 2**64
    return (h ^ h >> 32) % 2**bits


@pytest.mark.parametrize("bits", [1, 8])
def test_hashed_features_are_summed_in_their_buckets(tmp_path, bits):
    rows = [[("a", 2.0), ("b=x", 1.0)], [("a", 4.0), ("b=y", 1.0)], [("b=x", 1.0)]]
    expected = []
    for row in rows:
        sums = {}
        for name, value in row:
            sums[str(bucket(name, bits))] = sums.get(str(bucket(name, bits)), 0.0) + value
        expected.append(sorted(sums.items(), key=lambda pair: int(pair[0])))
    stream = ls.open_stream(tmp_path / "a.csv", bits=bits)
    (tmp_path / "a.csv").write_text("a,b,y\n2,x,0\n4,y,1\n0,x,1\n")
    assert [row[3] for row in rounds(stream)] == expected
    assert stream.names.report()["occurrences"] == 5
    table = pa.table({"label": [1, 0], "indices": [[3, 14], [3]], "values": [[2.0, 3.0], [1.0]]})
    pq.write_table(table, tmp_path / "a.parquet")
    found = rounds(ls.open_stream(tmp_path / "a.parquet", bits=8))
    assert [row[3] for row in found] == [[(str(bucket("3", 8)), 2.0), (str(bucket("14", 8)), 3.0)], [(str(bucket("3", 8)), 1.0)]]


def test_features_in_one_column(tmp_path):
    assert played(tmp_path, "a.csv", "label,|\n1,free%20:2 offer\n0,\n") == [
        (1, 1.0, None, [("free ", 2.0), ("offer", 1.0)]),
        (0, 1.0, None, []),
    ]
    assert played(tmp_path, "b.csv", "label,|\n1,7:2 3\n0,3:-1\n") == [
        (1, 1.0, None, [("3", 1.0), ("7", 2.0)]), (0, 1.0, None, [("3", -1.0)]),
    ]  # fmt: skip


def test_lists_objects_and_keys_that_come_late(tmp_path):
    rows = [{"y": 1, "v": [1, 0, None, 2], "i": ["p", "q"], "m": {"k": 2, "s": "x", "d": {"e": True}}, "features": {"a b": 3}}]
    rows += [{"y": 0}] * 1000 + [{"y": 0, "late": "x ", "w": 2.5}]
    found = played(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert found[0][3] == [
        ("a b", 3.0),
        ("i=p", 1.0),
        ("i=q", 1.0),
        ("m.d.e", 1.0),
        ("m.k", 2.0),
        ("m.s=x", 1.0),
        ("v[0]", 1.0),
        ("v[3]", 2.0),
    ]
    assert found[-1][3] == [("late=x", 1.0), ("w", 2.5)]
    kind = pa.schema(
        [("y", pa.int64()), ("m", pa.map_(pa.string(), pa.float32())), ("features", pa.struct([("k", pa.int32()), ("s", pa.string())]))]
    )
    values = [{"y": 1, "m": [("a", 1.0), ("b", 0.0)], "features": {"k": 2, "s": "t"}}, {"y": 0, "m": None, "features": None}]
    pq.write_table(pa.Table.from_pylist(values, kind), tmp_path / "a.parquet")
    assert [row[3] for row in rounds(ls.open_stream(tmp_path / "a.parquet"))] == [[("k", 2.0), ("m.a", 1.0), ("s=t", 1.0)], []]


def test_lists_side_by_side_are_not_copied(tmp_path):
    indices, values = np.array([5, 1, 7], np.int32), np.array([1, 2, 3], np.float32)
    ends = pa.array([0, 2, 3], pa.int32())
    lists = [pa.ListArray.from_arrays(ends, pa.array(array)) for array in (indices, values)]
    table = pa.table({"label": [1, 0], "indices": lists[0], "values": lists[1]})
    reader = arrow.ArrowReader(table_settled(Reading(format="arrow"), arrow.FrameInput(table)))
    parsed = next(iter(reader.unparsed(arrow.FrameInput(table))))[0]()
    assert np.shares_memory(parsed.indices, indices) and np.shares_memory(parsed.values, values)
    assert parsed.indices.tolist() == [5, 1, 7]
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    assert [row[3] for row in rounds(ls.open_stream(tmp_path / "a.parquet"))] == [[("1", 2.0), ("5", 1.0)], [("7", 3.0)]]
    assert [row[3] for row in rounds(ls.open_stream(tmp_path / "a.parquet", names=True))] == [[("1", 2.0), ("5", 1.0)], [("7", 3.0)]]


def test_a_feature_twice_is_refused_or_summed(tmp_path):
    text = '{"y": 1, "i": ["p", "q", "p"]}\n{"y": 0, "i": []}\n'
    with pytest.raises(LittlestoneError, match="line 1: found 'i=p', expected each feature once in a row; --sum-duplicates"):
        played(tmp_path, "a.jsonl", text)
    assert played(tmp_path, "a.jsonl", text, sum_duplicates=True)[0][3] == [("i=p", 2.0), ("i=q", 1.0)]
    table = pa.table({"label": [1, 0], "indices": [[3, 3, 1], [2]], "values": [[1.0, 2.0, 4.0], [1.0]]})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(LittlestoneError, match="row 1, column 'indices': found '3', expected each feature once in a row"):
        rounds(ls.open_stream(tmp_path / "a.parquet"))
    assert rounds(ls.open_stream(tmp_path / "a.parquet", sum_duplicates=True))[0][3] == [("1", 4.0), ("3", 3.0)]


def test_another_file_may_have_its_columns_in_another_order_and_no_label(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,y\n1,x,1\n2,x,0\n")
    (tmp_path / "b.csv").write_text("more,b,a\n9,x,3\n")
    assert rounds(ls.open_stream(tmp_path / "a.csv", tmp_path / "b.csv"))[2] == (-1, 1.0, None, [("a", 3.0), ("b=x", 1.0)])


NUMBER = "expected a number; --categorical a (categorical=) takes the column as text"
SIZE = "expected a number of size at most 3.40282e+38"
OBJECT = 'expected a JSON object, such as {"label": 1, "hour": 7}'
GOOD = '{"y": 1, "a": 2}\n'
BAD = {
    "cells": ("a.csv", "a,y\n1,0\n1,2,1\n", "line 3: found '1,2,1', expected 2 cells, as in the first line, not 3"),
    "nan": ("a.csv", "a,y\n1,0\nNAN,1\n", f"line 3, column 'a': found 'NAN', {NUMBER}"),
    "inf": ("a.csv", "a,y\n1,0\n-inf,1\n", f"line 3, column 'a': found '-inf', {NUMBER}"),
    "1e400": ("a.csv", "a,y\n1,0\n1e400,1\n", f"line 3, column 'a': found '1e400', {SIZE}"),
    "1e39": ("a.csv", "a,y\n1,0\n1e39,1\n", f"line 3, column 'a': found '1e39', {SIZE}"),
    "quote": (
        "a.csv",
        'a,y\n1,0\n"1,1\n2,0\n',
        "line 3, column 1: found '\"1,1\\n2,0', expected a quote that closes the cell; "
        "--no-quotes (quotes=False) takes quotes for characters like others",
    ),
    "return": (
        "a.csv",
        "a,y\n1,0\n1,0\r1,1\n",
        "line 3, column 4: found '\\r', expected lines that end with a newline, not with a carriage return alone",
    ),
    "utf8": (
        "a.csv",
        b"a,y\nx,0\n\xff,1\n",
        "line 3, column 'a': found '\ufffd', expected text in UTF-8; --encoding (encoding=) names another",
    ),
    "cells without a header": (
        "a.csv",
        "1,0,1\n1,2\n",
        "line 2: found '1,2', expected 3 cells in every row, not 2; that of the label, number 3, must be there too, and may be empty",
    ),
    "line": ("a.csv", 'a,b,y\n"x\ny",1,0\n\n\nz,1\n', "line 6: found 'z,1', expected 3 cells, as in the first line, not 2"),
    "weight": ("a.csv", "a,w,y\n1,1,0\n1,-1,1\n", "line 3, column 'w': found '-1', expected a weight of at least 0"),
    "array": ("a.jsonl", GOOD + "[1]\n", f"line 2: found '[1]', {OBJECT}"),
    "null": ("a.jsonl", GOOD + "null\n", f"line 2: found 'null', {OBJECT}"),
    "twice": ("a.jsonl", GOOD + '{"y": 1, "y": 2}\n', "line 2: found 'y', expected each key once in an object"),
    "json-nan": ("a.jsonl", GOOD + '{"y": 0, "a": NaN}\n', "line 2: found 'NaN', expected a finite number"),
    "json-1e400": ("a.jsonl", GOOD + '{"y": 0, "a": 1e400}\n', f"line 2, column 'a': found 'inf', {SIZE}"),
    "json-text": ("a.jsonl", GOOD * 1000 + '{"y": 0, "a": "2"}\n', f"line 1001, column 'a': found '2', {NUMBER}"),
    "json-cut": (
        "a.jsonl",
        GOOD + '{"y": 0, "a"\n',
        "line 2, column 13: found nothing, expected a JSON object (Expecting ':' delimiter)",
    ),
    "json-two": (
        "a.jsonl",
        GOOD + '{"y": 0} {"y": 1}\n',
        "line 2, column 10: found '{\"y\": 1}', expected a JSON object (Extra data)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_refused_by_name_or_skipped(tmp_path, case):
    name, content, message = BAD[case]
    options = {"weight": {"weight": "w"}, "nan": {"numeric": "a"}, "inf": {"numeric": "a"}, "cells without a header": {"label": "3"}}.get(
        case, {}
    )
    with pytest.raises(LittlestoneError) as caught:
        played(tmp_path, name, content, **options)
    assert str(caught.value) == f"{tmp_path / name}, {message}"
    stream = ls.open_stream(tmp_path / name, skip_bad=True, labels=(0, 1), **options)
    assert rounds(stream) and stream.bad_lines == 1 and str(stream.first_bad) == str(caught.value)


def test_bad_rows_of_parquet(tmp_path):
    for columns, message in (
        ({"indices": [[1], [-1]]}, "row 2, column 'indices': found '-1', expected a feature index from 0 to 2147483647"),
        ({"indices": [[1], [2**40]]}, f"row 2, column 'indices': found '{2**40}', expected a feature index from 0 to 2147483647"),
        ({"indices": [[1], [2]], "values": [[1.0], []]}, "row 2, column 'values': found '0 values', expected 1, as many as indices"),
        ({"indices": [[1], [2]], "values": [[1.0], [math.nan]]}, "row 2, column 'values': found 'nan', expected a finite number"),
        ({"a": [1.0, math.inf]}, "row 2, column 'a': found 'inf', expected a number of size at most 3.40282e+38"),
    ):
        pq.write_table(pa.table({"label": [1, 0], **columns}), tmp_path / "a.parquet")
        with pytest.raises(LittlestoneError) as caught:
            rounds(ls.open_stream(tmp_path / "a.parquet"))
        assert str(caught.value) == f"{tmp_path / 'a.parquet'}, {message}"
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole[:-20])
    with pytest.raises(LittlestoneError, match="a.parquet: is cut off: it does not end with PAR1"):
        rounds(ls.open_stream(tmp_path / "a.parquet"))


def source_of(content, path="x"):
    """An Input over bytes in memory."""
    source = object.__new__(Input)
    vars(source).update(
        path=path, follow=False, span=None, packed="", once=False, _begun=b"", _place=0, _at_end=False, _recode=None, _kept=None
    )
    source._stored = source._file = io.BufferedReader(io.BytesIO(content))
    return source


def plainly(reader):
    """The same reader, never sure."""
    made = reader.pieces

    class Unsure_:
        def __init__(self, piece):
            self.line_count, self.records = piece.line_count, piece.records

        def columns(self):
            raise Unsure

    reader.pieces = lambda source: ((lambda make=make: Unsure_(make()), position) for make, position in made(source))
    return reader


CELL = st.sampled_from(
    [
        *("", "1", "-2.5", "+3", " 4 ", "NA", " NA", "nan", "NAN", "inf", "1e400", "1e-50", "0", "x", "x y", "\r", "é", "0x1", "1_0"),
        *('"q"', '"a,b"', '"a\nb"', '"a""b"', 'a"b', '"'),
    ]
)
USUAL = st.sampled_from(
    ["", "NA", "0", "-0", "007", "12", "-2.5", "12.50", "1234567", "12345678", "0.1234567890123", "9" * 15, "9" * 16, "?"]
)
TEXTS = st.sampled_from(["", "x", "x y", "é", "a text of some length", "a text of some lengtH", "12345678", " 1", "?", "NA"])
DRAWN_ROWS = st.lists(st.lists(CELL, min_size=2, max_size=4), max_size=8) | st.lists(st.tuples(USUAL, TEXTS, TEXTS), max_size=12)


@settings(max_examples=100, deadline=None)
@given(DRAWN_ROWS, st.booleans(), st.integers(1, 40))
def test_quick_and_plain_csv_agree_however_it_is_cut(drawn, windows, size):
    end = "\r\n" if windows else "\n"
    content = ("n,c,y" + end + "".join(",".join(row) + end for row in drawn)).encode()
    reading = Reading(
        format="csv", label="y", header=True, delimiter=",", columns=("n", "c", "y"), kinds={"n": "numeric", "c": "categorical"}, named=True
    )
    whole = pieces(csv.CsvReader(reading), source_of(content))
    assert pieces(csv.CsvReader(reading, chunk=size), source_of(content)) == whole
    plain = csv.CsvReader(reading)
    assert pieces(plainly(plain), source_of(content)) == whole


def test_a_delimiter_is_one_character_of_ascii(tmp_path):
    for delimiter in ("é", "€", ";;"):
        with pytest.raises(LittlestoneError, match=f"delimiter='{delimiter}': expected one character of ASCII, such as ';'"):
            played(tmp_path, "a.csv", f"a{delimiter}y\n1{delimiter}0\n", delimiter=delimiter)


VALUE = st.sampled_from(
    [
        "1",
        "-2.5",
        "1e400",
        "NaN",
        "null",
        "true",
        '"x"',
        '"1"',
        '" y "',
        "[1]",
        '["a"]',
        '{"k":1}',
        "1" * 30,
        '"é"',
        '"\\ud800"',
        "01",
        "-0",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["n", "c", "y", "v", "z"]), VALUE), max_size=4), max_size=8), st.integers(1, 60))
def test_quick_and_plain_json_agree_however_it_is_cut(drawn, size):
    content = "".join("{" + ",".join(f'"{key}":{value}' for key, value in row) + "}\n" for row in drawn).encode()
    reading = Reading(
        format="jsonl", label="y", columns=("n", "c", "y", "v"), kinds={"n": "numeric", "c": "categorical", "v": "vector"}, named=True
    )
    whole = pieces(jsonl.JsonReader(reading), source_of(content))
    assert pieces(jsonl.JsonReader(reading, chunk=size), source_of(content)) == whole
    plain = jsonl.JsonReader(reading)
    assert pieces(plainly(plain), source_of(content)) == whole


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 2000), st.randoms(use_true_random=False))
def test_parquet_however_it_is_cut(tmp_path_factory, rows, group, piece, random):
    path = tmp_path_factory.mktemp("cut") / "a.parquet"
    lists = [[random.randrange(50) for _ in range(random.randrange(4))] for _ in range(rows)]
    table = pa.table({"label": [k % 2 for k in range(rows)], "a": [random.choice(["x", "y", None]) for _ in range(rows)], "v": lists})
    pq.write_table(table, path, row_group_size=group)
    with closing(Input(str(path))) as source:
        reading = table_settled(Reading(format="parquet"), source)
        whole = pieces(parquet.ParquetReader(reading), source)
        assert pieces(parquet.ParquetReader(reading, chunk=piece), source) == whole
    assert [line for line, *_ in whole[0]] == list(range(rows))
    assert [sum(name.startswith("v[") for name, _ in features) for *_, features in whole[0]] == [sum(map(bool, one)) for one in lists]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.none() | st.lists(st.integers(0, 2**31 - 1), max_size=12, unique=True), min_size=1, max_size=60),
    st.booleans(),
    st.sampled_from(["none", "snappy", "zstd", "gzip"]),
    st.sampled_from(["1.0", "2.0"]),
    st.sampled_from([64, 2**20]),
    st.sampled_from([7, 1000]),
    st.integers(1, 5000),
)
def test_lists_of_parquet_are_read_however_they_are_written(tmp_path_factory, lists, coded, packed, version, page, group, piece):
    path = tmp_path_factory.mktemp("pages") / "a.parquet"
    values = [None if one is None else [float(np.float32(k % 7 - 2.5)) for k in one] for one in lists]
    kinds = pa.list_(pa.int32()), pa.list_(pa.field("element", pa.float32(), nullable=coded))
    columns = [pa.array(lists, kinds[0]), pa.array(values, kinds[1])]
    table = pa.table([[0] * len(lists), *columns], names=["label", "indices", "values"])
    pq.write_table(
        table, path, use_dictionary=coded, compression=packed, data_page_version=version, data_page_size=page, write_batch_size=4,
        row_group_size=group,
    )  # fmt: skip
    with closing(Input(str(path))) as source:
        reader = parquet.ParquetReader(table_settled(Reading(format="parquet"), source), chunk=piece)
        found, faults, _ = pieces(reader, source)
    expected = [sorted(zip(one or [], many or [], strict=True)) for one, many in zip(lists, values, strict=True)]
    assert [features for *_, features in found] == expected and not faults


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 255), st.booleans(), st.sampled_from(["none", "snappy"]))
def test_damaged_pages_never_do_harm(tmp_path_factory, place, byte, coded, packed):
    folder = tmp_path_factory.mktemp("damaged")
    lists = [[k % 5, 7 + k % 3] for k in range(60)]
    table = pa.table({"label": [0] * 60, "indices": pa.array(lists, pa.list_(pa.int32()))})
    pq.write_table(table, folder / "a.parquet", use_dictionary=coded, compression=packed, data_page_size=64)
    damaged = bytearray((folder / "a.parquet").read_bytes())
    damaged[place % len(damaged)] = byte
    (folder / "a.parquet").write_bytes(damaged)

    def found(read):
        try:
            with closing(Input(str(folder / "a.parquet"))) as source:
                return pieces(read(parquet.ParquetReader(table_settled(Reading(format="parquet"), source))), source)
        except LittlestoneError:
            return None

    assert found(lambda reader: reader) == found(plainly)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_piece_that_fails_keeps_nobody_waiting(tmp_path, monkeypatch, error):
    lists = pa.array([[k % 50, 60 + k % 30] for k in range(3000)], pa.list_(pa.int32()))
    pq.write_table(pa.table({"label": [0] * 3000, "indices": lists}), tmp_path / "a.parquet", compression="zstd")
    monkeypatch.setattr(parquet, "LEAST_ROWS", 100)
    monkeypatch.setattr(parquet, "PIECE", 100)
    usual, calls, told = parquet.RowGroup._next, iter(range(10**6)), []

    def fails(*arguments):
        if next(calls) == 3:
            raise error
        return usual(*arguments)

    def read_all():
        try:
            rounds(ls.open_stream(tmp_path / "a.parquet", labels=(0, 1)))
        except BaseException as reason:
            told.append(reason)

    monkeypatch.setattr(parquet.RowGroup, "_next", fails)
    thread = threading.Thread(target=read_all, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive() and next(calls) > 3
    assert isinstance(told[0], KeyboardInterrupt) if error is KeyboardInterrupt else "asks for more memory than there is" in str(told[0])


def test_an_interrupt_before_a_piece_is_begun_keeps_nobody_waiting():
    calls, gate = [], threading.Event()

    def work():
        calls.append(len(calls))
        if len(calls) == 1:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        pool.submit(gate.wait)
        task = ParserTask(work, 0, pool)
        with pytest.raises(KeyboardInterrupt):
            task.done_here()
        gate.set()
    assert calls == [0, 1]


def test_a_null_among_the_numbers_is_refused(tmp_path):
    kind = pa.schema([("label", pa.int8()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float32()))])
    rows = [{"label": 1, "indices": [1, 2], "values": [1.0, 2.0]}, {"label": 0, "indices": [1, 2], "values": [1.0, None]}]
    pq.write_table(pa.Table.from_pylist(rows, kind), tmp_path / "a.parquet")
    with pytest.raises(LittlestoneError, match="row 2, column 'values': found 'null', expected a feature"):
        rounds(ls.open_stream(tmp_path / "a.parquet"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_a_row_that_brings_a_label_alone_has_no_cells_that_are_missing(tmp_path, ending):
    """Not so a row without an id or a label, or with a cell that says something."""
    rows = [("r1", 1.0, "x", None), ("r1", None, None, "yes"), ("r2", None, None, None), ("r2", 0.0, None, "no"), (None, None, None, "no")]
    table, path = pa.table(list(map(list, zip(*rows, strict=True))), names=["id", "a", "b", "label"]), tmp_path / f"t.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    elif ending == "arrow":
        pa.feather.write_feather(table, path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        sign = "\t" if ending == "tsv" else ","
        path.write_text(
            "\n".join(sign.join("" if cell is None else str(cell) for cell in row) for row in [table.column_names, *rows]) + "\n"
        )
    reading = {"id": "id", "label": "label", "labels": ("no", "yes")}
    ls.convert(ls.open_stream(path, **reading), tmp_path / "out.vw")
    both = "a%20is%20missing b%20is%20missing"
    assert (tmp_path / "out.vw").read_text() == f"'r1 | a b=x\n1 'r1 | \n'r2 | {both}\n-1 'r2 | b%20is%20missing\n-1 | {both}\n"
    run = ls.play(ls.perceptron(), ls.open_stream(path, **reading), ids=True)
    assert ls.verify(ls.certify(run, ls.open_stream(path, **reading), ids=True), path).verified
