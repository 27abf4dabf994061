"""`warm`: compile what a run will need before it is needed, and keep it in the cache."""

from collections.abc import Callable
from typing import Any

import numpy as np

from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block
from littlestone.protocol.run import play_through
from littlestone.protocol.runners import runner_of

WIDTH = 16  # of a learner that needs to know how many features there are: its kernels are the same for any number


def warm(learner: Any, *, boolean: Callable[[], bool]) -> None:
    """Compile the pass of a learner over rows with values, or of presence alone.

    A panel's begins with what it needs itself, whatever the rows are like; only then `boolean` is asked. It goes on from its last member to
    its first. A run goes the other way: where both are under way at a time, in two processes, they meet in the middle, and neither
    compiles what the other has in the cache, or is compiling.
    """
    learner = learner.sized(WIDTH) if learner.needs_n else learner
    if isinstance(learner, Panel):
        learner.table.warm()
        presence = boolean()
        for member in reversed(learner.members):
            plain = presence or member.domain == "boolean"
            rows = Block(np.zeros(1, np.int64), np.empty(0, np.uint32), None if plain else np.empty(0, np.float32), np.empty(0, np.int32))
            play_through(member, member.first_state(WIDTH), rows, np.empty(0, np.bool_), np.empty(0) if member.scored else None)
    runner_of(learner, scores=getattr(learner, "probabilities", False)).warm(boolean=boolean())
