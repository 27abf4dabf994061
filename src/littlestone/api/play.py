"""`play`: takes whatever the user has, makes Blocks of it, and plays them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.api.play_advice import play_advice
from littlestone.api.play_classes import play_classes, watched
from littlestone.errors import LittlestoneError, require
from littlestone.kernels import rows
from littlestone.protocol import Block, ClassLearner, FeatureMap, Guard, Learner, Ledger, Model, Rule, Runner
from littlestone.protocol.block import ROWS
from littlestone.protocol.learner import copied
from littlestone.protocol.metrics import Marks
from littlestone.protocol.run import refuse_broken
from littlestone.streams import Stream
from littlestone.streams.instances import Names, as_played, source_of, streamed, two_labels_of, weighing, weights_of_two
from littlestone.theory import Moment


def play(
    learner: Learner | ClassLearner | Rule | Model,
    X: Any,
    y: Any = None,
    *,
    boolean: bool = False,
    check_invariants: bool = False,
    witness: Any = None,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    scores: bool = False,
    assume: str | None = None,
    alarm: str | None = None,
    ledger: bool = False,
    block_rows: int = ROWS,
) -> Any:
    """Play a learner over a stream, predicting each round before its label is told.

    X is a scipy sparse matrix, a dense array, a frame, a list of dicts or of sets, Blocks, or `open_stream(path)`; y has one label a round
    (True and False, 1 and 0, +1 and -1; None or NaN where there is none), and is left out when X carries the labels. `boolean` takes
    presence for value. With `check_invariants` the lemmas behind the learner's bounds are checked, exactly, after every update; those that
    speak of a target need `witness`: the set of relevant features, or a weight for each feature.

    `sample_weight` has a number for each round, `class_weight` one for each label ({True: 5} or {1: 5, 0: 1}); a round whose weight is c
    then counts and teaches c times, where the learner can honour that. `scores` keeps each round's score in `run.scores`.

    With `ledger` the run leaves a model in `run.model`, with the rounds it was made from. A model in the learner's place goes on from where
    it stands, and is itself left as it is: `run.model` is what never having stopped would have made, and the run counts all its rounds.

    `alarm` watches what `assume` declares ("disjunction:r=5"), and is raised at the first round that proves it false: "stop" ends the run
    there, "report" goes on, "restart" goes on with a fresh state, and gives one run a segment. See docs/alarm.md.

    What comes back is a `Run`. A learner of several classes takes labels of any one kind and gives a `ClassRun`.
    """
    require(alarm is not None or assume is None, "assume goes with alarm='stop', 'report' or 'restart'; run.bounds(assume) needs no alarm")
    if isinstance(learner, Rule):
        require(alarm is None, f"{learner.name} takes advice, and has no alarm: run.losses tells what each expert lost")
        given = sample_weight is not None or class_weight is not None or check_invariants or witness is not None or scores or ledger
        require(not given, f"{learner.name} takes advice and truths alone: no weights, no witness, no scores, no ledger")
        return play_advice(learner, X, y)
    X = streamed(X, y)
    if isinstance(learner, ClassLearner):
        given = check_invariants or witness is not None or scores or ledger
        require(not given, f"{learner.name} has no invariants, no scores and no ledger to keep")
        return play_classes(learner, X, y, boolean, sample_weight, class_weight, block_rows, assume, alarm)
    model, learner = (learner, learner.learner) if isinstance(learner, Model) else (None, learner)
    keeping = ledger or model is not None
    require(alarm is None or not keeping, "an alarm keeps no ledger, and begins with a learner, not with a model; leave one of them out")
    require(isinstance(learner, Learner), f"play takes a learner first, such as ls.perceptron(); got {learner!r}")
    require(block_rows >= 1, f"block_rows={block_rows!r} must be at least 1")
    counted = isinstance(X, Stream) and learner.needs_n and learner.n is None
    if counted:
        learner = learner.sized(X.count_features())
    features = FeatureMap() if model is None else FeatureMap(model.features)
    known = Names(features, None) if model is None else Names(features, model.named, model.reading)
    source = source_of(X, y, block_rows, two_labels_of, known)

    weigh = weighing(sample_weight, weights_of_two(class_weight))

    def blocks() -> Iterator[Block]:
        return as_played(source, boolean, weigh)

    if model is not None:
        runner = model.runner(source.columns)
    else:
        kept = Ledger() if ledger and learner.updates_on != "always" else None
        runner = Runner(
            learner,
            columns=source.columns,
            measuring=not source.again or keeping,
            counted=counted,
            ledger=kept,
            marks=Marks() if scores else None,
        )
    watch = Watch(runner, witness) if check_invariants else None
    require(not scores or learner.kernels.score is not None, f"{learner.name} predicts without a score")
    if alarm is not None:
        require(not check_invariants, "check_invariants plays by the definition, and raises no alarm; leave one of them out")
        return watched(Guard(learner, assume, alarm, columns=source.columns, counted=counted), blocks(), scores)
    predictions: list[np.ndarray] = []
    scored: list[np.ndarray] = []
    updated: list[np.ndarray] = []
    telling = learner.updates_on == "margin"
    begun = perf_counter()
    for block in blocks():
        if scores:
            scored.append(np.empty(len(block)))
        if telling:
            updated.append(np.zeros(len(block), np.bool_))
        played = (block, scored[-1] if scores else None, updated[-1] if telling else None)
        predictions.append(watch.take(*played) if watch else runner.take(*played))
    seconds = perf_counter() - begun
    together = np.concatenate(predictions) if predictions else np.empty(0, np.bool_)

    def measure() -> np.ndarray:
        lengths, start = np.zeros(4), 0
        for block in blocks():
            rows.measure(block.indptr, block.values, block.labels, block.weights, together[start : start + len(block)], lengths)
            start += len(block)
        return lengths

    marks = (np.concatenate(scored) if scored else np.empty(0)) if scores else None
    where = (np.concatenate(updated) if updated else np.empty(0, np.bool_)) if telling else None
    run = runner.run(together, seconds, measure if source.again and not keeping else None, watch.checked if watch else 0, marks, where)
    if not keeping:
        return run
    if isinstance(X, Stream) and X.names is not None:
        for name in X.names:
            features[name]
    made = _model(runner, model, features)
    if isinstance(X, Stream):
        made.reading = X.reading.as_json()
    return replace(run, model=made)


def _model(runner: Runner, before: Model | None, features: FeatureMap) -> Model:
    """What the runner has made, with the names of the features it has met."""
    made = Model.of(runner, before)
    made.features = features
    made.named = True if features else False if made.named is None and runner.top >= 0 else made.named
    return made


class Watch:
    """Plays by the definition, and checks after every update the lemmas that the learner's proofs rest on."""

    def __init__(self, runner: Runner, witness: Any) -> None:
        self.runner = runner
        self.witness = _witness(witness)
        self.checked = 0
        self.promotions = self.demotions = self.errors = 0
        self.sum_squares = self.margins = self.weights = self.squared_weights = Fraction(0)
        self.largest = Fraction(0)
        self.inner = getattr(runner.learner, "inner", None)  # of a learner that is told of its mistakes alone, the one inside
        self.fed = copied(runner.state)

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        runner, learner = self.runner, self.runner.learner
        block = runner.admit(block)
        predictions, taught = np.empty(len(block), np.bool_), np.zeros(len(block), np.bool_)
        for t, (indices, values, y) in enumerate(block.rounds()):
            if scores is not None:
                scores[t] = learner.score(runner.state, indices, values)
            predictions[t] = yhat = learner.predict(runner.state, indices, values)
            if y < 0:
                continue
            before = runner.state
            weight = 1.0 if block.weights is None else float(block.weights[t])
            after, updated = learner.step(before, indices, values, y == 1, yhat, weight)
            if learner.broken is not None and learner.broken(after):
                runner.record(block.cut(0, t), predictions[:t], taught[:t])
                refuse_broken(learner, after, block, t)
            runner.state = after
            taught[t] = updated
            if updates is not None:
                updates[t] = updated
            if yhat != y or self._changed(before, after):
                self._note(indices, values, y == 1, Fraction(weight))
                self._feed(block, t, yhat, weight)
                self._check(block.first_round + t + 1)
        runner.record(block, predictions, taught, scores)
        return predictions

    def _feed(self, block: Block, t: int, yhat: bool, weight: float) -> None:
        """The invariant of a conservative learner, S'_t = S_{m(t)+1}: the learner inside, fed the mistakes alone, errs on each of them."""
        if self.inner is None:
            return
        inner, room = self.inner, self.runner.room
        state = inner.grown(self.fed, room) if inner.room_of(self.fed) < room else self.fed
        row = slice(block.indptr[t], block.indptr[t + 1])
        x, y = (block.indices[row], None if block.values is None else block.values[row]), bool(block.labels[t] == 1)
        says = inner.predict(state, *x)
        self.fed = inner.step(state, *x, y, says, weight)[0]
        self.checked += 1
        same = all(map(np.array_equal, inner.trimmed(self.fed, room), inner.trimmed(self.runner.state, room)))
        if says == y or says != yhat or not same:
            raise LittlestoneError(
                f"{block.round(t)}: {self.runner.learner!r} is not {inner.name} on its mistakes alone: the states differ after this one"
            )

    def _changed(self, before: tuple, after: tuple) -> bool:
        """Did the round teach anything? Arrays that only keep accounts do not tell."""
        names = getattr(after, "_fields", range(len(after)))
        ledger = self.runner.learner.ledger
        return any(name not in ledger and not np.array_equal(a, b) for name, a, b in zip(names, before, after, strict=True))

    def _note(self, indices: np.ndarray, values: np.ndarray | None, y: bool, c: Fraction) -> None:
        x = (
            {int(i): Fraction(1) for i in indices}
            if values is None
            else {int(i): Fraction(float(v)) for i, v in zip(indices, values, strict=True)}
        )
        self.promotions += y
        self.demotions += not y
        self.weights += c
        self.squared_weights += c * c
        self.sum_squares += c * c * sum((v * v for v in x.values()), Fraction(0))
        self.largest = max([self.largest, *(abs(v) for v in x.values())])
        if self.witness is not None:
            dot = sum((v * self.witness.get(i, Fraction(0)) for i, v in x.items()), Fraction(0))
            bias = Fraction(self.runner.learner.settings.get("bias") or 0) * self.witness.get(-1, Fraction(0))
            self.margins += c * (dot + bias) * (1 if y else -1)
            active = sum(i in self.witness for i in x)
            self.errors += (active == 0) if y else active

    def moment(self) -> Moment:
        """Where the run stands, exactly."""
        runner, learner = self.runner, self.runner.learner
        fresh = learner.init(runner.room)
        names = getattr(runner.state, "_fields", tuple(map(str, range(len(runner.state)))))
        state = {}
        for name, array, untouched in zip(names, runner.state, fresh, strict=True):
            (where,) = np.nonzero(array != untouched if len(array) == len(untouched) else array)
            state[name] = {int(i): Fraction(array[i].item()) for i in where}
        exact = learner.arithmetic != "float" or (learner.exact_when is not None and runner.whole and not runner.weighted)
        return Moment(
            settings={**learner.settings, "n_seen": learner.n or runner.top + 1, "X": self.largest or Fraction(1)},
            state=state,
            promotions=self.promotions,
            demotions=self.demotions,
            sum_squares=self.sum_squares,
            witness=self.witness,
            margins=self.margins,
            weights=self.weights,
            squared_weights=self.squared_weights,
            errors=self.errors,
            slack=Fraction(0) if exact else Fraction(1, 2**30),
        )

    def _check(self, round_number: int) -> None:
        learner, moment = self.runner.learner, self.moment()
        for lemma in learner.invariants:
            if lemma.needs_witness and self.witness is None:
                continue
            left, right = lemma.sides(moment)
            self.checked += 1
            if left > right:
                raise LittlestoneError(
                    f"round {round_number}: {learner.name} breaks its invariant {lemma.name!r}, {lemma.statement}: "
                    f"the left side is {float(left):g}, the right side {float(right):g}"
                )


def _witness(given: Any) -> dict[int, Fraction] | None:
    """A target as {feature: weight}: from a set of features, a mapping, or a weight for each column (bias last: key -1)."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {int(i): Fraction(v) if not isinstance(v, np.generic) else Fraction(v.item()) for i, v in given.items()}
    if isinstance(given, set | frozenset):
        return {int(i): Fraction(1) for i in given}
    try:
        return {i: Fraction(float(v)) for i, v in enumerate(given) if v}
    except (TypeError, ValueError, OverflowError):
        raise LittlestoneError(f"witness={given!r}: expected a set of features, {{feature: weight}}, or a weight for each column") from None
