"""The rules over advice: the lectures' own examples, exact expectations, and rules broken on purpose."""

import re
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone import reference
from littlestone.errors import LittlestoneError
from littlestone.learners.experts.perturbed_leader import expectation
from littlestone.protocol import Advice, AdviceRunner
from littlestone.reference import experts as twins
from littlestone.theory import experts as theory


def chance_of_leading(losses, power):
    """How probably each leads after exponential head starts: c_i·∫_0^1 Π_{j≠i} (1 - v·c_j) dv, the polynomial multiplied out."""
    lowest, chances = min(losses), []
    c = [power(loss - lowest) for loss in losses]
    for i, c_i in enumerate(c):
        polynomial = [Fraction(1)]
        for j, c_j in enumerate(c):
            if j != i:
                shifted = [Fraction(0), *(-c_j * p for p in polynomial)]
                polynomial = [a + b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)]
        chances.append(c_i * sum((p / (k + 1) for k, p in enumerate(polynomial)), Fraction(0)))
    return chances


def exponential_weights(rounds, *, n, beta):
    """The shares of a 1 by weights β^loss, multiplied down exactly, of votes."""
    w = [Fraction(1)] * n
    for advice, y in rounds:
        yield twins.mean(w, advice, Fraction)
        if y is not None:
            w = [v * beta ** int(loss) for v, loss in zip(w, twins.losses_of(advice, y, Fraction), strict=True)]


def adversary(n, m):
    """Only the leader errs: n·m + n - 1 times against `follow_leader`, while no expert errs more than m times until the last."""
    losses, stream = [0] * n, []
    for _ in range(n * m + n - 1):
        leader = losses.index(min(losses))
        stream.append([i != leader for i in range(n)])
        losses[leader] += 1
    return np.array(stream, float), np.ones(len(stream)), losses


@pytest.mark.parametrize(("n", "m"), [(2, 0), (3, 0), (3, 2), (10, 1)])
def test_the_leader_that_loses_n_times_as_much_and_n_less_one(n, m):
    table, truth, losses = adversary(n, m)
    run = ls.play(ls.follow_leader(n=n), table, truth)
    assert run.mistakes == n * m + n - 1 == theory.leader(n, min(losses)) and min(losses) == m


def test_two_constant_experts_make_any_deterministic_rule_err_always():
    """One says 1, the other 0; the truth is what the rule does not say. The best of them errs at most every second time."""
    for rule in (ls.weighted_majority(n=2), ls.weighted_majority(n=2, updates="always", beta=0.9), ls.follow_leader(n=2)):
        model = rule.start()
        truths = []
        for _ in range(100):
            yhat = model.predict([1, 0])
            model.update([1, 0], not yhat)
            truths.append(not yhat)
        assert model.mistakes == 100 and min(sum(truths), 100 - sum(truths)) <= 50


def test_weighted_majority_is_exact_where_doubles_are_not():
    """Weights 2^-1, ..., 2^-60 against one weight of 1: they miss it by 2^-60, which no double sees."""
    rule = ls.weighted_majority(n=61)
    runner_state = rule.first_state()
    runner_state.costs[:] = np.arange(61)
    runner_state.w[:] = 0.5 ** np.arange(61)
    heaviest_alone = np.array([[0.0] + [1.0] * 60])
    model = rule.start(runner_state)
    assert model.predict(heaviest_alone[0]) is False
    runner_state.costs[60] = 59  # now they come to exactly 1: a tie, and a tie is a 1
    runner_state.w[60] = 0.5**59
    assert rule.start(runner_state).predict(heaviest_alone[0]) is True


def test_updating_only_on_a_mistake_breaks_the_theorem():
    """One perfect expert, one always wrong, ε = 1/2: the expectation of the lecture's literal rule passes ln 2/ε, and never stops."""
    expected = docs_counterexample()
    limit = theory.randomized(2, 0, Fraction(1, 2), 0)
    assert round(expected[10], 2) == 2.78 and round(expected[1000], 2) == 9.68 and round(limit, 3) == round(theory.ln(2) * 2, 3)
    run = ls.play(ls.randomized_weighted_majority(n=2, epsilon=0.5), [[1, 0]] * 1000, [1] * 1000)
    assert round(run.expected_mistakes, 3) == 1.264 and all(claim.holds for claim in run.bounds())


