"""Hostile certificates: whatever a stranger writes into one and seals again is refused by name, or is true; soon, and in little memory."""

import contextlib
import copy
import json
import os
import re
import resource
import signal
import threading
import time
from random import Random

import numpy as np
import pytest

import littlestone as ls
from littlestone import files
from littlestone.errors import LittlestoneError, Refused
from littlestone.files import beside, locked, sweep
from littlestone.theory.certificate import Certificate, in_plain_words, read
from littlestone.theory.sealed import digest_of

PATIENCE = 20  # seconds for one certificate, on a machine that has much else to do
MEMORY = 300_000  # kilobytes that checking may add to what the process has

HOSTILE = [
    0, 1, -1, 2, 3, 7, 40, 10**6, 10**9, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 10**4000, 0.5, -0.0, 1e308, 5e-324, True, False,
    None, "", "0", "1/2", "1/0", "0/0", "-1", "1e9", "1e999", "9" * 3999, "1." + "0" * 3000 + "1", "9" * 1000 + "/" + "7" * 1000, "nan",
    "inf", "\x00", "\u202e", "x" * 100_000, "sha256:" + "0" * 64, [], {}, [1], [[1]], [[1, 0], [2, 1]], {"kind": "vector"}, {"a": 1},
    list(range(1, 200)), {str(i): i for i in range(200)}, "mistakes", "margin", "always", "exact", "float", "a priori", "hindsight",
    {"class": "disjunctions", "n": 26, "r": None}, {"class": "disjunctions", "n": 2**20, "r": 64}, {"class": "conjunctions", "n": 17,
    "monotone": False, "contradictory": True}, {"class": "k_of_r", "n": 60, "k": 30, "r": 30}, {"class": "half_intervals", "n": 2**20,
    "empty": True}, {"class": "table", "domain": "cube", "rows": "01" * 4096}, {"class": "dictators", "n": 2**20},
]  # fmt: skip


def played(learner, X, y, **how):
    options = {key: how.pop(key) for key in list(how) if key in ("assume",)}
    return ls.certify(ls.play(learner, X, y, **how), X, y, **options), X, y


