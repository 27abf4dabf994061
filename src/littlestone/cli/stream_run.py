"""A run of the command line: refuse what cannot be done, play, and hand over what is to be printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.api.observers import Observer
from littlestone.cli import model_files
from littlestone.cli.options import (
    Alarm,
    AlarmDelta,
    AlarmReport,
    AlarmTest,
    AsJson,
    Assume,
    Certificate,
    ClusterOptions,
    Features,
    LabelBy,
    Learner,
    Members,
    Quiet,
    ReadingOptions,
    ReportFile,
    Window,
    class_weights,
    label_texts,
    labels_of,
)
from littlestone.cli.outputs import AskedFile, Paths, PredictionsFile, refuse_outputs
from littlestone.cli.progress import Bar, Doublings, Log, tell_of_columns
from littlestone.cli.replays import of_a_panel
from littlestone.cli.terminal import note
from littlestone.errors import LittlestoneError, Lost, ThirdLabel, UndeclaredLabel, require
from littlestone.rounds.reading import as_label, cost_of

SMALL = 2**25  # bytes of a file whose predictions are kept for a second look
SOON = 2**20  # features in which a linear rule is looked for, where nothing is said
UNSEARCHED_CLASSES = "No rule was looked for to compare with: --certificate does."
UNSEARCHED = "No rule was looked for to compare with: --search does, in a second reading of the file."
UNSEARCHED_PIPE = "No rule was looked for to compare with: that needs a second reading, and a pipe is read once."


@dataclass
class PlayOptions:
    """Who plays a stream, and what is known of it beforehand."""

    learner: Learner = None
    members: Members = None
    shifting: Annotated[
        bool, typer.Option("--shifting", help="For streams that change: let the panel follow members that take turns in being best.")
    ] = False
    label_by: LabelBy = None
    n: Features = None
    assume: Assume = None
    iid: Annotated[
        str | None,
        typer.Option(metavar="DELTA", help="Rows are independent draws: bound the error on fresh rows, too, with probability 1 - DELTA."),
    ] = None
    as_json: AsJson = False
    quiet: Quiet = False


@dataclass
class RunOptions(ClusterOptions, PlayOptions):
    """All that `run` can be asked for."""

    alarm: Alarm = False
    alarm_report: AlarmReport = False
    restart_on_alarm: Annotated[bool, typer.Option("--restart-on-alarm", help="Begin a fresh segment after that round.")] = False
    alarm_delta: AlarmDelta = "0.05"
    alarm_test: AlarmTest = "exchangeable"
    passes: Annotated[int, typer.Option(metavar="K", help="Play the files K times, one pass after the other.")] = 1
    delay: Annotated[int | None, typer.Option(metavar="K", help="The label of a round is told K rounds later.")] = None
    labels_asked: Annotated[
        Path | None, typer.Option(help="Of `selective`: write the rounds whose label it looked at to this file, by id or by number.")
    ] = None
    predictions: Annotated[Path | None, typer.Option(help="Write each round's prediction to this file; .jsonl: with its score and id.")] = (
        None
    )
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Give the probability of the positive label with each prediction, and tell how well they are calibrated.",
        ),
    ] = False
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="FP:FN",
            help="What a false positive costs, and a false negative: 1:4; of several classes TRUE:SAID=COST,... or a CSV file of a matrix.",
        ),
    ] = None
    class_weight: Annotated[
        list[str] | None, typer.Option(metavar="LABEL=W", help="How much the rounds with a label weigh. Repeat for more.")
    ] = None
    threshold: Annotated[str | None, typer.Option(metavar="P", help="Answer with the positive label from this probability on.")] = None
    target: Annotated[
        str | None, typer.Option(metavar="recall=P", help="Move the threshold so that this recall, precision or fpr comes out.")
    ] = None
    certificate: Certificate = None
    report: ReportFile = None
    search: Annotated[
        bool | None,
        typer.Option(
            "--search/--no-search",
            help="Look for the best fixed rule after the run, and compare with it. Done by default where it is quick.",
            show_default=False,
        ),
    ] = None
    window: Window = None
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Tell more: every bound with its facts, every member of a panel, the speed.")
    ] = False
    model: Annotated[Path | None, typer.Option(help="Save the model to this file at the end, and when interrupted.")] = None
    keep: Annotated[
        str | None,
        typer.Option(metavar="certified", help="Save in its place the hypothesis with the smallest proved limit (with --iid and --model)."),
    ] = None
    checkpoint_every: Annotated[int | None, typer.Option(metavar="N", help="Save it as it goes, too: about every N rounds.")] = None
    from_model: Annotated[Path | None, typer.Option("--from", metavar="MODEL", help="Go on from a saved model.")] = None
    skip: Annotated[int, typer.Option(metavar="N", help="Leave out the first N rounds of the stream.")] = 0
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in --model with the same stream, where there is one.")
    ] = False
    mix: Annotated[
        str | None,
        typer.Option(
            metavar="epochs=K",
            help="Play shards, and mix their weights after each of K epochs; :shards=S:weights=uniform|mistakes:mean=geometric|arithmetic.",
        ),
    ] = None
    resident_keys: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --key: so many keys are held in memory, the others on disk.")
    ] = None
    shared: Annotated[
        str | None,
        typer.Option(
            metavar="[LEARNER]",
            help="With --key: a learner of all rounds (a panel) beside each key's own; for each key the one that erred less is followed.",
        ),
    ] = None
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more at the end of the file, until Ctrl-C.")] = False

    @property
    def alarm_mode(self) -> str:
        return alarm_mode(stop=self.alarm, report=self.alarm_report, restart=self.restart_on_alarm)

    def resumed(self) -> RunOptions:
        """The same from the checkpoint on, where that is asked for and there is one."""
        if not self.resume:
            return self
        require(self.model is not None, "--resume goes on from the checkpoint in --model MODEL: expected that file")
        require(self.from_model is None and not self.skip, "--resume finds out where to go on: leave out --from and --skip")
        if self.model is None or not self.model.exists():
            return self
        own = self.learner if self.learner is not None and "::" in self.learner else None
        model = model_files.loaded(self.model, own)
        rows = model.rounds + model.unlabelled
        return replace(
            self, from_model=self.model, skip=rows, learner=own, members=None, shared=None, shifting=False, label_by=None, n=None
        )

    def refuse(self, ids: bool) -> None:
        """What does not go together, whatever the learner and the stream; `ids`: do labels come by the names of rounds?"""
        known = self.predictions is None or str(self.predictions) != "-"
        require(
            known, "--predictions -: standard output is for the result; expected a file (littlestone predict writes to standard output)"
        )
        require(self.window is None or self.window >= 1, f"--window {self.window} must be at least 1")
        require(self.passes >= 1, f"--passes {self.passes} must be at least 1")
        require(self.delay is None or self.delay >= 0, f"--delay {self.delay} must not be negative")
        if self.passes > 1:
            for option, value in (("--skip", self.skip), ("--follow", self.follow)):
                require(not value, f"--passes {self.passes} and {option}: one at a time")
        if self.iid is not None:
            from littlestone.theory.risk import risk

            risk(0, 0, self.iid)  # refuses what is no chance, before anything is played
        late = self.delay is not None or ids
        require(not (self.delay is not None and ids), "--delay and --id: one at a time")
        require(not (late and self.alarm_mode), "an alarm needs labels that come at once; leave out --delay and --id")
        require(not self.members or self.from_model is None, "--members: the model has its members already; leave out --from")
        require(not self.shifting or self.from_model is None, "--shifting: the model has its rule already; leave out --from")
        keeps = "--label-by: a model that goes on keeps its label; leave out --from (littlestone predict takes --label-by, too)"
        require(self.label_by is None or self.from_model is None, keeps)
        whole = self.from_model is None
        require(not self.certificate or whole, "--certificate needs every round that the model has learned from: leave out --from")
        if self.keep is not None:
            require(self.keep == "certified", f"--keep {self.keep}: expected certified")
            require(
                bool(self.iid and self.model),
                "--keep needs --iid DELTA, the chance that its limit is false, and --model, the file to save to",
            )
            plain = whole and not (self.passes > 1 or late or self.alarm_mode or self.follow or self.checkpoint_every)
            require(
                plain,
                "--keep needs one whole run: leave out --from, --skip, --passes, --delay, --id, --follow, alarms and --checkpoint-every",
            )

    @property
    def weighing(self) -> dict[str, Any]:
        """What labels weigh, as choices of a reading."""
        from littlestone.protocol.class_costs import CostMatrix

        if CostMatrix.meant(self.cost):
            require(not self.class_weight, "--cost and --class-weight: one at a time where --cost is a matrix")
            return {"class_weight": CostMatrix.of(self.cost).weights()}
        chosen: dict[str, Any] = {} if self.cost is None else {"cost": cost_of(self.cost)}
        return chosen | ({"class_weight": class_weights(self.class_weight)} if self.class_weight else {})

    @property
    def kept_certificate(self) -> Path | None:
        """Where the certificate of the kept model goes: beside the model."""
        return None if self.keep is None or self.model is None else self.model.with_name(f"{self.model.name}.json")


def alarm_mode(**modes: bool) -> str:
    """What an alarm is to do: stop, report or restart; nothing where none is asked for."""
    chosen = [mode for mode, on in modes.items() if on]
    require(len(chosen) <= 1, "--alarm, --alarm-report and --restart-on-alarm: one at a time")
    return chosen[0] if chosen else ""


def carry_out(streams: list[str], reading: ReadingOptions, options: RunOptions) -> int:
    """Do it, print the result; the exit code."""
    if options.mix is not None:
        from littlestone.cli.mixing import carry_out_mix

        refuse_missing(streams)
        return carry_out_mix(streams, reading, options)
    options = options.resumed()
    options.refuse(ids="id" in reading.choices)
    try:
        running = StreamRun(streams, reading, options)
    except KeyboardInterrupt:
        note("Interrupted before the first round: nothing was played.")
        return 130
    with options.connected(running.say, line=False) as workers:  # the bar tells of the rounds
        try:
            run = running.play(workers)
        except Lost as error:
            raise LittlestoneError(f"{error}; {running.saver.at_loss()}") from None
        except ThirdLabel as error:
            if not running.takes_more_classes:
                raise
            start = "the first row" if running.before is None else "the model, which keeps what it has learned"
            note(f"{error.path}, line {error.line}: {error.found} is a third one. Playing again from {start}, with all of them.")
            running = StreamRun(streams, reading, options, third=True)
            run = running.play(workers)
        return running.end(run, workers)


class StreamRun:
    """The learner, the stream and the observers of one run."""

    def __init__(self, streams: list[str], reading: ReadingOptions, options: RunOptions, *, third: bool = False) -> None:
        self.streams, self.options, self.say = streams, options, Log(options.quiet)
        self.third = third  # is it known that a third label comes, beyond the first rows?
        self.playing: Any = None
        self.alarm = options.alarm_mode
        self.by_id = "id" in reading.choices
        self.late = self.by_id or options.delay is not None  # may labels come late?
        self.code = 0  # to exit with
        self.passes: list[dict[str, Any]] = []
        self.certified: list[list[Any]] = []  # the bounds of each certificate that was written
        self.certificate: Any = None  # the one of the whole run
        self.first: Any = None  # the run as it stood after the first of several passes
        self.hashing: dict[str, Any] | None = None  # how names fell into columns
        self.unsearched = ""  # why there is no bound that compares, where one might be had
        o = options
        self.before = model_files.opened(o.from_model, o.learner, o.n)
        if third and self.before is not None:
            self.before = self.before.widened()
        self.reading = reading.for_model(self.before, **o.weighing)
        refuse_missing(streams)
        self._refuse_by_key()
        self.stream = reading.open(streams, self.before, follow=o.follow, **o.weighing)
        self._refuse_pipe()
        beside = {} if o.kept_certificate is None else {"--keep": o.kept_certificate}
        outputs = {"--predictions": o.predictions, "--labels-asked": o.labels_asked, "--certificate": o.certificate, "--model": o.model}
        self._refuse_outputs({**outputs, "--report": o.report, **beside})
        at_once = o.labels_asked is None or (o.delay is None and not self.by_id)
        require(
            at_once, "--labels-asked: where labels come late, a label that is not looked at comes all the same; leave out --delay and --id"
        )
        self.learner = self._learner()
        self._refuse_answers()
        refuse_assumption(o.assume, self.learner)
        if o.spreads and not o.certificate:  # witnesses are searched for there, whoever plays
            from littlestone.api.play import refuse_alone

            refuse_alone(self.learner, self.keyed)
        model_files.refuse(o.model, o.checkpoint_every, o.skip, self.learner)
        if not third:
            tell_of_columns(self.stream, self.say)
        self.stream.begin()
        self.doublings = Doublings(self.claims, self.say)
        self.saver = model_files.ModelSaver(o.model, o.checkpoint_every, o.skip, self.say)
        self.candidates: Any = None
        self.kept: Any = None  # the model to keep, where that is asked for
        self.uncertified = ""  # why there is none
        if o.keep:
            from littlestone.api.keep import Candidates

            self.candidates = Candidates(o.iid)
        self.timeline: Any = None
        if o.report is not None:
            from littlestone.report.timeline import Timeline

            self.timeline = Timeline(self.claims)
        self.observers = [
            Course(self),
            self.doublings,
            PredictionsFile(o.predictions, self.names, self._disk_full, probabilities=o.probabilities),
            AskedFile(o.labels_asked),
            self.saver,
            *([] if self.candidates is None else [self.candidates]),
            *([] if self.timeline is None else [self.timeline]),
            Bar(self.stream, o.quiet, o.passes),
        ]

    def _refuse_pipe(self) -> None:
        """What needs to read the stream more than once."""
        o, is_file = self.options, self.stream.is_file
        require(o.passes == 1 or is_file, f"--passes {o.passes}: a pipe can be read only once; expected files")
        require(not o.search or is_file, "--search: a pipe can be read only once, and a search needs a second look; expected files")
        certified = o.certificate is None or is_file
        require(certified, "--certificate: a pipe can be read only once, and a certificate needs a second look; expected files")

    def _refuse_answers(self) -> None:
        """Probabilities, weights and operating points that the learner, or the labels, have no use for."""
        o, gives = self.options, getattr(self.learner, "probabilities", False)
        name = self.learner.name
        require(not o.probabilities or gives, f"--probabilities: {name} gives none; expected a learner such as panel or adaptive")
        for option in o.weighing:
            honoured = f"--{option.replace('_', '-')}: {name} honours no weights"
            require(self.learner.weighted, f"{honoured}; expected a learner that does, such as panel, arow or adaptive")
        if o.class_weight and not self.several:
            labels = list(self.reading.labels or self.stream.labels_ahead())
            if len(labels) == 2:
                self.reading.weights_of(labels)
        pair = o.weighing.get("cost")
        for option, value in (("cost", pair), ("threshold", o.threshold), ("target", o.target)):
            if value is None or (option == "cost" and not self.several):
                continue
            more = "the stream has more" if o.learner is None else f"{name} learns several classes"
            of_two = f"--{option} is about two labels, and {more}; a matrix of costs (--cost) leads the answers of more"
            require(not self.several, of_two)
            require(gives, f"--{option}: {name} gives no probabilities; expected a learner such as panel or adaptive")
            at_once = not self.late and not self.alarm
            require(at_once, f"--{option} needs labels that come at once, and no alarm: leave out --delay, --id and alarms")
            from littlestone.protocol.operating import Operating

            Operating.at(**{option: value})

    @property
    def keyed(self) -> bool:
        """Has each key a learner of its own?"""
        return self.reading.key is not None and self.reading.only is None

    @property
    def led(self) -> bool:
        """Is there a shared learner beside each key's own?"""
        return self.options.shared is not None or getattr(self.before, "shared_runner", None) is not None

    def _refuse_by_key(self) -> None:
        """What one learner can do, and one for each key cannot."""
        o, plain = self.options, self.before is None or isinstance(getattr(self.before, "buckets", None), type(None))
        require(o.resident_keys is None or self.keyed, "--resident-keys goes with --key COLUMN")
        require(o.shared is None or self.keyed, "--shared goes with --key COLUMN")
        require(o.shared is None or self.before is None, f"--shared: {o.from_model} has its learners already; leave out --from")
        if self.led:
            from littlestone.theory.keyed import OF_PARTS

            require(not o.probabilities, "--probabilities: a rule over a shared learner and each key's own gives none")
            require(not o.assume, "--assume is about one learner: declare it without --shared, or of the shared learner, without --key")
            require(not o.certificate, f"--certificate: {OF_PARTS}")
        require(self.before is None or plain != self.keyed, f"--from {o.from_model}: {'has' if plain else 'is'} {NOT_BY_KEY[plain]}")
        if self.keyed:
            others = {"--delay": o.delay is not None, "--id": self.by_id, "an alarm": self.alarm, "--keep": o.keep, "--follow": o.follow}
            for option, chosen in {**others, "--report": o.report, "--labels-asked": o.labels_asked, "--search": o.search}.items():
                require(
                    not chosen, f"--key {self.reading.key}: {option} is of one learner; --key {self.reading.key}=KEY plays one key's rounds"
                )

    def _refuse_outputs(self, outputs: Paths) -> None:
        o = self.options
        others = {"--from": o.from_model, "--learner": o.learner, "--members": " ".join(o.members or ())}
        refuse_outputs(outputs, self.streams, others)

    def _learner(self) -> Any:
        """The learner that was asked for, or the panel; a panel of several classes where the labels are more than two."""
        from littlestone.api.class_count import fitting, numbers_as_classes
        from littlestone.cli.choose import learner_named
        from littlestone.learners.reductions.class_panel import labelled_by, of_panel
        from littlestone.learners.reductions.panel import Panel

        o = self.options
        if self.before is not None:
            return self.before.learner
        text = "panel" if o.learner is None else without_bias(o.learner, o.assume)
        if o.shifting:
            require(
                text.partition(":")[0] == "panel" and "rule=" not in text,
                f"--shifting chooses the rule of a panel; leave out --learner {text}",
            )
            text = f"{text}:rule=tracking"
        learner = learner_named(text, o.n, o.members)
        if o.label_by is not None:
            learner = labelled_by(learner, o.label_by)
        if not isinstance(learner, Panel):
            return learner
        if self.third or self.matrix:
            fitted: Any = of_panel(learner)
        else:  # of two classes, as far as one knows: to count them takes a parser
            fitted = fitting(learner, self.stream, None)
        if not isinstance(fitted, Panel) and (remark := numbers_as_classes(self.stream)):
            self.say(remark)
        return fitted

    def play(self, workers: Any) -> Any:
        """What the run leaves. A label that costs or `--labels` leave out is bad input: nothing is written then; no empty file is left."""
        from littlestone.api.play import can_be_spread

        try:
            return self._play(workers if can_be_spread(self.learner, self.keyed) else None)
        except LittlestoneError as error:
            out = self.options.predictions
            left_out = self.options.cost is not None or isinstance(error, UndeclaredLabel)
            if left_out or (out is not None and out.exists() and not out.stat().st_size):
                self._drop_predictions()
            raise

    def _play(self, workers: Any) -> Any:
        from littlestone.api.play import RESIDENT, play
        from littlestone.cli.choose import learner_named

        o = self.options
        return play(
            self.before if self.before is not None else self.learner.sized(o.n) if o.n is not None else self.learner,
            self.stream,
            assume=o.assume if self.alarm else None,
            alarm=self.alarm or None,
            alarm_delta=o.alarm_delta,
            alarm_test=o.alarm_test,
            ledger=o.model is not None and not self.keyed,
            passes=o.passes,
            delay=o.delay,
            ids=True if self.by_id else None,
            skip=o.skip,
            cost=o.cost if self.matrix else None,
            threshold=o.threshold,
            target=o.target,
            metrics=True,
            predictions=o.certificate is not None or self.may_search or self.may_certify,
            observers=self.observers,
            window=self.window,
            resident=o.resident_keys or RESIDENT,
            shared=None if o.shared is None else learner_named(o.shared, o.n, None),
            cluster=workers,
        )

    def end(self, run: Any, workers: Any) -> int:
        """Save, certify and print what the run has left; the exit code."""
        from littlestone.cli import summary

        options = self.options
        if getattr(run, "operating", None) is not None:
            self.refuse_unreached(run.operating)
        self.hashing = self.stream.names.report() if self.stream.reading.bits else None  # a second reading would count again
        claims = self.claims(run if self.whole or self.copying else run.segments[-1])
        self.doublings.last(claims)
        if not (options.keep and self.keep()):
            self.saver.last(interrupted=self.code == 130)
        claims = self.certify(run, workers) if options.certificate else [*claims, *self.in_hindsight(run)]
        summary.report(self, run, claims)
        if options.report is not None:
            summary.page(self, run, claims)
        return self.code or int(any(claim.holds is False for claim in claims))

    def refuse_unreached(self, point: Any) -> None:
        """A target about rounds that never came: nothing is written."""
        try:
            point.refuse_unreached()
        except LittlestoneError:
            self._drop_predictions()
            raise

    def _drop_predictions(self) -> None:
        """No file is left; what is no file, such as /dev/null, stays."""
        out = self.options.predictions
        if out is not None and out.is_file() and not out.is_symlink():
            out.unlink()

    def keep(self) -> bool:
        """Save the hypothesis with the smallest proved limit, and its certificate beside it; False where nothing is certain of any."""
        path, model = self.options.kept_certificate, self.options.model
        assert path is not None and model is not None
        try:
            self.stream.refuse_left_out("--keep")
            self.kept = self.candidates.kept()
        except LittlestoneError as error:
            self.uncertified = str(error)
            self.code = self.code or 1
            return False
        self.kept.model.save(model)
        self.kept.certificate.save(path)
        return True

    @property
    def runner(self) -> Any:
        return self.playing.runner

    @property
    def window(self) -> int:
        """Over how many rounds the last metrics are taken."""
        from littlestone.protocol.recent import WINDOW

        return self.options.window or WINDOW

    def lately(self, run: Any) -> Any:
        """The last rounds, where there are more than these, or they were asked for."""
        return run.last_rounds(self.window) if self.options.window or run.recent.rounds > self.window else None

    @property
    def matrix(self) -> bool:
        """Have the errors of several classes costs of their own?"""
        from littlestone.protocol.class_costs import CostMatrix

        return CostMatrix.meant(self.options.cost)

    @property
    def several(self) -> bool:
        learner = self.learner if self.playing is None else self.runner.learner  # a third label may have come
        return learner.kind == "several classes"

    @property
    def takes_more_classes(self) -> bool:
        """May it be played again by a panel of several classes?"""
        o = self.options
        led = (o.cost, o.threshold, o.target) != (None, None, None) or getattr(self.before, "operating", None) is not None
        return hasattr(self.learner, "widens") and self.stream.is_file and not led

    @property
    def whole(self) -> bool:
        """Is it one run, and not one for each segment?"""
        return self.alarm != "restart"

    @property
    def copying(self) -> bool:
        """Do alarms begin copies, which play beside each other?"""
        return self.alarm == "restart" and not self.options.assume

    def claims(self, run: Any) -> Any:
        """Its bounds; none where it went on from a model whose rounds nobody has measured, or is several runs, which have their own."""
        if self.copying:
            return run.bounds() if hasattr(run, "copies") else []
        if run.segments != (run,) or (self.keyed and not self._few_keys(run)):
            return []
        return [] if run.resumed and not self.options.assume else run.bounds(self.options.assume)

    def _few_keys(self, run: Any) -> bool:
        """Are the bounds of a run by key wanted, and soon added up?"""
        return bool(self.options.assume or self.led) and self.playing is not None and len(run.buckets) <= FEW

    @property
    def may_search(self) -> bool:
        """May a linear rule be looked for when the run is over? A panel is compared with its members, and needs none."""
        o, size = self.options, self.stream.size
        able = (
            self.learner.kind == "two classes"
            and self.whole
            and not self.keyed
            and self.before is None
            and not o.skip
            and self.stream.is_file
        )
        soon = size is not None and size <= SMALL and not getattr(self.learner, "members", ())
        return able and o.search is not False and (o.search or soon)

    @property
    def may_certify(self) -> bool:
        """Is there to be a certificate for the report alone? Where that is soon made; of larger files, where it is asked for."""
        o, size = self.options, self.stream.size
        whole = self.before is None and self.stream.is_file and not o.follow and not (o.skip and o.passes > 1)
        return o.report is not None and o.certificate is None and whole and self.whole and size is not None and size <= SMALL

    def in_hindsight(self, run: Any) -> list[Any]:
        """The bound that compares with the best linear rule found; none where nobody looked."""
        o = self.options
        if not self.may_search or self.code or not run.rounds or (run.nonzeros > SOON and not o.search):
            others = getattr(self.learner, "members", ()) or o.search is False or not self.whole or run.resumed or self.keyed
            none = UNSEARCHED_CLASSES if self.several else UNSEARCHED if self.stream.is_file else UNSEARCHED_PIPE
            self.unsearched = "" if others or not run.rounds else none
            return []
        from littlestone.api.certify import floor_of  # it takes its time to import, and most runs have no use for it

        return [floor_of(run, self.stream)]

    def names(self) -> list[Any]:
        """How predictions are written, by code; last what stands for none."""
        if self.several:
            return [*map(str, self.playing.rounds.classes), ""]  # no prediction yet: an empty line
        return [*label_texts(self.reading.but(labels=labels_of(self.stream) or self.reading.labels)), None]

    def unmet_weights(self) -> str | None:
        """A remark about labels that --class-weight names and no round had, where the labels are more than two."""
        known = self.names()[:-1] if self.several and self.options.class_weight else []
        strange = [label for label in class_weights(self.options.class_weight or []) if as_label(label) not in map(as_label, known)]
        if not known or not strange:
            return None
        return f"--class-weight {strange[0]}: no round has this label; the labels that came are {', '.join(known)}."

    def certify(self, run: Any, workers: Any) -> list[Any]:
        """Write the certificate, or one for each segment, numbered; all their bounds, with their witnesses."""
        from littlestone.api.certify import certify

        path = self.options.certificate
        assert path is not None
        self.stream.refuse_left_out("--certificate")
        self.say("Searching for witnesses.")
        if self.copying:
            certificate = certify(run, self.stream, iid=self.options.iid, cluster=workers)
            certificate.save(path)
            self.certified = [part.bounds for part in certificate.parts]
            self.say(f"Certificate: {path}")
            return certificate.bounds
        for number, part in enumerate(run.segments, 1):
            place = path
            if len(run.segments) > 1:
                place = path.with_name(f"{path.stem}-{number}{path.suffix}")
                self._refuse_outputs({"--certificate": place, "--predictions": self.options.predictions, "--model": self.options.model})
            certificate = certify(part, self.stream, assume=self.options.assume, iid=self.options.iid, cluster=workers)
            certificate.save(place)
            self.certified.append(certificate.bounds)
            self.certificate = certificate if len(run.segments) == 1 else None
            self.say(f"Certificate: {place}")
            if certificate.content.get("about") == "panel" and (words := of_a_panel(part.rounds)) is not None:
                self.say(words)
        return [claim for bounds in self.certified for claim in bounds]

    def by_segment(self, run: Any) -> list[Any]:
        """The bounds of each segment, or of each copy: those of its certificate, where it has one."""
        if self.copying:
            return self.certified or [self._bounds_of(copy.run) for copy in run.copies]
        return self.certified or [part.bounds(self.options.assume) for part in run.segments]

    @staticmethod
    def _bounds_of(run: Any) -> Any:
        return [] if run.resumed else run.bounds()

    def _disk_full(self, error: OSError) -> None:
        """What was learned is not lost with the predictions."""
        path = self.options.predictions
        note(f"littlestone: {path}: cannot be written ({error.strerror}); this is what was done so far")
        self.code = 2


