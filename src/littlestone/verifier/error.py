"""Check what was written down of a frozen model's error: the stream, the rows on which it erred, and the claim that follows from them.

Whether a model erred on these rows is seen by predicting them again, with the model itself, where it is given. Of a model that was kept
the definition of its learner is played again: taught up to the candidate, and asked from there on.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.hooks import above
from littlestone.reference.calls import Book
from littlestone.reference.committee import Election
from littlestone.reference.replay import defined, student_of
from littlestone.rounds.digest import Round, StreamDigest, in_one_go, kind_of
from littlestone.rounds.features import label_of
from littlestone.theory.anytime import Crossing, chance_of, first_crossing, interval
from littlestone.theory.certificate import same, stated_settings
from littlestone.theory.families import Family
from littlestone.theory.frozen import ErrorCertificate
from littlestone.theory.kept_hypothesis import CANDIDATES, CONDITION, kept_limit
from littlestone.theory.risk import share, span, sureness
from littlestone.verifier.case import compare_rows, growing
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
        sure = sureness(claim["delta"])
        first = f"consistent, not verified: {self.unknown}: " if self.unknown else "verified, every row predicted again: "
        name = content["learner"]["name"]
        if self.unknown and content["about"] == "watch":
            name = f"what the certificate calls {name!r}"
        lines = [f"{first}a model of {name} made {claim['mistakes']:,} mistakes in {claim['rounds']:,} rounds with a label"]
        if content["about"] == "kept":
            lines[0] += f", after it was taught rows 1 to {claim['candidate']:,}"
            at_most = f"it errs on at most {share(claim['upper'])} of fresh rows with probability {sure}"
            return "\n".join([*lines, f"  {at_most}, {CONDITION}"])
        ends = span(claim["lower"], claim["upper"])
        lines.append(f"  average error of these rounds {ends} with probability {sure}, at every round at once")
        if claim["limit"] is not None:
            when = "never" if claim["crossed_at"] is None else f"by round {claim['crossed_at']:,}"
            lines.append(f"  surely above {claim['limit']:g}: {when}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        content = self.certificate.content
        return {"verified": self.verified, "status": self.status, "about": content["about"], **content["claim"]}


def verified(
    record: ErrorCertificate,
    rounds: Callable[[Mapping[str, Any]], Iterator[Round]],
    family: Callable[[], tuple[Family, str]],
    model: Any,
    replay: bool,
    progress: Callable[[int, int], None],
) -> ErrorVerdict:
    """The verdict on a record; `rounds` gives the rounds of the stream as a certificate says that they are read, `family` the learner."""
    content, stream = record.content, record.content["stream"]
    look = TestedRows(content)
    replays: list[ModelReplay | KeptReplay] = [] if model is None or not replay else [ModelReplay(model, content)]
    unknown = "" if replays else "without the model its mistakes are taken as stated"
    if content["about"] == "kept":
        learner, unknown = family()
        unknown = unknown or ("" if replay else "it was not replayed") or undefined(learner)
        replays += [] if unknown else [KeptReplay(learner, content)]
        unknown = unknown or ("" if model is not None else "which model these rows make is not looked at without the model")
    for round in rounds({"stream": stream, "about": "classes" if stream["several"] else "stream"}):
        look.take(round)
        for again in replays:
            again.take(look.row, round)
        if not look.row & 127:
            progress(look.row, stream["rows"][1])
    look.end()
    for left in [again.end() for again in replays]:
        unknown = unknown or left
    claim = content["claim"]
    try:
        true = (watched if content["about"] == "watch" else kept)(claim, look)
    except LittlestoneError as error:
        raise Refused(f"claim: {error}") from None
    for key, value in true.items():
        if claim[key] != value:
            raise Refused(f"claim.{key} is {claim[key]!r}; from the stream and the rows of the mistakes it is {value!r}")
    return ErrorVerdict(record, unknown, look.row)


def families_in(family: Family | None) -> Iterator[Family]:
    """The family of a learner, and of those inside it."""
    while family is not None:
        yield family
        family = family.inner


def undefined(family: Family) -> str:
    """Why the hypothesis that such a learner leaves cannot be made again, where it cannot."""
    for inner in families_in(family):
        if (inner.values or {}).get("averaged"):
            return f"the mean of the weights of {inner.name} has no definition to replay"
    return "" if defined(family) else f"{family.name} has no definition to replay"


class TestedRows:
    """One look at the stream: its digest, and the labelled rounds after those that taught, with the mistakes among them."""

    __test__ = False  # for pytest: its name begins with Test

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.stream, self.taught = content["stream"], taught_rows(content)
        self.wrong = set(content["mistakes"])
        self.digest = StreamDigest(
            weighted=self.stream["weighted"], boolean=self.stream["boolean"], segment=False, whole=in_one_go(self.stream["digest"])
        )
        self.codes = array("i")
        self.row = self.rounds = self.unlabelled = 0
        self.numbers: list[int] = []  # of the mistakes, counting rounds with a label
        if not growing(content["mistakes"]):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow")
        labels = self.stream["labels"]
        if not self.stream["several"] and labels is not None and (len(labels) != 2 or labels[0] == labels[1]):
            raise Refused(f"stream.labels is {labels}; expected the negative and the positive label")
        if content["about"] == "watch" and content["learner"] != {"name": content["learner"]["name"]}:
            raise Refused("learner: of a model that was watched the name alone is stated; its settings are the model's")

    def take(self, round: Round) -> None:
        self.row += 1
        self.digest.add(None if self.stream["several"] else round.y, round)
        if self.stream["several"]:
            self.codes.append(-1 if round.y is None else round.y)
        if self.row > self.taught:
            self.rounds += round.y is not None
            if self.row in self.wrong:
                self.unlabelled = self.unlabelled or (0 if round.y is not None else self.row)
                self.numbers.append(self.rounds)

    def end(self) -> None:
        digest = self.digest.text()
        if self.stream["several"]:
            digest = kind_of(digest) + sha256(HEADER + digest.encode() + little(self.codes)).hexdigest()
        if self.stream["rows"] != [1, self.row] or digest != self.stream["digest"]:
            raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
        if self.unlabelled:
            raise Refused(f"row {self.unlabelled} has no label, and is said to be a mistake")
        if len(self.numbers) != len(self.wrong):
            raise Refused(f"mistakes: rows {self.taught + 1} to {self.row} were tested, and another is named")


def taught_rows(content: Mapping[str, Any]) -> int:
    """The rows that a kept model was taught; of a model that was watched, none of these."""
    return content["claim"]["candidate"] if content["about"] == "kept" else 0


class ModelReplay:
    """The model, predicting the rows of the stream again; one that was kept must also be what its learner makes of the rows before them."""

    def __init__(self, model: Any, content: Mapping[str, Any]) -> None:
        self.model, self.stated, self.taught = model, content["mistakes"], taught_rows(content)
        self.mistakes: list[int] = []
        self.rows: list[tuple[int, Any, dict]] = []  # with their numbers and labels
        if "sha256:" + sha256(above("pickled")(model)[0]).hexdigest() != content["model"]:
            raise Refused("the model is not the one of the certificate: its digest differs")
        if model.learner.name != content["learner"]["name"]:
            raise Refused(f"learner.name is {content['learner']['name']!r}, and the model is of {model.learner.name}")
        if content["about"] == "kept" and not same(stated_settings(model.learner), content["learner"]["settings"]):
            raise Refused("learner.settings are not those of the model")
        several = content["stream"]["several"]
        if several != (model.kind == "several classes"):
            raise Refused(f"stream.several is {several}, and the model is of {model.kind}")
        self.labels = list(model.classes) if several else [False, True]
        self.again = model.blank() if content["about"] == "kept" else None
        known = [label_of(label) for label in model.classes] if several else []
        if known != [label_of(label) for label in content["stream"]["labels"] or ()][: len(known)]:
            raise Refused("stream.labels: the classes of the model must come first")

    def take(self, row: int, round: Round) -> None:
        if round.y is None:
            return
        keys = map(str, round.keys) if self.model.named else map(as_number, round.keys)
        x = dict(zip(keys, round.values, strict=True))
        if row > self.taught:
            self.rows.append((row, int(round.y), x))
        elif self.again is not None:
            self.teach(self.again, row, x, int(round.y), round.c)
        if len(self.rows) == CHUNK:
            self.predict()

    def teach(self, again: Any, row: int, x: dict, code: int, weight: float) -> None:
        try:
            require(code < len(self.labels), f"the model does not know the label of row {row}")
            again.observe(x, self.labels[code], weight)
        except LittlestoneError as error:
            raise Refused(f"the learner of the model cannot be taught row {row}: {error}") from None

    def predict(self) -> None:
        try:
            codes = above("predict_codes")(self.model, [x for *_, x in self.rows]).tolist() if self.rows else []
        except LittlestoneError as error:
            raise Refused(f"the model cannot predict these rows: {error}") from None
        self.mistakes += [row for (row, y, _), code in zip(self.rows, codes, strict=True) if y != code]
        self.rows = []

    def end(self) -> str:
        self.predict()
        compare_rows("mistakes", self.stated, self.mistakes, "predicting with the model")
        if self.again is not None and not self.model.learner.alike(self.again.state, self.model.state):
            raise Refused(f"the model is not the one that its learner makes of rows 1 to {self.taught}")
        return ""


def as_number(key: Any) -> Any:
    """A feature that is known by its number, also where it was added up by the text of that."""
    return int(key) if isinstance(key, str) and key.isascii() and key.isdigit() else key


class KeptReplay:
    """The definition of the learner, taught the rows up to the candidate, and asked the rows after it."""

    def __init__(self, family: Family, content: Mapping[str, Any]) -> None:
        self.family, self.stated, self.taught = family, content["mistakes"], taught_rows(content)
        self.wrong = set(self.stated)
        self.book = Book()
        self.student = student_of(family, self.book)
        self.mistakes: list[int] = []
        self.features: set[str] = set()
        self.fault: LittlestoneError | None = None  # whether these were the rounds of the run is known at their end

    def take(self, row: int, round: Round) -> None:
        if self.fault is not None:
            return
        try:
            self.features.update(map(str, round.keys))
            if row <= self.taught:
                self.student.play(round.x, round.y, round.c)
                return
            answer: Any = self.student.predict(round.x)
        except LittlestoneError as error:
            self.fault = error
            return
        yhat, close = (answer.winner, answer.close) if isinstance(answer, Election) else (answer, self.book.close)
        if round.y is not None and (row in self.wrong if close else yhat != round.y):
            self.mistakes.append(row)

    def end(self) -> str:
        who = f"replaying {self.family.name}"
        if self.fault is not None:
            raise Refused(f"{who}: {self.fault}")
        for family in families_in(self.family):
            n = (family.values or {}).get("n")
            if n is not None and len(self.features) > n:
                raise Refused(f"{family.name} was made for n={n} features, and the stream has {len(self.features)}")
        if self.book.hangs is not None and self.mistakes != self.stated:
            return f"{who} hangs on the rounding of doubles from round {self.book.hangs + 1} on, and goes another way"
        compare_rows("mistakes", self.stated, self.mistakes, who)
        return ""


def little(codes: array) -> bytes:
    """The codes as the digest takes them, little-endian, four bytes each."""
    return b"".join(code.to_bytes(4, "little", signed=True) for code in codes)


def watched(claim: Mapping[str, Any], look: TestedRows) -> dict[str, Any]:
    """What the mistakes say of a model that was watched."""
    delta = chance_of(claim["delta"])
    crossed = None if claim["limit"] is None else first_crossing(Crossing(claim["limit"], delta), look.numbers)
    lower, upper = interval(len(look.numbers), look.rounds, delta)
    return {"rounds": look.rounds, "mistakes": len(look.numbers), "lower": lower, "upper": upper, "crossed_at": crossed}


def kept(claim: Mapping[str, Any], look: TestedRows) -> dict[str, Any]:
    """What they say of a model that was kept."""
    if claim["candidate"] not in CANDIDATES:
        raise Refused(f"claim.candidate is {claim['candidate']}, and no candidate was to be taken there")
    upper = kept_limit(len(look.numbers), look.rounds, chance_of(claim["delta"]))
    return {"rounds": look.rounds, "mistakes": len(look.numbers), "upper": upper, "candidates": len(CANDIDATES)}
