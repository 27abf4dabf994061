"""A model for each key: what comes out for a key is what its rounds alone give, bit for bit; stores, predictions, bounds."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib import import_module
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone import learners
from littlestone.api.keyed import REFUSED_BY_KEY
from littlestone.models import keyed
from littlestone.protocol.owners import MANY, Owners
from littlestone.theory.keyed import led_limit
from littlestone.theory.sealed import digest_of

OTHERS = {
    "panel": lambda: ls.panel(["perceptron", "naive_bayes"]),
    "conservative": lambda: ls.conservative(ls.arow()),
    "one_vs_rest": lambda: ls.one_vs_rest(ls.perceptron()),
    "multiclass_perceptron": ls.multiclass_perceptron,
}
BINARY = [(name, dict(sample)) for name in learners.names() for sample in import_module(f"littlestone.learners.binary.{name}").SAMPLES[:1]]


WITH_ONE_LEARNER = ({"delay": 1}, {"alarm": "stop"}, {"ledger": True}, {"check_invariants": True}, {"wrap": lambda runner: runner})


def keyed_rounds(learner, rounds=50, keys=5):
    """Rows that suit a learner, with their keys: some have many rounds, some one."""
    rng = np.random.default_rng(7)
    n = getattr(learner, "n", None) or 6
    if learner.domain == "real":
        X = rng.integers(-2, 3, (rounds, n)) * rng.choice([1.0, 0.3], (rounds, n))
    else:
        X = rng.integers(0, 2, (rounds, n)).astype(float)
    y = rng.integers(0, 3 if learner.kind == "several classes" else 2, rounds)
    if learner.name in ("halving", "optimal"):
        X[:], y[:] = 0, rng.integers(0, 2)
        X[:, 0] = 1
    return X, y, np.array([f"u{k}" for k in np.minimum(rng.geometric(0.3, rounds), keys)])


def every_learner():
    for name, sample in BINARY:
        yield pytest.param(lambda name=name, sample=sample: getattr(ls, name)(**sample), id=f"{name}-{'-'.join(map(str, sample.values()))}")
    for name, make in OTHERS.items():
        yield pytest.param(make, id=name)


def assert_alone(run, learner, X, y, keys, **how):
    for name in run.keys:
        own = keys == name
        alone = ls.play(learner, X[own], y[own], **how)
        assert run.predictions[own].tolist() == alone.predictions.tolist()
        here = run.key(name)
        assert (here.rounds, here.mistakes, here.nonzeros, here.changes) == (alone.rounds, alone.mistakes, alone.nonzeros, alone.changes)
        if learner.kind == "two classes":
            assert learner.alike(here.state, alone.state)
            assert [b.as_json() for b in here.bounds()] == [b.as_json() for b in alone.bounds()]


@pytest.mark.parametrize("make", list(every_learner()))
def test_each_key_is_the_run_of_its_rounds_alone(make, tmp_path):
    """Whatever the learner, the cut into blocks and the keys in memory; and a store is the same whether the run was stopped or not."""
    learner = make()
    X, y, keys = keyed_rounds(learner)
    learner = learner.sized(X.shape[1])
    run = ls.play(learner, X, y, key=keys, block_rows=17, resident=3)
    assert set(run.keys) == set(keys)
    assert_alone(run, learner, X, y, keys)
    run.model.save(tmp_path / "whole")
    ls.play(learner, X[:23], y[:23], key=keys[:23]).model.save(tmp_path / "half")
    rest = ls.play(ls.load(tmp_path / "half"), X[23:], y[23:], key=keys[23:])
    rest.model.save(tmp_path / "rest")
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (rest.rounds, rest.mistakes) == (run.rounds, run.mistakes)
    model = ls.load(tmp_path / "whole")
    for name in ("u1", "u3"):
        assert model.predict_many(X[:9], key=[name] * 9).tolist() == model.key(name).predict_many(X[:9]).tolist()
    model.predict_many(X[:9], key=[f"new{k}" for k in range(9)])  # whoever is asked for keys that are not known learns nothing
    model.save(tmp_path / "asked")
    assert (tmp_path / "asked").read_bytes() == (tmp_path / "whole").read_bytes()


def in_python(learner):
    """The same learner as functions in Python, which play one key after the other."""

    def asked(name, count):
        return lambda *arguments: getattr(learner.native(*arguments[:-count]), name)(*arguments[-count:])

    kernels = (asked("predict", 4), asked("update", 7), asked("play", 8), asked("score", 4) if learner.scored else None)
    return replace(learner, algorithm=ls.Kernels(*kernels))


@pytest.mark.parametrize("learner", [ls.perceptron(), ls.perceptron(margin=1), ls.arow(), ls.naive_bayes(), ls.winnow(n=30)], ids=repr)
def test_one_native_call_plays_all_keys_as_each_is_played_alone(learner):
    X, y, keys = keyed_rounds(learner)
    fast, plain = (ls.play(each, X, y, key=keys) for each in (learner, in_python(learner)))
    assert fast.predictions.tolist() == plain.predictions.tolist()
    for name in fast.keys:
        one, other = fast.key(name).state, plain.key(name).state
        assert [array.tobytes() for array in one] == [array.tobytes() for array in other]


SHOP = (
    "user,drink,hour,bought\nann,tea,9,1\nbob,tea,9,0\nann,milk,21,0\nbob,milk,20,1\n"
    "ann,tea,10,1\nbob,tea,8,0\neve,tea,9,1\nann,milk,22,0\n"
)


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    return path


def test_a_stream_by_key_is_its_keys_alone_and_its_certificate_their_sum(shop, tmp_path):
    stream = ls.open_stream(shop, label="bought", key="user")
    run = ls.play(ls.perceptron(), stream)
    alone = {name: ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="user", only=name)) for name in ("ann", "bob", "eve")}
    assert run.mistakes == sum(one.mistakes for one in alone.values()) and set(run.keys) == set(alone)
    certificate = ls.certify(run, stream)
    certificate.save(tmp_path / "whole.json")
    verdict = ls.verify(tmp_path / "whole.json", str(shop))
    assert verdict.verified and verdict.certificate.mistakes == run.mistakes
    (floor,) = (claim for claim in certificate.bounds if claim.name == "floor-keys")
    limits = [next(claim.limit for claim in part.bounds if claim.name == "floor") for part in certificate.parts.values()]
    assert floor.limit == sum(limits) and floor.observed == run.mistakes <= floor.limit
    sizes = [(not claim.compares, claim.limit) for claim in certificate.bounds]
    assert sizes == sorted(sizes) != [(not record["compares"], record["limit"]) for record in certificate.content["bounds"]]
    assert [record["name"] for record in verdict.as_json()["bounds"]] == [claim.name for claim in certificate.bounds]
    assert ls.verify(certificate, str(shop), key="user=ann").verified
    with pytest.raises(ls.Refused, match="no such key"):
        ls.verify(certificate, str(shop), key="user=zoe")
    shop.write_text(SHOP + "zoe,tea,9,1\n")
    with pytest.raises(ls.Refused, match="'zoe' is in the stream alone"):
        ls.verify(certificate, str(shop))
    forged = {**certificate.content, "counts": {**certificate.content["counts"], "mistakes": 0}}
    with pytest.raises(ls.Refused, match="was changed"):
        ls.verify(forged, str(shop))
    with pytest.raises(ls.Refused, match="counts does not follow"):
        ls.verify({**forged, "digest": digest_of(forged)}, str(shop))


def test_rows_in_memory_are_certified_by_key():
    X, y, keys = keyed_rounds(ls.perceptron(), rounds=30, keys=3)
    certificate = ls.certify(ls.play(ls.perceptron(), X, y, key=keys), X, y, key=keys)
    assert ls.verify(certificate, X, y, key=keys).verified


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("user,", "who,"), "--key user: no such column"),
        (lambda text: text.replace("eve", ""), "line 8, column 'user': found nothing, expected a key"),
        (lambda text: text, "--key bought: is the column of the label"),
    ],
)
def test_bad_keys_are_refused_by_name(shop, change, message):
    shop.write_text(change(SHOP))
    with pytest.raises(ls.LittlestoneError, match=message):
        ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="bought" if "bought:" in message else "user"))


def contents_of_store(path):
    model = ls.load(path)
    return (
        repr(model.learner),
        model.reading,
        list(model.features),
        {name: model.key(name).state.w.tolist() for name in ("ann", "bob", "eve")},
    )


def test_a_store_that_was_touched_is_refused(shop, tmp_path):
    path = tmp_path / "shop.keys"
    ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="user")).model.save(path)
    whole, contents = path.read_bytes(), contents_of_store(path)
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            touched = contents_of_store(path)
        except ls.LittlestoneError:
            continue
        assert touched == contents  # what zip has of dates and the like says nothing
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ls.LittlestoneError):
        ls.load(path)


@pytest.mark.parametrize("largest", [-1, 0, 2**31, 2**62])
def test_a_largest_index_that_no_feature_of_the_key_has_is_refused(shop, largest):
    buckets = ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="user")).model.buckets
    bucket = buckets.get(next(iter(buckets.numbers())))
    bucket.sizes[0, 0] = largest
    with pytest.raises(ls.LittlestoneError, match="largest index"):
        keyed.unpack(bucket.kind, keyed.pack(bucket))


@pytest.mark.parametrize("name, chosen", list(zip(REFUSED_BY_KEY, WITH_ONE_LEARNER, strict=True)))
def test_what_is_of_one_learner_is_refused_with_its_reason(name, chosen):
    with pytest.raises(ls.LittlestoneError) as refused:
        ls.play(ls.perceptron(), [[1, 0]], [1], key=["ann"], **chosen)
    assert REFUSED_BY_KEY[name] in str(refused.value)


def test_the_key_is_a_feature_where_that_is_asked(shop):
    plain, asked = (
        ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="user", key_is_feature=flag)) for flag in (False, True)
    )
    assert not any("user" in name for name in plain.model.features)
    assert "user=ann" in asked.model.features


def led(own, shared, truths, keys, leads=lambda own, shared: own < shared):
    """The rule over a key's own learner and the shared one, in plain Python: what is said, and the mistakes of all three."""
    counts, said = {}, []
    for alone, common, truth, key in zip(own, shared, truths, keys, strict=True):
        count = counts.setdefault(key, [0, 0, 0])
        said.append(alone if leads(*count[:2]) else common)
        if truth is not None:
            counts[key] = [made + (answer != truth) for made, answer in zip(count, (alone, common, said[-1]), strict=True)]
    return said, counts


