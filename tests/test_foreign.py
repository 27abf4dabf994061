"""Models of other libraries as ours: players, members of a panel, opponents in a duel, subjects of a watch."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
from river import linear_model, naive_bayes
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import littlestone as ls
from littlestone.protocol.players import player

X, Y = datasets.load_breast_cancer(return_X_y=True)
X, Y = ((X - X.mean(0)) / X.std(0)).astype(np.float32)[:80], Y[:80]


class Workspace:
    """What we use of vowpalwabbit.Workspace: it reads and writes its own files, and here it counts the labels of each feature."""

    def __init__(self, options=""):
        self.options, self.counts = options, {}
        if "-i " in options:
            lines = Path(options.partition("-i ")[2]).read_text().splitlines()
            self.counts = {name: float(count) for name, count in map(str.split, lines)}

    def get_arguments(self):
        return self.options

    def predict(self, line):
        names = [pair.partition(":")[0] for pair in line.partition("| ")[2].split()]
        return sum(self.counts.get(name, 0.0) for name in names) + 1e-3

    def learn(self, line):
        label, _, rest = line.partition(" | ")
        for pair in rest.split():
            name, _, value = pair.partition(":")
            self.counts[name] = self.counts.get(name, 0.0) + float(label) * float(value)

    def save(self, path):
        Path(path).write_text("".join(f"{name} {count}\n" for name, count in self.counts.items()))


def tree():
    return DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:40], Y[:40])


MODELS = {
    "sklearn.SGDClassifier": lambda: ls.from_sklearn(SGDClassifier(random_state=0)),
    "sklearn.DecisionTreeClassifier": lambda: ls.from_sklearn(tree()),
    "river.GaussianNB": lambda: ls.from_river(naive_bayes.GaussianNB()),
    "vw": lambda: ls.from_vw(Workspace()),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_plays_alone_and_event_by_event_as_a_player_does(name):
    learner = MODELS[name]()
    run, again = ls.play(learner, X, Y), ls.play(learner, X, Y, block_rows=7)
    mine, answers = player(learner, X.shape[1]), []
    for x, y in zip(X, Y, strict=True):
        row = {i: float(v) for i, v in enumerate(x)}
        answers.append(mine.predict(row))
        mine.update(row, bool(y))
    assert run.learner.name == name == mine.name and run.mistakes < 40
    assert run.predictions.tolist() == again.predictions.tolist() == answers, "the model that was given has learned"
    half = ls.play(learner, X[:40], Y[:40]).model
    before = half.predict_many(X).tolist()
    assert ls.play(half, X[40:], Y[40:]).mistakes == run.mistakes and half.predict_many(X).tolist() == before
    assert copy.deepcopy(half).predict_many(X).tolist() == before
    for save in (half.save, lambda path: pickle.dumps(half)):
        with pytest.raises(ls.LittlestoneError, match=f"{name} is a model of another library, and no file of ours holds it"):
            save("model.littlestone")


def test_on_a_panel_its_votes_are_certified_as_advice():
    panel = ls.panel([*(make() for make in MODELS.values()), "arow"], blend=False, forecast=False)
    run = ls.play(panel, X, Y)
    alone = [ls.play(make(), X, Y).mistakes for make in MODELS.values()]
    assert [seat.mistakes for seat in run.members][:4] == alone and [seat.name for seat in run.members][:4] == list(MODELS)
    certificate = ls.certify(run, X, Y)
    claims = {claim.name: claim for claim in certificate.bounds}
    assert claims["panel-adahedge"].holds and claims["panel-adahedge"].limit >= run.mistakes
    verdict = str(ls.verify(certificate, X, Y))
    assert f"except for {', '.join(MODELS)}, whose votes are taken as stated" in verdict
    content = certificate.as_json()
    content["panel"]["members"][0]["mistakes"] = content["panel"]["members"][0]["mistakes"][1:]
    with pytest.raises(ls.LittlestoneError):
        ls.verify(content, X, Y)
    for save in (run.hypothesis.save, lambda path: pickle.dumps(run.hypothesis)):
        with pytest.raises(ls.LittlestoneError, match="sklearn.SGDClassifier is a model of another library"):
            save("panel.littlestone")


def test_on_a_panel_of_several_classes_it_tells_each_from_the_rest():
    rows, labels = datasets.load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    rows, labels = rows[order][:60].astype(np.float32), labels[order][:60]
    panel = ls.panel([ls.from_river(naive_bayes.GaussianNB()), ls.from_sklearn(SGDClassifier(random_state=0)), "arow"])
    run = ls.play(panel, rows, labels)
    assert run.members[0].name == "river.GaussianNB" and run.members[0].mistakes < 30 and run.mistakes < 30


def test_it_meets_an_adversary_by_its_own_name():
    for model in (ls.from_river(linear_model.Perceptron()), ls.from_sklearn(Perceptron(shuffle=False))):
        duel = ls.duel(model, "unit_vectors:n=6")
        assert duel.game.player.name == model.name and duel.game.mistakes >= duel.game.lower_bound
        same = ls.adversaries.meet(model, ls.adversaries.perceptron_disjunction(4, 1))
        assert same.mistakes == ls.adversaries.meet(model.model, ls.adversaries.perceptron_disjunction(4, 1)).mistakes


def test_it_is_watched_on_its_own_rows():
    texts = ["free prize", "minutes", "free offer", "lunch at noon"] * 50
    labels = np.array(["spam", "ham", "spam", "ham"] * 50)
    model = ls.from_sklearn(make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, labels))
    fine = ls.watch(model, texts, labels, limit=0.1)
    assert (fine.rounds, fine.mistakes, fine.crossed_at) == (200, 0, None) and fine.upper < 0.05
    changed = np.where(np.arange(200) < 100, labels, labels[::-1])
    crossed, stopped = (ls.watch(model, texts, changed, limit=0.1, stop=stop) for stop in (False, True))
    assert stopped.rounds == stopped.crossed_at == crossed.crossed_at < crossed.rounds == 200
    bayes = naive_bayes.BernoulliNB()
    events = [dict.fromkeys(text.split(), 1) for text in texts]
    for x, y in zip(events, labels, strict=True):
        bayes.learn_one(x, y)
    assert ls.watch(ls.from_river(bayes), events, labels).mistakes == 0
    holes = np.array([None, *labels[1:]], object)
    assert ls.watch(ls.from_river(bayes), events, holes).rounds == 199
    with pytest.raises(ls.LittlestoneError, match="there is no file of it that a certificate could name"):
        ls.watch(model, texts, labels, certificate=True)
    with pytest.raises(ls.LittlestoneError, match="200 rows and 3 labels"):
        ls.watch(model, texts, labels[:3])


def test_names_of_features_are_told_where_the_model_knows_them():
    known = linear_model.Perceptron()
    for _ in range(3):
        known.learn_one({"a": 1.0}, True)
        known.learn_one({"b": 1.0}, False)
    run = ls.play(ls.from_river(known, features=["b", "a"], learn=False), [[1, 0], [0, 1]], [0, 1])
    assert run.mistakes == 0 and ls.play(ls.from_river(known), [[1, 0], [0, 1]], [0, 1]).mistakes == 1
    words = naive_bayes.BernoulliNB()
    for x, y in (({"a": 1.0}, "spam"), ({"b": 1.0}, "ham")) * 3:
        words.learn_one(x, y)
    options = {"features": ["b", "a"], "learn": False}
    assert ls.play(ls.from_river(words, labels=("ham", "spam"), **options), [[1, 0], [0, 1]], [0, 1]).mistakes == 0
    with pytest.raises(ls.LittlestoneError, match="river.BernoulliNB predicted 'ham': expected False or True"):
        ls.play(ls.from_river(words, **options), [[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ls.LittlestoneError, match="feature 2 has no name among `features`"):
        ls.play(ls.from_river(known, features=["b", "a"]), [[0, 0, 1]], [1])


def test_what_cannot_be_such_a_model_is_refused_by_name():
    for make, thing, why in (
        (ls.from_sklearn, 3, "from_sklearn takes a classifier, with predict; got int"),
        (ls.from_sklearn, DecisionTreeClassifier(), "DecisionTreeClassifier has no partial_fit and is not fitted"),
        (ls.from_river, SGDClassifier(), "with predict_one and learn_one; got SGDClassifier"),
        (ls.from_vw, SGDClassifier(), "takes a vowpalwabbit.Workspace; got SGDClassifier"),
    ):
        with pytest.raises(ls.LittlestoneError, match=why):
            make(thing)
    with pytest.raises(ls.LittlestoneError, match="feature 'a b': VW takes no name with a blank"):
        ls.play(ls.from_vw(Workspace(), features=["a b"]), [[1]], [1])


def test_nothing_is_said_of_its_inside():
    learner = ls.from_river(linear_model.Perceptron())
    run = ls.play(learner, X, Y)
    for ask in (lambda: learner.alike(run.state, run.state), lambda: ls.play(learner, X, Y, check_invariants=True)):
        with pytest.raises(ls.LittlestoneError, match="river.Perceptron: nothing is known of the inside"):
            ask()
    assert "does not say what its predictions are made of" in str(run.hypothesis.explain(X[0]))
    assert "consistent, not verified" in str(ls.verify(ls.certify(run, X, Y), X, Y)) and run.bounds() == []


def test_vowpal_wabbit_itself():
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    workspace = vowpalwabbit.Workspace("--quiet --loss_function logistic")
    run = ls.play(ls.from_vw(workspace), X, Y)
    assert run.mistakes < 30 and ls.play(ls.from_vw(workspace), X, Y).mistakes == run.mistakes
    for x, y in zip(X, Y, strict=True):
        workspace.learn(f"{1 if y else -1} | {' '.join(f'{i}:{v}' for i, v in enumerate(x))}")
    lines = [f"| {' '.join(f'{i}:{v}' for i, v in enumerate(x))}" for x in X]
    assert ls.watch(ls.from_vw(workspace), lines, Y == 1).mistakes < 12
