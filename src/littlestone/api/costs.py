"""What errors cost, and where answers are given: the learner that plays then, what its rounds weigh, and the point of the answers."""

from typing import Any, NamedTuple, Self

from littlestone.errors import require
from littlestone.learners.reductions.class_panel import of_panel, with_vote
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import ClassLearner, Model
from littlestone.protocol.class_costs import CostMatrix, LeastCost, text_of
from littlestone.protocol.operating import CheaperOfTwo, Operating
from littlestone.rounds.reading import cost_of
from littlestone.streams import Stream
from littlestone.streams.instances import LabelWeights

OF_MORE = "a matrix of costs (cost=) leads the answers of more"
WITH_THEM = "expected a learner that does, such as panel or adaptive"
ONE_AT_A_TIME = "cost and class_weight: one at a time; both say how much the rounds with a label weigh"


class Costs(NamedTuple):
    """What comes of `cost`, `threshold` and `target`."""

    learner: Any
    class_weight: LabelWeights | None
    matrix: CostMatrix | None  # of the errors of several classes
    operating: Operating | None  # of two classes: where the answers are given, where that is not by the predictions
    led: bool  # are answers or weights led by any of this?
    plain: bool  # do labels come at once, and is no alarm raised?

    @classmethod
    def of(cls, learner: Any, before: Any, X: Any, class_weight: LabelWeights | None, asked: tuple[Any, Any, Any], *, plain: bool) -> Self:
        """`asked` are cost, threshold and target."""
        cost, threshold, target = asked
        if before is None and weighs_labels(X, cost, class_weight):
            learner = with_vote(learner)
        matrix = CostMatrix.of(cost) if CostMatrix.meant(cost) else None
        if matrix is not None:
            learner, class_weight = with_matrix(learner, before, matrix, X, class_weight)
            cost = None
        if cost is not None:
            require(learner.kind == "two classes", f"cost={cost!r}: {learner.name} does not learn two classes; class_weight is for more")
            class_weight = with_cost(class_weight, cost)
        stated = X.reading.cost if cost is None and isinstance(X, Stream) and X.reading is not None else cost
        operating = point_of(learner, before, threshold, target, None if stated is None else cost_of(stated), plain=plain)
        refused = "a matrix of costs needs labels that come at once, and no alarm: leave out delay, ids and alarm"
        require(matrix is None or plain, refused)
        led = (cost, threshold, target) != (None, None, None) or operating is not None
        return cls(learner, class_weight, matrix, operating, led, plain)

    def least_cost(self, learner: Any, before: Any) -> LeastCost | None:
        """Where the answers of several classes are given, as the matrix says, or as the model did."""
        point = getattr(before, "operating", None) if learner.kind == "several classes" and self.plain else None
        if self.matrix is not None and (point is None or point.matrix != self.matrix):
            point = LeastCost(self.matrix)
        return None if point is None else point.copy()


def weighs_labels(X: Any, cost: Any, class_weight: Any) -> bool:
    """Return whether rounds with some labels weigh more than others, by what was asked for or by how the stream is read."""
    stated = X.reading if isinstance(X, Stream) else None
    return cost is not None or class_weight is not None or (stated is not None and bool(stated.cost or stated.class_weight))


def point_of(
    learner: Any, before: Model | None, threshold: Any, target: Any, cost: tuple[float, float] | None, *, plain: bool
) -> Operating | None:
    """Where the answers are to be given: as was asked for, else as the model did, else as the costs say; None for the predictions."""
    if threshold is not None or target is not None:
        point = Operating.at(threshold, target)
        asked = "threshold" if target is None else "target"
        require(
            learner.kind != "several classes", f"{asked}: {learner.name} learns several classes, and this is about two labels; {OF_MORE}"
        )
        gives = getattr(learner, "probabilities", False)
        require(gives, f"{asked}: {learner.name} gives no probabilities; {WITH_THEM}")
        require(plain, "threshold and target need labels that come at once, and no alarm: leave out delay, ids and alarm")
        return point
    if before is not None and before.operating is not None and (cost is None or list(cost) == list(before.reading.get("cost") or ())):
        return before.operating.copy() if plain else None
    if cost is None or not plain or not getattr(learner, "probabilities", False):
        return None
    plainly = getattr(learner, "forecasts", False)  # other probabilities are taught by the costs: from 1/2 on the positive is cheaper
    point = Operating.at(threshold=cost[0] / (cost[0] + cost[1]) if plainly else 0.5)
    point.two = CheaperOfTwo() if plainly else None  # from 1/2 on they answer as they predict
    kept = None if before is None else before.operating
    return kept.copy() if kept is not None and (kept.target, kept.log_odds) == (None, point.log_odds) else point


def with_matrix(
    learner: Any, before: Model | None, matrix: CostMatrix, X: Any, class_weight: LabelWeights | None
) -> tuple[ClassLearner, LabelWeights | None]:
    """The learner of several classes that plays where errors have these costs, and what labels weigh."""
    if isinstance(learner, Panel) and before is None:
        learner = with_vote(of_panel(learner))
    able = learner.kind == "several classes" and learner.probabilities
    require(able, f"cost: {learner.name} gives no probabilities of several classes; expected a panel of several, which does")
    require(class_weight is None, ONE_AT_A_TIME)
    if isinstance(X, Stream) and X.reading.class_weight:
        return learner, None  # its rows weigh so much already
    return learner, ByText(matrix.weights())


class ByText(dict):
    """What labels weigh, by what they look like in a file."""

    def get(self, label: Any, default: Any = None) -> Any:
        return super().get(text_of(label), default)


def with_cost(class_weight: LabelWeights | None, cost: Any) -> LabelWeights:
    """What labels weigh, where errors have costs: the negative and the positive one, or by a matrix each of several."""
    require(class_weight is None, ONE_AT_A_TIME)
    return ByText(CostMatrix.of(cost).weights()) if CostMatrix.meant(cost) else cost_of(cost)
