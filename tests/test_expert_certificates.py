"""Certificates about experts: every rule, awake and asleep; whatever is changed in one is refused, and by what name."""

import copy
import json
from decimal import Decimal
from functools import cache
from importlib import import_module
from random import Random

import numpy as np
import pytest

import littlestone as ls
from forgery import accepted, edited, resealed
from littlestone.api.certify_advice import digest_of, in_units
from littlestone.errors import LittlestoneError, Refused
from littlestone.learners import experts
from littlestone.theory import parse_assumption
from littlestone.theory.bound import price_of
from littlestone.theory.certificate import Certificate, in_plain_words, number, read
from littlestone.theory.experts import adahedge
from littlestone.theory.numbers import float_above
from littlestone.theory.regrets import UNITS
from littlestone.verifier.advice import digest_of as plain_digest
from littlestone.verifier.advice import rows_of_table

NAN = float("nan")
CASES = [(name, sample) for name in experts.names() for sample in import_module(f"littlestone.learners.experts.{name}").SAMPLES]
RUNS_WORD = ("gaps", "F", "observed", *UNITS)  # as a list of mistakes is, until it is replayed


def drawn(rule, seed=0, rounds=24, sleeping=False, untold=0.1):
    """Experts of different worth, some truths not told."""
    rng, n = np.random.default_rng(seed), rule.n
    truth = np.zeros(rounds) if rule.advice == "loss" else rng.integers(0, 2, rounds).astype(float)
    wrong = rng.random((rounds, n)) < np.linspace(0.1, 0.6, n)
    table = np.where(wrong, 1 - truth[:, None], truth[:, None])
    if rule.advice != "vote":
        table = 0.8 * table + 0.2 * rng.random((rounds, n))
    if sleeping:
        table[rng.random((rounds, n)) < 0.1] = NAN
    if rule.gradient:  # forecasts, and what came true
        return table * 40 - 7, np.where(rng.random(rounds) < untold, NAN, rng.random(rounds) * 40 - 7)
    return table, None if rule.advice == "loss" else np.where(rng.random(rounds) < untold, NAN, truth)


@cache
def certified(index, sleeping, assume=""):
    name, sample = CASES[index]
    rule = experts.factory(name)(**sample)
    table, truth = drawn(rule, index, sleeping=sleeping)
    run = ls.play(rule, table, truth)
    return ls.certify(run, table, truth, assume=assume or None), table, truth, run


def content(cert):
    return json.loads(json.dumps(cert.content))


each_case = pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])


@each_case
@pytest.mark.parametrize("sleeping", [False, True], ids=["awake", "asleep"])
def test_a_certificate_verifies_and_replays(index, sleeping, tmp_path):
    cert, table, truth, run = certified(index, sleeping)
    cert.save(tmp_path / "c.json")
    ls.verify(tmp_path / "c.json", table.tolist(), None if truth is None else truth.tolist())
    verdict = ls.verify(cert, table, truth, replay=True)
    assert verdict.replayed and not verdict.unchecked and cert.rounds == run.rounds
    assert all(claim.holds and claim.observed <= claim.limit for claim in cert.bounds)
    rule = run.rule
    certain = [claim for claim in cert.bounds if claim.name != "one-draw"]
    assert certain, "never left without a bound"
    if not sleeping and rule.settings.get("beta") != 0:
        assert any(claim.comparator is not None for claim in certain)


def declared(index):
    """Has the rule a theorem about what is known of the best expert?"""
    name, sample = CASES[index]
    return any(bound.assumes == "expert" for bound in experts.factory(name)(**sample).bounds)


@each_case
def test_no_edit_makes_another_claim(index):
    rng = Random(index)
    for sleeping, assume in ((False, "expert:m=1" if declared(index) else ""), (True, "")):
        cert, table, truth, _ = certified(index, sleeping, assume)
        whole = content(cert)
        for _ in range(10):
            place, changed = edited(whole, rng)
            if changed == whole:
                continue
            assert not accepted(changed, table, truth), f"{place}: its own digest does not tell"
            if place == ("digest",) or not accepted(resealed(changed), table, truth):
                continue
            if place == ("bounds",):  # fewer claims, each as true as before
                assert all(record in whole["bounds"] for record in changed["bounds"])
            elif accepted(resealed(changed), table, truth, replay=True):
                assert still_true(whole, changed, place, table, truth), place
            else:
                assert place[0] == "mistakes" or place[:2] == ("learner", "settings") or place[-1] in RUNS_WORD, place


