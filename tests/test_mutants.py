"""Learners broken on purpose: each mutant must be caught, and for each learner some mutant by its bounds or invariants alone."""

import re
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import Phase

import littlestone as ls
from littlestone.checks import trials as checked
from littlestone.checks import yield_checks
from littlestone.checks.learners import check_kernels_stay_inside_their_arrays
from littlestone.kernels import hyperbolic, log_loss, powers

THEOREMS = ("bound", "invariants")
SHARED = (powers, log_loss)  # kernels that several learners share

# (learner, settings, what stands in its file, what the mutant has instead, is it caught by a theorem alone?)
MUTANTS = [
    ("perceptron", {}, "lo, hi) >= 0.0", "lo, hi) > 0.0", False),  # wrong tie
    ("perceptron", {}, "sign = 1.0 if y else -1.0", "sign = 1.0 if y else 0.0", True),  # no demotion
    ("perceptron", {}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),  # the wrong way
    ("perceptron", {}, "updated = yhat != y\n", "updated = True\n", True),  # learns from correct rounds
    ("perceptron", {"bias": 1}, "b[0] += step", "b[0] -= step", True),  # bias the wrong way
    ("perceptron", {"margin": 2}, "sign * s <= beta", "sign * s <= 3.0 * beta", True),  # too wide a margin
    ("perceptron", {"margin": 2}, "step = sign * weight", "step = sign", False),  # forgets the weight
    ("perceptron", {"averaged": True}, "updated = yhat != y\n", "updated = True\n", True),  # learns from correct rounds
    ("apple_tasting", {}, "step = 1.0 if y else -1.0", "step = -1.0 if y else 1.0", True),  # the wrong way
    ("apple_tasting", {}, "step = 1.0 if y else -1.0", "step = 1.0 if y else 0.0", True),  # no demotion
    ("apple_tasting", {}, "    if not yhat:  # the", "    if False:  # the", False),  # peeks at what it may not see
    ("apple_tasting", {}, "coin(seed, told[0]) < taste", "coin(seed, told[0]) > taste", False),  # tastes the rest
    ("passive_aggressive", {}, "return score(rho2, C, second, w, b, sums, indices, values, lo, hi) >= 0.0", "return False", False),
    ("passive_aggressive", {}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),  # the wrong way
    ("passive_aggressive", {}, "min(weight * C, loss / square)", "weight * C", True),  # always as much as allowed
    ("passive_aggressive", {}, "min(weight * C, loss / square)", "min(weight * C, 3.0 * loss / square)", True),  # too far
    ("passive_aggressive", {"variant": "II"}, "tau = loss / q", "tau = 3.0 * loss / q", True),  # too far
    ("passive_aggressive", {"bias": 1}, "b[0] += step", "b[0] -= step", True),
    ("alma", {}, "step = sign * eta / (z[0] * size)", "step = -sign * eta / (z[0] * size)", True),  # the wrong way
    ("alma", {}, "eta = RATE / sqrt(z[2])", "eta = RATE", False),  # the rate does not fall
    ("alma", {}, "z[0] /= sqrt(z[1])", "z[0] /= 1.0", True),  # leaves the ball
    ("alma", {}, "v[i] *= z[0]", "v[i] *= 1.0", True),  # renormalises in name only
    ("alma", {}, "return updated", "return (s >= 0.0) != y", False),  # keeps quiet about updates on correct rounds
    ("arow", {}, "return updated", "return True", False),  # says that every round was an update
    ("arow", {}, "step, rate, growth = sign * alpha,", "step, rate, growth = -sign * alpha,", True),  # the wrong way
    ("arow", {}, "sigma[i] /= 1.0 + pull * x * rate", "sigma[i] *= 1.0 + pull * x * rate", True),  # less and less sure
    ("arow", {}, "sigma[i] /= 1.0 + pull * x * rate", "sigma[i] /= 1.0", False),  # never more sure
    ("adaptive", {}, "pull = weight * wrong if y", "pull = -weight * wrong if y", False),  # the wrong way
    ("adaptive", {}, "if (s >= 0.0) != y:", "if False:", True),  # always thinks it was right
    ("adaptive", {}, "eta * g / lanes_sqrt(squares)", "eta * g / squares", False),
    ("adaptive", {"bias": 1}, "sums[2] -= weight * log(right)", "sums[2] -= log(right)", True),  # forgets the weight
    ("naive_bayes", {}, "                ones[i] += c", "                zeros[i] += c", False),  # every label is a 0
    ("naive_bayes", {}, "new += ones[i] + zeros[i] == 0.0", "new += 1", True),  # every feature is new
    ("naive_bayes", {}, "totals[j] += added", "totals[0] += added", True),  # one total for both labels
    ("coin", {}, "pull = force if y else -force", "pull = -force if y else force", False),  # the wrong way
    ("coin", {}, "V[i] += p * bet", "V[i] += p * 3.0 * bet", True),  # bets three times what it says
    ("coin", {}, "w[i] = V[i] / (c * (c + G[i])) * Z[i]", "w[i] = V[i] / (c * c) * Z[i]", True),  # bets more than it owns
    ("normalized", {}, "loss / gain)", "3.0 * loss / gain)", False),  # goes beyond a margin of 1
    ("normalized", {}, "weight * loss * loss if squared else weight * loss", "0.0", True),  # loses nothing, it says
    ("normalized", {}, "in_order(length2, z * z", "in_order(length2, x * x", True),  # units matter after all
    ("arow_full", {}, "step = sign * (loss / q)", "step = -sign * (loss / q)", False),  # the wrong way
    ("arow_full", {"dense": 2}, "sigma[i] /= 1.0 + pull", "sigma[i] *= 1.0 + pull", True),  # less and less sure
    ("arow_full", {"dense": 2}, "sums[1] += weight * worth", "sums[1] += 0.0", True),  # forgets what mistakes cost
    ("second_order", {}, "step = (sign - s)", "step = (-sign - s)", True),  # the wrong way
    ("second_order", {"dense": 2, "bias": 1}, "sums[0] += log1p(q)", "sums[0] += 0.0", True),  # forgets what a mistake adds
    ("second_order", {"dense": 2, "bias": 1}, "s /= 1.0 + spread", "s /= 9.0 + spread", False),
    ("selective", {}, "step = 1.0 if y else -1.0", "step = -1.0 if y else 1.0", True),  # the wrong way
    ("selective", {"b": "1/10", "bias": 1}, "(price + size) < price", "(price + size) < 9.0 * price", False),  # asks too often
    ("shifting", {}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),  # the wrong way
    ("shifting", {}, "keep = z[1] / (lam + z[1])", "keep = 1.0", False),  # never forgets
    ("shifting", {"lam": 5}, "v[i] *= z[0]", "v[i] *= 1.0", False),  # rescales in name only
    ("pairs", {}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),  # the wrong way, and the loss of it
    ("pairs", {}, "sums[0] += weight * loss", "sums[0] += loss", True),  # forgets the weight
    ("pairs", {"room": 5}, "r < params.room:", "r <= params.room:", True),  # one pair too many
    ("pnorm", {"p": 5}, "step = weight if y else -weight", "step = -weight if y else weight", True),
    ("pnorm", {"p": 5}, "step = weight if y else -weight", "step = weight if y else 0.0", True),
    ("pnorm", {"p": 5}, "if yhat != y:", "if True:", True),  # learns from correct rounds
    ("pnorm", {"p": 100}, "for i in range(len(theta)):", "for i in range(0):", False),  # rescales nothing
    ("winnow", {"n": 6}, "return 1\n", "return 0\n", False),  # w·x = θ predicts 0
    ("winnow", {"n": 6}, "wx >= theta", "wx <= theta", False),  # w·x < θ predicts 1
    (
        "winnow",
        {"n": 6},
        "np.int32(1) if y else np.int32(-1)",
        "np.int32(1) if y else np.int32(0)",
        True,
    ),  # no demotion
    (
        "winnow",
        {"n": 6},
        "np.int32(1) if y else np.int32(-1)",
        "np.int32(0) if y else np.int32(-1)",
        True,
    ),  # no promotion
    ("winnow", {"n": 6}, "if yhat != y:", "if True:", True),
    (
        "winnow",
        {"n": 6},
        "powers_of(factor, threshold)",
        "powers_of(factor, 2 * threshold)",
        True,
    ),  # threshold
    ("winnow", {"n": 6}, "ULP = 2.0**-52", "ULP = -1.0", False),  # never looks twice
    ("winnow_elimination", {"n": 6}, "wx >= theta", "wx > theta", False),
    ("winnow_elimination", {"n": 6}, "factor = 2 if y else 0", "factor = 2 if y else 1", True),  # no elimination
    ("winnow_elimination", {"n": 6}, "factor = 2 if y else 0", "factor = 1 if y else 0", True),  # no promotion
    ("winnow_elimination", {"n": 6}, "if yhat != y:", "if True:", True),
    ("winnow_elimination", {"n": 6}, "Params(ceil(threshold))", "Params(2 * ceil(threshold))", True),
    ("balanced_winnow", {}, "lo, hi) >= 0.0", "lo, hi) > 0.0", False),
    ("balanced_winnow", {}, "sign = 1.0 if y else -1.0", "sign = 1.0 if y else 0.0", True),
    ("balanced_winnow", {}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),
    ("balanced_winnow", {}, "updated = yhat != y or (", "updated = True or (", False),
    ("balanced_winnow", {"eta": 300}, "for i in range(len(c)):", "for i in range(0):", False),  # rescales nothing
    ("balanced_winnow", {"margin": "1/10"}, "updates[t] = updated", "updates[t] = predictions[t] != (labels[t] == 1)", False),
    ("balanced_winnow", {"margin": "1/10"}, "<= margin * total", "<= 10.0 * margin * total", False),
    ("halving", {"concepts": "disjunctions", "n": 7}, "2 * ones >=", "2 * ones >", False),  # a tie predicts 0
    ("halving", {"concepts": "half_intervals", "n": 9}, "2 * ones >=", "4 * ones >=", True),  # a quarter is enough
    ("halving", {"concepts": "conjunctions", "n": 4}, "2 * ones >=", "2 * ones <", True),  # the minority
    ("halving", {"concepts": "half_intervals", "n": 9}, "ones if y else tally[ALIVE] - ones", "tally[ALIVE] - ones if y else ones", True),
    (
        "halving",
        {"concepts": "monotone_conjunctions", "n": 5},
        "y == (reading == EVERY)",
        "y != (reading == EVERY)",
        True,
    ),  # drops the right ones
    ("halving", {"concepts": "disjunctions", "n": 7}, "tally[ALIVE] = right\n", "", True),  # forgets to count
    ("halving", {"concepts": "disjunctions", "n": 7}, "tally[BROKEN] = right == 0", "tally[BROKEN] = 0", False),  # goes on with nobody
    (
        "halving",
        {"concepts": "disjunctions", "n": 7},
        "    if pending:\n        keep(",
        "    if False:\n        keep(",
        False,
    ),  # the last round
    ("halving", {"concepts": "half_intervals", "n": 9, "beta": "1/2"}, "favour >= total", "favour > total", False),  # a tie predicts 0
    ("halving", {"concepts": "half_intervals", "n": 9, "beta": "1/2"}, "favour >= total", "favour < total", True),  # the minority
    ("halving", {"concepts": "conjunctions", "n": 3, "beta": "2/3"}, "(ALL if y else ZERO)", "(ZERO if y else ALL)", True),
    ("halving", {"concepts": "disjunctions", "n": 5, "beta": "1/2"}, "counts[c] += np.int64(word & ONE)", "counts[c] += 0", True),
    ("halving", {"concepts": "conjunctions", "n": 3, "beta": "2/3"}, "> exact and", "> 1000 and", False),  # never looks twice
    ("optimal", {"concepts": "half_intervals", "n": 9}, "(ones) >= dim", "(ones) > dim", False),
    ("optimal", {"concepts": "half_intervals", "n": 9}, "(ones) >= dim", "(ones) <= dim", True),  # the poorer part
    ("optimal", {"concepts": "conjunctions", "n": 3}, "    if right:\n", "    if right and len(indices) < 2:\n", True),  # learns little
    ("optimal", {"concepts": "disjunctions", "n": 4}, "ones if y else zeros", "zeros if y else ones", True),
    ("optimal", {"concepts": "disjunctions", "n": 4}, "tally[BROKEN] = not right", "tally[BROKEN] = 0", False),
    ("winnow_real", {"n": 3}, "return wx >= theta", "return wx > theta", False),  # wrong tie
    ("winnow_real", {"n": 2}, "sign = 1.0 if y else -1.0", "sign = 1.0 if y else 0.0", True),  # no demotion
    ("winnow_real", {"n": 6}, "sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0", True),  # the wrong way
    ("winnow_real", {"n": 6}, "if yhat != y:", "if True:", True),
    ("winnow_real", {"n": 3, "alpha": "3/2", "complement": True}, "z[C] += sign", "z[C] -= sign", True),  # complements the wrong way
    ("winnow_real", {"n": 3, "alpha": "3/2", "complement": True}, "tree, z) - active)", "tree, z) + active)", True),
    ("winnow_real", {"n": 3, "alpha": "3/2", "complement": True}, "exp((z[H] - s[i])", "exp((z[H] + s[i])", False),
    ("winnow_doubling", {"n": 3}, "z[1] > limits[z[0]]", "z[1] >= limits[z[0]]", True),  # gives up a mistake too soon
    ("winnow_doubling", {"n": 3}, "e[:] = 0", "e[:] = 1", True),  # does not begin afresh
    ("winnow_doubling", {"n": 3}, "z[0] += 1", "z[0] += 0", True),  # begins afresh with the same guess
    ("winnow_doubling", {"n": 3}, "np.int32(1) if y else np.int32(-1)", "np.int32(1) if y else np.int32(0)", True),
    ("winnow_doubling", {"n": 3}, "powers[starts[j] : starts[j + 1]]", "powers[starts[0] :]", False),  # the first guess's powers
    ("memorizer", {}, "told[r] = y", "told[r] = 1", True),  # never takes a label back
    ("memorizer", {}, "if yhat != y:", "if True:", False),  # remembers the 0s too
    ("memorizer", {}, "return r >= 0 and told[r] == 1", "return r < 0 or told[r] == 1", True),  # begins with 1
    ("memorizer", {}, "tally[0] += 1", "tally[0] += 0", True),  # writes over what it knew
    ("disjunctions", {"n": 5}, "gone[indices[k]] = 1", "gone[indices[k]] = 0", True),  # strikes nothing out
    ("disjunctions", {"n": 5}, "if yhat and not y:", "if yhat:", True),  # strikes out on correct 1s
    ("disjunctions", {"n": 5}, "return False", "return True", True),  # always predicts 1
    ("disjunctions", {"n": 5}, "if gone[indices[k]] == 0:", "if gone[indices[k]] == 1:", True),
    ("conjunctions", {"n": 4}, "if y and not yhat:", "if y:", False),  # learns from correct 1s, which contradict nothing
    ("conjunctions", {"n": 4}, "if y and not yhat:", "if not y:", True),  # learns from the 0s
    ("conjunctions", {"n": 4}, "lo, hi) == tally[1]", "lo, hi) >= 0", True),  # forgets the positive literals
    ("conjunctions", {"n": 4}, "if seen[indices[k]] == 0:", "if seen[indices[k]] < 0:", True),  # and the negative ones
    ("conjunctions", {"n": 4}, "seen[indices[k]] == tally[0]", "seen[indices[k]] > 0", True),  # a literal comes back
]


