"""How rounds are made of a file: every choice, declared by the user or settled at the beginning of the stream.

It is kept in model files, so that prediction reads as learning did, and in certificates, so that a stranger reads what was played.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Self

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.formats import FORMATS, format_named
from littlestone.rounds.times import EXPECTED, moment_of

BLANKS = " \t\r\n"  # around a cell or a label they are no part of it
MISSING_ONCE = frozenset(("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"))  # in readings of version 1, and in tables of experts
MISSING = MISSING_ONCE | {"?"}
KINDS = ("numeric", "categorical", "text", "time", "vector", "items", "map")
LOOK_ROWS = 1_000  # what is guessed is guessed from this many rows
#: Of what a file means. In the first a missing cell gave nothing, "?" was a value like others, and marks were no words of texts.
#: In the second dates were categories, and so were identifiers. A reading without a version is of the first.
VERSION = 3
#: Of what a row is. In the first its features stood in the order of the row, zeros among them. Now features with value 0 are none, names
#: that are new in a row are numbered in UTF-8 order, and the features of a row are sorted by number. A file that does not say it is of the
#: first.
ROW_VERSION = 2
#: ReadingBase that are about the columns of tables.
COLUMN_CHOICES = ("text", "categorical", "numeric", "time", "bins", "header", "delimiter", "quotes", "weight", "key")
KEPT = (
    "bits",
    "boolean",
    "sum_duplicates",
    "names",
    "named",
    "version",
    "cost",
    "class_weight",
)  # for a file whose features are made already

Label = float | str


COST = (
    "FP:FN, what a false positive and a false negative cost: two numbers above 0, such as 1:4; "
    "of several classes TRUE:SAID=COST,... or a CSV file of a matrix"
)


def is_weight(value: Any) -> bool:
    """Is it a number above 0?"""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf


def repeated(names: Iterable[Any]) -> Any:
    """Return the first name that has stood before; None where all are different.

    >>> repeated(["a", "b", "a"]), repeated(["a", "b"])
    ('a', None)
    """
    before = set()
    for name in names:
        if name in before:
            return name
        before.add(name)
    return None


def as_label(label: Any) -> Label:
    """A number where it is one.

    >>> as_label("1"), as_label(" spam")
    (1.0, 'spam')
    """
    try:
        return float(label)
    except ValueError:
        return str(label).strip(BLANKS)


ANY = "any"


def label_choices(labels: Any) -> dict[str, Any]:
    """The labels that a user declares, as fields of a reading: several of them, "ham,spam", "@FILE" with one a line, or "any".

    >>> label_choices("ham,spam")
    {'labels': ('ham', 'spam'), 'declared': True, 'any_labels': False}
    >>> label_choices("any"), label_choices(None)
    ({'labels': None, 'declared': False, 'any_labels': True}, {})
    """
    if labels is None:
        return {}
    if isinstance(labels, str):
        if labels.strip() == ANY:
            return {"labels": None, "declared": False, "any_labels": True}
        labels = labels_in_file(labels[1:]) if labels.startswith("@") else label_set(labels.split(","), repr(labels))
    require(isinstance(labels, Iterable), f"labels={labels!r}: expected several labels, 'any', or '@FILE'")
    plain = [label.item() if hasattr(label, "item") else label for label in labels]
    texts = [label.strip(BLANKS) if isinstance(label, str) else label for label in plain]
    return {"labels": tuple(texts), "declared": True, "any_labels": False}


def label_set(texts: Iterable[str], source: str) -> tuple[Label, ...]:
    """Labels that are written as text: numbers where all of them are.

    >>> label_set(["0", "1"], "0,1"), label_set(["ham", " spam"], "ham, spam"), label_set(["1", "2", "other"], "1,2,other")
    ((0.0, 1.0), ('ham', 'spam'), ('1', '2', 'other'))
    """
    parts = [text.strip(BLANKS) for text in texts]
    require(all(parts) and len(parts) >= 2, f"--labels {source}: expected two labels or more, such as 0,1 or ham,spam; @FILE; or any")
    kinds = list(map(as_label, parts))
    twice = next((part for k, part in enumerate(parts) if kinds[k] in kinds[:k]), None)
    require(twice is None, f"--labels {source}: {twice!r} stands there twice; expected each label once")
    return tuple(parts if any(isinstance(kind, str) for kind in kinds) else kinds)


def labels_in_file(path: str) -> tuple[Label, ...]:
    """The labels of a file that has one a line; empty lines are left out."""
    try:
        lines = [line.strip() for line in Path(path).read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise LittlestoneError(f"--labels @{path}: cannot be read ({getattr(error, 'strerror', None) or 'it is no UTF-8 text'})") from None
    return label_set(filter(None, lines), f"@{path}")


def cost_of(text: Any) -> tuple[float, float]:
    """`1:4` as two numbers.

    >>> cost_of("1:4"), cost_of((1, 2.5))
    ((1.0, 4.0), (1.0, 2.5))
    """
    try:
        first, second = map(float, text.split(":") if isinstance(text, str) else text)
    except (TypeError, ValueError):
        raise LittlestoneError(f"cost {text!r}: expected {COST}") from None
    require(is_weight(first) and is_weight(second), f"cost {text!r}: expected {COST}")
    return first, second


class ReadingBase:
    """How something is read: what readings of streams and of tables of experts have in common."""

    latest: ClassVar[int] = 1  # version of what a file means
    delimiter: str | None
    version: int

    def __post_init__(self) -> None:
        known = type(self.version) is int and 1 <= self.version <= self.latest
        expected = f"expected at most {self.latest}: it was made by a newer release"
        require(known, f"version={self.version!r} of a reading is not known; {expected}")
        fits = self.delimiter is None or (len(self.delimiter) == 1 and self.delimiter.isascii())
        require(fits, f"delimiter={self.delimiter!r}: expected one character of ASCII, such as ';'")

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)  # type: ignore[type-var]

    def as_json(self) -> dict[str, Any]:
        """Plain values; what is not as usual, and the format."""
        usual = asdict(type(self)()) | {"version": 1}  # type: ignore[call-overload]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()  # type: ignore[call-overload]
            if name == "format" or value != usual[name]
        }


OF_EVENTS = ("text", "time", "categorical", "numeric", "ignore", "ngrams", "chars")


def reading_of_events(columns: Mapping[str, Any], *, presence: bool) -> dict[str, Any]:
    """Return how a model reads events that are dicts, with what the user says of their keys, as it is kept.

    >>> reading_of_events({"text": "note"}, presence=False)
    {'text': ['note'], 'by_value': True, 'version': 3}
    """
    for name in columns:
        if name not in OF_EVENTS:
            raise TypeError(f"start() got an unexpected keyword argument {name!r}")
    reading = Reading.of(**columns, by_value=True, presence=presence)
    refuse_two_kinds(reading)
    return {name: value for name, value in reading.as_json().items() if name != "format"}  # events have none


@dataclass(frozen=True)
class Reading(ReadingBase):
    """The choices; docs/formats.md says what each does. Fields that hold columns are tuples of their names."""

    latest = VERSION
    format: str = "auto"
    label: str | None = None  # a column, or a test such as "delay>15"
    label_threshold: float | None = None  # the label is a number, and positive above this; settled into such a test
    labels: tuple[Label, ...] | None = None  # negative, positive; of several classes those that were declared
    declared: bool = False  # were these declared, so that no other may come? Models of earlier releases do not say
    truths: bool = False  # are these two the truth values of a column that holds such?
    any_labels: bool = False  # did the user say that any label may come, and at any time?
    weight: str | None = None
    cost: tuple[float, float] | None = None  # what a false positive costs, and a false negative: rounds with label 0, and 1, weigh so much
    class_weight: Mapping[str, float] | None = None  # label: how much its rounds weigh; 1 where it is not there
    id: str | None = None
    key: str | None = None  # the column that says whose round it is: each key has a learner of its own
    key_is_feature: bool = False  # does that column give features too?
    only: str | None = None  # the one key whose rounds are read
    bits: int | None = None
    ngrams: int = 1
    chars: int = 0  # of texts: so many characters in a row of a word are features, too
    cross: tuple[str, ...] = ()
    expand: int = 1  # conjunctions of up to so many features are features too
    boolean: bool = False
    text: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    bins: int | Mapping[str, int] | None = None
    header: bool | None = None
    delimiter: str | None = None
    quotes: bool | None = None  # may cells of csv and tsv stand in quotes? A settled reading that does not say so is of old: they may
    encoding: str = "utf-8"
    sum_duplicates: bool = False
    names: bool = False  # keep every feature by its name, also where all are numbers
    # settled at the beginning of the stream:
    named: bool | None = None  # do features have names, or are they numbers?
    width: int | None = None  # of rows in memory: how many columns their table has
    columns: tuple[str, ...] | None = None  # of a table
    kinds: Mapping[str, str] | None = None  # column: one of KINDS, for those that give features
    edges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # column: where its bins end
    times: Mapping[str, str] = field(default_factory=dict)  # column of dates: the moment in its first row, from which days are counted
    identifiers: tuple[str, ...] = ()  # columns that are left out because each row has a code of its own there
    by_value: bool = False  # of events, which had no first rows: does each value say by itself whether it is a time, or words?
    presence: bool = False  # of events: are words there or not, as the learner takes no larger numbers, and not counted?
    version: int = VERSION  # of what a file means

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.format in ("auto", *FORMATS), f"format={self.format!r} is not known; expected auto, {', '.join(FORMATS)}")
        require(
            self.labels is None or 2 <= len(self.labels) == len(set(self.labels)),
            f"labels={self.labels!r}: expected two labels or more, each once (of two the negative one first), 'any', or '@FILE'",
        )
        if self.cost is not None:
            require(len(self.cost) == 2 and all(map(is_weight, self.cost)), f"cost={self.cost!r}: expected {COST}")
        for label, weight in (self.class_weight or {}).items():
            require(is_weight(weight), f"class_weight of {label!r} is {weight!r}; expected a number above 0")
        whole = self.bits is None or (type(self.bits) is int and 1 <= self.bits <= 31)
        require(whole, f"bits={self.bits!r}: expected a whole number from 1 to 31")
        require(type(self.ngrams) is int and 1 <= self.ngrams <= 16, f"ngrams={self.ngrams!r}: expected a whole number from 1 to 16")
        whole = type(self.chars) is int and (self.chars == 0 or 2 <= self.chars <= 16)
        require(whole, f"chars={self.chars!r}: expected a whole number from 2 to 16, or 0 for none")
        require(type(self.expand) is int and 1 <= self.expand <= 8, f"expand={self.expand!r}: expected a whole number from 1 to 8")
        if self.expand > 1:
            require(
                self.bits is None, f"expand={self.expand!r} with bits={self.bits!r}: conjunctions are made of names, and hashes have none"
            )
            object.__setattr__(self, "names", True)  # numbers are names here, as "3&17" is one
        for cross in self.cross:
            parts = cross.split("*")
            require(len(parts) >= 2 and all(parts), f"cross={cross!r}: expected columns with a star between them, such as 'origin*carrier'")
        for column, first in self.times.items():
            require(moment_of(first) is not None, f"times={first!r} of {column!r}: expected {EXPECTED}")
        for column, kind in (self.kinds or {}).items():
            require(kind != "time" or column in self.times, f"kinds: {column!r} has times, and no first one to count days from")
        for column, k in self.bins.items() if isinstance(self.bins, Mapping) else [("", self.bins)] if self.bins is not None else []:
            require(type(k) is int and k >= 1, f"bins={k!r}{column and f' of {column!r}'}: expected a whole number of at least 1")

    @classmethod
    def of(cls, **choices: Any) -> Self:
        """From keywords; one column may be given as text instead of a tuple."""
        for name in ("cross", "text", "categorical", "numeric", "time", "ignore"):
            value = choices.get(name)
            if value is not None:
                choices[name] = (value,) if isinstance(value, str) else tuple(value)
        choices |= label_choices(choices.get("labels"))
        if choices.get("cost") is not None:
            choices["cost"] = tuple(choices["cost"])
        return cls(**{name: value for name, value in choices.items() if value is not None})

    def with_threshold(self) -> Self:
        """The reading whose label is tested, where it is a number that makes two classes."""
        if self.label_threshold is None:
            return self
        number = repr(float(self.label_threshold)).removesuffix(".0")
        return self.but(label=f"{self.label or ''}>{number}", label_threshold=None)

    @property
    def settled(self) -> bool:
        """Is everything known that the beginning of a stream has to say?"""
        return self.format != "auto" and self.named is not None and (self.kinds is not None or not format_named(self.format).is_table)

    @property
    def marks_missing(self) -> bool:
        """Does a missing cell give a feature that says so? (A key that a line of JSON leaves out is no cell.)"""
        return self.version >= 2

    @property
    def knows_times(self) -> bool:
        """True if dates and identifiers are told from categories."""
        return self.version >= 3

    @property
    def of_dicts(self) -> bool:
        """True if this is how dicts are read, where something is known of their keys."""
        declared = any((self.times, self.identifiers, self.ignore, self.categorical, self.numeric, self.text, self.by_value))
        return self.format == "auto" and self.kinds is None and declared

    @property
    def missing(self) -> frozenset[str]:
        """The texts that mean that a cell is missing."""
        return MISSING if self.version >= 2 else MISSING_ONCE

    @property
    def by_name(self) -> bool:
        """Do features have names, or are they hashed?"""
        return self.bits is not None or self.named is not False

    @property
    def adds_up(self) -> bool:
        """Is a feature that stands twice in a row summed?"""
        return self.sum_duplicates or self.bits is not None

    def choices(self) -> dict[str, Any]:
        """What is not as usual."""
        usual = type(self)()
        names = [choice.name for choice in fields(self)]
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(usual, name)}

    def chosen(self, names: Iterable[str]) -> dict[str, Any]:
        """These fields."""
        return {name: getattr(self, name) for name in names}

    def of_converted(self, format: str) -> Self:
        """The reading of a file that `convert` made of this one's stream: its features are made already."""
        labels, kept = self.labels, self.chosen(KEPT)
        if format_named(format).plain_labels and any(isinstance(label, str) for label in labels or ()):
            if self.class_weight:
                kept["class_weight"] = dict(zip(("-1", "1"), self.weights_of(labels or ()), strict=True))
            labels = -1.0, 1.0  # such formats hold numbers, and convert writes these
        return type(self)(format=format, labels=labels, **kept)

    def weights_of(self, labels: Sequence[Label]) -> list[float]:
        """How much the rounds with each of these labels weigh; of two, the negative comes first.

        >>> Reading(cost=(1, 4), class_weight={"spam": 2}).weights_of(("ham", "spam")), Reading().weights_of((0.0, 1.0))
        ([1.0, 8.0], [1.0, 1.0])
        """
        by_label = {as_label(label): float(weight) for label, weight in (self.class_weight or {}).items()}
        known = list(map(as_label, labels))
        if strange := [label for label in by_label if label not in known and len(labels) == 2]:
            texts = [repr(int(label) if isinstance(label, float) and label.is_integer() else label) for label in (strange[0], *known)]
            raise LittlestoneError(f"class_weight has {texts[0]}; expected a label of the stream, {texts[1]} or {texts[2]}")
        weights = [by_label.get(label, 1.0) for label in known]
        if self.cost is not None:
            require(
                len(labels) == 2,
                f"cost={self.cost!r} is about two labels, and the stream has more; of these a matrix of costs says what each error costs",
            )
            weights = [weight * float(cost) for weight, cost in zip(weights, self.cost, strict=True)]
        return weights

    def as_json(self) -> dict[str, Any]:
        plain = super().as_json()
        if self.format in ("libsvm", "vw"):
            plain.pop("version", None)  # these mean the same in each
        if plain.get("edges"):
            plain["edges"] = {column: list(ends) for column, ends in self.edges.items()}
        return plain

    def stated(self) -> dict[str, Any]:
        """The same as a certificate has it: how rows are read, and not which labels may come in other streams."""
        return {name: value for name, value in self.as_json().items() if name not in ("declared", "truths", "width")}

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """What `as_json` wrote; anything else is refused.

        >>> Reading.from_json(Reading(format="csv", label="late", kinds={"hour": "numeric"}).as_json()).label
        'late'
        """
        require(isinstance(plain, dict), f"a reading is an object, not {plain!r}")
        known = {choice.name for choice in fields(cls)}
        for name in plain:
            require(name in known, f"a reading has no {name!r}")
        choices: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
        choices.setdefault("version", 1 if "format" in choices else VERSION)  # one without a format is that of rows in memory
        try:
            if "edges" in choices:
                choices["edges"] = {str(column): tuple(map(float, ends)) for column, ends in choices["edges"].items()}
            return cls(**choices)
        except (TypeError, ValueError, AttributeError) as error:
            raise LittlestoneError(f"this is no reading: {error}") from None


def refuse_two_kinds(reading: Reading, where: str = "", path: str = "") -> None:
    """Refuse a column of which two kinds are declared."""
    kinds: dict[str, str] = {}
    for kind in ("numeric", "categorical", "text", "time", "ignore"):
        for name in getattr(reading, kind):
            if kinds.setdefault(name, kind) != kind:
                both = f"--{kinds[name]} {name} and --{kind} {name} ({kinds[name]}=, {kind}=)"
                raise LittlestoneError(f"{where}{both}: a column has one kind; leave one of them out", path=path)
