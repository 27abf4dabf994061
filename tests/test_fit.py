"""`fit`: what it draws, what it holds out, what it promises and what it measures; in Python and on the command line."""

import json
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.api.compare import order
from littlestone.api.fit import Draws, FitRows, OnRows
from littlestone.cli import app, complete
from littlestone.errors import LittlestoneError
from littlestone.games import batch
from littlestone.games.oracles import Exhausted
from littlestone.report.fit import in_words
from littlestone.theory import pac
from littlestone.theory.risk import risk

N = 2500
KEYS = "learner by epsilon delta bound rows held_out examples most mistakes tests reached hypothesis error error_interval promise seconds"


def rows(count=N, noise=0.0, features=15, seed=1):
    rng = np.random.default_rng(seed)
    X = (rng.random((count, features)) < 0.25).astype(int)
    return X, X[:, :2].any(axis=1) ^ (rng.random(count) < noise)


X, Y = rows()


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")


@pytest.mark.parametrize("by", batch.names())
def test_every_method_learns_and_is_measured_on_rows_it_never_saw(by):
    found = ls.fit(ls.winnow(), X, Y, by=by, bound=30, epsilon=0.2, delta=0.1, seed=3)
    assert found.reached and found.promise["epsilon"] <= 0.2 and found.why == ""
    assert (found.rows, found.held_out, found.unseen) == (N, 500, N - found.examples) and found.examples <= found.most
    unseen = order(N, 3, 0)[found.examples :]
    wrong = sum(found.model.predict(X[t]) != Y[t] for t in unseen)
    assert (found.wrong, found.error) == (wrong, wrong / len(unseen))
    assert found.error_interval == batch.interval(wrong, len(unseen), 0.9)
    assert in_words(found).count("\n") >= 5 and f"{len(unseen):,} rows it never saw" in in_words(found)


@pytest.mark.parametrize("by", batch.names())
@pytest.mark.parametrize("learner", ["perceptron:bias=1", "passive_aggressive", "winnow"])
def test_rows_ahead_change_nothing(by, learner):
    """Predicting several rows at once is the same as one after the other, through the events of a model."""
    name, _, setting = learner.partition(":")
    made = getattr(ls, name)(**({"bias": 1} if setting else {"n": 15} if name == "winnow" else {}))
    data = FitRows(made, *rows(800, noise=0.03), False)
    examples = [(dict.fromkeys(np.flatnonzero(x).tolist(), 1), bool(y)) for x, y in zip(*rows(800, noise=0.03), strict=True)]

    def plain():
        if plain.left == 0:
            raise Exhausted("no more")
        plain.left -= 1
        return examples[800 - plain.left - 1]

    plain.left = 800
    settings = {"epsilon": 0.15, "delta": 0.1, "bound": 60, "seed": 4}
    quick = batch.factory(by)(data.player(data.block), Draws(data.block, 800, 15, plain=False), **settings)
    slow = batch.factory(by)(made, plain, **settings)
    fields = ("examples", "most", "mistakes", "tests", "promise", "reached", "chosen", "why", "played", "taught")
    assert [getattr(quick, one) for one in fields] == [getattr(slow, one) for one in fields]
    assert [quick.hypothesis.predict(t) for t in range(50)] == [slow.hypothesis.predict(x) for x, _ in examples[:50]]


def test_rows_ahead_are_predicted_where_they_pay():
    data = FitRows(ls.perceptron(bias=0), [[1, 0], [0, 1]] * 500, [1, 0] * 500, False)
    player, asked = data.player(data.block), []
    usual = player.model.predict_rows
    player.model.predict_rows = lambda block: asked.append(len(block)) or usual(block)
    player.update(1, False)
    assert [player.predict(t) for t in range(1000)] == [True, False] * 500
    assert asked == [16, 32, 64, 128, 256, 489]  # each time twice as far, once it has been asked a few times
    player.update(1, False)
    assert not len(player._ahead)


def test_the_model_is_the_hypothesis():
    for by in batch.names():
        found = ls.fit(ls.perceptron(bias=1), *rows(noise=0.02), by=by, bound=200, epsilon=0.3, delta=0.1)
        assert isinstance(found.player, OnRows)
        room = len(found.model.state.w)
        state = found.player.model.state_for(room)
        assert np.array_equal(found.model.state.w, state.w) and np.array_equal(found.model.state.b, state.b)
        assert found.model.replay().state.w.tolist() == found.model.state.w.tolist()


