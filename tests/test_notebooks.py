"""Five lessons, one for each set of notes: every cell runs, and what a lesson claims is asserted in it."""

import json
import re
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
BOOKS = ("foundations", "georgia_tech", "oxford", "uic", "wisconsin")


def cells(name, kind):
    found = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))["cells"]
    return [cell | {"text": "".join(cell["source"])} for cell in found if cell["cell_type"] == kind]


def test_there_is_one_for_each_set_of_notes():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(BOOKS)


@pytest.mark.parametrize("name", BOOKS)
def test_a_lesson_runs_from_top_to_bottom(name):
    plt.switch_backend("Agg")
    scope, drawn = {}, 0
    for number, cell in enumerate(cells(name, "code")):
        exec(compile(cell["text"], f"{name}.ipynb, code cell {number}", "exec"), scope)
        drawn += len(plt.get_fignums())
        plt.close("all")
    assert drawn >= 4


@pytest.mark.parametrize("name", BOOKS)
def test_a_lesson_is_stored_without_output_and_links_what_exists(name):
    code = cells(name, "code")
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    assert sum(cell["text"].count("assert ") for cell in code) >= 10
    links = re.findall(r"\]\((\.\./[^)#]+)", "\n".join(cell["text"] for cell in cells(name, "markdown")))
    assert links and all((FOLDER / link).exists() for link in links)
