"""Several classes: labels of every kind, late ones, weights, the command line; the theorem on every short stream."""

import json
from fractions import Fraction
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, roc_auc_score
from typer.testing import CliRunner

import littlestone as ls
from littlestone.api.class_count import numbers_as_classes
from littlestone.checks import class_learners as draws
from littlestone.checks.trials import rounds_of, tried
from littlestone.cli import app
from littlestone.errors import LateLabel, Refused
from littlestone.protocol import ClassRunner
from littlestone.theory import multiclass_perceptron as theory

BOTH = (ls.multiclass_perceptron(), ls.one_vs_rest(ls.perceptron(bias=0)), ls.all_pairs(ls.perceptron(bias=1)))
X = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]] * 3, dtype=float)
WORDS = ["a", "b", "a", "c", "b", "a"] * 3


@pytest.mark.parametrize("learner", BOTH, ids=repr)
def test_labels_of_every_kind_come_back_as_they_were(learner):
    words = ls.play(learner, X, WORDS)
    assert words.classes == ("a", "b", "c") and words.predictions[0] is None
    assert words.predictions.dtype == object and set(words.predictions[1:].tolist()) <= {"a", "b", "c"}
    for labels in (
        np.array(WORDS),
        [ord(w) for w in WORDS],
        np.array([ord(w) for w in WORDS], np.int8),
        [ord(w) + 0.5 for w in WORDS],
        [(w, 1) for w in WORDS],
        [w.encode() for w in WORDS],
    ):
        run = ls.play(learner, X, labels)
        renamed = dict(zip(labels.tolist() if hasattr(labels, "tolist") else labels, WORDS, strict=True))
        assert [renamed.get(p) for p in run.predictions.tolist()] == words.predictions.tolist()
        assert np.array_equal(run.confusion, words.confusion) and run.mistakes == words.mistakes
    two = ls.play(learner, X, [w == "a" for w in WORDS])
    assert two.classes == (True, False)


@pytest.mark.parametrize("learner", BOTH, ids=repr)
def test_every_form_of_the_instances_is_the_same_stream(learner, tmp_path):
    dense = ls.play(learner, X, WORDS)
    path = tmp_path / "s.libsvm"
    rows = [{i: float(v) for i, v in enumerate(row) if v} for row in X]
    path.write_text(
        "".join(f"{ord(w)} " + " ".join(f"{i}:{v:g}" for i, v in row.items()) + "\n" for w, row in zip(WORDS, rows, strict=True))
    )
    streamed = ls.play(learner, ls.open_stream(path))
    assert streamed.classes == (97, 98, 99) and [p and chr(p) for p in streamed.predictions] == dense.predictions.tolist()
    block = ls.Block.of(rows, [ord(w) for w in WORDS])
    for run in (
        ls.play(learner, sp.csr_matrix(X), WORDS),
        ls.play(learner, rows, WORDS),
        ls.play(learner, block),
        ls.play(learner, [block.cut(0, 7), block.cut(7, 18)]),
        ls.play(learner, iter([block.cut(0, 7), block.cut(7, 18)])),
    ):
        assert run.mistakes == dense.mistakes and np.array_equal(run.codes, dense.codes)


