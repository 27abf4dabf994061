"""What must be true of every learner: one clause, one function, its name the sentence."""

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone import protocol
from littlestone.api import play as front
from littlestone.checks import alarms, draws, explanations, hostile, refusals, short_streams, trials, updates, weighted
from littlestone.checks.counterexample import run_checks
from littlestone.checks.plain import plain
from littlestone.checks.trials import (
    assumption,
    clause,
    numbered_as_met,
    plainly_named,
    played_in_every_form,
    rewritten,
    rounds_of,
    same_state,
    tried,
)
from littlestone.errors import LittlestoneError
from littlestone.protocol import Block, Kernels, Learner, Runner
from littlestone.protocol.learner import OwnPlayer

Check = Callable[[Learner], None]


def check_it_stays_inside_its_arrays(learner: Learner) -> None:
    """Functions in Python are run as Python runs them, where an index out of place is an error; compiled, they would write over other
    memory. A learner of the native core is judged by its build with bounds (`make sanitize`)."""
    n = draws.width(learner)
    with np.errstate(all="ignore"):
        for row in ([n - 1], [0, n - 1], list(range(n)), []):
            block = draws.block_of(learner, [row] * 4, [1, 0, 1, 0])
            state = learner.first_state(n)
            state = learner.prepare(state, block) if learner.prepare else state
            player = learner.over(state)
            if learner.kernels is not None:
                player = OwnPlayer(Kernels(*(plain(kernel) for kernel in learner.kernels)), (*learner.params, *state))
            for t, (lo, hi) in enumerate(pairwise(block.indptr.tolist())):
                place, y = (block.indices, block.values, lo, hi), bool(block.labels[t] == 1)
                yhat = player.predict(*place)
                assert yhat in (True, False, protocol.UNDECIDED), f"predict returned {yhat!r}; expected True or False"
                player.update(*place, y, not y, 1.0)


@clause(draws.blocks, examples=20, whole=True, of=lambda learner: learner.domain != "boolean")
def check_presence_is_a_value_of_one(learner: Learner, block: Any) -> None:
    """Rows without values (`values is None`) are rows of ones."""
    ones = Block(block.indptr, block.indices, np.ones(len(block.indices), np.float32), block.labels)
    bare = Block(block.indptr, block.indices, None, block.labels)
    with_values, without = front.play(learner, ones), front.play(learner, bare)
    assert with_values.predictions.tolist() == without.predictions.tolist() and same_state(with_values.state, without.state)


@clause(draws.blocks)
def check_a_block_is_played_as_its_rows_are(learner: Learner, block: Any) -> None:
    """The pass over a block leaves what predict and update leave, row by row."""
    state, predictions = protocol.play(learner, block)
    runner = Runner(learner)
    assert runner.take(block).tolist() == predictions
    width = learner.room_of(runner.state)
    assert same_state(learner.trimmed(runner.state, width), learner.trimmed(state, width))


@clause(draws.blocks)
def check_results_do_not_depend_on_block_size(learner: Learner, block: Any) -> None:
    whole = front.play(learner, block)
    for rows in (1, 3, 7):
        cut = front.play(learner, block, block_rows=rows)
        assert cut.predictions.tolist() == whole.predictions.tolist()
        assert cut.mistakes == whole.mistakes and same_state(cut.state, whole.state)


def check_event_by_event_is_the_batch(learner: Learner) -> None:
    def ask(model):  # an averaged hypothesis is not what predicts while the run goes
        return model.predict if learner.final is None else model.predict_round

    @tried(draws.blocks(learner), examples=30)
    def claim(block):
        batch = front.play(learner, block)
        one_call, two_calls, named = learner.start(), learner.start(), learner.start()
        by_name = getattr(learner.concepts, "symmetric", True)  # names are numbered as they come: not where the numbers mean something
        met = front.play(learner, numbered_as_met(block)) if by_name else batch
        assert learner.arithmetic != "exact" or met.predictions.tolist() == batch.predictions.tolist()
        rows = zip(block.rounds(), plainly_named(block), batch.predictions.tolist(), met.predictions.tolist(), strict=True)
        for (indices, values, y), as_names, expected, expected_by_name in rows:
            label = None if y < 0 else y == 1
            as_dict = dict.fromkeys(indices.tolist(), 1) if values is None else dict(zip(indices.tolist(), values.tolist(), strict=True))
            assert one_call.observe((indices, values), label) == expected
            assert ask(two_calls)(as_dict) == expected
            two_calls.update(as_dict, label)
            if by_name:
                assert ask(named)(as_names) == expected_by_name
                named.update(as_names, label)
        for model, run in ((one_call, batch), (two_calls, batch), *([(named, met)] if by_name else [])):
            assert (model.mistakes, model.rounds) == (run.mistakes, run.rounds)
            assert same_state(model.state, run.state)


