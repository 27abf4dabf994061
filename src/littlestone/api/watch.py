"""`watch`: a frozen model on rows whose labels keep coming, and between which limits its error lies, at every round at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.api.inputs import labelled_by
from littlestone.api.model_rounds import opened, rounds_of
from littlestone.api.observers import Observer
from littlestone.api.play import loop
from littlestone.api.predict import Predictor, of_advice
from littlestone.api.tested_stream import TestedStream, digest_of
from littlestone.errors import require
from littlestone.protocol import AdviceModel, Block, Model
from littlestone.protocol.foreign import Foreign
from littlestone.streams.instances import TwoLabels
from littlestone.theory import frozen
from littlestone.theory.anytime import Crossing, chance_of, interval
from littlestone.theory.frozen import ErrorCertificate


@dataclass(frozen=True)
class Watch:
    """What the labels say of the model's error: `lower` ≤ error ≤ `upper`, and the first round at which it was surely above the limit.

    Rounds are those with a label, counted from 1.
    """

    rounds: int
    mistakes: int
    lower: float
    upper: float
    crossed_at: int | None
    delta: float
    limit: float | None
    certificate: ErrorCertificate | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("rounds", "mistakes", "lower", "upper", "crossed_at")}


class Tally:
    """Counts labelled rounds and mistakes as they come, and notes where the limit is crossed."""

    def __init__(self, delta: Any, limit: Any) -> None:
        self.delta = chance_of(delta)
        self.crossing = None if limit is None else Crossing(limit, self.delta)
        self.rounds = self.mistakes = 0
        self.crossed_at: int | None = None

    def add(self, labelled: np.ndarray, wrong: np.ndarray) -> None:
        """Some rounds: which have a label, and which of these the model got wrong."""
        numbers = np.cumsum(labelled) + self.rounds
        if self.crossing is not None and self.crossed_at is None:
            places = enumerate(numbers[wrong].tolist(), self.mistakes + 1)
            self.crossed_at = next((T for M, T in places if self.crossing.reached(M, T)), None)
        self.rounds += int(labelled.sum())
        self.mistakes += int(wrong.sum())

    def result(self) -> Watch:
        limit = None if self.crossing is None else float(self.crossing.limit)
        bounds = interval(self.mistakes, self.rounds, self.delta)
        return Watch(self.rounds, self.mistakes, *bounds, self.crossed_at, float(self.delta), limit)


class Watched(Predictor):
    """A runner that predicts, learns nothing, and holds each prediction against its label."""

    def __init__(self, model: Any, tally: Tally, stream: TestedStream | None, stop: bool) -> None:
        super().__init__(model)
        self.tally, self.stream, self.stop = tally, stream, stop

    @property
    def stopped(self) -> bool:  # type: ignore[override]
        return self.stop and self.tally.crossed_at is not None

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        codes = super().take(block, scores, updates)
        labelled = block.labels >= 0
        wrong = labelled & (codes != block.labels)
        self.tally.add(labelled, wrong)
        if self.stream is not None:
            self.stream.add(block, wrong)
        return codes


def watch(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    delta: Any = Fraction(1, 20),
    limit: Any = None,
    boolean: bool = False,
    certificate: bool = False,
    stop: bool = False,
    observers: Sequence[Observer] = (),
) -> Watch:
    """Between which limits the error of a frozen model lies, but for a chance of `delta`; the model learns nothing.

    X and y are whatever `ls.play` takes, y the name of a column too. The limits are true after every round at once, so one may look as
    often as one likes, and stop when one likes. They speak of the average, over the rounds so far, of the chance to err that each round had
    given those before it. Where rounds are independent draws from one distribution, that is the model's error. `crossed_at` is the first
    round at which it was surely above `limit`; with `stop` the watch ends there. With `certificate` the result has one, for
    `ls.verify(certificate, X, y, model=model)`. A model of another library (`ls.from_sklearn(model)`, ...) takes its own rows, and predicts
    its own labels.

    >>> import littlestone as ls
    >>> model = ls.play(ls.perceptron(bias=0), [[1, 0], [0, 1]] * 5, [1, 0] * 5).hypothesis
    >>> ls.watch(model, [[1, 0], [0, 1]] * 200, [1, 0] * 150 + [0, 1] * 50, limit=0.1)
    Watch(rounds=400, mistakes=100, lower=0.17629938622485633, upper=0.3358036080266339, crossed_at=359, delta=0.05, limit=0.1)
    """
    tally = Tally(delta, limit)
    if isinstance(model, Foreign):
        require(not boolean and not certificate and not observers, f"{model.name}: {OF_ANOTHER_LIBRARY}")
        for labelled, wrong in answers_of_another_library(model, X, y, stop):
            tally.add(labelled, wrong)
            if stop and tally.crossed_at is not None:
                break
        return tally.result()
    require(isinstance(model, Model), f"watch takes a model first, such as run.hypothesis or ls.load(path); got {type(model).__name__}")
    if isinstance(model, AdviceModel):
        require(not boolean and not certificate, "boolean, certificate: a rule over experts takes advice, and these are of streams")
        for labelled, wrong in answers_to_advice(model, X, y):
            tally.add(labelled, wrong)
        return tally.result()
    if isinstance(y, str):
        X, y = labelled_by(opened(model, X), y)
    rounds = rounds_of(model, X, y, boolean=boolean)
    stream = TestedStream(rounds, boolean=boolean) if certificate else None
    loop(Watched(model, tally, stream, stop), rounds.blocks, observers)
    result = tally.result()
    if stream is None:
        return result
    claim = result.as_json() | {"delta": result.delta, "limit": result.limit}
    parts = {"model": digest_of(model), "learner": {"name": model.learner.name}, "stream": stream.stated(), "mistakes": stream.wrong}
    return replace(result, certificate=frozen.sealed("watch", **parts, claim=claim))


OF_ANOTHER_LIBRARY = (
    "the rows of a model of another library are its own affair, so that boolean= and observers= have no meaning, and there is no file "
    "of it that a certificate could name; leave them out"
)


def answers_of_another_library(model: Foreign, X: Any, y: Any, stop: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of rows that are the model's own affair: which have a label, and which of these it got wrong; row by row where a watch may stop."""
    require(y is not None, f"{model.name}: a watch needs y, a label for each row, as the model predicts them")
    answers, labels = model.answers(X), np.asarray(y)
    require(len(answers) == len(labels), f"{len(answers)} rows and {len(labels)} labels; expected one for each row")
    labelled = np.array([label is not None and label == label for label in labels.tolist()], np.bool_)
    wrong = labelled & (answers != labels)
    yield from ((labelled[t : t + 1], wrong[t : t + 1]) for t in range(len(labels))) if stop else [(labelled, wrong)]


def answers_to_advice(model: AdviceModel, X: Any, y: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of rows of advice: which have a truth, and which of these a rule got wrong that follows the weighted majority."""
    require(model.rule.advice != "loss", "the advice is losses: of mistakes there are none to watch")
    truths = None if y is None else TwoLabels(of_votes=True).of_rounds(y, len(X))
    start = 0
    for part in of_advice(model, X):
        truth = part.truth if truths is None else truths[start : start + len(part.truth)]
        start += len(part.truth)
        votes = part.predictions if model.rule.bandit or not model.rule.randomized else part.mix >= 0.5
        labelled = truth >= 0
        yield labelled, labelled & (votes != (truth == 1))
