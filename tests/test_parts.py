"""Streams cut into parts, read one by one and put together: the rounds, names and faults of reading in one go. And files elsewhere."""

import builtins
import gzip
import json
from importlib import import_module

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.protocol import Block, ClassMap
from littlestone.protocol.workers import OneProcess
from littlestone.rounds import digest
from littlestone.theory.sealed import digest_of

STREAM = import_module("littlestone.streams.stream")
ROWS = 600


def drawn():
    draw = np.random.default_rng(1)
    rows = [sorted(set(row)) for row in draw.integers(0, 200, (ROWS, 5)).tolist()]
    return rows, draw.integers(0, 2, ROWS).tolist()


def table():
    rows, labels = drawn()
    return pa.table({"city": [f"c{row[1]}" for row in rows], "n": [row[2] for row in rows], "label": labels})


def lines(line, header=""):
    return header + "".join(line(k, row, y) + "\n" for k, (row, y) in enumerate(zip(*drawn(), strict=True)))


CITIES = "city,n,label\n"
TEXTS = {
    "a.libsvm": lambda: "# a comment\n" + lines(lambda k, row, y: f"{y} " + " ".join(f"{i}:{1 + i % 3}" for i in row)),
    "b.vw": lambda: lines(lambda k, row, y: f"{2 * y - 1} 1.0 't{k}|w " + " ".join(f"w{i}" for i in row)),
    "c.csv": lambda: lines(lambda k, row, y: f'"na\nme{row[0]}, ""x""",c{row[1]},{y}', "name,city,label\n"),  # newlines in quotes
    "d.csv": lambda: lines(lambda k, row, y: f"c{row[1]},{row[2]},{'abc'[row[0] % 3]}", CITIES).removesuffix("\n"),
    "e.jsonl": lambda: lines(lambda k, row, y: json.dumps({"city": f"c{row[1]}", "n": row[2], "label": y})),
    "f.txt": lambda: lines(lambda k, row, y: f"{'spam' if y else 'ham'}\t" + " ".join(f"word{i}" for i in row)),
    "g.tsv": lambda: lines(lambda k, row, y: f"c{row[1]}\t{row[2]}\t{y}", CITIES.replace(",", "\t")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for name, text in TEXTS.items():
        (folder / name).write_text(text())
    pq.write_table(table(), folder / "h.parquet", row_group_size=100)
    with pa.ipc.new_file(folder / "i.arrow", table().schema) as file:
        file.write_table(table(), max_chunksize=90)
    (folder / "j.csv.gz").write_bytes(gzip.compress(TEXTS["d.csv"]().encode()))
    return folder


class Counting(OneProcess):
    """Counts the parts that were read."""

    count = ahead = 2

    def __init__(self):
        self.parts = 0

    def submit(self, work, *arguments):
        self.parts += work.__name__ == "read_part"
        return super().submit(work, *arguments)


HOW = [
    ("a.libsvm", {}, 9), ("a.libsvm", {"bits": 5}, 9), ("a.libsvm", {"names": True}, 9), ("b.vw", {}, 9), ("b.vw", {"bits": 6}, 9),
    ("c.csv", {}, 9), ("c.csv", {"bits": 4}, 9), ("d.csv", {}, 4), ("e.jsonl", {}, 9), ("f.txt", {"expand": 2}, 9), ("g.tsv", {}, 4),
    ("h.parquet", {}, 6), ("i.arrow", {}, 7), ("j.csv.gz", {}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "choices", "least"), HOW)
def test_parts_give_the_rounds_of_the_whole(folder, monkeypatch, name, choices, least):
    monkeypatch.setattr(STREAM, "PART", 2_000 if name[0] != "h" else 100)
    one, other = (ls.open_stream(folder / name, folder / name, **choices) for _ in range(2))
    workers = Counting()
    other.read_on(workers)
    several = name[0] in "dj"
    whole, joined = ([block.copy() for block in stream.lent_blocks(ClassMap() if several else None)] for stream in (one, other))
    assert np.concatenate([block.lines for block in whole]).tolist() == np.concatenate([block.lines for block in joined]).tolist()
    for field in ("indptr", "indices", "values", "labels"):
        of_one, of_other = (getattr(Block.joined(blocks), field) for blocks in (whole, joined))
        assert (of_one is None and of_other is None) or of_one.tobytes() == of_other.tobytes(), field
    assert one.reading == other.reading and workers.parts >= least
    if one.names is not None:
        assert one.names.names() == other.names.names()
    if "bits" in choices:
        assert one.names.report() == other.names.report()


@pytest.mark.parametrize("fault", ["0 3:1 3:2", "0 x:1", "7 3:1"])
def test_what_is_wrong_is_told_with_its_line_in_the_file(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(STREAM, "PART", 1_000)
    rows = TEXTS["a.libsvm"]().splitlines()
    rows[400] = fault
    (tmp_path / "bad.libsvm").write_text("\n".join(rows))
    told, left = [], []
    for workers in (None, Counting()):
        stream = ls.open_stream(tmp_path / "bad.libsvm")
        stream.read_on(workers)
        with pytest.raises(ls.LittlestoneError) as refused:
            list(stream.blocks())
        told.append(str(refused.value))
        stream = ls.open_stream(tmp_path / "bad.libsvm", skip_bad=True)
        stream.read_on(workers)
        left.append((sum(map(len, stream.blocks())), stream.bad_lines, str(stream.first_bad)))
    assert told[0] == told[1] and "line 401" in told[0] and left[0] == left[1] == (ROWS - 1, 1, told[0])


@pytest.mark.parametrize("name", ["a.libsvm", "d.csv", "h.parquet", "i.arrow"])
def test_files_elsewhere_are_read_alike(folder, monkeypatch, name, littlestone):
    system = fsspec.filesystem("memory")
    for k in range(2):
        system.pipe(f"/rows/{k}-{name}", (folder / name).read_bytes())
    learner = ls.multiclass_perceptron() if name == "d.csv" else ls.perceptron()
    here = ls.play(learner, ls.open_stream(folder / name, folder / name))
    monkeypatch.setattr(STREAM, "PART", 2_000)
    there = ls.open_stream(f"memory://rows/?-{name}")
    there.read_on(Counting())
    run = ls.play(learner, there)
    assert run.predictions.tolist() == here.predictions.tolist() and run.rounds == 2 * ROWS
    if name == "a.libsvm":
        cert = ls.certify(run, there)
        ls.verify(cert, ls.open_stream("memory://rows/?-a.libsvm"))
        assert (
            cert.content["stream"]["digest"] == ls.certify(here, ls.open_stream(folder / name, folder / name)).content["stream"]["digest"]
        )
        for path, message in {"memory://rows/none.csv": "no such file", "memory://rows/*.vw": "no file matches", "odd://x": "odd"}.items():
            refused = littlestone("run", path)
            assert refused.returncode == 2 and message in refused.stderr and path in refused.stderr, refused.stderr


def test_without_fsspec_one_line_says_what_is_missing(monkeypatch):
    own = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *rest: own("no.such" if name == "fsspec" else name, *rest))
    with pytest.raises(ls.LittlestoneError, match=r"s3://b/rows\.csv: .* pip install fsspec"):
        ls.open_stream("s3://b/rows.csv")


@pytest.mark.parametrize("name", ["a.libsvm", "d.csv"])
def test_the_digest_of_many_rounds_is_a_tree_and_old_certificates_verify(folder, monkeypatch, name):
    learner = ls.multiclass_perceptron() if name == "d.csv" else ls.perceptron()
    stream = ls.open_stream(folder / name)
    run = ls.play(learner, stream)
    whole = ls.certify(run, stream)
    assert whole.content["stream"]["digest"].startswith("sha256:")
    monkeypatch.setattr(digest, "CHUNK", 7)  # 600 is no multiple
    tree = ls.certify(run, stream)
    assert tree.content["stream"]["digest"].startswith("sha256-tree:")
    for certificate in (whole, tree):
        ls.verify(certificate, stream)
    last = tree.content["stream"]["digest"][-1]
    tree.content["stream"]["digest"] = tree.content["stream"]["digest"][:-1] + ("0" if last != "0" else "1")
    tree.content["digest"] = digest_of(tree.content)
    with pytest.raises(ls.Refused, match="other rounds"):
        ls.verify(tree, stream)
