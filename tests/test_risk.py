"""The risk certificate: its chance is what it says, checked on streams whose true risks are known."""

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import littlestone as ls
from littlestone.theory import risk as theory
from littlestone.theory.numbers import DIGITS, real
from littlestone.theory.risk import risk

STREAMS, ROUNDS, DELTA = 200, 60, Fraction(1, 4)


@cache
def allowed(M: int) -> float:
    """What M mistakes say; the same at every T, apart from the trivial T itself."""
    return risk(M, ROUNDS, DELTA).total


def streams(learner, noise):
    """(mistakes, Σ err) after each round, one list a stream: independent rounds on three variables, label x0 ∨ x1, and noise."""
    rng = np.random.default_rng(17)
    cube = [np.flatnonzero([point & 1, point & 2, point & 4]).astype(np.uint32) for point in range(8)]
    truth = np.array([bool(point & 3) for point in range(8)])
    found = []
    for _ in range(STREAMS):
        model, path, sure = learner.start(), [], 0.0
        for _ in range(ROUNDS):
            wrong = np.array([model.predict((x, None)) for x in cube]) != truth
            sure += float(np.where(wrong, 1 - noise, noise).mean())
            point = rng.integers(8)
            model.observe((cube[point], None), bool(truth[point] ^ (rng.random() < noise)))
            path.append((model.mistakes, sure))
        found.append(path)
    return found


@pytest.fixture(scope="module", params=["noisy winnow", "winnow", "constant"])
def paths(request):
    if request.param == "constant":  # never learns: the mistakes of each round are a coin of one bias
        rng = np.random.default_rng(4)
        return [
            list(zip(np.cumsum(rng.random(ROUNDS) < 0.3).tolist(), (0.3 * np.arange(1, ROUNDS + 1)).tolist(), strict=True))
            for _ in range(STREAMS)
        ]
    return streams(ls.winnow(n=3), 0.2 if request.param == "noisy winnow" else 0.0)


def failures(paths, limit):
    """On how many streams the limit is passed at any time."""
    return sum(any(sure > limit(M, T) for T, (M, sure) in enumerate(path, start=1)) for path in paths)


def test_the_claim_fails_no_more_often_than_it_says(paths):
    table = {}

    def limit(M, T):
        if (M, T) not in table:
            table[M, T] = risk(M, T, DELTA).total + 1e-9  # the sum of the errs is a sum of doubles
        return table[M, T]

    assert failures(paths, limit) <= DELTA * STREAMS


def test_a_claim_that_forgets_its_price_is_found_out(paths):
    assert failures(paths, lambda M, T: M / (1 - np.exp(-1.0))) > DELTA * STREAMS  # without ln(1/δ)


def test_a_claim_at_one_moment_is_not_one_at_all_times():
    """The mistakes themselves, with no allowance, are passed sooner or later on almost every stream of coins."""
    rng = np.random.default_rng(5)
    coins = rng.random((STREAMS, ROUNDS)) < 0.3
    paths = [list(zip(np.cumsum(row).tolist(), (0.3 * np.arange(1, ROUNDS + 1)).tolist(), strict=True)) for row in coins]
    assert failures(paths, lambda M, T: 1.1 * M + 1) > DELTA * STREAMS
    assert failures(paths, lambda M, T: allowed(M)) <= DELTA * STREAMS


def test_it_is_the_least_of_the_grid_and_rounded_up():
    for M, T in ((0, 5), (3, 100), (40, 10_000), (5_000, 20_000)):
        said = risk(M, T, "1/20")
        grid = []
        with localcontext(DIGITS):
            for j in range(40):
                lam, share = Fraction(1, 2**j), Fraction(1, 20) / ((j + 1) * (j + 2))
                grid.append((real(lam) * M + (1 / real(share)).ln()) / (1 - (-real(lam)).exp()))
        assert said.j == grid.index(min(grid)) and said.lam == 2.0**-said.j
        assert min(min(grid), Decimal(T)) <= Decimal(said.total) <= min(grid) * (1 + Decimal(2) ** -50)
        assert said.average >= min(1, Fraction(said.total) / T) and said.majority_vote >= min(1, 2 * said.average)


