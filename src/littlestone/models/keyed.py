"""Models by key: the buckets of a run, hot ones in memory and cold ones on disk; all of them as one model; and the file it rests in."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import chain, pairwise
from operator import getitem
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, require
from littlestone.files import beside
from littlestone.hooks import above
from littlestone.models.contents import sorts_rows
from littlestone.models.describe import described, made
from littlestone.models.file import bytes_of, head_bytes, head_in, model_of_bytes
from littlestone.models.keyed_states import KeyedKind, Visits, joined, play_bucket
from littlestone.protocol import Block, ClassMap, ClassRunnerCounts, FeatureMap, Model, RunnerCounts
from littlestone.protocol.owners import Owners
from littlestone.rounds.reading import ROW_VERSION
from littlestone.theory.keyed import BUCKETS, bucket_of, buckets_of, bytes_of_key

FORMAT, VERSION, HEAD, SHARED = "littlestone-keys", 1, "keys.json", "shared"
SCRATCH = "littlestone-keys-"  # what the folders of buckets on disk are called
GROUPS = 2  # of buckets for each worker: one is played while the rounds of another are on their way
BATCHES = 16  # of ranges, after which buckets come home: a scheduler keeps whatever those that it knows were made of
RESIDENT = 4_000_000  # keys that are held in memory; the others wait on disk


def sweep() -> None:
    """Remove the folders of runs on this machine that were killed: each is named by its process."""
    for folder in Path(gettempdir()).glob(f"{SCRATCH}*-*"):
        number = folder.name.removeprefix(SCRATCH).partition("-")[0]
        if number.isdigit() and not is_running(int(number)):
            rmtree(folder, ignore_errors=True)


def is_running(process: int) -> bool:
    """Is there such a process, as far as this one may know?"""
    if os.name != "posix":  # a signal of 0 asks nothing there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


def pack(bucket: Any) -> bytes:
    """A bucket as bytes, which depend on its keys and their rounds alone."""
    arrays = bucket.to_arrays()
    head = json.dumps([[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]).encode()
    return b"".join([len(head).to_bytes(8, "little"), head, *(np.ascontiguousarray(array).tobytes() for array in arrays.values())])


def unpack(kind: KeyedKind, data: bytes, *, trusted: bool = False) -> Any:
    """The bucket of such bytes; anything else is refused, and so are states that no run can have left, unless they are `trusted`."""
    bucket, at = kind.first(), 8 + int.from_bytes(data[:8], "little")
    try:
        require(8 <= at <= len(data), "is cut short")
        arrays = {}
        for name, text, shape in json.loads(data[8:at]):
            dtype = np.dtype(text)
            require(dtype.kind in "biuf" and all(type(k) is int and k >= 0 for k in shape), f"{name} is no array of numbers")
            size = int(np.prod(shape, dtype=object)) * dtype.itemsize
            require(at + size <= len(data), f"{name} is cut short")
            arrays[name] = np.frombuffer(data, dtype, size // max(1, dtype.itemsize), at).reshape(shape)
            require(dtype.kind != "f" or np.isfinite(arrays[name]).all(), f"{name} holds NaN or infinity; expected finite numbers")
            at += size
        require(at == len(data), f"has {len(data) - at} bytes more than its arrays")
        bucket.fill(arrays)
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as error:
        raise LittlestoneError(f"is no sound bucket ({type(error).__name__}: {error})") from None
    if not trusted:
        bucket.check()
    return bucket


def played(kind: KeyedKind, bucket: Any, visits: Visits, shape: tuple | None, noted: bool) -> tuple:
    """The predictions of a bucket's rounds, their scores (of that shape each) and updates where they are asked for."""
    marks = None if shape is None else np.empty((len(visits.order), *shape))
    changed = np.zeros(len(visits.order), np.bool_) if noted else None
    return play_bucket(kind, bucket, visits, marks, changed), marks, changed


class GroupPlayed(NamedTuple):
    """Some buckets, each as its parts, after rounds of some ranges; of each range the places of these, predictions, scores, updates."""

    buckets: dict[int, Any]
    replies: list[tuple]


