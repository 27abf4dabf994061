"""The command line as its user meets it: output, JSON, files, exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app, terminal


def started(*arguments, **options):
    """A process of its own; the fixture `littlestone` is the same in this one."""
    command = [sys.executable, "-m", "littlestone", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(1)
    rows = (rng.random((300, 40)) < 0.2).astype(int)
    path = tmp_path / "or.libsvm"
    path.write_text("".join(f"{int(row[:3].any())} " + " ".join(f"{i + 1}:1" for i in np.flatnonzero(row)) + "\n" for row in rows))
    return path


def test_json_has_the_documented_keys(stream):
    result = started("run", stream, "--learner", "winnow", "--n", "40", "--assume", "disjunction:r=3", "--json", "--quiet")
    assert result.returncode == 0 and result.stderr == ""
    said = json.loads(result.stdout)
    keys = {
        "learner",
        "rounds",
        "mistakes",
        "false_positives",
        "false_negatives",
        "baselines",
        "seconds",
        "features_per_second",
        "bounds",
    }
    assert keys <= set(said)
    assert said["learner"] == "winnow" and said["rounds"] == 300
    assert said["mistakes"] == said["false_positives"] + said["false_negatives"]
    assert set(said["baselines"]) == {"majority", "same_as_last"}
    for bound in said["bounds"]:
        assert {"name", "assumes", "kind", "formula", "facts", "limit", "limit_exact", "observed", "holds"} <= set(bound)
        assert bound["holds"] is True and bound["observed"] == said["mistakes"] <= bound["limit"]
    assert [b["kind"] for b in said["bounds"]] == ["a priori", "hindsight", "hindsight"]
    assert [b["compares"] for b in said["bounds"]] == [True, False, True] and said["bounds"][-1]["name"] == "floor"
    for bound in said["bounds"]:
        if bound["compares"]:
            assert bound["limit"] == bound["comparator_loss"] + bound["price"]
    assert said["bounds"][0]["limit"] == 46  # 2 + 3·(3·6 - 2^7/40) = 46.4, strictly


def test_a_learner_over_a_named_class_and_a_stream_it_refuses(stream, littlestone):
    said = littlestone("run", stream, "--learner", "halving:concepts=dictators:n=3", "--assume", "class", "--quiet")
    assert said.returncode == 2 and "is out of range: n=3" in said.stderr
    small = stream.with_name("small.libsvm")
    small.write_text("1 1:1 3:1\n0 2:1\n1 3:1\n0 1:1\n")
    said = littlestone("run", small, "--learner", "halving:concepts=disjunctions:n=24", "--assume", "class", "--quiet", "--json")
    bounds = json.loads(said.stdout)["bounds"]
    assert [(b["name"], b["limit"]) for b in bounds] == [("halving-class", 24), ("halving-survivors", 3), ("floor", 4)]
    said = littlestone("run", small, "--learner", "halving:concepts=disjunctions:n=24", "--assume", "class:5", "--quiet")
    assert said.returncode == 2 and "no smaller than the 16,777,216 concepts" in said.stderr
    small.write_text(small.read_text() + "0 3:1\n")
    said = littlestone("run", small, "--learner", "halving:concepts=disjunctions:n=24", "--quiet")
    assert said.returncode == 2 and "small.libsvm, line 5: halving: no concept of the class agrees" in said.stderr


def test_the_summary_the_table_and_counting_n(stream, littlestone):
    result = littlestone("run", stream, "--learner", "winnow")
    assert result.returncode == 0
    assert "counted n = 40" in result.stderr
    lines = [line.split() for line in result.stderr.splitlines()]
    assert [int(cells[0]) for cells in lines if cells and cells[0].isdigit()] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert "mistakes in 300 rounds" in result.stdout and "always the majority" in result.stdout


def test_predictions_are_written_a_line_a_round(stream, tmp_path, littlestone):
    import littlestone as ls

    out = tmp_path / "out.txt"
    assert littlestone("run", stream, "--learner", "perceptron:bias=0", "--predictions", out, "--quiet").returncode == 0
    expected = ls.play(ls.perceptron(bias=0), ls.open_stream(stream)).predictions
    assert [line == "1" for line in out.read_text().split()] == expected.tolist()


def test_the_stream_itself_is_no_place_for_predictions(stream, littlestone):
    before = stream.read_bytes()
    result = littlestone("run", stream, "--learner", "perceptron:bias=0", "--predictions", stream)
    assert result.returncode == 2 and "that is the stream itself" in result.stderr and stream.read_bytes() == before


def test_standard_input_needs_n_only_where_the_rule_does(stream):
    text = stream.read_text()
    assert "300 rounds" in started("run", "-", "--learner", "perceptron:bias=0", "--quiet", input=text).stdout
    refused = started("run", "-", "--learner", "winnow", input=text)
    assert refused.returncode == 2 and "--n N" in refused.stderr
    assert started("run", "-", "--learner", "winnow", "--n", "40", "--quiet", input=text).returncode == 0


BAD_USE = [
    (["--learner", "winow"], "learner 'winow' is not known"),
    (["--learner", "winnow:gamma=2"], "winnow has no setting 'gamma'; it has: n, alpha, theta"),
    (["--learner", "winnow:alpha=1"], "alpha=1 must exceed 1"),
    (["--learner", "winnow:n=5"], "feature index 10 is out of range: n=5"),
    (["--assume", "disjunction:r=3"], "perceptron has no theorem that assumes 'disjunction'; it has: margin"),
    (["--assume", "margin"], "assumption 'margin' needs gamma=..."),
    (["--assume", "magic:r=3"], "'magic' is not known"),
    (["--learner", "nowhere.py::f"], "nowhere.py: no such file"),
    (["--learner", ""], "learner '' is not known"),
    (["--learner", "hedge"], "rule over the advice"),
    (["--labels", "1"], "--labels '1': expected two labels"),
    (["--predictions", "/nonexistent/out.txt"], "cannot be written"),
    (["--learner", "balanced_winnow", "--assume", "margin:gamma=0.1,R=1"], "takes X, gamma, U"),
    (["--format", "xml"], "format='xml' is not known"),
]


@pytest.mark.parametrize(("options", "message"), BAD_USE)
def test_bad_use_exits_2_and_says_why(stream, options, message, littlestone):
    result = littlestone("run", stream, "--learner", "perceptron:bias=0", "--quiet", *options)
    assert result.returncode == 2 and message in result.stderr and "Traceback" not in result.stderr


def test_bad_input_exits_2_and_keeps_what_was_written(tmp_path):
    path, out = tmp_path / "bad.libsvm", tmp_path / "out.txt"
    path.write_text("1 1:1\n" * 400_000 + "1 1:x\n")
    result = started("run", path, "--learner", "perceptron:bias=0", "--predictions", out, "--quiet")
    assert result.returncode == 2
    assert result.stderr.strip() == f"littlestone: {path}, line 400001, column 5: found 'x', expected a finite number after ':'"
    assert len(out.read_text().split()) > 100_000
    skipped = started("run", path, "--learner", "perceptron:bias=0", "--skip-bad", "--json", "--quiet")
    assert json.loads(skipped.stdout)["bad_lines"] == 1


def heed_interrupts():
    """A job that a shell has put in the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupting_reports_what_was_done_and_exits_130(tmp_path):
    command = [sys.executable, "-m", "littlestone", "run", "-", "--learner", "perceptron:bias=0", "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts
    ) as process:
        for _ in range(6):
            process.stdin.write(b"1 1:1\n0 2:1\n" * 100_000)
            process.stdin.flush()
        while b"rate" not in process.stderr.readline():  # the table has begun: rounds are being played
            pass
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["rounds"] > 0


