"""Whatever can play: learners and rules of this library, River's, scikit-learn's, and anything with predict and update."""

import warnings

import pytest

import littlestone as ls
from littlestone.protocol.players import Player, player

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from river import linear_model
    from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor


class Parrot:
    """Says what it was told last."""

    said = True

    def predict(self, x):
        return self.said

    def update(self, x, y):
        self.said = y


KINDS = {
    "a learner": ls.perceptron(bias=1),
    "a learner that needs n": ls.winnow(),
    "a model": ls.perceptron(bias=1).start(),
    "a player": player(ls.perceptron(bias=1)),
    "River's": linear_model.Perceptron(),
    "a class of River": linear_model.Perceptron,
    "scikit-learn's": Perceptron(),
    "a class of scikit-learn": SGDClassifier,
    "a user's": Parrot(),
    "a user's class": Parrot,
    "a function": lambda: Parrot(),
}
STREAM = [({0: 1}, False), ({1: 1, 2: 1}, True), ({}, False), ({3: 1}, True), ({0: 1, 3: 1}, True)] * 3


@pytest.mark.parametrize("thing", KINDS.values(), ids=KINDS)
def test_it_plays_and_a_copy_goes_its_own_way(thing):
    mine = player(thing, 4)
    for x, y in STREAM:
        other = mine.copy()
        before = mine.predict(x)
        other.update(x, y)
        assert isinstance(other, Player) and mine.predict(x) is before and other.same(mine) in (None, before is y)
        mine.update(x, y)
        assert mine.predict(x) is other.predict(x) and other.same(mine) in (None, True)
    again = player(thing, 4)
    for x, y in STREAM:
        again.update(x, y)
    assert [again.predict(x) for x, _ in STREAM] == [mine.predict(x) for x, _ in STREAM], "what was given was changed by playing"


def test_it_is_the_learner():
    learner = ls.perceptron(bias=1)
    mine, model = player(learner), learner.start()
    for x, y in STREAM:
        assert mine.predict(x) is model.predict(x)
        mine.update(x, y), model.update(x, y)
    assert mine.learner is learner and mine.name == "perceptron"


def test_rules_take_votes():
    mine = player(ls.weighted_majority(), 2)
    other = mine.copy()
    assert mine.predict([1, 0]) is True
    mine.update([1, 0], False)
    assert (mine.predict([1, 0]), other.predict([1, 0]), mine.same(other)) == (False, True, False)


def test_what_cannot_play_is_refused_by_name():
    with pytest.raises(ls.LittlestoneError, match="predict and update"):
        player(3)
    with pytest.raises(ls.LittlestoneError, match="expected n, the number of features"):
        player(Perceptron())
    with pytest.raises(ls.LittlestoneError, match=r"votes are for rules over experts"):
        player(ls.perceptron()).predict([1, 0])
    with pytest.raises(ls.LittlestoneError, match="n=2 features"):
        player(Perceptron(), 2).update({2: 1}, True)


@pytest.mark.parametrize(
    "said, meant", [(1, True), (0, False), (-1, False), (1.0, True), (0.3, None), ("spam", None), (None, None)], ids=repr
)
def test_what_a_learner_of_ones_own_may_say(said, meant):
    mine = player(type("Mine", (), {"predict": lambda self, x: said, "update": lambda self, x, y: None}))
    if meant is None:
        with pytest.raises(ls.LittlestoneError, match="Mine predicted .*expected True or False"):
            mine.predict({0: 1})
    else:
        assert mine.predict({0: 1}) is meant


@pytest.mark.parametrize("classes", [[0, 1], [False, True], [-1, 1], ["no", "yes"]], ids=["0 and 1", "booleans", "signs", "words"])
def test_a_fitted_estimator_goes_on_from_where_it_stands(classes):
    table, labels = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], [1, 0, 1, 0]
    fitted = Perceptron().fit(table, [classes[y] for y in labels])
    mine = player(fitted)  # it knows its n itself
    rows = [{i: v for i, v in enumerate(row) if v} for row in table]
    assert [mine.predict(x) for x in rows] == mine.answers(rows) == [bool(y) for y in labels]
    for _ in range(5):
        mine.update({1: 1}, True)
    assert mine.predict({1: 1}) is True and player(fitted).predict({1: 1}) is False
    assert mine.answers([]) == []


def test_a_fitted_estimator_of_other_things_is_refused():
    with pytest.raises(ls.LittlestoneError, match=r"sklearn\.Perceptron is fitted to 3 classes; expected two"):
        player(Perceptron().fit([[0], [1], [2]], [0, 1, 2]))
    with pytest.raises(ls.LittlestoneError, match="expected a classifier"):
        player(SGDRegressor().fit([[0], [1], [2]], [0, 1, 2]))


def test_a_name_is_that_of_the_library_it_is_from():
    class Perceptron:
        def predict_one(self, x):
            return True

        def learn_one(self, x, y):
            pass

    assert (player(Perceptron()).name, player(linear_model.Perceptron()).name) == ("Perceptron", "river.Perceptron")
    game = ls.adversaries.meet(Perceptron(), ls.adversaries.perceptron_disjunction(4, 1))
    assert game.excuse == "its number is proved for Perceptrons, and Perceptron is another learner" and game.lower_bound is None


def test_an_error_of_ones_own_learner_names_it_and_the_instance():
    clumsy = type("Clumsy", (), {"predict": lambda self, x: x.size, "update": lambda self, x, y: 1 / 0})
    with pytest.raises(ls.LittlestoneError, match=r"Clumsy: predict\(\{0: 1\}\) failed \(AttributeError"):
        player(clumsy).predict({0: 1})
    with pytest.raises(ls.LittlestoneError, match=r"Clumsy: update\(\{0: 1\}, True\) failed \(ZeroDivisionError"):
        player(clumsy).update({0: 1}, True)
