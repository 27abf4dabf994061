"""Names, labels and file names that a terminal would obey: no command prints them as they are."""

import io
import json
import os
import random
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from littlestone.cli import app, terminal
from littlestone.errors import one_line

ESCAPE, BELL, C1, TURN, BACK = "\x1b[2J\x1b]0;owned\x07", "\x07", "\x9b31m", "\u202e", "\r"
CONTROLS = [chr(code) for code in (*range(1, 9), *range(11, 32), *range(127, 160), 0x061C, 0x200E, *range(0x2028, 0x202F), 0xFEFF)]
DRAWN = random.Random(int(os.environ.get("LITTLESTONE_SEED", "0")))
# a label ends with no blank: a reader takes a \r there for the end of its line
HOSTILE = [f"{name}{''.join(DRAWN.choices(CONTROLS, k=4))}." for name in (f"free{ESCAPE}", f"bell{BELL}{C1}", f"turn{TURN}{BACK}gone")]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
OWN = 'import littlestone as ls\n\n\ndef own(n=None):\n    raise ValueError("\\x1b[2Jowned")\n'


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A stream, a table and models, all with hostile names, in files that have hostile names too."""
    tmp_path = tmp_path_factory.mktemp("hostile")
    a, b, c = HOSTILE
    rows = [{"label": label, "text": "x", a: k % 2, b: k % 3} for k, label in enumerate([a, b] * 8)]
    (tmp_path / f"two{ESCAPE}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    three = [{"label": HOSTILE[k % 3], a: int(k % 3 == 0), b: int(k % 3 == 1)} for k in range(18)]
    (tmp_path / f"three{ESCAPE}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in three))
    votes = [{"truth": k % 2, a: k % 2, b: 0, f"{c}\nVERIFIED": 1} for k in range(12)]
    (tmp_path / f"votes{ESCAPE}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in votes))
    (tmp_path / "own.py").write_text(OWN)
    for name, learner in (("two", "perceptron"), ("three", "one_vs_rest:learner=perceptron")):
        saved = ["--model", f"{tmp_path}/{name}.littlestone", "--certificate", f"{tmp_path}/{name}.json"]
        assert CliRunner().invoke(app, ["run", f"{tmp_path}/{name}{ESCAPE}.jsonl", "--learner", learner, *saved]).exit_code == 0
    saved = ["--model", f"{tmp_path}/votes.littlestone"]
    assert CliRunner().invoke(app, ["experts", f"{tmp_path}/votes{ESCAPE}.jsonl", *saved]).exit_code == 0
    return tmp_path


TWO, THREE, VOTES = (f"{name}{ESCAPE}.jsonl" for name in ("two", "three", "votes"))
COMMANDS = {
    "run": [("run", TWO, "--learner", "perceptron"), ("run", THREE, "--learner", "one_vs_rest:learner=perceptron", "--model", f"o{C1}")],
    "run as JSON": [("run", THREE, "--learner", "one_vs_rest:learner=perceptron", "--json", "--quiet")],
    "show": [("show", f"{name}.littlestone") for name in ("two", "three", "votes")],
    "show as JSON": [("show", f"{name}.littlestone", "--json") for name in ("two", "three", "votes")],
    "explain": [("explain", "two.littlestone", "--stream", TWO, "--round", "3"), ("explain", "two.littlestone", HOSTILE[0])],
    "explain classes": [("explain", "three.littlestone", "--stream", THREE, "--round", "3")],
    "explain experts": [("explain", "votes.littlestone", "--stream", VOTES, "--round", "3")],
    "diff": [("diff", "two.littlestone", "two.littlestone"), ("diff", "three.littlestone", "three.littlestone")],
    "predict": [("predict", "two.littlestone", TWO), ("predict", "three.littlestone", THREE)],
    "predict as JSON": [("predict", "three.littlestone", THREE, "--json"), ("predict", "two.littlestone", TWO, "--test", "--json")],
    "predict experts": [("predict", "votes.littlestone", VOTES)],
    "experts": [("experts", VOTES), ("experts", VOTES, "--json", "--quiet")],
    "compare": [("compare", TWO, "--learner", "perceptron"), ("compare", VOTES, "--rule", "adahedge")],
    "verify": [("verify", f"{name}.json", stream) for name, stream in (("two", TWO), ("three", THREE))],
    "forget": [("forget", "two.littlestone", "1"), ("replay", "two.littlestone")],
    "convert": [("convert", TWO, f"out{C1}.vw")],
    "errors": [
        ("run", f"none{ESCAPE}.csv"),
        ("run", TWO, "--label", f"x{ESCAPE}"),
        ("run", f"--none{ESCAPE}"),
        ("run", TWO, "--learner", f"perceptrom{ESCAPE}"),
        ("run", TWO, "--learner", "own.py::own"),
        ("show", f"none{C1}"),
        ("verify", "two.json", f"none{ESCAPE}"),
        ("experts", VOTES, "--truth", f"x{TURN}"),
        ("explain", "votes.littlestone", f"x{ESCAPE}:1"),
        ("diff", "two.littlestone", "votes.littlestone"),
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_printed_is_obeyed(name, folder, littlestone, monkeypatch):
    monkeypatch.setattr(io, "StringIO", Terminal)  # what the fixture prints to says that it is a terminal
    monkeypatch.setattr("littlestone.cli.progress.Bar.begins", lambda bar, playing: None)  # which draws on a terminal, and prints no name
    for command in COMMANDS[name]:
        done = littlestone(*command)
        assert name == "errors" or done.returncode in (0, 3), (command, done.stderr)
        for text in (done.stdout, done.stderr):
            assert not OBEYED.search(text), (command, text)
            assert "\nVERIFIED" not in text or command[0] == "verify"


def test_data_is_not_changed_on_its_way_to_a_file(folder, littlestone):
    lines = littlestone("predict", "three.littlestone", THREE).stdout.rstrip("\n").split("\n")
    assert set(lines) <= set(HOSTILE) and len(lines) == 18
    objects = [json.loads(line) for line in littlestone("predict", "three.littlestone", THREE, "--json").stdout.rstrip("\n").split("\n")]
    assert {row["label"] for row in objects} <= set(HOSTILE)
    shown = json.loads(littlestone("show", "three.littlestone", "--json").stdout)
    assert shown["classes"] == HOSTILE


def test_text_is_made_safe_and_nothing_else_is_touched():
    plain = "ünïcode ≤ 東京 🙂\tand a line\n"
    assert terminal.safe(plain) == plain and json.loads(terminal.json_text(plain)) == plain
    for code in (*range(0xA0), 0x202E, 0xD800, 0xFEFF):
        text = f"a{chr(code)}b"
        assert not OBEYED.search(terminal.safe(text)) and not re.search("[\t\n]", one_line(text))
        assert json.loads(terminal.json_text(text)) == text


def test_only_one_module_prints():
    """Everything printed goes through cli/terminal.py."""
    for path in Path(terminal.__file__).parent.rglob("*.py"):
        code = "\n".join(line for line in path.read_text("utf-8").split("\n") if not line.strip().startswith((">>>", "#")))
        if path.name != "terminal.py":
            assert not re.search(r"(?<![\w.])print\(|std(out|err)\.write|typer\.echo|sys\.stdout\.buffer", code), path
