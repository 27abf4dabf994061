"""`NAME:key=value:key=value`: learners and rules as text, and back."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from littlestone.errors import LittlestoneError, require


def split(text: str) -> tuple[str, list[str]]:
    """The name, and the settings after it.

    >>> split("adaptive:eta=1/2,bias=1")
    ('adaptive', ['eta=1/2', 'bias=1'])
    """
    name, *parts = [part for part in re.split("[:,]", text) if part] or [""]
    return name, parts


def made(kind: str, text: str, factory: Callable[..., Any], parts: Sequence[str], **defaults: Any) -> Any:
    """What the factory makes of these settings; `defaults` are used where the text does not say otherwise."""
    known, name, settings = parameters_of(factory), factory.__name__, {}
    for part in parts:
        key, equals, value = part.partition("=")
        require(equals, f"{kind} {text!r}: {part!r} must have the form key=value")
        require(key in known, f"{kind} {text!r}: {name} has no setting {key!r}; it has: {', '.join(known) or 'none'}")
        settings[key] = as_setting(value)
    try:
        return factory(**{**defaults, **settings})
    except LittlestoneError:
        raise
    except (TypeError, ValueError) as error:
        raise LittlestoneError(f"{kind} {text!r} cannot be made: {error}") from None


@lru_cache(256)
def parameters_of(factory: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """To look at them takes longer than to make what it makes."""
    return inspect.signature(factory).parameters


def as_setting(text: str) -> Any:
    """A whole number, yes or no where it is one; anything else as written, for the factory to read exactly."""
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else text


def text_of(name: str, settings: Mapping[str, Any], factory: Callable[..., Any], otherwise: Mapping[str, Any]) -> str:
    """The text that makes it: its name, and the settings that are not what they are unless given; `otherwise` some are something else."""
    defaults = {key: parameter.default for key, parameter in parameters_of(factory).items()} | dict(otherwise)
    parts = [f"{key}={value}" for key, value in settings.items() if value is not None and value != defaults.get(key)]
    return ":".join([name, *parts])
