"""The learners of docs/adding_a_learner.md, each from a folder of its own: compiled, on the command line, through the contract suite;
and the one with a theorem is certified and verified, by those who have its file and by those who have not."""

import doctest
import json
import re
import subprocess
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import littlestone as ls
from littlestone.checks import yield_checks
from littlestone.cli import app
from littlestone.theory.families import RuleFamily

PAGE = Path(__file__).parents[1] / "docs" / "adding_a_learner.md"
HOT_WORDS = PAGE.parent / "examples" / "own_learner" / "hot_words.py"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S) if "def sign_step" in block)
    path = tmp_path_factory.mktemp("own") / "sign_step.py"
    path.write_text(code, "utf-8")
    return path


def imported(file):
    """The module of a file, wherever it stands."""
    spec = util.spec_from_file_location(file.stem, file)
    module = util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def learner(file):
    return imported(file).sign_step()


@pytest.mark.parametrize("check", list(yield_checks(None)), ids=lambda check: check.__name__)
def test_it_keeps_the_contract(learner, check):
    check(learner)


def test_its_example_runs(learner):
    assert doctest.testmod(sys.modules["sign_step"]).failed == 0 < doctest.testmod(sys.modules["sign_step"]).attempted


def test_its_pass_is_compiled(learner):
    run = ls.play(learner, np.eye(3, dtype=np.float32), [0, 1, 0])
    assert run.mistakes == 2
    assert learner.kernels.play.signatures


WITHOUT = """
import sys
sys.modules["numba"] = None  # as where it is not installed
import numpy as np
import littlestone as ls
from littlestone.protocol.own_files import named_in_file
from pathlib import Path
learner = named_in_file(Path(sys.argv[1]), "sign_step")()
run = ls.play(learner, np.eye(3, dtype=np.float32)[[0, 1, 2, 0]], [0, 1, 0, 1])
print(run.predictions.tolist(), run.state[0].tolist(), hasattr(learner.kernels.play, "py_func"))
"""


def test_without_numba_it_runs_in_plain_python_and_says_so_once(file, learner):
    done = subprocess.run([sys.executable, "-c", WITHOUT, str(file)], capture_output=True, text=True, check=True)
    run = ls.play(learner, np.eye(3, dtype=np.float32)[[0, 1, 2, 0]], [0, 1, 0, 1])
    assert done.stdout == f"{run.predictions.tolist()} {run.state[0].tolist()} False\n"
    assert done.stderr.count("numba is not installed") == 1 and "littlestone[compile]" in done.stderr


def test_files_of_before_find_dot_and_add_where_they_were(file, learner, tmp_path):
    before = tmp_path / "sign_step.py"
    source = file.read_text("utf-8")
    now, then = "from littlestone.jit import dot, jit\n", "from littlestone.jit import jit\nfrom littlestone.kernels.rows import dot\n"
    assert source.count(now) == 1
    before.write_text(source.replace(now, then), "utf-8")
    with pytest.warns(DeprecationWarning, match="from littlestone.jit import dot"):
        old = imported(before).sign_step()
    X, y = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1]], [0, 1, 0, 1, 1]
    assert ls.play(old, X, y).predictions.tolist() == ls.play(learner, X, y).predictions.tolist()


WORDS_OF_BEFORE = {  # of a declaration, and what the same is called today
    """class State(NamedTuple):
    heat: Any = Column(np.int64)
    sums: Any = Column(np.int64, size=2, account=True)  # features of all missed 1s, and of the largest
""": """State = namedtuple("State", "heat sums")


def init(room):
    return State(np.zeros(room, np.int64), np.zeros(2, np.int64))
""",
    """        state=State,
        algorithm=Kernels(predict, update, play),
        facts=facts,
""": """        init=init,
        kernels=Kernels(predict, update, play),
        facts=facts,
        n=None,
        needs_n=False,
        ledger=("sums",),
        sound=sound,
        broken=lambda state: "too hot" if state.heat.max() > 99 else "",
        mirrored=lambda state: state,
        prepare=lambda state, block: state,
        compact=lambda state: state,
""",
    "from typing import Any, NamedTuple\n": "from collections import namedtuple\n",
    "def facts(run):": """def sound(params, state):
    if (state.heat < 0).any():
        raise ls.LittlestoneError("its heat is below 0")


def facts(run):""",
    "import numpy as np\n": "import numpy as np\nimport littlestone as ls\n",
}


