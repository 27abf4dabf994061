"""Work on Dask: one worker against none, two against one, and what an epoch of mixing sends.

    python benchmarks/cluster.py [--seconds S] [--small] [TASK ...]
    python benchmarks/cluster.py --arm alone|1|2 --rows R [--times T] TASK
    python benchmarks/cluster.py --limits

Each arm is a process of its own, with a thread for each worker: `alone` has no Dask and one core, `1` and `2` have a warm cluster of so
many workers. The job is made as large as S seconds of work without Dask take (60, unless said otherwise): by rounds, of `compare` by
orders, of `mixing` by epochs; `--small` is a look at whether it works; `--arm` is one arm, whose line `--rows` and `--times` of another let
one repeat. Beside the time stand the processor seconds of this process and of the workers, which do not depend on what else the machine has
to do, and the megabytes that went over the network of this machine; and how much longer `alone` takes while a second one runs beside it on
the other core: two workers, this process and the scheduler cannot lose less. TASK is keys, members (of the usual panel; both read a Parquet
file where it lies), compare or mixing (of rounds in memory). `--limits` measures the members of a panel one by one: no number of workers is
quicker than the one that takes longest. The last lines, from RESULT on, are the table of docs/cluster.md. A minute of work for each task
takes about twenty minutes in all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

AIMS = {"keys": 1.6, "members": 1.6, "compare": 1.6, "mixing": 1.6}
MOST = 1.1  # one worker through Dask, against none
SECONDS = 60.0  # of work without Dask
ROWS = {"keys": 400_000, "members": 200_000, "compare": 200_000, "mixing": 2_000_000}  # of the trial, by which a job is made that large
FEATURES, WIDTHS = 50_000, {"members": 8, "compare": 40, "mixing": 40}
VISITS = 50  # rounds of a key
TOLD = {
    "keys": "`--key`, {rows:,} rounds of ten features, fifty of each key",
    "members": f"members of a panel, {{rows:,}} rounds of {WIDTHS['members']} features",
    "compare": f"`compare`, four learners, {{times:,}} orders of {{rows:,}} rounds of {WIDTHS['compare']} features",
    "mixing": f"`--mix`, {{times:,}} epochs of {{rows:,}} rounds of {WIDTHS['mixing']} features",
}


def rows_of(count: int, width: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of so many features, some of them frequent, and labels that a linear rule gives with a little noise."""
    draw = np.random.default_rng(1)
    columns = np.sort((FEATURES * draw.random((count, width)) ** 3).astype(np.int32), axis=1)
    columns += np.arange(width, dtype=np.int32)  # each once
    starts = np.arange(0, count * width + 1, width)
    matrix = sp.csr_matrix((np.ones(count * width, np.float32), columns.ravel(), starts), shape=(count, FEATURES + width))
    scores = matrix @ draw.normal(size=matrix.shape[1])
    return matrix, (scores + draw.normal(size=count) > 0).astype(int)


def job_of(task: str, rows: int) -> tuple:
    """The rounds of a task: in memory, or a file, which is made where there is none of this size."""
    if task not in ("keys", "members"):
        return rows_of(rows, WIDTHS[task])
    path = Path(gettempdir()) / f"littlestone-cluster-{task}-{rows}.parquet"
    if not path.exists():
        tables = keyed_tables(rows) if task == "keys" else [table_of(*rows_of(rows, WIDTHS[task]))]
        with pq.ParquetWriter(path, (first := next(tables := iter(tables))).schema, compression="none") as file:
            for table in (first, *tables):
                file.write_table(table, row_group_size=100_000)
    return (path,)


def table_of(X: sp.csr_matrix, y: np.ndarray) -> pa.Table:
    """Rows as lists of their features, all of value 1."""
    lists = pa.LargeListArray.from_arrays(X.indptr.astype(np.int64), X.indices.astype(np.uint32))
    return pa.table({"label": y.astype(np.int8), "indices": lists})


