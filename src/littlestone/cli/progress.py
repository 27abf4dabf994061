"""What a person sees while a stream is played: lines on standard error, a bar on a terminal. Results alone go to standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.protocol import Block
    from littlestone.streams import Stream

COMPILING = "Compiling the kernels of this run, once on this machine: a few seconds."


def tell_of_compiling(learners: list[Any], stream: Stream, say: Log) -> None:
    """One line, where the first call will take its time."""
    from littlestone.kernels.compiler import is_compiled

    every = [member for one in learners for member in getattr(one, "members", (one,))]
    if not all(is_compiled(one.kernels.play) for one in every) or not stream.compiled:
        say(COMPILING)


class Log:
    """Lines for the person."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, line: str) -> None:
        if not self.quiet:
            print(line, file=sys.stderr, flush=True)


class Doublings:
    """The table that Vowpal Wabbit users know: a line at round 1, 2, 4, 8, ..., with the bound at that moment as a column."""

    def __init__(self, runner: Any, judged: Callable[[], Any], say: Log) -> None:
        self.runner, self.judged, self.say = runner, judged, say
        self.next = 1 << runner.rounds.bit_length()  # a run that goes on from a model has rounds already
        self.before = (runner.rounds, runner.mistakes)
        self.begun, self.rounds_begun = perf_counter(), runner.rounds
        self.headed = False

    def cut(self, block: Block) -> Iterator[Block]:
        """The block in pieces that end where a line of the table is due."""
        if self.say.quiet:
            yield block
            return
        start = 0
        while start < len(block):
            told = (block.labels[start:] >= 0).cumsum()
            wanted = self.next - self.runner.rounds
            stop = len(block) if told[-1] < wanted else start + int(told.searchsorted(wanted)) + 1
            yield block.cut(start, stop)
            start = stop

    def after(self) -> None:
        if not self.say.quiet and self.runner.rounds >= self.next:
            self._line(self.judged())
            self.next = 1 << self.runner.rounds.bit_length()

    def last(self, claims: Any) -> None:
        if not self.say.quiet and self.runner.rounds > self.before[0]:
            self._line(claims)

    def _line(self, claims: Any) -> None:
        from littlestone.protocol.judged import best
        from littlestone.report import words

        if not self.headed:
            self.say(words.table_head())
            self.headed = True
        now = (self.runner.rounds, self.runner.mistakes)
        rounds, seconds = now[0] - self.rounds_begun, perf_counter() - self.begun
        speed = rounds / seconds if rounds >= 1_000 and seconds >= 0.2 else None  # before that it is that of the first block
        self.say(words.table_row(*now, *self.before, best(claims), speed))
        self.before = now


@contextmanager
def bar(stream: Stream, runner: Any, quiet: bool, passes: int = 1) -> Iterator[Callable[[], None]]:
    """A bar with bytes, rounds and mistakes on a terminal; nothing elsewhere. What comes is to be called after each block."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(bar_width=12), DownloadColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stderr=True) as shown:
        size = stream.size
        task = shown.add_task("", total=None if size is None else passes * size)
        begun, first, before, done = perf_counter(), runner.rounds, 0, 0

        def show() -> None:
            nonlocal before, done
            if stream.bytes_read < before:
                done += before  # a new pass
            before = stream.bytes_read
            rate = f"{100 * runner.mistakes / max(1, runner.rounds):.2f} %"
            speed = (runner.rounds - first) / max(1e-9, perf_counter() - begun)
            said = f"{runner.rounds:,} rounds, {speed:,.0f}/s, {runner.mistakes:,} mistakes ({rate})"
            shown.update(task, completed=done + before, description=said)

        yield show
