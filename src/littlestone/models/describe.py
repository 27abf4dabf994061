"""A learner as text: its name and settings, from which the catalogue makes the same learner again."""

import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import learners
from littlestone.concepts.finite import NAMED, ConceptClass
from littlestone.errors import LittlestoneError, require
from littlestone.learners import experts, multiclass, reductions
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import ClassLearner, Learner, Rule
from littlestone.protocol.foreign import UNSAVED, Foreign

TYPES: dict[str, type] = {
    "two classes": Learner,
    "several classes": ClassLearner,
    "advice": Rule,
}  # of learners, by the kind of their model


def known(kind: str = "two classes") -> tuple[str, ...]:
    """Every learner of that kind that the catalogue makes."""
    if kind == "advice":
        return experts.names()
    two = reductions.of_two_classes()
    return (*learners.names(), *two) if kind == "two classes" else (*multiclass.names(), *(r for r in reductions.names() if r not in two))


def _factory(name: str) -> Callable[..., Any]:
    rooms = (learners, multiclass, experts, reductions)
    return next(room for room in rooms if name in room.names()).factory(name)


def described(learner: Any) -> dict[str, Any]:
    """Its name, its settings in numbers and text that JSON keeps exactly, and the file it stands in where that is the user's own.

    >>> import littlestone as ls
    >>> described(ls.winnow(n=8, alpha=1.5))
    {'name': 'winnow', 'file': None, 'settings': {'n': 8, 'k': None, 'alpha': '3/2', 'theta': '8'}}
    >>> described(ls.one_vs_rest(ls.arow()))["settings"]["learner"]["name"]
    'arow'
    """
    require(not isinstance(learner, Foreign), UNSAVED.format(learner.name))
    settings: dict[str, Any] = {}
    for name, value in learner.settings.items():
        settings |= _class(learner, value) if isinstance(value, ConceptClass) else {name: _plain(learner, name, value)}
    description = {"name": learner.name, "file": _file(learner), "settings": settings}
    members = getattr(learner, "members", ())
    own = [member for member in map(described, members) if member["file"] is not None]
    return {**description, "own": own} if own else description


def made(description: Mapping[str, Any], own: Any = None, kind: str = "two classes") -> Any:
    """The learner described: from the catalogue, or `learner` of the caller (a learner, or the function that makes one).

    Of a reduction of a learner of the user's own, either of the two will do; of a panel, its own members, one or a list of them.
    """
    name, settings, type_ = description["name"], dict(description["settings"]), TYPES[kind]
    if description.get("own") and not isinstance(own, Panel | ClassPanel):
        settings["members"], own = _members(description, own), None
    if name == "panel":
        settings.setdefault("forecast", False)  # files of before there were forecasts do not name it
        settings.setdefault("calibrate", False)  # nor do those of before there were bins
        settings.setdefault("label_by", "vote")  # nor those of before the label was the forecast's
    if name == "class_panel":
        settings.setdefault("weigh", False)  # nor do those of before its rule heeded weights
        settings.setdefault("logs", False)  # nor those of before a discriminant of logarithms sat there
        settings.setdefault("label_by", "vote")  # nor those of before the label was the forecast's
    inside = settings.get("learner")
    if description["file"] is None and not isinstance(own, type_) and isinstance(inside, dict):
        settings["learner"], own = made(inside, own), None
    elif own is not None and name in reductions.of_two_classes() and isinstance(inside, str) and getattr(own, "name", "") != name:
        rest = {key: value for key, value in settings.items() if key != "learner"}
        own = reductions.factory(name)(own if isinstance(own, Learner) else _of_settings(inside, own, rest, {"settings": rest}))
    if own is None:
        where = f"{description['file']}::{name}"
        why = f"its learner is {where}, and no code is run because a file asks for it; give the learner itself, learner={name}"
        require(description["file"] is None, why)
        require(name in known(kind), f"its learner {name!r} is not known; this version has {', '.join(known(kind))}")
        own = _factory(name)
    learner = own if isinstance(own, type_) else _of_settings(name, own, settings, description)
    require(isinstance(learner, type_), f"its learner {name!r}: {learner!r} is no {type_.__name__}")
    now, then = ({**d, "file": None} for d in (described(learner), description))
    if "own" not in then:  # a file of before does not say which members are the user's own
        now.pop("own", None)
    require(now == then, f"its learner is {then['name']} with {then['settings']}; this one is {now['name']} with {now['settings']}")
    return learner


def _members(description: Mapping[str, Any], makers: Any) -> list[Any]:
    """The members of a panel: texts, and in the place of the user's own what makes them, one or several."""
    makers, own = list(makers) if isinstance(makers, list | tuple) else [makers], list(description["own"])
    members: list[Any] = []
    for text in description["settings"]["members"].split():
        member = next((learner for learner in own if learner["name"] == text), None)
        if member is not None:
            own.remove(member)
            maker = next((maker for maker in makers if getattr(maker, "name", getattr(maker, "__name__", "")) == text), None)
            makers = [other for other in makers if other is not maker or not isinstance(maker, Learner)]
            members.append(made(member, maker))
        else:
            members.append(text)
    return members


def _of_settings(name: str, factory: Any, settings: dict[str, Any], description: Mapping[str, Any]) -> Any:
    """What the factory makes of these settings. Some are told by others (η by the number of rounds, β by η), which may not be given."""
    ways: list[dict[str, Any]] = [settings]
    if settings.get("eta") is not None:
        ways += [{**settings, derived: None} for derived in ("beta", "eta") if settings.get(derived) is not None]
    learner, refusal = None, None
    for way in ways:
        try:
            learner = factory(**way)
        except (LittlestoneError, TypeError, ValueError) as error:
            refusal = refusal or error
            continue
        if described(learner)["settings"] == description["settings"]:
            return learner
    require(learner is not None, f"its learner {name!r} cannot be made of these settings: {refusal}")
    return learner


def _plain(learner: Any, name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Learner):
        return described(value)
    if isinstance(value, Fraction):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise LittlestoneError(f"{learner.name}: the setting {name}={value!r} cannot be written to a file; expected a number or text")


def _class(learner: Any, concepts: ConceptClass) -> dict[str, Any]:
    """A class by its name and numbers."""
    for name, make in NAMED.items():
        for r in (None, getattr(concepts, "r", None)):
            settings = {"concepts": name, "n": concepts.n} | ({} if r is None else {"r": r})
            if name.endswith(concepts.name) and repr(make(*list(settings.values())[1:])) == repr(concepts):  # type: ignore[operator]
                return settings
    raise LittlestoneError(f"{learner.name}: {concepts!r} cannot be written to a file; expected a class with a name: {', '.join(NAMED)}")


def _file(learner: Any) -> str | None:
    """Where a learner that is not of the catalogue stands."""
    module = inspect.getmodule(learner.code)
    home = getattr(module, "__name__", "")
    ours = learner.name in known(learner.kind) and home.startswith("littlestone.")
    return None if ours else Path(getattr(module, "__file__", None) or "own.py").name
