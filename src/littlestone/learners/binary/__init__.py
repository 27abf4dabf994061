"""Learners of two classes: one algorithm, one file. The catalogue is found by walking this folder: nothing is listed by hand."""

import inspect

from littlestone.protocol import Learner, naming
from littlestone.protocol.catalogue import Catalogue

CATALOGUE: Catalogue[Learner] = Catalogue("learner", __name__, __path__)
names, factory, text_of = CATALOGUE.names, CATALOGUE.factory, CATALOGUE.text_of


def described(name: str) -> Learner:
    """The named learner with settings as they are unless given, and some n: to ask for its theorems."""
    make = factory(name)
    return make(n=16) if "n" in inspect.signature(make).parameters else make()


def named(text: str, n: int | None = None) -> Learner:
    """The member of a panel that a text such as `adaptive:eta=1/10` is; n is told to those that need it and have none.

    Settings that are not written are those of the definition, which has no bias.

    >>> named("perceptron:bias=1"), text_of(named("perceptron:bias=1"))
    (perceptron(bias=1, margin=0, averaged=False), 'perceptron:bias=1')
    """
    name = naming.split(text)[0]
    learner = CATALOGUE.named(text, **(CATALOGUE.as_member(name) if name in names() else {}))
    return learner.sized(n) if n is not None and learner.needs_n else learner
