"""A model in the hands of several threads, forked, copied and pickled: every answer is that of some state between two updates."""

import asyncio
import copy
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import littlestone as ls

SECONDS = 20  # the longest that threads of a test may take

LEARNERS = {
    "perceptron": ls.perceptron(),
    "winnow": ls.winnow(n=64),
    "averaged": ls.perceptron(averaged=True),
    "naive_bayes": ls.naive_bayes(),
    "memorizer": ls.memorizer(),
    "panel": ls.panel(["perceptron", "arow"]),
    "one_vs_rest": ls.one_vs_rest(ls.perceptron()),
    "several": ls.multiclass_perceptron(),
    "rule": ls.adahedge(n=6, advice="probability"),
}
every = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def rows_for(learner, count=120, seed=0):
    """Rows by name, growing wider, so that states grow while they are read; and labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3 if learner.kind == "several classes" else 2, count).tolist()
    if learner.kind == "advice":
        return rng.random((count, 6)).astype(np.float32), labels
    width = min(60, learner.n or 400)
    columns = [rng.choice(min(width, 8 + t * width // count), 6, replace=False).tolist() for t in range(count)]
    return [{f"f{i}": 1 for i in row} for row in columns], labels


def teach(model, rows, labels):
    for row, y in zip(rows, labels, strict=True):
        model.update(row, y)


def together(*jobs):
    """Run these at once; whatever one of them raises is raised here."""
    failures, begin = [], threading.Barrier(len(jobs))

    def run(job):
        begin.wait()
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
    finally:
        sys.setswitchinterval(before)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if failures:
        raise failures[0]


def signature(model, probes):
    return tuple(model.predict(probe) for probe in probes)


@every
def test_an_answer_is_that_of_a_state_between_two_updates(learner, tmp_path):
    rows, labels = rows_for(learner)
    probes = rows[:: len(rows) // 12]
    model, states = learner.start(), learner.start()
    answers = {signature(states, probes)}
    for row, y in zip(rows, labels, strict=True):
        states.update(row, y)
        answers.add(signature(states, probes))
    singles = [{answer[k] for answer in answers} for k in range(len(probes))]
    done = threading.Event()

    def writer():
        try:
            teach(model, rows, labels)
        finally:
            done.set()

    def reader():
        while not done.is_set():
            for probe, possible in zip(probes, singles, strict=True):
                assert model.predict(probe) in possible

    def batches():
        while not done.is_set():
            assert tuple(model.predict_many(np.array(probes) if learner.kind == "advice" else probes).tolist()) in answers

    def saver():
        while not done.is_set():
            model.save(tmp_path / "m")
            assert signature(ls.load(tmp_path / "m"), probes) in answers
            assert signature(copy.deepcopy(model), probes) in answers

    together(writer, reader, reader, batches, saver)
    assert signature(model, probes) == signature(states, probes)
    assert (model.rounds, model.mistakes) == (states.rounds, states.mistakes) and learner.sized(learner.n or 1) is not None
    assert model.learner.alike(model.state, states.state)


@every
def test_updates_come_one_after_the_other(learner):
    """From several threads in some order: none is lost, and the model is that of its rounds in that order."""
    rows, labels = rows_for(learner)
    model, parts = learner.start(), 3
    together(*(lambda k=k: teach(model, rows[k::parts], labels[k::parts]) for k in range(parts)))
    assert model.rounds == len(rows)
    if model.ledger is not None:
        assert model.learner.alike(model.replay().state, model.state)


@every
def test_copies_and_pickles_go_their_own_way(learner):
    rows, labels = rows_for(learner)
    model = learner.start()
    teach(model, rows[:60], labels[:60])
    others = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.copy()]
    for other in others:
        assert not model.diff(other) and (other.rounds, other.mistakes) == (60, model.mistakes)
        teach(other, rows[60:], labels[60:])
    teach(model, rows[60:], labels[60:])
    for other in others:
        assert not model.diff(other) and other.rounds == 120


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_in_the_middle_of_updates_finds_a_whole_model():
    learner = LEARNERS["panel"]
    rows, labels = rows_for(learner, 200)
    model, done = learner.start(), threading.Event()
    model.update(rows[0], labels[0])

    def writer():
        while not done.is_set():
            teach(model, rows, labels)

    def forker():
        try:
            for _ in range(8):
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        before = model.rounds
                        model.update(rows[1], labels[1])
                        code = 0 if model.copy().rounds == before + 1 and model.predict(rows[2]) in (True, False) else 2
                    finally:
                        os._exit(code)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            done.set()

    together(writer, forker)


FORKS_AT_ONCE = """
import os, sys, threading, time, warnings
import littlestone as ls
from littlestone.protocol import locks

warnings.simplefilter("ignore", DeprecationWarning)
forks, held = int(sys.argv[1]), sys.argv[2] == "held"
locks.PATIENCE = 0.2 if held else locks.PATIENCE  # whoever holds a lock of their own waits so long for those of the others
models = [ls.perceptron().start() for _ in range(3)]
rows = [{f"f{i}": 1, f"f{i * i % 7}b": 1} for i in range(20)]
failed = []
first = models[0].copy()  # what is loaded now, no child loads
for k in range(20):
    first.update(rows[k], k % 3 == 0)
first.replay()

def fork(model):
    for k in range(forks):
        model.update(rows[k % 20], k % 3 == 0)
        if held:
            with model.lock:
                child = os.fork()
        else:
            child = os.fork()
        if child == 0:
            before = [m.rounds for m in models]
            for m in models:
                m.update(rows[k % 20], k % 2 == 0)
            new = ls.perceptron().start()
            new.update(rows[0], True)
            whole = [m.rounds for m in models] == [n + 1 for n in before] and all(m.replay().mistakes == m.mistakes for m in models)
            os._exit(0 if whole else 1)
        if os.waitpid(child, 0)[1] != 0:
            failed.append(k)

threads = [threading.Thread(target=fork, args=(model,), daemon=True) for model in models]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(100)
print("hangs" if any(thread.is_alive() for thread in threads) else f"{len(failed)} failed")
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("held", "forks"), [("free", 20), ("held", 4)])
def test_threads_that_fork_at_once_do_not_wait_for_each_other(held, forks):
    """Nor do they where each of them holds a lock that the others want."""
    forks *= int(os.environ.get("LITTLESTONE_ATTACKS", "1"))
    done = subprocess.run([sys.executable, "-c", FORKS_AT_ONCE, str(forks), held], capture_output=True, text=True, timeout=120)
    assert done.stdout == "0 failed\n", (done.stdout, done.stderr)


def test_coroutines_share_a_model():
    learner = LEARNERS["perceptron"]
    rows, labels = rows_for(learner)
    model = learner.start()

    async def serve(k):
        for row, y in zip(rows[k::4], labels[k::4], strict=True):
            await asyncio.to_thread(model.predict, row)
            model.update(row, y)
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(*(serve(k) for k in range(4)))

    asyncio.run(main())
    assert model.rounds == len(rows) and model.replay().mistakes == model.mistakes
