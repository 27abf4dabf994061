"""The command line in one process: passes, late labels, predictions, comparisons, completion, and the keys that its page documents."""

import inspect
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app, complete
from littlestone.cli.options import ReadingOptions
from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import Reading

PAGE = Path(__file__).parents[1] / "docs" / "command_line.md"


def said(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(result.exception, LittlestoneError):
        return str(result.exception)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result.stdout


def told(*arguments, **options):
    return json.loads(said(*arguments, "--json", **options))


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(1)
    rows = (rng.random((200, 12)) < 0.3).astype(int)
    path = tmp_path / "or.libsvm"
    path.write_text("".join(f"{int(row[:2].any()) * 2 - 1} " + " ".join(f"{i}:1" for i in np.flatnonzero(row)) + "\n" for row in rows))
    return path


def test_passes_are_the_stream_that_many_times(stream):
    said_all = told(
        "run", stream, "--learner", "perceptron:bias=0", "--passes", 3, "--quiet", "--iid", "0.1", "--assume", "margin:gamma=0.1"
    )
    twice = told("run", stream, stream, stream, "--learner", "perceptron:bias=0", "--quiet", "--assume", "margin:gamma=0.1")
    once = told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--iid", "0.1", "--assume", "margin:gamma=0.1")
    keys = ("rounds", "mistakes", "metrics", "bounds", "baselines")
    assert {k: said_all[k] for k in keys} == {k: twice[k] for k in keys}
    assert [one["pass"] for one in said_all["passes"]] == [1, 2, 3] and sum(one["mistakes"] for one in said_all["passes"]) == twice[
        "mistakes"
    ]
    for part, whole in ((said_all["passes"][0], once), (said_all["passes"][2], twice)):
        assert [*part["bounds"], whole["bounds"][-1]] == whole["bounds"] and whole["bounds"][-1]["name"] == "floor"
    assert said_all["risk"] == once["risk"]
    passes = ("run", stream, "--learner", "perceptron:bias=0", "--passes", 2, "--quiet")
    assert "on the first pass: at most" in said(*passes, "--assume", "margin:gamma=0.1")
    assert "on the first pass" not in said(*passes) and "an account) on the first pass" in said(*passes, "--verbose")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--passes", "0"], "at least 1"),
        (["--delay", "-1"], "must not be negative"),
        (["--bins", "many"], "expected a whole number, or COLUMN=NUMBER"),
        (["--labels", "a"], "expected two labels or more"),
        (["--bits", "40"], "from 1 to 31"),
    ],
    ids=lambda value: "-".join(value).strip("-") if isinstance(value, list) else "",
)
def test_what_does_not_go_together(stream, options, message):
    assert message in said("run", stream, "--learner", "perceptron:bias=0", "--quiet", *options)


def test_passes_need_files():
    assert "a pipe can be read only once" in said("run", "-", "--learner", "perceptron:bias=0", "--passes", 2)


def test_late_labels(stream):
    late = told("run", stream, "--learner", "perceptron:bias=0", "--delay", 3, "--quiet", "--assume", "margin:gamma=0.01")
    assert late["rounds"] == 200 and 0 < late["late"]["overlap"] <= 3 and late["late"]["waiting"] == 0
    assert [(b["name"], b["holds"]) for b in late["bounds"]] == [
        ("perceptron-margin-late", True),
        ("perceptron-hinge-late", True),
        ("floor", True),
    ]
    void = told("run", stream, "--delay", 3, "--quiet", "--learner", "winnow", "--boolean")["bounds"]
    assert void.pop()["name"] == "floor"
    assert all(bound["limit"] is None and "labels came late" in bound["reason"] for bound in void)
    assert (
        told("run", stream, "--learner", "perceptron:bias=0", "--delay", 0, "--quiet")["bounds"]
        == told("run", stream, "--learner", "perceptron:bias=0", "--quiet")["bounds"]
    )
    assert "between a prediction and its label" in said("run", stream, "--learner", "perceptron:bias=0", "--delay", 3, "--quiet")