def test_a_declaration_in_the_words_of_before_is_understood_for_one_version(tmp_path):
    source = HOT_WORDS.read_text("utf-8")
    for now, then in WORDS_OF_BEFORE.items():
        assert now in source
        source = source.replace(now, then, 1)
    path = tmp_path / "hot_words_before.py"
    path.write_text(source, "utf-8")
    with pytest.warns(DeprecationWarning, match=r"ledger= \(expected Column\(account=True\)\).*docs/adding_a_learner.md"):
        old = imported(path).hot_words(patience=2)
    new = imported(HOT_WORDS).hot_words(patience=2)
    mails, labels = [[0, 1], [1, 2], [0, 3], [2], [1]], [1, 0, 1, 1, 0]
    runs = [ls.play(learner, [set(mail) for mail in mails], labels) for learner in (old, new)]
    assert runs[0].predictions.tolist() == runs[1].predictions.tolist() and old.alike(runs[0].state, runs[1].state)
    assert (old.ledger, old.n, old.needs_n) == (new.ledger, new.n, new.needs_n) == (("sums",), None, False)
    assert old.compact(runs[0].state) is old.prepare(runs[0].state, None) is old.mirrored(runs[0].state) is runs[0].state
    assert old.broken(runs[0].state) == "" and old.broken(runs[0].state._replace(heat=np.array([100]))) == "too hot"
    with pytest.raises(ls.LittlestoneError, match="below 0"):
        old.sound(old.params, runs[0].state._replace(heat=np.array([-1])))


def test_a_family_in_the_words_of_before_is_understood_for_one_version():
    with pytest.warns(DeprecationWarning) as heard:
        before = ls.Family("mine", domain="boolean", drops_zeros=True, scored=False)
    assert before == ls.Family("mine", domain="boolean") and before.drops_zeros
    assert sorted(str(one.message).split("=")[0] for one in heard) == ["drops_zeros", "scored"]


@pytest.mark.parametrize(("before", "now"), [({"sleeps": True}, "own rounds"), ({"sleeps": True, "overall": True}, "all rounds"),
                                             ({"sleeps": True, "alike": True}, "alike"), ({"sleeps": False}, "")])  # fmt: skip
def test_a_rules_family_in_the_words_of_before_is_understood_for_one_version(before, now):
    with pytest.warns(DeprecationWarning, match="sleepers="):
        family = RuleFamily("mine", **before)
    assert family == RuleFamily("mine", sleepers=now)
    assert {word: getattr(family, word) for word in before} == before


def test_the_class_and_the_number_of_features_of_a_declaration_of_before(learner):
    with pytest.warns(DeprecationWarning, match="settings"):
        old = ls.Learner("old", {}, (), learner.init, learner.kernels, n=3, concepts=ls.optimal("disjunctions", n=3).concepts)
    assert (old.n, len(old.concepts), repr(old)) == (3, 8, "old()")
    with pytest.warns(DeprecationWarning, match="with_n"):
        old = ls.Learner("old", {}, (), learner.init, learner.kernels, needs_n=True)
    with pytest.raises(ls.LittlestoneError, match="old needs n"):
        old.sized(3)


OLD = {  # the forms of before, which left out what a learner had no use for
    "labels, weights, predictions, scores, updates": ("labels, predictions", "the kernel play has too few arguments"),
    "y, yhat, weight)": ("y, yhat)", "the kernel update has too few arguments"),
    "predict(step, w, indices, values, lo, hi)": ("predict(w, indices, values, lo, hi)", "the kernel update has too many arguments"),
}


@pytest.mark.parametrize("now", OLD)
def test_kernels_of_another_signature_are_refused_by_name(file, now):
    before, why = OLD[now]
    source, module = file.read_text("utf-8"), {"__name__": "old_form"}
    assert source.count(now) >= 1
    exec(compile(source.replace(now, before), "old_form", "exec"), module)
    with pytest.raises(
        ls.LittlestoneError, match=rf"sign_step: {why} \(\d+\); expected (update|play)\(\*params, \*state, ind.*(weight|updates)\)"
    ):
        module["sign_step"]()


def test_the_command_line_takes_it(file, tmp_path):
    stream = tmp_path / "s.libsvm"
    stream.write_text("-1 1:5\n-1 1:0.5 2:1\n+1 2:2\n")
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "run",
        str(stream),
        "--learner",
        f"{file}::sign_step:step=2",
        "--json",
        "--quiet",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    said = json.loads(result.stdout)
    assert (said["learner"], said["rounds"], said["mistakes"]) == ("sign_step", 3, 1)


# ---- the one with a theorem and a twin ----


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """Its file, in a folder of its own."""
    path = tmp_path_factory.mktemp("theorem") / "hot_words.py"
    path.write_text(HOT_WORDS.read_text("utf-8"), "utf-8")
    return path


@pytest.fixture(scope="module")
def hot_words(words):
    return imported(words).hot_words


@pytest.mark.parametrize("check", list(yield_checks(None)), ids=lambda check: check.__name__)
def test_the_one_with_a_theorem_keeps_the_contract(hot_words, check):
    check(hot_words(patience=2))


def test_the_page_shows_the_file_as_it_is():
    assert HOT_WORDS.read_text("utf-8") in PAGE.read_text("utf-8")


def typed(*arguments, code=0):
    """What a command prints, without breaks of lines; it must end with this code."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (arguments, done.output, done.exception)
    return re.sub(r"\n {6}(?=\S)", " ", done.stdout)


@pytest.fixture
def certified(words, tmp_path, monkeypatch):
    """The commands of the page: a stream, and the certificate of a run by the learner of the file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    (text,) = re.findall(r"^\$ printf '(.*?)' > mail.txt$", PAGE.read_text("utf-8"), re.MULTILINE)
    Path("mail.txt").write_text(text.replace("\\t", "\t").replace("\\n", "\n"), "utf-8")
    Path("hot_words.py").write_text(words.read_text("utf-8"), "utf-8")
    typed("run", "mail.txt", "--boolean", "--learner", "hot_words.py::hot_words", "--certificate", "c.json", "--quiet")
    return Path("c.json")


