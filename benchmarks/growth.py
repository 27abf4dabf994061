"""How cost grows with rows, features a row and vocabulary, verb by verb, and with the columns of a table, format by format; and memory
with rounds, for each format and learner."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse as sp

import littlestone as ls
from data import Data
from measure import CommandFailed, Missing, Row, peak_memory

STEPS = 4  # sizes, each twice the one before it
# Verbs, how often each is timed, and the rows, features a row and vocabulary they begin with. Playing and predicting are so quick, and a
# proof does so much whatever the size, that fewer would be lost in what a call costs.
SIZES = ((("run", "predict"), 3, (250_000, 16, 40_000)), (("certify", "verify"), 1, (16_000, 16, 16_000)))
TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
WIDTH, HEIGHT = 4_000, 20  # columns of the narrowest table, and the rows of each
FORMATS = ("libsvm", "vw", "jsonl", "parquet", "arrow", "txt", "csv", "tsv")
CELLS = 12  # of a row of a table
FILLS = 2**24  # bytes of a file that fill what is read ahead

# Every learner of two classes over a file, one after the other: the peak of all is the largest of theirs.
EVERY_LEARNER = """
import sys
import littlestone as ls
from littlestone.learners import named, names

for name in names():
    try:
        learner = named(name)
        ls.play(learner.sized(47_236) if learner.needs_n else learner, ls.open_stream(sys.argv[1], boolean=True), predictions=False)
    except ls.LittlestoneError as error:  # a class that the stream contradicts, or that is too large to list
        print(name, error, file=sys.stderr)
