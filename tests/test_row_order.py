"""Nothing depends on the order of features inside a row, and a feature with value 0 is none, in whatever form rows come."""

import json
import random

import numpy as np
import pytest
from scipy import sparse

import littlestone as ls
from littlestone.protocol import Block
from littlestone.rounds.row_order import RowOrder
from littlestone.rounds.sources import rounds_of_files

LONG = "a_name_that_is_longer_than_sixteen_bytes_"
NAMES = [f"{LONG}{k % 7}_{k}" if k % 3 else f"é{k}" for k in range(40)]


def drawn(rounds=150, seed=1):
    """Rows by names, with zeros among them, and labels that a few of the names decide, mostly."""
    chance = random.Random(seed)
    rows = [{name: chance.choice([0, 0.5, 1.0, 2, -1.5]) for name in chance.sample(NAMES, chance.randint(0, 30))} for _ in range(rounds)]
    labels = [(sum(row.get(name, 0) for name in NAMES[::4]) > 0) != (chance.random() < 0.1) for row in rows]
    return rows, labels


def shuffled(rows, zeros=True):
    chance = random.Random(2)
    return [
        dict(chance.sample([pair for pair in row.items() if zeros or pair[1]], sum(1 for v in row.values() if zeros or v))) for row in rows
    ]


def vw_text(rows, labels):
    spelled = [" ".join(f"{name}:{value}" for name, value in row.items()) for row in rows]
    return "".join(f"{1 if y else -1} | {row}\n" for row, y in zip(spelled, labels, strict=True))


@pytest.mark.parametrize(
    "learner", [ls.normalized(), ls.balanced_winnow(), ls.arow_full(dense=5), ls.panel()], ids=lambda learner: learner.name
)
def test_rows_in_any_order_and_with_zeros_make_the_same_run(learner, tmp_path):
    rows, labels = drawn()
    usual = ls.play(learner, rows, labels, ledger=True)
    for others in (shuffled(rows), shuffled(rows, zeros=False)):
        run = ls.play(learner, others, labels, ledger=True)
        assert run.predictions.tolist() == usual.predictions.tolist() and run.learner.alike(run.state, usual.state)
        assert list(run.model.features) == list(usual.model.features)
        one_by_one = learner.start()
        for row, y in zip(others, labels, strict=True):
            one_by_one.update(row, y)
        assert (one_by_one.mistakes, list(one_by_one.features)) == (usual.mistakes, list(usual.model.features))
        assert learner.alike(one_by_one.state, usual.state)
    digests = set()
    for k, others in enumerate((rows, shuffled(rows), shuffled(rows, zeros=False))):
        (tmp_path / f"{k}.vw").write_text(vw_text(others, labels))
        (tmp_path / f"{k}.jsonl").write_text(
            "".join(json.dumps({"label": int(y), **row}) + "\n" for row, y in zip(others, labels, strict=True))
        )
        for file in (f"{k}.vw", f"{k}.jsonl"):
            stream = ls.open_stream(tmp_path / file)
            run = ls.play(learner, stream)
            assert run.mistakes == usual.mistakes and run.codes.tolist() == usual.codes.tolist(), file
            digests.add(ls.certify(run, stream, seconds=0.1).content["stream"]["digest"])
    assert len(digests) == 1


def test_stored_zeros_of_a_matrix_are_no_features():
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((200, 30)) < 0.3, rng.normal(size=(200, 30)), 0)
    y = (dense @ rng.normal(size=30) > 0) != (rng.random(200) < 0.1)
    plain = sparse.csr_matrix(dense)
    stored = sparse.csr_matrix(np.where(dense == 0, 5.0, dense))
    stored.data[np.asarray(dense == 0)[stored.nonzero()]] = 0
    backwards = stored.copy()
    for t in range(200):
        row = slice(backwards.indptr[t], backwards.indptr[t + 1])
        backwards.indices[row], backwards.data[row] = backwards.indices[row][::-1].copy(), backwards.data[row][::-1].copy()
    for learner in (ls.balanced_winnow(), ls.normalized(), ls.panel()):
        runs = [ls.play(learner, X, y) for X in (plain, stored, backwards, dense, [dict(enumerate(row)) for row in dense.tolist()])]
        assert len({run.mistakes for run in runs}) == 1
        assert all(run.learner.alike(run.state, runs[0].state) and run.nonzeros == plain.nnz for run in runs)
        model = learner.start()
        for row, label in zip(dense, y, strict=True):
            model.update((np.arange(30, dtype=np.uint32)[::-1].copy(), row[::-1].astype(np.float32)), bool(label))
        assert model.mistakes == runs[0].mistakes


