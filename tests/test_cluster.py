"""Work spread over a real scheduler and two real workers: the answer is that of one machine, bit for bit, whoever dies on the way."""

import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial, partialmethod
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, Security

import littlestone as ls
from littlestone.cli.progress import TaskLine
from littlestone.cluster import connection
from littlestone.learners.reductions._table import Table
from littlestone.models.file import bytes_of
from littlestone.protocol import workers
from littlestone.protocol.far import Far

FAR, STREAM = import_module("littlestone.api.far_ranges"), import_module("littlestone.streams.stream")
KEYED = import_module("littlestone.models.keyed")
ATTACKS = "LITTLESTONE_ATTACKS" in os.environ  # make soak
KEPT = [1, 4, 7] if ATTACKS else [4]  # batches that are played before the scheduler is lost
OWN = f"{Path(__file__).parents[1] / 'docs' / 'examples' / 'own_learner' / 'hot_words.py'}::hot_words"


@pytest.fixture(scope="module")
def cluster_of_two():
    with connection.connected(2) as cluster:
        yield cluster


@pytest.fixture
def two(cluster_of_two):
    """The two workers of all tests of this file; a test before may have killed one, even before its nanny knew of it."""
    cluster_of_two.started.scale(2)
    cluster_of_two.client.wait_for_workers(2, timeout=30)
    return cluster_of_two


@pytest.fixture
def small(monkeypatch):
    """Ranges of few rounds, all of them sent."""
    monkeypatch.setattr(FAR, "RANGE", 2**13)
    monkeypatch.setattr(workers, "SENT", 0)


def rounds(rows=2_000, seed=1):
    draw = np.random.default_rng(seed)
    X = (draw.random((rows, 20)) < 0.2) * draw.integers(1, 4, (rows, 20))
    return X.astype(np.float32), (X[:, 3] + X[:, 5] > X[:, 7]).astype(int), np.array(["a", "b", "c"])[(X[:, 3] > 0) + (X[:, 9] > 1) * 1]


def written(path, X, y):
    rows = (f"{label} " + " ".join(f"{i + 1}:{v:g}" for i, v in enumerate(row) if v) for row, label in zip(X, y, strict=True))
    path.write_text("\n".join(rows) + "\n")
    return path


def same(one, other):
    assert one.predictions.tolist() == other.predictions.tolist()
    assert bytes_of(one.model) == bytes_of(other.model)
    assert [claim.as_json() for claim in one.bounds()] == [claim.as_json() for claim in other.bounds()]


SPREAD = {
    "members": lambda: ls.panel(["perceptron", "arow", "naive_bayes"]),
    "classes": lambda: ls.one_vs_rest(ls.perceptron()),
    "pairs of classes": lambda: ls.all_pairs(ls.perceptron()),
}


@pytest.mark.parametrize("kind", SPREAD)
def test_a_run_on_workers_is_the_run_on_one_machine(two, small, kind, monkeypatch):
    X, y, classes = rounds(5_000)  # blocks of 4,096: two ranges
    learner, labels = SPREAD[kind](), y if kind == "members" else classes
    sent, submit = [], two.submit
    monkeypatch.setattr(two, "submit", lambda work, *arguments, **where: sent.append(work.__name__) or submit(work, *arguments, **where))
    same(ls.play(learner, X, labels, ledger=True), ls.play(learner, X, labels, ledger=True, cluster=two))
    assert sent.count("seat_apart" if kind == "members" else "play_apart") >= 6 and sent.count("looked") == 2  # two ranges, each sent once


