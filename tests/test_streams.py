"""What every format shares: opening, unpacking, looking, labels, following."""

import gzip
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.rounds.detection import detect
from littlestone.rounds.reading import Reading
from littlestone.streams import lines as readers
from littlestone.streams import stream
from littlestone.streams.files import Input

ROWS = "".join(f"{t % 2} {t % 7 + 1}:1 {t % 11 + 10}:{t % 3 + 0.5}\n" for t in range(400)).encode()


def rounds(*paths, **options):
    """All rounds: labels, and indices with values by row."""
    found = []
    for block in ls.open_stream(*paths, **options).blocks():
        for t, (indices, values, y) in enumerate(block.rounds()):
            values = [1.0] * len(indices) if values is None else values.tolist()
            found.append((y, indices.tolist(), values, int(block.lines[t])))
    return found


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(ROWS)
    return path


def test_packed_or_not_the_rounds_are_the_same(plain, tmp_path, monkeypatch):
    expected = rounds(plain)
    packed = {"a.gz": gzip.compress(ROWS), "b.zst": pa.compress(ROWS, "zstd", asbytes=True)}
    packed["two.gz"] = gzip.compress(ROWS[:999]) + gzip.compress(ROWS[999:])
    for chunk in (64, 2**20):
        monkeypatch.setattr(readers, "CHUNK", chunk)
        for name, data in packed.items():
            (tmp_path / name).write_bytes(data)
            assert rounds(tmp_path / name) == expected


def test_globs_and_several_files_are_read_in_order(plain, tmp_path):
    lines = ROWS.splitlines(keepends=True)
    for k in range(3):
        (tmp_path / f"part-{k}.svm").write_bytes(b"".join(lines[k * 100 : k * 100 + 100]))
    assert [one[:3] for one in rounds(tmp_path / "part-*.svm")] == [one[:3] for one in rounds(plain)[:300]]
    with pytest.raises(LittlestoneError, match="nothing-\\*: no file matches"):
        ls.open_stream("nothing-*")
    odd = tmp_path / "part-[0].svm"  # a file of that very name comes before the pattern
    odd.write_bytes(lines[0])
    assert len(rounds(odd)) == 1


