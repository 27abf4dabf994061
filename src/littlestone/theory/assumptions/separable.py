"""A halfspace without negative weights, and a gap beneath it."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, bound):
    """A 1 none of whose values is above that of one 0: no weights that are not negative tell them apart."""
    return looks.below()


ASSUMPTION = Assumption("separable", "some μ ≥ 0 with Σμ ≤ U has μ·x ≥ 1 where y = 1 and μ·x ≤ 1-δ where y = 0", contradicted)
