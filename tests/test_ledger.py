"""Ledgers: what a model learned from; going on, rolling back, forgetting, comparing."""

import json
from importlib import import_module

import numpy as np
import pytest

import littlestone as ls
from littlestone.models.describe import described, made
from littlestone.models.file import read
from littlestone.protocol import Ledger


def drawn(rounds=300, n=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)).astype(np.float32) * (rng.random((rounds, n)) < 0.4)
    y = (X @ rng.standard_normal(n) + rng.standard_normal(rounds) > 0).astype(float)
    y[rng.random(rounds) < 0.05] = np.nan
    return X, y


def same(one, two):
    counts = [(m.rounds, m.mistakes, m.unlabelled, m.features, m.named, m.counted) for m in (one, two)]
    assert counts[0] == counts[1]
    assert one.learner.alike(one.state, two.state)
    assert (one.ledger is None) == (two.ledger is None)
    assert one.ledger is None or one.ledger.same(two.ledger)
    return True


LEARNERS = [
    ls.perceptron(bias=0),
    ls.perceptron(margin=2, bias=1),
    ls.passive_aggressive(),
    ls.alma(),
    ls.arow(bias="1/2"),
    ls.balanced_winnow(eta="1/4", margin="1/10"),
    ls.adaptive(),
    ls.memorizer(),
]


# ------------------------------------------------------------------------------------------------------------ ledgers


def test_a_ledger_of_ones_has_no_values_however_its_rounds_came():
    X, y = np.array([[2, 0], [0, 1], [1, 1], [0, 1]], np.float32), [1, 0, 1, 0]  # the first round is right, and no entry
    whole = ls.play(ls.perceptron(bias=0), X, y, ledger=True).model
    events = ls.perceptron(bias=0).start()
    for row, label in zip(X, y, strict=True):
        events.update(row, bool(label))
    for model in (whole, events):
        assert len(model.ledger) > 0 and model.ledger.values is None


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_events_and_blocks_keep_the_same_ledger(learner, tmp_path):
    X, y = drawn(80)
    batch = ls.play(learner, X, y, ledger=True).model
    events = learner.start()
    for row, label in zip(X, y, strict=True):
        events.update(row, None if np.isnan(label) else bool(label))
    batch.accounts = None
    assert learner.alike(batch.state, events.state)
    assert batch.ledger is events.ledger is None or batch.ledger.same(events.ledger)
    events.save(tmp_path / "m")
    same(ls.load(tmp_path / "m"), events)


def test_a_ledger_holds_the_mistakes_with_their_rows_labels_and_weights():
    X = [{"a": 1, "b": 2}, {"b": 1}, {"c": 3}, {"a": 1}]
    run = ls.play(ls.perceptron(bias=0), X, [0, None, 0, 1], sample_weight=[2, 1, 0.5, 1], ledger=True)
    entries = [(e.round, e.label, e.predicted, e.weight, e.indices.tolist(), e.values.tolist()) for e in run.model.ledger]
    assert entries == [
        (1, False, True, 2.0, [0, 1], [1.0, 2.0]),
        (3, False, True, 0.5, [2], [3.0]),
        (4, True, False, 1.0, [0], [1.0]),
    ]
    assert run.model.ledger.unlabelled.tolist() == [2]
    assert run.model.features == {"a": 0, "b": 1, "c": 2}


def test_a_margin_updates_on_correct_rounds_and_the_run_says_where():
    X, y = drawn()
    run = ls.play(ls.perceptron(margin=3, bias=0), X, y, ledger=True)
    wrong = run.predictions != (y == 1)
    assert run.updates.sum() > (wrong & ~np.isnan(y)).sum()
    assert run.model.ledger.rounds.tolist() == (np.flatnonzero(run.updates) + 1).tolist()
    assert ls.play(ls.perceptron(bias=0), X, y).updates is None
    assert ls.play(ls.arow(), X, y, check_invariants=True).updates.tolist() == ls.play(ls.arow(), X, y).updates.tolist()


