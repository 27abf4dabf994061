"""What everybody meets first: short runs, and one row for a saved panel."""

from __future__ import annotations

import compileall
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

import littlestone
from data import Data
from measure import CommandFailed, Missing, Row, interleaved, milliseconds, run_command

LITTLESTONE = str(Path(sys.executable).parent / "littlestone")
FIRST, FIRST_OF_ONE = 10, 4  # seconds

# The least that a program with one kernel in numba's own cache takes; sums of an array, as in numba's tour.
ONE_KERNEL = """
import numpy as np
from numba import njit


@njit(cache=True)
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


total(np.ones(3))
"""


def beginnings(data: Data, quick: bool) -> Iterator[Row | Missing]:
    """r: a file of ten rows: the first run, a second one, and one row for the model it left; each as a command."""
    compileall.compile_dir(Path(littlestone.__file__).parent, quiet=2)  # as pip does, where it installs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny, row, model, script = (folder / part for part in ("tiny.libsvm", "row.libsvm", "panel.littlestone", "one_kernel.py"))
        small = folder / "small.libsvm"
        with data.libsvm.open() as file:
            lines = list(islice(file, 300))
        small.write_text("".join(lines))
        tiny.write_text("".join(lines[:10]))
        row.write_text(lines[0])
        script.write_text(ONE_KERNEL)
        run, perceptron = [LITTLESTONE, "run", str(tiny), "--quiet"], ["--learner", "perceptron"]
        jobs = {
            "default": run,
            "perceptron": [*run, *perceptron],
            "predict": [LITTLESTONE, "predict", str(model), str(row)],
            "numba": [sys.executable, str(script)],
        }
        try:
            yield first_run("r  first default run, ten rows", run, FIRST, 1 if quick else 3)
            yield first_run("r  first run --learner perceptron", [*run, *perceptron], FIRST_OF_ONE, 1 if quick else 3)
            longer = [LITTLESTONE, "run", str(small), "--quiet"]
            yield first_run("r  first default run, 300 rows", longer, FIRST, 1 if quick else 3)
            yield first_run("r  the same, --learner perceptron", [*longer, *perceptron], FIRST_OF_ONE, 1 if quick else 3)
            run_command([*run, "--model", str(model)])
            contenders = {name: lambda command=command: run_command(command) for name, command in jobs.items()}
            seconds = interleaved(contenders, 3 if quick else 9)
        except CommandFailed as failure:
            yield Missing("r  first and second runs", str(failure))
            return
    peer = f"one cached kernel {milliseconds(seconds['numba'])}"
    names = {"default": "second default run, ten rows", "perceptron": "second run --learner perceptron", "predict": "predict, one row"}
    for name, words in names.items():
        ratios = seconds[name] / seconds["numba"]
        yield Row(f"r  {words}", milliseconds(seconds[name]), peer, ratios, 1.5 if name == "predict" else 1.3, at_most=True)


def first_run(job: str, command: list[str], target: float, repeats: int) -> Row:
    """Seconds of a command from an empty home."""
    times = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "HOME": home}
            times.append(interleaved({"ours": lambda env=environment: run_command(command, env)}, 1, beforehand=False)["ours"][0])
    seconds = np.array(times)
    return Row(job, f"{np.median(seconds):.1f} s", "an empty home", seconds, target, at_most=True, unit=" s")
