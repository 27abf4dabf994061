"""What fuzzing found (scripts/fuzz.py): the stream and the verifier's plain reader refuse a file both, or read the same rounds in it."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.rounds.digest import coded
from littlestone.rounds.sources import rounds_of_files
from littlestone.streams import files, stream
from littlestone.streams import lines as readers
from littlestone.streams.formats import parquet


def of_stream(made):
    found = []
    for block in made.blocks():
        values = [1.0] * len(block.indices) if block.values is None else block.values.tolist()
        for t, y in enumerate(block.labels.tolist()):
            span = slice(int(block.indptr[t]), int(block.indptr[t + 1]))
            names = [(str(c) if made.names is None else made.names.name(c)).encode() for c in block.indices[span].tolist()]
            found.append((y, 1.0 if block.weights is None else block.weights[t], coded(names, values[span])))
    return found


def both(path, format, **options):
    """The rounds that both read; None where both refuse."""
    made = ls.open_stream(path, format=format, **options)
    try:
        one = of_stream(made)
    except ls.LittlestoneError:
        one = None
    if not made.reading.settled:
        return None
    codes = made.codes
    labels = made.reading.labels or ((0, 1) if codes is None else tuple(label or "\0" for label in (codes.negative, codes.positive)))
    try:
        found = rounds_of_files([str(path)], made.reading, labels, format=format)
        two = [(-1 if r.y is None else int(r.y), r.c, r.coded) for r in found]
    except ls.LittlestoneError:
        two = None
    assert one == two
    return one


#: Format, options, content, and how many rounds it has (None: it is refused).
FOUND = {
    "a mark before a long first line": ("libsvm", {}, b"\xef\xbb\xbf1 1:1e-50\n-1 2147483647:3.4e38 0:1\n", 2),
    "a blank before the line that tells of names": ("libsvm", {"names": True}, b" #littlestone names: n\n1 0:1\n", 1),
    "a label beyond all numbers": ("libsvm", {"label": ">0.5"}, b"1 0:1\n1e400 1:1\n", None),
    "twice in a line that is read the plain way": ("libsvm", {"sum_duplicates": True}, b"1 1:1\n0 0:10 0:111 0:10# 0:11\n", 2),
    "twice, hashed": ("libsvm", {"bits": 3}, b"1 2:12345678 2:1.2345678\n0 2:1.\n", 2),
    "twice in a cell, hashed": ("csv", {"bits": 6}, b"label,|\n1,x:0.1 x:16777216 x:0.1\n0,y\n", 2),
    "a sum beyond float32": ("csv", {"sum_duplicates": True}, b"label,|\n1,x:3e38 x:3e38\n0,y\n", None),
    "a sum beyond float32, hashed": ("csv", {"bits": 6}, b"label,|\n1,x:3e38 x:3e38\n0,y\n", None),
    "a list among names": ("jsonl", {}, b'{"label":1,"a":"x"}\n{"label":0,"a":"z"}\n{"label":0,"a":[1]}\n', None),
    "a label with a form feed": ("text", {}, b"a\tx\n\x0ca\ty\n", 2),
    "a label with a separator of lines": ("text", {}, "1\ta a\r\n\u20280\tb\n".encode(), 2),
    "a label of blanks, tested": ("text", {"label": "=spam"}, b" \ta\nspam\tb\n", 2),
    "a return at the end of the text": ("text", {}, b"ham\tx\nspam\ty\r", 2),
    "digits that are not ASCII": ("text", {}, "١\ta\n1\tb\n".encode(), 2),
    "a return at the end of the table": ("csv", {}, b'label,a\n1,"x"\r\n0,y\r', 2),
    "text after a closing quote": ("csv", {}, b'label,a\n1,"x"y\n0,""z"w\n', 2),
    "numbers alone in the column of features": ("csv", {}, b"label,|\n1,12\n0,7\n", 2),
    "numbers alone, hashed": ("csv", {"bits": 6}, b"label,|\n1, \n0,12\n", 2),
    "a form feed in the column of features": ("csv", {}, b"label,|\n1,12\n0,\x0c\n", 2),
    "a bar in the column of features": ("csv", {}, b"label,|\n1,x |y\n", None),
    "a feature without a name": ("csv", {}, b"label,|\n1,31 :7\n0,x\n", None),
    "a line of blanks": ("csv", {}, b"label,a\n1,x\n \n", None),
    "a line of blanks in one column": ("csv", {}, b"label\n1\n \n0\n", 3),
    "a bar as a column": ("jsonl", {}, b'{"label":1,"|":"a b"}\n{"label":0,"|":"c"}\n', 2),
    "a return between tokens": ("jsonl", {}, b'{"label":"no","a":[1,0]}\n{"label":"yes","a":[3]\r,"b":[]}\n', 2),
    "the empty key": ("jsonl", {"categorical": "el"}, b'{"label":1,"el":0,"":true}\n{"label":0,"a":-0.0,"b":false}\n', 2),
    "a number beyond all, as text": ("jsonl", {"categorical": "a"}, b'{"label":1,"a":2}\n{"label":0,"a":-1e400}\n', None),
    "a number beyond all, as the label": ("jsonl", {"label": "a>1"}, b'{"label":1,"a":2}\n{"label":0,"a":1e400}\n', None),
    "a number beyond all, as the id": ("jsonl", {"id": "a"}, b'{"label":1,"a":2}\n{"label":0,"a":1e400}\n', None),
    "half a pair in a key": ("jsonl", {}, b'{"label":1,"a":1}\n{"label":0,"n\\ud800":0}\n', None),
    "half a pair in a label": ("jsonl", {}, b'{"label":"a\\udc00","a":1}\n{"label":"b","a":0}\n', None),
    "a pair": ("jsonl", {}, b'{"label":1,"a":"\\ud83d\\ude00"}\n{"label":0,"a":"\\u00e9"}\n', 2),
}


@pytest.mark.parametrize("case", FOUND)
def test_both_say_the_same(tmp_path, case, monkeypatch):
    format, options, content, rounds = FOUND[case]
    path = tmp_path / "a"
    path.write_bytes(content)
    for chunk, in_turn in ((2**20, False), (9, False), (9, True)):
        monkeypatch.setattr(readers, "CHUNK", chunk)
        if in_turn:
            monkeypatch.setattr(files.Input, "plain", False)
        found = both(path, format, **options)
        assert rounds == (None if found is None else len(found))


HALF = np.array([1, 2], np.float16)
TABLES = {
    "a weight that is NaN": ({"weight": [float("nan"), 2.0], "names": [["a"], []]}, 2),
    "no lists under the name of one": ({"indices": pa.array(HALF), "a": [1, 2]}, 2),
    "indices that are no whole numbers": ({"indices": pa.array([[1.0], [2.0]], pa.list_(pa.float32()))}, None),
    "values that are no numbers": ({"indices": [[1], [2]], "values": [{"a": 1}, {"a": 2}]}, None),
    "a bar": ({"|": ["a b", "c"]}, 2),
}


def stored(format, table):
    sink = io.BytesIO()
    if format == "parquet":
        pq.write_table(table, sink)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize("format", ["parquet", "arrow"])
@pytest.mark.parametrize("case", TABLES)
def test_both_say_the_same_of_tables(tmp_path, case, format):
    columns, rounds = TABLES[case]
    path = tmp_path / "a"
    path.write_bytes(stored(format, pa.table({"label": [1, 0], **columns})))
    if rounds is None:
        with pytest.raises(ls.LittlestoneError):
            of_stream(ls.open_stream(path, format=format))
    else:
        assert len(both(path, format)) == rounds


DAMAGED = sorted((Path(__file__).parent / "data" / "found").iterdir())


@pytest.mark.parametrize("path", DAMAGED, ids=[path.name for path in DAMAGED])
def test_both_say_the_same_of_damaged_files(path):
    for options in ({}, {"bits": 6}, {"bins": 2}, {"ignore": "label", "label": "a>1"}):
        both(path, path.name.split("-")[0], **options)


def test_offsets_and_text_of_an_arrow_file_are_checked(tmp_path):
    """They lie in mapped memory: what they point to may not be there."""
    path = tmp_path / "a.arrow"
    names = pa.array(["abcdefgh" * 4, "ijklmnop" * 4])
    whole = stored("arrow", pa.table({"label": [1, 0], "a": names}))
    ends = np.array([0, 32, 64], np.int32).tobytes()
    for found, put in (
        (ends, np.array([0, 32, 2**30], np.int32).tobytes()),
        (ends, np.array([0, 80, 64], np.int32).tobytes()),
        (b"abcd", b"ab\xffd"),
    ):
        assert whole.count(found) >= 1
        path.write_bytes(whole.replace(found, put, 1))
        with pytest.raises(ls.LittlestoneError, match="a.arrow: is damaged or cut off"):
            of_stream(ls.open_stream(path))


def test_a_length_that_a_damaged_stream_asks_for_is_not_made_room_for(tmp_path, monkeypatch):
    whole = stored("arrow", pa.table({"label": [1, 0]}))
    (tmp_path / "a").write_bytes(whole[:4] + b"\xf8\xff\xff\x7f" + whole[8:])
    source = files.Input(str(tmp_path / "a"))
    monkeypatch.setattr(files, "bytearray", lambda size: bytearray(size) if size <= 2**24 else pytest.fail("too much"), raising=False)
    assert len(source.read(2**31)) == len(whole)
    source.close()
    with pytest.raises(ls.LittlestoneError):
        of_stream(ls.open_stream(tmp_path / "a", format="arrow"))


def test_a_group_with_fewer_rows_than_it_says(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    path.write_bytes(stored("parquet", pa.table({"label": [1, 0], "a": [1, 2]})))
    usual = parquet.batches_of
    monkeypatch.setattr(parquet, "batches_of", lambda *arguments, **more: usual(*arguments, **more) if len(arguments) < 3 else iter(()))
    with pytest.raises(ls.LittlestoneError, match=r"is damaged or cut off \(it has fewer rows than it says\)"):
        of_stream(ls.open_stream(path))


@pytest.mark.parametrize("text", [b"1 1:1\n" * 40, b"1 |a x\n" * 40, b"1\tx y\n" * 40], ids=["libsvm", "vw", "text"])
def test_kernels_have_room_behind_every_text(tmp_path, text, monkeypatch):
    """They read some bytes at a time: a scratch that is used again must have as much room behind its text as a new one."""
    kind = {b"1 1": "libsvm", b"1 |": "vw", b"1\tx": "text"}[text[:3]]
    (tmp_path / "a").write_bytes(text)
    monkeypatch.setattr(readers, "CHUNK", 5)
    monkeypatch.setattr(files.Input, "plain", False)
    monkeypatch.setattr(stream, "CORES", 1)
    seen = []
    fill = files.fill_in_turn

    def watched(*arguments):
        for scratch in fill(*arguments):
            if scratch is not None:
                seen.append(len(scratch.text) - scratch.length)
            yield scratch

    monkeypatch.setattr(readers, "fill_in_turn", watched)
    of_stream(ls.open_stream(tmp_path / "a", format=kind))
    assert seen and min(seen) >= 64
