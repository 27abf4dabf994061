"""Write src/littlestone/adapters/sklearn.pyi: the classifiers that are made from the catalogue, as type checkers and editors see them.

python scripts/stubs.py
"""

from pathlib import Path

from littlestone.adapters import sklearn as adapters
from littlestone.adapters.estimators import WeightedClassifier, has_probabilities, is_scored

PAGE = Path(__file__).resolve().parent.parent / "src" / "littlestone" / "adapters" / "sklearn.pyi"

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
OWN = {"class_weight": "_Weights", "binarize": "float | None", "n_iter": "int", "certify": "bool", "ledger": "bool | None"}


def type_of(annotation: object) -> str:
    """The type of a setting as the stub has it: numbers may be fractions, or texts such as 1/3."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return text.replace("fractions.Fraction", "Fraction").replace("float | Fraction", "_Number")


def stub_of(name: str) -> str:
    """The class of one learner."""
    made = getattr(adapters, name)
    learner, types = made()._learner(), {key: type_of(kind) for key, kind in adapters.annotations_of(adapters.CLASSES[name]).items()} | OWN
    bases = ["_Weighted" if issubclass(made, WeightedClassifier) else "_Unweighted"]
    bases += ["_Probable"] if has_probabilities(learner) else ["_Scored"] if is_scored(learner) else []
    lines = [f"        {key}: {types[key]} = {value!r}," for key, value in made().get_params().items()]
    lines = "\n".join(lines).replace("'", '"')
    return f"class {name}({', '.join(bases)}):\n    def __init__(\n        self,\n        *,\n{lines}\n    ) -> None: ...\n"


def page() -> str:
    """All of the stub."""
    return "\n".join([HEAD, *(stub_of(name) for name in adapters.CLASSES)])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
