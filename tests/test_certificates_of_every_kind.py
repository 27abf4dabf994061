"""Certificates of several classes, of one learner inside another, of passes, of late labels and of a user's own learner."""

import json
import sys
from importlib import util
from random import Random

import numpy as np
import pytest

import littlestone as ls
from forgery import accepted, edited, resealed
from littlestone.reference.student import Student
from littlestone.theory.floor import FLOORS
from littlestone.theory.sealed import digest_of

RNG = np.random.default_rng(0)
X = (RNG.random((120, 8)) < 0.4).astype(np.float32)
CLEAN = (X[:, 0] + X[:, 1] > 0).astype(int)
Y = CLEAN ^ (np.arange(120) % 17 == 0)
DRINKS = [["tea", "coffee", "milk"][int(k)] for k in X[:, 0] + 2 * X[:, 1] * (1 - X[:, 0])]
WEIGHTS = RNG.choice([0.5, 1, 2], 120)


def plain(cert):
    """As a stranger gets it."""
    return json.loads(json.dumps(cert.content))


def both(run, y, **given):
    """The certificate of a run over X, and its verdicts without and with a replay."""
    weights = {"sample_weight": given["sample_weight"]} if "sample_weight" in given else {}
    content = plain(ls.certify(run, X, y, seconds=1, **given))
    return content, ls.verify(content, X, y, **weights), ls.verify(content, X, y, replay=True, **weights)


INSIDE = [
    ls.passive_aggressive(), ls.perceptron(margin=1), ls.perceptron(bias=0), ls.arow(), ls.adaptive(), ls.winnow(n=8), ls.conjunctions(),
    ls.winnow_real(n=8), ls.normalized(),
]  # fmt: skip


@pytest.mark.parametrize("inner", INSIDE, ids=lambda learner: learner.name)
def test_a_conservative_learner(inner):
    content, verdict, replayed = both(ls.play(ls.conservative(inner), X, Y), Y)
    assert content["version"] == 3 and content["learner"]["settings"]["learner"] == inner.name and content["bounds"]
    assert verdict.verified and replayed.verified and not replayed.unchecked
    if inner.weighted:
        both(ls.play(ls.conservative(inner), X, Y, sample_weight=WEIGHTS), Y, sample_weight=WEIGHTS)


def test_a_conservative_learner_of_a_class():
    learner = ls.conservative("halving", concepts="disjunctions", n=8)
    content, _, replayed = both(ls.play(learner, X, CLEAN), CLEAN, assume="class")
    assert {record["name"] for record in content["bounds"]} == {"conservative-halving-class", "conservative-halving-survivors", "floor"}
    assert not replayed.unchecked


SEVERAL = [
    ls.multiclass_perceptron(),
    ls.banditron(),
    *(
        make(inner)
        for make in (ls.one_vs_rest, ls.all_pairs)
        for inner in (ls.perceptron(bias=0), ls.winnow(n=8), ls.arow(), ls.adaptive())
    ),
]


@pytest.mark.parametrize("learner", SEVERAL, ids=repr)
def test_several_classes(learner):
    run = ls.play(learner, X, DRINKS)
    content, verdict, replayed = both(run, DRINKS)
    assert verdict.verified and replayed.verified and replayed.replayed and not replayed.unchecked and not replayed.aside
    assert content["stream"]["labels"] == list(run.classes) and content["counts"]["mistakes"] == run.mistakes
    if learner.weighted:
        both(ls.play(learner, X, DRINKS, sample_weight=WEIGHTS), DRINKS, sample_weight=WEIGHTS)
    for other in ([*DRINKS[:-1], "tea" if DRINKS[-1] != "tea" else "milk"], [*DRINKS[:-1], "water"]):
        with pytest.raises(ls.Refused, match="not the one of the certificate|in the order in which they appear"):
            ls.verify(content, X, other)


