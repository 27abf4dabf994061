"""The verifier's own readers: every format, with the rounds written out."""

import gzip
import json
import subprocess
import sys
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.checks.certificates import resealed
from littlestone.reading import Reading
from littlestone.streams.libsvm import parse_line
from littlestone.streams.parsed import Fault as OtherFault
from littlestone.theory.certificate import SCHEMA
from littlestone.theory.shape import fault_in
from littlestone.verifier import libsvm
from littlestone.verifier.digest import digest_of
from littlestone.verifier.features import Condition, Labels, hash64, target_of
from littlestone.verifier.files import Fault, detect
from littlestone.verifier.rounds import rounds_of, rounds_of_files


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
    ("1 1 0 0 | a", 7, "and no more"),
    ("1 | a:b", 7, "%3A stands for a colon"),
    ("1 | a:1:2", 7, "%3A stands for a colon"),
    ("1 | a:nan", 7, "a number after ':'"),
    ("1 | a:1e400", 7, "size at most"),
    ("1 |n:1e30 a:1e30", 11, "a finite number"),
    ("1 | :2", 5, "a name before ':'"),
    ("1 | a b a", None, "each feature once"),
    ("2 | a", 1, "0 or 1, as the certificate says"),
    (b"1 | caf\xe9", 8, "UTF-8"),
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
    with pytest.raises(ls.LittlestoneError, match="line 2, column 3: .*there are 3"):
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
def test_libsvm_as_the_other_definition_has_it(tokens):
    """The reader that runs use has a plain definition too: both refuse the same lines, or read the same from them."""
    line = "".join(token + blank for token, blank in tokens).encode()
    try:
        other = parse_line(line)
    except OtherFault:
        other = "fault"
    source = SimpleNamespace(lines=lambda: iter([line + b"\n"]))
    try:
        found = list(libsvm.rounds(source, Labels((0, 1)), Condition(">", "0"), False))
        careful = list(libsvm.rows(source, None))
    except (Fault, ls.LittlestoneError):
        assert other == "fault"
        return
    assert other != "fault" and len(found) == len(careful) == (other is not None)
    if other is not None:
        assert [str(i) for i in other[1]] == [str(key) for key in found[0].keys] == [name for name, _ in careful[0].groups[0][1]]


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
    assert played(path, lines("text", ngrams=2), ("ham", "spam")) == [
        (True, {"free": 2.0, "offer_1": 1.0, "free free": 1.0, "free offer_1": 1.0}),
        (False, {"grüße": 1.0, "an": 1.0, "dich": 1.0, "grüße an": 1.0, "an dich": 1.0}),
        (None, {"who": 1.0}),
    ]
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
        (False, {"day": 3.0, "hour": 12.0}),
    ]
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
    ('"1,1\n2,0\n', "a quote that is closed", 3),
    ('"1"x,1\n', "after the closing quote", 3),
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
                "n": 2.0, "s=red": 1.0, "note=go": 2.0, "note=on": 1.0, "flag": 1.0, "tags=a": 1.0, "tags=b": 1.0, "v[1]": 1.5, "v[3]": 2.0,
                "user.age": 3.0, "user.city=Rome": 1.0, "user.deep.l": 1.0, "free": 2.0, "kind=x": 1.0,
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
        (True, {"day=2022-01-09": 1.0, "ts=1970-01-01T00:00:01.500000": 1.0, "c=v": 1.0, "v[1]": 3.0, "m.b": 2.0}),
        (None, {"f": 2.0, "c=u": 1.0}),
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
        ({"indices": [[-1, 1], []]}, "row 1, column 'indices': found -1"),
        ({"indices": [[3], [2]]}, "row 1, column 'values': found '2 values'"),
        ({"other": [1, 2]}, "beside 'indices'"),
    ):
        other = pa.table({**{name: ints[name] for name in ints.column_names}, **change})
        how = reading.but(columns=tuple(other.column_names))
        with pytest.raises(ls.LittlestoneError, match=message):
            rounds(save(other, tmp_path / "b.parquet"), how)
    with pytest.raises(ls.LittlestoneError, match=r"is no parquet file"):
        rounds(written(tmp_path, "c.parquet", b"PAR1 and no more"), reading)


