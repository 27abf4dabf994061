"""What is written down of a frozen model's error, in a file that carries its own digest: the kin of a run's certificate.

A record is of a model that was watched (`about` is "watch"; theory/anytime.py) or of one that was kept (`about` is "kept";
theory/kept_hypothesis.py). Beside the claim it has the stream, as certificates state streams, and the rows on which the model erred. The
claim follows from these rows and from the labels of the stream.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from littlestone.errors import require
from littlestone.theory.json_shape import object_with
from littlestone.theory.sealed import Sealed, checked_content, sealed_content

FORMAT = "littlestone error certificate"
VERSION = 1

_WHOLE, _NUMBER, _DIGEST = {"type": "integer", "minimum": 0}, {"type": "number"}, {"type": "string", "pattern": "sha256:[0-9a-f]{64}"}


_STREAM = object_with(
    digest={"type": "string", "pattern": "sha256(-tree)?:[0-9a-f]{64}"},
    rows={"type": "array", "items": {"type": "integer"}},
    boolean={"type": "boolean"},
    weighted={"type": "boolean"},
    several={"type": "boolean"},
    labels={"anyOf": [{"type": "array", "items": {"type": ["string", "number"]}}, {"type": "null"}]},
)
_STREAM["properties"] |= {"reading": {"type": "object"}, "row_version": {"enum": [2]}}  # a reading of a file, and of a frame
CLAIMS = {
    "watch": object_with(
        rounds=_WHOLE, mistakes=_WHOLE, lower=_NUMBER, upper=_NUMBER, crossed_at={"type": ["integer", "null"]}, delta=_NUMBER,
        limit={"type": ["number", "null"]},
    ),
    "kept": object_with(rounds=_WHOLE, mistakes=_WHOLE, upper=_NUMBER, candidate=_WHOLE, candidates=_WHOLE, delta=_NUMBER),
}  # fmt: skip
SCHEMAS = {
    about: object_with(
        format={"type": "string"},
        version=_WHOLE,
        littlestone={"type": "string"},
        about={"type": "string"},
        model=_DIGEST,
        learner={
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "settings": {"type": "object"}},
        },
        stream=_STREAM,
        mistakes={"type": "array", "items": {"type": "integer"}},
        claim=claim,
        digest=_DIGEST,
    )
    for about, claim in CLAIMS.items()
}


@dataclass(frozen=True, eq=False)
class ErrorCertificate(Sealed):
    """A record of a frozen model's error as a value: `content` is the JSON object."""

    @property
    def claim(self) -> Mapping[str, Any]:
        return self.content["claim"]

    def __repr__(self) -> str:
        claim = self.claim
        return f"<error certificate: {self.content['learner']['name']}, {claim['mistakes']:,} mistakes in {claim['rounds']:,} rounds>"


def sealed(about: str, **parts: Any) -> ErrorCertificate:
    """A record of this content, with its digest."""
    return ErrorCertificate(sealed_content(FORMAT, VERSION, {"about": about, **parts}))


def read(source: Any) -> ErrorCertificate:
    """A record from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    return ErrorCertificate(checked_content(source, FORMAT, (VERSION,), _schema))


def _schema(content: Mapping[str, Any]) -> Mapping[str, Any]:
    about = content.get("about")
    require(isinstance(about, str) and about in CLAIMS, f"about is {about!r}; expected one of {', '.join(CLAIMS)}")
    return SCHEMAS[content["about"]]
