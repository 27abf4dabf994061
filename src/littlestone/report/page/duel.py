"""The page of a duel: mistakes between both bounds, and the proof at each mistake."""

from __future__ import annotations

from functools import partial

from littlestone.api.duel import Duel
from littlestone.report import duel as words
from littlestone.report.duel_figure import staircase, terms
from littlestone.report.page import layout
from littlestone.report.page.layout import Page
from littlestone.report.page.markup import Markup, element, table

ROUNDS = 400  # of a long game, so many mistakes at most are listed


def duel_page(duel: Duel, command: str = "") -> Page:
    """The page, to be saved."""
    outcome = words.outcome(duel)
    bounded = duel.rounds and (duel.lower_bound is not None or duel.upper_bound is not None)
    page = Page(words.title(duel), outcome[:3], duel.holds if bounded or not duel.holds else None)
    page.facts = {"rounds": f"{duel.rounds:,}", "mistakes": f"{duel.mistakes:,}"}
    page.facts |= {} if duel.lower_bound is None else {"forced on it, at least": f"{duel.lower_bound:,}"}
    page.facts |= {} if duel.upper_bound is None else {"allowed, at most": f"{duel.upper_bound:,}"}
    drawn = [layout.figure("Mistakes between both bounds", page.figures.draw(partial(staircase, duel=duel), " ".join(outcome[:3])))]
    if duel.proof.lines and duel.steps:
        line = duel.proof.lines[0]
        last = duel.steps[max(duel.steps)].numbers[0]
        ends = ", ".join(f"{symbol} = {words.number(term)}" for symbol, term in zip(line.symbols, last, strict=True))
        drawing = page.figures.draw(partial(terms, duel=duel), f"The proof, {line.statement}, at each mistake; at the last, {ends}.")
        drawn.append(
            layout.figure(
                f"The proof: {line.statement}",
                drawing,
                "The potential stands between what it must be and what it can be, at every mistake.",
            )
        )
    page.add("The game", layout.figures(*drawn))
    page.add("The proof at each mistake", *proof(duel))
    page.add("Round by round", rounds(duel))
    page.add("In words", layout.paragraphs([*words.letters(duel, words.DuelTable(duel, 10_000)), *outcome]))
    page.add("To make it again", *layout.reproduce(command))
    return page


def proof(duel: Duel) -> list[Markup]:
    """Each inequality with its numbers at each mistake."""
    if not duel.proof.lines or not duel.steps:
        return []
    steps = list(duel.steps.items())
    shown = steps if len(steps) <= ROUNDS else [*steps[: ROUNDS // 2], *steps[-ROUNDS // 2 :]]
    order = {t: k for k, (t, _) in enumerate(steps, 1)}
    rows = []
    for t, step in shown:
        cells = [" ≤ ".join(words.number(term) for term in terms_of) for terms_of in step.numbers]
        rows.append((order[t], t, *cells, "FALSE" if step.broken else "holds"))
    heads = ("mistake", "round", *(line.statement for line in duel.proof.lines), "verdict")
    note = [] if len(shown) == len(steps) else [element("p", f"The first and the last {ROUNDS // 2} of {len(steps):,} mistakes.")]
    return [*note, table(heads, rows, "", words=())]


def rounds(duel: Duel) -> Markup:
    """The rounds, or of a long game the first, the last and some of the mistakes."""
    n, listed = duel.adversary.n, duel.game.rounds
    rows = []
    for t in words.chosen(listed):
        played = listed[t - 1]
        rows.append((t, words.instance(played.x, n, 60), int(played.predicted), int(played.y), "✗ mistake" if played.mistake else "right"))
    caption = (
        "Every round"
        if len(rows) == len(listed)
        else f"{len(rows)} of {len(listed):,} rounds: the first, the last, and some of the mistakes"
    )
    return table(("round", "instance", "predicted", "label", "outcome"), rows, caption, words=(1, 4))
