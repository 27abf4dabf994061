"""The certificate: what was played, which theorems hold of it and why, in a file that carries its own digest.

Numbers that a claim rests on are written exactly: whole numbers as they are, fractions as text ("3/2"), decimals rounded up as text.
The file is JSON with its own digest (theory/sealed.py).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from littlestone.errors import Refused, require
from littlestone.hooks import above
from littlestone.theory.bound import Claim
from littlestone.theory.comparators import COMPARATORS, comparator_from
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.forecast import beside_vote
from littlestone.theory.json_shape import shortened
from littlestone.theory.risk import in_words as risk_in_words
from littlestone.theory.sealed import Sealed, checked_content, sealed_content

FORMAT = "littlestone certificate"
VERSIONS = (1, 2, 3)
COMPARING = ("compares", "comparator_loss", "price")  # of a bound, from version 3 on
MOST_PASSES = 10_000  # over one stream: whoever checks a certificate has to make them too
SCHEMA = json.loads(Path(__file__).with_name("certificate.schema.json").read_text(encoding="utf-8"))
SCHEMA["$defs"]["witness"] = {"anyOf": [{"type": "null"}, *(kind.shape for kind in COMPARATORS.values())]}


@dataclass(frozen=True, eq=False)
class Certificate(Sealed):
    """A certificate as a value: `content` is the JSON object, the properties its parts as Python has them."""

    def __repr__(self) -> str:
        best = self.best
        limit = f"at most {best.limit:,} by {best.name}" if best else "no bound that compares"
        return f"<certificate: {self.content['learner']['name']}, {self.cost} in {self.rounds:,} rounds, {limit}>"

    def __str__(self) -> str:
        return in_plain_words(self)

    @property
    def cost(self) -> str:
        """What the learner's theorems bound: mistakes, or the loss of a rule over advice."""
        counts = self.content["counts"]
        if self.content["about"] == "advice" and isinstance(counts["observed"], float):
            return f"loss {counts['observed']:,.6g}"
        weight = f" of weight {counts['observed']:,.6g}" if self.content["stream"]["weighted"] else ""
        return f"{counts['mistakes']:,} mistake{'' if counts['mistakes'] == 1 else 's'}{weight}"

    @property
    def mistakes(self) -> int:
        return self.content["counts"]["mistakes"]

    @property
    def rounds(self) -> int:
        return self.content["counts"]["rounds"]

    @property
    def risk(self) -> Mapping[str, Any] | None:
        return self.content["risk"]

    @cached_property
    def bounds(self) -> list[Claim]:
        """Every bound, both kinds; the tightest comes first among those that hold."""
        return [claim_from(record) for record in self.content["bounds"]]

    @property
    def forecasts(self) -> list[Claim]:
        """What theorems say of the forecasts of a panel that makes any."""
        return [claim_from(record) for record in (self._panel or {}).get("forecasts", {}).get("bounds", ())]

    @property
    def best(self) -> Claim | None:
        """The smallest limit among the bounds that compare, of those on all rounds together where there is one.

        Certificates of versions 1 and 2 do not say which bounds compare: of those, the smallest that holds.
        """
        held = [b for b in self.bounds if b.holds and (b.compares or self.content["version"] < 3)]
        whole = [b for b in held if b.observed == self.content["counts"]["observed"]]
        return min(whole or held, key=lambda b: b.limit, default=None)  # type: ignore[arg-type,return-value]

    @property
    def majority(self) -> int | None:
        """Mistakes of whoever always guesses the majority; None of several classes, and where rounds have weights."""
        counts = self.content["counts"]
        if "positives" not in counts or counts["observed"] != counts["mistakes"]:
            return None
        return min(counts["positives"], counts["rounds"] - counts["positives"])

    def against_majority(self) -> str:
        """Its best bound beside always guessing the majority, in words; nothing where there is no such bound."""
        best, majority = self.best, self.majority
        if best is None or best.limit is None or majority is None:
            return ""
        void = ", and no bound here proves anything against that" if best.limit >= majority else ""
        return f"always guessing the majority makes {majority:,}{void}"

    def compared(self, claim: Claim) -> str:
        """Whom one of its bounds compares with, in words."""
        panel = self._panel
        if panel is None:
            return compared(claim, self.content["stream"].get("table", {}).get("experts", ()))
        return compared(claim, [member["text"] for member in panel["members"]], "member")

    @property
    def _panel(self) -> Mapping[str, Any] | None:
        """What stands there of a panel, of two classes or of several."""
        return self.content.get("panel") or (self.content.get("classes") or {}).get("panel")

    def plot(self, ax: Any = None, **looks: Any) -> Any:
        """A matplotlib figure: what each bound allows, beside what was observed."""
        return above("plot_certificate")(self, ax, **looks)

    def _repr_html_(self) -> str:
        return above("certificate_html")(self)


