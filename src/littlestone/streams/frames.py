"""Frames in memory (pandas, polars, pyarrow, or anything with the Arrow interfaces) as streams of rounds."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from littlestone.protocol import Block
from littlestone.rounds.reading import Reading
from littlestone.streams import formats
from littlestone.streams.files import Span
from littlestone.streams.parts import StreamPart
from littlestone.streams.stream import Stream


class PartitionedFrame:
    """A frame of Dask's: its partitions one after the other, each computed when its rows are asked for."""

    def __init__(self, frame: Any) -> None:
        self.frame, self.schema = frame, pa.Schema.from_pandas(frame._meta, preserve_index=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        batches = (batch for table in self.tables() for batch in table.compute().to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, batches).__arrow_c_stream__(requested_schema)

    def tables(self) -> Iterator[Any]:
        """Its partitions as tables of Arrow, each of which Dask has yet to compute."""
        from dask import delayed

        return (delayed(arrow_table, pure=True)(self.frame.partitions[k], self.schema) for k in range(self.frame.npartitions))


def arrow_table(partition: Any, schema: pa.Schema) -> pa.Table:
    """A partition with the types of the whole, as a task."""
    return pa.Table.from_pandas(partition, schema, preserve_index=False)


def as_frame(X: Any) -> Any:
    """A frame of Dask's as one with the interface of Arrow's; anything else as it is."""
    return PartitionedFrame(X) if hasattr(X, "npartitions") and hasattr(X, "columns") else X


class FrameStream(Stream):
    """The rows of a frame. `labelled=False`: its labels are given apart, and every column may give features."""

    def __init__(
        self,
        frame: Any,
        reading: Reading | None = None,
        *,
        labelled: bool = True,
        skip_bad: bool = False,
        names: Iterable[str] | None = None,
        largest_index: int | None = None,
    ) -> None:
        from littlestone.streams.formats.arrow import FrameInput

        super().__init__(["the table"], reading, skip_bad=skip_bad, names=names, largest_index=largest_index)
        self._raw, self._frame, self._labelled = frame, FrameInput(frame), labelled

    @property
    def frame(self) -> Any:
        """The frame as it came in."""
        return self._raw.frame if isinstance(self._raw, PartitionedFrame) else self._raw

    @property
    def is_file(self) -> bool:
        """Can it be read more than once?"""
        return not self._frame.once

    @property
    def lies_there(self) -> bool:
        return False

    @property
    def in_parts(self) -> bool:
        return isinstance(self._raw, PartitionedFrame)

    def cut(self) -> list[StreamPart]:
        """Its partitions, in order."""
        return [StreamPart(self.paths[0], Span(k, k + 1), table) for k, table in enumerate(self._raw.tables())]

    @property
    def size(self) -> int | None:
        """Bytes in all, where that is known."""
        return None

    def begin(self) -> Reading:
        """Look at the first rows, and settle how the frame is read."""
        if self._begun is None:
            reading = self._reading.but(format="arrow")
            if not reading.settled:
                reading = formats.table_settled(reading, self._frame, labelled=self._labelled, names_in=self._names_in)
            elif reading.columns is not None and not set(columns := self._frame.batches()[0].names) <= formats.CONVERTED:
                formats.refuse_other_columns(reading, columns, self.paths[0])
            self._read_as(reading)
        return self._reading

    def of_key(self, key: str) -> "FrameStream":
        """A stream of the rounds of one key alone."""
        return FrameStream(self._raw, self.reading.but(only=key), labelled=self._labelled, largest_index=self.largest_index)

    def leave_labels(self) -> None:
        """Its labels are given apart."""
        if self._labelled:
            self._labelled, self._begun, self._reading = False, None, self._declared

    def unlabelled_blocks(self) -> Iterator[Block]:
        """The rounds without labels: these are given apart."""
        start = 0
        for parsed in self._parsed():
            none = np.full(len(parsed.labels), -1, np.int32)
            yield Block(
                parsed.indptr, parsed.indices, parsed.values, none, None, start, parsed.path, parsed.lines, parsed.ids, parsed.keys,
                parsed.examined, getattr(parsed, "place", None),
            )  # fmt: skip
            start += len(none)
            self._release(parsed)

    def _opened(self, path: str) -> Any:
        return self._frame
