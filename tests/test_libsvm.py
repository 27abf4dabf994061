"""The libsvm reader: the compiled parser against the plain one, files in every shape, and what bad input is told."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.kernels.native import core
from littlestone.rounds.faults import Fault
from littlestone.rounds.formats.libsvm import row_of
from littlestone.rounds.reading import Reading
from littlestone.streams import lines as readers
from littlestone.streams import stream
from littlestone.streams.formats.libsvm import ParsedLibsvm
from littlestone.streams.line_rows import LineScratch

FIXED = settings(max_examples=400, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def by_plain_python(text: bytes):
    """What the plain parser makes of a chunk: rows, and the lines with faults."""
    rows, faults = [], []
    for number, line in enumerate(text.split(b"\n")[:-1]):
        try:
            found = row_of(line, Reading())
        except Fault as fault:
            faults.append((number, fault.column, fault.found, fault.expected))
            continue
        if found is not None:
            ((_, pairs),) = found.groups
            label = float("nan") if found.label is None else found.label
            rows.append((number, label, [int(name) for name, _ in pairs], [value for _, value in pairs]))
    return rows, faults


def by_compiled(text: bytes):
    scratch = LineScratch(max(64, len(text)))
    scratch.text[: len(text)] = text
    scratch.length = len(text)
    parsed = ParsedLibsvm("x", True, scratch, Reading())
    parsed.settle(None)
    rows = [
        (int(line), float(label), parsed.indices[a:b].tolist(), parsed.values[a:b].tolist())
        for line, label, a, b in zip(parsed.lines, parsed.labels, parsed.indptr, parsed.indptr[1:], strict=False)
    ]
    faults = [(line, f.column, f.found, f.expected) for line, f in sorted(parsed.faults, key=lambda pair: pair[0])]
    return rows, faults


def assert_same(text: bytes):
    plain, plain_faults = by_plain_python(text)
    fast, fast_faults = by_compiled(text)
    assert fast_faults == plain_faults
    assert len(fast) == len(plain)
    for a, b in zip(fast, plain, strict=True):
        assert a[0] == b[0] and a[2] == b[2]
        assert a[1] == b[1] or (a[1] != a[1] and b[1] != b[1])
        assert a[3] == np.array(b[3], np.float32).tolist()


number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.floats(-1e30, 1e30).map(lambda v: f"{v:.6g}"),
    st.integers(-(10**25), 10**25).map(str),
    st.from_regex(r"\A[+-]?[0-9]{0,22}\.?[0-9]{0,22}([eE][+-]?[0-9]{1,3})?\Z"),
    st.sampled_from(["", "nan", "inf", "1e400", "1e", ".", "-", "0x1", "1_0", "+", "1e-400", "00", "-0"]),
)
index = st.one_of(
    st.integers(0, 50).map(str),
    st.integers(0, 2**32).map(str),
    st.sampled_from(["", "-1", "a", "007", "1.5", "99999999999999999999"]),
)
feature = st.tuples(index, st.sampled_from([":"] * 20 + ["", "::", " :"]), number).map("".join)
line = st.tuples(
    st.sampled_from(["1", "0", "-1", "+1", "2", "1.0", "", "x", "1e0", "12345678901234567890123"]),
    st.lists(feature, max_size=6),
    st.sampled_from(["", "", "", " # comment", "#", "\r", " ", "\t"]),
).map(lambda parts: " ".join([parts[0], *parts[1]]) + parts[2])


@FIXED
@given(st.lists(line, max_size=8))
def test_the_compiled_parser_reads_what_the_plain_one_reads(lines):
    assert_same(("\n".join(lines) + "\n").encode())


@FIXED
@given(st.binary(max_size=60))
def test_the_compiled_parser_survives_any_bytes(junk):
    assert_same(junk + b"\n")


@FIXED
@given(st.text(alphabet="01.:+-e# \t\r\n", max_size=80))
def test_the_compiled_parser_survives_nearly_good_text(text):
    assert_same((text + "\n").encode())


CONTENT = "+1 1:0.5 3:1\n-1 2:1\n# a comment\n\n+1 3:2.5e-1 1:1\n-1\n"


def write(tmp_path, text, name="s.libsvm"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rounds(path, **options):
    return [(i.tolist(), v.tolist(), y) for block in ls.open_stream(path, **options).blocks() for i, v, y in block.rounds()]


EXPECTED = [([1, 3], [0.5, 1.0], 1), ([2], [1.0], 0), ([1, 3], [1.0, 0.25], 1), ([], [], 0)]


@pytest.mark.parametrize(
    "text",
    [
        CONTENT,
        CONTENT.rstrip("\n"),
        CONTENT.replace("\n", "\r\n"),
        CONTENT.replace("+1 ", "1 ").replace("\n-1", "\n0"),
        CONTENT.replace("+1 ", "2 ").replace("\n-1", "\n1"),
        CONTENT.replace(" ", "\t"),
        CONTENT.replace(" 3:1", "   3:1  # more"),
    ],
    ids=["plain", "no final newline", "windows", "0 and 1", "1 and 2", "tabs", "spaces and comments"],
)
def test_a_file_in_every_shape(tmp_path, text):
    assert rounds(write(tmp_path, text)) == EXPECTED


def test_labels_may_be_declared_and_a_byte_order_mark_is_no_label(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbf" + b"1 1:1\n" * 300_000 + b"2 2:1\n")
    with pytest.raises(ls.LittlestoneError, match="line 300001, column 1: found label 2"):
        ls.play(ls.perceptron(bias=0), ls.open_stream(path))
    run = ls.play(ls.perceptron(bias=0), ls.open_stream(path, labels=(1, 2)))
    assert (run.rounds, run.positives) == (300_001, 1)
    packed = write(tmp_path, gzip.compress(path.read_bytes(), 1), "bom.gz")
    assert ls.play(ls.perceptron(bias=0), ls.open_stream(packed, labels=(1, 2))).mistakes == run.mistakes
    with pytest.raises(ls.LittlestoneError, match="line 300001, column 1: found label 2, expected 0 or 1, as declared"):
        ls.play(ls.perceptron(bias=0), ls.open_stream(write(tmp_path, "0 1:1\n" * 300_000 + "2 2:1\n"), labels=(0, 1)))


def test_gzip_and_several_files(tmp_path):
    packed = write(tmp_path, gzip.compress(CONTENT.encode()), "s.gz")
    plain = write(tmp_path, CONTENT)
    assert rounds(packed) == EXPECTED
    two = ls.open_stream(plain, packed)
    assert [y for block in two.blocks() for _, _, y in block.rounds()] == [1, 0, 1, 0] * 2


def test_a_line_that_begins_with_a_feature_has_no_label(tmp_path):
    run = ls.play(ls.perceptron(bias=0), ls.open_stream(write(tmp_path, "-1 1:1\n1:1 2:1\n-1 1:2\n")))
    assert (run.rounds, run.unlabelled, run.predictions.tolist()) == (2, 1, [1, -1, -1])


@pytest.mark.parametrize(("first", "second", "mistakes"), [(1, 3, 6), (0, -1, 5), (20, 10, 5)])
def test_two_whole_numbers_of_any_size_are_two_classes_and_come_back(tmp_path, first, second, mistakes):
    path = write(tmp_path, f"{first} 1:1\n{second} 1:1\n" * 3)
    run = ls.play(ls.perceptron(bias=0), ls.open_stream(path))
    assert (run.rounds, run.mistakes, set(run.predictions.tolist())) == (6, mistakes, {first, second})
    assert ls.verify(ls.certify(run, ls.open_stream(path)), path).replayed


def big(rows=40_000, seed=5):
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        features = np.sort(rng.choice(500, rng.integers(0, 12), replace=False))
        lines.append(f"{rng.integers(0, 2)} " + " ".join(f"{i}:{rng.random():.4f}" for i in features))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write(tmp_path_factory.mktemp("large"), big())


def test_results_do_not_depend_on_chunks_or_threads(large, monkeypatch):
    whole = ls.play(ls.perceptron(bias=0), ls.open_stream(large))
    assert whole.rounds == 40_000
    for cores, chunk in ((1, 2**20), (3, 2**20), (2, 2**14), (2, 997)):
        monkeypatch.setattr(stream, "CORES", cores)
        monkeypatch.setattr(readers, "CHUNK", chunk)
        again = ls.play(ls.perceptron(bias=0), ls.open_stream(large))
        assert again.predictions.tolist() == whole.predictions.tolist()
        assert np.array_equal(again.state.w, whole.state.w)


def test_blocks_are_yours_to_keep(large, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 2**14)
    kept = list(ls.open_stream(large).blocks())
    again = ls.play(ls.perceptron(bias=0), kept)
    assert again.mistakes == ls.play(ls.perceptron(bias=0), ls.open_stream(large)).mistakes


def test_a_learner_that_needs_n_counts_the_features_of_a_file(tmp_path):
    run = ls.play(ls.winnow(), ls.open_stream(write(tmp_path, "1 5:1 900:1\n0 7:1\n")))
    assert run.learner.n == 3


BAD = {
    "1 1:1\nx 2:1\n": "line 2, column 1: found 'x', expected a label: a number, such as 1, 0 or -1",
    "1 1:1\n0 2:1 a:1\n": "line 2, column 7: found 'a:1', expected a feature index: a whole number, 0 or more",
    "1 -1:1\n": "line 1, column 3: found '-1:1', expected a feature index: a whole number, 0 or more",
    "1 1\n": "line 1, column 3: found '1', expected ':' and a value after the feature index",
    "1 1:abc\n": "line 1, column 5: found 'abc', expected a finite number after ':'",
    "1 1:\n": "line 1, column 5: found nothing, expected a finite number after ':'",
    "1 1:nan\n": "line 1, column 5: found 'nan', expected a finite number after ':'",
    "1 1:inf\n": "line 1, column 5: found 'inf', expected a finite number after ':'",
    "1 1:1e400\n": "line 1, column 5: found '1e400', expected a number of size at most 3.40282e+38",
    "1 3000000000:1\n": "line 1, column 3: found '3000000000:1', expected a feature index of at most 2147483647",
    "1 4:1 2:1 4:3\n": "line 1, column 11: found '4:3', expected each feature once in a row; "
    "--sum-duplicates (sum_duplicates=True) adds them up",
    "1 1:1\n1.5 1:1\n": "line 2, column 1: found label 1.5, expected two classes: 0 and 1, or -1 and +1, or 1 and 2 in the first 1,000 rows"
    "; numbers to be predicted are regression, which this library does not do; --label-threshold X (label_threshold=X) makes two classes "
    "of them, above X and not, and --labels any (labels='any') says that they are codes of classes",
    "1 1:1\n2 1:1\n3 1:1\n": "line 3, column 1: found label 3, expected two labels, and the first rows have 1, 2, 3; "
    "--labels NEG,POS (labels=) declares two, --label =3 (label=) plays one against the rest, and "
    "--learner one_vs_rest:learner=arow (ls.one_vs_rest) plays them all",
    "": "has no rounds: expected lines of the form 'label index:value ...'",
}


def test_a_negative_label_has_its_name_before_it_comes_however_the_file_is_cut(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from littlestone.cli import app
    from littlestone.streams import lines

    path, out = write(tmp_path, "1 1:1\n" * 20 + "-1 2:1\n" * 20), tmp_path / "out"
    written = []
    for chunk in (lines.CHUNK, 9):
        monkeypatch.setattr(lines, "CHUNK", chunk)
        CliRunner().invoke(app, ["run", str(path), "--learner", "winnow", "--n", "3", "--quiet", "--predictions", str(out)])
        written.append(out.read_text().split())
    assert written[0] == written[1] and written[0][0] == "-1"


@pytest.mark.parametrize(("text", "message"), BAD.items())
def test_bad_input_gets_file_line_column_found_and_expected(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(ls.LittlestoneError) as caught:
        ls.play(ls.perceptron(bias=0), ls.open_stream(path))
    separator = " " if message.startswith("has") else ", "
    assert str(caught.value) == f"{path}{separator}{message}"


def test_lines_are_counted_across_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "CHUNK", 64)
    path = write(tmp_path, "1 1:1\n# note\n\n" * 30 + "1 1:1\n0 2:x\n")
    with pytest.raises(ls.LittlestoneError, match="line 92, column 5: found 'x'"):
        ls.play(ls.perceptron(bias=0), ls.open_stream(path))


def test_skip_bad_counts_and_goes_on(tmp_path):
    path = write(tmp_path, "1 1:1\n0 2:x\n1 3:1 3:1\n0 1:1e400\n1 1:1\n")
    source = ls.open_stream(path, skip_bad=True)
    run = ls.play(ls.perceptron(bias=0), source)
    assert (run.rounds, source.bad_lines) == (2, 3)
    assert "line 2, column 5: found 'x'" in str(source.first_bad)


def test_values_outside_the_domain_name_the_line(tmp_path):
    path = write(tmp_path, "1 1:1\n0 2:0.5\n")
    with pytest.raises(ls.LittlestoneError, match=r"line 2: feature 2 has value 0\.5.*--boolean"):
        ls.play(ls.winnow(), ls.open_stream(path))
    assert ls.play(ls.winnow(), ls.open_stream(path, boolean=True)).rounds == 2


def test_truncated_gzip_a_directory_and_a_missing_file(tmp_path):
    whole = gzip.compress(big(2000).encode())
    cut = write(tmp_path, whole[: len(whole) // 2], "cut.gz")
    for path, message in (
        (cut, "damaged or cut off"),
        (tmp_path, "is a directory"),
        (tmp_path / "none", "no such file"),
    ):
        with pytest.raises(ls.LittlestoneError, match=message):
            ls.play(ls.perceptron(bias=0), ls.open_stream(path))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """Peak memory of `run` on a file that fills what is read ahead, and on one five times as long."""
    text = big(60_000)
    code = (
        "import re, sys; sys.argv = ['littlestone', 'run', sys.argv[1], '--quiet']\n"
        "from littlestone.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for times in (4, 20):
        path = write(tmp_path, text * times, f"{times}.libsvm")
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.1 * peaks[0]


def test_the_largest_index_is_the_same_for_both_parsers():
    text = b"1 2147483647:1\n1 2147483648:1\n"
    assert_same(text)
    scratch = LineScratch(64)
    scratch.text[: len(text)] = text
    arrays = (scratch.labels, scratch.lines, scratch.indptr, scratch.indices, scratch.values)
    stop = core.parse_libsvm(np.frombuffer(scratch.text, np.uint8), 0, len(text), core.Progress(), *arrays)
    assert stop == text.index(b"\n") + 1 and scratch.indices[0] == 2**31 - 1
