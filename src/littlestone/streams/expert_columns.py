"""Columns of Arrow as rows of floats, four megabytes at a time: straight from Arrow's buffers where these hold plain numbers."""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from littlestone.kernels.native import core
from littlestone.streams.arrays import is_number, numbers_of
from littlestone.streams.columns import Unsure

CELLS = 2**20  # of a piece: four megabytes, so that what is done with it finds it in the cache
PLAIN = {pa.uint8(): np.uint8, pa.int32(): np.int32, pa.int64(): np.int64, pa.float32(): np.float32, pa.float64(): np.float64}


class ExpertColumns:
    """Columns of numbers; `whole` is True where no cell can be empty. `Unsure` where one is none.

    `room` has the bytes to put them in, kept from batch to batch: memory that is new each time costs more than the copying.
    """

    bits = whole = False

    def __init__(self, columns: Sequence[pa.Array], room: list[np.ndarray]) -> None:
        self.rows, self.n, self.room = len(columns[0]), len(columns), room
        self.across = self._plain(columns)
        if self.across is None:
            self.across = self._place(self.rows, np.float64)
            for k, column in enumerate(columns):
                self.across[k] = finite(column)

    def _plain(self, columns: Sequence[pa.Array]) -> np.ndarray | None:
        """Columns all of one type without a null, side by side as they are; None where they are not, or a float is infinite."""
        kind = columns[0].type
        self.bits = pa.types.is_boolean(kind)
        if (kind not in PLAIN and not self.bits) or any(c.type != kind or c.null_count for c in columns):
            self.bits = False
            return None
        if self.bits:
            if any(c.offset % 8 for c in columns):
                columns, self.bits, kind = [c.cast(pa.uint8()) for c in columns], False, pa.uint8()
            else:
                bytes_ = (self.rows + 7) // 8
                across = self._place(bytes_, np.uint8)
                for k, c in enumerate(columns):
                    across[k] = np.frombuffer(c.buffers()[1], np.uint8, bytes_, c.offset // 8)
                self.whole = True
                return across
        dtype: Any = PLAIN[kind]
        size = np.dtype(dtype).itemsize
        across = self._place(self.rows, dtype)
        for k, c in enumerate(columns):
            across[k] = np.frombuffer(c.buffers()[1], dtype, self.rows, c.offset * size) if self.rows else ()
        if across.dtype.kind == "f":  # NaN is an empty cell; infinity is refused by name
            return None if core.has_infinity(across) else across
        self.whole = True
        return across

    def _place(self, width: int, dtype: Any) -> np.ndarray:
        needed = self.n * width * np.dtype(dtype).itemsize
        if not self.room or len(self.room[0]) < needed:
            self.room[:] = [np.empty(needed, np.uint8)]
        return self.room[0][:needed].view(dtype).reshape(self.n, width)

    def tables(self, dtype: Any) -> Iterator[tuple[int, np.ndarray]]:
        """Rows of floats, and where they begin."""
        step = max(64, CELLS // max(1, self.n) // 64 * 64)
        turn = core.turn_bits if self.bits else core.turn_columns
        for start in range(0, self.rows, step):
            table = np.empty((min(step, self.rows - start), self.n), dtype)
            turn(self.across, start, table)
            yield start, table


def finite(column: pa.Array) -> np.ndarray:
    """Doubles, NaN where a cell is empty; `Unsure` where one is no number, or infinite."""
    if not is_number(column.type):
        raise Unsure
    numbers = numbers_of(column)
    if np.isinf(numbers).any():
        raise Unsure
    return numbers


def ahead(pieces: Iterator[Any], many: int) -> Generator[Any]:
    """The same pieces, so many at a time, made by another thread while those before them are worked on."""

    def some() -> tuple[list[Any], Exception | None]:
        made: list[Any] = []
        try:
            made.extend(islice(pieces, many))  # what was made before a fault is handed over before it is told
        except Exception as error:
            return made, error
        return made, None

    try:
        with ThreadPoolExecutor(1, "littlestone-reader") as pool:
            made, fault = pool.submit(some).result()
            while made or fault:
                coming = pool.submit(some) if fault is None else None
                yield from made
                if coming is None:
                    raise fault  # type: ignore[misc]
                made, fault = coming.result()
    finally:
        if isinstance(pieces, Generator):
            pieces.close()  # a file may be open there