def test_several_classes_of_a_file(tmp_path):
    path = tmp_path / "drinks.jsonl"
    rows = ({"label": y, **{f"f{i}": 1 for i in np.flatnonzero(row)}} for row, y in zip(X, DRINKS, strict=True))
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    stream = ls.open_stream(path)
    cert = ls.certify(ls.play(ls.one_vs_rest(ls.perceptron(bias=0)), stream), stream, seconds=1)
    assert ls.verify(plain(cert), path, replay=True).verified


def test_declared_of_several_classes():
    content, _, replayed = both(ls.play(ls.one_vs_rest(ls.winnow(n=8)), X, DRINKS), DRINKS, assume="disjunction:r=1")
    assert content["bounds"][0]["name"] == "one_vs_rest-winnow-disjunction" and replayed.verified
    content, _, _ = both(ls.play(ls.multiclass_perceptron(), X, DRINKS), DRINKS, assume="margin:gamma=2,R=3")
    assert content["bounds"][0]["contradiction"] is not None and content["bounds"][0]["limit"] is None
    for segment in ls.play(ls.multiclass_perceptron(), X, DRINKS, assume="margin:gamma=10,R=3", alarm="restart").segments[:3]:
        both(segment, DRINKS, assume="margin:gamma=10,R=3")


def test_a_committee_of_panels():
    content, verdict, replayed = both(ls.play(ls.one_vs_rest(ls.panel(["perceptron", "arow"], blend=False)), X, DRINKS), DRINKS)
    assert content["classes"]["members"][0]["certificate"]["about"] == "panel"
    assert verdict.verified and replayed.verified and not replayed.aside


LATE = [
    ls.perceptron(bias=0), ls.perceptron(margin=1), ls.winnow(n=8), ls.arow(), ls.adaptive(), ls.passive_aggressive(), ls.conjunctions(),
    ls.disjunctions(), ls.balanced_winnow(eta="1/2", margin="1/10"), ls.winnow_doubling(n=8), ls.winnow_elimination(n=8), ls.pnorm(p=2),
    ls.memorizer(), ls.normalized(), ls.pairs(), ls.winnow_real(n=8), ls.conservative("arow"),
    ls.perceptron(margin=1, averaged=True, bias=0),
]  # fmt: skip


@pytest.mark.parametrize("delay", [1, 4, 500])
@pytest.mark.parametrize("learner", LATE, ids=repr)
def test_late_labels_are_replayed(learner, delay):
    run = ls.play(learner, X, Y, delay=delay, passes=2 if delay == 4 else 1)
    content, verdict, replayed = both(run, Y)
    assert verdict.verified and replayed.verified and replayed.replayed
    assert content["stream"]["delay"] == delay and content["counts"]["mistakes"] == run.mistakes
    assert all("labels came late" in record["reason"] for record in content["bounds"] if record["limit"] is None)


def test_a_theorem_for_late_labels():
    rows = np.array([[1, 1, 0], [1, 0, 1]] * 40, np.float32)
    labels = [1, 0] * 40
    run = ls.play(ls.perceptron(bias=0), rows, labels, delay=2)
    cert = ls.certify(run, rows, labels, assume="margin:gamma=1/2,R=2")
    claim = cert.bounds[0]
    assert (claim.name, claim.facts["D"], claim.holds) == ("perceptron-margin-late", run.overlap, True) and run.overlap == 1
    assert ls.verify(plain(cert), rows, labels, replay=True).verified
    for place, fact, value in ((0, "D", 0), (2, "D", 0), (2, "size", 0), (1, "theta2", 1)):
        forged = plain(cert)
        if forged["bounds"][place]["facts"][fact] != value:
            forged["bounds"][place]["facts"][fact] = value
            assert not accepted(resealed(forged), rows, labels), fact


