"""Conjunctions of features: the fast readers make what the definition does, and everything that follows a reading follows this one."""

import numpy as np
import pytest
from scipy import sparse

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.rounds import features
from littlestone.rounds.row_order import RowOrder
from littlestone.rounds.sources import rounds_of_files

FILES = {
    "a.libsvm": "1 3:1 17:1 5:1\n0 3:1\n1 17:1 5:1 9:0\n0\n" * 3,
    "a.csv": "y,c,d\n1,a,b\n0,a,e\n1,q,b\n0,q,e\n",
    "a.vw": "1 |n a b c\n-1 |n a\n1 |n b c\n-1 |\n",
    "a.txt": "spam\tfree offer now\nham\tfree lunch\nham\tlunch lunch\n",
    "a.jsonl": '{"y": 1, "t": "x", "n": "z"}\n{"y": 0, "t": "u", "n": "z"}\n',
}


def saved(folder, name, text=None):
    (folder / name).write_text(FILES[name] if text is None else text)
    return folder / name


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("k", [2, 3])
def test_what_is_read_is_the_definition(tmp_path, name, k):
    path = saved(tmp_path, name)
    stream = ls.open_stream(path, expand=k, boolean=name == "a.txt")  # a word may stand twice
    blocks = list(stream.blocks())
    names = list(stream.names)
    fast = [[names[i] for i in indices] for block in blocks for indices, _, _ in block.rounds()]
    labels = [stream.codes.negative, stream.codes.positive]
    assert fast == [round.keys for round in RowOrder().all(rounds_of_files([str(path)], stream.reading, labels))]
    assert len(fast[0]) == features.width_joined(3 if name in ("a.libsvm", "a.vw", "a.txt") else 2, k)


def dnf(rounds=400):
    """Rows over ten words, 1 where w0 and w1 are there, or w2 and w3."""
    rng = np.random.default_rng(5)
    rows = [{f"w{i}" for i in np.flatnonzero(rng.random(10) < 0.4)} for _ in range(rounds)]
    return rows, [int({"w0", "w1"} <= row or {"w2", "w3"} <= row) for row in rows]


def test_a_disjunction_of_conjunctions_is_learned_certified_and_kept(tmp_path):
    rows, labels = dnf()
    text = "".join(f"{y} | {' '.join(sorted(row))}\n" for row, y in zip(rows, labels, strict=True))
    path = saved(tmp_path, "dnf.vw", text)
    stream, learner = ls.open_stream(path, expand=2), ls.winnow_elimination(n=55)
    run = ls.play(learner, stream)
    claim = run.bounds("disjunction:r=2")[0]
    assert run.mistakes <= claim.limit < ls.play(ls.winnow_elimination(n=10), ls.open_stream(path)).mistakes
    cert = ls.certify(run, stream, assume="disjunction:r=2")
    assert cert.content["stream"]["reading"]["expand"] == 2
    assert "expand=2" in str(ls.verify(cert, path))
    run.model.save(tmp_path / "m")
    model = ls.load(tmp_path / "m")
    expected = [model.predict(ls.expanded(row)) for row in rows[:50]]
    assert model.predict_many(ls.open_stream(path, format="vw"))[:50].tolist() == expected
    assert [model.predict(row) for row in rows[:50]] == expected == model.predict_many(rows[:50]).tolist()
    assert ls.play(learner, [ls.expanded(row) for row in rows], labels).mistakes == run.mistakes
    again = ls.play(learner, rows, labels, expand=2)
    assert again.mistakes == run.mistakes and again.predictions.tolist() == run.predictions.tolist()
    again.model.save(tmp_path / "again")
    for kept in (again.model, ls.load(tmp_path / "again")):
        assert [kept.predict(row) for row in rows[:50]] == expected == kept.predict_many(rows[:50]).tolist()
    assert ls.verify(ls.certify(again, rows, labels, expand=2), [ls.expanded(row) for row in rows], labels).verified
    table = np.array([[f"w{i}" in row for i in range(10)] for row in rows], float)
    assert ls.play(learner, table, labels, expand=2).mistakes == ls.play(learner, sparse.csr_matrix(table), labels, expand=2).mistakes
    for bad in (path, ls.open_stream(path), [[0.5, 1]]):
        with pytest.raises(LittlestoneError, match="expand=2|0 and 1"):
            ls.play(learner, bad, None if bad is not None and not isinstance(bad, list) else [1], expand=2)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("1 | a:0.5 b\n-1 | a\n", {}, "found 'a=0.5', expected values 0 and 1, for conjunctions"),
        ("1 | a&b c\n-1 | a\n", {}, "found 'a&b', expected names without '&'"),
        ("-1 | a\n1 | " + " ".join(f"w{i}" for i in range(500)) + "\n", {}, "line 2: found '125,250 conjunctions of 500 features'"),
        ("1 | a\n-1 | b\n", {"bits": 10}, "expand=2 with bits=10"),
        ("1 | a\n-1 | b\n", {"expand": 9}, "expand=9: expected a whole number from 1 to 8"),
    ],
    ids=["value", "name", "wide", "bits", "large"],
)
def test_what_cannot_be_joined_is_refused_by_name(tmp_path, text, options, said):
    path = saved(tmp_path, "a.vw", text)
    with pytest.raises(LittlestoneError) as error:
        list(ls.open_stream(path, **{"expand": 2} | options).blocks())
    assert said in str(error.value)
    if not options:
        with pytest.raises((LittlestoneError, features.Fault)):
            list(rounds_of_files([str(path)], ls.open_stream(path, expand=2).begin(), [-1.0, 1.0]))
        kept = ls.open_stream(path, expand=2, skip_bad=True)
        assert sum(map(len, kept.blocks())) == 1 and kept.bad_lines == 1
