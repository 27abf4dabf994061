"""Vowpal Wabbit's text: `[label [weight [base]]] ['tag] |namespace[:scale] feature[:value] ... |namespace ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from littlestone.rounds.features import Features, Row, is_index, narrow, number_in, weight_of
from littlestone.rounds.files import Fault, Source, decoded

TOKEN = re.compile(rb"[^ \t\r\n]+")
ESCAPE = re.compile(rb"%(20|09|0A|0D|3A|7C|25)")
ESCAPES = "a number after ':'; %3A stands for a colon in a name"


def rows(source: Source, named: bool, ngrams: int = 1, ignore: Sequence[str] = ()) -> Iterator[Row]:
    for line in source.lines():
        row = row_of(line, named)
        if row is not None:
            kept = [group for group in row.groups if group[0] not in ignore]
            yield row._replace(groups=kept + [grams(kept, namespace, ngrams) for namespace in dict(kept)])


def grams(groups: list[tuple[str, Features]], namespace: str, most: int) -> tuple[str, Features]:
    """What stands 2 to `most` in a row in a namespace, wherever that is written; a value of 0 is as good as nothing.

    >>> grams([("a", [("a^x", 2.0), ("a^y", 1.0)]), ("", [("x", 1.0)]), ("a", [("a^z", 1.0)])], "a", 2)
    ('a', [('a^x y', 1.0), ('a^y z', 1.0)])
    """
    prefix = f"{namespace}^" if namespace else ""
    names = [name.removeprefix(prefix) for wanted, group in groups if wanted == namespace for name, value in group if value]
    return namespace, [(prefix + " ".join(names[at : at + n]), 1.0) for n in range(2, most + 1) for at in range(len(names) - n + 1)]


def row_of(line: bytes, named: bool = True) -> Row | None:
    """One line; None where it is blank.

    >>> row_of(b"1 2 'mail7 |word free:2 offer |:0.5 big")
    Row(label=1.0, weight=2.0, groups=[('word', [('word^free', 2.0), ('word^offer', 1.0)]), ('', [('big', 0.5)])], converted=False)
    """
    head, bar, rest = line.removesuffix(b"\n").partition(b"|")
    tokens = [(found.start(), found[0]) for found in TOKEN.finditer(head)]
    if not tokens and not bar:
        return None
    if tokens:
        at, last = tokens[-1]
        if last.startswith(b"'") or (bar and at + len(last) == len(head)):  # VW's rule: what touches the bar is the tag
            decoded(last, at)
            tokens.pop()
    label, weight = None, 1.0
    for (at, token), what in zip(tokens, ("label", "weight", "base"), strict=False):
        text = token.decode("utf-8", "replace")
        if what == "label":
            label = number_in(text, at, "a label: a number, such as 1, 0 or -1")
        elif what == "weight":
            weight = weight_of(number_in(text, at, "a weight: a number of at least 0"), at)
        elif number_in(text, at, "a base: 0, or nothing"):
            raise Fault(at, token, "a base of 0: an initial prediction is not supported")
    if len(tokens) > 3:
        raise Fault(tokens[3][0], tokens[3][1], "label, weight and base before the bar, and no more")
    groups: list[tuple[str, Features]] = []
    at = len(head) + 1
    for section in rest.split(b"|") if bar else ():
        groups.append(section_of(section, at, named))
        at += len(section) + 1
    return Row(label, weight, groups)


def section_of(section: bytes, at: int, named: bool) -> tuple[str, Features]:
    """What stands after one bar: the namespace, and its features."""
    tokens = [(at + found.start(), found[0]) for found in TOKEN.finditer(section)]
    namespace, scale = "", 1.0
    if tokens and tokens[0][0] == at:
        _, token = tokens.pop(0)
        name, colon, text = token.partition(b":")
        namespace = plain(name, at)
        if colon:
            scale = number_in(text.decode("utf-8", "replace"), at + len(name) + 1, ESCAPES)
        if namespace and not named:
            raise Fault(at, name, "no namespace after rows of numbered features; --names keeps all features by name")
    return namespace, [feature(token, place, namespace, scale, named) for place, token in tokens]


def feature(token: bytes, at: int, namespace: str, scale: float, named: bool) -> tuple[str, float]:
    """One feature: its name, with the namespace before it, and its value."""
    raw, colon, text = token.partition(b":")
    if not raw:
        raise Fault(at, token, "a name before ':'")
    name = plain(raw, at)
    if not named and not is_index(name):
        raise Fault(at, name, "a number from 0 to 2147483647, as before; --names keeps all features by name")
    value = number_in(text.decode("utf-8", "replace"), at + len(raw) + 1, ESCAPES) if colon else 1.0
    return f"{namespace}^{name}" if namespace else name, narrow(value * scale, at)


def plain(name: bytes, at: int) -> str:
    """A name without its escapes."""
    return decoded(ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), name), at)
