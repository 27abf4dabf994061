"""At least k of r variables make a 1."""

from littlestone.theory.assumptions import disjunction
from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, bound):
    """A 1 whose features are all on in one 0; with k = 1 it is a disjunction of r variables."""
    row = looks.below()
    return disjunction.contradicted(looks, declared, settings, bound) if row is None and declared.get("k") == 1 else row


def met(looks, declared, settings, bound):
    """With k = 1, where a disjunction of r variables is found; nobody looks for others."""
    return declared.get("k") == 1 and disjunction.met(looks, declared, settings, bound)


ASSUMPTION = Assumption("k_of_r", "some k-of-r threshold function labels every round", contradicted, met)
