"""Zeros and ones of Parquet as bits: what pyarrow reads, whatever wrote them; everything else is left to pyarrow."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from littlestone.kernels.columns_to_rows import turned
from littlestone.streams.expert_tables import ExpertTable
from littlestone.streams.formats.parquet import ParquetReader
from littlestone.streams.pages import Unusual
from littlestone.streams.vote_pages import put_packed, put_same, votes_of

KINDS = [pa.bool_(), pa.uint8(), pa.int64(), pa.float32(), pa.float64()]
FILES = [
    {},
    {"compression": "none"},
    {"compression": "zstd", "data_page_version": "2.0"},
    {"data_page_size": 40},
    {"data_page_size": 40, "data_page_version": "2.0", "compression": "snappy"},
]


def columns_of(kind, rows, seed=0):
    """Mixed, constant, in long runs, and runs between mixed ones: every way that a writer has for them."""
    rng = np.random.default_rng(seed)
    mixed = rng.integers(0, 2, rows)
    runs = np.repeat(rng.integers(0, 2, rows), rng.integers(1, 40, rows))[:rows]
    both = np.where(np.arange(rows) // 100 % 2, mixed, runs)
    lists = {"mixed": mixed, "other": 1 - mixed, "zeros": 0 * mixed, "ones": 0 * mixed + 1, "runs": runs, "both": both}
    return pa.table({name: pa.array(numbers).cast(kind) for name, numbers in lists.items()})


def opened(path, group=0):
    stored = pa.OSFile(str(path))
    metadata = pa.parquet.ParquetFile(stored).metadata
    return votes_of(stored, metadata, group, range(metadata.num_columns))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("options", FILES, ids=str)
@pytest.mark.parametrize("required", [False, True])
def test_bits_are_what_pyarrow_reads(kind, options, required, tmp_path):
    for rows in (1, 7, 64, 1003):
        table = columns_of(kind, rows)
        if required:
            table = table.cast(pa.schema([field.with_nullable(False) for field in table.schema]))
        pa.parquet.write_table(table, tmp_path / "votes.parquet", **options)
        bits = opened(tmp_path / "votes.parquet")
        for k, column in enumerate(table.columns):
            assert np.unpackbits(bits[k], count=rows, bitorder="little").tolist() == column.cast(pa.uint8()).to_pylist()


@pytest.mark.parametrize("cell", [None, 2, -1, 0.5, float("nan")])
def test_what_is_no_vote_is_left_to_pyarrow(cell, tmp_path):
    numbers = [0.0, 1.0] * 50
    numbers[77] = cell
    pa.parquet.write_table(pa.table({"a": pa.array([0.0, 1.0] * 50), "b": pa.array(numbers, pa.float64())}), tmp_path / "few.parquet")
    with pytest.raises(Unusual):
        opened(tmp_path / "few.parquet")


def test_plain_numbers_are_left_to_pyarrow(tmp_path):
    pa.parquet.write_table(pa.table({"a": [0, 1, 1]}), tmp_path / "plain.parquet", use_dictionary=False)
    with pytest.raises(Unusual):
        opened(tmp_path / "plain.parquet")


def test_damaged_pages_are_left_to_pyarrow_or_hold_bits(tmp_path):
    """Whatever byte is spoiled, nothing is read or written beside the page: the answer is refused, or has as many bits."""
    table, path = columns_of(pa.uint8(), 200), tmp_path / "votes.parquet"
    pa.parquet.write_table(table, path, compression="none")
    whole, rng = path.read_bytes(), np.random.default_rng(1)
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    refused = 0
    for _ in range(1_500):
        spoiled = bytearray(whole)
        spoiled[int(rng.integers(4, end))] ^= int(rng.integers(1, 256))
        path.write_bytes(spoiled)
        try:
            assert opened(path).shape == (6, 25)
        except (Unusual, ValueError, IndexError, OSError):
            refused += 1
    assert refused > 300


def test_a_table_is_the_same_as_bits_and_through_pyarrow(tmp_path, monkeypatch):
    """And where one of its row groups has a sleeper, the groups from there on go through pyarrow."""
    votes = np.random.default_rng(2).integers(0, 2, (1_000, 12)).astype(float)
    votes[650, 3] = np.nan
    names = ["truth", *(f"e{k}" for k in range(11))]
    table = pa.table({name: pa.array(votes[:, k], from_pandas=True) for k, name in enumerate(names)})
    pa.parquet.write_table(table, tmp_path / "votes.parquet", row_group_size=300)

    def blocks():
        return [(block[0].table, block[0].truth) for block in ExpertTable(tmp_path / "votes.parquet", advice="vote").advices()]

    as_bits = blocks()
    asked = []
    monkeypatch.setattr(ParquetReader, "_votes", lambda *_: asked.append(1))
    through_pyarrow = blocks()
    assert asked
    for part in (0, 1):
        one, other = (np.concatenate([block[part] for block in every]) for every in (as_bits, through_pyarrow))
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes()


def test_a_square_is_turned():
    square = np.random.default_rng(0).integers(0, 2, (8, 8), dtype=np.uint8)
    word, across = (np.packbits(bits, axis=1, bitorder="little").tobytes() for bits in (square, square.T))
    assert int(turned(np.frombuffer(word, np.uint64)[0])) == int.from_bytes(across, "little")


@pytest.mark.parametrize("first", [0, 3, 8, 13])
@pytest.mark.parametrize("count", [1, 5, 8, 29])
def test_bits_behind_others(first, count):
    text = np.array([0b10110010, 0b01111000, 0b11001101, 0b10101010], np.uint8)
    wanted = np.zeros(48, np.uint8)
    wanted[first : first + count] = np.unpackbits(text, bitorder="little")[:count] ^ 1
    bits = np.zeros(6, np.uint8)
    put_packed(text, 0, 255, bits, first, count)
    assert np.unpackbits(bits, bitorder="little").tolist() == wanted.tolist()
    bits[:], wanted[first : first + count] = 0, 1
    put_same(bits, first, count)
    assert np.unpackbits(bits, bitorder="little").tolist() == wanted.tolist()
