"""A concept of a finite class labels the stream; of learners with a class, the settings have it as `concepts`."""

from littlestone.theory.assumptions._assumption import Assumption
from littlestone.theory.classes import PlainClass


def contradicted(looks, declared, settings, bound):
    """The row after which no concept of the class is left."""
    return looks.emptied(PlainClass.of(settings["concepts"])) if "concepts" in settings else None


def met(looks, declared, settings, bound):
    """Some concept is left after every row."""
    return "concepts" in settings


ASSUMPTION = Assumption("class", "some concept of the class labels every round", contradicted, met, lambda declared: True, bare="size")
