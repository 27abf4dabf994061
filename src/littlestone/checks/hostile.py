"""A model file cannot harm whoever loads it: states of real models, changed and sealed again, are refused by name or give answers.

They are loaded and used in a process of their own, with a limit of time and memory for each: a crash or a hang ends that process alone.
"""

import faulthandler
import os
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from littlestone.api import play as front
from littlestone.checks import draws
from littlestone.errors import LittlestoneError
from littlestone.models import load
from littlestone.models.file import read, sealed
from littlestone.protocol import Block, Learner

STATES = 40  # of each learner, unless more are asked for
SECONDS, MEGABYTES = 10, 512  # for one state, to load it and to use it: of the processor's time, and ten times as much by the clock
ROUNDS = 30
STATM = Path("/proc/self/statm")  # how large this process is, where the system tells


def check_hostile_states_are_refused_or_harmless(learner: Any, states: int = STATES, seed: int = 0) -> Counter[str]:
    """How many states were refused, and how many gave answers."""
    if not hasattr(os, "fork"):
        return Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound.littlestone"
        try:
            trained(learner).save(path)
        except LittlestoneError:
            return Counter()  # its settings are no text
        used(load(path, learner), learner)  # a sound one; and what it takes is compiled
        return in_a_process_of_their_own(lambda: attacks(path, learner, states, seed))


def attacks(path: Path, learner: Any, states: int, seed: int) -> Iterator[str]:
    """Load and use so many changed states; after each, what came of it."""
    head, arrays = read(path)
    names = [name for name in arrays if name.startswith("state/")]
    hostile = path.with_name("hostile.littlestone")
    for k in range(states):
        chance = Random(f"{seed} {k}")
        hostile.write_bytes(sealed(head, arrays | mutated({name: arrays[name] for name in names}, chance)))
        yield f"state {k} of seed {seed}"
        try:
            model = load(hostile, learner)
        except LittlestoneError:
            yield "refused"
            continue
        try:
            used(model, learner)
        except LittlestoneError:  # it may find out later that it cannot go on
            yield "refused"
        else:
            yield "answered"


# ---- states ----


def trained(learner: Any) -> Any:
    """A model that has learned from some rounds."""
    model = learner.start()
    for x, y in rounds(learner, Random(1988), ROUNDS):
        model.observe(x) if y is None else model.observe(x, y)
    return model


def rounds(learner: Any, chance: Random, count: int) -> Iterator[tuple[Any, Any]]:
    """Rounds as a model of this kind takes them, one by one."""
    if learner.kind == "advice":
        for _ in range(count):
            row = np.array([float(chance.random() < 0.5) for _ in range(learner.n)], np.float32)
            yield row, chance.random() if learner.gradient else None if learner.advice == "loss" else chance.random() < 0.5
        return
    for indices, values, y in block_of(learner, chance, count).rounds():
        yield (indices, values), (int(y) if learner.kind == "several classes" else bool(y == 1))


def block_of(learner: Any, chance: Random, count: int) -> Block:
    n = draws.width(learner)
    instances: list = [draws.subset(chance, n) for _ in range(count)]
    if learner.domain != "boolean":
        instances = [{i: draws.value(chance, learner, False) for i in row} for row in instances]
    return draws.block_of(learner, instances, [chance.randrange(3 if learner.kind == "several classes" else 2) for _ in range(count)])


def mutated(arrays: dict[str, np.ndarray], chance: Random) -> dict[str, np.ndarray]:
    """One array changed, or two, or all of them alike."""
    names = list(arrays)
    if chance.random() < 0.1:
        change = chance.choice((longer, shorter))
        return {name: change(array, chance) for name, array in arrays.items()}
    chosen = chance.sample(names, min(len(names), chance.choice((1, 1, 1, 2, 3))))
    changed = {name: chance.choice(CHANGES)(arrays[name], chance) for name in chosen}
    if chance.random() < 0.05:
        changed[chosen[0]] = arrays[chance.choice(names)]
    return changed


