"""`littlestone predict`: what a saved model says of rows, a line each, as they come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import exp
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.api.observers import Observer, Taken
from littlestone.cli.model_files import loaded
from littlestone.cli.options import LabelBy, ModelPath, OwnLearner, Quiet, ReadingOptions, label_texts, takes_options
from littlestone.cli.terminal import json_text, note, put_json, put_lines, put_wrapped
from littlestone.errors import require

if TYPE_CHECKING:
    import numpy as np

    from littlestone.protocol import AdviceModel, Block, ClassMetrics, Metrics


RANK = 2


@takes_options
def predict(
    path: ModelPath,
    reading: ReadingOptions,
    streams: Annotated[list[str] | None, typer.Argument(metavar="[STREAM]...", help="Rows to predict; standard input if left out.")] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Print scores: of a panel the log-odds of its forecast, of others 0 or more is the positive label; "
            "of several classes an object of all.",
        ),
    ] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Print the probability of the positive label; of several classes an object of all.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help='Print an object a line: {"id", "label", "score"}, "probability" too where the learner gives any.'),
    ] = False,
    test: Annotated[
        bool, typer.Option("--test", help="Print only the mistakes and rates, on rows that have labels; with --json one object.")
    ] = False,
    label_by: LabelBy = None,
    learner: OwnLearner = None,
    quiet: Quiet = False,
) -> None:
    """Predict rows with a saved model, read as the model's own stream was. Each line is answered before the next is needed.

    Labels in the rows are not looked at; at the end the mistakes on those rows are told on standard error. A model of a rule over experts
    takes tables of experts.

    A panel predicts the likelier label of its forecast, which its score and its probability tell. With `--label-by vote` it predicts the
    label of its weighted vote. Standard error then says on how many rows vote and forecast differ. A model that was told costs, a threshold
    or a target answers as docs/costs.md says.

    Example: littlestone predict spam.littlestone new.libsvm --scores
    """
    from littlestone.api.play import loop
    from littlestone.api.predict_keyed import who_answers

    require(scores + probabilities + (as_json or test) <= 1, "--scores, --probabilities, and --json or --test: one at a time")
    model = loaded(path, learner)
    if label_by is not None:
        require(hasattr(model, "labelled_by"), f"--label-by {label_by}: expected the model of one panel, not models by key")
        model = model.labelled_by(label_by)
    if model.kind == "advice":
        predict_advice(model, streams or ["-"], reading, scores or probabilities, as_json, test)
        return
    marked = scores or probabilities or as_json or test
    several = model.kind == "several classes"
    answers = ClassAnswers(model, marked, test) if several else BinaryAnswers(model, marked, label_texts(reading.for_model(model)), test)
    require(not scores or answers.scored, f"--scores: {who_answers(model)} predicts without a score")
    require(not probabilities or getattr(model.learner, "probabilities", False), f"--probabilities: {model.learner.name} gives none")
    stream = reading.open(streams or ["-"], model, bare=True)
    stream.any_label = True
    printer = Printer(answers, "none" if test else "json" if as_json else "probabilities" if probabilities else "")
    loop(answers, lambda: stream.lent_blocks(answers.classes), [printer])
    if test and as_json:
        put_json(answers.as_object())
    else:
        summary(answers, test, quiet)
    if not quiet:
        for remark in answers.remarks():
            note(remark)
    if stream.left_out and not quiet:
        note(f"{stream.left_out}.")
    raise typer.Exit(printer.code)


def summary(answers: Any, test: bool, quiet: bool) -> None:
    """The mistakes on rows that have labels: the result of `--test`, else a remark on standard error."""
    from littlestone.report import words

    if test or (answers.rounds and not quiet):
        rounds, mistakes = answers.rounds, answers.mistakes
        line = f"{words.many(mistakes, 'mistake')} in {words.many(rounds, 'round')} with a label ({words.percent(mistakes, rounds)})"
        line += f"{answers.kinds_of_mistakes()}."
        if test:
            put_wrapped("\n".join([line, *words.rates(answers.metrics)]))
        else:
            note(line)


class Printer(Observer):
    """Prints a line for each row as soon as its block is answered: the label; or as JSON, its score, its probability, or nothing."""

    def __init__(self, answers: Any, form: str) -> None:
        self.answers, self.form = answers, form
        self.code = 0  # to exit with

    def after(self, taken: Taken) -> None:
        codes, marks = taken.predictions, self.answers.marks
        if self.form == "none":
            return
        if self.form == "json":
            lines = self.answers.objects(codes, marks, taken.block.ids)
        elif marks is None:
            lines = [self.answers.names[code] for code in codes.tolist()]
        else:
            lines = self.answers.written(marks, self.form == "probabilities")
        put_lines(lines)

    def interrupted(self) -> bool:
        self.code = 130
        return True


class Answers(ABC):
    """A model as a runner that is told nothing: what it says of each block, and what is counted meanwhile on rows that have labels."""

    stopped = False
    classes: Any = None  # of the rows, where they are several
    names: Sequence[str]

    def __init__(self, model: Any, scored: bool) -> None:
        import numpy as np

        from littlestone.api.predict import Predictor
        from littlestone.api.predict_keyed import KeyedPredictor
        from littlestone.models.keyed import KeyedModel

        self.np, self.predictor = np, KeyedPredictor(model) if isinstance(model, KeyedModel) else Predictor(model)
        self.scored = scored and self.predictor.scored
        self.operating, self.reading = getattr(self.predictor, "operating", None), model.reading
        panel = model.learner.probabilities and bool(getattr(model.learner, "members", ()))
        voted = panel and getattr(model.learner, "label_by", "") == "vote"
        self.forecasts = voted and self.operating is None  # does it forecast beside what it answers?
        self.rows = self.apart = 0  # rows, and those on which vote and forecast differ
        self.marks: np.ndarray | None = None  # the scores of the last block, where they are asked for

    def take(self, block: Block, scores: Any = None, updates: Any = None) -> np.ndarray:
        self.marks = self.predictor.scores_for(len(block)) if self.scored else None
        codes = self.predictor.take(block, self.marks)
        self.count(block, codes)
        if self.forecasts and self.marks is not None:
            self.rows += len(codes)
            self.apart += int((codes != self.likelier(self.marks)).sum())
        return codes

    def remarks(self) -> Iterator[str]:
        """How it answers, where that is not the learner's prediction; and that vote and forecast differ, where they do and both are asked
        for."""
        from littlestone.protocol.events import answers_of
        from littlestone.report import words

        if self.operating is not None:
            both = answers_of(self.reading)
            yield words.answering(self.operating, 1 if both is None else both[1])
        if self.apart:
            differ = f"{words.many(self.apart, 'row')} of {self.rows:,}: vote and forecast differ"
            yield f"{differ}; the label is the vote's, score and probability are the forecast's."

    @abstractmethod
    def likelier(self, marks: np.ndarray) -> np.ndarray:
        """The codes that are likeliest by these scores."""

    @abstractmethod
    def count(self, block: Block, codes: np.ndarray) -> None:
        """Count the mistakes among the answers to a block."""

    def finish(self) -> None:
        self.predictor.finish()


class BinaryAnswers(Answers):
    """Those of a model of two classes."""

    def __init__(self, model: Any, scored: bool, names: Sequence[str], rated: bool) -> None:
        from littlestone.protocol import Marks

        super().__init__(model, scored)
        self.names = names
        self.tally = self.np.zeros(7, self.np.int64)
        self.odds = model.learner.probabilities  # are scores log-odds?
        self.bins = Marks() if rated and self.scored else None

    def likelier(self, marks: np.ndarray) -> np.ndarray:
        return marks >= 0

    @property
    def rounds(self) -> int:
        return int(self.tally[1])

    @property
    def mistakes(self) -> int:
        return int(self.tally[3] + self.tally[4])

    def kinds_of_mistakes(self) -> str:
        from littlestone.report import words

        return f", {words.many(int(self.tally[3]), 'false positive')}, {words.many(int(self.tally[4]), 'false negative')}"

    def count(self, block: Block, codes: np.ndarray) -> None:
        from littlestone.kernels.native import core

        core.count(block.labels, codes == 1, self.tally)
        if self.bins is not None and self.marks is not None:
            self.bins.add(block.labels, self.marks, self.odds)

    def written(self, marks: np.ndarray, probabilities: bool) -> list[str]:
        """Scores, or probabilities of the positive label where scores are log-odds."""
        return list(map(repr, (self.chances(marks) if probabilities else marks).tolist()))

    def chances(self, marks: np.ndarray) -> np.ndarray:
        """The probabilities of the positive label, of scores that are log-odds."""
        from littlestone.protocol.metrics import chances

        return chances(marks)

    def objects(self, codes: np.ndarray, marks: np.ndarray | None, ids: Sequence[str | None] | None) -> list[str]:
        scores = [None] * len(codes) if marks is None else marks.tolist()
        chances = self.chances(marks).tolist() if self.odds and marks is not None else None
        return [
            json_text(
                {"id": None if ids is None else ids[t], "label": self.names[code], "score": scores[t]}
                | ({} if chances is None else {"probability": chances[t]})
            )
            for t, code in enumerate(codes.tolist())
        ]

    @property
    def metrics(self) -> Metrics:
        """The rates on rows that have labels."""
        from littlestone.protocol import Metrics

        _, rounds, positives, false_positives, false_negatives, _, _ = self.tally.tolist()
        return Metrics.of(rounds, positives, false_positives, false_negatives, self.bins, self.odds)

    def as_object(self) -> dict[str, Any]:
        """What `--test --json` prints; docs/command_line.md has its keys."""
        wrong = {"false_positives": int(self.tally[3]), "false_negatives": int(self.tally[4])}
        return {"rounds": self.rounds, "mistakes": self.mistakes, **wrong, "metrics": self.metrics.as_json()}


class ClassAnswers(Answers):
    """The same of several classes; rows may have labels that the model has not met."""

    def __init__(self, model: Any, scored: bool, rated: bool) -> None:
        from littlestone.protocol import ClassMap
        from littlestone.protocol.metrics import ClassMarks

        super().__init__(model, scored)
        self.odds = model.learner.probabilities  # are scores log-odds?
        self.bins = ClassMarks() if rated and self.scored and self.odds else None
        self.lost = 0.0  # nats
        self.known = list(model.classes)
        self.names = [*map(str, self.known), ""]  # an empty line where the model has no class to name
        self.classes = ClassMap()  # in the order in which they appear in the rows
        self.rounds = self.mistakes = 0
        self.all: dict[Any, int] = dict(model.classes)  # with those that only the rows have
        self.confusion = self.np.zeros((1, 1), self.np.int64)

    def kinds_of_mistakes(self) -> str:
        return ""

    def likelier(self, marks: np.ndarray) -> np.ndarray:
        return marks.argmax(axis=1) if marks.shape[1] else self.np.full(len(marks), -1)

    def count(self, block: Block, codes: np.ndarray) -> None:
        truths = self.np.array([*(self.all.setdefault(label, len(self.all)) for label in self.classes), -1])[block.labels]
        labelled = truths >= 0
        self.rounds += int(labelled.sum())
        self.mistakes += int((codes != truths)[labelled].sum())
        size = max(1, len(self.all))
        if size > len(self.confusion):
            larger = self.np.zeros((size, size), self.np.int64)
            larger[: len(self.confusion), : len(self.confusion)] = self.confusion
            self.confusion = larger
        if self.bins is not None and self.marks is not None:
            self.lost += self.bins.add_strange(truths, self.marks, len(self.all))
        counted = labelled & (codes >= 0)
        self.np.add.at(self.confusion, (truths[counted], codes[counted]), 1)

    def written(self, marks: np.ndarray, probabilities: bool) -> list[str]:
        """An object of all classes: their scores, or their probabilities where scores are log-odds."""
        from littlestone.protocol.metrics import chances

        table = chances(marks) if probabilities else marks
        return [json_text(dict(zip(self.names, row, strict=False))) for row in table.tolist()]

    def objects(self, codes: np.ndarray, marks: np.ndarray | None, ids: Sequence[str | None] | None) -> list[str]:
        lines = []
        for t, (code, row) in enumerate(zip(codes.tolist(), marks.tolist() if marks is not None else [[]] * len(codes), strict=True)):
            scores = dict(zip(self.names, row, strict=False))
            label, score = (self.known[code], row[code]) if code >= 0 else (None, None)
            chance = {"probability": 1 / (1 + exp(-max(-700.0, score)))} if self.odds and score is not None else {}
            lines.append(json_text({"id": ids[t] if ids else None, "label": label, "score": score, **chance, "scores": scores}))
        return lines

    @property
    def metrics(self) -> ClassMetrics:
        from littlestone.protocol import ClassMetrics

        unpredicted = self.np.zeros(len(self.confusion), self.np.int64)
        unpredicted[:1] = self.rounds - self.confusion.sum()
        loss = self.lost / self.rounds if self.bins is not None and self.rounds else None
        return ClassMetrics.of(tuple(self.all), self.rounds, self.mistakes, self.confusion, unpredicted, loss, self.bins)

    def as_object(self) -> dict[str, Any]:
        return {"rounds": self.rounds, "mistakes": self.mistakes, "metrics": self.metrics.as_json()}


def predict_advice(model: AdviceModel, tables: list[str], reading: ReadingOptions, scores: bool, as_json: bool, test: bool) -> None:
    """The same of a rule over experts, and tables that are read as the model's own was."""
    import numpy as np

    from littlestone.api.predict import of_advice
    from littlestone.report import words

    reading.refuse_for_tables()
    rounds = mistakes = 0
    lost = 0.0
    for part in of_advice(model, tables):  # answers, not rounds: these are pulled there
        known = part.truth >= 0 if part.lost is None else ~np.isnan(part.lost)
        rounds += int(known.sum())
        votes = part.predictions if model.rule.bandit or not model.rule.randomized else part.mix >= 0.5  # as `experts` counts them
        mistakes += int((votes[known] != (part.truth[known] == 1)).sum()) if part.lost is None else 0
        lost += 0.0 if part.lost is None else float(part.lost[known].sum())
        if test:
            continue
        plain = [None if x is None or x != x else int(x) if isinstance(x, bool) else x for x in part.says.tolist()]
        if as_json:
            marks = [None if x != x else x for x in part.mix.tolist()]
            lines = [json_text({"id": None, "label": x, "score": mark}) for x, mark in zip(plain, marks, strict=True)]
        else:
            lines = list(map(repr, part.mix.tolist())) if scores else ["" if x is None else str(x) for x in plain]
        put_lines(lines)
    losses = model.rule.advice == "loss"
    if test and as_json:
        put_json({"rounds": rounds, "mistakes": None if losses else mistakes, "loss": lost if losses else None})
    elif test:
        cost = f"Loss {lost:.6g}" if losses else words.many(mistakes, "mistake")
        put_wrapped(f"{cost} in {words.many(rounds, 'round')} with a truth.")