def mutant(name, settings, old, new):
    """The learner with one piece of its file replaced, and the compiler off."""
    module = import_module(f"littlestone.learners.binary.{name}")
    sources = {other: plain_source(other) for other in (module, *SHARED)}
    home = next((other for other, source in sources.items() if old in source), None)
    assert home, f"{old!r} no longer stands in {module.__file__}, nor in what it shares: this mutant tests nothing"
    sources[home] = sources[home].replace(old, new, 1)
    broken = types.ModuleType(f"mutant_of_{name}")
    broken.__doc__ = module.__doc__
    broken.__file__ = module.__file__
    sys.modules[broken.__name__] = broken
    with pytest.MonkeyPatch.context() as patch:
        plain = types.ModuleType(hyperbolic.__name__)  # what is worked out eight at a time, without the compiler too
        exec(compile(plain_source(hyperbolic), plain.__name__, "exec"), plain.__dict__)
        patch.setitem(sys.modules, hyperbolic.__name__, plain)
        if home in SHARED:
            shared = types.ModuleType(home.__name__)
            exec(compile(sources[home], shared.__name__, "exec"), shared.__dict__)
            patch.setitem(sys.modules, home.__name__, shared)
        exec(compile(sources[module], broken.__name__, "exec"), broken.__dict__)
    return getattr(broken, name)(**settings)


