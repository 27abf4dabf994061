"""Exhaustive searches: every stream, every witness or every class of some size, against the bounds and the definitions.

`make search` prints what they cover, and the tests run the smaller ones. The games of the theory pages are `littlestone.checks.games`.
"""
