"""littlestone against its peers: same data, same run, one table."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import vowpalwabbit
from river.linear_model import LogisticRegression
from river.linear_model import Perceptron as RiverPerceptron
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron as SklearnPerceptron

import littlestone as ls
from beginnings import beginnings
from data import Data, load
from expert_tables import expert_tables
from experts import against_river, memory_speed
from formats import default_panel, formats
from growth import growth, memory
from halving import halving_2_24
from limits import first_lines
from littlestone.adapters.river import Perceptron as RiverAdapter
from littlestone.adapters.sklearn import PerceptronClassifier
from littlestone.jit import dot, jit
from littlestone.kernels.native import core
from measure import CLOCK, CommandFailed, Missing, Row, faster, interleaved, milliseconds, run_command

HEADINGS = ["job", "ours", "peer", "ratio (min-max)", "target", "met?"]
RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
LITTLESTONE = Path(sys.executable).parent / "littlestone"
VW = "--sgd --loss_function hinge --binary --quiet"
EVENTS = 5_000


def sklearn_pass(X, y) -> None:
    model = SklearnPerceptron(max_iter=1, tol=None, shuffle=False, fit_intercept=False)
    model.partial_fit(X, y, classes=[0, 1])


@jit
def gathered_alone(w, indptr, indices, values, scores):
    """The score of each row by weights that do not change: what any pass must at least do."""
    for t in range(len(scores)):
        scores[t] = dot(w, indices, values, indptr[t], indptr[t + 1])


def memory_pass(data: Data, quick: bool) -> Iterator[Row]:
    """a: one pass of the Perceptron over a sparse matrix, one thread."""
    X, y = data.float32, data.labels
    indptr, indices = X.indptr.astype(np.int64), X.indices.view(np.uint32)

    def bare() -> None:
        w, b, predictions = np.zeros(X.shape[1]), np.zeros(1), np.empty(len(y), np.bool_)
        core.Perceptron(1.0, w, b).play(indptr, indices, X.data, y, None, predictions, None, None)  # with a bias, as ls.perceptron() has it

    w, scores = ls.play(ls.perceptron(), X, y).state.w, np.empty(len(y))
    contenders = {
        "ours": lambda: ls.play(ls.perceptron(), X, y),
        "bare": bare,
        "gathered": lambda: gathered_alone(w, indptr, indices, X.data, scores),
        "float32": lambda: sklearn_pass(X, y),
        "float64": lambda: sklearn_pass(data.float64, y),
    }
    seconds = interleaved(contenders, 5 if quick else 21)
    best = faster(seconds, "float32", "float64")
    peer = f"sklearn {best} {milliseconds(seconds[best])}"
    for name, job, target in ("ours", "a  Perceptron, CSR, ls.play", 2.0), ("bare", "a  the same, bare kernel", 2.2):
        yield Row(job, milliseconds(seconds[name]), peer, seconds[best] / seconds[name], target)
    limit = f"bare kernel {milliseconds(seconds['bare'])}"
    yield Row("a  ls.play beside its limit", milliseconds(seconds["ours"]), limit, seconds["bare"] / seconds["ours"], 0.85)
    least = f"scores alone {milliseconds(seconds['gathered'])}"
    yield Row("a  bare kernel beside its limit", milliseconds(seconds["bare"]), least, seconds["gathered"] / seconds["bare"], 0.85)


def classifier_pass(data: Data, quick: bool) -> Iterator[Row]:
    """m: the same pass through the classifier, scikit-learn's own validation included; beside ls.play, and beside what its users type."""
    X, y = data.float32, data.labels.astype(np.int64)
    contenders = {
        "ours": lambda: PerceptronClassifier().partial_fit(X, y, classes=[0, 1]),
        "play": lambda: ls.play(ls.perceptron(), X, y),
        "sklearn": lambda: SklearnPerceptron().partial_fit(X, y, classes=[0, 1]),
        "plain": lambda: sklearn_pass(X, y),
    }
    seconds = interleaved(contenders, 5 if quick else 21)
    ours, job = milliseconds(seconds["ours"]), "m  PerceptronClassifier.partial_fit"
    yield Row(job, ours, f"ls.play {milliseconds(seconds['play'])}", seconds["ours"] / seconds["play"], 1.3, at_most=True)
    yield Row(job, ours, f"sklearn Perceptron() {milliseconds(seconds['sklearn'])}", seconds["sklearn"] / seconds["ours"], 1)
    yield Row(job, ours, f"the same, unshuffled {milliseconds(seconds['plain'])}", seconds["plain"] / seconds["ours"], 1)


