"""What the command line says to a person: hints, labels as their stream writes them, lines that fit the terminal."""

from typer.testing import CliRunner

import littlestone as ls
from littlestone.cli import app
from littlestone.errors import LittlestoneError


def said(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if isinstance(result.exception, LittlestoneError):
        return str(result.exception)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result.stdout


def test_what_is_said_of_a_run(tmp_path, monkeypatch):
    stream = tmp_path / "easy.libsvm"
    stream.write_text("1 1:1\n-1 2:1\n" * 100)
    hard = tmp_path / "hard.csv"
    hard.write_text("late,x\n" + "".join(f"{int(k % 10 == 0)},{k % 7 - 3}\n" for k in range(200)))
    words = said("run", hard, "--learner", "perceptron:bias=0", "--label", "late", "--quiet")
    assert "more than always saying the majority" in words and "`--bins" in words and "littlestone compare" in words
    assert "0.0 million" not in words
    easy = said("run", stream, "--learner", "perceptron:bias=0", "--quiet", "--assume", "margin:gamma=0.001,R=1")
    assert "(it says nothing here: there were only 200 rounds)" in " ".join(easy.split()) and "more than always" not in easy
    assert "did you mean adaptive?" in said("run", stream, "--learner", "logistic")
    assert repr(ls.open_stream(hard)) == f"<stream of {hard}, format auto>"
    monkeypatch.setenv("COLUMNS", "60")
    model = tmp_path / "m"
    said("run", hard, "--learner", "perceptron:bias=0", "--label", "late", "--labels", "0,1", "--model", model, "--bins", 6, "--quiet")
    for command in (("show", model), ("explain", model, "x<=-2", "--rounds", 20)):
        assert max(map(len, said(*command).splitlines())) <= 60, command


def test_explain_says_labels_as_the_stream_writes_them(tmp_path):
    stream, path = tmp_path / "sms", tmp_path / "m"
    stream.write_text("spam\tfree entry now\nham\tsee you there\n" * 3)
    said("run", stream, "--learner", "perceptron:bias=0", "--model", path, "--quiet")
    assert "predicted ham:" in said("explain", path, "see") and "2 (ham/spam) -1" in said("explain", path, "see")
    assert "round 2 of" in (found := said("explain", path, "--stream", stream, "--round", 2)) and ", label ham\n" in found


def test_a_line_of_text_needs_no_label_to_be_predicted(tmp_path):
    stream, path, new = tmp_path / "sms", tmp_path / "m", tmp_path / "new.txt"
    stream.write_text("spam\tFree entry now\nham\tsee you there\n" * 3)
    said("run", stream, "--learner", "perceptron:bias=0", "--model", path, "--quiet")
    new.write_text("Free entry\nSee you, déjà vu\n\nham\tsee you\n\tfree now\nyou, there\n")
    assert said("predict", path, new).split() == ["spam", "ham", "ham", "spam", "ham"]
    assert "bare" not in ls.load(path).reading and "a label, a tab and text" in said(
        "run", new, "--learner", "perceptron:bias=0", "--format", "text", "--quiet"
    )


def test_a_verdict_says_first_that_its_bounds_need_a_replay(tmp_path):
    stream, path = tmp_path / "sms", tmp_path / "c.json"
    stream.write_text("spam\tfree entry now\nham\tsee you there\n" * 3)
    said("certify", stream, "--learner", "adaptive", "-o", path, "--quiet")
    assert said("verify", path, stream, "--no-replay", code=3).startswith("consistent, not replayed: adaptive made")
    assert said("verify", path, stream, "--replay").startswith("verified and replayed: adaptive made")


def test_a_verdict_says_what_was_verified(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    stream, path = tmp_path / "a.csv", tmp_path / "c.json"
    stream.write_text("grade,day,x\n" + "".join(f"{t % 4},{t},{t % 3}\n" for t in range(30)))
    said("run", stream, "--label", "grade<=1", "--ignore", "day", "--learner", "perceptron:bias=0", "--certificate", path, "--quiet")
    first, rows, reading, *_ = said("verify", path, stream).splitlines()
    assert first.startswith("verified and replayed: perceptron made") and first.endswith("in 30 rounds (label 1 where grade<=1)")
    assert rows == "  rows 1 to 30 of 30; settings bias=0, margin=0, averaged=False"
    assert reading == "  read as csv; label 1 where grade<=1, else 0; left out: “day”"
    run = ls.play(ls.perceptron(bias=0), [{0: 1.0}, {1: 1.0}] * 9, [1, 0, 0, 1, 0, 1] * 3, assume="margin:gamma=1", alarm="restart")
    (segment, *_) = run.segments[1:]
    cert = ls.certify(segment, [{0: 1.0}, {1: 1.0}] * 9, [1, 0, 0, 1, 0, 1] * 3)
    stretch = "rows {:,} to {:,} of 18 alone".format(*cert.content["stream"]["rows"])
    assert str(ls.verify(cert, [{0: 1.0}, {1: 1.0}] * 9, [1, 0, 0, 1, 0, 1] * 3)).splitlines()[0].endswith(f"({stretch})")
