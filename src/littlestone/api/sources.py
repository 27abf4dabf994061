"""Rounds for a learner of any kind, from whatever the user has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, one_line, require
from littlestone.protocol import Advice, Block, ClassMap, FeatureMap
from littlestone.protocol.events import answers_of, unusual
from littlestone.protocol.labels import LabelRules, is_missing, kind_of
from littlestone.protocol.owners import Owners
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import NO_RULES, OF_KEYS, DictRules, FeatureRules, bag, hash64
from littlestone.rounds.files import is_column
from littlestone.rounds.reading import Reading
from littlestone.rounds.tables import TableRows
from littlestone.streams import Stream
from littlestone.streams.first_rows import dicts_in_words, reading_of_dicts
from littlestone.streams.frames import FrameStream, as_frame
from littlestone.streams.instances import (
    KnownNames,
    LabelWeights,
    Lent,
    TwoLabels,
    listed,
    require_mapping,
    source_of,
    streamed,
    weighing,
)
from littlestone.streams.products import expanded

OF_LABELS = ("labels", "declared", "any_labels")  # what a model's reading says of its labels


@dataclass
class Rounds:
    """Rounds as blocks, to be had once or more often, and what is known of them beforehand."""

    blocks: Callable[[], Iterator[Any]]
    columns: int | None = None
    again: bool = False  # are they in memory, to be had again at no cost?
    repeatable: bool = False  # can they be had again at all?
    stream: Stream | None = None  # where they come from a file or a frame
    features: FeatureMap | None = None  # the columns that names of features have been given
    classes: ClassMap | None = None  # of several classes: the labels met so far
    reading: dict[str, Any] | None = None  # how they are read, where no stream says it
    two: TwoLabels | None = None  # of two classes: which label is which, where y has them
    lent: Lent | None = None  # the blocks where they lie
    rules: LabelRules | None = None  # which labels may come, where somebody plays
    came: Any = None  # what the rows, or else their labels, came as, where a frame of the run is to be like it
    width: int | None = None  # how many columns a table of numbers has
    by_label: Callable[[], np.ndarray] | None = None  # what the user says that labels weigh, by their codes; the last is for none
    sorts: bool = True  # are rows sorted by column, and without zeros?
    in_words: str = ""  # of rows that are dicts: what is made of each key
    of_dicts: dict[str, Any] | None = None  # of rows that are dicts: how the model that they are for reads them

    @property
    def may_be_repeated(self) -> bool:
        """Can they be had once more, from memory, a table or a file?"""
        return self.again or self.repeatable or (self.stream is not None and self.stream.is_file)

    def name(self, error: LittlestoneError) -> None:
        """Say in a message which feature it is about, where these rounds have names for theirs."""
        stream, number = self.stream, error.feature
        if number is None:
            return
        if stream is not None:
            known = stream.names is not None and not stream.reading.bits and number < len(stream.names)
            name = stream.names.name(number) if known else None
        else:
            name = next((name for name, column in (self.features or {}).items() if column == number and isinstance(name, str)), None)
        if name is not None:
            error.args = (str(error).replace(f": feature {number} ", f": feature {one_line(repr(name))} ", 1),)
            error.feature = None  # it has its name

    def labels(self) -> tuple[Any, Any] | None:
        """The negative and the positive label as a user reads them; None for True and False."""
        both = None if self.two is None else self.two.both
        if both is not None or self.stream is None:
            return both
        reading = self.stream.reading
        return answers_of({"labels": reading.labels, "truths": reading.truths})

    def all_labels(self) -> ClassMap:
        """Of a stream of two classes that has brought a third label: all labels by their codes, from now on those of these rounds."""
        assert self.stream is not None and self.stream.codes is not None
        self.classes = self.stream.codes.classes
        return self.classes

    def tell(self, model: Any, top: int) -> None:
        """Tell a model that these rounds have made the names of their features, as far as played, and how they were read.

        `top` is the largest column that was met, -1 where there was none.
        """
        stream = self.stream
        if self.features is None:
            return
        features = FeatureMap(self.features)
        if stream is not None and stream.names is not None and not stream.reading.bits:
            for name in stream.names.names()[: model.columns]:
                features[name]
        model.features = features
        model.named = True if features else False if model.named is None and top >= 0 else model.named
        reading = self.reading if stream is None else stream.reading.as_json()
        model.reading = model.reading if reading is None else reading
        about: dict[str, Any] = {"labels": None, "width": self.width, **({} if self.rules is None else self.rules.as_json())}
        codes = None if stream is None else stream.codes
        if about["labels"] is None and model.kind == "two classes":
            both = self.labels() if codes is None else (codes.negative, codes.positive)
            about["labels"] = None if both is None else list(both)
        kept = {name: value for name, value in model.reading.items() if name not in OF_LABELS and about.get(name) is None}
        model.reading = kept | {name: value for name, value in about.items() if value is not None}

    def stated_labels(self) -> list | None:
        """The two labels as a certificate has them: those of a file always."""
        codes = None if self.stream is None else self.stream.codes
        both = unusual(self.labels()) if codes is None else (codes.negative, codes.positive)
        return None if both is None else list(both)


@dataclass(frozen=True)
class Choices:
    """How rounds are made of what the user has."""

    boolean: bool = False
    sample_weight: Any = None
    class_weight: LabelWeights | None = None
    ids: Any = None
    block_rows: int = 4096
    expand: int = 1  # of rows in memory: conjunctions of up to so many features are features too
    keys: Sequence[str] | None = None  # whose each round is, where no stream says it
    rules: LabelRules | None = None  # which labels may come; None where all have been let in already
    texts: dict[str, Any] | None = None  # how a list of texts is read, where the user says so


def counted(reading: Mapping[str, Any], text: str) -> dict[str, int]:
    """The words of a text, and what else is made of them, with their counts."""
    return bag(text, reading.get("ngrams") or 1, reading.get("version", 1), reading.get("chars", 0))


def row_of_text(reading: Mapping[str, Any], text: str) -> dict[Any, float]:
    """A text as its words with their counts, as a stream of texts is read.

    >>> row_of_text({"format": "text"}, "Free offer, free entry")
    {'free': 2.0, 'offer': 1.0, 'entry': 1.0}
    """
    bits, row = reading.get("bits"), dict[Any, float]()
    for word, times in counted(reading, text).items():
        key = word if not bits else hash64(word.encode("utf-8", "surrogatepass")) & (2**bits - 1)
        row[key] = 1.0 if reading.get("boolean") else row.get(key, 0.0) + times
    return row


def row_of_columns(reading: Mapping[str, Any], record: Mapping[str, Any]) -> dict[Any, float]:
    """A row of a table, a value for each of its columns, as its features.

    >>> row_of_columns({"format": "csv", "kinds": {"city": "categorical", "km": "numeric"}, "columns": ["city", "km"]}, {"city": "Rome"})
    {'city=Rome': 1.0}
    """
    how = Reading.from_json(dict(reading)).but(label=None)
    plain = {
        column: None if is_missing(value) else value.item() if isinstance(value, np.generic) else value for column, value in record.items()
    }
    try:
        groups = TableRows(how, list(how.kinds or {}), texts=False, path="the row", labelled=False).row(plain).groups
        return dict(zip(*FeatureRules.of(how).features(groups), strict=True))
    except Fault as fault:
        raise LittlestoneError(f"column {fault.column!r} is {fault.found}; expected {fault.expected}") from None


def with_conjunctions(reading: Mapping[str, Any], row: Any) -> Mapping[Any, float]:
    """A row in memory with the conjunctions of its features, as the rounds that made a model had them; one that has them stays as it is.

    >>> list(with_conjunctions({"expand": 2}, {"free", "offer"}))
    ['free', 'offer', 'free&offer']
    """
    joined = any(isinstance(name, str) and "&" in name for name in row)
    return (row if isinstance(row, Mapping) else dict.fromkeys(row, 1.0)) if joined else expanded(row, reading["expand"])


def rows_with_conjunctions(X: Any, k: int) -> list[dict[str, float]]:
    """Rows in memory with the conjunctions of up to k of their features: of dicts, sets, or a table of numbers that are 0 or 1."""
    require(
        not isinstance(X, Stream | Block), f"expand={k}: a stream makes its conjunctions as it is read; ls.open_stream(path, expand={k})"
    )
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        parts = np.split(np.stack([X.indices.astype(np.float64), X.data]), X.indptr[1:-1], axis=1)
        X = [{int(i): v for i, v in part.T.tolist()} for part in parts] if X.shape[0] else []
    elif isinstance(X, np.ndarray):
        X = [{i: v for i, v in enumerate(row) if v} for row in X.tolist()]
    named = isinstance(X, Sequence) and all(isinstance(row, Mapping | set | frozenset) for row in X)
    require(named, f"expand={k}: expected rows as dicts or sets of features, or a table of numbers that are 0 or 1")
    return [expanded(row, k) for row in X]


class DeclaredRows(list):
    """Rows in memory with what the user says of their columns."""

    def __init__(self, rows: Sequence[Any], declared: Reading) -> None:
        super().__init__(rows)
        self.declared = declared


COLUMN_KINDS = ("text", "time", "categorical", "numeric", "ignore")
OF_WORDS = ("ngrams", "chars")


def with_columns(X: Any, y: Any, **columns: Any) -> Any:
    """Return rows with what the user says of their columns, by one of COLUMN_KINDS or of OF_WORDS: of a frame, or of a list of dicts.

    >>> with_columns([{"id": "u7"}], None, ignore="id").declared.ignore
    ('id',)
    """
    for name in columns:
        if name not in (*COLUMN_KINDS, *OF_WORDS):
            raise TypeError(f"unexpected keyword argument {name!r}")
    chosen = {name: value for name, value in columns.items() if value}
    if not chosen:
        return X
    keyword, X = f"{next(iter(chosen))}={next(iter(chosen.values()))!r}", as_frame(X)
    require(not isinstance(X, Stream), f"{keyword}: a stream is read as it was opened: ls.open_stream(path, {keyword})")
    if hasattr(X, "__arrow_c_stream__") and not is_column(X):
        return FrameStream(X, Reading.of(**chosen), labelled=y is None)
    rows = isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping)
    require(rows, f"{keyword}: expected a frame or a list of dicts, whose columns have names; got {type(X).__name__}")
    return DeclaredRows(X, Reading.of(**chosen))


def as_rows(X: Any, model: Any, expand: int = 1, texts: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any] | None]:
    """Texts as rows of their words, and how these are read; rows of a table of the model's as their features; with conjunctions where they
    are asked for, or the model has them; anything else as it is."""
    X = listed(X)
    if expand != 1:
        require(model is None or model.reading.get("expand", 1) == expand, f"expand={expand}: the model was made of other features")
        return rows_with_conjunctions(X, expand), {"named": True, "expand": expand}
    if not (isinstance(X, Sequence) and not isinstance(X, str) and len(X)):
        return X, None
    reading = {} if model is None else model.reading
    if isinstance(X[0], Mapping | set | frozenset):
        declared = getattr(X, "declared", None)
        if model is not None:
            kept = f"the model keeps how its rows are read; leave out {', '.join((*COLUMN_KINDS[:-1], *OF_WORDS))} and {COLUMN_KINDS[-1]}"
            require(declared is None, kept)
            return [model.instance(row) for row in X], None
        known = reading_of_dicts(X, declared or Reading())
        return X, None if known is None else known.as_json()
    if not isinstance(X[0], str):
        return X, None
    require(not model or reading.get("format") == "text", "texts are for a model of texts, and this one was made from other rows")
    own = {name: (reading or {}).get(name) for name in texts or ()}
    require(not reading or own == (texts or {}), f"the model reads texts with {own}, and these are to be read with {texts}; leave that out")
    reading = reading or texts or Reading(format="text", named=True).as_json()
    return [row_of_text(reading, text) for text in X], reading


def rows_in_words(X: Any, model: Any, reading: dict[str, Any] | None) -> str:
    """Return what is made of each key of rows that are dicts; nothing of other rows, and where a model knows how they are read."""
    if model is not None or not isinstance(X, Sequence) or not len(X) or not isinstance(X[0], Mapping):
        return ""
    return dicts_in_words(X, None if reading is None else Reading.from_json(reading))


def dicts_of(model: Any) -> dict[str, Any] | None:
    """Return how a model reads dicts, where it knows more of them than their values say."""
    if model is None or DictRules.of(model.reading) == NO_RULES:
        return None
    about = (*OF_KEYS, *OF_WORDS, "by_value", "presence", "version")
    return {"format": "auto"} | {name: model.reading[name] for name in about if name in model.reading}


def width_of(X: Any, model: Any) -> int | None:
    """How many columns a table of numbers has; refused where the model's had another number. None for rows of any other form."""
    width = X.shape[1] if hasattr(X, "tocsr") or (isinstance(X, np.ndarray) and X.ndim == 2) else None
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], list | tuple | np.ndarray) and all(map(np.isscalar, X[0])):
        width = len(X[0])
    before = None if model is None else model.reading.get("width")
    require(None in (width, before) or width == before, f"the rows have {width} columns, and the model was made of rows with {before}")
    return width


