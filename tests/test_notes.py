"""The table of docs/theory: every item of the five documents has an entry, and the entry runs; every page is linked and has its figure."""

import math
import re
import shlex
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

import littlestone as ls
from littlestone import cli

FOLDER = Path(__file__).parents[1] / "docs" / "theory"
TABLE = (FOLDER / "README.md").read_text("utf-8")
PAGES = sorted(page.name for page in FOLDER.glob("*.md") if page.name != "README.md")
SCOPE = {
    "ls": ls,
    "theory": ls.theory,
    "games": import_module("littlestone.checks.games"),
    "notes": import_module("littlestone.checks.notes"),
    "dimension": import_module("littlestone.concepts.dimension"),
    "meet": ls.adversaries.meet,
    "F": Fraction,
    **{name: getattr(math, name) for name in ("ceil", "comb", "exp", "hypot", "isclose", "log", "log2", "pi", "sqrt")},
}


def rows():
    """(document, cells) of every row of the table."""
    document = ""
    for line in TABLE.splitlines():
        if line.startswith("## "):
            document = line[3:].partition(",")[0]
        elif line.startswith("| ") and document and not line.startswith(("| ---", "| place")):
            yield document, [cell.strip() for cell in line.strip().strip("|").split(" | ")]


ROWS = [(document, number, cells) for number, (document, cells) in enumerate(rows(), 1)]


def named(row):
    document, number, cells = row
    return re.sub(r"[^A-Za-z0-9.]+", "-", f"{number}-{document}-{cells[0]}").strip("-")


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_entry(row, tmp_path, monkeypatch):
    _, _, cells = row
    assert len(cells) == 5 and not any("|" in cell for cell in cells), "place, what it says, does it stand, page, entry"
    place, says, stands, page, entry = cells
    assert place and says and stands
    assert re.fullmatch(r"\[[^]]+\]\(([a-z_0-9]+\.md)\)", page) and page.partition("(")[2][:-1] in PAGES
    entries = re.findall(r"`([^`]+)`", entry)
    assert entries, "an entry is in backticks"
    monkeypatch.chdir(tmp_path)
    for text in entries:
        if text.startswith("littlestone "):
            result = CliRunner().invoke(cli.app, shlex.split(text)[1:])
            assert result.exit_code == 0, f"{text}: {result.output}"
        else:
            assert eval(text, dict(SCOPE)) is True, text


def test_every_page_is_linked():
    assert sorted(set(re.findall(r"\]\(([a-z_0-9]+\.md)\)", TABLE))) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_parts(page):
    text = (FOLDER / page).read_text("utf-8")
    for part in ("## What the sources say", "## Proof", "## As code", ">>> ", "![", "ls."):
        assert part in text
    shown = re.findall(r"!\[[^]]+\]\(figures/([a-z_0-9]+)\.png\)", text)
    assert page.removesuffix(".md") in shown
    for name in shown:
        assert 1_000 < (FOLDER / "figures" / f"{name}.png").stat().st_size < 60_000


def test_figures_are_what_the_code_draws(tmp_path, monkeypatch):
    """One is drawn anew; its numbers, which a PNG keeps, are those of the figure shown."""
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "scripts")
    figures = import_module("figures")
    shown = {png.stem: png for png in (FOLDER / "figures").glob("*.png")}
    assert set(shown) == set(figures.FIGURES)
    drawn = figures.FIGURES["dictators"]()
    figures.draw(drawn, tmp_path / "dictators.png")
    numbers = [Image.open(png).text["Description"] for png in (tmp_path / "dictators.png", shown["dictators"])]
    assert numbers[0] == numbers[1] == figures.described(drawn)
