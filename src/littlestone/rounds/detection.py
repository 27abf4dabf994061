"""Which format a file is in: by its first bytes, by its name, by its first rows."""

from __future__ import annotations

import re
from pathlib import PurePath

from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import FORMATS, LOOK_ROWS

PACKED = (".gz", ".zst", ".zstd")
EXTENSIONS = {
    ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".vw": "vw", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}  # the last one begins an Arrow stream
MARK = b"\xef\xbb\xbf"

# possessive throughout (++, *+): a long run of digits must not be tried in every way
NUMBER = rb"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+"
LIBSVM = re.compile(rb"[ \t]*(?:" + NUMBER + rb"(?![^ \t#]))?(?:[ \t]*+\d++:[^ \t#]*+)*+[ \t]*+(?:#.*)?\Z")
VW = re.compile(rb"[ \t]*+(?:" + NUMBER + rb"(?![^ \t|])[ \t]*+){0,3}+(?:[^ \t|]++[ \t]*+)?+\|")

CONVERTED = re.compile(rb"label([,\t])(?:weight\1)?(?:id\1)?\|\Z")  # the header of a table that `convert` wrote


def detect(path: str, head: bytes) -> str:
    """The format of a file whose unpacked bytes begin with `head` (a thousand lines or so, the last one possibly cut).

    >>> detect("mail.txt", b"+1 3:1 7:0.5\\n-1 2:1\\n"), detect("-", b"1 |f a b:2\\n"), detect("sms", b"ham\\tsee you at ten\\n")
    ('libsvm', 'vw', 'text')
    """
    found = by_name(path, head) or by_rows([line.rstrip(b"\r") for line in head.removeprefix(MARK).split(b"\n")[:LOOK_ROWS]])
    if found:
        return found
    if suffix_of(path) in (".tsv", ".tab"):
        return "tsv"
    if not head.strip():
        return "libsvm"  # nothing there: any reader will say so
    raise LittlestoneError(
        f"{'standard input' if path == '-' else path}: cannot tell its format from its name or its first rows; --format (format=) says: "
        f"{', '.join(FORMATS)}",
        path=path,
    )


def by_name(path: str, head: bytes) -> str:
    """The format that a file's first bytes or its name tell beyond doubt; nothing where they do not."""
    for magic, format in MAGIC.items():
        if head.startswith(magic):
            return format
    return EXTENSIONS.get(suffix_of(path), "")


def suffix_of(path: str) -> str:
    """
    >>> suffix_of("mail/new.CSV.gz")
    '.csv'
    """
    name = PurePath(path).name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return PurePath(name).suffix


def by_rows(lines: list[bytes]) -> str:
    """The format that the first rows are in; nothing where they do not tell."""
    lines = [line for line in lines if line.strip()]
    if not lines or b"\0" in b"".join(lines[:20]):
        return ""
    if lines[0].lstrip().startswith(b"{"):
        return "jsonl"
    if table := CONVERTED.match(lines[0]):
        return "csv" if table[1] == b"," else "tsv"
    enough = (len(lines) + 1) // 2  # the others may be what is wrong with the file
    if sum(LIBSVM.match(line) is not None for line in lines) >= enough and any(b":" in line for line in lines):
        return "libsvm"
    if sum(VW.match(line) is not None for line in lines) >= enough:
        return "vw"
    fields = [parts for line in lines if len(parts := line.split(b"\t")) == 2]
    headed = lines[0].split(b"\t")[0].lower() in (b"label", b"y", b"target", b"class")  # a table with a header, as `convert` writes
    if len(fields) >= enough and not headed:
        labels = {parts[0] for parts in fields}
        words = sum(len(parts[1].split()) for parts in fields) / len(fields)
        if len(labels) <= 50 and not any(b" " in label for label in labels) and words >= 2:
            return "text"
    for delimiter, format in ((b"\t", "tsv"), (b",", "csv"), (b";", "csv")):
        count = lines[0].count(delimiter)
        if count and (delimiter == b"\t" or b'"' in b"".join(lines) or all(line.count(delimiter) == count for line in lines[:-1] or lines)):
            return format
    return "libsvm" if all(re.match(rb"[ \t]*" + NUMBER + rb"([ \t]|\Z)", line) for line in lines[:10]) else ""
