"""Streams that change: what `run --shifting` makes of them beside the plain panel, and how good the alarm without an assumption is.

    python benchmarks/drift.py                     # mistakes of the panel under each rule, with a change and without
    python benchmarks/drift.py alarm [--streams N] # false alarms on N exchangeable streams; how soon a change of ten points is found
    python benchmarks/drift.py copies              # mistakes with fresh copies beside the old one after alarms, and what that costs
    python benchmarks/drift.py detector [--streams N] # alarms of the approximate test, and of River's detectors, on N streams of each kind
    python benchmarks/drift.py oracle              # how often a CUSUM finds such a change that is told the rates of error
    python benchmarks/drift.py figure OUT.png      # the error of the last 500 rounds, plain and shifting, and the alarm

Rules are tried on the votes of one play of the panel, since members do not depend on the rule. Streams of ../shared/data that are not
there are left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import littlestone as ls

sys.path.insert(0, str(Path(__file__).parent))
import panel as streams

SHARED = tuple(f"fixed_share:alpha=1/{share}:eta={eta}" for share, eta in product((100, 1000, 10_000), ("1/10", "1/2", 1, 2)))
RULES = ("adahedge", "tracking", "hedge", "weighted_majority", "follow_leader", *SHARED)
STILL = ("agaricus", "sms", "polarity", "reuters", "income")


def sparse_then_dense(T: int = 6000, n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """docs/examples/drift.md: a disjunction of three features, and then a vote of all."""
    rng = np.random.default_rng(seed)
    X = (rng.random((T, n)) < 0.5).astype(np.float32)
    many = (2 * X - 1) @ rng.choice([-1.0, 1.0], n) > 0
    return X, np.where(np.arange(T) < T // 2, X[:, :3].max(axis=1) > 0, many).astype(int)


def linear(kind: str, T: int = 10_000, n: int = 20, noise: float = 0.05, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A linear rule and noise. It is another one from the middle on, or turns into another, or two of them take turns; or never changes."""
    rng = np.random.default_rng(seed)
    X, (a, b), t = rng.standard_normal((T, n)), rng.standard_normal((2, n)), np.arange(T)
    part = {
        "abrupt": t >= T // 2,
        "gradual": np.clip((t - T / 4) / (T / 2), 0, 1),
        "recurring": t // (T // 5) % 2,
        "no change": np.zeros(T),
    }[kind]
    w = (1 - part)[:, None] * a + np.asarray(part, float)[:, None] * b if kind == "gradual" else np.where(part[:, None] > 0, b, a)
    return X, (((X * w).sum(axis=1) > 0) ^ (rng.random(T) < noise)).astype(int)


