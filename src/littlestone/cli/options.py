"""The options that commands share. A group of them is a dataclass, each field an option as typer has it; `takes_options` lets a command
take a group as one value.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from littlestone.cli import complete
from littlestone.cli.standard_streams import broken_pipes
from littlestone.errors import LittlestoneError, require
from littlestone.rounds.reading import Label, Reading, is_weight, label_choices

if TYPE_CHECKING:
    from littlestone.cli.progress import Log
    from littlestone.protocol import Model
    from littlestone.streams import Stream

Streams = Annotated[list[str], typer.Argument(metavar="STREAM", help="Files of any format, plain, gzip or zstd; - for standard input.")]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")]
Features = Annotated[int | None, typer.Option(help="Number of features, where a learner needs it; counted if left out.")]
OwnLearner = Annotated[str | None, typer.Option(help="file.py::name, for a model of your own learner.")]
Learner = Annotated[
    str | None,
    typer.Option(
        help="Who learns: NAME[:key=value...], or file.py::name for your own. Without it the panel plays: several learners, and a rule "
        "that finds out whom to trust.",
        autocompletion=complete.learners,
    ),
]
Members = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Who sits on the panel: NAME[:key=value...]; repeat for more, or several between blanks.",
        autocompletion=complete.members,
    ),
]
LabelBy = Annotated[
    str | None,
    typer.Option(
        metavar="forecast|vote",
        help="Which label a panel predicts: the likelier one of its forecast (the default), or that of its members' weighted vote.",
    ),
]
Assume = Annotated[
    str | None,
    typer.Option(
        help="What you know of the stream beforehand, such as disjunction:r=5 (5 features decide) or margin:gamma=0.1,R=1. Then the bound "
        "is known before the first row.",
        autocompletion=complete.assumptions,
    ),
]
Alarm = Annotated[
    bool,
    typer.Option("--alarm", help="Stop, with exit code 1, where the rounds prove --assume false; without it, where the stream changes."),
]
AlarmDelta = Annotated[str, typer.Option(metavar="DELTA", help="The chance of an alarm without --assume on a stream that does not change.")]
AlarmTest = Annotated[
    str,
    typer.Option(
        "--alarm-test",
        metavar="TEST",
        help="Of an alarm without --assume: exchangeable, which is exact, or drift, which is approximate and allows for errors in runs.",
    ),
]
Window = Annotated[
    int | None, typer.Option(metavar="N", help="Tell how it went in the last N rounds, beside all of them (1,000).", show_default=False)
]
AlarmReport = Annotated[bool, typer.Option("--alarm-report", help="Report that round, and go on.")]
Certificate = Annotated[
    Path | None, typer.Option(help="Write a certificate to this file: each bound with the evidence for it. `littlestone verify` checks it.")
]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="OUT.html", help="Write all that is known of the run as one page to look at (needs the extra plot)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Only the result, no progress.")]

Columns = list[str] | None


@dataclass
class ClusterOptions:
    """Who does the work, where it is not this process alone."""

    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:8786", help="Spread the work over the workers of this Dask scheduler (or tls://).")
    ] = None
    workers: Annotated[int | None, typer.Option(metavar="N", help="Spread the work over N processes of this machine, by Dask.")] = None

    @property
    def spreads(self) -> bool:
        """Is the work to be spread?"""
        if self.cluster is None and self.workers is None:
            return False
        require(self.cluster is None or self.workers is None, "--cluster and --workers: one at a time")
        require(self.workers is None or self.workers >= 1, f"--workers {self.workers} must be at least 1")
        require(find_spec("distributed"), "--cluster and --workers need Dask: pip install 'littlestone[cluster]'")
        return True

    @contextmanager
    def connected(self, say: Log, *, line: bool = True) -> Iterator[Any]:
        """The workers while they are needed, None where nobody asked for any. `line`: tell on a terminal how far their tasks are."""
        if not self.spreads:
            yield None
            return
        from littlestone.cli.model_files import unbroken
        from littlestone.cli.progress import TaskLine
        from littlestone.cluster.connection import connected, peak_memory

        with ExitStack() as stack:
            if self.cluster is not None:  # a scheduler that is lost is told in a line, not by Dask's tracebacks
                logging.disable(logging.ERROR)
                stack.callback(logging.disable, logging.NOTSET)
            with unbroken():  # workers that are half started could not be ended
                workers = stack.enter_context(connected(self.workers or self.cluster))
            say(f"{workers.count} workers at {workers.address}; dashboard: {workers.dashboard}")
            with TaskLine(workers, say.quiet or not line):
                yield workers
            most = max(workers.memory().values(), default=0)
            say(f"Most memory: {peak_memory() / 2**20:,.0f} MB here, {most / 2**20:,.0f} MB in a worker.")


def names_a_learner(word: str) -> bool:
    """Is the word after --shared a learner, not an option, nor a file that is there?

    >>> names_a_learner("panel"), names_a_learner("mine.py::hot_words"), names_a_learner("mail.csv"), names_a_learner("--json")
    (True, True, False, False)
    """
    return "::" in word or (re.fullmatch(r"[a-z_0-9]+(:.*)?", word) is not None and not Path(word).is_file())


class AsItIs:
    """A value that has its kind already, or is none, becomes an argument as it is; any other goes the way of typer, which loads for it a
    library that takes longer than all else of a command's start."""

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        kind = param.type_descriptor.annotation
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if kind in (str, int, float) and type(value) is kind:
            return value
        if kind == list[str] and isinstance(value, list | tuple) and value and all(type(word) is str for word in value):
            return list(value)
        param._runtime_param = None  # typer makes its own
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def as_they_are(parameters: list[Any]) -> list[Any]:
    """The same, each of which looks at its value before it asks typer."""
    for parameter in parameters:
        parameter._runtime_param = getattr(parameter, "_runtime_param", None) or AsItIs()
    return parameters


