"""What stands in tests/golden/wide.json is what happens today, bit for bit: wide rows, many experts, states every 256 rounds.

Rules whose logarithms and powers come from the machine's library are compared where LITTLESTONE_WIDE is set (`make search`), beside a file
that was written on the same machine.
"""

import json
import os
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
sys.path.insert(0, str(GOLDEN))

import make  # noqa: E402
import wide  # noqa: E402

RECORDED = json.loads(wide.FILE.read_text("utf-8"))
CASES = dict(wide.cases())
EVERYWHERE = [name for name in CASES if os.environ.get("LITTLESTONE_WIDE") or name.partition(" ")[0] not in make.ROUNDED]


def test_every_case_is_recorded():
    assert list(RECORDED) == list(CASES)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_digests(name):
    assert CASES[name]() == RECORDED[name]
