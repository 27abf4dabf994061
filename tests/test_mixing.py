"""Mixing: the bounds against searches, the compiled play against the definition, certificates against forgeries."""

import itertools
import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import littlestone as ls
from littlestone.api import mixing
from littlestone.reference import mixing as definition
from littlestone.theory import mixing as theory

LEARNERS = {"perceptron": ls.perceptron, "winnow": ls.winnow, "disjunctions": ls.disjunctions}
WAYS = [
    ("perceptron", "epochs=3:shards=3"),
    ("perceptron", "epochs=2:shards=2:weights=mistakes"),
    ("winnow", "epochs=3:shards=3"),
    ("winnow", "epochs=2:shards=4:weights=mistakes:mean=arithmetic"),
    ("disjunctions", "epochs=2:shards=3"),
]


def rounds(rows=150, n=12, seed=0, noise=0.0):
    draw = np.random.default_rng(seed)
    X = (draw.random((rows, n)) < 0.3).astype(np.float32)
    return X, ((X[:, 1] + X[:, 4] > 0) ^ (draw.random(rows) < noise)).astype(int)


@pytest.mark.parametrize(("name", "mix"), WAYS)
def test_a_certificate_is_verified_and_a_forged_one_is_not(name, mix):
    X, y = rounds(noise=0.0 if name == "disjunctions" else 0.05)
    run = ls.play(LEARNERS[name](), X, y, mix=mix)
    assume = None if name == "perceptron" else "disjunction:r=2"
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
    key = next(key for key in ("L", "A", "n", "r") if key in facts)
    facts[key] = 1


def other_shards(content):
    content["mixing"]["shards"][0] += 1
    content["mixing"]["shards"][1] -= 1
    content["mixing"]["counts"][0].reverse()


def streams_of(n, rows):
    """Every stream of so many rounds over n variables whose labels are a disjunction's."""
    points = list(itertools.product((0, 1), repeat=n))
    for r in range(1, n + 1):
        for xs in itertools.product(points, repeat=rows):
            yield r, [({i: 1.0 for i in range(n) if x[i]}, any(x[:r])) for x in xs]


SEARCHED = [("uniform", "geometric"), ("mistakes", "geometric"), ("mistakes", "arithmetic")]


def worst(weights, mean, promote=None):
    """Winnow's most mistakes over every stream of four rounds and two variables, two shards and twelve epochs; how often a limit broke."""
    broken = 0
    for r, stream in streams_of(2, 4):
        shards = [stream[:2], stream[2:]]
        step = promote or (lambda w, shard: definition.winnow(w, shard, 2.0, 2.0))
        counts = [c for c, _ in definition.play(shards, 12, 1.0, mean, step, lambda k: theory.shares(weights, k))]
        made = [[sum(pair) for pair in epoch] for epoch in counts]
        limit = theory.winnow(2, 12, sum(map(max, made)), 2, 2, Fraction(2), Fraction(2), r, 0)
        mixed = sum(mu * k for epoch in made for mu, k in zip(theory.shares(weights, epoch), epoch, strict=True))
        broken += sum(map(sum, made)) > limit or mixed > limit / 2
    return broken


@pytest.mark.parametrize(("weights", "mean"), SEARCHED)
def test_no_stream_of_a_disjunction_breaks_winnows_bound(weights, mean):
    assert worst(weights, mean) == 0


def test_mixing_that_forgets_what_the_shards_have_learned_breaks_the_bound():
    def forgetful(w, shard):
        return definition.winnow(dict(w), shard, 2.0, 2.0)

    assert worst("uniform", "geometric", forgetful) > 0


def mixed_by_hand(X, y, learner, mix):
    """The definition, on what the compiled play was given."""
    bits = [({i: float(v) for i, v in enumerate(row) if v}, bool(label)) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    cuts = [len(bits) * k // mix.shards for k in range(mix.shards + 1)]
    shards = [bits[a:b] for a, b in itertools.pairwise(cuts)]
    first, step = 0.0, partial(definition.perceptron, rho2=1.0)
    if learner.name == "winnow":
        alpha, theta = (float(Fraction(learner.settings[key])) for key in ("alpha", "theta"))
        first, step = 1.0, partial(definition.winnow, alpha=alpha, theta=theta)
    return list(definition.play(shards, mix.epochs, first, mix.mean, step, partial(theory.shares, mix.weights)))


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