@pytest.mark.parametrize(
    ("own", "shared"),
    [(ls.perceptron(), ls.naive_bayes()), (ls.multiclass_perceptron(), ls.one_vs_rest(ls.perceptron()))],
    ids=["two", "more"],
)
def test_a_shared_learner_beside_each_key_is_the_rule_over_both(own, shared, tmp_path):
    X, y, keys = keyed_rounds(own, rounds=90)
    y = [None if t % 11 == 5 else label for t, label in enumerate(y.tolist())]
    run = ls.play(own, X, y, key=keys, shared=shared, block_rows=17, resident=2)
    alone, common = ls.play(own, X, y, key=keys), ls.play(shared, X, y)
    said, counts = led(alone.predictions.tolist(), common.predictions.tolist(), y, keys.tolist())
    assert run.predictions.tolist() == said and run.shared.mistakes == common.mistakes
    assert {name: list(run.followed(name)) for name in run.keys} == counts
    assert {run.key(name).mistakes for name in run.keys} == {alone.key(name).mistakes for name in run.keys}
    bounds = {claim.name: (claim.limit, claim.observed, claim.holds) for claim in run.bounds()}
    limits = sum(led_limit(o, s) for o, s, _ in counts.values())
    assert bounds == {"twice-shared": (2 * common.mistakes, run.mistakes, True), "better-adviser-keys": (limits, run.mistakes, True)}
    run.model.save(tmp_path / "whole")
    ls.play(own, X[:40], y[:40], key=keys[:40], shared=shared).model.save(tmp_path / "half")
    ls.play(ls.load(tmp_path / "half"), X[40:], y[40:], key=keys[40:]).model.save(tmp_path / "rest")
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    model = ls.load(tmp_path / "whole")
    both = {name: model.key(name) for name in counts}
    answers = [(both[k] if counts[k][0] < counts[k][1] else model.shared).predict_many(X[t : t + 1])[0] for t, k in enumerate(keys[:20])]
    assert model.predict_many(X[:20], key=keys[:20]).tolist() == answers
    assert model.predict_many(X[:5], key=["new"] * 5).tolist() == model.shared.predict_many(X[:5]).tolist()
    with pytest.raises(ls.LittlestoneError, match="certified in parts"):
        ls.certify(run, X, y, key=keys)
    with pytest.raises(ls.LittlestoneError, match="without a score"):
        model.predict_many(X, key=keys, scores=True)


