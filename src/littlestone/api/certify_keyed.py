"""The certificate of a run by key: every key's rounds are played and certified alone, and the bounds are added up."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from littlestone.api.certify_spread import joined, shares
from littlestone.api.keyed import with_keys
from littlestone.api.play import play
from littlestone.errors import require
from littlestone.streams import Stream
from littlestone.streams.instances import streamed
from littlestone.theory.keyed_certificate import KeyedCertificate, sealed_by_key

MOST = 1_000  # keys of one certificate: for each of them the stream is read again


def certify_by_key(
    run: Any, X: Any, y: Any, key: Any, certify_one: Callable[..., Any], weights: Any, how: dict[str, Any], workers: Any = None
) -> KeyedCertificate:
    """A certificate for each key, and their sum; workers, where there are some, make those of some keys each. `how` is how the rounds were
    played."""
    names = run.keys
    require(
        len(names) <= MOST, f"{len(names):,} keys: expected at most {MOST:,} in one certificate; --key COLUMN=KEY certifies one of them"
    )
    X, keys = with_keys(streamed(X, y), key)
    require(not isinstance(X, Stream) or X.is_file, "the stream can be read only once, and a certificate needs a second look")
    mistakes = {name: run.key(name).mistakes for name in names}
    if workers is None:
        parts = certified_keys(run.learner, (X, y, weights, keys), mistakes, certify_one, how)
    else:
        sent = workers.send((X, y, weights, keys))
        groups = [{name: mistakes[name] for name in group} for group in shares(names, workers)]
        tasks = [workers.submit(certified_keys, run.learner, sent, group, certify_one, how) for group in groups]
        parts = joined(names, workers.gather(tasks))
    return sealed_by_key(X.reading.key if isinstance(X, Stream) else key if isinstance(key, str) else None, parts)


def certified_keys(
    learner: Any, rounds: tuple, mistakes: Mapping[str, int], certify_one: Callable[..., Any], how: Mapping[str, Any]
) -> dict[str, Any]:
    """The certificates of some keys, each with the mistakes that it made, as a task."""
    X, y, weights, keys = rounds
    parts = {}
    for name, made in mistakes.items():
        own, labels, weighing = rows_of_key(X, y, weights, keys, name)
        alone = play(learner, own, labels, sample_weight=weighing, **how)
        require(alone.mistakes == made, f"key {name!r}: these are other rounds than the run's, or read in another way")
        parts[name] = certify_one(alone, own, labels, sample_weight=weighing, **how)
    return parts


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
