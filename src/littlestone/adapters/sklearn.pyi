"""Written by `python scripts/stubs.py`: the classifiers that are made from the catalogue."""

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

class AdaptiveClassifier(_Weighted, _Probable):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        eta: _Number = 0.5,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class AlmaClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        alpha: _Number = 0.9,
        bias: _Number = 1,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class AppleTastingClassifier(_Unweighted):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        seed: int = 0,
        taste: _Number = 0.1,
    ) -> None: ...

class ArowClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        r: _Number = 1,
    ) -> None: ...

class ArowFullClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        dense: int = 64,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        r: _Number = 1,
    ) -> None: ...

class BalancedWinnowClassifier(_Unweighted):
    def __init__(
        self,
        *,
        certify: bool = True,
        eta: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        margin: _Number = 0,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class CoinClassifier(_Weighted, _Probable):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        wealth: _Number = 4,
    ) -> None: ...

class ConjunctionsClassifier(_Unweighted):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class DisjunctionsClassifier(_Unweighted):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class MemorizerClassifier(_Unweighted):
    def __init__(
        self, *, certify: bool = True, labels: Sequence[Any] | str | None = None, ledger: bool | None = None, n_iter: int = 1
    ) -> None: ...

class NaiveBayesClassifier(_Weighted, _Probable):
    def __init__(
        self,
        *,
        alpha: _Number = 0.1,
        certify: bool = True,
        class_weight: _Weights = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class NormalizedClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        eta: _Number = 2,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        loss: str = "hinge",
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class PairsClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        eta: _Number = 2,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        most: int = 40,
        n: int | None = None,
        n_iter: int = 1,
        room: int = 1048576,
    ) -> None: ...

class PassiveAggressiveClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        C: _Number | None = 1,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        variant: str = "I",
    ) -> None: ...

class PerceptronClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        averaged: bool = False,
        bias: _Number = 1,
        certify: bool = True,
        class_weight: _Weights = None,
        k: int | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        margin: _Number = 0,
        n: int | None = None,
        n_iter: int = 1,
        preset: str | None = None,
    ) -> None: ...

class PnormClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        p: int | None = None,
    ) -> None: ...

class SecondOrderClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        a: _Number = 1,
        bias: _Number = 1,
        certify: bool = True,
        dense: int = 64,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class SelectiveClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        b: _Number = 1,
        bias: _Number = 1,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        seed: int = 0,
    ) -> None: ...

class ShiftingClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        lam: _Number = 1,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class WinnowClassifier(_Unweighted):
    def __init__(
        self,
        *,
        alpha: _Number | None = None,
        binarize: float | None = 0.0,
        certify: bool = True,
        choice: str = "k-1",
        k: int | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        preset: str | None = None,
        theta: _Number | None = None,
    ) -> None: ...

class WinnowDoublingClassifier(_Unweighted):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        largest: int = 256,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class WinnowEliminationClassifier(_Unweighted):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        theta: _Number | None = None,
    ) -> None: ...

class WinnowRealClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        alpha: _Number | None = None,
        binarize: float | None = 0.0,
        certify: bool = True,
        complement: bool = False,
        delta: _Number = 0.5,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class BanditronClassifier(_Unweighted, _Scored):
    def __init__(
        self,
        *,
        certify: bool = True,
        explore: _Number = 0.1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
        seed: int = 0,
    ) -> None: ...

class MulticlassPerceptronClassifier(_Weighted, _Scored):
    def __init__(
        self,
        *,
        certify: bool = True,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        n: int | None = None,
        n_iter: int = 1,
    ) -> None: ...

class PanelClassifier(_Weighted, _Probable):
    def __init__(
        self,
        *,
        blend: bool = True,
        calibrate: bool | None = None,
        certify: bool = True,
        class_weight: _Weights = None,
        forecast: bool = True,
        label_by: str | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = None,
        members: str | Sequence[str | Learner] | None = None,
        n: int | None = None,
        n_iter: int = 1,
        rule: str | Rule = "adahedge",
        weigh: bool | None = None,
    ) -> None: ...