def compared(claim: Claim, names: Sequence[str] = (), what: str = "expert") -> str:
    """Whom a bound compares with, in words; nothing where there is no witness. `names` are those of experts, or `what` else they are."""
    whom = claim.witness or ("" if claim.comparator is None else claim.comparator.in_words(names, what))
    if claim.compares and isinstance(claim.comparator, Features) and not claim.comparator.features:
        whom = "the rule that always says 0"
    elif "drops" in claim.facts:
        whom += ", each dropped by the first 0 that has it on"
    chained = "lost" in claim.facts  # the loss is that of whom the member's own theorem compares it with
    return whom and f", compared with {f'what {whom}, is compared with' if chained else whom}"


def in_one_sentence(certificate: Certificate) -> str:
    """Return what was shown, in one sentence for a reader who decides: the mistakes, beside those of always saying the same label, and
    those of the best member of a panel, or what the best bound allows. "" of rules over advice, and where nothing was played."""
    content, panel, best = certificate.content, certificate._panel, certificate.best
    if content["about"] == "advice" or not certificate.rounds:
        return ""
    stream, positives = content["stream"], content["counts"].get("positives", 0)
    rows = "messages" if (stream.get("reading") or {}).get("format") == "text" else "rows"
    parts = [f"On these {certificate.rounds:,} {rows} it made {certificate.mistakes:,} mistake{'' if certificate.mistakes == 1 else 's'}"]
    if (majority := certificate.majority) is not None:
        label = (stream["labels"] or (0, 1))[2 * positives > certificate.rounds]
        label = int(label) if isinstance(label, float) and label.is_integer() else label
        parts.append(f"always saying {label} would have made {majority:,}")
    if panel is not None and not stream["weighted"]:
        least = min(len(member["mistakes"]) for member in panel["members"])
        parts.append(f"no fixed choice among its members, known in advance, would have made fewer than {least:,}")
    elif best is not None:
        parts.append(f"a theorem allows it at most {_short(best.limit)}")
    return f"{'; '.join(parts)}."


def in_plain_words(certificate: Certificate) -> str:
    """A certificate for a reader who knows no theory: one sentence with what was shown, and what `proved_in_plain_words` says."""
    return f"{in_one_sentence(certificate)} {proved_in_plain_words(certificate)}".lstrip()


def proved_in_plain_words(certificate: Certificate) -> str:
    """Return what was played, what is proved whatever the data, and what if rows are alike. Certificates of earlier versions of the library
    have no other summary."""
    content, best = certificate.content, certificate.best
    name, cost = content["learner"]["name"], certificate.cost
    task = "weighed the advice of experts in {:,} rounds" if content["about"] == "advice" else "said the label of {:,} rows"
    made = f"had {cost}" if cost.startswith("loss") else f"made {cost} ({100 * certificate.mistakes / max(certificate.rounds, 1):.2f} %)"
    lines = [f"What was played: {name} {task.format(certificate.rounds)}, each before it was told what came, and {made}."]
    if best is None or best.kind != "hindsight":
        lines.append("Nothing here is proved whatever the data are.")
    else:
        coin = ", on average over its coin" if "in expectation" in best.assumes else ""
        limit = f"at most {_short(best.limit)}{coin}"
        if best.price is not None:
            whom = certificate.compared(best).removeprefix(", compared with ") or "the rules that its members are compared with"
            whom = f"the best fixed rule found afterwards ({whom})" if whom.startswith("a vector") else whom
            difference = best.facts.get("difference") or 0  # of a panel whose label is its forecast's
            price = best.price - difference if isinstance(difference, int) else float(best.price) - float(difference)
            limit += f": {_short(best.comparator_loss)} that are lost by {whom}, and {_short(price)} for not knowing it"
            limit += beside_vote(difference)
        beside = certificate.against_majority()
        lines.append(f"What is proved whatever the data are, by {best.name}: {limit}." + (beside and f" To compare: {beside}."))
    for claim in certificate.bounds:
        if claim.kind == "a priori" and claim.limit is None:
            lines.append(f"What was declared, {content['assume']}, proves nothing by {claim.name}: {claim.reason}.")
        elif claim.kind == "a priori":
            lines.append(f"What is proved if {content['assume']} is true of the data, by {claim.name}: at most {_short(claim.limit)}.")
    broken = [claim.name for claim in certificate.bounds if claim.holds is False]
    lines += [f"Broken, and so no proof at all: {', '.join(broken)}."] if broken else []
    if content["risk"] is None:
        lines.append("Of other rows than these nothing is claimed.")
    else:
        lines.append(f"What is proved if rows are alike: {risk_in_words(content['risk'])}.")
    return " ".join(lines)


def _short(number: Any) -> str:
    """A limit or a loss as a reader takes it in."""
    return f"{number:,}" if isinstance(number, int) else f"{float(number):,.6g}"


