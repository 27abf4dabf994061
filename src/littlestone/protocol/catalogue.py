"""What a folder of functions holds: one file each, with a function of the same name in it. Nothing is listed by hand."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

from littlestone.errors import LittlestoneError
from littlestone.protocol import naming

Made = TypeVar("Made")


class Catalogue(Generic[Made]):
    """The functions of one package, found by walking its folder; a file whose name begins with _ helps the others and is left out.

    `kind` is the word for one of them in messages. A file is imported when its function is first asked for.

    >>> from littlestone import reference
    >>> twins = Catalogue("lecture", reference.__name__, reference.__path__)
    >>> "winnow" in twins.names(), twins.factory("winnow").__name__
    (True, 'winnow')
    >>> twins.factory("winow")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: lecture 'winow' is not known (did you mean winnow?); expected one of ...
    """

    def __init__(self, kind: str, package: str, folder: Iterable[str]) -> None:
        self.kind, self.package = kind, package
        self._names = tuple(sorted(file.name for file in iter_modules(folder) if not file.name.startswith("_")))

    def names(self) -> tuple[str, ...]:
        """Every one of them."""
        return self._names

    def module(self, name: str) -> Any:
        """The file of this name, imported."""
        if name not in self.names():
            near = get_close_matches(name, self.names(), 1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            raise LittlestoneError(f"{self.kind} {name!r} is not known{meant}; expected one of {', '.join(self.names())}")
        return import_module(f"{self.package}.{name}")

    def factory(self, name: str) -> Callable[..., Made]:
        """The function of this name."""
        return getattr(self.module(name), name)

    def named(self, text: str, **settings: Any) -> Made:
        """What a text such as `adaptive:eta=1/10` names; `settings` are used where the text does not say otherwise."""
        name, parts = naming.split(text)
        return naming.made(self.kind, text, self.factory(name), parts, **settings)

    def text_of(self, made: Any, without: Iterable[str] = ()) -> str:
        """The text that names it, `without` some of its settings; of what is not in the catalogue, its name alone."""
        if made.name not in self.names():
            return made.name
        settings = {key: value for key, value in made.settings.items() if key not in without}
        return naming.text_of(made.name, settings, self.factory(made.name), self.as_member(made.name))

    def as_member(self, name: str) -> dict[str, Any]:
        """What settings are where a text does not write them, if that is not as usual."""
        return getattr(self.module(name), "AS_MEMBER", {})

    def those_with(self, flag: str) -> tuple[str, ...]:
        """The names whose file sets this flag."""
        return tuple(name for name in self.names() if getattr(self.module(name), flag, False))
