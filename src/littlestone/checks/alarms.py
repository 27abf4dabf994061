"""What must be true of a learner whose assumption is watched: no false alarm, and none too early or too late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from littlestone import front
from littlestone.checks import draws
from littlestone.checks.learners import same_state, tried
from littlestone.errors import Contradiction
from littlestone.protocol import Block, Learner


def assumptions(learner: Learner) -> list[str]:
    """What its a priori bounds assume."""
    return sorted({bound.assumes for bound in learner.bounds if bound.kind == "a priori"} & set(draws.ASSUMED))


def text_of(kind: str, facts: dict[str, Any]) -> str:
    return f"{kind}:" + ",".join(f"{key}={value}" for key, value in facts.items())


def first_contradiction(learner: Learner, block: Block, assume: str) -> int | None:
    """The definition: the first row whose prefix, played by itself, contradicts the assumption."""
    kind, _, rest = assume.partition(":")
    declared = dict(part.split("=") for part in rest.split(",") if part)
    among = {bound.among for bound in learner.bounds if bound.assumes == kind}
    if learner.n is None:  # of how many features the rounds to come will speak is not known
        declared = {key: value for key, value in declared.items() if key not in among}
    sizes = {key: Fraction(declared[key]) * (1 + Fraction(1, 2**19)) for key in ("R", "X") if key in declared}
    rho = Fraction(learner.settings.get("bias") or 0)
    for t, (indices, values, _) in enumerate(block.rounds()):
        row = [Fraction(float(v)) for v in (np.ones(len(indices)) if values is None else values)]
        if "R" in sizes and sum((v * v for v in row), rho * rho) > sizes["R"] ** 2:
            return t
        if "X" in sizes and max(map(abs, row), default=Fraction(0)) > sizes["X"]:
            return t
        try:
            run = front.play(learner, block.cut(0, t + 1))
        except Contradiction:
            return t
        if (learner.never and getattr(run, learner.never)) or any(
            "exceed" in claim.reason for claim in run.bounds(text_of(kind, declared))
        ):
            return t
    return None


@st.composite
def noisy(draw, case: Any) -> tuple[Block, dict]:
    """A stream that meets an assumption, with some labels turned over: few, or all from some round on; and what was declared."""
    block, _, facts = draw(case)
    labels, turned = block.labels.copy(), draw(st.sampled_from(["some", "half", "all"]))
    if turned == "some":
        where = draw(st.lists(st.integers(0, len(labels) - 1), max_size=10)) if len(labels) else []
    else:
        where = range(len(labels) // 2 if turned == "half" else 0, len(labels))
    for t in set(where):
        labels[t] = labels[t] if labels[t] < 0 else 1 - labels[t]
    return replace(block, labels=labels), facts


def each_assumption(learner: Learner, claim: Callable[[Any, str], None], broken: bool, examples: int) -> None:
    for kind in assumptions(learner):
        drawn = draws.ASSUMED[kind](learner)

        @tried(noisy(drawn) if broken else drawn, examples=examples)
        def of_this(case):
            claim(case, kind)  # noqa: B023 (called at once)


def check_no_bound_raises_an_alarm_where_its_assumption_holds(learner: Learner) -> None:
    def claim(case, kind):
        block, _, facts = case
        for rows in (3, 4096):
            run = front.play(learner, block, assume=text_of(kind, facts), alarm="stop", block_rows=rows)
            assert run.alarm is None, f"false alarm: {run.alarm}"
            assert run.rounds + run.unlabelled == len(block)

    each_assumption(learner, claim, broken=False, examples=60)


def check_an_alarm_is_raised_at_the_first_round_beyond_a_bound(learner: Learner) -> None:
    def claim(case, kind):
        block, facts = case
        assume = text_of(kind, facts)
        expected = first_contradiction(learner, block, assume)
        for rows in (1, 5, 4096):
            run = front.play(learner, block, assume=assume, alarm="stop", block_rows=rows)
            found = None if run.alarm is None else run.alarm.row
            assert found == expected, f"alarm at row {found} in blocks of {rows}; the first prefix beyond a bound ends at {expected}"

    each_assumption(learner, claim, broken=True, examples=12)


def check_segments_between_alarms_are_runs_of_their_own(learner: Learner) -> None:
    def claim(case, kind):
        block, facts = case
        whole = front.play(learner, block, assume=text_of(kind, facts), alarm="restart", block_rows=7)
        start = 0
        for segment in whole.segments:
            size = segment.rounds + segment.unlabelled
            alone = front.play(learner, block.cut(start, start + size))
            assert segment.first_round == start and segment.predictions.tolist() == alone.predictions.tolist()
            assert segment.mistakes == alone.mistakes and same_state(segment.state, alone.state)
            start += size + (segment.alarm is not None and segment.alarm.refused)
        assert start == len(block) == len(whole.predictions)

    each_assumption(learner, claim, broken=True, examples=15)
