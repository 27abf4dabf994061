"""A run of the command line: refuse what cannot be done, play, and hand over what is to be said."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from littlestone.api.observers import Observer
from littlestone.cli import model_files, outputs
from littlestone.cli.options import ReadingOptions, label_texts, labels_of
from littlestone.cli.progress import Bar, Doublings, Log, tell_of_compiling
from littlestone.errors import LittlestoneError, require

MOST_CLASSES = 64  # labels in the first rows beyond which nobody is taken to have meant classes


@dataclass
class RunOptions:
    """What the user asked for."""

    streams: list[str]
    given: ReadingOptions = field(default_factory=ReadingOptions)
    learner: str | None = None
    members: list[str] | None = None
    n: int | None = None
    assume: str | None = None
    alarm: str = ""  # stop, report or restart
    iid: str | None = None
    passes: int = 1
    delay: int | None = None
    predictions: Path | None = None
    certificate: Path | None = None
    model: Path | None = None
    checkpoint_every: int | None = None
    from_model: Path | None = None
    skip: int = 0
    follow: bool = False
    as_json: bool = False
    quiet: bool = False

    @property
    def late(self) -> bool:
        """May labels come late?"""
        return self.delay is not None or "id" in self.given.choices

    def refuse(self) -> None:
        """What does not go together, whatever the learner and the stream."""
        known = self.predictions is None or str(self.predictions) != "-"
        require(
            known, "--predictions -: standard output is for the result; expected a file (littlestone predict writes to standard output)"
        )
        require(self.passes >= 1, f"--passes {self.passes} must be at least 1")
        require(self.delay is None or self.delay >= 0, f"--delay {self.delay} must not be negative")
        if self.passes > 1:
            for option, value in (("--skip", self.skip), ("--follow", self.follow)):
                require(not value, f"--passes {self.passes} and {option}: one at a time")
        require(not (self.delay is not None and "id" in self.given.choices), "--delay and --id: one at a time")
        require(not (self.late and self.alarm), "an alarm needs labels that come at once; leave out --delay and --id")
        require(not self.members or self.from_model is None, "--members: the model has its members already; leave out --from")
        whole = self.from_model is None and not self.skip
        require(not self.certificate or whole, "--certificate needs the whole run: leave out --from and --skip")


def carry_out(wanted: RunOptions) -> int:
    """Do it, print the result; the exit code."""
    from littlestone.cli import summary

    wanted.refuse()
    try:
        job = Job(wanted)
    except KeyboardInterrupt:
        print("Interrupted before the first round: nothing was played.", file=sys.stderr)
        return 130
    run = job.play()
    claims = job.judged(run if job.whole else run.segments[-1])
    job.ticks.last(claims)
    job.keeper.last(interrupted=job.code == 130)
    claims = job.certify(run) if wanted.certificate else claims
    summary.report(job, run, claims)
    return job.code


class Job:
    """The learner, the stream and the observers of one run."""

    def __init__(self, wanted: RunOptions) -> None:
        from littlestone.cli.outputs import refuse_output

        self.wanted, self.say = wanted, Log(wanted.quiet)
        self.code = 0  # to exit with
        self.passes: list[dict[str, Any]] = []
        self.first: Any = None  # the run as it stood after the first of several passes
        w = wanted
        self.before = model_files.opened(w.from_model, w.learner, w.n)
        self.reading = w.given.reading(self.before)
        for name in w.streams:  # all of them before the first is played: a word too many is soon taken for a file
            require(name == "-" or any(c in name for c in "*?[") or Path(name).exists(), f"{name}: no such file")
        self.stream = w.given.open(w.streams, self.before, follow=w.follow)
        require(w.passes == 1 or self.stream.is_file, f"--passes {w.passes}: a pipe can be read only once; expected files")
        certified = w.certificate is None or self.stream.is_file
        require(certified, "--certificate: a pipe can be read only once, and a certificate needs a second look; expected files")
        for option, path in (("--predictions", w.predictions), ("--certificate", w.certificate)):
            if path is not None:
                refuse_output(option, path, w.streams)
        self.learner = self._learner()
        refuse_assumption(w.assume, self.learner)
        model_files.refuse(w.model, w.checkpoint_every, w.skip, self.learner, w.streams)
        tell_of_compiling([self.learner], self.stream, self.say)
        plain = self.stream.warm()
        self.playing: Any = None
        self.ticks = Doublings(self.judged, self.say)
        self.keeper = model_files.Keeper(w.model, w.checkpoint_every, w.skip, self.say)
        self.observers = [
            Course(self, plain),
            self.ticks,
            outputs.PredictionsFile(w.predictions, self.names, self._disk_full),
            self.keeper,
            Bar(self.stream, w.quiet, w.passes),
        ]

    def _learner(self) -> Any:
        """The learner that was asked for; unless one was, the panel, or where the labels are more than two one panel a class."""
        from littlestone.cli.choose import learner_named

        w = self.wanted
        if self.before is not None:
            return self.before.learner
        if w.learner is not None or w.members or not self._several():
            return learner_named("panel" if w.learner is None else w.learner, w.n, w.members)
        learner = learner_named("one_vs_rest:learner=panel", w.n)
        self.say("More than two labels: one panel for each of them against the rest (--learner NAME for another).")
        return learner

    def _several(self) -> bool:
        """Do the first rows have more than two labels, and few enough to be classes?"""
        if self.reading.labels is not None or (self.reading.label or "").strip("<>=!") != (self.reading.label or ""):
            return False
        labels = self.stream.labels_ahead()
        return 2 < len(labels) <= MOST_CLASSES and all(isinstance(label, str) or float(label).is_integer() for label in labels)

    def play(self) -> Any:
        """What the run leaves."""
        from littlestone.api.play import play

        w = self.wanted
        return play(
            self.before if self.before is not None else self.learner.sized(w.n) if w.n is not None else self.learner,
            self.stream,
            assume=w.assume if w.alarm else None,
            alarm=w.alarm or None,
            ledger=w.model is not None,
            passes=w.passes,
            delay=w.delay,
            ids=True if "id" in w.given.choices else None,
            skip=w.skip,
            metrics=True,
            predictions=w.certificate is not None,
            observers=self.observers,
        )

    @property
    def runner(self) -> Any:
        return self.playing.runner

    @property
    def several(self) -> bool:
        return self.learner.kind == "several classes"

    @property
    def whole(self) -> bool:
        """Is it one run, and not one for each segment?"""
        return self.wanted.alarm != "restart"

    def judged(self, run: Any) -> Any:
        """Its bounds; none where it went on from a model whose rounds nobody has measured."""
        return [] if run.resumed and not self.wanted.assume else run.bounds(self.wanted.assume)

    def names(self) -> list[Any]:
        """How predictions are written, by code; last what stands for none."""
        if self.several:
            return [*map(str, self.playing.rounds.classes), ""]  # no prediction yet: an empty line
        return [*label_texts(self.reading.but(labels=labels_of(self.stream) or self.reading.labels)), None]

    def certify(self, run: Any) -> list[Any]:
        """Write the certificate, or one for each segment, numbered; the bounds of the last, with their witnesses."""
        from littlestone.api.certify import certify

        path, bad = self.wanted.certificate, self.stream.bad_lines
        assert path is not None
        require(
            not bad, f"--certificate: {bad:,} malformed lines were left out, and nobody could check it against such a file; mend it first"
        )
        self.say("Searching for witnesses.")
        for number, part in enumerate(run.segments, 1):
            place = path if len(run.segments) == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
            certificate = certify(part, self.stream, assume=self.wanted.assume, iid=self.wanted.iid)
            certificate.save(place)
            self.say(f"Certificate: {place}")
        return certificate.bounds

    def _disk_full(self, error: OSError) -> None:
        """What was learned is not lost with the predictions."""
        path = self.wanted.predictions
        print(f"littlestone: {path}: cannot be written ({error.strerror}); this is what was done so far", file=sys.stderr)
        self.code = 2


class Course(Observer):
    """What the job itself is told of its run: when to warm up, what a pass came to, and that somebody pressed Ctrl-C."""

    def __init__(self, job: Job, plain: bool) -> None:
        self.job, self.plain = job, plain
        self.counts = (0, 0)

    def begins(self, playing: Any) -> None:
        self.job.playing, learner = playing, playing.learner
        if playing.counted:
            self.job.say(f"{learner.name} needs the number of features: counted n = {learner.n:,} in one pass over the file.")
        playing.runner.warm(boolean=self.plain)
        self.counts = (playing.runner.rounds, playing.runner.mistakes)

    def around(self) -> Any:
        return model_files.unbroken()

    def after(self, taken: Any) -> None:
        if self.job.runner.stopped:
            self.job.code = 1

    def end_of_pass(self, number: int) -> None:
        job, (rounds, mistakes) = self.job, self.counts
        if job.wanted.passes == 1:
            return
        run = job.playing.run()
        job.first = job.first or run
        bounds = [claim.as_json() for claim in job.judged(run)]
        counts = {"rounds": job.runner.rounds - rounds, "mistakes": job.runner.mistakes - mistakes}
        job.passes.append({"pass": number, **counts, "bounds": bounds})
        self.counts = (job.runner.rounds, job.runner.mistakes)

    def interrupted(self) -> bool:
        self.job.say("Interrupted: this is what was done so far.")
        self.job.code = 130
        return True


def refuse_assumption(assume: str | None, chosen: Any) -> None:
    """An assumption that no theorem of the learner makes."""
    if not assume:
        return
    from littlestone.theory import parse_assumption

    kind, _ = parse_assumption(assume)
    known = sorted({b.assumes for b in chosen.bounds} - {"none"})
    if kind not in known:
        from littlestone import learners

        able = [name for name in learners.names() if any(b.assumes == kind for b in learners.described(name).bounds)]
        others = f"; learners that have: {', '.join(able)} (--learner NAME)" if able else ""
        raise LittlestoneError(f"{chosen.name} has no theorem that assumes {kind!r}; it has: {', '.join(known) or 'none'}{others}")
