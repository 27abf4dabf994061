"""Labels that come late: by so many rounds, or by id. The definition is a queue beside predict and update."""

from collections import deque

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.protocol import Block, LateRunner, Marks, Runner


def drawn(seed, rounds=120, n=6, margin=0.2, whole=False):
    """Rows that some unit vector separates by at least this margin."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    u /= np.linalg.norm(u)
    X = rng.integers(-2, 3, (4 * rounds, n)).astype(np.float32) if whole else rng.standard_normal((4 * rounds, n)).astype(np.float32)
    X = X[np.abs(X @ u) >= margin][:rounds]
    y = (X @ u > 0).astype(np.int32)
    indptr = np.arange(0, X.size + 1, n)
    return u, Block(indptr, np.tile(np.arange(n, dtype=np.uint32), len(X)), X.ravel().astype(np.float32), y)


def plain(learner, block, delay):
    """Predict as rounds come, learn from each label when `delay` more rounds have come; all that is left at the end."""
    state, waiting, predictions = learner.first_state(int(block.indices.max()) + 1), deque(), []

    def tell(state):
        indices, values, y, yhat = waiting.popleft()
        return learner.step(state, indices, values, y == 1, yhat)[0] if y >= 0 else state

    for indices, values, y in block.rounds():
        predictions.append(learner.predict(state, indices, values))
        waiting.append((indices, values, y, predictions[-1]))
        if len(waiting) > delay:
            state = tell(state)
    while waiting:
        state = tell(state)
    return state, predictions


def late(learner, block, delay, cut=1000):
    runner = LateRunner(Runner(learner, marks=Marks()), delay=delay)
    said = [runner.take(block.cut(k, min(k + cut, len(block)))) for k in range(0, len(block), cut)]
    runner.finish()
    return runner.run(), np.concatenate(said).astype(bool).tolist()


LEARNERS = [
    ls.perceptron(bias=1),
    ls.perceptron(margin=1, bias=0),
    ls.passive_aggressive(),
    ls.arow(),
    ls.adaptive(),
    ls.perceptron(averaged=True, bias=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("delay", [0, 1, 5])
def test_it_is_the_definition_however_the_rounds_are_cut(learner, delay):
    _, block = drawn(4)
    block.labels[::7] = -1
    state, predictions = plain(learner, block, delay)
    for cut in (7, 1000):
        run, said = late(learner, block, delay, cut)
        assert said == predictions and run.rounds == int((block.labels >= 0).sum())
        assert all(np.array_equal(a, b) for a, b in zip(run.state, state, strict=True))
        told = block.labels >= 0
        assert run.mistakes == int((np.array(predictions) != block.labels)[told].sum()) and run.metrics.auc is not None
    if not delay:
        played = Runner(learner)
        assert played.take(block).tolist() == predictions and run.bounds() == played.run().bounds()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from([0.02, 0.1, 0.5]), st.booleans(), st.sampled_from([0, 1, 3]))
@example(seed=5, delay=6, margin=0.5, whole=True, beta=1)  # mistakes that were right again when their labels came
def test_the_perceptron_keeps_its_bound(seed, delay, margin, whole, beta):
    _, block = drawn(seed, margin=margin, whole=whole)
    if not len(block):
        return
    run, _ = late(ls.perceptron(margin=beta, bias=0), block, delay)
    assert run.overlap <= delay
    claims = run.bounds(f"margin:gamma={margin}")
    expected = "-late" if run.overlap else ""
    assert [c.name for c in claims] == [f"perceptron-margin{expected}", f"perceptron-hinge{expected}"]
    assert all(claim.holds for claim in claims), claims


def test_a_stream_that_needs_the_factor():
    """The same round again and again: each delay makes that many more mistakes, and the undelayed bound is wrong."""
    block = Block.of([{0: 1.0}] * 40, [0] * 40)
    run, _ = late(ls.perceptron(bias=0), block, 8)
    claim = run.bounds("margin:gamma=1,R=1")[0]
    assert run.mistakes == 9 and claim.limit == 1 + 2 * 8 and claim.facts["D"] == 8


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from([1, 2, 7])), min_size=1, max_size=10),
    st.integers(0, 7),
    st.sampled_from([0, 0.5, 1, 3]),
    st.sampled_from([0, 1]),
    st.booleans(),
)
@example([(1, False, 7), (0, False, 1)], 6, 0.5, 0, False)  # seven mistakes, of which the first label leaves nothing to learn
def test_rows_that_come_again_and_again(stream, delay, beta, bias, averaged):
    """The worst of late labels: the same mistake until its label comes. Without a bias on any labels, with one on a disjunction."""
    points = [{}, {0: 1.0}, {1: 1.0}, {0: 1.0, 1: 1.0}]
    rows = [(points[k], 0 in points[k] if bias else y) for k, y, times in stream for _ in range(times)]
    run, _ = late(
        ls.perceptron(bias=bias, margin=beta, averaged=averaged), Block.of([x for x, _ in rows], [int(y) for _, y in rows]), delay
    )
    claims = run.bounds("disjunction:r=1" if bias else None)
    assert len(claims) == 1 + bias and all(claim.holds for claim in claims), claims


@pytest.mark.parametrize("learner", [ls.perceptron(margin=0.5, bias=0), ls.passive_aggressive(), ls.arow()], ids=repr)
def test_a_mistake_counts_as_late_though_nothing_was_left_to_learn_from_it(learner):
    run, _ = late(learner, Block.of([{0: 1.0}] * 40, [0] * 40), 8)
    assert run.mistakes == 9 and run.overlap > 0
    assert all(claim.holds is not False for claim in run.bounds())


def test_where_there_is_no_proof_nothing_is_claimed():
    _, block = drawn(1)
    run, _ = late(ls.passive_aggressive(), block, 3)
    claims = run.bounds()
    assert claims and all(c.limit is None and c.holds is None and "labels came late" in c.reason for c in claims)
    weighted = Block(block.indptr, block.indices, block.values, block.labels, np.full(len(block), 2, np.float32))
    run, _ = late(ls.perceptron(bias=0), weighted, 3)
    assert run.overlap and all("weigh 1" in c.reason for c in run.bounds("margin:gamma=1/10"))


def named_rows(block, names):
    return Block(block.indptr, block.indices, block.values, block.labels, ids=list(names))


def rows(*given):
    """(id, label, features) each."""
    names, labels, features = zip(*given, strict=True)
    return named_rows(Block.of(list(features), labels), names)


def test_labels_by_id():
    block = rows(
        ("a", -1, {0: 1.0}),
        ("b", 1, {1: 1.0}),
        ("c", -1, {0: 1.0, 1: 1.0}),
        ("a", 0, {}),
        ("nobody", 1, {}),
        ("d", -1, {2: 1.0}),
        ("c", 0, {}),
        ("e", 0, {0: 1.0}),
    )
    for cut in (1, 3, 8):
        runner = LateRunner(Runner(ls.perceptron(bias=0)))
        said = np.concatenate([runner.take(block.cut(k, min(k + cut, 8))) for k in range(0, 8, cut)])
        assert said.tolist() == [1, 1, 1, -1, -1, 1, -1, 0]
        assert len(runner.by_id) == 1 and (runner.came_late, runner.unknown) == (2, 1)
        assert runner.first_unknown == "round 5: a label for 'nobody'"
        runner.finish()
        run = runner.run()
        assert (run.rounds, run.mistakes, run.unlabelled, run.overlap) == (4, 2, 1, 1)
        assert run.state.w.tolist() == [-2.0, -1.0, 0.0]


def test_a_label_for_which_no_round_waits_is_refused_in_python():
    """A row of zeros that has a label and a name brings the label of another round: left out, it would be lost without a word."""
    X, y, names = np.array([[1, 0], [0, 0], [0, 0]]), [None, 0, 1], ["a", "a", "b"]
    with pytest.raises(ls.LittlestoneError, match="round 3: has no feature.*'b'.*None for its name"):
        ls.play(ls.perceptron(bias=0), X, y, ids=names)
    run = ls.play(ls.perceptron(bias=0), X, y, ids=["a", "a", None])
    assert (run.rounds, run.mistakes) == (2, 1)


def test_labels_that_come_at_once_are_played_as_ever():
    _, block = drawn(2)
    runner, other = LateRunner(Runner(ls.perceptron(bias=0))), Runner(ls.perceptron(bias=0))
    named = named_rows(block, [str(k) for k in range(len(block))])
    assert runner.take(named).astype(bool).tolist() == other.take(block).tolist()
    assert runner.run().bounds() == other.run().bounds() and runner.made == other.mistakes


LATE = [
    (lambda: ls.one_vs_rest(ls.perceptron()), [{0: 1}, {2: 1}, {0: 1, 1: 1, 2: 1}], [2, 2, 2], 2, "verified"),
    (lambda: ls.all_pairs(ls.winnow(n=3)), [{0: 1, 1: 1, 2: 1}, {0: 1}], [1, 1], 1, "verified"),
    (lambda: ls.panel(["perceptron", "memorizer"], n=3, rule="hedge", blend=False), [{2: 1}, {1: 1}, {2: 1}], [1, 0, 1], 1, "verified"),
    (ls.perturbed_leader, [[0, 0, 1], [1, 0, 1], [0, 1, 1]], [1, 0, 1], 1, "verified"),
]


@pytest.mark.parametrize(("make", "rows", "labels", "delay", "status"), LATE)
def test_what_labels_that_come_late_leave_of_a_certificate(make, rows, labels, delay, status):
    """A class that nobody could name yet is missed more than once; no bound may say otherwise, and no honest certificate is refused."""
    cert = ls.certify(ls.play(make(), rows, labels, delay=delay), rows, labels)
    assert all(claim.holds is not False for claim in cert.bounds)
    assert ls.verify(cert, rows, labels).status == status


@pytest.mark.parametrize(("make", "labels"), [(ls.panel, [1, 0, 1, 0, 0, 1]), (ls.class_panel, ["a", "b", "c", "a", "b", "c"])])
def test_a_panel_with_a_delay_of_none_has_the_certificate_of_one_without(make, labels):
    X = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    late, plain = (ls.certify(ls.play(make(), X, labels, **how), X, labels) for how in ({"delay": 0}, {}))
    assert late.content["bounds"] == plain.content["bounds"]
    assert ls.verify(late, X, labels).status == "verified"


@pytest.mark.parametrize("learner", [ls.panel(["perceptron", "arow"]), ls.perceptron()], ids=["panel", "perceptron"])
def test_rounds_with_names_whose_labels_come_at_once_have_the_bounds_of_any_others(learner, tmp_path):
    lines = [f"r{k},{'ab'[k % 2]},{k % 7},{k % 2}" for k in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["id,w,n,label", *lines]))
    named, plain = (ls.open_stream(tmp_path / "a.csv", id="id"), ls.open_stream(tmp_path / "a.csv", ignore="id"))
    run, own = ls.play(learner, named, ids=True), ls.play(learner, plain)
    assert run.mistakes == own.mistakes and run.delayed is None
    assert [claim.as_json() for claim in run.bounds()] == [claim.as_json() for claim in own.bounds()] != []
    certificate = ls.certify(run, ls.open_stream(tmp_path / "a.csv", id="id"))
    assert ls.verify(certificate, tmp_path / "a.csv")
