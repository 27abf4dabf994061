"""`certify` for several classes: the certificates of a reduction's members, each on its own stream; or what was predicted at mistakes."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from littlestone.api.certify_panel import class_panel_part, member_run
from littlestone.api.certify_spread import movable_rows
from littlestone.api.rows import OTHER, PlayedRows
from littlestone.errors import require
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.protocol import Block, ClassRun, Opening
from littlestone.rounds.digest import kind_of
from littlestone.rounds.features import label_of
from littlestone.theory import Bound, families
from littlestone.theory.all_rounds import with_all
from littlestone.theory.certificate import record_of, sealed, stated_learner
from littlestone.theory.claims import Candidate, Known, match, tightest, void_when_late
from littlestone.theory.class_floor import CLASS_FLOOR, measure
from littlestone.theory.evidence import Evidence, Taught
from littlestone.theory.numbers import float_above
from littlestone.theory.reductions import claims_of, text_of
from littlestone.verifier.classes import Row, class_contradiction
from littlestone.witnesses.matrices import ClassRows, matrix_candidates
from littlestone.witnesses.rounding import TWELVE
from littlestone.witnesses.stream_digest import Digest

HEADER = b"littlestone classes 1\n"
USUAL = 10.0  # `seconds` for which a search works as it usually does


@dataclass
class ClassStream:
    """What one look at a stream of several classes tells."""

    codes: np.ndarray  # the class of each row, as the run numbers them; -1 for none
    weights: np.ndarray
    digest: str
    largest: float = 0.0
    smallest: float = 1.0

    @property
    def born(self) -> list[int]:
        """The row, counted from 0, in which each class first appears."""
        return [int(np.argmax(self.codes == c)) for c in range(int(self.codes.max(initial=-1)) + 1)]


def look(run: ClassRun, rows: PlayedRows) -> ClassStream:
    digest = Digest(rows.names, weighted=rows.weighted, boolean=rows.boolean, segment=rows.segment)
    codes, weights = [np.empty(0, np.int32)], [np.empty(0, np.float32)]
    largest, smallest = 0.0, 1.0
    for block in rows.cut():
        digest.add(replace(block, labels=np.full(len(block), -1, np.int32)))
        codes.append(block.labels.copy())
        weights.append(np.ones(len(block), np.float32) if block.weights is None else block.weights.copy())
        if block.values is not None and len(block.values):
            sizes = np.abs(block.values[block.values != 0])
            largest, smallest = max(largest, float(sizes.max(initial=0))), min(smallest, float(sizes.min(initial=1)))
        elif len(block.indices):
            largest = max(largest, 1.0)
    every = np.concatenate(codes)
    met = list(dict.fromkeys(every[every >= 0].tolist()))  # a segment numbers its classes anew
    place = np.full(max([*met, 0]) + 2, -1, np.int32)
    place[met] = np.arange(len(met))
    numbered = place[every]
    sha = hashlib.sha256(HEADER + digest.text().encode() + numbered.astype("<i4").tobytes())
    return ClassStream(numbered, np.concatenate(weights), kind_of(digest.text()) + sha.hexdigest(), largest, smallest)


def certify_classes(
    run: ClassRun,
    rows: PlayedRows,
    certify_member: Callable[..., dict[str, Any]],
    *,
    assume: str | None = None,
    seconds: float = 10.0,
    workers: Any = None,
) -> dict[str, Any]:
    """The content of a certificate of several classes; workers, where there are some, make those of the members."""
    seen = look(run, rows)
    codes, predicted = seen.codes, rows.served(run.codes)
    wrong = (codes >= 0) & (predicted != codes)
    require(len(codes) == len(predicted) and int(wrong.sum()) == run.mistakes and len(seen.born) == len(run.classes), OTHER)
    mistakes = (np.flatnonzero(wrong) + 1 + rows.first).tolist()
    total = sum(map(Fraction, seen.weights[wrong].tolist()), Fraction(0))
    observed = float_above(total) if run.weighted else run.mistakes
    content: dict[str, Any] = {
        "about": "classes",
        "stream": {**rows.stated(seen.digest), "labels": [plain(label) for label in run.classes]},
        "counts": {"rounds": run.rounds, "mistakes": run.mistakes, "observed": observed},
        "mistakes": mistakes,
        "updates": None,
        "assume": assume,
    }
    family = run.learner.family
    learner = stated_learner(run.learner, family, run.arithmetic if family.inner is None else family.arithmetic)
    members, bounds, panel = None, [], None
    if family.inner is not None:
        if run.delayed is None:
            members = certified_members(run, rows, seen, certify_member, assume, seconds, workers)
            first = sum((Fraction(float(seen.weights[t])) for t in seen.born), Fraction(0)) if run.weighted else len(seen.born)
            named = [(text_of(name_of(member["about"], content["stream"]["labels"])), member["certificate"]) for member in members]
            bounds = [record_of(claim) for claim in claims_of(family, named, observed, assume, first=first)]
    elif isinstance(run.learner, ClassPanel) and run.delayed is None:
        certify = partial(certify_classes, certify_member=certify_member, seconds=seconds)
        bounds, panel = class_panel_part(run, rows, seen.codes, seen.weights, certify, observed, assume)
    elif run.delayed is None:
        bounds = own_bounds(run, rows, seen, content, predicted, observed, seconds / USUAL)
    if run.delayed is not None:
        theorems = family if family.own is not None else families.family(family.name).stated(learner["settings"])
        void = void_when_late(run.delayed, theorems.bounds.values(), lambda _: observed, assume)
        bounds = [record_of(claim) for claim in void]
    part = {"predicted": predicted[wrong].tolist(), "members": members} | ({} if panel is None else {"panel": panel})
    return {**content, "learner": learner, "bounds": bounds, "classes": part}


def plain(label: Any) -> Any:
    """A label as a certificate writes it: text, or a number."""
    made = label_of(label)
    return int(made) if isinstance(made, float) and made.is_integer() else made


def name_of(member: Sequence[int], labels: Sequence[Any]) -> Any:
    names = tuple(labels[c] for c in member)
    return names[0] if len(names) == 1 else names


def certified_members(
    run: ClassRun,
    rows: PlayedRows,
    seen: ClassStream,
    certify_member: Callable[..., dict[str, Any]],
    assume: str | None,
    seconds: float,
    workers: Any = None,
) -> list[dict[str, Any]]:
    """Each member's certificate on its own stream: the rounds from the first appearance of its last class on, with what it was told."""
    engine: Any = run.learner.engine(Opening())
    members = [
        (member, seen.born[c], np.asarray(engine.codes_for(member, seen.codes[seen.born[c] :]), np.int32))
        for c in range(len(seen.born))
        for member in engine.recruits(c)
    ]
    how: dict[str, Any] = {"assume": assume, "seconds": seconds / max(1, len(members))}
    work = partial(certified_member, run.learner.settings["learner"], certify_member, how)
    if workers is None:
        made = (work(born, labels, rows) for _, born, labels in members)
    else:
        sent = workers.send(movable_rows(rows))
        made = workers.gather([workers.submit(work, born, labels, sent) for _, born, labels in members])
    return [{"about": list(member), "certificate": certificate} for (member, *_), certificate in zip(members, made, strict=True)]


