"""Rules broken on purpose: each mutant must be caught, most of them by their bounds alone."""

import sys
import types
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import Phase

import faults
import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_rule_checks

OLD, NEW = (
    "outweighs(beta, *(Counter(counts[row == vote].tolist()) for vote in (1, 0)))",
    "not outweighs(beta, *(Counter(counts[row == vote].tolist()) for vote in (0, 1)))",  # a tie predicts 0
)


def edited(name, settings, old, new):
    """The rule with one piece of its file replaced."""
    module = import_module(f"littlestone.learners.experts.{name}")
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


def caught_by(rule, checks):
    for check in checks:
        try:
            check(rule)
        except Exception:  # whatever breaks, it was noticed
            return check.__name__
    return None


def test_an_overshoot_is_laid_on_the_rule_where_an_expert_is_as_good_as_declared(with_fault):
    (fault,) = {case.fault for case in faults.RULES if case.name == "weighted_majority" and case.fault.new == "true"}  # it learns nothing
    broken = with_fault(ls.weighted_majority(n=4), fault)
    votes, truth = [[1, 0, 0, 0], [0, 1, 1, 1]] * 20, [1, 0] * 20
    run = ls.play(broken, votes, truth)
    for claim in (run.bounds("expert:m=0")[0], ls.certify(run, votes, truth, assume="expert:m=0").bounds[0]):
        assert claim.holds is False and claim.observed > claim.limit and not claim.reason


def clauses():
    return sorted(yield_rule_checks(), key=lambda check: "reference" not in check.__name__)


def settings_of_each():
    """Each rule with each of the settings in which it is broken."""
    return list({str(case[:2]): case[:2] for case in faults.RULES}.values())


@pytest.mark.parametrize(("name", "settings"), settings_of_each())
def test_what_is_not_broken_is_not_caught(name, settings, with_fault):
    assert caught_by(with_fault(getattr(ls, name)(**settings), None), clauses()) is None


def require_caught(rule, by_theorem, what):
    checks = [check for check in clauses() if "bound" in check.__name__ or not by_theorem]
    assert caught_by(rule, checks), f"survived every clause it should not: {what}"


@pytest.mark.parametrize(("name", "settings", "fault", "by_theorem"), faults.RULES)
def test_mutant_is_caught(name, settings, fault, by_theorem, with_fault):
    require_caught(with_fault(getattr(ls, name)(**settings), fault), by_theorem, fault)


def test_a_rule_broken_in_python_is_caught(with_fault):
    require_caught(with_fault(edited("weighted_majority", {"n": 4}, OLD, NEW), None), False, OLD)
