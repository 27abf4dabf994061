"""Files or a frame, as a stream."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from littlestone.errors import require
from littlestone.rounds.reading import Label, Reading, label_choices
from littlestone.streams.frames import FrameStream, as_frame
from littlestone.streams.stream import Stream


def open_stream(
    *paths: Any,
    format: str = "auto",
    label: str | None = None,
    label_threshold: float | None = None,
    labels: str | Iterable[Label] | None = None,
    weight: str | None = None,
    id: str | None = None,
    key: str | None = None,
    key_is_feature: bool = False,
    only: str | None = None,
    bits: int | None = None,
    ngrams: int = 1,
    chars: int = 0,
    cross: str | Sequence[str] = (),
    expand: int = 1,
    boolean: bool = False,
    text: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    numeric: str | Sequence[str] = (),
    time: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    bins: int | Mapping[str, int] | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    quotes: bool | None = None,
    encoding: str = "utf-8",
    sum_duplicates: bool = False,
    names: bool = False,
    skip_bad: bool = False,
    follow: bool = False,
    largest_index: int | None = None,
    reading: Reading | None = None,
    vocabulary: Iterable[str] | None = None,
) -> Stream:
    """A stream over files, one after the other; "-" is standard input, and globs are expanded. docs/formats.md describes the formats.
    In place of paths, one frame: pandas, polars, pyarrow, or anything with the Arrow interfaces.

    Nothing is read until it is played: `ls.play(ls.perceptron(), ls.open_stream("mail.csv", label="spam"))`. The format is told from the
    file's name and its first rows, unless `format` says it. `label` is the column of the label, or a test such as "delay>15"; of a column
    of numbers `label_threshold=15` makes two classes, above 15 and not. `labels` are those that may come, of two the negative one first:
    several of them, "ham,spam", "@FILE" with one a line, or "any". Where they are left out, two classes have the two labels that the first
    rows show, the larger one positive.

    Features keep their names; `bits` hashes them to 2^bits columns instead. `text`, `categorical`, `numeric`, `time` and `ignore` name
    columns of a table that are not what they look like; `bins` cuts numeric columns into ranges; `ngrams` joins neighbouring words, `chars`
    adds every so many characters in a row of a word; `cross` joins columns ("origin*carrier"); `expand` adds the conjunctions of up to so
    many features of a row; `boolean` takes presence for value; `sum_duplicates` adds up a feature that stands twice in a row.

    `key` is the column that says whose round it is: each key has a learner of its own (docs/keys.md). It gives no features, unless
    `key_is_feature` says so. `only` is the one key whose rounds are read.

    With `skip_bad` malformed rows are counted and left out; otherwise the first one stops the run. `follow` waits for more at the end of
    the file. A feature that is a number above `largest_index`, 2^24 unless it is given, is refused where a state would need a place for
    every number up to it. `reading` has all choices in one value, as a model keeps them, and keywords change single ones; `vocabulary` are
    the names of a model's features, by column.
    """
    declared = Reading.of(
        format=format, label=label, label_threshold=label_threshold, labels=labels, weight=weight, id=id, key=key,
        key_is_feature=key_is_feature, only=only, bits=bits, ngrams=ngrams, chars=chars, cross=cross, expand=expand, boolean=boolean,
        text=text, categorical=categorical, numeric=numeric, time=time, ignore=ignore, bins=bins, header=header, delimiter=delimiter,
        quotes=quotes, encoding=encoding, sum_duplicates=sum_duplicates, names=names,
    )  # fmt: skip
    whole = declared if reading is None else reading.but(**{**declared.choices(), **label_choices(labels)})
    if len(paths) == 1 and hasattr(frame := as_frame(paths[0]), "__arrow_c_stream__"):
        return FrameStream(frame, whole, skip_bad=skip_bad, names=vocabulary, largest_index=largest_index)
    for path in paths:
        require(isinstance(path, str | os.PathLike), f"open_stream takes paths, or one frame; got {type(path).__name__}")
    files = [str(path) for path in paths]
    return Stream(files, whole, skip_bad=skip_bad, follow=follow, names=vocabulary, largest_index=largest_index)