def test_a_model_of_late_labels_claims_nothing_of_an_ordinary_run(stream, tmp_path):
    path = tmp_path / "m"
    said("run", stream, "--learner", "perceptron:bias=0", "--delay", 3, "--quiet", "--model", path)
    model = ls.load(path)
    assert model.ledger is None and model.accounts is None and model.rounds == 200
    assert told("run", stream, "--from", path, "--quiet")["bounds"] == []


def test_predictions_have_labels_as_the_stream_writes_them(stream, tmp_path):
    plain, objects = tmp_path / "out.txt", tmp_path / "out.jsonl"
    assert said("run", stream, "--learner", "perceptron:bias=0", "--predictions", plain, "--quiet") and said(
        "run", stream, "--learner", "perceptron:bias=0", "--predictions", objects, "--quiet"
    )
    run = ls.play(ls.perceptron(bias=0), ls.open_stream(stream), scores=True)
    assert plain.read_text().split() == [str(yhat) for yhat in run.predictions]
    lines = [json.loads(line) for line in objects.read_text().splitlines()]
    assert [one["score"] for one in lines] == run.scores.tolist() and [one["label"] for one in lines] == plain.read_text().split()


VW = """ 'a |w free offer
1 'b |w free
 'c |w meeting minutes
-1 'c
1 'a
-1 'd |w minutes
1 'zz
"""


def test_labels_by_id_in_vw_text_and_a_model_that_knows_names(tmp_path):
    stream, out, path, new = (tmp_path / name for name in ("s.vw", "out.jsonl", "m", "new.vw"))
    stream.write_text(VW)
    found = told("run", stream, "--learner", "perceptron:bias=0", "--id", "tag", "--predictions", out, "--model", path, "--quiet")
    assert (found["rounds"], found["mistakes"]) == (4, 1) and found["late"]["by_id"] == 2 and found["late"]["unknown_ids"] == 1
    assert [(one["id"], one["label"]) for one in map(json.loads, out.read_text().splitlines())] == [
        ("a", "1"),
        ("b", "1"),
        ("c", "1"),
        ("d", "-1"),
    ]
    model = ls.load(path)
    assert model.named and list(model.features) == ["w^free", "w^offer", "w^meeting", "w^minutes"]
    new.write_text("'x |w minutes unheard\n |w free\n")
    lines = [json.loads(line) for line in said("predict", path, new, "--json").splitlines()]
    assert lines == [{"id": "x", "label": "-1", "score": -1.0}, {"id": None, "label": "1", "score": 0.0}]
    assert "w^meeting" in said("explain", path, "--stream", stream, "--round", 3)
    assert "read from vw; labels: -1 (negative), 1 (positive)" in said("show", path)


def test_a_run_goes_on_with_the_names_of_its_model(tmp_path):
    whole, half, path = tmp_path / "s.vw", tmp_path / "half.vw", tmp_path / "m"
    lines = [f"{1 if k % 3 else -1} |w w{k % 7} v{k % 3} u{k}\n" for k in range(40)]
    whole.write_text("".join(lines))
    half.write_text("".join(lines[:20]))
    said("run", half, "--learner", "perceptron:bias=0", "--model", path, "--quiet")
    assert (
        told("run", whole, "--from", path, "--skip", 20, "--model", path, "--quiet")["mistakes"]
        == told("run", whole, "--learner", "perceptron:bias=0", "--quiet")["mistakes"]
    )
    once = tmp_path / "once"
    said("run", whole, "--learner", "perceptron:bias=0", "--model", once, "--quiet")
    assert ls.load(once).features == ls.load(path).features and np.array_equal(ls.load(once).state.w, ls.load(path).state.w)


@pytest.fixture
def model(stream, tmp_path):
    path = tmp_path / "or.littlestone"
    said("run", stream, "--learner", "perceptron:bias=0", "--model", path, "--quiet")
    return path


