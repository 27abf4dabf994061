"""A model of several classes."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, inf
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol.block import Block
from littlestone.protocol.classes import ClassLearner, ClassRunner, Opening
from littlestone.protocol.events import Events, as_plain, many
from littlestone.protocol.labels import ClassMap, bare
from littlestone.protocol.ledger import Ledger, LedgerStart, ledger_for
from littlestone.protocol.locks import lock_of
from littlestone.protocol.metrics import chances
from littlestone.protocol.model import BinaryModel, Model
from littlestone.protocol.serving import Served
from littlestone.protocol.together import Call, together


class ClassModel(Events, Model):
    """Learns as events come, each in any form that a binary model takes; labels are any values of one kind, new ones at any time.

    >>> import littlestone as ls
    >>> model = ls.multiclass_perceptron().start()
    >>> [model.observe({"steam": 1, word: 1}, drink) for word, drink in [("leaf", "tea"), ("bean", "coffee"), ("bean", "coffee")]]
    [None, 'tea', 'tea']
    >>> model.predict({"bean": 1}), model.mistakes, model.rounds, list(model.classes)
    ('coffee', 3, 3, ['tea', 'coffee'])
    >>> model.scores({"bean": 1})
    {'tea': -1.0, 'coffee': 1.0}
    """

    kind = "several classes"

    def __init__(self, learner: ClassLearner, state: Any = None, classes: Iterable = (), *, ledger: bool | int = True) -> None:
        self.lock, self.waiting = lock_of(self), {}
        learner = learner.sized(None)
        engine = learner.engine(Opening(events=True))
        width = 0 if state is None else engine.width_of(state)
        super().__init__(learner, max(16, width), width - 1)
        self.classes = ClassMap()
        self._labels = [label for label in classes if self.classes.code(label) >= 0]
        self._engine: Any = engine
        if state is not None:
            engine.resume(state, len(self._labels))
        engine.make_room(self._room)
        self.ledger = ledger_for(learner, ledger) if state is None else None
        self._fresh = state is None
        self._predicted = -1

    @property
    def state(self) -> Any:
        """The state after the last update."""
        with self.lock:
            return self._engine.state(max(self._top + 1, self.learner.n or 0))

    def at(self, snapshot: LedgerStart | None) -> ClassModel:
        """As it stood at the beginning of its ledger."""
        if snapshot is None:
            return self.blank()
        return self._beside(ClassModel(self.learner, snapshot.state, self._labels[: snapshot.classes], ledger=False))

    def _alone(self) -> ClassModel:
        return self._made_of(self.learner, self.state)

    def _made_of(self, learner: Any, state: Any) -> ClassModel:
        return ClassModel(learner, state, self._labels, ledger=False)

    def arrays(self) -> dict[str, np.ndarray]:
        return self._engine.named(self.state)

    @classmethod
    def made_by(cls, runner: ClassRunner) -> ClassModel:
        made = runner.run()
        model = cls(runner.learner, made.state, made.classes)
        model._known(runner.top, runner.bottom == 0)
        return model

    def _opened(self, columns: int | None, ledger: Ledger | None, state: Any, accounts: Any) -> ClassRunner:
        how: dict[str, Any] = {"state": state, "accounts": accounts, "ledger": ledger, "counted": self.counted}
        return ClassRunner(self.learner, columns=columns, classes=self.classes.copy(), **how)

    @property
    def reduced(self) -> bool:
        """Is it made of learners of two classes?"""
        return self._engine.inner is not None

    def blank(self) -> ClassModel:
        return self._beside(ClassModel(self.learner))

    @property
    def hypothesis(self) -> ClassModel:
        return self if self.learner.final is None else self._beside(self._final())

    def _final(self) -> ClassModel:
        assert self.learner.final is not None
        with self.lock:
            learner, state = self.learner.final(self.state)
            return ClassModel(learner, state, self._labels, ledger=False)

    def member(self, name: Any = None) -> Any:
        """Of a reduction to two classes, a member as a model of its own: that of a class by its label, that of a pair by both.
        Of a panel, the named member, or the most trusted, as a model of several classes.

        >>> import littlestone as ls
        >>> model = ls.one_vs_rest(ls.perceptron(bias=0)).start()
        >>> model.update({"leaf"}, "tea"), model.update({"bean"}, "coffee")
        (None, None)
        >>> model.member("tea").predict({"leaf"}), model.member("tea").predict({"bean"})
        (True, False)
        """
        with self.lock:
            state = self.state
            if self.learner.seats(state):
                _, learner, theirs = self.learner.chosen(state, name)
                return self._beside(ClassModel(learner, theirs, self._labels, ledger=False))
            return self._named_member(name)

    def _named_member(self, name: Any) -> BinaryModel:
        places = self._places_of_members()
        if not places:
            raise LittlestoneError(f"{self.learner.name} has no members; ls.one_vs_rest(learner) and ls.all_pairs(learner) have")
        require(name in places, f"member {name!r}: the members are {', '.join(map(repr, places))}")
        return self._member(places[name], self.state)

    def members(self) -> dict[Any, BinaryModel]:
        """Every member as a model of its own, by label or by pair of labels; none of a learner with a rule of its own."""
        with self.lock:
            state = self.state
            return {name: self._member(k, state, ledger=False) for name, k in self._places_of_members().items()}

    def _places_of_members(self) -> dict[Any, int]:
        if not self.reduced:
            return {}
        joined = self._engine.joined(self._engine.seen)
        return {self._labels[c[0]] if len(c) == 1 else tuple(self._labels[i] for i in c): k for k, c in enumerate(joined)}

    def _member(self, k: int, state: Any, *, ledger: bool = True) -> BinaryModel:
        model = self._beside(self._engine.inner.start(state[k], ledger=False))
        if ledger and self.ledger is not None and self.ledger.snapshot is None:
            model.ledger = self._engine.ledger_of(self._engine.joined(self._engine.seen)[k], self.ledger)
            model.rounds, model.unlabelled = self.rounds, self.unlabelled
            model.mistakes = int(model.ledger.mistakes.sum())
        return model

    def _grow(self, room: int) -> None:
        self._engine.make_room(room)

    def table(self, rows: Block) -> np.ndarray:
        """The scores of some rows without labels, rounds × classes; a row has a place for each of its features."""
        with self.lock:
            scores = np.zeros((len(rows), self._engine.seen))
            self._engine.play(rows, np.empty(len(rows), np.int32), scores)
            return scores

    def predict(self, x: Any, *, id: Any = None) -> Any:
        """The label predicted for x, None before any was told; changes nothing that a later prediction depends on.

        Of many rows at once, whatever `ls.play` takes, it is an array. With an `id` it waits for its label: `model.label(id, y)`.
        """
        if type(x) is not dict and many(x, self._texts):
            return self._predict_all(x, id)
        if id is not None:
            return self._predict_by_id(x, id)
        if self.operating is not None:
            return self._cheapest(x)
        return self._keeps_another().predict(x) if self._averages else self.predict_round(x)

    def ballot(self, x: Any) -> list[Any]:
        """Of a panel: the label that each voter names of x."""
        with self.lock:
            self.predict_round(x)
            return [None if code < 0 else self._labels[code] for code in self._engine.ballot(self._block())]

    def predict_round(self, x: Any) -> Any:
        """What the learner would predict if x were the next round."""
        with self.lock:
            self._seen = None
            if not self._quick(x, False):
                self._convert(x, learn=False)
            self._predicted = code = self._engine.predict(self._row)
            return None if code < 0 else self._labels[code]

    def _cheapest(self, x: Any) -> Any:
        """The answer that costs least, where errors have costs."""
        with self.lock:
            self.predict_round(x)
            code = self._answer(self._predicted)
            return None if code < 0 else self._labels[code]

    def _answer(self, yhat: int) -> int:
        """The code of the answer to the row at hand, where errors have costs."""
        return int(self.operating.answers(self.table(self._block()), np.array([yhat]))[0])

    def scores(self, x: Any) -> Any:
        """The score of each class: by weights of its own, by the member that tells it from the rest, or by the votes it wins; of a panel
        the logarithm of its odds.

        Of many rows at once it is a table, rows × classes.
        """
        if type(x) is not dict and many(x, self._texts):
            return self.predict_many(x, scores=True)
        if self._averages:
            return self._keeps_another().scores(x)
        with self.lock:
            self.predict_round(x)
            return dict(zip(self._labels, self.table(self._block())[0].tolist(), strict=True))

    def probability(self, x: Any) -> Any:
        """The probability of the label that `predict` names, 0 where it names none; of many rows at once an array."""
        chances, answers = self.probabilities(x), self.predict(x)
        if isinstance(chances, dict):
            return chances.get(answers, 0.0)
        return np.array([0.0 if label is None else row[self.classes[label]] for row, label in zip(chances, answers, strict=True)])

    def probabilities(self, x: Any) -> Any:
        """The probability of each class, of a panel that forecasts; what is missing to 1 is that of a class that was never seen.

        Of many rows at once it is a table, rows × classes.

        >>> import littlestone as ls
        >>> model = ls.class_panel(["arow", "perceptron"]).start()
        >>> for word, drink in [("leaf", "tea"), ("bean", "coffee"), ("milk", "milk")] * 10:
        ...     model.update({word}, drink)
        >>> {drink: round(chance, 2) for drink, chance in model.probabilities({"bean"}).items()}
        {'tea': 0.0, 'coffee': 0.97, 'milk': 0.0}
        """
        require(self.learner.probabilities, f"{self.learner.name} gives no probabilities")
        scores = self.scores(x)
        return {label: 1 / (1 + exp(-score)) for label, score in scores.items()} if isinstance(scores, dict) else chances(scores)

    def update(self, x: Any, y: Any, weight: float = 1.0) -> None:
        """Tell the label of x: counts the round, and the mistake if there was one, and learns.

        Where errors have costs, `weight` is the row's own, and what its label weighs comes to it, as `ls.play(model, X, y, cost=...)` does.
        """
        weight = as_plain(weight)
        with self.lock: self._event(x, y, weight, seen=True)  # fmt: skip  # noqa: E701 (in one line, after which nothing is left to do)

    def observe(self, x: Any, y: Any, weight: float = 1.0) -> Any:
        """Predict x, count, and learn from its label, in one call; the prediction made before learning.

        Where errors have costs the answer is the one that costs least; the mistakes are those of the learner's own prediction.
        """
        weight = as_plain(weight)
        with self.lock: return self._event(x, y, weight)  # fmt: skip  # noqa: E701

    def _event(self, x: Any, y: Any, weight: float, *, seen: bool = False) -> Any:
        """Predict x, count the round and learn from its label, all of it or nothing. Return the answer.

        With `seen`, what was predicted just now is not predicted again.
        """
        if self._torn:
            self._mend()
        # converted and predicted already, and not changed since; a comparison may run code of a user's, which may call this model
        seen = seen and x is self._seen and x == self._seen_copy and x is self._seen
        met, before = self._met(), self.rows
        try:
            if seen:
                code = self._learn(y, self._predicted, weight)
            else:
                self._seen = None
                if not self._quick(x, True):
                    met, before = self._convert(x, learn=True), self.rows
                code = self._learn(y, self._engine.predict(self._row), weight)
        except BaseException:
            if self.rows == before:
                self._go_back(*met)
            raise
        return None if code < 0 else self._labels[code]

    # for a method that was taken when the model was of two classes
    _predict_in_python, _update_in_python, _observe_in_python = predict, update, observe

    def _serve(self, x: Any) -> tuple[Any, Served]:
        require(self.operating is None, "id: a model that was told a matrix of costs needs labels that come at once; leave it out")
        x = self._plain(x)
        answer = self.predict_round(x)
        return answer, Served(self._kept_row(x), self._predicted, dict(self._engine.answers) if self.reduced else {})

    def _settle(self, served: Served, y: Any, weight: float, *more: Call) -> None:
        met, before = self._met(), self.rows
        try:
            self._convert(served.x, learn=True)
            now = self._engine.predict(self._row)
            other = now != served.yhat
            if self.reduced:
                other = other or any(self._engine.answers[member] != vote for member, vote in served.memo.items())
                self._engine.answers = dict(served.memo)  # who joined since is asked now
            if other:
                more = (*more, (vars(self).update, {"ledger": None}))  # it would be replayed with other predictions
            self._learn(y, served.yhat, weight, now if served.yhat < 0 and not self.reduced else served.yhat, *more)
        except BaseException:
            if self.rows == before:
                self._go_back(*met)
            raise

    def _learn(self, label: Any, yhat: int, weight: float, taught: int | None = None, *more: Call) -> int:
        """Count and learn; `taught` is the prediction that the kernels hear of, where none was known when `yhat` was made. The code of the
        answer: the prediction, or where errors have costs what costs least."""
        self._seen, point = None, self.operating  # an update ends the round
        if point is not None:
            weight *= point.weight_of(label)
        require(self.learner.weighted or weight == 1.0, f"{self.learner.name} honours no weights: each round counts once")
        require(0 <= weight < inf, f"weight={weight!r} must be a finite number, 0 or more")
        known, kind, ledger = len(self._labels), self.classes.kind, self.ledger
        results: list = []
        begun = False
        try:
            y = self.classes.code(bare(label, self.classes), self._rules, self.rows + 1)
            if y < 0:
                answer = yhat if point is None else self._answer(yhat)
                noted = () if ledger is None else (ledger.skipping(self.rows + 1),)
                together(results, [(vars(self).update, {"unlabelled": self.unlabelled + 1}), *noted, *more])
                return answer
            if y == known:
                self._labels.append(next(reversed(self.classes)))
            exact, answer = float(np.float32(weight)), yhat
            begun = self._torn = True  # until the round is counted: a second interrupt may come while the first one is handled
            if point is not None:
                taken = np.array([y]), np.array([exact]), tuple(self._labels), np.array([yhat])
                answer = int(point.take(self.table(self._block()), *taken)[0])
            updated = self._engine.learn(self._row, y, yhat if taught is None else taught, exact)
            counts = {"rounds": self.rounds + 1, "mistakes": self.mistakes + (y != yhat), "_torn": False}
            entered = ledger is not None and (updated or y != yhat)
            entry = (ledger.entering(self.rows + 1, y, yhat, exact, self._row),) if ledger is not None and entered else ()
            together(results, [(vars(self).update, counts), *entry, *more])
        except BaseException:
            if not results:
                self._forget_labels(known, kind)
                if begun:
                    self._mend()  # what was learned may have been learned in part
            raise
        if ledger is not None and entered and ledger.entered(self._row[3] - self._row[2]):
            ledger.cut(self.rows, self.mistakes, self.unlabelled, self.state, len(self._labels))
        return answer

    def _forget_labels(self, known: int, kind: str) -> None:
        """Forget the labels that came after so many."""
        del self._labels[known:]
        while len(self.classes) > known:
            self.classes.popitem()
        self.classes.kind = kind

    def _mend(self) -> None:
        """Make the state again from the ledger: an update was broken off, and may have been made in part. Without one it stays torn."""
        self._torn = True
        if self.ledger is not None:
            again = self.rollback(self.rows)
            if list(again.classes) == self._labels:
                again._engine.make_room(self._room)
                self._engine, self._torn = again._engine, False
