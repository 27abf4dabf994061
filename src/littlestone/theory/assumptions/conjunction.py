"""A conjunction of literals labels the stream."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, among):
    """A 0 that satisfies every literal that all the 1s satisfy."""
    return looks.satisfied()


ASSUMPTION = Assumption("conjunction", "some satisfiable conjunction of at least `size` literals labels every round", contradicted)