"""


def matrix(rows: int, features: int, columns: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of so many features, one of each stretch of the columns; labels by a linear rule, a tenth of them wrong."""
    rng = np.random.default_rng(rows + features + columns)
    indices = np.sort(rng.integers(0, columns // features, (rows, features)) + np.arange(features) * (columns // features), axis=1)
    indptr = np.arange(0, rows * features + 1, features)
    X = sp.csr_matrix((rng.random(rows * features, np.float32), indices.ravel().astype(np.int32), indptr), shape=(rows, columns))
    return X, ((X @ rng.standard_normal(columns) > 0) ^ (rng.random(rows) < 0.1)).astype(np.int64)


def verbs(X: sp.csr_matrix, y: np.ndarray) -> dict[str, Callable[[], object]]:
    run, made = ls.play(ls.perceptron(), X, y), list[ls.Certificate]()
    return {
        "run": lambda: ls.play(ls.perceptron(), X, y),
        "predict": lambda: run.hypothesis.predict_many(X),
        "certify": lambda: made.append(ls.certify(run, X, y)),
        "verify": lambda: ls.verify(made[-1], X, y),
    }


def growth(data: Data, quick: bool) -> Iterator[Row]:
    """o: the exponent of the cost as one size doubles, three times over, and the others stay; processor time, the least of some."""
    sizes: dict[str, tuple[int, int, int]] = {"rows": (1, 0, 0), "features a row": (0, 1, 0), "vocabulary": (0, 0, 1)}
    for work in verbs(*matrix(200, 16, 400)).values():
        work()  # what is compiled, loaded or imported once
    for names, repeats, base in SIZES:
        rows, features, columns = (base[0] // 8, base[1], base[2] // 8) if quick else base
        for size, (by_rows, by_features, by_columns) in sizes.items():
            times: dict[str, list[float]] = {name: [] for name in names}
            for k in range(STEPS):
                jobs = verbs(*matrix(rows << k * by_rows, features << k * by_features, columns << k * by_columns))
                for name in names:
                    times[name].append(min(map(processor_time, [jobs[name]] * repeats)))
            for name, seconds in times.items():
                exponent = np.polyfit(np.arange(STEPS), np.log2(seconds), 1)[0]
                ours, peer = f"{1e3 * seconds[-1]:.1f} ms", f"an eighth {1e3 * seconds[0]:.1f} ms"
                yield Row(f"o  {name} against {size}, exponent", ours, peer, np.array([exponent]), 1.05, at_most=True, unit="")
    yield from widths(quick)


def widths(quick: bool) -> Iterator[Row]:
    """o, of tables: the exponent of the cost of a run as the columns of a file double, three times over, and its rows stay."""
    rng, narrowest = np.random.default_rng(1), WIDTH // (4 if quick else 1)
    widest = pa.table({"label": np.arange(HEIGHT) % 2, **{f"c{k}": rng.random(HEIGHT).round(3) for k in range(narrowest << STEPS - 1)}})
    with tempfile.TemporaryDirectory() as name:
        for format in TABLES:
            times = []
            for k in range(STEPS):
                path = Path(name) / f"{k}.{format}"
                write_table(widest.select(range(1 + (narrowest << k))), path)
                work = partial(run_file, path)
                if not k:
                    work()  # what is compiled, loaded or imported once
                times.append(min(map(processor_time, [work] * 3)))
                path.unlink()
            exponent = np.polyfit(np.arange(STEPS), np.log2(times), 1)[0]
            ours, peer = f"{1e3 * times[-1]:.1f} ms", f"an eighth {1e3 * times[0]:.1f} ms"
            yield Row(f"o  {format} against columns, exponent", ours, peer, np.array([exponent]), 1.25, at_most=True, unit="")


def run_file(path: Path) -> object:
    return ls.play(ls.perceptron(), ls.open_stream(path))


def write_table(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    elif path.suffix == ".arrow":
        pa.feather.write_feather(table, path, compression="uncompressed")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        delimiter = "," if path.suffix == ".csv" else "\t"
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=delimiter, quoting_style="none"))


def processor_time(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def memory(data: Data, quick: bool) -> Iterator[Row | Missing]:
    """g: peak memory over a file, and over one four times as long: of each format through the command, and of every learner.

    The shorter one has at least FILLS bytes, so that it fills what is read ahead: pieces that wait for their turn, and memory that is kept.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, unit = Path(name), data.libsvm.with_stem("20000")
        for format in FORMATS:
            first = made(unit, folder / f"first.{format}")
            times = -(-(FILLS // 8 if quick else FILLS) // first.stat().st_size)
            files = [longer(unit, first, many) for many in (4 * times, times)]
            commands = [[sys.executable, "-m", "littlestone", "run", str(path), "--learner", "perceptron", "--quiet"] for path in files]
            yield peaks(f"g  peak memory, {format}", commands, 1 if quick else 3)
            for path in (first, *files):
                path.unlink()
        files = [longer(unit, unit, many, folder) for many in (8, 2)]
        yield peaks("g  peak memory, every learner", [[sys.executable, "-c", EVERY_LEARNER, str(path)] for path in files], 1)


def longer(unit: Path, first: Path, times: int, folder: Path | None = None) -> Path:
    """The rows of a file so many times over; `unit` has them as libsvm."""
    path = (folder or first.parent) / f"{times}{first.suffix}"
    if first.suffix in (".parquet", ".arrow"):
        source = longer(unit, unit, times, first.parent)
        made(source, path)
        source.unlink()
        return path
    head, rows = b"", first.read_bytes()
    if first.suffix in (".csv", ".tsv"):
        end = rows.index(b"\n") + 1
        head, rows = rows[:end], rows[end:]
    with path.open("wb") as out:
        out.write(head)
        for _ in range(times):
            out.write(rows)
    return path


def made(source: Path, path: Path) -> Path:
    """The file in another format; as text its numbers are words, and a table has the first dozen in columns."""
    if path.suffix not in (".txt", ".csv", ".tsv"):
        ls.convert(ls.open_stream(source), path)
        return path
    between = "," if path.suffix == ".csv" else "\t"
    with source.open() as lines, path.open("w") as out:
        if path.suffix != ".txt":
            out.write(between.join(("label", *(f"c{k}" for k in range(CELLS)))) + "\n")
        for line in lines:
            label, *entries = line.split()
            words = ["w" + entry.partition(":")[0] for entry in entries]
            out.write(f"{label}\t{' '.join(words)}\n" if path.suffix == ".txt" else between.join((label, *words[:CELLS])) + "\n")
    return path


def peaks(job: str, commands: list[list[str]], repeats: int) -> Row | Missing:
    try:
        peak_memory(commands[-1])  # kernels are compiled once, which takes 50 MB
        sizes = [tuple(map(peak_memory, commands)) for _ in range(repeats)]
    except CommandFailed as failure:
        return Missing(job, str(failure))
    large, small = (f"{np.median([pair[k] for pair in sizes]):.0f} MB" for k in (0, 1))
    return Row(job, f"4x file {large}", f"1x file {small}", np.array([a / b for a, b in sizes]), 1.1, at_most=True)
