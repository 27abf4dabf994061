"""Lemmas checked while a run goes: the definition played round by round, and every inequality of the proofs held against it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.protocol.around import RunnerAround
from littlestone.protocol.block import Block
from littlestone.protocol.learner import copied
from littlestone.protocol.run import Runner, refuse_broken
from littlestone.theory import Moment


class CheckedRunner(RunnerAround):
    """A runner around a runner: plays by the definition, and checks after every update the lemmas that the learner's proofs rest on."""

    def __init__(self, runner: Runner, witness: Any) -> None:
        self.runner = runner
        self.witness = _witness(witness)
        self.checked = 0
        self.promotions = self.demotions = self.errors = 0
        self.sum_squares = self.margins = self.weights = self.squared_weights = Fraction(0)
        self.largest = Fraction(0)
        self.inner = getattr(runner.learner, "inner", None)  # of a learner that is told of its mistakes alone, the one inside
        self.fed = copied(runner.state)

    def run(self, *arguments: Any, **named: Any) -> Any:
        return replace(self.runner.run(*arguments, **named), invariants_checked=self.checked)

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
            where = np.flatnonzero(array != untouched if len(array) == len(untouched) else array)
            state[name] = {int(i): Fraction(array.flat[i].item()) for i in where}
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


def _witness(target: Any) -> dict[int, Fraction] | None:
    """A target as {feature: weight}: from a set of features, a mapping, or a weight for each column (bias last: key -1)."""
    if target is None:
        return None
    if isinstance(target, Mapping):
        return {int(i): Fraction(v) if not isinstance(v, np.generic) else Fraction(v.item()) for i, v in target.items()}
    if isinstance(target, set | frozenset):
        return {int(i): Fraction(1) for i in target}
    try:
        return {i: Fraction(float(v)) for i, v in enumerate(target) if v}
    except (TypeError, ValueError, OverflowError):
        raise LittlestoneError(
            f"witness={target!r}: expected a set of features, {{feature: weight}}, or a weight for each column"
        ) from None
