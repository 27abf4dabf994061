"""What `run` does about model files: go on from one, save one as it goes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.protocol import Block, Ledger, Model
    from littlestone.streams import Stream


def opened(path: Path | None, learner: str | None, n: int | None) -> Model | None:
    """The model to go on from; --learner is then for a learner of the user's own."""
    if path is None:
        return None
    from littlestone.cli.choose import learner_named
    from littlestone.models import load

    require(learner is None or "::" in learner, f"--learner {learner}: the model {path} has its learner already")
    require(n is None, f"--n {n}: the model {path} has its number of features already")
    return load(path, None if learner is None else learner_named(learner))


def refuse(path: Path | None, every: int | None, skip: int, chosen: Any, streams: list[str]) -> None:
    """Before anything is played: a model that cannot be saved, or not there."""
    require(skip >= 0, f"--skip {skip} must not be negative")
    require(every is None or every >= 1, f"--checkpoint-every {every} must be at least 1")
    require(every is None or path is not None, "--checkpoint-every needs --model, the file to save to")
    if path is None:
        return
    from littlestone.models.describe import described
    from littlestone.models.file import read
    from littlestone.protocol import Learner

    require(isinstance(chosen, Learner), f"--model {path}: models of {chosen.name} cannot be saved, only those of learners of two classes")
    described(chosen)
    require(str(path) not in streams, f"--model {path}: that is the stream itself; expected another file")
    require(path.parent.is_dir() and os.access(path.parent, os.W_OK), f"--model {path}: its folder cannot be written to")
    if path.exists():
        try:
            read(path)
        except LittlestoneError as error:
            raise LittlestoneError(f"--model {path} would overwrite a file that is no sound model: {error}") from None


def ledger_for(chosen: Any) -> Ledger | None:
    from littlestone.protocol import Ledger

    return None if chosen.updates_on == "always" else Ledger()


def after_rows(blocks: Iterable[Block], skip: int) -> Iterator[Block]:
    """The blocks without the first rows."""
    seen = 0
    for block in blocks:
        left, seen = skip - seen, seen + len(block)
        if left < len(block):
            yield block.cut(left, len(block)) if left > 0 else block
    require(seen >= skip, f"--skip {skip}: the stream has only {seen} rounds")


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


class Keeper:
    """Saves the model that a runner makes."""

    def __init__(self, path: Path | None, every: int | None, runner: Any, before: Model | None, skip: int, say: Any) -> None:
        self.path, self.every, self.runner, self.before, self.say = path, every, runner, before, say
        self.saved = self._rows if path is not None else 0
        self.left_out = skip - self.saved

    @property
    def _rows(self) -> int:
        return int(self.runner.tally[0])

    def after(self, stream: Stream) -> None:
        """Save, if it is time."""
        if self.path is not None and self.every is not None and self._rows - self.saved >= self.every:
            self._save(stream)

    def last(self, stream: Stream, *, interrupted: bool) -> None:
        """Save, at the end."""
        if self.path is None:
            return
        from littlestone.protocol import LateRunner

        self._save(stream)
        late = isinstance(self.runner, LateRunner)
        why = "since labels came late" if late else "since it updates on every round"
        model = f"no ledger, {why}" if self.runner.ledger is None else f"a {self.runner.ledger!r}"[3:-1]
        self.say(f"Saved {self.path}: {self.runner.rounds:,} rounds, {model}.")
        if interrupted:
            self.say(f"To go on with the same stream: --from {self.path} --skip {self.left_out + self._rows}")

    def _save(self, stream: Stream) -> None:
        from littlestone.protocol import FeatureMap, Model

        model = Model.of(self.runner, self.before)
        model.reading = stream.reading.as_json()
        if stream.names is not None and not stream.reading.bits:
            model.named = True
            model.features = FeatureMap({name: k for k, name in enumerate(stream.names.names()[: model.columns])})  # as far as played
        elif self.runner.top >= 0:
            model.named = False
        model.save(self.path)
        self.saved = self._rows
