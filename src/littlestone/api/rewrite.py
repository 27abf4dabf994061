"""A model made again: from its ledger, or from its stream where that is given, all of it, up to a round, or without the label of one."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from littlestone.api.model_rounds import rounds_of
from littlestone.api.play import Kept, loop
from littlestone.errors import LittlestoneError, require
from littlestone.models import rewrite
from littlestone.models.compare import changed, named_weights
from littlestone.models.rewrite import Forgotten, check_round
from littlestone.protocol import Advice, ClassMap, LateRunner, Model
from littlestone.protocol.labels import labels_as_array


def replay(model: Model, stream: Any = None, y: Any = None, **how: Any) -> Any:
    """The same model made afresh; refused where the ledger, or the stream, makes another one.

    >>> import littlestone as ls
    >>> X, y = [[1, 0], [0, 1], [1, 1]] * 5, [1, 0, 0] * 5
    >>> model = ls.play(ls.arow(), X, y, ledger=True).model
    >>> model.replay(stream=X, y=y).diff(model)
    the same: settings, counts, weights and rounds
    """
    if stream is None:
        return rewrite.replay(model)
    again, _ = _made(model, stream, y, how)
    _require_same(model, again)
    return again


def rollback(model: Model, round: int, stream: Any = None, y: Any = None, **how: Any) -> Any:
    """The model as it stood after a round."""
    if stream is None:
        return rewrite.rollback(model, round)
    check_round(model, round, 0)
    _require_same(model, _made(model, stream, y, how)[0])  # or what stood there then is that of another run
    again, predictions = _made(model, stream, y, how, until=int(round))
    require(len(predictions) == round, f"round={round!r}: the stream has only {len(predictions)} rounds")
    return again


def forget(model: Model, round: int, stream: Any = None, y: Any = None, **how: Any) -> Forgotten:
    """The model that would have been learned without the label of that round, and what it changes."""
    if stream is None:
        return rewrite.forget(model, round)
    check_round(model, round, 1)
    whole, before = _made(model, stream, y, how)
    _require_same(model, whole)
    again, after = _made(model, stream, y, how, without=int(round))
    lists = [set() if made.ledger is None else set(made.ledger.rounds.tolist()) for made in (whole, again)]
    labelled = again.rounds < whole.rounds
    return Forgotten(
        model=again,
        round=int(round),
        taught=labelled and (whole.ledger is None or round in lists[0]),
        weights=changed(named_weights(whole), named_weights(again)),
        otherwise=(np.flatnonzero(before != after) + 1).tolist(),
        unlearned=sorted(lists[0] - lists[1] - {int(round)}),
    )


def _require_same(model: Model, again: Model) -> None:
    counts = (again.rounds, again.unlabelled) == (model.rounds, model.unlabelled)
    why = f"the stream has {again.rounds:,} rounds with a label, and the model was made from {model.rounds:,}"
    require(counts, f"{why}: it is not the stream of this model")
    same = again.mistakes == model.mistakes and model.learner.alike(again.state, model.state)
    require(same, "the stream makes another state than the one that is kept: it is not the stream of this model, or was read otherwise")


def _made(model: Any, stream: Any, y: Any, how: dict, until: int | None = None, without: int | None = None) -> tuple[Any, np.ndarray]:
    """What the learner makes of a stream, as far as a round, or without the label of one; and what it predicted."""
    require(not (hasattr(stream, "is_file") and not stream.is_file), "a pipe can be read only once; expected files")
    choices = dict(how)
    passes, delay = choices.pop("passes", 1), choices.pop("delay", None)
    blank = model.blank()
    rounds = rounds_of(blank, stream, y, **choices)
    runner = blank.runner(rounds.columns)
    losses = model.kind == "advice" and model.rule.advice == "loss"
    kept = Kept(predictions=True, scores=losses, updates=False)

    def blocks() -> Iterator[Any]:
        every = chain.from_iterable(rounds.blocks() for _ in range(passes))
        for block in _altered(every, until, without):
            renumbered = None if rounds.classes is None else _renumbered(block.labels, rounds.classes, runner.classes)
            yield block if renumbered is None else replace(block, labels=renumbered)

    loop(runner if delay is None else LateRunner(runner, delay=delay), blocks, [kept], scored=losses)
    predictions = kept.joined("scores" if losses else "predictions", np.float64 if losses else np.int32)
    if rounds.classes is not None:
        predictions = labels_as_array(runner.classes)[predictions]
    return Model.of(runner, blank), predictions


def _altered(blocks: Iterator[Any], until: int | None, without: int | None) -> Iterator[Any]:
    """The blocks up to a round, and one of them without its label."""
    start = 0
    for block in blocks:
        stop = start + len(block)
        if until is not None and stop >= until:
            if until > start:
                yield block.cut(0, until - start)
            return
        if without is not None and start < without <= stop:
            block = _silenced(block, without - start - 1)
        yield block
        start = stop
    if without is not None and start < without:
        raise LittlestoneError(f"round={without}: the stream has only {start} rounds")


def _silenced(block: Any, t: int) -> Any:
    """The block with no label, or no truth, in that row."""
    name = "truth" if isinstance(block, Advice) else "labels"
    labels = getattr(block, name).copy()
    labels[t] = -1
    return replace(block, **{name: labels})


def _renumbered(codes: np.ndarray, old: ClassMap, new: ClassMap) -> np.ndarray:
    """The codes of labels in another map, where they are numbered in the order in which they appear here."""
    labels = list(old)
    table = np.full(len(labels) + 1, -1, np.int32)  # the last place is "no label"
    for code in dict.fromkeys(codes[codes >= 0].tolist()):
        table[code] = new.code(labels[code])
    return table[codes]
