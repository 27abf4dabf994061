"""Every learner of the catalogue, and every assumption of its theorems: what is played is certified, verified and replayed."""

from dataclasses import replace
from functools import cache
from importlib import import_module
from json import dumps, loads
from random import Random

import numpy as np
import pytest

import littlestone as ls
from forgery import accepted, edited, resealed
from littlestone import learners
from littlestone.checks import draws
from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import ROW_VERSION
from littlestone.theory import families

# Learners whose theorems no certificate states yet. A name that is known must leave this list.
AWAITED: set[str] = set()
DECLARED = {
    "class": "class",
    "conjunction": "conjunction:size=1",
    "disjunction": "disjunction:r=2",
    "function": "function",
    "k_of_r": "k_of_r:k=1,r=3",
    "margin": "margin:gamma=1/10",
    "separable": "separable:U=2,delta=1/2",
}


@cache
def made(name, settings):
    return learners.factory(name)(**dict(settings))


def known(name):
    try:
        families.family(name)
    except LittlestoneError:
        return False
    return True


def cases(most=None):
    """Every learner with the settings the contract tries, or with so many of them."""
    for name in filter(known, learners.names()):
        for settings in import_module(f"littlestone.learners.binary.{name}").SAMPLES[:most]:
            label = f"{name}({', '.join(f'{k}={v}' for k, v in settings.items())})"
            yield pytest.param(name, tuple(settings.items()), id=label)


def stream(learner, seed, rounds=40):
    """A few rows met again and again, some rounds without a label; where the learner has a class, a concept of it labels them."""
    random, n = Random(seed), draws.width(learner)
    if learner.domain == "boolean":
        pool = [random.sample(range(n), random.randint(0, min(n, 4))) for _ in range(10)]
    else:
        some = (0.0, 0.25, 0.5, 1.0, 0.1) if learner.domain == "unit" else (-2.0, -0.5, 0.0, 0.3, 1.0, 3.0)
        pool = [{i: random.choice(some) for i in random.sample(range(n), random.randint(1, min(n, 4)))} for _ in range(10)]
    block = draws.block_of(learner, random.choices(pool, k=rounds), random.choices([0, 1, -1], [5, 5, 1], k=rounds))
    return block if learner.domain == "boolean" or block.values is not None else draws.block_of(learner, pool, [1] * len(pool))


def check(cert, X, **weights):
    assert any(claim.limit is not None for claim in cert.bounds), "no bound holds"
    assert all(claim.limit is None or claim.limit >= claim.observed for claim in cert.bounds)
    return ls.verify(cert, X, **weights), ls.verify(cert, X, replay=True, **weights)


def test_every_learner_is_known():
    assert {name for name in learners.names() if not known(name)} == AWAITED


@pytest.mark.parametrize(("name", "settings"), list(cases()))
def test_what_is_played_is_certified_and_verified(name, settings, tmp_path):
    learner = made(name, settings)
    for seed in range(2):
        X = stream(learner, seed)
        run = ls.play(learner, X)
        cert = ls.certify(run, X, iid=0.05)
        _, replayed = check(cert, X)
        assert not replayed.unchecked
        cert.save(tmp_path / "cert.json")
        assert str(ls.verify(tmp_path / "cert.json", X, replay=True)) == str(replayed)


@pytest.mark.parametrize(("name", "settings"), list(cases(3)))
def test_what_is_declared_is_certified_and_verified(name, settings):
    learner = made(name, settings)
    for assumed in sorted({bound.assumes for bound in learner.bounds if bound.kind == "a priori"}):
        for seed in range(2):
            X = stream(learner, seed, 30 if seed else 3)
            cert = ls.certify(ls.play(learner, X), X, assume=DECLARED[assumed])
            check(cert, X)
            before = [claim for claim in cert.bounds if claim.kind == "a priori"]
            assert before, f"{assumed}: declared, and no bound says anything of it"
            assert all((claim.limit is None) == bool(claim.reason) for claim in before)


@pytest.mark.parametrize(("name", "settings"), list(cases()))
def test_rounds_with_weights(name, settings):
    learner = made(name, settings)
    if learner.weighted:
        X = stream(learner, 5)
        weights = np.random.default_rng(1).choice([1.0, 0.0, 0.5, 3.0, 0.1], len(X))
        cert = ls.certify(ls.play(learner, X, sample_weight=weights), X, sample_weight=weights)
        ls.verify(cert, X, sample_weight=weights, replay=True)


def verdicts(learner, X, **weights):
    """The status of a certificate, and which of its bounds hold."""
    cert = ls.certify(ls.play(learner, X, **weights), X, iid=0.05, **weights)
    return ls.verify(cert, X, **weights).status, {claim.name: claim.holds for claim in cert.bounds if claim.limit is not None}


