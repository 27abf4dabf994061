"""HTML as values: text is escaped where it becomes markup, and nowhere else, so that nothing in the data is ever read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from littlestone.errors import CONTROLS, escaped

UNSAFE = re.compile(f"[{CONTROLS}]")
EMPTY = {"br", "hr", "input", "meta"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: Any) -> Markup:
    r"""Anything as HTML that shows it: signs of HTML escaped, and what is no plain character as its escape.

    >>> text("</script><script>\x1b"), text(Markup("<b>"))
    ('&lt;/script&gt;&lt;script&gt;\\x1b', '<b>')
    """
    return value if isinstance(value, Markup) else Markup(escape(UNSAFE.sub(escaped, str(value)), quote=True))


def element(name: str, /, *parts: Any, **attributes: Any) -> Markup:
    """An element; `class_` is class, an underscore else a hyphen. What is None or False is left out, of parts and of attributes.

    >>> element("a", "x < y", href="#1", class_="plain", hidden=True, title=None)
    '<a href="#1" class="plain" hidden>x &lt; y</a>'
    """
    written = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        written.append(f" {key}" if value is True else f' {key}="{text(value)}"')
    opening = f"<{name}{''.join(written)}>"
    return Markup(opening if name in EMPTY else f"{opening}{joined(parts)}</{name}>")


def joined(parts: Iterable[Any], between: str = "") -> Markup:
    """Parts one after the other, each as `text` makes it."""
    return Markup(text(between).join(text(part) for part in parts if part is not None and part is not False))


def shortened(cell: Any, room: int = 300) -> Any:
    """A cell that fits: a name of the data may be as long as a book."""
    return cell if isinstance(cell, Markup) or len(str(cell)) <= room else f"{str(cell)[: room - 1]}…"


def table(heads: Sequence[Any], rows: Iterable[Iterable[Any]], caption: str = "", *, words: Iterable[int] = (0,)) -> Markup:
    """A table, in a frame that scrolls where the screen is narrow; the columns of `words` stand to the left, all others are numbers."""
    left = set(words)

    def cells(kind: str, row: Iterable[Any], **more: Any) -> Markup:
        shown = (element(kind, shortened(cell), class_=None if k in left else "number", **more) for k, cell in enumerate(row))
        return element("tr", *shown)

    head = element("thead", cells("th", heads, scope="col")) if any(heads) else None
    body = element("table", head, element("tbody", *(cells("td", row) for row in rows)))
    name = caption or "table"
    frame = element("div", body, class_="scroll", tabindex="0", role="region", aria_label=name)
    return joined([element("p", caption, class_="caption") if caption else None, frame])
