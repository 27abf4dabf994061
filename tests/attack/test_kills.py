"""A run killed at a random moment: nothing it wrote is half of something, and the next one works. `make soak` kills hundreds."""

import os

import pytest

from soak import kills

SEED = int(os.environ.get("LITTLESTONE_SEED", "0"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked, and killed by a signal")
def test_a_kill_leaves_whole_files_and_the_next_run_works():
    seen = kills.attack(2, SEED)
    assert seen.total() == 2
