"""A model: a learner, its state, and what it has met. What every kind of model can do, and the model of two classes."""

from __future__ import annotations

from abc import abstractmethod
from math import exp, inf
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, ThirdLabel, require
from littlestone.hooks import above
from littlestone.kernels import native
from littlestone.protocol.block import Block
from littlestone.protocol.counts import ClassRunnerCounts
from littlestone.protocol.events import COUNTED, MISTAKES, ROUNDS, TOP, UNLABELLED, ZERO, Events, FeatureMap, as_plain, many
from littlestone.protocol.labels import bare, is_missing, kind_of
from littlestone.protocol.learner import LARGEST_INDEX, UNDECIDED, Learner, copied, fields
from littlestone.protocol.ledger import Ledger, LedgerStart, ledger_for
from littlestone.protocol.locks import lock_of
from littlestone.protocol.metrics import chances
from littlestone.protocol.run import Runner, play_through
from littlestone.protocol.run_claims import votes_wrong
from littlestone.protocol.serving import Served, ServesById
from littlestone.protocol.together import Call, together
from littlestone.rounds.reading import label_choices


class Model(ServesById):
    """A learner of any kind with what it has learned. `learner.start()`, `run.hypothesis` and `ls.load(path)` give one.

    Rounds are counted from 1, those without a label included.
    """

    kind = ""  # what it predicts: one of "two classes", "several classes", "advice"
    learner: Any
    features: FeatureMap  # the columns of the features by their names, where they have such
    named: bool | None = None  # are features names, or columns? None while nobody knows
    counted = False  # was n counted, so that an index may be larger?
    sorts = True  # are its rows sorted by column and without zeros? Those of models of before stay as they are given
    rounds = mistakes = unlabelled = 0
    number: int  # by which locks are taken in order
    ledger: Ledger | None = None
    accounts: Any = None  # what a run has measured; good as long as no event has come since
    reading: dict[str, Any]  # how its stream was read
    operating: Any = (
        None  # an `Operating`, or a `LeastCost` of several classes: from which probability on its answer is 1, where that was chosen
    )
    which_copy: dict[str, int] | None = None  # of a run whose alarms began copies: which of them it is, and where that began
    _fresh = True  # did it begin from nothing?
    _torn = False  # was an update broken off, so that the state is none between two rounds?

    def __repr__(self) -> str:
        return f"<model of {self.learner!r}: {self.mistakes:,} mistakes in {self.rounds:,} rounds>"

    def _repr_html_(self) -> str:
        return above("model_html")(self)

    @property
    def rows(self) -> int:
        """All rounds so far, with a label or without."""
        return self.rounds + self.unlabelled

    lock: Any  # held by whoever reads or changes the model; `with model.lock:` makes several calls one

    @property
    @abstractmethod
    def state(self) -> Any:
        """The state after the last update."""

    @property
    def vote_mistakes(self) -> int:
        """How often the weighted majority of a panel's votes was wrong, whatever made the label."""
        return votes_wrong(self)

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """The state as arrays, each with a name."""

    def _mend(self) -> None:
        """Make the state again where an update was broken off, if that can be done."""

    @classmethod
    @abstractmethod
    def made_by(cls, runner: Any) -> Model:
        """The learner of a runner with the state that it has come to; counts and names are not told yet."""

    @abstractmethod
    def blank(self) -> Any:
        """A model of the same learner that knows the same names, and has learned nothing."""

    @abstractmethod
    def _opened(self, columns: int | None, ledger: Ledger | None, state: Any, accounts: Any) -> Any:
        """A runner that begins from this state, or from nothing."""

    @staticmethod
    def of(runner: Any, before: Model | None = None) -> Any:
        """What a runner of any kind has made; `before` is the model it went on from."""
        model = above(runner.makes).made_by(runner)
        model.ledger, model.counted = runner.ledger, runner.counted
        model.rounds, model.mistakes, model.unlabelled = runner.rounds, runner.mistakes, runner.unlabelled
        late = getattr(runner, "overlap", 0) > 0  # its counts are those of a run that no theorem of an ordinary run speaks of
        model.accounts = None if runner.resumed or late else runner.accounts()
        if before is not None:
            model._follow(before)
            if runner.resumed:
                model.add_counts(runner.counted_before)
        return model

    def _follow(self, before: Model) -> None:
        """Take over what the model before this one knew of the names and of the stream."""
        self.features, self.named, self.reading = FeatureMap(before.features), before.named, dict(before.reading)
        self.sorts = before.sorts
        self.operating = before.operating and before.operating.copy()
        self.which_copy = before.which_copy

    def counts(self) -> dict[str, Any]:
        return {"rounds": self.rounds, "mistakes": self.mistakes, "unlabelled": self.unlabelled}

    def add_counts(self, before: dict[str, Any]) -> None:
        for name, count in before.items():
            setattr(self, name, getattr(self, name) + count)

    def uncounted(self) -> Any:
        """This model, whose counts begin anew."""
        self.rounds = self.mistakes = self.unlabelled = 0
        self.accounts = None
        return self

    def measured(self) -> bool:
        """Are there accounts, and do they speak of all rounds there were?"""
        counts = (self.rows, self.rounds, self.mistakes)
        return self.accounts is not None and (self.accounts.rows, self.accounts.rounds, self.accounts.mistakes) == counts

    def runner(self, columns: int | None = None) -> Any:
        """What plays blocks from where this model stands, and leaves it as it is."""
        with self.lock:
            ledger = None if self.ledger is None else self.ledger.copy()
            if self._fresh and not self.rows:
                return self._opened(columns, ledger, None, None)
            known = self.measured()
            runner = self._opened(columns, ledger, self.state, self.accounts if known else None)
            runner.rows_before, runner.counted_before = 0 if known else self.rows, self.counts()
            return runner

    @abstractmethod
    def _alone(self) -> Any:
        """The same learner with the same state, in memory of its own."""

    def copy(self) -> Any:
        """A model of its own that stands where this one does."""
        with self.lock:
            return self._standing_here(self._alone())

    def labelled_by(self, label_by: str) -> Any:
        """Return a copy of a panel's model that predicts the likelier label of its forecast ("forecast") or that of its vote ("vote").

        >>> import littlestone as ls
        >>> model = ls.play(ls.panel(["perceptron", "arow"]), [{"a"}, {"b"}] * 5, [1, 0] * 5).model
        >>> model.labelled_by("vote").learner
        panel(members=perceptron arow, rule=adahedge, blend=True, label_by=vote)
        """
        relabelled = getattr(self.learner, "relabelled", None)
        if relabelled is None:
            raise LittlestoneError(f"label_by={label_by!r}: {self.learner.name} has one label alone; a panel has two")
        with self.lock:
            return self._standing_here(self._made_of(*relabelled(self.state, label_by, self.mistakes)))

    def _made_of(self, learner: Any, state: Any) -> Any:
        """A model of this learner with this state, with the classes of this one."""
        raise LittlestoneError(f"{self.learner.name}: a model of another learner cannot be made of this one")

    def _standing_here(self, other: Any) -> Any:
        """The other model with all that this one has beside its learner and its state."""
        other._follow(self)
        other._fresh, other.counted, other.accounts = self._fresh, self.counted, self.accounts
        other.ledger, other.waiting = None if self.ledger is None else self.ledger.copy(), dict(self.waiting)
        for name, count in self.counts().items():
            setattr(other, name, count)
        return other

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> Any:
        return self.copy()

    def __reduce__(self) -> tuple:
        """What pickle keeps is the model file; of a learner of the user's own, that learner too."""
        return above("model_of_bytes"), above("pickled")(self)

    @property
    def hypothesis(self) -> Any:
        """The model to predict with: itself, unless the hypothesis to keep is not the last one (the averaged Perceptron)."""
        return self

    def save(self, path: Any) -> None:
        """Write the model to a file, all of it or nothing: a file that was there stays until the new one is complete."""
        above("save")(self, path)

    def replay(self, stream: Any = None, y: Any = None, **how: Any) -> Any:
        """The same model made afresh, from its ledger alone, or from its whole stream where that is given again.

        A stream is whatever `ls.play` takes, with `y` and further choices (`boolean=`, `sample_weight=`, `passes=`) where they were given.
        """
        with self.lock:
            if self._torn:
                self._mend()
            return above("replay")(self, stream, y, **how)

    def rollback(self, round: int, stream: Any = None, y: Any = None, **how: Any) -> Any:
        """The model as it stood after a round; rounds are counted from 1, those without a label included."""
        with self.lock:
            return above("rollback")(self, round, stream, y, **how)

    def forget(self, round: int, stream: Any = None, y: Any = None, **how: Any) -> Any:
        """The model that would have been learned without the label of that round, and what it changes."""
        with self.lock:
            return above("forget")(self, round, stream, y, **how)

    def diff(self, other: Model) -> Any:
        """Settings, weights and rounds in which this model and another differ."""
        require(isinstance(other, Model), f"diff takes another model, such as ls.load(path) gives; got {type(other).__name__}")
        return above("diff")(self.copy(), other.copy())

    def explain(self, x: Any, rounds: int | None = 100, *, member: Any = None) -> Any:
        """Return what each feature of x adds to the score, and which rounds of the ledger made its weight what it is (the `rounds` largest
        moves). `member` names a member or a blend of a panel, or the class of a reduction, whose own prediction is explained."""
        with self.lock:
            return above("explain")(self, x, rounds, member)

    def predict_many(self, X: Any, *, scores: bool = False) -> Any:
        """The predictions for all rows of X, whatever `ls.play` takes; with `scores` the scores in their place. It learns nothing."""
        return above("predict_many")(self, X, scores=scores)

    def _predict_all(self, X: Any, id: Any) -> Any:
        one_row = "a name is for one row: a dict, a set, a text, a flat row or a pair (indices, values)"
        require(id is None, f"id={id!r}: {one_row}; got a {type(X).__name__} of many")
        return self.predict_many(X)

    def widened(self) -> Any:
        """A model of several classes that goes on from here."""
        raise LittlestoneError(f"{self.learner.name} takes no more classes than it has; ls.panel() does")

    def with_labels(self, labels: Any) -> Any:
        """This model, to which the labels that may come are declared: several of them, "ham,spam", "@FILE", or "any"."""
        chosen = {name: list(value) if name == "labels" and value else value for name, value in label_choices(labels).items()}
        self.reading = {**self.reading, **chosen}
        return self

    def member(self, name: Any = None) -> BinaryModel:
        """A member as a model of its own, with the names of the features: of a panel the named one, or the most trusted."""
        raise LittlestoneError(f"{self.learner.name} has no members; ls.panel() has")


