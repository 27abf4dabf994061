"""The reader of VW text: the compiled parsers against the plain one, in every mode, and what bad lines are told."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import FeatureRules, hash64
from littlestone.rounds.formats.vw import row_of
from littlestone.rounds.reading import Reading
from littlestone.streams.formats.vw import ParsedVW, has_names
from littlestone.streams.line_rows import LineScratch
from littlestone.streams.vocabulary import Hashed, Vocabulary

FIXED = settings(max_examples=80, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
NAMES, NUMBERS = Reading(format="vw", named=True), Reading(format="vw", named=False)
READINGS = {
    "names": NAMES,
    "numbers": NUMBERS,
    "hashed": NAMES.but(bits=3),
    "summed": NAMES.but(sum_duplicates=True),
    "numbers summed": NUMBERS.but(sum_duplicates=True),
    "crossed": NAMES.but(cross=("a*b",)),
    "joined": NAMES.but(ngrams=3, cross=("a*b",), sum_duplicates=True),
    "joined and hashed": NAMES.but(ngrams=2, bits=3, ignore=("b",)),
}
LARGEST = float(np.finfo(np.float32).max)


def by_plain_python(text: bytes, reading: Reading):
    """What the plain parser makes of a text: rows with columns in the order of first appearance, and the lines with faults."""
    rows, faults, columns = [], [], {}
    for number, line in enumerate(text.split(b"\n")[:-1]):
        try:
            found = row_of(line, reading)
            if found is None:
                continue
            row = {}
            for name, value in FeatureRules.of(reading).pairs(found.groups):
                value = float(np.float32(value))
                key = hash64(name.encode()) % 2**reading.bits if reading.bits else name
                if key in row and not reading.sum_duplicates and not reading.bits:
                    raise Fault(None, "a feature that stands twice", "of crosses")
                row[key] = row[key] + value if key in row else value
            if any(abs(value) > LARGEST for value in row.values()):
                raise Fault(None, "", "sums")
        except Fault as fault:
            faults.append((number, fault.column))
            continue
        indices = list(row)
        if not reading.bits:
            indices = [columns.setdefault(name, len(columns)) if reading.named else int(name) for name in row]
        values = np.array(list(row.values())).astype(np.float32).tolist()
        label = float("nan") if found.label is None else found.label
        rows.append((number, label, float(np.float32(found.weight)), found.id, indices, values))
    return rows, faults, list(columns)


def parsed_of(text: bytes, reading: Reading, names, snapshot=None, junk=0):
    scratch = LineScratch(max(64, len(text)))
    scratch.text[: len(text)] = text
    scratch.text[len(text) :] = bytes([junk]) * (len(scratch.text) - len(text))
    scratch.length = len(text)
    return ParsedVW("x", True, scratch, reading, names.snapshot() if snapshot is None else snapshot)


def rows_of(parsed: ParsedVW, before: int = 0):
    values = np.ones(len(parsed.indices), np.float32) if parsed.values is None else parsed.values
    return [
        (
            before + int(parsed.lines[t]),
            float(parsed.labels[t]),
            1.0 if parsed.weights is None else float(parsed.weights[t]),
            None if parsed.ids is None else parsed.ids[t],
            parsed.indices[parsed.indptr[t] : parsed.indptr[t + 1]].tolist(),
            values[parsed.indptr[t] : parsed.indptr[t + 1]].tolist(),
        )
        for t in range(len(parsed.labels))
    ]


def by_compiled(text: bytes, reading: Reading, pieces: int = 1, ahead: int = 0, junk: int = 0):
    """The same in so many pieces, each parsed with the names that were known `ahead` pieces before."""
    names = Hashed(reading.bits) if reading.bits else Vocabulary()
    lines = text.split(b"\n")[:-1]
    size = -(-len(lines) // pieces) or 1
    rows, faults, known = [], [], [names.snapshot()] * (ahead + 1)
    for start in range(0, len(lines), size):
        piece = b"".join(line + b"\n" for line in lines[start : start + size])
        parsed = parsed_of(piece, reading, names, known[-1 - ahead], junk)
        parsed.settle(names)
        known.append(names.snapshot())
        assert parsed.line_count == len(lines[start : start + size])
        rows += rows_of(parsed, start)
        faults += [(start + line, fault.column) for line, fault in sorted(parsed.faults, key=lambda pair: pair[0])]
    return rows, faults, [] if reading.bits or not reading.named else names.names()


def assert_same(text: bytes, reading: Reading):
    plain = by_plain_python(text, reading)
    for pieces, ahead, junk in ((1, 0, 0), (3, 1, 0x31)):
        assert repr(by_compiled(text, reading, pieces, ahead, junk)) == repr(plain)


number = st.one_of(
    st.sampled_from(["1", "2", "0.5", "1.25", "-1", "3e2", "0", "12345678", "123456789", "1e-3", ".5", "7.", "+4"]),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.sampled_from(["", "nan", "inf", "1e400", "1e39", "3e38", "1e", ".", "-", "0x1", "00", "1:2"]),
)
word = st.one_of(
    st.sampled_from(
        ["a", "b", "x", "free", "12345678", "exactly8", "nine_char", "sixteen_letters_", "a_longer_name_than_32_bytes_for_sure", "x^y"]
    ),
    st.integers(0, 30).map(str),
    st.sampled_from(["é", "naïve", "x%20y", "%", "%7C", "%3a", "01", "2147483647", "2147483648", "'", "\x01", "-1", "日本語テキスト"]),
)
feature = st.one_of(word, word, st.tuples(word, number).map(":".join))
section = st.tuples(
    st.sampled_from(
        ["|", "| ", "|a ", "|b ", "|a:2 ", "|b:0.5 ", "|seven77 ", "|eight888 ", "|long_namespace:3 ", "|\t", "|é ", "|n:x ", "|:2 "]
    ),
    st.lists(feature, max_size=6).map(" ".join),
    st.sampled_from(["", " ", "\t", "  "]),
).map("".join)
heads = ("1 ", "-1 ", "0 ", "+1 ", "", " ", "1", "1 2 ", "1 0.5 0 ", "1 2 'tag ", "'t ", "tag", "1 1 1 ", "1 -2 ", "x ", "1 1 0 7 ", "' ")
head = st.sampled_from([*heads, "1.5 ", "'é"])
line = st.tuples(head, st.lists(section, max_size=3).map("".join), st.sampled_from(["", "", "\r", " "])).map("".join)
plain_line = st.tuples(
    st.sampled_from(["1 |", "0 |", "-1 2 |"]),
    st.lists(st.tuples(st.integers(0, 40).map(str), st.sampled_from(["", ":2", ":0.5", ":1e-2"])).map("".join), max_size=8),
).map(lambda parts: " ".join([parts[0], *parts[1]]))


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_the_compiled_parsers_read_what_the_plain_one_reads(reading):
    @FIXED
    @given(st.lists(st.one_of(line, plain_line), max_size=8))
    def check(lines):
        assert_same(("\n".join(lines) + "\n").encode(), reading)

    check()


@pytest.mark.parametrize("reading", [NAMES, NUMBERS], ids=["names", "numbers"])
def test_the_compiled_parsers_survive_nearly_good_text_and_any_bytes(reading):
    @FIXED
    @given(st.one_of(st.binary(max_size=60), st.text(alphabet="01.:|'^%a- \t\r\n", max_size=80).map(str.encode)))
    def check(junk):
        assert_same(junk + b"\n", reading)

    check()


@pytest.mark.parametrize("text", [b"1 |(\xff\n"], ids=["a namespace that is not UTF-8, without features"])
def test_what_fuzzing_found(text):
    for reading in READINGS.values():
        assert_same(text, reading)


def test_more_names_in_a_row_than_are_looked_up_together():
    many = " ".join(f"w{i}" for i in range(1_500))
    text = f"1 | {many}\n0 | {many} w0\n1 | w3 new other\n0 | {many} bad%7C\n1 | {many} x:y\n1 |a {many}\n".encode()
    for reading in (NAMES, NAMES.but(bits=20), NAMES.but(sum_duplicates=True)):
        assert repr(by_compiled(text, reading, 6, 1)) == repr(by_plain_python(text, reading))


def test_a_row_that_is_refused_leaves_no_name_behind():
    names = Vocabulary()
    for _ in range(2):
        parsed = parsed_of(b"1 | a b\n1 | new c c newer\n1 | b later\n", NAMES, names)
        parsed.settle(names)
        assert (names.names(), parsed.indices.tolist()) == (["a", "b", "later"], [0, 1, 1, 2])
        assert parsed.examined is None and [line for line, _ in parsed.faults] == [1]


def test_what_is_known_of_a_piece_need_not_be_found_out_again():
    names = Vocabulary()
    parsed = parsed_of(b"1 | c:2 b\n0 | a d:0 b c:-1\n", NAMES, names)
    parsed.settle_in_order(names)
    bits = parsed.values.view(np.int32)
    assert parsed.examined == (2, 0, 0, 3, bits.min(), bits.max())
    assert (names.names(), parsed.indices.tolist(), parsed.values.tolist()) == (["b", "c", "a"], [0, 1, 0, 1, 2], [1, 2, 1, -1, 1])
    assert parsed_of(b"1 | c b\n", NAMES, names).values is None


BAD = {
    "x | a\n": (
        1,
        "'x'",
        "a label: a number, such as 1, 0 or -1; labels that are names need --labels NEG,POS,... or --labels any (labels=)",
    ),
    "1e400 | a\n": (1, "'1e400'", "a number of size at most 3.40282e+38"),
    "1 y | a\n": (3, "'y'", "a weight: a number; a tag begins with ' or touches the bar"),
    "1 -1 | a\n": (3, "'-1'", "a weight of at least 0"),
    "1 1 2 | a\n": (5, "'2'", "'|' and features after label and weight: an initial prediction is not supported"),
    "1 1 0 4 | a\n": (7, "'4'", "'|' and features after label, weight and initial prediction"),
    "1 | a:1b\n": (7, "'1b'", "a finite number after ':'; in a name %3A stands for a colon"),
    "1 | a:\n": (7, "nothing", "a finite number after ':'; in a name %3A stands for a colon"),
    "1 | a:nan\n": (7, "'nan'", "a finite number after ':'; in a name %3A stands for a colon"),
    "1 | a:1e400\n": (7, "'1e400'", "a number of size at most 3.40282e+38"),
    "1 |n:3e38 a:3e38\n": (11, "'a:3e38'", "a value times its namespace's of size at most 3.40282e+38"),
    "1 |n:x a\n": (6, "'x'", "a finite number after ':' of the namespace"),
    "1 | a b a\n": (9, "'a'", "each feature once in a row; --sum-duplicates (sum_duplicates=True) adds them up"),
    b"1 | a\xff\n": (5, "'a\ufffd'", "text in UTF-8; --encoding (encoding=) names another"),
}
BAD_NUMBERS = {
    "1 | foo\n": (5, "'foo'", "a whole number up to 2147483647, as the features before; --names (names=True) keeps all features by name"),
    "1 | 7 007\n": (7, "'007'", "a whole number up to 2147483647, as the features before; --names (names=True) keeps all features by name"),
    "1 | -7\n": (5, "'-7'", "a whole number up to 2147483647, as the features before; --names (names=True) keeps all features by name"),
    "1 |n 7\n": (4, "'n'", "no namespace, as in the rows before; --names (names=True) keeps all features by name"),
    "1 | 7 3 7:2\n": (9, "'7:2'", "each feature once in a row; --sum-duplicates (sum_duplicates=True) adds them up"),
}


CASES = [(text, where, reading) for reading, bad in ((NAMES, BAD), (NUMBERS, BAD_NUMBERS)) for text, where in bad.items()]


@pytest.mark.parametrize(("text", "where", "reading"), CASES, ids=[str(text).strip() for text, _, _ in CASES])
def test_bad_lines_are_told_where_what_and_what_else(text, where, reading):
    column, found, expected = where
    bad = text if isinstance(text, bytes) else text.encode()
    names = Vocabulary()
    parsed = parsed_of(b"1 | 1 2\n" + bad + b"0 | 3\n", reading, names)
    parsed.settle(names)
    ((line, fault),) = parsed.faults
    assert str(fault.error("s.vw", line + 1)) == f"s.vw, line 2, column {column}: found {found}, expected {expected}"
    assert parsed.lines.tolist() == [0, 2]


def test_sums_beyond_float32_are_refused():
    names = Vocabulary()
    parsed = parsed_of(b"1 | a:3e38 a:3e38\n1 | a:1 a:2\n", NAMES.but(sum_duplicates=True), names)
    parsed.settle(names)
    assert (parsed.lines.tolist(), parsed.values.tolist()) == ([1], [3.0])
    assert "add up to infinity" in str(parsed.faults[0][1].error("s.vw", 1))


def test_numbers_or_names_is_guessed_from_the_first_lines():
    assert not has_names([b"1 | 3:0.5 7\n", b"x y z |"])
    for text in (b"1 | 03", b"1 |n 3", b"1 | 2147483648", b"1 | a", b"1", b""):
        assert has_names([text])


SECTIONS = "1 'a |s free offer now |b x:2 y:0 z |s:2 win\n-1 |s hello |b z x\n1 | un named |b y\n"


def test_ngrams_and_ignored_namespaces_are_those_of_the_plain_reader(tmp_path):
    path, out, cert = tmp_path / "s.vw", tmp_path / "out.jsonl", tmp_path / "c.json"
    path.write_text(SECTIONS)
    ls.convert(path, out, ngrams=3, ignore="b")
    assert [list(json.loads(line)["features"]) for line in out.read_text().splitlines()] == [
        ["s^free", "s^free offer", "s^free offer now", "s^now", "s^now win", "s^offer", "s^offer now", "s^offer now win", "s^win"],
        ["s^hello"],
        ["named", "un", "un named"],
    ]
    for more in ({"ngrams": 2, "cross": "s*b"}, {"ngrams": 2, "bits": 4, "ignore": "s"}, {"ignore": ["s", ""]}):
        stream = ls.open_stream(path, **more)
        ls.certify(ls.play(ls.perceptron(), stream), stream).save(cert)
        assert ls.verify(cert, path, replay=True).replayed
        if "bits" not in more:
            ls.convert(path, out, **more)
            assert ls.verify(cert, out, replay=True).replayed


def test_ngrams_join_names(tmp_path):
    path = tmp_path / "numbers.vw"
    path.write_text("1 | 3 7\n0 | 3 5\n")
    with pytest.raises(ls.LittlestoneError, match="joins names, and its features are numbers; --names"):
        ls.play(ls.perceptron(), ls.open_stream(path, ngrams=2))
    stream = ls.open_stream(path, ngrams=2, names=True)
    assert list(ls.play(ls.perceptron(), stream, ledger=True).model.features)[:3] == ["3", "3 7", "7"]


def streamed(tmp_path, text, **how):
    path = tmp_path / "rows.vw"
    path.write_text(text)
    return lambda: ls.open_stream(path, **how)


def test_features_without_a_name_are_numbered_by_their_places(tmp_path):
    stream = streamed(tmp_path, "1 | :0.5 :0.25\n-1 | :1 :0 :2\n" * 3)
    blocks = ls.play(ls.perceptron(bias=0), stream()).model
    assert (
        blocks.named is False
        and blocks.state.w.tolist() == ls.play(ls.perceptron(bias=0), [[0.5, 0.25, 0], [1, 0, 2]] * 3, [1, -1] * 3).state.w.tolist()
    )
    named = row_of(b"1 |a :0.5 size:2 :3 |b:2 :1 | :7", NAMES)
    assert named.groups == [("a", [("a^0", 0.5), ("a^size", 2.0), ("a^1", 3.0)]), ("b", [("b^0", 2.0)]), ("", [("0", 7.0)])]
    with pytest.raises(Fault, match="once"):
        row_of(b"1 | 0:1 :2", NUMBERS)


def test_a_value_that_is_a_text_is_part_of_the_name(tmp_path):
    stream = streamed(tmp_path, "1 |p happiness:true age:3\n-1 |p happiness:false age:4\n" * 4)
    run = ls.play(ls.perceptron(), stream())
    assert list(run.model.features) == ["p^age", "p^happiness=true", "p^happiness=false"]
    ls.verify(ls.certify(run, stream()), stream())
    for slip in (b"x:nan", b"x:inf", b"x:1e400", b"x:1e", b"x:", b"x:1:2", b"x:0x1"):
        with pytest.raises(Fault):
            row_of(b"1 | " + slip, NAMES)
    with pytest.raises(Fault, match="whole number"):
        row_of(b"1 | 3:true", NUMBERS)


@pytest.mark.parametrize("learner", [ls.panel(["arow", "perceptron"]), ls.one_vs_rest(ls.arow()), ls.multiclass_perceptron()], ids=repr)
def test_labels_may_be_names_where_they_are_declared(tmp_path, learner):
    text = "det | the\nnoun 2 'cat | cat\nverb | runs\n'later | sits\n" * 4
    for labels in ("det,noun,verb", "any"):
        stream = streamed(tmp_path, text, labels=labels)
        run = ls.play(learner, stream())
        assert run.classes == ("det", "noun", "verb") and (run.rounds, run.unlabelled) == (12, 4)
        ls.verify(ls.certify(run, stream()), stream())
        run.model.save(tmp_path / "m")
        assert ls.load(tmp_path / "m").predict_many(tmp_path / "rows.vw").tolist()[-4:-1] == ["det", "noun", "verb"]
    two = streamed(tmp_path, "det | the\nnoun | cat\n" * 4, labels="det,noun")
    run = ls.play(ls.perceptron(), two())
    assert set(run.predictions.tolist()) == {"det", "noun"}
    ls.verify(ls.certify(run, two()), two())
    with pytest.raises(ls.LittlestoneError, match="line 3, column 1: found label verb, expected det or noun, as declared"):
        ls.play(ls.perceptron(), streamed(tmp_path, text, labels="det,noun")())
    with pytest.raises(ls.LittlestoneError, match="line 1, column 1: found 'det', expected a label: a number, .*need --labels"):
        ls.play(learner, streamed(tmp_path, text)())


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("1:2:0.5 | a", "contextual-bandit"),
        ("3:1:0.2 4:0:0.8 | a", "contextual-bandit"),
        ("1:0 2:1 | a", "cost-sensitive"),
        ("1:0.5 | a", "cost-sensitive"),
        ("shared | a", "multi-line"),
        ("ccb shared | a", "multi-line"),
        ("slates action 0 | a", "multi-line"),
    ],
)
def test_labels_of_other_problems_are_refused_by_their_names(tmp_path, line, kind):
    for labels in (None, "any"):
        with pytest.raises(ls.LittlestoneError, match=f"line 1, column 1: found .* this is a {kind}"):
            ls.play(ls.panel(), streamed(tmp_path, f"{line}\n", format="vw", labels=labels)())