@pytest.mark.parametrize(("name", "settings"), [case for case in cases() if made(*case.values).domain == "real"])
def test_values_of_any_size(name, settings):
    """Values a power of two larger or smaller: what a learner does may change with its rate, and what is proved of it stays proved."""
    learner = made(name, settings)
    for shift in (-100, 100):
        X = stream(learner, 1)
        status, held = verdicts(learner, replace(X, values=np.ldexp(X.values, shift).astype(np.float32)))
        assert status == "verified" and held and all(held.values())


@pytest.mark.parametrize(("name", "settings"), [case for case in cases() if made(*case.values).weighted])
def test_weights_of_any_size(name, settings):
    learner = made(name, settings)
    X, weights = stream(learner, 5), np.random.default_rng(1).uniform(0, 3, 40)
    for unit in (2.0**-100, 1e5, 1e9, *([] if name == "arow_full" else [2.0**100])):  # which subtracts, and doubles have 53 bits
        status, held = verdicts(learner, X, sample_weight=weights * unit)
        assert status == "verified" and held and all(held.values())


@pytest.mark.parametrize(("name", "settings"), list(cases(3)))
def test_an_edit_is_refused_unless_the_claim_is_still_true(name, settings):
    learner, random = made(name, settings), Random(f"{name}{settings}")
    assumed = sorted({bound.assumes for bound in learner.bounds if bound.kind == "a priori"})
    X = stream(learner, 7)
    run = ls.play(learner, X)
    for declared in (None, *assumed[:1]):
        content = loads(dumps(ls.certify(run, X, iid=0.05, assume=declared and DECLARED[declared]).content))
        for _ in range(30):
            place, changed = edited(content, random)
            if changed == content:
                continue
            assert not accepted(changed, X), f"{place}: an edited file was accepted"
            forged = resealed(changed)
            if place != ("digest",) and accepted(forged, X) and accepted(forged, X, replay=True):
                assert harmless(place, content, changed), f"{place}: {at(content, place)} became {at(changed, place)}, and was accepted"


def at(content, place):
    for step in place:
        content = content[step] if not isinstance(content, dict) or step in content else "nothing"
    return content


def harmless(place, before, after):
    """Does it say the same, or less, or of settings with which the learner does the same (a replay has shown it)?

    Other ways to write an assumption are the same; a fact may be rounded outward; a bound in hindsight may be left out; a witness may
    have a feature more or less that changes none of its facts. Without `row_version` it is a claim of rows in the order in which they
    stand, as certificates were made before rows were sorted, and a replay in that order has shown it.
    """
    if place in (("stream",), ("stream", "row_version")):
        return {**at(after, ("stream",)), "row_version": ROW_VERSION} == before["stream"]
    if place[:2] == ("learner", "settings"):
        return True
    if place == ("assume",):
        same = ls.theory.bound.parse_assumption
        return same(before["assume"]) == same(after["assume"])
    if place == ("bounds",):
        return [r for r in before["bounds"] if r in after["bounds"]] == after["bounds"]
    if place[0] == "bounds" and place[2] in ("facts", "witness"):
        limits = [content["bounds"][place[1]]["limit"] for content in (before, after)]
        return limits[0] == limits[1]
    return place[0] == "risk" and place[1:] == ("delta",)


@pytest.mark.parametrize(("name", "settings"), list(cases()))
def test_streams_with_next_to_nothing_in_them(name, settings):
    """No label, no mistake, rows without features, weights of 0: certified, and verified, all the same."""
    learner = made(name, settings)
    points = learner.concepts is not None and getattr(learner.concepts, "domain", "cube") != "cube"
    row = [0] if learner.domain == "boolean" else {0: 0.5}
    some = [row] if points else [row, [] if learner.domain == "boolean" else {}]
    margin = next((DECLARED[b.assumes] for b in learner.bounds if b.kind == "a priori" and b.assumes == "margin"), None)
    for labels in ([-1] * 4, [1] * 4, [0] * 4, [1, -1, 1, -1], [0, -1, 0, -1]):
        X = draws.block_of(learner, some * (4 // len(some)), labels)
        try:
            run = ls.play(learner, X)
        except LittlestoneError:  # a class that these rounds leave without a concept
            continue
        check(ls.certify(run, X, assume=margin), X)
        if learner.weighted:
            weights = np.array([0.0, 1.0, 0.0, 0.25])
            cert = ls.certify(ls.play(learner, X, sample_weight=weights), X, sample_weight=weights, assume=margin)
            check(cert, X, sample_weight=weights)