def still_true(whole, changed, place, table, truth):
    """Another seed with which all went the same; an expert as good; another chance δ; a number rounded up, or written, otherwise."""
    if place[-1] == "seed":
        name, settings = whole["learner"]["name"], dict(changed["learner"]["settings"])
        for one in ("beta", "rounds") if settings.get("eta") is not None else ():
            settings.pop(one, None)
        again = ls.certify(ls.play(experts.factory(name)(**settings), table, truth), table, truth, assume=whole["assume"])
        return content(again)["counts"] == whole["counts"]
    if place == ("assume",):
        return parse_assumption(changed["assume"]) == parse_assumption(whole["assume"])
    if place[2] == "witness":
        return True  # its facts were measured anew, and are as stated
    before, after = (number(one["bounds"][place[1]]["facts"][place[3]]) for one in (whole, changed))
    return place[3] == "delta" or abs(after - before) <= before / 10**6 + Decimal("1e-9")


def altered(cert, change):
    """What a forger would hand in: changed, and sealed again."""
    whole = content(cert)
    change(whole)
    return resealed(whole)


def refused(reason, cert, table, truth, **options):
    with pytest.raises(Refused, match=reason):
        ls.verify(cert, table, truth, **options)


def votes(n=4, rounds=60, seed=3):
    rule = ls.hedge(n=n, eta="1/2")
    return drawn(rule, seed, rounds, untold=0)


def bound_of(whole, name):
    return next(record for record in whole["bounds"] if record["name"] == name)


@pytest.mark.parametrize(
    ("bound", "change", "reason"),
    [
        ("hedge-mixture", lambda w: w["weights"].append(0), "over 5 experts, and there are 4"),
        ("hedge-mixture", lambda w: w["weights"].__setitem__(0, w["weights"][0] + 1), "add up to 2\\^40"),
        ("hedge-mixture", lambda w: w["weights"].__setitem__(0, -1), "not negative"),
        ("hedge-mixture", lambda w: w.update(exponent=10**9), "expected at most 1100"),
        ("hedge-hindsight", lambda w: w.update(expert=4), "expert 4, and there are 4"),
        ("hedge-hindsight", lambda w: w.update(expert=1), "m is"),
        ("hedge-hindsight", lambda w: w.update(path=[[1, 0]]), "witness.path is not known"),
    ],
)
def test_witnesses_that_are_none_are_refused(bound, change, reason):
    table, truth = votes()
    cert = ls.certify(ls.play(ls.hedge(n=4, eta="1/2"), table, truth), table, truth)
    forged = altered(cert, lambda whole: change(bound_of(whole, bound)["witness"]))
    with pytest.raises(Refused, match=reason):
        ls.verify(forged, table, truth)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ([[2, 0]], "begins at row 1"),
        ([[1, 0], [30, 0]], "other experts"),
        ([[1, 0], [30, 1], [30, 2]], "later rows"),
        ([[1, 0], [500, 1]], "row 500"),
        ([[1, 0], [30, 9]], "expert \\[9\\]"),
        ([[1, 0, 2]], "steps"),
        ([], "steps"),
        ([[1, 2]], "where it is asleep"),
        ([[1, 0], [20, 1]], "S is|m is"),
    ],
)
def test_paths_that_are_none_are_refused(path, reason):
    table = np.repeat([[1.0, 0, 0], [0, 1, 0]], 50, axis=0)
    table[70, 2] = NAN
    run = ls.play(ls.fixed_share(n=3, eta=1), table, np.ones(100))
    cert = ls.certify(run, table, np.ones(100))
    best = cert.best
    assert (
        best.name == "fixed-share-hindsight-asleep"
        and best.comparator.path == [[1, 0], [51, 1]]
        and best.facts["S"] == best.facts["Z"] == 1
    )
    change = altered(cert, lambda whole: bound_of(whole, best.name)["witness"].update(path=path))
    refused(reason, change, table, np.ones(100))


