"""Learners of several classes broken on purpose: each mutant must be caught, some of them by a bound alone."""

import sys
import types
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import Phase

import faults
import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_class_checks
from littlestone.kernels import native

# What stands in Python: (file, what stands in it, what the mutant has instead, is it caught by a theorem alone?)
EDITED = [
    ("reductions.one_vs_rest", "outbid(votes,", "outbid(~votes,", True),  # prefers a 0
    ("reductions.one_vs_rest", "return np.where(y < 0, -1, y == member[0])", "return np.where(y < 0, -1, y != member[0])", False),
    ("reductions.one_vs_rest", "outbid(votes, scores, since, member[0], *ballot)", "outbid(votes, None, since, member[0], *ballot)", False),
    ("reductions.all_pairs", "add_votes(answers,", "add_votes(~answers,", True),
    (
        "reductions.all_pairs",
        "most_votes(ballot, labels,",
        "most_votes(ballot, np.full_like(labels, -1),",
        False,
    ),  # new classes wait for the next block
    ("reductions._class_table", "shares, *accounts)\n", "shares, *accounts)\n        predictions[:] = 0\n", True),  # always the first class
    (
        "reductions._class_table",
        "shares, *accounts)\n",
        "shares, *accounts)\n        predictions[:] = votes[:, 0]\n",
        False,
    ),  # asks one alone
    ("reductions._class_table", "self.losses, self.z, predictions", "0 * self.losses, self.z, predictions", True),  # nobody loses trust
    (
        "reductions._class_table",
        "elect(strict, ln_n, self.weigh,",
        "elect(strict, ln_n, False,",
        True,
    ),  # the rule does not hear what rounds weigh
    (
        "reductions._class_table",
        "name_largest(marks,",
        "name_largest(marks + 1e-300 * np.arange(marks.shape[1])[:, None],",
        False,
    ),  # ties between scores of 0: the last
    (
        "reductions.all_pairs",
        "most_votes(ballot,",
        "most_votes(len(ballot) * ballot + np.arange(len(ballot), dtype=np.int32)[:, None],",
        False,
    ),
]


PANEL = "perceptron:bias=1 arow multiclass_perceptron"


def edited(path, old, new):
    """The learner with one piece of its file replaced."""
    module = import_module(f"littlestone.learners.{path}")
    name, source = path.rpartition(".")[2], Path(module.__file__).read_text("utf-8")
    assert old in source, f"{old!r} no longer stands in {module.__file__}: this mutant tests nothing"
    broken = types.ModuleType(f"mutant_of_{name}")
    sys.modules[broken.__name__] = broken
    exec(compile(source.replace(old, new, 1), broken.__name__, "exec"), broken.__dict__)
    if name == "_class_table":  # what plays a panel
        panel = ls.class_panel(PANEL, label_by="vote")
        return replace(panel, engine=partial(broken.ClassTable, *panel.engine.args))
    # without scores there is a twin to compare with
    return getattr(broken, name)(ls.perceptron(bias=0) if "scores" in old else ls.winnow_elimination(n=6))


@pytest.fixture(autouse=True)
def without_shrinking(monkeypatch):
    """That it fails is enough: the smallest case is of no use here."""
    monkeypatch.setattr(checked, "PHASES", [phase for phase in checked.PHASES if phase is not Phase.shrink])


def caught_by(learner, checks):
    for check in checks:
        try:
            check(learner)
        except Exception:  # whatever breaks, it was noticed
            return check.__name__
    return None


def theorems():
    return [check for check in yield_class_checks() if "bound" in check.__name__]


def require_caught(learner, by_theorem, what):
    first = sorted(yield_class_checks(), key=lambda check: "reference" not in check.__name__ and "event" not in check.__name__)
    assert caught_by(learner, theorems() if by_theorem else first), f"no check noticed {what}"


@pytest.mark.parametrize(("name", "settings", "fault", "by_theorem"), faults.CLASS_LEARNERS, ids=lambda value: str(value)[:50])
def test_a_broken_learner_is_caught(name, settings, fault, by_theorem, with_fault):
    require_caught(with_fault(getattr(ls, name)(**settings), fault), by_theorem, fault)


@pytest.mark.parametrize("fault", [faults.TRUSTS_THE_WRONG, None])
def test_a_panel_that_trusts_the_wrong_is_caught_by_a_theorem(fault, mutants, with_fault, monkeypatch):
    monkeypatch.setattr(native, "core", types.SimpleNamespace(**vars(native.core) | {"elect": mutants.module().elect}))
    panel = with_fault(ls.class_panel(PANEL, label_by="vote"), fault)
    assert bool(caught_by(panel, theorems())) == (fault is not None)


@pytest.mark.parametrize(("path", "old", "new", "by_theorem"), EDITED, ids=lambda value: str(value)[:50])
def test_a_learner_broken_in_python_is_caught(path, old, new, by_theorem):
    require_caught(edited(path, old, new), by_theorem, f"{old!r} -> {new!r}")


@pytest.mark.parametrize(("name", "settings"), list({case.name: case[:2] for case in faults.CLASS_LEARNERS}.values()))
def test_the_unbroken_learner_is_not_caught(name, settings, with_fault):
    assert caught_by(with_fault(getattr(ls, name)(**settings), None), theorems()) is None


@pytest.mark.parametrize("path", sorted({path for path, *_ in EDITED}))
def test_the_learner_unbroken_in_python_is_not_caught(path):
    assert caught_by(edited(path, "import", "import"), theorems()) is None
