"""The command line: one file a command; parse, call, print. Heavy imports wait until a command runs."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pkgutil import iter_modules
from typing import Any

import typer

from littlestone._version import __version__
from littlestone.cli import commands
from littlestone.cli.options import Command, Commands
from littlestone.cli.standard_streams import READER_GONE, ReaderGone, broken_pipes, discard, end_output, prepare
from littlestone.cli.terminal import late_labels_noted, note, put
from littlestone.errors import LittlestoneError, Refused, one_line

app = typer.Typer(
    name="littlestone",
    cls=Commands,
    help="Online learning that shows its proof: the mistakes made, beside the theorem's bound on them.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _found() -> Iterator[tuple[str, Any]]:
    """Every command: a file of the folder, with a function of the same name in it; in the order in which help lists them."""
    files = {module.name: import_module(f"{commands.__name__}.{module.name}") for module in iter_modules(commands.__path__)}
    for name in sorted(files, key=lambda name: (files[name].RANK, name)):
        yield name, getattr(files[name], name)


for _name, _command in _found():
    app.command(_name, cls=Command)(_command)


def _version(asked: bool) -> None:
    if asked:
        from littlestone.kernels import native  # help needs no core, and is there where none is built

        put(f"littlestone {__version__} ({native.described()})")
        raise typer.Exit


@app.callback()
def options(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    ctx.with_resource(late_labels_noted())


def _without_options(command: Any) -> Any:
    """A command in name and words alone."""

    def named() -> None:
        """Never called."""

    named.__doc__ = command.__doc__
    return named


COMMANDS = {command.name: command.callback for command in app.registered_commands}


def _ready(asked: str) -> None:
    """Leave the options of other commands than the asked one away: to make those of all takes a quarter of a short command."""
    for command in app.registered_commands:
        callback = COMMANDS[command.name]
        command.callback = callback if asked == command.name else _without_options(callback)


def main() -> None:
    """Exit codes: 0 done, 1 a claim does not hold, 2 bad usage or bad input, 3 consistent but not verified, 130 interrupted,
    141 whoever read standard output stopped reading.
    """
    gc.set_threshold(400_000)  # modules being loaded leave no cycles behind, and looking for some took a tenth of a short command
    atexit.register(gc.freeze)  # nor is anything collected when the process ends anyway: as much again
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a pipe that breaks is an exception, and says which it is
    try:
        prepare()
        with broken_pipes():
            try:
                if "_LITTLESTONE_COMPLETE" not in os.environ:  # which looks at what may follow
                    _ready(next((word for word in sys.argv[1:] if not word.startswith("-")), ""))
                code = app(standalone_mode=False)
            finally:
                for command in app.registered_commands:  # whoever calls this in a process of their own may ask for another one next
                    command.callback = COMMANDS[command.name]
            sys.stdout.flush()  # what cannot be written is told of here, and not lost at the very end
        sys.exit(code)
    except ReaderGone:
        discard(sys.stdout)
        sys.exit(READER_GONE)
    except LittlestoneError as error:
        note(f"littlestone: {one_line(error)}")
        end_output()
        sys.exit(1 if isinstance(error, Refused) else 2)
    except typer.Abort:
        note("Interrupted.")
        end_output()
        sys.exit(130)
    except OSError as error:
        note(f"littlestone: the output cannot be written ({error.strerror or error})")
        end_output()
        sys.exit(2)
    except MemoryError as error:
        note(f"littlestone: there is not enough memory ({error or 'for what is asked'})")
        sys.exit(2)
    except Exception as error:
        if not hasattr(error, "exit_code") or not hasattr(error, "show"):
            raise
        usage = StringIO()  # bad usage, in the words of typer, which quote what was typed: the name of a file, maybe
        error.show(usage)
        note(usage.getvalue().rstrip("\n"))
        sys.exit(error.exit_code)
