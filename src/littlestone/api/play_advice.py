"""Playing a rule over advice: a table in, an AdviceRun out."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Advice, AdviceRun, AdviceRunner, Rule
from littlestone.streams.instances import two_labels_of


def play_advice(rule: Rule, table: Any, truth: Any = None) -> AdviceRun:
    """Play a rule over advice: rounds × experts, NaN where an expert is asleep, and the truths (none when the advice is losses)."""
    if not isinstance(table, np.ndarray):
        try:
            table = np.asarray(table, dtype=np.float32)
        except (TypeError, ValueError):
            raise LittlestoneError("advice must be a table of numbers, rounds × experts, NaN where an expert is asleep") from None
    require(
        table.ndim == 2 and table.shape[1] >= 1 and table.dtype.kind in "biuf",
        f"advice has shape {table.shape} and type {table.dtype}; expected numbers, rounds × experts",
    )
    if rule.advice == "loss":
        require(truth is None, "the advice is losses: there is no truth to tell")
        labels = np.zeros(len(table), np.int32)
    else:
        require(truth is not None, f"{rule.name} learns from the truth of each round: ls.play(rule, advice, truth)")
        labels = two_labels_of(truth, len(table))
    return play_coded(rule, table, labels)


def play_coded(rule: Rule, table: np.ndarray, labels: np.ndarray) -> AdviceRun:
    """The same with truths as codes: 1, 0, and -1 where none is told."""
    size = max(1, 2**21 // table.shape[1])  # eight megabytes at a time, so that what is done in Python weighs nothing

    def advices() -> Iterator[Advice]:
        for start in range(0, len(table), size):
            yield Advice(np.ascontiguousarray(table[start : start + size], np.float32), labels[start : start + size], start)

    runner = AdviceRunner(rule, table.shape[1], counting=False)
    begun = perf_counter()
    parts = [runner.part(advice) for advice in advices()]
    return runner.run(parts, perf_counter() - begun, advices)
