"""A catalogue of bad inputs: every format, what is said of each, and what is left out with `skip_bad`."""

import gzip
import io
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli import main
from littlestone.rounds.sources import rounds_of_files
from littlestone.streams import files
from littlestone.streams import lines as readers


def table(format, **columns):
    """A Parquet or Arrow file, as bytes."""
    found, sink = pa.table(columns), io.BytesIO()
    if format == "parquet":
        pq.write_table(found, sink)
    else:
        with (pa.ipc.new_stream if format == "stream" else pa.ipc.new_file)(sink, found.schema) as writer:
            writer.write_table(found)
    return sink.getvalue()


def zstd(data):
    return pa.compress(data, "zstd", asbytes=True)


GOOD = {
    "libsvm": b"1 1:1\n0 2:1\n", "vw": b"1 |a x\n0 |a y\n", "text": b"ham\tsee you there\nspam\tfree offer now\n",
    "csv": b"label,a,b\n1,2,x\n0,3,y\n", "tsv": b"label\ta\tb\n1\t2\tx\n0\t3\ty\n", "jsonl": b'{"label":1,"a":2}\n{"label":0,"a":3}\n',
    "parquet": table("parquet", label=[1, 0], a=[2, 3]), "arrow": table("arrow", label=[1, 0], a=[2, 3]),
}  # fmt: skip
BINARY = ("parquet", "arrow")
LINES = [format for format in GOOD if format not in BINARY]

SIZE = "expected a number of size at most 3.40282e+38"
ONCE = "expected each feature once in a row; --sum-duplicates"
BYTES = "expected text in UTF-8; --encoding (encoding=) names another"
LABEL = "expected a label: a number, such as 1, 0 or -1"
NAMED = "; labels that are names need --labels NEG,POS,... or --labels any (labels=)"


def three(first, test):
    """What is said of a third label among the first rows."""
    return (
        f"expected two labels, and the first rows have {first}; --labels NEG,POS (labels=) declares two, --label {test} (label=) plays "
        "one against the rest, and --learner one_vs_rest:learner=arow (ls.one_vs_rest) plays them all"
    )


COLUMNS = "which column is the label? --label COLUMN (label=) says so; the columns are:"
JUNK = bytes(range(256)) * 4
FIRST = "".join(f"\\x{byte:02x}" for byte in range(9))  # up to the tab, as a message shows them
CUT = "data is damaged or cut off"

