"""`littlestone duel`: what a person sees, who can play, and a key for each round."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.games.adversaries.unit_vectors import UnitVectors
from littlestone.report.duel import DuelTable, chosen, instance

runner = CliRunner()
DOCS = Path(__file__).parents[1] / "docs"


def command(*arguments, width=140):
    done = runner.invoke(app, ["duel", *map(str, arguments)], env={"COLUMNS": str(width)})
    if isinstance(done.exception, LittlestoneError):
        return str(done.exception), 2
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.stdout, done.exit_code


def test_a_false_claim_is_exit_code_1(monkeypatch):
    monkeypatch.setattr(UnitVectors, "forces", property(lambda self: self.n + 1))
    said, code = command("disjunctions", "unit_vectors", "--n", 4)
    assert code == 1 and "FALSE: 4 mistakes are fewer than 5" in said and "NOT reached" in said


# ---- what a person sees ----


@pytest.mark.parametrize("width", [80, 140])
def test_the_table_fits_the_terminal(width):
    said, code = command("winnow", "block_bisection", "--n", 64, "--k", 4, width=width)
    assert code == 0 and max(map(len, said.splitlines())) <= width
    assert "W ≤ 64 + 64P - 32N" in said and "16 mistakes in 16 rounds: 16 ≤ 16 ≤ 65." in said
    assert "    1  {0, 1, 2, 3, …}      0      1  ✗ 1       72 ≤   128" in said
    assert "Lower bound 16: block_bisection(n=64, k=4), proved for every deterministic" in said
    assert "Upper bound 65: winnow-disjunction for disjunction:r=4" in said


def test_what_finds_no_room_is_named():
    narrow, _ = command("perceptron", "unit_vectors", "--n", 6, width=80)
    assert "A wider terminal also shows |w|² ≤ R²M." in narrow
    wide, _ = command("perceptron", "unit_vectors", "--n", 6, width=140)
    assert "A wider" not in wide and "|w|² ≤ R²M" in wide


def test_a_long_game_is_thinned_out_unless_all_of_it_is_wanted():
    short, _ = command("disjunctions", "unit_vectors", "--n", 100)
    every, _ = command("disjunctions", "unit_vectors", "--n", 100, "--all")
    rows = [line for line in short.splitlines() if "✗" in line]
    assert len(rows) == 32 and "--all shows every one" in short and "⋯  " in short
    assert len([line for line in every.splitlines() if "✗" in line]) == 100 and "⋯" not in every
    hidden = sum(int(line.split()[1]) for line in short.splitlines() if "⋯" in line)
    assert hidden == 100 - 32
    assert chosen(ls.duel(ls.disjunctions, "unit_vectors:n=41").game.rounds)[-1] == 41


def test_json():
    said, code = command("winnow", "unit_vectors", "--n", 5, "--json")
    told = json.loads(said)
    assert code == 0 and said.count("\n") == 1
    wanted = ("learner", "adversary", "mistakes", "lower_bound", "upper_bound", "rounds")
    assert [told[key] for key in wanted] == ["winnow(n=5, alpha=2, theta=5)", "unit_vectors(n=5)", 5, 5, told["upper_bound"], 5]
    assert told["theorem"]["name"] == "winnow-disjunction" and told["witness"] == "x0 ∨ x1 ∨ x2 ∨ x3 ∨ x4" and told["holds"]
    first = told["stream"][0]
    assert first["x"] == {"0": 1} and (first["predicted"], first["label"], first["mistake"]) == (0, 1, True)
    assert first["potentials"] == {"P": 1, "N": 0, "W": 6, "Σe": 1} and first["inequalities"] == [[6, 10], [1, 1, 15]]


def test_the_figure(tmp_path):
    for name in ("duel.png", "duel.svg"):
        said, code = command("optimal", "bisection", "--n", 4, "--plot", tmp_path / name)
        assert code == 0 and "Figure" not in said and (tmp_path / name).stat().st_size > 5000
    said, code = command("optimal", "bisection", "--plot", tmp_path / "nowhere" / "duel.png")
    assert code == 2 and "cannot be written" in said


def test_instances_are_shortened():
    assert instance({i: 1 for i in range(12) if i not in (3, 7)}, 12) == "all but {3, 7}"
    assert instance({}, 4) == "{}" and instance({5: Fraction(1, 3)}, 9) == "{5: 0.3333}"
    assert len(instance([0, 1] * 40, 80)) == 16
    assert DuelTable(ls.duel(ls.disjunctions, "unit_vectors:n=3")).so_far(2) == 2


def test_the_page_shows_what_is_printed():
    """Each `$ littlestone duel ...` of docs/duel.md, in a terminal of 100 columns."""
    blocks = re.findall(r"```console\n\$ littlestone duel (.*?)\n(.*?)```", (DOCS / "duel.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    for typed, shown in blocks:
        said, code = command(*typed.split(), width=100)
        assert code == 0 and said == shown, typed


def test_the_page_has_every_key():
    page = (DOCS / "command_line.md").read_text("utf-8").partition("### Keys of `duel --json`")[2].partition("\n## ")[0]
    told = ls.duel(ls.disjunctions, "unit_vectors:n=3").as_json()
    keys = [*told, *(f"stream[].{key}" for key in told["stream"][0]), *(f"theorem.{key}" for key in told["theorem"])]
    keys += [f"{part}.{key}" for part in ("lower", "proof") for key in told[part]]
    assert not [key for key in keys if f"`{key}`" not in page]


# ---- who plays ----


def test_a_file_and_other_libraries_play(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text(
        textwrap.dedent(
            """
            class Coward:
                def __init__(self, n): self.n = n
                def predict(self, x): return len(x) > self.n
                def update(self, x, y): pass
            ready = Coward(3)
            def library(alpha=2, n=None):
                import littlestone as ls
                return ls.winnow(n=n, alpha=alpha)
            """
        )
    )
    assert "Coward against unit_vectors(n=4)" in command(f"{own}::Coward", "unit_vectors", "--n", 4)[0]
    assert "Coward against unit_vectors(n=4)" in command(f"{own}::ready", "unit_vectors", "--n", 4)[0]
    assert "winnow(n=4, alpha=3, theta=4) against" in command(f"{own}::library:alpha=3", "unit_vectors", "--n", 4)[0]
    assert "has no function or class 'nobody'" in command(f"{own}::nobody", "unit_vectors")[0]
    broken = own.with_name("broken.py")
    broken.write_text("def f(:\n")
    said, code = command(f"{broken}::f", "unit_vectors")
    assert "broken.py, line 1: cannot be imported (SyntaxError" in said and code == 2
    said, code = command("river.linear_model.Perceptron", "unit_vectors", "--n", 4)
    assert code == 0 and "4 mistakes in 4 rounds: 4 ≤ 4." in said and "Upper bound: none; no theorem about river.Perceptron" in said
    assert "sklearn.Perceptron against" in command("sklearn.linear_model.Perceptron", "conjunction", "--n", 3)[0]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("winnow", "unit_vectors", "--k", 3), "--k 3: unit_vectors takes no k; it takes n"),
        (("winnow", "unit_vector"), "did you mean unit_vectors?"),
        (("winow", "unit_vectors"), "did you mean winnow?"),
        (("nolibrary.Learner", "unit_vectors"), "nolibrary cannot be imported"),
        (("river.linear_model.Nobody", "unit_vectors"), "river.linear_model has no 'Nobody'"),
        (("multiclass_perceptron", "unit_vectors"), "takes several classes"),
        (("perceptron", "bisection:rationals=true"), "never ends: expected --rounds"),
        (("follow_leader", "unit_vectors"), "follow_leader takes something else"),
        (("winnow", "unit_vectors", "--watch", "--json"), "one at a time"),
        (("winnow", "unit_vectors", "--rounds", 0), "must be a positive number of rounds"),
        (("winnow", "unit_vectors:n=3", "--n", 5), "--n 5 and n=3 in 'unit_vectors:n=3': expected one of the two"),
        (("optimal", "block_bisection", "--n", 30, "--k", 3), "optimal learns a finite class of concepts, and block_bisection(n=30, k=3)"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments, wanted):
    said, code = command(*arguments)
    assert code == 2 and wanted in said


def test_the_learner_is_told_the_adversary_s_class():
    assert (
        "halving(concepts=conjunctions(n=3), updates=always)" in command("halving", "littlestone_tree:concepts=conjunctions", "--n", 3)[0]
    )
    assert "optimal(concepts=half_intervals(n=8, empty=False))" in command("optimal", "bisection", "--n", 3)[0]
    said, code = command("conservative:learner=optimal", "bisection", "--n", 3)
    assert code == 0 and "0 ≤ Ldim(V) ≤ Ldim(C)-M" in said
    said, code = command("optimal:concepts=half_intervals:n=8", "bisection", "--n", 3)
    assert code == 0 and "optimal(concepts=half_intervals(n=8))" in said


# ---- a key for each round ----


def watched(keys, *arguments):
    """What a terminal shows when these keys are pressed, and the exit code."""
    master, slave = pty.openpty()
    call = [sys.executable, "-m", "littlestone", "duel", *map(str, arguments), "--watch"]
    process = subprocess.Popen(call, stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "COLUMNS": "100", "LINES": "40"})
    os.close(slave)
    seen, pressed = b"", 0
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        if not ready:
            process.kill()
            process.wait()
            raise AssertionError(f"nothing more after {seen.decode()}")
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        seen += part
        if part and pressed < len(keys) and seen.count(b"n-N") > pressed:  # once in the header, once in each round
            os.write(master, keys[pressed].encode())
            pressed += 1
        if not part:
            break
    os.close(master)
    return seen.decode().replace("\r\n", "\n"), process.wait()


def test_watch_steps_with_a_key():
    said, code = watched([" ", "\r", "m", "q"], "disjunctions", "unit_vectors", "--n", 6)
    assert code == 0 and "space or enter: next round" in said
    rows = [line for line in said.splitlines() if "✗" in line]
    assert len(rows) == 3 and "r = 0 ≤ variables left = 5 ≤ n-N = 5" in said
    assert "6 mistakes in 6 rounds: 6 ≤ 6 ≤ 6." in said, "who quits is told the end"


def test_watch_without_a_terminal_prints_plain_lines():
    plain, code = command("disjunctions", "unit_vectors", "--n", 6)
    assert command("disjunctions", "unit_vectors", "--n", 6, "--watch") == (plain, code)
