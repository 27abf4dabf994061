"""Check a certificate against its stream: theory and plain Python alone. No learner, no kernel, no array arithmetic decides anything here.

What is done, in this order: the file is whole and unchanged (its own digest); the stream is the one it speaks of (the stream's digest);
the counts follow from the labels and the rows of the mistakes; every fact of every bound follows from the stream and the witness, in exact
arithmetic; every limit follows from the facts by the theorem's formula; what is said to be void is void, for the reason given.  With
`replay` the learner's definition is played again, to see that these were its mistakes and its updates.

>>> import littlestone as ls
>>> X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 0]
>>> cert = ls.certify(ls.play(ls.perceptron(), X, y), X, y)
>>> print(ls.verify(cert, X, y, replay=True))
verified and replayed: perceptron made 1 mistake in 3 rounds
  at most 1 by perceptron-hinge, compared with a vector over 1 feature
  at most 5 by perceptron-separable, compared with a vector over 2 features
>>> ls.verify(cert, X, [0, 1, 1])
Traceback (most recent call last):
...
littlestone.errors.Refused: the stream is not the one of the certificate: other rounds, other labels, or another order
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.replay import replayed, settings_of
from littlestone.rounds.features import label_of
from littlestone.rounds.reading import Reading
from littlestone.rounds.sources import rounds_of
from littlestone.theory import Claim, contradictions, families, parse_assumption
from littlestone.theory.bound import Bound, judge
from littlestone.theory.certificate import Certificate, exactly, number, read, same
from littlestone.theory.evidence import Evidence, Features, features_of, witness_from
from littlestone.theory.numbers import DIGITS, float_above, real
from littlestone.verifier import table_words
from littlestone.verifier.advice import verify_advice
from littlestone.verifier.look import Look, look_together, no_collector
from littlestone.verifier.panel import PanelCase

#: What only a certificate that nobody wrote honestly can bring about: a number of absurd size, an object in the place of a number.
STRANGE = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, MemoryError, RecursionError)
ULPS = 1 - Decimal("1e-13")
MILLIONTH, TINY = Decimal("1.000001"), Decimal("1e-9")


@dataclass(frozen=True)
class Verdict:
    """What was checked. There is no verdict of failure: whatever is off raises `Refused`."""

    certificate: Certificate
    claims: tuple[str, ...]  # bounds whose facts were measured anew
    unchecked: tuple[str, ...]  # bounds whose facts only a replay can tell, and there was none
    replayed: bool
    aside: tuple[str, ...] = ()  # members of a panel that have no definition here, and the blends that hear them

    def __str__(self) -> str:
        content, cost = self.certificate.content, self.certificate.cost
        made = f"{'had' if cost.startswith('loss') else 'made'} {cost} in {content['counts']['rounds']:,} rounds"
        told = [claim.name for claim in self.certificate.bounds if claim.limit is not None]
        open_ones = bool(told) and set(told) <= set(self.unchecked)
        apart = f", except for {', '.join(self.aside)}, whose votes are taken as stated" if self.aside else ""
        how = f" and replayed{apart}" if self.replayed else ", except for its bounds, which need a replay (--replay)" if open_ones else ""
        lines = [f"verified{how}: {content['learner']['name']} {made}", *table_words.units(content)]
        shown, more = table_words.shown(content, self.certificate.bounds)
        for claim in shown:
            if claim.limit is None:
                lines.append(f"  void: {claim.name} ({content['assume']}): {claim.reason}")
                continue
            what = f"{claim.observed:,.6g}" if isinstance(claim.observed, float) else f"{claim.observed:,}"
            some = f" of the {what} it speaks of" if claim.observed != content["counts"]["observed"] else ""
            given = f", if {content['assume']} (not contradicted by this stream)" if claim.kind == "a priori" else ""
            rest = "; not checked without a replay" if claim.name in self.unchecked else ""
            most = table_words.at_most(content, claim.limit)
            lines.append(f"  at most {most}{some} by {claim.name}{given}{self.certificate.compared(claim)}{rest}")
        lines += more
        if not self.replayed:
            which = "the members got wrong" if content["about"] == "panel" else "were mistakes and updates"
            lines.append(f"  which rounds {which} is taken as stated: a replay checks that too")
        if content["risk"] is not None:
            lines.append(
                f"  risk at most {content['risk']['average']:.4g} with probability {1 - content['risk']['delta']:g}, if rounds are i.i.d."
            )
        return "\n".join(lines)


def verify(
    certificate: Any, X: Any, y: Any = None, *, replay: bool = False, sample_weight: Any = None, format: str | None = None
) -> Verdict:
    """Check a certificate (a file, an object, a mapping) against the stream it was made from; raises `Refused` where anything is off.

    X and y are what was played: a path or `open_stream(path)`, a sparse matrix, a table, dicts or sets; of experts, advice and truths, or
    the table they were made of, a path or a frame.
    How rounds are made of a file stands in the certificate. A file may also be one that `convert` made of the stream; `format` says in
    which format it is, where neither its name nor its first rows tell.
    """
    try:
        return _verified(certificate, X, y, replay, sample_weight, format)
    except LittlestoneError:
        raise
    except STRANGE as error:
        raise Refused(f"something in the certificate is not what it must be ({type(error).__name__}: {str(error)[:200]})") from None


def _verified(certificate: Any, X: Any, y: Any, replay: bool, sample_weight: Any, format: str | None) -> Verdict:
    cert = read(certificate)
    content, stream = cert.content, cert.content["stream"]
    if ("panel" in content) != (content["about"] == "panel"):
        raise Refused("panel: a certificate has this part where it is about a panel, and only there")
    if content["about"] == "advice":
        return Verdict(cert, *verify_advice(cert, X, y, replay, format), replay)
    case = (PanelCase if content["about"] == "panel" else StreamCase)(content, replay)
    rounds = rounds_of(
        X, y, boolean=stream["boolean"], labels=stream["labels"], weights=sample_weight, reading=_reading(stream), format=format
    )
    with no_collector():
        look_together(case.looks, rounds)
        done, left = case.check()
    return Verdict(cert, done, left, replay, case.aside)


class StreamCase:
    """A certificate of a stream, and the look at the stream that it needs."""

    aside: tuple[str, ...] = ()

    def __init__(self, content: Mapping[str, Any], replay: bool) -> None:
        self.content, self.replay = content, replay
        name = content["learner"]["name"]
        try:
            family = families.family(name)
            self.settings = settings_of(name, content["learner"]["settings"])
            if odd := [key for key, value in self.settings.items() if not same(exactly(value), content["learner"]["settings"][key])]:
                raise Refused(f"learner.settings.{odd[0]} is not how that setting is written")
            self.family = family.chosen(self.settings)
            self.declared = parse_assumption(content["assume"]) if content["assume"] is not None else ("none", {})
        except LittlestoneError as error:
            raise Refused(str(error)) from None
        records = content["bounds"]
        self.every = any(bound.every for r in records if (bound := self.family.bounds.get((r["name"], r["kind"]))))
        self.look = Look(content, keep_all=content["assume"] is not None or replay or self.every)
        self.looks = [self.look]

    def check(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """After the look: the names of the bounds whose facts were measured anew, and of those that only a replay can check."""
        content, family, look = self.content, self.family, self.look
        evidence = look.evidence(self.settings, family, self.every)
        _check_learner(content, family, evidence)
        if self.replay:
            evidence = replace(evidence, replayed=replay_learner(content, family.name, self.settings, look))
        done: list[str] = []
        left: list[str] = []
        for record in content["bounds"]:
            checked = check_bound(record, evidence, family, self.declared, look)
            (done if checked else left).append(record["name"])
        _check_complete(content, family, self.declared[0])
        if any(record["limit"] is None for record in content["bounds"] if record["kind"] == "hindsight"):
            raise Refused("bounds: one in hindsight that says nothing has no place in a certificate")
        order = [(record["kind"] != "a priori", record["limit"] if record["kind"] == "hindsight" else 0) for record in content["bounds"]]
        if order != sorted(order):
            raise Refused("bounds: what was declared comes first, then hindsight, the smallest limit first")
        check_risk(content)
        return tuple(done), tuple(left)


def _reading(stream: Mapping[str, Any]) -> Reading | None:
    """How rounds are made of the stream's files; None in a certificate that does not say."""
    if "reading" not in stream:
        return None
    try:
        found = Reading.from_json(stream["reading"])
    except LittlestoneError as error:
        raise Refused(f"stream.reading: {error}") from None
    if not found.settled:
        raise Refused("stream.reading leaves open what the beginning of the stream settles")
    if found.boolean and not stream["boolean"]:
        raise Refused("stream.reading takes presence for value, and stream.boolean denies it")
    if (
        found.labels is not None
        and stream["labels"] is not None
        and list(map(label_of, found.labels)) != list(map(label_of, stream["labels"]))
    ):
        raise Refused("stream.reading has other labels than stream.labels")
    return found


