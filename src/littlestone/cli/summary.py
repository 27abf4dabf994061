"""What `run` prints at the end: a few sentences, or one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.cli.options import labels_of
from littlestone.cli.terminal import put_json, put_wrapped
from littlestone.files import without_folders

if TYPE_CHECKING:
    from littlestone.cli.stream_run import StreamRun


def report(running: StreamRun, done: Any, claims: Any) -> None:
    """Print the result."""
    o = running.options
    risk = (running.first or done).risk(o.iid) if o.iid else None  # rounds of a second pass are no fresh draws
    if o.as_json:
        put_json(as_object(running, done, claims, risk))
    else:
        put_wrapped(in_words(running, done, claims, risk))


def as_object(running: StreamRun, done: Any, claims: Any, risk: Any) -> dict[str, Any]:
    """The object that `--json` prints; docs/command_line.md has its keys."""
    from littlestone.report import alarms, words

    o, runner = running.options, running.runner
    two = None if running.several else labels_of(running.stream)
    result = words.as_json(done, claims) if running.whole else alarms.segments_json(done, running.by_segment(done))
    result |= (alarms.alarm_json(done) if running.alarm else {}) | ({"risk": risk.as_json()} if risk else {})
    result |= {"streams": running.streams, "labels": dict(zip(("negative", "positive"), two, strict=True)) if two else None}
    result |= {"window": recent.as_json()} if (recent := running.lately(done)) else {}
    result |= {"assume": o.assume, "bad_lines": running.stream.bad_lines}
    result |= {"model": str(o.model)} if o.model else {}
    result |= {"kept": running.kept.as_json() if running.kept else None} if o.keep else {}
    result |= {"passes": running.passes} if running.passes else {}
    if words.goes_on(done):
        total = done.total._asdict()
        result |= {"this_part": done.part._asdict(), "total": total | {"rate": done.total.mistakes / done.total.rounds}}
    result |= {"hashing": running.hashing} if running.hashing else {}
    if running.late:
        late = {"delay": o.delay, "overlap": runner.overlap, "by_id": runner.came_late, "unknown_ids": runner.unknown}
        result |= {"late": late | {"waiting": len(runner.by_id) + len(runner.queue)}}
    return result


def in_words(running: StreamRun, done: Any, claims: Any, risk: Any) -> str:
    """The same as lines."""
    from littlestone.report import alarms, words
    from littlestone.theory.certificate import Certificate, in_one_sentence
    from littlestone.theory.risk import in_words as risk_in_words

    o, runner, stream = running.options, running.runner, running.stream
    table = stream.reading.format not in ("libsvm", "vw", "text")
    lines = [in_one_sentence(running.certificate)] if isinstance(running.certificate, Certificate) else []  # of keys, each has its own
    lines += [f"I{risk_in_words(risk.as_json())[1:]}."] if risk else []
    recent = running.lately(done)
    if running.whole:
        lines.append(words.summary(done, claims, table=table, verbose=o.verbose, recent=recent))
    else:
        lines += [alarms.segment_lines(done, running.by_segment(done)), *words.this_part(done)]
        lines += [words.lately(recent)] if recent else []
    if getattr(done, "operating", None) is not None:
        lines.append(words.operating(done))
    if o.probabilities and running.whole:
        lines += words.calibration(done)
    if (strange := running.unmet_weights()) is not None:
        lines.append(strange)
    if running.unsearched:
        lines.append(running.unsearched)
    if len(running.passes) > 1:
        for counts in running.passes:
            lines.append(f"Pass {counts['pass']}: {words.many(counts['mistakes'], 'mistake')} in {words.many(counts['rounds'], 'round')}.")
        for claim in running.claims(running.first):
            if claim.limit is not None and (claim.compares or o.verbose):
                kind = claim.kind if claim.compares else f"{claim.kind}, an account"
                lines.append(f"Bound {claim.name} ({kind}) on the first pass: at most {words.many(claim.limit, 'mistake')}.")
    if running.late and o.delay is None and not (runner.came_late or runner.unknown):
        lines.append("Every label came with its own round: none by id.")
    elif running.late:
        lines.append(
            f"Labels came late: at most {words.many(runner.overlap, 'update')} between a prediction and its label"
            + (f"; {words.many(runner.came_late, 'label')} by id." if o.delay is None else ".")
        )
        if runner.unknown:
            lines.append(f"{words.many(runner.unknown, 'label')} for no round that waits; the first: {runner.first_unknown}.")
    if running.hashing:
        hashed = running.hashing
        share = words.percent(hashed["in_shared"], hashed["occurrences"])
        lines.append(
            f"Hashed into 2^{hashed['bits']} columns: {hashed['used']:,} used by at least {hashed['names_at_least']:,} names, "
            f"{hashed['shared']:,} of them by several; {share} of the features fall into these."
        )
    if running.alarm and running.whole:
        lines.append(alarms.alarm_line(done, o.assume, o.alarm_test))
    if running.kept:
        lines.append(words.kept(running.kept, f"{o.model}", f"{o.kept_certificate}"))
    elif running.uncertified:
        lines.append(f"The model saved is the last one, and nothing is certified of it: {running.uncertified}.")
    if stream.left_out:
        lines.append(f"{stream.left_out}.")
    return "\n".join(lines)


def page(running: StreamRun, done: Any, claims: Any) -> None:
    """Write the report: all of this, with figures."""
    from littlestone.cli.outputs import command_line
    from littlestone.report.page.run import RunFacts, run_page

    o, stream = running.options, running.stream
    assert o.report is not None
    certificate, why = running.certificate, "none was asked for (--certificate OUT.json writes one)"
    if certificate is None and running.may_certify and done.rounds and not running.code:
        certificate, why = certified(running, done)
        claims = claims if certificate is None else certificate.bounds
    risk = (running.first or done).risk(o.iid) if o.iid else None
    streams = ", ".join(map(without_folders, running.streams))
    facts = RunFacts(
        done,
        claims,
        running.timeline,
        command=command_line(),
        verify=command_line("verify", o.certificate or "certificate.json", *running.streams),
        lines=in_words(running, done, claims, risk).split("\n"),
        labels=running.names()[:-1],
        model=running.playing.model(ledger=False),
        format=stream.reading.format,
        certificate=certificate,
        certificate_file=o.certificate,
        uncertified=why,
        segments=() if running.whole else running.by_segment(done),
        streams={"stream": streams, "its digest": certificate.content["stream"]["digest"] if certificate else None},
    )
    run_page(facts).save(o.report)
    running.say(f"Report: {o.report}")


def certified(running: StreamRun, done: Any) -> tuple[Any, str]:
    """A certificate for the report alone, or why there is none."""
    from littlestone.api.certify import certify
    from littlestone.errors import LittlestoneError

    if running.stream.left_out:
        return None, f"nobody could check it against such a file: {running.stream.left_out}"
    running.say("Searching for witnesses.")
    try:
        return certify(done, running.stream, assume=running.options.assume, iid=running.options.iid), ""
    except LittlestoneError as error:
        return None, str(error)
