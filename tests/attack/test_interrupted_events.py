"""Events that an exception interrupts, at every line and at random moments: each has happened or has not, and no lock is held after it."""

import gc
import os
import random
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError

SOURCE = str(Path(ls.__file__).parent)
SEED, ATTACKS = int(os.environ.get("LITTLESTONE_SEED", "0")), int(os.environ.get("LITTLESTONE_ATTACKS", "1"))
LEARNERS = {
    "perceptron": ls.perceptron(),
    "averaged": ls.perceptron(averaged=True),
    "passive_aggressive": ls.passive_aggressive(),
    "naive_bayes": ls.naive_bayes(),
    "memorizer": ls.memorizer(),
    "panel": ls.panel(["perceptron", "arow"]),
    "several": ls.multiclass_perceptron(),
    "one_vs_rest": ls.one_vs_rest(ls.perceptron()),
    "votes": ls.weighted_majority(n=4),
    "probabilities": ls.adahedge(n=4, advice="probability"),
}


class Interrupt(BaseException):
    """What a signal's handler raises."""


def rows_for(learner, count, seed=0):
    """Rows by name, each with a name that is new now and then, and labels; of rules rows of votes."""
    draw = random.Random(seed)
    labels = [draw.randrange(3 if learner.kind == "several classes" else 2) for _ in range(count)]
    if learner.kind == "advice":
        return [[draw.randrange(2) for _ in range(4)] for _ in range(count)], labels
    rows = [{f"f{draw.randrange(8 + k)}": 1.0, f"g{draw.randrange(5)}": 2.0, f"h{y}": 1.0} for k, y in enumerate(labels)]
    return rows, labels


def free(lock):
    """True if another thread could take the lock."""
    taken = []

    def take():
        if lock.acquire(timeout=5):
            taken.append(True)
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return bool(taken)


def picture(model):
    """What a model consists of: its counts, its state, its ledger and the names that it knows."""
    arrays = {name: array.copy() for name, array in model.arrays().items()}
    ledger = None if model.ledger is None else model.ledger.copy()
    more = [list(model.features), list(getattr(model, "classes", ())), sorted(model.waiting), getattr(model, "awake", None)]
    return model.counts(), arrays, ledger, more


def same(one, other):
    counts, arrays, ledger, more = one
    counts_2, arrays_2, ledger_2, more_2 = other
    alike = arrays.keys() == arrays_2.keys() and all(np.array_equal(arrays[name], arrays_2[name], equal_nan=True) for name in arrays)
    return (
        counts == counts_2 and alike and more == more_2 and (ledger is None) == (ledger_2 is None) and (not ledger or ledger.same(ledger_2))
    )


def interrupted_at(line, event):
    """Do an event, and raise `Interrupt` as soon as that many lines of the library have been begun. Return whether that was so."""
    begun = 0

    def trace(frame, kind, _):
        nonlocal begun
        if not frame.f_code.co_filename.startswith(SOURCE):
            return None
        if kind == "line":
            begun += 1
            if begun == line:
                sys.settrace(None)
                raise Interrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        event()
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


EVENTS = {
    "update": lambda model, x, y: model.update(x, y),
    "observe": lambda model, x, y: model.observe(x, y),
    "label": lambda model, x, y: model.label("served", y),
}


