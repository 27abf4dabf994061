"""VW text: `label weight 'tag |namespace:scale name:value name ... |namespace ...`.

Two parsers: `parse_line` is plain Python, and the definition; it says what a line means or what is wrong with it. Those of `vw_kernels`
are compiled, do what nearly all lines need, and hand a line they are not sure of to the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from littlestone.rounds.reading import Reading
from littlestone.streams.libsvm import LARGEST_FLOAT32, LARGEST_INDEX, NUMBER, TOKEN
from littlestone.streams.named import Named, Scratch
from littlestone.streams.parsed import Fault
from littlestone.streams.vocabulary import NOTHING, Snapshot
from littlestone.streams.vw_kernels import JOINT, parse_names, parse_numbers

ESCAPE = re.compile(rb"%(20|09|0A|0D|3A|7C|25)")
CANONICAL = re.compile(rb"(0|[1-9][0-9]{0,9})\Z")
KEEPS = "--names (names=True) keeps all features by name"
NUMBERED = re.compile(
    rb"(?:\|(?:[ \t\r]++(?:0|[1-9][0-9]{0,8})(?::[^ \t\r|]*+)?+(?=[ \t\r|]|\Z))*+(?:[ \t\r]++|(?=\|)|\Z))++"
)  # nearly always
PART = re.compile(rb"\|([^ \t\r|]*)([^|]*)")


class Line(NamedTuple):
    """What a line says. A feature is (namespace, name, value); names are as the features are called: `namespace^name`."""

    label: float
    weight: float
    tag: str | None
    features: list[tuple[str, str, float]]


def parse_line(line: bytes, reading: Reading | None = None) -> Line | None:
    """What one line says, or None when it is blank; raises Fault. Without a reading, features are taken by name, each once.

    >>> parse_line(b"1 0.5 'm7 |word free:2 offer |hour:2 nine")
    Line(label=1.0, weight=0.5, tag='m7', features=[('word', 'word^free', 2.0), ('word', 'word^offer', 1.0), ('hour', 'hour^nine', 2.0)])
    """
    reading = reading or Reading(format="vw", named=True)
    line = line.rstrip(b"\n")
    bar = line.find(b"|")
    tokens = [(m.start(), m[0]) for m in TOKEN.finditer(line, 0, len(line) if bar < 0 else bar)]
    if not tokens and bar < 0:
        return None
    label, weight, tag = _head(tokens, bar)
    features: list[tuple[str, str, float]] = []
    places: list[tuple[int, bytes]] = []
    for part in PART.finditer(line, bar) if bar >= 0 else []:
        name, colon, text = part[1].partition(b":")
        scale = _number(part.start(1) + len(name) + 1, text, "':' of the namespace") if colon else 1.0
        namespace = _text(part.start(1), name)
        if namespace and not reading.named and not reading.bits:
            raise Fault(part.start(1), name, f"no namespace, as in the rows before; {KEEPS}")
        for m in TOKEN.finditer(line, part.start(2), part.end(2)):
            features.append((namespace, *_feature(m.start(), m[0], namespace, scale, reading)))
            places.append((m.start(), m[0]))
    if not reading.sum_duplicates and not reading.bits:
        seen: set[str] = set()
        for (_, name, _), place in zip(features, places, strict=True):
            if name in seen:
                raise Fault(*place, "each feature once in a row; --sum-duplicates (sum_duplicates=True) adds them up")
            seen.add(name)
    return Line(label, weight, tag, features)


def _head(tokens: list[tuple[int, bytes]], bar: int) -> tuple[float, float, str | None]:
    """Label, weight and tag, from what stands before the first bar."""
    tag = None
    if tokens and (tokens[-1][1].startswith(b"'") or tokens[-1][0] + len(tokens[-1][1]) == bar):
        column, token = tokens.pop()
        tag = _text(column, token.removeprefix(b"'")) or None
    numbers = []
    for what, (column, token) in zip(("a label", "a weight", "0 or nothing"), tokens, strict=False):
        if not NUMBER.match(token):
            more = "; a tag begins with ' or touches the bar" if what != "a label" else ", such as 1, 0 or -1"
            raise Fault(column, token, f"{what}: a number{more}")
        numbers.append(float(token))
        if abs(numbers[-1]) > LARGEST_FLOAT32:
            raise Fault(column, token, f"a number of size at most {LARGEST_FLOAT32:.6g}")
    if len(numbers) > 1 and numbers[1] < 0:
        raise Fault(*tokens[1], "a weight of at least 0")
    if len(numbers) > 2 and numbers[2] != 0:
        raise Fault(*tokens[2], "'|' and features after label and weight: an initial prediction is not supported")
    if len(tokens) > 3:
        raise Fault(*tokens[3], "'|' and features after label, weight and initial prediction")
    return (numbers[0] if numbers else float("nan")), (numbers[1] if len(numbers) > 1 else 1.0), tag


def _feature(column: int, token: bytes, namespace: str, scale: float, reading: Reading) -> tuple[str, float]:
    name, colon, text = token.partition(b":")
    if not name:
        raise Fault(column, token, "the name of a feature before ':'")
    value = 1.0
    if colon:
        value = _number(column + len(name) + 1, text, "':'; in a name %3A stands for a colon")
    value *= scale
    if abs(value) > LARGEST_FLOAT32:
        raise Fault(column, token, f"a value times its namespace's of size at most {LARGEST_FLOAT32:.6g}")
    called = f"{namespace}^{_text(column, name)}" if namespace else _text(column, name)
    if not reading.named and not reading.bits and (not CANONICAL.match(name) or int(name) > LARGEST_INDEX):
        raise Fault(column, called, f"a whole number up to {LARGEST_INDEX}, as the features before; {KEEPS}")
    return called, value


def _number(column: int, text: bytes, after: str) -> float:
    if not NUMBER.match(text):
        raise Fault(column, text or b"nothing", f"a finite number after {after}")
    if abs(float(text)) > LARGEST_FLOAT32:
        raise Fault(column, text, f"a number of size at most {LARGEST_FLOAT32:.6g}")
    return float(text)


def _text(column: int, token: bytes) -> str:
    try:
        return ESCAPE.sub(lambda m: bytes.fromhex(m[1].decode()), token).decode()
    except UnicodeDecodeError:
        raise Fault(column, token, "text in UTF-8; --encoding (encoding=) names another") from None


def joined(features: list[tuple[str, str, float]], ngrams: int) -> list[tuple[str, str, float]]:
    """The features, and behind them those that stand 2 to `ngrams` in a row in a namespace, 0s left out; each has the value 1.

    >>> joined([("a", "a^x", 2.0), ("a", "a^y", 0.5), ("b", "b^z", 1.0), ("a", "a^w", 1.0)], 2)[4:]
    [('a', 'a^x y', 1.0), ('a', 'a^y w', 1.0)]
    """
    found = list(features)
    for namespace in dict.fromkeys(namespace for namespace, _, _ in features):
        begin = len(namespace) + 1 if namespace else 0
        names = [name[begin:] for wanted, name, value in features if wanted == namespace and value]
        for n in range(2, ngrams + 1):
            for at in range(len(names) + 1 - n):
                together = " ".join(names[at : at + n])
                found.append((namespace, f"{namespace}^{together}" if namespace else together, 1.0))
    return found


def crossed(features: list[tuple[str, str, float]], crosses: Sequence[str]) -> list[tuple[str, float]]:
    """The features with their crosses behind them: of `a*b`, each of namespace a with each of b.

    >>> crossed([("a", "a^x", 2.0), ("b", "b^y", 3.0), ("b", "b^z", 1.0)], ["a*b"])
    [('a^x', 2.0), ('b^y', 3.0), ('b^z', 1.0), ('a^x*b^y', 6.0), ('a^x*b^z', 2.0)]
    """
    found = [(name, value) for _, name, value in features]
    for cross in crosses:
        parts = [[(name, value) for namespace, name, value in features if namespace == wanted] for wanted in cross.split("*")]
        for some in product(*parts):
            value = prod(float(np.float32(value)) for _, value in some)
            found.append(("*".join(name for name, _ in some), value))
    return found


def made_of(features: list[tuple[str, str, float]], reading: Reading) -> list[tuple[str, float]]:
    """Features as they are played: without the namespaces that are to be ignored, with what stands in a row, and with crosses."""
    kept = [one for one in features if one[0] not in reading.ignore] if reading.ignore else features
    return crossed(joined(kept, reading.ngrams) if reading.ngrams > 1 else kept, reading.cross)


def guess(lines: Sequence[bytes]) -> dict[str, Any]:
    """What the first lines settle: are features names, or all of them numbers?

    >>> guess([b"1 | 3:0.5 7", b"0 | 12"]), guess([b"1 | 3:0.5 7", b"0 |word 12"])
    ({'named': False}, {'named': True})
    """
    seen = False
    for line in lines:
        line = line.rstrip(b"\r\n")
        found = NUMBERED.fullmatch(line, max(line.find(b"|"), 0))
        if found is not None:
            seen = seen or re.search(rb"[0-9]", found[0]) is not None
            continue
        for part in PART.finditer(line):
            for token in TOKEN.findall(part[2]):
                name = token.partition(b":")[0]
                if not CANONICAL.match(name) or int(name) > LARGEST_INDEX or part[1].partition(b":")[0]:
                    return {"named": True}
                seen = True
    return {"named": not seen}


class ParsedVW(Named):
    """One chunk of whole lines of VW text."""

    joint = int(JOINT)

    def __init__(self, path: str, skip_bad: bool, scratch: Scratch, reading: Reading, snapshot: Snapshot | None) -> None:
        super().__init__(path, scratch, reading)
        s, rows, text = self.scratch, len(scratch.labels), self.text
        self._weights, self._tags = s.more("weights", rows, np.float32), s.more("tags", rows, np.uint64)
        self._odd_tags: dict[int, str] = {}
        arrays = (s.labels, s.lines, s.indptr, s.indices, s.values, self._weights, self._tags)
        more: tuple = ()
        parse: Any = parse_numbers
        if self.by_name:
            parse = parse_names
            more = s.batch, tuple(snapshot or NOTHING), self.bits, self.prints, self.waiting
        state, place = self.state, s.begin
        compiled = not (reading.cross or reading.ngrams > 1 or reading.ignore)
        while place < s.length:
            if compiled:
                place = parse(text, place, s.length, state, *arrays, *more)
                if place >= s.length:
                    break
            place = self._by_line(place)
            if self.faults and not skip_bad:
                break
        self._finish()

    def _by_line(self, place: int) -> int:
        """The plain way, for a line that begins here; where the next one does."""
        s, state = self.scratch, self.state
        end = s.text.index(b"\n", place) + 1
        row, line = int(state[0]), int(state[1])
        state[1] += 1
        try:
            found = parse_line(bytes(s.text[place:end]), self.reading)
            if found is None:
                return end
            self.add_row(row, made_of(found.features, self.reading))
        except Fault as fault:
            self.faults.append((line, fault))
            return end
        s.labels[row], s.lines[row], self._weights[row], self._tags[row] = found.label, line, found.weight, 0
        state[0] += 1
        state[3] += np.float32(found.weight) != 1
        if found.tag is not None:
            self._odd_tags[row] = found.tag
            state[4] += 1
        return end

    def _finish(self) -> None:
        self.cut()
        rows = len(self.labels)
        if self.state[3]:
            self.weights = self._weights[:rows]
        if self.state[4]:
            text = self.scratch.text
            spans = zip((self._tags[:rows] & np.uint64(2**32 - 1)).tolist(), (self._tags[:rows] >> np.uint64(32)).tolist(), strict=True)
            self.ids = [text[at : at + n].decode() if n else None for at, n in spans]
            for row, tag in self._odd_tags.items():
                self.ids[row] = tag

    def fault_of(self, row: int) -> Fault:
        try:
            parse_line(self.line_text(int(self.lines[row])), self.reading)
        except Fault as fault:
            return fault
        return super().fault_of(row)  # one that crosses make
