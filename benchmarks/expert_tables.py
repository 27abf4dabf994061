"""A thousand experts' votes from a Parquet file through `littlestone experts`: speed beside memory's and pyarrow's own, and peak memory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import CommandFailed, Missing, Row, interleaved, peak_memory, run_command

EXPERTS, ROUNDS, GROUP = 1_000, 1_000_000, 50_000
BLOCK = 2**26  # floats that numpy adds up: 256 MB, far more than any cache
COMMAND = [sys.executable, "-m", "littlestone", "experts", "--switches", "0", "--quiet"]


def write(path: Path, rounds: int) -> None:
    """Votes as bytes, right with a probability between 0.35 and 0.6, one expert with 0.7; 20 row groups of 50,000 rows for a million."""
    rng = np.random.default_rng(0)
    skill = rng.uniform(0.35, 0.6, EXPERTS)
    skill[7] = 0.7
    schema = pa.schema([(name, pa.uint8()) for name in ("truth", *(f"e{k}" for k in range(EXPERTS)))])
    with pq.ParquetWriter(path, schema) as out:
        for start in range(0, rounds, GROUP):
            truth = rng.integers(0, 2, min(GROUP, rounds - start), dtype=np.uint8)
            votes = (truth ^ (rng.random(len(truth), dtype=np.float32) >= skill[k]) for k in range(EXPERTS))
            out.write_batch(pa.record_batch([pa.array(truth), *(pa.array(v.astype(np.uint8)) for v in votes)], schema=schema))


def expert_tables(quick: bool = False) -> Iterator[Row | Missing]:
    """l: a thousand experts, a million rounds; the bytes of advice are those of the float32 rows that a rule weighs."""
    rounds = ROUNDS // 10 if quick else ROUNDS
    job = f"l  {EXPERTS:,} experts x {rounds:,} votes"
    with tempfile.TemporaryDirectory() as folder:
        path, quarter = Path(folder, "votes.parquet"), Path(folder, "quarter.parquet")
        write(path, rounds)
        write(quarter, rounds // 4)
        block = np.ones(BLOCK, np.float32)

        def pyarrow() -> None:
            for _ in pq.ParquetFile(path).iter_batches(8_192):
                pass

        contenders = {"ours": lambda: run_command([*COMMAND, str(path)]), "pyarrow": pyarrow, "numpy": block.sum}
        try:
            seconds = interleaved(contenders, 1 if quick else 5)
            peaks = [(peak_memory([*COMMAND, str(path)]), peak_memory([*COMMAND, str(quarter)])) for _ in range(1 if quick else 3)]
        except CommandFailed as failure:
            yield Missing(job, str(failure))
            return
    cells = rounds * EXPERTS
    ours, memory = 4 * cells / seconds["ours"] / 1e9, 4 * BLOCK / seconds["numpy"] / 1e9
    speed = f"{np.median(ours):.2f} GB/s"
    yield Row(f"{job}, Parquet", speed, f"numpy.sum {np.median(memory):.2f} GB/s", ours / memory, 0.05)
    mine, theirs = (f"{np.median(seconds[name]):.1f} s" for name in ("ours", "pyarrow"))
    yield Row(f"{job}, Parquet", mine, f"pyarrow, reading it {theirs}", seconds["ours"] / seconds["pyarrow"], 1.5, at_most=True)
    large, small = (f"{np.median([pair[k] for pair in peaks]):.0f} MB" for k in (0, 1))
    yield Row("l  peak memory of it", large, f"a quarter of it {small}", np.array([a / b for a, b in peaks]), 1.15, at_most=True)


if __name__ == "__main__":
    for row in expert_tables("--quick" in sys.argv):
        print("  ".join(row.cells()), flush=True)
