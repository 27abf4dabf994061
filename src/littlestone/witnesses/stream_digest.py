"""The digest of a stream, from its blocks: the quick twin of `rounds/digest.py`, which says what is hashed."""

import hashlib
from itertools import islice
from typing import Any

import numpy as np

from littlestone.kernels.native import core
from littlestone.protocol import Block
from littlestone.rounds import digest as plain
from littlestone.rounds.digest import HEADER, root_of

MANY = 2**20  # columns whose names are kept at hand; the digits of higher ones are made when they come


class Digest:
    """SHA-256 over rounds, however they are cut into blocks; rounds/digest.py says what is hashed.

    `names` are the names of the columns, in their order (a mapping, a list or a Vocabulary); there may be more of them with every block.
    """

    def __init__(self, names: Any, *, weighted: bool, boolean: bool, segment: bool) -> None:
        self.first = hashlib.sha256(HEADER + b"boolean\n" * boolean + b"segment\n" * segment)
        self.sha, self.weighted = self.first.copy(), weighted
        self.leaves: list[bytes] = []  # of the chunks that are full
        self.rounds = 0
        self.column_names = names
        self.keys, self.words, self.lengths = np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint8)
        self.starts, self.names = np.zeros(1, np.int64), np.empty(0, np.uint8)
        self.out = np.empty(0, np.uint8)

    def _number(self, columns: int) -> None:
        """Columns are named by their digits."""
        self.words, self.lengths = np.empty(min(2 * columns, MANY), np.uint64), np.empty(min(2 * columns, MANY), np.uint8)
        core.number_columns(self.words, self.lengths)

    def _take_names(self, names: Any) -> None:
        """The new names as bytes: the first eight as one number, what decides their order as another, and all of them."""
        first = len(self.words)
        name = getattr(names, "name", None)  # a vocabulary gives the last ones without going through all
        new = map(name, range(first, len(names))) if name else islice(names, first, None)
        raw = [name_text.encode("utf-8", "surrogatepass") for name_text in new]
        sizes = np.fromiter(map(len, raw), np.int64, len(raw))
        ends = np.cumsum(sizes)
        added = np.frombuffer(b"".join(raw), np.uint8)
        places = (ends - sizes)[:, None] + np.arange(8)
        firsts = np.where(np.arange(8) < sizes[:, None], np.append(added, np.uint8(0))[np.minimum(places, len(added))], np.uint8(0))
        keys = np.minimum(sizes, 255).astype(np.uint64) << np.uint64(56) | firsts.view(">u8").ravel().astype(np.uint64) >> np.uint64(8)
        self.keys = np.concatenate([self.keys, keys])
        self.words = np.concatenate([self.words, firsts.view("<u8").ravel().astype(np.uint64)])
        self.lengths = np.concatenate([self.lengths, np.where(sizes <= 8, sizes, core.LONG_NAME).astype(np.uint8)])
        self.starts = np.concatenate([self.starts, self.starts[-1] + ends])
        self.names = np.concatenate([self.names, added])

    def add(self, block: Block) -> None:
        chunk = plain.CHUNK
        while len(block):
            if self.rounds == chunk:
                self.leaves.append(self.sha.digest())
                self.sha, self.rounds = self.first.copy(), 0
            left = chunk - self.rounds
            self._add(block if len(block) <= left else block.cut(0, left))
            self.rounds += min(left, len(block))
            block = block.cut(min(left, len(block)), len(block))

    def _add(self, block: Block) -> None:
        columns = int(block.indices.max()) + 1 if len(block.indices) else 0
        sizes = 10 * len(block.indices)
        if self.column_names and columns:
            if columns > len(self.words):
                self._take_names(self.column_names)
            sizes = int((self.starts[1:][block.indices] - self.starts[block.indices]).sum())
        elif columns > len(self.words) < MANY:
            self._number(columns)
        room = sizes + 5 * len(block.indices) + 6 * len(block) + core.DIGEST_SPARE
        if len(self.out) < room:
            self.out = np.empty(2 * room, np.uint8)
        weights = None
        if self.weighted:
            weights = np.ones(len(block), np.float32) if block.weights is None else block.weights
        names = (self.keys, self.words, self.lengths, self.starts, self.names)
        size = core.write_rows(block.indptr, block.indices, block.values, block.labels, weights, *names, self.out)
        self.sha.update(self.out[:size])  # type: ignore[arg-type]

    def text(self) -> str:
        return root_of([*self.leaves, self.sha.digest()])