@pytest.mark.parametrize("place", ["_result", "hear"], ids=["a worker's", "our own"])
def test_a_run_that_fails_on_workers_leaves_nothing_in_the_panel(two, small, place, monkeypatch):
    """It is the panel of whoever says the same words in this process."""
    X, y, _ = rounds(5_000)
    learner = ls.panel("perceptron arow naive_bayes")
    table, sent = learner.kernels.play.__self__, set(two.client.futures)
    before, fails = dict(vars(table)), []

    def failing(usual, *arguments):
        if place == "hear" or arguments[1].name == "seat_apart":
            fails.append(place)
            raise RuntimeError("stopped in the middle")
        return usual(*arguments)

    with monkeypatch.context() as patch:
        owner = Table if place == "hear" else connection.Cluster
        patch.setattr(owner, place, partialmethod(partial(failing, getattr(owner, place))))
        with pytest.raises(RuntimeError, match="in the middle"):
            ls.play(learner, X, y, cluster=two)
    assert fails and ls.panel("perceptron arow naive_bayes") is learner
    assert vars(table).keys() == before.keys()  # all but which worker is to have whom
    assert all(vars(table)[name] is value for name, value in before.items() if name != "sides")
    gc.collect()
    left = monotonic() + 10
    while set(two.client.futures) > sent and monotonic() < left:  # Dask forgets on a thread of its own
        sleep(0.01)
    assert set(two.client.futures) <= sent  # nor do workers keep what nobody asks for
    same(ls.play(learner, X, y, ledger=True), ls.play(learner, X, y, ledger=True, cluster=two))


FILES = {
    "numbers": (lambda row, label: f"{label} " + " ".join(f"{i + 1}:{v:g}" for i, v in enumerate(row) if v), {"format": "libsvm"}),
    "names": (lambda row, label: f"{label} |a " + " ".join(f"w{(i * 7) % 20}:{v:g}" for i, v in enumerate(row) if v), {"format": "vw"}),
    "buckets of names": (
        lambda row, label: f"{label} |a " + " ".join(f"w{i}" for i, v in enumerate(row) if v),
        {"format": "vw", "bits": 4},
    ),
}


WAYS = [(kind, form) for kind in SPREAD for form in FILES] if ATTACKS else list(zip(SPREAD, FILES, strict=True))


@pytest.mark.parametrize(("kind", "form"), WAYS)
def test_files_that_workers_read_make_the_run_of_one_machine(two, kind, form, monkeypatch, tmp_path):
    monkeypatch.setattr(STREAM, "PART", 9_000)
    X, y, _ = rounds(700)
    labels = np.where(y > 0, 1, -1) if kind == "members" else 1 + (X[:, 3] > 0) + (X[:, 9] > 1)
    line, how = FILES[form]
    (tmp_path / "rounds").write_text("".join(f"{line(row, label)}\n" for row, label in zip(X, labels, strict=True)))
    sent, submit, fetched = [], two.submit, []
    monkeypatch.setattr(two, "submit", lambda work, *arguments, **where: sent.append(work.__name__) or submit(work, *arguments, **where))
    monkeypatch.setattr(Far, "fetched", lambda far, usual=Far.fetched: fetched.append(far) or usual(far))
    alone, there = (ls.play(SPREAD[kind](), ls.open_stream(tmp_path / "rounds", **how), cluster=cluster) for cluster in (None, two))
    same(alone, there)
    assert alone.model.features == there.model.features
    assert sent.count("rows_there") >= 2 and not fetched  # rounds stayed where they were read


@pytest.mark.parametrize("kind", ["two classes", "several classes"])
def test_keys_of_files_that_workers_read_are_those_of_one_machine(two, kind, monkeypatch, tmp_path):
    monkeypatch.setattr(STREAM, "PART", 4_000)
    monkeypatch.setattr(FAR, "TOGETHER", 3)
    X, y, classes = rounds(900)
    frame = pd.DataFrame({f"f{k}": X[:, k] for k in range(5)})
    users = np.random.default_rng(3).integers(0, 40, len(X))
    frame.assign(user=[f"u{k}" for k in users], label=y if kind == "two classes" else classes).to_csv(tmp_path / "rounds.csv", index=False)
    learner, stores = ls.perceptron() if kind == "two classes" else ls.multiclass_perceptron(), []
    monkeypatch.setattr(Far, "fetched", lambda far: pytest.fail("rounds stay where they were read"))
    for cluster in (None, two):
        run = ls.play(
            learner, ls.open_stream(tmp_path / "rounds.csv", label="label", key="user"), cluster=cluster, scores=kind == "two classes"
        )
        run.model.save(tmp_path / "store")
        scores = None if run.scores is None else run.scores.tolist()
        stores.append(((tmp_path / "store").read_bytes(), run.predictions.tolist(), scores, run.key("u7").mistakes))
    assert stores[0] == stores[1]


