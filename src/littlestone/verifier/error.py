"""Check what was written down of a frozen model's error: the stream, the rows on which it erred, and the claim that follows from them.

Whether the model erred on these rows is seen by predicting them again, with the model itself, where it is given.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.hooks import above
from littlestone.rounds.digest import Round, StreamDigest
from littlestone.rounds.features import label_of
from littlestone.theory.anytime import Crossing, chance_of, first_crossing, interval
from littlestone.theory.frozen import ErrorCertificate
from littlestone.verifier.case import growing
from littlestone.verifier.classes import HEADER

CHUNK = 4096  # rows that are predicted at once


@dataclass(frozen=True)
class ErrorVerdict:
    """What was checked of a certificate of a model's error; whatever is off raises `Refused`."""

    certificate: ErrorCertificate
    unknown: str  # why the mistakes are taken as stated; "" where they were made again
    total: int  # rows of the stream

    @property
    def status(self) -> str:
        return "consistent" if self.unknown else "verified"

    @property
    def verified(self) -> bool:
        return not self.unknown

    def __str__(self) -> str:
        content, claim = self.certificate.content, self.certificate.claim
        first = f"consistent, not verified: {self.unknown}: " if self.unknown else "verified, every row predicted again: "
        name = content["learner"]["name"]
        lines = [f"{first}a model of {name} made {claim['mistakes']:,} mistakes in {claim['rounds']:,} rounds with a label"]
        ends = f"{claim['lower']:.4g} to {claim['upper']:.4g}"
        lines.append(f"  average error of these rounds from {ends} with probability {1 - claim['delta']:g}, at every round at once")
        if claim["limit"] is not None:
            when = "never" if claim["crossed_at"] is None else f"by round {claim['crossed_at']:,}"
            lines.append(f"  surely above {claim['limit']:g}: {when}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        content = self.certificate.content
        return {"verified": self.verified, "status": self.status, "about": content["about"], **content["claim"]}


def verified(
    record: ErrorCertificate, rounds: Callable[[Mapping[str, Any]], Iterator[Round]], model: Any, progress: Callable[[int, int], None]
) -> ErrorVerdict:
    """The verdict on a record; `rounds` gives the rounds of the stream as a certificate says that they are read."""
    content, stream = record.content, record.content["stream"]
    look = TestedRows(content)
    answers = None if model is None else ModelReplay(model, content)
    for round in rounds({"stream": stream, "about": "classes" if stream["several"] else "stream"}):
        look.take(round)
        if answers is not None:
            answers.take(round)
        if not look.row & 127:
            progress(look.row, stream["rows"][1])
    look.end()
    if answers is not None:
        answers.end()
    check_claim(content["claim"], watched(content["claim"], look))
    return ErrorVerdict(record, "without the model its mistakes are taken as stated" if answers is None else "", look.row)


class TestedRows:
    """One look at the stream: its digest, and the labelled rounds at which the mistakes stand."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content, self.stream = content, content["stream"]
        self.wrong = set(content["mistakes"])
        self.digest = StreamDigest(weighted=self.stream["weighted"], boolean=self.stream["boolean"], segment=False)
        self.codes = array("i")
        self.row = self.rounds = self.unlabelled = 0
        self.numbers: list[int] = []  # of the mistakes, counting rounds with a label
        if not growing(content["mistakes"]):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow")

    def take(self, round: Round) -> None:
        self.row += 1
        self.digest.add(None if self.stream["several"] else round.y, round)
        if self.stream["several"]:
            self.codes.append(-1 if round.y is None else round.y)
        self.rounds += round.y is not None
        if self.row in self.wrong:
            self.unlabelled = self.unlabelled or (0 if round.y is not None else self.row)
            self.numbers.append(self.rounds)

    def end(self) -> None:
        digest = self.digest.text()
        if self.stream["several"]:
            digest = "sha256:" + sha256(HEADER + digest.encode() + little(self.codes)).hexdigest()
        if self.stream["rows"] != [1, self.row] or digest != self.stream["digest"]:
            raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
        if self.unlabelled:
            raise Refused(f"row {self.unlabelled} has no label, and is said to be a mistake")
        if len(self.numbers) != len(self.wrong):
            raise Refused(f"mistakes: row {max(self.wrong)} is named, and the stream has {self.row} rows")


class ModelReplay:
    """The model, predicting the rows of the stream again."""

    def __init__(self, model: Any, content: Mapping[str, Any]) -> None:
        self.model, self.stated, self.mistakes = model, content["mistakes"], list[int]()
        self.rows: list[dict] = []
        self.labels: list[Any] = []
        self.row = 0
        if "sha256:" + sha256(above("pickled")(model)[0]).hexdigest() != content["model"]:
            raise Refused("the model is not the one of the certificate: its digest differs")
        several = content["stream"]["several"]
        if several != (model.kind == "several classes"):
            raise Refused(f"stream.several is {several}, and the model is of {model.kind}")
        if several and [label_of(label) for label in content["stream"]["labels"]][: len(model.classes)] != list(
            map(label_of, model.classes)
        ):
            raise Refused("stream.labels: the classes of the model must come first")

    def take(self, round: Round) -> None:
        keys = map(str, round.keys) if self.model.named else round.keys
        self.rows.append(dict(zip(keys, round.values, strict=True)))
        self.labels.append(round.y)
        if len(self.rows) == CHUNK:
            self.end_of_chunk()

    def end_of_chunk(self) -> None:
        try:
            codes = above("predict_codes")(self.model, self.rows).tolist() if self.rows else []
        except LittlestoneError as error:
            raise Refused(f"the model cannot predict these rows: {error}") from None
        for y, code in zip(self.labels, codes, strict=True):
            self.row += 1
            if y is not None and int(y) != code:
                self.mistakes.append(self.row)
        self.rows, self.labels = [], []

    def end(self) -> None:
        self.end_of_chunk()
        if odd := set(self.mistakes) ^ set(self.stated):
            row = min(odd)
            says = "leaves it out" if row in set(self.mistakes) else "says so"
            raise Refused(
                f"mistakes: the model {'errs' if row in set(self.mistakes) else 'does not err'} on row {row}, and the certificate {says}"
            )


def little(codes: array) -> bytes:
    """The codes as the digest takes them, little-endian, four bytes each."""
    return b"".join(code.to_bytes(4, "little", signed=True) for code in codes)


def watched(claim: Mapping[str, Any], look: TestedRows) -> dict[str, Any]:
    """What the mistakes say of a model that was watched."""
    try:
        delta = chance_of(claim["delta"])
        crossing = None if claim["limit"] is None else Crossing(claim["limit"], delta)
    except LittlestoneError as error:
        raise Refused(f"claim: {error}") from None
    lower, upper = interval(len(look.numbers), look.rounds, delta)
    counts = {"rounds": look.rounds, "mistakes": len(look.numbers), "lower": lower, "upper": upper}
    return {**counts, "crossed_at": None if crossing is None else first_crossing(crossing, look.numbers)}


def check_claim(stated: Mapping[str, Any], true: Mapping[str, Any]) -> None:
    for key, value in true.items():
        if stated[key] != value:
            raise Refused(f"claim.{key} is {stated[key]!r}; from the stream and the rows of the mistakes it is {value!r}")
