"""Some function of the instance labels the stream, whatever it is."""

from littlestone.theory.assumptions._assumption import Assumption


def contradicted(looks, declared, settings, bound):
    """The instance with which there are more of label 1 than were declared."""
    return looks.crowded(int(declared["size"])) if "size" in declared else None


ASSUMPTION = Assumption("function", "the label depends on the instance alone", contradicted, lambda *_: True, lambda declared: True)