@pytest.mark.parametrize("kind", ["keys", "members"])
def test_the_table_of_a_run_on_workers_is_that_of_one_machine(two, littlestone, kind, monkeypatch, tmp_path):
    monkeypatch.setattr(STREAM, "PART", 4_000)
    X, y, _ = rounds(900)
    frame = pd.DataFrame({f"f{k}": X[:, k] for k in range(5)}).assign(user=[f"u{k % 37}" for k in range(len(X))], label=y)
    for name, part in (("a.csv", frame[:500]), ("b.csv", frame[500:])):
        part.to_csv(tmp_path / name, index=False)
    learner = ["--key", "user", "--learner", "perceptron"] if kind == "keys" else ["--members", "perceptron arow"]
    command, tables = ["run", str(tmp_path / "*.csv"), "--label", "label", *learner, "--model"], []
    for name, where in (("here", ()), ("there", ("--cluster", two.address))):
        run = littlestone(*command, tmp_path / name, *where)
        assert run.returncode == 0, run.stderr
        tables.append(
            [line.split()[:4] for line in run.stderr.splitlines() if line.split()[1:2] and line.split()[1].replace(",", "").isdigit()]
        )
    assert tables[0] == tables[1] and [row[0] for row in tables[0]][:4] == ["1", "2", "4", "8"]
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


@pytest.mark.parametrize("kind", ["two classes", "several classes"])
def test_models_by_key_are_those_of_one_machine(two, small, kind, monkeypatch, tmp_path):
    monkeypatch.setattr(FAR, "gathered", partial(FAR.gathered, most=300))
    X, y, classes = rounds(1_000)
    keys = [f"u{k}" for k in np.random.default_rng(3).integers(0, 40, len(X))]
    learner, labels = (ls.perceptron(), y) if kind == "two classes" else (ls.multiclass_perceptron(), classes)
    stores = []
    with connection.connected(two.client) as three:
        three.count = 3  # other groups of buckets
        for cluster in (None, two, three):
            run = ls.play(learner, X, labels, key=keys, cluster=cluster)
            run.model.save(tmp_path / "store")
            stores.append(((tmp_path / "store").read_bytes(), run.predictions.tolist(), run.key("u7").mistakes))
    assert stores[0] == stores[1] == stores[2]


def test_a_shared_learner_beside_keys_is_that_of_one_machine(two, small, tmp_path):
    X, y, _ = rounds(600)
    keys, stores = [f"u{k % 30}" for k in range(len(X))], []
    for cluster in (None, two):
        run = ls.play(ls.perceptron(), X, y, key=keys, shared=ls.arow(), cluster=cluster)
        run.model.save(tmp_path / "store")
        stores.append(((tmp_path / "store").read_bytes(), run.predictions.tolist(), run.followed("u7")))
    assert stores[0] == stores[1]


CERTIFIED = {
    "two classes": lambda X, y, _: (ls.perceptron(), X, y, {}),
    "a state that is searched": lambda X, y, _: (ls.second_order(), X, y, {}),
    "a panel": lambda X, y, _: (ls.panel(["perceptron", "arow", "naive_bayes"]), X, y, {}),
    "classes": lambda X, _, classes: (ls.one_vs_rest(ls.perceptron()), X[:60, :8], classes[:60], {}),
    "keys": lambda X, y, _: (ls.perceptron(), X, y, {"key": [f"u{k % 7}" for k in range(len(X))]}),
}


@pytest.mark.parametrize("kind", CERTIFIED)
def test_a_certificate_made_by_workers_is_that_of_one_machine(two, kind):
    learner, X, y, key = CERTIFIED[kind](*rounds(200))
    run, sent = ls.play(learner, X, y, **key), two.submitted
    assert ls.certify(run, X, y, **key, cluster=two).content == ls.certify(run, X, y, **key).content
    assert two.submitted >= sent + 2