@pytest.mark.parametrize("learner", [ls.perceptron(bias=0), ls.perceptron(margin=1, bias=1)], ids=repr)
def test_a_certificate_has_the_late_bound_in_hindsight(learner):
    run = ls.play(learner, X * np.float32(0.3), Y, delay=4)
    content = plain(ls.certify(run, X * np.float32(0.3), Y))
    late = [record for record in content["bounds"] if record["name"].endswith("perceptron-hinge-late")]
    assert [bool(record["witness"]) and record["holds"] for record in late] == [True] and run.overlap > 0
    assert ls.verify(content, X * np.float32(0.3), Y, replay=True).verified


LATE_OF_EVERY_KIND = [
    *SEVERAL, ls.panel(["perceptron"], blend=False), ls.panel(["perceptron:bias=1", "arow", "winnow", "pairs"], n=8),
    ls.one_vs_rest(ls.panel(["perceptron", "coin"])), ls.conservative("winnow", n=8),
]  # fmt: skip


def refuses_what_late_labels_leave_void(content, rows, y):
    """Its theorems stand there, void with the reason; and one that is given a limit, other words or facts is refused.

    The floor alone is true whenever labels come.
    """
    assert content["bounds"] and ls.verify(content, rows, y, replay=True).verified
    floors = [record for record in content["bounds"] if record["name"] in FLOORS]
    assert bool(floors) == (content["about"] == "stream") and all(record["holds"] for record in floors)
    for place, record in enumerate(content["bounds"]):
        if record in floors:
            continue
        assert (record["limit"], record["holds"], record["facts"]) == (None, None, {}) and "labels came late" in record["reason"]
        for lie in ({"limit": 10**6, "holds": True, "reason": ""}, {"reason": "it rained"}, {"facts": {"m": 1}}, {"observed": 1}):
            forged = [*content["bounds"][:place], {**record, **lie}, *content["bounds"][place + 1 :]]
            assert not accepted(resealed({**content, "bounds": forged}), rows, y), (record["name"], lie)


def test_what_holds_of_prompt_labels_is_refused_of_late_ones():
    advice, truth = (RNG.random((40, 4)) < 0.5).astype(float), (RNG.random(40) < 0.5).astype(int)
    for learner, rows, y in ((ls.adahedge(n=4), advice, truth), (ls.multiclass_perceptron(), X, DRINKS), (SEVERAL[1], X, DRINKS)):
        prompt, late = (plain(ls.certify(ls.play(learner, rows, y, **how), rows, y)) for how in ({}, {"delay": 2}))
        forged = {**prompt, "stream": {**prompt["stream"], "delay": 2}}
        assert accepted(prompt, rows, y) and not accepted(resealed(forged), rows, y)
        assert accepted(resealed({**late, "bounds": [], "version": 2}), rows, y)  # as certificates were once written: it says less


@pytest.mark.parametrize("learner", LATE_OF_EVERY_KIND, ids=repr)
def test_late_labels_of_every_kind_are_replayed(learner):
    y = Y if learner.kind == "two classes" else DRINKS
    for how in ({"delay": 2}, {"delay": 3, "passes": 2}):
        content, _, replayed = both(ls.play(learner, X, y, **how), y)
        assert replayed.verified and replayed.replayed and not replayed.aside
    refuses_what_late_labels_leave_void(content, X, y)
    wrong = content["mistakes"][-1]
    lie = {**content, "mistakes": [*content["mistakes"][:-1], wrong - 1 if wrong - 1 not in content["mistakes"] else wrong + 1]}
    assert not accepted(resealed(lie), X, y, replay=True)


def test_what_a_panel_does_not_tell_is_not_replayed():
    """What a text leaves open is written out; but a class of concepts is no text."""
    _, _, replayed = both(ls.play(ls.panel(["winnow:k=2", "arow"], n=8), X, Y, delay=2), Y)
    assert replayed.verified
    weighed = "halving:concepts=disjunctions:n=8:agnostic=True"
    _, _, replayed = both(ls.play(ls.panel([weighed, "arow"], n=8), X, Y, delay=2), Y)
    assert replayed.status == "consistent" and "panel has no definition to replay" in str(replayed)


