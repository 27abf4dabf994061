"""The states of many keys: those of one bucket, packed in shared arrays, or a runner for each where its learner cannot be packed.

A learner that looks at features one by one, whatever their numbers, is the same learner on features that are numbered anew.  So the state
of a key has places for the features that this key has met, and no more; the states of a bucket lie in shared arrays, and one compiled call
plays the rounds of all its keys.  Any other learner (a panel, several classes, a class of concepts) has a runner for each key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels.native import core
from littlestone.models.file import bytes_of, model_of_bytes
from littlestone.models.led import LedBucket, number_in
from littlestone.protocol import Block, ClassMap, Learner, Model, Runner, RunnerCounts
from littlestone.protocol.learner import LARGEST_INDEX
from littlestone.protocol.owners import Owners
from littlestone.protocol.run import play_through, refuse_broken
from littlestone.protocol.runners import runner_of
from littlestone.theory.keyed import buckets_of, bytes_of_key

NO_FEATURE = np.uint32(2**32 - 1)  # in a free place of the pool
SMALL = 512  # bytes of a state that do not grow with features, above which it is not packed


def ranges(begins: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The places begins[k], begins[k] + 1, … of each range, one range after the other.

    >>> ranges(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    ends = np.cumsum(lengths)
    return np.repeat(begins - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)


def joined(blocks: Sequence[Block]) -> Block:
    """One block of all of them, which knows where its rows stand."""
    if len(blocks) == 1:
        return blocks[0]
    first, lines = blocks[0], [block.lines for block in blocks]
    one_file = all(array is not None for array in lines) and len({block.origin for block in blocks}) == 1
    keys = Owners.joined([block.keys for block in blocks if block.keys is not None])
    ids = None if first.ids is None else [id for block in blocks for id in block.ids or [None] * len(block)]
    where: dict[str, Any] = {"origin": first.origin, "lines": np.concatenate(lines)} if one_file else {}  # type: ignore[arg-type]
    return replace(Block.joined(blocks), first_round=first.first_round, keys=keys, ids=ids, **where)


@dataclass(frozen=True)
class Visits:
    """Rounds in the order of buckets and keys, each key's in stream order: a visit is all the rounds of one key."""

    block: Block
    names: list[str]  # the key of each visit
    starts: np.ndarray  # where each visit begins, and the end
    origin: Block  # the rounds as they came
    order: np.ndarray  # where each round stands among them
    numbers: np.ndarray  # the bucket of each visit
    advice: np.ndarray | None = None  # what a shared learner says of each round, where there is one

    @classmethod
    def of(cls, block: Block, advice: np.ndarray | None = None) -> Visits:
        """The rounds of a block that has keys."""
        assert block.keys is not None
        names, codes = block.keys.distinct()
        numbers_of_buckets = np.frombuffer(buckets_of(names), np.uint8)
        placed = np.argsort(numbers_of_buckets, kind="stable")
        rank = np.empty(len(names), np.int64)
        rank[placed] = np.arange(len(names))
        starts = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=len(names))[placed]))).astype(np.int64)
        order = np.empty(len(codes), np.int64)
        core.group_rounds(codes, rank, starts[:-1].copy(), order)
        own = None if advice is None else advice[order].astype(np.int32)
        return cls(block.rows(order), [names[k] for k in placed.tolist()], starts, block, order, numbers_of_buckets[placed], own)

    def buckets(self) -> Iterator[tuple[int, Visits]]:
        """The visits of each bucket, in the order of these."""
        ends = [*(np.flatnonzero(np.diff(self.numbers)) + 1).tolist(), *([len(self.names)] if self.names else [])]
        for begin, end in zip([0, *ends], ends, strict=False):
            a, b = self.starts[begin], self.starts[end]
            names, starts, numbers = self.names[begin:end], self.starts[begin : end + 1] - a, self.numbers[begin:end]
            own = None if self.advice is None else self.advice[a:b]
            yield int(numbers[0]), Visits(self.block.cut(a, b), names, starts, self.origin, self.order[a:b], numbers, own)


