"""The certificate of a run whose alarms began copies: an ordinary certificate for each copy, and who spoke when (theory/copies.py).

The answers follow from those of the copies, by the rule of theory/copies.py. What it needs of an answer is whether it was right, and where
it was not, whether others gave the same: so the mistakes of each copy, and of several classes what it named there, are enough.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.errors import Refused
from littlestone.theory.bound import Claim
from littlestone.theory.certificate import Certificate
from littlestone.theory.certificate import read as read_part
from littlestone.theory.copies import CopyChoice, cost
from littlestone.theory.json_shape import object_with
from littlestone.theory.risk import in_words as risk_in_words
from littlestone.theory.risk import risk
from littlestone.theory.sealed import Sealed, checked_content, sealed_content

FORMAT = "littlestone certificate of copies"
VERSION = 1
_TEXT, _OBJECT, _COUNT = {"type": "string"}, {"type": "object"}, {"type": "integer"}
_SPOKE = {"type": "array", "items": object_with(copy=_COUNT, rounds=_COUNT)}
_SEGMENT = object_with(first_round=_COUNT, rows=_COUNT, rounds=_COUNT, mistakes=_COUNT, spoke=_SPOKE)
_COPY = object_with(copy=_COUNT, first_round=_COUNT, rows=_COUNT, spoke=_COUNT, certificate=_OBJECT)
SCHEMA = object_with(
    format=_TEXT, version=_COUNT, littlestone=_TEXT, summary=_TEXT, copies={"type": "array", "items": _COPY},
    segments={"type": "array", "items": _SEGMENT}, model_copy=_COUNT, counts=_OBJECT, bounds={"type": "array"},
    risk={"type": ["object", "null"]}, digest=_TEXT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CopiesCertificate(Sealed):
    """The certificates of all copies, and what the run made of them. `content` is the JSON object."""

    @property
    def parts(self) -> list[Certificate]:
        """The certificate of each copy."""
        return [Certificate(copy["certificate"]) for copy in self.content["copies"]]

    @property
    def bounds(self) -> list[Claim]:
        """What the alarms may have cost."""
        counts = self.content["counts"]
        return [cost(counts["mistakes"], counts["without_alarm"], counts["beyond"])]

    @property
    def mistakes(self) -> int:
        return self.content["counts"]["mistakes"]

    @property
    def rounds(self) -> int:
        return self.content["counts"]["rounds"]

    def __repr__(self) -> str:
        return f"<certificate of {len(self.content['copies']):,} copies: {self.mistakes:,} mistakes in {self.rounds:,} rounds>"


def sealed_copies(parts: Sequence[Certificate], ends: Sequence[int], labelled: Sequence[bool], iid: Any = None) -> CopiesCertificate:
    """The certificate of all copies, from those of each; `ends` are the rows with which segments end, `labelled` which rows have labels."""
    contents = [part.content for part in parts]
    return CopiesCertificate(sealed_content(FORMAT, VERSION, stated(contents, ends, labelled, iid)))


def stated(contents: Sequence[Mapping[str, Any]], ends: Sequence[int], labelled: Sequence[bool], iid: Any = None) -> dict[str, Any]:
    """All that follows from the certificates of the copies, the ends of the segments and the rows with a label."""
    choice, starts = CopyChoice(), [0, *ends[:-1]]
    segments, spoke, lasts = [], Counter[int](), [len(labelled)] * len(contents)
    for start, end in zip(starts, ends, strict=True):
        if start and (gone := choice.begin()) is not None:
            lasts[gone - 1] = start
        own, mistakes = Counter[int](), 0
        for place, rounds, wrong in spoken(contents, choice, start, end, labelled):
            own[choice.copies[place]] += rounds
            mistakes += wrong
        spoke += own
        counts = {"rounds": sum(labelled[start:end]), "mistakes": mistakes}
        each = [{"copy": copy, "rounds": own[copy]} for copy in sorted(own)]
        segments.append({"first_round": start, "rows": end - start, **counts, "spoke": each})
    copies = [
        {"copy": number, "first_round": start, "rows": last - start, "spoke": spoke[number], "certificate": content}
        for number, (content, start, last) in enumerate(zip(contents, starts, lasts, strict=True), 1)
    ]
    counts = {name: sum(segment[name] for segment in segments) for name in ("rounds", "mistakes")}  # type: ignore[misc]
    counts |= {"without_alarm": int(choice.first), "beyond": int(choice.beyond)}
    claim = None if iid is None else risk(counts["mistakes"], counts["rounds"], iid).as_json()
    return {
        "summary": in_words(counts, len(contents) - 1, claim),
        "copies": copies,
        "segments": segments,
        "model_copy": choice.copies[choice.leader],
        "counts": counts,
        "bounds": [cost(*(counts[name] for name in ("mistakes", "without_alarm", "beyond"))).as_json()],
        "risk": claim,
    }


def spoken(
    contents: Sequence[Mapping[str, Any]], choice: CopyChoice, start: int, end: int, labelled: Sequence[bool]
) -> Iterator[tuple[int, int, int]]:
    """Some labelled rounds in a row in which one copy spoke: its place, how many they are, and the mistakes in them. The choice learns.

    An answer that is right has no name; of two classes one that is wrong has one, and of several it is the class.
    """
    wrong = [_wrong(contents[number - 1], start, end) for number in choice.copies]
    begun = start
    for row in sorted(set().union(*wrong)):
        answers = [errors.get(row) for errors in wrong]
        if len(set(answers)) == 1:
            continue
        yield from _alike(choice, wrong[0], begun, row, labelled)
        place = choice.speaker(answers)
        losses = [int(answer is not None) for answer in answers]
        choice.learn(place, losses)
        yield place, 1, losses[place]
        begun = row + 1
    yield from _alike(choice, wrong[0], begun, end, labelled)


def _alike(choice: CopyChoice, errors: Mapping[int, Any], start: int, end: int, labelled: Sequence[bool]) -> Iterator[tuple[int, int, int]]:
    """Rounds in which all copies answer alike."""
    rounds, made = sum(labelled[start:end]), sum(1 for row in errors if start <= row < end)
    place = choice.heaviest
    choice.agree([made])
    if rounds:
        yield place, rounds, made


def _wrong(content: Mapping[str, Any], start: int, end: int) -> dict[int, str]:
    """The rows, counted from 0, in which a copy erred, and what it said there."""
    answers = ["the other"] * len(content["mistakes"])
    if content["about"] == "classes":
        labels = content["stream"]["labels"]
        answers = [repr(labels[code]) if code >= 0 else "nothing" for code in content["classes"]["predicted"]]
    return {row - 1: answer for row, answer in zip(content["mistakes"], answers, strict=True) if start < row <= end}


def in_words(counts: Mapping[str, int], alarms: int, claim: Mapping[str, Any] | None) -> str:
    """What was shown, in a few sentences."""
    rounds, mistakes, without, beyond = (counts[key] for key in ("rounds", "mistakes", "without_alarm", "beyond"))
    made = f"On these {rounds:,} rounds it made {mistakes:,} mistakes, with {alarms:,} alarm{'' if alarms == 1 else 's'}."
    limit = cost(mistakes, without, beyond).limit
    lines = [made, f"Without an alarm the same learner makes {without:,}; with them at most {limit:,}, whatever the data are."]
    return " ".join(lines + ([f"I{risk_in_words(claim)[1:]}."] if claim else []))


def read_copies(source: Any) -> CopiesCertificate:
    """A certificate of copies from a file, a mapping or itself; refused, with the reason, where anything about it is off."""
    content = checked_content(source, FORMAT, (VERSION,), SCHEMA)
    if not content["copies"] or len(content["copies"]) != len(content["segments"]):
        raise Refused(f"has {len(content['copies'])} copies and {len(content['segments'])} segments: expected one copy for each segment")
    for copy in content["copies"]:
        try:
            read_part(copy["certificate"])
        except Refused as error:
            raise Refused(f"copy {copy['copy']}: {error}") from None
    return CopiesCertificate(content)


def check_copies(certificate: CopiesCertificate, labelled: Sequence[bool]) -> None:
    """Refuse what does not follow from the certificates of the copies and the rows with a label."""
    content = certificate.content
    contents, start = [copy["certificate"] for copy in content["copies"]], 0
    for number, segment in enumerate(content["segments"], 1):
        if segment["first_round"] != start or segment["rows"] < (len(contents) > 1):
            raise Refused(
                f"segments: number {number} has {segment['rows']:,} rows after row {segment['first_round']:,}; expected row {start:,}"
            )
        start += segment["rows"]
    if start != len(labelled):
        raise Refused(f"segments: they have {start:,} rows, and the stream has {len(labelled):,}")
    ends = [segment["first_round"] + segment["rows"] for segment in content["segments"]]
    delta = None if content["risk"] is None else content["risk"].get("delta")
    expected = stated(contents, ends, labelled, delta)
    for copy in expected["copies"]:
        part, rows = copy["certificate"], [copy["first_round"] + 1, copy["first_round"] + copy["rows"]]
        if part["stream"]["rows"] != rows:
            raise Refused(f"copy {copy['copy']} is certified on rows {part['stream']['rows']}; it played rows {rows}")
        alike = all(part[name] == contents[0][name] for name in ("learner", "about")) and part["assume"] is None
        if not alike or {"passes", "delay", "order"} & set(part["stream"]):
            raise Refused(f"copy {copy['copy']} is certified of another learner, of what was declared, or of labels that came late")
    for name, value in expected.items():
        if json.loads(json.dumps(content[name])) != json.loads(json.dumps(value)):
            raise Refused(f"{name} does not follow from the certificates of the copies")
