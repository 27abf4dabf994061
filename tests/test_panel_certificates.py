"""Certificates of panels: made, verified, replayed; the chain re-derived by hand; whatever is false in one is refused, and by what name."""

import copy
import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from forgery import accepted, edited, resealed
from littlestone.api import certify_panel
from littlestone.cli import app
from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.forecast import Bins
from littlestone.theory.floor import FLOORS
from littlestone.verifier.seats import check_bins

RNG = np.random.default_rng(3)
X = ((RNG.random((240, 16)) < 0.25) * RNG.integers(1, 5, (240, 16)) / 4).astype(np.float32)
Y = np.where(RNG.random(240) < 0.05, np.nan, (X[:, 2] + X[:, 5] > 0.3) ^ (RNG.random(240) < 0.1))
MEMBERS = ("perceptron:bias=1", "arow", "adaptive:eta=1/10", "passive_aggressive")
WEIGHTS = RNG.choice([0.5, 1.0, 4.0], 240)


@cache
def played(rule="adahedge", members=MEMBERS, weighted=False, label_by="vote"):
    return ls.play(ls.panel(members, rule=rule, blend=False, label_by=label_by), X, Y, sample_weight=WEIGHTS if weighted else None)


@cache
def certified(rule="adahedge", members=MEMBERS, weighted=False, assume=None, label_by="vote"):
    return ls.certify(played(rule, members, weighted, label_by), X, Y, sample_weight=WEIGHTS if weighted else None, assume=assume)


def plain(cert):
    """As a stranger gets it."""
    return json.loads(json.dumps(cert.content))


def sealed_again(whole):
    """What a forger would hand in: every digest made anew."""
    part = whole["panel"]
    part["advice"] = resealed(part["advice"])
    if isinstance(part.get("best"), dict) and isinstance(part["best"].get("certificate"), dict):
        part["best"]["certificate"] = resealed(part["best"]["certificate"])
    return resealed(whole)


