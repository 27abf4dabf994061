"""What a verdict says of a certificate of a table of experts: its losses in the table's own units, and not all of twenty like bounds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.theory import Claim
from littlestone.theory.experts import slip
from littlestone.theory.families import RuleFamily, rule_family
from littlestone.theory.forecast import beside_vote

NEAREST = 3  # of the bounds by one theorem, those whose experts are nearest to their limits
PART, TINY = 1e-5, 1e-9  # of a loss, what rounding may make of it for it to be told; and what facts may be off
SEVEN = Context(prec=7, rounding=ROUND_CEILING)


def at_most(content: Mapping[str, Any], limit: float) -> str:
    """A limit. Of a table in seven digits, rounded up: what it says must not be less than the limit.

    >>> [at_most({"stream": {"table": {}}}, limit) for limit in (1.6728000088, 24, 43491.25)]
    ['1.672801', '24', '43,491.25']
    """
    return f"{float(SEVEN.plus(Decimal(limit))):,.7g}" if "table" in content["stream"] else f"{limit:,.12g}"


def amount(x: float) -> str:
    """Seven digits, and of a million or more all those before the point.

    >>> amount(776810337.2), amount(36.207331)
    ('776,810,337', '36.20733')
    """
    return f"{x:,.0f}" if 1e6 <= abs(x) < 1e15 else f"{x:,.7g}"


def tells(loss: float, rounds: int) -> bool:
    """Is a stated loss, which may be off by what rounding adds in so many rounds, near enough to the true one to be told in other units?

    >>> tells(40.0, 1000), tells(0.0003, 20_000)
    (True, False)
    """
    return float(slip(rounds)) + TINY <= loss * PART


def compared_in_units(content: Mapping[str, Any], claim: Claim) -> str:
    """What a comparator lost, and what the theorem allows beyond it, in the units of the table, where these are other ones."""
    table = content["stream"].get("table", {})
    scale = table.get("scale", 1)
    shifted = table.get("advice") == "gain" or (table.get("advice") == "loss" and table.get("low", 0))
    if scale == 1 or shifted or claim.comparator_loss is None or claim.price is None:
        return ""
    if not tells(float(claim.comparator_loss) + float(claim.price), content["counts"]["rounds"]):
        return ""
    return f" (in the table's units {amount(float(claim.comparator_loss) * scale)}, and {amount(float(claim.price) * scale)} more)"


def rule_of(content: Mapping[str, Any]) -> RuleFamily | None:
    """The rule of a certificate, where its theorems are known here."""
    with suppress(LittlestoneError):  # a user's own
        return rule_family(content["learner"]["name"], content["learner"]["settings"])
    return None


def loses(content: Mapping[str, Any], claim: Claim, beyond: str) -> str:
    """What the comparator of a claim lost, and when; and what is beyond that. One expert, where experts may sleep and no theorem is about
    combinations, is spoken of while it is awake."""
    rule = rule_of(content) if content["about"] == "advice" and hasattr(claim.comparator, "expert") else None
    apart = rule is not None and rule.sleeps
    apart = apart and not any((record.get("witness") or {}).get("kind") == "combination" for record in content["bounds"])
    when = "while it is awake" if apart else "over all rounds"
    slept = " and for the rounds it slept" if apart and rule is not None and rule.overall else ""
    difference = claim.facts.get("difference") or 0  # of a panel whose label is its forecast's
    price = float(claim.price or 0) - float(difference)
    return f"which loses {claim.comparator_loss:,.6g} {when}; {price:,.6g} more {beyond}{slept}{beside_vote(difference)}"


def units(content: Mapping[str, Any]) -> list[str]:
    """What the rule lost, in the units of the table, where these are not those of the certificate."""
    table, counts = content["stream"].get("table", {}), content["counts"]
    scale, low = table.get("scale", 1), table.get("low", 0) if table.get("advice") == "loss" else 0
    if not isinstance(counts["observed"], float) or (scale == 1 and not low):
        return []

    if not tells(counts["observed"], counts["rounds"]):
        what, near = f"a loss of 1 stands for {scale:,.12g} in the table", amount(float(slip(counts["rounds"])) * scale)
        return [f"  {what}: losses are stated to within {near} of its units, too coarsely to tell"]

    def lost(scaled: float) -> str:
        return amount(scaled * scale + low * counts["rounds"])

    family = rule_of(content)
    gradient = family is not None and (family.values or {}).get("loss") is not None
    what = "what its own forecasts lost" if gradient else "the weighted mean of the experts' losses"
    line = f"no more than {lost(counts['observed'])}, {what}"
    drawn = [record["observed"] for record in content["bounds"] if record["name"] == "one-draw"]
    if family is not None and family.bandit and drawn:
        line = f"no more than {lost(drawn[0])}, what the experts that it chose lost; {line}"
    own = (
        "; the rule's own forecast lost no more"
        if table["advice"] == "forecast" and not (family is None or family.leads or gradient)
        else ""
    )
    above = f" above {low:,.7g}" if low else ""
    return [
        f"  in the table's units: {line}{own}",
        f"  a loss of 1 stands for {scale:,.12g}{above}{', the largest in the table' if table.get('measured') and not low else ''}",
    ]


def shown(content: Mapping[str, Any], claims: Sequence[Claim]) -> tuple[list[Claim], list[str]]:
    """The bounds to show, and lines about the rest: of a theorem that stands there for many experts, those nearest to their limits."""
    hidden: list[Claim] = []
    lines = []
    for name in dict.fromkeys(claim.name for claim in claims if "table" in content["stream"]):
        held = [claim for claim in claims if claim.name == name and claim.limit is not None]
        far = sorted(held, key=lambda claim: float(claim.limit or 0) - float(claim.observed))[NEAREST:]
        hidden += far
        lines += [f"  and {len(far):,} more by {name}, further from their limits (--json has all)"] if far else []
    return [claim for claim in claims if not any(claim is other for other in hidden)], lines