#: Format, content, and what is said after the file's name.
BAD = {
    "empty libsvm": ("libsvm", b"", " has no rounds: expected lines of the form 'label index:value ...'"),
    "empty vw": ("vw", b"", " has no rounds: expected lines of the form 'label |namespace feature:value ...'"),
    "empty text": ("text", b"", " has no rounds: expected lines of a label, a tab and text"),
    "empty csv": ("csv", b"", ": is empty; expected a table"),
    "empty tsv": ("tsv", b"\n\r\n", ": is empty; expected a table"),
    "empty jsonl": ("jsonl", b"", ": is empty; expected a JSON object on every line"),
    "empty parquet": ("parquet", b"", ": is empty; expected Parquet"),
    "empty arrow": ("arrow", b"", ": is empty; expected Arrow"),
    "junk libsvm": ("libsvm", JUNK, f", line 1, column 1: found '{FIRST}', {LABEL}"),
    "junk vw": ("vw", JUNK, f", line 1, column 1: found '{FIRST}', {LABEL}{NAMED}"),
    "junk text": ("text", JUNK[14:], f", line 1, column 115: found '\ufffd', {BYTES}"),
    "junk csv": ("csv", JUNK, ", line 1: found a NUL byte, expected a table as text; --format (format=) names another"),
    "junk tsv": ("tsv", JUNK, ", line 1: found a NUL byte, expected a table as text; --format (format=) names another"),
    "junk jsonl": ("jsonl", JUNK, f", line 1, column 1: found '{FIRST}\\t', expected a JSON object (Expecting value)"),
    "junk parquet": (
        "parquet",
        JUNK,
        f": begins with {JUNK[:8]!r}; expected Parquet, which begins with PAR1; --format (format=) names another",
    ),
    "junk arrow": (
        "arrow",
        JUNK,
        f": begins with {JUNK[:8]!r}; expected Arrow, which begins with ARROW1; --format (format=) names another",
    ),
    "half libsvm": ("libsvm", b"1 1:1\n0 2", ", line 2, column 3: found '2', expected ':' and a value after the feature index"),
    "half vw": (
        "vw",
        b"1 |a x\n0 |a y:",
        ", line 2, column 8: found nothing, expected a finite number after ':'; in a name %3A stands for a colon",
    ),
    "half text": ("text", b"ham\tsee\nspa", ", line 2, column 1: found 'spa', expected a label, a tab and text"),
    "half csv": ("csv", b"label,a,b\n1,2,x\n0,3", ", line 3: found '0,3', expected 3 cells, as in the first line, not 2"),
    "half tsv": ("tsv", b"label\ta\tb\n1\t2\tx\n0", ", line 3: found '0', expected 3 cells, as in the first line, not 1"),
    "half jsonl": (
        "jsonl",
        GOOD["jsonl"][:-6],
        ", line 2, column 12: found '\"', expected a JSON object (Unterminated string starting at)",
    ),
    "half parquet": ("parquet", GOOD["parquet"][:-9], ": is cut off: it does not end with PAR1, as Parquet does"),
    "half arrow": ("arrow", GOOD["arrow"][:-9], ": is cut off: it does not end with ARROW1, as Arrow does"),
    "half stream": ("arrow", table("stream", label=[1, 0])[:-20], ": is damaged or cut off ("),
    "label libsvm": ("libsvm", b"1 1:1\n0 1:1\n7 1:1\n", f", line 3, column 1: found label 7, {three('1, 0, 7', '=7')}"),
    "label vw": ("vw", b"1 | 1\n0 | 1\n7 | 1\n", f", line 3, column 1: found label 7, {three('1, 0, 7', '=7')}"),
    "label text": (
        "text",
        b"spam\ta b\nham\ta b\neggs\tb c\n",
        f", line 3, column 1: found label eggs, {three('spam, ham, eggs', '=eggs')}",
    ),
    "label csv": (
        "csv",
        b"label,a\nyes,1\nno,2\nmaybe,3\n",
        f", line 4, column 'label': found label maybe, {three('yes, no, maybe', 'label=maybe')}",
    ),
    "label tsv": ("tsv", b"a\ty\n1\t1\n1\t0\n2\t7\n", f", line 4, column 'y': found label 7, {three('1, 0, 7', 'y=7')}"),
    "label jsonl": (
        "jsonl",
        b'{"label":1}\n{"label":0}\n{"label":7}\n',
        f", line 3, column 'label': found label 7, {three('1, 0, 7', 'label=7')}",
    ),
    "label parquet": (
        "parquet",
        table("parquet", label=[1, 0, 7], a=[1, 1, 1]),
        f", row 3, column 'label': found label 7, {three('1, 0, 7', 'label=7')}",
    ),
    "label arrow": ("arrow", table("arrow", y=["no", "yes", "so"]), f", row 3, column 'y': found label so, {three('no, yes, so', 'y=so')}"),
    "no number libsvm": ("libsvm", b"spam 1:1\n", f", line 1, column 1: found 'spam', {LABEL}"),
    "no number vw": ("vw", b"spam | 1\n", f", line 1, column 1: found 'spam', {LABEL}{NAMED}"),
    "one label": (
        "text",
        b"eggs\ta b\n",
        ": its first 1,000 rows have one label only, 'eggs', and it may be either; --labels NEGATIVE,POSITIVE",
    ),
    "no label csv": (
        "csv",
        b"a,b\n1,2\n",
        f": {COLUMNS} a, b. (Its first line is taken for names of columns; --no-header says it is a row)",
    ),
    "no label jsonl": ("jsonl", b'{"a": 1}\n', f": {COLUMNS} a"),
    "no label parquet": ("parquet", table("parquet", a=[1], b=[2]), f": {COLUMNS} a, b"),
    "negative libsvm": ("libsvm", b"1 -1:1\n", ", line 1, column 3: found '-1:1', expected a feature index: a whole number, 0 or more"),
    "negative vw": (
        "vw",
        b"1 | 1\n" * 1000 + b"0 | -1\n",
        ", line 1001, column 5: found '-1', expected a whole number up to 2147483647, as the features before; --names (names=True) keeps "
        "all features by name",
    ),
    "negative csv": (
        "csv",
        b"label,|\n" + b"1,1\n" * 1000 + b"0,-1\n",
        ", line 1002, column '|': found '-1', expected a whole number up to 2147483647, as the features before; "
        "--names (names=True) keeps all features by name",
    ),
    "negative arrow": (
        "arrow",
        table("arrow", label=[1], indices=[[-1]]),
        ", row 1, column 'indices': found '-1', expected a feature index from 0 to 2147483647",
    ),
    "twice libsvm": ("libsvm", b"1 1:1 2:1 1:2\n", f", line 1, column 11: found '1:2', {ONCE} (sum_duplicates=True) adds them up"),
    "twice vw": ("vw", b"1 |a x y x:2\n", f", line 1, column 10: found 'x:2', {ONCE} (sum_duplicates=True) adds them up"),
    "twice csv": ("csv", b"label,|\n1,x y x\n", f", line 2: found 'x', {ONCE} (sum_duplicates=True) adds them up"),
    "twice arrow": (
        "arrow",
        table("arrow", label=[1], names=[["b", "b"]]),
        f", row 1, column 'names': found 'b', {ONCE} (sum_duplicates=True) adds them up",
    ),
    "twice in the header": (
        "csv",
        b"label,a,a\n1,2,3\n",
        f": {COLUMNS} 1, 2, 3. (Its first line is taken for a row: 'a' stands there twice; --header says it is none)",
    ),
    "nan libsvm": ("libsvm", b"1 1:nan\n", ", line 1, column 5: found 'nan', expected a finite number after ':'"),
    "nan vw": (
        "vw",
        b"1 |a x:nan\n",
        ", line 1, column 8: found 'nan', expected a finite number after ':'; in a name %3A stands for a colon",
    ),
    "1e400 tsv": ("tsv", b"label\ta\n1\t1e400\n", f", line 2, column 'a': found '1e400', {SIZE}"),
    "1e400 bar": ("csv", b"label,|\n1,x:1e400\n", f", line 2, column '|': found '1e400', {SIZE}"),
    "1e39 arrow": ("arrow", table("arrow", label=[1], a=[[1e39]]), f", row 1, column 'a': found '1e+39', {SIZE}"),
    "utf-8 vw": ("vw", b"1 |a \xff\n", f", line 1, column 6: found '\ufffd', {BYTES}"),
    "utf-8 text": ("text", b"ham\tfr\xffe\n", f", line 1, column 7: found '\ufffd', {BYTES}"),
    "utf-8 tsv": ("tsv", b"label\ta\n1\t\xff\n", f", line 2, column 'a': found '\ufffd', {BYTES}"),
    "utf-8 jsonl": ("jsonl", b'{"label":1,"a":"\xff"}\n', f", line 1, column 17: found '\ufffd', {BYTES}"),
    "half a pair": ("jsonl", b'{"label":1,"a\\ud800":1}\n', f', line 1: found \'{{"label": 1, "a\ufffd": 1}}\', {BYTES}'),
    "no features": (
        "arrow",
        table("arrow", label=[1], a=[b"x"]),
        ": column 'a' of type binary gives no features; --ignore a leaves it out",
    ),
    "values": (
        "parquet",
        table("parquet", label=[1], names=[["x"]], values=[["y"]]),
        "column 'values' beside 'names': expected a list of numbers",
    ),
    "a bar in a cell": (
        "csv",
        b"label,|\n1,x |y\n",
        ", line 2, column '|': found 'x |y', expected features without a bar; %7C stands for one in a name",
    ),
    "no name in a cell": ("csv", b"label,|\n1,x :7\n", ", line 2, column '|': found ':7', expected the name of a feature before ':'"),
    **{f"gzip {format}": (format, gzip.compress(data)[:-9], f": the gzip {CUT} (") for format, data in GOOD.items()},
    **{f"zstd {format}": (format, zstd(data)[:-3], f": the zstd {CUT} (") for format, data in GOOD.items()},
}


