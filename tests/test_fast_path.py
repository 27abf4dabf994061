"""The fast path: events in one native call are what they are in Python, bit for bit, and what is not plain is played in Python."""

import contextlib
import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from threading import Thread

import numpy as np
import pytest

import littlestone as ls
from littlestone.kernels import native
from littlestone.protocol import ledger as ledgers
from littlestone.protocol import model as models

METHODS = ("predict", "update", "observe")
LEARNERS = {
    "perceptron": lambda: ls.perceptron(),
    "margin": lambda: ls.perceptron(margin="1/2"),
    "arow": lambda: ls.arow(),
    "adaptive": lambda: ls.adaptive(),
    "winnow": lambda: ls.winnow(n=200),
    "winnow_elimination": lambda: ls.winnow_elimination(n=200),
    "winnow_real": lambda: ls.winnow_real(n=200),
    "pairs": lambda: ls.pairs(),
    "memorizer": lambda: ls.memorizer(),
    "panel": lambda: ls.panel(),
}


def without_fast_path(learner, **how):
    """A model whose events are all played in Python."""
    model = learner.start(**how)
    model._open_fast_path = lambda: None
    return model


def is_native(model):
    """Whether the fast path is to be open after the first events."""
    return isinstance(model.learner.native_for(model._state), native.core.AnyLearner)


def rows(domain, rng, count=300):
    """Rows of columns, of names, of arrays: known ones and new ones."""
    for t in range(count):
        columns = np.unique(rng.geometric(0.05, rng.integers(1, 9))).clip(0, 150)
        values = np.ones(len(columns)) if domain == "boolean" else rng.random(len(columns)).round(3)
        yield columns.tolist(), values.tolist(), bool((columns.sum() + t) % 3)


def outcome(model, x, y):
    """What one round leads to: the prediction, or what is said."""
    try:
        yhat = model.predict(x)
        if y is None:
            return yhat, model.observe(x, True)
        model.update(x, y)
        return yhat
    except ls.LittlestoneError as error:
        return str(error)


def same(a, b):
    assert (a.rounds, a.mistakes, a.unlabelled, dict(a.features), a.named) == (
        b.rounds,
        b.mistakes,
        b.unlabelled,
        dict(b.features),
        b.named,
    )
    assert all(np.array_equal(x, y) for x, y in zip(a.state, b.state, strict=True))
    assert (a.ledger is None) == (b.ledger is None) and (a.ledger is None or a.ledger.same(b.ledger))


@pytest.mark.parametrize("form", ["columns", "names", "arrays"])
@pytest.mark.parametrize("name", LEARNERS)
def test_events_on_the_fast_path_are_those_in_python(name, form):
    quick, slow = LEARNERS[name]().start(), without_fast_path(LEARNERS[name]())
    for columns, values, y in rows(quick.learner.domain, np.random.default_rng(7)):
        x = dict(zip(columns, values, strict=True))
        if form == "names":
            x = {f"f{column}": value for column, value in x.items()}
        elif form == "arrays":
            x = np.array(columns, np.uint32), np.array(values, np.float32)
        assert outcome(quick, x, y) == outcome(slow, x, y)
    assert (quick._fast is not None) == is_native(quick) and slow._fast is None
    same(quick, slow)


