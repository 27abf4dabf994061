"""Rules broken on purpose: each mutant must be caught, most of them by their bounds alone."""

import re
import sys
import types
from dataclasses import replace
from functools import wraps
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase

import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_rule_checks
from littlestone.learners import _regrets

# (rule, settings, what stands in its file, what the mutant has instead, is it caught by a theorem alone?)
MUTANTS = [
    ("follow_leader", {"n": 4}, "losses[i] < losses[leader]", "losses[i] <= losses[leader]", False),  # the last of the leaders
    ("follow_leader", {"n": 4}, "z[2] = first_at(losses, lowest)", "z[2] = first_of_the_least(-losses)", True),
    ("weighted_majority", {"n": 4}, "if not always and yhat == (y == 1):", "if True:", True),
    (
        "weighted_majority",
        {"n": 4},
        "outweighs(beta, *(Counter(counts[row == vote].tolist()) for vote in (1, 0)))",
        "not outweighs(beta, *(Counter(counts[row == vote].tolist()) for vote in (0, 1)))",  # a tie predicts 0
        False,
    ),
    ("weighted_majority", {"n": 4}, "costs, row, following, y, beta)", "costs, row, following, 1 - y, beta)", True),
    ("randomized_weighted_majority", {"n": 4}, "losses, row, following, truth[t], beta)", "losses, row, following, truth[t], 1.0)", True),
    (
        "randomized_weighted_majority",
        {"n": 4},
        "losses, row, following, truth[t], beta)",
        "losses, row, following, 1 - truth[t], beta)",
        True,
    ),
    ("hedge", {"n": 4, "eta": "1/2"}, "losses, row, following, truth[t], beta)", "losses, row, following, truth[t], 1.0)", True),
    ("hedge", {"n": 4, "eta": "1/2"}, "losses, row, following, truth[t], beta)", "losses, row, row, truth[t], beta)", False),
    ("hedge", {"n": 4}, "np.sqrt(period / (z[0] + 1.0))", "0.0 * period", True),
    ("specialists", {"n": 4}, "if not known:", "if False:", False),  # the row before
    ("hedge", {"n": 4}, "np.sqrt(period / (z[0] + 1.0))", "np.sqrt(period / (z[0] + 2.0))", False),
    ("adahedge", {"n": 4}, "z[2] += max(0.0, f - m)", "z[2] += 0.5 * max(0.0, f - m)", False),
    (
        "adahedge",
        {"n": 4},
        "count_losses(losses, table, t, y)\n            elif",
        "count_losses(losses, table, t, 1 - y)\n            elif",
        True,
    ),
    ("perturbed_leader", {"n": 4}, "losses[i] - start[i] <", "losses[i] <", False),
    ("fixed_share", {"n": 4}, "truth[t], beta, keep, gift)", "truth[t], 1.0, keep, gift)", True),
    ("fixed_share", {"n": 4}, "gift = alpha / len(w)", "gift = 0.0", False),
    ("tracking", {"n": 4}, "v[i] = keep * v[i] + gift", "v[i] = keep * v[i]", False),
    ("tracking", {"n": 4}, "rules[k] += abs(shares[k] - y)", "rules[k] -= abs(shares[k] - y)", False),
    ("specialists", {"n": 4}, "w[i] *= back if row[i] == row[i] else 1.0", "w[i] *= 1.0", False),
    ("specialists", {"n": 4}, "if known else row, y, beta)", "if known else row, 1 - y, beta)", True),
    ("sleeping_adahedge", {"n": 4}, "z[2] += max(0.0, gap)", "z[2] += 0.5 * max(0.0, gap)", False),
    ("sleeping_adahedge", {"n": 4}, "behind[i] += (loss - low) - mean", "behind[i] += loss", False),  # sleepers pay nothing
    ("sleeping_adahedge", {"n": 4}, "behind, row, truth[t])", "behind, row, 1 - truth[t])", True),
    ("sleeping_adahedge", {"n": 4}, "gap = best - after", "gap = 0.0 * best", True),
    ("ml_poly", {"n": 4}, "f, slope(loss, quantile, f, truth[t])", "f, -slope(loss, quantile, f, truth[t])", True),
    (
        "ml_poly",
        {"n": 4, "advice": "loss", "loss": "squared"},
        "f, slope(loss, quantile, f, truth[t])",
        "f, slope(loss, quantile, f, -truth[t])",
        True,
    ),
    ("ml_poly", {"n": 4}, "w, regrets, squares, z[2])", "w, -regrets, squares, z[2])", True),
    ("ml_poly", {"n": 4}, "learn_excess(r, regrets, squares, z[2], z[3])", "learn_excess(r, regrets, squares, z[2], 0.0)", True),
    ("boa", {"n": 4}, "f, slope(loss, quantile, f, truth[t])", "f, -slope(loss, quantile, f, truth[t])", False),
    ("boa", {"n": 4}, "w, gains, slowness)", "w, -gains, slowness)", True),
    ("boa", {"n": 4}, "learn_gain(False,", "learn_gain(True,", False),
    ("boa", {"n": 3, "advice": "loss", "loss": "absolute"}, "z[2] = max(z[2], regretted(", "z[2] = max(0.0, regretted(", False),
    ("ml_prod", {"n": 4}, "w, gains, slowness)", "w, -gains, slowness)", True),
    ("ml_prod", {"n": 4}, "learn_gain(True, r, z[2], ln_n", "learn_gain(True, r, z[2], 3.0 * ln_n", False),
    ("ml_prod", {"n": 4}, "f, slope(loss, quantile, f, truth[t])", "f, -slope(loss, quantile, f, truth[t])", False),
    ("ml_prod", {"n": 4}, "z[3] += learn_gain(", "learn_gain(", False),
    # what the three share: the regret, and of each the update, the rate and what its theorem counts
    *((name, {"n": 4}, "s * (f - row[i])", "s * (row[i] - f)", name == "ml_poly") for name in ("ml_poly", "boa", "ml_prod")),
    ("ml_poly", {"n": 4}, "regrets[i] += r[i]", "regrets[i] += max(0.0, r[i])", False),
    ("ml_poly", {"n": 4}, "regrets[i] / (widest + squares[i])", "regrets[i] / (widest + 0.0 * squares[i])", False),
    ("ml_poly", {"n": 4}, "min(potential + added, leap)", "potential", True),
    *((name, {"n": 4}, "squares[i] / ln_n))", "0.0 * squares[i] / ln_n))", False) for name in ("boa", "ml_prod")),
    *((name, {"n": 4}, "best) / slowness[i] if slowness[i] > 0.0 else 0.0", "best)", False) for name in ("boa", "ml_prod")),
    ("boa", {"n": 4}, "else r[i] - r[i] * r[i] / slow", "else r[i]", False),
    ("ml_prod", {"n": 4}, "slow * log_more(r[i] / slow)", "r[i]", False),
    ("ml_prod", {"n": 4}, "sizes[i] if products and sizes[i] > 0.0 else widest", "widest", False),
    *((name, {"n": 4}, "corrections[i] += r[i] - gain", "corrections[i] += 0.0", True) for name in ("boa", "ml_prod")),
    ("rule_of_rules", {"n": 3, "loss": "squared"}, "own, slope(loss, quantile, own, y)", "own, -slope(loss, quantile, own, y)", False),
    (
        "rule_of_rules",
        {"n": 3},
        "learn_gaps(over, top_behind, slow, ln_k, mean_regret)",
        "learn_gaps(-over, top_behind, slow, ln_k, mean_regret)",
        False,
    ),
    ("rule_of_rules", {"n": 3, "loss": "squared"}, "y, KEEPS[j], PULLS[j]", "-y, KEEPS[j], PULLS[j]", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 9}, "y, FADES[j], apart", "-y, FADES[j], apart", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 9}, "0.5 * (z[10] + z[12])", "0.5 * z[10]", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 12}, "slow, ln_k, mean_regret)", "slow, ln_k, 0.0)", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 12}, "ease(over, f, own)", "pass", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 12}, "trust_the_middle(w[NINE], row)", "w[NINE] = 1.0", False),
    ("rule_of_rules", {"n": 3, "loss": "squared", "members": 12}, "z[13 + j], row)", "z[13], row)", False),
    ("exp3", {"n": 3, "eta": "1/5"}, "exp(-rate * loss * total / v[chosen])", "exp(-rate * loss)", False),
    ("exp3_ix", {"n": 3, "eta": "1/5"}, "0.5 * rate", "0.0 * rate", False),
]


