"""`certify`: a run, and the stream it was played on, as a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.api.certify_advice import certify_advice
from littlestone.api.certify_panel import panel_part
from littlestone.api.experts import ExpertsRun
from littlestone.concepts import ConceptClass
from littlestone.errors import require
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import AdviceRun, Block, Run, Runner, SegmentedRun
from littlestone.protocol.block import ROWS
from littlestone.streams import Stream
from littlestone.streams.instances import as_played, source_of, streamed, two_labels_of, weighing, weights_of_two
from littlestone.theory import Claim, contradictions, families, judge
from littlestone.theory.certificate import Certificate, exactly, record_of, sealed
from littlestone.theory.risk import risk
from littlestone.witnesses.searches import PRIOR, SEARCHES
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
    class_weight: Mapping | None = None,
    seconds: float = 10.0,
) -> Certificate:
    """Which theorems hold of this run, with the evidence that they apply to its stream; `ls.verify` checks it.

    X and y (and `boolean` and the weights) are what was played; of a rule over advice, the advice and the truths. A run over a table of
    experts knows its table, and needs neither. `assume` declares what was known beforehand, as in `run.bounds`; where the stream
    contradicts it, the bound is void, and the certificate names the row. Bounds in hindsight are measured with witnesses that are searched
    for, a search stopping after `seconds`. `iid=0.05` declares that rounds were drawn independently from one distribution, and adds a bound
    on the risk that holds with probability 0.95.
    """
    if isinstance(run, ExpertsRun):
        require(run.gradient is None, "charges of gradients depend on the rule, and a certificate of a table does not hold them")
        require(X is None and y is None, "a run over a table of experts knows its table: ls.certify(run) is enough")
        run, X = run.run, run.table
    if isinstance(run, AdviceRun):
        plain = not boolean and sample_weight is None and class_weight is None
        require(plain, "a rule over advice takes advice and truths alone: no weights, and no presence for value")
        return certify_advice(run, X, y, assume=assume, iid=iid)
    require(not isinstance(run, SegmentedRun), "this run began anew after alarms: certify each of run.segments")
    require(isinstance(run, Run), f"certify takes a run of two classes or over advice, as ls.play gives it; got {type(run).__name__}")
    require(run.predictions is not None, "this run kept no predictions, so its mistakes cannot be told: play it with ls.play")
    whole = not run.resumed and len(run.predictions) == run.rounds + run.unlabelled
    require(whole, "this run went on from a model that earlier rounds had made, and a certificate needs those rounds too: play all of them")
    learner = run.learner
    uncertified(learner)
    X = streamed(X, y)
    source = source_of(X, y, ROWS, two_labels_of)
    weigh = weighing(sample_weight, weights_of_two(class_weight))
    needed = "certify needs the weights that the run was played with (sample_weight, class_weight)"
    require(weigh is None or run.weighted, needed)
    weights_met = False

    def blocks() -> Iterator[Block]:
        nonlocal weights_met
        for block in as_played(source, boolean, weigh):
            weights_met = weights_met or block.weights is not None
            yield block

    first = run.first_round
    segment = first > 0 or run.alarm is not None
    presence = boolean or (isinstance(X, Stream) and X.boolean)
    taught = run.updates if run.updates is not None else told_again(run, blocks(), source, first)
    played = gather(run, blocks(), source.names, taught, boolean=presence, first=first, segment=segment, again=blocks)
    require(weights_met or not run.weighted, needed)
    codes = X.codes if isinstance(X, Stream) else None
    stream: dict[str, Any] = {
        "digest": played.digest,
        "rows": [played.first, played.last],
        "segment": segment,
        "boolean": presence,
        "weighted": run.weighted,
        "labels": None if codes is None else [codes.negative, codes.positive],
        "experts": None,
    }
    reading = getattr(X, "reading", None)
    if reading is not None and reading.settled:  # so that a stranger makes the same rounds of the same file
        stream["reading"] = reading.as_json()
    if isinstance(learner, Panel):
        require(not segment and not run.overlap, "a panel's certificate is of a whole run whose labels came at once: no alarm, no delay")

        def member(own: Run) -> Certificate:
            weights = {"sample_weight": sample_weight, "class_weight": class_weight}
            return certify(own, X, y, boolean=boolean, seconds=seconds, **weights)

        parts = panel_part(run, blocks, source.columns, member, played.observed, assume)
    else:
        found = claims_of(played, run, assume, seconds)
        claims = [claim if assume is None else contradicted(claim, bound, assume, played) for claim, bound in found]
        parts = {"about": "stream", "learner": described(learner, run), "bounds": [record_of(claim) for claim in claims]}
    return sealed(
        {
            **parts,
            "stream": stream,
            "counts": {
                "rounds": run.rounds,
                "positives": run.positives,
                "mistakes": run.mistakes,
                "false_positives": run.false_positives,
                "false_negatives": run.false_negatives,
                "observed": played.observed,
            },
            "mistakes": played.mistakes,
            "updates": None if updates_on(learner) == "always" else played.also,
            "assume": assume,
            "risk": None if iid is None else risk(run.mistakes, run.rounds, iid).as_json(),
        }
    )


def uncertified(learner: Any) -> None:
    """Refuse a learner whose run is that of another on a part of the stream."""
    inner = getattr(learner, "inner", None)
    require(
        inner is None,
        f"{learner.name} has no certificate of its own: its mistakes are those of {inner and inner.name} on the rounds that were passed "
        f"on to it; play {inner and inner.name} over the mistake rounds alone, and certify that run",
    )


def described_class(value: Any) -> Any:
    """A setting that is a class of concepts, as a certificate writes it; others as they are."""
    return value.described() if isinstance(value, ConceptClass) else value


def told_again(run: Run, blocks: Iterator[Block], source: Any, first: int) -> np.ndarray | None:
    """On which rounds the weights moved, of a rule with a margin whose run does not tell (of an averaged one, the average always moves)."""
    learner = run.learner
    if updates_on(learner) != "margin":
        return None
    runner = Runner(replace(learner, updates_on="margin", final=None), columns=source.columns)
    total, start, told = len(run.predictions), 0, []
    for block in blocks:
        lo, hi = max(0, first - start), min(len(block), first + total - start)
        start += len(block)
        if lo < hi:
            told.append(np.zeros(hi - lo, np.bool_))
            runner.take(block.cut(lo, hi), None, told[-1])
    return np.concatenate(told) if told else np.zeros(0, np.bool_)


def updates_on(learner: Any) -> str:
    try:
        return families.family(learner.name).updates_on(learner.settings)
    except ValueError:  # a user's own learner
        return learner.updates_on


def described(learner: Any, run: Run) -> dict[str, Any]:
    settings = {key: exactly(described_class(value)) for key, value in learner.settings.items()}
    try:
        ties = families.family(learner.name).ties
    except ValueError:
        ties = ""
    return {"name": learner.name, "settings": settings, "ties": ties, "arithmetic": run.arithmetic, "updates_on": updates_on(learner)}


def claims_of(played: Played, run: Run, assume: str | None, seconds: float) -> list[tuple[Claim, Any]]:
    """Every bound of the learner: what was declared first, then hindsight, the smallest limit first."""
    bounds = {(bound.name, bound.kind): bound for bound in run.learner.bounds}
    plain = run.bounds(assume)
    counted = PRIOR[run.learner.name](played) if run.learner.name in PRIOR else {}
    before = []
    for claim in plain:
        if claim.kind == "a priori":
            bound = bounds[claim.name, claim.kind]
            before.append((judge(bound, played.observed, {**claim.facts, **counted}, claim.reason if claim.limit is None else ""), bound))
    after: list[tuple[Claim, Any]] = []
    measured = {**(run.learner.facts(run) if run.learner.facts else {}), **counted}
    for bound in run.learner.bounds:
        if bound.kind != "hindsight":
            continue
        candidates = []
        if bound.name in SEARCHES:
            for witness, facts in SEARCHES[bound.name](played, seconds):
                candidates.append(replace(judge(bound, played.observed, {**measured, **facts}), comparator=witness))
        elif bound.witness in ("", "run"):
            candidates += [
                judge(bound, played.observed, {**claim.facts, **counted})
                for claim in plain
                if claim.name == bound.name and claim.kind == "hindsight"
            ]
        held = [claim for claim in candidates if claim.limit is not None]
        for kept in (held, [claim for claim in held if claim.comparator]):  # the tightest, and the tightest that compares with something
            best = min(kept, key=lambda claim: claim.limit, default=None)  # type: ignore[arg-type,return-value]
            if best is not None and best not in [claim for claim, _ in after]:
                after.append((best, bound))
    return before + sorted(after, key=lambda pair: pair[0].limit)  # type: ignore[arg-type,return-value]


def contradicted(claim: Claim, bound: Any, assume: str, played: Played) -> Claim:
    """The claim, void where the stream contradicts what was declared."""
    if claim.kind != "a priori":
        return claim
    settings = {key: described_class(value) for key, value in played.learner.settings.items()}
    found = contradictions.find(bound, assume, played.whole, played.mistakes, claim.facts, settings, weighted=played.c is not None)
    if found is None:
        return claim
    void = judge(bound, claim.observed, claim.facts, contradictions.reason(found))
    return replace(void, contradiction=found)
