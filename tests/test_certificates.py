"""Certificates: the file, the digest, what bad input is told, the command line, and a verifier that stands alone."""

import json
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import littlestone as ls
from forgery import resealed
from littlestone.rounds.sources import rounds_of
from littlestone.theory.certificate import SCHEMA, read
from littlestone.theory.claims import best
from littlestone.theory.json_shape import fault_in
from littlestone.theory.sealed import digest_of

RNG = np.random.default_rng(5)
X = ((RNG.random((400, 30)) < 0.15) * RNG.integers(1, 9, (400, 30)) / 8).astype(np.float32)
Y = (X[:, 3] + X[:, 7] > 0) ^ (RNG.random(400) < 0.03)


def certified(learner=None, X=X, y=Y, **options):
    run = ls.play(learner or ls.perceptron(bias=0), X, y)
    return ls.certify(run, X, y, **options)


def plain(cert):
    """As a stranger gets it."""
    return json.loads(json.dumps(cert.content))


def write(path, X=X, y=Y, sign=("-1", "+1")):
    rows = (" ".join([sign[int(t)], *(f"{i}:{v:g}" for i, v in enumerate(row) if v)]) for row, t in zip(X, y, strict=True))
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_the_digest_is_that_of_the_rounds_whatever_holds_them(tmp_path):
    path = write(tmp_path / "a.libsvm")
    shuffled = sparse.csr_matrix(X)
    for t in range(shuffled.shape[0]):  # columns of a row in another order
        lo, hi = shuffled.indptr[t : t + 2]
        shuffled.indices[lo:hi], shuffled.data[lo:hi] = shuffled.indices[lo:hi][::-1].copy(), shuffled.data[lo:hi][::-1].copy()
    listed = [{int(i): float(v) for i, v in enumerate(row) if v} for row in X]
    zeros = [{i: float(v) for i, v in enumerate(row)} for row in X]
    named = [{str(i): v for i, v in row.items()} for row in listed]
    found = {certified(X=other).content["stream"]["digest"] for other in (X, sparse.csr_matrix(X), shuffled, listed, zeros, named)}
    stream = ls.open_stream(path)
    found.add(ls.certify(ls.play(ls.perceptron(bias=0), stream), stream).content["stream"]["digest"])
    found.add(ls.certify(ls.play(ls.perceptron(bias=0), X, Y, block_rows=7), X, Y).content["stream"]["digest"])
    assert len(found) == 1
    assert certified(X=X[::-1], y=Y[::-1]).content["stream"]["digest"] not in found


def test_names_are_kept_in_the_order_of_their_length_and_bytes():
    words = [{"ähnlich": 1, "b": 2, "aa": 1, "a-name-of-more-than-eight-bytes": 0.5}, {"aa": 3, "": 1, "ж": 1}] * 3
    y = [1, 0, 0, 1, 1, 0]
    cert = certified(X=words, y=y)
    assert "verified" in str(ls.verify(plain(cert), words, y, replay=True))
    assert {name for b in cert.bounds for name in b.comparator.weights} <= {name for row in words for name in row}


def test_large_indices_and_unlabelled_rows():
    rows = [{1_345_678: 1.0, 7: 2.0}, {10**6: 1.5}, {2**20: 1.0, 5: 1.0}, {7: 1.0}] * 5
    y = [1, 0, None, 0] * 5
    cert = certified(X=rows, y=y)
    assert cert.content["counts"]["rounds"] == 15 and cert.content["stream"]["rows"] == [1, 20]
    ls.verify(plain(cert), rows, y, replay=True)


def test_a_file_and_its_arrays_share_one_certificate(tmp_path):
    path = write(tmp_path / "a.libsvm")
    stream = ls.open_stream(path)
    cert = ls.certify(ls.play(ls.perceptron(bias=0), stream), stream)
    assert ls.verify(plain(cert), path).claims == ls.verify(plain(cert), X, Y).claims


