"""Some function of the instance labels the stream, whatever it is."""

from littlestone.theory.assumptions._assumption import Assumption

ASSUMPTION = Assumption("function", "the label depends on the instance alone")
