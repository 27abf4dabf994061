"""A ledger played again: all of it, up to a round, or without one."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.models.compare import changed, changes_in_words, named_weights, shortened
from littlestone.protocol import Ledger, Model
from littlestone.protocol.ledger import LedgerStart


@dataclass(frozen=True)
class Forgotten:
    """A model without a round, and what that changes."""

    model: Any
    round: int
    taught: bool  # was it in the ledger at all?
    weights: dict[str | int, tuple[float, float]]  # by feature: before, after
    otherwise: list[int]  # rounds of the ledger, or of the stream, that are now predicted otherwise
    unlearned: list[int]  # rounds of the ledger that now teach nothing

    def __repr__(self) -> str:
        if not self.taught:
            return f"without round {self.round}: nothing changes, it taught nothing"
        lines = changes_in_words(self.weights, "weights change", 5) or ["no weight changes"]
        lines.append(
            f"{len(self.otherwise):,} later rounds are predicted otherwise{': ' * bool(self.otherwise)}{shortened(self.otherwise)}"
        )
        return f"without round {self.round}:\n  " + "\n  ".join(lines)

    def as_json(self) -> dict[str, Any]:
        """All of it in numbers and text, but for the model itself, of which it has the counts."""
        counts = {"rounds": self.model.rounds, "mistakes": self.model.mistakes, "unlabelled": self.model.unlabelled}
        weights = {str(name): list(pair) for name, pair in self.weights.items()}
        lists = {"otherwise": self.otherwise, "unlearned": self.unlearned}
        return {"round": self.round, "taught": self.taught, **counts, "weights": weights, **lists}


def replay(model: Model) -> Any:
    """The same model made afresh, from its ledger alone; refused where the ledger makes another one."""
    kept = _ledger(model)
    again, predictions, _ = _played(model, kept)
    wrong = np.flatnonzero(predictions != kept.predictions)
    if len(wrong):
        number, was, now = (array[wrong[0]].item() for array in (kept.rounds, kept.predictions, predictions))
        why = f"round {number} of the ledger was predicted {was}, and replayed {now}"
        raise LittlestoneError(f"{why}: this ledger is not that of this learner")
    require(model.learner.alike(again.state, model.state), "the ledger makes another state than the one that is kept")
    again.ledger, again.accounts = kept.copy(), model.accounts
    again.rounds, again.mistakes, again.unlabelled = model.rounds, model.mistakes, model.unlabelled
    return again


def rollback(model: Model, round: int) -> Any:
    """The model as it stood after a round. (The columns that names of features have been given stay given.)"""
    kept = _ledger(model)
    begins = _beginning(kept)
    check_round(model, round, 0)
    require(round >= begins.round, f"round={round}: {CUT.format(begins.round)}")
    part = kept.part(kept.rounds <= round, upto=round)
    again, _, _ = _played(model, part)
    again.ledger, again.mistakes = part, begins.mistakes + int(part.mistakes.sum())
    again.unlabelled = begins.unlabelled + len(part.unlabelled)
    again.rounds = round - again.unlabelled
    return again


def forget(model: Model, round: int) -> Forgotten:
    """The model learned from the ledger as if that round had had no label, and what it changes."""
    kept = _ledger(model)
    begins = _beginning(kept)
    check_round(model, round, 1)
    require(round > begins.round, f"round={round}: {CUT.format(begins.round)}")
    place = kept.find(round)
    part = kept.part(np.arange(len(kept)) != place)
    part.silence(round)
    again, predictions, updates = _played(model, part)
    wrong = predictions != part.labels
    left = part.part(updates | wrong)
    left.predictions[:] = predictions[updates | wrong]
    again.ledger, again.mistakes = _numbered_for(model, again, left), begins.mistakes + int(wrong.sum())
    again.unlabelled = begins.unlabelled + len(left.unlabelled)
    again.rounds = model.rows - again.unlabelled
    return Forgotten(
        model=again,
        round=round,
        taught=place >= 0,
        weights=changed(named_weights(model), named_weights(again)),
        otherwise=part.rounds[predictions != part.predictions].tolist(),
        unlearned=part.rounds[~(updates | wrong)].tolist(),
    )


CUT = "the ledger was cut, and begins after round {:,}: rounds up to it are not kept; give the whole stream (stream=, --stream)"


def _beginning(ledger: Ledger) -> LedgerStart:
    return ledger.snapshot or LedgerStart(0, 0, 0, 0, None, np.empty(0, np.uint32))


def _ledger(model: Model) -> Ledger:
    learner = model.learner
    rule = model.kind == "advice"
    if rule or learner.updates_on == "always":
        why = "weighs its experts" if rule else "updates"
        raise LittlestoneError(
            f"{learner!r} {why} on every round and keeps no ledger: its model refers to the whole stream; "
            "give that again (stream=, --stream)"
        )
    if model.ledger is None:
        raise LittlestoneError(
            f"this model of {learner!r} has no ledger: it began from a state whose rounds are not known, was told to keep none, or learned "
            "from labels that came late; "
            "give its whole stream (stream=, --stream)"
        )
    return model.ledger


def _numbered_for(before: Any, after: Any, ledger: Ledger) -> Ledger:
    """The ledger with the classes numbered as the second model has them; of two classes it is the same."""
    if ledger.several:
        new = np.array([*(after.classes.get(label, -1) for label in before.classes), -1], np.int32)
        ledger.labels[:], ledger.predictions[:] = new[ledger.labels], new[ledger.predictions]
    return ledger


def check_round(model: Model, round: Any, least: int) -> None:
    whole = isinstance(round, int | np.integer) and not isinstance(round, bool)
    require(
        whole and least <= round <= model.rows, f"round={round!r} must be a whole number from {least} to {model.rows}, the rounds so far"
    )


def _played(model: Any, ledger: Ledger) -> tuple[Any, np.ndarray, np.ndarray]:
    """A model of the same learner and features made by the rounds of a ledger; what it predicted, and where it updated.

    Classes are numbered anew: without a round another one may be the first to appear. Predictions are told by the old numbers.
    """
    blank, block = model.at(ledger.snapshot), ledger.block()
    runner = blank.runner()
    runner.ledger = None
    updates = np.zeros(len(block), np.bool_)
    if not ledger.several:
        predictions = runner.take(block, None, updates) if len(block) else updates.copy()
    else:
        labels = list(model.classes)
        appeared = dict.fromkeys([*range(len(blank.classes)), *block.labels.tolist()])
        old = np.array([*appeared, -1], np.int32)  # by the new numbers; the last is "nothing predicted"
        new = np.zeros(len(labels) + 1, np.int32)
        new[old[:-1]] = np.arange(len(old) - 1)
        for c in old[:-1].tolist():
            runner.classes.code(labels[c])
        codes = runner.take(replace(block, labels=new[block.labels]), None, updates) if len(block) else np.empty(0, np.int32)
        predictions = old[codes]
    again = Model.of(runner, blank)
    again.accounts = None  # those of the rounds in the ledger are not those of all
    return again, predictions, updates
