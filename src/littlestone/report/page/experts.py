"""The page of a rule over a table of experts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from littlestone.api.experts import ExpertsRun
from littlestone.report import expert_words, words
from littlestone.report.experts import Drawn, drawn_of
from littlestone.report.page import layout
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import element, table
from littlestone.theory.certificate import Certificate

LISTED = 40  # experts


def experts_page(
    run: ExpertsRun,
    *,
    command: str = "",
    verify: str = "",
    certificate: Certificate | None = None,
    certificate_file: Path | None = None,
    uncertified: str = "",
    lines: Sequence[str] = (),
) -> Page:
    """The page, to be saved."""
    number = expert_words.number
    stated = [claim for claim in run.bounds if claim.limit is not None and run.rounds]
    broken = any(claim.holds is False for claim in run.bounds)
    best = expert_words.short(run.best.name)
    whole = f"{run.rule.name} lost {number(run.loss)} over {words.many(run.rounds, 'round')}"
    awake = f" in the {words.many(run.best.awake, 'round')} in which it was awake" if run.slept else ""
    verdict = f"{whole}; {best}, the best of {words.many(len(run.names), 'expert')}, lost {number(run.best.loss)}{awake}."
    page = Page(
        f"{run.rule.name} over {len(run.names):,} experts",
        [verdict, expert_words.regret(run)],
        False if broken else True if stated else None,
    )
    page.facts = {
        "rounds": f"{run.rounds:,}",
        "experts": f"{len(run.names):,}",
        "loss": number(run.loss),
        "best expert, while awake" if run.slept else "best expert": number(run.best.loss),
    }
    page.facts |= {"plain average": number(run.uniform["loss"]), "regret": number(run.regret)}
    if run.mistakes is not None:
        page.facts |= {"mistakes": f"{run.mistakes:,}"}
    heads, *rows = expert_words.losses(run)
    page.add("What was lost", table(heads, rows, f"Of {expert_words.cost_name(run)}"))
    if run.gradient is None and run.rounds:
        page.add("Over time", figures(page, run, drawn_of(run)))
    compared = lambda claim: expert_words.compared_with(run, claim)  # noqa: E731
    scale = run.reading.scale or 1.0
    scaled = f" Theorems speak of what the rule is told: losses divided by {number(scale)}." if scale != 1 else ""
    parts = layout.certificate_parts(certificate, verify, certificate_file, uncertified)
    page.add("What is proved", *parts, layout.claims_table(run.bounds, compared, scaled))
    page.add("The experts", *listed(run))
    page.add("In words", layout.paragraphs([line for line in lines if not line.startswith("  ")]))
    page.add("To make it again", *layout.reproduce(command, {"table": str(run.table.source.path or "")}))
    return page


def figures(page: Page, run: ExpertsRun, drawn: Drawn) -> Any:
    """Losses, regret and weights over time."""
    number = expert_words.number
    others = f"the best expert {number(run.best.loss)}, the plain average {number(run.uniform['loss'])}"
    lost = f"Loss so far: the rule {number(run.loss)}, {others}."
    says = (("Loss so far", drawn.losses, lost), ("Regret, and what the theorem allows", drawn.regret, expert_words.regret(run)))
    parts = [layout.figure(heading, page.figures.draw(draw, line)) for heading, draw, line in says]
    if run.weights is not None:
        parts.append(
            layout.figure(
                "Whom the rule trusts", page.figures.draw(drawn.weights, expert_words.weights(run)), "Shares of the weight over time."
            )
        )
    return layout.figures(*parts)


def listed(run: ExpertsRun) -> list[Any]:
    """The experts, the least loss a round first; those asleep most of the time last."""
    number = expert_words.number
    ranked = sorted(run.experts, key=lambda expert: (expert.awake < run.often, expert.loss / max(1, expert.awake)))
    heads = [
        "expert",
        "rounds awake",
        "loss",
        "loss a round",
        "rule, same rounds",
        *([] if run.errors is None else ["RMSE", "MAE"]),
        *(["mistakes"] if run.votes else []),
        *([] if run.weights is None else ["weight"]),
    ]
    rows = []
    for expert in ranked[:LISTED]:
        cells = [expert.name, f"{expert.awake:,}", number(expert.loss), number(expert.mean_loss), number(expert.rule_loss)]
        cells += [] if run.errors is None else [number(error) for error in expert.errors or (None, None)]
        cells += [f"{expert.mistakes:,}"] if run.votes else []
        rows.append([*cells, *([] if run.weights is None else [f"{expert.weight or 0.0:.4f}"])])
    more = len(ranked) - LISTED
    note = element("p", f"{more:,} experts more are left out.") if more > 0 else None
    return [table(heads, rows, "The least loss a round first"), note]
