"""One rule, one file. The catalogue is found by walking this folder: nothing is listed by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from littlestone.errors import LittlestoneError
from littlestone.protocol import Rule, naming


@cache
def names() -> tuple[str, ...]:
    """Every rule of the package: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__)))


def factory(name: str) -> Callable[..., Rule]:
    """The function that makes the named rule; imports its file only now."""
    if name not in names():
        raise LittlestoneError(f"rule {name!r} is not known; expected one of {', '.join(names())}")
    return getattr(import_module(f"{__name__}.{name}"), name)


def named(text: str) -> Rule:
    """The rule of a text such as `fixed_share:alpha=1/100`.

    >>> text_of(named("hedge:eta=1/10"))
    'hedge:eta=1/10'
    """
    name, parts = naming.split(text)
    return naming.made("rule", text, factory(name), parts)


def text_of(rule: Rule) -> str:
    """The text that names it, for any number of experts: β is told by η."""
    told = {key: value for key, value in rule.settings.items() if key != "n" and not (key == "beta" and "eta" in rule.settings)}
    return naming.text_of(rule.name, told, factory(rule.name))