def test_methods_of_fit_and_searches_of_games_are_those_of_one_machine(two, littlestone, tmp_path):
    X, y, _ = rounds(300)
    options = {"by": ["controlled_testing", "anytime", "to_pac"], "bound": 30}
    there = [{**found.as_json(), "seconds": 0} for found in ls.fit(ls.perceptron(), X, y, **options, cluster=two)]
    assert there == [{**found.as_json(), "seconds": 0} for found in ls.fit(ls.perceptron(), X, y, **options)]
    table = tmp_path / "class.txt"
    table.write_text("0011\n0101\n1100\n1111\n0000\n")
    path = written(tmp_path / "rounds.libsvm", X > 0, y)
    certify = ["certify", path, "--learner", "perceptron", "-o"]
    for command in (["dimension", table, "--json"], ["fit", path, "--by", "anytime,controlled_testing", "--json"], certify):
        outputs = [[*command, tmp_path / name] if command is certify else command for name in ("here", "there")]
        alone, spread = littlestone(*outputs[0]), littlestone(*outputs[1], "--cluster", two.address)
        assert spread.returncode == alone.returncode and "dashboard" in spread.stderr, spread.stderr
        assert without_times(spread.stdout) == without_times(alone.stdout)
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_a_line_tells_how_far_the_tasks_are(two):
    before = two.submitted
    two.gather([two.submit(max, 1, 2), two.submit(min, 1, 2)])
    assert two.submitted == before + 2 and 0 < two.done <= two.submitted and len(two.memory_now()) == 2
    assert f"of {two.submitted:,} tasks done, 2 workers" in TaskLine(two, quiet=False).line()


@pytest.mark.parametrize("learner", [ls.perceptron(), ls.winnow()])
def test_mixing_on_workers_is_mixing_here(two, tmp_path, learner, monkeypatch):
    monkeypatch.setattr(STREAM, "PART", 3_000)  # shards begin and end within parts
    X, y, _ = rounds(400)
    path = written(tmp_path / "rounds.libsvm", X > 0, y)
    mix = "epochs=2:shards=3:weights=mistakes"
    here = ls.play(learner, ls.open_stream(path), mix=mix)
    for other in (ls.play(learner, ls.open_stream(path), mix=mix, cluster=two), ls.play(learner, X > 0, y, mix=mix, cluster=two)):
        assert (other.counts, other.shards) == (here.counts, here.shards)
        assert other.state[0].tobytes() == here.state[0][-len(other.state[0]) :].tobytes()
    assert ls.certify(other, X > 0, y).content["bounds"] == ls.certify(here, ls.open_stream(path)).content["bounds"]


def test_a_comparison_on_workers_is_that_of_one_machine(two, tmp_path):
    X, y, _ = rounds(500)
    chosen = [ls.perceptron(), ls.arow(), ls.winnow()]  # the last one refuses these rounds
    how = {"shuffles": 2, "seed": 3, "select": True}
    assert ls.compare(chosen, X, y, **how) == ls.compare(chosen, X, y, **how, cluster=two)
    path = written(tmp_path / "rounds.libsvm", X, y)
    assert ls.compare(chosen, ls.open_stream(path)) == ls.compare(chosen, ls.open_stream(path), cluster=two)
    rules, advice = [ls.hedge(eta=0.1), ls.adahedge()], X[:, :4] > 0
    assert ls.compare(rules, advice, y, shuffles=1) == ls.compare(rules, advice, y, shuffles=1, cluster=two)


