"""Does a JSON value have the shape that a schema asks for? The part of JSON Schema that the certificate's schema uses."""

import re
from collections.abc import Mapping
from typing import Any

KINDS: dict[str, Any] = {
    "object": lambda v: isinstance(v, Mapping),
    "array": lambda v: isinstance(v, list | tuple),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and v == v and abs(v) != float("inf"),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


def object_with(**members: Any) -> dict[str, Any]:
    """The schema of an object that has just these members."""
    return {"type": "object", "required": list(members), "properties": members, "additionalProperties": False}


def fault_in(value: Any, schema: Mapping[str, Any], where: str = "it", whole: Mapping[str, Any] | None = None) -> str:
    """What is wrong with the value, or "".

    >>> fault_in({"n": "3"}, {"type": "object", "properties": {"n": {"type": "integer"}}})
    "n is '3'; expected integer"
    """
    whole = schema if whole is None else whole
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        named = [option for option in schema["anyOf"] if isinstance(value, Mapping) and value.get("kind", "") in _kinds(option, whole)]
        faults = [fault_in(value, option, where, whole) for option in named or schema["anyOf"]]
        return faults[-1] if all(faults) else ""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(KINDS[kind](value) for kind in kinds):
        return f"{where} is {shortened(value)}; expected {' or '.join(kinds)}"
    if "enum" in schema and not any(value == member and type(value) is type(member) for member in schema["enum"]):
        return f"{where} is {shortened(value)}; expected one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(value, str) and "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
        return f"{where} is {shortened(value)}; expected text like {schema['pattern']}"
    if "minimum" in schema and KINDS["number"](value) and value < schema["minimum"]:
        return f"{where} is {shortened(value)}; expected {schema['minimum']} or more"
    if isinstance(value, Mapping):
        return _object_fault(value, schema, where, whole)
    if isinstance(value, list | tuple) and "items" in schema:
        items = schema["items"]
        if items == {"type": "integer"}:  # long lists of rounds, checked without ceremony
            return "" if set(map(type, value)) <= {int} else f"{where} has an entry that is no whole number"
        for i, entry in enumerate(value):
            if fault := fault_in(entry, items, f"{_inside(where)}[{i}]", whole):
                return fault
    return ""


def _kinds(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    """The kinds of object that a schema describes, where it says so."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema.get("properties", {}).get("kind", {}).get("enum", [])


def _object_fault(value: Mapping, schema: Mapping[str, Any], where: str, whole: Mapping[str, Any]) -> str:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            return f"{_inside(where, key)} is missing"
    rest = schema.get("additionalProperties", True)
    if rest == {"type": "integer"} and not known:  # long vectors, likewise
        return "" if set(map(type, value.values())) <= {int} else f"{where} has an entry that is no whole number"
    for key, entry in value.items():
        if key not in known and rest is False:
            return f"{_inside(where, key)} is not known"
        inner = known.get(key, rest)
        if isinstance(inner, Mapping) and (fault := fault_in(entry, inner, _inside(where, key), whole)):
            return fault
    return ""


def _inside(where: str, key: str = "") -> str:
    return ".".join(part for part in ("" if where == "it" else where, key) if part)


def shortened(value: Any) -> str:
    """A value as a message shows it: as it is written, and no more than 60 letters of it."""
    if isinstance(value, Mapping | list | tuple):
        return f"{'an object' if isinstance(value, Mapping) else 'a list'} of {len(value):,}"
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number of more than 256 bits"
    text = repr(value[:61] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."