def test_predict_says_what_the_model_says(stream, model):
    known = ls.load(model)
    rows = [[int(token.split(":")[0]) for token in line.split()[1:]] for line in stream.read_text().splitlines()]
    expected = [known.score(dict.fromkeys(row, 1.0)) for row in rows]
    assert [float(line) for line in said("predict", model, stream, "--scores").split()] == expected
    assert said("predict", model, stream, "--quiet").split() == ["1" if score >= 0 else "-1" for score in expected]
    objects = [json.loads(line) for line in said("predict", model, stream, "--json").splitlines()]
    assert [one["score"] for one in objects] == expected
    wrong = sum((line[0] != "-") != (score >= 0) for line, score in zip(stream.read_text().splitlines(), expected, strict=True))
    assert said("predict", model, stream, "--test").startswith(f"{wrong} mistake")
    assert " F1 " in said("predict", model, stream, "--test") and "one at a time" in said("predict", model, stream, "--test", "--scores")
    found, labels = told("predict", model, stream, "--test"), [line[0] != "-" for line in stream.read_text().splitlines()]
    pairs = [(a, b) for a, y in zip(expected, labels, strict=True) if y for b, y in zip(expected, labels, strict=True) if not y]
    assert (found["rounds"], found["mistakes"]) == (200, wrong) and found["metrics"]["log_loss"] is None
    assert found["metrics"]["auc"] == pytest.approx(sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs), abs=1e-9)
    assert "gives none" in said("predict", model, stream, "--probabilities")


def test_what_the_model_has_not_met_counts_for_nothing(model):
    before, rows = ls.load(model).score({3: 1.0}), model.with_name("new.libsvm")
    rows.write_text("3:1 900:7 2000000000:1\n-1 3:1\n900:1\n")
    out = said("predict", model, rows, "--scores")
    assert [float(line) for line in out.split()] == [before, before, 0.0]


def test_predict_gives_probabilities_and_the_average(stream, tmp_path):
    path, row = tmp_path / "m", tmp_path / "row.libsvm"
    row.write_text("0:1 5:1\n")
    said("run", stream, "--learner", "adaptive", "--model", path, "--quiet")
    probability = ls.load(path).probability({0: 1.0, 5: 1.0})
    assert [float(line) for line in said("predict", path, row, "--probabilities").split()] == [probability]
    assert told("predict", path, stream, "--test")["metrics"]["log_loss"] > 0
    said("run", stream, "--learner", "perceptron:bias=0:averaged=true", "--model", path, "--quiet")
    average = ls.play(ls.perceptron(averaged=True, bias=0), ls.open_stream(stream)).hypothesis
    assert [float(line) for line in said("predict", path, row, "--scores").split()] == [average.score({0: 1.0, 5: 1.0})]


def process(*arguments):
    command = [sys.executable, "-m", "littlestone", *map(str, arguments)]
    pipe = subprocess.PIPE
    # a job that a shell has put in the background ignores Ctrl-C, and so would its children
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None
    )


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_every_line_is_answered_before_the_next_is_needed(model):
    with process("predict", model, "--quiet") as running:
        for row in (b"0:1 1:1\n", b"5:1\n", b"0:1\n"):
            running.stdin.write(row)
            running.stdin.flush()
            assert running.stdout.readline() in (b"1\n", b"-1\n")
        running.stdin.close()
        assert running.wait(30) == 0


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_on_a_slow_pipe_saves_what_was_done(tmp_path):
    path, out = tmp_path / "m", tmp_path / "out.txt"
    with process("run", "-", "--learner", "perceptron:bias=0", "--json", "--model", path, "--predictions", out) as running:
        running.stdin.write(b"1 1:1\n0 2:1\n" * 512)  # more than the rows that show how the stream is to be read
        running.stdin.flush()
        while running.stderr.readline().split()[:1] != [b"1,024"]:  # the line of the table at that round
            pass
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 130, stderr
    assert json.loads(stdout)["rounds"] == ls.load(path).rounds == len(out.read_text().split()) == 1024
    assert b"--skip 1024" in stderr