def docs_counterexample():
    """E[M_t] when only a mistake halves the wrong expert's weight: the number of mistakes so far is all there is to know."""
    chance, expected, out = {0: 1.0}, 0.0, {}
    for t in range(1, 1001):
        after: dict = {}
        for k, p in chance.items():
            wrong = 0.5**k / (1 + 0.5**k)
            expected += p * wrong
            after[k + 1] = after.get(k + 1, 0) + p * wrong
            after[k] = after.get(k, 0) + p * (1 - wrong)
        chance, out[t] = after, expected
    return out


def test_expected_mistakes_are_exact():
    """Σf in doubles against the same in fractions; and the potential W_T = n·Π(1-εf)."""
    rng = np.random.default_rng(3)
    table, truth = (rng.random((60, 7)) < 0.5).astype(float), rng.integers(0, 2, 60)
    run = ls.play(ls.randomized_weighted_majority(n=7, epsilon="1/3"), table, truth)
    shares = list(exponential_weights(zip(table.tolist(), truth.tolist(), strict=True), n=7, beta=Fraction(2, 3)))
    wrong = [abs(share - y) for share, y in zip(shares, truth.tolist(), strict=True)]
    assert abs(run.expected_mistakes - float(sum(wrong))) < 1e-12
    potential = Fraction(7)
    for f in wrong:
        potential *= 1 - f / 3
    assert potential == sum(Fraction(2, 3) ** int(loss) for loss in run.losses)


def test_a_draw_keeps_its_bound_with_the_stated_probability():
    rng = np.random.default_rng(0)
    table, truth = (rng.random((50, 4)) < 0.5).astype(float), rng.integers(0, 2, 50)
    draws = [ls.play(ls.hedge(n=4, eta=0.1, seed=seed), table, truth) for seed in range(400)]
    exceeded = sum(claim.holds is None for run in draws for claim in run.bounds(delta=0.2) if claim.name == "one-draw")
    assert exceeded <= 0.2 * 400
    mean = sum(run.mistakes for run in draws) / 400
    assert abs(mean - draws[0].expected_mistakes) < 4 * (50 / 4 / 400) ** 0.5
    assert len({run.mistakes for run in draws}) > 3


def test_the_perturbed_leader_leads_as_probably_as_the_formula_says():
    losses = [Fraction(k) for k in (0, 1, 1, 3)]
    chances = chance_of_leading(losses, lambda x: Fraction(exp(-float(x) / 2)))
    assert abs(float(sum(chances)) - 1) < 1e-12
    rule = ls.perturbed_leader(n=4, eta="1/2")
    table = np.array([[0.0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]])
    mix = expectation(rule, [Advice.of(table, [0, 0, 0, 0])])
    assert abs(mix[3] - float(chances[0])) < 1e-12
    leaders = [ls.play(ls.perturbed_leader(n=4, eta="1/2", seed=seed), table, [0] * 4).predictions[3] for seed in range(2000)]
    assert abs(np.mean(leaders) - mix[3]) < 0.04


@pytest.mark.parametrize("n", [2, 3, 30, 500])
def test_the_chances_of_leading_add_up_however_many_there_are(n):
    """All experts say 1: whoever leads, the mean is 1."""
    rng = np.random.default_rng(n)
    table = (rng.random((5, n)) < 0.3).astype(np.float32)
    table[-1] = 1
    assert abs(expectation(ls.perturbed_leader(n=n), [Advice.of(table, [0] * 5)])[-1] - 1) < 1e-10


