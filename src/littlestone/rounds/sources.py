"""Rounds in plain Python: a label, and names with values, from files of any format or from whatever a user has in memory.

Nothing here is compiled and nothing is shared with the readers that made the run: this is the stranger's own look at the stream, and the
definition that those readers are tested against.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from os import PathLike
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.digest import Round, coded, float32
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import (
    NO_RULES,
    Condition,
    DictRules,
    FeatureRules,
    Labels,
    PlainRow,
    Several,
    bag,
    encoded,
    label_of,
    narrow,
    spelled,
    target_of,
)
from littlestone.rounds.files import PlainFile, PlainFrame, expanded, format_of, is_column
from littlestone.rounds.formats import FORMATS, Format, format_named
from littlestone.rounds.reading import Reading
from littlestone.rounds.tables import rows_of

#: How a certificate without a reading was made: from libsvm files.
LIBSVM = Reading(format="libsvm", named=False, version=1)


class Files(NamedTuple):
    """A stream over files, one after the other."""

    paths: Sequence[str]


def rounds_of(
    X: Any, y: Any, *, boolean: bool, labels: list | None, weights: Any = None, reading: Reading | None = None, format: str | None = None
) -> Iterator[Round]:
    """The rounds of whatever X is: a path, a stream over files, a sparse matrix, a table, a list of dicts or sets.

    `y` has the labels, or names the column that does. `reading` says how rounds are made of a file or of a table of pandas, polars or
    pyarrow; `format` is that of the files, where they do not tell it themselves.
    """
    X, y = with_labels(X, y, reading)
    paths = [str(X)] if isinstance(X, str | PathLike) else [str(path) for path in X.paths] if hasattr(X, "paths") else None
    how = (LIBSVM if reading is None else reading).but(boolean=boolean)
    if paths is not None:
        require(y is None, "the stream carries its own labels; y must be left out")
        require(labels is not None, "the certificate does not say which are the labels of a file: it was made from arrays")
        return weighed(rounds_of_files(paths, how, labels or (), format=format), weights)
    if hasattr(X, "__arrow_c_stream__") and reading is not None and not is_column(X):
        return weighed(from_frame(X, y, how, labels), weights)
    if hasattr(X, "labels"):
        return _from_blocks([X], boolean, weights, labels)
    if isinstance(X, list | tuple) and X and hasattr(X[0], "labels"):
        require(y is None, "the blocks carry their own labels; y must be left out")
        return _from_blocks(X, boolean, weights, labels)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        rows = _sparse(X.indptr.tolist(), X.indices.tolist(), X.data.tolist())
        return _from_rows(rows, _listed(y), boolean, weights, labels)
    table: Any = _listed(X) if hasattr(X, "__arrow_c_stream__") or hasattr(X, "tolist") else X
    require(isinstance(table, list | tuple), f"instances of type {type(X).__name__}: expected a path, a sparse matrix, a table or dicts")
    rules = DictRules.of(how.as_json()) if how.of_dicts else NO_RULES
    return _from_rows((_features(row, how, rules) for row in table), _listed(y), boolean, weights, labels)


def with_labels(X: Any, y: Any, reading: Reading | None) -> tuple[Any, Any]:
    """Return rows and their labels, where y may name the column of the labels; None for labels that a file or a table brings itself.

    >>> with_labels([{"word": "free", "class": "spam"}], "class", None)
    ([{'word': 'free'}], ['spam'])
    """
    if not isinstance(y, str):
        return X, y
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        require(any(y in row for row in X), f"y={y!r}: no row has it; expected the name of a column, or a label for each row")
        return [{name: value for name, value in row.items() if name != y} for row in X], [row.get(y) for row in X]
    table = isinstance(X, str | PathLike) or hasattr(X, "paths") or hasattr(X, "__arrow_c_stream__")
    require(table, f"y={y!r} names a column; expected a frame, a file or rows as dicts, not {type(X).__name__}")
    own = None if reading is None or not reading.label else target_of(reading.label, reading.columns)[0]
    require(own, f"y={y!r}: the certificate knows no column of labels; expected what was played, with a label for each row")
    require(y in (own, reading and reading.label), f"y={y!r}: the certificate says that the label is the column {own!r}")
    return X, None


def weighed(rounds: Iterator[Round], weights: Any, by_label: Sequence[float] = ()) -> Iterator[Round]:
    """The rounds with weights beside their own, and with what their labels weigh."""
    if weights is None and not by_label:
        yield from rounds
        return
    factors = iter(_listed(weights) or []) if weights is not None else repeat(1.0)
    for t, round in enumerate(rounds, 1):
        own = by_label[round.y] if round.y is not None and round.y < len(by_label) else 1.0
        round.c = float32(own * round.c * float(next(factors, "nan")), f"row {t}: its weight")
        yield round


def rounds_of_files(paths: Sequence[str], reading: Reading, labels: Sequence[Any], *, format: str | None = None) -> Iterator[Round]:
    """The rounds of files, one after the other. The reading is settled: nothing is guessed but the format of each file.

    A file in another format than that of the reading is one that `convert` wrote: its features have their names already.
    """
    require(format is None or format in FORMATS, f"format={format!r} is not known; expected {', '.join(FORMATS)}")
    for path in expanded(paths):
        with PlainFile(path, reading.encoding) as source:
            name = format or format_of(source, reading.format)
            if name != reading.format and not {name, reading.format} <= {"csv", "tsv"}:
                source.encoding = "utf-8"
            yield from by_label(of_file(source, name, reading, labels), reading, labels)


def by_label(rounds: Iterator[Round], reading: Reading, labels: Sequence[Any]) -> Iterator[Round]:
    """The rounds with the weights of their labels beside their own, where the reading says that labels weigh anything but 1."""
    if reading.cost is None and not reading.class_weight:
        yield from rounds
        return
    weights = reading.weights_of(labels)
    for round in rounds:
        if round.y is not None and round.y < len(weights):
            round.c = narrow(round.c * weights[round.y])
        yield round


def of_file(source: PlainFile, name: str, reading: Reading, labels: Sequence[Any]) -> Iterator[Round]:
    """The rounds of one file that is open."""
    format = format_named(name)
    if format.is_table:
        return played(rows_of(format, source, reading), reading, labels)
    converted = name != reading.format
    if converted:
        reading = reading.of_converted(name)
    crossed = "cross" in format.lacks and reading.cross
    require(not crossed, f"cross={reading.cross}: {name} has neither columns nor namespaces to be crossed")
    test = target_of(reading.label, None)[1]
    if format.rounds is not None and reading.expand == 1:
        rounds = format.rounds(source, reading, Labels(labels, converted), test)
        if rounds is not None:
            return rounds
    rows = line_rows(format, source, reading) if format.rows is None else format.rows(source, reading)
    return played(rows, reading, labels, test, converted)


def line_rows(format: Format, source: PlainFile, reading: Reading) -> Iterator[PlainRow]:
    """The rows of a file in which a line is a row."""
    assert format.row_of is not None
    for line in source.lines():
        row = format.row_of(line, reading)
        if row is not None:
            yield row


def played(
    rows: Iterator[PlainRow], reading: Reading, labels: Sequence[Any], test: Condition | None = None, converted: bool = False
) -> Iterator[Round]:
    """Rows as rounds: which label is which, and what is done with all features alike."""
    both = {made: Labels(labels, made) for made in (False, True)}
    rules = {made: FeatureRules.of(reading, converted=made) for made in (False, True)}
    for row in rows:
        if reading.only is not None and row.key != reading.only:
            continue
        made = converted or row.converted
        label = row.label if test is None or row.label is None else test.of(row.label)
        keys, values = rules[made].features(row.groups)
        names = [encoded(str(key)) for key in keys]
        round = Round(both[made].of(label), keys, values, coded(names, values), narrow(row.weight), row.id)
        round.key = row.key
        yield round


def from_frame(frame: Any, y: Any, reading: Reading, labels: Sequence[Any] | None) -> Iterator[Round]:
    """The rounds of a table of pandas, polars or pyarrow; y in place of a column of labels."""
    if y is None:
        require(labels is not None, "the certificate does not say which are the labels of the table")
        return frame_rounds(frame, reading, labels or (), labelled=True)
    listed = _listed(y) or []
    return _labelled(frame_rounds(frame, reading, (0, 1), labelled=False), truths_of(listed, labels))


def frame_rounds(frame: Any, reading: Reading, labels: Sequence[Any], *, labelled: bool) -> Iterator[Round]:
    with PlainFrame(frame) as source:
        rounds = played(rows_of(format_named("arrow"), source, reading, labelled=labelled), reading, labels)
        yield from by_label(rounds, reading, labels) if labelled else rounds


def _labelled(rounds: Iterator[Round], truths: list[bool | None]) -> Iterator[Round]:
    t = 0
    for t, round in enumerate(rounds, 1):
        require(t <= len(truths), f"row {t} has no label: y is shorter than the instances")
        round.y = truths[t - 1]
        yield round
    require(t == len(truths), "y has more labels than there are instances")


def _from_blocks(blocks: Sequence[Any], boolean: bool, weights: Any, labels: Sequence[Any] | None = None) -> Iterator[Round]:
    """Rounds as compressed rows (`Block`)."""
    rows = (
        row
        for block in blocks
        for row in _sparse(block.indptr.tolist(), block.indices.tolist(), None if block.values is None else block.values.tolist())
    )
    several = isinstance(labels, Several)
    labelled = [None if (code == -1 if several else code < 0) else code for block in blocks for code in block.labels.tolist()]
    if any(block.weights is not None for block in blocks):
        own = [c for block in blocks for c in ([1.0] * len(block.labels) if block.weights is None else block.weights.tolist())]
        return weighed(_from_rows(rows, labelled, boolean, own, labels), weights)
    return _from_rows(rows, labelled, boolean, weights, labels)


def _listed(y: Any) -> list | None:
    return None if y is None else list(y.tolist() if hasattr(y, "tolist") else y)


def _sparse(indptr: list[int], indices: list[int], values: list | None) -> Iterator[dict]:
    for lo, hi in pairwise(indptr):
        keys = indices[lo:hi]
        row = dict.fromkeys(keys, 1.0) if values is None else dict(zip(keys, values[lo:hi], strict=True))
        require(len(row) == hi - lo, "a feature is given twice in one row; expected each once")
        yield row


def _features(row: Any, reading: Reading, rules: DictRules) -> dict:
    if isinstance(row, str):
        how = FeatureRules(reading.bits, boolean=reading.boolean)
        words = [(word, float(times)) for word, times in bag(row, reading.ngrams, reading.version, reading.chars).items()]
        return dict(zip(*how.features([("", words)]), strict=True))
    if isinstance(row, Mapping):
        return dict(spelled(row, rules))
    if isinstance(row, set | frozenset):
        return dict.fromkeys(sorted(row, key=lambda name: (isinstance(name, str), name)), 1.0)
    require(isinstance(row, list | tuple), f"an instance of type {type(row).__name__}: expected a row of numbers, a dict or a set")
    return {i: v for i, v in enumerate(row) if v}


def _from_rows(rows: Iterator[dict], y: list | None, boolean: bool, weights: Any, labels: Sequence[Any] | None = None) -> Iterator[Round]:
    truths = iter([] if y is None else truths_of(y, labels))
    factors = None if weights is None else iter(_listed(weights) or [])
    for t, row in enumerate(rows, 1):
        names = [str(name).encode("utf-8", "surrogatepass") for name, v in row.items() if v or not boolean]
        values = [1.0] * len(names) if boolean else [float32(v, f"row {t}: feature {name}") for name, v in row.items()]
        label = None if y is None else next(truths, "none")
        require(label != "none", f"row {t} has no label: y is shorter than the instances")
        weight = 1.0 if factors is None else float32(next(factors, "nothing"), f"row {t}: its weight")
        keys = [name for name, v in row.items() if v or not boolean]
        yield Round(label, keys, values, coded(names, values), weight)
    require(next(truths, "none") == "none", "y has more labels than there are instances")


def truths_of(y: list, labels: Sequence[Any] | None) -> list:
    """Labels as rounds have them: by the labels of a certificate, or by themselves where it names none."""
    usual = not isinstance(labels, Several) and not any(isinstance(label, str) for label in y)
    if labels is None or usual:
        return two_of(y)
    known, truths = Labels(labels), []
    for t, label in enumerate(map(label_of, y), 1):
        try:
            truths.append(known.of(label))
        except Fault as fault:
            raise LittlestoneError(f"row {t}: found {fault.found}, expected {fault.expected}") from None
    return truths


def two_of(y: list) -> list[bool | None]:
    """True, False or None of labels 1/0, +1/-1, 2/1, True/False; None and NaN are no label."""
    try:
        numbers = [None if v is None or v != v else float(v) for v in y]
    except ValueError:
        raise LittlestoneError("labels are text, and the certificate does not say which are its labels") from None
    kinds = {v for v in numbers if v is not None}
    for negative, positive in ((0.0, 1.0), (-1.0, 1.0), (1.0, 2.0)):
        if kinds <= {negative, positive}:
            return [None if v is None else v == positive for v in numbers]
    raise LittlestoneError(f"labels {sorted(kinds)[:4]}: expected two classes, as True/False, 1/0, +1/-1 or 2/1")
