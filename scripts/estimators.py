"""Run scikit-learn's own checks over every classifier of ours, and print the table of docs/coming_from.md.

python scripts/estimators.py [CLASS...]
"""

import sys
import warnings
from collections import Counter
from collections.abc import Collection
from typing import Any

from sklearn.linear_model import SGDRegressor
from sklearn.utils import estimator_checks

from littlestone.adapters import sklearn as adapters


def checks_of(classifier: Any, names: Collection[str] | None = None) -> list[dict[str, Any]]:
    """What `check_estimator` says of a classifier, check by check; of the named checks alone where there are names."""
    if names is None:
        return estimator_checks.check_estimator(
            classifier, expected_failed_checks=adapters.EXPECTED_FAILED_CHECKS, on_skip=None, on_fail=None
        )
    results: list[dict[str, Any]] = []
    left = set(names)
    for estimator, check in estimator_checks.estimator_checks_generator(classifier):
        name = check.func.__name__ if hasattr(check, "func") else check.__name__
        if name in left:  # some come more than once, with other types of numbers
            left.discard(name)
            try:
                check(estimator)
                results.append({"check_name": name, "status": "passed", "exception": None})
            except Exception as error:
                results.append({"check_name": name, "status": "failed", "exception": error})
    return results


def made(name: str) -> Any:
    """An estimator of the named class, as it is unless told otherwise; over experts, with two of them."""
    if name == "ExpertsClassifier":
        return adapters.ExpertsClassifier(
            [("arow", adapters.ArowClassifier()), ("perceptron", adapters.PerceptronClassifier())], batch_size=16
        )
    if name == "ExpertsRegressor":
        falling, constant = (SGDRegressor(learning_rate=rate, random_state=0) for rate in ("invscaling", "constant"))
        return adapters.ExpertsRegressor([("falling", falling), ("constant", constant)], batch_size=8)
    return getattr(adapters, name)()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    failed = 0
    say("| class | checks | passed | expected to fail | skipped |\n|---|---|---|---|---|")
    for name in names or ["OnlineClassifier", *adapters.CLASSES, "ExpertsClassifier", "ExpertsRegressor"]:
        results = checks_of(made(name))
        counts = Counter(result["status"] for result in results)
        failed += counts["failed"]
        say(f"| `{name}` | {len(results)} | {counts['passed']} | {counts['xfail']} | {counts['skipped']} |")
        for result in results:
            if result["status"] == "failed":
                say(f"  {result['check_name']}: {result['exception']!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
