"""Explanations: contributions that make the score, rounds that make the weights, in Python and on the command line."""

import json
import sys
from dataclasses import replace
from importlib import import_module, util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone import learners
from littlestone.checks.explanations import check_an_explanation_adds_up_to_the_score
from littlestone.cli import app
from littlestone.models.explain import Move
from littlestone.reference.arithmetic import ordered_sum

SAMPLES = [
    pytest.param(learners.factory(name)(**settings), id=f"{name}({settings})")
    for name in learners.names()
    for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES
]


@pytest.mark.parametrize("learner", SAMPLES)
def test_every_learner_of_the_catalogue_explains_itself(learner):
    assert learner.parts is not None
    check_an_explanation_adds_up_to_the_score(learner)


def without_others(parts):
    return parts._replace(others=())


MUTANTS = {
    "a bias forgotten": (ls.perceptron(bias=1), without_others),
    "complements forgotten": (ls.winnow_real(n=3, alpha="3/2", complement=True), without_others),
    "absent literals forgotten": (ls.conjunctions(), without_others),
    "values forgotten": (ls.arow(), lambda parts: parts._replace(contributions=parts.weights)),
    "exponents for weights": (ls.winnow(n=6), lambda parts: parts._replace(contributions=parts.levels)),
    "the other variables": (ls.disjunctions(), lambda parts: parts._replace(contributions=1 - parts.contributions)),
    "the other votes": (
        ls.halving("disjunctions", n=5, updates="mistakes"),
        lambda parts: parts._replace(others=tuple(term._replace(contribution=-term.contribution) for term in parts.others)),
    ),
    "a threshold too low": (ls.winnow_elimination(n=6), lambda parts: parts._replace(threshold=parts.threshold - 1)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_explanation_is_noticed(name):
    learner, spoilt = MUTANTS[name]
    parts = learner.parts
    with pytest.raises(AssertionError):
        check_an_explanation_adds_up_to_the_score(replace(learner, parts=lambda *row: spoilt(parts(*row))))


def drawn(rounds=200, n=9, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (rounds, n)).astype(np.float32) * (rng.random((rounds, n)) < 0.6)
    return X, (X @ rng.standard_normal(n) + rng.standard_normal(rounds) > 0).astype(int)


def share_of(found, name):
    (share,) = (share for share in found.features if share.name == name)
    return share


REAL = [
    ls.perceptron(bias="1/3"),
    ls.perceptron(margin=2, averaged=True, bias=1),
    ls.passive_aggressive(bias="1/2"),
    ls.arow(bias="1/2"),
    ls.adaptive(bias=1),
    ls.pnorm(p=3),
    ls.balanced_winnow(eta="1/4"),
]


@pytest.mark.parametrize("learner", REAL, ids=repr)
def test_in_the_order_of_the_row_contributions_make_the_score_exactly(learner):
    X, y = drawn()
    model = ls.play(learner, X, y, ledger=True).model
    for row in X[:40]:
        found = model.explain(row)
        by_column = {share.column: share.contribution for share in found.features}
        bias = by_column.pop(None, None)
        score = ordered_sum([by_column[i] for i in sorted(by_column)])
        assert (score if bias is None else score + bias) == found.score
        assert found.threshold == 0 and (not learner.scored or found.score == model.score(row))


@pytest.mark.parametrize("learner", [learner for learner in REAL if learner.scored], ids=repr)
def test_weights_are_what_a_feature_of_value_one_adds(learner):
    X, y = drawn()
    model = ls.play(learner, X, y).hypothesis
    empty = model.score({0: 0.0})
    for share in model.explain(X[0]).features:
        if share.column is not None:
            assert share.weight == pytest.approx(model.score({share.column: 1.0}) - empty, rel=1e-9, abs=1e-9)


def test_the_rounds_of_a_perceptron_are_its_mistakes_with_the_feature():
    X, y = drawn()
    run = ls.play(ls.perceptron(bias=0), X, y, ledger=True)
    wrong = np.flatnonzero(run.predictions != y)
    found = run.model.explain(X[7], rounds=None)
    assert found.features
    for share in found.features:
        moves = {t + 1: float(X[t, share.column] * (2 * y[t] - 1)) for t in wrong if X[t, share.column]}
        assert {move.round: move.moved for move in share.rounds} == moves
        assert sum(moves.values()) == share.weight == share.level
        assert all(move.label == y[move.round - 1] != move.predicted for move in share.rounds)
        assert [abs(move.moved) for move in share.rounds] == sorted(map(abs, moves.values()), reverse=True)
    few = run.model.explain(X[7], rounds=2)
    for share, all_of_it in zip(few.features, found.features, strict=True):
        assert share.rounds == all_of_it.rounds[:2] and share.moved_by == len(all_of_it.rounds)


def test_rounds_without_a_label_are_counted_and_weights_count():
    X = [{"a": 1, "b": 2}, {"b": 1}, {"a": 3}, {"a": 1}]
    model = ls.play(ls.perceptron(bias=0), X, [0, None, 0, 1], sample_weight=[2, 1, 0.5, 5], ledger=True).model
    found = model.explain({"a": 1})
    assert found.features[0].rounds == (Move(4, True, False, 5.0), Move(1, False, True, -2.0))
    assert (found.score, found.prediction) == (3.0, True)


def test_winnow_shows_exponents_and_their_rounds():
    model = ls.winnow(n=4).start()
    for row, label in (({0, 3}, 1), ({0, 3}, 1), ({0, 1}, 1), ({0, 2}, 0)):
        model.update(row, label)
    found = model.explain({0, 1})
    first = share_of(found, 0)
    assert (first.weight, first.level, first.contribution, found.moves) == (2.0, 1, 2.0, "exponent")
    assert [(move.round, move.moved) for move in first.rounds] == [(1, 1.0), (3, 1.0), (4, -1.0)]
    assert (found.score, found.threshold, found.prediction) == (4.0, 4.0, True)
    assert "score 4 reaches the threshold 4" in repr(found) and "exponent" in repr(found)


def test_winnow_says_where_exact_arithmetic_decided():
    model = ls.winnow(n=3, alpha="11/10", theta="121/50").start()
    for _ in range(2):
        model.update({0, 1}, True)
    found = model.explain({0, 1})  # 2·(11/10)² is the threshold; in doubles it is below
    assert found.prediction is True and found.score < found.threshold
    assert "too near the threshold 2.42 for doubles to tell, and exact arithmetic decided" in str(found)


def test_a_guess_given_up_moves_all_exponents_back():
    model, rng, restarts = ls.winnow_doubling(n=3).start(), np.random.default_rng(0), {}
    for number in range(1, 301):
        before = model.state
        model.update(set(np.flatnonzero(rng.random(3) < 0.5).tolist()), bool(rng.integers(2)))
        if model.state.z[0] > before.z[0]:
            restarts[number] = before.e
    found = model.explain({0, 1, 2}, rounds=None)
    assert any(e.any() for e in restarts.values())
    for share in found.features:
        moves = {move.round: move.moved for move in share.rounds}
        assert sum(moves.values()) == share.level == model.state.e[share.column]
        assert all(moves.get(number, 0) == -e[share.column] for number, e in restarts.items())


def test_conjunctions_name_the_literals_that_fail():
    model = ls.conjunctions().start()
    model.update({"warm", "dry", "sunny"}, True)
    model.update({"warm", "dry", "windy"}, True)
    found = model.explain({"warm", "cold"})  # warm ∧ dry ∧ ¬cold ...
    assert (found.prediction, found.score) == (False, -2.0)
    dry, cold, warm = (share_of(found, name) for name in ("dry", "cold", "warm"))
    assert (dry.value, dry.weight, dry.contribution) == (0.0, 1.0, -1.0) and [move.round for move in dry.rounds] == [1]
    assert (cold.weight, cold.contribution) == (-1, -1) and (warm.weight, warm.contribution) == (1, 0)
    assert found.unknown == ("cold",) and "never met: cold" in repr(found) and found.words == "2 living literals fail"
    sunny = share_of(model.explain({"warm", "dry", "sunny"}), "sunny")
    assert sunny.weight == 0 and [(move.round, move.moved) for move in sunny.rounds] == [(1, 1.0), (2, -1.0)]
    assert ls.conjunctions().start().explain({"warm"}).score < 0


def test_disjunctions_name_the_variables_that_fire():
    model = ls.disjunctions().start()
    model.update({"rain", "monday"}, True)
    model.update({"monday", "sun"}, False)
    found = model.explain({"rain", "monday"})
    assert [(share.name, share.contribution) for share in found.features] == [("rain", 1), ("monday", 0)]
    assert found.features[1].rounds == (Move(2, False, True, -1.0),)


def test_the_memorizer_names_the_round():
    model = ls.memorizer().start()
    for row, label in (({"a": 1}, 0), ({"a": 2}, 1), ({"a": 1}, 1), ({"a": 2}, 0)):
        model.update(row, label)
    (share,) = model.explain({"a": 1}).features
    assert share.rounds == (Move(3, True, False, 1.0),) and share.column is None
    assert [move.round for move in model.explain({"a": 2}).features[0].rounds] == [2, 4]
    assert "never remembered" in repr(model.explain({"a": 3}))


def test_halving_counts_the_living():
    model = ls.halving("disjunctions", n=5, updates="mistakes").start()
    model.update({0, 1}, 0)
    found = model.explain({1, 2})
    assert (found.prediction, found.score, found.words) == (True, 0.0, "4 of 8 living concepts say 1")
    assert [(share.value, share.contribution) for share in found.features] == [(4.0, 4.0), (4.0, -4.0)]
    assert [move.moved for share in found.features for move in share.rounds] == [-20.0, -4.0]
    always = ls.halving("disjunctions", n=5).start().explain({1})
    assert "updates on every round" in always.no_rounds and always.score == 0


def test_the_optimal_learner_compares_dimensions():
    found = ls.optimal("conjunctions", n=3).start().explain({0, 1})
    assert "dimensions" in found.words and found.score == sum(share.contribution for share in found.features)


def test_learners_without_a_ledger_say_so():
    X, y = drawn(50)
    for learner in (ls.adaptive(), ls.perceptron(averaged=True, bias=0)):
        found = ls.play(learner, X, y, ledger=True).model.explain(X[0])
        assert "updates on every round" in found.no_rounds and f"no rounds: {found.no_rounds}" in repr(found)
        assert all(share.moved_by is None and not share.rounds for share in found.features)
    bare = ls.play(ls.perceptron(bias=0), X, y).hypothesis.explain(X[0])
    assert "has no ledger" in bare.no_rounds and bare.features[0].contribution
    kept = ls.play(ls.perceptron(bias=0), X, y, ledger=True).model
    assert kept.explain(X[0], rounds=0).no_rounds == "none were asked for"
    for bad in (-1, 1.5, True):
        with pytest.raises(ls.LittlestoneError, match="rounds="):
            kept.explain(X[0], rounds=bad)


def test_explaining_changes_nothing(tmp_path):
    model = ls.perceptron(bias=1).start()
    for row, label in (({"a": 1}, 0), ({"b": 2}, 1), ({"a": 1, "b": 1}, 0)):
        model.update(row, label)
    model.save(tmp_path / "before")
    model.explain({"a": 1, "new": 3, "newer": 1}), model.explain({f"x{i}": 1 for i in range(100)}), model.explain(set())
    model.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    fresh = ls.perceptron(bias=0).start()
    fresh.explain({"a": 1})
    assert fresh.observe({3: 1.0}, True) is True  # it may still be a model of columns
    with pytest.raises(ls.LittlestoneError, match="finite"):
        model.explain({"a": float("inf")})


def test_a_ledger_of_another_model_is_refused():
    model, other = (ls.play(ls.perceptron(bias=0), *drawn(seed=seed), ledger=True).model for seed in (3, 4))
    model.ledger = other.ledger
    with pytest.raises(ls.LittlestoneError, match="not that of this model"):
        model.explain(np.ones(9))


def test_a_long_table_is_cut():
    model = ls.perceptron(bias=0).start()
    model.update(dict.fromkeys(map(str, range(23)), 1.0), False)
    for name in map(str, range(23)):
        model.update({name: 0.5}, True)
    found = model.explain(dict.fromkeys(map(str, range(23)), 1.0))
    text = str(found)
    assert text.endswith("  and 13 more") and len(text.splitlines()) == 13 and len(found.features) == 23
    assert "and 1 more" in "\n".join(found.lines(rounds=1)) and len(found.lines(most=30)) == 25
    json.dumps(found.as_json(), allow_nan=False)


def test_an_infinite_score_is_no_number_in_json():
    model = ls.perceptron(bias=0).start()
    for _ in range(3):
        model.update({0: 3e38, 1: 3e38}, False)
        model.update({0: -3e38, 1: 3e38}, False)
    learner = model.learner
    state = learner.first_state(2)
    state.w[:] = np.inf, 1.0
    found = learner.start(state).explain({0: 1, 1: 1}).as_json()
    assert found["score"] is None and json.dumps(found, allow_nan=False)


# ------------------------------------------------------------------------------------------------------------ panels


WORDS = [
    ("spam", "win a free prize now"),
    ("ham", "lunch on monday"),
    ("ham", "minutes of the meeting"),
    ("spam", "free offer win now"),
    ("spam", "a free lunch"),
    ("ham", "see you on monday"),
] * 6


def taught(learner, rounds):
    model = learner.start()
    model.reading = {"labels": ("ham", "spam")} if model.kind == "two classes" else {}
    for label, text in rounds:
        model.update(dict.fromkeys(text.split(), 1.0), label)
    return model


def contributions(why):
    return {share.name: share.contribution for share in why.features if share.column is not None}


def without(x, name):
    return {key: value for key, value in x.items() if key != name}


@pytest.mark.parametrize(
    "learner", [ls.panel(), ls.panel(["arow", "pairs"], blend=False), ls.panel("perceptron", calibrate=False)], ids=repr
)
def test_a_panel_names_what_each_feature_changes_in_its_forecast(learner):
    check_an_explanation_adds_up_to_the_score(learner)
    model = taught(learner, WORDS)
    x = {"free": 1.0, "monday": 2.0, "unheard": 1.0}
    why = model.explain(x)
    assert contributions(why) == {name: model.score(x) - model.score(without(x, name)) for name in x}
    assert contributions(why)["free"] > 0 > contributions(why)["monday"]
    assert why.score == why.forecast == model.score(x) and not why.additive and why.unknown == ("unheard",)
    assert (why.features[-1].name, sum(share.contribution for share in why.features)) == ("the rest", pytest.approx(why.score))
    assert f"without any feature it is {model.score({}):.6g}" in repr(why) and "exact change of the score" in repr(why)
    assert sum(why.forecast_weights.values()) == pytest.approx(1) and json.loads(json.dumps(why.as_json()))["additive"] is False


def test_a_long_row_is_explained_in_pieces(monkeypatch):
    model = taught(ls.panel(["arow", "coin"]), WORDS)
    x = dict.fromkeys(sorted({word for _, text in WORDS for word in text.split()}), 1.0)
    whole = contributions(model.explain(x))
    monkeypatch.setattr(import_module("littlestone.models.explain"), "MOST", 20)
    assert contributions(model.explain(x)) == whole and set(whole) == set(x)


def test_every_member_and_blend_of_a_panel_is_explained():
    model = taught(ls.panel(["adaptive:bias=1", "coin:bias=1", "naive_bayes"]), WORDS)  # whose scores are log-odds, taken at their word
    x = {"free": 1.0, "lunch": 1.0, "monday": 1.0}
    learner, row = model.learner, model.row(x)
    votes = learner.table.votes(row.state, row.indices, row.values, 0, 3)[0].tolist()
    found = {name: model.explain(x, member=name) for name in dict.fromkeys((*learner.names, *learner.forecasters()))}
    for name, vote in zip(learner.names, votes, strict=True):
        assert found[name].prediction == ("spam" if vote else "ham") and (found[name].score >= 0) == vote
    for name in learner.names[:3]:
        assert found[name].score == model.member(name).score(x) and found[name].additive
    for name in learner.blend_names:
        assert set(contributions(found[name])) == set(x) and not found[name].additive
        less = model.explain(without(x, "free"), member=name).score
        assert contributions(found[name])["free"] == found[name].score - less
    weights = model.explain(x).forecast_weights
    assert list(weights) == list(learner.forecasters())
    chance = sum(weight / (1 + np.exp(-found[name].score)) for name, weight in weights.items())
    assert chance == pytest.approx(model.probability(x), abs=1e-12)
    with pytest.raises(ls.LittlestoneError, match=r"member 'nobody': the members are adaptive:bias=1, .*; the blends are blend, .*-bins"):
        model.explain(x, member="nobody")
    bare = taught(ls.panel("arow", blend=False, forecast=False), WORDS)
    assert bare.explain(x, member="arow").score == bare.member("arow").score(x)
    assert [share.name for share in bare.explain(x).features] == ["arow"]  # it votes and forecasts nothing


def test_a_panel_of_several_classes_names_features_too():
    model = taught(ls.panel(), [*WORDS, *[("news", "free press on monday"), ("news", "press")] * 6])
    x = {"free": 1.0, "press": 1.0, "unheard": 1.0}
    why = model.explain(x)
    label = model.predict(x)
    assert (why.prediction, why.score, why.scores) == (label, model.scores(x)[label], model.scores(x))
    assert contributions(why) == {name: model.scores(x)[label] - model.scores(without(x, name))[label] for name in x}
    assert label == "news" and max(x, key=contributions(why).get) == "press" and why.rival == "spam"
    learner, forecasts = model.learner, model.state.forecasts
    votes = dict(zip(learner.names, model.ballot(x), strict=True))
    found = {name: model.explain(x, member=name) for name in learner.names}
    for name, one in found.items():
        assert one.prediction == votes[name] and one.scores[one.prediction] == max(one.scores.values())
        if name in learner.blend_names:
            less = model.explain(without(x, "press"), member=name).scores
            gone = less[one.prediction] - less[one.rival]
            assert one.score == one.scores[one.prediction] - one.scores[one.rival] and contributions(one)["press"] == one.score - gone
    mixed = 0.0
    for slope, (name, weight) in zip(forecasts.slopes, why.forecast_weights.items(), strict=True):
        shares = np.exp(slope * np.array(list(found[name].scores.values())))
        mixed = mixed + weight * shares / shares.sum()
    seen = 1 - 1 / (model.rounds + 2)
    assert dict(zip(model.classes, seen * mixed, strict=True)) == pytest.approx(model.probabilities(x), abs=1e-9)
    with pytest.raises(ls.LittlestoneError, match="the blends are blend-1000, blend-100, blend-each, discriminant"):
        model.explain(x, member="nobody")
    fresh = ls.class_panel(["arow"]).start()
    assert fresh.explain(x).prediction is fresh.explain(x, member="blend-each").prediction is None
    fresh.update({"free": 1.0}, "one")
    assert fresh.explain(x, member="blend-each").rival is None and fresh.explain(x).prediction == "one"


def test_the_member_of_a_class_is_explained():
    model = taught(ls.one_vs_rest(ls.perceptron(bias=0)), WORDS)
    assert model.explain({"free": 1.0}, member="spam").score == model.member("spam").score({"free": 1.0})
    with pytest.raises(ls.LittlestoneError, match="has no members"):
        ls.perceptron().start().explain({"free": 1.0}, member="spam")
    with pytest.raises(ls.LittlestoneError, match="has no members"):
        ls.adahedge(n=2).start().explain([1, 0], member="0")


def test_panels_are_explained_on_the_command_line(tmp_path):
    stream, path = tmp_path / "mail.txt", tmp_path / "m"
    for rounds in (WORDS, [*WORDS, *[("news", "free press on monday")] * 6]):
        stream.write_text("".join(f"{label}\t{text}\n" for label, text in rounds))
        assert littlestone("run", stream, "--model", path, "--quiet").returncode == 0
        model = ls.load(path)
        x = {"free": 1.0, "lunch": 1.0}
        found = littlestone("explain", path, "free", "lunch")
        assert found.stdout.splitlines()[0].startswith(f"predicted {model.predict(x)}") and "  free  " in found.stdout
        assert "blend-100)" not in found.stdout and "\n\n" not in found.stdout
        for name in (*model.learner.names, *model.learner.blend_names):
            one = littlestone("explain", path, "free", "lunch", "--member", name)
            assert one.stdout.startswith(found.stdout) and f"\n\n{name}:\npredicted " in one.stdout, one.stderr
            said = json.loads(littlestone("explain", path, "free", "lunch", "--member", name, "--json").stdout)
            member = model.explain(x, member=name)
            assert said["member"] == json.loads(json.dumps({"name": name} | member.as_json()))
            assert {"free", "lunch"} <= {str(share["name"]).split("·")[0] for share in said["member"]["features"]}
        refused = littlestone("explain", path, "free", "--member", "nobody")
        assert refused.returncode == 2 and "member 'nobody': the members are" in refused.stderr


# ---------------------------------------------------------------------------------------------- learners of one's own


OWN = """
import numpy as np
from littlestone import Kernels, Learner
from littlestone.jit import add, dot, jit

@jit
def score(w, indices, values, lo, hi):
    return dot(w, indices, values, lo, hi) - 1.0

@jit
def predict(w, indices, values, lo, hi):
    return score(w, indices, values, lo, hi) >= 0.0

@jit
def update(w, indices, values, lo, hi, y, yhat, weight):
    if yhat != y:
        add(w, indices, values, lo, hi, 1.0 if y else -1.0)
    return yhat != y

@jit
def play(w, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(w, indices, values, lo, hi)
        predictions[t] = yhat = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            update(w, indices, values, lo, hi, labels[t] == 1, yhat, 1.0)

def init(room):
    return (np.zeros(room),)

def bare():
    return Learner("bare", {}, (), init, Kernels(predict, update, play))

def scored():
    return Learner("scored", {}, (), init, Kernels(predict, update, play, score))

def stateless():
    return Learner("stateless", {}, (), lambda room: (np.zeros(1),), Kernels(lambda *a: True, lambda *a: None, lambda *a: None))
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "own_explained.py"
    path.write_text(OWN)
    spec = util.spec_from_file_location("own_explained", path)
    module = sys.modules["own_explained"] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.path = path
    return module


def test_a_learner_that_does_not_say_is_asked_for_its_score(own):
    check_an_explanation_adds_up_to_the_score(own.scored())
    model = own.scored().start()
    model.update({"a": 2.0}, True)
    found = model.explain({"a": 1.0, "b": 1.0})
    assert (found.score, found.threshold, share_of(found, "a").contribution, share_of(found, "the rest").contribution) == (
        1.0,
        0.0,
        2.0,
        -1.0,
    )
    assert [move.round for move in share_of(found, "a").rounds] == [1] and "does not say" in found.words


def test_or_else_shows_what_it_keeps(own):
    check_an_explanation_adds_up_to_the_score(own.bare())
    model = own.bare().start()
    model.update({"a": 2.0}, True)
    found = model.explain({"a": 1.0})
    (share,) = found.features
    assert (found.score, share.weight, share.contribution, share.level) == (None, None, None, 2.0)
    assert share.rounds == (Move(1, True, False, 2.0),) and str(found).startswith("predicted 1\n")
    assert own.stateless().start().explain({"a": 1.0}).features == ()


# -------------------------------------------------------------------------------------------------- the command line


def littlestone(*arguments):
    """The command, in this process: starting one takes longer than what is tested."""
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "140"})
    if result.exception is None or isinstance(result.exception, SystemExit):
        return SimpleNamespace(returncode=result.exit_code, stdout=result.stdout, stderr=result.stderr)
    assert isinstance(result.exception, ls.LittlestoneError), result.exception
    return SimpleNamespace(returncode=2, stdout=result.stdout, stderr=f"{result.stderr}{result.exception}")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "spam.littlestone"
    model = ls.perceptron(bias=1).start()
    for row, label in (
        ({"free": 1, "offer": 2}, 1),
        ({"minutes": 1, "re: minutes": 1}, 0),
        ({"free": 1, "minutes": 1}, 0),
        ({"free": 1}, 1),
    ):
        model.update(row, label)
    model.save(path)
    return path


def test_explain_on_the_command_line(saved):
    found = littlestone("explain", saved, "free:2", "minutes", "unheard")
    assert found.returncode == 0, found.stderr
    model = ls.load(saved)
    assert found.stdout.splitlines() == str(model.explain({"free": 2.0, "minutes": 1.0, "unheard": 1.0})).splitlines()
    assert "(bias)" in found.stdout and "never met: unheard" in found.stdout
    said = json.loads(littlestone("explain", saved, "free:2 minutes", "re: minutes:3", "--json").stdout)
    assert said == model.explain({"free": 2.0, "minutes": 1.0, "re: minutes": 3.0}).as_json()
    assert sum(share["contribution"] for share in said["features"]) == said["score"]
    short = littlestone("explain", saved, "free", "minutes", "--top", 1, "--rounds", 1).stdout
    assert "and 2 more" in short


def test_without_an_instance_it_shows_the_largest_weights(saved):
    found = littlestone("explain", saved)
    assert found.returncode == 0 and found.stdout == littlestone("show", saved).stdout
    assert json.loads(littlestone("explain", saved, "--json").stdout)["weights"]


def test_a_round_of_a_stream_is_explained(tmp_path):
    stream, path = tmp_path / "s.libsvm", tmp_path / "m"
    stream.write_text("2 1:3 4:1\n1 2:1 4:2\n2 1:1\n1 4:1 7:2\n2:1\n")
    assert littlestone("run", stream, "--learner", "winnow", "--boolean", "--model", path, "--quiet").returncode == 0
    model = ls.load(path)
    for number, row, label in ((1, {1, 4}, 2), (4, {4, 7}, 1), (5, {2}, None)):
        found = json.loads(littlestone("explain", path, "--stream", stream, "--round", number, "--json").stdout)
        assert (found.pop("stream"), found.pop("round"), found.pop("label")) == (str(stream), number, label)
        assert found == model.explain(row).as_json()
    text = littlestone("explain", path, "--stream", stream, "--round", 4).stdout
    assert text.startswith(f"round 4 of {stream}, label 1\npredicted ")
    explained = "\n".join(model.explain({1}).lines(labels=("1", "2")))  # presence, as its stream was read
    assert littlestone("explain", path, "1:5", "4:0").stdout == f"{explained}\n"


@pytest.mark.parametrize("own", [[], ["--bits", 8], ["--boolean"], ["--ngrams", 2]], ids=str)
def test_a_text_in_quotes_is_read_as_the_texts_of_the_stream_were(tmp_path, own):
    stream, path, text = tmp_path / "s.txt", tmp_path / "m", "See: WIN at 5:30, re:2 you :)"
    stream.write_text(f"spam\twin win now re:2\nham\tSee you at 5\nspam\t{text}\nham\tyou :)\n")
    assert littlestone("run", stream, "--learner", "arow", "--model", path, "--quiet", *own).returncode == 0
    streamed = json.loads(littlestone("explain", path, "--stream", stream, "--round", 3, "--json").stdout)
    assert json.loads(littlestone("explain", path, text, "--json").stdout)["features"] == streamed["features"]
    words = json.loads(littlestone("explain", path, "See:", "WIN", "--json").stdout)["features"]
    assert words == json.loads(littlestone("explain", path, "See: WIN", "--json").stdout)["features"]


def test_numbers_are_names_for_a_model_that_knows_names(tmp_path):
    model = ls.play(ls.perceptron(bias=0), [{"free": 1, "offer": 1}, {"minutes": 1}], [1, 0], ledger=True).model
    model.save(tmp_path / "m")
    (tmp_path / "s.libsvm").write_text("1 1:3\n")
    said = littlestone("explain", tmp_path / "m", "--stream", tmp_path / "s.libsvm", "--round", 1)
    assert said.returncode == 0 and "offer" not in said.stdout  # column 1 of the file is no column of the model


def test_bad_questions_are_refused(saved, own, tmp_path):
    stream, columns, mine = tmp_path / "s.libsvm", tmp_path / "m", tmp_path / "own"
    stream.write_text("1 1:3\n0 2:1\n")
    littlestone("run", stream, "--learner", "perceptron:bias=0", "--model", columns, "--quiet")
    own.bare().start().save(mine)
    for words, arguments in (
        ("go together", (saved, "--stream", stream)),
        ("go together", (saved, "--round", 3)),
        ("not both", (columns, "3", "--stream", stream, "--round", 1)),
        ("has only 2 rounds", (columns, "--stream", stream, "--round", 3)),
        ("counted from 1", (columns, "--stream", stream, "--round", 0)),
        ("by numbers", (columns, "free")),
        ("given twice", (columns, "3", "3:2")),
        ("given twice", (saved, "free", "free:2 minutes")),
        ("finite", (columns, "3:nan")),
        ("finite", (saved, "free:inf")),
        ("0 or more", (columns, "3", "--top", -1)),
        ("no such file", (columns, "--stream", tmp_path / "none", "--round", 1)),
        ("is no littlestone model", (stream, "3")),
        ("no code is run", (mine, "3")),
    ):
        result = littlestone("explain", *arguments)
        assert result.returncode == 2 and words in result.stderr, (words, result.stdout, result.stderr)
    assert littlestone("explain", mine, "3", "--learner", f"{own.path}::bare").returncode == 0


def test_old_models_are_explained():
    model = ls.load(Path(__file__).parent / "data" / "version-1.littlestone")
    before = model.state
    found = model.explain(set(model.features) if model.named else {1: 1.0})
    assert found.features and model.learner.alike(before, model.state)


def test_a_row_without_rounds_fits_a_narrow_terminal():
    from littlestone.models.explanation import _folded

    assert _folded("a name that is wider than the terminal  1  ", "", 20) == ["a name that is wider than the terminal  1"]


def test_explain_takes_the_columns_of_a_table(tmp_path):
    rows = [
        f"2026-11-{1 + k % 28:02}T08:00,{'win a free prize now' if k % 2 else 'see you at home then'} {k % 3},{k % 5},{k % 2}"
        for k in range(60)
    ]
    (tmp_path / "mail.csv").write_text("\n".join(["sent,message,km,label", *rows]))
    littlestone("run", tmp_path / "mail.csv", "--quiet", "--model", tmp_path / "m")
    made = littlestone("explain", tmp_path / "m", "message=a free zebra", "km:3", "sent=2026-11-19T20:05", "--json")
    shown = json.loads(made.stdout)
    names = {share["name"]: share["value"] for share in shown["features"]}
    assert {"message=a", "message=free", "message=zebra", "km", "sent.weekday=Thu", "sent.hour=20"} <= set(names) and names["km"] == 3
    assert set(shown["unknown"]) == {"message=zebra", "sent.hour=20"}
    one = json.loads(littlestone("explain", tmp_path / "m", "message=free", "km:2", "--json").stdout)
    assert {"message=free", "km"} <= {share["name"] for share in one["features"]} and not one["unknown"]
