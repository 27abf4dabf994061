"""Plays rounds of advice through a rule, as a `Runner` plays rounds of features through a learner."""

from collections.abc import Callable
from copy import copy
from math import fsum
from typing import Any, Self

import numpy as np

from littlestone.kernels import native
from littlestone.protocol.advice import Advice, AdviceRun, AdviceRunner, Rule
from littlestone.protocol.learner import copied


class RuleRunner:
    """Plays Advice, and keeps what a run is made of: truths, mixtures, choices and predictions.

    Results do not depend on how rounds are cut.
    """

    prediction_type = np.int32
    stopped = False  # will no more rounds be taken?
    largest_value = 1.0  # what experts lose is known to lie between 0 and 1
    makes = "AdviceModel"
    ledger, counted, rows_before = None, False, 0  # a rule learns from every round, and has no features

    def __init__(self, rule: Rule, n: int, *, state: tuple | None = None, counting: bool = False, naming: bool = False) -> None:
        self.engine = AdviceRunner(rule, n, state=state, counting=counting, naming=naming)
        self.parts: list[tuple[np.ndarray, ...]] = []  # truths, mixtures, choices, predictions; block by block
        self.rounds = self.unlabelled = self.mistakes = 0
        self.lost, self.added = 0.0, 0  # what was lost in so many of the parts
        self.tossed = self.engine.first  # coins so far: they go on where an earlier run stopped
        self.scale = 1.0  # of a rule that is told forecasts, what their losses are divided by
        self.served: list[np.ndarray] = []  # the rule's own forecasts, where experts make forecasts, until somebody takes them

    @property
    def learner(self) -> Rule:
        return self.engine.rule

    @property
    def rows(self) -> int:
        """Rounds with a truth or without."""
        return self.rounds + self.unlabelled

    @property
    def loss(self) -> float:
        """What was lost so far, added up exactly block by block, once somebody asks."""
        for truth, mix, *_ in self.parts[self.added :]:
            self.lost += fsum(np.abs(mix - truth)[truth >= 0].tolist())
        self.added = len(self.parts)
        return self.lost

    @property
    def state(self) -> Any:
        return self.engine.state

    def accounts(self) -> None:
        """None: what its bounds need are the rounds themselves."""

    @property
    def resumed(self) -> bool:
        return self.engine.resumed

    def copy(self) -> Self:
        """A runner of its own that stands where this one does."""
        other = copy(self)
        other.engine, other.parts, other.served = copy(self.engine), self.parts.copy(), self.served.copy()
        other.engine.state = copied(self.engine.state)
        if self.engine.losses is not None:
            other.engine.losses = self.engine.losses.copy()
        return other

    def rewind(self) -> None:
        """A copy shares nothing with the runner it was made of."""

    def answer(self, row: Advice) -> int:
        """Of a row that cannot be learned from, nothing is said."""
        return -1

    def in_labels(self, predictions: np.ndarray) -> np.ndarray:
        return predictions

    def scores_for(self, rows: int) -> np.ndarray:
        return np.empty(rows)

    def admit(self, advice: Advice) -> Advice:
        return advice

    def finish(self) -> None:
        """The stream has ended."""

    def take(self, advice: Advice, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play some rounds: the predictions, or of losses the expert that was followed (-1 where nobody was)."""
        mix, choices = self._weighed(advice)
        predictions = self._decided(advice, mix, choices)
        if scores is not None:
            scores[:] = mix
        if updates is not None:
            updates[:] = advice.truth >= 0
        self._keep(advice, mix, choices, predictions)
        return predictions

    def foresee(self, row: Advice) -> tuple[int, float, np.ndarray]:
        """The prediction for a round, the mixture behind it, and the choice; nothing changes."""
        mix, choices = self._weighed(row.labelled(-1))
        decided = int(self._decided(row.labelled(0), mix, choices)[0])
        self.tossed += int(row.truth[0] >= 0 or row.ids is not None)  # every round that will be learned from has a coin of its own
        return decided, float(mix[0]), choices

    def learn(self, row: Advice, yhat: int, memo: Any = None) -> bool:
        """Learn the truth of a round; the caller records it."""
        self.engine.take(row)
        return True

    def record(self, advice: Advice, predictions: np.ndarray, scores: np.ndarray) -> None:
        """Count rounds whose truths came late: what was served was made of these mixtures."""
        self._keep(advice, scores, np.empty(0, np.int32), predictions, tossed=False)

    def forecasts(self) -> np.ndarray | None:
        """The rule's own forecasts since somebody asked; None where experts make none."""
        served, self.served = self.served, []
        return np.concatenate(served) if served else None

    def _weighed(self, advice: Advice) -> tuple[np.ndarray, np.ndarray]:
        """The mixtures and choices. A rule's own forecast is the weighted mean of the experts'.

        The pass gives weighted means of rows, and a row without a truth changes nothing: so a round of forecasts is played twice,
        once as forecasts, shifted and scaled to [0, 1], and once as losses.
        """
        if self.learner.gradient:
            self.scale = advice.scale  # of others' state: losses came to it divided already
            mix, choices = self.engine.take(advice)
            self.served.append(self.engine.own)
            return mix, choices
        if advice.forecasts is None or self.learner.advice != "loss" or self.engine.named:
            return self.engine.take(advice)
        low, wide, both = twice(advice, advice.forecasts)
        mix, choices = self.engine.take(both)
        self.served.append(np.where(np.isnan(advice.table).all(axis=1), np.nan, low + mix[0::2] * wide))
        return np.ascontiguousarray(mix[1::2]), choices

    def _decided(self, advice: Advice, mix: np.ndarray, choices: np.ndarray) -> np.ndarray:
        rule = self.learner
        if rule.advice == "loss":
            return choices if len(choices) == len(advice) else np.full(len(advice), -1, np.int32)
        share = mix
        if rule.bandit:
            share = np.where(choices >= 0, advice.table[np.arange(len(advice)), choices], 0.5)
        if not rule.coin:
            return (mix >= 0.5).astype(np.int32)
        heads, labelled = np.empty(len(mix)), advice.truth >= 0
        native.core.coins(rule.coin, self.tossed + np.cumsum(labelled) - labelled, heads)
        return (heads < share).astype(np.int32)

    def _keep(self, advice: Advice, mix: np.ndarray, choices: np.ndarray, predictions: np.ndarray, *, tossed: bool = True) -> None:
        truth = advice.truth
        known = truth >= 0
        labelled = int(known.sum())
        self.rounds += labelled
        self.unlabelled += len(truth) - labelled
        self.tossed += labelled if tossed else 0
        if self.learner.advice != "loss":
            self.mistakes += int(((predictions != truth) & known).sum())
        self.parts.append((truth, mix, choices, predictions))

    def run(
        self,
        predictions: np.ndarray | None = None,
        seconds: float = 0.0,
        measure: Any = None,
        invariants_checked: int = 0,
        scores: np.ndarray | None = None,
        updates: np.ndarray | None = None,
        lent: bool = False,
        again: Callable | None = None,
    ) -> AdviceRun:
        """What has been played, as a value; `again` gives the advice once more."""
        truth, mix, choices, decided = self._joined()
        engine = self.engine
        return AdviceRun(
            rule=engine.rule,
            state=copied(engine.state),
            mix=mix,
            truth=truth,
            predictions=None if engine.rule.advice == "loss" else decided == 1,
            followed=choices if engine.named else None,
            counted=engine.state.losses.copy() if hasattr(engine.state, "losses") else engine.losses,
            slept=bool(engine.state.z[1]),
            again=again,
            resumed=engine.resumed,
            scale=self.scale,
            seconds=seconds,
        )

    def _joined(self) -> list[np.ndarray]:
        """All parts, in one array each; the parts lie in these from now on, so that nothing of a round is there twice."""
        lengths, joined = [[len(array) for array in part] for part in self.parts], []
        for k, kind in enumerate((np.int32, np.float64, np.int32, np.int32)):
            whole, ends = np.concatenate([np.empty(0, kind), *(part[k] for part in self.parts)]), np.cumsum([0, *(n[k] for n in lengths)])
            for j, part in enumerate(self.parts):
                self.parts[j] = (*part[:k], whole[ends[j] : ends[j + 1]], *part[k + 1 :])
            joined.append(whole)
        return joined


def twice(advice: Advice, forecasts: np.ndarray) -> tuple[np.ndarray, np.ndarray, Advice]:
    """Each round as forecasts, from the least (0) to the largest (1) of the round, without a truth; and then as it is."""
    low, wide = np.empty(len(advice)), np.empty(len(advice))
    native.core.spans(forecasts, low, wide)
    table = np.empty((2 * len(advice), forecasts.shape[1]), np.float32)
    table[0::2] = np.minimum((forecasts - low[:, None]) / np.where(wide > 0, wide, 1.0)[:, None], 1.0)
    table[1::2] = advice.table
    truth = np.full(2 * len(advice), -1, np.int32)
    truth[1::2] = advice.truth
    return low, wide, Advice(table, truth, advice.first_round)
