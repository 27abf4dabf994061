"""JSON lines: an object a line."""

import json
from collections.abc import Iterator
from typing import Any

from littlestone.rounds.faults import Fault
from littlestone.rounds.features import encoded
from littlestone.rounds.files import PlainFile, decoded
from littlestone.rounds.formats import Format, Record
from littlestone.rounds.reading import Reading, repeated


def records(source: PlainFile, reading: Reading) -> tuple[None, Iterator[Record]]:
    """The rows of a file; each has keys of its own."""
    return None, objects((source.line, line) for line in source.lines())


def objects(lines: Iterator[tuple[int, bytes]]) -> Iterator[Record]:
    """The object in each line that is not blank."""
    for number, line in lines:
        if line.strip(b" \t\r\n"):
            try:
                yield number, object_in(line)
            except Fault as fault:
                yield number, fault


def object_in(line: bytes) -> dict[str, Any]:
    """The JSON object that a line is: no key twice, no NaN."""
    text = decoded(line.removesuffix(b"\n"))
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        column = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise Fault(column, text[error.pos :] or "nothing", f"a JSON object ({error.msg})") from None
    except (RecursionError, ValueError):
        raise Fault(None, text, "a JSON object that is not so deep, with numbers that are not so long") from None
    if "\\u" in text:
        encoded(json.dumps(value, ensure_ascii=False))  # half a surrogate pair is no text
    if not isinstance(value, dict):
        raise Fault(None, text, 'a JSON object, such as {"label": 1, "hour": 7}')
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Fault(None, repeated(key for key, _ in pairs), "each key once in an object")
    return value


def _refuse(constant: str) -> Any:
    raise Fault(None, constant, "a finite number")


def looks(lines: list[bytes]) -> int:
    return 9 if lines[0].lstrip().startswith(b"{") else 0


FORMAT = Format(shape="a JSON object on every line", records=records, endings=(".jsonl", ".ndjson", ".json"), looks=looks)
