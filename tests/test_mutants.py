"""Learners broken on purpose: each mutant must be caught, and for each learner some mutant by its bounds or invariants alone."""

import os
import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import Phase

import faults
import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_checks

THEOREMS = ("bound", "invariants")

# What stands in Python, of learners whose pass is native: (learner, settings, what stands in its file, what the mutant has instead, is it
# caught by a theorem alone?)
EDITED = [
    ("winnow", {"n": 6}, "powers_of(factor, threshold)", "powers_of(factor, 2 * threshold)", True),  # threshold
    ("winnow_elimination", {"n": 6}, "Params(ceil(threshold))", "Params(2 * ceil(threshold))", True),
    ("optimal", {"concepts": "half_intervals", "n": 9}, "(ones) >= dim", "(ones) > dim", False),
    ("optimal", {"concepts": "half_intervals", "n": 9}, "(ones) >= dim", "(ones) <= dim", True),  # the poorer part
    ("optimal", {"concepts": "conjunctions", "n": 3}, "    if right:\n", "    if right and len(indices) < 2:\n", True),  # learns little
    ("optimal", {"concepts": "disjunctions", "n": 4}, "ones if y else zeros", "zeros if y else ones", True),
    ("optimal", {"concepts": "disjunctions", "n": 4}, "tally[BROKEN] = not right", "tally[BROKEN] = 0", False),
]


def edited(name, settings, old, new):
    """The learner with one piece of its file replaced."""
    module = import_module(f"littlestone.learners.binary.{name}")
    source = Path(module.__file__).read_text("utf-8")
    assert old in source, f"{old!r} no longer stands in {module.__file__}: this mutant tests nothing"
    broken = types.ModuleType(f"mutant_of_{name}")
    broken.__doc__, broken.__file__ = module.__doc__, module.__file__
    sys.modules[broken.__name__] = broken
    exec(compile(source.replace(old, new, 1), broken.__name__, "exec"), broken.__dict__)
    return getattr(broken, name)(**settings)


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


def theorems(learner):
    return [check for check in yield_checks(learner) if any(word in check.__name__ for word in THEOREMS)]


def require_caught(learner, by_theorem, what):
    if by_theorem:
        assert caught_by(learner, theorems(learner)), f"no bound and no invariant noticed {what}"
    else:
        first = sorted(yield_checks(learner), key=lambda check: "reference" not in check.__name__)
        assert caught_by(learner, first), f"no check noticed {what}"


@pytest.mark.parametrize(("name", "settings", "fault", "by_theorem"), faults.LEARNERS, ids=lambda value: str(value)[:40])
def test_a_broken_learner_is_caught(name, settings, fault, by_theorem, with_fault):
    require_caught(with_fault(getattr(ls, name)(**settings), fault), by_theorem, fault)


@pytest.mark.parametrize(("name", "settings", "old", "new", "by_theorem"), EDITED, ids=lambda value: str(value)[:40])
def test_a_learner_broken_in_python_is_caught(name, settings, old, new, by_theorem, with_fault):
    require_caught(with_fault(edited(name, settings, old, new), None), by_theorem, f"{old!r} -> {new!r}")


# what each assumes, and a stream that meets it: more mistakes than its theorem allows are then its own fault
BLAMED = [
    ("perceptron", {"bias": 0}, faults.BACKWARDS, "margin:gamma=1/2", [[1.0], [-1.0]] * 5, [1, 0] * 5),
    ("perceptron", {"bias": 1}, faults.BACKWARDS, "margin:gamma=1/2,R=2", [[1.0], [-1.0]] * 20, [1, 0] * 20),
    ("winnow", {"n": 6}, faults.SATISFIED, "disjunction:r=1", [[1, 0, 0, 0, 0, 0]] * 30, [1] * 30),
    ("winnow", {"n": 6}, faults.SATISFIED, "k_of_r:k=1,r=1", [[1, 0, 0, 0, 0, 0]] * 60, [1] * 60),
]


@pytest.mark.parametrize(("name", "settings", "fault", "assume", "X", "y"), BLAMED, ids=lambda value: str(value)[:40])
def test_an_overshoot_is_laid_on_the_learner_where_the_stream_meets_the_assumption(name, settings, fault, assume, X, y, with_fault):
    broken = with_fault(getattr(ls, name)(**settings), fault)
    cert = ls.certify(ls.play(broken, X, y), X, y, assume=assume)
    claim = cert.bounds[0]
    assert claim.holds is False and claim.observed > claim.limit and claim.contradiction is None and cert.best is not claim
    verdict = ls.verify(cert, X, y, replay=False)
    assert verdict.status == "broken" and not verdict.verified and "BROKEN" in str(verdict) and "fault of the learner" in str(verdict)
    with pytest.raises(ls.Refused, match=f"replaying {name}"):
        ls.verify(cert, X, y)


BEYOND = """
import numpy as np
import faults, mutants
import littlestone as ls

learner, row = mutants.played_by_mutants(ls.balanced_winnow()), np.array([0, 2], np.uint32)
for fault in (None, faults.BEYOND):
    mutants.choose(fault)
    learner.update(learner.first_state(3), row, np.ones(2, np.float32), True, False)
    print("inside" if fault is None else "beyond", flush=True)
"""


def test_an_index_beyond_a_column_is_seen_where_eight_features_are_worked_on(mutants):
    """The process ends by it: what else would it be sure to be seen by?"""
    paths = os.pathsep.join([str(Path(faults.__file__).parent), str(Path(ls.__file__).parents[1])])
    done = subprocess.run([sys.executable, "-c", BEYOND], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.stdout.split() == ["inside"] and done.returncode not in (0, 1), done.stderr


@pytest.mark.parametrize(("text", "what"), [("x = a;", "'b' 0 times"), ("x = b; y = b;", "'b' 2 times"), ("b + c + d", "overlap")])
def test_a_fault_is_refused_that_does_not_stand_in_one_place(text, what, mutants):
    with pytest.raises(SystemExit, match=what):
        mutants.switched(text, "x.h", [(1, "b", "e"), *([(2, "b + c", "e"), (3, "c + d", "e")] if what == "overlap" else [])])


@pytest.mark.parametrize("name", dict.fromkeys(case.name for case in faults.LEARNERS))
def test_the_unbroken_learner_is_not_caught(name, with_fault):
    """So what catches the others is the fault, and not how they are made."""
    sound = with_fault(getattr(ls, name)(**next(case.settings for case in faults.LEARNERS if case.name == name)), None)
    assert caught_by(sound, [c for c in yield_checks(sound) if "reference" in c.__name__] + theorems(sound)) is None
