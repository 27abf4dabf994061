"""Bounds in hindsight against a vector: true of every stream and every vector, and false of learners that err otherwise."""

import os
from copy import copy
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import product
from random import Random

import pytest

import littlestone as ls
from littlestone.errors import LittlestoneError
from littlestone.reference.replay import LearnerReplay
from littlestone.rounds.sources import Round, rounds_of
from littlestone.theory import families, floor
from littlestone.theory.all_rounds import CoverMeter, HingeMeter, SequenceMeter
from littlestone.theory.certificate import exactly, sealed
from littlestone.theory.comparators import comparator_from
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.comparators.sequence import Vectors
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence, Taught
from littlestone.verifier import case_of
from littlestone.verifier.look import watch
from littlestone.verifier.schedule import Schedule

LINEAR = ("alma", "balanced_winnow", "passive_aggressive", "perceptron", "pnorm")
POOL = ({}, {"0": 1.0}, {"1": 1.0}, {"0": 1.0, "1": 1.0}, {"0": 1.0, "1": -2.0}, {"0": 0.25, "2": 3.0})
GRID = [Vector(dict(zip("012", u, strict=True)), 1, 0) for u in product((-4, -2, -1, 0, 1, 2, 4), repeat=3)]


def a_round(y, x, c=1.0):
    return Round(y, list(x), list(x.values()), b"", c)


def cases():
    for name in LINEAR:
        for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES:
            yield pytest.param(getattr(ls, name)(**settings), id=f"{name}{settings}")


def evidence(name, settings, rounds, mistakes, also, weighted=False):
    """What a certificate of these rounds would be measured from, values in quarters."""

    def taught(row, one):
        return Taught(row, {i: int(4 * v) for i, v in one.x.items()}, one.y, one.y != (row in mistakes), Fraction(one.c))

    kept = [taught(row, rounds[row - 1]) for row in sorted({*mistakes, *also})]
    every = [taught(row, one) for row, one in enumerate(rounds, 1)]
    values = {v for one in rounds for v in one.x.values()}
    return Evidence(
        settings, kept, every, 2, len(rounds), features=3, widest=2, largest=max(map(Fraction, values), default=Fraction(0)),
        whole=all(v == int(v) for v in values), weighted=weighted,
    )  # fmt: skip


def fitting(learner, u, random):
    """The vector as the learner's theorem wants it: with a bias where there is one, in the unit ball where it must be."""
    bias = random.choice((-2, -1, 0, 1)) if learner.settings.get("bias") else 0
    if learner.name == "alma":
        return Vector(u.weights, 5, bias, Fraction(random.choice((1, 4, 16)), 16))
    return Vector(u.weights, u.exponent, bias)


def limits(learner, family, e, u):
    facts = family.measure(e, u)
    for bound in family.bounds.values():
        if bound.kind == "hindsight" and bound.witness == "vector":
            if not all(facts.get(key) is not None for key in bound.needs):
                continue
            try:
                yield bound.name, bound.value(**{key: facts[key] for key in bound.needs})
            except LittlestoneError:  # this vector is outside the theorem's range
                continue


def floors(family, e, u):
    """What the floor allows: it is true of whatever makes mistakes, so no learner refutes it."""
    rho = floor.bias_of(family)
    meter = HingeMeter(u, rho)
    for row in e.every:
        meter.add(row.x, [v / 4 for v in row.x.values()], row.y, float(row.c), e.exponent)
    for bound in (floor.FLOOR, floor.ENTROPIC, floor.UPDATES, *((floor.DUAL,) if floor.power_of(family) else ())):
        yield bound.name, bound.value(**floor.measure(bound, e, u, rho), L=meter.total)


def streams(random, count, length):
    yield from (
        [a_round(y, x) for x, y in zip(rows, labels, strict=True)]
        for rows in product(POOL[:5], repeat=2)
        for labels in product((True, False), repeat=2)
    )
    for _ in range(count):
        weights = random.choice(((1.0,), (1.0,), (0.0, 0.5, 1.0, 3.0)))
        pool = random.sample(POOL, random.randint(1, len(POOL)))
        yield [a_round(random.random() < 0.5, random.choice(pool), random.choice(weights)) for _ in range(random.randint(3, length))]


def stated(learner):
    """Its family, with its settings as a certificate writes them."""
    return families.family(learner.name).stated({key: exactly(value) for key, value in learner.settings.items()})


