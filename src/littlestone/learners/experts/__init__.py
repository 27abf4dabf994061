"""Rules over the advice of experts: one rule, one file. The catalogue is found by walking this folder: nothing is listed by hand."""

from littlestone.protocol import Rule
from littlestone.protocol.catalogue import Catalogue

CATALOGUE: Catalogue[Rule] = Catalogue("rule", __name__, __path__)
names, factory, named = CATALOGUE.names, CATALOGUE.factory, CATALOGUE.named


def text_of(rule: Rule) -> str:
    """The text that names it, for any number of experts: β is left out where η says it.

    >>> text_of(named("hedge:eta=1/10"))
    'hedge:eta=1/10'
    """
    return CATALOGUE.text_of(rule, without=("n", "beta") if "eta" in rule.settings else ("n",))