def test_rows_with_and_without_values_make_one_ledger():
    ledger = Ledger()
    ledger.append(1, True, False, 1.0, np.array([3], np.uint32), None)
    ledger.append(2, False, True, 1.0, np.array([1, 2], np.uint32), np.array([0.5, 2], np.float32))
    ledger.append(4, False, True, 1.0, np.array([], np.uint32), None)
    assert ledger.values.tolist() == [1, 0.5, 2] and ledger.block().indptr.tolist() == [0, 1, 3, 3]
    assert ledger.find(2) == 1 and ledger.find(3) == -1
    ledger.silence(3), ledger.silence(1), ledger.silence(3)
    assert ledger.unlabelled.tolist() == [1, 3]


def test_a_model_may_be_told_to_keep_none():
    model = ls.perceptron(bias=0).start(ledger=False)
    model.update({0: 1}, False)
    assert model.ledger is None
    with pytest.raises(ls.LittlestoneError, match="has no ledger"):
        model.replay()


# ------------------------------------------------------------------------------------------- going on, back, without


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_going_on_equals_never_having_stopped(learner, tmp_path):
    X, y = drawn()
    whole = ls.play(learner, X, y, ledger=True)
    model = ls.play(learner, X[:100], y[:100], ledger=True).model
    model.save(tmp_path / "m")
    before = read(tmp_path / "m")
    run = ls.play(ls.load(tmp_path / "m"), X[100:], y[100:])
    same(run.model, whole.model)
    assert (run.rounds, run.mistakes, run.predictions.tolist()) == (whole.rounds, whole.mistakes, whole.predictions[100:].tolist())
    assert [(c.name, c.limit, c.observed) for c in run.bounds()] == [(c.name, c.limit, c.observed) for c in whole.bounds()]
    model.save(tmp_path / "m")  # the model that was given is as it was
    assert json.dumps(read(tmp_path / "m").head) == json.dumps(before.head)


def test_events_and_runs_take_turns():
    X, y = drawn(90)
    y = np.nan_to_num(y)
    whole = ls.play(ls.perceptron(bias=0), X, y, ledger=True).model
    model = ls.play(ls.perceptron(bias=0), X[:30], y[:30], ledger=True).model
    for row, label in zip(X[30:60], y[30:60], strict=True):
        model.update(row, bool(label))
    run = ls.play(model, X[60:], y[60:])
    same(run.model, whole)
    assert run.resumed and run.rounds == 30
    with pytest.raises(ls.LittlestoneError, match="earlier rounds"):
        run.bounds()


def test_a_narrower_stream_loses_no_weight():
    X, y = drawn(60)
    model = ls.play(ls.perceptron(bias=0), X, y, ledger=True).model
    after = ls.play(model, [{}], [None]).model
    assert model.learner.alike(after.state, model.state)


def test_names_are_shared_with_the_model():
    first = ls.play(ls.perceptron(bias=0), [{"a": 1}, {"b": 1}], [0, 0], ledger=True).model
    second = ls.play(first, [{"c": 1, "b": 1}], [0]).model
    assert second.features == {"a": 0, "b": 1, "c": 2} and first.features == {"a": 0, "b": 1}
    assert second.predict({"a": 1}) == 0 and second.observe({"d": 1}, False) == 1
    with pytest.raises(ls.LittlestoneError, match="column numbers after feature names"):
        ls.play(first, np.eye(2), [0, 1])
    with pytest.raises(ls.LittlestoneError, match="cannot be mixed"):
        ls.play(first, [{3: 1}], [0])
    columns = ls.play(ls.perceptron(bias=0), np.eye(2), [0, 1], ledger=True).model
    with pytest.raises(ls.LittlestoneError, match="cannot be mixed"):
        ls.play(columns, [{"a": 1}], [0])


@pytest.mark.parametrize("learner", [ls.perceptron(margin=1, bias=0), ls.arow(), ls.perceptron(n=12, bias=0), ls.memorizer()], ids=repr)
def test_rollback_is_the_model_as_it_stood(learner):
    X, y = drawn(60)
    model = ls.play(learner, X, y, ledger=True).model
    for t in (0, 1, 7, 33, 60):
        then = ls.play(learner, X[:t], y[:t], ledger=True).model
        back = model.rollback(t)
        assert (back.rounds, back.mistakes, back.unlabelled) == (then.rounds, then.mistakes, then.unlabelled)
        assert learner.alike(back.state, then.state) and back.ledger.same(then.ledger)
    same(ls.play(model.rollback(33), X[33:], y[33:]).model, model)
    for bad in (-1, 61, 2.5, True):
        with pytest.raises(ls.LittlestoneError, match="round="):
            model.rollback(bad)