def check(learner, play, random, count=60, length=14, tried=12):
    """How many (stream, vector) pairs some bound spoke of; an assertion where one is exceeded."""
    family, spoken = stated(learner), 0
    settings = family.values
    for rounds in streams(random, count, length):
        weighted = any(one.c != 1 for one in rounds)
        if weighted and not learner.weighted:
            continue
        mistakes, also = play(family, rounds)
        e = evidence(learner.name, settings, rounds, set(mistakes), set(also), weighted)
        made = sum((Fraction(rounds[row - 1].c) for row in mistakes), Fraction(0))
        for u in random.sample(GRID, tried):
            witness = fitting(learner, u, random)
            for name, limit in (*limits(learner, family, e, witness), *floors(family, e, witness)):
                spoken += 1
                assert made <= limit, f"{name}: {made} mistakes and a limit of {float(limit):.6g} against {u} on {rounds}"
    return spoken


def replayed(family, rounds):
    replay = LearnerReplay(family)
    for row, one in enumerate(rounds, 1):
        replay.take(row, one.x, one.y, one.c)
    return replay.end()


@pytest.mark.parametrize("learner", list(cases()))
def test_no_vector_refutes_a_bound(learner):
    def play(family, rounds):
        found = replayed(family, rounds)
        return found.mistakes, found.also

    share = float(os.environ.get("LITTLESTONE_SHARE", "0.2"))  # make search tries all
    assert check(learner, play, Random(str(learner)), count=round(60 * share)) > 50


@pytest.mark.parametrize("learner", list(cases()))
def test_a_learner_that_always_errs_is_refuted(learner):
    family, rounds = stated(learner), [a_round(True, {"0": 1.0})] * 600
    settings = family.values
    e = evidence(learner.name, settings, rounds, range(1, 601), ())
    found = dict(limits(learner, family, e, Vector({"0": 1}, 0)))
    assert found and all(limit < 600 for limit in found.values())


def test_losses_on_mistakes_alone_do_not_bound_passive_aggressive():
    """Its other updates count too: a bound that leaves them out is false."""

    def play(family, rounds):
        return replayed(family, rounds).mistakes, ()

    with pytest.raises(AssertionError, match="pa-comparator"):
        check(ls.passive_aggressive(C=1), play, Random(0), count=100, length=30)


ROWS = [{name: 1.0 for name in "abcd" if random.random() < 0.4} for random in [Random(7)] for _ in range(120)]
LABELS = [("a" in row or "b" in row) != (k % 9 == 0) for k, row in enumerate(ROWS)]


#: A learner, its form with losses over all rounds, and an account beside it, whose loss moves with the mistakes.
COMPARED = [
    (ls.perceptron(bias=1), "perceptron-hinge-all", "perceptron-hinge"),
    (ls.perceptron(margin="3/2", bias=1), "floor-updates", "perceptron-hinge"),
    (ls.passive_aggressive(bias=1), "pa-comparator-all", "pa-comparator"),
    (ls.passive_aggressive(bias=1, variant="II"), "pa-comparator-all", "pa-comparator"),
    (ls.passive_aggressive(bias=1, C=None), "pa-comparator-all", "pa-comparator"),
    (ls.alma(bias=1), "alma-hinge-all", "alma-hinge"),
    (ls.pnorm(p=4), "pnorm-hinge-all", "pnorm-hinge"),
    (ls.balanced_winnow(), "balanced-winnow-hinge-all", "balanced-winnow-hinge"),
    (ls.winnow(n=4), "winnow-disjunction-agnostic-all", "winnow-disjunction-agnostic"),
    (ls.winnow_real(n=4), "winnow-real-agnostic-all", "winnow-real-agnostic"),
    (ls.winnow_doubling(n=4), "winnow-doubling-agnostic-overall-all", "winnow-doubling-agnostic-overall"),
    (ls.winnow_elimination(n=4), "elimination-agnostic-all", "elimination-agnostic"),
    (ls.disjunctions(), "elimination-cover", None),
    (ls.adaptive(bias=1), "adaptive-regret-measured", None),
    (ls.naive_bayes(), "naive-bayes-regret-measured", None),
    (ls.normalized(loss="squared"), "normalized-regret-measured", None),
    (ls.pairs(), "pairs-regret-measured", None),
    (ls.arow_full(bias=1), "arow_full-ridge", None),
    (ls.arow(bias=1), "floor", None),
]


