"""One of the experts is good."""

from littlestone.theory.assumptions._assumption import Assumption

ASSUMPTION = Assumption("expert", "some expert errs at most m times", settled=lambda declared: True, labels=False, example="expert:m=5")