FEW = 10_000  # keys whose bounds are added up while a run goes
NOT_BY_KEY = {True: "one model of all rounds, and --key COLUMN is for models by key", False: "models by key: expected --key COLUMN"}


class Course(Observer):
    """What is done as the run goes: sum up each of several passes, end at an alarm or at Ctrl-C."""

    def __init__(self, running: StreamRun) -> None:
        self.running = running
        self.counts = (0, 0)
        self.several = False  # has a third label come?

    def begins(self, playing: Any) -> None:
        self.running.playing, learner = playing, playing.learner
        if playing.counted:
            self.running.say(f"{learner.name} needs the number of features: counted n = {learner.n:,} in one pass over the file.")
        self.several = self.running.several
        self.counts = (playing.runner.rounds, playing.runner.mistakes)

    def around(self) -> Any:
        return model_files.unbroken()

    def after(self, taken: Any) -> None:
        if self.running.runner.stopped:
            self.running.code = 1
        if self.running.several and not self.several:
            self.several = True
            self.running.say(f"Label {self.running.names()[2]} is a third one: the run goes on with all of them.")

    def end_of_pass(self, number: int) -> None:
        running, (rounds, mistakes) = self.running, self.counts
        if running.options.passes == 1:
            return
        run = running.playing.run()
        running.first = running.first or run
        bounds = [claim.as_json() for claim in running.claims(run)]
        counts = {"rounds": running.runner.rounds - rounds, "mistakes": running.runner.mistakes - mistakes}
        running.passes.append({"pass": number, **counts, "bounds": bounds})
        self.counts = (running.runner.rounds, running.runner.mistakes)

    def interrupted(self) -> bool:
        self.running.say("Interrupted: this is what was done so far.")
        self.running.code = 130
        return True


