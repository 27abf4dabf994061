"""Vowpal Wabbit's text: `[label [weight [base]]] ['tag] |namespace[:scale] feature[:value] ... |namespace ...`."""

import re

from littlestone.rounds.faults import KEEPS_NAMES, ONCE, UTF8, Fault
from littlestone.rounds.features import LARGEST, LARGEST_INDEX, NUMBER, Features, Label, PlainRow, is_index, number_in
from littlestone.rounds.formats import Format
from littlestone.rounds.formats.libsvm import DIGITS, TOKEN
from littlestone.rounds.reading import COLUMN_CHOICES, Reading

ESCAPE = re.compile(rb"%(20|09|0A|0D|3A|7C|25)")
SECTION = re.compile(rb"\|([^ \t\r\n|]*)([^|]*)")
TEXT = re.compile(rb"(?!(?:nan|inf|infinity)\Z)[^\W\d_][^:]*\Z", re.IGNORECASE)  # a value that is no number, nor a slip in one
LOOKS = re.compile(rb"[ \t]*+(?:" + DIGITS + rb"(?![^ \t|])[ \t]*+){0,3}+(?:[^ \t|]++[ \t]*+)?+\|")


def row_of(line: bytes, reading: Reading) -> PlainRow | None:
    """One line.

    >>> row_of(b"1 2 'mail7 |word free:2 offer |:0.5 big", Reading(format="vw", named=True)).groups
    [('word', [('word^free', 2.0), ('word^offer', 1.0)]), ('', [('big', 0.5)])]
    """
    bar = line.find(b"|")
    tokens = [(token.start(), token[0]) for token in TOKEN.finditer(line, 0, len(line) if bar < 0 else bar)]
    if not tokens and bar < 0:
        return None
    label, weight, tag = head_of(tokens, bar, takes_names(reading))
    groups: list[tuple[str, Features]] = []
    once = None if reading.adds_up else set[str]()
    for section in SECTION.finditer(line, bar) if bar >= 0 else ():
        name, colon, text = section[1].partition(b":")
        scale = number_at(section.start(1) + len(name) + 1, text, "':' of the namespace") if colon else 1.0
        namespace = unescaped(name, section.start(1))
        if namespace and not reading.by_name:
            raise Fault(section.start(1), name, f"no namespace, as in the rows before; {KEEPS_NAMES}")
        features: Features = []
        unnamed = 0  # features of this section without a name, which are numbered by their places
        for token in TOKEN.finditer(line, section.start(2), section.end(2)):
            text, column = token[0], token.start()
            if text.startswith(b":"):
                text, column, unnamed = b"%d%b" % (unnamed, text), column - len(str(unnamed)), unnamed + 1
            features.append(feature_in(text, column, namespace, scale, reading.by_name))
            if once is not None:
                if features[-1][0] in once:
                    raise Fault(token.start(), token[0], ONCE)
                once.add(features[-1][0])
        groups.append((namespace, features))
    kept = [group for group in groups if group[0] not in reading.ignore]
    return PlainRow(
        label, weight, tag, kept + [grams(kept, namespace, reading.ngrams) for namespace in dict(kept)] if reading.ngrams > 1 else kept
    )


def takes_names(reading: Reading) -> bool:
    """May a label be a name? Where names are declared, or any label is said to come."""
    return reading.any_labels or any(isinstance(label, str) for label in reading.labels or ())


def refuse_other_labels(tokens: list[tuple[int, bytes]]) -> None:
    """Refuse the labels of other problems than that of one label a line, by what Vowpal Wabbit calls them."""
    for column, token in tokens:
        kind = OTHER_LABELS.get(token.lower()) or (BY_COLONS[min(token.count(b":"), 2)] if token[:1] != b"'" else None)
        if kind is not None:
            raise Fault(column, token, f"one label of a line, such as 1 or -1; this is a {kind} label, which is not supported")


BY_COLONS = (None, "cost-sensitive (CLASS:COST)", "contextual-bandit (ACTION:COST:PROBABILITY)")
OTHER_LABELS = dict.fromkeys((b"shared", b"ccb", b"slates", b"ca"), "multi-line")


