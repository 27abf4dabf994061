"""Where rounds come from. The first room that opens a file."""

from littlestone.streams.opening import open_stream
from littlestone.streams.stream import Stream

__all__ = ["Stream", "open_stream"]
