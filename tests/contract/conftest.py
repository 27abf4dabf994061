"""The learners that are here keep the contract on fewer cases than it asks for; `LITTLESTONE_SHARE=1` tries all of them."""

import os
import sys

import pytest

from littlestone.checks import trials
from reference_counting import counts_in_loops

looked_at: dict[object, int] = {}  # of each kernel of a learner, how many signatures it had been compiled for


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    monkeypatch.setattr(trials, "SHARE", float(os.environ.get("LITTLESTONE_SHARE", "0.2")))


@pytest.fixture(autouse=True)
def without_reference_counting():
    """No kernel of a learner, of all that were compiled in this process so far, counts references in a loop."""
    yield
    for name, module in list(sys.modules.items()):
        if name.startswith("littlestone.learners."):
            for kernel in vars(module).values():
                compiled = len(getattr(kernel, "overloads", ()))
                if compiled and compiled > looked_at.get(kernel, 0):
                    looked_at[kernel] = compiled
                    assert not counts_in_loops(kernel), f"{name}.{kernel.__name__} counts references in a loop: see jit_lent"
