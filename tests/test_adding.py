"""To add something is to add files: a copy of the package gets a learner, a rule, a kind of assumption and a kind of witness, an adversary
and a command, and no file of it is edited.

The learner and the rule are those of docs/examples, cut in three as docs/adding_a_learner.md and docs/adding_a_rule.md say.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
PARTS = ("story", "twin", "theorem", "algorithm")

#: What each of the three files imports; in a file of one's own it stands once, at the top.
IMPORTS = {
    "hot_words": {
        "twin": "from collections import defaultdict\n",
        "theorem": "from dataclasses import replace\n\nfrom littlestone.theory.bound import Bound\n"
        "from littlestone.theory.families import Family\n"
        "from littlestone.theory.settings import whole\n",
        "algorithm": "from typing import Any, NamedTuple\n\nimport numpy as np\n\nfrom littlestone.kernels.jit import jit\n"
        "from littlestone.protocol import Column, Kernels, Learner\nfrom littlestone.theory.hot_words import FAMILY\n",
    },
    "in_turn": {
        "twin": "",
        "theorem": "from littlestone.theory import experts\nfrom littlestone.theory.families import RuleFamily\n",
        "algorithm": "from collections import namedtuple\n\nimport numpy as np\n\nfrom littlestone.kernels.jit import jit\n"
        "from littlestone.kernels.advice import ASLEEP, count_losses, weigh\nfrom littlestone.protocol import Rule\n"
        "from littlestone.theory.in_turn import FAMILY\n",
    },
}
ROOMS = {"hot_words": "learners/binary", "in_turn": "learners/experts"}

ADVERSARY = '''"""The same vector again and again, each time with the label that was not predicted."""

from dataclasses import dataclass

from littlestone.concepts.disjunctions import Disjunction, Disjunctions
from littlestone.games.adversaries._game import Adversary


@dataclass(frozen=True, repr=False)
class OneVector(Adversary):
    n = 1
    forces = 1
    source = "tests"
    concepts = Disjunctions(1)

    def rounds(self, learner):
        x = {0: 1}
        yield x, not learner.predict(x)

    def witness(self, stream):
        return Disjunction(frozenset({0} if stream[-1][1] else ()))


def one_vector():
    return OneVector()
'''
ASSUMPTION = '''"""There are few 1s."""

from littlestone.theory.assumptions import Assumption

ASSUMPTION = Assumption("few_ones", "at most m rounds have label 1", labels=False, bare="m", example="few_ones:5")
'''
WITNESS = '''"""A length that no row passes."""

from dataclasses import dataclass

from littlestone.theory.comparators import Comparator


@dataclass(frozen=True)
class Longest(Comparator):
    kind = "longest"
    shape = {"type": "object", "required": ["kind", "length"], "properties": {"length": {"type": "integer"}}}

    length: int

    @classmethod
    def read(cls, record):
        return cls(record["length"])

    def as_json(self):
        return {"kind": self.kind, "length": self.length}

    def in_words(self, names, what):
        return f"rows of at most {self.length} features"


KIND = Longest
'''
SEARCH = '''"""The longest row that was missed."""

import numpy as np

from littlestone.theory.comparators.longest import Longest


def longest(played, seconds):
    length = int(np.diff(played.X.indptr)[played.y > 0].max(initial=0))
    yield Longest(length), {"length": length}


SEARCHES = {"hot-words-longest": longest}
'''
#: Theorems of hot_words with the new kinds: P ≤ m missed 1s, each of at most s features, or of as many as the witness has.
THEOREMS = """

def measured(evidence, witness):
    longest = {} if witness is None else {"length": witness.length}
    return measure(evidence, witness) | longest


FEW_ONES = Bound(
    name="hot-words-few-ones", assumes="few_ones", kind="a priori", formula="M ≤ m·(1 + c·s)", source="tests",
    value=lambda m, s, patience: m * (1 + patience * s),
)
LONGEST = Bound(
    name="hot-words-longest", assumes="none", kind="hindsight", formula="M ≤ P·(1 + c·length)", source="tests", witness="longest",
    value=lambda P, length, patience: P * (1 + patience * length),
)
FAMILY = replace(FAMILY, theorems=(*FAMILY.theorems, FEW_ONES, LONGEST), measure=measured)
"""
COMMAND = '''"""`littlestone greet`: say hello."""

RANK = 99


def greet() -> None:
    """Say hello."""
    print("hello")
'''
SCRIPT = """
import json, sys
import littlestone as ls
from typer.testing import CliRunner
from littlestone.cli import app

def typed(*arguments):
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.stdout

