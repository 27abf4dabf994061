"""Work in another process, which is stopped when it takes too long or too much: whatever is asked, there is an answer."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock
from time import process_time
from typing import Any

from littlestone.errors import LittlestoneError, one_line

SECONDS = 60.0  # of the processor for one answer; the first may have to compile
PATIENCE = 5  # times as long on the clock, where the machine has other things to do
MEMORY = 6 * 2**30  # bytes of address space, of which little is used: compilers reserve much
WAITING = 8  # requests, at most, that wait for one another


class Refusal(LittlestoneError):
    """A request that has no answer, in one line."""


class Worker:
    """Calls a function of a verb and a request, in a process of its own, one call after the other. Both and the answer can be pickled."""

    def __init__(self, function: Callable[[str, Any], Any], seconds: float = SECONDS) -> None:
        self.function, self.seconds = function, seconds
        self._context = get_context("spawn")
        self._turn, self._count = Lock(), Lock()
        self._waiting = 0
        self._process: Any = None
        self._link: Connection | None = None

    def start(self) -> None:
        """Begin to import, so that the first answer comes sooner."""
        if self._process is None or not self._process.is_alive():
            self._link, other = self._context.Pipe()
            self._process = self._context.Process(target=_serve, args=(other, self.function), daemon=True, name="littlestone-worker")
            self._process.start()
            other.close()

    def ask(self, verb: str, request: Any) -> Any:
        """The answer, or a `Refusal`."""
        with self._count:
            if self._waiting >= WAITING:
                raise Refusal(f"{WAITING} requests are waiting already; try again when they are done")
            self._waiting += 1
        try:
            with self._turn:
                return self._answer(verb, request)
        finally:
            with self._count:
                self._waiting -= 1

    def _answer(self, verb: str, request: Any) -> Any:
        self.start()
        assert self._link is not None
        try:
            self._link.send((self.seconds, verb, request))
            if not self._link.poll(PATIENCE * self.seconds):
                raise TimeoutError
            refused, answer = self._link.recv()
        except (EOFError, OSError) as end:
            self._process.join(1)
            late = isinstance(end, TimeoutError) or self._process.exitcode == -getattr(signal, "SIGXCPU", 0)
            self.stop()
            much = f"more than {self.seconds:g} seconds" if late else "more memory than there is"
            raise Refusal(f"this took {much} and was stopped; choose something smaller") from None
        if refused:
            raise Refusal(answer)
        return answer

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._link is not None:
            self._link.close()
            self._link = None


def _serve(link: Connection, function: Callable[[str, Any], Any]) -> None:
    """The other process: ends when nobody can ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    _limit("RLIMIT_AS", MEMORY)
    with suppress(EOFError, OSError):
        while True:
            seconds, verb, request = link.recv()
            _limit("RLIMIT_CPU", ceil(process_time() + seconds))  # beyond it the system ends this process
            link.send(_called(function, verb, request))


def _called(function: Callable[[str, Any], Any], verb: str, request: Any) -> tuple[bool, Any]:
    try:
        return False, function(verb, request)
    except LittlestoneError as error:
        return True, one_line(error)
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        return True, one_line(f"this cannot be played ({type(error).__name__}: {error})")


def _limit(name: str, most: int) -> None:
    """Where the system has such limits: not on Windows, and macOS refuses some."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