@dataclass(frozen=True)
class KeyedKind:
    """What is the same for all keys: the learner, and what is known of the stream."""

    learner: Any
    columns: int | None = None
    counted: bool = False
    classes: ClassMap | None = None  # of several classes: the labels by their codes in the stream
    led: bool = False  # is there a shared learner beside each key's own?

    @property
    def packed(self) -> bool:
        return is_packable(self.learner)

    def fresh(self) -> Any:
        """A runner that begins with a key's first round."""
        return runner_of(self.learner, columns=self.columns, counted=self.counted, classes=self.classes)

    def first(self) -> Any:
        """A bucket without keys."""
        own = PackedBucket(self) if self.packed else RunnerBucket(self)
        return LedBucket(own) if self.led else own

    def runner_from(self, model: Any) -> Any:
        """A runner that goes on from a model, with the codes of this stream."""
        runner = model.runner(self.columns)
        if self.classes is not None:
            runner.numbered = [self.classes.code(label) for label in model.classes]
            runner.classes = self.classes
        return runner


def is_packable(learner: Any) -> bool:
    """Has a key's state places for that key's features, and little else?"""
    if not isinstance(learner, Learner) or not learner.family.featurewise or learner.prepare is not None or learner.concepts is not None:
        return False
    small, large = learner.init(1), learner.init(2)
    growing = [len(a) != len(b) for a, b in zip(small, large, strict=True)]
    alike = all(len(b) == 2 and b[0] == b[1] for b, grows in zip(large, growing, strict=True) if grows)
    return any(growing) and alike and sum(a.nbytes for a, grows in zip(small, growing, strict=True) if not grows) <= SMALL


