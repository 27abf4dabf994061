"""Tables of forecasts of other kinds than those of experts.py.

`other_tables`: an earlier draft of the same kinds, with other seeds, was looked at while the members of the default were chosen.
`new_tables`: the first six kinds too, with other seeds; the last seven were first played when all was chosen.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

SIZES = ((100, 4), (200, 20), (300, 8), (500, 6), (700, 30), (2_000, 12), (365, 3), (5_000, 9))


def model_forecasts(rng: np.random.Generator, y: np.ndarray, season: np.ndarray, n: int) -> np.ndarray:
    """What simple models say of a series: the last value, the season, moving averages, smoothed values."""
    last, columns = np.r_[y[0], y[:-1]], []
    for k in range(n):
        kind, part = 0 if k == 0 else int(rng.integers(1, 5)), rng.uniform(0.05, 0.7)
        width = int(rng.integers(2, 20))
        smooth = np.empty(len(y))
        smooth[0] = y[0]
        for t in range(1, len(y)):
            smooth[t] = y[max(0, t - width) : t].mean() if kind == 3 else smooth[t - 1] + part * (y[t - 1] - smooth[t - 1])
        columns.append((last, season + rng.normal(0, 2), part * last + (1 - part) * season, smooth, smooth)[kind])
    return np.stack(columns, axis=1)


def other_tables(seed: int = 2) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Twelve kinds of eight sizes."""
    rng = np.random.default_rng(seed)
    for rounds, n in SIZES:
        t, first, shape = np.arange(rounds)[:, None], np.arange(n) == 0, (rounds, n)
        walk = np.zeros(rounds)
        for s in range(1, rounds):
            walk[s] = 0.9 * walk[s - 1] + rng.normal()
        season = 20 + 5 * np.sin(2 * np.pi * t[:, 0] / 52)
        y, even = season + 2 * walk, np.arange(n) % 2 == 0
        rate = np.exp(1.5 + 0.8 * np.sin(t[:, 0] / 30) + walk / 10)
        turns = np.full(shape, 3.0)
        turns[t[:, 0], np.cumsum(rng.random(rounds) < 0.02) % n] = 0.5
        there = rng.integers(0, rounds, n), rng.integers(1, max(2, rounds // 2), n)
        absent = (t >= there[0]) & (t < there[0] + there[1]) & ~first
        price = 100 * np.exp(np.cumsum(rng.normal(0, 0.01, rounds)))
        stale = np.stack([np.r_[np.full(k + 1, price[0]), price][:rounds] for k in range(n)], axis=1)
        loud = np.exp(np.cumsum(rng.normal(0, 0.05, rounds)))
        stated = 2 * walk[:, None] * rng.uniform(0, 3, n) + rng.normal(0, 1, n) + rng.normal(0, 0.5, shape)
        made = {
            "models": (model_forecasts(rng, y, season, n), y),
            "scaled": (y[:, None] * rng.uniform(0.7, 1.3, n) + rng.normal(0, 1, shape), y),
            "counts": (rate[:, None] * np.exp(rng.normal(0, 0.4, n) + rng.normal(0, 0.2, shape)), rng.poisson(rate).astype(float)),
            "precise or right": (y[:, None] + np.where(even, rng.normal(0, 2, n), 0) + rng.normal(0, 1, shape) * np.where(even, 0.3, 3), y),
            "regimes": (y[:, None] + rng.normal(0, 1, shape) * turns, y),
            "absent": (np.where(absent, np.nan, y[:, None] + rng.normal(0, 1, shape) * rng.uniform(0.5, 4, n)), y),
            "stale prices": (stale * (1 + rng.normal(0, 0.002, shape)), price),
            "learning": (y[:, None] + rng.normal(0, 1, shape) * (0.5 + 5 * np.exp(-t / (rng.uniform(0.05, 1, n) * rounds))), y),
            "equal": (y[:, None] + rng.normal(0, 2, shape), y),
            "one is terrible": (y[:, None] + rng.normal(0, 1, shape) * np.where(first, 0.5, 1) + 50 * (np.arange(n) == n - 1), y),
            "volatile": (y[:, None] + rng.laplace(0, 1, shape) * (loud / loud.mean())[:, None] * rng.uniform(0.5, 3, n), y),
            "chances": (1 / (1 + np.exp(-stated)), (rng.random(rounds) < 1 / (1 + np.exp(-2 * walk))).astype(float)),
        }
        for name, (x, truth) in made.items():
            yield f"{name}, {rounds:,} x {n}", x, truth


NEW_SIZES = ((120, 5), (250, 12), (400, 25), (600, 4), (1_500, 10))


def followed(rng: np.random.Generator, rounds: int, keep: float) -> np.ndarray:
    """A series of which so much is kept from round to round."""
    walk = np.zeros(rounds)
    for s in range(1, rounds):
        walk[s] = keep * walk[s - 1] + rng.normal()
    return walk


def seen_kinds(rng: np.random.Generator, rounds: int, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    t, shape = np.arange(rounds)[:, None], (rounds, n)
    walk = followed(rng, rounds, 0.9)
    y, level = 30 + 3 * walk, np.exp(1 + walk / 4.6)
    ahead = rng.integers(1, 10, n)
    late = np.stack([np.r_[np.zeros(h), walk][:rounds] * 0.9**h for h in ahead], axis=1)
    shared = rng.normal(0, 1, (rounds, max(1, n // 3)))[:, np.arange(n) % max(1, n // 3)]
    common, sign = rng.normal(0, 1, (rounds, 1)), np.where(np.arange(n) % 2, 1.0, -1.0)
    return {
        "horizons": (30 + 3 * late + rng.normal(0, 0.3, shape), y),
        "rounded": (np.round((y[:, None] + rng.normal(0, 1, shape) * rng.uniform(0.3, 3, n)) / 4) * 4, y),
        "growing bias": (y[:, None] + rng.normal(0, 1.5, shape) + t / rounds * rng.normal(0, 8, n), y),
        "near twins": (y[:, None] + 2 * shared * rng.uniform(0.5, 2, n) + 0.2 * rng.normal(0, 1, shape), y),
        "log-normal": (level[:, None] * np.exp(rng.normal(0, 1, shape) * rng.uniform(0.1, 0.8, n)), level),
        "opposites": (y[:, None] + 3 * common * sign * rng.uniform(0.5, 1.5, n) + rng.normal(0, 1, shape), y),
    }


def unseen_kinds(rng: np.random.Generator, rounds: int, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    t, shape = np.arange(rounds)[:, None], (rounds, n)
    walk = followed(rng, rounds, 0.8)
    y = 50 + 4 * walk
    parts, size = rng.normal(0, 1, shape), rng.normal(0, 1, n) * np.where(rng.random(n) < 0.5, 1, 0.2)
    total, fitted = parts @ size + rng.normal(0, 1, rounds), np.zeros(shape)
    squares, products = np.ones(n), np.zeros(n)
    for s in range(rounds):
        fitted[s] = products / squares * parts[s]
        squares, products = squares + parts[s] ** 2, products + parts[s] * total[s]
    demand = rng.poisson(2, rounds) * (rng.random(rounds) < 0.2) * 1.0
    steps = 100 + 10 * np.cumsum(rng.normal(0, 1, rounds) * (rng.random(rounds) < 6 / rounds)) + rng.normal(0, 1, rounds)
    part, smooth = rng.uniform(0.02, 0.9, n), np.zeros(shape)
    smooth[0] = steps[0]
    for s in range(1, rounds):
        smooth[s] = smooth[s - 1] + part * (steps[s - 1] - smooth[s - 1])
    lead = y + rng.normal(0, 2, rounds)
    herd = np.stack([np.r_[lead[:1].repeat(k % 5), lead][:rounds] for k in range(n)], axis=1) + rng.normal(0, 1, shape)
    stated = 1.5 * walk[:, None] * rng.uniform(0.3, 4, n) + rng.normal(0, 1, shape)
    absent = t < np.arange(n) * rounds // (2 * n)
    caps = 50 - rng.uniform(1, 8, n), 50 + rng.uniform(1, 8, n)
    guess = demand.mean() + rng.normal(0, 0.3, n) + 0.3 * rng.normal(0, 1, shape) + 0.5 * demand[:, None] * rng.uniform(0, 1, n)
    return {
        "regressions": (fitted, total),
        "capped": (np.clip(y[:, None] + rng.normal(0, 2, shape), *caps), y),
        "demand": (np.abs(guess), demand),
        "levels": (smooth, steps),
        "herd": (herd, y),
        "overconfident": (1 / (1 + np.exp(-stated)), (rng.random(rounds) < 1 / (1 + np.exp(-1.5 * walk))) * 1.0),
        "late ones": (np.where(absent, np.nan, y[:, None] + rng.normal(0, 1, shape) * rng.uniform(0.5, 5, n)), y),
    }


def new_tables(seed: int = 8) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Thirteen kinds of five sizes, most of them short."""
    for kinds in (seen_kinds, unseen_kinds):
        rng = np.random.default_rng(seed)
        for rounds, n in NEW_SIZES:
            for name, (x, y) in kinds(rng, rounds, n).items():
                yield f"{name}, {rounds:,} x {n}", x, y
