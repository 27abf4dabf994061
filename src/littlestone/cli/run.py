"""`littlestone run`: a stream in, mistakes and their bound out."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from littlestone.protocol import Block, ClassRun, Run
    from littlestone.streams import Stream


def run(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="libsvm files, plain or gzip; - for standard input.")],
    learner: Annotated[
        str | None,
        typer.Option(help="NAME[:key=value...] (perceptron), one_vs_rest:learner=NAME for several classes, or file.py::name for your own."),
    ] = None,
    format: Annotated[str, typer.Option(help="auto or libsvm.")] = "auto",
    n: Annotated[int | None, typer.Option(help="Number of features, where the learner needs it; counted if left out.")] = None,
    boolean: Annotated[bool, typer.Option("--boolean", help="Take presence only: every value that is not 0 counts as 1.")] = False,
    assume: Annotated[
        str | None,
        typer.Option(help="What you know beforehand: disjunction:r=5, k_of_r:k=2,r=5, margin:gamma=0.1,R=1, class, ..."),
    ] = None,
    alarm: Annotated[bool, typer.Option("--alarm", help="Stop, with exit code 1, where the rounds prove --assume false.")] = False,
    alarm_report: Annotated[bool, typer.Option("--alarm-report", help="Report that round, and go on.")] = False,
    restart_on_alarm: Annotated[bool, typer.Option("--restart-on-alarm", help="Begin a fresh segment after that round.")] = False,
    iid: Annotated[
        str | None, typer.Option(metavar="DELTA", help="The rounds are independent draws: bound the risk, with probability 1 - DELTA.")
    ] = None,
    predictions: Annotated[Path | None, typer.Option(help="Write each round's prediction, 1 or 0 (or its class), to this file.")] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write a certificate to this file: the bounds, with witnesses, for `littlestone verify`.")
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Save the model to this file at the end, and when interrupted.")] = None,
    checkpoint_every: Annotated[int | None, typer.Option(metavar="N", help="Save it as it goes, too: about every N rounds.")] = None,
    from_model: Annotated[Path | None, typer.Option("--from", metavar="MODEL", help="Go on from a saved model.")] = None,
    skip: Annotated[int, typer.Option(metavar="N", help="Leave out the first N rounds of the stream.")] = 0,
    labels: Annotated[
        str | None, typer.Option(metavar="NEG,POS", help="The two labels; else 0,1 or -1,1 or 1,2, as the file begins.")
    ] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Count malformed lines and go on.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress; only the result.")] = False,
) -> None:
    """Play a learner over a stream: predict each round, then learn its label.

    Example: littlestone run mail.libsvm --learner winnow --boolean --assume disjunction:r=5
    """
    from littlestone.cli import keep
    from littlestone.cli.certify import Kept
    from littlestone.cli.choose import alarm_mode, learner_named
    from littlestone.errors import LittlestoneError, require
    from littlestone.jit import is_compiled
    from littlestone.protocol import ClassLearner, ClassMap, ClassRunner, Guard, Runner, SegmentedRun
    from littlestone.report import alarms, words
    from littlestone.streams import open_stream
    from littlestone.theory import parse_assumption

    before = keep.opened(from_model, learner, n)
    chosen = learner_named("perceptron" if learner is None else learner, n) if before is None else before.learner
    reading = keep.Reading.of(before, two_labels(labels), boolean)
    mode = alarm_mode(assume, stop=alarm, report=alarm_report, restart=restart_on_alarm)
    if assume:
        kind, _ = parse_assumption(assume)
        known = sorted({b.assumes for b in chosen.bounds} - {"none"})
        if kind not in known:
            raise LittlestoneError(f"{chosen.name} has no theorem that assumes {kind!r}; it has: {', '.join(known) or 'none'}")
    stream = open_stream(*streams, format=format, skip_bad=skip_bad, boolean=reading.boolean, labels=reading.labels)
    for option, path in (("--predictions", predictions), ("--certificate", certificate)):
        if path is not None:
            refuse_output(option, path, streams)
    keep.refuse(model, checkpoint_every, skip, chosen, streams)
    require(not mode or (model is None and before is None), "--alarm begins afresh and keeps no ledger: leave out --model and --from")
    require(not certificate or (before is None and not skip), "--certificate needs the whole run: leave out --from and --skip")
    kept = Kept(stream, chosen, certificate, iid) if certificate else None
    say = Log(quiet)
    if not (is_compiled(chosen.kernels.play) and stream.compiled):
        say("Compiling the kernels of this learner, once on this machine: a few seconds.")
    stream.warm()
    counted = chosen.needs_n and chosen.n is None
    if counted:
        count = stream.count_features()
        say(f"{chosen.name} needs the number of features: counted n = {count:,} in one pass over the file.")
        chosen = chosen.sized(count)
    classes = ClassMap() if isinstance(chosen, ClassLearner) else None
    guard = (
        Guard(chosen, assume, mode, counted=counted, classes=() if classes is None else classes, keep=kept is not None) if mode else None
    )
    runner: Any = (
        guard
        if guard is not None
        else ClassRunner(chosen, counted=counted)
        if isinstance(chosen, ClassLearner)
        else before.runner()
        if before is not None
        else Runner(chosen, counted=counted, ledger=keep.ledger_for(chosen) if model else None)
    )
    runner.warm(boolean=reading.boolean)
    keeper = keep.Keeper(model, checkpoint_every, runner, before, reading, skip, say)

    def finished(seconds: float = 0.0) -> Run | ClassRun:
        return runner.run(classes or (), seconds=seconds) if isinstance(runner, ClassRunner) else runner.run(seconds=seconds)

    code = 0
    begun = perf_counter()
    with ExitStack() as stack:
        write = stack.enter_context(predictions.open("wb")) if predictions else None
        show = stack.enter_context(progress(stream, runner, quiet))
        ticks = Doublings(runner, finished, assume, say)
        try:
            for block in keep.after_rows(stream.lent_blocks(classes), skip):
                for part in ticks.cut(block):
                    with keep.unbroken():
                        made = kept.take(runner, part) if kept else runner.take(part)
                    if write is not None:
                        names = ["0", "1"] if classes is None else [*map(str, classes), ""]  # no prediction, -1, is an empty line
                        written = [f"{name}\n".encode() for name in names]
                        write.write(b"".join(written[yhat] for yhat in made.tolist()))
                    ticks.after()
                    if guard and guard.stopped:
                        break
                keeper.after(stream)
                show()
                if guard and guard.stopped:
                    code = 1
                    break
        except KeyboardInterrupt:
            say("Interrupted: this is what was done so far.")
            code = 130
        finally:
            seconds = perf_counter() - begun
    done: Any = guard.result(seconds) if guard else kept.run(runner, seconds) if kept else finished(seconds)
    whole = not isinstance(done, SegmentedRun)
    claims = judged(done if whole else done.segments[-1], assume)
    ticks.last(claims)
    keeper.last(stream, interrupted=code == 130)
    claims = kept.certify(done, assume, say) if kept else claims
    risk = done.risk(iid) if iid else None
    if as_json:
        two = stream.codes if classes is None else None
        codes = {"negative": two.negative, "positive": two.positive} if two else None
        result = words.as_json(done, claims) if whole else alarms.segments_json(done, assume or "")
        result |= (alarms.alarm_json(done) if guard else {}) | ({"risk": risk.as_json()} if risk else {})
        result |= {"streams": streams, "labels": codes, "assume": assume, "bad_lines": stream.bad_lines}
        result |= {"model": str(model)} if model else {}
        print(json.dumps(result, ensure_ascii=False))
    else:
        width = min(140, shutil.get_terminal_size((140, 24)).columns)
        said = words.summary(done, claims) if whole else alarms.segment_lines(done, assume or "")
        said += f"\n{alarms.alarm_line(done)}" if guard and whole else ""
        said += f"\n{words.risk(risk)}" if risk else ""
        print("\n".join(textwrap.fill(line, width, subsequent_indent="    ") for line in said.split("\n")))
        if stream.bad_lines:
            print(f"{stream.bad_lines:,} malformed lines were left out; the first: {stream.first_bad}.")
    raise typer.Exit(code)


def two_labels(text: str | None) -> tuple[float, float] | None:
    """`0,1` as two numbers."""
    from littlestone.errors import LittlestoneError

    if text is None:
        return None
    try:
        negative, positive = map(float, text.split(","))
    except ValueError:
        raise LittlestoneError(f"--labels {text!r}: expected two numbers, negative then positive, such as 0,1") from None
    return negative, positive


def refuse_output(option: str, path: Path, streams: list[str]) -> None:
    """Before anything is played: an output that cannot be written, or that is one of the inputs."""
    from littlestone.errors import LittlestoneError, require

    for stream in streams:
        same = path.exists() and Path(stream).exists() and path.samefile(stream)
        require(not same, f"{option} {path}: that is the stream itself; expected another file")
    new = not path.exists()
    try:
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise LittlestoneError(f"{option} {path}: cannot be written ({error.strerror})") from None


def judged(done: Run | ClassRun, assume: str | None) -> Any:
    """Its bounds; none where it went on from a model whose rounds nobody has measured."""
    return [] if done.resumed and not assume else done.bounds(assume)


class Log:
    """Lines for the person, on standard error: results alone go to standard output."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, line: str) -> None:
        if not self.quiet:
            print(line, file=sys.stderr, flush=True)


