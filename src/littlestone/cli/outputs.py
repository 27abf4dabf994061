"""What a command writes beside its result: files that must not be the stream, and predictions a line a round."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np


def refuse_output(option: str, path: Path, streams: list[str]) -> None:
    """Before anything is played: an output that cannot be written, or that is one of the inputs."""
    from littlestone.errors import LittlestoneError, require

    for stream in streams:
        same = path.exists() and Path(stream).exists() and path.samefile(stream)
        require(not same, f"{option} {path}: that is the stream itself; expected another file")
    new = not path.exists()
    try:
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise LittlestoneError(f"{option} {path}: cannot be written ({error.strerror})") from None


class Predictions:
    """Predictions as lines: labels as the stream writes them, or an object each with label, score and id (`.jsonl`)."""

    def __init__(self, path: Path | None) -> None:
        self.file = None if path is None else path.open("wb", buffering=0)  # a block is one write, and is there at once
        self.objects = path is not None and path.name.endswith(".jsonl")

    def write(self, made: np.ndarray, names: Sequence[Any], scores: np.ndarray | None, ids: Sequence[str | None] | None) -> None:
        """`made` are places in `names`; there -1 is "no prediction", the last of the names, or a row that has none where that is None."""
        if self.file is None:
            return
        if self.objects:
            numbers = None if scores is None else scores.tolist()
            lines = (
                json_line(names[code], None if numbers is None else numbers[t], None if ids is None else ids[t])
                for t, code in enumerate(made.tolist())
                if code >= 0 or names[-1] is not None
            )
            self.file.write("".join(lines).encode())
        else:
            written = [b"" if name is None else f"{name}\n".encode() for name in names]
            self.file.write(b"".join(written[code] for code in made.tolist()))

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def json_line(label: Any, score: float | None, id: str | None) -> str:
    """
    >>> json_line("spam", 1.5, None)
    '{"id": null, "label": "spam", "score": 1.5}\\n'
    """
    return json.dumps({"id": id, "label": label, "score": score}, ensure_ascii=False) + "\n"


@contextmanager
def predictions(path: Path | None) -> Iterator[Predictions]:
    out = Predictions(path)
    try:
        yield out
    finally:
        out.close()