def play_group(kind: KeyedKind, before: GroupPlayed, shape: tuple | None, noted: bool, *pieces: KeyedPiece) -> GroupPlayed:
    """What buckets become by rounds of their keys, as a task, which leaves what it was given alone.

    One bucket after the other, for its keys and their rounds to be at hand while they are looked up.
    """
    buckets, ends = dict(before.buckets), np.cumsum([0, *(len(piece.block) for piece in pieces)]).tolist()
    advice = None if pieces[0].advice is None else np.concatenate([piece.advice for piece in pieces])
    scores, updates = None if shape is None else np.empty((ends[-1], *shape)), np.zeros(ends[-1], np.bool_)
    answers: Any = np.empty(0, np.bool_)
    for k, number in enumerate(pieces[0].numbers):
        parts = [piece.bucket(k) for piece in pieces]
        at = np.concatenate([np.arange(begin + own.start, begin + own.stop) for begin, (own, _) in zip(ends, parts, strict=False)])
        if not len(at):
            continue
        visits = Visits.of(joined([block for _, block in parts if len(block)]), None if advice is None else advice[at])
        bucket = kind.first()
        if number in buckets:
            bucket.go_on(buckets[number])
        own, marks, changed = played(kind, bucket, visits, shape, noted)
        if not len(answers):
            answers = np.empty(ends[-1], own.dtype)
        at = at[visits.order]
        answers[at] = own
        if scores is not None:
            scores[at] = marks
        if noted:
            updates[at] = changed
        buckets[number] = bucket.parts()
    of_pieces = [slice(a, b) for a, b in pairwise(ends)]
    arrays = [(answers[p], None if scores is None else scores[p], updates[p] if noted else None) for p in of_pieces]
    return GroupPlayed(buckets, [(piece.places, *own) for piece, own in zip(pieces, arrays, strict=True)])


class KeyedPiece(NamedTuple):
    """Rounds of the keys of some buckets, one bucket after the other, as are the keys; where they stood in their range, and what a shared
    learner said of them, where there is one."""

    numbers: range  # of the buckets
    block: Block
    rounds_at: np.ndarray  # where the rounds of each bucket begin, and the end
    keys_at: np.ndarray  # the same of its keys
    places: np.ndarray
    advice: np.ndarray | None

    def bucket(self, k: int) -> tuple[slice, Block]:
        """The rounds of one bucket, and where they are."""
        own, first = slice(int(self.rounds_at[k]), int(self.rounds_at[k + 1])), int(self.keys_at[k])
        block, keys = self.block.cut(own.start, own.stop), self.block.keys
        assert keys is not None and keys.codes is not None
        return own, replace(block, keys=Owners(keys.names[first : int(self.keys_at[k + 1])], keys.codes[own] - first))


def split_by_key(count: int, advice: np.ndarray | None, rounds: tuple[Block, Any]) -> list[KeyedPiece]:
    """Rounds by so many groups of buckets, as a task."""
    block = rounds[0]
    assert block.keys is not None
    groups = [range(g, BUCKETS, count) for g in range(count)]
    rank = np.empty(BUCKETS, np.uint8)
    rank[np.concatenate(groups)] = np.arange(BUCKETS)
    names, codes = block.keys.distinct()
    ranks = rank[np.frombuffer(buckets_of(names), np.uint8)]
    order, named = np.argsort(of_rounds := ranks[codes], kind="stable"), np.argsort(ranks, kind="stable")
    numbers = np.empty(len(names), np.int32)
    numbers[named] = np.arange(len(names))
    names, codes = [names[k] for k in named.tolist()], numbers[codes[order]]
    lines = None if block.lines is None else block.lines[order]
    whole, advice = replace(block.rows(order), lines=lines, origin=block.origin), None if advice is None else advice[order]
    rounds_at, keys_at = (np.concatenate(([0], np.cumsum(np.bincount(r, minlength=BUCKETS)))) for r in (of_rounds, ranks))
    pieces, start = [], 0
    for group in groups:
        stop = start + len(group)
        (a, b), (c, d) = rounds_at[[start, stop]].tolist(), keys_at[[start, stop]].tolist()
        own = replace(whole.cut(a, b), keys=Owners(names[c:d], codes[a:b] - np.int32(c)))
        theirs = None if advice is None else advice[a:b]
        at = rounds_at[start : stop + 1] - a, keys_at[start : stop + 1] - c
        pieces.append(KeyedPiece(group, own, *at, order[a:b].astype(np.int32), theirs))
        start = stop
    return pieces


