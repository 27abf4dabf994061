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
import numpy as np
from reference_counting import counts_in_loops
from littlestone.learners.binary.perceptron import init, play
from littlestone.learners.multiclass import multiclass_perceptron

rows = np.zeros(2, np.int64), np.empty(0, np.uint32), np.empty(0, np.float32), np.ones(1, np.int32)
play(0.0, *init(1), *rows, None, np.empty(1, np.bool_), None, None)
multiclass_perceptron.play(*multiclass_perceptron.init(1, 2), *rows, None, np.empty(1, np.int32), None, None)
assert not counts_in_loops(play) and not counts_in_loops(multiclass_perceptron.play)
"""


@pytest.mark.parametrize("seed", os.environ.get("LITTLESTONE_HASH_SEEDS", "12").split(","))
def test_no_seed_of_hashes_brings_reference_counting_back(seed, tmp_path):
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[2] / "scripts"), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", COMPILED_AFRESH], check=True, env=environment)