# ---- the same rounds everywhere ----

SAME = [(1, {"free": 2.0, "a b": 0.1}, 1.0), (0, {"x|y:z": 1.0}, 0.5), (1, {"50%": 3.0, "é": 1.0}, 2.0), (0, {}, 1.0)]


def converted(tmp_path):
    """What `convert` writes of these rounds, in each format."""
    bar = ["free:2 a%20b:0.1", "x%7Cy%3Az", "50%25:3 é", ""]
    names = sorted({name for _, x, _ in SAME for name in x})
    written(tmp_path, "same.names", "".join(json.dumps(name) + "\n" for name in names))
    lists = {"names": [list(x) for _, x, _ in SAME], "values": pa.array([list(x.values()) for _, x, _ in SAME], pa.list_(pa.float32()))}
    sparse = pa.table({"label": [y for y, _, _ in SAME], "weight": [c for _, _, c in SAME], **lists})
    cells = [f"{y},{c},{b}\n" for (y, _, c), b in zip([("label", {}, "weight"), *SAME], ["|", *bar], strict=True)]
    zstd = pa.compress("".join(cells).encode(), "zstd")
    return [
        written(tmp_path, "a.vw", "".join(f"{2 * y - 1} {c} | {b}\n" for (y, _, c), b in zip(SAME, bar, strict=True))),
        written(tmp_path, "a.csv.zst", zstd.to_pybytes()),
        written(
            tmp_path, "a.tsv", "label\tweight\tid\t|\n" + "".join(f"{y}\t{c}\t\t{b}\n" for (y, _, c), b in zip(SAME, bar, strict=True))
        ),
        written(
            tmp_path,
            "a.jsonl.gz",
            gzip.compress("".join(json.dumps({"label": y, "weight": c, "features": x}) + "\n" for y, x, c in SAME).encode()),
        ),
        save(sparse, tmp_path / "a.parquet"),
        save(sparse, tmp_path / "a.arrow"),
    ], written(
        tmp_path,
        "a.libsvm",
        "# littlestone names: same.names\n"
        + "".join(" ".join([str(y), *(f"{names.index(k)}:{v}" for k, v in x.items())]) + "\n" for y, x, _ in SAME),
    )


@pytest.mark.parametrize("bits", [None, 2, 18])
def test_one_digest_in_all_formats(tmp_path, bits):
    """Whatever the reading says of columns, kinds and crosses: a converted file has its features by name."""
    weighted, plain = converted(tmp_path)
    reading = table("csv", label="late>15", kinds=KINDS, columns=COLUMNS, cross=("day*hour",), bits=bits)
    labels = ("ham", "spam")
    texts = [path for path in weighted if ".vw" not in path.name]
    spoken = [rounds(path, reading, (0, 1)) for path in texts] + [rounds(path, reading, labels) for path in weighted]
    assert len({digest(found, True) for found in spoken}) == 1
    assert len({digest(found) for found in [*spoken, rounds(plain, reading)]}) == 1
    if bits is None:
        assert dict(zip(spoken[0][0].keys, spoken[0][0].values, strict=True)) == {"free": 2.0, "a b": pytest.approx(0.1)}
    else:
        assert all(isinstance(key, int) and 0 <= key < 2**bits for found in spoken for one in found for key in one.keys)


def test_hashing_sums_duplicates_and_presence(tmp_path):
    path = written(tmp_path, "a.vw", "1 | a:1 b:2 a:0.5 c:-1.5 a:-0.25\n")
    assert hash64(b"") == 0x4D0A2BBE78B92AB1
    buckets = {}
    for name, value in (("a", 1.25), ("b", 2.0), ("c", -1.5)):
        buckets[hash64(name.encode()) & 1] = buckets.get(hash64(name.encode()) & 1, 0.0) + value
    assert played(path, lines("vw", bits=1)) == [(True, buckets)]
    assert played(path, lines("vw", sum_duplicates=True)) == [(True, {"a": 1.25, "b": 2.0, "c": -1.5})]
    zero = written(tmp_path, "b.vw", "1 | a:1 b:0 c:2 a:-1\n")
    assert played(zero, lines("vw", sum_duplicates=True, boolean=True)) == [(True, {"c": 1.0})]
    numbers = written(tmp_path, "a.libsvm", "1 7:1 8:2\n")
    expected = {hash64(b"7") & 1023: 1.0, hash64(b"8") & 1023: 2.0}
    assert played(numbers, lines("libsvm", named=False, bits=10)) == [(True, expected)]