def check_bound(record: Mapping[str, Any], e: Evidence, family: Any, declared: tuple[str, Mapping], look: Look) -> bool:
    """Refuse a bound that does not follow; False where its facts are the run's own, and there was no replay."""
    name = record["name"]
    bound = family.bounds.get((name, record["kind"]))
    if bound is None:
        raise Refused(f"{record['name']!r} ({record['kind']}) is no theorem about {family.name}")
    _check_observed(record, e, look)
    try:
        witness = witness_from(record["witness"])
        claimed = {key: number(value) for key, value in record["facts"].items()}
        if odd := [key for key, value in claimed.items() if not same(exactly(value), record["facts"][key])]:
            raise Refused(f"{odd[0]} is {record['facts'][odd[0]]!r}, which is not how that number is written")
    except LittlestoneError as error:
        raise Refused(f"{name}: {error}") from None
    _check_witness(bound, record, witness, look)
    try:
        truth = family.measure(e, witness)
    except LittlestoneError as error:  # such a witness there cannot be
        raise Refused(f"{name}: {error}") from None
    known = bound.witness != "run" or bool(e.replayed)
    if bound.witness == "run":
        # a replay adds in the order of the definition; the run's own rounding, which the facts allow for, is far larger than this
        again = {key: value if isinstance(value, int | str) or value is None else real(value) * ULPS for key, value in e.replayed.items()}
        truth = {**truth, **again}
    void = ""
    if bound.kind == "a priori":
        if bound.assumes != declared[0]:
            raise Refused(f"{name}: the theorem assumes {bound.assumes!r}, and the certificate declares {look.content['assume']!r}")
        void = _check_declared(record, bound, claimed, truth, declared[1], look, e.settings)
    else:
        if record["contradiction"] is not None:
            raise Refused(f"{name}: a bound in hindsight assumes nothing that could be contradicted")
        _check_facts(bound, claimed, truth, e.settings, known)
    expected = judge(bound, record["observed"], claimed, void)
    _compare(record, expected)
    if bound.kind == "hindsight" and record["holds"] is not True and not bound.chance and record["limit"] is not None:
        raise Refused(f"{name}: {record['observed']} exceeds the limit {record['limit']}")
    return known


