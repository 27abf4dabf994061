"""The page of a run over features: of two classes, of several, in one piece or in segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.protocol import ClassRun, CopiesRun, Run, SegmentedRun
from littlestone.report import alarms, charts, words
from littlestone.report.look import name_of
from littlestone.report.page import layout
from littlestone.report.page.inline import Figures
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import Markup, element, joined, table
from littlestone.report.timeline import Timeline, WrongRow
from littlestone.report.weights import weight_tables_of
from littlestone.rounds.files import PlainFile
from littlestone.theory import Claim
from littlestone.theory.certificate import Certificate
from littlestone.theory.certificate import compared as compared_by

WEIGHTS = 25  # that are listed
FEATURES = 15  # of a row that are listed
SEGMENTS = 20  # of a run that began anew after alarms
TABLES = 8  # of weights: classes of which they are listed
LETTERS = 500  # of the text of a row
MOST_CLASSES = 16  # in the table of confusions
LINES = ("text", "csv", "tsv", "jsonl", "vw")  # formats whose lines a person reads


@dataclass
class RunFacts:
    """All that a page tells of a run."""

    run: Any
    claims: Sequence[Claim]
    timeline: Timeline
    command: str = ""
    verify: str = ""
    lines: Sequence[str] = ()  # what is said of it beside the numbers
    labels: Sequence[Any] = ()  # by code
    model: Any = None
    format: str = ""  # of the stream
    certificate: Certificate | None = None
    certificate_file: Path | None = None
    uncertified: str = ""  # why there is none
    segments: Sequence[Sequence[Claim]] = ()  # the bounds of each segment, or of each copy
    streams: Mapping[str, Any] = field(default_factory=dict)


def run_page(facts: RunFacts) -> Page:
    """The page, to be saved."""
    run, timeline = facts.run, facts.timeline
    best = words.best_comparison(facts.claims) if not isinstance(run, SegmentedRun) else None
    broken = any(claim.holds is False for claim in facts.claims)
    stated = bool(run.rounds) and any(claim.holds and claim.compares for claim in facts.claims)
    if isinstance(run, SegmentedRun):
        every = alarms.segment_lines(run, facts.segments).split("\n")
        verdict = every[: SEGMENTS + 1] + ([f"And {len(every) - SEGMENTS - 1:,} more."] if len(every) > SEGMENTS + 1 else [])
    else:
        verdict = [words.headline(run, facts.claims), *words.assumed(run, facts.claims)]
    page = Page(
        f"{run.learner.name}: {words.many(run.mistakes, 'mistake')} in {words.many(run.rounds, 'round')}",
        verdict,
        False if broken else True if stated else None,
    )
    page.facts = numbers(run, best)
    if timeline.steps.total:
        page.add("Mistakes over rounds", courses(facts, page.figures))
    if isinstance(run, Run):
        page.add("Probabilities", *probabilities(run, page.figures))
    if isinstance(run, ClassRun):
        page.add("Which class is taken for which", confusion(run))
    page.add("What is proved", *proved(facts, page.figures))
    page.add("To compare", baselines(run))
    parts = learned(facts)
    page.add("What it has learned", element("div", *parts, class_="beside") if parts else None)
    page.add("Mistakes that say most", *wrong_rows(facts))
    page.add("In words", layout.paragraphs(facts.lines[:100]))
    page.add("To make it again", *layout.reproduce(facts.command, facts.streams))
    return page


def numbers(run: Any, best: Claim | None) -> dict[str, Any]:
    """The numbers that stand above."""
    rounds, mistakes = run.total
    shown: dict[str, Any] = {"rounds": f"{rounds:,}", "mistakes": f"{mistakes:,}", "rate": words.percent(mistakes, rounds)}
    if words.goes_on(run):
        rounds, mistakes = run.part
        shown |= {"rounds of this part": f"{rounds:,}", "mistakes in it": f"{mistakes:,}"}
    if best is not None and best.limit is not None:
        shown["at most, by theorem"] = words.amount(best.limit)
    if isinstance(run, SegmentedRun):
        return shown | {"segments": f"{len(run.segments):,}", "alarms": f"{len(run.alarms):,}"}
    if isinstance(run, Run):
        shown |= {"false positives": f"{run.false_positives:,}", "false negatives": f"{run.false_negatives:,}"}
        rates = run.metrics
        more = {"precision": rates.precision, "recall": rates.recall, "AUC": rates.auc, "log-loss": rates.log_loss}
        return shown | {name: f"{value:.4f}" for name, value in more.items() if value is not None}
    rates = run.metrics
    return (
        shown
        | {"classes": f"{len(run.classes):,}"}
        | ({} if rates.macro_f1 is None else {"F1, mean over classes": f"{rates.macro_f1:.4f}"})
    )


def courses(facts: RunFacts, figures: Figures) -> Markup:
    """Mistakes beside the bounds, how often and which way it errs."""
    timeline, run = facts.timeline, facts.run
    steps, two = timeline.steps, timeline.ways
    claims = [] if isinstance(run, SegmentedRun) else facts.claims
    says = f"Mistakes over {steps.total:,} rounds: {int(steps.mistakes[-1]):,} in the end."
    bounds = charts.comparing(claims)
    says += "".join(f" {claim.name} allows {words.amount(claim.limit)}." for claim in bounds if claim.limit is not None)
    drawn = [
        figures.draw(partial(charts.mistakes, steps=steps, claims=claims, samples=timeline.samples, log=log, two=two), says)
        for log in (False, True)
    ]
    exact = (
        "Every round is drawn."
        if steps.width == 1
        else f"A point for every {steps.width:,} rounds, each exact; in between the lines only rise."
    )
    late = timeline.two and not two
    exact = "Labels came in rows of their own: within a block of rounds mistakes are laid out evenly." if late else exact
    note = "Dashed: what a theorem allows." if bounds else "No theorem compares this run with anybody."
    parts = [layout.two_scales("Mistakes, and what theorems allow", drawn, f"{note} {exact}")]
    _, shares, wide = steps.windowed(steps.mistakes)
    window = f"Each point is about the last {wide:,} rounds: {words.many(len(shares), 'point')}."
    ends = f"from {100 * shares.min():.2f} to {100 * shares.max():.2f} percent, {100 * shares[-1]:.2f} at the end"
    says = f"Share of wrong rounds in windows of {wide:,}: {ends}."
    parts.append(layout.figure("How often it errs", figures.draw(partial(charts.rate, steps=steps), says), window))
    if two and isinstance(run, Run) and steps.total > 1:
        says = f"{run.false_positives:,} false positives and {run.false_negatives:,} false negatives over the rounds."
        negative, positive = (*(name_of(label, 60) for label in facts.labels), "0", "1")[:2]
        meaning = f"A false positive: {positive} was predicted, and {negative} came. {window}"
        parts.append(layout.figure("Which way it errs", figures.draw(partial(charts.ways, steps=steps), says), meaning))
    weighted = [sample for sample in timeline.samples if sample.weights]
    if weighted and len(weighted[-1].weights) == len(timeline.members):
        weighted = [sample for sample in weighted if len(sample.weights) == len(timeline.members)]
        top = max(zip(weighted[-1].weights, timeline.members, strict=True))
        says = f"Weights of {len(timeline.members)} members over time; in the end {top[1]} has {100 * top[0]:.0f} percent."
        drawing = figures.draw(partial(charts.weights, samples=weighted, members=timeline.members), says)
        parts.append(layout.figure("Whom the panel trusts", drawing, "Shares of the weight; members of little weight stand together."))
        more = weighted[-1].made - weighted[-1].fewest
        says = f"The panel's mistakes less those of its best member so far: {more:,} in the end."
        drawing = figures.draw(partial(charts.regret, samples=weighted, claims=claims), says)
        note = "Regret: mistakes more than the member who has made the fewest by then. Below 0 the panel is ahead of all of them."
        parts.append(layout.figure("What it cost not to know the best member", drawing, note))
    return layout.figures(*parts)


def probabilities(run: Run, figures: Figures) -> list[Markup]:
    """Reliability and ROC, where there are scores."""
    rates, drawn = run.metrics, []
    if rates.calibration is not None:
        says = f"Reliability diagram: expected calibration error {rates.calibration.error:.4f}, Brier score {rates.brier:.4f}."
        drawing = figures.draw(partial(charts.calibration, reliability=rates.calibration), says, size=(4.2, 3.8))
        chance = f"{rates.calibration.by_chance:.4f} ± {rates.calibration.deviation:.4f}"
        caption = (
            f"Expected calibration error {rates.calibration.error:.4f}, where chance alone makes {chance}. Brier score {rates.brier:.4f}."
        )
        drawn.append(layout.figure("Are its probabilities right?", drawing, caption))
    curve = None if run.marks is None or rates.auc is None else run.marks.roc()
    if curve is not None:
        says = f"ROC curve; the area below it is {rates.auc:.4f}."
        drawing = figures.draw(partial(charts.roc, curve=curve, auc=rates.auc), says, size=(4.2, 3.8))
        off = f" Scores are kept in bins: the area is off by at most {rates.auc_off_by:.1g}." if rates.auc_off_by else ""
        drawn.append(
            layout.figure("What a threshold would do (ROC)", drawing, f"Of a rising curve, points nearer than 1/500 are left out.{off}")
        )
    return [layout.figures(*drawn)] if drawn else []


def confusion(run: ClassRun) -> Markup:
    """Counts of true and predicted classes; of many classes, those with most mistakes, and the others together."""
    counts, labels = run.confusion, list(map(str, run.classes))
    if not len(labels):
        return Markup()
    off = counts - np.diag(np.diag(counts))
    chosen = np.sort(np.argsort(-(off.sum(axis=0) + off.sum(axis=1)), kind="stable")[:MOST_CLASSES])
    names, shown = [labels[i] for i in chosen], counts[np.ix_(chosen, chosen)]
    others = np.setdiff1d(np.arange(len(labels)), chosen)
    if len(others):
        right = np.concatenate([shown, counts[np.ix_(chosen, others)].sum(axis=1, keepdims=True)], axis=1)
        below = np.concatenate([counts[np.ix_(others, chosen)].sum(axis=0), [counts[np.ix_(others, others)].sum()]])
        shown, names = np.vstack([right, below]), [*names, f"{len(others):,} others"]
    shares = shown / np.maximum(shown.sum(axis=1, keepdims=True), 1)
    rows = []
    for i, name in enumerate(names):
        cells = [element("td", f"{shown[i, j]:,}", class_="number", style=f"--share:{shares[i, j]:.3f}") for j in range(len(names))]
        rows.append(element("tr", element("th", name_of(name, 40), scope="row"), *cells))
    head = element(
        "tr",
        element("th", "true ↓ predicted →", scope="col"),
        *(element("th", name_of(name, 40), scope="col", class_="number") for name in names),
    )
    note = f"{MOST_CLASSES} classes with most mistakes, and the others together. " if len(others) else ""
    grid = element(
        "table",
        element("caption", f"{note}Shaded: the share of a row."),
        element("thead", head),
        element("tbody", *rows),
        class_="confusion",
    )
    each = table(
        ("class", "rounds", "precision", "recall", "F1"),
        (
            (row.label, f"{row.rounds:,}", *("–" if x is None else f"{x:.3f}" for x in (row.precision, row.recall, row.f1)))
            for row in run.metrics.classes[:100]
        ),
        "Each class against all others" + (", the first 100" if len(labels) > 100 else ""),
    )
    return joined([element("div", grid, class_="scroll", tabindex="0", role="region", aria_label="confusions"), each])


def proved(facts: RunFacts, figures: Figures) -> list[Any]:
    """The certificate in words, the bounds as a figure and as a table."""
    run, parts = facts.run, layout.certificate_parts(facts.certificate, facts.verify, facts.certificate_file, facts.uncertified)
    if isinstance(run, SegmentedRun):
        copies = isinstance(run, CopiesRun)
        parts += [layout.claims_table(run.bounds())] if copies else []
        for number, claims in enumerate(facts.segments[:SEGMENTS], 1):
            parts += [element("h3", f"{'Copy' if copies else 'Segment'} {number}"), layout.claims_table(claims)]
        return parts
    stated = [claim for claim in facts.claims if claim.limit is not None]
    if stated:
        observed = float(run.weighted_mistakes)
        says = "Limits of the bounds: " + "; ".join(f"{claim.name} {words.amount(claim.limit or 0)}" for claim in stated)
        drawing = figures.draw(
            partial(charts.limits, claims=stated, observed=observed),
            f"{says}. Observed: {words.amount(run.weighted_mistakes)}.",
            size=(5.0, 0.9 + 0.42 * len(stated)),
        )
        caption = "A bar is a limit, the upright line what was made; from there to the end of the bar is slack."
        parts.append(layout.figures(layout.figure("Each bound: whom it compares with, and the price", drawing, caption)))
    names = getattr(run.learner, "names", ())
    return [*parts, layout.claims_table(facts.claims, lambda claim: compared_by(claim, names, "member" if names else "expert"))]


def baselines(run: Any) -> Markup:
    """Rules that look at no feature, beside the run."""
    if isinstance(run, SegmentedRun):
        return Markup()
    caption = f"{run.learner.name}, beside two rules that look at no feature"
    weighed = run.weighted_baselines
    if weighed is not None:
        rows = [
            (run.learner.name, run.weighted_mistakes),
            ("always the label that costs least", weighed["majority"]),
            ("same as the last label", weighed["same_as_last"]),
        ]
        return table(("rule", "weight of the mistakes"), ((name, f"{made:,.6g}") for name, made in rows), caption)
    rows = [
        (run.learner.name, run.mistakes),
        ("always the majority", run.baselines["majority"]),
        ("same as the last label", run.baselines["same_as_last"]),
    ]
    cells = ((name, f"{made:,}", words.percent(made, run.rounds)) for name, made in rows)
    return table(("rule", "mistakes", "rate"), cells, caption)


def learned(facts: RunFacts) -> list[Any]:
    """The weights that matter by name; of a panel its members."""
    run, model, parts = facts.run, facts.model, []
    last = run.model_copy.run if isinstance(run, CopiesRun) else run.segments[-1]
    seats = last.learner.seats(last.state)
    if seats:
        ranked = sorted(seats, key=lambda seat: (-seat.weight, seat.mistakes))
        rows = ((seat.name, f"{seat.mistakes:,}", f"{seat.weight:.4f}") for seat in ranked)
        parts.append(element("div", table(("member", "mistakes", "weight"), rows, "Who sits on the panel, the most trusted first")))
    if model is None:
        return parts
    try:
        tables = weight_tables_of(model, WEIGHTS)
    except LittlestoneError:  # a learner of the user's own may have none by name
        return parts
    for heading, listed, nonzero in tables[:TABLES]:
        if listed:
            side = (
                f"; above 0 they speak for {name_of(facts.labels[1], 60)}"
                if heading.startswith("weights") and len(facts.labels) == 2
                else ""
            )
            caption = f"{heading[0].upper()}{heading[1:]}: the largest {len(listed)} of {nonzero:,}{side}"
            parts.append(element("div", layout.bars([(name, float(weight)) for name, weight in listed], caption=caption)))
    if len(tables) > TABLES:
        parts.append(element("p", f"{len(tables) - TABLES:,} classes more are left out."))
    return parts


def wrong_rows(facts: RunFacts) -> list[Any]:
    """The mistakes it was surest of, with their text or features."""
    rows = facts.timeline.surest
    if not rows:
        return []
    names = {} if facts.model is None or not facts.model.named else {column: name for name, column in facts.model.features.items()}
    texts = lines_of(rows) if facts.format in LINES else {}
    scored = rows[0].sure is not None
    odds = bool(getattr(facts.run.learner, "probabilities", False))
    files, cells = {row.path for row in rows}, []
    for row in rows:
        label, predicted = (facts.labels[code] if 0 <= code < len(facts.labels) else "–" for code in (row.label, row.predicted))
        sure = [] if row.sure is None else [f"{1 / (1 + exp(-row.sure)):.4f}" if odds and row.sure < 700 else f"{row.sure:.4g}"]
        shown = texts.get((row.path, row.line)) or features_of(row, names)
        place = row.place if row.line is None else f"line {row.line:,}" if len(files) == 1 else f"{Path(row.path).name}, line {row.line:,}"
        cells.append((element("span", element("small", place), shown, class_="row"), label, predicted, *sure))
    heads = ("the row", "came", "predicted", *([("sure" if odds else "score")] if scored else []))
    caption = "The mistakes it was surest of" if scored else "The last mistakes"
    return [table(heads, cells, caption, words=(0, 1, 2))]


def features_of(row: WrongRow, names: Mapping[int, Any]) -> str:
    """The features of a row, by name, with their values where these are not 1."""
    values = [1.0] * len(row.indices) if row.values is None else row.values.tolist()
    listed = [f"{names.get(i, i)}" + ("" if v == 1 else f"={v:g}") for i, v in zip(row.indices.tolist(), values, strict=True)]
    more = f" … and {len(listed) - FEATURES:,} more" if len(listed) > FEATURES else ""
    return ", ".join(listed[:FEATURES]) + more if listed else "no feature"


def lines_of(rows: Sequence[WrongRow]) -> dict[tuple[str, int | None], str]:
    """The lines of files in which these rows stand, shortened; those that cannot be read are left out."""
    texts: dict[tuple[str, int | None], str] = {}
    for path in {row.path for row in rows if row.line is not None}:
        numbers = {row.line for row in rows if row.path == path}
        last = max(number for number in numbers if number is not None)
        if not Path(path).is_file():
            continue
        try:
            with PlainFile(path) as file:
                for number, line in enumerate(file.lines(), 1):
                    if number in numbers:
                        written = line.decode("utf-8", "replace").rstrip("\r\n")
                        texts[path, number] = written if len(written) <= LETTERS else f"{written[:LETTERS]}…"
                    if number >= last:
                        break
        except LittlestoneError:
            continue
    return texts
