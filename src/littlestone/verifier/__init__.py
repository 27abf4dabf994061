"""Check a certificate against its stream: theory and plain Python alone. No learner, no kernel, no array arithmetic decides anything here.

What is done, in this order: the file is whole and unchanged (its own digest); the stream is the one it speaks of (the stream's digest);
the counts follow from the labels and the rows of the mistakes; every fact of every bound follows from the stream and the witness, in exact
arithmetic; every limit follows from the facts by the theorem's formula; what is said to be void is void, for the reason given.  And the
learner's definition is played again, to see that these were its mistakes and its updates (unless `replay=False`).

>>> import littlestone as ls
>>> X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 0]
>>> cert = ls.certify(ls.play(ls.perceptron(bias=0), X, y), X, y)
>>> print(ls.verify(cert, X, y))
verified and replayed: perceptron made 1 mistake in 3 rounds
  rows 1 to 3 of 3; settings bias=0, margin=0, averaged=False
...
>>> ls.verify(cert, X, [0, 1, 1])
Traceback (most recent call last):
...
littlestone.errors.Refused: the stream is not the one of the certificate: other rounds, other labels, or another order
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.reference.panel import playable
from littlestone.reference.replay import defined
from littlestone.rounds.features import Several, label_of
from littlestone.rounds.files import comes_once, shown
from littlestone.rounds.reading import ROW_VERSION, Reading
from littlestone.rounds.row_order import RowOrder
from littlestone.rounds.sources import rounds_of, weighed, with_labels
from littlestone.theory import copies_certificate, frozen, keyed_certificate, mixing
from littlestone.theory.bound import FAULT, MEASURED_REGRET, looked_for
from littlestone.theory.certificate import Certificate, compared, exactly, in_plain_words, number, proved_in_plain_words, read, same
from littlestone.theory.families import Family, RuleFamily, family, known
from littlestone.theory.floor import FLOORS
from littlestone.theory.risk import in_words as risk_in_words
from littlestone.theory.sealed import opened
from littlestone.verifier import table_words, words
from littlestone.verifier.advice import AdviceCase, UnknownAdvice, rows_of_stream
from littlestone.verifier.case import Names, written
from littlestone.verifier.class_panel import ClassPanelCase
from littlestone.verifier.classes import ClassesCase, UnknownClasses
from littlestone.verifier.copies import CopiesVerdict, verified_copies
from littlestone.verifier.error import ErrorVerdict
from littlestone.verifier.error import verified as verified_error
from littlestone.verifier.keyed import KeyedVerdict, verified_by_key
from littlestone.verifier.look import no_collector, watch
from littlestone.verifier.panel import PanelCase
from littlestone.verifier.processes import Processes, cores
from littlestone.verifier.schedule import Schedule, name_of, refuse_beyond
from littlestone.verifier.seats import nested
from littlestone.verifier.shards import MixingVerdict
from littlestone.verifier.shards import verified as verified_mixing
from littlestone.verifier.stream import LatePanelCase, StreamCase, UnknownCase
from littlestone.verifier.words import STATED

FEW = 2_000  # rounds that are replayed here sooner than other processes are started
#: What only a certificate that nobody wrote honestly can bring about: a number of absurd size, an object in the place of a number.
STRANGE = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, MemoryError, RecursionError)


@dataclass(frozen=True)
class Verdict:
    """What was checked. There is no verdict of failure: whatever is off raises `Refused`."""

    certificate: Certificate
    claims: Names  # bounds whose facts were measured anew
    unchecked: Names  # bounds whose facts only a replay can tell, and there was none
    replayed: bool
    aside: Names = ()  # members of a panel that have no definition here, and the blends that hear them
    owner: str = ""  # the file whose theorems these are, where they are none of this library's
    unknown: str = ""  # why the certificate could only be held against itself and the stream
    total: int = 0  # rows of the stream, whichever of them the certificate is about
    quoted: Names = ()  # parts of the certificate that the stream, as it is given here, says nothing of

    @property
    def status(self) -> str:
        """ "verified"; or "consistent", where nothing contradicts the certificate and not all of it was checked and replayed; or "broken",
        where it says truly that a theorem does not hold."""
        if any(claim.holds is False for claim in (*self.certificate.bounds, *self.certificate.forecasts)):
            return "broken"
        return "verified" if self.replayed and not self.unknown and not self.aside else "consistent"

    @property
    def verified(self) -> bool:
        return self.status == "verified"

    def as_json(self) -> dict[str, Any]:
        """What `verify --json` prints; docs/command_line.md has its keys."""
        content = self.certificate.content
        stated = [{key: record[key] for key in STATED if key in record} for record in content["bounds"]]
        stream = {key: value for key, value in content["stream"].items() if key != "order"}
        checked = {"verified": self.verified, "status": self.status, "replayed": self.replayed, "checked": list(self.claims)}
        rest = {key: content[key] for key in ("counts", "assume", "risk", "learner")} | {"stream": stream, "rows_of_stream": self.total}
        return {**checked, "unchecked": list(self.unchecked), "quoted": list(self.quoted), **rest, "bounds": stated}

    def __str__(self) -> str:
        content, cost = self.certificate.content, self.certificate.cost
        made = f"{'had' if cost.startswith('loss') else 'made'} {cost} in {content['counts']['rounds']:,} rounds"
        name, chosen = content["learner"]["name"], words.chosen(content, self.total, self.quoted)
        in_quotes = repr if self.unknown and self.owner else str  # names of which nothing is known here but what the certificate says
        name, owner = in_quotes(name), in_quotes(self.owner)
        if self.unknown:
            first = f"consistent, not verified: {name} {made}{chosen}; {self.unknown}"
        elif self.aside:
            apart = f"except for {', '.join(self.aside)}, whose votes are taken as stated"
            first = f"consistent, and replayed {apart}: {name} {made}{chosen}"
        else:
            first = f"{'verified and replayed' if self.replayed else 'consistent, not replayed'}: {name} {made}{chosen}"
        lines = [first, *words.what(content, self.total, self.quoted), *([] if self.quoted else table_words.units(content))]
        if self.owner and any(claim.name not in FLOORS for claim in self.certificate.bounds):
            lines[0] = f"theorem of {owner}, not one of littlestone's: {lines[0]}"
        lines += words.labels(content)
        shown, more = table_words.shown(content, self.certificate.bounds)
        for claim in shown:
            if claim.limit is None:
                of = f" ({content['assume']})" if claim.kind == "a priori" else ""
                lines.append(f"  void: {in_quotes(claim.name)}{of}: {in_quotes(claim.reason)}")
                continue
            what = f"{claim.observed:,.6g}" if isinstance(claim.observed, float) else f"{claim.observed:,}"
            if not claim.holds:
                most = table_words.at_most(content, claim.limit)
                why = f"this stream meets {content['assume']}" if claim.kind == "a priori" else "it assumes nothing"
                lines.append(f"  BROKEN: {what}, and {claim.name} allows {most}; {why}, so {FAULT}")
                continue
            some = f" ({what} counted)" if claim.observed != content["counts"]["observed"] else ""
            declared = f", if {content['assume']} ({looked_for(content['assume'])})" if claim.kind == "a priori" else ""
            mean = ", in expectation over the coin" if "in expectation" in claim.assumes else ""
            rest = "; not checked without a replay" if claim.name in self.unchecked else ""
            most = table_words.at_most(content, claim.limit)
            whom = compared(claim) if "stream.table" in self.quoted else self.certificate.compared(claim)
            if claim.compares and claim.kind == "hindsight":
                why = "measured on this run, and not promised" if claim.name.endswith(MEASURED_REGRET) else "for not knowing it"
                whom = whom or ", compared with the rules that its members are compared with"
                whom = f"{whom}, {table_words.loses(content, claim, why)}"
                whom += table_words.compared_in_units(content, claim)
            kind = "" if claim.compares or content["version"] < 3 else "account: "
            rounds = content["counts"]["rounds"]
            empty = f"; it promises nothing of {rounds:,} rounds" if isinstance(claim.limit, int) and claim.limit >= rounds else ""
            lines.append(f"  {kind}at most {most}{some} by {in_quotes(claim.name)}{mean}{declared}{whom}{empty}{rest}")
        lines += more
        if content["version"] < 3 and any(claim.kind == "hindsight" for claim in self.certificate.bounds):
            lines.append(
                f"  (of version {content['version']}: it does not say which bounds compare, and which follow from the mistakes alone)"
            )
        beside = self.certificate.against_majority()
        lines += [f"  to compare: {beside}"] if beside else []
        lines += words.with_a_coin(content)
        for claim in self.certificate.forecasts:
            rest = "; not checked without a replay" if claim.name in self.unchecked else ""
            errors = "mistakes at 1/2" if content["about"] == "panel" else "mistakes of the likeliest class"
            what = f"{claim.observed:,.6g} nats" if isinstance(claim.observed, float) else f"{claim.observed:,} {errors}"
            lines.append(f"  forecasts: {what}, at most {claim.limit:,.6g} by {claim.name}{'' if claim.holds else ': BROKEN'}{rest}")
        if not self.replayed:
            which = "the members got wrong" if content["about"] == "panel" else "were mistakes and updates"
            lines.append(f"  which rounds {which} is taken as stated" + ("" if self.unknown else ": only a replay checks that"))
        if content["risk"] is not None:
            lines.append(f"  {risk_in_words(content['risk'])}")
        return "\n".join(lines)


def verify(
    certificate: Any,
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    replay: bool = True,
    sample_weight: Any = None,
    ids: Any = None,
    format: str | None = None,
    learner: Any = None,
    model: Any = None,
    key: Any = None,
    progress: Callable[[int, int], None] | None = None,
    processes: int | None = None,
) -> Verdict | ErrorVerdict | MixingVerdict | KeyedVerdict | CopiesVerdict:
    """Check a certificate (a file, an object, a mapping) against the stream it was made from; raises `Refused` where anything is off.

    X and y are what was played: a path or `open_stream(path)`, a sparse matrix, a table, dicts or sets; of experts, advice and truths, or
    the table they were made of, a path or a frame. y, or `label`, may name the column that has the labels, as in `ls.play`. `ids` are the
    names of the rounds, where labels came by name and no file has them. How rounds are made of a file stands in the certificate. A file may
    also be one that `convert` made of the stream; `format` says in which format it is, where neither its name nor its first rows tell.
    `learner` is your own, or what makes it, where the certificate is of a learner of your own: it must stand in the same file as then.

    A certificate of a run by key is checked key by key; `key` has the key of each round where these are rows in memory, and "user=u17" has
    the certificate of that key alone checked.

    A certificate of a model's error (`ls.watch`, `ls.keep`) is checked with `model`, the model that it is about.

    The learner's definition is played again, to see that these were its mistakes and updates. With `replay=False` it is not, and the
    verdict is "consistent" at best. `progress` is called now and then with the rounds so far and with their number.
    A long replay of a panel is shared out to processes, as many as there are cores; `processes=1` has all of it played in this one.
    """
    if label is not None:
        require(y is None, f"y and label={label!r}: the labels are in a column, or given apart; leave one of them out")
        y = label
    certificate = opened(certificate)
    try:
        if certificate.format == keyed_certificate.FORMAT:
            again = partial(verify, replay=replay, ids=ids, format=format, learner=learner, progress=progress, processes=processes)
            check = lambda part, X, y, weights: again(part, X, y, sample_weight=weights)  # noqa: E731
            return verified_by_key(keyed_certificate.read_by_key(certificate), X, y, sample_weight, key, format, check)
        if key is not None:
            reading = read(certificate).content["stream"].get("reading", {})
            if f"{reading.get('key')}={reading.get('only')}" != key:
                whose = f"of {reading['key']}={reading.get('only')}" if reading.get("key") else "of no key"
                raise Refused(f"key={key!r}: the certificate is {whose}")
        with no_collector():
            source, progress = StreamSource(X, y, sample_weight, ids, format), progress or (lambda *_: None)
            if certificate.format == frozen.FORMAT:
                record = frozen.read(certificate)
                return verified_error(record, source.rounds, lambda: family_of(record.content, learner), model, replay, progress)
            if certificate.format == copies_certificate.FORMAT:
                alone = lambda part: _verified(read(part), source, replay, learner, progress, processes)  # noqa: E731
                return verified_copies(copies_certificate.read_copies(certificate), source.rounds, alone)
            if certificate.format == mixing.FORMAT:
                return verified_mixing(mixing.read(certificate), source.rounds, replay, progress)
            return _verified(read(certificate), source, replay, learner, progress, processes)
    except LittlestoneError:
        raise
    except STRANGE as error:
        raise Refused(f"something in the certificate is not what it must be ({type(error).__name__}: {str(error)[:200]})") from None


class StreamSource(NamedTuple):
    """What a user gives as the stream of a certificate."""

    X: Any
    y: Any
    weights: Any
    ids: Any
    format: str | None

    def quoted(self, content: Mapping[str, Any]) -> Names:
        """Return what a certificate says of its stream where rows in memory, or labels without names, say nothing of it."""
        stream, several = content["stream"], content["about"] == "classes"
        read = isinstance(self.X, str | PathLike) or hasattr(self.X, "paths") or hasattr(self.X, "__arrow_c_stream__")
        _, y = with_labels(self.X, self.y, _reading(stream, several=several))
        labels = () if y is None else y.tolist() if hasattr(y, "tolist") else y
        named = several or (read and y is None) or any(isinstance(label, str) for label in labels)
        parts = {"reading": not read, "table": not read, "labels": not named and stream["labels"] is not None}
        return tuple(f"stream.{part}" for part in parts if parts[part] and part in stream)

    def rounds(self, content: Mapping[str, Any]) -> Iterator[Any]:
        """All passes of it, as the certificate says that it is read."""
        stream = content["stream"]
        labels: Any = Several(stream["labels"]) if content["about"] == "classes" else stream["labels"]
        by_label = stream.get("label_weights", ())
        weights, rest = (None, self.weights) if by_label else (self.weights, None)
        reading = _reading(stream, several=isinstance(labels, Several))
        how = {"boolean": stream["boolean"], "labels": labels, "weights": weights, "reading": reading, "format": self.format}
        passes = stream.get("passes", 1)
        for path in getattr(self.X, "paths", ()) if passes > 1 else ():
            once = f"{shown(path)} can be read only once, and the certificate is of {passes} passes over the stream; expected a file"
            require(not comes_once(path), once)
        reading = how["reading"]
        order = RowOrder(None if reading is None or reading.named is None else reading.by_name and not reading.bits)
        for turn in range(passes):
            rounds, length = weighed(rounds_of(self.X, self.y, **how), rest, by_label), 0
            rounds = order.all(rounds) if stream.get("row_version", 1) >= ROW_VERSION else rounds
            for example in rounds if self.ids is None else map(named, rounds, self.ids):
                length += 1
                yield example
            if turn == 0:
                refuse_beyond(stream, length)


def named(example: Any, id: Any) -> Any:
    example.id = name_of(id)
    return example


def _verified(
    cert: Certificate, source: StreamSource, replay: bool, learner: Any, progress: Callable[[int, int], None], most: int | None
) -> Verdict:
    content, stream = cert.content, cert.content["stream"]
    about = content["about"]
    for part in ("panel", "classes"):
        if (part in content) != (about == part):
            raise Refused(f"{part}: a certificate has this part where it is about {'a panel' if part == 'panel' else part}, and only there")
    chosen: Family | None = None
    unknown = ""
    if about != "panel":
        chosen, unknown = family_of(content, learner)
    if not unknown and chosen is not None and not defined(chosen):
        unknown = f"{(chosen.own or {}).get('name', chosen.name)} has no definition to replay"
    replay = replay and not unknown
    rounds = stream["rows"][1] - stream["rows"][0] + 1
    with Processes(1 if rounds < FEW else most or cores()) as processes:
        if about == "advice":
            X, y, _, ids, format = source
            if not isinstance(chosen, RuleFamily):
                raise Refused(f"{content['learner']['name']} is no rule over advice")
            kind = UnknownAdvice if chosen.ties is None else AdviceCase
            case: Any = kind(content, chosen, *rows_of_stream(stream, chosen, X, y, format, ids), replay=replay, progress=progress)
            schedule = case.schedule
        else:
            if about == "panel":
                case = PanelCase(content, replay=replay, processes=processes, progress=progress)
                progress = (lambda *_: None) if replay else progress  # rounds are read long before they are played again
            else:
                case = case_of(content, chosen, replay)
            schedule = Schedule(stream, lambda example: not example.keys)
            watch(case, schedule.events(source.rounds(content), progress))
        done, left = case.check()
    stated = content["learner"].get("file", {}).get("name", "")
    owner = (chosen.own or {}).get("name", stated) if chosen is not None and stated and not unknown else stated
    if replay and owner and left:
        unknown = f"{owner!r} does not say how the facts of {', '.join(left)} are measured"
    unknown = unknown or case.unsure
    if schedule.unnamed:
        unknown = unknown or "labels came by name, and which row each belongs to is taken as stated: the rows have no names here"
    silent = content["version"] < 3 and content["bounds"]  # which of them compare, it does not say
    if "summary" in content and (silent or content["summary"] not in (in_plain_words(cert), proved_in_plain_words(cert))):
        raise Refused("its summary does not say what the rest of it says")
    return Verdict(cert, done, left, replay, case.aside, owner, unknown, schedule.total, source.quoted(content))


def case_of(content: Mapping[str, Any], chosen: Family | None, replay: bool) -> Any:
    """The checks that a certificate of this kind needs."""
    if content["about"] == "panel":
        return PanelCase(content, replay=replay)
    assert chosen is not None
    if content["about"] == "classes" and chosen.name == "class_panel" and "panel" in content["classes"]:
        return ClassPanelCase(content, chosen, member_case, replay=replay)
    if content["about"] == "classes":
        return (UnknownClasses if chosen.ties is None else ClassesCase)(content, chosen, member_case, replay=replay)
    if chosen.name == "panel" and content["bounds"]:
        untold = untold_rule(chosen)
        case = UnknownCase(content, chosen, replay=False) if untold else LatePanelCase(content, chosen, replay=replay)
        case.unsure = untold
        return case
    return UnknownCase(content, chosen, replay=False) if chosen.ties is None else StreamCase(content, chosen, replay=replay)


def untold_rule(chosen: Family) -> str:
    """Why the theorems of a panel's rule are not known: its text does not tell all settings that its definition takes."""
    rule = str((chosen.values or {})["rule"])
    settled = not known(rule.partition(":")[0]) or playable(**chosen.values or {})
    return "" if settled else f"{rule}, its rule, does not tell all its settings"


