"""Every format written and read back: the same rounds, the same digest, whatever names, numbers and labels they have."""

import csv
import gzip
import io
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.protocol import Block
from littlestone.rounds.digest import Round, coded, digest_of
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of_files
from littlestone.streams.vocabulary import Vocabulary
from littlestone.streams.write import WRITERS

FIXED = settings(max_examples=25, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
FORMATS = sorted(WRITERS)


class Given:
    """Rounds in memory, as a stream that convert takes: (label code, weight, id, {name or number: value}) each."""

    paths = ()

    def __init__(self, rounds, labels=(0.0, 1.0), cut=3, is_file=True, boolean=False):
        self.rounds, self.cut, self.is_file = rounds, cut, is_file
        self.codes = SimpleNamespace(negative=labels[0], positive=labels[1])
        named = any(isinstance(name, str) for one in rounds for name in one[3])
        self.names = Vocabulary() if named else None
        self.reading = Reading(format="vw", boolean=boolean)

    def lent_blocks(self, classes=None):
        for start in range(0, len(self.rounds), self.cut):
            part = self.rounds[start : start + self.cut]
            keys = [name for one in part for name in one[3]]
            values = np.array([v for one in part for v in one[3].values()], np.float32)
            weights = np.array([one[1] for one in part], np.float32)
            yield Block(
                np.cumsum([0, *(len(one[3]) for one in part)], dtype=np.int64),
                np.array(keys, np.uint32) if self.names is None else self.names.columns_of(keys),
                None if (values == 1).all() else values,
                np.array([one[0] for one in part], np.int32),
                None if (weights == 1).all() else weights,
                start,
                ids=[one[2] for one in part],
            )

    @property
    def weighted(self):
        return any(one[1] != 1 for one in self.rounds)

    @property
    def digest(self):
        rounds = (
            Round(None if y < 0 else bool(y), [], [], coded([str(name).encode() for name in x], x.values()), c)
            for y, c, _, x in self.rounds
        )
        return ended(digest_of(rounds, weighted=self.weighted, boolean=False, segment=False))


def ended(made):
    """What a generator returns."""
    while True:
        try:
            next(made)
        except StopIteration as end:
            return end.value


def opened(path):
    raw = Path(path).read_bytes()
    if raw[:2] == b"\x1f\x8b":
        return gzip.decompress(raw)
    return pa.input_stream(io.BytesIO(raw), compression="zstd").read() if raw[:4] == b"\x28\xb5\x2f\xfd" else raw


def unescaped(token):
    for code in ("%20", "%09", "%0A", "%0D", "%3A", "%7C", "%25"):
        token = token.replace(code, bytes.fromhex(code[1:]).decode())
    return token


def features(text):
    found = {}
    for token in text.replace("\t", " ").split(" "):
        if token:
            name, colon, value = token.partition(":")
            found[unescaped(name)] = float(value) if colon else 1.0
    return found


def read_back(path, format):
    """What the file says, by the shortest parsers that will do: (label text or None, weight, id, {name: value})."""
    data = opened(path)
    if format in ("parquet", "arrow"):
        table = pq.read_table(path) if format == "parquet" else pa.ipc.open_file(path).read_all()
        for row in table.to_pylist():
            names = row["indices"] if "indices" in row else row["names"]
            values = row.get("values") or [1.0] * len(names)
            yield row["label"], row.get("weight", 1.0), row.get("id"), dict(zip(map(str, names), values, strict=True))
    elif format in ("csv", "tsv"):
        for row in csv.DictReader(io.StringIO(data.decode(), newline=""), delimiter="," if format == "csv" else "\t"):
            yield row["label"] or None, float(row.get("weight") or 1), row.get("id") or None, features(row["|"])
    elif format == "jsonl":
        for line in data.decode().split("\n")[:-1]:
            row = json.loads(line)
            yield row["label"], row.get("weight", 1.0), row.get("id"), row["features"]
    elif format == "vw":
        for line in data.decode().split("\n")[:-1]:
            before, _, after = line.partition("|")
            tokens = before.split(" ")[:-1]
            tag = unescaped(tokens.pop()[1:]) if tokens and tokens[-1].startswith("'") else None
            yield (tokens[0] if tokens else None), float(tokens[1]) if len(tokens) > 1 else 1.0, tag, features(after)
    elif format == "text":
        for line in data.decode().split("\n")[:-1]:
            label, text = line.split("\t")
            words = text.split()
            yield label or None, 1.0, None, {word: float(words.count(word)) for word in words}
    else:
        lines, names = data.decode().split("\n")[:-1], None
        if lines and lines[0].startswith("# littlestone names: "):
            names = [json.loads(line) for line in (Path(path).parent / lines.pop(0)[21:]).read_text("utf-8").split("\n")[:-1]]
        for line in lines:
            tokens = line.split()
            label = tokens.pop(0) if ":" not in tokens[0] else None
            pairs = [token.split(":") for token in tokens]
            yield label, 1.0, None, {i if names is None else names[int(i)]: float(v) for i, v in pairs}


def same(found, source, labels):
    """Zeros may be there or not, and features in any order."""
    found = list(found)
    assert len(found) == len(source.rounds)
    for (label, weight, tag, x), (y, c, one, expected) in zip(found, source.rounds, strict=True):
        assert (None if label is None else str(label)) == (None if y < 0 else labels[y])
        assert (np.float32(weight), tag) == (np.float32(c), one or None)
        assert {n: np.float32(v) for n, v in x.items() if v} == {str(n): np.float32(v) for n, v in expected.items() if v}


ODD = [
    "a", "NA", "null", "50%", "%20", "a b", "a|b", "a:b", 'say "x"', "a,b", "x\ny", "x\r", "\t", "é", "ns^f", "7", "07", "'", "|", "#",
]  # fmt: skip
name = st.one_of(st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6))
value = st.one_of(
    st.sampled_from([1.0, 1.0, 2.0, 0.1, 1e-45, 3.4028234663852886e38, -0.0, 0.0, -2.5, 16777216.0]),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
)
number = st.one_of(st.integers(0, 20), st.integers(0, 2**31 - 1))
tag = st.one_of(st.none(), st.sampled_from(["1", "a b", "x|y", "it's", 'a"b,c', "50%"]))


