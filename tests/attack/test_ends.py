"""The other end of every pipe and socket of a command is gone: it answers or says so. `make soak` does it hundreds of times."""

import os
from pathlib import Path

import pytest

from soak import ends

SEED = int(os.environ.get("LITTLESTONE_SEED", "0"))
pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")


@pytest.mark.parametrize(("name", "times"), [("verify", 2), ("run", 2), ("lab", 20)])
def test_no_command_ends_without_a_word(name, times):
    assert ends.attack(name, times, SEED).total() >= times