def certificates():
    """One of every kind, on small streams: a certificate as JSON has it, and what it is about."""
    rng = np.random.default_rng(4)
    X = (rng.random((40, 6)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    votes = (rng.random((40, 4)) < 0.6).astype(float)
    several = X[:, :3].argmax(axis=1)
    noisy = np.where(rng.random(40) < 0.2, 1 - y, y)
    yield played(ls.winnow(n=6), X, y, assume="disjunction:r=2")
    yield played(ls.winnow(n=6), X, noisy, assume="disjunction:r=2")
    yield played(ls.winnow_doubling(n=6), X, noisy)
    yield played(ls.winnow_real(n=6), X, noisy)
    yield played(ls.perceptron(bias=1), X, y, assume="margin:gamma=1/4,R=3")
    yield played(ls.passive_aggressive(C=1), X, noisy)
    yield played(ls.pnorm(n=6), X, noisy)
    yield played(ls.alma(), X, noisy)
    yield played(ls.balanced_winnow(), X, noisy)
    yield played(ls.conjunctions(), X, y, assume="conjunction")
    yield played(ls.disjunctions(n=6), X, y, assume="disjunction")
    yield played(ls.halving("disjunctions", n=6), X, y, assume="class")
    yield played(ls.optimal("half_intervals", n=6), np.eye(6), [0, 0, 0, 1, 1, 1], assume="class")
    yield played(ls.memorizer(), X, y, assume="function:size=20")
    yield played(ls.coin(), X, y)
    yield played(ls.perceptron(), X, y, passes=2)
    yield played(ls.perceptron(), X, y, delay=3)
    yield played(ls.hedge(n=4, eta="1/2"), votes, y, assume="expert:m=9")
    yield played(ls.adahedge(n=4), votes, y, passes=2)
    yield played(ls.fixed_share(n=4, eta=1, alpha="1/10"), votes, y, assume="expert:m=9,S=2")
    yield played(ls.weighted_majority(n=4), votes, y)
    yield played(ls.panel(["perceptron", "winnow:n=6"], n=6), X, y)
    yield played(ls.one_vs_rest(ls.perceptron()), X, several)
    yield played(ls.multiclass_perceptron(), X, several, assume="margin:gamma=1/9")


def places(value, path=()):
    """Every place in a certificate, by the way to it."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value[:6]):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def damage(content, random):
    """Some places changed; then sealed again, from the inside out."""
    forged = copy.deepcopy(content)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        way = random.choice([way for way in places(forged) if way[-1] != "digest" or len(way) > 1])
        holder = forged
        for key in way[:-1]:
            holder = holder[key]
        what = random.random()
        if what < 0.15 and isinstance(holder, dict):
            del holder[way[-1]]
        elif what < 0.25:
            other = random.choice(list(places(forged)))
            value = forged
            for key in other:
                value = value[key]
            holder[way[-1]] = copy.deepcopy(value)
        elif what < 0.4 and isinstance(holder[way[-1]], int | float):
            holder[way[-1]] = holder[way[-1]] * random.choice([-1, 2, 10**6]) + random.choice([-1, 0, 1])
        elif what < 0.45 and isinstance(holder, dict):
            holder[random.choice(["x", "kind", "level", "passes", "delay", "order", "k"])] = random.choice(HOSTILE)
        else:
            alike = [value for value in HOSTILE if type(value) is type(holder[way[-1]])]
            holder[way[-1]] = copy.deepcopy(random.choice(alike if alike and random.random() < 0.8 else HOSTILE))
    return sealed_again(forged)


def sealed_again(content):
    """Every certificate within it, and it, with the digest of what is there now."""
    for value in content.values() if isinstance(content, dict) else content:
        if isinstance(value, dict | list):
            sealed_again(value)
    if isinstance(content, dict) and str(content.get("format")).startswith("littlestone"):
        try:
            content["digest"] = digest_of(content)
        except (ValueError, TypeError):
            content["digest"] = "sha256:" + "0" * 64
    return content


class TooLong(BaseException):
    pass


def attack(kinds, seed, rounds):
    """Damaged certificates of these kinds, each checked in its time; how many were refused, and how many were true after all."""

    def ring(*_):
        raise TooLong

    random, refused, true = Random(seed), 0, 0
    old = signal.signal(signal.SIGALRM, ring)
    try:
        for t in range(rounds):
            cert, X, y = kinds[t % len(kinds)]
            forged = damage(cert, random)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            signal.alarm(PATIENCE)
            try:
                verdict = ls.verify(forged, X, y, replay=random.random() < 0.5)
                assert str(verdict) and (not verdict.replayed or verdict.certificate.mistakes == cert["counts"]["mistakes"])
                true += 1
            except LittlestoneError:
                refused += 1
            except BaseException as error:
                raise AssertionError(f"seed {seed}, certificate {t} ({cert['learner']['name']}): {type(error).__name__}") from error
            finally:
                signal.alarm(0)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert grown < MEMORY, f"seed {seed}, certificate {t} ({cert['learner']['name']}): {grown:,} KB more"
    finally:
        signal.signal(signal.SIGALRM, old)
    return refused, true


def kinds():
    return [(json.loads(json.dumps(cert.as_json())), X, y) for cert, X, y in certificates()]


def test_what_is_sealed_again_is_refused_or_true():
    rounds = 80 * int(os.environ.get("LITTLESTONE_ATTACKS", "1"))
    refused, true = attack(kinds(), int(os.environ.get("LITTLESTONE_SEED", "7")), rounds)
    assert refused > 0.8 * rounds and refused + true == rounds


@pytest.mark.parametrize("advice", [False, True])
@pytest.mark.parametrize(("passes", "last"), [(9_999, 10**60), (2**31, 10**60)])
def test_passes_that_nobody_can_make_are_refused(advice, passes, last):
    learner = ls.adahedge(n=2) if advice else ls.perceptron()
    cert, X, y = played(learner, [[1, 0], [0, 1]], [0, 1], passes=2)
    forged = cert.as_json()
    forged["stream"] = {**forged["stream"], "passes": passes, "rows": [1, last]}
    with pytest.raises(Refused, match=r"stream\.(passes is|rows ends with) [0-9]"):
        ls.verify(sealed_again(forged), X, y)


def test_a_rule_for_more_experts_than_there_are_is_not_played():
    cert, X, y = played(ls.weighted_majority(n=2), [[1, 0], [0, 1]], [0, 1])
    forged = cert.as_json()
    forged["learner"]["settings"]["n"] = 10_000_000
    with pytest.raises(Refused, match="n=10000000 experts, and the advice has 2"):
        ls.verify(sealed_again(forged), X, y, replay=True)


# ---- every word and every number of every kind ----

PLANTED = "errs on no fresh row"
#: What a certificate asks rather than says: what follows from it is made anew. Settings with which a learner does the same, too.
ASKED = {("claim", "limit"), ("claim", "delta"), ("risk", "delta"), ("stream", "delay")}


def of_every_kind(folder):
    """A certificate of each kind as a stranger gets it, what it is about, and what else `verify` needs."""
    for cert, X, y in kinds():
        yield cert, (X, y), {}
    rng = np.random.default_rng(4)
    X = (rng.random((40, 6)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    several = [["tea", "milk", "water"][k] for k in X[:, :3].argmax(axis=1)]
    model = ls.play(ls.perceptron(), X, y).hypothesis
    kept = ls.keep(ls.perceptron(bias=1), X, y)
    yield kept.certificate.as_json(), (X, y), {"model": kept.model}
    yield ls.watch(model, X, y, limit=0.4, certificate=True).certificate.as_json(), (X, y), {}
    yield ls.watch(model, X, y, limit=0.4, certificate=True).certificate.as_json(), (X, y), {"model": model}
    for learner, assume in ((ls.perceptron(), None), (ls.winnow(), "disjunction:r=2"), (ls.disjunctions(), "disjunction:r=2")):
        run = ls.play(learner, X, y, mix="epochs=2:shards=2")
        yield ls.certify(run, X, y, assume=assume).as_json(), (X, y), {}
    keys = np.array([f"u{t % 2}" for t in range(40)])
    yield ls.certify(ls.play(ls.perceptron(), X, y, key=keys), X, y, key=keys).as_json(), (X, y), {"key": keys}
    for learner in (ls.panel(["perceptron", "arow"]), ls.one_vs_rest(ls.panel(["perceptron"], blend=False))):
        yield ls.certify(ls.play(learner, X, several), X, several).as_json(), (X, several), {}
    path = folder / "rows.csv"
    rows = (f"u{t % 2},{X[t, 0]:g},{2.5 * X[t, 1]:g},{'yes' if y[t] else 'no'}\n" for t in range(40))
    path.write_text("user,a,b,label\n" + "".join(rows))
    for learner, key in ((ls.panel(), None), (ls.perceptron(), "user")):
        stream = ls.open_stream(path, label="label")
        yield ls.certify(ls.play(learner, stream, key=key), stream, key=key).as_json(), (path, None), {}
    for place in (path, X):  # the same rows in memory, which do not tell how a file was read
        stream = ls.open_stream(path, label="label", ignore=["user"])
        rows = place if place is path else [{"a": row[0], "b": 2.5 * row[1]} for row in X]
        yield ls.certify(ls.play(ls.perceptron(), stream), stream).as_json(), (rows, None if place is path else y), {}
    changed = np.where(np.arange(400) < 200, 0, 1)
    rows = (rng.random((400, 6)) < 0.4).astype(float)
    truth = (rows[:, 0] > 0).astype(int) ^ changed
    alarmed = ls.play(ls.perceptron(), rows, truth, alarm="restart")
    yield ls.certify(alarmed, rows, truth, iid=0.05).as_json(), (rows, truth), {}
    table = folder / "forecasts.csv"
    chance = rng.random((20, 3)).round(3)
    table.write_text("e0,e1,truth\n" + "".join(f"{a},{b},{c}\n" for a, b, c in chance))
    yield ls.certify(ls.experts(table, advice="forecast")).as_json(), (table, None), {}


def leaves(value, path=()):
    """The way to every text, number and nothing; and to every place where an object might say more."""
    if isinstance(value, dict):
        yield (*path, "summary")
        yield (*path, "labels")
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value[:6]):
            yield from leaves(inner, (*path, place))
    else:
        yield path


def otherwise(value, random):
    """Another value in the place of one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([value + 1, value - 1, 2 * value + 1])
    if isinstance(value, float):
        return random.choice([value * 1.01, value * 0.99, value * (1 + 1e-9), value + 1])
    if isinstance(value, str) and value[:1].isdigit():
        return random.choice(["1" + value, value + "1", value + "/3", "0"])
    if isinstance(value, str):
        return random.choice([PLANTED, f"{value} {PLANTED}"])
    return random.choice([PLANTED, [PLANTED, "no"], [PLANTED], 1])


def honest_words(text):
    """What a verdict says, without what it quotes."""
    return re.sub("“[^”]*”|'[^']*'", "", re.sub("\n  as the certificate says, [^\n]*", "", text))


def edit_every_field(certificates, random, share):
    """Edit so many of the fields of each, one at a time, and seal them again; whatever is verified all the same says what it said."""
    edits = 0
    for cert, about, how in certificates:
        cert = json.loads(json.dumps(cert))
        told = str(ls.verify(cert, *about, **how))
        fields = sorted({path for path in leaves(cert) if path[-1] != "digest"}, key=repr)
        for path in random.sample(fields, min(len(fields), share)):
            forged = copy.deepcopy(cert)
            holder = forged
            for key in path[:-1]:
                holder = holder[key]
            old = holder.get(path[-1]) if isinstance(holder, dict) else holder[path[-1]]
            if isinstance(old, dict | list) and path[-1] not in ("summary", "labels"):
                continue
            holder[path[-1]] = otherwise(old, random)
            sealed_again(forged)
            if path != ("summary",) and "summary" in forged:
                with contextlib.suppress(Exception):
                    forged["summary"] = in_plain_words(Certificate(forged))
                    forged["digest"] = digest_of(forged)
            edits += 1
            try:
                verdict = ls.verify(forged, *about, **how)
            except LittlestoneError:
                continue
            where = f"{cert['format']}, {path}: {old!r} became {holder[path[-1]]!r}, and was accepted"
            assert PLANTED not in honest_words(str(verdict)), where
            same = honest_words(str(verdict)) == honest_words(told)
            assert same or path in ASKED or "settings" in path, f"{where}: {verdict}"
    return edits


def test_nothing_is_told_that_was_not_made_anew(tmp_path):
    """A few fields of every kind here; `make soak` edits thousands."""
    often, seed = int(os.environ.get("LITTLESTONE_ATTACKS", "0")), os.environ.get("LITTLESTONE_SEED", "7")
    assert edit_every_field(of_every_kind(tmp_path), Random(seed), 400 if often else 12) > 300


NESTED = [
    (ls.panel(["perceptron", "arow"]), ("panel", "advice")),
    (ls.panel(["perceptron", "arow"]), ("panel", "best", "certificate")),
    (ls.one_vs_rest(ls.perceptron()), ("classes", "members", 0, "certificate")),
    (ls.one_vs_rest(ls.panel(["perceptron"], blend=False)), ("classes", "members", 0, "certificate", "panel", "advice")),
    (ls.panel(["perceptron"]), ("classes", "panel", "advice")),
]


@pytest.mark.parametrize(("learner", "place"), NESTED, ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else None)
def test_certificates_inside_others_have_no_words_of_their_own(learner, place):
    rng = np.random.default_rng(4)
    X = (rng.random((40, 6)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int) if place[0] == "panel" else X[:, :3].argmax(axis=1)
    content = json.loads(json.dumps(ls.certify(ls.play(learner, X, y), X, y).content))
    inner = content
    for key in place:
        inner = inner[key]
    inner["summary"] = "With probability 1 this panel errs on no fresh row."
    with pytest.raises(Refused, match="its summary does not say what the rest of it says"):
        ls.verify(sealed_again(content), X, y)


@pytest.mark.parametrize("about", ["run", "keep", "watch", "mix"])
def test_labels_that_the_rows_do_not_name_are_quoted(about):
    """y is 0 and 1 here, so that nothing tells what these are called."""
    X = (np.random.default_rng(4).random((40, 6)) < 0.4).astype(float)
    y = (X[:, 0] + X[:, 3] > 0).astype(int)
    kept = ls.keep(ls.perceptron(bias=1), X, y)
    cert = {
        "run": lambda: ls.certify(ls.play(ls.perceptron(), X, y), X, y),
        "keep": lambda: kept.certificate,
        "watch": lambda: ls.watch(kept.model, X, y, certificate=True).certificate,
        "mix": lambda: ls.certify(ls.play(ls.perceptron(), X, y, mix="epochs=1"), X, y),
    }[about]()
    forged = json.loads(json.dumps(cert.content))
    forged["stream"]["labels"] = ["errs", PLANTED]
    how = {"model": kept.model} if about in ("keep", "watch") else {}
    if "summary" in forged:
        forged["summary"] = in_plain_words(Certificate(forged))
    assert PLANTED not in honest_words(str(ls.verify(sealed_again(forged), X, y, **how)))


# ---- files that are not what they seem ----


def nested(depth):
    return b'{"format": "littlestone certificate", "a": ' + b"[" * depth + b"]" * depth + b"}"


TEXTS = [
    (b"{" + b",".join(b'"%d": 1' % (i % 150_000) for i in range(150_001)) + b"}", "the key '0' stands twice"),
    (b'{"' + b"k" * 10**6 + b'": 1, "' + b"k" * 10**6 + b'": 2}', "the key 'kkkkk.*... stands twice"),
    (nested(10**6), "nested too deeply"),
    (nested(500), "nested too deeply"),
    (b'{"a": ' + b"1" * 10**6 + b"}", "more digits than any"),
    (b'{"a": 1e999999}', "1e999999 is too large"),
    (b'{"a": 1' + b"0" * 10**6 + b".5}", "is too large"),
    (b'{"a": NaN}', "NaN is no number"),
    (b'{"a": -Infinity}', "-Infinity is no number"),
    (b"[]", "is no littlestone certificate"),
    (b"\xff\xfe", "not text in UTF-8"),
    (b"", "not JSON"),
]


@pytest.mark.parametrize(("text", "reason"), TEXTS, ids=[reason for _, reason in TEXTS])
def test_hostile_text_is_refused_by_name_and_soon(tmp_path, text, reason):
    path = tmp_path / "hostile.json"
    path.write_bytes(text)
    begun = time.process_time()
    with pytest.raises(Refused, match=reason) as refusal:
        read(path)
    assert time.process_time() - begun < 5 and len(str(refusal.value)) < 1000


def test_objects_that_are_no_json_are_refused():
    content = {"format": "littlestone certificate", "version": 1}
    endless = dict(content)
    endless["a"] = endless
    for hostile in (endless, {**content, "a": {1, 2}}, {**content, "learner": {1: 2, "a": 3}}):
        with pytest.raises(LittlestoneError):
            ls.verify(hostile, [[1]], [1])


# ---- where certificates are written ----


def certificate():
    return ls.certify(ls.play(ls.perceptron(), [[1, 0], [0, 1]], [0, 1]), [[1, 0], [0, 1]], [0, 1])


def test_nothing_that_was_planted_beside_the_place_is_written_to(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".c.json.{os.getpid()}").symlink_to(victim)  # the name of former versions
    certificate().save(tmp_path / "c.json")
    assert victim.read_text() == "precious" and read(tmp_path / "c.json").rounds == 2
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.endswith(".part")) == []


def test_a_link_to_a_certificate_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "c.json").symlink_to(tmp_path / "real" / "c.json")
    certificate().save(tmp_path / "c.json")
    assert (tmp_path / "c.json").is_symlink() and read(tmp_path / "real" / "c.json").rounds == 2


def test_threads_that_save_together_leave_a_whole_certificate(tmp_path):
    cert, faults = certificate(), []

    def save():
        try:
            for _ in range(20):
                cert.save(tmp_path / "c.json")
                read(tmp_path / "c.json")
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


def test_a_certificate_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(LittlestoneError, match=r"nowhere.c\.json: cannot be written"):
        certificate().save(tmp_path / "nowhere" / "c.json")
    whole = Certificate({**certificate().content, "learner": {"name": "\ud800"}})
    with pytest.raises(ValueError):
        whole.save(tmp_path / "c.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="parts are locked where files can be")
def test_parts_of_dead_writers_are_swept_and_those_of_the_living_kept(tmp_path):
    dead, other = tmp_path / ".model.littlestone.4242-0123abcd.part", tmp_path / ".editor.part"
    dead.write_bytes(b"half a model")
    other.write_bytes(b"of somebody else")
    link = tmp_path / ".c.json.4244-0123abcd.part"
    link.symlink_to(other)
    with beside(tmp_path / "long.txt") as file:
        file.write(b"x")
        living = next(path for path in tmp_path.iterdir() if path.name.startswith(".long.txt"))
        certificate().save(tmp_path / "c.json")
        assert living.exists() and not dead.exists() and other.exists() and link.is_symlink()
    assert (tmp_path / "long.txt").read_bytes() == b"x" and not living.exists()


def test_a_part_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    swept = []

    def sweeping(file):
        if not swept:
            sweep(tmp_path)  # as another process would, at the worst moment
            swept.append(file)
        return locked(file)

    monkeypatch.setattr(files, "locked", sweeping)
    with beside(tmp_path / "a.txt") as file:
        file.write(b"x")
    assert swept and [path.name for path in tmp_path.iterdir()] == ["a.txt"]
