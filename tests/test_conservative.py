"""Conservative learners: the learner inside on the mistakes alone, its theorems, its speed, and other libraries' learners."""

import json
from dataclasses import replace

import numpy as np
import pytest
from river.linear_model import LogisticRegression
from typer.testing import CliRunner

import littlestone as ls
from littlestone.checks import draws, yield_checks
from littlestone.checks.trials import same_state, tried
from littlestone.cli import app
from littlestone.cli.choose import learner_named
from littlestone.learners.reductions.conservative import Pass
from littlestone.protocol import Learner, Runner

D4 = ls.concepts.disjunctions(4)
#: Learners that update on other rounds than mistakes.
INSIDE = {
    "passive_aggressive": ls.passive_aggressive(),
    "perceptron margin": ls.perceptron(margin=1, bias=1),
    "perceptron averaged": ls.perceptron(averaged=True, bias=0),
    "halving always": ls.halving(D4, updates="always"),
    "balanced_winnow margin": ls.balanced_winnow(margin="1/10"),
    "arow": ls.arow(),
    "adaptive": ls.adaptive(),
    "memorizer": ls.memorizer(),
    "winnow": ls.winnow(n=4, alpha="3/2"),
    "panel": ls.panel(["perceptron"], blend=False),
}
BOUNDED = ("perceptron margin", "halving always", "balanced_winnow margin")


def is_the_learner_inside_on_its_mistakes(learner):
    """S'_t = S_{m(t)+1}: the learner inside, played over the mistake rounds alone, errs on every one, and ends in the same state."""
    streams = draws.weighted_blocks(learner) if learner.weighted else draws.blocks(learner)
    tried(streams, examples=15)(lambda block: compare(learner, block))


def compare(learner, block):
    """The same on one stream."""
    inner = getattr(learner, "inner", None)
    assert isinstance(inner, Learner), f"{learner!r} has no learner inside"
    runner, alone = Runner(learner), Runner(inner)
    predictions = runner.take(block)
    wrong = np.flatnonzero((block.labels >= 0) & (predictions != block.labels))
    if runner.room > alone.room:
        alone.room = runner.room
        alone.make_room(runner.room)
    for t in wrong.tolist():
        right = alone.take(block.cut(t, t + 1))[0] == (block.labels[t] == 1)
        assert not right, f"round {t + 1} is a mistake, and {inner.name}, fed the mistakes before it, predicts it right"
    played, expected = (inner.trimmed(either.state, runner.room) for either in (runner, alone))
    assert all(map(np.array_equal, played, expected)), f"{inner.name}, fed the mistakes alone, ends in another state"


@pytest.mark.parametrize("name", INSIDE)
def test_it_is_the_learner_inside_on_its_mistakes(name):
    is_the_learner_inside_on_its_mistakes(ls.conservative(INSIDE[name]))


@pytest.mark.parametrize("name", BOUNDED)
def test_the_bound_on_mistakes_stays(name):
    """On drawn streams that some target labels, for learners that update always, or with a margin."""
    learner = ls.conservative(INSIDE[name])
    assert learner.updates_on == "mistakes" and {b.kind for b in learner.bounds} >= {"a priori"}
    for check in yield_checks(learner):
        if check.__name__ == "check_each_bound_holds_where_its_assumption_does":
            check(learner)


def test_a_pass_that_misses_a_mistake_is_found_out():
    learner, honest = ls.conservative(ls.arow()), Pass(ls.arow())

    def forgetful(*arguments):
        labels = arguments[honest.size + 3].copy()
        labels[3::4] = -1
        return honest.play(*arguments[: honest.size + 3], labels, *arguments[honest.size + 4 :])

    block = ls.Block.of([{0: 1.0}, {1: 1.0}] * 4, [0, 1, 1, 0, 0, 1, 0, 1])
    compare(learner, block)
    with pytest.raises(AssertionError, match="predicts it right|another state"):
        compare(replace(learner, algorithm=learner.kernels._replace(play=forgetful)), block)


def test_a_learner_that_is_told_more_is_found_out_while_it_runs():
    """The invariant S'_t = S_{m(t)+1}, checked with check_invariants=True: an update on a correct round breaks it."""
    learner = ls.conservative(ls.adaptive())
    X, y = np.eye(3)[[0, 1, 2, 0, 1, 2, 0]], [0, 1, 0, 0, 1, 0, 1]
    run = ls.play(learner, X, y, check_invariants=True)
    assert run.invariants_checked >= run.mistakes >= 2

    def update(*arguments):
        return learner.inner.native(*arguments[:-7]).update(*arguments[-7:])

    eager = replace(learner, algorithm=learner.kernels._replace(update=update))
    with pytest.raises(ls.LittlestoneError, match="round .*is not adaptive on its mistakes alone"):
        ls.play(eager, X, y, check_invariants=True)


