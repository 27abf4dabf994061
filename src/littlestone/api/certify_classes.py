"""`certify` for several classes: the certificates of a reduction's members, each on its own stream; or what was predicted at mistakes."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from littlestone.api.certify_advice import certify_advice
from littlestone.api.play import play
from littlestone.api.rows import OTHER, PlayedRows
from littlestone.errors import require
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.protocol import Block, ClassLearner, ClassRun, ClassRunner, Learner, Opening, Runner
from littlestone.reference.class_blend import CLASS_BLENDS
from littlestone.rounds.features import label_of
from littlestone.theory import Bound, class_panel, families
from littlestone.theory.all_rounds import with_all
from littlestone.theory.certificate import exactly, record_of, sealed
from littlestone.theory.claims import Candidate, Known, match, tightest, void_when_late
from littlestone.theory.class_floor import CLASS_FLOOR, measure
from littlestone.theory.evidence import Evidence, Taught
from littlestone.theory.experts import slip
from littlestone.theory.families import known_with
from littlestone.theory.numbers import float_above
from littlestone.theory.panel import best_of
from littlestone.theory.panel import claims_of as claims_of_panel
from littlestone.theory.reductions import claims_of, text_of
from littlestone.verifier.classes import Row, class_contradiction
from littlestone.witnesses.matrices import ClassRows, matrix_candidates
from littlestone.witnesses.rounding import TWELVE, above
from littlestone.witnesses.stream_digest import Digest

HEADER = b"littlestone classes 1\n"
TRIED = 2  # members of a panel whose own certificates are made: those with the fewest mistakes
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
    return ClassStream(numbered, np.concatenate(weights), "sha256:" + sha.hexdigest(), largest, smallest)


def certify_classes(
    run: ClassRun, rows: PlayedRows, certify_member: Callable[..., dict[str, Any]], *, assume: str | None = None, seconds: float = 10.0
) -> dict[str, Any]:
    """The content of a certificate of several classes."""
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
    learner = {"name": run.learner.name, "ties": family.ties, "arithmetic": run.arithmetic, "updates_on": family.updates_on}
    if family.own is not None:
        learner["file"] = dict(family.own)
    members, bounds, panel = None, [], None
    if family.inner is not None:
        inner: Learner = run.learner.settings["learner"]
        learner["settings"] = {"learner": {"name": inner.name, "settings": exactly(stated(inner))}}
        learner["arithmetic"] = family.arithmetic
        if run.delayed is None:
            members = certified_members(run, rows, seen, certify_member, assume, seconds)
            first = sum((Fraction(float(seen.weights[t])) for t in seen.born), Fraction(0)) if run.weighted else len(seen.born)
            named = [(text_of(name_of(one["about"], content["stream"]["labels"])), one["certificate"]) for one in members]
            bounds = [record_of(claim) for claim in claims_of(family, named, observed, assume, first=first)]
    else:
        learner["settings"] = {key: exactly(value) for key, value in run.learner.settings.items()}
        if isinstance(run.learner, ClassPanel) and run.delayed is None:
            certify = partial(certify_classes, certify_member=certify_member, seconds=seconds)
            bounds, panel = panel_part(run, rows, seen, certify, observed, assume)
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


def stated(learner: Any) -> dict[str, Any]:
    return {key: value.described() if hasattr(value, "described") else value for key, value in learner.settings.items()}


def name_of(member: Sequence[int], labels: Sequence[Any]) -> Any:
    names = tuple(labels[c] for c in member)
    return names[0] if len(names) == 1 else names


def certified_members(
    run: ClassRun, rows: PlayedRows, seen: ClassStream, certify_member: Callable[..., dict[str, Any]], assume: str | None, seconds: float
) -> list[dict[str, Any]]:
    """Each member's certificate on its own stream: the rounds from the first appearance of its last class on, with what it was told."""
    engine: Any = run.learner.engine(Opening())
    made = []
    for c in range(len(seen.born)):
        for member in engine.recruits(c):
            told = np.asarray(engine.codes_for(member, seen.codes[seen.born[c] :]), np.int32)
            made.append((member, PlayedRows(relabelled(rows, seen.born[c], told), total=len(told), columns=rows.columns, names=rows.names,
                                      boolean=rows.boolean, weighted=rows.weighted)))  # fmt: skip
    learner = run.learner.settings["learner"]
    found = []
    for member, theirs in made:
        played = member_run(learner, theirs)
        content = certify_member(played, theirs, assume=assume, seconds=seconds / max(1, len(made)))
        found.append({"about": list(member), "certificate": sealed({**content, "risk": None}, inside=True).as_json()})
    return found


def relabelled(rows: PlayedRows, begin: int, told: np.ndarray) -> Callable[[], Iterator[Block]]:
    """The rounds of the run from one on, with these labels."""

    def blocks() -> Iterator[Block]:
        start = 0
        for block in rows.cut():
            lo = max(0, begin - start)
            start += len(block)
            if lo < len(block):
                part = block.cut(lo, len(block)) if lo else block
                at = start - len(part) - begin
                yield replace(part, labels=told[at : at + len(part)], first_round=at, examined=None)

    return blocks


