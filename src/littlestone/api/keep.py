"""`keep`: of all hypotheses of a run the one with the smallest proved limit on its error, frozen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np

from littlestone.api.observers import Observer, Taken
from littlestone.api.play import play
from littlestone.api.predict import Predictor
from littlestone.api.tested_stream import TestedStream, digest_of, stated_learner
from littlestone.errors import require
from littlestone.games.batch import interval
from littlestone.protocol import ClassLearner, Learner
from littlestone.theory import frozen
from littlestone.theory.anytime import chance_of
from littlestone.theory.frozen import ErrorCertificate
from littlestone.theory.kept_hypothesis import CANDIDATES, kept_limit

HELD = 6  # candidates that are tested at a time; each costs a prediction a round


@dataclass(frozen=True)
class KeptModel:
    """The model as it stood after row `candidate`, and how it did on the labelled rows after that.

    It errs on at most `upper` of fresh rows but for a chance of `delta`, if rounds are independent draws from one distribution, and
    nothing seen in the run decided its length.
    """

    model: Any
    candidate: int
    rounds: int
    mistakes: int
    upper: float
    delta: float
    certificate: ErrorCertificate = field(repr=False)
    run: Any = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        return dict(self.certificate.claim)


class Candidate:
    """A hypothesis as it stood after a row, and its mistakes since."""

    def __init__(self, row: int, model: Any) -> None:
        self.row, self.model = row, model
        self.predictor = Predictor(model)
        self.rounds = self.mistakes = 0
        self.wrong: list[np.ndarray] = []  # the rows of the mistakes

    def test(self, block: Any, first: int) -> None:
        """Predict rounds that it was not taught; the first of them is row `first`."""
        labelled = block.labels >= 0
        wrong = np.flatnonzero(labelled & (self.predictor.take(block) != block.labels))
        self.rounds += int(labelled.sum())
        self.mistakes += len(wrong)
        self.wrong.append(wrong + first)

    def outlook(self, price: float) -> float:
        """About the limit on its error, as far as it was tested; `price` is ln(1/chance)."""
        return (self.mistakes + price + sqrt(price * (price + 2 * self.mistakes))) / max(1, self.rounds)


class Candidates(Observer):
    """Freezes the hypotheses of a run after rows fixed beforehand, and tests each on the rows that follow."""

    def __init__(self, delta: Any, *, boolean: bool = False) -> None:
        self.delta, self.boolean = chance_of(delta), boolean
        self.price = log(len(CANDIDATES) / float(self.delta))
        self.held: list[Candidate] = []
        self.rows = 0
        self.cut_short = False

    def begins(self, playing: Any) -> None:
        self.playing = playing
        self.stream = TestedStream(playing.rounds, boolean=self.boolean)

    def cut(self, block: Any) -> Iterator[Any]:
        """The block in pieces that end where a candidate is due."""
        ends = [row - self.rows for row in CANDIDATES if self.rows < row < self.rows + len(block)]
        for lo, hi in zip([0, *ends], [*ends, len(block)], strict=True):
            yield block.cut(lo, hi) if ends else block

    def after(self, taken: Taken) -> None:
        block = taken.block
        for candidate in self.held:
            candidate.test(block, self.rows + 1)
        self.stream.add(block, np.zeros(len(block), np.bool_))
        self.rows += len(block)
        if self.rows in CANDIDATES:
            if len(self.held) == HELD:
                self.held.remove(max(self.held, key=lambda candidate: candidate.outlook(self.price)))
            self.held.append(Candidate(self.rows, self.playing.model().copy()))

    def interrupted(self) -> bool:
        self.cut_short = True
        return False

    def kept(self, run: Any = None) -> KeptModel:
        """The candidate with the least limit."""
        require(not self.cut_short, "the run was interrupted: its length may hang on what was seen, and then nothing is certain of a model")
        tested = [candidate for candidate in self.held if candidate.rounds]
        require(tested, f"{self.rows} rows are too few to keep a model by: expected 3 or more, with labels")
        delta = float(self.delta)
        level = 1 - max(1e-15, 2 * delta / len(CANDIDATES))
        best = min(tested, key=lambda candidate: (interval(candidate.mistakes, candidate.rounds, level)[1], -candidate.row))
        upper = kept_limit(best.mistakes, best.rounds, self.delta)  # the same, rounded up
        claim = {"rounds": best.rounds, "mistakes": best.mistakes, "upper": upper, "candidate": best.row}
        certificate = frozen.sealed(
            "kept",
            model=digest_of(best.model),
            learner=stated_learner(best.model.learner),
            stream=self.stream.stated(),
            mistakes=np.concatenate(best.wrong).tolist(),
            claim={**claim, "candidates": len(CANDIDATES), "delta": delta},
        )
        return KeptModel(best.model, best.row, best.rounds, best.mistakes, upper, delta, certificate, run)


def keep(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    delta: Any = Fraction(1, 20),
    boolean: bool = False,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    observers: Sequence[Observer] = (),
) -> KeptModel:
    """Play a learner over independent rounds, and keep the hypothesis with the smallest limit that is proved but for a chance of `delta`.

    The number of rounds must be fixed before the first is played. Whoever plays more rounds until the limit pleases has looked at what the
    limit speaks of, and is given a false one more often than `delta` says.

    X and y are whatever `ls.play` takes; the learner is of two or several classes, a panel too. Hypotheses after rounds that are fixed
    beforehand (2, 4, 5, 8, 11, 16, ..., about √2 apart) are frozen and tested on the rounds after them; the least limit wins.

    >>> import numpy as np, littlestone as ls
    >>> X = (np.random.default_rng(1).random((3000, 8)) < 0.5).astype(float)
    >>> kept = ls.keep(ls.perceptron(bias=1), X, X[:, 0] + X[:, 1] > 0)
    >>> kept.candidate, kept.mistakes, kept.rounds, round(kept.upper, 4)
    (181, 0, 2819, 0.0025)
    >>> ls.verify(kept.certificate, X, X[:, 0] + X[:, 1] > 0, model=kept.model).status
    'verified'
    """
    require(isinstance(learner, Learner | ClassLearner), KINDS)
    candidates = Candidates(delta, boolean=boolean)
    weights = {"sample_weight": sample_weight, "class_weight": class_weight}
    run = play(learner, X, y, boolean=boolean, **weights, ledger=True, observers=[candidates, *observers])
    return candidates.kept(run)


KINDS = "keep takes a learner of two or several classes that begins afresh: not a rule over experts, and not a model"
