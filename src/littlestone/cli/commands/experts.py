"""`littlestone experts`: a table of experts in; whom to trust, beside what that costs, out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import (
    Alarm,
    AlarmDelta,
    AlarmReport,
    AlarmTest,
    AsJson,
    Certificate,
    ClusterOptions,
    Quiet,
    ReportFile,
    Window,
    takes_options,
)
from littlestone.cli.table_options import TableOptions
from littlestone.cli.terminal import json_text, put_json, put_wrapped, wrapped
from littlestone.errors import one_line, require
from littlestone.files import beside

if TYPE_CHECKING:
    from littlestone.api.experts import ExpertsRun


RANK = 6


@dataclass
class RuleOptions:
    """Which rule plays, how rounds come to it, and what is known of them beforehand."""

    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="NAME[:key=value]",
            help="The rule (of forecasts rule_of_rules, else adahedge; sleeping_adahedge if a cell is empty), or file.py::name.",
            autocompletion=complete.rules,
        ),
    ] = None
    bandit: Annotated[bool, typer.Option("--bandit", help="See only the loss of the expert chosen (exp3_ix).")] = False
    gradient: Annotated[
        bool | None,
        typer.Option("--gradient/--no-gradient", help="Compete with the best convex combination of forecasts, not with the best expert."),
    ] = None
    switches: Annotated[int, typer.Option(metavar="S", help="Compare with the best sequence of experts of up to S changes.")] = 3
    seed: Annotated[int, typer.Option(metavar="N", help="Of the coin, where a rule draws.")] = 0
    from_model: Annotated[
        Path | None, typer.Option("--from", metavar="MODEL", help="Go on with a saved rule; the table is read as its own was.")
    ] = None
    passes: Annotated[int, typer.Option(metavar="K", help="Play the table K times, one pass after the other.")] = 1
    delay: Annotated[int | None, typer.Option(metavar="K", help="The truth of a round is told K rounds later.")] = None
    id: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A name for each round; a later row with it and the truth alone brings the truth."),
    ] = None
    assume: Annotated[str | None, typer.Option(metavar="expert:m=M", help="What you know beforehand of the best expert.")] = None
    alarm: Alarm = False
    alarm_report: AlarmReport = False
    alarm_delta: AlarmDelta = "0.05"
    alarm_test: AlarmTest = "exchangeable"
    window: Window = None

    @property
    def text(self) -> str | None:
        """The rule as it was asked for."""
        rules = self.rules or []
        one_rule = f"--rule stands {len(rules)} times ({', '.join(rules)}): a run plays one rule; run the command once for each"
        require(len(rules) <= 1, one_rule)
        return rules[0] if rules else None

    @property
    def alarm_mode(self) -> str:
        from littlestone.cli.stream_run import alarm_mode

        return alarm_mode(stop=self.alarm, report=self.alarm_report)

    def keywords(self) -> dict[str, Any]:
        """As `ls.experts` takes them."""
        from littlestone.cli.choose import rule_of_text

        text = self.text
        rule = rule_of_text(text) if text is not None else None
        if self.from_model is not None:
            rule = saved_rule(self.from_model, text)
        same = ("bandit", "gradient", "switches", "seed", "passes", "delay", "id", "assume", "alarm_delta", "alarm_test")
        return {"rule": rule, "alarm": self.alarm_mode or None, **{name: getattr(self, name) for name in same}}


@dataclass
class OutputOptions:
    """The files to write."""

    predictions: Annotated[Path | None, typer.Option(help="Write what the rule says each round to this file; .jsonl: with its loss.")] = (
        None
    )
    certificate: Certificate = None
    model: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Save the rule with its weights to this file, for `littlestone predict`.")
    ] = None
    plot: Annotated[Path | None, typer.Option(metavar="OUT.png", help="Draw losses, regret and weights over time (.png, .pdf, .svg).")] = (
        None
    )
    report: ReportFile = None

    def refuse(self, tables: list[str], options: RuleOptions) -> None:
        """Files that are inputs too, and what cannot be written of such a run."""
        from littlestone.cli.outputs import refuse_outputs

        outputs = {f"--{name}": path for name, path in vars(self).items()}
        refuse_outputs(outputs, tables, {"--from": options.from_model, "--rule": options.text})
        if self.certificate is not None:
            require(options.from_model is None, "--certificate needs the whole run: leave out --from")
            stops = "--certificate: it is of all of the table, and an alarm may end the run before; expected --alarm-report, which goes on"
            require(options.alarm_mode != "stop", stops)

    def write(self, done: ExpertsRun, tables: list[str], assume: str | None, say: Callable[[str], None]) -> None:
        if done.gradient is not None:
            told_charges = f"--gradient: {done.rule.name} is told charges that depend on it; ml_poly, boa and ml_prod are told forecasts"
            require(self.certificate is None, f"{told_charges}, and have a certificate")
            require(self.plot is None, f"{told_charges}, and have a figure")
        if self.predictions is not None:
            write_predictions(done, self.predictions)
        if self.model is not None:
            done.model.save(self.model)
            say(f"Saved {self.model}: {done.rule!r} over {len(done.names):,} experts.")
        if self.certificate is not None:
            from littlestone.api.certify import certify

            certify(done, assume=assume).save(self.certificate)
            say(f"Certificate: {self.certificate}")
        if self.plot is not None:
            from littlestone.report.experts import draw_experts

            draw_experts(done, self.plot)
            say(f"Figure: {self.plot}")
        if self.report is not None:
            write_report(done, self.report, self.certificate, assume, tables)
            say(f"Report: {self.report}")


@takes_options
def experts(
    tables: Annotated[list[str], typer.Argument(metavar="TABLE", help="CSV, TSV, JSON lines, Parquet or Arrow; plain, gzip or zstd.")],
    options: RuleOptions,
    reading: TableOptions,
    outputs: OutputOptions,
    spread: ClusterOptions,
    top: Annotated[int, typer.Option(metavar="N", help="List the N best experts, and the N with the largest weights; 0: none.")] = 5,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Whom to trust: play a rule over the advice of experts, a round for each row of a table, and compare it with each of them.

    Example: littlestone experts forecasts.csv --truth load --loss absolute
    """
    from littlestone.api.experts import play_experts
    from littlestone.cli.progress import Log
    from littlestone.report import alarms
    from littlestone.report.expert_words import summary

    require(top >= 0, f"--top {top}: expected a whole number, not negative")
    require(options.window is None or options.window >= 1, f"--window {options.window} must be at least 1")
    outputs.refuse(tables, options)
    log, mode = Log(quiet), options.alarm_mode

    def say(line: str) -> None:
        log(wrapped(one_line(line)))

    with spread.connected(log) as workers:
        done = play_experts(*tables, say=say, cluster=workers, **(options.keywords() | reading.keywords()))
    outputs.write(done, tables, options.assume, say)
    if as_json:
        recent = done.lately(options.window)
        lately = {} if recent is None else {"window": recent.as_json()}
        put_json({"tables": tables} | done.as_json() | lately | (alarms.alarm_json(done.run) if mode else {}))
    else:
        last = f"\n{alarms.alarm_line(done.run, options.assume, options.alarm_test)}" if mode else ""
        put_wrapped(summary(done, top, options.window) + last)
    stopped, broken = mode == "stop" and done.run.alarm is not None, any(claim.holds is False for claim in done.bounds)
    raise typer.Exit(int(stopped or broken))


