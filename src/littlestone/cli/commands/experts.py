"""`littlestone experts`: a table of experts in; whom to trust, beside what that costs, out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import AsJson, Quiet
from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.api.experts import ExpertsRun


RANK = 6


def experts(
    tables: Annotated[list[str], typer.Argument(metavar="TABLE", help="CSV, TSV, JSON lines, Parquet or Arrow; plain, gzip or zstd.")],
    truth: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the truth.")] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="NAME[:key=value]",
            help="The rule (adahedge; sleeping_adahedge if a cell is empty).",
            autocompletion=complete.rules,
        ),
    ] = None,
    advice: Annotated[str | None, typer.Option(metavar="KIND", help="vote, probability, forecast, loss or gain.")] = None,
    loss: Annotated[str | None, typer.Option(metavar="LOSS", help="Of forecasts: squared, absolute, pinball or zero_one.")] = None,
    quantile: Annotated[float | None, typer.Option(metavar="Q", help="Of the pinball loss.")] = None,
    threshold: Annotated[float | None, typer.Option(metavar="T", help="Forecasts are votes: is it T or more?")] = None,
    range: Annotated[
        str | None, typer.Option(metavar="LOW:HIGH", help="The range of forecasts and truths, or of losses; measured if left out.")
    ] = None,
    layout: Annotated[str | None, typer.Option(metavar="LAYOUT", help="wide: a column an expert; long: a row a forecast.")] = None,
    round: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: the round.")] = None,
    expert: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: the expert's name.")] = None,
    forecast: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: what the expert says.")] = None,
    only: Annotated[
        str | None, typer.Option("--experts", metavar="A,B,...", help="These experts; else the columns of numbers after the truth.")
    ] = None,
    ignore: Annotated[str | None, typer.Option(metavar="A,B,...", help="Columns that are no experts; all others of numbers are.")] = None,
    format: Annotated[str, typer.Option(help="auto, csv, tsv, jsonl, parquet or arrow.", autocompletion=complete.formats)] = "auto",
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="What parts the cells of a table; 'tab' for a tab.")] = None,
    bandit: Annotated[bool, typer.Option("--bandit", help="See only the loss of the expert chosen (exp3_ix).")] = False,
    gradient: Annotated[
        bool, typer.Option("--gradient", help="Compete with the best convex combination of forecasts, not with the best expert.")
    ] = False,
    switches: Annotated[int, typer.Option(metavar="S", help="Compare with the best sequence of experts of up to S changes.")] = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the coin, where a rule draws.")] = 0,
    top: Annotated[int, typer.Option(metavar="N", help="List the N best experts, and the N with the largest weights; 0: none.")] = 5,
    predictions: Annotated[
        Path | None, typer.Option(help="Write what the rule says each round to this file; .jsonl: with its loss.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write a certificate to this file: the bounds, with witnesses, for `littlestone verify`.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Save the rule with its weights to this file, for `littlestone predict`.")
    ] = None,
    from_model: Annotated[
        Path | None, typer.Option("--from", metavar="MODEL", help="Go on with a saved rule; the table is read as its own was.")
    ] = None,
    passes: Annotated[int, typer.Option(metavar="K", help="Play the table K times, one pass after the other.")] = 1,
    delay: Annotated[int | None, typer.Option(metavar="K", help="The truth of a round is told K rounds later.")] = None,
    id: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A name for each round; a later row with it and the truth alone brings the truth."),
    ] = None,
    assume: Annotated[str | None, typer.Option(metavar="expert:m=M", help="What you know beforehand of the best expert.")] = None,
    alarm: Annotated[bool, typer.Option("--alarm", help="Stop, with exit code 1, where the rounds prove --assume false.")] = False,
    alarm_report: Annotated[bool, typer.Option("--alarm-report", help="Report that round, and go on.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="OUT.png", help="Draw losses, regret and weights over time (.png, .pdf, .svg).")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Whom to trust: play a rule over the advice of experts, a round for each row of a table, and compare it with each of them.

    Example: littlestone experts forecasts.csv --truth load --loss absolute
    """
    from littlestone.api.experts import play_experts
    from littlestone.cli.choose import alarm_mode
    from littlestone.cli.outputs import refuse_output
    from littlestone.cli.progress import Log
    from littlestone.cli.summary import print_wrapped, wrapped

    given = rules or []
    require(len(given) <= 1, f"--rule stands {len(given)} times ({', '.join(given)}): a run plays one rule; run the command once for each")
    require(top >= 0, f"--top {top}: expected a whole number, not negative")
    for option, path in (("--predictions", predictions), ("--certificate", certificate), ("--plot", plot), ("--model", model)):
        if path is not None:
            refuse_output(option, path, tables)
    require(not gradient or certificate is None, "--gradient: charges depend on the rule, and a certificate of a table does not hold them")
    require(not gradient or plot is None, "--gradient: the figure is of the experts' own losses; draw the run without it")
    before = opened(from_model, given, certificate)
    mode = alarm_mode(assume, stop=alarm, report=alarm_report)
    whole = certificate is None or mode != "stop"
    require(
        whole,
        "--certificate: it is of all of the table, and an alarm may end the run before; expected --alarm-report, which goes on",
    )
    log = Log(quiet)

    def say(line: str) -> None:
        log(wrapped(line))

    done = play_experts(
        *tables, truth=truth, rule=before or next(iter(given), None), advice=advice, loss=loss, quantile=quantile, threshold=threshold,
        range=None if range is None else two_ends(range), layout=layout, round=round, expert=expert, forecast=forecast,
        experts=None if only is None else names_in(only), ignore=None if ignore is None else names_in(ignore), format=format,
        delimiter="\t" if delimiter in ("tab", "\\t") else delimiter, bandit=bandit, gradient=gradient,
        switches=switches, seed=seed, passes=passes, delay=delay, id=id, assume=assume, alarm=mode or None, say=say,
    )  # fmt: skip
    if predictions is not None:
        write_predictions(done, predictions)
    if model is not None:
        done.model.save(model)
        say(f"Saved {model}: {done.rule!r} over {len(done.names):,} experts.")
    if certificate is not None:
        from littlestone.api.certify import certify

        certify(done, assume=assume).save(certificate)
        say(f"Certificate: {certificate}")
    if plot is not None:
        from littlestone.report.experts import draw_experts

        draw_experts(done, plot)
        say(f"Figure: {plot}")
    from littlestone.report import alarms
    from littlestone.report.expert_words import summary

    raised = 1 if mode == "stop" and done.run.alarm is not None else 0
    if as_json:
        print(json.dumps({"tables": tables} | done.as_json() | (alarms.alarm_json(done.run) if mode else {}), ensure_ascii=False))
    else:
        print_wrapped(summary(done, top) + (f"\n{alarms.alarm_line(done.run)}" if mode else ""))
    raise typer.Exit(raised)


