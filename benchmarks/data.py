"""The stream that every contender plays: text-like rows, seeded, kept under .cache/bench once generated."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "bench"
VERSION = 1  # raise it when the numbers below change: old caches are then left alone

SEED = 1988
ROWS, FIRST_ROWS = 200_000, 20_000
COLUMNS = 47_236  # as in RCV1, the text collection this imitates
WORDS = 88  # drawn with repetition from a Zipf law, about 70 distinct ones remain in a row
NOISE = 0.5  # of the margin's standard deviation: the best linear rule errs on arctan(NOISE)/π of the rows, 15 %
BATCH = 10_000  # rows generated at a time, so that memory stays small; part of what the seed means


@dataclass(frozen=True)
class Data:
    """The same rows in every form: arrays, libsvm text, and VW text."""

    folder: Path
    rows: int

    @cached_property
    def float32(self) -> sp.csr_matrix:
        indptr, indices, values = (np.load(self.folder / f"{name}.npy") for name in ("indptr", "indices", "values"))
        stop = indptr[self.rows]
        return sp.csr_matrix((values[:stop], indices[:stop], indptr[: self.rows + 1]), shape=(self.rows, COLUMNS))

    @cached_property
    def float64(self) -> sp.csr_matrix:
        return self.float32.astype(np.float64)

    @cached_property
    def boolean(self) -> sp.csr_matrix:
        X = self.float32
        return sp.csr_matrix((np.ones(X.nnz, np.bool_), X.indices, X.indptr), shape=X.shape)

    @cached_property
    def labels(self) -> np.ndarray:
        return np.load(self.folder / "labels.npy")[: self.rows]

    @property
    def libsvm(self) -> Path:
        return self.folder / f"{self.rows}.libsvm"

    @property
    def vw(self) -> Path:
        return self.folder / f"{self.rows}.vw"


def load(*, quick: bool = False) -> Data:
    """The data, generated on the first call. `quick` gives the first 20,000 rows of the same stream."""
    folder = CACHE / f"v{VERSION}-{SEED}-{ROWS}x{COLUMNS}"
    if not folder.exists():
        unfinished = folder.with_suffix(".part")  # renamed at the end: an interrupted run leaves no half stream behind
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        _generate(unfinished)
        unfinished.rename(folder)
    return Data(folder, FIRST_ROWS if quick else ROWS)


def _generate(folder: Path) -> None:
    rng = np.random.default_rng(SEED)
    popularity = 1 / np.arange(1, COLUMNS + 1)
    popularity /= popularity.sum()
    cumulated = np.cumsum(popularity)
    column_of = rng.permutation(COLUMNS)  # popular words stand anywhere in the dictionary
    # Smoothed inverse document frequency, from the law itself: the chance that a word stands in a row
    idf = 1 - np.log(-np.expm1(WORDS * np.log1p(-popularity)))
    weights = rng.standard_normal(COLUMNS)  # by rank, as idf

    lengths, indices, texts, margins = [], [], [], []
    for _ in range(ROWS // BATCH):
        rank = np.minimum(np.searchsorted(cumulated, rng.random((BATCH, WORDS))), COLUMNS - 1)
        row, times = np.unique(np.arange(BATCH)[:, None] * COLUMNS + column_of[rank], return_counts=True)
        row, column = np.divmod(row, COLUMNS)
        rank = np.argsort(column_of)[column]
        values = (1 + np.log(times)) * idf[rank]
        values /= np.sqrt(np.bincount(row, values**2))[row]
        margins.append(np.bincount(row, values * weights[rank]))
        lengths.append(np.bincount(row))
        indices.append(column.astype(np.int32))
        texts.append([f"{value:.6g}" for value in values.tolist()])
    margin = np.concatenate(margins)
    labels = (margin + NOISE * margin.std() * rng.standard_normal(ROWS) > 0).astype(np.int32)

    np.save(folder / "labels.npy", labels)
    np.save(folder / "indptr.npy", np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int64))
    np.save(folder / "indices.npy", np.concatenate(indices))
    # The arrays hold what the text says, not what it was rounded from: memory and file must give the same run
    np.save(folder / "values.npy", np.concatenate([np.array(text, np.float64).astype(np.float32) for text in texts]))

    data = Data(folder, ROWS)
    with data.libsvm.open("w") as libsvm, data.vw.open("w") as vw:
        for batch, (sizes, columns, text) in enumerate(zip(lengths, indices, texts, strict=True)):
            entries = [f"{i + 1}:{value}" for i, value in zip(columns.tolist(), text, strict=True)]
            stop = 0
            for t, size in enumerate(sizes.tolist()):
                start, stop = stop, stop + size
                row = " ".join(entries[start:stop])
                positive = labels[batch * BATCH + t]
                libsvm.write(f"{'+1' if positive else '-1'} {row}\n")
                vw.write(f"{'1' if positive else '-1'} | {row}\n")
    for path in (data.libsvm, data.vw):
        with path.open() as whole, path.with_stem(str(FIRST_ROWS)).open("w") as part:
            part.writelines(next(whole) for _ in range(FIRST_ROWS))
