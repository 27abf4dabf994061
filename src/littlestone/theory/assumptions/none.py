"""Nothing is assumed: what theorems in hindsight rest on."""

from littlestone.theory.assumptions._assumption import Assumption

ASSUMPTION = Assumption("none", "nothing: true on every stream", labels=False)