@pytest.mark.skipif(sys.platform != "linux", reason="who the children of a process are, is told there")
@pytest.mark.parametrize("begun", ["table", "start"])
def test_ctrl_c_at_a_terminal_ends_a_run_with_workers_without_tracebacks(tmp_path, begun):
    """A terminal tells all processes of the run at once, while workers start and while they play."""
    pytest.importorskip("distributed")
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:1 4:1\n0 2:1 3:1\n" * 2_000)
    command = [sys.executable, "-m", "littlestone", "run", path, "--passes", "1000000", "--workers", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts, start_new_session=True
    ) as process:
        if begun == "table":
            while b"rate" not in process.stderr.readline():
                pass
        else:
            while not Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text():
                time.sleep(0.02)
            time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in told and b"Task exception" not in told


@pytest.mark.skipif(os.name == "nt", reason="no /dev/null")
def test_bad_input_takes_no_device_away(tmp_path):
    """A file of predictions with nothing in it goes, a link to /dev/null stays."""
    path, link, out = tmp_path / "a.libsvm", tmp_path / "null", tmp_path / "out"
    path.write_text("1 1:x\n")
    link.symlink_to("/dev/null")
    for place in (link, out):
        refused = CliRunner().invoke(app, ["run", str(path), "--learner", "perceptron", "--quiet", "--predictions", str(place)])
        assert isinstance(refused.exception, ls.LittlestoneError)
    assert link.is_symlink() and not out.exists()


