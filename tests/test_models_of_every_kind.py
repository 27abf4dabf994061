"""Models of every kind of learner, and everything that a model can do."""

import json
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.protocol import Advice, Block, Model

ROUNDS, FEATURES = 120, 7
OWN = """
from dataclasses import replace

import littlestone as ls


def mine(n=None, bias=0, margin=0, averaged=False):
    return replace(ls.perceptron(n, bias=bias, margin=margin, averaged=averaged), name="mine")
"""


def mine(n=None, bias=0, margin=0, averaged=False):
    """A learner of the user's own: known to nobody by its name."""
    return replace(ls.perceptron(n, bias=bias, margin=margin, averaged=averaged), name="mine")


@dataclass(frozen=True)
class Kind:
    """A kind of learner, and rounds for it."""

    name: str
    learner: object
    labels: tuple = (False, True)
    own: bool = False  # must its learner be given to load it?
    ledger: bool = True

    @property
    def advice(self):
        return isinstance(self.learner, ls.Rule)

    @property
    def several(self):
        return isinstance(self.learner, ls.ClassLearner)

    def rounds(self, seed=0):
        """Rows of ones and zeros, or of votes; and labels, every eleventh left out."""
        rng = np.random.default_rng(seed)
        X = (rng.random((ROUNDS, FEATURES)) < 0.5).astype(np.float32)
        scores = X @ rng.standard_normal((FEATURES, len(self.labels))) + 0.3 * rng.standard_normal((ROUNDS, len(self.labels)))
        y = [self.labels[c] for c in scores.argmax(axis=1)]
        if self.advice and self.learner.advice == "loss":
            return X, None
        return X, [None if t % 11 == 7 else label for t, label in enumerate(y)]

    def taught(self, X, y, model=None):
        """A model that was told these rounds one by one."""
        model = self.learner.start() if model is None else model
        for t, row in enumerate(X):
            model.update(row if self.advice else named(row), None if y is None else y[t])
        return model

    def load(self, path):
        return ls.load(path, learner=mine if self.own else None)

    def instances(self, X):
        """The rows as events, for a whole batch of them."""
        return X if self.advice else [named(row) for row in X]


def named(row):
    return {f"f{i}": 1.0 for i in np.flatnonzero(row).tolist()}