def bandit_expectation(losses, eta, explore):
    """E[Σ p·loss] of Exp3 over every sequence of choices."""
    n = len(losses[0])

    @cache
    def ahead(t, estimates):
        if t == len(losses):
            return 0.0
        w = [exp(-eta * (e - min(estimates))) for e in estimates]
        p = [v / sum(w) for v in w]
        total = sum(p[i] * losses[t][i] for i in range(n))
        for i in range(n):
            if p[i] == 0:
                continue
            step = losses[t][i] / (p[i] + (eta / 2 if explore else 0))
            total += p[i] * ahead(t + 1, (*estimates[:i], estimates[i] + step, *estimates[i + 1 :]))
        return total

    return ahead(0, (0.0,) * n)


def test_exp3_keeps_its_bound_in_expectation_on_every_short_game():
    eta, T = 0.5, 5
    for stream in product([(0, 1), (1, 0), (1, 1)], repeat=T):
        best = min(sum(column) for column in zip(*stream, strict=True))
        assert bandit_expectation(stream, eta, False) <= theory.exp3(2, best, T, Fraction(1, 2))


def test_declared_experts_are_checked_against_the_advice():
    run = ls.play(ls.weighted_majority(n=3), [[1, 0, 0]] * 5, [1, 0, 1, 0, 1])
    claims = {claim.name: claim for claim in run.bounds("expert:m=1")}
    assert claims["weighted-majority"].holds is None and "more than the declared m=1" in claims["weighted-majority"].reason
    assert all(claim.holds for claim in run.bounds("expert:m=2"))
    with pytest.raises(LittlestoneError, match="needs m="):
        run.bounds("expert")
    with pytest.raises(LittlestoneError, match="no theorem"):
        run.bounds("margin:gamma=1")


def test_fixed_share_follows_a_change_and_its_bound_knows_the_switches():
    table = np.repeat([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], 200, axis=0)
    share, hedge = (ls.play(rule, table, np.ones(600)) for rule in (ls.fixed_share(n=3, alpha="1/200", eta=1), ls.hedge(n=3, eta=1)))
    assert share.expected_mistakes < 25 < 300 < hedge.expected_mistakes
    claim = share.bounds("expert:m=0,S=2")[0]
    assert claim.holds and claim.limit < share.bounds()[0].limit


def test_settings_out_of_range_are_refused_by_name():
    for make, expected in [
        (lambda: ls.weighted_majority(n=3, beta=1), "beta=1"),
        (lambda: ls.weighted_majority(n=3, updates="never"), "updates='never'"),
        (lambda: ls.weighted_majority(n=3, advice="loss"), "advice='loss'"),
        (lambda: ls.randomized_weighted_majority(n=3, epsilon=0), "epsilon=0"),
        (lambda: ls.hedge(n=3, eta=0.1, rounds=10), "not both"),
        (lambda: ls.hedge(n=0), "n=0"),
        (lambda: ls.fixed_share(n=3, alpha=2), "alpha=2"),
        (lambda: ls.specialists(n=3, form="loud"), "form='loud'"),
        (lambda: ls.fixed_share(n=3, seed=2**63), "seed=9223372036854775808"),
    ]:
        with pytest.raises(LittlestoneError, match=re.escape(expected)):
            make()


def test_a_bandit_may_be_told_only_what_it_saw():
    losses = np.random.default_rng(4).random((60, 3)).astype(np.float32)
    run, model = ls.play(ls.exp3(n=3, advice="loss"), losses), ls.exp3(n=3, advice="loss").start()
    for row in losses:
        model.observe(float(row[model.choose()]))
    assert np.array_equal(model.state.estimates, run.state.estimates)


def test_what_a_rule_cannot_use_is_refused():
    table, truth = [[1, 0]] * 3, [1, 0, 1]
    for options in ({"sample_weight": [1, 2, 3]}, {"class_weight": {1: 2}}):
        with pytest.raises(LittlestoneError, match="advice and truths alone"):
            ls.play(ls.hedge(), table, truth, **options)
    with pytest.raises(LittlestoneError, match="learners of two classes"):
        ls.play(ls.hedge(), table, truth, check_invariants=True)
    assert ls.play(ls.hedge(), table, truth, scores=True).mix.tolist() == ls.play(ls.hedge(), table, truth).mix.tolist()
    with pytest.raises(LittlestoneError, match="truth of each round"):
        ls.play(ls.hedge(), table)