def _check_observed(record: Mapping[str, Any], e: Evidence, look: Look) -> None:
    truth = look.weighted_mistakes if not e.weighted else float_above(look.weighted_mistakes)
    if not same(record["observed"], truth):
        raise Refused(f"{record['name']}: observed is {record['observed']}, and the mistakes are {truth}")


def _check_witness(bound: Bound, record: Mapping[str, Any], witness: Any, look: Look) -> None:
    kind = None if record["witness"] is None else record["witness"]["kind"]
    wanted = bound.witness if bound.witness not in ("", "run") else None
    void = record["limit"] is None
    if kind != wanted and not (kind is None and void):
        raise Refused(f"{bound.name}: its witness is {kind or 'nothing'}; expected {wanted or 'nothing'}")
    if isinstance(witness, Features) and witness.k != 1 and "k" not in bound.needs:
        raise Refused(f"{bound.name}: its witness has k={witness.k}; expected 1")
    strange = features_of(witness) - look.names
    if strange:
        raise Refused(f"{bound.name}: its witness has feature {min(strange)!r}, which the stream has not")


def _check_facts(bound: Bound, claimed: Mapping, truth: Mapping, settings: Mapping, known: bool) -> None:
    name = bound.name
    if set(claimed) != set(bound.needs):
        odd = min(set(claimed) ^ set(bound.needs))
        raise Refused(f"{name}: the fact {odd} is {'missing' if odd in bound.needs else 'none of this theorem'}")
    for key in bound.needs:
        if key in truth:
            compare_fact(bound, key, claimed[key], truth[key], key in settings)
        elif known:
            raise Refused(f"{name}: {key} cannot be measured on this stream")


