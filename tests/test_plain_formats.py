"""The verifier's own readers: every format, with the rounds written out."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.rounds.digest import digest_of
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import Condition, Labels, narrow, target_of
from littlestone.rounds.files import detect
from littlestone.rounds.formats import libsvm
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of, rounds_of_files


def table(format="csv", **said):
    return Reading.of(format=format, **{"named": True, "kinds": {}, **said})


def lines(format, **said):
    return Reading.of(format=format, **{"named": True, **said})


def rounds(path, reading, labels=(0, 1), **options):
    return list(rounds_of_files([str(path)], reading, labels, **options))


def played(path, reading, labels=(0, 1), **options):
    """Label and features of each round, and its weight where that is not 1."""
    found = rounds(path, reading, labels, **options)
    return [(one.y, dict(zip(one.keys, one.values, strict=True)), *([one.c] if one.c != 1 else [])) for one in found]


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def digest(found, weighted=False):
    made = digest_of(iter(found), weighted=weighted, boolean=False, segment=False)
    while True:
        try:
            next(made)
        except StopIteration as end:
            return end.value


# ---- Vowpal Wabbit's text ----

VW = """\
1 2 0 'mail1 |word free:2 offer |from:0.5 bob x:4
-1 |word hi
'mail9 |word later
1 'mail1
1 tag| a b:0.5