def test_compare(stream):
    learners = ["--learner", "perceptron:bias=0", "--learner", "winnow:n=3", "--learner", "one_vs_rest:learner=perceptron:bias=0"]
    found = told("compare", stream, *learners, "--shuffles", 4, "--quiet")
    first, refused, several = found["learners"]
    assert (
        first["mistakes"] == told("run", stream, "--learner", "perceptron:bias=0", "--quiet")["mistakes"]
        and len(first["shuffled"]["mistakes"]) == 4
    )
    assert refused["mistakes"] is None and "out of range" in refused["reason"] and several["mistakes"] > 0
    assert found["baselines"][0]["mistakes"] == told("run", stream, "--learner", "perceptron:bias=0", "--quiet")["baselines"]["majority"]
    assert found == told("compare", stream, *learners, "--shuffles", 4, "--quiet")
    assert found["learners"][0]["shuffled"] != told("compare", stream, *learners, "--shuffles", 4, "--seed", 1)["learners"][0]["shuffled"]
    table = said("compare", stream, *learners, "--shuffles", 4, "--quiet")
    assert all(len(line) <= 100 for line in table.splitlines()) and "same as the last label" in table
    pair = {"perceptron:bias=0": ls.perceptron(bias=0), "winnow": ls.winnow()}
    spent = ls.compare(pair, iter(list(ls.open_stream(stream).blocks())))  # what can be had once is kept
    assert (
        spent.as_json()["learners"]
        == told("compare", stream, "--learner", "perceptron:bias=0", "--learner", "winnow", "--quiet")["learners"]
    )


def test_compare_without_learners_takes_three_labels(tmp_path, monkeypatch):
    monkeypatch.setattr("littlestone.learners.reductions.panel.MEMBERS", ("perceptron:bias=1",))
    path = tmp_path / "drinks.csv"
    path.write_text("label,a,b\n" + "tea,1,0\ncoffee,0,1\nmilk,1,1\n" * 8)
    names = ["multiclass_perceptron", "one_vs_rest:learner=perceptron:bias=1"]
    by_default = told("compare", path, "--quiet")["learners"]
    assert by_default == told("compare", path, "--quiet", *(word for name in names for word in ("--learner", name)))["learners"]
    assert [entry["name"] for entry in by_default] == names and all(entry["mistakes"] for entry in by_default)


def test_compare_reads_a_table_as_experts_does(tmp_path):
    path = tmp_path / "load.csv"
    path.write_text("load,a,b,note\n" + "10,11,14,1\n20,18,30,1\n15,15,9,1\n" * 5)
    for options in (["--loss", "absolute", "--range", "0:40"], ["--threshold", "16"], ["--quantile", "0.9", "--experts", "a,b"]):
        options += ["--truth", "load", "--ignore", "note"][: 4 if "--experts" not in options else 2]
        compared = told("compare", path, "--rule", "adahedge", "--quiet", *options)["learners"][0]
        bounds = told("experts", path, "--rule", "adahedge", "--quiet", *options)["bounds"]
        assert compared["limit"] == min(bound["limit"] for bound in bounds if bound["limit"] is not None)
    assert "expected --rule NAME" in said("compare", path, "--loss", "absolute")
    assert "--rule plays a table of experts" in said("compare", path, "--rule", "adahedge", "--bits", "4")


def test_shuffled_orders_are_played_as_they_would_be_alone(stream):
    from littlestone.api.compare import order
    from littlestone.protocol import Block

    whole = Block.joined(list(ls.open_stream(stream).blocks()))
    done = ls.compare({"a": ls.perceptron(bias=0), "b": ls.winnow()}, ls.open_stream(stream), shuffles=3, seed=7)
    for name, learner in (("a", ls.perceptron(bias=0)), ("b", ls.winnow(n=12))):
        alone = [ls.play(learner, whole.rows(order(len(whole), 7, k))) for k in range(3)]
        assert done[name].shuffled.mistakes == tuple(run.mistakes for run in alone)
    last = tuple(ls.play(ls.perceptron(bias=0), whole.rows(order(len(whole), 7, k))).baselines["same_as_last"] for k in range(3))
    assert done["same as the last label"].shuffled.mistakes == last
    assert sorted(order(50, 3, 2).tolist()) == list(range(50))


def test_reading_options_become_a_reading():
    assert ReadingOptions().choices == {}
    asked = ReadingOptions(
        labels="ham,spam", bins=["age=5"], delimiter="tab", header=False, cross=["a*b"], boolean=True, quotes=False, bits=None
    )
    reading = Reading.of(**asked.choices)
    assert reading.labels == ("ham", "spam") and reading.bins == {"age": 5} and reading.delimiter == "\t"
    assert reading.header is False and reading.quotes is False
    options = {field.name for field in fields(ReadingOptions)} - {"skip_bad", "largest_index"}  # of the stream, not of its reading
    assert options < set(inspect.signature(Reading).parameters)


