"""Text: lines of a label, a tab and text, and columns of text; the compiled tokenizer against the plain one."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import bag, hash64
from littlestone.rounds.formats.text import label_and_text
from littlestone.rounds.reading import Reading
from littlestone.streams import lines as readers
from littlestone.streams import stream
from littlestone.streams.formats.text import ParsedText
from littlestone.streams.line_rows import LineScratch
from littlestone.streams.vocabulary import Hashed, Vocabulary
from littlestone.streams.word_bags import bags

FIXED = settings(max_examples=80, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
TEXT = Reading(format="text", named=True)
READINGS = {"words": TEXT, "pairs": TEXT.but(ngrams=3), "hashed": TEXT.but(bits=3, ngrams=2)}


def counted(text, reading, prefix=""):
    found = {}
    for word, count in bag(text, reading.ngrams).items():
        key = hash64((prefix + word).encode()) % 2**reading.bits if reading.bits else prefix + word
        found[key] = found.get(key, 0.0) + count
    return found


def by_plain_python(text: bytes, reading: Reading):
    rows, faults, columns = [], [], {}
    for number, line in enumerate(text.split(b"\n")[:-1]):
        try:
            found = label_and_text(line)
        except Fault as fault:
            faults.append((number, fault.column, fault.found, fault.expected))
            continue
        if found is not None:
            row = counted(found[1], reading)
            indices = [key if reading.bits else columns.setdefault(key, len(columns)) for key in row]
            rows.append((number, found[0], indices, list(row.values())))
    return rows, faults, list(columns)


def by_compiled(text: bytes, reading: Reading, pieces: int = 1, ahead: int = 0):
    names = Hashed(reading.bits) if reading.bits else Vocabulary()
    lines = text.split(b"\n")[:-1]
    size = -(-len(lines) // pieces) or 1
    rows, faults, known = [], [], [names.snapshot()] * (ahead + 1)
    for start in range(0, len(lines), size):
        piece = b"".join(line + b"\n" for line in lines[start : start + size])
        scratch = LineScratch(max(64, len(piece)))
        scratch.text[: len(piece)] = piece
        scratch.text[len(piece) :] = b"a" * (len(scratch.text) - len(piece))
        scratch.length = len(piece)
        parsed = ParsedText("x", True, scratch, reading, known[-1 - ahead])
        parsed.settle(names)
        known.append(names.snapshot())
        assert parsed.line_count == len(lines[start : start + size])
        values = np.ones(len(parsed.indices)) if parsed.values is None else parsed.values
        for t, label in enumerate(parsed.labels.tolist()):
            row = slice(parsed.indptr[t], parsed.indptr[t + 1])
            told = None if label != label else parsed.words[int(label)]
            rows.append((start + int(parsed.lines[t]), told, parsed.indices[row].tolist(), values[row].tolist()))
        faults += [(start + line, f.column, f.found, f.expected) for line, f in sorted(parsed.faults, key=lambda pair: pair[0])]
    return rows, faults, [] if reading.bits else names.names()


def assert_same(text: bytes, reading: Reading):
    plain = by_plain_python(text, reading)
    for pieces, ahead in ((1, 0), (3, 1)):
        assert by_compiled(text, reading, pieces, ahead) == plain


word = st.sampled_from(
    ["free", "Free", "OFFER", "a_b", "don't", "3.5", "x" * 40, "--", "naïve", "ÉTÉ", "İstanbul", "日本", "_", "to", "be", "a\0b"]
)
text = st.lists(st.tuples(word, st.sampled_from([" ", "  ", ", ", "\t", "!"])).map("".join), max_size=9).map("".join)
label = st.sampled_from(["spam", "ham", "", "1", "a label", "longer_than_8", "longer_than_9", "é"])
line = st.one_of(
    st.tuples(label, st.just("\t"), text, st.sampled_from(["", "", "\r", " "])).map("".join),
    st.sampled_from(["", " ", "\r", "x", "\t", "a\rb\tc"]),
)


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_the_compiled_tokenizer_reads_what_the_plain_one_reads(reading):
    @FIXED
    @given(st.lists(line, max_size=8))
    def check(lines):
        assert_same(("\n".join(lines) + "\n").encode(), reading)

    check()


@FIXED
@given(st.one_of(st.binary(max_size=60), st.text(alphabet="aB_ \t\r\n\0é.", max_size=60).map(str.encode)))
def test_the_compiled_tokenizer_survives_any_bytes(junk):
    assert_same(junk + b"\n", TEXT)


def test_more_words_in_a_row_than_are_looked_up_together():
    many = " ".join(f"w{i % 700}" for i in range(1_500))
    assert_same(f"a\t{many}\nb\tw3 x w3\na\t{many}\n".encode(), TEXT.but(ngrams=2))


@pytest.mark.parametrize("prefix", ["", "body=", "=", "a_longer_column="])
@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_columns_of_text(reading, prefix):
    @settings(FIXED, max_examples=30)
    @given(st.lists(st.one_of(text, st.just("two\nlines\r\nof it")), max_size=6), st.integers(0, 3))
    def check(cells, skipped):
        encoded = [b"?" * skipped, *(cell.encode() for cell in cells)]
        offsets = np.cumsum(list(map(len, encoded))).astype(np.int32)
        data = np.frombuffer(b"".join(encoded), np.uint8)
        names = Hashed(reading.bits) if reading.bits else Vocabulary()
        for _ in range(2):
            indptr, indices, counts = bags(offsets, data, names, prefix, reading.ngrams)
            assert (indptr.dtype, indices.dtype, counts.dtype) == (np.int64, np.uint32, np.float32)
            for t, cell in enumerate(cells):
                row = slice(indptr[t], indptr[t + 1])
                called = [column if reading.bits else names.name(column) for column in indices[row].tolist()]
                assert dict(zip(called, counts[row].tolist(), strict=True)) == counted(cell, reading, prefix)
                assert called == list(counted(cell, reading, prefix))

    check()


BAD = {
    b"no tab here\n": (1, "'no tab here'", "a label, a tab and text"),
    b"spam\tfree\rham\tno\n": (10, r"'\r'", "lines that end with a newline, not with a carriage return alone"),
    b"spam\tfree\xff\n": (10, "'\ufffd'", "text in UTF-8; --encoding (encoding=) names another"),
}


@pytest.mark.parametrize(("bad", "where"), BAD.items(), ids=["no tab", "carriage return", "not UTF-8"])
def test_bad_lines_are_told_where_what_and_what_else(bad, where):
    (rows, ((line, column, found, expected),), _) = by_compiled(b"a\tb\n" + bad + b"b\tc\n", TEXT)
    assert [row[0] for row in rows] == [0, 2] and line == 1
    assert (column + 1, found, expected) == where


def test_a_stream_of_text_is_the_same_in_any_pieces(tmp_path, monkeypatch):
    path = tmp_path / "mail.txt"
    path.write_text("".join(f"{'spam' if i % 3 else 'ham'}\tWord{i % 7} and word{i % 11}, naïve {i}\n" for i in range(400)))
    whole = None
    for cores, chunk in ((2, 2**20), (3, 997), (1, 64)):
        monkeypatch.setattr(stream, "CORES", cores)
        monkeypatch.setattr(readers, "CHUNK", chunk)
        source = ls.open_stream(path, format="text")
        run = ls.play(ls.perceptron(), source)
        found = (run.rounds, run.mistakes, run.positives, source.names.names())
        whole = whole or found
        assert found == whole and run.positives == 266


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_short_messages_in_a_column_called_text_are_text(tmp_path, ending):
    rows = [("ok :)", 1), ("no", 0), ("see you", 1)] * 2
    path = tmp_path / f"chat.{ending}"
    lines = [f'{{"text": "{text}", "label": {label}}}' if ending == "jsonl" else f"{text},{label}" for text, label in rows]
    path.write_text("\n".join([*(["text,label"] if ending == "csv" else []), *lines, ""]))
    named = ls.open_stream(path)
    ls.play(ls.perceptron(), named)
    assert named.names.names() == [":)", "ok", "no", "see", "you"]
    path.write_text(path.read_text().replace("text", "note"))
    other = ls.open_stream(path)
    ls.play(ls.perceptron(), other)
    assert other.names.names() == ["note=ok :)", "note=no", "note=see you"]