def compare_fact(bound: Bound, key: str, stated: Any, true: Any, exactly: bool = False) -> None:
    """What is stated may err only to the side where the theorem says less, and there by a millionth: outward rounding, no more."""
    name = bound.name
    if isinstance(stated, bool) is not isinstance(true, bool):
        raise Refused(f"{name}: {key} is {stated!r}, and the stream and the witness say {_shown(true)}")
    if exactly or true is None or stated is None or isinstance(true, str | bool) or isinstance(stated, str | bool | Mapping):
        same = stated == true
    else:
        low, high = (stated, true) if key in bound.falling else (true, stated)
        with localcontext(DIGITS):
            same = real(low) <= real(high) <= real(low) * MILLIONTH + TINY
    if not same:
        raise Refused(f"{name}: {key} is {_shown(stated)}, and the stream and the witness say {_shown(true)}")


def _check_declared(
    record: Mapping, bound: Bound, claimed: Mapping, truth: Mapping, declared: Mapping, look: Look, settings: Mapping
) -> str:
    """Facts of an a priori bound: declared ones as declared, the others measured. Why it is void, if the stream contradicts it."""
    sizes = {"R": "R2", "X": "X"}
    for key in bound.needs:
        if key not in claimed:
            raise Refused(f"{bound.name}: the fact {key} is missing")
        if key in declared:
            if claimed[key] != declared[key]:
                raise Refused(f"{bound.name}: {key} is {_shown(claimed[key])}, and {_shown(declared[key])} was declared")
            if key == "size" and bound.assumes == "class" and truth.get(key) is not None and declared[key] < truth[key]:
                raise Refused(f"{bound.name}: {key} is {_shown(declared[key])}, and the class has {_shown(truth[key])} concepts")
        elif key in truth and truth[key] is not None:
            size = key in sizes.values() and any(sizes.get(given) == key for given in declared)
            if key in bound.least and settings.get(key) is None:
                size = isinstance(claimed[key], int)
            if not size:
                compare_fact(bound, key, claimed[key], truth[key], key in settings)
            elif claimed[key] < truth[key]:
                raise Refused(f"{bound.name}: {key} is {_shown(claimed[key])}, and the stream says {_shown(truth[key])}")
        elif key in truth and claimed[key] is None:
            continue  # it cannot be measured on this stream, and the bound is void for that
        elif key not in bound.optional or claimed[key] != bound.optional[key]:
            raise Refused(f"{bound.name}: {key} is {_shown(claimed[key])}, and nothing says so")
    if extra := set(claimed) - set(bound.needs):
        raise Refused(f"{bound.name}: {min(extra)} is no fact of this theorem")
    for key, value in declared.items():
        if key not in bound.needs and key not in sizes:
            raise Refused(f"{bound.name}: takes no {key}")
        if key in sizes and sizes[key] in claimed and claimed[sizes[key]] < (value**2 if key == "R" else value):
            raise Refused(f"{bound.name}: {sizes[key]} is below what {key}={value} declares")
    found = contradictions.find(
        bound, look.content["assume"], look.rows, look.mistakes, claimed, settings, weighted=look.content["stream"]["weighted"]
    )
    if found != record["contradiction"]:
        says = "none" if found is None else f"row {found['row']}: {found['why']}"
        raise Refused(f"{bound.name}: the certificate's contradiction is not the one that the stream has ({says})")
    return contradictions.reason(found) if found else ""


