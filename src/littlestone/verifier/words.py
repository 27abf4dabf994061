"""What a verdict says of what was verified: which rows, which label rule, how the stream was read, and which settings the learner had."""

from collections.abc import Mapping, Sequence
from typing import Any

TESTS = "<>=!"
TOLD_APART = {"label", "labels", "ignore", "weight", "id", "format", "boolean"}  # said in words of their own
SETTLED = {
    "named",
    "columns",
    "kinds",
    "edges",
    "times",
    "identifiers",
    "header",
    "delimiter",
    "quotes",
    "version",
}  # what the file itself decides
LONG = 60  # characters of a setting

STATED = ("name", "kind", "limit", "observed", "holds", "reason", "compares", "comparator_loss", "price")  # of a bound, in JSON


def chosen(content: Mapping[str, Any], total: int, quoted: Sequence[str] = ()) -> str:
    """For the first line: that a stretch of the stream was chosen, and that a test makes the labels."""
    stream, parts = content["stream"], []
    if not quoted and (rule := label_test(stream)):
        parts.append(f"label 1 where {rule}")
    if stream["segment"]:
        parts.append(f"rows {stream['rows'][0]:,} to {stream['rows'][1]:,} of {total:,} alone")
    return f" ({'; '.join(parts)})" if parts else ""


def label_test(stream: Mapping[str, Any]) -> str:
    """The test that makes labels of values, where one does."""
    label = stream.get("reading", {}).get("label") or ""
    return label if set(label) & set(TESTS) else ""


def what(content: Mapping[str, Any], total: int, quoted: Sequence[str] = ()) -> list[str]:
    """Lines about the rows, the reading and the settings; what is `quoted` is said to be the certificate's word."""
    stream = content["stream"]
    first, last = stream["rows"]
    parts = [f"rows {first:,} to {last:,} of {total:,}"]
    if "passes" in stream:
        parts[0] += f", {stream['passes']} passes over {total // stream['passes']:,} rows"
    if "delay" in stream:
        parts.append(f"labels {stream['delay']} rows late")
    if "order" in stream:
        parts.append("labels by name")
    if stream["weighted"]:
        parts.append("weighted")
    lines = [f"  {'; '.join(parts)}; {settings(content)}"]
    if read := reading(stream):
        lines.append(f"  as the certificate says, and these rows do not: “{read}”" if quoted else f"  {read}")
    return lines


def reading(stream: Mapping[str, Any]) -> str:
    """How rounds are made of a file or of a frame."""
    if "table" in stream:
        table = stream["table"]
        truth = f", truth in {table['truth']}" if table.get("truth") else ""
        return f"read as {table['format']}, {table.get('layout', 'wide')}{truth}, advice {table['advice']}, {stream['experts']} experts"
    how: Mapping[str, Any] = stream.get("reading", {})
    parts = [f"read as {how['format']}"] if how else []
    if stream["boolean"]:
        parts.append("presence for value")
    if rule := label_test(stream):
        parts.append(f"label 1 where {rule}, else 0")
    elif stream["labels"] is not None and len(stream["labels"]) == 2:
        negative, positive = stream["labels"]
        column = f" in {how['label']}" if how.get("label") else ""
        parts.append(f"label {plain(positive)} is 1 and {plain(negative)} is 0{column}")
    elif stream["labels"] is not None:
        parts.append(f"{len(stream['labels'])} classes")
    parts += [f"{key} from {how[key]}" for key in ("weight", "id") if how.get(key)]
    for key, value in how.items():
        if key not in TOLD_APART | SETTLED:
            parts.append(f"{key}={f'“{short(value)}”' if isinstance(value, list | tuple) else short(value)}")
    if how.get("ignore"):
        parts.append(f"left out: “{short(', '.join(how['ignore']))}”")  # a name that no column has changes nothing
    return "; ".join(parts)


def with_a_coin(content: Mapping[str, Any]) -> list[str]:
    """Of a panel whose rule bounds a loss: how often whoever follows a member drawn by weight errs in expectation, and what is allowed.

    Nothing where rounds weigh: the rule's losses are then in a unit of their own, and count no errors.
    """
    if (
        content["stream"]["weighted"]
        or content["about"] != "panel"
        or not isinstance(content["panel"]["advice"]["counts"]["observed"], float)
    ):
        return []
    advice = content["panel"]["advice"]
    held = [record for record in advice["bounds"] if record["holds"] and record["kind"] == "hindsight" and record.get("compares")]
    least = min(held, key=lambda record: record["limit"], default=None)
    if least is None:
        return []
    expected, limit = advice["counts"]["observed"], least["limit"]
    who = "whoever follows in each round a member drawn by weight"
    return [f"  with a coin: {who} errs {expected:,.6g} times in expectation, at most {limit:,.6g} by {least['name']}"]


def labels(content: Mapping[str, Any]) -> list[str]:
    """Of a panel whose label is its forecast's: how many mistakes the vote made, and what the bounds make of that."""
    part = content.get("panel") or (content.get("classes") or {}).get("panel") or {}
    if "vote_mistakes" not in part:
        return []
    made, vote = content["counts"]["mistakes"], len(part["vote_mistakes"])
    named = "the vote's theorems are about its own mistakes, and the difference, which is counted and not bounded, is added to their limits"
    return [f"  the label is the forecast's, with {made:,} mistakes; the vote of the members made {vote:,}: {named}"]


def settings(content: Mapping[str, Any]) -> str:
    learner = content["learner"]
    parts = [f"{key}={short(value)}" for key, value in learner["settings"].items() if value is not None]
    return f"settings {', '.join(parts)}" if parts else "no settings"


def short(value: Any) -> str:
    """A value in few words; the certificate has all of it."""
    if isinstance(value, Mapping) and set(value) == {"name", "settings"}:  # a learner inside another
        inside = ", ".join(f"{key}={short(other)}" for key, other in value["settings"].items() if other is not None)
        return f"{value['name']}({inside})"
    text = plain(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def plain(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return ", ".join(map(plain, value)) if isinstance(value, list | tuple) else str(value)