def test_completion_is_light_and_complete():
    names = {name.partition(":")[0] for name in complete.learners("")}
    assert names == {*ls.learners.names(), *ls.classes.names(), *ls.reductions.names()}
    assert complete.learners("one_vs_rest:learner=perc") == ["one_vs_rest:learner=perceptron"]
    assert complete.learners("all_pairs:learner=pan") == ["all_pairs:learner=panel"]
    two = {name.rpartition("=")[2] for name in complete.learners("one_vs_rest:learner=")}
    assert two == {*ls.learners.names(), *ls.reductions.of_two_classes()}
    assert complete.learners("panel:rule=fix") == ["panel:rule=fixed_share"] and complete.rules("adah") == ["adahedge"]
    assert complete.members("perceptron aro") == ["perceptron arow", "perceptron arow_full"]
    assert "vw" in complete.formats("v") and dict(complete.assumptions("dis")).keys() == {"disjunction"}
    code = (
        "import sys; sys.argv = ['littlestone']\nfrom littlestone.cli import app\n"
        "try: app(prog_name='littlestone')\nfinally: print('numpy' in sys.modules)"
    )
    asked = {"_LITTLESTONE_COMPLETE": "complete_bash", "COMP_WORDS": "littlestone run x --assume dis", "COMP_CWORD": "4"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | asked)
    assert done.stdout.split() == ["disjunction", "False"]


def test_every_help_has_an_example():
    for command in app.registered_commands:
        assert re.search(rf"Example: littlestone {command.name}\b", inspect.getdoc(command.callback)), command.name


def test_every_learner_says_when_to_use_it():
    table = said("learners", "--which")
    for entry in told("learners")["learners"]:
        assert entry["when"] and f"  {entry['name']} " in table
    assert all(len(line) <= 100 for line in table.splitlines())


FREE = (
    "copies",
    "which_copy",
    "settings",
    "member",
    "forecast_weights",
    "facts",
    "reading",
    "weights",
    "counts",
    "state",
    "segments",
    "confusion",
    "scores",
    "window",
)  # maps with keys of their own


def keys_of(value, before=""):
    """All keys of an object, those of the objects inside with a dot, those of lists with []."""
    found = set()
    for key, inside in value.items():
        found.add(before + key)
        free = key in FREE and not (key == "counts" and "rounds" in str(inside) and "positives" in str(inside))
        if isinstance(inside, dict) and not free:
            found |= keys_of(inside, f"{before}{key}.")
        if isinstance(inside, list) and key not in (*FREE, "passes", "baselines"):
            found |= {k for one in inside if isinstance(one, dict) for k in keys_of(one, f"{before}{key}[].")}
        if key == "passes":
            found |= {f"passes[].{k}" for one in inside for k in one}
    return found


def documented(title):
    section = PAGE.read_text("utf-8").partition(f"### Keys of `{title} --json`\n")[2]
    table = section.split("\n#")[0]
    return {key for line in table.splitlines() if line.startswith("| `") for key in re.findall(r"`([^`]+)`", line.split("|")[1])}