def certified_member(
    learner: Any,
    certify_member: Callable[..., dict[str, Any]],
    how: Mapping[str, Any],
    born: int,
    labels: np.ndarray,
    rows: PlayedRows,
) -> dict[str, Any]:
    """The certificate of a member that was told these labels from a round on, as a task."""
    known: dict[str, Any] = {"columns": rows.columns, "names": rows.names, "boolean": rows.boolean, "weighted": rows.weighted}
    theirs = PlayedRows(relabelled(rows, born, labels), total=len(labels), **known)
    content = certify_member(member_run(learner, theirs), theirs, **how)
    return sealed({**content, "risk": None}, inside=True).as_json()


def relabelled(rows: PlayedRows, begin: int, labels: np.ndarray) -> Callable[[], Iterator[Block]]:
    """The rounds of the run from one on, with these labels."""

    def blocks() -> Iterator[Block]:
        start = 0
        for block in rows.cut():
            lo = max(0, begin - start)
            start += len(block)
            if lo < len(block):
                part = block.cut(lo, len(block)) if lo else block
                at = start - len(part) - begin
                yield replace(part, labels=labels[at : at + len(part)], first_round=at, examined=None)

    return blocks


# ---- the Perceptron over several classes ----


@dataclass
class KnownOfClasses(Known):
    """The mistakes and what was predicted there, beside the whole stream."""

    content: Mapping[str, Any] | None = None
    whole: Callable[[], Any] | None = None
    labelled: ClassRows | None = None  # all rounds with a label, where matrices are searched for
    measured: Callable[[Bound, Any], Mapping[str, Any]] | None = None  # what a matrix makes of the mistakes
    effort: float = 1.0

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        if not bound.every:
            return super().candidates(bound)
        assert self.labelled is not None and self.measured is not None
        return matrix_candidates(bound, self.labelled, self.measured, self.effort)

    def contradiction(self, bound: Bound, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
        assert self.content is not None and self.whole is not None
        return class_contradiction(bound, self.content, self.whole(), facts)


def own_bounds(
    run: ClassRun, rows: PlayedRows, seen: ClassStream, content: Mapping[str, Any], predicted: np.ndarray, observed: Any, effort: float
) -> list[dict[str, Any]]:
    """The bounds of a learner of several classes that has no members, measured on the mistakes."""
    family, born, taught = run.learner.family, set(seen.born), []
    exponent = max(0, min(149, 24 - int(np.frexp(seen.smallest)[1])))
    wrong = (seen.codes >= 0) & (predicted != seen.codes)

    def features(block: Block, t: int) -> dict[str, float]:
        lo, hi = block.indptr[t], block.indptr[t + 1]
        values = [1.0] * int(hi - lo) if block.values is None else block.values[lo:hi].tolist()
        return {name(int(i)): v for i, v in zip(block.indices[lo:hi].tolist(), values, strict=True)}

    names = None if not rows.names else list(rows.names)

    def name(column: int) -> str:
        return str(column) if names is None else names[column]

    start = 0
    for block in rows.cut():
        for t in np.flatnonzero(wrong[start : start + len(block)]).tolist():
            if start + t not in born:
                x = {key: int(v * 2**exponent) for key, v in features(block, t).items()}
                row = (start + t + 1, x, int(seen.codes[start + t]), int(predicted[start + t]), Fraction(float(seen.weights[start + t])))
                taught.append(Taught(*row))
        start += len(block)
    labelled = ClassRows.of(rows.cut(), seen.codes, len(seen.born), name)
    evidence = Evidence(
        settings=run.learner.settings,
        taught=taught,
        first=[Fraction(float(seen.weights[t])) for t in seen.born],
        exponent=exponent,
        rounds=run.rounds,
        widest=run.widest_row,
        largest=Fraction(run.largest_value),
        longest=labelled.longest,
        whole=run.whole,
        weighted=run.weighted,
    )
    facts = {key: TWELVE.create_decimal(value) if key == "L" else value for key, value in family.measure(evidence, None).items()}

    def whole() -> list[Row]:
        codes = (None if code < 0 else code for code in seen.codes.tolist())
        return [Row(next(codes), features(block, t)) for block in rows.cut() for t in range(len(block))]

    def measured(bound: Bound, matrix: Any) -> Mapping[str, Any]:
        return (measure if bound is CLASS_FLOOR else family.measure)(evidence, matrix)

    late = bool({"delay", "order"} & set(content["stream"]))  # no evidence is kept of a floor under late labels
    stated = [*with_all(family.theorems), *([] if late else [CLASS_FLOOR])]
    known = KnownOfClasses(run.learner.name, stated, facts, observed, None, content, whole, labelled, measured, effort)
    return [record_of(claim) for claim in tightest(match(known, content["assume"]))]