def by_name(late=3):
    """Rounds whose labels come in rows of their own, and the names of all rows."""
    rows, labels, names = [], [], []
    for t in range(60):
        rows.append(X[t])
        labels.append(None if t % 4 else Y[t])
        names.append(f"r{t}")
        if t >= late and (t - late) % 4:
            rows.append(np.zeros(8, np.float32))
            labels.append(Y[t - late])
            names.append(f"r{t - late}")
    return np.array(rows), labels, names


BY_NAME = [
    ls.perceptron(bias=0),
    ls.perceptron(margin=1, averaged=True, bias=0),
    ls.arow(),
    ls.winnow(n=8),
    ls.panel(["perceptron", "arow"]),
]


@pytest.mark.parametrize("learner", BY_NAME, ids=repr)
def test_labels_that_come_by_name(learner):
    table, labels, names = by_name()
    run = ls.play(learner, table, labels, ids=names)
    content = plain(ls.certify(run, table, labels, ids=names))
    verdict = ls.verify(content, table, labels, replay=True, ids=names)
    assert verdict.verified and verdict.replayed and content["counts"]["mistakes"] == run.mistakes
    unnamed = ls.verify(content, table, labels, replay=True)
    assert unnamed.status == "consistent" and unnamed.replayed and "which row each belongs to is taken as stated" in str(unnamed)
    order = content["stream"]["order"]
    swapped = [order[0], order[2], order[1], *order[3:]]
    for other in (order[::-1], order[:-1], [*order, 1], [order[0] + 1, *order[1:]], swapped):
        assert not accepted(resealed({**content, "stream": {**content["stream"], "order": other}}), table, labels)
    with pytest.raises(ls.Refused, match=r"stream\.order: the label in row \d+ cannot be that of row"):
        ls.verify(content, table, labels, ids=[name.replace("r5", "r6") for name in names])


def test_several_classes_by_name(tmp_path):
    table, labels, names = by_name()
    drinks = iter(DRINKS)
    told = {name: next(drinks) for name in dict.fromkeys(names)}
    labels = [None if label is None else told[name] for label, name in zip(labels, names, strict=True)]
    path = tmp_path / "late.csv"
    rows = [
        ",".join(["" if y is None else y, *(f"{v:g}" if row.any() else "" for v in row), name])
        for row, y, name in zip(table, labels, names, strict=True)
    ]
    path.write_text("\n".join(["label," + ",".join(f"f{i}" for i in range(8)) + ",id", *rows]) + "\n")
    for learner in (ls.one_vs_rest(ls.perceptron(bias=0)), ls.multiclass_perceptron()):
        stream = ls.open_stream(path, label="label", id="id")
        content = plain(ls.certify(ls.play(learner, stream, ids=True), stream, ids=True))
        assert ls.verify(content, path, replay=True).verified


HONEST = {
    "large values": (ls.passive_aggressive(), (RNG.random((40, 3)) * 1e7).astype(np.float32), RNG.random(40) < 0.5),
    "large values, no C": (ls.passive_aggressive(C=None), (RNG.random((40, 3)) * 1e12).astype(np.float32), RNG.random(40) < 0.5),
    "a column that pulls nowhere": (ls.balanced_winnow(), [{1: 1}] * 2, [0, 1]),
    "no column": (ls.balanced_winnow(), [{}] * 2, [0, 1]),
    "estimates that multiply rounding": (ls.exp3(n=2, eta="1/5"), (RNG.random((900, 2)) < 0.5).astype(float), RNG.random(900) < 0.5),
    "the same with exploration": (ls.exp3_ix(n=9, eta="1/5"), (RNG.random((900, 9)) < 0.5).astype(float), RNG.random(900) < 0.5),
}


