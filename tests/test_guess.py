"""What the first rows of a table settle, and how it is refused where they do not."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError


def look(folder, name, content, **options):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return ls.open_stream(path, **options).begin()


def test_kinds_columns_and_the_label_of_a_csv_file(tmp_path):
    found = look(tmp_path, "a.csv", "hour,carrier,note,empty,Class\n7,UA,the plane was late again,,1\nNA,B6,so was this one too,NA,0\n")
    assert found.columns == ("hour", "carrier", "note", "empty", "Class")
    assert found.kinds == {"hour": "numeric", "carrier": "categorical", "note": "text", "empty": "numeric"}
    assert (found.label, found.header, found.delimiter, found.named) == ("Class", True, ",", True)


@pytest.mark.parametrize(
    ("first", "header", "columns"),
    [
        ("a;b;y", True, ("a", "b", "y")),
        ("1;2;3", False, ("1", "2", "3")),
        ("a;a;y", False, ("1", "2", "3")),
        ("a;;y", False, ("1", "2", "3")),
    ],
)
def test_a_header_has_different_names_and_no_number(tmp_path, first, header, columns):
    found = look(tmp_path, "a.csv", f"{first}\n1;2;0\n", label=columns[2])
    assert (found.header, found.columns, found.delimiter) == (header, columns, ";")


def test_declared_kinds_come_first(tmp_path):
    found = look(tmp_path, "a.csv", "a,b,c,d,y\n1,2,3,4,0\n", categorical="a", text="b", ignore="c", weight="d")
    assert found.kinds == {"a": "categorical", "b": "text"}


def test_edges_of_bins(tmp_path):
    rows = "".join(f"{x},{x},1\n" for x in (4, 1, 3, 2))
    assert look(tmp_path, "a.csv", "a,b,y\n" + rows, bins=2).edges == {"a": (2.0,), "b": (2.0,)}
    assert look(tmp_path, "b.csv", "a,b,y\n" + rows, bins={"b": 4}).edges == {"b": (1.0, 2.0, 3.0)}


def test_only_a_thousand_rows_are_looked_at(tmp_path):
    rows = ["1,0"] * 1000 + ["x,1"]
    found = look(tmp_path, "a.csv", "a,y\n" + "\n".join(rows) + "\n")
    assert found.kinds == {"a": "numeric"}
    quoted = ['"1\n",0'] * 800 + ["x,1"] * 200  # records that take two lines each
    assert look(tmp_path, "b.csv", "a,y\n" + "\n".join(quoted) + "\n").kinds == {"a": "categorical"}
    assert look(tmp_path, "b.csv", "a,y\n" + "\n".join(["x,1", *quoted[:999]]) + "\n").kinds == {"a": "categorical"}


@pytest.mark.parametrize(
    ("rows", "quotes"),
    [
        ("a\t1", False),
        ('"a"\t1', True),
        ('"a ""b"""\t1|"c\td"\t0', True),
        ('"a"\t1|"\t0', False),
        ('"a"\t1|"b"c\t0', False),
        ('"a|b"\t1', False),
        ('b"\t1|c"d"\t0', False),
        ('""\t1', True),
        ('"a\t""\t1', False),
        ("|".join(["a\t1"] * 1000 + ['"a"\t1']), False),
    ],
    ids=["none", "quoted", "doubled", "a word", "not at the end", "two lines", "inside", "empty", "open", "too late"],
)
def test_quotes_of_tsv_are_those_that_the_first_rows_close(tmp_path, rows, quotes):
    content = "a\ty\n" + rows.replace("|", "\n") + "\n"
    for end in ("\n", "\r\n"):
        assert look(tmp_path, "a.tsv", content.replace("\n", end)).quotes is quotes
    assert look(tmp_path, "a.csv", content).quotes is True
    assert [look(tmp_path, name, content, quotes=said).quotes for name in ("a.csv", "a.tsv") for said in (True, False)] == [True, False] * 2


def test_a_word_and_its_lemma_may_both_be_a_quote(tmp_path):
    found = look(tmp_path, "a.tsv", 'saw\tsee\tVERB\n"\t"\tPUNCT\n', label="3", header=False)
    assert (found.quotes, found.columns) == (False, ("1", "2", "3"))


