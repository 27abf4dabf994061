"""What docs/experts.md tells a reader to type is typed here, in a folder of its own."""

import doctest
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from littlestone.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "experts.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS)
    assert tried > 10 and not failed
    shown = re.findall(r"^```\n\$ (littlestone [^\n]*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(shown) == 9
    for command, wanted in shown:
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0 and doctest.OutputChecker().check_output(wanted, done.stdout, FLAGS), f"{command}\n{done.output}"