def test_a_rule_without_n_takes_it_from_the_advice():
    run = ls.play(ls.adahedge(), [[1, 0, 1]] * 4, [1] * 4)
    assert run.rule.n == 3 and len(run.weights) == 3


def test_three_million_rounds_stay_sound():
    """Far past where weights multiplied down would vanish: β^(10^6) has a hundred thousand zeros."""
    table = np.tile(np.array([[1, 0], [1, 0], [0, 1]], np.float32), (1_000_000, 1))
    run = ls.play(ls.hedge(n=2, eta=1), table, np.ones(len(table)))
    assert run.losses.tolist() == [1e6, 2e6] and abs(run.expected_mistakes - 1e6) < 3 and all(claim.holds for claim in run.bounds())


NAN = float("nan")


@pytest.mark.parametrize(
    "losses",
    [
        [[0, 1e-10]] + [[1, 0], [0, 1]] * 100,  # a gap too small for its rate, and then a fight
        [[0, 1e-10], [1, 0]],
        [[0, 0.0018017939], [0.94475374, 0.78810119]],  # every e^(-η·loss) is below the smallest double
        [[0, 1e-300], [1, 0], [0, 1]],
    ],
)
def test_adahedge_keeps_its_certificate_at_any_rate(losses):
    run = ls.play(ls.adahedge(n=2, advice="loss"), losses)
    assert all(claim.holds for claim in run.bounds() if claim.name != "one-draw")
    shares = reference.adahedge([(row, 0) for row in np.array(losses, np.float32).tolist()], n=2)
    assert np.allclose(run.mix, list(shares), atol=1e-9)


@pytest.mark.parametrize(("n", "levels", "rounds"), [(2, (0.0, 1.0, NAN), 4), (2, (0.0, 0.5, 1.0, NAN), 3), (3, (0.0, 1.0, NAN), 2)])
def test_sleeping_adahedge_keeps_its_promise_to_every_expert_in_every_short_game(n, levels, rounds):
    rule = ls.sleeping_adahedge(n=n, advice="loss")

    def claim(runner, played, lost):
        """Every way on from here; `lost` is what the rule lost while each was awake."""
        most = 2 * runner.state.z[2]
        assert (lost <= runner.state.losses + most + 1e-12).all(), (played, lost, runner.state)
        assert most <= (len(played) * log(n)) ** 0.5 + 4 / 3 * log(n) + 2
        for row in product(levels, repeat=n) if len(played) < rounds else ():
            one = AdviceRunner(rule, n, state=runner.state)
            mix, _ = one.take(Advice.of([row], [0]))
            claim(one, [*played, row], lost + mix[0] * ~np.isnan(row))

    claim(AdviceRunner(rule, n), [], np.zeros(n))


def test_sleeping_adahedge_is_adahedge_where_nobody_sleeps():
    rng = np.random.default_rng(3)
    losses = rng.random((300, 6)) ** rng.integers(1, 9, (300, 1))
    one, other = (ls.play(make(advice="loss"), losses) for make in (ls.adahedge, ls.sleeping_adahedge))
    assert np.abs(one.mix - other.mix).max() < 1e-12 and abs(one.state.z[2] - other.state.z[2]) < 1e-12


def test_sleeping_adahedge_agrees_with_its_definition_at_any_scale():
    """Gaps far smaller than what is lost besides: rounds in which one alone is awake, or nobody."""
    rng = np.random.default_rng(4)
    for power in (1, 10, 40):
        losses = np.where(rng.random((200, 4)) < 0.6, NAN, rng.random((200, 4)) ** power)
        run = ls.play(ls.sleeping_adahedge(advice="loss"), losses)
        rows = [([None if a != a else a for a in row], 0) for row in losses.astype(np.float32).tolist()]
        assert np.abs(run.mix - list(reference.sleeping_adahedge(rows, n=4))).max() < 1e-12
        assert all(claim.holds for claim in run.bounds())


