"""What must be true of every learner of several classes: one clause, one function, its name the sentence."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
from hypothesis import strategies as st

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.hostile import check_hostile_states_are_refused_or_harmless  # noqa: F401 (a clause)
from littlestone.checks.trials import clause, numbered_as_met, plainly_named, played_in_every_form, refused, rewritten, rounds_of, tried
from littlestone.protocol import Block, ClassLearner, ClassRun

Check = Callable[[ClassLearner], None]


@st.composite
def blocks(draw, learner: Any, *, whole: bool = False, most: int = 40, classes: int = 5, weights: bool = False) -> Block:
    """Any stream at all: up to so many classes, new ones at any time, some rounds without a label."""
    pool = draw(draws.rows(learner, whole=whole, most=12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rounds, k = draw(st.integers(1, most)), draw(st.integers(1, classes))
    chosen = rng.integers(0, len(pool), rounds)
    truth = rng.integers(0, k, len(pool))[chosen] if draw(st.booleans()) else rng.integers(0, k, rounds)  # of the row, or of nothing
    block = draws.block_of(learner, [pool[i] for i in chosen], np.where(rng.random(rounds) < 0.1, -1, truth))
    if not weights:
        return block
    plain = rng.choice([0.0, 0.25, 1.0, 1.0, 3.0], rounds)
    return replace(block, weights=np.where(rng.random(rounds) < 0.5, plain, rng.uniform(0, 5, rounds)).astype(np.float32))


@st.composite
def with_margin(draw, learner: Any):
    """A stream labelled by the largest of several linear functions, no two of them close, and γ for a matrix of norm 1."""
    n, k = draws.width(learner), draw(st.integers(2, 4))
    chance = draw(draws.dice)
    U = [[chance.randint(-3, 3) for _ in range(n)] for _ in range(k)]
    U[0][0] += not any(map(any, U))
    kept, margins = [], []
    for row in draw(draws.rows(learner, whole=True, most=60)):
        scores = sorted((sum(u[i] * v for i, v in row.items()), c) for c, u in enumerate(U))
        if scores[-1][0] > scores[-2][0]:
            kept.append((row, scores[-1][1]))
            margins.append(int(scores[-1][0] - scores[-2][0]))
    norm = Fraction(isqrt(sum(a * a for u in U for a in u) * 10**12) + 1, 10**6)  # |U|, rounded up
    return draws.block_of(learner, [row for row, _ in kept], [y for _, y in kept]), {"gamma": Fraction(min(margins, default=1)) / norm}


def same_run(run: ClassRun, other: ClassRun) -> bool:
    return run.predictions.tolist() == other.predictions.tolist() and same_states(run.state, other.state) and run.mistakes == other.mistakes


def same_states(a: Any, b: Any) -> bool:
    """Equal over what both have room for; a reduction's state is a tuple of its members', and a panel's holds theirs."""
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_states, a, b))
    return a is b or (a is not None and b is not None and np.array_equal(a[: len(b)], b[: len(a)]))


def labels_of(block: Block) -> list:
    return [None if y < 0 else int(y) for y in block.labels]


@clause(blocks)
def check_results_do_not_depend_on_block_size(learner: ClassLearner, block: Any) -> None:
    whole = front.play(learner, block)
    for rows in (1, 3, 7):
        assert same_run(front.play(learner, block, block_rows=rows), whole)


@clause(blocks, examples=30)
def check_event_by_event_is_the_batch(learner: ClassLearner, block: Any) -> None:
    batch = front.play(learner, block)
    one_call, two_calls, named = learner.start(), learner.start(), learner.start()
    met = front.play(learner, numbered_as_met(block))
    for (x, _), (indices, values, _), names, y, expected, expected_by_name in zip(
        rounds_of(block),
        block.rounds(),
        plainly_named(block),
        labels_of(block),
        batch.predictions.tolist(),
        met.predictions.tolist(),
        strict=True,
    ):
        assert one_call.observe((indices, values), y) == expected
        assert two_calls.predict(x) == expected
        two_calls.update(x, y)
        assert named.predict(names) == expected_by_name
        named.update(names, y)
    for model, run in ((one_call, batch), (two_calls, batch), (named, met)):
        assert (model.mistakes, model.rounds, tuple(model.classes)) == (run.mistakes, run.rounds, run.classes)
        assert same_states(model.state, run.state)


