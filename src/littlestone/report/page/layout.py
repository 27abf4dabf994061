"""What every page has: its frame and looks, the verdict, sections, the certificate to take along, and how to make it again."""

from __future__ import annotations

import base64
import gzip
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from littlestone._version import __version__
from littlestone.files import beside, without_folders
from littlestone.report.look import COLOURS
from littlestone.report.page.inline import Figures
from littlestone.report.page.markup import Markup, element, joined, shortened, table, text
from littlestone.report.words import facts as facts_in_words
from littlestone.theory import Claim
from littlestone.theory.certificate import Certificate, in_plain_words

CSS = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
SECURITY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
LIBRARIES = ("numpy", "scipy", "pyarrow", "matplotlib")
MOST_ATTACHED = 1_200_000  # letters of a certificate within a page; a larger one stays beside it
PLAIN_ATTACHED = 200_000  # beyond, it is packed
ROOT = {  # beside the colours of figures: surfaces, quiet text and links, whose contrast is that of text
    "card": ("#f6f8fa", "#161b22"),
    "quiet": ("#57606a", "#a4adb8"),
    "link": ("#0b5cad", "#6cb6ff"),
    "shade": ("#6aa9dd", "#3f7fc0"),
}


@dataclass
class Page:
    """A page that is being put together."""

    title: str
    verdict: Sequence[str]  # sentences, the first of them the verdict
    holds: bool | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    sections: list[tuple[str, Markup]] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)  # draws those of this page

    def add(self, heading: str, *parts: Any) -> None:
        """A section; none where there is nothing in it."""
        content = joined(parts)
        if content:
            self.sections.append((heading, content))

    def html(self) -> str:
        """All of it."""
        links = [element("li", element("a", heading, href=f"#s{k}")) for k, (heading, _) in enumerate(self.sections, 1)]
        state = {True: " holds", False: " broken", None: ""}[self.holds]
        numbers = [element("div", element("dt", name), element("dd", value)) for name, value in self.facts.items()]
        sections = [
            element("section", element("h2", heading, id=f"h{k}"), content, id=f"s{k}", aria_labelledby=f"h{k}")
            for k, (heading, content) in enumerate(self.sections, 1)
        ]
        body = (
            element("header", element("h1", self.title), element("nav", element("ul", *links), aria_label="sections")),
            element(
                "main",
                element("div", *(element("p", line) for line in self.verdict), class_=f"verdict{state}"),
                element("dl", *numbers, class_="facts") if numbers else None,
                *sections,
            ),
            element("footer", f"Written by littlestone {__version__}. This page has no script and loads nothing."),
        )
        head = (
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=SECURITY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="referrer", content="no-referrer"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="description", content=self.verdict[0] if self.verdict else self.title),
            element("title", f"{self.title} · littlestone"),
            Markup(f"<style>{colours()}{CSS}</style>"),
        )
        return f'<!doctype html>\n<html lang="en"><head>{joined(head)}</head><body>{joined(body)}</body></html>\n'

    def save(self, path: Path) -> None:
        """Write the file; one of that name is replaced only when all is written."""
        whole = self.html().encode("utf-8")
        with beside(path) as file:
            file.write(whole)


def colours() -> str:
    """The colours as variables of a style sheet: on paper and in the light, and in the dark."""
    every = COLOURS | ROOT
    light, dark = ("".join(f"--{name}:{pair[k]};" for name, pair in every.items()) for k in (0, 1))
    return f":root{{{light}}}@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"


def figure(heading: str, drawing: Markup, caption: str = "") -> Markup:
    return element("figure", element("h3", heading), drawing, element("figcaption", caption) if caption else None)


def figures(*drawn: Markup | None) -> Markup:
    kept = [part for part in drawn if part]
    return element("div", *kept, class_="figures") if kept else Markup()


def two_scales(heading: str, drawn: Sequence[Markup], caption: str) -> Markup:
    """A figure that can be seen on both scales: chosen by two buttons, without a script."""
    buttons: list[Markup] = []
    for scale, words in (("linear", "linear"), ("log", "logarithmic")):
        buttons += [
            element("input", type="radio", name="scale", id=f"scale-{scale}", class_=scale, checked=scale == "linear"),
            element("label", words, for_=f"scale-{scale}"),
        ]
    shown = [element("div", drawing, class_=f"scale {scale}") for drawing, scale in zip(drawn, ("linear", "log"), strict=True)]
    return element("figure", element("h3", heading), element("div", *buttons, *shown, class_="scales"), element("figcaption", caption))


def paragraphs(lines: Sequence[str]) -> Markup:
    """Sentences; lines that are indented are rows of a table, and stay below each other."""
    parts = []
    named = (" ".join(map(without_folders, line.split(" "))) for line in lines if line.strip())
    for indented, group in groupby(named, lambda line: line.startswith("  ")):
        rows = list(group)
        parts += [element("pre", "\n".join(rows))] if indented else [element("p", line.strip()) for line in rows]
    return joined(parts)