def replies_of(played: GroupPlayed) -> list[tuple]:
    """What was said, as a task: it goes where the buckets are, and they stay there."""
    return played.replies


class Buckets:
    """The buckets of all keys. So many keys are held in memory; the buckets that were used last are."""

    def __init__(self, kind: KeyedKind, resident: int = RESIDENT) -> None:
        require(resident >= 1, f"resident={resident!r} must be at least 1: the keys whose states are held in memory")
        self.kind, self.resident = kind, resident
        self.hot: dict[int, Any] = {}  # those used last stand last
        self.cold: dict[int, Callable[[], Any]] = {}  # what gives a bucket that is not in memory
        self.scratch: Path | None = None
        self.groups: list[Any] = []  # tasks that give groups of buckets, where workers hold them; what is here is older then
        self.workers: Any = None
        self.batches = 0  # that workers have played since the buckets were here

    def get(self, number: int) -> Any:
        self.come_home()
        bucket = self.hot.pop(number, None)
        if bucket is None:
            bucket = self.cold[number]() if number in self.cold else self.kind.first()
        self.hot[number] = bucket
        return bucket

    def seen(self, number: int) -> Any:
        """The same to look at: one that has no keys is not kept."""
        self.come_home()
        return self.get(number) if number in self.hot or number in self.cold else self.kind.first()

    def numbers(self) -> list[int]:
        self.come_home()
        return sorted({*self.hot, *self.cold})

    def settle(self) -> None:
        """Write those that were used longest ago to disk, until no more keys are in memory than may be."""
        held = sum(map(len, self.hot.values()))
        for number in list(self.hot)[:-1]:
            if held <= self.resident:
                return
            bucket = self.hot.pop(number)
            self._put_away(number, pack(bucket))
            held -= len(bucket)

    def _put_away(self, number: int, data: bytes) -> None:
        """Keep a bucket on disk."""
        if self.scratch is None:
            sweep()
            self.scratch = Path(mkdtemp(prefix=f"{SCRATCH}{os.getpid()}-"))
            finalize(self, rmtree, self.scratch, ignore_errors=True)
        path = self.scratch / f"{number:03}"
        path.write_bytes(data)
        self.cold[number] = partial(self._from_scratch, path)

    def _from_scratch(self, path: Path) -> Any:
        return unpack(self.kind, path.read_bytes(), trusted=True)

    def play(
        self,
        block: Block,
        scores: np.ndarray | None,
        updates: np.ndarray | None,
        *,
        advice: np.ndarray | None = None,
        learning: bool = True,
    ) -> np.ndarray:
        """The predictions of rounds that have keys, in their own order: those of each bucket are played together, and put back.

        `advice` is what the shared learner says of them, where there is one.
        """
        shape = None if scores is None else scores.shape[1:]
        if block.far is not None:
            played = self._there(block.far, advice, shape, updates is not None)
        else:
            played = (self._here if learning else self._asked)(Visits.of(block, advice), shape, updates is not None)
        predictions: Any = None
        for places, own, marks, changed in played:
            if predictions is None:
                predictions = np.empty(len(block), own.dtype)
            predictions[places] = own
            if scores is not None:
                scores[places] = marks
            if updates is not None:
                updates[places] = changed
        return np.empty(0, np.bool_ if self.kind.classes is None else np.int32) if predictions is None else predictions

    def _here(self, visits: Visits, shape: tuple | None, noted: bool) -> Iterator[tuple]:
        """Each bucket in turn: where its rounds stand, their predictions, scores and updates."""
        for number, part in visits.buckets():
            yield part.order, *played(self.kind, self.get(number), part, shape, noted)
            self.settle()

    def _asked(self, visits: Visits, shape: tuple | None, noted: bool) -> Iterator[tuple]:
        """The same without learning."""
        for number, part in visits.buckets():
            marks = None if shape is None else np.empty((len(part.order), *shape))
            yield part.order, self.seen(number).predict(part, marks), marks, np.zeros(len(part.order), np.bool_)
            self.settle()

    def _there(self, far: Any, advice: np.ndarray | None, shape: tuple | None, noted: bool) -> Iterator[tuple]:
        """The same by workers, who keep the buckets: those who hold the rounds split them, and each group of buckets is played by one."""
        if not self.groups:
            self.workers, count = far.workers, GROUPS * far.workers.count
            held = [{n: self.get(n).parts() for n in self.numbers() if n % count == g} for g in range(count)]
            self.groups = [self.workers.send(GroupPlayed(buckets, [])) for buckets in held]
            self.batches = 0
            self.settle()
        count, starts = len(self.groups), far.starts
        heard = [None if advice is None else advice[a:b] for a, b in pairwise(starts)]
        split = [self.workers.submit(split_by_key, count, own, task) for own, task in zip(heard, far.tasks, strict=True)]
        pieces = [[self.workers.submit(getitem, part, g) for part in split] for g in range(count)]
        tasks = [self.workers.submit(play_group, self.kind, self.groups[g], shape, noted, *pieces[g], place=g) for g in range(count)]
        replies = self.workers.gather([self.workers.submit(replies_of, task) for task in tasks])  # all of them, or none
        self.groups, self.batches = tasks, self.batches + 1
        for task in tasks:
            self.workers.is_done(task)
        for own in replies:
            for start, (places, *answers) in zip(starts, own, strict=False):
                yield places + start, *answers
        if self.batches >= BATCHES:
            self.come_home()

    def come_home(self) -> None:
        """Bring the buckets here that workers hold: all of them, or none."""
        if not self.groups:
            return
        other = Buckets(self.kind, self.resident)  # with a folder of its own, which lasts as long as what lies in it is wanted
        for group in self.groups:
            for number, parts in self.workers.gather([group])[0].buckets.items():
                other.hot[number] = self.kind.first()
                other.hot[number].go_on(parts)
            self.workers.is_done(group)  # or what came would be held once more
            other.settle()
        self.hot, self.cold, self.groups = other.hot, other.cold, []

    def give_up(self) -> None:
        """The workers were lost: go back to the buckets as they were when they left."""
        self.groups = []

    def fork(self, kind: KeyedKind) -> Buckets:
        """The same, to go on from; what happens there changes nothing here."""
        other = Buckets(kind, self.resident)
        for number in self.numbers():
            other.cold[number] = partial(lambda number: unpack(kind, pack(self.get(number)), trusted=True), number)
        return other

    def names(self) -> Iterator[str]:
        """All keys, in the order of their buckets."""
        for number in self.numbers():
            yield from sorted(self.get(number).names, key=bytes_of_key)
            self.settle()

    def __len__(self) -> int:
        count = 0
        for number in self.numbers():
            count += len(self.get(number))
            self.settle()
        return count

    def runner(self, name: str) -> Any:
        """The runner that the rounds of this key alone would have made."""
        runner = self._bucket_with(name).runner(name).copy()
        self.settle()
        return runner

    def _bucket_with(self, name: str) -> Any:
        bucket = self.seen(bucket_of(name))
        require(name in bucket.names, f"key {name!r}: no round of it was played")
        return bucket

    def followed(self, name: str) -> tuple[int, int, int]:
        """Beside a shared learner: the mistakes of a key's own learner on its rounds, of the shared one, and of what was said."""
        return self._bucket_with(name).of(name)

    def all_followed(self) -> Iterator[tuple[int, int, int]]:
        """The same of all keys."""
        for number in self.numbers():
            bucket = self.get(number)
            yield from map(bucket.of, bucket.names)
            self.settle()


