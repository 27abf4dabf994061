"""Mixing: the bounds against searches, the compiled play against the definition, certificates against forgeries."""

import itertools
import json
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import littlestone as ls
from littlestone.api import mixing
from littlestone.reference.catalogue import definition_named
from littlestone.theory import families
from littlestone.theory import mixing as theory
from littlestone.theory.bound import judge
from littlestone.theory.certificate import number
from littlestone.theory.sealed import digest_of

LEARNERS = {
    "perceptron": ls.perceptron,
    "winnow": ls.winnow,
    "disjunctions": ls.disjunctions,
    "conjunctions": ls.conjunctions,
    "halving": partial(ls.halving, "disjunctions", n=12),
    "halving on mistakes": partial(ls.halving, "disjunctions", n=12, r=2, updates="mistakes"),
    "optimal": partial(ls.optimal, "disjunctions", n=12, r=1),
}
WAYS = [
    ("perceptron", "epochs=3:shards=3"),
    ("perceptron", "epochs=2:shards=2:weights=mistakes"),
    ("winnow", "epochs=3:shards=3"),
    ("winnow", "epochs=2:shards=4:weights=mistakes:mean=arithmetic"),
    ("disjunctions", "epochs=2:shards=3"),
    ("conjunctions", "epochs=2:shards=3"),
    ("halving", "epochs=2:shards=3"),
    ("halving on mistakes", "epochs=2:shards=2"),
    ("optimal", "epochs=2:shards=2"),
]


def rounds(rows=150, n=12, seed=0, noise=0.0):
    draw = np.random.default_rng(seed)
    X = (draw.random((rows, n)) < 0.3).astype(np.float32)
    return X, ((X[:, 1] + X[:, 4] > 0) ^ (draw.random(rows) < noise)).astype(int)


@pytest.mark.parametrize(("name", "mix"), WAYS)
def test_a_certificate_is_verified_and_a_forged_one_is_not(name, mix):
    X, y = rounds(noise=0.05 if name in ("perceptron", "winnow") else 0.0)
    if name == "optimal":
        y = X[:, 4].astype(int)
    if name == "conjunctions":
        y = 1 - y  # ¬x1 ∧ ¬x4
    run = ls.play(LEARNERS[name](), X, y, mix=mix)
    assume = {"perceptron": None, "winnow": "disjunction:r=2", "disjunctions": "disjunction:r=2", "conjunctions": "conjunction:size=2"}
    assume = assume.get(name, "class")
    certificate = ls.certify(run, X, y, assume=assume)
    verdict = ls.verify(certificate, X, y)
    assert verdict.verified and "verified and replayed" in str(verdict)
    assert ls.verify(certificate, X, y, replay=False).status == "consistent"
    with pytest.raises(ls.Refused, match="not the one of the certificate"):
        ls.verify(certificate, X, 1 - y)
    for change in (fewer_mistakes, smaller_fact, other_shards):
        content = json.loads(json.dumps(certificate.content))
        change(content)
        forged = {key: content[key] for key in content if key not in ("format", "version", "littlestone", "about", "digest")}
        with pytest.raises(ls.Refused):
            ls.verify(theory.sealed(**forged), X, y)


def fewer_mistakes(content):
    counts = content["mixing"]["counts"][0][0]
    counts[0] = counts[0] - 1 if counts[0] else 1
    mixing_ = content["mixing"]
    made = [[sum(pair) for pair in epoch] for epoch in mixing_["counts"]]
    mixing_["shares"] = [[mixing.exactly(share) for share in theory.shares(mixing_["weights"], epoch)] for epoch in made]


def smaller_fact(content):
    facts = content["bounds"][0]["facts"]
    key = next(key for key in ("L", "A", "n", "r", "size", "ldim") if key in facts)
    facts[key] = 1
    content["bounds"][0] |= {"limit": None, "holds": None, "reason": "as it were"}


def other_shards(content):
    content["mixing"]["shards"][0] += 1
    content["mixing"]["shards"][1] -= 1
    content["mixing"]["counts"][0].reverse()


def sealed_with(content, **changes):
    parts = {key: content[key] for key in content if key not in ("format", "version", "littlestone", "about", "digest")}
    return theory.sealed(**{**parts, **changes})


