"""Written by `python scripts/stubs.py`: the classifiers that are made from the catalogue."""

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

class Adaptive(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        eta: _Number = 0.5,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class Alma(_Classifier):
    def __init__(
        self,
        *,
        alpha: _Number = 0.9,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class AppleTasting(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        seed: int = 0,
        taste: _Number = 0.1,
    ) -> None: ...

class Arow(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        r: _Number = 1,
    ) -> None: ...

class ArowFull(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        dense: int = 64,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        r: _Number = 1,
    ) -> None: ...

class BalancedWinnow(_Classifier):
    def __init__(
        self,
        *,
        eta: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        margin: _Number = 0,
        n: int | None = None,
    ) -> None: ...

class Coin(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        wealth: _Number = 4,
    ) -> None: ...

class Conjunctions(_Classifier):
    def __init__(
        self, *, binarize: float | None = 0.0, labels: Sequence[Any] | str | None = None, ledger: bool | None = False, n: int | None = None
    ) -> None: ...

class Disjunctions(_Classifier):
    def __init__(
        self, *, binarize: float | None = 0.0, labels: Sequence[Any] | str | None = None, ledger: bool | None = False, n: int | None = None
    ) -> None: ...

class Memorizer(_Classifier):
    def __init__(self, *, labels: Sequence[Any] | str | None = None, ledger: bool | None = False) -> None: ...

class NaiveBayes(_Classifier):
    def __init__(
        self, *, alpha: _Number = 0.1, labels: Sequence[Any] | str | None = None, ledger: bool | None = False, n: int | None = None
    ) -> None: ...

class Normalized(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        eta: _Number = 2,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        loss: str = "hinge",
        n: int | None = None,
    ) -> None: ...

class Pairs(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        eta: _Number = 2,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        most: int = 40,
        n: int | None = None,
        room: int = 1048576,
    ) -> None: ...

class PassiveAggressive(_Classifier):
    def __init__(
        self,
        *,
        C: _Number | None = 1,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        variant: str = "I",
    ) -> None: ...

class Perceptron(_Classifier):
    def __init__(
        self,
        *,
        averaged: bool = False,
        bias: _Number = 1,
        k: int | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        margin: _Number = 0,
        n: int | None = None,
        preset: str | None = None,
    ) -> None: ...

class Pnorm(_Classifier):
    def __init__(
        self, *, labels: Sequence[Any] | str | None = None, ledger: bool | None = False, n: int | None = None, p: int | None = None
    ) -> None: ...

class SecondOrder(_Classifier):
    def __init__(
        self,
        *,
        a: _Number = 1,
        bias: _Number = 1,
        dense: int = 64,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class Selective(_Classifier):
    def __init__(
        self,
        *,
        b: _Number = 1,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        seed: int = 0,
    ) -> None: ...

class Shifting(_Classifier):
    def __init__(
        self,
        *,
        bias: _Number = 1,
        labels: Sequence[Any] | str | None = None,
        lam: _Number = 1,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class Winnow(_Classifier):
    def __init__(
        self,
        *,
        alpha: _Number | None = None,
        binarize: float | None = 0.0,
        choice: str = "k-1",
        k: int | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        preset: str | None = None,
        theta: _Number | None = None,
    ) -> None: ...

class WinnowDoubling(_Classifier):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        labels: Sequence[Any] | str | None = None,
        largest: int = 256,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class WinnowElimination(_Classifier):
    def __init__(
        self,
        *,
        binarize: float | None = 0.0,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        theta: _Number | None = None,
    ) -> None: ...

class WinnowReal(_Classifier):
    def __init__(
        self,
        *,
        alpha: _Number | None = None,
        binarize: float | None = 0.0,
        complement: bool = False,
        delta: _Number = 0.5,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
    ) -> None: ...

class Banditron(_Classifier):
    def __init__(
        self,
        *,
        explore: _Number = 0.1,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        n: int | None = None,
        seed: int = 0,
    ) -> None: ...

class MulticlassPerceptron(_Classifier):
    def __init__(self, *, labels: Sequence[Any] | str | None = None, ledger: bool | None = False, n: int | None = None) -> None: ...

class Panel(_Classifier):
    def __init__(
        self,
        *,
        blend: bool = True,
        calibrate: bool | None = None,
        forecast: bool = True,
        label_by: str | None = None,
        labels: Sequence[Any] | str | None = None,
        ledger: bool | None = False,
        members: str | Sequence[str | Learner] | None = None,
        n: int | None = None,
        rule: str | Rule = "adahedge",
        weigh: bool | None = None,
    ) -> None: ...
