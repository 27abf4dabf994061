"""What is written down of a frozen model's error, in a file that carries its own digest: the kin of a run's certificate.

A record is of a model that was watched (`about` is "watch"; theory/anytime.py) or of one that was kept (`about` is "kept";
theory/kept_hypothesis.py). Beside the claim it has the stream, as certificates state streams, and the rows on which the model erred. The
claim follows from these rows and from the labels of the stream.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, Refused, require
from littlestone.theory.certificate import WRITERS, Certificate, digest_of, exactly, parse, refuse_nested
from littlestone.theory.json_shape import fault_in

FORMAT = "littlestone error certificate"
VERSION = 1

_WHOLE, _NUMBER, _DIGEST = {"type": "integer", "minimum": 0}, {"type": "number"}, {"type": "string", "pattern": "sha256:[0-9a-f]{64}"}


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(members), "properties": members, "additionalProperties": False}


_STREAM = _object(
    digest={"type": "string", "pattern": "sha256(-tree)?:[0-9a-f]{64}"},
    rows={"type": "array", "items": {"type": "integer"}},
    boolean={"type": "boolean"},
    weighted={"type": "boolean"},
    several={"type": "boolean"},
    labels={"anyOf": [{"type": "array", "items": {"type": ["string", "number"]}}, {"type": "null"}]},
)
_STREAM["properties"]["reading"] = {"type": "object"}  # of a file, and of a frame
CLAIMS = {
    "watch": _object(
        rounds=_WHOLE, mistakes=_WHOLE, lower=_NUMBER, upper=_NUMBER, crossed_at={"type": ["integer", "null"]}, delta=_NUMBER,
        limit={"type": ["number", "null"]},
    ),
    "kept": _object(rounds=_WHOLE, mistakes=_WHOLE, upper=_NUMBER, candidate=_WHOLE, candidates=_WHOLE, delta=_NUMBER),
}  # fmt: skip
SCHEMAS = {
    about: _object(
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
class ErrorCertificate:
    """A record of a frozen model's error as a value: `content` is the JSON object."""

    content: Mapping[str, Any]

    @property
    def claim(self) -> Mapping[str, Any]:
        return self.content["claim"]

    @property
    def digest(self) -> str:
        return self.content["digest"]

    def __repr__(self) -> str:
        claim = self.claim
        return f"<error certificate: {self.content['learner']['name']}, {claim['mistakes']:,} mistakes in {claim['rounds']:,} rounds>"

    def save(self, path: str | os.PathLike) -> None:
        """Write the file; one of that name is replaced only when all is written, and on the disk."""
        Certificate(self.content).save(path)


def sealed(about: str, **parts: Any) -> ErrorCertificate:
    """A record of this content, with its digest."""
    whole = {"format": FORMAT, "version": VERSION, "littlestone": __version__, "about": about, **parts}
    return ErrorCertificate({**whole, "digest": digest_of(whole)})


def is_one(source: Any) -> bool:
    """Is it such a record, or a file that says so?"""
    if isinstance(source, ErrorCertificate):
        return True
    if isinstance(source, str | os.PathLike):
        try:
            source = parse(Path(source).read_bytes())
        except (OSError, ValueError, LittlestoneError):
            return False  # whoever reads it for what it should be will say so
    return isinstance(source, Mapping) and source.get("format") == FORMAT


def read(source: Any) -> ErrorCertificate:
    """A record from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    content: Any = source.content if isinstance(source, ErrorCertificate) else source
    name = "the certificate"
    if not isinstance(content, Mapping):
        name = str(source)
        content = parse(Path(source).read_bytes())
    try:
        refuse_nested(content)
        require(content.get("about") in CLAIMS, f"about is {content.get('about')!r}; expected one of {', '.join(CLAIMS)}")
        fault = fault_in(content, SCHEMAS[content["about"]])
        require(not fault, fault)
        require(content["version"] == VERSION, f"has version {content['version']}; this library reads version {VERSION}")
        require(content["littlestone"] in WRITERS, f"was written by littlestone {content['littlestone']!r}, which is not known here")
        require(content["digest"] == digest_of(content), "was changed after it was made: its digest is not that of its content")
    except LittlestoneError as error:
        raise Refused(f"{name}: {error}") from None
    return ErrorCertificate(content)


def stated_settings(learner: Any) -> dict[str, Any]:
    """The settings of a learner as a certificate writes them, those of a learner inside it as an object."""
    return {key: _stated(value) for key, value in learner.settings.items()}


def _stated(value: Any) -> Any:
    if hasattr(value, "settings"):  # a learner
        return {"name": value.name, "settings": stated_settings(value)}
    return exactly(value.described() if hasattr(value, "described") else value)  # a class of concepts describes itself