@pytest.mark.parametrize("how", EVENTS)
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_an_event_interrupted_at_any_line_has_happened_or_has_not(learner, how, tmp_path):
    count = 12
    rows, labels = rows_for(learner, count + 1)
    first = learner.start()
    for x, y in zip(rows[:count], labels[:count], strict=True):
        first.update(x, y)
    x, y = (rows[-1], 1 - labels[-1]) if learner.kind != "several classes" else (rows[-1], 3)  # a mistake; or a label that is new
    if how == "label":
        first.predict(x, id="served")
    before, whole = picture(first), first.copy()
    EVENTS[how](whole, x, y)
    after, line, outcomes, draw = picture(whole), 0, set(), random.Random(SEED)
    while True:
        line += 1 if ATTACKS > 1 else draw.randint(1, 7)  # in the quick form, some of them
        model = first.copy()
        if not interrupted_at(line, lambda model=model: EVENTS[how](model, x, y)):
            assert same(picture(model), after)
            break
        assert free(model.lock), f"the lock is held after line {line}"
        now = picture(model)
        happened = same(now, after)
        assert happened or same(now, before), f"half of an event has happened at line {line}"
        outcomes.add(happened)
        if line % 10 == 0:
            model.save(tmp_path / "m")
            assert same(picture(ls.load(tmp_path / "m")), now)
        if not happened:
            EVENTS[how](model, x, y)
            assert same(picture(model), after), f"the event cannot be made up for after line {line}"
    assert False in outcomes and line > 5


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_storm_of_signals_leaves_whole_models(learner, tmp_path):
    """A handler that raises every few microseconds, wherever the event is by then."""
    seconds = 0.4 * ATTACKS
    rows, labels = rows_for(learner, 400, SEED)
    model, twin, draw = learner.start(), learner.start(), random.Random(SEED)
    for x, y in list(zip(rows, labels, strict=True)) * 3:  # the compiler, which is not ours, does not stand it: all is compiled before
        twin.update(x, y)
    for x, y in zip(rows[:20], labels[:20], strict=True):
        model.update(x, y)
    sound(twin, tmp_path)
    rounds, done, interrupts = model.rounds, 0, 0

    def ring(number, frame):
        raise Interrupt

    before, hook = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    sys.unraisablehook = bool  # what is raised in the middle of a finalizer is lost; the hook is no code in Python, or it would be hit, too
    gc.disable()
    until, k = os.times().elapsed + seconds, 0
    try:
        while os.times().elapsed < until:
            k += 1
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-6, 4e-4), 5e-5)
                for x, y in zip(rows[k % 300 :][:60], labels[k % 300 :][:60], strict=True):
                    model.update(x, y)
                    done += 1
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupt:
                interrupts += 1
            while True:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    time.sleep(0.001)  # another thread may have been given a signal, and notes it a little later
                    break
                except Interrupt:
                    pass
            if k % 50 == 0:
                sound(model, tmp_path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook
        gc.enable()
    assert interrupts > 10 and done <= model.rounds - rounds <= done + interrupts
    sound(model, tmp_path)


def sound(model, folder):
    """The lock is free; the model is what its ledger makes; it is saved, loaded and goes on."""
    assert free(model.lock)
    if model.ledger is not None:
        assert int(model.ledger.mistakes.sum()) == model.mistakes and model.replay().mistakes == model.mistakes
    model.save(folder / "m")
    assert same(picture(ls.load(folder / "m")), picture(model))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")
def test_together_is_one_step():
    """Signals come between two calls of Python's own code, and never between calls that are made together."""
    from littlestone.protocol.together import together

    one, other, torn, interrupts = [], [], 0, 0

    def ring(number, frame):
        raise Interrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for _ in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5)
                for _ in range(60):
                    together([], [(one.append, 1), (other.append, 1)])
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupt:
                interrupts += 1
            torn += len(one) != len(other)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 100 and not torn


def test_what_load_would_refuse_is_not_saved(tmp_path):
    """Of a learner without a ledger an update that was broken off cannot be mended."""
    model = ls.naive_bayes().start()
    for x, y in [({"a": 1}, 1), ({"b": 1}, 0), ({"a": 1}, 0)]:
        model.update(x, y)
    model.save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    model._torn = True
    model.save(tmp_path / "whole")  # nothing in it contradicts itself
    model.rounds = model.mistakes - 1
    with pytest.raises(LittlestoneError, match="was interrupted in the middle of an update, and what it holds contradicts itself"):
        model.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == before


def slowly(native, name, count):
    """A function in Python that asks a learner of the native core for what has so many arguments, as a user may write one: it can be
    interrupted half way."""

    def asked(*arguments):
        answer = getattr(native(*arguments[:-count]), name)(*arguments[-count:])
        if slowly.interrupts and name == "update":
            raise Interrupt
        return answer

    return asked


def test_a_kernel_in_python_that_is_interrupted_is_mended_by_the_ledger():
    usual = ls.perceptron()
    kernels = (slowly(usual.native, *each) for each in (("predict", 4), ("update", 7), ("play", 8), ("score", 4)))
    learner = replace(usual, algorithm=ls.Kernels(*kernels))
    model, rows, labels = learner.start(), *rows_for(usual, 40)
    slowly.interrupts = False
    for x, y in zip(rows, labels, strict=True):
        model.update(x, y)
    before = picture(model)
    slowly.interrupts = True
    with pytest.raises(Interrupt):
        model.update(rows[0], not model.predict(rows[0]))
    slowly.interrupts = False
    assert same(picture(model), before)
