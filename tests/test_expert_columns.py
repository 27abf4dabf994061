"""Columns of every type become the same rows, cut anywhere; and batches read ahead are closed."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from littlestone.errors import LittlestoneError
from littlestone.kernels import native
from littlestone.streams import expert_columns, expert_sources
from littlestone.streams.expert_columns import ahead
from littlestone.streams.expert_tables import ExpertTable

KINDS = [pa.bool_(), pa.uint8(), pa.int8(), pa.int64(), pa.float32(), pa.float64()]


def votes(rounds, n, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (rounds, n))


def frame(numbers, kind, empty=()):
    columns = {"truth": pa.array(numbers[:, 0] > 0)}
    for k in range(1, numbers.shape[1]):
        cells = [None if (t, k) in empty else bool(x) if pa.types.is_boolean(kind) else x for t, x in enumerate(numbers[:, k].tolist())]
        columns[f"e{k}"] = pa.array(cells, kind)
    return pa.table(columns)


def read(table, **choices):
    blocks = list(ExpertTable(table, **choices).advices())
    return np.concatenate([b[0].table for b in blocks]), np.concatenate([b[0].truth for b in blocks])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("n", [3, 21])
def test_types(kind, n, tmp_path, monkeypatch):
    numbers = votes(333, n + 1)
    table = frame(numbers, kind)
    pa.parquet.write_table(table, tmp_path / "some.parquet", row_group_size=130)
    for cells, step in ((2**18, 2**23), (64, 1)):
        monkeypatch.setattr(expert_columns, "CELLS", cells)
        monkeypatch.setattr(expert_sources, "PIECE", step)
        for source in (tmp_path / "some.parquet", table, table.slice(5).slice(0, 200)):
            rows, truth = read(source, advice="vote")
            wanted = numbers[5:205] if source is not table and isinstance(source, pa.Table) else numbers
            assert rows.dtype == np.float32 and rows.tolist() == wanted[:, 1:].tolist() and truth.tolist() == wanted[:, 0].tolist()


@pytest.mark.parametrize("kind", [pa.bool_(), pa.uint8(), pa.float32(), pa.float64()], ids=str)
def test_empty_cells(kind):
    numbers = votes(100, 10)
    table = ExpertTable(frame(numbers, kind, empty={(3, 2), (70, 9)}), advice="vote")
    rows = np.concatenate([block[0].table for block in table.advices()])
    assert table.slept and np.argwhere(np.isnan(rows)).tolist() == [[3, 1], [70, 8]]
    assert np.nan_to_num(rows, nan=-1).sum() == numbers[:, 1:].sum() - numbers[3, 2] - numbers[70, 9] - 2


def test_batches_that_grow():
    numbers = votes(300, 4)
    parts = [numbers[:2], numbers[2:9], numbers[9:]]
    batches = [frame(part, pa.uint8()).to_batches()[0] for part in parts]
    assert read(pa.Table.from_batches(batches), advice="vote")[0].tolist() == numbers[:, 1:].tolist()


def test_columns_of_several_types():
    numbers = votes(50, 4)
    one, two = frame(numbers, pa.uint8()), frame(numbers, pa.float64())
    assert read(one.set_column(2, "e2", two["e2"]), advice="vote")[0].tolist() == numbers[:, 1:].tolist()


def test_an_infinite_cell_is_refused_by_name():
    table = pa.table({"truth": [1.0, 2.0], "a": [1.0, 2.0], "b": [1.0, float("inf")]})
    with pytest.raises(LittlestoneError, match=r"row 2, column 'b': found 'inf', expected a finite number"):
        read(table)


def test_one_pass_over_votes_counts_what_the_others_count():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, (200, 11)).astype(np.float32)
    table[rng.random(table.shape) < 0.2] = np.nan
    table[7], table[9] = np.nan, 1.0
    truth = rng.integers(-1, 2, 200).astype(np.int32)
    own = np.where(truth >= 0, rng.random(200), np.nan)
    ours, theirs = ([np.zeros(11), np.zeros(11, np.int64), np.zeros(11)] for _ in range(2))
    mean, wanted = np.empty(200), np.empty(200)
    lost, awake, beside = ours
    wrong, whole = np.zeros(11), np.zeros(2)
    native.core.add_cells(lost, wrong, awake, beside, whole, table, truth, own, mean, True)
    assert whole[0] == ((truth >= 0) & ~np.isnan(table).any(axis=1)).sum() > 0 and wrong.tolist() == lost.tolist()
    awake += int(whole[0])
    beside += whole[1]
    native.core.add_rows(*theirs, np.abs(table.astype(float) - truth[:, None]), own)
    native.core.means(table, wanted)
    assert [a.tolist() for a in ours[:2]] == [a.tolist() for a in theirs[:2]] and beside == pytest.approx(theirs[2])
    assert np.array_equal(mean, wanted, equal_nan=True)


def test_first_outside():
    table = np.zeros((4, 9), np.float32)
    assert native.core.first_outside(table, 0.0, 1.0, True) == -1
    table[2, 5], table[2, 7], table[3, 0] = 0.5, 2.0, np.nan
    assert native.core.first_outside(table, 0.0, 1.0, True) == 2 * 9 + 5
    assert native.core.first_outside(table, 0.0, 1.0, False) == 2 * 9 + 7


@pytest.mark.parametrize("many", [1, 2, 9])
def test_reading_ahead_gives_all_stops_and_tells(many):
    closed, before = [], []

    def batches(bad):
        try:
            for k in range(5):
                if k == bad:
                    raise LittlestoneError("damaged")
                yield k
        finally:
            closed.append(bad)

    assert list(ahead(batches(9), many)) == [0, 1, 2, 3, 4]
    found = ahead(batches(8), many)
    assert next(found) == 0
    found.close()
    with pytest.raises(LittlestoneError, match="damaged"):
        before.extend(ahead(batches(2), many))
    assert before == [0, 1]
    assert closed == [9, 8, 2]
