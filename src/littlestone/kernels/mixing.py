"""Winnow over a shard: weights are doubles, since mixed exponents are no whole numbers (reference/mixing.py)."""

from littlestone.kernels.compiler import jit_lent
from littlestone.kernels.rows import total

TINY = 2.0**-1000  # as in reference/mixing.py


@jit_lent
def winnow_shard(alpha, theta, w, indptr, indices, labels, predictions):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        predictions[t] = yhat = total(w, indices, lo, hi, 0.0) >= theta
        if labels[t] >= 0 and yhat != (labels[t] == 1):
            for k in range(lo, hi):
                w[indices[k]] = max(w[indices[k]] / alpha, TINY) if yhat else w[indices[k]] * alpha
