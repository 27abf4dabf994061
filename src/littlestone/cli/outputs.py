"""What a command writes beside its result: files that must not be the stream, and predictions a line a round."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from littlestone.api.observers import EndOfRun, Observer, Taken


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


class PredictionsFile(Observer):
    """Predictions as lines: labels as the stream writes them, or an object each with label, score and id (`.jsonl`).

    `names` are the labels by code, last what stands for none; None there says that such a row has no line.
    """

    def __init__(self, path: Path | None, names: Callable[[], Sequence[Any]], failed: Callable[[OSError], None]) -> None:
        self.path, self.names, self.failed = path, names, failed
        self.file: Any = None
        self.scores = path is not None and path.name.endswith(".jsonl")

    def begins(self, playing: Any) -> None:
        if self.path is not None:
            self.file = self.path.open("wb", buffering=0)  # a block is one write, and is there at once

    def after(self, taken: Taken) -> None:
        if self.file is None:
            return
        try:
            self.file.write(self._text(taken, self.names()))
        except OSError as error:  # a full disk
            self.failed(error)
            raise EndOfRun from None

    def _text(self, taken: Taken, names: Sequence[Any]) -> bytes:
        codes = taken.predictions.tolist()
        if not self.scores:
            written = [b"" if name is None else f"{name}\n".encode() for name in names]
            return b"".join(written[code] for code in codes)
        ids, scores = taken.block.ids, None if taken.scores is None else taken.scores.tolist()
        lines = (
            json_line(names[code], None if scores is None else scores[t], None if ids is None else ids[t])
            for t, code in enumerate(codes)
            if code >= 0 or names[-1] is not None
        )
        return "".join(lines).encode()

    def ends(self) -> None:
        if self.file is not None:
            self.file.close()


def json_line(label: Any, score: float | None, id: str | None) -> str:
    """
    >>> json_line("spam", 1.5, None)
    '{"id": null, "label": "spam", "score": 1.5}\\n'
    """
    return json.dumps({"id": id, "label": label, "score": score}, ensure_ascii=False) + "\n"
