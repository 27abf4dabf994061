"""A panel of two classes when a third label comes: it goes on as a panel of several, and its state becomes that of the first pair.

A member of both panels keeps what it has learned: as it is for the positive class, and mirrored for the negative one, which is what it
would have learned with the labels exchanged.  Members that only the panel of several has, blends and slopes begin anew.  The rounds of
before count as if every voter had said what the vote of the panel of two classes was, and every forecaster had given its probability: the
voters then have all lost the same, so that AdaHedge stands where it began, and its theorems speak of all rounds.
"""

from __future__ import annotations

from typing import Any

from littlestone.learners.reductions._class_table import ClassTable, State
from littlestone.learners.reductions._table import FORECASTS
from littlestone.learners.reductions.class_panel import of_panel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import ClassLearner, Learner, Opening
from littlestone.protocol.learner import copied


def widened(panel: Panel, state: tuple, mistakes: int, lost: float, heaviest: float) -> tuple[ClassLearner, State]:
    """The panel of several classes that goes on, and its state: two classes, the negative one first.

    The panel of two made so many mistakes, which weigh `lost`, the heaviest of them in a round that weighs so much.
    """
    vote, label_heaviest = panel.vote_of(state), heaviest
    if vote is not None:
        mistakes, lost, heaviest = vote.mistakes, vote.weight, vote.largest
    learner = of_panel(panel).sized(panel.n)
    room = panel.room_of(state)
    engine: Any = learner.engine(Opening(room))
    assert isinstance(engine, ClassTable)
    engine.admit(2)
    known = {_key(member): k for k, member in enumerate(panel.members)}
    for k, member in enumerate(engine.learners):
        place = known.get(_key(member)) if isinstance(member, Learner) else None
        if place is not None and member.mirrored is not None:
            theirs = panel.table.state_of(place, state)
            engine.states[k][1:] = [member.mirrored(theirs), copied(theirs)]
    all_lost, lost = lost, lost if panel.weigh else mistakes
    engine.mistakes[:], engine.losses[:], engine.loss[:] = mistakes, lost, (lost, heaviest)
    if engine.vote_mistakes is not None:
        engine.vote_mistakes[:], engine.label_weight[:] = (mistakes, all_lost, heaviest), label_heaviest
    engine.z[3] = lost  # the base of weights that are all alike
    if engine.forecasts is not None and panel.forecasts:
        products, halvings, counts = (state[panel.table.at[name]] for name in FORECASTS)
        engine.forecasts.products[:], engine.forecasts.halvings[:], engine.forecasts.counts[:] = products[-1], halvings[-1], counts
    return learner, engine.state(room)


def _key(member: Any) -> tuple:
    """Members that learn alike; how long rows are paired makes no difference to what is kept of them."""
    settings = {name: value for name, value in member.settings.items() if (member.name, name) != ("pairs", "most") and name != "n"}
    return member.name, tuple(sorted((name, str(value)) for name, value in settings.items()))
