"""Rounds as pieces of text, a block at a time: numbers, names, rows of features."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.errors import LittlestoneError
from littlestone.protocol import Block
from littlestone.rounds.features import TOKEN
from littlestone.rounds.files import LONGEST_LINE

TEXT = pa.large_string()  # a block of long names may need more than 2 GB
FEATURES = 2**18  # so many are written at a time

Names = Any  # a Vocabulary: what has len() and name(column)


def scalar(text: str) -> pa.Scalar:
    return pa.scalar(text, TEXT)


NOTHING = scalar("")
# -0 is a whole number in JSON, and the shortest text of the largest number is, as a double, too large
AWKWARD = np.array([-0.0, np.finfo(np.float32).max, np.finfo(np.float32).min], np.float32).view(np.int32)


def numbers(values: np.ndarray) -> pa.Array:
    """The shortest decimal text of each float32 from which the same float32 is read back, also by way of a double.

    >>> numbers(np.array([0.1, 2, 1e-45, 1e30, -0.0], np.float32)).to_pylist()
    ['0.1', '2', '1e-45', '1e+30', '-0.0']
    """
    return distinct(values.view(np.int32), _numbers)


def _numbers(bits: np.ndarray) -> pa.Array:
    values = bits.view(np.float32)
    text = pc.cast(pa.array(values), TEXT)
    again = pc.cast(text, pa.float64()).to_numpy().astype(np.float32).view(np.int32)
    wrong = (again != bits) | np.isin(bits, AWKWARD)
    if wrong.any():  # or a text so near the middle between two float32 that a double falls on it
        spelled = text.to_pylist()
        for k in np.flatnonzero(wrong):
            spelled[k] = repr(float(values[k]))
        text = pa.array(spelled, TEXT)
    return text


def distinct(keys: np.ndarray, spell: Callable[[np.ndarray], pa.Array]) -> pa.Array:
    """Spell every different key once."""
    coded = pc.dictionary_encode(pa.array(keys))
    texts = spell(coded.dictionary.to_numpy(zero_copy_only=False))
    return texts.take(coded.indices)


class Spelled:
    """The names of columns as a format writes them, made once each; numbers where features have no names."""

    def __init__(self, names: Names | None, spell: Callable[[str], str]) -> None:
        self.names, self.spell = names, spell
        self.texts = pa.array([], TEXT)

    def known(self) -> pa.Array:
        """All of them, by column."""
        assert self.names is not None
        first, last = len(self.texts), len(self.names)
        if first < last:
            new = [self.spell(self.names.name(i)) for i in range(first, last)]
            try:
                self.texts = pa.concat_arrays([self.texts, pa.array(new, TEXT)])
            except UnicodeEncodeError:
                bad = next(name for name in new if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name))
                raise LittlestoneError(f"the feature name {bad!r} is no Unicode text, and no format can hold it") from None
        return self.texts

    def of(self, columns: np.ndarray) -> pa.Array:
        if self.names is None:
            before, _, after = self.spell("0").partition("0")  # in quotes or not
            digits = pc.cast(pa.array(columns), TEXT)
            return joined(scalar(before), digits, scalar(after)) if before or after else digits
        return self.known().take(pa.array(columns))


# what VW text cannot hold in a name; readers take exactly these seven back
ESCAPES = {ord(c): f"%{ord(c):02X}" for c in " \t\n\r:|%"}


def escaped(name: str) -> str:
    """
    >>> escaped("50% off: now")
    '50%25%20off%3A%20now'
    """
    return name.translate(ESCAPES)


def quoted(name: str) -> str:
    """As a JSON string; with escapes where a character might be taken for the end of a line."""
    return json.dumps(name, ensure_ascii=not name.isprintable())


def is_word(name: str) -> bool:
    """Would the words of a text with this in it have it among them?"""
    return TOKEN.fullmatch(name) is not None and name.lower() == name


def joined(*parts: Any) -> pa.Array:
    """Texts put together, row by row."""
    return pc.binary_join_element_wise(*parts, NOTHING)


def rows(block: Block, tokens: pa.Array, between: str = " ") -> pa.Array:
    """The features of each row, one after the other."""
    return pc.binary_join(pa.LargeListArray.from_arrays(pa.array(block.indptr), tokens), scalar(between))


def vw_tokens(block: Block, names: Spelled) -> pa.Array:
    """`name`, or `name:value` where the value is not 1."""
    tokens = names.of(block.indices)
    if names.names is not None:
        empty = pc.equal(tokens, NOTHING)
        if pc.any(empty).as_py():
            t = int(np.searchsorted(block.indptr, pc.index(empty, True).as_py(), side="right")) - 1
            what = "has a feature whose name is empty, which vw, csv and tsv cannot hold"
            raise LittlestoneError(f"{block.round(t)} {what}; libsvm, jsonl, parquet and arrow can")
    if block.values is None:
        return tokens
    return joined(tokens, pc.if_else(pa.array(block.values == 1), NOTHING, joined(scalar(":"), numbers(block.values))))


def label_texts(block: Block, labels: tuple[str, ...], missing: str = "") -> pa.Array:
    """Each row's label; codes count from 0, and -1 is none."""
    return pa.array([missing, *labels], TEXT).take(pa.array(block.labels + 1))


def id_texts(ids: list[str | None] | None, spell: Callable[[str], str], none: str, rows: int) -> pa.Array:
    if ids is None:
        return pa.repeat(scalar(none), rows)
    return pa.array([spell(id) if id else none for id in ids], TEXT)


def weights_of(block: Block) -> np.ndarray:
    return np.ones(len(block), np.float32) if block.weights is None else block.weights.astype(np.float32)


def data(lines: pa.Array, block: Block) -> Any:
    """The bytes of these texts, one after the other, as they lie in memory."""
    ends = np.frombuffer(lines.buffers()[1], np.int64)[lines.offset : lines.offset + len(lines) + 1]
    sizes = np.diff(ends)
    if len(sizes) and sizes.max() > LONGEST_LINE:
        raise LittlestoneError(
            f"{block.round(int(sizes.argmax()))} would be a line of more than {LONGEST_LINE} bytes, which no reader takes"
        )
    buffer = lines.buffers()[2]
    return b"" if buffer is None or not len(ends) else memoryview(buffer)[int(ends[0]) : int(ends[-1])]


def pieces(block: Block, cost: np.ndarray | None = None, most: int = FEATURES) -> Iterator[tuple[int, int]]:
    """The block's rows cut so that each part has about that many features, or costs about that much."""
    ends = block.indptr if cost is None else np.concatenate([[0], np.cumsum(cost)])
    start, rows = 0, len(block)
    while start < rows:
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + most, side="right")) - 1)
        stop = min(stop, rows, start + most)
        yield start, stop
        start = stop