def extremes(dtype: np.dtype) -> list:
    if dtype.kind == "f":
        return [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 5e-324, 2.0**53, 2.0**63, 1e-300, np.nan, np.inf, -np.inf, 3.0, 700.0]
    if dtype.kind == "b":
        return [True, False]
    limits = np.iinfo(dtype)
    return [
        value
        for value in (0, 1, -1, 2, 7, 64, 1000, limits.max, limits.min, limits.max - 1, 2**31 - 1)
        if limits.min <= value <= limits.max
    ]


def one_place(array: np.ndarray, chance: Random) -> np.ndarray:
    array = array.copy()
    if array.size:
        array.flat[chance.randrange(array.size)] = cast(chance.choice(extremes(array.dtype)), array)
    return array


def everywhere(array: np.ndarray, chance: Random) -> np.ndarray:
    return np.full_like(array, cast(chance.choice(extremes(array.dtype)), array))


def scaled(array: np.ndarray, chance: Random) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (array.astype(np.float64) * chance.choice((-1, 2, 1e10, 1e200))).astype(array.dtype)


def shuffled(array: np.ndarray, chance: Random) -> np.ndarray:
    return array.flat[chance.sample(range(array.size), array.size)].reshape(array.shape)


def random_numbers(array: np.ndarray, chance: Random) -> np.ndarray:
    return np.array([chance.randrange(-3, 12) for _ in range(array.size)]).astype(array.dtype).reshape(array.shape)


def longer(array: np.ndarray, chance: Random) -> np.ndarray:
    return np.concatenate([array, array])


def shorter(array: np.ndarray, chance: Random) -> np.ndarray:
    return array[: chance.choice((0, len(array) // 2, -1))] if array.ndim else array


def another_type(array: np.ndarray, chance: Random) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array.astype(chance.choice([np.float32, np.float64, np.int8, np.int32, np.int64, np.uint64, np.bool_]))


def another_shape(array: np.ndarray, chance: Random) -> np.ndarray:
    return chance.choice((array[None], array[..., None], array.ravel()[:1].reshape(()) if array.size else array))


def cast(value: Any, array: np.ndarray) -> Any:
    return np.asarray(value).astype(array.dtype)


CHANGES: list[Callable[[np.ndarray, Random], np.ndarray]] = [
    *[one_place] * 5, *[everywhere] * 3, scaled, shuffled, *[random_numbers] * 2, longer, shorter, another_type, another_shape,
]  # fmt: skip


def used(model: Any, learner: Any) -> None:
    """Everything that reads or writes a state: events, a batch, bounds, an explanation, another file."""
    chance = Random(7)
    for x, y in rounds(learner, chance, 6):
        if learner.kind != "advice" or learner.advice != "loss":
            model.predict(x)
        model.observe(x) if y is None else model.observe(x, y)
    if isinstance(learner, Learner):
        run = front.play(model, block_of(learner, chance, 6))
        assert len(run.predictions) == 6
        model.explain(next(rounds(learner, chance, 1))[0])


# ---- the process ----


def in_a_process_of_their_own(work: Callable[[], Iterator[str]]) -> Counter[str]:
    """What the work says of itself, counted; it is killed where it takes too long, and fails where it dies or raises."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:  # never back into the caller
        os.close(ours)
        _work(work, theirs)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as report:
        lines = report.read().split("\n")
    _, status = os.waitpid(child, 0)
    *done, last = [line for line in lines if line] or ["nothing"]
    why = "hangs" if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF) else "crashes"
    assert status == 0, f"{last} {why}" if os.WIFSIGNALED(status) else f"{' '.join(done[-1:])}: {last}"
    return Counter(line for line in (*done, last) if " " not in line)


def _work(work: Callable[[], Iterator[str]], pipe: int) -> None:
    code = 1
    try:
        faulthandler.disable()  # the caller tells what happened
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)
        if STATM.exists():
            import resource

            pages = int(STATM.read_text().split()[0])
            resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEGABYTES * 2**20, resource.RLIM_INFINITY))
        for line in work():
            signal.alarm(10 * SECONDS)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            os.write(pipe, f"{line}\n".encode())
        code = 0
    except BaseException:
        text = " | ".join(traceback.format_exc().splitlines()[-7:])
        os.write(pipe, f"raises {text}\n".encode())
    finally:
        os._exit(code)
