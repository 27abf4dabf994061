"""How a stream is to be read: the options that every command with a stream has, and one value made of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.errors import LittlestoneError, require
from littlestone.rounds.reading import Label, Reading

if TYPE_CHECKING:
    from littlestone.protocol import Model
    from littlestone.streams import Stream

Learner = Annotated[
    str | None,
    typer.Option(
        help="NAME[:key=value...] (panel), one_vs_rest:learner=NAME for several classes, or file.py::name for your own.",
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
Assume = Annotated[
    str | None,
    typer.Option(
        help="What you know beforehand: disjunction:r=5, k_of_r:k=2,r=5, margin:gamma=0.1,R=1, class, ...",
        autocompletion=complete.assumptions,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress; only the result.")]

Columns = list[str] | None


@dataclass
class ReadingOptions:
    """What the user said about reading. An option that was left out is not among the choices."""

    choices: Mapping[str, Any] = field(default_factory=dict)  # fields of a Reading
    skip_bad: bool = False

    def reading(self, model: Model | None = None) -> Reading:
        """As the user says, else as the model's stream was read."""
        return (Reading() if model is None else Reading.from_json(model.reading)).but(**Reading.of(**self.choices).chosen(self.choices))

    def open(self, streams: list[str], model: Model | None = None, *, follow: bool = False, bare: bool = False) -> Stream:
        """The stream of these files; with a model, its features have the model's columns. `bare`: lines of text may have no label."""
        from littlestone.streams import Stream

        names = list(model.features) if model is not None and model.named else None
        reading = self.reading(model) if names is None else self.reading(model).but(named=True)  # numbers are then names, too
        stream = Stream(streams, reading, skip_bad=self.skip_bad, follow=follow, names=names, bare=bare)
        if model is not None and model.named is False:
            stream.refuse_names()
        return stream


# each by the name of its field in a Reading
OPTIONS: dict[str, Any] = {
    "format": Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="auto, libsvm, vw, csv, tsv, jsonl, parquet, arrow or text.", autocompletion=complete.formats),
    ],
    "label": Annotated[str | None, typer.Option(metavar="COLUMN", help="Where the label is, or a test that makes it: 'delay>15'.")],
    "labels": Annotated[str | None, typer.Option(metavar="NEG,POS", help="The two labels, negative first; else as the file begins.")],
    "weight": Annotated[str | None, typer.Option(metavar="COLUMN", help="How much a round counts.")],
    "id": Annotated[
        str | None, typer.Option(metavar="COLUMN", help="A name for each round; a later row with that id alone brings its label.")
    ],
    "bits": Annotated[int | None, typer.Option(metavar="B", help="Hash features into 2^B columns instead of keeping their names.")],
    "ngrams": Annotated[
        int | None, typer.Option(metavar="N", help="Also every 2 to N words in a row: of text, and of a namespace of VW text.")
    ],
    "cross": Annotated[Columns, typer.Option(metavar="A*B", help="Features of A times features of B. Repeat for more.")],
    "boolean": Annotated[bool, typer.Option("--boolean", help="Take presence only: every value that is not 0 counts as 1.")],
    "text": Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of text: its words are features. Repeat for more.")],
    "categorical": Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of names: COLUMN=value is a feature.")],
    "numeric": Annotated[Columns, typer.Option(metavar="COLUMN", help="A column of numbers.")],
    "ignore": Annotated[Columns, typer.Option(metavar="COLUMN", help="A column to leave out, or a namespace of VW text.")],
    "bins": Annotated[Columns, typer.Option(metavar="K|COLUMN=K", help="Cut numeric columns, or this one, into K ranges of equal counts.")],
    "header": Annotated[bool | None, typer.Option("--header/--no-header", help="Is the first line of a table the names of its columns?")],
    "delimiter": Annotated[str | None, typer.Option(metavar="CHARACTER", help="What parts the cells of a table; 'tab' for a tab.")],
    "quotes": Annotated[bool | None, typer.Option("--quotes/--no-quotes", help="May cells of CSV and TSV stand in quotes?")],
    "encoding": Annotated[str | None, typer.Option(metavar="NAME", help="Of a table: utf-8, latin-1, ...")],
    "sum_duplicates": Annotated[bool, typer.Option("--sum-duplicates", help="Add up a feature that a row has twice.")],
    "names": Annotated[bool, typer.Option("--names", help="Keep features by name where all are numbers, too.")],
}
SKIP_BAD = Annotated[bool, typer.Option("--skip-bad", help="Count malformed lines and go on.")]


def takes_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with all reading options in place of its parameter `given`."""

    @wraps(command)
    def with_options(**arguments: Any) -> Any:
        given = ReadingOptions(choices({name: arguments.pop(name) for name in OPTIONS}), arguments.pop("skip_bad"))
        return command(**arguments, given=given)

    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "given"]
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(name, kind, default=False if name in ("boolean", "sum_duplicates", "names") else None, annotation=option)
        for name, option in OPTIONS.items()
    ]
    shared.append(inspect.Parameter("skip_bad", kind, default=False, annotation=SKIP_BAD))
    parameters = [*own, *shared]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def choices(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of it, as fields of a Reading."""
    said = {name: value for name, value in chosen.items() if value is not None and value is not False and value != []}
    said |= {name: False for name in ("header", "quotes") if chosen.get(name) is False}
    if "labels" in said:
        said["labels"] = two_labels(said["labels"])
    if "bins" in said:
        said["bins"] = bins(said["bins"])
    if said.get("delimiter") in ("tab", "\\t"):
        said["delimiter"] = "\t"
    return said


def two_labels(text: str) -> tuple[Label, Label]:
    """`0,1` as two numbers, `ham,spam` as two words.

    >>> two_labels("0,1"), two_labels("ham, spam")
    ((0.0, 1.0), ('ham', 'spam'))
    """
    parts = [part.strip() for part in text.split(",")]
    require(len(parts) == 2 and all(parts), f"--labels {text!r}: expected two labels, negative then positive, such as 0,1 or ham,spam")
    try:
        return float(parts[0]), float(parts[1])
    except ValueError:
        return parts[0], parts[1]


def bins(given: list[str]) -> int | dict[str, int]:
    """`10`, or `age=5 height=10`.

    >>> bins(["10"]), bins(["age=5", "height=10"])
    (10, {'age': 5, 'height': 10})
    """
    found: dict[str, int] = {}
    for part in given:
        column, _, number = part.rpartition("=")
        try:
            count = int(number)
        except ValueError:
            raise LittlestoneError(f"--bins {part!r}: expected a whole number, or COLUMN=NUMBER") from None
        require(column not in found, f"--bins {part!r}: given twice{f' for {column!r}' if column else ''}")
        found[column] = count
    if "" in found:
        require(len(found) == 1, "--bins: expected one number for all columns, or COLUMN=NUMBER for some; not both")
        return found[""]
    return found


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