def test_the_page_has_the_keys_that_are_printed(stream, model, tmp_path):
    copies = tmp_path / "copies.json"
    certificate, other, panel, table = tmp_path / "c.json", tmp_path / "other", tmp_path / "panel", tmp_path / "experts.csv"
    table.write_text("truth,a,b\n1,2,3\n2,2,1\n4,4,6\n")
    assumed = ("--assume", "margin:gamma=3")
    forecast = {"metrics": {"classes": [{"auc": 0.5, "average_precision": 0.5}]}}  # of learners of several classes that forecast
    runs = [
        forecast,
        told("run", stream, "--learner", "selective", "--quiet"),
        told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--passes", 2, "--model", other, "--iid", "0.1"),
        told("run", stream, "--quiet", "--learner", "multiclass_perceptron", "--window", 5),
        told("run", stream, "--quiet", "--from", other),
        told("run", stream, "--quiet", "--members", "perceptron arow", "--model", panel),
        told("run", stream, "--quiet", "--members", "perceptron arow", "--threshold", "0.3"),
        told("run", stream, "--quiet", "--members", "perceptron arow", "--cost", "1:2"),
        told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--delay", 2, "--bits", 8),
        told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--alarm-report", *assumed),
        told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--restart-on-alarm", *assumed),
        told("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--restart-on-alarm", "--certificate", copies),
        {"alarm": {"chance": 0.01, "since": 1}},
        told(
            "run", stream, "--learner", "perceptron:bias=0", "--quiet", "--iid", "0.1", "--keep", "certified", "--model", tmp_path / "kept"
        ),
    ]
    certified = told("certify", stream, "--learner", "perceptron:bias=0", "--quiet", "-o", certificate)
    classes, rule = tmp_path / "classes", tmp_path / "rule"
    played = ls.multiclass_perceptron().start()
    for row, label in [({1: 1.0}, 1), ({2: 1.0}, -1), ({2: 1.0}, -1)]:
        played.update(row, label)
    played.save(classes)
    said("experts", table, "--model", rule, "--quiet")
    watched = told("watch", model, stream, "--quiet", "--certificate", tmp_path / "watch.json")
    kinds_of_verdicts = [
        told("verify", tmp_path / name, stream, "--model", of) for name, of in (("kept.json", tmp_path / "kept"), ("watch.json", model))
    ]
    printed = {
        "run": [*runs, certified],
        "predict": [json.loads(said("predict", path, stream, "--json").splitlines()[0]) for path in (model, panel, classes)],
        "predict --test": [
            forecast,
            *(told("predict", path, file, "--test") for path, file in ((panel, stream), (classes, stream), (rule, table))),
        ],
        "compare": [told("compare", stream, "--quiet", "--learner", "perceptron", "--learner", "arow", "--shuffles", 2, "--select")],
        "fit": [told("fit", stream, "--quiet", "--epsilon", "0.5", "--model", tmp_path / "fitted")],
        "experts": [told("experts", table, "--quiet", "--window", 2)],
        "convert": [told("convert", stream, tmp_path / "converted.jsonl")],
        "watch": [watched],
        "verify": [told("verify", certificate, stream), told("verify", copies, stream), *kinds_of_verdicts, {"reason": ""}],
        "show": [*(told("show", path) for path in (model, panel, classes, rule)), {"remark": ""}],
        "explain": [
            told("explain", model, "--stream", stream, "--round", 1),
            told("explain", model, "3"),
            told("explain", panel, "3", "--member", "arow"),
            {"answer": 1},
            told("explain", classes, "2"),
            told("explain", rule, "a:1"),
        ],
        "replay": [told("replay", model)],
        "rollback": [told("rollback", model, 2, "-o", tmp_path / "rolled")],
        "forget": [told("forget", model, 1)],
        "diff": [told("diff", model, other)],
        "learners": [told("learners")],
    }
    for title, objects in printed.items():
        assert documented(title) == set().union(*map(keys_of, objects)), title


def test_the_page_has_every_command_and_option():
    page = PAGE.read_text("utf-8")
    for command in app.registered_commands:
        assert f"[`{command.name}`]" in page
    for name in (field.name for field in fields(ReadingOptions)):
        assert f"`--{name.replace('_', '-')}" in page or f"--{name}" in page, name
    run = next(command.callback for command in app.registered_commands if command.name == "run")
    for name in inspect.signature(run).parameters:
        flag = {"from_model": "from", "as_json": "json", "streams": "learner"}.get(name, name).replace("_", "-")
        assert f"--{flag}" in page, flag


def test_a_chance_that_is_none_is_refused_before_anything_is_played(stream, tmp_path):
    words = said("run", stream, "--iid", "2", "--predictions", tmp_path / "out")
    assert words == "delta=2 must lie between 0 and 1: it is the probability that the claim is false"
    assert not (tmp_path / "out").exists()