def test_more_mistakes_and_more_certainty_cost_and_more_rounds_pay():
    averages = [[risk(M, T, delta).average for M in (0, 1, 5, 50)] for T in (50, 1000, 10**6) for delta in (0.2, 0.05, 1e-6)]
    for row in averages:
        assert row == sorted(row)
    for T in (50, 1000):
        assert risk(3, T, 1e-6).total >= risk(3, T, 0.05).total
        assert risk(3, 10 * T).average < risk(3, T).average


def test_every_kind_of_run_has_it():
    X, y = [[1, 0], [0, 1]] * 50, [1, 0] * 50
    binary = ls.play(ls.perceptron(bias=0), X, [*y[:-1], None], sample_weight=[3.0] * 100)
    said = binary.risk()
    assert binary.mistakes == said.M and said.T == 99
    several = ls.play(ls.multiclass_perceptron(), X, ["a", "b"] * 50)
    assert several.risk(0.1) == risk(several.mistakes, 100, 0.1)
    advice = ls.play(ls.weighted_majority(n=2), np.array([[1, 0]] * 100), y)
    assert advice.risk() == risk(advice.mistakes, 100)
    with pytest.raises(ls.LittlestoneError, match="the advice is losses"):
        ls.play(ls.hedge(n=2, advice="loss"), np.zeros((4, 2))).risk()
    assert json.loads(json.dumps(binary.risk().as_json()))["T"] == 99


def test_it_is_of_the_average_and_of_no_single_hypothesis():
    """Rows that are always the same, a fifth of the labels wrong: a hypothesis is what it predicts, and errs on 0.2 or on 0.8."""
    rng, kept = np.random.default_rng(2), np.zeros(3)
    for _ in range(STREAMS):
        run = ls.play(ls.perceptron(bias=0), np.ones((300, 1)), rng.random(300) < 0.8)
        risks, limit = np.where(run.predictions, 0.2, 0.8), run.risk(0.05).average
        kept += [risks.mean() <= limit, risks[-1] <= limit, rng.choice(risks) <= limit]
    average, last, drawn = kept / STREAMS
    assert average >= 0.95 > 0.9 > max(last, drawn)
    said = theory.in_words(run.risk(0.05).as_json())
    assert "the hypotheses of this run err on at most" in said and "on average" in said and "such as the last, may be worse" in said


def test_rounds_of_a_second_pass_are_no_fresh_draws():
    """Each row is a feature of its own: a second pass makes no mistake, and nothing was learned of fresh rows."""
    X, y = np.eye(40), np.arange(40) % 2
    twice = ls.play(ls.perceptron(bias=0), X, y, passes=2)
    with pytest.raises(ls.LittlestoneError, match="a second pass are no fresh draws"):
        twice.risk()
    assert ls.certify(twice, X, y, iid=0.05).risk == ls.play(ls.perceptron(bias=0), X, y).risk().as_json()
    assert twice.mistakes == 20 and ls.verify(ls.certify(twice, X, y, iid=0.05), X, y).verified


@pytest.mark.parametrize(
    ("arguments", "message"), [((1, 2, 0), "delta=0"), ((1, 2, 1), "delta=1"), ((3, 2), "M=3, T=2"), ((1, 2, "x"), "delta='x'")]
)
def test_bad_requests_are_refused(arguments, message):
    with pytest.raises(ls.LittlestoneError, match=message):
        risk(*arguments)


def test_the_fixed_rate_needs_its_certainty():
    assert theory.total(0, 1, Fraction(1, 1000)) > theory.total(0, 1, Fraction(1, 2)) > 0


def test_a_run_that_goes_on_counts_its_own_part_as_fresh_draws():
    """The model may have seen its rows many times, and then its mistakes say nothing of fresh ones."""
    draw = np.random.default_rng(2)
    X, y = (draw.random((320, 40)) < 0.3).astype(float), draw.random(320) < 0.5
    model = ls.play(ls.memorizer(), X[:300], y[:300], passes=30, ledger=True).model
    run = ls.play(model, X[300:], y[300:])
    part = ls.play(model.copy().uncounted(), X[300:], y[300:])
    assert run.rounds == 9020 and run.risk(0.05) == part.risk(0.05) and run.risk(0.05).average > 0.4
