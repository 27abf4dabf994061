"""The blends of a panel of several classes as `reference.class_blend` defines them, compiled."""

from collections import namedtuple

import numpy as np

from littlestone.learners.reductions._blend import first_state
from littlestone.reference.class_blend import EACH, RIVALS

# squares: of each member's scores, mean over the classes, added up; rounds: learned from; w and P of the blends of rivals, a row each; and
# of `blend-each`, a row for each class
BlendState = namedtuple("BlendState", "squares rounds rival_w rival_P each_w each_P")
PlainBlends = namedtuple("PlainBlends", "plain_rival_w plain_rival_P plain_each_w plain_each_P")  # the same, where every round weighs 1
STIFFNESS, MEMORY = (np.array([getattr(blend, key) for blend in (*RIVALS, EACH)]) for key in ("stiffness", "memory"))


def first_blends(members: int, classes: int) -> BlendState:
    """With room for so many classes."""
    rivals = [first_state(members, blend) for blend in RIVALS]
    w, P = first_state(members, EACH)
    return BlendState(
        np.zeros(members), np.zeros(1), np.stack([w for w, _ in rivals]), np.stack([P for _, P in rivals]),
        np.repeat(w[None], classes, axis=0), np.repeat(P[None], classes, axis=0),
    )  # fmt: skip
