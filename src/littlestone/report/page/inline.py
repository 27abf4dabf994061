"""A matplotlib figure as SVG within a page: no script, no fonts of its own, and colours that follow the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from itertools import count
from typing import Any
from xml.etree import ElementTree

from littlestone.report.look import COLOURS, bare_figure, look
from littlestone.report.page.markup import Markup, element, joined

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
NAMES = {light: f"var(--{name})" for name, (light, _) in COLOURS.items()}
LONG = re.compile(r"-?\d+\.\d{3,}")
DROPPED = ("font-family", "font", "stroke-linejoin")


class Figures:
    """Draws figures, and numbers what is named within them, so that no two on a page share a name."""

    def __init__(self) -> None:
        self.numbers = count(1)

    def draw(self, draw: Callable[[Any], None], says: str, *, size: tuple[float, float] = (4.6, 3.0)) -> Markup:
        """What `draw(axes)` draws, and below it the names of its lines as text of the page; `says` is for who cannot see it."""
        svg, legend = self.drawn(draw, says, size)
        return joined([svg, legend])

    def drawn(self, draw: Callable[[Any], None], says: str, size: tuple[float, float]) -> tuple[Markup, Markup]:
        with look():
            figure, axes = bare_figure(figsize=size, dpi=72)
            figure.patch.set_visible(False)
            draw(axes)
            axes.patch.set_visible(False)
            if axes.get_legend() is not None:
                axes.get_legend().remove()
            handles, labels = axes.get_legend_handles_labels()
            file = io.StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        keys = [element("li", swatch(handle), label.replace("\n", " ")) for handle, label in zip(handles, labels, strict=True)]
        return self.inlined(file.getvalue(), says), element("ul", *keys, class_="legend") if keys else Markup()

    def inlined(self, text: str, says: str) -> Markup:
        """The SVG that matplotlib wrote, as a part of a page."""
        root = ElementTree.fromstring(text.partition("<svg")[1] + text.partition("<svg")[2])
        before = f"f{next(self.numbers)}-"
        for parent in root.iter():
            for child in list(parent):
                if child.tag in (f"{SVG}metadata", f"{SVG}style") or not isinstance(child.tag, str):
                    parent.remove(child)
        pointed = {node.get(LINK, "")[1:] for node in root.iter()} | set(re.findall(r"url\(#([^)]+)\)", text))
        for node in root.iter():
            node.tag = node.tag.removeprefix(SVG)
            for key, value in list(node.attrib.items()):
                node.attrib[key] = _attribute(key, value, before)
            if node.get("id", "").removeprefix(before) not in pointed:
                node.attrib.pop("id", None)
            if LINK in node.attrib:
                node.attrib["href"] = node.attrib.pop(LINK)
            if not (node.text or "").strip():
                node.text = None
            node.tail = None
        root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": says}
        return Markup(ElementTree.tostring(root, encoding="unicode"))


def _attribute(key: str, value: str, before: str) -> str:
    if key == "id":
        return before + value
    if key == LINK:
        return f"#{before}{value[1:]}"
    if key == "style":
        kept = (part.strip() for part in value.split(";"))
        value = "; ".join(part for part in kept if part and part.partition(":")[0].strip() not in DROPPED)
        return re.sub("#[0-9a-f]{6}", lambda match: NAMES.get(match[0], match[0]), value)
    value = value.replace("url(#", f"url(#{before}")
    return LONG.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value) if key in ("d", "x", "y") else value


def swatch(handle: Any) -> Markup:
    """The line or patch of a name in the legend."""
    from matplotlib.colors import to_hex

    handle = handle[0] if hasattr(handle, "patches") else handle
    if hasattr(handle, "get_linestyle") and hasattr(handle, "get_xdata"):
        colour, dashed = handle.get_color(), handle.get_linestyle() not in ("-", "solid")
        dashes = "4 2" if dashed else None
        line = element(
            "line",
            x1="0",
            y1="5",
            x2="20",
            y2="5",
            stroke=_named(to_hex(colour)),
            stroke_width="3",
            stroke_dasharray=dashes,
            stroke_opacity=handle.get_alpha(),
        )
    else:
        colours = handle.get_facecolor() if hasattr(handle, "get_facecolor") else handle.get_color()
        if hasattr(handle, "get_color") and not len(colours):
            colours = handle.get_color()
        colour = to_hex(colours[0] if getattr(colours, "ndim", 1) == 2 else colours)
        line = element("rect", x="2", y="0", width="16", height="10", rx="2", fill=_named(colour), stroke="var(--silver)")
    return element("svg", line, class_="swatch", viewBox="0 0 20 10", aria_hidden="true")


def _named(colour: str) -> str:
    return NAMES.get(colour, colour)
