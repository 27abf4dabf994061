"""Playing a rule over advice whose truths are codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.api.play import play
from littlestone.protocol import Advice, AdviceRun, Rule


def play_advice(rule: Rule, table: Any, truth: Any = None) -> AdviceRun:
    return play(rule, table, truth)


def play_coded(rule: Rule, table: np.ndarray, labels: np.ndarray) -> AdviceRun:
    """The same with truths as codes: 1, 0, and -1 where none is told."""
    return play(rule, Advice(np.ascontiguousarray(table, np.float32), labels))
