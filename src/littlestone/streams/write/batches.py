"""Parquet and Arrow: label, weight, id, and a list of numbers or names a row, with their values."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from littlestone.errors import require
from littlestone.files import PACKED, STANDARD, UnclosedFile
from littlestone.protocol import Block
from littlestone.streams.write import cells
from littlestone.streams.write.cells import Spelled
from littlestone.streams.write.shape import Shape, spelled

NAME = pa.dictionary(pa.int32(), pa.large_string())
GROUP = 2**20  # features in a row group: enough to pack well, few enough to read several at a time


class Batches(ABC):
    """A writer of record batches."""

    format: ClassVar[str]
    cannot: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[bool] = True

    def __init__(self, shape: Shape, out: Any, path: str) -> None:
        require(not path.endswith(PACKED), f"{path}: {self.format} is packed inside; expected a name without .gz or .zst")
        self.shape = shape
        self.names = Spelled(shape.names, str)
        self.kind = self._kind()
        features = pa.field("indices", pa.list_(item(pa.uint32()))) if shape.names is None else pa.field("names", pa.list_(item(NAME)))
        fields = [pa.field("label", self.kind)]
        fields += [pa.field("weight", pa.float32())] if shape.weights else []
        fields += [pa.field("id", pa.string())] if shape.ids else []
        fields += [features]
        fields += [pa.field("values", pa.list_(item(pa.float32())))] if shape.values else []
        self.schema = pa.schema(fields)
        self.open(out, path)

    def _kind(self) -> pa.DataType:
        """Of the labels: whole numbers where they are, text where they are or where more may come."""
        labels = self.shape.labels
        if self.shape.classes or any(isinstance(label, str) for label in labels):
            return pa.string()
        return pa.int64() if all(float(label).is_integer() for label in labels) else pa.float64()

    @property
    def labels(self) -> pa.Array:
        texts = pa.array(list(map(spelled, self.shape.labels)), pa.string())
        return texts if self.kind == pa.string() else texts.cast(self.kind)

    @abstractmethod
    def open(self, out: Any, path: str) -> None:
        """Begin the file."""

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Add some rows."""

    def take(self, block: Block) -> None:
        for start, stop in cells.pieces(block, most=GROUP):
            self.write(self.batch(block.cut(start, stop)))

    def batch(self, block: Block) -> pa.RecordBatch:
        unlabelled = block.labels < 0
        labels = self.labels
        columns = [labels.take(pa.array(np.maximum(block.labels, 0), mask=unlabelled))]
        if self.shape.weights:
            columns.append(pa.array(cells.weights_of(block)))
        if self.shape.ids:
            columns.append(pa.array([id or None for id in block.ids] if block.ids else [None] * len(block), pa.string()))
        ends = pa.array(block.indptr.astype(np.int32))
        lists: Any = pa.array(block.indices)
        if self.shape.names is not None:
            lists = pa.DictionaryArray.from_arrays(pa.array(block.indices.astype(np.int32)), self.names.known())
        columns.append(pa.ListArray.from_arrays(ends, lists, type=self.schema.field(len(columns)).type))
        if self.shape.values:
            values = np.ones(len(block.indices), np.float32) if block.values is None else block.values
            columns.append(pa.ListArray.from_arrays(ends, pa.array(values), type=self.schema.field(len(columns)).type))
        return pa.record_batch(columns, schema=self.schema)

    def finish(self) -> None:
        self.writer.close()

    writer: Any


def item(kind: pa.DataType) -> pa.Field:
    return pa.field("item", kind, nullable=False)


class ArrowWriter(Batches):
    """The file format; the stream format on standard output, which cannot be read from its end."""

    format = "arrow"

    def open(self, out: Any, path: str) -> None:
        # names are appended to the dictionary as they come, not written anew with every batch
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        sink = pa.PythonFile(UnclosedFile(out), "w")
        self.writer = (pa.ipc.new_stream if path == STANDARD else pa.ipc.new_file)(sink, self.schema, options=options)

    def write(self, batch: pa.RecordBatch) -> None:
        self.writer.write_batch(batch)


class ParquetWriter(Batches):
    format = "parquet"

    def open(self, out: Any, path: str) -> None:
        import pyarrow.parquet as pq

        self.waiting: list[pa.RecordBatch] = []
        self.features = 0
        # numbers plain, as they lie in memory: packing makes such files little smaller, and reading them twice as slow
        packed = self.shape.names is not None
        options = {"use_dictionary": packed, "compression": "snappy" if packed else "none"}
        self.writer = pq.ParquetWriter(pa.PythonFile(UnclosedFile(out), "w"), self.schema, store_schema=False, **options)

    def take(self, block: Block) -> None:
        super().take(block.copy())  # it waits for its row group, and a lent block does not

    def write(self, batch: pa.RecordBatch) -> None:
        self.waiting.append(batch)
        self.features += len(batch.column("indices" if self.shape.names is None else "names").values) + len(batch)
        if self.features >= GROUP:
            self._flush()

    def _flush(self) -> None:
        if self.waiting:
            table = pa.Table.from_batches(self.waiting, self.schema).unify_dictionaries()
            self.writer.write_table(table.combine_chunks(), row_group_size=max(1, table.num_rows))
        self.waiting, self.features = [], 0

    def finish(self) -> None:
        self._flush()
        self.writer.close()
