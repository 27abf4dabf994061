"""Every name of the catalogue has its page, which says when it beats the others; the examples on the pages are run as doctests."""

from pathlib import Path

import pytest

from littlestone import learners
from littlestone.learners import experts, reductions
from littlestone.learners import multiclass as classes

PAGES = Path(__file__).parents[1] / "docs" / "learners"
NAMES = sorted(name for room in (learners, classes, reductions, experts) for name in room.names())


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_page(name):
    page = (PAGES / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# {name}\n")
    paragraph = " ".join(page.partition("## When it beats the others")[2].split())
    assert ">>> " in paragraph, "the paragraph needs a number that is measured there"
    assert "Do not use " in paragraph
    assert f"[{name}]({name}.md)" in (PAGES / "README.md").read_text("utf-8")


def test_every_page_is_of_a_name():
    assert sorted(page.stem for page in PAGES.glob("*.md")) == sorted([*NAMES, "README"])