def count(stream):
    return sum(len(block) for block in stream.lent_blocks())


@pytest.mark.parametrize("case", BAD)
def test_what_is_said_of_bad_input(tmp_path, case):
    format, content, message = BAD[case]
    path = tmp_path / f"a.{format}"
    path.write_bytes(content)
    stream = ls.open_stream(path, format=format)
    with pytest.raises(ls.LittlestoneError) as caught:
        count(stream)
    said = str(caught.value)
    if message.endswith("(") or case in ("one label", "values"):
        assert message in said
    else:
        assert said == f"{path}{message}"
    reading = stream.reading
    if reading.settled and "empty" not in case:  # nor does the verifier read it
        with pytest.raises(ls.LittlestoneError) as caught:
            list(rounds_of_files([str(path)], reading, reading.labels or (("ham", "spam") if format == "text" else (0, 1)), format=format))
        if (", line " in said or ", row " in said) and "label" not in case and "damaged" not in said:
            assert str(caught.value) == said  # and it says so in the same words


@pytest.mark.parametrize("format", LINES)
def test_mixed_line_ends_and_no_end_are_fine(tmp_path, format, monkeypatch):
    path = tmp_path / "a"
    for data in (
        GOOD[format],
        GOOD[format].replace(b"\n", b"\r\n", 1),
        GOOD[format][:-1],
        GOOD[format][:-1] + b"\r",
        b"\xef\xbb\xbf" + GOOD[format],
    ):
        path.write_bytes(data)
        stream = ls.open_stream(path, format=format)
        assert count(stream) == 2
        assert len(list(rounds_of_files([str(path)], stream.reading, stream.reading.labels, format=format))) == 2
    path.write_bytes(gzip.compress(data))  # a byte-order mark before a line that is longer than a chunk
    monkeypatch.setattr(readers, "CHUNK", 4)
    assert count(ls.open_stream(path, format=format)) == 2


