"""Names made to fall together in a table: nobody can make them who does not know the seed of the process."""

import os
import subprocess
import sys

import numpy as np

import littlestone as ls
from littlestone.rounds.features import FACTOR, SEED, hash64
from littlestone.streams import vocabulary
from littlestone.streams.vocabulary import Vocabulary

U = np.uint64


def colliding(count: int) -> list[str]:
    """Names of sixteen letters with one and the same hash: the second half is chosen to undo what the first half did."""
    rng, names = np.random.default_rng(1), dict[str, None]()
    goal = U(0x6162636465666768)
    while len(names) < count:
        first = rng.integers(97, 123, (500_000, 8), np.uint8)
        h = (U(SEED) ^ U(16) ^ first.view("<u8")[:, 0]) * U(FACTOR)
        second = (h ^ (h >> U(32)) ^ goal).view(np.uint8).reshape(-1, 8)
        good = ((second >= 65) & (second <= 122) & (second != 96)).all(1)
        names |= dict.fromkeys(row.tobytes().decode() for row in np.hstack([first, second])[good])
    return list(names)[:count]


def test_names_of_one_hash_are_spread_over_the_table():
    names = colliding(100)
    assert len(set(names)) == 100 and len({hash64(name.encode()) for name in names}) == 1
    vocabulary = Vocabulary()
    assert vocabulary.columns_of(names).tolist() == list(range(100))
    slots = np.flatnonzero(vocabulary._slots)
    assert len(np.unique(vocabulary._hashes[:100])) == 100
    places = vocabulary._hashes[:100] & U(len(vocabulary._slots) - 1)
    assert np.mean(slots[np.searchsorted(slots, places) % len(slots)] == places) > 0.9 and len(np.unique(places)) > 50


def test_what_is_learned_does_not_depend_on_the_seed(tmp_path, monkeypatch):
    rng, runs = np.random.default_rng(2), []
    words = rng.integers(40, size=(300, 3))
    text = "".join(f"{a % 2} |a w{a} long_long_long_{b} |b x{c}:2\n" for a, b, c in words)
    (tmp_path / "a.vw").write_text(text)
    for seed in (0, 1, 2**64 - 1):
        for module in ("vocabulary", "line_rows"):
            monkeypatch.setattr(f"littlestone.streams.{module}.TABLE_SEED", seed)
        stream = ls.open_stream(tmp_path / "a.vw")
        run = ls.play(ls.perceptron(), stream)
        runs.append((run.predictions.tolist(), run.state[0].tolist(), stream.names.names()))
    assert runs[0] == runs[1] == runs[2]


def test_every_process_has_a_seed_of_its_own_and_bits_stay_where_they_are():
    code = "from littlestone.streams import vocabulary as k; from littlestone.streams.vocabulary import Hashed; "
    code += "print(k.TABLE_SEED, Hashed(20).columns_of(['free', 'nine byte']).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True).stdout
    seed, columns = done.split(" ", 1)
    assert int(seed) != int(vocabulary.TABLE_SEED)
    assert columns.strip() == str([hash64(name) % 2**20 for name in (b"free", b"nine byte")])