RULES = {
    "adahedge": "panel-adahedge",
    "hedge:eta=1/2": "panel-hedge-regret-hindsight",
    "weighted_majority:beta=9/10:updates=always": "panel-weighted-majority-hindsight",
    "weighted_majority:beta=0": "panel-loss",
    "follow_leader": "panel-follow-leader-hindsight",
    "fixed_share:form=deterministic": "panel-fixed-share-mistakes-hindsight",
    "specialists": "panel-specialists",
    "tracking": "panel-tracking-hindsight",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("label_by", ["vote", "forecast"])
def test_a_certificate_verifies_and_replays(rule, weighted, label_by, tmp_path):
    cert, weights = certified(rule, weighted=weighted, label_by=label_by), WEIGHTS if weighted else None
    cert.save(tmp_path / "c.json")
    assert ls.verify(tmp_path / "c.json", X, Y, sample_weight=weights).unchecked in ((), ("panel-chain",))
    verdict = ls.verify(plain(cert), X, Y, sample_weight=weights, replay=True)
    assert verdict.replayed and not verdict.unchecked and not verdict.aside
    run = played(rule, weighted=weighted, label_by=label_by)
    assert cert.content["counts"]["observed"] == run.weighted_mistakes and cert.mistakes == run.mistakes
    assert (
        ("panel-log-loss-chain" in {claim.name for claim in cert.bounds})
        == (label_by == "forecast")
        == ("vote_mistakes" in cert.content["panel"])
    )
    assert [len(one["mistakes"]) for one in cert.content["panel"]["members"]] == [one.mistakes for one in run.members]
    names = [claim.name for claim in cert.bounds]
    assert RULES[rule] in names and "panel-loss" in names and ("panel-chain" in names) == ("beta=0" not in rule)
    order = [(not claim.compares, claim.limit) for claim in cert.bounds]
    assert order == sorted(order) and "floor" in names and all(claim.holds and claim.observed <= claim.limit for claim in cert.bounds)


def test_what_was_played_says_the_same():
    """The bounds of a run and of its certificate, where both have them."""
    for rule, label_by in product(("adahedge", "hedge:eta=1/2", "weighted_majority"), ("vote", "forecast")):
        told = {claim.name: claim.limit for claim in played(rule, label_by=label_by).bounds()}
        stated = {claim.name: claim.limit for claim in certified(rule, label_by=label_by).bounds}
        assert told and all(stated[name] <= told[name] for name in told)  # a rule that learns from mistakes counts m on those alone
        assert rule == "weighted_majority" or all(stated[name] == told[name] for name in told)


def test_the_chain_by_hand():
    votes, labelled = [], ~np.isnan(Y)
    for member in ls.panel(MEMBERS).members:
        votes.append(ls.play(member, X, Y).predictions)
    votes = np.array(votes, float).T
    rule = ls.play(ls.adahedge(n=4), votes[labelled], Y[labelled])
    gaps, wrong = float(rule.state.z[2]), (votes != Y[:, None])[labelled].sum(axis=0)
    own_of = [ls.certify(ls.play(member, X, Y), X, Y) for member in ls.panel(MEMBERS).members]
    best = min(range(4), key=lambda k: own_of[k].best.limit)  # the rule's theorem holds for each: take the least limit
    own = own_of[best]
    assert wrong[best] > wrong.min(), "the least limit is not that of the member with the fewest mistakes"
    cert = certified()
    found = {claim.name: claim for claim in cert.bounds}
    assert found["panel-chain"].limit == floor(2 * (own.best.limit + 2 * gaps) + 1e-6) and found["panel-chain"].comparator.expert == best
    assert found["panel-chain"].facts["B"] == own.best.limit >= wrong[best] >= wrong.min() == found["panel-adahedge"].facts["m"]
    assert found["panel-adahedge"].limit == floor(2 * (wrong.min() + 2 * gaps) + 1e-6)
    assert found["panel-loss"].limit == floor(2 * rule.loss + 1e-6) and cert.mistakes == int(
        ((rule.mix >= 0.5) != Y[labelled].astype(bool)).sum()
    )
    part = cert.content["panel"]
    assert part["best"]["member"] == best and part["best"]["certificate"]["bounds"] == own.content["bounds"]
    assert ls.verify(part["best"]["certificate"], X, Y, replay=True)  # each part is a certificate like any other
    assert ls.verify(part["advice"], np.where(labelled[:, None], votes, 0), Y, replay=True)


def test_weights_are_what_the_rule_loses():
    """M ≤ 2(m + 2Δ), all of it in weights, by AdaHedge on the losses themselves; and a panel of before counts rounds."""
    run, labelled = played(weighted=True), ~np.isnan(Y)
    wrong = np.array([(ls.play(member, X, Y, sample_weight=WEIGHTS).predictions != Y) & labelled for member in run.learner.members])
    rule = ls.play(ls.adahedge(n=4, advice="loss"), (wrong * WEIGHTS / 4).T.astype(np.float32))
    gaps, m = 4 * float(rule.state.z[2]), float((wrong * WEIGHTS).sum(axis=1).min())
    limits = {claim.name: float(claim.limit) for claim in run.bounds()}
    assert limits["panel-adahedge"] == pytest.approx(2 * (m + 2 * gaps)) and limits["panel-loss"] == pytest.approx(2 * 4 * rule.loss)
    stated = {claim.name: claim for claim in certified(weighted=True).bounds}
    hedged = stated["panel-adahedge"]
    assert float(hedged.limit) == pytest.approx(limits["panel-adahedge"]) and float(hedged.facts["m"]) == pytest.approx(m)
    assert run.weighted_mistakes <= stated["panel-loss"].limit < stated["panel-adahedge"].limit < stated["panel-chain"].limit
    before = ls.play(ls.panel(MEMBERS, blend=False, forecast=False), X, Y, sample_weight=WEIGHTS)
    cert = ls.certify(before, X, Y, sample_weight=WEIGHTS)
    assert cert.content["panel"]["advice"]["learner"]["settings"]["advice"] == "vote"
    assert ls.verify(plain(cert), X, Y, sample_weight=WEIGHTS)
    forged = plain(certified(weighted=True))
    forged["learner"]["settings"]["weigh"] = False
    with pytest.raises(Refused, match=r"panel.advice: it is about advice of the kind loss, and the panel's rule hears votes"):
        ls.verify(sealed_again(forged), X, Y, sample_weight=WEIGHTS)
    declared = certified(weighted=True, assume="expert:m=1000")
    assert ls.verify(declared, X, Y, sample_weight=WEIGHTS) and declared.bounds[0].facts["m"] == 1000 and declared.bounds[0].holds


def test_a_chain_of_weights_divides_by_the_least():
    run = ls.play(ls.perceptron(bias=1), X, Y, sample_weight=WEIGHTS)
    cert = certified("follow_leader", ("perceptron:bias=1",), weighted=True)
    B, wrong = ls.certify(run, X, Y, sample_weight=WEIGHTS).best.limit, (run.predictions != Y) & ~np.isnan(Y)
    chain = next(claim for claim in cert.bounds if claim.name == "panel-chain")
    assert chain.facts["w"] == WEIGHTS[wrong].min() and chain.facts["c"] == WEIGHTS[wrong].max()
    assert chain.limit == pytest.approx(WEIGHTS[wrong].max() * floor(B / WEIGHTS[wrong].min()))


def test_rounds_that_weigh_nothing_are_not_heard():
    nothing = np.where(RNG.random(240) < 0.2, 0.0, WEIGHTS)
    for members in (MEMBERS, ("balanced_winnow", "perceptron"), ("balanced_winnow", "winnow")):
        given = X > 0 if "winnow" in members else X
        run = ls.play(ls.panel(members), given, Y, sample_weight=nothing)
        cert = ls.certify(run, given, Y, sample_weight=nothing)
        assert ls.verify(plain(cert), given, Y, sample_weight=nothing, replay=True)
        rows = [one["mistakes"] for one in cert.content["panel"]["members"]]
        assert list(map(len, rows)) == [one.mistakes for one in run.members] and all(nothing[t - 1] > 0 for some in rows for t in some)
        assert any(nothing[t - 1] == 0 for t in cert.content["mistakes"]) and all(claim.holds for claim in cert.bounds)
        none = next(t for t in range(1, 241) if nothing[t - 1] == 0 and not np.isnan(Y[t - 1]))
        forged = plain(cert)
        forged["panel"]["members"][0]["mistakes"] = sorted([*rows[0], none])
        with pytest.raises(Refused, match="no label that weighs anything"):
            ls.verify(sealed_again(forged), given, Y, sample_weight=nothing)


def drifting(half=150):
    """First a halfspace over rows that never come again, then an arbitrary function of four rows that do."""
    rng = np.random.default_rng(0)
    first = (rng.random((half, 24)) < 0.5).astype(np.float32)
    second = np.zeros((half, 24), np.float32)
    second[:, :2] = rng.integers(0, 2, (half, 2))
    return np.vstack([first, second]), np.concatenate([first[:, 0] > 0, second[:, 0] != second[:, 1]])


def test_a_panel_that_shares_is_held_against_a_sequence_of_members():
    X, y = drifting()
    run = ls.play(ls.panel(["perceptron:bias=1", "memorizer"], rule="fixed_share:alpha=1/100:eta=2", blend=False), X, y)
    cert = ls.certify(run, X, y)
    shifting = next(claim for claim in cert.bounds if claim.name == "panel-fixed-share-hindsight")
    path = shifting.comparator.path
    assert [k for _, k in path] == [0, 1] and 140 <= path[1][0] <= 175 and shifting.facts["S"] == 1
    wrong = [set(one["mistakes"]) for one in cert.content["panel"]["members"]]
    assert shifting.facts["m"] == len([t for t in wrong[0] if t < path[1][0]]) + len([t for t in wrong[1] if t >= path[1][0]])
    assert cert.mistakes <= shifting.limit < next(claim.limit for claim in cert.bounds if claim.name == "panel-chain")
    assert "compared with a sequence of members that changes 1 time" in str(ls.verify(cert, X, y, replay=True))
    forged = plain(cert)
    for records in (forged["bounds"], forged["panel"]["advice"]["bounds"]):
        record = next(one for one in records if one["witness"] and one["witness"]["kind"] == "path")
        record["witness"]["path"][1][0] += 60
    with pytest.raises(Refused, match="panel.advice: fixed-share-hindsight: m is"):
        ls.verify(sealed_again(forged), X, y)


def other_row(rows):
    """These rows, the first of them exchanged for another with the same label."""
    return sorted([*rows[1:], next(t for t in range(1, 241) if t not in rows and Y[t - 1] == Y[rows[0] - 1])])


def change_member(whole):
    rows = whole["panel"]["members"][0]["mistakes"]
    whole["panel"]["members"][0]["mistakes"] = other_row(rows)


def swap_best(whole):
    other = ls.panel(MEMBERS).members[0 if whole["panel"]["best"]["member"] else 1]
    whole["panel"]["best"]["certificate"] = plain(ls.certify(ls.play(other, X, Y), X, Y))


def best_of_another_stream(whole):
    k = whole["panel"]["best"]["member"]
    whole["panel"]["best"]["certificate"] = plain(ls.certify(ls.play(ls.panel(MEMBERS).members[k], X, 1 - Y), X, 1 - Y))


def move_best_row(whole):
    k, own = whole["panel"]["best"]["member"], whole["panel"]["best"]["certificate"]
    rows, quiet = own["mistakes"], {*own["mistakes"], *(own["updates"] or ())}
    own["mistakes"] = sorted([*rows[1:], next(t for t in range(1, 241) if t not in quiet and Y[t - 1] == Y[rows[0] - 1])])
    assert own["mistakes"] != whole["panel"]["members"][k]["mistakes"]


def lower(name, key="limit", by=1):
    def change(whole):
        record = next(one for one in whole["bounds"] if one["name"] == name)
        if key == "limit":
            record["limit"] -= by
        else:
            record["facts"][key] = by

    return change


def at(*place, value):
    def change(whole):
        for step in place[:-1]:
            whole = whole[step]
        whole[place[-1]] = value(whole[place[-1]]) if callable(value) else value

    return change


LIES = {
    "a member's row": (change_member, "panel.advice: the advice is not that of the certificate"),
    "a member's row that is none": (at("panel", "members", 0, "mistakes", value=lambda rows: [*rows, 999]), "stand in the stream"),
    "the panel's rows": (
        lambda w: w.update(mistakes=other_row(w["mistakes"])),
        "by the votes of its members the panel made a?n?o? mistake",
    ),
    "another best": (swap_best, "it is about another learner than member"),
    "a worse member": (at("panel", "best", "member", value=lambda k: k - 1 if k else 1), "it is about another learner than member"),
    "no member": (at("panel", "best", "member", value=4), "it must be one of the members with theorems"),
    "another stream's best": (best_of_another_stream, "it is about another stream"),
    "the best's rows": (move_best_row, "are not the rows that stand there of member"),
    "the best's limit": (
        at("panel", "best", "certificate", "bounds", 0, "limit", value=lambda limit: limit - 1),
        "best.certificate: .* limit",
    ),
    "a limit": (lower("panel-adahedge"), "panel-adahedge: limit is"),
    "the chain's limit": (lower("panel-chain"), "panel-chain: limit is"),
    "the chain's B": (lower("panel-chain", "B", 1), "panel-chain: facts is"),
    "a smaller F": (lower("panel-loss", "F", "12.5"), "panel-loss: F is 12.5, and replaying adahedge"),
    "an F that is none": (lower("panel-loss", "F", None), "panel-loss: F is None"),
    "a bound left out": (lambda w: w["bounds"].remove(next(b for b in w["bounds"] if b["name"] == "panel-chain")), "bounds: they are"),
    "no chain": (lambda w: w["panel"].update(best=None), "bounds: they are"),
    "the digest": (at("stream", "digest", value="sha256:" + "0" * 64), "another stream"),
    "a count": (at("counts", "mistakes", value=lambda n: n - 1), "counts.mistakes is"),
    "the observed": (at("counts", "observed", value=1), "counts.observed is 1"),
    "other members": (at("learner", "settings", "members", value="perceptron arow"), "name others"),
    "other settings": (at("panel", "members", 2, "settings", "eta", value="1/5"), "'adaptive:eta=1/10' is not what has"),
    "settings that are none": (at("panel", "members", 3, "settings", "C", value=-2), "no passive_aggressive has such settings"),
    "a setting in other words": (at("panel", "members", 3, "settings", "C", value="1"), "settings.C is not how that setting is written"),
    "another rule": (at("learner", "settings", "rule", value="hedge"), "learner.settings.rule: 'hedge' is not"),
    "another seed": (at("learner", "settings", "rule", value="adahedge:seed=4"), "learner.settings.rule"),
    "ties": (at("learner", "ties", value="by coin"), "learner.ties"),
    "updates": (at("updates", value=[]), "updates must be null"),
    "a segment": (at("stream", "segment", value=True), "about another stream"),
    "an assumption": (at("assume", value="expert:m=90"), "must declare what"),
    "no advice": (at("panel", "advice", value={}), "panel.advice: .*no littlestone certificate"),
    "no part": (lambda w: w.pop("panel"), "where it is about a panel, and only there"),
    "no panel": (at("about", value="stream"), "where it is about a panel, and only there"),
    "one inside another": (lambda w: w["panel"]["best"].update(certificate=copy.deepcopy(w)), "expected one about stream"),
}


LIES_ABOUT_LABELS = {
    "the panel's rows": (
        lambda w: w.update(mistakes=other_row(w["mistakes"])),
        "mistakes: replaying the forecasts, row .* made a?n?o? mistake",
    ),
    "the vote's rows": (
        at("panel", "vote_mistakes", value=other_row),
        "panel.vote_mistakes: by the votes of its members the vote made a?n?o?",
    ),
    "a row of the vote that is none": (
        at("panel", "vote_mistakes", value=lambda rows: [*rows, 999]),
        "panel.vote_mistakes: the rows of its",
    ),
    "no rows of the vote": (lambda w: w["panel"].pop("vote_mistakes"), "panel.vote_mistakes: it must stand there"),
    "another label": (at("learner", "settings", "label_by", value="vote"), "learner.ties is '1 where its probability is at least 1/2"),
    "no forecasts": (lambda w: w["panel"].pop("forecasts"), "must say whether there are forecasts"),
    "fewer mistakes of the forecasts": (at("panel", "forecasts", "mistakes", value=lambda n: n - 1), "the bounds do not follow"),
    "the log-loss's limit": (lower("panel-log-loss"), "panel-log-loss: limit is"),
    "the difference": (lower("panel-loss", "difference", -9), "panel-loss: facts is"),
    "another forecaster": (
        lambda w: next(b for b in w["bounds"] if b["name"] == "panel-log-loss-chain")["witness"].update(name="nobody"),
        "panel-log-loss-chain: witness is",
    ),
}
LIES_ABOUT_LABELS |= {what: lie for what, lie in LIES.items() if what not in LIES_ABOUT_LABELS}


@pytest.mark.parametrize("what", LIES_ABOUT_LABELS)
def test_a_lie_about_labels_by_forecast_is_refused_by_name(what):
    change, reason = LIES_ABOUT_LABELS[what]
    whole = plain(certified(label_by="forecast"))
    change(whole)
    with pytest.raises(Refused, match=reason):
        ls.verify(sealed_again(whole) if "panel" in whole else resealed(whole), X, Y, replay=True)


def test_a_label_that_no_forecast_gives_is_found_without_a_replay():
    """The number of mistakes at 1/2 stands beside the log-loss, and both must fit."""
    whole = plain(certified(label_by="forecast"))
    whole["mistakes"] = whole["mistakes"][:-1]
    kind = "false_negatives" if Y[certified(label_by="forecast").content["mistakes"][-1] - 1] else "false_positives"
    whole["counts"] |= {"mistakes": len(whole["mistakes"]), "observed": len(whole["mistakes"]), kind: whole["counts"][kind] - 1}
    with pytest.raises(Refused, match="panel.forecasts: .* mistakes, and the label is the forecast's; mistakes has .* rows"):
        ls.verify(sealed_again(whole), X, Y, replay=False)


@pytest.mark.parametrize("what", LIES)
def test_a_lie_is_refused_by_name(what):
    change, reason = LIES[what]
    whole = plain(certified())
    change(whole)
    assert not accepted(whole, X, Y), "its digest does not tell"
    with pytest.raises(Refused, match=reason):
        ls.verify(sealed_again(whole) if "panel" in whole else resealed(whole), X, Y)


def test_another_stream_is_refused():
    for other, told, why in ((X, 1 - Y, "not the one of"), (X[::-1], Y[::-1], "row"), (X[:-1], Y[:-1], "ends at row 239")):
        with pytest.raises(Refused, match=why):
            ls.verify(certified(), other, told)
        with pytest.raises(LittlestoneError, match="not what this run was played on"):
            ls.certify(played(), other, told)


def test_a_lie_told_throughout_is_found_by_replay(monkeypatch):
    """One vote of a member that decides nothing, and all that follows from it made anew: only the member's definition can tell."""
    told = certify_panel.heard
    best = certified().content["panel"]["best"]["member"]
    k = max({*range(len(MEMBERS))} - {best}, key=lambda k: played().members[k].mistakes)

    def lying(*arguments):
        votes, elected, truth, weights = told(*arguments)
        t = int(np.flatnonzero(truth >= 0)[-1])  # after it there is nothing to be changed
        votes[t, k] ^= True
        return votes, elected, truth, weights

    monkeypatch.setattr(certify_panel, "heard", lying)
    monkeypatch.setattr(certify_panel, "by_mistakes", lambda *_: [best])
    forged = plain(ls.certify(played(), X, Y))
    assert ls.verify(forged, X, Y, replay=False)
    with pytest.raises(Refused, match=f"panel.members\\[{k}\\]: replaying {MEMBERS[k]}, row 2.. made (a|no) mistake"):
        ls.verify(forged, X, Y, replay=True)


@pytest.mark.parametrize("label_by", ["vote", "forecast"])
@pytest.mark.parametrize("rule", ["adahedge", "fixed_share:form=deterministic"])
def test_no_edit_makes_another_claim(rule, label_by):
    random, whole = Random(rule), plain(certified(rule, assume="expert:m=70", label_by=label_by))
    for _ in range(30):
        place, changed = edited(whole, random)
        if changed == whole:
            continue
        assert not accepted(changed, X, Y), f"{place}: its own digest does not tell"
        inside = place[0] == "panel" and isinstance(changed["panel"], dict) and isinstance(changed["panel"].get("advice"), dict)
        forged = sealed_again(changed) if inside else resealed(changed)
        if place[-1] != "digest" and accepted(forged, X, Y) and accepted(forged, X, Y, replay=True):
            assert harmless(place, whole, changed), place


def harmless(place, before, after):
    """Another way to write it; a member's settings that nobody named and that change none of its votes (a replay has shown it); and in the
    certificates inside what is harmless in such a one: their own tests say what."""
    if place == ("assume",):
        return False
    if place[:3] == ("learner", "settings", "rule") or place == ("learner", "settings", "n"):
        return True  # said with fewer settings; n is that of members which need none
    if place[0] == "bounds" and place[2:3] == ("facts",) and before["bounds"][place[1]]["name"] in FLOORS:
        was, now = (float(Fraction(whole["bounds"][place[1]]["facts"][place[3]])) for whole in (before, after))
        return abs(now - was) <= 1e-6 * was  # rounded outwards by a millionth at most, or less than before
    return place[0] == "panel" and before["bounds"] == after["bounds"]


def test_what_is_declared_of_members():
    best = min(len(one["mistakes"]) for one in certified().content["panel"]["members"])
    for rule in ("adahedge", "weighted_majority", "fixed_share:alpha=1/50"):
        cert = certified(rule, assume=f"expert:m={best}")
        assert cert.bounds[0].kind == "a priori" and cert.bounds[0].holds and ls.verify(cert, X, Y, replay=True)
        false = certified(rule, assume="expert:m=1")
        assert false.bounds[0].limit is None and "row" in false.bounds[0].reason and ls.verify(false, X, Y, replay=True)
    with pytest.raises(LittlestoneError, match="no theorem that assumes"):
        certified("specialists", assume="expert:m=1")


def test_members_that_nobody_can_replay():
    own = replace(ls.perceptron(margin=1, bias=0), name="mine")
    cert = ls.certify(ls.play(ls.panel([own, "arow", "adaptive"], blend=False), X, Y), X, Y)
    assert cert.content["panel"]["best"]["member"] in (1, 2)
    verdict = ls.verify(plain(cert), X, Y, replay=True)
    assert verdict.aside == ("mine",) and str(verdict).startswith("consistent, and replayed except for mine, whose votes")
    assert not ls.verify(plain(cert), X, Y, replay=False).aside
    among = ls.certify(ls.play(ls.panel([own, "arow"]), X, Y), X, Y)  # blends hear it too
    assert ls.verify(plain(among), X, Y, replay=True).aside == ("mine", "blend", "blend-1000", "blend-100", "blend-mean")
    two = ls.play(ls.panel(["winnow", "balanced_winnow"]), X > 0, Y, sample_weight=WEIGHTS)  # no theorem of theirs is about weights
    cert = ls.certify(two, X > 0, Y, sample_weight=WEIGHTS)
    assert cert.content["panel"]["best"] is None and ls.verify(cert, X > 0, Y, sample_weight=WEIGHTS, replay=True)


def test_a_text_that_leaves_settings_open_is_written_in_full():
    """Of these a text alone says too little to play them again, or says it in words that are no settings."""
    rows, labels = (X > 0).astype(float), Y == 1
    members = ["winnow_real", "pnorm", "winnow:k=3", "arow"]
    panel = ls.panel(members, n=16, rule="hedge:rounds=240", blend=False, forecast=False)
    for learner, how in ((panel, {}), (panel, {"delay": 2}), (ls.one_vs_rest(panel), {})):
        cert = ls.certify(ls.play(learner, rows, labels, **how), rows, labels, seconds=0.01)
        assert ls.verify(cert, rows, labels).status == "verified"
    beside = ls.panel(["halving:concepts=disjunctions:n=16:r=1:agnostic=True", "arow"], blend=False)
    assert ls.verify(ls.certify(ls.play(beside, rows, labels), rows, labels, seconds=0.01), rows, labels).status == "verified"


def test_blends_vote_and_have_no_certificate_of_their_own():
    run = ls.play(ls.panel(MEMBERS), X, Y)
    cert = ls.certify(run, X, Y)
    members = cert.content["panel"]["members"]
    blends = tuple(one["text"] for one in members if not one["alone"])
    assert len(blends) > 1 and blends == run.learner.names[len(MEMBERS) :] and cert.content["panel"]["best"]["member"] < len(MEMBERS)
    assert [len(one["mistakes"]) for one in members] == [one.mistakes for one in run.members]
    assert not ls.verify(plain(cert), X, Y, replay=True).aside
    for change, reason in (
        (at("panel", "members", 0, "alone", value=False), "name others"),
        (at("learner", "settings", "blend", value=False), "whether there are blends"),
        (at("panel", "members", -1, "mistakes", value=lambda rows: rows[1:]), "panel.advice: the advice is not that"),
        (at("panel", "members", -2, "settings", "memory", value="9/10"), "the blends must be blend, blend-1000"),
        (at("panel", "members", -2, "settings", "logistic", value=1), "the blends must be blend, blend-1000"),
        (lambda w: w["panel"]["members"].insert(-1, w["panel"]["members"].pop()), "in this order and with their own settings"),
    ):
        forged = plain(cert)
        change(forged)
        with pytest.raises(Refused, match=reason):
            ls.verify(sealed_again(forged), X, Y)


def test_next_to_nothing():
    for X, y in ((np.zeros((0, 3)), []), ([{}] * 4, [None] * 4), ([{0: 1.0}, {}] * 3, [1, 1, None, 0, 1, 1])):
        cert = ls.certify(ls.play(ls.panel(["perceptron", "adaptive"]), X, y), X, y, iid=0.05)
        assert ls.verify(plain(cert), X, y, replay=True) and all(claim.holds for claim in cert.bounds)


@pytest.mark.parametrize("rule", ["adahedge", "weighted_majority"])
def test_a_panel_that_began_anew_after_alarms(rule):
    draw = np.random.default_rng(3)
    rows, labels = (draw.random((90, 8)) < 0.4).astype(np.float32), draw.integers(0, 2, 90)
    run = ls.play(ls.panel(["perceptron", "arow"], rule=rule), rows, labels, assume="expert:m=5", alarm="restart")
    for segment in run.segments[:3]:
        cert = ls.certify(segment, rows, labels, assume="expert:m=5")
        first, last = cert.content["stream"]["rows"]
        assert first == segment.first_round + 1 and first <= cert.bounds[0].contradiction["row"] <= last
        assert ls.verify(plain(cert), rows, labels, replay=True).verified
    forged = plain(cert)
    forged["panel"]["members"][-1]["mistakes"].insert(0, first - 1)
    with pytest.raises(Refused, match="must be numbers from 1 on that grow, and stand in the stream"):
        ls.verify(sealed_again(forged), rows, labels)


def test_bins_of_forecasts_that_are_no_replay_s_are_refused():
    cert = ls.certify(ls.play(ls.panel(["perceptron", "adaptive"]), X, Y), X, Y)
    bins = cert.content["panel"]["forecasts"]["bins"]
    positives = sum(m for _, m in bins)
    assert positives == np.count_nonzero(Y == 1)
    own = Bins()
    for s, y in [(6.0, True)] * 30 + [(6.0, False)] * 5 + [(-9.0, False)] * 40:  # beyond the last border rounding moves nothing
        own.odds(s)
        own.learn(y)
    check_bins("panel", [[int(n), int(m)] for n, m in own.counts], 30, own)
    for stated, ones in (([[35, 0], *[[0, 0]] * 8, [40, 30]], 30), ([[40, 0], *[[0, 0]] * 8, [35, 35]], 30)):
        with pytest.raises(Refused, match="bins"):
            check_bins("panel", stated, ones, own)


def test_what_has_no_certificate():
    late = ls.certify(ls.play(ls.panel(MEMBERS), X, Y, delay=3), X, Y)  # of its theorems none is left
    assert late.best.name == "floor" and len(late.bounds) > 1
    assert all("labels came late" in claim.reason and claim.limit is None for claim in late.bounds[1:])
    assert ls.verify(late, X, Y, replay=True).verified
    with pytest.raises(LittlestoneError, match="perturbed_leader cannot rule a panel"):
        ls.panel(MEMBERS, rule="perturbed_leader")


def said(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "140"})
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result.stdout


