"""Why a learner predicts what it does: the parts make the score, and the rounds make the parts."""

from math import fsum
from typing import Any

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.trials import same_state, tried
from littlestone.models.explain import Explanation
from littlestone.protocol import Learner, Model

CLOSE = 1e-9  # rounding errors are smaller than this part of what is added


def check_an_explanation_adds_up_to_the_score(learner: Learner) -> None:
    """Contributions make the score, the score the prediction; the rounds of the ledger make what updates move; nothing is changed."""

    def claim(block):
        model = front.play(learner, block, ledger=True).model
        before = model.state
        for t in {0, len(block) - 1}:
            row = slice(block.indptr[t], block.indptr[t + 1])
            x = (block.indices[row], None if block.values is None else block.values[row])
            explanation = model.explain(x, rounds=None)
            assert explanation.prediction == model.predict(x)
            assert_adds_up(learner, explanation)
            if not explanation.additive:
                assert_left_out(model, x, explanation)
            if not explanation.no_rounds:
                assert_rounds_make_the_levels(model, x, explanation)
        assert same_state(model.state, before) and repr(explanation)

    tried(draws.blocks(learner), examples=12)(claim)
    if learner.weighted:
        tried(draws.weighted_blocks(learner), examples=12)(claim)
    if learner.domain == "real":
        claim(draws.growing(learner))


def assert_adds_up(learner: Learner, explanation: Explanation) -> None:
    if explanation.score is None or explanation.threshold is None:
        assert learner.parts is None and not learner.scored, f"{explanation.learner} has parts, and no score"
        return
    contributions = [share.contribution for share in explanation.features if share.contribution is not None]
    assert len(contributions) == len(explanation.features), "some features do not say what they contribute"
    off = 0.0 if learner.arithmetic == "exact" else CLOSE * (fsum(map(abs, contributions)) + abs(explanation.threshold))
    assert abs(fsum(contributions) - explanation.score) <= off, f"contributions {contributions} do not make the score {explanation.score}"
    right = explanation.prediction == (explanation.score >= explanation.threshold)
    near = learner.arithmetic == "filtered" and abs(explanation.score - explanation.threshold) <= off
    assert right or near or not learner.decides_by_score, (
        f"score {explanation.score} and threshold {explanation.threshold}, and {explanation.prediction} is predicted"
    )
    ranked = contributions if explanation.additive else contributions[:-1]  # the rest stands last
    assert [abs(c) for c in ranked] == sorted(map(abs, ranked), reverse=True)


def assert_left_out(model: Any, x: tuple, explanation: Explanation) -> None:
    """Assert that each contribution is the change of the score when the feature is left out of the row."""
    indices, values = x
    assert explanation.score == model.score(x)
    present = indices if values is None else indices[values != 0]
    assert sorted(share.column for share in explanation.features if share.column is not None) == sorted(present.tolist())
    for share in explanation.features:
        if share.column is not None:
            kept = indices != share.column
            change = explanation.score - model.score((indices[kept], None if values is None else values[kept]))
            assert share.contribution == change, f"without {share.name} the score changes by {change}, not by {share.contribution}"


def assert_rounds_make_the_levels(model: Model, x: tuple, explanation: Explanation) -> None:
    kept = {entry.round: entry for entry in model.ledger or ()}
    fresh = {(share.name, share.column): share.level for share in model.learner.sized(model.learner.n).start().explain(x).features}
    for share in explanation.features:
        moves = [move.moved for move in share.rounds]
        assert len(moves) == share.moved_by and [abs(m) for m in moves] == sorted(map(abs, moves), reverse=True) and all(moves)
        first = fresh.get((share.name, share.column), 0.0)
        off = CLOSE * (fsum(map(abs, moves)) + abs(first))
        assert abs(first + fsum(moves) - share.level) <= off, f"{share.name}: {moves} do not make {share.level} of {first}"
        for move in share.rounds:
            entry = kept[move.round]
            assert (entry.label, entry.predicted) == (move.label, move.predicted)
