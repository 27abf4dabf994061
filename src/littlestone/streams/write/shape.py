"""What a writer must know of the rounds before the first: which labels, names or numbers, and what else they carry."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.protocol import Block
from littlestone.rounds.reading import LOOK_ROWS, MISSING, Label
from littlestone.streams.label_codes import ALONE
from littlestone.streams.write.cells import Names

PLAIN: tuple[Label, Label] = (-1.0, 1.0)


@dataclass(frozen=True)
class Shape:
    """Labels are by code; what `weights`, `ids` and `values` say may be needed for some rows only."""

    labels: Collection[Label]
    names: Names | None = None  # None: features are numbers
    weights: bool = False
    ids: bool = False
    values: bool = True
    classes: bool = False  # any number of labels, and new ones may come


class Writer(Protocol):
    """Takes rounds and writes them to `out`; everything is there after `finish`."""

    cannot: ClassVar[tuple[str, ...]]  # of weights and ids
    words: ClassVar[bool]  # does it keep labels that are text?

    def __init__(self, shape: Shape, out: Any, path: str) -> None: ...

    def take(self, block: Block) -> None: ...

    def finish(self) -> None: ...


def spelled(label: Label) -> str:
    """
    >>> spelled(-1.0), spelled(0.5), spelled("ham")
    ('-1', '0.5', 'ham')
    """
    if isinstance(label, str):
        return label
    return str(int(label)) if label == int(label) and abs(label) < 2**53 else repr(float(label))


def labels_for(labels: tuple[Label, Label], head: list[Block], *, words: bool) -> tuple[Label, Label]:
    """The two labels to write: the stream's own if a reader, told nothing, takes the same one for positive; else -1 and 1.

    A reader goes by the labels that the first rows show, so labels that say nothing by themselves must both be there.
    """
    negative, positive = labels
    if isinstance(negative, str) != isinstance(positive, str) or (isinstance(negative, str) and not words):
        return PLAIN
    if isinstance(negative, str) and isinstance(positive, str):
        if not (writable(negative) and writable(positive)):
            return PLAIN
        if (negative.casefold(), negative) > (positive.casefold(), positive):
            return PLAIN
        alone = ALONE.get(negative.casefold()) is False and ALONE.get(positive.casefold()) is True
        return labels if alone or shown(head) else PLAIN
    if labels in ((0.0, 1.0), (-1.0, 1.0)):
        return labels
    return labels if labels == (1.0, 2.0) and shown(head) else PLAIN


def writable(text: str) -> bool:
    """Is it read back as it stands, wherever text can be a label? Not as a number, nor as nothing."""
    if text in MISSING or text != text.strip() or not text.isprintable():
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def shown(head: list[Block]) -> bool:
    """Do the first rows have both labels?"""
    labels = np.concatenate([np.empty(0, np.int32), *(block.labels for block in head)])[:LOOK_ROWS]
    return {0, 1} <= set(labels.tolist())


def refused(row: str, what: str, format: str, instead: str) -> LittlestoneError:
    return LittlestoneError(f"{row} {what}, which {format} cannot hold; {instead}")
