"""What of a certificate can be made elsewhere: the search for the witnesses of a bound, the certificate of a member, those of some keys.

Each is a pure function of what it is sent, and searches count their work and look at no clock; so the certificate is that of one machine.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone.api.rows import PlayedRows
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block, Run
from littlestone.theory import Bound
from littlestone.theory.claims import Candidate
from littlestone.witnesses.floor import FLOORS
from littlestone.witnesses.searches import SEARCHES
from littlestone.witnesses.taught_rounds import Played


@dataclass(frozen=True)
class Always:
    """A function of nothing that can be sent."""

    value: Any

    def __call__(self) -> Any:
        return self.value


@dataclass(frozen=True)
class HeldBlocks:
    """Rounds in memory, as often as they are asked for; as another process gets them."""

    blocks: tuple[Block, ...]

    def __call__(self) -> Iterator[Block]:
        return iter(self.blocks)


def search_of(bound: str) -> Callable[[Played, float], Iterable[Candidate]] | None:
    """Who looks for the witnesses of a bound."""
    return FLOORS.get(bound) or SEARCHES.get(bound.removeprefix("conservative-"))


def searched(workers: Any, bounds: Iterable[Bound], played: Played, effort: float) -> dict[str, list[Candidate]]:
    """What the search for each bound finds, by workers."""
    names = [bound.name for bound in bounds if bound.kind == "hindsight" and search_of(bound.name) is not None]
    sent = workers.send(movable(played))
    return dict(zip(names, workers.gather([workers.submit(search_apart, name, sent, effort) for name in names]), strict=True))


def search_apart(bound: str, played: Played, effort: float) -> list[Candidate]:
    """All that a search finds, as a task."""
    search = search_of(bound)
    assert search is not None
    return list(search(replace(played, memo={}), effort))


def movable(played: Played) -> Played:
    """The same, without what only this process has."""
    blocks = () if played.again is None else tuple(block.copy() for block in played.again())
    return replace(played, run=still(played.run), again=HeldBlocks(blocks), memo={})


def still(run: Run) -> Run:
    """A run that measures nothing more, and makes nothing. What a panel has learned is large, and no search looks at it."""
    measure: Any = Always(np.array(run._measured))
    state = () if isinstance(run.learner, Panel) else run.state
    return replace(run, state=state, measure=measure, make_model=None, make_frame=None, again=None, recent=None, labels=None)


def movable_rows(rows: PlayedRows) -> PlayedRows:
    """The rounds of a run as another process gets them."""
    blocks = HeldBlocks(tuple(block.copy() for block in rows.once()))
    names = None if rows.names is None else list(rows.names)
    return replace(rows, source=blocks, kept=None, names=names, labels=Always(rows.labels()), reading=Always(rows.reading()), arrived=None)


def shares(names: list[Any], workers: Any) -> list[list[Any]]:
    """Names in some groups for each worker, in turn."""
    count = min(len(names), 4 * workers.count)
    return [names[k::count] for k in range(count)]


def joined(names: Iterable[Any], parts: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """What was made in groups, in the order of the names."""
    whole = {name: value for part in parts for name, value in part.items()}
    return {name: whole[name] for name in names}
