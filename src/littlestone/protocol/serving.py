"""Predictions whose labels come later, by name: `model.predict(x, id=...)`, and then `model.label(id, y)`."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, require
from littlestone.protocol.together import Call


class Served(NamedTuple):
    """A prediction that was served, and waits for its label."""

    x: Any  # {name: value}, or a pair (indices, values); of a rule over experts, the row of advice
    yhat: (
        Any  # True or False; of several classes the code of the class, -1 where none was known; of forecasts a number, NaN where all slept
    )
    memo: Any = None  # of members, what each predicted; of a rule, the weighted mean


class ServesById(ABC):
    """What every kind of model does with predictions whose labels come later. They are saved with the model."""

    lock: Any
    waiting: dict[str, Served]

    @abstractmethod
    def _serve(self, x: Any) -> tuple[Any, Served]:
        """The prediction for x as the next round, as it is answered and as it is kept."""

    @abstractmethod
    def _settle(self, served: Served, y: Any, weight: float, *more: Call) -> None:
        """Count what was served, and learn from its label, together with `more` calls."""

    def _predict_by_id(self, x: Any, id: Any) -> Any:
        name = str(id)
        with self.lock:
            require(name not in self.waiting, f"id={id!r} waits for its label already; expected a name of its own for each prediction")
            answer, self.waiting[name] = self._serve(x)
            return answer

    def label(self, id: Any, y: Any, weight: float = 1.0) -> None:
        """Tell the label of what `predict(x, id=...)` predicted: counts the mistake if that was one, and learns.

        None says that the label will never come: the round counts as one without a label. Where the learner would predict otherwise by
        now, the ledger ends: it tells what prompt labels have made.

        >>> import littlestone as ls
        >>> model = ls.perceptron().start()
        >>> model.predict({"free"}, id="mail 1"), model.predict({"free", "offer"}, id="mail 2"), list(model.waiting)
        (True, True, ['mail 1', 'mail 2'])
        >>> model.label("mail 2", False), model.label("mail 1", False), model.mistakes, model.predict({"free"})
        (None, None, 2, 0)
        """
        with self.lock: self._label_by_id(str(id), y, weight)  # fmt: skip  # noqa: E701 (in one line, after which nothing is left to do)

    def _label_by_id(self, name: str, y: Any, weight: float) -> None:
        if name not in self.waiting:
            raise LittlestoneError(f"id={name!r}: no prediction of that name waits for its label")
        self._settle(self.waiting[name], y, weight, (self.waiting.__delitem__, name))