@pytest.mark.parametrize("what", HONEST)
def test_what_is_honest_is_verified(what):
    learner, X, y = HONEST[what]
    assert ls.verify(plain(ls.certify(ls.play(learner, X, y), X, y)), X, y).verified


@pytest.mark.parametrize("rule", [ls.adahedge(n=4), ls.weighted_majority(n=4), ls.exp3(n=4), ls.follow_leader(n=4)], ids=repr)
def test_rules_in_passes_and_with_late_truths(rule):
    advice, truth = (RNG.random((40, 4)) < 0.5).astype(float), (RNG.random(40) < 0.5).astype(int)
    cert = ls.certify(ls.play(rule, advice, truth, passes=2), advice, truth)
    assert cert.rounds == 80 and ls.verify(plain(cert), advice, truth, replay=True).verified
    if rule.bandit:  # it learns of the expert that it chose, and late it would choose another
        return
    late = ls.certify(ls.play(rule, advice, truth, delay=2), advice, truth)
    refuses_what_late_labels_leave_void(plain(late), advice, truth)
    if rule.settings.get("seed") is None:
        declared = ls.certify(ls.play(rule, advice, truth, delay=2), advice, truth, assume="expert:m=30")
        assert declared.bounds[0].kind == "a priori"
        refuses_what_late_labels_leave_void(plain(declared), advice, truth)
    lie = {**plain(late), "mistakes": late.content["mistakes"][:-1] or [1]}
    assert not accepted(resealed(lie), advice, truth)
    asleep = np.full((1, 4), np.nan)  # truths by name: of two rounds, the second first, and one whose truth never comes
    advice, truth = np.concatenate([advice[:3], asleep, asleep, advice]), [None, None, None, 1, 0, *truth]
    ids = ["a", "b", "c", "b", "a", *[None] * 40]
    named = ls.certify(ls.play(rule, advice, truth, ids=ids), advice, truth, ids=ids)
    assert named.rounds == 42 and named.content["stream"]["order"][:3] == [2, 1, 6]
    assert ls.verify(plain(named), advice, truth, ids=ids).verified
    assert not accepted(resealed({**plain(named), "stream": {**named.content["stream"], "order": [1, 2]}}), advice, truth)


@pytest.mark.parametrize(
    "learner", [ls.perceptron(bias=0), ls.adaptive(), ls.panel(["perceptron", "arow"]), ls.conservative("arow")], ids=repr
)
def test_several_passes(learner):
    content, _, replayed = both(ls.play(learner, X, Y, passes=3), Y)
    assert content["stream"]["passes"] == 3 and content["stream"]["rows"] == [1, 360] and replayed.verified
    assert not accepted(resealed({**content, "stream": {**content["stream"], "passes": 2}}), X, Y)


FORGED = {
    "one_vs_rest": lambda: (ls.play(ls.one_vs_rest(ls.winnow(n=8)), X, DRINKS), DRINKS),
    "all_pairs": lambda: (ls.play(ls.all_pairs(ls.perceptron(bias=0)), X, DRINKS), DRINKS),
    "multiclass_perceptron": lambda: (ls.play(ls.multiclass_perceptron(), X, DRINKS), DRINKS),
    "conservative": lambda: (ls.play(ls.conservative("arow"), X, Y), Y),
    "late": lambda: (ls.play(ls.perceptron(margin=1, bias=0), X, Y, delay=3), Y),
    "passes": lambda: (ls.play(ls.winnow(n=8), X, Y, passes=2), Y),
}


@pytest.mark.parametrize("kind", FORGED)
def test_an_edit_is_refused_unless_it_says_less(kind):
    run, y = FORGED[kind]()
    content, random = plain(ls.certify(run, X, y, seconds=1)), Random(kind)
    for _ in range(60):
        place, changed = edited(content, random)
        if changed == content:
            continue
        assert not accepted(changed, X, y), f"{place}: an edited file was accepted"
        forged = resealed(changed)
        if place != ("digest",) and accepted(forged, X, y) and accepted(forged, X, y, replay=True):
            assert _harmless(place, content, changed), f"{place}: was accepted"


