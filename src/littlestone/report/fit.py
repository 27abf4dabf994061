"""What `fit` found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.games.batch import needs_bound
from littlestone.report.words import many, percent
from littlestone.theory.risk import share, sureness

if TYPE_CHECKING:
    from littlestone.api.fit import Fit

ONE = "the hypotheses that predicted err on at most {} of fresh rows on average; this one is drawn from them, and may be worse"


def in_words(fit: Fit) -> str:
    """A few sentences: what was drawn, what is promised, and what the rows that were never seen say."""
    lines = [
        f"{fit.described} by {fit.by}: {fit.examples:,} of {many(fit.rows - fit.held_out, 'row')} drawn, "
        f"{many(fit.mistakes, 'mistake')}, {_tried(fit)}."
    ]
    if fit.bound is not None:
        condition = (
            "as given" if fit.theorem == "as given" else f"by {fit.theorem}, if what it assumes is true of these rows and of fresh ones"
        )
        lines.append(f"Bound on the mistakes: at most {fit.bound:,} ({condition}).")
        if fit.refuted and not needs_bound(fit.by):  # the others say it where they say why nothing is promised
            lines.append(f"{fit.refuted[0].upper()}{fit.refuted[1:]}. What is promised does not rest on it.")
    if fit.most is not None:
        lines.append(f"The theorem allows at most {many(fit.most, 'draw')}{_if(fit)}.")
    lines += _promise(fit)
    lines.append(f"Taken: {fit.hypothesis}.")
    low, high = (f"{100 * end:.2f} %" for end in fit.error_interval)
    spare = fit.unseen - fit.held_out
    lines.append(
        f"On {many(fit.unseen, 'row')} it never saw ({fit.held_out:,} held out{f', {spare:,} not drawn' if spare else ''}) it is "
        f"wrong on {fit.wrong:,}: {percent(fit.wrong, fit.unseen)}, {100 * (1 - fit.delta):.15g} % interval {low} to {high}. "
        f"To compare: always the majority of the rows drawn, {percent(fit.majority, fit.unseen)}."
    )
    if fit.copies and 100 * fit.copies >= fit.unseen:
        whose = "is a copy of a row that was" if fit.copies == 1 else "are copies of rows that were"
        lines.append(f"{fit.copies:,} of these {fit.unseen:,} rows {whose} drawn: they have the same features.")
    if fit.in_order:
        lines.append("The rows were taken in order: the promise holds if they come as independent draws, which rows in time seldom do.")
    else:
        lines.append(
            f"The rows were shuffled (seed {fit.seed}): the promise holds if they are independent draws from one source, and is about "
            "fresh draws from it. A shuffle hides their order; it does not make them independent."
        )
    lines.append(f"{fit.seconds:.2f} s.")
    return "\n".join(lines)


def _if(fit: Fit) -> str:
    """What the number of draws rests on."""
    if fit.by == "controlled_testing" and (fit.bound is None or fit.refuted):
        return f" if {many(fit.mistakes, 'mistake')} {'is' if fit.mistakes == 1 else 'are'} made"
    return "" if needs_bound(fit.by) else " if the bound holds"  # a method that knows B stops in time, true or not


def _tried(fit: Fit) -> str:
    return "1 hypothesis tried" if fit.tests == 1 else f"{fit.tests:,} hypotheses tried"


def _promise(fit: Fit) -> list[str]:
    """What is promised, or why it is not, and what there is instead."""
    lines = [] if fit.reached else [f"The promise was not reached: {fit.why}."]
    promise = fit.promise
    if promise is not None:
        part = share(promise["epsilon"])
        sure = "" if promise["delta"] is None else f"with probability at least {sureness(promise['delta'])} "
        if fit.by == "anytime":
            text = f"{sure}{ONE.format(part)}"
        elif promise["delta"] is None:
            text = f"in expectation, over rows and time of stopping, it errs on at most {part} of fresh rows"
        else:
            text = f"{sure}it errs on at most {part} of fresh rows"
        condition = ", if the bound holds" if needs_bound(fit.by) else ""
        condition += f" and {promise['if']}" if "if" in promise else ""
        lines.append(f"{'Promise' if fit.reached else 'What the rows were enough for'}{condition}: {text}.")
    if fit.enough_for is not None:
        lines.append(f"If the bound holds, so many rows are enough, whatever happens, for an epsilon of {fit.enough_for:g}.")
    if fit.risk is not None and fit.by != "anytime":
        lines.append(
            f"By the mistakes alone (--by anytime): with probability at least {sureness(fit.delta)} the hypotheses that "
            f"predicted err on at most {share(fit.risk)} of fresh rows on average, and a single one may be worse."
        )
    return lines
