"""Files to mistakes, format by format: ours against Vowpal Wabbit on the same rows, from the disk's cache, on both cores."""

from __future__ import annotations

import compileall
import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import vowpalwabbit

import littlestone as ls
from data import CACHE, Data
from limits import bare_panels, blocks_of, pairs_and_places
from measure import CommandFailed, Missing, Row, interleaved, peak_memory, run_command
from panel import SETTINGS

STRING_ROWS, STRINGS, WORDS = 1_160_000, 8, 200_000
FLIGHTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "nycflights13" / "flights.csv.gz"
VW = "-b 22 --sgd --loss_function hinge --quiet --no_stdin"


def vw(path: Path, options: str = "") -> Callable[[], None]:
    return lambda: vowpalwabbit.Workspace(f"-d {path} {VW} {options}").finish()


def ours(path: Path, **options: object) -> Callable[[], object]:
    return lambda: ls.play(ls.perceptron(), ls.open_stream(path, **options))  # type: ignore[arg-type]


def row(job: str, contenders: dict[str, Callable[[], object]], sizes: dict[str, int], peer: str, target: float, repeats: int) -> Row:
    """The speeds are of each one's own file; the ratio is of the times for the same rows."""
    seconds = interleaved(contenders, repeats)
    mine, theirs = (f"{np.median(sizes[name] / seconds[name]) / 1e6:.0f} MB/s" for name in ("ours", "vw"))
    return Row(job, mine, f"{peer} {theirs}", seconds["vw"] / seconds["ours"], target)


def string_file(rows: int) -> Path:
    """VW text: rows of eight words, the popular ones more often."""
    path = CACHE / f"words-{rows}.vw"
    if not path.exists():
        rng = np.random.default_rng(5)
        names = np.array([f"w{i:x}" if i % 3 else f"word_{i}" for i in range(WORDS)])
        weights = rng.standard_normal(WORDS)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".part").open("w") as out:
            for start in range(0, rows, 50_000):
                drawn = np.minimum((WORDS ** rng.random((min(50_000, rows - start), STRINGS + 4))).astype(int) - 1, WORDS - 1)
                for words in drawn:
                    words = np.unique(words)[:STRINGS]
                    rng.shuffle(words)
                    out.write(f"{'1' if weights[words].sum() > 0 else '-1'} |f {' '.join(names[words])}\n")
        path.with_suffix(".part").rename(path)
    return path


def formats(data: Data, quick: bool) -> Iterator[Row | Missing]:
    """k: one row of the table a format."""
    repeats = 3 if quick else 7
    words = string_file(20_000 if quick else STRING_ROWS)
    contenders = {"ours": ours(words), "vw": vw(words)}
    size = words.stat().st_size
    yield row(f"k  VW text, {STRINGS} strings a row", contenders, {"ours": size, "vw": size}, "VW, -b 22", 4, repeats)
    size = data.vw.stat().st_size
    contenders = {"ours": ours(data.vw), "vw": vw(data.vw)}
    yield row("k  VW text, integers", contenders, {"ours": size, "vw": size}, "VW, -b 22", 6, repeats)
    contenders = {"ours": ours(data.libsvm), "vw": vw(data.vw)}
    yield row("k  libsvm", contenders, {"ours": data.libsvm.stat().st_size, "vw": size}, "VW text, -b 22", 6, repeats)
    parquet = data.libsvm.with_suffix(".parquet")
    if not parquet.exists():
        ls.convert(ls.open_stream(data.libsvm), parquet)
    contenders = {"ours": ours(parquet), "vw": vw(data.vw)}
    yield row("k  Parquet, list columns", contenders, {"ours": parquet.stat().st_size, "vw": size}, "VW text, -b 22", 12, repeats)
    if not FLIGHTS.exists():
        yield Missing("k  CSV, 327,346 flights", "the file of flights is not there")
        return
    table, theirs = flights()
    contenders = {"ours": ours(table, label="arr_delay>15"), "vw": vw(theirs, "--csv")}
    sizes = {"ours": table.stat().st_size, "vw": theirs.stat().st_size}
    yield row("k  CSV, 327,346 flights", contenders, sizes, "VW --csv, -b 22", 4, repeats)


def default_panel(data: Data, quick: bool) -> Iterator[Row | Missing]:
    """s: a default run over rows of strings: its time beside the five settings of VW, one after the other, and its peak memory."""
    compileall.compile_dir(Path(ls.__file__).parent, quiet=2)  # as pip does, where it installs
    words = string_file(20_000 if quick else STRING_ROWS)
    run = [sys.executable, "-m", "littlestone", "run", str(words), "--quiet"]

    def five() -> None:
        for setting in SETTINGS:
            vowpalwabbit.Workspace(f"-d {words} -b 22 --binary --quiet --no_stdin {setting}").finish()

    job, rows, repeats = "s  default panel", f"{STRING_ROWS:,} rows of strings", 2 if quick else 3
    few, blocks = [*run[:-2], str(string_file(1_000)), "--quiet"], blocks_of(words)
    contenders = {"ours": lambda: run_command(run), "vw": five, "start": lambda: run_command(few), "bare": bare_panels(blocks)}
    try:
        seconds = interleaved(contenders, repeats)
        peaks = np.array([peak_memory(run) for _ in range(1 if quick else 3)])
    except CommandFailed as failure:
        yield Missing(f"{job}, {rows}", str(failure))
        return
    mine, theirs = (f"{np.median(seconds[name]):.1f} s" for name in ("ours", "vw"))
    yield Row(f"{job}, {rows}", mine, f"VW, five settings {theirs}", seconds["ours"] / seconds["vw"], 0.35, at_most=True)
    start, bare = (np.median(seconds[name]) for name in ("start", "bare"))
    best = seconds["start"] + seconds["bare"]
    yield Row(f"{job}, beside its limit", mine, f"start {start:.2f} + kernels {bare:.2f} s", best / seconds["ours"], 0.85)
    played, looked, count = pairs_and_places(blocks)
    seconds = interleaved({"pairs": played, "places": looked}, repeats)
    mine, theirs = (f"{1e9 * np.median(seconds[name]) / count:.0f} ns" for name in ("pairs", "places"))
    yield Row("s  pairs, a row, beside its places", mine, f"places alone {theirs}", seconds["places"] / seconds["pairs"], 0.85)
    yield Row(f"{job}, peak memory", f"{np.median(peaks):.0f} MB", rows, peaks, 400, at_most=True, unit=" MB")


def flights() -> tuple[Path, Path]:
    """The flights as they are, and as Vowpal Wabbit wants them: its label in a column of its own."""
    table, theirs = CACHE / "flights.csv", CACHE / "flights-vw.csv"
    if not theirs.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        text = gzip.decompress(FLIGHTS.read_bytes()).decode()
        table.write_text(text)
        head, *rows = text.splitlines()
        label = head.split(",").index("arr_delay")
        with theirs.open("w") as out:
            out.write(",".join("_label" if k == label else name for k, name in enumerate(head.split(","))) + "\n")
            for line in rows:
                cells = line.split(",")
                cells[label] = "1" if float(cells[label]) > 15 else "-1"
                out.write(",".join(cells) + "\n")
    return table, theirs
