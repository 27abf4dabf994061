"""Run scikit-learn's and River's own checks over every classifier of ours, and print the tables of docs/coming_from.md.

python scripts/estimators.py [CLASS...]
"""

import sys
import warnings
from collections import Counter
from collections.abc import Collection
from typing import Any

from river import checks
from sklearn.linear_model import SGDRegressor
from sklearn.utils import estimator_checks

from littlestone.adapters import river as river_adapters
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
            results.append(tried(name, check, estimator))
    return results


def tried(name: str, check: Any, estimator: Any) -> dict[str, Any]:
    """What comes of one check."""
    try:
        check(estimator)
    except Exception as error:
        return {"check_name": name, "status": "failed", "exception": error}
    return {"check_name": name, "status": "passed", "exception": None}


def river_checks_of(name: str, names: Collection[str] | None = None) -> list[dict[str, Any]]:
    """What River's `yield_checks` says of a class of ours, with the parameters that it has for tests; of the named checks alone."""
    results = []
    for parameters in getattr(river_adapters, name)._unit_test_params():
        model = getattr(river_adapters, name)(**parameters)
        results += [
            tried(check.__name__, check, model.clone()) for check in checks.yield_checks(model) if not names or check.__name__ in names
        ]
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
    for library, every, results_of in (
        (
            "scikit-learn",
            ["OnlineClassifier", *adapters.CLASSES, "ExpertsClassifier", "ExpertsRegressor"],
            lambda name: checks_of(made(name)),
        ),
        ("River", ["Online", *river_adapters.CLASSES, "Experts"], river_checks_of),
    ):
        say(f"| class of {library} | checks | passed | expected to fail | skipped |\n|---|---|---|---|---|")
        for name in every if not names else [name for name in every if name in names]:
            results = results_of(name)
            counts = Counter(result["status"] for result in results)
            failed += counts["failed"]
            say(f"| `{name}` | {len(results)} | {counts['passed']} | {counts['xfail']} | {counts['skipped']} |")
            for result in results:
                if result["status"] == "failed":
                    say(f"  {result['check_name']}: {result['exception']!r}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
