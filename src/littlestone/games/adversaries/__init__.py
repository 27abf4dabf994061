"""Who picks the next instance: one lower bound, one file. The catalogue is found by walking this folder.

>>> import littlestone as ls
>>> game = ls.adversaries.meet(ls.winnow(), ls.adversaries.unit_vectors(8))
>>> game.mistakes, game.lower_bound
(8, 8)
>>> ls.adversaries.named("unit_vectors", n=5), ls.adversaries.named("unit_vectors:n=3", n=5)
(unit_vectors(n=5), unit_vectors(n=3))
"""

from typing import Any

from littlestone.games.adversaries._game import Adversary, Game, GameRound, class_of, meet
from littlestone.games.adversaries._recorded import RecordedRounds
from littlestone.protocol.catalogue import Catalogue

__all__ = ["CATALOGUE", "Adversary", "Game", "GameRound", "RecordedRounds", "class_of", "factory", "meet", "named", "names"]

CATALOGUE: Catalogue[Adversary] = Catalogue("adversary", __name__, __path__)
names, factory, named = CATALOGUE.names, CATALOGUE.factory, CATALOGUE.named

Played = GameRound  # its name in the first version

globals().update({name: factory(name) for name in names()})  # the function, not the file of the same name


def __getattr__(name: str) -> Any:
    raise AttributeError(f"littlestone.games.adversaries has no {name!r}; it has {', '.join(names())}")
