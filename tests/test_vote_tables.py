"""Tables of zeros and ones in Parquet: the votes are those that were written, however they were written."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from littlestone.streams.expert_tables import ExpertTable

KINDS = [pa.bool_(), pa.uint8(), pa.int64(), pa.float32(), pa.float64()]
FILES = [
    {},
    {"compression": "none"},
    {"compression": "zstd", "data_page_version": "2.0"},
    {"data_page_size": 40},
    {"data_page_size": 40, "data_page_version": "2.0", "compression": "snappy"},
]


def columns_of(kind, rows):
    """Mixed, constant, in long runs, and runs between mixed ones: every way that a writer has for them."""
    rng = np.random.default_rng(0)
    mixed = rng.integers(0, 2, rows)
    runs = np.repeat(rng.integers(0, 2, rows), rng.integers(1, 40, rows))[:rows]
    both = np.where(np.arange(rows) // 100 % 2, mixed, runs)
    lists = {"truth": mixed, "other": 1 - mixed, "zeros": 0 * mixed, "ones": 0 * mixed + 1, "runs": runs, "both": both}
    lists |= {f"more{k}": rng.integers(0, 2, rows) for k in range(14)}
    return pa.table({name: pa.array(numbers).cast(kind) for name, numbers in lists.items()})


def read(path):
    blocks = [(block[0].table, block[0].truth) for block in ExpertTable(path, advice="vote").advices()]
    return tuple(np.concatenate(parts) for parts in zip(*blocks, strict=True))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("options", FILES, ids=str)
@pytest.mark.parametrize("required", [False, True])
def test_votes_are_what_was_written(kind, options, required, tmp_path):
    for rows in (1, 7, 64, 1003):
        table = columns_of(kind, rows)
        if required:
            table = table.cast(pa.schema([field.with_nullable(False) for field in table.schema]))
        pa.parquet.write_table(table, tmp_path / "votes.parquet", row_group_size=700, **options)
        votes, truth = read(tmp_path / "votes.parquet")
        expected = np.array([column.cast(pa.uint8()).to_pylist() for column in table.columns])
        assert truth.tolist() == expected[0].tolist()
        assert votes.tolist() == expected[1:].T.tolist()


def test_an_expert_may_sleep_in_a_later_row_group(tmp_path):
    votes = np.random.default_rng(2).integers(0, 2, (1_000, 12)).astype(float)
    votes[650, 3] = np.nan
    names = ["truth", *(f"e{k}" for k in range(11))]
    table = pa.table({name: pa.array(votes[:, k], from_pandas=True) for k, name in enumerate(names)})
    pa.parquet.write_table(table, tmp_path / "votes.parquet", row_group_size=300)
    found, truth = read(tmp_path / "votes.parquet")
    assert np.array_equal(found, votes[:, 1:].astype(np.float32), equal_nan=True) and truth.tolist() == votes[:, 0].tolist()
