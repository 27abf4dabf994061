"""What every learner must refuse, and by what name."""

import numpy as np

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.trials import refused
from littlestone.protocol import Block, Learner


def check_bad_input_is_refused_by_name(learner: Learner) -> None:
    n = draws.width(learner)
    good = draws.block_of(learner, [[0], [1]], [1, 0])

    for bad in (np.nan, np.inf, -np.inf):
        refused("feature 1", lambda bad=bad: front.play(learner, np.array([[1.0, 0.0], [0.0, bad]]), [1, 0]))
        refused("feature", lambda bad=bad: learner.start().observe({0: 1, 1: bad}, True))
    refused("given twice", lambda: front.play(learner, Block.of([[1, 0, 1]], [1])))
    refused("given twice", lambda: learner.start().observe((np.array([2, 0, 2]), None), True))
    refused("label", lambda: front.play(learner, np.eye(3), [1, 7, 9]))
    refused("label", lambda: learner.start().observe({0: 1}, 0.5 if hasattr(learner, "widens") else 7))
    refused("one label for each", lambda: front.play(learner, np.eye(2), [1]))
    refused("-1", lambda: learner.start().observe({-1: 1}, True))
    refused("mixed", lambda: learner.start().observe({0: 1, "a": 1}, True))
    refused("1.5", lambda: learner.start().observe({1.5: 1}, True))
    refused("expected a dict", lambda: learner.start().observe(object(), True))
    if learner.n is not None:
        refused(f"n={n}", lambda: front.play(learner, np.eye(n + 1), [1] * (n + 1)))
        refused(f"n={n}", lambda: learner.start().observe({n + 1: 1}, True))
        refused(f"n={n}", lambda: learner.start().observe(np.ones(n + 1), True))
    if learner.domain == "boolean":
        refused("boolean", lambda: front.play(learner, np.array([[0.5, 1.0]]), [1]))
        refused("boolean", lambda: learner.start().observe({0: 0.5}, True))
        assert front.play(learner, np.array([[0.5, 0.0], [0.0, 2.0]]), good.labels, boolean=True).rounds == 2
    if learner.domain == "unit":
        for bad in (1.5, -0.25):
            refused("from 0 to 1", lambda bad=bad: front.play(learner, np.array([[bad, 1.0]]), [1]))
            refused("from 0 to 1", lambda bad=bad: learner.start().observe({0: bad}, True))
            refused("from 0 to 1", lambda bad=bad: learner.start().observe((np.array([0]), np.array([bad])), True))
        assert front.play(learner, np.array([[-0.0, 0.5], [1.0, 0.0]]), [1, 0]).rounds == 2
    assert front.play(learner, good).rounds == 2  # and it still takes what is right
