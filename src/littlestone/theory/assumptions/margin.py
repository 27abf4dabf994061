"""A halfspace through the origin, and no instance near its border."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, among):
    """A row without a feature: no vector has a margin there, unless a bias feature stands in every row."""
    return None if settings.get("bias") else looks.featureless()


ASSUMPTION = Assumption("margin", "some u of norm 1 has y·(u·x) ≥ γ on every round", contradicted)
