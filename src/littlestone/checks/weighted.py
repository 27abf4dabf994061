"""What must be true of every learner with weights and scores: one clause, one function, its name the sentence."""

from dataclasses import replace
from typing import Any

import numpy as np

from littlestone import protocol
from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.trials import assumption, clause, refused, same_state, tried
from littlestone.protocol import Learner, Runner


def check_weights_are_refused_where_they_are_not_honoured(learner: Learner) -> None:
    if learner.weighted:
        return
    block = replace(draws.block_of(learner, [[0], [1]], [1, 0]), weights=np.array([1, 2], np.float32))
    for act in (lambda: front.play(learner, block), lambda: learner.start().observe({0: 1}, True, 2.0)):
        refused("honours no weights", act)


@clause(draws.blocks, examples=20, of=lambda learner: learner.weighted)
def check_weights_of_one_are_no_weights(learner: Learner, block: Any) -> None:
    plain = front.play(learner, block)
    ones = front.play(learner, replace(block, weights=np.ones(len(block), np.float32)))
    assert plain.predictions.tolist() == ones.predictions.tolist() and same_state(plain.state, ones.state)


@clause(draws.blocks, examples=20, of=lambda learner: learner.weighted)
def check_a_round_of_weight_zero_teaches_nothing(learner: Learner, block: Any) -> None:
    run = front.play(learner, replace(block, weights=np.zeros(len(block), np.float32)))
    names = getattr(run.state, "_fields", range(len(run.state)))
    first = learner.trimmed(learner.init(len(run.state[0])), len(run.state[0]))
    for name, now, before in zip(names, run.state, first, strict=True):
        assert name in learner.ledger or np.array_equal(now, before)


@clause(draws.weighted_blocks, of=lambda learner: learner.weighted)
def check_weighted_play_is_the_protocol_and_event_by_event(learner: Learner, block: Any) -> None:
    state, predictions = protocol.play(learner, block)
    runner, model = Runner(learner), learner.start()
    assert runner.take(block).tolist() == predictions
    assert same_state(runner.state, state)
    for (indices, values, y), weight, expected in zip(block.rounds(), block.weights.tolist(), predictions, strict=True):
        assert model.observe((indices, values), None if y < 0 else y == 1, weight) == expected
    assert same_state(model.state, state if learner.compact is None else learner.compact(state))


def check_each_bound_and_the_invariants_hold_with_weights(learner: Learner) -> None:
    if not learner.weighted:
        return

    @tried(draws.weighted_blocks(learner, most=60), examples=50)
    def on_any_stream(block):
        for bound in front.play(learner, block).bounds():
            assert bound.holds is True, f"{bound.observed} mistakes by weight, {bound.name} allows {bound.limit} ({bound.reason})"
        front.play(learner, block, check_invariants=True)

    for assumed in sorted({bound.assumes for bound in learner.bounds} & set(draws.ASSUMED)):

        @tried(draws.ASSUMED[assumed](learner).flatmap(lambda case: draws.weighed(case[0]).map(lambda b: (b, *case[1:]))), examples=60)
        def theorem(case):
            block, witness, facts = case
            for claim in front.play(learner, block).bounds(assumption(assumed, facts)):  # noqa: B023 (called at once)
                assert claim.holds, f"{claim.observed} mistakes by weight, {claim.name} allows {claim.limit} ({claim.reason})"
            front.play(learner, block, check_invariants=True, witness=witness)


@clause(draws.blocks, examples=20, of=lambda learner: learner.scored)
def check_a_score_says_what_the_prediction_does(learner: Learner, block: Any) -> None:
    run, plain, model = front.play(learner, block, scores=True), front.play(learner, block), learner.start()
    assert run.predictions.tolist() == plain.predictions.tolist()
    assert not learner.decides_by_score or plain.predictions.tolist() == (run.scores >= 0).tolist()
    assert same_state(run.state, plain.state)
    for (indices, values, y), score in zip(block.rounds(), run.scores.tolist(), strict=True):
        alone = model.score((indices, values))  # where an average is kept it is the average's, and a round's is that of the last weights
        assert alone == score if learner.final is None else (alone >= 0) == model.predict((indices, values))
        model.update((indices, values), None if y < 0 else y == 1)
