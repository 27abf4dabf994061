"""One against the rest: M ≤ k + Σ M_j (theory/reductions.py)."""

from littlestone.theory.reductions import SOURCE, CommitteeFamily

FAMILY = CommitteeFamily(
    "one_vs_rest",
    ties="of the classes whose members say 1, or of all where none does, the largest score, then the one that appeared first",
    source=SOURCE,
)
