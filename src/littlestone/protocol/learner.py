"""A learner: pure functions over a plain state, and the theorems about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import CO_VARARGS
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.kernels import UNDECIDED
from littlestone.protocol.block import Block
from littlestone.protocol.earlier import takes_earlier_words
from littlestone.protocol.family import OfFeatures, chosen_family, takes_family
from littlestone.protocol.layout import Layout
from littlestone.rounds.reading import reading_of_events

if TYPE_CHECKING:
    from littlestone.protocol.score_terms import ScoreTerms
    from littlestone.theory.claims import Known

ARITHMETIC = ("exact", "filtered", "float")
UPDATES_ON = ("mistakes", "margin", "always")
DOMAINS = ("boolean", "unit", "real")  # features are 0 or 1, numbers from 0 to 1, or any numbers
LARGEST_GROWTH = 2**24  # the largest index for which a state makes room by itself
LARGEST_INDEX = 2**31 - 1


class Kernels(NamedTuple):
    """The functions of a learner in Python, each with one signature for all learners. Params and state are passed one by one, so that a
    compiler may take them.

    predict(*params, *state, indices, values, lo, hi) -> yhat
    update(*params, *state, indices, values, lo, hi, y, yhat, weight) -> True where it updated
    play(*params, *state, indptr, indices, values, labels, weights, predictions, scores, updates) -> rounds played, or None for all
    score(*params, *state, indices, values, lo, hi) -> float

    predict and score change nothing; the others overwrite the state. What a learner has no use for it ignores:

    - `weight` is 1.0, and `weights` None, unless the learner honours weights (`weighted=True`) and its rounds carry any.
    - `scores` is an array to fill, or None; always None where there is no `score`. The prediction is score ≥ 0.
    - `updates` is an array of booleans to fill in every labelled round, or None; always None unless the learner may update on a correct
      round and says where (`updates_on="margin"`). Of the others it follows from labels and predictions.
    """

    predict: Callable[..., Any]
    update: Callable[..., Any]
    play: Callable[..., Any]
    score: Callable[..., Any] | None = None

    def fault(self) -> str:
        """What is wrong with the number of arguments of a kernel, compared with `predict`; "" where nothing is, or nobody can tell."""
        before = _arguments(self.predict)
        for kernel, more, form in ((self.update, 3, UPDATE), (self.play, 4, PLAY)):
            arguments = _arguments(kernel)
            if before is not None and arguments is not None and arguments != before + more:
                fewer = "few" if arguments < before + more else "many"
                return f"the kernel {getattr(kernel, '__name__', kernel)} has too {fewer} arguments ({arguments}); expected {form}"
        return ""


UPDATE = "update(*params, *state, indices, values, lo, hi, y, yhat, weight), which returns True where it updated"
PLAY = "play(*params, *state, indptr, indices, values, labels, weights, predictions, scores, updates), None where there is no such array"


def _arguments(kernel: Any) -> int | None:
    """How many arguments a kernel takes; None where it takes any number."""
    code = getattr(getattr(kernel, "py_func", kernel), "__code__", None)
    return None if code is None or code.co_flags & CO_VARARGS else code.co_argcount - hasattr(kernel, "__self__")


class OwnPlayer:
    """A learner's functions in Python over the arrays of one state, with the methods that a learner of the native core has."""

    def __init__(self, kernels: Kernels, own: tuple) -> None:
        self.predict, self.update, self.play = (partial(kernel, *own) for kernel in kernels[:3])
        self.score = None if kernels.score is None else partial(kernels.score, *own)