DETECTED = {
    "a.libsvm": ("", "libsvm"), "b.txt": ("1 1:2\n1:1 # so\n", "libsvm"), "c": ("1 1.5 'x |a b\n|c d:2\n", "vw"),
    "d.txt": ("spam\tfree offer\nham\tsee you\n", "text"), "e.tsv": ("ham\tsee you there\n", "text"),
    "f.tsv": ("label\tnote here\n1\tx y z\n", "tsv"),
    "g.txt": ("a,b\n1,2\n", "csv"), "h.dat": ('{"a": 1}\n', "jsonl"), "i.ndjson": ("", "jsonl"), "j.txt": ("a;b\n1;2\n", "csv"),
    "k.tsv": ("a\tb\tc\n1\t2\t3\n", "tsv"), "l.csv.gz": ("", "csv"),
}  # fmt: skip


def test_detection(tmp_path):
    for name, (content, format) in DETECTED.items():
        assert detect(str(written(tmp_path, name, content))) == format, name
    with pytest.raises(ls.LittlestoneError, match="cannot tell its format"):
        detect(str(written(tmp_path, "x.txt", "what is this\nand that, too\n")))


def test_files_that_cannot_be_read(tmp_path):
    packed = written(tmp_path, "a.vw.gz", gzip.compress(b"1 | a\n" * 1000)[:-9])
    zstd = written(tmp_path, "a.vw.zst", pa.compress(b"1 | a\n" * 1000, "zstd").to_pybytes()[:-3])
    for path, message in (
        (packed, "gzip data is damaged"),
        (zstd, "zstd data is damaged"),
        (tmp_path, "is a directory"),
        ("no", "no such file"),
    ):
        with pytest.raises(ls.LittlestoneError, match=message):
            rounds(path, lines("vw"))
    with pytest.raises(ls.LittlestoneError, match="no file matches"):
        rounds(tmp_path / "*.none", lines("vw"))
    for part in ("b-2.vw", "b-1.vw"):
        written(tmp_path, part, f"1 | {part}\n")
    assert [list(x) for _, x in played(tmp_path / "b-*.vw", lines("vw"))] == [["b-1.vw"], ["b-2.vw"]]
    latin = written(tmp_path, "l.csv", "y,n\n1,é\n".encode("latin-1"))
    how = table(label="y", kinds={"n": "categorical"}, columns=("y", "n"))
    assert played(latin, how.but(encoding="latin-1")) == [(True, {"n=é": 1.0})]
    with pytest.raises(ls.LittlestoneError, match="line 2, column 3: .*UTF-8"):
        rounds(latin, how)


# ---- certificates ----


@pytest.fixture(scope="module")
def certificate():
    """Of rows by name, as if they had been read from a table."""
    rows = [{"day": 1.0, "from=a": 1.0}, {"day": 2.0, "from=b": 1.0}, {"day": 3.0, "from=a": 1.0}, {"day": 1.0}]
    y = [1, 0, 1, 0]
    content = json.loads(json.dumps(ls.certify(ls.play(ls.perceptron(), rows, y), rows, y).content))
    reading = table(label="late", kinds={"day": "numeric", "from": "categorical"}, columns=("day", "from", "late"), header=True)
    content["stream"] |= {"labels": ["no", "yes"], "reading": reading.as_json()}
    return resealed(content)


TABLE = "day,from,late\n1,a,yes\n2,b,no\n3,a,yes\n1,,no\n"


