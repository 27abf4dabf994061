"""Experts to compare with: against all paths and many mixtures of tiny cases, and the bounds that they give."""

from fractions import Fraction
from itertools import pairwise, product
from math import inf, log

import numpy as np
import pytest

import littlestone as ls
from littlestone.checks.rules import hard_games
from littlestone.errors import LittlestoneError
from littlestone.theory import experts as theory
from littlestone.theory import judge
from littlestone.witnesses.experts import best_path, best_switches, losses_of, mixture


def tables(count, *, asleep=True, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rounds, n = int(rng.integers(1, 7)), int(rng.integers(1, 4))
        table = rng.choice([0.0, 0.25, 0.5, 1.0], (rounds, n))
        yield np.where(rng.random((rounds, n)) < 0.2, np.nan, table) if asleep else table


def every_path(table):
    """Each sequence of experts awake, its changes and its loss."""
    rounds, n = table.shape
    for path in product(range(n), repeat=rounds):
        lost = table[range(rounds), path]
        if not np.isnan(lost).any():
            yield sum(a != b for a, b in pairwise(path)), lost.sum()


def test_paths_are_the_best_of_all_paths():
    for table in tables(300):
        known = list(every_path(table))
        for most, path in enumerate(best_path(table, 4)):
            least = min((m for changes, m in known if changes <= most), default=inf)
            if path is None:
                assert least == inf
            else:
                assert path.m == least and path.switches <= most
                assert Fraction(table[range(len(table)), path.experts].sum()) == path.m
                assert path.switches == (np.diff(path.experts) != 0).sum() == len(path.segments) - 1


@pytest.mark.parametrize(
    ("alpha", "eta", "beta"), [("1/20", "1", None), ("1/3", "1/4", None), ("1/10", None, "1/2"), ("99/100", "2", None)]
)
def test_the_number_of_changes_is_the_one_whose_bound_is_least(alpha, eta, beta):
    alpha, eta, beta = (None if value is None else Fraction(value) for value in (alpha, eta, beta))
    for table in tables(120, seed=1):
        (rounds, n), path = table.shape, best_switches(table, alpha=alpha, eta=eta, beta=beta)
        known = list(every_path(table))
        if path is None:
            assert not known
            continue

        def bound(changes, m, n=n, rounds=rounds):
            if eta is not None:
                return theory.shifting(n, Fraction(m), eta, alpha, rounds, changes)
            return theory.shifting_mistakes(n, Fraction(m), beta, alpha, changes)

        if alpha < Fraction(1, 2):  # else more changes than rounds need would be cheaper still
            assert abs(bound(path.switches, path.m) - min(bound(*other) for other in known)) < 1e-9


def test_the_price_and_the_count_of_changes_agree_on_a_long_table():
    rng = np.random.default_rng(3)
    table = rng.random((400, 5)) * (0.2 + 0.8 * (np.arange(5) != np.arange(400)[:, None] // 80))
    by_count = [path for path in best_path(table, 12) if path is not None]
    one = best_switches(table, alpha=Fraction(1, 50), eta=Fraction(1, 2))
    limits = [theory.shifting(5, path.m, Fraction(1, 2), Fraction(1, 50), 400, path.switches) for path in by_count]
    best = by_count[limits.index(min(limits))]
    assert (one.switches, one.m) == (best.switches, best.m) and one.switches == 4


def test_nobody_follows_a_sleeper():
    nan = float("nan")
    assert best_path([[nan, nan], [0, 1]], 1) == [None, None]
    assert best_switches([[nan], [0]], alpha=Fraction(1, 10), eta=1) is None
    path = best_path([[0, 1], [nan, 1], [0, 1]], 2)
    assert path[0].experts.tolist() == [1, 1, 1] and path[2].experts.tolist() == [0, 1, 0]
    assert np.array_equal(losses_of([[0, 1], [nan, 0.25], [1, 1]], [1, 0, -1]), [[1, 0], [nan, 0.25]], equal_nan=True)


@pytest.mark.parametrize("eta", [0.01, 0.5, 3.0, inf])
def test_no_mixture_is_better(eta):
    rng = np.random.default_rng(5)
    for _ in range(20):
        losses = rng.integers(0, 12, 6) * 0.5
        found = mixture(losses, eta)
        if eta == inf:
            assert found.m == losses.min() and abs(float(found.kl) - log(6 / (losses == losses.min()).sum())) < 1e-12
            continue
        least = -log(np.mean(np.exp(-eta * losses)))  # what the best mixture comes to
        assert abs(eta * float(found.m) + float(found.kl) - least) < 1e-6
        for q in rng.dirichlet(np.ones(6) * 0.5, 30):
            m, kl = theory.mixed([int(1e6 * p) for p in q], [Fraction(loss) for loss in losses])
            assert eta * float(m) + float(kl) >= least - 1e-9


def test_many_experts_are_mixed_nearly_as_well():
    losses = np.random.default_rng(1).random(20_000) * 100
    found = mixture(losses, 0.1)
    least = -log(np.mean(np.exp(-0.1 * losses)))
    assert len(np.unique(found.weights)) < 300 and 0 <= 0.1 * float(found.m) + float(found.kl) - least < 0.001


RULES = [
    ls.weighted_majority(n=5),
    ls.weighted_majority(n=5, beta="9/10", updates="always"),
    ls.weighted_majority(n=5, beta=0),
    ls.randomized_weighted_majority(n=5, epsilon="1/3"),
    ls.randomized_weighted_majority(n=5, epsilon="1/10", advice="loss"),
    ls.hedge(n=5, eta="1/2"),
    ls.hedge(n=5, eta=4, advice="loss"),
    ls.hedge(n=5),
    ls.hedge(n=1),
    ls.hedge(n=5, advice="loss"),
    ls.adahedge(n=5),
    ls.adahedge(n=5, advice="loss"),
    ls.adahedge(n=1),
]


def rate(run):
    if "gaps" in (run.rule.facts(run) if run.rule.facts else {}):
        return log(run.rule.n) / run.state.z[2] if run.state.z[2] and run.rule.n > 1 else inf
    settings = run.rule.settings
    if "beta" in settings:
        return -log(settings["beta"]) if settings["beta"] else inf
    if "epsilon" in settings:
        return -log(1 - settings["epsilon"])
    return float(settings["eta"] or (8 * log(max(2, run.rule.n)) / run.rounds) ** 0.5)


def claims_for(run, m, kl):
    """The rule's bounds for mixtures, judged with one that loses m."""
    facts = {**run.rule.settings, **(run.rule.facts(run) if run.rule.facts else {}), "n": run.rule.n, "T": run.rounds, "m": m, "kl": kl}
    return [judge(bound, run.cost, facts) for bound in run.rule.bounds if bound.name.endswith("-mixture")]


def games(rule, count, most=60, seed=7):
    rng = np.random.default_rng(seed)
    n = rule.n
    for _ in range(count):
        rounds = int(rng.integers(1, most))
        skill = rng.random(n) * rng.choice([0.0, 0.3, 1.0])
        truth = rng.integers(0, 2, rounds)
        wrong = rng.random((rounds, n)) < skill
        if rule.advice == "loss":
            yield wrong * rng.random((rounds, n)), None
        else:
            yield np.where(wrong, 1 - truth[:, None], truth[:, None]).astype(float), truth


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_bounds_hold_for_every_mixture(rule):
    """For the best mixture, for each expert alone, and for all alike; the best is at least as good as the best expert's own bound."""
    hard = [(game.table, None if rule.advice == "loss" else game.truth) for game in hard_games(rule)]
    for table, truth in [*games(rule, 40), *hard]:
        run = ls.play(rule, table, truth)
        losses = run.state.costs if hasattr(run.state, "costs") else run.losses
        best = claims_for(run, *mixture(losses, rate(run))[1:])
        assert best
        plain = {claim.name: claim for claim in run.bounds()}
        for claim in best:
            assert claim.holds or "at beta = 0" in claim.reason, f"{claim.name}: {claim.observed} > {claim.limit}"
            beside = plain.get(claim.name.replace("-mixture", "-hindsight")) or plain.get(claim.name.replace("-mixture", ""))
            if beside is not None and claim.limit is not None and beside.limit is not None:
                assert claim.limit <= beside.limit + 1e-4
        for weights in ([1] * rule.n, [1] + [0] * (rule.n - 1), list(range(rule.n, 0, -1))):
            m, kl = theory.mixed(weights, [Fraction(float(loss)) for loss in losses])
            for claim in claims_for(run, m, kl):
                assert claim.holds or "at beta = 0" in claim.reason


def test_a_rule_that_learns_nothing_breaks_them():
    """Five experts of ten are always right: a rule that follows the rest exceeds the bound for that mixture."""
    table, truth = np.tile([1.0] * 5 + [0.0] * 5, (30, 1)), np.ones(30)
    run = ls.play(ls.hedge(n=10, eta=1), table, truth)
    found = mixture(run.losses, 1.0)
    assert abs(float(found.kl) - log(2)) < 1e-9 and run.cost < theory.hedge_ratio_mixed(found.m, found.kl, 1, 30) < 1.1
    stuck = 15.0  # weights that never move lose half of every round
    assert not any(judge(bound, stuck, {"eta": 1, "T": 30, "m": found.m, "kl": found.kl}).holds for bound in theory.HEDGE_MIXED[:1])


def test_many_good_experts_are_better_than_the_best_alone():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    table = np.where(rng.random((300, 64)) < 0.1, 1 - truth[:, None], truth[:, None])
    run = ls.play(ls.hedge(n=64, eta="1/10"), table, truth)
    alone = {claim.name: claim.limit for claim in run.bounds()}
    claims = {claim.name: claim.limit for claim in claims_for(run, *mixture(run.losses, 0.1)[1:])}
    assert claims["hedge-mixture"] < 0.9 * alone["hedge-hindsight"]


def test_bad_input_is_refused():
    with pytest.raises(LittlestoneError, match="finite number for each expert"):
        mixture([], 1.0)
    with pytest.raises(LittlestoneError, match="rounds × experts"):
        best_path([1, 2], 1)
    with pytest.raises(LittlestoneError, match="eta"):
        best_switches([[0, 1]], alpha=Fraction(1, 2))
    with pytest.raises(LittlestoneError, match="not all 0"):
        theory.mixed([0, 0], [1, 2])