def _compare(record: Mapping[str, Any], expected: Claim) -> None:
    for key, value in expected.as_json().items():
        if key in ("facts", "witness"):
            continue
        stated = record[key]
        if stated != value or type(stated) is not type(value):
            raise Refused(f"{record['name']}: {key} is {_shown(stated)}; the theorem and its facts say {_shown(value)}")


def _check_learner(content: Mapping[str, Any], family: Any, e: Evidence) -> None:
    learner = content["learner"]
    n = e.settings.get("n")
    if n is not None and e.features > n:
        raise Refused(f"the learner was made for n={n} features, and the stream has {e.features}")
    if e.weighted and not family.weighted:
        raise Refused(f"stream.weighted: {family.name} honours no weights")
    outside = {"boolean": not e.zero_one, "unit": e.largest > 1 or e.negative}
    if outside.get(family.domain, False):
        wanted = "0 or 1" if family.domain == "boolean" else "from 0 to 1"
        raise Refused(f"the stream has values that {family.name} does not take: expected {wanted}")
    expected = {"ties": family.ties, "arithmetic": family.arithmetic(e), "updates_on": family.updates_on(e.settings)}
    for key, value in expected.items():
        if learner[key] != value:
            raise Refused(f"learner.{key} is {learner[key]!r}; expected {value!r}")
    if (content["updates"] is None) != (learner["updates_on"] == "always"):
        raise Refused("updates must be null where the learner updates always, and only there")
    if learner["updates_on"] == "mistakes" and content["updates"]:
        raise Refused("updates must be empty: this learner updates on mistakes alone")
    if content["stream"]["experts"] is not None:
        raise Refused("stream.experts: there are none")
    if content["counts"]["observed"] != (content["bounds"][0]["observed"] if content["bounds"] else content["counts"]["mistakes"]):
        raise Refused(f"counts.observed is {content['counts']['observed']}, and the bounds speak of another count")


def _check_complete(content: Mapping[str, Any], family: Any, assumed: str) -> None:
    names = [(record["name"], record["kind"]) for record in content["bounds"]]
    records = [(record["name"], record["kind"], repr(record["witness"])) for record in content["bounds"]]
    if len(set(records)) != len(records):
        raise Refused("a bound stands twice with one witness")
    if not any(record["limit"] is not None for record in content["bounds"]):
        raise Refused("no bound of the certificate holds: a run is never left without one")
    for (name, kind), bound in family.bounds.items():
        if kind == "a priori" and bound.assumes == assumed and assumed != "none" and (name, kind) not in names:
            raise Refused(f"the bound {name} is missing, which assumes what was declared")


def replay_learner(content: Mapping[str, Any], name: str, settings: Mapping[str, Any], look: Look) -> Mapping[str, Any]:
    """Play the learner's definition again: its mistakes, its updates, and the facts only it can tell."""
    try:
        found = replayed(name, settings, look.all, look.first)
    except LittlestoneError as error:
        raise Refused(f"replaying {name}: {error}") from None
    for what, stated, true in (("mistakes", look.mistakes, found.mistakes), ("updates", look.also, found.also)):
        if content["learner"]["updates_on"] == "always" and what == "updates":
            continue
        if stated != true:
            row = min(set(stated) ^ set(true))
            said = "and the certificate says so" if row in set(stated) else "and the certificate leaves it out"
            did = "made no" if row in set(stated) else "made a" if what == "mistakes" else "made an"
            raise Refused(f"{what}: replaying {name}, row {row} {did} {what[:-1]}, {said}")
    return found.facts


def check_risk(content: Mapping[str, Any]) -> None:
    from littlestone.theory.risk import risk

    stated = content["risk"]
    if stated is None:
        return
    counts = content["counts"]
    try:
        found = risk(counts["mistakes"], counts["rounds"], stated["delta"]).as_json()
    except (LittlestoneError, ValueError, ZeroDivisionError) as error:
        raise Refused(f"risk: {error}") from None
    for key, value in found.items():
        if stated[key] != value or type(stated[key]) is not type(value):
            raise Refused(f"risk.{key} is {stated[key]!r}; from {counts['mistakes']} mistakes in {counts['rounds']} rounds it is {value!r}")


def _shown(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{float(value):.12g}"
    return repr(value) if isinstance(value, str) else str(value)