def of_two_classes(model: Any, X: Any, y: Any, choices: Choices) -> Rounds:
    """Rounds whose labels are 1, 0 and -1 for none."""
    X, reading = as_rows(streamed(X, y), model, choices.expand, choices.texts)
    known = KnownNames.of(model, reading)
    two = TwoLabels({} if model is None else model.reading, choices.rules)
    width = width_of(X, model)
    source = source_of(X, y, choices.block_rows, two.bytes_of, known)
    by_label = two.weights(choices.class_weight)
    weigh = weighing(choices.sample_weight, by_label)
    stream = X if isinstance(X, Stream) else None
    blocks = lambda: _as_played(source.blocks(), choices, weigh)  # noqa: E731
    plain = weigh is None and choices.ids is None and choices.keys is None and not choices.boolean
    lent = source.lent if plain else None
    how: dict[str, Any] = {"two": two, "lent": lent, "rules": choices.rules, "width": width}
    how |= {"by_label": by_label, "sorts": known.sorts, "in_words": rows_in_words(X, model, reading), "of_dicts": dicts_of(model)}
    return Rounds(blocks, source.columns, source.again, False, stream, known.columns, None, reading, **how)


def of_several_classes(model: Any, X: Any, y: Any, choices: Choices) -> Rounds:
    """Rounds whose labels are numbered as they appear; those of a model keep their numbers."""
    X, reading = as_rows(streamed(X, y), model, choices.expand, choices.texts)
    classes = ClassMap()
    for label in () if model is None else model.classes:
        classes.code(label)
    known = KnownNames.of(model, reading)
    width = width_of(X, model)
    source = source_of(X, y, choices.block_rows, partial(classes.of_rounds, rules=choices.rules), known)
    carried = isinstance(X, Block) or (y is None and not isinstance(X, Stream))  # blocks that bring codes of their own
    by_label = weights_of(choices.class_weight, classes)
    weigh = weighing(choices.sample_weight, by_label)

    def blocks() -> Iterator[Block]:
        rows = X.lent_blocks(classes) if isinstance(X, Stream) and y is None else source.blocks()
        if carried:
            rows = (replace(block, labels=recoded(block.labels, classes)) for block in rows)
        return _as_played(rows, choices, weigh)

    stream = X if isinstance(X, Stream) else None
    how: dict[str, Any] = {"rules": choices.rules, "width": width, "by_label": by_label, "sorts": known.sorts}
    how |= {"in_words": rows_in_words(X, model, reading), "of_dicts": dicts_of(model)}
    return Rounds(blocks, source.columns, source.again, False, stream, known.columns, classes, reading, **how)


