"""docs/examples/drift.md shows what examples/drift.py prints, and its figure is drawn."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def test_the_page_shows_what_is_printed_and_the_figure_is_drawn(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    figure = tmp_path / "drift.png"
    monkeypatch.setattr(sys, "argv", ["drift.py", "--out", str(figure)])
    runpy.run_path(str(ROOT / "examples" / "drift.py"), run_name="__main__")
    said = capsys.readouterr().out.removesuffix(f"drawn: {figure}\n")
    assert f"$ python examples/drift.py\n{said}```" in (ROOT / "docs" / "examples" / "drift.md").read_text("utf-8")
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_the_best_with_one_change_is_found_after_every_round():
    found = runpy.run_path(str(ROOT / "examples" / "drift.py"))["best_with_one_change"]
    wrong = np.random.default_rng(0).integers(0, 2, (12, 3))
    for t in range(1, 13):
        part = wrong[:t]
        every = [part[:s, a].sum() + part[s:, b].sum() for s in range(t) for a in range(3) for b in range(3)]
        assert found(part)[-1] == found(wrong)[t - 1] == min(every)


def test_the_benchmark_hears_the_votes_of_every_round():
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "drift.py"))
    rows = np.random.default_rng(0).standard_normal((60, 4))
    votes, labels = benchmark["votes_of"](rows, (rows[:, 0] > 0).astype(int))
    assert len(votes) == len(labels) == 60 and labels.tolist() == (rows[:, 0] > 0).tolist()
    assert 0 < benchmark["mistakes"]("adahedge", votes, labels) < 30