class KeyedModel:
    """A learner for each key, with what each has learned. `ls.play(learner, X, y, key=...).model` and `ls.load(path)` give one.

    >>> import littlestone as ls
    >>> model = ls.play(ls.perceptron(), [[1, 0], [1, 0], [0, 1]], [0, 1, 1], key=["ann", "bob", "ann"]).model
    >>> model.predict_many([[1, 0], [1, 0], [1, 0]], key=["ann", "bob", "eve"]).tolist()
    [0, 1, 1]
    >>> model.key("ann").mistakes, list(model.keys())
    (2, ['bob', 'ann'])
    """

    ledger = operating = None
    waiting = ()

    def __init__(self, buckets: Buckets, accounts: Any, *, top: int = -1, zero: bool = False, shared: Any = None) -> None:
        self.buckets, self.accounts, self.shared_runner = buckets, accounts, shared
        self.learner, self.kind, self.counted = buckets.kind.learner, buckets.kind.learner.kind, buckets.kind.counted
        self.features, self.named, self.reading = FeatureMap(), None, dict[str, Any]()
        self.sorts = True  # as of a model
        self._top, self._zero = top, zero

    def __repr__(self) -> str:
        return f"<models of {self.learner!r} by key: {self.mistakes:,} mistakes in {self.rounds:,} rounds>"

    @property
    def rounds(self) -> int:
        return self.accounts.rounds

    @property
    def mistakes(self) -> int:
        return self.accounts.mistakes

    @property
    def unlabelled(self) -> int:
        return self.accounts.rows - self.accounts.rounds

    @property
    def classes(self) -> ClassMap:
        assert self.buckets.kind.classes is not None
        return self.buckets.kind.classes

    @property
    def columns(self) -> int:
        return self._top + 1

    def keys(self) -> Iterator[str]:
        """All keys, in the order of the file."""
        return self.buckets.names()

    def __len__(self) -> int:
        return len(self.buckets)

    def key(self, name: str) -> Any:
        """The model of one key, as its rounds alone would have made it; it goes its own way from here."""
        return self._named(self.buckets.runner(name), {"only": name})

    @property
    def shared(self) -> Any:
        """The model of all keys' rounds, where one stands beside each key's own; None where there is none."""
        return None if self.shared_runner is None else self._named(self.shared_runner.copy(), {"key": None})

    def _named(self, runner: Any, rounds: dict[str, Any]) -> Any:
        model = Model.of(runner)
        model.features, model.named, model.sorts = FeatureMap(self.features), self.named, self.sorts
        model.reading = {**self.reading, **rounds} if self.reading.get("key") else dict(self.reading)
        return model

    def instance(self, row: Any) -> Any:
        return row

    def predict_many(self, X: Any, *, key: Any = None, scores: bool = False) -> Any:
        """The predictions for all rows of X, whatever `ls.play` takes, with the key of each; one that is not known has the first state."""
        return above("predict_by_key")(self, X, key, scores=scores)

    def save(self, path: Any) -> None:
        """Write all of it to one file, or nothing."""
        kind, accounts = self.buckets.kind, self.accounts
        head = {
            "learner": described(self.learner),
            "kind": self.kind,
            "n": self.learner.n,
            "columns": kind.columns,
            "counted": kind.counted,
            "classes": None if kind.classes is None else list(kind.classes),
            "largest_index": self._top,
            "index_zero": self._zero,
            "named": self.named,
            "features": list(self.features) if self.named else None,
            **({"row_version": ROW_VERSION} if self.sorts else {}),
            "reading": self.reading,
            "accounts": asdict(accounts),
            "keys": len(self),
        }
        shared = None if self.shared_runner is None else bytes_of(Model.of(self.shared_runner))
        write_store(Path(path), head, ((number, pack(self.buckets.get(number))) for number in self.buckets.numbers()), shared)


