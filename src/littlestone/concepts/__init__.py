"""Concept classes: who labels a stream, and where its instances come from."""

from littlestone.concepts.disjunctions import disjunction_blocks
from littlestone.concepts.text import text_blocks

__all__ = ["disjunction_blocks", "text_blocks"]
