"""Hostile certificates: whatever a stranger writes into one and seals again is refused by name, or is true; soon, and in little memory."""

import copy
import json
import os
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
from littlestone.theory.certificate import Certificate, read
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
    if isinstance(content, dict) and content.get("format") == "littlestone certificate":
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
