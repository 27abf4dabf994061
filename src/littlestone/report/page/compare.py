"""The page of several learners on one stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from littlestone.api.compare import ComparedLearner, Comparison
from littlestone.files import without_folders
from littlestone.report import charts, words
from littlestone.report.page import layout
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import Markup, element, table
from littlestone.report.timeline import Courses


def compare_page(done: Comparison, courses: Courses, command: str = "", streams: Sequence[str] = ()) -> Page:
    """The page, to be saved."""
    able = sorted((entry for entry in done.learners if entry.mistakes is not None), key=cost_of)
    if able:
        best = able[0]
        verdict = (
            f"{best.name} has the least {done.counted} of {len(done.learners):,}: {amount(best)} in {words.many(done.rounds, 'round')}"
        )
        verdict += "." if best.rate is None else f" ({100 * best.rate:.2f} %)."
    else:
        verdict = "None of them can play these rounds."
    page = Page(f"{len(done.learners):,} learners on {done.rounds:,} rounds", [verdict, *([str(done.selected)] if done.selected else [])])
    page.facts = {"rounds": f"{done.rounds:,}", "learners": f"{len(done.learners):,}"}
    page.facts |= {entry.name: amount(entry) for entry in done.baselines}
    lines = courses.lines()
    if lines and done.rounds:
        says = f"{done.counted.capitalize()} over rounds: " + "; ".join(f"{entry.name} {amount(entry)}" for entry in able)
        drawn = [page.figures.draw(partial(charts.compared, courses=lines, log=log, cost=done.counted), says) for log in (False, True)]
        note = f"Looked at {len(courses.rounds) - 1:,} times, each time exactly; between two looks the lines only rise."
        page.add("Over the rounds", layout.figures(layout.two_scales(f"{done.counted.capitalize()} over rounds", drawn, note)))
    page.add("Side by side", *side_by_side(done, able))
    page.add("To make it again", *layout.reproduce(command, {"stream": ", ".join(map(without_folders, streams))}))
    return page


def cost_of(entry: ComparedLearner) -> float:
    return float(entry.mistakes or 0)


def amount(entry: ComparedLearner) -> str:
    return "–" if entry.mistakes is None else words.amount(entry.mistakes)


def side_by_side(done: Comparison, able: Sequence[ComparedLearner]) -> list[Markup]:
    """A row each, the best first; then the rules that look at no feature, and who could not play."""
    bounded = any(entry.limit is not None for entry in able)
    heads = [
        "learner",
        done.counted,
        "rate",
        *(["bound", "by"] if bounded else []),
        *(["mean", "deviation", "least", "most"] if done.shuffles else []),
    ]
    rows = []
    for entry in (*able, *done.baselines):
        limit = "–" if entry.limit is None else words.amount(entry.limit)
        cells = [
            entry.name,
            amount(entry),
            "–" if entry.rate is None else f"{100 * entry.rate:.2f} %",
            *([limit, entry.bound or "–"] if bounded else []),
        ]
        if done.shuffles and entry.shuffled is not None:
            spread = entry.shuffled
            deviation = "–" if spread.deviation is None else f"{spread.deviation:,.1f}"
            cells += [f"{spread.mean:,.1f}", deviation, words.amount(min(spread.mistakes)), words.amount(max(spread.mistakes))]
        elif done.shuffles:
            cells += ["–"] * 4
        rows.append(cells)
    orders = f"; mean and spread over {done.shuffles} random orders, seed {done.seed}" if done.shuffles else ""
    out = [element("p", f"{entry.name}: {entry.reason}") for entry in done.learners if entry.mistakes is None]
    return [table(heads, rows, f"The best first{orders}", words=(0, 4) if bounded else (0,)), *out]