def _count_at(place: int) -> Any:
    """One of the counts of a model, as a property."""
    return property(lambda model: model._counted[place], lambda model, count: model._counted.__setitem__(place, count))


class BinaryModel(Events, Model):
    """Learns two classes as events come. Each event is a dict (string names or integer columns), a set of active features, a pair
    (indices, values), or a dense row.

    >>> import littlestone as ls
    >>> model = ls.perceptron().start()
    >>> model.predict({"free": 1, "offer": 2})
    True
    >>> model.update({"free": 1, "offer": 2}, False)
    >>> model.observe({"offer": 1}, False), model.mistakes, model.rounds
    (False, 1, 2)

    It keeps a ledger of the rounds it learned from, unless told not to, or where its learner updates on every round or begins from a
    state whose rounds are not known; then `ledger` is None.
    """

    kind = "two classes"
    _operating: Any = None
    _bound: Any = None  # a player that lays out the arrays of the state in its own way, of a learner that has such
    _state: tuple
    _predict: Any
    _update: Any
    _score: Any
    _may_open = True  # may the fast path open at the next event?
    _negative: int | None = None  # what stands for the negative label, where it is a number that has come

    def __init__(self, learner: Learner, state: tuple | None = None, *, ledger: bool | int = True) -> None:
        self.lock, self.waiting = lock_of(self), {}
        self._counts = np.zeros(COUNTED, np.int64)  # rounds, mistakes and so on: where compiled code counts too
        self._counted = self._counts.data  # as Python's own numbers
        first = learner.first_state(learner.few) if state is None else copied(state)
        room = learner.room_of(first)
        width = learner.n if learner.n and room > LARGEST_INDEX else room  # a state without columns has room for all
        super().__init__(learner, room, -1 if state is None else width - 1)
        self.ledger = ledger_for(learner, ledger) if state is None else None
        self._fresh = state is None
        self._hold(first)
        self._weight = self._weighed = 1.0  # the weight of the next update, and the number it was made of
        self._conservative, self._broken = learner.updates_on == "mistakes", learner.broken
        self._prepared = learner.prepare is not None
        self._predicted = False

    def _hold(self, state: tuple) -> None:
        """Let this be the state, and what plays over it."""
        self._close_fast_path()
        if self._bound is None:
            self._lay_out(state, None if self.learner.bound is None else self.learner.bound(state))
        else:
            try:
                bound = self._bound.moved(state)
            except BaseException:  # half of its parts may have moved
                self._lay_out(self._state, self.learner.bound(self._state))
                raise
            self._lay_out(state, bound)

    def _lay_out(self, state: tuple, bound: Any) -> None:
        """Take a state, and what plays over its arrays, all of it at once."""
        player = bound or self.learner.over(state)
        score = player.score if self.learner.scored else None
        own = {"_predict": player.predict, "_update": player.update, "_score": score, "_bound": bound}
        vars(self).update(own | {"_state": state if bound is None else bound.state})

    rounds, mistakes, unlabelled, _top = map(_count_at, (ROUNDS, MISTAKES, UNLABELLED, TOP))
    _zero = property(lambda model: model._counted[ZERO] != 0, lambda model, zero: model._counted.__setitem__(ZERO, zero))

    @property
    def ledger(self) -> Ledger | None:
        """The rounds it learned from, where it keeps them."""
        return self._ledger

    @ledger.setter
    def ledger(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._close_fast_path()

    @property
    def operating(self) -> Any:
        """Where its answers turn from 0 to 1, where that was chosen."""
        return self._operating

    @operating.setter
    def operating(self, operating: Any) -> None:
        self._operating = operating
        self._close_fast_path()

    def _open_fast_path(self) -> None:
        """Let native code play the plain events from now on, if the learner has any, and predicts by nothing else."""
        learner, self._may_open = self.learner, False
        indirect = self._averages or self._interpreted or self._broken is not None or self.operating is not None
        if indirect or self.named is None or not getattr(learner.concepts, "symmetric", True):
            return
        learns = learner.native_for(self._state)
        if not isinstance(learns, native.core.AnyLearner):
            return
        names, domain = self.features if self.named else None, getattr(native.core.Domain, learner.domain)
        answers = self.answers or (False, True)
        fast = native.core.FastPath(learns, names, domain, self.sorts, self._counts, self._conservative, answers, self.lock)
        fast.set_room(self._most_names)
        if self.ledger is not None:
            fast.set_page(*self.ledger.open_page(valued=not self._boolean).arrays)
        self._fast, self._seen = fast, None

    def _close_fast_path(self) -> None:
        if self._fast is not None:
            self._fast.close()
        self._fast, self._may_open = None, True

    def _grow(self, room: int) -> None:
        state = None if self._bound is None else self._bound.grown(room)
        self._hold(self.learner.grown(self._state, room) if state is None else state)

    @property
    def state(self) -> tuple:
        """The state after the last update."""
        with self.lock:
            width = self._top + 1 if self.learner.n is None else self.learner.n
            return self.state_for(max(width, self._top + 1))

    def at(self, snapshot: LedgerStart | None) -> BinaryModel:
        """As it stood at the beginning of its ledger."""
        return self.blank() if snapshot is None else self._beside(BinaryModel(self.learner, snapshot.state, ledger=False))

    def _alone(self) -> BinaryModel:
        return self._made_of(self.learner, self.state)

    def _made_of(self, learner: Learner, state: Any) -> BinaryModel:
        return BinaryModel(learner, state, ledger=False)

    def state_for(self, width: int) -> tuple:
        """The same with room for that many features, or as many as there is room for."""
        return self.learner.trimmed(self._state, min(width, self._room))

    def arrays(self) -> dict[str, np.ndarray]:
        state = self.state
        return dict(zip(fields(state), state, strict=True))

    @classmethod
    def made_by(cls, runner: Runner) -> BinaryModel:
        model = cls(runner.learner, runner.run().state)
        model._known(runner.top, runner.bottom == 0)
        return model

    def _opened(self, columns: int | None, ledger: Ledger | None, state: Any, accounts: Any) -> Runner:
        return Runner(self.learner, columns=columns, state=state, counted=self.counted, accounts=accounts, ledger=ledger)

    def blank(self) -> BinaryModel:
        return self._beside(self.learner.start())

    @property
    def hypothesis(self) -> BinaryModel:
        return self if self.learner.final is None else self._beside(self._final())

    def _final(self) -> BinaryModel:
        assert self.learner.final is not None
        learner, state = self.learner.final(self.state)
        return learner.start(state, ledger=False)

    def member(self, name: Any = None) -> BinaryModel:
        """Of a panel, a member as a model of its own, with the names of the features: the named one, or the most trusted.

        >>> import littlestone as ls
        >>> model = ls.panel(["perceptron", "arow"]).start()
        >>> model.update({"free", "offer"}, True), model.update({"minutes"}, False)
        (None, None)
        >>> model.member("perceptron").explain({"minutes"}).prediction
        False
        """
        _, learner, state = self.learner.chosen(self.state, name)
        return self._beside(learner.start(state, ledger=False))

    def predict(self, x: Any, *, id: Any = None) -> Any:
        """The prediction for x; changes nothing that a later prediction depends on. It is True or False, or one of the labels that the
        stream had ("spam"). Of many rows at once, whatever `ls.play` takes, it is an array.

        With an `id` it is a round that waits for its label: `model.label(id, y)`.

        Where the hypothesis to keep is not the last one (the averaged Perceptron), it is the kept one's; `observe` counts and gives what
        the learner predicts as it goes.
        """
        if id is None:
            answer = self._fast and self._fast.predict(x)
            if answer is not None:
                return answer
        return self._predict_in_python(x, id=id)

    # of a method that was taken before a third label came to a panel, the next three are those of a model of several classes

    def _predict_in_python(self, x: Any, *, id: Any) -> Any:
        """Predict x where it is not plain, or where there is no fast path."""
        if type(x) is not dict and many(x, self._texts):
            return self._predict_all(x, id)
        if id is not None:
            return self._predict_by_id(x, id)
        if self._averages:
            return self._keeps_another().predict(x)
        yhat = self.predict_round(x) if self.operating is None else self._at_point(x)
        return yhat if self.answers is None else self.answers[yhat]

    def _at_point(self, x: Any) -> bool:
        """The answer at the operating point."""
        with self.lock:
            score = self.score(x)  # predicts, too
            return self.operating.answer(score, self._predicted)

    def predict_round(self, x: Any) -> bool:
        """What the learner would predict if x were the next round: True or False."""
        with self.lock: return self._foretell(x)  # fmt: skip  # noqa: E701

    def _foretell(self, x: Any) -> bool:
        """Predict x, whose row is then `_row`."""
        if self._torn:
            self._mend()
        self._seen = None
        if not self._quick(x, False):
            self._convert(x, learn=False)
        self._predicted = yhat = self._predict_row()
        return yhat

    def scores(self, x: Any) -> Any:
        """The score of x, or of many rows at once an array of them."""
        return self.predict_many(x, scores=True) if type(x) is not dict and many(x, self._texts) else self.score(x)

    def score(self, x: Any) -> float:
        """How far the prediction for x lies from the border: 1 is predicted where it is ≥ 0. Of a panel it is the log-odds of its
        forecast; with `label_by="vote"` the vote predicts, and the two may differ near 0."""
        if self._averages:
            return self._keeps_another().score(x)
        with self.lock:
            self.predict_round(x)
            if self._score is not None:
                return self.score_row(self._row)
            indices, values, lo, hi = self._row
            return self.learner.score(self._state, indices[lo:hi], None if values is None else values[lo:hi])

    def probability(self, x: Any) -> Any:
        """The probability that the label of x is 1, of a learner that gives any. Of many rows at once it is an array."""
        require(self.learner.probabilities, f"{self.learner.name} gives no probabilities")
        scores = self.scores(x)
        return 1 / (1 + exp(-max(-700.0, scores))) if isinstance(scores, float) else chances(scores)

    def probabilities(self, x: Any) -> Any:
        """The probability of each of the two labels, the negative one first; of many rows at once a table, rows × labels."""
        positive = self.probability(x)
        if isinstance(positive, float):
            return dict(zip(self.answers or (False, True), (1 - positive, positive), strict=True))
        return np.column_stack([1 - positive, positive])

    def update(self, x: Any, y: Any, weight: float = 1.0) -> None:
        """Tell the label of x: counts the round, and the mistake if there was one, and learns."""
        if not (self._fast and self._fast.update(x, y, weight)):
            self._update_in_python(x, y, weight)

    def _update_in_python(self, x: Any, y: Any, weight: float) -> None:
        """Update in Python."""
        try:
            truth = y if y is True or y is False else self._label(y)
        except ThirdLabel as error:
            self._become_several(y, error).update(x, y, weight)
            return
        weight = as_plain(weight)
        with self.lock: self._event(x, truth, weight, False)  # fmt: skip  # noqa: E701 (in one line, after which nothing is left to do)

    def observe(self, x: Any, y: Any, weight: float = 1.0) -> Any:
        """Predict x, count, and learn from its label, in one call; the prediction made before learning.

        Where an operating point was chosen the answer is the one at that point; the mistakes are those of the learner's own prediction.
        """
        answer = self._fast and self._fast.observe(x, y, weight)
        return self._observe_in_python(x, y, weight) if answer is None else answer

    def _observe_in_python(self, x: Any, y: Any, weight: float) -> Any:
        """Observe in Python."""
        try:
            truth = y if y is True or y is False else self._label(y)
        except ThirdLabel as error:
            return self._become_several(y, error).observe(x, y, weight)
        weight = as_plain(weight)
        with self.lock: return self._event(x, truth, weight, True)  # fmt: skip  # noqa: E701

    def _event(self, x: Any, truth: bool | None, weight: float, observed: bool) -> Any:
        """Predict x, count the round and learn from its label, all of it or nothing, whatever exception comes.

        Return the prediction that was made before, where the event is to be `observed`.
        """
        if self._torn:
            self._mend()
        # converted and predicted already, and not changed since; a comparison may run code of a user's, which may call this model
        seen = not observed and x is self._seen and x == self._seen_copy and x is self._seen and self._seen_at == self.rows
        met, before = self._met(), self.rows
        try:
            if weight != self._weighed:
                self._check_weight(weight)
            if seen:
                answer = yhat = self._predicted
            else:
                self._seen = None
                if not self._quick(x, True):
                    met, before = self._convert(x, learn=True), self.rows
                answer = yhat = self._predict_row()
            if observed and self.operating is not None:
                answer = self.operating.answer(self.score_row(self._row), yhat)
            self._learn(truth, yhat, weight)
        except BaseException:
            if self.rows == before:
                self._go_back(*met)
            raise
        return answer if self.answers is None else self.answers[answer]

    def _serve(self, x: Any) -> tuple[Any, Served]:
        x = self._plain(x)
        yhat = answer = self.predict_round(x)
        if self.operating is not None:
            answer = self.operating.answer(self.score_row(self._row), yhat)
        return answer if self.answers is None else self.answers[answer], Served(self._kept_row(x), yhat)

    def _settle(self, served: Served, y: Any, weight: float, *more: Call) -> None:
        try:
            truth = self._label(y)
        except ThirdLabel as error:
            self._become_several(y, error)._settle(served, y, weight, *more)
            return
        met, before = self._met(), self.rows
        try:
            self._convert(served.x, learn=True)
            if self._predict_row() != served.yhat:
                self._close_fast_path()
                more = (*more, (vars(self).update, {"_ledger": None}))  # it would be replayed with another prediction
            self._learn(truth, served.yhat, weight, *more)
        except BaseException:
            if self.rows == before:
                self._go_back(*met)
            raise

    def _label(self, y: Any) -> bool | None:
        """True, False or None for no label; where the stream had labels of its own, these too."""
        if is_missing(y):
            return None
        y = bare(y, self.answers or ())
        if self.answers is not None and y in self.answers:
            self._negative = y if y == self.answers[0] and not isinstance(y, str) else self._negative
            return y == self.answers[1]
        if self._rules.declared is not None:
            y = self._rules.own(y)
            if y in self._rules.declared.values():
                return y == self.answers[1] if self.answers is not None else bool(y)
            self._rules.check(y, self.rows + 1, ())
        truth = label(y, self.answers)
        if truth is False:
            self._name_negative(y)
        elif truth and self.answers is None and not self.rows:
            self.reading = {**self.reading, "labels": [0, 1]}  # as long as no -1 comes
        return truth

    def _name_negative(self, y: Any) -> None:
        """Take note of the number that stands for the negative label, 0 or -1, and answer with it where labels are such numbers."""
        first = self._negative is None and (not self.rows if self.answers is None else self.answers == (0, 1))
        if first and "format" not in self.reading:
            self.reading = {**self.reading, "labels": [int(y), 1]}
        self._negative = int(y)

    def widened(self) -> Any:
        """Of a panel, a model of several classes that goes on from here: its two labels are the first of them.

        >>> import littlestone as ls
        >>> model = ls.panel(["perceptron", "arow"]).start()
        >>> for row, y in [({"leaf"}, 0), ({"bean"}, 1), ({"leaf"}, 0), ({"cow"}, 2)]:
        ...     model.update(row, y)
        >>> type(model).__name__, list(model.classes), model.predict({"bean"}), model.rounds
        ('ClassModel', [0, 1, 2], 1, 4)
        """
        if not self.rows:
            model = self._beside(above("ClassModel")(above("of_panel")(self.learner)))
        else:
            lost, heaviest = self.accounts.lengths[2:4] if self.measured() else (self.mistakes, 1.0)
            learner, state = above("widened")(self.learner, self.state, self.mistakes, lost, heaviest or 1.0)
            model = self._beside(above("ClassModel")(learner, state, self._two_labels(), ledger=False))
            model.accounts = ClassRunnerCounts.of_two(self.accounts) if self.measured() else None
        model.reading = {name: value for name, value in self.reading.items() if name not in ("labels", "declared")}
        model.waiting = self.waiting
        model.add_counts(self.counts())
        return model

    def _two_labels(self) -> tuple[Any, Any]:
        """The negative and the positive label, as a stream of more would have them."""
        stated = self.reading.get("labels")
        return self.answers or ((self._negative or 0, 1) if stated is None else (int(stated[0]), int(stated[1])))

    def _become_several(self, y: Any, error: ThirdLabel) -> Any:
        """A third label has come: of a panel, this model is from now on one of several classes."""
        whole = not isinstance(y, float | np.floating) or float(y).is_integer()  # other numbers are no classes
        if not hasattr(self.learner, "widens") or self.operating is not None or self.reading.get("declared") or not whole:
            raise error
        with self.lock:
            alike = not self.rows or kind_of(self._two_labels()[1]) == kind_of(y.item() if isinstance(y, np.generic) else y)
            if not alike:
                raise error
            self._rules.before = 0
            self._rules.check(y, self.rows + 1, self._two_labels())
            self._close_fast_path()
            own = {"lock": self.lock, "number": self.number}
            model = self.widened()
            model._rules.warned |= self._rules.warned
            self.__class__, self.__dict__ = type(model), {**vars(model), **own}
        return self

    def predict_row(self, row: tuple) -> bool:
        """The prediction for a row (indices, values, lo, hi) that somebody has checked, and made room for."""
        self._seen, self._row = None, row
        return self._predict_row()

    def score_row(self, row: tuple) -> float:
        """The score of such a row."""
        assert self._score is not None
        return float(self._score(*row))

    def learn_row(self, row: tuple, y: bool | None, yhat: bool, weight: float = 1.0) -> bool:
        """Tell the label of such a row, and what was predicted. Did it update?"""
        self._row = row
        return self._learn(y, yhat, weight)

    def predict_rows(self, block: Block, scores: np.ndarray | None = None) -> np.ndarray:
        """The predictions for all rows of such a block, and scores where there is an array for them; its labels are not looked at."""
        if self.learner.prepare is not None:
            self._hold(self.learner.prepare(self._state, block))
        predictions = np.empty(len(block), np.bool_)
        play_through(self.learner, self._state, block.silent(), predictions, scores)
        return predictions

    def make_room(self, room: int) -> None:
        """Let the state have a place for that many features."""
        if room > self._room:
            self._grow(room)
            self._room = room

    def _predict_row(self) -> bool:
        if self._prepared:
            self._prepare()
        if self._may_open and self.rows:
            self._open_fast_path()
        yhat = self._predict(*self._row)
        if yhat is True or yhat is False:
            return yhat
        if yhat == UNDECIDED and self.learner.settle is not None:
            indices, _, lo, hi = self._row
            yhat = self.learner.settle(self.learner.settings, self._state, indices[lo:hi])
        return bool(yhat)

    def _learn(self, y: bool | None, yhat: bool, weight: float, *more: Call) -> bool:
        """Count the row at hand and learn from its label, together with `more` calls of compiled code. Return whether it updated."""
        self._seen = None  # an update ends the round
        if weight != self._weighed:
            self._check_weight(weight)
        ledger, count, wrong = self._ledger, self._counted.__setitem__, y != yhat
        if y is None:
            noted = () if ledger is None else (ledger.skipping(self.rows + 1),)
            together([], [(count, UNLABELLED, self.unlabelled + 1), *noted, *more])
            return False
        calls: list[Call] = [(count, ROUNDS, self.rounds + 1), (count, MISTAKES, self.mistakes + wrong), *more]
        point = None if self.operating is None else self.operating.copy()
        if self.operating is not None:
            self.operating.take_one(y, self.score_row(self._row), weight, yhat)
        results: list = []
        update: Call = ()
        try:
            if not wrong and self._conservative:
                together(results, calls)
                return False
            update = (self._update, *self._row, y, yhat, self._weight)
            if ledger is not None:
                calls.append(ledger.entering(self.rows + 1, y, yhat, self._weight, self._row, results))
            together(results, [update, *calls])
        except BaseException:
            if not results:
                if point is not None:
                    self._operating = point
                if update and isinstance(getattr(update[0], "func", update[0]), FunctionType | MethodType):
                    self._mend()  # code in Python may have been broken off
            raise
        updated = results[0]
        if self._broken is not None and (why := self._broken(self._state)):
            undone = [(count, ROUNDS, self.rounds - 1), (count, MISTAKES, self.mistakes - wrong)]  # what was refused does not count
            together([], [*undone, *(() if ledger is None else ((ledger.leave_out,),))])
            raise LittlestoneError(f"round {self.rounds + 1}: {self.learner.name}: {why}")
        if ledger is not None:
            if not (updated or wrong):
                ledger.leave_out()
            elif ledger.entered(self._row[3] - self._row[2]):
                ledger.cut(self.rows, self.mistakes, self.unlabelled, self.state)
        return wrong if self._conservative else self.learner.updates_on == "always" or bool(updated)

    def _mend(self) -> None:
        """Make the state again from the ledger: an update was broken off, and may have been made in part. Without one it stays torn."""
        self._torn = True
        if self._ledger is not None:
            self._hold(self.learner.grown(copied(self.rollback(self.rows).state), self._room))
            self._torn = False

    def _check_weight(self, weight: float) -> None:
        require(self.learner.weighted or weight == 1.0, f"{self.learner.name} honours no weights: each round counts once")
        require(0 <= weight < inf, f"weight={weight!r} must be a finite number, 0 or more")
        if self.learner.weighted:
            self._weight, self._weighed = float(np.float32(weight)), weight

    def _prepare(self) -> None:
        """Room for what this row will add, where that is more than its features."""
        assert self.learner.prepare is not None
        if self.learner.roomy is None or not self.learner.roomy(*self.learner.params, *self._state):
            state = self.learner.prepare(self._state, self._block())
            if state is not self._state:
                self._hold(state)


def label(y: Any, both: tuple[Any, Any] | None = None) -> bool | None:
    """True or False for a label; None for no label (None or NaN). `both` are the labels of the stream, where it had its own."""
    if y is True or y is False or y is None:
        return y
    if y == 1:
        return True
    if y == 0 or y == -1:
        return False
    if y != y:
        return None
    expected = "True or False, 1 or 0, +1 or -1" if both is None else f"{both[0]} or {both[1]}"
    raise ThirdLabel(f"label {y!r}: expected {expected}, or None for no label; ls.one_vs_rest(learner) takes several classes")