def test_on_the_command_line(tmp_path, monkeypatch):
    path, other, out = tmp_path / "a.libsvm", tmp_path / "b.vw", tmp_path / "c.json"
    labels = np.where(np.isnan(Y), 1, Y)
    rows = (" ".join([f"{2 * y - 1:+.0f}", *(f"{i}:{v:g}" for i, v in enumerate(row) if v)]) for row, y in zip(X, labels, strict=True))
    path.write_text("\n".join(rows) + "\n")
    told = json.loads(said("run", path, "--learner", "panel", "--certificate", out, "--quiet", "--json"))
    assert next(bound["compares"] for bound in told["bounds"] if bound["name"] == "panel-chain")
    checked = said("verify", out, path, "--replay")
    assert checked.startswith("verified and replayed: panel made") and "by panel-chain, compared with what member" in checked
    monkeypatch.setattr("littlestone.cli.commands.verify.FIRST", 0.0)
    monkeypatch.setattr("littlestone.cli.commands.verify.LONG", -1.0)
    answer = CliRunner().invoke(app, ["verify", str(out), str(path), "--json"])
    line = rf"{min(len(X), 256)} of {len(X)} rounds replayed, about \d+ s left\. --no-replay .* ends with exit code 3 in place of 0\.\n"
    assert re.fullmatch(line, answer.stderr)  # one line where there is no terminal
    found = json.loads(answer.stdout)
    assert found["verified"] and "panel-loss" in found["checked"] and found["bounds"][0]["limit"] >= found["counts"]["mistakes"]
    said("convert", path, other, "--quiet")
    assert said("verify", out, other).startswith("verified")
    path.write_text(path.read_text().replace("+1", "-1", 1))
    assert "REFUSED" in said("verify", out, path, code=1)


