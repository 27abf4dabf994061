"""Every learner of several classes against every clause: those with a rule of their own, and the reductions of each binary learner."""

from functools import cache
from importlib import import_module

import pytest

from littlestone import learners
from littlestone.checks.class_learners import yield_class_checks
from littlestone.learners import multiclass as classes
from littlestone.learners import reductions

# One of each kind: exact or not, with scores or without, growing tables, weights. A reduction does not look further into its learner.
INNER = ("adaptive", "alma", "arow", "conjunctions", "memorizer", "pairs", "perceptron", "winnow", "winnow_real")


def every_class_learner():
    for name in classes.names():
        for settings in import_module(f"littlestone.learners.multiclass.{name}").SAMPLES:
            yield name, "", settings
    for settings in import_module("littlestone.learners.reductions.class_panel").SAMPLES:
        yield "class_panel", "", settings
    for name in sorted(set(reductions.names()) - {*reductions.of_two_classes(), "class_panel"}):
        for inner in INNER if name == "one_vs_rest" else ("perceptron", "winnow"):  # one reduction of each kind, the others of a few
            settings = import_module(f"littlestone.learners.binary.{inner}").SAMPLES[0]
            if learners.factory(inner)(**settings).broken is None:  # those that refuse streams of no pattern cannot play any stream
                yield name, inner, settings


@cache
def made(name, inner, settings):
    if inner:
        return reductions.factory(name)(learners.factory(inner)(**dict(settings)))
    return (classes if name in classes.names() else reductions).factory(name)(**dict(settings))


CASES = [
    pytest.param(name, inner, tuple(settings.items()), check, id=f"{name}({inner}{settings})-{check.__name__}")
    for name, inner, settings in every_class_learner()
    for check in yield_class_checks()
]


@pytest.mark.parametrize(("name", "inner", "settings", "check"), CASES)
def test_class_learner_keeps_the_contract(name, inner, settings, check):
    check(made(name, inner, settings))
