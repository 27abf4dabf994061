"""Arrays and files that are not what they should be: refused by name, or without effect; never read past an end."""

import os

import numpy as np
import pytest
from scipy import sparse

import littlestone as ls
from littlestone.api.observers import Observer
from littlestone.protocol import Block

GOOD = {
    "indptr": np.array([0, 1, 2]),
    "indices": np.array([0, 1], np.uint32),
    "values": np.ones(2, np.float32),
    "labels": np.array([1, 0], np.int32),
    "weights": np.ones(2, np.float32),
}
BAD = {
    "weights too short": {"weights": np.ones(1, np.float32)},
    "weights of doubles": {"weights": np.ones(2)},
    "a table of weights": {"weights": np.ones((2, 1), np.float32)},
    "indptr too short": {"indptr": np.array([0, 2])},
    "a table of indices": {"indices": np.zeros((2, 1), np.uint32)},
    "a table of indices and values": {"indices": np.zeros((1, 2), np.uint32), "values": np.ones((1, 2), np.float32)},
    "values too short": {"values": np.ones(1, np.float32)},
    "complex labels": {"labels": np.array([1j, 0])},
    "a list of labels": {"labels": [1, 0]},
    "one label for all": {"labels": np.int32(1)},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_a_block_is_refused_by_name(change):
    Block(**GOOD)
    with pytest.raises(ls.LittlestoneError, match="a Block takes arrays of one dimension: indptr int64"):
        Block(**GOOD | change)


@pytest.mark.parametrize("indptr", [[0, 9, 2], [0, 1, 3], [1, 1, 2], [-1, 1, 2]])
def test_row_pointers_that_leave_the_indices_are_refused(indptr):
    for play in (ls.perceptron(), ls.panel(), ls.one_vs_rest(ls.perceptron())):
        with pytest.raises(ls.LittlestoneError, match="indptr must grow from 0 to 2"):
            ls.play(play, Block(**GOOD | {"indptr": np.array(indptr), "weights": None}))


def test_complex_labels_are_refused():
    with pytest.raises(ls.LittlestoneError, match="labels of type complex128: expected True/False"):
        ls.play(ls.perceptron(), np.eye(2), np.array([1 + 2j, 0]))


@pytest.mark.parametrize("kind", ["matrix", "block", "blocks"])
def test_arrays_that_others_change_meanwhile_have_no_effect(kind, spoiled):
    """What is checked is a copy: no index is written into it between the check and the kernel."""
    X = sparse.random(3_000, 50, 0.2, "csr", np.float32, random_state=1)
    y = np.arange(3_000) % 2
    block = Block(X.indptr.astype(np.int64), X.indices.view(np.uint32), X.data, y.astype(np.int32))
    before = ls.play(ls.perceptron(), X, y)
    arguments = {"matrix": (X, y), "block": (block,), "blocks": ([block],)}[kind]

    class Vandal(Observer):
        def after(self, taken):
            assert not np.shares_memory(taken.block.indices, X.indices) and not np.shares_memory(taken.block.values, X.data)

    run = ls.play(ls.perceptron(), *arguments, observers=[Vandal()])
    assert run.predictions.tolist() == before.predictions.tolist()
    with spoiled(X.indices):
        for _ in range(20):
            try:
                ls.play(ls.perceptron(), *arguments)
            except ls.LittlestoneError as error:
                assert "2147483647" in str(error)


@pytest.mark.parametrize("learner", ["perceptron", "panel", "one_vs_rest", "all_pairs", "multiclass_perceptron", "naive_bayes"])
def test_an_index_so_large_that_it_must_be_a_slip_is_refused(tmp_path, learner):
    made = {"one_vs_rest": lambda: ls.one_vs_rest(ls.perceptron()), "all_pairs": lambda: ls.all_pairs(ls.perceptron())}
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1\n-1 2:1 2147483647:1\n")
    with pytest.raises(ls.LittlestoneError, match=r"line 2: feature 2147483647: expected an index of at most 16777216.*--bits B"):
        ls.play(made.get(learner, getattr(ls, learner))(), ls.open_stream(path))
    path.write_text("1 1:1\n-1 2:1 16777300:1\n")
    with pytest.raises(ls.LittlestoneError, match="16777300"):
        ls.play(made.get(learner, getattr(ls, learner))(), ls.open_stream(path))
    if learner in ("perceptron", "one_vs_rest"):
        assert ls.play(made.get(learner, getattr(ls, learner))(), ls.open_stream(path, largest_index=2**25)).rounds == 2
    if learner == "perceptron":
        assert ls.play(ls.perceptron(n=2**25), ls.open_stream(path)).rounds == 2
        assert ls.play(ls.perceptron(), ls.open_stream(path, bits=10)).rounds == 2


def test_a_wide_matrix_makes_no_room_for_columns_that_hold_nothing():
    def row(column):
        return sparse.csr_matrix(([1.0], ([0], [column])), shape=(1, 2**31 - 1))

    assert len(ls.play(ls.perceptron(), row(5), [0]).state[0]) < 100
    with pytest.raises(ls.LittlestoneError, match="feature 2147483646: expected an index of at most 16777216"):
        ls.play(ls.perceptron(), row(2**31 - 2), [0])


def test_prediction_makes_no_room(tmp_path):
    model = ls.play(ls.perceptron(), np.eye(4), [1, 0, 1, 0]).hypothesis
    path = tmp_path / "a.libsvm"
    path.write_text("1 0:1 2147483647:1\n-1 3:1 2000000000:2\n")
    assert model.predict_many(ls.open_stream(path)).tolist() == model.predict_many(np.eye(4)[[0, 3]]).tolist()
    with pytest.raises(ls.LittlestoneError, match="feature index 2147483647: expected an index of at most 16777216"):
        model.update({2147483647: 1.0}, True)


def test_the_command_line_allows_more(tmp_path, littlestone):
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1\n-1 2:1 16777300:1\n")
    refused = littlestone("run", path, "--learner", "perceptron")
    assert refused.returncode == 2 and "--largest-index" in refused.stderr and "--bits" in refused.stderr
    assert littlestone("run", path, "--learner", "perceptron", "--largest-index", 2**25).returncode == 0


SECRET = b"swordfish:x:0:0:/bin/bash"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "sub/names", "..", ".", "C:\\names", "link", "pipe", "sub"])
def test_a_comment_opens_no_other_file(tmp_path, name):
    folder = tmp_path / "data"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(SECRET)
    (folder / "sub" / "names").write_bytes(SECRET)
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "a.libsvm").write_text(f"# littlestone names: {name}\n1 0:1\n")
    with pytest.raises(ls.LittlestoneError) as caught:
        ls.play(ls.perceptron(), ls.open_stream(folder / "a.libsvm"))
    assert "swordfish" not in str(caught.value) and ("bare name" in str(caught.value) or "no regular file" in str(caught.value))


