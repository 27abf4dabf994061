"""The page of a hypothesis with a promise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from littlestone.files import without_folders
from littlestone.report import charts, words
from littlestone.report.fit import in_words
from littlestone.report.page import layout
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import element, table
from littlestone.report.weights import weight_tables_of

WEIGHTS = 25
MEASURED = "The promise is about fresh rows; what is measured are rows held out or not drawn."


def fit_page(fit: Any, command: str = "", streams: Sequence[str] = ()) -> Page:
    """The page, to be saved."""
    lines = in_words(fit).split("\n")
    promise = next(
        (line for line in lines if line.startswith(("Promise", "What the rows were enough for", "The promise was not reached"))), lines[0]
    )
    page = Page(f"{fit.described} by {fit.by}", [promise], True if fit.reached else None)
    low, high = fit.error_interval
    page.facts = {
        "examples drawn": f"{fit.examples:,}",
        "mistakes": f"{fit.mistakes:,}",
        "hypotheses tried": f"{fit.tests:,}",
        "error on rows never seen": words.percent(fit.wrong, fit.unseen),
        f"interval, {100 * (1 - fit.delta):g} %": f"{100 * low:.2f} to {100 * high:.2f} %",
        "always the majority": words.percent(fit.majority, fit.unseen),
    }
    says = f"Wrong on {fit.wrong:,} of {fit.unseen:,} rows never seen; interval {100 * low:.2f} to {100 * high:.2f} percent."
    if fit.unseen:
        drawing = page.figures.draw(partial(charts.promise, fit=fit), says, size=(4.8, 2.0))
        page.add("Promised, and measured", layout.figures(layout.figure("The error on rows that it never saw", drawing, MEASURED)))
    page.add("In words", layout.paragraphs(lines))
    if fit.model is not None:
        tables = weight_tables_of(fit.model, WEIGHTS)
        parts = [
            layout.bars([(name, float(weight)) for name, weight in listed], caption=f"{heading}: the largest {len(listed)} of {nonzero:,}")
            for heading, listed, nonzero in tables
            if listed
        ]
        page.add("What it has learned", *parts)
    rows = [(name, value) for name, value in (fit.promise or {}).items()]
    page.add(
        "The promise in numbers",
        table(("what", "how much"), rows, "As --json has it", words=(0, 1)) if rows else element("p", "There is none."),
    )
    page.add("To make it again", *layout.reproduce(command, {"stream": ", ".join(map(without_folders, streams)), "seed": fit.seed}))
    return page