def of_advice(rule: Any, X: Any, y: Any, choices: Choices) -> Rounds:
    """Rounds of advice: a table of rounds × experts, NaN where an expert is asleep, and the truths (none when the advice is losses)."""
    plain = choices.sample_weight is None and choices.class_weight is None
    require(plain, f"{rule.name} {WEIGHTS_OF_RULES}")
    if isinstance(X, Advice):
        require(y is None, "the advice carries its own truths; y must be left out")
        return _of_table(X.table, X.truth, choices) if X.forecasts is None else Rounds(lambda: iter([X]), X.table.shape[1], True, True)
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], Advice):
        require(y is None, "the advice carries its own truths; y must be left out")
        return Rounds(lambda: iter(X), X[0].table.shape[1], again=True, repeatable=True)
    if hasattr(X, "advices"):  # a table of experts

        def advices() -> Iterator[Advice]:
            for advice, forecasts, outcomes in X.advices():
                yield replace(advice, forecasts=forecasts, outcomes=outcomes, scale=X.reading.scale or 1.0)

        return Rounds(advices, len(X.names), repeatable=True)
    if not isinstance(X, np.ndarray):
        try:
            X = np.asarray(X, dtype=np.float64 if rule.gradient else np.float32)
        except (TypeError, ValueError):
            raise LittlestoneError("advice must be a table of numbers, rounds × experts, NaN where an expert is asleep") from None
    require(
        X.ndim == 2 and X.shape[1] >= 1 and X.dtype.kind in "biuf",
        f"advice has shape {X.shape} and type {X.dtype}; expected numbers, rounds × experts",
    )
    if rule.gradient:
        outcomes = np.full(len(X), np.nan) if y is None else np.asarray(y, np.float64)
        require(outcomes.shape == (len(X),), f"{rule.name} is told forecasts and what came true: one number for each of {len(X)} rounds")
        require(not np.isinf(X).any() and not np.isinf(outcomes).any(), "forecasts and outcomes must be finite numbers, or NaN")
        return of_advice(rule, Advice.of_forecasts(rule, X, outcomes), None, choices)
    if rule.advice == "loss":
        require(y is None, "the advice is losses: there is no truth to tell")
        return _of_table(X, np.zeros(len(X), np.int32), choices)
    require(y is not None, f"{rule.name} learns from the truth of each round: ls.play(rule, advice, truth)")
    return _of_table(X, TwoLabels(rules=LabelRules(), of_votes=True).of_rounds(y, len(X)), choices)


