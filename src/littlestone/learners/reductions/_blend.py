"""The blends of a panel as `reference.blend` defines them, compiled: they learn from the members' scores by Newton's steps."""

from math import sqrt

import numpy as np

from littlestone.kernels.compiler import LANES, add_rows, jit, jit_lent, narrow_rows, take_outer
from littlestone.kernels.hyperbolic import exp
from littlestone.reference.blend import FAR, LARGEST, ROOM, SHARP, STEEP, Blend


def first_state(members: int, blend: Blend) -> tuple[np.ndarray, np.ndarray]:
    """w, and P row by row."""
    w = np.full(members + 1, blend.trust / members)
    w[members] = 0.0
    return w, (np.eye(members + 1) / blend.stiffness).ravel()


@jit_lent
def squashed(scores, labels, squares, seen, z, mild):
    """A row of numbers in (-1, 1) and a 1 for each round; what is typical of a member is learned from rounds with a label.

    `mild` takes the same numbers squashed less, as forecasters want them that calibrate by slopes alone.
    """
    members = len(squares)
    for t in range(len(labels)):
        x, less, number = z[t], mild[t], seen[0] + 1.0
        for k in range(members):
            s = scores[k, t] if scores[k, t] == scores[k, t] else 0.0
            x[k] = min(max(s, -LARGEST), LARGEST)
        for k in range(members):  # short loops over few arrays, which run in vectors
            less[k] = squares[k] + x[k] * x[k]
        if labels[t] >= 0:
            for k in range(members):
                squares[k] = less[k]
            seen[0] = number
        for k in range(members):
            root = sqrt(less[k] / number)
            less[k] = x[k] / root if root > 0.0 else 0.0
        for k in range(members):
            length = sqrt(1.0 + less[k] * less[k])
            x[k] = less[k] / length
            less[k] = x[k] * sqrt(length)
        x[members] = 1.0


@jit
def newton(z, labels, weights, logistic, stiffness, memory, w, P, estimates):
    """Estimate each round, then take a step towards its label; without weights, every round weighs 1."""
    n = len(w)
    Px, u, rows, wide = np.empty(n), np.empty(n), P.reshape(n, n), n - n % LANES
    if len(labels) == 1:
        estimate_and_learn(z, labels, weights, logistic, stiffness, memory, w, rows, estimates, Px, u)
    else:
        columns, corner = np.empty((n, wide)), np.empty((n - wide, n - wide))
        part(rows, columns, corner)
        estimate_and_learn_on(z, labels, weights, logistic, stiffness, memory, w, columns, corner, estimates, Px, u)
        join(rows, columns, corner)


@jit_lent
def estimate_and_learn(z, labels, weights, logistic, stiffness, memory, w, rows, estimates, Px, u):
    """The pass over the rounds; Px and u are room for `narrow`."""
    most = ROOM * len(w) / stiffness
    for t in range(len(labels)):
        estimates[t] = s = estimate(w, z[t])
        if labels[t] >= 0:
            h, g = slope(s, labels[t], logistic)
            c = h * weights[t] if len(weights) else h
            move(w, Px, g / h / narrow(z[t], c, memory, most, rows, Px, u))


@jit_lent
def estimate_and_learn_on(z, labels, weights, logistic, stiffness, memory, w, columns, corner, estimates, Px, u):
    """The same, bit for bit and twice as fast, for rounds that come together: while P is narrowed, P·x of the next round that has a label
    is added up. P is given by its columns up to a multiple of eight and by the corner that is left; the rest is symmetric."""
    n, wide, rounds, ready = len(w), columns.shape[1], len(labels), -1
    most = ROOM * n / stiffness
    for t in range(rounds):
        x = z[t]
        estimates[t] = s = estimate(w, x)
        if labels[t] >= 0:
            h, g = slope(s, labels[t], logistic)
            if ready != t:  # the first label, or P was rescaled
                add_rows(x, columns, Px[:wide])
                add_corner(x, columns, corner, Px)
            q = spread(x, h * weights[t] if len(weights) else h, memory, Px, u)
            move(w, Px, g / h / q)
            ready = t + 1
            while ready < rounds and labels[ready] < 0:
                ready += 1
            following = z[min(ready, rounds - 1)]
            narrow_rows(columns, u, following, 1.0 / memory, Px)
            take_outer(corner, u[wide:], 1.0 / memory)
            add_corner(following, columns, corner, Px)
            trace = 0.0
            for i in range(wide if memory < 1.0 else 0):
                trace += columns[i, i]
            for i in range(n - wide if memory < 1.0 else 0):
                trace += corner[i, i]
            if trace > most:
                rescale(columns, most / trace)
                rescale(corner, most / trace)
                ready = -1