def test_what_is_no_file(tmp_path):
    closed = tmp_path / "closed.vw"
    closed.write_bytes(GOOD["vw"])
    closed.chmod(0)
    cases = {str(tmp_path): f"{tmp_path}: is a directory; expected a file", "a\0b": "'a\\x00b' is no name of a file"}
    if not os.access(closed, os.R_OK):  # the superuser may read anything
        cases[str(closed)] = f"{closed}: no permission to read it"
    for path, message in cases.items():
        for format in ("auto", *GOOD):
            with pytest.raises(ls.LittlestoneError) as caught:
                count(ls.open_stream(path, format=format))
            assert str(caught.value) == message


BESIDE = {
    b'"a"\n"a"\n': "line 2: expected each name once, and line 1 has it too",
    b'"a"\n7\n': "line 2: expected the name of a feature as a JSON string",
    b'"\\ud800"\n': "line 1: expected the name of a feature as a JSON string",
    b"[" * 99_999: "line 1: expected the name of a feature as a JSON string",
    b"\xff\n": "line 1: expected the name of a feature as a JSON string; ",
}


@pytest.mark.parametrize("names", BESIDE, ids=["twice", "number", "surrogate", "deep", "utf-8"])
def test_names_beside_a_libsvm_file(tmp_path, names):
    (tmp_path / "n").write_bytes(names)
    path = tmp_path / "a.libsvm"
    path.write_bytes(b"# littlestone names: n\n1 0:1\n")
    with pytest.raises(ls.LittlestoneError) as caught:
        count(ls.open_stream(path))
    assert BESIDE[names] in str(caught.value) and str(tmp_path / "n") in str(caught.value)
    (tmp_path / "n").write_bytes('"one\u2028two"\n"b"\n'.encode())
    stream = ls.open_stream(path)
    assert count(stream) == 1 and stream.names.names() == ["one\u2028two"]


