"""Every learner of the catalogue against every clause of the contract."""

from functools import cache
from importlib import import_module

import pytest

from littlestone import learners
from littlestone.checks import yield_checks
from littlestone.learners import reductions

# Settings that share a native class with others tried before are asked what depends on settings: theorems, the reference, the protocol.
TELLING = ("bound", "invariants", "reference", "block", "exactly", "event")


@cache
def made(name, settings):
    return (learners if name in learners.names() else reductions).factory(name)(**dict(settings))


def cases():
    rooms = [("binary", name) for name in learners.names()] + [("reductions", name) for name in reductions.of_two_classes()]
    for room, name in rooms:
        asked = set()
        for settings in import_module(f"littlestone.learners.{room}.{name}").SAMPLES:
            known = tuple(settings.items())
            rule = made(name, known).native if room == "binary" else name
            for check in yield_checks(None):
                if rule not in asked or any(word in check.__name__ for word in TELLING):
                    label = f"{name}({', '.join(f'{k}={v}' for k, v in settings.items())})"
                    yield pytest.param(name, known, check, id=f"{label}-{check.__name__}")
            asked.add(rule)


@pytest.mark.parametrize(("name", "settings", "check"), list(cases()))
def test_learner_keeps_the_contract(name, settings, check):
    check(made(name, settings))
