"""From what stands in a row to the round that was played: numbers, labels, crosses, hashing, sums.

This is the definition. It is slow, and meant to be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from itertools import combinations, product
from math import comb, inf, isfinite, isnan, prod
from numbers import Real
from operator import eq, ge, gt, le, lt, ne
from struct import Struct, pack, unpack
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.faults import ONCE, UTF8, Fault
from littlestone.rounds.reading import BLANKS, MISSING, VERSION, Label, Reading
from littlestone.rounds.times import EXPECTED, ClockTime, features_of_time, moment_of

FLOAT = Struct("<f")
LARGEST = FLOAT.unpack(b"\xff\xff\x7f\x7f")[0]
LARGEST_INDEX = 2**31 - 1
NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+")  # possessive: digits are not tried in every way
LABEL_COLUMNS = ("label", "y", "target", "class")  # a column so called is the label, where nothing is said
CANONICAL = re.compile(r"0|[1-9][0-9]{0,9}")
WORD = re.compile(r"\w+")
QUIET = re.escape(".,'\"()/*+-<=>[\\]^`{|}~’‘“”–—")  # marks that say little where they stand alone
MARK = r"[^\w\s\x00-\x1f\x7f]"
TOKEN = re.compile(rf"\w+|{MARK}{{2,}}|(?![{QUIET}]){MARK}")  # a word, some marks, or one that says something
USUAL_VALUES = {int, float, bool}  # of rows in memory
WORD64, FACTOR, SEED = 2**64 - 1, 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15
SIGN = re.compile(r">=|<=|!=|>|<|=")
SIGNS: dict[str, Any] = {">=": ge, "<=": le, "!=": ne, ">": gt, "<": lt, "=": eq}

Features = list[tuple[str, float]]


class PlainRow(NamedTuple):
    """A row as it is written: features in groups, one for each column or namespace, in the order in which they stand."""

    label: Label | None
    weight: float
    id: str | None
    groups: list[tuple[str, Features]]
    converted: bool = False  # does it stand in a file that `convert` wrote?
    key: str | None = None  # whose round it is, where each key has a learner of its own


# ---- numbers ----


def narrow(value: float, column: int | str | None = None) -> float:
    """The nearest float32; a fault where there is none."""
    if not abs(value) <= LARGEST:
        raise Fault(column, value, f"a number of size at most {LARGEST:.6g}" if value == value else "a finite number")
    return FLOAT.unpack(FLOAT.pack(value))[0]


def narrowed(features: Features, column: str | None = None) -> Features:
    """The same for the values of several features, all at once: rows may be long."""
    values = [value for _, value in features]
    if not values or not -LARGEST <= min(values) <= max(values) <= LARGEST or not all(map(isfinite, values)):
        return [(name, narrow(value, column)) for name, value in features]
    small = unpack(f"<{len(values)}f", pack(f"<{len(values)}f", *values))
    return [(name, value) for (name, _), value in zip(features, small, strict=True)]


def number_in(text: str, column: int | str | None, expected: str) -> float:
    """The number that a text is; a fault where it is none, or too large for a float32."""
    if not NUMBER.fullmatch(text):
        raise Fault(column, text or "nothing", expected)
    value = float(text)
    if not abs(value) <= LARGEST:
        raise Fault(column, text, f"a number of size at most {LARGEST:.6g}")
    return value


def number_of(value: Any) -> float:
    """The double nearest to a number; infinity where it is beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def written(value: Any) -> str:
    """A value as a name takes it.

    >>> written(5.0), written(0.5), written(7), written(True), written(" so ")
    ('5', '0.5', '7', 'true', ' so ')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


# ---- labels ----


def label_of(value: Any) -> Label | None:
    """A label: a number where it is one, else text; None where there is none.

    >>> label_of("+1"), label_of(" ham "), label_of(True), label_of("")
    (1.0, 'ham', 'true', None)
    """
    if value is None or isinstance(value, bool):
        return None if value is None else written(value)
    if isinstance(value, int | float | Decimal):
        return number_of(value) if value == value else None
    text = written(value).strip(BLANKS)
    return float(text) if NUMBER.fullmatch(text) else text or None


class Condition:
    """A test that makes a label of a value: 1.0 where it holds, else 0.0.

    >>> Condition("=", "3").of(3.0), Condition("!=", "spam").of("ham"), Condition(">", "15").of(15.0)
    (1.0, 1.0, 0.0)
    """

    def __init__(self, sign: str, value: str, label: str = "") -> None:
        self.sign, self.text, self.value = sign, f"{sign}{value}", label_of(value)
        self.ordered = sign not in ("=", "!=")
        require(not self.ordered or isinstance(self.value, float), f"label={label or self.text!r}: expected a number after {sign}")

    def of(self, label: Label) -> float:
        if isinstance(label, str) is not isinstance(self.value, str):
            if self.ordered:
                raise Fault(0, label, f"a number, to be tested with {self.text}")
            return float(self.sign == "!=")
        return float(SIGNS[self.sign](label, self.value))


def target_of(label: str | None, columns: Sequence[str] | None) -> tuple[str, Condition | None]:
    """The column of the label, and the test that makes a label of it, if there is one. Line formats have the column "" alone.

    >>> target_of("delay>15", ["delay", "hour"])[0], target_of("a=b", ["a", "a=b"])
    ('delay', ('a=b', None))
    """
    if columns is None:
        sign = SIGN.match(label or "")
        require(
            not label or sign,
            f"label={label!r}: the lines of this format begin with their label, so there is no column to choose; expected a test of it, "
            "such as '=3' or '>0.5'",
        )
        return "", Condition(sign[0], (label or "")[sign.end() :]) if sign else None
    if label is None:
        usual = usual_label(columns)
        if usual is not None:
            return usual, None
        raise LittlestoneError(f"which column is the label? There are {', '.join(map(repr, columns))}")
    if label in columns:
        return label, None
    for sign in SIGN.finditer(label):
        column, value = label[: sign.start()].strip(), label[sign.end() :].strip()
        if column in columns:
            return column, Condition(sign[0], value, label)
    raise LittlestoneError(f"label={label!r}: there is no such column; there are {', '.join(map(repr, columns))}")


def usual_label(columns: Sequence[str], apart: Collection[str] = ()) -> str | None:
    """The column that is the label where nothing is said; `apart` are those that are something else.

    >>> usual_label(["hour", "Class"])
    'Class'
    """
    for name in LABEL_COLUMNS:
        alike = [column for column in columns if column.lower() == name and column not in apart]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


class Several(tuple):
    """The labels of several classes, in the order in which they appear: a round has the number of its class."""


class Labels:
    """The labels of a certificate. A converted file may hold -1 and 1 where two are text: some formats take numbers alone."""

    def __init__(self, labels: Sequence[Any], converted: bool = False) -> None:
        self.classes = {label_of(label): code for code, label in enumerate(labels)} if isinstance(labels, Several) else None
        if self.classes is not None:
            return
        self.negative, self.positive = map(label_of, labels)
        self.numbers = converted and any(isinstance(label, str) for label in (self.negative, self.positive))

    def of(self, label: Label | None) -> Any:
        if label is None:
            return None
        if self.classes is not None:
            return self.classes.setdefault(label, len(self.classes))  # one that is not named gets a number that no class has
        if label in (self.negative, self.positive):
            return label == self.positive
        if self.numbers and label in (1.0, 0.0, -1.0):
            return label == 1.0
        raise Fault(0, f"label {written(label)}", f"{written(self.negative)} or {written(self.positive)}, as the certificate says")


# ---- names ----


def hash64(name: bytes) -> int:
    """The hash of a name, of 64 bits.

    >>> f"{hash64(b''):x}", f"{hash64(b'free'):x}", f"{hash64(b'nine byte'):x}"
    ('4d0a2bbe78b92ab1', '93e2c037e55a23fb', 'ca755f741d14fbdc')
    """
    h = SEED ^ len(name)
    for at in range(0, len(name), 8):
        h = ((h ^ int.from_bytes(name[at : at + 8], "little")) * FACTOR) & WORD64
        h ^= h >> 32
    h = (h * FACTOR) & WORD64
    return h ^ (h >> 32)


def is_index(name: str) -> bool:
    """Is it a whole number from 0 to 2^31-1, without leading zeros?"""
    return bool(CANONICAL.fullmatch(name)) and int(name) <= LARGEST_INDEX


def words_in(text: str, version: int = VERSION) -> list[str]:
    """The words of a text, in the order in which they stand. Before the second version of a reading marks were none.

    >>> words_in("Well, I'm off :) Coming?!"), words_in("Coming?", 1)
    (['well', 'i', 'm', 'off', ':)', 'coming', '?!'], ['coming'])
    """
    return (TOKEN if version >= 2 else WORD).findall(text.lower())


def bag(text: str, ngrams: int, version: int = VERSION, chars: int = 0) -> dict[str, int]:
    """Words and n-grams with their counts: words first, each in the order of first appearance; last every `chars` characters in a row of a
    word, which begins with < and ends with >.

    >>> bag("To be or not to be", 2)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1, 'to be': 2, 'be or': 1, 'or not': 1, 'not to': 1}
    >>> bag("to go", 1, chars=3)
    {'to': 1, 'go': 1, '~<to': 1, '~to>': 1, '~<go': 1, '~go>': 1}
    """
    words = words_in(text, version)
    counts: dict[str, int] = {}
    for n in range(1, ngrams + 1):
        for at in range(len(words) - n + 1):
            name = " ".join(words[at : at + n])
            counts[name] = counts.get(name, 0) + 1
    for word in (f"<{word}>" for word in words) if chars else ():
        for at in range(max(1, len(word) - chars + 1)):
            name = f"~{word[at : at + chars]}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def missing_name(column: str) -> str:
    """The feature of a row that has nothing in this column."""
    return f"{column} is missing"


def is_nan(value: Any) -> bool:
    """Is it a number, Python's or numpy's, that is none?"""
    return isinstance(value, Real) and value != value


def is_nothing(value: Any) -> bool:
    """Return whether a value says that there is none: None, NaN, NaT, or what pandas has for these.

    >>> is_nothing(None), is_nothing(float("nan")), is_nothing(0), is_nothing("")
    (True, True, False, False)
    """
    if value is None or is_nan(value) or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return type(value).__name__ == "datetime64" and bool(value != value)


def may_have_nan(values: Iterable[float]) -> bool:
    """Is NaN among them, or are they so large that one has to look at each?"""
    try:
        return isnan(sum(values))
    except OverflowError:
        return True


OF_KEYS = ("times", "identifiers", "ignore", "categorical", "numeric", "text", "time")  # fields of a reading that are about keys of dicts
TEXT_WORDS = 4  # a column is text with at least so many words a cell on average, and a value that stands for itself with so many words


class DictRules(NamedTuple):
    """What the first rows, or the user, say of the keys of rows that are dicts.

    The others go by each value: a number stands for itself, and a text is a name. `by_value`, of events, for which there were no first
    rows, also takes a date or a date-time as time, and a text of TEXT_WORDS words or more, or of the key "text", as words.
    """

    kinds: Mapping[str, str]  # key: "time", "text", "left out", "categorical" or "numeric"
    first_times: Mapping[str, ClockTime]  # key of times: the moment that days are counted from, where one is known
    ngrams: int = 1
    chars: int = 0
    version: int = VERSION
    by_value: bool = False
    presence: bool = False  # are the words of an event there or not, and not counted?

    @classmethod
    def of(cls, reading: Mapping[str, Any] | None) -> DictRules:
        """Return the rules of a kept reading of dicts; none where it is that of a file.

        >>> DictRules.of({"format": "auto", "identifiers": ["id"], "text": ["note"]}).kinds
        {'note': 'text', 'id': 'left out'}
        """
        by_value, presence = (bool((reading or {}).get(name)) for name in ("by_value", "presence"))
        choices = {name: value for name in (*OF_KEYS, "ngrams", "chars", "version") if (value := (reading or {}).get(name))}
        if not (by_value or any(name in choices for name in OF_KEYS)) or (reading or {}).get("format", "auto") != "auto":
            return NO_RULES
        how = Reading.from_json(choices)
        kinds = {key: kind for kind in ("categorical", "numeric", "text", "time") for key in getattr(how, kind)}
        times = {key: first for key, text in how.times.items() if (first := moment_of(text)) is not None}
        kinds |= {**dict.fromkeys(times, "time"), **dict.fromkeys((*how.identifiers, *how.ignore), "left out")}
        return cls(kinds, times, how.ngrams, how.chars, how.version, by_value, presence)

    def kind_of(self, key: Any, value: Any) -> str | None:
        """Return how a value is read; None where it stands for itself."""
        kind = self.kinds.get(key)
        if kind is not None or not self.by_value or not isinstance(key, str):
            return kind
        if isinstance(value, str):
            words = key == "text" or len(value.split()) >= TEXT_WORDS
            return "time" if moment_of(value) is not None else "text" if words and value.strip(BLANKS) not in MISSING else None
        return "time" if moment_of(value) is not None else None

    def features(self, kind: str, key: str, value: Any) -> Features:
        """Return the features of a value that is read so."""
        if kind == "left out":
            return []
        if is_nothing(value) or (isinstance(value, str) and value.strip(BLANKS) in MISSING):
            return [] if kind == "text" else [(missing_name(key), 1.0)]
        if kind == "categorical":
            return [(f"{key}={written(value).strip(BLANKS)}", 1.0)]
        if kind == "numeric":
            number = number_in(value.strip(BLANKS), key, "a number") if isinstance(value, str) else value
            return [(key, number)]
        if kind == "text":
            counts = bag(written(value), self.ngrams, self.version, self.chars)
            return [(word_name(key, word), 1.0 if self.presence else float(count)) for word, count in counts.items()]
        moment = moment_of(value)
        if moment is None:
            raise Fault(key, value, EXPECTED)
        return features_of_time(key, moment, self.first_times.get(key))


def word_name(column: str, word: str) -> str:
    """Return the name of a word in a column of texts; of a column called text it is the word itself.

    >>> word_name("note", "free"), word_name("text", "free")
    ('note=free', 'free')
    """
    return word if column == "text" else f"{column}={word}"


NO_RULES = DictRules({}, {})


def spelled(row: Mapping, rules: DictRules = NO_RULES) -> Mapping:
    """Return a row by names, of which some have text for their values, or None, as features; `rules` are those of the model or the run.

    Text gives `name=text`, and None, NaN, or a text that means as much, `name is missing`. Other numbers stay as they are.

    >>> spelled({"carrier": "UA", "hour": 6, "gate": None, "delay": float("nan")})
    {'carrier=UA': 1.0, 'hour': 6, 'gate is missing': 1.0, 'delay is missing': 1.0}
    """
    if not rules.kinds and USUAL_VALUES.issuperset(map(type, row.values())) and not may_have_nan(row.values()):
        return row
    features: dict[Any, Any] = {}
    words: list[tuple[str, float]] = []
    for key, value in row.items():
        name, number = key, value
        if (kind := rules.kind_of(key, value)) is not None:
            try:
                more = rules.features(kind, key, value)
            except Fault as fault:
                raise LittlestoneError(f"feature {key!r}: found {fault.found}, expected {fault.expected}") from None
            if kind == "text" and rules.by_value:
                words += more
                continue
            for name, number in more:
                require(name not in features, f"feature {name!r} stands twice in a row; expected each once")
                features[name] = number
            continue
        if isinstance(key, str) and (isinstance(value, str) or is_nothing(value)):
            text = value.strip(BLANKS) if isinstance(value, str) else ""
            name, number = missing_name(key) if text in MISSING else f"{key}={text}", 1.0
        require(name not in features, f"feature {name!r} stands twice in a row; expected each once")
        features[name] = number
    for name, number in words:  # one that is called like another feature adds to it: nobody can mend a single event
        features[name] = 1.0 if rules.presence else features.get(name, 0.0) + number
    return features


# ---- rows to rounds ----


@dataclass(frozen=True)
class FeatureRules:
    """What is done with the features of a row, whatever they were made of."""

    bits: int | None = None
    cross: tuple[tuple[str, ...], ...] = ()
    boolean: bool = False
    sum_duplicates: bool = False
    expand: int = 1

    @classmethod
    def of(cls, reading: Reading, *, converted: bool = False) -> FeatureRules:
        """Of a converted file, the crosses and the conjunctions are among its features already."""
        cross = () if converted else tuple(tuple(cross.split("*")) for cross in reading.cross)
        return cls(reading.bits, cross, reading.boolean, reading.sum_duplicates, 1 if converted else reading.expand)

    def pairs(self, groups: list[tuple[str, Features]]) -> Features:
        """Every feature with its value as float32, and the crosses behind them."""
        small = [(column, narrowed(group)) for column, group in groups]
        pairs = [pair for _, group in small for pair in group]
        for cross in self.cross:
            pairs += crossed([[pair for column, group in small if column == part for pair in group] for part in cross])
        return pairs

    def once(self, pairs: Features, key_of: Callable[[str], Any] = str) -> dict[Any, float]:
        """Each feature once: those that stand twice are summed, in doubles and rounded at the end, or refused."""
        total: dict[Any, float] = {}
        summed = set()
        for name, value in pairs:
            key = key_of(name)
            if key not in total:
                total[key] = value
            elif self.bits or self.sum_duplicates:
                total[key] += value
                summed.add(key)
            else:
                raise Fault(None, name, ONCE)
        for key in summed:
            if not abs(total[key]) <= LARGEST:
                raise Fault(None, "features that add up to infinity", f"sums of size at most {LARGEST:.6g}")
            total[key] = narrow(total[key])
        return total

    def features(self, groups: list[tuple[str, Features]]) -> tuple[list[Any], list[float]]:
        """Keys (names; numbers where they are hashed) and values, as played."""
        mask = 2**self.bits - 1 if self.bits else 0
        total = self.once(self.pairs(groups), (lambda name: hash64(encoded(name)) & mask) if self.bits else str)
        if self.boolean:
            total = {key: 1.0 for key, value in total.items() if value}
        if self.expand > 1:
            total = dict.fromkeys(joined(total, self.expand), 1.0)
        return list(total), list(total.values())


def crossed(groups: list[Features]) -> Features:
    """Every feature of the first group with every one of the second, and so on, the first outermost.

    >>> crossed([[("a^x", 2.0)], [("b^y", 3.0), ("b^z", 1.0)]])
    [('a^x*b^y', 6.0), ('a^x*b^z', 2.0)]
    """
    return [("*".join(name for name, _ in some), narrow(prod(value for _, value in some))) for some in product(*groups)]


MOST_JOINED = 100_000  # features of a row, conjunctions among them


def joined(row: Mapping[str, float], k: int) -> list[str]:
    """The features that are on, and the conjunctions of up to k of them: first the pairs, then the triples, each in the order of the row.

    >>> joined({"b": 1.0, "a": 1.0, "c": 0.0, "d": 1.0}, 2)
    ['b', 'a', 'd', 'a&b', 'b&d', 'a&d']
    """
    for name, value in row.items():
        if "&" in name:
            raise ampersand(name)
        if value not in (0, 1):
            raise not_boolean(name, value)
    on = [name for name, value in row.items() if value]
    if width_joined(len(on), k) > MOST_JOINED:
        raise too_many_joined(len(on), k)
    return [joined_name(some) for size in range(1, k + 1) for some in combinations(on, size)]


def joined_name(parts: Sequence[str]) -> str:
    """The name of a conjunction: the same whatever the order of its parts."""
    return "&".join(sorted(parts))


def width_joined(m: int, k: int) -> int:
    """How many features a row of m features has when conjunctions of up to k of them are added: Σ C(m, i).

    >>> width_joined(10, 1), width_joined(10, 2), width_joined(10, 3)
    (10, 55, 175)
    """
    return sum(comb(m, size) for size in range(1, k + 1))


def too_many_joined(m: int, k: int) -> Fault:
    limit = f"at most {MOST_JOINED:,} with --expand {k} (expand={k})"
    return Fault(None, f"{width_joined(m, k):,} conjunctions of {m} features", limit)


def ampersand(name: str) -> Fault:
    return Fault(None, name, "names without '&', which joins the parts of a conjunction (--expand)")


def not_boolean(name: str, value: float) -> Fault:
    return Fault(
        None, f"{name}={value:g}", "values 0 and 1, for conjunctions (--expand); --boolean (boolean=True) takes presence for value"
    )


def encoded(name: str) -> bytes:
    try:
        return name.encode("utf-8")
    except UnicodeEncodeError:
        raise Fault(None, name, UTF8) from None
