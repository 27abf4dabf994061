"""What `littlestone experts` tells a reader beside its numbers: who is foremost, what a bound is worth, what to try instead."""

from dataclasses import replace

import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.report.expert_words import summary


def command(*arguments):
    result = CliRunner().invoke(app, ["experts", *map(str, arguments)])
    if isinstance(result.exception, LittlestoneError):
        return str(result.exception)
    assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
    return result.stdout


def csv(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return path


def frame():
    """Forecasts of a random walk, each expert worse than the one before."""
    rng = np.random.default_rng(3)
    truth = np.cumsum(rng.normal(size=40)) + 20
    said = {f"e.{i}": (truth + rng.normal(scale=0.3 * (i + 1), size=40)).round(3) for i in range(4)}
    return pandas.DataFrame({"truth": truth.round(3)} | said)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    frame().to_csv(path, index=False)
    return path


def test_the_foremost_experts_are_listed(tmp_path, table):
    lines = command(table, "--quiet", "--top", "2").splitlines()
    place = lines.index("The least loss a round:")
    assert lines[place + 1].split("  ")[1:] and [line.split()[0] for line in lines[place + 2 :]] == ["e.0", "e.1"]
    run = ls.experts(table)
    row = lines[place + 2].split()
    assert row[1] == "40" and float(row[2]) == pytest.approx(run.best.mean_loss, rel=1e-5)
    assert float(row[3]) == pytest.approx(run.loss / 40, rel=1e-5) and float(row[4]) == pytest.approx(run.weights["e.0"], abs=6e-4)
    assert "The least loss" not in command(table, "--quiet", "--top", "0") and "--top -1" in command(table, "--top", "-1")
    rows = ["truth,a,b,late", *(f"{k % 7},{k % 7 + 1},{k % 7 + 1}," for k in range(30)), "5,9,9,5", "4,8,8,4"]  # too late to be the best
    text = command(csv(tmp_path, "\n".join(rows)), "--quiet", "--top", "1")
    assert "of those awake in 16 rounds or more, then the largest weights beside these:" in " ".join(text.split())
    assert [line.split()[0] for line in text.splitlines()[-2:]] == ["a", "late"]


def test_what_a_reader_should_know_is_said(tmp_path, table):
    assert "--rule stands 2 times (hedge, adahedge)" in command(table, "--rule", "hedge", "--rule", "adahedge")
    both = csv(tmp_path, "truth,a,b\n" + "5,6,4\n" * 30)  # their errors cancel
    text = command(both, "--quiet", "--rule", "hedge:eta=1", "--switches", "2")
    assert "plain average" not in text and text.count("of expert  ") == 2  # sequences that are no better are there too
    odd = csv(tmp_path, "truth,a,b\n" + "5,6,4\n5,6,4\n5,9,4\n" * 10)
    text = " ".join(command(odd, "--quiet", "--no-gradient").split())
    assert "The plain average did better here: it lost" in text and "--gradient competes with combinations" in text
    assert "it says nothing here: 30 rounds can cost no more than 480" in " ".join(command(odd, "--quiet", "--bandit").split())
    outvoted = "truth,a,b,c,d,e\n" + "1,1,1,1,0,0\n" * 20 + "1,0,0,1,1,1\n" * 3  # those with the weight err, and the majority does not
    text = " ".join(command(csv(tmp_path, outvoted), "--quiet", "--rule", "hedge:eta=1/2").split())
    assert "The plain average errs less here: it made 0 mistakes, the rule 2; the theorem is about the loss" in text
    gaps = csv(tmp_path, "truth,a,b\n1,1,\n2,,2\n3,3,\n")
    assert "-: with so few changes every sequence of experts would follow somebody asleep." in command(gaps, "--quiet", "--switches", "1")
    small = csv(tmp_path, "truth,a,b\n0,0,100\n" + "5,5.1,5.2\n" * 200)
    assert "The weights have hardly moved from 1/2" in command(small, "--quiet", "--rule", "hedge:eta=1/2")
    assert "hardly moved" not in command(small, "--quiet") and "hardly" not in command(small, "--quiet", "--rule", "hedge:eta=20")
    votes = csv(tmp_path, "truth,a,b\n" + "1,1,0\n0,0,1\n1,0,1\n" * 9)
    assert "counts mistakes: at most" in " ".join(command(votes, "--quiet", "--rule", "weighted_majority").split())
    assert "alpha=2 must lie between 0 and 1" in command(table, "--rule", "fixed_share:alpha=2")
    assert "under squared loss are losses to a rule; --threshold T makes votes" in command(table, "--rule", "weighted_majority")
    with pytest.raises(LittlestoneError, match="takes the NAME of a column of the table, and got a Series"):
        ls.experts(frame(), truth=frame()["truth"])
    with pytest.raises(LittlestoneError, match="make it with advice='loss', or give its name, rule='hedge'"):
        ls.experts(table, rule=ls.hedge())


def test_a_limit_of_a_sleeper_is_over_its_own_rounds(tmp_path):
    run = ls.experts(csv(tmp_path, "a,b\n-3,1\n,5\n,4\n-2,3\n"), advice="loss")
    claim = next(c for c in run.bounds if c.name == "sleeping-adahedge")
    assert run.rounds_of(claim) == 2 and claim.witness.startswith("expert 0")
    assert run.limit_in_units(claim) == pytest.approx(8 * claim.limit - 3 * 2)
    draw = next(c for c in run.bounds if c.name == "one-draw")  # that one is about all rounds
    assert run.rounds_of(draw) == 4 and run.limit_in_units(draw) == pytest.approx(8 * draw.limit - 3 * 4)


def test_one_expert_alone_is_not_beaten_by_rounding(tmp_path):
    rng = np.random.default_rng(3)
    pandas.DataFrame({"truth": rng.normal(size=400), "a": rng.normal(size=400)}).to_csv(tmp_path / "t.csv", index=False)
    assert "Regret: 0 more than a lost" in command(tmp_path / "t.csv")


def test_a_broken_theorem_is_told(table):
    run = ls.experts(table, truth="truth", rule="boa")
    assert "BROKEN" not in summary(run)
    run.__dict__["bounds"] = [replace(run.bounds[0], limit=0.25, holds=False)]
    assert f"Bound {run.bounds[0].name} is BROKEN: " in summary(run)
