"""The one loop: late labels, skipped rounds, runs that end early, copies that share a ledger; for every kind."""

import numpy as np
import pytest
import scipy.sparse as sp

import littlestone as ls
from littlestone.api.observers import EndOfRun, Observer

SEVERAL = [ls.multiclass_perceptron(), ls.one_vs_rest(ls.perceptron(bias=0)), ls.all_pairs(ls.perceptron(bias=0))]
RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (60, 6)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
LATER = ["a", "b", "c"] * 3 + ["d", "e", "f"] * 17  # classes that only later rounds have


@pytest.mark.parametrize("learner", SEVERAL, ids=lambda learner: learner.name)
def test_classes_of_skipped_rounds_are_no_classes(learner):
    """The stream has numbered them, and the runner must not take their numbers for places in its arrays."""
    skipped, cut = ls.play(learner, X, LATER, skip=9), ls.play(learner, X[9:], LATER[9:])
    assert skipped.classes == cut.classes == ("d", "e", "f")
    assert skipped.predictions.tolist() == cut.predictions.tolist() and skipped.mistakes == cut.mistakes


@pytest.mark.parametrize("learner", SEVERAL, ids=lambda learner: learner.name)
def test_a_class_that_only_a_label_for_nobody_has_is_no_class(learner, tmp_path):
    """A label by a name for which no round waits is dropped where a file brings it, and so is its class; in Python it is refused."""
    n = 12
    rows = [{0: 1}, *[{}] * n, *[{k % 6: 1} for k in range(n)]]
    labels = ["a", *[f"z{k}" for k in range(n)], *[f"c{k}" for k in range(n)]]
    names = ["0", *[f"n{k}" for k in range(n)], *[f"r{k}" for k in range(n)]]
    path = tmp_path / "late.csv"
    cells = [[y, name, *(row.get(k, 0) for k in range(6))] for y, name, row in zip(labels, names, rows, strict=True)]
    path.write_text("label,id,f0,f1,f2,f3,f4,f5\n" + "".join(",".join(map(str, line)) + "\n" for line in cells))
    run = ls.play(learner, ls.open_stream(path, label="label", id="id"), ids=True)
    assert run.classes == ("a", *[f"c{k}" for k in range(n)]) and run.rounds == n + 1
    with pytest.raises(ls.LittlestoneError, match="brings the label of 'n0', of which no round waits"):
        ls.play(learner, rows, labels, ids=names)


@pytest.mark.parametrize("delay", [0, 5, 200])
@pytest.mark.parametrize("learner", SEVERAL, ids=lambda learner: learner.name)
def test_rounds_of_each_class_are_counted_however_late_their_labels_come(learner, delay):
    run = ls.play(learner, X, LATER, delay=delay)
    assert run.counts == {label: LATER.count(label) for label in "abcdef"}
    assert run.baselines["majority"] == 60 - 17
    assert [row.rounds for row in run.metrics.classes] == [LATER.count(label) for label in "abcdef"]


@pytest.mark.parametrize(
    "rule", [ls.adahedge(), ls.randomized_weighted_majority(), ls.hedge(), ls.weighted_majority()], ids=lambda rule: rule.name
)
def test_no_delay_at_all_is_no_delay(rule):
    advice, truth = X[:, :4], [None if t % 7 == 3 else int(y) for t, y in enumerate(Y)]
    plain, prompt = ls.play(rule, advice, truth), ls.play(rule, advice, truth, delay=0)
    assert plain.mistakes == prompt.mistakes and plain.mix[plain.truth >= 0].tolist() == prompt.mix[prompt.truth >= 0].tolist()


class Stops(Observer):
    """Ends the run after so many rounds."""

    def __init__(self, rounds):
        self.left = rounds

    def after(self, taken):
        self.left -= len(taken.predictions)
        if self.left <= 0:
            raise EndOfRun


def test_a_run_that_ends_early_is_the_run_of_its_rounds():
    early, cut = ls.play(ls.perceptron(bias=0), X, Y, observers=[Stops(14)], block_rows=7), ls.play(ls.perceptron(bias=0), X[:14], Y[:14])
    assert early.rounds == 14 and [claim.limit for claim in early.bounds()] == [claim.limit for claim in cut.bounds()]


def test_bounds_of_a_rule_are_of_the_rounds_that_were_played():
    advice, truth = X[:, :4], Y
    skipped, cut = ls.play(ls.fixed_share(), advice, truth, skip=10), ls.play(ls.fixed_share(), advice[10:], truth[10:])
    assert [claim.limit for claim in skipped.bounds()] == [claim.limit for claim in cut.bounds()]