NO_TAG = st.none()


def rounds_of(features, weights=(1.0,), tags=NO_TAG, labels=(0, 1, -1)):
    one = st.tuples(st.sampled_from(labels), st.sampled_from(weights), tags, features)
    return st.lists(one, min_size=1, max_size=8)


plain = st.one_of(*(rounds_of(st.dictionaries(key, value, max_size=5)) for key in (name, number)))
rich = st.one_of(*(rounds_of(st.dictionaries(key, value, max_size=3), (1.0, 1.0, 2.5, 0.1, 0.0), tag, (0, 1)) for key in (name, number)))
word = st.one_of(st.sampled_from(["free", "é", "日本", "x_1", "ß", "7"]), st.from_regex(r"\A[a-z0-9_]{1,5}\Z"))
counts = rounds_of(st.dictionaries(word, st.sampled_from([1.0, 1.0, 2.0, 3.0, 0.0]), max_size=5))


@pytest.mark.parametrize("format", [one for one in FORMATS if one != "text"])
@FIXED
@given(rounds=plain, packed=st.sampled_from(["", ".gz", ".zst"]))
def test_what_is_written_is_read_back(format, rounds, packed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    path = folder / f"x.{format}{'' if format in ('parquet', 'arrow') else packed}"
    source = Given(rounds)
    done = ls.convert(source, path)
    same(read_back(path, format), source, ("0", "1"))
    assert (done.rows, done.digest) == (len(rounds), source.digest)
    assert {one.name for one in folder.iterdir()} <= {path.name, f"x.{format}.names"}


@pytest.mark.parametrize("format", [one for one in FORMATS if one not in ("text", "libsvm")])
@FIXED
@given(rounds=rich, is_file=st.booleans())
def test_weights_and_ids_too(format, rounds, is_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / f"x.{format}"
    source = Given(rounds, is_file=is_file, labels=(-1.0, 1.0))
    assert ls.convert(source, path).digest == source.digest
    same(read_back(path, format), source, ("-1", "1"))


@FIXED
@given(rounds=counts)
def test_words_and_their_counts_as_text(rounds, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "x.txt"
    source = Given(rounds, labels=("ham", "spam"))
    assert ls.convert(source, path).digest == source.digest
    same(read_back(path, "text"), source, ("ham", "spam"))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("labels", "shows", "expected"),
    [
        ((0.0, 1.0), "1", "0 1"),
        ((-1.0, 1.0), "0", "-1 1"),
        ((1.0, 2.0), "01", "1 2"),
        ((1.0, 2.0), "0", "-1 1"),  # a reader that sees 1 alone takes it for positive
        ((2.0, 1.0), "01", "-1 1"),
        ((3.0, 5.0), "01", "-1 1"),
        (("ham", "spam"), "0", "ham spam"),
        (("a", "B"), "01", "a B"),
        (("a", "B"), "1", "-1 1"),
        (("spam", "ham"), "01", "-1 1"),
        (("NA", "b"), "01", "-1 1"),
    ],
    ids=lambda one: None if isinstance(one, str) else "-".join(map(str, one)),
)
def test_labels_are_kept_where_a_reader_takes_the_same_one_for_positive(format, labels, shows, expected, tmp_path):
    source = Given([(int(code), 1.0, None, {"x": 1.0}) for code in shows], labels)
    done = ls.convert(source, tmp_path / "x", format)
    words = any(isinstance(label, str) for label in labels) and format in ("libsvm", "vw")
    written = ("-1 1" if words else expected).split()
    same(read_back(tmp_path / "x", format), source, written)
    assert bool(done.notes) == (written != [one if isinstance(one, str) else f"{one:g}" for one in labels])


def test_what_rows_carry_may_begin_late(tmp_path):
    rounds = [(k % 2, 1.0, None, {"x": 1.0}) for k in range(1500)] + [(1, 2.0, "late", {"y": 0.5})]
    for format in ("csv", "jsonl", "parquet", "arrow"):
        source = Given(rounds, cut=100)
        assert ls.convert(source, tmp_path / "x", format).digest == source.digest
        same(read_back(tmp_path / "x", format), source, ("0", "1"))
    ls.convert(Given(rounds[:-1]), tmp_path / "ones.parquet")
    assert pq.read_schema(tmp_path / "ones.parquet").names == ["label", "names"]


def test_several_classes(tmp_path):
    rounds = [(code, 1.0, None, {"x": 1.0}) for code in (0, 1, 2, -1, 3)]

    class Classes(Given):
        def lent_blocks(self, classes=None):
            for label in ("tea", "coffee", "7 up", "milk"):
                classes.code(label)
            return super().lent_blocks()

    for format in ("csv", "tsv", "jsonl", "parquet", "arrow", "text"):
        done = ls.convert(Classes(rounds), tmp_path / "x", format, classes=True)
        same(read_back(tmp_path / "x", format), Given(rounds), ("tea", "coffee", "7 up", "milk"))
        assert done.digest is None and done.labels == ("tea", "coffee", "7 up", "milk")
    with pytest.raises(ls.LittlestoneError, match="label 'tea' cannot be written in vw"):
        ls.convert(Classes(rounds), tmp_path / "x", "vw", classes=True)


@pytest.mark.parametrize("labels", [('"a"', '"b'), ("0", "1")], ids=["quoted", "numbers"])
@pytest.mark.parametrize("quotes", [None, True, False])
def test_tsv_reads_the_same_with_quotes_and_without(labels, quotes, tmp_path):
    names = ['"free"', '"', '""x', 'say"', "a\tb"]
    rounds = [(k % 2, 1.0, 'a"b', {name: 1.0, "x": 2.0}) for k, name in enumerate(names)] + [(1, 1.0, None, {})]
    source = Given(rounds, labels if labels[0] == '"a"' else (0.0, 1.0))
    done = ls.convert(source, tmp_path / "x.tsv")
    stream = ls.open_stream(tmp_path / "x.tsv", quotes=quotes)
    again = ls.convert(stream, tmp_path / "y.tsv")
    assert (again.digest, again.labels) == (done.digest, done.labels) == (source.digest, (labels if labels[0] == '"a"' else (0.0, 1.0)))
    ls.convert(ls.open_stream(tmp_path / "y.tsv", quotes=quotes), tmp_path / "z.tsv")  # by then the features of a row are in order
    assert (tmp_path / "z.tsv").read_bytes() == (tmp_path / "y.tsv").read_bytes()
    strangers = rounds_of_files([str(tmp_path / "x.tsv")], stream.reading, list(done.labels))
    assert ended(digest_of(strangers, weighted=False, boolean=False, segment=False)) == done.digest


REFUSED = {
    "weights in libsvm": (
        [(1, 2.0, None, {})], "x.libsvm",
        "the stream has weights, which libsvm cannot hold; arrow, csv, jsonl, parquet, tsv, vw can, and --drop weights leaves them out",
    ),
    "ids in text": (
        [(1, 1.0, "a", {})], "x.txt",
        "the stream has ids, which text cannot hold; arrow, csv, jsonl, parquet, tsv, vw can, and --drop ids leaves them out",
    ),
    "weight without label": (
        [(-1, 2.0, None, {})], "x.vw",
        "round 1 has a weight and no label, which VW text cannot hold; csv, jsonl, parquet and arrow can, and --drop weights leaves it out",
    ),
    "a tab in tsv": (
        [(1, 1.0, "a\tb", {})], "x.tsv",
        "round 1 has the id 'a\\tb', which tsv cannot hold; csv, vw, jsonl, parquet and arrow can, and --drop ids leaves it out",
    ),
    "a quote in tsv": (
        [(1, 1.0, '"a"', {})], "x.tsv",
        "round 1 has the id '\"a\"', which tsv cannot hold; csv, vw, jsonl, parquet and arrow can, and --drop ids leaves it out",
    ),
    "halves in text": (
        [(1, 1.0, None, {"a": 0.5})], "x.txt",
        "round 1: feature 'a' has value 0.5, which text (words and how often they occur) cannot hold; "
        "libsvm, vw, csv, jsonl, parquet and arrow can",
    ),
    "no word": (
        [(1, 1.0, None, {"a": 1.0}), (0, 1.0, None, {"a": 1.0, "A b": 1.0})], "x.txt",
        "round 2: feature 'A b' is no word in lower case, which text cannot hold; libsvm, vw, csv, jsonl, parquet and arrow can",
    ),
    "a line too long": (
        [(1, 1.0, None, {"a": 3e8})], "x.txt", "round 1 would be a line of more than 268435456 bytes, which no reader takes",
    ),
    "no name": (
        [(1, 1.0, None, {"a": 1.0}), (1, 1.0, None, {"": 1.0})], "x.csv",
        "round 2 has a feature whose name is empty, which vw, csv and tsv cannot hold; libsvm, jsonl, parquet and arrow can",
    ),
    "packed twice": ([(1, 1.0, None, {})], "x.parquet.gz", "{}: parquet is packed inside; expected a name without .gz or .zst"),
    "no format": (
        [(1, 1.0, None, {})], "x",
        "{}: its name does not tell the format; expected --to FORMAT (format=), one of arrow, csv, jsonl, libsvm, parquet, text, tsv, vw, "
        "or a name ending such as .vw or .parquet",
    ),
    "no folder": ([(1, 1.0, None, {})], "none/x.vw", "{}: cannot be written (No such file or directory)"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_format_cannot_hold_is_refused_and_nothing_is_written(what, tmp_path):
    rounds, path, message = REFUSED[what]
    with pytest.raises(ls.LittlestoneError) as caught:
        ls.convert(Given(rounds), tmp_path / path)
    assert str(caught.value) == message.format(tmp_path / path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_dropped(tmp_path):
    source = Given([(1, 2.0, "a", {3: 1.0}), (0, 1.0, None, {4: 0.5})])
    ls.convert(source, tmp_path / "x.libsvm", drop=["weights", "ids"])
    assert (tmp_path / "x.libsvm").read_text() == "1 3:1\n0 4:0.5\n"


def test_an_interrupted_conversion_leaves_the_old_file(tmp_path):
    class Broken(Given):
        def lent_blocks(self, classes=None):
            yield from super().lent_blocks()
            raise KeyboardInterrupt

    for name in ("x.vw", "x.csv.gz", "x.jsonl.zst", "x.parquet", "x.arrow", "x.libsvm"):
        (tmp_path / name).write_text("old")
        with pytest.raises(KeyboardInterrupt):
            ls.convert(Broken([(1, 1.0, None, {"a": 1.0})] * 2000, cut=1000), tmp_path / name)
        assert (tmp_path / name).read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 6


def test_names_that_become_no_numbers_after_the_first_rows(tmp_path):
    rounds = [(1, 1.0, None, {"7": 1.0})] * 1000 + [(1, 1.0, None, {"x": 1.0})]
    done = ls.convert(Given(rounds), tmp_path / "x.vw")
    assert done.notes == ("the first rows have numbers for features, and later ones have names ('x'): read it with --names",)
    assert ls.convert(Given(rounds[1:]), tmp_path / "x.vw").notes == ()
    assert ls.convert(Given(rounds), tmp_path / "x.jsonl").notes == ()


READ = [one for one in FORMATS if one != "text"]


def by_a_stranger(path, source, labels):
    """The digest by the verifier's own readers."""
    reading = Reading(format="text", named=source.names is not None)  # any format but that of the file: it was converted
    return ended(digest_of(rounds_of_files([str(path)], reading, labels), weighted=source.weighted, boolean=False, segment=False))


@settings(FIXED, max_examples=10)
@given(rounds=plain, order=st.permutations(READ))
def test_from_every_format_to_every_other(rounds, order, tmp_path_factory):
    source = Given(rounds)
    assert digests_along(source, [*order, order[0]], tmp_path_factory.mktemp("out"))[1] == {source.digest}


@settings(FIXED, max_examples=10)
@given(rounds=rich, order=st.permutations([one for one in READ if one != "libsvm"]))
def test_with_weights_and_ids(rounds, order, tmp_path_factory):
    source = Given(rounds)
    last, digests = digests_along(source, [*order, "jsonl"], tmp_path_factory.mktemp("out"))
    assert digests == {source.digest}
    same(read_back(last, "jsonl"), source, ("0", "1"))


def digests_along(source, formats, folder):
    """Convert from each format to the next: the last file, and every digest that our readers and the verifier's found."""
    stream, digests = source, set()
    for step, format in enumerate(formats):
        path = folder / f"{step}.{format}"
        done = ls.convert(stream, path)
        digests |= {done.digest, by_a_stranger(path, source, done.labels)}
        stream = path
    return path, digests


def test_the_same_mistakes_in_every_format(tmp_path):
    rng = np.random.default_rng(5)
    words = [f"w{k}" for k in range(60)]
    rounds = []
    for _ in range(600):
        row = {words[k]: float(rng.integers(1, 4)) for k in rng.permutation(60)[: rng.integers(0, 12)]}
        rounds.append((int(rng.choice([1, 1, 1, -1]) if {"w1", "w2"} & set(row) else rng.choice([0, 0, 0, 1])), 1.0, None, row))
    source = Given(rounds, ("ham", "spam"))
    paths = [tmp_path / f"x.{'txt' if format == 'text' else format}" for format in READ]
    for path in paths:
        assert ls.convert(source, path).digest == source.digest
    rows, labels = [row for *_, row in rounds], [None if y < 0 else y for y, *_ in rounds]
    for make, boolean in ((ls.perceptron, False), (lambda: ls.winnow(n=60), True), (ls.arow, False)):
        expected = ls.play(make(), rows, labels, boolean=boolean)
        for path in paths:
            run = ls.play(make(), ls.open_stream(path, boolean=boolean))
            assert run.mistakes == expected.mistakes
            assert (run.codes == expected.codes).all()
