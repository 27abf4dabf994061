"""Checksums of Parquet pages: whoever reads the file refuses a page that is not what its checksum was made of, and says where it is."""

from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of_files

ROWS, GROUP = 600, 200
KINDS = {
    "plain": {"compression": "none", "use_dictionary": False},
    "coded": {"compression": "none"},
    "packed": {"compression": "zstd", "use_dictionary": False, "data_page_version": "2.0"},
}


def lists():
    rng = np.random.default_rng(3)
    values = np.round(rng.uniform(1, 2, (ROWS, 5)), 3).astype(np.float32)
    indices = np.tile(np.arange(5, dtype=np.uint32), (ROWS, 1))
    columns = {"label": pa.array(rng.integers(0, 2, ROWS)), "indices": pa.array(list(indices)), "values": pa.array(list(values))}
    return pa.table(columns)


def spoiled(path, table, column, **options):
    """A file of three row groups in which one bit of the column in the second is another."""
    pa.parquet.write_table(table, path, row_group_size=GROUP, write_page_checksum=True, **options)
    chunk = next(
        chunk
        for chunk in map(pa.parquet.ParquetFile(path).metadata.row_group(1).column, range(table.num_columns))
        if chunk.path_in_schema.split(".")[0] == column
    )
    whole = bytearray(path.read_bytes())
    begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
    whole[begin + chunk.total_compressed_size - 3] ^= 4  # no header is there, and so it stands under the checksum
    path.write_bytes(whole)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["values", "label"])
def test_a_run_is_refused_in_one_line(tmp_path, kind, column):
    path = tmp_path / "rows.parquet"
    spoiled(path, lists(), column, **KINDS[kind])
    answer = CliRunner().invoke(app, ["run", str(path), "--learner", "perceptron", "--quiet"])
    assert type(answer.exception) is LittlestoneError  # exit code 2, and no other: a claim is not refused
    assert f"rows.parquet: is damaged or cut off (column '{column}' of row group 2 of 3: the bytes of a page" in str(answer.exception)


def test_the_plain_reader_says_the_same(tmp_path):
    path = tmp_path / "rows.parquet"
    spoiled(path, lists(), "values", **KINDS["plain"])
    with pytest.raises(LittlestoneError, match="column 'values' of row group 2 of 3"):
        list(rounds_of_files([str(path)], Reading(format="parquet", label="label", named=False), [0, 1]))


def test_votes_are_refused(tmp_path):
    path, rng = tmp_path / "votes.parquet", np.random.default_rng(1)
    table = pa.table({name: pa.array(rng.integers(0, 2, ROWS).astype(np.uint8)) for name in ("truth", "a", "b")})
    spoiled(path, table, "b", compression="none")
    answer = CliRunner().invoke(app, ["experts", str(path), "--truth", "truth", "--quiet"])
    assert type(answer.exception) is LittlestoneError and "column 'b' of row group 2 of 3" in str(answer.exception)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_is_read_as_ever(tmp_path, kind):
    runs = []
    for checked in (False, True):
        pa.parquet.write_table(lists(), tmp_path / "rows.parquet", row_group_size=GROUP, write_page_checksum=checked, **KINDS[kind])
        runs.append(ls.play(ls.perceptron(), ls.open_stream(str(tmp_path / "rows.parquet"))).mistakes)
    assert runs[0] == runs[1]


def test_a_row_group_of_fewer_rows_than_none_is_refused_by_both_readers(tmp_path):
    path = tmp_path / "rows.parquet"
    pa.parquet.write_table(pa.table({"label": [1, 0] * 77, "a": list(range(154))}), path, row_group_size=77)
    whole, found = path.read_bytes(), b"\x16\x9a\x01"  # 77 in a footer; the odd number before it means -77
    places = [k for k in range(len(whole)) if whole.startswith(found, k)]
    for k in places:
        path.write_bytes(whole[: k + 1] + b"\x99" + whole[k + 2 :])
        with suppress(OSError):
            if pa.parquet.read_metadata(path).row_group(1).num_rows == -77:
                break
    else:
        pytest.fail("the footer has no such number")
    why = "rows.parquet: is damaged or cut off .row group 2 of 2 says that it has -77 rows"
    with pytest.raises(ls.LittlestoneError, match=why):
        ls.play(ls.perceptron(), ls.open_stream(path))
    with pytest.raises(ls.LittlestoneError, match=why):
        list(rounds_of_files([str(path)], Reading(format="parquet", label="label", named=True), [0, 1]))
