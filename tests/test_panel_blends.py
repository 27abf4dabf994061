"""Blends in certificates of panels: played again by their definition, on the scores of the members'; forged ones are refused."""

import json
import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import littlestone as ls
from littlestone import learners
from littlestone.errors import Refused
from littlestone.kernels import native
from littlestone.learners.reductions import _blend, _forecast, _table
from littlestone.learners.reductions._table import Table
from littlestone.learners.reductions.panel import MEMBERS
from littlestone.protocol import Block
from littlestone.reference import forecast
from littlestone.reference.blend import BLENDS, Blends
from littlestone.reference.forecast import BINNED, SLOW, Forecaster, prior, stacks
from littlestone.reference.replay import LearnerReplay
from littlestone.theory import families
from littlestone.theory.certificate import exactly

RNG = np.random.default_rng(4)
X = ((RNG.random((120, 16)) < 0.25) * RNG.integers(1, 5, (120, 16)) / 4).astype(np.float32)
Y = np.where(RNG.random(120) < 0.05, np.nan, (X[:, 2] + X[:, 5] > 0.3) ^ (RNG.random(120) < 0.1))
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 4.0], 120)
FEW = ("perceptron:bias=1", "arow", "adaptive:eta=1/10", "passive_aggressive")


def plain(cert):
    """As a stranger gets it."""
    return json.loads(json.dumps(cert.content))


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_all_of_the_usual_panel_is_replayed(weighted):
    weights = WEIGHTS if weighted else None
    run = ls.play(ls.panel((*MEMBERS, "alma", "pnorm:p=4", "winnow_real"), n=16), X, Y, sample_weight=weights)
    verdict = ls.verify(plain(ls.certify(run, X, Y, sample_weight=weights)), X, Y, sample_weight=weights, replay=True)
    assert verdict.replayed and not verdict.aside and str(verdict).startswith("verified and replayed: panel made")


def test_a_forged_blend_is_found_by_replay(monkeypatch):
    """Blends that know the labels, in a certificate in which all else follows from that."""
    honest, rng = Table.blend, np.random.default_rng(0)
    noise, coins = rng.standard_normal((150, 4)).astype(np.float32), rng.integers(0, 2, 150)

    def cheating(self, state, heard, labels, weights, says, **more):
        odds = honest(self, state, heard, labels, weights, says, **more)
        says[forged + len(self.members)] = np.where(labels >= 0, labels, 0)
        return odds

    for forged in range(len(BLENDS) + 1):
        with monkeypatch.context() as patch:
            patch.setattr(Table, "native_for", lambda self, state: None)  # the native panel asks no method of ours
            patch.setattr(Table, "blend", cheating)
            cert = plain(ls.certify(ls.play(ls.panel(FEW), noise, coins), noise, coins))
        assert len(cert["panel"]["vote_mistakes"]) < 30 and ls.verify(cert, noise, coins, replay=False)
        with pytest.raises(Refused, match=rf"panel.members\[{len(FEW) + forged}\]: replaying blend.*made a mistake, .* leaves it out"):
            ls.verify(cert, noise, coins, replay=True)


SPACED = [
    learners.text_of(learner)
    for name in learners.names()
    for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES
    if (learner := getattr(ls, name)(**settings)).spaced and learner.final is None
]


@pytest.mark.parametrize("little", [0, 2**20], ids=["spaced", "apart"])
@pytest.mark.parametrize("members", [FEW, MEMBERS, SPACED], ids=["few", "usual", "spaced"])
def test_an_event_in_one_call_is_what_the_members_do_one_by_one(members, little, monkeypatch):
    """With values and without, with weights and without: every vote, forecast and state; wherever the numbers of a feature lie."""
    monkeypatch.setattr(_table, "LITTLE", little)
    model, apart = ls.panel(members).start(), ls.panel(members).start()
    apart.learner.kernels.predict.__self__.plays_natively = False
    apart._bound = None
    apart._hold(apart._state)
    assert model.learner.native_for(model._state) is not None  # they do go different ways
    assert apart.learner.native_for(apart._state) is None
    for t, (x, y) in enumerate(zip(X, Y == 1, strict=True)):
        features = {f"f{j}": float(v) for j, v in enumerate(x) if v}
        row = set(features) if t % 5 == 4 else features
        assert model.predict(row) == apart.predict(row) and model.score(row) == apart.score(row)
        for player in (model, apart):
            player.update(row, bool(y), 1.0 if t % 7 else 2.0)
    assert all(map(np.array_equal, model.state, apart.state))
    table = model.learner.kernels.predict.__self__
    assert table.is_spaced(model._state) == (little == 0 and members is not FEW) and not table.is_spaced(model.state)
    rows = Block(np.array([0, 3, 5]), np.array([0, 3, 7, 2, 3], np.uint32), np.ones(5, np.float32), np.full(2, -1, np.int32))
    assert model.predict_rows(rows).tolist() == ls.panel(members).start(model.state).predict_rows(rows).tolist()