def test_what_is_held_out_and_in_which_order():
    for share, count, held in (("1/5", 11, 3), (0.5, 10, 5), ("1/1000", 10, 1)):
        found = ls.fit(ls.perceptron(bias=0), X[:count], Y[:count], holdout=share)
        assert found.held_out == held == ceil(Fraction(str(share)) * count) and found.examples == count - held
    once, again, other = (ls.fit(ls.perceptron(bias=0), X, Y, seed=seed) for seed in (1, 1, 2))
    assert once.as_json() | {"seconds": 0} == again.as_json() | {"seconds": 0} != other.as_json() | {"seconds": 0, "seed": 1}
    changed = Y.copy()
    changed[-500:] = ~changed[-500:]  # what is held out in order is never learned from
    before, after = (ls.fit(ls.perceptron(bias=0), X, y, in_order=True, epsilon=0.01) for y in (Y, changed))
    assert before.examples == after.examples and after.wrong >= 500 - before.wrong - 100 and "taken in order" in in_words(after)
    told = [None if t % 2 else bool(y) for t, y in enumerate(Y)]
    assert ls.fit(ls.perceptron(bias=0), X, told).rows == N // 2


def test_copies_of_rows_that_were_drawn_are_counted():
    """In any order of features, and with values of 0 left out; a label makes no difference."""
    x = [{0: 1, 3: 2}, {1: 1}] + [{3: 2, 0: 1}, {1: 1, 5: 0}, {1: 2}, {3: 1, 0: 2}, {0: 1}, {}, {1: 1}, {4: 1}] * 3
    found = ls.fit(ls.perceptron(bias=0), x, [k % 2 == 0 for k in range(26)], holdout="12/13", in_order=True, delta=0.5)
    assert (found.examples, found.unseen, found.copies, found.as_json()["copies"]) == (2, 24, 9, 9)
    assert "9 of these 24 rows are copies of rows that were drawn: they have the same features." in in_words(found)
    for data in (X, X.astype(np.float32) * 1.5):
        found = ls.fit(ls.perceptron(bias=0), data, Y, epsilon=0.3)
        by_hand = order(N, 0, 0)
        drawn = {data[t].tobytes() for t in by_hand[: found.examples]}
        assert 0 < found.copies == sum(data[t].tobytes() in drawn for t in by_hand[found.examples :])
    distinct = ls.fit(ls.perceptron(bias=0), [{k: 1} for k in range(50)], [1, 0] * 25)
    assert distinct.copies == 0 and "copies" not in in_words(distinct)
    assert "the promise holds if they are independent draws from one source" in in_words(distinct)


def test_when_rows_run_out():
    data = rows(600, noise=0.1)
    found = ls.fit(ls.perceptron(bias=0), *data, epsilon=0.05, delta=0.1)
    assert not found.reached and found.examples == 480 and 0.05 < found.promise["epsilon"] < 1
    assert found.risk == risk(found.mistakes, 480, "0.1").average and found.enough_for is None
    said = in_words(found)
    assert "The promise was not reached: the examples ran out after 480" in said and "What the rows were enough for: with" in said
    assert "By the mistakes alone (--by anytime): with probability at least 0.9" in said
    few = ls.fit(ls.winnow(), X[:200], Y[:200], by="to_pac", bound=31)
    assert few.enough_for is None or pac.to_pac(31, Fraction(str(few.enough_for)), Fraction(1, 20)) <= 160
    enough = ls.fit(ls.winnow(), X[:600], Y[:600], by="longest_survivor", bound=31)
    least = Fraction(str(enough.enough_for))
    assert pac.longest_survivor(31, least, Fraction(1, 20)) <= 480 < pac.longest_survivor(31, least - Fraction(1, 10_000), Fraction(1, 20))
    assert f"for an epsilon of {enough.enough_for:g}" in in_words(enough) and "if the bound holds" in in_words(enough)
    stopped = ls.fit(ls.winnow(), X[:100], Y[:100], by="random_stopping", bound=31)
    assert not stopped.reached and stopped.promise["epsilon"] == stopped.enough_for == 31 / 81 and "in expectation" in in_words(stopped)