def test_the_page_prints_what_the_commands_print(certified):
    shown = re.findall(r"^\$ (littlestone verify [^\n]*)\n(.*?)(?=^\$|^```)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    for (command, text), code in zip(shown, (0, 3), strict=True):
        assert typed(*command.split()[1:], code=code) == re.sub(r"\n {6}(?=\S)", " ", text)


def test_whoever_has_the_file_verifies_it(certified, hot_words):
    owner = "theorem of hot_words.py, not one of littlestone's: "
    own = ("--learner", "hot_words.py::hot_words")
    assert typed("verify", certified, "mail.txt", "--replay", *own).startswith(f"{owner}verified and replayed: hot_words made 4 mistakes")
    unreplayed = typed("verify", certified, "mail.txt", "--no-replay", *own, code=3)
    assert unreplayed.startswith(f"{owner}consistent, not replayed: hot_words made")
    verdict = ls.verify(certified, "mail.txt", replay=True, learner=hot_words)
    assert verdict.status == "verified" and verdict.replayed and verdict.owner == "hot_words.py"


def test_whoever_has_it_not_is_told_that_it_is_consistent(certified):
    first = typed("verify", certified, "mail.txt", "--replay", code=3).splitlines()[0]
    assert first.startswith("theorem of 'hot_words.py', not one of littlestone's: consistent, not verified: 'hot_words' made 4 mistakes")
    told = json.loads(typed("verify", certified, "mail.txt", "--replay", "--json", code=3))
    assert (told["verified"], told["status"]) == (False, "consistent")


def test_another_file_or_other_settings_are_refused(certified):
    own = ("--learner", "hot_words.py::hot_words")
    assert "the learner given is another" in typed("verify", certified, "mail.txt", "--learner", f"{own[1]}:patience=2", code=1)
    assert "one of littlestone's" in typed("verify", certified, "mail.txt", "--learner", "perceptron:bias=0", code=1)
    Path("hot_words.py").write_text(Path("hot_words.py").read_text("utf-8") + "# changed\n", "utf-8")
    assert "it was changed, or is another" in typed("verify", certified, "mail.txt", *own, code=1)


def test_a_claim_that_is_not_so_is_refused(certified):
    """A fact that its own `measure` does not find, under a digest that is right."""
    from littlestone.theory.certificate import sealed

    content = json.loads(certified.read_text("utf-8"))
    record = next(record for record in content["bounds"] if "S" in record["facts"])
    record["facts"]["S"] -= 1
    record |= {"limit": record["limit"] - 1, "limit_exact": str(record["limit"] - 1)}
    sealed({key: value for key, value in content.items() if key not in ("format", "version", "library", "digest")}).save(certified)
    own = ("--learner", "hot_words.py::hot_words")
    assert "S is 4, and the stream and the witness say 5" in typed("verify", certified, "mail.txt", *own, code=1)
    typed("verify", certified, "mail.txt", code=3)  # who has no file cannot tell


def test_it_is_saved_alarmed_and_certified_late_like_any_other(certified, words):
    own = ("--learner", "hot_words.py::hot_words")
    typed("run", "mail.txt", "--boolean", *own, "--model", "m.littlestone", "--assume", "disjunction:r=2", "--alarm-report", "--quiet")
    assert "the same" in typed("replay", "m.littlestone", *own)
    for option in (("--delay", 2), ("--passes", 2)):
        typed("run", "mail.txt", "--boolean", *own, *option, "--certificate", "late.json", "--quiet")
        assert "replayed" in typed("verify", "late.json", "mail.txt", "--replay", *own)


def test_a_member_of_ones_own_sits_on_a_panel_and_is_loaded_again(certified, hot_words):
    member, panel = "hot_words.py::hot_words:patience=2", "panel:members=arow:r=3+hot_words.py::hot_words:patience=2:blend=false"
    typed("run", "mail.txt", "--boolean", "--learner", panel, "--model", "p.littlestone", "--quiet")
    typed("run", "mail.txt", "--boolean", "--members", f"arow:r=3 {member}", "--model", "q.littlestone", "--quiet")
    for path in ("p.littlestone", "q.littlestone"):
        assert "patience" not in typed("show", path)
        assert "hot_words" in typed("show", path, "--learner", member)
        served = [typed("predict", path, "mail.txt", "--learner", text) for text in (member, panel) if text == member or path[0] == "p"]
        assert len(set(served)) == 1
        typed("predict", path, "mail.txt", code=1)
        typed("predict", path, "mail.txt", "--learner", "hot_words.py::hot_words:patience=3", code=1)
        for given in (hot_words, [hot_words], hot_words(patience=2)):
            assert ls.load(path, given).learner.members[1].settings["patience"] == 2
    with pytest.raises(ls.LittlestoneError, match="no code is run because a file asks for it"):
        ls.load("p.littlestone")
