"""In turn: follow one expert until it is wrong, then the next; after the last comes the first again.

>>> import littlestone as ls
>>> run = ls.play(in_turn(), [[0, 1, 1], [0, 0, 1], [1, 0, 1], [0, 0, 1]], [1, 1, 1, 1])
>>> run.predictions.tolist(), run.losses.tolist(), run.best
([False, False, True, True], [3.0, 3.0, 0.0], 2)
>>> [(claim.name, claim.limit, claim.observed) for claim in run.bounds()]
[('in-turn-hindsight', 2, 2)]

Theorem: at most nm + n - 1 mistakes, m those of the best of n experts.
"""

from collections import namedtuple

import numpy as np

from littlestone import Rule
from littlestone.jit import jit
from littlestone.kernels.advice import ASLEEP, count_losses, weigh
from littlestone.protocol.soundness import NOT_NEGATIVE, within
from littlestone.theory import experts
from littlestone.theory.families import RuleFamily

# ---- the twin ----


def twin(rounds, *, n):
    """The rule once more, as plainly as can be: None is an expert asleep, and a truth that is not told."""
    turn = 0
    for advice, y in rounds:
        awake = [i for i in (*range(turn, n), *range(turn)) if advice[i] is not None]
        yield float(advice[awake[0]]) if awake else 0.5
        if y is not None and advice[turn] is not None and advice[turn] != y:
            turn = (turn + 1) % n


# ---- the theorem ----
#
# A mistake is one of the expert whose turn it is, and ends its turn. The best expert errs m times, so it has at most m + 1 turns, the last
# of which may go on for ever. Before the first of them, and between two of them, each of the others has one turn, and errs once:
# M ≤ m + (m + 1)·(n - 1) = nm + n - 1.

IN_TURN = experts.both("in-turn", "M ≤ nm + n - 1", experts.leader, "docs/adding_a_rule.md", "mistakes")

FAMILY = RuleFamily(
    "in_turn",
    {"n": experts.EXPERTS, "advice": experts.ADVICE},
    IN_TURN,
    ties="the expert whose turn it is; while it sleeps, the next one awake",
    updates_on="always",
    whole=True,
    leads=True,
    tossed=False,
    takes=("vote",),
    source="docs/adding_a_rule.md",
    twin=twin,
)


# ---- the algorithm ----

Params = namedtuple("Params", "strict")
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, whose turn it is


@jit
def play(strict, losses, z, table, truth, mix, choices):
    n = len(losses)
    for t in range(len(truth)):
        row = table[t]
        _, _, holds = weigh(losses, row)
        if holds & strict:
            return t  # a row that is no advice: the caller says what is wrong with it
        turn = np.int64(z[2])
        speaker = -1
        for k in range(n):
            i = (turn + k) % n
            if row[i] == row[i]:  # awake
                speaker = i
                break
        mix[t] = row[speaker] if speaker >= 0 else 0.5
        if len(choices):
            choices[t] = speaker
        if truth[t] >= 0:
            count_losses(losses, table, t, truth[t])
            if row[turn] == row[turn] and row[turn] != truth[t]:
                z[2] = (turn + 1) % n
            z[0] += 1.0
            if holds & ASLEEP:
                z[1] = 1.0
    return len(truth)


def init(n):
    return State(np.zeros(n), np.zeros(3))


def sound(params, state):
    """What a model file may bring: the turn is that of one of the experts, and `play` looks it up."""
    within(state, losses=NOT_NEGATIVE, z=(0, [2**53, 1, len(state.losses) - 1]))


def weights(rule, state):
    return (np.arange(len(state.losses)) == int(state.z[2])).astype(float)


#: When to use it, for `littlestone learners --which`.
WHEN = "a handful of experts, one of whom is hardly ever wrong, and nothing to keep but whose turn it is"

#: Settings the contract suite tries.
SAMPLES = ({"n": 4}, {"n": 1})


def in_turn(n=None, *, advice="vote"):
    """Experts in turn, each until it is wrong."""
    return Rule(
        family=FAMILY,
        settings={"n": n, "advice": advice},
        params=Params(3),
        init=init,
        play=play,
        with_n=in_turn,
        weights=weights,
        sound=sound,
    )
