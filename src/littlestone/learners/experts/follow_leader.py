"""Follow the leader: do what the expert with the least loss so far says; of several, the first.

>>> import littlestone as ls
>>> run = ls.play(ls.follow_leader(n=3), [[0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]], [1, 1, 1, 1])
>>> run.predictions.tolist(), run.losses.tolist()
([False, False, True, False], [4.0, 3.0, 1.0])

Theorem: at most nm + n - 1 mistakes, m those of the best expert, and no less: an adversary lets only the leader err. (Vempala's notes say
"n times as many"; at m = 0 the first n - 1 leaders may still fall.)
"""

from collections import namedtuple
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import of_the_leader, sound_leader, strictness
from littlestone.protocol import Rule
from littlestone.protocol.advice import OfLosses
from littlestone.theory.follow_leader import FAMILY

Params = namedtuple("Params", "strict")
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, the leader


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(3))


def lead(state: State) -> None:
    state.z[2] = native.core.first_of_the_least(state.losses)


def weights(rule: Rule, state: State) -> np.ndarray:
    return of_the_leader(state.losses, state.z[2])


WHEN = "experts whose losses are independent draws, or one that is never wrong"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 9, "advice": "probability"})


def follow_leader(n: int | None = None, *, advice: str = "vote") -> Rule:
    """Follow the leader among n experts."""
    settings, again = {"n": n, "advice": advice}, partial(follow_leader, advice=advice)
    return Rule(
        FAMILY,
        settings,
        Params(strictness(advice)),
        init,
        again,
        weights=weights,
        sound=sound_leader,
        of_losses=OfLosses(lead, 1),
        native=native.core.FollowLeader,
    )
