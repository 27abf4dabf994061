"""What `run` does about model files: go on from one, save one as it goes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.api.observers import Observer
from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.protocol import Model


def loaded(path: Path, learner: str | None) -> Any:
    """The model in a file; `learner` names the file of a learner of the user's own."""
    from littlestone.cli.choose import learner_of_model
    from littlestone.models import load

    return load(path, None if learner is None else learner_of_model(learner))


def one_loaded(path: Path, learner: str | None, how: str = "run --key COLUMN=KEY makes one") -> Any:
    """The same where one model is meant, and not one for each key; `how` says how to come by one."""
    model = loaded(path, learner)
    require(not hasattr(model, "buckets"), f"{path} holds a model for each of many keys, and one is expected; {how}")
    return model


def opened(path: Path | None, learner: str | None, n: int | None) -> Model | None:
    """The model to go on from; --learner is then for a learner of the user's own."""
    if path is None:
        return None
    require(learner is None or "::" in learner, f"--learner {learner}: the model {path} has its learner already")
    require(n is None, f"--n {n}: the model {path} has its number of features already")
    model = loaded(path, learner)
    require(model.kind != "advice", f"--from {path}: is a model of a rule over experts; expected littlestone experts TABLE --from {path}")
    return model


def refuse(path: Path | None, every: int | None, skip: int, chosen: Any) -> None:
    """Before anything is played: a model that cannot be saved, or not there."""
    require(skip >= 0, f"--skip {skip} must not be negative")
    require(every is None or every >= 1, f"--checkpoint-every {every} must be at least 1")
    require(every is None or path is not None, "--checkpoint-every needs --model, the file to save to")
    if path is None:
        return
    from littlestone.models.describe import described
    from littlestone.models.file import read
    from littlestone.models.keyed import is_store, load_store

    described(chosen)
    new = f"--model {path}: is a pipe or a device; expected a model file to replace, or a name that is free"
    require(path.is_file() or path.is_dir() or not path.exists(), new)
    require(path.parent.is_dir() and os.access(path.parent, os.W_OK), f"--model {path}: its folder cannot be written to")
    if path.exists():
        try:
            load_store(path) if is_store(path) else read(path)
        except LittlestoneError as error:
            raise LittlestoneError(f"--model {path} would overwrite a file that is no sound model: {error}") from None


@contextmanager
def unbroken() -> Iterator[None]:
    """Let Ctrl-C wait until this is done, so that what was learned and what was counted agree."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if waiting:
        raise KeyboardInterrupt


class ModelSaver(Observer):
    """Saves the model that a run makes: as it goes, and at the end."""

    def __init__(self, path: Path | None, every: int | None, skip: int, say: Any) -> None:
        self.path, self.every, self.say, self.skip = path, every, say, skip
        self.playing: Any = None
        self.saved = self.begun = 0

    @property
    def _rows(self) -> int:
        return self.playing.rows

    def begins(self, playing: Any) -> None:
        self.playing = playing
        self.saved = self.begun = self._rows

    def after(self, taken: Any) -> None:
        """Save, if it is time."""
        if self.path is not None and self.every is not None and self._rows - self.saved >= self.every:
            self._save()

    def last(self, *, interrupted: bool) -> None:
        """Save, at the end."""
        if self.path is None:
            return
        model = self._save()
        runner = self.playing.runner
        if self.playing.resident is not None:
            self.say(f"Saved {self.path}: {runner.rounds:,} rounds of {len(model):,} keys.")  # type: ignore[arg-type]
            return
        why = "since labels came late" if hasattr(runner, "delay") else "since it updates on every round"
        kept = f"no ledger, {why}" if model.ledger is None else f"a {model.ledger!r}"[3:-1]
        self.say(f"Saved {self.path}: {runner.rounds:,} rounds, {kept}.")
        if interrupted:
            self.say(f"To go on with the same stream: --from {self.path} --skip {self.skip + self._rows - self.begun}")

    def at_loss(self) -> str:
        """Save what was played before the workers were lost; how to go on from there."""
        if self.path is None:
            return "nothing was saved: --model MODEL would have kept what was played, and --resume gone on from it"
        self._save()
        return f"the last checkpoint is {self.path}, after {self.saved:,} rows: the same command with --resume goes on from it"

    def _save(self) -> Model:
        model = self.playing.model()
        model.save(self.path)
        self.saved = self._rows
        return model
