"""Every rule over advice against every clause of the contract."""

from functools import cache
from importlib import import_module

import pytest

from littlestone import experts
from littlestone.checks import yield_rule_checks


@cache
def made(name, settings):
    return experts.factory(name)(**dict(settings))


CASES = [
    pytest.param(name, tuple(sample.items()), check, id=f"{name}({', '.join(f'{k}={v}' for k, v in sample.items())})-{check.__name__}")
    for name in experts.names()
    for sample in import_module(f"littlestone.experts.{name}").SAMPLES
    for check in yield_rule_checks()
]


@pytest.mark.parametrize(("name", "settings", "check"), CASES)
def test_rule_keeps_the_contract(name, settings, check):
    check(made(name, settings))