def member_case(certificate: Mapping[str, Any], where: str, inner: Family, replay: bool) -> Any:
    """A member's certificate inside that of a committee."""
    about = "panel" if inner.name == "panel" else "stream"
    content = nested(certificate, where, about)
    if content["learner"]["name"] != inner.name or not same(content["learner"]["settings"], exactly(inner.values)):
        raise Refused("it is about another learner than the committee's")
    return case_of(content, inner, replay)


def family_of(content: Mapping[str, Any], learner: Any = None) -> tuple[Family, str]:
    """The family of the learner, with the settings that the certificate states; and why it is not known, where it is not."""
    stated = content["learner"]
    name, settings, file = stated["name"], stated["settings"], stated.get("file")
    if file is not None and learner is None:
        kind = RuleFamily if content["about"] == "advice" else Family
        unknown = kind(name, ties=None, updates_on=stated["updates_on"], weighted=True, own=file, values=settings)
        return unknown, f"its theorems stand in {file['name']!r}: give that learner to have them checked (--learner FILE.py::NAME)"
    try:
        if file is not None:
            return own_family(content, learner), ""
        if learner is not None:
            raise Refused(f"the certificate is of {name}, which is one of littlestone's; a learner of your own has no part in it")
        chosen = family(name).stated(settings)
    except LittlestoneError as error:
        raise Refused(str(error)) from None
    written(chosen.values or {}, settings)
    return chosen, ""


