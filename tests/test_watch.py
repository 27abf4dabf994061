"""A frozen model's error: what is said of it is true as often as it says, at every round at once, and is checked by `verify`."""

import json
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import Refused
from littlestone.theory.anytime import RATES, Crossing, chance_of, first_crossing, interval, share
from littlestone.theory.sealed import digest_of

STREAMS, ROUNDS, DELTA = 500, 250, Fraction(1, 5)


def drawn(chance):
    """Mistakes and average chances after each round, a row a stream; `chance(t, last, mistakes)` is that of the next mistake."""
    draw = np.random.default_rng(11)
    last, mistakes, total = np.zeros(STREAMS), np.zeros(STREAMS), np.zeros(STREAMS)
    paths = []
    for t in range(1, ROUNDS + 1):
        p = np.broadcast_to(chance(t, last, mistakes), STREAMS)
        last = (draw.random(STREAMS) < p).astype(float)
        mistakes, total = mistakes + last, total + p
        paths.append((mistakes, total / t))
    return [np.array(column).T for column in zip(*paths, strict=True)]


CHANCES = {
    "rare": lambda t, last, M: 0.01,
    "a third": lambda t, last, M: 1 / 3,
    "almost always": lambda t, last, M: 0.95,
    "drifting": lambda t, last, M: 0.05 + 0.5 * t / ROUNDS,
    "a jump": lambda t, last, M: 0.02 if t < 100 else 0.6,
    "in bursts": lambda t, last, M: np.where(last > 0, 0.8, 0.05),
    "against the count": lambda t, last, M: np.where(M / t > 0.2, 0.05, 0.5),
    "with the count": lambda t, last, M: np.where(M / t > 0.3, 0.9, 0.1),
}


def failures(M, average, price):
    """On how many streams some bet wins at some round, on either side; bet j wins with 1/price(j)."""
    T, lost = np.arange(1, ROUNDS + 1), np.zeros(len(M), bool)
    for j, rate in enumerate(RATES[:10]):
        for lam in (float(rate), -float(rate)):
            lost |= (lam * M - T * np.log1p(average * np.expm1(lam)) >= -log(price(j))).any(axis=1)
    return int(lost.sum())


@pytest.mark.parametrize("name", CHANCES)
def test_it_is_true_as_often_as_it_says_whatever_the_rounds_are(name):
    M, average = drawn(CHANCES[name])
    assert failures(M, average, lambda j: float(share(j, DELTA))) <= float(DELTA) * STREAMS
    assert failures(M, average, lambda j: 0.7) > float(DELTA) * STREAMS  # without its price it is found out


@pytest.mark.parametrize(("M", "T"), [(0, 1), (1, 1), (0, 50), (3, 40), (100, 1000), (999, 1000), (17, 10**6), (10**5, 10**6)])
def test_its_ends_are_where_a_bet_wins(M, T):
    delta = chance_of(0.05)
    lower, upper = interval(M, T, delta)
    assert lower <= M / T <= upper

    def won(p, sign):
        return max(
            sign * float(rate) * M - T * log(1 + p * (exp(sign * float(rate)) - 1)) + log(share(j, delta)) for j, rate in enumerate(RATES)
        )

    for end, sign in ((lower, 1), (upper, -1)):
        if 0 < end < 1:
            assert abs(won(end, sign)) < 1e-6 and won(end + sign * 1e-3 * end * (1 - end), sign) < 0
    for limit in (lower * (1 - 1e-9), lower * (1 + 1e-9), 0.9 * lower):
        assert Crossing(limit, delta).reached(M, T) == (0 < limit <= lower) or not lower
    assert interval(M, T, delta / 10).lower <= lower and upper <= interval(M, T, delta / 10).upper


