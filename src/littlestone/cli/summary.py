"""What `run` prints at the end: a few sentences, or one JSON object."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import TYPE_CHECKING, Any

from littlestone.cli.options import labels_of

if TYPE_CHECKING:
    from littlestone.cli.stream_run import Job


def report(job: Job, done: Any, claims: Any) -> None:
    """Print the result."""
    w = job.wanted
    risk = (job.first or done).risk(w.iid) if w.iid else None  # rounds of a second pass are no fresh draws
    if w.as_json:
        print(json.dumps(as_object(job, done, claims, risk), ensure_ascii=False))
    else:
        print_wrapped(in_words(job, done, claims, risk))


def print_wrapped(text: str) -> None:
    """Each line of it, in so many as the terminal needs."""
    print(wrapped(text))


def wrapped(text: str, width: int | None = None) -> str:
    """The same as text. Options and names are not broken."""
    width = width or min(140, shutil.get_terminal_size((140, 24)).columns)
    fit = textwrap.TextWrapper(width, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return "\n".join(fit.fill(line) for line in text.split("\n"))


def as_object(job: Job, done: Any, claims: Any, risk: Any) -> dict[str, Any]:
    """The object that `--json` prints; docs/command_line.md has its keys."""
    from littlestone.report import alarms, words

    w, runner = job.wanted, job.runner
    two = None if job.several else labels_of(job.stream)
    result = words.as_json(done, claims) if job.whole else alarms.segments_json(done, w.assume or "")
    result |= (alarms.alarm_json(done) if w.alarm else {}) | ({"risk": risk.as_json()} if risk else {})
    result |= {"streams": w.streams, "labels": dict(zip(("negative", "positive"), two, strict=True)) if two else None}
    result |= {"assume": w.assume, "bad_lines": job.stream.bad_lines}
    result |= {"model": str(w.model)} if w.model else {}
    result |= {"passes": job.passes} if job.passes else {}
    result |= {"hashing": job.stream.names.report()} if job.stream.reading.bits else {}
    if w.late:
        late = {"delay": w.delay, "overlap": runner.overlap, "by_id": runner.came_late, "unknown_ids": runner.unknown}
        result |= {"late": late | {"waiting": len(runner.by_id) + len(runner.queue)}}
    return result


def in_words(job: Job, done: Any, claims: Any, risk: Any) -> str:
    """The same as lines."""
    from littlestone.report import alarms, words

    w, runner, stream = job.wanted, job.runner, job.stream
    table = stream.reading.format not in ("libsvm", "vw", "text")
    lines = [words.summary(done, claims, table=table) if job.whole else alarms.segment_lines(done, w.assume or "")]
    if len(job.passes) > 1:
        for one in job.passes:
            lines.append(f"Pass {one['pass']}: {words.many(one['mistakes'], 'mistake')} in {words.many(one['rounds'], 'round')}.")
        for claim in job.judged(job.first):
            if claim.limit is not None:
                lines.append(f"Bound {claim.name} ({claim.kind}) on the first pass: at most {words.many(claim.limit, 'mistake')}.")
    if w.late:
        lines.append(
            f"Labels came late: at most {words.many(runner.overlap, 'update')} between a prediction and its label"
            + (f"; {words.many(runner.came_late, 'label')} by id." if w.delay is None else ".")
        )
        if runner.unknown:
            lines.append(f"{words.many(runner.unknown, 'label')} for no round that waits; the first: {runner.first_unknown}.")
    if stream.reading.bits:
        found = stream.names.report()
        share = words.percent(found["in_shared"], found["occurrences"])
        lines.append(
            f"Hashed into 2^{found['bits']} columns: {found['used']:,} used by at least {found['names_at_least']:,} names, "
            f"{found['shared']:,} of them by several; {share} of the features fall into these."
        )
    if w.alarm and job.whole:
        lines.append(alarms.alarm_line(done))
    if risk:
        lines.append(words.risk(risk))
    if stream.bad_lines:
        lines.append(f"{stream.bad_lines:,} malformed lines were left out; the first: {stream.first_bad}.")
    return "\n".join(lines)