def opened(path: Path | None, rules: list[str], certificate: Path | None) -> Any:
    """The saved rule to go on with."""
    if path is None:
        return None
    from littlestone.models import load

    require(not rules, f"--rule {', '.join(rules)}: the model {path} has its rule already")
    require(certificate is None, "--certificate needs the whole run: leave out --from")
    model = load(path)
    require(model.kind == "advice", f"--from {path}: is a model of {model.learner.name}; expected one of a rule over experts")
    return model


def names_in(text: str) -> list[str]:
    """Names with commas between them; one that has a comma itself stands in quotes.

    >>> names_in('SurveyUSA,"Research, Inc."')
    ['SurveyUSA', 'Research, Inc.']
    """
    return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row if name.strip()]


def two_ends(text: str) -> tuple[float, float]:
    """
    >>> two_ends("-1:2.5")
    (-1.0, 2.5)
    """
    low, colon, high = text.partition(":")
    try:
        require(colon, "")
        return float(low), float(high)
    except ValueError:
        raise LittlestoneError(f"--range {text!r}: expected two numbers, LOW:HIGH") from None


def write_predictions(run: ExpertsRun, path: Path) -> None:
    """A line a round: the rule's forecast, its vote, its share of a 1; of losses, whom it follows. `.jsonl`: an object with its loss."""
    said = run.predictions
    with path.open("w", encoding="utf-8") as out:
        if path.name.endswith(".jsonl"):
            for k, (one, lost) in enumerate(zip(said, run.played.own.tolist(), strict=True), 1):
                out.write(json.dumps({"round": k, "prediction": one, "loss": None if lost != lost else lost}, ensure_ascii=False) + "\n")
        else:
            out.writelines("\n" if one is None else f"{one}\n" for one in said)
