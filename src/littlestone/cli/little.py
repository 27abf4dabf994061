"""Is there so little to do that loading the compiler would take longer than to do it without?"""

import re
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

from littlestone.cli.options import ReadingOptions
from littlestone.files import chosen_cache, users_cache

LITTLE, FEW = 16_384, 200  # bytes and lines: a second of the panel
PER_LINE, PER_BYTE, PATIENCE = 0.004, 0.000_013, 6.0  # seconds of the panel; and what is less than half of what compiling takes
SUFFIXES = (".libsvm", ".svm", ".vw")  # of text that is as long as its file
HEAD = 4_096  # bytes of a model file's head, in which its learner is named
# Those that tests play both ways, and that do no more than a few things for each feature, or pair of features, of a row.
LEARNERS = {"panel", "perceptron", "balanced_winnow", "passive_aggressive", "arow", "arow_full", "adaptive", "normalized", "naive_bayes"}
LEARNERS |= {"pairs", "coin"}
PLAIN = {"learner", "as_json", "quiet", "model", "predictions", "probabilities", "search", "verbose", "window"}  # options of a usual run


def interpret_if_little(streams: list[str], reading: ReadingOptions, options: Any = None, model: Path | None = None) -> None:
    """Where a usual run, or rows for a saved model, are a few kilobytes of text, let kernels be interpreted: the results are the same.
    Where no kernel was compiled yet, a few hundred kilobytes are played before the compiler would be ready.

    It has to be known before the first of them is imported.
    """
    usual = options is None or all(getattr(options, field.name) == field.default for field in fields(options) if field.name not in PLAIN)
    paths = [Path(stream) for stream in streams]
    names = {(getattr(options, "learner", None) or "panel").partition(":")[0]} if model is None else learners_in(model)
    if not usual or reading.choices.keys() - {"format"} or not names <= LEARNERS or not all(map(is_text, paths)):
        return
    size = sum(path.stat().st_size for path in paths)
    if size * PER_BYTE > PATIENCE:
        return
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    short = size <= LITTLE and len(lines) <= FEW
    if short or (len(lines) * PER_LINE + size * PER_BYTE <= PATIENCE and is_of_two_classes(lines) and nothing_compiled()):
        from littlestone.kernels import interpreted

        interpreted.choose()


def is_of_two_classes(lines: list[bytes]) -> bool:
    """Are there no more than two labels? A panel of several classes has more to do."""
    return len({line.split(None, 1)[0] for line in lines if line.strip()}) <= 2


def nothing_compiled() -> bool:
    """Is the cache of kernels empty? Asked without loading the compiler."""
    return not any((chosen_cache() or users_cache()).glob("kernels-*"))


def is_text(path: Path) -> bool:
    return path.suffix in SUFFIXES and path.is_file()


def learners_in(model: Path) -> set[str]:
    """Who sits in a model file, as its head says; whether that is sound is asked later."""
    if not model.is_file():
        return {""}
    try:
        with zipfile.ZipFile(model) as archive, archive.open("model.json") as file:
            head = file.read(HEAD).decode()
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return {""}
    texts = [*re.findall('"name": "([^"]*)"', head)[:1], *" ".join(re.findall('"members": "([^"]*)"', head)).split()]
    return {text.partition(":")[0] for text in texts} or {""}