def test_what_nobody_declared_is_refused():
    """A margin of one's own choosing, whose limit is just the mistakes."""
    X, y = rounds(noise=0.3)
    run = ls.play(ls.perceptron(), X, y, mix="epochs=2:shards=2")
    content = json.loads(json.dumps(ls.certify(run, X, y).content))
    margin, hinge = families.family("perceptron").stated(content["learner"]["settings"]).mixing.bounds_of({})
    assert hinge.name == content["bounds"][0]["name"] and ls.verify(content, X, y).verified
    facts = {key: content["bounds"][0]["facts"][key] for key in ("S", "E", "P", "d", "R2")} | {"gamma": "1/9"}
    numbers = {key: theory.Fraction(value) for key, value in facts.items()}
    record = theory.record_of(judge(margin, run.mistakes, {**numbers, **{key: int(numbers[key]) for key in "SEPd"}}))
    assert record["limit"] >= run.mistakes
    for assume in (None, "margin:gamma=1/9", "margin:gamma=1/10", "margin:gamma=1/9,R=1", "disjunction:r=2"):
        for bounds in ([record], [record, *content["bounds"]], []):
            with pytest.raises(ls.Refused):
                ls.verify(sealed_with(content, bounds=bounds, assume=assume), X, y)


FREE = {
    "about": lambda content: content | {"about": "a proof that it never errs"},
    "weighted": lambda content: content | {"stream": content["stream"] | {"weighted": True}},
    "assume": lambda content: content | {"assume": "margin:gamma=1/9"},
    "formula": lambda content: content | {"bounds": [content["bounds"][0] | {"formula": "M ≤ 0"}]},
    "reason": lambda content: content | {"bounds": [content["bounds"][0] | {"reason": "it never errs on fresh rows"}]},
    "kind": lambda content: content | {"bounds": [content["bounds"][0] | {"kind": "proved"}]},
    "facts": lambda content: content | {"bounds": [content["bounds"][0] | {"facts": content["bounds"][0]["facts"] | {"gamma": 1}}]},
    "settings": lambda content: content | {"learner": content["learner"] | {"settings": {**content["learner"]["settings"], "bias": "0/7"}}},
    "witness": lambda content: content | {"witness": content["witness"] | {"name": "the truth"}},
    "no witness": lambda content: content | {"witness": {}},
    "no bounds": lambda content: content | {"bounds": []},
    "twice": lambda content: content | {"bounds": content["bounds"] * 2},
}


@pytest.mark.parametrize("replay", [True, False])
@pytest.mark.parametrize("name", ["perceptron", "winnow", "disjunctions"])
def test_no_field_says_what_the_verifier_does_not(name, replay):
    X, y = rounds(noise=0.0 if name == "disjunctions" else 0.1)
    content = json.loads(json.dumps(ls.certify(ls.play(LEARNERS[name](), X, y, mix="epochs=2:shards=2"), X, y).content))
    for what, change in FREE.items():
        if name == "disjunctions" and what == "no witness":
            continue
        forged = change(json.loads(json.dumps(content)))
        with pytest.raises(ls.Refused):
            ls.verify({**forged, "digest": digest_of(forged)}, X, y, replay=replay)
            raise AssertionError(what)


DECLARED = {
    "perceptron": "margin:gamma=3/10,R=10",
    "winnow": "disjunction:r=2",
    "disjunctions": "disjunction:r=2",
    "conjunctions": "conjunction",
}


@pytest.mark.parametrize("name", DECLARED)
def test_what_the_rows_contradict_is_void_of_mixed_learners_too(name):
    X, y = rounds(noise=0.5)
    run = ls.play(LEARNERS[name](), X, y, mix="epochs=2:shards=2")
    certificate = ls.certify(run, X, y, assume=DECLARED[name])
    void = certificate.content["bounds"][0]
    assert void["kind"] == "a priori" and void["limit"] is None and "contradicts the assumption" in void["reason"]
    assert f"void: {void['name']} ({DECLARED[name]}): {void['reason']}" in str(ls.verify(certificate, X, y))
    told = theory.record_of(judge(run_bound(run, void["name"]), run.mistakes, {k: number(v) for k, v in void["facts"].items()}))
    if told["limit"] is not None:
        with pytest.raises(ls.Refused, match="contradicts the assumption"):
            ls.verify(sealed_with(certificate.content, bounds=[told, *certificate.content["bounds"][1:]]), X, y)


