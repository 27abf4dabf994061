"""Rounds to files, so that reading them gives the same rounds: one class a format."""

from littlestone.errors import LittlestoneError
from littlestone.files import STANDARD, bare
from littlestone.rounds.formats import FORMATS, format_named
from littlestone.streams.formats import module_of
from littlestone.streams.write.shape import Shape, Writer, labels_for

__all__ = ["ENDINGS", "WRITERS", "Shape", "Writer", "format_for", "labels_for"]

#: What writes each format that can be written.
WRITERS: dict[str, type[Writer]] = {name: module_of(name).writer() for name in FORMATS if hasattr(module_of(name), "writer")}
#: What the name of a file ends with, and its format.
ENDINGS = {
    ending: name
    for name in FORMATS
    for format in [format_named(name)]
    for ending in (*format.endings, *format.likely_endings, *format.written_endings)
}


def format_for(path: str, format: str | None = None) -> str:
    """The format asked for, or the one that the name of the file ends with.

    >>> format_for("mail.vw.gz"), format_for("-", "jsonl")
    ('vw', 'jsonl')
    """
    if format is not None and format not in WRITERS:
        raise LittlestoneError(f"format {format!r} is not known; expected one of {', '.join(WRITERS)}")
    ending = next((known for known in ENDINGS if bare(path).lower().endswith(known)), None)
    if format is not None:
        if ending is not None and ENDINGS[ending] != format:
            raise LittlestoneError(f"{path}: its name says {ENDINGS[ending]}, and --to (format=) says {format}; expected one of them")
        return format
    if ending is None:
        where = "standard output has no name to tell the format" if path == STANDARD else f"{path}: its name does not tell the format"
        raise LittlestoneError(
            f"{where}; expected --to FORMAT (format=), one of {', '.join(WRITERS)}, or a name ending such as .vw or .parquet"
        )
    return ENDINGS[ending]
