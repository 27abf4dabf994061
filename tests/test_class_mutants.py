"""Learners of several classes broken on purpose: each mutant must be caught, some of them by a bound alone."""

import re
import sys
import types
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import Phase

import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_class_checks
from littlestone.kernels import class_scores

# (file, what stands in it, what the mutant has instead, is it caught by a theorem alone?)
MUTANTS = [
    ("multiclass.multiclass_perceptron", "if scores[c] > scores[best]:", "if scores[c] >= scores[best]:", False),  # ties: the last
    ("multiclass.multiclass_perceptron", "if scores[c] > scores[best]:", "if scores[c] < scores[best]:", True),  # argmin
    ("multiclass.multiclass_perceptron", "W[i, right] += step", "W[i, right] -= step", True),  # the wrong way
    ("multiclass.multiclass_perceptron", "W[i, wrong] -= step", "W[i, wrong] -= 0.0", True),  # no demotion
    (
        "multiclass.multiclass_perceptron",
        "seen[0] += 1\n    elif y != yhat:",
        "seen[0] += 1\n    if y != yhat and yhat >= 0:",
        False,
    ),  # teaches new ones
    ("multiclass.multiclass_perceptron", "for c in range(1, k):", "for c in range(1, k - 1):", True),  # never names the last class
    ("multiclass.banditron", "W[i, name] += step * v", "W[i, name] += v", False),  # as if the class had been named for sure
    ("multiclass.banditron", "W[i, best] -= v", "W[i, name] -= v", False),  # punishes whom the coin named
    ("multiclass.banditron", "u < explore else", "u < 0.0 else", False),  # never tries another class
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


def mutant(path, old, new):
    """The learner with one piece of its file replaced, and the compiler off."""
    module = import_module(f"littlestone.learners.{path}")
    name = path.rpartition(".")[2]
    source = re.sub(r", native=native\.core\.\w+", "", Path(module.__file__).read_text("utf-8"))  # the native core is not broken
    if old not in source:  # it stands in the kernel that it shares with others
        shared = Path(class_scores.__file__).read_text("utf-8").partition("@jit")[2]
        source = source.replace("\nfrom littlestone.kernels.class_scores import winner", "").replace("\n@jit", f"\n@jit{shared}\n\n@jit", 1)
    assert old in source, f"{old!r} no longer stands in {module.__file__}: this mutant tests nothing"
    source = re.sub(r"^from littlestone\.kernels\.compiler import .*$", "jit = jit_lent = lambda function: function", source, flags=re.M)
    broken = types.ModuleType(f"mutant_of_{name}")
    sys.modules[broken.__name__] = broken
    exec(compile(source.replace(old, new, 1), broken.__name__, "exec"), broken.__dict__)
    if name == "_class_table":  # what plays a panel
        panel = ls.class_panel("perceptron:bias=1 arow multiclass_perceptron", label_by="vote")
        return replace(panel, engine=partial(broken.ClassTable, *panel.engine.args))
    make = getattr(broken, name)
    if path.startswith("multiclass"):
        return make(**({"explore": "1/2"} if name == "banditron" else {}))
    return make(
        ls.perceptron(bias=0) if "scores" in old or "vote_of_best" in old else ls.winnow_elimination(n=6)
    )  # without scores there is a twin to compare with


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


@pytest.mark.parametrize(("path", "old", "new", "by_theorem"), MUTANTS, ids=lambda value: str(value)[:50])
def test_a_broken_learner_is_caught(path, old, new, by_theorem):
    broken = mutant(path, old, new)
    first = sorted(yield_class_checks(), key=lambda check: "reference" not in check.__name__ and "event" not in check.__name__)
    assert caught_by(broken, theorems() if by_theorem else first), f"no check noticed {old!r} -> {new!r}"


@pytest.mark.parametrize("path", sorted({path for path, *_ in MUTANTS}))
def test_the_unbroken_learner_is_not_caught(path):
    assert caught_by(mutant(path, "import", "import"), theorems()) is None
