"""The message of a broken clause names what failed and the rows on which it did."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import strategies as st

from littlestone.checks.counterexample import run_checks
from littlestone.checks.learners import check_update_leaves_the_given_state_alone
from littlestone.checks.trials import tried
from littlestone.protocol import Advice, Block

BLOCK = Block(np.array([0, 2, 3]), np.array([0, 3, 1], np.uint32), np.array([1, -2.5, 4], np.float32), np.array([1, -1], np.int32))


def check_rows_are_few(thing):
    @tried(st.just(BLOCK))
    def claim(block):
        assert len(block) < thing, "too many rows"


def message_of(thing, check):
    with pytest.raises(AssertionError) as broken:
        run_checks(thing, [check])
    return str(broken.value)


def test_the_rows_that_break_a_clause_are_shown():
    lines = message_of(2, check_rows_are_few).splitlines()
    assert lines[0].startswith("2 breaks the clause check_rows_are_few: too many rows")
    assert lines[-2:] == [
        "  row 1: features {0: 1, 3: -2.5}, label 1",
        "  row 2: features {1: 4}, no label",
    ]


def test_a_condition_without_a_message_is_quoted():
    def overwrite(state, *row):
        state[0][0] += 1

    learner = SimpleNamespace(domain="boolean", first_state=lambda n: (np.zeros(n),), update=overwrite)
    assert message_of(learner, check_update_leaves_the_given_state_alone).endswith(": this is false: same_state(state, before)")


def test_a_clause_that_holds_says_nothing():
    run_checks(3, [check_rows_are_few])


def test_the_first_of_several_failures_is_described():
    def check(thing):
        raise ExceptionGroup("two", [ValueError("too wide"), AssertionError("too late")])

    assert message_of("it", check) == "'it' breaks the clause check: ValueError: too wide"


def test_long_cases_are_cut_and_advice_is_shown():
    def check_long(thing):
        tried(st.just(Advice.of([[0, 1]] * 9, [1] * 9)))(claim_of)

    def claim_of(advice):
        raise AssertionError("the rule forgot")

    lines = message_of("rule", check_long).splitlines()
    assert lines[0].endswith("the rule forgot") and lines[1] == "  row 1: advice [0.0, 1.0], truth 1"
    assert len(lines) == 10 and lines[-1] == "  and 1 more rows"
