"""The certificate of a run by key: an ordinary certificate for each key, and what they come to together (theory/keyed.py)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from littlestone.errors import Refused
from littlestone.theory.bound import Claim
from littlestone.theory.certificate import Certificate
from littlestone.theory.certificate import read as read_part
from littlestone.theory.json_shape import object_with
from littlestone.theory.keyed import summed, tree_digest
from littlestone.theory.sealed import Sealed, checked_content, sealed_content

FORMAT = "littlestone certificate by key"
VERSION = 1
_TEXT, _OBJECT = {"type": "string"}, {"type": "object"}
SCHEMA = object_with(
    format=_TEXT, version={"type": "integer"}, littlestone=_TEXT, key={"type": ["string", "null"]}, counts=_OBJECT, stream=_OBJECT,
    bounds={"type": "array"}, parts={"type": "object", "additionalProperties": _OBJECT}, digest=_TEXT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class KeyedCertificate(Sealed):
    """The certificates of all keys, and their sum. `content` is the JSON object."""

    @property
    def parts(self) -> dict[str, Certificate]:
        """The certificate of each key."""
        return {key: Certificate(part) for key, part in self.content["parts"].items()}

    @property
    def bounds(self) -> list[Claim]:
        """What was declared first, then hindsight, the smallest limit first, what is void last."""
        claims = summed(part.bounds for part in self.parts.values())
        return sorted(claims, key=lambda c: (c.kind != "a priori", c.limit is None, not c.compares, c.limit or 0))

    @property
    def mistakes(self) -> int:
        return self.content["counts"]["mistakes"]

    @property
    def rounds(self) -> int:
        return self.content["counts"]["rounds"]

    def __repr__(self) -> str:
        return f"<certificate by key: {len(self.content['parts']):,} keys, {self.mistakes:,} mistakes in {self.rounds:,} rounds>"


def sealed_by_key(key: str | None, parts: Mapping[str, Certificate]) -> KeyedCertificate:
    """The certificate of all keys, from those of each."""
    contents = {name: parts[name].content for name in sorted(parts)}
    return KeyedCertificate(sealed_content(FORMAT, VERSION, {"key": key, **stated(contents), "parts": contents}))


def stated(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the parts come to: counts, the digest of the whole stream, and the bounds that are sums."""
    counts = {name: sum(part["counts"][name] for part in contents.values()) for name in ("rounds", "mistakes")}
    digest = tree_digest({name: part["stream"]["digest"] for name, part in contents.items()})
    bounds = [claim.as_json() for claim in summed(Certificate(part).bounds for part in contents.values())]
    return {"counts": counts, "stream": {"digest": digest, "keys": len(contents)}, "bounds": bounds}


def read_by_key(source: Any) -> KeyedCertificate:
    """A certificate by key from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    content = checked_content(source, FORMAT, (VERSION,), SCHEMA)
    if not content["parts"]:
        raise Refused("has no key")
    for name, part in content["parts"].items():
        try:
            read_part(part)
        except Refused as error:
            raise Refused(f"key {name!r}: {error}") from None
    for name, value in stated(content["parts"]).items():
        if json.loads(json.dumps(content[name])) != json.loads(json.dumps(value)):
            raise Refused(f"{name} does not follow from the certificates of the keys")
    _refuse_other_columns(content)
    return KeyedCertificate(content)


def _refuse_other_columns(content: Mapping[str, Any]) -> None:
    """Refuse a column of keys that is not the one by which the rounds of every key are read; of rows in memory there is none."""
    for name, part in content["parts"].items():
        reading = part["stream"].get("reading", {})
        if reading.get("key") != content["key"] or (reading and reading.get("only") != name):
            read = f"{reading.get('key')}={reading.get('only')}" if reading else "in memory"
            raise Refused(f"key is {content['key']!r}, and the rounds of {name!r} are read {read}")
