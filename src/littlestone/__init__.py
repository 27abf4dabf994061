"""littlestone: online learning that shows its proof.

>>> import littlestone as ls
>>> run = ls.play(ls.winnow(n=4), [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], [1, 1, 0])
>>> run.mistakes, run.rounds, run.bounds("disjunction:r=1")[0].limit
(2, 3, 5)

Names are looked up when first used, so that importing the package, and asking the command line for help, stays quick.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from littlestone import hooks
from littlestone._version import __version__

_HOMES = {
    "Advice": "protocol",
    "Block": "protocol",
    "Bound": "theory",
    "Certificate": "theory.certificate",
    "ClassLearner": "protocol",
    "ClassRun": "protocol",
    "Column": "protocol",
    "Family": "theory.families",
    "Kernels": "protocol",
    "Layout": "protocol",
    "Learner": "protocol",
    "Ledger": "protocol",
    "LittlestoneError": "errors",
    "Refused": "errors",
    "Model": "protocol",
    "Room": "protocol",
    "Rule": "protocol",
    "Run": "protocol",
    "asks": "learners.binary.selective",
    "certify": "api.certify",
    "compare": "api.compare",
    "convert": "api.convert",
    "dimension": "concepts.dimension",
    "duel": "api.duel",
    "expanded": "streams.products",
    "fit": "api.fit",
    "from_river": "protocol.foreign",
    "from_sklearn": "protocol.foreign",
    "from_vw": "protocol.foreign",
    "keep": "api.keep",
    "load": "models",
    "open_stream": "streams",
    "play": "api.play",
    "play_experts": "api.experts",
    "verify": "verifier",
    "watch": "api.watch",
}

# rooms whose contents are public, under the names that users know; `littlestone.NAME` can be imported from, too
_ROOMS = {
    "adversaries": "games.adversaries",
    "classes": "learners.multiclass",
    "concepts": "concepts",
    "experts": "learners.experts",
    "jit": "kernels.jit",
    "learners": "learners",
    "oracles": "games.oracles",
    "players": "protocol.players",
    "plot": "report.plots",
    "reductions": "learners.reductions",
    "reductions.batch": "games.batch",
    "reductions.equivalence": "games.equivalence",
    "theory": "theory",
}
_CATALOGUES = ("learners.binary", "learners.multiclass", "learners.reductions", "learners.experts", "games.batch", "games.equivalence")

# what rooms below use of rooms above them, by `hooks.above`
_ABOVE = {
    "AdviceModel": "protocol.advice_model",
    "BinaryModel": "protocol.model",
    "ClassModel": "protocol.class_model",
    "certificate_html": "report.display",
    "connected": "cluster.connection",
    "diff": "models.compare",
    "explain": "models.explain",
    "forget": "api.rewrite",
    "model_html": "report.display",
    "model_of_bytes": "models.file",
    "of_panel": "learners.reductions.class_panel",
    "packed": "models.shipped",
    "pickled": "models.file",
    "plot_certificate": "report.plots",
    "plot_run": "report.plots",
    "predict_by_key": "api.predict_keyed",
    "predict_codes": "api.predict",
    "predict_many": "api.predict",
    "replay": "api.rewrite",
    "rollback": "api.rewrite",
    "row_of_columns": "api.sources",
    "row_of_text": "api.sources",
    "run_html": "report.display",
    "unpacked": "models.shipped",
    "with_conjunctions": "api.sources",
    "save": "models.file",
    "widened": "learners.reductions._third_class",
}
hooks.fill(lambda name: getattr(import_module(f"littlestone.{_ABOVE[name]}"), name))

__all__ = ["__version__", *(name for name in _ROOMS if "." not in name), *_HOMES]


class _Room(ModuleType):
    """A room by the name that users know it by: everything in it is looked up where it stands."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__} has no {name!r}")
        known = self.__name__.removeprefix("littlestone.")
        for nested in _ROOMS:
            if nested == f"{known}.{name}":
                return import_module(f"littlestone.{_ROOMS[nested]}")
        homes = [home for room, home in _ROOMS.items() if room == known or room.startswith(f"{known}.")]
        for home in homes:
            room = import_module(f"littlestone.{home}")
            if name in getattr(room, "names", tuple)():  # before the file of that name, which is imported with it
                return room.factory(name)
            if hasattr(room, name):
                return getattr(room, name)
        raise AttributeError(f"{self.__name__} has no {name!r}")

    def __dir__(self) -> list[str]:
        return dir(import_module(f"littlestone.{_ROOMS[self.__name__.removeprefix('littlestone.')]}"))

    def __call__(self, *tables: Any, **choices: Any) -> Any:
        """`ls.experts(table)`, the name of a room and of a command, is `ls.play_experts`."""
        if self.__name__ != "littlestone.experts":
            raise TypeError(f"{self.__name__} is a room of names, and cannot be called")
        return __getattr__("play_experts")(*tables, **choices)


sys.modules.update({f"littlestone.{room}": _Room(f"littlestone.{room}") for room, home in _ROOMS.items() if room != home})


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"littlestone has no {name!r}")
    if name in _ROOMS:
        thing = import_module(f"littlestone.{name}")
    elif name in _HOMES:
        thing = getattr(import_module(f"littlestone.{_HOMES[name]}"), name)
    else:
        rooms = (import_module(f"littlestone.{room}") for room in _CATALOGUES)
        room = next((room for room in rooms if name in room.names()), None)
        if room is None:
            raise AttributeError(f"littlestone has no {name!r}")
        thing = room.factory(name)
    globals()[name] = thing
    return thing


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for room in _CATALOGUES for name in import_module(f"littlestone.{room}").names())])