def keyed_tables(count: int) -> Iterator[pa.Table]:
    """Rounds of keys that each have a taste of twenty features, of which a round has ten, as in `benchmarks/keys.py`."""
    draw = np.random.default_rng(2)
    for start in range(0, count, 1_000_000):
        rows = min(1_000_000, count - start)
        owners = draw.integers(0, max(1, count // VISITS), rows)
        picks = np.argsort(draw.random((rows, 20), np.float32), axis=1)[:, :10]
        features = np.sort(((owners * 2_654_435_761) % 1_000)[:, None] + 37 * picks, axis=1).astype(np.uint32)
        lists = pa.LargeListArray.from_arrays(np.arange(0, features.size + 1, 10), features.ravel())
        labels = ((picks < 3).sum(axis=1) >= 2).astype(np.int8)
        yield pa.table({"label": labels, "indices": lists, "user": [f"u{k}" for k in owners.tolist()]})


def work(task: str, job: tuple, times: int, cluster: object) -> dict:
    """Do it; what there is to tell beside the time. `times` is how many orders there are, or epochs."""
    import littlestone as ls

    told: dict = {}
    begun, before, moved = time.perf_counter(), processor(cluster), network()
    if task == "keys":
        ls.play(ls.perceptron(), ls.open_stream(*job, label="label", key="user"), cluster=cluster, predictions=False)
    elif task == "members":
        ls.play(ls.panel(blend=False, forecast=False), ls.open_stream(*job, label="label"), cluster=cluster, predictions=False)
    elif task == "compare":
        ls.compare([ls.perceptron(), ls.arow(), ls.adaptive(), ls.normalized()], *job, shuffles=times, cluster=cluster)
    else:
        run = ls.play(ls.perceptron(), *job, mix=f"epochs={times}:shards=2", cluster=cluster)
        told = {"bytes_per_epoch": run.bytes_per_epoch, "features": int(job[0].nnz), "n": job[0].shape[1], "epochs": times}
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


def arm(name: str, task: str, rows: int, times: int, seconds: float, core: int) -> None:
    """One arm, in this process; a line of JSON. Without rows, the job is made as large as so many seconds of work."""
    if name == "alone":
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[core]})
    from littlestone.cluster.connection import connected

    grows = task in ("compare", "mixing")  # by its times, not by its rows
    with nullcontext(None) if name == "alone" else connected(int(name)) as cluster:
        for _ in range(2):
            work(task, job_of(task, 100_000), 2, cluster)  # compiles and loads the kernels, here and there
        if not rows:
            rows, times = ROWS[task], 10 if grows else 1
            trial = min(work(task, job_of(task, rows), times, cluster)["processor"][0] for _ in range(2))
            larger = max(1.0, seconds / trial)
            rows, times = (rows, round(times * larger)) if grows else (round(rows * larger), times)
        result = work(task, job_of(task, rows), times, cluster)
        costs = {} if cluster is None else sent(cluster)
    print(json.dumps({**result, **costs, "rows": rows, "times": times}))


def measured(name: str, task: str, rows: int, times: int, seconds: float) -> dict:
    return side_by_side(name, task, rows, times, seconds, cores=1)[0]


def side_by_side(name: str, task: str, rows: int, times: int, seconds: float, cores: int) -> list[dict]:
    """The same arm in so many processes at once; `alone` has a core of its own in each."""
    sizes = ["--rows", str(rows), "--times", str(times), "--seconds", str(seconds)]
    command = [sys.executable, str(Path(__file__).resolve()), "--arm", name, *sizes, task, "--core"]
    pipe = subprocess.PIPE
    arms = [subprocess.Popen([*command, str(k)], stdout=pipe, stderr=pipe, text=True) for k in range(cores)]
    outputs = [arm.communicate() for arm in arms]
    for arm, (_, errors) in zip(arms, outputs, strict=True):
        if arm.returncode:
            raise SystemExit(errors)
    return [json.loads(output.splitlines()[-1]) for output, _ in outputs]