def test_a_model_that_grows_is_laid_out_as_it_pays(monkeypatch):
    """In little memory array by array, in more feature by feature, and array by array again where it would be too much."""
    monkeypatch.setattr(_table, "LITTLE", 40 * 8 * 50)
    monkeypatch.setattr(_table, "LARGEST", 40 * 8 * 500)
    monkeypatch.setattr("littlestone.learners.reductions.panel.Panel.few", 16)
    model, other = ls.panel().start(), ls.panel(MEMBERS).start()  # what is named by a tuple is made anew
    other.learner.kernels.predict.__self__.columns.clear()
    spaced = model.learner.kernels.predict.__self__.is_spaced
    for column, expected in ((20, False), (100, True), (300, True), (700, False)):
        for x, y in (({0: 1.0, column: 2.0}, True), ({1: -0.5, column - 1: 1.0}, False)):
            assert model.predict(x) == other.predict(x) and model.score(x) == other.score(x)
            for player in (model, other):
                player.update(x, y)
        assert spaced(model._state) == expected and not spaced(other._state)
        assert all(map(np.array_equal, model.state, other.state))


def test_models_of_one_panel_in_threads_and_in_a_child_are_what_each_is_alone():
    """They share the panel, and nothing that it changes; a child of fork has no threads of its parent's to wait for."""
    rng = np.random.default_rng(6)
    streams = [[({int(j): 1.0 for j in rng.integers(0, 2 + t * t // 8, 6)}, t % 3 == k) for t in range(160)] for k in range(2)]

    def learned(stream):
        model = ls.panel().start()
        assert model.learner is ls.panel()
        for x, y in stream:
            model.predict(x)
            model.update(x, y)
        return model

    def rows():
        return ls.play(ls.panel(), rng.integers(0, 2, (2_000, 30)).astype(np.float32), rng.integers(0, 2, 2_000))  # by two threads

    alone = [learned(stream) for stream in streams]
    assert rows().rounds == 2_000
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(learned, streams))
    for one, other in zip(alone, together, strict=True):
        again = pickle.loads(pickle.dumps(other))
        assert again._bound is not other._bound and one.mistakes == other.mistakes
        assert all(map(np.array_equal, one.state, other.state)) and all(map(np.array_equal, one.state, again.state))
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if rows().rounds == 2_000 and learned(streams[0]).mistakes == alone[0].mistakes else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    "given", [None, (True, False, False, True, False), (False,) * 5, (True,) * 5], ids=["before", "two", "none", "all"]
)
def test_blends_are_what_their_definition_says(given, monkeypatch):
    """Bit for bit, whatever the scores; the forecasts too, when they learn from every label and when not."""
    monkeypatch.setattr(forecast, "OFTEN", 200)
    rng = np.random.default_rng(1)
    heard = rng.standard_normal((5, 600)) * np.array([[1.0], [1e-9], [1e200], [3.0], [0.0]]) + np.linspace(-2, 2, 600)
    heard[0, 3], heard[3, 5], heard[4] = np.nan, np.inf, 0.0
    labels = np.where(rng.random(600) < 0.1, -1, heard[3] > rng.standard_normal(600)).astype(np.int32)
    weights = rng.choice(np.array([0.25, 1, 3], np.float32), 600)
    minds, givers = (*BLENDS, *stacks(given is not None)), np.array(given or (False,) * 5)
    odd, asked = (np.flatnonzero(givers == kind).astype(np.uint64) for kind in (True, False))
    estimates = np.empty((len(minds) + (given is not None), 600))
    size = 5 + len(estimates) - 1
    beginning, bins = np.array(prior(5, size)), _forecast.first_bins()
    accounts = beginning.copy(), np.ones(size + 1), np.zeros(size + 1), np.zeros(2, np.int64)
    learned = [native.core.Mind(*mind[1:4], *_blend.first_state(5, mind)) for mind in minds]
    calibration, more = _forecast.first_calibration(len(asked)), (None, _forecast.AGAINST, None, None)
    if given is not None:
        more = (np.zeros(2 * len(asked)), _forecast.AGAINST, *bins)
    slow = 1.0 if given is None else SLOW
    forecaster = native.core.Forecaster(odd, asked, 200, BINNED, beginning, slow, learned[3:], calibration, *accounts, *more)
    hearing, forecasts = native.core.Hearing(np.zeros(5), np.zeros(1), learned[:3], 1, forecaster), np.empty(600)
    hearing.play(heard, labels, weights, np.empty((4, 600), np.bool_), estimates, forecasts)
    for b in range(len(minds)):
        assert (estimates[b] >= 0).any() and (estimates[b] < 0).any()
    blends, forecaster, rows = Blends(len(heard)), Forecaster(len(heard), 2, given), []
    for scores, y, weight in zip(heard.T.tolist(), labels.tolist(), weights.tolist(), strict=True):
        blended = blends.scores(scores)[:3]
        odds_of_one = forecaster.odds(scores, blends.sizes.mild, blends.odds())
        rows.append([*blended, *forecaster.estimates, odds_of_one])
        if y >= 0:
            blends.learn(y == 1, weight)
            forecaster.learn(y == 1)
    assert np.array_equal(np.array(rows).T, np.vstack([estimates, forecasts]))
    mixture = forecaster.mixture
    counts = [mixture.rounds, mixture.mistakes]
    for array, plain_list in zip(accounts, (mixture.weights, mixture.products, mixture.halvings, counts), strict=True):
        assert array.tolist() == plain_list
    if forecaster.bins is not None:
        assert [array.tolist() for array in bins] == [forecaster.bins.weights, forecaster.bins.counts]


def test_scores_are_those_of_the_learners():
    truth = [None if y != y else bool(y == 1) for y in Y]
    rounds = [SimpleNamespace(x={i: float(row[i]) for i in np.flatnonzero(row)}, y=y, c=1.0) for row, y in zip(X, truth, strict=True)]
    for name in sorted(set(learners.names()) - {"halving", "optimal"}):  # those need a class, and have no scores
        learner = learners.named(name, 16)
        family = families.family(name).stated({key: exactly(value) for key, value in learner.settings.items()})
        if learner.scored:
            replay, scores = LearnerReplay(family), []
            for row, one in enumerate(rounds, 1):
                replay.take(row, one.x, one.y, one.c)
                scores.append(replay.book.score)
            assert np.array_equal(scores, ls.play(learner, X, Y, scores=True).scores), name


@pytest.mark.parametrize("weights", [np.full(120, 1e37), np.where(np.arange(120) % 2, 1.0, 1e30)])
def test_rounds_that_weigh_much_leave_all_scores_numbers(weights):
    run = ls.play(ls.panel(["perceptron", "arow"]), X, Y, sample_weight=weights, scores=True)
    assert np.isfinite(run.scores).all() and np.isfinite(run.metrics.log_loss)
    assert ls.verify(ls.certify(run, X, Y, sample_weight=weights), X, Y, sample_weight=weights).replayed


def test_weights_too_far_apart_are_refused_by_name():
    weights = np.where(np.arange(120) % 2, 1e-30, 1e30)
    run = ls.play(ls.panel(["perceptron", "arow"]), X, Y, sample_weight=weights)
    with pytest.raises(ls.LittlestoneError, match="more than 2\\^126 times below"):
        ls.certify(run, X, Y, sample_weight=weights)
