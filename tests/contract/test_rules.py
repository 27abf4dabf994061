"""Every rule over advice against every clause of the contract."""

from functools import cache
from importlib import import_module

import pytest

from littlestone.checks import yield_rule_checks
from littlestone.learners import experts

# Further settings for a kind of advice are asked what depends on settings.
TELLING = ("bound", "reference", "compiled", "event", "drawn")


@cache
def made(name, settings):
    return experts.factory(name)(**dict(settings))


def cases():
    for name in experts.names():
        asked = set()
        for settings in import_module(f"littlestone.learners.experts.{name}").SAMPLES:
            kind = settings.get("advice", "vote"), "loss" in settings
            for check in yield_rule_checks():
                if kind not in asked or any(word in check.__name__ for word in TELLING):
                    label = f"{name}({', '.join(f'{k}={v}' for k, v in settings.items())})"
                    yield pytest.param(name, tuple(settings.items()), check, id=f"{label}-{check.__name__}")
            asked.add(kind)


@pytest.mark.parametrize(("name", "settings", "check"), list(cases()))
def test_rule_keeps_the_contract(name, settings, check):
    check(made(name, settings))
