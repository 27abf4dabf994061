"""What every kind of certificate is on disk: a JSON object that carries its own digest, the SHA-256 of all the rest.

Keys are sorted for the digest, without spaces, in UTF-8. A run has one (theory/certificate.py), a run by key (theory/keyed_certificate.py),
a run over shards (theory/mixing.py), and the error of a frozen model (theory/frozen.py).
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, Refused, require
from littlestone.files import beside, bytes_in
from littlestone.theory.json_shape import fault_in, shortened

WRITERS = (__version__,)  # libraries that wrote these versions
Schema = Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]
Check = Callable[[Mapping[str, Any]], None]
MOST_BYTES = 2**30  # of a file: its longest part names a weight of each of 2^24 features
DEEPEST = 40  # objects and lists within each other; the certificates of a panel's members stand within its own
NESTED = "is nested too deeply for a certificate"


@dataclass(frozen=True, eq=False)
class Sealed:
    """A certificate of whatever kind, as a value: `content` is the JSON object."""

    content: Mapping[str, Any]

    @property
    def digest(self) -> str:
        return self.content["digest"]

    def as_json(self) -> dict[str, Any]:
        return dict(self.content)

    def save(self, path: str | os.PathLike) -> None:
        """Write the file; one of that name is replaced only when all is written, and on the disk."""
        text = json.dumps(self.content, ensure_ascii=False, indent=1) + "\n"
        with beside(Path(path), lasting=True) as file:
            file.write(text.encode("utf-8"))


def sealed_content(format: str, version: int, parts: Mapping[str, Any]) -> dict[str, Any]:
    """These parts under the head that every kind has, with their digest."""
    whole = {"format": format, "version": version, "littlestone": __version__, **parts}
    return {**whole, "digest": digest_of(whole)}


class Opened(NamedTuple):
    """What a certificate has in it, nothing about it checked yet; and what messages call it."""

    content: Any
    name: str

    @property
    def format(self) -> Any:
        return self.content.get("format") if isinstance(self.content, Mapping) else None


def opened(source: Any) -> Opened:
    """A file, a mapping or a certificate, read once: whatever reads certificates takes it as well."""
    if isinstance(source, Opened):
        return source
    if isinstance(source, Sealed | Mapping):
        return Opened(source.content if isinstance(source, Sealed) else source, "the certificate")
    kind = type(source).__name__
    require(isinstance(source, str | os.PathLike), f"a certificate of type {kind}: expected a file, a Certificate or a mapping")
    try:
        data = bytes_in(source, MOST_BYTES, "a certificate, a file of JSON", b"{")
        return Opened(parse(data), str(source))
    except OSError as error:
        raise LittlestoneError(f"{source}: cannot be read ({error.strerror})") from None
    except Refused as error:
        raise Refused(f"{source}: {error}") from None
    except LittlestoneError:  # which names the file already
        raise
    except ValueError as error:
        raise Refused(f"{source}: {error}") from None


def checked_content(source: Any, format: str, versions: Sequence[int], schema: Schema, further: Check = lambda content: None) -> Mapping:
    """The content of a certificate of this format; refused, with the reason, where anything about it is off.

    The schema may depend on the content; `further` raises for what no schema says.
    """
    certificate = opened(source)
    content, name = certificate
    if certificate.format != format:
        raise Refused(f"{name}: is no {format}: its format must be {format!r}")
    try:
        refuse_nested(content)
        version, writer = content.get("version"), content.get("littlestone")
        known = f"version{'s' * (len(versions) > 1)} {', '.join(map(str, versions))}"
        require(type(version) is int and version in versions, f"has version {version!r}; this library reads {known}")
        require(writer in WRITERS, f"was written by littlestone {writer!r}; this library knows {', '.join(WRITERS)}")
        fault = fault_in(content, schema(content) if callable(schema) else schema)
        require(not fault, fault)
        further(content)
        require(content["digest"] == digest_of(content), "was changed after it was made: its digest is not that of its content")
    except LittlestoneError as error:
        raise Refused(f"{name}: {error}") from None
    return content


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 over the content, its own digest left out."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse(text: bytes) -> Any:
    """JSON, strictly: no NaN, no infinity, no key twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            keys = Counter(key for key, _ in pairs)
            twice = next(key for key, count in keys.items() if count > 1)
            raise Refused(f"the key {shortened(twice)} stands twice")
        return members

    def refuse(constant: str) -> Any:
        raise Refused(f"{constant} is no number of JSON")

    def finite(text: str) -> float:
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise Refused(f"{text[:40]} is too large for a number")
        return number

    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=refuse, parse_float=finite)
    except Refused:
        raise
    except UnicodeDecodeError:
        raise Refused("is not text in UTF-8; expected JSON") from None
    except json.JSONDecodeError as error:
        raise Refused(f"line {error.lineno}, column {error.colno}: is not JSON ({error.msg}): truncated, or no certificate") from None
    except RecursionError:
        raise Refused(NESTED) from None
    except ValueError:  # Python reads no whole number of more than some thousand digits
        raise Refused("has a whole number of more digits than any of a certificate") from None


def refuse_nested(content: Any) -> None:
    """Refuse what is nested more deeply than a certificate is, before anything follows it down."""
    level = [content]
    for _ in range(DEEPEST):
        inner = (value.values() if isinstance(value, Mapping) else value for value in level)
        level = [value for values in inner for value in values if isinstance(value, Mapping | list | tuple) and value]
        if not level:
            return
    raise Refused(NESTED)
