"""All pairs: M ≤ k + Σ M_j (theory/reductions.py)."""

from littlestone.theory.reductions import SOURCE, CommitteeFamily

FAMILY = CommitteeFamily("all_pairs", ties="of the classes with most votes, the one that appeared first", source=SOURCE)
