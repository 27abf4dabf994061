"""How often a file is read: a certificate costs at most one more reading than the run itself."""

import random

import pytest
from typer.testing import CliRunner

from littlestone.cli import app
from littlestone.streams.stream import Stream

LEARNERS = [
    "perceptron",
    "winnow",
    "arow",
    "panel:blend=false",
    "one_vs_rest:learner=perceptron",
    "conservative:learner=arow",
    "multiclass_perceptron",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    draw, path = random.Random(5), tmp_path_factory.mktemp("readings") / "or.libsvm"
    with path.open("w") as out:
        for _ in range(150):
            row = sorted(draw.sample(range(1, 13), 4))
            out.write(f"{int(row[0] < 3)} {' '.join(f'{i}:1' for i in row)}\n")
    return path


@pytest.fixture
def readings(monkeypatch):
    """A list that grows by one with each reading of a stream."""
    begun = []
    plain = Stream._of_file

    def counted(self, path, pool):
        begun.append(path)
        return plain(self, path, pool)

    monkeypatch.setattr(Stream, "_of_file", counted)
    return begun


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_certificate_costs_one_more_reading(file, readings, tmp_path, learner):
    def times(*options):
        readings.clear()
        result = CliRunner().invoke(app, ["run", str(file), "--learner", learner, "--quiet", *options])
        assert result.exit_code == 0, result.output
        return len(readings)

    alone = times("--no-search")
    assert alone == (2 if learner == "winnow" else 1)  # a learner that needs n counts the features first
    assert times("--certificate", str(tmp_path / "c.json")) <= alone + 1
    assert times() <= alone + 1  # a rule to compare with