def write_store(path: Path, head: dict[str, Any], buckets: Iterable[tuple[int, bytes]], shared: bytes | None = None) -> None:
    """Write a store: its buckets in ascending order, the shared model, each with its digest, and the head; all of it or nothing."""
    digests: dict[str, str] = {}
    members = ((f"bucket-{number:03}", data) for number, data in buckets)
    with beside(path, lasting=True) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, data in chain(members, [] if shared is None else [(SHARED, shared)]):
            digests[name] = hashlib.sha256(data).hexdigest()
            archive.writestr(zipfile.ZipInfo(name), data)
        stated = {"format": FORMAT, "version": VERSION, "library": __version__, **head, "members": digests}
        archive.writestr(zipfile.ZipInfo(HEAD), head_bytes(stated))


def is_store(path: Any) -> bool:
    """Is it a file of models by key?"""
    if not Path(path).is_file():  # what a pipe gives is read once, by whoever loads it
        return False
    with suppress(OSError, zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(path) as archive:  # what damaged bytes lead it to
        return HEAD in archive.namelist()
    return False


def load_store(path: Any, learner: Any = None, resident: int = RESIDENT) -> KeyedModel:
    """The models by key in a file; each bucket is read, and checked, when it is asked for."""
    try:
        return _loaded(Path(path), learner, resident)
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {error}") from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LittlestoneError(f"{path}: is no sound store of models by key ({type(error).__name__}: {error})") from None


def _loaded(path: Path, learner: Any, resident: int) -> KeyedModel:
    names = read_member(path, None)
    head = head_in(read_member(path, HEAD), HEAD, FORMAT, VERSION)
    members = head["members"]
    sound = {*members} <= {SHARED, *(f"bucket-{number:03}" for number in range(BUCKETS))}
    require(sound and {*names} == {*members, HEAD} and len(names) == len(members) + 1, "has other members than its head lists")
    kind = head["kind"]
    require(kind in ("two classes", "several classes"), f"kind={kind!r} is none of models by key")
    classes = None
    if kind == "several classes":
        classes = ClassMap()
        for label in head["classes"]:
            classes.code(label)
    columns, counted, top = head["columns"], head["counted"], head["largest_index"]
    whole = (columns is None or (type(columns) is int and columns >= 0)) and type(counted) is bool and type(top) is int and top >= -1
    require(whole, f"columns={columns!r}, counted={counted!r}, largest_index={top!r} cannot be")
    keyed = KeyedKind(made(head["learner"], learner, kind), columns, counted, classes, SHARED in members)
    buckets = Buckets(keyed, resident)
    shared = None
    if keyed.led:
        of_all = model_of_bytes(_member(path, SHARED, members[SHARED]), learner)
        require(of_all.kind == kind, f"{SHARED}: is a model of {of_all.kind}; expected {kind}")
        shared = keyed.runner_from(of_all)
    for name in members:
        if name == SHARED:
            continue
        buckets.cold[int(name.removeprefix("bucket-"))] = partial(_from_store, keyed, path, name, members[name])
    model = KeyedModel(buckets, _accounts(kind, head["accounts"]), top=top, zero=bool(head["index_zero"]), shared=shared)
    model.reading, model.named, model.sorts = dict(head["reading"]), head["named"], sorts_rows(head)
    for name in head["features"] or ():
        require(isinstance(name, str), f"feature {name!r} is no name")
        model.features[name]
    require(len(model.features) == len(head["features"] or ()), "a feature stands there twice")
    return model


def _accounts(kind: str, plain: dict[str, Any]) -> Any:
    """The counts of all keys. Each key begins with a round that no class is known in, so some rounds have no prediction."""
    if kind == "two classes":
        counts = RunnerCounts.from_json(plain)
        sound = counts.sound
    else:
        confusion = tuple(map(tuple, plain["confusion"]))
        counts = ClassRunnerCounts.from_json({**plain, "confusion": confusion, "members": ()})
        cells = [count for row in confusion for count in row]
        square = all(len(row) == len(confusion) for row in confusion)
        sound = counts._sound_sizes(5) and square and min(cells, default=0) >= 0 and sum(cells) <= counts.rounds
    require(sound and counts.mistakes <= counts.rounds, "its accounts cannot be those of a run")
    return counts


def _from_store(kind: KeyedKind, path: Path, name: str, digest: str) -> Any:
    try:
        bucket = unpack(kind, _member(path, name, digest))
        number = int(name.removeprefix("bucket-"))
        for key in bucket.names:
            require(bucket_of(key) == number, f"key {key!r} belongs to bucket {bucket_of(key)}")
        return bucket
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {name}: {error}") from None


def _member(path: Path, name: str, digest: str) -> bytes:
    data = read_member(path, name)
    require(hashlib.sha256(data).hexdigest() == digest, f"{name} was changed: it does not have the digest it was saved with")
    return data


def read_member(path: Path, name: str | None) -> Any:
    """A member of a store; without a name, the names of all."""
    try:
        with zipfile.ZipFile(path) as archive:
            plain = all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
            require(plain, "has a compressed member; expected none")
            return archive.namelist() if name is None else archive.read(name)
    except LittlestoneError:
        raise
    except OSError:
        raise
    except Exception as error:  # zipfile raises whatever the bytes lead it to
        raise LittlestoneError(f"is no littlestone store, or was cut short or changed: no whole zip file ({error})") from None
