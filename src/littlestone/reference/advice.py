"""Replaying a rule over advice: its definition by name and settings, its mistakes, its loss, and what only a run can tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import fsum, log
from typing import Any

from littlestone.reference import experts as twins

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
    """What was predicted in the round at hand, for a twin that learns from mistakes."""

    yhat = False

    def __call__(self, share: Any) -> bool:
        return self.yhat


def twin_of(name: str, s: Mapping[str, Any], rounds: Any, decide: Decision, notes: twins.Notes) -> Iterator[Any]:
    """The definition of the rule with these settings."""
    n = s["n"]
    if name == "follow_leader":
        return twins.follow_leader(rounds, n=n)
    if name == "perturbed_leader":
        start = [-log(1.0 - twins.coin(s["seed"], i)) / float(s["eta"]) for i in range(n)]
        return twins.perturbed_leader(rounds, start=start)
    if name == "weighted_majority":
        return twins.weighted_majority(rounds, n=n, beta=s["beta"], always=s["updates"] == "always", decide=decide)
    if name == "randomized_weighted_majority":
        return twins.randomized(rounds, n=n, epsilon=s["epsilon"], notes=notes)
    if name == "hedge":
        return twins.hedge(rounds, n=n, eta=s["eta"], notes=notes)
    if name == "adahedge":
        return twins.adahedge(rounds, n=n, notes=notes)
    if name == "sleeping_adahedge":
        return twins.sleeping_adahedge(rounds, n=n, notes=notes)
    if name in ("exp3", "exp3_ix"):
        return twins.exp3(rounds, n=n, eta=s["eta"], coin=partial(twins.coin, s["seed"]), explore=name == "exp3_ix", notes=notes)
    always = s["form"] == "randomized"
    if name == "fixed_share":
        return twins.fixed_share(
            rounds, n=n, alpha=s["alpha"], eta=s["eta"], beta=s["beta"], always=always, decide=decide, notes=notes
        )  # fmt: skip
    return twins.specialists(rounds, n=n, eta=s["eta"], always=always, decide=decide, notes=notes)


def replayed_advice(
    name: str, s: Mapping[str, Any], rows: Sequence[tuple[bool | None, Sequence]], *, tossed: bool, bandit: bool, said_wrong: Sequence[int]
) -> ReplayedAdvice:
    """Play the definition over the rows.

    Where a prediction hangs on less than the rounding of doubles, either is the rule's; then it is taken as the certificate has it
    (`said_wrong`, its rows of mistakes).  Weighted votes are exact, and leaders are found by the same sums: there nothing hangs.
    """
    decide, notes, found = Decision(), twins.Notes(), ReplayedAdvice()
    losses, stated, k = s["advice"] == "loss", set(said_wrong), 0

    def plain() -> Iterator[tuple[Sequence, int | None]]:
        return ((said, None if y is None else int(y)) for y, said in rows)

    exact = name in ("follow_leader", "perturbed_leader") or (name == "weighted_majority" and s["advice"] == "vote")
    expected = twins.expected_leader(plain(), n=s["n"], eta=s["eta"]) if name == "perturbed_leader" else None
    second = (s.get("seed", 0) + 1) * GOLDEN % 2**63
    for t, ((y, said), share) in enumerate(zip(rows, twin_of(name, s, plain(), decide, notes), strict=True), 1):
        mean = share if expected is None else next(expected)
        expert = twins.drawn(notes.weights, said, twins.coin(s["seed"], k)) if bandit or (losses and notes.weights) else None
        if not losses:
            chance = share if not bandit else 0.5 if expert is None else said[expert]
            against = twins.coin(second, k) if tossed else 0.5
            decide.yhat = against < chance if tossed else chance >= against
            if y is not None and not exact and abs(float(chance) - against) < CLOSE:
                decide.yhat = y != (t in stated)
        if y is None:
            continue
        k += 1
        found.costs.append(abs(float(mean) - y))
        if not losses and decide.yhat != y:
            found.mistakes.append(t)
        if expert is not None:
            found.chosen += abs(float(said[expert]) - y)
    found.gaps = notes.gaps
    return found
