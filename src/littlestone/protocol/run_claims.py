"""What every kind of run leaves and can do: make a model, and hold its learner's theorems against what happened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.hooks import above
from littlestone.protocol.counts import WeighedLabels
from littlestone.protocol.metrics import chances
from littlestone.protocol.recent import Recent, WithRecent
from littlestone.theory import Claim
from littlestone.theory.claims import Known, first_declared, match
from littlestone.theory.delay import Delay
from littlestone.theory.risk import Risk, risk

if TYPE_CHECKING:
    from littlestone.protocol.alarm import Alarm


class RoundCounts(NamedTuple):
    """What was played now, of a run that goes on from a model."""

    rounds: int
    mistakes: int


class WithRisk:
    """What a run says of fresh examples, where its rounds were independent draws."""

    rounds: Any
    mistakes: Any
    passes: int
    earlier: Any  # of the model it went on from: its counts,
    opening: Any  # and its accounts, where it has any

    def risk(self, delta: float | str | Fraction = Fraction(1, 20)) -> Risk:
        """How often the hypotheses of this run err on fresh examples on average, from its mistakes alone, with probability at least 1-δ.

        It bounds the average of their risks, of no single one of them: a hypothesis drawn from them by a coin errs so seldom in
        expectation over that coin, and the one that was drawn, or the last, may be worse.

        It is true of any learner, provided that the rounds are independent draws from one distribution: that you declare by asking.

        >>> import littlestone as ls
        >>> run = ls.play(ls.perceptron(bias=0), [[1, 0], [0, 1]] * 500, [1, 0] * 500)
        >>> run.mistakes, round(run.risk(delta=0.01).average, 4), round(run.risk(delta=0.01).majority_vote, 4)
        (1, 0.01, 0.0199)
        """
        require(self.passes == 1, SEVERAL_PASSES)
        part = self.part  # no hypothesis had seen its draws; the model may have seen those of before in several passes
        return risk(part.mistakes, part.rounds, delta)

    @property
    def part(self) -> RoundCounts:
        """Its own rounds, and the mistakes in them: where it goes on from a model, `rounds` and `mistakes` may be of both."""
        if self.opening is None:
            return RoundCounts(self.rounds, self.mistakes)
        return RoundCounts(self.rounds - self.opening.rounds, self.mistakes - self.opening.mistakes)

    @property
    def total(self) -> RoundCounts:
        """All rounds there have been, with those of the model that it went on from, and the mistakes in them."""
        if self.opening is not None:
            return RoundCounts(self.rounds, self.mistakes)
        rounds, mistakes = self.part
        return RoundCounts(rounds + self.earlier.get("rounds", 0), mistakes + self.earlier.get("mistakes", 0))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunRecord(WithRisk, WithRecent, ABC):
    """What a run of any kind leaves."""

    state: Any  # a plain tuple of arrays, named where the learner names them
    resumed: bool = False  # did it begin from a state that other rounds had made?
    seconds: float = 0.0
    first_round: int = 0  # the row of its stream in which it began, counted from 0
    alarm: Alarm | None = None  # the round that proved a declared assumption false, where one was watched
    overlap: int = 0  # the most updates that came between a prediction and its label, where labels came late
    made: int = 0  # updates, where labels came late
    delay: int | None = None  # after how many rounds labels came, where they came late by number
    order: Any = None  # the rows in the order in which their labels came, where they came late
    passes: int = 1
    recent: Recent | None = None  # the labelled rounds and their predictions: all of them, or the last so many
    earlier: Mapping[str, int] = field(default_factory=dict)  # what the model it went on from had counted
    opening: Any = None  # the accounts of that model, where the counts of this run go on from them
    again: Callable[[], Iterable[Any]] | None = None  # the rounds once more, for what a second look tells; None where they came but once
    make_model: Callable[..., Any] | None = None  # make_model(ledger=False): what the rounds have made, with or without its ledger
    read_by: Any = None  # what was said of how its rows are read, by `ls.play`; None where that is not known
    make_frame: Callable[[Any], Any] | None = None  # make_frame(run): its rounds as a table, where they were kept

    @cached_property
    def model(self) -> Any:
        """What the rounds have made, to predict with, save and go on from: with the names of the features, and how the stream was read.

        It has a ledger where one was asked for (`ledger=True`).
        """
        return self._ended() if self.make_model is None else self.make_model()

    @property
    def hypothesis(self) -> Any:
        """The run's final hypothesis, as a model of its own that predicts, and may go on learning; its counts begin anew."""
        return (self._ended() if self.make_model is None else self.make_model(ledger=False)).uncounted().hypothesis

    def plot(self, kind: str = "", ax: Any = None, **looks: Any) -> Any:
        """A matplotlib figure of this run: "mistakes", "rate", "errors", "calibration", "roc", "confusion", of experts "loss", "regret" or
        "weights"; the first that it has where none is named. `ax` are axes of your own to draw on. See docs/reports.md."""
        return above("plot_run")(self, kind, ax, **looks)

    def _repr_html_(self) -> str:
        return above("run_html")(self)

    def to_frame(self) -> Any:
        """A row for each round: its number, its id, its label, what was predicted, and score and probability where they were kept
        (`scores=True`). It is a frame of the kind that came in (pandas, polars), else an Arrow table.

        Of several classes, score and probability are those of the label predicted; of a rule over experts the score is the share of a 1.

        >>> import littlestone as ls
        >>> run = ls.play(ls.perceptron(bias=0), [[1, 0], [0, 1], [1, 1]], ["tea", "coffee", None], scores=True)
        >>> for row in run.to_frame().to_pylist(): print(*row.values())
        1 None tea tea 0.0 None
        2 None coffee tea 0.0 None
        3 None None coffee -1.0 None
        """
        if self.make_frame is None:
            raise LittlestoneError("this run kept no rounds for a frame: play with predictions=True, and without an alarm")
        return self.make_frame(self)

    @abstractmethod
    def _ended(self) -> Any:
        """The learner with the state in which the run ended."""

    def with_reading(self, read_by: Any) -> RunRecord:
        """Return the run, which knows how its rows were read."""
        return replace(self, read_by=read_by)

    @property
    def columns_in_words(self) -> str:
        """What was made of each column of a table, or of each key of rows that are dicts, in one line; nothing of other rows."""
        return "" if self.read_by is None else self.read_by.in_words

    @property
    def segments(self) -> tuple:
        """The runs it is made of: itself, unless an alarm began a new one (`alarm="restart"`)."""
        return (self,)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeatureRun(RunRecord):
    """What a run over rows of features leaves, of two classes or of several; and its learner's theorems held against what happened."""

    learner: Any
    rounds: int
    unlabelled: int
    changes: int
    nonzeros: int
    width: int  # features: n where it is known, else one more than the largest index
    largest_value: float  # max|x_i| over all rounds
    widest_row: int
    whole: bool  # are all values whole numbers?
    weighted: bool = False  # did rounds carry weights?
    scores: Any = None  # an array of scores, where they were asked for
    votes_before: int = 0  # mistakes of a panel's vote in rounds that this run does not count
    weighed: WeighedLabels | None = None  # what the labels weigh, where rounds have weights

    @property
    def weighted_mistakes(self) -> Any:
        """The weights of the mistake rounds, added up; without weights, the mistakes. It is what a bound on a weighted run speaks of."""
        return self.mistakes

    @property
    def weighted_baselines(self) -> dict[str, float] | None:
        """What the mistakes of the rules of `baselines` weigh, where rounds have weights and all of them are known."""
        return self.weighed.baselines() if self.weighted and self.weighed is not None else None

    @property
    def forecasts(self) -> Any:
        """What the forecasts of a panel lost, beside each of its forecasters; `bounds` are its theorems.

        Where labels came late, it is of what the panel would have said right before each label; `metrics` is of what it said.
        """
        account = self.learner.forecasts_of(self.state)
        require(account is not None, f"{self.learner.name} makes no forecasts beside its predictions; ls.panel() does")
        return account

    @property
    def forecast_mistakes(self) -> int:
        """How often the likeliest label of a panel's forecast was wrong: at most Λ/ln 2. They are the mistakes where that is the label."""
        return self.mistakes if getattr(self.learner, "label_by", "") == "forecast" else self.forecasts.mistakes

    @property
    def vote_mistakes(self) -> int:
        """How often the weighted majority of a panel's votes was wrong; where labels came late, as it would have been when they came."""
        return votes_wrong(self) - self.votes_before

    @property
    def probabilities(self) -> np.ndarray:
        """What each round was given, where the learner gives any and scores were asked for: the probability of a 1, or of several classes
        that of the prediction."""
        require(self.learner.probabilities, f"{self.learner.name} gives no probabilities")
        require(self.scores is not None, "probabilities are made from scores: play with scores=True")
        return chances(self.scores)

    @property
    def arithmetic(self) -> str:
        """How the predictions were decided: exact, filtered (doubles, checked, exact where close) or float."""
        exact = self.learner.exact_when
        return "exact" if exact is not None and exact(self) else self.learner.arithmetic

    def bounds(self, assume: str | None = None) -> list[Claim]:
        """Every bound of the learner that this run's facts can evaluate; `assume` declares what you know beforehand.

        >>> import littlestone as ls
        >>> run = ls.play(ls.winnow(n=4), [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], [1, 1, 0])
        >>> [(claim.name, claim.observed, claim.limit, claim.holds) for claim in run.bounds("disjunction:r=1")]
        [('winnow-disjunction', 2, 5, True), ('winnow-disjunction-agnostic', 2, 7, True)]
        >>> run = ls.play(ls.multiclass_perceptron(), [[1, 0], [0, 1], [1, 0], [0, 1], [0, 1]], ["a", "b", "a", "b", "b"])
        >>> [(claim.name, claim.observed, claim.limit, claim.holds) for claim in run.bounds("margin:gamma=0.7,R=1")]
        [('multiclass-perceptron-margin', 3, 6, True), ('multiclass-perceptron-hinge', 3, 3, True)]
        """
        require(not self.resumed, RESUMED)
        return first_declared(match(self.known(), assume))

    def known(self) -> Known:
        """What this run gives the matcher of claims: its facts, and why they may say nothing."""
        if self.learner.known is not None:
            return self.learner.known(self)
        facts = dict(self.learner.facts(self)) if self.learner.facts else {}
        return Known(self.learner.name, self.learner.bounds, facts, self.weighted_mistakes, self.delayed)

    @property
    def delayed(self) -> Delay | None:
        """That labels came late, where they did; of a panel, where they might have: its certificate has its members play at once."""
        late = self.overlap or (self.order is not None and self.delay != 0 and self.learner.of_experts)
        return Delay(self.overlap, self.made, self.weighted) if late else None


def votes_wrong(played: Any) -> int:
    """Return the mistakes that the vote of a panel made in a run or a model."""
    label_by = getattr(played.learner, "label_by", None)
    require(label_by is not None, f"{played.learner.name} takes no vote; ls.panel() does")
    return played.mistakes if label_by == "vote" else played.learner.vote_of(played.state).mistakes


SEVERAL_PASSES = (
    "rounds of a second pass are no fresh draws, and say nothing of fresh examples: play one pass, "
    "or ask for a certificate with iid=, which counts the first one"
)
RESUMED = "this run went on from a state that earlier rounds had made; its bounds need those rounds too"
