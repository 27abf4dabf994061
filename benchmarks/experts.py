"""Rules over advice: bytes of advice a second, beside numpy adding up the same matrix and River's loop over experts; and what forecasts
lose, beside the six settings of opera-python.

`python benchmarks/experts.py --opera [FOLDER]` prints the last: on tables made here, and on the folders opera_regional and covid_hub of
FOLDER, where these are; with `--other` or `--new` on tables of other kinds (other_forecasts.py). `--limits` shows on two families of tables
what nobody can promise beside the best of the six. `--speed` takes the time of the command on 45,311 rounds of 14 experts.
"""

from __future__ import annotations

import compileall
import csv
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from river import base, optim
from river.ensemble import EWARegressor

import littlestone as ls
from littlestone.protocol.advice import AdviceRunner
from measure import Row, interleaved, run_command
from other_forecasts import new_tables, other_tables

EXPERTS, ROUNDS = 1_000, 20_000
RIVER_ROUNDS = 20
CACHED = 125  # rounds of 4 kB: the second-level cache holds them
FIXED, ADAPTIVE, RIVER = 0.4, 0.1, 50


class Column(base.Regressor):
    """The expert whose forecast stands in column i."""

    def __init__(self, i: int) -> None:
        self.i = i

    def predict_one(self, x: dict) -> float:
        return x[self.i]

    def learn_one(self, x: dict, y: float) -> None:
        pass


def memory_speed(quick: bool = False) -> Iterator[Row]:
    """A pass over 80 MB of advice, votes or losses."""
    rng = np.random.default_rng(0)
    rounds = 2_000 if quick else ROUNDS
    losses = rng.random((rounds, EXPERTS), dtype=np.float32)
    votes, truth = (losses < 0.5).astype(np.float32), rng.integers(0, 2, rounds)
    rules = {
        "randomized_weighted_majority, votes": (ls.randomized_weighted_majority(EXPERTS, epsilon="1/20"), votes, FIXED),
        "weighted_majority, votes": (ls.weighted_majority(EXPERTS), votes, FIXED),
        "follow_leader, votes": (ls.follow_leader(EXPERTS), votes, FIXED),
        "hedge, fixed rate, votes": (ls.hedge(EXPERTS, rounds=rounds), votes, FIXED),
        "hedge, fixed rate, losses": (ls.hedge(EXPERTS, rounds=ROUNDS, advice="loss"), losses, FIXED),
        "fixed_share, votes": (ls.fixed_share(EXPERTS, eta="1/20"), votes, FIXED),
        "specialists, votes": (ls.specialists(EXPERTS, eta="1/20"), votes, FIXED),
        "adahedge, votes": (ls.adahedge(EXPERTS), votes, ADAPTIVE),
        "adahedge, losses": (ls.adahedge(EXPERTS, advice="loss"), losses, ADAPTIVE),
    }
    contenders = {
        name: (lambda rule=rule, table=table: ls.play(rule, table, None if rule.advice == "loss" else truth))
        for name, (rule, table, _) in rules.items()
    }
    slowest = "hedge, fixed rate, losses"
    limit = partial(in_cache, rules[slowest][0], losses)
    seconds = interleaved({"numpy": losses.sum, **contenders, "limit": limit}, 5 if quick else 15)
    speed = {name: f"{losses.nbytes / np.median(times) / 1e9:.2f} GB/s" for name, times in seconds.items()}
    for name, (_, _, target) in rules.items():
        yield Row(f"j  {name}", speed[name], f"numpy.sum {speed['numpy']}", seconds["numpy"] / seconds[name], target)
    limited = f"in the cache {speed['limit']}"
    yield Row("j  hedge over losses beside its limit", speed[slowest], limited, seconds["limit"] / seconds[slowest], 0.85)