@pytest.mark.parametrize("learner", BOTH, ids=repr)
def test_classes_may_appear_at_any_time_in_any_number(learner):
    rng = np.random.default_rng(3)
    labels = [int(rng.integers(0, 1 + t // 4)) for t in range(120)]
    rows = rng.standard_normal((120, 5))
    run = ls.play(learner, rows, labels, labels="any")
    assert len(run.classes) > 16
    for size in (1, 11, 50):
        cut = ls.play(learner, rows, labels, labels="any", block_rows=size)
        assert np.array_equal(cut.codes, run.codes)
    model = learner.start(labels="any")
    assert [model.observe(row, y) for row, y in zip(rows, labels, strict=True)] == run.predictions.tolist()
    assert (model.mistakes, tuple(model.classes)) == (run.mistakes, run.classes)


@pytest.mark.parametrize("learner", [*BOTH, ls.one_vs_rest(ls.winnow(n=5))], ids=repr)
def test_a_run_goes_on_as_a_model(learner):
    rng = np.random.default_rng(4)
    rows, labels = rng.integers(0, 2, (90, 5)), [f"class {y}" for y in rng.integers(0, 6, 90)]
    whole, half = ls.play(learner, rows, labels), ls.play(learner, rows[:40], labels[:40])
    model = half.hypothesis
    assert [model.observe(row, y) for row, y in zip(rows[40:], labels[40:], strict=True)] == whole.predictions[40:].tolist()
    assert half.mistakes + model.mistakes == whole.mistakes and tuple(model.classes) == whole.classes
    states = [(whole.state, model.state)] if hasattr(whole.state, "W") else zip(whole.state, model.state, strict=True)
    for one, two in states:
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_nothing_told_is_nothing_predicted():
    for learner in BOTH:
        run = ls.play(learner, X, [None] * len(X))
        assert run.predictions.tolist() == [None] * len(X) and (run.rounds, run.mistakes, run.classes) == (0, 0, ())
        assert all(claim.holds and claim.limit == 0 for claim in run.bounds())
        assert ls.play(learner, X, [None] * len(X)).unlabelled == len(X)
        assert learner.start().predict({0: 1}) is None


def test_a_binary_learner_names_the_way_to_several_classes(tmp_path):
    for labels, why in (([0, 1, 2], "ls.one_vs_rest"), (["a", "b", "c"], "ls.one_vs_rest"), ([0.5, 1, 2], "regression")):
        with pytest.raises(ls.LittlestoneError, match=why):
            ls.play(ls.perceptron(bias=0), np.eye(3), labels)
    path = tmp_path / "s.libsvm"
    path.write_text("1 1:1\n2 1:1\n3 1:1\n")
    with pytest.raises(ls.LittlestoneError, match="the first rows have 1, 2, 3; .*ls.one_vs_rest"):
        ls.play(ls.perceptron(bias=0), ls.open_stream(path))
    path.write_text("3 1:1\n4 1:1\n1 1:1\n")
    with pytest.raises(ls.LittlestoneError, match="ls.one_vs_rest"):
        ls.play(ls.perceptron(bias=0), ls.open_stream(path))
    with pytest.raises(ls.LittlestoneError, match="line 1, column 1: found label 3, expected 1 or 2, as declared; the nearest is 2"):
        ls.play(ls.multiclass_perceptron(), ls.open_stream(path, labels=(1, 2)))
    with pytest.raises(ls.LittlestoneError, match="3 labels are declared, 1, 2 or 3, and this learner tells two apart; .*ls.one_vs_rest"):
        ls.play(ls.perceptron(), ls.open_stream(path, labels=(1, 2, 3)))
    with pytest.raises(ls.LittlestoneError, match="ls.one_vs_rest"):
        ls.perceptron(bias=0).start().observe({0: 1}, "a")
    with pytest.raises(ls.LittlestoneError, match="takes a binary learner"):
        ls.one_vs_rest(ls.multiclass_perceptron())


def test_weights_by_round_and_by_class():
    learner = ls.multiclass_perceptron()
    heavy = ls.play(learner, X, WORDS, class_weight={"b": 4})
    same = ls.play(learner, X, WORDS, sample_weight=[4 if w == "b" else 1 for w in WORDS])
    assert np.array_equal(heavy.state.W, same.state.W) and heavy.weighted_mistakes == same.weighted_mistakes > heavy.mistakes
    model = learner.start()
    for row, w in zip(X, WORDS, strict=True):
        model.observe(row, w, 4.0 if w == "b" else 1.0)
    assert np.array_equal(model.state.W, heavy.state.W)
    ovr = ls.play(ls.one_vs_rest(ls.perceptron(bias=0)), X, WORDS, class_weight={"b": 4})
    assert ovr.weighted and all(member.weighted for member in ovr.members.values())
    wrong = [w != p for w, p in zip(WORDS, ovr.predictions.tolist(), strict=True)]
    assert ovr.weighted_mistakes == sum(4 if w == "b" else 1 for w, no in zip(WORDS, wrong, strict=True) if no)


def slowly(learner, block):
    """One against the rest by the learner's pure functions, scores included."""
    members, predictions = {}, []
    for indices, values, y in block.rounds():
        ones = [(learner.predict(s, indices, values), learner.score(s, indices, values), -c) for c, s in enumerate(members.values())]
        predictions.append(list(members)[-max(ones)[2]] if ones else None)
        if y >= 0:
            members.setdefault(y, learner.first_state(draws.draws.width(learner)))
            for c, s in members.items():
                members[c] = learner.update(s, indices, values, y == c, learner.predict(s, indices, values))
    return predictions


@pytest.mark.parametrize("binary", [ls.perceptron(bias=0), ls.perceptron(bias=1)], ids=repr)
def test_one_against_the_rest_prefers_a_1_then_the_larger_score(binary):
    learner = ls.one_vs_rest(binary)

    @tried(draws.blocks(learner), examples=60)
    def claim(block):
        assert ls.play(learner, block).predictions.tolist() == slowly(binary, block)


def test_members_play_their_own_streams():
    rng = np.random.default_rng(5)
    rows, labels = rng.standard_normal((60, 4)), rng.integers(0, 4, 60).tolist()
    run = ls.play(ls.one_vs_rest(ls.perceptron(bias=0)), rows, labels, block_rows=13)
    for label, member in run.members.items():
        alone = ls.play(ls.perceptron(bias=0), rows[labels.index(label) :], [y == label for y in labels[labels.index(label) :]])
        assert np.array_equal(alone.state.w, member.state.w) and alone.mistakes == member.mistakes
        assert alone.bounds()[0].limit == member.bounds()[0].limit
    first, bounds = run.bounds()
    assert first.limit == 4 + sum(member.mistakes for member in run.members.values())
    assert bounds.limit == 4 + sum(member.bounds()[0].limit for member in run.members.values())
    assert bounds.facts["members"] == {str(label): member.bounds()[0].limit for label, member in run.members.items()}


def test_a_declared_assumption_is_about_every_member():
    rows = np.eye(6)[[0, 1, 2, 3, 4, 5] * 4]
    labels = ["ab", "ab", "cd", "cd", "ef", "ef"] * 4
    run = ls.play(ls.one_vs_rest(ls.winnow(n=6)), rows, labels)
    claim = run.bounds("disjunction:r=2")[0]
    assert (claim.kind, claim.holds) == ("a priori", True) and claim.limit == 3 + 3 * 14
    void = ls.play(ls.one_vs_rest(ls.winnow(n=6)), np.ones((40, 6)), ["a", "b", "c", "b"] * 10).bounds("disjunction:r=1")[0]
    assert void.limit is None and "member" in void.reason
    with pytest.raises(ls.LittlestoneError, match="no theorem that assumes 'margin'"):
        run.bounds("margin:gamma=1")


def test_capacity_is_no_part_of_a_result():
    rows = [({k: 1.0}, k % 7) for k in range(50)] * 2
    block = ls.Block.of([x for x, _ in rows], [y for _, y in rows])
    runner = ClassRunner(ls.multiclass_perceptron())
    runner.make_room(1000)
    runner.engine._grow(2000, 300)
    runner.room = 2000
    codes = runner.take(block)
    run = ls.play(ls.multiclass_perceptron(), block)
    assert np.array_equal(codes, run.codes) and np.array_equal(runner.run(range(7)).state.W, run.state.W) and run.state.W.shape == (50, 7)


POINTS = ((1, 0), (0, 1), (1, 1), (1, -1))
WITNESSES = [
    tuple(tuple(Fraction(a, 2) for a in row) for row in U)
    for U in (
        ((2, 0), (0, 2), (-1, -1)),
        ((1, 0), (0, 1), (0, 0)),
        ((2, -1), (-1, 2), (-1, -1)),
        ((0, 1), (1, 0), (-2, 3)),
        ((4, 0), (0, 4), (-4, -4)),
        ((-1, -1), (1, 1), (0, 2)),
        ((0, 0), (3, -3), (1, 1)),
    )
]


def test_the_bounds_hold_on_every_short_stream_of_three_classes():
    """Every sequence of mistakes, first appearances among them at any time; right rounds change nothing."""
    dot = lambda u, x: u[0] * x[0] + u[1] * x[1]  # noqa: E731
    limit, checked, tight = {}, 0, 10**9

    def visit(W, squares, losses, m, depth):
        nonlocal checked, tight
        if m:
            length2 = sum(a * a for w in W for a in w)
            assert length2 <= 2 * squares
            for U, loss in zip(WITNESSES, losses, strict=True):
                key = (2 * sum(a * a for u in U for a in u) * Fraction(squares, m), loss)
                if key not in limit:
                    limit[key] = theory.hinge(0, *key)
                assert m <= limit[key], (W, U, m)
                checked, tight = checked + 1, min(tight, limit[key] - m)
        if depth == 0:
            return
        k = len(W)
        if k < 3:
            visit((*W, (0, 0)), squares, losses, m, depth - 1)
        for x, y in product(POINTS, range(k)):
            scores = [dot(w, x) for w in W]
            yhat = scores.index(max(scores))
            if y != yhat:
                after = tuple(
                    (w[0] + s * x[0], w[1] + s * x[1]) for w, s in zip(W, [(c == y) - (c == yhat) for c in range(k)], strict=True)
                )
                more = [
                    loss + max(Fraction(0), 1 - (dot(U[y], x) - max(dot(U[j], x) for j in range(3) if j != y)))
                    for U, loss in zip(WITNESSES, losses, strict=True)
                ]
                visit(after, squares + dot(x, x), more, m + 1, depth - 1)

    visit((), 0, [Fraction(0)] * len(WITNESSES), 0, 6)
    assert checked > 5_000 and tight < 1, (checked, tight)


def test_the_free_witness_never_fails_on_every_short_stream():
    learner = ls.multiclass_perceptron()
    rows = [{0: 1.0}, {1: 1.0}, {0: 1.0, 1: 1.0}]
    for stream in product(product(range(3), range(3)), repeat=4):
        if any(y > len({z for _, z in stream[:t]}) for t, (_, y) in enumerate(stream)):
            continue  # the same as another one, its classes renamed
        block = ls.Block.of([rows[x] for x, _ in stream], [y for _, y in stream])
        run = ls.play(learner, block)
        assert run.bounds()[0].holds is True
        assert run.predictions.tolist() == list(learner.twin([(rows[x], y) for x, y in stream]))


def test_two_classes_are_the_binary_reduction_of_themselves():
    """all_pairs of two classes is one binary learner from the second class on."""
    rng = np.random.default_rng(8)
    rows, labels = rng.standard_normal((80, 3)), rng.integers(0, 2, 80)
    labels[:5], labels[5] = 1, 0
    run = ls.play(ls.all_pairs(ls.perceptron(bias=0)), rows, labels)
    alone = ls.play(ls.perceptron(bias=0), rows[5:], labels[5:] == 1)
    assert run.predictions[6:].tolist() == [int(p) for p in alone.predictions[1:]]


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(2)
    path = tmp_path / "three.libsvm"
    rows = rng.integers(0, 3, (200, 8))
    path.write_text(
        "".join(f"{int(row[:3].argmax()) * 5 - 5} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(row) if v) + "\n" for row in rows)
    )
    return path


def littlestone(*arguments):
    """The command, in this process: starting one takes longer than what is tested."""
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "140"})
    error = None if result.exception is None or isinstance(result.exception, SystemExit) else result.exception
    assert error is None or isinstance(error, ls.LittlestoneError), error
    code = result.exit_code if error is None else 1 if isinstance(error, Refused) else 2
    return SimpleNamespace(returncode=code, stdout=result.stdout, stderr=f"{result.stderr}{error or ''}")


@pytest.mark.parametrize(
    "learner", ["multiclass_perceptron", "one_vs_rest:learner=perceptron:bias=1", "all_pairs:learner=winnow:alpha=3/2"]
)
def test_the_command_line_plays_several_classes(stream, tmp_path, learner):
    out = tmp_path / "predictions.txt"
    result = littlestone("run", stream, "--learner", learner, "--boolean", "--json", "--quiet", "--predictions", out)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    said = json.loads(result.stdout)
    assert set(said["classes"]) == {-5, 0, 5} and said["rounds"] == 200 and said["labels"] is None
    confusion = np.array(said["confusion"])
    assert confusion.shape == (3, 3) and confusion.sum() == 199 and said["mistakes"] == 200 - confusion.trace()
    lines = out.read_text().split("\n")
    assert lines[0] == "" and set(lines[1:-1]) <= {"-5", "0", "5"} and len(lines) == 201
    truth = [line.split()[0] for line in stream.read_text().splitlines()]
    assert sum(a != b for a, b in zip(truth, lines, strict=False)) == said["mistakes"]
    assert said["bounds"] and all(b["holds"] is True and b["limit"] >= said["mistakes"] for b in said["bounds"])


def test_the_command_line_says_it_in_words_and_refuses(stream):
    result = littlestone("run", stream, "--learner", "one_vs_rest:learner=perceptron:bias=0", "--assume", "margin:gamma=0.01")
    assert (
        result.returncode == 0 and "3 classes appeared" in result.stdout and "Bound one_vs_rest-perceptron-margin: at most" in result.stdout
    )
    for learner, message in {
        "one_vs_rest": "one_vs_rest:learner=NAME",
        "one_vs_rest:learner=multiclass_perceptron": "expected a binary learner",
        "one_vs_rest:learner=perceptron:alpha=2": "no setting 'alpha'",
        "nobody": "multiclass_perceptron, all_pairs, class_panel, conservative, one_vs_rest",
        "perceptron": "ls.one_vs_rest",
    }.items():
        refused = littlestone("run", stream, "--learner", learner, "--quiet")
        assert refused.returncode == 2 and message in refused.stderr


def test_events_of_the_reference():
    rounds = [(x, y) for (x, _), y in zip(rounds_of(ls.Block.of([{0: 1.5}, {1: -2.0}, {0: 1.0, 1: 1.0}], [0, 1, 0])), "aba", strict=True)]
    model = ls.multiclass_perceptron().start()
    assert [model.observe(x, y) for x, y in rounds] == list(ls.multiclass_perceptron().twin(rounds))


def late_third(tmp_path):
    """Rows of two labels, then a third; as arrays, and as a file whose first rows have two labels."""
    rng = np.random.default_rng(3)
    codes = np.concatenate([rng.integers(0, 2, 1100), rng.integers(0, 3, 300)])
    rows = (np.eye(3)[codes] * 2 + rng.normal(size=(len(codes), 3))).round(3).astype(np.float32)
    path = tmp_path / "late.libsvm"
    path.write_text("".join(f"{c} " + " ".join(f"{i}:{v}" for i, v in enumerate(row)) + "\n" for c, row in zip(codes, rows, strict=True)))
    return rows, codes, path


def piped(monkeypatch, path):
    """The rows of a file on standard input, to be read once."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BufferedReader(BytesIO(path.read_bytes()))))
    return "-"


PAIR = ["perceptron", "arow:bias=1", "naive_bayes:alpha=1", "pairs:bias=1"]


@pytest.mark.filterwarnings("ignore::littlestone.errors.LateLabel")
def test_a_third_label_goes_on_from_what_two_classes_had_learned(tmp_path, monkeypatch):
    rows, codes, path = late_third(tmp_path)
    third = int(np.argmax(codes == 2))
    before = ls.play(ls.panel(PAIR), rows[:third], codes[:third]).model
    kept = before.copy()
    on = ls.play(before, rows[third:], codes[third:])
    assert on.classes == (0, 1, 2) and on.rounds == 1400 and on.confusion.sum() == 1400
    assert on.mistakes - before.mistakes < 120 and on.mistakes == 1400 - on.confusion.trace()
    assert all(claim.holds for claim in on.bounds()) and on.members[0].mistakes >= before.mistakes
    assert before.kind == "two classes" and np.array_equal(before.state.m2_mu, kept.state.m2_mu)
    event = before.copy()
    for row, code in zip(rows[third:], codes[third:], strict=True):
        event.update(row, int(code))
    assert event.kind == "several classes" and event.mistakes == on.mistakes and list(event.classes) == [0, 1, 2]
    once = ls.play(ls.panel(PAIR), ls.open_stream(piped(monkeypatch, path), format="libsvm"))
    first, metrics = ls.play(ls.panel(PAIR), rows[:third], codes[:third], scores=True), once.metrics
    model, table = first.model.widened(), [[1 - p, p, 0.0] for p in first.probabilities.tolist()]
    for row, code in zip(rows[third:].tolist(), codes[third:].tolist(), strict=True):
        known = model.probabilities(row)
        table.append([known.get(c, 0.0) for c in range(3)])
        model.update(row, code)
    chances = np.array(table)
    assert metrics.brier == pytest.approx(((chances - np.eye(3)[codes]) ** 2).sum(axis=1).mean())
    assert [row.auc for row in metrics.classes] == pytest.approx([roc_auc_score(codes == c, chances[:, c]) for c in range(3)], abs=2e-3)
    assert sum(row.count for row in metrics.calibration.bins) == 1400
    assert once.classes == (0, 1, 2) and once.mistakes == on.mistakes and "labels" not in once.model.reading
    saved = tmp_path / "m.littlestone"
    once.model.save(saved)
    assert np.array_equal(ls.load(saved).predict(rows), event.predict(rows))


def test_a_third_label_is_refused_where_two_were_meant(tmp_path, monkeypatch, capsys):
    model = ls.panel(PAIR).start()
    model.update({"a"}, 0)
    for label in (0.5, "tea"):
        with pytest.raises(ls.LittlestoneError, match="expected 0 or 1"):
            model.update({"a"}, label)
    assert (model.kind, model.rounds) == ("two classes", 1)
    words = ls.panel(PAIR).start()  # text from the first event on
    for row, drink in (({"leaf"}, "tea"), ({"bean"}, "coffee"), ({"leaf"}, "tea")):
        words.update(row, drink)
    assert words.predict({"bean"}) == "coffee" and list(words.classes) == ["tea", "coffee"]
    _, _, path = late_third(tmp_path)
    how = ["--members", " ".join(PAIR), "--quiet"]
    with pytest.raises(SystemExit, match="0"):
        app(["run", piped(monkeypatch, path), "--format", "libsvm", *how, "--predictions", str(tmp_path / "out")])
    assert "1,400 rounds" in capsys.readouterr().out and set((tmp_path / "out").read_text().split()) == {"0", "1", "2"}
    declared = CliRunner().invoke(app, ["run", str(path), "--labels", "0,1", *how])
    assert "found label 2, expected 0 or 1, as declared" in str(declared.exception)


#: Those that keep what they know when a third label comes; where `perceptron` and `balanced_winnow` tie, they err with the one label alone.
MIRRORED = ("adaptive", "arow", "arow_full", "coin", "naive_bayes", "normalized", "pairs", "passive_aggressive")


@pytest.mark.parametrize("name", MIRRORED)
def test_a_mirrored_state_is_that_of_exchanged_labels(name):
    """But for the learners' own accounts."""
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    rows[:, 2] *= rng.integers(0, 2, 60)
    learner = ls.learners.named(name)
    state, other = (ls.play(learner, rows, y).state for y in (labels, 1 - labels))
    for field, array in learner.mirrored(state)._asdict().items():
        assert field == "sums" or np.allclose(array, getattr(other, field), rtol=1e-9, atol=1e-12)


def test_the_probabilities_of_several_classes_are_measured():
    rng = np.random.default_rng(2)
    codes = np.concatenate([rng.integers(0, 3, 100), rng.integers(0, 4, 200)])
    rows = (np.eye(4)[codes] + rng.normal(size=(300, 4))).astype(np.float32)
    learner, table = ls.class_panel(["arow:bias=1", "perceptron"]), []
    model = learner.start(labels="any")
    for row, code in zip(rows, codes.tolist(), strict=True):
        known = {} if not model.classes else model.probabilities(row)
        table.append([known.get(c, 0.0) for c in range(4)])
        model.update(row, code)
    metrics = ls.play(learner, rows, codes, labels="any").metrics
    p, truth = np.array(table), np.eye(4)[codes]
    assert metrics.brier == pytest.approx(((p - truth) ** 2).sum(axis=1).mean())
    aucs = {row.label: row.auc for row in metrics.classes}
    assert all(aucs[c] == pytest.approx(roc_auc_score(codes == c, p[:, c]), abs=2e-3) for c in range(4))
    assert metrics.auc == pytest.approx(np.mean(list(aucs.values()))) and metrics.as_json()["calibration"]["error"] < 0.2
    precise = {row["label"]: row["average_precision"] for row in metrics.as_json()["classes"]}
    assert all(precise[c] == pytest.approx(average_precision_score(codes == c, p[:, c]), abs=2e-3) for c in range(4))
    assert metrics.average_precision == pytest.approx(np.mean(list(precise.values())))


def test_predict_tells_the_probabilities_of_several_classes_and_measures_them(tmp_path):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, 300)
    rows, names = (np.eye(3)[codes] + rng.normal(size=(300, 3))).round(3).astype(np.float32), np.array(["eggs", "ham", "spam"])
    lines = [",".join([*(f"{x:.3f}" for x in row), names[c]]) for row, c in zip(rows, codes, strict=True)]
    old, new, saved = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "m.littlestone"
    old.write_text("\n".join(["a,b,c,label", *lines[:200], ""]))
    new.write_text("\n".join(["a,b,c,label", *lines[200:], ""]))
    model = ls.play(ls.panel("arow:bias=1 perceptron"), ls.open_stream(old)).model
    model.save(saved)
    rows, codes, classes = [dict(zip("abc", row, strict=True)) for row in rows[200:].tolist()], codes[200:], list(model.classes)
    table, answers, order = model.probabilities(rows), model.predict(rows), [classes.index(name) for name in names]
    assert model.probability(rows).tolist() == [row[classes.index(y)] for row, y in zip(table, answers, strict=True)]
    assert model.probability(rows[0]) == model.probability(rows)[0] == model.probabilities(rows[0])[answers[0]]
    told = [json.loads(line) for line in littlestone("predict", saved, new, "--json", "--quiet").stdout.splitlines()]
    assert [line["probability"] for line in told] == pytest.approx(model.probability(rows).tolist())
    metrics = json.loads(littlestone("predict", saved, new, "--test", "--json").stdout)["metrics"]
    assert metrics["log_loss"] == pytest.approx(-np.log(table[np.arange(100), np.array(order)[codes]]).mean())
    assert metrics["auc"] == pytest.approx(np.mean([roc_auc_score(codes == c, table[:, order[c]]) for c in range(3)]), abs=2e-3)
    new.write_text(new.read_text().replace("spam", "tofu"))  # which the model has not met
    strange = json.loads(littlestone("predict", saved, new, "--test", "--json").stdout)["metrics"]
    assert strange["log_loss"] > 2 * metrics["log_loss"] and [row["label"] for row in strange["classes"]] == [*classes, "tofu"]
    two = ls.play(ls.panel("arow:bias=1 perceptron"), rows, np.where(codes, "ham", "eggs")).model
    one = two.probability(rows[0])
    assert two.probability(rows[:2])[0] == one and two.probabilities(rows[0]) == {"eggs": 1 - one, "ham": one}
    assert two.probabilities(rows[:2])[0].tolist() == [1 - one, one] and ls.panel().start().probabilities({0: 1.0}).keys() == {False, True}
    assert ls.class_panel().start().probability({0: 1.0}) == 0.0  # no class is known


def test_verify_tells_of_the_forecasts_of_several_classes():
    rows, labels = [{0: 1.0}, {1: 1.0}, {2: 1.0}] * 8, ["a", "b", "c"] * 8
    verdict = ls.verify(ls.certify(ls.play(ls.class_panel("arow perceptron"), rows, labels), rows, labels), rows, labels)
    told = [line for line in str(verdict).splitlines() if line.startswith("  forecasts: ")]
    assert len(told) == 2 and "by panel-forecast" in told[0] and "mistakes of the likeliest class" in told[1]


def test_a_third_label_that_comes_late_in_what_can_be_read_once_is_refused(tmp_path, monkeypatch):
    """Predictions wait for their labels, made by two classes: several cannot learn from them."""
    _, _, path = late_third(tmp_path)
    with pytest.raises(ls.LittlestoneError, match="found label 2, expected 0 or 1|found label 2, expected two classes"):
        ls.play(ls.panel(PAIR), ls.open_stream(piped(monkeypatch, path), format="libsvm"), delay=3)
    with pytest.warns(LateLabel, match=r"late.libsvm, line 1104, column 1, round 1104: label '2' is new"):
        assert set(ls.play(ls.panel(PAIR), ls.open_stream(path), delay=3).classes) == {0, 1, 2}


def test_a_real_number_that_comes_late_is_no_third_label(tmp_path, monkeypatch):
    _, _, path = late_third(tmp_path)
    path.write_text("".join(f"0.5{line[1:]}" if line[0] == "2" else line for line in path.read_text().splitlines(True)))
    refused = littlestone("run", path, "--members", " ".join(PAIR), "--model", tmp_path / "m")
    assert refused.returncode == 2 and "found label 0.5" in refused.stderr and "regression" in refused.stderr
    assert "third one" not in refused.stderr and not (tmp_path / "m").exists()
    with pytest.raises(ls.LittlestoneError, match="found label 0.5.* regression"):
        ls.play(ls.panel(PAIR), ls.open_stream(piped(monkeypatch, path), format="libsvm"))
    model = ls.play(ls.panel(PAIR), [{0: 1.0}, {1: 1.0}], [0, 1]).model
    with pytest.raises(ls.LittlestoneError, match="round 3: label 0.5; .* regression"):
        ls.play(model, [{0: 1.0}] * 4, [0, 2, 0.5, 1])


@pytest.mark.parametrize(("labels", "remarked"), [(range(-40, 41), True), (range(60), False), ([f"c{k}" for k in range(81)], False)])
def test_many_whole_numbers_as_labels_are_remarked_on(tmp_path, labels, remarked):
    path = tmp_path / "delays.csv"
    path.write_text("x,delay\n" + "".join(f"{k % 7},{label}\n" for k, label in enumerate([*labels, *labels])))
    remark = numbers_as_classes(ls.open_stream(path, label="delay"))
    assert (remark is not None) == remarked
    assert not remarked or ("81 different whole numbers" in remark and "--label 'delay>0'" in remark)


def test_a_discriminant_of_logarithms_sits_on_the_panel_and_in_its_files(tmp_path):
    """Sizes that span many orders: it errs less, is saved, certified and replayed; a panel without it is what it was."""
    rng = np.random.default_rng(9)
    codes = rng.integers(0, 3, 600)
    rows = np.exp(2 * (rng.normal(size=(3, 3))[codes] + rng.normal(size=(600, 3)))).astype(np.float32) * np.array(
        [1, -100, 0.01], np.float32
    )
    run, before = ls.play(ls.class_panel(), rows, codes), ls.play(ls.class_panel(logs=False), rows, codes)
    assert run.mistakes < 0.9 * before.mistakes
    assert run.members[-1].name == "discriminant-logs" and "logs" not in before.learner.settings
    for name, done in (("with", run), ("without", before)):
        done.model.save(tmp_path / name)
        assert np.array_equal(ls.load(tmp_path / name).predict(rows), done.model.predict(rows))
        on = ls.play(ls.load(tmp_path / name), rows[:50], codes[:50])
        assert on.mistakes == ls.play(done.model, rows[:50], codes[:50]).mistakes
    cert = ls.certify(ls.play(ls.class_panel("multiclass_perceptron arow", logs=True), rows[:200], codes[:200]), rows[:200], codes[:200])
    assert str(ls.verify(cert, rows[:200], codes[:200])).startswith("verified and replayed")


@pytest.mark.parametrize("tiny", [1e-22, -1e-22, 1e-45, -0.0])
def test_a_size_that_is_nothing_on_the_scale_of_logarithms_takes_no_place(tiny):
    """Here and in the replay: a certificate of such rows could not be verified."""
    rows = [{"tiny": tiny, "huge": 3e38 if t % 4 else -3e38, "two": t % 2} for t in range(40)]
    labels = [("x", "y", "z")[t % 3] for t in range(40)]
    run = ls.play(ls.class_panel("perceptron", discriminant=True, logs=True), rows, labels)
    assert run.model.state.logs.logs_tally[0] == 2
    assert str(ls.verify(ls.certify(run, rows, labels), rows, labels)).startswith("verified and replayed")


def test_a_third_label_where_two_were_meant_leaves_no_predictions(tmp_path):
    """Declared labels, costs of two, and a saved model that has an operating point: one line, exit code 2, no file."""
    rows, codes, path = late_third(tmp_path)
    third, out, model = int(np.argmax(codes == 2)), tmp_path / "out", tmp_path / "led"
    ls.play(ls.panel(PAIR), rows[:third], codes[:third], target="recall=0.9").model.save(model)
    late = tmp_path / "rest.libsvm"
    late.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[third - 5 :]))
    how = ["--members", " ".join(PAIR), "--quiet", "--predictions", str(out)]
    for arguments in (["--labels", "0,1"], ["--cost", "1:4"]):
        refused = CliRunner().invoke(app, ["run", str(path), *arguments, *how])
        assert isinstance(refused.exception, ls.LittlestoneError) and not out.exists()
    refused = CliRunner().invoke(app, ["run", str(late), "--from", str(model), "--quiet", "--predictions", str(out)])
    assert isinstance(refused.exception, ls.LittlestoneError) and "label" in str(refused.exception) and not out.exists()


