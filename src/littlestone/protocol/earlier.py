"""Words in which learners were declared before: files that say them load for one more version, with a message."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.protocol.layout import FEATURES, Column, Layout, Room

PLACES = ("name", "settings", "params", "state", "algorithm")
NEW = {
    "init": "state=",
    "kernels": "algorithm=",
    "native": "algorithm=",
    "n": "settings['n']",
    "needs_n": "with_n=",
    "concepts": "settings['concepts']",
    "ledger": "Column(account=True)",
    "mirrored": "Column(negated=...)",
    "sound": "Layout(sound=...)",
    "broken": "Layout(broken=...)",
    "spaced": "Layout(spaced=...)",
    "prepare": "Layout(room=Room(...))",
    "compact": "Layout(room=Room(...))",
    "roomy": "Layout(room=Room(...))",
}


@dataclass(frozen=True, eq=False)
class EarlierLayout(Layout):
    """What a declaration of before says beside the columns."""

    n: int | None = None
    concepts: Any = None
    exchange: Callable[[Any], Any] | None = None

    @property
    def mirrored(self) -> Callable[[Any], Any] | None:
        return self.exchange


def in_todays_words(declaration: Mapping[str, Any]) -> dict[str, Any]:
    """The same declaration as `Learner` takes it today."""
    before = {word: declaration[word] for word in NEW if word in declaration}
    today = {word: value for word, value in declaration.items() if word not in NEW}
    if "init" in before:
        today["state"] = before["init"]
    algorithms = [before[word] for word in ("kernels", "native") if before.get(word) is not None]
    if algorithms:
        today["algorithm"] = algorithms[0]
    if before.get("needs_n") is False:
        today["with_n"] = None
    elif before.get("needs_n") and today.get("with_n") is None:
        today["with_n"] = lambda n: _refuse(declaration["name"])
    layout = Layout.of(today["state"])
    columns = {**layout.declared, **{name: Column(size=FEATURES, account=True) for name in before.get("ledger", ())}}
    room = Room(before["prepare"], before.get("compact"), before.get("roomy")) if before.get("prepare") else layout.room
    today["state"] = EarlierLayout(
        columns if "ledger" in before else layout.columns,
        layout.init if "ledger" in before else layout.first,
        before.get("sound", layout.sound),
        before.get("broken", layout.broken),
        room,
        before.get("spaced", layout.spaced),
        before.get("n", getattr(layout, "n", None)),
        before.get("concepts", getattr(layout, "concepts", None)),
        before.get("mirrored", layout.mirrored),
    )
    return today


def _refuse(name: str) -> Any:
    raise LittlestoneError(f"{name} needs n, the number of features: its threshold depends on it")


def takes_earlier_words(cls: type) -> type:
    """Let a class of learners be made with the words of before, and say what took their place."""
    make = cls.__init__  # type: ignore[misc]

    @wraps(make)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        before = [word for word in NEW if word in named]
        if before:
            words = ", ".join(f"{word}= (expected {NEW[word]})" for word in before)
            warnings.warn(f"words of a learner that will go: {words}; see docs/adding_a_learner.md", DeprecationWarning, stacklevel=2)
            arguments, named = (), in_todays_words({**dict(zip(PLACES, arguments, strict=False)), **named})
        make(self, *arguments, **named)

    cls.__init__ = __init__  # type: ignore[misc]
    return cls
