"""Which format a file is in: by its first bytes, by its name, by its first rows."""

from pathlib import PurePath

from littlestone.errors import LittlestoneError
from littlestone.rounds.formats import FORMATS, format_named
from littlestone.rounds.reading import LOOK_ROWS

PACKED = (".gz", ".zst", ".zstd")
MARK = b"\xef\xbb\xbf"


def detect(path: str, head: bytes) -> str:
    """The format of a file whose unpacked bytes begin with `head` (a thousand lines or so, the last one possibly cut).

    >>> detect("mail.txt", b"+1 3:1 7:0.5\\n-1 2:1\\n"), detect("-", b"1 |f a b:2\\n"), detect("sms", b"ham\\tsee you at ten\\n")
    ('libsvm', 'vw', 'text')
    """
    name = by_name(path, head) or by_rows([line.rstrip(b"\r") for line in head.removeprefix(MARK).split(b"\n")[:LOOK_ROWS]])
    if name:
        return name
    empty = not head.strip()
    for name in FORMATS:
        format = format_named(name)
        if suffix_of(path) in (*format.likely_endings, *(format.written_endings if empty else ())):
            return name
    if empty:
        return "libsvm"  # nothing there: any reader will say so
    raise LittlestoneError(
        f"{'standard input' if path == '-' else path}: cannot tell its format from its name or its first rows; --format (format=) says: "
        f"{', '.join(FORMATS)}",
        path=path,
    )


def by_name(path: str, head: bytes) -> str:
    """The format that a file's first bytes or its name tell beyond doubt; nothing where they do not."""
    formats = {name: format_named(name) for name in FORMATS}
    names = [name for name, format in formats.items() if head.startswith(format.magic)]
    names += [name for name, format in formats.items() if suffix_of(path) in format.endings]
    return names[0] if names else ""


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
    sure = {name: format_named(name).looks(lines) for name in FORMATS}
    best = max(sure, key=lambda name: sure[name])
    return best if sure[best] else ""
