"""The fast readers, by walking this folder: a module here reads the format that the module of its name in `rounds.formats` defines.

It has `reader(reading, skip, names, bare)`, or `TABLE`, a `TableReader`. What the first rows settle comes from `settled(reading, source)`
of lines or `look(reading, source)` of tables. Where a format can be written, `writer()` gives the class that does.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.features import Condition, target_of
from littlestone.rounds.files import shown
from littlestone.rounds.formats import format_named, own_folders
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.lines import Reader
from littlestone.streams.vocabulary import Hashed, Vocabulary

__path__ += own_folders("streams")

CONVERTED = {"label", "weight", "id", "|", "features", "names", "indices", "values"}  # columns that `convert` writes


def module_of(name: str) -> Any:
    """What reads a format. Only this one is imported: pyarrow takes its time to load, and who has no tables need not wait for it."""
    return import_module(f"{__name__}.{name}")


def settled(reading: Reading, source: Input, names_in: dict[str, int] | None = None) -> Reading:
    """The reading, with what the first rows say; `names_in` gets the number of different names in each column of names."""
    format, module = format_named(reading.format), module_of(reading.format)
    chosen = reading.choices()
    for option in format.lacks:
        if option in chosen:
            where = f"{shown(source.path)} is read as {reading.format}, which has {format.has}"
            raise LittlestoneError(f"{where}: --{option} ({option}=) does not apply; --format reads it as another", path=source.path)
    if not format.is_table:
        return module.settled(reading.with_threshold(), source)
    if not reading.settled:
        return table_settled(reading, source, names_in=names_in)
    made = reading.of_converted(reading.format).but(labels=reading.labels, delimiter=reading.delimiter)
    tried = _tried(made, source)
    if tried is None or tried.columns is None:
        return reading
    if set(reading.kinds or ()) <= set(tried.columns) or not set(tried.columns) <= CONVERTED:
        if reading.format != "jsonl" and reading.header is not False:  # whose lines may leave keys out, or name no columns
            refuse_other_columns(reading, tried.columns, shown(source.path))
        if reading.header is not None:
            return reading
        columns = (*tried.columns, *absent_label(reading, tried.columns))
        return reading.but(header=tried.header, delimiter=tried.delimiter, columns=columns)
    return tried if "label" in tried.columns else reading  # `convert` wrote it: its features are made already


def absent_label(reading: Reading, columns: Sequence[str]) -> list[str]:
    """Return the label's column of the model's own table where these columns are without it: rows to be predicted need no label.

    >>> absent_label(Reading(columns=("hour", "late"), label="late"), ["hour"])
    ['late']
    """
    with suppress(LittlestoneError):  # a label that the model's own table had not is refused where the rows are read
        label = target_of(reading.label, reading.columns or ())[0]
        return [] if label in columns else [label]
    return []


def refuse_other_columns(reading: Reading, columns: Iterable[str], where: str) -> None:
    """Refuse a table that lacks columns of features of the model's own, or has columns that this had not.

    >>> reading = Reading(format="csv", columns=("hour", "delay", "y"), kinds={"hour": "numeric", "delay": "numeric"}, label="y")
    >>> refuse_other_columns(reading, ["delay", "hour"], "new.csv")
    >>> refuse_other_columns(reading, ["hour", "wind", "rain"], "new.csv")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: new.csv has 3 columns of features, and the model was made with 2: 'delay' is missing; \
'wind', 'rain' are not among them; --ignore (ignore=) leaves columns out
    """
    own, before = list(reading.kinds or ()), set(reading.columns or ())
    apart = before.difference(own) | {*reading.ignore, reading.weight, reading.id}
    with suppress(LittlestoneError):  # the rows to be predicted may have another label, or none
        apart.add(target_of(reading.label, list(columns))[0])
    here = [name for name in columns if name not in apart]
    missing, more = [name for name in own if name not in here], [name for name in here if name not in own]
    if missing or more:
        texts = [f"{', '.join(map(repr, names))} {words[len(names) > 1]}" for names, words in ((missing, GONE), (more, NEW)) if names]
        how = "; --ignore (ignore=) leaves columns out" if more else ""
        raise LittlestoneError(
            f"{where} has {len(here)} columns of features, and the model was made with {len(own)}: {'; '.join(texts)}{how}", path=where
        )


GONE, NEW = ("is missing", "are missing"), ("is not among them", "are not among them")


def table_settled(reading: Reading, source: Any, *, labelled: bool = True, names_in: dict[str, int] | None = None) -> Reading:
    """What the first rows of a table say; `labelled=False`: the labels are given apart, and every column may give features."""
    return module_of(reading.format).look(reading, source).settled(shown(source.path), labelled=labelled, names_in=names_in)


def _tried(reading: Reading, source: Input) -> Reading | None:
    """What a look finds, with a label or without one; None where the file is no such table."""
    for labelled in (True, False):
        with suppress(LittlestoneError):
            return table_settled(reading, source, labelled=labelled)
    return None


def apart(reading: Reading, format: str, path: str) -> Reading:
    """The reading of a model's stream, for a file in another format. Lines were written by `convert`: their features are made already;
    but it writes no texts, so that these are never the rows of a table."""
    columns = ", ".join(sorted(reading.kinds or ()))
    refused = f"{shown(path)} has lines of a label, a tab and text, and the model has learned from a table; expected its columns: {columns}"
    require(format != "text" or not reading.settled or not columns, refused)
    if format_named(format).is_table or not reading.settled or format == reading.format:
        return reading.but(format=format)
    return reading.of_converted(format)


def names_for(reading: Reading, known: Iterable[str] | None) -> Any:
    """The names that the stream begins with; None where features are numbers."""
    if reading.bits is not None:
        return Hashed(reading.bits)
    return Vocabulary(known or ()) if reading.named else None


def reader(reading: Reading, skip: bool, names: Any, bare: bool = False) -> Reader:
    """What reads this format. `bare`: lines of text may have no label and no tab."""
    module = module_of(reading.format)
    return module.TABLE(reading) if hasattr(module, "TABLE") else module.reader(reading, skip, names, bare)


def test_of(reading: Reading) -> Condition | None:
    """The test that makes labels of labels, where a format has no columns to choose from."""
    return None if format_named(reading.format).is_table else target_of(reading.label, None)[1]