def sealed(content: Mapping[str, Any], *, inside: bool = False) -> Certificate:
    """A certificate of this content, with its digest; one that stands `inside` another has no opening words."""
    passes = content["stream"].get("passes", 1)
    require(passes <= MOST_PASSES, f"{passes:,} passes: a certificate speaks of {MOST_PASSES:,} or less, or nobody would play them again")
    version = version_of(content)
    words = {} if inside else {"summary": in_plain_words(Certificate({"version": version, **content}))}
    return Certificate(sealed_content(FORMAT, version, {**words, **content}))


def version_of(content: Mapping[str, Any]) -> int:
    """1 is what certificates have meant from the first, 2 says what that version could not; of 3 bounds say whether they compare."""
    stream, learner = content["stream"], content["learner"]
    if any("compares" in record for record in content["bounds"]):
        return 3
    later = "classes" in content or "file" in learner or {"passes", "delay", "order"} & set(stream)
    return 2 if later or learner["name"] == "conservative" else 1


def read(source: Any) -> Certificate:
    """A certificate from a file, text, a mapping or itself; refused, with the reason, where anything about it is off."""
    return Certificate(checked_content(source, FORMAT, VERSIONS, SCHEMA, _refuse_misstated))


def _refuse_misstated(content: Mapping[str, Any]) -> None:
    passes, version, own = content["stream"].get("passes", 1), content["version"], version_of(content)
    require(passes <= MOST_PASSES, f"stream.passes is {shortened(passes)}; expected {MOST_PASSES:,} or less")
    require(version == own, f"has version {version}, and says what is said in version {own}")
    silent = [record["name"] for record in content["bounds"] if version == 3 and not set(COMPARING) <= set(record)]
    require(not silent, f"{silent and silent[0]}: does not say {', '.join(COMPARING)}")


def exactly(value: Any) -> Any:
    """A fact as a certificate writes it: whole numbers as they are, others as text without loss.

    >>> exactly(Fraction(3, 2)), exactly(Fraction(4)), exactly(Decimal("2.5")), exactly({"a": Fraction(1, 3)})
    ('3/2', 4, '2.5', {'a': '1/3'})
    """
    if isinstance(value, Mapping):
        return {str(key): exactly(v) for key, v in value.items()}
    if isinstance(value, Fraction | Decimal):
        text = str(value)
        if isinstance(value, Decimal) and "." in text and "E" not in text:
            text = text.rstrip("0")  # one way to write a number
        return int(value) if value == int(value) else text
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def stated_settings(learner: Any) -> dict[str, Any]:
    """The settings of a learner as a certificate writes them, those of a learner inside it as an object."""
    return {key: _stated(value) for key, value in learner.settings.items()}


def _stated(value: Any) -> Any:
    if hasattr(value, "settings"):  # a learner
        return {"name": value.name, "settings": stated_settings(value)}
    return exactly(value.described() if hasattr(value, "described") else value)  # a class of concepts describes itself


def stated_learner(learner: Any, family: Any, arithmetic: str) -> dict[str, Any]:
    """The learner as a certificate writes it; of a user's own, with the file it stands in."""
    rules = {"ties": family.ties, "arithmetic": arithmetic, "updates_on": family.updates_on}
    own = {} if family.own is None else {"file": dict(family.own)}
    return {"name": learner.name, "settings": stated_settings(learner), **rules, **own}


def number(value: Any) -> Any:
    """What `exactly` wrote, as a number: an integer, a fraction, or a decimal."""
    if isinstance(value, Mapping):
        return {key: number(v) for key, v in value.items()}
    if not isinstance(value, str):
        return value
    if len(value) > 4000 or re.search(r"[eE][+-]?[0-9]{4}", value):
        raise Refused(f"{value[:40]!r}... is no number of a certificate")
    try:
        return Fraction(value) if "/" in value or not set(value) & set(".eE") else Decimal(value)
    except (ValueError, ArithmeticError):
        raise Refused(f"{value!r} is no number") from None


def same(a: Any, b: Any) -> bool:
    """Equal and of one kind: 2 is not "2", nor 2.0, nor True."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


def record_of(claim: Claim) -> dict[str, Any]:
    """A claim as a certificate writes it."""
    witness = claim.comparator.as_json() if claim.comparator is not None else None
    facts = {key: exactly(value) for key, value in claim.facts.items()}
    return claim.as_json() | {"facts": facts, "witness": witness, "contradiction": claim.contradiction}


def claim_from(record: Mapping[str, Any]) -> Claim:
    facts = {key: number(value) for key, value in record["facts"].items()}
    comparator = comparator_from(record["witness"])
    rest = {
        key: record[key] for key in ("name", "assumes", "kind", "formula", "limit", "limit_exact", "observed", "holds", "source", "reason")
    }
    rest |= {key: record.get(key) for key in ("comparator_loss", "price")}
    return Claim(**rest, facts=facts, comparator=comparator, contradiction=record["contradiction"])