def _harmless(place, before, after):
    """It says the same, or less: settings with which the learner does the same, a bound in hindsight left out, a fact rounded outward."""
    if place[:2] == ("learner", "settings"):
        return True
    if place == ("bounds",):
        return [record for record in before["bounds"] if record in after["bounds"]] == after["bounds"]
    if place[0] == "bounds" and place[2] in ("facts", "witness"):
        return before["bounds"][place[1]]["limit"] == after["bounds"][place[1]]["limit"]
    return place[:2] == ("stream", "delay")  # any delay beyond the end of the stream says the same


OWN = '''
"""Sign step, with a theorem of its own."""

import numpy as np

from littlestone import Family, Kernels, Learner
from littlestone.jit import dot, jit
from littlestone.theory import Bound


@jit
def predict(step, w, indices, values, lo, hi):
    return dot(w, indices, values, lo, hi) >= 0.0


@jit
def update(step, w, indices, values, lo, hi, y, yhat, weight):
    if yhat != y:
        for k in range(lo, hi):
            sign = 1.0 if values is None else np.sign(values[k])
            w[indices[k]] += step * sign if y else -step * sign
    return yhat != y


@jit
def play(step, w, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        predictions[t] = yhat = predict(step, w, indices, values, lo, hi)
        if labels[t] >= 0:
            update(step, w, indices, values, lo, hi, labels[t] == 1, yhat, 1.0)


def init(room):
    return (np.zeros(room),)


def definition(rounds, *, step):
    w = {}
    for x, y in rounds:
        yhat = sum(w.get(i, 0.0) * v for i, v in x.items()) >= 0
        yield yhat
        if y is not None and y != yhat:
            for i, v in x.items():
                w[i] = w.get(i, 0.0) + (1 if y else -1) * float(step) * float(np.sign(v))


ROUNDS = Bound("sign-step-rounds", "none", "hindsight", "M ≤ T", lambda T: T, "by counting")
FAMILY = Family(
    "sign_step", theorems=(ROUNDS,), measure=lambda evidence, witness: {"T": evidence.rounds}, twin=definition, ties="w·x = 0 predicts 1"
)


def sign_step(step=1.0):
    facts = lambda run: {"T": run.rounds}
    return Learner("sign_step", {"step": step}, (float(step),), init, Kernels(predict, update, play), family=FAMILY, facts=facts)


def unmeasured(step=1.0):
    facts = lambda run: {"T": run.rounds}
    kernels = Kernels(predict, update, play)
    return Learner("unmeasured", {"step": step}, (float(step),), init, kernels, bounds=(ROUNDS,), twin=definition, facts=facts)


def bare(step=1.0):
    return Learner("bare", {"step": step}, (float(step),), init, Kernels(predict, update, play))
'''


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "sign_step.py"
    path.write_text(OWN.lstrip(), "utf-8")
    return path


def loaded(path, name="own_sign_step"):
    spec = util.spec_from_file_location(name, path)
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_a_learner_of_ones_own_is_verified_with_its_file(own):
    module = loaded(own)
    content = plain(ls.certify(ls.play(module.sign_step(), X, Y), X, Y))
    assert content["learner"]["file"]["name"] == "sign_step.py" and content["version"] == 3
    for learner in (module.sign_step, module.sign_step()):
        verdict = ls.verify(content, X, Y, learner=learner, replay=True)
        assert verdict.verified and verdict.claims == ("floor", "sign-step-rounds")
        first = str(verdict).splitlines()[0]
        assert first.startswith("theorem of sign_step.py, not one of littlestone's: verified and replayed: sign_step made")
    alone = ls.verify(content, X, Y, replay=True)
    assert alone.status == "consistent" and not alone.verified and not alone.replayed
    assert "--learner FILE.py::NAME" in str(alone)
    with pytest.raises(ls.Refused, match="another than the certificate's"):
        ls.verify(content, X, Y, learner=module.sign_step(step=2.0))
    with pytest.raises(ls.Refused, match="is one of littlestone's"):
        ls.verify(content, X, Y, learner=ls.perceptron(bias=0))
    with pytest.raises(ls.Refused, match="a learner of your own has no part in it"):
        ls.verify(ls.certify(ls.play(ls.perceptron(bias=0), X, Y), X, Y), X, Y, learner=module.sign_step)


