"""littlestone: online learning that shows its proof.

>>> import littlestone as ls
>>> run = ls.play(ls.winnow(n=4), [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], [1, 1, 0])
>>> run.mistakes, run.rounds, run.bounds("disjunction:r=1")[0].limit
(2, 3, 5)

Names are looked up when first used, so that importing the package, and asking the command line for help, stays quick.
"""

from importlib import import_module
from typing import Any

from littlestone._version import __version__

_HOMES = {
    "Advice": "protocol",
    "Block": "protocol",
    "Bound": "theory",
    "Certificate": "theory.certificate",
    "ClassLearner": "protocol",
    "ClassRun": "protocol",
    "Kernels": "protocol",
    "Learner": "protocol",
    "Ledger": "protocol",
    "LittlestoneError": "errors",
    "Refused": "errors",
    "Model": "protocol",
    "Rule": "protocol",
    "Run": "protocol",
    "certify": "front_certify",
    "compare": "front_compare",
    "convert": "front_convert",
    "dimension": "concepts.dimension",
    "duel": "front_duel",
    "fit": "front_fit",
    "load": "ledger",
    "open_stream": "streams",
    "play": "front",
    "play_experts": "front_experts",
    "verify": "verifier",
}

# folders of files, each with what it is named for
_ROOMS = ("adversaries", "classes", "concepts", "experts", "learners", "oracles", "players", "reductions", "theory")
_CATALOGUES = (
    "littlestone.learners", "littlestone.classes", "littlestone.reductions", "littlestone.experts",
    "littlestone.reductions.batch", "littlestone.reductions.equivalence",
)  # fmt: skip

__all__ = ["__version__", *_ROOMS, *_HOMES]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"littlestone has no {name!r}")
    if name in _ROOMS:
        found = import_module(f"littlestone.{name}")
    elif name in _HOMES:
        found = getattr(import_module(f"littlestone.{_HOMES[name]}"), name)
    else:
        room = next((room for room in map(import_module, _CATALOGUES) if name in room.names()), None)
        if room is None:
            raise AttributeError(f"littlestone has no {name!r}")
        found = room.factory(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for room in _CATALOGUES for name in import_module(room).names())])