def test_a_line_of_100_megabytes(tmp_path):
    """Digits are not tried in every way, and a line is not looked through again for every piece that comes."""
    path = tmp_path / "a"
    path.write_bytes(b"1 1:" + b"7" * 10**8 + b"x\n")
    with pytest.raises(ls.LittlestoneError) as caught:
        count(ls.open_stream(path, format="libsvm"))
    assert str(caught.value) == f"{path}, line 1, column 5: found '{'7' * 40}…', expected a finite number after ':'"
    path.unlink()


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 2**16)
    for format, line in (("libsvm", b"1 " + b"1" * 2**18), ("csv", b'label,a\n1,"' + b"x\n" * 2**18), ("vw", b"1 | " + b"x" * 2**18)):
        for packed in (bytes, gzip.compress):
            (tmp_path / "a").write_bytes(packed(line))
            stream = ls.open_stream(tmp_path / "a", format=format)
            monkeypatch.setattr(readers, "CHUNK", 2**14)
            with pytest.raises(ls.LittlestoneError, match="a (line|record) of more than 65536 bytes|a quote that closes"):
                count(stream)


# ---- rows left out ----

SKIPPED = {
    "libsvm": (b"1 1:1\n7 1:1\n0 x:1\n0 2:1\n3 1:1\n", 2, 3, "line 2, column 1: found label 7"),
    "vw": (b"0 |a x\n0 |a x x\n1 |a x\n-1 |a y\n", 2, 2, "line 2, column 8: found 'x'"),
    "text": (b"ham\ta\nspam\tb\neggs\tc\nham\n", 2, 2, "line 3, column 1: found label eggs"),
    "csv": (b"label,a\n1,2\n-1,3\n0,4\n1,5,6\n", 2, 2, "line 4, column 'label': found label 0"),
    "tsv": (b"label\ta\nno\t2\nyes\t3\n?\t4\n", 2, 1, "line 4, column 'label': found label ?"),
    "jsonl": (b'{"label":1}\n{"label":0}\n{"label":7}\n[]\n', 2, 2, "line 3, column 'label': found label 7"),
    "parquet": (table("parquet", label=[1, 0, 7, 1], a=[1, 1, 1, 1e39]), 2, 2, "row 3, column 'label': found label 7"),
    "arrow": (table("arrow", label=["no", "yes", None, "so"], a=[1, 1, 1, 1]), 3, 1, "row 4, column 'label': found label so"),
}
DECLARED = {"text": ("ham", "spam"), "tsv": ("no", "yes"), "arrow": ("no", "yes")}


@pytest.mark.parametrize("format", SKIPPED)
@pytest.mark.parametrize("chunk", [8, 2**20])
def test_rows_left_out_are_counted_and_the_first_is_named(tmp_path, format, chunk, monkeypatch):
    content, rows, bad, first = SKIPPED[format]
    path = tmp_path / "a"
    path.write_bytes(content)
    monkeypatch.setattr(readers, "CHUNK", chunk)
    stream = ls.open_stream(path, format=format, skip_bad=True, labels=DECLARED.get(format))
    assert (count(stream), stream.bad_lines) == (rows, bad)
    assert str(stream.first_bad).startswith(f"{path}, {first}")
    made = ls.play(ls.perceptron(bias=0), ls.open_stream(path, format=format, skip_bad=True, labels=DECLARED.get(format)))
    assert made.rounds == rows - (format == "arrow")


def test_which_two_labels_are_meant_is_not_left_to_the_first_rows(tmp_path):
    """Three words among the first rows: leaving out the third would leave out whoever comes last."""
    (tmp_path / "a").write_bytes(b"?\ta\nham\tb\nspam\tc\n")
    with pytest.raises(
        ls.LittlestoneError,
        match="line 3, column 1: found label spam, expected two labels, and the first rows have \\?, ham, spam; --labels",
    ):
        count(ls.open_stream(tmp_path / "a", format="text", skip_bad=True))


def test_labels_that_cannot_be_tested_are_bad_rows(tmp_path):
    (tmp_path / "a").write_bytes(b"3\ta\nmany\tb\n9\tc\n\td\n")
    with pytest.raises(ls.LittlestoneError, match="a, line 2, column 1: found 'many', expected a number, to be tested with >5"):
        count(ls.open_stream(tmp_path / "a", format="text", label=">5"))
    stream = ls.open_stream(tmp_path / "a", format="text", label=">5", skip_bad=True)
    assert [block.labels.tolist() for block in stream.lent_blocks()] == [[0, 1, -1]] and stream.bad_lines == 1