def head_of(tokens: list[tuple[int, bytes]], bar: int, names: bool = False) -> tuple[Label | None, float, str | None]:
    """Label, weight and tag, from what stands before the first bar. `names`: may a label be a name?"""
    tag = None
    if tokens and (
        tokens[-1][1].startswith(b"'") or tokens[-1][0] + len(tokens[-1][1]) == bar
    ):  # VW's rule: what touches the bar is the tag
        column, token = tokens.pop()
        tag = unescaped(token.removeprefix(b"'"), column) or None
    refuse_other_labels(tokens)
    if names and tokens and not NUMBER.fullmatch(tokens[0][1].decode("utf-8", "replace")):
        _, weight, _ = head_of([(0, b"1"), *tokens[1:]], -1)
        return unescaped(tokens[0][1], tokens[0][0]), weight, tag
    numbers = []
    for what, (column, token) in zip(("a label", "a weight", "0 or nothing"), tokens, strict=False):
        named = ", such as 1, 0 or -1; labels that are names need --labels NEG,POS,... or --labels any (labels=)"
        more = "; a tag begins with ' or touches the bar" if what != "a label" else named
        numbers.append(number_in(token.decode("utf-8", "replace"), column, f"{what}: a number{more}"))
    if len(numbers) > 1 and numbers[1] < 0:
        raise Fault(*tokens[1], "a weight of at least 0")
    if len(numbers) > 2 and numbers[2] != 0:
        raise Fault(*tokens[2], "'|' and features after label and weight: an initial prediction is not supported")
    if len(tokens) > 3:
        raise Fault(*tokens[3], "'|' and features after label, weight and initial prediction")
    return numbers[0] if numbers else None, numbers[1] if len(numbers) > 1 else 1.0, tag


def feature_in(token: bytes, column: int, namespace: str, scale: float, by_name: bool) -> tuple[str, float]:
    """One feature: its name, with the namespace before it, and its value. A value that is a text is part of the name, as in a table.

    >>> feature_in(b"size:2", 0, "a", 0.5, True), feature_in(b"mood:happy", 0, "a", 1.0, True)
    (('a^size', 1.0), ('a^mood=happy', 1.0))
    """
    raw, colon, text = token.partition(b":")
    if not raw:
        raise Fault(column, token, "the name of a feature before ':'")
    if colon and TEXT.match(text):
        raw, colon = raw + b"=" + text, b""
    value = number_at(column + len(raw) + 1, text, "':'; in a name %3A stands for a colon") if colon else 1.0
    value *= scale
    if abs(value) > LARGEST:
        raise Fault(column, token, f"a value times its namespace's of size at most {LARGEST:.6g}")
    name = unescaped(raw, column)
    if not by_name and not (is_index(name) and raw == name.encode()):
        raise Fault(column, name, f"a whole number up to {LARGEST_INDEX}, as the features before; {KEEPS_NAMES}")
    return f"{namespace}^{name}" if namespace else name, value


def features_in_cell(cell: str, by_name: bool) -> Features:
    """The cell of a table's column called |: features as they stand here, without a namespace."""
    if "|" in cell:
        raise Fault("|", cell, "features without a bar; %7C stands for one in a name")
    try:
        features = [feature_in(token, 0, "", 1.0, by_name) for token in TOKEN.findall(cell.encode("utf-8", "surrogatepass"))]
        return [feature for feature in features if feature[1]]
    except Fault as fault:
        fault.column = "|"
        raise


def number_at(column: int, text: bytes, after: str) -> float:
    return number_in(text.decode("utf-8", "replace"), column, f"a finite number after {after}")


def unescaped(name: bytes, column: int) -> str:
    """A name without its escapes."""
    try:
        return (ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), name) if b"%" in name else name).decode()
    except UnicodeDecodeError:
        raise Fault(column, name, UTF8) from None


def grams(groups: list[tuple[str, Features]], namespace: str, most: int) -> tuple[str, Features]:
    """What stands 2 to `most` in a row in a namespace, wherever that is written; a value of 0 is as good as nothing.

    >>> grams([("a", [("a^x", 2.0), ("a^y", 1.0)]), ("", [("x", 1.0)]), ("a", [("a^z", 1.0)])], "a", 2)
    ('a', [('a^x y', 1.0), ('a^y z', 1.0)])
    """
    prefix = f"{namespace}^" if namespace else ""
    names = [name.removeprefix(prefix) for column, group in groups if column == namespace for name, value in group if value]
    return namespace, [(prefix + " ".join(names[at : at + n]), 1.0) for n in range(2, most + 1) for at in range(len(names) - n + 1)]


def looks(lines: list[bytes]) -> int:
    return 6 if sum(LOOKS.match(line) is not None for line in lines) >= (len(lines) + 1) // 2 else 0


FORMAT = Format(
    shape="lines of the form 'label |namespace feature:value ...'",
    row_of=row_of,
    has="namespaces",
    lacks=(*COLUMN_CHOICES, "chars"),
    endings=(".vw",),
    looks=looks,
    plain_labels=True,
)
