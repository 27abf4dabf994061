"""Alarms in words: what was proved false and where, a line a segment, and the same for JSON."""

from collections.abc import Sequence
from typing import Any

from littlestone.protocol import SegmentedRun
from littlestone.report import words
from littlestone.theory import Claim
from littlestone.theory.claims import best


def alarm_line(done: Any, assume: str | None) -> str:
    """What the alarm found, or that it found nothing."""
    if done.alarm is None:
        if not assume:
            return "No alarm: nothing in these rounds shows that the stream has changed."
        return "No alarm: the mistakes do not contradict the assumption. Nothing else was looked for."
    return f"Alarm at {done.alarm}."


def segment_lines(done: SegmentedRun, bounds: Sequence[Sequence[Claim]]) -> str:
    """A line for each segment, with the best of its bounds, after one for all of them."""
    lines = [
        f"{done.learner!r} made {words.many(done.mistakes, 'mistake')} in {words.many(done.rounds, 'round')}, "
        f"{words.many(len(done.segments), 'segment')}, {words.many(len(done.alarms), 'alarm')}."
    ]
    if done.refused:
        were = "was" if done.refused == 1 else "were"
        lines.append(f"{words.many(done.refused, 'round')} more {were} refused, and count as mistakes in what is said of fresh examples.")
    for number, (run, claims) in enumerate(zip(done.segments, bounds, strict=True), start=1):
        least = best(claims)
        bound = f"bound {least.limit:,} ({least.name})" if least is not None and least.limit is not None else "no bound"
        rows = run.rounds + run.unlabelled
        span = f"rounds {run.first_round + 1:,} to {run.first_round + rows:,}" if rows else f"no round after {run.first_round:,}"
        end = f"; alarm at {run.alarm}" if run.alarm else ""
        lines.append(f"Segment {number}, {span}: {words.many(run.mistakes, 'mistake')}, {bound}{end}.")
    return "\n".join(lines)


def segments_json(done: SegmentedRun, bounds: Sequence[Sequence[Claim]]) -> dict[str, Any]:
    """The object that `--json` prints of a run in segments: each with all that a run has."""
    segments = []
    for run, claims in zip(done.segments, bounds, strict=True):
        place = {"first_round": run.first_round, "rows": run.rounds + run.unlabelled}
        segments.append(place | words.as_json(run, claims) | alarm_json(run))
    return {
        "learner": done.learner.name,
        "settings": words.settings(done.learner),
        "rounds": done.rounds,
        "mistakes": done.mistakes,
        "unlabelled": done.unlabelled,
        "seconds": done.seconds,
        "segments": segments,
    } | alarm_json(done)


def alarm_json(done: Any) -> dict[str, Any]:
    return {"alarm": None if done.alarm is None else done.alarm.as_json()}
