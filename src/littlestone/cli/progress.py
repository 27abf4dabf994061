"""What a person sees while a stream is played: lines on standard error, a bar on a terminal. Results alone go to standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from littlestone.api.observers import Observer, pieces_ending
from littlestone.cli.terminal import note
from littlestone.errors import one_line

if TYPE_CHECKING:
    from littlestone.protocol import Block
    from littlestone.streams import Stream


def tell_of_columns(stream: Stream, say: Log) -> None:
    """Say in one line what is made of each column of a table."""
    if columns := stream.columns_in_words:
        say(one_line(columns))


class Log:
    """Lines for the person."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, line: str) -> None:
        if not self.quiet:
            note(line)


class Doublings(Observer):
    """The table that Vowpal Wabbit users know: a line at round 1, 2, 4, 8, ..., with a bound where one compares."""

    def __init__(self, judged: Callable[[Any], Any], say: Log) -> None:
        self.judged, self.say = judged, say
        self.bounded: bool | None = None  # is there a bound for the last column? The first line tells

    def begins(self, playing: Any) -> None:
        self.playing, runner = playing, playing.runner
        self.next = 1 << runner.rounds.bit_length()  # a run that goes on from a model has rounds already
        self.before = (runner.rounds, runner.mistakes)
        self.begun, self.rounds_begun = perf_counter(), runner.rounds

    @property
    def runner(self) -> Any:
        return self.playing.runner

    def cut(self, block: Block) -> Iterator[Block]:
        """The block in pieces that end where a line of the table is due."""
        yield from (block,) if self.say.quiet else pieces_ending(block, lambda: self.next - self.runner.rounds)

    def after(self, taken: Any) -> None:
        if not self.say.quiet and self.runner.rounds >= self.next:
            self._line(self.judged(self.playing.segment()))
            self.next = 1 << self.runner.rounds.bit_length()

    def last(self, claims: Any) -> None:
        if not self.say.quiet and self.runner.rounds > self.before[0]:
            self._line(claims)

    def _line(self, claims: Any) -> None:
        from littlestone.report import words
        from littlestone.theory.claims import best

        least = best(claims)
        if self.bounded is None:
            self.bounded = least is not None
            self.say(words.table_head(self.bounded))
        now = (self.runner.rounds, self.runner.mistakes)
        rounds, seconds = now[0] - self.rounds_begun, perf_counter() - self.begun
        speed = rounds / seconds if rounds >= 1_000 and seconds >= 0.2 else None  # before that it is that of the first block
        self.say(words.table_row(*now, *self.before, least, speed, self.bounded))
        self.before = now


class TaskLine:
    """One line that moves, on a terminal: how many tasks of a cluster are done, and the memory that its workers have now."""

    def __init__(self, workers: Any, quiet: bool) -> None:
        self.workers, self.visible = workers, not quiet and sys.stderr.isatty()

    def __enter__(self) -> None:
        if not self.visible:
            return
        from rich.console import Console
        from rich.live import Live

        self.shown = Live(console=Console(stderr=True), transient=True, redirect_stderr=True, get_renderable=self.line)
        self.shown.start()

    def line(self) -> str:
        """It is asked for four times a second."""
        w = self.workers
        most = max(w.memory_now(), default=0)
        return f"{w.done:,} of {w.submitted:,} tasks done, {w.count} workers, {most / 2**20:,.0f} MB in the largest"

    def __exit__(self, *error: Any) -> None:
        if self.visible:
            self.shown.stop()


class Bar(Observer):
    """A bar with bytes, rounds and mistakes on a terminal; nothing elsewhere."""

    def __init__(self, stream: Stream, quiet: bool, passes: int = 1) -> None:
        self.stream, self.passes = stream, passes
        self.shown: Any = None
        self.visible = not quiet and sys.stderr.isatty()

    def begins(self, playing: Any) -> None:
        if not self.visible:
            return
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        counts = DownloadColumn(table_column=Column(no_wrap=True))  # where a line is too long, the bar gives way
        left = TimeRemainingColumn(table_column=Column(no_wrap=True))
        columns = (BarColumn(bar_width=12), counts, TextColumn("{task.description}"), left)
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stderr=True)
        self.shown.start()
        size = self.stream.size
        self.task = self.shown.add_task("", total=None if size is None else self.passes * size)
        self.runner, self.begun, self.first, self.before, self.done = playing.runner, perf_counter(), playing.runner.rounds, 0, 0

    def after(self, taken: Any) -> None:
        if self.shown is None:
            return
        if self.stream.bytes_read < self.before:
            self.done += self.before  # a new pass
        self.before, runner = self.stream.bytes_read, self.runner
        rate = f"{100 * runner.mistakes / max(1, runner.rounds):.2f} %"
        speed = (runner.rounds - self.first) / max(1e-9, perf_counter() - self.begun)
        line = f"{runner.rounds:,} rounds, {speed:,.0f}/s, {runner.mistakes:,} mistakes ({rate})"
        self.shown.update(self.task, completed=self.done + self.before, description=line)

    def ends(self) -> None:
        if self.shown is not None:
            self.shown.stop()