class Doublings:
    """The table that Vowpal Wabbit users know: a line at round 1, 2, 4, 8, ..., with the bound at that moment as a column."""

    def __init__(self, runner: Any, finished: Callable[[], Run | ClassRun], assume: str | None, say: Log) -> None:
        self.runner, self.finished, self.assume, self.say = runner, finished, assume, say
        self.next = 1 << runner.rounds.bit_length()  # a run that goes on from a model has rounds already
        self.before = (runner.rounds, runner.mistakes)
        self.headed = False

    def cut(self, block: Block) -> Iterator[Block]:
        """The block in pieces that end where a line of the table is due."""
        if self.say.quiet:
            yield block
            return
        start = 0
        while start < len(block):
            told = (block.labels[start:] >= 0).cumsum()
            wanted = self.next - self.runner.rounds
            stop = len(block) if told[-1] < wanted else start + int(told.searchsorted(wanted)) + 1
            yield block.cut(start, stop)
            start = stop

    def after(self) -> None:
        if not self.say.quiet and self.runner.rounds == self.next:
            self._line(judged(self.finished(), self.assume))
            self.next *= 2

    def last(self, claims: Any) -> None:
        if not self.say.quiet and self.runner.rounds > self.before[0]:
            self._line(claims)

    def _line(self, claims: Any) -> None:
        from littlestone.report import words

        if not self.headed:
            self.say(words.table_head())
            self.headed = True
        now = (self.runner.rounds, self.runner.mistakes)
        self.say(words.table_row(*now, *self.before, words.best(claims)))
        self.before = now


@contextmanager
def progress(stream: Stream, runner: Any, quiet: bool) -> Iterator[Any]:
    """A bar with bytes, rounds and mistakes on a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stderr=True) as bar:
        task = bar.add_task("", total=stream.size)

        def show() -> None:
            rate = f"{100 * runner.mistakes / max(1, runner.rounds):.2f} %"
            bar.update(
                task,
                completed=stream.bytes_read,
                description=f"{runner.rounds:,} rounds, {runner.mistakes:,} mistakes ({rate})",
            )

        yield show
