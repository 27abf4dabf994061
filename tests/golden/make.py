"""Golden files: what the library does, written down, so that a later version can be held against it.

`python tests/golden/make.py` writes everything in this folder anew; `tests/test_golden.py` compares. A golden file is written anew only
where a result is meant to change, never to make a test pass.

- `runs/NAME.json`: every learner, reduction and rule of the catalogue, played over small streams: predictions, states, bounds.
- `streams/`: streams and tables of experts as files; of each stream there is a second part, `NAME-later`, to go on with.
- `certificates/` and `models/`: what was written of these files. They must verify, load and go on for ever.
- `files.json`, `tables.json`, `events.json`, `commands.json`: what the models say, and what the commands print.

Nothing of the library is used but what `littlestone` itself exports, and the command line; and files are read in their first meaning, in
which these were made. Numbers are exact: doubles as `float.hex` writes
them, fractions as text, arrays as the bytes they hold.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import shutil
import signal
import sys
import zlib
from base64 import b64decode, b64encode
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from math import nan
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls
from littlestone.rounds.reading import Reading

HERE = Path(__file__).parent
STREAMS, RUNS, CERTIFICATES, MODELS = (HERE / name for name in ("streams", "runs", "certificates", "models"))

# --------------------------------------------------------------------------------------------------------------------- made streams


class Draw:
    """Numbers that are the same everywhere: a linear congruential generator of 64 bits, of which the upper half is used."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, most: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % most

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def of(self, some: Any) -> Any:
        return some[self.below(len(some))]


@dataclass
class Stream:
    """Rows {feature: value}, a label for each (None where there is none), and weights where rounds carry any."""

    rows: list[dict]
    labels: list
    weights: list[float] | None = None
    boolean: bool = False

    def instances(self) -> list:
        """Rows as they are played: sets where every value is 1."""
        return [set(row) for row in self.rows] if self.boolean else self.rows

    def part(self, start: int, stop: int) -> Stream:
        weights = self.weights and self.weights[start:stop]
        return Stream(self.rows[start:stop], self.labels[start:stop], weights, self.boolean)


def boolean_rows(draw: Draw, rounds: int, n: int, percent: int) -> list[dict]:
    return [{i: 1 for i in range(n) if draw.chance(percent)} for _ in range(rounds)]


def disjunction(seed: int = 1, rounds: int = 150, n: int = 12, relevant: tuple = (1, 4, 9), noise: int = 0, gaps: int = 0) -> Stream:
    """Labels are an OR of variables; of a hundred, so many are turned round, and so many left out."""
    draw = Draw(seed)
    rows = boolean_rows(draw, rounds, n, 22)
    labels = [None if draw.chance(gaps) else any(i in row for i in relevant) != draw.chance(noise) for row in rows]
    return Stream(rows, labels, boolean=True)


def conjunction() -> Stream:
    """x0 and x2 and not x5, of 8 variables."""
    rows = boolean_rows(Draw(2), 120, 8, 60)
    return Stream(rows, [0 in row and 2 in row and 5 not in row for row in rows], boolean=True)


def threshold() -> Stream:
    """At least 2 of 4 variables among 10."""
    rows = boolean_rows(Draw(3), 120, 10, 35)
    return Stream(rows, [sum(i in row for i in (0, 3, 5, 8)) >= 2 for row in rows], boolean=True)


def points() -> Stream:
    """One of 16 points; the label is 1 from the sixth on."""
    draw = Draw(4)
    rows = [{draw.below(16): 1} for _ in range(80)]
    return Stream(rows, [min(row) >= 5 for row in rows], boolean=True)