X, y = [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1]] * 3, [1, 0, 1, 0] * 3
found = {"where": ls.__file__}
run = ls.play(ls.hot_words(patience=2), X, y)
found["learner"] = str(ls.verify(ls.certify(run, X, y, assume="disjunction:r=1"), X, y, replay=True)).splitlines()[0]
cert = ls.certify(run, X, y, assume="few_ones:6")
few = ls.verify(cert, X, y, replay=True)
found["few ones"] = [[claim.name, claim.limit] for claim in cert.bounds]
found["longest"] = [line.strip() for line in str(few).splitlines() if "longest" in line]
rule = ls.play(ls.in_turn(), X, y)
found["rule"] = str(ls.verify(ls.certify(rule, X, y), X, y, replay=True)).splitlines()[0]
listed = json.loads(typed("learners", "--json"))["learners"]
found["listed"] = [row["name"] for row in listed if row["name"] in ("hot_words", "in_turn")]
with open("rows.libsvm", "w") as out:
    out.writelines(f"{label} " + " ".join(f"{i}:1" for i, v in enumerate(row) if v) + chr(10) for row, label in zip(X, y))
with open("votes.csv", "w") as out:
    out.writelines(["truth,a,b,c" + chr(10), *(",".join(map(str, [label, *row])) + chr(10) for row, label in zip(X, y))])
command = ("run", "rows.libsvm", "--learner", "hot_words:patience=2", "--certificate", "c.json")
found["run"] = json.loads(typed(*command, "--json", "--quiet"))["mistakes"]
found["verify"] = typed("verify", "c.json", "rows.libsvm", "--replay").splitlines()[0]
command = ("experts", "votes.csv", "--rule", "in_turn", "--certificate", "e.json")
found["experts"] = json.loads(typed(*command, "--json", "--quiet"))["mistakes"]
found["verify experts"] = typed("verify", "e.json", "votes.csv", "--replay").splitlines()[0]
found["duel"] = ls.duel(ls.hot_words(), ls.adversaries.one_vector()).mistakes
found["command"] = typed("greet")
found["help"] = "greet" in typed("--help")
print(json.dumps(found))
"""


def cut(name):
    """The one file of an example as the three files of the library: where each goes, and its text."""
    (path,) = EXAMPLES.glob(f"own_*/{name}.py")
    head, *rest = re.split(r"^# ---- the (?:twin|theorem|algorithm) ----\n", path.read_text("utf-8"), flags=re.MULTILINE)
    parts = dict(zip(PARTS, (head, *rest), strict=True))
    story = parts["story"][: parts["story"].index('"""', 3) + 4]
    needed = IMPORTS[name]
    twin = parts["twin"].replace("def twin(", f"def {name}(")
    theorem = parts["theorem"].replace("    twin=twin,\n", "")
    assert twin != parts["twin"] and theorem != parts["theorem"]
    return {
        f"reference/{name}.py": f'"""{name}, plainly."""\n\n{needed["twin"]}{twin}',
        f"theory/{name}.py": f'"""{name}: its theorem."""\n\n{needed["theorem"]}{theorem}',
        f"{ROOMS[name]}/{name}.py": f"{story}\n{needed['algorithm']}{parts['algorithm']}",
    }


NEW = {
    **cut("hot_words"),
    **cut("in_turn"),
    "theory/assumptions/few_ones.py": ASSUMPTION,
    "theory/comparators/longest.py": WITNESS,
    "witnesses/searches/hot_words.py": SEARCH,
    "games/adversaries/one_vector.py": ADVERSARY,
    "cli/commands/greet.py": COMMAND,
}
NEW["theory/hot_words.py"] += THEOREMS


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a fresh process says of a copy of the package with the new files in it."""
    folder = tmp_path_factory.mktemp("adding")
    package = folder / "littlestone"
    shutil.copytree(ROOT / "src" / "littlestone", package, ignore=shutil.ignore_patterns("__pycache__"))
    for place, text in NEW.items():
        assert not (package / place).exists()
        (package / place).write_text(text, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert Path(said["where"]) == package / "__init__.py"
    return said


def test_a_learner_is_three_files(found):
    assert found["learner"] == "verified and replayed: hot_words made 3 mistakes in 12 rounds"
    assert "hot_words" in found["listed"]
    assert (found["run"], found["verify"]) == (3, found["learner"])


def test_a_rule_is_three_files(found):
    assert found["rule"].startswith("verified and replayed: in_turn made")
    assert "in_turn" in found["listed"]
    assert found["verify experts"] == found["rule"] and f"made {found['experts']} mistake" in found["rule"]


def test_a_kind_of_assumption_is_one_file(found):
    assert found["few ones"][0] == ["hot-words-few-ones", 6 * (1 + 2 * 2)]


def test_a_kind_of_witness_is_one_file_beside_its_search(found):
    assert ["hot-words-longest", 5] in found["few ones"]
    assert found["longest"] == ["account: at most 5 by hot-words-longest, compared with rows of at most 2 features"]


def test_an_adversary_is_one_file(found):
    assert found["duel"] == 1


def test_a_command_is_one_file(found):
    assert found["command"] == "hello\n" and found["help"]
