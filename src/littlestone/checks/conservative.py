"""What must be true of a learner that is told of its mistakes alone."""

from __future__ import annotations

import numpy as np

from littlestone.checks import draws
from littlestone.checks.trials import tried
from littlestone.protocol import Block, Learner, Runner


def check_it_is_the_learner_inside_on_its_mistakes(learner: Learner) -> None:
    """S'_t = S_{m(t)+1}: the learner inside, played over the mistake rounds alone, errs on every one, and ends in the same state."""
    streams = draws.weighted_blocks(learner) if learner.weighted else draws.blocks(learner)
    tried(streams, examples=15)(lambda block: compare(learner, block))


def compare(learner: Learner, block: Block) -> None:
    """The same on one stream."""
    inner = getattr(learner, "inner", None)
    assert isinstance(inner, Learner), f"{learner!r} has no learner inside"
    runner, alone = Runner(learner), Runner(inner)
    says = runner.take(block)
    wrong = np.flatnonzero((block.labels >= 0) & (says != block.labels))
    if runner.room > alone.room:
        alone.room = runner.room
        alone.make_room(runner.room)
    for t in wrong.tolist():
        right = alone.take(block.cut(t, t + 1))[0] == (block.labels[t] == 1)
        assert not right, f"round {t + 1} is a mistake, and {inner.name}, fed the mistakes before it, predicts it right"
    played, expected = (inner.trimmed(either.state, runner.room) for either in (runner, alone))
    assert all(map(np.array_equal, played, expected)), f"{inner.name}, fed the mistakes alone, ends in another state"
