"""Rounds in ranges that workers hold: what files have, they read where it lies; what lies here is sent."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from littlestone.api.keyed import gathered
from littlestone.protocol import Block
from littlestone.protocol import workers as sending
from littlestone.protocol.far import Far, FarBlock, Gate, outline
from littlestone.streams.parts import rows_there

RANGE = 2**23  # features and rows of a range that is sent
TOGETHER = 8  # ranges of a run by key that are played at a time: each is held several times over meanwhile
AHEAD = 1  # ranges that members may begin with before one is heard: three gained nothing


def gate_of(runner: Any) -> Gate:
    """What the rounds of a runner must pass, as it is sent."""
    learner = runner.learner
    known = SimpleNamespace(name=learner.name, n=learner.n, domain=learner.domain, weighted=learner.weighted)
    return Gate(known, runner.columns, runner.counted, runner.most)


def ranges_for(workers: Any, runner: Any, blocks: Iterable[Block], *, boolean: bool, keyed: bool) -> Iterator[Block]:
    """The rounds as workers hold them; the next ranges are on their way while one is played. `boolean`: presence is taken for value."""
    gate, waiting = workers.send(gate_of(runner)), list[tuple[Far, list[Block]]]()
    for task, held in _tasks(workers, gate, blocks, boolean, keyed):
        if task is None:  # a few rounds: sending them would take longer than playing them
            yield from _all_of(workers, gate, waiting, keyed)
            yield from held
            continue
        waiting.append((Far(workers, gate, (task,), ()), held))
        if len(waiting) > (TOGETHER if keyed else AHEAD):
            yield from _all_of(workers, gate, waiting, keyed, last=False)
    yield from _all_of(workers, gate, waiting, keyed)


def _all_of(workers: Any, gate: Any, waiting: list[tuple[Far, list[Block]]], keyed: bool, *, last: bool = True) -> Iterator[Block]:
    """The ranges that are waiting: all at once of a run by key; else one by one, the last ones only where nothing comes after them."""
    if keyed and waiting:
        together = waiting.copy()
        waiting.clear()
        tasks = [task for far, _ in together for task in far.tasks]
        yield FarBlock.of(Far.of(workers, gate, *tasks), [block for _, held in together for block in held])
    while len(waiting) > (0 if last else AHEAD):
        far, held = waiting.pop(0)
        after = tuple(later for later, _ in waiting)
        yield FarBlock.of(replace(Far.of(workers, gate, *far.tasks), after=after, begun=far.begun), held)


def _tasks(workers: Any, gate: Any, blocks: Iterable[Block], boolean: bool, keyed: bool) -> Iterator[tuple[Any, list[Block]]]:
    """Tasks that give ranges, each with the blocks that it has; no task for a few rounds."""
    for part, own in groupby(blocks, lambda block: None if block.part is None else block.part.rows):
        if part is None:
            for block in gathered(own) if keyed else Block.ranges(own, RANGE):
                yield None if len(block.indices) <= sending.SENT else workers.submit(Gate.looked, gate, block), [block]
            continue
        held = list(own)
        whole, columns = Block.joined(list(map(outline, held))), held[0].part.names.columns
        lines = [int(block.lines[0]) if len(block) and block.lines is not None else 0 for block in held]
        known = (columns, whole.labels, whole.weights, lines, held[0].first_round, boolean, held[0].part.sorts)
        yield workers.submit(rows_there, gate, part, *known), held