def test_forgetting_a_round_is_learning_without_it():
    X, y = drawn(120)
    learner = ls.perceptron(margin=1, bias=0)
    model = ls.play(learner, X, y, ledger=True).model
    rounds = model.ledger.rounds
    for number in rounds[[0, 5, -1]].tolist():
        gone = model.forget(number)
        rows = [t - 1 for t in rounds.tolist() if t != number]
        other = ls.play(learner, X[rows], y[rows], ledger=True)
        assert learner.alike(gone.model.state, other.state)
        assert gone.model.mistakes == other.mistakes and gone.model.rows == model.rows
        kept = model.ledger.predictions[rounds != number]
        assert gone.otherwise == [rows[t] + 1 for t in np.flatnonzero(other.predictions != kept)]
        assert number not in gone.model.ledger.rounds and gone.taught and f"without round {number}" in repr(gone)
        weights = {i: (a, b) for i, (a, b) in enumerate(zip(model.state.w.tolist(), other.state.w.tolist(), strict=True)) if a != b}
        assert gone.weights == weights
        same(gone.model.replay(), gone.model)
    quiet = next(t for t in range(1, 121) if t not in set(rounds.tolist()) | set(model.ledger.unlabelled.tolist()))
    gone = model.forget(quiet)
    assert not gone.taught and not gone.weights and "taught nothing" in repr(gone)
    assert learner.alike(gone.model.state, model.state) and gone.model.rounds == model.rounds - 1


def test_who_always_updates_refers_to_the_stream(tmp_path):
    model = ls.adaptive().start()
    model.update({"a": 1}, True)
    model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    assert again.ledger is None and again.score({"a": 1}) == model.score({"a": 1})
    for act in (again.replay, lambda: again.rollback(0), lambda: again.forget(1)):
        with pytest.raises(ls.LittlestoneError, match="refers to the whole stream"):
            act()


def test_a_replay_that_makes_another_model_is_refused():
    model = ls.perceptron(bias=0).start()
    model.update({0: 1}, False), model.update({0: 1}, True), model.update({1: 1}, False)
    model.ledger.labels[0] = 1
    with pytest.raises(ls.LittlestoneError, match="round 2 of the ledger was predicted False, and replayed True"):
        model.replay()


def test_diff_tells_settings_counts_weights_and_rounds():
    X, y = drawn(60)
    one = ls.play(ls.perceptron(bias=0), X, y, ledger=True).model
    two = ls.play(ls.perceptron(bias=2), X[:50], y[:50], ledger=True).model
    found = one.diff(two)
    assert found and found.settings == {"bias": ("0", "2")} and set(found.counts) <= {"rounds", "mistakes"}
    assert set(found.only_first) == set(one.ledger.rounds.tolist()) - set(two.ledger.rounds.tolist())
    assert found.weights and "weights differ" in repr(found)
    assert not one.diff(one.replay()) and "the same" in repr(one.diff(one))


@pytest.mark.parametrize("name", ls.learners.names())
def test_every_learner_comes_back_from_its_text(name):
    for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES:
        learner = ls.learners.factory(name)(**settings)
        again = made(json.loads(json.dumps(described(learner))))
        assert repr(again) == repr(learner) and (again.n, again.updates_on) == (learner.n, learner.updates_on)
        numbers = [[p for p in one.params if isinstance(p, int | float | np.ndarray)] for one in (again, learner)]
        assert all(np.array_equal(a, b) for a, b in zip(*numbers, strict=True))


