"""One event at a time: names, columns, sets, arrays, rows; and input in every form that `play` takes."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import littlestone as ls
from littlestone.protocol.model import BinaryModel
from littlestone.streams import instances


def test_every_form_of_an_instance_is_the_same_instance():
    forms = [
        {0: 1.0, 2: 3.0},
        (np.array([0, 2]), np.array([1.0, 3.0])),
        np.array([1.0, 0.0, 3.0]),
        [1.0, 0.0, 3.0],
        (np.array([0, 2], np.uint32), np.array([1, 3], np.float32)),
    ]
    states = []
    for x in forms:
        model = ls.perceptron(bias=0).start()
        model.update(x, False)
        states.append(model.state.w.tolist())
    assert all(state == [-1.0, 0.0, -3.0] for state in states)
    assert ls.perceptron(bias=0).start().observe({0, 2}, False) is True


def test_features_may_appear_at_any_time_and_keep_their_names():
    model = ls.perceptron(bias=0).start()
    for k in range(200):
        model.observe({f"word {k}": 1.0, "the": 1.0}, k % 2 == 0)
    assert len(model.features) == 201 and model.features["the"] == 0  # names new in a row are numbered in UTF-8 order
    assert len(model.state.w) == 201


def test_predicting_gives_no_column_away():
    model = ls.winnow(n=3).start()
    model.update({"a": 1}, True)
    assert model.predict({"b": 1, "c": 1, "a": 1}) is True  # 2 + 1 + 1 ≥ 3
    assert list(model.features) == ["a"]
    with pytest.raises(ls.LittlestoneError, match="made for n=3"):
        model.observe({"b", "c", "d"}, True)


def test_a_dict_changed_between_predict_and_update_is_read_again():
    model, x = ls.perceptron(bias=0).start(), {0: 1.0}
    model.predict(x)
    x[0] = 5.0
    model.update(x, False)
    assert model.state.w.tolist() == [-5.0]
    model.predict(x)
    x.clear()
    x[1] = 2.0
    model.update(x, False)
    assert model.state.w.tolist() == [-5.0, -2.0]


def test_rounds_without_a_label_are_not_counted():
    model = ls.perceptron(bias=0).start()
    assert model.observe({0: 1}, None) is True and model.observe({0: 1}, float("nan")) is True
    assert (model.rounds, model.mistakes) == (0, 0)


def test_index_0_and_index_n_together_are_one_too_many():
    model = ls.winnow(n=4).start()
    model.observe({4}, True)
    with pytest.raises(ls.LittlestoneError, match="numbered 0 to 3, or 1 to 4"):
        model.observe({0}, True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.bool_])
def test_play_takes_every_form_of_data(dtype):
    rng = np.random.default_rng(0)
    dense = (rng.random((200, 12)) < 0.3).astype(dtype)
    y = rng.integers(0, 2, 200)
    expected = ls.play(ls.perceptron(bias=0), dense, y).predictions.tolist()
    dicts = [{i: float(v) for i, v in enumerate(row) if v} for row in dense]
    for X in (
        sp.csr_matrix(dense),
        sp.csr_array(dense),
        sp.coo_matrix(dense),
        sp.csc_matrix(dense),
        dense.tolist(),
        dicts,
        [set(d) for d in dicts],
    ):
        assert ls.play(ls.perceptron(bias=0), X, y).predictions.tolist() == expected
    for labels in (y.astype(bool), 2 * y - 1, y.tolist(), (2 * y - 1).astype(float)):
        predictions = ls.play(ls.perceptron(bias=0), dense, labels).predictions
        assert [label > 0 for label in predictions.tolist()] == list(map(bool, expected))
        assert set(predictions.tolist()) == set(np.unique(labels).tolist())  # in the labels that came in
    for negative, positive in ((1, 2), ("ham", "spam")):
        run = ls.play(ls.perceptron(bias=0), dense, np.where(y, positive, negative))
        assert run.predictions.tolist() == [positive if prediction else negative for prediction in expected]


def test_labels_may_be_missing():
    run = ls.play(ls.perceptron(bias=0), np.eye(3), [1, None, 0])
    assert (run.rounds, run.unlabelled) == (2, 1)
    assert ls.play(ls.perceptron(bias=0), np.eye(3), [None] * 3).rounds == 0
    assert ls.play(ls.perceptron(bias=0), np.eye(3), [1.0, np.nan, 0.0]).rounds == 2


def test_explicit_zeros_are_absent():
    X = sp.csr_matrix((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 2]), np.array([0, 2, 3])), shape=(2, 3))
    run = ls.play(ls.winnow(), X, [1, 1])
    assert run.state.e.tolist() == [1, 0, 1]


def test_a_malformed_matrix_is_refused_before_a_kernel_sees_it():
    X = sp.csr_matrix((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    X.indices[1] = 9
    with pytest.raises(ls.LittlestoneError, match="column 9"):
        ls.play(ls.perceptron(bias=0), X, [1, 0])
    X.indices[1] = -1
    with pytest.raises(ls.LittlestoneError, match="column -1"):
        ls.play(ls.perceptron(bias=0), X, [1, 0])


def test_names_in_a_list_of_dicts_get_columns_in_order():
    rows = [{"free": 1, "offer": 1}, {"hello": 1}, {"free": 2}]
    run = ls.play(ls.perceptron(bias=0), rows, [0, 1, 0])
    assert run.state.w.tolist() == [-1.0, -1.0, 0.0]
    with pytest.raises(ls.LittlestoneError, match="cannot be mixed"):
        ls.play(ls.perceptron(bias=0), [{"a": 1, 3: 1}], [1])
    with pytest.raises(ls.LittlestoneError, match="round 2: feature 'b' has value b'x'"):
        ls.play(ls.perceptron(bias=0), [{"a": 1}, {"b": b"x"}], [1, 0])
    with pytest.raises(ls.LittlestoneError, match="round 1: feature 3 has value 'x'"):
        ls.play(ls.perceptron(bias=0), [{3: "x"}], [1])


def test_a_dict_with_texts_is_a_row_of_a_table(tmp_path):
    rows = [{"carrier": "UA", "hour": 6, "late": True}, {"carrier": " AA", "hour": None}, {"carrier": "?", "hour": 7, "late": False}]
    names = ["carrier=UA", "hour", "late", "carrier=AA", "hour is missing", "carrier is missing"]
    model = ls.arow().start()
    for x, y in zip(rows, [1, 0, 1], strict=True):
        model.predict(x), model.update(x, y)
    run = ls.play(ls.arow(), rows, [1, 0, 1])
    assert list(model.features) == list(run.model.features) == names
    assert [model.score(x) for x in rows] == run.model.scores(rows).tolist()
    text = "".join(json.dumps({**row, "y": y}) + "\n" for row, y in zip(rows, [1, 0, 1], strict=True))
    (tmp_path / "a.jsonl").write_text(text)
    of_file = ls.play(ls.arow(), ls.open_stream(tmp_path / "a.jsonl"))
    assert set(of_file.model.features) == set(names) and (of_file.predictions == run.predictions).all()
    certificate = ls.certify(run, rows, [1, 0, 1])
    assert "verified and replayed" in str(ls.verify(certificate, rows, [1, 0, 1], replay=True))
    with pytest.raises(ls.LittlestoneError, match="feature 'a=b' stands twice"):
        model.predict({"a": "b", "a=b": 1})


def test_results_do_not_depend_on_the_hash_seed(tmp_path):
    import os
    import subprocess
    import sys

    code = (
        "import littlestone as ls, random\n"
        "random.seed(1); m = ls.balanced_winnow(eta='1/3').start()\n"
        "for t in range(300): m.observe({f'w{random.randrange(50)}': random.random() for _ in range(5)}, random.random() < .5)\n"
        "print(m.mistakes, m.state.c.tobytes().hex())"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outs) == 1


def test_a_refused_event_leaves_the_model_as_it_was():
    model = ls.winnow(n=4).start()
    for column in (2_000_000_000, 1_000_000_000, 10, 9):
        with pytest.raises(ls.LittlestoneError, match="out of range"):
            model.observe({column}, True)
    model = ls.perceptron(bias=0).start()
    x = {0: 1.0}
    model.observe({0: 1.0, 7: 1.0}, True)
    model.predict(x)
    with pytest.raises(ls.LittlestoneError, match="finite"):
        model.predict({5: float("nan")})
    model.update(x, False)
    assert model.state.w.tolist() == [-1.0] + [0.0] * 7


def test_a_malformed_block_is_refused_before_a_kernel_sees_it():
    for indptr, label in (([0, 10**9], 0), ([-(10**9), 1], 0), ([0, 1], 5), ([0, 1], -9)):
        block = ls.Block(np.array(indptr), np.zeros(1, np.uint32), None, np.array([label], np.int32))
        with pytest.raises(ls.LittlestoneError, match=r"block\.indptr must grow"):
            ls.play(ls.perceptron(bias=0), block)


def test_a_malformed_block_is_refused_by_what_copies_its_rows():
    for indptr in ([0, 10**9], [-(10**9), 1], [0, -(10**9), 1], [0, 10**9, 1], [2**62, 1]):
        block = ls.Block(np.array(indptr), np.zeros(1, np.uint32), np.ones(1, np.float32), np.zeros(len(indptr) - 1, np.int32))
        for copied in (block.ordered, lambda block=block: block.rows(np.zeros(1, np.int64))):
            with pytest.raises(ls.LittlestoneError, match=r"block\.indptr must grow"):
                copied()


def test_a_block_that_others_change_while_it_is_played_is_refused():
    block = ls.Block(np.array([0, 1, 2]), np.zeros(2, np.uint32), np.ones(2, np.float32), np.zeros(2, np.int32))
    pieces = instances._owned(block, 1, sorts=True)
    next(pieces)
    block.indptr[2] = 10**9
    with pytest.raises(ls.LittlestoneError, match=r"block\.indptr must grow"):
        next(pieces)


def test_numbers_that_do_not_fit_are_refused_not_wrapped():
    model = ls.perceptron(bias=0).start()
    model.observe({0: 5.0}, True)
    for x in ({1: "3"}, (np.array([2**32 + 1]), np.array([1.0])), {0: 10**400}):
        with pytest.raises(ls.LittlestoneError):
            model.observe(x, False)


def test_a_model_resumes_from_its_state():
    model = ls.perceptron(bias=0).start()
    model.observe({5: 1.0}, False)
    assert ls.perceptron(bias=0).start(model.state).state.w.tolist() == model.state.w.tolist()


def test_weights_of_the_wrong_kind_are_refused():
    X, y = np.eye(3), [1, 0, 1]
    for learner in (ls.arow(), ls.one_vs_rest(ls.arow())):
        for bad in ("balanced", [1, 2]):
            with pytest.raises(ls.LittlestoneError, match="a weight for each label"):
                ls.play(learner, X, y, class_weight=bad)
    with pytest.raises(ls.LittlestoneError, match="must be numbers"):
        ls.play(ls.arow(), X, y, sample_weight=["a"] * 3)


def test_the_first_feature_out_of_range_is_named():
    with pytest.raises(ls.LittlestoneError, match="round 2: feature index 5 is out of range"):
        ls.play(ls.winnow(n=3), [{1: 1}, {5: 1}, {9: 1}], [1, 0, 1])


def test_names_that_are_new_go_the_quick_way_as_the_long_one(monkeypatch):
    """Predicted, learned, refused in the middle: columns, state and ledger are those of the way that says what is wrong."""
    rng = np.random.default_rng(5)
    rows = [{f"c{j}={v}": float(j + 1) for j, v in enumerate(rng.geometric(0.1, 6).tolist())} for _ in range(150)]
    rows[70]["new and bad"] = float("nan")
    rows[90] |= {"new": 1.0, "worse": "text"}
    quick, made, taken = BinaryModel._quick, [], []
    monkeypatch.setattr(BinaryModel, "_open_fast_path", lambda self: None)

    def counted(self, x, learn):
        before = len(self.features)
        found = quick(self, x, learn)
        taken.append(found and len(self.features) > before)
        return found

    for way in (counted, lambda self, x, learn: False):
        monkeypatch.setattr(BinaryModel, "_quick", way)
        for n in (None, 40):
            model, told = ls.perceptron(n=n).start(), []
            for t, row in enumerate(rows):
                try:
                    known = len(model.features)
                    told.append(model.predict(row))
                    assert len(model.features) == known
                    model.update(row, t % 3 == 0)
                except ls.LittlestoneError as error:
                    told.append(str(error))
            made.append(
                (told, dict(model.features), model.state.w.tolist(), model.mistakes, [entry.indices.tolist() for entry in model.ledger])
            )
    assert made[:2] == made[2:] and sum(taken) > 5


NOTHING = [None, float("nan"), np.float64("nan"), np.float32("nan"), np.float16("nan"), "NA"]


@pytest.mark.parametrize("name", ["perceptron", "arow", "winnow", "panel"])
@pytest.mark.parametrize("nothing", NOTHING[1:], ids=repr)
def test_nan_in_a_dict_is_missing_as_none_is(name, nothing):
    """In a run, in predictions and in events, the compiled ones among them; infinity is refused as ever."""
    rng = np.random.default_rng(4)
    learner = {"panel": ls.panel("perceptron arow"), "winnow": ls.winnow(n=9)}.get(name) or getattr(ls, name)()
    values = [[int(v) for v in rng.integers(0, 2, 3)] for _ in range(1200)]
    y = [a + b > 1 for a, b, _ in values]

    def rows(missing):
        return [{"a": missing if t % 7 == 3 else a, "b": b, "c": c if t % 5 else missing} for t, (a, b, c) in enumerate(values)]

    plain, other = rows(None), rows(nothing)
    runs = [ls.play(learner, table, y) for table in (plain, other)]
    assert runs[0].predictions.tolist() == runs[1].predictions.tolist() and list(runs[0].model.features) == list(runs[1].model.features)
    assert "a is missing" in runs[1].model.features
    assert runs[0].model.predict(plain[:20]).tolist() == runs[1].model.predict(other[:20]).tolist()
    one, two = learner.start(), learner.start()
    for row, same, label in zip(plain, other, y, strict=True):
        assert one.predict(row) == two.predict(same)
        assert one.observe(row, label) == two.observe(same, label)
    assert learner.alike(one.state, two.state) and list(one.features) == list(two.features)
    assert one.mistakes == two.mistakes == runs[1].mistakes and learner.alike(one.state, runs[1].state)
    for infinite in (float("inf"), np.float32("-inf")):
        for event in (two.predict, lambda row: two.observe(row, True), lambda row: ls.play(learner, [row], [True])):
            with pytest.raises(ls.LittlestoneError, match="expected a finite number|boolean features"):
                event({"a": infinite, "b": 1.0})


def test_nan_in_a_row_of_a_table_is_missing_as_in_its_file(tmp_path):
    (tmp_path / "t.csv").write_text("age,km,y\n" + "30,2,b\n,1,a\n50,3,b\n20,,a\n" * 20)
    model = ls.play(ls.panel("perceptron arow"), ls.open_stream(tmp_path / "t.csv", label="y")).model
    for nothing in NOTHING:
        assert model.score({"age": nothing, "km": 1.0}) == model.score({"age is missing": 1.0, "km": 1.0}) != model.score({"km": 1.0})
        again = model.copy()
        again.update({"age": nothing, "km": 1.0}, "a")
        assert again.rounds == model.rounds + 1 and list(again.features) == list(model.features)
