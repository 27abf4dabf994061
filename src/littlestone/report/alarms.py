"""Alarms in words: what was proved false and where, a line a segment, and the same for JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from littlestone.protocol import CopiesRun, SegmentedRun
from littlestone.report import words
from littlestone.theory import Claim
from littlestone.theory.claims import best

NO_ALARM = {
    "exchangeable": "No alarm: nothing in these rounds shows that the stream has changed.",
    "drift": "No alarm: this test looked at how often the run itself erred, and found no lasting rise.",
}


def alarm_line(done: Any, assume: str | None, test: str) -> str:
    """Return what the alarm found, or that it found nothing; without an assumption by which `test`."""
    if done.alarm is None:
        if not assume:
            return NO_ALARM[test]
        return "No alarm: the mistakes do not contradict the assumption. Nothing else was looked for."
    return f"Alarm at {done.alarm}."


def segment_lines(done: SegmentedRun, bounds: Sequence[Sequence[Claim]]) -> str:
    """A line for each segment, with the best of its bounds, after one for all of them; of copies, a line for each of these as well.

    `bounds` are those of each segment, or of each copy.
    """
    lines = [
        f"{done.learner!r} made {words.many(done.mistakes, 'mistake')} in {words.many(done.rounds, 'round')}, "
        f"{words.many(len(done.segments), 'segment')}, {words.many(len(done.alarms), 'alarm')}."
    ]
    if done.refused:
        were = "was" if done.refused == 1 else "were"
        lines.append(f"{words.many(done.refused, 'round')} more {were} refused, and count as mistakes in what is said of fresh examples.")
    if isinstance(done, CopiesRun):
        return "\n".join([*lines, *copies_lines(done, bounds)])
    for number, (run, claims) in enumerate(zip(done.segments, bounds, strict=True), start=1):
        end = f"; alarm at {run.alarm}" if run.alarm else ""
        span = _span(run.first_round, run.rounds + run.unlabelled)
        lines.append(f"Segment {number}, {span}: {words.many(run.mistakes, 'mistake')}, {_bound(claims)}{end}.")
    return "\n".join(lines)


def copies_lines(done: CopiesRun, bounds: Sequence[Sequence[Claim]]) -> list[str]:
    """Return what the alarms may have cost, a line for each segment with the copies that spoke in it, and a line for each copy."""
    lines = [copies_cost(done)]
    for number, segment in enumerate(done.segments, start=1):
        end = f"; alarm at {segment.alarm}" if segment.alarm else ""
        span = _span(segment.first_round, segment.rounds + segment.unlabelled)
        lines.append(f"Segment {number}, {span}: {words.many(segment.mistakes, 'mistake')}; {_spoke(segment.spoke)}{end}.")
    for copy, claims in zip(done.copies, bounds, strict=True):
        made = f"{words.many(copy.mistakes, 'mistake')}, {_bound(claims)}; it spoke in {words.many(copy.spoke, 'round')}"
        lines.append(f"Copy {copy.number}, {_span(copy.first_round, copy.rows)}: {made}.")
    return [*lines, f"The model is copy {done.leader}."] if len(done.copies) > 1 else lines


def copies_cost(done: CopiesRun) -> str:
    """What the run would have made without an alarm, and what the theorem says of the difference, in a sentence."""
    if len(done.copies) == 1:
        return NO_ALARM[done.alarm_test]
    without = f"Copy 1 plays as if there were no alarm, and made {words.many(done.first.mistakes, 'mistake')}"
    if not (claims := done.bounds()):
        return f"{without}."
    more = f", {done.beyond:,} of them while a later copy was clearly ahead" if done.beyond else ""
    limit = claims[0].limit or 0
    return f"{without}; the answers make at most {limit - done.first.mistakes:,} more whatever comes{more}: at most {limit:,} (alarm-cost)."


def _spoke(spoke: Mapping[int, int]) -> str:
    """Which copies spoke."""
    if len(spoke) < 2:
        return f"copy {next(iter(spoke), 1)} spoke"
    return "copy " + ", ".join(f"{number} spoke in {words.many(rounds, 'round')}" for number, rounds in spoke.items())


def _bound(claims: Sequence[Claim]) -> str:
    least = best(claims)
    return f"bound {least.limit:,} ({least.name})" if least is not None and least.limit is not None else "no bound"


def _span(first_round: int, rows: int) -> str:
    return f"rounds {first_round + 1:,} to {first_round + rows:,}" if rows else f"no round after {first_round:,}"


def segments_json(done: SegmentedRun, bounds: Sequence[Sequence[Claim]]) -> dict[str, Any]:
    """The object that `--json` prints of a run in segments: each with all that a run has."""
    segments: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    if isinstance(done, CopiesRun):
        segments = [segment.as_json() | alarm_json(segment) for segment in done.segments]
        copies = [words.as_json(copy.run, claims) | copy.as_json() for copy, claims in zip(done.copies, bounds, strict=True)]
        more = {"bounds": [claim.as_json() for claim in done.bounds()], "copies": copies, "model_copy": done.leader}
    else:
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
        **_labelled(done),
        "segments": segments,
        **more,
    } | alarm_json(done)


def _labelled(done: SegmentedRun) -> dict[str, Any]:
    """Of a panel: which label it predicts, and the mistakes of the vote beside it in all; None of copies where several spoke, as each has a
    vote of its own."""
    label_by = getattr(done.learner, "label_by", None)
    if label_by is None:
        return {}
    if isinstance(done, CopiesRun):
        alone = done.mistakes if label_by == "vote" else None
        vote = next((copy.run.vote_mistakes for copy in done.copies if copy.spoke == done.rounds), alone)
    else:
        vote = sum(run.vote_mistakes for run in done.segments)
    return {"label_by": label_by, "vote_mistakes": vote, **({"forecast_mistakes": done.mistakes} if label_by == "forecast" else {})}


def alarm_json(done: Any) -> dict[str, Any]:
    return {"alarm": None if done.alarm is None else done.alarm.as_json()}