@pytest.mark.parametrize("learner", [ls.disjunctions(), ls.winnow_elimination(n=4), ls.winnow_elimination(n=4, theta="3/4")], ids=repr)
def test_no_set_refutes_a_bound_over_all_rounds(learner):
    """Elimination, against every set of four features: members that live until a 0 has them on, 1s that none of them covers."""
    random, family = Random(5), stated(learner)
    (bound,) = (bound for bound in family.bounds.values() if bound.meter is CoverMeter and bound.every)
    for _ in range(150):
        names = [name for name in "abcd" if random.random() < 0.7]
        rows = [({name: 1.0 for name in names if random.random() < 0.4}, random.random() < 0.5) for _ in range(random.randint(1, 12))]
        mistakes = len(replayed(family, [a_round(y, x) for x, y in rows]).mistakes)
        for members in product((False, True), repeat=4):
            chosen = Features(frozenset(name for name, member in zip("abcd", members, strict=True) if member))
            meter = CoverMeter(chosen)
            for x, y in rows:
                meter.add(list(x), list(x.values()), y, 1.0, 0)
            facts = {**family.values, "r": len(chosen.features), **meter.facts}
            assert mistakes <= bound.value(**{key: facts[key] for key in bound.needs}), (rows, chosen)


@pytest.mark.parametrize(("learner", "form", "account"), COMPARED, ids=repr)
def test_what_a_comparator_loses_does_not_depend_on_the_mistakes(learner, form, account):
    """With half of the mistakes left out, its loss stays where it is; an account has none, or one that moves."""
    content = ls.certify(ls.play(learner, ROWS, LABELS, boolean=True), ROWS, LABELS, boolean=True).content
    case = case_of(content, stated(learner), False)
    watch(case, Schedule(content["stream"], lambda one: not one.keys).events(rounds_of(ROWS, LABELS, boolean=True, labels=None)))
    case.check()
    moved, compared = set(), set()
    for record in content["bounds"]:
        bound, witness = case.theorem(record)[0], comparator_from(record["witness"])
        facts = case.truth(bound, witness)
        fewer = copy(case)
        fewer.evidence = replace(case.evidence, taught=case.evidence.taught[::2])
        if facts.get(bound.loss) != fewer.truth(bound, witness).get(bound.loss):
            moved.add(bound.name)
        if record["compares"]:
            compared.add(bound.name)
            assert record["limit"] == record["comparator_loss"] + record["price"]
    assert {"floor", form} <= compared and not moved & compared
    assert account is None or account in moved
    assert not moved & compared and {record["name"] for record in content["bounds"]} - compared >= moved


@pytest.mark.parametrize(
    ("learner", "rows", "labels"),
    [
        (ls.alma(alpha="1/2", bias=1), [{1: 0.5}, {0: 0.5, 1: 1}], [0, 0]),
        (ls.passive_aggressive(bias=1), [{1: 2.0}, {0: 3.0, 1: 1}], [1, 1]),
        (ls.arow_full(bias=1), [{1: 0.5}, {0: 0.5, 1: 1}, {0: 2.0}], [0, 1, 0]),
        (ls.normalized(eta="1/2", loss="squared"), [{1: 1000.0}, {0: 1000.0, 1: 3.0}], [0, 1]),
        (ls.disjunctions(), [{1: 1}] * 5 + [{1: 1}] * 20 + [{2: 1}], [1] * 5 + [0] * 20 + [1]),
        (ls.balanced_winnow(eta="1/2", margin="1/10"), [{}, {0: 1, 1: 0.001}, {0: 1000}, {0: 0.001, 1: 1000}, {1: 1000}] * 2, [0, 1] * 5),
        (ls.winnow_elimination(n=2, theta="3/4"), [{0: 1}] * 5 + [{0: 1}] * 20 + [{1: 1}], [1] * 5 + [0] * 20 + [1]),
    ],
    ids=repr,
)
def test_no_limit_is_below_what_the_comparator_loses(learner, rows, labels):
    cert = ls.certify(ls.play(learner, rows, labels, passes=2), rows, labels)
    compared = [claim for claim in cert.bounds if claim.compares]
    assert compared and all(claim.price >= 0 and claim.limit >= claim.comparator_loss for claim in compared)
    assert ls.verify(cert, rows, labels).verified


