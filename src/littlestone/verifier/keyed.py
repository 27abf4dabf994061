"""Certificates by key: every key's certificate is checked against that key's rounds, and their sum follows (theory/keyed.py)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.errors import Refused
from littlestone.rounds.features import Several
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of
from littlestone.theory.keyed_certificate import KeyedCertificate


@dataclass(frozen=True)
class KeyedVerdict:
    """What was checked of each key."""

    certificate: KeyedCertificate
    verdicts: Mapping[str, Any]

    @property
    def status(self) -> str:
        """ "verified" where every key is; "broken" where one is; else "consistent"."""
        statuses = {verdict.status for verdict in self.verdicts.values()}
        return "broken" if "broken" in statuses else "verified" if statuses == {"verified"} else "consistent"

    @property
    def verified(self) -> bool:
        return self.status == "verified"

    def as_json(self) -> dict[str, Any]:
        """What `verify --json` prints."""
        content = self.certificate.content
        checked = {"verified": self.verified, "status": self.status, "keys": len(self.verdicts), "stream": content["stream"]}
        return {**checked, "counts": content["counts"], "bounds": [claim.as_json() for claim in self.certificate.bounds]}

    def __str__(self) -> str:
        content = self.certificate.content
        counts, name = content["counts"], next(iter(content["parts"].values()))["learner"]["name"]
        made = f"made {counts['mistakes']:,} mistakes in {counts['rounds']:,} rounds"
        lines = [f"{self.status}: {name}, one for each of {len(self.verdicts):,} keys, {made}"]
        for claim in self.certificate.bounds:
            if claim.limit is None:
                lines.append(f"  void: {claim.name}: {claim.reason}")
            elif claim.compares:
                loses = f"which lose {claim.comparator_loss:,.6g} over all rounds; {claim.price:,.6g} more for not knowing them"
                lines.append(f"  at most {claim.limit:,.6g} by {claim.name}, compared with a rule of its own for each key, {loses}")
            else:
                lines.append(f"  account: at most {claim.limit:,.6g} by {claim.name}")
        return "\n".join(lines)


def verified_by_key(
    certificate: KeyedCertificate, X: Any, y: Any, weights: Any, key: Any, format: str | None, verify_one: Callable[..., Any]
) -> Any:
    """The verdict on all keys; of `key="user=u17"`, on that key's certificate alone."""
    parts = certificate.content["parts"]
    column, _, name = key.partition("=") if isinstance(key, str) else ("", "", "")
    if name:
        if certificate.content["key"] not in (None, column) or name not in parts:
            raise Refused(f"--key {key}: the certificate has no such key; it is by {certificate.content['key']!r}, of {len(parts):,} keys")
        parts = {name: parts[name]}
    else:
        refuse_others(certificate.content, X, y, key, format)
    verdicts = {}
    for own, part in parts.items():
        try:
            verdicts[own] = verify_one(part, *rows_of_key(X, y, weights, key, own))
        except Refused as refused:
            raise Refused(f"key {own!r}: {refused}") from None
    return verdicts[name] if name else KeyedVerdict(certificate, verdicts)


def rows_of_key(X: Any, y: Any, weights: Any, key: Any, name: str) -> tuple[Any, Any, Any]:
    """The rounds of one key. Of a file or a frame all rows: the part's reading takes its own."""
    if key is None or isinstance(key, str):
        return X, y, weights
    own = [t for t, other in enumerate(key.tolist() if hasattr(key, "tolist") else key) if str(other) == name]
    some = lambda rows: rows[own] if hasattr(rows, "shape") else [rows[t] for t in own]  # noqa: E731
    return tuple(rows if rows is None or isinstance(rows, str) else some(rows) for rows in (X, y, weights))  # type: ignore[return-value]


def refuse_others(content: Mapping[str, Any], X: Any, y: Any, key: Any, format: str | None) -> None:
    """No key of the stream may be left out: the sum speaks of all of them."""
    if key is None or isinstance(key, str):
        streams = [part["stream"] for part in content["parts"].values()]
        if "reading" not in streams[0]:
            raise Refused("the certificate was made from rows in memory: expected the key of each round (key=)")
        reading = Reading.from_json(streams[0]["reading"]).but(only=None)
        labels: Any = streams[0]["labels"]
        if any(part["about"] == "classes" for part in content["parts"].values()):
            labels = Several(list(dict.fromkeys(label for stream in streams for label in stream["labels"])))
        how: dict[str, Any] = {"boolean": streams[0]["boolean"], "labels": labels, "reading": reading, "format": format}
        keys: Sequence[Any] = [row.key for row in rounds_of(X, y, **how)]
    else:
        keys = [str(name) for name in (key.tolist() if hasattr(key, "tolist") else key)]
    others = set(keys) ^ set(content["parts"])
    if others:
        other = min(map(str, others))
        where = "the certificate" if other in content["parts"] else "the stream"
        raise Refused(f"key {other!r} is in {where} alone: the sum speaks of all keys")