@clause(draws.blocks, examples=20)
def check_the_order_of_features_in_a_row_does_not_matter(learner: Learner, block: Any) -> None:
    """Nor do features with value 0: of rows as arrays, as columns, and as names, played together and one by one."""
    by_name = getattr(learner.concepts, "symmetric", True)
    expected = played_in_every_form(learner, block, [None if y < 0 else y == 1 for y in block.labels.tolist()], by_name=by_name)
    for what, other in rewritten(block).items():
        labels = [None if y < 0 else y == 1 for y in other.labels.tolist()]
        for form, (predictions, state) in played_in_every_form(learner, other, labels, by_name=by_name).items():
            before, first = expected[form]
            assert predictions == before, f"rows {what}, {form}: predicted {predictions}, and as they were {before}"
            assert same_state(state, first), f"rows {what}, {form}: they leave another state"


def check_predictions_are_those_of_the_reference(learner: Learner) -> None:
    twin = learner.twin
    if twin is None:
        return

    def claim(block):
        assert front.play(learner, block).predictions.tolist() == list(twin(rounds_of(block)))

    tried(draws.blocks(learner), examples=80)(claim)
    if learner.domain == "real":
        claim(draws.growing(learner))

    if "number" in inspect.signature(twin).parameters:

        @tried(draws.blocks(learner, whole=True), examples=60)
        def exactly(block):
            run = front.play(learner, block)
            if run.arithmetic == "exact":
                assert run.predictions.tolist() == list(twin(rounds_of(block), number=Fraction))


def check_close_calls_are_settled_exactly(learner: Learner) -> None:
    """Of a learner in filtered arithmetic: weights that sum to θ, or miss it by less than doubles can see."""
    settle = learner.settle
    if settle is None:
        return

    @tried(draws.close_calls(learner), examples=120)
    def claim(case):
        state, indices = case
        assert learner.predict(state, indices, None) == settle(learner.settings, state, indices)


@clause(draws.blocks)
def check_predict_changes_nothing(learner: Learner, block: Any) -> None:
    run = front.play(learner, block)
    before = protocol.learner.copied(run.state)
    indices = np.arange(min(2, len(run.state[0])), dtype=np.uint32)
    values = None if learner.domain == "boolean" else np.ones(len(indices), np.float32)
    first = learner.predict(run.state, indices, values)
    assert learner.predict(run.state, indices, values) == first
    assert same_state(run.state, before)


def check_update_leaves_the_given_state_alone(learner: Learner) -> None:
    indices = np.array([0], np.uint32)
    values = None if learner.domain == "boolean" else np.ones(1, np.float32)
    state = learner.first_state(4)
    before = protocol.learner.copied(state)
    for y in (True, False):
        learner.update(state, indices, values, y, not y)
        assert same_state(state, before)


@clause(draws.blocks, examples=30)
def check_inputs_are_left_alone_and_not_kept(learner: Learner, block: Any) -> None:
    kept = block.copy()
    run = front.play(learner, block)
    for mine, theirs in ((block.indices, kept.indices), (block.values, kept.values), (block.labels, kept.labels)):
        assert mine is theirs or np.array_equal(mine, theirs)
        assert mine is None or not any(np.shares_memory(mine, array) for array in run.state)


@clause(draws.blocks)
def check_a_run_resumes_from_its_state(learner: Learner, block: Any) -> None:
    half = len(block) // 2
    whole = front.play(learner, block)
    first, second = Runner(learner), None
    before = first.take(block.cut(0, half)).tolist()
    second = Runner(learner, state=first.run().state)
    after = second.take(block.cut(half, len(block))).tolist()
    assert before + after == whole.predictions.tolist()
    assert same_state(second.run().state, whole.state)


@clause(draws.blocks, examples=20)
def check_the_same_stream_gives_the_same_run(learner: Learner, block: Any) -> None:
    first, second = front.play(learner, block), front.play(learner, block)
    assert first.predictions.tolist() == second.predictions.tolist() and same_state(first.state, second.state)


@clause(draws.blocks)
def check_rounds_without_a_label_are_predicted_and_not_counted(learner: Learner, block: Any) -> None:
    run = front.play(learner, block)
    labelled = block.labels >= 0
    assert run.rounds == labelled.sum() and run.unlabelled == (~labelled).sum() and len(run.predictions) == len(block)
    wrong = labelled & (run.predictions != block.labels)
    assert run.mistakes == wrong.sum() == run.false_positives + run.false_negatives
    assert run.false_positives == (wrong & (block.labels == 0)).sum()
    sure = block.labels[labelled]
    assert run.baselines == {
        "majority": min((sure == 0).sum(), (sure == 1).sum()),
        "same_as_last": (sure[1:] != sure[:-1]).sum(),
    }


def check_each_bound_holds_where_its_assumption_does(learner: Learner) -> None:
    for assumed in sorted({bound.assumes for bound in learner.bounds} & set(draws.ASSUMED)):

        @tried(draws.ASSUMED[assumed](learner), examples=100)
        def theorem(case):
            block, _, facts = case
            for claim in front.play(learner, block).bounds(assumption(assumed, facts)):  # noqa: B023 (called at once)
                if claim.limit is None:
                    assert "too large" in claim.reason, f"{claim.name} is void though its assumption holds: {claim.reason}"
                else:
                    assert claim.holds, f"{claim.observed} mistakes, {claim.name} allows {claim.limit}"