@clause(blocks, examples=15)
def check_the_order_of_features_in_a_row_does_not_matter(learner: ClassLearner, block: Any) -> None:
    """Nor do features with value 0: of rows as arrays, as columns, and as names, played together and one by one."""
    expected = played_in_every_form(learner, block, labels_of(block), by_name=True)
    for what, other in rewritten(block).items():
        for form, (predictions, state) in played_in_every_form(learner, other, labels_of(other), by_name=True).items():
            before, first = expected[form]
            assert predictions == before, f"rows {what}, {form}: predicted {predictions}, and as they were {before}"
            assert same_states(state, first), f"rows {what}, {form}: they leave another state"


def check_predictions_are_those_of_the_reference(learner: ClassLearner) -> None:
    twin = learner.twin
    if twin is None:
        return

    def rounds(block):
        return [(x, y) for (x, _), y in zip(rounds_of(block), labels_of(block), strict=True)]

    @tried(blocks(learner), examples=50)
    def claim(block):
        assert front.play(learner, block).predictions.tolist() == list(twin(rounds(block)))

    if "number" in inspect.signature(twin).parameters:

        @tried(blocks(learner, whole=True), examples=30)
        def exactly(block):
            run = front.play(learner, block)
            assert run.arithmetic == "exact"
            assert run.predictions.tolist() == list(twin(rounds(block), number=Fraction))

    if learner.weighted and "weights" in inspect.signature(twin).parameters:

        @tried(blocks(learner, weights=True), examples=30)
        def weighed(block):
            expected = list(twin(rounds(block), weights=block.weights.tolist()))
            assert front.play(learner, block).predictions.tolist() == expected
            model = learner.start()
            events = zip(rounds(block), block.weights.tolist(), expected, strict=True)
            assert all(model.observe(x, y, weight) == yhat for (x, y), weight, yhat in events)


@clause(blocks, examples=30)
def check_names_of_classes_do_not_matter(learner: ClassLearner, block: Any) -> None:
    labels = labels_of(block)
    rows = [x for x, _ in rounds_of(block)]
    rows = [set(x) for x in rows] if learner.domain == "boolean" else rows
    plain = front.play(learner, rows, labels)
    for name in (lambda y: f"class {y}", lambda y: (y, "x"), lambda y: -y - 0.5):
        other = front.play(learner, rows, [None if y is None else name(y) for y in labels])
        assert other.predictions.tolist() == [None if y is None else name(y) for y in plain.predictions.tolist()]
        assert same_states(other.state, plain.state) and np.array_equal(other.confusion, plain.confusion)


@clause(blocks)
def check_rounds_are_counted_as_they_were(learner: ClassLearner, block: Any) -> None:
    """Rounds without a label are predicted and not counted; each first appearance is a mistake."""
    run = front.play(learner, block)
    outcomes = [(y, yhat) for y, yhat in zip(labels_of(block), run.predictions.tolist(), strict=True) if y is not None]
    assert (run.rounds, run.unlabelled) == (len(outcomes), len(block) - len(outcomes))
    assert run.mistakes == sum(y != yhat for y, yhat in outcomes)
    assert run.classes == tuple(dict.fromkeys(y for y, _ in outcomes))
    for i, y in enumerate(run.classes):
        for j, yhat in enumerate(run.classes):
            assert run.confusion[i, j] == outcomes.count((y, yhat))
    sure = [y for y, _ in outcomes]
    assert run.baselines == {
        "majority": len(sure) - max(map(sure.count, sure), default=0),
        "same_as_last": sum(a != b for a, b in pairwise(sure)),
    }
    assert run.counts == {y: sure.count(y) for y in run.classes}