def test_the_fast_path_takes_what_is_plain_and_nothing_else(monkeypatch):
    model = ls.perceptron().start()
    for _ in range(3):
        model.update({0: 1.0, 5: 2.0}, False)
    sent_on: list = []
    for method in METHODS:
        monkeypatch.setattr(models.BinaryModel, f"_{method}_in_python", lambda self, x, *others, **named: sent_on.append(x))
    for x in ({0: 1.0, 5: 2}, (np.array([0, 5], np.uint32), np.ones(2, np.float32))):
        assert model.predict(x) is False and model.observe(x, False) is False and model.update(x, False, 1.0) is None
    assert not sent_on and model.rounds == 7
    strange = [
        {},
        {0: np.nan},
        {0: np.inf},
        {0: 1e39},
        {0: 2**60},
        {0: -(2**63)},
        {0: "1"},
        {0: True},
        {0: None},
        {-1: 1.0},
        {6: 1.0},
        {2**70: 1.0},
        {2**61 + 1000: 1.0},
        {2**62 + 5: 1.0},
        {5: 1.0, 2**62 + 5: 1.0},
        {2**63 - 1: 1.0},
        {True: 1.0},
        {"a": 1.0},
        dict.fromkeys(range(2000), 1.0),
        (np.array([0, 5]), np.ones(2, np.float32)),
        (np.array([5, 0], np.uint32), np.ones(2, np.float32)),
        (np.array([0, 6], np.uint32), np.ones(2, np.float32)),
        (np.array([0, 5], np.uint32), np.array([1, np.nan], np.float32)),
        (np.array([0, 5], np.uint32), np.array([1, -np.inf], np.float32)),
        (np.array([0, 5, 6], np.uint32), np.ones(2, np.float32)),
        (np.arange(6, dtype=np.uint32)[::5], np.ones(2, np.float32)),
        (np.array([[0], [5]], np.uint32), np.ones(2, np.float32)),
        (np.array([0, 5], ">u4"), np.ones(2, np.float32)),
        (np.array([0, 5], np.int32), np.ones(2, np.float32)),
        (np.array([0, 5], np.uint32), np.ones(2)),
        (np.array([0, 5], np.uint32), np.array([1, 0], np.float32)),
        (np.ma.array([0, 5], dtype=np.uint32), np.ones(2, np.float32)),
        (np.array([0, 5], np.uint32), None),
        ([0, 5], [1.0, 1.0]),
        (np.array([0, 5], np.uint32),),
        [1.0, 0.0],
        {0, 5},
        "text",
        None,
    ]
    before = model.state.w.copy()
    for x in strange:
        sent_on.clear()
        model.predict(x), model.update(x, True), model.observe(x, True)
        assert len(sent_on) == 3, x
    x = {0: 1.0, 5: 2.0}
    model.update(x, 1), model.update(x, None), model.update(x, True, 2.0), model.update(x, True, 1), model.predict(x, id="id")
    assert len(sent_on) == 8 and np.array_equal(before, model.state.w) and (model.rounds, model.mistakes) == (7, 1)


@pytest.mark.parametrize("name", ["perceptron", "winnow", "winnow_real"])
def test_odd_rows_among_plain_ones_are_refused_or_taken_as_ever(name):
    quick, slow = LEARNERS[name]().start(), without_fast_path(LEARNERS[name]())

    class Text(str):
        """A text of a type of its own."""

    plain = {"a": 1.0, "b": 1}
    odd = [
        {"a": np.nan},
        {Text("c"): 1.0},
        {"c": 1.0},
        {"a": 0},
        {"a": 2.5},
        {"a": 0.99999999},
        {"a": 1.00000001},
        {"a": -1},
        {"a": np.float64(1)},
        {"a": True},
        {"a", "d"},
        {3: 1.0},
    ]
    odd += [{"a": 1.0, "e": "x"}, {"a": 1, "g": 1}, {}, {"h": 1.0, 4: 1.0}, {"a": 1e300}]
    for k, x in enumerate([plain, plain, plain, *(row for each in odd for row in (each, plain))]):
        assert outcome(quick, x, k % 3 != 0) == outcome(slow, x, k % 3 != 0), x
        assert outcome(quick, x, None) == outcome(slow, x, None), x
    assert quick._fast is not None and all(type(name) is str for name in quick.features)
    same(quick, slow)


def test_what_changes_between_prediction_and_label_is_seen_on_the_fast_path():
    model = ls.perceptron(bias=0).start()
    for _ in range(3):
        model.update({0: 1.0, 1: 1.0}, True)
    assert model._fast is not None and model.state.w.tolist() == [0.0, 0.0]
    x = {0: 1.0}
    model.predict(x)
    x[0] = 5.0
    model.update(x, False)
    assert model.state.w.tolist() == [-5.0, 0.0]
    model.predict(x)
    x.clear()
    x[1] = 2.0
    model.update(x, False)
    assert model.state.w.tolist() == [-5.0, -2.0]


def test_a_prediction_on_the_fast_path_changes_nothing():
    model = ls.perceptron().start()
    for _ in range(3):
        model.update({"a": 1.0}, False)
    names, ledger = dict(model.features), len(model.ledger)
    assert model._fast is not None and [model.predict({"a": 1.0, "new": 9.0}) for _ in range(3)] == [False] * 3
    assert (dict(model.features), len(model.ledger), model.rounds) == (names, ledger, 3)


@pytest.mark.parametrize("limit", [1, 7, 40, 10**6])
def test_a_ledger_is_cut_where_it_would_be_in_python(limit):
    quick = ls.perceptron().start(ledger=limit)
    slow = without_fast_path(ls.perceptron(), ledger=limit)
    for columns, values, y in rows("real", np.random.default_rng(3), 200):
        for model in (quick, slow):
            model.update(dict(zip(columns, values, strict=True)), y)
    assert quick._fast is not None
    same(quick, slow)
    same(quick.replay(), quick)


