"""The runner for a learner of any kind."""

from typing import Any

from littlestone.protocol.classes import ClassLearner, ClassRunner
from littlestone.protocol.learner import Learner
from littlestone.protocol.ledger import ledger_for
from littlestone.protocol.metrics import ClassMarks, Marks
from littlestone.protocol.rule_runner import RuleRunner
from littlestone.protocol.run import Runner


def runner_of(
    learner: Any,
    *,
    columns: int | None = None,
    counted: bool = False,
    measuring: bool = True,
    keeping: bool | int = False,
    scores: bool = False,
    classes: Any = None,
) -> Any:
    """A runner that begins with the first round. `keeping` a ledger and filling bins with `scores` are done where the learner can."""
    marks: Any = marks_for(learner) if scores else None
    if isinstance(learner, Learner):
        return Runner(learner, columns=columns, measuring=measuring, counted=counted, ledger=ledger_for(learner, keeping), marks=marks)
    if isinstance(learner, ClassLearner):
        how: dict[str, Any] = {"columns": columns, "counted": counted, "classes": classes, "marks": marks}
        return ClassRunner(learner, ledger=ledger_for(learner, keeping), **how)
    return RuleRunner(learner, columns or 0, counting=measuring)


def marks_for(learner: Any) -> Marks | ClassMarks | None:
    """Bins for what it says, where that has scores; of several classes, where these are probabilities."""
    if isinstance(learner, Learner):
        return Marks() if learner.scored else None
    return ClassMarks() if isinstance(learner, ClassLearner) and learner.scored and learner.probabilities else None