def in_cache(rule: ls.Rule, table: np.ndarray) -> None:
    """The bare kernel over as many rounds, of half a megabyte again and again: what a rule costs where no memory is waited for."""
    state, few, nobody = AdviceRunner(rule, EXPERTS).state, table[:CACHED], np.empty(0, np.int32)
    truth, mix = np.zeros(CACHED, np.int32), np.empty(CACHED)
    for _ in range(len(table) // CACHED):
        rule.play(*rule.params, *state, few, truth, mix, nobody)


def against_river(quick: bool = False) -> Iterator[Row]:
    """The same job as River's exponentially weighted average: so many experts' forecasts, a loss each, new weights."""
    rng = np.random.default_rng(0)
    table, truth = rng.random((ROUNDS, EXPERTS), dtype=np.float32), rng.integers(0, 2, ROUNDS)
    rows = [dict(enumerate(row)) for row in table[:RIVER_ROUNDS].tolist()]

    def theirs() -> None:
        model = EWARegressor([Column(i) for i in range(EXPERTS)], loss=optim.losses.Absolute(), learning_rate=0.05)
        for x, y in zip(rows, truth[:RIVER_ROUNDS].tolist(), strict=True):
            model.learn_predict_one(x, y)

    seconds = interleaved({"ours": lambda: ls.play(ls.hedge(EXPERTS, eta="1/20", advice="probability"), table, truth), "river": theirs}, 5)
    ours, river = seconds["ours"] / ROUNDS, seconds["river"] / RIVER_ROUNDS
    yield Row(
        "j  hedge, a round of 1,000 experts",
        f"{1e6 * np.median(ours):.2f} µs",
        f"River EWA {1e6 * np.median(river):.0f} µs",
        river / ours,
        RIVER,
    )


# ---- forecasts, beside opera-python ----
#
# It is not on the package index. These are its rules, BOA, ML-Poly and ML-Prod, written anew from its formulas and with its starting values
# (2⁻²⁰ for rates, squares and sizes), each by gradients or by losses: its six settings. On opera_regional they lose what the package does:
# 551.4 M by its default, BOA on gradients, and 444.6 M by the best of the six, ML-Poly on gradients.

SETTINGS = [(name, gradient) for name in ("BOA", "MLpol", "MLprod") for gradient in (True, False)]
START = 2.0**-20


def opera(x: np.ndarray, y: np.ndarray, name: str, gradient: bool) -> np.ndarray:
    """The forecasts of one of its settings, under squared loss; NaN sleeps."""
    rounds, n = x.shape
    R, V, B, eta, largest, made = np.zeros(n), np.full(n, START), np.full(n, START), np.full(n, START), 0.0, np.empty(rounds)
    awake = ~np.isnan(x)
    x = np.where(awake, x, 0.0)
    for t in range(rounds):
        if name == "BOA":
            score = np.log(eta) + eta * R
            w = np.where(awake[t], np.exp(score - score[awake[t]].max()), 0.0)
        elif name == "MLpol":
            w = eta * np.maximum(R, 0.0)
            w = (w if w.sum() > 0 else np.ones(n)) * awake[t]
        else:
            w = eta * np.exp(R) * awake[t]
        made[t] = f = w @ x[t] / w.sum()
        r = awake[t] * (2 * (f - y[t]) * (f - x[t]) if gradient else (f - y[t]) ** 2 - (x[t] - y[t]) ** 2)
        if name == "MLpol":
            R, grown = R + r, max((r * r).max() - largest, 0.0)
            eta, largest = 1 / (1 / eta + r * r + grown), largest + grown
            continue
        V, B = V + r * r, np.maximum(B, abs(r))
        if name == "BOA":
            size = 2.0 ** np.ceil(np.log2(B))
            eta = np.minimum(1 / size, np.sqrt(np.log(n) / V))
            R = R + (r - eta * r * r + size * (eta * r > 0.5)) / 2
        else:
            rate = np.minimum(np.minimum(0.5 / B, np.sqrt(np.log(n) / V)), 1e30)
            R, eta = rate / eta * R + np.log(1 + rate * r), rate
    return made


def forecast_tables(folder: Path | None, seed: int = 5) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Tables of forecasts and what came true, of five sizes; and real ones where they are."""
    rng = np.random.default_rng(seed)
    for rounds, n in ((400, 10), (3_000, 14), (1_000, 40), (150, 5), (8_000, 3)):
        t, first = np.arange(rounds)[:, None], np.arange(n) == 0
        y = np.cumsum(rng.normal(0, 0.3, rounds)) + 10 * np.sin(t[:, 0] / 24 * 2 * np.pi) + 50
        noise, size = rng.normal(0, 1, (rounds, n)), rng.uniform(1, 5, n)
        turns = np.full((rounds, n), 4.0)
        turns[t[:, 0], t[:, 0] * 6 // rounds % n] = 1.0
        slow = noise.copy()
        for s in range(1, rounds):
            slow[s] += 0.97 * slow[s - 1]
        made = {
            "noise": noise * size,
            "common noise": rng.normal(0, 3, (rounds, 1)) + noise * size / 2,
            "one is best": noise * np.where(first, 1.0, 5.0) + np.where(first, 0.0, rng.normal(0, 5, n)),
            "bests take turns": noise * turns,
            "drift": noise * (2 + 1.9 * np.sin(t / 300 + np.arange(n) * 2 * np.pi / n)),
            "biases": noise + rng.normal(0, 6, n),
            "factors": rng.normal(0, 1, (rounds, 3)) @ rng.normal(0, 2, (3, n)) + noise * size,
            "quantiles": rng.normal(0, 3, (rounds, 1)) + np.linspace(-6, 6, n) + noise / 2,
            "nearly alike": rng.normal(0, 2, (rounds, 1)) + noise / 20,
            "heavy tails": rng.standard_t(2.5, (rounds, n)) * size,
            "outliers": noise * size + 40 * (rng.random((rounds, n)) < 0.01),
            "half-way biased": noise * size + np.where(t > rounds // 2, rng.normal(0, 6, n), 0.0),
            "slow errors": slow * size / 3,
            "seasons": size * np.sin(t * 2 * np.pi / 168 + rng.uniform(0, 6, n)) + noise,
            "sleepers": np.where((rng.random((rounds, n)) < 0.3) & ~first, np.nan, noise * size),
        }
        for name, error in made.items():
            yield f"{name}, {rounds:,} x {n}", y[:, None] + error, y
        chance = rng.random(rounds)
        stated = 0.5 + (chance[:, None] - 0.5) * rng.uniform(0, 1.5, n) + noise / 10
        yield f"probabilities, {rounds:,} x {n}", np.clip(stated, 0, 1), (rng.random(rounds) < chance).astype(float)
    for name, file, first in (("opera_regional", "national_load_experts.csv", 1), ("covid_hub", "median_forecasts.csv", 4)):
        path = None if folder is None else folder / name / file
        if path is not None and path.exists():
            with path.open() as lines:
                rows = [[float(cell) if cell else np.nan for cell in row[first:]] for row in list(csv.reader(lines))[1:]]
            table = np.array(rows)
            if np.isnan(table).any():
                yield f"{name}, all", table[:, 1:], table[:, 0]
            whole = table[:, (~np.isnan(table)).mean(axis=0) > 0.9]
            whole = whole[~np.isnan(whole).any(axis=1)]
            yield name, whole[:, 1:], whole[:, 0]


def against_opera(tables: Iterable[tuple[str, np.ndarray, np.ndarray]]) -> Iterator[tuple[str, float, float]]:
    """A table, and what plain `ls.experts` loses on it: over the best of the six settings in hindsight, and over the default."""
    for name, x, y in tables:
        with np.errstate(all="ignore"):
            losses = {setting: float(np.nan_to_num(np.square(opera(x, y, *setting) - y).sum(), nan=np.inf)) for setting in SETTINGS}
        ours = ours_on(x, y)
        yield name, ours / min(losses.values()), ours / losses["BOA", True]


# ---- what nobody can promise ----
#
# A die chooses one of the six settings, k, and the truth is what k says, give or take normal noise of size 1. All six say the plain average
# in the first round, so that it does not tell k. In the second no two of them are nearer than 2δ (`FIRST_ROWS`, wide enough): whatever
# somebody forecasts there, d = |forecast - f_k| is δ or more for five of the six. That round costs it d² - 2dε more than it costs k, ε the
# noise. In each later round E e^((2dε - d²)/2) = 1, whatever d is, so that all later rounds together win back g or more with probability at
# most e^(-g/2); and the first c at most, what it costs all six. So it is above 1.02 of k, and of the best of the six, but for a chance of
# 1/6 + P(δ² - 2δε - c - g ≤ 0.02·L_k), which `proved` bounds: the inequality is false where ε < 4, g < 9 and L_k is no more than five
# deviations above its mean.

FIRST_ROWS = np.array([[0.36, 1.19, -0.25, 1.38], [-1.33, 0.69, 2.18, -0.59]]) * [[1], [400]]
FIRST_TRUTH, DIE_ROUNDS = -0.04, 100


def followed_setting(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray]:
    """A table whose truth is what setting k says, and noise."""
    x = np.vstack([FIRST_ROWS, rng.normal(0, 5, (DIE_ROUNDS - 2, 4))])
    y = np.full(DIE_ROUNDS, FIRST_TRUTH)
    for t in range(1, DIE_ROUNDS):
        y[t] = opera(x[: t + 1], y[: t + 1], *SETTINGS[k])[t] + rng.normal()
    return x, y


def best_guess(made: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of who knows all of this but the die: the mean of the six, by how likely each is."""
    errors = np.square(made - y[:, None])
    errors[0] = 0.0
    behind = np.cumsum(errors, axis=0) - errors
    likely = np.exp(-(behind - behind.min(axis=1, keepdims=True)) / 2)
    return (likely * made).sum(axis=1) / likely.sum(axis=1)


def proved() -> float:
    """At least so often is any algorithm above 1.02 of the best of the six, where a die chooses the setting."""
    seconds = [opera(FIRST_ROWS, np.array([FIRST_TRUTH, 0.0]), *setting)[1] for setting in SETTINGS]
    delta, c = np.diff(sorted(seconds)).min() / 2, (FIRST_ROWS[0].mean() - FIRST_TRUTH) ** 2
    wide = DIE_ROUNDS + 5 * math.sqrt(2 * DIE_ROUNDS)
    assert delta > 4 and delta**2 - 2 * delta * 4 - c - 9 > 0.02 * (c + wide)  # larger d makes the left side larger from d = 4 on
    more = wide / DIE_ROUNDS
    chi = math.exp(-DIE_ROUNDS / 2 * (more - 1 - math.log(more)))  # Chernoff: L_k is c and no more than so many squares
    return 5 / 6 - math.erfc(4 / math.sqrt(2)) / 2 - math.exp(-9 / 2) - chi


def limits(seed: int = 3) -> None:
    """How often the best possible forecaster is above 1.02 of the best of the six, and how often ours is."""
    rng, ratios = np.random.default_rng(seed), []
    for k in [*range(6)] * 50:
        x, y = followed_setting(rng, k)
        made = np.stack([opera(x, y, *setting) for setting in SETTINGS], axis=1)
        best = np.square(made - y[:, None]).sum(axis=0).min()
        ratios.append((np.square(best_guess(made, y) - y).sum() / best, ours_on(x, y) / best))
    told("one of the six is right, 100 x 4", ratios)
    print(f"    any algorithm, by proof: {100 * proved():.1f} % or more")
    for rounds in (50, 100, 200, 400):
        ratios = []
        for _ in range(400):
            x = rng.normal(0, 1, (rounds, 1)) + rng.normal(0, 0.3, (rounds, 5))
            y = np.zeros(rounds)
            best = min(np.square(opera(x, y, *setting)).sum() for setting in SETTINGS)
            ratios.append((np.square(x.mean(axis=1)).sum() / best, ours_on(x, y) / best))
        told(f"common errors, {rounds} x 5", ratios)


def told(name: str, ratios: list[tuple[float, float]]) -> None:
    above = 100 * (np.array(ratios) > 1.02).mean(axis=0)
    shares = f"the best possible {above[0]:.1f} %, ours {above[1]:.1f} % of {len(ratios)}"
    print(f"{name:34} above 1.02 of the best of the six: {shares}", flush=True)


def ours_on(x: np.ndarray, y: np.ndarray) -> float:
    """What plain `ls.experts` loses."""
    table = pa.table({"truth": y} | {f"e{i}": x[:, i] for i in range(x.shape[1])})
    return ls.experts(table, advice="forecast", loss="squared", switches=0).loss


def speed(rounds: int = 45_311, n: int = 14) -> None:
    """Plain `littlestone experts` on a table of forecasts as text, from start to end, its modules as bytecode, as pip and make install
    them; the first run may compile kernels, and does not count."""
    compileall.compile_dir(Path(ls.__file__).parent, quiet=1)
    rng = np.random.default_rng(0)
    y = 50_000 + np.cumsum(rng.normal(0, 30, rounds)) + 5_000 * np.sin(np.arange(rounds) / 24 * 2 * np.pi)
    x = y[:, None] + rng.normal(0, 1, (rounds, n)) * rng.uniform(300, 1_500, n)
    columns = {"truth": y.round(2)} | {f"e{i}": x[:, i].round(3) for i in range(n)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "forecasts.csv")
        pa.csv.write_csv(pa.table(columns), path)
        command = [sys.executable, "-m", "littlestone", "experts", str(path), "--quiet"]
        run_command(command)
        seconds = interleaved({"ours": lambda: run_command(command)}, 5)["ours"]
    print(f"{rounds:,} rounds of {n} experts: {np.median(seconds):.2f} s (opera-python took 25 s, a twentieth of which is 1.25 s)")


def main() -> None:
    if "--speed" in sys.argv:
        speed()
        return
    if "--limits" in sys.argv:
        limits()
        return
    if "--opera" not in sys.argv:
        for row in (*memory_speed(), *against_river()):
            print("  ".join(row.cells()))
        return
    folder = next((Path(text) for text in sys.argv[1:] if not text.startswith("--")), None)
    made = other_tables() if "--other" in sys.argv else new_tables() if "--new" in sys.argv else forecast_tables(folder)
    lines = list(against_opera(made))
    for name, best, default in lines:
        print(f"{name:32} {best:7.3f} of the best of the six {default:7.3f} of the default", flush=True)
    best, default = (np.array([line[k] for line in lines]) for k in (1, 2))
    print(f"geometric mean {np.exp(np.log(best).mean()):.3f}, at most {best.max():.3f}; {sum(best > 1.02)} of {len(best)} above 1.02")
    print(
        f"beside the default: geometric mean {np.exp(np.log(default).mean()):.3f}, {sum(default > 1)} above 1, at most {default.max():.3f}"
    )


if __name__ == "__main__":
    main()