def write_report(done: ExpertsRun, path: Path, saved: Path | None, assume: str | None, tables: list[str]) -> None:
    """One page with all of it, and the certificate, where there can be one."""
    from littlestone.api.certify import certify
    from littlestone.cli.outputs import command_line
    from littlestone.errors import LittlestoneError
    from littlestone.report.expert_words import summary
    from littlestone.report.page.experts import experts_page

    certificate, why = None, ""
    try:
        certificate = certify(done, assume=assume)
    except LittlestoneError as error:
        why = str(error)
    page = experts_page(
        done,
        command=command_line(),
        verify=command_line("verify", saved or "certificate.json", *tables),
        certificate=certificate,
        certificate_file=saved,
        uncertified=why,
        lines=summary(done, 0).split("\n"),
    )
    page.save(path)


def saved_rule(path: Path, rule: str | None) -> Any:
    """The model of a rule to go on with; --rule is then for a rule of the user's own."""
    from littlestone.cli.model_files import loaded

    require(rule is None or "::" in rule, f"--rule {rule}: the model {path} has its rule already")
    model = loaded(path, rule)
    require(model.kind == "advice", f"--from {path}: is a model of {model.learner.name}; expected one of a rule over experts")
    return model


def write_predictions(run: ExpertsRun, path: Path) -> None:
    """A line a round: the rule's forecast, its vote, its share of a 1; of losses, whom it follows. `.jsonl`: an object with its loss."""
    lines = ["" if prediction is None else str(prediction) for prediction in run.predictions]
    if path.name.endswith(".jsonl"):
        losses = [None if lost != lost else lost for lost in run.played.own.tolist()]
        rounds = enumerate(zip(run.predictions, losses, strict=True), 1)
        lines = [json_text({"round": k, "prediction": prediction, "loss": lost}) for k, (prediction, lost) in rounds]
    with beside(path) as out:
        out.writelines(f"{line}\n".encode() for line in lines)
