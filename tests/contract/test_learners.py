"""Every learner of the catalogue against every clause of the contract."""

import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from littlestone import learners
from littlestone.checks import yield_checks
from littlestone.learners import reductions

# Settings that share their kernels with others tried before are asked what depends on settings: theorems, the reference, the protocol.
TELLING = ("bound", "invariants", "reference", "compiled", "exactly", "event")


@cache
def made(name, settings):
    return (learners if name in learners.names() else reductions).factory(name)(**dict(settings))


def cases():
    rooms = [("binary", name) for name in learners.names()] + [("reductions", name) for name in reductions.of_two_classes()]
    for room, name in rooms:
        asked = set()
        for settings in import_module(f"littlestone.learners.{room}.{name}").SAMPLES:
            known = tuple(settings.items())
            kernels = made(name, known).kernels if room == "binary" else name
            for check in yield_checks(None):
                if kernels not in asked or any(word in check.__name__ for word in TELLING):
                    label = f"{name}({', '.join(f'{k}={v}' for k, v in settings.items())})"
                    yield pytest.param(name, known, check, id=f"{label}-{check.__name__}")
            asked.add(kernels)


@pytest.mark.parametrize(("name", "settings", "check"), list(cases()))
def test_learner_keeps_the_contract(name, settings, check):
    check(made(name, settings))


# What the compiler leaves of the counting depends on the order of its sets, and so on the seed of Python's hashes.
COMPILED_AFRESH = """
import sys
from importlib import import_module
import numpy as np
from littlestone import learners
from littlestone.learners.multiclass import multiclass_perceptron
from littlestone.protocol.run import Runner
from reference_counting import counts_in_loops

rows = np.zeros(2, np.int64), np.empty(0, np.uint32), np.empty(0, np.float32), np.ones(1, np.int32)
multiclass_perceptron.play(*multiclass_perceptron.init(1, 2), *rows, None, np.empty(1, np.int32), None, None)
passes = {multiclass_perceptron.play: "multiclass_perceptron"}
for name in sys.argv[1:]:
    for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES:
        learner = learners.factory(name)(**settings)
        if learner.kernels.play not in passes:
            Runner(learner, columns=learner.n or 6).warm(boolean=False)
            passes[learner.kernels.play] = name
counting = [name for play, name in passes.items() if hasattr(play, "overloads") and counts_in_loops(play)]  # some run in Python
assert len(passes) > len(sys.argv[1:]) and not counting, f"{counting} count references in a loop: see jit_lent"
"""
SEEDS = os.environ.get("LITTLESTONE_HASH_SEEDS")  # where they are given every learner is compiled for each, which takes minutes


@pytest.mark.parametrize("seed", (SEEDS or "7,12").split(","))
def test_no_seed_of_hashes_brings_reference_counting_back(seed, tmp_path):
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[2] / "scripts"), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    names = learners.names() if SEEDS else ("perceptron", "winnow")
    subprocess.run([sys.executable, "-c", COMPILED_AFRESH, *names], check=True, env=environment)