def test_compare_says_why_there_are_no_bounds(stream):
    result = CliRunner().invoke(app, ["compare", str(stream), "--learner", "perceptron"])
    assert "No column of bounds: without --assume" in result.stderr
    result = CliRunner().invoke(app, ["compare", str(stream), "--learner", "perceptron", "--assume", "margin:gamma=1/10,R=9"])
    assert "bound" in result.stdout and "if margin:gamma=1/10,R=9 is true of these rounds" in result.stderr


def test_compare_says_what_its_bounds_mean_and_why_one_is_missing(stream, tmp_path):
    other = ("--learner", "winnow", "--learner", "arow", "--assume", "conjunction:r=1")
    result = CliRunner().invoke(app, ["compare", str(stream), *other])
    assert "under conjunction:r=1 no theorem of theirs" in result.stderr and "arow: arow has no theorem" in result.stderr
    stream.write_text("1 1:1\n0 1:1\n" * 200)
    result = CliRunner().invoke(
        app, ["compare", str(stream), "--learner", "winnow", "--learner", "perceptron", "--assume", "disjunction:r=1"]
    )
    assert "winnow: winnow-disjunction is void: " in result.stderr
    table = tmp_path / "table.csv"
    table.write_text("truth,a,b\n" + "1,1,0\n0,0,0\n" * 5)
    assert "which compares it with the best expert" in CliRunner().invoke(app, ["compare", str(table), "--rule", "adahedge"]).stderr


def test_a_message_names_the_feature_that_it_is_about(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("label,size,age\n1,0,1\n0,1,7\n")
    words = said("run", table, "--learner", "winnow", "--n", 2)
    assert words.startswith(f"{table}, line 3: feature 'age' has value 7, and this learner takes boolean features")
    result = CliRunner().invoke(app, ["compare", str(table), "--learner", "winnow", "--quiet"])
    assert "winnow                  refused these rounds\n" in result.stdout and "line 3: feature 'age' has value 7" in result.stderr
    with pytest.raises(LittlestoneError, match="round 1: feature 'b' has value 3"):
        ls.play(ls.winnow(n=2), [{"a": 1, "b": 3}], [1])
    with pytest.raises(LittlestoneError, match="feature 1 has value 3"):
        ls.play(ls.winnow(n=2), [[1, 3]], [1])


def test_a_bound_that_allows_every_round_is_no_promise(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("label,a,b\n1,2,3\n0,1,4\n1,3,3\n0,2,2\n1,1,1\n")
    words = " ".join(said("run", path, "--learner", "perceptron", "--quiet", "--certificate", tmp_path / "proof").split())
    assert "no bound says anything of them: the smallest, perceptron-hinge-all, allows 5 mistakes." in words
    words = " ".join(said("verify", tmp_path / "proof", path).split())
    assert words.count("it promises nothing of 5 rounds") == 3 == words.count("at most 5")


def test_an_empty_file_has_no_format_and_a_certificate_goes_where_o_says(stream, tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("")
    assert said("run", empty).endswith("has no rounds: expected rows of a format that its name or they themselves tell")
    empty = tmp_path / "empty.libsvm"
    empty.write_text("")
    assert "expected lines of the form 'label index:value" in said("run", empty)
    assert said("certify", stream, "-o", stream).startswith(f"--output {stream}: that is the stream itself")


def test_forecasts_of_several_classes_are_told_without_a_half(tmp_path):
    path = tmp_path / "three.vw"
    path.write_text("".join(f"{t % 3} | a{t % 3} b{t % 7}\n" for t in range(60)))
    members = ("--members", "arow perceptron")
    words = " ".join(said("run", path, "--quiet", "--probabilities", *members).split())
    assert "The likeliest class is wrong" in words and "At 1/2" not in words


def test_tables_of_explain_fit_into_80_columns(stream, tmp_path, monkeypatch):
    said("run", stream, "--learner", "panel:forecast=false", "--quiet", "--model", tmp_path / "model")
    monkeypatch.setenv("COLUMNS", "80")
    lines = said("explain", tmp_path / "model", "1", "3").splitlines()
    table = [line for line in lines if line.startswith("  (")]
    assert len(table) >= 10 and all(len(line) <= 80 and len(line.split()) == 4 for line in table[:10])