def member_run(learner: Learner, rows: PlayedRows) -> Any:
    """A member's own run over its stream."""
    runner = Runner(learner, columns=rows.columns, counted=True)
    predictions, updates = [np.empty(0, np.bool_)], [np.empty(0, np.bool_)]
    for block in rows.cut():
        updates.append(np.zeros(len(block), np.bool_))
        predictions.append(runner.take(block, None, updates[-1] if learner.updates_on == "margin" else None))
    return runner.run(np.concatenate(predictions), updates=np.concatenate(updates) if learner.updates_on == "margin" else None)


# ---- a panel of several classes ----


def panel_part(
    run: ClassRun, rows: PlayedRows, seen: ClassStream, certify: Callable[..., dict[str, Any]], observed: int | float, assume: str | None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The bounds and the part `panel` of a certificate: the rule's certificate on who erred, a member's own, and what both together say."""
    panel = run.learner
    assert isinstance(panel, ClassPanel) and panel.rule is not None
    votes = class_votes(panel, run, rows)
    truth = np.where(seen.weights > 0, seen.codes, -1)  # what weighs nothing teaches nothing
    labelled = truth >= 0
    wrong = labelled[:, None] & (votes != truth[:, None])
    table, told = wrong.astype(np.float32), np.where(labelled, 0.0, np.nan)
    played = play(panel.rule, table, told)
    advice = certify_advice(played, table, told, assume=assume)
    best, own = None, None
    for k in by_mistakes(panel, wrong.sum(axis=0), run.weighted)[:TRIED]:
        if best is not None and best.errs <= wrong[:, k].sum():
            break  # no limit is below the mistakes made, so that no later member has a smaller one
        member = class_run(panel.chosen(run.state, panel.names[k])[1], rows, run)
        require(np.array_equal(member.codes, votes[:, k]), VOTES)
        certificate = sealed({**certify(member, rows), "risk": None}, inside=True)
        candidate = best_of(k, certificate.content, least_or_most(np.min, seen.weights[wrong[:, k]]))
        if candidate is not None and (best is None or candidate.errs < best.errs):
            best, own = candidate, certificate
    errors = labelled & (rows.served(run.codes) != truth)
    c = least_or_most(np.max, seen.weights[errors]) if run.weighted else None
    F = above(float_above(Fraction(played.loss) + Fraction(slip(played.rounds))))
    family = class_panel.rule_of(len(panel.names))
    claims = claims_of_panel(family, advice.content["bounds"], observed, assume, F=F, T=played.rounds, c=c, best=best, first=rows.first + 1)
    blends = {blend.name: blend for blend in CLASS_BLENDS}
    members = []
    for k, text in enumerate(panel.names):
        seat = panel.members[k] if k < len(panel.members) else None
        settings = {} if seat is None else {key: exactly(value) for key, value in seat.settings.items()}
        members.append(
            {
                "text": text,
                "name": text if seat is None else seat.name,
                "settings": blends[text].stated() if seat is None and text in blends else settings,
                "alone": seat is not None,
                "mistakes": (np.flatnonzero(wrong[:, k]) + 1 + rows.first).tolist(),
            }
        )
    chosen = None if best is None or own is None else {"member": best.member, "certificate": own.as_json()}
    part = {"members": members, "advice": advice.as_json(), "best": chosen}
    if (forecasts := panel.forecasts_of(run.state)) is not None:
        part["forecasts"] = {**forecasts.as_json(), "bounds": list(map(record_of, forecasts.bounds))}
    return [record_of(claim) for claim in claims], part


VOTES = "X and y are not what this run was played on: its members vote otherwise on them"


def class_votes(panel: ClassPanel, run: ClassRun, rows: PlayedRows) -> np.ndarray:
    """The stream once more: which class each voter names in each round."""
    votes: list[np.ndarray] = [np.empty((0, len(panel.names)), np.int32)]
    require(np.array_equal(class_run(panel, rows, run, votes.append).codes, rows.served(run.codes)), VOTES)
    return np.concatenate(votes)


def class_run(learner: ClassLearner, rows: PlayedRows, run: ClassRun, listen: Any = None) -> ClassRun:
    """A run over the same rounds, as this one numbers its classes."""
    runner, predictions = ClassRunner(learner, columns=rows.columns, counted=True), [np.empty(0, np.int32)]
    if listen is not None:
        runner.engine.listen = listen
    for block in rows.cut():
        predictions.append(runner.take(block))
    return replace(runner.run(np.concatenate(predictions)), classes=run.classes)


def by_mistakes(panel: ClassPanel, mistakes: np.ndarray, weighted: bool) -> list[int]:
    """The members with a theorem about several classes, those with the fewest mistakes first."""
    stated = [{key: exactly(value) for key, value in member.settings.items()} for member in panel.members]
    known = [
        k for k, member in enumerate(panel.members) if member.name == class_panel.ALONE and known_with(member.name, stated[k], weighted)
    ]
    return sorted(known, key=lambda k: (mistakes[k], k))


def least_or_most(choose: Callable[[np.ndarray], Any], weights: np.ndarray) -> Fraction:
    """Of the weights of some rounds; 1 where there are none."""
    return Fraction(float(choose(weights))) if len(weights) else Fraction(1)


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