BROKEN = {
    "format": (lambda c: {**c, "format": "another"}, "is no littlestone certificate"),
    "version": (lambda c: {**c, "version": 2}, "has version 2, and says what is said in version 3"),
    "library": (lambda c: {**c, "littlestone": "99.0"}, "was written by littlestone '99.0'"),
    "changed": (lambda c: {**c, "counts": {**c["counts"], "mistakes": 0}}, "its digest is not that of its content"),
    "missing": (lambda c: {k: v for k, v in c.items() if k != "bounds"}, "bounds is missing"),
    "more": (lambda c: {**c, "note": "trust me"}, "note is not known"),
    "nan": (lambda c: {**c, "counts": {**c["counts"], "observed": math.nan}}, "expected number"),
    "count": (lambda c: resealed({**c, "counts": {**c["counts"], "mistakes": 0}}), "counts.mistakes is 0, and the stream"),
    "learner": (lambda c: resealed({**c, "learner": {**c["learner"], "name": "oracle"}}), "'oracle'"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_refusal_names_what_is_wrong(what):
    change, message = BROKEN[what]
    with pytest.raises(ls.Refused, match=message):
        ls.verify(change(plain(certified())), X, Y)


def test_another_order_another_label_another_length():
    cert = plain(certified())
    swapped = [1, 0, *range(2, len(Y))]
    for other, labels in ((X[swapped], Y[swapped]), (X, ~Y), (2 * X, Y)):
        with pytest.raises(ls.Refused, match="not the one of the certificate"):
            ls.verify(cert, other, labels)
    with pytest.raises(ls.Refused, match="the stream ends at row 399"):
        ls.verify(cert, X[:-1], Y[:-1])
    with pytest.raises(ls.Refused, match="goes on after row 400"):
        ls.verify(cert, np.vstack([X, X[:1]]), [*Y, Y[0]])


def test_witnesses_that_do_not_fit():
    base = plain(certified())
    weights = base["bounds"][0]["witness"]["weights"]
    for witness, message in (
        ({"kind": "vector", "exponent": 0, "weights": {**weights, "999": 1}, "bias": 0}, "feature '999', which the stream has not"),
        ({"kind": "set", "features": ["3"], "k": 1}, "its witness is set; expected vector"),
        ({"kind": "vector", "exponent": 3, "weights": {"3": 1.5}, "bias": 0}, "no whole number"),
        (None, "its witness is nothing; expected vector"),
    ):
        bounds = [{**base["bounds"][0], "witness": witness}, *base["bounds"][1:]]
        with pytest.raises(ls.Refused, match=message):
            ls.verify(resealed({**base, "bounds": bounds}), X, Y)


@pytest.mark.parametrize("text", ['{"format": NaN}', '{"a": 1, "a": 2}', '{"a": 1e999}', '{"format": "litt', "[" * 100_000, "", "\x00"])
def test_files_that_are_no_certificates(tmp_path, text):
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(ls.Refused, match=r"c\.json"):
        ls.verify(path, X, Y)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ls.Refused, match="UTF-8"):
        ls.verify(path, X, Y)


def test_certify_refuses_another_stream():
    run = ls.play(ls.perceptron(bias=0), X, Y)
    with pytest.raises(ls.LittlestoneError, match="not what this run was played on"):
        ls.certify(run, X[::-1], Y[::-1])
    with pytest.raises(ls.LittlestoneError, match="certify takes a run of one or more classes or over advice"):
        ls.certify(X, X, Y)


def test_what_is_written_has_the_published_shape():
    jsonschema = pytest.importorskip("jsonschema")
    for content in (plain(certified(iid=0.05)), plain(certified(ls.winnow(n=30), X=X > 0, assume="disjunction:r=2"))):
        assert fault_in(content, SCHEMA) == ""
        jsonschema.validate(content, SCHEMA)


def test_a_round_trip_through_a_file(tmp_path):
    cert = certified(iid="1/20")
    cert.save(tmp_path / "c.json")
    again = read(tmp_path / "c.json")
    assert again.content == cert.content and again.digest == digest_of(again.content)
    assert [b.limit for b in again.bounds] == [b.limit for b in cert.bounds] and again.best.limit >= again.mistakes
    assert again.risk == ls.play(ls.perceptron(bias=0), X, Y).risk(0.05).as_json()


def test_the_command_line(tmp_path, littlestone):
    stream, cert = write(tmp_path / "a.libsvm"), tmp_path / "c.json"
    done = littlestone("run", stream, "--learner", "passive_aggressive", "--certificate", cert, "--iid", "0.1", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    names = {"floor", "pa-dual", "pa-comparator", "pa-comparator-all"}
    assert said["risk"]["delta"] == 0.1 and {b["name"] for b in said["bounds"]} == names
    unreplayed = littlestone("verify", cert, stream, "--no-replay")
    assert unreplayed.returncode == 3 and "by pa-dual; not checked without a replay" in unreplayed.stdout
    checked = littlestone("verify", cert, stream, "--json")
    told = json.loads(checked.stdout)
    assert told["rows_of_stream"] == told["stream"]["rows"][1] and told["learner"]["settings"]["variant"] == "I"
    assert told["verified"] and told["replayed"] and (set(told["checked"]), told["unchecked"]) == (names, [])
    assert [b["holds"] for b in told["bounds"]] == [True] * 4 and told["risk"]["delta"] == 0.1
    lines = (tmp_path / "a.libsvm").read_text().split("\n")
    (tmp_path / "b.libsvm").write_text("\n".join([lines[1], lines[0], *lines[2:]]))
    refused = littlestone("verify", cert, tmp_path / "b.libsvm")
    assert refused.returncode == 1 and refused.stdout.startswith("REFUSED: the stream is not the one of the certificate")
    assert littlestone("verify", cert, tmp_path / "none.libsvm").returncode == 2
    assert littlestone("certify", stream, "-o", stream).returncode == 2


def test_segments_are_certified_one_by_one(tmp_path, littlestone):
    rng = np.random.default_rng(1)
    drift = (rng.random((3000, 40)) < 0.2).astype(int)
    labels = np.where(np.arange(3000) < 1500, drift[:, :2].any(axis=1), drift[:, 5:7].any(axis=1))
    stream = write(tmp_path / "drift.libsvm", drift, labels)
    command = ("run", stream, "--learner", "winnow:n=40", "--assume", "disjunction:r=2", "--certificate", tmp_path / "c.json", "--quiet")
    done = littlestone(*command, "--restart-on-alarm")
    assert done.returncode == 0
    least = [best(read(tmp_path / part).bounds) for part in ("c-1.json", "c-2.json")]
    assert all(f"bound {claim.limit} ({claim.name})" in " ".join(done.stdout.split()) for claim in least)
    for part, rows in (("c-1.json", [1, 1573]), ("c-2.json", [1574, 3000])):
        assert read(tmp_path / part).content["stream"]["rows"] == rows
        assert littlestone("verify", tmp_path / part, stream, "--replay").returncode == 0
    assert littlestone(*command, "--skip", "2000").returncode == 0  # rounds that are left out are a stretch that is not spoken of
    assert read(tmp_path / "c.json").content["stream"]["rows"] == [2001, 3000]
    assert littlestone("verify", tmp_path / "c.json", stream).returncode == 0
    assert littlestone(*command, "--alarm").returncode == 1
    first = read(tmp_path / "c.json")
    assert first.content["stream"]["rows"] == [1, 1573] and first.content["stream"]["segment"]
    assert first.bounds[0].limit is None and first.bounds[0].contradiction["row"] <= 1573
    assert littlestone("verify", tmp_path / "c.json", stream).returncode == 0


def test_nothing_that_learns_takes_part_in_verifying(tmp_path):
    stream, cert = write(tmp_path / "a.libsvm"), tmp_path / "c.json"
    certified().save(cert)
    ls.certify(ls.play(ls.perceptron(bias=0), ls.open_stream(stream)), ls.open_stream(stream)).save(cert)
    code = f"""
import sys
from fractions import Fraction
from littlestone.cli import app
try:
    app(["verify", {str(cert)!r}, {stream!r}, "--replay"], standalone_mode=False)
finally:
    loaded = [m for m in sys.modules if m.split(".")[0] in ("numba", "numpy", "scipy", "sklearn")]
    ours = [m for m in sys.modules if m.startswith(("littlestone.learners", "littlestone.kernels", "littlestone.protocol"))]
    print(loaded + ours)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("verified") and done.stdout.endswith("[]\n"), done.stdout + done.stderr


def test_plain_rounds_refuse_what_is_no_round(tmp_path):
    for text, message in (
        ("1 2:x", "a finite number after ':'"),
        ("1 2:nan", "a finite number after ':'"),
        ("1 -2:1", "a feature index: a whole number, 0 or more"),
        ("7 2:1", "label 7"),
        ("1 2:1 2:3", "each feature once in a row"),
        ("1 2", "':' and a value after the feature index"),
    ):
        path = tmp_path / "bad.libsvm"
        path.write_text(text + "\n")
        with pytest.raises(ls.LittlestoneError, match=message):
            list(rounds_of(str(path), None, boolean=False, labels=[0, 1]))


# ---- what somebody forged, or was refused, once ----


def forged(cert, **changes):
    """The certificate with some of its parts changed, as deep as the keys go, and its digest made anew."""
    content = plain(cert)
    for path, value in changes.items():
        *steps, last = path.split("__")
        inner = content
        for step in steps:
            inner = inner[int(step) if step.isdigit() else step]
        inner[last] = value
    return resealed(content)


def test_with_weights_the_limit_is_on_their_sum():
    rows = [[0.5, 0.1 * (t % 3)] if t % 2 else [-0.5, 0.1 * (t % 3)] for t in range(20)]
    y, weights = [t % 2 for t in range(20)], [1 / 1024] * 20
    run = ls.play(ls.perceptron(bias=0), rows, y, sample_weight=weights)
    cert = ls.certify(run, rows, y, sample_weight=weights, assume="margin:gamma=0.4")
    assert cert.bounds[0].holds and cert.bounds[0].contradiction is None
    ls.verify(plain(cert), rows, y, sample_weight=weights, replay=True)


def test_a_value_of_minus_one_is_not_zero_or_one():
    rows, y = [[-1], [1], [0]] * 60, [1, 1, 0] * 60
    run = ls.play(ls.perceptron(bias=1), rows, y, assume="disjunction:r=1", alarm="stop")
    assert run.alarm is None
    claim = ls.certify(run, rows, y, assume="disjunction:r=1").bounds[0]
    assert claim.limit is None and claim.reason == "not known: active"


def test_forgeries_that_a_replay_would_not_notice():
    boolean = (X > 0).astype(np.float32)
    winnow = certified(ls.winnow(n=30), X=boolean)
    place = next(k for k, record in enumerate(winnow.content["bounds"]) if record["witness"]["kind"] == "set")
    for change, message in (
        ({"stream__weighted": True}, "not the one of the certificate|honours no weights"),
        ({f"bounds__{place}__witness__k": 2}, "k=2; expected 1"),
        ({"stream__rows": [11, 400]}, "not said to be a segment"),
        ({f"bounds__{place}__facts__r": True}, "not how that number is written|r is True"),
        ({"assume": "disjunction:r=1,r=9"}, "given twice"),
    ):
        with pytest.raises(ls.Refused, match=message):
            ls.verify(forged(winnow, **change), boolean, Y)
    concepts = ls.concepts.disjunctions(4)
    rows, labels = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [1, 0, 0]
    halving = ls.certify(ls.play(ls.halving(concepts), rows, labels), rows, labels, assume="class:16")
    with pytest.raises(ls.Refused, match="the class has 16 concepts"):
        ls.verify(forged(halving, assume="class:4", bounds__0__facts__size=4), rows, labels)
    rows, labels = [{0}, {1, 2}, {3}, set()], [1, 0, None, 0]  # feature 3 is on where there is no label: it is no part of met
    for learner, side, fact in ((ls.disjunctions(), "features", "r"), (ls.conjunctions(), "off", "size")):
        cert = ls.certify(ls.play(learner, rows, labels), rows, labels)
        k, own = next((k, bound) for k, bound in enumerate(plain(cert)["bounds"]) if bound["name"].endswith("-consistent"))
        more = {"witness": {**own["witness"], side: [*own["witness"][side], "3"]}, "facts": {**own["facts"], fact: own["facts"][fact] + 1}}
        more |= {"limit": own["limit"] - 1, "limit_exact": str(own["limit"] - 1)}
        with pytest.raises(ls.Refused, match=f"{fact} is {own['facts'][fact] + 1}, and the stream and the witness say"):
            ls.verify(forged(cert, **{f"bounds__{k}__{key}": value for key, value in more.items()}), rows, labels)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("bounds__0__facts__u2", "1e999999999"),
        ("bounds__1__facts__K", {}),
        ("bounds__0__facts__L", None),
        ("bounds__0__witness__exponent", 10**12),
        ("bounds__0__witness__level", "1e999999999"),
        ("learner__settings__bias", "1/0"),
        ("learner__settings__bias", "9" * 5000),
        ("learner__settings__n", 10**300),
        ("stream__labels", [0, 10**400]),
        ("assume", "margin:gamma=1e-999999999"),
    ],
)
def test_absurd_numbers_are_refused_at_once(path, value):
    with pytest.raises(ls.Refused):
        ls.verify(forged(certified(), **{path: value}), X, Y)


@pytest.mark.parametrize("delta", [0.06, "1/3", 0.1, 1e-9, "0.07"])
def test_any_risk_is_written_so_that_it_is_read_the_same(delta):
    cert = certified(iid=delta)
    assert cert.risk["delta"] <= float(Fraction(str(delta))) * (1 + 1e-12)
    ls.verify(plain(cert), X, Y)


def test_sets_of_words_do_not_depend_on_the_hash_seed():
    """Python lists a set of names in another order in every process; sums of doubles would follow it."""
    code = """
import random, littlestone as ls
random.seed(3)
words = [f"w{i}" for i in range(60)]
rows = [set(random.sample(words, 12)) for _ in range(300)]
y = [int(len(row & set(words[:4])) > 0) for row in rows]
run = ls.play(ls.perceptron(bias="1/3"), rows, y)
model = ls.perceptron(bias="1/3").start()
for row, truth in zip(rows, y):
    model.observe(row, truth)
print(run.state.w.tolist(), model.state.w.tolist(), ls.certify(run, rows, y).digest)
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1 and "sha256" in said.pop()
