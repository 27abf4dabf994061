"""`littlestone convert` on files."""

import json

import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app


def test_hashed_features_are_numbers(tmp_path):
    (tmp_path / "a.vw").write_text("1 | free offer\n-1 | minutes:0.5\n")
    done = ls.convert(tmp_path / "a.vw", tmp_path / "a.libsvm", bits=12)
    assert ls.convert(tmp_path / "a.libsvm", tmp_path / "b.vw").digest == done.digest
    assert all(
        token.split(":")[0].isdigit() for line in (tmp_path / "b.vw").read_text().split("\n") for token in line.split("|")[-1].split()
    )


def test_on_the_command_line(tmp_path, monkeypatch):
    def run(*arguments):
        result = CliRunner().invoke(app, ["convert", *map(str, arguments)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    (tmp_path / "a.csv").write_text("label,color\nno,red\nyes,blue\n")
    told = json.loads(run(tmp_path / "a.csv", tmp_path / "a.vw", "--json").stdout)
    assert (told["rows"], told["features"], told["format"], told["labels"]) == (2, 2, "vw", [-1, 1])
    assert (tmp_path / "a.vw").read_text() == "-1 | color=red\n1 | color=blue\n"
    said = run(tmp_path / "a.csv", tmp_path / "a.jsonl").stderr
    assert said.startswith("2 rows, 2 features to ") and told["digest"] in said
    piped = run(tmp_path / "a.csv", "-", "--to", "jsonl", "--quiet")
    assert piped.stdout == (tmp_path / "a.jsonl").read_text() and piped.stderr == ""
    with pytest.raises(ls.LittlestoneError, match="that is the stream itself"):
        run(tmp_path / "a.csv", tmp_path / "a.csv")
    with pytest.raises(ls.LittlestoneError, match="expected at least two paths"):
        run(tmp_path / "a.csv")
    monkeypatch.setattr("littlestone.api.convert.Attempt.write", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    stopped = run(tmp_path / "a.csv", tmp_path / "a.vw")
    assert stopped.exit_code == 130 and "Interrupted" in stopped.stderr