def run_bound(run, name):
    return next(bound for bound in mixing.theorems_of(run.learner).bounds_of(run.learner.settings) if bound.name == name)


def test_a_condition_is_told_beside_its_limit(littlestone, tmp_path):
    X, y = rounds(80)
    path = tmp_path / "r.libsvm"
    path.write_text("".join(f"{b} " + " ".join(f"{i + 1}:1" for i in np.flatnonzero(x)) + "\n" for x, b in zip(X, y, strict=True)))
    out, how = tmp_path / "c.json", ["--learner", "winnow", "--mix", "epochs=2:shards=2", "--assume", "disjunction:r=2"]
    condition = "by winnow-mixing-disjunction, if disjunction:r=2 (no contradiction was found, and not every one is looked for)"
    for done in (littlestone("run", path, *how, "--certificate", out), littlestone("verify", out, path)):
        assert done.returncode == 0 and condition in " ".join(done.stdout.split())


def streams_of(n, rows):
    """Every stream of so many rounds over n variables whose labels are a disjunction's."""
    points = list(itertools.product((0, 1), repeat=n))
    for r in range(1, n + 1):
        for xs in itertools.product(points, repeat=rows):
            yield r, [({i: 1.0 for i in range(n) if x[i]}, any(x[:r])) for x in xs]


SEARCHED = [("uniform", "geometric"), ("mistakes", "geometric"), ("mistakes", "arithmetic")]


def played(name, shards, epochs, mean="intersection", weights="uniform", play=None, **settings):
    """Mistakes by epoch and shard, by the definition, and what is known in the end."""
    module = sys.modules[definition_named(name).__module__]
    over_shards = module.over_shards._replace(**({"play": play} if play else {}))
    *_, last = epochs_of = list(over_shards.epochs(shards, epochs, mean, partial(theory.shares, weights), **settings))
    return [[sum(pair) for pair in counts] for counts, _ in epochs_of], last[1]


def worst(weights, mean, play=None):
    """Winnow's most mistakes over every stream of four rounds and two variables, two shards and twelve epochs; how often a limit broke."""
    broken = 0
    for r, stream in streams_of(2, 4):
        made, _ = played("winnow", [stream[:2], stream[2:]], 12, mean, weights, play, alpha=2, theta=2)
        limit = theory.mixed_winnow(2, 12, sum(map(max, made)), 2, 2, Fraction(2), Fraction(2), r, 0)
        mixed = sum(mu * k for epoch in made for mu, k in zip(theory.shares(weights, epoch), epoch, strict=True))
        broken += sum(map(sum, made)) > limit or mixed > limit / 2
    return broken


@pytest.mark.parametrize(("weights", "mean"), SEARCHED)
def test_no_stream_of_a_disjunction_breaks_winnows_bound(weights, mean):
    assert worst(weights, mean) == 0


def test_mixing_that_forgets_what_the_shards_have_learned_breaks_the_bound():
    def forgetful(w, shard, **settings):
        return w, definition_named("winnow").__globals__["over_shards"].play(w, shard, **settings)[1]

    assert worst("uniform", "geometric", forgetful) > 0


ELIMINATIONS = ["disjunctions", "conjunctions", "halving", "optimal"]


def most_allowed(name, stream, epochs, merged=None):
    """Over two shards of a stream by the definition: is a bound in hindsight broken, and is what is known after an epoch what one
    pass over all rounds knows?"""
    family = families.family(name)
    settings = {"n": None} if name in ELIMINATIONS[:2] else {"concepts": {"class": "disjunctions", "n": 2, "r": None}, "updates": "always"}
    half = len(stream) // 2
    module = definition_named(name).__globals__
    over_shards = module["over_shards"]._replace(**({"merged": merged} if merged else {}))
    shards, uniform = [stream[:half], stream[half:]], partial(theory.shares, "uniform")
    found = list(over_shards.epochs(shards, epochs, "intersection", uniform, **settings))
    (alone,) = over_shards.epochs([stream], 1, "intersection", uniform, **settings)
    made = [[sum(pair) for pair in counts] for counts, _ in found]
    rounds = theory.ShardRounds(settings, shards, [uniform(epoch) for epoch in made])
    facts = {"S": 2, **family.mixing.measured(rounds, {}, found[-1][1]).exactly}
    _, bound = family.mixing.bounds_of(settings)
    return sum(map(sum, made)) > bound.value(**{key: facts[key] for key in bound.needs}), found[0][1] == alone[1]


