"""The certificate of a run by key: every key's rounds are played and certified alone, and the bounds are added up."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from littlestone.api.keyed import with_keys
from littlestone.api.play import play
from littlestone.errors import require
from littlestone.streams import Stream
from littlestone.streams.instances import streamed
from littlestone.theory.keyed_certificate import KeyedCertificate, sealed_by_key

MOST = 1_000  # keys of one certificate: for each of them the stream is read again


def certify_by_key(
    run: Any, X: Any, y: Any, key: Any, certify_one: Callable[..., Any], weights: Any, how: dict[str, Any]
) -> KeyedCertificate:
    """A certificate for each key, and their sum. `how` is how the rounds were played."""
    names = run.keys
    require(
        len(names) <= MOST, f"{len(names):,} keys: expected at most {MOST:,} in one certificate; --key COLUMN=KEY certifies one of them"
    )
    X, keys = with_keys(streamed(X, y), key)
    require(not isinstance(X, Stream) or X.is_file, "the stream can be read only once, and a certificate needs a second look")
    parts = {}
    for name in names:
        own, labels, weighing = rows_of_key(X, y, weights, keys, name)
        alone = play(run.learner, own, labels, sample_weight=weighing, **how)
        require(alone.mistakes == run.key(name).mistakes, f"key {name!r}: these are other rounds than the run's, or read in another way")
        parts[name] = certify_one(alone, own, labels, sample_weight=weighing, **how)
    return sealed_by_key(X.reading.key if isinstance(X, Stream) else key if isinstance(key, str) else None, parts)


def rows_of_key(X: Any, y: Any, weights: Any, keys: Sequence[str] | None, name: str) -> tuple[Any, Any, Any]:
    """The rounds of one key: of a stream, one that reads them alone."""
    if keys is None:
        return X.of_key(name), y, weights
    own = np.flatnonzero(np.array(keys, object) == name)
    return chosen(X, own), chosen(y, own), chosen(weights, own)


def chosen(rows: Any, numbers: np.ndarray) -> Any:
    if rows is None:
        return None
    return rows[numbers] if hasattr(rows, "shape") else [rows[k] for k in numbers.tolist()]