def test_a_feature_twice_is_refused_though_one_of_them_is_zero():
    block = Block(np.array([0, 3]), np.array([2, 1, 2], np.uint32), np.array([0, 1, 1], np.float32), np.ones(1, np.int32))
    with pytest.raises(ls.LittlestoneError, match="given twice"):
        ls.play(ls.perceptron(), block)
    with pytest.raises(ls.LittlestoneError, match="given twice"):
        ls.perceptron().start().predict((np.array([2, 1, 2], np.uint32), np.array([0, 1, 1], np.float32)))


@pytest.mark.parametrize("how", [{}, {"bits": 4}, {"expand": 2, "boolean": True}], ids=["names", "hashed", "conjunctions"])
def test_the_fast_reader_numbers_and_sorts_as_the_definition_does(tmp_path, how):
    rows, labels = drawn(60)
    (tmp_path / "a.vw").write_text(vw_text([dict(list(row.items())[:8]) for row in rows] if how else rows, labels))
    stream = ls.open_stream(tmp_path / "a.vw", **how)
    blocks = list(stream.blocks())
    names = None if "bits" in how else list(stream.names)
    fast = [
        (i.tolist() if names is None else [names[k] for k in i], [1.0] * len(i) if v is None else v.tolist())
        for block in blocks
        for i, v, _ in block.rounds()
    ]
    order = RowOrder(named="bits" not in how)
    plain = order.all(rounds_of_files([str(tmp_path / "a.vw")], stream.reading, [stream.codes.negative, stream.codes.positive]))
    assert fast == [([int(key) if names is None else key for key in round.keys], list(round.values)) for round in plain]
    assert names is None or names == list(order.numbers)
    assert not any(0 in values for _, values in fast)


def test_a_certificate_says_in_which_order_its_rows_stand():
    rows, labels = drawn()
    run = ls.play(ls.normalized(), rows, labels)
    certificate = ls.certify(run, rows, labels, seconds=0.1)
    assert certificate.content["stream"]["row_version"] == 2
    assert ls.verify(certificate, shuffled(rows), labels).verified


def test_a_model_says_in_which_order_its_rows_stand(tmp_path):
    model = ls.perceptron(bias=0).start()
    model.update({"b": 1.0, "a": 2.0, "c": 0.0}, False)
    assert list(model.features) == ["a", "b"]
    model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    again.sorts = False  # as a model of before, whose file says nothing of it
    again.save(tmp_path / "old")
    old = ls.load(tmp_path / "old")
    assert not old.sorts and ls.load(tmp_path / "m").sorts
    for going in (old, old.copy(), ls.play(old, [{"x": 0.0}], [True]).model):
        going.update({"z": 1.0, "d": 0.0}, False)
        assert list(going.features)[-2:] == ["z", "d"]


class Caller:
    """A number whose reading asks the model about another row."""

    def __init__(self, model, value, other):
        self.model, self.value, self.other = model, value, other

    def __float__(self):
        self.other(self.model)
        return self.value


@pytest.mark.parametrize("events", [0, 1100], ids=["at first", "once events are compiled"])
@pytest.mark.parametrize("make", [ls.arow, ls.panel, lambda: ls.one_vs_rest(ls.perceptron())], ids=["arow", "panel", "several classes"])
@pytest.mark.parametrize("named", [True, False], ids=["names", "columns"])
def test_a_value_that_calls_its_model_does_not_replace_the_row(make, events, named):
    a, b, c, d = ("a", "b", "c", "d") if named else range(4)
    others = [
        lambda model: model.predict({a: 7.0, c: 5.0}),
        lambda model: model.observe({c: 3.0, a: 1.0}, True),
        lambda model: model.predict((np.array([0, 1], np.uint32), np.ones(2, np.float32))) if not named else model.predict({b, c}),
    ]
    for other in others:
        for method in ("predict", "update", "observe"):
            tricked, plain = make().start(), make().start()
            for model in (tricked, plain):
                for k in range(max(events, 2)):
                    model.update({a: 1.0 + k % 3, b: float(k % 2), c: 0.5}, bool(k % 2))
            other(plain)
            ask = [] if method == "predict" else [False]
            got = getattr(tricked, method)({a: 1.0, b: Caller(tricked, 2.0, other), d: 4.0}, *ask)
            assert got == getattr(plain, method)({a: 1.0, b: 2.0, d: 4.0}, *ask)
            assert (tricked.rounds, tricked.mistakes) == (plain.rounds, plain.mistakes)
            assert tricked.predict({a: 1.0, d: 1.0}) == plain.predict({a: 1.0, d: 1.0})
            assert all(np.array_equal(x, y) for x, y in zip(tricked.arrays().values(), plain.arrays().values(), strict=True))