def every_stream(name):
    """Every stream of four rounds over two variables; of a class, those that one of its concepts labels."""
    points = [{}, {0: 1.0}, {1: 1.0}, {0: 1.0, 1: 1.0}]
    for rows in itertools.product(points, repeat=4):
        concepts = [lambda x, c=c: any(i in x for i in c) for c in ((), (0,), (1,), (0, 1))]
        labels = {tuple(c(x) for x in rows) for c in concepts} if name in ELIMINATIONS[2:] else itertools.product((False, True), repeat=4)
        yield from (list(zip(rows, label, strict=True)) for label in labels)


@pytest.mark.parametrize("name", ELIMINATIONS)
def test_no_stream_breaks_what_merging_promises_and_one_epoch_is_one_pass(name):
    found = [most_allowed(name, stream, 3) for stream in every_stream(name)]
    assert len(found) > 500 and not any(broken for broken, _ in found) and all(equal for _, equal in found)


def test_merging_by_what_any_shard_holds_possible_breaks_the_bound():
    def any_of(states, parts, mean):
        return frozenset(states[0]).intersection(*states)

    found = [most_allowed("disjunctions", stream, 6, any_of) for stream in every_stream("disjunctions")]
    assert any(broken for broken, _ in found) and not all(equal for _, equal in found)


@pytest.mark.parametrize("name", ELIMINATIONS)
def test_the_compiled_merge_is_the_definitions_and_its_model_predicts(name, tmp_path):
    X, y = rounds(60, 5, 3)
    y = X[:, 1].astype(int)
    learner = LEARNERS[name]() if name in ELIMINATIONS[:2] else getattr(ls, name)("disjunctions", n=5)
    run = ls.play(learner, X, y, mix="epochs=1:shards=4")
    alone = ls.play(learner, X, y)
    assert [run.start().predict(row) for row in X] == [alone.model.predict(row) for row in X] == y.tolist()
    run.start().save(tmp_path / "m.littlestone")
    assert [ls.load(tmp_path / "m.littlestone").predict(row) for row in X[:9]] == y[:9].tolist()
    assert run.mistakes >= alone.mistakes and all(claim.holds for claim in run.bounds())
    if name != "conjunctions":  # whose counts are of other 1s
        assert all((a == b).all() for a, b in zip(run.state[:1], alone.state[:1], strict=True))


def test_what_no_concept_labels_and_what_cannot_be_mixed_is_refused():
    X, y = rounds(60, 5, 3, noise=0.3)
    with pytest.raises(ls.LittlestoneError, match="no concept of the class agrees with every label"):
        ls.play(ls.halving("disjunctions", n=5), X, y, mix="epochs=1:shards=60")
    with pytest.raises(ls.LittlestoneError, match="an intersection has no weights"):
        ls.play(ls.halving("disjunctions", n=5, agnostic=True), X, y, mix="epochs=1")
    run = ls.play(ls.disjunctions(), X, y, mix="epochs=2:shards=3")
    declared, cover = run.bounds("disjunction:r=1")
    assert declared.limit is None and "it has the instance of row 4 and another label" in declared.reason and cover.holds and cover.compares


