"""Certificates of runs whose alarms began copies: each copy's is checked, and the rule that chose among them is played again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.errors import Refused
from littlestone.theory.copies_certificate import CopiesCertificate, check_copies
from littlestone.verifier.words import STATED


@dataclass(frozen=True)
class CopiesVerdict:
    """What was checked of each copy."""

    certificate: CopiesCertificate
    verdicts: Sequence[Any]

    @property
    def status(self) -> str:
        """ "verified" where every copy is; "broken" where one is; else "consistent"."""
        statuses = {verdict.status for verdict in self.verdicts}
        return "broken" if "broken" in statuses else "verified" if statuses == {"verified"} else "consistent"

    @property
    def verified(self) -> bool:
        return self.status == "verified"

    def as_json(self) -> dict[str, Any]:
        """What `verify --json` prints."""
        content = self.certificate.content
        copies = [{key: value for key, value in copy.items() if key != "certificate"} for copy in content["copies"]]
        stated = {key: content[key] for key in ("counts", "segments", "model_copy", "risk")}
        bounds = [{key: record[key] for key in STATED} for record in content["bounds"]]
        replayed = all(verdict.replayed for verdict in self.verdicts)
        return {"verified": self.verified, "status": self.status, "replayed": replayed, "copies": copies, **stated, "bounds": bounds}

    def __str__(self) -> str:
        content = self.certificate.content
        name = content["copies"][0]["certificate"]["learner"]["name"]
        lines = [f"{self.status}: {name} with copies begun at {len(content['copies']) - 1:,} alarms", f"  {content['summary']}"]
        for copy in content["copies"]:
            first, rows = copy["first_round"], copy["rows"]
            made = copy["certificate"]["counts"]["mistakes"]
            lines.append(
                f"  copy {copy['copy']}: rows {first + 1:,} to {first + rows:,}, {made:,} mistakes; spoke in {copy['spoke']:,} rounds"
            )
        return "\n".join(lines)


def verified_copies(
    certificate: CopiesCertificate, rounds: Callable[[Mapping[str, Any]], Any], verify_one: Callable[[Any], Any]
) -> CopiesVerdict:
    """The verdict on all copies; `rounds` gives the stream as a certificate says that it is read."""
    parts = [copy["certificate"] for copy in certificate.content["copies"]]
    labelled = [example.y is not None for example in rounds(parts[0])]
    check_copies(certificate, labelled)
    verdicts = []
    for number, part in enumerate(parts, 1):
        try:
            verdicts.append(verify_one(part))
        except Refused as refused:
            raise Refused(f"copy {number}: {refused}") from None
    return CopiesVerdict(certificate, verdicts)
