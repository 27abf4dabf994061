"""A model for each key: what comes out for a key is what its rounds alone give, bit for bit; stores, predictions, bounds."""

from importlib import import_module

import numpy as np
import pytest

import littlestone as ls
from littlestone import learners
from littlestone.models import keyed_states

OTHERS = {
    "panel": lambda: ls.panel(["perceptron", "naive_bayes"]),
    "conservative": lambda: ls.conservative(ls.arow()),
    "one_vs_rest": lambda: ls.one_vs_rest(ls.perceptron()),
    "multiclass_perceptron": ls.multiclass_perceptron,
    "class_panel": lambda: ls.class_panel(["perceptron", "naive_bayes"]),
}
BINARY = [(name, dict(sample)) for name in learners.names() for sample in import_module(f"littlestone.learners.binary.{name}").SAMPLES[:1]]


def keyed_rounds(learner, rounds=50, keys=5):
    """Rows that suit a learner, with their keys: some have many rounds, some one."""
    rng = np.random.default_rng(7)
    n = getattr(learner, "n", None) or 6
    if learner.domain == "real":
        X = rng.integers(-2, 3, (rounds, n)) * rng.choice([1.0, 0.3], (rounds, n))
    else:
        X = rng.integers(0, 2, (rounds, n)).astype(float)
    y = rng.integers(0, 3 if learner.kind == "several classes" else 2, rounds)
    if learner.name in ("halving", "optimal"):
        X[:], y[:] = 0, rng.integers(0, 2)
        X[:, 0] = 1
    return X, y, np.array([f"u{k}" for k in np.minimum(rng.geometric(0.3, rounds), keys)])


def every_learner():
    for name, sample in BINARY:
        yield pytest.param(lambda name=name, sample=sample: getattr(ls, name)(**sample), id=f"{name}-{'-'.join(map(str, sample.values()))}")
    for name, make in OTHERS.items():
        yield pytest.param(make, id=name)


def assert_alone(run, learner, X, y, keys, **how):
    for name in run.keys:
        own = keys == name
        alone = ls.play(learner, X[own], y[own], **how)
        assert run.predictions[own].tolist() == alone.predictions.tolist()
        here = run.key(name)
        assert (here.rounds, here.mistakes, here.nonzeros, here.changes) == (alone.rounds, alone.mistakes, alone.nonzeros, alone.changes)
        if learner.kind == "two classes":
            assert learner.alike(here.state, alone.state)
            assert [b.as_json() for b in here.bounds()] == [b.as_json() for b in alone.bounds()]


@pytest.mark.parametrize("make", list(every_learner()))
def test_each_key_is_the_run_of_its_rounds_alone(make, tmp_path):
    """Whatever the learner, the cut into blocks and the keys in memory; and a store is the same whether the run was stopped or not."""
    learner = make()
    X, y, keys = keyed_rounds(learner)
    learner = learner.sized(X.shape[1])
    run = ls.play(learner, X, y, key=keys, block_rows=17, resident=3)
    assert set(run.keys) == set(keys)
    assert_alone(run, learner, X, y, keys)
    run.model.save(tmp_path / "whole")
    ls.play(learner, X[:23], y[:23], key=keys[:23]).model.save(tmp_path / "half")
    rest = ls.play(ls.load(tmp_path / "half"), X[23:], y[23:], key=keys[23:])
    rest.model.save(tmp_path / "rest")
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (rest.rounds, rest.mistakes) == (run.rounds, run.mistakes)
    model = ls.load(tmp_path / "whole")
    for name in ("u1", "u3"):
        assert model.predict_many(X[:9], key=[name] * 9).tolist() == model.key(name).predict_many(X[:9]).tolist()


def test_one_compiled_call_plays_all_keys_alike(monkeypatch):
    learner = ls.perceptron()
    X, y, keys = keyed_rounds(learner)
    plain = ls.play(learner, X, y, key=keys)
    monkeypatch.setattr(keyed_states, "MANY", -1)
    fast = ls.play(learner, X, y, key=keys)
    assert fast.predictions.tolist() == plain.predictions.tolist()
    assert [fast.key(name).state.w.tobytes() for name in fast.keys] == [plain.key(name).state.w.tobytes() for name in plain.keys]
