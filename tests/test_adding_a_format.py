"""docs/adding_a_format.md: a format in two files of the user's own is run, certified, verified, converted and refused like the others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from littlestone.rounds import formats as plain
from littlestone.rounds.formats import FORMATS, format_named
from littlestone.streams.formats import module_of

DOCS = Path(__file__).parents[1] / "docs"
OWN = DOCS / "examples" / "own_format"
MAIL = "spam: free, offer\nham: see you, at ten\n\n: who knows\nspam: offer, at ten\nham: see you\n"


def command(*arguments, code=0):
    environment = {**os.environ, "LITTLESTONE_FORMATS": str(OWN)}
    done = subprocess.run([sys.executable, "-m", "littlestone", *map(str, arguments)], capture_output=True, text=True, env=environment)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout if code in (0, 1, 3) else done.stderr


@pytest.fixture
def mail(tmp_path):
    path = tmp_path / "mail.sets"
    path.write_text(MAIL)
    return path


def test_it_is_run_certified_verified_and_converted(mail, tmp_path):
    cert, other = tmp_path / "c.json", tmp_path / "mail.vw"
    run = json.loads(command("run", mail, "--learner", "perceptron", "--certificate", cert, "--json"))
    assert run["rounds"] == 4
    assert json.loads(cert.read_text())["stream"]["reading"]["format"] == "sets"
    assert "verified and replayed" in command("verify", cert, mail, "--replay")
    command("convert", mail, other)
    assert other.read_text().splitlines()[:3] == ["1 | free offer", "-1 | at%20ten see%20you", "| who%20knows"]
    assert "verified and replayed" in command("verify", cert, other, "--replay")
    mail.write_text(MAIL.replace("offer, at ten", "offer"))
    command("verify", cert, mail, code=1)


def test_its_faults_are_told_in_its_words_by_both_readers(mail, tmp_path):
    cert = tmp_path / "c.json"
    command("run", mail, "--learner", "perceptron", "--certificate", cert, "--quiet")
    mail.write_text(MAIL + "spam\n")
    told = f"{mail}, line 7, column 1: found 'spam', expected a label, a colon and names"
    assert told in command("run", mail, "--learner", "perceptron", code=2)
    assert told in command("verify", cert, mail, code=2)
    assert "which has names alone: --ngrams" in command("run", mail, "--ngrams", "2", code=2)
    mail.write_text(MAIL + "spam: free, free\n")
    assert "line 7: found 'free', expected each feature once in a row" in command("run", mail, "--learner", "perceptron", code=2)


def test_the_page_shows_the_files_as_they_are():
    page = (DOCS / "adding_a_format.md").read_text()
    for room in ("rounds", "streams"):
        assert (OWN / room / "sets.py").read_text() in page


def test_every_format_is_two_files_and_no_list_names_them():
    folder = Path(plain.__path__[0])
    assert sorted(FORMATS) == sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    for name in FORMATS:
        assert (format_named(name).row_of is None) == format_named(name).is_table
        assert callable(module_of(name).TABLE if format_named(name).is_table else module_of(name).reader)