def exceeded(leads):
    """By how much a rule over two exceeds the limit at most, on any five rounds."""
    excess = []
    for right in product(product((True, False), repeat=2), repeat=5):
        own, shared = zip(*right, strict=True)
        _, counts = led(own, shared, [True] * 5, ["k"] * 5, leads)
        excess.append(counts["k"][2] - led_limit(*counts["k"][:2]))
    return max(excess)


def test_the_rule_over_two_keeps_its_bound_and_no_other_does():
    assert exceeded(lambda own, shared: own < shared) == 0
    for mutant in (lambda o, s: o <= s, lambda o, s: o < s - 1, lambda o, s: o > s, lambda o, s: True, lambda o, s: False):
        assert exceeded(mutant) > 0


def test_shared_may_stand_before_the_stream_and_its_store_has_no_scores(littlestone, tmp_path):
    (tmp_path / "rows.csv").write_text("user,x,label\n" + "".join(f"u{k % 3},{k % 5},{k % 2}\n" for k in range(60)))
    store = tmp_path / "store"
    run = littlestone("run", "--key", "user", "--model", store, "--learner", "perceptron", "--shared", tmp_path / "rows.csv")
    assert run.returncode == 0, run.stderr
    asked = littlestone("predict", store, tmp_path / "rows.csv", "--scores")
    assert asked.returncode == 2 and "the rule over a shared learner and each key's own predicts without a score" in asked.stderr