def two_classes(n=600, late=0.5):
    """A model that errs on few rounds at first, and on many later; some rounds have no label."""
    draw = np.random.default_rng(3)
    X = (draw.random((n, 5)) < 0.5).astype(float)
    y = X[:, 0].copy()
    y[np.arange(n) % 2 == 1] = np.where(np.arange(n) > n // 2, 1 - y, y)[np.arange(n) % 2 == 1] if late else y[1::2]
    y[::10] = np.nan
    model = ls.play(ls.perceptron(), X[: n // 2], X[: n // 2, 0]).hypothesis
    return model, X, y


def several_classes():
    draw = np.random.default_rng(4)
    X = (draw.random((400, 4)) < 0.5).astype(float)
    y = [("tea", "coffee", "milk")[int(a + b)] for a, b, *_ in X]
    model = ls.play(ls.one_vs_rest(ls.perceptron()), X[:100], y[:100]).hypothesis
    return model, X, [*y[:300], *(["water", None] * 50)]


@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_a_watch_counts_the_frozen_models_mistakes_and_is_verified(make):
    model, X, y = make()
    before = model.copy()
    watch = ls.watch(model, X, y, limit=0.02, certificate=True)
    assert not model.diff(before)
    known = [t for t, label in enumerate(y) if label is not None and label == label]
    wrong = [number for number, t in enumerate(known, 1) if model.predict(X[t]) != y[t]]
    assert (watch.rounds, watch.mistakes) == (len(known), len(wrong)) and wrong
    assert (watch.lower, watch.upper) == interval(len(wrong), len(known), Fraction(1, 20))
    assert watch.crossed_at == first_crossing(Crossing(0.02, Fraction(1, 20)), wrong) is not None
    assert ls.verify(watch.certificate, X, y, model=model).status == "verified"
    assert ls.verify(watch.certificate, X, y).status == "consistent"
    assert ls.watch(model, X, y, limit=0.02, stop=True).crossed_at == watch.crossed_at
    forged = json.loads(json.dumps(watch.certificate.content))

    def refused(words, model=model, **changes):
        changed = {**forged, **changes}
        with pytest.raises(Refused, match=words):
            ls.verify({**changed, "digest": digest_of(changed)}, X, y, model=model)

    claim = forged["claim"]
    refused("claim.upper", claim={**claim, "upper": claim["upper"] / 2})
    refused("claim.lower", claim={**claim, "lower": claim["lower"] + 1e-9})
    refused("claim.crossed_at", claim={**claim, "crossed_at": claim["crossed_at"] + 1})
    refused("claim.lower", claim={**claim, "delta": 0.2})
    refused(
        "row .* made a mistake, and the certificate leaves",
        mistakes=forged["mistakes"][1:],
        claim={**claim, "mistakes": claim["mistakes"] - 1},
    )
    refused("has no label", model=None, mistakes=sorted({*forged["mistakes"], 1 if make is two_classes else 302}))
    refused("mistakes: the rows", mistakes=forged["mistakes"][::-1])
    refused("another is named", model=None, mistakes=[*forged["mistakes"], 10_000])
    refused("its digest differs", model=ls.perceptron().start())
    refused("about is", about="other")
    refused("claim.delta", claim={key: value for key, value in claim.items() if key != "delta"})
    with pytest.raises(Refused, match="was changed"):
        ls.verify({**forged, "mistakes": []}, X, y)
    with pytest.raises(Refused, match="the stream is not the one"):
        ls.verify(forged, X[::-1].copy(), list(y)[::-1])


def test_watching_from_the_command_line(tmp_path):
    model, X, y = two_classes()
    model.save(tmp_path / "m.littlestone")
    rows = [f"{int(label)} " + " ".join(f"{i}:1" for i in np.flatnonzero(x)) for x, label in zip(X, y, strict=True) if label == label]
    stream, out = tmp_path / "rows.libsvm", tmp_path / "watch.json"
    stream.write_text("\n".join(rows) + "\n", "utf-8")

    def command(*words, code):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, (result.output, result.exception)
        return result.stdout

    options = ("watch", tmp_path / "m.littlestone", stream)
    expected = ls.watch(model, X, y, limit=0.1).as_json()
    assert json.loads(command(*options, "--limit", "0.1", "--json", "--certificate", out, code=1)) == expected
    assert list(expected) == ["rounds", "mistakes", "lower", "upper", "crossed_at"]
    assert "surely above 10 %" in command(*options, "--limit", "1/10", code=1)
    assert "never surely above 90 %" in command(*options, "--limit", "0.9", code=0)
    checked = json.loads(command("verify", out, stream, "--model", tmp_path / "m.littlestone", "--json", code=0))
    assert checked["verified"] and checked["crossed_at"] == expected["crossed_at"]
    command("verify", out, stream, code=3)
    for words in (
        ["--delta", "0"],
        ["--delta", "2"],
        ["--limit", "1"],
        ["--limit", "x"],
        ["--certificate", stream],
        ["--follow", "--certificate", out],
    ):
        result = CliRunner().invoke(app, [str(word) for word in (*options, *words)])
        assert isinstance(result.exception, ls.LittlestoneError), words


def test_a_watch_of_features_that_are_added_up_is_verified(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_text("1 1:1 2:0.5 1:1\n-1 2:1 3:1\n1 1:1\n-1 3:1\n")
    stream = lambda: ls.open_stream(path, sum_duplicates=True)  # noqa: E731
    model = ls.play(ls.perceptron(), stream()).model
    watch = ls.watch(model, stream(), certificate=True)
    assert ls.verify(watch.certificate, path, model=model).status == "verified"
