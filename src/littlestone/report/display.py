"""What a notebook shows of a run, a certificate or a model: a few lines of HTML, every text escaped, without matplotlib."""

from __future__ import annotations

from typing import Any

from littlestone.api.experts import ExpertsRun
from littlestone.protocol import AdviceRun
from littlestone.report import expert_words, words
from littlestone.report.page.layout import exact_amount
from littlestone.report.page.markup import Markup, element, joined
from littlestone.report.weights import weight_tables_of
from littlestone.theory import Claim
from littlestone.theory.certificate import Certificate, in_plain_words

SHOWN = 8  # bounds, or weights


def run_html(run: Any) -> str:
    """A run: the sentence, and its bounds."""
    if isinstance(run, ExpertsRun):
        return card(f"{run!r}"[1:-1], [expert_words.regret(run)], run.bounds)
    claims = [] if run.resumed else run.bounds()
    if isinstance(run, AdviceRun):
        return card(f"{run!r}"[1:-1], [f"Regret {run.regret:,.6g} beyond expert {run.best}, the best."] if run.rounds else [], claims)
    lines = [words.headline(run, claims), words.baselines(run, claims)]
    lines += [*words.this_part(run), *words.rates(run.metrics, in_full=False), *words.trusted(run)]
    return card(run.learner.name, lines, claims)


def certificate_html(certificate: Certificate) -> str:
    """A certificate: its opening words, its bounds and its digest."""
    summary = certificate.content.get("summary") or in_plain_words(certificate)
    return card("certificate", [summary, f"Digest {certificate.digest}"], certificate.bounds)


def model_html(model: Any) -> str:
    """A model: what it has met, and its largest weights."""
    counts = f"{words.many(model.mistakes, 'mistake')} in {words.many(model.rounds, 'round')}"
    parts = []
    for heading, listed, nonzero in weight_tables_of(model, SHOWN)[:3]:
        if listed:
            rows = [(name, f"{weight:,.4g}") for name, weight in listed]
            parts += [element("div", f"{heading}, the largest of {nonzero:,}"), grid(("", ""), rows)]
    return card(f"model of {model.learner!r}", [counts], (), parts)


def card(title: str, lines: Any, claims: Any, more: Any = ()) -> str:
    """A title, some lines, and bounds as a table."""
    stated: list[Claim] = [claim for claim in claims if claim.limit is not None][:SHOWN]
    rows = [
        (
            claim.name,
            exact_amount(claim.limit),
            exact_amount(claim.observed),
            claim.kind if claim.compares or claim.kind == "a priori" else "an account",
            "holds" if claim.holds else "BROKEN",
        )
        for claim in stated
    ]
    table = grid(("theorem", "at most", "observed", "kind", ""), rows) if rows else None
    return str(element("div", element("strong", title), *(element("div", line) for line in lines), table, *more))


def grid(heads: Any, rows: Any) -> Markup:
    """A table that looks as the notebook's own do."""
    head = element("thead", element("tr", *(element("th", cell) for cell in heads))) if any(heads) else None
    return element("table", head, element("tbody", *(element("tr", joined(element("td", cell) for cell in row)) for row in rows)))
