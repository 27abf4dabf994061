"""`certify`: a run, and the stream it was played on, as a certificate."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from littlestone.api.certify_spread import movable_rows, search_of, searched
from littlestone.api.costs import with_cost
from littlestone.api.inputs import inputs_of
from littlestone.api.keyed import ManyRuns
from littlestone.api.rows import PlayedRows, in_order_told
from littlestone.api.sources import Choices, Rounds, rounds_for
from littlestone.concepts import ConceptClass
from littlestone.errors import require
from littlestone.hooks import above
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import AdviceRun, ClassRun, CopiesRun, LateRunner, Run, Runner, SegmentedRun
from littlestone.streams import Stream
from littlestone.streams.instances import LabelWeights
from littlestone.theory import Bound, Claim, contradictions, families
from littlestone.theory.all_rounds import with_all
from littlestone.theory.certificate import Certificate, record_of, sealed, stated_learner
from littlestone.theory.claims import Candidate, Known, match, stated_of, tightest, void_when_late
from littlestone.theory.delay import Delay
from littlestone.theory.families import Family
from littlestone.theory.floor import DUAL, FLOOR, SHIFTING, UPDATES, floors_of
from littlestone.theory.keyed import OF_PARTS
from littlestone.theory.risk import of_certificate
from littlestone.witnesses.floor import FLOORS
from littlestone.witnesses.searches import PRIOR
from littlestone.witnesses.taught_rounds import Played, gather


def certify(
    run: Any,
    X: Any = None,
    y: Any = None,
    *,
    assume: str | None = None,
    iid: Any = None,
    boolean: bool = False,
    sample_weight: Any = None,
    class_weight: LabelWeights | None = None,
    cost: Any = None,
    ids: Any = None,
    seconds: float = 10.0,
    expand: int = 1,
    key: Any = None,
    cluster: Any = None,
    **reading: Any,
) -> Any:
    """Which theorems hold of this run, with the evidence that they apply to its stream; `ls.verify` checks it.

    X and y (and `boolean`, the weights and ids) are what was played; of a rule over advice, the advice and the truths. Columns, texts and
    labels are read as the run read them, and a choice that contradicts that is refused. A run over a table of experts knows its table, and
    needs neither. `assume` declares what was known beforehand, as in `run.bounds`; where the stream contradicts it, the bound is void, and
    the certificate names the row. Bounds in hindsight are measured with witnesses that are searched for; `seconds` scales the work of the
    searches, 10 being the usual, and no clock decides. `iid=0.05` declares that rounds were drawn independently from one distribution, and
    adds a bound on the risk that holds with probability 0.95.

    Of a run whose alarms began copies (`alarm="restart"`) it has a certificate for each copy, and who spoke when.

    Of a run by key it has a certificate for each key, and the sums of their bounds; `key` is as in `ls.play`.

    `cluster` is as in `ls.play`: workers search for the witnesses of each bound, and make the certificates of members, classes and keys;
    what comes out is the same.

    Of a run in several passes the stream is the rounds so many times over. Where labels came late, the mistakes are those of the
    predictions that were served, and theorems that need every label at once are void.
    """
    # They bring readers of tables with them, which take their time to import; `floor_of`, at the end of a usual run, has no use for any.
    from littlestone.api.certify_advice import certify_advice
    from littlestone.api.certify_classes import certify_classes
    from littlestone.api.certify_copies import certify_copies
    from littlestone.api.certify_keyed import certify_by_key
    from littlestone.api.experts import ExpertsRun
    from littlestone.api.mixing import MixedRun, certify_mixed

    read_by = getattr(run, "read_by", None)
    if read_by is not None:
        X, reading = read_by.again(X, y, reading)
    X, y, _, texts = inputs_of(X, y, "certify", reading)
    rules = None if read_by is None or y is None else read_by.label_rules
    with nullcontext() if cluster is None else above("connected")(cluster) as workers:
        if isinstance(run, ManyRuns):
            require(run.shared_runner is None, OF_PARTS)
            plain = ids is None and iid is None and expand == 1 and cost is None
            require(
                plain, "of a run by key: certify one key's rounds with ids, iid, expand or cost (open_stream(path, key=COLUMN, only=KEY))"
            )
            of_a_key = partial(certify, assume=assume, seconds=seconds)
            of_rows: dict[str, Any] = {"boolean": boolean, "class_weight": class_weight}
            of_rows |= {} if read_by is None or isinstance(X, Stream) else read_by.of_memory
            return certify_by_key(run, X, y, key, of_a_key, sample_weight, of_rows, workers)
        expand = expand if read_by is None else read_by.expand(expand, X)
        if isinstance(run, ExpertsRun):
            require(run.gradient is None, "charges of gradients depend on the rule, and a certificate of a table does not hold them")
            require(X is None and y is None, "a run over a table of experts knows its table: ls.certify(run) is enough")
            run, X = run.run, run.table
        class_weight = class_weight if cost is None else with_cost(class_weight, cost)
        if isinstance(run, MixedRun):
            return certify_mixed(run, X, y, assume=assume, boolean=boolean)
        if isinstance(run, AdviceRun):
            plain = not boolean and sample_weight is None and class_weight is None
            require(plain, "a rule over advice takes advice and truths alone: no weights, and no presence for value")
            return certify_advice(run, X, y, assume=assume, iid=iid, ids=ids)
        if isinstance(run, CopiesRun):
            how = {"boolean": boolean, "sample_weight": sample_weight, "class_weight": class_weight, "ids": ids, "expand": expand}
            alone = partial(certify, X=X, y=y, seconds=seconds, cluster=workers, **how)
            labels = partial(
                labels_of, run, X, y, Choices(boolean, sample_weight, class_weight, ids, expand=expand, rules=rules, texts=texts)
            )
            return certify_copies(run, labels, alone, iid)
        rows = rows_played(run, X, y, Choices(boolean, sample_weight, class_weight, ids, expand=expand, rules=rules, texts=texts))
        make = certify_classes if isinstance(run, ClassRun) else certify_two
        run = replace(run, learner=with_whole_texts(run.learner, run.delayed is not None))
        content = make(run, rows, certify_two, assume=assume, seconds=seconds, workers=workers)
        return sealed({**content, "risk": None if iid is None else of_certificate(content, iid).as_json()})


def labels_of(run: CopiesRun, X: Any, y: Any, choices: Choices) -> np.ndarray:
    """The label codes of all rows of the stream."""
    blocks = rounds_for(run.learner, None, X, y, choices).blocks()
    return np.concatenate([np.empty(0, np.int64), *(block.labels for block in blocks)])


def floor_of(
    run: Any,
    X: Any,
    y: Any = None,
    *,
    boolean: bool = False,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    ids: Any = None,
    seconds: float = 10.0,
) -> Claim:
    """What a run of two classes owes to the best linear rule found in hindsight, without a certificate: a claim that compares.

    The rule is `comparator`, `comparator_loss` what it loses over all rounds, `price` what the theorem allows for not knowing it, `limit`
    both together. X, y and the rest are what was played, as for `certify`; `seconds` scales the work of the search, 10 being the usual.

    >>> import littlestone as ls
    >>> X, y = [[1, 0], [0, 1]] * 20, [1, 0] * 20
    >>> claim = floor_of(ls.play(ls.perceptron(bias=0), X, y), X, y)
    >>> claim.observed, claim.comparator_loss, claim.price, claim.limit
    (1, 0, 2, 2)
    """
    require(isinstance(run, Run), f"the floor is of a run of two classes, as ls.play gives it; got {type(run).__name__}")
    rows = rows_played(run, X, y, Choices(boolean, sample_weight, class_weight, ids))
    return tightest(floor_claims(look_at(with_own_updates(run, rows), rows, sealed=False), run.learner.name, seconds))[0]


def rows_played(run: Any, X: Any, y: Any, choices: Choices) -> PlayedRows:
    """The stream that a run was played on, as it was played; refused where it is another, or the run not all of it."""
    require(not isinstance(run, SegmentedRun), "this run began anew after alarms: certify each of run.segments")
    known = isinstance(run, Run | ClassRun)
    require(known, f"certify takes a run of one or more classes or over advice, as ls.play gives it; got {type(run).__name__}")
    require(run.predictions is not None, "this run kept no predictions, so its mistakes cannot be told: play it with ls.play")
    rounds = rounds_for(run.learner, None, X, y, choices)
    weights = choices.sample_weight is not None or choices.class_weight is not None
    whole = not run.resumed and (run.order is not None or len(run.predictions) == run.rounds + run.unlabelled)
    require(whole, RESUMED)
    require(run.passes == 1 or not run.first_round, SKIPPED)
    return rows_of(run, rounds, choices.boolean, weights)


USUAL = 10.0  # `seconds` for which a search works as it usually does
RESUMED = "this run went on from a model that earlier rounds had made, and a certificate needs those rounds too: play all of them"
SKIPPED = "of several passes that leave out the first rounds there is no certificate: play the other rounds as a stream of their own"
WEIGHTS = "certify needs the weights that the run was played with (sample_weight, class_weight, cost)"


def rows_of(run: Any, rounds: Rounds, boolean: bool, weights: bool) -> PlayedRows:
    """The stream as it was played, and what a certificate says of how it is read."""
    none = not len(run.predictions)  # a stream of no rounds has no weights to tell by
    require(none or not weights or run.weighted, WEIGHTS)
    stream = rounds.stream

    def reading() -> dict[str, Any] | None:
        """So that a stranger makes the same rounds of the same file; it is settled once the stream has been read."""
        if stream is None:
            return rounds.reading if rounds.reading and "format" in rounds.reading else None
        return stream.reading.stated() if stream.reading is not None and stream.reading.settled else None

    rows = PlayedRows(
        rounds.blocks,
        first=run.first_round,
        total=len(run.predictions),
        segment=run.first_round > 0 or run.alarm is not None,
        passes=run.passes,
        delay=run.delay,
        columns=rounds.columns,
        names=rounds.features if stream is None else stream.names,
        boolean=boolean or (stream is not None and stream.boolean),
        weighted=run.weighted,
        labels=lambda: rounds.stated_labels(),
        reading=reading,
        label_weights=lambda: None if rounds.by_label is None else rounds.by_label()[:-1].tolist(),
    )
    if run.order is not None and run.delay is None:
        rows = in_order_told(rows, run)
    if run.weighted and not none:
        require(any(block.weights is not None for block in rows.blocks()), WEIGHTS)
    return rows


def certify_two(
    run: Run, rows: PlayedRows, _: Any = None, *, assume: str | None = None, seconds: float = 10.0, workers: Any = None
) -> dict[str, Any]:
    """The content of a certificate of two classes; workers, where there are some, search for its witnesses."""
    run = with_own_updates(run, rows)
    learner, played = run.learner, look_at(run, rows)
    if isinstance(learner, Panel) and run.delayed is None:
        from littlestone.api.certify_panel import panel_part

        floors = floor_claims(played, "a panel", seconds, workers)
        members = SeatCertificates(rows, seconds, workers)
        parts = panel_part(run, rows, members, played.observed, assume, floors)
    else:
        claims = claims_of(played, run, run.delayed, assume, seconds, workers)
        parts = {
            "about": "stream",
            "learner": stated_learner(learner, family_of(learner), run.arithmetic),
            "bounds": [record_of(claim) for claim in claims],
        }
    return {
        **parts,
        "stream": rows.stated(played.digest),
        "counts": {
            "rounds": run.rounds,
            "positives": run.positives,
            "mistakes": run.mistakes,
            "false_positives": run.false_positives,
            "false_negatives": run.false_negatives,
            "observed": played.observed,
        },
        "mistakes": played.mistakes,
        "updates": None if family_of(learner).updates_on == "always" else played.also,
        "assume": assume,
    }


def look_at(run: Run, rows: PlayedRows, *, sealed: bool = True) -> Played:
    """The rounds of a run once more: those that taught, and what the whole stream says; its digest only where that is to be sealed."""
    predictions, taught = rows.served(run.codes).astype(np.bool_), run.updates
    return gather(
        replace(run, codes=predictions), rows.blocks(), rows.names, None if taught is None else rows.served(taught),
        boolean=rows.boolean, first=rows.first, segment=rows.segment, again=rows.blocks, sealed=sealed,
    )  # fmt: skip


def floor_claims(played: Played, who: str, seconds: float, workers: Any = None) -> list[Claim]:
    """What is true of every learner."""
    return match(KnownOfStream(who, [FLOOR, SHIFTING], {}, played.observed, None, played, "", seconds / USUAL).with_searches(workers))


class SeatCertificates:
    """Certificates of members of a panel, each on its own run: made here when they are asked for, or by workers once they are announced."""

    def __init__(self, rows: PlayedRows, seconds: float, workers: Any) -> None:
        self.rows, self.seconds, self.workers, self.tasks = rows, seconds, workers, dict[int, Any]()

    def announce(self, members: Mapping[int, tuple[Any, np.ndarray]]) -> None:
        """These members may be asked for, each with its votes."""
        self.members = members
        if self.workers is not None:
            sent = self.workers.send(movable_rows(self.rows))
            self.tasks = {k: self.workers.submit(certify_seat, *members[k], sent, self.seconds) for k in members}

    def __call__(self, k: int) -> Certificate:
        return self.workers.gather([self.tasks[k]])[0] if k in self.tasks else certify_seat(*self.members[k], self.rows, self.seconds)


def certify_seat(learner: Any, votes: np.ndarray, rows: PlayedRows, seconds: float) -> Certificate:
    """The certificate of a member that votes so, as a task."""
    from littlestone.api.certify_panel import seat_run

    return sealed_two(seat_run(learner, rows, votes), rows, seconds)


def sealed_two(run: Run, rows: PlayedRows, seconds: float, assume: str | None = None) -> Certificate:
    """A certificate inside another."""
    return sealed({**certify_two(run, rows, assume=assume, seconds=seconds), "risk": None}, inside=True)


def described_class(value: Any) -> Any:
    """A setting that is a class of concepts, as a certificate writes it; others as they are."""
    return value.described() if isinstance(value, ConceptClass) else value


def with_own_updates(run: Run, rows: PlayedRows) -> Run:
    """The run, knowing on which rounds its weights moved: of a rule with a margin that is averaged it does not tell, as the average always
    moves. Where labels came late, the updates between a prediction and its label are counted anew, too."""
    learner = run.learner
    if run.updates is not None or family_of(learner).updates_on != "margin":
        return run
    watched = replace(learner, family=replace(learner.family, updates_on="margin"), final=None)
    late = run.order is not None
    runner: Any = Runner(watched, columns=rows.columns)
    runner, parts = LateRunner(runner, delay=run.delay) if late else runner, [np.zeros(0, np.bool_)]
    for block in rows.arrived() if rows.arrived is not None else rows.cut():
        parts.append(np.zeros(len(block), np.bool_))
        runner.take(block, None, parts[-1])
    updates = np.concatenate(parts)
    if not late:
        return replace(run, updates=updates)
    runner.finish()
    updates[:] = False
    updates[runner.updated] = True
    return replace(run, updates=updates, overlap=runner.overlap, made=runner.made)


def family_of(learner: Any) -> Family:
    """The family of a learner, with its settings, as theorems speak of it: an averaged hypothesis may move where its weights do not."""
    family = learner.family
    ours = family.own is None and family.inner is None and family.settings
    return families.family(family.name).chosen(learner.settings) if ours else family


def with_whole_texts(learner: Any, late: bool) -> Any:
    """A panel, or a reduction to panels, as a certificate names it: so that it can be played again."""
    from littlestone.api.certify_panel import in_full
    from littlestone.learners.reductions.class_panel import ClassPanel

    if isinstance(learner, Panel | ClassPanel):
        return in_full(learner, alone=late or isinstance(learner, ClassPanel))  # else the certificate has the settings of each member
    inner = learner.settings.get("learner")
    return replace(learner, settings={**learner.settings, "learner": in_full(inner)}) if isinstance(inner, Panel) else learner


@dataclass
class KnownOfStream(Known):
    """A run beside its stream: witnesses are searched for, and rows that contradict what was declared."""

    played: Any = None
    assume: str = ""
    effort: float = 1.0
    searched: Mapping[str, list[Candidate]] = field(default_factory=dict)  # by the names of bounds, what workers have found already

    def with_searches(self, workers: Any) -> "KnownOfStream":
        """The same, once workers have searched, where there are some."""
        return self if workers is None else replace(self, searched=searched(workers, self.bounds, self.played, self.effort))

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        search = search_of(bound.name)
        if search is not None:
            facts = {} if bound.name in FLOORS else self.facts
            pairs = self.searched[bound.name] if bound.name in self.searched else search(self.played, self.effort)
            yield from ((witness, {**facts, **own}) for witness, own in pairs)
        elif bound.witness in ("", "run"):
            yield from super().candidates(bound)

    def contradiction(self, bound: Bound, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
        played = self.played
        settings = {key: described_class(value) for key, value in played.learner.settings.items()}
        return contradictions.find(bound, self.assume, played.whole, played.mistakes, facts, settings, weighted=played.c is not None)

    def met(self, bound: Bound, facts: Mapping[str, Any]) -> bool:
        settings = {key: described_class(value) for key, value in self.played.learner.settings.items()}
        return contradictions.met(bound, self.assume, self.played.whole, facts, settings)


def worth_stating(claims: list[Claim]) -> list[Claim]:
    """Without other forms of the floor that say no more than the floor itself."""
    floor = min((claim.limit for claim in claims if claim.name == FLOOR.name and claim.limit is not None), default=inf)
    others = (DUAL.name, UPDATES.name)
    return [claim for claim in claims if claim.name not in others or (claim.limit is not None and claim.limit < floor)]


def claims_of(played: Played, run: Run, delayed: Delay | None, assume: str | None, seconds: float, workers: Any = None) -> list[Claim]:
    """Every bound of the learner: what was declared first, then hindsight, the smallest limit first; then what late labels leave void."""
    own = run.known()
    inner = getattr(run.learner, "inner", None) or run.learner
    counted = PRIOR[inner.name](played) if inner.name in PRIOR else {}
    certified = [*with_all(bound for bound in own.bounds if bound.witness != "none"), *floors_of(family_of(run.learner))]
    known = KnownOfStream(own.who, certified, {**own.facts, **counted}, played.observed, delayed, played, assume or "", seconds / USUAL)
    if delayed is None:
        return tightest(worth_stating(match(known.with_searches(workers), assume)))
    void = void_when_late(delayed, certified, lambda _: played.observed, assume)
    proved = [bound for bound in stated_of(certified, assume) if not delayed.proved(bound)[1]]
    held = worth_stating(match(replace(known, bounds=proved).with_searches(workers), assume)) if proved else []
    before = [claim for claim in void if claim.kind == "a priori"]
    return [*before, *tightest(held), *(claim for claim in void if claim.kind == "hindsight")]
