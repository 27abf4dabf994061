"""Does the speed of a pass depend on luck? The same kernel, compiled afresh in several processes, and how cost grows with size."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
import scipy.sparse as sp

import littlestone as ls
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
STEPS = 4  # sizes, each twice the one before it


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


def matrix(rows: int, features: int, columns: int) -> tuple[sp.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(rows + features + columns)
    indices = np.sort(rng.integers(0, columns // features, (rows, features)) + np.arange(features) * (columns // features), axis=1)
    indptr = np.arange(0, rows * features + 1, features)
    X = sp.csr_matrix((rng.random(rows * features, np.float32), indices.ravel().astype(np.int32), indptr), shape=(rows, columns))
    return X, rng.integers(0, 2, rows)


def growth(data: Data, quick: bool) -> Iterator[Row]:
    """o: the exponent of the cost as one size doubles, three times over, and the others stay; processor time, the least of five."""
    rows, features, columns = (2_000, 16, 4_000) if quick else (20_000, 16, 40_000)
    sizes: dict[str, Callable[[int], tuple]] = {
        "rows": lambda k: matrix(rows << k, features, columns),
        "features a row": lambda k: matrix(rows, features << k, columns),
        "vocabulary": lambda k: matrix(rows, features, columns << k),
    }
    for name, made in sizes.items():
        times = []
        for k in range(STEPS):
            X, y = made(k)
            least = float("inf")
            for _ in range(5):
                begun = process_time()
                ls.play(ls.perceptron(), X, y)
                least = min(least, process_time() - begun)
            times.append(least)
        exponent = np.polyfit(np.arange(STEPS), np.log2(times), 1)[0]
        job = f"o  cost against {name}, exponent"
        yield Row(job, f"{1e3 * times[-1]:.1f} ms", f"an eighth {1e3 * times[0]:.1f} ms", np.array([exponent]), 1.05, at_most=True)
