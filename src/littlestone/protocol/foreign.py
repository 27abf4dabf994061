"""Models of other libraries as learners: they play, sit on a panel beside ours, meet an adversary, and are watched.

>>> import littlestone as ls
>>> from river import naive_bayes
>>> panel = ls.panel([ls.from_river(naive_bayes.BernoulliNB()), "perceptron:bias=1"], blend=False)
>>> run = ls.play(panel, [{"free"}, {"minutes"}, {"free", "offer"}, {"lunch"}] * 10, [1, 0, 1, 0] * 10)
>>> [(member.name, member.mistakes) for member in run.members], run.mistakes, run.vote_mistakes
([('river.BernoulliNB', 3), ('perceptron:bias=1', 3)], 5, 3)

Nothing is known of such a model but what it predicts. That is enough for a panel's theorem, which speaks of votes: they are advice, and the
certificate of the panel has them. On a panel, in `ls.play` and against an adversary, features are the numbers of their columns, or what
`features` calls these; in `ls.watch` rows are given to the model as they are. A model must predict the same when it is asked the same, or
no run can be told again: give it a seed.

A file of ours does not hold such a model, and neither does a pickle of ours: save it by the means of its own library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol.learner import Kernels, Learner
from littlestone.protocol.players import Instance, Player, River, ScikitLearn, VowpalWabbit, name_in
from littlestone.theory.families import Family

UNSAVED = (
    "{0} is a model of another library, and no file of ours holds it: save it by the means of that library, and the others without it; "
    "ls.load cannot bring it back"
)

INSIDE = "nothing is known of the inside of another library's model: its states cannot be compared, and there are no lemmas to check"


class Held:
    """The state of such a model, in the place of an array: a player of its own, made when it is first needed."""

    def __init__(self, begin: Callable[[], Player], player: Player | None = None) -> None:
        self.begin, self._player = begin, player

    @property
    def player(self) -> Player:
        if self._player is None:
            self._player = self.begin()
        return self._player

    def copy(self) -> Held:
        return Held(self.begin, None if self._player is None else self._player.copy())

    def __len__(self) -> int:
        return 1

    def __ne__(self, other: object) -> bool:
        raise LittlestoneError(f"{self.player.name}: {INSIDE}")

    @property
    def dtype(self) -> Any:
        raise LittlestoneError(f"{self.player.name}: {INSIDE}")


@dataclass(frozen=True, eq=False, repr=False)
class Foreign(Learner):
    """A model of another library as a learner of two classes."""

    n: int | None = None
    model: Any = None  # theirs, which is left as it was
    begin: Callable[[], Player] | None = None  # a player of its own that stands where the model stands
    rows: Callable[[Any, Any], Sequence[Any]] | None = None  # rows(model, X): what the model says of these rows, in its own labels

    def __repr__(self) -> str:
        return self.name

    def player(self) -> Player:
        """Who plays in games: a copy, which stands where the model stands."""
        assert self.begin is not None
        return self.begin()

    def answers(self, X: Any) -> np.ndarray:
        """What the model predicts of rows that are given to it as they are, in its own labels; it learns nothing."""
        assert self.rows is not None
        return np.asarray(self.rows(self.model, X))


class Play:
    """The kernels of such a model: rows become instances, and the player of the state is asked."""

    def __init__(self, features: Sequence[str] | None) -> None:
        self.features = features

    def instance(self, indices: np.ndarray, values: np.ndarray | None) -> Instance:
        columns: Any = indices.tolist()
        if self.features is not None:
            require(not columns or max(columns) < len(self.features), f"feature {max(columns, default=0)} has no name among `features`")
            columns = [self.features[column] for column in columns]
        return dict.fromkeys(columns, 1.0) if values is None else dict(zip(columns, values.tolist(), strict=True))

    def predict(self, held: Held, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int) -> bool:
        return held.player.predict(self.instance(indices[lo:hi], None if values is None else values[lo:hi]))

    def update(
        self, held: Held, indices: np.ndarray, values: np.ndarray | None, lo: int, hi: int, y: bool, yhat: bool, weight: float
    ) -> bool:
        held.player.update(self.instance(indices[lo:hi], None if values is None else values[lo:hi]), y)
        return True

    def play(
        self, held: Held, indptr: Any, indices: Any, values: Any, labels: Any, weights: Any, predictions: Any, scores: Any, updates: Any
    ) -> None:
        """Round by round: predict, then be told the label; of one that stays as it is, all rounds at once."""
        player, ends = held.player, indptr.tolist()
        xs = (self.instance(indices[lo:hi], None if values is None else values[lo:hi]) for lo, hi in pairwise(ends))
        if player.frozen:
            predictions[:] = player.answers(list(xs))
            return
        for t, x in enumerate(xs):
            predictions[t] = player.predict(x)
            if labels[t] >= 0:
                player.update(x, bool(labels[t] == 1))


def _foreign(name: str, model: Any, make: Callable[[], Player], rows: Any, features: Sequence[str] | None = None, **sizes: Any) -> Foreign:
    kernels = Play(None if features is None else list(features))
    return Foreign(
        name=name,
        settings={},
        params=(),
        state=lambda room: (Held(make),),
        algorithm=Kernels(kernels.predict, kernels.update, kernels.play),
        family=Family(name, updates_on="always", arithmetic="float"),
        model=model,
        begin=make,
        rows=rows,
        **sizes,
    )


def from_sklearn(model: Any, *, n: int | None = None, learn: bool = True) -> Foreign:
    """A classifier of scikit-learn, or anything with its methods, as a learner; one that is fitted goes on from where it stands.

    It learns by `partial_fit`; without that, or with `learn=False`, it stays as it is and only votes. `n` is the number of features, where
    the model does not know it and no table tells.

    >>> from sklearn.linear_model import Perceptron
    >>> import littlestone as ls
    >>> ls.play(from_sklearn(Perceptron()), [[1, 0], [0, 1]] * 5, [1, 0] * 5).mistakes
    1
    """
    require(hasattr(model, "predict"), f"from_sklearn takes a classifier, with predict; got {type(model).__name__}")
    fitted = getattr(model, "n_features_in_", None)
    frozen = not learn or not hasattr(model, "partial_fit")
    known = hasattr(model, "classes_") or not frozen
    require(known, f"{type(model).__name__} has no partial_fit and is not fitted; expected one that learns, or has learned")
    width = n if fitted is None else fitted
    return _foreign(
        name_in("sklearn", model),
        model,
        lambda: ScikitLearn(model, width, frozen=frozen).copy(),
        lambda model, X: model.predict(X),
        n=width,
        with_n=(lambda n: from_sklearn(model, n=n, learn=learn)) if width is None else None,
    )


def from_river(model: Any, *, features: Sequence[str] | None = None, labels: Sequence[Any] = (False, True), learn: bool = True) -> Foreign:
    """A classifier of River, or anything with its methods, as a learner; one that has learned goes on from where it stands.

    `features` names the columns, where the model knows features by their names, and `labels` are its two labels, the positive one last;
    with `learn=False` it stays as it is and only votes.
    """
    both = hasattr(model, "predict_one") and hasattr(model, "learn_one")
    require(both, f"from_river takes a classifier, with predict_one and learn_one; got {type(model).__name__}")
    require(len(labels) == 2, f"labels={labels!r}: expected two, the positive one last")
    player = partial(River, model, frozen=not learn, labels=tuple(labels))
    return _foreign(name_in("river", model), model, lambda: player().copy(), _of_events, features)


def _of_events(model: Any, X: Any) -> list[Any]:
    """What a model of River says of events: dicts, or the rows of a frame."""
    return list(map(model.predict_one, X.to_dict("records") if hasattr(X, "to_dict") else X))


def from_vw(workspace: Any, *, features: Sequence[str] | None = None, learn: bool = True) -> Foreign:
    """A workspace of Vowpal Wabbit that predicts a number, as a learner: above 0 (of `--link logistic`, above 1/2) is a 1.

    Features are written as `| 3:1.5`, by their columns or by what `features` calls these. Copies are made by VW's own file.
    """
    both = hasattr(workspace, "predict") and hasattr(workspace, "learn") and hasattr(workspace, "save")
    require(both, f"from_vw takes a vowpalwabbit.Workspace; got {type(workspace).__name__}")
    player = partial(VowpalWabbit, workspace, frozen=not learn)
    return _foreign("vw", workspace, lambda: player().copy(), _of_lines, features)


def _of_lines(workspace: Any, X: Any) -> list[bool]:
    """What a workspace says of lines of VW's format."""
    asked = VowpalWabbit(workspace)
    return [asked.decide(line) for line in X]
