"""Write src/littlestone/adapters/*.pyi: the classifiers that are made from the catalogue, as type checkers and editors see them.

python scripts/stubs.py
"""

import inspect
from pathlib import Path

from littlestone.adapters import river as river_adapters
from littlestone.adapters import sklearn as adapters
from littlestone.adapters.catalogue import annotations_of, has_probabilities, is_scored
from littlestone.adapters.estimators import WeightedClassifier

FOLDER = Path(__file__).resolve().parent.parent / "src" / "littlestone" / "adapters"

HEAD = '''"""Written by `python scripts/stubs.py`: the classifiers that are made from the catalogue."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from littlestone.protocol import ClassLearner, Learner, Model, Rule
from littlestone.theory import Claim
from littlestone.theory.certificate import Certificate

_Number: TypeAlias = float | str | Fraction
_Weights: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None

CLASSES: dict[str, str]
EXPECTED_FAILED_CHECKS: dict[str, str]

class _Estimator:
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
    def predict(self, X: Any) -> NDArray[Any]: ...

class _Classifier(_Estimator):
    classes_: NDArray[Any]
    model_: Model
    @property
    def mistakes_(self) -> int: ...
    @property
    def bounds_(self) -> list[Claim]: ...
    @property
    def certificate_(self) -> Certificate: ...

class _Unweighted(_Classifier):
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self: ...

class _Weighted(_Classifier):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_partial_fit_request(self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class _Scored:
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...

class _Probable(_Scored):
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]: ...

class OnlineClassifier(_Weighted, _Probable):
    def __init__(
        self,
        learner: str | Learner | ClassLearner = "panel",
        settings: Mapping[str, Any] | None = None,
        *,
        class_weight: _Weights = None,
        labels: Sequence[Any] | str | None = None,
        n_iter: int = 1,
        binarize: float | None = 0.0,
        certify: bool = True,
        ledger: bool | None = None,
    ) -> None: ...

class _Experts(_Estimator):
    estimators_: list[Any]
    named_estimators_: dict[str, Any]
    model_: Model
    def fit(self, X: Any, y: ArrayLike) -> Self: ...
    @property
    def weights_(self) -> dict[str, float]: ...
    @property
    def loss_(self) -> float: ...
    @property
    def losses_(self) -> dict[str, float]: ...
    @property
    def regret_(self) -> float: ...
    @property
    def bound_(self) -> float | None: ...

class ExpertsClassifier(_Experts):
    classes_: NDArray[Any]
    def __init__(
        self, estimators: Sequence[tuple[str, Any]], *, rule: str | Rule = "adahedge", prefit: bool = False, batch_size: int = 64
    ) -> None: ...
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...

class ExpertsRegressor(_Experts):
    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        rule: str | Rule = "adahedge",
        loss: Literal["squared", "absolute"] = "squared",
        range: tuple[float, float] | None = None,
        prefit: bool = False,
        batch_size: int = 64,
    ) -> None: ...
    def partial_fit(self, X: Any, y: ArrayLike) -> Self: ...
'''

#: The types of what every classifier has beside the settings of its learner.
OWN = {"class_weight": "_Weights", "labels": "Sequence[Any] | str | None", "binarize": "float | None", "n_iter": "int"}
OWN |= {"certify": "bool", "ledger": "bool | None"}


def type_of(annotation: object) -> str:
    """The type of a setting as the stub has it: numbers may be fractions, or texts such as 1/3."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return text.replace("fractions.Fraction", "Fraction").replace("float | Fraction", "_Number")


RIVER = '''"""Written by `python scripts/stubs.py`: the classifiers that are made from the catalogue."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from river import base

from littlestone.protocol import ClassLearner, Learner, Model, Rule

_Number: TypeAlias = float | str | Fraction

CLASSES: dict[str, str]
EXPECTED_FAILED_CHECKS: dict[str, str]

class _Classifier(base.MiniBatchClassifier):
    model: Model | None
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...
    def learn_many(self, X: Any, y: Any) -> None: ...
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any: ...
    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]: ...
    @property
    def mistakes(self) -> int: ...
    @property
    def rounds(self) -> int: ...

class Online(_Classifier):
    def __init__(
        self,
        learner: str | Learner | ClassLearner = "panel",
        settings: Mapping[str, Any] | None = None,
        *,
        binarize: float | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool = False,
    ) -> None: ...

class Experts(base.Classifier):
    def __init__(self, models: Sequence[Any], rule: str = "adahedge") -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...
    @property
    def weights(self) -> list[float]: ...
    @property
    def loss(self) -> float: ...
    @property
    def losses(self) -> list[float]: ...
    @property
    def regret(self) -> float: ...
    @property
    def bound(self) -> float | None: ...
'''


def stub_of(made: type, bases: list[str], learner: str) -> str:
    """The class of one learner."""
    types = {key: type_of(kind) for key, kind in annotations_of(learner).items()} | OWN
    parameters = sorted(inspect.signature(made).parameters.values(), key=lambda parameter: parameter.name)
    named = [f"{key.name}: {types[key.name]} = {key.default!r}".replace("'", '"') for key in parameters]
    return f"class {made.__name__}({', '.join(bases)}):\n    {folded(['self', '*', *named])}\n"


def folded(arguments: list[str], width: int = 140) -> str:
    """A definition as the formatter has it: on one line where it fits, else its arguments on one line of their own, else on one each."""
    text = ", ".join(arguments)
    for line in (f"def __init__({text}) -> None: ...", f"def __init__(\n        {text}\n    ) -> None: ..."):
        if all(len(part) <= width for part in f"    {line}".splitlines()):
            return line
    return "def __init__(\n" + "".join(f"        {argument},\n" for argument in arguments) + "    ) -> None: ..."


def of_sklearn(name: str) -> str:
    made = getattr(adapters, name)
    learner = made()._learner()
    bases = ["_Weighted" if issubclass(made, WeightedClassifier) else "_Unweighted"]
    bases += ["_Probable"] if has_probabilities(learner) else ["_Scored"] if is_scored(learner) else []
    return stub_of(made, bases, adapters.CLASSES[name])


def of_river(name: str) -> str:
    return stub_of(getattr(river_adapters, name), ["_Classifier"], river_adapters.CLASSES[name])


def pages() -> dict[Path, str]:
    """The text of each stub."""
    return {
        FOLDER / "sklearn.pyi": "\n".join([HEAD, *map(of_sklearn, adapters.CLASSES)]),
        FOLDER / "river.pyi": "\n".join([RIVER, *map(of_river, river_adapters.CLASSES)]),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