def test_a_false_declaration_is_answered_with_its_row():
    table, truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]], float), np.ones(5)
    run = ls.play(ls.fixed_share(n=2), table, truth)
    for assume, row in [("expert:m=0", 3), ("expert:m=1", 4), ("expert:m=2", None), ("expert:m=0,S=1", None), ("expert:m=3/2", 4)]:
        claim = ls.certify(run, table, truth, assume=assume).bounds[0]
        assert (claim.contradiction or {}).get("row") == row and (claim.holds is True) == (row is None), assume
    table[2] = 0
    run = ls.play(ls.fixed_share(n=2), table, truth)
    for assume, row in [("expert:m=0,S=1", 3), ("expert:m=0,S=4", 3), ("expert:m=0,S=50", 3), ("expert:m=1,S=1", None)]:
        cert = ls.certify(run, table, truth, assume=assume)
        assert (cert.bounds[0].contradiction or {}).get("row") == row, assume
        assert ls.verify(cert, table, truth, replay=True)
    found = ls.certify(run, table, truth, assume="expert:m=0,S=1").bounds[0]
    assert found.contradiction["instance"] == {"0": 0.0, "1": 0.0} and "changes at most 1 times" in found.reason
    table[1, 1] = NAN
    cert = ls.certify(ls.play(ls.fixed_share(n=2), table, truth), table, truth, assume="expert:m=5")
    assert cert.bounds[0].contradiction["row"] == 2 and "expert 1 sleeps" in cert.bounds[0].reason
    with pytest.raises(LittlestoneError, match="no theorem"):
        ls.certify(ls.play(ls.specialists(n=2), table, truth), table, truth, assume="expert:m=1")


def test_a_loss_the_rule_did_not_have_is_refused_by_replay():
    table, truth = votes()
    run = ls.play(ls.adahedge(n=4), table, truth)
    cert = ls.certify(run, table, truth)

    def lower(whole):
        whole["bounds"].remove(bound_of(whole, "one-draw"))
        for record in whole["bounds"]:
            if record["observed"] == whole["counts"]["observed"]:
                record["observed"] -= 1.0
        whole["counts"]["observed"] -= 1.0
        whole["summary"] = in_plain_words(Certificate(whole))

    forged = altered(cert, lower)
    assert ls.verify(forged, table, truth, replay=False)
    refused("counts.observed is", forged, table, truth, replay=True)

    def gaps(whole):
        record = bound_of(whole, "adahedge")
        record["facts"]["gaps"] = "3.5"
        exact = adahedge(record["facts"]["m"], Decimal("3.5"), cert.rounds)
        record["limit"] = float_above(exact)
        record["price"] = price_of(record["limit"], record["comparator_loss"])
        whole["bounds"].sort(key=lambda one: (not one["compares"], one["limit"]))

    forged = altered(cert, gaps)
    assert "adahedge" in ls.verify(forged, table, truth, replay=False).unchecked
    refused("adahedge: gaps is 3.5", forged, table, truth, replay=True)


def test_mistakes_the_rule_did_not_make_are_refused_by_replay():
    table, truth = votes()
    cert = ls.certify(ls.play(ls.weighted_majority(n=4, updates="always"), table, truth), table, truth)
    whole = content(cert)
    wrong = whole["mistakes"]
    label = truth[wrong[0] - 1]
    other = next(t for t in range(1, 61) if t not in wrong and truth[t - 1] == label)
    whole["mistakes"] = sorted([*wrong[1:], other])
    forged = resealed(whole)
    assert ls.verify(forged, table, truth, replay=False) and not accepted(forged, table, truth, replay=True)


def test_other_advice_is_refused():
    table, truth = votes()
    run = ls.play(ls.hedge(n=4, eta="1/2"), table, truth)
    cert = ls.certify(run, table, truth)
    swapped = table[::-1].copy()
    flipped = truth.copy()
    flipped[5] = 1 - flipped[5]
    for other, told in ((swapped, truth), (table, flipped), (table[:-1], truth[:-1]), (table[:, :3], truth)):
        refused("the advice is not that of the certificate", cert, other, told)
        with pytest.raises(LittlestoneError):
            ls.certify(run, other, told)
    refused("there is none", cert, table, None)
    with pytest.raises(LittlestoneError, match="advice and truths alone"):
        ls.certify(run, table, truth, sample_weight=np.ones(60))


def test_both_sides_hash_the_same():
    rng = np.random.default_rng(1)
    for n, rounds in ((1, 5), (3, 7), (40, 11)):
        table = np.where(rng.random((rounds, n)) < 0.3, NAN, rng.random((rounds, n)))
        codes = rng.integers(-1, 2, rounds).astype(np.int32)
        truth = np.where(codes < 0, NAN, codes)
        table.view(np.uint64)[np.isnan(table)] ^= np.uint64(1 << 63)  # another NaN is the same sleep
        assert plain_digest(*rows_of_table(table, truth, False)) == digest_of(table.astype(np.float32), codes)


