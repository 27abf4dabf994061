"""`littlestone fit`: rows in, a hypothesis with a promise out, and its error on rows that it never saw."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import AsJson, Assume, ClusterOptions, Features, Quiet, ReadingOptions, ReportFile, Streams, takes_options
from littlestone.cli.terminal import note, put_json, put_wrapped
from littlestone.errors import require

RANK = 4


@dataclass
class FitOptions:
    """What is promised, by which method, and of which rows: keywords of `ls.fit`."""

    epsilon: Annotated[str, typer.Option(help="The error on fresh rows that is to be promised.")] = "0.05"
    delta: Annotated[str, typer.Option(help="The probability that the promise may fail.")] = "0.05"
    by: Annotated[
        str,
        typer.Option(
            metavar="METHOD[,METHOD...]",
            help="controlled_testing, to_pac, random_stopping, longest_survivor, log_free or anytime; of several, each is told of.",
            autocompletion=complete.methods,
        ),
    ] = "controlled_testing"
    bound: Annotated[int | None, typer.Option(metavar="B", help="The most mistakes that the learner can make, where METHOD needs it.")] = (
        None
    )
    assume: Assume = None
    holdout: Annotated[str, typer.Option(metavar="SHARE", help="The share of the rows that is held out, rounded up.")] = "0.2"
    seed: Annotated[int, typer.Option(metavar="S", help="Which random order of the rows, and which lots are drawn.")] = 0
    in_order: Annotated[bool, typer.Option("--in-order", help="Take the rows as they come: they are independent draws already.")] = False


@takes_options
def fit(
    streams: Streams,
    reading: ReadingOptions,
    options: FitOptions,
    spread: ClusterOptions,
    learner: Annotated[
        str | None,
        typer.Option(
            help="NAME[:key=value...] (the panel; perceptron where a bound on the mistakes is needed), package.Class, or file.py::name.",
            autocompletion=complete.learners,
        ),
    ] = None,
    n: Features = None,
    model: Annotated[Path | None, typer.Option(help="Save the hypothesis to this file, for `littlestone predict`.")] = None,
    report: ReportFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn until the error on fresh rows is promised to be small, and measure it on rows that were held out.

    Exit code 1 where the rows ran out before the promise was reached, or refute the bound that it rests on.

    Example: littlestone fit mail.libsvm --learner winnow --boolean --epsilon 0.05 --delta 0.05
    """
    from littlestone.api.fit import fit as fitted
    from littlestone.api.fit import refuse
    from littlestone.cli import model_files
    from littlestone.cli.outputs import command_line, refuse_outputs
    from littlestone.cli.progress import Log, tell_of_columns
    from littlestone.cli.stream_run import refuse_missing, without_bias
    from littlestone.protocol import Learner
    from littlestone.report.fit import in_words
    from littlestone.report.words import settings

    refuse_missing(streams)
    methods = options.by.split(",")
    require(len(methods) > 1 or not spread.spreads, "--cluster and --workers take several methods, a worker each: --by METHOD,METHOD")
    whole = len(methods) == 1 or (model is None and report is None)
    require(whole, f"--model and --report are of one method, and --by {options.by} names {len(methods)}: leave out all but one")
    chosen = player_named(without_bias(usual(options) if learner is None else learner, options.assume), n)
    refuse(chosen)
    ours = isinstance(chosen, Learner)
    require(ours or model is None, f"--model {model}: {learner} cannot be saved, only learners of this library; leave it out")
    refuse_outputs({"--model": model, "--report": report}, streams, {"--learner": learner})
    model_files.refuse(model, None, 0, chosen)
    stream = reading.open(streams)
    say = Log(quiet)
    tell_of_columns(stream, say)
    try:
        with spread.connected(say) as workers:
            results = fitted(chosen, stream, **(vars(options) | {"by": methods}), cluster=workers)
    except KeyboardInterrupt:
        note("Interrupted: nothing was promised, and nothing saved.")
        raise typer.Exit(130) from None
    result = results[0]
    if model is not None:
        assert result.model is not None
        result.model.save(model)
        say(f"Saved {model}: the hypothesis, made from {result.model.rounds:,} rows that it was told.")
    if stream.left_out:
        say(f"{stream.left_out}.")
    if as_json:
        fields = [
            fit_result.as_json()
            | {
                "settings": {} if fit_result.model is None else settings(fit_result.model.learner),
                "streams": streams,
                "assume": options.assume,
            }
            | {"bad_lines": stream.bad_lines}
            for fit_result in results
        ]
        put_json({"methods": fields} if len(methods) > 1 else fields[0] | ({"model": str(model)} if model else {}))
    else:
        for k, fit_result in enumerate(results):
            put_wrapped(("\n" if k else "") + in_words(fit_result))
    if report is not None:
        from littlestone.report.page.fit import fit_page

        fit_page(result, command_line(), streams).save(report)
        say(f"Report: {report}")
    raise typer.Exit(0 if all(fit_result.reached for fit_result in results) else 1)


def usual(options: FitOptions) -> str:
    """Who learns where nobody is named: the panel, unless a bound on the mistakes is needed or declared, which it has none of."""
    from littlestone.games import batch

    bounded = any(by in batch.names() and batch.needs_bound(by) for by in options.by.split(","))
    return "perceptron" if bounded or options.bound is not None or options.assume else "panel"


def player_named(text: str, n: int | None) -> Any:
    """Who learns: one of the catalogue, what a file makes, or a class of another library."""
    from littlestone.cli.choose import learner_named, named_in_file
    from littlestone.cli.commands.duel import other_library
    from littlestone.protocol import naming

    path, inside, rest = text.rpartition("::") if "::" in text else ("", "", text)
    name, parts = naming.split(rest)
    if not inside and "." in name:
        require(not parts and n is None, f"learner {text!r}: {name} is made without settings; expected its name alone, or file.py::name")
        return other_library(name)
    if not inside:
        return learner_named(text, n)
    factory = named_in_file(Path(path), name)
    takes = inspect.signature(factory).parameters if callable(factory) else {}
    if "learner" in takes or "members" in takes:
        return learner_named(text, n)
    require(n is None or "n" in takes, f"--n {n}: {name} takes no n")
    return naming.made("learner", text, factory, parts, **({} if n is None else {"n": n})) if callable(factory) else factory