KINDS = {
    "hedge": ("vote", ls.hedge(eta="1/20", seed=3)),
    "hedge at any time": ("loss", ls.hedge(advice="loss")),
    "weighted majority": ("probability", ls.randomized_weighted_majority(epsilon="1/8", advice="probability", seed=1)),
    "leader": ("vote", ls.follow_leader()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_experts_over_many_files_are_those_of_one_machine(two, tmp_path, kind, littlestone):
    advice, rule = KINDS[kind]
    draw, paths = np.random.default_rng(4), []
    for k, rows in enumerate([1_000, 40, 7, 700, 300]):  # weights are made anew every 256 rounds
        cells = draw.integers(0, 2, (rows, 5)) if advice == "vote" else draw.random((rows, 5)) ** 9
        truth = [""] * 3 + draw.integers(0, 2, rows - 3).tolist() if k % 2 else draw.integers(0, 2, rows)
        frame = pd.DataFrame(cells, columns=list("abcde"))
        paths.append(tmp_path / f"{k}.csv")
        (frame if advice == "loss" else frame.assign(truth=truth)[["truth", *"abcde"]]).to_csv(paths[-1], index=False)
    here = ls.experts(*paths, rule=rule, advice=advice)
    there = ls.experts(tmp_path / "*.csv", rule=rule, advice=advice, cluster=two)
    assert there.run.mix.tobytes() == here.run.mix.tobytes() and bytes_of(there.model) == bytes_of(here.model)
    assert [array.tobytes() for array in there.run.state] == [array.tobytes() for array in here.run.state]
    assert {**there.as_json(), "seconds": 0} == {**here.as_json(), "seconds": 0}
    assert ls.certify(there).content == ls.certify(here).content
    if kind == "leader":
        command = ["experts", *paths, "--rule", "follow_leader", "--json"]
        one, other = littlestone(*command), littlestone(*command, "--cluster", two.address)
        assert one.returncode == other.returncode == 0 and without_times(one.stdout) == without_times(other.stdout), other.stderr
        refused = littlestone("experts", *paths, "--cluster", two.address)
        assert refused.returncode == 2 and "adahedge is not a function of the experts' losses alone" in refused.stderr


def test_frames_are_sent_and_a_frame_of_dask_is_a_stream(two):
    X, y, _ = rounds(300)
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])]).assign(label=y)
    stream = ls.open_stream(frame, label="label")
    alone = ls.compare([ls.perceptron(), ls.winnow()], stream)
    assert alone == ls.compare([ls.perceptron(), ls.winnow()], ls.open_stream(frame, label="label"), cluster=two)
    parts = dd.from_pandas(frame, npartitions=4)
    assert alone == ls.compare([ls.perceptron(), ls.winnow()], ls.open_stream(parts, label="label"), cluster=two)
    whole = ls.play(ls.perceptron(), ls.open_stream(frame, label="label"))
    assert ls.play(ls.perceptron(), ls.open_stream(parts, label="label")).predictions.tolist() == whole.predictions.tolist()


def partitioned(frame):
    """In partitions of other sizes, one of them empty, and one without a word in it."""
    cuts = [0, 40, 40, 300, 420, len(frame)]
    return dd.from_delayed([dask.delayed(frame[start:stop]) for start, stop in pairwise(cuts)], meta=frame[:0], verify_meta=False)


PARTITIONS = {
    "members": (lambda: ls.panel(["perceptron", "arow", "naive_bayes"]), {}),
    "classes": (lambda: ls.one_vs_rest(ls.perceptron()), {}),
    "keys": (ls.perceptron, {"key": "user"}),
    "labels apart": (lambda: ls.panel(["perceptron", "arow", "naive_bayes"]), {}),
    "mix": (ls.perceptron, {"mix": "epochs=2:shards=3"}),
    "mix, labels apart": (ls.perceptron, {"mix": "epochs=2:shards=3"}),
}