def test_what_a_dictionary_holds_and_no_row_has_is_no_label(tmp_path):
    column = pa.DictionaryArray.from_arrays(pa.array([2, 1, 2], pa.int32()), pa.array(["eggs", "ham", "spam"]))
    (tmp_path / "a.arrow").write_bytes(table("arrow", label=column, a=[1, 2, 3]))
    stream = ls.open_stream(tmp_path / "a.arrow")
    assert count(stream) == 3 and stream.reading.labels == ("ham", "spam")


# ---- the command line ----


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["littlestone", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, *capsys.readouterr()


@pytest.mark.parametrize("format", GOOD)
def test_exit_2_a_message_and_nothing_on_standard_output(tmp_path, format, monkeypatch, capsys):
    _, _, _, first = SKIPPED[format]
    path, out = tmp_path / f"a.{format}", tmp_path / "out.txt"
    path.write_bytes(SKIPPED[format][0])
    options = ["--labels", ",".join(DECLARED[format])] if format in DECLARED else []
    given = ["run", path, "--learner", "perceptron:bias=0", "--format", format, "--quiet", *options]
    code, said, why = run(monkeypatch, capsys, *given, "--predictions", out)
    assert (code, said) == (2, "") and why.startswith(f"littlestone: {path}, ") and why.count("\n") == 1 and "Traceback" not in why
    code, said, _ = run(monkeypatch, capsys, *given, "--skip-bad")
    assert code in (0, None)
    lines = "1 malformed line was" if SKIPPED[format][2] == 1 else f"{SKIPPED[format][2]} malformed lines were"
    assert f"{lines} left out; the first: {path}, {first}" in " ".join(said.split())


def test_what_was_written_is_kept(tmp_path, monkeypatch, capsys):
    path, out, model = tmp_path / "a.csv", tmp_path / "out.txt", tmp_path / "a.model"
    path.write_bytes(b"label,a\n" + b"1,1\n0,2\n" * 200_000 + b"1,x\n")
    code, said, _ = run(
        monkeypatch,
        capsys,
        "run",
        path,
        "--learner",
        "perceptron",
        "--quiet",
        "--predictions",
        out,
        "--model",
        model,
        "--checkpoint-every",
        "1000",
    )
    assert (code, said) == (2, "")
    assert len(out.read_text().split()) > 100_000 and ls.load(model) is not None


def test_a_model_of_a_table_takes_no_texts_and_one_of_texts_no_table(tmp_path, capsys, monkeypatch):
    for name, rows in (("rows.csv", GOOD["csv"]), ("lines.txt", GOOD["text"])):
        (tmp_path / name).write_bytes(rows * (5 if name == "lines.txt" else 1))
    of_table = ls.play(ls.perceptron(), ls.open_stream(tmp_path / "rows.csv")).model
    of_texts = ls.play(ls.perceptron(), ls.open_stream(tmp_path / "lines.txt", format="text")).model
    of_table.save(tmp_path / "table")
    of_texts.save(tmp_path / "texts")
    for model, file, words in (
        ("table", "lines.txt", "has lines of a label, a tab and text, and the model has learned from a table; expected its columns: a, b"),
        ("texts", "rows.csv", "is a table, and the model has learned from lines of a label, a tab and text; expected such lines"),
    ):
        for command in (
            ["predict", str(tmp_path / model), str(tmp_path / file)],
            ["run", str(tmp_path / file), "--from", str(tmp_path / model)],
        ):
            monkeypatch.setattr(sys, "argv", ["littlestone", *command])
            with pytest.raises(SystemExit) as left:
                main()
            printed = capsys.readouterr()
            assert left.value.code == 2 and words in printed.err and not printed.out
    ls.convert(tmp_path / "lines.txt", tmp_path / "made.csv")
    assert len(of_texts.predict(ls.open_stream(tmp_path / "made.csv"))) == 10  # what `convert` made of texts is none