|
"""


def test_vw_text(tmp_path):
    path = written(tmp_path, "a.vw", VW)
    assert played(path, lines("vw"), (-1, 1)) == [
        (True, {"word^free": 2.0, "word^offer": 1.0, "from^bob": 0.5, "from^x": 2.0}, 2.0),
        (False, {"word^hi": 1.0}),
        (None, {"word^later": 1.0}),
        (True, {}),
        (True, {"a": 1.0, "b": 0.5}),
        (None, {}),
    ]


def test_vw_numbers_escapes_crosses(tmp_path):
    path = written(tmp_path, "a.vw", "1 | 7:2 0 12\n0 |  3:0.25\r\n")
    assert played(path, lines("vw", named=False)) == [(True, {"7": 2.0, "0": 1.0, "12": 1.0}), (False, {"3": 0.25})]
    path = written(tmp_path, "b.vw", "1 |a%20b x%3Ay:2 50%25%2 %7C%0A|c z\n")
    assert played(path, lines("vw", cross="a b*c")) == [
        (True, {"a b^x:y": 2.0, "a b^50%%2": 1.0, "a b^|\n": 1.0, "c^z": 1.0, "a b^x:y*c^z": 2.0, "a b^50%%2*c^z": 1.0, "a b^|\n*c^z": 1.0})
    ]


VW_FAULTS = [
    ("x | a", 1, "a label"),
    ("1 -1 | a", 3, "a weight of at least 0"),
    ("1 1e39 | a", 3, "size at most"),
    ("1 1 0.5 | a", 5, "an initial prediction is not supported"),
    ("1 1 0 0 | a", 7, "features after label, weight and initial prediction"),
    ("1 | a:1b", 7, "%3A stands for a colon"),
    ("1 | a:1:2", 7, "%3A stands for a colon"),
    ("1 | a:nan", 7, "a finite number after ':'"),
    ("1 | a:1e400", 7, "size at most"),
    ("1 |n:1e30 a:1e30", 11, "a value times its namespace's of size at most"),
    ("1 | :2x", 6, "%3A stands for a colon"),
    ("1 | a b a", 9, "each feature once"),
    ("2 | a", 1, "0 or 1, as the certificate says"),
    (b"1 | caf\xe9", 5, "UTF-8"),
]


@pytest.mark.parametrize(("text", "column", "expected"), VW_FAULTS, ids=range(len(VW_FAULTS)))
def test_vw_faults(tmp_path, text, column, expected):
    path = written(tmp_path, "a.vw", b"1 | a\n" + (text if isinstance(text, bytes) else text.encode()) + b"\n")
    with pytest.raises(ls.LittlestoneError, match=expected) as found:
        rounds(path, lines("vw"))
    assert (found.value.path, found.value.line, found.value.column) == (str(path), 2, column)


def test_vw_names_after_numbers(tmp_path):
    for text in ("1 | foo", "1 | 007", "1 | 2147483648", "1 |n 7"):
        with pytest.raises(ls.LittlestoneError, match="line 1, column .*--names"):
            rounds(written(tmp_path, "a.vw", text), lines("vw", named=False))
        assert len(rounds(tmp_path / "a.vw", lines("vw", named=False, bits=8))) == 1  # names and numbers are hashed alike


# ---- libsvm ----


def test_libsvm_with_names_beside(tmp_path):
    written(tmp_path, "a.names", '"free"\n"two words"\n"\\u00e9"\n')
    path = written(tmp_path, "a.libsvm", "# littlestone names: a.names\n1 0:1 2:0.5\n0 1:2 # so\n0:1\n")
    assert played(path, lines("libsvm")) == [(True, {"free": 1.0, "é": 0.5}), (False, {"two words": 2.0}), (None, {"free": 1.0})]
    written(tmp_path, "a.libsvm", "# littlestone names: a.names\n1 3:1\n")
    with pytest.raises(ls.LittlestoneError, match="line 2: found 'feature 3', expected one of the 3 features that the names file has"):
        rounds(path, lines("libsvm"))


@pytest.mark.parametrize(
    "text",
    ["1 2: 3:4", "1:2:3 4", "1 2:1_0", "1 +2:1", "1 2:1\x0b3:1", "1 2147483648:1", "1 2:3.4028235e38", "1_0 2:1", "1\x0b 2:1", "\x0c"],
)
def test_libsvm_lines_that_only_look_right(tmp_path, text):
    with pytest.raises(ls.LittlestoneError, match=r"a\.libsvm, line 2, column"):
        rounds(written(tmp_path, "a.libsvm", f"1 1:1\n{text}\n"), lines("libsvm", named=False))


TOKENS = [
    "1",
    "-1",
    "0",
    "2",
    "+",
    "1e5",
    ".5",
    "3:1",
    "3:0",
    "07:2",
    "5:",
    ":5",
    "5:1:1",
    "4:-2e-3",
    "4:x",
    "nan",
    "#",
    "\t",
    "\x0b",
    "\r",
    "9:1e39",
]


@given(st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(["", " ", "  "])), max_size=6))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_the_shorter_way_through_libsvm_reads_what_the_longer_one_reads(tokens):
    """Usual lines are taken whole: both ways refuse the same lines with the same words, or read the same from them."""
    line = "".join(token + blank for token, blank in tokens).encode()
    reading = Reading(format="libsvm", named=False)
    try:
        row = libsvm.row_of(line, reading)
    except Fault as fault:
        row = fault.args, fault.column, fault.found, fault.expected
    source = SimpleNamespace(lines=lambda: iter([line + b"\n"]), look=lambda: [line + b"\n"], path="a")
    try:
        found = list(libsvm.rounds(source, reading, Labels((0, 1)), Condition(">", "0")))
    except Fault as fault:
        assert (fault.args, fault.column, fault.found, fault.expected) == row
        return
    assert len(found) == (row is not None)
    if row is not None:
        ((_, pairs),) = row.groups
        assert [(str(key), value) for key, value in zip(found[0].keys, found[0].values, strict=True)] == [
            (name, narrow(value)) for name, value in pairs
        ]


def test_tests_of_the_label(tmp_path):
    path = written(tmp_path, "a.libsvm", "3 1:1\n-2 1:1\n1:1\n")
    assert [y for y, _ in played(path, lines("libsvm", label="=3"))] == [True, False, None]
    assert [y for y, _ in played(path, lines("libsvm", label="<=-2"))] == [False, True, None]
    assert target_of("a>b", ["a>b", "a"]) == ("a>b", None)
    column, test = target_of("delay >= 15", ["delay"])
    assert (column, test.of(15.0), test.of(14.5)) == ("delay", 1.0, 0.0)
    assert (Condition("!=", "a").of(1.0), Condition("=", "1").of(1.0), Condition("=", "A").of("a")) == (1.0, 1.0, 0.0)
    assert target_of(None, ["x", "Y", "class"])[0] == "Y"
    for said, columns, message in ((None, ["a"], "which column"), ("b>1", ["a"], "no such column"), ("a>x", ["a"], "expected a number")):
        with pytest.raises(ls.LittlestoneError, match=message):
            target_of(said, columns)


# ---- text ----


def test_text(tmp_path):
    path = written(tmp_path, "a.txt", "\ufeffspam\tFree FREE offer_1!\r\nham\tGrüße, an\tdich\n\n\twho?\n")
    assert detect(str(path)) == "text"
    free = {"free": 2.0, "offer_1": 1.0, "free free": 1.0, "free offer_1": 1.0}
    assert played(path, lines("text", ngrams=2), ("ham", "spam")) == [
        (True, {**free, "!": 1.0, "offer_1 !": 1.0}),
        (False, {"grüße": 1.0, "an": 1.0, "dich": 1.0, "grüße an": 1.0, "an dich": 1.0}),
        (None, {"who": 1.0, "?": 1.0, "who ?": 1.0}),
    ]
    assert played(path, lines("text", ngrams=2, version=1), ("ham", "spam"))[0] == (True, free)
    with pytest.raises(ls.LittlestoneError, match="line 2, column 1: .*a label, a tab and text"):
        rounds(written(tmp_path, "b.txt", "ham\tx\nham x\n"), lines("text"), ("ham", "spam"))


# ---- CSV ----

CSV = """\
\ufeffday;hour;from;note;late
1;0;"New ""York""
City";To be or not to be;20
2;7.5; EWR ;NA;
3;12;;;15
"""
KINDS = {"day": "numeric", "hour": "numeric", "from": "categorical", "note": "text"}
COLUMNS = ("day", "hour", "from", "note", "late")


def test_csv(tmp_path):
    path = written(tmp_path, "a.csv", CSV)
    reading = table(label="late>15", kinds=KINDS, columns=COLUMNS)
    place = 'from=New "York"\nCity'
    words = {"note=to": 2.0, "note=be": 2.0, "note=or": 1.0, "note=not": 1.0}
    assert played(path, reading) == [
        (True, {"day": 1.0, place: 1.0, **words}),
        (None, {"day": 2.0, "hour": 7.5, "from=EWR": 1.0}),
        (False, {"day": 3.0, "hour": 12.0, "from is missing": 1.0}),
    ]
    assert played(path, reading.but(version=1))[2] == (False, {"day": 3.0, "hour": 12.0})
    binned = reading.but(edges={"hour": (0.0, 7.5), "day": ()}, kinds={"day": "numeric", "hour": "numeric"}, cross=("day*hour",))
    assert [list(x) for _, x in played(path, binned)] == [
        ["day", "hour<=0", "day*hour<=0"],
        ["day", "0<hour<=7.5", "day*0<hour<=7.5"],
        ["day", "7.5<hour", "day*7.5<hour"],
    ]


def test_csv_parts_of_a_stream(tmp_path):
    """A later file may lack the header, or have its columns in another order; rows of another width are a fault."""
    reading = table(label="y", kinds={"a": "numeric"}, columns=("a", "y"), delimiter=",")
    for text in ("a,y\n2,1\n", "2,1\n", "y;a\n1;2\n"):
        assert played(written(tmp_path, "b.csv", text), reading) == [(True, {"a": 2.0})]
    bare = table(label="2", kinds={"1": "numeric"}, columns=("1", "2"), header=False)
    assert played(written(tmp_path, "b.csv", "7,0\n\n8,1\n"), bare) == [(False, {"1": 7.0}), (True, {"1": 8.0})]


CSV_FAULTS = [
    ("1\n", "2 cells|1 cells", 3),
    ("x,1\n", "column 'a': found 'x', expected a number; --categorical a", 3),
    ("1e39,1\n", "column 'a'.*size at most", 3),
    ("inf,1\n", "column 'a'", 3),
    ('"1,1\n2,0\n', "a quote that closes the cell", 3),
    ('"1"x,1\n', "found '1x', expected a number", 3),
    ("1\r,1\n", "end with", 3),
    ("1,2\n", "label 2", 3),
    ('"1\n",0\n1,7\n', "label 7", 5),
]


@pytest.mark.parametrize(("text", "message", "line"), CSV_FAULTS, ids=range(len(CSV_FAULTS)))
def test_csv_faults(tmp_path, text, message, line):
    reading = table(label="y", kinds={"a": "numeric"}, columns=("a", "y"))
    with pytest.raises(ls.LittlestoneError, match=message) as found:
        rounds(written(tmp_path, "a.csv", "a,y\n1,1\n" + text), reading)
    assert found.value.line == line


# ---- JSON lines ----

JSON = """\
{"y": true, "n": 2, "s": " red ", "note": "Go on, go", "flag": true, "no": null, "tags": ["a", "b"], "v": [0, 1.5, null, 2],
"user": {"age": 3, "city": "Rome", "deep": {"k": false, "l": 1}}, "features": {"free": 2, "kind": "x"}}
{"y": "false", "s": 5.0, "new": "later", "n": 0}
""".replace(",\n", ", ")


def test_json_lines(tmp_path):
    path = written(tmp_path, "a.jsonl", JSON)
    kinds = {"n": "numeric", "s": "categorical", "note": "text", "flag": "numeric", "tags": "items", "v": "vector", "user": "map"}
    reading = table("jsonl", label="y", kinds={**kinds, "features": "map"}, columns=("y", *kinds, "features"))
    assert played(path, reading, ("false", "true")) == [
        (
            True,
            {
                "n": 2.0, "s=red": 1.0, "note=go": 2.0, "note=on": 1.0, "flag": 1.0, "no is missing": 1.0, "tags=a": 1.0, "tags=b": 1.0,
                "v[1]": 1.5, "v[3]": 2.0, "user.age": 3.0, "user.city=Rome": 1.0, "user.deep.l": 1.0, "free": 2.0, "kind=x": 1.0,
            },
        ),
        (False, {"s=5": 1.0, "new=later": 1.0}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ['{"y": 1, "y": 0}', '{"y": 1, "n": NaN}', '{"y": 1, "n": 1e400}', "[1]", '{"y": 1', '{"y": 1, "n": "7"}', '{"y": 1, "n": [1]}',
     '{"y": 1, "m": {"a": 1, "a": 2}}', '{"y": 1, "n": 1}x', '{"y": [1]}', '{"y": 1, "\\ud800": 1}', "7" * 5000],
    ids=range(12),
)  # fmt: skip
def test_json_faults(tmp_path, text):
    path = written(tmp_path, "a.jsonl", '{"y": 1, "n": 2}\n\n' + text + "\n")
    with pytest.raises(ls.LittlestoneError, match=r"a\.jsonl, line 3"):
        rounds(path, table("jsonl", label="y", kinds={"n": "numeric"}, columns=("y", "n")))


# ---- Parquet and Arrow ----


def save(batch, path):
    if path.suffix == ".parquet":
        pq.write_table(batch, path)
    else:
        make = pa.ipc.new_file if path.suffix == ".feather" else pa.ipc.new_stream
        with path.open("wb") as sink, make(sink, batch.schema) as writer:
            writer.write_table(batch)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_parquet_and_arrow(tmp_path, name):
    frame = pa.table(
        {
            "y": pa.array(["no", "yes", None]),
            "n": pa.array([1, None, 0], pa.int8()),
            "f": pa.array([0.1, float("nan"), 2], pa.float64()),
            "day": pa.array([19_000, 19_001, None], pa.date32()),
            "ts": pa.array([0, 1_500_000_000, None], pa.timestamp("ns")),
            "c": pa.array(["u", "v", "u"]).dictionary_encode(),
            "v": pa.array([[1, 2], [0, 3], None], pa.list_(pa.float32())),
            "m": pa.array([[("a", 1.0)], [("b", 2.0), ("c", 0.0)], None], pa.map_(pa.string(), pa.float64())),
            "w": [2.0, 1.0, 1.0],
        }
    )
    kinds = {"n": "numeric", "f": "numeric", "day": "categorical", "ts": "categorical", "c": "categorical", "v": "vector", "m": "map"}
    reading = table(detect(str(save(frame, tmp_path / name))), label="y", weight="w", kinds=kinds, columns=tuple(frame.column_names))
    expected = [
        (
            False,
            {
                "n": 1.0,
                "f": pytest.approx(0.1),
                "day=2022-01-08": 1.0,
                "ts=1970-01-01T00:00:00": 1.0,
                "c=u": 1.0,
                "v[0]": 1.0,
                "v[1]": 2.0,
                "m.a": 1.0,
            },
            2.0,
        ),
        (
            True,
            {
                "n is missing": 1.0,
                "f is missing": 1.0,
                "day=2022-01-09": 1.0,
                "ts=1970-01-01T00:00:01.500000": 1.0,
                "c=v": 1.0,
                "v[1]": 3.0,
                "m.b": 2.0,
            },
        ),
        (None, {"f": 2.0, "day is missing": 1.0, "ts is missing": 1.0, "c=u": 1.0}),
    ]
    assert played(tmp_path / name, reading, ("no", "yes")) == expected
    again = list(rounds_of(frame, None, boolean=False, labels=["no", "yes"], reading=reading))
    assert digest(again, True) == digest(rounds(tmp_path / name, reading, ("no", "yes")), True)
    features = frame.drop_columns(["y", "w"])
    reading = reading.but(columns=tuple(features.column_names), label=None, weight=None)
    told = list(rounds_of(features, ["no", "yes", None], boolean=False, labels=["no", "yes"], reading=reading))
    assert digest(told) == digest(again)


def test_sparse_layouts_and_their_faults(tmp_path):
    ints = pa.table({"label": [1, 0], "indices": [[3, 1], []], "values": pa.array([[0.5, 2], None], pa.list_(pa.float32()))})
    reading = table("parquet", named=False, label="label", columns=("label", "indices", "values"))
    assert played(save(ints, tmp_path / "a.parquet"), reading) == [(True, {"3": 0.5, "1": 2.0}), (False, {})]
    for change, message in (
        ({"indices": [[-1, 1], []]}, "row 1, column 'indices': found '-1'"),
        ({"indices": [[3], [2]]}, "row 1, column 'values': found '2 values'"),
        ({"other": [1, 2]}, "beside 'indices'"),
    ):
        other = pa.table({**{name: ints[name] for name in ints.column_names}, **change})
        how = reading.but(columns=tuple(other.column_names))
        with pytest.raises(ls.LittlestoneError, match=message):
            rounds(save(other, tmp_path / "b.parquet"), how)
    with pytest.raises(ls.LittlestoneError, match=r"is damaged or cut off \(Parquet magic bytes not found"):
        rounds(written(tmp_path, "c.parquet", b"PAR1 and no more"), reading)
