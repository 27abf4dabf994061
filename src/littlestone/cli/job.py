"""A run of the command line: refuse what cannot be done, play, and hand over what is to be said."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from littlestone.cli import keep
from littlestone.cli.options import Given, label_texts, labels_of
from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.protocol import Block


@dataclass
class Wanted:
    """What the user asked for."""

    streams: list[str]
    given: Given = field(default_factory=Given)
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
            require(
                not self.certificate,
                "--certificate: a certificate is of one pass, whose stream anybody can read; leave out --passes, or play the file "
                "that many times over (run a.libsvm a.libsvm)",
            )
            other = [("--skip", self.skip), ("--follow", self.follow), ("--alarm", self.alarm), ("--delay or --id", self.late)]
            for option, given in other:
                require(not given, f"--passes {self.passes} and {option}: one at a time")
        require(not (self.delay is not None and "id" in self.given.choices), "--delay and --id: one at a time")
        if self.late:
            require(not self.alarm, "an alarm needs labels that come at once; leave out --delay and --id")
            require(not self.certificate, "--certificate: its theorems need labels that come at once; leave out --delay and --id")
        require(not self.members or self.from_model is None, "--members: the model has its members already; leave out --from")
        fresh = self.model is None and self.from_model is None
        require(not self.alarm or fresh, "--alarm begins afresh and keeps no ledger: leave out --model and --from")
        whole = self.from_model is None and not self.skip
        require(not self.certificate or whole, "--certificate needs the whole run: leave out --from and --skip")


def carry_out(wanted: Wanted) -> int:
    """Do it, print the result; the exit code."""
    from littlestone.cli import said

    wanted.refuse()
    try:
        job = Job(wanted)
    except KeyboardInterrupt:
        print("Interrupted before the first round: nothing was played.", file=sys.stderr)
        return 130
    code = job.play()
    done = job.result()
    claims = job.judged(done if job.whole else done.segments[-1])
    job.ticks.last(claims)
    job.keeper.last(job.stream, interrupted=code == 130)
    claims = job.kept.certify(done, wanted.assume, job.say) if job.kept else claims
    said.report(job, done, claims)
    return code


class Job:
    """The learner, the stream and the runner of one run."""

    def __init__(self, wanted: Wanted) -> None:
        from littlestone.cli.certify import Kept
        from littlestone.cli.choose import learner_named
        from littlestone.cli.outputs import refuse_output
        from littlestone.cli.progress import Doublings, Log, tell_of_compiling
        from littlestone.protocol import ClassLearner, ClassMap

        self.wanted, self.say = wanted, Log(wanted.quiet)
        w = wanted
        self.before = keep.opened(w.from_model, w.learner, w.n)
        named = "panel" if w.learner is None else w.learner
        chosen: Any = learner_named(named, w.n, w.members) if self.before is None else self.before.learner
        self.reading = w.given.reading(self.before)
        refuse_assumption(w.assume, chosen)
        for name in w.streams:  # all of them before the first is played: a word too many is soon taken for a file
            require(name == "-" or any(c in name for c in "*?[") or Path(name).exists(), f"{name}: no such file")
        self.stream = w.given.open(w.streams, self.before, follow=w.follow)
        require(w.passes == 1 or self.stream.is_file, f"--passes {w.passes}: a pipe can be read only once; expected files")
        for option, path in (("--predictions", w.predictions), ("--certificate", w.certificate)):
            if path is not None:
                refuse_output(option, path, w.streams)
        keep.refuse(w.model, w.checkpoint_every, w.skip, chosen, w.streams)
        several = isinstance(chosen, ClassLearner)
        require(not (w.late and several), f"--delay and --id are for learners of two classes; {chosen.name} takes several")
        self.kept = Kept(self.stream, chosen, w.certificate, w.iid) if w.certificate else None
        tell_of_compiling([chosen], self.stream, self.say)
        plain = self.stream.warm()
        counted = chosen.needs_n and chosen.n is None
        if counted:
            count = self.stream.count_features()
            self.say(f"{chosen.name} needs the number of features: counted n = {count:,} in one pass over the file.")
            chosen = chosen.sized(count)
        self.classes = ClassMap() if several else None
        self.guard, self.runner = self._runner(chosen, counted)
        self.runner.warm(boolean=plain)
        self.keeper = keep.Keeper(w.model, w.checkpoint_every, self.runner, self.before, w.skip, self.say)
        self.ticks = Doublings(self.runner, lambda: self.judged(self._finished()), self.say)
        self.passes: list[dict[str, Any]] = []
        self.first: Any = None  # the run as it stood after the first of several passes
        self.seconds = 0.0

    def _runner(self, chosen: Any, counted: bool) -> tuple[Any, Any]:
        """What plays: a guard where an assumption is watched, and the runner, which may be the guard itself."""
        from littlestone.protocol import ClassLearner, ClassRunner, Guard, LateRunner, Marks, Runner

        w, classes = self.wanted, () if self.classes is None else self.classes
        if w.alarm:
            guard = Guard(chosen, w.assume, w.alarm, counted=counted, classes=classes, keep=self.kept is not None)
            return guard, guard
        if isinstance(chosen, ClassLearner):
            return None, ClassRunner(chosen, counted=counted)
        if w.late:
            require(self.before is None, "--from: labels that come late begin with a fresh learner; leave out --delay and --id")
            return None, LateRunner(chosen, delay=w.delay, counted=counted, marks=Marks())
        if self.before is not None:
            return None, self.before.runner()
        return None, Runner(chosen, counted=counted, ledger=keep.ledger_for(chosen) if w.model else None, marks=Marks())

    @property
    def whole(self) -> bool:
        """Is it one run, and not one for each segment?"""
        return self.wanted.alarm != "restart"

    def _finished(self, seconds: float = 0.0) -> Any:
        from littlestone.protocol import ClassRunner

        runner = self.runner
        return runner.run(self.classes or (), seconds=seconds) if isinstance(runner, ClassRunner) else runner.run(seconds=seconds)

    def judged(self, done: Any) -> Any:
        """Its bounds; none where it went on from a model whose rounds nobody has measured."""
        return [] if done.resumed and not self.wanted.assume else done.bounds(self.wanted.assume)

    def result(self) -> Any:
        if self.guard is not None:
            return self.guard.result(self.seconds)
        return self.kept.run(self.runner, self.seconds) if self.kept else self._finished(self.seconds)

    def play(self) -> int:
        """All passes, or as far as nobody interrupts; the exit code."""
        from littlestone.cli import outputs, progress
        from littlestone.protocol import LateRunner

        code, w = 0, self.wanted
        begun = perf_counter()
        with ExitStack() as stack:
            out = stack.enter_context(outputs.predictions(w.predictions))
            show = stack.enter_context(progress.bar(self.stream, self.runner, w.quiet, w.passes))
            try:
                for number in range(1, w.passes + 1):
                    before = (self.runner.rounds, self.runner.mistakes)
                    for block in keep.after_rows(self.stream.lent_blocks(self.classes), w.skip):
                        self._take(block, out)
                        self.keeper.after(self.stream)
                        show()
                        if self.guard and self.guard.stopped:
                            code = 1
                            break
                    if isinstance(self.runner, LateRunner):
                        self.runner.finish()
                    self._end_of_pass(number, *before)
            except KeyboardInterrupt:
                self.say("Interrupted: this is what was done so far.")
                code = 130
            except OSError as error:  # a full disk: what was learned is not lost with the predictions
                print(f"littlestone: {w.predictions}: cannot be written ({error.strerror}); this is what was done so far", file=sys.stderr)
                code = 2
            finally:
                self.seconds = perf_counter() - begun
        return code

    def _take(self, block: Block, out: Any) -> None:
        import numpy as np

        from littlestone.protocol import Runner

        runner = self.runner if isinstance(self.runner, Runner) and not self.kept else None
        scored = out.objects and runner is not None and runner.learner.kernels.score is not None
        for part in self.ticks.cut(block):
            scores = np.empty(len(part)) if scored else None
            with keep.unbroken():
                made = self.kept.take(self.runner, part) if self.kept else self.runner.take(part, *([scores] if scored else []))
                out.write(made, self.names(), scores, part.ids)
            self.ticks.after()
            if self.guard and self.guard.stopped:
                return

    def names(self) -> list[Any]:
        """How predictions are written, by code; last what stands for none."""
        if self.classes is not None:
            return [*map(str, self.classes), ""]  # no prediction yet: an empty line
        return [*label_texts(self.reading.but(labels=labels_of(self.stream) or self.reading.labels)), None]

    def _end_of_pass(self, number: int, rounds: int, mistakes: int) -> None:
        if self.wanted.passes == 1:
            return
        done = self._finished()
        self.first = self.first or done
        bounds = [claim.as_json() for claim in self.judged(done)]
        counts = {"rounds": self.runner.rounds - rounds, "mistakes": self.runner.mistakes - mistakes}
        self.passes.append({"pass": number, **counts, "bounds": bounds})


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