def stops_paying(model: dict, workers: int) -> float:
    """Rows below which so many workers take longer for an epoch than one: a·F/W + W·(16·n·c + t) against a·F."""
    each = 16 * model["n"] * model["byte"] + model["task"]
    return each * workers**2 / ((workers - 1) * model["feature"]) / WIDTHS["mixing"]


def limits() -> None:
    """How much of the work of a panel its slowest member is."""
    import littlestone as ls
    from littlestone.learners.reductions import _table

    print("features a row, all members against the slowest")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for width in (5, 10, 14, 20, 40):
        X, y = rows_of(1_000_000 // width, width)
        spent, usual, learner = {}, _table.play_seat, ls.panel(blend=False, forecast=False)
        ls.play(learner, X[:3_000], y[:3_000])

        def timed(member, *arguments, spent=spent, usual=usual):
            begun = time.perf_counter()
            usual(member, *arguments)
            spent[repr(member)] = spent.get(repr(member), 0) + time.perf_counter() - begun

        _table.play_seat = timed
        ls.play(learner, X, y)
        _table.play_seat = usual
        print(f"{width:14} {sum(spent.values()) / max(spent.values()):8.2f} ({max(spent, key=spent.__getitem__)})")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", default=list(AIMS))
    options.add_argument("--small", action="store_true")
    options.add_argument("--seconds", type=float, default=SECONDS)
    options.add_argument("--arm")
    options.add_argument("--rows", type=int, default=0)
    options.add_argument("--times", type=int, default=0)
    options.add_argument("--core", type=int, default=0)
    options.add_argument("--limits", action="store_true")
    chosen = options.parse_args()
    if chosen.limits:
        limits()
        return
    if chosen.arm:
        arm(chosen.arm, chosen.tasks[0], chosen.rows, chosen.times, chosen.seconds, chosen.core)
        return
    print(f"{'':8} {'rows':>10} {'times':>6} {'alone':>9} {'1 worker':>9} {'2 workers':>9}   1/alone  1/2")
    table = ["RESULT", "| task | without Dask | one worker | two workers | one against none | two against one | processor seconds |"]
    table.append("|---|---|---|---|---|---|---|")
    for task in chosen.tasks:
        alone = measured("alone", task, 30_000 if chosen.small else chosen.rows, 3 if chosen.small else chosen.times, chosen.seconds)
        arms = [alone, *(measured(name, task, alone["rows"], alone["times"], chosen.seconds) for name in ("1", "2"))]
        pair = side_by_side("alone", task, alone["rows"], alone["times"], chosen.seconds, cores=2)
        beside = max(part["seconds"] for part in pair) / alone["seconds"]
        times = [part["seconds"] for part in arms]
        slower, faster = times[1] / times[0], times[1] / times[2]
        (Path(gettempdir()) / f"littlestone-cluster-{task}-{alone['rows']}.parquet").unlink(missing_ok=True)
        verdict = "" if chosen.small else f"  {'met' if slower <= MOST and faster >= AIMS[task] else 'MISSED'}"
        shown = " ".join(f"{seconds:8.2f}s" for seconds in times)
        print(f"{task:8} {alone['rows']:>10,} {alone['times']:>6,} {shown}  {slower:6.2f}x {faster:5.2f}x{verdict}")
        busy = "; ".join(f"{part['processor'][0]:.2f} + {part['processor'][1]:.2f}" for part in arms)
        moved = ", ".join(f"{part['moved'] / 2**20:,.0f}" for part in arms[1:])
        print(f"  processor seconds, here + workers: {busy}; {moved} MB moved; two processes beside each other: {beside:.2f}x", flush=True)
        columns = [f"{seconds:.1f} s" for seconds in times] + [f"{slower:.2f}", f"{faster:.2f}", busy]
        table.append(f"| {TOLD[task].format(rows=alone['rows'], times=alone['times'])} | {' | '.join(columns)} |")
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
                least = f"{stops_paying(model, workers):,.0f} rows of {WIDTHS['mixing']} features"
                print(f"  {workers} workers pay from {least} on, n = {model['n']:,}")
    print("\n".join(table))


if __name__ == "__main__":
    main()