def plain_source(module):
    """The source of a module for Python alone; nor does a learner of it play by the native core, which would not be broken."""
    source = re.sub(r", native=native\.core\.\w+", "", Path(module.__file__).read_text("utf-8"))
    return re.sub(
        r"^from littlestone\.kernels\.compiler import (\([^)]*\)|.*)$",
        r"from littlestone.kernels.interpreted import \1\njit = jit_apart = jit_lent_apart = jit_lent = lambda function: function",
        source,
        flags=re.M,
    )


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


@pytest.mark.parametrize(("name", "settings", "old", "new", "by_theorem"), MUTANTS, ids=lambda value: str(value)[:40])
def test_a_broken_learner_is_caught(name, settings, old, new, by_theorem):
    broken = mutant(name, settings, old, new)
    if by_theorem:
        theorems = [check for check in yield_checks(broken) if any(word in check.__name__ for word in THEOREMS)]
        assert caught_by(broken, theorems), f"no bound and no invariant noticed {old!r} -> {new!r}"
    else:
        first = sorted(yield_checks(broken), key=lambda check: "reference" not in check.__name__)
        assert caught_by(broken, first), f"no check noticed {old!r} -> {new!r}"


WRONG_WAY = ("sign = 1.0 if y else -1.0", "sign = -1.0 if y else 1.0")
# what each assumes, and a stream that meets it: more mistakes than its theorem allows are then its own fault
BLAMED = [
    ("perceptron", {"bias": 0}, WRONG_WAY, "margin:gamma=1/2", [[1.0], [-1.0]] * 5, [1, 0] * 5),
    ("perceptron", {"bias": 1}, WRONG_WAY, "margin:gamma=1/2,R=2", [[1.0], [-1.0]] * 20, [1, 0] * 20),
    ("winnow", {"n": 6}, ("if yhat != y:", "if yhat == y:"), "disjunction:r=1", [[1, 0, 0, 0, 0, 0]] * 30, [1] * 30),
    ("winnow", {"n": 6}, ("if yhat != y:", "if yhat == y:"), "k_of_r:k=1,r=1", [[1, 0, 0, 0, 0, 0]] * 60, [1] * 60),
]


