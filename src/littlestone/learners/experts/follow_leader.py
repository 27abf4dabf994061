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
from littlestone.kernels.advice import ASLEEP, after, count_and_look, first_at, weigh, weigh_first
from littlestone.kernels.compiler import jit_lent
from littlestone.learners._rates import of_the_leader, sound_leader, strictness
from littlestone.protocol import Rule
from littlestone.protocol.advice import OfLosses
from littlestone.theory.follow_leader import FAMILY

Params = namedtuple("Params", "strict")
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, the leader


@jit_lent
def play(strict, losses, z, table, truth, mix, choices):
    _, _, holds = weigh_first(losses, table)
    for t in range(len(truth)):
        row, following = table[t], table[after(t, len(truth))]
        if holds & strict:
            return t
        leader = np.int64(z[2])
        if holds & ASLEEP:
            leader = first_awake(losses, row)
        mix[t] = row[leader] if leader >= 0 else 0.5
        if len(choices):
            choices[t] = leader
        if truth[t] < 0:
            _, _, holds = weigh(losses, following)
            continue
        z[0] += 1.0
        if holds & ASLEEP:
            z[1] = 1.0
        fell = losses[np.int64(z[2])]
        lowest, holds = count_and_look(losses, row, following, truth[t])
        if losses[np.int64(z[2])] > fell:  # nobody else came nearer the front meanwhile
            z[2] = first_at(losses, lowest)
    return len(truth)


@jit_lent
def first_awake(losses, row):
    """The first among the least losses of those awake; -1 when all sleep."""
    leader = -1
    for i in range(len(losses)):
        if row[i] == row[i] and (leader < 0 or losses[i] < losses[leader]):
            leader = i
    return leader


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
        play,
        again,
        weights=weights,
        sound=sound_leader,
        of_losses=OfLosses(lead, 1),
        native=native.core.FollowLeader,
    )