def test_a_changed_file_is_refused(own, tmp_path):
    module = loaded(own)
    content = plain(ls.certify(ls.play(module.sign_step(), X, Y), X, Y))
    changed = tmp_path / "sign_step.py"
    changed.write_text(OWN.replace("lambda T: T", "lambda T: T + 0"), "utf-8")
    with pytest.raises(ls.Refused, match="sign_step.py is not the file of the certificate"):
        ls.verify(content, X, Y, learner=loaded(changed, "changed_sign_step").sign_step)


def test_what_a_file_does_not_say_is_not_verified(own):
    module = loaded(own)
    content = plain(ls.certify(ls.play(module.unmeasured(), X, Y), X, Y))
    verdict = ls.verify(content, X, Y, learner=module.unmeasured, replay=True)
    assert verdict.status == "consistent" and verdict.replayed and "does not say how the facts of sign-step-rounds" in str(verdict)
    content = plain(ls.certify(ls.play(module.bare(), X, Y), X, Y))
    verdict = ls.verify(content, X, Y, learner=module.bare, replay=True)
    assert verdict.claims == ("floor",) and "has no definition to replay" in str(verdict)  # it needs no definition
    lie = {**content, "mistakes": content["mistakes"][1:], "counts": {**content["counts"], "mistakes": content["counts"]["mistakes"] - 1}}
    assert not accepted(resealed(lie), X, Y)


def test_learners_made_of_ones_own(own):
    module = loaded(own)
    for make, y in ((ls.one_vs_rest, DRINKS), (ls.all_pairs, DRINKS), (ls.conservative, Y)):
        learner = make(module.sign_step())
        content = plain(ls.certify(ls.play(learner, X, y), X, y, seconds=1))
        assert ls.verify(content, X, y).status == "consistent"
        verdict = ls.verify(content, X, y, learner=learner, replay=True)
        assert verdict.verified and str(verdict).startswith("theorem of sign_step.py")


def test_a_lie_of_an_unknown_learner_is_refused(own):
    content = plain(ls.certify(ls.play(loaded(own).sign_step(), X, Y), X, Y))
    bound = content["bounds"][0]
    for lie in ({"limit": 3}, {"observed": 1}, {"limit_exact": "7"}, {"holds": False}, {"holds": None}):
        forged = {**content, "bounds": [{**bound, **lie}]}
        assert not accepted({**forged, "digest": digest_of(forged)}, X, Y), lie


@pytest.mark.parametrize(
    ("learner", "played"), [(ls.one_vs_rest(ls.perceptron(bias=0)), 3), (ls.panel(["perceptron", "arow"], blend=False), 3)], ids=repr
)
def test_a_replay_plays_each_member_once(learner, played, monkeypatch):
    """Of a committee its three members; of a panel its two, and the rule."""
    asked, ask = {}, Student._ask

    def heard(student, x, y):
        asked[id(student)] = student
        return ask(student, x, y)

    monkeypatch.setattr(Student, "_ask", heard)
    X, y = np.eye(6)[np.arange(30) % 6], np.arange(30) % (3 if learner.kind == "several classes" else 2)
    cert = ls.certify(ls.play(learner, X, y), X, y)
    assert ls.verify(cert, X, y).verified and len(asked) == played
