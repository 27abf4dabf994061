"""Does the speed of a pass depend on luck? The same kernel, compiled afresh in several processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

from data import Data
from measure import Row

SEEDS = ("0", "7", "11", "12", "13")  # of Python's hashes, which order what the compiler keeps in sets
PASS = """
import sys
from time import perf_counter
import numpy as np
from littlestone.learners.binary.perceptron import play

folder, rows = sys.argv[1], int(sys.argv[2])
indptr, indices, values, labels = (np.load(f"{folder}/{name}.npy") for name in ("indptr", "indices", "values", "labels"))
indptr, labels, best = indptr[: rows + 1], labels[:rows], float("inf")
for _ in range(8):
    w, b, predictions = np.zeros(indices.max() + 1), np.zeros(1), np.empty(rows, np.bool_)
    begun = perf_counter()
    play(0.0, w, b, indptr, indices.view(np.uint32), values, labels, None, predictions, None, None)
    best = min(best, perf_counter() - begun)
print(best)
"""


def compilations(data: Data, quick: bool) -> Iterator[Row]:
    """q: the slowest of five compilations of the Perceptron's pass beside the fastest."""
    seconds = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PYTHONHASHSEED": seed, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, "-c", PASS, str(data.folder), str(data.rows)]
            seconds.append(float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout))
    slowest, fastest = (f"{1e3 * pick(seconds):.1f} ms" for pick in (max, min))
    ratio = np.array([max(seconds) / min(seconds)])
    yield Row("q  slowest of five compilations", slowest, f"the fastest {fastest}", ratio, 1.2, at_most=True)