class PackedBucket:
    """The states of many keys in shared arrays."""

    COUNTS: tuple[tuple[str, Any, int, float], ...] = (
        ("tally", np.int64, 7, 0),
        ("measures", np.float64, 4, 0),
        ("sizes", np.int64, 4, 0),
        ("largest", np.float64, 0, 0),
        ("flags", np.bool_, 3, False),
        ("begins", np.int64, 0, 0),
        ("lengths", np.int64, 0, 0),
        ("used", np.int64, 0, 0),
        ("old_begins", np.int64, 0, 0),
        ("old_lengths", np.int64, 0, -1),
    )

    tally: np.ndarray
    measures: np.ndarray
    sizes: np.ndarray
    largest: np.ndarray
    flags: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    used: np.ndarray
    old_begins: np.ndarray
    old_lengths: np.ndarray

    def __init__(self, kind: KeyedKind) -> None:
        self.kind, learner = kind, kind.learner
        self.names: dict[str, int] = {}
        first, large = learner.init(1), learner.init(2)
        self.state_type: Any = type(first)
        self.growing = [len(a) != len(b) for a, b in zip(first, large, strict=True)]
        self.first = first
        self.table = np.empty(0, np.uint32)
        self.end = np.zeros(1, np.int64)
        self.arrays = [a[:0].copy() if grows else np.empty((0, *a.shape), a.dtype) for a, grows in zip(first, self.growing, strict=True)]
        for name, dtype, width, _ in self.COUNTS:
            setattr(self, name, np.empty((0, width) if width else 0, dtype))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        arrays = [self.table, *self.arrays, *(getattr(self, name) for name, *_ in self.COUNTS)]
        return sum(array.nbytes for array in arrays) + 160 * len(self.names)

    # ---- on the way between processes ----

    def parts(self) -> tuple[list[str], list[np.ndarray]]:
        """Its keys and its arrays as they are, for another process to go on with: quicker than a form that depends on nothing else."""
        keys, end = len(self.names), int(self.end[0])
        counts = [getattr(self, name)[:keys] for name, *_ in self.COUNTS]
        return list(self.names), [
            self.table[:end],
            *(a[: end if g else keys] for a, g in zip(self.arrays, self.growing, strict=True)),
            *counts,
        ]

    def go_on(self, parts: tuple[list[str], list[np.ndarray]]) -> None:
        """From these parts on, which are left alone."""
        names, (table, *arrays) = parts[0], [array.copy() for array in parts[1]]
        self.names, self.table, self.arrays = {name: k for k, name in enumerate(names)}, table, arrays[: len(self.arrays)]
        self.end[0] = len(table)
        for (name, *_), array in zip(self.COUNTS, arrays[len(self.arrays) :], strict=True):
            setattr(self, name, array)

    # ---- playing ----

    def play(self, visits: Visits, scores: np.ndarray | None, updates: np.ndarray | None) -> np.ndarray:
        """The predictions of these rounds; every key's state goes on from where it was."""
        block, starts, learner = visits.block, visits.starts, self.kind.learner
        keys = self._numbers(visits.names)
        self._enter(keys, starts, block)
        places = np.empty(len(block.indices), np.uint32)
        core.look_up_features(keys, starts, block.indptr, block.indices, self.table, self.begins, self.lengths, places)
        moved = replace(block, indices=places, examined=None)
        predictions = np.empty(len(block), np.bool_)
        if scores is None and learner.scored:
            scores = np.empty(len(block))
        if updates is None:
            updates = np.zeros(len(block), np.bool_)
        self._play(visits, keys, moved, predictions, scores, updates)
        weights = block.weights
        core.count_rounds(
            keys, starts, block.indptr, block.indices, block.values, block.labels, weights, predictions,
            self.tally, self.measures, self.sizes, self.largest, self.flags,
        )  # fmt: skip
        return predictions

    def _play(
        self, visits: Visits, keys: np.ndarray, block: Block, predictions: np.ndarray, scores: np.ndarray | None, updates: np.ndarray
    ) -> None:
        learner, starts, first, done = self.kind.learner, visits.starts, 0, 0
        while first < len(keys):
            if learner.native is not None:
                own = updates if learner.updates_on == "margin" else None
                first, done = learner.native.play_keys(
                    *learner.params, *self.arrays, first, keys, starts, self.begins, self.lengths,
                    block.indptr, block.indices, block.values, block.labels, block.weights if learner.weighted else None,
                    predictions, scores if learner.scored else None, own,
                )  # fmt: skip
                if first == len(keys):
                    break
            a, b = int(starts[first]) + done, int(starts[first + 1])
            state, rest = self.state_at(keys[first]), block.cut(a, b)
            marks = None if scores is None else scores[a:b]
            reached = play_through(learner, state, rest, predictions[a:b], marks, updates[a:b])
            if reached < b - a:
                where = int(visits.order[a + reached])
                refuse_broken(learner, state, visits.origin, where)
                raise LittlestoneError(f"{visits.origin.round(where)}: {learner.name}: the pass stopped")
            first += 1

    def state_at(self, key: int) -> Any:
        """A key's state, sharing memory: its columns are its places."""
        begin, end = self.begins[key], self.begins[key] + self.lengths[key]
        state = [a[begin:end] if grows else a[key] for a, grows in zip(self.arrays, self.growing, strict=True)]
        return self.state_type(*state) if hasattr(self.state_type, "_fields") else tuple(state)

    def _numbers(self, names: Sequence[str]) -> np.ndarray:
        """The numbers of these keys; new ones have a first state."""
        numbers = self.names
        before = len(numbers)
        keys = number_in(numbers, names)
        if len(numbers) > len(self.begins):
            self._room_for(max(len(numbers), before + before // 4, 16))
        if len(numbers) > before:
            self.tally[before : len(numbers), 6] = -1
            self.sizes[before : len(numbers)] = (-1, LARGEST_INDEX, 0, 0)
            self.old_lengths[before : len(numbers)] = -1
            for array, first, grows in zip(self.arrays, self.first, self.growing, strict=True):
                if not grows:
                    array[before : len(numbers)] = first
        return keys

    def _room_for(self, keys: int) -> None:
        for name, _, _, fill in self.COUNTS:
            setattr(self, name, longer(getattr(self, name), keys, fill))
        self.arrays = [a if grows else longer(a, keys, 0) for a, grows in zip(self.arrays, self.growing, strict=True)]

    def _enter(self, keys: np.ndarray, starts: np.ndarray, block: Block) -> None:
        """Let all features have places, and states follow."""
        live = int(self.lengths[: len(self.names)].sum())
        if self.end[0] > live + live // 4 + 1024:
            self._close_gaps()
        first = 0
        while first < len(keys):
            first, need = core.enter_features(
                first, keys, starts, block.indptr, block.indices, self.table, self.begins, self.lengths, self.used,
                self.old_begins, self.old_lengths, self.end,
            )  # fmt: skip
            if first < len(keys):
                room = max(len(self.table) + len(self.table) // 8, int(self.end[0]) + need, 64)
                self.table = longer(self.table, room, NO_FEATURE)
        for j, (first_value, grows) in enumerate(zip(self.first, self.growing, strict=True)):
            if grows:
                self.arrays[j] = longer(self.arrays[j], len(self.table), first_value[0])
        self._move(keys[self.old_lengths[keys] >= 0])
        self.old_lengths[keys] = -1

    def _move(self, keys: np.ndarray) -> None:
        """Let the states of keys that have new stretches follow their features there; new places hold what a first state holds."""
        if not len(keys):
            return
        before = ranges(self.old_begins[keys], self.old_lengths[keys])
        counts = self.old_lengths[keys]
        owner, there = np.repeat(np.arange(len(keys)), counts), self.table[before] != NO_FEATURE
        before, owner = before[there], owner[there]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(keys))))).astype(np.int64)
        places = np.empty(len(before), np.uint32)
        features = self.table[before]
        core.look_up_features(keys, np.arange(len(indptr)), indptr, features, self.table, self.begins, self.lengths, places)
        after, fresh = self.begins[keys[owner]] + places, ranges(self.begins[keys], self.lengths[keys])
        for array, first_value, grows in zip(self.arrays, self.first, self.growing, strict=True):
            if grows:
                array[fresh] = first_value[0]
                array[after] = array[before]

    def _close_gaps(self) -> None:
        """Leave out the stretches that were left."""
        begins, lengths = self.begins[: len(self.names)], self.lengths[: len(self.names)]
        ends = np.cumsum(lengths)
        places = ranges(begins, lengths)
        self.table = self.table[places]
        self.arrays = [a[places] if grows else a for a, grows in zip(self.arrays, self.growing, strict=True)]
        begins[:] = ends - lengths
        self.end[0] = len(self.table)

    # ---- predicting, without learning ----

    def predict(self, visits: Visits, scores: np.ndarray | None) -> np.ndarray:
        """What each key's learner would say of these rounds; those of a key that is not here are said by the first state."""
        learner, block, starts = self.kind.learner, visits.block.silent(), visits.starts
        known = np.array([self.names.get(name, -1) for name in visits.names], np.int64)
        predictions = np.empty(len(block), np.bool_)
        for v, key in enumerate(known.tolist()):
            part = block.cut(starts[v], starts[v + 1])
            features = np.empty(0, np.uint32) if key < 0 else self.features_of(key)[0]
            columns, indices = np.unique(np.concatenate((features, part.indices)), return_inverse=True)
            state = learner.init(max(1, len(columns)))
            if key >= 0:
                state = self.state_for(key, np.searchsorted(columns, features), len(columns))
            part = replace(part, indices=indices[len(features) :].astype(np.uint32), examined=None)
            marks = None if scores is None else scores[starts[v] : starts[v + 1]]
            play_through(learner, state, part, predictions[starts[v] : starts[v + 1]], marks)
        return predictions

    # ---- one key ----

    def features_of(self, key: int) -> tuple[np.ndarray, np.ndarray]:
        """The features of a key, ascending, and their places in the pool."""
        begin, end = self.begins[key], self.begins[key] + self.lengths[key]
        places = np.flatnonzero(self.table[begin:end] != NO_FEATURE) + begin
        features = self.table[places]
        order = np.argsort(features)
        return features[order], places[order]

    def state_for(self, key: int, columns: np.ndarray, width: int) -> Any:
        """A key's state with its features in these columns of so many, in memory of its own."""
        _, places = self.features_of(key)
        state = list(self.kind.learner.init(max(1, width)))
        for j, grows in enumerate(self.growing):
            if grows:
                state[j][columns] = self.arrays[j][places]
            else:
                state[j][...] = self.arrays[j][key]
        return self.state_type(*state) if hasattr(self.state_type, "_fields") else tuple(state)

    def runner(self, name: str) -> Any:
        """The runner that this key's rounds alone would have made."""
        key, kind = self.names[name], self.kind
        top, bottom, nonzeros, widest = self.sizes[key].tolist()
        fractions, negative, weighted = self.flags[key].tolist()
        tally, measures = tuple(self.tally[key].tolist()), tuple(self.measures[key].tolist())
        counts = RunnerCounts(tally, measures, top, bottom, nonzeros, widest, float(self.largest[key]), not fractions, weighted, negative)
        width = kind.columns if kind.columns is not None else top + 1
        features, _ = self.features_of(key)
        state = self.state_for(key, features, width)
        return Runner(kind.learner, columns=kind.columns, state=state, counted=kind.counted, accounts=counts)

    # ---- at rest ----

    STATED = ("tally", "measures", "sizes", "largest", "flags")

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Plain arrays that depend on the keys and their rounds alone: keys in the order of their bytes, a key's features ascending."""
        names = _in_order(self.names)
        keys = np.array([self.names[name] for name in names], np.int64)
        lengths = self.lengths[: len(self.names)]
        places = ranges(self.begins[: len(self.names)], lengths)
        there = self.table[places] != NO_FEATURE
        counts = np.bincount(np.repeat(np.arange(len(lengths)), lengths)[there], minlength=len(lengths))
        places = places[there]
        features = self.table[places]
        rank = np.empty(len(keys), np.int64)
        rank[keys] = np.arange(len(keys))
        order = np.lexsort((features, np.repeat(rank, counts)))
        arrays = {**_spelled(names), "features": features[order], "feature_ends": np.cumsum(counts[keys])}
        for name in self.STATED:
            arrays[name] = getattr(self, name)[keys]
        for j, grows in enumerate(self.growing):
            arrays[f"state/{j}"] = self.arrays[j][places[order]] if grows else self.arrays[j][keys]
        return arrays

    def fill(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over what `to_arrays` gave; what does not fit together is refused."""
        names = _names(arrays)
        ends, features = arrays["feature_ends"], arrays["features"]
        expected = dict[str, tuple]()
        for name, dtype, width, _ in self.COUNTS[:5]:
            expected[name] = (np.dtype(dtype), (len(names), width) if width else (len(names),))
        expected |= {"features": (np.dtype(np.uint32), (len(features),)), "feature_ends": (np.dtype(np.int64), (len(names),))}
        for j, (first, grows) in enumerate(zip(self.first, self.growing, strict=True)):
            expected[f"state/{j}"] = (first.dtype, (len(features),) if grows else (len(names), *first.shape))
        for name, (dtype, shape) in expected.items():
            fits = name in arrays and arrays[name].dtype == dtype and arrays[name].shape == shape
            require(fits, f"{name} has type and shape that do not fit {len(names)} keys of {self.kind.learner!r}")
        require(set(arrays) == {*expected, "names", "name_ends"}, f"has other arrays than {', '.join(expected)}")
        counts = np.diff(ends, prepend=0)
        whole = (counts >= 0).all() and (ends[-1:] == len(features)).all() and (len(ends) or not len(features))
        require(whole and features.max(initial=0) <= LARGEST_INDEX, "its features do not fit its keys")
        keys = self._numbers(names)
        block = Block(np.concatenate(([0], ends)), features, None, np.full(len(names), -1, np.int32))
        starts = np.arange(len(names) + 1)
        self._enter(keys, starts, block)
        require((self.used[: len(names)] == counts).all(), "a key has a feature twice")
        places = np.empty(len(features), np.uint32)
        core.look_up_features(keys, starts, block.indptr, features, self.table, self.begins, self.lengths, places)
        at = np.repeat(self.begins[: len(names)], counts) + places
        for j, grows in enumerate(self.growing):
            self.arrays[j][at if grows else keys] = arrays[f"state/{j}"]
        for name in self.STATED:
            getattr(self, name)[: len(names)] = arrays[name]

    def check(self) -> None:
        """Refuse states that no run can have left: of bytes that anybody may have written."""
        learner = self.kind.learner
        for name, key in self.names.items():
            try:
                features, _ = self.features_of(key)  # a state is made as wide as the sizes say
                require(self.sizes[key, 0] == features.max(initial=0), "its largest index is not that of its features")
                require(self.runner(name).accounts().sound, "its counts cannot be those of a run")
                if learner.sound is not None:
                    learner.sound(learner.params, self.state_at(key))
            except LittlestoneError as error:
                raise LittlestoneError(f"key {name!r}: {error}") from None


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=bytes_of_key)


def _spelled(names: Sequence[str]) -> dict[str, np.ndarray]:
    return _joined("name", list(map(bytes_of_key, names)))


def _joined(what: str, parts: Sequence[bytes]) -> dict[str, np.ndarray]:
    """Texts as one array of bytes, and where each ends."""
    return {
        f"{what}s": np.frombuffer(b"".join(parts), np.uint8),
        f"{what}_ends": np.fromiter(accumulate(map(len, parts)), np.int64, len(parts)),
    }


def _parts(letters: np.ndarray, ends: np.ndarray) -> list[bytes]:
    """The same again."""
    sound = letters.dtype == np.uint8 and letters.ndim == 1 and ends.dtype == np.int64 and ends.ndim == 1
    sound = sound and bool((np.diff(ends, prepend=0) >= 0).all()) and int(ends[-1] if len(ends) else 0) == len(letters)
    require(sound, "its keys do not fit together")
    text = letters.tobytes()
    return [text[a:b] for a, b in zip([0, *ends.tolist()], ends.tolist(), strict=False)]


def _names(arrays: dict[str, np.ndarray]) -> list[str]:
    """The keys of a bucket at rest."""
    try:
        names = [name.decode("utf-8", "surrogatepass") for name in _parts(arrays["names"], arrays["name_ends"])]
    except UnicodeDecodeError:
        raise LittlestoneError("a key is no UTF-8 text") from None
    require(len(set(names)) == len(names), "a key stands there twice")
    return names


def longer(array: np.ndarray, length: int, fill: Any) -> np.ndarray:
    """The same with room for more, filled so; itself where it is long enough."""
    if len(array) >= length:
        return array
    other = np.full((length, *array.shape[1:]), fill, array.dtype)
    other[: len(array)] = array
    return other


# ---- a runner for each key ----


class RunnerBucket:
    """A runner for each key: of learners that cannot be packed."""

    def __init__(self, kind: KeyedKind) -> None:
        self.kind = kind
        self.names: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.names)

    @property
    def nbytes(self) -> int:
        return sum(2**12 + sum(array.nbytes for array in _arrays(runner)) for runner in self.names.values())

    def play(self, visits: Visits, scores: np.ndarray | None, updates: np.ndarray | None) -> np.ndarray:
        parts = []
        for v, name in enumerate(visits.names):
            part = slice(visits.starts[v], visits.starts[v + 1])
            if name not in self.names:
                self.names[name] = self.kind.fresh()
            own = visits.block.cut(part.start, part.stop)
            marks = None if scores is None else scores[part]
            try:
                parts.append(self.names[name].take(own, marks, None if updates is None else updates[part]))
            except LittlestoneError as error:
                raise LittlestoneError(f"key {name!r}: {error}") from None
        return np.concatenate(parts)

    def predict(self, visits: Visits, scores: np.ndarray | None) -> np.ndarray:
        parts = []
        for v, name in enumerate(visits.names):
            part = slice(visits.starts[v], visits.starts[v + 1])
            runner = self.names[name].copy() if name in self.names else self.kind.fresh()
            marks = None if scores is None else scores[part]
            parts.append(runner.take(visits.block.cut(part.start, part.stop).silent(), marks))
        return np.concatenate(parts)

    def runner(self, name: str) -> Any:
        return self.names[name]

    def parts(self) -> dict[str, np.ndarray]:
        """A runner is made of what it has learned: there is no quicker form to send."""
        return self.to_arrays()

    def go_on(self, parts: dict[str, np.ndarray]) -> None:
        self.fill(parts)

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The same as of packed states: each key with the bytes of its model file."""
        names = _in_order(self.names)
        return {**_spelled(names), **_joined("model", [bytes_of(Model.of(self.names[name])) for name in names])}

    def fill(self, arrays: dict[str, np.ndarray]) -> None:
        names = _names(arrays)
        require(set(arrays) == {"names", "name_ends", "models", "model_ends"}, "has other arrays than its keys and their models")
        models = _parts(arrays["models"], arrays["model_ends"])
        require(len(models) == len(names), f"has {len(models)} models of {len(names)} keys")
        for name, data in zip(names, models, strict=True):
            model = model_of_bytes(data, self.kind.learner)
            same = model.kind == self.kind.learner.kind and repr(model.learner) == repr(self.kind.learner)
            require(same, f"key {name!r} has a model of {model.learner!r}; expected {self.kind.learner!r}")
            model.learner = self.kind.learner
            self.names[name] = self.kind.runner_from(model)

    def check(self) -> None:
        """A model file is checked as it is read."""


def _arrays(runner: Any) -> list[np.ndarray]:
    state = getattr(runner, "state", None)
    return [array for array in state if isinstance(array, np.ndarray)] if isinstance(state, tuple) else []


def play_bucket(
    kind: KeyedKind, bucket: Any, visits: Visits, scores: np.ndarray | None = None, updates: np.ndarray | None = None
) -> np.ndarray:
    """The predictions of a bucket's rounds, in the order of the visits; the bucket goes on from where it was.

    A function of the bucket and the rounds: nothing else decides what comes out, and nothing else is changed.
    """
    require(bucket.kind.learner is kind.learner, "a bucket is of another learner")
    return bucket.play(visits, scores, updates)
