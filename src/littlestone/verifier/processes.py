"""Parts of a replay in processes of their own: on several cores it is done sooner, and to the same bits.

A part is an object with `take(batch)`, which is given one batch of rounds after the other, and `end()`.  Where it works makes no difference
to its answers: it hears the same batches in the same order, and none waits for another but for what it is given.  Each process is this
Python with this package and nothing else of the caller's; it ends when its standard input does, and so with whoever started it.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, Protocol

from littlestone.errors import LittlestoneError

#: What another process runs: it finds this package where this process did.
PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from littlestone.verifier.processes import serve; serve()"

Recipe = tuple[Callable[..., Any], Sequence[Any]]  # what makes a part, and of what; both can be pickled


class ProcessEnded(LittlestoneError):
    """Somebody else ended a process, or it found no memory: this says nothing of a certificate."""


class Place(Protocol):
    """Where a part works."""

    def ask(self, batch: Callable[[], Any]) -> Future: ...

    def end(self) -> Any: ...


class Here:
    """A part that works in this process, at once."""

    def __init__(self, recipe: Recipe) -> None:
        make, settings = recipe
        self.part = make(*settings)

    def ask(self, batch: Callable[[], Any]) -> Future:
        answer: Future = Future()
        try:
            answer.set_result(self.part.take(batch()))
        except LittlestoneError as error:
            answer.set_exception(error)
        return answer

    def end(self) -> Any:
        return self.part.end()


class Elsewhere:
    """A part that works in a process of its own. A thread sends it a batch, and waits for its answer before it sends the next."""

    def __init__(self, recipe: Recipe) -> None:
        command = [sys.executable, "-c", PROGRAM, *sys.path]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.thread = ThreadPoolExecutor(1)
        self.ready = self.thread.submit(self._exchange, lambda: recipe)

    def ask(self, batch: Callable[[], Any]) -> Future:
        return self.thread.submit(self._exchange, batch)

    def end(self) -> Any:
        return self.ask(lambda: None).result()

    def close(self) -> None:
        self.process.kill()
        self.thread.shutdown(cancel_futures=True)
        self.process.communicate()  # what was never sent is lost, and the pipes are closed

    def _exchange(self, batch: Callable[[], Any]) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        heard = batch()
        try:
            write(self.process.stdin, heard)
            error, answer = pickle.load(self.process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise ProcessEnded("a process that replays a part of the run was ended before it was done") from None
        if error is not None:
            raise error
        return answer


class Processes:
    """Who starts processes for the parts of a replay, and ends them; with fewer than two of them every part works here.

    >>> with Processes(1) as processes:
    ...     [place] = processes.places([(RunningTotal, [5])])
    ...     place.ask(lambda: 2).result(), place.end()
    (7, 7)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.started: list[Elsewhere] = []

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: Any) -> None:
        for place in self.started:
            place.close()
        self.started = []

    def places(self, recipes: Sequence[Recipe]) -> Sequence[Place]:
        """A place for each part: all in processes of their own, or, where those cannot be started, all here."""
        if self.most > 1 and sys.executable and not getattr(sys, "frozen", False):
            with suppress(OSError, LittlestoneError):
                for recipe in recipes:
                    self.started.append(Elsewhere(recipe))
                for place in self.started:
                    place.ready.result()
                return self.started
            self.__exit__()
        return [Here(recipe) for recipe in recipes]


class RunningTotal:
    """The smallest part there is: it adds up what it is given."""

    def __init__(self, total: int) -> None:
        self.total = total

    def take(self, batch: int) -> int:
        self.total += batch
        return self.total

    def end(self) -> int:
        return self.total


def cores() -> int:
    """How many of the machine's this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write(file: IO[bytes], value: Any) -> None:
    pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
    file.flush()


def serve() -> None:
    """The other process: makes the part, answers each batch, and ends with a None, or where nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    with suppress(EOFError, OSError):
        make, settings = pickle.load(source)
        part = make(*settings)
        write(sink, (None, None))
        while (batch := pickle.load(source)) is not None:
            write(sink, answered(part, batch))
        write(sink, (None, part.end()))


def answered(part: Any, batch: Any) -> tuple[Exception | None, Any]:
    """What goes wrong is told to who asked."""
    try:
        return None, part.take(batch)
    except Exception as error:
        return error, None