DRINKS = ("tea", "coffee", "milk")
KINDS = [
    Kind("two classes", ls.perceptron(bias=1)),
    Kind("two classes, margin", ls.passive_aggressive()),
    Kind("two classes, boolean", ls.winnow(n=FEATURES)),
    Kind("two classes, always", ls.adaptive(), ledger=False),
    Kind("own", mine(), own=True),
    Kind("one_vs_rest", ls.one_vs_rest(ls.perceptron(bias=1)), DRINKS),
    Kind("one_vs_rest of numbers", ls.one_vs_rest(ls.winnow(n=FEATURES)), (3, 1, 2)),
    Kind("one_vs_rest, always", ls.one_vs_rest(ls.naive_bayes()), DRINKS, ledger=False),
    Kind("one_vs_rest of own", ls.one_vs_rest(mine()), DRINKS, own=True),
    Kind("all_pairs", ls.all_pairs(ls.perceptron(bias=0)), DRINKS),
    Kind("all_pairs, margin", ls.all_pairs(ls.arow()), (1.5, -2.5, 4.25)),
    Kind("all_pairs of a panel", ls.all_pairs(ls.panel(["perceptron", "arow"])), DRINKS, ledger=False),
    Kind("multiclass_perceptron", ls.multiclass_perceptron(), DRINKS),
    Kind("banditron", ls.banditron(explore="1/3"), DRINKS, ledger=False),
    Kind("multiclass_perceptron of bools", ls.multiclass_perceptron(), (True, False)),
    Kind("panel", ls.panel(["perceptron", "arow"]), ledger=False),
    Kind("conservative", ls.conservative(ls.passive_aggressive())),
    Kind("conservative of own", ls.conservative(mine()), own=True),
    Kind("weighted_majority", ls.weighted_majority(n=FEATURES), ledger=False),
    Kind("adahedge", ls.adahedge(n=FEATURES, advice="probability"), ledger=False),
    Kind("hedge over losses", ls.hedge(n=FEATURES, rounds=200, advice="loss"), ledger=False),
    Kind("tracking", ls.tracking(n=FEATURES), ledger=False),
    Kind("fixed_share", ls.fixed_share(n=FEATURES, alpha="1/10", eta="1/2"), ledger=False),
    Kind("bandit", ls.exp3_ix(n=FEATURES, eta="1/10"), ledger=False),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def same(one, two):
    """Are these two models the same, in everything that can be asked of them?"""
    assert type(one) is type(two)
    assert (one.rounds, one.mistakes, one.unlabelled) == (two.rounds, two.mistakes, two.unlabelled)
    assert dict(one.features) == dict(two.features) and one.named == two.named
    assert one.learner.alike(one.state, two.state)
    assert (one.ledger is None) == (two.ledger is None)
    assert one.ledger is None or one.ledger.same(two.ledger)
    if one.kind == "several classes":
        assert list(map(repr, one.classes)) == list(map(repr, two.classes))
    if one.kind == "advice":
        assert one.loss == pytest.approx(two.loss, abs=1e-12)
    return True


def as_blocks(kind, X, y, model, size):
    """The rounds as the runner of that model takes them; labels of several classes are numbered by its map."""
    runner = model.runner(FEATURES if kind.advice else None)
    if kind.advice:
        truth = np.zeros(len(X), np.int32) if y is None else np.array([-1 if label is None else label for label in y], np.int32)
        advice = Advice.of(X, truth)
        return runner, (advice.cut(start, min(start + size, len(X))) for start in range(0, len(X), size))
    rows = [[model.features[f"f{i}"] for i in np.flatnonzero(row).tolist()] for row in X]
    codes = [runner.classes.code(label) for label in y] if kind.several else [-1 if label is None else int(label) for label in y]
    whole = Block.of(rows, codes)
    whole = replace(whole, values=np.ones(len(whole.indices), np.float32)).ordered()  # as rows come from any source
    return runner, (whole.cut(start, min(start + size, len(X))) for start in range(0, len(X), size))


def played(kind, X, y, model, size=29):
    """What a runner that goes on from a model makes of the rounds: the model, and the run."""
    runner, blocks = as_blocks(kind, X, y, model, size)
    for block in blocks:
        runner.take(block)
    made = Model.of(runner, model)
    made.named = model.named if kind.advice else True
    return made, runner.run()


@every_kind
def test_every_model_is_a_model(kind):
    model = kind.learner.start()
    assert isinstance(model, ls.Model) and model.learner.name == kind.learner.name
    X, y = kind.rounds()
    if kind.advice:
        assert isinstance(ls.play(kind.learner, X, [0 if label is None else label for label in y] if y else None).hypothesis, ls.Model)
    else:
        assert isinstance(ls.play(kind.learner, X, y).hypothesis, ls.Model)
    assert (model.ledger is not None) == kind.ledger


@every_kind
def test_a_saved_model_comes_back_with_everything(kind, tmp_path):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    model.save(tmp_path / "m")
    again = kind.load(tmp_path / "m")
    assert same(again, model)
    again.save(tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    kind.taught(X[::-1], y and y[::-1], model)
    kind.taught(X[::-1], y and y[::-1], again)
    if kind.ledger:  # loading knows the ledger, and goes on with it
        assert same(again, model)
    assert again.learner.alike(again.state, model.state)


@every_kind
def test_one_event_at_a_time_is_the_same_as_blocks(kind):
    X, y = kind.rounds()
    whole, run = played(kind, X, y, kind.learner.start())
    assert same(whole, kind.taught(X, y))
    assert run.rounds == whole.rounds


@every_kind
def test_to_stop_save_load_and_go_on_is_the_same_as_never_to_have_stopped(kind, tmp_path):
    X, y = kind.rounds()
    whole, run = played(kind, X, y, kind.learner.start())
    half, _ = played(kind, X[:50], y and y[:50], kind.learner.start())
    half.save(tmp_path / "m")
    again, later = played(kind, X[50:], y and y[50:], kind.load(tmp_path / "m"))
    assert same(again, whole)
    again.save(tmp_path / "a")
    whole.save(tmp_path / "b")
    if kind.advice:
        return  # bounds of a rule need the rounds themselves
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (later.rounds, later.mistakes, later.resumed) == (run.rounds, run.mistakes, False)
    assert [claim.as_json() for claim in later.bounds()] == [claim.as_json() for claim in run.bounds()]


@every_kind
def test_a_run_that_goes_on_from_events_counts_its_own_rounds(kind):
    X, y = kind.rounds()
    again, later = played(kind, X[50:], y and y[50:], kind.taught(X[:50], y and y[:50]))
    assert same(again, kind.taught(X, y))
    assert later.resumed
    with pytest.raises(ls.LittlestoneError, match="went on from a state"):
        later.bounds()
    if kind.several:
        assert sum(later.counts.values()) == later.rounds


@every_kind
def test_predictions_of_many_rows_are_those_of_each(kind):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    rows = kind.instances(X)
    if kind.advice and kind.learner.advice == "loss":
        assert set(model.predict_many(X)) == {model.names[model.choose()]}
        return
    assert model.predict_many(rows).tolist() == [model.hypothesis.predict(row) for row in rows]
    assert model.rounds + model.unlabelled == ROUNDS  # nothing was learned


@every_kind
def test_scores_go_with_predictions(kind):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    rows = kind.instances(X)[:40]
    if kind.advice:
        weights = model.scores()
        assert list(weights) == list(range(FEATURES)) and sum(weights.values()) == pytest.approx(1)
        if kind.learner.advice != "loss":
            assert model.predict_many(rows, scores=True).tolist() == [model.scores(row)[1] for row in rows]
    elif kind.several:
        table = model.predict_many(rows, scores=True)
        for t, row in enumerate(rows):
            scores = model.scores(row)
            assert list(scores) == list(model.classes) and list(scores.values()) == table[t].tolist()
            if kind.learner.name == "multiclass_perceptron" or "pairs" in kind.learner.name:
                assert model.predict(row) == max(scores, key=lambda label: scores[label])
    elif kind.learner.scored:
        assert model.predict_many(rows, scores=True).tolist() == [model.score(row) for row in rows]
        if kind.learner.decides_by_score:
            assert all((model.score(row) >= 0) == model.predict(row) for row in rows)
        else:  # a panel's score is its forecast, which decides nothing
            assert all((model.score(row) >= 0) == (model.probability(row) >= 0.5) for row in rows)
    else:
        with pytest.raises(ls.LittlestoneError, match="without a score"):
            model.predict_many(rows, scores=True)


def stream_of(kind, X, y):
    """The rounds as `replay` and the others take them again."""
    return {"stream": kind.instances(X), "y": y if not kind.advice or y is None else [float("nan") if v is None else v for v in y]}


@every_kind
def test_a_model_is_made_again_from_its_rounds(kind):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    again = model.replay(**stream_of(kind, X, y))
    assert same(again, model) and not again.diff(model)
    if kind.ledger:
        assert same(model.replay(), model)
    else:
        with pytest.raises(ls.LittlestoneError, match=r"(updates|weighs its experts) on every round and keeps no ledger.*stream="):
            model.replay()
    with pytest.raises(ls.LittlestoneError, match="not the stream of this model"):
        model.replay(**stream_of(kind, X[:90], y and y[:90]))
    with pytest.raises(ls.LittlestoneError, match="not the stream of this model"):
        model.replay(**stream_of(kind, 1 - X, y))


@every_kind
@pytest.mark.parametrize("round", [0, 1, 37, ROUNDS])
def test_a_model_is_rolled_back(kind, round):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    expected = kind.taught(X[:round], y and y[:round])
    ways = [model.rollback(round, **stream_of(kind, X, y))] + ([model.rollback(round)] if kind.ledger else [])
    for again in ways:
        again.features = expected.features  # columns that names were given later stay given
        again.named = expected.named
        assert same(again, expected)
    for wrong in (-1, ROUNDS + 1, 1.5):
        with pytest.raises(ls.LittlestoneError, match="must be a whole number from 0"):
            model.rollback(wrong, **stream_of(kind, X, y))


@every_kind
@pytest.mark.parametrize("round", [1, 2, 8, 60])
def test_a_round_is_forgotten(kind, round):
    """The eighth has no label: to forget it changes nothing. The first brings a class, which later rounds bring again."""
    X, y = kind.rounds()
    model = kind.taught(X, y)
    gone = model.forget(round, **stream_of(kind, X, y))
    if y is None:
        advice = Advice.of(X, np.where(np.arange(len(X)) == round - 1, -1, 0))
        runner = kind.learner.start().runner()
        runner.take(advice)
        expected = Model.of(runner)
    else:
        expected = kind.taught(X, [None if t == round - 1 else label for t, label in enumerate(y)])
    assert same(gone.model, expected)
    assert gone.taught == (y is None or (y[round - 1] is not None and (not kind.ledger or round in model.ledger.rounds)))
    assert bool(gone.weights) <= bool(gone.model.diff(model))
    json.dumps(gone.as_json())
    if kind.ledger:
        short = model.forget(round)
        assert short.taught == gone.taught
        assert short.taught or same(short.model, gone.model)
        assert short.model.ledger.mistakes.sum() == short.model.mistakes


@every_kind
def test_models_are_compared(kind):
    X, y = kind.rounds()
    model, other = kind.taught(X, y), kind.taught(X[:60], y and y[:60])
    assert not model.diff(kind.taught(X, y))
    found = model.diff(other)
    assert found and found.counts["rounds"] == (model.rounds, other.rounds) and "rounds" in repr(found)
    assert bool(found.only_first) == kind.ledger and not found.only_second
    assert model.diff(ls.perceptron(bias="1/2").start()).settings


@every_kind
def test_predictions_are_explained(kind):
    X, y = kind.rounds()
    model = kind.taught(X, y)
    before = model.arrays()
    for row in X[:6]:
        x = row if kind.advice else named(row)
        why = model.explain(x)
        if kind.advice and kind.learner.advice == "loss":
            assert why.prediction == model.names[model.choose()]
        else:
            assert why.prediction == model.predict(x)
        added = [share.contribution for share in why.features]
        if why.score is not None and None not in added:
            assert sum(added) == pytest.approx(why.score, abs=1e-9)
        assert bool(why.no_rounds) != kind.ledger
        if kind.ledger:
            for share in why.features:
                assert sum(move.moved for move in share.rounds) == pytest.approx(share.level, abs=1e-9)  # from 0, all of these
        assert repr(why).startswith("predicted ") and json.loads(json.dumps(why.as_json(), default=str))["learner"]
    assert all(np.array_equal(a, b) for a, b in zip(before.values(), model.arrays().values(), strict=True))


def test_several_classes_are_explained_by_what_sets_the_class_apart():
    model = ls.multiclass_perceptron().start()
    for word, drink in [("leaf", "tea"), ("bean", "coffee"), ("bean", "coffee"), ("cow", "milk"), ("cow", "milk")]:
        model.update({word: 1.0, "hot": 1.0}, drink)
    x = {"bean": 2.0, "hot": 1.0}
    why, scores = model.explain(x), model.scores(x)
    assert why.scores == scores and why.prediction == "coffee" == max(scores, key=lambda label: scores[label])
    assert why.rival == max((label for label in scores if label != "coffee"), key=lambda label: scores[label])
    assert why.score == scores["coffee"] - scores[why.rival] == sum(share.contribution for share in why.features)
    assert {share.name: share.value for share in why.features} == x
    bean = next(share for share in why.features if share.name == "bean")
    assert [(move.round, move.label, move.predicted, move.moved) for move in bean.rounds] == [(3, "coffee", "tea", 1.0)]
    assert f"weights are those of coffee less those of {why.rival}" in repr(why)
    pairs = ls.all_pairs(ls.perceptron(bias=0)).start()
    rest = ls.one_vs_rest(ls.perceptron(bias=0)).start()
    for other in (pairs, rest):
        for word, drink in [("leaf", "tea"), ("bean", "coffee"), ("bean", "coffee"), ("cow", "milk"), ("cow", "milk"), ("leaf", "tea")]:
            other.update({word}, drink)
    assert "by the member of tea (1) and" in repr(pairs.explain({"leaf"}))
    assert "by the member of tea (1) and the rest (0), which says 1" in repr(rest.explain({"leaf"}))
    assert repr(ls.all_pairs(ls.perceptron(bias=0)).start().explain({"leaf"})).startswith("predicted None")


def test_a_rule_is_explained_by_its_experts():
    model = ls.weighted_majority(n=3).start()
    model.experts = ("anna", "ben", "carl")
    for row, y in [([1, 1, 0], 0), ([1, 0, 0], 0), ([1, 0, 1], 0)]:
        model.update(row, y)
    why = model.explain([1, 0, float("nan")])
    assert [(share.name, share.weight) for share in why.features] == [
        ("ben", pytest.approx(2 / 3)),
        ("anna", pytest.approx(1 / 3)),
        ("carl", 0.0),
    ]
    assert why.score == pytest.approx(1 / 3) and why.prediction is False
    assert "weights are of those awake" in repr(why) and "below the threshold 0.5" in repr(why)


# --------------------------------------------------------------------------------------------------------------- the command line


def littlestone(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def write(kind, path, X, y):
    if kind.advice:
        names = [f"e{i}" for i in range(FEATURES)]
        head = [] if y is None else ["truth"]
        rows = [[*([] if y is None else ["" if y[t] is None else int(y[t])]), *(f"{v:g}" for v in row)] for t, row in enumerate(X)]
        path.write_text("\n".join(",".join(map(str, line)) for line in [[*head, *names], *rows]) + "\n")
        return
    labels = ["" if label is None else int(label) if isinstance(label, bool) else label for label in y]
    head = ["label", *(f"f{i}" for i in range(FEATURES))]
    rows = [[labels[t], *(f"{v:g}" for v in row)] for t, row in enumerate(X)]
    path.write_text("\n".join(",".join(map(str, line)) for line in [head, *rows]) + "\n")


def saved(kind, stream, out):
    """A model of that kind from a file, saved as `run --model` and `experts --model` save it."""
    if kind.advice:
        littlestone("experts", stream, "--rule", rule_text(kind.learner), "--model", out, "--quiet", "--advice", kind.learner.advice)
        return ls.load(out)
    source = ls.open_stream(stream, label="label")
    source.begin()
    blank = kind.learner.start()
    for name in source.names if source.names is not None else ():
        blank.features[name]
    runner = blank.runner()
    for block in source.lent_blocks(*([runner.classes] if kind.several else [])):
        runner.take(block)
    model = Model.of(runner, blank)
    for name in source.names if source.names is not None else ():
        model.features[name]
    model.named, model.reading = True, source.reading.as_json()
    model.save(out)
    return model


def rule_text(rule):
    """As it is named on the command line: the table tells the advice, and η is told by the number of rounds."""
    from littlestone.learners import experts
    from littlestone.protocol import naming

    told = {"n", "advice", "seed"} | ({"eta"} if rule.settings.get("rounds") else {"beta"} if "eta" in rule.settings else set())
    settings = {name: value for name, value in rule.settings.items() if name not in told}
    return naming.text_of(rule.name, settings, experts.factory(rule.name), {})


@every_kind
def test_the_command_line_takes_every_kind(kind, tmp_path):
    X, y = kind.rounds()
    stream, model, other = tmp_path / "s.csv", tmp_path / "m", tmp_path / "n"
    write(kind, stream, X, y)
    (tmp_path / "own.py").write_text(OWN)
    own = ("--learner", f"{tmp_path}/own.py::mine") if kind.own else ()
    made = saved(kind, stream, model)
    again = () if kind.ledger else ("--stream", stream)
    shown = json.loads(littlestone("show", model, *own, "--json"))
    assert (shown["rounds"], shown["mistakes"]) == (made.rounds, made.mistakes)
    assert f"{made.rounds:,} rounds" in littlestone("show", model, *own)
    assert json.loads(littlestone("replay", model, *again, *own, "--json"))["same"] is True
    assert json.loads(littlestone("replay", model, "--stream", stream, *own, "--json"))["same"] is True
    assert "bit for bit" in littlestone("replay", model, *again, *own)
    littlestone("rollback", model, 60, "-o", other, *again, *own)
    assert ls.load(other, learner=mine if kind.own else None).rows == 60
    assert "rounds" in littlestone("diff", model, other, *own)
    assert json.loads(littlestone("forget", model, 3, "-o", other, *again, *own, "--json"))["round"] == 3
    assert littlestone("forget", model, 3, *again, *own).startswith("without round 3")
    lines = littlestone("predict", model, stream, *own, "--quiet").splitlines()
    assert len(lines) == ROUNDS
    if kind.several:
        assert set(lines) <= {str(int(label) if isinstance(label, bool) else label) for label in kind.labels}
        scores = [json.loads(line) for line in littlestone("predict", model, stream, *own, "--scores", "--quiet").splitlines()]
        assert set(scores[0]) == set(map(str, made.classes)) and len(scores) == ROUNDS
    objects = [json.loads(line) for line in littlestone("predict", model, stream, *own, "--json", "--quiet").splitlines()]
    assert len(objects) == ROUNDS and set(objects[0]) >= {"id", "label", "score"}
    tested = json.loads(littlestone("predict", model, stream, *own, "--test", "--json", "--quiet"))
    assert tested["rounds"] == (ROUNDS if y is None else sum(label is not None for label in y))
    assert littlestone("predict", model, stream, *own, "--test", "--quiet")
    words = ("e0:1", "e1:0") if kind.advice else ("f0", "f1:1")
    assert littlestone("explain", model, *words, *own).startswith("predicted ")
    why = json.loads(littlestone("explain", model, "--stream", stream, "--round", 5, *own, "--json"))
    assert why["round"] == 5 and why["features"]


def test_a_rule_goes_on_from_its_file(tmp_path):
    kind = next(kind for kind in KINDS if kind.name == "adahedge")
    X, y = kind.rounds()
    whole, first, rest = tmp_path / "whole.csv", tmp_path / "first.csv", tmp_path / "rest.csv"
    for path, part in ((whole, slice(None)), (first, slice(0, 50)), (rest, slice(50, None))):
        write(kind, path, X[part], y[part])
    littlestone("experts", whole, "--advice", "probability", "--model", tmp_path / "w", "--quiet")
    littlestone("experts", first, "--advice", "probability", "--model", tmp_path / "a", "--quiet")
    littlestone("experts", rest, "--from", tmp_path / "a", "--model", tmp_path / "b", "--quiet")
    assert same(ls.load(tmp_path / "b"), ls.load(tmp_path / "w"))
    said = json.loads(littlestone("experts", rest, "--from", tmp_path / "a", "--quiet", "--json"))
    assert said["bounds"] == [] and said["rounds"] == sum(label is not None for label in y[50:])
    assert Path(tmp_path / "w").stat().st_size > 0


@pytest.mark.parametrize("learner", [ls.perceptron(averaged=True, bias=0), ls.one_vs_rest(ls.perceptron(averaged=True, bias=0))], ids=repr)
def test_an_averaged_model_predicts_with_the_average_whatever_is_asked(learner):
    rng = np.random.default_rng(3)
    X = [named(row) for row in rng.random((80, 8)) < 0.4]
    y = (rng.random(80) < 0.5).tolist()
    model = learner.start()
    for row, label in zip(X, y, strict=True):
        model.observe(row, label)
    run = ls.play(learner, X, y)
    kept = run.hypothesis.predict_many(X).tolist()
    assert [model.predict(row) for row in X] == model.predict_many(X).tolist() == kept == [run.model.predict(row) for row in X]
    assert kept != [model.predict_round(row) for row in X]
    assert all(model.explain(row).prediction == prediction for row, prediction in zip(X, kept, strict=True))
    assert model.mistakes == run.mistakes  # those of the rule as it goes


@every_kind
def test_a_run_leaves_a_model_that_knows_the_names(kind, tmp_path):
    X, y = kind.rounds()
    rows = kind.instances(X)
    run, kept = ls.play(kind.learner, rows, y), ls.play(kind.learner, rows, y, ledger=True)
    assert (run.model.rounds, run.model.mistakes, run.model.ledger) == (kept.model.rounds, kept.model.mistakes, None)
    shuffled = rows[::-1]
    expected = kept.model.predict_many(shuffled).tolist()
    run.model.save(tmp_path / "m")
    for model in (run.model, run.hypothesis, kept.hypothesis, kind.load(tmp_path / "m")):
        assert model.predict_many(shuffled).tolist() == expected
    if not kind.advice:
        assert run.hypothesis.predict(rows[3]) == run.model.predict(rows[3]) and list(run.hypothesis.features) == list(kept.model.features)
    again = ls.play(run.model, rows, y)
    assert again.model.rounds == 2 * run.model.rounds
    if not kind.advice:
        assert not again.resumed and again.rounds == 2 * run.rounds and again.squares if kind.name == "two classes" else True


def test_a_panel_is_compared_member_by_member():
    learner = ls.panel(["perceptron", "arow"])
    one, two = learner.start(), learner.start()
    for k in range(6):
        one.update({"a": 1, f"b{k}": 1}, k % 2 == 0)
        two.update({"a": 1, f"b{k}": 1}, k % 2 == 1)
    weights = one.diff(two).weights
    assert {name.partition(": ")[0] for name in weights} == {"perceptron", "arow"}
    assert weights["perceptron: a"] == tuple(float(model.member("perceptron").state.w[model.features["a"]]) for model in (one, two))


@pytest.mark.parametrize(
    ("options", "row", "prediction"), [({}, [1.0, 4.0], 2.5), ({"threshold": 2.0}, [1.0, 4.0], True)], ids=["mean", "vote"]
)
def test_a_rule_over_forecasts_is_explained_by_forecasts(options, row, prediction):
    """Its own forecast is the mean of theirs, and no expert's name; of votes made by a threshold, the row still holds forecasts."""
    table = pa.table({"truth": [1.0, 2.0, 1.5, 2.5], "a": [2.0, 1.0, 2.5, 1.5], "b": [2.0, 1.0, 2.5, 1.5]})
    model = ls.experts(table, **options).model
    said = model.explain(row)
    assert said.prediction == prediction and [share.weight for share in said.features] == [0.5, 0.5]
    assert str(said.features[0].value) in ("1.0", "0.0") and repr(said)


MAIL = {"label": ["spam", "ham"] * 6, "words": ["free offer now", "minutes of meeting"] * 6, "size": [1.0, 2.0] * 6}


@pytest.mark.parametrize("learner", [ls.perceptron(bias=0), ls.one_vs_rest(ls.perceptron(bias=0))], ids=repr)
def test_a_model_takes_what_play_takes_and_answers_in_the_labels_of_its_stream(learner, tmp_path):
    frame = pa.table(MAIL)
    model = ls.play(learner, frame).model
    model.save(tmp_path / "m")
    for kept in (model, ls.load(tmp_path / "m"), model.copy()):
        assert kept.predict(frame).tolist() == kept.predict(frame.drop(["label"])).tolist() == MAIL["label"]
        assert kept.predict({"words=free offer now": 1, "size": 1}) == "spam"
        assert len(kept.scores(frame)) == 12
    assert model.observe({"size": 9}, "ham") in ("spam", "ham")
    model.update({"size": 9}, "spam")
    with pytest.raises(ls.LittlestoneError, match="'bacon'") if learner.kind == "two classes" else nullcontext():
        model.update({"size": 9}, "bacon")


@pytest.mark.parametrize("learner", [ls.perceptron(bias=0), ls.one_vs_rest(ls.perceptron(bias=0))], ids=repr)
def test_rows_of_every_form_are_answered_alike(learner):
    rng = np.random.default_rng(2)
    X = (rng.random((40, 9)) < 0.4).astype(float)
    model = ls.play(learner, X, rng.integers(0, 2, 40).tolist()).model
    expected = [model.predict(row) for row in X]
    dicts = [{int(i): 1.0 for i in np.flatnonzero(row)} for row in X]
    for batch in (X, X.tolist(), scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X), dicts, [set(row) for row in dicts]):
        assert model.predict(batch).tolist() == expected
        assert np.array_equal(model.scores(batch), model.scores(X))
    assert [model.predict(row) for row in dicts] == expected
    assert model.predict(X[0].tolist()) == expected[0]


@pytest.mark.parametrize(
    "learner", [ls.perceptron(bias=0), ls.panel(["perceptron", "arow"]), ls.one_vs_rest(ls.perceptron(bias=0))], ids=repr
)
def test_labels_may_be_texts_and_come_back_in_every_answer(learner):
    """Of lists, arrays and columns; in runs, models, certificates and explanations, and in what is said of a label that is neither."""
    texts, y = ["free offer now", "minutes of meeting", "free entry"] * 4, ["spam", "ham", "spam"] * 4
    for X in (texts, np.array(texts), pd.Series(texts), [{"free": 1}, {"minutes": 1}, {"free": 1, "entry": 1}] * 4):
        for labels in (y, np.array(y), pd.Series(y), [*y[:-1], None]):
            run = ls.play(learner, X, labels)
            assert set(run.predictions.tolist()) - {None} == set(y) == set(run.model.predict(X).tolist())
        assert ls.verify(ls.certify(run, X, labels), X, labels).verified
    model, x = run.model, {"free": 1}
    assert model.explain(x).prediction == model.explain(x).as_json()["prediction"] == model.predict(x) == "spam"
    assert set(ls.play(model, X, ["spam"] * 12).predictions.tolist()) <= set(y)  # the model knows the other one
    if learner.kind == "two classes":
        for X, y, why in (
            (texts, ["spam", "eggs", "ham"] * 4, "round 3: label 'ham'; expected eggs or spam"),
            (texts, ["spam"] * 12, "one label only, 'spam'"),
            (texts, ["spam", 1] * 6, "round 2: label 1 is a number, and others are text"),
        ):
            if len(set(y)) == 3 and learner.name == "panel":  # which has one of several classes beside it
                assert set(ls.play(learner, X, y).classes) == set(y)
                continue
            with pytest.raises(ls.LittlestoneError, match=why):
                ls.play(learner, X, y)
        if learner.name == "panel":  # it goes on with one class more
            model.update(x, "bacon")
            assert (model.kind, list(model.classes)) == ("several classes", ["ham", "spam", "bacon"])
            return
        with pytest.raises(ls.LittlestoneError, match="'bacon': expected ham or spam"):
            model.update(x, "bacon")


def test_fit_takes_texts_and_their_labels():
    fit = ls.fit(ls.perceptron(bias=0), ["free offer", "minutes"] * 8, ["spam", "ham"] * 8)
    assert fit.model.predict("free offer") == "spam" and fit.model.predict(["minutes", "free"]).tolist() == ["ham", "spam"]


@pytest.mark.parametrize("learner", [ls.perceptron(bias=0), ls.one_vs_rest(ls.perceptron(bias=0))], ids=repr)
def test_a_model_of_a_frame_takes_its_rows_one_by_one(learner):
    """As dicts of columns and as rows of pandas, with text in them; features by their names as before."""
    frame = pd.DataFrame(
        {"city": ["Rome", "Oslo", "Rome", None] * 5, "km": [1.0, 2.0, 0.0, 3.0] * 5, "zip": pd.Categorical([1, 2, 1, 3] * 5)}
    )
    model = ls.play(learner, frame, ["near", "far", "near", "far"] * 5).model
    expected = model.predict(frame).tolist()
    rows = [row for _, row in frame.iterrows()]
    dicts = [row.to_dict() for row in rows]
    assert [model.predict(row) for row in rows] == [model.predict(row) for row in dicts] == model.predict(dicts).tolist() == expected
    assert model.predict({"city=Oslo": 1, "km": 2.0, "zip=2": 1}) == expected[1]
    assert {share.name for share in model.explain(rows[1]).features if share.column is not None} == {"km", "city=Oslo", "zip=2"}
    model.update(rows[0], "near"), model.predict(rows[1], id="late"), model.label("late", "far")
    for wrong, why in (({"city": "Rome", "km": "far"}, "column 'km' is 'far'; expected a number"), ({"street": "A"}, "'street'")):
        with pytest.raises(ls.LittlestoneError, match=why):
            model.predict(wrong)


def test_no_rows_have_no_answers_of_the_right_kind():
    rows, names = [[1.0, 0.0], [0.0, 1.0]], [{"a": 1}, {"b": 1}]
    for model, kind, scores in (
        (ls.play(ls.perceptron(bias=0), rows, [1, 0]).model, "i", (0,)),
        (ls.play(ls.perceptron(bias=0), rows, [True, False]).model, "b", (0,)),
        (ls.play(ls.perceptron(bias=0), names, ["tea", "milk"]).model, "U", (0,)),
        (ls.play(ls.one_vs_rest(ls.perceptron(bias=0)), names, ["tea", "milk"]).model, "O", (0, 2)),
        (ls.play(ls.weighted_majority(), rows, [1, 0]).model, "b", (0,)),
    ):
        for empty in (
            [],
            np.empty((0, 2)),
            scipy.sparse.csr_matrix((0, 2)),
            pd.DataFrame({"a": []}),
            pa.table({"a": pa.array([], pa.float64())}),
        ):
            assert model.predict(empty).shape == model.predict_many(empty).shape == (0,) and model.predict(empty).dtype.kind == kind
            assert model.scores(empty).shape == scores


@pytest.mark.parametrize("bits", [None, 12])
def test_a_model_of_texts_takes_texts(bits, tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("spam\tFree offer, free entry\nham\tMinutes of the meeting\n" * 4)
    model = ls.play(ls.perceptron(bias=0), ls.open_stream(str(path), **({} if bits is None else {"bits": bits}))).model
    assert model.predict("free free") == "spam" and model.predict(["A free offer", "The meeting"]).tolist() == ["spam", "ham"]
    assert model.score("free offer") == model.scores(["free offer"])[0] and model.explain("free").prediction == "spam"
    model.update("free speech", "ham")
    texts, y = ["free offer", "minutes"] * 3, [True, False] * 3
    plain = ls.play(ls.perceptron(bias=0), texts, y).model
    assert plain.predict(texts).tolist() == y and plain.predict("minutes") is False
    with pytest.raises(
        ls.LittlestoneError, match="for a model of texts, such as ls.play.*expected a dict, a set of names or a row of numbers"
    ):
        ls.perceptron(bias=0).start().predict("free offer")


@every_kind
def test_labels_that_come_later_count_what_was_served(kind, tmp_path):
    """As in a run with late labels: the same state and the same mistakes; and a kill in between loses nothing that was saved."""
    X, y = kind.rounds()
    rows, late = list(kind.instances(X)), 5
    if kind.advice and (kind.learner.advice == "loss" or kind.learner.bandit):
        with pytest.raises(ls.LittlestoneError, match="losses|sees only"):
            kind.learner.start().predict(X[0], id=1)
        return
    model, served = kind.learner.start(), []
    for t, row in enumerate(rows):
        served.append(model.predict(row, id=t))
        if t >= late:
            model.label(t - late, y[t - late])
        if t == 40:
            model.save(tmp_path / "m")
            del model  # as a kill would
            model = kind.load(tmp_path / "m")
            assert list(model.waiting) == [str(k) for k in range(36, 41)]
    for t in range(len(rows) - late, len(rows)):
        model.label(t, y[t])
    run = ls.play(kind.learner, rows if not kind.advice else X, y, delay=late)
    assert (model.rounds, model.unlabelled) == (run.rounds, run.unlabelled)
    assert model.mistakes == sum(truth is not None and yhat != truth for yhat, truth in zip(served, y, strict=True))
    if not (kind.advice and kind.learner.coin):  # a coin is tossed for every round here, in a run for those that have a label
        assert served == run.predictions.tolist() and model.mistakes == run.mistakes
    assert model.learner.alike(model.state, run.model.state) and not model.waiting and model.ledger is None


def test_a_name_waits_once_and_a_label_needs_one():
    model = ls.perceptron(bias=0).start()
    with pytest.raises(ls.LittlestoneError, match="id='many': a name is for one row"):
        model.predict([{"a"}, {"b"}], id="many")
    model.predict({"a"}, id=7)
    for same in (7, "7"):  # names are text
        with pytest.raises(ls.LittlestoneError, match=f"id={same!r} waits"):
            model.predict({"b"}, id=same)
    with pytest.raises(ls.LittlestoneError, match="no prediction of that name"):
        model.label(8, True)
    with pytest.raises(ls.LittlestoneError, match="'maybe'"):
        model.label(7, "maybe")
    model.label(7, False)
    assert (model.mistakes, len(model.ledger)) == (1, 1) and model.replay().mistakes == 1
