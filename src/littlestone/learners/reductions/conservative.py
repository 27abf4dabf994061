"""Conservative: any learner, told of its mistakes alone. It changes only when it errs, and the bound on its mistakes stays.

A round that is predicted right teaches nothing; a mistake is passed on to the learner inside.  Between two mistakes there is one
hypothesis: what reductions to other models of learning ask for.

>>> import littlestone as ls
>>> X, y = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]] * 5, [1, 0, 0, 1] * 5
>>> plain, careful = (ls.play(learner, X, y) for learner in (ls.passive_aggressive(), ls.conservative(ls.passive_aggressive())))
>>> int(plain.updates.sum()), plain.mistakes, careful.mistakes
(13, 2, 3)
>>> [(claim.name, claim.limit) for claim in careful.bounds("margin:gamma=1/2")][0]
('conservative-pa-margin', 8)

Theorem: the mistakes are those of the learner inside on the rounds passed on to it, so every bound on its mistakes holds of them
(theory/conservative.py says which).

Another library's learner, or anything with predict and update, becomes a player that is told of its mistakes alone:

>>> class Last:
...     def __init__(self): self.y = True
...     def predict(self, x): return self.y
...     def update(self, x, y): self.y = y
>>> last = ls.conservative(Last())
>>> last.update({0: 1}, True), last.update({0: 1}, False), last.predict({0: 1}), last.name
(None, None, False, 'conservative Last')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone import learners
from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Block, Kernels, Learner, Run, play_through
from littlestone.protocol.players import Instance, Player, player
from littlestone.theory import conservative as theory
from littlestone.theory.claims import Known

FIRST = 16  # rounds that are predicted at once after a mistake; twice as many as long as none is wrong


@dataclass(frozen=True, eq=False, repr=False)
class Conservative(Learner):
    """A learner that is told of its mistakes alone. Its state, its predictions and its settings are those of `inner`."""

    inner: Learner | None = None

    def spare(self) -> list[bool]:
        assert self.inner is not None
        return self.inner.spare()

    @property
    def n(self) -> int | None:
        return None if self.inner is None else self.inner.n

    @property
    def mirrored(self) -> None:
        """It begins anew where the labels are exchanged."""
        return None

    @property
    def roomy(self) -> None:
        """It makes room row by row."""
        return None

    @property
    def probabilities(self) -> bool:
        return self.inner is not None and self.inner.probabilities

    @property
    def decides_by_score(self) -> bool:
        return self.inner is None or self.inner.decides_by_score

    @property
    def known(self) -> Callable[[Any], Known] | None:
        inner = self.inner
        if inner is None or inner.known is None:
            return None
        known = inner.known
        return lambda run: carried(known(fed(inner, run)), inner.updates_on != "mistakes")

    @property
    def exact_when(self) -> Callable[[Any], bool] | None:
        inner = self.inner
        if inner is None or inner.exact_when is None:
            return None
        exact = inner.exact_when
        return lambda run: exact(fed(inner, run))


class Careful(Player):
    """A player that is told of its mistakes alone."""

    def __init__(self, inner: Player) -> None:
        self.inner, self.name = inner, f"conservative {inner.name}"

    def predict(self, x: Instance) -> bool:
        return self.inner.predict(x)

    def update(self, x: Instance, y: bool) -> None:
        if self.inner.predict(x) != y:
            self.inner.update(x, y)

    def answers(self, xs: Sequence[Instance]) -> list[bool]:
        return self.inner.answers(xs)

    def copy(self) -> Careful:
        return Careful(self.inner.copy())

    def same(self, other: Player) -> bool | None:
        return self.inner.same(other.inner) if isinstance(other, Careful) else None


class Pass:
    """The learner inside, and how it is told of mistakes alone."""

    def __init__(self, inner: Learner) -> None:
        self.inner = inner
        first = inner.init(1)
        self.kind, self.params = type(first), len(inner.params)
        self.size = self.params + len(first)

    def state_of(self, arguments: tuple) -> tuple:
        arrays = arguments[self.params : self.size]
        return self.kind(*arrays) if hasattr(self.kind, "_fields") else tuple(arrays)

    def predict(self, *arguments: Any) -> Any:
        return self.inner.over(self.state_of(arguments)).predict(*arguments[self.size :])

    def score(self, *arguments: Any) -> float:
        return self.inner.over(self.state_of(arguments)).score(*arguments[self.size :])

    def update(self, *arguments: Any) -> bool:
        """As the learner inside on a mistake; else nothing."""
        y, yhat = arguments[self.size + 4 : self.size + 6]
        if y == yhat:
            return False
        self.inner.over(self.state_of(arguments)).update(*arguments[self.size :])
        return True

    def play(self, *arguments: Any) -> int | None:
        """Predict ahead without telling labels, as far as the next mistake; tell that one; go on behind it.

        How far it looks ahead decides what it costs, and nothing else: what was predicted beyond a mistake is predicted again.
        """
        inner, state = self.inner, self.state_of(arguments)
        indptr, indices, values, labels, weights, predictions, scores, _ = arguments[self.size :]
        silent = Block(indptr, indices, values, np.full(len(labels), -1, np.int32))
        player, margin = inner.over(state), inner.updates_on == "margin"
        if scores is None and inner.scored:
            scores = np.empty(len(labels))
        unused = np.zeros(len(labels) if margin else 0, np.bool_)
        at, window = 0, FIRST
        while at < len(labels):
            stop = min(len(labels), at + window)
            if inner.settle is None:  # the quickest call there is
                rows = (indptr[at : stop + 1], indices, values, silent.labels[at:stop])
                marks = None if scores is None else scores[at:stop]
                player.play(*rows, None, predictions[at:stop], marks, unused[at:stop] if margin else None)
            else:
                play_through(inner, state, silent.cut(at, stop), predictions[at:stop], None if scores is None else scores[at:stop])
            gap = native.core.first_mistake(labels, predictions, at, stop) - at
            if at + gap == stop:
                at, window = stop, 2 * window
                continue
            at, window = at + gap, max(FIRST, gap)
            weight = 1.0 if weights is None else float(weights[at])
            row = (indices, values, int(indptr[at]), int(indptr[at + 1]), bool(labels[at] == 1), bool(predictions[at]), weight)
            player.update(*row)
            if inner.broken is not None and inner.broken(state):
                return at
            at += 1
        return None


def fed(inner: Learner, run: Run) -> Run:
    """The run of the learner inside on the rounds that were passed on to it, every one a mistake. Sizes of rows are those of the whole
    stream, which are no smaller."""
    return replace(run, learner=inner, rounds=run.mistakes, unlabelled=0, positives=run.false_negatives, codes=None, scores=None)


#: It is a learner of two classes, not of several.
TWO_CLASSES = True

WHEN = "a hypothesis that changes only on mistakes, from a learner that updates on other rounds too"
SAMPLES: tuple[dict, ...] = (
    {"learner": "passive_aggressive", "bias": 1},
    {"learner": "halving", "concepts": "disjunctions", "n": 4},
)


def conservative(learner: Any, **settings: Any) -> Any:
    """A learner that is told of its mistakes alone: of a learner, or of the name of one with its settings; anything else that can play
    becomes a `Player`.

    >>> conservative("passive_aggressive", C=2)
    conservative(learner=passive_aggressive, C=2, variant=I, bias=0)
    """
    if isinstance(learner, str):
        learner = _factory(learner)(**settings)
    else:
        require(not settings, f"settings {', '.join(settings)}: they go with the name of a learner; {learner!r} has its own")
    if isinstance(learner, Conservative | Careful):
        return learner
    if not isinstance(learner, Learner):
        return Careful(player(learner))
    inner, passing = learner, Pass(learner)
    ready = inner.updates_on == "mistakes" and inner.native is not None  # conservative as it is
    settle, facts = inner.settle, inner.facts
    kernels = Kernels(passing.predict, passing.update, passing.play, passing.score if inner.scored else None)
    return Conservative(
        name="conservative",
        settings={"learner": inner.name, **inner.settings},
        params=inner.params,
        state=replace(inner.state, first=lambda room: inner.init(room), spaced=False),  # of this file, which tells the story
        algorithm=inner.native if ready else kernels,
        family=theory.FAMILY.of(inner.family),
        with_n=None if inner.with_n is None else lambda n: conservative(inner.with_n(n)),  # type: ignore[misc]
        settle=None if settle is None else lambda _, state, indices: settle(inner.settings, state, indices),
        facts=None if facts is None else lambda run: facts(fed(inner, run)),
        parts=inner.parts,
        final=inner.final,
        inner=inner,
    )


def _factory(name: str) -> Callable[..., Any]:
    from littlestone.learners import reductions

    return (reductions if name in reductions.of_two_classes() else learners).factory(name)


def carried(known: Known, part: bool) -> Known:
    """What is known of the learner inside, as what is known of its conservative version."""
    return replace(known, bounds=theory.carried(known.bounds, part))
