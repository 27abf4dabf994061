"""What `fit` found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.games.batch import needs_bound
from littlestone.report.words import many, percent, rounded_up

if TYPE_CHECKING:
    from littlestone.api.fit import Fit

ONE = "a hypothesis drawn as this one was errs on at most {} of fresh rows on average, and this one may be worse"


def in_words(found: Fit) -> str:
    """A few sentences: what was drawn, what is promised, and what the rows that were never seen say."""
    lines = [
        f"{found.described} by {found.by}: {found.examples:,} of {many(found.rows - found.held_out, 'row')} drawn, "
        f"{many(found.mistakes, 'mistake')}, {_tried(found)}."
    ]
    if found.bound is not None:
        given = (
            "as given" if found.theorem == "as given" else f"by {found.theorem}, if what it assumes is true of these rows and of fresh ones"
        )
        lines.append(f"Bound on the mistakes: at most {found.bound:,} ({given}).")
        if found.refuted and not needs_bound(found.by):  # the others say it where they say why nothing is promised
            lines.append(f"{found.refuted[0].upper()}{found.refuted[1:]}. What is promised does not rest on it.")
    if found.most is not None:
        lines.append(f"The theorem allows at most {many(found.most, 'draw')}{_if(found)}.")
    lines += _promise(found)
    lines.append(f"Taken: {found.hypothesis}.")
    low, high = (f"{100 * end:.2f} %" for end in found.error_interval)
    spare = found.unseen - found.held_out
    lines.append(
        f"On {many(found.unseen, 'row')} it never saw ({found.held_out:,} held out{f', {spare:,} not drawn' if spare else ''}) it is "
        f"wrong on {found.wrong:,}: {percent(found.wrong, found.unseen)}, {100 * (1 - found.delta):.15g} % interval {low} to {high}. "
        f"To compare: always the majority of the rows drawn, {percent(found.majority, found.unseen)}."
    )
    if found.copies and 100 * found.copies >= found.unseen:
        whose = "is a copy of a row that was" if found.copies == 1 else "are copies of rows that were"
        lines.append(f"{found.copies:,} of these {found.unseen:,} rows {whose} drawn: they have the same features.")
    if found.in_order:
        lines.append("The rows were taken in order: the promise holds if they come as independent draws, which rows in time seldom do.")
    else:
        lines.append(
            f"The rows were shuffled (seed {found.seed}): the promise holds if they are independent draws from one source, and is about "
            "fresh draws from it. A shuffle hides their order; it does not make them independent."
        )
    lines.append(f"{found.seconds:.2f} s.")
    return "\n".join(lines)


def _if(found: Fit) -> str:
    """What the number of draws rests on."""
    if found.by == "controlled_testing" and (found.bound is None or found.refuted):
        return f" if {many(found.mistakes, 'mistake')} {'is' if found.mistakes == 1 else 'are'} made"
    return "" if needs_bound(found.by) else " if the bound holds"  # a method that knows B stops in time, true or not


def _tried(found: Fit) -> str:
    return "1 hypothesis tried" if found.tests == 1 else f"{found.tests:,} hypotheses tried"


def _share(part: float) -> str:
    """Never less than it is.

    >>> _share(0.05), _share(0.085398)
    ('5 %', '8.54 %')
    """
    text = rounded_up(100 * part)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def _promise(found: Fit) -> list[str]:
    """What is promised, or why it is not, and what there is instead."""
    lines = [] if found.reached else [f"The promise was not reached: {found.why}."]
    promise = found.promise
    if promise is not None:
        share = _share(promise["epsilon"])
        sure = "" if promise["delta"] is None else f"with probability at least {1 - promise['delta']:.15g} "
        if found.by == "anytime":
            said = f"{sure}{ONE.format(share)}"
        elif promise["delta"] is None:
            said = f"in expectation, over rows and time of stopping, it errs on at most {share} of fresh rows"
        else:
            said = f"{sure}it errs on at most {share} of fresh rows"
        given = ", if the bound holds" if needs_bound(found.by) else ""
        given += f" and {promise['if']}" if "if" in promise else ""
        lines.append(f"{'Promise' if found.reached else 'What the rows were enough for'}{given}: {said}.")
    if found.enough_for is not None:
        lines.append(f"If the bound holds, so many rows are enough, whatever happens, for an epsilon of {found.enough_for:g}.")
    if found.risk is not None and found.by != "anytime":
        lines.append(
            f"By the mistakes alone (--by anytime): with probability at least {1 - found.delta:.15g} a hypothesis drawn from those that "
            f"played errs on at most {_share(found.risk)} of fresh rows on average."
        )
    return lines
