"""`NAME:key=value:key=value` or `file.py::name:key=value`, as a learner."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import LittlestoneError, require
from littlestone.protocol import naming
from littlestone.protocol.own_files import named_in_file

if TYPE_CHECKING:
    from littlestone.protocol import ClassLearner, Learner

# what other libraries call the learners that are nearest to these
MEANT = dict.fromkeys(("logistic", "logistic_regression", "logisticregression", "logreg", "adagrad", "sgd"), "adaptive")
MEANT |= dict.fromkeys(("nb", "bayes", "naivebayes", "multinomialnb"), "naive_bayes")
MEANT |= dict.fromkeys(("coin_betting", "coinbetting", "cocob"), "coin")

PANEL = re.compile("panel(?=[:,]|$)")
MEMBERS = re.compile("[:,]members=(?P<members>.*?)(?=[:,](?:rule|blend|forecast|label_by|n)=|$)")
BETWEEN_MEMBERS = re.compile(r"\s+|\+(?=\D)")  # a plus, unless it belongs to a number


def learner_named(text: str, n: int | None = None, members: list[str] | None = None) -> Learner | ClassLearner:
    """The learner the user asked for. In `one_vs_rest:learner=winnow:alpha=3/2` the further settings are the binary learner's, and in
    `panel:rule=fixed_share:alpha=1/100` the rule's.
    """
    around, is_inner, own = text.partition(":learner=")
    if is_inner and "::" in own and around.isidentifier():  # a reduction of a learner of the user's own
        return _from_catalogue(around)(learner_named(own, n))
    if PANEL.match(text):
        return _panel(text, n, members)
    factory, name, parts = maker_of(text)
    known = inspect.signature(factory).parameters
    if "learner" in known:
        return factory(_inner(text, name, parts, n))
    require(not members, f"--members: {name} has no members; expected --learner panel, or none")
    require(n is None or "n" in known, f"--n {n}: {name} takes no n")
    learner = naming.made("learner", text, factory, parts, **({} if n is None else {"n": n}))
    if not hasattr(learner, "family"):
        raise LittlestoneError(f"learner {text!r}: {name} returned {learner!r}; expected a Learner")
    return learner


def _panel(text: str, n: int | None, members: list[str] | None) -> Any:
    """A panel; what stands behind `members=` are members with their settings, what stands behind its rule are settings of the rule."""
    chosen = MEMBERS.search(text)
    _, parts = naming.split(text if chosen is None else text[: chosen.start()] + text[chosen.end() :])
    own = [part for part in parts if part.partition("=")[0] in ("blend", "forecast", "calibrate", "label_by", "n")]  # wherever they stand
    parts = [*own, *(part for part in parts if part not in own)]
    at = next((k for k, part in enumerate(parts) if part.startswith("rule=")), len(parts))
    choices: dict[str, Any] = {"rule": ":".join(parts[at:]).partition("=")[2]} if at < len(parts) else {}
    texts = [*(members or ()), *([] if chosen is None else BETWEEN_MEMBERS.split(chosen["members"]))]
    if texts:
        choices["members"] = [_member(member) for member in " ".join(texts).split()]
    return naming.made("learner", text, _from_catalogue("panel"), parts[:at], **choices, **({} if n is None else {"n": n}))


def _member(text: str) -> Any:
    """A member by its name and settings, or a learner of the user's own."""
    if "::" in text:
        return learner_named(text)
    others = [part for part in naming.split(text)[1] if "=" not in part]
    require(not others, f"--members {text}: {', '.join(others)} is no setting; members stand between blanks: --members 'perceptron arow'")
    return text


def _inner(text: str, name: str, parts: list[str], n: int | None) -> Any:
    """The binary learner that a reduction is to be made of."""
    at = next((k for k, part in enumerate(parts) if part.startswith("learner=")), len(parts))
    require(at < len(parts), f"learner {text!r}: {name} is made of a binary learner; expected {name}:learner=NAME, such as arow")
    chosen = parts[at].partition("=")[2]
    inner = learner_named(":".join([chosen, *parts[:at], *parts[at + 1 :]]), n)
    require(not hasattr(inner, "engine"), f"learner {text!r}: {chosen} takes several classes already; expected a binary learner")
    return inner


def _from_catalogue(name: str) -> Callable[..., Any]:
    from littlestone import learners
    from littlestone.learners import experts, reductions
    from littlestone.learners import multiclass as classes

    require(
        name not in experts.names(),
        f"{name!r} is a rule over the advice of experts, and a stream has none: littlestone experts TABLE --rule {name}, or "
        f"ls.play(ls.{name}(), advice, truth)",
    )
    for room in (classes, reductions):
        if name in room.names():
            return room.factory(name)
    if name not in learners.names():
        expected = [*learners.names(), *classes.names(), *reductions.names()]
        near = [MEANT[name.lower()]] if name.lower() in MEANT else get_close_matches(name, expected, 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise LittlestoneError(f"learner {name!r} is not known{meant}; expected one of {', '.join(expected)}")
    return learners.factory(name)


def learner_of_model(text: str) -> Any:
    """What `load` is to be told of a learner of the user's own; of a rule over experts the function that makes it, since the model knows
    how many experts there are.
    """
    if "::" in text and ":learner=" not in text and not PANEL.match(text):
        factory, _, parts = maker_of(text)
        if getattr(naming.made("rule", text, factory, parts), "kind", "") == "advice":
            return factory
    return learner_named(text)


def rule_of_text(text: str) -> Any:
    """A rule as `ls.experts` takes it: its name, or of a file of the user's own a function that makes it for the advice of a table."""
    if "::" not in text:
        return text
    from littlestone.api.experts import rule_named

    factory, name, _ = maker_of(text)

    def make(advice: str, seed: int = 0) -> Any:
        return rule_named(text.rpartition("::")[2], advice, seed, factory)

    make.__name__ = name
    return make


def maker_of(text: str) -> tuple[Callable[..., Any], str, list[str]]:
    """The function that makes a learner, of the catalogue or of a file; its name, and the settings after it."""
    path, inside, rest = text.rpartition("::")
    name, parts = naming.split(rest)
    if not inside:
        return _from_catalogue(name), name, parts
    factory = named_in_file(Path(path), name)
    if not callable(factory):
        raise LittlestoneError(f"{path}: has no function {name!r}")
    return factory, name, parts