def test_in_p_norms_the_floor_is_smaller_where_few_features_matter():
    random = Random(1)
    rows = [[random.choice((-1.0, 1.0)) for _ in range(60)] for _ in range(300)]
    labels = [sum(row[:3]) > 0 for row in rows]
    cert = ls.certify(ls.play(ls.pnorm(p=6), rows, labels), rows, labels)
    limits = {claim.name: claim.limit for claim in cert.bounds}
    assert cert.best.name == "floor-pnorm" and 4 * limits["floor-pnorm"] < 3 * limits["floor"] and ls.verify(cert, rows, labels).verified


def test_no_vectors_in_turn_refute_the_floor_of_their_stretches():
    """Any cut, any vectors, any mistakes: each stretch has a floor of its own, and the limit is what its facts make of it."""
    random = Random(11)
    for _ in range(60):
        rounds = [a_round(random.random() < 0.5, random.choice(POOL)) for _ in range(random.randint(2, 14))]
        mistakes = [row for row in range(1, len(rounds) + 1) if random.random() < 0.5]
        e = evidence("perceptron", {}, rounds, mistakes, ())
        cut = random.randint(2, len(rounds))
        u = Vectors([(1, random.choice(GRID)), (cut, random.choice(GRID))])
        meter = SequenceMeter(u, Fraction(1))
        for row, one in enumerate(rounds, 1):
            meter.row = row
            meter.add(one.keys, one.values, one.y, one.c, 2)
        facts = floor.measure(floor.SHIFTING, e, u, Fraction(1))
        assert meter.total == u.hinge(e, Fraction(1))
        limit = floor.SHIFTING.value(L=meter.total, **facts)
        assert len(mistakes) <= limit
        whole = Vectors([(1, u.pieces[0][1])])
        same = floor.measure(floor.SHIFTING, e, whole, Fraction(1))["price"] ** 2
        plain = floor.measure(floor.FLOOR, e, u.pieces[0][1], Fraction(1))
        assert abs(float(same) - float(plain["u2"] * plain["theta2"])) < 1e-9 * float(1 + same)  # without a change it is the floor


def test_a_run_over_a_stream_that_changes_is_compared_with_vectors_in_turn():
    random = Random(3)
    rows = [[random.gauss(0, 1) for _ in range(4)] for _ in range(1200)]
    labels = [(x[0] + x[1] if t < 600 else x[2] - x[0]) > 0 for t, x in enumerate(rows)]
    cert = ls.certify(ls.play(ls.perceptron(), rows, labels), rows, labels, seconds=1)
    limits = {bound.name: bound.limit for bound in cert.bounds}
    assert limits["floor-shifting"] < 0.7 * limits["floor"] and "floor-shifting" in str(ls.verify(cert, rows, labels))
    record = next(record for record in cert.content["bounds"] if record["name"] == "floor-shifting")
    assert 601 in [piece["row"] for piece in record["witness"]["pieces"]]
    forged = {**record, "facts": {**record["facts"], "price": "1"}, "limit": record["limit"] - 1}
    others = [forged if one is record else one for one in cert.content["bounds"]]
    with pytest.raises(LittlestoneError):
        ls.verify(sealed({**cert.content, "bounds": others}), rows, labels)


def test_nobody_loses_more_than_every_round_to_the_empty_vector():
    """Outward rounding must not make a limit of more mistakes than there are rounds."""
    random = Random(3)
    rows, labels = [[random.gauss(0, 1) for _ in range(3)] for _ in range(60)], [1, 0] * 30
    (floor_claim,) = (claim for claim in ls.certify(ls.play(ls.memorizer(), rows, labels), rows, labels).bounds if claim.name == "floor")
    assert floor_claim.limit <= 60


def test_the_potential_of_the_second_order_perceptron_whatever_the_sizes():
    """Squares of values that lie 24 orders apart are beyond doubles: Λ is measured exactly, on both sides."""
    random = Random(3)
    for learner in (ls.second_order(a=10, dense=2, bias=1), ls.second_order()):
        for _ in range(6):
            rows = [
                {i: random.choice((-1, 1)) * 10.0 ** random.randint(-12, 12) for i in range(8) if random.random() < 0.6} for _ in range(40)
            ]
            labels = [random.randrange(2) for _ in rows]
            assert ls.verify(ls.certify(ls.play(learner, rows, labels), rows, labels), rows, labels).verified
