"""The model at rest: save, load, replay, roll back, forget, compare, explain.

>>> import littlestone as ls
>>> model = ls.perceptron(bias=0).start()
>>> for mail, spam in [({"free", "offer"}, True), ({"minutes"}, False), ({"free", "minutes"}, False)]:
...     model.update(mail, spam)
>>> model.ledger.rounds.tolist(), model.rollback(2).mistakes, model.replay().predict({"free"})
([2], 1, True)
"""

from littlestone.models.compare import Difference, diff, weights_of
from littlestone.models.explain import explain
from littlestone.models.explanation import Explanation
from littlestone.models.file import save
from littlestone.models.loading import load
from littlestone.models.rewrite import Forgotten

__all__ = ["Difference", "Explanation", "Forgotten", "diff", "explain", "load", "save", "weights_of"]
