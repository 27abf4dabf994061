"""Concept classes: who labels a stream, and where its instances come from.

>>> from littlestone import concepts
>>> C = concepts.dictators(5)
>>> [(len(block), block.labels.tolist()) for block in C.blocks(6, seed=2, rows=4)]
[(4, [1, 0, 0, 0]), (2, [0, 0])]
"""

from littlestone.concepts.classes import Concept, ConceptClass
from littlestone.concepts.conjunctions import conjunctions
from littlestone.concepts.dictators import dictators
from littlestone.concepts.disjunctions import disjunction_blocks, disjunctions
from littlestone.concepts.half_intervals import half_intervals
from littlestone.concepts.halfspaces import halfspaces
from littlestone.concepts.k_of_r import k_of_r
from littlestone.concepts.table import table
from littlestone.concepts.text import text_blocks

__all__ = [
    "Concept",
    "ConceptClass",
    "conjunctions",
    "dictators",
    "disjunction_blocks",
    "disjunctions",
    "half_intervals",
    "halfspaces",
    "k_of_r",
    "table",
    "text_blocks",
]
