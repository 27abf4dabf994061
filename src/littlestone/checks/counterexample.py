"""The message of a broken clause: which clause, what failed in it, and the smallest rows on which it does."""

import ast
import linecache
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from littlestone.protocol import Advice, Block

HERE = Path(__file__).parent
MOST_ROWS = 8


def run_checks(thing: Any, checks: Iterable[Callable[[Any], None]]) -> None:
    """Run the checks on a learner or a rule; raise AssertionError at the first that fails, with its counterexample."""
    for check in checks:
        try:
            check(thing)
        except Exception as error:
            raise AssertionError(f"{thing!r} breaks the clause {check.__name__}: {failure(error)}") from error


def failure(error: BaseException) -> str:
    """Return what failed: the message of the error or the text of the assertion, and the rows that were drawn, if any.

    Hypothesis groups several failures of one clause; the first is described.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    message = str(error) or f"this is false: {condition(error)}"
    if not isinstance(error, AssertionError):
        message = f"{type(error).__name__}: {message}"
    return "\n  ".join([message, *rows_of_case(getattr(error, "case", ()))])


def condition(error: BaseException) -> str:
    """Return the source of the assertion that failed, or of the line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((f for f in reversed(frames) if HERE in Path(f.filename).parents), frames[-1])
    for node in ast.walk(ast.parse("".join(linecache.getlines(frame.filename)) or "pass")):
        if isinstance(node, ast.Assert) and node.lineno <= (frame.lineno or 0) <= (node.end_lineno or 0):
            return ast.unparse(node.test)
    return frame.line or "?"


def rows_of_case(case: Iterable[Any]) -> list[str]:
    """Return a line for each round of the blocks in a drawn case, and one for each other value."""
    lines = []
    for value in case:
        if isinstance(value, Block):
            lines += [f"row {t}: {row_text(*row)}" for t, row in enumerate(value.rounds(), 1)]
        elif isinstance(value, Advice):
            lines += [
                f"row {t}: advice {advice}, truth {truth}"
                for t, (advice, truth) in enumerate(zip(value.table.tolist(), value.truth.tolist(), strict=True), 1)
            ]
        else:
            lines.append(f"case: {value!r:.300}")
    return lines if len(lines) <= MOST_ROWS else [*lines[:MOST_ROWS], f"and {len(lines) - MOST_ROWS} more rows"]


def row_text(indices: Any, values: Any, label: int) -> str:
    """Return a row as text: features with their values, then the label.

    >>> import numpy as np
    >>> row_text(np.array([0, 3]), None, 1), row_text(np.array([2]), np.array([0.5]), -1)
    ('features {0, 3}, label 1', 'features {2: 0.5}, no label')
    """
    places = [str(i) for i in indices.tolist()]
    features = places if values is None else [f"{i}: {v:.9g}" for i, v in zip(places, values.tolist(), strict=True)]
    return f"features {{{', '.join(features)}}}, {'no label' if label < 0 else f'label {label}'}"
