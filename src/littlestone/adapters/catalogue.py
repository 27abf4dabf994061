"""Our learners as classes of another library, made from the catalogue: what scikit-learn's adapter and River's have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import log_expit

from littlestone.errors import require
from littlestone.learners import binary, multiclass, reductions
from littlestone.learners.reductions.class_panel import ClassPanel, of_panel
from littlestone.learners.reductions.one_vs_rest import one_vs_rest
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import ClassLearner, Learner, naming
from littlestone.theory import class_panel as class_panels
from littlestone.theory.numbers import fraction

BIAS = 1  # the constant feature that learners have here unless told otherwise, as other libraries' have an intercept
LEAST_SHARE = 1e-6  # that a panel of several classes leaves to a class nobody votes for, so that costs can outweigh the votes
ROOMS = (binary, multiclass, reductions)
NO_CLASS = ("halving", "optimal")
CONCEPTS = (
    "{0} has no {1} classifier: it is made for one class of concepts, and refuses streams that contradict it; "
    "ls.play(ls.{0}(concepts, n=n), X, y) plays it"
)
NAMES = tuple(name for name in (*binary.names(), *multiclass.names(), "panel") if name not in NO_CLASS)  # learners that have a class


def factory_of(name: str, library: str = "scikit-learn") -> Callable[..., Any]:
    """The function that makes the learner of this name, of those that a classifier can be made of."""
    require(name not in NO_CLASS, CONCEPTS.format(name, library))
    room: Any = next((room for room in ROOMS if name in room.names()), binary)
    return room.factory(name)


def learner_of(learner: Any, settings: Mapping[str, Any] | None = None, library: str = "scikit-learn") -> Any:
    """The learner of a text such as `arow:r=10`, or a learner itself; of a reduction, `learner` among the settings is another such text.

    >>> learner_of("arow", {"r": 10}), learner_of("one_vs_rest", {"learner": "arow:r=10"}).name
    (arow(r=10, bias=1), 'one_vs_rest')
    """
    if isinstance(learner, Learner | ClassLearner):
        require(not settings, f"settings={settings!r} go with the name of a learner; {learner!r} has its own")
        return learner
    require(
        isinstance(learner, str), f"learner={learner!r}: expected a name such as 'panel' or 'arow:r=10', or a learner such as ls.arow()"
    )
    require(settings is None or isinstance(settings, Mapping), f"settings={settings!r}: expected a mapping, such as {{'r': 10}}")
    choices = dict(settings or {})
    name, parts = naming.split(learner)
    factory = factory_of(name, library)
    if "learner" in choices:
        choices["learner"] = learner_of(choices["learner"], library=library)
    if "bias" in inspect.signature(factory).parameters:
        choices.setdefault("bias", BIAS)
    return naming.made("learner", learner, factory, parts, **choices)


def several_of(learner: Any) -> Any:
    """The learner of several classes that a learner of two makes: a panel of several, or one for each class against the rest."""
    if learner.kind == "several classes":
        return learner
    own = isinstance(learner, Panel) and learner.settings["rule"] == class_panels.RULE
    return of_panel(learner) if own else one_vs_rest(learner)


def inner_of(learner: Any) -> Any:
    """Of a reduction of several classes to two, the learner of two that it is made of; any other learner itself."""
    return learner.settings.get("learner", learner) if learner.kind == "several classes" else learner


def is_scored(learner: Any) -> bool:
    """Does it decide by a score, so that there is a `decision_function`?"""
    inner = inner_of(learner)
    return inner.scored if inner.kind == "two classes" else True


def has_probabilities(learner: Any) -> bool:
    """Are its scores logarithms of odds, so that there is a `predict_proba`?"""
    inner = inner_of(learner)
    return isinstance(learner, ClassPanel) or (
        inner.kind == "two classes" and inner.probabilities and learner.name != "all_pairs"  # pairs give votes
    )


def log_chances(learner: ClassPanel, scores: np.ndarray) -> np.ndarray:
    """The logarithm of what a panel of several classes gives to each: its probability, or the share of the votes where none is forecast."""
    return log_expit(scores) if learner.probabilities else np.log(np.maximum(scores, LEAST_SHARE))


def plain(value: Any) -> Any:
    """A default as scikit-learn can compare and show it: a fraction as the decimal number it is, or as text."""
    if not isinstance(value, Fraction):
        return value
    return float(value) if fraction(float(value)) == value else str(value)


def annotations_of(learner: str) -> dict[str, Any]:
    """The settings of a learner by their names, with their types."""
    return {name: parameter.annotation for name, parameter in inspect.signature(factory_of(learner)).parameters.items()}


def parameters_of(learner: str) -> dict[str, Any]:
    """The settings of a learner by their names, with what they are unless given."""
    defaults = {name: plain(parameter.default) for name, parameter in inspect.signature(factory_of(learner)).parameters.items()}
    return defaults | ({"bias": BIAS} if "bias" in defaults else {})


def documented(learner: Any, defaults: Mapping[str, Any], own: Mapping[str, str]) -> list[str]:
    """The parameters of a class with what they may be, as lines of its docstring; `own` says what those mean that are no settings."""
    lines = ["Parameters", "----------"]
    for key, value in defaults.items():
        setting = learner.family.settings.get(key)
        limits = own.get(key) or "; ".join(must for _, must in (setting.checks if setting else ())).capitalize()
        kind = "" if setting is None else f"{setting.kind}, "
        lines += [f"{key} : {kind}default={value!r}", *([f"    {limits}" if limits[-1] in ".?" else f"    {limits}."] if limits else [])]
    return lines


def made_class(name: str, learner: str, base: type, own: Mapping[str, Any], words: Mapping[str, str], **body: Any) -> type:
    """The class of a learner: its parameters are the settings of the learner, and `own` ones with what they are unless given."""
    make, settings = factory_of(learner), parameters_of(learner)
    defaults = settings | dict(own)

    def __init__(self: Any, **parameters: Any) -> None:
        for key, value in (defaults | parameters).items():
            if key not in defaults:
                raise TypeError(f"{name} has no parameter {key!r}; it has: {', '.join(defaults)}")
            setattr(self, key, value)

    def _learner(self: Any) -> Any:
        return make(**{key: getattr(self, key) for key in settings})

    chosen = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value) for key, value in defaults.items()]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *chosen])  # type: ignore[attr-defined]
    story = "\n".join([inspect.getdoc(make) or "", "", *documented(sample_of(learner), defaults, words)])
    return type(name, (base,), {"__init__": __init__, "_learner": _learner, "__doc__": story, **body})


def sample_of(learner: str) -> Any:
    """The learner with settings as they are unless given, and some n: to ask what it can do."""
    return factory_of(learner)(**({"n": 16} if "n" in parameters_of(learner) else {}))


def camel(learner: str) -> str:
    """`passive_aggressive` is `PassiveAggressive`."""
    return "".join(part.capitalize() for part in learner.split("_"))
