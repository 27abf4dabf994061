"""What a learner keeps: a state is named arrays, and each is declared with its type, its first numbers and how it grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.protocol.soundness import lengths, within

FEATURES = "features"


@dataclass(frozen=True, eq=False)
class Column:
    """One array of a state. A `NamedTuple` whose defaults are columns declares all of them.

    >>> from typing import Any, NamedTuple
    >>> class State(NamedTuple):
    ...     w: Any = Column()
    ...     tally: Any = Column(np.int64, [0, 1], account=True)
    >>> Layout.of(State).init(3)
    State(w=array([0., 0., 0.]), tally=array([0, 1]))
    """

    dtype: Any = np.float64
    fill: Any = 0  # in every place of a first state; or a list, a number for each place
    size: Any = FEATURES  # how many places: as many as there is room for features, or a number; None where the learner decides
    within: Any = None  # the least and the most that a run can leave there, or lists of them
    account: bool = False  # does it only keep accounts, so that no later prediction depends on it?
    negated: Any = None  # places that change their sign when the labels are exchanged
    exchanged: Any = None  # the array that has these numbers when the labels are exchanged, or in which order its own places have them

    @property
    def places(self) -> int | None:
        """How many places it always has; None where that depends."""
        return len(self.fill) if isinstance(self.fill, list | tuple) else None if self.size == FEATURES else self.size

    def init(self, room: int) -> np.ndarray:
        """The array of a first state."""
        if isinstance(self.fill, list | tuple):
            return np.array(self.fill, self.dtype)
        size = room if self.size == FEATURES else self.size
        return np.full(size, self.fill, self.dtype) if self.fill else np.zeros(size, self.dtype)

    def mirrored(self, state: Any, own: np.ndarray) -> np.ndarray:
        """A copy as it would be with the labels exchanged."""
        if isinstance(self.exchanged, str):
            return getattr(state, self.exchanged).copy()
        other = own.copy() if self.exchanged is None else own[list(self.exchanged)]
        if self.negated is not None:
            other[self.negated] *= -1
        return other


EVERYWHERE = np.s_[:]  # of `negated`: all places
PLAIN = Column()


@dataclass(frozen=True)
class Room:
    """How a state makes room for itself, where it remembers more than so many numbers for each feature."""

    prepare: Callable[[Any, Any], tuple]  # prepare(state, block): with room for what a block will add; or refuses the block
    compact: Callable[[Any], tuple] | None = None  # a state without the spare room: capacity is no part of a result
    enough: Callable[..., bool] | None = None  # enough(*params, *state): is there room for one more row, whatever it holds?


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a state, and what they do not say of it."""

    columns: Any = field(default_factory=dict)  # a NamedTuple with a `Column` for each array; or a mapping, beside `first`
    first: Callable[[int], tuple] | None = None  # the first state with so much room, where the columns alone do not say it
    sound: Callable[[Any, Any], None] | None = None  # sound(params, state): refuses, by name, what no run can have left in columns together
    broken: Callable[[tuple], str] | None = None  # broken(state): why it cannot go on, "" while it can
    room: Room | None = None
    spaced: bool = False  # may its arrays have gaps, and indices be multiplied to match? No rule keeps an index, or asks how long one is

    @classmethod
    def of(cls, declared: Any) -> Layout:
        """What a learner declares: a layout, the columns alone, or a function that makes the first state."""
        if isinstance(declared, Layout):
            return declared
        return cls(declared) if isinstance(declared, type) else cls(first=declared)

    def __post_init__(self) -> None:
        every = self.declared.values() if isinstance(self.columns, Mapping) else [self.declared.get(name) for name in self.columns._fields]
        require(all(isinstance(column, Column) for column in every), "expected a Column for each array of a state")
        require(self.first is not None or not isinstance(self.columns, Mapping), "expected a NamedTuple of columns, or a function `first`")

    @property
    def declared(self) -> Mapping[str, Column]:
        """The columns by their names."""
        return self.columns if isinstance(self.columns, Mapping) else self.columns._field_defaults

    @property
    def code(self) -> Any:
        """A part of its own: the file in which it stands is the learner's."""
        return self.columns if self.first is None else self.first

    def init(self, room: int) -> tuple:
        """The first state, with room for that many features."""
        if self.first is not None:
            return self.first(room)
        return self.columns(*(column.init(room) for column in self.declared.values()))

    @property
    def accounts(self) -> tuple[str, ...]:
        """The arrays on which no later prediction depends."""
        return tuple(name for name, column in self.declared.items() if column.account)

    @property
    def check(self) -> Callable[[Any, Any], None] | None:
        """What refuses, by name, a state that no run can have left; None where every state of these lengths and types is one."""
        return self._check if self.sound is not None or any(column.within for column in self.declared.values()) else None

    def _check(self, params: Any, state: Any) -> None:
        lengths(state, **{name: size for name, column in self.declared.items() if (size := column.places) is not None})
        within(state, **{name: column.within for name, column in self.declared.items() if column.within is not None})
        if self.sound is not None:
            self.sound(params, state)

    @property
    def mirrored(self) -> Callable[[Any], Any] | None:
        """What makes the state that the exchanged labels would have left; None where that is not known."""
        known = any(column.negated is not None or column.exchanged is not None for column in self.declared.values())
        return self._mirrored if known else None

    def _mirrored(self, state: Any) -> Any:
        columns = self.declared
        return type(state)(*(columns.get(name, PLAIN).mirrored(state, getattr(state, name)) for name in state._fields))