def mixed_by_hand(X, y, learner, mix):
    """The definition, on what the compiled play was given."""
    bits = [({i: float(v) for i, v in enumerate(row) if v}, bool(label)) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    cuts = [len(bits) * k // mix.shards for k in range(mix.shards + 1)]
    over_shards = definition_named(learner.name).__globals__["over_shards"]
    shards, shares = [bits[a:b] for a, b in itertools.pairwise(cuts)], partial(theory.shares, mix.weights)
    return list(over_shards.epochs(shards, mix.epochs, mix.mean, shares, **learner.settings))


@pytest.mark.parametrize(("name", "mix"), WAYS[:4])
def test_the_compiled_play_is_the_definition_and_bounds_hold(name, mix):
    for seed in range(12):
        X, y = rounds(60, 8, seed, noise=0.1)
        if name == "perceptron":
            X = X * np.random.default_rng(seed).normal(size=X.shape).astype(np.float32)
        run = ls.play(LEARNERS[name](), X, y, mix=mix)
        hand = mixed_by_hand(X, y, run.learner, run.mix)
        assert run.counts == tuple(tuple(counts) for counts, _ in hand)
        assert all(run.state[0][i] == w for i, w in hand[-1][1].items() if i is not None)
        claims = run.bounds()
        assert claims and all(claim.holds and claim.compares for claim in claims)
        assert run.mixed_mistakes * len(run.shards) >= run.mistakes


def separable(seed, n=4, rows=24):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, n)).astype(np.float32)
    scores = X.astype(float) @ np.array([1.0, -1.0, 0.5, 0.25])[:n]
    keep = abs(scores) > 0.3
    return X[keep], (scores[keep] > 0).astype(int), 0.3 / np.sqrt(2.3125)


def test_separable_rounds_keep_the_bound_of_the_margin():
    for seed in range(40):
        X, y, gamma = separable(seed)
        run = ls.play(ls.perceptron(bias=0), X, y, mix=f"epochs=6:shards={2 + seed % 3}:weights={theory.WEIGHTS[seed % 2]}")
        (claim, _) = run.bounds(f"margin:gamma={Fraction(gamma).limit_denominator(10**6)}")
        assert claim.holds and run.mixed_mistakes <= claim.limit / len(run.shards)


def test_the_command(littlestone, tmp_path):
    X, y = rounds(80)
    path = tmp_path / "r.libsvm"
    path.write_text(
        "".join(f"{label} " + " ".join(f"{i + 1}:1" for i in np.flatnonzero(row)) + "\n" for row, label in zip(X, y, strict=True))
    )
    out, model = tmp_path / "c.json", tmp_path / "m.littlestone"
    done = littlestone("run", path, "--learner", "winnow", "--mix", "epochs=2:shards=2", "--certificate", out, "--model", model)
    assert done.returncode == 0 and "What mixing gives up" in done.stdout, done.stderr
    assert littlestone("verify", out, path).returncode == 0
    run = ls.play(ls.winnow(), ls.open_stream(path), mix="epochs=2:shards=2")
    theta = float(Fraction(run.learner.settings["theta"]))
    answers = [run.state[0][1:][row > 0].sum() >= theta for row in X]
    assert [bool(ls.load(model).predict({int(i) + 1: 1.0 for i in np.flatnonzero(row)})) for row in X] == answers
    for options, message in (
        (["--learner", "arow"], "cannot be mixed"),
        (["--learner", "winnow", "--passes", "2"], "--mix and --passes"),
        (["--learner", "perceptron", "--mix", "epochs=2:mean=geometric"], "perceptron takes arithmetic"),
        (["--learner", "winnow", "--mix", "shards=2"], "has no epochs"),
        (["--learner", "winnow", "--mix", "epochs=1:shards=1000"], "only 80 rounds"),
    ):
        refused = littlestone("run", path, "--mix", "epochs=2", *options)
        assert refused.returncode == 2 and message in refused.stderr, refused.stderr


def test_shards_of_a_stream_by_key_are_refused(tmp_path, littlestone):
    path = tmp_path / "rows.csv"
    path.write_text("label,user,a\n" + "1,u,1\n0,v,2\n" * 20)
    refused = littlestone("run", path, "--label", "label", "--key", "user", "--learner", "perceptron", "--mix", "epochs=2")
    assert refused.returncode == 2 and "each key would have a learner of its own" in refused.stderr
    with pytest.raises(ls.LittlestoneError, match="leave out mix or key"):
        ls.play(ls.perceptron(), [[1.0], [0.0]], [1, 0], key=["u", "v"], mix="epochs=1")
    one = ["run", path, "--label", "label", "--key", "user=u", "--learner", "perceptron", "--mix", "epochs=2"]
    assert littlestone(*one).returncode == 0
