"""What the pages tell a reader to type is typed here, in a folder of its own: docs/coming_from.md, README, docs/start.md, docs/keys.md."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from littlestone.cli import app

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coming_from.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def typed(command):
    """What a command prints. It is run in this process, unless it needs a pipe; what comes in is test.vw then."""
    if " - " in command:
        given = Path("test.vw").read_bytes() if Path("test.vw").exists() else b""
        line = [sys.executable, "-m", *shlex.split(command)]
        return subprocess.run(line, input=given, check=True, capture_output=True).stdout.decode()
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0, (command, result.stdout, result.stderr, result.exception)
    return result.stdout


def blocks(text):
    """Commands with what they are shown to print, from fenced blocks; nothing where no output is shown."""
    for language, block in re.findall(r"^```(.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language:
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command.split("  #")[0].strip(), shown


def agree(command, shown, found):
    assert doctest.OutputChecker().check_output(shown, found, FLAGS), f"{command}\n{found}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_coming_from(folder):
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS)
    assert tried > 20 and not failed
    text = PAGE.read_text("utf-8")
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`(littlestone [a-z][^`]*)`", rest) + re.findall(r"^littlestone .*$", text, re.MULTILINE)
    assert len(inline) > 35
    for command in dict.fromkeys(inline):
        assert typed(command) or command.startswith("littlestone convert "), command
    assert len(list(blocks(text))) == 5
    for command, shown in blocks(text):
        agree(command, shown, typed(command))


@pytest.mark.skipif(os.name == "nt", reason="printf")
@pytest.mark.parametrize("page, count", [("README.md", 5), ("docs/start.md", 8), ("docs/keys.md", 11)])
def test_the_first_pages_show_what_comes(page, count, folder, monkeypatch):
    """All that a newcomer is shown, but what needs a file that is not made there; and a page that makes its files itself."""
    monkeypatch.setenv("COLUMNS", "140")
    shown = [(line, text) for line, text in blocks((ROOT / page).read_text("utf-8")) if "agaricus" not in line]
    assert len(shown) == count
    for line, text in shown:
        command = line.removesuffix(" | tail -1")
        if command.startswith("printf "):
            subprocess.run(command, shell=True, check=True)
        else:
            found = typed(command)
            agree(line, text, found if command == line else found.splitlines()[-1] + "\n")


def test_readme_is_a_page():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
