"""`littlestone compare`: several learners on one stream, and on random orders of it."""

from typing import Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import AsJson, Assume, ClusterOptions, Features, Quiet, ReadingOptions, ReportFile, Streams, takes_options
from littlestone.cli.table_options import AdviceOptions
from littlestone.cli.terminal import note, put, put_json, put_wrapped, width
from littlestone.errors import require

RANK = 3


@takes_options
def compare(
    streams: Streams,
    reading: ReadingOptions,
    advice: AdviceOptions,
    spread: ClusterOptions,
    learner: Annotated[
        list[str] | None,
        typer.Option(help="NAME[:key=value...]; repeat it for each learner (the panel's members).", autocompletion=complete.learners),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="NAME[:key=value]",
            help="Rules, on a table of experts, or file.py::name for your own; repeat it.",
            autocompletion=complete.rules,
        ),
    ] = None,
    select: Annotated[bool, typer.Option("--select", help="Say which one to keep, with the regret bound of that choice.")] = False,
    shuffles: Annotated[int, typer.Option(metavar="K", help="Play K random orders of the rounds, too.")] = 0,
    seed: Annotated[int, typer.Option(metavar="S", help="Which random orders.")] = 0,
    n: Features = None,
    assume: Assume = None,
    report: ReportFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare learners: mistakes, rate and bound of each on the stream, and mean and spread over random orders of it.

    Example: littlestone compare mail.libsvm --learner perceptron --learner winnow --boolean --shuffles 10
    """
    from littlestone.api.compare import compare as compared
    from littlestone.cli.outputs import command_line, refuse_outputs
    from littlestone.cli.progress import Log, tell_of_columns

    require(shuffles >= 0, f"--shuffles {shuffles} must not be negative")
    require(not (rules and learner), "--rule and --learner: rules play advice, and learners features; compare them apart")
    refuse_outputs({"--report": report}, streams, {"--learner": " ".join(learner or ()), "--rule": " ".join(rules or ())})
    chosen: dict[str, Any]
    stream: Any
    if rules:
        chosen, stream = over_experts(streams, rules, reading, advice)
    else:
        unused = ", ".join(f"--{name}" for name in advice.keywords())
        require(not unused, f"{unused}: of a table of experts, which rules play; expected --rule NAME")
        stream = reading.open(streams)
        chosen = on_features(learner or by_default(stream, Log(quiet)), n)
        tell_of_columns(stream, Log(quiet))
    courses: Any = None
    if report is not None:
        from littlestone.report.timeline import Courses

        courses = Courses()
    observers = [] if courses is None else [courses]
    with spread.connected(Log(quiet)) as workers:
        choices: dict[str, Any] = {"shuffles": shuffles, "seed": seed, "assume": assume, "select": select}
        done = compared(chosen, stream, **choices, observers=observers, cluster=workers)
    if report is not None:
        from littlestone.report.page.compare import compare_page

        compare_page(done, courses, command_line(), streams).save(report)
        Log(quiet)(f"Report: {report}")
    if as_json:
        put_json({"streams": streams, "assume": assume} | done.as_json())
        return
    put(f"{done.rounds:,} rounds" + (f"; mean and spread over {shuffles} random orders, seed {seed}" if shuffles else ""))
    put(done.table(min(100, width(60)), reasons=False))
    if select:
        put_wrapped(str(done.selected or "Nobody took all rounds: there is none to keep."))
    if not quiet:
        note(about_bounds(done, assume))
    for entry in done.learners:
        if entry.reason and (entry.mistakes is None or not quiet):
            note(f"{entry.name}: {entry.reason}")


def about_bounds(done: Any, assume: str | None) -> str:
    """What the column of bounds says, or why there is none."""
    if all(entry.limit is None for entry in done.learners):
        if assume is not None:
            return f"No column of bounds: under {assume} no theorem of theirs says anything of these rounds."
        return "No column of bounds: without --assume a bound compares with the best rule in hindsight, which `run` and `certify` look for."
    if done.counted == "loss":
        return "bound: at most so much, by the theorem of each rule, which compares it with the best expert; -: it has none that does."
    return f"bound: at most so many mistakes, by the theorem of each, if {assume} is true of these rounds; -: it has none."


def by_default(stream: Any, say: Any) -> list[str]:
    """Whom to compare where nobody was named: the members of the panel; where the labels are more than two, each for every class."""
    from littlestone.api.class_count import more_than_two
    from littlestone.learners import multiclass
    from littlestone.learners.reductions.panel import MEMBERS

    if not more_than_two(stream):
        return list(MEMBERS)
    say("More than two labels: each learner once for each of them against the rest (--learner NAME for others).")
    whole = [name for name in multiclass.names() if not multiclass.factory(name)().family.bandit]
    return [*whole, *(f"one_vs_rest:learner={member}" for member in MEMBERS)]


def on_features(names: list[str], n: int | None) -> dict[str, Any]:
    """The learners by their names, of n features where they need it."""
    from littlestone.cli.choose import learner_named

    chosen = {text: learner_named(text) for text in names}
    wanting = [text for text, learner in chosen.items() if n is not None and learner.needs_n and learner.n is None]
    return chosen | {text: learner_named(text, n) for text in wanting}


def over_experts(tables: list[str], rules: list[str], reading: ReadingOptions, advice: AdviceOptions) -> tuple[dict[str, Any], Any]:
    """The rules by their names, and the table that they are to play."""
    from littlestone.api.experts import reading_of, rule_for
    from littlestone.cli.choose import rule_of_text
    from littlestone.cli.table_options import names_in
    from littlestone.streams.expert_tables import ExpertTable

    choices = reading.choices
    other = [f"--{name.replace('_', '-')}" for name in choices if name not in ("format", "delimiter", "ignore")]
    require(not other, f"{', '.join(other)}: of streams of features, which learners play; --rule plays a table of experts")
    keywords = advice.keywords() | {name: choices[name] for name in ("format", "delimiter") if name in choices}
    if reading.ignore:
        keywords["ignore"] = names_in(reading.ignore)
    table = ExpertTable(*tables, reading=reading_of(**keywords))
    return {text: rule_for(rule_of_text(text), table) for text in dict.fromkeys(rules)}, table
