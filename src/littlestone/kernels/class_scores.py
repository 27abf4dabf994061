"""The class with the largest score, of weights that lie by features: W[i] has those of feature i, one for each class."""

import numpy as np

from littlestone.kernels.compiler import jit_lent


@jit_lent
def winner(W, k, indices, values, lo, hi, scores):
    """argmax of the k scores, each added up in the order of the row; the weights of a feature lie side by side."""
    for c in range(k):
        scores[c] = 0.0
    for p in range(np.uint64(lo), np.uint64(hi)):
        i, v = indices[p], 1.0 if values is None else np.float64(values[p])
        for c in range(k):
            scores[c] += W[i, c] * v
    best = 0 if k > 0 else -1
    for c in range(1, k):
        if scores[c] > scores[best]:
            best = c
    return best
