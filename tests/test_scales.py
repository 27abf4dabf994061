"""Units are nobody's business: values, weights and forecasts of any size give certificates that are verified, with the same verdicts."""

import json
from fractions import Fraction
from math import nextafter
from random import Random

import numpy as np
import pytest

import littlestone as ls
from forgery import resealed, told_again
from littlestone.errors import LittlestoneError
from littlestone.theory.bound import judge, number_above, price_of
from littlestone.theory.certificate import record_of
from littlestone.theory.forecast import Forecasts
from littlestone.theory.perceptron import FAMILY

WEIGHTS = (2.0**-100, 1e5, 1e9, 2.0**100)
RNG = np.random.default_rng(0)
X = (RNG.random((120, 8)) < 0.4).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (np.arange(120) % 17 == 0)
DRINKS = [["tea", "coffee", "milk"][int(k)] for k in X[:, 0] + 2 * X[:, 1] * (1 - X[:, 0])]


def plain(cert):
    """As a stranger gets it."""
    return json.loads(json.dumps(cert.content))


def verdict(learner, X, y=None, **weights):
    """The status of a certificate, and which of its bounds hold."""
    cert = ls.certify(ls.play(learner, X, y, **weights), X, y, iid=0.05, **weights)
    return ls.verify(cert, X, y, **weights).status, {claim.name: claim.holds for claim in cert.bounds if claim.limit is not None}


INSIDE = [
    ls.all_pairs(ls.passive_aggressive()),
    ls.one_vs_rest(ls.arow()),
    ls.multiclass_perceptron(),
    ls.panel(["perceptron"]),
    ls.panel(),
]


@pytest.mark.parametrize("learner", [*INSIDE, ls.panel(["perceptron"], blend=False)], ids=repr)
def test_weights_of_any_size_over_several_classes(learner):
    for unit in WEIGHTS:
        weights = np.random.default_rng(1).uniform(0, 3, 120) * unit
        status, held = verdict(learner, X, DRINKS, sample_weight=weights)
        assert status == "verified" and all(held.values())


@pytest.mark.parametrize("learner", [ls.pairs(), ls.passive_aggressive(), ls.normalized(), ls.adaptive()], ids=repr)
def test_a_witness_that_loses_nothing_is_verified_under_weights(learner):
    """What a witness is said to lose is then rounding alone, in proportion to what rounds weigh."""
    rows = X * np.random.default_rng(0).choice([1.0, 0.3, 2.7], X.shape)
    for unit in WEIGHTS:
        status, held = verdict(learner, rows, X[:, 0] + X[:, 1] > 0, sample_weight=np.random.default_rng(1).uniform(0, 3, 120) * unit)
        assert status == "verified" and all(held.values())


@pytest.mark.parametrize("cost", ["1:1000000", "1000000:1"])
@pytest.mark.parametrize("learner", [ls.passive_aggressive(), ls.adaptive(), ls.panel()], ids=repr)
def test_an_error_may_cost_a_million_others(learner, cost):
    cert = ls.certify(ls.play(learner, X, Y, cost=cost), X, Y, cost=cost)
    assert ls.verify(cert, X, Y).verified and all(claim.holds for claim in cert.bounds)


def test_apple_tasting_of_short_rows():
    rows, labels = [{"a": 1e-36}, {"a": 3e-36, "b": 3e-36}], [1, 0]
    cert = ls.certify(run := ls.play(ls.apple_tasting(taste=1), rows, labels), rows, labels)
    assert run.mistakes == 1 and all(claim.holds for claim in cert.bounds) and ls.verify(cert, rows, labels).verified


def test_weights_beyond_what_doubles_hold_are_refused_by_name():
    chance = np.random.default_rng(1)
    rows = chance.choice([-2.0, -0.5, 0.3, 1.0, 3.0], (120, 8))
    run = ls.play(ls.arow_full(dense=2), rows, Y, sample_weight=chance.uniform(0, 3, 120) * 2.0**100)
    with pytest.raises(LittlestoneError, match="rounds weigh so much beside r"):
        run.bounds()


# ---- forecasts ----


def table(unit, experts):
    pa = pytest.importorskip("pyarrow")
    chance = np.random.default_rng(1)
    return pa.table({f"e{i}": chance.random(30) * unit for i in range(experts)} | {"truth": chance.random(30) * unit})


