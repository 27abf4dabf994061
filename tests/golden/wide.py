"""Wide golden files: digests of what every learner and rule does on rows and tables wider than those of `make.py`.

`python tests/golden/wide.py` writes `wide.json` anew; `tests/test_wide_golden.py` compares. It is written anew only where a result is
meant to change. The rows have 0 to 513 features, with denormals, negative zeros, ties and the largest floats among their values; the tables
have 1 to 1,024 experts, some of them asleep. A digest is taken after every 256 rounds, over predictions and state.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import littlestone as ls

sys.path.insert(0, str(Path(__file__).parent))
import make

FILE = Path(__file__).parent / "wide.json"
WIDTHS = (0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 513)
EXPERTS = (1, 7, 8, 9, 127, 129, 513, 1024)
FEATURES, STEP, STEPS, ROUNDS_OF_ADVICE = 600, 256, 3, 300
EDGES = (0.0, -0.0, 1e-45, -1e-45, 1.1754942e-38, 2.0**-126, 1.0, -1.0, 0.1, 0.5, -0.5, 3.0)
LARGEST = (3.4028235e38, -3.4028235e38, 1e30, -1e25)
SMALL = ("halving", "optimal")  # their concepts, or points, are counted one by one: `make.py` has all there is


class Rows(NamedTuple):
    """A matrix, a label for each row (None where there is none), and weights where rounds carry any."""

    X: Any
    y: list
    weights: np.ndarray | None

    def step(self, k: int) -> Rows:
        part = slice(k * STEP, (k + 1) * STEP)
        return Rows(self.X[part], self.y[part], None if self.weights is None else self.weights[part])


@cache
def stream(kind: str) -> Rows:
    """Draw a stream with the generator that is the same everywhere. Kinds: boolean, unit, real, largest, weighted, classes."""
    draw, rounds = make.Draw(sum(map(ord, kind))), STEP * STEPS
    indptr, indices, values, labels = [0], [], [], []
    for t in range(rounds):
        width = WIDTHS[draw.below(len(WIDTHS))] if t % 64 else 513
        start, stride = draw.below(FEATURES), 1 + 2 * draw.below(3)  # 1, 3 or 5; odd multiples below meet no feature twice
        row = sorted({(start + k * (1 if stride == 5 else 7)) % FEATURES for k in range(width)})
        drawn = [value_of(draw, kind) for _ in row]
        score = sum((i % 5 - 2) * v for i, v in zip(row, drawn, strict=True) if abs(v) < 1e6)
        label: Any = score >= 0 if not draw.chance(10) else draw.chance(50)
        if kind == "classes":
            label = make.DRINKS[int(abs(score)) % 4 if not draw.chance(10) else draw.below(4)]
        labels.append(None if draw.chance(5) else label)
        indices += row
        values += drawn
        indptr.append(len(indices))
    X = sparse.csr_matrix((np.array(values, np.float32), np.array(indices, np.int32), np.array(indptr, np.int32)), (rounds, FEATURES))
    weights = np.array([draw.of(make.WEIGHTS) for _ in range(rounds)], np.float32) if kind == "weighted" else None
    return Rows(X, labels, weights)


def value_of(draw: make.Draw, kind: str) -> float:
    if kind == "boolean":
        return 1.0
    if kind == "unit":
        return draw.of((draw.below(257) / 256, 1e-45, 1.0, 0.5))
    if kind == "largest" and draw.chance(3):
        return draw.of(LARGEST)
    return draw.of(EDGES) if draw.chance(20) else (draw.below(20001) - 10000) / 4096


@cache
def table(kind: str, n: int, asleep: bool) -> tuple[np.ndarray, list | None]:
    """Draw advice of n experts and the truths; of losses there are none."""
    draw = make.Draw(1000 + n + len(kind) + asleep)
    advice = np.empty((ROUNDS_OF_ADVICE, n), np.float32)
    for t in range(ROUNDS_OF_ADVICE):
        for i in range(n):
            steps = 2 if kind == "vote" else 65
            advice[t, i] = np.nan if asleep and draw.chance(20) else draw.below(steps) / (steps - 1)
    truth = [None if draw.chance(4) else draw.chance(45) for _ in range(ROUNDS_OF_ADVICE)]
    return advice, None if kind == "loss" else truth


def digest(*parts: Any) -> str:
    written = json.dumps([make.state(part) if isinstance(part, tuple | dict) else part for part in parts], default=make.array)
    return sha256(written.encode()).hexdigest()[:16]


def of_rows(make_learner: Callable[[], Any], kind: str) -> list[str]:
    """Return a digest for every 256 rounds; the run goes on from the model of the one before."""
    rows, model, digests = stream(kind), make_learner(), []
    for k in range(STEPS):
        part = rows.step(k)
        try:
            run = ls.play(model, part.X, part.y, sample_weight=part.weights, scores=getattr(model, "scored", False) if k == 0 else False)
        except ls.LittlestoneError as error:
            return [*digests, f"refused: {type(error).__name__}"]
        model = run.model
        digests.append(digest([str(label) for label in run.predictions.tolist()], run.mistakes, model.state))
    return digests


def of_advice(make_rule: Callable[[], Any], kind: str, n: int, asleep: bool) -> list[str]:
    advice, truth = table(kind, n, asleep)
    try:
        run = ls.play(make_rule(), advice, truth)
    except ls.LittlestoneError as error:
        return [f"refused: {type(error).__name__}"]
    predictions = None if run.predictions is None else [int(p) for p in run.predictions.tolist()]  # of losses there is nothing to predict
    return [digest(predictions, make.number(run.loss), run.state)]


def cases() -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Yield a name and a function for each case."""
    for name, settings, kind in feature_cases():
        yield (
            f"{name} {settings} on {kind}",
            lambda name=name, settings=settings, kind=kind: of_rows(lambda: make.learner_of(name, settings), kind),
        )
    for name in ("panel", "class_panel"):  # as they are today where nothing is set
        for kind in ("real", "weighted", "boolean") if name == "panel" else ("classes",):
            yield f"{name} by default on {kind}", lambda name=name, kind=kind: of_rows(getattr(ls, name), kind)
    for name, all_settings in make.ADVISED.items():
        for settings in all_settings:
            for kind in make.KINDS:
                for n in EXPERTS if settings == all_settings[0] else (9, 129):
                    for asleep in (False, True):
                        text = f"{name} {settings} on {n} experts, {kind}{', some asleep' if asleep else ''}"
                        rule = lambda name=name, settings=settings, kind=kind: getattr(ls, name)(advice=kind, **settings)  # noqa: E731
                        yield text, lambda rule=rule, kind=kind, n=n, asleep=asleep: of_advice(rule, kind, n, asleep)


def feature_cases() -> Iterator[tuple[str, dict, str]]:
    for name, all_settings in (make.TWO | make.SEVERAL).items():
        for settings, streams in all_settings:
            if name in SMALL or settings.get("concepts") or not streams:
                continue
            wide = settings | ({"n": FEATURES} if "n" in settings else {}) | ({"dense": 40} if settings.get("dense") == 8 else {})
            for kind in kinds_for(name, settings, streams):
                yield name, wide, kind


def kinds_for(name: str, settings: dict, streams: tuple[str, ...]) -> tuple[str, ...]:
    if name in make.SEVERAL:
        return ("classes",)
    if not {"real", "weighted", "gaps"} & set(streams):
        return ("unit",) if "unit" in streams else ("boolean",)
    return ("real", "boolean", "largest", "weighted") if settings == make.TWO[name][0][0] else ("real",)


def write() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(digests())}" for name, digests in cases()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    write()
