"""Work on Dask: one worker against none, two against one, and what an epoch of mixing sends.

    python benchmarks/cluster.py [--small] [TASK ...]

Each arm is a process of its own, with a thread for each worker: `alone` has no Dask and one core, `1` and `2` have a warm cluster of so
many workers. `alone` does the job as often as a minute takes, and the others as often; `--small` is a look at whether it works. TASK is
keys, members (of the usual panel), compare or mixing.
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
ROWS = 1_000_000
SECONDS = 60  # of work without Dask; the job is done as often as that takes
FEATURES, WIDTH = 50_000, 40


def rows_of(count: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of so many features, some of them frequent, and labels that a linear rule gives with a little noise."""
    draw = np.random.default_rng(1)
    columns = np.sort((FEATURES * draw.random((count, WIDTH)) ** 3).astype(np.int32), axis=1)
    columns += np.arange(WIDTH, dtype=np.int32)  # each once
    starts = np.arange(0, count * WIDTH + 1, WIDTH)
    matrix = sp.csr_matrix((np.ones(count * WIDTH, np.float32), columns.ravel(), starts), shape=(count, FEATURES + WIDTH))
    scores = matrix @ draw.normal(size=matrix.shape[1])
    return matrix, (scores + draw.normal(size=count) > 0).astype(int)


def work(task: str, X: sp.csr_matrix, y: np.ndarray, cluster: object) -> dict:
    """Do it; what there is to tell beside the time."""
    import littlestone as ls

    begun = time.perf_counter()
    rows, told = X.shape[0], {}
    if task == "keys":
        keys = [f"u{k}" for k in np.random.default_rng(2).integers(0, max(1, rows // 10), rows)]
        begun = time.perf_counter()
        ls.play(ls.perceptron(), X, y, key=keys, cluster=cluster)
    elif task == "members":
        ls.play(ls.panel(blend=False, forecast=False), X, y, cluster=cluster)
    elif task == "compare":
        ls.compare([ls.perceptron(), ls.arow(), ls.adaptive(), ls.normalized()], X, y, shuffles=5, cluster=cluster)
    else:
        run = ls.play(ls.perceptron(), X, y, mix="epochs=20:shards=2", cluster=cluster)
        told = {"bytes_per_epoch": run.bytes_per_epoch, "features": int(X.nnz), "n": X.shape[1]}
    return {**told, "seconds": time.perf_counter() - begun}


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


def arm(name: str, task: str, rows: int, times: int) -> None:
    """One arm, in this process; a line of JSON."""
    if name == "alone":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from littlestone.cluster.connection import connected

    with nullcontext(None) if name == "alone" else connected(int(name)) as cluster:
        X, y = rows_of(rows)
        work(task, X[:20_000], y[:20_000], cluster)  # compiles and loads the kernels, here and there
        results = [work(task, X, y, cluster)]
        times = times or max(1, round(SECONDS / results[0]["seconds"]))
        results += [work(task, X, y, cluster) for _ in range(times - 1)]
        costs = {} if cluster is None else sent(cluster)
    print(json.dumps({**results[0], **costs, "times": times, "seconds": sum(result["seconds"] for result in results)}))


def measured(name: str, task: str, rows: int, times: int) -> dict:
    command = [sys.executable, str(Path(__file__).resolve()), "--arm", name, "--rows", str(rows), "--times", str(times), task]
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
    options.add_argument("--arm")
    options.add_argument("--rows", type=int, default=ROWS)
    options.add_argument("--times", type=int, default=0)
    chosen = options.parse_args()
    if chosen.arm:
        arm(chosen.arm, chosen.tasks[0], chosen.rows, chosen.times)
        return
    print(f"{'':8} {'rows':>10} {'alone':>9} {'1 worker':>9} {'2 workers':>9}   1/alone  1/2")
    for task in chosen.tasks:
        rows = 30_000 if chosen.small else chosen.rows
        alone = measured("alone", task, rows, int(chosen.small))
        one, two = (measured(name, task, rows, alone["times"]) for name in ("1", "2"))
        times = [part["seconds"] for part in (alone, one, two)]
        slower, faster = times[1] / times[0], times[1] / times[2]
        verdict = "" if chosen.small else f"  {'met' if slower <= MOST and faster >= AIMS[task] else 'MISSED'}"
        print(f"{task:8} {rows:>10,} {times[0]:8.2f}s {times[1]:8.2f}s {times[2]:8.2f}s  {slower:6.2f}x {faster:5.2f}x{verdict}")
        if task == "mixing":
            model = {
                "feature": alone["seconds"] / alone["times"] / 20 / alone["features"],
                "n": alone["n"],
                "byte": one["byte"],
                "task": one["task"],
            }
            speed = f"{1 / one['byte'] / 2**20:,.0f} MB/s, {1000 * one['task']:.1f} ms a task"
            print(f"  {one['bytes_per_epoch']:,} bytes an epoch: the weights to each shard and back; {speed}")
            for workers in (8, 64, 1000):
                print(f"  {workers} workers pay from {stops_paying(model, workers):,.0f} rows of {WIDTH} features on, n = {model['n']:,}")


if __name__ == "__main__":
    main()