def test_a_certificate_says_how_its_stream_is_read(tmp_path, certificate):
    assert fault_in(certificate, SCHEMA) == ""
    path = written(tmp_path, "a.csv", TABLE)
    assert "verified and replayed" in str(ls.verify(certificate, path, replay=True))
    assert "verified" in str(
        ls.verify(certificate, pa.table({"day": [1, 2, 3, 1], "from": ["a", "b", "a", None], "late": ["yes", "no"] * 2}))
    )
    moved = written(tmp_path, "b.vw", "1 | day from=a\n-1 | day:2 from=b\n1 | day:3 from=a\n-1 | day\n")
    assert "verified" in str(ls.verify(certificate, moved))
    assert "verified" in str(ls.verify(certificate, moved.rename(tmp_path / "c"), format="vw"))
    with pytest.raises(ls.Refused, match="not the one of the certificate"):
        ls.verify(certificate, written(tmp_path, "a.csv", TABLE.replace("3,a", "3,b")))


EDITS = {
    "sealed": (lambda r: {**r, "label": "day"}, False, "its digest is not that of its content"),
    "ignored": (lambda r: {**r, "ignore": ["from"]}, True, "not the one of the certificate"),
    "kind": (lambda r: {**r, "kinds": {**r["kinds"], "day": "categorical"}}, True, "not the one of the certificate"),
    "bits": (lambda r: {**r, "bits": 4}, True, "not the one of the certificate"),
    "label": (lambda r: {**r, "label": "late!=yes"}, True, "label 0"),
    "open": (lambda r: {"format": "csv"}, True, "leaves open"),
    "more": (lambda r: {**r, "run": "rm"}, True, "stream.reading.run is not known"),
    "type": (lambda r: {**r, "columns": 5}, True, "expected array"),
    "labels": (lambda r: {**r, "labels": ["yes", "no"]}, True, "other labels"),
    "presence": (lambda r: {**r, "boolean": True}, True, "denies it"),
}


@pytest.mark.parametrize("what", EDITS)
def test_a_reading_that_was_changed_is_refused(tmp_path, certificate, what):
    change, seal, message = EDITS[what]
    content = {**certificate, "stream": {**certificate["stream"], "reading": change(certificate["stream"]["reading"])}}
    with pytest.raises(ls.LittlestoneError, match=message):
        ls.verify(resealed(content) if seal else content, written(tmp_path, "a.csv", TABLE))


def test_weights_of_a_file_are_part_of_what_is_verified(tmp_path):
    rows, y, weights = [{"a": 1}, {"b": 1}, {"a": 1, "b": 2}, {"a": 2}], [1, 0, 1, 0], [1, 2, 0.5, 1]
    made = ls.certify(ls.play(ls.perceptron(), rows, y, sample_weight=weights), rows, y, sample_weight=weights)
    content = json.loads(json.dumps(made.content))
    content["stream"] |= {"labels": [0, 1], "reading": lines("vw").as_json()}
    text = "1 1 | a\n0 2 | b\n1 0.5 | a b:2\n0 1 | a:2\n"
    assert "verified and replayed" in str(ls.verify(resealed(content), written(tmp_path, "a.vw", text), replay=True))
    with pytest.raises(ls.Refused, match="not the one of the certificate"):
        ls.verify(resealed(content), written(tmp_path, "b.vw", text.replace("0 2", "0 3")))
    unweighted = {**content, "stream": {**content["stream"], "weighted": False}}
    with pytest.raises(ls.Refused, match="row 2 has weight 2, and the certificate says that rounds carry none"):
        ls.verify(resealed(unweighted), tmp_path / "a.vw")


def test_verifying_a_table_needs_no_arrays(tmp_path, certificate):
    path, cert = written(tmp_path, "a.csv", TABLE), written(tmp_path, "c.json", json.dumps(certificate))
    code = f"""
import sys
from littlestone.cli import app
try:
    app(["verify", {str(cert)!r}, {str(path)!r}, "--format", "csv", "--replay"], standalone_mode=False)
finally:
    print([m for m in sys.modules if m.split(".")[0] in ("numba", "numpy", "scipy", "pyarrow") or m.startswith("littlestone.streams")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("verified") and done.stdout.endswith("[]\n"), done.stdout + done.stderr