@pytest.mark.parametrize("rounds", [500, 9000])
def test_a_model_remembers_that_its_two_labels_were_declared(tmp_path, rounds):
    """A third one is refused in one line wherever the model goes on; a model whose labels were not declared takes it."""
    first, later, model, out = tmp_path / "first.csv", tmp_path / "later.csv", tmp_path / "m", tmp_path / "out"
    rows = ["a,y", *(f"{t % 7},{'bg'[t % 7 > 3]}" for t in range(rounds))]
    first.write_text("\n".join(rows) + "\n")
    later.write_text("\n".join([*rows, "9,r", *rows[1:]]) + "\n")
    how = ["--members", " ".join(PAIR), "--quiet", "--label", "y", "--model", str(model)]
    on = ["run", str(later), "--label", "y", "--quiet", "--from", str(model)]
    assert CliRunner().invoke(app, ["run", str(first), *how]).exit_code == 0
    assert CliRunner().invoke(app, on).exit_code == 0  # and "declared" is no key of such a file
    assert "declared" not in ls.load(model).reading
    assert CliRunner().invoke(app, ["run", str(first), *how, "--labels", "b,g"]).exit_code == 0
    before = model.read_bytes()
    for more in ([], ["--resume"]):
        arguments = [argument for argument in on if not more or argument not in ("--from", str(model))]
        refused = CliRunner().invoke(app, [*arguments, *more, "--predictions", str(out), "--model", str(model)])
        assert isinstance(refused.exception, ls.LittlestoneError) and not out.exists() and model.read_bytes() == before
        assert f"line {rounds + 2}, column 'y': found label r, expected b or g, as declared" in str(refused.exception)
    loaded = ls.load(model)
    on_again = ls.play(loaded, ls.open_stream(first, label="y")).model
    for known in (loaded, on_again, ls.play(ls.panel(PAIR), ls.open_stream(first, label="y", labels=("b", "g"))).model):
        with pytest.raises(ls.LittlestoneError, match="label r"):
            ls.play(known, ls.open_stream(later, label="y"))
        with pytest.raises(ls.LittlestoneError, match="found label 'r', expected b or g, as declared; the nearest is b"):
            known.update({"a": 1.0}, "r")
        with pytest.raises(ls.LittlestoneError, match="row 3 of y: found label 'r', expected b or g, as declared; the nearest is b"):
            ls.play(known, [{"a": 1.0}] * 3, ["b", "g", "r"])
        assert known.update({"a": 1.0}, "g") is None and known.kind == "two classes"


def test_weighted_classes_are_certified_as_json_too(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("label,w,a,b\n" + "x,0.5,1,0\ny,2,0,1\nz,1,1,1\n" * 6)
    how = ["run", str(path), "--label", "label", "--weight", "w", "--quiet", "--json", "--certificate", str(tmp_path / "proof")]
    done = CliRunner().invoke(app, [*how, "--learner", "all_pairs:learner=perceptron"])
    bound = next(bound for bound in json.loads(done.stdout)["bounds"] if bound["name"] == "all_pairs-bounds")
    assert {type(limit) for limit in bound["facts"]["members"].values()} <= {int, float}