def test_weights_survive_the_smallest_factors():
    for rule in (
        ls.fixed_share(n=2, beta=1e-20, alpha=0.01, form="deterministic"),
        ls.fixed_share(n=2, eta=38),
        ls.fixed_share(n=2, eta=100),
    ):
        run = ls.play(rule, [[1, 1]] + [[0, 0]] * 1000, [0] * 1001)
        assert np.isfinite(run.weights).all() and run.mistakes == 1 and all(claim.holds for claim in run.bounds())
    run = ls.play(ls.specialists(n=3, eta=38, form="deterministic"), [[1, 1, NAN]] + [[1, 1, 0]] * 100, [0] * 101)
    assert run.mistakes == 2 and all(claim.holds for claim in run.bounds())


@pytest.mark.parametrize("beta", ["1/100000", "1/1000000", "3/100000000000"])
def test_the_weighted_majority_is_exact_at_small_factors(beta):
    rng = np.random.default_rng(5)
    for _ in range(60):
        table, truth = (rng.random((20, 3)) < 0.5).astype(float), rng.integers(0, 2, 20)
        run = ls.play(ls.weighted_majority(n=3, beta=beta, updates="always"), table, truth)
        shares = reference.weighted_majority(zip(table.tolist(), truth.tolist(), strict=True), n=3, beta=Fraction(beta), updates="always")
        assert run.predictions.tolist() == [share >= Fraction(1, 2) for share in shares]


def test_a_tie_shows_as_a_tie():
    run = ls.play(ls.weighted_majority(n=2), [[1, 0]], [1])
    assert run.mix.tolist() == [0.5] and run.loss == 0.5 and run.mistakes == 0


def test_one_draw_is_judged_over_all_rounds_even_where_experts_sleep():
    T = 400
    table = np.full((T, 3), NAN)
    table[:, 0], table[:, 1], table[0, 2] = 1, 0, 1
    truth = 1 - np.arange(T) % 2
    claims = [ls.play(ls.specialists(n=3, eta="1/1000", seed=seed), table, truth).bounds()[1] for seed in range(100)]
    assert claims[0].facts["played"] == T and sum(claim.holds is None for claim in claims) <= 1


def test_the_chance_of_leading_is_among_those_awake():
    run = ls.play(ls.perturbed_leader(n=2), [[0, 1]] * 10 + [[NAN, 1]] * 5, [0] * 10 + [1] * 5)
    assert np.allclose(run.rule.expectation(run.rule, run.again())[-5:], 1)


@pytest.mark.parametrize("make", [ls.exp3, ls.exp3_ix, ls.perturbed_leader, ls.hedge])
def test_probabilities_are_followed_as_probabilities(make):
    """An expert who says 0.7 is wrong three times in ten, and the expectation says so."""
    runs = [ls.play(make(n=1, advice="probability", seed=seed), [[0.7]] * 50, [1] * 50) for seed in range(60)]
    assert abs(runs[0].expected_mistakes - 15) < 1e-4
    assert abs(np.mean([run.mistakes for run in runs]) - 15) < 4 * (50 * 0.21 / 60) ** 0.5


def test_only_what_an_expert_loses_can_be_declared():
    run = ls.play(ls.fixed_share(n=3), [[1, 0, 0]] * 30, [1, 0] * 15)
    for text, expected in [
        ("expert:m=0,n=1", "takes m, S; not 'n'"),
        ("expert:m=-1", "m=-1 must be a number"),
        ("expert:m=30,S=-5", "S=-5 must be a whole number"),
        ("expert:m=30,S=1/2", "S=1/2 must be a whole number"),
    ]:
        with pytest.raises(LittlestoneError, match=re.escape(expected)):
            run.bounds(text)
    for delta in (0, 1, 5, -1):
        with pytest.raises(LittlestoneError, match="delta="):
            run.bounds(delta=delta)


