"""`littlestone duel`: a learner against an adversary, round by round, with the proof beside it."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import AsJson, Quiet, ReportFile
from littlestone.cli.terminal import put, put_json, wrapped
from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.api.duel import Duel
    from littlestone.games.adversaries import Adversary

RANK = 15
KEYS = "space or enter: next round; m: next mistake; q: to the end"


def duel(
    learner: Annotated[
        str,
        typer.Argument(
            metavar="LEARNER",
            help="A learner, a rule over experts, file.py::name, or a class such as river.linear_model.Perceptron.",
            autocompletion=complete.players,
        ),
    ],
    adversary: Annotated[
        str, typer.Argument(metavar="ADVERSARY", help="Who picks the instances: NAME[:key=value].", autocompletion=complete.adversaries)
    ],
    n: Annotated[int | None, typer.Option(metavar="N", help="Features, or experts, of the adversary.")] = None,
    k: Annotated[int | None, typer.Option(metavar="K", help="The adversary's k: relevant variables.")] = None,
    rounds: Annotated[int | None, typer.Option(metavar="T", help="Stop after so many rounds.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show one round for each key pressed.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every round of a long game.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT.png", help="Draw mistakes between the bounds, and the proof (.png, .pdf, .svg).")
    ] = None,
    report: ReportFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Let a learner meet an adversary: each round, the numbers of the proof at each mistake, and the mistakes between both bounds.

    Example: littlestone duel winnow unit_vectors --n 8
    """
    from littlestone.api.duel import duel as play
    from littlestone.cli.outputs import command_line, refuse_outputs
    from littlestone.cli.progress import Log

    require(not (watch and as_json), "--watch and --json: one at a time")
    refuse_outputs({"--plot": plot, "--report": report}, others={"LEARNER": learner})
    foe = adversary_named(adversary, n=n, k=k)
    require(foe.ends or rounds is not None, f"{foe!r} never ends: expected --rounds T")
    done = play(player_named(learner, foe), foe, rounds)
    if plot is not None:
        from littlestone.report.duel_figure import draw_duel

        draw_duel(done, plot)
        Log(quiet)(f"Figure: {plot}")
    if report is not None:
        from littlestone.report.page.duel import duel_page

        duel_page(done, command_line()).save(report)
        Log(quiet)(f"Report: {report}")
    if as_json:
        put_json(done.as_json())
    else:
        from littlestone.report.duel import summary

        width = min(140, shutil.get_terminal_size((140, 24)).columns)
        if watch and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
            step_through(done, width)
        else:
            put(summary(done, width, every))
    raise typer.Exit(0 if done.holds else 1)


def adversary_named(text: str, **sizes: int | None) -> Adversary:
    """The adversary, told n and k where they are chosen."""
    from littlestone.games import adversaries
    from littlestone.protocol import naming

    name, parts = naming.split(text)
    settings = {part.partition("=")[0]: part for part in parts}
    takes = inspect.signature(adversaries.factory(name)).parameters
    chosen = {key: value for key, value in sizes.items() if value is not None}
    for key, value in chosen.items():
        require(
            key in takes, f"--{key} {value}: {name} takes no {key}; it takes {', '.join(takes)}, as in {name}:{next(iter(takes), 'n')}=..."
        )
        require(key not in settings, f"--{key} {value} and {settings.get(key)} in {text!r}: expected one of the two")
    return adversaries.named(text, **chosen)


def player_named(text: str, foe: Adversary) -> Any:
    """Who plays: one of the catalogue, told what the adversary knows; what a file makes; or a class of another library."""
    from littlestone.cli.choose import learner_named, named_in_file
    from littlestone.learners import experts
    from littlestone.protocol import naming

    path, inside, rest = text.rpartition("::") if "::" in text else ("", "", text)
    name, parts = naming.split(rest)
    if inside:
        return _made(text, named_in_file(Path(path), name), parts, foe)
    if "." in name:
        require(not parts, f"learner {text!r}: {name} is made without settings; expected its name alone, or file.py::name")
        return other_library(name)
    if name in experts.names():
        return _made(text, experts.factory(name), parts, foe)
    from littlestone import learners
    from littlestone.learners import reductions

    if name in learners.names():
        return _made(text, learners.factory(name), parts, foe)
    chosen = [part.partition("=")[2] for part in parts if part.startswith("learner=")]
    if chosen and name in reductions.of_two_classes():
        others = [part for part in parts if not part.startswith("learner=")]
        return reductions.factory(name)(player_named(":".join([*chosen, *others]), foe))
    player = learner_named(text)
    require(not hasattr(player, "engine"), f"learner {text!r} takes several classes; a duel is about two")
    return player


def _made(text: str, factory: Any, parts: list[str], foe: Adversary) -> Any:
    from littlestone.api.duel import made_for

    return made_for(foe, text, factory, parts) if callable(factory) else factory


def other_library(name: str) -> Any:
    """The class of this dotted name, made without arguments."""
    from importlib import import_module

    module, _, thing = name.rpartition(".")
    try:
        estimator = getattr(import_module(module), thing)
    except ImportError as error:
        raise LittlestoneError(f"learner {name!r}: {module} cannot be imported ({error}); is it installed?") from None
    except AttributeError:
        raise LittlestoneError(f"learner {name!r}: {module} has no {thing!r}") from None
    try:
        return estimator()
    except TypeError as error:
        raise LittlestoneError(f"learner {name!r} cannot be made without arguments ({error}); write file.py::name that makes it") from None


def step_through(done: Duel, width: int) -> None:
    """One round for each key, with the proof in full below each mistake; then the end of the summary."""
    from littlestone.report.duel import DuelTable, board, letters, outcome, title

    table = DuelTable(done, width)
    with keys() as pressed:
        for line in (title(done), *letters(done, table), KEYS):
            put(wrapped(line, width))
        put(f"\n{table.header}")
        skipping = False
        for t, played in enumerate(done.game.rounds, 1):
            key = "" if skipping and not played.mistake else pressed()
            if key in ("q", "Q"):
                break
            skipping = key in ("m", "M") or (skipping and not key)
            put(table.row(t))
            for line in board(done, t):
                put(wrapped(f"{'':>{table.digits}}  {line}", width))
            sys.stdout.flush()
    put("\n" + "\n".join(wrapped(line, width) for line in outcome(done)))


@contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """A function that waits for one key. The terminal gives keys at once, and shows none, until this is over; an end of input is a q."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield typer.getchar
        return
    from select import select

    terminal = sys.stdin.fileno()

    def key() -> str:
        pressed = os.read(terminal, 1)
        while pressed == b"\x1b" and select([terminal], [], [], 0)[0]:  # an arrow and the like is one key, and sends several characters
            os.read(terminal, 1)
        return pressed.decode("latin-1") or "q"

    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
