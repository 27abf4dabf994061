"""`play`: the one loop. Whatever the user has becomes Blocks; a runner plays them; observers are told after each block."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.api.arrangement import Arrangement, Keeping, KeyChoices, Weighing
from littlestone.api.class_count import fitting, refuse_targets
from littlestone.api.costs import Costs
from littlestone.api.far_ranges import ranges_for
from littlestone.api.frames import NamedLabels, came_as, frame_of
from littlestone.api.inputs import inputs_of, refuse_missing_labels
from littlestone.api.keyed import NO_SCORE, RESIDENT, KeyedModel, gathered, known_of, runner_by_key, shared_for, with_keys
from littlestone.api.last_rounds import LastRounds
from littlestone.api.mixing import BY_KEY, mixed
from littlestone.api.observers import AtLeastCost, AtPoint, EndOfRun, Observer, Taken
from littlestone.api.played_reading import PlayedReading
from littlestone.api.sources import Choices, Rounds, rounds_for
from littlestone.errors import LittlestoneError, Lost, ThirdLabel, require
from littlestone.hooks import above
from littlestone.kernels.native import core
from littlestone.learners.reductions.class_panel import labelled_by, of_panel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import (
    AdviceRun,
    AlarmedRunner,
    Block,
    ClassLearner,
    CopiesGuard,
    CopiesRun,
    LateRunner,
    Learner,
    Model,
    Rule,
    RuleRunner,
    SegmentedRun,
)
from littlestone.protocol.block import ROWS
from littlestone.protocol.labels import LabelRules
from littlestone.protocol.recent import WINDOW
from littlestone.protocol.run import Runner
from littlestone.protocol.run_claims import RunRecord
from littlestone.protocol.runners import marks_for, runner_of
from littlestone.protocol.widening import WideningRunner
from littlestone.rounds.reading import label_choices
from littlestone.streams import Stream
from littlestone.streams.instances import streamed


def play(
    learner: Learner | ClassLearner | Rule | Model | KeyedModel,
    X: Any,
    y: Any = None,
    *,
    boolean: bool = False,
    expand: int = 1,
    check_invariants: bool = False,
    witness: Any = None,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    cost: Any = None,
    threshold: Any = None,
    target: Any = None,
    label_by: str | None = None,
    scores: bool = False,
    metrics: bool | None = None,
    assume: str | None = None,
    alarm: str | None = None,
    alarm_delta: Any = Fraction(1, 20),
    alarm_test: str = "exchangeable",
    ledger: bool | int = False,
    passes: int = 1,
    delay: int | None = None,
    ids: Any = None,
    skip: int = 0,
    observers: Sequence[Observer] = (),
    wrap: Callable[[Any], Any] | None = None,
    predictions: bool = True,
    window: int = WINDOW,
    block_rows: int = ROWS,
    key: Any = None,
    resident: int = RESIDENT,
    shared: Any = None,
    cluster: Any = None,
    mix: str | None = None,
    **reading: Any,
) -> Any:
    """Play a learner over a stream, predicting each round before its label is told.

    X is a scipy sparse matrix, a dense array, a frame, a list of dicts, sets or texts, Blocks, or `open_stream(path)`; y has one label a
    round (booleans, numbers or texts; None or NaN where there is none), or names a column of a frame, and is left out when X carries the
    labels. Predictions come in these labels. Of two numbers the larger one is positive, of two texts the later in the alphabet. `labels`
    are those that may come, the negative one first; "any" lets all in (docs/several_classes.md). More choices of `open_stream` are `label`,
    `label_threshold`, `time`, `categorical`, `numeric` and `ignore`, and for texts `ngrams`, `chars` and `bits`. A rule over experts takes
    a table of advice, rounds × experts, and the truths. `boolean` takes presence for value. `expand=k` adds the conjunctions of up to k
    features to rows in memory. `check_invariants` checks the lemmas behind the learner's bounds, exactly, after every update; those of a
    target need `witness`: the set of relevant features, or a weight for each feature.

    `sample_weight` has a number for each round, `class_weight` one for each label ({True: 5} or {1: 5, 0: 1}); a round whose weight is c
    then counts and teaches c times, where the learner can honour that. `cost`, (1, 4) or "1:4", is what a false positive costs and a false
    negative: so much rounds with label 0 and 1 then weigh, beside their other weights. `scores` keeps each round's score in `run.scores`;
    `metrics` only what AUC and log-loss need of them, in constant memory (done for learners with probabilities).

    `threshold=0.2` answers 1 from that probability on, `target="recall=0.9"` (or precision, or fpr) moves the threshold so that this comes
    out, and so may `cost` (docs/costs.md). `run.answers` and `run.operating` tell what comes of it, and the model keeps it; bounds speak of
    `run.predictions`. `label_by="vote"` lets a panel predict by its members' vote and not by its forecast; so does `cost`.
    `passes` plays the rounds so many times, one pass after the other. `delay=k` tells each label k rounds late. `ids` names the rounds (one
    name each, or True where the stream brings them): a round without a label then waits for one, which a later row without features brings
    under the same name; where no round of that name waits it is refused. `skip` leaves out the first rounds.
    With `ledger` the run leaves a model in `run.model`, with the rounds it was made from. A model in the learner's place goes on from where
    it stands, and is itself left as it is: `run.model` is what never having stopped would have made, and the run counts all its rounds.

    `alarm` watches what `assume` declares ("disjunction:r=5"), and is raised at the first round that proves it false: "stop" ends the run
    there, "report" goes on, "restart" begins a fresh state. Without `assume` it asks whether the stream changes (by an exact test, wrong
    with probability `alarm_delta` at most, or approximately: `alarm_test="drift"`), and restarts beside the old state (docs/alarm.md).
    `observers` are told after each block (littlestone.api.observers); `wrap` puts a runner of the caller's around the one that plays.
    Without `predictions` these are not kept in memory, and `run.over(window)`, the metrics of the last rounds, has `window` at most.
    `key` has a key for each round, or is the column that says it ("user"): every key then has a learner of its own, `resident` of them in
    memory; `shared=True`, or a learner, adds one for the rounds of all keys (docs/keys.md). `cluster` is a Dask Client, the address of a
    scheduler, or a number of processes, which play the members of a panel or a reduction, with the same result; `mix="epochs=5:shards=8"`
    plays shards of the rounds and mixes their weights after each epoch, and leaves a `MixedRun` (docs/cluster.md).

    What comes back is a `Run`; of several classes, whose labels are of any one kind, a `ClassRun`; of a rule an `AdviceRun`.
    """
    X, y, labels, texts = inputs_of(X, y, "play", reading)
    arranged = Arrangement(passes, skip, delay, ids, assume, alarm, alarm_delta, alarm_test, check_invariants, witness, wrap)
    weighing = Weighing(boolean, sample_weight, class_weight, cost, threshold, target, label_by, block_rows, expand)
    if mix is not None:
        require(key is None and shared is None, BY_KEY)
        refuse_missing_labels(X, y, "play")
        plain = weighing.plain and not ledger and arranged == Arrangement() and not isinstance(learner, Model)
        require(plain and labels is None and texts is None, PLAIN)
        return mixed(learner, X, y, mix, boolean=boolean, cluster=cluster)  # type: ignore[arg-type]
    keeping = Keeping(predictions, scores, metrics, window, ledger)
    return Plan(learner, X, y, arranged, weighing, keeping, KeyChoices(key, resident, shared), cluster, labels, texts).play(observers)


PLAIN = "mix plays shards of plain rounds, from the beginning: leave out the other choices"


def with_label_by(learner: Any, label_by: str | None) -> Any:
    """Return the learner with the label that was asked for; a model that goes on keeps the label it has."""
    if label_by is None:
        return learner
    if isinstance(learner, Model | KeyedModel):
        own = getattr(learner.learner, "label_by", None)
        require(own == label_by, f"label_by={label_by!r}: a model that goes on keeps its label; this one has {own!r}")
        return learner
    return labelled_by(learner, label_by)


@dataclass
class Plan:
    """What `play` was asked for; and on the way to a run, what becomes of it."""

    learner: Any
    X: Any
    y: Any
    arranged: Arrangement
    weighing: Weighing
    keeping: Keeping
    keys: KeyChoices
    cluster: Any
    labels: Any = None  # those that may come, as the user declares them
    texts: dict[str, Any] | None = None  # how texts are read, where the user says so

    def __post_init__(self) -> None:
        learner = self.learner = with_label_by(self.learner, self.weighing.label_by)
        self.before: Any = None  # the model, or the models by key, that it goes on from
        if isinstance(learner, Model | KeyedModel):
            self.before, learner = learner, learner.learner
        known = isinstance(learner, Learner | ClassLearner | Rule)
        require(known, f"play takes a learner first, such as ls.perceptron(); got {learner!r}")
        if learner.kind != "advice":
            refuse_missing_labels(self.X, self.y, "play")
        self.panel = learner if isinstance(learner, Panel) else None
        self.came = came_as(self.X, self.y)
        X = self.X = self.X if learner.kind == "advice" else streamed(self.X, self.y)
        self.keyed = self.keys.key is not None or (isinstance(X, Stream) and X.reading.key is not None and X.reading.only is None)
        self.learner, self.key_of_each = learner, None
        if self.keyed:
            self.X, self.key_of_each = with_keys(X, self.keys.key)
        by_key = isinstance(self.before, KeyedModel)
        require(self.keyed or not by_key, "these models are of keys: expected the key of each round (key=)")
        require(self.before is None or self.keyed == by_key, "this model is of all rounds alike: leave out key")
        self.rules = self._label_rules()

    def _label_rules(self) -> LabelRules:
        """Which labels may come: those declared here, for the stream, or of the model."""
        declared = label_choices(self.labels)
        reading = {} if self.before is None else dict(self.before.reading)
        if isinstance(self.X, Stream):
            if declared:
                self.X.declare(**declared)
            how = self.X.reading
            declared = how.chosen(("labels", "declared", "any_labels")) if how.declared or how.any_labels else {}
        rules = LabelRules.of({**reading, **declared}, 0 if self.before is None else self.before.rounds + self.before.unlabelled)
        if isinstance(self.X, Stream):
            self.X.label_rules = rules
        return rules

    def play(self, observers: Sequence[Observer]) -> Any:
        """What the run leaves. Where a third label comes, a panel plays the stream again, with all of them."""
        playing = self._opened()
        try:
            return playing.play(observers, predictions=self.keeping.predictions, scores=self.keeping.scores)
        except ThirdLabel:
            if self.panel is None or observers or not self.X.is_file or self.costs.led or self.keyed or self._two_alone:
                raise
            more = of_panel(self.panel) if self.before is None else self.before.widened()
            return replace(self, learner=more, y=None).play(())

    def _opened(self) -> "Playing":
        """The rounds, and the runner with all that stands around it."""
        if self.panel is not None and self.before is None:
            self.learner = fitting(self.panel, self.X, self.y, self.rules)
        arranged, keeping = self.arranged, self.keeping
        arranged.refuse(self.learner, self.keyed, keeping.ledger)
        require(not keeping.scores or self.learner.scored, f"{self.learner.name} predicts without a score")
        if self.before is None or not self.before.rounds or self.before.kind == "two classes":
            refuse_targets(self.learner, self.X, self.y, self.rules)
        counted = isinstance(self.X, Stream) and self.learner.needs_n and self.learner.n is None
        if counted:
            self.learner = self.learner.sized(self.X.count_features())
        w = self.weighing
        asked = (w.cost, w.threshold, w.target)
        self.costs = costs = Costs.of(self.learner, self.before, self.X, w.class_weight, asked, plain=arranged.plain)
        self.learner = costs.learner
        rounds = replace(self._rounds(), came=self.came)
        learner, before = self.learner, self.before
        playing = Playing(
            learner,
            before,
            rounds,
            counted=counted,
            keeping=keeping.ledger or before is not None,
            passes=arranged.passes,
            skip=arranged.skip,
        )
        playing.resident, playing.cluster, playing.boolean = self.keys.resident if self.keyed else None, self.cluster, w.boolean
        self._share(playing)
        playing.point = None if costs.operating is None else AtPoint(costs.operating, keep=keeping.predictions)
        if keeping.metrics is None:
            self.keeping = keeping = replace(keeping, metrics=bool(getattr(learner, "probabilities", False)))
        scored = bool(keeping.scores or keeping.metrics)
        playing.last = LastRounds(None if keeping.predictions else keeping.window, scores=scored)
        playing.open(scores=scored, measured=arranged.passes > 1 or not arranged.plain or not keeping.predictions)
        once = isinstance(self.X, Stream) and learner is self.panel and not self.X.is_file and not self.keyed
        at_once = not arranged.late and arranged.alarm is None and not arranged.check_invariants
        if once and at_once and not costs.led and not self._two_alone:
            self.X.more_labels = True
            playing.runner = WideningRunner(playing.runner, rounds.all_labels)
        if (point := costs.least_cost(learner, before)) is not None:
            playing.runner.point = point
            playing.point = AtLeastCost(point, keep=keeping.predictions)
        arranged.put_around(playing, settled=rounds.columns is not None, keep=keeping.predictions)
        if self.cluster is not None:
            require(not (arranged.late or arranged.alarm or arranged.check_invariants), ONE_BY_ONE)
            refuse_alone(learner, self.keyed)
        return playing

    @property
    def _two_alone(self) -> bool:
        """Are its two labels declared to be all there may be?"""
        return self.rules.declared is not None

    def _rounds(self) -> Rounds:
        """The rounds for the learner; of a panel that goes on, with a third label where one comes soon."""
        w = self.weighing
        whose = self.key_of_each, self.rules, self.texts
        choices = Choices(w.boolean, w.sample_weight, self.costs.class_weight, self.arranged.ids, w.block_rows, w.expand, *whose)
        try:
            return rounds_for(self.learner, self.before, self.X, self.y, choices)
        except ThirdLabel:
            if self.panel is None or self.before is None or self.costs.led or self.keyed or self._two_alone:
                raise
            self.before = self.before.widened()
            self.learner = self.before.learner
            return rounds_for(self.learner, self.before, self.X, self.y, choices)

    def _share(self, playing: "Playing") -> None:
        """Of a run by key: the learner of all rounds, where there is one."""
        playing.shared = shared_for(self.keys.shared, self.learner, self.before, self.X)
        require(playing.shared is None or self.keyed, "shared goes with key: it is a learner of all keys' rounds beside each key's own")
        if playing.shared is not None or getattr(self.before, "shared_runner", None) is not None:
            whole = not self.keeping.scores and self.costs.operating is None and self.costs.matrix is None
            require(whole, f"{NO_SCORE} predicts without a score: leave out scores, threshold, target and cost")
            self.keeping, playing.scoring = replace(self.keeping, metrics=False), False


ONE_BY_ONE = "cluster: late labels, alarms and invariants go round by round, and workers play many rounds at a time; leave one of them out"
ALONE = "is one learner over one stream, and has nobody to send to workers; panel, one_vs_rest and all_pairs have, and --key and --mix"


#: What a runner knows of rounds before it has played them.
NOTED = ("top", "bottom", "nonzeros", "widest", "admitted", "largest_value", "whole", "negative", "weighted", "numbered")


def can_be_spread(learner: Any, keyed: bool) -> bool:
    """Has a learner somebody to send to workers, or has the run keys?"""
    return keyed or hasattr(learner, "play_there") or hasattr(getattr(getattr(learner, "engine", None), "func", None), "plays_there")


def refuse_alone(learner: Any, keyed: bool) -> None:
    require(can_be_spread(learner, keyed), f"cluster: {learner.name} {ALONE}")


class Kept(Observer):
    """Keeps predictions, and scores and updates where they are wanted, for the value that the run leaves; `there`: the runner has them."""

    def __init__(self, *, predictions: bool, scores: bool, updates: bool, there: bool = False) -> None:
        self.predictions, self.scores, self.updates, self.there = predictions, scores, updates, there
        self.parts: list[Taken] = []
        self.named = NamedLabels()

    def after(self, taken: Taken) -> None:
        if self.predictions and not self.there:
            self.parts.append(Taken(None, taken.predictions, taken.scores if self.scores else None, taken.updates))
        if self.predictions:
            self.named.add(taken.block, labels=not self.there)

    def joined(self, name: str, kind: Any) -> np.ndarray:
        """All of it as one array."""
        arrays = [getattr(part, name) for part in self.parts]
        return arrays[0] if len(arrays) == 1 and arrays[0].dtype == kind else np.concatenate([np.empty(0, kind), *arrays])


class Playing:
    """A run under way: the rounds, the runner, and what they have made so far."""

    def __init__(
        self, learner: Any, before: Any, rounds: Rounds, *, counted: bool, keeping: bool | int, passes: int = 1, skip: int = 0
    ) -> None:
        self.learner, self.before, self.rounds = learner, before, rounds
        self.counted, self.keeping, self.passes, self.skip = counted, keeping, passes, skip
        self.runner: Any = None
        self.resident: int | None = None  # of a run by key: how many keys are held in memory
        self.shared: Any = None  # of a run by key: the learner of all rounds, where one is to begin
        self.scoring = True  # has what is said a score, where the learner has one?
        self.scored = False
        self.point: AtPoint | AtLeastCost | None = None  # the operating point, where there is one
        self.last = LastRounds(WINDOW, scores=False)
        self.cluster: Any = None  # who is to play the members, where it is not this process
        self.boolean = False  # is presence taken for value?
        self.measure: Callable[[], np.ndarray] | None = None  # a second look at the mistakes, where the runner has not measured them

    def open(self, *, scores: bool, measured: bool) -> None:
        """The runner that plays, from the beginning or from where a model stands."""
        self.scored, self.measured = scores, measured
        if self.resident is not None:
            self.runner = self._limited(self._by_key())
            return
        self.runner = self._fresh() if self.before is None else self._limited(self.before.runner(self.rounds.columns))
        if self.before is not None and self.rounds.classes is not None:
            self.runner.classes = self.rounds.classes
        if self.before is not None and scores:
            self.runner.marks = marks_for(self.runner.learner)

    def _fresh(self) -> Any:
        return self._limited(self._made())

    def _limited(self, runner: Any) -> Any:
        """The runner, with what was said of the largest index for which its state may grow, and with the labels of the stream."""
        limit = None if self.rounds.stream is None else self.rounds.stream.largest_index
        if limit is not None:
            runner.largest_index = limit
        if self.rounds.two is not None:
            runner.labels = self.rounds.labels
        return runner

    def _by_key(self) -> Any:
        """A learner for each key."""
        rounds = self.rounds
        if self.cluster is None:
            self.rounds = replace(rounds, blocks=lambda: gathered(rounds.blocks()))
        return runner_by_key(
            self.learner,
            before=self.before,
            columns=rounds.columns,
            counted=self.counted,
            classes=rounds.classes,
            scores=self.scored,
            resident=self.resident or RESIDENT,
            shared=self.shared,
        )

    def _made(self) -> Any:
        return runner_of(
            self.learner,
            columns=self.rounds.columns,
            counted=self.counted,
            measuring=self.measured or not self.rounds.again or self.keeping is not False,
            keeping=self.keeping,
            scores=self.scored,
            classes=self.rounds.classes,
        )

    def segments(self, wrap: Callable[[Any], Any] | None = None) -> Any:
        """Gives the runner of each segment: the first one goes on from the model, where there is one."""
        first: list[Any] = [] if self.before is None else [self.runner]
        return lambda: first.pop() if first else self._fresh() if wrap is None else wrap(self._fresh())

    def play(self, observers: Sequence[Observer], *, predictions: bool, scores: bool) -> Any:
        """Play all of it; what the run leaves."""
        keeps = predictions and not isinstance(self.runner, AlarmedRunner)  # a guard plays some rounds twice, and keeps its own
        margin, there = self.learner.updates_on == "margin", type(self.runner) is RuleRunner
        kept = Kept(predictions=keeps, scores=scores, updates=keeps and margin, there=there)
        every = [kept, self.last, *([] if self.point is None else [self.point]), *observers]
        for observer in every:
            observer.begins(self)
        begun = perf_counter()
        with self._spread() as ranges:
            lent, plain = self.rounds.lent, not self.skip and len(every) == 2 and type(self.runner) is Runner
            blocks = lambda: ranges(_after(self.rounds.blocks(), self.skip))  # noqa: E731
            if lent is not None and plain and self.runner.feeds(boolean=lent.boolean):
                blocks = lent.blocks
            try:
                loop(self.runner, blocks, every, passes=self.passes, scored=self.learner.scored and self.scoring)
            except LittlestoneError as error:
                self.rounds.name(error)
                raise
        return self.result(kept, perf_counter() - begun)

    @contextmanager
    def _spread(self) -> Iterator[Callable[[Iterable[Any]], Iterable[Any]]]:
        """The members at work on the cluster, where there is one, while the run goes; and how the blocks are to be cut for them."""
        if self.cluster is None:
            yield lambda blocks: blocks
            return
        runner, stream, keyed = self.runner, self.rounds.stream, self.resident is not None
        while hasattr(runner, "runner"):
            runner = runner.runner
        before: dict[str, Any] = {}  # what was known before the range that is played now; of keys, when their models were last here

        def ranges(blocks: Iterable[Block]) -> Iterator[Block]:
            for block in ranges_for(workers, runner, blocks, boolean=self.boolean or (stream is not None and stream.boolean), keyed=keyed):
                if not keyed:
                    before.update({name: copy(value) for name, value in vars(runner).items() if name in NOTED})
                elif not runner.buckets.groups:
                    before.update(runner.counted_so_far())
                yield block
                if not (keyed and runner.buckets.groups):
                    before.clear()

        with above("connected")(self.cluster) as workers:
            if stream is not None:
                stream.read_on(workers, outlined=not self.skip)
            try:
                yield ranges
                if keyed:
                    runner.buckets.come_home()
            except Lost:  # nobody has played that range, and models that were with the workers are lost
                vars(runner).update(before)
                if keyed:
                    runner.buckets.give_up()
                raise
            finally:
                if stream is not None:
                    stream.read_on(None)

    @property
    def rows(self) -> int:
        """Rounds so far, with a label or without."""
        return self.runner.rows

    def run(self) -> Any:
        """The run so far, without its predictions."""
        return self.runner.run()

    def segment(self) -> Any:
        """The same, to be looked at before the next block is played; where an alarm began a new segment, that alone."""
        return self.runner.segment(lent=True) if isinstance(self.runner, AlarmedRunner) else self.runner.run(lent=True)

    def result(self, kept: Kept, seconds: float) -> Any:
        """What the run leaves."""
        predictions, scores, updates = None, None, None
        if kept.predictions:
            predictions = kept.joined("predictions", self.runner.prediction_type)
            if predictions.dtype == np.int8 and not (predictions < 0).any():  # of labels that came late
                predictions = predictions.astype(np.bool_)
            scores = kept.joined("scores", np.float64) if kept.scores else None
            updates = kept.joined("updates", np.bool_) if kept.updates else None
        measure = None
        if predictions is not None and getattr(self.runner, "measuring", True) is False:
            self.measure = measure = self._measure(predictions)
        # nobody plays on with this runner: a state of some hundred megabytes need not be there twice
        run = self.runner.run(predictions, seconds, measure=measure, scores=scores, updates=updates, lent=True)
        if isinstance(run, RunRecord) and run.again is None and self.rounds.may_be_repeated:
            rows = len(run.truth) if isinstance(run, AdviceRun) else self.rows if predictions is None else len(predictions)
            run = replace(run, again=partial(self._once_more, rows))
        if self.passes > 1:
            run = replace(run, passes=self.passes)
        if self.point is not None:
            answers = np.concatenate([np.empty(0, np.bool_), *self.point.parts]) if self.point.keep else None
            if answers is not None and run.learner.kind == "several classes":
                answers = self.runner._own(answers)
            run = replace(run, operating=self.point.operating.copy(), answer_codes=answers)
        run = self._placed(run)
        if self.learner.kind != "advice":
            run = run.with_reading(PlayedReading.of(self.rounds))
        run = replace(run, make_model=self.model, recent=self.last.result(self.runner))
        return replace(run, make_frame=partial(frame_of, self.rounds, kept.named)) if kept.predictions else run

    def _placed(self, run: Any) -> Any:
        """The run with the row of the stream in which it began, where rounds were left out."""
        if not self.skip:
            return run
        if isinstance(run, CopiesRun):
            return run.placed(self.skip)
        if isinstance(run, SegmentedRun):
            return replace(run, segments=tuple(map(self._placed, run.segments)))
        return replace(run, first_round=run.first_round + self.skip)

    def _once_more(self, rows: int) -> Iterator[Any]:
        """The rounds that were played, once more: all passes, as far as the run went."""
        for block in chain.from_iterable(_after(self.rounds.blocks(), self.skip) for _ in range(self.passes)):
            if rows <= 0:
                return
            yield block.cut(0, rows) if len(block) > rows else block
            rows -= len(block)

    def _measure(self, predictions: np.ndarray) -> Any:
        """A second look at the mistakes, should a bound ask."""

        def measure() -> np.ndarray:
            lengths, start = np.zeros(4), 0
            for block in self._once_more(len(predictions)):
                part = predictions[start : start + len(block)]
                core.measure(block.indptr, block.values, None, block.labels, block.weights, part, lengths)
                start += len(block)
            return lengths

        return measure

    def model(self, *, ledger: bool = True) -> Model:
        """What the rounds have made so far, with the names of the features they had, and how their stream was read."""
        runner = self.runner
        if self.resident is not None:
            by_key = runner.keyed_model()
            by_key.features, by_key.named, by_key.reading = known_of(self.before)
            by_key.sorts = self.before is None or self.before.sorts
            self.rounds.tell(by_key, runner.top)
            return by_key
        while hasattr(runner, "runner"):
            runner = runner.runner
        if self.measure is not None:
            runner.lengths[:], self.measure = self.measure(), None
        made = Model.of(runner, self.before)
        if isinstance(self.runner, CopiesGuard):
            made.which_copy = self.runner.which_copy()
        if not ledger:
            made.ledger = None
        if isinstance(self.runner, LateRunner):
            made.ledger = made.accounts = None  # they are those of a run that no theorem of an ordinary run speaks of
        self.rounds.tell(made, getattr(runner, "top", -1))
        if self.point is not None:
            made.operating = self.point.operating.copy()
        return made


def loop(runner: Any, blocks: Callable[[], Iterable[Any]], observers: Sequence[Observer], *, passes: int = 1, scored: bool = False) -> None:
    """The one loop: every block of every pass is handed to the runner, and every observer is told."""
    try:
        for number in range(1, passes + 1):
            _pass(runner, blocks(), observers, scored)
            runner.finish()
            for observer in observers:
                observer.end_of_pass(number)
            if runner.stopped:
                break
    except EndOfRun:
        pass
    except KeyboardInterrupt:
        answers = [observer.interrupted() for observer in observers]  # all of them are told
        if not any(answers):
            raise
    finally:
        for observer in observers:
            observer.ends()


def _pass(runner: Any, blocks: Iterable[Any], observers: Sequence[Observer], scored: bool) -> None:
    wants_scores = scored and any(observer.scores for observer in observers)
    wants_updates = any(observer.updates for observer in observers)
    for block in blocks:
        for piece in _cut(block, observers):
            scores = runner.scores_for(len(piece)) if wants_scores else None
            updates = np.zeros(len(piece), np.bool_) if wants_updates else None
            with ExitStack() as stack:
                for observer in observers:
                    stack.enter_context(observer.around())
                taken = Taken(piece, runner.take(piece, scores, updates), scores, updates)
                for observer in observers:
                    observer.after(taken)
            if runner.stopped:
                return


def _cut(block: Any, observers: Sequence[Observer]) -> Iterator[Any]:
    """The block in pieces that end where some observer wants to be told."""
    if not observers:
        yield block
        return
    for piece in observers[0].cut(block):
        yield from _cut(piece, observers[1:])


def _after(blocks: Iterable[Any], skip: int) -> Iterator[Any]:
    """The blocks without the first rounds."""
    seen = 0
    for block in blocks:
        left, seen = skip - seen, seen + len(block)
        if left < len(block):
            yield block.cut(left, len(block)) if left > 0 else block
    require(seen >= skip, f"skip={skip}: the stream has only {seen} rounds")
