"""Interleaved timing, peak memory of a command, and the rows that come of them."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np


class Clock:
    """Seconds that pass; or, on a machine that is busy with other things, those of the processor, on all cores and with all children."""

    of_processor = False

    def now(self) -> float:
        if not self.of_processor:
            return perf_counter()
        usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)


CLOCK = Clock()


def milliseconds(seconds: np.ndarray) -> str:
    return f"{1e3 * np.median(seconds):.1f} ms"


def interleaved(contenders: dict[str, Callable[[], object]], repeats: int, *, beforehand: bool = True) -> dict[str, np.ndarray]:
    """Seconds of each contender, A, B, A, B, ...: what disturbs the machine for a while disturbs them all alike."""
    for contender in contenders.values() if beforehand else ():
        contender()  # compiles, and fills the page cache
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, contender in contenders.items():
            gc.collect()
            begun = CLOCK.now()
            contender()
            seconds[name].append(CLOCK.now() - begun)
    return {name: np.array(times) for name, times in seconds.items()}


def faster(seconds: dict[str, np.ndarray], *names: str) -> str:
    """Of several ways to run the peer, the one it is quickest with."""
    return min(names, key=lambda name: np.median(seconds[name]))


@dataclass(frozen=True)
class Row:
    """One line of the table. `ratios`, one a repeat, say how many times as fast as the peer (or, at most: as large); or they are plain
    figures, in a unit of their own."""

    job: str
    ours: str
    peer: str
    ratios: np.ndarray
    target: float
    at_most: bool = False
    unit: str = "x"

    @property
    def ratio(self) -> str:
        return f"{np.median(self.ratios):.2f}{self.unit} ({self.ratios.min():.2f}-{self.ratios.max():.2f})"

    @property
    def aim(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.target:g}{self.unit}"

    @property
    def met(self) -> str:
        median = np.median(self.ratios)
        return "yes" if (median <= self.target if self.at_most else median >= self.target) else "no"

    def cells(self) -> list[str]:
        return [self.job, self.ours, self.peer, self.ratio, self.aim, self.met]


@dataclass(frozen=True)
class Missing:
    """A line of the table that could not be measured, and why."""

    job: str
    reason: str

    def cells(self) -> list[str]:
        return [self.job, f"not measured: {self.reason}", "", "", "", ""]


class CommandFailed(Exception):
    """A command of a subprocess ended badly; its last words."""


def run_command(command: list[str], environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    except OSError as error:
        raise CommandFailed(str(error)) from None
    if done.returncode:
        message = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise CommandFailed(message[-1].strip("│╰╯─ ") or f"exit status {done.returncode}")


# A process starts with its parent's peak in its books; a parent as small as this one does not matter.
LAUNCHER = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


def peak_memory(command: list[str]) -> float:
    """The largest resident size of a command, in MB."""
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *command], capture_output=True, text=True)
    if done.returncode:
        raise CommandFailed((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1].strip("│╰╯─ "))
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024) / 1e6