def test_blocks_and_windows_change_nothing(monkeypatch):
    learner = ls.conservative(ls.arow(bias=1))
    rng = np.random.default_rng(3)
    X = (rng.random((700, 30)) < 0.2).astype(float)
    y = (X @ rng.standard_normal(30) > 0) ^ (rng.random(700) < 0.1)
    whole = ls.play(learner, X, y, scores=True)
    for window, rows in ((1, 4096), (700, 64), (5, 13)):
        monkeypatch.setattr("littlestone.learners.reductions.conservative.FIRST", window)
        cut = ls.play(learner, X, y, scores=True, block_rows=rows)
        assert np.array_equal(cut.predictions, whole.predictions) and same_state(cut.state, whole.state)
        assert np.array_equal(cut.scores, whole.scores)


def test_rounds_it_is_not_told_of_are_lost_and_that_may_cost():
    """Fewer updates, the same bound; the count of mistakes may go either way."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2000, 20))
    y = X @ rng.standard_normal(20) > 0
    plain, careful = (ls.play(learner, X, y) for learner in (ls.passive_aggressive(), ls.conservative(ls.passive_aggressive())))
    assert plain.updates.sum() > 2 * careful.mistakes and careful.mistakes > plain.mistakes


def test_names_settings_and_what_is_conservative_already():
    learner = ls.conservative("halving", concepts="disjunctions", n=3)
    assert repr(learner) == "conservative(learner=halving, concepts=disjunctions(n=3), updates=always)"
    assert ls.conservative(learner) is learner
    with pytest.raises(ls.LittlestoneError, match="has its own"):
        ls.conservative(ls.arow(), bias=1)
    ready = ls.conservative(ls.perceptron(bias=0))
    assert ready.native is ls.perceptron(bias=0).native
    sized = ls.conservative(ls.winnow()).sized(8)
    assert sized.n == 8 and sized.settings["theta"] == 8


def test_a_saved_one_goes_on(tmp_path):
    X, y = np.eye(4)[[0, 1, 2, 3, 1, 0]], [0, 1, 0, 1, 1, 0]
    run = ls.play(ls.conservative(ls.halving(ls.concepts.half_intervals(4))), X[:3], [0, 1, 1], ledger=True)
    run.model.save(tmp_path / "m")
    again = ls.load(tmp_path / "m")
    assert repr(again.learner) == repr(run.model.learner) and again.replay().mistakes == run.mistakes
    plain = ls.play(ls.conservative(ls.arow(bias=1)), X, y, ledger=True).model
    plain.save(tmp_path / "a")
    predicted = ls.load(tmp_path / "a").predict(X[1])
    assert predicted == 1 and type(predicted) is int  # a label as it was given
    assert len(plain.ledger.rounds) == plain.mistakes


def test_players_of_other_libraries_are_told_of_their_mistakes_alone():
    class Counted:
        def __init__(self):
            self.told = []

        def predict(self, x):
            return bool(x.get(0))

        def update(self, x, y):
            self.told.append((x, y))

    careful = ls.conservative(Counted())
    for x, y in (({0: 1}, True), ({0: 1}, False), ({1: 1}, False), ({1: 1}, True)):
        careful.update(x, y)
    assert careful.inner.thing.told == [({0: 1}, False), ({1: 1}, True)]
    river, inside = ls.conservative(LogisticRegression()), LogisticRegression()
    rng = np.random.default_rng(2)
    for _ in range(200):
        x = dict(enumerate(rng.standard_normal(3).tolist()))
        y = x[0] > x[1]
        assert river.predict(x) == bool(inside.predict_one(x))
        if river.predict(x) != y:
            inside.learn_one(x, y)
        river.update(x, y)
    copy = river.copy()
    assert copy.name == "conservative river.LogisticRegression" and copy.predict({0: 1.0}) == river.predict({0: 1.0})


def test_the_command_line_takes_it(tmp_path):
    stream = tmp_path / "s.libsvm"
    stream.write_text("".join(f"{'+1' if i % 3 else '-1'} {1 + i % 3}:1 {4 + i % 2}:1\n" for i in range(40)))
    result = CliRunner().invoke(app, ["run", str(stream), "--learner", "conservative:learner=arow:bias=1", "--json"])
    said = json.loads(result.stdout)
    assert said["learner"] == "conservative" and said["settings"]["learner"] == "arow" and said["settings"]["bias"] == 1
    assert said["mistakes"] == ls.play(ls.conservative(ls.arow(bias=1)), ls.open_stream(stream)).mistakes
    nested = learner_named("one_vs_rest:learner=conservative:learner=arow:r=2")
    assert nested.settings["learner"].settings["learner"] == "arow" and nested.settings["learner"].settings["r"] == 2
    cert = ls.certify(ls.play(ls.conservative(ls.arow()), np.eye(2), [0, 1]), np.eye(2), [0, 1])
    assert ls.verify(cert, np.eye(2), [0, 1], replay=True).claims == ("floor", "conservative-arow-identity")


def test_a_witness_that_is_measured_on_a_part_compares_with_nobody():
    rows, labels = [{0}, {1}, {0, 1}], [0, 1, 0]
    alone, inside = (ls.play(learner, rows, labels).bounds()[0] for learner in (agnostic(), ls.conservative(agnostic())))
    assert (alone.compares, alone.comparator_loss) == (True, 1) and "over all rounds" in alone.formula
    assert not inside.compares and "over the rounds passed on" in inside.formula


def agnostic():
    return ls.halving("disjunctions", n=3, agnostic=True)
