"""Where rounds come from. The first room that opens a file."""

from littlestone.streams.stream import Stream, open_stream

__all__ = ["Stream", "open_stream"]