def test_bounds_have_room_for_the_rounding_of_long_sums():
    losses = np.concatenate([np.ones(2**17), np.full(500_000, 5.7e-11)])[:, None]
    for rule in (ls.hedge(advice="loss"), ls.adahedge(advice="loss"), ls.follow_leader(advice="loss")):
        assert all(claim.holds for claim in ls.play(rule, losses).bounds())
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert all(claim.holds for claim in ls.play(ls.follow_leader(advice="loss"), rng.random((200, 1))).bounds())


def test_bandits_keep_their_bounds_over_the_coin():
    """Two arms that differ little: the mean over seeds is within the expectation's bound, and not absurdly so."""
    rng = np.random.default_rng(2)
    T = 2_000
    losses = (rng.random((T, 2)) < [0.5, 0.55]).astype(np.float32)
    runs = [ls.play(ls.exp3(n=2, rounds=T, advice="loss", seed=seed), losses) for seed in range(40)]
    limit = float(theory.exp3(2, Fraction(float(runs[0].losses.min())), T, runs[0].rule.settings["eta"])) - float(runs[0].losses.min())
    regret = np.mean([run.regret for run in runs])
    assert limit / 8 < regret < limit
    late = [ls.play(ls.exp3_ix(n=2, rounds=T, advice="loss", seed=seed), losses) for seed in range(40)]
    assert all(claim.holds for run in late for claim in run.bounds(delta=0.5))


def test_every_formula_is_the_one_in_the_books():
    """The same numbers from doubles, written down once more."""
    n, m, T, eta, b, a, d = 7, 5, 300, 0.25, 0.5, 0.125, 0.01
    harmonic = sum(1 / k for k in range(1, n + 1))
    e, bb, aa, dd = Fraction(1, 4), Fraction(1, 2), Fraction(1, 8), Fraction(1, 100)
    for got, expected in [
        (theory.leader(n, m), n * m + n - 1),
        (theory.majority(n, m, bb), (m * log(1 / b) + log(n)) / log(2 / (1 + b))),
        (theory.randomized(n, m, e, T), (m * log(1 / (1 - eta)) + log(n)) / eta),
        (theory.hedge_ratio(n, m, e, T), (eta * m + log(n)) / (1 - exp(-eta))),
        (theory.hedge_regret(n, m, e, T), m + log(n) / eta + eta * T / 8),
        (theory.anytime(n, m, T), m + (2 * T * log(n)) ** 0.5 + (log(n) / 8) ** 0.5),
        (theory.adahedge(m, 3, T), m + 6),
        (theory.adahedge_worst(n, m, T), m + (T * log(n)) ** 0.5 + 4 / 3 * log(n) + 2),
        (theory.perturbed(n, m, e, T), exp(eta) * (m + (harmonic - 1) / eta)),
        (theory.shifting(n, m, e, aa, T, 2), m + (3 * log(n) + 2 * log(1 / a) + (T - 3) * log(1 / (1 - a))) / eta + eta * T / 8),
        (
            theory.shifting_mistakes(n, m, bb, aa, 2),
            (m * log(1 / b) + log(n) + 2 * (log(n / a) + log(1 - a))) / (log(2 / (1 + b)) + log(1 - a)),
        ),
        (theory.exp3(n, m, T, e), m + log(n) / eta + eta * T * n / 2),
        (theory.exp3(n, m, T, 0), m + 2 * (T * n * log(n)) ** 0.5),
        (theory.exp3_ix(n, m, T, e, dd), m + 2 * log(n) / eta + eta * T * n + (1 + 1 / eta) * log(2 / d)),
        (theory.exp3_ix(n, m, T, 0, dd), m + 4 * (T * n * log(n)) ** 0.5 + (1 + (T * n / log(n)) ** 0.5) * log(2 / d)),
        (theory.one_draw(20, T, dd), 20 + min((T * log(2 / d) / 2) ** 0.5, (exp(1) - 2) * 20 + log(2 / d))),
    ]:
        assert -1e-9 < float(got) - expected < 1e-6, (float(got), expected)


def test_halving_is_the_weighted_majority_at_zero():
    assert int(theory.majority(1024, 0, 0)) == 10 and round(float(theory.majority(2, 0, Fraction(1, 2))), 3) == round(
        log(2) / log(4 / 3), 3
    )