def test_folders_of_runs_that_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    left, own, other = (tmp_path / f"littlestone-keys-{name}" for name in (f"{process.pid}-x", f"{os.getpid()}-x", "x"))
    for folder in (left, own, other):
        folder.mkdir()
        (folder / "000").write_bytes(b"")
    keyed.sweep()
    assert not left.exists() and own.exists() and other.exists()


@pytest.mark.parametrize("odd", ["é", "\ud800"], ids=["text", "a lone surrogate"])
def test_many_keys_are_told_apart_as_few_are(odd):
    draw = np.random.default_rng(1).integers(0, 5_000, 3 * MANY)
    names = [f"{odd}{k}" for k in draw.tolist()]
    firsts = list(dict.fromkeys(names))
    whole = Owners(names).distinct()
    parts = Owners.joined([Owners(names[: 2 * MANY]).compact(), Owners(names[2 * MANY :]).compact()])
    for known, codes in (whole, (parts.names, parts.codes)):
        assert known == firsts and [known[k] for k in codes.tolist()] == names


def test_commands_about_one_model_say_so_of_a_store(tmp_path):
    from typer.testing import CliRunner

    from littlestone.cli import app

    path, store = tmp_path / "rows.csv", tmp_path / "store"
    path.write_text("label,key,a\n1,u,1\n0,v,2\n1,u,3\n0,v,1\n")
    CliRunner().invoke(app, ["run", str(path), "--key", "key", "--learner", "adaptive", "--quiet", "--model", str(store)])
    for command in (["replay"], ["rollback", "2"], ["forget", "2"], ["diff", str(store)], ["watch", str(path)], ["explain", "a:1"]):
        more = ["-o", str(tmp_path / "out")] if command[0] in ("rollback", "forget") else []
        answer = CliRunner().invoke(app, [command[0], str(store), *command[1:], *more])
        assert "holds a model for each of many keys" in str(answer.exception), command
    by_words = CliRunner().invoke(app, ["explain", str(store), "a:3", "--key", "key=u", "--json"])
    by_stream = CliRunner().invoke(app, ["explain", str(store), "--stream", str(path), "--round", "2", "--key", "key=u", "--json"])
    features = [json.loads(answer.stdout)["features"] for answer in (by_words, by_stream)]
    assert features[0] == features[1] and features[0]


def test_a_key_that_no_round_has_is_named(shop):
    with pytest.raises(ls.LittlestoneError, match="has no rounds: expected a key of user that has one, and 'zoe' has none"):
        ls.play(ls.perceptron(), ls.open_stream(shop, label="bought", key="user", only="zoe"))
