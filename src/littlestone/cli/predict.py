"""`littlestone predict`: what a saved model says of rows, a line each, as they come."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli.options import Given, Quiet, label_texts, takes_reading
from littlestone.cli.progress import Log, tell_of_compiling
from littlestone.cli.said import print_wrapped
from littlestone.errors import require

if TYPE_CHECKING:
    import numpy as np

    from littlestone.protocol import Block, Metrics, Model


@takes_reading
def predict(
    path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    given: Given,
    streams: Annotated[list[str] | None, typer.Argument(metavar="[STREAM]...", help="Rows to predict; standard input if left out.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Print scores: 0 or more is the positive label.")] = False,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Print the probability of the positive label.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help='Print an object a line: {"id", "label", "score"}.')] = False,
    test: Annotated[
        bool, typer.Option("--test", help="Print only the mistakes and rates, on rows that have labels; with --json one object.")
    ] = False,
    learner: Annotated[str | None, typer.Option(help="file.py::name, for a model of your own learner.")] = None,
    quiet: Quiet = False,
) -> None:
    """Predict rows with a saved model, read as the model's own stream was. Each line is answered before the next is needed.

    Labels in the rows are not looked at; at the end the mistakes on those rows are told on standard error.

    Example: littlestone predict spam.littlestone new.libsvm --scores
    """
    from littlestone.cli.choose import learner_named
    from littlestone.models import load

    require(scores + probabilities + (as_json or test) <= 1, "--scores, --probabilities, and --json or --test: one at a time")
    model = load(path, None if learner is None else learner_named(learner))
    plain = not (scores or probabilities or as_json or test)
    teller = Teller(model, scored=scores or probabilities or as_json or test, rated=test)
    require(not scores or teller.scored, f"--scores: {model.learner.name} predicts without a score")
    require(not probabilities or model.learner.probabilities, f"--probabilities: {model.learner.name} gives none")
    names = label_texts(given.reading(model))
    stream = given.open(streams or ["-"], model, bare=True)
    stream.any_label = True
    tell_of_compiling([model.learner], stream, Log(quiet))
    code = 0
    try:
        for block in stream.lent_blocks():
            yhat, marks = teller.take(block)
            lines: list[str] = []
            if test:
                continue
            if plain:
                lines = [names[one] for one in yhat.tolist()]
            elif as_json:
                lines = objects(yhat, marks, names, block.ids)
            elif marks is not None:
                lines = list(map(repr, (teller.probabilities(marks) if probabilities else marks).tolist()))
            sys.stdout.write("\n".join(lines) + "\n" if lines else "")
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    if test and as_json:
        print(json.dumps(as_object(teller)))
    else:
        summary(teller, test, quiet)
    if stream.bad_lines and not quiet:
        print(f"{stream.bad_lines:,} malformed lines were left out; the first: {stream.first_bad}.", file=sys.stderr)
    raise typer.Exit(code)


def objects(yhat: np.ndarray, marks: np.ndarray | None, names: Sequence[str], ids: Sequence[str | None] | None) -> list[str]:
    scores = [None] * len(yhat) if marks is None else marks.tolist()
    return [
        json.dumps({"id": None if ids is None else ids[t], "label": names[one], "score": scores[t]}, ensure_ascii=False)
        for t, one in enumerate(yhat.tolist())
    ]


def summary(teller: Teller, test: bool, quiet: bool) -> None:
    """The mistakes on rows that have labels: the result of `--test`, else a remark on standard error."""
    from littlestone.report import words

    rounds, mistakes = int(teller.tally[1]), int(teller.tally[3] + teller.tally[4])
    if test or (rounds and not quiet):
        said = f"{words.many(mistakes, 'mistake')} in {words.many(rounds, 'round')} with a label ({words.percent(mistakes, rounds)})"
        said += f", {words.many(int(teller.tally[3]), 'false positive')}, {words.many(int(teller.tally[4]), 'false negative')}."
        if test:
            print_wrapped("\n".join([said, *words.rates(teller.metrics())]))
        else:
            print(said, file=sys.stderr)


def as_object(teller: Teller) -> dict[str, Any]:
    """What `--test --json` prints; docs/command_line.md has its keys."""
    _, rounds, _, false_positives, false_negatives, _, _ = teller.tally.tolist()
    counts = {"rounds": rounds, "mistakes": false_positives + false_negatives}
    return counts | {"false_positives": false_positives, "false_negatives": false_negatives, "metrics": teller.metrics().as_json()}


class Teller:
    """A model that predicts blocks and learns nothing. Features that it has not met have their first weights, as in `model.predict`."""

    def __init__(self, model: Model, *, scored: bool, rated: bool = False) -> None:
        import numpy as np

        from littlestone.protocol import Marks, Runner

        learner, state = model.learner.final(model.state) if model.learner.final else (model.learner, model.state)
        self.np, self.scored = np, scored and learner.kernels.score is not None
        self.width = None if model.counted else learner.n  # what lies beyond a number of features that was declared counts for nothing
        self.runner = Runner(learner, state=state, counted=model.counted, measuring=False)
        self.tally = np.zeros(7, np.int64)
        self.odds = model.learner.probabilities  # are scores log-odds?
        self.marks = Marks() if rated and self.scored else None

    def probabilities(self, marks: np.ndarray) -> np.ndarray:
        """Of the positive label, where scores are log-odds."""
        return 1 / (1 + self.np.exp(-self.np.maximum(marks, -700.0)))

    def take(self, block: Block) -> tuple[np.ndarray, np.ndarray | None]:
        """Predictions, and scores where they are asked for."""
        from dataclasses import replace

        from littlestone.kernels import rows

        labels = block.labels
        block = replace(block, labels=self.np.full(len(block), -1, self.np.int32), weights=None)
        if self.width is not None:
            block = known(block, self.width)
        marks = self.np.empty(len(block)) if self.scored else None
        yhat = self.runner.take(block, marks)
        rows.count(labels, yhat, self.tally)
        if self.marks is not None and marks is not None:
            self.marks.add(labels, marks, self.odds)
        return yhat, marks

    def metrics(self) -> Metrics:
        """The rates on rows that have labels."""
        from littlestone.protocol import Metrics

        _, rounds, positives, false_positives, false_negatives, _, _ = self.tally.tolist()
        return Metrics.of(rounds, positives, false_positives, false_negatives, self.marks, self.odds)


def known(block: Block, width: int) -> Block:
    """The block without features beyond so many columns."""
    import numpy as np

    kept = block.indices < width
    if kept.all():
        return block
    from dataclasses import replace

    ends = np.concatenate(([0], np.cumsum(kept)))[block.indptr].astype(np.int64)
    values: Any = None if block.values is None else block.values[kept]
    return replace(block, indptr=ends, indices=block.indices[kept], values=values, examined=None)