def test_the_model_of_a_table_is_one_and_takes_advice_by_name():
    table = {"truth": [1, 0, 1, 0], "a": [1, 0, 0, 0], "b": [0, 1, 1, 0]}
    played = ls.experts(pa.table(table))
    assert played.model is played.model
    assert played.model.predict({"b": 0, "a": 1}) == played.model.predict([1, 0])
    with pytest.raises(LittlestoneError, match="advice of a; expected that of a, b"):
        played.model.predict({"a": 1})


@pytest.mark.parametrize("eta", ["1/1000", "1/20", "1/16", "1/15", 1, 4, 5])
def test_a_loss_makes_a_weight_smaller_by_what_the_exponential_says(eta):
    losses = np.linspace(0, 1, 64, dtype=np.float32)
    w = ls.play(ls.hedge(64, eta=eta, advice="loss"), losses[None]).state.w
    assert w[0] == 1.0
    expected = np.exp(-float(Fraction(eta)) * losses.astype(np.float64))
    assert np.abs(w / expected - 1).max() < (5e-16 if Fraction(eta) <= Fraction(1, 16) else 5e-14)


def test_the_last_rounds_of_losses_are_told_apart():
    """Against sums by hand: with sleepers, with rounds without a truth, of losses and of forecasts, at once and late."""
    rng = np.random.default_rng(6)
    table, truth = rng.random((60, 3)), rng.random(60)
    table[rng.random((60, 3)) < 0.2], table[7] = np.nan, np.nan
    truth[::9] = np.nan
    runs = [(ls.play(ls.sleeping_adahedge(advice="loss"), table, **how), table) for how in ({}, {"block_rows": 7}, {"delay": 4})]
    forecasts = ls.play(ls.ml_prod(advice="loss", loss="squared"), table, truth, block_rows=13)
    runs.append((forecasts, (table - truth[:, None]) ** 2 / forecasts.scale))
    for run, losses in runs:
        labelled = np.flatnonzero(run.truth >= 0)
        for window, until in ((11, None), (20, 30), (500, None)):
            part, rows = run.over(window, until), labelled[:until][-window:]
            awake = ~np.isnan(table[rows]).all(axis=1)
            plain = np.nanmean(table[rows[awake]], axis=1)
            plain = (plain - truth[rows[awake]]) ** 2 / run.scale if run is forecasts else plain
            assert part.rounds == len(rows) and part.mistakes is None and part.loss == pytest.approx(run.mix[rows].sum())
            assert part.uniform == pytest.approx(plain.sum() + run.mix[rows[~awake]].sum(), rel=1e-6)
            means = np.nanmean(losses[rows], axis=0)
            assert part.best == means.argmin() and part.best_mean_loss == pytest.approx(means.min(), rel=1e-6)
        assert run.over(60).loss == pytest.approx(run.loss)
        with pytest.raises(ls.LittlestoneError, match="window=0 must be"):
            run.over(0)
    votes = ls.play(ls.adahedge(), [[1, 0]] * 9, [1] * 9)
    assert votes.over(4).accuracy == 1.0
    assert ls.play(ls.adahedge(advice="loss"), np.empty((0, 2))).over(5).best is None


@pytest.mark.parametrize("name", ["adahedge", "tracking"])
def test_a_gap_is_measured_where_nearly_all_the_weight_was_wrong(name):
    """e^-η is lost beside 1, and still the one that was right and far behind keeps the gap above 0."""
    wrong = np.array([[1] + [0] * 19, [0] + [1] * 19, [1] * 20, [0, 0] + [1] * 18] * 3, np.float32)
    as_losses = ls.play(getattr(ls, name)(n=20, advice="loss"), wrong)
    as_votes = ls.play(getattr(ls, name)(n=20, advice="vote"), 1 - wrong, np.ones(len(wrong)))
    assert as_votes.expected_loss == pytest.approx(as_losses.loss, abs=1e-12)
    assert as_votes.state.z[2] == pytest.approx(as_losses.state.z[2], abs=1e-12)
