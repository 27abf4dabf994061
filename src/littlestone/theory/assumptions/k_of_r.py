"""At least k of r variables make a 1."""

from littlestone.theory.assumptions._assumption import Assumption

ASSUMPTION = Assumption("k_of_r", "some k-of-r threshold function labels every round")