@pytest.mark.parametrize("kind", PARTITIONS)
def test_partitions_of_a_frame_of_dask_are_computed_by_workers(two, kind, monkeypatch, tmp_path):
    X, y, classes = rounds(700)
    words = np.where(X[:, 9] > 0, "w", "v").astype(object) + (X[:, 4] * np.arange(700) // 90).astype(int).astype(str)
    words[300:420] = None
    frame = pd.DataFrame({f"f{k}": X[:, k] for k in range(5)}).assign(word=words, user=[f"u{k % 37}" for k in range(700)])
    labels = classes if kind == "classes" else y
    apart = kind.endswith("labels apart")
    given, stream = (labels, ls.open_stream) if apart else (None, partial(ls.open_stream, label="label"))
    frame = frame if apart else frame.assign(label=labels)
    (made, how), runs = PARTITIONS[kind], []
    sent, submit = [], two.submit
    monkeypatch.setattr(two, "submit", lambda work, *rest, **where: sent.append(work.__name__) or submit(work, *rest, **where))
    monkeypatch.setattr(Far, "fetched", lambda far: pytest.fail("rounds stay where they were computed"))
    for table, cluster in ((frame, None), (partitioned(frame), None), (partitioned(frame), two)):
        run = ls.play(made(), stream(table), given, **how, cluster=cluster)
        if "mix" in how:
            runs.append((run.counts, run.shards, run.state[0][-40:].tolist()))
            continue
        run.model.save(tmp_path / "model")
        runs.append((run.predictions.tolist(), (tmp_path / "model").read_bytes()))
    assert runs[0] == runs[1] == runs[2]
    if kind != "mix, labels apart":  # whose rounds are sent
        assert sent.count("survey_part" if kind == "mix" else "read_part") == 5


def test_the_commands_take_a_scheduler_and_a_learner_of_the_users_own(two, littlestone, tmp_path):
    X, y, _ = rounds(300)
    path = written(tmp_path / "rounds.libsvm", X > 0, y)
    for command in (["run", path, "--members", f"perceptron {OWN}", "--json"], ["compare", path, "--learner", OWN, "--json"]):
        alone, spread = littlestone(*command), littlestone(*command, "--cluster", two.address)
        assert spread.returncode == alone.returncode == 0, spread.stderr
        assert without_times(spread.stdout) == without_times(alone.stdout)
    assert "dashboard: http" in spread.stderr and "MB in a worker" in spread.stderr


def without_times(text):
    return [line for line in text.splitlines() if "second" not in line]


REFUSED = [
    (["--workers", "2", "--learner", "perceptron"], "perceptron is one learner over one stream"),
    (["--workers", "1", "--by", "anytime"], "take several methods"),
    (["--workers", "0"], "--workers 0 must be at least 1"),
    (["--workers", "1", "--cluster", "tcp://127.0.0.1:1"], "one at a time"),
    (["--cluster", "127.0.0.1:8786"], "expected tcp://HOST:8786"),
    (["--cluster", "tcp://127.0.0.1:1"], "no scheduler was reached there"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_spread_is_refused_by_name(littlestone, tmp_path, options, message, two, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.2)
    monkeypatch.setattr(connection, "LocalCluster", lambda **_: pytest.fail("no cluster is started for nothing"))
    run = littlestone("fit" if "--by" in options else "run", written(tmp_path / "r.libsvm", *rounds(20)[:2]), *options)
    assert run.returncode == 2 and message in run.stderr


def test_other_versions_are_refused_at_the_start_and_in_each_task(two, monkeypatch):
    late = connection.Cluster(two.client)
    late.ours = late.ours | {"numpy": "0.1"}
    with pytest.raises(ls.LittlestoneError, match=r"worker tcp://.*: numpy .*, expected 0\.1"):
        late.gather([late.submit(max, 1, 2)])
    monkeypatch.setattr(connection, "versions", lambda: late.ours | {"littlestone": "0.0.1"})
    with pytest.raises(ls.LittlestoneError, match=r"worker tcp://.*: littlestone .*, expected 0\.0\.1; numpy"):
        connection.Cluster(two.client)


@pytest.mark.parametrize(("kind", "few", "many"), [("classes", 5, 100), ("keys", 2, 30)])
def test_workers_that_are_killed_change_nothing(two, small, kind, few, many, monkeypatch, tmp_path):
    X, y, classes = rounds(4_000)
    wanted, learner, how = many if ATTACKS else few, SPREAD["classes"](), {"ledger": True}
    source = lambda: (X, classes)  # noqa: E731
    if kind == "keys":  # of a file that workers read: what keys have learned stays with them, and dies with them
        monkeypatch.setattr(STREAM, "PART", 20_000)
        monkeypatch.setattr(FAR, "TOGETHER", 2)
        frame = pd.DataFrame({f"f{k}": X[:, k] for k in range(5)}).assign(user=[f"u{k % 37}" for k in range(len(X))], label=y)
        frame.to_csv(tmp_path / "rounds.csv", index=False)
        learner, how = ls.perceptron(), {}
        source = lambda: (ls.open_stream(tmp_path / "rounds.csv", label="label", key="user"),)  # noqa: E731
    alone, over, deaths = ls.play(learner, *source(), **how), threading.Event(), []

    def kill():
        before = set()  # each is killed when it is seen for the second time: nothing would go on if none lived for half a second
        while len(deaths) < wanted and not over.wait(0.4):
            pids = {}
            with suppress(OSError, TimeoutError):  # the worker that is asked may be the one that was killed
                pids = two.client.run(os.getpid, on_error="ignore")
            known = sorted(before & set(pids.values()))
            if known:
                deaths.append(known[len(deaths) % len(known)])
                os.kill(deaths[-1], signal.SIGKILL)
            before = set(pids.values())

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        while len(deaths) < wanted:
            there = ls.play(learner, *source(), **how, cluster=two)
            if kind == "keys":
                for name, run in (("one", alone), ("other", there)):
                    run.model.save(tmp_path / name)
                assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
            else:
                same(alone, there)
    finally:
        over.set()
        killer.join()
    assert len(set(deaths)) == wanted


@pytest.fixture
def started(tmp_path):
    """Starts processes of Dask's, and ends them."""
    processes = []

    def start(*command):
        processes.append(subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def elsewhere(started, tmp_path):
    """A scheduler and a worker that others have started: the process of the scheduler, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = started("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
    started("-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard", "--local-directory", tmp_path)
    with Client(address, timeout=30) as client:
        client.wait_for_workers(1, timeout=30)
    return scheduler, address


class Told(logging.Handler):
    """What Dask tells."""

    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


@pytest.mark.parametrize("kind", ["members", "classes"])
def test_a_scheduler_that_is_lost_ends_the_run_at_a_checkpoint(elsewhere, littlestone, tmp_path, monkeypatch, kind):
    scheduler, address = elsewhere
    files = []
    for seed in (1, 2, 3):
        X, y, _ = rounds(300, seed)
        files.append(written(tmp_path / f"{seed}.libsvm", X, y if kind == "members" else 1 + (X[:, 3] > 0) + (X[:, 9] > 1)))
    learner = ["--members", "perceptron arow"] if kind == "members" else ["--learner", "one_vs_rest:learner=perceptron"]
    command = ["run", *files, *learner, "--quiet", "--model"]
    assert littlestone(*command, tmp_path / "whole").returncode == 0
    played, result = [], connection.Cluster._result

    def killing(self, task):
        played.extend([task] if task.name in ("seat_apart", "play_apart") else [])
        if len(played) == 4:  # both tasks of the first file are done; the second file is under way
            scheduler.kill()
            scheduler.wait()
        return result(self, task)

    monkeypatch.setattr(connection.Cluster, "_result", killing)
    told = Told()
    logging.getLogger("distributed.client").addHandler(told)
    ended = littlestone(*command, tmp_path / "part", "--cluster", address)
    logging.getLogger("distributed.client").removeHandler(told)
    assert ended.returncode == 2 and f"the scheduler {address} was lost" in ended.stderr, ended.stderr
    assert not told.records and len(ended.stderr.splitlines()) == 1  # no tracebacks of Dask's
    rows = ls.load(tmp_path / "part").rounds
    assert f"the last checkpoint is {tmp_path / 'part'}, after {rows} rows" in ended.stderr and 0 < rows < 900
    assert littlestone(*command, tmp_path / "part", "--resume").returncode == 0
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("batches", KEPT)
def test_models_by_key_come_home_now_and_then_and_outlast_the_scheduler(elsewhere, littlestone, tmp_path, monkeypatch, batches):
    scheduler, address = elsewhere
    monkeypatch.setattr(STREAM, "PART", 2_000)
    monkeypatch.setattr(FAR, "TOGETHER", 0)  # a range at a time
    monkeypatch.setattr(KEYED, "BATCHES", 3)
    X, y, classes = rounds(900)
    frame = pd.DataFrame({f"f{k}": X[:, k] for k in range(5)}).assign(user=[f"u{k % 37}" for k in range(len(X))])
    frame.assign(label=classes if batches > 4 else y).to_csv(tmp_path / "rounds.csv", index=False)
    learner = ["--learner", "multiclass_perceptron" if batches > 4 else "perceptron", *(["--shared", "arow"] if batches == 4 else [])]
    command = ["run", tmp_path / "rounds.csv", "--label", "label", "--key", "user", *learner, "--quiet", "--resident-keys", "9", "--model"]
    assert littlestone(*command, tmp_path / "whole").returncode == 0
    answered, homes, result, come_home = [], [], connection.Cluster._result, KEYED.Buckets.come_home

    def killing(self, task):
        answered.extend([task] if task.name == "replies_of" else [])
        if len(answered) == KEYED.GROUPS * self.count * batches + 1:  # every group of buckets has answered so often
            scheduler.kill()
            scheduler.wait()
        return result(self, task)

    def coming(self):
        held = bool(self.groups)
        come_home(self)
        homes.extend([len(answered) // (KEYED.GROUPS * self.workers.count)] if held else [])

    monkeypatch.setattr(connection.Cluster, "_result", killing)
    monkeypatch.setattr(KEYED.Buckets, "come_home", coming)
    ended = littlestone(*command, tmp_path / "part", "--cluster", address)
    assert ended.returncode == 2 and f"the scheduler {address} was lost" in ended.stderr, ended.stderr
    assert homes == [*range(3, batches + 1, 3)]
    rows = ls.load(tmp_path / "part").rounds
    assert f"after {rows} rows" in ended.stderr and (0 < rows < 900 if homes else rows == 0)
    monkeypatch.undo()
    assert littlestone(*command, tmp_path / "part", "--resume").returncode == 0
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_worker_that_stands_still_is_waited_for(two, small, monkeypatch):
    monkeypatch.setattr(connection, "LOOK", 0.2)  # looked at several times meanwhile
    X, y, _ = rounds(3_000)
    learner, first = SPREAD["members"](), next(iter(two.client.run(os.getpid).values()))
    alone = ls.play(learner, X, y)
    going = threading.Timer(1.5, os.kill, (first, signal.SIGCONT))
    os.kill(first, signal.SIGSTOP)
    going.start()
    try:
        same(alone, ls.play(learner, X, y, cluster=two))
    finally:
        going.join()
    assert first in two.client.run(os.getpid).values()  # nobody was dropped


LATE = """
import sys
from littlestone.cluster import connection
connection.__version__ = "0.0.1"
from distributed.cli.dask_worker import main
main([sys.argv[1], "--no-nanny", "--no-dashboard", "--local-directory", sys.argv[2]])
"""


def test_a_worker_of_another_version_that_joins_late_is_refused_in_its_first_task(two, started, tmp_path):
    late = started("-c", LATE, two.address, tmp_path)
    two.client.wait_for_workers(3, timeout=30)
    with pytest.raises(ls.LittlestoneError, match=r"worker tcp://.*: littlestone 0\.0\.1, expected "):
        two.gather([two.submit(sleep, 0.05) for _ in range(30)])
    late.kill()
    late.wait()
    while len(two.client.nthreads()) > 2:
        sleep(0.05)


def test_a_scheduler_that_speaks_tls_is_reached_with_certificates(tmp_path, littlestone):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run(["openssl", *made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl makes the certificates")
    files = {
        f"tls_{who}_{what}": str(path) for who in ("scheduler", "worker", "client") for what, path in (("key", key), ("cert", certificate))
    }
    secure = Security(tls_ca_file=str(certificate), require_encryption=True, **files)
    rows = written(tmp_path / "rounds.libsvm", *rounds(100)[:2])
    command = ["run", rows, "--members", "perceptron arow", "--json"]
    with LocalCluster(n_workers=1, processes=False, protocol="tls://", security=secure, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://") and littlestone(*command, "--cluster", address).returncode == 2  # without certificates
        known = {"ca-file": certificate, "client.key": key, "client.cert": certificate}
        with dask.config.set({f"distributed.comm.tls.{name}": str(path) for name, path in known.items()}):
            spread = littlestone(*command, "--cluster", address)
    assert spread.returncode == 0, spread.stderr
    assert without_times(spread.stdout) == without_times(littlestone(*command).stdout)


def die_once(mark):
    """Kill the worker that runs this, the first time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def test_a_task_that_dask_has_given_up_on_is_submitted_again(two, tmp_path):
    before = two.client.run_on_scheduler(allow, 0)
    try:
        assert two.gather([two.submit(die_once, str(tmp_path / "mark"))]) == [7]
    finally:
        two.client.run_on_scheduler(allow, before)


def allow(deaths, dask_scheduler):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, deaths
    return before