def test_what_stands_beside_is_never_quoted(tmp_path):
    (tmp_path / "names").write_bytes(SECRET)
    (tmp_path / "a.libsvm").write_text("# littlestone names: names\n1 0:1\n")
    with pytest.raises(ls.LittlestoneError, match="names, line 1: expected the name of a feature as a JSON string") as caught:
        ls.play(ls.perceptron(), ls.open_stream(tmp_path / "a.libsvm"))
    assert "swordfish" not in str(caught.value)


def test_a_cell_of_fifty_megabytes_is_not_echoed(tmp_path):
    huge, long = "x" * 50_000_000, "x" * 1_000_000
    for name, text in {
        "a.csv": f"label,a\n{huge},1\nb,1\nc,1\n",
        "b.csv": f"label,{long}\nno\n",
        "c.csv": f"a,{long}\n1,2\n",
        "d.txt": f"{long}\tso\n",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(ls.LittlestoneError) as caught:
            ls.play(ls.perceptron(), ls.open_stream(tmp_path / name, format="text" if name == "d.txt" else "auto"))
        assert len(str(caught.value)) < 5_000
        (tmp_path / name).unlink()


GROWING = [
    ls.perceptron(),
    ls.winnow(n=2**31 - 1),
    ls.naive_bayes(),
    ls.pairs(),
    ls.conjunctions(),
    ls.panel(),
    ls.one_vs_rest(ls.perceptron()),
]


@pytest.mark.parametrize("learner", GROWING, ids=repr)
def test_one_prediction_never_grows_a_state(learner):
    """Whatever the index: a feature that was never met counts as one does that is new, and the model is left as it was."""
    model, top = learner.start(), 2**31 - 2
    for k in range(6):
        model.update({1, 2} if k % 2 else {1}, k % 2 == 0)
    before, room = {name: array.copy() for name, array in model.arrays().items()}, model._room
    rows = [{1, top}, {2, 7, top - 1, top}, {top}]
    answers = [model.predict(row) for row in rows]
    assert answers == model.predict(rows).tolist() == [model.predict((np.array(sorted(row)), None)) for row in rows]
    assert answers == [model.explain(row).prediction for row in rows]
    assert model._room <= room + 16 and all(np.array_equal(array, before[name]) for name, array in model.arrays().items())
    with pytest.raises(ls.LittlestoneError, match="2147483646"):
        model.predict({top}, id="it will be learned from")


def test_an_event_is_copied_before_it_is_checked():
    for columns, numbers in ((np.array([1, 5], np.uint32), np.ones(2, np.float32)), (np.array([1, 5], np.uint32), None)):
        for model in (ls.perceptron().start(), ls.one_vs_rest(ls.perceptron()).start()):
            for use in (model.predict, lambda x, model=model: model.update(x, True), lambda x, model=model: model.observe(x, False)):
                use((columns, numbers))
                given = [array for array in (columns, numbers) if array is not None]
                assert not any(np.shares_memory(mine, yours) for mine in model._row[:2] for yours in given)


def test_columns_counted_from_one_are_predicted_in_batches_too():
    rows = [{1: 1}, {2: 1}, {3: 1}] * 5
    for learner in (ls.winnow(n=3), ls.perceptron(n=3), ls.one_vs_rest(ls.perceptron(n=3))):
        model = ls.play(learner, rows, [0, 0, 1] * 5).model
        assert model.predict(rows).tolist() == [model.predict(row) for row in rows] and model.predict({3: 1})