def test_an_alarm_leaves_the_ledger_as_a_plain_run_does():
    """Rounds that were played twice stand in it once."""
    watched = ls.play(ls.perceptron(bias=0), X, Y, assume="margin:gamma=1/100", alarm="report", ledger=True, block_rows=7)
    plain = ls.play(ls.perceptron(bias=0), X, Y, ledger=True)
    assert watched.model.ledger.same(plain.model.ledger) and watched.model.replay().mistakes == plain.mistakes


def test_an_alarm_for_panels_of_several_classes():
    run = ls.play(ls.one_vs_rest(ls.panel(["perceptron", "arow"])), X, LATER, assume="expert:m=1", alarm="stop")
    assert run.alarm is not None and run.rounds < 60


def test_a_late_model_is_replayed_from_its_stream():
    model = ls.play(ls.perceptron(bias=0), X, Y, delay=3, ledger=True).model
    assert model.ledger is None and model.replay(stream=X, y=Y, delay=3).mistakes == model.mistakes


def test_nothing_to_compare():
    assert ls.compare([ls.perceptron(bias=0)], X[:0], [], shuffles=1).rounds == 0


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    rows = [f"r{t},{int(y)},{','.join(str(int(v)) for v in row[:3])}" for t, (row, y) in enumerate(zip(X, Y, strict=True))]
    path.write_text("\n".join(["id,truth,a,b,c", *rows]) + "\n", "utf-8")
    return path


def test_truths_that_stand_beside_the_advice_count_whatever_rounds_are_called(votes):
    named, plain = ls.experts(votes, truth="truth", id="id"), ls.experts(votes, truth="truth", ignore=["id"])
    assert (named.loss, named.mistakes, named.best) == (plain.loss, plain.mistakes, plain.best)


@pytest.mark.parametrize("alarm", ["stop", "report"])
def test_a_table_is_summed_up_as_far_as_it_was_played(votes, alarm):
    run = ls.experts(votes, truth="truth", ignore=["id"], assume="expert:m=2", alarm=alarm)
    rounds = run.run.alarm.round if alarm == "stop" else 60
    cut = ls.play(ls.adahedge(n=3), X[:rounds, :3], Y[:rounds])
    assert run.rounds == rounds and run.best.awake == rounds and run.loss == pytest.approx(cut.loss, abs=1e-9)
    assert run.switching and run.convex.loss is not None and run.bounds


def test_what_needs_its_truth_at_once_is_refused(tmp_path):
    path = tmp_path / "forecasts.csv"
    path.write_text("id,truth,a,b\n" + "\n".join(f"r{t},{t % 5},{t % 5 + 1},{t % 5 - 2}" for t in range(20)) + "\n", "utf-8")
    with pytest.raises(ls.LittlestoneError, match="both must come together, without delay= and id="):
        ls.experts(path, truth="truth", ignore=["id"], gradient=True, delay=2)
    with pytest.raises(ls.LittlestoneError, match="of votes and probabilities"):
        ls.experts(path, truth="truth", id="id")


def test_a_model_is_rolled_back_only_over_its_own_stream():
    model = ls.play(ls.arow(), X, Y, delay=3, ledger=True).model
    with pytest.raises(ls.LittlestoneError, match="not the stream of this model"):
        model.rollback(20, stream=X, y=Y)
    assert model.rollback(20, stream=X, y=Y, delay=3).rounds == 20


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.bool_])
def test_blocks_of_a_matrix_that_are_made_ahead_are_the_same_rounds(kind):
    X = sp.random_array((40, 6), density=0.4, format="csr", rng=np.random.default_rng(3)).astype(kind)
    y = np.arange(40) % 3 == 0
    whole = ls.play(ls.perceptron(), X, y)
    for rows in (1, 3, 7):
        run = ls.play(ls.perceptron(), X, y, block_rows=rows)
        assert run.predictions.tolist() == whole.predictions.tolist() and run.state.w.tolist() == whole.state.w.tolist()


def test_an_error_in_a_block_made_ahead_names_its_round():
    X = sp.csr_array(np.eye(30))
    X.data[25] = np.inf
    with pytest.raises(ls.LittlestoneError, match="round 26"):
        ls.play(ls.perceptron(), X, np.ones(30), block_rows=4)