def test_features_in_one_column_may_be_numbers(tmp_path):
    assert look(tmp_path, "a.csv", "label,|\n1,3:2 5\n0,7\n").named is False
    named = look(tmp_path, "b.csv", "label,weight,id,|\n1,2,a,free:2 5\n0,1,b,7\n")
    assert (named.named, named.weight, named.id, named.kinds) == (True, "weight", "id", {"|": "categorical"})


def test_kinds_of_json(tmp_path):
    rows = [{"y": True, "n": 1, "s": "a", "v": [1, 2.5], "i": ["p"], "m": {"k": 1}, "b": False}, {"y": False, "later": "x"}]
    found = look(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert found.kinds == {
        "n": "numeric", "s": "categorical", "v": "vector", "i": "items", "m": "map", "b": "numeric", "later": "categorical",
    }  # fmt: skip
    assert found.columns == ("y", "n", "s", "v", "i", "m", "b", "later")


def test_lists_side_by_side_are_numbered_features(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"label": [1, 0], "indices": [[1, 2], [3]], "values": [[1.0, 2.0], [3.0]]}), path)
    assert ls.open_stream(path).begin().named is False
    pq.write_table(pa.table({"label": [1, 0], "names": [["a"], ["b"]], "weight": [1.0, 2.0]}), path)
    found = ls.open_stream(path).begin()
    assert (found.named, found.weight) == (True, "weight")


GUESSED = ". (Its first line is taken for names of columns; --no-header says it is a row)"


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.csv", "a,b\n1,2\n", {}, "which column is the label? --label COLUMN (label=) says so; the columns are: a, b{GUESSED}"),
        ("a.csv", "y,Y\n1,2\n", {}, "which column is the label? --label COLUMN (label=) says so; the columns are: y, Y{GUESSED}"),
        ("a.csv", "a,b\n1,2\n", {"label": "c>1"}, "--label c>1: no such column; the columns are: a, b{GUESSED}"),
        ("a.csv", "a,b\n1,2\n", {"label": "c", "header": True}, "--label c: no such column; the columns are: a, b"),
        (
            "a.tsv",
            "a\tb\n1\t2\n",
            {"label": "=1"},
            "--label =1: no such column; a test of a column begins with it, such as b=1, and --format text reads lines of a label, a tab "
            "and text; the columns are: a, b{GUESSED}",
        ),
        (
            "a.csv",
            "a,b,y\n1,2,0\n",
            {"categorical": "a,b"},
            "--categorical a,b: no such column; for several columns repeat it: --categorical a --categorical b; the columns are: a, b, y"
            "{GUESSED}",
        ),
        ("a.csv", "a,y\n1,2\n", {"categorical": "c"}, "--categorical c: no such column; the columns are: a, y{GUESSED}"),
        ("a.csv", "a,y\n1,2\n", {"cross": "a*c"}, "--cross a*c: 'c' is no column with features; those are: a"),
        ("a.csv", "a,y\nx,2\n", {"bins": {"a": 2}}, "--bins a=2: 'a' is no numeric column with features"),
        ("a.csv", "a,a,y\nx,y,2\n", {"header": True}, "column 'a' stands twice in the header; expected columns of different names"),
        ("a.csv", "", {}, "is empty; expected a table"),
        ("a.jsonl", "\n", {}, "is empty; expected a JSON object on every line"),
    ],
    ids=["label", "labels", "test", "header-said", "no-column", "commas", "kind", "cross", "bins", "header", "empty", "empty-json"],
)
def test_what_cannot_be_settled_is_refused(tmp_path, name, content, options, message):
    with pytest.raises(LittlestoneError) as caught:
        look(tmp_path, name, content, **options)
    assert str(caught.value) == f"{tmp_path / name}: {message.replace('{GUESSED}', GUESSED)}"


def test_a_test_needs_a_number(tmp_path):
    with pytest.raises(LittlestoneError, match="label='a>x': expected a number after >"):
        look(tmp_path, "a.csv", "a,b\n1,2\n", label="a>x")


def test_columns_beside_lists_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"label": [1, 0], "indices": [[1, 2], [3]], "hour": [1, 2]}), path)
    with pytest.raises(LittlestoneError, match="columns hour beside 'indices', which lists the features of each row; --ignore hour"):
        ls.open_stream(path).begin()
    assert ls.open_stream(path, ignore="hour").begin().named is False