def boolean_pass(data: Data, quick: bool) -> Iterator[Row]:
    """b: one pass of the Winnows over a boolean matrix; the peer's numbers are ready in the type it likes best."""
    X, y = data.boolean, data.labels
    ones32, ones64 = X.astype(np.float32), X.astype(np.float64)
    indptr, indices, winnow = X.indptr.astype(np.int64), X.indices.view(np.uint32), ls.winnow(X.shape[1])

    def bare() -> None:
        winnow.over(winnow.first_state()).play(indptr, indices, None, y, None, np.empty(len(y), np.bool_), None, None)

    contenders = {
        "bare": bare,
        "winnow": lambda: ls.play(ls.winnow(X.shape[1]), X, y),
        "winnow_elimination": lambda: ls.play(ls.winnow_elimination(X.shape[1]), X, y),
        "float32": lambda: sklearn_pass(ones32, y),
        "float64": lambda: sklearn_pass(ones64, y),
    }
    seconds = interleaved(contenders, 5 if quick else 21)
    best = faster(seconds, "float32", "float64")
    peer = f"sklearn {best} {milliseconds(seconds[best])}"
    for name in ("winnow", "winnow_elimination"):
        yield Row(f"b  {name}, boolean CSR", milliseconds(seconds[name]), peer, seconds[best] / seconds[name], 1.6)
    limit = f"bare kernel {milliseconds(seconds['bare'])}"
    yield Row("b  winnow beside its limit", milliseconds(seconds["winnow"]), limit, seconds["bare"] / seconds["winnow"], 0.85)


def vw_pass(data: Data, bits: int) -> None:
    vowpalwabbit.Workspace(f"-d {data.vw} {VW} -b {bits} --no_stdin").finish()


def file_pass(data: Data, quick: bool) -> Iterator[Row]:
    """c: from a text file to mistakes, each library in its own format."""
    played = ls.play(ls.perceptron(), ls.open_stream(data.libsvm))
    assert played.mistakes == ls.play(ls.perceptron(), data.float32, data.labels).mistakes, "file and memory differ"
    contenders = {
        "ours": lambda: ls.play(ls.perceptron(), ls.open_stream(data.libsvm)),
        "-b 18": lambda: vw_pass(data, 18),
        "-b 22": lambda: vw_pass(data, 22),
    }
    seconds = interleaved(contenders, 3 if quick else 9)
    best = faster(seconds, "-b 18", "-b 22")
    sizes = {"ours": data.libsvm.stat().st_size, best: data.vw.stat().st_size}
    speeds = {name: size / seconds[name] / 1e9 for name, size in sizes.items()}
    ours, peer = (f"{np.median(speeds[name]):.3f} GB/s" for name in ("ours", best))
    yield Row("c  libsvm file to mistakes", ours, f"VW text, {best} {peer}", seconds[best] / seconds["ours"], 6)


def sklearn_file_pass(data: Data, quick: bool) -> Iterator[Row]:
    """d: the same against scikit-learn's reader; few repeats, because each takes it seconds."""

    def theirs() -> None:
        X, y = load_svmlight_file(str(data.libsvm), dtype=np.float32)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # the reader gives what fit refuses
        sklearn_pass(X, y > 0)

    def ours() -> None:
        ls.play(ls.perceptron(), ls.open_stream(data.libsvm))

    seconds = interleaved({"ours": ours, "theirs": theirs}, 1 if quick else 2)
    size = data.libsvm.stat().st_size
    mine, peer = (f"{np.median(size / seconds[name] / 1e9):.3f} GB/s" for name in ("ours", "theirs"))
    yield Row("d  libsvm file to mistakes", mine, f"sklearn {peer}", seconds["theirs"] / seconds["ours"], 30)


def events(data: Data) -> list[tuple[dict, tuple, bool]]:
    """Rows as a program meets them one by one: dicts, arrays of their own, labels."""
    X = data.float32[:EVENTS]
    found = []
    for t in range(X.shape[0]):
        row = slice(X.indptr[t], X.indptr[t + 1])
        indices, values = X.indices[row].astype(np.uint32), X.data[row].copy()
        features = dict(zip(indices.tolist(), values.tolist(), strict=True))
        found.append((features, (indices, values), bool(data.labels[t])))
    return found


def microseconds(seconds: np.ndarray) -> str:
    return f"{1e6 * np.median(seconds) / EVENTS:.1f} µs"