@pytest.mark.parametrize("rule", ["ml_poly", "boa", "rule_of_rules"])
@pytest.mark.parametrize("experts", [1, 3])
@pytest.mark.parametrize("unit", [1e-60, 2.0**-100, 2.0**100, 1e60])
def test_forecasts_of_any_size_are_verified(rule, experts, unit):
    cert = ls.certify(ls.experts(table(unit, experts), rule=rule))
    assert ls.verify(cert, table(unit, experts)).verified and all(claim.holds for claim in cert.bounds)


@pytest.mark.parametrize("unit", [5e-324, 1e-160, 1e-100, 1e100, 1e200])
def test_forecasts_that_doubles_cannot_square_are_refused(unit):
    for experts in (1, 2):
        with pytest.raises(LittlestoneError, match="spread over .* squares of squared losses there; expected them in another unit"):
            ls.experts(table(unit, experts), rule="ml_poly")


# ---- limits beyond 2^53, and losses that are nearly whole ----


def test_a_price_and_a_loss_add_up_to_the_limit_at_most():
    chance = Random(1)
    for _ in range(20_000):
        limit = chance.choice([2**53, 2**53 + 1, 2**60 + 1, 10**300, 7]) + chance.randrange(1000)
        lost = chance.choice([limit, limit - 1, 0, 1, nextafter(float(limit), 0.0), limit * chance.random(), 0.1])
        if lost <= limit:
            price = price_of(limit, lost)
            assert price >= 0 and lost + price <= limit and price >= limit - lost - limit * 2**-51


@pytest.mark.parametrize("lost", [Fraction(2**53 + 1), Fraction(2**60 + 1, 2), Fraction(2**54 + 3, 3), Fraction(9, 2)])
def test_a_limit_is_no_less_than_the_loss_as_it_is_written(lost):
    bound = FAMILY.stated({"n": None, "bias": 0, "margin": 0, "averaged": False}).bounds["perceptron-hinge-all", "hindsight"]
    for slip in (0, Fraction(1, 2**80), -Fraction(1, 2**80)):  # a unit in the last place of what doubles tell apart, and less
        claim = judge(bound, 0, {"K": Fraction(0), "L": lost + slip, "slack": 1})
        assert claim.limit >= claim.comparator_loss >= lost + slip and claim.price >= 0
        assert claim.comparator_loss + claim.price <= claim.limit and claim.comparator_loss == number_above(claim.comparator_loss)


LEARNERS = [ls.normalized(), ls.normalized(loss="squared"), ls.apple_tasting(taste=1)]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("replay", [True, False])
def test_a_loss_edited_within_rounding_is_refused_and_never_told_as_broken(learner, replay):
    """Each mistake here loses 1 exactly: a part of 10⁻¹⁴ less, and the limit falls below the mistakes."""
    X, y = [{t: 1.0 + t % 2} for t in range(9)], [0] * 9
    content = plain(ls.certify(ls.play(learner, X, y), X, y))
    for place, record in enumerate(content["bounds"]):
        for key in {"losses", "L"} & set(record["facts"]) if record["name"] != "floor" else ():
            for parts in (10**14, 10**13, 10**9, 3):
                facts = {**record["facts"], key: str(9 - Fraction(9, parts))}
                bound = learner.family.bounds[record["name"], "hindsight"]
                numbers = {name: ls.theory.certificate.number(value) for name, value in facts.items()}
                claim = judge(bound, record["observed"], numbers)
                stated = ls.theory.certificate.record_of(claim) | {"witness": record["witness"]}
                forged = [*content["bounds"][:place], stated, *content["bounds"][place + 1 :]]
                forged.sort(key=lambda each: (not each["compares"], each["limit"]))
                try:
                    told = str(ls.verify(told_again({**content, "bounds": forged}), X, y, replay=replay))
                except ls.Refused:
                    continue
                assert "BROKEN" not in told


def test_forecasts_that_were_not_replayed_are_never_told_as_broken():
    content = plain(ls.certify(ls.play(ls.panel(["arow"]), X, Y), X, Y))
    told = content["panel"]["forecasts"]
    each, bins = [forecaster["log_loss"] for forecaster in told["forecasters"]], tuple(map(tuple, told["bins"]))
    names = tuple(forecaster["name"] for forecaster in told["forecasters"])
    for part in (100.0, 1.0 + 5e-7):
        forged = Forecasts(names, 1, tuple(each), told["log_loss"] * part, told["mistakes"], told["rounds"], bins)
        told = {**told, "log_loss": told["log_loss"] * part, "bounds": [record_of(claim) for claim in forged.bounds]}
        edited = resealed({**content, "panel": {**content["panel"], "forecasts": told}})
        for replay in (True, False):
            try:
                assert "BROKEN" not in str(ls.verify(edited, X, Y, replay=replay))
            except ls.Refused:
                continue