@pytest.mark.parametrize("learner", [ls.panel(["perceptron", "arow"], blend=False), ls.class_panel(["perceptron", "arow"])], ids=repr)
def test_labels_told_late_between_which_nothing_was_learned(learner):
    """Nothing came between a prediction and its label, and yet the rows that have none were asked at another time."""
    rows, labels = [{0: 1}, {}, {0: 1}], ["a", None, None] if learner.name == "class_panel" else [1, None, None]
    cert = ls.certify(ls.play(learner, rows, labels, delay=3), rows, labels)
    assert ls.verify(cert, rows, labels).verified
    named = {"ids": ["x", "x", "z", "z"]}
    rows, labels = [{0: 1}, {}, {1: 1}, {}], [None, 1, None, 0]
    cert = ls.certify(ls.play(learner, rows, labels, **named), rows, labels, **named)
    assert ls.verify(cert, rows, labels, **named).verified


@pytest.mark.parametrize("third", [False, True])
def test_a_certificate_says_first_what_was_shown(third, tmp_path):
    """In one sentence: the mistakes, those of the majority, and those of the best member; all of them counted here once more."""
    lines = [("ham", "lunch on monday"), ("spam", "win a free prize"), ("ham", "see you on monday"), ("ham", "free lunch")] * 10
    lines += [("news", "press on monday")] * 5 if third else []
    (tmp_path / "mail.txt").write_text("".join(f"{label}\t{text}\n" for label, text in lines))
    done = CliRunner().invoke(app, ["certify", str(tmp_path / "mail.txt"), "-o", str(tmp_path / "c.json")])
    content = json.loads((tmp_path / "c.json").read_text("utf-8"))
    made, rows = content["counts"]["mistakes"], len(lines)
    run = ls.play(ls.panel(), ls.open_stream(tmp_path / "mail.txt"))
    least = min(member.mistakes for member in run.members)
    majority = "" if third else "always saying ham would have made 10; "
    sentence = f"On these {rows} messages it made {made} mistakes; {majority}"
    sentence += f"no fixed choice among its members, known in advance, would have made fewer than {least}."
    assert done.exit_code == 0 and " ".join(done.stdout.split()).startswith(sentence) and made == run.mistakes
    certificate = ls.certify(run, ls.open_stream(tmp_path / "mail.txt"))
    assert content["summary"].startswith(f"{sentence} What was played: ") and str(certificate) == content["summary"]
    assert ls.verify(tmp_path / "c.json", tmp_path / "mail.txt", replay=False)
