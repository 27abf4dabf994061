"""The blends of a panel as `reference.blend` defines them, compiled: they learn from the members' scores by Newton's steps."""

from math import sqrt

import numpy as np

from littlestone.kernels.compiler import add_rows, jit, jit_lent, take_outer
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

    `mild` takes the same numbers squashed less, where the forecaster wants them.
    """
    members, wanted = len(squares), len(mild) > 0
    for t in range(len(labels)):
        for k in range(members):
            s = scores[k, t] if scores[k, t] == scores[k, t] else 0.0
            s = min(max(s, -LARGEST), LARGEST)
            sum2 = squares[k] + s * s
            root = sqrt(sum2 / (seen[0] + 1.0))
            ratio = s / root if root > 0.0 else 0.0
            length = sqrt(1.0 + ratio * ratio)
            z[t, k] = ratio / length
            if wanted:
                mild[t, k] = z[t, k] * sqrt(length)
            if labels[t] >= 0:
                squares[k] = sum2
        z[t, members] = 1.0
        if labels[t] >= 0:
            seen[0] += 1.0


@jit
def newton(z, labels, weights, logistic, stiffness, memory, w, P, estimates):
    """Estimate each round, then take a step towards its label; without weights, every round weighs 1."""
    n = len(w)
    estimate_and_learn(z, labels, weights, logistic, stiffness, memory, w, P.reshape(n, n), estimates, np.empty(n), np.empty(n))


@jit_lent
def estimate_and_learn(z, labels, weights, logistic, stiffness, memory, w, rows, estimates, Px, u):
    """The pass over the rounds; Px and u are room for `narrow`."""
    n = len(w)
    most = ROOM * n / stiffness
    for t in range(len(labels)):
        x = z[t]
        s = 0.0
        for i in range(n):
            s += w[i] * x[i]
        estimates[t] = s  # a logarithm of odds, or an estimate of ±1
        if labels[t] >= 0:
            h, g = 1.0, 2.0 * labels[t] - 1.0 - s
            if logistic:
                p = 1.0 / (1.0 + exp(-min(max(s, -FAR), FAR)))
                h, g = max(p * (1.0 - p), STEEP), labels[t] - p
            c = h * weights[t] if len(weights) else h
            step = g / h / narrow(x, c, memory, most, rows, Px, u)
            for i in range(n):
                w[i] += step * Px[i]


@jit_lent
def narrow(x, h, memory, most, rows, Px, u):
    """A round of curvature h narrows P, which is given by its rows; q = memory/h + x'Px, and P·x of before in Px."""
    n = len(Px)
    add_rows(x, rows, Px)  # P is symmetric: row by row, side by side
    q = memory / min(h, SHARP)
    for i in range(n):
        q += Px[i] * x[i]
    root = sqrt(q)
    for i in range(n):
        u[i] = Px[i] / root
    take_outer(rows, u, 1.0 / memory)  # P stays symmetric to the last bit, or rounding would grow without end
    trace = 0.0
    for i in range(n if memory < 1.0 else 0):
        trace += rows[i, i]
    if trace > most:  # what was not seen for long must not be trusted without end
        for i in range(n):
            for j in range(n):
                rows[i, j] *= most / trace
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