def test_a_page_that_is_full_goes_into_the_ledger(monkeypatch):
    monkeypatch.setattr(ledgers, "PAGE_FEATURES", 50)
    monkeypatch.setattr(ledgers, "PAGE_ENTRIES", 4)
    quick, slow = ls.perceptron().start(), without_fast_path(ls.perceptron())
    for columns, values, y in rows("real", np.random.default_rng(4), 200):
        for model in (quick, slow):
            model.update(dict(zip(columns, values, strict=True)), y)
    same(quick, slow)


def test_a_copy_of_a_ledger_shares_no_page():
    model = ls.perceptron().start()
    for _ in range(6):
        model.update({0: 1.0}, False)
        model.update({0: 1.0}, True)
    assert model.ledger.page is not None
    for other in (copy.copy(model.ledger), copy.deepcopy(model.ledger), pickle.loads(pickle.dumps(model.ledger)), model.copy().ledger):
        assert other.page is None and other.same(model.ledger)
    twin = pickle.loads(pickle.dumps(model))
    same(twin, model)


def on_the_fast_path(*rows, **how):
    """A model of features by name whose fast path is open."""
    model = ls.perceptron(**how).start()
    for x in rows or ({"a": 1.0},) * 3:
        model.update(x, False)
    assert model._fast is not None
    return model


def test_a_method_keeps_its_model_and_a_model_is_gone_when_nobody_has_it():
    predict = on_the_fast_path().predict
    assert predict({"a": 1.0}) is False and predict.__self__.rounds == 3
    there = weakref.ref(predict.__self__)
    gc.disable()
    try:
        del predict
        assert there() is None
    finally:
        gc.enable()


def test_events_keep_no_hold_of_what_they_are_given():
    model = on_the_fast_path()
    row, odd, label = {"some name": 1.5, "another": 2.5}, {"some name": "text"}, ["ham", "spam"]
    model.reading = {"labels": label}
    things = [*row, *row.values(), row, *label, None, True, False]
    model.update(row, True)

    def play(times):
        for k in range(times):
            model.predict(row), model.observe(row, k % 3 == 0), model.predict(row), model.update(row, k % 2 == 0)
            with contextlib.suppress(ls.LittlestoneError):
                model.predict(odd)
        model.update({"a": 1.0}, True)

    play(10)
    assert model._fast is not None
    before = [sys.getrefcount(thing) for thing in things]
    play(1000)
    assert all(abs(sys.getrefcount(thing) - count) < 500 for thing, count in zip(things, before, strict=True))


def test_methods_say_what_is_missing_and_take_arguments_by_name():
    model = on_the_fast_path()
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        model.update({"a": 1.0})
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        model.predict({"a": 1.0}, name=3)
    assert model.predict({"a": 1.0}, id="x") is False and model.update(y=True, x={"a": 1.0}) is None and model.mistakes == 2


def test_a_method_works_after_the_fast_path_was_closed():
    model = on_the_fast_path()
    update, observe = model.update, model.observe
    model.ledger = None
    assert model._fast is None
    assert observe({"a": 1.0}, True) is False and model._fast is not None and update({"a": 1.0}, True) is None
    assert (model.rounds, model.mistakes, model.ledger) == (5, 2, None)


def test_a_method_that_was_taken_from_a_panel_knows_a_third_label():
    model = ls.panel(["perceptron", "arow"]).start()
    update, predict = model.update, model.predict
    for row, y in (({"leaf"}, 0), ({"bean"}, 1), ({"leaf"}, 0), ({"cow"}, 2), ({"cow"}, 2)):
        update(row, y)
    assert type(model).__name__ == "ClassModel" and predict({"bean"}) == 1 and model.rounds == 5


def test_a_model_that_another_thread_has_is_waited_for():
    model, said = on_the_fast_path(), []
    thread = Thread(target=lambda: said.append(model.observe({"a": 1.0}, False)))
    with model.lock:
        assert model.predict({"a": 1.0}) is False  # who has it goes on
        thread.start()
        thread.join(0.05)
        assert not said and model.rounds == 3
    thread.join()
    assert said == [False] and model.rounds == 4


def test_a_prediction_is_remembered_until_something_changes():
    model, twin = ls.perceptron(bias=0).start(), without_fast_path(ls.perceptron(bias=0))
    x, other = {"a": 1.0, "b": 2.0}, {"a": 1.0, "new": 1.0}
    steps = [lambda m: m.update(x, False)] * 3 + [
        lambda m: (m.predict(x), m.update(x, None), m.update(x, True)),
        lambda m: (m.predict(x), m.update(dict(x), True), m.update(x, False)),
        lambda m: (m.predict(x), m.update(x, 0), m.update(x, False), m.update(x, True)),
        lambda m: (m.predict(other), m.update({"newer": 1.0}, None), m.update(other, True)),
        lambda m: (m.predict({"b": 1.0, "newest": 1.0}), m.observe({"b": 1.0, "newest": 1.0}, False)),
    ]
    for step in steps:
        assert step(model) == step(twin)
        same(model, twin)
    assert model._fast is not None


