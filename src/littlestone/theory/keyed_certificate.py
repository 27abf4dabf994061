"""The certificate of a run by key: an ordinary certificate for each key, and what they come to together (theory/keyed.py)."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, Refused, require
from littlestone.files import beside
from littlestone.theory.bound import Claim
from littlestone.theory.certificate import Certificate, digest_of, parse
from littlestone.theory.certificate import read as read_part
from littlestone.theory.keyed import summed, tree_digest

FORMAT = "littlestone certificate by key"
VERSION = 1
MEMBERS = ("format", "version", "littlestone", "key", "counts", "stream", "bounds", "parts", "digest")


@dataclass(frozen=True)
class KeyedCertificate:
    """The certificates of all keys, and their sum. `content` is the JSON object."""

    content: Mapping[str, Any]

    @property
    def parts(self) -> dict[str, Certificate]:
        """The certificate of each key."""
        return {key: Certificate(part) for key, part in self.content["parts"].items()}

    @property
    def bounds(self) -> list[Claim]:
        return summed(part.bounds for part in self.parts.values())

    @property
    def mistakes(self) -> int:
        return self.content["counts"]["mistakes"]

    @property
    def rounds(self) -> int:
        return self.content["counts"]["rounds"]

    def __repr__(self) -> str:
        return f"<certificate by key: {len(self.content['parts']):,} keys, {self.mistakes:,} mistakes in {self.rounds:,} rounds>"

    def save(self, path: Any) -> None:
        """Write it to a file."""
        with beside(Path(path)) as file:
            file.write(json.dumps(self.content, indent=1, ensure_ascii=False).encode())


def sealed_by_key(key: str | None, parts: Mapping[str, Certificate]) -> KeyedCertificate:
    """The certificate of all keys, from those of each."""
    contents = {name: parts[name].content for name in sorted(parts)}
    whole = {"format": FORMAT, "version": VERSION, "littlestone": __version__, "key": key, **stated(contents), "parts": contents}
    return KeyedCertificate({**whole, "digest": digest_of(whole)})


def stated(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the parts come to: counts, the digest of the whole stream, and the bounds that are sums."""
    counts = {name: sum(part["counts"][name] for part in contents.values()) for name in ("rounds", "mistakes")}
    digest = tree_digest({name: part["stream"]["digest"] for name, part in contents.items()})
    bounds = [claim.as_json() for claim in summed(Certificate(part).bounds for part in contents.values())]
    return {"counts": counts, "stream": {"digest": digest, "keys": len(contents)}, "bounds": bounds}


def is_by_key(source: Any) -> bool:
    """Is it a certificate of a run by key?"""
    if isinstance(source, KeyedCertificate):
        return True
    if isinstance(source, Mapping):
        return source.get("format") == FORMAT
    try:
        return isinstance(source, str | os.PathLike) and f'"{FORMAT}"'.encode() in Path(source).read_bytes()[:200]
    except OSError:
        return False


def read_by_key(source: Any) -> KeyedCertificate:
    """A certificate by key from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    if isinstance(source, KeyedCertificate | Mapping):
        content: Any = source.content if isinstance(source, KeyedCertificate) else source
    else:
        try:
            content = parse(Path(source).read_bytes())
        except OSError as error:
            raise LittlestoneError(f"{source}: cannot be read ({error.strerror})") from None
        except ValueError as error:
            raise Refused(f"{source}: {error}") from None
    require(isinstance(content, Mapping), "is no certificate by key")
    if set(content) != set(MEMBERS) or content["version"] != VERSION or not isinstance(content["parts"], Mapping) or not content["parts"]:
        raise Refused(f"is no certificate by key of version {VERSION}: expected {', '.join(MEMBERS)}")
    if content["digest"] != digest_of({name: value for name, value in content.items() if name != "digest"}):
        raise Refused("was changed: it does not have the digest it was saved with")
    for name, part in content["parts"].items():
        try:
            read_part(part)
        except Refused as error:
            raise Refused(f"key {name!r}: {error}") from None
    own = stated(content["parts"])
    for name, value in own.items():
        if json.loads(json.dumps(content[name])) != json.loads(json.dumps(value)):
            raise Refused(f"{name} does not follow from the certificates of the keys")
    return KeyedCertificate(content)