def test_a_bound_that_is_false_is_found_out():
    data = rows(1500, noise=0.1)
    found = ls.fit(ls.winnow(), *data, by="to_pac", bound=20)
    assert not found.reached and found.promise is None and "prove that at most 20 is no bound for these rows" in found.why
    for by in ("longest_survivor", "log_free"):
        found = ls.fit(ls.winnow(), *data, by=by, bound=20)
        assert found.promise is None and "21 mistakes prove that at most 20 is no bound" in in_words(found)


@pytest.mark.parametrize("by", ["to_pac", "longest_survivor", "log_free", "random_stopping"])
@pytest.mark.parametrize("bound", [0, 13])
def test_errors_after_as_many_mistakes_as_the_bound_allows_refute_it(by, bound):
    """Elimination errs on about one row in ten once it has nothing left to eliminate: whatever was promised is taken back."""
    x, y = rows(2000, noise=0.1)
    found = ls.fit(ls.disjunctions(), x, y, by=by, bound=bound, epsilon=0.3, delta=0.3)
    if by == "random_stopping" and found.mistakes < bound:  # it stopped too early to find out
        return
    assert not found.reached and found.promise is None and found.enough_for is None and found.refuted == found.why
    assert "The promise was not reached: the bound is refuted" in in_words(found) and f"at most {bound} is no bound" in found.why


def test_rows_that_only_choose_are_no_rounds_played():
    """The limit by the mistakes alone counts the rows that mistakes were counted on."""
    found = ls.fit(Fixed(), *rows(1500, noise=0.02), by="log_free", bound=30, epsilon=0.2, delta=0.2)
    first, second = pac.log_free(30, Fraction(1, 5), Fraction(1, 5))
    assert first < found.examples == 1200 < first + second and not found.reached and not found.refuted
    assert found.risk == risk(found.mistakes, first, "1/5").average


class Fixed:
    def predict(self, x):
        return 0 in x or 1 in x

    def update(self, x, y):
        pass


@pytest.mark.parametrize("by", ["controlled_testing", "anytime"])
def test_what_needs_no_bound_drops_only_what_a_refuted_one_says(by):
    x, y = rows(2000)
    false, true, none = (ls.fit(ls.winnow(), x, y, by=by, bound=b, epsilon=0.2, delta=0.1) for b in (1, 40, None))
    assert false.reached and false.promise == true.promise == none.promise and false.most == none.most and not true.refuted
    assert "The bound is refuted:" in in_words(false) and "if the bound holds" not in in_words(false)
    assert "draws if the bound holds." in in_words(true)
    out = [ls.fit(ls.winnow(), x[:100], y[:100], by=by, bound=b, epsilon=0.01) for b in (1, 40)]
    assert not out[0].reached and out[0].promise is not None and out[0].enough_for is None
    assert (out[1].enough_for is None) == (by == "anytime" or "If the bound holds, so many rows" not in in_words(out[1]))