class Commands(TyperGroup):
    """The commands, and what may stand before one. Broken pipes are told apart here: the parser would end with code 1 on any of them."""

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        with broken_pipes():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        with broken_pipes():
            return super().invoke(ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        return as_they_are(super().get_params(ctx))


class Command(TyperCommand):
    """A command whose option --shared may stand alone, which is --shared panel: the parser knows no options that may."""

    def get_params(self, ctx: Any) -> list[Any]:
        return as_they_are(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        pairs = zip(args, [*args, "-"][1:], strict=True)
        alone = [word == "--shared" and not names_a_learner(after) for word, after in pairs]
        named = [(word, "panel") if bare else (word,) for word, bare in zip(args, alone, strict=True)]
        return super().parse_args(ctx, [word for words in named for word in words])


def takes_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options of each group among its parameters in place of the group."""
    own = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {name: parameter.annotation for name, parameter in own.items() if is_dataclass(parameter.annotation)}

    @wraps(command)
    def with_options(**arguments: Any) -> Any:
        made = {name: group(**{field.name: arguments.pop(field.name) for field in fields(group)}) for name, group in groups.items()}
        return command(**arguments, **made)

    parameters = [parameter for name, parameter in own.items() if name not in groups]
    for group in groups.values():
        hints = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
            for field in fields(group)
        ]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


@dataclass
class ReadingOptions:
    """How a stream is to be read: each option, but the last two, by the name of its field in a Reading."""

    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="auto, libsvm, vw, csv, tsv, jsonl, parquet, arrow or text.", autocompletion=complete.formats),
    ] = None
    label: Annotated[str | None, typer.Option(metavar="COLUMN", help="Where the label is, or a test that makes it: 'delay>15'.")] = None
    label_threshold: Annotated[
        float | None, typer.Option(metavar="X", help="The label is a number: make two classes of it, above X and not.")
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="NEG,POS,...",
            help="The labels that may come, of two the negative first; @FILE has one a line. any: any label, at any time.",
        ),
    ] = None
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help="How much a round counts.")] = None
    id: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="A name for each round; a later row with that id alone brings its label.")
    ] = None
    key: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Whose round it is: a learner for each key. COLUMN=KEY: the rounds of that key alone."),
    ] = None
    key_is_feature: Annotated[bool, typer.Option("--key-is-feature", help="The column of the key gives features, too.")] = False
    bits: Annotated[int | None, typer.Option(metavar="B", help="Hash features into 2^B columns instead of keeping their names.")] = None
    ngrams: Annotated[
        int | None, typer.Option(metavar="N", help="Also every 2 to N words in a row: of text, and of a namespace of VW text.")
    ] = None
    chars: Annotated[int | None, typer.Option(metavar="N", help="Of text: also every N characters in a row of a word.")] = None
    cross: Annotated[Columns, typer.Option(metavar="A*B", help="Features of A times features of B. Repeat for more.")] = None
    expand: Annotated[
        int | None, typer.Option(metavar="K", help="Also every conjunction of 2 to K features of a row, for features that are 0 or 1.")
    ] = None
    boolean: Annotated[bool, typer.Option("--boolean", help="Take presence only: every value that is not 0 counts as 1.")] = False
    text: Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of text: its words are features. Repeat for more.")] = None
    categorical: Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of names: COLUMN=value is a feature.")] = None
    numeric: Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of numbers.")] = None
    time: Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of dates or date-times: hour, weekday, month, days.")] = None
    ignore: Annotated[Columns, typer.Option(metavar="COLUMN", help="A column to leave out, or a namespace of VW text.")] = None
    bins: Annotated[
        Columns, typer.Option(metavar="K|COLUMN=K", help="Cut numeric columns, or this one, into K ranges of equal counts.")
    ] = None
    header: Annotated[bool | None, typer.Option("--header/--no-header", help="Is the first line of a table the names of its columns?")] = (
        None
    )
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="What parts the cells of a table; 'tab' for a tab.")] = None
    quotes: Annotated[bool | None, typer.Option("--quotes/--no-quotes", help="May cells of CSV and TSV stand in quotes?")] = None
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Of a table: utf-8, latin-1, ...")] = None
    sum_duplicates: Annotated[bool, typer.Option("--sum-duplicates", help="Add up a feature that a row has twice.")] = False
    names: Annotated[bool, typer.Option("--names", help="Keep features by name where all are numbers, too.")] = False
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Count malformed lines and go on.")] = False
    largest_index: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The largest number of a feature that a state grows for; 2^24 if left out.")
    ] = None

    @property
    def choices(self) -> dict[str, Any]:
        """What the user chose, as fields of a Reading; an option that was left out is not among them."""
        options = {name: value for name, value in vars(self).items() if name not in ("skip_bad", "largest_index")}
        chosen = {name: value for name, value in options.items() if value is not None and value is not False and value != []}
        chosen |= {name: False for name in ("header", "quotes") if getattr(self, name) is False}
        if self.labels is not None:
            chosen |= label_choices(self.labels)
        if self.key is not None:
            chosen |= key_and_value(self.key)
        require(self.key is not None or not self.key_is_feature, "--key-is-feature goes with --key COLUMN")
        if self.bins:
            chosen["bins"] = bins(self.bins)
        if self.delimiter is not None:
            chosen["delimiter"] = delimiter(self.delimiter)
        return chosen

    def for_model(self, model: Model | None = None, **more: Any) -> Reading:
        """As the user says, else as the model's stream was read; `more` are choices of one command alone."""
        choices = {**self.choices, **more}
        return (Reading() if model is None else Reading.from_json(model.reading)).but(**Reading.of(**choices).chosen(choices))

    def open(self, streams: list[str], model: Model | None = None, *, follow: bool = False, bare: bool = False, **more: Any) -> Stream:
        """The stream of these files; with a model, its features have the model's columns. `bare`: lines of text may have no label."""
        from littlestone.streams import Stream

        names = list(model.features) if model is not None and model.named else None
        reading = self.for_model(model, **more)
        reading = reading if names is None else reading.but(named=True)  # numbers are then names, too
        limits = {"skip_bad": self.skip_bad, "largest_index": self.largest_index}
        stream = Stream(streams, reading, follow=follow, names=names, bare=bare, **limits)  # type: ignore[arg-type]
        stream.sorts = model is None or model.sorts
        stream.firm_labels = model is None or reading.declared  # others of a model are what it has met so far
        if model is not None and model.named is False:
            stream.refuse_names()
        return stream

    def refuse_for_tables(self) -> None:
        """A table of experts of a model has its reading already."""
        require(not self.choices, f"{', '.join(self.choices)}: a table of experts is read as the model's own was")


def key_and_value(text: str) -> dict[str, str]:
    """`user`, or `user=u17`, the one key whose rounds are meant.

    >>> key_and_value("user"), key_and_value("user=u17")
    ({'key': 'user'}, {'key': 'user', 'only': 'u17'})
    """
    column, sign, value = text.partition("=")
    require(bool(column) and bool(value or not sign), f"--key {text!r}: expected a column, or COLUMN=KEY")
    return {"key": column, "only": value} if sign else {"key": column}


def one_key(text: str) -> str:
    """The key of `user=u17`.

    >>> one_key("user=u17")
    'u17'
    """
    chosen = key_and_value(text)
    require("only" in chosen, f"--key {text}: expected COLUMN=KEY, the one key that is meant")
    return chosen["only"]


def bins(texts: list[str]) -> int | dict[str, int]:
    """`10`, or `age=5 height=10`.

    >>> bins(["10"]), bins(["age=5", "height=10"])
    (10, {'age': 5, 'height': 10})
    """
    counts: dict[str, int] = {}
    for text in texts:
        column, _, number = text.rpartition("=")
        try:
            count = int(number)
        except ValueError:
            raise LittlestoneError(f"--bins {text!r}: expected a whole number, or COLUMN=NUMBER") from None
        require(column not in counts, f"--bins {text!r}: given twice{f' for {column!r}' if column else ''}")
        counts[column] = count
    if "" in counts:
        require(len(counts) == 1, "--bins: expected one number for all columns, or COLUMN=NUMBER for some; not both")
        return counts[""]
    return counts


def class_weights(texts: list[str]) -> dict[str, float]:
    """`spam=5,ham=1`, or each by itself.

    >>> class_weights(["spam=5,ham=1", "eggs=0.5"])
    {'spam': 5.0, 'ham': 1.0, 'eggs': 0.5}
    """
    weights: dict[str, float] = {}
    for part in (part for text in texts for part in text.split(",")):
        label, _, number = part.rpartition("=")
        try:
            weights[label.strip()] = weight = float(number)
        except ValueError:
            weight = 0.0
        require(label and is_weight(weight), f"--class-weight {part!r}: expected LABEL=W, W a number above 0, such as spam=5")
    return weights


def delimiter(text: str) -> str:
    return "\t" if text in ("tab", "\\t") else text


def labels_of(stream: Stream) -> tuple[Label, Label] | None:
    """The two labels that a stream has turned out to have, as far as it has been read."""
    return None if stream.codes is None else (stream.codes.negative, stream.codes.positive)


def label_texts(reading: Reading) -> tuple[str, str]:
    """The two labels as the stream wrote them; 0 and 1 where it has not shown any.

    >>> label_texts(Reading(labels=(-1.0, 1.0))), label_texts(Reading(labels=("ham", "spam")))
    (('-1', '1'), ('ham', 'spam'))
    """
    negative, positive = reading.labels or (0.0, 1.0)
    return label_text(negative), label_text(positive)


def label_text(label: Any) -> str:
    return f"{label:g}" if isinstance(label, float) and float(f"{label:g}") == label else str(label)
