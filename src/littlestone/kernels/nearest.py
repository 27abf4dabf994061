"""The point nearest to 0 in the hull of n vectors, by Wolfe's method on their products. Sums go in one order, whatever the machine."""

import numpy as np

from littlestone.kernels.compiler import LANES, jit, jit_apart

CHUNK = 1024  # numbers of a vector worked on at a time: two chunks stay near
LEAST_PIVOT = 1e-12  # of its own square: a vector nearer to the plane of the others is taken for one in it


@jit
def dot(x, y):
    a = b = c = d = e = f = g = h = 0.0
    whole = len(x) - len(x) % LANES
    for i in range(0, whole, LANES):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
        e += x[i + 4] * y[i + 4]
        f += x[i + 5] * y[i + 5]
        g += x[i + 6] * y[i + 6]
        h += x[i + 7] * y[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, len(x)):
        total += x[i] * y[i]
    return total


@jit
def products(vectors, out):
    """out[i, j] = v_i·v_j."""
    out[:] = 0.0
    for start in range(0, vectors.shape[1], CHUNK):
        stop = min(start + CHUNK, vectors.shape[1])
        for i in range(len(vectors)):
            for j in range(i + 1):
                out[i, j] += dot(vectors[i, start:stop], vectors[j, start:stop])
    for i in range(len(vectors)):
        for j in range(i):
            out[j, i] = out[i, j]


@jit
def products_with(vectors, r, out):
    """out[i] = v_i·r."""
    out[:] = 0.0
    for start in range(0, vectors.shape[1], CHUNK):
        stop = min(start + CHUNK, vectors.shape[1])
        for i in range(len(vectors)):
            out[i] += dot(vectors[i, start:stop], r[start:stop])


@jit
def combined(vectors, w, out):
    """out = Σ w_i·v_i."""
    out[:] = 0.0
    for start in range(0, vectors.shape[1], CHUNK):
        stop = min(start + CHUNK, vectors.shape[1])
        for i in range(len(vectors)):
            if w[i] != 0.0:
                for t in range(start, stop):
                    out[t] += w[i] * vectors[i, t]


@jit_apart
def grow(lower, gram, lift, chosen, start, stop):
    """Rows of the Cholesky factor of gram + lift over those chosen, and whether each vector has a direction of its own.

    Shares add up to 1, so `lift` adds the same to every combination; it keeps apart vectors whose plane goes through 0.
    """
    for k in range(start, stop):
        for j in range(k):
            lower[k, j] = (gram[chosen[k], chosen[j]] + lift - dot(lower[k, :j], lower[j, :j])) / lower[j, j]
        square = gram[chosen[k], chosen[k]] + lift
        pivot = square - dot(lower[k, :k], lower[k, :k])
        if not pivot > LEAST_PIVOT * square:
            return False
        lower[k, k] = np.sqrt(pivot)
    return True


@jit_apart
def solve(lower, k, b, x):
    """x with (L·L')x = b, for the first k rows."""
    for i in range(k):
        x[i] = (b[i] - dot(lower[i, :i], x[:i])) / lower[i, i]
    for i in range(k - 1, -1, -1):
        x[i] /= lower[i, i]
        for j in range(i):
            x[j] -= lower[i, j] * x[i]


@jit
def nearest(gram, lift, close, slack, chosen, shares, lower):
    """Fill `chosen` and `shares` and return how many take part. The factor in `lower` is of those chosen."""
    n = len(gram)
    ones, target, out = np.ones(n), np.empty(n), np.zeros(n, np.bool_)
    first = 0
    for i in range(n):
        if gram[i, i] < gram[first, first]:
            first = i
    chosen[0], shares[0], k = first, 1.0, 1
    grow(lower, gram, lift, chosen, 0, 1)
    reach = np.empty(n)
    least = np.inf
    for _ in range(20 * n + 100):
        reach[:] = 0.0
        for j in range(k):
            for i in range(n):
                reach[i] += shares[j] * gram[chosen[j], i]
        length = 0.0
        for j in range(k):
            length += shares[j] * reach[chosen[j]]
            out[chosen[j]] = True
        nearer = -1
        for i in range(n):
            if not out[i] and (nearer < 0 or reach[i] < reach[nearer]):
                nearer = i
        for j in range(k):
            out[chosen[j]] = False
        if length <= slack or not length < least or nearer < 0 or reach[nearer] >= length * (1.0 - close):
            return k
        least = length
        chosen[k], shares[k] = nearer, 0.0
        if not grow(lower, gram, lift, chosen, k, k + 1):
            return k  # within rounding it lies in the plane of the others
        k += 1
        while k > 1:
            solve(lower, k, ones, target)
            total = 0.0
            for j in range(k):
                total += target[j]
            gone, step = -1, 1.0
            for j in range(k):
                target[j] /= total
                if target[j] <= 0.0:
                    part = shares[j] / max(shares[j] - target[j], 1e-300)
                    if gone < 0 or part < step:
                        gone, step = j, part
            for j in range(k):
                shares[j] += min(step, 1.0) * (target[j] - shares[j])
            if gone < 0:
                break
            shares[gone] = 0.0
            kept, left = 0, k
            for j in range(k):  # those without a share leave
                if shares[j] > 0.0:
                    chosen[kept], shares[kept] = chosen[j], shares[j]
                    kept += 1
                else:
                    left = min(left, j)
            k = kept
            grow(lower, gram, lift, chosen, left, k)
        if k == 1:
            shares[0] = 1.0
    return k