@pytest.mark.parametrize(
    ("learner", "assume", "limit"),
    [
        (ls.winnow(), "disjunction:r=2", 21),
        (ls.disjunctions(), "disjunction:r=2", 13),
        (ls.conjunctions(), "conjunction", 16),
        (ls.perceptron(bias=0), "margin:gamma=1/2", 40),
        (ls.perceptron(bias=1), "margin:gamma=1/2", 44),
        (ls.perceptron(margin=1, bias=0), "margin:gamma=1/2", 48),
        (ls.passive_aggressive(), "margin:gamma=1/2,R=4", 64),
        (ls.memorizer(), "function:size=70", 70),
        (ls.alma(), "margin:gamma=1/2", int(ls.theory.alma.margin(10, Fraction(1, 2), Fraction(9, 10)))),
        (ls.balanced_winnow(), "margin:gamma=1/2", 51),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_bound_follows_from_what_is_assumed(learner, assume, limit):
    """n is counted in all rows, and the longest of all rows is taken for R: at most ten features are on."""
    assert X.sum(axis=1).max() == 10
    assert FitRows(learner, X, Y, False).limit(None, assume)[0] == limit


def test_the_bound_is_told_with_its_theorem():
    found = ls.fit(ls.winnow(), X, Y, by="to_pac", assume="disjunction:r=2", epsilon=0.5, delta=0.5)
    assert (found.bound, found.theorem, found.most) == (21, "winnow-disjunction", pac.to_pac(21, Fraction(1, 2), Fraction(1, 2)))
    assert "at most 21 (by winnow-disjunction, if what it assumes is true of these rows and of fresh ones)" in in_words(found)


@pytest.mark.parametrize(
    ("learner", "assume", "provided"),
    [
        (ls.winnow(), "disjunction:r=2", "no fresh row has a feature that none of these 400 rows has"),
        (ls.disjunctions(), "disjunction:r=2", "no fresh row has a feature that none of these 400 rows has"),
        (ls.winnow(n=15), "disjunction:r=2", ""),
        (ls.disjunctions(n=15), "disjunction:r=2", ""),
        (ls.perceptron(bias=0), "margin:gamma=1/2", "no fresh row exceeds these 400 rows in length |x|"),
        (ls.perceptron(bias=0), "margin:gamma=1/2,R=5", ""),
        (
            ls.balanced_winnow(),
            "margin:gamma=1/2",
            "no fresh row has a feature that none of these 400 rows has or exceeds all of them in the size of a value",
        ),
        (ls.memorizer(), "function:size=400", ""),
    ],
    ids=lambda value: getattr(value, "name", str(value)[:20]),
)
def test_what_was_only_measured_in_the_file_is_a_condition(learner, assume, provided):
    sparse = [dict.fromkeys(np.flatnonzero(x).tolist(), 1) for x in X[:400]]
    found = ls.fit(learner, sparse, Y[:400], by="random_stopping", assume=assume, epsilon=0.5, seed=1)
    assert found.provided == provided and (found.promise is None or found.promise.get("if", "") == provided)
    if found.promise is not None and provided:
        assert f", if the bound holds and {provided}: in expectation" in in_words(found)
    other = ls.fit(learner, sparse, Y[:400], assume=assume, epsilon=0.2)
    assert "if" not in other.promise  # it does not rest on the bound


def test_the_columns_of_a_table_are_its_own():
    assert "if" not in ls.fit(ls.disjunctions(), X, Y, by="to_pac", assume="disjunction:r=2", epsilon=0.5).promise


def test_a_probability_near_1_is_not_told_as_1():
    found = ls.fit(ls.winnow(), X, Y, epsilon=0.2, delta="1e-9")
    assert "with probability at least 0.999999999 it errs" in in_words(found) and "99.9999999 % interval" in in_words(found)


@pytest.mark.parametrize(
    ("learner", "settings", "message"),
    [
        (ls.perceptron(bias=0), {"by": "guess"}, "by='guess' is not known; expected one of anytime, controlled_testing"),
        (ls.perceptron(bias=0), {"by": "to_pac"}, "to_pac needs a bound on the mistakes: give one .bound=B, --bound B"),
        (
            ls.perceptron(bias=0),
            {"by": "to_pac", "assume": "disjunction:r=2"},
            "perceptron has no bound beforehand that assumes 'disjunction'",
        ),
        (ls.perceptron(bias=0), {"bound": 3, "assume": "margin:gamma=1"}, "give one of them"),
        (ls.perceptron(bias=0), {"assume": "margin:gamma=1,R=1"}, "more than the declared R=1"),
        (ls.memorizer(), {"assume": "function"}, "function:size=K"),
        (ls.perceptron(bias=0), {"bound": -1}, "bound=-1"),
        (ls.perceptron(bias=0), {"epsilon": 0}, "epsilon=0"),
        (ls.perceptron(bias=0), {"delta": 2}, "delta=2"),
        (ls.perceptron(bias=0), {"delta": "1e-300"}, "delta=1e-300 is too small .*: expected at least 1e-12"),
        (ls.perceptron(bias=0), {"epsilon": "1e-300"}, "epsilon=1e-300 is smaller than any number of rows can show"),
        (ls.perceptron(bias=0), {"holdout": 1}, "holdout=1 must lie between 0 and 1"),
        (ls.perceptron(averaged=True, bias=0), {}, "averaged=True predicts by other weights"),
        (ls.multiclass_perceptron(), {}, "takes several classes"),
        (ls.hedge(n=3), {}, "takes advice"),
        (ls.panel(["perceptron"]), {"by": "to_pac", "assume": "margin:gamma=1"}, "has no bound beforehand"),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else getattr(value, "name", ""),
)
def test_what_is_refused(learner, settings, message):
    with pytest.raises(LittlestoneError, match=message):
        ls.fit(learner, X[:50], Y[:50], **settings)


def test_rows_that_are_refused():
    with pytest.raises(LittlestoneError, match="expected at least one to learn from"):
        ls.fit(ls.perceptron(bias=0), X[:1], Y[:1])
    with pytest.raises(LittlestoneError, match="column 1: .*value 3.* takes boolean features|takes boolean features"):
        ls.fit(ls.winnow(), X[:50] * 3, Y[:50])
    assert ls.fit(ls.winnow(), X[:50] * 3, Y[:50], boolean=True).rows == 50
    weighed = replace(ls.Block.of([[0], [1]], [1, 0]), weights=np.array([1, 2], np.float32))
    with pytest.raises(LittlestoneError, match="a promise counts every row once"):
        ls.fit(ls.perceptron(bias=0), weighed)
    with pytest.raises(LittlestoneError, match=r"expected .*two classes|labels"):
        ls.fit(ls.perceptron(bias=0), X[:6], [1, 2, 3, 1, 2, 3])


def test_names_stay_with_the_model():
    words = [{"free" if y else "minutes": 1, f"word{t % 9}": 1} for t, y in enumerate(Y[:800])]
    found = ls.fit(ls.perceptron(bias=0), words, Y[:800])
    assert found.reached and found.model.predict({"free": 1}) and not found.model.predict({"minutes": 1}) and "free" in found.model.features


def test_other_libraries_are_fitted_too():
    thing = pytest.importorskip("river.linear_model").Perceptron()
    found = ls.fit(thing, X[:600], Y[:600], epsilon=0.2, delta=0.1)
    assert (
        found.reached
        and found.model is None
        and found.wrong
        == sum(found.player.predict(dict.fromkeys(np.flatnonzero(X[t]).tolist(), 1)) != Y[t] for t in order(600, 0, 0)[found.examples :])
    )
    with pytest.raises(LittlestoneError, match="whose theorems are known; give bound="):
        ls.fit(thing, X[:60], Y[:60], by="to_pac", assume="margin:gamma=1")
    assert "river.Perceptron by controlled_testing" in in_words(found)


# the command line


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "or.libsvm"
    path.write_text(as_libsvm(X, Y))
    return path


def as_libsvm(X, y):
    return "".join(f"{int(label) * 2 - 1} " + " ".join(f"{i}:1" for i in np.flatnonzero(x)) + "\n" for x, label in zip(X, y, strict=True))


def said(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(result.exception, LittlestoneError):
        return str(result.exception)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result.stdout


def test_the_command_prints_what_python_finds(stream):
    words = said("fit", stream, "--learner", "winnow", "--boolean", "--epsilon", "0.05", "--delta", "0.05", "--by", "controlled_testing")
    found = ls.fit(ls.winnow(), ls.open_stream(stream, boolean=True), epsilon=0.05, delta=0.05)
    assert words.splitlines()[:2] == in_words(found).splitlines()[:2]
    assert "Promise: with probability at least 0.95 it errs on at most 5 % of fresh rows." in words
    assert max(map(len, words.splitlines())) <= 140 and "shuffled (seed 0)" in words
    told = json.loads(said("fit", stream, "--learner", "winnow", "--boolean", "--json"))
    assert set(KEYS.split()) <= set(told) and told | {"seconds": 0} == {**told, **json.loads(json.dumps(found.as_json())), "seconds": 0}
    assert told["learner"] == "winnow" and told["promise"] == {"epsilon": 0.05, "delta": 0.05, "kind": "with probability 1-δ"}


def test_the_command_saves_the_hypothesis_and_predict_agrees(stream, tmp_path):
    model = tmp_path / "or.littlestone"
    told = json.loads(said("fit", stream, "--in-order", "--json", "--model", model, "--quiet", "--epsilon", "0.3"))  # the panel
    assert told["learner"] == "panel" and told["model"] == str(model)
    rest = tmp_path / "rest.libsvm"
    rest.write_text("".join(stream.read_text().splitlines(keepends=True)[told["examples"] :]))
    assert json.loads(said("predict", model, rest, "--test", "--json"))["mistakes"] == told["wrong"]


OWN = """
import littlestone as ls
class Own:
    def __init__(self, first=0):
        self.on = {int(first), 1}
    def predict(self, x):
        return not self.on.isdisjoint(x)
    def update(self, x, y):
        pass
made = Own()
def ours(n=None):
    return ls.winnow(n=n)
def neither():
    return 3
"""


def test_the_command_takes_learners_of_other_libraries_and_files(stream, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    for name in ("Own", "Own:first=0", "made"):
        told = json.loads(said("fit", stream, "--learner", f"{tmp_path}/own.py::{name}", "--json"))
        assert (told["mistakes"], told["wrong"], told["learner"], told["settings"]) == (0, 0, "Own", {})
    assert json.loads(said("fit", stream, "--boolean", "--learner", f"{tmp_path}/own.py::ours", "--n", 15, "--json"))["learner"] == "winnow"
    assert "cannot be saved" in said("fit", stream, "--learner", f"{tmp_path}/own.py::Own", "--model", tmp_path / "m")
    assert "predict" in said("fit", stream, "--learner", f"{tmp_path}/own.py::neither")
    for module, name in (("river", "river.linear_model.Perceptron"), ("sklearn", "sklearn.linear_model.Perceptron")):
        pytest.importorskip(module)
        assert "by controlled_testing" in said("fit", stream, "--learner", name, "--epsilon", "0.3")
    assert "is made without settings" in said("fit", stream, "--learner", "river.linear_model.Perceptron:l2=1")


def test_the_command_says_that_a_bound_is_refuted(stream):
    words = said("fit", stream, "--learner", "disjunctions", "--boolean", "--by", "log_free", "--bound", 0, code=1)
    assert "The promise was not reached: the bound is refuted" in words


def test_the_command_exits_with_1_where_rows_run_out(stream, tmp_path):
    short, model = tmp_path / "short.libsvm", tmp_path / "short.littlestone"
    short.write_text("".join(stream.read_text().splitlines(keepends=True)[:60]))
    words = said("fit", short, "--model", model, code=1)
    assert "The promise was not reached" in words and model.exists()
    told = json.loads(
        said("fit", short, "--by", "to_pac", "--learner", "winnow", "--boolean", "--assume", "disjunction:r=2", "--json", code=1)
    )
    assert (told["reached"], told["bound"], told["theorem"], told["assume"]) == (False, 21, "winnow-disjunction", "disjunction:r=2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "to_pac"], "needs a bound"),
        (["--learner", "one_vs_rest:learner=perceptron:bias=0"], "takes several classes; what fit promises is of two"),
        (["--learner", "percepton"], "did you mean perceptron"),
        (["--model", "nowhere/x"], "cannot be written"),
        (["--epsilon", "5%"], "epsilon='5%' must be a finite number"),
        (["--holdout", "0"], "holdout=0"),
    ],
    ids=lambda value: "-".join(value).strip("-") if isinstance(value, list) else "",
)
def test_the_command_refuses_bad_use(stream, options, message):
    assert message in said("fit", stream, *options)


def test_a_file_that_is_not_there_and_a_third_label(tmp_path):
    assert "no such file" in said("fit", tmp_path / "nowhere")
    three = tmp_path / "three.libsvm"
    three.write_text("1 1:1\n2 2:1\n3 3:1\n")
    assert "expected two labels" in said("fit", three)
    assert complete.methods("l") == ["log_free", "longest_survivor"] and complete.methods("") == list(batch.names())


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch):
    page = (Path(__file__).parents[1] / "docs" / "fit.md").read_text("utf-8")
    command, *printed = page.partition("\n$ littlestone ")[2].partition("\n```")[0].splitlines()
    X, y = rows(5000)
    (tmp_path / "or.libsvm").write_text(as_libsvm(X, y))
    monkeypatch.chdir(tmp_path)
    assert said(*command.split()).splitlines()[:-1] == printed[:-1]  # but for the seconds


def test_a_third_label_is_refused_without_a_way_out_that_fit_refuses(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "1,b\n2,g\n3,r\n" * 9)
    for X, y in ((ls.open_stream(tmp_path / "t.csv", label="y"), None), ([{"a": 1.0}] * 3, ["b", "g", "r"])):
        with pytest.raises(ls.LittlestoneError, match="label '?r'?.*what fit promises is of two labels: --label COLUMN=LABEL") as refused:
            ls.fit(ls.panel("perceptron arow"), X, y)
        assert "one_vs_rest" not in str(refused.value)
    assert ls.fit(ls.panel("perceptron arow"), ls.open_stream(tmp_path / "t.csv", label="y=r")).rows == 27
