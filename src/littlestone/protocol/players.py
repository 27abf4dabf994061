"""Learners as adversaries, oracles and reductions see them: they predict, and are told the label. Ours, or another library's.

>>> import littlestone as ls
>>> mine = player(ls.perceptron())
>>> mine.predict({0: 1, 3: 1}), mine.update({0: 1, 3: 1}, False), mine.predict({0: 1, 3: 1})
(True, None, False)

Anything with `predict(x)` and `update(x, y)` will do, and so will River's estimators (`predict_one`, `learn_one`) and scikit-learn's
(`predict`, `partial_fit`).  An instance is {feature: value}, features numbered from 0; a rule over experts is given a list of votes.

>>> class Stubborn:
...     def predict(self, x): return True
...     def update(self, x, y): pass
>>> player(Stubborn).predict({2: 1}), player(Stubborn()).name
(True, 'Stubborn')
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol import AdviceModel, BinaryModel, Learner, Rule

Instance = Mapping[int, Any] | Sequence[float]  # {feature: value}; for a rule over experts, the votes


class Player(ABC):
    """Who plays against an adversary, or asks an oracle."""

    name: str
    learner: Learner | Rule | None = None  # what this library made, where it did: its theorems are known
    frozen = False  # does it stay as it is, whatever it is told?

    @abstractmethod
    def predict(self, x: Instance) -> bool:
        """The prediction for x; changes nothing."""

    @abstractmethod
    def update(self, x: Instance, y: bool) -> None:
        """Tell the label of x."""

    def answers(self, xs: Sequence[Instance]) -> list[bool]:
        """The prediction for each of these; changes nothing."""
        return [self.predict(x) for x in xs]

    def copy(self) -> Player:
        """Another one that stands where this one stands, and goes its own way from there."""
        return deepcopy(self)

    def same(self, other: Player) -> bool | None:
        """Does the other stand where this one stands? None where only its predictions could tell."""
        return None

    def __repr__(self) -> str:
        return f"player({self.name})"


class Ours(Player):
    """A learner of two classes of this library."""

    def __init__(self, model: BinaryModel) -> None:
        self.model, self.learner, self.name = model, model.learner, model.learner.name

    def predict(self, x: Instance) -> bool:
        return self.model.predict_round(_plain(x))

    def update(self, x: Instance, y: bool) -> None:
        self.model.update(_plain(x), bool(y))

    def copy(self) -> Ours:
        model = self.model.learner.start(self.model.state, ledger=False)
        model.features, model.named, model.sorts = type(self.model.features)(self.model.features), self.model.named, self.model.sorts
        model._known(self.model._top, self.model._zero)
        return Ours(model)

    @property
    def state(self) -> tuple:
        return self.model.state

    def same(self, other: Player) -> bool | None:
        """Arrays that only keep accounts do not tell, nor does spare room."""
        if not isinstance(other, Ours) or other.learner is not self.learner:
            return None
        states = [self.model._state, other.model._state]
        rooms = [self.model.learner.room_of(state) for state in states]
        if rooms[0] != rooms[1]:
            states = [self.model.learner.grown(state, max(rooms)) for state in states]
        names = getattr(states[0], "_fields", range(len(states[0])))
        return all(np.array_equal(a, b) for name, a, b in zip(names, *states, strict=True) if name not in self.model.learner.ledger)


class AdvisedPlayer(Player):
    """A rule over experts: an instance is the row of their votes."""

    def __init__(self, model: AdviceModel) -> None:
        self.model, self.learner, self.name = model, model.rule, model.rule.name

    def predict(self, x: Instance) -> bool:
        return self.model.predict(x)

    def update(self, x: Instance, y: bool) -> None:
        self.model.update(x, bool(y))

    def copy(self) -> AdvisedPlayer:
        fresh = self.model.rule.n is None  # it has met no round yet, so nobody knows how many experts there are
        return AdvisedPlayer(AdviceModel(self.model.rule, None if fresh else self.model.state))

    @property
    def state(self) -> tuple:
        return self.model.state

    def same(self, other: Player) -> bool | None:
        if not isinstance(other, AdvisedPlayer) or other.learner is not self.learner:
            return None
        return all(np.array_equal(a, b) for a, b in zip(self.state, other.state, strict=True))


class Plain(Player):
    """Anything that has `predict(x)` and `update(x, y)`."""

    def __init__(self, thing: Any) -> None:
        self.thing, self.name = thing, getattr(thing, "name", None) or type(thing).__name__

    def predict(self, x: Instance) -> bool:
        try:
            prediction = self.thing.predict(x)
        except Exception as error:
            raise LittlestoneError(f"{self.name}: predict({x!r}) failed ({type(error).__name__}: {error})") from error
        if isinstance(prediction, bool | np.bool_ | int | float | np.number) and prediction in (0, 1, -1):
            return bool(prediction == 1)  # a number that is none of these would be a guess
        raise LittlestoneError(f"{self.name} predicted {prediction!r}: expected True or False, 1 or 0, or +1 or -1")

    def update(self, x: Instance, y: bool) -> None:
        try:
            self.thing.update(x, bool(y))
        except Exception as error:
            raise LittlestoneError(f"{self.name}: update({x!r}, {bool(y)}) failed ({type(error).__name__}: {error})") from error


class River(Player):
    """An estimator of River; one that is frozen only predicts. `labels` are its labels for 0 and 1, where they are not False and True."""

    def __init__(self, estimator: Any, *, frozen: bool = False, labels: Sequence[Any] = (False, True)) -> None:
        self.thing, self.name, self.frozen, self.labels = estimator, name_in("river", estimator), frozen, labels

    def predict(self, x: Instance) -> bool:
        label = self.thing.predict_one(_floats(x))
        if label is None or label in self.labels:  # None, before it has learned anything, is taken for a 0
            return bool(label == self.labels[1])
        raise LittlestoneError(f"{self.name} predicted {label!r}: expected {self.labels[0]!r} or {self.labels[1]!r}")

    def update(self, x: Instance, y: bool) -> None:
        if not self.frozen:
            self.thing.learn_one(_floats(x), self.labels[bool(y)])


class ScikitLearn(Player):
    """An estimator of scikit-learn: a row is dense, so the number of features must be known.

    One that is fitted goes on with its own two classes; the larger is a 1. Any other says 1 until it has been told a label.
    """

    def __init__(self, estimator: Any, n: int | None = None, *, frozen: bool = False) -> None:
        self.thing, self.name, self.frozen = estimator, name_in("sklearn", estimator), frozen
        fitted: int | None = getattr(estimator, "n_features_in_", None)  # an attribute that only a fitted one has, and so is classes_
        classes = getattr(estimator, "classes_", None)
        self.begun = fitted is not None or classes is not None
        width = n if fitted is None else fitted
        if width is None:
            raise LittlestoneError(f"{type(estimator).__name__} takes dense rows: expected n, the number of features")
        self.n = int(width)
        if self.begun:
            require(classes is not None, f"{self.name} is fitted and has no classes: expected a classifier")
            require(len(classes) == 2, f"{self.name} is fitted to {len(classes)} classes; expected two")  # type: ignore[arg-type]
        self.classes: Sequence[Any] = [0, 1] if classes is None else sorted(classes)

    def predict(self, x: Instance) -> bool:
        return not self.begun or bool(self.thing.predict(self._row(x))[0] == self.classes[1])

    def answers(self, xs: Sequence[Instance]) -> list[bool]:
        if not self.begun or not len(xs):
            return [True] * len(xs)
        return [bool(y == self.classes[1]) for y in self.thing.predict(np.concatenate([self._row(x) for x in xs]))]

    def update(self, x: Instance, y: bool) -> None:
        if not self.frozen:
            self.thing.partial_fit(self._row(x), [self.classes[bool(y)]], classes=self.classes)
            self.begun = True

    def _row(self, x: Instance) -> np.ndarray:
        row = np.zeros((1, self.n))
        for i, value in _floats(x).items():
            require(0 <= i < self.n, f"feature {i}: {self.name} was made for n={self.n} features")
            row[0, i] = value
        return row


class VowpalWabbit(Player):
    """A workspace of Vowpal Wabbit that predicts a number: above 0 is a 1; where it is a probability, above 1/2."""

    def __init__(self, workspace: Any, *, frozen: bool = False) -> None:
        self.thing, self.name, self.frozen = workspace, "vw", frozen
        self.border = 0.5 if "--link=logistic" in workspace.get_arguments().replace("link logistic", "link=logistic") else 0.0

    def predict(self, x: Instance) -> bool:
        return self.decide(self._line(x))

    def decide(self, line: str) -> bool:
        """The answer to an instance in VW's own format."""
        number = self.thing.predict(line)
        require(isinstance(number, int | float), f"vw predicted {number!r}: expected a number, as without --oaa and the like")
        return number > self.border

    def update(self, x: Instance, y: bool) -> None:
        if not self.frozen:
            self.thing.learn(f"{1 if y else -1} {self._line(x)}")

    def copy(self) -> VowpalWabbit:
        """VW's own file, written and read."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "vw.model"
            self.thing.save(str(path))
            return VowpalWabbit(type(self.thing)(f"--quiet -i {path}"), frozen=self.frozen)

    def _line(self, x: Instance) -> str:
        features = _floats(x)
        for name in features:
            require(not set(str(name)) & set(" :|\t\n"), f"feature {name!r}: VW takes no name with a blank, a colon or a bar")
        return "| " + " ".join(f"{name}:{value!r}" for name, value in features.items())


def player(thing: Any, n: int | None = None) -> Player:
    """Whatever can play, as a player of its own: a learner or model of this library, a rule, an object with the methods of one of the
    others, or a class or function that makes one. n is told to those that must know the number of features and do not (a fitted estimator
    of scikit-learn knows its own).

    A learner that is given begins afresh; an object that has learned already goes on from where it stands, and the object is left alone.
    """
    if isinstance(thing, Player):
        return thing.copy()
    if isinstance(thing, Learner) and hasattr(thing, "player"):  # a model of another library
        return thing.sized(n).player()
    if isinstance(thing, Learner):
        return Ours(thing.sized(n).start(ledger=False))
    if isinstance(thing, BinaryModel):
        return Ours(thing).copy()
    if isinstance(thing, Rule):
        return AdvisedPlayer((thing if thing.n is not None or n is None else thing.with_n(n)).start())
    if isinstance(thing, AdviceModel):
        return AdvisedPlayer(thing).copy()
    if isinstance(thing, type) or (callable(thing) and not hasattr(thing, "predict") and not hasattr(thing, "predict_one")):
        return player(thing(), n)
    if hasattr(thing, "predict_one") and hasattr(thing, "learn_one"):
        return River(deepcopy(thing))
    if hasattr(thing, "predict") and hasattr(thing, "partial_fit"):
        return ScikitLearn(deepcopy(thing), n)
    if hasattr(thing, "predict") and hasattr(thing, "update"):
        return Plain(deepcopy(thing))
    raise LittlestoneError(
        f"{thing!r} cannot play: expected a learner, or an object with predict and update, predict_one and learn_one, or predict and "
        "partial_fit"
    )


def made_in(library: str, thing: Any) -> bool:
    """Is this an object of the library itself? Another's class may have the same methods, and even the same name."""
    return type(thing).__module__.partition(".")[0] == library


def name_in(library: str, thing: Any) -> str:
    name = type(thing).__name__
    return f"{library}.{name}" if made_in(library, thing) else name


def _plain(x: Instance) -> dict[int, Any]:
    """Values as a model takes them; an exact fraction is rounded to the nearest double."""
    if not isinstance(x, Mapping):
        raise LittlestoneError(f"instance {x!r}: expected {{feature: value}}; votes are for rules over experts")
    if type(x) is dict and {*map(type, x.values())} <= {int, float}:
        return x  # as it is: a model that has just predicted it knows it again
    return {i: v if isinstance(v, int | float) else float(v) for i, v in x.items()}


def _floats(x: Instance) -> dict[int, float]:
    return {i: float(v) for i, v in _plain(x).items()}
