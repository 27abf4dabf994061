"""The model one keeps: what is said of its error is true as often as it says, and is checked by `verify`."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.special import betaincinv
from typer.testing import CliRunner

import littlestone as ls
from littlestone.api.tested_stream import digest_of as model_digest
from littlestone.cli import app
from littlestone.errors import Refused
from littlestone.theory.kept_hypothesis import CANDIDATES, kept_limit, tail, upper_limit
from littlestone.theory.sealed import digest_of

STREAMS, ROUNDS, DELTA = 3000, 400, 0.2
ROWS = np.array([row for row in CANDIDATES if row < ROUNDS])


def test_the_limit_is_that_of_clopper_and_pearson_rounded_up():
    for k, n, chance in (
        (0, 1, "1/2"),
        (0, 100, "1/20"),
        (3, 20, "1/40"),
        (999, 1000, "1/1000"),
        (700, 10_000, "1/1280"),
        (2, 10**8, "1/1280"),
    ):
        limit = upper_limit(k, n, Fraction(chance))
        exact = betaincinv(k + 1, n - k, 1 - float(Fraction(chance)))
        assert 0 <= limit - exact <= 2e-12 + 1e-9 * exact
        if n < 1000:
            p = Fraction(limit)
            terms = sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), Fraction(0))
            assert terms <= Fraction(chance) and terms <= Fraction(tail(k, n, p)) <= terms * (1 + Fraction(1, 10**14))
    assert kept_limit(5, 100, Fraction(1, 20)) == upper_limit(5, 100, Fraction(1, 1280)) and upper_limit(4, 4, Fraction(1, 2)) == 1.0


draw = np.random.default_rng(8)
ERRORS = {  # of the candidates, a row a stream
    "constant": np.full((STREAMS, len(ROWS)), 0.3),
    "all but right": np.full((STREAMS, len(ROWS)), 0.001),
    "learning": np.broadcast_to(0.5 / np.sqrt(ROWS), (STREAMS, len(ROWS))),
    "unlearning": np.broadcast_to(0.05 + 0.4 * ROWS / ROUNDS, (STREAMS, len(ROWS))),
    "anything": draw.random((STREAMS, len(ROWS))),
    "good or bad": np.where(draw.random((STREAMS, len(ROWS))) < 0.5, 0.1, 0.2),
    "hopeless": np.full((STREAMS, len(ROWS)), 0.97),
}


@pytest.mark.parametrize("together", [True, False], ids=["on the same rounds", "on any"])
@pytest.mark.parametrize("name", ERRORS)
def test_the_chosen_one_is_as_good_as_is_said(name, together):
    """Where candidates err on the same rounds, and where not; the price is that of 64 looks, and one of a single look is too low."""
    draw, errors = np.random.default_rng(9), ERRORS[name]
    lots = draw.random((STREAMS, ROUNDS))
    k, n = [], ROUNDS - ROWS
    for i, row in enumerate(ROWS):
        k.append(((lots if together else draw.random((STREAMS, ROUNDS)))[:, row:] < errors[:, i : i + 1]).sum(axis=1))
    k = np.array(k).T

    def failures(chance):
        limits = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 0.5), 1 - chance), 1.0)
        best = limits.argmin(axis=1)
        streams = np.arange(STREAMS)
        return int((errors[streams, best] > limits[streams, best]).sum())

    assert failures(DELTA / len(CANDIDATES)) <= DELTA * STREAMS
    if name == "constant" and not together:
        assert failures(DELTA) > DELTA * STREAMS


def test_a_learner_keeps_what_is_said_of_it():
    """Independent rounds on three variables, a tenth of them noise: the true error of every hypothesis is known."""
    draw, cube = np.random.default_rng(2), np.array([[point >> i & 1 for i in range(3)] for point in range(8)], float)
    truth, failures = cube[:, 0] + cube[:, 1] > 0, 0
    for _ in range(25):
        points = draw.integers(8, size=150)
        y = truth[points] ^ (draw.random(150) < 0.1)
        kept = ls.keep(ls.perceptron(bias=1), cube[points], y, delta=0.25)
        wrong = kept.model.predict_many(cube) != truth
        failures += float(np.where(wrong, 0.9, 0.1).mean()) > kept.upper
    assert failures <= 6


def stream(rows=500):
    draw = np.random.default_rng(6)
    X = (draw.random((rows, 5)) < 0.5).astype(float)
    two = np.where(draw.random(rows) < 0.1, np.nan, (X[:, 0] > 0) ^ (draw.random(rows) < 0.05))
    return (
        X,
        two,
        ["".join("ab"[int(v)] for v in row[:2]) if draw.random() < 0.9 else None for row in X],
        draw.integers(1, 4, rows).astype(float),
    )


KINDS = {
    "perceptron": (ls.perceptron, {}, "verified"),
    "a panel": (lambda: ls.panel(["perceptron", "arow"]), {}, "verified"),
    "weights": (ls.arow, {"sample_weight": stream()[3]}, "verified"),
    "an average": (lambda: ls.perceptron(averaged=True, bias=0), {}, "consistent"),
    "several classes": (lambda: ls.one_vs_rest(ls.perceptron(bias=0)), {}, "verified"),
    "all of several classes": (ls.multiclass_perceptron, {}, "verified"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_verified_by_playing_the_learner_to_the_candidate_and_no_further(kind):
    make, how, status = KINDS[kind]
    learner = make()
    X, y, several, _ = stream()
    y = several if learner.kind == "several classes" else y
    kept = ls.keep(learner, X, y, **how)
    t = kept.candidate
    first = ls.play(learner, X[:t], y[:t], **{key: value[:t] for key, value in how.items()}, ledger=True).model
    assert not kept.model.diff(first)
    known = [row for row in range(t, len(X)) if y[row] is not None and y[row] == y[row]]
    wrong = [row + 1 for row in known if kept.model.predict(X[row]) != y[row]]
    assert (kept.rounds, kept.mistakes, kept.certificate.content["mistakes"]) == (len(known), len(wrong), wrong)
    assert kept.upper == kept_limit(len(wrong), len(known), Fraction(1, 20)) and t in CANDIDATES
    assert ls.verify(kept.certificate, X, y, **how).status == "consistent"  # the model that it names was not looked at
    assert ls.verify(kept.certificate, X, y, model=kept.model, **how).status == status
    assert ls.verify(kept.certificate, X, y, replay=False, **how).status == "consistent"
    forged = json.loads(json.dumps(kept.certificate.content))
    claim = forged["claim"]

    def refused(words, model=None, **changes):
        changed = {**forged, **changes}
        with pytest.raises(Refused, match=words):
            ls.verify({**changed, "digest": digest_of(changed)}, X, y, model=model, **how)

    refused("claim.upper", claim={**claim, "upper": claim["upper"] - 1e-9})
    refused("claim.upper", claim={**claim, "delta": 0.5})
    refused("claim.candidates", claim={**claim, "candidates": 1})
    if status == "verified":
        fewer = kept_limit(len(wrong) - 1, len(known), Fraction(1, 20))
        refused("certificate leaves it out", mistakes=wrong[1:], claim={**claim, "mistakes": len(wrong) - 1, "upper": fewer})
        refused("settings", learner={**forged["learner"], "settings": {"x": 1}})
        refused("learner.settings are not those", kept.model, learner={**forged["learner"], "settings": {}})


def test_a_model_that_only_answers_alike_on_these_rows_is_refused():
    """It has a weight for a feature that no row of the stream has on, and fresh rows may."""
    X, y, *_ = stream()
    X = np.column_stack([np.zeros(len(X)), X])
    kept = ls.keep(ls.perceptron(bias=0), X, y)
    other = kept.model.copy()
    other._state.w[0] = 1e6
    content = {**kept.certificate.content, "model": model_digest(other)}
    with pytest.raises(Refused, match="not the one that its learner makes of rows 1 to"):
        ls.verify({**content, "digest": digest_of(content)}, X, y, model=other)


def test_a_candidate_that_nobody_named_beforehand_is_refused():
    X, y, *_ = stream()
    kept = ls.keep(ls.perceptron(bias=0), X, y)
    content = json.loads(json.dumps(kept.certificate.content))
    row = content["claim"]["candidate"] + 1
    run = ls.play(ls.perceptron(bias=0), X[:row], y[:row])
    known = [t for t in range(row, len(X)) if y[t] == y[t]]
    wrong = [t + 1 for t in known if run.hypothesis.predict(X[t]) != y[t]]
    upper = kept_limit(len(wrong), len(known), Fraction(1, 20))
    content |= {
        "mistakes": wrong,
        "claim": {**content["claim"], "candidate": row, "rounds": len(known), "mistakes": len(wrong), "upper": upper},
    }
    with pytest.raises(Refused, match="no candidate was to be taken there"):
        ls.verify({**content, "digest": digest_of(content)}, X, y)
    for learner in (ls.adahedge(n=5), ls.perceptron(bias=0).start()):
        with pytest.raises(ls.LittlestoneError, match="keep takes a learner"):
            ls.keep(learner, X, y)
    with pytest.raises(ls.LittlestoneError, match="too few"):
        ls.keep(ls.perceptron(bias=0), X[:2], y[:2])


def test_keeping_from_the_command_line(tmp_path):
    X, y, *_ = stream()
    rows = [f"{int(label)} " + " ".join(f"{i}:1" for i in np.flatnonzero(x)) for x, label in zip(X, y, strict=True) if label == label]
    path, model = tmp_path / "rows.libsvm", tmp_path / "m.littlestone"
    path.write_text("\n".join(rows) + "\n", "utf-8")

    def command(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, (result.output, result.exception)
        return result.stdout

    options = ("run", path, "--learner", "perceptron:bias=0", "--iid", "0.05", "--keep", "certified", "--model", model, "--quiet")
    kept = json.loads(command(*options, "--json"))["kept"]
    assert ls.load(model).rounds == kept["candidate"] and kept["upper"] < 0.2
    assert "verified" in command("verify", f"{model}.json", path, "--model", model)
    condition = "if rounds are independent draws from one distribution, and nothing seen in the run decided its length"
    for told in (command(*options), command("verify", f"{model}.json", path, "--model", model)):
        words = " ".join(told.split())  # lines are as wide as the terminal
        assert "errs on at most" in words and condition in words
    path.write_text("\n".join([*rows, "nonsense"]) + "\n", "utf-8")
    assert "nothing is certified" in " ".join(command(*options, "--skip-bad", code=1).split())
    assert ls.load(model).rounds == len(rows)
    bare = ("run", path, "--keep", "certified", "--iid", "0.1", "--model", model)
    for words in (
        bare[:4],
        bare[:6],
        (*bare, "--passes", "2"),
        (*bare, "--delay", "1"),
        (*bare, "--checkpoint-every", "5"),
        (*bare[:3], "best", *bare[4:]),
    ):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert "--keep" in str(result.exception), words
