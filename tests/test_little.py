"""A few rows are played without the compiler: to the same bits."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.api.certify import floor_of
from littlestone.cli.little import FEW, LEARNERS, LITTLE, interpret_if_little
from littlestone.cli.options import ReadingOptions
from littlestone.cli.stream_run import RunOptions
from littlestone.learners.reductions.class_panel import of_panel
from littlestone.witnesses.stream_digest import Digest

PLAYED = """
import json, sys
from littlestone.kernels import interpreted
interpreted.choose()
sys.path.insert(0, sys.argv[1])
from test_little import played
print(json.dumps(played(sys.argv[2])))
assert "numba" not in sys.modules
"""


def few_rows(folder: Path) -> None:
    """Values and presence by columns, several classes, and names of one to many bytes."""
    draws = random.Random(3)
    words = ["the", "quick", "brown_and_longer_than_eight", "é", "x:2.5", "y:0.1", "z:-3e-2", "lazy"]
    with (
        (folder / "values.libsvm").open("w") as values,
        (folder / "three.libsvm").open("w") as three,
        (folder / "words.vw").open("w") as vw,
    ):
        for _ in range(24):
            columns = sorted(draws.sample(range(1, 40), 9))
            row = " ".join(f"{i}:{draws.uniform(-2, 2):.6g}" if draws.random() < 0.8 else f"{i}:1" for i in columns)
            print(f"{draws.choice((-1, 1)):+} {row}", file=values)
            print(f"{draws.choice((1, 2, 3))} {row}", file=three)
            print(f"{draws.choice((-1, 1))} |a {' '.join(draws.sample(words, 5))} |b k{draws.randint(1, 5)}", file=vw)


def played(folder: str) -> dict[str, str]:
    """What each learner leaves of each file: predictions, state, bounds with their facts, and the one that compares, in one digest."""
    results = {}
    for name in sorted(LEARNERS):
        for path in sorted(Path(folder).glob("*.*")):
            several = path.stem == "three"
            if several and name != "panel":
                continue
            learner = of_panel(ls.panel()) if several else getattr(ls, name)()
            run = ls.play(learner, ls.open_stream(path))
            arrays = [run.predictions, *run.hypothesis.arrays().values()]
            text = [(array.dtype.str, repr(array.tolist())) for array in arrays]
            text.append(repr([(bound.name, bound.facts, bound.limit_exact) for bound in run.bounds()]))
            if name == "perceptron":
                text.append(repr(floor_of(run, ls.open_stream(path)).facts))
                text.extend(digest_of(path, names) for names in (None, [f"{'x' * (i % 12)}{i}" for i in range(60)]))
            results[f"{name} {path.name}"] = hashlib.sha256(json.dumps(text).encode()).hexdigest()
    return results


def digest_of(path: Path, names: list[str] | None) -> str:
    digest = Digest(names, weighted=False, boolean=False, segment=False)
    for block in ls.open_stream(path).blocks():
        digest.add(block)
    return digest.text()


def test_results_without_the_compiler_are_the_same_bits(tmp_path):
    few_rows(tmp_path)
    command = [sys.executable, "-c", PLAYED, str(Path(__file__).parent), str(tmp_path)]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert plain.stderr == ""
    assert json.loads(plain.stdout) == played(str(tmp_path))


@pytest.mark.parametrize(
    ("lines", "options", "little"),
    [
        (FEW, {}, True),
        (FEW + 1, {}, False),
        (FEW, {"learner": "winnow"}, False),
        (FEW, {"delay": 3}, False),
        (FEW, {"learner": "perceptron:bias=0", "search": False}, True),
    ],
)
def test_only_a_usual_run_of_a_few_rows_does_without_it(tmp_path, monkeypatch, lines, options, little):
    path, chosen = tmp_path / "rows.libsvm", []
    path.write_text("1 1:1\n" * lines)
    assert path.stat().st_size < LITTLE
    monkeypatch.setattr("littlestone.kernels.interpreted.choose", lambda: chosen.append(True))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels-1").mkdir()
    interpret_if_little([str(path)], ReadingOptions(), RunOptions(**options))
    assert bool(chosen) == little


def test_more_rows_do_without_it_while_nothing_is_compiled(tmp_path, monkeypatch):
    path, chosen = tmp_path / "rows.libsvm", []
    monkeypatch.setattr("littlestone.kernels.interpreted.choose", lambda: chosen.append(True))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "none"))
    for lines in (5 * FEW, 10 * FEW):
        path.write_text("1 1:1\n" * lines)
        interpret_if_little([str(path)], ReadingOptions(), RunOptions())
    assert chosen == [True]
