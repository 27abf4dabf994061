"""The theorems, in pure Python and exact arithmetic: one file a family, each bound a value."""

from littlestone.theory.bound import Bound, Claim, Invariant, Moment, judge, parse_assumption

__all__ = ["Bound", "Claim", "Invariant", "Moment", "judge", "parse_assumption"]
