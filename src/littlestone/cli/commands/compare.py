"""`littlestone compare`: several learners on one stream, and on random orders of it."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import AsJson, Assume, Quiet, ReadingOptions, takes_reading
from littlestone.errors import require

RANK = 3


@takes_reading
def compare(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="Files of any format, plain, gzip or zstd; - for standard input.")],
    given: ReadingOptions,
    learner: Annotated[
        list[str] | None,
        typer.Option(help="NAME[:key=value...]; repeat it for each learner (the panel's members).", autocompletion=complete.learners),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME[:key=value]", help="Rules, on a table of experts; repeat it.", autocompletion=complete.rules),
    ] = None,
    truth: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of a table of experts: the column of the truth.")] = None,
    only: Annotated[str | None, typer.Option("--experts", metavar="A,B,...", help="Of a table of experts: these columns.")] = None,
    select: Annotated[bool, typer.Option("--select", help="Say which one to keep, with the regret bound of that choice.")] = False,
    shuffles: Annotated[int, typer.Option(metavar="K", help="Play K random orders of the rounds, too.")] = 0,
    seed: Annotated[int, typer.Option(metavar="S", help="Which random orders.")] = 0,
    n: Annotated[int | None, typer.Option(help="Number of features, where a learner needs it; counted if left out.")] = None,
    assume: Assume = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare learners: mistakes, rate and bound of each on the stream, and mean and spread over random orders of it.

    Example: littlestone compare mail.libsvm --learner perceptron --learner winnow --boolean --shuffles 10
    """
    from littlestone.api.compare import compare as compared
    from littlestone.cli.choose import learner_named
    from littlestone.cli.progress import Log, tell_of_compiling
    from littlestone.cli.summary import print_wrapped
    from littlestone.learners.reductions.panel import MEMBERS

    require(shuffles >= 0, f"--shuffles {shuffles} must not be negative")
    require(not (rules and learner), "--rule and --learner: rules play advice, and learners features; compare them apart")
    chosen: dict[str, Any] = {}
    stream: Any
    if rules:
        chosen, stream = over_experts(streams, rules, truth, only)
    else:
        for text in dict.fromkeys(learner or MEMBERS):
            chosen[text] = learner_named(text)
            if n is not None and chosen[text].needs_n and chosen[text].n is None:
                chosen[text] = learner_named(text, n)
        stream = given.open(streams)
        tell_of_compiling(list(chosen.values()), stream, Log(quiet))
    done = compared(chosen, stream, shuffles=shuffles, seed=seed, assume=assume, select=select)
    if as_json:
        print(json.dumps({"streams": streams, "assume": assume} | done.as_json(), ensure_ascii=False))
        return
    print(f"{done.rounds:,} rounds" + (f"; mean and spread over {shuffles} random orders, seed {seed}" if shuffles else ""))
    print(done.table())
    if select:
        print_wrapped(str(done.selected or "Nobody took all rounds: there is none to keep."))
    for entry in done.learners:
        if entry.reason and not quiet:
            print(f"{entry.name}: {entry.reason}", file=sys.stderr)


def over_experts(tables: list[str], rules: list[str], truth: str | None, only: str | None) -> tuple[dict[str, Any], Any]:
    """The rules by their names, and the table that they are to play."""
    from littlestone.api.experts import rule_named
    from littlestone.cli.commands.experts import names_in
    from littlestone.streams.expert_tables import ExpertTable

    table = ExpertTable(*tables, truth=truth, experts=None if only is None else tuple(names_in(only)))
    return {text: rule_named(text, str(table.reading.played)) for text in dict.fromkeys(rules)}, table
