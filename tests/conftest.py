"""What several files of tests share."""

import gc
import io
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pytest
from hypothesis.internal.conjecture import providers

from littlestone.cli import main

# Hypothesis draws now and then a number that stands in some module of ours that is imported by then. What a test draws would depend on the
# tests before it, and on the worker.
providers._get_local_constants = providers.Constants


def pytest_collection_finish():
    """What was imported and collected stays to the end: the collector need not go through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture
def littlestone(monkeypatch):
    """The command line from `main` on, in this process: a new one takes seconds to import what this one has."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["littlestone", *map(str, arguments)])
        out, err, code = io.StringIO(), io.StringIO(), 0
        pipes = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as exit:
            code = exit.code or 0
        finally:
            if pipes is not None:
                signal.signal(signal.SIGPIPE, pipes)
        return subprocess.CompletedProcess(sys.argv, code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="session")
def mutants():
    """The native core with faults that can be chosen, as scripts/mutants.py builds it."""
    import mutants

    try:
        mutants.module()
    except mutants.CannotBuild as reason:
        pytest.skip(f"the core with faults cannot be built: {reason}")
    return mutants


@pytest.fixture
def with_fault(mutants):
    """A learner or a rule that has a fault of the native core until the test ends."""

    def broken(made, fault):
        moved = mutants.played_by_mutants(made)
        mutants.choose(fault)
        return moved

    yield broken
    mutants.choose(None)


@pytest.fixture
def spoiled():
    """Another thread that writes indices out of all range into an array, and the right ones again, all the while."""

    @contextmanager
    def meanwhile(indices):
        kept, stop = indices.copy(), threading.Event()

        def spoil():
            while not stop.is_set():
                indices[:] = 2**31 - 1
                indices[:] = kept

        thread = threading.Thread(target=spoil)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    return meanwhile