@jit_lent
def part(rows, columns, corner):
    """P as its columns up to a multiple of eight, and the corner that is left."""
    n, wide = columns.shape
    for i in range(n):
        for j in range(n):
            if j < wide:
                columns[i, j] = rows[i, j]
            elif i >= wide:
                corner[i - wide, j - wide] = rows[i, j]


@jit_lent
def join(rows, columns, corner):
    """The whole of P again."""
    n, wide = columns.shape
    for i in range(n):
        for j in range(n):
            rows[i, j] = columns[i, j] if j < wide else columns[j, i] if i < wide else corner[i - wide, j - wide]


@jit_lent
def add_corner(x, columns, corner, Px):
    """The places of P·x beyond the columns, which are symmetric to rows."""
    n, wide = columns.shape
    for j in range(wide, n):
        total = 0.0
        for i in range(wide):
            total += x[i] * columns[j, i]
        for i in range(wide, n):
            total += x[i] * corner[j - wide, i - wide]
        Px[j] = total


@jit_lent
def estimate(w, x):
    """A logarithm of odds, or an estimate of ±1."""
    s = 0.0
    for i in range(len(w)):
        s += w[i] * x[i]
    return s


@jit_lent
def estimate_rounds(z, w, estimates):
    """Estimate each round, and learn nothing."""
    for t in range(len(estimates)):
        estimates[t] = estimate(w, z[t])


@jit_lent
def slope(s, label, logistic):
    """Curvature and gradient of the loss, where the estimate was s."""
    if not logistic:
        return 1.0, 2.0 * label - 1.0 - s
    p = 1.0 / (1.0 + exp(-min(max(s, -FAR), FAR)))
    return max(p * (1.0 - p), STEEP), label - p


@jit_lent
def move(w, Px, step):
    for i in range(len(w)):
        w[i] += step * Px[i]


@jit_lent
def rescale(rows, share):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] *= share


@jit_lent
def spread(x, h, memory, Px, u):
    """q = memory/h + x'Px for a round of curvature h, and P·x/√q in u."""
    q = memory / min(h, SHARP)
    for i in range(len(Px)):
        q += Px[i] * x[i]
    root = sqrt(q)
    for i in range(len(Px)):
        u[i] = Px[i] / root
    return q


@jit_lent
def narrow(x, h, memory, most, rows, Px, u):
    """A round of curvature h narrows P, which is given by its rows; q = memory/h + x'Px, and P·x of before in Px."""
    n = len(Px)
    add_rows(x, rows, Px)  # P is symmetric: row by row, side by side
    q = spread(x, h, memory, Px, u)
    take_outer(rows, u, 1.0 / memory)  # P stays symmetric to the last bit, or rounding would grow without end
    trace = 0.0
    for i in range(n if memory < 1.0 else 0):
        trace += rows[i, i]
    if trace > most:  # what was not seen for long must not be trusted without end
        rescale(rows, most / trace)
    return q


@jit_lent
def vote(estimates, estimators, answers):
    """The votes of the blends, and of their mean in the last row; the first of them estimate ±1, the others a logarithm of odds."""
    blends = len(answers) - 1
    for t in range(answers.shape[1]):
        total = 0.0
        for b in range(blends):
            s = estimates[b, t]
            answers[b, t] = s >= 0.0
            half = s if b < estimators else 0.5 * s
            total += half / sqrt(1.0 + half * half)
        answers[blends, t] = total >= 0.0
