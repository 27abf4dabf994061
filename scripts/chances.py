"""How often what is said of a model's error is false, on streams whose true errors are known: `watch` and `keep`, δ = 0.05.

Takes about two minutes on one core. Prints a table; every share must be 0.05 or less, but for the chance of the draws.
"""
# ruff: noqa: T201

import numpy as np

import littlestone as ls
from littlestone.theory.anytime import RATES, share
from littlestone.theory.kept_hypothesis import CANDIDATES

DELTA, STREAMS, ROUNDS = 0.05, 4000, 4000
KEPT = 300  # streams for each learner

CHANCES = {
    "1 %": lambda t, last, M: 0.01,
    "a third": lambda t, last, M: 1 / 3,
    "95 %": lambda t, last, M: 0.95,
    "drifting from 5 to 55 %": lambda t, last, M: 0.05 + 0.5 * t / ROUNDS,
    "from 2 to 60 % at a blow": lambda t, last, M: 0.02 if t < ROUNDS // 2 else 0.6,
    "in bursts": lambda t, last, M: np.where(last > 0, 0.8, 0.02),
    "against the count": lambda t, last, M: np.where(M / t > 0.2, 0.05, 0.5),
    "with the count": lambda t, last, M: np.where(M / t > 0.3, 0.9, 0.1),
}


def watched(chance):
    """The share of the streams on which the interval leaves out the average error at some round."""
    draw = np.random.default_rng(1)
    rates = np.array([float(rate) for rate in RATES[:20]])
    prices = np.log([1 / float(share(j, DELTA)) for j in range(20)])
    last, M, total, lost = np.zeros(STREAMS), np.zeros(STREAMS), np.zeros(STREAMS), np.zeros(STREAMS, bool)
    for t in range(1, ROUNDS + 1):
        p = np.broadcast_to(chance(t, last, M), STREAMS)
        last = (draw.random(STREAMS) < p).astype(float)
        M, total = M + last, total + p
        for lam, price in zip([*rates, *-rates], [*prices, *prices], strict=True):
            lost |= lam * M - t * np.log1p(total / t * np.expm1(lam)) >= price
    return lost.mean()


def kept(learner, noise, label, rows=300):
    """The share of the runs whose kept model errs more often than is said, and the mean of what is said and of what is so."""
    draw, cube = np.random.default_rng(2), np.array([[point >> i & 1 for i in range(4)] for point in range(16)], float)
    truth, wrong, limits, errors = np.array([label(x) for x in cube]), 0, [], []
    for _ in range(KEPT):
        points = draw.integers(16, size=rows)
        y = np.where(draw.random(rows) < noise, np.roll(truth, 1)[points], truth[points])
        model = ls.keep(learner, cube[points], y.tolist(), delta=DELTA)
        predictions = np.asarray(model.model.predict_many(cube))
        shares = np.where(predictions == truth, 0.0, 1.0 - noise) + np.where(predictions == np.roll(truth, 1), 0.0, noise)
        limits.append(model.upper)
        errors.append(float(shares.mean()))
        wrong += errors[-1] > model.upper
    return wrong / KEPT, np.mean(limits), np.mean(errors)


def main():
    print(f"watch: {STREAMS:,} streams of {ROUNDS:,} rounds; the share on which it is false at some round")
    for name, chance in CHANCES.items():
        print(f"  {name:<26} {watched(chance):.4f}")
    print(f"keep: {KEPT} runs of 300 rounds, {len(CANDIDATES)} candidates; the share that is false, the mean limit, the mean error")
    cases = {
        "perceptron, 10 % noise": (ls.perceptron(bias=1), 0.1, lambda x: bool(x[0] or x[1])),
        "perceptron, no noise": (ls.perceptron(bias=1), 0.0, lambda x: bool(x[0] or x[1])),
        "perceptron, parity": (ls.perceptron(bias=1), 0.0, lambda x: bool((x[0] + x[1]) % 2)),
        "arow, 20 % noise": (ls.arow(bias=1), 0.2, lambda x: bool(x[0])),
        "winnow, 5 % noise": (ls.winnow(n=4), 0.05, lambda x: bool(x[0] or x[1])),
        "two of a panel": (ls.panel(["perceptron:bias=1", "arow"]), 0.1, lambda x: bool(x[0] + x[1] + x[2] > 1)),
        "several classes": (ls.one_vs_rest(ls.perceptron(bias=1)), 0.1, lambda x: "abc"[int(x[0] + x[1])]),
    }
    for name, case in cases.items():
        print("  {:<26} {:.4f}  {:.4f}  {:.4f}".format(name, *kept(*case)))


if __name__ == "__main__":
    main()