def drift() -> Stream:
    """One variable labels 50 rounds, another the next 50, and so on."""
    rows = boolean_rows(Draw(5), 200, 12, 22)
    return Stream(rows, [(2, 7, 0, 5)[t // 50] in row for t, row in enumerate(rows)], boolean=True)


TARGET = (2, -1, 1, 0, 0.5, 0, -2, 0)
VALUES = (-2, -1, -0.5, 0.1, 0.25, 0.3, 0.7, 1, 1.5, 3)


def halfspace(seed: int, rounds: int, noise: int = 0, gap: float = 0.0, silent: int = 0, weights: tuple = ()) -> Stream:
    """Sparse rows of 8 real features, labelled by a halfspace; those nearer to it than the gap are left out."""
    draw, rows, labels, carried = Draw(seed), [], [], []
    while len(rows) < rounds:
        row = {i: draw.of(VALUES) for i in range(8) if draw.chance(60)}
        side = sum(TARGET[i] * value for i, value in row.items())
        if abs(side) < gap:
            continue
        rows.append(row)
        labels.append(None if draw.chance(silent) else (side >= 0) != draw.chance(noise))
        carried.append(draw.of(weights) if weights else 1.0)
    return Stream(rows, labels, carried if weights else None)


def unit() -> Stream:
    """Values in eighths from 0 to 1; x0 + x1 is at least 1, or at most 1/2."""
    draw, rows, labels = Draw(8), [], []
    while len(rows) < 120:
        values = [draw.below(9) / 8 for _ in range(6)]
        if values[0] + values[1] >= 1 or values[0] + values[1] <= 0.5:
            rows.append({i: value for i, value in enumerate(values) if value})
            labels.append(values[0] + values[1] >= 1)
    return Stream(rows, labels)


SPAM, HAM, BOTH = (
    ("free", "offer", "win", "prize", "now"),
    ("lunch", "minutes", "monday", "meeting", "notes"),
    ("the", "at", "for", "today"),
)


def mail() -> Stream:
    """Words with their counts; one label in twelve is wrong."""
    draw, rows, labels = Draw(9), [], []
    for _ in range(100):
        spam = draw.chance(45)
        row: dict = {}
        for _ in range(2 + draw.below(4)):
            word = draw.of((SPAM if spam else HAM) if draw.chance(60) else BOTH if draw.chance(70) else SPAM + HAM)
            row[word] = row.get(word, 0) + 1
        rows.append(row)
        labels.append(spam != draw.chance(8))
    return Stream(rows, labels)


DRINKS = ("tea", "coffee", "milk", "water")


def several(seed: int, boolean: bool, weights: tuple = ()) -> Stream:
    """Four classes: each announced by a feature of its own, where rows are boolean; else by the largest of four sums, some labels wrong."""
    draw, rows, labels, carried = Draw(seed), [], [], []
    for _ in range(120):
        place = draw.below(4)
        if boolean:
            row = {place: 1, **{i: 1 for i in range(4, 12) if draw.chance(25)}}
        else:
            row = {i: draw.of(VALUES) for i in range(8) if draw.chance(60)}
            sums = [row.get(k, 0) - row.get(k + 4, 0) / 2 for k in range(4)]
            place = draw.below(4) if draw.chance(8) else sums.index(max(sums))
        rows.append(row)
        labels.append(None if draw.chance(4) else DRINKS[place])
        carried.append(draw.of(weights) if weights else 1.0)
    return Stream(rows, labels, carried if weights else None, boolean)


WEIGHTS = (1.0, 0.0, 0.5, 3.0, 0.1, 1.0)
MADE = {
    "boolean": disjunction(11, 140, noise=10, gaps=8),
    "conjunction": conjunction(),
    "disjunction": disjunction(),
    "few": disjunction(12, 60, 4, (0, 2)),
    "gaps": halfspace(6, 120, gap=0.4, silent=12),
    "mail": mail(),
    "points": points(),
    "real": halfspace(7, 160, noise=8),
    "threshold": threshold(),
    "unit": unit(),
    "weighted": halfspace(13, 120, noise=6, weights=WEIGHTS),
    "classes": several(14, boolean=False),
    "own features": several(15, boolean=True),
    "weighted classes": several(16, boolean=False, weights=WEIGHTS),
}


class Advised(NamedTuple):
    """What experts said in each round, and the truths (None where there is none; no truths of losses)."""

    table: list[list[float]]
    truth: list | None


def advised(seed: int, kind: str, sleeping: bool = False, rounds: int = 80, n: int = 6) -> Advised:
    """Experts of different skill; the best one changes after two thirds of the rounds."""
    draw, table, truth = Draw(seed), [], []
    for t in range(rounds):
        y = draw.chance(45)
        row: list[float] = []
        for i in range(n):
            skill = (60, 70, 90 if t < rounds * 2 // 3 else 40, 50, 80, 30)[i % 6]
            right = draw.chance(skill)
            if kind == "vote":
                opinion = float(y == right)
            elif kind == "probability":
                opinion = (draw.below(32) + (32 if y == right else 0)) / 64
            else:
                opinion = (draw.below(48) + (0 if right else 16)) / 64
            row.append(nan if sleeping and draw.chance(15 if i else 0) else opinion)
        table.append(row)
        truth.append(None if kind != "loss" and draw.chance(4) else y)
    return Advised(table, None if kind == "loss" else truth)


KINDS = ("vote", "probability", "loss")
ADVICE = {kind: advised(20 + k, kind) for k, kind in enumerate(KINDS)}
ADVICE |= {f"{kind}, some asleep": advised(30 + k, kind, sleeping=True) for k, kind in enumerate(KINDS)}

# ----------------------------------------------------------------------------------------------------------------- what is played

REAL = ("real", "boolean", "gaps", "weighted", "mail")
COUNTS = ("boolean", "disjunction", "mail")
NOISY = ("boolean", "disjunction", "threshold")

#: Learners of two classes: settings, and the streams they are played over. The first settings are the usual ones.
TWO: dict[str, list[tuple[dict, tuple[str, ...]]]] = {
    "adaptive": [({}, REAL), ({"eta": "1/10", "bias": 1}, REAL[:4]), ({"eta": 2, "bias": "1/2"}, REAL[:1])],
    "alma": [({}, REAL), ({"alpha": 1}, REAL[:2]), ({"alpha": "1/2", "bias": 1}, REAL[:2])],
    "apple_tasting": [({}, REAL[:2]), ({"taste": "1/4", "bias": 1, "seed": 3}, REAL[:1])],
    "arow": [({}, REAL), ({"r": "1/10", "bias": 1}, REAL[:4]), ({"r": 10, "bias": "1/2"}, REAL[:1])],
    "arow_full": [({"dense": 8}, REAL), ({}, REAL[:1]), ({"r": 10, "dense": 3, "bias": "1/2"}, REAL[:4])],
    "balanced_winnow": [({}, REAL), ({"eta": "1/8"}, REAL[:2]), ({"eta": "1/2", "margin": "1/10"}, REAL[:3]), ({"eta": 300}, REAL[:1])],
    "coin": [({}, REAL), ({"wealth": 1, "bias": 1}, REAL[:4])],
    "conjunctions": [({}, ("conjunction", "boolean")), ({"n": 8}, ("conjunction",))],
    "disjunctions": [({}, ("disjunction", "boolean")), ({"n": 12}, ("disjunction",))],
    "halving": [
        ({"concepts": "disjunctions", "n": 12}, ("disjunction",)),
        ({"concepts": "disjunctions", "n": 12, "updates": "mistakes"}, ("disjunction",)),
        ({"concepts": "disjunctions", "n": 12, "r": 3}, ("disjunction",)),
        ({"concepts": "conjunctions", "n": 8}, ("conjunction",)),
        ({"concepts": "half_intervals", "n": 16}, ("points",)),
    ],
    "memorizer": [({}, ("points", "boolean", "few", "real", "mail"))],
    "naive_bayes": [({}, (*COUNTS, "unit", "weighted")), ({"alpha": 1}, COUNTS), ({"alpha": "1/1000"}, COUNTS)],
    "normalized": [({}, REAL), ({"eta": "1/2", "bias": 1, "loss": "squared"}, REAL[:4]), ({"eta": 4, "bias": "1/2"}, REAL[:1])],
    "optimal": [
        ({"concepts": "half_intervals", "n": 16}, ("points",)),
        ({"concepts": "disjunctions", "n": 4}, ("few",)),
    ],
    "pairs": [({}, REAL), ({"eta": "1/2", "most": 3, "room": 5, "bias": 0}, REAL[:4])],
    "passive_aggressive": [
        ({}, REAL),
        ({"C": "1/10", "bias": 1}, REAL[:4]),
        ({"C": None}, REAL[:2]),
        ({"C": 2, "variant": "II", "bias": "1/2"}, REAL[:4]),
    ],
    "perceptron": [
        ({}, REAL),
        ({"bias": 1}, REAL[:4]),
        ({"averaged": True, "bias": 1}, REAL[:4]),
        ({"margin": "3/2", "bias": "1/2"}, REAL[:4]),
        ({"margin": 2, "averaged": True}, REAL[:2]),
        ({"n": 12, "preset": "disjunction", "k": 3}, ("disjunction",)),
    ],
    "pnorm": [({"n": 16}, REAL), ({"p": 2}, REAL[:2]), ({"p": 5}, REAL[:4]), ({"p": 100}, REAL[:1])],
    "second_order": [({"dense": 8}, REAL[:4]), ({"a": 10, "dense": 3, "bias": "1/2"}, REAL[:2])],
    "selective": [({}, REAL[:4]), ({"b": "1/10", "bias": 1, "seed": 7}, REAL[:2])],
    "shifting": [({}, REAL[:4]), ({"lam": 5, "bias": 1}, REAL[:2])],
    "winnow": [
        ({"n": 12}, (*NOISY, "weighted")),
        ({"n": 12, "alpha": "3/2"}, NOISY),
        ({"n": 12, "alpha": "11/10", "theta": 1}, NOISY[:1]),
        ({"n": 12, "alpha": 3, "theta": "5/2"}, NOISY[:1]),
        ({"n": 12, "k": 2}, NOISY),
    ],
    "winnow_doubling": [({"n": 12}, NOISY), ({"n": 12, "largest": 2}, NOISY)],
    "winnow_elimination": [({"n": 12}, NOISY), ({"n": 12, "theta": "7/2"}, NOISY)],
    "winnow_real": [
        ({"n": 12}, ("unit", "boolean")),
        ({"n": 6, "alpha": "3/2", "complement": True}, ("unit",)),
        ({"n": 6, "delta": 1, "alpha": 1024, "complement": True}, ("unit",)),
    ],
    "conservative": [
        ({"learner": "passive_aggressive", "bias": 1}, REAL),
        ({"learner": "adaptive"}, REAL[:4]),
        ({"learner": "arow_full", "dense": 3}, REAL[:2]),
        ({"learner": "coin", "bias": 1}, REAL[:2]),
        ({"learner": "halving", "concepts": "disjunctions", "n": 12}, ("disjunction",)),
        ({"learner": "perceptron", "margin": "1/2"}, REAL[:4]),
        ({"learner": "winnow", "n": 12, "alpha": "3/2"}, NOISY[:1]),
    ],
    "panel": [
        ({}, ("weighted",)),
        ({"members": "perceptron:bias=1 arow adaptive:eta=1/10"}, REAL[:2]),
        ({"members": "winnow winnow_elimination perceptron", "n": 12, "rule": "fixed_share:alpha=1/100"}, NOISY),
        ({"members": ["passive_aggressive", "balanced_winnow", "coin"], "rule": "weighted_majority", "blend": False}, REAL[:2]),
        ({"members": "naive_bayes pnorm:p=4 alma", "rule": "hedge:eta=1/2", "blend": False}, COUNTS[:1]),
        ({"forecast": True, "calibrate": False}, ("weighted",)),  # before forecasts had bins
        ({"forecast": True}, ("weighted",)),  # before the label was the forecast's
        ({"forecast": True, "label_by": "forecast"}, ("weighted",)),  # as a panel is today where nothing is said
    ],
}

#: Learners of several classes. A reduction is given the name of a learner, with its settings.
SEVERAL: dict[str, list[tuple[dict, tuple[str, ...]]]] = {
    "multiclass_perceptron": [({}, ("classes", "own features", "weighted classes")), ({"n": 12}, ("classes",))],
    "banditron": [({}, ("classes",)), ({"explore": "1/3", "seed": 3}, ("classes", "own features"))],
    "one_vs_rest": [
        ({"learner": "perceptron", "bias": 1}, ("classes", "own features", "weighted classes")),
        ({"learner": "adaptive"}, ("classes",)),
        ({"learner": "arow"}, ("classes", "weighted classes")),
        ({"learner": "disjunctions"}, ("own features",)),
        ({"learner": "winnow", "n": 12}, ("own features",)),
    ],
    "all_pairs": [
        ({"learner": "perceptron", "averaged": True}, ("classes", "own features", "weighted classes")),
        ({"learner": "passive_aggressive", "C": "1/10"}, ("classes",)),
        ({"learner": "winnow", "n": 12, "alpha": "3/2"}, ("own features",)),
    ],
}

FIRST_MEMBERS = (  # of the panel of several classes, before the discriminant sat there
    "multiclass_perceptron arow:bias=1 arow:r=10:bias=1 arow_full:bias=1 adaptive:eta=1:bias=1 adaptive:eta=1/10:bias=1 "
    "normalized:eta=2:bias=1 normalized:eta=1/2:loss=squared:bias=1 normalized:eta=1/10:loss=squared:bias=1 naive_bayes:alpha=1/10 "
    "naive_bayes:alpha=1 pairs:most=16:bias=1"
)
SEVERAL["class_panel"] = [
    ({}, ("classes",)),
    ({"members": "perceptron:bias=1 arow", "blend": False}, ("own features", "weighted classes")),
    ({"discriminant": True}, ("classes",)),  # before that of logarithms sat there
    ({"discriminant": True, "logs": True}, ("classes",)),  # before the label was the forecast's
    ({"discriminant": True, "logs": True, "label_by": "forecast"}, ("classes",)),  # as a panel is today where nothing is said
]

SOME = ("vote", "loss", "probability, some asleep")

#: Rules over experts: settings beside the kind of advice. The usual ones are played over advice of every kind, with and without experts
#: asleep, the others over some of it.
ADVISED: dict[str, list[dict]] = {
    "adahedge": [{}, {"seed": 5}],
    "boa": [{}],
    "exp3": [{}, {"eta": "1/5"}, {"rounds": 80, "seed": 2}],
    "exp3_ix": [{}, {"eta": "1/5"}, {"rounds": 80, "seed": 2}],
    "fixed_share": [{}, {"alpha": "1/100", "eta": "1/2"}, {"beta": "1/3"}, {"form": "deterministic"}],
    "follow_leader": [{}],
    "hedge": [{}, {"eta": "1/2"}, {"rounds": 80, "seed": 3}, {"eta": 5}],
    "ml_poly": [{}],
    "ml_prod": [{}],
    "perturbed_leader": [{}, {"eta": 2, "seed": 4}],
    "randomized_weighted_majority": [{}, {"epsilon": "1/2", "seed": 7}],
    "rule_of_rules": [{}, {"members": 9}],
    "sleeping_adahedge": [{}, {"seed": 5}],
    "tracking": [{}, {"seed": 5}],
    "specialists": [{}, {"eta": "1/10"}, {"form": "deterministic", "beta": "1/10"}],
    "weighted_majority": [{}, {"beta": "9/10", "updates": "always"}, {"beta": 0}],
}

#: What is declared of every run; a run whose learner has no theorem about it refuses, and nothing is written down.
ASSUMED = (
    "class", "conjunction:size=2", "disjunction:r=3", "expert:m=30", "function", "k_of_r:k=2,r=4", "margin:gamma=1/10",
    "margin:gamma=1/5,R=6", "margin:gamma=1/10,U=4", "separable:U=2,delta=1/2",
)  # fmt: skip
OF_EXPERTS = ("expert:m=12", "expert:m=25", "expert:m=25,S=2")


class Case(NamedTuple):
    """One learner or rule, its settings, and the stream or advice that it is played over."""

    name: str
    settings: dict
    stream: str

    @property
    def text(self) -> str:
        return f"{described(self.settings)} on {self.stream}"


def described(settings: dict) -> str:
    return ", ".join(f"{key}={value}" for key, value in settings.items()) or "as usual"


def cases(name: str) -> list[Case]:
    """Every run of this name."""
    if name in ADVISED:
        usual, *others = ADVISED[name]
        return [Case(name, usual, advice) for advice in ADVICE] + [Case(name, settings, advice) for settings in others for advice in SOME]
    return [Case(name, settings, stream) for settings, streams in (TWO | SEVERAL)[name] for stream in streams]


def learner_of(name: str, settings: dict) -> Any:
    if name in SEVERAL and "learner" in settings:
        inside = {key: value for key, value in settings.items() if key != "learner"}
        return getattr(ls, name)(getattr(ls, settings["learner"])(**inside))
    before: dict[str, Any] = {"forecast": False, "label_by": "vote"} if name == "panel" else {}  # before panels forecast
    if name == "class_panel":
        before = {"weigh": False, "logs": False, "label_by": "vote"} | (
            {} if settings else {"members": FIRST_MEMBERS}
        )  # as it was before these
    return getattr(ls, name)(**{**before, **settings})


def catalogue() -> dict[str, str]:
    """Every name of the catalogue, with what it learns: two classes, several classes, advice."""
    return {entry["name"]: entry["learns"] for entry in json.loads(command("learners", "--json"))["learners"]}


# ------------------------------------------------------------------------------------------------------------- how it is written


def number(value: Any) -> Any:
    """Whole numbers and truth values as they are, doubles as `float.hex` has them."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.bool_ | np.integer):
        return value.item()
    return float(value).hex()


def array(values: Any, kept: bool = True) -> str:
    """Type, shape and bytes in one text: the bytes as hex digits, packed where they are many, or only their digest if not kept."""
    values = np.asarray(values)
    values = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    content, head = values.tobytes(), f"{values.dtype.str} {'x'.join(map(str, values.shape))}"
    if not kept:
        return f"{head} sha256 {sha256(content).hexdigest()}"
    if len(content) <= 64:
        return f"{head} hex {content.hex()}"
    packed = zlib.compress(content, 9)
    how, content = ("zlib", packed) if len(packed) < len(content) else ("base64", content)
    return f"{head} {how} {b64encode(content).decode()}"


def array_of(text: str) -> np.ndarray | None:
    """The array that such a text stands for; None where it is no such text, or only a digest."""
    parts = text.split(" ")
    if len(parts) != 4 or parts[2] not in UNPACKED:
        return None
    shape = tuple(map(int, filter(None, parts[1].split("x"))))
    return np.frombuffer(UNPACKED[parts[2]](parts[3]), parts[0]).reshape(shape)


UNPACKED = {"hex": bytes.fromhex, "base64": b64decode, "zlib": lambda text: zlib.decompress(b64decode(text))}


def state(value: Any) -> Any:
    """Every array of a state, by its name where it has one."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, dict):
        return {str(key): state(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        names = getattr(value, "_fields", None) or map(str, range(len(value)))
        return {name: state(part) for name, part in zip(names, value, strict=True)}
    return number(value)


def bits(values: Any) -> str | None:
    return None if values is None else "".join("1" if value else "0" for value in values)


def claim(one: Any) -> list:
    """What a bound says of a run: its name, what it assumes, its kind, limit, exact limit, what was observed, and whether it holds."""
    return [one.name, one.assumes, one.kind, number(one.limit), one.limit_exact, number(one.observed), one.holds]


def bounds(run: Any, assumptions: tuple[str, ...]) -> dict[str, list]:
    """Every bound without an assumption, and for each assumption that the learner has a theorem about, the bounds that it adds."""
    claims = {"": [claim(one) for one in run.bounds()]}
    for assumption in assumptions:
        try:
            claims[assumption] = [record for record in map(claim, run.bounds(assumption)) if record not in claims[""]]
        except ls.LittlestoneError:
            continue
    return claims


def played(case: Case) -> Any:
    """The run of a case; None where the learner refuses the stream."""
    if case.name in ADVISED:
        kind, advice = case.stream.split(",")[0], ADVICE[case.stream]
        try:
            return ls.play(getattr(ls, case.name)(**case.settings, advice=kind), np.array(advice.table), advice.truth)
        except ls.LittlestoneError:
            return None
    stream = MADE[case.stream]
    try:
        return ls.play(learner_of(case.name, case.settings), stream.instances(), stream.labels, sample_weight=stream.weights)
    except ls.LittlestoneError:
        return None


def scored(case: Case) -> str | None:
    """The digest of each round's score, of a learner of two classes that has any."""
    stream = MADE[case.stream]
    learner = learner_of(case.name, case.settings)
    try:
        run = ls.play(learner, stream.instances(), stream.labels, sample_weight=stream.weights, scores=True)
    except ls.LittlestoneError:
        return None
    return array(run.scores, kept=case.name in ROUNDED)


def record(case: Case) -> dict[str, Any]:
    """What a run gave, as it is written down."""
    run = played(case)
    if run is None:
        return {"refused": True}
    if case.name in ADVISED:
        return of_advice(run) | ({"mix": array(run.mix)} if case.settings == ADVISED[case.name][0] else {})
    if case.name in SEVERAL:
        return of_classes(run)
    return {
        "predictions": bits(run.predictions),
        "rounds": run.rounds,
        "unlabelled": run.unlabelled,
        "mistakes": run.mistakes,
        "false_positives": run.false_positives,
        "false_negatives": run.false_negatives,
        "weighted_mistakes": number(run.weighted_mistakes),
        "updates": bits(run.updates),
        "scores": scored(case),
        "arithmetic": run.arithmetic,
        "baselines": run.baselines,
        "members": [[seat.name, seat.mistakes, number(seat.weight)] for seat in run.members] if case.name == "panel" else None,
        "state": state(run.state),
        "bounds": bounds(run, ASSUMED),
    }


def of_classes(run: Any) -> dict[str, Any]:
    return {
        "classes": list(run.classes),
        "predictions": "".join("-" if code < 0 else str(code) for code in run.codes),
        "rounds": run.rounds,
        "unlabelled": run.unlabelled,
        "mistakes": run.mistakes,
        "weighted_mistakes": number(run.weighted_mistakes),
        "confusion": run.confusion.tolist(),
        "arithmetic": run.arithmetic,
        "state": state({"own": run.state} if isinstance(run.state, tuple) and not run.members else {}),
        "members": [[seat.name, seat.mistakes, number(seat.weight)] for seat in run.members]
        if isinstance(run.members, tuple)
        else {str(name): [part.rounds, part.mistakes, state(part.state)] for name, part in run.members.items()},
        "bounds": bounds(run, ASSUMED),
    }


def of_advice(run: Any) -> dict[str, Any]:
    losses = run.predictions is None
    return {
        "predictions": bits(run.predictions),
        "rounds": run.rounds,
        "unlabelled": run.unlabelled,
        "mistakes": None if losses else run.mistakes,
        "majority_mistakes": None if losses else run.majority_mistakes,
        "loss": number(run.loss),
        "expected_loss": number(run.expected_loss),
        "choices": run.choices.tolist() if losses else None,
        "losses": array(run.losses),
        "weights": array(run.weights),
        "state": state(run.state),
        "bounds": bounds(run, OF_EXPERTS),
    }


#: States are the same bit for bit on every machine: kernels have an exponential and a logarithm of their own, and the compiler may not
#: reorder sums. Not so where a rate goes through the machine's own exp and log, as those of rules over experts do, and so of a panel:
#: there doubles may differ by 1e-12. So may limits whose facts numpy adds up, in an order of its own, or raises to a power.
ROUNDED = frozenset(ADVISED) - {"follow_leader"} | {"panel", "class_panel"}
ROUNDED_LIMITS = ROUNDED | {"adaptive", "all_pairs", "conservative", "multiclass_perceptron", "one_vs_rest", "perceptron", "pnorm"}

# ------------------------------------------------------------------------------------------------------------------ streams as files


def shown(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def libsvm(stream: Stream) -> str:
    lines = []
    for row, y in zip(stream.rows, stream.labels, strict=True):
        label = [] if y is None else [str(DRINKS.index(y)) if isinstance(y, str) else "1" if y else "-1"]
        lines.append(" ".join([*label, *(f"{i}:{shown(value)}" for i, value in row.items())]))
    return "\n".join(lines) + "\n"


def vw(stream: Stream) -> str:
    lines = []
    for t, (row, y) in enumerate(zip(stream.rows, stream.labels, strict=True)):
        weight = "" if stream.weights is None else f" {shown(stream.weights[t])}"
        head = "" if y is None else f"{1 if y else -1}{weight} 'r{t} "
        lines.append(head + " ".join(["|", *(f"{i}" if value == 1 else f"{i}:{shown(value)}" for i, value in row.items())]))
    return "\n".join(lines) + "\n"


def cells(stream: Stream, delimiter: str, labels: tuple[str, str]) -> str:
    """A column for each of 8 features, and one for the weights where there are any."""
    lines = [["label", *(["weight"] if stream.weights else []), *(f"x{i}" for i in range(8))]]
    for t, (row, y) in enumerate(zip(stream.rows, stream.labels, strict=True)):
        weight = [] if stream.weights is None else [shown(stream.weights[t])]
        lines.append(["" if y is None else labels[y], *weight, *(shown(row.get(i, 0)) for i in range(8))])
    return "\n".join(map(delimiter.join, lines)) + "\n"


def jsonl(stream: Stream) -> str:
    lines = []
    for row, y in zip(stream.rows, stream.labels, strict=True):
        features = {i if isinstance(i, str) else f"f{i}": value for i, value in row.items()}
        lines.append(json.dumps(({} if y is None else {"label": "yes" if y else "no"}) | {"features": features}))
    return "\n".join(lines) + "\n"


def text(stream: Stream) -> str:
    lines = []
    for row, y in zip(stream.rows, stream.labels, strict=True):
        lines.append(f"{'spam' if y else 'ham'}\t{' '.join(word for word, count in row.items() for _ in range(count))}")
    return "\n".join(lines) + "\n"


def flights(start: int, stop: int) -> str:
    """A table whose label is a test of a column: late flights of some carriers, at some hours."""
    draw, lines = Draw(17), []
    for _ in range(stop):
        carrier, place, hour = draw.of(("UA", "AA", "DL")), draw.of(("JFK", "LGA", "EWR")), 5 + draw.below(18)
        late = (20 if carrier == "UA" else 0) + 2 * (hour - 12) + draw.below(25) - 5
        lines.append(f"{carrier},{place},{hour},{late}")
    return "\n".join(["carrier,from,hour,late", *lines[start:]]) + "\n"


def late_labels() -> str:
    """VW text whose labels come three rows later, by the tag of the row."""
    stream, lines, waiting = MADE["gaps"].part(0, 60), [], []
    for t, (row, y) in enumerate(zip(stream.rows, stream.labels, strict=True)):
        lines.append(f"'r{t} | " + " ".join(f"{i}:{shown(value)}" for i, value in row.items()))
        waiting.append((t, y))
        if len(waiting) > 3:
            tag, label = waiting.pop(0)
            lines += [] if label is None else [f"{1 if label else -1} 'r{tag} |"]
    return "\n".join(lines) + "\n"


#: Files: how they are written, and how they are read where a reader must be told.
WRITTEN = {
    "boolean.vw": lambda part: vw(part(MADE["boolean"])),
    "conjunction.libsvm": lambda part: libsvm(part(MADE["conjunction"])),
    "conjunction.vw": lambda part: vw(part(MADE["conjunction"])),
    "disjunction.jsonl": lambda part: jsonl(part(MADE["disjunction"])),
    "disjunction.libsvm": lambda part: libsvm(part(MADE["disjunction"])),
    "few.vw": lambda part: vw(part(MADE["few"])),
    "gaps.csv": lambda part: cells(part(MADE["gaps"]), ",", ("0", "1")),
    "gaps.vw": lambda part: vw(part(MADE["gaps"])),
    "mail.jsonl": lambda part: jsonl(part(MADE["mail"])),
    "mail.txt": lambda part: text(part(MADE["mail"])),
    "points.libsvm": lambda part: libsvm(part(MADE["points"])),
    "real.libsvm": lambda part: libsvm(part(MADE["real"])),
    "real.tsv": lambda part: cells(part(MADE["real"]), "\t", ("no", "yes")),
    "threshold.libsvm": lambda part: libsvm(part(MADE["threshold"])),
    "unit.libsvm": lambda part: libsvm(part(MADE["unit"])),
    "weighted.csv": lambda part: cells(part(MADE["weighted"]), ",", ("0", "1")),
    "weighted.vw": lambda part: vw(part(MADE["weighted"])),
}
READ: dict[str, dict[str, Any]] = {
    "flights.csv": {"label": "late>15", "bins": {"hour": 4}},
    "mail.txt": {"ngrams": 2},
    "weighted.csv": {"weight": "weight"},
}


def first_part(stream: Stream) -> Stream:
    return stream.part(0, len(stream.rows) * 2 // 3)


def second_part(stream: Stream) -> Stream:
    return stream.part(len(stream.rows) * 2 // 3, len(stream.rows))


def later(file: str) -> str:
    stem, ending = file.split(".")
    return f"{stem}-later.{ending}"


def table_file(advice: Advised, delimiter: str) -> str:
    names = [f"expert{i}" for i in range(len(advice.table[0]))]
    lines = [["round", *([] if advice.truth is None else ["truth"]), *names]]
    for t, row in enumerate(advice.table):
        truth = [] if advice.truth is None else ["" if advice.truth[t] is None else str(int(advice.truth[t]))]
        lines.append([str(t + 1), *truth, *("" if value != value else shown(value) for value in row)])
    return "\n".join(map(delimiter.join, lines)) + "\n"


def forecasts(sleeping: bool) -> list[tuple[float, list[float]]]:
    """Temperatures and four who forecast them; with sleepers one begins late, and all are silent at times."""
    draw, rows, before = Draw(18), [], 10.0
    for day in range(70):
        warm = round(before + (draw.below(61) - 30) / 10 + 0.1 * (10 - before), 1)
        values = [before, 10.0, round(warm + draw.below(31) / 10 - 1, 1), round(warm + draw.below(21) / 10 - 1 + (4 if day > 45 else 0), 1)]
        if sleeping:
            values = [nan if draw.chance(10) or (i == 3 and day < 20) else value for i, value in enumerate(values)]
        rows.append((warm, values))
        before = warm
    return rows


def days(sleeping: bool) -> str:
    lines = ["day,truth,yesterday,always10,station,model"]
    for day, (warm, values) in enumerate(forecasts(sleeping), 1):
        lines.append(",".join([str(day), shown(warm), *("" if value != value else shown(value) for value in values)]))
    return "\n".join(lines) + "\n"


def long_days() -> str:
    """A row for each forecast, those of a day side by side; who is silent has no row."""
    lines = ["day,who,says,truth"]
    for day, (warm, values) in enumerate(forecasts(sleeping=True), 1):
        for who, value in zip(("yesterday", "always10", "station", "model"), values, strict=True):
            lines += [] if value != value else [f"{day},{who},{shown(value)},{shown(warm)}"]
    return "\n".join(lines) + "\n"


def chances() -> str:
    advice = ADVICE["probability"]
    assert advice.truth is not None
    lines = []
    for y, row in zip(advice.truth, advice.table, strict=True):
        lines.append(json.dumps({"truth": None if y is None else int(y)} | {f"expert{i}": value for i, value in enumerate(row)}))
    return "\n".join(lines) + "\n"


def alone() -> str:
    """Forecasts of five experts, each of whom speaks alone at first."""
    draw, lines = Random(45), ["truth,a,b,c,d,e"]
    for t in range(60):
        truth = round(draw.gauss(0, 5), 1)
        said = [f"{truth + draw.gauss(0, 3):.1f}" if draw.random() < (1.0 if t == i else 0.3 if t > 4 else 0.0) else "" for i in range(5)]
        lines.append(",".join([f"{truth}", *said]))
    return "\n".join(lines) + "\n"


def stream_files() -> dict[str, str]:
    """Every file of streams/, with its text."""
    files = {}
    for name, write in WRITTEN.items():
        files[name], files[later(name)] = write(first_part), write(second_part)
    files["flights.csv"], files["flights-later.csv"] = flights(0, 80), flights(80, 120)
    files["classes.libsvm"] = libsvm(MADE["classes"])
    files["drift.libsvm"] = libsvm(drift())
    files["late.vw"] = late_labels()
    files["votes.tsv"], files["votes-asleep.csv"] = table_file(ADVICE["vote"], "\t"), table_file(ADVICE["vote, some asleep"], ",")
    files["costs.csv"], files["costs-asleep.tsv"] = table_file(ADVICE["loss"], ","), table_file(ADVICE["loss, some asleep"], "\t")
    files["chances.jsonl"] = chances()
    files["days.csv"], files["days-asleep.csv"], files["days-long.csv"] = days(False), days(True), long_days()
    files["alone.csv"] = alone()
    return files


# ------------------------------------------------------------------------------------------------- models and certificates of files


class Filed(NamedTuple):
    """A learner and a file: it is saved, and certified where that can be done."""

    name: str
    settings: dict
    file: str
    assume: str | None = None
    certified: bool = True

    @property
    def text(self) -> str:
        return f"{self.name}({described(self.settings)}) on {self.file}"

    @property
    def slug(self) -> str:
        return f"{self.name}-{self.file.replace('.', '-')}"


# Certificates of forms that are no longer written, and of forms that no case below has; nothing makes them anew.
BEFORE = {
    "before-ml_prod-alone-csv": "alone.csv",  # rounding had carried a mean beyond the one who spoke
    "before-ml_poly-days-csv": "days.csv",  # a combination's theorem about the nearest expert
    "before-rule_of_rules-days-csv": "days.csv",
    "before-panel-gaps-csv": "gaps.csv",  # forecasts without bins
    "bins-panel-gaps-csv": "gaps.csv",
    "twelve-rule_of_rules-days-csv": "days.csv",
}

MARGIN, OR = "margin:gamma=1/10", "disjunction:r=3"
FILED = [
    Filed("adaptive", {}, "real.libsvm"),
    Filed("adaptive", {"eta": "1/10", "bias": 1}, "weighted.csv"),
    Filed("alma", {}, "gaps.vw", MARGIN),
    Filed("alma", {"alpha": "1/2", "bias": 1}, "flights.csv", MARGIN),
    Filed("apple_tasting", {"taste": "1/4", "bias": 1}, "mail.txt", certified=False),
    Filed("arow", {}, "mail.txt"),
    Filed("arow", {"r": "1/10", "bias": 1}, "weighted.vw"),
    Filed("arow_full", {"dense": 6}, "real.tsv"),
    Filed("arow_full", {"r": 10, "dense": 3, "bias": "1/2"}, "weighted.csv"),
    Filed("balanced_winnow", {}, "mail.jsonl", "margin:gamma=1/10,U=4"),
    Filed("balanced_winnow", {"eta": "1/2", "margin": "1/10"}, "real.libsvm"),
    Filed("coin", {}, "weighted.csv"),
    Filed("coin", {"wealth": 1, "bias": 1}, "mail.txt"),
    Filed("conjunctions", {}, "conjunction.vw", "conjunction:size=2"),
    Filed("conjunctions", {"n": 8}, "conjunction.libsvm"),
    Filed("disjunctions", {}, "disjunction.jsonl", OR),
    Filed("disjunctions", {"n": 12}, "disjunction.libsvm"),
    Filed("halving", {"concepts": "disjunctions", "n": 12}, "disjunction.libsvm", "class"),
    Filed("halving", {"concepts": "conjunctions", "n": 8, "updates": "mistakes"}, "conjunction.vw", "class"),
    Filed("memorizer", {}, "points.libsvm", "function"),
    Filed("memorizer", {}, "flights.csv", "function"),
    Filed("naive_bayes", {}, "mail.txt"),
    Filed("naive_bayes", {"alpha": 1}, "flights.csv"),
    Filed("normalized", {}, "weighted.vw"),
    Filed("normalized", {"eta": "1/2", "bias": 1, "loss": "squared"}, "real.tsv"),
    Filed("optimal", {"concepts": "half_intervals", "n": 16}, "points.libsvm", "class"),
    Filed("optimal", {"concepts": "disjunctions", "n": 4}, "few.vw", "class"),
    Filed("pairs", {}, "mail.jsonl"),
    Filed("pairs", {"eta": "1/2", "most": 3, "room": 5, "bias": 0}, "weighted.csv"),
    Filed("passive_aggressive", {}, "gaps.csv", MARGIN),
    Filed("passive_aggressive", {"C": 2, "variant": "II", "bias": "1/2"}, "weighted.vw"),
    Filed("perceptron", {"bias": 0}, "gaps.vw", MARGIN),
    Filed("perceptron", {"margin": "3/2", "bias": 1}, "flights.csv"),
    Filed("perceptron", {"averaged": True, "bias": 1}, "weighted.csv"),
    Filed("pnorm", {"n": 16}, "mail.jsonl", "margin:gamma=1/10,U=4"),
    Filed("pnorm", {"p": 5}, "real.libsvm"),
    Filed("second_order", {"dense": 6}, "real.tsv", certified=False),
    Filed("selective", {"b": 2, "bias": 1}, "mail.txt", certified=False),
    Filed("shifting", {"bias": 1}, "gaps.vw", certified=False),
    Filed("winnow", {"n": 12}, "disjunction.jsonl", OR),
    Filed("winnow", {"n": 12, "alpha": "3/2"}, "boolean.vw", OR),
    Filed("winnow_doubling", {"n": 12}, "disjunction.libsvm", OR),
    Filed("winnow_doubling", {"n": 10}, "threshold.libsvm", "k_of_r:k=2,r=4"),
    Filed("winnow_elimination", {"n": 12}, "disjunction.jsonl", OR),
    Filed("winnow_elimination", {"n": 12, "theta": "7/2"}, "boolean.vw"),
    Filed("winnow_real", {"n": 6}, "unit.libsvm", "separable:U=2,delta=1/2"),
    Filed("winnow_real", {"n": 12, "alpha": "3/2", "complement": True}, "boolean.vw"),
    Filed("conservative", {"learner": "passive_aggressive", "bias": 1}, "real.tsv", certified=False),
    Filed("conservative", {"learner": "adaptive"}, "mail.txt", certified=False),
    Filed("conservative", {"learner": "halving", "concepts": "disjunctions", "n": 12}, "disjunction.libsvm", certified=False),
    Filed("panel", {}, "gaps.csv"),
    Filed("panel", {"members": "perceptron:bias=1 arow adaptive:eta=1/10"}, "weighted.csv", "expert:m=30"),
    Filed("panel", {"members": "winnow winnow_elimination", "n": 12, "rule": "fixed_share:alpha=1/100", "blend": False}, "boolean.vw"),
]


def opened(file: str) -> Any:
    return ls.open_stream(STREAMS / file, **READ.get(file, {}), reading=Reading(version=1))


def filed_run(case: Filed) -> Any:
    return ls.play(learner_of(case.name, case.settings), opened(case.file), ledger=True)


def certificate_of(case: Filed, run: Any) -> Any:
    return ls.certify(run, opened(case.file), assume=case.assume, iid=0.05)


def of_model(path: Path, file: str, out: Path) -> dict[str, Any]:
    """What a saved model says of the second part of its stream, and what going on with it makes."""
    model = ls.load(path)
    rest = STREAMS / later(file)
    answers = [json.loads(line) for line in command("predict", path, rest, "--json", "--quiet").splitlines()]
    going = json.loads(command("run", rest, "--from", path, "--model", out, "--json", "--quiet"))
    after = ls.load(out)
    return {
        "rounds": model.rounds,
        "mistakes": model.mistakes,
        "unlabelled": model.unlabelled,
        "ledger": None if model.ledger is None else model.ledger.rounds.tolist(),
        "predictions": " ".join(answer["label"] for answer in answers),
        "scores": [number(answer["score"]) for answer in answers],
        "after": {
            "rounds": going["rounds"],
            "mistakes": going["mistakes"],
            "bounds": [[one["name"], one["kind"], number(one["limit"]), one["holds"]] for one in going["bounds"]],
            "ledger": None if after.ledger is None else after.ledger.rounds.tolist(),
            "state": state(after.state),
        },
    }


#: Learners of which a model is made one event at a time, from rows with names.
BY_EVENTS = {
    "arow": {"bias": 1},
    "balanced_winnow": {},
    "naive_bayes": {},
    "perceptron": {"margin": "1/2", "bias": 0},
    "panel": {"members": "perceptron arow"},
}


def by_events(model: Any) -> Any:
    """A model that was told the first mails one by one."""
    stream = first_part(MADE["mail"])
    for row, y in zip(stream.rows, stream.labels, strict=True):
        model.observe(row, y)
    return model


def of_events(model: Any) -> dict[str, Any]:
    """What such a model says of the mails that follow, and what it makes of them one by one."""
    rest = second_part(MADE["mail"])
    result: dict[str, Any] = {
        "rounds": model.rounds,
        "mistakes": model.mistakes,
        "features": list(model.features),
        "predictions": bits(model.predict(row) for row in rest.rows),
    }
    try:
        result["scores"] = [number(model.score(row)) for row in rest.rows]
    except ls.LittlestoneError:
        result["scores"] = None
    after = ls.play(model, rest.rows, rest.labels)
    result["after"] = {"mistakes": after.model.mistakes, "rounds": after.model.rounds, "state": state(after.model.state)}
    return result


# ---------------------------------------------------------------------------------------------------------------- tables of experts


class Tabled(NamedTuple):
    """A rule over a table of experts."""

    rule: str
    file: str
    choices: dict

    @property
    def text(self) -> str:
        return f"{self.rule} on {self.file}"

    @property
    def slug(self) -> str:
        return f"{self.rule.partition(':')[0]}-{self.file.replace('.', '-')}"


LONG = {"round": "day", "expert": "who", "forecast": "says"}
TABLED = [
    Tabled("adahedge", "days.csv", {}),
    Tabled("adahedge", "votes.tsv", {}),
    Tabled("boa", "days.csv", {"loss": "absolute", "range": (-20, 40)}),
    Tabled("exp3", "costs.csv", {"advice": "loss", "range": (0, 1), "seed": 1}),
    Tabled("exp3:eta=1/5", "votes.tsv", {}),
    Tabled("exp3_ix", "costs.csv", {"advice": "loss", "range": (0, 1)}),
    Tabled("exp3_ix:rounds=80", "votes.tsv", {"seed": 2}),
    Tabled("fixed_share:alpha=1/100:eta=4", "days.csv", {"loss": "absolute", "range": (-20, 40)}),
    Tabled("fixed_share:form=deterministic", "votes.tsv", {}),
    Tabled("tracking", "votes.tsv", {}),
    Tabled("follow_leader", "votes.tsv", {}),
    Tabled("follow_leader", "costs.csv", {"advice": "gain"}),
    Tabled("hedge:eta=1/2", "chances.jsonl", {}),
    Tabled("hedge", "days.csv", {"loss": "pinball", "quantile": 0.75}),
    Tabled("ml_poly", "days.csv", {}),
    Tabled("ml_prod", "days-asleep.csv", {}),
    Tabled("perturbed_leader", "costs.csv", {"advice": "loss", "seed": 4}),
    Tabled("perturbed_leader:eta=2", "votes.tsv", {}),
    Tabled("randomized_weighted_majority", "days.csv", {"threshold": 10}),
    Tabled("randomized_weighted_majority:epsilon=1/2", "chances.jsonl", {"seed": 7}),
    Tabled("rule_of_rules", "days.csv", {"loss": "pinball", "quantile": 0.75}),
    Tabled("rule_of_rules", "days-asleep.csv", {}),
    Tabled("sleeping_adahedge", "days-asleep.csv", {}),
    Tabled("sleeping_adahedge", "days-long.csv", {**LONG, "loss": "absolute"}),
    Tabled("specialists:eta=1/10", "costs-asleep.tsv", {"advice": "loss"}),
    Tabled("specialists:form=deterministic", "votes-asleep.csv", {}),
    Tabled("weighted_majority", "votes.tsv", {}),
    Tabled("weighted_majority:beta=9/10:updates=always", "chances.jsonl", {}),
]


def tabled_run(case: Tabled) -> Any:
    return ls.experts(STREAMS / case.file, rule=case.rule, **case.choices)


def of_table(run: Any) -> dict[str, Any]:
    return {
        "loss": number(run.loss),
        "rounds": run.rounds,
        "best": run.best.name,
        "best_loss": number(run.best.loss),
        "regret": number(run.regret),
        "switching": [[one.switches, number(one.loss), [list(step) for step in one.path]] for one in run.switching],
        "bounds": [claim(one) for one in run.bounds],
    }


# ------------------------------------------------------------------------------------------------------------------ the command line


def command(*arguments: Any, code: int = 0) -> str:
    """What a command prints, run as `python -m littlestone` in this process: a new one takes seconds to begin."""
    before, out, err = sys.argv, io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    pipes = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
    sys.argv, ended = ["littlestone", *map(str, arguments)], 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            runpy.run_module("littlestone", run_name="__main__")
    except SystemExit as leaving:
        ended = int(leaving.code or 0)
    finally:
        sys.argv = before
        if pipes is not None:
            signal.signal(signal.SIGPIPE, pipes)
    if ended != code:
        raise AssertionError(f"littlestone {' '.join(map(str, arguments))} ended with {ended}, not {code}: {err.getvalue()[-2000:]}")
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


#: Commands whose result is written down: each with its exit code, run in the folder of the streams.
COMMANDS = {
    "a panel": ("run real.libsvm --learner panel:forecast=false --json", 0),
    "a panel of some": (
        "run gaps.csv --members perceptron:bias=1 --members arow --learner panel:forecast=false:rule=fixed_share --json",
        0,
    ),
    "passes": ("run real.libsvm --learner perceptron --passes 3 --json", 0),
    "passes of arow": ("run weighted.csv --weight weight --learner arow:bias=1 --passes 2 --json", 0),
    "delayed labels": ("run gaps.vw --learner perceptron --delay 4 --assume margin:gamma=1/10 --json", 0),
    "delayed labels of adaptive": ("run real.libsvm --learner adaptive --delay 3 --json", 0),
    "labels by id": ("run late.vw --id tag --learner perceptron:bias=1 --json", 0),
    "hashed": ("run flights.csv --label late>15 --bins hour=4 --bits 4 --learner arow --json", 0),
    "crossed": ("run flights.csv --label late>15 --cross carrier*from --learner naive_bayes --json", 0),
    "presence for value": ("run real.libsvm --learner winnow --n 8 --boolean --json", 0),
    "n is counted": ("run disjunction.libsvm --learner winnow --assume disjunction:r=3 --iid 0.05 --json", 0),
    "alarm": ("run drift.libsvm --learner winnow --n 12 --assume disjunction:r=1 --alarm --json", 1),
    "alarm, reported": ("run drift.libsvm --learner disjunctions --n 12 --assume disjunction:r=1 --alarm-report --json", 0),
    "alarm, anew": ("run drift.libsvm --learner winnow --n 12 --assume disjunction:r=1 --restart-on-alarm --json", 0),
    "alarm of halving": (
        "run drift.libsvm --learner halving:concepts=disjunctions --n 12 --assume class --restart-on-alarm --json",
        0,
    ),
    "several classes": ("run classes.libsvm --learner one_vs_rest:learner=perceptron:bias=1 --json", 0),
    "several classes by pairs": ("run classes.libsvm --learner all_pairs:learner=arow --json", 0),
    "several classes, one rule": ("run classes.libsvm --learner multiclass_perceptron --json", 0),
    "compare": ("compare real.libsvm --learner perceptron --learner arow --learner coin --shuffles 3 --select --json", 0),
    "fit": ("fit disjunction.libsvm --learner winnow --epsilon 0.4 --delta 0.2 --by controlled_testing --json", 0),
    "experts": ("experts days.csv --json", 0),
    "experts asleep": ("experts days-asleep.csv --switches 1 --json", 0),
    "experts by gradients": ("experts days.csv --gradient --json", 0),
    "experts of whom one is seen": ("experts votes.tsv --bandit --seed 1 --json", 0),
    "convert": ("convert flights.csv - --to jsonl --label late>15", 0),
    "duel": ("duel winnow unit_vectors --n 8 --json", 0),
    "dimension": ("dimension conjunctions --n 3 --json", 0),
}
#: Times differ from run to run; words may be put better; a search that ends when it is near enough may end elsewhere on another machine.
LEFT_OUT = frozenset(
    {"seconds", "features_per_second", "formula", "source", "reason", "witness", "facts", "words", "why", "proof", "theorem"}
    | {"convex", "error_interval"}
)


def pruned(value: Any) -> Any:
    """Without what may differ; doubles as they are exactly."""
    if isinstance(value, dict):
        return {key: pruned(part) for key, part in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [pruned(part) for part in value]
    return number(value)


def of_command(name: str) -> Any:
    line, code = COMMANDS[name]
    before = Path.cwd()
    os.chdir(STREAMS)
    try:
        printed = command(*line.split(), "--quiet", code=code)
    finally:
        os.chdir(before)
    return pruned(json.loads(printed)) if "--json" in line else printed.splitlines()


#: A run that begins anew after alarms, and writes a certificate of each segment.
SEGMENTED = "run drift.libsvm --learner winnow --n 12 --assume disjunction:r=1 --restart-on-alarm --quiet --certificate"

# ----------------------------------------------------------------------------------------------------------------------- all of it


def write(path: Path, records: dict[str, Any]) -> None:
    """A line for each record."""
    lines = [f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}" for key, value in records.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def make() -> None:
    for folder in (STREAMS, RUNS, CERTIFICATES, MODELS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    for name, content in stream_files().items():
        (STREAMS / name).write_text(content, "utf-8")
    for name in catalogue():
        write(RUNS / f"{name}.json", {case.text: record(case) for case in cases(name)})
    out, records = HERE / "going.littlestone", {}
    for case in FILED:
        run = filed_run(case)
        run.model.save(MODELS / f"{case.slug}.littlestone")
        if case.certified:
            certificate_of(case, run).save(CERTIFICATES / f"{case.slug}.json")
        records[case.slug] = of_model(MODELS / f"{case.slug}.littlestone", case.file, out)
    write(HERE / "files.json", records)
    out.unlink()
    records = {}
    for name in BY_EVENTS:
        by_events(learner_of(name, BY_EVENTS[name]).start()).save(MODELS / f"events-{name}.littlestone")
        records[name] = of_events(ls.load(MODELS / f"events-{name}.littlestone"))
    write(HERE / "events.json", records)
    records = {}
    for table in TABLED:
        run = tabled_run(table)
        ls.certify(run).save(CERTIFICATES / f"{table.slug}.json")
        records[table.slug] = of_table(run)
    write(HERE / "tables.json", records)
    write(HERE / "commands.json", {name: of_command(name) for name in COMMANDS})
    os.chdir(STREAMS)
    command(*SEGMENTED.split(), CERTIFICATES / "drift.json")


if __name__ == "__main__":
    make()