def votes_of(X: Any, y: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """What each member and each blend of the usual panel says in each round, and the labels."""
    votes: list[np.ndarray] = []
    panel = ls.panel(forecast=False).listening(lambda table, _: votes.append(np.array(table)))
    run = ls.play(panel, X, y)
    return np.concatenate(votes), run.last_rounds(run.rounds).labels


def mistakes(rule: str, votes: np.ndarray, labels: np.ndarray) -> int:
    """Of the weighted majority, or of a rule that follows one member."""
    from littlestone.learners import experts

    run = ls.play(experts.named(rule), votes, labels)
    return run.majority_mistakes if run.rule.randomized else run.mistakes


def compare(data: Path) -> None:
    print(f"{'stream':<16} {'rounds':>8} {'adahedge':>9} {'tracking':>9} {'':>7} {'best rule in hindsight':>42} {'':>7}")
    cases: list[tuple[str, Any]] = [("sparse, dense", sparse_then_dense()), *((kind, linear(kind)) for kind in ("abrupt", "gradual"))]
    cases += [("recurring", linear("recurring")), ("no change", linear("no change"))]
    with tempfile.TemporaryDirectory() as folder:
        for name in STILL:
            made = streams.make(name, data, Path(folder))
            cases += [] if made is None else [(name, (ls.open_stream(str(made[0])),))]
        for name, stream in cases:
            votes, labels = votes_of(*stream)
            counts = {rule: mistakes(rule, votes, labels) for rule in RULES}
            best = min(counts, key=lambda rule: counts[rule])
            plain, ours = counts["adahedge"], counts["tracking"]
            print(
                f"{name:<16} {len(labels):>8,} {plain:>9,} {ours:>9,} {ours / plain:>7.3f} {f'{best} {counts[best]:,}':>42} "
                f"{ours / counts[best]:>7.3f}",
                flush=True,
            )


def noisy(rng: np.random.Generator, T: int, before: float, after: float, change: int) -> tuple[np.ndarray, np.ndarray]:
    """A linear rule of five numbers; so many labels are wrong before the change, and so many after."""
    X, w = rng.standard_normal((T, 5)), rng.standard_normal(5)
    noise = rng.random(T) < np.where(np.arange(T) < change, before, after)
    return X, ((X @ w > 0) ^ noise).astype(int)


STEADY = {
    "a tenth of the labels wrong": lambda rng, T: noisy(rng, T, 0.1, 0.1, T),
    "none wrong": lambda rng, T: noisy(rng, T, 0.0, 0.0, T),
    "labels by a coin": lambda rng, T: noisy(rng, T, 0.5, 0.5, T),
    "rows of five kinds": lambda rng, T: few_kinds(rng, T),
    "a sorted file, shuffled": lambda rng, T: shuffled(rng, T),
    "tails as of Cauchy's law": lambda rng, T: heavy(rng, T),
}


def few_kinds(rng: np.random.Generator, T: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of five kinds, and a rate of 1s for each: many ties."""
    kinds, rates = rng.integers(0, 2, (5, 6)).astype(float), rng.random(5)
    kind = rng.integers(0, 5, T)
    return kinds[kind], (rng.random(T) < rates[kind]).astype(int)


def shuffled(rng: np.random.Generator, T: int) -> tuple[np.ndarray, np.ndarray]:
    """No draws: the rounds of a stream that changes in its middle, in a random order."""
    X, y = noisy(rng, T, 0.05, 0.3, T // 2)
    order = rng.permutation(T)
    return X[order], y[order]


def heavy(rng: np.random.Generator, T: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.clip(rng.standard_cauchy((T, 5)), -1e4, 1e4)
    return X, (X @ rng.standard_normal(5) + rng.standard_cauchy(T) > 0).astype(int)


def alarms(count: int) -> None:
    """Whole streams of arow, and of the usual panel: some do not change, and some do, in the error, by ten points."""
    begun, learners = perf_counter(), {"arow": ls.arow(), "the usual panel": ls.panel()}
    for T in (5000, 600):
        for kind, make in STEADY.items():
            for name, learner in learners.items():
                part = count // (2 if name == "arow" else 10)
                false = sum(ls.play(learner, *make(np.random.default_rng(seed), T), alarm="stop").alarm is not None for seed in range(part))
                print(
                    f"{kind}, {name}: {false} alarms on {part:,} streams of {T:,} exchangeable rounds; at most {part / 20:.0f} promised",
                    flush=True,
                )
    cases = [(name, (2500, 3500), base) for name in learners for base in (0.02, 0.05, 0.1, 0.15, 0.2)]
    cases += [("arow", span, base) for span in ((1300, 6600), (700, 1300)) for base in (0.02, 0.05, 0.1, 0.15, 0.2)]
    for name, (first, last), base in cases:
        learner, delays, early, streams = learners[name], [], 0, 1000 if name == "arow" else 300
        for seed in range(streams):
            rng = np.random.default_rng(10_000 + seed)
            change = first + int(rng.integers(0, last - first))
            alarm = ls.play(learner, *noisy(rng, change + 500, base, base + 0.1, change), alarm="stop").alarm
            if alarm is not None:
                early += alarm.round <= change
                delays.append(alarm.round - change)
        found = [delay for delay in delays if delay > 0]
        share, middle = 100 * len(found) / streams, np.median(found)
        words = f"found within 500 rounds in {share:.1f} %, after {middle:.0f} (median); {100 * early / streams:.1f} % early"
        print(f"{name}, after {first:,} to {last:,} rounds from {base:.0%} to {base + 0.1:.0%} wrong labels: {words}", flush=True)
    print(f"{perf_counter() - begun:.0f} s")


def in_runs(rng: np.random.Generator, rounds: int, rate: float, rho: float) -> np.ndarray:
    """Errors at a rate, each by rho likelier right after an error than at first: a Markov chain with that autocorrelation."""
    tosses, errors, last = rng.random(rounds).tolist(), np.zeros(rounds, bool), False
    for t, toss in enumerate(tosses):
        last = errors[t] = toss < rate + rho * ((1 - rate) if last and t else -rate if t else 0.0)
    return errors


def detectors() -> dict[str, Any]:
    """Each tells after how many errors and right rounds it sees a change; None where it sees none."""
    from river import drift
    from river.drift import binary

    from littlestone.protocol.detector import Detector
    from littlestone.theory.change_alarm import Judge, frozen_after

    def ours(errors: np.ndarray) -> int | None:
        rise = Detector(0.05).add(errors.tolist())
        return None if rise is None else rise.n

    def exact(errors: np.ndarray) -> int | None:
        found = []
        for after in range(125, len(errors), 125):
            if (j := frozen_after(after, at_once=False)) is not None:
                sign = Judge(j, Fraction(1, 20)).add(errors[after:].tolist())
                found += [] if sign is None else [after + sign.n]
        return min(found, default=None)

    def theirs(make: Any) -> Any:
        def first(errors: np.ndarray) -> int | None:
            detector = make()
            for t, error in enumerate(errors.tolist(), 1):
                detector.update(int(error))
                if detector.drift_detected:
                    return t
            return None

        return first

    river = {"ADWIN": drift.ADWIN, "DDM": binary.DDM, "PageHinkley": drift.PageHinkley}
    return {"--alarm-test drift": ours, "exchangeable": exact, **{f"River's {name}": theirs(make) for name, make in river.items()}}


def detector(count: int, rounds: int = 10_000) -> None:
    """Streams of errors, as a detector sees them: quiet ones, independent and in runs, and ones whose rate rises in the middle."""
    half, each = rounds // 2, detectors()
    kinds = [(rho, rate, after) for rho in (0.0, 0.6) for rate, after in ((0.05, 0.05), (0.1, 0.1), (0.2, 0.2), (0.05, 0.2), (0.1, 0.3))]
    for rho, rate, after in kinds:
        found: dict[str, list[int | None]] = {name: [] for name in each}
        for seed in range(count):
            rng = np.random.default_rng(seed)
            errors = np.concatenate([in_runs(rng, half, rate, rho), in_runs(rng, half, after, rho)])
            for name, first in each.items():
                found[name].append(first(errors))
        for name, alarms_raised in found.items():
            raised = [alarm for alarm in alarms_raised if alarm is not None]
            if rate == after:
                print(f"quiet at {rate:.0%}, autocorrelation {rho}, {name}: {100 * len(raised) / count:.1f} % raise an alarm", flush=True)
                continue
            delays = [alarm - half for alarm in raised if alarm > half]
            middle = f"after {np.median(delays):.0f} rounds (median), {max(delays):,} (at most)" if delays else "never"
            words = f"{100 * len(delays) / count:.1f} % found, {middle}; {100 * (len(raised) - len(delays)) / count:.1f} % too early"
            print(f"from {rate:.0%} to {after:.0%}, autocorrelation {rho}, {name}: {words}", flush=True)


def turned_round(path: Path) -> tuple[Any, Any]:
    """The rows of a libsvm file, whose labels are turned round from the middle on."""
    rows = [line.split() for line in path.read_text().splitlines()]
    X = [{int(cell.partition(":")[0]): float(cell.partition(":")[2]) for cell in row[1:]} for row in rows]
    y = np.array([float(row[0]) > 0 for row in rows])
    return X, y ^ (np.arange(len(y)) >= len(y) // 2)


def copies(data: Path) -> None:
    """A restart on an alarm beside a run without one: mistakes, what the theorem allows, rows played, seconds of the processor."""
    with tempfile.TemporaryDirectory() as folder:
        cases: list[tuple[str, Any]] = []
        if (mushrooms := data / "agaricus" / "agaricus.txt.train").exists():
            cases.append(("agaricus, turned round", turned_round(mushrooms)))
        for name, rounds in (("flights", 45_313), ("nouns", 30_000), ("shifting", 20_000)):
            made = streams.make(name, data, Path(folder))
            if made is not None:
                made[1].write_text("".join(made[1].read_text().splitlines(keepends=True)[:rounds]))
                cases.append((name, (str(made[1]), None)))
        for name, (X, y) in cases:
            for learner in (ls.panel(), ls.arow()):
                runs, seconds = [], []
                for alarm in (None, None, "report", "restart"):  # the first one compiles
                    begun = process_time()
                    runs.append(ls.play(learner, ls.open_stream(X) if isinstance(X, str) else X, y, alarm=alarm))
                    seconds.append(process_time() - begun)
                run, plain = runs[-1], runs[1]
                played = sum(copy.rows for copy in run.copies) / run.rounds
                allowed = f"at most {run.bounds()[0].limit:,}"
                counts = f"{plain.mistakes:,} mistakes without, {run.mistakes:,} with {len(run.alarms)} alarms, {allowed}"
                times = " ".join(f"{second:.2f}" for second in seconds[1:])
                print(f"{name}, {learner.name}: {run.rounds:,} rounds, {counts}; {played:.2f} rows for each; {times} s", flush=True)


def oracle(streams: int = 4000, still: int = 5000, change: int = 3000) -> None:
    """A CUSUM for these two rates, its threshold such that one of 20 streams of 5,000 rounds without a change raises an alarm.

    The rates are those at which hypotheses of round 1,000 err on the streams of `alarms`, before the change and after; and those of the
    rule itself.
    """
    rng = np.random.default_rng(0)

    def highest(before: float, after: float, *rates: np.ndarray) -> np.ndarray:
        """The largest statistic of each stream, in each part of it."""
        up, down = np.log(after / before), np.log((1 - after) / (1 - before))
        statistic, parts = np.zeros(streams), []
        for part in rates:
            top = np.zeros(streams)
            for rate in part:
                statistic = np.maximum(statistic + np.where(rng.random(streams) < rate, up, down), 0.0)
                top = np.maximum(top, statistic)
            parts.append(top)
        return np.array(parts)

    cases = [(0.1, 0.119, 0.216), (0.15, 0.170, 0.266), (0.2, 0.221, 0.316), *((base, base, base + 0.1) for base in (0.1, 0.15, 0.2))]
    for base, before, after in cases:
        threshold = np.quantile(highest(before, after, np.full(still, before))[0], 0.95)
        early, late = highest(before, after, np.full(change, before), np.full(500, after)) >= threshold
        found = late[~early].mean()
        print(f"from {base:.0%} wrong labels: a CUSUM told {before:.1%} and {after:.1%} finds {found:.1%} of the changes within 500 rounds")


def figure(path: str) -> None:
    """The error of the last 500 rounds of the panel, plain and shifting, where two rules take turns; and where the alarm comes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = linear("recurring")
    _, axes = plt.subplots(figsize=(8, 3.6))
    for name, rule in (("adahedge", "adahedge"), ("tracking (--shifting)", "tracking")):
        run = ls.play(ls.panel(rule=rule, forecast=False), X, y)
        until = range(500, len(y) + 1, 50)
        axes.plot(until, [100 * (1 - run.over(500, t).accuracy) for t in until], label=f"{name}: {run.mistakes:,} mistakes")
    guarded = ls.play(ls.arow(bias=1), X, y, alarm="restart")
    for alarm in guarded.alarms:
        axes.axvline(alarm.round, color="grey", linestyle=":")
    axes.set_xlabel("round (dotted: alarms without an assumption, arow begun anew at each)")
    axes.set_ylabel("wrong of the last 500, %")
    axes.legend()
    plt.tight_layout()
    plt.savefig(path, dpi=110)
    print(f"drawn: {path}; alarms at {', '.join(f'{alarm.round:,}' for alarm in guarded.alarms)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", default="rules", choices=("rules", "alarm", "copies", "detector", "oracle", "figure"))
    parser.add_argument("out", nargs="?", default="drift.png")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--data", type=Path, default=streams.DATA)
    options = parser.parse_args()
    if options.what == "alarm":
        alarms(options.streams)
    elif options.what == "detector":
        detector(min(options.streams, 200))
    elif options.what == "copies":
        copies(options.data)
    elif options.what == "oracle":
        oracle()
    elif options.what == "figure":
        figure(options.out)
    else:
        compare(options.data)


if __name__ == "__main__":
    main()