def test_what_members_said_of_a_row_is_forgotten_where_something_comes_between():
    model, twin = ls.panel().start(), without_fast_path(ls.panel())
    rng, between = np.random.default_rng(11), [
        lambda m, other: None,
        lambda m, other: m.score(other),
        lambda m, other: m.predict({**other, 3: np.inf}),
        lambda m, other: m.predict({**other, 10_000: 1.0}),
        lambda m, other: m.update(other, True, 2.0),
        lambda m, other: m.update(other, None),
        lambda m, other: m.predict_many([other, other]),
        lambda m, other: m.update({**other, 400 * (m.rounds + 1): 1.0}, False),
    ]  # fmt: skip
    for t in range(120):
        x, other = ({int(column): float(rng.random()) for column in rng.permutation(60)[:6]} for _ in range(2))
        for m in (model, twin):
            m.predict(x)
            with contextlib.suppress(ls.LittlestoneError):
                between[t % len(between)](m, other)
            m.update(x, bool(t % 3))
    assert (model._fast is not None) == is_native(model)
    same(model, twin)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_the_fast_path_is_open_to_a_child():
    model = on_the_fast_path()
    process = os.fork()
    if not process:
        os._exit(int(model.observe({"a": 1.0}, True) is not False or model.mistakes != 2 or model._fast is None))
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def test_the_state_may_move_and_the_fast_path_with_it():
    model = ls.perceptron(bias=0).start()
    for k in range(2000):
        model.update({f"w{k}": 1.0}, False)
        if k == 10:
            first = model._fast
    assert model._fast is not first and first.predict({"w1": 1.0}) is None
    assert model._fast is not None and model.state.w.tolist() == [-1.0] * 2000 and len(model.features) == 2000


@pytest.mark.parametrize("method", ["update", "observe"])
def test_an_event_that_waits_for_the_lock_is_played_where_the_state_is_by_then(method):
    model, x = ls.perceptron(bias=0).start(), {"a": 1.0}
    for y in (False, True, False):
        model.update(x, y)
    fast, thread = model._fast, Thread(target=lambda: getattr(model, method)(x, True))
    assert fast is not None
    with model.lock:
        thread.start()
        thread.join(0.05)
        for k in range(200):
            model.update({f"w{k}": 1.0}, False)
        assert model._fast is not fast and model.rounds == 203 and thread.is_alive()
    thread.join()
    assert (model.rounds, model.mistakes, model.state.w.tolist()) == (204, 204, [0.0, *[-1.0] * 200])


def test_a_model_may_live_as_long_as_the_process():
    lines = [
        "import sys, threading, time, littlestone as ls",
        "model = ls.perceptron().start()",
        "for y in (False, True, False): model.update({'a': 1.0}, y)",
        "assert model._fast is not None",
        "sys.model = model.itself = model",
        "threading.Thread(target=lambda: (model, time.sleep(100)), daemon=True).start()",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_the_garbage_collector_runs_may_call_the_model():
    model, twin = ls.perceptron().start(), without_fast_path(ls.perceptron())
    rng, asked = np.random.default_rng(3), []

    class Asks:
        def __init__(self):
            self.own = self

        def __del__(self):
            x = {"b": 2.0, f"w{len(asked) % 7}": 1.0}
            asked.append(model.predict(x) == (model.score(x) >= 0))

    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(500):
            x, y = {f"w{k}": float(rng.random()) for k in rng.integers(0, 9, 3).tolist()}, bool(rng.random() < 0.5)
            Asks()
            assert model.predict(x) == twin.predict(x)
            Asks()
            model.update(x, y), twin.update(x, y)
    finally:
        gc.set_threshold(*thresholds)
    assert model._fast is not None and len(asked) > 900 and all(asked)
    same(model, twin)


def test_an_operating_point_closes_the_fast_path():
    model = ls.perceptron().start()
    for _ in range(3):
        model.update({"a": 1.0}, False)
    assert model._fast is not None
    model.operating = object()
    assert model._fast is None
    model.operating = None
    model.update({"a": 1.0}, False)
    model.update({"a": 1.0}, False)
    assert model._fast is not None