@pytest.mark.parametrize(("name", "settings", "change", "assume", "X", "y"), BLAMED, ids=lambda value: str(value)[:40])
def test_an_overshoot_is_laid_on_the_learner_where_the_stream_meets_the_assumption(name, settings, change, assume, X, y):
    broken = mutant(name, settings, *change)
    cert = ls.certify(ls.play(broken, X, y), X, y, assume=assume)
    claim = cert.bounds[0]
    assert claim.holds is False and claim.observed > claim.limit and claim.contradiction is None and cert.best is not claim
    verdict = ls.verify(cert, X, y, replay=False)
    assert verdict.status == "broken" and not verdict.verified and "BROKEN" in str(verdict) and "fault of the learner" in str(verdict)
    with pytest.raises(ls.Refused, match=f"replaying {name}"):
        ls.verify(cert, X, y)


def test_an_index_beyond_an_array_is_seen_where_a_compiled_kernel_works_on_eight_features(monkeypatch):
    monkeypatch.setitem(globals(), "plain_source", lambda module: Path(module.__file__).read_text("utf-8"))
    broken = mutant("balanced_winnow", {}, "scatter(s, at,", "scatter(s[1:], at,")
    with pytest.raises(IndexError):
        check_kernels_stay_inside_their_arrays(broken)


@pytest.mark.parametrize("name", ["arow", "perceptron", "winnow"])  # the contract itself is played on every learner as it is
def test_the_unbroken_learner_is_not_caught(name):
    settings = next(s for n, s, *_ in MUTANTS if n == name)
    sound = mutant(name, settings, "Kernels(predict, update, play", "Kernels(predict, update, play")
    assert (
        caught_by(
            sound,
            [c for c in yield_checks(sound) if any(word in c.__name__ for word in THEOREMS) or "reference" in c.__name__],
        )
        is None
    )