def one_dict(data: Data, quick: bool) -> Iterator[Row]:
    """e: predict one dict, then learn from its label."""
    rounds = [(x, y) for x, _, y in events(data)]
    with data.vw.open() as file:
        lines = [line.rstrip("\n") for line in islice(file, EVENTS)]

    def ours() -> None:
        model = ls.perceptron().start()
        for x, y in rounds:
            model.predict(x)
            model.update(x, y)

    def vw() -> None:
        workspace = vowpalwabbit.Workspace(VW)
        for line in lines:
            workspace.learn(line)  # predicts as well
        workspace.finish()

    seconds = interleaved({"ours": ours, "River": lambda: river(rounds), "VW": vw}, 3 if quick else 9)
    mine = microseconds(seconds["ours"])
    for name, form, target in ("River", "dict", 6), ("VW", "text", 2):
        peer = f"{name}, {form} {microseconds(seconds[name])}"
        yield Row("e  one event, dict", mine, peer, seconds[name] / seconds["ours"], target)


def river_event(data: Data, quick: bool) -> Iterator[Row]:
    """n: the same through River's methods, on features by name, beside our own event and River's Perceptron."""
    rounds = [({f"f{column}": value for column, value in x.items()}, y) for x, _, y in events(data)]

    def ours() -> None:
        model = ls.perceptron().start(ledger=False)
        for x, y in rounds:
            model.predict(x)
            model.update(x, y)

    contenders = {"adapter": lambda: river(rounds, RiverAdapter()), "ours": ours, "River": lambda: river(rounds)}
    seconds = interleaved(contenders, 3 if quick else 9)
    mine, job = microseconds(seconds["adapter"]), "n  one event, adapters.river.Perceptron"
    yield Row(job, mine, f"our own event {microseconds(seconds['ours'])}", seconds["adapter"] / seconds["ours"], 1.3, at_most=True)
    yield Row(job, mine, f"River Perceptron {microseconds(seconds['River'])}", seconds["River"] / seconds["adapter"], 1)


def one_pair(data: Data, quick: bool) -> Iterator[Row]:
    """f: one event as a pair of arrays; River takes dicts only, so it gets dicts."""
    found = events(data)
    rounds, pairs = [(x, y) for x, _, y in found], [(pair, y) for _, pair, y in found]

    def ours() -> None:
        model = ls.perceptron().start()
        for pair, y in pairs:
            model.observe(pair, y)

    seconds = interleaved({"ours": ours, "River": lambda: river(rounds)}, 3 if quick else 9)
    peer = f"River, dict {microseconds(seconds['River'])}"
    yield Row("f  one event, arrays", microseconds(seconds["ours"]), peer, seconds["River"] / seconds["ours"], 14)