def mutant(name, settings, old, new):
    module = import_module(f"littlestone.learners.experts.{name}")
    shared = old not in Path(module.__file__).read_text("utf-8")
    broken = uncompiled(module, *(("", "") if shared else (old, new)))
    if shared:
        theirs = vars(uncompiled(_regrets, old, new))
        vars(broken).update({word: theirs[word] for word in vars(broken) if word in vars(_regrets) and callable(theirs[word])})
    return replace(getattr(broken, name)(**settings), native=None)  # the mutant is one of the text in Python


def uncompiled(module, old, new):
    """A module with a text in place of another, as plain Python."""
    source = Path(module.__file__).read_text("utf-8")
    assert old in source, f"{old!r} no longer stands in {module.__file__}: this mutant tests nothing"
    source = re.sub(r"^from littlestone\.kernels\.compiler import .*$", "jit = jit_lent = lambda function: function", source, flags=re.M)
    broken = types.ModuleType(f"mutant_of_{module.__name__.rpartition('.')[2]}")
    broken.__doc__, broken.__file__ = module.__doc__, module.__file__
    sys.modules[broken.__name__] = broken
    exec(compile(source.replace(old, new, 1), broken.__name__, "exec"), broken.__dict__)
    if hasattr(broken, "play"):
        broken.play = in_doubles(broken.play)
    return broken


