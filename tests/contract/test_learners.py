"""Every learner of the catalogue against every clause of the contract."""

from functools import cache
from importlib import import_module

import pytest

from littlestone import learners
from littlestone.checks import yield_checks


def every_learner():
    for name in learners.names():
        module = import_module(f"littlestone.learners.{name}")
        for settings in module.SAMPLES:
            yield name, settings


@cache
def made(name, settings):
    return learners.factory(name)(**dict(settings))


CASES = [
    pytest.param(
        name,
        tuple(settings.items()),
        check,
        id=f"{name}({', '.join(f'{k}={v}' for k, v in settings.items())})-{check.__name__}",
    )
    for name, settings in every_learner()
    for check in yield_checks(None)
]


@pytest.mark.parametrize(("name", "settings", "check"), CASES)
def test_learner_keeps_the_contract(name, settings, check):
    check(made(name, settings))