def one_of_names(data: Data, quick: bool) -> Iterator[Row]:
    """p: one event of ten names, through the Perceptron; and of 70 columns through the default panel."""
    rng = np.random.default_rng(data.rows)
    tables = rng.geometric(0.05, (EVENTS, 10)).tolist()  # ten columns of a table with some sixty texts each
    rounds = [({f"c{j}={v}": 1.0 for j, v in enumerate(row)}, bool(y)) for row, y in zip(tables, data.labels, strict=False)]
    every = [(x, y) for x, _, y in events(data)[: EVENTS // 2]]
    few, later = every[: EVENTS // 10], every[EVENTS // 10 :]
    touch, lines = first_lines([x for x, _ in few])

    def ours(model: ls.Model, rounds: list) -> None:
        for x, y in rounds:
            model.predict(x)
            model.update(x, y)

    contenders = {
        "ours": lambda: ours(ls.perceptron().start(), rounds),
        "River": lambda: river(rounds),
        "panel": lambda: ours(ls.panel().start(), few),
        "logistic": lambda: river(few, LogisticRegression()),
        "touch": touch,
    }
    repeats = 3 if quick else 9
    seconds = interleaved(contenders, repeats)
    peer = f"River, dict {microseconds(seconds['River'])}"
    yield Row("p  one event, ten names", microseconds(seconds["ours"]), peer, seconds["River"] / seconds["ours"], 4)
    mine, peer = (microseconds(10 * seconds[name]) for name in ("panel", "logistic"))
    yield Row("p  one event, default panel", mine, f"River logistic {peer}", seconds["logistic"] / seconds["panel"], 1)
    limit = f"new lines {microseconds(10 * seconds['touch'])}"
    yield Row(f"p  the same beside its {lines} lines", mine, limit, seconds["touch"] / seconds["panel"], 0.85)
    panels, logistics = [ls.panel().start() for _ in range(repeats + 1)], [LogisticRegression() for _ in range(repeats + 1)]
    for panel, logistic in zip(panels, logistics, strict=True):
        ours(panel, few)
        river(few, logistic)
    seconds = interleaved({"panel": lambda: ours(panels.pop(), later), "logistic": lambda: river(later, logistics.pop())}, repeats)
    mine, peer = (microseconds(2.5 * seconds[name]) for name in ("panel", "logistic"))
    yield Row("p  the same, events 500 to 2,500", mine, f"River logistic {peer}", seconds["logistic"] / seconds["panel"], 1)


def river(rounds: list, model: Any = None) -> None:
    model = model or RiverPerceptron()
    for x, y in rounds:
        model.predict_one(x)
        model.learn_one(x, y)


def start_up(data: Data, quick: bool) -> Iterator[Row | Missing]:
    """h: how long the command line takes to say nearly nothing."""
    numba = [sys.executable, "-c", "import numba"]
    contenders = {"ours": lambda: run_command([str(LITTLESTONE), "--help"]), "numba": lambda: run_command(numba)}
    try:
        seconds = interleaved(contenders, 3 if quick else 7)
    except CommandFailed as failure:
        yield Missing("h  littlestone --help", str(failure))
        return
    peer = f"import numba {milliseconds(seconds['numba'])}"
    yield Row("h  littlestone --help", milliseconds(seconds["ours"]), peer, seconds["ours"] / seconds["numba"], 0.5, at_most=True)


JOBS = {
    "a": memory_pass,
    "b": boolean_pass,
    "c": file_pass,
    "d": sklearn_file_pass,
    "e": one_dict,
    "f": one_pair,
    "g": memory,
    "h": start_up,
    "i": lambda data, quick: halving_2_24(quick),
    "j": lambda data, quick: chain(memory_speed(quick), against_river(quick)),
    "k": formats,
    "l": lambda data, quick: expert_tables(quick),
    "m": classifier_pass,
    "n": river_event,
    "o": growth,
    "p": one_of_names,
    "r": beginnings,
    "s": default_panel,
}

WIDTHS = [38, 12, 26, 20, 6, 4]  # with the spaces between them, 110


def terminal_line(row: Row | Missing) -> str:
    cells = zip(row.cells(), WIDTHS, strict=True)
    return " ".join(cell.ljust(width) for cell, width in cells).rstrip()[:110]


def machine() -> list[str]:
    """What a reader needs to judge the numbers."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        cpu = next((line.split(":")[1].strip() for line in info.open() if line.startswith("model name")), cpu)
    packages = ("littlestone", "numpy", "numba", "pyarrow", "scikit-learn", "river", "vowpalwabbit")
    return [
        f"{cpu}, {len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} cores",
        f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in packages),
    ]


def write_results(rows: list[Row | Missing], data: Data) -> None:
    lines = [
        "# Results",
        "",
        *(f"- {fact}" for fact in machine()),
        f"- {data.rows:,} rows, {data.float32.nnz / data.rows:.0f} features a row of {data.float32.shape[1]:,}",
        f"- libsvm file of {data.libsvm.stat().st_size / 1e6:.0f} MB, generated as `data.py` says",
        "",
        "Times are medians. The ratio is the median over interleaved repeats, with the smallest and the largest.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|" + " --- |" * len(HEADINGS),
        *("| " + " | ".join(" ".join(cell.split()) for cell in row.cells()) + " |" for row in rows),
        "",
        "Reproduce: `.venv/bin/python benchmarks/run.py` (with the extra `bench` installed).",
    ]
    RESULTS.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20,000 rows and fewer repeats")
    parser.add_argument("--only", default=",".join(JOBS), help="rows of the table, such as a,c")
    parser.add_argument(
        "--processor", action="store_true", help="seconds of the processor instead: for a machine that is busy; terminal only"
    )
    options = parser.parse_args()
    CLOCK.of_processor = options.processor
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(JOBS):
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(JOBS)}")
    data = load(quick=options.quick)
    heading = " ".join(name.ljust(width) for name, width in zip(HEADINGS, WIDTHS, strict=True))
    for line in (*machine(), "", heading):
        print(line)
    rows: list[Row | Missing] = []
    for letter in chosen:
        for row in JOBS[letter](data, options.quick):
            rows.append(row)
            print(terminal_line(row), flush=True)
    if not options.quick and not options.processor and set(chosen) == set(JOBS):
        write_results(rows, data)  # a part of the table, or of the data, is for the terminal only


if __name__ == "__main__":
    main()