def test_another_encoding_is_recoded(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(ROWS.decode().encode("utf-16"))
    with pytest.raises(LittlestoneError, match="is in UTF-16; expected UTF-8, or --encoding utf-16"):
        rounds(path)
    plain = tmp_path / "plain.libsvm"
    plain.write_bytes(ROWS)
    assert rounds(path, encoding="utf-16") == rounds(plain)
    with pytest.raises(LittlestoneError, match="encoding='ebcdic-x' is not known"):
        rounds(path, encoding="ebcdic-x")


DAMAGED = {
    "cut.gz": (gzip.compress(ROWS)[:-20], "cut.gz: the gzip data is damaged or cut off"),
    "cut.zst": (pa.compress(ROWS, "zstd", asbytes=True)[:-5], "cut.zst: the zstd data is damaged or cut off (Truncated compressed stream)"),
    "empty.libsvm": (b"", "empty.libsvm has no rounds: expected lines of the form 'label index:value ...'"),
    "junk.bin": (
        bytes(range(256)) * 9,
        "junk.bin: cannot tell its format from its name or its first rows; --format (format=) says: arrow, csv",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_cannot_be_read_is_named(tmp_path, name):
    data, message = DAMAGED[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LittlestoneError) as caught:
        rounds(tmp_path / name)
    assert message in str(caught.value)


def test_a_directory_a_missing_file_and_no_permission(tmp_path):
    with pytest.raises(LittlestoneError, match="is a directory; expected a file"):
        rounds(tmp_path)
    with pytest.raises(LittlestoneError, match="gone: no such file"):
        rounds(tmp_path / "gone")
    closed = tmp_path / "closed"
    closed.write_bytes(ROWS)
    closed.chmod(0)
    if not os.access(closed, os.R_OK):  # the superuser may read anything
        with pytest.raises(LittlestoneError, match="closed: no permission to read it"):
            rounds(closed)


def test_the_same_rounds_from_one_core_or_many_and_any_chunk(plain, monkeypatch):
    expected = rounds(plain)
    for cores in (1, 3):
        for chunk in (7, 100, 1000):
            monkeypatch.setattr(stream, "CORES", cores)
            monkeypatch.setattr(readers, "CHUNK", chunk)
            assert rounds(plain) == expected


LABELS = {
    "0/1": ("0 1:1\n1 1:1\n", [0, 1]),
    "-1/+1": ("-1 1:1\n+1 1:1\n", [0, 1]),
    "1/2": ("1 1:1\n2 1:1\n", [0, 1]),
    "only 1": ("1 1:1\n1 1:1\n", [1, 1]),
    "none": ("1:1\n1:1\n", [-1, -1]),
}


@pytest.mark.parametrize("name", LABELS)
def test_the_larger_label_is_positive(tmp_path, name):
    text, codes = LABELS[name]
    path = tmp_path / "x.libsvm"
    path.write_text(text)
    assert [one[0] for one in rounds(path)] == codes


def test_a_test_of_the_label_makes_one_class_against_the_rest(tmp_path):
    path = tmp_path / "x.libsvm"
    path.write_text("3 1:1\n5 1:1\n1:1\n7 1:1\n")
    assert [one[0] for one in rounds(path, label="=5")] == [0, 1, -1, 0]
    assert [one[0] for one in rounds(path, label=">=5")] == [0, 1, -1, 1]
    with pytest.raises(LittlestoneError, match="there is no column to choose; expected a test of it"):
        rounds(path, label="price")


def test_labels_are_decided_by_the_first_thousand_rows_however_they_are_cut(tmp_path, monkeypatch):
    path = tmp_path / "x.libsvm"
    path.write_text("1 1:1\n" * 999 + "2 1:1\n")
    for chunk in (64, 2**20):
        monkeypatch.setattr(readers, "CHUNK", chunk)
        assert sum(one[0] for one in rounds(path)) == 1
    path.write_text("1 1:1\n" * 1000 + "2 1:1\n")
    for chunk in (64, 2**20):
        monkeypatch.setattr(readers, "CHUNK", chunk)
        with pytest.raises(LittlestoneError, match="line 1001, column 1: found label 2, expected two classes: 0 and 1"):
            rounds(path)


def test_a_growing_file_is_followed(tmp_path):
    path = tmp_path / "x.libsvm"
    path.write_text("1 1:1\n0 2:1\n")
    source = ls.open_stream(path, follow=True, labels=(0, 1))
    got = []

    def read():
        for block in source.blocks():
            got.extend(block.labels.tolist())
            if len(got) >= 5:
                return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    for text in ("1 3:1\n1 4", ":1\n", "0 5:1\n"):
        time.sleep(0.15)
        with path.open("a") as file:
            file.write(text)
    reader.join(10)
    assert got == [1, 0, 1, 1, 0]


def test_names_of_numbers_are_in_a_file_beside(tmp_path):
    (tmp_path / "x.names").write_text('"free"\n"an offer"\n"x"\n')
    path = tmp_path / "x.libsvm"
    path.write_text("# littlestone names: x.names\n1 1:1\n0 0:2 1:1\n")
    source = ls.open_stream(path)
    run = ls.play(ls.perceptron(), source, ledger=True)
    assert list(source.names) == ["an offer", "free"] and dict(run.model.features) == {"an offer": 0, "free": 1}
    path.write_text("# littlestone names: x.names\n1 1:1\n0 3:2 1:1\n")
    with pytest.raises(LittlestoneError, match="line 3: found 'feature 3', expected one of the 3 features that the names file has"):
        rounds(path)
    assert len(rounds(path, skip_bad=True)) == 1
    (tmp_path / "x.names").unlink()
    with pytest.raises(LittlestoneError, match="has the names of its features there"):
        rounds(path)


def test_standard_input_is_played_as_it_comes():
    code = (
        "import littlestone as ls, sys\n"
        "for block in ls.open_stream('-', format='libsvm', labels=(0, 1)).blocks():\n"
        "    print(len(block), flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for _ in range(3):
            process.stdin.write(b"1 1:1\n0 2:1\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"2\n"
        process.stdin.close()
        assert process.wait(30) == 0


def test_what_was_looked_at_is_read_again(plain):
    source = Input(str(plain))
    assert source.head(10).count(b"\n") >= 10 and source.read() == ROWS
    source.close()


FORMATS = {
    "libsvm": b"+1 3:1 # x\n2:1 5:2\n",
    "vw": b"1 |f a b:2\n-1 0.5 'tag|f c\n|f d\n",
    "jsonl": b'{"a": 1}\n',
    "csv": b"a,b\n1,2\n",
    "tsv": b"word\ttag\nbank\tNOUN\n",
    "text": b"ham\tsee you at ten\nspam\twin a prize\n",
    "parquet": b"PAR1\x15\x04",
    "arrow": b"ARROW1\0\0",
}


@pytest.mark.parametrize("format", FORMATS)
def test_formats_are_told_by_their_rows(format):
    assert detect("stream", FORMATS[format]) == format
    assert detect("x.csv.gz", b"1 2:3\n") == "csv"


def test_weights_of_a_stream_multiply_those_given(plain):
    blocks = list(ls.open_stream(plain).blocks())
    weights = np.linspace(0.5, 2, 400).astype(np.float32)
    carried = [ls.Block(b.indptr, b.indices, b.values, b.labels, weights) for b in blocks]
    twice = ls.play(ls.perceptron(), carried, sample_weight=np.full(400, 2.0))
    assert twice.weighted_mistakes == ls.play(ls.perceptron(), blocks, sample_weight=2 * weights).weighted_mistakes


LINES = {"a.libsvm": "1 3:1\n0 4:1\n", "a.vw": "1 |w free\n0 |w lunch\n", "a.txt": "spam\tfree offer\nham\tlunch at ten\n"}
SAID = {"bins": 3, "weight": "w", "text": "w", "header": True, "id": "w", "ignore": "w", "cross": "a*b", "ngrams": 2}


@pytest.mark.parametrize("name", LINES)
def test_what_a_format_has_not_is_not_passed_over(name, tmp_path):
    path = tmp_path / name
    path.write_text(LINES[name])
    refused = set()
    for option, value in SAID.items():
        try:
            rounds(path, **{option: value})
        except LittlestoneError as error:
            assert f"--{option} ({option}=) does not apply" in str(error)
            refused.add(option)
    assert set(SAID) - refused == {"a.libsvm": set(), "a.vw": {"id", "ignore", "cross", "ngrams"}, "a.txt": {"ngrams"}}[name]


def test_a_model_takes_what_convert_wrote_of_its_stream(tmp_path):
    table = tmp_path / "mail.csv"
    table.write_text(
        "spam,from,text\n" + "yes,shop,free offer free for you\nno,bob,see you at ten or so\nno,shop,lunch at ten for you\n" * 4
    )
    options = {"label": "spam", "ngrams": 2, "cross": "from*text"}
    model = ls.play(ls.perceptron(), ls.open_stream(table, **options), ledger=True).model
    reading, names = Reading.from_json(model.reading), list(model.features)
    expected = rounds(table, reading=reading, vocabulary=names)
    for name in ("out.vw", "out.libsvm"):
        ls.convert(table, tmp_path / name, **options)
        found = rounds(tmp_path / name, reading=reading, vocabulary=names)
        assert [one[:3] for one in found] == [one[:3] for one in expected]
