"""Does a method keep its promise? Definition 24.6.1 as an experiment: many runs on fresh examples, and how many fail."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import log, sqrt
from typing import Any

from littlestone.errors import require
from littlestone.games.batch._fitted import SURE, Fitted
from littlestone.protocol.players import Player


@dataclass(frozen=True)
class Measured:
    """So many runs; a run fails whose hypothesis has err > epsilon."""

    runs: int
    failures: int
    share: float  # of the runs that fail
    interval: tuple[float, float]  # exact (Clopper-Pearson), 95 %: where the chance of a failure lies
    delta: float
    epsilon: float
    mean_error: float
    largest_error: float
    mean_examples: float
    largest_examples: int
    most: int | None  # what the theorem allows, the largest of the runs
    unreached: int  # runs whose examples ran out
    in_expectation: bool = False  # is only the mean error promised?

    @property
    def kept(self) -> bool:
        """Is the promise compatible with what happened, and did no run draw more examples than it may?

        A chance of failure of at most δ with the interval; a mean error of at most ε with the mean of the runs, but for what the mean of
        independent numbers from 0 to 1 exceeds its expectation by with a probability of 1/40 at most (Hoeffding).
        """
        fair = self.mean_error - sqrt(log(40) / (2 * self.runs)) <= self.epsilon if self.in_expectation else self.interval[0] <= self.delta
        return fair and (self.most is None or self.largest_examples <= self.most)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def interval(wrong: int, of: int, level: float = 0.95) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval for a chance of which `wrong` of `of` independent trials fell.

    Each end is the chance at which so few, or so many, have a probability of (1-level)/2.

    >>> [round(end, 4) for end in interval(0, 20)], [round(end, 4) for end in interval(3, 20)], interval(0, 0)
    ([0.0, 0.1684], [0.0321, 0.3789], (0.0, 1.0))
    """
    from scipy.special import betaincinv

    require(0 <= wrong <= of and 0 < level < 1, f"{wrong!r} of {of!r} at level {level!r}: expected a part of a whole, and a level below 1")
    tail = (1 - level) / 2
    low = float(betaincinv(wrong, of - wrong + 1, tail)) if wrong else 0.0
    high = float(betaincinv(wrong + 1, of - wrong, 1 - tail)) if wrong < of else 1.0
    return low, high


def measured(
    method: Callable[..., Fitted],
    learner: Any,
    examples: Callable[[int], Any],
    error: Callable[[Player], float],
    *,
    epsilon: Any,
    delta: Any,
    bound: int | None = None,
    runs: int = 100,
    seed: int = 0,
) -> Measured:
    """Run a method so many times, run k on `examples(k)` (a fresh oracle for that seed), and count how often `error(hypothesis)` > epsilon.

    >>> import littlestone as ls
    >>> C, concept = ls.concepts.disjunctions(3), ls.concepts.disjunctions(3).of({1})
    >>> cube = [{i: 1 for i in range(3) if point >> i & 1} for point in range(8)]
    >>> trials = measured(
    ...     ls.controlled_testing, ls.disjunctions(n=3), lambda k: ls.oracles.EX(concept, n=3, seed=k),
    ...     lambda h: sum(h.predict(x) != (1 in x) for x in cube) / 8, epsilon=0.2, delta=0.1, bound=3, runs=20,
    ... )
    >>> trials.failures, trials.kept, trials.largest_examples <= trials.most
    (0, True, True)
    """
    require(runs >= 1, f"runs={runs!r} must be at least 1")
    results = [method(learner, examples(seed + k), epsilon=epsilon, delta=delta, bound=bound, seed=seed + k) for k in range(runs)]
    errors = [float(error(fitted.hypothesis)) for fitted in results]
    failures = sum(err > float(epsilon) for err in errors)
    allowed = [fitted.most for fitted in results if fitted.most is not None]
    return Measured(
        runs=runs,
        failures=failures,
        share=failures / runs,
        interval=interval(failures, runs),
        delta=float(delta),
        epsilon=float(epsilon),
        mean_error=sum(errors) / runs,
        largest_error=max(errors),
        mean_examples=sum(fitted.examples for fitted in results) / runs,
        largest_examples=max(fitted.examples for fitted in results),
        most=max(allowed, default=None),
        unreached=sum(not fitted.reached for fitted in results),
        in_expectation=any(fitted.promise is not None and fitted.promise["kind"] != SURE for fitted in results),
    )
