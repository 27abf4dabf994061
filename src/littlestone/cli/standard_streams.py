"""Standard input, output and error of the command line, where one of them is closed or its reader stops reading."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.files import without_gaps

READER_GONE = 141  # the exit code that a shell shows for a program ended by SIGPIPE


class ReaderGone(Exception):
    """The program that reads standard output has stopped reading: there is nobody to print to, and no fault to report."""


def prepare() -> None:
    """Make the three standard streams safe to use. Raise LittlestoneError where standard output is closed.

    A closed descriptor is opened on the null device, or the next file to be opened would take its number, and be printed to.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None and not is_open(number):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (to the end of the process)
    require(sys.stdout is not None, "standard output is closed; expected a terminal, a file or a pipe to print to")
    sys.stdout = without_gaps(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ≤ shows ? instead of stopping


@contextmanager
def broken_pipes() -> Iterator[None]:
    """Raise `ReaderGone` where writing to standard output failed since its reader is gone, and LittlestoneError for any other pipe."""
    try:
        yield
    except BrokenPipeError as error:
        if reader_is_gone():
            raise ReaderGone from None
        name = "" if error.filename is None else f"{error.filename}: "
        raise LittlestoneError(f"{name}a pipe is broken: the program at its other end has ended") from None


def reader_is_gone() -> bool:
    """True if standard output is a pipe or a socket that nobody reads any more."""
    if sys.stdout is None or not hasattr(select, "poll"):
        return False
    with suppress(OSError, ValueError):  # no file of the system's, or closed
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    return False


def is_open(descriptor: int) -> bool:
    """True if this process has an open file of that number."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def discard(stream: Any) -> None:
    """Let what a stream still holds, and what is written to it from now on, go nowhere: it cannot be written."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def end_output() -> None:
    """Write what standard output still holds, after an error that matters more than whether it can be written."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