def test_halving_comes_back_by_the_name_of_its_class(tmp_path):
    for learner in (
        ls.halving("disjunctions", n=5, r=2),
        ls.halving("monotone_conjunctions", n=4, updates="mistakes"),
        ls.optimal("half_intervals", n=6),
    ):
        model = learner.start()
        model.update({0}, True)
        model.save(tmp_path / "m")
        same(ls.load(tmp_path / "m"), model)
    with pytest.raises(ls.LittlestoneError, match="cannot be written to a file"):
        ls.halving([[True, False], [False, False]]).start().save(tmp_path / "m")


def test_what_is_no_model_is_refused_by_name(tmp_path):
    from littlestone.models import save

    with pytest.raises(ls.LittlestoneError, match="Perceptron is no model"):
        save(ls.perceptron(bias=0), tmp_path / "m")
    with pytest.raises(ls.LittlestoneError, match="the label .* cannot be written to a file"):
        model = ls.multiclass_perceptron().start()
        model.update({0}, float("inf"))
        model.save(tmp_path / "m")
    with pytest.raises(ls.LittlestoneError, match="needs n, the number of experts"):
        ls.adahedge().start().save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_counted_n_admits_no_further_features(tmp_path):
    """Winnow's threshold and bounds rest on n: features that only a later stream has would make them false."""
    first, later = tmp_path / "a.libsvm", tmp_path / "b.libsvm"
    first.write_text("1 1:1 2:1\n0 1:1\n")
    later.write_text("0 1:1 2:1\n0 3:1 4:1\n0 5:1 6:1\n")
    model = ls.play(ls.winnow(), ls.open_stream(first), ledger=True).model
    model.save(tmp_path / "m.littlestone")
    for going_on in (model, ls.load(tmp_path / "m.littlestone")):
        with pytest.raises(ls.LittlestoneError, match=r"line 2: feature number 4, and this winnow was made for n=2"):
            ls.play(going_on, ls.open_stream(later, labels=(0, 1)))


@pytest.mark.parametrize(
    "learner",
    [ls.perceptron(margin=1, bias=0), ls.winnow(n=12), ls.multiclass_perceptron(), ls.one_vs_rest(ls.perceptron(bias=0))],
    ids=repr,
)
@pytest.mark.parametrize("by", ["events", "run"])
def test_a_ledger_that_is_full_begins_anew_after_a_snapshot(learner, by, tmp_path):
    rng = np.random.default_rng(1)
    rows = [{f"f{i}": 1 for i in rng.choice(12, 4, replace=False).tolist()} for _ in range(200)]
    y = [None if t % 17 == 3 else bool(v) for t, v in enumerate(rng.integers(0, 2, 200).tolist())]
    whole = ls.play(learner, rows, y, ledger=True).model
    if by == "run":
        model = ls.play(learner, rows, y, ledger=150, block_rows=7).model
    else:
        model = learner.start(ledger=150)
        for row, label in zip(rows, y, strict=True):
            model.update(row, label)
    begins = model.ledger.snapshot.round
    assert 0 < begins < 200 and len(model.ledger) < len(whole.ledger) and len(model.ledger.indices) <= 150
    model.save(tmp_path / "m")
    for kept in (model, ls.load(tmp_path / "m"), model.copy(), ls.play(model, [], []).model):
        assert learner.alike(kept.state, whole.state) and (kept.rounds, kept.mistakes) == (whole.rounds, whole.mistakes)
        assert learner.alike(kept.replay().state, whole.state) and kept.ledger.snapshot.round == begins
        for round in (begins, (begins + 200) // 2, 200):
            back, then = kept.rollback(round), whole.rollback(round)
            assert learner.alike(back.state, then.state)
            assert (back.rounds, back.mistakes, back.unlabelled) == (then.rounds, then.mistakes, then.unlabelled)
        for verb, round in ((kept.rollback, begins - 1), (kept.forget, begins)):
            with pytest.raises(ls.LittlestoneError, match=f"begins after round {begins}"):
                verb(round)
        gone, without = kept.forget(begins + 1).model, whole.forget(begins + 1).model
        assert learner.alike(gone.state, without.state) and gone.mistakes == without.mistakes
        assert kept.explain(rows[0]).prediction == whole.explain(rows[0]).prediction
    assert ls.load(tmp_path / "m").ledger.taught.tolist() == whole.ledger.taught.tolist()
