"""A million small models: time and peak memory of `ls.play(ls.perceptron(), ..., key=)` beside River's one model a key.

    python benchmarks/keys.py [--keys 1000000] [--river-keys 100000]

Ten rounds a key, in an order drawn at random; a round has ten features among twenty of its key's own taste, from a vocabulary of 1,000.
Each side is a process of its own: its peak is what the system says it held (ru_maxrss), less what it held when the rounds were in memory
and nothing had been played (VmRSS). River is measured on `--river-keys` keys, and scaled where these are fewer.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROUNDS, FEATURES, TASTE, VOCABULARY = 10, 10, 20, 1_000
WIDTH = VOCABULARY + 37 * TASTE


def rounds(keys: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keys, features and labels of all rounds: a key's label hangs on three of its own features."""
    rng = np.random.default_rng(seed)
    owners = rng.permutation(np.repeat(np.arange(keys, dtype=np.int64), ROUNDS))
    features, labels = np.empty((len(owners), FEATURES), np.int32), np.empty(len(owners), np.bool_)
    for a in range(0, len(owners), 100_000):  # some at a time, so that the peak is not that of making them
        own = owners[a : a + 100_000]
        picks = np.argsort(rng.random((len(own), TASTE), np.float32), axis=1)[:, :FEATURES]
        features[a : a + len(own)] = np.sort(((own * 2_654_435_761) % VOCABULARY)[:, None] + 37 * picks, axis=1)
        labels[a : a + len(own)] = (picks < 3).sum(axis=1) >= 2
    return owners, features, labels


def ours(keys: int, resident: int) -> dict:
    import scipy.sparse as sp

    import littlestone as ls

    owners, features, labels = rounds(keys)
    indptr = np.arange(0, features.size + 1, FEATURES)
    X = sp.csr_matrix((np.ones(features.size, np.float32), features.ravel(), indptr), shape=(len(owners), WIDTH))
    del features
    names = [f"u{owner}" for owner in owners.tolist()]
    ls.play(ls.perceptron(), X[:30_000], labels[:30_000], key=names[:30_000])  # compiles
    held = resident_now()
    begun, used = time.perf_counter(), time.process_time()
    run = ls.play(ls.perceptron(), X, labels, key=names, resident=resident)
    return told(run.mistakes, keys, held, begun, used)


def river(keys: int, _: int) -> dict:
    from collections import defaultdict

    from river import linear_model

    owners, features, labels = rounds(keys)
    names = [f"u{owner}" for owner in owners.tolist()]
    del owners
    held = resident_now()
    begun, used = time.perf_counter(), time.process_time()
    models, mistakes = defaultdict(linear_model.Perceptron), 0
    for name, row, label in zip(names, features, labels.tolist(), strict=True):
        x, model = dict.fromkeys(row.tolist(), 1.0), models[name]
        mistakes += bool(model.predict_one(x)) != label
        model.learn_one(x, label)
    return told(mistakes, keys, held, begun, used)


def peak() -> float:
    """Megabytes that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_now() -> float:
    """Megabytes that it holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def told(mistakes: int, keys: int, held: float, begun: float, used: float) -> dict:
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    return {"keys": keys, "mistakes": mistakes, "seconds": seconds, "processor": processor, "peak_mb": peak(), "models_mb": peak() - held}


def measured(side: str, keys: int, resident: int) -> dict:
    """One side, in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--keys", str(keys), "--resident", str(resident)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--river-keys", type=int, default=100_000)
    parser.add_argument("--resident", type=int, default=4_000_000)
    parser.add_argument("--side", choices=("ours", "river"))
    chosen = parser.parse_args()
    if chosen.side:
        print(json.dumps((ours if chosen.side == "ours" else river)(chosen.keys, chosen.resident)))
        return
    mine, theirs = measured("ours", chosen.keys, chosen.resident), measured("river", chosen.river_keys, 0)
    factor = chosen.keys / chosen.river_keys
    scaled = f", measured on {chosen.river_keys:,} keys and scaled" if factor != 1 else ""
    print(f"{chosen.keys:,} keys, {ROUNDS} rounds each, {FEATURES} features a round, Perceptron")
    print("| | processor time | models in memory | mistakes a key |")
    print("| --- | --- | --- | --- |")
    for name, side, times in (("littlestone, one run by key", mine, 1), (f"River, a dict of models{scaled}", theirs, factor)):
        print(
            f"| {name} | {side['processor'] * times:,.1f} s | {side['models_mb'] * times:,.0f} MB | {side['mistakes'] / side['keys']:.3f} |"
        )
    faster, smaller = theirs["processor"] * factor / mine["processor"], mine["models_mb"] / (theirs["models_mb"] * factor)
    print(f"{faster:.1f}x faster (target 5x), {smaller:.2f} of the memory (target 0.5); with all rounds it held {mine['peak_mb']:,.0f} MB.")


if __name__ == "__main__":
    main()