def exact_amount(number: Any) -> str:
    """A count; of a sum of losses or weights six digits.

    >>> exact_amount(1234), exact_amount(0.6915022), exact_amount(None)
    ('1,234', '0.691502', '–')
    """
    return "–" if number is None else f"{number:,.6g}" if isinstance(number, float) else f"{number:,}"


def claims_table(claims: Sequence[Claim], compared: Any = None, note: str = "") -> Markup:
    """Bounds one below the other: limit, what was observed, slack; and of each what it assumes, its evidence, formula and source."""
    if not claims:
        return Markup()
    rows, more = [], list[Markup]()
    for claim in claims:
        verdict = {True: "holds", False: "BROKEN", None: "void"}[claim.holds]
        slack = None if claim.limit is None else claim.limit - claim.observed
        amounts = (claim.limit, claim.observed, slack, claim.comparator_loss, claim.price)
        rows.append((claim.name, verdict, *map(exact_amount, amounts)))
        whom = ("" if compared is None else compared(claim)).removeprefix(", compared with ") or claim.witness
        kind = (
            ""
            if claim.kind == "a priori"
            else " In hindsight."
            if claim.compares
            else " An account: it follows from the mistakes, and compares with nobody."
        )
        about = {
            "assumes": f"{claim.assumes}.{kind}",
            "void because": claim.reason,
            "compares with": whom,
            "facts": facts_in_words(claim),
            "formula": claim.formula,
            "source": claim.source,
        }
        listed = [joined([element("dt", name), element("dd", shortened(value, 1000))]) for name, value in about.items() if value]
        more.append(element("details", element("summary", claim.name), element("dl", *listed, class_="about"), open=not more))
    heads = ("theorem", "verdict", "limit", "observed", "slack", "comparator", "price")
    caption = f"Every bound. A limit is what the comparator loses, and the price of not knowing it; slack is what was left of it.{note}"
    return joined([table(heads, rows, caption, words=(0, 1)), element("p", "What each assumes, and on what evidence:"), *more])


def certificate_parts(certificate: Certificate | None, verify: str, saved: Path | None = None, why: str = "") -> list[Any]:
    """The certificate in words, how it is checked, and itself."""
    if certificate is None:
        return [element("p", f"No certificate: {why}.") if why else None]
    words = certificate.content.get("summary") or in_plain_words(certificate)
    return [
        *(element("p", f"{part.strip(' .')}.") for part in words.split(". ") if part.strip(" .")),
        element("p", "A stranger checks it against the stream with this command; it imports no learner, and plays every round again:"),
        element("pre", element("code", verify)),
        attached(certificate, saved),
        element("p", "Its digest: ", element("code", certificate.digest)),
    ]


def attached(certificate: Certificate, saved: Path | None) -> Markup:
    """A link that holds the certificate; packed where it is long, and left beside the page where it is too long for that, too."""
    plain = (json.dumps(certificate.content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
    name, kind, content, note = "certificate.json", "application/json", plain, ""
    if len(plain) > PLAIN_ATTACHED:
        name, kind, content, note = "certificate.json.gz", "application/gzip", gzip.compress(plain, 9, mtime=0), "; unpack it with gunzip"
    written = base64.b64encode(content).decode("ascii")
    if len(written) > MOST_ATTACHED:
        place = f"in {without_folders(str(saved))}" if saved is not None else "written by --certificate OUT.json"
        return element("p", f"The certificate is too long for a page ({len(plain):,} bytes); it is {place}.")
    link = element(
        "a", f"Download the certificate ({len(plain):,} bytes{note})", href=f"data:{kind};base64,{written}", download=name, class_="button"
    )
    return element("p", link)


def reproduce(command: str, more: Mapping[str, Any] | None = None) -> list[Any]:
    """The command, and where it was run."""
    versions = {name: version_of(name) for name in LIBRARIES}
    facts = {
        "littlestone": __version__,
        "Python": platform.python_version(),
        **versions,
        "system": f"{platform.system()} {platform.machine()}",
    }
    rows = [(name, without_folders(str(value))) for name, value in {**facts, **(more or {})}.items() if value]
    return [element("pre", element("code", text(command))), table(("what", "which"), rows, "Where it was run", words=(0, 1))]


def version_of(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


def bars(rows: Sequence[tuple[Any, float]], heads: tuple[str, str] = ("feature", "weight"), caption: str = "") -> Markup:
    """Numbers by name, each with a bar beside it: to be seen at a glance, and read."""
    largest = max((abs(value) for _, value in rows), default=0.0) or 1.0
    cells = []
    for name, value in rows:
        share = f"width:{6 * abs(value) / largest:.2f}rem"
        bar = element("span", class_="bar minus" if value < 0 else "bar", style=share, aria_hidden="true")
        cells.append((name, f"{value:,.4g}", bar))
    return table((*heads, "size"), cells, caption, words=(0, 2))
