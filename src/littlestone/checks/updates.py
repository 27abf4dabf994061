"""When a learner updates: what it says of it, and that the rounds of its updates are all it learned from."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.trials import clause, same_state, tried
from littlestone.errors import LittlestoneError
from littlestone.models import load
from littlestone.models.describe import described
from littlestone.protocol import Learner, Runner


@clause(draws.blocks, of=lambda learner: learner.updates_on == "mistakes")
def check_conservative_learners_change_only_on_mistakes(learner: Learner, block: Any) -> None:
    state = learner.first_state(draws.width(learner))
    for indices, values, y in block.rounds():
        yhat = learner.predict(state, indices, values)
        if y >= 0:
            after = learner.update(state, indices, values, y == 1, yhat)
            assert yhat != y or same_state(after, state)
            state = after


@clause(draws.blocks)
def check_update_returns_true_where_it_updated(learner: Learner, block: Any) -> None:
    """The kernel itself: True or False, and for a learner that updates on mistakes True on every mistake and nowhere else."""
    state = learner.first_state(draws.width(learner))
    for t, (indices, values, y) in enumerate(block.rounds()):
        if y >= 0:
            state = learner.prepare(state, block.cut(t, t + 1)) if learner.prepare else state
            yhat = learner.predict(state, indices, values)
            updated = learner.over(state).update(indices, values, 0, len(indices), y == 1, yhat, 1.0)
            assert updated in (True, False), f"update returned {updated!r}; expected True where it updated, else False"
            assert learner.updates_on != "mistakes" or updated == (yhat != y), f"round {t + 1}: update returned {updated!r}"


def check_updates_are_where_the_rule_says(learner: Learner) -> None:
    """Where it says no, nothing changed but accounts; where a margin says yes, something did; the update rounds alone make the state."""
    rebuilt = learner.updates_on != "always"

    def claim(block):
        updates = np.empty(len(block), np.bool_)
        runner = Runner(learner)
        predictions = runner.take(block, None, updates)
        state = learner.first_state(draws.width(learner))
        for t, (indices, values, y) in enumerate(block.rounds()):
            if y < 0:
                assert not updates[t], f"round {t + 1} has no label, and is said to be an update"
                continue
            state = learner.prepare(state, block.cut(t, t + 1)) if learner.prepare else state
            after, updated = learner.step(
                state, indices, values, y == 1, bool(predictions[t]), 1.0 if block.weights is None else block.weights[t]
            )
            kind = "an update" if updates[t] else "no update"
            assert updated == updates[t], f"round {t + 1}: play says {kind}, update does not"
            if not updates[t]:
                same = same_state(*(_learned(learner, either) for either in (after, state)))
                assert same, f"round {t + 1} is said to be no update, and changed the state"
            elif learner.updates_on == "margin" and (len(indices) if values is None else values.any()):
                assert not same_state(after, state), f"round {t + 1} is said to be an update, and changed nothing"
            state = after
        if rebuilt:
            again = Runner(learner)
            if runner.room > again.room:
                again.room = runner.room
                again.make_room(runner.room)
            for t in np.flatnonzero(updates).tolist():
                assert again.take(block.cut(t, t + 1))[0] == predictions[t], f"replayed, round {t + 1} is predicted otherwise"
            rebuilt_state, played_state = (learner.trimmed(either.state, runner.room) for either in (again, runner))
            assert same_state(rebuilt_state, played_state), "the rounds of the updates alone make another state"

    tried(draws.weighted_blocks(learner) if learner.weighted else draws.blocks(learner))(claim)
    if learner.domain == "real":
        claim(draws.growing(learner))


def _learned(learner: Learner, state: tuple) -> tuple:
    """A state without the arrays that only keep accounts."""
    names = getattr(state, "_fields", range(len(state)))
    return tuple(array for name, array in zip(names, state, strict=True) if name not in learner.ledger)


def check_a_saved_model_goes_on_as_if_never_stopped(learner: Learner) -> None:
    """Saved and loaded in the middle of a run: the same predictions, counts, bounds, ledger and state; and the ledger alone makes them."""
    try:
        described(learner)
    except LittlestoneError:
        return  # its settings are no text

    with TemporaryDirectory() as folder:
        path = Path(folder) / "half.littlestone"

        @tried(draws.weighted_blocks(learner) if learner.weighted else draws.blocks(learner), examples=10)
        def claim(block):
            half = len(block) // 2
            whole = front.play(learner, block, ledger=True)
            first = front.play(learner, block.cut(0, half), ledger=True)
            first.model.save(path)
            second = front.play(load(path, learner), block.cut(half, len(block)))
            assert [*first.predictions.tolist(), *second.predictions.tolist()] == whole.predictions.tolist()
            for name in ("rounds", "mistakes", "unlabelled", "false_positives", "baselines", "squares", "weighted_mistakes", "nonzeros"):
                assert getattr(second, name) == getattr(whole, name), f"{name} is not what a run without a stop has"
            assert [c.limit for c in second.bounds()] == [c.limit for c in whole.bounds()], (
                "the bounds are not those of a run without a stop"
            )
            assert learner.alike(second.state, whole.state), "the state is not that of a run without a stop"
            unbroken, resumed = whole.model, second.model
            assert (unbroken.rounds, unbroken.mistakes, unbroken.unlabelled) == (resumed.rounds, resumed.mistakes, resumed.unlabelled)
            if learner.updates_on == "always":
                assert unbroken.ledger is None and resumed.ledger is None
            else:
                assert resumed.ledger.same(unbroken.ledger), "the ledger is not that of a run without a stop"
                assert learner.alike(resumed.replay().state, whole.state), "the ledger alone makes another state"
                assert learner.alike(resumed.rollback(half).state, first.state), "rolled back it is not what it was"
