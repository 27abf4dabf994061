"""Work on Dask: one worker against none, two against one, and what an epoch of mixing sends.

    python benchmarks/cluster.py [--seconds S] [--small] [TASK ...]

Each arm is a process of its own, with a thread for each worker: `alone` has no Dask and one core, `1` and `2` have a warm cluster of so
many workers. The job is made as large as S seconds of work without Dask take (60, unless said otherwise): by rounds, of `compare` by
orders, of `mixing` by epochs; `--small` is a look at whether it works. Beside the time stand the processor seconds of this process and of
the workers, which do not depend on what else the machine has to do, and the megabytes that went over the network of this machine.
TASK is keys, members (of the usual panel), compare or mixing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import scipy.sparse as sp

AIMS = {"keys": 1.6, "members": 1.6, "compare": 1.6, "mixing": 1.6}
MOST = 1.1  # one worker through Dask, against none
SECONDS = 60.0  # of work without Dask
ROWS = {"keys": 200_000, "members": 200_000, "compare": 200_000, "mixing": 2_000_000}  # of the trial, by which a job is made that large
FEATURES, WIDTH = 50_000, 40
VISITS = 50  # rounds of a key


def rows_of(count: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of so many features, some of them frequent, and labels that a linear rule gives with a little noise."""
    draw = np.random.default_rng(1)
    columns = np.sort((FEATURES * draw.random((count, WIDTH)) ** 3).astype(np.int32), axis=1)
    columns += np.arange(WIDTH, dtype=np.int32)  # each once
    starts = np.arange(0, count * WIDTH + 1, WIDTH)
    matrix = sp.csr_matrix((np.ones(count * WIDTH, np.float32), columns.ravel(), starts), shape=(count, FEATURES + WIDTH))
    scores = matrix @ draw.normal(size=matrix.shape[1])
    return matrix, (scores + draw.normal(size=count) > 0).astype(int)


