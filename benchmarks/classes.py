"""Several classes: our passes and scikit-learn's partial_fit (one against the rest inside) over one stream, in turn, in one process."""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

import numpy as np
import scipy.sparse as sp

ROWS, COLUMNS, CLASSES, WORDS, SEED = 50_000, 50_000, 20, 60, 1988


def stream(rows: int = ROWS) -> tuple[sp.csr_matrix, np.ndarray]:
    """Text-like rows: words by a Zipf law, each class with favourite words of its own."""
    rng = np.random.default_rng(SEED)
    popularity = np.cumsum(1 / np.arange(1, COLUMNS + 1))
    labels = rng.integers(0, CLASSES, rows)
    common = np.searchsorted(popularity / popularity[-1], rng.random((rows, WORDS)))
    favourites = rng.integers(0, COLUMNS, (CLASSES, 300))
    own = favourites[labels[:, None], rng.integers(0, 300, (rows, WORDS // 6))]
    columns = np.concatenate([np.minimum(common, COLUMNS - 1), own], axis=1)
    X = sp.csr_matrix((np.ones(columns.size, np.float32), (np.repeat(np.arange(rows), columns.shape[1]), columns.ravel())), (rows, COLUMNS))
    X.sum_duplicates()
    X.data = (X.data / np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])).repeat(np.diff(X.indptr))).astype(np.float32)
    return X, labels


def contenders(X: sp.csr_matrix, labels: np.ndarray) -> dict:
    """Each as a function that plays the whole stream once."""
    from sklearn.linear_model import Perceptron, SGDClassifier

    import littlestone as ls

    doubles, classes = X.astype(np.float64), np.unique(labels)
    return {
        "littlestone multiclass_perceptron": lambda: ls.play(ls.multiclass_perceptron(), X, labels).mistakes,
        "littlestone one_vs_rest(perceptron)": lambda: ls.play(ls.one_vs_rest(ls.perceptron()), X, labels).mistakes,
        "scikit-learn Perceptron.partial_fit": lambda: Perceptron(shuffle=False).partial_fit(doubles, labels, classes),
        "scikit-learn SGDClassifier(hinge).partial_fit": lambda: SGDClassifier(shuffle=False).partial_fit(doubles, labels, classes),
    }


def several_classes(times: int = 5) -> list[tuple[str, float, float, object]]:
    """(who, median seconds of a pass, ratio to the slowest of ours, progressive mistakes where it tells)."""
    X, labels = stream()
    played = contenders(X, labels)
    said, seconds = {}, {name: [] for name in played}
    for name, act in played.items():
        said[name] = act()  # compiles, and warms up
    for _ in range(times):
        for name, act in played.items():
            begun = perf_counter()
            act()
            seconds[name].append(perf_counter() - begun)
    base = median(seconds["littlestone multiclass_perceptron"])
    return [(name, median(s), median(s) / base, said[name] if isinstance(said[name], int) else "") for name, s in seconds.items()]


if __name__ == "__main__":
    X, _ = stream()
    print(f"{ROWS:,} rows, {COLUMNS:,} columns, {X.nnz:,} non-zeros, {CLASSES} classes")
    for name, s, ratio, mistakes in several_classes(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        print(f"{name:48} {s:8.3f} s  {ratio:6.2f} x  {mistakes}")