def in_doubles(play):
    """Compiled code reckons with a number of single precision in doubles, and Python does not."""

    @wraps(play)
    def wide(*given):
        return play(*given[:-4], given[-4].astype(np.float64), *given[-3:])

    return wide


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


def test_an_overshoot_is_laid_on_the_rule_where_an_expert_is_as_good_as_declared():
    broken = mutant("weighted_majority", {"n": 4}, "if not always and yhat == (y == 1):", "if True:")
    votes, truth = [[1, 0, 0, 0], [0, 1, 1, 1]] * 20, [1, 0] * 20
    run = ls.play(broken, votes, truth)
    for claim in (run.bounds("expert:m=0")[0], ls.certify(run, votes, truth, assume="expert:m=0").bounds[0]):
        assert claim.holds is False and claim.observed > claim.limit and not claim.reason


def clauses():
    """Those that plain Python can keep: what a hostile state holds makes it raise where compiled code has a number that is none."""
    kept = [check for check in yield_rule_checks() if "hostile" not in check.__name__]
    return sorted(kept, key=lambda check: "reference" not in check.__name__)


@pytest.mark.parametrize("name", dict.fromkeys(name for name, *_ in MUTANTS))
def test_what_is_not_broken_is_not_caught(name):
    for settings in [settings for mutated, settings, *_ in {str(case[:2]): case for case in MUTANTS}.values() if mutated == name]:
        assert caught_by(mutant(name, settings, "", ""), clauses()) is None


@pytest.mark.parametrize(("name", "settings", "old", "new", "by_theorem"), MUTANTS)
def test_mutant_is_caught(name, settings, old, new, by_theorem):
    broken = mutant(name, settings, old, new)
    checks = [check for check in clauses() if "bound" in check.__name__ or not by_theorem]
    assert caught_by(broken, checks), "survived every clause it should not"
