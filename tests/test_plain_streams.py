"""The verifier over whole streams: one digest in all formats, hashing, which format a file is in, certificates that say how to read."""

import gzip
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from forgery import resealed
from littlestone.rounds.digest import digest_of
from littlestone.rounds.features import hash64
from littlestone.rounds.files import detect
from littlestone.rounds.reading import VERSION, Reading
from littlestone.rounds.sources import rounds_of_files
from littlestone.rounds.table_reading import TableReading
from littlestone.theory.certificate import SCHEMA, Certificate, in_plain_words
from littlestone.theory.json_shape import fault_in


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


def save(batch, path):
    if path.suffix == ".parquet":
        pq.write_table(batch, path)
    else:
        make = pa.ipc.new_file if path.suffix == ".feather" else pa.ipc.new_stream
        with path.open("wb") as sink, make(sink, batch.schema) as writer:
            writer.write_table(batch)
    return path


KINDS = {"day": "numeric", "hour": "numeric", "from": "categorical", "note": "text"}
COLUMNS = ("day", "hour", "from", "note", "late")


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
    "k.tsv": ("a\tb\tc\n1\t2\t3\n", "tsv"), "l.csv.gz": ("", "csv"), "m.txt": ("", "text"), "n": ("\n", "libsvm"),
    "o.txt": ("ham\tok\nno tab here\nspam\tfree\nham\tyes\n", "text"), "p.txt": ("ham\tok\nspam\tfree\nha", "tsv"),
    "q.tsv": ("hour\tlate\n7\t1\n8\n9\t0\n", "tsv"),
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
        (written(tmp_path, "t.csv", "a,b\n1,2\n"), "t.csv: is a table, and the stream is vw; expected the file that was played"),
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
    with pytest.raises(ls.LittlestoneError, match="line 2, column 'n': .*UTF-8"):
        rounds(latin, how)


# ---- certificates ----


@pytest.fixture(scope="module")
def certificate():
    """Of rows by name, as if they had been read from a table."""
    rows = [{"day": 1.0, "from=a": 1.0}, {"day": 2.0, "from=b": 1.0}, {"day": 3.0, "from=a": 1.0}, {"day": 1.0, "from is missing": 1.0}]
    y = [1, 0, 1, 0]
    content = json.loads(json.dumps(ls.certify(ls.play(ls.perceptron(), rows, y), rows, y).content))
    reading = table(label="late", kinds={"day": "numeric", "from": "categorical"}, columns=("day", "from", "late"), header=True)
    content["stream"] |= {"labels": ["no", "yes"], "reading": reading.as_json()}
    content["summary"] = in_plain_words(Certificate(content))
    return resealed(content)


TABLE = "day,from,late\n1,a,yes\n2,b,no\n3,a,yes\n1,,no\n"


def test_a_certificate_says_how_its_stream_is_read(tmp_path, certificate):
    assert fault_in(certificate, SCHEMA) == ""
    path = written(tmp_path, "a.csv", TABLE)
    assert "verified and replayed" in str(ls.verify(certificate, path, replay=True))
    assert "verified" in str(
        ls.verify(certificate, pa.table({"day": [1, 2, 3, 1], "from": ["a", "b", "a", None], "late": ["yes", "no"] * 2}))
    )
    moved = written(tmp_path, "b.vw", "1 | day from=a\n-1 | day:2 from=b\n1 | day:3 from=a\n-1 | day from%20is%20missing\n")
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


def test_a_summary_that_says_something_else_is_refused(tmp_path, certificate):
    summary, stream = certificate["summary"], written(tmp_path, "a.csv", TABLE)
    first, _, rest = summary.partition(". ")
    made = certificate["counts"]["mistakes"]
    assert first == f"On these 4 rows it made {made} mistakes; always saying no would have made 2; a theorem allows it at most 3"
    assert rest.startswith("What was played: perceptron said the label of 4 rows, each before it was told what came, and made ")
    ls.verify(resealed({**certificate, "summary": rest}), stream)  # as earlier versions wrote it
    for changed in (summary.replace("of 4 rows", "of 5 rows"), summary.replace("these 4 rows", "these 5 rows"), f"{first}."):
        with pytest.raises(ls.Refused, match="its summary does not say what the rest of it says"):
            ls.verify(resealed({**certificate, "summary": changed}), stream)


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


def test_a_reading_has_a_version_and_the_first_needs_no_word():
    assert Reading(format="csv").as_json()["version"] == VERSION and "version" not in Reading(format="vw").as_json()
    reading = Reading(format="csv", label="y", named=True, kinds={"a": "numeric"}, columns=("a", "y"), version=1)
    assert "version" not in reading.as_json()
    assert Reading.from_json({**reading.as_json(), "version": 1}) == Reading.from_json(reading.as_json()) == reading
    for version in (0, VERSION + 1, "1", True):
        with pytest.raises(ls.LittlestoneError, match="version=.* of a reading is not known"):
            Reading.from_json({**reading.as_json(), "version": version})
        with pytest.raises(ls.LittlestoneError, match="version"):
            TableReading.from_json({"format": "csv", "version": version})
    assert TableReading.from_json({"format": "csv", "version": 1}) == TableReading(format="csv")
