"""A panel of the native core over the arrays of one state, for events: what its members keep of a feature lies side by side."""

from __future__ import annotations

from typing import Any

from littlestone.learners.reductions._table import Table


class Sitting:
    """A state, laid out for events, and the panel that plays them; it keeps the row that it was asked last, so it is for one thread."""

    def __init__(self, table: Table, state: tuple) -> None:
        self.table = table
        self.state = state if table.is_spaced(state) else table.spaced(state) or state
        self.native = table.native_for(self.state)
        if self.native is not None:
            self.predict, self.score, self.update = self.native.predict, self.native.score, self.native.update

    def moved(self, state: tuple) -> Sitting:
        """Go on with another state."""
        return Sitting(self.table, state)

    def grown(self, room: int) -> tuple | None:
        """The state with room for so many features, where it is laid out in a way of its own."""
        return self.table.spaced(self.state, room)


def sitting(table: Table, state: tuple) -> Sitting | None:
    """A panel of the native core over a state; None where its members or its rule are no part of the core."""
    seated: Any = Sitting(table, state)
    return None if seated.native is None else seated