def work(task: str, X: sp.csr_matrix, y: np.ndarray, times: int, cluster: object) -> dict:
    """Do it; what there is to tell beside the time. `times` is how many orders there are, or epochs."""
    import littlestone as ls

    rows, told = X.shape[0], {}
    keys = [f"u{k}" for k in np.random.default_rng(2).integers(0, max(1, rows // VISITS), rows)] if task == "keys" else []
    begun, before, moved = time.perf_counter(), processor(cluster), network()
    if task == "keys":
        ls.play(ls.perceptron(), X, y, key=keys, cluster=cluster)
    elif task == "members":
        ls.play(ls.panel(blend=False, forecast=False), X, y, cluster=cluster)
    elif task == "compare":
        ls.compare([ls.perceptron(), ls.arow(), ls.adaptive(), ls.normalized()], X, y, shuffles=times, cluster=cluster)
    else:
        run = ls.play(ls.perceptron(), X, y, mix=f"epochs={times}:shards=2", cluster=cluster)
        told = {"bytes_per_epoch": run.bytes_per_epoch, "features": int(X.nnz), "n": X.shape[1], "epochs": times}
    seconds, after = time.perf_counter() - begun, processor(cluster)
    return {**told, "seconds": seconds, "processor": [b - a for a, b in zip(before, after, strict=True)], "moved": network() - moved}


def processor(cluster: object) -> tuple[float, float]:
    """Processor seconds of this process, and of the workers."""
    return time.process_time(), 0.0 if cluster is None else sum(cluster.client.run(time.process_time).values())  # type: ignore[attr-defined]


def network() -> int:
    """Bytes that went over the network within this machine."""
    import psutil

    return psutil.net_io_counters(pernic=True)["lo"].bytes_sent


def sent(cluster: object) -> float:
    """Seconds for a byte to go to a worker and come back, and for a task."""
    from littlestone.protocol.workers import itself

    array = np.zeros(2**22)
    tiny = [cluster.submit(itself, 0) for _ in range(50)]  # type: ignore[attr-defined]
    cluster.gather(tiny)  # type: ignore[attr-defined]
    begun = time.perf_counter()
    cluster.gather([cluster.submit(itself, 0) for _ in range(50)])  # type: ignore[attr-defined]
    task = (time.perf_counter() - begun) / 50
    begun = time.perf_counter()
    cluster.gather([cluster.submit(itself, array)])  # type: ignore[attr-defined]
    return {"task": task, "byte": (time.perf_counter() - begun) / (2 * array.nbytes)}  # type: ignore[return-value]


def arm(name: str, task: str, rows: int, times: int, seconds: float) -> None:
    """One arm, in this process; a line of JSON. Without rows, the job is made as large as so many seconds of work."""
    if name == "alone":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from littlestone.cluster.connection import connected

    grows = task in ("compare", "mixing")  # by its times, not by its rows
    with nullcontext(None) if name == "alone" else connected(int(name)) as cluster:
        X, y = rows_of(rows or ROWS[task])
        for _ in range(2):
            work(task, X[:40_000], y[:40_000], 2, cluster)  # compiles and loads the kernels, here and there
        if not rows:
            rows, times = ROWS[task], 10 if grows else 1
            trial = min(work(task, X, y, times, cluster)["processor"][0] for _ in range(2))
            larger = max(1.0, seconds / trial)
            rows, times = (rows, round(times * larger)) if grows else (round(rows * larger), times)
            X, y = (X, y) if grows else rows_of(rows)
        result = work(task, X, y, times, cluster)
        costs = {} if cluster is None else sent(cluster)
    print(json.dumps({**result, **costs, "rows": rows, "times": times}))


def measured(name: str, task: str, rows: int, times: int, seconds: float) -> dict:
    sizes = ["--rows", str(rows), "--times", str(times), "--seconds", str(seconds)]
    command = [sys.executable, str(Path(__file__).resolve()), "--arm", name, *sizes, task]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def stops_paying(model: dict, workers: int) -> float:
    """Rows below which so many workers take longer for an epoch than one: a·F/W + W·(16·n·c + t) against a·F."""
    each = 16 * model["n"] * model["byte"] + model["task"]
    return each * workers**2 / ((workers - 1) * model["feature"]) / WIDTH


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", default=list(AIMS))
    options.add_argument("--small", action="store_true")
    options.add_argument("--seconds", type=float, default=SECONDS)
    options.add_argument("--arm")
    options.add_argument("--rows", type=int, default=0)
    options.add_argument("--times", type=int, default=0)
    chosen = options.parse_args()
    if chosen.arm:
        arm(chosen.arm, chosen.tasks[0], chosen.rows, chosen.times, chosen.seconds)
        return
    print(f"{'':8} {'rows':>10} {'times':>6} {'alone':>9} {'1 worker':>9} {'2 workers':>9}   1/alone  1/2")
    for task in chosen.tasks:
        alone = measured("alone", task, 30_000 if chosen.small else chosen.rows, 3 if chosen.small else chosen.times, chosen.seconds)
        arms = [alone, *(measured(name, task, alone["rows"], alone["times"], chosen.seconds) for name in ("1", "2"))]
        times = [part["seconds"] for part in arms]
        slower, faster = times[1] / times[0], times[1] / times[2]
        verdict = "" if chosen.small else f"  {'met' if slower <= MOST and faster >= AIMS[task] else 'MISSED'}"
        shown = " ".join(f"{seconds:8.2f}s" for seconds in times)
        print(f"{task:8} {alone['rows']:>10,} {alone['times']:>6,} {shown}  {slower:6.2f}x {faster:5.2f}x{verdict}")
        busy = "; ".join(f"{part['processor'][0]:.2f} + {part['processor'][1]:.2f}" for part in arms)
        moved = ", ".join(f"{part['moved'] / 2**20:,.0f}" for part in arms[1:])
        print(f"  processor seconds, here + workers: {busy}; {moved} MB moved")
        if task == "mixing":
            one = arms[1]
            model = {
                "feature": alone["seconds"] / alone["epochs"] / alone["features"],
                "n": alone["n"],
                "byte": one["byte"],
                "task": one["task"],
            }
            speed = f"{1 / one['byte'] / 2**20:,.0f} MB/s, {1000 * one['task']:.1f} ms a task, {1e9 * model['feature']:.2f} ns a feature"
            print(f"  {one['bytes_per_epoch']:,} bytes an epoch: the weights to each shard and back; {speed}")
            for workers in (8, 64, 1000):
                print(f"  {workers} workers pay from {stops_paying(model, workers):,.0f} rows of {WIDTH} features on, n = {model['n']:,}")


if __name__ == "__main__":
    main()
