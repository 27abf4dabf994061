"""A halfspace without negative weights, and a gap beneath it."""

from littlestone.theory.assumptions._assumption import Assumption

ASSUMPTION = Assumption("separable", "some μ ≥ 0 with Σμ ≤ U has μ·x ≥ 1 where y = 1 and μ·x ≤ 1-δ where y = 0")
