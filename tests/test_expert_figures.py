"""The figure of a run over experts: what its lines hold is what the run itself says, wherever the table is cut."""

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError
from littlestone.report.experts import draw_experts, history


def losses(rounds=90, n=5, asleep=0.0, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.random((rounds, n)).astype(np.float32) * np.linspace(0.4, 1, n, dtype=np.float32)
    table[rng.random(table.shape) < asleep] = np.nan
    return table


@pytest.mark.parametrize("asleep", [0.0, 0.3], ids=["awake", "sleepers"])
def test_lines_end_where_the_run_ends(asleep):
    run = ls.play((ls.sleeping_adahedge if asleep else ls.adahedge)(advice="loss"), losses(asleep=asleep))
    found = history(run)
    assert found.rounds[-1] == run.rounds == found.asked[-1] and found.slept == bool(asleep)
    assert found.rule[-1] == pytest.approx(run.loss) and (np.diff(found.rule) >= 0).all()
    if not asleep:
        assert found.losses[-1] == pytest.approx(run.losses)
    claim = next(c for c in run.bounds() if c.name == found.theorem)
    assert found.bound[-1] == pytest.approx(float(claim.limit) - float(claim.facts["m"]))
    assert (np.array(found.regret) <= np.array(found.bound)).all()
    assert found.weights.sum(axis=1) == pytest.approx(1) and found.weights[-1] == pytest.approx(run.weights)


def test_a_sleeper_is_charged_what_the_rule_loses():
    table = losses(40, 3)
    table[:, 2] = np.nan
    found = history(ls.play(ls.sleeping_adahedge(advice="loss"), table))
    assert found.losses[:, 2] == pytest.approx(found.rule)


def test_bandits_and_leaders_are_drawn(tmp_path):
    table = pa.table({f"a${k}_b": losses(30, 3)[:, k] for k in range(3)})
    for name in ("exp3_ix", "follow_leader"):
        draw_experts(ls.experts(table, advice="loss", rule=name), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_draws(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.random(40)
    rows = [f"{t},{y[t]:.3f},{y[t] + 0.1:.3f},{'' if t % 3 else 0.5},{1 - y[t]:.3f}" for t in range(40)]
    table = tmp_path / "some.csv"
    table.write_text("\n".join(["day,truth,a,b,c", *rows]) + "\n")
    done = CliRunner().invoke(app, ["experts", str(table), "--plot", str(tmp_path / "out.svg"), "--quiet"])
    assert done.exit_code == 0, done.output
    drawn = (tmp_path / "out.svg").read_text()
    assert drawn.lstrip().startswith("<?xml") and "rule_of_rules, 3 experts, 40 rounds" in drawn


def test_refusals(tmp_path):
    run = ls.experts(pa.table({"truth": [1.0, 2.0], "a": [1.0, 2.5], "b": [2.0, 2.0]}))
    with pytest.raises(LittlestoneError, match="the figure cannot be written"):
        draw_experts(run, tmp_path / "out.docx")