@takes_earlier_words
@takes_family
@dataclass(frozen=True, eq=False, repr=False)
class Learner(OfFeatures):
    """ŷ = predict(S, x) and S' = update(S, x, y). Parameters and states are plain tuples of numbers and arrays."""

    kind = "two classes"
    of_experts = False  # are its theorems about experts, or members, and not about the rounds?
    few = 16  # features that a new model has room for

    name: str
    settings: Mapping[str, Any]  # as the user chose them, printable
    params: tuple  # as the native class, or the functions, take them
    state: Any  # what it keeps: a NamedTuple of `Column`s, a `Layout`, or a function that makes the first state
    algorithm: Any  # its class in the native core, `algorithm(*params, *state)`, which borrows the arrays of a state; or `Kernels`
    family: Any = None  # what is true of it whatever plays it: its theorems, how it updates, its definition (`Family`)
    with_n: Callable[[int], Learner] | None = None  # the same for n features, where its rule needs to know how many there are
    settle: Callable[..., bool] | None = None  # settle(settings, state, indices): the prediction where the native core is in doubt
    facts: Callable[..., Mapping[str, Any]] | None = None  # facts(run): what its bounds need of the run
    parts: Callable[..., ScoreTerms] | None = None  # parts(params, state, indices, values): what the score of that row is made of
    final: Callable[[tuple], tuple[Learner, tuple]] | None = None  # the hypothesis to keep, where it is not the last one
    mixture: Any = None  # how it is played over shards, where it can be (`protocol.mixture.ShardPlay`)

    def __post_init__(self) -> None:
        vars(self).update(state=Layout.of(self.state))
        if isinstance(self.algorithm, tuple):
            kernels = Kernels(*self.algorithm)
            fault = kernels.fault()
            require(not fault, f"{self.name}: {fault}")
            vars(self).update(algorithm=kernels)
        vars(self).update(family=chosen_family(self.family, self.name, self.settings, self.code))
        require(self.arithmetic in ARITHMETIC, f"arithmetic={self.arithmetic!r} must be one of {', '.join(ARITHMETIC)}")
        require(self.updates_on in UPDATES_ON, f"updates_on={self.updates_on!r} must be one of {', '.join(UPDATES_ON)}")
        require(self.domain in DOMAINS, f"domain={self.domain!r} must be one of {', '.join(DOMAINS)}")
        require(self.algorithm is not None, f"{self.name}: expected a class of the native core, or kernels")

    @property
    def native(self) -> Any:
        """Its class in the native core; None where it plays by functions in Python."""
        return None if isinstance(self.algorithm, Kernels) else self.algorithm

    @property
    def kernels(self) -> Kernels | None:
        """Its functions, where they are in Python."""
        return self.algorithm if isinstance(self.algorithm, Kernels) else None

    @property
    def scored(self) -> bool:
        """Does it predict by a score?"""
        return self.native.has_score if self.kernels is None else self.kernels.score is not None

    @property
    def probabilities(self) -> bool:
        """Is the score the logarithm of the odds of a 1?"""
        return self.family.odds

    @property
    def decides_by_score(self) -> bool:
        """Where there is a score, is 1 predicted exactly where it is ≥ 0?"""
        return True

    @property
    def code(self) -> Any:
        """A part of its own: the file in which it stands is the learner's."""
        return self.state.code if self.kernels is None else self.kernels[0]

    @property
    def concepts(self) -> Any:
        """The finite class it learns; one that may be `broken` goes on only while some concept agrees with every label."""
        return self.settings.get("concepts", getattr(self.state, "concepts", None))

    @property
    def n(self) -> int | None:
        """How many features there are, where that is known beforehand."""
        return self.settings.get("n", getattr(self.state, "n", None)) if self.concepts is None else self.concepts.n

    @property
    def needs_n(self) -> bool:
        """Does its rule need to know how many features there are?"""
        return self.with_n is not None

    @property
    def init(self) -> Callable[[int], tuple]:
        """The first state, with room for that many features."""
        return self.state.init

    @property
    def ledger(self) -> tuple[str, ...]:
        """Arrays of the state that only keep accounts: no later prediction depends on them."""
        return self.state.accounts

    @property
    def spaced(self) -> bool:
        """May its arrays have gaps, and indices be multiplied to match?"""
        return self.state.spaced

    @property
    def sound(self) -> Callable[[Any, Any], None] | None:
        """sound(params, state) refuses, by name, a state that no run can have left."""
        return self.state.check

    @property
    def broken(self) -> Callable[[tuple], str] | None:
        """broken(state) says why it cannot go on, "" while it can."""
        return self.state.broken

    @property
    def mirrored(self) -> Callable[[Any], Any] | None:
        """mirrored(state) is what it would have learned with the labels exchanged."""
        return self.state.mirrored

    @property
    def prepare(self) -> Callable[[Any, Block], tuple] | None:
        """prepare(state, block) makes room for what a block will add, where that is more than features."""
        return None if self.state.room is None else self.state.room.prepare

    @property
    def compact(self) -> Callable[[Any], tuple] | None:
        """A state without the spare room that prepare made: capacity is no part of a result."""
        return None if self.state.room is None else self.state.room.compact

    @property
    def roomy(self) -> Callable[..., bool] | None:
        """roomy(*params, *state): is there room for one more row, whatever it holds?"""
        return None if self.state.room is None else self.state.room.enough

    @property
    def known(self) -> Callable[[Any], Known] | None:
        """known(run) is what its theorems need of a run, where that is more than facts."""
        return None

    @property
    def exact_when(self) -> Callable[[Any], bool] | None:
        """exact_when(run): was this run exact, though not every run is?"""
        return None

    @property
    def bound(self) -> Callable[[tuple], Any] | None:
        """bound(state) plays events over this state's arrays in a way of its own, where it can."""
        return None

    def first_state(self, room: int | None = None) -> tuple:
        """The state before the first round."""
        require(not self.needs_n or self.n is not None, f"{self.name} needs n, the number of features")
        return self.init(max(1, room if room is not None else (self.n or 1)))

    def predict(self, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> bool:
        """The prediction for one row; changes nothing."""
        yhat = self.over(state).predict(indices, values, 0, len(indices))
        if self.settle is not None and yhat == UNDECIDED:
            return self.settle(self.settings, state, indices)
        return bool(yhat)

    def update(self, state: tuple, indices: np.ndarray, values: np.ndarray | None, y: bool, yhat: bool, weight: float = 1.0) -> tuple:
        """The next state; the given one is left alone."""
        return self.step(state, indices, values, y, yhat, weight)[0]

    def step(
        self, state: tuple, indices: np.ndarray, values: np.ndarray | None, y: bool, yhat: bool, weight: float = 1.0
    ) -> tuple[tuple, bool]:
        """The next state, and whether the rule updated: what it learned from this round, if anything, is in that state."""
        state = copied(state)
        if self.prepare is not None:
            state = self.prepare(state, Block(np.array([0, len(indices)]), indices, values, np.zeros(1, np.int32)))
        weight = float(weight) if self.weighted else 1.0
        updated = self.over(state).update(indices, values, 0, len(indices), bool(y), bool(yhat), weight)
        return state, bool(updated) if self.updates_on == "margin" else self.updates_on == "always" or bool(y) != bool(yhat)

    def score(self, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> float:
        """How far the prediction for one row lies from the border: 1 is predicted where it is ≥ 0."""
        require(self.scored, f"{self.name} predicts without a score")
        return float(self.over(state).score(indices, values, 0, len(indices)))

    def native_for(self, state: tuple) -> Any:
        """Return the learner of the native core over the arrays of a state, which it overwrites as it learns; None where there is none."""
        return None if self.native is None else self.native(*self.params, *state)

    def over(self, state: tuple) -> Any:
        """Return what predicts, scores, updates and plays over the arrays of a state, natively where it can; both have the same methods."""
        native = self.native_for(state)
        if native is not None:
            return native
        assert self.kernels is not None
        return OwnPlayer(self.kernels, (*self.params, *state))

    def play(
        self,
        state: tuple,
        block: Block,
        predictions: np.ndarray,
        scores: np.ndarray | None = None,
        start: int = 0,
        updates: np.ndarray | None = None,
    ) -> int:
        """The pass over a block from one of its rounds on, overwriting the state; the round it stopped before, or the end.

        `updates`, all False, is filled by a learner that may update on correct rounds, and left alone by any other. Scores and updates are
        always written where they are known, asked for or not: to a compiler each other combination would be another function.
        """
        if scores is None and self.scored:
            scores = np.empty(len(block))
        if updates is None and self.updates_on == "margin":
            updates = np.zeros(len(block), np.bool_)
        played = self.over(state).play(
            block.indptr[start:],
            block.indices,
            block.values,
            block.labels[start:],
            block.weights[start:] if self.weighted and block.weights is not None else None,
            predictions[start:],
            scores[start:] if self.scored and scores is not None else None,
            updates[start:] if self.updates_on == "margin" and updates is not None else None,
        )
        return len(block) if played is None else start + played

    def grown(self, state: tuple, room: int) -> tuple:
        """The same state with room for more features: new places hold what a first state holds."""
        arrays = []
        for old, new, grows in zip(state, self.init(room), self._growing, strict=True):
            if grows:
                new[: len(old)] = old
            arrays.append(new if grows else old)
        return like(state, arrays)

    def room_of(self, state: tuple) -> int:
        """For how many features a state has room: the length of an array that grows with them."""
        return next((len(array) for array, grows in zip(state, self._growing, strict=True) if grows), LARGEST_INDEX + 1)

    def trimmed(self, state: tuple, width: int, *, lent: bool = False) -> tuple:
        """A copy of a state with room for no more than that many features: capacity is no part of a result.

        What is `lent` is no copy: whoever plays on with the state is not to do so while it is looked at.
        """
        width = max(1, width)
        arrays = [a[:width] if grows else a for a, grows in zip(state, self._growing, strict=True)]
        state = like(state, arrays if lent else [array.copy() for array in arrays])
        return self.compact(state) if self.compact is not None else state

    @cached_property
    def _growing(self) -> list[bool]:
        """Which arrays of a state are as long as there is room for features; the others are the learner's own affair."""
        return [len(small) != len(large) for small, large in zip(self.init(1), self.init(2), strict=True)]

    def spare(self) -> list[bool]:
        """Which arrays of a state have a length that is the learner's own affair, and that its `sound` looks after."""
        return [self.compact is not None and not grows for grows in self._growing]

    def alike(self, a: tuple, b: tuple) -> bool:
        """Are two states equal bit for bit? Room for features that neither has met is no part of a state."""
        if len(a) != len(b):
            return False
        room = max([1, *(room for room in map(self.room_of, (a, b)) if room <= LARGEST_INDEX)])
        pairs = zip(*(self.grown(state, room) for state in (a, b)), strict=True)
        return all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in pairs)

    def seats(self, state: tuple) -> tuple:
        """Who sits on it, with the mistakes and the weight of each, of a learner made of others whose votes it hears."""
        return ()

    def forecasts_of(self, state: tuple) -> Any:
        """What its forecasts lost so far (`theory.forecast.Forecasts`), of a panel that makes any."""
        return None

    def vote_of(self, state: tuple) -> Any:
        """The mistakes of its vote so far (`theory.panel.VoteMistakes`), of a panel that predicts by its forecast."""
        return None

    def votes_before(self, state: tuple) -> int:
        """How many mistakes its vote made before this state; 0 where no vote is counted beside the label."""
        vote = self.vote_of(state)
        return 0 if vote is None else vote.mistakes

    def silent(self) -> Learner:
        """The same without forecasts that decide nothing, for whoever asks for votes alone."""
        return self

    def chosen(self, state: tuple, name: str | None = None) -> tuple[str, Learner, tuple]:
        """The named one of those that sit on it, or the most trusted, with its own state."""
        raise LittlestoneError(f"{self.name} has no members; ls.panel() has")

    def start(self, state: tuple | None = None, *, ledger: bool | int = True, labels: Any = None, **columns: Any) -> Any:
        """A model that learns one event at a time; without a ledger it forgets which rounds it learned from.

        A number in place of True says how many features the rows of the ledger hold at most, before it is cut. `labels` are those that may
        come, the negative one first; "any" lets all in. Of more than two a panel makes a model of several classes. In events that are dicts
        a date is read as time, and a text of four words or more as words; `text`, `time`, `categorical`, `numeric` and `ignore` name keys
        that are read so whatever they hold, and `ngrams` and `chars` are those of the texts.
        """
        model = above("BinaryModel")(self, state, ledger=ledger)
        if state is None or columns:
            model.reading = reading_of_events(columns, presence=self.domain != "real")
        if labels is None:
            return model
        many = len(model.with_labels(labels).reading["labels"] or ()) > 2
        require(not many or hasattr(self, "widens"), f"labels={labels!r}: {self.name} tells two labels apart; ls.panel() takes more")
        return model.widened().with_labels(labels) if many else model


HASHED = "--bits B (bits=) hashes features to 2^B columns"


def too_large(largest: int) -> str:
    why = "for a state has a place for each up to the largest"
    more = "--largest-index N (largest_index=), or n= of the learner, allows more"
    return f"expected an index of at most {largest}, {why}; {HASHED}, and {more}"


def out_of_range(top: int, n: int) -> str:
    """What to say when n features are declared and index `top` turns up (n itself together with index 0)."""
    if top == n:
        return f"index 0 and index {n} are one too many: n={n} features are numbered 0 to {n - 1}, or 1 to {n}"
    return f"feature index {top} is out of range: n={n} features are numbered 0 to {n - 1}, or 1 to {n}; n left out is counted"


def fields(state: tuple) -> list[str]:
    """The names of the arrays of a state; their numbers where they have no names."""
    return list(getattr(state, "_fields", map(str, range(len(state)))))


def copied(state: tuple) -> tuple:
    """A state of its own: same type, copied arrays."""
    return like(state, [a.copy() for a in state])


def state_of_arrays(learner: Learner, arrays: Iterable[np.ndarray]) -> tuple:
    """A state of these arrays, which came from another process, in memory of its own."""
    return like(learner.init(1), [array.copy() for array in arrays])


def like(state: tuple, arrays: list[np.ndarray]) -> tuple:
    return type(state)(*arrays) if hasattr(state, "_fields") else tuple(arrays)