@clause(draws.blocks, examples=100, most=80)
def check_each_hindsight_bound_holds_on_any_stream(learner: Learner, block: Any) -> None:
    for bound in front.play(learner, block).bounds():
        assert bound.holds is True, f"{bound.observed} mistakes, {bound.name} allows {bound.limit} ({bound.reason})"


def check_every_bound_holds_on_all_short_streams(learner: Learner) -> None:
    if learner.bounds:
        short_streams.search(learner, nodes=max(150, round(400 * trials.SHARE)))


def check_the_invariants_of_the_proofs_hold(learner: Learner) -> None:
    if not learner.invariants:
        return

    @tried(draws.blocks(learner), examples=40)
    def on_any_stream(block):
        run = front.play(learner, block, check_invariants=True)
        plain = front.play(learner, block)
        assert run.predictions.tolist() == plain.predictions.tolist() and same_state(run.state, plain.state)
        assert run.invariants_checked or not plain.mistakes

    for assumed in sorted({bound.assumes for bound in learner.bounds} & {"conjunction", "disjunction", "margin", "separable"}):

        @tried(draws.ASSUMED[assumed](learner), examples=40)
        def with_the_target(case):
            block, witness, _ = case
            front.play(learner, block, check_invariants=True, witness=witness)


@clause(draws.blocks, examples=30, of=lambda learner: learner.broken is not None)
def check_a_stream_no_concept_labels_is_refused_at_its_round(learner: Learner, block: Any) -> None:
    """Of a learner that drops concepts: the round that leaves no concept is named, and what was learned before it is kept."""
    model, rounds = learner.start(), []
    for indices, _, y in block.rounds():
        model.observe((indices, None), None if y < 0 else y == 1)
        rounds.append((indices.tolist(), y))
    x = (block.indices[: block.indptr[1]], None)
    counted = model.rounds
    while True:  # the same instance, each time with the label it is not given: sooner or later no concept is left
        kept, yhat = protocol.learner.copied(model.state), model.predict(x)
        rounds.append((x[0].tolist(), int(not yhat)))
        try:
            model.observe(x, not yhat)
        except LittlestoneError as error:
            assert f"round {model.rounds + 1}:" in str(error), f"expected the round {model.rounds + 1} in {str(error)!r}"
            break
        counted += 1
        assert len(rounds) < len(block) + len(learner.concepts) + 2, "a contradiction goes unnoticed"
    assert model.rounds == counted and same_learned(learner, model.state, kept)
    whole, before = (Block.of([row for row, _ in part], [y for _, y in part]) for part in (rounds, rounds[:-1]))
    runner, stopped = Runner(learner), Runner(learner)
    runner.take(before)
    for act in (lambda: stopped.take(whole), lambda: front.play(learner, whole, check_invariants=True)):
        try:
            act()
        except LittlestoneError as error:
            assert f"round {len(rounds)}:" in str(error), f"expected round {len(rounds)} in {str(error)!r}"
        else:
            raise AssertionError(f"round {len(rounds)} leaves no concept, and is not refused")
    assert (stopped.rounds, stopped.mistakes) == (runner.rounds, runner.mistakes)
    assert same_learned(learner, stopped.state, runner.state) and same_learned(learner, model.state, runner.state)


def same_learned(learner: Learner, a: tuple, b: tuple) -> bool:
    """Two states that know the same: they predict alike, and any one more round makes them equal bit for bit."""
    n = draws.width(learner)
    for i in range(n):
        row = np.array([i], np.uint32)
        yhat, other = learner.predict(a, row, None), learner.predict(b, row, None)
        if yhat != other or not same_state(learner.update(a, row, None, yhat, not yhat), learner.update(b, row, None, other, not other)):
            return False
    return True


def check_state_does_not_grow_with_rounds(learner: Learner) -> None:
    short, long = (front.play(learner, draws.block_of(learner, [[0, 1], [2]] * times, [1, 0] * times)) for times in (2, 200))
    assert [len(a) for a in short.state] == [len(a) for a in long.state]


def check_the_file_tells_its_story(learner: Learner) -> None:
    module = inspect.getmodule(learner.state.code)
    story = inspect.getdoc(module) or ""
    assert len(story.split()) > 12, "the module's docstring should tell what the learner does"
    assert ">>>" in story, "the story needs an example that runs"
    assert learner.source or "heorem" not in story, "a theorem needs its source"
    for bound in learner.bounds:
        assert bound.formula and bound.source and bound.assumption


def yield_checks(learner: Learner | None = None) -> Iterator[Check]:
    """Every clause that can be asked of this learner; the one that keeps the interpreter safe comes first."""
    here = {**globals(), **vars(alarms), **vars(explanations), **vars(hostile), **vars(refusals), **vars(updates), **vars(weighted)}
    clauses = {name: check for name, check in sorted(here.items()) if name.startswith("check_") and name != "check_learner"}
    yield clauses.pop("check_it_stays_inside_its_arrays")
    yield from clauses.values()


def check_learner(learner: Learner) -> None:
    """Run every clause on a learner; raise AssertionError at the first broken one, with the smallest rows that break it."""
    run_checks(learner, yield_checks(learner))
