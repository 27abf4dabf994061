"""What a command writes beside its result: files that must not be its inputs, and predictions a line a round."""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any

from littlestone.api.observers import EndOfRun, Observer, Taken
from littlestone.errors import LittlestoneError, require
from littlestone.files import bare, identity, without_folders, write_all
from littlestone.rounds.files import expanded

Paths = Mapping[str, Path | str | None]  # by the options that name them


def refuse_outputs(outputs: Paths, streams: Sequence[str] = (), others: Paths | None = None) -> None:
    """Before anything is read or written: an output that is an input, that another option names too, or that cannot be written.

    Inputs are streams, patterns of them expanded, and what other options name: models, and files of the user's own learners. Files are the
    same if they are so on the disk, whatever links and spellings lead there. A model may be saved over the one it goes on from. A report
    needs what draws its figures.
    """
    inputs = {identity(path): "the stream itself" for name in streams for path in files_of_stream(name)}
    for option, text in (others or {}).items():
        inputs |= {identity(path): f"the file of {option}" for path in files_in(str(text or ""))}
    written: dict[Any, str] = {}
    for option, path in outputs.items():
        if path is None or str(path) == "-":
            continue
        file = identity(path)
        again = (option, inputs.get(file)) == ("--model", "the file of --from")
        if file is not None:
            require(again or file not in inputs, f"{option} {path}: that is {inputs.get(file)}; expected another file")
            require(file not in written, f"{option} {path}: {written.get(file)} names that file too; expected another file")
            written[file] = option
        refuse_unwritable(option, Path(path))
    if (report := outputs.get("--report")) is not None:
        html = Path(report).suffix.lower() in ("", ".html", ".htm")
        require(html, f"--report {report}: a report is a page of HTML; expected a name that ends in .html, which a browser prints as PDF")
        from littlestone.report.look import look

        with look():
            pass


def command_line(*arguments: Any) -> str:
    """What was typed, to be typed again; or a command with these arguments. Of files the folders of this machine are left out.

    >>> command_line("verify", "my certificate.json", "/home/ada/mail.txt")
    "littlestone verify 'my certificate.json' mail.txt"
    """
    return shlex.join(["littlestone", *(without_folders(str(argument)) for argument in arguments or sys.argv[1:])])


def files_of_stream(name: str) -> Iterator[str]:
    """The files that a pattern stands for, each with the one that may have the names of its features."""
    for path in () if name == "-" else expanded([name]):
        yield path
        if Path(names := f"{bare(path)}.names").exists():
            yield names


def files_in(text: str) -> Iterator[str]:
    """The files in what an option says: a path, or learners such as `one_vs_rest:learner=own.py::name`."""
    *before, last = text.split("::")
    yield last
    for part in before:
        yield from (part, re.split("[=+ ]", part)[-1])


def refuse_unwritable(option: str, path: Path) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():  # to open a pipe and close it again would end whoever reads it
        require(os.access(path, os.W_OK), f"{option} {path}: cannot be written (Permission denied)")
        return
    new = not path.exists()
    try:
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise LittlestoneError(f"{option} {path}: cannot be written ({error.strerror})") from None


class PredictionsFile(Observer):
    """Predictions as lines: labels as the stream writes them, or an object each with label, score and id (`.jsonl`).

    `names` are the labels by code, last what stands for none; None there says that such a row has no line.  With `probabilities` a tab and
    the probability of the positive label follow each label, and an object has it too.
    """

    def __init__(
        self,
        path: Path | None,
        names: Callable[[], Sequence[Any]],
        failed: Callable[[OSError], None],
        *,
        probabilities: bool = False,
    ) -> None:
        self.path, self.names, self.failed, self.probabilities = path, names, failed, probabilities
        self.file: Any = None
        self.point: Any = None  # the operating point, whose answers are written, where there is one
        self.objects = path is not None and path.name.endswith(".jsonl")
        self.scores = path is not None and (self.objects or probabilities)

    def begins(self, playing: Any) -> None:
        self.point = playing.point
        if self.path is not None:
            self.file = self.path.open("wb", buffering=0)  # a block is one write, and is there at once

    def after(self, taken: Taken) -> None:
        if self.file is None:
            return
        try:
            write_all(self.file, self._text(taken, self.names()))
        except OSError as error:  # a full disk
            self.failed(error)
            raise EndOfRun from None

    def _text(self, taken: Taken, names: Sequence[Any]) -> bytes:
        codes = (taken.predictions if self.point is None else self.point.answers).tolist()
        if not self.scores:
            written = [b"" if name is None else f"{name}\n".encode() for name in names]
            return b"".join(written[code] for code in codes)
        ids, scores = taken.block.ids, None if taken.scores is None else taken.scores.tolist()
        chances = list(map(probability, scores)) if self.probabilities and scores is not None else None
        rows = [t for t, code in enumerate(codes) if code >= 0 or names[-1] is not None]
        if not self.objects:
            assert chances is not None
            return "".join(f"{names[codes[t]]}\t{chances[t]!r}\n" for t in rows).encode()
        lines = (
            json_line(
                names[codes[t]],
                None if scores is None else scores[t],
                None if ids is None else ids[t],
                **({} if chances is None else {"probability": chances[t]}),
            )
            for t in rows
        )
        return "".join(lines).encode()

    def ends(self) -> None:
        if self.file is not None:
            self.file.close()


class AskedFile(Observer):
    """The rounds whose label a `selective` learner looked at, a line each: its id where rounds have ids, else its number, from 1."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.scores = path, path is not None
        self.file: Any = None
        self.labelled = 0

    def begins(self, playing: Any) -> None:
        if self.path is not None:
            learner = playing.runner.learner
            asks = getattr(learner, "asked", None) is not None
            require(asks, f"--labels-asked: {learner.name} looks at every label; --learner selective asks for some")
            self.learner, self.labelled = learner, int(playing.runner.state.z[0])
            self.file = self.path.open("wb", buffering=0)

    def after(self, taken: Taken) -> None:
        if self.file is None:
            return
        block, labelled = taken.block, taken.block.labels >= 0
        assert taken.scores is not None
        (rows,) = self.learner.asked(self.labelled, taken.scores, labelled).nonzero()
        self.labelled += int(labelled.sum())
        names = (block.first_round + t + 1 if block.ids is None else block.ids[t] for t in rows.tolist())
        write_all(self.file, "".join(f"{name}\n" for name in names).encode())

    def ends(self) -> None:
        if self.file is not None:
            self.file.close()


def probability(score: float) -> float:
    """Of the positive label, where the score is the logarithm of its odds.

    >>> probability(0.0), 0 < probability(-800.0) < 1e-300
    (0.5, True)
    """
    return 1 / (1 + exp(-max(score, -700.0)))


def json_line(label: Any, score: float | None, id: str | None, **more: Any) -> str:
    """
    >>> json_line("spam", 1.5, None)
    '{"id": null, "label": "spam", "score": 1.5}\\n'
    """
    return json.dumps({"id": id, "label": label, "score": score, **more}, ensure_ascii=False) + "\n"
