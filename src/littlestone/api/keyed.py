"""Runs by key: a learner for each user, device or shop, which sees that key's rounds alone, in stream order (docs/keys.md).

The one loop hands its blocks to a runner as ever; this one splits them by key, lets each bucket of keys play its own (`models/keyed.py`),
and puts the predictions back. What comes out for a key is what its rounds alone would give, bit for bit, whatever the blocks, the
threads and the number of keys in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.sources import DeclaredRows
from littlestone.errors import LittlestoneError, require
from littlestone.learners.reductions.class_panel import of_panel
from littlestone.learners.reductions.panel import Panel, panel
from littlestone.models.keyed import RESIDENT, Buckets, KeyedModel
from littlestone.models.keyed_states import KeyedKind, joined
from littlestone.protocol import Block, ClassRun, ClassRunner, FeatureMap, Model, Run, Runner
from littlestone.protocol.metrics import ClassMarks, Marks
from littlestone.protocol.runners import runner_of
from littlestone.rounds.features import written
from littlestone.streams import Stream
from littlestone.theory.keyed import led_claims, summed

GATHERED = 2**18  # rounds that are split by key at a time: a key is then met several times at once
GATHERED_FEATURES = 2**22
FEW = 10_000  # keys whose bounds are added up unasked
NO_SCORE = "the rule over a shared learner and each key's own"

#: What a run by key refuses, each with the reason that the user reads.
REFUSED_BY_KEY = {
    "late labels": "not built: a delay would count the stream's rounds or the key's own, and each key's model would keep the rounds that "
    "wait, and the most updates that came between a prediction and its label, on which its bound depends",
    "alarm": "it is proved by one learner's theorem; each key would raise its own, and the first would end the runs of all others",
    "ledger": "it numbers the rounds of one learner, and keys keep states and counts alone",
    "lemmas": "they are checked on one learner's state after each of its updates, and keys are played many at a time",
    "a wrapper": "it goes around the runner of one learner, and there is one for each key",
}


def refuse_by_key(**chosen: Any) -> None:
    """What one learner can do, and one for each key cannot."""
    for name, reason in REFUSED_BY_KEY.items():
        asked = chosen[name.replace("a wrapper", "wrapper").replace(" ", "_")]
        require(not asked, f"a run by key takes no {name.removeprefix('a ')}: {reason}; play one key's rounds with it (only=KEY)")


def known_of(before: KeyedModel | None) -> tuple[FeatureMap, bool | None, dict[str, Any]]:
    """What the models that a run goes on from knew of names and stream."""
    return (FeatureMap(), None, {}) if before is None else (FeatureMap(before.features), before.named, dict(before.reading))


class ByKey:
    """What a runner has that plays a learner for each key: its buckets."""

    learner: Any
    buckets: Buckets
    shared: Any = None  # the runner of the learner that plays all rounds, where there is one beside each key's own
    ledger = None

    def make_room(self, room: int) -> None:
        """Every key has its own places."""

    def keyed_model(self) -> KeyedModel:
        return KeyedModel(self.buckets, self.accounts(), top=self.top, zero=self.bottom == 0, shared=self.shared)  # type: ignore[attr-defined]

    def _play(self, block: Block, scores: np.ndarray | None, updates: np.ndarray | None) -> np.ndarray:
        advice = None if self.shared is None else self.shared.take(block.here())
        return self.buckets.play(block, scores, updates, advice=advice)

    def counted_so_far(self) -> dict[str, Any]:
        """All that rounds change beside the buckets, as it is now."""
        now = super().copy()  # type: ignore[misc]
        now.shared = self.shared and self.shared.copy()
        return vars(now)

    def copy(self) -> Any:
        raise LittlestoneError("a run by key is not taken back: leave out what needs that")


class KeyedRunner(ByKey, Runner):
    """Plays the rounds of each key through a learner of its own. Its counts are those of all keys."""

    makes = "KeyedModel"

    def __init__(self, buckets: Buckets, **how: Any) -> None:
        super().__init__(buckets.kind.learner, **how)
        self.buckets = buckets

    def admit(self, block: Block) -> Block:
        """Check a block; each key makes room for its own rounds."""
        return super(Runner, self).admit(block)

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        block = self.admit(block)
        if scores is None and self.marks is not None:
            scores = np.empty(len(block))
        predictions = self._play(block, scores if self.learner.scored else None, updates)
        if updates is not None:
            updates[:] = self._updates(block, predictions, updates)
        self.record(block, predictions, updates, scores)
        return predictions

    def run(self, *arguments: Any, **how: Any) -> KeyedRun:
        return _by_key(KeyedRun, super().run(*arguments, **how), self)


class NoEngine:
    """Stands where a learner of several classes has its engine: every key has one of its own."""

    seen = 0

    def copy(self) -> NoEngine:
        return copy(self)

    def make_room(self, room: int) -> None: ...

    def state(self, span: int, *, lent: bool = False) -> None: ...

    def accounts(self) -> tuple:
        return ()

    def members(self, labels: tuple, *, lent: bool = False) -> Mapping[Any, Any]:
        return {}


class KeyedClassRunner(ByKey, ClassRunner):
    """The same for several classes."""

    makes = "KeyedModel"

    def __init__(self, buckets: Buckets, *, accounts: Any = None, **how: Any) -> None:
        super().__init__(buckets.kind.learner, classes=buckets.kind.classes, **how)
        self.buckets, self.engine = buckets, NoEngine()
        if accounts is not None:
            self.engine.seen, self.numbered = len(accounts.confusion), list(range(len(accounts.confusion)))
            accounts.open(self)
            self.unpredicted = np.zeros(len(self.confusion), np.int64)
            self.unpredicted[0] = self.tally[1] - self.confusion.sum()

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        block = self.admit(block)
        predictions = self._play(block, scores, updates)
        seen, recoded = self.engine.seen, self._recoded(block)
        self.engine.seen = len(self.numbered)
        self._count(recoded, self._own(predictions), None, seen)
        return predictions

    def run(self, *arguments: Any, **how: Any) -> KeyedClassRun:
        return _by_key(KeyedClassRun, super().run(*arguments, **how), self)


class Followed(NamedTuple):
    """Mistakes on the rounds of a key."""

    own: int
    shared: int
    mistakes: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ManyRuns:
    """What a run by key leaves, beside the counts of all keys."""

    buckets: Any = None
    shared_runner: Any = None

    @property
    def shared(self) -> Any:
        """The run of the shared learner over all rounds, where there is one."""
        return None if self.shared_runner is None else self.shared_runner.run()

    def followed(self, name: str) -> Followed:
        """How often a key's own learner erred on its rounds, the shared one, and what was said."""
        require(self.shared_runner is not None, "this run has no shared learner: expected one that was played with shared=")
        return Followed(*self.buckets.followed(name))

    @property
    def keys(self) -> list[str]:
        """All keys."""
        return list(self.buckets.names())

    def key(self, name: str) -> Any:
        """The run of one key, as its rounds alone would have left it; its predictions are among those of all."""
        return self.buckets.runner(name).run()

    def bounds(self, assume: str | None = None) -> list[Any]:
        """The bounds of all keys, added up: every key is compared with a rule of its own; beside a shared learner, with both learners."""
        if self.shared_runner is not None:
            require(assume is None, f"assume={assume!r}: is about one learner; declare it of the parts, each key's own or the shared one")
            return led_claims(self.buckets.all_followed())
        require(not self.resumed, "this run went on from a store whose rounds nobody has measured")  # type: ignore[attr-defined]
        return summed(self.buckets.runner(name).run().bounds(assume) for name in self.buckets.names())

    @property
    def arithmetic(self) -> str:
        """As its learner computes; the run of a key may be exact though not every run is."""
        return self.learner.arithmetic  # type: ignore[attr-defined]

    def known(self) -> Any:
        raise LittlestoneError("a run by key is a run for each key: run.key(NAME) gives one")

    def _ended(self) -> Any:
        raise LittlestoneError("a run by key leaves a model for each key: run.model.key(NAME) gives one")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KeyedRun(ManyRuns, Run):
    """What a run by key leaves of two classes."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KeyedClassRun(ManyRuns, ClassRun):
    """The same of several classes."""

    _log_loss = None


def _by_key(kind: Any, run: Any, runner: Any) -> Any:
    more = {"buckets": runner.buckets, "shared_runner": runner.shared, "state": None}
    return kind(**{field.name: getattr(run, field.name) for field in fields(run)} | more)


def runner_by_key(
    learner: Any,
    *,
    before: KeyedModel | None,
    columns: int | None,
    counted: bool,
    classes: Any,
    scores: bool,
    resident: int = RESIDENT,
    shared: Any = None,
) -> Any:
    """The runner of a run by key, from the beginning or from where a store stands."""
    if before is not None:
        known = before.buckets.kind
        columns, counted = known.columns if columns is None else columns, known.counted
    learner = learner.sized(columns)
    led = shared is not None or (before is not None and before.shared_runner is not None)
    kind = KeyedKind(learner, columns, counted, classes if learner.kind == "several classes" else None, led)
    buckets = Buckets(kind, resident) if before is None else before.buckets.fork(kind)
    buckets.resident = resident
    accounts = None if before is None else before.accounts
    if learner.kind == "several classes":
        marks: Any = ClassMarks() if scores and learner.scored else None
        runner: Any = KeyedClassRunner(buckets, columns=columns, counted=counted, marks=None if led else marks, accounts=accounts)
        return with_shared(runner, kind, before, shared)
    require(learner.kind == "two classes", f"{learner.name} hears experts, not rows with keys: play the rounds of each key apart")
    marks = Marks() if scores and learner.scored else None
    runner = KeyedRunner(buckets, columns=columns, counted=counted, accounts=accounts, marks=None if led else marks)
    return with_shared(runner, kind, before, shared)


def with_shared(runner: Any, kind: KeyedKind, before: KeyedModel | None, shared: Any) -> Any:
    """The runner, with the one of the shared learner where there is to be one."""
    if before is not None and before.shared_runner is not None:
        runner.shared = kind.runner_from(Model.of(before.shared_runner))
    elif shared is not None:
        runner.shared = runner_of(shared.sized(kind.columns), columns=kind.columns, counted=kind.counted, classes=kind.classes)
    return runner


def shared_for(shared: Any, learner: Any, before: Any, X: Any) -> Any:
    """The learner that is to play all rounds: a panel, unless it is named; None where there is none to begin."""
    if shared is None or shared is False:
        return None
    require(not isinstance(before, KeyedModel), "shared: a store has its shared learner already, or every key's rounds were played without")
    shared = panel() if shared is True else shared
    if isinstance(shared, Panel) and learner.kind == "several classes":
        shared = of_panel(shared)
    kind = getattr(shared, "kind", None)
    require(kind == learner.kind, f"shared={shared!r}: expected a learner of {learner.kind}, as {learner.name} is")
    return shared.sized(X.count_features()) if isinstance(X, Stream) and shared.needs_n and shared.n is None else shared


def gathered(blocks: Iterable[Block], most: int = GATHERED, most_features: int = GATHERED_FEATURES) -> Iterator[Block]:
    """The same rounds in larger blocks."""
    waiting, rounds, size = list[Block](), 0, 0
    for block in blocks:
        waiting.append(block.copy() if block.keys is not None else block)
        rounds, size = rounds + len(block), size + len(block.indices)
        if rounds >= most or size >= most_features:
            yield joined(waiting)
            waiting, rounds, size = [], 0, 0
    if waiting:
        yield joined(waiting)


def with_keys(X: Any, key: Any) -> tuple[Any, list[str] | None]:
    """X without its keys, and these: one for each round; of a stream, which brings them itself, None."""
    if isinstance(X, Stream):
        require(isinstance(key, str) or key is None, "key of a stream is the name of a column: key='user'")
        if key is not None and X.reading.key != key:
            X.read_by_key(key)
        return X, None
    if isinstance(key, str):
        rows = isinstance(X, Sequence) and all(isinstance(row, Mapping) for row in X)
        require(rows, f"key={key!r}: expected rows as dicts, a frame or a stream; of other rows, a key for each")
        missing = next((t for t, row in enumerate(X) if row.get(key) is None), None)
        require(missing is None, f"round {(missing or 0) + 1}: has no {key!r}; expected a key: whose round it is")
        bare = [{name: value for name, value in row.items() if name != key} for row in X]
        return DeclaredRows(bare, X.declared) if isinstance(X, DeclaredRows) else bare, [key_text(row[key]) for row in X]
    keys = [name if type(name) is str and name else key_text(name) for name in (key.tolist() if hasattr(key, "tolist") else key)]
    return X, keys


def key_text(name: Any) -> str:
    """A key as text, as it would stand in a file.

    >>> key_text("u17"), key_text(17), key_text(17.0)
    ('u17', '17', '17')
    """
    if name is None or name == "" or (isinstance(name, float) and name != name):
        raise LittlestoneError(f"key {name!r}: expected a key for each round: text or a number")
    return written(name.item() if isinstance(name, np.generic) else name)