def test_notes_fit_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    long = "No column of bounds: without --assume a bound compares with the best rule in hindsight, which `run` looks for."
    terminal.note(long)
    assert capsys.readouterr().err == f"{long}\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    terminal.note(long)
    told = capsys.readouterr().err
    assert max(map(len, told.splitlines())) <= 80 and " ".join(told.split()) == long


def test_learners_lists_the_catalogue_with_theorems(littlestone):
    said = json.loads(littlestone("learners", "--json").stdout)
    names = [entry["name"] for entry in said["learners"]]
    expected = [
        "conjunctions",
        "disjunctions",
        "memorizer",
        "halving",
        "optimal",
        "winnow",
        "apple_tasting",
        "winnow_elimination",
        "winnow_doubling",
        "winnow_real",
        "balanced_winnow",
        "perceptron",
        "pnorm",
        "second_order",
        "selective",
        "shifting",
        "passive_aggressive",
        "alma",
        "arow",
        "arow_full",
        "normalized",
        "pairs",
        "adaptive",
        "naive_bayes",
        "coin",
        "one_vs_rest",
        "all_pairs",
        "panel",
        "conservative",
        "multiclass_perceptron",
        "banditron",
        "class_panel",
        "follow_leader",
        "weighted_majority",
        "randomized_weighted_majority",
        "hedge",
        "adahedge",
        "perturbed_leader",
        "fixed_share",
        "tracking",
        "specialists",
        "sleeping_adahedge",
        "ml_poly",
        "boa",
        "ml_prod",
        "rule_of_rules",
        "exp3",
        "exp3_ix",
    ]
    assert sorted(expected) == sorted(names) and all(callable(getattr(ls, name)) for name in names)
    for entry in said["learners"]:
        assert entry["summary"] and entry["source"] and entry["bounds"]
        assert all(bound["formula"] and bound["assumes"] and bound["source"] for bound in entry["bounds"])
    assert "winnow-disjunction" in littlestone("learners").stdout


def test_demo_draws_its_figure(tmp_path):
    figure = tmp_path / "figure.png"
    result = started("demo", "--out", figure, "--rounds", "400")
    assert result.returncode == 0, result.stderr
    assert figure.read_bytes().startswith(b"\x89PNG") and "winnow" in result.stdout


def test_help_and_version_stay_light():
    code = (
        "import sys; sys.argv = ['littlestone', '--help']\n"
        "from littlestone.cli import app\n"
        "try: app()\n"
        "finally: print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip().endswith("False False")
    assert started("--version").stdout.startswith("littlestone ")