def test_shares_add_up():
    rng = np.random.default_rng(2)
    for n in (1, 2, 7, 100):
        shares = in_units(rng.integers(0, 2**30, n) + (np.arange(n) == 0), 40)
        assert sum(shares) == 2**40 and min(shares) >= 0


def test_bounds_for_sleepers_hold_on_any_advice():
    """Few rounds, often asleep, experts who fool the rule; every claim in a certificate must hold, so making them is the test."""
    rng = np.random.default_rng(9)
    makers = [
        lambda: ls.weighted_majority(n=3), lambda: ls.weighted_majority(n=3, updates="always", beta="9/10"), lambda: ls.follow_leader(n=3),
        lambda: ls.hedge(n=3), lambda: ls.hedge(n=3, eta=2), lambda: ls.adahedge(n=3), lambda: ls.randomized_weighted_majority(n=3),
        lambda: ls.perturbed_leader(n=3), lambda: ls.tracking(n=3),
        lambda: ls.fixed_share(n=3), lambda: ls.fixed_share(n=3, form="deterministic"),
    ]  # fmt: skip
    for make in makers:
        sleepy = 0
        for _ in range(5):
            rule, rounds = make(), int(rng.integers(1, 40))
            model, rows, truths = rule.start(), [], []
            for _ in range(rounds):  # the truth is what the rule does not say
                row = np.where(rng.random(3) < 0.05, NAN, rng.random(3) < 0.5)
                rows.append(row)
                truths.append(float(not model.predict(row)))
                model.update(row, truths[-1])
            table, truth = np.array(rows), np.array(truths)
            cert = ls.certify(ls.play(rule, table, truth), table, truth)
            assert all(claim.holds for claim in cert.bounds), cert
            assert not [claim for claim in cert.bounds if claim.kind == "hindsight" and claim.limit is None]
            sleepy += any("asleep" in claim.name for claim in cert.bounds)
        assert sleepy


def test_a_long_run_replays():
    """Past where weights multiplied down would vanish; the losses of run and replay agree."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 3000)
    table = (truth[:, None] ^ (rng.random((3000, 2)) < 0.6)).astype(float)
    for rule in (ls.randomized_weighted_majority(n=2, epsilon="1/2"), ls.hedge(n=2, eta=1)):
        assert ls.verify(ls.certify(ls.play(rule, table, truth), table, truth), table, truth, replay=True)


def test_risk_and_reading_back():
    table, truth = votes()
    cert = ls.certify(ls.play(ls.weighted_majority(n=4, updates="always"), table, truth), table, truth, iid=0.05)
    assert cert.risk["T"] == 60 and ls.verify(cert, table, truth) and read(copy.deepcopy(cert.content)).best.name.startswith("weighted")
    losses = np.random.default_rng(0).random((20, 3))
    run = ls.play(ls.hedge(n=3, advice="loss"), losses)
    with pytest.raises(LittlestoneError, match="about mistakes"):
        ls.certify(run, losses, iid=0.05)
    assert repr(ls.certify(run, losses)).startswith("<certificate: hedge, loss ")
    refused("is a truth beside", ls.certify(run, losses), losses, np.zeros(20))


def test_no_rounds_no_truths_and_nobody_awake():
    games = [(np.zeros((0, 3)), []), (np.zeros((4, 3)), [None] * 4), (np.full((5, 3), NAN), [1, 0, 1, 1, 0])]
    for name in experts.names():
        rule = experts.factory(name)(n=3)
        for table, truths in games:
            truth = None if rule.advice == "loss" else truths
            cert = ls.certify(ls.play(rule, table, truth), table, truth)
            assert ls.verify(cert, table, truth, replay=True) and all(claim.holds for claim in cert.bounds)


def test_rounds_without_a_truth_and_losses_without_one():
    """Facts that are nothing are whole numbers once written; a rule of forecasts has nothing to certify where nothing came true."""
    cert = ls.certify(ls.play(ls.follow_leader(n=2, advice="probability"), [[0.6, 0.5]], [None]), [[0.6, 0.5]], [None])
    assert ls.verify(cert.content, [[0.6, 0.5]], [None], replay=True).status != "broken"
    losses = [[0.5, 0.25], [1, 0]]
    with pytest.raises(ls.LittlestoneError, match="what came true"):
        ls.certify(ls.play(ls.boa(n=2, advice="loss", loss="squared"), losses), losses)
