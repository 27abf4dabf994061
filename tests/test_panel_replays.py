"""A replay of a panel in plain Python makes the run's forecasts bit by bit, so that no label near a tie is left to its certificate."""

import json

import numpy as np
import pytest

import littlestone as ls
from forgery import resealed
from littlestone.errors import Refused
from littlestone.reference.class_panel import PlainTable
from littlestone.reference.panel import Voters, family_of
from littlestone.rounds.digest import Round
from littlestone.rounds.row_order import RowOrder
from littlestone.theory import panel as theory_of_panels

SETS = {
    "default": None,
    "two": ("perceptron", "arow"),
    "many": tuple(f"adaptive:eta=1/{k}" for k in range(2, 35)),
    "of every arithmetic": ("balanced_winnow", "memorizer", "alma", "second_order", "shifting", "selective", "apple_tasting"),
}


def rounds_of(seed, many, features, widest, scale, classes=2):
    """Rows of floats that a vector labels, with noise."""
    rng = np.random.default_rng(seed)
    vectors, rows, labels = rng.normal(size=(classes, features)), [], []
    for _ in range(many):
        place = rng.choice(features, size=rng.integers(1, widest + 1), replace=False)
        value = (rng.normal(size=len(place)) * scale).astype(np.float32).astype(float)
        rows.append({int(i): float(v) for i, v in zip(place, value, strict=True) if v})
        labels.append(int((vectors[:, place] @ value + rng.normal(size=classes) * scale).argmax()))
    return rows, labels, (rng.random(many) * (rng.random(many) < 0.9)).astype(np.float32).astype(float)


def in_order(rows):
    order = RowOrder(False)
    return [order.of(Round(None, list(row), list(row.values()), b"")).x for row in rows]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize("members", SETS)
def test_forecasts_of_a_replay_are_the_runs_bit_by_bit(members, scale, weighted):
    panel = ls.panel(*(() if SETS[members] is None else (SETS[members],)), label_by="forecast")
    rows, labels, weights = rounds_of(len(members), 150, 60, 30, scale)
    run = ls.play(panel, rows, labels, scores=True, sample_weight=weights if weighted else None)
    texts = panel.settings["members"].split()
    voters = Voters([family_of(text, None) for text in texts], blend=True, forecast=True, weigh=weighted, calibrate=True)
    odds = []
    for x, y, c in zip(in_order(rows), labels, weights if weighted else np.ones(len(rows)), strict=True):
        voters.play(x, bool(y), c)
        odds.append(voters.odds)
        voters.learn(bool(y) if c > 0 else None, c)
    assert np.array(odds).tobytes() == run.scores.tobytes()


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_forecasts_of_several_classes_are_the_runs_bit_by_bit(scale):
    rows, labels, _ = rounds_of(3, 150, 40, 20, scale, classes=4)
    run = ls.play(ls.class_panel(), rows, labels)
    settings = run.learner.settings
    how = {name: bool(settings.get(name)) for name in ("blend", "discriminant", "logs", "weigh")}
    table = PlainTable([family_of(text, None) for text in settings["members"].split()], **how, classes=4)
    for x, y in zip(in_order(rows), labels, strict=True):
        table.play(x, y, 1.0)
        table.learn(y, 1.0)
    known = np.concatenate([np.ravel(part).astype(float) for part in arrays_in(run.state)])
    forecaster = table.forecaster
    for number in (*forecaster.slopes, *forecaster.curvatures, *forecaster.weights, *forecaster.products):
        assert (known == number).any(), number


def arrays_in(state):
    if isinstance(state, np.ndarray):
        yield state
    for part in state if isinstance(state, tuple | list) else ():
        yield from arrays_in(part)


@pytest.fixture(scope="module")
def near_tie():
    """Two streams that differ by the last bit of one value, for which the likelier label of the last row turns round."""
    rows, labels, _ = rounds_of(5, 80, 8, 5, 1.0)
    model = ls.play(ls.panel(["perceptron", "arow", "naive_bayes"]), rows, labels, ledger=True).model
    score = lambda value: model.scores({0: float(value), 3: 1.0})  # noqa: E731
    low, high = np.float32(-8), np.float32(8)
    assert score(low) * score(high) < 0
    falls = score(low) > 0
    while np.nextafter(low, high) < high:
        middle = np.float32((low + high) / 2)
        low, high = (middle, high) if (score(middle) > 0) == falls else (low, middle)
    both = [(*rows, {0: float(value), 3: 1.0}) for value in (low, high)]
    assert all(2.0**-40 < abs(score(value)) < 1e-6 for value in (low, high))
    return both, [*labels, 1]


def plain(certificate):
    return json.loads(json.dumps(certificate.content))


def sealed_again(content):
    """What a forger would hand in: every digest made anew."""
    part = content["panel"]
    part["advice"] = resealed(part["advice"])
    if part["best"] is not None:
        part["best"]["certificate"] = resealed(part["best"]["certificate"])
    return resealed(content)


def test_a_label_near_a_tie_is_the_replays(near_tie):
    (X, other), y = near_tie
    panel = ls.panel(["perceptron", "arow", "naive_bayes"])
    honest, forged = (ls.certify(ls.play(panel, rows, y), rows, y) for rows in (X, other))
    assert honest.content["mistakes"] != forged.content["mistakes"]
    assert ls.verify(honest, X, y, replay=True)
    lie, truth = plain(forged), plain(honest)  # all that hangs on the label is as if it were the other one
    lie["stream"], lie["panel"]["best"] = truth["stream"], truth["panel"]["best"]
    with pytest.raises(Refused, match="replaying the forecasts"):
        ls.verify(sealed_again(lie), X, y, replay=True)


def test_a_certificate_in_the_words_of_before_is_held_to_the_same_label(near_tie):
    (X, _), y = near_tie
    content = plain(ls.certify(ls.play(ls.panel(["perceptron", "arow", "naive_bayes"]), X, y), X, y))
    assert content["learner"]["ties"] == theory_of_panels.FORECAST_TIES
    content["learner"]["ties"] = theory_of_panels.FORECAST_TIES_ONCE
    assert ls.verify(sealed_again(content), X, y, replay=True)