def refuse_missing(streams: list[str]) -> None:
    """All files before the first is played: a word too many is soon taken for a file."""
    for name in streams:
        require(name == "-" or any(c in name for c in "*?[") or Path(name).exists(), f"{name}: no such file")


def without_bias(learner: str, assume: str | None) -> str:
    """The Perceptron has no bias where a margin is declared and nothing is written of it: R² of the bound would grow by 1.

    >>> without_bias("perceptron", "margin:R=1,gamma=1/4"), without_bias("perceptron:bias=2", "margin:R=1,gamma=1/4")
    ('perceptron:bias=0', 'perceptron:bias=2')
    """
    from littlestone.protocol import naming

    name, parts = naming.split(learner)
    declared = (assume or "").partition(":")[0] == "margin"
    written = any(part.startswith(("bias=", "preset=")) for part in parts)
    return f"{learner}:bias=0" if name == "perceptron" and declared and not written else learner


def refuse_assumption(assume: str | None, learner: Any) -> None:
    """An assumption that no theorem of the learner makes."""
    if not assume:
        return
    from littlestone.theory import parse_assumption

    kind, _ = parse_assumption(assume)
    known = sorted({b.assumes for b in learner.bounds} - {"none"})
    if kind not in known:
        from littlestone import learners

        able = [name for name in learners.names() if any(b.assumes == kind for b in learners.described(name).bounds)]
        others = f"; learners that have: {', '.join(able)} (--learner NAME)" if able else ""
        raise LittlestoneError(f"{learner.name} has no theorem that assumes {kind!r}; it has: {', '.join(known) or 'none'}{others}")
