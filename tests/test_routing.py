"""docs/examples/routing.md shows what examples/routing.py prints."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def printed(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["routing.py", *map(str, arguments)])
    runpy.run_path(str(ROOT / "examples" / "routing.py"), run_name="__main__")
    return capsys.readouterr().out


def test_the_page_shows_what_is_printed(monkeypatch, capsys):
    page = (ROOT / "docs" / "examples" / "routing.md").read_text(encoding="utf-8")
    assert f"$ python examples/routing.py\n{printed(monkeypatch, capsys)}```" in page


def test_models_that_sleep(monkeypatch, capsys, tmp_path):
    table = tmp_path / "some.csv"
    rows = ["0,a,100,50,", "1,b,,50,0", "2,c,100,,10", "3,d,90,40,", "4,e,,,"]
    table.write_text("\n".join(["date_ms,item,one-mini,two,o1-three", *rows]) + "\n")
    said = printed(monkeypatch, capsys, table)
    assert said.startswith(
        "4 questions, 3 models; a question costs at most 1.3\n1 more questions were put to nobody, and are left out\n33.3% of"
    )
    assert "always one-mini: best in hindsight (3 answers)" in said and "sleeping_adahedge, every answer seen" in said


def test_a_table_that_is_not_there(monkeypatch, capsys, tmp_path):
    with pytest.raises(SystemExit):
        printed(monkeypatch, capsys, tmp_path / "no.csv")
    assert "no.csv: no such file" in capsys.readouterr().err
