"""What must be true of a learner whose assumption is watched: no false alarm, and none too early or too late."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.checks.trials import assumption, same_state, tried
from littlestone.errors import Contradiction
from littlestone.protocol import Block, Learner


def assumptions(learner: Learner) -> list[str]:
    """What its a priori bounds assume."""
    return sorted({bound.assumes for bound in learner.bounds if bound.kind == "a priori"} & set(draws.ASSUMED))


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
        c = Fraction(1 if block.weights is None else float(block.weights[t]))
        if "R" in sizes and c * sum((v * v for v in row), rho * rho) > sizes["R"] ** 2:
            return t
        if "X" in sizes and max(map(abs, row), default=Fraction(0)) > sizes["X"]:
            return t
        try:
            run = front.play(learner, block.cut(0, t + 1))
        except Contradiction:
            return t
        if (learner.never and getattr(run, learner.never)) or any(
            "exceed" in claim.reason for claim in run.bounds(assumption(kind, declared))
        ):
            return t
    return None


#: What to declare of a hostile stream: so much that a learner soon exceeds its bound.
STRONG: dict[str, dict[str, tuple]] = {
    "class": {},
    "conjunction": {"size": (None, 1, 3)},
    "disjunction": {"r": (0, 1, 2)},
    "function": {"size": (None, 1, 4)},
    "k_of_r": {"k": (1,), "r": (1, 2)},
    "separable": {"U": (Fraction(1, 2), 1), "delta": (1,)},
    "margin": {"gamma": (1, 2, 5)},
}


@st.composite
def hostile(draw, learner: Learner, kind: str) -> tuple[Block, str]:
    """A stream on which, sooner or later, every label is the one that was not predicted; and an assumption that is too strong for it.

    Rows may grow as they come, so that what was measured of them, and the limits with it, grows too.
    """
    instances = draw(draws.rows(learner, whole=draw(st.booleans()), most=40))
    if draw(st.booleans()):
        instances = sorted(
            instances, key=lambda row: (sum(map(abs, row.values())) if isinstance(row, dict) else 0, len(row), max(row, default=0))
        )
    block = draws.block_of(learner, instances, draw(draws.dice).choices((-1, 0, 1), k=len(instances)))
    if learner.weighted and draw(st.booleans()):
        block = draw(draws.weighed(block))
    drawn = {key: draw(st.sampled_from(values)) for key, values in STRONG[kind].items()}
    facts = {key: value for key, value in drawn.items() if value is not None}
    takes = {name for bound in learner.bounds if bound.assumes == kind for name in bound.needs}
    for key, fact in (("R", "R2"), ("X", "X")):
        if fact in takes and draw(st.booleans()):
            facts[key] = draw(st.sampled_from([1, 2, 5]))
    return contrary(learner, block, draw(st.integers(0, len(block)))), assumption(kind, facts)


def contrary(learner: Learner, block: Block, since: int) -> Block:
    """The same rounds, where from one of them on each label is the opposite of the prediction."""
    labels, state = block.labels.copy(), learner.first_state(draws.width(learner))
    state = learner.prepare(state, block) if learner.prepare else state
    for t, (indices, values, _) in enumerate(block.rounds()):
        yhat = learner.predict(state, indices, values)
        if t >= since and labels[t] >= 0:
            labels[t] = not yhat
        if labels[t] >= 0:
            state = learner.update(state, indices, values, labels[t] == 1, yhat, 1.0 if block.weights is None else block.weights[t])
            if learner.broken is not None and learner.broken(state):
                break
    return replace(block, labels=labels)


def small_first(block: Block) -> Block:
    """The same rounds, few and small features first: what a bound measures of the stream grows as it goes."""
    rounds = [(tuple(i.tolist()), None if v is None else v.tolist(), int(y)) for i, v, y in block.rounds()]
    rounds.sort(key=lambda row: (max(row[0], default=0), len(row[0]), max(map(abs, row[1] or [0]))))
    turned = Block.of([i if v is None else dict(zip(i, v, strict=True)) for i, v, _ in rounds], [y for _, _, y in rounds])
    return turned if block.values is None or turned.values is not None else replace(turned, values=np.empty(0, np.float32))


def check_no_alarm_is_raised_where_the_assumption_holds(learner: Learner) -> None:
    for kind in assumptions(learner):

        @tried(draws.ASSUMED[kind](learner), examples=80)
        def claim(case):
            block, _, facts = case
            for stream in (block, small_first(block)):
                for rows in (3, 4096):
                    run = front.play(learner, stream, assume=assumption(kind, facts), alarm="stop", block_rows=rows)  # noqa: B023
                    assert run.alarm is None, f"false alarm: {run.alarm}"
                    assert run.rounds + run.unlabelled == len(block)


def check_the_alarm_is_raised_at_the_first_round_beyond_a_limit(learner: Learner) -> None:
    for kind in assumptions(learner):

        @tried(hostile(learner, kind), examples=10)
        def claim(case):
            block, assume = case
            expected = first_contradiction(learner, block, assume)
            for rows in (1, 5, 4096):
                run = front.play(learner, block, assume=assume, alarm="stop", block_rows=rows)
                alarm_row = None if run.alarm is None else run.alarm.row
                assert alarm_row == expected, (
                    f"alarm at row {alarm_row} in blocks of {rows}; the first prefix beyond a bound ends at {expected}"
                )


def check_segments_between_alarms_are_runs_of_their_own(learner: Learner) -> None:
    for kind in assumptions(learner):

        @tried(hostile(learner, kind), examples=8)
        def claim(case):
            block, assume = case
            whole = front.play(learner, block, assume=assume, alarm="restart", block_rows=7)
            start = 0
            for segment in whole.segments:
                size = segment.rounds + segment.unlabelled
                alone = front.play(learner, block.cut(start, start + size))
                assert segment.first_round == start and segment.predictions.tolist() == alone.predictions.tolist()
                assert segment.mistakes == alone.mistakes and same_state(segment.state, alone.state)
                start += size + (segment.alarm is not None and segment.alarm.refused)
            assert start == len(block) == len(whole.predictions)
