"""Replaying a rule over advice: its definition by name and settings, its mistakes, its loss, and what only a run can tell."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from littlestone.reference.calls import called
from littlestone.reference.experts import Notes, coin, drawn
from littlestone.reference.replay import definition, played
from littlestone.theory.families import RuleFamily

GOLDEN = 0x9E3779B97F4A7C15
CLOSE = 1e-9  # two ways to add up doubles may fall on either side of what is nearer than this


@dataclass
class ReplayedAdvice:
    """Of the rounds with a truth: the rows of the mistakes, and what each cost."""

    mistakes: list[int] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)  # |mean - truth|, of a perturbed leader in expectation over its coin
    chosen: float = 0.0  # what the experts drawn lost
    gaps: float = 0.0

    @property
    def loss(self) -> float:
        return fsum(self.costs)


class Decision:
    """What was predicted in the round at hand, for a definition that learns from mistakes."""

    yhat = False

    def __call__(self, share: Any) -> bool:
        return self.yhat


def replayed_advice(family: RuleFamily, rows: Sequence[tuple[bool | None, Sequence]], said_wrong: Sequence[int]) -> ReplayedAdvice:
    """Play the definition over the rows.

    Where a prediction hangs on less than the rounding of doubles, either is the rule's; then it is taken as the certificate has it
    (`said_wrong`, its rows of mistakes).  Weighted votes are exact, and leaders are found by the same sums: there nothing hangs.
    """
    settings, twin = family.values or {}, definition(family)
    decide, notes, replay = Decision(), Notes(), ReplayedAdvice()
    losses, stated, k = family.advice == "loss", set(said_wrong), 0

    def plain() -> Iterator[tuple[Sequence, int | None]]:
        return ((said, None if y is None else int(y)) for y, said in rows)

    exact = family.arithmetic == "filtered" or (family.leads and not family.bandit)
    average = getattr(sys.modules[twin.__module__], "expected", None)  # over the coin that a rule tosses once, before the first round
    expected = None if average is None else called(average, plain(), **settings)
    second = (settings.get("seed", 0) + 1) * GOLDEN % 2**63
    shares = played(family, plain(), decide=decide, notes=notes)
    for t, ((y, said), share) in enumerate(zip(rows, shares, strict=True), 1):
        mean = share if expected is None else next(expected)
        draws = family.bandit or (losses and notes.weights)
        expert = drawn(notes.weights, said, coin(settings["seed"], k)) if draws else None
        if not losses:
            chance = share if not family.bandit else 0.5 if expert is None else said[expert]
            against = coin(second, k) if family.tossed else 0.5
            decide.yhat = against < chance if family.tossed else chance >= against
            if y is not None and not exact and abs(float(chance) - against) < CLOSE:
                decide.yhat = y != (t in stated)
        if y is None:
            continue
        k += 1
        replay.costs.append(abs(float(mean) - y))
        if not losses and decide.yhat != y:
            replay.mistakes.append(t)
        if expert is not None:
            replay.chosen += abs(float(said[expert]) - y)
    replay.gaps = notes.gaps
    return replay