@clause(blocks, examples=100, most=80)
def check_each_hindsight_bound_holds_on_any_stream(learner: ClassLearner, block: Any) -> None:
    claims = front.play(learner, block).bounds()
    assert claims or all(bound.witness or bound.kind == "a priori" for bound in learner.bounds)  # (witnesses are looked for later)
    for bound in claims:
        assert bound.holds is True, f"{bound.observed} mistakes, {bound.name} allows {bound.limit} ({bound.reason})"


@clause(blocks, examples=50, most=60, weights=True, of=lambda learner: learner.weighted)
def check_each_hindsight_bound_holds_with_weights(learner: ClassLearner, block: Any) -> None:
    run = front.play(learner, block)
    wrong = [y is not None and y != yhat for y, yhat in zip(labels_of(block), run.predictions.tolist(), strict=True)]
    assert abs(run.weighted_mistakes - block.weights[wrong].sum()) <= 1e-5 * run.weighted_mistakes
    for bound in run.bounds():
        assert bound.holds is True, f"{bound.observed} of weight, {bound.name} allows {bound.limit} ({bound.reason})"


def check_the_margin_bound_holds_where_there_is_one(learner: ClassLearner) -> None:
    own = [bound for bound in learner.bounds if bound.assumes == "margin"]
    if not own or learner.known:
        return

    @tried(with_margin(learner), examples=50)
    def theorem(case):
        block, facts = case
        for claim in front.play(learner, block).bounds(f"margin:gamma={facts['gamma']}"):
            assert claim.holds or "the coin fell badly" in claim.reason, (
                f"{claim.observed} mistakes, {claim.name} allows {claim.limit} ({claim.reason})"
            )


@clause(blocks, examples=20)
def check_predict_changes_nothing(learner: ClassLearner, block: Any) -> None:
    model, watched = learner.start(), learner.start()
    for (x, _), y in zip(rounds_of(block), labels_of(block), strict=True):
        for other, _ in rounds_of(block)[:3]:
            assert watched.predict(other) == watched.predict(other)
        assert watched.observe(x, y) == model.observe(x, y)
    assert same_states(watched.state, model.state)


@clause(blocks, examples=20)
def check_inputs_are_left_alone(learner: ClassLearner, block: Any) -> None:
    kept = block.copy()
    front.play(learner, block)
    for mine, theirs in ((block.indices, kept.indices), (block.values, kept.values), (block.labels, kept.labels)):
        assert mine is theirs or np.array_equal(mine, theirs)


def check_bad_input_is_refused_by_name(learner: Any) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        refused("feature 1", lambda bad=bad: front.play(learner, np.array([[1.0, 0.0], [0.0, bad]]), ["a", "b"]))
        refused("feature", lambda bad=bad: learner.start().observe({0: 1, 1: bad}, "a"))
    refused("one kind", lambda: front.play(learner, np.eye(2), ["a", 1]))
    refused("one kind", lambda: front.play(learner, np.eye(2), [True, 1]))
    refused("told apart", lambda: front.play(learner, np.eye(2), [{}, {}]))
    refused("one label for each", lambda: front.play(learner, np.eye(2), ["a"]))
    refused("given twice", lambda: front.play(learner, draws.block_of(learner, [[1, 0, 1]], [1])))
    refused("-1", lambda: learner.start().observe({-1: 1}, "a"))
    refused("mixed", lambda: learner.start().observe({0: 1, "a": 1}, "a"))
    if not learner.weighted:
        refused("honours no weights", lambda: front.play(learner, np.eye(2), ["a", "b"], sample_weight=[1, 2]))
        refused("honours no weights", lambda: learner.start().observe({0: 1}, "a", weight=2.0))
    else:
        refused("weight", lambda: front.play(learner, np.eye(2), ["a", "b"], sample_weight=[1, -2]))
        refused("class_weight", lambda: front.play(learner, np.eye(2), ["a", "b"], class_weight={1: 2}))
    assert front.play(learner, np.eye(2), ["a", "b"]).rounds == 2


def yield_class_checks() -> Iterator[Check]:
    """Every clause that can be asked of a learner of several classes."""
    yield from (check for name, check in sorted(globals().items()) if name.startswith("check_"))
