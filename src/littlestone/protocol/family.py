"""What a learner has from its family; and the family of a user's own learner, made of what its maker says of it."""

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import LittlestoneError
from littlestone.hooks import above
from littlestone.reference.calls import named_by
from littlestone.reference.replay import defined, definition
from littlestone.theory import Bound, Invariant, families
from littlestone.theory.families import Family, RuleFamily


class OfFamily:
    """A learner's family, read through the learner."""

    family: Any
    settings: Mapping[str, Any]

    def __reduce__(self) -> tuple:
        """What pickle keeps is its description, from which the same learner is made again."""
        return above("unpacked"), above("packed")(self)

    def __copy__(self) -> Any:
        return self  # a learner never changes

    def __deepcopy__(self, memo: dict) -> Any:
        return self

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Its theorems."""
        return self.family.theorems

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        return self.family.invariants

    @property
    def domain(self) -> str:
        """Which features it takes: 0 or 1, numbers from 0 to 1, or any numbers."""
        return self.family.domain

    @property
    def arithmetic(self) -> str:
        return self.family.arithmetic

    @property
    def updates_on(self) -> str:
        return self.family.updates_on

    @property
    def weighted(self) -> bool:
        """Does a round of weight c count and teach c times?"""
        return self.family.weighted

    @property
    def never(self) -> str:
        """Mistakes that it never makes where its assumption holds: "false_positives" or "false_negatives", or none of them."""
        return self.family.never

    @property
    def source(self) -> str:
        return self.family.source

    @property
    def twin(self) -> Callable[..., Any] | None:
        """Its reference definition, with these settings; None where it has none."""
        return played_by(self.family) if defined(self.family) else None


class OfFeatures(OfFamily):
    """A learner over rows of features."""

    name: str
    with_n: Any

    if TYPE_CHECKING:  # declared, or known from what is declared

        @property
        def n(self) -> int | None: ...

        @property
        def needs_n(self) -> bool: ...

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.settings.items() if v is not None)})"

    def sized(self, n: int | None) -> Any:
        """This learner for n features, where its rule needs to know how many there are."""
        if self.n is not None or not self.needs_n:
            return self
        if n is None or self.with_n is None:
            raise LittlestoneError(f"{self.name} needs n, the number of features: its threshold depends on it")
        return self.with_n(n)


def played_by(family: Family) -> Callable[..., Any]:
    """The definition of a family with its settings."""
    inner = {} if family.inner is None else {"twin": played_by(family.inner)}
    # a class of concepts as a certificate describes it: its concepts need not be asked one by one
    settings = {key: value.described() if hasattr(value, "described") else value for key, value in (family.values or {}).items()}
    twin, values = definition(family), {**settings, **inner}
    names = named_by(twin)
    return partial(twin, **{name: value for name, value in values.items() if names is None or name in names})


#: What the maker of a learner may say of it in place of a family.
CHOICES = {
    "bounds": "theorems", "invariants": "invariants", "domain": "domain", "arithmetic": "arithmetic", "updates_on": "updates_on",
    "weighted": "weighted", "never": "never", "source": "source", "twin": "twin", "probabilities": "odds",
}  # fmt: skip


def takes_family(cls: type) -> type:
    """Let a class of learners be made with `bounds=`, `domain=`, ... in place of a family, or beside one."""
    make = cls.__init__  # type: ignore[misc]

    @wraps(make)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        choices = {CHOICES[key]: named.pop(key) for key in CHOICES if key in named}
        if choices:
            family = named.get("family") or Family(named["name"] if "name" in named else arguments[0])
            named["family"] = replace(family, **choices)
        make(self, *arguments, **named)

    cls.__init__ = __init__  # type: ignore[misc]
    return cls


def chosen_family(family: Family | None, name: str, settings: Mapping[str, Any], part: Any) -> Family:
    """The family with these settings; one that is none of this library's is marked with the file that `part` of the learner stands in."""
    if family is not None and family.values is not None:
        if family.name == name:
            return family
        # another learner's record under a name of the user's own: its theorems, and its definition, are theirs now
        return replace(family, name=name, own=file_of(part), proof=None, twin=definition(family) if defined(family) else family.twin)
    family = family or Family(name)
    ours = families.known(family.name) and families.family(family.name) is family
    chosen = family.chosen(settings)
    return chosen if ours else replace(chosen, own=file_of(part))


def chosen_rule(family: RuleFamily, settings: Mapping[str, Any], part: Any) -> RuleFamily:
    """The same of a rule over experts."""
    chosen = family.chosen(settings)
    ours = family.values is not None or (families.known(family.name) and families.family(family.name) is family)
    return chosen if ours else replace(chosen, own=file_of(part))


def file_of(part: Any) -> dict[str, str]:
    """The name of the file that a function stands in, and its digest; of a function that stands in none, the digest of its code."""
    code = getattr(getattr(part, "py_func", getattr(part, "func", part)), "__code__", None)
    path = Path(code.co_filename if code is not None else getattr(sys.modules.get(part.__module__), "__file__", None) or "")
    if not path.is_file():
        return {"name": path.name or "nowhere", "sha256": hashlib.sha256(b"" if code is None else code.co_code).hexdigest()}
    return {"name": path.name, "sha256": _digest(path, path.stat().st_mtime_ns)}


@cache
def _digest(path: Path, written: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
