"""Is there so little to do that loading the compiler would take longer than to do it without?"""

import re
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

from littlestone.cli.options import ReadingOptions

LITTLE, FEW = 16_384, 200  # bytes and lines: a second of the panel
SUFFIXES = (".libsvm", ".svm", ".vw")  # of text that is as long as its file
HEAD = 4_096  # bytes of a model file's head, in which its learner is named
# Those that tests play both ways, and that do no more than a few things for each feature, or pair of features, of a row.
LEARNERS = {"panel", "perceptron", "balanced_winnow", "passive_aggressive", "arow", "arow_full", "adaptive", "normalized", "naive_bayes"}
LEARNERS |= {"pairs", "coin"}
PLAIN = {"learner", "as_json", "quiet", "model", "predictions", "probabilities", "search", "verbose", "window"}  # options of a usual run


def interpret_if_little(streams: list[str], reading: ReadingOptions, options: Any = None, model: Path | None = None) -> None:
    """Where a usual run, or rows for a saved model, are a few kilobytes of text, let kernels be interpreted: the results are the same.

    It has to be known before the first of them is imported.
    """
    usual = options is None or all(getattr(options, field.name) == field.default for field in fields(options) if field.name not in PLAIN)
    paths = [Path(stream) for stream in streams]
    names = {(getattr(options, "learner", None) or "panel").partition(":")[0]} if model is None else learners_in(model)
    if not usual or reading.choices.keys() - {"format"} or not names <= LEARNERS or not all(map(is_text, paths)):
        return
    if sum(path.stat().st_size for path in paths) <= LITTLE and sum(path.read_bytes().count(b"\n") for path in paths) <= FEW:
        from littlestone.kernels import interpreted

        interpreted.choose()


def is_text(path: Path) -> bool:
    return path.suffix in SUFFIXES and path.is_file()


def learners_in(model: Path) -> set[str]:
    """Who sits in a model file, as its head says; whether that is sound is asked later."""
    try:
        with zipfile.ZipFile(model) as archive, archive.open("model.json") as file:
            head = file.read(HEAD).decode()
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return {""}
    texts = [*re.findall('"name": "([^"]*)"', head)[:1], *" ".join(re.findall('"members": "([^"]*)"', head)).split()]
    return {text.partition(":")[0] for text in texts} or {""}