def own_family(content: Mapping[str, Any], learner: Any) -> Family:
    """The family of a user's own learner: the file it stands in must be the one of the certificate."""
    name, settings, file = (content["learner"][key] for key in ("name", "settings", "file"))
    made = learner if hasattr(learner, "family") else learner(**{key: as_given(value) for key, value in settings.items()})
    chosen: Family = made.family
    if chosen.own is None:
        raise Refused(f"{chosen.name} is one of littlestone's, and the certificate is of a learner in {file['name']}")
    if chosen.own["sha256"] != file["sha256"]:
        raise Refused(f"{file['name']} is not the file of the certificate: it was changed, or is another (its digest differs)")
    if chosen.name != name or not same({key: exactly(value) for key, value in (chosen.values or {}).items()}, dict(settings)):
        texts = ", ".join(f"{key}={value}" for key, value in settings.items())
        raise Refused(f"the learner given is another than the certificate's, {name} with {texts or 'no settings'}")
    return chosen


def as_given(value: Any) -> Any:
    """A setting as a factory takes it: a number where it is one."""
    try:
        exact = number(value)
    except Refused:
        return value
    return float(exact) if isinstance(exact, Decimal) else exact


def _reading(stream: Mapping[str, Any], *, several: bool = False) -> Reading | None:
    """How rounds are made of the stream's files; None in a certificate that does not say. Of several classes more labels may be declared
    than have come."""
    if "reading" not in stream:
        return None
    try:
        reading = Reading.from_json(stream["reading"])
    except LittlestoneError as error:
        raise Refused(f"stream.reading: {error}") from None
    if not reading.settled and not reading.of_dicts:
        raise Refused("stream.reading leaves open what the beginning of the stream settles")
    if reading.boolean and not stream["boolean"]:
        raise Refused("stream.reading takes presence for value, and stream.boolean denies it")
    declared, stated = [None if labels is None else list(map(label_of, labels)) for labels in (reading.labels, stream["labels"])]
    if declared is not None and stated is not None and declared != stated and not (several and set(stated) <= set(declared)):
        raise Refused("stream.reading has other labels than stream.labels")
    return reading