WEIGHTS_OF_RULES = (
    "takes advice and truths alone: its theorems are about losses between 0 and 1, and a round of weight c would lose c; "
    "give losses that are weighted already (advice='loss')"
)


def _of_table(table: np.ndarray, truth: np.ndarray, choices: Choices) -> Rounds:
    copied = table.dtype != np.float32 or not table.flags.c_contiguous
    # so much at a time that what is done in Python weighs nothing: eight megabytes of copies, 128 of a table as it is
    size = max(1, 2 ** (21 if copied else 25) // table.shape[1])
    ids = None if choices.ids is None else list(choices.ids)

    def advices() -> Iterator[Advice]:
        for start in range(0, len(table), size):
            rows = slice(start, start + size)
            named = None if ids is None else ids[rows]
            yield Advice(np.ascontiguousarray(table[rows], np.float32), truth[rows], start, named)

    return Rounds(advices, table.shape[1], again=True, repeatable=True)


SOURCES: dict[str, Callable[[Any, Any, Any, Choices], Rounds]] = {"two classes": of_two_classes, "several classes": of_several_classes}


def rounds_for(learner: Any, model: Any, X: Any, y: Any, choices: Choices) -> Rounds:
    """The rounds that a learner is to play; `model` is the one it goes on from."""
    require(choices.block_rows >= 1, f"block_rows={choices.block_rows!r} must be at least 1")
    return of_advice(learner, X, y, choices) if learner.kind == "advice" else SOURCES[learner.kind](model, X, y, choices)


def _as_played(blocks: Any, choices: Choices, weigh: Callable[[Block, int], Block] | None) -> Iterator[Block]:
    """The blocks as a learner gets them: presence for value where that was asked for, with their weights and ids."""
    start, ids, keys = 0, None if choices.ids is None or choices.ids is True else list(choices.ids), choices.keys
    for block in blocks:
        if choices.boolean:
            block = block.presence(any_value=True)
        if ids is not None:
            require(
                len(ids) >= start + len(block), f"ids has {len(ids)} entries; expected one for each of at least {start + len(block)} rounds"
            )
            block = replace(block, ids=[None if name is None else str(name) for name in ids[start : start + len(block)]])
        if keys is not None:
            expected = f"expected one for each of at least {start + len(block)} rounds"
            require(len(keys) >= start + len(block), f"key has {len(keys)} entries; {expected}")
            block = replace(block, keys=Owners(list(keys[start : start + len(block)])))
        yield weigh(block, start) if weigh else block
        start += len(block)
    require(keys is None or len(keys) == start, f"key has {len(keys or ())} entries; expected one for each of {start} rounds")


def recoded(labels: np.ndarray, classes: ClassMap) -> np.ndarray:
    """The labels of a user's own Block, -1 for none and any other number for a class, as codes in order of appearance."""
    codes = np.full(len(labels), -1, np.int32)
    codes[labels != -1] = classes.of(labels[labels != -1])
    return codes


def weights_of(class_weight: LabelWeights | None, classes: ClassMap) -> Callable[[], np.ndarray] | None:
    """A weight for each class there is so far, and 1 for rounds without a label."""
    if class_weight is None:
        return None
    known = require_mapping(class_weight)

    def by_class() -> np.ndarray:
        for label in known if type(known) is dict else ():
            require(
                kind_of(label) == classes.kind or not classes.kind,
                f"class_weight has {label!r}, {kind_of(label)}, and the labels are {classes.kind}",
            )
        return np.array([*(known.get(label, 1) for label in classes), 1], dtype=np.float64)

    return by_class
